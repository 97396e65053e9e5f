/* Every state of the machine over a document with what may follow in it: the events that are read, and the place of all
 * that is counted. The places are marked in the texts; wherever windows are cut, the result is the same. */
#include "support.h"

#include <stdio.h>
#include <string.h>

#define A "{\"ph\":\"B\",\"ts\":1,\"pid\":1,\"name\":\"a\"}"
#define B "{\"ph\":\"B\",\"ts\":2,\"pid\":1,\"name\":\"b\"}"
#define MARK "\xef\xbb\xbf"

/* The next byte is counted as ... */
#define S "\1" /* not JSON */
#define T "\2" /* where the input was cut off */
#define D "\3" /* the beginning of another document */
#define V "\4" /* a value of an outer key that is dropped */
#define P "\5" /* an event without a phase */

enum { KINDS = 5 };
static const pf_stat_id kinds[KINDS] = {PF_STAT_JSON_SYNTAX, PF_STAT_JSON_TRUNCATED, PF_STAT_JSON_DOCUMENTS,
                                        PF_STAT_JSON_ENTRY_DROPPED, PF_STAT_JSON_TOKENIZER_FAILURE};

typedef struct expected {
    const char *text; /* with marks */
    const char *names;
} expected;

/* Names of one letter. */
static void expect_events(const pf_trace *t, const char *names, const char *text)
{
    char seen[16] = {0};
    const pf_events *e = pf_trace_events(t);
    for (uint32_t i = 0; i < e->count && i < sizeof seen - 1; i++) {
        pf_str name = pf_trace_string(t, e->name[i]);
        seen[i] = (char)(name.len == 1 ? *name.ptr : '?');
    }
    cr_expect_str_eq(seen, names, "%s of %s", seen, text);
}

static void expect_trace(const char *text, size_t len, size_t step, const char *names, const uint64_t *count,
                         const uint64_t *first)
{
    pf_trace *t = load_bytes(text, len, NULL, step, NULL);
    expect_events(t, names, text);
    for (size_t i = 0; i < KINDS; i++) {
        cr_expect_eq(stat_of(t, kinds[i]), count[i], "steps of %zu, kind %zu: %lu of %s", step, i,
                     (unsigned long)stat_of(t, kinds[i]), text);
        cr_expect(!count[i] || stat_offset_of(t, kinds[i]) == first[i], "steps of %zu, kind %zu at %lu of %s", step, i,
                  (unsigned long)stat_offset_of(t, kinds[i]), text);
    }
    pf_trace_free(t);
}

/* Takes the marks out of a row's text; returns its length. */
static size_t read_row(const char *marked, char text[512], uint64_t count[KINDS], uint64_t first[KINDS])
{
    size_t len = 0;
    for (const char *p = marked; *p; p++) {
        size_t kind = (size_t)*p - 1;
        if (kind >= KINDS) {
            text[len++] = *p;
        } else if (count[kind]++ == 0) {
            first[kind] = len;
        }
    }
    text[len] = '\0';
    return len;
}

static void expect_all(const expected *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char text[512];
        uint64_t marks[KINDS] = {0}, first[KINDS] = {0};
        size_t len = read_row(rows[i].text, text, marks, first);
        for (const char *slop = ",:{}[]0e\\ \n"; *slop; slop++) {
            slop_byte = (uint8_t)*slop;
            expect_trace(text, len, 0, rows[i].names, marks, first);
        }
        for (size_t step = 0; step <= len; step += step < 16 ? 1 : 13) {
            expect_trace(text, len, step, rows[i].names, marks, first);
        }
    }
}

/* The same for objects with a long member in front: so much of an object is looked at before anything of it is read, so
 * that only a later cut of the window falls between two tokens. */
static void expect_all_behind_a_member(const expected *rows, size_t count)
{
    enum { MEMBER = 1 << 16 };
    static char text[MEMBER + 1024];
    for (size_t i = 0; i < count; i++) {
        char row[512];
        uint64_t marks[KINDS] = {0}, first[KINDS] = {0};
        size_t len = read_row(rows[i].text, row, marks, first);
        cr_assert_eq(row[0], '{');
        int begun = snprintf(text, sizeof text, "{\"k\":\"%*s\",", MEMBER, "");
        memcpy(text + begun, row + 1, len);
        for (size_t kind = 0; kind < KINDS; kind++) {
            first[kind] += (uint64_t)begun - 1;
        }
        len += (size_t)begun - 1;
        for (size_t step = (size_t)begun; step <= len; step++) {
            expect_trace(text, len, step, rows[i].names, marks, first);
        }
    }
}

