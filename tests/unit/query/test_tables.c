/* The tables, on the trace of support.h. Values are written by hand; names and order of columns are those of the
 * reference engine, NULLs included. */
#include <stdio.h>
#include <string.h>

#include "support.h"

#define EXPECT(sql, expected) cr_expect_str_eq(ask(&s, sql), expected, "%s gives:\n%s", sql, ask(&s, sql))

Test(tables, slice)
{
    session s = open_session();
    EXPECT("SELECT id, ts, dur, track_id, category, name, depth, parent_id FROM slice",
           "id|ts|dur|track_id|category|name|depth|parent_id\n"
           "0|10|20|0|c1|a|0|-\n"
           "1|12|5|0|-|b|1|0\n"
           "2|12|1|1|-|x|0|-\n"
           "3|14|0|0|-|i|2|1\n"
           "4|18|5|0|-|b|1|0\n"
           "5|40|-1|3|-|g|0|-\n");
    EXPECT("SELECT * FROM slices WHERE id = 1",
           "id|ts|dur|track_id|category|name|depth|parent_id|arg_set_id|thread_ts|thread_dur|"
           "thread_instruction_count|thread_instruction_delta|cat|slice_id\n"
           "1|12|5|0|-|b|1|0|-|-|-|-|-|-|1\n");
    EXPECT("SELECT * FROM instant", "ts|track_id|name|arg_set_id\n14|0|i|-\n");
    close_session(&s);
}

Test(tables, processes_and_threads)
{
    session s = open_session();
    EXPECT(
        "SELECT * FROM process",
        "upid|id|pid|name|start_ts|end_ts|parent_upid|uid|android_appid|android_user_id|cmdline|arg_set_id|machine_id|"
        "input_id\n"
        "0|0|0|-|-|-|-|-|-|-|-|-|0|0\n"
        "1|1|10|proc|-|-|-|-|-|-|-|-|0|0\n"
        "2|2|20|-|-|-|-|-|-|-|-|-|0|0\n");
    EXPECT("SELECT * FROM thread",
           "utid|id|tid|name|start_ts|end_ts|upid|is_main_thread|is_idle|machine_id|arg_set_id\n"
           "0|0|0|-|-|-|0|1|1|0|-\n"
           "1|1|10|-|-|-|1|1|0|0|-\n"
           "2|2|11|thr|-|-|1|0|0|0|-\n"
           "3|3|20|-|-|-|2|1|0|0|-\n");
    close_session(&s);
}

/* "root" is shown for its child's sake, "unused" is not. */
Test(tables, tracks)
{
    session s = open_session();
    EXPECT("SELECT id, name, type, parent_id, machine_id, track_group_id FROM track",
           "id|name|type|parent_id|machine_id|track_group_id\n"
           "0|-|thread_execution|-|0|-\n"
           "1|-|thread_execution|-|0|-\n"
           "2|root|global_track_event|-|0|-\n"
           "3|leaf|global_track_event|2|0|-\n"
           "5|temp|process_counter_track_event|-|0|-\n");
    EXPECT("SELECT id, event_type, counter_unit, utid, upid FROM __intrinsic_track",
           "id|event_type|counter_unit|utid|upid\n"
           "0|slice|-|2|-\n1|slice|-|1|-\n2|slice|-|-|-\n3|slice|-|-|-\n5|counter|C|-|1\n");
    EXPECT_ROWS(&s, "SELECT id FROM __intrinsic_track WHERE id = 4", "");
    EXPECT_ROWS(&s, "SELECT id, name FROM track WHERE id > 2 ORDER BY id DESC", "5|temp\n3|leaf\n");
    EXPECT("SELECT * FROM thread_track ORDER BY id", "id|name|type|parent_id|source_arg_set_id|machine_id|utid\n"
                                                     "0|-|thread_execution|-|-|0|2\n1|-|thread_execution|-|-|0|1\n");
    EXPECT("SELECT * FROM process_track", "id|name|type|parent_id|source_arg_set_id|machine_id|upid\n");
    EXPECT("SELECT id, name, unit, upid FROM process_counter_track", "id|name|unit|upid\n5|temp|C|1\n");
    EXPECT_ROWS(&s, "SELECT id, name, unit, description FROM counter_track", "5|temp|C|-\n");
    EXPECT_ROWS(&s, "SELECT count(*) FROM thread_counter_track", "0\n");
    close_session(&s);
}

