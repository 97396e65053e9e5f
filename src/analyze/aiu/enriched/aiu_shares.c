/* analyze/aiu/enriched/aiu_shares.c - how much of a rank's communication its kernels hide, and how level its clock is.
 *
 * Kernels and transfers between cards are unions of intervals on each rank; what lies in both is hidden, the rest of
 * the communication is exposed. All intervals of all ranks are gathered in one array each, rank after rank.
 *
 * Every collective ends on all ranks at about one time: when the last piece was received, or when the multicast of it
 * was over. The distance of a rank's end to the median over the ranks is therefore what its clock is off, as far as it
 * is the same in all collectives; the slope of a line through these distances is how fast it drifts.
 */
#include <stdlib.h>
#include <string.h>

#include "analyze/aiu/enriched/aiu_enriched.h"
#include "analyze/aiu/enriched/aiu_meetings.h"
#include "analyze/support/interval_sets.h"
#include "analyze/support/linear_fit.h"
#include "analyze/support/order_stats.h"

/* ---- kinds ------------------------------------------------------------------------------------------------------- */

enum { KIND_KERNEL, KIND_TRANSFER, KINDS };

static unsigned kind_of(const aiu_run *run, uint32_t e)
{
    if (!pf_aiu_is_slice(run, e) || !(run->events.flags[e] & AIU_HAS_CLASS) || !(run->events.dur[e] > 0)) {
        return KINDS;
    }
    uint8_t c = run->events.class[e];
    if (c == AIU_CLASS_COMPUTE_EXEC) {
        return KIND_KERNEL;
    }
    return c >= AIU_CLASS_PROTOCOL_SERIAL && c < AIU_CLASSES ? KIND_TRANSFER : KINDS;
}

typedef struct gathered {
    aiu_hiddens *shares;
    pf_map rank; /* pid -> place in the list of shares */
    pf_interval *list[KINDS];
    uint32_t *from[KINDS]; /* by rank; one more at the end */
} gathered;

static int compare_shares(const void *a, const void *b)
{
    const aiu_hidden *x = a, *y = b;
    return (x->pid > y->pid) - (x->pid < y->pid);
}

static pf_status find_ranks(aiu_run *run, gathered *g, pf_error *err)
{
    uint32_t room = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < run->alive; i++) {
            uint32_t e = run->order[i];
            uint64_t pid = (uint64_t)run->events.pid[e];
            if (kind_of(run, e) == KINDS || pf_map_get(&g->rank, pid) != PF_NONE) {
                continue;
            }
            if (pass) {
                g->shares->list[g->shares->count] = (aiu_hidden){.pid = (int64_t)pid};
            }
            if (!pf_map_set(&g->rank, pid, pass ? g->shares->count++ : room++)) {
                return pf_budget_refused(run->budget, 64, err);
            }
        }
        if (!pass) {
            pf_map_clear(&g->rank);
            g->shares->list = pf_pass_alloc(run->ctx, (size_t)room + 1, sizeof *g->shares->list, err);
        }
        if (!g->shares->list) {
            return err->code;
        }
    }
    qsort(g->shares->list, g->shares->count, sizeof *g->shares->list, compare_shares);
    for (uint32_t i = 0; i < g->shares->count; i++) {
        pf_map_set(&g->rank, (uint64_t)g->shares->list[i].pid, i);
    }
    return PF_OK;
}

/* Room for the intervals of each rank, then the intervals themselves. */
static pf_status gather(aiu_run *run, gathered *g, unsigned kind, pf_error *err)
{
    uint32_t ranks = g->shares->count, total = 0;
    uint32_t *from = pf_pass_alloc(run->ctx, (size_t)ranks + 2, sizeof *from, err);
    if (!from) {
        return err->code;
    }
    for (uint32_t i = 0; i < run->alive; i++) {
        if (kind_of(run, run->order[i]) == kind) {
            from[pf_map_get(&g->rank, (uint64_t)run->events.pid[run->order[i]]) + 2]++;
            total++;
        }
    }
    for (uint32_t r = 0; r < ranks; r++) {
        from[r + 2] += from[r + 1];
    }
    g->list[kind] = pf_pass_alloc(run->ctx, (size_t)total + 1, sizeof(pf_interval), err);
    for (uint32_t i = 0; g->list[kind] && i < run->alive; i++) {
        uint32_t e = run->order[i];
        if (kind_of(run, e) == kind) {
            uint32_t at = from[pf_map_get(&g->rank, (uint64_t)run->events.pid[e]) + 1]++;
            int64_t start = pf_aiu_nanoseconds(run, run->events.ts[e]);
            int64_t end = pf_aiu_nanoseconds(run, pf_aiu_end(run, e));
            g->list[kind][at] = (pf_interval){start, end > start ? end : start + 1};
        }
    }
    g->from[kind] = from;
    return g->list[kind] ? PF_OK : err->code;
}

static pf_status measure(aiu_run *run, gathered *g, pf_error *err)
{
    uint32_t most = 0;
    for (uint32_t r = 0; r < g->shares->count; r++) {
        for (unsigned k = 0; k < KINDS; k++) {
            uint32_t n = g->from[k][r + 1] - g->from[k][r];
            most = n > most ? n : most;
        }
    }
    pf_interval *scratch = pf_pass_alloc(run->ctx, (size_t)most + 1, sizeof *scratch, err);
    for (uint32_t r = 0; scratch && r < g->shares->count; r++) {
        size_t n[KINDS];
        pf_interval *set[KINDS];
        for (unsigned k = 0; k < KINDS; k++) {
            set[k] = g->list[k] + g->from[k][r];
            n[k] = pf_interval_set_make(set[k], g->from[k][r + 1] - g->from[k][r], scratch);
        }
        aiu_hidden *s = &g->shares->list[r];
        s->kernels = pf_interval_total(set[KIND_KERNEL], n[KIND_KERNEL]);
        s->communication = pf_interval_total(set[KIND_TRANSFER], n[KIND_TRANSFER]);
        s->both = pf_interval_common(set[KIND_KERNEL], n[KIND_KERNEL], set[KIND_TRANSFER], n[KIND_TRANSFER]);
    }
    return scratch ? PF_OK : err->code;
}

