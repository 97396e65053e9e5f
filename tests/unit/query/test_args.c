/* Arguments: flattening, sets, merging of begin and end. The rules are docs/reference/perfetto.md; the rows of slice
 * a are vector A15 in another notation. */
#include <string.h>

#include "support.h"
#include "tables/arg_sets.h"

#define ARGS_OF                                                                                                        \
    "SELECT flat_key, key, int_value, string_value, real_value, value_type FROM args JOIN slice USING(arg_set_id)"

Test(args, nested)
{
    session s = open_session();
    EXPECT_ROWS(&s, ARGS_OF " WHERE slice.id = 0",
                "args.x|args.x|1|-|-|int\n"
                "args.l|args.l[0]|1|-|-|int\n"
                "args.l.q|args.l[1].q|-|-|2.5|real\n"
                "args.l|args.l[3][0]|3|-|-|int\n"
                "args.o.p|args.o.p|-|s|-|string\n"
                "args.o.b|args.o.b|1|-|-|bool\n");
    close_session(&s);
}

/* The end's value stands in the begin's place, its array goes on where the begin's stopped. */
Test(args, begin_and_end)
{
    session s = open_session();
    EXPECT_ROWS(&s, ARGS_OF " WHERE slice.id = 2",
                "args.arr|args.arr[0]|1|-|-|int\n"
                "args.arr|args.arr[1]|2|-|-|int\n"
                "args.k|args.k|2|-|-|int\n"
                "args.arr|args.arr[2]|3|-|-|int\n"
                "args.j|args.j|-|z|-|string\n");
    close_session(&s);
}

/* Lists of an event's own fields begin anew with the end. Expected: trace_processor v55.3 on gpu_correlation ids. */
Test(args, lists_of_fields_begin_anew)
{
    session s = {.t = pf_trace_new(NULL, PF_WANT_TABLES, NULL)};
    uint32_t k = add_thread_track(s.t, 1, 1);
    add_event(s.t, k, 'B', 0, 0, "n", NULL);
    add_args(s.t, 8);
    add_event(s.t, k, 'E', 5, 0, NULL, NULL);
    add_args(s.t, 9);
    cr_assert_eq(pf_trace_finish(s.t, NULL), PF_OK);
    cr_assert_eq(pf_query_open(s.t, &s.q, &s.err), PF_OK);
    EXPECT_ROWS(&s, "SELECT flat_key, key, int_value FROM args JOIN slice USING(arg_set_id)",
                "gpu.ids|gpu.ids[0]|3\ngpu.ids|gpu.ids[1]|2\ngpu.waits|gpu.waits[0]|8\ngpu.waits|gpu.waits[1]|9\n");
    close_session(&s);
}

/* A set is named by its first row; slices without arguments have none. */
Test(args, sets)
{
    session s = open_session();
    EXPECT_ROWS(&s,
                "SELECT count(*) FROM args a WHERE arg_set_id != (SELECT min(id) FROM args b WHERE b.arg_set_id = "
                "a.arg_set_id)",
                "0\n");
    EXPECT_ROWS(&s, "SELECT id FROM slice WHERE arg_set_id IS NULL", "1\n3\n");
    EXPECT_ROWS(&s,
                "SELECT t.id, group_concat(a.key || '=' || a.display_value) FROM track t JOIN args a ON "
                "a.arg_set_id = t.dimension_arg_set_id GROUP BY t.id",
                "0|utid=2\n1|utid=1\n2|track_uuid=7\n3|track_uuid=8\n5|upid=1,track_uuid=6\n");
    EXPECT_ROWS(&s,
                "SELECT t.id, group_concat(a.key || '=' || a.display_value) FROM track t JOIN args a ON "
                "a.arg_set_id = t.source_arg_set_id GROUP BY t.id",
                "2|source=descriptor,trace_id=7,is_root_in_scope=false\n"
                "3|source=descriptor,trace_id=8,is_root_in_scope=false\n"
                "5|source=descriptor,trace_id=6,is_root_in_scope=false\n");
    close_session(&s);
}

