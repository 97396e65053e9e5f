/* analyze/aiu/facts/aiu_rows.c - rows that a step asks for, as lists of its own: all of them, group by group, by a key,
 * with arguments; and rows and keys sorted, without moving events. */

#include "analyze/aiu/facts/aiu_parts.h"
#include "base/ordering.h"
#include "model/trace/row_sort.h"

aiu_rows pf_aiu_rows(aiu_run *run, aiu_test *test)
{
    aiu_rows r = {.count = 0};
    uint32_t most = 0;
    for (uint32_t i = 0, e; pf_aiu_next(run, test, &i, &e);) {
        most++;
    }
    r.list = pf_aiu_scratch(run, most, sizeof *r.list);
    for (uint32_t i = 0, e; r.list && pf_aiu_next(run, test, &i, &e);) {
        r.list[r.count++] = e;
    }
    return r;
}

aiu_rows pf_aiu_rows_by(aiu_run *run, aiu_rows rows, const uint32_t *number, uint32_t groups)
{
    uint32_t *first = pf_aiu_scratch(run, (size_t)groups + 2, sizeof *first);
    uint32_t *list = pf_aiu_scratch(run, rows.count, sizeof *list);
    if (!list) {
        return (aiu_rows){.count = 0};
    }
    for (uint32_t i = 0; i < rows.count; i++) {
        first[number[rows.list[i]] + 2]++;
    }
    for (uint32_t g = 2; g <= groups; g++) {
        first[g] += first[g - 1];
    }
    for (uint32_t i = 0; i < rows.count; i++) {
        list[first[number[rows.list[i]] + 1]++] = rows.list[i];
    }
    return (aiu_rows){list, rows.count, first};
}

static bool has_higher_pid(const void *pids, uint32_t a, uint32_t b)
{
    const int64_t *pid = pids;
    return pid[a] > pid[b];
}

uint32_t *pf_aiu_ranks_by_pid(aiu_run *run)
{
    uint32_t count = run->ranks.count, *order = pf_aiu_scratch(run, 2 * (size_t)count, sizeof *order);
    if (order) {
        pf_order_rows(order, order + count, count, has_higher_pid, run->ranks.pid);
    }
    return order;
}

aiu_key *pf_aiu_keys(aiu_run *run, aiu_rows rows, aiu_key (*key_of)(const aiu_run *run, uint32_t e))
{
    aiu_key *keys = pf_aiu_scratch(run, rows.count, sizeof *keys);
    for (uint32_t i = 0; i < rows.count && keys; i++) {
        keys[i] = key_of(run, rows.list[i]);
    }
    return keys && pf_aiu_sort_keys(run, keys, rows.count) == PF_OK ? keys : NULL;
}

uint32_t pf_aiu_keys_before(const aiu_key *keys, uint32_t count, double first, double second)
{
    uint32_t low = 0;
    PF_BISECT(low, count, keys[middle].first < first || (keys[middle].first <= first && keys[middle].second <= second));
    return low;
}

pf_arg_columns *pf_aiu_arguments(aiu_run *run, aiu_rows rows, const pf_arg_key *keys, size_t count)
{
    const pf_arg_options options = {.jobs = run->ctx->jobs, .cancel = run->ctx->cancel};
    uint32_t *event = rows.count ? pf_aiu_scratch(run, rows.count, sizeof *event) : NULL;
    pf_arg_columns *columns = NULL;
    for (uint32_t i = 0; i < rows.count && event; i++) {
        event[i] = run->events.row[rows.list[i]];
    }
    if (event && run->parts) {
        pf_aiu_parts_arguments(run, event, rows.count, keys, count, &columns);
    } else if (event) {
        pf_arg_columns_read(run->trace, event, rows.count, keys, count, &options, &columns, &run->error);
    }
    return columns;
}

int64_t *pf_aiu_correlations(aiu_run *run)
{
    static const pf_arg_key key = {.key = "correlation", .type = PF_ARG_INT, .from_text = true};
    aiu_rows slices = pf_aiu_rows(run, pf_aiu_is_torch_slice);
    pf_arg_columns *columns = pf_aiu_arguments(run, slices, &key, 1);
    int64_t *of = pf_aiu_scratch(run, run->events.count, sizeof *of);
    for (uint32_t i = 0; i < slices.count && of; i++) {
        const pf_arg_column *c = pf_arg_column_at(columns, 0);
        of[slices.list[i]] = pf_arg_has(c, i) ? c->values.i[i] : 0;
    }
    pf_arg_columns_free(columns);
    return of;
}

