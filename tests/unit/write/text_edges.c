/* text_edges.c - where the rules of texts begin and end: UTF-8, what terminals and Markdown are spared, fields of CSV,
 * numbers that are short. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#include "base/text/utf8.h"
#include "support.h"
#include "write/perfetto/debug_annotations.h"
#include "write/report/report_text.h"

/* ---- UTF-8 ------------------------------------------------------------------------------------------------------- */

/* The first code point of the bytes, and how many of them it takes. */
static void expect_code(pf_str bytes, uint32_t code, size_t taken)
{
    size_t at = 0;
    cr_expect_eq(pf_utf8_next(bytes, &at), code, "%x", (unsigned)code);
    cr_expect_eq(at, taken, "%x takes %zu bytes", (unsigned)code, at);
}

Test(text_edges, code_points_of_every_length)
{
    static const struct {
        pf_str bytes;
        uint32_t code;
    } cases[] = {
        {{"\0", 1}, 0},
        {PF_STR("\x7f"), 0x7f},
        {PF_STR("\xc2\x80"), 0x80},
        {PF_STR("\xdf\xbf"), 0x7ff},
        {PF_STR("\xe0\xa0\x80"), 0x800},
        {PF_STR("\xed\xa0\x80"), 0xd800},
        {PF_STR("\xef\xbf\xbf"), 0xffff},
        {PF_STR("\xf0\x90\x80\x80"), 0x10000},
        {PF_STR("\xf4\x8f\xbf\xbf"), 0x10ffff},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char out[4];
        expect_code(cases[i].bytes, cases[i].code, cases[i].bytes.len);
        cr_expect_eq(pf_utf8_put(cases[i].code, out), cases[i].bytes.len);
        cr_expect_eq(memcmp(out, cases[i].bytes.ptr, cases[i].bytes.len), 0, "%x", (unsigned)cases[i].code);
    }
}

Test(text_edges, bytes_that_are_no_code_point)
{
    static const pf_str cases[] = {
        PF_STR("\x80"),             /* nothing begins so */
        PF_STR("\xc1\xbf"),         /* overlong */
        PF_STR("\xe0\x9f\xbf"),     /* overlong */
        PF_STR("\xf0\x8f\xbf\xbf"), /* overlong */
        PF_STR("\xf4\x90\x80\x80"), /* above U+10FFFF */
        PF_STR("\xf5\x80\x80\x80"),
        PF_STR("\xff"),
        PF_STR("\xc2"), /* cut */
        PF_STR("\xe2\x82"),
        PF_STR("\xf0\x9f\x98"),
        PF_STR("\xc2("), /* goes on wrongly */
        PF_STR("\xe2\x82("),
        PF_STR("\xf0\x9f\x98("),
        PF_STR("\xc2\xc0"),
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        expect_code(cases[i], PF_REPLACEMENT, 1);
    }
}

/* ---- tables ------------------------------------------------------------------------------------------------------ */

static const pf_column one_column[] = {{"x", PF_CELL_TEXT, 0, ""}};

typedef enum shape { MARKDOWN, ALIGNED, DETAILS } shape;

/* A table of one column and one row with this text. */
static void expect_cell(shape form, pf_str text, const char *cell)
{
    static const struct {
        const char *before, *after;
    } parts[] = {{"| x |\n|---|\n| ", " |\n"},
                 {"x\n", "\n"},
                 {"<details><summary><strong></strong></summary>\n\n| x |\n|---|\n| ", " |\n\n</details>\n"}};
    pf_findings *f = pf_findings_new(NULL);
    pf_table_builder *t = pf_table_new(f, (pf_str){NULL, 0}, one_column, 1);
    const pf_cell row[] = {{.as.s = text}};
    pf_buffer out = {0};
    char expected[256];
    snprintf(expected, sizeof expected, "%s%s%s", parts[form].before, cell, parts[form].after);
    pf_table_row(f, t, row);
    if (form == ALIGNED) {
        pf_table_aligned(&out, pf_table_view(t), NULL);
    } else {
        (form == MARKDOWN ? pf_table_markdown : pf_table_details)(&out, pf_table_view(t));
    }
    pf_buffer_put(&out, "", 1);
    cr_expect_str_eq(out.data, expected);
    pf_buffer_free(&out);
    pf_findings_free(f);
}

#define BAD "\xef\xbf\xbd"