Test(tables, counters)
{
    session s = open_session();
    EXPECT("SELECT * FROM counter", "id|ts|track_id|value|arg_set_id\n0|5|5|1.5|-\n1|15|5|2.5|-\n2|25|5|2.5|-\n");
    EXPECT("SELECT * FROM counters WHERE ts > 10",
           "id|ts|track_id|value|arg_set_id|name|unit\n1|15|5|2.5|-|temp|C\n2|25|5|2.5|-|temp|C\n");
    close_session(&s);
}

Test(tables, slices_with_their_threads)
{
    session s = open_session();
    EXPECT("SELECT * FROM thread_slice WHERE id IN (1, 2) ORDER BY id",
           "id|ts|dur|category|name|track_id|track_name|thread_name|utid|tid|is_main_thread|process_name|upid|pid|"
           "depth|parent_id|arg_set_id|thread_ts|thread_dur\n"
           "1|12|5|-|b|0|-|thr|2|11|0|proc|1|10|1|0|-|-|-\n"
           "2|12|1|-|x|1|-|-|1|10|1|proc|1|10|0|-|25|-|-\n");
    EXPECT_ROWS(&s, "SELECT count(*), min(id), max(id) FROM thread_or_process_slice", "5|0|4\n");
    EXPECT_ROWS(&s, "SELECT count(*) FROM process_slice", "0\n");
    close_session(&s);
}

Test(tables, about_the_trace)
{
    session s = open_session();
    EXPECT("SELECT * FROM trace_bounds", "start_ts|end_ts\n5|40\n");
    EXPECT_ROWS(&s, "SELECT trace_start(), trace_end(), trace_dur()", "5|40|35\n");
    EXPECT("SELECT * FROM metadata", "id|name|key_type|int_value|str_value|machine_id|trace_id|input_id\n"
                                     "0|trace_type|single|-|json|0|0|0\n1|answer|single|42|-|0|0|0\n");
    EXPECT_ROWS(&s, "SELECT name, idx, severity, source, value FROM stats WHERE value != 0",
                "json_parser_failure|-|error|trace|1\n");
    EXPECT_ROWS(&s, "SELECT source FROM stats WHERE name = 'misplaced_end_event'", "analysis\n");
    EXPECT_ROWS(&s, "SELECT id, raw_id, name FROM machine", "0|0|-\n");
    EXPECT_ROWS(&s, "SELECT count(*) FROM __intrinsic_trace_file", "0\n");
    close_session(&s);
}

/* Perfetto's engine (v55.3) calls the rows of these two names "multi", because a trace may have several of each. */
Test(tables, kinds_of_metadata)
{
    session s = {.t = pf_trace_new(NULL, PF_WANT_TABLES, NULL)};
    const char *const names[] = {"all_data_source_flushed_ns", "all_data_source_flushed", "slow_start_data_source",
                                 "slow_start_data_sources"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const pf_str name = {names[i], strlen(names[i])};
        cr_assert_eq(pf_trace_add_metadata(s.t, name, (pf_str){NULL, 0}, 1, NULL), PF_OK);
    }
    cr_assert_eq(pf_trace_finish(s.t, &s.err), PF_OK);
    cr_assert_eq(pf_query_open(s.t, &s.q, &s.err), PF_OK, "%s", s.err.text);
    EXPECT_ROWS(&s, "SELECT name, key_type FROM metadata",
                "all_data_source_flushed_ns|multi\nall_data_source_flushed|single\n"
                "slow_start_data_source|multi\nslow_start_data_sources|single\n");
    close_session(&s);
}

/* Tables of data that the model does not hold can be joined and give nothing. */
Test(tables, absent_data)
{
    session s = open_session();
    EXPECT("SELECT * FROM clock_snapshot", "id|ts|clock_id|clock_name|clock_value|snapshot_id|machine_id\n");
    EXPECT_ROWS(&s, "SELECT s.id FROM slice s JOIN android_logs a ON a.utid = s.track_id", "");
    EXPECT_ROWS(&s, "SELECT \"end\" FROM stack_profile_mapping", "");
    EXPECT_ROWS(&s, "SELECT count(*) FROM gpu_slice", "0\n");
    close_session(&s);
}

