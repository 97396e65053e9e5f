/* analyze/scheduler/thread_windows.c - the rows of the scheduler by thread and by cpu, and windows of a thread.
 *
 * Rows of one thread do not overlap and are in order of time, so that the first one of a window is found by halving.
 * Chains of wakers go back: the row in which the thread was ready names the running row of its waker; of the rows
 * before that one the last in which the waker itself was woken names the next one.
 */

#include "analyze/scheduler/thread_windows.h"
#include "analyze/support/pass_memory.h"
#include "base/map.h"
#include "base/str.h"
#include "model/trace/trace.h"

static inline uint32_t row_at(const pf_schedule *h, uint32_t place)
{
    return h->by_thread.order[place];
}

/* Until when a row lasts. Without an end: for ever if it is the last one of its thread or cpu, else that is lost. */
static int64_t end_of(int64_t ts, int64_t dur, bool last)
{
    int64_t end;
    return dur < 0 ? (last ? INT64_MAX : ts) : __builtin_add_overflow(ts, dur, &end) ? INT64_MAX : end;
}

/* What is stopped waits inside the kernel, too. */
static pf_task_kind kind_at(const pf_schedule *h, uint32_t place)
{
    pf_task_kind kind = pf_task_kind_of(h->t, &h->states, row_at(h, place));
    return kind == PF_TASK_STOPPED ? PF_TASK_BLOCKED : kind;
}

/* Cpus that are told apart: rows of others are left out, as are those of no thread. */
enum { MOST_CPUS = 65536 };

static pf_status order_rows(pf_arena *arena, const uint32_t *of, uint32_t count, uint32_t groups, pf_row_order *out,
                            pf_error *err)
{
    out->of = groups;
    PF_TRY(PF_PASS_ARRAY(arena, count, out->order, err));
    PF_TRY(PF_ARENA_NEW(arena, out->first, (size_t)groups + 2, err));
    for (uint32_t i = 0; i < count; i++) {
        if (of[i] < groups) {
            out->first[of[i] + 2]++;
        }
    }
    for (uint32_t k = 2; k < groups + 2; k++) {
        out->first[k] += out->first[k - 1];
    }
    for (uint32_t i = 0; i < count; i++) {
        if (of[i] < groups) {
            out->order[out->first[of[i] + 1]++] = i;
        }
    }
    return PF_OK;
}

static bool loses_events(const pf_trace *t)
{
    bool lost = false;
    for (size_t i = 0; i < pf_trace_stat_count(t); i++) {
        pf_stat s = pf_trace_stat(t, i);
        pf_str name = pf_str_of(s.name);
        bool of_scheduler = pf_str_starts(name, PF_STR("ftrace_")) || pf_str_is(name, "mismatched_sched_switch_tids");
        lost |= s.count > 0 && s.loss && of_scheduler;
    }
    return lost;
}

static void note_places(pf_schedule *h)
{
    uint32_t thread = PF_NONE, cpu = PF_NONE;
    for (uint32_t i = 0; i < h->by_thread.first[h->by_thread.of]; i++) {
        uint32_t row = row_at(h, i);
        cpu = h->states.utid[row] == thread ? cpu : PF_NONE;
        thread = h->states.utid[row];
        h->place[row] = i;
        h->cpu[i] = cpu;
        cpu = kind_at(h, i) == PF_TASK_RUNNING ? h->states.ucpu[row] : cpu;
    }
}

pf_status pf_schedule_read(const pf_trace *t, pf_findings *f, pf_arena *arena, pf_schedule *h, pf_error *err)
{
    uint32_t threads = pf_trace_threads(t)->count, cpus = 0;
    *h = (pf_schedule){.t = t, .f = f};
    PF_TRY(pf_scheduler_read(t, &h->runs, &h->states, err));
    if (h->states.count == 0) {
        return PF_OK;
    }
    for (uint32_t i = 0; i < h->runs.count; i++) {
        uint32_t cpu = h->runs.ucpu[i];
        cpus = cpu >= cpus && cpu < MOST_CPUS ? cpu + 1 : cpus;
    }
    h->lost = loses_events(t);
    PF_TRY(order_rows(arena, h->runs.ucpu, h->runs.count, cpus, &h->by_cpu, err));
    PF_TRY(order_rows(arena, h->states.utid, h->states.count, threads, &h->by_thread, err));
    PF_TRY(PF_ARENA_NEW(arena, h->taken, threads, err));
    PF_TRY(PF_PASS_ARRAY(arena, h->states.count, h->place, err));
    PF_TRY(PF_PASS_ARRAY(arena, h->states.count, h->cpu, err));
    note_places(h);
    pf_cpu_tracks tracks;
    PF_TRY(pf_cpu_tracks_read(t, arena, &tracks, err));
    return pf_interrupts_read(t, &tracks, arena, &h->interrupts, err);
}

