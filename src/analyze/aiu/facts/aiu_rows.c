/* analyze/aiu/facts/aiu_rows.c - rows that a step asks for, as lists of its own: all of them, group by group, by a key,
 * with arguments. */
#include "analyze/aiu/facts/aiu_facts.h"
#include "model/trace/trace.h"

aiu_rows pf_aiu_rows(aiu_run *run, aiu_test *test)
{
    aiu_rows r = {.count = 0};
    uint32_t most = 0;
    for (uint32_t i = 0; i < run->alive; i++) {
        most += test(run, run->order[i]);
    }
    r.list = pf_aiu_scratch(run, most, sizeof *r.list);
    for (uint32_t i = 0; i < run->alive && r.list; i++) {
        if (test(run, run->order[i])) {
            r.list[r.count++] = run->order[i];
        }
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
    uint32_t low = 0, high = count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const aiu_key *k = &keys[middle];
        bool before = k->first < first || (k->first <= first && k->second <= second);
        low = before ? middle + 1 : low;
        high = before ? high : middle;
    }
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
    if (event) {
        pf_arg_columns_read(run->trace, event, rows.count, keys, count, &options, &columns, &run->error);
    }
    return columns;
}