#define EXPECT_ALL(rows) expect_all(rows, sizeof(rows) / sizeof *(rows))
#define EXPECT_OBJECTS(rows)                                                                                           \
    EXPECT_ALL(rows);                                                                                                  \
    expect_all_behind_a_member(rows, sizeof(rows) / sizeof *(rows))

Test(document_states, at_the_start)
{
    static const expected rows[] = {
        {S "x[" A "," B "]", "ab"},
        {S "\"t\"\n" A "," B, "ab"},
        {S "\"t\" " A "," B, "b"},
        {MARK S MARK "[" A "]", "a"},
        {S "\xef\xbb[" A "]", "a"},
        {S "\xef\xbb" A, ""},
        {" " S A "\n" B, "ab"},
        {MARK S A "," B "]", "ab"},
        {S A B "]" S "}", "ab"},
        {"[", ""},
        {"[ ", ""},
        {"{" T, ""},
        {"{ " T, ""},
        {"{" T "\"a\"", ""},
        {"{" T "\"a", ""},
        {"{" T "\"a\" :", ""},
        {"{\"traceEvents\":[" T, ""},
        {"{ \"traceEvents\" : [ " T, ""},
        {"{\"traceEvents\":[]" T, ""},
    };
    EXPECT_ALL(rows);
}

Test(document_states, at_a_key)
{
    static const expected rows[] = {
        {"{,,\"x\":1,\n,\"traceEvents\":[" A "," B "]\t,,}", "ab"},
        {"{" S "5,\"traceEvents\":[" A "," B "]}", "ab"},
        {"{\"x\" " S "5,\"traceEvents\":[" A "," B "]}", "ab"},
        {"{\"x\"" S ",\"traceEvents\":[" A "," B "]}", "ab"},
        {"{\"x\":" S ",\"traceEvents\":[" A "," B "]}", "ab"},
        {"{" S "]\"traceEvents\":[" A "," B "]}", "ab"},
        {"{" S "[" A "," B "]}", "ab"},
        {"{" S A "," B "]}", "ab"},
        {"{\"x\":[1 " S "2],\"traceEvents\":[" A "," B "]}", "ab"},
        {"{\"x\":[1" S "},\"traceEvents\":[" A "," B "]}", "ab"},
        {"{\"x\":bad " S "value,\"traceEvents\":[" A "," B "]}", "ab"},
        {"{\"x\":{\"y\":[2," S "\"traceEvents\":[" A "," B "]}", "ab"},
        {"{\"traceEvents\":" S "5,\"traceEvents\":[" A "," B "]}", "ab"},
        {"{\"traceEvents\":" S "null,\"x\":1,\"traceEvents\":[" A "," B "]}", "ab"},
        {"{\"traceEvents\":" S "\"[\",\"traceEvents\":[" A "]}", "a"},
        {"{\"traceEvents\":" S "{\"x\":" A "}," B "]}", "b"},
        {"{\"traceEvents\":" S "{\"x\":5}," B "]}", "b"},
        {"{\"traceEvents\":[" A "]," T "\"x\" :", "a"},
        {"{\"traceEvents\":[" A "]," T "\"x", "a"},
        {"{\"traceEvents\":[" A "],\"x\":" V "[1," T, "a"},
        {"{\"traceEvents\":[" A "],\"x\":" V "[1," T "\"y", "a"},
        {"{\"traceEvents\":[" A "],\"x\":" V T "17", "a"},
        {"{\"traceEvents\":[" A "],\"x\":17 " T, "a"},
    };
    EXPECT_OBJECTS(rows);
}

