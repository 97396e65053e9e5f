/* chrome_rows.c - Chrome JSON of rows made by hand: numbers at the ends of their ranges, letters, places, threads that
 * stand for tracks, samples, and what a conversion of JSON says about them. Every expectation is the text itself. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#include "model/trace/json_notes.h"
#include "support.h"

/* Finishes, writes and frees the trace. */
static void expect(pf_trace *t, const char *lines, const char *tail)
{
    char *folder = test_folder(), *path = test_path(folder, "out.json"), *expected = NULL;
    pf_error err;
    size_t len;
    test_finish(t);
    cr_assert_eq(pf_convert_json(t, path, NULL, &err), PF_OK, "%s", err.text);
    char *text = test_read(path, &len);
    cr_assert_geq(asprintf(&expected, "{\"traceEvents\":[%s\n]%s}\n", lines, tail), 0);
    cr_expect_str_eq(text, expected);
    free(expected);
    free(text);
    free(path);
    test_folder_remove(folder);
    pf_trace_free(t);
}

#define NANOSECONDS ",\n\"displayTimeUnit\":\"ns\""

static uint32_t track_of(pf_trace *t, pf_track_type type, const char *name, uint32_t of, const char *unit)
{
    pf_error err;
    const pf_track_row row = {.type = type,
                              .name = test_string(t, name),
                              .upid = of != PF_NONE ? t->tracks.upid[of] : PF_NONE,
                              .utid = of != PF_NONE && type == PF_TRACK_THREAD_EVENT ? t->tracks.utid[of] : PF_NONE,
                              .parent = PF_NONE,
                              .group = PF_NONE,
                              .unit = test_string(t, unit)};
    return pf_trace_add_track(t, &row, &err);
}

static void say(pf_trace *t, const char *key, const char *text)
{
    pf_error err;
    cr_assert_eq(pf_trace_add_metadata(t, (pf_str){key, strlen(key)}, (pf_str){text, strlen(text)}, 0, &err), PF_OK);
}

Test(chrome_rows, times_have_the_digits_they_need)
{
    static const struct {
        int64_t ns;
        const char *us;
    } rows[] = {
        {INT64_MIN, "-9223372036854775.808"},
        {-1010, "-1.01"},
        {-1, "-0.001"},
        {0, "0"},
        {1, "0.001"},
        {9, "0.009"},
        {10, "0.01"},
        {99, "0.099"},
        {100, "0.1"},
        {990, "0.99"},
        {999, "0.999"},
        {1000, "1"},
        {1001, "1.001"},
        {1100, "1.1"},
        {INT64_MAX, "9223372036854775.807"},
    };
    pf_trace *t = test_trace("chrome-json", PF_WANT_TABLES);
    uint32_t a = test_thread(t, 7, 1);
    char lines[4096] = "";
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t len = strlen(lines);
        test_add(t, 'i', rows[i].ns, 0, a, NULL, NULL);
        snprintf(lines + len, sizeof lines - len, "%s\n{\"ph\":\"i\",\"pid\":7,\"tid\":1,\"ts\":%s,\"s\":\"t\"}",
                 i ? "," : "", rows[i].us);
    }
    expect(t, lines, "");
}

Test(chrome_rows, phases_are_letters_or_any_other_byte)
{
    static const struct {
        char phase;
        const char *text;
    } rows[] = {{'A', "A"},    {'z', "z"}, {'Q', "Q"}, {'\\', "\\\\"},
                {'"', "\\\""}, {'@', "@"}, {'{', "{"}, {1, "\\u0001"}};
    pf_trace *t = test_trace("chrome-json", PF_WANT_TABLES);
    uint32_t a = test_thread(t, 7, 1);
    char lines[2048] = "";
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t len = strlen(lines);
        test_add(t, (uint8_t)rows[i].phase, 1000, 0, a, NULL, NULL);
        snprintf(lines + len, sizeof lines - len, "%s\n{\"ph\":\"%s\",\"pid\":7,\"tid\":1,\"ts\":1}", i ? "," : "",
                 rows[i].text);
    }
    expect(t, lines, "");
}