pf_status pf_aiu_shares_read(aiu_run *run, aiu_hiddens *out, pf_error *err)
{
    gathered g = {.shares = out};
    *out = (aiu_hiddens){0};
    pf_map_init(&g.rank, run->budget);
    pf_status st = find_ranks(run, &g, err);
    for (unsigned k = 0; k < KINDS && st == PF_OK; k++) {
        st = gather(run, &g, k, err);
    }
    st = st == PF_OK ? measure(run, &g, err) : st;
    pf_map_free(&g.rank);
    return st;
}

/* ---- clocks ------------------------------------------------------------------------------------------------------ */

/* Distances of one rank: when, and how far. */
typedef struct distances {
    int64_t *at, *by, *scratch;
    uint32_t count;
} distances;

/* The middle one of the ends of a collective; the lower one of two. */
static int64_t middle_end(const aiu_run *run, const aiu_meeting *m, int64_t *values, int64_t *scratch)
{
    for (uint32_t i = 0; i < m->ranks; i++) {
        values[i] = pf_aiu_leave(run, &run->exchange->members.list[m->first + i]);
    }
    pf_sort_times(values, m->ranks, scratch);
    return values[(m->ranks - 1) / 2];
}

static int64_t median_of(int64_t *values, uint32_t n, int64_t *scratch)
{
    pf_sort_times(values, n, scratch);
    return n % 2 ? values[n / 2] : values[n / 2 - 1] + (values[n / 2] - values[n / 2 - 1]) / 2;
}

static void finish_clock(aiu_clock *c, distances *d)
{
    c->collectives = d->count;
    if (!d->count) {
        return;
    }
    pf_line line = pf_line_fit(d->at, d->by, d->count);
    c->drift = d->count > 1 ? line.slope * 1e6 : 0;
    for (uint32_t i = 0; i < d->count; i++) {
        int64_t far = d->by[i] < 0 ? -d->by[i] : d->by[i];
        c->worst = far > c->worst ? far : c->worst;
    }
    c->left = median_of(d->by, d->count, d->scratch);
}

static void name_shift(const aiu_run *run, aiu_clock *c)
{
    const aiu_exchange *x = run->exchange;
    for (uint32_t r = 0; r < x->ranks; r++) {
        if (x->pid[r] == c->pid) {
            c->matched = true;
            c->shift_us = x->shift[r];
            c->rate = x->rate ? x->rate[r] : 1;
        }
    }
}

static pf_status list_clocks(aiu_run *run, aiu_clocks *out, pf_error *err)
{
    const aiu_members *m = &run->exchange->members;
    pf_map seen;
    pf_map_init(&seen, run->budget);
    *out = (aiu_clocks){pf_pass_alloc(run->ctx, (size_t)m->count + 1, sizeof *out->list, err), 0};
    pf_status st = out->list ? PF_OK : err->code;
    for (uint32_t i = 0; i < m->count && st == PF_OK; i++) {
        uint64_t pid = (uint64_t)m->list[i].pid;
        if (pf_map_get(&seen, pid) == PF_NONE) {
            out->list[out->count++] = (aiu_clock){.pid = m->list[i].pid};
            st = pf_map_set(&seen, pid, 0) ? PF_OK : pf_budget_refused(run->budget, 64, err);
        }
    }
    pf_map_free(&seen);
    return st;
}

/* The member of a rank in a meeting; NULL if it took no part. */
static const aiu_member *member_of(const aiu_run *run, const aiu_meeting *m, int64_t pid)
{
    for (uint32_t i = m->first; i < m->first + m->ranks; i++) {
        if (run->exchange->members.list[i].pid == pid) {
            return &run->exchange->members.list[i];
        }
    }
    return NULL;
}

/* The distances of one rank in all meetings. */
static void list_distances(const aiu_run *run, const aiu_meetings *m, const int64_t *middle, int64_t pid, distances *d)
{
    d->count = 0;
    for (uint32_t i = 0; i < m->count; i++) {
        const aiu_member *own = member_of(run, &m->list[i], pid);
        if (own) {
            d->at[d->count] = m->list[i].start;
            d->by[d->count++] = pf_aiu_leave(run, own) - middle[i];
        }
    }
}

pf_status pf_aiu_clocks_read(aiu_run *run, const aiu_meetings *m, aiu_clocks *out, pf_error *err)
{
    *out = (aiu_clocks){0};
    if (!run->exchange || !run->exchange->members.list) {
        return PF_OK;
    }
    size_t room = (size_t)m->count + run->exchange->members.count + 1;
    int64_t *memory = pf_pass_alloc(run->ctx, 4 * room, sizeof *memory, err);
    pf_status st = memory ? list_clocks(run, out, err) : err->code;
    if (st != PF_OK) {
        return st;
    }
    int64_t *middle = memory + 3 * room;
    distances d = {memory, memory + room, memory + 2 * room, 0};
    for (uint32_t i = 0; i < m->count; i++) {
        middle[i] = middle_end(run, &m->list[i], d.at, d.scratch);
    }
    for (uint32_t r = 0; r < out->count; r++) {
        list_distances(run, m, middle, out->list[r].pid, &d);
        finish_clock(&out->list[r], &d);
        name_shift(run, &out->list[r]);
    }
    return PF_OK;
}
