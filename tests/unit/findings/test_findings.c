/* The findings container: documents, tables, reports, lines, attributes, limits. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "postfetto/findings.h"

#define ASSERT_TEXT(got, expected)                                                                                     \
    do {                                                                                                               \
        pf_str got_ = (got);                                                                                           \
        cr_assert_eq(got_.len, strlen(expected));                                                                      \
        cr_assert_eq(memcmp(got_.ptr, expected, got_.len), 0, "not %s", expected);                                     \
    } while (0)

Test(findings, a_document_keeps_its_order)
{
    pf_findings *f = pf_findings_new(NULL);
    pf_node *root = pf_node_root(f, PF_NODE_OBJECT);
    pf_node_add_int(f, root, PF_STR("z"), -3);
    pf_node *list = pf_node_add(f, root, PF_STR("a"), PF_NODE_LIST);
    pf_node_add_real(f, list, (pf_str){NULL, 0}, 0.5);
    pf_node_add_text(f, list, (pf_str){NULL, 0}, PF_STR("x"));
    pf_node_add_text(f, root, PF_STR("none"), (pf_str){NULL, 0});
    cr_assert_eq(pf_findings_status(f, NULL), PF_OK);

    cr_assert_eq(root->children, 3);
    ASSERT_TEXT(root->first->key, "z");
    cr_assert_eq(root->first->as.i, -3);
    ASSERT_TEXT(root->first->next->key, "a");
    ASSERT_TEXT(root->last->key, "none");
    cr_assert_eq(root->last->type, PF_NODE_NULL);
    cr_assert_null(root->last->next);
    cr_assert_eq(list->children, 2);
    cr_assert_null(list->first->key.ptr);
    cr_assert_eq(list->first->as.d, 0.5);
    ASSERT_TEXT(list->last->as.s, "x");
    cr_assert_eq(pf_node_get(root, "a"), list);
    cr_assert_null(pf_node_get(root, "aa"));
    cr_assert_null(pf_node_get(NULL, "a"));
    pf_findings_free(f);
}

Test(findings, texts_are_copied)
{
    pf_findings *f = pf_findings_new(NULL);
    char text[] = "first", key[] = "key1";
    pf_node *root = pf_node_root(f, PF_NODE_OBJECT);
    pf_node *a = pf_node_add_text(f, root, (pf_str){key, 4}, (pf_str){text, 5});
    memcpy(text, "other", 5);
    key[3] = '2';
    pf_node *b = pf_node_add_text(f, root, (pf_str){key, 4}, (pf_str){text, 5});
    ASSERT_TEXT(a->key, "key1");
    ASSERT_TEXT(a->as.s, "first");
    ASSERT_TEXT(b->key, "key2");
    ASSERT_TEXT(b->as.s, "other");
    pf_findings_free(f);
}

/* Far more texts than the cache of copies has places, each looked at again at the end. */
Test(findings, many_texts_stay_apart)
{
    enum { N = 5000 };
    pf_findings *f = pf_findings_new(NULL);
    pf_node *root = pf_node_root(f, PF_NODE_LIST);
    char text[32];
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < N; i++) {
            int len = snprintf(text, sizeof text, "%d", i);
            pf_node_add_text(f, root, (pf_str){NULL, 0}, (pf_str){text, (size_t)len});
        }
    }
    int i = 0;
    for (const pf_node *n = root->first; n; n = n->next, i++) {
        snprintf(text, sizeof text, "%d", i % N);
        ASSERT_TEXT(n->as.s, text);
    }
    cr_assert_eq(i, 2 * N);
    pf_findings_free(f);
}

