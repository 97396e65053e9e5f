/* analyze/aiu/ranks/aiu_sync.c - clocks of ranks, put onto that of the first one.
 *
 * Every card counts cycles from its own start, and its host has its own clock. In a collective data goes through the
 * ranks in a row, first rank to last (or last to first); R is when a rank has received, S when it has sent.
 *
 * By the first receive: nothing is received before it was sent. First the ranks from the third on are put level with
 * the second by their receives in the first collective. Then the first and the second are moved apart just so far that
 * in the closest collective S of the one is R of the other. The clock of the whole is that of the first rank's host, at
 * the event that ended last there in that collective.
 *
 * By offset and rate (-S): the counters of two cards do not run equally fast. Every AllReduce ends on all ranks at
 * about one time, so the times of these ends on a rank, against those on the first rank, say how far its clock is off
 * and how much faster it runs: the offset comes from the collective whose ends are closest together, the rate from the
 * span between the first and the last collective. A single collective says nothing about the rate, which is then 1.
 *
 * A host's clock is that of its device before: where the trace is drawn, its slices move with those of the device.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/aiu/ranks/aiu_ranks.h"
#include "analyze/support/order_stats.h"
#include "base/ordering.h"

#define RATES_DIFFER 0.01 /* counters of two cards at most */

typedef struct clocks {
    aiu_groups g;
    uint32_t *group, groups; /* in which all ranks take part */
    uint32_t reference;      /* group: the closest one */
    double *shift, *rate;    /* by rank: us; of its counter against that of the first rank */
    double offset;           /* us from device time of the first rank to host time */
    uint32_t anchor;         /* event by which that is known */
    bool tree;               /* data goes from the lowest rank up */
} clocks;

/* False: there is nothing to match. */
static bool read_groups(aiu_run *run, clocks *c, uint32_t least_ranks)
{
    pf_aiu_groups_read(run, &c->g);
    if (c->g.ranks >= least_ranks && c->g.groups) {
        c->shift = pf_aiu_alloc(run, c->g.ranks, sizeof *c->shift);
        c->rate = pf_aiu_alloc(run, c->g.ranks, sizeof *c->rate);
        c->group = pf_aiu_scratch(run, c->g.groups, sizeof *c->group);
    }
    if (c->group) {
        pf_aiu_groups_common(run, &c->g, c->group, &c->groups);
    }
    return c->groups;
}

static double end_of(const clocks *c, uint32_t rank, uint32_t group)
{
    return pf_aiu_part(&c->g, rank, group)->sent;
}

/* For reports; `rate`: it was asked for. */
static void keep(aiu_run *run, const clocks *c, bool rate)
{
    aiu_exchange *x = pf_aiu_exchange(run);
    if (x) {
        *x = (aiu_exchange){.ranks = c->g.ranks, .pid = c->g.pid, .shift = c->shift, .rate = rate ? c->rate : NULL};
    }
}

/* Puts device slices onto the common clock, and notes by how much those of each rank were moved: the middle one. */
static void move_slices(aiu_run *run, const clocks *c, void (*apply)(aiu_run *run, const clocks *c))
{
    double *before = pf_aiu_scratch(run, (size_t)run->events.count + 1, sizeof *before);
    if (!before) {
        return;
    }
    memcpy(before, run->events.ts, run->events.count * sizeof *before);
    apply(run, c);
    const aiu_rows of = pf_aiu_rows_by_rank(run, pf_aiu_is_device_slice);
    double *moves = pf_aiu_scratch(run, (size_t)of.count + 1, sizeof *moves);
    double *middle = pf_aiu_alloc(run, (size_t)run->ranks.count + 1, sizeof *middle);
    for (uint32_t r = 0; middle && r < run->ranks.count; r++) {
        const uint32_t *own = of.list + of.first[r];
        uint32_t n = of.first[r + 1] - of.first[r];
        for (uint32_t i = 0; i < n; i++) {
            moves[i] = run->events.ts[own[i]] - before[own[i]];
        }
        middle[r] = n ? pf_select_real(moves, n, (n - 1) / 2) : 0;
    }
    if (run->exchange) {
        run->exchange->moved = middle;
        run->exchange->moved_ranks = middle ? run->ranks.count : 0;
    }
}

double pf_aiu_host_shift(const aiu_run *run, uint32_t e)
{
    const aiu_exchange *x = run->exchange;
    if (!x || !x->moved || pf_aiu_is_device(run, e)) {
        return 0;
    }
    int64_t pid = run->jobs[run->events.job[e]].rank;
    bool torch = run->events.flags[e] & AIU_TORCH;
    uint32_t rank = torch ? pf_map_get(run->ranks.by_pid, (uint64_t)pid) : run->events.rank[e];
    return rank < x->moved_ranks ? x->moved[rank] : 0;
}

