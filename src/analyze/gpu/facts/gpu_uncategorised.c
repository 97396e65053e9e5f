/* analyze/gpu/facts/gpu_uncategorised.c - what slices without a category are, by their arguments.
 *
 * The first version of PyTorch's native export (.pftrace) writes all its slices as track events without categories,
 * with the arguments that they have in JSON. Device work is what says its device, stream and correlation; copies and
 * fills are known by their names; what has a correlation and no device is a runtime call. Operators cannot be
 * distinguished from other slices of the host. This is only asked where no category names device work.
 */
#include <string.h>

#include "analyze/gpu/facts/gpu_facts.h"
#include "analyze/support/pass_memory.h"
#include "base/str.h"

enum { KEY_DEVICE, KEY_STREAM, KEY_CORRELATION, KEYS };
static const pf_arg_key keys[KEYS] = {
    [KEY_DEVICE] = {.key = "device", .type = PF_ARG_INT},
    [KEY_STREAM] = {.key = "stream", .type = PF_ARG_INT},
    [KEY_CORRELATION] = {.key = "correlation", .type = PF_ARG_INT},
};

static gpu_slice_kind kind_of(const pf_arg_columns *c, uint32_t row, pf_str name)
{
    if (pf_str_starts(name, PF_STR("ProfilerStep#"))) {
        return GPU_SLICE_ANNOTATION;
    }
    if (!pf_arg_has(pf_arg_column_at(c, KEY_CORRELATION), row)) {
        return GPU_SLICE_OTHER;
    }
    if (!pf_arg_has(pf_arg_column_at(c, KEY_DEVICE), row) || !pf_arg_has(pf_arg_column_at(c, KEY_STREAM), row)) {
        return GPU_SLICE_CALL;
    }
    return pf_str_starts(name, PF_STR("Memcpy"))   ? GPU_SLICE_COPY
           : pf_str_starts(name, PF_STR("Memset")) ? GPU_SLICE_FILL
                                                   : GPU_SLICE_KERNEL;
}

static uint32_t list_uncategorised(const pf_slices *s, uint32_t *slices, uint32_t *events)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        if (pf_slice_category(s, i) == 0) {
            if (slices) {
                slices[n] = i;
                events[n] = s->event[i];
            }
            n++;
        }
    }
    return n;
}

pf_status pf_gpu_classify_uncategorised(gpu_facts *g, pf_error *err)
{
    const pf_slices *s = pf_trace_slices(g->trace);
    const pf_arg_options options = {.jobs = g->ctx->jobs, .cancel = g->ctx->cancel, .first_values = true};
    pf_arg_columns *columns = NULL;
    uint32_t n = list_uncategorised(s, NULL, NULL);
    uint32_t *slices;
    uint32_t *events;
    PF_TRY(PF_PASS_ARRAY(&g->scratch, n, slices, err));
    PF_TRY(PF_PASS_ARRAY(&g->scratch, n, events, err));
    list_uncategorised(s, slices, events);
    pf_status st = pf_arg_columns_read(g->trace, events, n, keys, KEYS, &options, &columns, err);
    for (uint32_t i = 0; i < n && st == PF_OK; i++) {
        uint8_t *kind = &g->kind[slices[i]];
        g->of_kind[*kind]--;
        *kind = (uint8_t)kind_of(columns, i, pf_trace_string(g->trace, pf_slice_name(s, slices[i])));
        g->of_kind[*kind]++;
    }
    pf_arg_columns_free(columns);
    pf_arena_reset(&g->scratch);
    return st;
}
