/* analyze/aiu/steps/aiu_overlaps.c - slices of a thread that overlap in part, which no viewer can draw.
 *
 * Slices of a thread are walked by time, longer ones first. The ends of those that are open are kept on a stack of
 * times; a slice conflicts with an end that lies inside of it. What becomes of it says -O: it moves to the next of the
 * streams of its thread, where it is tested again; it goes; it becomes two asynchronous events; it stays, with a line
 * in the log; it begins a little later, if the overlap is no more than a rounding.
 */
#include <math.h>

#include "analyze/aiu/steps/aiu_steps.h"

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
    int64_t next_id;
} resolving;

/* ---- what becomes of a slice ------------------------------------------------------------------------------------- */

static void warn(aiu_run *run, const char *what, pf_str slice)
{
    pf_aiu_log(run, "WARNING", "%s%.*s", what, PF_TEXT_ARG(slice));
}

static void drop(aiu_run *run, uint32_t e)
{
    warn(run, "Solving overlap conflict by dropping: ", pf_aiu_event_text(run, e));
    run->events.flags[e] |= AIU_DROPPED;
}

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
        pf_str name = pf_aiu_text_of(run, v->name[e]);
        pf_aiu_log(run, "WARNING",
                   "Detected overlap of %.*s exceeds the threshold/limit 0.005 us. Overlap of %s us: increase "
                   "threshold or use different overlap res option.",
                   PF_TEXT_ARG(name), pf_aiu_num(run, most));
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
    aiu_run *run = r->run;
    aiu_events *v = &run->events;
    uint32_t end = pf_aiu_add_event_like(run, 'e', e);
    if (end == PF_NONE) {
        return;
    }
    v->phase[e] = 'b';
    v->ts[end] = v->ts[e] + v->dur[e];
    v->flags[end] = v->flags[e] & (AIU_TORCH | AIU_SHOW_JOB | AIU_SHOW_RANK);
    v->dur[e] = 0;
    pf_aiu_set_async_id(run, e, r->next_id);
    pf_aiu_set_async_id(run, end, r->next_id++);
}

/* The slice moves along the streams of its thread until it fits; NULL: the run failed. */
static aiu_lane *move(resolving *r, uint32_t e, aiu_lane *lane)
{
    aiu_events *v = &r->run->events;
    double end = rounded_end(r->run, e);
    for (bool first = true; lane && pf_aiu_lane_conflicts(lane, v->ts[e], end); first = false) {
        r->conflicts += !first;
        bool there = pf_aiu_next_stream(&r->lanes, v->pid[e], lane->tid, &v->tid[e]);
        if (!there && !r->exhausted) {
            pf_str job = r->run->jobs[v->job[e]].name;
            r->exhausted = true;
            pf_aiu_log(r->run, "ERROR",
                       "POD: insufficient dynamic range for tid-based overlap resolution (%lld) of job: %.*s. Increase "
                       "max_tid_space.",
                       (long long)r->run->set.streams, PF_TEXT_ARG(job));
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
    r->conflicts++;
    switch (r->run->set.overlap) {
    case AIU_OVERLAP_TID:
        return move(r, e, lane);
    case AIU_OVERLAP_DROP:
        drop(r->run, e);
        return NULL;
    case AIU_OVERLAP_ASYNC:
        make_async(r, e);
        return NULL;
    case AIU_OVERLAP_WARN:
        warn(r->run, "Detected overlap conflict:  ", pf_aiu_text_of(r->run, r->run->events.name[e]));
        return NULL;
    case AIU_OVERLAP_SHIFT:
        return shift(r->run, lane, e) ? lane : NULL;
    }
    return NULL;
}

static void place(resolving *r, uint32_t e)
{
    aiu_events *v = &r->run->events;
    aiu_lane *lane = pf_aiu_lane(&r->lanes, v->pid[e], v->tid[e]);
    if (lane) {
        pf_aiu_lane_close(lane, v->ts[e]);
        lane = pf_aiu_lane_conflicts(lane, v->ts[e], rounded_end(r->run, e)) ? resolve(r, e, lane) : lane;
    }
    if (lane) {
        pf_aiu_lane_open(&r->lanes, lane, rounded_end(r->run, e));
    }
}

void pf_aiu_resolve_overlaps(aiu_run *run)
{
    resolving r = {.run = run};
    pf_aiu_lanes_init(&r.lanes, run);
    for (uint32_t i = 0, count = run->alive; i < count; i++) {
        if (pf_aiu_is_slice(run, run->order[i])) {
            place(&r, run->order[i]);
        }
    }
    pf_aiu_lanes_free(&r.lanes);
    pf_aiu_compact(run);
    run->overlaps = r.conflicts;
    if (!pf_aiu_rule(run, AIU_REVERSED)) {
        pf_aiu_sort_global(run);
    }
}