Test(document_states, in_a_value_that_is_passed_over)
{
    static const expected rows[] = {
        {"{\"systemTraceEvents\":\"# [{\\\"\",\"traceEvents\":[" A "," B "]}", "ab"},
        {"{\"systemTraceEvents\":[{\"traceEvents\":1}],\"traceEvents\":[" A "," B "]}", "ab"},
        {"{\"systemTraceEvents\":[\"traceEvents\" ,{}],\"traceEvents\":[" A "," B "]}", "ab"},
        {"{\"systemTraceEvents\":[\"traceEvents\"  ],\"traceEvents\":[" A "," B "]}", "ab"},
        {"{\"systemTraceEvents\":[1 " S "2],\"traceEvents\":[" A "," B "]}", "ab"},
        {"{\"systemTraceEvents\":[1" S "},\"traceEvents\":[" A "," B "]}", "ab"},
        {"{\"systemTraceEvents\":{\"y\":[" S "\"traceEvents\":[" A "," B "]}", "ab"},
        {"{\"traceEvents\":[" A "],\"systemTraceEvents\":[1," T, "a"},
        {"{\"traceEvents\":[" A "],\"systemTraceEvents\":" T "\"x", "a"},
        {"{\"traceEvents\":[" A "],\"systemTraceEvents\":\"x\"" T, "a"},
        {"{\"traceEvents\":[" A "],\"systemTraceEvents\":["
         "\"traceEvents\"" T,
         "a"},
    };
    EXPECT_OBJECTS(rows);
}

Test(document_states, in_the_events)
{
    static const expected rows[] = {
        {"[" S "," A "," B "]", "ab"},
        {"[" A "," S "," B "]", "ab"},
        {"[" A " , " S ", " S ", " B "]", "ab"},
        {"{\"traceEvents\":[" S "," A "]}", "a"},
        {"[" P "{\"x\":1}," A "," P "{\"ts\":2,\"args\":{}}" B "]", "ab"},
        {"[{},{}," A ",{}]", "a"},
        {"[" A S "5," B "]", "ab"},
        {"[" A "," S "5" B "]", "ab"},
        {"[" A "," S "5 6," B "]", "ab"},
        {"[" A "," S "\"x\"," S "," B "]", "ab"},
        {"[" A "," S "!," B "]", "ab"},
        {"[" A S "}," B "]", "ab"},
        {"[" A S ":" B "]", "a"},
        {"[" A "," S "[" B "]]", "ab"},
        {"[" A "," S "[" B "]," A "]", "aba"},
        {"[" A "," S "[" B "]," S "," A "]", "aba"},
        {"[" A "," S "[" B "]] " D "[]", "ab"},
        {"[" S "[" S "[" A "]," B "]]", "ab"},
        {"{\"traceEvents\":[" S "[" A "]," B "],\"x\":1}", "ab"},
        {"[" S "[]," A "," B "]", "ab"},
        {"[" S "[ 5 , {}]," A "," B "]", "ab"},
        {"[" S "[5 5]," A "," B "]", "ab"},
        {"[" A "," S "[" T, "a"},
        {"[" A "," S "[ " T, "a"},
        {"[" A "," S "[5," T "\"x", "a"},
        {"[" A "," S T "5", "a"},
        {"[" A "," S "5 ", "a"},
        {"{\"traceEvents\":[" A "," S "5 " T, "a"},
        {"{\"traceEvents\":[" A "," T, "a"},
        {"[" A "," T "{\"ph\":\"B\",\"args\":{\"l\":[\n" B, "ab"},
        {"{\"traceEvents\":[" A "," T "{\"ph\":\"B\",\"args\":{\"l\":[\n" B, "ab"},
        {"[" A "," S "{\"x\":{},\"traceEvents\":[" B "]}", "ab"},
        {"[" A "," S "{\"traceEvents\":[" B "]}" S "]", "ab"},
        {"[{\"ph\":\"B\",\"ts\":1,\"pid\":1,\"name\":\"a\",\"args\":{\"traceEvents\":[1]}}," B "]", "ab"},
        {"[" A ",{\"ph\":\"X\",\"args\":{\"l\":{\"n\":1," S "\"traceEvents\":[" B T, "ab"},
        /* Elements behind a value that broke within a list. */
        {"{\"x\":[1 " S "2],\"traceEvents\":[" A "," S "[5," A "]," B "]}", "ab"},
        {"{\"x\":[1 " S "2],\"traceEvents\":[" A "," S "5" B "]}", "ab"},
    };
    EXPECT_ALL(rows);
}

