/* derived.c - changed copies of traces from JSON and from packets. */
#include <criterion/criterion.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/trace/trace.h"
#include "postfetto/postfetto.h"
#include "scratch.h"
#include "shared.h"

TestSuite(derived, .init = scratch_enter, .fini = scratch_leave);

static pf_trace *read_path(const char *path)
{
    pf_read_options o = pf_read_options_default();
    pf_trace *t = NULL;
    pf_error err = {0};
    o.want |= PF_WANT_ORIGINS;
    cr_assert_eq(pf_read(&path, 1, &o, &t, &err), PF_OK, "%s", err.text);
    return t;
}

static const char json[] =
    "{\"traceEvents\":[\n"
    "{\"ph\":\"M\",\"pid\":1,\"tid\":2,\"name\":\"thread_name\",\"args\":{\"name\":\"worker\"}},\n"
    "{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":1,\"dur\":4,\"name\":\"a\",\"cat\":\"k\",\"args\":{\"n\":1,\"o\":{\"p\":["
    "1,2]},\"t\":\"x\"}},\n"
    "{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":2.5,\"dur\":1,\"name\":\"b\",\"cname\":\"good\"},\n"
    "{\"ph\":\"C\",\"pid\":1,\"ts\":3,\"name\":\"load\",\"args\":{\"user\":5,\"system\":7}},\n"
    "{\"ph\":\"s\",\"pid\":1,\"tid\":2,\"ts\":3,\"id\":9,\"name\":\"f\",\"cat\":\"k\"},\n"
    "{\"ph\":\"i\",\"pid\":1,\"tid\":2,\"ts\":8,\"name\":\"mark\",\"s\":\"t\"},\n"
    "{\"ph\":\"X\",\"pid\":1,\"tid\":3,\"ts\":5,\"dur\":2,\"name\":\"c\"},\n"
    "{\"ph\":\"f\",\"pid\":1,\"tid\":3,\"ts\":6,\"id\":9,\"name\":\"f\",\"cat\":\"k\",\"bp\":\"e\"}]}";

static pf_trace *read_json(void)
{
    const char *path = "in.json";
    FILE *f = fopen(path, "w");
    cr_assert(f && fputs(json, f) >= 0 && fclose(f) == 0);
    return read_path(path);
}

static pf_trace *read_packets(void)
{
    pf_trace *t = read_json();
    const char *path = "in.pftrace";
    cr_assert_eq(pf_convert_pftrace(t, path, NULL, NULL), PF_OK);
    pf_trace_free(t);
    return read_path(path);
}

static pf_trace *finish(pf_builder *b)
{
    pf_trace *t = NULL;
    pf_error err = {0};
    cr_assert_eq(pf_builder_finish(b, &t, &err), PF_OK, "%s", err.text);
    pf_builder_free(b);
    return t;
}

static char *contents(const char *path, size_t *len)
{
    FILE *f = fopen(path, "rb");
    static char bytes[2][65536];
    static unsigned next;
    char *p = bytes[next++ % 2];
    cr_assert_not_null(f);
    *len = fread(p, 1, sizeof bytes[0], f);
    fclose(f);
    return p;
}

static void expect_equal_files(const char *a, const char *b)
{
    FILE *f = fopen(a, "rb"), *g = fopen(b, "rb");
    cr_assert(f && g);
    size_t at = 0;
    int c, d;
    do {
        c = fgetc(f);
        d = fgetc(g);
        at++;
    } while (c == d && c != EOF);
    cr_expect_eq(c, d, "%s and %s differ at byte %zu", a, b, at - 1);
    fclose(f);
    fclose(g);
}