Test(findings, texts_may_be_empty_or_hold_nul)
{
    pf_findings *f = pf_findings_new(NULL);
    pf_node *root = pf_node_root(f, PF_NODE_LIST);
    pf_node *empty = pf_node_add_text(f, root, (pf_str){NULL, 0}, PF_STR(""));
    pf_node *nul = pf_node_add_text(f, root, (pf_str){NULL, 0}, (pf_str){"a\0b", 3});
    cr_assert_eq(empty->type, PF_NODE_TEXT);
    cr_assert_not_null(empty->as.s.ptr);
    cr_assert_eq(empty->as.s.len, 0);
    cr_assert_eq(memcmp(nul->as.s.ptr, "a\0b", 3), 0);
    pf_findings_free(f);
}

/* A text is terminated after each of its pieces, whatever the memory held before. */
Test(findings, texts_are_terminated)
{
    enum { USED = 256, PIECES = 600 };
    pf_findings *f = pf_findings_new(NULL);
    pf_text *t = pf_text_new(f);
    cr_assert_str_empty(pf_text_view(t).ptr);
    volatile char *used = malloc(USED);
    cr_assert(used);
    for (size_t i = 0; i < USED; i++) {
        used[i] = 'x';
    }
    free((char *)used);
    for (size_t i = 1; i <= PIECES; i++) {
        if (i % 3) {
            pf_text_put(f, t, PF_STR("p"));
        } else {
            pf_text_format(f, t, "%c", 'p');
        }
        pf_str seen = pf_text_view(t);
        cr_assert(seen.len == i && seen.ptr[i - 1] == 'p' && seen.ptr[i] == '\0', "%zu", i);
    }
    pf_findings_free(f);
}

static const pf_column columns[] = {{"Name", PF_CELL_TEXT, 0, ""}, {"Value", PF_CELL_INT, 0, "cycles"}};

Test(findings, tables_grow)
{
    enum { N = 3000 };
    pf_findings *f = pf_findings_new(NULL);
    pf_table_builder *t = pf_table_new(f, PF_STR("title"), columns, 2);
    cr_assert_eq(pf_table_view(t)->row_count, 0);
    for (int i = 0; i < N; i++) {
        char name[16];
        snprintf(name, sizeof name, "row %d", i);
        const pf_cell row[] = {{.null = i == 1, .as.s = {name, strlen(name)}}, {.as.i = i}};
        pf_table_row(f, t, row);
    }
    const pf_table *v = pf_table_view(t);
    ASSERT_TEXT(v->title, "title");
    cr_assert_eq(v->row_count, N);
    cr_assert_eq(v->column_count, 2);
    ASSERT_TEXT(v->cells[0].as.s, "row 0");
    cr_assert(v->cells[2].null);
    ASSERT_TEXT(v->cells[2 * (N - 1)].as.s, "row 2999");
    cr_assert_eq(v->cells[2 * N - 1].as.i, N - 1);
    cr_assert_null(pf_table_view(NULL));
    pf_findings_free(f);
}

Test(findings, reports_lines_and_attributes_in_order)
{
    pf_findings *f = pf_findings_new(NULL);
    pf_node *root = pf_node_root(f, PF_NODE_OBJECT);
    pf_table_builder *t = pf_table_new(f, PF_STR("t"), columns, 2);
    pf_findings_report_json(f, PF_STR("a.json"), root, true);
    pf_findings_report_markdown(f, PF_STR("b.md"), t, false);
    cr_assert_eq(pf_findings_report_count(f), 2);
    ASSERT_TEXT(pf_findings_report(f, 0)->file, "a.json");
    cr_assert_eq(pf_findings_report(f, 0)->root, root);
    cr_assert(pf_findings_report(f, 0)->announced);
    cr_assert_eq(pf_findings_report(f, 1)->form, PF_REPORT_MARKDOWN_DETAILS);
    cr_assert_eq(pf_findings_report(f, 1)->table, t);
    cr_assert_not(pf_findings_report(f, 1)->announced);
    cr_assert_null(pf_findings_report(f, 2));

    pf_findings_show_table(f, t);
    pf_findings_show_line(f, PF_NOTICE, "%d of %s", 3, "them");
    cr_assert_eq(pf_findings_shown_count(f), 2);
    cr_assert_eq(pf_findings_shown(f, 0).table, pf_table_view(t));
    cr_assert_null(pf_findings_shown(f, 1).table);
    cr_assert_eq(pf_findings_shown(f, 1).severity, PF_NOTICE);
    ASSERT_TEXT(pf_findings_shown(f, 1).line, "3 of them");

    pf_findings_attribute_text(f, PF_STR("k"), PF_STR("v"));
    pf_findings_attribute_int(f, PF_STR("n"), -7);
    cr_assert_eq(pf_findings_attribute_count(f), 2);
    ASSERT_TEXT(pf_findings_attribute(f, 0)->text, "v");
    cr_assert_null(pf_findings_attribute(f, 1)->text.ptr);
    cr_assert_eq(pf_findings_attribute(f, 1)->number, -7);

    cr_assert_null(pf_findings_summary(f));
    pf_findings_set_summary(f, root);
    cr_assert_eq(pf_findings_summary(f), root);
    pf_findings_free(f);
}

