/* new.c - traces that come from no file. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "postfetto/postfetto.h"

static pf_trace *finish(pf_builder *b)
{
    pf_trace *t = NULL;
    pf_error err = {0};
    cr_assert_eq(pf_builder_finish(b, &t, &err), PF_OK, "%s", err.text);
    pf_builder_free(b);
    return t;
}

static void expect_text(pf_str s, const char *expected)
{
    cr_assert_eq(s.len, strlen(expected), "%.*s is not %s", (int)s.len, s.ptr, expected);
    cr_assert_arr_eq(s.ptr, expected, s.len);
}

Test(new, whole_slices_nest_in_any_order)
{
    pf_builder *b = pf_builder_new(NULL);
    uint32_t p = pf_build_process(b, 7, PF_STR("p"));
    uint32_t track = pf_build_thread_track(b, pf_build_thread(b, p, 8, PF_STR("t")));
    pf_build_slice(b, track, 10, 5, PF_STR("inner"));
    pf_build_slice(b, track, 0, 100, PF_STR("outer"));
    pf_build_slice(b, track, 10, 20, PF_STR("middle"));
    pf_trace *t = finish(b);
    const pf_slices *s = pf_trace_slices(t);
    const char *names[] = {"outer", "middle", "inner"};
    int64_t ts[] = {0, 10, 10}, dur[] = {100, 20, 5};
    cr_assert_eq(s->count, 3);
    for (uint32_t i = 0; i < 3; i++) {
        expect_text(pf_trace_string(t, pf_slice_name(s, i)), names[i]);
        cr_expect_eq(pf_slice_ts(s, i), ts[i]);
        cr_expect_eq(s->dur[i], dur[i]);
        cr_expect_eq(s->depth[i], i);
        cr_expect_eq(s->track[i], track);
    }
    expect_text(pf_trace_string(t, pf_trace_processes(t)->name[p]), "p");
    pf_trace_free(t);
}

Test(new, begins_and_ends_instants_and_flows)
{
    pf_builder *b = pf_builder_new(NULL);
    uint32_t track = pf_build_track(b, &(pf_build_track_row){.name = PF_STR("all")});
    uint32_t below = pf_build_track(b, &(pf_build_track_row){.of = PF_BUILD_TRACK, .owner = track});
    pf_build_begin(b, track, 1, PF_STR("a"));
    pf_build_category(b, PF_STR("cat"));
    pf_build_flow(b, 5, false);
    pf_build_instant(b, below, 2, PF_STR("mark"));
    pf_build_flow(b, 5, true);
    pf_build_end(b, track, 4);
    pf_trace *t = finish(b);
    const pf_slices *s = pf_trace_slices(t);
    const pf_flows *f = pf_trace_flows(t);
    cr_assert_eq(s->count, 2);
    cr_expect_eq(s->dur[0], 3);
    cr_expect_eq(s->dur[1], 0);
    expect_text(pf_trace_string(t, pf_slice_category(s, 0)), "cat");
    cr_assert_eq(f->count, 1);
    cr_expect_eq(f->slice_out[0], 0);
    cr_expect_eq(f->slice_in[0], 1);
    cr_expect_eq(f->trace_id[0], 5);
    cr_expect_eq(pf_trace_tracks(t)->parent[below], track);
    pf_trace_free(t);
}

Test(new, samples_are_sorted_and_have_a_unit)
{
    pf_builder *b = pf_builder_new(NULL);
    uint32_t p = pf_build_process(b, 7, PF_STR("p"));
    uint32_t track = pf_build_track(
        b, &(pf_build_track_row){
               .of = PF_BUILD_PROCESS, .owner = p, .counter = true, .name = PF_STR("load"), .unit = PF_STR("%")});
    pf_build_sample(b, track, 20, 0.5);
    pf_build_sample(b, track, 10, 0.25);
    pf_trace *t = finish(b);
    const pf_counters *k = pf_trace_counters(t);
    cr_assert_eq(k->count, 2);
    cr_expect_eq(k->ts[0], 10);
    cr_expect_eq(k->value[0], 0.25);
    cr_expect_eq(k->value[1], 0.5);
    expect_text(pf_trace_string(t, pf_trace_tracks(t)->unit[track]), "%");
    pf_trace_free(t);
}

/* Writes what is visited as text: key=type:value, {...}, [...]. */
typedef struct told {
    char text[512];
    size_t len;
} told;

static void tell(told *o, pf_str key, const char *rest)
{
    o->len += (size_t)snprintf(o->text + o->len, sizeof o->text - o->len, "%.*s=%s ", (int)key.len,
                               key.ptr ? key.ptr : "", rest);
}