pf_status pf_schedule_same_tids(const pf_schedule *h, pf_arena *arena, uint32_t **same, pf_error *err)
{
    const int64_t *tid = pf_trace_threads(h->t)->tid;
    const uint32_t *first = h->by_thread.first, threads = h->by_thread.of;
    pf_map of_tid;
    PF_TRY(PF_PASS_ARRAY(arena, threads, *same, err));
    pf_map_init(&of_tid, arena->budget);
    pf_status st = PF_OK;
    for (uint32_t i = threads; i-- > 0 && st == PF_OK;) {
        st = first[i] < first[i + 1] ? pf_map_put(&of_tid, (uint64_t)tid[i], i, err) : PF_OK;
    }
    for (uint32_t i = 0; i < threads && st == PF_OK; i++) {
        uint32_t other = first[i] < first[i + 1] ? i : pf_map_get(&of_tid, (uint64_t)tid[i]);
        (*same)[i] = other == PF_NONE ? i : other;
    }
    pf_map_free(&of_tid);
    return st;
}

/* The last of the rows of a thread or cpu that began by then, the first one where none did. */
static uint32_t last_by(const pf_row_order *o, uint32_t of, const int64_t *ts, int64_t at)
{
    uint32_t low = o->first[of], high = o->first[of + 1];
    while (high > low + 1) {
        uint32_t middle = low + (high - low) / 2;
        *(ts[o->order[middle]] <= at ? &low : &high) = middle;
    }
    return low;
}

pf_thread_walk pf_schedule_walk(const pf_schedule *h, uint32_t thread, pf_interval window)
{
    const pf_row_order *o = &h->by_thread;
    return (pf_thread_walk){h, window, last_by(o, thread, h->states.ts, window.start), o->first[thread + 1]};
}

bool pf_schedule_next(pf_thread_walk *w, pf_thread_part *out)
{
    const pf_task_states *s = &w->h->states;
    int64_t start = INT64_MAX, end = INT64_MAX;
    if (w->left.start >= w->left.end) {
        return false;
    }
    for (; w->next < w->end; w->next++) {
        uint32_t row = row_at(w->h, w->next);
        start = s->ts[row];
        end = end_of(start, s->dur[row], w->next + 1 == w->end);
        if (end > w->left.start && end > start) {
            break;
        }
    }
    bool here = w->next < w->end && start <= w->left.start;
    int64_t until = w->next == w->end ? w->left.end : here ? end : start;
    until = until < w->left.end ? until : w->left.end;
    *out = (pf_thread_part){
        {w->left.start, until}, here ? w->next : PF_NONE, here ? kind_at(w->h, w->next) : PF_TASK_UNKNOWN};
    w->left.start = until;
    w->next += here;
    return true;
}

/* Who had a cpu longest. */
typedef struct taker {
    uint32_t thread;
    uint64_t time;
} taker;

/* Adds what other threads ran on the cpu of a part to h->taken; without `best` takes it out again. */
static void add_takers(const pf_schedule *h, const pf_thread_part *part, taker *best)
{
    const pf_row_order *o = &h->by_cpu;
    uint32_t cpu = h->cpu[part->place], own = h->states.utid[row_at(h, part->place)];
    uint32_t end = cpu < o->of ? o->first[cpu + 1] : 0;
    for (uint32_t i = end ? last_by(o, cpu, h->runs.ts, part->time.start) : 0; i < end; i++) {
        uint32_t row = o->order[i], thread = h->runs.utid[row];
        int64_t from = h->runs.ts[row], to = end_of(from, h->runs.dur[row], i + 1 == end);
        if (from >= part->time.end) {
            break;
        }
        from = from > part->time.start ? from : part->time.start;
        to = to < part->time.end ? to : part->time.end;
        if (from >= to || thread == own || pf_trace_threads(h->t)->tid[thread] == 0) {
            continue;
        }
        uint64_t sum = h->taken[thread] = best ? h->taken[thread] + ((uint64_t)to - (uint64_t)from) : 0;
        if (best && (sum > best->time || (sum == best->time && thread < best->thread))) {
            *best = (taker){thread, sum};
        }
    }
}

static bool is_ready(pf_task_kind kind)
{
    return kind == PF_TASK_READY || kind == PF_TASK_PREEMPTED;
}