Test(args, equal_sets_are_one)
{
    pf_trace *t = pf_trace_new(NULL, PF_WANT_TABLES, NULL);
    uint32_t k = add_thread_track(t, 1, 1);
    for (int i = 0; i < 3; i++) {
        add_event(t, k, 'X', 10 * i, 5, "n", NULL);
        add_args(t, i == 1 ? 1 : 2);
    }
    session s = {.t = t};
    cr_assert_eq(pf_trace_finish(t, NULL), PF_OK);
    cr_assert_eq(pf_query_open(t, &s.q, &s.err), PF_OK);
    EXPECT_ROWS(&s, "SELECT (SELECT arg_set_id FROM slice WHERE id = 0) = (SELECT arg_set_id FROM slice WHERE id = 2)",
                "1\n");
    EXPECT_ROWS(&s, "SELECT count(DISTINCT arg_set_id) FROM slice", "2\n");
    EXPECT_ROWS(&s, "SELECT count(*) FROM args WHERE key = 'args.x'", "2\n");
    close_session(&s);
}

Test(args, types_and_their_display)
{
    pf_trace *t = pf_trace_new(NULL, PF_WANT_TABLES, NULL);
    uint32_t k = add_thread_track(t, 1, 1);
    add_event(t, k, 'X', 0, 5, "n", NULL);
    add_args(t, 6);
    session s = {.t = t};
    cr_assert_eq(pf_trace_finish(t, NULL), PF_OK);
    cr_assert_eq(pf_query_open(t, &s.q, &s.err), PF_OK);
    EXPECT_ROWS(&s, "SELECT key, int_value, string_value, value_type, display_value FROM args WHERE key != 'utid'",
                "debug.p|2748|-|pointer|0xabc\n"
                "debug.j|-|{}|json|{}\n"
                "debug.f|0|-|bool|false\n"
                "event.empty|-|-|null|-\n");
    close_session(&s);
}

Test(args, empty_lists_of_annotations)
{
    pf_trace *t = pf_trace_new(NULL, PF_WANT_TABLES, NULL);
    uint32_t k = add_thread_track(t, 1, 1);
    add_event(t, k, 'X', 0, 5, "n", NULL);
    add_args(t, 7);
    session s = {.t = t};
    cr_assert_eq(pf_trace_finish(t, NULL), PF_OK);
    cr_assert_eq(pf_query_open(t, &s.q, &s.err), PF_OK);
    EXPECT_ROWS(&s, "SELECT flat_key, key, int_value FROM args WHERE key != 'utid'", "debug.l|debug.l[2]|9\n");
    close_session(&s);
}

/* The full range of uint wraps in int_value and is shown unsigned. */
Test(args, large_unsigned)
{
    session s = open_session();
    EXPECT_ROWS(&s, "SELECT int_value, value_type, display_value FROM args WHERE key = 'debug.u'",
                "-1|uint|18446744073709551615\n");
    close_session(&s);
}

Test(args, extract_arg)
{
    session s = open_session();
    EXPECT_ROWS(&s,
                "SELECT extract_arg(arg_set_id, 'args.l[1].q'), EXTRACT_ARG(arg_set_id, 'args.o.p'), "
                "extract_arg(arg_set_id, 'args.o.b'), extract_arg(arg_set_id, 'args.l') FROM slice WHERE id = 0",
                "2.5|s|1|-\n");
    EXPECT_ROWS(&s, "SELECT id, extract_arg(arg_set_id, 'args.k') FROM slice", "0|-\n1|-\n2|2\n3|-\n4|-\n5|-\n");
    EXPECT_ROWS(&s, "SELECT extract_arg(999, 'args.x'), extract_arg(-1, 'args.x'), extract_arg(7, 'args.x')",
                "-|-|-\n");
    cr_expect_str_eq(ask(&s, "SELECT extract_arg('a', 'args.x')"), "error 1 0");
    cr_expect_str_eq(ask(&s, "SELECT extract_arg(1, 5)"), "error 1 0");
    close_session(&s);
}

