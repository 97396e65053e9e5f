/* The forms a document may have, whole or cut off, and what stands besides the events. */
#include "support.h"

#include <stdio.h>
#include <string.h>

#define A "{\"ph\":\"B\",\"ts\":1,\"pid\":1,\"name\":\"a\"}"
#define B "{\"ph\":\"B\",\"ts\":2,\"pid\":1,\"name\":\"b\"}"

static const char *const ab[] = {"a", "b"};

Test(documents, accepted_forms_count_nothing)
{
    static const char *const texts[] = {
        "[" A "," B "]",
        "[" A "," B ",]",
        "[" A "," B,
        "[" A "," B ",",
        "[" A "," B ",\n",
        "[" A " " B "]",
        "[" A B "]\n",
        " \n\t[" A ",\n" B "]",
        "\xef\xbb\xbf[" A "," B "]",
        "\xef\xbb\xbf \r\n{\"traceEvents\":[" A "," B "]}",
        "{\"traceEvents\":[" A "," B "]}",
        "{\"traceEvents\":[" A "," B ",],}",
        "{ \"otherData\" : {\"a\":[1,2,{\"b\":[]}]}, \"traceEvents\" : [" A "," B "] , \"displayTimeUnit\":\"ns\"}\n",
        "{\"a\":null,\"b\":true,\"c\":-1.5e3,\"d\":\"}]\\\"\",\"traceEvents\":[" A "," B "],\"e\":[[]],\"f\":{}}",
        "{\"traceEvents\":[" A "],\"x\":1,\"traceEvents\":[" B "]}",
        "[" A ",{}," B "]",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        uint64_t tokens = expect_names(texts[i], ab, 2, PF_STAT_JSON_TOKENIZER_FAILURE);
        uint64_t syntax = expect_names(texts[i], ab, 2, PF_STAT_JSON_SYNTAX);
        uint64_t cut = expect_names(texts[i], ab, 2, PF_STAT_JSON_TRUNCATED);
        cr_expect(tokens == 0 && syntax == 0 && cut == 0, "%s", texts[i]);
    }
}

/* What follows an element that is no event is read as after one that is. */
Test(documents, elements_that_are_no_events)
{
    static const char *const texts[] = {
        "[" A ",5," B "]",
        "[" A ",5 " B "]",
        "[" A "," B ",5]",
        "{\"traceEvents\":[" A "," B ",\"x\"],\"displayTimeUnit\":\"ns\"}",
        "{\"traceEvents\":[" A "," B ",null],\"displayTimeUnit\":\"ns\"}",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        uint64_t tokens = expect_names(texts[i], ab, 2, PF_STAT_JSON_TOKENIZER_FAILURE);
        uint64_t syntax = expect_names(texts[i], ab, 2, PF_STAT_JSON_SYNTAX);
        uint64_t cut = expect_names(texts[i], ab, 2, PF_STAT_JSON_TRUNCATED);
        cr_expect(tokens == 0 && syntax == 1 && cut == 0, "%s", texts[i]);
    }
}

/* A bracket was lost in a value that nobody needs, so that the events seem to lie in it. */
Test(documents, events_in_a_value_that_does_not_end)
{
    static const char *const texts[] = {
        "{\"x\":{\"y\":[1,2,\"traceEvents\":[" A "," B "]}",
        "{\"x\":{\"y\":{\"z\":1,\"traceEvents\":[" A "," B "],\"u\":1}",
        "{\"x\":[[\"a\"],\"traceEvents\" : [" A "," B "]}",
        "{\"systemTraceEvents\":{\"y\":[1,2,\"traceEvents\":[" A "," B "]}",
        "{\"systemTraceEvents\":[[\"a\"],\"traceEvents\" : [" A "," B "],\"u\":1}",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        cr_expect_eq(expect_names(texts[i], ab, 2, PF_STAT_JSON_SYNTAX), 1, "%s", texts[i]);
    }
}

