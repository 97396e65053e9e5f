/* analyze/aiu/ranks/aiu_members.c - the ranks of complete collectives, and the kernel whose result each brings.
 *
 * A rank comes to a collective when the kernel ends whose result it sends: the last one that ended before the first of
 * its transfers did. It is there until it has received the last piece, or until its own multicast is over.
 */
#include "analyze/aiu/ranks/aiu_ranks.h"

#include <math.h>
#include <stdlib.h>

/* ---- members ----------------------------------------------------------------------------------------------------- */

static void note(const aiu_run *run, const aiu_sync_slice *s, aiu_member *m)
{
    double end = pf_aiu_end(run, s->event);
    m->first_start = fmin(m->first_start, run->events.ts[s->event]);
    m->first_end = fmin(m->first_end, end);
    m->last_end = fmax(m->last_end, end);
    m->last_receive = s->kind == AIU_SYNC_RECEIVE ? fmax(m->last_receive, end) : m->last_receive;
    m->last_multicast = s->kind == AIU_SYNC_MULTI ? fmax(m->last_multicast, end) : m->last_multicast;
}

static int compare_members(const void *a, const void *b)
{
    const aiu_member *x = a, *y = b;
    return (x->pid > y->pid) - (x->pid < y->pid);
}

/* The slices of a collective as one member each, then those of one rank folded into one. */
static uint32_t list_members(const aiu_run *run, const aiu_flows *f, const aiu_collective *c, aiu_member *list)
{
    uint32_t n = 0, kept = 0;
    for (uint32_t s = c->first; s != PF_NONE; s = f->slice[s].next) {
        list[n] = (aiu_member){.pid = run->events.pid[f->slice[s].event],
                               .first_start = INFINITY,
                               .first_end = INFINITY,
                               .last_receive = -INFINITY,
                               .last_multicast = -INFINITY,
                               .last_end = -INFINITY,
                               .kernel = PF_NONE,
                               .transfer = f->slice[s].event};
        note(run, &f->slice[s], &list[n++]);
    }
    qsort(list, n, sizeof *list, compare_members);
    for (uint32_t i = 0; i < n; i++) {
        if (kept == 0 || list[kept - 1].pid != list[i].pid) {
            list[kept++] = list[i];
            continue;
        }
        aiu_member *m = &list[kept - 1];
        m->first_start = fmin(m->first_start, list[i].first_start);
        m->first_end = fmin(m->first_end, list[i].first_end);
        m->last_end = fmax(m->last_end, list[i].last_end);
        m->last_receive = fmax(m->last_receive, list[i].last_receive);
        m->last_multicast = fmax(m->last_multicast, list[i].last_multicast);
    }
    return kept;
}

static void list_all(aiu_run *run, const aiu_flows *f, aiu_members *m)
{
    m->list = pf_aiu_alloc(run, f->slices, sizeof *m->list);
    m->from = pf_aiu_alloc(run, (size_t)f->collectives + 1, sizeof *m->from);
    for (uint32_t i = 0; i < f->collectives && m->from; i++) {
        const aiu_collective *c = &f->collective[i];
        m->count += c->complete ? list_members(run, f, c, m->list + m->count) : 0;
        m->from[i + 1] = m->count;
    }
}

/* ---- the kernel before ------------------------------------------------------------------------------------------- */

static bool is_kernel(aiu_run *run, uint32_t e)
{
    return pf_aiu_is_slice(run, e) && !run->events.group[e] && run->events.row[e] != PF_NONE &&
           (pf_aiu_name(run, run->events.name[e])->flags & AIU_NAME_HAS_EXEC);
}

static aiu_key by_rank_and_end(const aiu_run *run, uint32_t e)
{
    return (aiu_key){run->events.rank[e], pf_aiu_end(run, e), e};
}

/* The kernel of each member's rank whose end is the last that is not after that of the first transfer. */
static void find_kernels(aiu_run *run, aiu_members *m)
{
    aiu_rows kernels = pf_aiu_rows(run, is_kernel);
    const aiu_key *keys = pf_aiu_keys(run, kernels, by_rank_and_end);
    for (uint32_t i = 0; i < m->count && keys; i++) {
        uint32_t rank = pf_map_get(&run->ranks.by_pid, (uint64_t)m->list[i].pid);
        uint32_t before = pf_aiu_keys_before(keys, kernels.count, rank, m->list[i].first_end);
        m->list[i].kernel = before && keys[before - 1].first >= rank ? keys[before - 1].row : PF_NONE;
    }
}

/* ---- both -------------------------------------------------------------------------------------------------------- */

aiu_stay pf_aiu_stay_of(const aiu_run *run, const aiu_member *m)
{
    bool multicast = m->last_multicast > -INFINITY;
    double end = multicast ? m->last_multicast : m->last_receive > -INFINITY ? m->last_receive : m->last_end;
    double start = m->kernel == PF_NONE ? m->first_start : pf_aiu_end(run, m->kernel);
    if (!pf_aiu_rule(run, AIU_ONE_AT_A_TIME) && multicast) {
        end = fmax(end, m->last_receive);
    }
    return (aiu_stay){start, end};
}

uint64_t pf_aiu_collective_bytes(const aiu_run *run, const aiu_flows *f, const aiu_collective *c)
{
    for (uint32_t s = c->first; s != PF_NONE; s = f->slice[s].next) {
        if (run->events.flags[f->slice[s].event] & AIU_HAS_BYTES) {
            return run->events.bytes[f->slice[s].event];
        }
    }
    return 0;
}

void pf_aiu_members_read(aiu_run *run, const aiu_flows *f, aiu_members *out)
{
    *out = (aiu_members){.count = 0};
    list_all(run, f, out);
    find_kernels(run, out);
}

aiu_exchange *pf_aiu_exchange(aiu_run *run)
{
    if (!run->exchange) {
        run->exchange = pf_aiu_alloc(run, 1, sizeof *run->exchange);
    }
    return run->exchange;
}
