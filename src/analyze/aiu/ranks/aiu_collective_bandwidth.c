/* analyze/aiu/ranks/aiu_collective_bandwidth.c - how fast collectives move data, as counters.
 *
 * With slices of collectives (-R) each collective has a value from its first begin to its last end: all bytes that went
 * between ranks, divided by that time. Without them the same is guessed from the order in which slices end: a
 * collective is under way from the first transfer on until a kernel ends that is no part of one, once every rank has
 * received.
 */
#include <math.h>
#include <stdlib.h>

#include "analyze/aiu/ranks/aiu_ranks.h"
#include "base/ordering.h"

#define DECIMALS 3
/* Lines of the log about collectives that overlap. */
#define LINES_MAX 1000

double pf_aiu_gigabytes_per_second(double bytes, double us)
{
    return us != 0 ? pf_aiu_round(bytes / us / 1000, DECIMALS) : 0;
}

bool pf_aiu_is_built(const aiu_run *run, uint32_t e)
{
    return run->events.flags[e] & AIU_REAL_COLL && !(run->events.flags[e] & AIU_DROPPED);
}

uint32_t pf_aiu_count_built(const aiu_run *run)
{
    uint32_t n = 0;
    for (uint32_t e = 0; e < run->events.count; e++) {
        n += pf_aiu_is_built(run, e);
    }
    return n;
}

PF_ORDER(compare_windows, aiu_window, PF_UP(start));

/* Slices of one collective are made one after the other, ranks ascending. */
static uint32_t list_windows(const aiu_run *run, aiu_window *list)
{
    const aiu_events *v = &run->events;
    uint32_t n = 0, before = PF_NONE;
    for (uint32_t e = 0; e < v->count; e++) {
        double end = pf_aiu_end(run, e);
        if (pf_aiu_is_built(run, e)) {
            if (before == PF_NONE || v->name[before] != v->name[e] || v->pid[before] >= v->pid[e]) {
                list[n++] = (aiu_window){v->ts[e], end, (double)v->bytes[e]};
            }
            list[n - 1].start = fmin(list[n - 1].start, v->ts[e]);
            list[n - 1].end = fmax(list[n - 1].end, end);
            before = e;
        }
    }
    qsort(list, n, sizeof *list, compare_windows);
    return n;
}

void pf_aiu_warn_concurrent(aiu_run *run, bool open, uint64_t overlaps)
{
    if (open) {
        pf_aiu_log(run, "WARNING",
                   "BW: More than one collective group without close. Could be caused by processing subset of events.");
    }
    for (uint64_t i = 0; i < overlaps; i++) {
        pf_aiu_log(run, "WARNING",
                   "CBW: Concurrent collective ops detected. BW counters will be wrong (BW of latest collective is "
                   "shown).");
    }
}

/* Every collective that has another one in its time says so. */
void pf_aiu_collective_bandwidth(aiu_run *run)
{
    aiu_window *list = pf_aiu_scratch(run, pf_aiu_count_built(run), sizeof *list);
    uint32_t n = list ? list_windows(run, list) : 0;
    uint64_t overlaps = 0;
    for (uint32_t i = 0; i < n; i++) {
        double value = pf_aiu_gigabytes_per_second(list[i].bytes, list[i].end - list[i].start);
        pf_aiu_add_sample(run, AIU_SERIES_COLL_BW, AIU_BANDWIDTH_PID, list[i].start, value, 0);
        if (i + 1 == n || list[i + 1].start > list[i].end) {
            pf_aiu_add_sample(run, AIU_SERIES_COLL_BW, AIU_BANDWIDTH_PID, list[i].end, 0, 0);
        }
        for (uint32_t k = i + 1; k < n && list[k].start < list[i].end && overlaps < LINES_MAX; k++) {
            overlaps += 2;
        }
    }
    pf_aiu_warn_concurrent(run, overlaps, overlaps);
}

void pf_aiu_add_guess(aiu_run *run, aiu_guess *g)
{
    double value = pf_aiu_gigabytes_per_second(g->bytes, g->before - g->begin);
    for (int end = 0; end < 2; end++) {
        double at = end ? g->before : g->begin, one = end ? 0 : value, all = one * 2 * ((double)g->ranks - 1);
        pf_aiu_add_sample(run, AIU_SERIES_BW_ALLREDUCE, AIU_BANDWIDTH_PID, at, one, 0);
        pf_aiu_add_sample(run, AIU_SERIES_BW_PCIE, AIU_BANDWIDTH_PID, at, all, 0);
    }
    g->under_way = false;
}

static void look_at(aiu_run *run, aiu_guess *g, uint32_t e)
{
    const aiu_events *v = &run->events;
    bool kernel = pf_aiu_name(run, v->name[e])->flags & AIU_NAME_HAS_EXEC;
    if (v->group[e] && !g->under_way) {
        g->under_way = true;
        g->begin = isnan(g->before) ? v->ts[e] : g->before;
        g->receives = 0;
        g->bytes = 0;
    }
    if (v->group[e]) {
        g->receives += pf_aiu_contains(pf_aiu_text_of(run, v->type[e]), "WDone");
        g->bytes = g->bytes > 0 ? g->bytes : (double)v->bytes[e];
    } else if (kernel && g->under_way && g->receives > g->ranks - 1) {
        pf_aiu_add_guess(run, g);
    }
    g->before = pf_aiu_end(run, e);
}

static aiu_key end_of(const aiu_run *run, uint32_t e)
{
    return (aiu_key){pf_aiu_end(run, e), 0, e};
}

aiu_key *pf_aiu_by_end(aiu_run *run, uint32_t *count)
{
    aiu_rows slices = pf_aiu_rows(run, pf_aiu_is_any_slice);
    *count = slices.count;
    return pf_aiu_keys(run, slices, end_of);
}

void pf_aiu_group_bandwidth(aiu_run *run)
{
    aiu_groups groups;
    uint32_t n = 0;
    pf_aiu_groups_read(run, &groups);
    aiu_guess g = {.before = NAN, .ranks = groups.ranks};
    aiu_key *keys = groups.ranks < 2 ? NULL : pf_aiu_by_end(run, &n);
    for (uint32_t i = 0; keys && i < n; i++) {
        look_at(run, &g, keys[i].row);
    }
}