/* Metadata events have a time only where they have one; a time that could not be read is not written. */
Test(chrome_rows, times_that_are_none)
{
    pf_trace *t = test_trace("chrome-json", PF_WANT_TABLES);
    uint32_t a = test_thread(t, 7, 1);
    test_add(t, 'M', 0, 0, a, "m", NULL);
    test_add(t, 'M', 5000, 0, a, "m", NULL);
    test_add(t, 'i', 0, 0, a, "i", NULL);
    test_add(t, 'B' | PF_PHASE_BAD_TS, 0, 0, a, "b", NULL);
    test_add(t, 'X', 6000, -1, a, "x", NULL);
    test_add(t, 'X', 6000, 0, a, "x", NULL);
    expect(t,
           "\n{\"ph\":\"M\",\"name\":\"m\",\"pid\":7,\"tid\":1},"
           "\n{\"ph\":\"M\",\"name\":\"m\",\"pid\":7,\"tid\":1,\"ts\":5},"
           "\n{\"ph\":\"i\",\"name\":\"i\",\"pid\":7,\"tid\":1,\"ts\":0,\"s\":\"t\"},"
           "\n{\"ph\":\"B\",\"name\":\"b\",\"pid\":7,\"tid\":1},"
           "\n{\"ph\":\"X\",\"name\":\"x\",\"pid\":7,\"tid\":1,\"ts\":6},"
           "\n{\"ph\":\"X\",\"name\":\"x\",\"pid\":7,\"tid\":1,\"ts\":6,\"dur\":0}",
           "");
}

/* Samples of a binary trace: whole numbers up to 2^53 as such, others as reals; JSON has no word for what is none. */
Test(chrome_rows, samples_at_the_ends_of_whole_numbers)
{
    static const struct {
        double value;
        const char *text;
    } rows[] = {
        {0, "0"},
        {-3, "-3"},
        {0.25, "0.25"},
        {0x1p53, "9007199254740992"},
        {-0x1p53, "-9007199254740992"},
        {0x1p53 + 2, "9007199254740994.0"},
        {-0x1p53 - 2, "-9007199254740994.0"},
        {1e300, "1e+300"},
        {NAN, "\"NaN\""},
        {INFINITY, "\"Infinity\""},
        {-INFINITY, "\"-Infinity\""},
    };
    pf_trace *t = test_trace("perfetto", PF_WANT_TABLES);
    uint32_t power = track_of(t, PF_TRACK_GLOBAL_COUNTER, "power", PF_NONE, NULL);
    char lines[4096] = "";
    pf_error err;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t len = strlen(lines);
        cr_assert_eq(pf_trace_add_sample(t, (int64_t)i * 1000, rows[i].value, power, PF_NONE, &err), PF_OK);
        snprintf(lines + len, sizeof lines - len,
                 "%s\n{\"ph\":\"C\",\"name\":\"power\",\"ts\":%zu,\"args\":{\"value\":%s}}", i ? "," : "", i,
                 rows[i].text);
    }
    expect(t, lines, NANOSECONDS);
}

/* In a binary trace a track that is no thread's own becomes a thread, introduced once, before its first event that is
 * no instant; a lane next to a thread is one of those, unless a conversion of JSON made it. */
