/* Whatever the number of threads and the size of pieces, the result is the same: the records of a wrong guess are never
 * used. Documents here are made to be guessed wrong. */
#include "support.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "shared.h"

/* What reading gives, as text; the status if it fails. */
static pf_buffer description(const char *text, size_t len, unsigned jobs, size_t step)
{
    pf_read_options o = pf_read_options_default();
    pf_buffer b = {0};
    pf_status st = PF_OK;
    o.jobs = jobs;
    pf_trace *t = load_bytes(text, len, &o, step, &st);
    if (st == PF_OK) {
        describe_trace(t, &b);
    }
    pf_buffer_format(&b, "status %d\n", (int)st);
    pf_trace_free(t);
    return b;
}

static void expect_equal(const char *what, const pf_buffer *a, const pf_buffer *b, unsigned jobs, size_t step)
{
    cr_expect(a->len == b->len && memcmp(a->data, b->data, a->len) == 0,
              "%s: %u threads, steps of %zu bytes give\n%.*s\ninstead of\n%.*s", what, jobs, step, (int)b->len, b->data,
              (int)a->len, a->data);
}

static size_t gzip(const char *text, size_t len, char *out, size_t room)
{
    z_stream z = {0};
    cr_assert_eq(deflateInit2(&z, 1, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY), Z_OK);
    z.next_in = (Bytef *)(uintptr_t)text;
    z.avail_in = (uInt)len;
    z.next_out = (Bytef *)out;
    z.avail_out = (uInt)room;
    cr_assert_eq(deflate(&z, Z_FINISH), Z_STREAM_END);
    deflateEnd(&z);
    return room - z.avail_out;
}

/* One thread and large windows against several threads, small windows and the small pieces that go with them. */
static void expect_same(const char *what, const char *text, size_t len, const size_t *steps, size_t count)
{
    size_t room = len + len / 10 + 100;
    char *packed = malloc(room);
    cr_assert_not_null(packed);
    size_t packed_len = gzip(text, len, packed, room);
    pf_buffer alone = description(text, len, 1, 0);
    for (size_t i = 0; i < count; i++) {
        for (unsigned jobs = 2; jobs <= 4; jobs += 2) {
            pf_buffer plain = description(text, len, jobs, steps[i]);
            expect_equal(what, &alone, &plain, jobs, steps[i]);
            pf_buffer_free(&plain);
            pf_buffer unpacked = description(packed, packed_len, jobs + 1, steps[i]);
            expect_equal(what, &alone, &unpacked, jobs + 1, steps[i]);
            pf_buffer_free(&unpacked);
        }
    }
    pf_buffer_free(&alone);
    free(packed);
}

/* Between this head and this tail each piece is repeated many times. */
typedef struct document {
    const char *what, *head, *body, *tail;
} document;

#define EVENT "{\"ph\":\"X\",\"ts\":1,\"dur\":2,\"pid\":1,\"tid\":2,\"name\":\"n\"}"

