/* analyze/gpu/times/gpu_gaps.c - point 3: why a device was idle (docs/reference/gpu.md, "Idle time").
 *
 * An operation waits from the end of the call that launched it to its own start. The set of the times in which some
 * operation of the device waits divides every gap into kernel wait and a rest; the rest is host-bound where the
 * operation that ends the gap has a call, which then came too late, and other where nothing is known.
 */
#include <string.h>

#include "analyze/gpu/times/gpu_times.h"
#include "analyze/support/order_stats.h"
#include "analyze/support/pass_memory.h"

/* How many operations of the device wait for their start. */
static uint32_t count_waits(const gpu_facts *g, const gpu_device *d)
{
    uint32_t n = 0;
    for (uint32_t i = d->first_op; g->calls.count && i < d->first_op + d->op_count; i++) {
        uint32_t call = gpu_call_of(g, i);
        n += call != PF_NONE && g->calls.end[call] < g->ops.start[i];
    }
    return n;
}

/* Where operations of the device wait, in order of their starts. */
static void collect_waits(const gpu_facts *g, const gpu_device *d, pf_interval *list, uint32_t count)
{
    size_t n = 0;
    for (uint32_t i = d->first_op; n < count; i++) {
        uint32_t call = gpu_call_of(g, i);
        if (call != PF_NONE && g->calls.end[call] < g->ops.start[i]) {
            list[n++] = (pf_interval){g->calls.end[call], g->ops.start[i]};
        }
    }
}

static pf_status measure_queue(gpu_facts *g, gpu_device *d, const pf_interval *waits, size_t n, pf_error *err)
{
    int64_t *begins, *ends, *spare;
    pf_depth_step *steps;
    PF_TRY(PF_PASS_ARRAY(&g->scratch, n, begins, err));
    PF_TRY(PF_PASS_ARRAY(&g->scratch, n, ends, err));
    PF_TRY(PF_PASS_ARRAY(&g->scratch, n, spare, err));
    PF_TRY(PF_PASS_ARRAY(&g->scratch, 2 * n, steps, err));
    for (size_t i = 0; i < n; i++) {
        begins[i] = waits[i].start;
        ends[i] = waits[i].end;
    }
    pf_sort_times(begins, n, spare);
    pf_sort_times(ends, n, spare);
    d->queue_count = pf_interval_depth(begins, ends, n, steps);
    PF_TRY(PF_PASS_ARRAY(g->arena, d->queue_count, d->queue, err));
    memcpy(d->queue, steps, d->queue_count * sizeof *d->queue);
    return PF_OK;
}

/* Of the operations that start at the end of the gap one with a call, if there is one. *at: the first operation that
 * may start there; kept between gaps. */
static uint32_t find_after(const gpu_facts *g, const gpu_device *d, int64_t end, uint32_t *at)
{
    const gpu_ops *o = &g->ops;
    uint32_t last = d->first_op + d->op_count;
    while (*at < last && o->start[*at] < end) {
        (*at)++;
    }
    uint32_t found = *at;
    for (uint32_t i = *at; i < last && o->start[i] == end; i++) {
        if (o->end[i] > end && (gpu_call_of(g, found) == PF_NONE || o->end[found] <= end)) {
            found = i;
        }
    }
    return found;
}

gpu_gap pf_gpu_gap_at(const gpu_facts *g, const gpu_device *d, size_t gap)
{
    gpu_gap found = {.time = {d->busy.list[gap].end, d->busy.list[gap + 1].start}};
    uint32_t last = d->first_op + d->op_count;
    uint32_t at = d->after ? 0 : gpu_first_from(g->ops.start, d->first_op, last, found.time.end);
    found.after = d->after ? d->after[gap] : find_after(g, d, found.time.end, &at);
    bool known = gpu_call_of(g, found.after) != PF_NONE;
    found.waiting = d->waited ? d->waited[gap] : 0;
    uint64_t rest = pf_interval_length(found.time) - found.waiting;
    found.host = known ? rest : 0;
    found.other = known ? 0 : rest;
    return found;
}

/* The gaps lie between the intervals of the busy set. */
static pf_status find_gaps(gpu_facts *g, gpu_device *d, const pf_interval *waits, size_t n, pf_error *err)
{
    uint32_t next = d->first_op;
    size_t cursor = 0;
    d->gap_count = d->busy.count ? d->busy.count - 1 : 0;
    if (g->calls.count == 0) { /* nothing is known of any gap */
        d->other = d->times.idle;
        return PF_OK;
    }
    PF_TRY(PF_PASS_ARRAY(g->arena, d->gap_count, d->after, err));
    if (n) {
        PF_TRY(PF_PASS_ARRAY(g->arena, d->gap_count, d->waited, err));
    }
    for (size_t i = 0; i < d->gap_count; i++) {
        d->after[i] = find_after(g, d, d->busy.list[i + 1].start, &next);
        if (d->waited) {
            d->waited[i] = pf_interval_covered(waits, n, &cursor, d->busy.list[i].end, d->busy.list[i + 1].start);
        }
        const gpu_gap gap = pf_gpu_gap_at(g, d, i);
        d->host += gap.host;
        d->waiting += gap.waiting;
        d->other += gap.other;
    }
    /* Before the first and after the last interval the span holds operations without length only. */
    d->other += d->times.idle - (d->host + d->waiting + d->other);
    return PF_OK;
}

pf_status pf_gpu_find_gaps(gpu_facts *g, pf_error *err)
{
    for (gpu_device *d = g->devices; d < g->devices + g->device_count; d++) {
        uint32_t n = count_waits(g, d);
        pf_interval *waits, *spare;
        PF_TRY(PF_PASS_ARRAY(&g->scratch, n, waits, err));
        PF_TRY(PF_PASS_ARRAY(&g->scratch, n, spare, err));
        collect_waits(g, d, waits, n);
        PF_TRY(measure_queue(g, d, waits, n, err));
        PF_TRY(find_gaps(g, d, waits, pf_interval_set_make(waits, n, spare), err));
        pf_arena_reset(&g->scratch);
    }
    return PF_OK;
}
