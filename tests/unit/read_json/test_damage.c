/* Damage inside documents: what is lost is the damaged event, and it is counted where it is. */
#include "support.h"

#include <stdlib.h>
#include <string.h>

#define A "{\"ph\":\"B\",\"ts\":1,\"pid\":1,\"name\":\"a\"}"
#define B "{\"ph\":\"B\",\"ts\":2,\"pid\":1,\"name\":\"b\"}"

static const char *const ab[] = {"a", "b"};

Test(damage, the_next_event_is_found)
{
    static const char *const texts[] = {
        /* unescaped quotes, in a name and in args */
        "[" A ",{\"ph\":\"B\",\"ts\":1,\"pid\":1,\"name\":\"say \"hi\" you\"}," B "]",
        "[" A ",{\"ph\":\"B\",\"ts\":1,\"args\":{\"m\":\"say \"hi\" you\"}}," B "]",
        "[" A ",{\"ph\":\"B\",\"ts\":1,\"args\":{\"l\":[{\"m\":\"x\" y},{\"n\":1}]}}," B "]",
        /* log lines between and inside events */
        "[\n" A ",\nWARNING: clock went \"back\" {3} times\n" B "]",
        "[\n" A ",\n{\"ph\":\"B\",\"ts\":1,\nWARNING: late\n\"pid\":1},\n" B "]",
        "[\n" A ",\n# {\"ph\n" B "]",
        /* lost brackets */
        "[" A ",{\"ph\":\"B\",\"ts\":3," B "]",
        "[" A ",{\"ph\":\"B\",\"args\":{\"a\":1,\n" B "]",
        "[" A ",{\"ph\":\"B\",\"args\":{\"a\":[1,2},\"ts\":1}," B "]",
        "[" A "}," B "]",
        /* lost quotes, colons, values */
        "[" A ",{\"ph:\"B\",\"ts\":1}," B "]",
        "[" A ",{\"ph\" \"B\",\"ts\":1}," B "]",
        "[" A ",{\"ph\":\"B\",\"ts\":}," B "]",
        "[" A ",{\"ph\":\"B\" \"ts\":1}," B "]",
        "[" A ",{ph:1}," B "]",
        /* elements that are no objects */
        "[" A ",12," B "]",
        "[" A ",[{\"x\":\"B\",\"ts\":1}]," B "]",
        "[" A ",[[[[" B "]]]]]",
        "[" A ",\"text\"," B "]",
        "[" A ",," B "]",
        "[" A ",\x01\x02\xff\xfe," B "]",
        /* damage in front of and around the events */
        "{\"x\":bad value,\"traceEvents\":[" A "," B "]}",
        "{\"traceEvents\":" A "," B "]}",
        "{\"otherData\":{\"a\":1,\"traceEvents\":[" A "," B "]}",
        "{\"otherData\":{\"a\":[1,{},\"traceEvents\" : [" A "," B "]}",
        "{\"traceEvents\":{\"a\":{\"traceEvents\":[" A "," B "]}",
        "{\"stackFrames\":{\"1\":{\"name\":\"f},\"2\":{\"name\":\"g\"}},\"traceEvents\":[" A "," B "]}",
        /* a new run appended to the file of one that died: in a text, a key, a number, between events */
        "[" A ",\n{\"ph\":\"X\",\"name\":\"ha\n[" B "]",
        "[" A ",\n{\"ph\":\"X\",\"na\n" B "]",
        "[" A ",\n{\"ph\":\"X\",\"ts\":12\n[" B "]",
        "[" A ",\n{\"ph\":\"X\",\"name\":\n[" B "]\n[]",
        "[" A ",\n[" B "]",
        "[" A "\n[\n" B "]",
        "[" A ",\n{\"traceEvents\":[" B "]}",
        "[" A ",\n{\"schemaVersion\":1,\"x\":{},\"traceEvents\":[" B "]}",
        "{\"traceEvents\":[" A "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[" B "]}",
        "[" A ",{\"ph\":\"X\",\"args\":{\"l\":{\"schemaVersion\":1,\"traceEvents\":[" B ",\n",
        /* events without a list */
        A "\n" B "\n",
        A "," B,
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        cr_expect_geq(expect_names(texts[i], ab, 2, PF_STAT_JSON_SYNTAX), 1, "%s", texts[i]);
    }
}

