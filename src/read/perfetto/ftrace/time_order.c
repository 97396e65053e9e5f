/* read/perfetto/ftrace/time_order.c - the order in which queues are applied.
 *
 * All queues are sorted by time; where times are equal in one, as they came. Then, again and again, the queue whose
 * first time is least is taken (of equal ones that of the lowest number), and its entries are applied as long as none
 * of the other queues has an earlier one. So at equal times a queue that is in hand goes on.
 */
#include "base/list.h"
#include "read/perfetto/ftrace/ftrace.h"
#include "read/perfetto/system/system.h"

static int64_t time_at(const pf_ftrace_queue *q, uint32_t i)
{
    int64_t ts;
    memcpy(&ts, (const char *)q->of.any + i * pf_queue_entry_size(q->kind), sizeof ts); /* each entry begins with it */
    return ts;
}

/* ---- sorting a queue --------------------------------------------------------------------------------------------- */

static bool is_after(const void *ctx, uint32_t a, uint32_t b)
{
    return time_at(ctx, a) > time_at(ctx, b);
}

static void sort_queue(pf_import *im, pf_ftrace_queue *q)
{
    pf_budget *budget = &im->t->budget;
    size_t size = pf_queue_entry_size(q->kind), count = q->count;
    uint32_t *order = pf_alloc(budget, 2 * count * sizeof *order);
    char *sorted = order ? pf_alloc(budget, count * size) : NULL;
    if (!sorted) {
        pf_import_refuse(im, count * size);
    } else {
        pf_order_rows(order, order + count, q->count, is_after, q);
        for (size_t i = 0; i < count; i++) {
            memcpy(sorted + i * size, (const char *)q->of.any + order[i] * size, size);
        }
        memcpy(q->of.any, sorted, count * size);
    }
    pf_release(budget, sorted, sorted ? count * size : 0);
    pf_release(budget, order, order ? 2 * count * sizeof *order : 0);
}

/* ---- the heap ---------------------------------------------------------------------------------------------------- */

/* A queue in the heap. */
typedef struct head {
    int64_t ts;
    uint32_t queue;
} head;

static bool is_before(head a, head b)
{
    return a.ts < b.ts || (a.ts == b.ts && a.queue < b.queue);
}

/* Puts `h` at place i or below it, so that no head is behind one of its two below. */
static void sift(head *heap, uint32_t count, uint32_t i, head h)
{
    for (;;) {
        uint32_t below = 2 * i + 1;
        if (below + 1 < count && is_before(heap[below + 1], heap[below])) {
            below++;
        }
        if (below >= count || !is_before(heap[below], h)) {
            break;
        }
        heap[i] = heap[below];
        i = below;
    }
    heap[i] = h;
}

/* The least time of all queues but the first. */
static int64_t next_time(const head *heap, uint32_t count)
{
    int64_t ts = count > 1 ? heap[1].ts : INT64_MAX;
    return count > 2 && heap[2].ts < ts ? heap[2].ts : ts;
}

/* ---- applying ---------------------------------------------------------------------------------------------------- */

static void apply_packet(pf_import *im, pf_turn turn)
{
    const pf_span span = im->span;
    const pf_moment at = {.ts = turn.ts, .when = PF_WHEN_KNOWN};
    if (turn.packet == PF_NONE) {
        return;
    }
    const pf_put_off *off = &im->ftrace->packet[turn.packet];
    pf_sequence *q = off->record.has & PF_HAS_SEQUENCE ? pf_sequence_find(&im->sequences, off->record.sequence) : NULL;
    im->span = (pf_span){.data = off->data.bytes, .offset = off->offset, .fixed = true, .stable = true};
    off->take(im, &(pf_packet){&off->record, off->data, q, &at});
    im->span = span;
}

/* Applies entries of a queue up to a time, at least one. */
static void apply_run(pf_import *im, pf_ftrace_queue *q, int64_t until)
{
    do {
        uint32_t i = q->at++;
        switch (q->kind) {
        case PF_QUEUE_EVENTS:
            pf_ftrace_apply_event(im, q, &q->of.event[i]);
            break;
        case PF_QUEUE_SWITCHES:
            pf_ftrace_compact_switch(im, q->cpu, &q->of.entry[i]);
            break;
        case PF_QUEUE_WAKINGS:
            pf_ftrace_compact_waking(im, q->cpu, &q->of.entry[i]);
            break;
        default:
            apply_packet(im, q->of.turn[i]);
        }
    } while (q->at < q->count && time_at(q, q->at) <= until && !pf_import_failed(im));
}

static void merge(pf_import *im, head *heap)
{
    pf_ftrace *f = im->ftrace;
    uint32_t count = 0;
    for (uint32_t i = 0; i < f->queues; i++) {
        if (f->queue[i].count) {
            heap[count++] = (head){time_at(&f->queue[i], 0), i};
        }
    }
    for (uint32_t i = count; i-- > 0;) {
        sift(heap, count, i, heap[i]);
    }
    while (count > 0 && !pf_import_failed(im)) {
        pf_ftrace_queue *q = &f->queue[heap[0].queue];
        apply_run(im, q, next_time(heap, count));
        if (q->at < q->count) {
            sift(heap, count, 0, (head){time_at(q, q->at), heap[0].queue});
        } else {
            count--;
            sift(heap, count, 0, heap[count]);
        }
    }
}

void pf_ftrace_apply(pf_import *im)
{
    pf_ftrace *f = im->ftrace;
    if (!f || pf_import_failed(im)) {
        return;
    }
    head *heap = pf_alloc(&im->t->budget, f->queues * sizeof *heap);
    if (!heap) {
        pf_import_refuse(im, f->queues * sizeof *heap);
        return;
    }
    pf_lives_begin(im);
    f->runnable = pf_import_word(im, "R");
    f->running = pf_import_word(im, "Running");
    pf_ftrace_find_kernel(im);
    for (uint32_t i = 0; i < f->queues && !pf_import_failed(im); i++) {
        if (f->queue[i].unordered) {
            sort_queue(im, &f->queue[i]);
        }
    }
    merge(im, heap);
    pf_system_settle_counters(im);
    if (f->covers) {
        pf_trace_cover(im->t, f->first_ts, f->last_ts);
    }
    for (uint32_t cpu = 0; cpu < PF_FTRACE_CPUS; cpu++) {
        if (f->cpu[cpu].seen) {
            (void)pf_system_cpu(im, cpu);
        }
    }
    pf_release(&im->t->budget, heap, f->queues * sizeof *heap);
}
