/* analyze/aiu/enriched/aiu_collective_costs.c - what collectives cost: a rank arrives when the kernel ends whose
 * result it brings, and nobody is done before the last one has arrived. What the others wait until then is lost.
 *
 * Times of two ranks are as far off as what is left between their clocks: between any two of them in the middle, and
 * between the ends of this collective, as clocks may drift. So what lies between ranks is known only if it is more than
 * twice that.
 */
#include <stdlib.h>

#include "analyze/aiu/enriched/aiu_measures.h"
#include "analyze/support/byte_rates.h"

static aiu_collective_cost read_cost(const aiu_run *run, uint32_t collective)
{
    const aiu_exchange *x = run->exchange;
    uint32_t first = x->members.from[collective], ranks = x->members.from[collective + 1] - first;
    uint64_t bytes = pf_aiu_collective_bytes(run, &x->flows, &x->flows.collective[collective]);
    aiu_collective_cost m = {.collective = collective, .first = first, .ranks = ranks, .bytes = bytes};
    m.start = m.last = m.before = INT64_MAX;
    m.end = INT64_MIN;
    int64_t first_end = INT64_MAX;
    for (uint32_t i = first; i < first + ranks; i++) {
        int64_t arrival = pf_aiu_arrival(run, &x->members.list[i]), leave = pf_aiu_leave(run, &x->members.list[i]);
        m.start = arrival < m.start ? arrival : m.start;
        m.end = leave > m.end ? leave : m.end;
        first_end = leave < first_end ? leave : first_end;
        bool later = i == first || arrival > m.last;
        m.before = i == first ? arrival : later ? m.last : i == first + 1 || arrival > m.before ? arrival : m.before;
        m.straggler = later ? i : m.straggler;
        m.last = later ? arrival : m.last;
    }
    m.apart = ranks ? m.end - first_end : 0;
    for (uint32_t i = first; i < first + ranks; i++) {
        m.lost += m.last - pf_aiu_arrival(run, &x->members.list[i]);
    }
    uint64_t most = UINT64_MAX / 2 / (ranks ? ranks : 1);
    m.moved = 2 * (uint64_t)(ranks ? ranks - 1 : 0) * (bytes < most ? bytes : most);
    return m;
}

static int compare_starts(const void *a, const void *b)
{
    const aiu_collective_cost *x = a, *y = b;
    return x->start != y->start ? (x->start > y->start) - (x->start < y->start)
                                : (x->collective > y->collective) - (x->collective < y->collective);
}

static void judge(aiu_run *run, aiu_collective_costs *m)
{
    aiu_clock_offsets c;
    int64_t least = 0, most = 0;
    pf_aiu_clock_offsets_read(run, m, &c);
    for (uint32_t i = 0; i < c.count; i++) {
        least = i == 0 || c.list[i].left < least ? c.list[i].left : least;
        most = i == 0 || c.list[i].left > most ? c.list[i].left : most;
    }
    for (uint32_t i = 0; i < m->count; i++) {
        aiu_collective_cost *own = &m->list[i];
        own->apart = own->apart > most - least ? own->apart : most - least;
        own->late_known = (own->last - own->before) / 2 >= own->apart;
        own->rate_known = (own->end - own->start) / 2 >= own->apart;
    }
}

void pf_aiu_collective_costs_read(aiu_run *run, aiu_collective_costs *out)
{
    const aiu_exchange *x = run->exchange;
    uint32_t n = x ? x->flows.done_count : 0;
    *out = (aiu_collective_costs){.list = pf_aiu_alloc(run, (size_t)n + 1, sizeof *out->list)};
    for (uint32_t i = 0; out->list && i < n; i++) {
        out->list[out->count++] = read_cost(run, x->flows.done[i]);
    }
    if (out->count > 1) {
        qsort(out->list, out->count, sizeof *out->list, compare_starts);
    }
    judge(run, out);
}

int64_t pf_aiu_straggler(const aiu_run *run, const aiu_collective_cost *c)
{
    return run->exchange->members.list[c->straggler].pid;
}

double pf_aiu_collective_rate(const aiu_collective_cost *m)
{
    return pf_byte_rate(m->moved, m->start, m->end);
}

pf_str pf_aiu_collective_name(const aiu_run *run, const aiu_collective_cost *m)
{
    const aiu_flows *f = &run->exchange->flows;
    return pf_aiu_text_of(run, run->events.group[f->slice[f->collective[m->collective].first].event]);
}
