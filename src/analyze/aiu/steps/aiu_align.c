/* analyze/aiu/steps/aiu_align.c - --flex_ts_fix: device events of a job that lie outside of
 * what the host calls its round trip move there, all by the same time.
 *
 * Acelyzer takes the last of a job's device events for its end, or the end of the host before it;
 * an event of a host without a round trip, or of a device before one, is "wider" and moves nothing. It says of jobs
 * that overlap which pair of them it saw last.
 */

#include "analyze/aiu/steps/aiu_steps.h"

typedef struct job_ranges {
    aiu_range host, device;
    double last; /* end of the last device event: `device` has another one for acelyzer */
    bool listed, outside, wider;
    double offset; /* by which device events have to move; `outside`: they are not where they should be */
} job_ranges;

/* Lists the jobs in order of their first events, and where they lie; returns how many have any. */
static uint32_t collect(aiu_run *run, job_ranges *jobs, uint32_t *order)
{
    const aiu_events *v = &run->events;
    bool wide = pf_aiu_rule(run, AIU_WIDE_JOBS);
    uint32_t count = 0;
    for (uint32_t i = 0; i < run->alive; i++) {
        uint32_t e = run->order[i];
        double end = pf_aiu_end(run, e);
        job_ranges *j = &jobs[v->job[e]];
        if (!j->listed) {
            order[count++] = v->job[e];
            j->listed = true;
        }
        if (pf_aiu_is_device_slice(run, e)) {
            j->last = j->device.any && j->last >= end ? j->last : end;
            pf_aiu_widen(&j->device, v->ts[e], end);
            j->device.to = !wide ? j->device.to : j->host.any && j->host.to > end ? j->host.to : end;
        } else if (pf_aiu_is_slice(run, e) && pf_str_is(pf_aiu_text_of(run, v->name[e]), "AIU Roundtrip")) {
            pf_aiu_widen(&j->host, v->ts[e], end);
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        job_ranges *j = &jobs[order[i]];
        bool alone = j->device.any && !j->host.any && wide;
        bool inside = j->device.from >= j->host.from && j->device.to <= j->host.to;
        j->outside = alone || (j->host.any && j->device.any && !inside);
        j->wider = alone || (j->outside && j->device.to - j->device.from > j->host.to - j->host.from);
        double offset = j->outside && !j->wider ? j->host.from - j->device.from : 0;
        j->offset = fabs(offset) > 1e-9 ? offset : 0;
    }
    return count;
}

/* The pair of jobs that is named, one that the host began earlier and that reaches into another one: once one was seen,
 * the first later one of the last job that has any. */
static void report_overlap(aiu_run *run, const job_ranges *jobs, const uint32_t *order, uint32_t count)
{
    uint32_t earlier = PF_NONE, later = PF_NONE;
    for (uint32_t i = 0; i < count; i++) {
        const job_ranges *a = &jobs[order[i]];
        bool named = false;
        for (uint32_t k = 0; k < count && !named && a->host.any; k++) {
            const job_ranges *b = &jobs[order[k]];
            bool after = k != i && (!b->host.any || a->host.from < b->host.from);
            bool host = b->host.any && a->host.to >= b->host.from;
            bool none = !a->device.any || a->device.from >= b->device.from;
            bool device = b->device.any && (none || a->last >= b->device.from);
            named = after && (earlier != PF_NONE || host || device);
            earlier = named ? order[i] : earlier;
            later = named ? order[k] : later;
        }
    }
    if (earlier != PF_NONE) {
        pf_aiu_log(run, "WARNING",
                   "FREQ: Detected a job timestamp overlap in the input data: ('%.*s', '%.*s') Possible cause is a "
                   "frequency mismatch or input data misalignment.",
                   PF_TEXT_ARG(run->jobs[earlier].name), PF_TEXT_ARG(run->jobs[later].name));
    }
}

/* Every job that is wider, then the first one that is outside. */
static void report_outside(aiu_run *run, const job_ranges *jobs, const uint32_t *order, uint32_t count)
{
    bool wide = pf_aiu_rule(run, AIU_WIDE_JOBS);
    uint32_t first = PF_NONE;
    for (uint32_t i = 0; i < count; i++) {
        const job_ranges *j = &jobs[order[i]];
        if (j->wider) {
            pf_aiu_log(
                run, "WARNING",
                wide ? "FREQ: aiu event range of %.*s is wider than cpu range. Will not attempt to adjust timestamps."
                     : "FREQ: job: %.*s has AIU events that are wider than cpu range",
                PF_TEXT_ARG(run->jobs[order[i]].name));
        }
        bool counts = j->outside && (!j->wider || wide);
        first = first == PF_NONE && counts ? order[i] : first;
    }
    if (first != PF_NONE) {
        pf_aiu_log(run, "WARNING",
                   "FREQ: job: ('%.*s', %s) has AIU events outside of corresponding CPU range. Attempting to fix might "
                   "cause unreliable data.",
                   PF_TEXT_ARG(run->jobs[first].name),
                   jobs[first].wider ? "None" : pf_aiu_num(run, jobs[first].offset));
    }
}

void pf_aiu_align_jobs(aiu_run *run)
{
    aiu_events *v = &run->events;
    job_ranges *jobs = pf_aiu_scratch(run, run->job_count, sizeof *jobs);
    uint32_t *order = pf_aiu_scratch(run, run->job_count, sizeof *order);
    if (!order) {
        return;
    }
    uint32_t count = collect(run, jobs, order);
    report_outside(run, jobs, order, count);
    report_overlap(run, jobs, order, count);
    for (uint32_t i = 0, e; pf_aiu_next(run, pf_aiu_is_device_slice, &i, &e);) {
        double offset = jobs[v->job[e]].offset;
        if (offset != 0) {
            v->ts[e] += offset;
            pf_aiu_add_real(run, e, PF_STR("ts_adj"), offset);
        }
    }
}