static uint32_t add_track(pf_findings *f, const char *name, uint32_t parent)
{
    pf_overlay_track t = {.kind = PF_OVERLAY_SLICES, .parent = parent, .name = {name, strlen(name)}};
    return pf_overlay_add_track(f, &t);
}

Test(findings, overlay_events_own_their_arguments)
{
    pf_findings *f = pf_findings_new(NULL);
    uint32_t group = add_track(f, "group", PF_NONE), child = add_track(f, "child", group);
    cr_assert_eq(pf_overlay_track_count(f), 2);
    cr_assert_eq(pf_overlay_track_at(f, child)->parent, group);
    ASSERT_TEXT(pf_overlay_track_at(f, child)->name, "child");
    cr_assert_null(pf_overlay_track_at(f, child)->unit.ptr);

    pf_overlay_slice(f, child, 10, 5, PF_STR("kernel"));
    pf_overlay_arg_int(f, PF_STR("index"), 4);
    pf_overlay_arg_text(f, PF_STR("phase"), PF_STR("perf"));
    pf_overlay_flow(f, 99);
    pf_overlay_instant(f, child, 20, PF_STR("mark"));
    pf_overlay_sample(f, group, 30, 2.5);
    pf_overlay_arg_real(f, PF_STR("x"), 0.25);
    cr_assert_eq(pf_findings_status(f, NULL), PF_OK);

    cr_assert_eq(pf_overlay_event_count(f), 3);
    pf_overlay_event slice, mark, sample, none;
    cr_assert(pf_overlay_event_at(f, 0, &slice) && pf_overlay_event_at(f, 1, &mark));
    cr_assert(pf_overlay_event_at(f, 2, &sample));
    cr_assert_eq(slice.kind, PF_OVERLAY_SLICE);
    cr_assert_eq(slice.ts, 10);
    cr_assert_eq(slice.dur, 5);
    cr_assert_eq(slice.arg_count, 2);
    cr_assert_eq(slice.flow, 99);
    ASSERT_TEXT(pf_overlay_arg_at(f, slice.first_arg)->key, "index");
    cr_assert_eq(pf_overlay_arg_at(f, slice.first_arg)->value.as.i, 4);
    ASSERT_TEXT(pf_overlay_arg_at(f, slice.first_arg + 1)->value.as.s, "perf");
    cr_assert_eq(mark.arg_count, 0);
    cr_assert_eq(mark.flow, 0);
    cr_assert_eq(sample.value, 2.5);
    cr_assert_eq(sample.arg_count, 1);
    cr_assert_eq(pf_overlay_arg_at(f, sample.first_arg)->value.as.d, 0.25);
    cr_assert_eq(sample.kind, PF_OVERLAY_SAMPLE);
    cr_assert_not(pf_overlay_event_at(f, 3, &none));
    pf_findings_free(f);
}

