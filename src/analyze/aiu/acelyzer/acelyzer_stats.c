/* analyze/aiu/acelyzer/acelyzer_stats.c - statistics as the files that users of acelyzer read. Those of kernels have
 * columns between tabs and numbers with a width; those of collectives are CSV.
 */
#include <string.h>

#include "analyze/aiu/acelyzer/acelyzer.h"
#include "base/str.h"

static pf_text *begin(aiu_run *run, const char *head)
{
    pf_text *t = pf_text_new(run->findings);
    pf_text_put(run->findings, t, pf_str_of(head));
    return t;
}

static void put_real(aiu_run *run, pf_text *t, const char *before, double v, int decimals, size_t width)
{
    pf_text_put(run->findings, t, pf_str_of(before));
    pf_text_put_real(run->findings, t, v, decimals, width);
}

static void put_numbers(aiu_run *run, pf_text *t, const aiu_numbers *n)
{
    const double numbers[] = {n->mean, n->median, n->least, n->most, n->deviation};
    for (size_t k = 0; k < 5; k++) {
        put_real(run, t, "\t ", numbers[k], 3, 8);
    }
}

/* The last columns: the pid, and a name where there is one. */
static void put_end(aiu_run *run, pf_text *t, uint32_t rank, const char *between, pf_str name)
{
    pf_str pid = pf_aiu_pid_text(run, run->ranks.pid[rank]);
    pf_text_format(run->findings, t, "\t %4.*s%s", (int)pid.len, pid.ptr, between);
    pf_text_put(run->findings, t, name);
    pf_text_put(run->findings, t, PF_STR("\n"));
}

static double percent(double part, double of)
{
    return of > 0 ? 100 * part / of : 0;
}

/* ---- kernels ----------------------------------------------------------------------------------------------------- */

static double kernel_time_of(const aiu_kernel_stats *s, uint32_t rank)
{
    for (uint32_t i = 0; i < s->rank_count; i++) {
        if (s->rank[i].rank == rank) {
            return s->rank[i].time;
        }
    }
    return 0;
}

pf_text *pf_acelyzer_kernel_summary(aiu_run *run)
{
    pf_text *t = begin(run, "Time  \t Total Time\t Calls\t    Mean  \t  Median  \t    Min    \t   Max   \t   StDev  \t"
                            "  pid\t Name \n");
    for (uint32_t i = 0; i < run->kernels->row_count; i++) {
        const aiu_kernel_row *r = &run->kernels->row[i];
        put_real(run, t, "", percent(r->time.sum, kernel_time_of(run->kernels, r->rank)), 2, 5);
        put_real(run, t, "\t  ", r->time.sum, 3, 9);
        pf_text_format(run->findings, t, "\t %5u", r->calls);
        put_numbers(run, t, &r->time);
        put_end(run, t, r->rank, "\t ", pf_aiu_text_of(run, r->name));
    }
    return t;
}

pf_text *pf_acelyzer_rank_activity(aiu_run *run)
{
    pf_text *t = begin(run, "Total Kernel Time  \t  Elapsed Time\t  Start Time\t         End Time  \t Active percentage"
                            "  \t   pid \n");
    for (uint32_t i = 0; i < run->kernels->rank_count; i++) {
        const aiu_rank_row *r = &run->kernels->rank[i];
        double elapsed = r->last - r->first;
        put_real(run, t, "", r->time, 3, 9);
        put_real(run, t, "\t  ", elapsed, 3, 9);
        put_real(run, t, "\t  ", r->first + run->origin, 3, 9);
        put_real(run, t, "\t ", r->last + run->origin, 3, 9);
        put_real(run, t, "\t ", percent(r->time, elapsed), 2, 5);
        put_end(run, t, r->rank, "", (pf_str){"", 0});
    }
    return t;
}

pf_text *pf_acelyzer_step_times(aiu_run *run)
{
    static const char *const names[] = {"TS2-1", "TS3-2", "TS4-3", "TS5-4"};
    pf_text *t = begin(run, "Calls  \t ");
    for (size_t k = 0; k < AIU_STEP_TIMES; k++) {
        pf_text_format(run->findings, t, "%s_Mean   \t%s_Median  \t%s_Min    \t%s_Max   \t%s_StDev  \t", names[k],
                       names[k], names[k], names[k], names[k]);
    }
    pf_text_put(run->findings, t, PF_STR("pid\t Name \n"));
    for (uint32_t i = 0; i < run->kernels->row_count; i++) {
        const aiu_kernel_row *r = &run->kernels->row[i];
        pf_text_format(run->findings, t, "%6u", r->calls);
        for (size_t k = 0; k < AIU_STEP_TIMES; k++) {
            put_numbers(run, t, &r->step[k]);
        }
        put_end(run, t, r->rank, "\t ", pf_aiu_text_of(run, r->name));
    }
    return t;
}

/* ---- collectives: calculate_stats_v2 ----------------------------------------------------------------------------- */

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

/* The original leaves what is of collectives empty, and so does --compat. */
static void put_shares(aiu_run *run, pf_text *t, const aiu_rank_row *r)
{
    int64_t pid = run->ranks.pid[r->rank];
    bool want = !pf_aiu_rule(run, AIU_OWN_FORMS);
    double elapsed = r->last - r->first, collectives = want ? time_of_collectives(run, pid) : 0;
    const double numbers[] = {elapsed, r->time, collectives, elapsed > 0 ? r->time / elapsed : 0,
                              elapsed > 0 ? collectives / elapsed : 0};
    pf_text_put(run->findings, t, pf_aiu_pid_text(run, pid));
    for (size_t i = 0; i < 5; i++) {
        pf_text_put(run->findings, t, PF_STR(","));
        if (want || (i != 2 && i != 4)) {
            pf_text_put_real(run->findings, t, numbers[i], -1, 0);
        }
    }
    pf_text_put(run->findings, t, PF_STR("\n"));
}

pf_text *pf_acelyzer_collective_stats(aiu_run *run)
{
    if (!run->kernels || !run->set.build_coll || !pf_aiu_stage_on(run, "calculate_stats_v2")) {
        return NULL;
    }
    pf_str kept = run->set.keep_types;
    bool none = pf_aiu_rule(run, AIU_OWN_FORMS) && kept.ptr && !memchr(kept.ptr, 'X', kept.len); /* -F came before */
    uint32_t n = none ? 0 : run->kernels->rank_count;
    aiu_key *keys = pf_aiu_alloc(run, (size_t)n + 1, sizeof *keys);
    for (uint32_t i = 0; keys && i < n; i++) {
        keys[i] = (aiu_key){run->kernels->rank[i].first, 0, i};
    }
    pf_aiu_sort_keys(run, keys, keys ? n : 0);
    pf_text *t = begin(
        run,
        n || !pf_aiu_rule(run, AIU_OWN_FORMS)
            ? "pid,elapsed_time,comp_active_atime,comm_active_atime,comp_active_atime_perc,comm_active_atime_perc\n"
            : "elapsed_time,comp_active_atime,pid,comm_active_atime,comp_active_atime_perc,"
              "comm_active_atime_perc\n");
    for (uint32_t i = 0; keys && i < n; i++) {
        put_shares(run, t, &run->kernels->rank[keys[i].row]);
    }
    return t;
}