static pf_status on_begin(void *ctx, pf_str key, bool list)
{
    tell(ctx, key, list ? "[" : "{");
    return PF_OK;
}

static pf_status on_end(void *ctx)
{
    told *o = ctx;
    o->len += (size_t)snprintf(o->text + o->len, sizeof o->text - o->len, "end ");
    return PF_OK;
}

static pf_status on_value(void *ctx, pf_str key, const pf_value *v)
{
    char text[64] = "null";
    switch (v->type) {
    case PF_VALUE_BOOL:
        snprintf(text, sizeof text, "bool:%d", v->as.b);
        break;
    case PF_VALUE_INT:
        snprintf(text, sizeof text, "int:%lld", (long long)v->as.i);
        break;
    case PF_VALUE_UINT:
        snprintf(text, sizeof text, "uint:%llu", (unsigned long long)v->as.u);
        break;
    case PF_VALUE_POINTER:
        snprintf(text, sizeof text, "pointer:%llu", (unsigned long long)v->as.u);
        break;
    case PF_VALUE_REAL:
        snprintf(text, sizeof text, "real:%g", v->as.d);
        break;
    case PF_VALUE_STRING:
        snprintf(text, sizeof text, "text:%.*s", (int)v->as.s.len, v->as.s.ptr);
        break;
    default:
        break;
    }
    tell(ctx, key, text);
    return PF_OK;
}

static void expect_args(const pf_trace *t, uint32_t row, bool raw, const char *expected)
{
    told o = {.len = 0};
    pf_error err;
    const pf_arg_visitor v = {&o, on_begin, on_end, on_value, raw};
    cr_assert_eq(pf_trace_visit_args(t, row, &v, &err), PF_OK);
    cr_expect_str_eq(o.text, expected);
}

Test(new, arguments_of_all_types)
{
    pf_builder *b = pf_builder_new(NULL);
    uint32_t track = pf_build_track(b, &(pf_build_track_row){.name = PF_STR("all")});
    pf_build_instant(b, track, 1, PF_STR("without"));
    uint32_t row = pf_build_instant(b, track, 2, PF_STR("with"));
    pf_build_arg_null(b, PF_STR("n"));
    pf_build_arg_bool(b, PF_STR("b"), true);
    pf_build_arg_int(b, PF_STR("i"), INT64_MIN);
    pf_build_arg_uint(b, PF_STR("u"), UINT64_MAX);
    pf_build_arg_pointer(b, PF_STR("p"), 16);
    pf_build_arg_real(b, PF_STR("r"), 0.5);
    pf_build_arg_text(b, PF_STR("a.b[0]"), PF_STR("x"));
    pf_build_arg_object(b, PF_STR("o"));
    pf_build_arg_list(b, PF_STR("l.m"));
    pf_build_arg_int(b, (pf_str){NULL, 0}, 1);
    pf_build_arg_int(b, (pf_str){NULL, 0}, 2);
    pf_build_arg_end(b);
    pf_build_arg_int(b, PF_STR("after"), 3); /* left open: closed with the event */
    pf_build_instant(b, track, 3, PF_STR("last"));
    pf_build_arg_int(b, PF_STR("i"), 1);
    pf_trace *t = finish(b);
    expect_args(t, row - 1, false, "");
    expect_args(t, row, false,
                "debug.n=null debug.b=bool:1 debug.i=int:-9223372036854775808 debug.u=uint:18446744073709551615 "
                "debug.p=pointer:16 debug.r=real:0.5 debug.a_b_0_=text:x debug.o={ l.m=[ =int:1 =int:2 end "
                "after=int:3 end ");
    expect_args(t, row + 1, false, "debug.i=int:1 ");
    told o = {.len = 0};
    pf_error err;
    const pf_arg_visitor v = {&o, on_begin, on_end, on_value, true};
    pf_trace_visit_args(t, row, &v, &err);
    cr_expect_not_null(strstr(o.text, "debug.a.b[0]=text:x"));
    pf_trace_free(t);
}

