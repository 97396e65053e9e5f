/* analyze/aiu/steps/aiu_overlaps.c - slices of a thread that overlap in part, which no viewer can draw.
 *
 * Slices of a thread are walked by time, longer ones first. The ends of those that are open are kept on a stack of
 * times; a slice conflicts with an end that lies inside of it. What becomes of it says -O: it moves to the next of the
 * streams of its thread, where it is tested again; it goes; it becomes two asynchronous events; it stays, with a line
 * in the log; it begins a little later, if the overlap is no more than a rounding.
 *
 * A thread has as many streams as --max_tid_streams says: numbers after its own that no thread or stream of the process
 * has yet. Threads get theirs in order of appearance.
 */

#include "analyze/aiu/steps/aiu_steps.h"

aiu_lane *pf_aiu_lane(aiu_lanes *l, int64_t pid, int64_t tid)
{
    uint32_t at = pf_aiu_pair(l->run, &l->threads, (uint64_t)pid, (uint64_t)tid);
    aiu_lane *lane = at == l->count ? pf_aiu_alloc(l->run, 1, sizeof *lane) : NULL;
    if (AIU_ROOM(l->run, l->list, at + 1, l->room) == PF_OK && lane) {
        *lane = (aiu_lane){.pid = pid, .tid = tid, .next = AIU_ID_NONE};
        l->list[l->count++] = lane;
    }
    return pf_aiu_failed(l->run) ? NULL : l->list[at];
}

/* The number after a thread's; AIU_ID_NONE where it is none. Numbers beyond an int64 are texts. */
static int64_t number_after(aiu_run *run, int64_t tid)
{
    if (pf_aiu_is_number(tid)) {
        return tid + 1;
    }
    uint64_t v = 0;
    pf_str text = tid > 0 && tid & AIU_ID_NUMBER ? pf_aiu_text_of(run, (uint32_t)tid) : (pf_str){NULL, 0};
    bool number = text.len;
    for (size_t i = 0; i < text.len && number; i++) {
        number = pf_is_digit(text.ptr[i]) && !__builtin_mul_overflow(v, 10, &v) &&
                 !__builtin_add_overflow(v, text.ptr[i] - '0', &v);
    }
    if (!number || v == UINT64_MAX) {
        return AIU_ID_NONE;
    }
    pf_str next = pf_findings_format(run->findings, "%llu", (unsigned long long)v + 1);
    return AIU_ID_TEXT | AIU_ID_NUMBER | (int64_t)pf_aiu_text(run, next);
}

/* Threads, then a chain of streams from each on. */
pf_status pf_aiu_lanes_init(aiu_lanes *l, aiu_run *run)
{
    *l = (aiu_lanes){.run = run, .threads = pf_aiu_scratch_pairs(run)};
    for (uint32_t i = 0, e; pf_aiu_next(run, pf_aiu_is_any_slice, &i, &e);) {
        pf_aiu_lane(l, run->events.pid[e], run->events.tid[e]);
    }
    uint32_t threads = run->set.overlap == AIU_OVERLAP_TID ? l->count : 0;
    for (uint32_t i = 0; i < threads; i++) {
        aiu_lane *lane = l->list[i];
        int64_t tid = lane->tid, made = 0;
        while (lane && made < run->set.streams && (tid = number_after(run, tid)) != AIU_ID_NONE) {
            if (pf_aiu_known_pair(&l->threads, (uint64_t)lane->pid, (uint64_t)tid) == PF_NONE) {
                lane->next = tid;
                lane = pf_aiu_lane(l, lane->pid, tid);
                made++;
            }
        }
    }
    return run->error.code;
}

void pf_aiu_lane_close(aiu_lane *lane, double ts)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < lane->count; i++) {
        lane->ends[kept] = lane->ends[i];
        kept += lane->ends[i] >= ts;
    }
    lane->count = kept;
}

bool pf_aiu_lane_conflicts(const aiu_lane *lane, double ts, double end)
{
    bool conflicts = false;
    for (uint32_t i = 0; i < lane->count && !conflicts; i++) {
        conflicts = lane->ends[i] > ts && lane->ends[i] < end;
    }
    return conflicts;
}

pf_status pf_aiu_lane_open(aiu_lanes *l, aiu_lane *lane, double end)
{
    PF_TRY(AIU_ROOM(l->run, lane->ends, lane->count + 1, lane->room));
    lane->ends[lane->count++] = end;
    return PF_OK;
}

/* Ends are compared as acelyzer prints them. */
static double rounded_end(const aiu_run *run, uint32_t e)
{
    return rint((run->events.ts[e] + run->events.dur[e]) * 1e4) / 1e4;
}

typedef struct resolving {
    aiu_run *run;
    aiu_lanes lanes;
    uint64_t conflicts;
    bool exhausted; /* a chain of streams came to its end; said once */
    uint32_t next_id;
} resolving;

