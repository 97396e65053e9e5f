/* analyze/aiu/outputs/aiu_stats_files.c - the statistics of kernels as the files that users of the program before
 * postfetto read: columns between tabs, numbers with a width. */
#include <string.h>

#include "analyze/aiu/outputs/aiu_outputs.h"
#include "analyze/aiu/stages/aiu_kernel_stats.h"

static const char summary_head[] =
    "Time  \t Total Time\t Calls\t    Mean  \t  Median  \t    Min    \t   Max   \t   StDev  \t  pid\t Name \n";
static const char active_head[] =
    "Total Kernel Time  \t  Elapsed Time\t  Start Time\t         End Time  \t Active percentage  \t   pid \n";

static void put(aiu_run *run, pf_text *t, const char *s)
{
    pf_text_put(run->findings, t, (pf_str){s, strlen(s)});
}

static void put_real(aiu_run *run, pf_text *t, const char *before, double v, int decimals, size_t width)
{
    put(run, t, before);
    pf_text_put_real(run->findings, t, v, decimals, width);
}

static void put_int(aiu_run *run, pf_text *t, const char *before, uint64_t v, int width)
{
    pf_text_format(run->findings, t, "%s%*llu", before, width, (unsigned long long)v);
}

static void put_pid(aiu_run *run, pf_text *t, const char *before, uint32_t rank, const char *after)
{
    pf_str pid = pf_aiu_pid_text(run, run->ranks.pid[rank]);
    pf_text_format(run->findings, t, "%s%4.*s%s", before, (int)pid.len, pid.ptr, after);
}

static double kernel_time_of(const aiu_kernel_stats *s, uint32_t rank)
{
    for (uint32_t i = 0; i < s->rank_count; i++) {
        if (s->rank[i].rank == rank) {
            return s->rank[i].time;
        }
    }
    return 0;
}

static void put_name(aiu_run *run, pf_text *t, uint32_t name)
{
    put(run, t, "\t ");
    pf_text_put(run->findings, t, pf_aiu_text_of(run, name));
    put(run, t, "\n");
}

static pf_text *summary(aiu_run *run)
{
    pf_text *t = pf_text_new(run->findings);
    put(run, t, summary_head);
    for (uint32_t i = 0; i < run->kernels->row_count; i++) {
        const aiu_kernel_row *r = &run->kernels->row[i];
        double all = kernel_time_of(run->kernels, r->rank);
        put_real(run, t, "", all > 0 ? 100 * r->time.sum / all : 0, 2, 5);
        put_real(run, t, "\t  ", r->time.sum, 3, 9);
        put_int(run, t, "\t ", r->calls, 5);
        const double numbers[] = {r->time.mean, r->time.median, r->time.least, r->time.most, r->time.deviation};
        for (size_t k = 0; k < 5; k++) {
            put_real(run, t, "\t ", numbers[k], 3, 8);
        }
        put_pid(run, t, "\t ", r->rank, "");
        put_name(run, t, r->name);
    }
    return t;
}

static pf_text *active(aiu_run *run)
{
    pf_text *t = pf_text_new(run->findings);
    put(run, t, active_head);
    for (uint32_t i = 0; i < run->kernels->rank_count; i++) {
        const aiu_rank_row *r = &run->kernels->rank[i];
        double elapsed = r->last - r->first;
        put_real(run, t, "", r->time, 3, 9);
        put_real(run, t, "\t  ", elapsed, 3, 9);
        put_real(run, t, "\t  ", r->first + run->origin, 3, 9);
        put_real(run, t, "\t ", r->last + run->origin, 3, 9);
        put_real(run, t, "\t ", elapsed > 0 ? 100 * r->time / elapsed : 0, 2, 5);
        put_pid(run, t, "\t ", r->rank, "\n");
    }
    return t;
}

static pf_text *steps(aiu_run *run)
{
    static const char *const names[] = {"TS2-1", "TS3-2", "TS4-3", "TS5-4"};
    pf_text *t = pf_text_new(run->findings);
    put(run, t, "Calls  \t ");
    for (size_t k = 0; k < AIU_STEP_TIMES; k++) {
        pf_text_format(run->findings, t, "%s_Mean   \t%s_Median  \t%s_Min    \t%s_Max   \t%s_StDev  \t", names[k],
                       names[k], names[k], names[k], names[k]);
    }
    put(run, t, "pid\t Name \n");
    for (uint32_t i = 0; i < run->kernels->row_count; i++) {
        const aiu_kernel_row *r = &run->kernels->row[i];
        put_int(run, t, "", r->calls, 6);
        for (size_t k = 0; k < AIU_STEP_TIMES; k++) {
            const aiu_numbers *n = &r->step[k];
            const double numbers[] = {n->mean, n->median, n->least, n->most, n->deviation};
            for (size_t m = 0; m < 5; m++) {
                put_real(run, t, "\t ", numbers[m], 3, 8);
            }
        }
        put_pid(run, t, "\t ", r->rank, "");
        put_name(run, t, r->name);
    }
    return t;
}

static void report(aiu_run *run, const char *kind, const char *what, const pf_text *text)
{
    pf_str stem = pf_aiu_stem(run);
    pf_str file = pf_findings_format(run->findings, "%.*s_%s.csv", (int)stem.len, stem.ptr, kind);
    pf_findings_report_text(run->findings, file, text, true);
    pf_aiu_log(run, "INFO", "SEC statistics %s file created:  %.*s", what, (int)file.len, file.ptr);
}

void pf_aiu_write_stats(aiu_run *run)
{
    if (run->kernels) {
        report(run, "summary", "summary", summary(run));
        report(run, "active", "active", active(run));
        report(run, "ts_analysis", "timestamp analysis", steps(run));
    }
}