Test(damage, one_broken_event_counts_once_with_its_place)
{
    static const char text[] = "[" A ",{\"ph\":\"B\",\"ts\":1,\"pid\":1,\"name\":\"say \"hi\" you\"}," B "]";
    pf_trace *t = load(text);
    cr_expect_eq(stat_of(t, PF_STAT_JSON_SYNTAX), 1);
    cr_expect_eq(stat_offset_of(t, PF_STAT_JSON_SYNTAX),
                 (uint64_t)(strstr(text, "hi\\") ? 0 : strstr(text, "hi") - text));
    cr_expect_eq(stat_of(t, PF_STAT_JSON_TOKENIZER_FAILURE), 0);
    pf_trace_free(t);
}

Test(damage, a_closing_bracket_inside_damage_does_not_end_the_array)
{
    cr_expect_eq(expect_names("[" A ",{\"ph\":\"B\",\"args\":{\"l\":[\"x\" y]}}," B "]", ab, 2, PF_STAT_JSON_SYNTAX),
                 1);
}

/* Many runs that died within their events: none is complete, yet the rest of the file is not read for each. The vain
 * bytes are counted by the reader; a clock would not say more. */
Test(damage, a_file_of_cut_runs_takes_linear_time, .timeout = 300)
{
    enum { RUNS = 50000 };
    pf_buffer text = {0};
    pf_buffer_text(&text, "[");
    for (int i = 0; i < RUNS; i++) {
        pf_buffer_text(&text, B ",\n{\"ph\":\"X\",\"args\":{\"l\":[1,\n");
    }
    cr_assert_not(text.failed);
    pf_trace *t = load_bytes(text.data, text.len, NULL, 0, NULL);
    cr_expect_eq(pf_trace_events(t)->count, RUNS);
    cr_expect_geq(stat_of(t, PF_STAT_JSON_SYNTAX) + stat_of(t, PF_STAT_JSON_TRUNCATED), RUNS);
    pf_trace_free(t);
    pf_buffer_free(&text);
}

Test(damage, an_event_cut_off_by_a_new_run)
{
    /* The writer died in a list of args, and a new run appended to the file. */
    cr_expect_eq(expect_names("[" A ",{\"ph\":\"X\",\"args\":{\"l\":[1,\n" B "]", ab, 2, PF_STAT_JSON_TRUNCATED), 1);
}

Test(damage, words_that_are_not_json)
{
    pf_trace *t =
        load("[{\"ph\":\"B\",\"ts\":1,\"pid\":1,\"name\":\"a\",\"args\":{\"v\":NaN,\"w\":-Infinity,\"u\":undefined}}]");
    pf_buffer args = {0};
    describe_args(t, 0, &args);
    pf_buffer_put(&args, "", 1);
    cr_expect_str_eq(args.data, " args.v=nan real args.w=-inf real args.u=null");
    cr_expect_eq(stat_of(t, PF_STAT_JSON_BAD_VALUE), 3);
    cr_expect_eq(stat_of(t, PF_STAT_JSON_SYNTAX), 0);
    pf_buffer_free(&args);
    pf_trace_free(t);
}

/* A whole event with something in it a million times: the events around it are read, and what it makes too many of is
 * counted once, at its beginning. */
static void expect_between(const char *open, const char *unit, const char *close, bool numbered, pf_stat_id lost)
{
    enum { MANY = 1000000 };
    pf_buffer text = {0};
    pf_buffer_text(&text, "[" A ",{\"ph\":\"X\",\"pid\":1,\"ts\":1,\"dur\":1,\"name\":\"many\"");
    pf_buffer_text(&text, open);
    for (int i = 0; i < MANY; i++) {
        pf_buffer_text(&text, unit);
        if (numbered) {
            pf_buffer_format(&text, "%d\":%d", i, i);
        }
    }
    for (int i = 0; i < MANY && *close; i++) {
        pf_buffer_text(&text, close);
    }
    pf_buffer_text(&text, numbered && lost < PF_STAT_COUNT ? "}}," B "]" : "}," B "]");
    cr_assert_not(text.failed);
    for (size_t step = 0; step <= 4096; step += 4096) {
        pf_trace *t = load_bytes(text.data, text.len, NULL, step, NULL);
        cr_expect(pf_trace_events(t)->count == 3 && event_named(t, 0, "a") && event_named(t, 1, "many") &&
                      event_named(t, 2, "b"),
                  "%s%s...", open, unit);
        for (int i = 0; i < PF_STAT_COUNT; i++) {
            cr_expect_eq(stat_of(t, (pf_stat_id)i), (pf_stat_id)i == lost, "%s%s...: %d", open, unit, i);
        }
        cr_expect(lost >= PF_STAT_COUNT || stat_offset_of(t, lost) == 2 + strlen(A), "%s%s...", open, unit);
        pf_trace_free(t);
    }
    pf_buffer_free(&text);
}

