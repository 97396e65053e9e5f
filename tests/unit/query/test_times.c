/* Functions that turn trace time into other clocks. Values are the reference engine's for the same snapshots. */
#include "support.h"

static session open_clocks(void)
{
    static const struct {
        int64_t ts, clock, value;
    } rows[] = {{1000, 1, 1700000000999999000},
                {1000, 3, 500},
                {2000, 1, 1700000001000005000},
                {2000, 3, 1600},
                {3000, 1, 5},
                {3000, 3, 2300},
                {1000, 6, 1000}};
    session s = {.t = pf_trace_new(NULL, PF_WANT_TABLES, NULL)};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cr_assert_eq(pf_trace_add_clock(s.t, rows[i].ts, rows[i].clock, (pf_str){NULL, 0}, rows[i].value, 0, NULL),
                     PF_OK);
    }
    cr_assert_eq(pf_trace_finish(s.t, NULL), PF_OK);
    cr_assert_eq(pf_query_open(s.t, &s.q, &s.err), PF_OK);
    return s;
}

Test(times, realtime)
{
    session s = open_clocks();
    EXPECT_ROWS(&s, "SELECT to_realtime(-5), to_realtime(1500), to_realtime(1999)",
                "1700000000999999000|1700000000999999500|1700000000999999999\n");
    EXPECT_ROWS(&s, "SELECT to_realtime(2000), to_realtime(2001), to_realtime(3000), to_realtime(4000)",
                "1700000001000005000|5|5|1005\n");
    EXPECT_ROWS(&s, "SELECT to_realtime(NULL), to_realtime(9200000000000000000)", "-|9199999999999997005\n");
    cr_expect_str_eq(ask(&s, "SELECT to_realtime('x')"), "error 1 0");
    cr_expect_str_eq(ask(&s, "SELECT to_realtime(2.5)"), "error 1 0");
    close_session(&s);
}

Test(times, monotonic)
{
    session s = open_clocks();
    EXPECT_ROWS(&s, "SELECT to_monotonic(0), to_monotonic(1100), to_monotonic(2700), to_monotonic(2800)",
                "500|600|2300|2300\n");
    EXPECT_ROWS(&s, "SELECT to_monotonic(3000), to_monotonic(4000)", "2300|3300\n");
    cr_expect_str_eq(ask(&s, "SELECT to_monotonic('1')"), "error 1 0");
    close_session(&s);
}

Test(times, text)
{
    session s = open_clocks();
    EXPECT_ROWS(&s, "SELECT abs_time_str(-1700000000000000000), abs_time_str(4000), abs_time_str(NULL)",
                "2023-11-14T22:13:20.999999000|1970-01-01T00:00:00.000001005|-\n");
    EXPECT_ROWS(&s, "SELECT abs_time_str(9200000000000000000)", "2261-07-15T11:33:19.999997005\n");
    close_session(&s);
}

/* A trace that says nothing of these clocks. */
Test(times, unknown_clocks)
{
    session s = open_session();
    EXPECT_ROWS(&s, "SELECT to_realtime(1), to_monotonic(1), abs_time_str(1)", "-|-|-\n");
    close_session(&s);
}

/* Of several readings at one time the last one counts (by hand); a time before 1970 has a whole second below it. */
Test(times, ties_and_early_times)
{
    session s = {.t = pf_trace_new(NULL, PF_WANT_TABLES, NULL)};
    cr_assert_eq(pf_trace_add_clock(s.t, 10, 1, (pf_str){NULL, 0}, 7, 0, NULL), PF_OK);
    cr_assert_eq(pf_trace_add_clock(s.t, 10, 1, (pf_str){NULL, 0}, -11, 1, NULL), PF_OK);
    cr_assert_eq(pf_trace_finish(s.t, NULL), PF_OK);
    cr_assert_eq(pf_query_open(s.t, &s.q, &s.err), PF_OK);
    EXPECT_ROWS(&s, "SELECT to_realtime(11), abs_time_str(11)", "-10|1969-12-31T23:59:59.999999990\n");
    close_session(&s);
}
