/* analyze/aiu/outputs/aiu_collective_stats.c - calculate_stats_v2 as a file: what part of a rank's time its kernels and
 * its collectives take (-R). The program before postfetto leaves the collectives empty, and so does --compat.
 */
#include <stdlib.h>
#include <string.h>

#include "analyze/aiu/outputs/aiu_outputs.h"
#include "analyze/aiu/stages/aiu_kernel_stats.h"
#include "analyze/aiu/stages/aiu_stages.h"

static const char head[] =
    "pid,elapsed_time,comp_active_atime,comm_active_atime,comp_active_atime_perc,comm_active_atime_perc\n";
static const char empty_head[] =
    "elapsed_time,comp_active_atime,pid,comm_active_atime,comp_active_atime_perc,comm_active_atime_perc\n";

static void put(aiu_run *run, pf_text *t, const char *s)
{
    pf_text_put(run->findings, t, (pf_str){s, strlen(s)});
}

static void put_real(aiu_run *run, pf_text *t, double v)
{
    put(run, t, ",");
    pf_text_put_real(run->findings, t, v, -1, 0);
}

/* The time of all collective slices of a pid, us. */
static double time_of_collectives(const aiu_run *run, int64_t pid)
{
    double sum = 0;
    for (uint32_t e = 0; e < run->events.count; e++) {
        bool counts = run->events.flags[e] & AIU_REAL_COLL && !(run->events.flags[e] & AIU_DROPPED);
        sum += counts && run->events.pid[e] == pid ? run->events.dur[e] : 0;
    }
    return sum;
}

static void put_row(aiu_run *run, pf_text *t, const aiu_rank_row *r)
{
    int64_t pid = run->ranks.pid[r->rank];
    pf_str text = pf_aiu_pid_text(run, pid);
    double elapsed = r->last - r->first;
    pf_text_put(run->findings, t, text);
    put_real(run, t, elapsed);
    put_real(run, t, r->time);
    if (run->set.compat != AIU_WANT) {
        put(run, t, ",");
        put_real(run, t, elapsed > 0 ? r->time / elapsed : 0);
        put(run, t, ",\n");
        return;
    }
    double collectives = time_of_collectives(run, pid);
    put_real(run, t, collectives);
    put_real(run, t, elapsed > 0 ? r->time / elapsed : 0);
    put_real(run, t, elapsed > 0 ? collectives / elapsed : 0);
    put(run, t, "\n");
}

static int compare_first(const void *a, const void *b)
{
    const aiu_rank_row *x = *(const aiu_rank_row *const *)a, *y = *(const aiu_rank_row *const *)b;
    return (x->first > y->first) - (x->first < y->first);
}

pf_status pf_aiu_write_collective_stats(aiu_run *run, pf_error *err)
{
    if (!run->kernels || !run->set.build_coll || !pf_aiu_stage_on(run, "calculate_stats_v2")) {
        return PF_OK;
    }
    pf_str kept = run->set.keep_types;
    bool none = run->set.compat != AIU_WANT && kept.ptr && !memchr(kept.ptr, 'X', kept.len); /* -F came before */
    uint32_t n = none ? 0 : run->kernels->rank_count;
    const aiu_rank_row **rows = pf_pass_alloc(run->ctx, (size_t)n + 1, sizeof *rows, err);
    if (!rows) {
        return err->code;
    }
    for (uint32_t i = 0; i < n; i++) {
        rows[i] = &run->kernels->rank[i];
    }
    qsort(rows, n, sizeof *rows, compare_first);
    pf_text *t = pf_text_new(run->findings);
    put(run, t, n || run->set.compat == AIU_WANT ? head : empty_head);
    for (uint32_t i = 0; i < n; i++) {
        put_row(run, t, rows[i]);
    }
    pf_str stem = pf_aiu_stem(run);
    pf_str file = pf_findings_format(run->findings, "%.*s_stats_summary.csv", (int)stem.len, stem.ptr);
    pf_findings_report_text(run->findings, file, t, true);
    return pf_findings_status(run->findings, err);
}
