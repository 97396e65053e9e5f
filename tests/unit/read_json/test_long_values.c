/* What is longer than anything that is waited for, and outer values up to the largest that is kept. */
#include "support.h"

#include <stdio.h>
#include <string.h>

#define A "{\"ph\":\"B\",\"ts\":1,\"pid\":1,\"name\":\"a\"}"
#define B "{\"ph\":\"B\",\"ts\":2,\"pid\":1,\"name\":\"b\"}"
#define EVENTS "\"traceEvents\":[" A "]}"

enum { KEPT = 8 << 20, MEMORY = 16 << 20, LONGEST = MEMORY / 8 };

static void put_many(pf_buffer *b, char c, size_t count)
{
    pf_buffer_format(b, "%*s", (int)count, "");
    cr_assert_not(b->failed);
    memset(b->data + b->len - count, c, count);
}

/* An eighth of the memory. What has not ended then is damage where it begins; events that follow it at the start of a
 * line are found. One byte less of it, and the reader waits for more. */
Test(long_values, so_much_is_waited_for)
{
    static const struct {
        const char *before;
        char fill;
        const char *after;
        uint64_t from;                /* where the long thing begins */
        const char *whole, *broken;   /* the events if it is waited for, and if not */
        uint64_t whole_at, broken_at; /* the damage; 0: after the long thing */
    } cases[] = {
        {"{\"", 'x', "\n" A "," B "]}", 1, "ab", "ab", 0, 1},
        {"{\"systemTraceEvents\":\"", 'x', "\n" A "," B "]}", 21, "b", "ab", 0, 21},
        {"[" A ",\"", 'x', "\n" B "]", 38, "a", "ab", 38, 38},
        {"[" A ",[", ' ', B "]]", 38, "ab", "a", 38, 38},
        {"[" A ",!,{", ' ', "\"ph\":\"B\",\"ts\":2,\"pid\":1,\"name\":\"b\"}]", 40, "a", "a", 38, 38},
    };
    pf_read_options o = pf_read_options_default();
    o.limits.memory = MEMORY;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pf_buffer text = {0};
        pf_buffer_text(&text, cases[i].before);
        put_many(&text, cases[i].fill, LONGEST + 1000);
        pf_buffer_text(&text, cases[i].after);
        cr_assert_not(text.failed);
        for (size_t more = 0; more < 2; more++) {
            pf_trace *t = load_bytes(text.data, text.len, &o, cases[i].from + LONGEST + more, NULL);
            const pf_events *e = pf_trace_events(t);
            const char *names = more ? cases[i].broken : cases[i].whole;
            uint64_t at = more ? cases[i].broken_at : cases[i].whole_at;
            cr_expect_eq(e->count, strlen(names), "case %zu, %zu: %u events", i, more, e->count);
            for (uint32_t k = 0; k < e->count; k++) {
                cr_expect(event_named(t, k, (char[]){names[k], '\0'}), "case %zu, %zu: event %u", i, more, k);
            }
            uint64_t seen = stat_offset_of(t, PF_STAT_JSON_SYNTAX);
            cr_expect(at ? seen == at : seen > LONGEST, "case %zu, %zu: damage at %lu", i, more, (unsigned long)seen);
            cr_expect_eq(stat_of(t, PF_STAT_JSON_TRUNCATED), 0, "case %zu, %zu", i, more);
            pf_trace_free(t);
        }
        pf_buffer_free(&text);
    }
}

/* A value of `len` bytes: it is kept up to 8 MiB, however the windows are cut. */
static void expect_kept(const char *begin, char fill, const char *end, size_t len, size_t step, bool kept)
{
    static const char head[] = "{\"x\":";
    pf_buffer text = {0};
    pf_buffer_text(&text, head);
    pf_buffer_text(&text, begin);
    put_many(&text, fill, len - strlen(begin) - strlen(end));
    pf_buffer_text(&text, end);
    pf_buffer_text(&text, "," EVENTS);
    cr_assert_not(text.failed);
    pf_trace *t = load_bytes(text.data, text.len, NULL, step, NULL);
    cr_expect_eq(pf_trace_events(t)->count, 1);
    cr_expect_eq(pf_trace_metadata(t)->count, kept, "%zu bytes of %s in windows of %zu", len, begin, step);
    cr_expect_eq(stat_of(t, PF_STAT_JSON_ENTRY_DROPPED), !kept, "%zu bytes of %s in windows of %zu", len, begin, step);
    cr_expect(kept || stat_offset_of(t, PF_STAT_JSON_ENTRY_DROPPED) == sizeof head - 1);
    cr_expect_eq(stat_of(t, PF_STAT_JSON_SYNTAX) + stat_of(t, PF_STAT_JSON_TRUNCATED), 0);
    pf_trace_free(t);
    pf_buffer_free(&text);
}

Test(long_values, the_largest_that_is_kept)
{
    for (size_t more = 0; more < 2; more++) {
        expect_kept("\"", 'x', "\"", KEPT + more, 0, !more);
        expect_kept("[", ' ', "]", KEPT + more, (size_t)16 << 20, !more);
        /* The first window ends with the word, of which the end is not seen yet. */
        expect_kept("t", 'r', "", KEPT + more, 5 + KEPT + more, !more);
    }
}

/* Members of "metadata" are rows of their own: as many as the limit says, values inside of values too. */
Test(long_values, members_of_metadata)
{
    static const struct {
        const char *text;
        uint32_t rows;
        bool kept;
    } cases[] = {
        {"{\"metadata\":{\"a\":1,\"b\":2,\"c\":3,\"d\":4,\"e\":5}," EVENTS, 5, true},
        {"{\"metadata\":{\"a\":1,\"b\":2,\"c\":3,\"d\":4,\"e\":5,\"f\":6}," EVENTS, 0, false},
        {"{\"metadata\":[1,2,3,4,5,6]," EVENTS, 1, true},
        {"{\"metadatx\":{\"a\":1,\"b\":2,\"c\":3,\"d\":4,\"e\":5,\"f\":6}," EVENTS, 1, true},
        {"{\"a\":1,\"b\":2,\"c\":3,\"d\":4,\"e\":5,\"systemTraceEvents\":[]," EVENTS, 5, true},
        {"{\"a\":1,\"b\":2,\"c\":3,\"d\":4,\"e\":5,\"f\":6," EVENTS, 5, false},
    };
    pf_read_options o = pf_read_options_default();
    o.limits.keys = 5;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pf_trace *t = load_bytes(cases[i].text, strlen(cases[i].text), &o, 0, NULL);
        cr_expect_eq(pf_trace_metadata(t)->count, cases[i].rows, "%s", cases[i].text);
        cr_expect_eq(stat_of(t, PF_STAT_JSON_ENTRY_DROPPED), !cases[i].kept, "%s", cases[i].text);
        cr_expect_eq(pf_trace_events(t)->count, 1, "%s", cases[i].text);
        pf_trace_free(t);
    }
}