/* A copy in which nothing was changed is written as the source is, in all formats, also when the source is gone. */
static void expect_same(pf_trace *source)
{
    pf_builder *b = pf_builder_derive(source, NULL);
    pf_build_copy_events(b, 0, pf_trace_events(source)->count);
    pf_build_copy_samples(b);
    cr_assert_eq(pf_convert_pftrace(source, "a.pftrace", NULL, NULL), PF_OK);
    cr_assert_eq(pf_convert_json(source, "a.json", NULL, NULL), PF_OK);
    cr_assert_eq(pf_export_sqlite(source, "a.sqlite", NULL, NULL), PF_OK);
    pf_trace_free(source);
    pf_trace *t = finish(b);
    cr_assert_eq(pf_convert_pftrace(t, "b.pftrace", NULL, NULL), PF_OK);
    cr_assert_eq(pf_convert_json(t, "b.json", NULL, NULL), PF_OK);
    cr_assert_eq(pf_export_sqlite(t, "b.sqlite", NULL, NULL), PF_OK);
    expect_equal_files("a.pftrace", "b.pftrace");
    expect_equal_files("a.json", "b.json");
    expect_equal_files("a.sqlite", "b.sqlite");
    pf_trace_free(t);
}

Test(derived, unchanged_json)
{
    expect_same(read_json());
}

Test(derived, unchanged_packets)
{
    expect_same(read_packets());
}

Test(derived, unchanged_fixture)
{
    expect_same(read_path(PF_FIXTURES "/aie_small.json"));
}

/* Thread clocks, call stacks of begins and ends, operations, and where events lie. */
Test(derived, unchanged_clocks_stacks_and_offsets)
{
    static const char text[] =
        "{\"traceEvents\":[\n"
        "{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":1,\"dur\":9,\"tts\":4,\"tdur\":3,\"sf\":7,\"esf\":1,\"name\":\"a\"},"
        "\n"
        "{\"ph\":\"B\",\"pid\":1,\"tid\":2,\"ts\":2,\"tts\":5,\"sf\":1,\"name\":\"b\"},\n"
        "{\"ph\":\"i\",\"pid\":1,\"tid\":2,\"ts\":3,\"s\":\"t\",\"sf\":7,\"name\":\"i\"},\n"
        "{\"ph\":\"E\",\"pid\":1,\"tid\":2,\"ts\":4,\"tts\":6,\"sf\":7},\n"
        "{\"ph\":\"b\",\"pid\":1,\"tid\":2,\"ts\":5,\"id\":\"0x1\",\"cat\":\"k\",\"sf\":1,\"name\":\"op\"},\n"
        "{\"ph\":\"e\",\"pid\":1,\"tid\":2,\"ts\":6,\"id\":\"0x1\",\"cat\":\"k\",\"name\":\"op\"}],\n"
        "\"stackFrames\":{\"1\":{\"category\":\"lib\",\"name\":\"main\"},\"7\":{\"name\":\"step\",\"parent\":\"1\"}}}";
    const char *path = "in.json";
    pf_read_options o = pf_read_options_default();
    pf_trace *t = NULL;
    pf_error err;
    scratch_write(path, text);
    o.want |= PF_WANT_ORIGINS | PF_WANT_OFFSETS;
    cr_assert_eq(pf_read(&path, 1, &o, &t, &err), PF_OK, "%s", err.text);
    cr_assert_gt(t->thread_times.count, 0);
    cr_assert_eq(t->offsets.count, 6);
    cr_assert_eq(t->sides.known[PF_SIDE_EVENT_STACK].count, 5);
    pf_builder *b = pf_builder_derive(t, NULL);
    pf_build_copy_events(b, 0, 6);
    pf_trace *copy = finish(b);
    cr_expect_eq(copy->offsets.count, 6);
    for (uint32_t i = 0; i < 6; i++) {
        cr_expect_eq(copy->offsets.offset[i], t->offsets.offset[i]);
    }
    pf_trace_free(copy);
    expect_same(t);
}

/* Lanes for slices that overlap are made anew, after the tracks of the source. */
static bool has_lanes(const pf_trace *t)
{
    const pf_tracks *tr = pf_trace_tracks(t);
    bool has = false;
    for (uint32_t i = 0; i < tr->count; i++) {
        has |= tr->type[i] == PF_TRACK_THREAD_OVERLAP;
    }
    return has;
}

