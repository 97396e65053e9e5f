/* Cuts of Chrome JSON: how clipped events and ends are written, worked out by hand; and documents that are damaged or
 * extreme: what the reader finds in them a cut of all times has, too, and no more memory than allowed is used. */
#include <criterion/criterion.h>

#include <string.h>

#include "base/files/file.h"
#include "edit/json/json_clip.h"
#include "postfetto/postfetto.h"
#include "scratch.h"

TestSuite(cut_json, .init = scratch_enter, .fini = scratch_leave);

/* ---- one event --------------------------------------------------------------------------------------------------- */

/* An event as the reader hands it on: bytes follow that may be read. Freed by the caller. */
static pf_buffer with_slop(const char *text)
{
    pf_buffer b = {0};
    pf_buffer_put(&b, text, strlen(text));
    pf_buffer_put(&b, (const char[PF_SLOP]){0}, PF_SLOP);
    cr_assert_not(b.failed);
    return b;
}

static pf_bytes bytes_of(const pf_buffer *b)
{
    return (pf_bytes){(const uint8_t *)b->data, b->len - PF_SLOP};
}

static void expect_text(pf_buffer *got, const char *want)
{
    pf_buffer_put(got, "", 1);
    cr_expect_str_eq(got->data, want);
    pf_buffer_free(got);
}

static void clipped(const char *event, pf_json_clip clip, const char *want)
{
    pf_buffer got = {0}, in = with_slop(event);
    pf_json_put_clipped(&got, bytes_of(&in), PF_STR("args"), &clip);
    pf_buffer_free(&in);
    expect_text(&got, want);
}

Test(cut_json, an_event_keeps_its_bytes_but_for_times_and_marks)
{
    const pf_json_clip from = {.moves = true, .ts = 7000, .dur = 1500, .begins = true, .original = 5000};
    clipped("{\"ts\":5,\"dur\":3.5}", from,
            "{\"ts\":7,\"dur\":1.5, \"args\": {\"cut.begins_before\": true, \"cut.original_ts\": 5000}}");
    clipped("{ \"\\u0074s\" : \"5\", \"name\":\"ts\", \"args\":{\"ts\":5} }", from,
            "{ \"\\u0074s\" : 7, \"name\":\"ts\", \"args\":{\"cut.begins_before\": true, \"cut.original_ts\": 5000, "
            "\"ts\":5} }");
    clipped("{\"ts\":5,\"args\":{},\"ts\":6}", from,
            "{\"ts\":7,\"args\":{\"cut.begins_before\": true, \"cut.original_ts\": 5000},\"ts\":7}");
    clipped("{\"ts\":5,\"args\":{\"cut.begins_before\": true, \"cut.original_ts\": 1}}", from,
            "{\"ts\":7,\"args\":{\"cut.begins_before\": true, \"cut.original_ts\": 1}}");
}

Test(cut_json, all_marks_of_an_event_are_members_of_one_object)
{
    const pf_json_clip all = {
        .begins = true, .original = -1, .ends = true, .original_end = 9000, .outside = true, .dur = -1};
    clipped("{\"args\":{ \"a\":NaN}}", all,
            "{\"args\":{\"cut.begins_before\": true, \"cut.original_ts\": -1, \"cut.ends_after\": true, "
            "\"cut.original_end\": 9000, \"cut.flow_outside\": true,  \"a\":NaN}}");
}

