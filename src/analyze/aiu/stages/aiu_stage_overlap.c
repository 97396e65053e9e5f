/* analyze/aiu/stages/aiu_stage_overlap.c - slices of a thread that overlap in part, which no viewer can draw.
 *
 * Slices of a thread are walked by time, longer ones first. The ends of those that are open are kept on a stack of
 * times; a slice conflicts with an end that lies inside of it. What becomes of it says -O: it moves to the next of the
 * streams of its thread, where it is tested again; it goes; it becomes two asynchronous events; it stays, with a line
 * in the log; it begins a little later, if the overlap is no more than a rounding.
 */
#include <math.h>
#include <string.h>

#include "analyze/aiu/facts/aiu_event_text.h"
#include "analyze/aiu/stages/aiu_lanes.h"
#include "analyze/aiu/stages/aiu_stages.h"

/* Ends are compared as the program before postfetto prints them. */
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

static void warn(resolving *r, const char *what, uint32_t e)
{
    pf_str text = r->run->set.overlap == AIU_OVERLAP_DROP ? pf_aiu_event_text(r->run, e)
                                                          : pf_aiu_text_of(r->run, r->run->events.name[e]);
    pf_aiu_log(r->run, "WARNING", "%s%.*s", what, (int)text.len, text.ptr);
}

static pf_status shift(resolving *r, aiu_lane **at, uint32_t e)
{
    const aiu_lane *lane = *at;
    aiu_events *v = &r->run->events;
    double most = 0, end = rounded_end(r->run, e);
    for (uint32_t i = 0; i < lane->count; i++) {
        double over = lane->ends[i] - v->ts[e];
        most = lane->ends[i] <= end && over > most ? over : most;
    }
    if (most >= 0.005) {
        pf_str name = pf_aiu_text_of(r->run, v->name[e]), over = pf_aiu_real(r->run, most);
        pf_aiu_log(r->run, "WARNING",
                   "Detected overlap of %.*s exceeds the threshold/limit 0.005 us. Overlap of %.*s us: increase "
                   "threshold or use different overlap res option.",
                   (int)name.len, name.ptr, (int)over.len, over.ptr);
        *at = NULL; /* what was not resolved does not count against those after it */
        return PF_OK;
    }
    pf_status st = pf_aiu_add_real(r->run, e, PF_STR("orig_ts"), v->ts[e] + r->run->origin);
    st = st == PF_OK ? pf_aiu_add_real(r->run, e, PF_STR("orig_dur"), v->dur[e]) : st;
    double by = pf_aiu_round(most + 0.0015, 3);
    v->ts[e] += by;
    v->dur[e] -= by;
    return st;
}

/* "b" at its begin, "e" at its end, joined by a number. */
static pf_status make_async(resolving *r, uint32_t e)
{
    aiu_run *run = r->run;
    aiu_events *v = &run->events;
    uint32_t end = pf_aiu_add_event(run, 'e');
    if (end == PF_NONE) {
        return run->error.code;
    }
    v->phase[e] = 'b';
    v->job[end] = v->job[e];
    v->name[end] = v->name[e];
    v->cat[end] = v->cat[e];
    v->rank[end] = v->rank[e];
    v->pid[end] = v->pid[e];
    v->tid[end] = v->tid[e];
    v->ts[end] = v->ts[e] + v->dur[e];
    v->flags[end] = v->flags[e] & (AIU_TORCH | AIU_SHOW_JOB | AIU_SHOW_RANK);
    v->dur[e] = 0;
    pf_status st = pf_aiu_set_async_id(run, e, r->next_id);
    st = st == PF_OK ? pf_aiu_set_async_id(run, end, r->next_id) : st;
    r->next_id++;
    return st;
}

/* The slice moves along the streams of its thread until it fits. */
static pf_status move(resolving *r, uint32_t e, aiu_lane **lane)
{
    aiu_events *v = &r->run->events;
    double end = rounded_end(r->run, e);
    for (bool first = true; pf_aiu_lane_conflicts(*lane, v->ts[e], end); first = false) {
        int64_t tid;
        r->conflicts += !first;
        bool there = pf_aiu_next_stream(&r->lanes, v->pid[e], (*lane)->tid, &tid);
        if (!there && !r->exhausted) {
            pf_str job = r->run->jobs[v->job[e]].name;
            r->exhausted = true;
            pf_aiu_log(r->run, "ERROR",
                       "POD: insufficient dynamic range for tid-based overlap resolution (%lld) of job: %.*s. Increase "
                       "max_tid_space.",
                       (long long)r->run->set.streams, (int)job.len, job.ptr);
        }
        *lane = pf_aiu_lane(&r->lanes, v->pid[e], tid);
        if (!*lane) {
            return r->run->error.code;
        }
        pf_aiu_lane_close(*lane, v->ts[e]);
        v->tid[e] = tid;
    }
    return PF_OK;
}

static pf_status resolve(resolving *r, uint32_t e, aiu_lane **lane)
{
    r->conflicts++;
    switch (r->run->set.overlap) {
    case AIU_OVERLAP_TID:
        return move(r, e, lane);
    case AIU_OVERLAP_DROP:
        warn(r, "Solving overlap conflict by dropping: ", e);
        r->run->events.flags[e] |= AIU_DROPPED;
        return PF_OK;
    case AIU_OVERLAP_ASYNC:
        return make_async(r, e);
    case AIU_OVERLAP_WARN:
        warn(r, "Detected overlap conflict:  ", e);
        *lane = NULL;
        return PF_OK;
    case AIU_OVERLAP_SHIFT:
        return shift(r, lane, e);
    }
    return PF_OK;
}

static pf_status place(resolving *r, uint32_t e)
{
    aiu_events *v = &r->run->events;
    aiu_lane *lane = pf_aiu_lane(&r->lanes, v->pid[e], v->tid[e]);
    if (!lane) {
        return r->run->error.code;
    }
    pf_aiu_lane_close(lane, v->ts[e]);
    pf_status st = PF_OK;
    if (pf_aiu_lane_conflicts(lane, v->ts[e], rounded_end(r->run, e))) {
        st = resolve(r, e, &lane);
    }
    bool stays = st == PF_OK && lane && pf_aiu_is_slice(r->run, e);
    return stays ? pf_aiu_lane_open(&r->lanes, lane, rounded_end(r->run, e)) : st;
}

/* ---- the stage --------------------------------------------------------------------------------------------------- */

pf_status pf_aiu_resolve_overlaps(aiu_run *run)
{
    resolving r = {.run = run};
    pf_status st = pf_aiu_lanes_init(&r.lanes, run);
    uint32_t count = run->alive;
    for (uint32_t i = 0; i < count && st == PF_OK; i++) {
        st = pf_aiu_is_slice(run, run->order[i]) ? place(&r, run->order[i]) : PF_OK;
    }
    pf_aiu_lanes_free(&r.lanes);
    pf_aiu_compact(run);
    run->overlaps = r.conflicts;
    return st == PF_OK && run->set.compat == AIU_WANT ? pf_aiu_sort_global(run) : st;
}
