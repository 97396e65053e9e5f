/* analyze/aiu/enriched/aiu_collective_costs.c - what collectives cost: a rank arrives when the kernel ends whose
 * result it brings, and nobody is done before the last one has arrived. What the others wait until then is lost.
 *
 * Times of two ranks are as far off as what is left between their clocks: between any two of them in the middle, and
 * between the ends of this collective, as clocks may drift. So what lies between ranks is known only if it is more than
 * twice that.
 *
 * How level clocks are: every collective ends on all ranks at about one time, when the last piece was received, or when
 * the multicast of it was over. The distance of a rank's end to the median over the ranks is therefore what its clock
 * is off, as far as it is the same in all collectives; the slope of a line through these distances is how fast it
 * drifts.
 */
#include <stdlib.h>

#include "analyze/aiu/enriched/aiu_enriched.h"
#include "analyze/support/order_stats.h"
#include "base/ordering.h"

/* Distances of one rank: when, and how far. */
typedef struct distances {
    int64_t *at, *by, *scratch;
    uint32_t count;
} distances;

const aiu_member *pf_aiu_member_of(const aiu_run *run, const aiu_collective_cost *m, int64_t pid)
{
    for (uint32_t i = m->first; i < m->first + m->ranks; i++) {
        if (run->exchange->members.list[i].pid == pid) {
            return &run->exchange->members.list[i];
        }
    }
    return NULL;
}

/* The middle one of the ends of a collective; the lower one of two. */
static int64_t middle_end(const aiu_run *run, const aiu_collective_cost *m, int64_t *values, int64_t *scratch)
{
    for (uint32_t i = 0; i < m->ranks; i++) {
        values[i] = pf_aiu_leave(run, &run->exchange->members.list[m->first + i]);
    }
    pf_sort_times(values, m->ranks, scratch);
    return values[(m->ranks - 1) / 2];
}

/* Of one rank, by its distances in all collectives. */
static void read_clock(const aiu_run *run, const aiu_collective_costs *m, const int64_t *middle, distances *d,
                       aiu_clock_offset *c)
{
    const aiu_exchange *x = run->exchange;
    d->count = 0;
    for (uint32_t i = 0; i < m->count; i++) {
        const aiu_member *own = pf_aiu_member_of(run, &m->list[i], c->pid);
        if (own) {
            int64_t by = pf_aiu_leave(run, own) - middle[i], far = by < 0 ? -by : by;
            d->at[d->count] = m->list[i].start;
            d->by[d->count++] = by;
            c->worst = far > c->worst ? far : c->worst;
        }
    }
    uint32_t n = c->collectives = d->count;
    if (n) {
        c->drift = n > 1 ? pf_line_fit(d->at, d->by, n).slope * 1e6 : 0;
        pf_sort_times(d->by, n, d->scratch);
        c->left = n % 2 ? d->by[n / 2] : d->by[n / 2 - 1] + (d->by[n / 2] - d->by[n / 2 - 1]) / 2;
    }
    for (uint32_t r = 0; r < x->ranks; r++) {
        if (x->pid[r] == c->pid) {
            c->matched = true;
            c->shift_us = x->shift[r];
            c->rate = x->rate ? x->rate[r] : 1;
        }
    }
}

/* Of the ranks that have members, in order of appearance. */
void pf_aiu_clock_offsets_read(aiu_run *run, const aiu_collective_costs *m, aiu_clock_offsets *out)
{
    const aiu_members *all = run->exchange ? &run->exchange->members : NULL;
    *out = (aiu_clock_offsets){0};
    if (!all || !all->list) {
        return;
    }
    size_t room = (size_t)m->count + all->count + 1;
    int64_t *memory = pf_aiu_alloc(run, 4 * room, sizeof *memory);
    pf_map *seen = pf_aiu_scratch_map(run);
    out->list = pf_aiu_alloc(run, (size_t)all->count + 1, sizeof *out->list);
    if (!out->list) {
        return;
    }
    int64_t *middle = memory + 3 * room;
    distances d = {memory, memory + room, memory + 2 * room, 0};
    for (uint32_t i = 0; i < m->count; i++) {
        middle[i] = middle_end(run, &m->list[i], d.at, d.scratch);
    }
    for (uint32_t i = 0; i < all->count; i++) {
        if (pf_aiu_number(run, seen, (uint64_t)all->list[i].pid) == out->count) {
            out->list[out->count] = (aiu_clock_offset){.pid = all->list[i].pid};
            read_clock(run, m, middle, &d, &out->list[out->count++]);
        }
    }
}

static aiu_collective_cost read_cost(const aiu_run *run, uint32_t collective)
{
    const aiu_exchange *x = run->exchange;
    uint32_t first = x->members.from[collective], ranks = x->members.from[collective + 1] - first;
    uint64_t bytes = pf_aiu_collective_bytes(run, &x->flows, &x->flows.collective[collective]);
    aiu_collective_cost m = {.collective = collective, .first = first, .ranks = ranks, .bytes = bytes};
    int64_t first_end = INT64_MAX;
    m.start = m.last = m.before = INT64_MAX;
    m.end = INT64_MIN;
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
    m.moved = pf_aiu_moved_bytes(bytes, ranks);
    return m;
}

PF_ORDER(compare_starts, aiu_collective_cost, PF_UP(start), PF_UP(collective));

/* What is known of them goes by how far clocks are apart. */
void pf_aiu_collective_costs_read(aiu_run *run, aiu_collective_costs *out)
{
    const aiu_exchange *x = run->exchange;
    uint32_t n = x ? x->flows.done_count : 0;
    aiu_clock_offsets c;
    int64_t least = 0, most = 0;
    *out = (aiu_collective_costs){.list = pf_aiu_alloc(run, (size_t)n + 1, sizeof *out->list)};
    for (uint32_t i = 0; out->list && i < n; i++) {
        out->list[out->count++] = read_cost(run, x->flows.done[i]);
    }
    if (out->count > 1) {
        qsort(out->list, out->count, sizeof *out->list, compare_starts);
    }
    pf_aiu_clock_offsets_read(run, out, &c);
    for (uint32_t i = 0; i < c.count; i++) {
        least = i == 0 || c.list[i].left < least ? c.list[i].left : least;
        most = i == 0 || c.list[i].left > most ? c.list[i].left : most;
    }
    for (uint32_t i = 0; i < out->count; i++) {
        aiu_collective_cost *own = &out->list[i];
        own->apart = own->apart > most - least ? own->apart : most - least;
        own->late_known = (own->last - own->before) / 2 >= own->apart;
        own->rate_known = (own->end - own->start) / 2 >= own->apart;
    }
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