static const document documents[] = {
    {"plain events", "[", EVENT, "]"},
    {"no commas", "[", EVENT "\n", "]"},
    {"objects inside args", "{\"traceEvents\":[",
     "{\"ph\":\"X\",\"ts\":1,\"args\":{\"list\":[{\"a\":1},{\"b\":2},{\"ph\":\"B\",\"ts\":5},{\"c\":3}]},\"pid\":1}",
     "]}"},
    {"events inside texts", "[",
     "{\"name\":\"},{\\\"ph\\\":\",\"cat\":\"}, "
     "{\",\"ph\":\"i\",\"ts\":3,\"args\":{\"code\":\"},{\\\"ph\\\":\\\"X\\\"},{\"}}",
     "]"},
    {"whole events inside a text, quotes unescaped by damage", "[",
     EVENT ",{\"ph\":\"B\",\"ts\":4,\"name\":\"x\",\"args\":{\"t\":\"\"},{\"ph\":\"E\",\"ts\":9}\"}}", "]"},
    {"a text that is one long row of events", "[" EVENT ",{\"ph\":\"X\",\"ts\":1,\"args\":{\"s\":\"",
     "},{'ph':'X'},{\\\"ph\\\":\\\"X\\\",\\\"ts\\\":1}", "\"}}," EVENT "]"},
    {"args that are one long row of events", "[" EVENT ",{\"ph\":\"X\",\"ts\":1,\"args\":{\"s\":[{},", EVENT,
     "]}}," EVENT "]"},
    {"escapes", "[",
     "{\"ph\":\"B\",\"ts\":1,\"n\\u0061me\":\"\\\\\",\"cat\":\"\\\"},{\\\"\",\"pid\":\"a\\\\\"},{\"ph\":\"E\",\"name\":"
     "\"\\ud83d\"}",
     "]"},
    {"other events in between", "[", EVENT ",17,[" EVENT "],{},{\"x\":1},null", "]"},
    {"log lines", "[", EVENT ",\nWARNING: {\"x\"},{\"y\"} [z]\n" EVENT, "]"},
    {"lost brackets", "[", EVENT ",{\"ph\":\"X\",\"ts\":2,\"args\":{\"a\":[1,2," EVENT "," EVENT, "]"},
    {"control characters", "[", "{\"ph\":\"X\",\"ts\":1,\"name\":\"a\x01\tb\"},{\"ph\" \x02:\"X\"}", "]"},
    {"two documents", "[" EVENT "," EVENT "]\n[", EVENT, "]"},
    {"keys after the events", "{\"traceEvents\":[" EVENT "],\"a\":1,\"list\":[", EVENT, "],\"b\":\"x\"}"},
    {"events twice", "{\"traceEvents\":[" EVENT "," EVENT "],\"traceEvents\":[", EVENT, "]}"},
    {"cut off", "{\"traceEvents\":[", EVENT, "{\"ph\":\"X\",\"ts\":7,\"name\":\"cut"},
    {"indented", "[\n", "  {\n    \"ph\": \"X\",\n    \"ts\": 12.345,\n    \"args\": {\n      \"a\": [\n 1 ] }\n  }\n",
     "]"},
    {"numbers", "[",
     "{\"ph\":\"X\",\"ts\":1e3,\"dur\":-0.5,\"pid\":12345678901234567890,\"tid\":-7},"
     "{\"ph\":\"X\",\"ts\":1700000000000000.1239,\"dur\":NaN,\"pid\":0012,\"tid\":1.0},"
     "{\"ph\":\"X\",\"ts\":\"12.5\",\"dur\":99999999999,\"pid\":123456789012,\"tid\":1234567}",
     "]"},
    {"rare members", "[",
     "{\"ph\":\"b\",\"cat\":\"c\",\"id\":\"0x1\",\"ts\":1,\"pid\":1,\"name\":\"a\"},"
     "{\"ph\":\"s\",\"id\":4,\"ts\":1,\"pid\":1,\"tid\":1,\"name\":\"f\"},{\"ph\":\"f\",\"bp\":\"e\",\"id\":4,\"ts\":2,"
     "\"pid\":1,\"name\":\"f\"},"
     "{\"ph\":\"n\",\"id2\":{\"local\":\"q\"},\"ts\":1,\"pid\":1,\"tts\":5,\"name\":\"a\"},"
     "{\"ph\":\"C\",\"ts\":5,\"pid\":1,\"name\":\"m\",\"id\":\"k\",\"args\":{\"u\":1,\"v\":\"2\"}}",
     "]"},
    {"AIE after a while",
     "[{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":3,\"tid\":4,\"args\":{\"name\":\"x\"}},"
     "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":3,\"tid\":5,\"args\":{\"name\":\"x\"}},"
     "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":3,\"tid\":6,\"args\":{\"name\":\"x\"}},"
     "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":0,\"args\":{\"name\":\"core_trace for tile2,1\"}},",
     "{\"ph\":\"B\",\"ts\":12,\"pid\":0,\"tid\":1,\"name\":\"INSTR_EVENT_0\"},{\"ph\":\"E\",\"ts\":13.9,\"pid\":0,"
     "\"tid\":1}",
     "]"},
    {"AIE at the end", "[",
     "{\"ph\":\"B\",\"ts\":12,\"pid\":0,\"tid\":0,\"name\":\"INSTR_EVENT_0\"},{\"ph\":\"E\",\"ts\":13.9,\"pid\":0,"
     "\"tid\":0}",
     ",{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":0,\"args\":{\"name\":\"core_trace for tile2,1\"}}]"},
};

static void build(const document *d, unsigned times, pf_buffer *b)
{
    pf_buffer_text(b, d->head);
    for (unsigned i = 0; i < times; i++) {
        pf_buffer_text(b, i ? "," : "");
        pf_buffer_text(b, d->body);
    }
    pf_buffer_text(b, d->tail);
}

Test(threads, documents_that_mislead)
{
    static const size_t steps[] = {1, 40, 333, 1500, 4000};
    for (size_t i = 0; i < sizeof documents / sizeof *documents; i++) {
        pf_buffer b = {0};
        build(&documents[i], 40, &b);
        expect_same(documents[i].what, b.data, b.len, steps, 5);
        pf_buffer_free(&b);
    }
}