Test(tables, ancestors_and_descendants)
{
    session s = open_session();
    EXPECT("SELECT * FROM ancestor_slice(3)",
           "id|ts|dur|track_id|category|name|depth|parent_id|arg_set_id|thread_ts|thread_dur|"
           "thread_instruction_count|thread_instruction_delta\n"
           "0|10|20|0|c1|a|0|-|19|-|-|-|-\n1|12|5|0|-|b|1|0|-|-|-|-|-\n");
    EXPECT_ROWS(&s, "SELECT id, name FROM descendant_slice(0)", "1|b\n3|i\n4|b\n");
    EXPECT_ROWS(&s, "SELECT id FROM descendant_slice(1)", "3\n");
    EXPECT_ROWS(&s, "SELECT id FROM descendant_slice(2)", "");
    EXPECT_ROWS(&s, "SELECT id FROM ancestor_slice(99)", "");
    EXPECT_ROWS(&s, "SELECT id FROM ancestor_slice(NULL)", "");
    EXPECT_ROWS(&s, "SELECT s.id, a.id FROM slice s JOIN ancestor_slice(s.id) a ORDER BY 1, 2", "1|0\n3|0\n3|1\n4|0\n");
    EXPECT_ROWS(&s, "SELECT slice_is_ancestor(0, 3), slice_is_ancestor(3, 0), slice_is_ancestor(2, 3)", "1|0|0\n");
    EXPECT_ROWS(&s, "SELECT slice_is_ancestor(1, 1), slice_is_ancestor(0, 99), slice_is_ancestor(NULL, 1)", "0|-|-\n");
    close_session(&s);
}

/* Chrome's flows are told apart by name and category, and show them; others show nothing. The engine gives the same for
 * the JSON of this trace. */
Test(tables, arguments_of_flows)
{
    session s = {.t = pf_trace_new(NULL, PF_WANT_TABLES, NULL)};
    uint32_t one = add_thread_track(s.t, 1, 1), two = add_thread_track(s.t, 1, 2);
    static const struct {
        char phase;
        int64_t ts;
        const char *name, *category;
        uint64_t id;
        pf_flow_kind kind;
    } EVENTS[] = {{'X', 0, "a", NULL, 0, 0},
                  {'s', 2, "go", "async", 1, PF_FLOW_START},
                  {'s', 3, NULL, NULL, 2, PF_FLOW_START},
                  {'X', 30, "b", NULL, 0, 0},
                  {'f', 31, NULL, NULL, 2, PF_FLOW_END},
                  {'f', 32, "go", "async", 1, PF_FLOW_END},
                  {'i', 50, "out", NULL, 7, PF_FLOW_FLOW},
                  {'i', 60, "in", NULL, 7, PF_FLOW_FLOW}};
    for (size_t i = 0; i < sizeof EVENTS / sizeof *EVENTS; i++) {
        add_event(s.t, i < 3 ? one : two, EVENTS[i].phase, EVENTS[i].ts, 10, EVENTS[i].name, EVENTS[i].category);
        cr_assert(!EVENTS[i].id || pf_trace_add_event_flow(s.t, EVENTS[i].id, EVENTS[i].kind, NULL) == PF_OK);
    }
    cr_assert_eq(pf_trace_finish(s.t, NULL), PF_OK);
    cr_assert_eq(pf_query_open(s.t, &s.q, &s.err), PF_OK);
    EXPECT_ROWS(&s,
                "SELECT f.id, slice_out, slice_in, trace_id, a.key, a.value_type, a.string_value"
                " FROM flow f LEFT JOIN args a USING (arg_set_id) ORDER BY f.id, a.id",
                "0|0|1|1|name|string|-\n0|0|1|1|cat|string|-\n"
                "1|0|1|0|name|string|go\n1|0|1|0|cat|string|async\n"
                "2|2|3|7|-|-|-\n");
    EXPECT_ROWS(&s, "SELECT arg_set_id IS NULL FROM directly_connected_flow(1) ORDER BY id", "0\n0\n");
    close_session(&s);
}

/* The trace of the comment: A calls into B, B's child B1 calls C, C calls D; later P, the parent of B, calls Q. What
 * the reference engine gives for it (as slice_out>slice_in) is written here. */
