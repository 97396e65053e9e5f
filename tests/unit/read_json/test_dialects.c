/* Who wrote a trace, and the keys besides the events. */
#include "support.h"

#include <string.h>

#define EVENTS "\"traceEvents\":[{\"ph\":\"i\",\"name\":\"a\",\"pid\":1,\"tid\":1,\"ts\":1}]"

static void expect_dialect(const char *text, const char *dialect)
{
    for (size_t step = 0; step <= 64; step += 64) {
        pf_trace *t = load_bytes(text, strlen(text), NULL, step, NULL);
        cr_expect_str_eq(pf_trace_dialect(t), dialect, "%s", text);
        pf_trace_free(t);
    }
}

Test(dialects, signs_beside_and_in_the_events)
{
    expect_dialect("{" EVENTS "}", "chrome-json");
    expect_dialect("{" EVENTS ",\"deviceProperties\":[{\"id\":0}]}", "torch");
    expect_dialect("{\"schemaVersion\":1,\"record_shapes\":1," EVENTS "}", "torch");
    expect_dialect("[{\"ph\":\"X\",\"cat\":\"cpu_op\",\"name\":\"aten::mm\",\"pid\":1,\"tid\":1,\"ts\":1,\"dur\":1}]",
                   "torch");
    expect_dialect("[{\"ph\":\"X\",\"cat\":\"cpu_ops\",\"name\":\"cpu_op2\",\"pid\":1,\"tid\":1,\"ts\":1,\"dur\":1}]",
                   "chrome-json");
    expect_dialect("{" EVENTS ",\"otherData\":{\"bazel_version\":\"release 7\"}}", "bazel");
    expect_dialect("{" EVENTS ",\"otherData\":{\"version\":\"bazel_versions\"}}", "chrome-json");
    expect_dialect("{" EVENTS ",\"viztracer_metadata\":{\"version\":\"0.9.5\"}}", "viztracer");
    expect_dialect("{" EVENTS ",\"beginningOfTime\":1736075078229326}", "clang");
    expect_dialect("{" EVENTS ",\"metadata\":{\"source\":\"DevTools\"}}", "devtools");
    expect_dialect("[{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":1,\"args\":{\"name\":\"Ascend Hardware\"}}]",
                   "ascend");
    expect_dialect("[{\"ph\":\"B\",\"name\":\"x\",\"pid\":1,\"tid\":1,\"ts\":1,\"attr\":{\"TS1\":\"5\"}}]", "aiu-flex");
}

static void expect_row(const pf_trace *t, const char *name, const char *text, int64_t number)
{
    const pf_metadata *m = pf_trace_metadata(t);
    for (uint32_t i = 0; i < m->count; i++) {
        if (string_is(t, m->name[i], name)) {
            cr_expect_eq(m->number[i], number, "%s", name);
            cr_expect(text ? string_is(t, m->text[i], text) : m->text[i] == 0, "%s", name);
            return;
        }
    }
    cr_expect_fail("no row %s", name);
}

Test(dialects, keys_become_metadata)
{
    static const char text[] =
        "{\"displayTimeUnit\":\"m\\u0073\",\"schemaVersion\":1,\"ratio\":0.5,\"on\":true,\"none\":null,"
        "\"distributedInfo\":{\"rank\": 3},\"stackFrames\":{\"1\":{\"name\":\"f\"}},\"samples\":[1]," EVENTS "}";
    for (size_t step = 0; step <= 64; step += 64) {
        pf_trace *t = load_bytes(text, strlen(text), NULL, step, NULL);
        cr_expect_eq(pf_trace_metadata(t)->count, 7);
        expect_row(t, "json.stackFrames", "{\"1\":{\"name\":\"f\"}}", 0);
        expect_row(t, "json.samples", "[1]", 0);
        expect_row(t, "json.displayTimeUnit", "ms", 0);
        expect_row(t, "json.schemaVersion", NULL, 1);
        expect_row(t, "json.ratio", "0.5", 0);
        expect_row(t, "json.on", NULL, 1);
        expect_row(t, "json.distributedInfo", "{\"rank\": 3}", 0);
        cr_expect_eq(pf_trace_events(t)->count, 1);
        pf_trace_free(t);
    }
}

Test(dialects, a_million_keys_take_linear_time_and_bounded_rows, .timeout = 300)
{
    enum { MANY = 1000000 };
    pf_read_options o = pf_read_options_default();
    o.limits.keys = 1000;
    pf_buffer text = {0};
    pf_buffer_text(&text, "{");
    for (int i = 0; i < MANY; i++) {
        pf_buffer_format(&text, "\"k%d\":%d,", i, i);
    }
    pf_buffer_text(&text, "\"n\":1234567890123456789012345678901234567890," EVENTS "}");
    cr_assert_eq(text.failed, false);
    pf_trace *t = load_bytes(text.data, text.len, &o, 0, NULL);
    cr_expect_eq(pf_trace_metadata(t)->count, 1000);
    cr_expect_eq(t->stat_count[PF_STAT_JSON_ENTRY_DROPPED], MANY + 1 - 1000);
    cr_expect_eq(t->stat_offset[PF_STAT_JSON_ENTRY_DROPPED], (uint64_t)(strstr(text.data, "k1000\"") - text.data));
    cr_expect_eq(pf_trace_events(t)->count, 1);
    pf_trace_free(t);
    pf_buffer_free(&text);
}