Test(derived, unchanged_corpus, .timeout = 300)
{
    static const char *const patterns[] = {"json/*/trace.json", "*/*/trace.pftrace"};
    char pattern[4096];
    for (size_t k = 0; k < 2; k++) {
        glob_t found;
        snprintf(pattern, sizeof pattern, "%s/corpus/perfetto/%s", shared_folder(), patterns[k]);
        if (glob(pattern, 0, NULL, &found) != 0) {
            SKIP_WITHOUT_CORPUS();
        }
        for (size_t i = 0; i < found.gl_pathc; i++) {
            pf_trace *t = read_path(found.gl_pathv[i]);
            if ((pf_trace_events(t)->count || pf_trace_counters(t)->count) && !has_lanes(t)) {
                expect_same(t);
            } else {
                pf_trace_free(t);
            }
        }
        globfree(&found);
    }
}

static uint32_t event_named(const pf_trace *t, const char *name, uint8_t phase)
{
    const pf_events *e = pf_trace_events(t);
    uint32_t id = pf_trace_find_string(t, (pf_str){name, strlen(name)}), row = 0;
    while (row < e->count && (e->name[row] != id || e->phase[row] != phase)) {
        row++;
    }
    cr_assert(row < e->count, "no event %s", name);
    return row;
}

static uint32_t slice_named(const pf_trace *t, const char *name)
{
    const pf_slices *s = pf_trace_slices(t);
    uint32_t id = pf_trace_find_string(t, (pf_str){name, strlen(name)}), row = 0;
    while (row < s->count && pf_slice_name(s, row) != id) {
        row++;
    }
    cr_assert(row < s->count, "no slice %s", name);
    return row;
}

/* One integer argument of an event; `missing` if there is none. */
static int64_t arg_of(const pf_trace *t, uint32_t event, const char *key, int64_t missing)
{
    const pf_arg_key keys[] = {{key, PF_ARG_INT, false}};
    pf_arg_columns *c = NULL;
    cr_assert_eq(pf_arg_columns_read(t, &event, 1, keys, 1, NULL, &c, NULL), PF_OK);
    const pf_arg_column *k = pf_arg_column_at(c, 0);
    int64_t v = pf_arg_has(k, 0) ? k->values.i[0] : missing;
    pf_arg_columns_free(c);
    return v;
}

/* a is renamed, recategorised, made longer and given arguments; b is dropped; the counter is moved; c goes to another
 * track and gets a flow to a. */
static pf_trace *change(const pf_trace *source)
{
    pf_builder *b = pf_builder_derive(source, NULL);
    uint32_t a = event_named(source, "a", 'X'), drop = event_named(source, "b", 'X'), c = event_named(source, "c", 'X'),
             load = event_named(source, "load", 'C');
    uint32_t track = pf_build_track(b, &(pf_build_track_row){.of = PF_BUILD_PROCESS,
                                                             .owner = pf_build_process(b, 1, (pf_str){NULL, 0}),
                                                             .name = PF_STR("moved")});
    for (uint32_t row = 0; row < pf_trace_events(source)->count; row++) {
        if (row == drop) {
            continue;
        }
        pf_build_copy_event(b, row);
        if (row == a) {
            pf_build_set_name(b, PF_STR("renamed"));
            pf_build_category(b, PF_STR("other"));
            pf_build_set_dur(b, 6000);
            pf_build_arg_int(b, PF_STR("n"), 2);
            pf_build_arg_int(b, PF_STR("new"), 3);
            pf_build_drop_arg(b, PF_STR("t"));
            pf_build_flow(b, 77, false);
        } else if (row == c) {
            pf_build_set_track(b, track);
            pf_build_flow(b, 77, true);
        } else if (row == load) {
            pf_build_set_ts(b, 4500);
        }
    }
    pf_build_copy_samples(b);
    return finish(b);
}