/* Names with dots and brackets, longer than what is at hand for them or not. */
Test(new, odd_names_of_any_length)
{
    enum { FIRST = 50, LAST = 70 };
    pf_builder *b = pf_builder_new(NULL);
    uint32_t track = pf_build_track(b, &(pf_build_track_row){.name = PF_STR("all")});
    char name[LAST + 1];
    for (size_t len = FIRST; len <= LAST; len++) {
        memset(name, 'n', len);
        name[0] = name[len - 1] = '.';
        pf_build_instant(b, track, (int64_t)len, PF_STR("i"));
        pf_build_arg_int(b, (pf_str){name, len}, 1);
    }
    pf_trace *t = finish(b);
    for (size_t len = FIRST; len <= LAST; len++) {
        char expected[LAST + 32];
        memset(name, 'n', sizeof name - 1);
        snprintf(expected, sizeof expected, "debug._%.*s_=int:1 ", (int)len - 2, name);
        expect_args(t, (uint32_t)(len - FIRST), false, expected);
        snprintf(expected, sizeof expected, "debug..%.*s.=int:1 ", (int)len - 2, name);
        expect_args(t, (uint32_t)(len - FIRST), true, expected);
    }
    pf_trace_free(t);
}

Test(new, errors_stay)
{
    pf_builder *b = pf_builder_new(NULL);
    pf_trace *t = NULL;
    pf_error err;
    uint32_t track = pf_build_track(b, &(pf_build_track_row){.name = PF_STR("all")});
    pf_build_slice(b, track, 1, 2, PF_STR("good"));
    cr_expect_eq(pf_build_slice(b, track, 1, -2, PF_STR("bad")), PF_NONE);
    cr_expect_eq(pf_builder_status(b, NULL), PF_ERR_USAGE);
    cr_expect_eq(pf_build_slice(b, track, 1, 2, PF_STR("good")), PF_NONE);
    cr_expect_eq(pf_build_process(b, 1, PF_STR("p")), PF_NONE);
    cr_expect_eq(pf_builder_finish(b, &t, &err), PF_ERR_USAGE);
    cr_expect_null(t);
    cr_expect_not_null(strstr(err.text, "-2"), "%s", err.text);
    cr_expect_eq(pf_builder_finish(b, &t, &err), PF_ERR_USAGE);
    pf_builder_free(b);
}

/* Each of these is refused by itself. */
static void misuse(pf_builder *b, int which)
{
    uint32_t track = pf_build_track(b, &(pf_build_track_row){.name = PF_STR("all")});
    uint32_t counter = pf_build_track(b, &(pf_build_track_row){.name = PF_STR("load"), .counter = true});
    switch (which) {
    case 0:
        pf_build_instant(b, 17, 0, PF_STR("no track"));
        break;
    case 1:
        pf_build_instant(b, counter, 0, PF_STR("on a counter"));
        break;
    case 2:
        pf_build_sample(b, track, 0, 1);
        break;
    case 3:
        pf_build_arg_int(b, PF_STR("of nothing"), 0);
        break;
    case 4:
        pf_build_copy_event(b, 0);
        break;
    case 5:
        pf_build_thread(b, 99, 1, PF_STR("of no process"));
        break;
    case 6:
        pf_build_track(b, &(pf_build_track_row){.of = PF_BUILD_TRACK, .owner = 99});
        break;
    case 7:
        pf_build_begin(b, track, 0, PF_STR("a"));
        pf_build_set_dur(b, 5);
        break;
    case 8:
        pf_build_begin(b, track, 0, PF_STR("a"));
        pf_build_arg_end(b);
        break;
    case 9:
        pf_build_slice(b, track, INT64_MAX - 1, 2, PF_STR("too long"));
        break;
    case 10:
        pf_build_begin(b, track, 0, PF_STR("a"));
        pf_build_arg_int(b, (pf_str){NULL, 0}, 5);
        break;
    case 11:
        pf_build_sample(b, counter, 0, 1);
        pf_build_category(b, PF_STR("of a sample"));
        break;
    case 12:
        pf_build_begin(b, track, 0, PF_STR("a"));
        pf_build_arg_object(b, PF_STR("o"));
        pf_build_drop_arg(b, PF_STR("k"));
        break;
    case 13:
        pf_build_instant(b, track, 0, PF_STR("a"));
        pf_build_set_track(b, counter);
        break;
    case 14:
        pf_build_instant(b, track, 0, PF_STR("a"));
        pf_build_set_track(b, 17);
        break;
    case 15:
        pf_build_slice(b, track, 5, 2, PF_STR("a"));
        pf_build_set_ts(b, INT64_MAX - 1);
        break;
    case 16:
        pf_build_slice(b, track, 5, 2, PF_STR("a"));
        pf_build_set_dur(b, -1);
        break;
    case 17:
        pf_build_slice(b, track, 5, 2, PF_STR("a"));
        pf_build_set_dur(b, INT64_MAX - 4);
        break;
    case 18:
        pf_build_name_process(b, 99, PF_STR("of nobody"));
        break;
    case 19:
        pf_build_thread_track(b, 99);
        break;
    case 20:
        pf_build_track(b, &(pf_build_track_row){.of = PF_BUILD_PROCESS, .owner = 98});
        break;
    case 21:
        pf_build_track(b, &(pf_build_track_row){.of = PF_BUILD_THREAD, .owner = 97});
        break;
    case 22:
        pf_build_begin(b, track, 0, PF_STR("a"));
        pf_build_copy_args(b, 3);
        break;
    case 23:
        pf_build_set_ts(b, 1);
        break;
    case 24:
        pf_build_set_dur(b, 1);
        break;
    case 25:
        pf_build_set_name(b, PF_STR("a"));
        break;
    case 26:
        pf_build_set_track(b, track);
        break;
    case 27:
        pf_build_flow(b, 1, false);
        break;
    default:
        pf_build_drop_flows(b);
        break;
    }
}