/* The same events and arguments, and then what columns cannot say. */
Test(findings, overlay_events_from_arrays)
{
    const int64_t ts[] = {10, 20, 30}, dur[] = {5, 6, 7}, whole[] = {INT64_MIN, 0, INT64_MAX};
    const double real[] = {0.5, -1, 2};
    const uint8_t yes[] = {1, 0, 2};
    const uint32_t names[] = {1, 0, 1}, which[] = {PF_NONE, 1, 0}, far[] = {0, 2, 0};
    const pf_str words[] = {PF_STR("one"), PF_STR("two")};
    const pf_build_values named = {PF_VALUE_STRING, names, words, 2}, beyond = {PF_VALUE_STRING, far, words, 2};
    const pf_build_column args[] = {{PF_STR("i"), {.type = PF_VALUE_INT, .values = whole}},
                                    {PF_STR("d"), {.type = PF_VALUE_REAL, .values = real}},
                                    {PF_STR("b"), {.type = PF_VALUE_BOOL, .values = yes}},
                                    {PF_STR("s"), {PF_VALUE_STRING, which, words, 2}}},
                          odd = {PF_STR("odd"), {.type = PF_VALUE_JSON, .values = ts}};
    pf_findings *f = pf_findings_new(NULL);
    uint32_t track = add_track(f, "track", PF_NONE);
    pf_overlay_slices(f, track, &(pf_build_rows){3, ts, dur, .names = &named, .args = args, .arg_count = 4});
    pf_overlay_slices(f, track, &(pf_build_rows){2, ts, .name = PF_STR("mark")});
    pf_overlay_samples(f, track, 3, ts, real);
    cr_assert_eq(pf_findings_status(f, NULL), PF_OK);
    cr_assert_eq(pf_overlay_event_count(f), 8);
    for (size_t i = 0; i < 8; i++) {
        pf_overlay_event e;
        size_t row = i < 3 ? i : i < 5 ? i - 3 : i - 5;
        cr_assert(pf_overlay_event_at(f, i, &e));
        cr_expect_eq(e.kind, i < 3 ? PF_OVERLAY_SLICE : i < 5 ? PF_OVERLAY_INSTANT : PF_OVERLAY_SAMPLE);
        cr_expect_eq(e.ts, ts[row]);
        if (i >= 3) {
            cr_expect_eq(e.arg_count, 0);
            cr_expect(i < 5 || e.value == real[row]);
            continue;
        }
        cr_expect_eq(e.dur, dur[row]);
        ASSERT_TEXT(e.name, names[row] ? "two" : "one");
        cr_assert_eq(e.arg_count, which[row] == PF_NONE ? 3 : 4);
        cr_expect_eq(pf_overlay_arg_at(f, e.first_arg)->value.as.i, whole[row]);
        cr_expect_eq(pf_overlay_arg_at(f, e.first_arg + 1)->value.as.d, real[row]);
        cr_expect_eq(pf_overlay_arg_at(f, e.first_arg + 2)->value.as.i, row != 1);
    }
    pf_findings_free(f);
    const pf_build_rows wrong[] = {{3, ts, .names = &beyond},
                                   {3, ts, .names = &args[0].of},
                                   {3, ts, .args = &odd, .arg_count = 1},
                                   {3, ts, .args = &(pf_build_column){PF_STR("s"), beyond}, .arg_count = 1}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        f = pf_findings_new(NULL);
        pf_overlay_slices(f, add_track(f, "track", PF_NONE), &wrong[i]);
        cr_expect_eq(pf_findings_status(f, NULL), PF_ERR_USAGE, "%zu", i);
        pf_findings_free(f);
    }
}

Test(findings, an_event_on_no_track_is_a_failure)
{
    pf_findings *f = pf_findings_new(NULL);
    pf_overlay_slice(f, 0, 0, 1, PF_STR("lost"));
    cr_assert_eq(pf_findings_status(f, NULL), PF_ERR_INTERNAL);
    pf_findings_free(f);
    f = pf_findings_new(NULL);
    cr_assert_eq(add_track(f, "orphan", 5), PF_NONE);
    cr_assert_eq(pf_findings_status(f, NULL), PF_ERR_INTERNAL);
    pf_findings_free(f);
}