Test(damage, a_million_of_anything_in_one_event, .timeout = 300)
{
    expect_between(",\"args\":{\"a\":0", ",\"k", "", true, PF_STAT_JSON_ARGS_DROPPED);
    expect_between(",\"args\":{\"a\":0", ",\"k\":0,\"", "", true, PF_STAT_JSON_ARGS_DROPPED);
    expect_between(",\"x\":0", ",\"k", "", true, PF_STAT_COUNT);
    expect_between(",\"args\":0", ",\"name\":\"many\"", "", false, PF_STAT_COUNT);
    expect_between(",\"x\":", "[", "]", false, PF_STAT_COUNT);
    expect_between(",\"n\":1", "7", "", false, PF_STAT_COUNT);
}

Test(damage, a_million_levels_in_the_arguments, .timeout = 300)
{
    enum { MANY = 1000000 };
    pf_buffer text = {0};
    pf_buffer_text(&text, "[" A ",{\"ph\":\"B\",\"pid\":1,\"ts\":1,\"name\":\"deep\",\"args\":");
    for (int i = 0; i < MANY; i++) {
        pf_buffer_text(&text, "{\"a\":[");
    }
    for (int i = 0; i < MANY; i++) {
        pf_buffer_text(&text, "]}");
    }
    pf_buffer_text(&text, "}," B "]");
    cr_assert_not(text.failed);
    pf_trace *t = load_bytes(text.data, text.len, NULL, 0, NULL);
    cr_expect_eq(pf_trace_events(t)->count, 3);
    cr_expect(event_named(t, 1, "deep") && event_named(t, 2, "b"));
    cr_expect_eq(stat_of(t, PF_STAT_JSON_ARGS_DROPPED), 1);
    cr_expect_eq(stat_offset_of(t, PF_STAT_JSON_ARGS_DROPPED), 2 + strlen(A));
    pf_trace_free(t);
    pf_buffer_free(&text);
}

/* `head`, then `count` times `unit`: must be over in no time and count something. */
static void expect_survival(const char *head, const char *unit, size_t count, uint32_t events)
{
    size_t h = strlen(head), u = strlen(unit);
    char *text = malloc(h + u * count);
    memcpy(text, head, h);
    for (size_t i = 0; i < count; i++) {
        memcpy(text + h + i * u, unit, u);
    }
    for (size_t step = 0; step <= 4096; step += 4096) {
        pf_trace *t = load_bytes(text, h + u * count, NULL, step, NULL);
        cr_expect_eq(pf_trace_events(t)->count, events, "%s%s...: %u", head, unit, pf_trace_events(t)->count);
        cr_expect(stat_of(t, PF_STAT_JSON_SYNTAX) + stat_of(t, PF_STAT_JSON_TRUNCATED) > 0, "%s%s...", head, unit);
        pf_trace_free(t);
    }
    free(text);
}

Test(damage, hostile_repetition_takes_linear_time, .timeout = 300)
{
    enum { MANY = 1000000 };
    expect_survival("[", "{", MANY, 0);
    expect_survival("[" A ",", "[", MANY, 1);
    expect_survival("[" A ",", "{\"a\":", MANY, 1);
    expect_survival("[" A ",", "[{\"a\":", MANY / 2, 1);
    expect_survival("[" A ",", "{\"a\":[", MANY / 2, 1);
    expect_survival("[" A ",{\"ph\":\"B\",\"args\":", "{\"a\":", MANY, 1);
    expect_survival("[" A ",", "x{\"", MANY, 1);
    expect_survival("[" A ",x", ",{\"ph\":", MANY / 2, 1);
    expect_survival("[" A ",x", "\n{\"a\":1", MANY / 2, 1);
    expect_survival("[" A ",x", "{ ", MANY, 1);
    expect_survival("[" A ",{\"ph\":\"", "\\", MANY, 1);
    expect_survival("[" A, ",", MANY, 1);
    expect_survival("{\"x\":", "[", MANY, 0);
    expect_survival("{\"metadata\":", "{\"a\":", MANY, 0);
}