Test(new, misuse_is_refused)
{
    static const char no_event[] = "something is said about an event, but none was added before it";
    static const char *const said[] = {
        "something is on track 17; there are 2 tracks",
        "an event is on track 1, which is a counter; counters have samples",
        "a sample is on track 0, which is not a counter",
        "an argument is given, but no event was added before it",
        "an event is to be copied, but the trace is not derived from another one",
        "a thread of process 99 was asked for; there are 1 processes",
        "a track is to belong to row 99 of a table that has no such row",
        "a duration is given to an event that is not a whole slice; move its end instead",
        "an object or list of arguments is ended that was not begun",
        "a slice at 9223372036854775806 has the duration 2, which is negative or too long",
        "an argument has no key",
        no_event,
        "an argument is dropped inside an object or list",
        "an event is on track 1, which is a counter; counters have samples",
        "something is on track 17; there are 2 tracks",
        "a slice at 9223372036854775806 has the duration 2, which is negative or too long",
        "a slice at 5 has the duration -1, which is negative or too long",
        "a slice at 5 has the duration 9223372036854775803, which is negative or too long",
        "process 99 was to be named; there are 1 processes",
        "the track of thread 99 was asked for; there are 1 threads",
        "a track is to belong to row 98 of a table that has no such row",
        "a track is to belong to row 97 of a table that has no such row",
        "the arguments of row 3 are copied, but there is no such row, or no event to have them",
        no_event,
        no_event,
        no_event,
        no_event,
        no_event,
        no_event,
    };
    for (int i = 0; i < (int)(sizeof said / sizeof *said); i++) {
        pf_error err = {.text = ""};
        pf_builder *b = pf_builder_new(NULL);
        misuse(b, i);
        cr_expect_eq(pf_builder_status(b, &err), PF_ERR_USAGE, "case %d", i);
        cr_expect_str_eq(err.text, said[i]);
        pf_builder_free(b);
    }
}

/* What is just within what is refused above. */
Test(new, unusual_use_is_taken)
{
    pf_builder *b = pf_builder_new(NULL);
    uint32_t track = pf_build_track(b, &(pf_build_track_row){.name = PF_STR("all")});
    pf_build_begin(b, track, 0, PF_STR("a"));
    pf_build_drop_arg(b, PF_STR("k"));
    pf_build_slice(b, track, INT64_MAX - 2, 2, PF_STR("last"));
    pf_build_slice(b, track, 5, 2, PF_STR("longest"));
    pf_build_set_dur(b, INT64_MAX - 5);
    pf_build_slice(b, track, 5, 2, PF_STR("moved"));
    pf_build_set_ts(b, INT64_MAX - 2);
    pf_build_slice(b, track, -5, INT64_MAX, PF_STR("before time"));
    cr_expect_eq(pf_builder_status(b, NULL), PF_OK);
    pf_trace *t = finish(b);
    const pf_events *e = pf_trace_events(t);
    cr_assert_eq(e->count, 5);
    cr_expect(e->ts[1] == INT64_MAX - 2 && e->dur[1] == 2);
    cr_expect(e->ts[2] == 5 && e->dur[2] == INT64_MAX - 5);
    cr_expect(e->ts[3] == INT64_MAX - 2 && e->dur[3] == 2);
    cr_expect(e->ts[4] == -5 && e->dur[4] == INT64_MAX);
    pf_trace_free(t);
}