Test(chrome_rows, tracks_that_become_threads)
{
    for (int from_json = 0; from_json < 2; from_json++) {
        pf_trace *t = test_trace("perfetto", PF_WANT_TABLES);
        uint32_t a = test_thread(t, 7, 1);
        uint32_t lane = track_of(t, PF_TRACK_THREAD_EVENT, "lane", a, NULL);
        uint32_t process = track_of(t, PF_TRACK_PROCESS_EVENT, NULL, a, NULL);
        uint32_t global = track_of(t, PF_TRACK_GLOBAL_EVENT, "all", PF_NONE, NULL);
        cr_assert(lane == a + 1 && process == a + 2 && global == a + 3);
        if (from_json) {
            t->inputs[0].converted = true;
        }
        test_add(t, 'i', 1000, 0, process, "p", NULL);
        test_add(t, 'I', 1000, 0, global, "g", NULL);
        test_add(t, 'B', 2000, 0, lane, "on lane", NULL);
        test_add(t, 'B', 3000, 0, process, "on process", NULL);
        test_add(t, 'E', 4000, 0, process, "on process", NULL);
        test_add(t, 'B', 5000, 0, global, "on all", NULL);
        test_add(t, PF_PHASE_STATE, 5000, 0, a, "running", NULL);
        char *lines;
        unsigned own = 0xf0000000u;
        char lane_text[256];
        snprintf(lane_text, sizeof lane_text,
                 from_json
                     ? "\n{\"ph\":\"B\",\"name\":\"on lane\",\"pid\":7,\"tid\":1,\"ts\":2},"
                     : "\n{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":7,\"tid\":%u,\"args\":{\"name\":\"lane\"}},"
                       "\n{\"ph\":\"B\",\"name\":\"on lane\",\"pid\":7,\"tid\":%u,\"ts\":2},",
                 own + lane, own + lane);
        cr_assert_geq(
            asprintf(&lines,
                     "\n{\"ph\":\"i\",\"name\":\"p\",\"pid\":7,\"ts\":1,\"s\":\"p\"},"
                     "\n{\"ph\":\"I\",\"name\":\"g\",\"ts\":1,\"s\":\"g\"},"
                     "%s"
                     "\n{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":7,\"tid\":%u,\"args\":{\"name\":\"track\"}},"
                     "\n{\"ph\":\"B\",\"name\":\"on process\",\"pid\":7,\"tid\":%u,\"ts\":3},"
                     "\n{\"ph\":\"E\",\"name\":\"on process\",\"pid\":7,\"tid\":%u,\"ts\":4},"
                     "\n{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":%u,\"tid\":%u,\"args\":{\"name\":\"all\"}},"
                     "\n{\"ph\":\"B\",\"name\":\"on all\",\"pid\":%u,\"tid\":%u,\"ts\":5}",
                     lane_text, own + process, own + process, own + process, own, own + global, own, own + global),
            0);
        expect(t, lines, from_json ? "" : NANOSECONDS);
        free(lines);
    }
}

/* Begins and ends that may be one complete event: in a binary trace, and in a conversion that says it had such. */
Test(chrome_rows, pairs_by_where_they_come_from)
{
    for (int from = 0; from < 3; from++) {
        pf_trace *t = test_trace("perfetto", PF_WANT_TABLES);
        uint32_t a = test_thread(t, 7, 1);
        if (from) {
            t->inputs[0].converted = true;
        }
        if (from == 2) {
            t->inputs[0].converted_pairs = true;
        }
        test_add(t, 'B', 1000, 0, a, "s", NULL);
        test_add(t, 'E', 3500, 0, a, NULL, NULL);
        expect(t,
               from == 1 ? "\n{\"ph\":\"B\",\"name\":\"s\",\"pid\":7,\"tid\":1,\"ts\":1},"
                           "\n{\"ph\":\"E\",\"pid\":7,\"tid\":1,\"ts\":3.5}"
                         : "\n{\"ph\":\"X\",\"name\":\"s\",\"pid\":7,\"tid\":1,\"ts\":1,\"dur\":2.5}",
               from ? "" : NANOSECONDS);
    }
}