/* "[1.5, -2.0]" */
static void log_list(aiu_run *run, const char *what, const double *list, uint32_t count, double more)
{
    pf_buffer b = {0};
    pf_buffer_text(&b, what);
    for (uint32_t i = 0; i < count; i++) {
        pf_buffer_format(&b, "%s%s", i ? ", " : "[", pf_aiu_num(run, more + list[i]));
    }
    pf_buffer_text(&b, "]");
    pf_aiu_log_buffer(run, &b);
}

/* From the first collective to the last one; for acelyzer from the first end to the last one. */
static double span_of(const aiu_run *run, const clocks *c, uint32_t rank)
{
    double first = end_of(c, rank, c->group[0]), last = end_of(c, rank, c->group[c->groups - 1]);
    for (uint32_t i = 0; i < c->groups && pf_aiu_rule(run, AIU_EVERY_RANK); i++) {
        first = fmin(first, end_of(c, rank, c->group[i]));
        last = fmax(last, end_of(c, rank, c->group[i]));
    }
    return last - first;
}

static void measure(const aiu_run *run, clocks *c)
{
    double least = INFINITY, base = span_of(run, c, 0);
    for (uint32_t i = 0; i < c->groups; i++) {
        double apart = 0; /* from the first rank, the mean of all */
        for (uint32_t rank = 0; rank < c->g.ranks; rank++) {
            apart += end_of(c, rank, c->group[i]) - end_of(c, 0, c->group[i]);
        }
        apart /= c->g.ranks;
        c->reference = apart < least ? c->group[i] : c->reference;
        least = apart < least ? apart : least;
    }
    for (uint32_t rank = 0; rank < c->g.ranks; rank++) {
        double span = span_of(run, c, rank);
        c->rate[rank] = base > 0 && span > 0 ? span / base : 1.0;
        c->shift[rank] = end_of(c, 0, c->reference) - end_of(c, rank, c->reference);
    }
    c->anchor = pf_aiu_part(&c->g, 0, c->reference)->last;
    c->offset = pf_aiu_end(run, c->anchor) - end_of(c, 0, c->reference);
}

/* Slices of devices end where their last counter says; their length stays. */
static void apply_rates(aiu_run *run, const clocks *c)
{
    aiu_events *v = &run->events;
    for (uint32_t i = 0, e; pf_aiu_next(run, pf_aiu_is_device_slice, &i, &e);) {
        uint32_t rank = pf_aiu_rank_of(&c->g, v->pid[e]);
        if (rank != PF_NONE) {
            double since = pf_aiu_step_time(run, e, 5) - end_of(c, rank, c->reference);
            double device = since / c->rate[rank] + end_of(c, 0, c->reference);
            v->ts[e] = device + c->offset - v->dur[e];
            if (!pf_aiu_rule(run, AIU_CUT_STEPS)) { /* acelyzer leaves power samples and the like where they were */
                v->anchor[e] = device + c->offset;
                v->anchor_device[e] = pf_aiu_device_time(run, e, 5);
            }
        }
    }
}

PF_ORDER(compare_reals, double, PF_COMPARE(*x, *y));