static void expect_changed(const pf_trace *t)
{
    const pf_slices *s = pf_trace_slices(t);
    uint32_t a = slice_named(t, "renamed"), c = slice_named(t, "c");
    cr_expect_eq(s->count, 3);
    cr_expect_eq(pf_slice_ts(s, a), 1000);
    cr_expect_eq(s->dur[a], 6000);
    cr_expect_eq(pf_slice_category(s, a), pf_trace_find_string(t, PF_STR("other")));
    uint32_t event = s->event[a];
    cr_expect_eq(arg_of(t, event, "n", -1), 2);
    cr_expect_eq(arg_of(t, event, "new", -1), 3);
    cr_expect_eq(arg_of(t, event, "o.p[1]", -1), 2);
    cr_expect_eq(arg_of(t, event, "t", -1), -1);
    pf_str name = pf_trace_string(t, pf_trace_tracks(t)->name[s->track[c]]);
    cr_expect(name.len == 5 && memcmp(name.ptr, "moved", 5) == 0);
    const pf_counters *k = pf_trace_counters(t);
    cr_expect_eq(k->count, 2);
    cr_expect_eq(k->ts[0], 4500);
    cr_expect_eq(k->ts[1], 4500);
    const pf_flows *f = pf_trace_flows(t);
    uint32_t between = 0;
    for (uint32_t i = 0; i < f->count; i++) {
        between += f->slice_out[i] == a && f->slice_in[i] == c;
    }
    cr_expect_geq(between, 1);
}

Test(derived, changed_json)
{
    pf_trace *source = read_json(), *t = change(source);
    pf_trace_free(source);
    expect_changed(t);
    char text[64];
    cr_expect_eq(pf_trace_arg_text(t, event_named(t, "renamed", 'X'), PF_STR("t"), text, sizeof text), PF_NOWHERE);
    pf_trace_free(t);
}

/* What JSON spelled otherwise than its rows say stays so in a copy, but not what was changed there. */
Test(derived, what_was_changed_is_not_spelled_as_it_was)
{
    static const char spelled[] = "[{\"ph\":\"X\",\"pid\":1,\"tid\":\"2\",\"ts\":1,\"dur\":4,\"name\":7,\"cat\":5}]";
    static const char *const expected[] = {
        "{\"ph\":\"X\",\"name\":\"new\",\"cat\":5,\"pid\":1,\"tid\":\"2\",\"ts\":1,\"dur\":4}",
        "{\"ph\":\"X\",\"name\":7,\"cat\":\"kind\",\"pid\":1,\"tid\":\"2\",\"ts\":1,\"dur\":4}",
        "{\"ph\":\"X\",\"name\":7,\"cat\":5,\"pid\":1,\"tid\":\"2\",\"ts\":3,\"dur\":2}"};
    FILE *f = fopen("spelled.json", "w");
    cr_assert(f && fputs(spelled, f) >= 0 && fclose(f) == 0);
    for (unsigned changed = 0; changed < sizeof expected / sizeof *expected; changed++) {
        pf_trace *source = read_path("spelled.json");
        pf_builder *b = pf_builder_derive(source, NULL);
        pf_build_copy_event(b, 0);
        if (changed == 0) {
            pf_build_set_name(b, PF_STR("new"));
        } else if (changed == 1) {
            pf_build_category(b, PF_STR("kind"));
        } else {
            pf_build_set_ts(b, 3000);
            pf_build_set_dur(b, 2000);
        }
        pf_trace_free(source);
        pf_trace *t = finish(b);
        size_t len;
        cr_assert_eq(pf_convert_json(t, "out.json", NULL, NULL), PF_OK);
        char *text = contents("out.json", &len);
        cr_expect_not_null(memmem(text, len, expected[changed], strlen(expected[changed])), "%.*s", (int)len, text);
        pf_trace_free(t);
    }
}

/* A new slice with the arguments of a recorded event: one is replaced, one dropped, one added. */
static pf_trace *borrow_args(const pf_trace *source, pf_status *status)
{
    pf_builder *b = pf_builder_derive(source, NULL);
    uint32_t utid = pf_build_thread(b, pf_build_process(b, 1, (pf_str){NULL, 0}), 9, PF_STR("new"));
    pf_build_slice(b, pf_build_thread_track(b, utid), 10, 5, PF_STR("borrower"));
    pf_build_copy_args(b, event_named(source, "a", 'X'));
    pf_build_drop_arg(b, PF_STR("t"));
    pf_build_arg_int(b, PF_STR("n"), 7);
    pf_build_arg_int(b, PF_STR("new"), 3);
    *status = pf_builder_status(b, NULL);
    return finish(b);
}

