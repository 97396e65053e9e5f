/* read/perfetto/ftrace/time_order.c - all queues are applied, in the order of time.
 *
 * All queues are sorted by time; where times are equal in one, as they came. queue_order.c then says which queue is
 * next.
 */
#include "base/list.h"
#include "base/prefault.h"
#include "read/perfetto/descriptors/descriptors.h"
#include "read/perfetto/ftrace/ftrace.h"
#include "read/perfetto/system/system.h"

#define AHEAD 320u               /* bytes of a queue that are fetched before their turn */
#define SAID_AHEAD 6u            /* the same, of what events say */
#define GIVEN_LEAST (256u << 10) /* bytes */

/* ---- sorting a queue --------------------------------------------------------------------------------------------- */

static bool is_after(const void *ctx, uint32_t a, uint32_t b)
{
    return pf_queue_time(ctx, a) > pf_queue_time(ctx, b);
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

static void apply_next(pf_import *im, const pf_ftrace_queue *q, pf_queue_span *of)
{
    const void *next = of->next;
    of->next = (const char *)next + pf_queue_entry_size(q->kind);
    __builtin_prefetch((const char *)next + AHEAD);
    switch (q->kind) {
    case PF_QUEUE_EVENTS: {
        const pf_ftrace_event *e = next;
        __builtin_prefetch(of->said + SAID_AHEAD);
        pf_ftrace_apply_event(im, q->cpu, e, pf_event_is_sched(e->kind) ? of->said++ : NULL);
        break;
    }
    case PF_QUEUE_SWITCHES:
        pf_ftrace_compact_switch(im, q->cpu, next);
        break;
    case PF_QUEUE_WAKINGS:
        pf_ftrace_compact_waking(im, q->cpu, next);
        break;
    default:
        apply_packet(im, *(const pf_turn *)next);
    }
}

/* Entries that were applied take no memory any more. */
static void give_back(pf_import *im, pf_ftrace_queue *q)
{
    uint8_t *const all = q->of.any;
    size_t end = q->at * pf_queue_entry_size(q->kind);
    if (end - q->given >= GIVEN_LEAST) {
        size_t given = pf_untouch(all + q->given, end - q->given);
        pf_budget_release(&im->t->budget, given);
        q->returned += given;
        q->given = end;
    }
}

static void merge(pf_import *im)
{
    pf_ftrace *f = im->ftrace;
    pf_order *m = pf_order_start(im);
    const pf_turns *turns = m ? pf_order_next(m) : NULL;
    for (; turns && turns->count > 0 && !pf_import_failed(im); turns = pf_order_next(m)) {
        for (uint32_t i = 0; i < f->queues; i++) {
            f->queue[i].at += f->queue[i].parts ? 0 : turns->of[i].count;
        }
        for (uint32_t i = 0; i < turns->count && !pf_import_failed(im); i++) {
            apply_next(im, &f->queue[turns->queue[i]], &turns->of[turns->queue[i]]);
        }
        for (uint32_t i = 0; i < f->queues; i++) {
            give_back(im, &f->queue[i]);
        }
    }
    if (!turns && !pf_import_failed(im)) {
        pf_import_refuse(im, 1u << 16);
    }
    pf_order_stop(m);
}

void pf_ftrace_apply(pf_import *im)
{
    pf_ftrace *f = im->ftrace;
    if (!f || pf_import_failed(im)) {
        return;
    }
    pf_lives_begin(im);
    pf_ftrace_note_events(im);
    pf_import_set_thread_name(im, im->machine.idle_utid, PF_STR("swapper"), PF_RANK_THREAD_CONSTANT);
    f->runnable = pf_import_word(im, "R");
    f->running = pf_import_word(im, "Running");
    pf_states_start(im);
    pf_ftrace_find_kernel(im);
    for (uint32_t i = 0; i < f->queues && !pf_import_failed(im); i++) {
        if (f->queue[i].unordered && (f->queue[i].parts == 0 || pf_parts_expand(im, &f->queue[i]))) {
            sort_queue(im, &f->queue[i]);
        }
    }
    merge(im);
    pf_system_settle_counters(im);
    pf_ftrace_cover_generic(im);
    if (f->covers) {
        pf_trace_cover(im->t, f->first_ts, f->last_ts);
    }
    for (uint32_t cpu = 0; cpu < PF_FTRACE_CPUS; cpu++) {
        if (f->cpu[cpu].seen) {
            (void)pf_system_cpu(im, cpu);
        }
    }
}