static void log_rates(aiu_run *run, const clocks *c)
{
    double *ends = pf_aiu_scratch(run, c->groups, sizeof *ends);
    bool *shown = pf_aiu_scratch(run, c->g.ranks, sizeof *shown);
    pf_str of_rank = {"", 0}, rates = {"", 0}; /* in the order in which ranks appear: "1: 2.5, 0: 1.0" */
    for (uint32_t rank = 0; shown && rank < c->g.ranks; rank++) {
        for (uint32_t i = 0; i < c->groups; i++) {
            ends[i] = end_of(c, rank, c->group[i]);
        }
        qsort(ends, c->groups, sizeof *ends, compare_reals);
        log_list(run, "MP_SYNC_v2: delta_t5:  ", ends, c->groups, 0);
    }
    for (uint32_t i = 0; shown && i < c->g.parts; i++) {
        uint32_t rank = c->g.part[i].rank;
        if (!shown[rank]) {
            const char *before = of_rank.len ? ", " : "";
            of_rank = pf_findings_format(run->findings, "%.*s%s%" PRId64 ": %s", PF_TEXT_ARG(of_rank), before,
                                         c->g.pid[rank], pf_aiu_num(run, end_of(c, rank, c->reference)));
            rates = pf_findings_format(run->findings, "%.*s%s%" PRId64 ": %s", PF_TEXT_ARG(rates), before,
                                       c->g.pid[rank], pf_aiu_num(run, c->rate[rank]));
            shown[rank] = true;
        }
    }
    pf_aiu_log(run, "INFO", "MP_SYNC_v2: delta_t5, ref_dts_cg:         %.*s",
               PF_TEXT_ARG(pf_aiu_text_of(run, c->g.name[c->reference])));
    pf_aiu_log(run, "INFO", "MP_SYNC_v2: delta_t5, ref_dts_per_pid:    {%.*s}", PF_TEXT_ARG(of_rank));
    pf_aiu_log(run, "INFO", "MP_SYNC_v2: delta_t5, ref_hts_p0:         %s",
               pf_aiu_num(run, pf_aiu_end(run, c->anchor) + run->origin));
    pf_aiu_log(run, "INFO", "MP_SYNC_v2: delta_t5, dilation factor:    {%.*s}", PF_TEXT_ARG(rates));
    pf_aiu_log(run, "INFO", "MP_SYNC_v2: delta_t5, dts_hts_calib_ref:  %s", pf_aiu_num(run, c->offset + run->origin));
}

void pf_aiu_sync_rate(aiu_run *run)
{
    clocks c = {.groups = 0};
    bool reversed = pf_aiu_rule(run, AIU_REVERSED);
    if (!run->set.sync_v2 && !run->by_rate) {
        return;
    }
    if (read_groups(run, &c, pf_aiu_rule(run, AIU_EVERY_RANK) ? 1 : 2)) {
        measure(run, &c);
        log_rates(run, &c);
        keep(run, &c, true);
        move_slices(run, &c, apply_rates);
        if (!reversed) {
            pf_aiu_sort_by_time(run);
        }
    }
    if (reversed) {
        pf_aiu_reverse(run);
    }
}

/* The rank at place i of the row. */
static uint32_t at_place(const clocks *c, uint32_t i)
{
    return c->tree ? i : c->g.ranks - 1 - i;
}

/* The ranks from the third on are put level, then the first and the second apart. */
static void move_ranks(clocks *c)
{
    double least = INFINITY, second = pf_aiu_part(&c->g, at_place(c, 1), c->group[0])->received;
    for (uint32_t j = 2; j < c->g.ranks; j++) {
        c->shift[at_place(c, j)] -= pf_aiu_part(&c->g, at_place(c, j), c->group[0])->received - second;
    }
    for (uint32_t i = 0; i < c->groups; i++) {
        uint32_t group = c->group[i];
        double d = pf_aiu_part(&c->g, at_place(c, 1), group)->received - end_of(c, at_place(c, 0), group);
        c->reference = d < least ? group : c->reference;
        least = d < least ? d : least;
    }
    for (uint32_t j = c->tree ? 1 : 0; j < (c->tree ? c->g.ranks : 1); j++) {
        c->shift[at_place(c, j)] += c->tree ? -least : least;
    }
}

static void find_anchor(const aiu_run *run, clocks *c)
{
    double last = -INFINITY;
    for (uint32_t i = 0; i < c->g.slices; i++) {
        const aiu_part *p = &c->g.part[c->g.of[i]];
        double device = pf_aiu_step_time(run, c->g.slice[i], c->tree ? 5 : 2);
        bool later = device > last || (device == last && pf_aiu_rule(run, AIU_EQUALS_LATE));
        if (p->rank == 0 && p->group == c->reference && later) {
            last = device;
            c->anchor = c->g.slice[i];
        }
    }
    c->offset = pf_aiu_end(run, c->anchor) - last;
}

/* Slices of devices are where their cycles say on the common clock; their length stays. */
static void apply_shifts(aiu_run *run, const clocks *c)
{
    aiu_events *v = &run->events;
    for (uint32_t i = 0, e; pf_aiu_next(run, pf_aiu_is_device_slice, &i, &e);) {
        uint32_t rank = pf_aiu_rank_of(&c->g, v->pid[e]), op = pf_aiu_name(run, v->name[e])->has;
        if (rank != PF_NONE) {
            v->anchor[e] = c->offset;
            v->anchor_device[e] = -c->shift[rank];
            v->flags[e] |= AIU_ON_CLOCK | AIU_STEP_MATCHED;
            v->ts[e] = pf_aiu_step_time(run, e, op == AIU_OP_NONE ? 1 : op + 1) + c->shift[rank] + c->offset;
        }
    }
}

