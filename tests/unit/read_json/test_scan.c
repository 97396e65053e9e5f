/* The scanner: strings found sixteen bytes at a time equal strings found one at a time; values are passed over. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "base/files/file.h"
#include "base/text/json_text.h"
#include "json/scan/skip.h"

/* A small generator, so that the test needs no library and always does the same. */
static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 16;
}

Test(scan, string_end_agrees_with_the_plain_form)
{
    static const char alphabet[] = "aaaaaaaaaaaaaaaaab\\\"\n\xc3\xa9{}";
    uint8_t buffer[160 + PF_SLOP];
    uint32_t state = 7;
    for (int round = 0; round < 20000; round++) {
        size_t len = next_random(&state) % 160;
        size_t start = len ? next_random(&state) % len : 0;
        for (size_t i = 0; i < sizeof buffer; i++) {
            buffer[i] = (uint8_t)alphabet[next_random(&state) % (sizeof alphabet - 1)];
        }
        bool fast_escaped = false, plain_escaped = false;
        const uint8_t *fast = pf_json_string_end(buffer + start, buffer + len, &fast_escaped);
        const uint8_t *plain = pf_json_string_end_plain(buffer + start, buffer + len, &plain_escaped);
        cr_assert_eq(fast, plain, "round %d: %td and %td", round, fast ? fast - buffer : -1,
                     plain ? plain - buffer : -1);
        cr_assert(fast == NULL || fast_escaped == plain_escaped, "round %d", round);
    }
}

static pf_json_scan_result scan(const char *text, pf_json_scan *s, size_t *at)
{
    size_t len = strlen(text);
    uint8_t *bytes = calloc(1, len + PF_SLOP);
    memcpy(bytes, text, len);
    const uint8_t *p = bytes;
    pf_json_scan_start(s);
    pf_json_scan_result r = pf_json_scan_value(s, &p, bytes + len);
    *at = (size_t)(p - bytes);
    free(bytes);
    return r;
}