Test(documents, empty_ones)
{
    static const char *const texts[] = {"[]", "{}", "[ ]", " { } ", "{\"traceEvents\":[]}", "\xef\xbb\xbf[]"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        cr_expect_eq(expect_names(texts[i], NULL, 0, PF_STAT_JSON_TRUNCATED), 0, "%s", texts[i]);
    }
}

Test(documents, truncated_ones_keep_what_is_whole)
{
    static const char *const texts[] = {
        "[" A "," B ",{",
        "[" A "," B ",{\"ph\":\"B\",\"ts\":3",
        "[" A "," B ",{\"ph\":\"B\",\"name\":\"half",
        "[" A "," B ",{\"ph\":\"B\",\"name\":\"half\\",
        "[" A "," B ",{\"ph\":\"B\",\"args\":{\"a\":[1,{",
        "{\"traceEvents\":[" A "," B,
        "{\"traceEvents\":[" A "," B "]",
        "{\"traceEvents\":[" A "," B "],\"x",
        "{\"traceEvents\":[" A "," B "],\"x\":{\"y\":",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        cr_expect_eq(expect_names(texts[i], ab, 2, PF_STAT_JSON_TRUNCATED), 1, "%s", texts[i]);
        cr_expect_eq(expect_names(texts[i], ab, 2, PF_STAT_JSON_SYNTAX), 0, "%s", texts[i]);
    }
}

Test(documents, every_cut_of_an_array_keeps_whole_events)
{
    static const char text[] = "[" A ",\n" B "]";
    const size_t end_a = 1 + strlen(A), end_b = end_a + 2 + strlen(B);
    for (size_t len = 1; len < sizeof text; len++) {
        pf_trace *t = load_bytes(text, len, NULL, 0, NULL);
        uint32_t whole = (len >= end_a) + (len >= end_b);
        bool between = len == 1 || (len >= end_a && len <= end_a + 2) || len >= end_b;
        cr_expect_eq(pf_trace_events(t)->count, whole, "cut at %zu", len);
        cr_expect_eq(stat_of(t, PF_STAT_JSON_TRUNCATED), between ? 0 : 1, "cut at %zu", len);
        cr_expect(between || stat_offset_of(t, PF_STAT_JSON_TRUNCATED) == (whole ? end_a + 2 : 1), "cut at %zu", len);
        pf_trace_free(t);
    }
}

/* A longer document cut after each of its bytes: the events that end before the cut are read, whatever else stands
 * there, and one cut is counted, at the event that it hits or at the end. */