Test(new, limits_hold)
{
    pf_limits limits = pf_limits_default();
    limits.memory = 8u << 20;
    pf_builder *b = pf_builder_new(&limits);
    uint32_t track = pf_build_track(b, &(pf_build_track_row){.name = PF_STR("all")});
    for (int i = 0; i < 1000000; i++) {
        pf_build_instant(b, track, i, PF_STR("x"));
        pf_build_arg_text(b, PF_STR("key"), PF_STR("a text of some length, again and again"));
    }
    cr_expect_eq(pf_builder_status(b, NULL), PF_ERR_LIMIT);
    pf_builder_free(b);
    limits = pf_limits_default();
    limits.depth = 3;
    limits.keys = 10;
    b = pf_builder_new(&limits);
    track = pf_build_track(b, &(pf_build_track_row){.name = PF_STR("all")});
    pf_build_instant(b, track, 0, PF_STR("x"));
    for (int i = 0; i < 4; i++) {
        pf_build_arg_object(b, PF_STR("o"));
    }
    cr_expect_eq(pf_builder_status(b, NULL), PF_ERR_LIMIT);
    pf_builder_free(b);
    b = pf_builder_new(&limits);
    track = pf_build_track(b, &(pf_build_track_row){.name = PF_STR("all")});
    pf_build_instant(b, track, 0, PF_STR("x"));
    for (int i = 0; i < 11; i++) {
        pf_build_arg_int(b, PF_STR("i"), i);
    }
    cr_expect_eq(pf_builder_status(b, NULL), PF_ERR_LIMIT);
    pf_builder_free(b);
}

/* Descriptions and ranks survive the way through a file. */
Test(new, what_tracks_say_is_written)
{
    pf_builder *b = pf_builder_new(NULL);
    uint32_t p = pf_build_process(b, 7, PF_STR("p"));
    uint32_t above = pf_build_track(b, &(pf_build_track_row){.of = PF_BUILD_PROCESS,
                                                             .owner = p,
                                                             .name = PF_STR("above"),
                                                             .description = PF_STR("what is measured"),
                                                             .rank = 3});
    for (int32_t i = 1; i <= 2; i++) {
        uint32_t below = pf_build_track(
            b, &(pf_build_track_row){
                   .of = PF_BUILD_TRACK, .owner = above, .name = i == 1 ? PF_STR("one") : PF_STR("two"), .rank = -i});
        pf_build_instant(b, below, i, PF_STR("x"));
    }
    pf_build_instant(b, above, 1, PF_STR("x"));
    pf_trace *t = finish(b);
    char path[] = "/tmp/pf_new_XXXXXX";
    const char *paths[] = {path};
    int fd = mkstemp(path);
    pf_error err = {0};
    cr_assert(fd >= 0 && close(fd) == 0);
    cr_assert_eq(pf_convert_pftrace(t, path, NULL, &err), PF_OK, "%s", err.text);
    pf_trace_free(t);
    cr_assert_eq(pf_read(paths, 1, NULL, &t, &err), PF_OK, "%s", err.text);
    unlink(path);
    const pf_row_args *a = pf_trace_row_args(t);
    unsigned seen = 0;
    for (uint32_t i = 0; i < a->count; i++) {
        pf_str key = pf_trace_string(t, a->key[i]), track = pf_trace_string(t, pf_trace_tracks(t)->name[a->row[i]]);
        char line[128];
        if (a->owner[i] != PF_OWNER_TRACK_SOURCE) {
            continue;
        }
        snprintf(line, sizeof line, "%.*s %.*s %lld", (int)track.len, track.ptr, (int)key.len, key.ptr,
                 (long long)a->number[i]);
        seen |= strcmp(line, "above sibling_order_rank 3") == 0 ? 1 : 0;
        seen |= strcmp(line, "one sibling_order_rank -1") == 0 ? 2 : 0;
        seen |= strcmp(line, "two sibling_order_rank -2") == 0 ? 4 : 0;
        if (strcmp(line, "above description 0") == 0) {
            expect_text(pf_trace_string(t, a->text[i]), "what is measured");
            seen |= 8;
        } else if (strcmp(line, "above child_ordering 0") == 0) {
            expect_text(pf_trace_string(t, a->text[i]), "explicit");
            seen |= 16;
        }
    }
    cr_expect_eq(seen, 31);
    pf_trace_free(t);
}