Test(cut_json, times_have_the_digits_that_they_need)
{
    const struct {
        int64_t ns;
        const char *want;
    } rows[] = {{0, "{\"ts\":0}"},      {1, "{\"ts\":0.001}"},    {1010, "{\"ts\":1.01}"},
                {1100, "{\"ts\":1.1}"}, {-1500, "{\"ts\":-1.5}"}, {INT64_MAX, "{\"ts\":9223372036854775.807}"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        clipped("{\"ts\":1e3}", (pf_json_clip){.moves = true, .ts = rows[i].ns, .dur = -1}, rows[i].want);
    }
    clipped("{\"ts\":3}", (pf_json_clip){.moves = true, .ts = 1010, .dur = -1, .cycles = true}, "{\"ts\":1010}");
}

static void end_of(const char *event, uint8_t phase, pf_json_clip clip, const char *want)
{
    pf_buffer got = {0}, in = with_slop(event);
    pf_json_put_end(&got, bytes_of(&in), phase, &clip);
    pf_buffer_free(&in);
    expect_text(&got, want);
}

Test(cut_json, an_end_is_known_by_what_its_begin_says)
{
    const char *begin =
        "{\"ph\":\"B\",\"cat\":\"k\",\"name\":\"a\",\"ts\":1,\"tid\":2,\"args\":{\"x\":1},\"id\":\"7\"}";
    const pf_json_clip ends = {.ts = 4000, .ends = true, .original_end = 9000};
    end_of(begin, 'B', (pf_json_clip){.ts = 2500},
           "{\"ph\": \"E\", \"ts\": 2.5, \"cat\": \"k\", \"name\": \"a\", \"tid\": 2, \"id\": \"7\"}");
    end_of(begin, 'b', ends,
           "{\"ph\": \"e\", \"ts\": 4, \"cat\": \"k\", \"name\": \"a\", \"tid\": 2, \"id\": \"7\", "
           "\"args\": {\"cut.ends_after\": true, \"cut.original_end\": 9000}}");
    end_of(begin, 'B', (pf_json_clip){.ts = 2501, .alien = true},
           "{\"ph\": \"E\", \"ts\": 2.501, \"cat\": \"cut.end\", \"name\": \"a\", \"tid\": 2, \"id\": \"7\"}");
}

/* ---- documents --------------------------------------------------------------------------------------------------- */

/* Slices as "name ts dur", one a line. */
static void show(pf_trace *t, pf_buffer *b)
{
    const pf_slices *s = pf_trace_slices(t);
    for (uint32_t i = 0; i < s->count; i++) {
        pf_str name = pf_trace_string(t, pf_trace_events(t)->name[s->event[i]]);
        pf_buffer_format(b, "%.*s %lld %lld\n", (int)name.len, name.ptr, (long long)pf_trace_events(t)->ts[s->event[i]],
                         (long long)s->dur[i]);
    }
    pf_buffer_put(b, "", 1);
}

/* Faults of the text, not of what events mean. */
static uint64_t damage(const pf_trace *t)
{
    uint64_t all = 0;
    for (size_t i = 0; i < pf_trace_stat_count(t); i++) {
        const pf_stat stat = pf_trace_stat(t, i);
        all += strncmp(stat.name, "postfetto_json_", 15) == 0 ? stat.count : 0;
    }
    return all;
}

static pf_trace *read_json(const char *path)
{
    pf_trace *t = NULL;
    pf_error err;
    pf_read_options o = pf_read_options_default();
    cr_assert_eq(pf_read(&path, 1, &o, &t, &err), PF_OK, "%s", err.text);
    return t;
}

static pf_cut_result cut(const char *out, int64_t from, int64_t to, uint64_t memory)
{
    pf_error err;
    pf_cut_result r = {.size = sizeof r};
    pf_read_options read = pf_read_options_default();
    pf_cut_options o = pf_cut_options_default();
    read.limits.memory = memory ? memory : read.limits.memory;
    o.read = &read;
    o.from = (pf_edit_time){PF_EDIT_TRACE_TIME, from};
    o.to = (pf_edit_time){PF_EDIT_TRACE_TIME, to};
    cr_assert_eq(pf_cut("in.json", out, &o, &r, &err), PF_OK, "%s", err.text);
    return r;
}

/* The slices of a cut, which is the same as a cut of it. */
static void expect_cut(int64_t from, int64_t to, const char *want)
{
    pf_buffer got = {0};
    pf_cut_result r = cut("cut.json", from, to, 0);
    pf_trace_free(r.input);
    pf_trace *t = read_json("cut.json");
    show(t, &got);
    pf_trace_free(t);
    cr_expect_str_eq(got.data, want);
    pf_buffer_free(&got);
    cr_assert_eq(rename("cut.json", "in.json"), 0);
    r = cut("again.json", from, to, 0);
    pf_trace_free(r.input);
    cr_expect_eq(system("cmp in.json again.json"), 0, "a cut of the cut is another one");
}

/* A cut of all times has the slices that the reader finds in the document, and counts the same damage. */
static void expect_the_readers(const char *name, const char *text, const char *slices)
{
    pf_buffer whole = {0}, part = {0};
    scratch_write("in.json", text);
    pf_trace *t = read_json("in.json");
    pf_cut_result r = cut("cut.json", 0, INT64_C(1) << 60, 0);
    pf_trace *after = read_json("cut.json");
    show(t, &whole);
    show(after, &part);
    cr_expect_str_eq(whole.data, slices, "%s", name);
    cr_expect_str_eq(part.data, slices, "%s, cut", name);
    cr_expect_eq(damage(r.input), damage(t), "%s, damage", name);
    cr_expect_eq(damage(after), 0, "%s, damage of the cut", name);
    pf_trace_free(t);
    pf_trace_free(r.input);
    pf_trace_free(after);
    pf_buffer_free(&whole);
    pf_buffer_free(&part);
}

#define A "{\"ph\":\"X\",\"name\":\"a\",\"pid\":1,\"tid\":1,\"ts\":1,\"dur\":2}"
#define B "{\"ph\":\"X\",\"name\":\"b\",\"pid\":1,\"tid\":1,\"ts\":5,\"dur\":1}"

Test(cut_json, what_is_undamaged_is_kept_and_damage_is_counted_as_the_reader_does)
{
    const char *both = "a 1000 2000\nb 5000 1000\n";
    expect_the_readers("whole", "[" A "," B "]", both);
    expect_the_readers("no end of the list", "[" A "," B, both);
    expect_the_readers("no end of an event", "{\"traceEvents\":[" A "," B ",{\"ph\":\"X\",\"na", both);
    expect_the_readers("garbage", "[" A ", @#! ," B "]", both);
    expect_the_readers("a broken event", "[" A ",{\"ph\":,,},{\"ph\"}," B "]", both);
    expect_the_readers("others than events", "[" A ",1,null,[" B "],\"x\"," B "]",
                       "a 1000 2000\nb 5000 1000\nb 5000 1000\n");
    expect_the_readers("no times", "[" A ",{\"ph\":\"B\",\"name\":\"c\",\"pid\":1,\"tid\":1}," B "]", both);
}

Test(cut_json, numbers_out_of_range_and_keys_given_twice_mean_what_they_mean_to_the_reader)
{
    expect_the_readers("twice",
                       "[{\"ph\":\"B\",\"ph\":\"X\",\"ts\":1,\"ts\":3,\"name\":\"c\",\"name\":\"a\",\"dur\":1}]",
                       "a 3000 1000\n");
    scratch_write("in.json", "[{\"ph\":\"B\",\"ph\":\"X\",\"ts\":1,\"ts\":3,\"name\":\"a\",\"dur\":4,\"dur\":4}]");
    expect_cut(5000, 6000, "a 5000 1000\n");
    expect_the_readers("a length without bounds",
                       "[{\"ph\":\"X\",\"name\":\"c\",\"ts\":9223372036854775,\"dur\":9223372036854775}," A "]",
                       "a 1000 2000\n");
    expect_the_readers("a time without bounds", "[{\"ph\":\"B\",\"name\":\"c\",\"ts\":1e400}," A "]", "a 1000 2000\n");
}

static void repeat(pf_buffer *b, const char *text, unsigned times)
{
    for (unsigned i = 0; i < times; i++) {
        pf_buffer_text(b, text);
    }
}

Test(cut_json, an_event_whose_arguments_are_too_deep_is_kept)
{
    pf_buffer text = {0};
    pf_buffer_text(&text, "[" A ",{\"ph\":\"X\",\"name\":\"deep\",\"pid\":1,\"tid\":1,\"ts\":1,\"dur\":1,\"args\":");
    repeat(&text, "[", 100000);
    repeat(&text, "]", 100000);
    pf_buffer_text(&text, "}," B "]");
    pf_buffer_put(&text, "", 1);
    expect_the_readers("deep", text.data, "a 1000 2000\ndeep 1000 1000\nb 5000 1000\n");
    pf_buffer_free(&text);
}

#define EVENT(PHASE, NAME, TS, MORE)                                                                                   \
    "{\"ph\":\"" PHASE "\",\"name\":\"" NAME "\",\"pid\":1,\"tid\":1,\"ts\":" #TS MORE "}"
#define DUR(US) ",\"dur\":" #US

/* The engine ends with the outer slice what lies on a begin without an end, complete events, too. */
Test(cut_json, a_complete_event_ends_with_what_is_around_the_begin_that_it_lies_on)
{
    const char *text = "[" EVENT("X", "outer", 10, DUR(10)) "," EVENT("B", "open", 12, "") "," EVENT(
        "X", "in", 15, DUR(20)) "," EVENT("B", "tie", 20, "") "," EVENT("X", "next", 32, DUR(1)) "]";
    expect_the_readers("whole", text,
                       "outer 10000 10000\nopen 12000 8000\nin 15000 5000\ntie 20000 0\nnext 32000 1000\n");
    scratch_write("in.json", text);
    expect_cut(16000, 18000, "outer 16000 2000\nopen 16000 2000\nin 16000 2000\n");
    scratch_write("in.json", text);
    expect_cut(20000, 60000, "tie 20000 0\nnext 32000 1000\n");
    scratch_write("in.json", text);
    expect_cut(25000, 60000, "next 32000 1000\n");
}

Test(cut_json, a_complete_event_is_made_shorter_where_what_ends_it_is_not_in_the_window)
{
    scratch_write("in.json", "[" EVENT("X", "outer", 10, DUR(10)) "," EVENT("B", "open", 12, "") "," EVENT(
                                 "X", "in", 15, DUR(20)) "," EVENT("X", "next", 32, DUR(1)) "]");
    expect_cut(13000, 30000, "outer 13000 7000\nopen 13000 7000\nin 15000 5000\n");
}

/* No begin can end after the one that it lies on. */
Test(cut_json, a_complete_event_that_ends_after_the_begin_around_it_begins_a_nanosecond_late)
{
    scratch_write("in.json", "[" EVENT("B", "a", 10, "") "," EVENT("X", "in", 15, DUR(10)) "," EVENT(
                                 "E", "", 18, "") "," EVENT("X", "next", 32, DUR(1)) "]");
    expect_cut(16000, 30000, "a 16000 2000\nin 16001 8999\n");
}

/* An end closes no complete event, though the window makes a begin of it, since it lies on one. */
Test(cut_json, an_end_that_fits_none_is_left_out_where_a_complete_event_became_a_begin)
{
    const char *text = "[" EVENT("B", "a", 10, "") "," EVENT("X", "in", 15, DUR(10)) "," EVENT(
        "E", "in", 18, "") "," EVENT("E", "a", 30, "") "]";
    expect_the_readers("whole", text, "a 10000 20000\nin 15000 10000\n");
    scratch_write("in.json", text);
    expect_cut(16000, 40000, "a 16000 14000\nin 16000 9000\n");
}

/* On the stack lie 512; what lies deeper is where its time is. 64 MB are less than 100,000 notes with their texts. */
Test(cut_json, begins_without_ends_take_bounded_memory)
{
    pf_buffer text = {0};
    pf_buffer_text(&text, "[");
    for (unsigned i = 0; i < 100000; i++) {
        pf_buffer_format(&text, "%s{\"ph\":\"B\",\"name\":\"n\",\"pid\":1,\"tid\":1,\"ts\":%u}", i ? ",\n" : "", i);
    }
    pf_buffer_text(&text, "]");
    pf_buffer_put(&text, "", 1);
    scratch_write("in.json", text.data);
    pf_buffer_free(&text);
    pf_cut_result r = cut("cut.json", 200000000, 300000000, 64 << 20);
    cr_expect_eq(r.packets, 100000);
    cr_expect_eq(r.begun, 512);
    cr_expect_eq(r.kept, 0);
    cr_expect_eq(r.ended, 0);
    pf_trace_free(r.input);
    r = cut("cut.json", 99999000, 300000000, 64 << 20);
    cr_expect_eq(r.begun, 512);
    cr_expect_eq(r.kept, 1);
    pf_trace_free(r.input);
}