/* A candidate stands after a comma, a bracket, an object, or at the start of a line. */
Test(document_states, in_the_search)
{
    static const expected rows[] = {
        {"[" A "," S "!" B "]", "a"},
        {"[" A "," S "!}" B "]", "ab"},
        {"[" A "," S "![" B "]", "ab"},
        {"[" A "," S "!]" B "]", "a"},
        {"[" A "," S "!:" B "]", "a"},
        {"[" A "," S "!," B "]", "ab"},
        {"[" A "," S "! , \t" B "]", "ab"},
        {"[" A "," S "!\n" B "]", "ab"},
        {"[" A "," S "! \t\n \r " B "]", "ab"},
        {"[" A "," S "! \t\r " B "]", "a"},
        {"[" A "," S "!\n;" B "]", "a"},
        {"[" A "," S "!\n; " B "]", "a"},
        {"[" A "," S "!,{5}," B "]", "ab"},
        {"[" A "," S "!,{ \r\n\t\"ph\":\"B\",\"ts\":2,\"pid\":1,\"name\":\"b\"}]", "ab"},
        {"[" A "," S "!," T "{", "a"},
        {"[" A "," S "!," T "{ ", "a"},
        {"[" A "," S "!" T "{", "a"},
        {"[" A "," S "!,{5", "a"},
        {"[" A "," S "!," T "{\"ph\":\"B\"", "a"},
        {"[" A "," S "!," T "{\"ph\":\"B\",\"args\":{\"l\":[\n{\"ph\":", "a"},
        {"[" A "," S "!,{\"ph\" " S "5}," B "]", "ab"},
        {"[" A "," S "!,{\"y\":" B "}]", "a"},
        {"[" A "," S "!,{\"y\":1}," B "]", "ab"},
        {"[" A "," S "!,{\"y\":1}" B "]", "ab"},
        {"[" A "," S "!]}," B "]", "ab"},
        {"[" A "," S "!," B "," A "]", "aba"},
        {"[" A "," S "!," B "," S "," A "]", "aba"},
        {"[" A "," S "!," B "] " D "[" A "]", "aba"},
        {"[" A "," S "!,{\"traceEvents\":[" B "]}", "ab"},
        {"[" A "," S "!," T "{\"traceEvents\":[" B, "ab"},
        {"{\"traceEvents\":[" A "," S "!," B "],\"x\":1}", "ab"},
        {"{\"traceEvents\":[" A "," S "!," B "]" T, "ab"},
        {"{\"x\" " S "," A "]}", "a"},
    };
    EXPECT_ALL(rows);
}

Test(document_states, after_the_document)
{
    static const expected rows[] = {
        {"[" A "] \n\t\r", "a"},
        {"[" A "] " S "]", "a"},
        {"[" A "]" S "," B "]", "ab"},
        {"[" A "]" S "5" B "]", "a"},
        {"[" A "]\n" MARK MARK " \n", "a"},
        {"[" A "]" MARK D "[" B, "ab"},
        {"[" A "]" MARK S "5", "a"},
        {"[" A "]" S "\xef\xbb", "a"},
        {"[" A "]" S "\xef\xbb\n" B, "ab"},
        {"[" A "]" S "\xef\xbb\xbe,[" B "]", "ab"},
        {"[" A "] " D "{}", "a"},
        {"[" A "] " D "{" T, "a"},
        {"[" A "] " D S B, "ab"},
        {"[" A "] " D "[" B "]" D "[" A "]", "aba"},
        {"[" A "]" D "{\"x\":[1],\"traceEvents\":[" B "]}" S "]", "ab"},
        {"{\"traceEvents\":[" A "]}" D "[" B "," S "," A, "aba"},
        {"{\"traceEvents\":[" A "," S "[" B S "[]" T, "ab"},
    };
    EXPECT_ALL(rows);
}

/* Reading in vain has used up the patience: an event that breaks is not gone over once more, so that the search begins
 * at the byte that broke it, with what stands before that. */
