/* analyze/gpu/times/gpu_gaps.c - point 3: why a device was idle (docs/reference/gpu.md, "Idle time").
 *
 * An operation waits from the end of the call that launched it to its own start. The set of the times in which some
 * operation of the device waits divides every gap into kernel wait and a rest; the rest is host-bound where the
 * operation that ends the gap has a call, which then came too late, and other where nothing is known.
 */
#include <string.h>

#include "analyze/gpu/gpu.h"
#include "analyze/support/order_stats.h"
#include "analyze/support/pass_memory.h"

typedef struct gap_room {
    pf_interval *waits, *scratch;
    int64_t *begins, *ends, *spare;
    pf_depth_step *steps;
} gap_room;

static pf_status make_room(pf_arena *arena, uint32_t most, gap_room *r, pf_error *err)
{
    r->waits = pf_pass_array(arena, most, sizeof *r->waits, err);
    r->scratch = r->waits ? pf_pass_array(arena, most, sizeof *r->scratch, err) : NULL;
    r->begins = r->scratch ? pf_pass_array(arena, most, sizeof *r->begins, err) : NULL;
    r->ends = r->begins ? pf_pass_array(arena, most, sizeof *r->ends, err) : NULL;
    r->spare = r->ends ? pf_pass_array(arena, most, sizeof *r->spare, err) : NULL;
    r->steps = r->spare ? pf_pass_array(arena, 2 * (size_t)most, sizeof *r->steps, err) : NULL;
    return r->steps ? PF_OK : err->code;
}

/* Where operations of the device wait, in order of their starts. */
static size_t collect_waits(const gpu_facts *g, const gpu_device *d, pf_interval *list)
{
    size_t n = 0;
    for (uint32_t i = d->first_op; i < d->first_op + d->op_count; i++) {
        uint32_t call = g->ops.call[i];
        if (call != PF_NONE && g->calls.end[call] < g->ops.start[i]) {
            list[n++] = (pf_interval){g->calls.end[call], g->ops.start[i]};
        }
    }
    return n;
}

static pf_status measure_queue(gpu_facts *g, gpu_device *d, const gap_room *r, size_t waits, pf_error *err)
{
    for (size_t i = 0; i < waits; i++) {
        r->begins[i] = r->waits[i].start;
        r->ends[i] = r->waits[i].end;
    }
    pf_sort_times(r->begins, waits, r->spare);
    pf_sort_times(r->ends, waits, r->spare);
    d->queue_count = pf_interval_depth(r->begins, r->ends, waits, r->steps);
    d->queue = pf_pass_array(g->arena, d->queue_count, sizeof *d->queue, err);
    if (!d->queue) {
        return err->code;
    }
    memcpy(d->queue, r->steps, d->queue_count * sizeof *d->queue);
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
        if (o->end[i] > end && (o->call[found] == PF_NONE || o->end[found] <= end)) {
            found = i;
        }
    }
    return found;
}

static void cut_gap(const gpu_facts *g, gpu_device *d, const pf_interval *waits, size_t n, size_t *cursor, gpu_gap *gap)
{
    uint64_t length = pf_interval_length(gap->time);
    gap->waiting = pf_interval_covered(waits, n, cursor, gap->time.start, gap->time.end);
    bool known = g->ops.call[gap->after] != PF_NONE;
    gap->host = known ? length - gap->waiting : 0;
    gap->other = known ? 0 : length - gap->waiting;
    d->host += gap->host;
    d->waiting += gap->waiting;
    d->other += gap->other;
}

/* The gaps lie between the intervals of the busy set. The operation before is the last one, in order of starts, that
 * ends where the gap begins. */
static pf_status find_gaps(gpu_facts *g, gpu_device *d, const pf_interval *waits, size_t n, pf_error *err)
{
    uint32_t next = d->first_op, ended = d->first_op;
    size_t cursor = 0;
    d->gap_count = d->busy.count ? d->busy.count - 1 : 0;
    d->gaps = pf_pass_array(g->arena, d->gap_count, sizeof *d->gaps, err);
    if (!d->gaps) {
        return err->code;
    }
    for (size_t i = 0; i < d->gap_count; i++) {
        gpu_gap *gap = &d->gaps[i];
        *gap = (gpu_gap){.time = {d->busy.list[i].end, d->busy.list[i + 1].start}, .before = PF_NONE};
        gap->after = find_after(g, d, gap->time.end, &next);
        for (; ended < next; ended++) {
            gap->before = g->ops.end[ended] == gap->time.start ? ended : gap->before;
        }
        cut_gap(g, d, waits, n, &cursor, gap);
    }
    /* Before the first and after the last interval the span holds operations without length only. */
    d->other += d->times.idle - (d->host + d->waiting + d->other);
    return PF_OK;
}

pf_status pf_gpu_find_gaps(gpu_facts *g, pf_error *err)
{
    pf_arena scratch;
    gap_room room;
    uint32_t most = 0;
    for (uint32_t i = 0; i < g->device_count; i++) {
        most = g->devices[i].op_count > most ? g->devices[i].op_count : most;
    }
    pf_arena_init(&scratch, g->arena->budget);
    pf_status st = make_room(&scratch, most, &room, err);
    for (uint32_t i = 0; i < g->device_count && st == PF_OK; i++) {
        gpu_device *d = &g->devices[i];
        size_t waits = collect_waits(g, d, room.waits);
        st = measure_queue(g, d, &room, waits, err);
        waits = pf_interval_set_make(room.waits, waits, room.scratch);
        st = st == PF_OK ? find_gaps(g, d, room.waits, waits, err) : st;
    }
    pf_arena_free(&scratch);
    return st;
}