/* Names are in every file, also of processes and threads in which nothing happens. */
Test(new, names_are_written)
{
    static const char *const endings[] = {"pftrace", "json"};
    for (int i = 0; i < 2; i++) {
        pf_builder *b = pf_builder_new(NULL);
        uint32_t p = pf_build_process(b, 7, PF_STR("busy")), utid = pf_build_thread(b, p, 8, PF_STR("worker"));
        uint32_t track = pf_build_thread_track(b, utid);
        pf_build_thread(b, pf_build_process(b, 70, PF_STR("idle")), 71, PF_STR("sleeper"));
        uint32_t row = pf_build_slice(b, track, 5000, 1000, PF_STR("x"));
        pf_build_thread(b, p, 9, PF_STR("later")); /* does not come between an event and what is said of it */
        pf_build_arg_int(b, PF_STR("n"), 1);
        pf_trace *t = finish(b);
        expect_args(t, row, false, "debug.n=int:1 ");
        char path[64], folder[] = "/tmp/pf_new_XXXXXX";
        const char *paths[] = {path};
        pf_error err = {0};
        cr_assert_not_null(mkdtemp(folder));
        snprintf(path, sizeof path, "%s/t.%s", folder, endings[i]);
        cr_assert_eq(i ? pf_convert_json(t, path, NULL, &err) : pf_convert_pftrace(t, path, NULL, &err), PF_OK);
        pf_trace_free(t);
        cr_assert_eq(pf_read(paths, 1, NULL, &t, &err), PF_OK, "%s", err.text);
        unlink(path);
        rmdir(folder);
        const char *names[] = {"busy", "worker", "idle", "sleeper", "later"};
        for (int k = 0; k < 5; k++) {
            uint32_t id = pf_trace_find_string(t, (pf_str){names[k], strlen(names[k])}), found = 0;
            const pf_processes *processes = pf_trace_processes(t);
            const pf_threads *threads = pf_trace_threads(t);
            for (uint32_t r = 0; r < processes->count; r++) {
                found += processes->name[r] == id && (processes->pid[r] == 7 || processes->pid[r] == 70);
            }
            for (uint32_t r = 0; r < threads->count; r++) {
                found += threads->name[r] == id && threads->tid[r] >= 8;
            }
            cr_expect_eq(found, 1, "%s in %s", names[k], endings[i]);
        }
        pf_trace_free(t);
    }
}

Test(new, units_attributes_and_tracks_of_threads)
{
    pf_builder *b = pf_builder_new(NULL);
    pf_build_time_unit(b, PF_UNIT_CYCLE);
    pf_build_attribute_int(b, PF_STR("count"), -5);
    pf_build_attribute_text(b, PF_STR("word"), PF_STR("w"));
    uint32_t upid = pf_build_process(b, 7, PF_STR("p")), utid = pf_build_thread(b, upid, 8, PF_STR("t"));
    uint32_t track =
        pf_build_track(b, &(pf_build_track_row){.of = PF_BUILD_THREAD, .owner = utid, .name = PF_STR("x")});
    uint32_t counter = pf_build_track(
        b, &(pf_build_track_row){.of = PF_BUILD_THREAD, .owner = utid, .counter = true, .unit = PF_STR("bytes")});
    pf_build_slice(b, track, 1, 2, PF_STR("s"));
    pf_build_sample(b, counter, 3, 4.5);
    pf_trace *t = finish(b);
    const pf_tracks *tr = pf_trace_tracks(t);
    const pf_metadata *m = pf_trace_metadata(t);
    cr_expect_eq(pf_trace_time_unit(t), PF_UNIT_CYCLE);
    cr_expect(tr->utid[track] == utid && tr->upid[track] == upid && tr->type[track] == PF_TRACK_THREAD_EVENT);
    cr_expect(tr->utid[counter] == utid && tr->type[counter] == PF_TRACK_THREAD_COUNTER);
    expect_text(pf_trace_string(t, tr->unit[counter]), "bytes");
    cr_assert_eq(m->count, 2);
    expect_text(pf_trace_string(t, m->name[0]), "trace_attribute.count");
    cr_expect(m->number[0] == -5 && m->text[0] == 0);
    expect_text(pf_trace_string(t, m->name[1]), "trace_attribute.word");
    expect_text(pf_trace_string(t, m->text[1]), "w");
    cr_expect_eq(pf_trace_slices(t)->track[0], track);
    cr_expect_eq(pf_trace_counters(t)->value[0], 4.5);
    pf_trace_free(t);
}

Test(new, a_thread_that_is_not_there_has_no_track)
{
    pf_builder *b = pf_builder_new(NULL);
    pf_error err;
    pf_build_track(b, &(pf_build_track_row){.of = PF_BUILD_THREAD, .owner = 5});
    cr_expect_neq(pf_builder_status(b, &err), PF_OK);
    pf_builder_free(b);
    b = pf_builder_new(NULL);
    pf_build_thread_track(b, 5);
    cr_expect_neq(pf_builder_status(b, &err), PF_OK);
    cr_expect_not_null(strstr(err.text, "thread 5"), "%s", err.text);
    pf_builder_free(b);
}