Test(documents, every_cut_of_an_object_keeps_whole_events)
{
    static const char text[] =
        "\xef\xbb\xbf{\"schemaVersion\" : 1,\r\n\"otherData\":{\"a\":[{\"b\":\"}\"}]},\"traceEvents\":[\n"
        "{\"ph\":\"X\",\"name\":\"a \\\"q\\\" \\u0041\",\"pid\":\"P "
        "1\",\"tid\":-1,\"ts\":1.5,\"dur\":\"2e3\",\"args\":{\"l\":[1,{\"m\":"
        "[true,null,\"x\"]}],\"e\":{}}}\n ,"
        "{\"args\":{\"name\":\"thread [1]\"},\"ph\":\"M\",\"pid\":1,\"tid\":2,\"name\":\"thread_name\"} "
        ",{\"ph\":\"C\",\"ts\":"
        "\"0x1F\",\"name\":\"c\",\"id\":\"i\",\"args\":{\"v\":-1.25e-3}}, \n"
        "{\"id2\":{\"local\":\"0x7\"},\"cat\":\"k,l\",\"ph\":\"b\",\"pid\":3,\"ts\":18446744073709551616}\n],"
        "\"stackFrames\":{\"7\":"
        "{\"name\":\"main\"}} , \"displayTimeUnit\":\"ns\"}\n\n";
    static const char *const ends[] = {"\n ,{\"args\"", " ,{\"ph\":\"C\"", ", \n{\"id2\"", "\n],\"stackF"};
    static const char *const starts[] = {"{\"ph\":\"X\"", "{\"args\":{\"name", "{\"ph\":\"C\"", "{\"id2\""};
    const size_t outer_end = (size_t)(strstr(text, "}\n\n") - text) + 1;
    for (size_t len = 4; len < sizeof text; len++) {
        uint32_t whole = 0;
        while (whole < 4 && (size_t)(strstr(text, ends[whole]) - text) <= len) {
            whole++;
        }
        size_t hit = len;
        if (whole < 4 && (size_t)(strstr(text, starts[whole]) - text) < len) {
            hit = (size_t)(strstr(text, starts[whole]) - text);
        }
        pf_buffer seen[2] = {{0}};
        for (size_t step = 0; step < 2; step++) {
            pf_trace *t = load_bytes(text, len, NULL, 5 * step, NULL);
            cr_expect_eq(pf_trace_events(t)->count, whole, "cut at %zu: %u", len, pf_trace_events(t)->count);
            cr_expect_eq(stat_of(t, PF_STAT_JSON_TRUNCATED), len < outer_end, "cut at %zu", len);
            cr_expect_eq(stat_of(t, PF_STAT_JSON_SYNTAX), 0, "cut at %zu", len);
            uint64_t at = stat_offset_of(t, PF_STAT_JSON_TRUNCATED);
            cr_expect(len >= outer_end || at == hit || (hit == len && at < len && (whole == 0 || whole == 4)),
                      "cut at %zu: %lu, not %zu", len, (unsigned long)at, hit);
            describe_trace(t, &seen[step]);
            pf_trace_free(t);
        }
        cr_expect(seen[0].len == seen[1].len && memcmp(seen[0].data, seen[1].data, seen[0].len) == 0, "cut at %zu",
                  len);
        pf_buffer_free(&seen[0]);
        pf_buffer_free(&seen[1]);
    }
}

Test(documents, bytes_behind_the_end_are_counted_and_hold_events_or_not)
{
    cr_expect_eq(expect_names("[" A "," B "] ]", ab, 2, PF_STAT_JSON_SYNTAX), 1);
    cr_expect_eq(expect_names("{\"traceEvents\":[" A "," B "]}\n1", ab, 2, PF_STAT_JSON_SYNTAX), 1);
    cr_expect_eq(expect_names("[" A "]," B "]", ab, 2, PF_STAT_JSON_SYNTAX), 1);
}

