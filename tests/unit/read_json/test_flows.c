/* Arrows (s, t, f and bind_id), thread clocks, and the order of events of equal times. What is expected was read off
 * Perfetto's own engine (shared/tools/tp_query) for the same events. */
#include "support.h"

#include <stdio.h>
#include <string.h>

#define THREAD(n) "\"pid\":1,\"tid\":" #n ","

static void expect_flow(const pf_trace *t, uint32_t row, const char *from, const char *to, uint64_t id)
{
    const pf_flows *f = pf_trace_flows(t);
    const pf_slices *s = pf_trace_slices(t);
    cr_assert_lt(row, f->count);
    cr_expect(string_is(t, pf_slice_name(s, f->slice_out[row]), from), "row %u does not start at %s", row, from);
    cr_expect(string_is(t, pf_slice_name(s, f->slice_in[row]), to), "row %u does not end at %s", row, to);
    cr_expect_eq(f->trace_id[row], id);
}

Test(flows, ids_are_numbers_or_hexadecimal_texts)
{
    pf_trace *t = load("[{\"ph\":\"X\",\"name\":\"a\"," THREAD(
        2) "\"ts\":10,\"dur\":10},"
           "{\"ph\":\"s\",\"name\":\"f\"," THREAD(
               2) "\"ts\":12,\"id\":\"0x1f\"},"
                  "{\"ph\":\"X\",\"name\":\"b\"," THREAD(
                      3) "\"ts\":30,\"dur\":10},"
                         "{\"ph\":\"t\",\"name\":\"f\"," THREAD(
                             3) "\"ts\":32,\"id\":31},"
                                "{\"ph\":\"f\",\"name\":\"f\"," THREAD(
                                    4) "\"ts\":40,\"id\":\"1F\"},"
                                       "{\"ph\":\"X\",\"name\":\"next\"," THREAD(
                                           4) "\"ts\":50,\"dur\":10},"
                                              "{\"ph\":\"f\",\"name\":\"f\"," THREAD(
                                                  4) "\"ts\":52,\"id\":\"1f\",\"bp\":\"e\"},"
                                                     "{\"ph\":\"f\",\"name\":\"f\",\"cat\":\"c\"," THREAD(
                                                         4) "\"ts\":53,\"id\":31,\"bp\":\"e\"},"
                                                            "{\"ph\":\"s\",\"name\":\"f\"," THREAD(
                                                                4) "\"ts\":54,\"id\":5.0},"
                                                                   "{\"ph\":\"s\",\"name\":\"f\"," THREAD(
                                                                       4) "\"ts\":54,\"id\":\"zz\"}]");
    cr_expect_eq(pf_trace_flows(t)->count, 3);
    expect_flow(t, 0, "a", "b", 0);
    expect_flow(t, 1, "b", "next", 0);
    expect_flow(t, 2, "b", "next", 0);
    cr_expect_eq(stat_of(t, PF_STAT_FLOW_INVALID_ID), 2);
    cr_expect_eq(stat_of(t, PF_STAT_FLOW_END_NO_START), 1, "another category is another flow");
    pf_trace_free(t);
}

