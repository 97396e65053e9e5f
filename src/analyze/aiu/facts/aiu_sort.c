/* analyze/aiu/facts/aiu_sort.c - sorting rows without moving events: a list of keys and rows is merged run by run, so
 * that what is in order already, or is a few lists in order, costs little more than a look. */
#include <string.h>

#include "analyze/aiu/facts/aiu_facts.h"

/* Without branches: which of two keys comes first is as good as random where lists are merged. */
static bool comes_before(const aiu_key *a, const aiu_key *b)
{
    return (a->first < b->first) | ((a->first == b->first) & (a->second < b->second));
}

/* The end of the run that begins at `from`. */
static uint32_t run_end(const aiu_key *keys, uint32_t from, uint32_t count)
{
    uint32_t i = from + 1;
    while (i < count && !comes_before(&keys[i], &keys[i - 1])) {
        i++;
    }
    return i < count ? i : count;
}

static void merge(const aiu_key *keys, uint32_t from, uint32_t middle, uint32_t to, aiu_key *out)
{
    const aiu_key *a = keys + from, *b = keys + middle;
    const aiu_key *const a_end = b, *const b_end = keys + to;
    out += from;
    while (a < a_end && b < b_end) {
        bool second = comes_before(b, a);
        *out++ = *(second ? b : a);
        b += second;
        a += !second;
    }
    memcpy(out, a, (size_t)(a_end - a) * sizeof *out);
    memcpy(out + (a_end - a), b, (size_t)(b_end - b) * sizeof *out);
}

/* Merges neighbouring runs into `out`; returns how many runs there are afterwards. */
static uint32_t merge_runs(const aiu_key *keys, uint32_t count, aiu_key *out)
{
    uint32_t runs = 0;
    for (uint32_t from = 0; from < count; runs++) {
        uint32_t middle = run_end(keys, from, count);
        uint32_t to = middle < count ? run_end(keys, middle, count) : count;
        merge(keys, from, middle, to, out);
        from = to;
    }
    return runs;
}

/* Where neighbours are out of order, as times of threads are that run at the same time, each is put into its place if
 * that is near: few long runs are left. */
static void sort_neighbours(aiu_key *keys, uint32_t count)
{
    enum { NEAR = 32 };
    for (uint32_t i = 1, from = 0; i < count; i++) {
        if (!comes_before(&keys[i], &keys[i - 1])) {
            continue;
        }
        uint32_t at = i - 1, least = i - from > NEAR ? i - NEAR : from;
        while (at > least && comes_before(&keys[i], &keys[at - 1])) {
            at--;
        }
        if (at > from && comes_before(&keys[i], &keys[at - 1])) {
            from = i;
            continue;
        }
        const aiu_key key = keys[i];
        memmove(keys + at + 1, keys + at, (i - at) * sizeof *keys);
        keys[at] = key;
    }
}

pf_status pf_aiu_sort_keys(aiu_run *run, aiu_key *keys, uint32_t count)
{
    if (count == 0 || run_end(keys, 0, count) == count) {
        return PF_OK;
    }
    size_t bytes = (size_t)count * sizeof *keys;
    aiu_key *other = pf_alloc(run->budget, bytes), *from = keys, *to = other;
    if (!other) {
        return pf_budget_refused(run->budget, bytes, &run->error);
    }
    sort_neighbours(keys, count);
    while (merge_runs(from, count, to) > 1) {
        aiu_key *swap = from;
        from = to;
        to = swap;
    }
    if (to != keys) {
        memcpy(keys, to, bytes);
    }
    pf_release(run->budget, other, bytes);
    return PF_OK;
}

/* Stages often leave the order as it was; one look at it costs less than keys do. */
static bool is_sorted(const aiu_run *run)
{
    const double *ts = run->events.ts, *dur = run->events.dur;
    for (uint32_t i = 1; i < run->alive; i++) {
        uint32_t a = run->order[i - 1], b = run->order[i];
        if (ts[b] < ts[a] || (ts[b] == ts[a] && dur[b] > dur[a])) {
            return false;
        }
    }
    return true;
}

/* Sorts by number of thread, or by time and, where asked for, length. */
static pf_status sort_order(aiu_run *run, const uint32_t *thread, bool longest_first)
{
    size_t bytes = ((size_t)run->alive + 1) * sizeof(aiu_key);
    aiu_key *keys = pf_alloc(run->budget, bytes);
    if (!keys) {
        return pf_budget_refused(run->budget, bytes, &run->error);
    }
    for (uint32_t i = 0; i < run->alive; i++) {
        uint32_t e = run->order[i];
        keys[i] = (aiu_key){thread ? thread[e] : run->events.ts[e], longest_first ? -run->events.dur[e] : 0, e};
    }
    pf_status st = pf_aiu_sort_keys(run, keys, run->alive);
    for (uint32_t i = 0; i < run->alive && st == PF_OK; i++) {
        run->order[i] = keys[i].row;
    }
    pf_release(run->budget, keys, bytes);
    return st;
}

pf_status pf_aiu_sort_global(aiu_run *run)
{
    pf_aiu_compact(run);
    return is_sorted(run) ? run->error.code : sort_order(run, NULL, true);
}

pf_status pf_aiu_sort_by_time(aiu_run *run)
{
    pf_aiu_compact(run);
    return sort_order(run, NULL, false);
}

void pf_aiu_reverse(aiu_run *run)
{
    pf_aiu_compact(run);
    for (uint32_t i = 0; i < run->alive / 2; i++) {
        uint32_t row = run->order[i];
        run->order[i] = run->order[run->alive - 1 - i];
        run->order[run->alive - 1 - i] = row;
    }
}

/* The number of each event's thread, in order of appearance. */
static void number_threads(aiu_run *run, uint32_t *thread)
{
    aiu_pairs threads;
    pf_aiu_pairs_init(&threads, run->budget);
    for (uint32_t i = 0; i < run->alive && !pf_aiu_failed(run); i++) {
        uint32_t e = run->order[i];
        int64_t tid = run->events.tid[e] == AIU_ID_NONE ? 0 : run->events.tid[e];
        thread[e] = pf_aiu_pair(run, &threads, run->events.rank[e], (uint64_t)tid);
    }
    pf_aiu_pairs_free(&threads);
}

void pf_aiu_sort_threads(aiu_run *run)
{
    uint32_t *thread = pf_aiu_rule(run, AIU_BY_THREAD) ? pf_aiu_scratch(run, run->events.count, sizeof *thread) : NULL;
    pf_aiu_compact(run);
    if (thread) {
        number_threads(run, thread);
    }
    if (pf_aiu_sort_global(run) == PF_OK && thread) {
        sort_order(run, thread, false);
    }
}
