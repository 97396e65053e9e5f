/* analyze/gpu/facts/gpu_ops.c - from listed slices to operations of devices and streams.
 *
 * They are listed in order of time. So two stable counting sorts, by device and by stream, leave each device's and each
 * stream's operations in order of their starts. Where there is one device, or one stream, nothing is sorted.
 */
#include "analyze/gpu/facts/gpu_facts.h"
#include "analyze/support/pass_memory.h"

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

pf_status pf_gpu_read_ops(gpu_facts *g, gpu_listed *l, pf_error *err)
{
    gpu_place *places = NULL;
    PF_TRY(pf_gpu_list(g, err));
    PF_TRY(pf_gpu_places(g, &places, err));
    PF_TRY(pf_gpu_make_owners(g, l, places, err));
    PF_TRY(order_ops(g, l, err));
    return pf_gpu_classify_ops(g, err);
}
