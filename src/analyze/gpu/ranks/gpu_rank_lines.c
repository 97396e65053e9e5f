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
 * median slope of pairs that are half of all points apart, then the median height. All lines that pass through every
 * interval could be the truth. How far one of them gets from ours at the first and at the last point is the
 * uncertainty: no statistics, so it also covers a rank that always leaves earlier. For a given slope the heights that
 * are possible are an interval whose borders are convex in the slope, so that extremes are found by trisection; only
 * the bounds on the convex hulls of all upper and of all lower ones can be such a border. Clocks
 * drift by less than MOST_DRIFT; so one collective alone says something, too. A clock that was set by little, or that
 * NTP slews, may still pass through every interval: so how far the ends leave our line for a while is added twice,
 * since the lines that bound it bend as well.
 *
 * Where no line passes through every interval, a clock was set or runs at another speed by now, or they are no
 * collectives of these ranks. Then the truth is only known to be in the interval of each: the farthest end of all is
 * the uncertainty. Nothing is said if our line misses more than half of them, nor of series of which the two inputs
 * have different numbers: one of them began later, or ended earlier, and the n-th may not be the n-th.
 */
#include <math.h>
#include <stdlib.h>

#include "analyze/gpu/kernels/gpu_kernels.h"
#include "analyze/gpu/ranks/gpu_ranks.h"
#include "analyze/support/order_stats.h"
#include "analyze/support/pass_memory.h"
#include "base/ordering.h"

#define MOST_DRIFT 5e-4 /* what NTP slews by at most; crystals stay below 1e-4 */

enum { TRISECTIONS = 80, ROUNDING = 1, ROW = 7 }; /* ROUNDING: ns of a reading */

/* From the first collective on, in ns: when, and the lead at its ends and at least and most. */
typedef struct line_point {
    double at, lead, low, high;
} line_point;

/* The least upper bounds of all slopes, or less the greatest lower ones. */
typedef struct line_hull {
    size_t count;
    struct line_bound {
        double at, most;
    } * list;
} line_hull;

typedef struct line_work {
    line_point *points;
    size_t count;
    double *scratch;
    line_hull high, low;
    double slope, height; /* of the line */
} line_work;

PF_ORDER(by_time, line_point, PF_UP(at));

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

/* How many points have an interval that the line misses; *farthest: how far ends of intervals are from it at most, and
 * what two clocks may drift between them. */
static size_t count_misses(const line_work *w, double *farthest)
{
    size_t misses = 0;
    double gap = 0;
    *farthest = 0;
    for (size_t i = 0; i < w->count; i++) {
        const line_point *p = &w->points[i];
        double line = w->height + w->slope * p->at;
        misses += line < p->low || line > p->high;
        *farthest = fmax(*farthest, fmax(p->high - line, line - p->low));
        gap = i ? fmax(gap, p->at - p[-1].at) : 0;
    }
    *farthest += 2 * MOST_DRIFT * gap;
    return misses;
}

/* Whether b is not below the line from a to c. */
static bool is_above(struct line_bound a, struct line_bound b, struct line_bound c)
{
    return (b.most - a.most) * (c.at - a.at) >= (c.most - a.most) * (b.at - a.at);
}

static void add_bound(line_hull *h, double at, double most)
{
    const struct line_bound b = {at, most};
    while (h->count > 1 && is_above(h->list[h->count - 2], h->list[h->count - 1], b)) {
        h->count--;
    }
    h->list[h->count++] = b;
}

static void find_hulls(line_work *w)
{
    for (size_t i = 0; i < w->count; i++) {
        add_bound(&w->high, w->points[i].at, w->points[i].high);
        add_bound(&w->low, w->points[i].at, -w->points[i].low);
    }
}

static double least_of(const line_hull *h, double slope, double time)
{
    double least = INFINITY;
    for (size_t i = 0; i < h->count; i++) {
        least = fmin(least, h->list[i].most + slope * (time - h->list[i].at));
    }
    return least;
}

/* The least upper and the greatest lower bound of lines of that slope, at a time. */
static double most_at(const line_work *w, double slope, double time)
{
    return least_of(&w->high, slope, time);
}

static double least_at(const line_work *w, double slope, double time)
{
    return -least_of(&w->low, -slope, time);
}

/* How far the ends are off the line for a while: the median of a row. */
static double row_off(const line_work *w, size_t first, size_t row)
{
    for (size_t k = 0; k < row; k++) {
        const line_point *p = &w->points[first + k];
        w->scratch[k] = p->lead - w->height - w->slope * p->at;
    }
    return pf_select_real(w->scratch, row, row / 2);
}

/* The most that this is of rows of ROW, or of half of all, where two rows in a row are a line to the ends of both. */
static double bend_of(const line_work *w)
{
    size_t row = w->count < 2 * ROW ? w->count / 2 : ROW;
    double most = 0;
    for (size_t i = 0; row && i + 2 * row <= w->count; i++) {
        double a = row_off(w, i, row), b = row_off(w, i + row, row), more = (b - a) / 2;
        most = fmax(most, fmax(fmax(fabs(a), fabs(a - more)), fmax(fabs(b), fabs(b + more))));
    }
    return most;
}