Test(derived, arguments_of_another_event)
{
    pf_status st;
    pf_trace *source = read_json(), *t = borrow_args(source, &st);
    pf_trace_free(source);
    cr_expect_eq(st, PF_OK);
    uint32_t event = pf_trace_slices(t)->event[slice_named(t, "borrower")];
    cr_expect_eq(arg_of(t, event, "n", -1), 7);
    cr_expect_eq(arg_of(t, event, "new", -1), 3);
    cr_expect_eq(arg_of(t, event, "o.p[1]", -1), 2);
    char text[64];
    cr_expect_eq(pf_trace_arg_text(t, event, PF_STR("t"), text, sizeof text), PF_NOWHERE);
    pf_trace_free(t);
}

/* Objects and lists go or are replaced as a whole, with all that is in them. */
Test(derived, containers_that_are_dropped_or_replaced)
{
    static const char text[] =
        "[{\"ph\":\"X\",\"pid\":1,\"tid\":2,\"ts\":1,\"dur\":4,\"name\":\"a\",\"args\":{\"first\":1,"
        "\"o\":{\"p\":[1,{\"q\":2}],\"r\":3},\"l\":[[4],5],\"n\":{\"o\":6,\"l\":[7]},\"last\":8}}]";
    FILE *f = fopen("in.json", "w");
    cr_assert(f && fputs(text, f) >= 0 && fclose(f) == 0);
    pf_trace *source = read_path("in.json");
    pf_builder *b = pf_builder_derive(source, NULL);
    pf_build_copy_event(b, 0);
    pf_build_drop_arg(b, PF_STR("o"));
    pf_build_arg_int(b, PF_STR("l"), 9);
    pf_trace_free(source);
    pf_trace *t = finish(b);
    uint32_t event = pf_trace_slices(t)->event[slice_named(t, "a")];
    static const struct {
        const char *key;
        int64_t value;
    } want[] = {{"first", 1}, {"o.p[0]", -1}, {"o.p[1].q", -1}, {"o.r", -1},   {"l[0][0]", -1},
                {"l[1]", -1}, {"l", 9},       {"n.o", 6},       {"n.l[0]", 7}, {"last", 8}};
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        cr_expect_eq(arg_of(t, event, want[i].key, -1), want[i].value, "%s", want[i].key);
    }
    size_t len;
    cr_assert_eq(pf_convert_json(t, "out.json", NULL, NULL), PF_OK);
    char *written = contents("out.json", &len);
    written[len] = 0;
    cr_expect_not_null(strstr(written, "\"args\":{\"first\":1,\"n\":{\"o\":6,\"l\":[7]},\"last\":8,\"l\":9}"), "%s",
                       written);
    pf_trace_free(t);
}

/* A copy of a derived trace finds the arguments that lie in the source of its source, after that one has gone. */
Test(derived, arguments_through_two_derivations)
{
    pf_status st;
    pf_trace *source = read_json(), *borrowed = borrow_args(source, &st), *changed = change(source);
    pf_trace_free(source);
    pf_trace *first[] = {borrowed, changed};
    static const char *const names[] = {"borrower", "renamed"};
    for (int k = 0; k < 2; k++) {
        pf_builder *b = pf_builder_derive(first[k], NULL);
        pf_build_copy_events(b, 0, pf_trace_events(first[k])->count);
        pf_trace *t = finish(b);
        pf_trace_free(first[k]);
        uint32_t event = pf_trace_slices(t)->event[slice_named(t, names[k])];
        cr_expect_eq(arg_of(t, event, "new", -1), 3);
        cr_expect_eq(arg_of(t, event, "n", -1), k == 0 ? 7 : 2);
        cr_expect_eq(arg_of(t, event, "o.p[1]", -1), 2);
        cr_assert_eq(pf_convert_pftrace(t, "twice.pftrace", NULL, NULL), PF_OK);
        pf_trace_free(t);
        t = read_path("twice.pftrace");
        event = pf_trace_slices(t)->event[slice_named(t, names[k])];
        cr_expect_eq(arg_of(t, event, "o.p[1]", -1), 2);
        pf_trace_free(t);
    }
}