/* Four kinds of arrows, and ids before, far from and among those of the first kind. */
Test(flows, arrows_of_equal_ids_or_kinds_stay_apart)
{
    static const struct {
        const char *kind, *id;
    } arrows[] = {
        {"\"cat\":\"c\",\"name\":\"f\"", "10"},
        {"\"cat\":\"c\",\"name\":\"g\"", "10"},
        {"\"cat\":\"d\",\"name\":\"f\"", "10"},
        {"\"name\":\"f\"", "10"},
        {"\"cat\":\"c\",\"name\":\"f\"", "9"},
        {"\"cat\":\"c\",\"name\":\"f\"", "0"},
        {"\"cat\":\"c\",\"name\":\"f\"", "-1"},
        {"\"cat\":\"c\",\"name\":\"f\"", "11"},
        {"\"cat\":\"c\",\"name\":\"f\"", "1073741833"},
        {"\"cat\":\"c\",\"name\":\"f\"", "1073741834"},
        {"\"cat\":\"c\",\"name\":\"f\"", "9223372036854775807"},
        {"\"cat\":\"c\",\"name\":\"g\"", "11"},
    };
    enum { COUNT = sizeof arrows / sizeof *arrows };
    char text[8192];
    size_t n = 0;
    for (int end = 0; end < 2; end++) {
        for (int i = 0; i < COUNT; i++) {
            int ts = end * 1000 + i * 10;
            n += (size_t)snprintf(text + n, sizeof text - n,
                                  "%s{\"ph\":\"X\",\"name\":\"%c%d\"," THREAD(
                                      2) "\"ts\":%d,\"dur\":5},"
                                         "{\"ph\":\"%c\",\"bp\":\"e\",%s,\"id\":%s," THREAD(2) "\"ts\":%d}",
                                  n ? "," : "[", end ? 'e' : 's', i, ts, end ? 'f' : 's', arrows[i].kind, arrows[i].id,
                                  ts + 1);
        }
    }
    snprintf(text + n, sizeof text - n, "]");
    pf_trace *t = load(text);
    cr_expect_eq(pf_trace_flows(t)->count, COUNT);
    for (uint32_t i = 0; i < COUNT; i++) {
        char from[16], to[16];
        snprintf(from, sizeof from, "s%u", i);
        snprintf(to, sizeof to, "e%u", i);
        expect_flow(t, i, from, to, i);
    }
    pf_trace_free(t);
}

Test(flows, bind_ids_join_the_slices_that_carry_them)
{
    pf_trace *t = load("[{\"ph\":\"X\",\"name\":\"a\"," THREAD(
        2) "\"ts\":10,\"dur\":10,\"bind_id\":\"0x12\",\"flow_out\":true},"
           "{\"ph\":\"X\",\"name\":\"b\"," THREAD(
               3) "\"ts\":30,\"dur\":10,\"bind_id\":18,\"flow_in\":true,\"flow_out\":true},"
                  "{\"ph\":\"X\",\"name\":\"c\"," THREAD(
                      4) "\"ts\":50,\"dur\":10,\"bind_id\":\"12\",\"flow_in\":true},"
                         "{\"ph\":\"X\",\"name\":\"c2\"," THREAD(
                             4) "\"ts\":70,\"dur\":10,\"bind_id\":\"12\",\"flow_in\":true},"
                                "{\"ph\":\"X\",\"name\":\"d\"," THREAD(
                                    4) "\"ts\":90,\"dur\":10,\"bind_id\":\"12\",\"flow_in\":1},"
                                       "{\"ph\":\"b\",\"name\":\"as\"," THREAD(
                                           4) "\"ts\":120,\"id\":1,\"bind_id\":\"77\",\"flow_out\":true},"
                                              "{\"ph\":\"n\",\"name\":\"as2\"," THREAD(
                                                  4) "\"ts\":130,\"id\":1,\"bind_id\":\"77\",\"flow_in\":true}]");
    cr_expect_eq(pf_trace_flows(t)->count, 4);
    expect_flow(t, 0, "a", "b", 18);
    expect_flow(t, 1, "b", "c", 18);
    expect_flow(t, 2, "b", "c2", 18);
    expect_flow(t, 3, "as", "as2", 119);
    cr_expect_eq(stat_of(t, PF_STAT_FLOW_WITHOUT_DIRECTION), 1);
    pf_trace_free(t);
}

