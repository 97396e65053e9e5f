/* analyze/aiu/stages/aiu_stage_align.c - frequency_align (--flex_ts_fix): device events of a job that lie outside of
 * what the host calls its round trip move there, all by the same time. */
#include <string.h>

#include "analyze/aiu/stages/aiu_stages.h"

typedef struct range {
    double begin, end;
    bool any;
} range;

typedef struct job_ranges {
    range host, device;
    double offset;
} job_ranges;

static void widen(range *r, double begin, double end)
{
    r->begin = r->any && r->begin <= begin ? r->begin : begin;
    r->end = r->any && r->end >= end ? r->end : end;
    r->any = true;
}

static void collect(aiu_run *run, job_ranges *jobs)
{
    const aiu_events *e = &run->events;
    for (uint32_t i = 0; i < run->alive; i++) {
        uint32_t row = run->order[i];
        if (!pf_aiu_is_slice(run, row)) {
            continue;
        }
        if (pf_aiu_is_device(run, row)) {
            widen(&jobs[e->job[row]].device, e->ts[row], pf_aiu_end(run, row));
        } else if (pf_aiu_equals(pf_aiu_text_of(run, e->name[row]), "AIU Roundtrip")) {
            widen(&jobs[e->job[row]].host, e->ts[row], pf_aiu_end(run, row));
        }
    }
}

/* How far the device events of a job have to move. */
static double offset_of(const job_ranges *j, bool *wider)
{
    *wider = false;
    bool inside = j->device.begin >= j->host.begin && j->device.end <= j->host.end;
    if (!j->host.any || !j->device.any || inside) {
        return 0;
    }
    *wider = j->device.end - j->device.begin > j->host.end - j->host.begin;
    return *wider ? 0 : j->host.begin - j->device.begin;
}

static pf_status report(aiu_run *run, const job_ranges *jobs)
{
    bool warned = false;
    for (uint32_t j = 0; j < run->job_count; j++) {
        bool wider;
        double offset = offset_of(&jobs[j], &wider);
        pf_str name = run->jobs[j].name, text = pf_aiu_real(run, offset);
        if (wider) {
            pf_aiu_log(run, "WARNING", "FREQ: job: %.*s has AIU events that are wider than cpu range", (int)name.len,
                       name.ptr);
        } else if (offset != 0 && !warned) {
            warned = true;
            pf_aiu_log(run, "WARNING",
                       "FREQ: job: ('%.*s', %.*s) has AIU events outside of corresponding CPU range. Attempting to fix "
                       "might cause unreliable data.",
                       (int)name.len, name.ptr, (int)text.len, text.ptr);
        }
    }
    return pf_findings_status(run->findings, NULL);
}

pf_status pf_aiu_align_jobs(aiu_run *run, pf_error *err)
{
    aiu_events *e = &run->events;
    job_ranges *jobs = pf_pass_alloc(run->ctx, (size_t)run->job_count + 1, sizeof *jobs, err);
    if (!jobs) {
        return err->code;
    }
    collect(run, jobs);
    for (uint32_t j = 0; j < run->job_count; j++) {
        bool wider;
        jobs[j].offset = offset_of(&jobs[j], &wider);
    }
    pf_status st = report(run, jobs);
    for (uint32_t i = 0; i < run->alive && st == PF_OK; i++) {
        uint32_t row = run->order[i];
        double offset = jobs[e->job[row]].offset;
        if (offset != 0 && pf_aiu_is_slice(run, row) && pf_aiu_is_device(run, row)) {
            e->ts[row] += offset;
            st = pf_aiu_add_real(run, row, PF_STR("ts_adj"), offset, err);
        }
    }
    return st;
}
