/* analyze/aiu/ranks/aiu_members.c - the ranks of complete collectives, and the kernel whose result each brings.
 *
 * A rank comes to a collective when the kernel ends whose result it sends: the last one that ended before the first of
 * its transfers did. It is there until it has received the last piece, or until its own multicast is over.
 */
#include "analyze/aiu/ranks/aiu_members.h"

#include <math.h>
#include <stdlib.h>

typedef struct builder {
    const aiu_flows *f;
    aiu_members m;
    aiu_key *kernel; /* rank, end, event */
    uint32_t kernels;
    pf_map ranks; /* pid -> number of the rank */
} builder;

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
static uint32_t list_members(const aiu_run *run, builder *b, const aiu_collective *c, aiu_member *list)
{
    uint32_t n = 0, kept = 0;
    for (uint32_t s = c->first; s != PF_NONE; s = b->f->slice[s].next) {
        list[n] = (aiu_member){.pid = run->events.pid[b->f->slice[s].event],
                               .first_start = INFINITY,
                               .first_end = INFINITY,
                               .last_receive = -INFINITY,
                               .last_multicast = -INFINITY,
                               .last_end = -INFINITY,
                               .kernel = PF_NONE,
                               .transfer = b->f->slice[s].event};
        note(run, &b->f->slice[s], &list[n++]);
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

static void prepare(aiu_run *run, builder *b)
{
    b->m.list = pf_aiu_alloc(run, b->f->slices, sizeof *b->m.list);
    b->m.from = pf_aiu_alloc(run, (size_t)b->f->collectives + 1, sizeof *b->m.from);
    for (uint32_t i = 0; i < b->f->collectives && b->m.from; i++) {
        const aiu_collective *c = &b->f->collective[i];
        b->m.from[i] = b->m.count;
        b->m.count += c->complete ? list_members(run, b, c, b->m.list + b->m.count) : 0;
    }
    if (b->m.from) {
        b->m.from[b->f->collectives] = b->m.count;
    }
}

/* ---- the kernel before ------------------------------------------------------------------------------------------- */

static bool is_kernel(aiu_run *run, uint32_t e)
{
    return pf_aiu_is_slice(run, e) && !run->events.group[e] && run->events.row[e] != PF_NONE &&
           (pf_aiu_name(run, run->events.name[e])->flags & AIU_NAME_HAS_EXEC);
}

static void collect_kernels(aiu_run *run, builder *b)
{
    b->kernel = pf_aiu_scratch(run, run->alive, sizeof *b->kernel);
    for (uint32_t i = 0; i < run->alive && b->kernel; i++) {
        uint32_t e = run->order[i];
        if (is_kernel(run, e)) {
            uint32_t rank = pf_aiu_number(run, &b->ranks, (uint64_t)run->events.pid[e]);
            b->kernel[b->kernels++] = (aiu_key){rank, pf_aiu_end(run, e), e};
        }
    }
    if (b->kernel) {
        pf_aiu_sort_keys(run, b->kernel, b->kernels);
    }
}

/* The kernel of a rank whose end is the last that is not after `time`. */
static uint32_t kernel_before(const builder *b, uint32_t rank, double time)
{
    uint32_t low = 0, high = b->kernels;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const aiu_key *k = &b->kernel[middle];
        if (k->first < rank || (k->first <= rank && k->second <= time)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low && b->kernel[low - 1].first >= rank ? b->kernel[low - 1].row : PF_NONE;
}

/* ---- both -------------------------------------------------------------------------------------------------------- */

aiu_stay pf_aiu_stay_of(const aiu_run *run, const aiu_member *m)
{
    bool multicast = m->last_multicast > -INFINITY;
    double end = multicast ? m->last_multicast : m->last_receive > -INFINITY ? m->last_receive : m->last_end;
    double start = m->kernel == PF_NONE ? m->first_start : pf_aiu_end(run, m->kernel);
    if (!pf_acelyzer(run) && multicast) {
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
    builder b = {.f = f};
    pf_map_init(&b.ranks, run->budget);
    prepare(run, &b);
    collect_kernels(run, &b);
    for (uint32_t i = 0; i < b.m.count && !pf_aiu_failed(run); i++) {
        uint32_t rank = pf_map_get(&b.ranks, (uint64_t)b.m.list[i].pid);
        b.m.list[i].kernel = rank == PF_NONE ? PF_NONE : kernel_before(&b, rank, b.m.list[i].first_end);
    }
    pf_map_free(&b.ranks);
    *out = b.m;
}

aiu_exchange *pf_aiu_exchange(aiu_run *run)
{
    if (!run->exchange) {
        run->exchange = pf_aiu_alloc(run, 1, sizeof *run->exchange);
    }
    return run->exchange;
}
