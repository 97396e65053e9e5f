/* analyze/aiu/ranks/aiu_collective_bandwidth.c - how fast collectives move data, as counters.
 *
 * With slices of collectives (-R) each collective has a value from its first begin to its last end: all bytes that went
 * between ranks, divided by that time. Without them the same is guessed from the order in which slices end: a
 * collective is under way from the first transfer on until a kernel ends that is no part of one, once every rank has
 * received.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/aiu/ranks/aiu_ranks.h"

#define DECIMALS 3
#define COUNTER_PID (-1)
/* Lines of the log about collectives that overlap. */
#define LINES_MAX 1000

static double gigabytes_per_second(double bytes, double us)
{
    return us != 0 ? pf_aiu_round(bytes / us / 1000, DECIMALS) : 0;
}

/* ---- with slices of collectives ---------------------------------------------------------------------------------- */

typedef struct window {
    double start, end, bytes;
} window;

static int compare_windows(const void *a, const void *b)
{
    const window *x = a, *y = b;
    return (x->start > y->start) - (x->start < y->start);
}

/* Slices of one collective are made one after the other, ranks ascending. */
static uint32_t list_windows(const aiu_run *run, window *list)
{
    const aiu_events *v = &run->events;
    uint32_t n = 0, before = PF_NONE;
    for (uint32_t e = 0; e < v->count; e++) {
        if (!(v->flags[e] & AIU_REAL_COLL) || (v->flags[e] & AIU_DROPPED)) {
            continue;
        }
        double end = pf_aiu_end(run, e);
        if (before == PF_NONE || v->name[before] != v->name[e] || v->pid[before] >= v->pid[e]) {
            list[n++] = (window){v->ts[e], end, (double)v->bytes[e]};
        }
        list[n - 1].start = fmin(list[n - 1].start, v->ts[e]);
        list[n - 1].end = fmax(list[n - 1].end, end);
        before = e;
    }
    qsort(list, n, sizeof *list, compare_windows);
    return n;
}

static uint32_t count_slices(const aiu_run *run)
{
    uint32_t n = 0;
    for (uint32_t e = 0; e < run->events.count; e++) {
        n += (run->events.flags[e] & AIU_REAL_COLL) != 0;
    }
    return n;
}

/* Every collective that has another one in its time says so. */
static void warn_overlap(aiu_run *run, const window *list, uint32_t n)
{
    uint64_t overlaps = 0;
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t k = i + 1; k < n && list[k].start < list[i].end && overlaps < LINES_MAX; k++) {
            overlaps += 2;
        }
    }
    if (overlaps) {
        pf_aiu_log(run, "WARNING",
                   "BW: More than one collective group without close. Could be caused by processing "
                   "subset of events.");
    }
    for (uint64_t i = 0; i < overlaps; i++) {
        pf_aiu_log(run, "WARNING",
                   "CBW: Concurrent collective ops detected. BW counters will be wrong (BW of latest "
                   "collective is shown).");
    }
}

/* How many peers a slice of a collective says. */
static uint32_t count_peers(const aiu_run *run, uint32_t e)
{
    uint32_t n = 1;
    for (uint32_t x = run->events.extra[e]; x != PF_NONE; x = run->extras.list[x].next) {
        pf_str list = pf_aiu_text_of(run, run->extras.list[x].as.text);
        bool its = pf_aiu_equals(pf_aiu_text_of(run, run->extras.list[x].key), "peers");
        for (size_t i = 0; its && i < list.len; i++) {
            n += list.ptr[i] == ',';
        }
    }
    return n;
}

/* What the program before postfetto knows as slices of collectives come, one collective after the other. */
typedef struct arrivals {
    aiu_run *run;
    window *list;
    uint32_t *slices; /* by window: how many came */
    uint32_t count;
    pf_map by_name; /* windows that wait for slices; PF_NONE: none */
    pf_map closed;  /* names of those that are done -> the gap they come after */
    uint32_t gap, open;
    double end; /* of the last one that is done; NAN */
} arrivals;

static pf_status close_window(arrivals *a, uint32_t name, window w)
{
    pf_status st = PF_OK;
    if (w.start > a->end) {
        st = pf_aiu_add_sample(a->run, AIU_SERIES_COLL_BW, COUNTER_PID, a->end, 0, 0);
        a->gap++;
        a->open = 0;
    }
    double value = gigabytes_per_second(w.bytes, w.end - w.start);
    st = st == PF_OK ? pf_aiu_add_sample(a->run, AIU_SERIES_COLL_BW, COUNTER_PID, w.start, value, 0) : st;
    a->open += pf_map_get(&a->closed, name) != a->gap;
    a->end = w.end;
    bool ok = pf_map_set(&a->closed, name, a->gap) && pf_map_set(&a->by_name, name, PF_NONE);
    return ok || st != PF_OK ? st : pf_budget_refused(a->run->budget, sizeof w, &a->run->error);
}

