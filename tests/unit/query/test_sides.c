/* Tables of rare things: the side tables of a trace through SQL. */
#include "support.h"

static session open_sides(void)
{
    session s = {.t = pf_trace_new(NULL, PF_WANT_TABLES, NULL)};
    pf_trace *t = s.t;
    uint32_t track = add_thread_track(t, 10, 11);
    for (uint32_t i = 0; i < 3; i++) {
        cr_assert_eq(pf_side_add_row(&t->sides.known[PF_SIDE_GPU], NULL), PF_OK);
        *pf_side_number(&t->sides.known[PF_SIDE_GPU], PF_GPU_NUMBER, i) = 7 - i;
        cr_assert_eq(pf_side_add_row(&t->sides.known[PF_SIDE_GPU_GROUP], NULL), PF_OK);
        *pf_side_number(&t->sides.known[PF_SIDE_GPU_GROUP], PF_GPU_GROUP_ID, i) = i;
        *pf_side_ref(&t->sides.known[PF_SIDE_GPU_GROUP], PF_GPU_GROUP_TRACK, i) = i == 1 ? PF_NONE : track;
    }
    *pf_side_ref(&t->sides.known[PF_SIDE_GPU], PF_GPU_NAME, 1) = add_text(t, "card");
    const pf_value v = {.type = PF_VALUE_STRING, .as.s = PF_STR("x")};
    cr_assert_eq(pf_trace_add_row_arg(t, PF_OWNER_GPU, 2, PF_STR("k.a[1]"), &v, NULL), PF_OK);
    cr_assert_eq(pf_side_add_row(&t->sides.known[PF_SIDE_GPU_CONTEXT], NULL), PF_OK);
    *pf_side_number(&t->sides.known[PF_SIDE_GPU_CONTEXT], PF_GPU_CONTEXT_ID, 0) = 5;
    cr_assert_eq(pf_side_add_row(&t->sides.known[PF_SIDE_VULKAN_MEMORY], NULL), PF_OK);
    *pf_side_number(&t->sides.known[PF_SIDE_VULKAN_MEMORY], PF_VULKAN_TIMESTAMP, 0) = -3;
    cr_assert_eq(pf_trace_finish(t, NULL), PF_OK);
    cr_assert_eq(pf_query_open(t, &s.q, &s.err), PF_OK);
    return s;
}

Test(sides, cells_and_nulls)
{
    session s = open_sides();
    EXPECT_ROWS(&s, "SELECT id, ugpu, gpu, name, vendor, machine_id FROM gpu",
                "0|0|7|-|-|0\n1|1|6|card|-|0\n2|2|5|-|-|0\n");
    EXPECT_ROWS(&s, "SELECT group_id, track_id FROM gpu_counter_group", "0|0\n1|-\n2|0\n");
    EXPECT_ROWS(&s, "SELECT * FROM __intrinsic_gpu_context", "0|5|-|-\n");
    EXPECT_ROWS(&s, "SELECT timestamp, upid, source, memory_size, arg_set_id FROM vulkan_memory_allocations",
                "-3|-|-|-|-\n");
    EXPECT_ROWS(&s, "SELECT count(*) FROM state", "0\n");
    EXPECT_ROWS(&s, "SELECT id, raw_id, name, num_cpus FROM machine", "0|0|-|-\n");
    close_session(&s);
}

/* Joins go through indexes; the flat key of these arguments is the key. */
Test(sides, joins)
{
    session s = open_sides();
    EXPECT_ROWS(&s, "SELECT g.group_id FROM __intrinsic_track t JOIN gpu_counter_group g ON g.track_id = t.id", "");
    EXPECT_ROWS(&s, "SELECT gpu.gpu, a.flat_key, a.key, a.string_value FROM gpu JOIN args a USING (arg_set_id)",
                "5|k.a[1]|k.a[1]|x\n");
    EXPECT_ROWS(&s, "SELECT extract_arg(arg_set_id, 'k.a[1]') FROM gpu WHERE ugpu = 2", "x\n");
    close_session(&s);
}

/* States have the arguments of their events. */
Test(sides, states)
{
    session s = {.t = pf_trace_new(NULL, PF_WANT_TABLES, NULL)};
    const pf_track_row row = {.type = PF_TRACK_GLOBAL_STATE,
                              .name = add_text(s.t, "s"),
                              .upid = PF_NONE,
                              .utid = PF_NONE,
                              .parent = PF_NONE,
                              .group = PF_NONE,
                              .uuid = 9};
    uint32_t track = pf_trace_add_track(s.t, &row, NULL);
    add_event(s.t, track, PF_PHASE_STATE, 5, 0, "A", "c");
    add_args(s.t, 5);
    add_event(s.t, track, PF_PHASE_STATE, 8, 0, "B", NULL);
    s.t->has_states = true;
    cr_assert_eq(pf_trace_finish(s.t, NULL), PF_OK);
    cr_assert_eq(pf_query_open(s.t, &s.q, &s.err), PF_OK);
    EXPECT_ROWS(&s, "SELECT ts, dur, track_id, category, value FROM state", "5|3|0|c|A\n8|-1|0|-|B\n");
    EXPECT_ROWS(&s, "SELECT key, display_value FROM state JOIN args USING (arg_set_id)",
                "debug.u|18446744073709551615\n");
    EXPECT_ROWS(&s, "SELECT id, name, type FROM state_track", "0|s|global_state_track_event\n");
    EXPECT_ROWS(&s, "SELECT value FROM state WHERE ts > 5 AND track_id = 0", "B\n");
    EXPECT_ROWS(&s, "SELECT trace_start(), trace_end()", "5|8\n");
    close_session(&s);
}