/* Whether the overlap was little enough: what was not resolved does not count against those after it. */
static bool shift(aiu_run *run, const aiu_lane *lane, uint32_t e)
{
    aiu_events *v = &run->events;
    double most = 0, end = rounded_end(run, e);
    for (uint32_t i = 0; i < lane->count; i++) {
        double over = lane->ends[i] - v->ts[e];
        most = lane->ends[i] <= end && over > most ? over : most;
    }
    if (most >= 0.005) {
        pf_aiu_log(run, "WARNING",
                   "Detected overlap of %.*s exceeds the threshold/limit 0.005 us. Overlap of %s us: increase "
                   "threshold or use different overlap res option.",
                   PF_TEXT_ARG(pf_aiu_text_of(run, v->name[e])), pf_aiu_num(run, most));
        return false;
    }
    pf_aiu_add_real(run, e, PF_STR("orig_ts"), v->ts[e] + run->origin);
    pf_aiu_add_real(run, e, PF_STR("orig_dur"), v->dur[e]);
    double by = pf_aiu_round(most + 0.0015, 3);
    v->ts[e] += by;
    v->dur[e] -= by;
    return true;
}

/* "b" at its begin, "e" at its end, joined by a number. */
static void make_async(resolving *r, uint32_t e)
{
    aiu_events *v = &r->run->events;
    uint32_t end = pf_aiu_add_event_like(r->run, 'e', e);
    if (end != PF_NONE) {
        v->phase[e] = 'b';
        v->row[end] = PF_NONE;
        v->ts[end] = v->ts[e] + v->dur[e];
        v->flags[end] = v->flags[e] & (AIU_TORCH | AIU_SHOW_JOB | AIU_SHOW_RANK);
        v->dur[e] = v->dur[end] = 0;
        pf_aiu_map(r->run, r->run->async_ids, e, r->next_id);
        pf_aiu_map(r->run, r->run->async_ids, end, r->next_id++);
    }
}

/* The slice moves along the streams of its thread until it fits: to the stream after a thread, else to the number after
 * it. NULL: the run failed. */
static aiu_lane *move(resolving *r, uint32_t e, aiu_lane *lane)
{
    aiu_run *run = r->run;
    aiu_events *v = &run->events;
    double end = rounded_end(run, e);
    for (bool first = true; lane && pf_aiu_lane_conflicts(lane, v->ts[e], end); first = false) {
        bool there = lane->next != AIU_ID_NONE;
        int64_t after = there ? lane->next : number_after(run, lane->tid);
        v->tid[e] = after == AIU_ID_NONE ? 1 : after;
        r->conflicts += !first;
        if (!there && run->set.streams >= 0 && !r->exhausted) {
            r->exhausted = true;
            pf_aiu_log(run, "ERROR",
                       "POD: insufficient dynamic range for tid-based overlap resolution (%lld) of job: %.*s. Increase "
                       "max_tid_space.",
                       (long long)run->set.streams, PF_TEXT_ARG(run->jobs[v->job[e]].name));
        }
        lane = pf_aiu_lane(&r->lanes, v->pid[e], v->tid[e]);
        if (lane) {
            pf_aiu_lane_close(lane, v->ts[e]);
        }
    }
    return lane;
}

/* Where a slice stays that conflicts with others; NULL: nowhere that counts against those after it. */
static aiu_lane *resolve(resolving *r, uint32_t e, aiu_lane *lane)
{
    aiu_run *run = r->run;
    r->conflicts++;
    switch (run->set.overlap) {
    case AIU_OVERLAP_TID:
        return move(r, e, lane);
    case AIU_OVERLAP_DROP:
        pf_aiu_log(run, "WARNING", "Solving overlap conflict by dropping: %s", pf_aiu_event_text(run, e));
        run->events.flags[e] |= AIU_DROPPED;
        return NULL;
    case AIU_OVERLAP_ASYNC:
        make_async(r, e);
        return NULL;
    case AIU_OVERLAP_WARN:
        pf_aiu_log(run, "WARNING", "Detected overlap conflict:  %.*s",
                   PF_TEXT_ARG(pf_aiu_text_of(run, run->events.name[e])));
        return NULL;
    case AIU_OVERLAP_SHIFT:
        return shift(run, lane, e) ? lane : NULL;
    }
    return NULL;
}

void pf_aiu_resolve_overlaps(aiu_run *run)
{
    aiu_events *v = &run->events;
    resolving r = {.run = run};
    pf_aiu_lanes_init(&r.lanes, run);
    for (uint32_t i = 0, count = run->alive; i < count; i++) {
        uint32_t e = run->order[i];
        aiu_lane *lane = pf_aiu_is_slice(run, e) ? pf_aiu_lane(&r.lanes, v->pid[e], v->tid[e]) : NULL;
        if (lane) {
            pf_aiu_lane_close(lane, v->ts[e]);
            lane = pf_aiu_lane_conflicts(lane, v->ts[e], rounded_end(run, e)) ? resolve(&r, e, lane) : lane;
        }
        if (lane) {
            pf_aiu_lane_open(&r.lanes, lane, rounded_end(run, e));
        }
    }
    pf_aiu_compact(run);
    run->overlaps = r.conflicts;
    if (!pf_aiu_rule(run, AIU_REVERSED)) {
        pf_aiu_sort_global(run);
    }
}
