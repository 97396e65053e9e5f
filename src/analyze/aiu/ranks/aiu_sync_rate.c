/* analyze/aiu/ranks/aiu_sync_rate.c - clocks of ranks, by offset and rate (-S).
 *
 * The counters of two cards do not run equally fast. Every AllReduce ends on all ranks at about one time, so the times
 * of these ends on a rank, against those on the first rank, say how far its clock is off and how much faster it runs:
 * the offset comes from the collective whose ends are closest together, the rate from the span between the first and
 * the last collective. A single collective says nothing about the rate, which is then 1.
 */
#include <math.h>
#include <stdlib.h>

#include "analyze/aiu/ranks/aiu_ranks.h"
#include "analyze/support/order_stats.h"
#include "base/text/number.h"

#define RATES_DIFFER 0.01 /* counters of two cards at most */

typedef struct rates {
    const aiu_groups *g;
    uint32_t *group, groups; /* in which all ranks take part */
    uint32_t reference;      /* group */
    double *dilation;        /* by rank */
    double *ends;            /* room: one for each group */
    double offset;           /* from device time of the first rank to host time */
} rates;

static double end_of(const rates *r, uint32_t rank, uint32_t group)
{
    return pf_aiu_part(r->g, rank, group)->sent;
}

static double mean_distance(const rates *r, uint32_t group)
{
    double sum = 0;
    for (uint32_t rank = 0; rank < r->g->ranks; rank++) {
        sum += end_of(r, rank, group) - end_of(r, 0, group);
    }
    return sum / r->g->ranks;
}

static void choose_reference(rates *r)
{
    double least = INFINITY;
    for (uint32_t i = 0; i < r->groups; i++) {
        double d = mean_distance(r, r->group[i]);
        if (d < least) {
            least = d;
            r->reference = r->group[i];
        }
    }
}

/* From the first collective to the last one; for acelyzer from the first end to the last one. */
static double span_of(const aiu_run *run, const rates *r, uint32_t rank)
{
    double first = end_of(r, rank, r->group[0]), last = end_of(r, rank, r->group[r->groups - 1]);
    for (uint32_t i = 0; i < r->groups && pf_acelyzer(run); i++) {
        first = fmin(first, end_of(r, rank, r->group[i]));
        last = fmax(last, end_of(r, rank, r->group[i]));
    }
    return last - first;
}

static void measure(aiu_run *run, rates *r)
{
    choose_reference(r);
    double base = span_of(run, r, 0);
    for (uint32_t rank = 0; rank < r->g->ranks; rank++) {
        double span = span_of(run, r, rank);
        r->dilation[rank] = base > 0 && span > 0 ? span / base : 1.0;
    }
    const aiu_part *first = pf_aiu_part(r->g, 0, r->reference);
    r->offset = pf_aiu_end(run, first->last) - first->sent;
}

/* ---- whether it fits better -------------------------------------------------------------------------------------- */

/* How far ranks are apart at the ends of collectives, ns: the middle one of these distances, the upper one of two. */
static int64_t apart(const rates *r, const double *shift, const double *dilation, int64_t *spans, int64_t *scratch)
{
    for (uint32_t i = 0; i < r->groups; i++) {
        double least = INFINITY, most = -INFINITY;
        for (uint32_t rank = 0; rank < r->g->ranks; rank++) {
            double own = end_of(r, rank, r->group[i]) / (dilation ? dilation[rank] : 1) + shift[rank];
            least = fmin(least, own);
            most = fmax(most, own);
        }
        spans[i] = (int64_t)fmin(round((most - least) * 1000), 9e18);
    }
    pf_sort_times(spans, r->groups, scratch);
    return spans[r->groups / 2];
}

bool pf_aiu_rate_fits_better(aiu_run *run, const aiu_groups *g, uint32_t *group, uint32_t groups, const double *shift)
{
    rates r = {.g = g, .group = group, .groups = groups};
    double *own = pf_aiu_scratch(run, 2 * (size_t)g->ranks, sizeof *own);
    int64_t *spans = pf_aiu_scratch(run, 2 * (size_t)groups, sizeof *spans);
    if (!spans) {
        return false;
    }
    r.dilation = own + g->ranks;
    measure(run, &r);
    bool alike = true;
    for (uint32_t rank = 0; rank < g->ranks; rank++) {
        alike = alike && fabs(r.dilation[rank] - 1) <= RATES_DIFFER;
        own[rank] = end_of(&r, 0, r.reference) - end_of(&r, rank, r.reference) / r.dilation[rank];
    }
    int64_t by_rate = apart(&r, own, r.dilation, spans, spans + groups);
    int64_t by_first = apart(&r, shift, NULL, spans, spans + groups);
    if (!alike || by_rate >= by_first) {
        return false;
    }
    pf_aiu_log(run, "INFO",
               "MP SYNC: clocks of ranks are matched by offset and rate, as -S does: ranks are then %lld ns apart at "
               "the ends of collectives, by the first receive (--align first) %lld",
               (long long)by_rate, (long long)by_first);
    return true;
}

/* ---- applying ---------------------------------------------------------------------------------------------------- */