/* No event takes the arguments of two, and none can be taken of a row that is not there. */
Test(derived, arguments_that_cannot_be_copied)
{
    pf_trace *source = read_json();
    for (int k = 0; k < 4; k++) {
        pf_builder *b = pf_builder_derive(source, NULL);
        uint32_t row = event_named(source, "a", 'X'), rows = pf_trace_events(source)->count;
        if (k > 0) {
            k == 1 ? pf_build_copy_event(b, row) : pf_build_slice(b, 0, 10, 5, PF_STR("x"));
        }
        if (k == 2) {
            pf_build_copy_args(b, row);
        }
        pf_build_copy_args(b, k == 3 ? rows : row);
        cr_expect_eq(pf_builder_status(b, NULL), PF_ERR_USAGE, "%d", k);
        pf_builder_free(b);
    }
    pf_trace_free(source);
}

/* What was changed is also what the files say. */
Test(derived, changed_json_through_files)
{
    pf_trace *source = read_json(), *t = change(source);
    pf_trace_free(source);
    cr_assert_eq(pf_convert_pftrace(t, "c.pftrace", NULL, NULL), PF_OK);
    cr_assert_eq(pf_convert_json(t, "c.json", NULL, NULL), PF_OK);
    pf_trace_free(t);
    t = read_path("c.pftrace");
    expect_changed(t);
    pf_trace_free(t);
    size_t len;
    char *written = contents("c.json", &len);
    written[len] = '\0';
    cr_expect_not_null(strstr(written, "\"renamed\""));
    cr_expect_not_null(strstr(written, "\"n\":2"));
    cr_expect_not_null(strstr(written, "\"new\":3"));
    cr_expect_null(strstr(written, "\"n\":1"));
    cr_expect_null(strstr(written, "\"name\":\"a\""));
    cr_expect_not_null(strstr(written, "\"dur\":6"));
    cr_expect_null(strstr(written, "\"cname\""), "b was dropped, with what it says");
}

/* A derived trace can be derived from again; the first source lives as long as it is needed. */
Test(derived, twice)
{
    pf_trace *source = read_json(), *first = change(source);
    pf_builder *b = pf_builder_derive(first, NULL);
    pf_trace_free(source);
    for (uint32_t row = 0; row < pf_trace_events(first)->count; row++) {
        pf_build_copy_event(b, row);
        if (row == event_named(first, "renamed", 'X')) {
            pf_build_arg_int(b, PF_STR("new"), 4);
        }
    }
    pf_trace_free(first);
    pf_trace *t = finish(b);
    uint32_t event = event_named(t, "renamed", 'X');
    cr_expect_eq(arg_of(t, event, "n", -1), 2);
    cr_expect_eq(arg_of(t, event, "new", -1), 4);
    cr_expect_eq(arg_of(t, event, "o.p[0]", -1), 1);
    pf_trace_free(t);
}

/* Packets: a slice is a begin and an end, and each is moved; arguments and flows go. */
Test(derived, moved_packets)
{
    pf_trace *source = read_packets();
    const pf_slices *s = pf_trace_slices(source);
    uint32_t a = slice_named(source, "a"), begin = s->event[a], end = s->end_event[a];
    pf_builder *b = pf_builder_derive(source, NULL);
    for (uint32_t row = 0; row < pf_trace_events(source)->count; row++) {
        pf_build_copy_event(b, row);
        if (row == begin) {
            pf_build_drop_args(b);
            pf_build_drop_flows(b);
        }
        if (end == PF_NONE && row == begin) {
            pf_build_set_dur(b, 7500);
        } else if (row == end) {
            pf_build_set_ts(b, 8500);
        }
    }
    pf_build_copy_samples(b);
    pf_trace_free(source);
    pf_trace *t = finish(b);
    uint32_t moved = slice_named(t, "a");
    cr_expect_eq(pf_trace_slices(t)->dur[moved], 7500);
    cr_expect_eq(arg_of(t, pf_trace_slices(t)->event[moved], "n", -1), -1);
    cr_expect_eq(pf_trace_counters(t)->count, 2);
    pf_trace_free(t);
}

