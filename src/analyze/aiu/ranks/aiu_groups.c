/* analyze/aiu/ranks/aiu_groups.c - collectives by rank and group.
 *
 * One walk counts, one numbers the ranks (ascending by pid), one the groups (as the first rank meets them, then those
 * that it lacks; acelyzer knows those that rank 0 meets alone), and one fills in the parts: a part
 * is one rank in one group. There are at most as many parts as slices, whatever the product of ranks and groups.
 */
#include <math.h>

#include "analyze/aiu/ranks/aiu_ranks.h"
#include "base/ordering.h"

static bool is_collective(aiu_run *run, uint32_t e)
{
    return pf_aiu_is_device_slice(run, e) && run->events.group[e];
}

static bool is_allreduce(aiu_run *run, uint32_t e)
{
    return is_collective(run, e) && pf_aiu_contains(pf_aiu_text_of(run, run->events.group[e]), "AllReduce");
}

uint32_t pf_aiu_rank_of(const aiu_groups *g, int64_t pid)
{
    uint32_t at = 0;
    PF_BISECT(at, g->ranks, g->pid[middle] < pid);
    return at < g->ranks && g->pid[at] == pid ? at : PF_NONE;
}

const aiu_part *pf_aiu_part(const aiu_groups *g, uint32_t rank, uint32_t group)
{
    uint32_t at = pf_map_get(g->at, (uint64_t)rank << 32 | group);
    return at == PF_NONE ? NULL : &g->part[at];
}

static void add_slice(aiu_run *run, aiu_groups *g, uint32_t i, uint32_t group)
{
    uint32_t e = g->slice[i], rank = pf_aiu_rank_of(g, run->events.pid[e]);
    uint32_t at = g->of[i] = pf_aiu_number(run, g->at, (uint64_t)rank << 32 | group);
    if (at == g->parts) {
        g->part[g->parts++] = (aiu_part){.rank = rank, .group = group, .received = -INFINITY, .sent = -INFINITY};
        g->members[group]++;
    }
    aiu_part *p = &g->part[at];
    double sent = pf_aiu_step_time(run, e, 5);
    p->received = fmax(p->received, pf_aiu_step_time(run, e, 2));
    if (sent > p->sent || (sent == p->sent && pf_aiu_rule(run, AIU_EQUALS_LATE))) {
        p->sent = sent;
        p->last = e;
    }
}

static void number_ranks(aiu_run *run, aiu_groups *g)
{
    const uint32_t *order = pf_aiu_ranks_by_pid(run);
    bool *takes_part = pf_aiu_scratch(run, run->ranks.count, sizeof *takes_part);
    g->pid = pf_aiu_alloc(run, run->ranks.count, sizeof *g->pid);
    for (uint32_t i = 0; i < g->slices && g->pid; i++) {
        takes_part[run->events.rank[g->slice[i]]] = true;
    }
    for (uint32_t i = 0; i < run->ranks.count && g->pid; i++) {
        g->pid[g->ranks] = run->ranks.pid[order[i]];
        g->ranks += takes_part[order[i]];
    }
}

pf_status pf_aiu_groups_read(aiu_run *run, aiu_groups *g)
{
    uint32_t kept = 0;
    pf_map *number = pf_aiu_scratch_map(run);
    aiu_rows slices = pf_aiu_rows(run, is_allreduce);
    slices = slices.count ? slices : pf_aiu_rows(run, is_collective);
    *g = (aiu_groups){.at = pf_aiu_scratch_map(run), .slice = slices.list, .slices = slices.count};
    g->of = pf_aiu_scratch(run, g->slices, sizeof *g->of);
    number_ranks(run, g);
    g->name = pf_aiu_scratch(run, g->slices, sizeof *g->name);
    g->members = pf_aiu_scratch(run, g->slices, sizeof *g->members);
    g->part = pf_aiu_scratch(run, g->slices, sizeof *g->part);
    int rounds = !pf_aiu_rule(run, AIU_EVERY_RANK) ? 2 : g->ranks && g->pid[0] == 0;
    for (int first = 1; first > 1 - rounds; first--) {
        for (uint32_t i = 0; i < g->slices && g->part; i++) {
            uint32_t text = run->events.group[g->slice[i]];
            bool of_first = run->events.pid[g->slice[i]] == g->pid[0];
            if (of_first == first && pf_aiu_number(run, number, text) == g->groups) {
                g->name[g->groups++] = text;
            }
        }
    }
    for (uint32_t i = 0; i < g->slices && !pf_aiu_failed(run); i++) {
        uint32_t group = pf_map_get(number, run->events.group[g->slice[i]]);
        if (group != PF_NONE) {
            g->slice[kept] = g->slice[i];
            add_slice(run, g, kept++, group);
        }
    }
    g->slices = kept;
    return run->error.code;
}

/* Acelyzer looks ranks up by 0, 1, 2, ... */
pf_status pf_aiu_groups_common(aiu_run *run, const aiu_groups *g, uint32_t *list, uint32_t *count)
{
    uint32_t lacking = PF_NONE, ranks = 0;
    bool every = pf_aiu_rule(run, AIU_EVERY_RANK);
    *count = 0;
    for (uint32_t i = 0; i < g->groups; i++) {
        if (g->members[i] == g->ranks) {
            list[(*count)++] = i;
        } else {
            lacking = lacking == PF_NONE ? i : lacking;
        }
    }
    while (ranks < g->ranks && g->pid[ranks] == ranks) {
        ranks++;
    }
    run->unmatched = every && !run->set.sync_v2 && (lacking != PF_NONE || ranks < g->ranks);
    if (lacking != PF_NONE && every) {
        pf_fail(&run->error, PF_ERR_USAGE,
                "collective %.*s has no events on some rank; give -M to keep the clocks of the ranks as they are",
                PF_TEXT_ARG(pf_aiu_text_of(run, g->name[lacking])));
    } else if (run->unmatched) {
        pf_fail(&run->error, PF_ERR_USAGE, "ranks are not 0 to %u; give -M to keep their clocks as they are",
                g->ranks - 1);
    } else if (lacking != PF_NONE && !run->by_rate) { /* which the way by the first receive has said */
        pf_aiu_log(run, "WARNING", "MP SYNC: %u of %u collectives lack a rank and do not count for the clocks",
                   g->groups - *count, g->groups);
    }
    *count = pf_aiu_failed(run) ? 0 : *count;
    return run->error.code;
}
