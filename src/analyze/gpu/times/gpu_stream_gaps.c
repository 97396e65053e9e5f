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

/* Whether the call of an operation is known that starts where the i-th one does, and takes time. */
static bool is_called(const gpu_facts *g, const gpu_stream *s, uint32_t i)
{
    int64_t start = g->ops.start[gpu_op_by_stream(g, i)];
    for (; i < s->first + s->count && g->ops.start[gpu_op_by_stream(g, i)] == start; i++) {
        uint32_t op = gpu_op_by_stream(g, i);
        if (g->ops.end[op] > start && gpu_call_of(g, op) != PF_NONE) {
            return true;
        }
    }
    return false;
}

static void find_causes(const gpu_facts *g, gpu_stream *s, const pf_interval *waits, size_t n)
{
    bool begun = false;
    int64_t until = 0;
    size_t cursor = 0;
    for (uint32_t i = s->first; i < s->first + s->count; i++) {
        uint32_t op = gpu_op_by_stream(g, i);
        int64_t start = g->ops.start[op], end = g->ops.end[op];
        if (end <= start) {
            continue;
        }
        if (begun && start > until) {
            uint64_t waiting = pf_interval_covered(waits, n, &cursor, until, start);
            uint64_t rest = (uint64_t)start - (uint64_t)until - waiting;
            s->waiting += waiting;
            *(is_called(g, s, i) ? &s->host : &s->other) += rest;
        }
        until = !begun || end > until ? end : until;
        begun = true;
    }
    /* Before the first and after the last interval the span holds operations without length only. */
    s->other += s->times.idle - (s->host + s->waiting + s->other);
}

pf_status pf_gpu_find_stream_gaps(gpu_facts *g, pf_error *err)
{
    for (gpu_stream *s = g->streams; s < g->streams + g->stream_count; s++) {
        const gpu_device *d = &g->devices[s->device];
        pf_interval *waits, *spare;
        if (d->stream_count == 1) {
            s->host = d->host;
            s->waiting = d->waiting;
            s->other = d->other;
            continue;
        }
        PF_TRY(PF_PASS_ARRAY(&g->scratch, s->count, waits, err));
        PF_TRY(PF_PASS_ARRAY(&g->scratch, s->count, spare, err));
        find_causes(g, s, waits, collect_waits(g, s, waits, spare));
        pf_arena_reset(&g->scratch);
    }
    return PF_OK;
}
