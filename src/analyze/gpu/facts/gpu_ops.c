/* analyze/gpu/facts/gpu_ops.c - from listed slices to operations of devices and streams.
 *
 * They are listed in order of time. So two stable counting sorts, by device and by stream, leave each device's and each
 * stream's operations in order of their starts. Where there is one device, or one stream, nothing is sorted.
 */
#include "analyze/gpu/facts/gpu_facts.h"
#include "analyze/support/pass_memory.h"
#include "base/str.h"

/* The names are those of the torch profiler, in whose native traces numbers are texts. */
static const pf_arg_key keys[GPU_ARGS] = {
    [GPU_ARG_BYTES] = {.key = "bytes", .type = PF_ARG_INT, .from_text = true},
    [GPU_ARG_COLLECTIVE] = {.key = "Collective name", .type = PF_ARG_TEXT},
    [GPU_ARG_IN_ELEMENTS] = {.key = "In msg nelems", .type = PF_ARG_INT, .from_text = true},
    [GPU_ARG_OUT_ELEMENTS] = {.key = "Out msg nelems", .type = PF_ARG_INT, .from_text = true},
    [GPU_ARG_GROUP_SIZE] = {.key = "Group size", .type = PF_ARG_INT, .from_text = true},
    [GPU_ARG_GROUP] = {.key = "Process Group Name", .type = PF_ARG_TEXT},
    [GPU_ARG_MEMBERS] = {.key = "Process Group Ranks", .type = PF_ARG_TEXT},
    [GPU_ARG_TYPE] = {.key = "dtype", .type = PF_ARG_TEXT},
};

/* Names of most of those that do not compute; what is missed is read later. */
static bool has_details(pf_str name)
{
    return pf_str_starts(name, PF_STR("Mem")) || pf_gpu_is_communication(name);
}

const pf_early_args pf_gpu_early_details = {keys, GPU_ARGS, pf_gpu_is_placed, has_details, NULL, 0, NULL};

/* Puts the operations into the order of their devices; they are in order of time. */
static pf_status order_by_device(gpu_facts *g, gpu_listed *l, uint32_t *first, pf_error *err)
{
    gpu_ops *o = &g->ops;
    uint32_t *device;
    if (g->device_count <= 1) {
        first[0] = 0;
        first[g->device_count] = o->count;
        return PF_OK;
    }
    PF_TRY(PF_PASS_ARRAY(&g->scratch, o->count, device, err));
    for (uint32_t i = 0; i < o->count; i++) {
        device[i] = gpu_device_of(g, i);
    }
    pf_gpu_count_keys(device, o->count, g->device_count, first);
    if (pf_gpu_ascends(device, o->count)) {
        return PF_OK;
    }
    PF_TRY(!o->slice ? pf_gpu_own_columns(g, err) : PF_OK);
    const gpu_cells columns[] = {{o->slice, 4}, {o->stream, 4}, {o->name, 4},
                                 {o->start, 8}, {o->dur, 8},    {l->number, 8}};
    return pf_gpu_reorder(g, device, o->count, g->device_count, first, columns, sizeof columns / sizeof *columns, err);
}

static pf_status order_by_stream(gpu_facts *g, uint32_t *first, pf_error *err)
{
    const gpu_ops *o = &g->ops;
    if (g->stream_count <= 1) {
        first[0] = 0;
        first[g->stream_count] = o->count;
        return PF_OK;
    }
    if (pf_gpu_ascends(o->stream, o->count)) {
        pf_gpu_count_keys(o->stream, o->count, g->stream_count, first);
        return PF_OK;
    }
    PF_TRY(PF_PASS_ARRAY(g->arena, o->count, g->by_stream, err));
    pf_gpu_sort_by_key(o->stream, o->count, g->stream_count, first, g->by_stream);
    return PF_OK;
}

static pf_status order_ops(gpu_facts *g, gpu_listed *l, pf_error *err)
{
    uint32_t most = g->device_count > g->stream_count ? g->device_count : g->stream_count;
    uint32_t *first;
    PF_TRY(PF_PASS_ARRAY(&g->scratch, (size_t)most + 1, first, err));
    PF_TRY(order_by_device(g, l, first, err));
    for (uint32_t d = 0; d < g->device_count; d++) {
        g->devices[d].first_op = first[d];
        g->devices[d].op_count = first[d + 1] - first[d];
    }
    PF_TRY(order_by_stream(g, first, err));
    for (uint32_t i = 0; i < g->stream_count; i++) {
        g->streams[i].first = first[i];
        g->streams[i].count = first[i + 1] - first[i];
    }
    return PF_OK;
}

pf_status pf_gpu_details_read(const gpu_facts *g, pf_arena *arena, gpu_details *out, pf_error *err)
{
    const pf_arg_options options = {.jobs = 1, .cancel = g->ctx->cancel, .first_values = true};
    const uint32_t *event = pf_trace_slices(g->trace)->event;
    const gpu_ops *o = &g->ops;
    uint32_t *events, others = g->of_class[GPU_COMMUNICATION] + g->of_class[GPU_MEMORY];
    PF_TRY(PF_PASS_ARRAY(arena, others, events, err));
    if (others) {
        PF_TRY(PF_ARENA_NEW(arena, out->marked, (size_t)o->count / 64 + 1, err));
    }
    for (uint32_t i = 0, n = 0; n < others; i++) {
        out->marked[i / 64].before = i % 64 ? out->marked[i / 64].before : n;
        if (o->class[i] != GPU_COMPUTE) {
            out->marked[i / 64].bits |= 1ull << i % 64;
            events[n++] = event[gpu_slice(o, i)];
        }
    }
    return pf_arg_columns_read(g->trace, events, others, keys, GPU_ARGS, &options, &out->args, err);
}

pf_status pf_gpu_read_ops(gpu_facts *g, gpu_listed *l, pf_error *err)
{
    gpu_place *places = NULL;
    PF_TRY(pf_gpu_list(g, err));
    PF_TRY(pf_gpu_places(g, &places, err));
    PF_TRY(pf_gpu_make_owners(g, l, places, err));
    PF_TRY(order_ops(g, l, err));
    return pf_gpu_classify_ops(g, err);
}