/* How far ranks are apart at the ends of collectives, ns: the middle one of these distances, the upper one of two. */
static int64_t apart(const clocks *c, const double *shift, const double *rate, int64_t *spans)
{
    for (uint32_t i = 0; i < c->groups; i++) {
        double least = INFINITY, most = -INFINITY;
        for (uint32_t rank = 0; rank < c->g.ranks; rank++) {
            double own = end_of(c, rank, c->group[i]) / (rate ? rate[rank] : 1) + shift[rank];
            least = fmin(least, own);
            most = fmax(most, own);
        }
        spans[i] = (int64_t)fmin(round((most - least) * 1000), 9e18);
    }
    pf_sort_times(spans, c->groups, spans + c->groups);
    return spans[c->groups / 2];
}

/* Whether -S would leave less between ranks at the ends of collectives than moving device times does; says so in the
 * log. Not where counters would have to differ by more than 1 % for it. */
static bool rate_fits_better(aiu_run *run, const clocks *first)
{
    clocks c = *first;
    int64_t *spans = pf_aiu_scratch(run, 2 * (size_t)c.groups, sizeof *spans);
    c.shift = pf_aiu_scratch(run, c.g.ranks, sizeof *c.shift);
    if (!c.shift) {
        return false;
    }
    measure(run, &c);
    bool alike = true;
    for (uint32_t rank = 0; rank < c.g.ranks; rank++) {
        alike = alike && fabs(c.rate[rank] - 1) <= RATES_DIFFER;
        c.shift[rank] = end_of(&c, 0, c.reference) - end_of(&c, rank, c.reference) / c.rate[rank];
    }
    int64_t by_rate = apart(&c, c.shift, c.rate, spans), by_first = apart(&c, first->shift, NULL, spans);
    if (!alike || by_rate >= by_first) {
        return false;
    }
    pf_aiu_log(run, "INFO",
               "MP SYNC: clocks of ranks are matched by offset and rate, as -S does: ranks are then %lld ns apart at "
               "the ends of collectives, by the first receive (--align first) %lld",
               (long long)by_rate, (long long)by_first);
    return true;
}

static void log_shifts(aiu_run *run, const clocks *c)
{
    log_list(run, "MP_SYNC_V2 delta_t5, dts_shifts:            ", c->shift, c->g.ranks, 0);
    pf_buffer b = {0};
    pf_buffer_text(&b, "MP_SYNC_V2 delta_t5, dts_2_hts_ref_event:   ");
    pf_aiu_put_event(run, c->anchor, AIU_SPELL_PYTHON, &b);
    pf_aiu_log_buffer(run, &b);
    pf_aiu_log(run, "INFO", "MP_SYNC_V2 delta_t5, dts_2_hts_ref_offset:  %s", pf_aiu_num(run, c->offset + run->origin));
    log_list(run, "MP_SYNC_V2 delta_t5, dts_2_hts:             ", c->shift, c->g.ranks, c->offset + run->origin);
}

/* The direction shows in the names of the first group's events. */
static void align(aiu_run *run, clocks *c)
{
    for (uint32_t i = 0; i < c->g.slices && !c->tree; i++) {
        const aiu_part *p = &c->g.part[c->g.of[i]];
        pf_str name = pf_aiu_text_of(run, run->events.name[c->g.slice[i]]);
        c->tree = p->rank == 0 && p->group == c->group[0] && pf_aiu_contains(name, "AllReduce_all_reduce");
    }
    move_ranks(c);
    find_anchor(run, c);
    run->by_rate = run->set.align_auto && rate_fits_better(run, c);
    if (!run->by_rate) {
        log_shifts(run, c);
        keep(run, c, false);
        move_slices(run, c, apply_shifts);
        run->clocks_matched = pf_aiu_rule(run, AIU_CUT_STEPS);
        if (!pf_aiu_rule(run, AIU_REVERSED)) {
            pf_aiu_sort_by_time(run);
        }
    }
}

void pf_aiu_sync_first(aiu_run *run)
{
    clocks c = {.groups = 0};
    if (read_groups(run, &c, 2)) {
        align(run, &c);
    } else if (c.g.ranks < 2 || !c.g.groups) {
        pf_aiu_log(run, "INFO", "MP SYNC: no collective group detected or single process, no action");
    }
    if (pf_aiu_rule(run, AIU_REVERSED) && !pf_aiu_failed(run)) { /* in any case, and what ties in reverse order */
        pf_aiu_reverse(run);
        pf_aiu_sort_by_time(run);
    }
}