Test(findings, failure_is_sticky_and_names_the_limit)
{
    pf_limits limits = pf_limits_default();
    limits.memory = 1 << 20;
    pf_findings *f = pf_findings_new(&limits);
    pf_node *root = pf_node_root(f, PF_NODE_LIST);
    cr_assert_not_null(root);
    for (int i = 0; i < 100000; i++) {
        pf_node_add_int(f, root, (pf_str){NULL, 0}, i);
    }
    pf_error err = {.code = PF_OK};
    cr_assert_eq(pf_findings_status(f, &err), PF_ERR_LIMIT);
    cr_assert_eq(err.code, PF_ERR_LIMIT);
    cr_assert_not_null(strstr(err.text, "--max-memory"));
    cr_assert_lt(root->children, 100000);
    cr_assert_null(pf_node_root(f, PF_NODE_LIST));
    cr_assert_null(pf_table_new(f, PF_STR("t"), columns, 2));
    cr_assert_eq(add_track(f, "t", PF_NONE), PF_NONE);
    pf_overlay_slice(f, PF_NONE, 0, 1, PF_STR("x"));
    pf_overlay_arg_int(f, PF_STR("k"), 1);
    pf_findings_show_line(f, PF_INFO, "line");
    pf_findings_show_table(f, NULL);
    cr_assert_eq(pf_overlay_event_count(f), 0);
    cr_assert_eq(pf_findings_shown_count(f), 0);
    uint64_t now, peak;
    pf_findings_memory(f, &now, &peak);
    cr_assert_leq(peak, limits.memory);
    pf_findings_free(f);
}

/* Viewers hold a value until the next sample: an interval is closed with 0 unless the next begins where it ends. */
Test(findings, a_held_value_ends_with_its_interval)
{
    static const struct {
        int64_t ts;
        double value;
    } expected[] = {{10, 5}, {20, 7}, {30, 0}, {40, 1}, {50, 0}, {50, 2}, {60, 0}};
    pf_findings *f = pf_findings_new(NULL);
    uint32_t a = add_track(f, "a", PF_NONE), b = add_track(f, "b", PF_NONE);
    pf_overlay_hold(f, a, 10, 20, 5);
    pf_overlay_hold(f, a, 20, 30, 7);
    pf_overlay_hold(f, a, 40, 50, 1);
    pf_overlay_hold(f, b, 50, 60, 2);
    cr_assert_eq(pf_overlay_event_count(f), sizeof expected / sizeof *expected);
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        pf_overlay_event e;
        cr_assert(pf_overlay_event_at(f, i, &e));
        cr_assert_eq(e.track, i < 5 ? a : b, "%zu", i);
        cr_assert_eq(e.ts, expected[i].ts, "%zu", i);
        cr_assert_eq(e.value, expected[i].value, "%zu", i);
    }
    pf_findings_free(f);
}

Test(findings, derived_reals_have_four_digits)
{
    static const double pairs[][2] = {{140.27397260273972, 140.3},
                                      {0.0, 0.0},
                                      {-0.0, 0.0},
                                      {14.93827160493827, 14.94},
                                      {1.0 / 3.0, 0.3333},
                                      {-2.0 / 3.0, -0.6667},
                                      {99.999, 100.0},
                                      {123456789.0, 123500000.0},
                                      {5781.0, 5781.0},
                                      {1.23456e-7, 1.235e-7},
                                      {6.02214076e23, 6.022e23},
                                      {9.87654e-306, 9.877e-306},
                                      {1.7976931348623157e308, 1.7976931348623157e308},
                                      {1.23456e307, 1.235e307}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        cr_assert_eq(pf_overlay_derived(pairs[i][0]), pairs[i][1], "%.17g gives %.17g", pairs[i][0],
                     pf_overlay_derived(pairs[i][0]));
    }
    cr_assert(isnan(pf_overlay_derived(NAN)) && isinf(pf_overlay_derived(INFINITY)));
    pf_findings *f = pf_findings_new(NULL);
    pf_overlay_instant(f, add_track(f, "t", PF_NONE), 0, PF_STR("x"));
    pf_overlay_arg_derived(f, PF_STR("share"), 14.93827160493827);
    cr_assert_eq(pf_overlay_arg_at(f, 0)->value.as.d, 14.94);
    pf_findings_free(f);
}