/* A thread's clock of begin and end gives the complete event its length by it. */
Test(chrome_rows, thread_clocks)
{
    pf_error err;
    for (int exact = 0; exact < 2; exact++) {
        pf_trace *t = test_trace(exact ? "chrome-json" : "perfetto", PF_WANT_TABLES);
        uint32_t a = test_thread(t, 7, 1);
        const pf_thread_time begin = {100000, INT64_MIN, INT64_MIN, INT64_MIN},
                             end = {102500, INT64_MIN, INT64_MIN, INT64_MIN},
                             whole = {7000, 1250, INT64_MIN, INT64_MIN}, length = {INT64_MIN, 0, INT64_MIN, INT64_MIN};
        test_add(t, 'i', 500, 0, a, "none", NULL);
        test_add(t, 'B', 1000, 0, a, "s", NULL);
        cr_assert_eq(pf_trace_add_thread_time(t, &begin, &err), PF_OK);
        test_add(t, 'E', 9000, 0, a, NULL, NULL);
        cr_assert_eq(pf_trace_add_thread_time(t, &end, &err), PF_OK);
        test_add(t, 'X', 9000, 1000, a, "x", NULL);
        cr_assert_eq(pf_trace_add_thread_time(t, &whole, &err), PF_OK);
        test_add(t, 'X', 12000, 1000, a, "y", NULL);
        cr_assert_eq(pf_trace_add_thread_time(t, &length, &err), PF_OK);
        expect(t,
               exact
                   ? "\n{\"ph\":\"i\",\"name\":\"none\",\"pid\":7,\"tid\":1,\"ts\":0.5,\"s\":\"t\"},"
                     "\n{\"ph\":\"B\",\"name\":\"s\",\"pid\":7,\"tid\":1,\"ts\":1,\"tts\":100},"
                     "\n{\"ph\":\"E\",\"pid\":7,\"tid\":1,\"ts\":9,\"tts\":102.5},"
                     "\n{\"ph\":\"X\",\"name\":\"x\",\"pid\":7,\"tid\":1,\"ts\":9,\"dur\":1,\"tts\":7,\"tdur\":1.25},"
                     "\n{\"ph\":\"X\",\"name\":\"y\",\"pid\":7,\"tid\":1,\"ts\":12,\"dur\":1,\"tdur\":0}"
                   : "\n{\"ph\":\"i\",\"name\":\"none\",\"pid\":7,\"tid\":1,\"ts\":0.5,\"s\":\"t\"},"
                     "\n{\"ph\":\"X\",\"name\":\"s\",\"pid\":7,\"tid\":1,\"ts\":1,\"dur\":8,\"tts\":100,\"tdur\":2.5},"
                     "\n{\"ph\":\"X\",\"name\":\"x\",\"pid\":7,\"tid\":1,\"ts\":9,\"dur\":1,\"tts\":7,\"tdur\":1.25},"
                     "\n{\"ph\":\"X\",\"name\":\"y\",\"pid\":7,\"tid\":1,\"ts\":12,\"dur\":1,\"tdur\":0}",
               exact ? "" : NANOSECONDS);
    }
}