/* False: the other program ends there, at two collectives of a name at the same time. */
static bool take_slice(arrivals *a, uint32_t e, pf_status *st)
{
    const aiu_events *v = &a->run->events;
    uint32_t at = pf_map_get(&a->by_name, v->name[e]);
    double end = pf_aiu_end(a->run, e);
    bool late = v->ts[e] < a->end;
    if (late && pf_map_get(&a->closed, v->name[e]) == a->gap) {
        return false;
    }
    if (late) {
        pf_aiu_log(a->run, "WARNING",
                   "CBW: Concurrent collective ops detected. BW counters will be wrong (BW of latest collective is "
                   "shown).");
    }
    if (at == PF_NONE) {
        a->list[a->count] = (window){v->ts[e], end, (double)v->bytes[e]};
        a->slices[a->count] = 1;
        *st = pf_map_set(&a->by_name, v->name[e], a->count++) ? PF_OK
                                                              : pf_budget_refused(a->run->budget, 64, &a->run->error);
        return true;
    }
    a->list[at].start = fmin(a->list[at].start, v->ts[e]);
    a->list[at].end = fmax(a->list[at].end, end);
    if (++a->slices[at] == count_peers(a->run, e)) {
        *st = close_window(a, v->name[e], a->list[at]);
    }
    return true;
}

static pf_status take_slices(aiu_run *run, window *list, uint32_t count)
{
    arrivals a = {.run = run, .list = list, .end = NAN};
    a.slices = pf_pass_alloc(run->ctx, (size_t)count + 1, sizeof *a.slices, &run->error);
    pf_map_init(&a.by_name, run->budget);
    pf_map_init(&a.closed, run->budget);
    pf_status st = a.slices ? PF_OK : run->error.code;
    bool more = true;
    for (uint32_t e = 0; e < run->events.count && st == PF_OK && more; e++) {
        bool its = run->events.flags[e] & AIU_REAL_COLL && !(run->events.flags[e] & AIU_DROPPED);
        more = !its || take_slice(&a, e, &st);
    }
    if (st == PF_OK && a.open) {
        st = pf_aiu_add_sample(run, AIU_SERIES_COLL_BW, COUNTER_PID, a.end, 0, 0);
    }
    if (a.open > 1) {
        pf_aiu_log(run, "WARNING",
                   "BW: More than one collective group without close. Could be caused by processing "
                   "subset of events.");
    }
    pf_map_free(&a.by_name);
    pf_map_free(&a.closed);
    return st;
}

pf_status pf_aiu_collective_bandwidth(aiu_run *run)
{
    window *list = pf_pass_alloc(run->ctx, (size_t)count_slices(run) + 1, sizeof *list, &run->error);
    if (list && run->set.compat != AIU_WANT) {
        return take_slices(run, list, count_slices(run));
    }
    uint32_t n = list ? list_windows(run, list) : 0;
    pf_status st = list ? PF_OK : run->error.code;
    for (uint32_t i = 0; i < n && st == PF_OK; i++) {
        double value = gigabytes_per_second(list[i].bytes, list[i].end - list[i].start);
        st = pf_aiu_add_sample(run, AIU_SERIES_COLL_BW, COUNTER_PID, list[i].start, value, 0);
        if (st == PF_OK && (i + 1 == n || list[i + 1].start > list[i].end)) {
            st = pf_aiu_add_sample(run, AIU_SERIES_COLL_BW, COUNTER_PID, list[i].end, 0, 0);
        }
    }
    warn_overlap(run, list, n);
    return st;
}

/* ---- without them ------------------------------------------------------------------------------------------------ */

typedef struct guess {
    bool under_way, sized;
    double begin, bytes, before; /* before: the end of the slice before */
    uint64_t receives, ranks;
} guess;

static pf_status add_guess(aiu_run *run, guess *g)
{
    double value = gigabytes_per_second(g->bytes, g->before - g->begin);
    double all = value * 2 * ((double)g->ranks - 1);
    pf_status st = PF_OK;
    const double at[] = {g->begin, g->before}, one[] = {value, 0}, pcie[] = {all, 0};
    for (int i = 0; i < 2 && st == PF_OK; i++) {
        st = pf_aiu_add_sample(run, AIU_SERIES_BW_ALLREDUCE, COUNTER_PID, at[i], one[i], 0);
        st = st == PF_OK ? pf_aiu_add_sample(run, AIU_SERIES_BW_PCIE, COUNTER_PID, at[i], pcie[i], 0) : st;
    }
    g->under_way = false;
    return st;
}

