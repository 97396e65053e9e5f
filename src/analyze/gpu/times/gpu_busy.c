/* analyze/gpu/times/gpu_busy.c - point 1: what devices and streams did (docs/reference/gpu.md, "Times").
 *
 * Operations come in order of their starts. So what each of them adds to the union of its class, and to that of all, is
 * what lies after the last end of those before it: times need one walk and no memory. Compute and communication overlap
 * where one adds to its own union what the other one covers already: as all that began did so before, it covers
 * everything up to its last end. The unions themselves are only made for what is drawn or compared.
 */
#include <string.h>

#include "analyze/gpu/times/gpu_times.h"
#include "analyze/support/pass_memory.h"

pf_wide pf_gpu_measure_crowd(const gpu_crowd *c, gpu_times *t)
{
    static const uint8_t other[] = {GPU_COMMUNICATION, GPU_COMPUTE, GPU_CLASSES}; /* that a class overlaps with */
    int64_t all = INT64_MIN, until[GPU_CLASSES + 1] = {INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN};
    const gpu_ops *o = c->ops;
    pf_wide lengths = 0;
    for (uint32_t i = 0; i < c->count; i++) {
        uint32_t row = gpu_crowd_at(c, i);
        int64_t start = o->start[row], end = gpu_end(o, row);
        unsigned k = o->class[row];
        t->start = i == 0 ? start : t->start;
        t->end = i == 0 || end > t->end ? end : t->end;
        if (end > start) {
            int64_t from = start > until[k] ? start : until[k], to = end < until[other[k]] ? end : until[other[k]];
            t->overlap += to > from ? (uint64_t)to - (uint64_t)from : 0;
            t->in_class[k] += pf_interval_stretch(&until[k], start, end);
            t->busy += pf_interval_stretch(&all, start, end);
            lengths += (uint64_t)end - (uint64_t)start;
        }
    }
    t->span = (uint64_t)t->end - (uint64_t)t->start;
    t->idle = t->span - t->busy;
    t->exposed = t->in_class[GPU_COMMUNICATION] - t->overlap;
    return lengths;
}

/* How many operations ran at once. Where all lengths together are the busy time, nothing overlaps. */
static pf_status measure_depth(gpu_facts *g, gpu_device *d, pf_wide lengths, pf_error *err)
{
    uint32_t room = 0, open = 0;
    int64_t *ends, *scratch, at = 0;
    PF_TRY(PF_ARENA_ROOM(g->arena, d->running, 2, room, err));
    memset(d->running, 0, room * sizeof *d->running);
    d->most = d->times.busy > 0;
    d->running[d->most] = d->times.busy;
    if (lengths != d->times.busy) {
        PF_TRY(PF_PASS_ARRAY(&g->scratch, d->op_count, ends, err));
        PF_TRY(PF_PASS_ARRAY(&g->scratch, d->op_count, scratch, err));
        for (uint32_t i = 0; i < d->op_count; i++) {
            ends[i] = gpu_end(&g->ops, d->first_op + i);
        }
        pf_sort_times(ends, d->op_count, scratch);
        pf_depth_walk walk = {.starts = g->ops.start + d->first_op, .ends = ends, .n = d->op_count};
        d->running[1] = 0;
        for (pf_depth_step step; pf_depth_next(&walk, &step); open = step.open, at = step.ts) {
            uint32_t before = room;
            PF_TRY(PF_ARENA_ROOM(g->arena, d->running, (size_t)step.open + 1, room, err));
            memset(d->running + before, 0, (room - before) * sizeof *d->running);
            d->most = step.open > d->most ? step.open : d->most;
            d->running[open] += (uint64_t)step.ts - (uint64_t)at;
        }
    }
    d->running[0] = d->times.idle; /* also before the first and after the last step, where operations have no length */
    return PF_OK;
}

void pf_gpu_add_times(gpu_times *all, const gpu_times *t)
{
    uint64_t *const sums[] = {&all->span,
                              &all->busy,
                              &all->idle,
                              &all->exposed,
                              &all->in_class[GPU_COMMUNICATION],
                              &all->in_class[GPU_COMPUTE]};
    const uint64_t more[] = {
        t->span, t->busy, t->idle, t->exposed, t->in_class[GPU_COMMUNICATION], t->in_class[GPU_COMPUTE]};
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++) {
        *sums[i] = gpu_plus(*sums[i], more[i]);
    }
}

pf_status pf_gpu_measure(gpu_facts *g, pf_error *err)
{
    for (gpu_device *d = g->devices; d < g->devices + g->device_count; d++) {
        const gpu_crowd all = gpu_crowd_of_device(g, d);
        pf_wide lengths = pf_gpu_measure_crowd(&all, &d->times);
        for (gpu_stream *s = g->streams + d->first_stream; s < g->streams + d->first_stream + d->stream_count; s++) {
            const gpu_crowd own = gpu_crowd_of_stream(g, s);
            if (d->stream_count == 1) {
                s->times = d->times;
            } else {
                pf_gpu_measure_crowd(&own, &s->times);
            }
        }
        PF_TRY(measure_depth(g, d, lengths, err));
        pf_arena_reset(&g->scratch);
    }
    return PF_OK;
}

/* The union of a class, or of all, into `list` where there is one. Returns the number of intervals. */
static size_t unite(const gpu_ops *o, const gpu_device *d, unsigned class, pf_interval *list)
{
    size_t n = 0;
    int64_t until = 0;
    for (uint32_t i = d->first_op; i < d->first_op + d->op_count; i++) {
        if (o->dur[i] == 0 || (class != GPU_CLASSES && o->class[i] != class)) {
            continue;
        }
        bool next = n == 0 || o->start[i] > until;
        int64_t end = gpu_end(o, i);
        until = next || end > until ? end : until;
        n += next;
        if (list) {
            list[n - 1] = (pf_interval){next ? o->start[i] : list[n - 1].start, until};
        }
    }
    return n;
}

pf_status pf_gpu_unite(const gpu_facts *g, const gpu_device *d, unsigned class, pf_arena *arena, gpu_set *out,
                       pf_error *err)
{
    out->count = unite(&g->ops, d, class, NULL);
    PF_TRY(PF_PASS_ARRAY(arena, out->count, out->list, err));
    unite(&g->ops, d, class, out->list);
    return PF_OK;
}