Test(text_edges, controls_that_neither_a_terminal_nor_markdown_gets)
{
    static const struct {
        pf_str text;
        const char *aligned, *markdown;
    } cases[] = {
        {PF_STR("a\x1f"), "a" BAD, "a" BAD},
        {PF_STR("a b"), "a b", "a b"},
        {PF_STR("~\x7f"), "~" BAD, "~" BAD},
        {PF_STR("\xc2\x80\xc2\x9f\xc2\xa0"), BAD BAD "\xc2\xa0", BAD BAD "\xc2\xa0"},
        {PF_STR("a\nb\rc\td"), "a" BAD "b" BAD "c" BAD "d", "a b c d"},
        {PF_STR("\xed\x9f\xbf\xed\xa0\x80\xed\xbf\xbf\xee\x80\x80"), "\xed\x9f\xbf" BAD BAD "\xee\x80\x80",
         "\xed\x9f\xbf" BAD BAD "\xee\x80\x80"},
        {PF_STR("a|b"), "a|b", "a\\|b"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        expect_cell(ALIGNED, cases[i].text, cases[i].aligned);
        expect_cell(MARKDOWN, cases[i].text, cases[i].markdown);
    }
    expect_cell(DETAILS, PF_STR("a\nb\x1f|\xed\xa0\x80"), "a\nb\x1f|" BAD);
}

Test(text_edges, units_that_a_heading_has_already)
{
    static const pf_column columns[] = {{"busy ms", PF_CELL_INT, 0, "ms"},
                                        {"idle", PF_CELL_INT, 0, "ms"},
                                        {"bare", PF_CELL_INT, 0, NULL},
                                        {"last", PF_CELL_TEXT, 0, ""}};
    pf_findings *f = pf_findings_new(NULL);
    pf_table_builder *t = pf_table_new(f, PF_STR("a|b"), columns, 4);
    const pf_cell row[] = {{.as.i = 1}, {.as.i = 123456789}, {.as.i = 3}, {.as.s = PF_STR("x")}};
    pf_table_row(f, t, row);
    char *text;
    size_t len;
    cr_assert_eq(pf_format_table(pf_table_view(t), false, &text, &len, NULL), PF_OK);
    cr_expect_str_eq(text, "a|b\n"
                           "busy ms  idle (ms)  bare  last\n"
                           "      1  123456789     3  x\n");
    free(text);
    cr_assert_eq(pf_format_table(pf_table_view(t), true, &text, &len, NULL), PF_OK);
    cr_expect_str_eq(text, "**a\\|b**\n\n"
                           "| busy ms | idle (ms) | bare | last |\n"
                           "|---:|---:|---:|---|\n"
                           "| 1 | 123456789 | 3 | x |\n");
    free(text);
    pf_findings_free(f);
}

/* ---- CSV --------------------------------------------------------------------------------------------------------- */

static const pf_column csv_columns[] = {{"a;b", PF_CELL_TEXT, 0, ""},
                                        {"n", PF_CELL_INT, 0, ""},
                                        {"fixed", PF_CELL_REAL, 0, ""},
                                        {"exact", PF_CELL_REAL, -1, ""}};

static void expect_csv(const pf_csv_style *style, const char *expected)
{
    static const pf_str texts[] = {PF_STR("plain"),   PF_STR(""),     PF_STR("a,b"),  PF_STR("a;b"),
                                   PF_STR("\"q\"\""), PF_STR("a\nb"), PF_STR("a\rb"), PF_STR(" x ")};
    pf_findings *f = pf_findings_new(NULL);
    pf_table_builder *t = pf_table_new(f, PF_STR("title"), csv_columns, 4);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const pf_cell row[] = {
            {.as.s = texts[i]}, {.as.i = (int64_t)i - 1}, {.null = i % 2, .as.d = 2.75}, {.null = i % 2, .as.d = 0.1}};
        pf_table_row(f, t, row);
    }
    char *text;
    size_t len;
    pf_error err;
    cr_assert_eq(pf_format_csv(pf_table_view(t), style, &text, &len, &err), PF_OK);
    cr_expect_str_eq(text, expected);
    cr_expect_eq(len, strlen(expected));
    free(text);
    pf_findings_free(f);
}

Test(text_edges, csv_fields_are_quoted_where_they_must_be)
{
    expect_csv(NULL, "a;b,n,fixed,exact\n"
                     "plain,-1,3,0.1\n"
                     "\"\",0,,\n"
                     "\"a,b\",1,3,0.1\n"
                     "a;b,2,,\n"
                     "\"\"\"q\"\"\"\"\",3,3,0.1\n"
                     "\"a\nb\",4,,\n"
                     "\"a\rb\",5,3,0.1\n"
                     " x ,6,,\n");
    const pf_csv_style style = {.separator = ';', .crlf = true};
    expect_csv(&style, "\"a;b\";n;fixed;exact\r\n"
                       "plain;-1;3;0.1\r\n"
                       "\"\";0;;\r\n"
                       "a,b;1;3;0.1\r\n"
                       "\"a;b\";2;;\r\n"
                       "\"\"\"q\"\"\"\"\";3;3;0.1\r\n"
                       "\"a\nb\";4;;\r\n"
                       "\"a\rb\";5;3;0.1\r\n"
                       " x ;6;;\r\n");
}

Test(text_edges, csv_without_a_header)
{
    const pf_csv_style style = {.no_header = true};
    pf_findings *f = pf_findings_new(NULL);
    pf_table_builder *t = pf_table_new(f, PF_STR("title"), one_column, 1);
    const pf_cell row[] = {{.as.s = PF_STR("v")}};
    pf_table_row(f, t, row);
    pf_buffer out = {0};
    pf_table_csv(&out, pf_table_view(t), &style);
    cr_expect(out.len == 2 && memcmp(out.data, "v\n", 2) == 0);
    pf_buffer_free(&out);
    pf_findings_free(f);
}

