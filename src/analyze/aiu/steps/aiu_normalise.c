/* analyze/aiu/steps/aiu_normalise.c - which events count, one spelling of
 * names, and counters of 32 bits that grow.
 *
 * A counter wraps every few seconds. Inside an event, a value below the one before it has wrapped. Between events the
 * host's clock gives the lap: the time at which the counter would have been 0 is worked out for every event; the
 * earliest of a rank is its epoch, and an event that begins n laps after it has wrapped n times.
 */
#include <inttypes.h>
#include <string.h>

#include "analyze/aiu/steps/aiu_steps.h"

static void apply_limit(aiu_run *run)
{
    const aiu_limit *l = &run->set.limit;
    aiu_events *e = &run->events;
    double n = 0;
    for (uint32_t i = 0; i < run->alive; i++) {
        uint32_t row = run->order[i];
        double ts = e->ts[row] + run->origin;
        bool uncounted = l->uncounted.len && memchr(l->uncounted.ptr, e->phase[row], l->uncounted.len);
        bool inside = !(e->flags[row] & AIU_NO_TIME) && ts + e->dur[row] >= l->ts_start && ts <= l->ts_end;
        n += inside && !(e->flags[row] & AIU_DROPPED) && !(uncounted && !pf_aiu_rule(run, AIU_ALL_EVENTS));
        bool kept = uncounted || (inside && n > l->skip && n <= l->skip + l->count);
        e->flags[row] |= kept ? 0 : AIU_DROPPED;
    }
}

/* Each text is unified once: `seen` holds the result by text, from 1. */
static void unify_names(aiu_run *run)
{
    aiu_events *v = &run->events;
    uint32_t known = run->texts.count, *seen = pf_aiu_scratch(run, known, sizeof *seen);
    for (uint32_t i = 0; i < run->alive && seen; i++) {
        uint32_t e = run->order[i], name = v->name[e];
        if (v->phase[e] == 'X' && name < known && name != 0) {
            if (!seen[name]) {
                seen[name] = pf_aiu_replace(run, name, "RDMA", "Rdma", true);
                seen[name] = pf_aiu_replace(run, seen[name], "Receive", "Recv", true);
            }
            v->name[e] = seen[name];
        }
    }
}

static void note_epoch(aiu_run *run, uint32_t row)
{
    aiu_events *e = &run->events;
    aiu_epoch *old = &run->epochs[e->rank[row]];
    int64_t cycle = pf_aiu_first_counter(run, row);
    double ts = e->ts[row], start = ts - (double)cycle / run->set.soc;
    if (!old->known || start < old->start) {
        *old = (aiu_epoch){true,
                           e->job[row],
                           start,
                           ts,
                           cycle,
                           old->known ? old->first_start : start,
                           old->known ? old->first_ts : ts,
                           old->updates + old->known};
    }
}

/* A value below the one before it has wrapped. */
static void grow_inside(aiu_run *run, uint32_t e)
{
    unsigned first = 0;
    for (unsigned n = 1; n < 5; n++) {
        int64_t *own = &run->events.tsx[n][e];
        bool wrapped = *own < run->events.tsx[n - 1][e];
        *own += wrapped ? (int64_t)1 << 32 : 0;
        first = first || !wrapped ? first : n;
    }
    if (first) {
        pf_aiu_add_text(run, e, PF_STR("TSxOF"), pf_findings_format(run->findings, "TS%u", first + 1));
    }
}

void pf_aiu_normalise(aiu_run *run)
{
    uint64_t undetected = 0;
    pf_aiu_find_clock(run); /* of all kernels, whichever count afterwards */
    apply_limit(run);
    unify_names(run);
    pf_aiu_apply_filters(run);
    for (uint32_t i = 0; i < run->alive; i++) {
        run->events.flags[run->order[i]] |= run->events.phase[run->order[i]] == 'X' ? AIU_SHOW_JOB : 0;
    }
    pf_aiu_compact(run);
    run->epochs = pf_aiu_alloc(run, (size_t)run->ranks.count + 1, sizeof *run->epochs);
    for (uint32_t i = 0, e; run->epochs && pf_aiu_next(run, pf_aiu_is_device_slice, &i, &e);) {
        grow_inside(run, e);
        note_epoch(run, e);
        undetected += run->events.dur[e] > pf_aiu_span(run);
    }
    pf_aiu_warn(run, "OVC: potential undetected overflow in ", undetected,
                " events longer than a wrap-around of the counter");
    if (run->epochs) {
        pf_aiu_measure_frequency(run);
    }
}

