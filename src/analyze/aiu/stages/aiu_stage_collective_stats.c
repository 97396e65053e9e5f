/* analyze/aiu/stages/aiu_stage_collective_stats.c - calculate_stats_v2: how long each rank computed and communicated.
 */
#include <string.h>

#include "analyze/aiu/outputs/aiu_outputs.h"
#include "analyze/aiu/stages/aiu_kernel_stats.h"
#include "analyze/aiu/stages/aiu_stages.h"

static void put_real(aiu_run *run, pf_text *t, const char *before, double v)
{
    pf_text_put(run->findings, t, (pf_str){before, strlen(before)});
    pf_text_put_real(run->findings, t, v, -1, 0);
}

/* The time of collective slices of a rank; built ones are shown below pid + 1000. */
static double communication_of(const aiu_run *run, uint32_t rank)
{
    double time = 0;
    for (uint32_t i = 0; i < run->alive; i++) {
        uint32_t e = run->order[i];
        if (pf_aiu_is_slice(run, e) && run->events.flags[e] & AIU_REAL_COLL && run->events.rank[e] == rank) {
            time += run->events.dur[e];
        }
    }
    return time;
}

static void put_rank(aiu_run *run, pf_text *t, const aiu_rank_row *r)
{
    pf_str pid = pf_aiu_pid_text(run, run->ranks.pid[r->rank]);
    double elapsed = r->last - r->first, comm = communication_of(run, r->rank);
    bool known = run->set.compat == AIU_WANT; /* the program before postfetto looks for a name that it changed */
    pf_text_format(run->findings, t, "%.*s", (int)pid.len, pid.ptr);
    put_real(run, t, ",", elapsed);
    put_real(run, t, ",", r->time);
    pf_text_put(run->findings, t, PF_STR(","));
    if (known) {
        put_real(run, t, "", comm);
    }
    put_real(run, t, ",", elapsed > 0 ? r->time / elapsed : 0);
    pf_text_put(run->findings, t, PF_STR(","));
    if (known) {
        put_real(run, t, "", elapsed > 0 ? comm / elapsed : 0);
    }
    pf_text_put(run->findings, t, PF_STR("\n"));
}

pf_status pf_aiu_collective_stats(aiu_run *run, pf_error *err)
{
    static const char head[] = "pid,elapsed_time,comp_active_atime,comm_active_atime,comp_active_atime_perc,"
                               "comm_active_atime_perc\n";
    static const char empty[] = "elapsed_time,comp_active_atime,pid,comm_active_atime,comp_active_atime_perc,"
                                "comm_active_atime_perc\n";
    (void)err;
    pf_str stem = pf_aiu_stem(run);
    pf_text *t = pf_text_new(run->findings);
    bool none = !run->kernels || run->kernels->rank_count == 0;
    const char *line = none && run->set.compat != AIU_WANT ? empty : head;
    pf_text_put(run->findings, t, (pf_str){line, strlen(line)});
    for (uint32_t i = 0; !none && i < run->kernels->rank_count; i++) {
        put_rank(run, t, &run->kernels->rank[i]);
    }
    pf_findings_report_text(
        run->findings, pf_findings_format(run->findings, "%.*s_stats_summary.csv", (int)stem.len, stem.ptr), t, true);
    return PF_OK;
}