/* A document with all of them, one after the other: each begins where the one before is damaged or ends too early. */
Test(threads, all_of_them_in_one)
{
    static const size_t steps[] = {700, 20000, 100000};
    pf_buffer b = {0};
    for (unsigned round = 0; round < 3; round++) {
        for (size_t i = 0; i + 2 < sizeof documents / sizeof *documents; i++) {
            pf_buffer_text(&b, "\n");
            build(&documents[i], 10 + round, &b);
        }
    }
    expect_same("all", b.data, b.len, steps, 3);
    pf_buffer_free(&b);
}

/* More events, texts and threads than a piece can hold or remember. */
Test(threads, full_pieces)
{
    static const size_t steps[] = {3000, 64000, 4000000};
    pf_buffer b = {0};
    pf_buffer_text(&b, "[{\"ph\":\"i\"}");
    for (unsigned i = 0; i < 9000; i++) {
        pf_buffer_text(&b, ",{\"ph\":\"i\"}");
    }
    for (unsigned i = 0; i < 6000; i++) {
        pf_buffer_format(&b,
                         ",{\"ph\":\"B\",\"ts\":%u,\"pid\":%u,\"tid\":\"t%u\",\"name\":\"name %u\",\"cat\":\"%u\"}"
                         ",{\"ph\":\"E\",\"ts\":%u,\"pid\":%u,\"tid\":%u,\"name\":\"a long name that few bytes tell "
                         "apart %u from the others of its kind\",\"id\":%u}",
                         i, i % 1500, i % 700, i, i % 5000, i + 1, i % 1500, i, i % 50, i);
    }
    pf_buffer_text(&b, "]");
    expect_same("full", b.data, b.len, steps, 3);
    pf_buffer_free(&b);
}

/* Cut anywhere: the last piece ends in the middle of something. */
Test(threads, truncated)
{
    static const size_t steps[] = {90, 2000};
    for (size_t i = 0; i < sizeof documents / sizeof *documents; i++) {
        pf_buffer b = {0};
        build(&documents[i], 8, &b);
        for (size_t len = 1; len < b.len; len += b.len / 7 + 1) {
            expect_same(documents[i].what, b.data, len, steps, 2);
        }
        pf_buffer_free(&b);
    }
}

/* With too little memory for helpers the reader does without, and still keeps to the limit. */
Test(threads, memory_limit)
{
    pf_buffer b = {0};
    build(&documents[0], 5000, &b);
    pf_buffer alone = description(b.data, b.len, 1, 0);
    for (uint64_t memory = 2u << 20; memory <= 512u << 20; memory *= 4) {
        pf_read_options o = pf_read_options_default();
        pf_status st = PF_OK;
        o.jobs = 4;
        o.limits.memory = memory;
        pf_trace *t = load_bytes(b.data, b.len, &o, 30000, &st);
        uint64_t now = 0, peak = 0;
        pf_trace_memory(t, &now, &peak);
        cr_expect_leq(peak, memory);
        cr_expect(st == PF_OK || st == PF_ERR_LIMIT);
        if (st == PF_OK) {
            pf_buffer d = {0};
            describe_trace(t, &d);
            pf_buffer_format(&d, "status 0\n");
            expect_equal("under a limit", &alone, &d, 4, 30000);
            pf_buffer_free(&d);
        }
        pf_trace_free(t);
    }
    pf_buffer_free(&alone);
    pf_buffer_free(&b);
}

Test(threads, corpus)
{
    static const char *const folders[] = {"real", "aie", "perfetto/json", "perfetto/parsing"};
    static const size_t steps[] = {300, 9000};
    unsigned seen = 0;
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        char path[1024];
        snprintf(path, sizeof path, "%s/corpus/%s", shared_folder(), folders[i]);
        DIR *dir = opendir(path);
        for (struct dirent *e = dir ? readdir(dir) : NULL; e; e = readdir(dir)) {
            snprintf(path, sizeof path, "%s/corpus/%s/%s/trace.json", shared_folder(), folders[i], e->d_name);
            FILE *f = fopen(path, "rb");
            if (!f) {
                continue;
            }
            char *text = malloc(300000);
            cr_assert_not_null(text);
            size_t len = fread(text, 1, 300000, f);
            fclose(f);
            expect_same(path, text, len, steps, 2);
            free(text);
            seen++;
        }
        if (dir) {
            closedir(dir);
        }
    }
    if (seen == 0) {
        SKIP_WITHOUT_CORPUS();
    }
}
