/* analyze/support/linear_fit.c - least squares that stay exact where times are large and differences small.
 *
 * Times are near 10^18 and what matters is a few ns, more digits than a double has. So the mean of x and of y is taken
 * exactly, in 128 bits, all points are moved there as integers, and only the small differences become doubles. The sum
 * over centred values has no cancellation; what is left of the mean after rounding is a correction of below 1 ns.
 */
#include "analyze/support/order_stats.h"

#include <math.h>

__extension__ typedef __int128 wide_sum;

static int64_t whole_mean(const int64_t *v, size_t n)
{
    wide_sum sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += v[i];
    }
    return n ? (int64_t)(sum / (wide_sum)n) : 0;
}

/* a - b, of which the difference may need 65 bits. */
static double distance(int64_t a, int64_t b)
{
    return a >= b ? (double)((uint64_t)a - (uint64_t)b) : -(double)((uint64_t)b - (uint64_t)a);
}

/* Sums over the points, moved to the origin. */
typedef struct fit_sums {
    double x, y, xx, xy;
} fit_sums;

static fit_sums sum_up(const pf_line *line, const int64_t *x, const int64_t *y, size_t n)
{
    fit_sums s = {0, 0, 0, 0};
    for (size_t i = 0; i < n; i++) {
        double dx = distance(x[i], line->x0), dy = distance(y[i], line->y0);
        s.x += dx;
        s.y += dy;
        s.xx += dx * dx;
        s.xy += dx * dy;
    }
    return s;
}

static void measure_residuals(pf_line *line, const int64_t *x, const int64_t *y, size_t n)
{
    double squares = 0;
    for (size_t i = 0; i < n; i++) {
        double left = pf_line_residual(line, x[i], y[i]);
        squares += left * left;
        line->worst = fmax(line->worst, fabs(left));
    }
    line->scatter = sqrt(squares / (double)n);
}

pf_line pf_line_fit(const int64_t *x, const int64_t *y, size_t n)
{
    pf_line line = {whole_mean(x, n), whole_mean(y, n), 0, 0, 0, 0};
    fit_sums s = sum_up(&line, x, y, n);
    double count = (double)n;
    double spread = s.xx - s.x * s.x / count;
    if (spread > 0) {
        line.slope = (s.xy - s.x * s.y / count) / spread;
    }
    line.offset = (s.y - line.slope * s.x) / count;
    measure_residuals(&line, x, y, n);
    return line;
}

double pf_line_residual(const pf_line *line, int64_t x, int64_t y)
{
    return distance(y, line->y0) - line->slope * distance(x, line->x0) - line->offset;
}