Test(documents, one_behind_the_other)
{
    static const struct {
        const char *text;
        size_t second; /* where it begins */
    } cases[] = {{"[" A "][" B "]", sizeof "[" A "]" - 1},
                 {"[" A "]\n\xef\xbb\xbf[" B, sizeof "[" A "]\n\xef\xbb\xbf" - 1},
                 {"[" A "," B "] []", sizeof "[" A "," B "] " - 1},
                 {"{\"traceEvents\":[" A "]}{\"traceEvents\":[" B "]}", sizeof "{\"traceEvents\":[" A "]}" - 1},
                 {"{\"traceEvents\":[" A "," B "]}\n{\"x\":1}", sizeof "{\"traceEvents\":[" A "," B "]}\n" - 1},
                 {"{\"x\":1}\n[" A "," B "]", sizeof "{\"x\":1}\n" - 1},
                 {"[" A "]\r\n{\"a\":{},\"traceEvents\":[" B ",]}\r\n", sizeof "[" A "]\r\n" - 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *text = cases[i].text;
        cr_expect_eq(expect_names(text, ab, 2, PF_STAT_JSON_DOCUMENTS), 1, "%s", text);
        for (size_t step = 0; step <= 1; step++) {
            pf_trace *t = load_bytes(text, strlen(text), NULL, step, NULL);
            cr_expect_eq(pf_trace_events(t)->count, 2);
            cr_expect_eq(stat_offset_of(t, PF_STAT_JSON_DOCUMENTS), cases[i].second, "%s", text);
            cr_expect_eq(stat_of(t, PF_STAT_JSON_SYNTAX) + stat_of(t, PF_STAT_JSON_TRUNCATED), 0, "%s", text);
            pf_trace_free(t);
        }
    }
}

Test(documents, an_object_without_events_is_no_trace)
{
    static const char text[] = "{\"name\":\"a package\",\"version\":\"1.0\"}";
    pf_status st;
    pf_trace *t = load_bytes(text, sizeof text - 1, NULL, 0, &st);
    cr_expect_eq(st, PF_ERR_INPUT);
    pf_trace_free(t);
}

static bool has_metadata(const pf_trace *t, const char *name, const char *text, int64_t number)
{
    const pf_metadata *m = pf_trace_metadata(t);
    for (uint32_t i = 0; i < m->count; i++) {
        if (string_is(t, m->name[i], name)) {
            return m->number[i] == number && (text ? string_is(t, m->text[i], text) : m->text[i] == 0);
        }
    }
    return false;
}

Test(documents, metadata_rows)
{
    pf_trace *t = load("{\"metadata\":{\"i\":-7,\"b\":true,\"f\":false,\"whole\":5.0,\"real\":2.5,\"s\":\"a\\u0042\","
                       "\"o\":{\"x\":[1, 2]},\"l\":[],\"none\":null,\"last\":1},\"traceEvents\":[" A "," B "]}");
    cr_expect_eq(pf_trace_events(t)->count, 2);
    cr_expect_eq(pf_trace_metadata(t)->count, 9);
    cr_expect(has_metadata(t, "json_metadata.i", NULL, -7));
    cr_expect(has_metadata(t, "json_metadata.b", NULL, 1));
    cr_expect(has_metadata(t, "json_metadata.f", NULL, 0));
    cr_expect(has_metadata(t, "json_metadata.whole", NULL, 5));
    cr_expect(has_metadata(t, "json_metadata.real", "2.5", 0));
    cr_expect(has_metadata(t, "json_metadata.s", "aB", 0));
    cr_expect(has_metadata(t, "json_metadata.o", "{\"x\":[1, 2]}", 0));
    cr_expect(has_metadata(t, "json_metadata.l", "[]", 0));
    cr_expect(has_metadata(t, "json_metadata.last", NULL, 1));
    pf_trace_free(t);
}

/* Whole numbers within 64 bits are numbers, others texts of six digits as C prints them with %g. */
Test(documents, numbers_of_metadata)
{
    static const struct {
        const char *word, *text;
        int64_t number;
    } cases[] = {
        {"9223372036854775807", NULL, INT64_MAX},
        {"-9223372036854775808", NULL, INT64_MIN},
        {"-9223372036854775808.0", NULL, INT64_MIN},
        {"9223372036854775808", "9.22337e+18", 0},
        {"-9223372036854777856.0", "-9.22337e+18", 0},
        {"1e3", NULL, 1000},
        {"-0.0", NULL, 0},
        {"-0.25", "-0.25", 0},
        {"1e300", "1e+300", 0},
        {"-1e300", "-1e+300", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[256];
        snprintf(text, sizeof text, "{\"metadata\":{\"v\":%s},\"o\":%s,\"traceEvents\":[" A "]}", cases[i].word,
                 cases[i].word);
        pf_trace *t = load(text);
        cr_expect(has_metadata(t, "json_metadata.v", cases[i].text, cases[i].number), "%s", text);
        cr_expect(has_metadata(t, "json.o", cases[i].text, cases[i].number), "%s", text);
        pf_trace_free(t);
    }
}

Test(documents, names_and_texts_of_metadata)
{
    pf_trace *t = load("{\"metadata\" : { \"a\\u0062c\" : 1 ,\t\"\" : 2, \"k\\\"\":\"\",\"s\":\"\\u00e4\\n|\"\n} ,"
                       "\"x\\u0079z\":[ ],\"metadata\":\"t\",\"\":{},\"traceEvents\":[" A "]}");
    cr_expect_eq(pf_trace_metadata(t)->count, 7);
    cr_expect(has_metadata(t, "json_metadata.abc", NULL, 1));
    cr_expect(has_metadata(t, "json_metadata.", NULL, 2));
    cr_expect(has_metadata(t, "json_metadata.k\"", "", 0));
    cr_expect(has_metadata(t, "json_metadata.s", "\xc3\xa4\n|", 0));
    cr_expect(has_metadata(t, "json.xyz", "[ ]", 0));
    cr_expect(has_metadata(t, "json.metadata", "t", 0));
    cr_expect(has_metadata(t, "json.", "{}", 0));
    pf_trace_free(t);
}

/* An element that is no event is no reason to lose the keys after the array. */
Test(documents, metadata_after_an_element_that_is_no_event)
{
    static const char *const elements[] = {"5", "\"x\"", "null"};
    for (size_t i = 0; i < sizeof elements / sizeof *elements; i++) {
        char text[256];
        snprintf(text, sizeof text, "{\"traceEvents\":[" A ",%s],\"metadata\":{\"i\":-7}}", elements[i]);
        pf_trace *t = load(text);
        cr_expect_eq(pf_trace_events(t)->count, 1, "%s", text);
        cr_expect(has_metadata(t, "json_metadata.i", NULL, -7), "%s", text);
        pf_trace_free(t);
    }
}

Test(documents, lines_before_the_document)
{
    static const char *const heads[] = {"Starting the run\n", "[INFO] a [b] {c}\r\n\r\n", "# {x} \"y\"\n"};
    static const char *const bodies[] = {"[" A "," B "]", "{\"traceEvents\":[" A "," B "]}",
                                         "{\"schemaVersion\":1,\"x\":[{}],\n\"traceEvents\":[" A "," B "]}\n"};
    for (size_t i = 0; i < 9; i++) {
        char text[512];
        snprintf(text, sizeof text, "%s%s", heads[i / 3], bodies[i % 3]);
        cr_expect(pf_reader_chrome_json.probe((const uint8_t *)text, strlen(text), "", false), "%s", text);
        uint64_t broken = expect_names(text, ab, 2, PF_STAT_JSON_SYNTAX);
        cr_expect(broken >= 1 && broken <= 2, "%s", text);
        cr_expect_eq(expect_names(text, ab, 2, PF_STAT_JSON_TRUNCATED), 0, "%s", text);
    }
}

Test(documents, sniffing)
{
    static const struct {
        const char *head;
        bool json;
    } cases[] = {{"[]", true},
                 {"{}", true},
                 {"[", true},
                 {"{", true},
                 {" \n[{\"ph\"", true},
                 {"\xef\xbb\xbf{\"a\"", true},
                 {"[1,{\"ph\":", true},
                 {"[\nWARNING: late\n{\"ph\":", true},
                 {"[INFO] started", false},
                 {"[INFO] started\n[{\"ph\"", true},
                 {"started\r\n[\r\n {\"name\"", true},
                 {"\x1b[32mstarted\x1b[0m\n\n{ \"traceEvents\"", true},
                 {"{x}\n{\"schemaVersion\":1", true},
                 {"started\n{\"version\":1}", false},
                 {"started [{\"ph\"", false},
                 {"started\x02\n[{\"ph\"", false},
                 {"\x0a\x05started\n[{\"ph\"", false},
                 {"\nstarted\n[{\"ph\"", false},
                 {"[1,2,3]", false},
                 {"{a:1}", false},
                 {"hello", false},
                 {"\"text\"", false},
                 {"", false},
                 {"\n", false},
                 {"\x0a\x05", false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cr_expect_eq(pf_reader_chrome_json.probe((const uint8_t *)cases[i].head, strlen(cases[i].head), "", false) !=
                         PF_PROBE_NO,
                     cases[i].json, "%s", cases[i].head);
    }
}