/* ---- texts that come again --------------------------------------------------------------------------------------- */

/* A table as CSV, Markdown and JSON. */
static pf_buffer all_shapes(const pf_cell *cells, size_t rows)
{
    static const pf_json_style style = {.item_separator = ",", .key_separator = ":", .one_line = true};
    const pf_table t = {.name = "t", .columns = one_column, .column_count = 1, .cells = cells, .row_count = rows};
    pf_json_sink s = {.file = NULL};
    pf_table_csv(&s.out, &t, NULL);
    pf_table_markdown(&s.out, &t);
    pf_json_put_rows(&s, &style, &t, 0, 0);
    return s.out;
}

/* The same texts, each in memory of its own, none of which is come back to. */
Test(text_edges, texts_that_come_again_are_written_as_the_first_time)
{
    enum { ROWS = 500 };
    static const char texts[] = "a|b,\"c\"\n\xc3\xa9\\d";
    static char copies[ROWS][16];
    static pf_cell again[ROWS], apart[ROWS];
    for (size_t i = 0; i < ROWS; i++) {
        size_t at = i * 7 % 6, len = i * 5 % 7;
        memcpy(copies[i], texts + at, len);
        again[i].as.s = i % 11 ? (pf_str){texts + at, len} : (pf_str){NULL, 0};
        apart[i].as.s = i % 11 ? (pf_str){copies[i], len} : (pf_str){NULL, 0};
    }
    pf_buffer found = all_shapes(again, ROWS), expected = all_shapes(apart, ROWS);
    cr_expect(found.len == expected.len && memcmp(found.data, expected.data, found.len) == 0);
    pf_buffer_free(&found);
    pf_buffer_free(&expected);
}

/* ---- short numbers ----------------------------------------------------------------------------------------------- */

static void expect_number(pf_value v, const char *expected)
{
    char text[PF_SHORT_NUMBER_MAX + 1] = "";
    text[pf_short_number(&v, text)] = '\0';
    cr_expect_str_eq(text, expected);
}

Test(text_edges, integers_and_reals_that_are_short)
{
    static const struct {
        double v;
        const char *text;
    } reals[] = {
        {0, "0.0"},   {-0.0, ""},     {5, "5.0"},       {0.5, "0.5"},   {12.25, "12.25"},       {-2.125, "-2.125"},
        {0.1, "0.1"}, {0.01, "0.01"}, {0.001, "0.001"}, {0.0005, ""},   {999999.5, "999999.5"}, {1e6, ""},
        {-1e6, ""},   {NAN, ""},      {INFINITY, ""},   {-INFINITY, ""}};
    for (size_t i = 0; i < sizeof reals / sizeof *reals; i++) {
        expect_number((pf_value){.type = PF_VALUE_REAL, .as.d = reals[i].v}, reals[i].text);
    }
    expect_number((pf_value){.type = PF_VALUE_INT, .as.i = 0}, "0");
    expect_number((pf_value){.type = PF_VALUE_INT, .as.i = 10}, "10");
    expect_number((pf_value){.type = PF_VALUE_INT, .as.i = -9}, "-9");
    expect_number((pf_value){.type = PF_VALUE_INT, .as.i = INT64_MIN}, "-9223372036854775808");
    expect_number((pf_value){.type = PF_VALUE_UINT, .as.u = 1}, "");
    expect_number((pf_value){.type = PF_VALUE_BOOL, .as.b = true}, "");
}

/* Perfetto reads the digits after the point as a whole number, divides it by its power of ten and adds that. */
static double read_like_perfetto(const char *text)
{
    char *end;
    double whole = (double)strtoull(text, &end, 10), scale = 1;
    cr_assert_eq(*end, '.');
    for (const char *p = end + 1; *p; p++) {
        scale *= 10;
    }
    return whole + (double)strtoull(end + 1, NULL, 10) / scale;
}

/* Every real that has a text reads back from it in both ways: thousandths, and the doubles next to them. */
Test(text_edges, short_reals_read_back)
{
    size_t with_text = 0;
    for (uint32_t k = 1; k < 1000000000 / 7; k += 997) {
        double middle = k / 1000.0, values[] = {nextafter(middle, 0), middle, nextafter(middle, 1e9)};
        for (size_t i = 0; i < 3; i++) {
            const pf_value v = {.type = PF_VALUE_REAL, .as.d = values[i]};
            char text[PF_SHORT_NUMBER_MAX + 1] = "";
            text[pf_short_number(&v, text)] = '\0';
            if (text[0]) {
                with_text++;
                cr_assert_eq(strtod(text, NULL), values[i], "%s", text);
                cr_assert_eq(read_like_perfetto(text), values[i], "%s", text);
            }
        }
    }
    cr_expect_gt(with_text, 100000);
}
