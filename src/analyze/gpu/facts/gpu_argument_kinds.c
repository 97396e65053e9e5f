/* analyze/gpu/facts/gpu_argument_kinds.c - what slices are, by their arguments, where their categories do not say it.
 *
 * PyTorch's native traces (.pftrace) hold device work as render stages. Its kernels have the stage category compute (2)
 * or are launches with a grid; memcpy and memset are the stages "Memcpy" and "Memset"; annotations, event records and
 * host nodes are stages as well, but no device work. Its stages are known by their argument "device id". All other
 * render stages are work of their device.
 *
 * The first version of that export writes all its slices as track events without categories, with the arguments that
 * they have in JSON. Device work is what says its device, stream and correlation; memcpy and memset are known by their
 * names; what has a correlation and no device is a runtime call. Operators cannot be distinguished from other slices of
 * the host. This is only asked where no category names device work.
 */
#include "analyze/gpu/facts/gpu_facts.h"
#include "analyze/support/pass_memory.h"
#include "base/str.h"

pf_status pf_gpu_ask(const gpu_facts *g, pf_arena *arena, const gpu_question *q, gpu_asked *out, pf_error *err)
{
    const pf_slices *s = pf_trace_slices(g->trace);
    const pf_arg_options options = {.jobs = g->ctx->jobs, .cancel = g->ctx->cancel, .first_values = q->first_values};
    uint32_t n = 0;
    *out = (gpu_asked){.count = 0};
    for (uint32_t i = 0; i < s->count; i++) {
        n += q->is_asked(g, q->name, i);
    }
    PF_TRY(PF_PASS_ARRAY(arena, n, out->slice, err));
    PF_TRY(PF_PASS_ARRAY(arena, n, out->event, err));
    for (uint32_t i = 0; out->count < n; i++) {
        if (q->is_asked(g, q->name, i)) {
            out->slice[out->count] = i;
            out->event[out->count++] = s->event[i];
        }
    }
    return pf_arg_columns_read(g->trace, out->event, n, q->keys, q->key_count, &options, &out->args, err);
}

/* A copy or a fill by its name, else `other`. */
static gpu_slice_kind kind_of_name(pf_str name, gpu_slice_kind other)
{
    return pf_str_starts(name, PF_STR("Memcpy"))   ? GPU_SLICE_COPY
           : pf_str_starts(name, PF_STR("Memset")) ? GPU_SLICE_FILL
                                                   : other;
}

enum { STAGE_DEVICE, STAGE_CATEGORY, STAGE_GRID, STAGE_KEYS };
static const pf_arg_key stage_keys[STAGE_KEYS] = {
    [STAGE_DEVICE] = {.key = "device id", .type = PF_ARG_INT, .from_text = true},
    [STAGE_CATEGORY] = {.key = "render_stage_category", .type = PF_ARG_INT},
    [STAGE_GRID] = {.key = "launch.grid_size.x", .type = PF_ARG_INT},
};
enum { CATEGORY_COMPUTE = 2 };

static bool is_stage(const gpu_facts *g, uint32_t name, uint32_t slice)
{
    return pf_trace_tracks(g->trace)->type[pf_trace_slices(g->trace)->track[slice]] == PF_TRACK_GPU_RENDER_STAGE;
}

static gpu_slice_kind kind_of_stage(const pf_arg_columns *c, uint32_t row, pf_str name)
{
    const pf_arg_column *category = pf_arg_column_at(c, STAGE_CATEGORY);
    bool computes = pf_arg_has(category, row) && category->values.i[row] == CATEGORY_COMPUTE;
    bool torch = pf_arg_has(pf_arg_column_at(c, STAGE_DEVICE), row);
    bool work = !torch || computes || pf_arg_has(pf_arg_column_at(c, STAGE_GRID), row);
    return kind_of_name(name, work ? GPU_SLICE_KERNEL : GPU_SLICE_OTHER);
}

enum { KEY_DEVICE, KEY_STREAM, KEY_CORRELATION, KEYS };
static const pf_arg_key keys[KEYS] = {
    [KEY_DEVICE] = {.key = "device", .type = PF_ARG_INT},
    [KEY_STREAM] = {.key = "stream", .type = PF_ARG_INT},
    [KEY_CORRELATION] = {.key = "correlation", .type = PF_ARG_INT},
};

static bool has_no_category(const gpu_facts *g, uint32_t name, uint32_t slice)
{
    return pf_slice_category(pf_trace_slices(g->trace), slice) == 0;
}

static gpu_slice_kind kind_of_uncategorised(const pf_arg_columns *c, uint32_t row, pf_str name)
{
    if (pf_str_starts(name, PF_STR("ProfilerStep#"))) {
        return GPU_SLICE_ANNOTATION;
    }
    if (!pf_arg_has(pf_arg_column_at(c, KEY_CORRELATION), row)) {
        return GPU_SLICE_OTHER;
    }
    bool on_device =
        pf_arg_has(pf_arg_column_at(c, KEY_DEVICE), row) && pf_arg_has(pf_arg_column_at(c, KEY_STREAM), row);
    return on_device ? kind_of_name(name, GPU_SLICE_KERNEL) : GPU_SLICE_CALL;
}

/* Render stages keep counting as kernels in g->of_kind. */
pf_status pf_gpu_classify_by_arguments(gpu_facts *g, bool stages, pf_error *err)
{
    const gpu_question of_stages = {is_stage, stage_keys, STAGE_KEYS, 0, false};
    const gpu_question of_others = {has_no_category, keys, KEYS, 0, true};
    const pf_slices *s = pf_trace_slices(g->trace);
    gpu_asked asked;
    pf_status st = pf_gpu_ask(g, &g->scratch, stages ? &of_stages : &of_others, &asked, err);
    for (uint32_t i = 0; i < asked.count && st == PF_OK; i++) {
        pf_str name = pf_trace_string(g->trace, pf_slice_name(s, asked.slice[i]));
        uint8_t *kind = &g->kind[asked.slice[i]], before = *kind;
        *kind = (uint8_t)(stages ? kind_of_stage : kind_of_uncategorised)(asked.args, i, name);
        g->of_kind[before] -= !stages;
        g->of_kind[*kind] += !stages;
    }
    pf_arg_columns_free(asked.args);
    pf_arena_reset(&g->scratch);
    return st;
}
