/* round_trip.c - documents of Chrome JSON that a Perfetto trace says in other words: converted, read, and converted
 * back they have the events that they had, in whatever order. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "postfetto/read.h"
#include "support.h"

enum { LINES = 64 };

static pf_trace *read_file(const char *path)
{
    pf_read_options o = pf_read_options_default();
    pf_trace *t = NULL;
    pf_error err;
    o.want |= PF_WANT_ORIGINS;
    cr_assert_eq(pf_read(&path, 1, &o, &t, &err), PF_OK, "%s", err.text);
    return t;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The events of a document, one a line, sorted. */
static size_t events_of(char *text, char *lines[LINES])
{
    size_t n = 0;
    for (char *line; (line = strsep(&text, "\n")) != NULL;) {
        size_t len = strlen(line);
        if (strncmp(line, "{\"ph\"", 5) == 0) {
            line[line[len - 1] == ',' ? len - 1 : len] = '\0';
            cr_assert_lt(n, LINES);
            lines[n++] = line;
        }
    }
    qsort(lines, n, sizeof *lines, by_text);
    return n;
}

/* A document of these lines comes back; its .pftrace has no event as text unless `whole`. */
static void expect_same(const char *events, bool whole)
{
    char *folder = test_folder(), *json = test_path(folder, "in.json"), *packets = test_path(folder, "x.pftrace"),
         *back = test_path(folder, "out.json"), *before[LINES], *after[LINES];
    size_t len;
    pf_error err;
    FILE *f = fopen(json, "w");
    fprintf(f, "{\"traceEvents\":[\n%s\n]}", events);
    fclose(f);
    pf_trace *t = read_file(json);
    cr_assert_eq(pf_convert_pftrace(t, packets, NULL, &err), PF_OK, "%s", err.text);
    pf_trace_free(t);
    t = read_file(packets);
    cr_assert_eq(pf_convert_json(t, back, NULL, &err), PF_OK, "%s", err.text);
    pf_trace_free(t);
    char *in = strdup(events), *out = test_read(back, &len), *bytes = test_read(packets, &len);
    cr_expect_eq(memmem(bytes, len, "{\"ph\":", 6) != NULL, whole);
    size_t n = events_of(in, before), m = events_of(out, after);
    cr_expect_eq(n, m);
    for (size_t i = 0; i < n && i < m; i++) {
        cr_expect_str_eq(after[i], before[i]);
    }
    free(bytes);
    free(out);
    free(in);
    free(back);
    free(packets);
    free(json);
    test_folder_remove(folder);
}

Test(round_trip, flows_between_slices_that_are_over)
{
    expect_same("{\"ph\":\"X\",\"name\":\"outer\",\"pid\":1,\"tid\":1,\"ts\":0,\"dur\":100},\n"
                "{\"ph\":\"X\",\"name\":\"inner\",\"pid\":1,\"tid\":1,\"ts\":0,\"dur\":10},\n"
                "{\"ph\":\"s\",\"name\":\"f\",\"cat\":\"c\",\"pid\":1,\"tid\":1,\"ts\":20,\"id\":7},\n"
                "{\"ph\":\"X\",\"name\":\"later\",\"pid\":1,\"tid\":1,\"ts\":30.5,\"dur\":10.25},\n"
                "{\"ph\":\"t\",\"name\":\"f\",\"cat\":\"c\",\"pid\":1,\"tid\":1,\"ts\":60,\"id\":7},\n"
                "{\"ph\":\"X\",\"name\":\"other\",\"pid\":1,\"tid\":2,\"ts\":50,\"dur\":50},\n"
                "{\"ph\":\"X\",\"name\":\"within\",\"pid\":1,\"tid\":2,\"ts\":55,\"dur\":1.5},\n"
                "{\"ph\":\"f\",\"name\":\"f\",\"cat\":\"c\",\"pid\":1,\"tid\":2,\"ts\":70,\"id\":7,\"bp\":\"e\"},\n"
                "{\"ph\":\"X\",\"name\":\"alone\",\"pid\":1,\"tid\":3,\"ts\":5,\"dur\":2.001},\n"
                "{\"ph\":\"s\",\"name\":\"g\",\"cat\":\"c\",\"pid\":1,\"tid\":3,\"ts\":40,\"id\":8},\n"
                "{\"ph\":\"f\",\"name\":\"g\",\"cat\":\"c\",\"pid\":1,\"tid\":2,\"ts\":72,\"id\":8,\"bp\":\"e\"}",
                false);
}