Test(thread_times, count_on_thread_tracks_only)
{
    pf_trace *t = load("[{\"ph\":\"X\",\"name\":\"x\"," THREAD(
        2) "\"ts\":10,\"dur\":10,\"tts\":5.0005,\"tdur\":3},"
           "{\"ph\":\"X\",\"name\":\"no tts\"," THREAD(
               2) "\"ts\":31,\"dur\":10,\"tdur\":3},"
                  "{\"ph\":\"i\",\"name\":\"it\"," THREAD(
                      2) "\"ts\":42,\"tts\":7,\"tdur\":3},"
                         "{\"ph\":\"i\",\"name\":\"ig\",\"s\":\"g\"," THREAD(
                             2) "\"ts\":43,\"tts\":7},"
                                "{\"ph\":\"b\",\"name\":\"as\"," THREAD(
                                    2) "\"ts\":50,\"tts\":7,\"id\":1},"
                                       "{\"ph\":\"B\",\"name\":\"b\"," THREAD(
                                           2) "\"ts\":60,\"tts\":8},"
                                              "{\"ph\":\"E\",\"name\":\"b\"," THREAD(
                                                  2) "\"ts\":70,\"tts\":8},"
                                                     "{\"ph\":\"B\",\"name\":\"b\"," THREAD(
                                                         2) "\"ts\":80,\"tts\":9},"
                                                            "{\"ph\":\"E\",\"name\":\"b\"," THREAD(
                                                                2) "\"ts\":90,\"tts\":\"11\"}]");
    const int64_t none = INT64_MIN;
    const int64_t expected[][2] = {{5001, 3000}, {none, 3000}, {7000, none}, {none, none},
                                   {none, none}, {8000, 0},    {9000, 2000}};
    const pf_slices *s = pf_trace_slices(t);
    cr_assert_eq(s->count, 7);
    for (uint32_t i = 0; i < 7; i++) {
        cr_expect_eq(s->thread_ts[i], expected[i][0], "row %u: %lld", i, (long long)s->thread_ts[i]);
        cr_expect_eq(s->thread_dur[i], expected[i][1], "row %u: %lld", i, (long long)s->thread_dur[i]);
    }
    pf_trace_free(t);
}

static void expect_durations(const char *text, const int64_t *dur, uint32_t count)
{
    pf_trace *t = load(text);
    const pf_slices *s = pf_trace_slices(t);
    cr_assert_eq(s->count, count, "%s", text);
    for (uint32_t i = 0; i < count; i++) {
        cr_expect_eq(s->dur[i], dur[i], "%s: row %u lasts %lld", text, i, (long long)s->dur[i]);
    }
    pf_trace_free(t);
}

#define A_TO_10(between)                                                                                               \
    "[{\"ph\":\"B\",\"name\":\"A\"," THREAD(2) "\"ts\":0}," between                                                    \
                                               "{\"ph\":\"E\",\"name\":\"A\"," THREAD(2) "\"ts\":10}]"
#define EMPTY_B                                                                                                        \
    "{\"ph\":\"B\",\"name\":\"B\"," THREAD(2) "\"ts\":3},{\"ph\":\"E\",\"name\":\"B\"," THREAD(2) "\"ts\":3},"

Test(ties, classes_begin_at_the_first_disorder)
{
    /* File order decides where nothing is out of order, even next to complete events. */
    expect_durations(A_TO_10(EMPTY_B "{\"ph\":\"X\",\"name\":\"D\"," THREAD(2) "\"ts\":5,\"dur\":1},"),
                     (const int64_t[]){10000, 0, 1000}, 3);
    /* After a complete event, equal times are out of order: the end comes first and closes nothing. */
    expect_durations("[{\"ph\":\"X\",\"name\":\"D\"," THREAD(
                         2) "\"ts\":0,\"dur\":1},"
                            "{\"ph\":\"B\",\"name\":\"A\"," THREAD(
                                2) "\"ts\":2}," EMPTY_B "{\"ph\":\"E\",\"name\":\"A\"," THREAD(2) "\"ts\":10}]",
                     (const int64_t[]){1000, 8000, -1}, 3);
    /* Longer complete events first, an empty one last. */
    expect_durations(A_TO_10(EMPTY_B "{\"ph\":\"X\",\"name\":\"D\"," THREAD(
                         2) "\"ts\":3,\"dur\":0},"
                            "{\"ph\":\"X\",\"name\":\"L\"," THREAD(2) "\"ts\":3,\"dur\":5},"
                                                                      "{\"ph\":\"X\",\"name\":\"M\"," THREAD(
                                                                          2) "\"ts\":3,\"dur\":6},"),
                     (const int64_t[]){10000, 6000, 5000, 5000, 0}, 5);
}