Test(scan, whole_values)
{
    static const struct {
        const char *text;
        size_t end, values, deepest, foreign;
    } cases[] = {
        {"{},", 2, 0, 1, 0},
        {"[ ] ", 3, 0, 1, 0},
        {"\"a\\\"b\" ", 6, 0, 0, 0},
        {"12.5,", 4, 0, 0, 0},
        {"{\"a\":1}x", 7, 1, 1, 0},
        {"{\"a\":1,\"b\":[2,3],\"c\":{}}", 24, 5, 2, 0},
        {"{\"a\" : {\"b\" : null } , } ", 24, 2, 2, 0},
        {"[1,[2,[3]],]", 12, 5, 3, 0},
        {"[NaN,-Infinity,true,null,false,-1]", 34, 6, 1, 2},
        {"{\"}]\":\"{[\"}", 11, 1, 1, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pf_json_scan s;
        size_t at;
        cr_expect_eq(scan(cases[i].text, &s, &at), PF_JSON_DONE, "%s", cases[i].text);
        cr_expect_eq(at, cases[i].end, "%s ends at %zu", cases[i].text, at);
        cr_expect_eq(s.values, cases[i].values, "%s has %zu values", cases[i].text, (size_t)s.values);
        cr_expect_eq(s.deepest, cases[i].deepest, "%s", cases[i].text);
        cr_expect_eq(s.foreign, cases[i].foreign, "%s", cases[i].text);
    }
}

Test(scan, damage_is_seen_where_it_is)
{
    static const struct {
        const char *text;
        size_t at;
    } cases[] = {
        {"{\"a\":\"say \"hi\" there\"}", 11},
        {"{\"a\" 1}", 5},
        {"{\"a\":1 \"b\":2}", 7},
        {"{1:2}", 1},
        {"{\"a\":1,{", 7},
        {"[1}", 2},
        {"{\"a\":[1}", 7},
        {"[\"a\":1]", 4},
        {"{\"a\":,", 5},
        {"[1,,2]", 3},
        {"}", 0},
        {"{\"a\"}", 4},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pf_json_scan s;
        size_t at;
        cr_expect_eq(scan(cases[i].text, &s, &at), PF_JSON_BAD, "%s", cases[i].text);
        cr_expect_eq(at, cases[i].at, "%s stops at %zu", cases[i].text, at);
    }
}

Test(scan, can_be_interrupted_anywhere)
{
    static const char text[] = "{\"key\\\"\": [1.5e3, {\"x\": \"a\\\\\", \"y\": [true, null]}, \"\"], \"z\": -7} ";
    uint8_t bytes[sizeof text + PF_SLOP] = {0};
    memcpy(bytes, text, sizeof text - 1);
    for (size_t cut = 0; cut < sizeof text - 2; cut++) {
        pf_json_scan s;
        const uint8_t *p = bytes;
        pf_json_scan_start(&s);
        cr_assert_eq(pf_json_scan_value(&s, &p, bytes + cut), PF_JSON_MORE, "cut at %zu", cut);
        cr_assert_leq(p, bytes + cut);
        cr_assert_eq(pf_json_scan_value(&s, &p, bytes + sizeof text - 1), PF_JSON_DONE, "cut at %zu", cut);
        cr_assert_eq(p, bytes + sizeof text - 2, "cut at %zu", cut);
        cr_assert_eq(s.values, 9);
        cr_assert_eq(s.deepest, 4);
    }
}

Test(scan, deep_nesting_needs_no_stack)
{
    enum { DEPTH = 1000000 };
    uint8_t *bytes = calloc(1, 2 * DEPTH + PF_SLOP);
    memset(bytes, '[', DEPTH);
    memset(bytes + DEPTH, ']', DEPTH);
    pf_json_scan s;
    const uint8_t *p = bytes;
    pf_json_scan_start(&s);
    cr_expect_eq(pf_json_scan_value(&s, &p, bytes + 2 * DEPTH), PF_JSON_DONE);
    cr_expect_eq(s.deepest, DEPTH);
    cr_expect_eq(p, bytes + 2 * DEPTH);
    free(bytes);
}

/* Below the levels whose kind is known a text may be a key or a value, and what comes before a colon is no matter. */
Test(scan, any_grammar_below_the_typed_levels)
{
    static const char inner[] = "{\"k\" : 1, \"l\":[\"a\" , \"b\"],3:4,[5}}";
    enum { DEPTH = PF_JSON_TYPED_DEPTH, LEN = 2 * DEPTH + sizeof inner - 1 };
    for (size_t typed = 0; typed <= 1; typed++) { /* one level less: the grammar counts */
        char text[LEN + 1];
        size_t depth = DEPTH - typed, at;
        memset(text, '[', depth);
        memcpy(text + depth, inner, sizeof inner - 1);
        memset(text + depth + sizeof inner - 1, ']', depth);
        text[2 * depth + sizeof inner - 1] = 0;
        pf_json_scan s;
        cr_expect_eq(scan(text, &s, &at), typed ? PF_JSON_BAD : PF_JSON_DONE);
        cr_expect_eq(at, typed ? (size_t)(strstr(text, "3:4") - text) : strlen(text), "%zu", at);
        if (!typed) {
            cr_expect_eq(s.values, depth + 7, "%zu", (size_t)s.values);
            cr_expect_eq(s.deepest, depth + 2);
        }
    }
}

Test(text, escapes)
{
    static const struct {
        const char *in, *out;
        unsigned lone;
    } cases[] = {
        {"plain", "plain", 0},
        {"a\\\"b\\\\c\\/d", "a\"b\\c/d", 0},
        {"\\b\\f\\n\\r\\t", "\b\f\n\r\t", 0},
        {"\\u0041\\u00e4\\u20AC", "A\xc3\xa4\xe2\x82\xac", 0},
        {"\\ud83d\\ude00", "\xf0\x9f\x98\x80", 0},
        {"\\ud83d", "\xed\xa0\xbd", 1},
        {"\\ude00x", "\xed\xb8\x80x", 1},
        {"\\ud83d\\ud83d\\ude00", "\xed\xa0\xbd\xf0\x9f\x98\x80", 1},
        {"\\u12", "u12", 0},
        {"\\q", "q", 0},
        {"end\\", "end", 0},
        {"raw \xff\x01", "raw \xff\x01", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char out[64];
        unsigned lone = 0;
        size_t n = pf_json_unescape((const uint8_t *)cases[i].in, strlen(cases[i].in), out, &lone);
        cr_expect_eq(n, strlen(cases[i].out), "%s", cases[i].in);
        cr_expect_eq(memcmp(out, cases[i].out, n), 0, "%s", cases[i].in);
        cr_expect_eq(lone, cases[i].lone, "%s", cases[i].in);
    }
}

Test(text, a_nul_survives)
{
    char out[16];
    unsigned lone = 0;
    size_t n = pf_json_unescape((const uint8_t *)"a\\u0000b", 8, out, &lone);
    cr_expect_eq(n, 3);
    cr_expect_eq(memcmp(out, "a\0b", 3), 0);
}