/* Whose texts change after each call: the findings have copies. */
Test(findings, texts_of_every_kind_are_copied)
{
    char key[] = "key", text[] = "text", name[] = "name", more[] = "more";
    char *const texts[] = {key, text, name, more};
    const pf_str k = {key, 3}, v = {text, 4}, n = {name, 4}, m = {more, 4};
    pf_findings *f = pf_findings_new(NULL);
    pf_node *root = pf_node_root(f, PF_NODE_OBJECT);
    pf_node_add_text(f, root, k, v);
    pf_table_builder *t = pf_table_new(f, n, columns, 2);
    const pf_cell row[] = {{.as.s = v}, {.as.i = 1}};
    pf_table_row(f, t, row);
    pf_findings_attribute_text(f, k, v);
    pf_findings_report_json(f, n, root, false);
    const pf_overlay_track of = {
        .name = n, .parent = PF_NONE, .kind = PF_OVERLAY_SLICES, .description = m, .unit = v, .share_key = k};
    pf_overlay_slice(f, pf_overlay_add_track(f, &of), 1, 2, m);
    pf_overlay_arg_text(f, k, v);
    for (size_t i = 0; i < 4; i++) {
        memset(texts[i], '?', strlen(texts[i]));
    }
    ASSERT_TEXT(pf_node_get(root, "key")->as.s, "text");
    ASSERT_TEXT(pf_table_view(t)->title, "name");
    ASSERT_TEXT(pf_table_view(t)->cells[0].as.s, "text");
    ASSERT_TEXT(pf_findings_attribute(f, 0)->key, "key");
    ASSERT_TEXT(pf_findings_attribute(f, 0)->text, "text");
    ASSERT_TEXT(pf_findings_report(f, 0)->file, "name");
    const pf_overlay_track *track = pf_overlay_track_at(f, 0);
    ASSERT_TEXT(track->name, "name");
    ASSERT_TEXT(track->description, "more");
    ASSERT_TEXT(track->unit, "text");
    ASSERT_TEXT(track->share_key, "key");
    pf_overlay_event event;
    cr_assert(pf_overlay_event_at(f, 0, &event));
    ASSERT_TEXT(event.name, "more");
    ASSERT_TEXT(pf_overlay_arg_at(f, 0)->key, "key");
    ASSERT_TEXT(pf_overlay_arg_at(f, 0)->value.as.s, "text");
    pf_findings_free(f);
}

Test(findings, the_pass_names_the_category)
{
    pf_findings *f = pf_findings_new(NULL);
    ASSERT_TEXT(pf_overlay_category(f), "postfetto");
    pf_findings_set_pass(f, PF_STR("gpu"));
    ASSERT_TEXT(pf_overlay_category(f), "postfetto.gpu");
    ASSERT_TEXT(pf_findings_attribute(f, 0)->key, "postfetto.version");
    ASSERT_TEXT(pf_findings_attribute(f, 1)->key, "postfetto.pass");
    ASSERT_TEXT(pf_findings_attribute(f, 1)->text, "gpu");
    pf_findings_free(f);
}

Test(findings, rows_are_limited)
{
    pf_limits limits = pf_limits_default();
    limits.rows = 10;
    pf_findings *f = pf_findings_new(&limits);
    uint32_t track = add_track(f, "t", PF_NONE);
    for (int i = 0; i < 20; i++) {
        pf_overlay_sample(f, track, i, i);
    }
    pf_error err = {.code = PF_OK};
    cr_assert_eq(pf_findings_status(f, &err), PF_ERR_LIMIT);
    cr_assert_not_null(strstr(err.text, "--max-rows"));
    cr_assert_eq(pf_overlay_event_count(f), 10);
    pf_findings_free(f);
}