/* A set of a track is found without the events being decoded: then no row of theirs exists yet. */
Test(args, tracks_first)
{
    session s = open_session();
    EXPECT_ROWS(&s,
                "SELECT a.int_value FROM track t JOIN args a ON a.arg_set_id = t.dimension_arg_set_id "
                "WHERE t.id = 0 AND a.flat_key = 'utid'",
                "2\n");
    EXPECT_ROWS(&s, "SELECT max(arg_set_id) = (SELECT arg_set_id FROM slice WHERE id = 5) FROM args", "1\n");
    close_session(&s);
}

static void note(pf_trace *t, pf_owner owner, uint32_t row, const char *key, pf_value v)
{
    cr_assert_eq(pf_trace_add_row_arg(t, owner, row, (pf_str){key, strlen(key)}, &v, NULL), PF_OK);
}

/* Arguments that the reader noted for tracks, processes and threads, in no order; one replaces what a column says.
 * Dimensions noted for the row that names a group hold for its other lanes too. */
Test(args, of_rows_that_are_no_events)
{
    session s = {.t = pf_trace_new(NULL, PF_WANT_TABLES, NULL)};
    uint32_t k = add_thread_track(s.t, 1, 1);
    const pf_track_row lane = {
        .type = PF_TRACK_GLOBAL_MERGED, .upid = PF_NONE, .utid = PF_NONE, .parent = PF_NONE, .group = 1, .uuid = 5};
    uint32_t merged = pf_trace_add_track(s.t, &lane, NULL);
    pf_trace_add_track(s.t, &lane, NULL); /* without events: not counted as a lane */
    uint32_t second = pf_trace_add_track(s.t, &lane, NULL);
    note(s.t, PF_OWNER_THREAD, 1, "sort_index", (pf_value){.type = PF_VALUE_INT, .as.i = -3});
    note(s.t, PF_OWNER_TRACK_DIMENSION, merged, "merge_key_value", (pf_value){.type = PF_VALUE_NULL});
    note(s.t, PF_OWNER_TRACK_SOURCE, merged, "description",
         (pf_value){.type = PF_VALUE_STRING, .as.s = PF_STR("text")});
    note(s.t, PF_OWNER_PROCESS, 1, "chrome.label[0]", (pf_value){.type = PF_VALUE_STRING, .as.s = PF_STR("one")});
    note(s.t, PF_OWNER_PROCESS, 1, "chrome.label[1].x[2][3]", (pf_value){.type = PF_VALUE_REAL, .as.d = 0.5});
    note(s.t, PF_OWNER_TRACK_SOURCE, merged, "is_root_in_scope", (pf_value){.type = PF_VALUE_BOOL, .as.b = true});
    add_event(s.t, k, 'X', 1, 1, "n", NULL);
    add_event(s.t, merged, 'X', 1, 1, "n", NULL);
    add_event(s.t, second, 'X', 1, 1, "n", NULL);
    cr_assert_eq(pf_trace_finish(s.t, NULL), PF_OK);
    cr_assert_eq(pf_query_open(s.t, &s.q, &s.err), PF_OK);
    EXPECT_ROWS(&s,
                "SELECT t.id, a.key, a.display_value FROM track t JOIN args a ON a.arg_set_id = "
                "t.dimension_arg_set_id",
                "0|utid|1\n1|track_compressor_idx|0\n1|merge_key_value|-\n3|track_compressor_idx|1\n"
                "3|merge_key_value|-\n");
    EXPECT_ROWS(&s,
                "SELECT a.key, a.value_type, a.display_value FROM track t JOIN args a ON a.arg_set_id = "
                "t.source_arg_set_id WHERE t.id = 1",
                "source|string|descriptor\ntrace_id|int|5\nis_root_in_scope|bool|true\ndescription|string|text\n");
    EXPECT_ROWS(&s, "SELECT upid, a.flat_key, a.key, a.display_value FROM process JOIN args a USING(arg_set_id)",
                "1|chrome.label|chrome.label[0]|one\n1|chrome.label.x|chrome.label[1].x[2][3]|0.5\n");
    EXPECT_ROWS(&s, "SELECT utid, extract_arg(arg_set_id, 'sort_index') FROM thread", "0|-\n1|-3\n");
    close_session(&s);
}