static double room_of(const line_work *w, double slope)
{
    return most_at(w, slope, 0) - least_at(w, slope, 0);
}

/* The slope whose lines have the most room in the intervals; it is possible if that is not below 0. */
static double roomiest_slope(const line_work *w)
{
    double from = -MOST_DRIFT, to = MOST_DRIFT;
    for (int i = 0; i < TRISECTIONS; i++) {
        double third = (to - from) / 3;
        bool right = room_of(w, from + third) < room_of(w, to - third);
        from += right ? third : 0;
        to -= right ? 0 : third;
    }
    return from + (to - from) / 2;
}

/* The steepest slope that is possible between one that is and `limit`. */
static double last_slope(const line_work *w, double good, double limit)
{
    double bad = limit;
    for (int i = 0; i < TRISECTIONS; i++) {
        double middle = good + (bad - good) / 2;
        bool possible = room_of(w, middle) >= 0;
        good = possible ? middle : good;
        bad = possible ? bad : middle;
    }
    return room_of(w, limit) >= 0 ? limit : bad; /* the one that cannot be: never too narrow */
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

static double uncertainty(const line_work *w, double slope)
{
    double from = last_slope(w, slope, -MOST_DRIFT), to = last_slope(w, slope, MOST_DRIFT), worst = 0;
    double ends[2] = {w->points[0].at, w->points[w->count - 1].at};
    for (int i = 0; i < 2; i++) {
        worst = fmax(worst, farthest(w, from, to, ends[i], 1));
        worst = fmax(worst, farthest(w, from, to, ends[i], -1));
    }
    return worst;
}

static void estimate(line_work *w, gpu_rank_facts *rank, int64_t origin, int64_t lead)
{
    double farthest;
    if (w->count == 0) {
        return;
    }
    qsort(w->points, w->count, sizeof *w->points, by_time);
    find_line(w);
    find_hulls(w);
    if (count_misses(w, &farthest) * 2 > w->count) {
        return;
    }
    double slope = roomiest_slope(w), bound = room_of(w, slope) < 0 ? farthest : uncertainty(w, slope) + 2 * bend_of(w);
    double middle = floor((w->points[0].at + w->points[w->count - 1].at) / 2);
    rank->line_known = true;
    rank->line_at = origin + (int64_t)middle;
    rank->line_offset = lead + llround(w->height + w->slope * middle);
    rank->drift_ppb = w->slope * 1e9;
    rank->uncertainty = (int64_t)fmin(ceil(bound) + ROUNDING, 9e18);
}

/* Of the collectives of an input and the reference, the distance to the first of these. */
static void list_points(const gpu_ranks *r, const gpu_rank_part *p, uint32_t n, line_work *w, int64_t *origin,
                        int64_t *lead)
{
    for (const gpu_rank_part *mine = p; mine < p + n; mine++) {
        const gpu_collective *c = &r->collectives[mine->collective];
        if (!pf_gpu_has_reference(r, c) || c->part.series_size != mine->series_size ||
            !pf_gpu_collective_needs_all(pf_gpu_series_of(r, c->series).kind)) {
            continue;
        }
        int64_t end = c->part.end, own_end = mine->end;
        if (w->count == 0) {
            *origin = end;
            *lead = pf_gpu_difference(own_end, end);
        }
        double at = (double)pf_gpu_difference(pf_gpu_difference(own_end, end), *lead);
        w->points[w->count++] = (line_point){.at = (double)pf_gpu_difference(end, *origin),
                                             .lead = at,
                                             .low = at - (double)pf_gpu_difference(own_end, mine->began) - ROUNDING,
                                             .high = at + (double)pf_gpu_difference(end, c->part.began) + ROUNDING};
    }
}

pf_status pf_gpu_estimate_line(gpu_facts *g, gpu_ranks *r, gpu_rank_part *p, uint32_t n, pf_error *err)
{
    line_work w = {.count = 0};
    gpu_rank_facts *rank = &r->rank[p->input];
    int64_t origin = 0, lead = 0;
    PF_TRY(PF_PASS_ARRAY(&g->scratch, n, w.points, err));
    PF_TRY(PF_PASS_ARRAY(&g->scratch, n, w.scratch, err));
    PF_TRY(PF_PASS_ARRAY(&g->scratch, n, w.high.list, err));
    PF_TRY(PF_PASS_ARRAY(&g->scratch, n, w.low.list, err));
    list_points(r, p, n, &w, &origin, &lead);
    estimate(&w, rank, origin, lead);
    rank->uncertainty = p->input == r->reference ? 0 : rank->uncertainty; /* it is its own clock */
    return PF_OK;
}
