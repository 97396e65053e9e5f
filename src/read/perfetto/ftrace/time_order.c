/* read/perfetto/ftrace/time_order.c - the order in which queues are applied.
 *
 * All queues are sorted by time; where times are equal in one, as they came. Then, again and again, the queue whose
 * first time is least is taken (of equal ones that of the lowest number), and its entries are applied as long as none
 * of the other queues has an earlier one. So at equal times a queue that is in hand goes on.
 */
#include "base/list.h"
#include "read/perfetto/descriptors/descriptors.h"
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

/* ---- the tournament ---------------------------------------------------------------------------------------------- */

/* The first entry of a queue. */
typedef struct head {
    int64_t ts;
    uint64_t queue; /* its number */
} head;

#define NOBODY ((head){INT64_MAX, UINT64_MAX})

static inline bool is_before(head a, head b)
{
    return (a.ts < b.ts) | ((a.ts == b.ts) & (a.queue < b.queue));
}

/* Queues play in pairs, and the winners again, until one is left. Each game keeps who lost it; so once the queue that
 * won has another head, only the games on its way up are played again. */
typedef struct tournament {
    head *lost;      /* by game: that above game i is i / 2, the last one 1 */
    uint32_t places; /* a power of two; place p plays in game (places + p) / 2 first */
} tournament;

/* The head of the queue that won became `h`: who wins now. */
static inline head replay(const tournament *t, uint32_t place, head h)
{
    for (uint32_t game = (t->places + place) / 2; game > 0; game /= 2) {
        const head other = t->lost[game];
        bool loses = is_before(other, h);
        t->lost[game] = (head){loses ? h.ts : other.ts, loses ? h.queue : other.queue};
        h = (head){loses ? other.ts : h.ts, loses ? other.queue : h.queue};
    }
    return h;
}

/* The least time of all heads but the winner's: it beat the second in one of its games. */
static inline int64_t second_time(const tournament *t, uint32_t place)
{
    int64_t ts = INT64_MAX;
    for (uint32_t game = (t->places + place) / 2; game > 0; game /= 2) {
        ts = t->lost[game].ts < ts ? t->lost[game].ts : ts;
    }
    return ts;
}

/* All heads at their places; the winner. */
static head begin(const tournament *t, const pf_ftrace *f, head *winner)
{
    for (uint32_t i = 0; i < t->places; i++) { /* the lower half of `winner` is that of the games */
        bool plays = i < f->queues && f->queue[i].count;
        winner[t->places + i] = plays ? (head){time_at(&f->queue[i], 0), i} : NOBODY;
    }
    for (uint32_t game = t->places - 1; game > 0; game--) {
        head a = winner[2 * game], b = winner[2 * game + 1];
        bool first = is_before(a, b);
        winner[game] = first ? a : b;
        t->lost[game] = first ? b : a;
    }
    return winner[1];
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

static void apply_entry(pf_import *im, const pf_ftrace_queue *q, uint32_t i)
{
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
}

static void apply_all(pf_import *im, const tournament *t, head next)
{
    while (next.queue != NOBODY.queue && !pf_import_failed(im)) {
        uint32_t number = (uint32_t)next.queue;
        pf_ftrace_queue *q = &im->ftrace->queue[number];
        int64_t until = second_time(t, number);
        do {
            apply_entry(im, q, q->at++);
        } while (q->at < q->count && time_at(q, q->at) <= until && !pf_import_failed(im));
        next = replay(t, number, q->at < q->count ? (head){time_at(q, q->at), number} : NOBODY);
    }
}

static void merge(pf_import *im)
{
    tournament t = {.places = 2};
    while (t.places < im->ftrace->queues) {
        t.places *= 2;
    }
    const size_t bytes = (size_t)t.places * 3 * sizeof *t.lost;
    t.lost = pf_alloc(&im->t->budget, bytes);
    if (!t.lost) {
        pf_import_refuse(im, bytes);
        return;
    }
    apply_all(im, &t, begin(&t, im->ftrace, t.lost + t.places));
    pf_release(&im->t->budget, t.lost, bytes);
}

void pf_ftrace_apply(pf_import *im)
{
    pf_ftrace *f = im->ftrace;
    if (!f || pf_import_failed(im)) {
        return;
    }
    pf_lives_begin(im);
    pf_import_set_thread_name(im, 0, PF_STR("swapper"), PF_RANK_THREAD_CONSTANT);
    f->runnable = pf_import_word(im, "R");
    f->running = pf_import_word(im, "Running");
    pf_states_start(im);
    pf_ftrace_find_kernel(im);
    for (uint32_t i = 0; i < f->queues && !pf_import_failed(im); i++) {
        if (f->queue[i].unordered) {
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
