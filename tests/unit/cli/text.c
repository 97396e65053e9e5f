/* Text for people and for JSON: untrusted bytes, widths, units. */
#include <criterion/criterion.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/terminal/terminal.h"

static pf_buffer b;

static const char *taken(void)
{
    static char text[1024];
    cr_assert(!b.failed && b.len < sizeof text);
    if (b.len) {
        memcpy(text, b.data, b.len);
    }
    text[b.len] = '\0';
    pf_buffer_free(&b);
    b = (pf_buffer){0};
    return text;
}

#define S(literal) ((pf_str){(literal), sizeof(literal) - 1})

static const char *clean(pf_str s, bool lines)
{
    pf_cli_put_clean(&b, s.ptr, s.len, lines);
    return taken();
}

Test(text, clean_keeps_text_and_drops_commands)
{
    cr_assert_str_eq(clean(S("plain \xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80"), false),
                     "plain \xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80");
    cr_assert_str_eq(clean(S("\033[31m\a\r\t\x7f"), false), "?[31m????");
    cr_assert_str_eq(clean(S("a\0b"), false), "a?b");
    cr_assert_str_eq(clean(S("a\nb"), false), "a?b");
    cr_assert_str_eq(clean(S("a\nb"), true), "a\nb");
    cr_assert_str_eq(clean(S("\xc2\x9b"
                             "31m"),
                           false),
                     "?31m", "C1 control as UTF-8");
    cr_assert_str_eq(clean(S("\x9b\xff\xc3"), false), "???", "no UTF-8");
    cr_assert_str_eq(clean(S("\xc0\xaf\xe0\x80\xaf"), false), "?????", "overlong");
    cr_assert_str_eq(clean(S("\xed\xa0\x80"), false), "?", "lone surrogate");
    cr_assert_str_eq(clean(S("\xf4\x90\x80\x80"), false), "????", "beyond U+10FFFF");
}

Test(text, fitted)
{
    cr_assert_eq(pf_cli_put_fitted(&b, S("abcdef"), 6), 6);
    cr_assert_str_eq(taken(), "abcdef");
    cr_assert_eq(pf_cli_put_fitted(&b, S("abcdefg"), 6), 6);
    cr_assert_str_eq(taken(), "ab...g", "the middle goes");
    cr_assert_eq(pf_cli_put_fitted(&b, S("\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4"), 4), 4);
    cr_assert_str_eq(taken(), "\xc3\xa4...", "characters are not cut apart");
}

static const char *bytes(uint64_t n)
{
    pf_cli_put_bytes(&b, n);
    return taken();
}

Test(text, bytes)
{
    cr_assert_str_eq(bytes(0), "0 bytes");
    cr_assert_str_eq(bytes(1), "1 byte");
    cr_assert_str_eq(bytes(999), "999 bytes");
    cr_assert_str_eq(bytes(1500), "1.5 kB (1500 bytes)");
    cr_assert_str_eq(bytes(999949), "999.9 kB (999949 bytes)");
    cr_assert_str_eq(bytes(999999), "1.0 MB (999999 bytes)");
    cr_assert_str_eq(bytes(UINT64_MAX), "18.4 EB (18446744073709551615 bytes)");
}

static const char *size(uint64_t n)
{
    pf_cli_put_size(&b, n);
    return taken();
}

Test(text, sizes_as_options_take_them)
{
    cr_assert_str_eq(size(0), "0");
    cr_assert_str_eq(size(512), "512");
    cr_assert_str_eq(size(65536), "64K");
    cr_assert_str_eq(size(1500 * 1024 * 1024ull), "1500M");
    cr_assert_str_eq(size(16ull << 30), "16G");
    cr_assert_str_eq(size(4ull << 40), "4096G");
}

static const char *span(int64_t n, pf_time_unit unit)
{
    pf_cli_put_span(&b, n, unit);
    return taken();
}

Test(text, spans)
{
    cr_assert_str_eq(span(0, PF_UNIT_NS), "0 ns");
    cr_assert_str_eq(span(999, PF_UNIT_NS), "999 ns");
    cr_assert_str_eq(span(1250, PF_UNIT_NS), "1.250 us");
    cr_assert_str_eq(span(1250000, PF_UNIT_NS), "1.250 ms");
    cr_assert_str_eq(span(61000000000, PF_UNIT_NS), "61.000 s");
    cr_assert_str_eq(span(61000000000, PF_UNIT_CYCLE), "61000000000 cycles");
    cr_assert_str_eq(span(INT64_MIN, PF_UNIT_CYCLE), "-9223372036854775808 cycles");
}

Test(text, wrapping)
{
    const char *word = "12345678901234567890123456789012345678";
    pf_buffer text = {0};
    pf_buffer_format(&text, "%s %s %s", word, word, word);
    pf_buffer_put(&text, "", 1);
    pf_cli_put_wrapped(&b, text.data, 0, 2);
    pf_buffer expected = {0};
    pf_buffer_format(&expected, "%s %s\n  %s", word, word, word);
    pf_buffer_put(&expected, "", 1);
    cr_assert_str_eq(taken(), expected.data, "two words of 38 and a blank are 77 columns");
    pf_cli_put_wrapped(&b, text.data, 26, 26);
    cr_assert_eq(b.len, 3 * 38 + 2 * 27, "each word on a line of its own");
    taken();
    pf_cli_put_words(&b, "idle 72.9 ms, 13 % of \xc3\xa4\xc3\xb6\xc3\xbc\xc3\xa4\xc3\xb6 10", 10, 0, 1);
    cr_assert_str_eq(taken(), "idle\n 72.9 ms,\n 13 % of\n \xc3\xa4\xc3\xb6\xc3\xbc\xc3\xa4\xc3\xb6 10",
                     "a number keeps its unit");
    pf_buffer_free(&text);
    pf_buffer_free(&expected);
}

static const char *json(pf_str s)
{
    pf_cli_put_json_text(&b, s);
    return taken();
}

Test(text, json)
{
    cr_assert_str_eq(json(S("a\"b\\c\n\t\x01")), "\"a\\\"b\\\\c\\n\\u0009\\u0001\"");
    cr_assert_str_eq(json(S("\xe2\x82\xac")), "\"\xe2\x82\xac\"");
    cr_assert_str_eq(json(S("\xed\xa0\x80")), "\"\\ud800\"", "a lone surrogate stays one");
    cr_assert_str_eq(json(S("\xff")), "\"\\ufffd\"");
    cr_assert_str_eq(json((pf_str){NULL, 0}), "\"\"");
}