/* Slices of devices end where their last counter says; their length stays. */
static void apply(aiu_run *run, const rates *r)
{
    aiu_events *e = &run->events;
    for (uint32_t i = 0; i < run->alive; i++) {
        uint32_t row = run->order[i], rank = pf_aiu_rank_of(r->g, e->pid[row]);
        if (!pf_aiu_is_slice(run, row) || !pf_aiu_is_device(run, row) || rank == PF_NONE) {
            continue;
        }
        double since = pf_aiu_step_time(run, row, 5) - end_of(r, rank, r->reference);
        double device = since / r->dilation[rank] + end_of(r, 0, r->reference);
        e->ts[row] = device + r->offset - e->dur[row];
        if (!pf_acelyzer(run)) { /* acelyzer leaves power samples and the like where they were */
            e->anchor[row] = device + r->offset;
            e->anchor_device[row] = pf_aiu_device_time(run, row, 5);
        }
    }
}

/* ---- what the log says ------------------------------------------------------------------------------------------- */

static void put_real(pf_buffer *b, double v)
{
    char digits[PF_NUMBER_MAX];
    pf_buffer_put(b, digits, pf_format_real(v, digits));
}

static int compare_ends(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void log_ends(aiu_run *run, const rates *r, uint32_t rank)
{
    pf_buffer b = {0};
    for (uint32_t i = 0; i < r->groups; i++) {
        r->ends[i] = end_of(r, rank, r->group[i]);
    }
    qsort(r->ends, r->groups, sizeof *r->ends, compare_ends);
    pf_buffer_text(&b, "MP_SYNC_v2: delta_t5:  ");
    for (uint32_t i = 0; i < r->groups; i++) {
        pf_buffer_text(&b, i ? ", " : "[");
        put_real(&b, r->ends[i]);
    }
    pf_buffer_text(&b, "]");
    pf_aiu_log_buffer(run, &b);
}

/* One value for each rank, in the order in which ranks appear: "{1: 2.5, 0: 1.0}". */
static void log_by_rank(aiu_run *run, const rates *r, const char *what, bool dilation)
{
    pf_buffer b = {0};
    const char *before = "{";
    bool *shown = pf_aiu_scratch(run, r->g->ranks, sizeof *shown);
    pf_buffer_text(&b, what);
    for (uint32_t i = 0; shown && i < r->g->parts; i++) {
        uint32_t rank = r->g->part[i].rank;
        if (!shown[rank]) {
            pf_buffer_format(&b, "%s%lld: ", before, (long long)r->g->pid[rank]);
            put_real(&b, dilation ? r->dilation[rank] : end_of(r, rank, r->reference));
            before = ", ";
            shown[rank] = true;
        }
    }
    pf_buffer_text(&b, "}");
    pf_aiu_log_buffer(run, &b);
}

static void log_real(aiu_run *run, const char *what, double v)
{
    pf_aiu_log(run, "INFO", "MP_SYNC_v2: delta_t5, %s%s", what, pf_aiu_num(run, v));
}

static void log_rates(aiu_run *run, const rates *r)
{
    pf_str name = pf_aiu_text_of(run, r->g->name[r->reference]);
    const aiu_part *first = pf_aiu_part(r->g, 0, r->reference);
    for (uint32_t rank = 0; rank < r->g->ranks; rank++) {
        log_ends(run, r, rank);
    }
    pf_aiu_log(run, "INFO", "MP_SYNC_v2: delta_t5, ref_dts_cg:         %.*s", PF_TEXT_ARG(name));
    log_by_rank(run, r, "MP_SYNC_v2: delta_t5, ref_dts_per_pid:    ", false);
    log_real(run, "ref_hts_p0:         ", pf_aiu_end(run, first->last) + run->origin);
    log_by_rank(run, r, "MP_SYNC_v2: delta_t5, dilation factor:    ", true);
    log_real(run, "dts_hts_calib_ref:  ", r->offset + run->origin);
}

/* For reports. */
static void keep(aiu_run *run, const rates *r)
{
    aiu_exchange *x = pf_aiu_exchange(run);
    double *shift = pf_aiu_alloc(run, r->g->ranks, sizeof *shift);
    if (!shift) {
        return;
    }
    for (uint32_t rank = 0; rank < r->g->ranks; rank++) {
        shift[rank] = end_of(r, 0, r->reference) - end_of(r, rank, r->reference);
    }
    *x = (aiu_exchange){.ranks = r->g->ranks, .pid = r->g->pid, .shift = shift, .rate = r->dilation};
}

void pf_aiu_sync_rate(aiu_run *run)
{
    aiu_groups g;
    rates r = {.g = &g};
    if (!run->set.sync_v2 && !run->by_rate) {
        return;
    }
    pf_aiu_groups_read(run, &g);
    if (g.groups && (g.ranks > 1 || pf_acelyzer(run))) {
        r.dilation = pf_aiu_alloc(run, g.ranks, sizeof *r.dilation);
        r.ends = pf_aiu_scratch(run, g.groups, sizeof *r.ends);
        r.group = pf_aiu_scratch(run, g.groups, sizeof *r.group);
        if (r.group) {
            pf_aiu_groups_common(run, &g, r.group, &r.groups);
        }
    }
    if (r.groups) {
        measure(run, &r);
        log_rates(run, &r);
        keep(run, &r);
        apply(run, &r);
        if (!pf_acelyzer(run)) {
            pf_aiu_sort_by_time(run);
        }
    }
    if (pf_acelyzer(run)) {
        pf_aiu_reverse(run);
    }
    pf_aiu_groups_free(&g);
}