/* Every call that adds something; the ones that give a row give none. */
static void call_everything(pf_builder *b)
{
    cr_expect_eq(pf_build_process(b, 5, PF_STR("p")), PF_NONE);
    cr_expect_eq(pf_build_thread(b, 0, 5, PF_STR("t")), PF_NONE);
    cr_expect_eq(pf_build_thread_track(b, 0), PF_NONE);
    cr_expect_eq(pf_build_track(b, &(pf_build_track_row){.name = PF_STR("more")}), PF_NONE);
    cr_expect_eq(pf_build_track(b, &(pf_build_track_row){.of = PF_BUILD_TRACK, .owner = 99}), PF_NONE);
    cr_expect_eq(pf_build_slice(b, 0, 1, 2, PF_STR("a")), PF_NONE);
    cr_expect_eq(pf_build_slice(b, 0, 1, -2, PF_STR("a")), PF_NONE);
    cr_expect_eq(pf_build_begin(b, 0, 1, PF_STR("a")), PF_NONE);
    cr_expect_eq(pf_build_end(b, 0, 1), PF_NONE);
    cr_expect_eq(pf_build_instant(b, 99, 1, PF_STR("a")), PF_NONE);
    cr_expect_eq(pf_build_copy_event(b, 0), PF_NONE);
    pf_build_copy_events(b, 2, 1);
    pf_build_copy_samples(b);
    pf_build_time_unit(b, PF_UNIT_CYCLE);
    pf_build_attribute_text(b, PF_STR("k"), PF_STR("v"));
    pf_build_attribute_int(b, PF_STR("k"), 1);
    pf_build_name_process(b, 0, PF_STR("p"));
    pf_build_name_process(b, 99, PF_STR("p"));
    pf_build_sample(b, 0, 1, 2);
    pf_build_category(b, PF_STR("c"));
    pf_build_flow(b, 1, true);
    pf_build_arg_null(b, PF_STR("k"));
    pf_build_arg_bool(b, PF_STR("k"), true);
    pf_build_arg_int(b, PF_STR("k"), 1);
    pf_build_arg_uint(b, PF_STR("k"), 1);
    pf_build_arg_pointer(b, PF_STR("k"), 1);
    pf_build_arg_real(b, PF_STR("k"), 1);
    pf_build_arg_text(b, PF_STR("k"), PF_STR("v"));
    pf_build_arg_object(b, PF_STR("k"));
    pf_build_arg_list(b, PF_STR("k"));
    pf_build_arg_end(b);
    pf_build_set_ts(b, 1);
    pf_build_set_dur(b, 1);
    pf_build_set_track(b, 99);
    pf_build_set_name(b, PF_STR("n"));
    pf_build_copy_args(b, 99);
    pf_build_drop_arg(b, PF_STR("k"));
    pf_build_drop_args(b);
    pf_build_drop_flows(b);
}

/* After a failure the first reason stays, and nothing more is taken. */
Test(new, nothing_is_added_after_a_failure)
{
    pf_builder *b = pf_builder_new(NULL);
    pf_error err = {.text = ""};
    uint32_t track = pf_build_track(b, &(pf_build_track_row){.name = PF_STR("all")});
    pf_build_slice(b, track, 1, 2, PF_STR("good"));
    pf_build_arg_object(b, PF_STR("open"));
    pf_build_set_dur(b, -3);
    call_everything(b);
    cr_expect_eq(pf_builder_status(b, &err), PF_ERR_USAGE);
    cr_expect_str_eq(err.text, "a slice at 1 has the duration -3, which is negative or too long");
    pf_builder_free(b);
}

/* Nor after the trace was made: it is whole, and the builder has no other one. */
Test(new, nothing_is_added_after_the_end)
{
    pf_builder *b = pf_builder_new(NULL);
    pf_trace *t = NULL, *again = NULL;
    pf_error err = {.text = ""};
    uint32_t track = pf_build_track(b, &(pf_build_track_row){.name = PF_STR("all")});
    pf_build_slice(b, track, 1, 2, PF_STR("good"));
    cr_assert_eq(pf_builder_finish(b, &t, &err), PF_OK, "%s", err.text);
    call_everything(b);
    cr_expect_eq(pf_builder_finish(b, &again, &err), PF_ERR_USAGE);
    cr_expect_str_eq(err.text, "the builder was finished before; make a new one");
    cr_expect_null(again);
    pf_builder_free(b);
    cr_expect_eq(pf_trace_events(t)->count, 1);
    cr_expect_eq(pf_trace_slices(t)->count, 1);
    cr_expect_eq(pf_trace_tracks(t)->count, 1);
    pf_trace_free(t);
    pf_builder_free(NULL);
}

