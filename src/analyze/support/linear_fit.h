/* analyze/support/linear_fit.h - the straight line through points of int64 times: how one clock runs against another.
 */
#ifndef PF_ANALYZE_SUPPORT_LINEAR_FIT_H
#define PF_ANALYZE_SUPPORT_LINEAR_FIT_H

#include "postfetto/base.h"

/* y = y0 + slope * (x - x0) + offset. The origin is a whole point near the middle, so that the line keeps its
 * nanoseconds where times have 60 bits. */
typedef struct pf_line {
    int64_t x0, y0;
    double slope;
    double offset;  /* y at x0, less y0 */
    double scatter; /* the root of the mean square of what is left; 0 for a perfect fit */
    double worst;   /* the largest |what is left| */
} pf_line;

/* Least squares over n >= 1 points. All x equal: slope 0 and the mean of y. */
pf_line pf_line_fit(const int64_t *x, const int64_t *y, size_t n);

/* y less the line at x. */
double pf_line_residual(const pf_line *line, int64_t x, int64_t y);

#endif
