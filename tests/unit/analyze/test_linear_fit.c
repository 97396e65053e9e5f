/* Lines through points: exact where the points lie on a line, at 60-bit times, and a case worked out by hand. */
#include <criterion/criterion.h>
#include <math.h>

#include "analyze/support/order_stats.h"

Test(linear_fit, keeps_nanoseconds_at_large_times)
{
    int64_t x[1000], y[1000];
    for (int i = 0; i < 1000; i++) {
        x[i] = 1475001720113991000 + (int64_t)i * 1000000;
        y[i] = 700000000000000000 + (int64_t)i * 1000003;
    }
    pf_line line = pf_line_fit(x, y, 1000);
    cr_assert_float_eq(line.slope, 1.000003, 1e-12);
    cr_assert_lt(line.worst, 1e-3);
    cr_assert_lt(fabs(pf_line_residual(&line, x[0], y[0])), 0.5);
    cr_assert_lt(fabs(pf_line_residual(&line, x[999], y[999])), 0.5);
    cr_assert_lt(fabs(pf_line_residual(&line, x[999] + 1000000000, y[999] + 1000003000)), 0.5);
}

/* (0,1), (1,3), (2,2), (3,6): slope 7/5, intercept 9/10, squares left 2.7. */
Test(linear_fit, is_the_least_squares_line)
{
    const int64_t x[] = {0, 1, 2, 3}, y[] = {1, 3, 2, 6};
    pf_line line = pf_line_fit(x, y, 4);
    cr_assert_float_eq(line.slope, 1.4, 1e-12);
    cr_assert_float_eq(pf_line_residual(&line, 0, 0), -0.9, 1e-12);
    cr_assert_float_eq(line.scatter, sqrt(4.2 / 4), 1e-12);
    cr_assert_float_eq(line.worst, 1.7, 1e-12);
}

Test(linear_fit, without_a_spread_is_flat)
{
    const int64_t x[] = {5, 5, 5}, y[] = {1, 2, 6};
    pf_line line = pf_line_fit(x, y, 3);
    cr_assert_eq(line.slope, 0);
    cr_assert_float_eq(pf_line_residual(&line, 5, 3), 0, 1e-9);
    cr_assert_float_eq(pf_line_residual(&line, 1000, 3), 0, 1e-9);
    line = pf_line_fit(x, y, 1);
    cr_assert_float_eq(pf_line_residual(&line, 77, 1), 0, 1e-9);
    cr_assert_eq(line.worst, 0);
}

Test(linear_fit, does_not_overflow)
{
    const int64_t x[] = {INT64_MIN, INT64_MAX}, y[] = {INT64_MAX, INT64_MIN};
    pf_line line = pf_line_fit(x, y, 2);
    cr_assert_float_eq(line.slope, -1, 1e-9);
}
