/* analyze/gpu/ranks/gpu_rank_lines.c - how the clock of an input runs against the reference: a line, and how far the
 * truth may be from it.
 *
 * In a collective that needs all ranks, every rank starts before the last one arrives and ends after. So with t the
 * moment of that arrival, start <= t <= end holds on all clocks, and the lead of a clock over the reference's lies
 * between (own start - reference's end) and (own end - reference's start): an interval for each collective, as wide as
 * both took together. A collective in which this rank comes last bounds its lead from below, one in which the reference
 * does from above.
 *
 * The line itself goes through the differences of the ends, which are far nearer to the truth than those bounds: the
 * median slope of pairs that are half of all points apart, then the median height. Points whose interval the line
 * misses are no collectives of these ranks (or a clock was set); they go, and half of all must be left. All lines that
 * pass through every remaining interval could be the truth. How far one of them gets from ours at the first and at the
 * last point is the uncertainty: no statistics, so it also covers a rank that always leaves earlier. For a given slope
 * the heights that are possible are an interval whose borders are convex in the slope, so that extremes are found by
 * trisection. Clocks drift by less than MOST_DRIFT; so one collective alone says something, too.
 */
#include <math.h>
#include <stdlib.h>

#include "analyze/gpu/kernels/gpu_kernels.h"
#include "analyze/gpu/ranks/gpu_ranks.h"
#include "analyze/support/order_stats.h"
#include "analyze/support/pass_memory.h"
#include "base/ordering.h"

#define MOST_DRIFT 5e-4 /* what NTP slews by at most; crystals stay below 1e-4 */

enum { TRISECTIONS = 80, ROUNDING = 1 }; /* ROUNDING: ns of a reading */

/* From the first collective on, in ns: when, and the lead at its ends and at least and most. */
typedef struct line_point {
    double at, lead, low, high;
} line_point;

typedef struct line_work {
    line_point *points;
    size_t count;
    double *scratch;
    double slope, height; /* of the line */
} line_work;

static int by_time(const void *a, const void *b)
{
    const line_point *x = a, *y = b;
    return PF_COMPARE(x->at, y->at);
}

static void find_line(line_work *w)
{
    size_t half = w->count / 2, n = 0;
    for (size_t i = 0; half && i + half < w->count; i++) {
        double apart = w->points[i + half].at - w->points[i].at;
        if (apart > 0) {
            w->scratch[n++] = (w->points[i + half].lead - w->points[i].lead) / apart;
        }
    }
    w->slope = n ? fmax(-MOST_DRIFT, fmin(MOST_DRIFT, pf_select_real(w->scratch, n, n / 2))) : 0;
    for (size_t i = 0; i < w->count; i++) {
        w->scratch[i] = w->points[i].lead - w->slope * w->points[i].at;
    }
    w->height = pf_select_real(w->scratch, w->count, w->count / 2);
}

/* Keeps the points whose interval the line hits. */
static void leave_out_others(line_work *w)
{
    size_t kept = 0;
    for (size_t i = 0; i < w->count; i++) {
        double line = w->height + w->slope * w->points[i].at;
        if (w->points[i].low <= line && line <= w->points[i].high) {
            w->points[kept++] = w->points[i];
        }
    }
    w->count = kept;
}

/* The least upper and the greatest lower bound of lines of that slope, at a time. */
static double most_at(const line_work *w, double slope, double time)
{
    double most = INFINITY;
    for (size_t i = 0; i < w->count; i++) {
        most = fmin(most, w->points[i].high + slope * (time - w->points[i].at));
    }
    return most;
}

static double least_at(const line_work *w, double slope, double time)
{
    double least = -INFINITY;
    for (size_t i = 0; i < w->count; i++) {
        least = fmax(least, w->points[i].low + slope * (time - w->points[i].at));
    }
    return least;
}

/* The steepest slope that is possible between ours and `limit`. */
static double last_slope(const line_work *w, double limit)
{
    double good = w->slope, bad = limit;
    for (int i = 0; i < TRISECTIONS; i++) {
        double middle = good + (bad - good) / 2;
        bool possible = most_at(w, middle, 0) >= least_at(w, middle, 0);
        good = possible ? middle : good;
        bad = possible ? bad : middle;
    }
    return most_at(w, limit, 0) >= least_at(w, limit, 0) ? limit : bad; /* the one that cannot be: never too narrow */
}