Test(tables, flows)
{
    session s = {.t = pf_trace_new(NULL, PF_WANT_TABLES, NULL)};
    static const struct {
        const char *name;
        int64_t ts, dur;
        int tid;
        uint64_t flow[2];
    } SLICES[] = {{"A", 10, 10, 1, {1, 0}},  {"P", 20, 50, 2, {0, 0}}, {"B", 25, 30, 2, {1, 0}},
                  {"B1", 30, 10, 2, {2, 4}}, {"C", 80, 10, 3, {2, 3}}, {"D", 100, 10, 4, {3, 0}},
                  {"Q", 200, 10, 5, {4, 0}}};
    for (size_t i = 0; i < sizeof SLICES / sizeof *SLICES; i++) {
        add_event(s.t, add_thread_track(s.t, 1, SLICES[i].tid), 'X', SLICES[i].ts, SLICES[i].dur, SLICES[i].name, NULL);
        for (int k = 0; k < 2 && SLICES[i].flow[k]; k++) {
            cr_assert_eq(pf_trace_add_event_flow(s.t, SLICES[i].flow[k], PF_FLOW_FLOW, NULL), PF_OK);
        }
    }
    cr_assert_eq(pf_trace_finish(s.t, NULL), PF_OK);
    cr_assert_eq(pf_query_open(s.t, &s.q, &s.err), PF_OK);
    EXPECT("SELECT * FROM flow",
           "id|slice_out|slice_in|trace_id|arg_set_id\n0|0|2|1|-\n1|3|4|2|-\n2|4|5|3|-\n3|3|6|4|-\n");
    static const struct {
        const char *slice, *connected, *following, *preceding;
    } EXPECTED[] = {
        {"0", "0>2\n", "0>2\n3>4\n3>6\n4>5\n", ""}, {"1", "", "3>4\n3>6\n4>5\n", ""},
        {"2", "0>2\n", "3>4\n3>6\n4>5\n", "0>2\n"}, {"3", "3>4\n3>6\n4>5\n", "3>4\n3>6\n4>5\n", "0>2\n"},
        {"4", "3>4\n4>5\n", "4>5\n", "0>2\n3>4\n"}, {"5", "3>4\n4>5\n", "", "0>2\n3>4\n4>5\n"},
        {"6", "3>6\n", "", "0>2\n3>6\n"},           {"77", "", "", ""},
    };
    for (size_t i = 0; i < sizeof EXPECTED / sizeof *EXPECTED; i++) {
        static const char *const FUNCTIONS[] = {"directly_connected_flow", "following_flow", "preceding_flow"};
        const char *const rows[] = {EXPECTED[i].connected, EXPECTED[i].following, EXPECTED[i].preceding};
        for (int k = 0; k < 3; k++) {
            char sql[128];
            snprintf(sql, sizeof sql, "SELECT slice_out || '>' || slice_in FROM %s(%s) ORDER BY 1", FUNCTIONS[k],
                     EXPECTED[i].slice);
            EXPECT_ROWS(&s, sql, rows[k]);
        }
    }
    close_session(&s);
}

/* What the model knows of clocks, thread times and the lives of processes. */
Test(tables, sparse_columns)
{
    session s = {.t = pf_trace_new(NULL, PF_WANT_TABLES, NULL)};
    uint32_t k = add_thread_track(s.t, 1, 1);
    add_event(s.t, k, 'X', 10, 5, "timed", NULL);
    const pf_thread_time time = {.ts = 100, .dur = 3, .instruction_count = INT64_MIN, .instruction_delta = INT64_MIN};
    cr_assert_eq(pf_trace_add_thread_time(s.t, &time, NULL), PF_OK);
    add_event(s.t, k, 'X', 20, 5, "plain", NULL);
    cr_assert_eq(pf_trace_add_clock(s.t, 7, 6, PF_STR("BOOTTIME"), 1000, 0, NULL), PF_OK);
    cr_assert_eq(pf_trace_add_clock(s.t, 7, 64, (pf_str){NULL, 0}, 2000, 0, NULL), PF_OK);
    cr_assert_eq(pf_trace_finish(s.t, NULL), PF_OK);
    cr_assert_eq(pf_query_open(s.t, &s.q, &s.err), PF_OK);
    EXPECT_ROWS(&s, "SELECT name, thread_ts, thread_dur, thread_instruction_count FROM slice",
                "timed|100|3|-\nplain|-|-|-\n");
    EXPECT("SELECT * FROM clock_snapshot", "id|ts|clock_id|clock_name|clock_value|snapshot_id|machine_id\n"
                                           "0|7|6|BOOTTIME|1000|0|0\n1|7|64|-|2000|0|0\n");
    close_session(&s);
}