Test(document_states, without_patience)
{
    static const struct {
        const char *text, *names;
    } ends[] = {
        {"5\n" B "]", "ab"}, {"5 \r\n\t" B "," B "]", "abb"},
        {"5 \t" B "]", "a"}, {"5;\n" B "]", "ab"},
        {"5;," B "]", "ab"}, {"5; " B "]", "a"},
    };
    enum { LEVELS = 4000 };
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        pf_buffer text = {0};
        pf_buffer_text(&text, "[" A ",");
        for (int k = 0; k < LEVELS; k++) {
            pf_buffer_text(&text, "{\"a\":[");
        }
        pf_buffer_text(&text, ends[i].text);
        cr_assert_not(text.failed);
        pf_trace *t = load_bytes(text.data, text.len, NULL, 0, NULL);
        expect_events(t, ends[i].names, ends[i].text);
        cr_expect_eq(stat_of(t, PF_STAT_JSON_SYNTAX), 1, "%s", ends[i].text);
        pf_trace_free(t);
        pf_buffer_free(&text);
    }
}

/* What was read in vain once leaves patience for long events. */
Test(document_states, long_events_after_one_that_is_cut)
{
    static const char *const heads[] = {
        "[" A ",{\"ph\":\"B\",\"args\":{\"l\":[\n",
        "[" A ",!,{\"ph\":\"B\",\"args\":{\"l\":[\n",
        "[" A ",{\"ph\":\"B\",\"args\":{\"l\":[1 2,\n",
    };
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        char text[4096];
        snprintf(text, sizeof text, "%s{\"ph\":\"B\",\"ts\":2,\"pid\":1,\"name\":\"b\",\"args\":{\"k\":\"%*s\"}}",
                 heads[i], 2000, "");
        pf_trace *t = load(text);
        expect_events(t, "ab", heads[i]);
        pf_trace_free(t);
    }
}

/* Whoever has read 8 MiB in vain (and a little more for what stands in front) has no patience left: events of more than
 * 256 bytes are not waited for, and what broke is not gone over once more. Each head is read in vain up to the end of
 * the text, with `mib` of filling; the event "l" has more than 256 bytes. */
Test(document_states, what_is_read_in_vain_is_counted)
{
#define CUT "{\"ph\":\"B\",\"args\":{\"l\":[\n"
    static const struct {
        const char *head, *tail;
        unsigned mib;
        const char *names;
    } rows[] = {
        /* an event without an end, among events and as a candidate */
        {"[" A "," CUT, "", 7, "alb"},
        {"[" A "," CUT, "", 9, "ab"},
        {"[" A ",!," CUT, "", 7, "alb"},
        {"[" A ",!," CUT, "", 9, "ab"},
        /* the same in the event: together they are too much */
        {"[" A "," CUT CUT, "", 3, "alb"},
        {"[" A "," CUT CUT, "", 5, "ab"},
        /* events that break at the end: the second one is not gone over */
        {"[" A "," CUT, " 2]}},\n" A, 7, "alba"},
        {"[" A "," CUT, " 2]}},\n" A, 9, "aa"},
        {"[" A "," CUT CUT, " 2]}},\n" A, 3, "alba"},
        {"[" A "," CUT CUT, " 2]}},\n" A, 5, "aa"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        size_t filling = (size_t)rows[i].mib << 20, begun;
        pf_buffer text = {0};
        pf_buffer_text(&text, rows[i].head);
        pf_buffer_format(
            &text, "{\"ph\":\"B\",\"ts\":2,\"pid\":1,\"name\":\"l\",\"args\":{\"k\":\"%*s\"}},\n" B ",\n\"", 300, "");
        begun = text.len;
        char *room = pf_buffer_room(&text, filling);
        cr_assert_not_null(room);
        memset(room, 'x', filling);
        text.len = begun + filling;
        pf_buffer_text(&text, "\"");
        pf_buffer_text(&text, rows[i].tail);
        pf_trace *t = load_bytes(text.data, text.len, NULL, 0, NULL);
        expect_events(t, rows[i].names, rows[i].head);
        pf_trace_free(t);
        pf_buffer_free(&text);
    }
#undef CUT
}