/* How far the possible lines with slopes from `from` to `to` get above ours at a time (sign 1) or below it (-1). */
static double farthest(const line_work *w, double from, double to, double time, int sign)
{
    double ours = w->height + w->slope * time, best = 0;
    for (int i = 0; i < TRISECTIONS; i++) {
        double third = (to - from) / 3, a = from + third, b = to - third;
        double at_a = sign > 0 ? most_at(w, a, time) - ours : ours - least_at(w, a, time);
        double at_b = sign > 0 ? most_at(w, b, time) - ours : ours - least_at(w, b, time);
        best = fmax(best, fmax(at_a, at_b));
        from = at_a < at_b ? a : from;
        to = at_a < at_b ? to : b;
    }
    return best;
}

static double uncertainty(const line_work *w)
{
    double from = last_slope(w, -MOST_DRIFT), to = last_slope(w, MOST_DRIFT), worst = 0;
    double ends[2] = {w->points[0].at, w->points[w->count - 1].at};
    for (int i = 0; i < 2; i++) {
        worst = fmax(worst, farthest(w, from, to, ends[i], 1));
        worst = fmax(worst, farthest(w, from, to, ends[i], -1));
    }
    return ceil(worst) + ROUNDING;
}

static void estimate(line_work *w, gpu_rank_facts *rank, int64_t origin, int64_t lead)
{
    size_t all = w->count;
    if (all == 0) {
        return;
    }
    qsort(w->points, all, sizeof *w->points, by_time);
    find_line(w);
    leave_out_others(w);
    if (w->count * 2 < all || w->count == 0) {
        return;
    }
    double middle = floor((w->points[0].at + w->points[w->count - 1].at) / 2);
    rank->line_known = true;
    rank->line_at = origin + (int64_t)middle;
    rank->line_offset = lead + llround(w->height + w->slope * middle);
    rank->drift_ppb = w->slope * 1e9;
    rank->uncertainty = (int64_t)fmin(uncertainty(w), 9e18);
}

/* Of the parts that an input and the reference have in the same collective, the distance to the first of these. */
static void list_points(const gpu_facts *g, const gpu_ranks *r, uint32_t input, line_work *w, int64_t *origin,
                        int64_t *lead)
{
    w->count = 0;
    for (const gpu_collective *c = r->collectives; c < r->collectives + r->collective_count; c++) {
        const gpu_rank_part *p = &r->parts[c->first], *mine = p;
        while (mine < p + c->count - 1 && mine->input != input) {
            mine++;
        }
        if (p->input != r->reference || mine->input != input || !pf_gpu_collective_needs_all(c->kind)) {
            continue;
        }
        int64_t end = g->ops.end[p->op], own_end = g->ops.end[mine->op];
        if (w->count == 0) {
            *origin = end;
            *lead = pf_gpu_difference(own_end, end);
        }
        double at = (double)pf_gpu_difference(pf_gpu_difference(own_end, end), *lead);
        w->points[w->count++] =
            (line_point){.at = (double)pf_gpu_difference(end, *origin),
                         .lead = at,
                         .low = at - (double)pf_gpu_difference(own_end, g->ops.start[mine->op]) - ROUNDING,
                         .high = at + (double)pf_gpu_difference(end, g->ops.start[p->op]) + ROUNDING};
    }
}

pf_status pf_gpu_estimate_lines(gpu_facts *g, gpu_ranks *r, pf_error *err)
{
    line_work w = {.count = 0};
    PF_TRY(PF_PASS_ARRAY(g->arena, r->collective_count, w.points, err));
    PF_TRY(PF_PASS_ARRAY(g->arena, r->collective_count, w.scratch, err));
    for (uint32_t i = 0; i < g->rank_count; i++) {
        int64_t origin = 0, lead = 0;
        list_points(g, r, i, &w, &origin, &lead);
        estimate(&w, &r->rank[i], origin, lead);
        r->rank[i].uncertainty = i == r->reference ? 0 : r->rank[i].uncertainty; /* it is its own clock */
    }
    return PF_OK;
}