static pf_status look_at(aiu_run *run, guess *g, uint32_t e)
{
    const aiu_events *v = &run->events;
    bool kernel = pf_aiu_name(run, v->name[e])->flags & AIU_NAME_HAS_EXEC;
    pf_status st = PF_OK;
    if (v->group[e]) {
        if (!g->under_way) {
            g->under_way = true;
            g->begin = isnan(g->before) ? v->ts[e] : g->before;
            g->receives = 0;
            g->bytes = 0;
        }
        g->receives += pf_aiu_contains(pf_aiu_text_of(run, v->type[e]), "WDone");
        g->bytes = g->bytes > 0 ? g->bytes : (double)v->bytes[e];
    } else if (kernel && g->under_way && g->receives > g->ranks - 1) {
        st = add_guess(run, g);
    }
    g->before = pf_aiu_end(run, e);
    return st;
}

/* The same in the program before postfetto: the size is that of the first send, what ended before the first slice is
 * the last one of all, and what another collective than an all-reduce does to it. False: it stops there. */
static bool look_like_reference(aiu_run *run, guess *g, uint32_t e, pf_status *st)
{
    const aiu_events *v = &run->events;
    pf_str name = pf_aiu_text_of(run, v->name[e]), group = pf_aiu_text_of(run, v->group[e]);
    if (pf_aiu_contains(group, "AllReduce_all_reduce_")) {
        g->begin = g->under_way ? g->begin : g->before;
        g->under_way = true;
        if (!g->sized && pf_aiu_contains(name, "SenRdmaSend") && v->flags[e] & AIU_HAS_BYTES) {
            g->bytes = (double)v->bytes[e];
            g->sized = true;
        }
        g->receives += pf_aiu_contains(name, "SenRdmaRecv");
    } else if (g->under_way && g->sized && g->receives > g->ranks - 1 && !v->group[e] &&
               pf_aiu_contains(name, " Cmpt Exec")) {
        *st = add_guess(run, g);
        g->sized = false;
        g->bytes = 0;
        g->receives = 0;
    } else if (g->under_way && g->sized && pf_aiu_contains(group, "AllGather")) {
        return false;
    }
    g->before = pf_aiu_end(run, e);
    return true;
}

static bool add_pids(pf_map *pids, const int64_t *pid, uint32_t count)
{
    bool ok = true;
    for (uint32_t i = 0; i < count && ok; i++) {
        ok = pf_map_set(pids, (uint64_t)pid[i], 0);
    }
    return ok;
}

/* How many pids there are, whatever has them. */
static pf_status count_pids(aiu_run *run, uint64_t *count)
{
    pf_map pids;
    pf_map_init(&pids, run->budget);
    bool ok =
        add_pids(&pids, run->samples.pid, run->samples.count) && add_pids(&pids, run->arrows.pid, run->arrows.count);
    for (uint32_t i = 0; i < run->alive && ok; i++) {
        ok = add_pids(&pids, &run->events.pid[run->order[i]], 1);
    }
    *count = pids.count;
    pf_map_free(&pids);
    return ok ? PF_OK : pf_budget_refused(run->budget, sizeof *count, &run->error);
}

static pf_status list_by_end(aiu_run *run, aiu_key **out, uint32_t *count)
{
    aiu_key *keys = pf_alloc_zero(run->budget, (size_t)run->alive + 1, sizeof *keys);
    *count = 0;
    *out = keys;
    if (!keys) {
        return pf_budget_refused(run->budget, (uint64_t)run->alive * sizeof *keys, &run->error);
    }
    for (uint32_t i = 0; i < run->alive; i++) {
        if (pf_aiu_is_slice(run, run->order[i])) {
            keys[(*count)++] = (aiu_key){pf_aiu_end(run, run->order[i]), 0, run->order[i]};
        }
    }
    return pf_aiu_sort_keys(run, keys, *count);
}

pf_status pf_aiu_group_bandwidth(aiu_run *run)
{
    aiu_groups groups;
    aiu_key *keys = NULL;
    uint32_t n = 0, room = run->alive;
    guess g = {.before = NAN};
    bool want = run->set.compat == AIU_WANT, more = true;
    pf_status st = want ? pf_aiu_groups_read(run, &groups) : count_pids(run, &g.ranks);
    if (want) {
        g.ranks = groups.ranks;
        pf_aiu_groups_free(&groups);
    }
    if (st != PF_OK || (want && g.ranks < 2) || run->set.compat == AIU_REFERENCE) {
        want ? (void)0 : pf_aiu_reverse(run);
        return st;
    }
    st = list_by_end(run, &keys, &n);
    g.before = n && st == PF_OK && !want ? keys[n - 1].first : g.before;
    for (uint32_t i = 0; i < n && st == PF_OK && more; i++) {
        more = want || look_like_reference(run, &g, keys[i].row, &st);
        st = want ? look_at(run, &g, keys[i].row) : st;
    }
    pf_release(run->budget, keys, ((size_t)room + 1) * sizeof *keys);
    want ? (void)0 : pf_aiu_reverse(run);
    return st;
}
