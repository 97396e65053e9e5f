/* analyze/gpu/times/gpu_gaps.c - point 3: why a device or a stream was idle (docs/reference/gpu.md, "Idle time").
 *
 * An operation waits from the end of the call that launched it to its own start. The times in which some operation
 * waits divide every gap into kernel wait and a rest; the rest is host-bound where the operation that ends the gap has
 * a call, which then came too late, and other where nothing is known. Of a stream all of this is said of its own
 * operations alone: the device may be busy meanwhile with those of other streams.
 *
 * Operations come in order of their starts, so a gap is met where one starts after all before it ended. Gaps are not
 * kept: whoever asks for them walks over the operations, and over begins and ends of the waiting next to them.
 */
#include "analyze/gpu/times/gpu_times.h"
#include "analyze/support/pass_memory.h"

static pf_status find_queue(const gpu_facts *g, const gpu_crowd *c, pf_arena *arena, gpu_queue *q, pf_error *err)
{
    uint32_t room = g->calls.count ? c->count : 0;
    int64_t *spare;
    pf_arena scratch;
    q->count = 0;
    PF_TRY(PF_PASS_ARRAY(arena, room, q->begins, err));
    PF_TRY(PF_PASS_ARRAY(arena, room, q->ends, err));
    for (uint32_t i = 0; i < room; i++) {
        uint32_t op = gpu_crowd_at(c, i), call = gpu_call_of(g, op);
        if (call != PF_NONE && g->calls.end[call] < g->ops.start[op]) {
            q->begins[q->count] = g->calls.end[call];
            q->ends[q->count++] = g->ops.start[op];
        }
    }
    pf_arena_init(&scratch, arena->budget);
    PF_TRY(PF_PASS_ARRAY(&scratch, q->count, spare, err));
    pf_sort_times(q->begins, q->count, spare);
    pf_arena_free(&scratch);
    return PF_OK;
}

pf_status pf_gpu_find_queues(gpu_facts *g, pf_error *err)
{
    for (gpu_device *d = g->devices; d < g->devices + g->device_count; d++) {
        const gpu_crowd all = gpu_crowd_of_device(g, d);
        PF_TRY(find_queue(g, &all, g->arena, &d->queue, err));
    }
    return PF_OK;
}

gpu_queue_walk pf_gpu_queue_walk(const gpu_queue *q)
{
    gpu_queue_walk w = {.steps = {.starts = q->begins, .ends = q->ends, .n = q->count}};
    w.more = pf_depth_next(&w.steps, &w.next);
    return w;
}

int64_t pf_gpu_queue_go(gpu_queue_walk *w, int64_t at, int64_t end)
{
    while (w->more && w->next.ts <= at) {
        w->open = w->next.open;
        w->more = pf_depth_next(&w->steps, &w->next);
    }
    return w->more && w->next.ts < end ? w->next.ts : end;
}

gpu_gap_walk pf_gpu_gap_walk(const gpu_facts *g, const gpu_device *d)
{
    return (gpu_gap_walk){g, gpu_crowd_of_device(g, d), pf_gpu_queue_walk(&d->queue), 0, PF_NONE, 0};
}

pf_status pf_gpu_stream_gap_walk(const gpu_facts *g, const gpu_stream *s, pf_arena *arena, gpu_gap_walk *out,
                                 pf_error *err)
{
    const gpu_crowd own = gpu_crowd_of_stream(g, s);
    gpu_queue queue;
    PF_TRY(find_queue(g, &own, arena, &queue, err));
    *out = (gpu_gap_walk){g, own, pf_gpu_queue_walk(&queue), 0, PF_NONE, 0};
    return PF_OK;
}

/* Of the operations that start where the i-th one does, and take time, one with a call, if there is one. */
static uint32_t find_after(const gpu_gap_walk *w, uint32_t i)
{
    const gpu_ops *o = &w->g->ops;
    uint32_t found = gpu_crowd_at(&w->crowd, i), op;
    int64_t end = o->start[found];
    while (++i < w->crowd.count && o->start[op = gpu_crowd_at(&w->crowd, i)] == end) {
        found = o->dur[op] > 0 && gpu_call_of(w->g, found) == PF_NONE ? op : found;
    }
    return found;
}

static gpu_gap gap_before(gpu_gap_walk *w, uint32_t i)
{
    const gpu_ops *o = &w->g->ops;
    gpu_gap gap = {.before = w->before, .after = find_after(w, i)};
    gap.time = (pf_interval){gpu_end(o, gap.before), o->start[gap.after]};
    for (int64_t at = gap.time.start, to; at < gap.time.end; at = to) {
        to = pf_gpu_queue_go(&w->queue, at, gap.time.end);
        gap.waiting += w->queue.open ? (uint64_t)to - (uint64_t)at : 0;
    }
    uint64_t rest = pf_interval_length(gap.time) - gap.waiting;
    *(gpu_call_of(w->g, gap.after) == PF_NONE ? &gap.other : &gap.host) = rest;
    return gap;
}

bool pf_gpu_next_gap(gpu_gap_walk *w, gpu_gap *out)
{
    const gpu_ops *o = &w->g->ops;
    for (uint32_t i = w->next, before = w->before; i < w->crowd.count; i++) {
        uint32_t op = gpu_crowd_at(&w->crowd, i);
        int64_t start = o->start[op], end = gpu_end(o, op), until = before == PF_NONE ? start : gpu_end(o, before);
        bool found = end > start && start > until && (uint64_t)start - (uint64_t)until >= w->least;
        if (found) {
            w->before = before;
            *out = gap_before(w, i);
        }
        if (end > start ? end >= until : end == until && before != PF_NONE) {
            before = op; /* one without length may end where the gap begins, and does not end it */
        }
        if (found) {
            w->next = i + 1;
            w->before = before;
            return true;
        }
    }
    w->next = w->crowd.count;
    return false;
}

pf_status pf_gpu_find_stream_gaps(gpu_facts *g, pf_error *err)
{
    for (gpu_stream *s = g->streams; s < g->streams + g->stream_count; s++) {
        const gpu_device *d = &g->devices[s->device];
        gpu_gap_walk walk;
        if (d->stream_count == 1) {
            s->host = d->host;
            s->waiting = d->waiting;
            s->other = d->other;
            continue;
        }
        PF_TRY(pf_gpu_stream_gap_walk(g, s, &g->scratch, &walk, err));
        for (gpu_gap gap; pf_gpu_next_gap(&walk, &gap);) {
            s->host += gap.host;
            s->waiting += gap.waiting;
        }
        /* Also before the first and after the last interval, where the span holds operations without length only. */
        s->other = s->times.idle - (s->host + s->waiting);
        pf_arena_reset(&g->scratch);
    }
    return PF_OK;
}