/* What arrays give is what single calls give. */
Test(new, rows_from_arrays)
{
    const int64_t ts[] = {0, 10, 20}, dur[] = {5, 6, 7}, whole[] = {1, -2, INT64_MAX};
    const double real[] = {0.5, 1e300, -0.0};
    const uint8_t yes[] = {1, 0, 1};
    const pf_str words[] = {PF_STR("one"), PF_STR("two")};
    const uint32_t which[] = {1, PF_NONE, 0}, names[] = {0, 1, 0};
    const pf_build_values named = {PF_VALUE_STRING, names, words, 2};
    const pf_build_column args[] = {{PF_STR("i"), {.type = PF_VALUE_INT, .values = whole}},
                                    {PF_STR("d"), {.type = PF_VALUE_REAL, .values = real}},
                                    {PF_STR("b"), {.type = PF_VALUE_BOOL, .values = yes}},
                                    {PF_STR("s"), {PF_VALUE_STRING, which, words, 2}}};
    pf_trace *made[2];
    for (int k = 0; k < 2; k++) {
        pf_builder *b = pf_builder_new(NULL);
        uint32_t track = pf_build_track(b, &(pf_build_track_row){.name = PF_STR("slices")});
        uint32_t marks = pf_build_track(b, &(pf_build_track_row){.name = PF_STR("marks")});
        uint32_t counter = pf_build_track(b, &(pf_build_track_row){.name = PF_STR("counter"), .counter = true});
        if (k == 0) {
            pf_build_slices(b, track,
                            &(pf_build_rows){.count = 3,
                                             .ts = ts,
                                             .dur = dur,
                                             .names = &named,
                                             .category = PF_STR("c"),
                                             .args = args,
                                             .arg_count = 4});
            pf_build_slices(b, marks, &(pf_build_rows){.count = 3, .ts = ts, .name = PF_STR("mark")});
            pf_build_samples(b, counter, 3, ts, real);
        }
        for (int i = 0; i < 3 && k == 1; i++) {
            pf_build_slice(b, track, ts[i], dur[i], words[names[i]]);
            pf_build_category(b, PF_STR("c"));
            pf_build_arg_int(b, PF_STR("i"), whole[i]);
            pf_build_arg_real(b, PF_STR("d"), real[i]);
            pf_build_arg_bool(b, PF_STR("b"), yes[i]);
            if (which[i] != PF_NONE) {
                pf_build_arg_text(b, PF_STR("s"), words[which[i]]);
            }
        }
        for (int i = 0; i < 3 && k == 1; i++) {
            pf_build_instant(b, marks, ts[i], PF_STR("mark"));
            pf_build_sample(b, counter, ts[i], real[i]);
        }
        made[k] = finish(b);
    }
    char *text[2];
    for (int k = 0; k < 2; k++) {
        char path[] = "/tmp/postfetto_rows_XXXXXX";
        int fd = mkstemp(path);
        cr_assert_geq(fd, 0);
        cr_assert_eq(pf_convert_json(made[k], path, NULL, NULL), PF_OK);
        FILE *f = fopen(path, "rb");
        text[k] = calloc(1, 1 << 16);
        cr_assert_gt(fread(text[k], 1, (1 << 16) - 1, f), 0);
        fclose(f);
        close(fd);
        unlink(path);
        pf_trace_free(made[k]);
    }
    cr_expect_str_eq(text[0], text[1]);
    cr_expect_not_null(strstr(text[0], "9223372036854775807"), "%s", text[0]);
    free(text[0]);
    free(text[1]);
}

Test(new, arrays_that_fit_nothing)
{
    const int64_t ts[] = {0, 10}, back[] = {1, -1};
    const pf_str words[] = {PF_STR("one")};
    const uint32_t which[] = {0, 1};
    const pf_build_values far = {PF_VALUE_STRING, which, words, 1}, number = {.type = PF_VALUE_INT, .values = ts};
    const pf_build_column odd = {PF_STR("odd"), {.type = PF_VALUE_JSON, .values = ts}};
    const pf_build_rows wrong[] = {{.count = 2, .ts = ts, .dur = back},
                                   {.count = 2, .ts = ts, .names = &far},
                                   {.count = 2, .ts = ts, .names = &number},
                                   {.count = 2, .ts = ts, .args = &odd, .arg_count = 1}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        pf_builder *b = pf_builder_new(NULL);
        pf_error err = {0};
        pf_build_slices(b, pf_build_track(b, &(pf_build_track_row){.name = PF_STR("t")}), &wrong[i]);
        cr_expect_eq(pf_builder_status(b, &err), PF_ERR_USAGE, "%zu", i);
        cr_expect(err.text[0]);
        pf_builder_free(b);
    }
}