/* A set that was begun and never ended leaves no row in the next one. */
Test(args, set_given_up)
{
    pf_budget budget;
    pf_arg_store store;
    uint32_t set;
    const pf_value one = {.type = PF_VALUE_INT, .as.i = 1};
    pf_budget_init(&budget, NULL);
    cr_assert_eq(pf_arg_store_init(&store, &budget, NULL), PF_OK);
    pf_arg_set_begin(&store);
    cr_assert_eq(pf_arg_set_value(&store, PF_STR("lost"), PF_STR("lost"), &one, NULL), PF_OK);
    pf_arg_set_begin(&store);
    cr_assert_eq(pf_arg_set_value(&store, PF_STR("kept"), PF_STR("kept"), &one, NULL), PF_OK);
    cr_assert_eq(pf_arg_set_end(&store, &set, NULL), PF_OK);
    cr_assert_eq(pf_arg_sets_settle(&store, NULL), PF_OK);
    cr_expect_eq(set, 0);
    cr_expect_eq(store.count, 1);
    cr_expect_eq(pf_arg_find(&store, 0, PF_STR("kept")), 0);
    cr_expect_eq(pf_arg_find(&store, 0, PF_STR("lost")), PF_NONE);
    pf_arg_store_free(&store);
    cr_expect_eq(budget.used, 0);
}

/* Sets that wait together, among them equal ones and empty ones: every set once, in the order of their first. */
Test(args, equal_sets_once)
{
    enum { SETS = 1000 };
    static const pf_str KEYS[] = {{"a", 1}, {"b", 1}, {"c", 1}, {"d", 1}};
    pf_budget budget;
    pf_arg_store store;
    uint32_t set[SETS], first[64], rows = 0;
    pf_budget_init(&budget, NULL);
    cr_assert_eq(pf_arg_store_init(&store, &budget, NULL), PF_OK);
    memset(first, 0xff, sizeof first);
    for (uint32_t i = 0; i < SETS; i++) {
        uint32_t kind = i * 2654435761u >> 26;
        pf_arg_set_begin(&store);
        for (uint32_t k = 0; k < kind % 5; k++) {
            const pf_value v = {.type = PF_VALUE_INT, .as.i = kind / 5};
            cr_assert_eq(pf_arg_set_value(&store, KEYS[k], KEYS[k], &v, NULL), PF_OK);
        }
        cr_assert_eq(pf_arg_set_end(&store, &set[i], NULL), PF_OK);
        if (first[kind] == PF_NONE && kind % 5) {
            first[kind] = rows;
            rows += kind % 5;
        }
    }
    cr_assert_eq(pf_arg_sets_settle(&store, NULL), PF_OK);
    cr_expect_eq(store.count, rows);
    for (uint32_t i = 0; i < SETS; i++) {
        uint32_t kind = i * 2654435761u >> 26;
        cr_expect_eq(set[i], first[kind], "set %u", i);
        for (uint32_t k = 0; k < 4; k++) {
            uint32_t row = pf_arg_find(&store, set[i], KEYS[k]);
            cr_expect_eq(row, k < kind % 5 ? first[kind] + k : PF_NONE);
            cr_expect(row == PF_NONE || store.bits[row] == kind / 5);
        }
    }
    pf_arg_store_free(&store);
    cr_expect_eq(budget.used, 0);
}