/* A table that a reader made: cells and NULLs of every type, a sorted column, one that SQL does not see, odd names. */
Test(sides, made_tables)
{
    static const pf_side_column columns[] = {{"when", PF_COLUMN_INT, "ns", NULL, NULL, PF_COLUMN_SORTED},
                                             {"n", PF_COLUMN_INT, NULL, NULL, NULL, 0},
                                             {"re\"al\"", PF_COLUMN_REAL, NULL, NULL, NULL, 0},
                                             {"secret", PF_COLUMN_INT, NULL, NULL, NULL, PF_COLUMN_HIDDEN},
                                             {"te xt", PF_COLUMN_TEXT, NULL, NULL, NULL, 0},
                                             {"bytes", PF_COLUMN_BLOB, NULL, NULL, NULL, 0},
                                             {"slice_id", PF_COLUMN_ROW, NULL, "slice", NULL, 0}};
    static const pf_side_spec spec = {"made", "help", columns, sizeof columns / sizeof *columns};
    session s = {.t = pf_trace_new(NULL, PF_WANT_TABLES, NULL)};
    pf_side_table *made = NULL;
    add_event(s.t, add_thread_track(s.t, 1, 1), 'X', 5, 5, "a", NULL);
    cr_assert_eq(pf_trace_add_table(s.t, &spec, &made, NULL), PF_OK);
    for (uint32_t i = 0; i < 6; i++) {
        cr_assert_eq(pf_side_add_row(made, NULL), PF_OK);
        *pf_side_number(made, 0, i) = 10 * (i / 2);
        *pf_side_number(made, 3, i) = 99;
        if (i % 2) {
            *pf_side_number(made, 1, i) = -(int64_t)i;
            ((double *)made->column[2])[i] = i / 2.0;
            *pf_side_ref(made, 4, i) = add_text(s.t, i == 3 ? "three" : "odd");
            ((pf_bytes *)made->column[5])[i] = (pf_bytes){(const uint8_t *)"\0xyz", i == 5 ? 0 : i + 1};
            *pf_side_ref(made, 6, i) = 0;
        }
    }
    cr_assert_eq(pf_trace_finish(s.t, NULL), PF_OK);
    cr_assert_eq(pf_query_open(s.t, &s.q, &s.err), PF_OK, "%s", s.err.text);
    EXPECT_ROWS(&s, "SELECT name, type FROM pragma_table_info('made')",
                "id|INTEGER\nwhen|INTEGER\nn|INTEGER\nre\"al\"|REAL\nte xt|TEXT\nbytes|BLOB\nslice_id|INTEGER\n");
    EXPECT_ROWS(&s, "SELECT id, \"when\", n, \"re\"\"al\"\"\", \"te xt\", hex(bytes), slice_id FROM made",
                "0|0|-|-|-||-\n1|0|-1|0.5|odd|0078|0\n2|10|-|-|-||-\n3|10|-3|1.5|three|0078797A|0\n"
                "4|20|-|-|-||-\n5|20|-5|2.5|odd||0\n");
    EXPECT_ROWS(&s,
                "SELECT typeof(n), typeof(\"re\"\"al\"\"\"), typeof(\"te xt\"), typeof(bytes), typeof(slice_id) FROM "
                "made WHERE id IN (0, 5)",
                "null|null|null|null|null\ninteger|real|text|blob|integer\n");
    EXPECT_ROWS(&s, "SELECT id FROM made WHERE \"when\" = 10", "2\n3\n");
    EXPECT_ROWS(&s, "SELECT id FROM made WHERE \"when\" > 0 AND \"when\" <= 10", "2\n3\n");
    EXPECT_ROWS(&s, "SELECT id FROM made WHERE \"when\" >= 20 AND n IS NOT NULL", "5\n");
    EXPECT_ROWS(&s, "SELECT id FROM made WHERE n < -1", "3\n5\n");
    EXPECT_ROWS(&s, "SELECT id FROM made WHERE n IS NULL ORDER BY \"when\" DESC, id DESC", "4\n2\n0\n");
    EXPECT_ROWS(&s, "SELECT id FROM made WHERE \"te xt\" = 'odd' AND id < 5", "1\n");
    EXPECT_ROWS(&s, "SELECT id FROM made WHERE \"te xt\" LIKE 'TH%' OR \"re\"\"al\"\"\" > 2", "3\n5\n");
    EXPECT_ROWS(&s, "SELECT m.id, s.name FROM made m JOIN slice s ON s.id = m.slice_id WHERE bytes = x'0078'", "1|a\n");
    cr_expect_str_eq(ask(&s, "SELECT secret FROM made"), "error 1 7");
    close_session(&s);
}
