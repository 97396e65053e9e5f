/* analyze/aiu/ranks/aiu_groups.c - collectives by rank and group.
 *
 * One walk counts, one numbers the ranks (ascending by pid), one the groups (as the first rank meets them, then those
 * that it lacks; the program before postfetto knows those that rank 0 meets alone), and one fills in the parts: a part
 * is one rank in one group. There are at most as many parts as slices, whatever the product of ranks and groups.
 */
#include <math.h>
#include <stdlib.h>

#include "analyze/aiu/ranks/aiu_ranks.h"
#include "analyze/support/pass_memory.h"

static bool is_collective(const aiu_run *run, uint32_t e)
{
    return pf_aiu_is_slice(run, e) && pf_aiu_is_device(run, e) && run->events.group[e];
}

static bool is_allreduce(const aiu_run *run, uint32_t e)
{
    return pf_aiu_contains(pf_aiu_text_of(run, run->events.group[e]), "AllReduce");
}

/* The slices that count. */
static pf_status list_slices(aiu_run *run, aiu_groups *g)
{
    uint32_t all = 0, reduce = 0;
    for (uint32_t i = 0; i < run->alive; i++) {
        if (is_collective(run, run->order[i])) {
            all++;
            reduce += is_allreduce(run, run->order[i]);
        }
    }
    uint32_t room = reduce ? reduce : all;
    g->slice = pf_pass_alloc(run->ctx, room + 1, sizeof *g->slice, &run->error);
    g->of = g->slice ? pf_pass_alloc(run->ctx, room + 1, sizeof *g->of, &run->error) : NULL;
    if (!g->of) {
        return run->error.code;
    }
    for (uint32_t i = 0; i < run->alive; i++) {
        uint32_t e = run->order[i];
        if (is_collective(run, e) && (!reduce || is_allreduce(run, e))) {
            g->slice[g->slices++] = e;
        }
    }
    return PF_OK;
}

static int compare_pids(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static pf_status number_ranks(aiu_run *run, aiu_groups *g)
{
    pf_map seen;
    pf_map_init(&seen, run->budget);
    g->pid = pf_pass_alloc(run->ctx, g->slices + 1, sizeof *g->pid, &run->error);
    pf_status st = g->pid ? PF_OK : run->error.code;
    for (uint32_t i = 0; i < g->slices && st == PF_OK; i++) {
        int64_t pid = run->events.pid[g->slice[i]];
        if (pf_map_get(&seen, (uint64_t)pid) == PF_NONE) {
            g->pid[g->ranks++] = pid;
            st = pf_map_set(&seen, (uint64_t)pid, 0) ? PF_OK : pf_budget_refused(run->budget, 64, &run->error);
        }
    }
    pf_map_free(&seen);
    if (st == PF_OK) {
        qsort(g->pid, g->ranks, sizeof *g->pid, compare_pids);
    }
    return st;
}

uint32_t pf_aiu_rank_of(const aiu_groups *g, int64_t pid)
{
    const int64_t *at = g->ranks ? bsearch(&pid, g->pid, g->ranks, sizeof *g->pid, compare_pids) : NULL;
    return at ? (uint32_t)(at - g->pid) : PF_NONE;
}

static pf_status number_groups(aiu_run *run, aiu_groups *g, pf_map *number)
{
    g->name = pf_pass_alloc(run->ctx, g->slices + 1, sizeof *g->name, &run->error);
    g->members = g->name ? pf_pass_alloc(run->ctx, g->slices + 1, sizeof *g->members, &run->error) : NULL;
    pf_status st = g->members ? PF_OK : run->error.code;
    int rounds = run->set.compat == AIU_WANT ? 2 : g->ranks && g->pid[0] == 0;
    for (int first = 1; first > 1 - rounds; first--) {
        for (uint32_t i = 0; i < g->slices && st == PF_OK; i++) {
            uint32_t text = run->events.group[g->slice[i]];
            bool of_first = run->events.pid[g->slice[i]] == g->pid[0];
            if (of_first == first && pf_map_get(number, text) == PF_NONE) {
                g->name[g->groups] = text;
                st = pf_map_set(number, text, g->groups++) ? PF_OK : pf_budget_refused(run->budget, 64, &run->error);
            }
        }
    }
    return st;
}

static uint64_t part_key(uint32_t rank, uint32_t group)
{
    return (uint64_t)rank << 32 | group;
}

const aiu_part *pf_aiu_part(const aiu_groups *g, uint32_t rank, uint32_t group)
{
    uint32_t at = pf_map_get(&g->at, part_key(rank, group));
    return at == PF_NONE ? NULL : &g->part[at];
}

static pf_status add_slice(aiu_run *run, aiu_groups *g, uint32_t i, uint32_t group)
{
    uint32_t e = g->slice[i], rank = pf_aiu_rank_of(g, run->events.pid[e]);
    uint32_t at = pf_map_get(&g->at, part_key(rank, group));
    if (at == PF_NONE) {
        at = g->parts++;
        g->part[at] = (aiu_part){.rank = rank, .group = group, .received = -INFINITY, .sent = -INFINITY};
        g->members[group]++;
        if (!pf_map_set(&g->at, part_key(rank, group), at)) {
            return pf_budget_refused(run->budget, 64, &run->error);
        }
    }
    aiu_part *p = &g->part[at];
    double received = pf_aiu_step_time(run, e, 2), sent = pf_aiu_step_time(run, e, 5);
    p->received = received > p->received ? received : p->received;
    if (sent > p->sent || (sent == p->sent && run->set.compat != AIU_WANT)) {
        p->sent = sent;
        p->last = e;
    }
    g->of[i] = at;
    return PF_OK;
}

pf_status pf_aiu_groups_read(aiu_run *run, aiu_groups *g)
{
    pf_map number;
    *g = (aiu_groups){0};
    pf_map_init(&g->at, run->budget);
    pf_map_init(&number, run->budget);
    pf_status st = list_slices(run, g);
    st = st == PF_OK ? number_ranks(run, g) : st;
    st = st == PF_OK ? number_groups(run, g, &number) : st;
    g->part = st == PF_OK ? pf_pass_alloc(run->ctx, g->slices + 1, sizeof *g->part, &run->error) : NULL;
    st = st == PF_OK && !g->part ? run->error.code : st;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < g->slices && st == PF_OK; i++) {
        uint32_t group = pf_map_get(&number, run->events.group[g->slice[i]]);
        if (group != PF_NONE) {
            g->slice[kept] = g->slice[i];
            st = add_slice(run, g, kept++, group);
        }
    }
    g->slices = kept;
    pf_map_free(&number);
    return st;
}