/* A session over a derived trace, and findings drawn into it: a conversion, as no file has its events. */
static pf_status take_columns(void *ctx, size_t count, const pf_str *names)
{
    return PF_OK;
}

static pf_status take_row(void *ctx, size_t count, const pf_query_cell *cells)
{
    *(int64_t *)ctx = cells[0].as.i;
    return PF_OK;
}

Test(derived, query_and_enrich)
{
    pf_trace *source = read_packets();
    pf_builder *b = pf_builder_derive(source, NULL);
    pf_build_copy_event(b, pf_trace_slices(source)->event[slice_named(source, "a")]);
    pf_build_arg_int(b, PF_STR("n"), 41);
    pf_trace_free(source);
    pf_trace *t = finish(b);
    pf_query *q = NULL;
    int64_t value = 0;
    const pf_query_sink sink = {&value, take_columns, take_row};
    cr_assert_eq(pf_query_open(t, &q, NULL), PF_OK);
    cr_assert_eq(
        pf_query_run(q, PF_STR("select extract_arg(arg_set_id, 'debug.n') from slice where name = 'a'"), &sink, NULL),
        PF_OK);
    cr_expect_eq(value, 41);
    pf_query_free(q);
    pf_findings *f = pf_findings_new(NULL);
    cr_assert_eq(pf_write_enriched(t, f, "d.pftrace", NULL, NULL), PF_OK);
    pf_findings_free(f);
    pf_trace_free(t);
    t = read_path("d.pftrace");
    cr_expect_eq(pf_trace_slices(t)->count, 1);
    pf_trace_free(t);
}

Test(derived, limits)
{
    pf_limits limits = pf_limits_default();
    pf_trace *source = read_json();
    limits.memory = 1000;
    cr_expect_null(pf_builder_derive(source, &limits));
    pf_builder *b = pf_builder_derive(source, NULL);
    pf_build_copy_events(b, 0, pf_trace_events(source)->count + 1);
    cr_expect_eq(pf_builder_status(b, NULL), PF_ERR_USAGE);
    pf_builder_free(b);
    pf_trace_free(source);
}

/* A process of the source gets a name, which a process that is not there cannot. */
Test(derived, names_a_process_that_is_there)
{
    pf_builder *source = pf_builder_new(NULL);
    uint32_t upid = pf_build_process(source, 7, PF_STR("before"));
    pf_build_instant(source, pf_build_thread_track(source, pf_build_thread(source, upid, 7, PF_STR("main"))), 1,
                     PF_STR("i"));
    pf_trace *t = NULL, *made = NULL;
    pf_error err = {0};
    cr_assert_eq(pf_builder_finish(source, &t, &err), PF_OK);
    pf_builder_free(source);
    pf_builder *b = pf_builder_derive(t, NULL);
    pf_build_copy_event(b, 0);
    pf_build_name_process(b, upid, PF_STR("after"));
    pf_build_place_process(b, upid, -3);
    cr_assert_eq(pf_builder_finish(b, &made, &err), PF_OK);
    pf_str name = pf_trace_string(made, pf_trace_processes(made)->name[upid]);
    cr_assert(name.len == 5 && memcmp(name.ptr, "after", 5) == 0);
    pf_builder_free(b);
    pf_trace_free(made);
    b = pf_builder_derive(t, NULL);
    pf_build_name_process(b, 1000, PF_STR("nobody"));
    cr_assert_eq(pf_builder_status(b, &err), PF_ERR_USAGE);
    pf_builder_free(b);
    b = pf_builder_derive(t, NULL);
    pf_build_place_process(b, 1000, 1);
    cr_assert_eq(pf_builder_status(b, &err), PF_ERR_USAGE);
    pf_builder_free(b);
    pf_trace_free(t);
}
