/* Wherever windows are cut, the result is the same. */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shared.h"

static void expect_same(const char *name, const char *text, size_t len, const size_t *steps, size_t count)
{
    pf_buffer whole = {0};
    pf_trace *t = load_bytes(text, len, NULL, 0, NULL);
    describe_trace(t, &whole);
    pf_trace_free(t);
    for (size_t i = 0; i < count; i++) {
        pf_buffer parts = {0};
        t = load_bytes(text, len, NULL, steps[i], NULL);
        describe_trace(t, &parts);
        pf_trace_free(t);
        cr_expect(parts.len == whole.len && memcmp(parts.data, whole.data, whole.len) == 0,
                  "%s: windows of %zu bytes give something else:\n%.*s\nin one piece:\n%.*s", name, steps[i],
                  (int)parts.len, parts.data, (int)whole.len, whole.data);
        pf_buffer_free(&parts);
    }
    pf_buffer_free(&whole);
}

static const char *const documents[] = {
    "\xef\xbb\xbf {\"displayTimeUnit\":\"ns\",\"metadata\":{\"a\":1,\"b\":\"x\"},\"stack\":[[1,2],{\"y\":null}],\n"
    "\"traceEvents\":[{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":1,\"args\":{\"name\":\"p\\u00e4\"}},\n"
    "{\"ph\":\"X\",\"ts\":12345678.901,\"dur\":0.5,\"pid\":1,\"tid\":123456789012,\"name\":\"a rather long name of an "
    "event that needs more than a register\",\"cat\":\"c\",\"args\":{\"k\":[1,2.5,\"}\"],\"e\":{}}},\n"
    "{\"ph\":\"C\",\"ts\":5,\"pid\":1,\"name\":\"mem\",\"args\":{\"used\":1,\"free\":\"2.5\"}},{},\n"
    "{\"ph\":\"i\",\"ts\":-3,\"s\":\"g\",\"pid\":\"text\",\"name\":\"q\\\"\\\\\"}],\"tail\":{\"a\":[{}]}} \n",

    "[{\"ph\":\"B\",\"ts\":1,\"name\":\"say \"hi\" you\"},\n{\"ph\":\"B\",\"ts\":2,\"pid\":1,\"name\":\"b\"},\n"
    "WARNING: {\"x\"} [y]\n{\"ph\":\"E\",\"ts\":3,\"pid\":1},17,[1],{\"ph\":\"B\",\"args\":{\"a\":[{\"b\":1},\n"
    "{\"ph\":\"B\",\"ts\":NaN,\"pid\":true}},\n{\"ph\":\"B\",\"ts\":4,\"pid\":1}]",

    "[{\"ph\":\"B\",\"ts\":1,\"pid\":1,\"name\":\"a\"},{\"ph\":\"X\",\"args\":{\"l\":[1,\n{\"ph\":\"B\",\"ts\":2,"
    "\"pid\":1}",

    "[{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":0,\"args\":{\"name\":\"core_trace for tile2,1\"}},\n"
    "{\"ph\":\"B\",\"ts\":12,\"pid\":0,\"tid\":1,\"name\":\"INSTR_EVENT_0\"},{\"ph\":\"E\",\"ts\":13.9,\"pid\":0,"
    "\"tid\":1}]",

    "[{\"ph\":\"B\",\"ts\":12,\"pid\":0,\"tid\":1,\"name\":\"INSTR_EVENT_0\"},\n"
    "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":0,\"args\":{\"name\":\"core_trace for tile2,1\"}},\n"
    "{\"ph\":\"E\",\"ts\":\"13\",\"pid\":0,\"tid\":1}]",

    /* The value breaks at its last byte; read again as events, it does one earlier. */
    "{\"\":[{\"ph\":\"B\"},0}",
};

Test(windows, cut_at_every_byte)
{
    for (size_t d = 0; d < sizeof documents / sizeof *documents; d++) {
        size_t len = strlen(documents[d]);
        for (size_t step = 1; step <= len; step++) {
            expect_same("a document of the test", documents[d], len, &step, 1);
        }
    }
}

Test(windows, one_cut_at_every_byte_of_a_truncated_document)
{
    const char *text = documents[0];
    for (size_t len = 1; len < strlen(text); len += 3) {
        static const size_t steps[] = {1, 7, 64};
        expect_same("a truncated document", text, len, steps, 3);
    }
}

/* Nothing is read that lies after the end. */
Test(windows, whatever_follows_a_truncated_document)
{
    static const char slop[] = ",:{}[]0e-+.\\ \nt";
    for (size_t d = 0; d < 2; d++) {
        for (size_t len = 1; len <= strlen(documents[d]); len++) {
            pf_buffer seen[2] = {{0}};
            for (size_t i = 0; i < sizeof slop - 1; i++) {
                pf_buffer *b = &seen[i > 0];
                b->len = 0;
                slop_byte = (uint8_t)slop[i];
                pf_trace *t = load_bytes(documents[d], len, NULL, 0, NULL);
                describe_trace(t, b);
                pf_trace_free(t);
                cr_expect(i == 0 ||
                              (seen[0].len == seen[1].len && memcmp(seen[0].data, seen[1].data, seen[0].len) == 0),
                          "cut at %zu, '%c' follows:\n%.*s\nnot\n%.*s", len, slop[i], (int)seen[1].len, seen[1].data,
                          (int)seen[0].len, seen[0].data);
            }
            pf_buffer_free(&seen[0]);
            pf_buffer_free(&seen[1]);
        }
    }
}

/* More events than a batch has records. */
Test(windows, batches)
{
    pf_buffer b = {0};
    pf_buffer_text(&b, "[");
    for (int i = 0; i < 3000; i++) {
        pf_buffer_format(&b, "{\"ph\":\"%c\",\"ts\":%d,\"pid\":%d,\"name\":\"n%d\"},\n", i % 2 ? 'E' : 'B', i, i % 3,
                         i % 50);
        if (i % 700 == 699) {
            pf_buffer_text(&b, "{\"ph\" broken},\n");
        }
    }
    static const size_t steps[] = {1, 100, 1000, 4096, 65536};
    expect_same("3000 events", b.data, b.len, steps, sizeof steps / sizeof *steps);
    pf_buffer_free(&b);
}

Test(windows, corpus)
{
    static const char *const names[] = {"real/trace-event-simple-partial-trailing-comma",
                                        "real/catapult-simple",
                                        "real/viztracer-args",
                                        "aie/c07_unordered_mixed_ts",
                                        "aie/c09_process_names",
                                        "aie/c11_object_form"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[1024];
        snprintf(path, sizeof path, "%s/corpus/%s/trace.json", shared_folder(), names[i]);
        FILE *f = fopen(path, "rb");
        if (!f) {
            SKIP_WITHOUT_CORPUS();
        }
        char *text = malloc(1u << 20);
        size_t len = fread(text, 1, 1u << 20, f);
        fclose(f);
        static const size_t steps[] = {13, 211, 4096};
        expect_same(names[i], text, len, steps, 3);
        free(text);
    }
}