void pf_aiu_groups_free(aiu_groups *g)
{
    pf_map_free(&g->at);
}

/* Which group lacks a rank; PF_NONE: none does. */
static uint32_t incomplete_group(const aiu_groups *g)
{
    for (uint32_t i = 0; i < g->groups; i++) {
        if (g->members[i] != g->ranks) {
            return i;
        }
    }
    return PF_NONE;
}

/* The program before postfetto looks ranks up by 0, 1, 2, ... */
static bool ranks_count_up(const aiu_groups *g)
{
    uint32_t i = 0;
    while (i < g->ranks && g->pid[i] == i) {
        i++;
    }
    return i == g->ranks;
}

pf_status pf_aiu_groups_common(aiu_run *run, const aiu_groups *g, uint32_t *list, uint32_t *count)
{
    uint32_t lacking = incomplete_group(g);
    *count = 0;
    run->unmatched = run->set.compat != AIU_WANT && !run->set.sync_v2 && (lacking != PF_NONE || !ranks_count_up(g));
    if (run->unmatched && lacking == PF_NONE) {
        return pf_fail(&run->error, PF_ERR_USAGE, "ranks are not 0 to %u; give -M to keep their clocks as they are",
                       g->ranks - 1);
    }
    if (lacking != PF_NONE && run->set.compat != AIU_WANT) {
        pf_str name = pf_aiu_text_of(run, g->name[lacking]);
        return pf_fail(&run->error, PF_ERR_USAGE,
                       "collective %.*s has no events on some rank; give -M to keep the clocks of the "
                       "ranks as they are",
                       (int)name.len, name.ptr);
    }
    for (uint32_t i = 0; i < g->groups; i++) {
        if (g->members[i] == g->ranks) {
            list[(*count)++] = i;
        }
    }
    if (lacking != PF_NONE && !run->by_rate) { /* which the way by the first receive has said */
        return pf_aiu_log(run, "WARNING", "MP SYNC: %u of %u collectives lack a rank and do not count for the clocks",
                          g->groups - *count, g->groups);
    }
    return PF_OK;
}

void pf_aiu_log_buffer(aiu_run *run, pf_buffer *b)
{
    pf_aiu_log_text(run, "INFO", pf_pass_keep_buffer(run->findings, b));
}

pf_status pf_aiu_sort_by_time(aiu_run *run)
{
    pf_aiu_compact(run);
    size_t room = (size_t)run->alive + 1;
    aiu_key *keys = pf_alloc_zero(run->budget, room, sizeof *keys);
    if (!keys) {
        return pf_budget_refused(run->budget, room * sizeof *keys, &run->error);
    }
    for (uint32_t i = 0; i < run->alive; i++) {
        keys[i] = (aiu_key){run->events.ts[run->order[i]], 0, run->order[i]};
    }
    pf_status st = pf_aiu_sort_keys(run, keys, run->alive);
    for (uint32_t i = 0; i < run->alive && st == PF_OK; i++) {
        run->order[i] = keys[i].row;
    }
    pf_release(run->budget, keys, room * sizeof *keys);
    return st;
}