/* The epochs; whose were replaced, as far as a line has room, and how often all together. */
static void report_epochs(aiu_run *run)
{
    enum { SHOWN_MAX = 64 };
    pf_str pids = {"", 0};
    uint64_t updates = 0;
    const uint32_t *order = pf_aiu_ranks_by_pid(run);
    for (uint32_t r = 0; r < run->ranks.count; r++) {
        const aiu_epoch *epoch = &run->epochs[r];
        updates += epoch->updates;
        if (epoch->known) {
            pf_aiu_log(run, "INFO", "OVC: Reference Epoch for %s %.*s %s %s", pf_aiu_rank_name(run, r),
                       PF_TEXT_ARG(run->jobs[epoch->job].name), pf_aiu_num(run, epoch->first_ts - epoch->first_start),
                       pf_aiu_num(run, epoch->first_start + run->origin));
        }
    }
    for (uint32_t i = 0, n = 0; updates && order && i < run->ranks.count && n < SHOWN_MAX; i++) {
        if (run->epochs[order[i]].updates) {
            pids = pf_findings_format(run->findings, "%.*s%s%s", PF_TEXT_ARG(pids), n++ ? ", " : "",
                                      pf_aiu_rank_name(run, order[i]));
        }
    }
    if (updates) {
        pf_aiu_log(run, "WARNING",
                   "OVC: reference epoch had to be updated %" PRIu64 " times with newly detected earlier timestamps. "
                   "This indicates events with 0.0-timestamps or out-of-order input events. (pid={%.*s}, job={%u}, "
                   "start=0.0)",
                   updates, PF_TEXT_ARG(pids), run->job_count);
    }
}

/* Acelyzer knows the epochs of all events by then only if it waits for them in between. */
void pf_aiu_grow_counters(aiu_run *run)
{
    aiu_events *v = &run->events;
    bool waits = !pf_aiu_rule(run, AIU_HOST_LAPS) || pf_aiu_stage_on(run, "pipeline_barrier");
    aiu_advice advice = {.drift = 0, .seen = pf_aiu_scratch_map(run)};
    if (!run->epochs) {
        return;
    }
    if (!waits) {
        memset(run->epochs, 0, run->ranks.count * sizeof *run->epochs);
    }
    for (uint32_t i = 0, e; pf_aiu_next(run, pf_aiu_is_device_slice, &i, &e);) {
        if (!waits) {
            note_epoch(run, e);
        }
        pf_aiu_take_for_advice(run, e, &advice);
        double laps = pf_aiu_laps(run, e);
        v->ovc[e] = laps > 1e9 ? 1000000000 : laps < -1e9 ? -1000000000 : (int32_t)laps;
        v->flags[e] |= AIU_EXTENDED;
        for (unsigned n = 0; n < 5; n++) {
            v->tsx[n][e] += (int64_t)v->ovc[e] * 4294967296;
        }
    }
    pf_aiu_advise(run, &advice);
    report_epochs(run);
}

/* Events without time cannot be placed. Metadata does not need one and stays, but for acelyzer. */
void pf_aiu_check_events(aiu_run *run)
{
    aiu_events *e = &run->events;
    for (uint32_t i = 0; i < run->alive; i++) {
        uint32_t row = run->order[i];
        if (e->flags[row] & AIU_NO_TIME && (e->phase[row] != 'M' || pf_aiu_rule(run, AIU_ALL_EVENTS))) {
            pf_aiu_log(run, "ERROR", "Event failed sanityCheck:  ts is not in %s", pf_aiu_event_text(run, row));
            e->flags[row] |= AIU_DROPPED;
        }
    }
    pf_aiu_compact(run);
}