/* Ids of threads as they were written, by the kind of their row. */
Test(chrome_rows, kinds_of_ids)
{
    static const struct {
        pf_id_kind kind;
        const char *text, *json;
    } rows[] = {
        {PF_ID_TEXT, "12", ",\"tid\":\"12\""},
        {PF_ID_REAL, "12345678901234567890", ",\"tid\":12345678901234567890"},
        {PF_ID_REAL, "1e", ",\"tid\":\"1e\""},
        {PF_ID_REAL, "2.50", ",\"tid\":2.50"},
        {PF_ID_REAL, "+1", ",\"tid\":\"+1\""},
        {PF_ID_REAL, ".5", ",\"tid\":\".5\""},
        {PF_ID_ABSENT, "x", ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        pf_trace *t = test_trace("perfetto", PF_WANT_TABLES);
        pf_error err;
        char lines[256];
        t->inputs[0].converted = true;
        uint32_t track = test_thread(t, 7, 1), utid = t->tracks.utid[track];
        t->threads.kind[utid] = (uint8_t)rows[i].kind;
        t->threads.text[utid] = pf_strings_add(&t->strings, rows[i].text, strlen(rows[i].text), &err);
        test_add(t, 'i', 1000, 0, track, NULL, NULL);
        snprintf(lines, sizeof lines, "\n{\"ph\":\"i\",\"pid\":7%s,\"ts\":1,\"s\":\"t\"}", rows[i].json);
        expect(t, lines, "");
    }
}

static void keep(pf_trace *t, bool of_document, const char *text)
{
    pf_error err;
    cr_assert_eq(pf_trace_add_leftover(t, of_document, (pf_str){text, strlen(text)}, PF_NONE, &err), PF_OK);
}

/* Events without a row come first; those that are no JSON do not come. Members of the document follow the events. */
Test(chrome_rows, what_is_left_over)
{
    pf_trace *t = test_trace("perfetto", PF_WANT_TABLES | PF_WANT_ORIGINS);
    keep(t, false, "{\"ph\":");
    keep(t, false, "{\"ph\": \"M\", \"name\": \"first\"}");
    keep(t, true, "{\"displayTimeUnits\":\"ms\"}");
    keep(t, false, "]");
    keep(t, false, "\"second\"");
    keep(t, true, "{\"a\": [1, 2]}");
    test_add(t, 'i', 1000, 0, test_thread(t, 7, 1), NULL, NULL);
    expect(t,
           "\n{\"ph\":\"M\",\"name\":\"first\"},\n\"second\",\n{\"ph\":\"i\",\"pid\":7,\"tid\":1,\"ts\":1,\"s\":\"t\"}",
           ",\n\"displayTimeUnits\":\"ms\",\n\"a\":[1,2]" NANOSECONDS);
}

/* What the document said itself is not said again: its unit, its metadata. */
Test(chrome_rows, members_that_the_document_has)
{
    static const struct {
        const char *member, *tail;
    } rows[] = {
        {"{\"displayTimeUnit\":\"ms\"}", ",\n\"displayTimeUnit\":\"ms\",\n\"metadata\":{\"k\":\"v\"}"},
        {"{\"metadata\":{\"z\":1}}", ",\n\"metadata\":{\"z\":1}" NANOSECONDS},
        {"{\"metadat\":1}", ",\n\"metadat\":1" NANOSECONDS ",\n\"metadata\":{\"k\":\"v\"}"},
        {"{\"metadata2\":1}", ",\n\"metadata2\":1" NANOSECONDS ",\n\"metadata\":{\"k\":\"v\"}"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        pf_trace *t = test_trace("perfetto", PF_WANT_TABLES | PF_WANT_ORIGINS);
        say(t, "trace_attribute.k", "v");
        say(t, "trace_attribute.postfetto.k", "v");
        keep(t, true, rows[i].member);
        expect(t, "", rows[i].tail);
    }
}

/* Prefixes of keys go at the top only. */
Test(chrome_rows, keys_of_arguments)
{
    pf_trace *t = test_trace("perfetto", PF_WANT_TABLES);
    test_add(t, 'i', 1000, 0, test_thread(t, 7, 1), NULL, NULL);
    test_args(t, "i1 debug.args.a|i2 args.debug.b|i3 debug.|i4 other|i5 args|{ debug.o|i6 debug.c|{ d|i7 args.e|}|}|"
                 "[ args.l|{ x|i8 f|}|i9|}|d0.1 args.r");
    expect(t,
           "\n{\"ph\":\"i\",\"pid\":7,\"tid\":1,\"ts\":1,\"s\":\"t\",\"args\":{\"args.a\":1,\"debug.b\":2,\"\":3,"
           "\"other\":4,\"args\":5,\"o\":{\"debug.c\":6,\"d\":{\"args.e\":7}},\"l\":[{\"f\":8},9],\"r\":0.1}}",
           NANOSECONDS);
}

/* Further members follow the arguments; of a document those without a member, or that are no JSON, are nothing. */
Test(chrome_rows, further_members)
{
    static const uint8_t more[] = {PF_TAG_BYTES(PF_ORIGIN_MORE), 10, '{', '"', 'x', '"', ':', ' ', '[', '1', ']', '}'};
    pf_trace *t = test_trace("perfetto", PF_WANT_TABLES | PF_WANT_ORIGINS);
    pf_error err;
    test_add(t, 'i', 1000, 0, test_thread(t, 7, 1), NULL, NULL);
    test_args(t, "i1 debug.a");
    cr_assert_eq(pf_trace_add_origin(t, more, sizeof more, true, &err), PF_OK);
    keep(t, true, "{}");
    keep(t, true, "{\"a\"");
    keep(t, true, "{\"b\":2}");
    expect(t, "\n{\"ph\":\"i\",\"pid\":7,\"tid\":1,\"ts\":1,\"s\":\"t\",\"args\":{\"a\":1},\"x\":[1]}",
           ",\n\"b\":2" NANOSECONDS);
}
