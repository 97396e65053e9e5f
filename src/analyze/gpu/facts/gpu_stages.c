/* analyze/gpu/facts/gpu_stages.c - what a render stage is.
 *
 * PyTorch's native traces (.pftrace) hold device work as render stages. Its kernels have the stage category compute (2)
 * or are launches with a grid; memcpy and memset are the stages "Memcpy" and "Memset"; annotations, event records and
 * host nodes are stages as well, but no device work. Its stages are known by their argument "device id". All other
 * render stages are work of their device.
 */
#include <string.h>

#include "analyze/gpu/facts/gpu_facts.h"
#include "analyze/support/pass_memory.h"
#include "base/str.h"

enum { KEY_DEVICE, KEY_CATEGORY, KEY_GRID, KEYS };
static const pf_arg_key keys[KEYS] = {
    [KEY_DEVICE] = {.key = "device id", .type = PF_ARG_INT, .from_text = true},
    [KEY_CATEGORY] = {.key = "render_stage_category", .type = PF_ARG_INT},
    [KEY_GRID] = {.key = "launch.grid_size.x", .type = PF_ARG_INT},
};
enum { CATEGORY_COMPUTE = 2 };

static gpu_slice_kind kind_of(const pf_arg_columns *c, uint32_t row, pf_str name)
{
    const pf_arg_column *category = pf_arg_column_at(c, KEY_CATEGORY);
    bool computes = pf_arg_has(category, row) && category->values.i[row] == CATEGORY_COMPUTE;
    if (pf_str_starts(name, PF_STR("Memcpy"))) {
        return GPU_SLICE_COPY;
    }
    if (pf_str_starts(name, PF_STR("Memset"))) {
        return GPU_SLICE_FILL;
    }
    bool torch = pf_arg_has(pf_arg_column_at(c, KEY_DEVICE), row);
    return !torch || computes || pf_arg_has(pf_arg_column_at(c, KEY_GRID), row) ? GPU_SLICE_KERNEL : GPU_SLICE_OTHER;
}

static uint32_t list_stages(const gpu_facts *g, uint32_t *slices, uint32_t *events)
{
    const pf_slices *s = pf_trace_slices(g->trace);
    const uint8_t *type = pf_trace_tracks(g->trace)->type;
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        if (type[s->track[i]] == PF_TRACK_GPU_RENDER_STAGE) {
            if (slices) {
                slices[n] = i;
                events[n] = s->event[i];
            }
            n++;
        }
    }
    return n;
}

pf_status pf_gpu_classify_stages(gpu_facts *g, pf_error *err)
{
    const pf_slices *s = pf_trace_slices(g->trace);
    const pf_arg_options options = {.jobs = g->ctx->jobs, .cancel = g->ctx->cancel};
    pf_arg_columns *columns = NULL;
    uint32_t n = list_stages(g, NULL, NULL);
    uint32_t *slices;
    uint32_t *events;
    PF_TRY(PF_PASS_ARRAY(&g->scratch, n, slices, err));
    PF_TRY(PF_PASS_ARRAY(&g->scratch, n, events, err));
    list_stages(g, slices, events);
    pf_status st = pf_arg_columns_read(g->trace, events, n, keys, KEYS, &options, &columns, err);
    for (uint32_t i = 0; i < n && st == PF_OK; i++) {
        g->kind[slices[i]] = (uint8_t)kind_of(columns, i, pf_trace_string(g->trace, pf_slice_name(s, slices[i])));
    }
    pf_arg_columns_free(columns);
    return st;
}