static bool key_after(const void *keys, uint32_t a, uint32_t b)
{
    const aiu_key *x = (const aiu_key *)keys + a, *y = (const aiu_key *)keys + b;
    return (x->first > y->first) | ((x->first == y->first) & (x->second > y->second));
}

static bool is_later(const void *run, uint32_t a, uint32_t b)
{
    const double *ts = ((const aiu_run *)run)->events.ts;
    return ts[a] > ts[b];
}

static bool is_later_or_shorter(const void *run, uint32_t a, uint32_t b)
{
    const double *ts = ((const aiu_run *)run)->events.ts, *dur = ((const aiu_run *)run)->events.dur;
    return (ts[a] > ts[b]) | ((ts[a] == ts[b]) & (dur[a] < dur[b]));
}

static bool is_of_later_thread(const void *threads, uint32_t a, uint32_t b)
{
    return ((const uint32_t *)threads)[a] > ((const uint32_t *)threads)[b];
}

/* Room for the rows of a sort; NULL: the run failed. */
static uint32_t *take_room(aiu_run *run, size_t bytes)
{
    uint32_t *room = pf_aiu_failed(run) ? NULL : pf_alloc(run->budget, bytes);
    if (!room && !pf_aiu_failed(run)) {
        pf_budget_refused(run->budget, bytes, &run->error);
    }
    return room;
}

pf_status pf_aiu_sort_keys(aiu_run *run, aiu_key *keys, uint32_t count)
{
    uint32_t sorted = 1;
    while (sorted < count && !key_after(keys, sorted - 1, sorted)) {
        sorted++;
    }
    if (sorted >= count) {
        return run->error.code;
    }
    size_t bytes = count * (sizeof *keys + 2 * sizeof(uint32_t));
    aiu_key *old = (aiu_key *)(void *)take_room(run, bytes);
    if (old) {
        uint32_t *order = (uint32_t *)(old + count);
        memcpy(old, keys, count * sizeof *keys);
        for (uint32_t i = 0; i < count; i++) {
            order[i] = i;
        }
        pf_sort_rows_by(order, order + count, count, key_after, old);
        for (uint32_t i = 0; i < count; i++) {
            keys[i] = old[order[i]];
        }
        pf_release(run->budget, old, bytes);
    }
    return run->error.code;
}

/* Sorts what is alive. */
static pf_status sort_order(aiu_run *run, bool (*after)(const void *, uint32_t, uint32_t), const void *ctx)
{
    pf_aiu_compact(run);
    size_t bytes = ((size_t)run->alive + 1) * sizeof(uint32_t);
    uint32_t *scratch = take_room(run, bytes);
    if (scratch) {
        pf_sort_rows(run->order, scratch, run->alive, after, ctx);
        pf_release(run->budget, scratch, bytes);
    }
    return run->error.code;
}

pf_status pf_aiu_sort_global(aiu_run *run)
{
    return sort_order(run, is_later_or_shorter, run);
}

pf_status pf_aiu_sort_by_time(aiu_run *run)
{
    return sort_order(run, is_later, run);
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

void pf_aiu_sort_threads(aiu_run *run)
{
    const aiu_events *v = &run->events;
    uint32_t *thread = pf_aiu_rule(run, AIU_BY_THREAD) ? pf_aiu_scratch(run, v->count, sizeof *thread) : NULL;
    aiu_pairs threads = pf_aiu_scratch_pairs(run); /* the number of each, in order of appearance */
    pf_aiu_compact(run);
    for (uint32_t i = 0; thread && i < run->alive && !pf_aiu_failed(run); i++) {
        uint32_t e = run->order[i];
        thread[e] = pf_aiu_pair(run, &threads, v->rank[e], v->tid[e] == AIU_ID_NONE ? 0 : (uint64_t)v->tid[e]);
    }
    if (pf_aiu_sort_global(run) == PF_OK && thread) {
        sort_order(run, is_of_later_thread, thread);
    }
}