uint32_t pf_schedule_taker(const pf_schedule *h, const pf_thread_part *part, uint64_t *taken)
{
    taker best = {PF_NONE, 0};
    if (is_ready(part->kind)) {
        add_takers(h, part, &best);
        add_takers(h, part, NULL);
    }
    *taken = best.time;
    return best.thread;
}

/* How long the cpu of a part served interrupts: the one on which its thread ran, or ran before. */
static uint64_t interrupted(const pf_schedule *h, const pf_thread_part *part)
{
    uint32_t cpu = part->kind == PF_TASK_RUNNING ? h->states.ucpu[row_at(h, part->place)]
                   : is_ready(part->kind)        ? h->cpu[part->place]
                                                 : PF_NONE;
    return pf_interrupts_within(&h->interrupts, cpu, part->time);
}

/* The place before `place` at which its thread was woken last, not before `since`; PF_NONE without one. */
static uint32_t woken_before(const pf_schedule *h, uint32_t place, int64_t since)
{
    uint32_t first = h->by_thread.first[h->states.utid[row_at(h, place)]];
    while (place-- > first && h->states.ts[row_at(h, place)] >= since) {
        if (kind_at(h, place) == PF_TASK_READY) {
            return place;
        }
    }
    return PF_NONE;
}

static uint64_t length_at(const pf_schedule *h, uint32_t place)
{
    int64_t dur = h->states.dur[row_at(h, place)];
    return dur > 0 ? (uint64_t)dur : 0;
}

/* How long the thread of a place was asleep or blocked directly before it. */
static uint64_t waited_before(const pf_schedule *h, uint32_t place)
{
    bool any = place > h->by_thread.first[h->states.utid[row_at(h, place)]];
    pf_task_kind kind = any ? kind_at(h, place - 1) : PF_TASK_UNKNOWN;
    return kind == PF_TASK_SLEEPING || kind == PF_TASK_BLOCKED ? length_at(h, place - 1) : 0;
}

/* The chain that ended with the row at a place, in which a thread was ready. */
static void follow_wakers(const pf_schedule *h, uint32_t place, int64_t since, pf_thread_window *out)
{
    const pf_task_states *s = &h->states;
    while (place != PF_NONE && out->hops < PF_THREAD_HOPS) {
        uint32_t row = row_at(h, place), by = s->waker_id[row];
        pf_thread_hop *hop = &out->hop[out->hops++];
        *hop = (pf_thread_hop){.thread = s->waker[row], .irq = s->irq[row], .at = s->ts[row]};
        bool ends = hop->irq == 1 || by >= s->count || s->utid[by] != hop->thread;
        place = ends ? PF_NONE : woken_before(h, h->place[by], since);
        if (place != PF_NONE) {
            hop->woken = true;
            hop->runnable = length_at(h, place);
            hop->blocked = waited_before(h, place);
        }
    }
}

static void keep_longer(pf_thread_part *longest, const pf_thread_part *part)
{
    if (pf_interval_length(part->time) > pf_interval_length(longest->time)) {
        *longest = *part;
    }
}

void pf_schedule_look(const pf_schedule *h, uint32_t thread, pf_interval window, pf_thread_window *out)
{
    taker best = {PF_NONE, 0};
    pf_thread_part part, wait = {.place = PF_NONE};
    *out = (pf_thread_window){.running = {.place = PF_NONE}};
    for (pf_thread_walk w = pf_schedule_walk(h, thread, window); pf_schedule_next(&w, &part);) {
        out->time[part.kind] += pf_interval_length(part.time);
        out->interrupts += interrupted(h, &part);
        if (part.kind == PF_TASK_RUNNING) {
            keep_longer(&out->running, &part);
        } else if (part.kind == PF_TASK_SLEEPING || part.kind == PF_TASK_BLOCKED) {
            keep_longer(&wait, &part);
        } else if (is_ready(part.kind)) {
            add_takers(h, &part, &best);
        }
    }
    for (pf_thread_walk w = pf_schedule_walk(h, thread, window); pf_schedule_next(&w, &part);) {
        if (is_ready(part.kind)) {
            add_takers(h, &part, NULL);
        }
    }
    out->taken_by = best.thread;
    out->taken = best.time;
    for (unsigned k = 1; k < PF_TASK_KINDS; k++) {
        out->verdict = out->time[k] > out->time[out->verdict] ? (pf_task_kind)k : out->verdict;
    }
    if (wait.place != PF_NONE) {
        uint32_t next = wait.place + 1;
        out->function = h->states.function[row_at(h, wait.place)];
        bool woken = next < h->by_thread.first[thread + 1] && kind_at(h, next) == PF_TASK_READY;
        follow_wakers(h, woken ? next : PF_NONE, window.start, out);
    }
}