Test(findings, memory_is_given_back)
{
    pf_findings *f = pf_findings_new(NULL);
    uint64_t now, peak;
    uint32_t track = add_track(f, "t", PF_NONE);
    for (int i = 0; i < 100000; i++) {
        pf_overlay_sample(f, track, i, i);
    }
    pf_findings_memory(f, &now, &peak);
    cr_assert_geq(now, 100000 * (sizeof(int64_t) + sizeof(double)));
    cr_assert_leq(now, 100000 * 32 + 65536); /* a sample is less than half of an event with a name */
    cr_assert_geq(peak, now);
    cr_assert_eq(pf_findings_status(f, NULL), PF_OK);
    pf_findings_free(f);
    pf_findings_free(NULL);
}

Test(findings, tables_are_found_by_number_and_name)
{
    static const pf_column one_column[] = {{"n", PF_CELL_INT, 0, ""}};
    pf_findings *f = pf_findings_new(NULL);
    pf_table_builder *first = pf_table_new(f, PF_STR("First"), one_column, 1);
    pf_table_builder *second = pf_table_new(f, PF_STR("Second"), one_column, 1);
    const pf_cell cell = {.as.i = 1};
    pf_table_row(f, second, &cell);
    cr_assert_eq(pf_findings_table_count(f), 2);
    cr_expect_eq(pf_findings_table(f, 0), pf_table_view(first));
    cr_expect_eq(pf_findings_table(f, 1), pf_table_view(second));
    cr_expect_eq(pf_findings_table(f, 1)->row_count, 1);
    pf_findings_free(f);
}

/* A text grows from 256 bytes on; what is in it stays, and it ends with a NUL, whatever the pieces are. */
Test(findings, texts_grow)
{
    static char expected[5000];
    for (size_t piece = 1; piece <= 700; piece += piece < 8 ? 1 : 31) {
        pf_findings *f = pf_findings_new(NULL);
        pf_text *t = pf_text_new(f);
        size_t len = 0;
        cr_expect_eq(pf_text_view(t).len, 0);
        for (unsigned i = 0; len + piece < sizeof expected; i++) {
            memset(expected + len, 'a' + (int)(i % 26), piece);
            if (i % 2) {
                pf_text_format(f, t, "%.*s", (int)piece, expected + len);
            } else {
                pf_text_put(f, t, (pf_str){expected + len, piece});
            }
            len += piece;
            pf_str view = pf_text_view(t);
            cr_assert(view.len == len && memcmp(view.ptr, expected, len) == 0 && view.ptr[len] == '\0', "%zu of %zu",
                      len, piece);
            pf_text_put(f, t, (pf_str){"", 0});
            cr_assert_eq(pf_text_view(t).len, len, "nothing was added");
        }
        pf_findings_free(f);
    }
    cr_expect_eq(pf_text_view(NULL).len, 0);
}

/* Numbers in texts: of any digits, or of so many, behind blanks up to a width. */
Test(findings, reals_in_texts)
{
    pf_findings *f = pf_findings_new(NULL);
    pf_text *t = pf_text_new(f);
    pf_text_put_real(f, t, 1.5, -1, 0);
    pf_text_put(f, t, PF_STR("|"));
    pf_text_put_real(f, t, 1.5, 3, 5);
    pf_text_put(f, t, PF_STR("|"));
    pf_text_put_real(f, t, 1.5, 3, 6);
    pf_text_put(f, t, PF_STR("|"));
    pf_text_put_real(f, t, -2.25, 0, 7);
    pf_text_put(f, t, PF_STR("|"));
    pf_text_put_real(f, t, 0.1, -1, 6);
    cr_expect_str_eq(pf_text_view(t).ptr, "1.5|1.500| 1.500|     -2|   0.1");
    pf_findings_free(f);
}