Test(round_trip, counters_with_several_series)
{
    expect_same("{\"ph\":\"C\",\"name\":\"m\",\"pid\":1,\"ts\":1,\"args\":{\"a\":1,\"b\":2.0,\"c\":0.5}},\n"
                "{\"ph\":\"C\",\"name\":\"m\",\"pid\":1,\"ts\":2,\"args\":{\"a\":3,\"b\":4,\"c\":5}},\n"
                "{\"ph\":\"C\",\"name\":\"m\",\"cat\":\"k\",\"pid\":1,\"ts\":3,\"args\":{\"a\":3,\"b\":4.0,\"c\":5}},\n"
                "{\"ph\":\"C\",\"name\":\"one\",\"cat\":\"k\",\"pid\":2,\"ts\":3,\"args\":{\"v\":7}},\n"
                "{\"ph\":\"C\",\"name\":\"one\",\"pid\":2,\"ts\":4,\"args\":{\"v\":7}},\n"
                "{\"ph\":\"C\",\"name\":\"one\",\"pid\":2,\"ts\":5,\"args\":{\"v\":7.0}},\n"
                "{\"ph\":\"C\",\"name\":\"one\",\"pid\":2,\"ts\":6,\"args\":{\"v\":8}}",
                false);
}

Test(round_trip, counters_that_samples_cannot_give_back)
{
    expect_same("{\"ph\":\"C\",\"name\":\"m\",\"pid\":1,\"ts\":1,\"args\":{\"a\":1,\"b\":\"x\"}},\n"
                "{\"ph\":\"C\",\"name\":\"m\",\"pid\":1,\"ts\":2,\"args\":{\"a\":1,\"o\":{\"p\":2}}},\n"
                "{\"ph\":\"C\",\"name\":\"m\",\"pid\":1,\"ts\":3,\"args\":{\"a\":1,\"l\":[]}},\n"
                "{\"ph\":\"C\",\"name\":\"m\",\"pid\":1,\"ts\":4,\"id\":\"0x5\",\"args\":{\"a\":1,\"b\":2}},\n"
                "{\"ph\":\"C\",\"name\":\"m\",\"pid\":1,\"ts\":5,\"args\":{\"a\":9007199254740993}}",
                true);
}

Test(round_trip, lengths_and_clocks_that_packets_cannot_say)
{
    expect_same(
        "{\"ph\":\"B\",\"name\":\"b\",\"cat\":\"k\",\"pid\":1,\"tid\":1,\"ts\":0},\n"
        "{\"ph\":\"X\",\"name\":\"long\",\"cat\":\"k\",\"pid\":1,\"tid\":1,\"ts\":1,\"dur\":100.125},\n"
        "{\"ph\":\"B\",\"name\":\"c\",\"pid\":1,\"tid\":1,\"ts\":2},\n"
        "{\"ph\":\"E\",\"pid\":1,\"tid\":1,\"ts\":3},\n"
        "{\"ph\":\"E\",\"name\":\"b\",\"cat\":\"k\",\"pid\":1,\"tid\":1,\"ts\":50},\n"
        "{\"ph\":\"X\",\"name\":\"clocked\",\"pid\":1,\"tid\":2,\"ts\":1,\"dur\":5,\"tts\":3.5,\"tdur\":2.25},\n"
        "{\"ph\":\"X\",\"name\":\"whole\",\"pid\":1,\"tid\":2,\"ts\":7,\"dur\":5,\"tts\":10,\"tdur\":2},\n"
        "{\"ph\":\"X\",\"name\":\"empty\",\"pid\":1,\"tid\":2,\"ts\":20,\"dur\":0,\"tts\":15},\n"
        "{\"ph\":\"i\",\"name\":\"mark\",\"pid\":1,\"tid\":2,\"ts\":21,\"tts\":16,\"s\":\"t\"},\n"
        "{\"ph\":\"i\",\"name\":\"mark\",\"pid\":1,\"tid\":2,\"ts\":21,\"tts\":17.5,\"s\":\"t\"},\n"
        "{\"ph\":\"X\",\"name\":\"\",\"pid\":1,\"tid\":3,\"ts\":21,\"dur\":1},\n"
        "{\"ph\":\"X\",\"pid\":1,\"tid\":3,\"ts\":23,\"dur\":1.5},\n"
        "{\"ph\":\"X\",\"name\":\"n\",\"cat\":\"\",\"pid\":1,\"tid\":3,\"ts\":26,\"dur\":1.5}",
        false);
}

Test(round_trip, names_of_processes_and_threads)
{
    expect_same("{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":\"text\",\"tid\":0,\"args\":{\"name\":\"\"}},\n"
                "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":1,\"tid\":\"word\",\"args\":{\"name\":\"\"}},\n"
                "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":2,\"tid\":0,\"args\":{\"name\":\"first\"}},\n"
                "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":2,\"tid\":0,\"args\":{\"name\":\"second\"}},\n"
                "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":0,\"tid\":0,\"args\":{\"name\":5}},\n"
                "{\"ph\":\"X\",\"name\":\"a\",\"pid\":\"text\",\"tid\":0,\"ts\":1,\"dur\":1},\n"
                "{\"ph\":\"X\",\"name\":\"a\",\"pid\":1,\"tid\":\"word\",\"ts\":1,\"dur\":1.5},\n"
                "{\"ph\":\"X\",\"name\":\"a\",\"pid\":2,\"tid\":2,\"ts\":1,\"dur\":1},\n"
                "{\"ph\":\"X\",\"name\":\"a\",\"pid\":0,\"tid\":0,\"ts\":1,\"dur\":1}",
                true);
}
