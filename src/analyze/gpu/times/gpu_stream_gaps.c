/* analyze/gpu/times/gpu_stream_gaps.c - why streams were idle, by the rules of devices (gpu_gaps.c) with the operations
 * of the stream alone: the device may be busy meanwhile with those of other streams.
 *
 * Operations of a stream come in order of their starts, so a gap is met where one starts after all before it ended.
 */
#include "analyze/gpu/times/gpu_times.h"
#include "analyze/support/pass_memory.h"

/* The times in which operations of the stream wait for their start, as a set. */
static size_t collect_waits(const gpu_facts *g, const gpu_stream *s, pf_interval *list, pf_interval *spare)
{
    size_t n = 0;
    for (uint32_t i = s->first; i < s->first + s->count; i++) {
        uint32_t op = gpu_op_by_stream(g, i), call = gpu_call_of(g, op);
        if (call != PF_NONE && g->calls.end[call] < g->ops.start[op]) {
            list[n++] = (pf_interval){g->calls.end[call], g->ops.start[op]};
        }
    }
    return pf_interval_set_make(list, n, spare);
}

pf_status pf_gpu_stream_walk_begin(const gpu_facts *g, const gpu_stream *s, pf_arena *arena, gpu_stream_walk *w,
                                   pf_error *err)
{
    pf_interval *waits, *spare;
    PF_TRY(PF_PASS_ARRAY(arena, s->count, waits, err));
    PF_TRY(PF_PASS_ARRAY(arena, s->count, spare, err));
    *w = (gpu_stream_walk){.s = s, .waits = waits, .before = PF_NONE};
    w->wait_count = collect_waits(g, s, waits, spare);
    return PF_OK;
}

/* Of the operations that start where the i-th one does, and take time, one whose call is known, else that one. */
static uint32_t ends_gap(const gpu_facts *g, const gpu_stream *s, uint32_t i)
{
    uint32_t first = gpu_op_by_stream(g, i), op = first;
    for (; i < s->first + s->count && g->ops.start[op = gpu_op_by_stream(g, i)] == g->ops.start[first]; i++) {
        if (g->ops.end[op] > g->ops.start[op] && gpu_call_of(g, op) != PF_NONE) {
            return op;
        }
    }
    return first;
}

static gpu_gap gap_before(const gpu_facts *g, gpu_stream_walk *w, uint32_t i)
{
    gpu_gap gap = {.after = ends_gap(g, w->s, i)};
    gap.time = (pf_interval){g->ops.end[w->before], g->ops.start[gap.after]};
    gap.waiting = pf_interval_covered(w->waits, w->wait_count, &w->cursor, gap.time.start, gap.time.end);
    uint64_t rest = pf_interval_length(gap.time) - gap.waiting;
    *(gpu_call_of(g, gap.after) == PF_NONE ? &gap.other : &gap.host) = rest;
    return gap;
}

bool pf_gpu_stream_walk_next(const gpu_facts *g, gpu_stream_walk *w, gpu_gap *gap, uint32_t *before)
{
    while (w->at < w->s->count) {
        uint32_t i = w->s->first + w->at++, op = gpu_op_by_stream(g, i);
        bool found = w->before != PF_NONE && g->ops.start[op] > g->ops.end[w->before];
        if (g->ops.end[op] <= g->ops.start[op]) {
            continue;
        }
        if (found) {
            *gap = gap_before(g, w, i);
            *before = w->before;
        }
        w->before = w->before == PF_NONE || g->ops.end[op] > g->ops.end[w->before] ? op : w->before;
        if (found) {
            return true;
        }
    }
    return false;
}

pf_status pf_gpu_find_stream_gaps(gpu_facts *g, pf_error *err)
{
    for (gpu_stream *s = g->streams; s < g->streams + g->stream_count; s++) {
        const gpu_device *d = &g->devices[s->device];
        gpu_stream_walk walk;
        gpu_gap gap;
        uint32_t before;
        if (d->stream_count == 1) {
            s->host = d->host;
            s->waiting = d->waiting;
            s->other = d->other;
            continue;
        }
        PF_TRY(pf_gpu_stream_walk_begin(g, s, &g->scratch, &walk, err));
        while (pf_gpu_stream_walk_next(g, &walk, &gap, &before)) {
            s->host += gap.host;
            s->waiting += gap.waiting;
            s->other += gap.other;
        }
        /* Before the first and after the last interval the span holds operations without length only. */
        s->other += s->times.idle - (s->host + s->waiting + s->other);
        pf_arena_reset(&g->scratch);
    }
    return PF_OK;
}
