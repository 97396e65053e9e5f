/* page.c - the report page: hostile text stays text, long tables are cut, numbers are those of the table. What a
 * browser and checkers of HTML say of whole pages is in tests/page. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "postfetto/figure.h"
#include "postfetto/write.h"
#include "write/page/page_text.h"

static char *page_of(const pf_findings *f, const pf_page *page)
{
    char *text = NULL;
    size_t len = 0;
    pf_error err;
    cr_assert_eq(pf_format_page(f, page, &text, &len, &err), PF_OK);
    cr_assert_eq(strlen(text), len);
    return text;
}

static bool says(const char *text, const char *part)
{
    return strstr(text, part) != NULL;
}

static const pf_column columns[] = {{"name", PF_CELL_TEXT, 0, ""},
                                    {"total_ns", PF_CELL_INT, 0, "ns"},
                                    {"share_percent", PF_CELL_REAL, 1, "%"},
                                    {"calls", PF_CELL_INT, 0, ""}};

static void add_row(pf_findings *f, pf_table_builder *t, pf_str name, int64_t total, double share, int64_t calls)
{
    const pf_cell cells[] = {pf_cell_text(name), pf_cell_int(total), pf_cell_real(share), pf_cell_int(calls)};
    pf_table_row(f, t, cells);
}

Test(page, hostile_text_stays_text)
{
    static const pf_str names[] = {PF_STR("<script>alert(1)</script>"), PF_STR("\" onload='x' &amp;"),
                                   PF_STR("\xff\xfe\x01 \xed\xa0\x80"),
                                   PF_STR("\xd7\x90\xe2\x80\xae"
                                          "b")};
    pf_findings *f = pf_findings_new(NULL);
    pf_table_builder *t = pf_table_new(f, names[0], columns, 4);
    for (size_t i = 0; i < 4; i++) {
        add_row(f, t, names[i], 1, 1, 1);
        pf_findings_show_line(f, PF_NOTICE, "%s", names[i].ptr);
        pf_findings_show_line(f, PF_INFO, "%s", names[i].ptr);
    }
    pf_findings_show_table(f, t);
    pf_findings_set_headline(f, "%s", names[0].ptr);
    pf_findings_add_highlight(f, "n", "%s", names[1].ptr);
    const pf_page_line line = {names[0], names[1], "a b/javascript:\"x.csv"};
    const pf_page page = {.size = sizeof page,
                          .title = names[0],
                          .warnings = &line,
                          .warning_count = 1,
                          .facts = &line,
                          .fact_count = 1,
                          .links = &line,
                          .link_count = 1};
    char *text = page_of(f, &page);
    cr_assert(!says(text, "<script>alert") && !says(text, "\" onload"));
    cr_assert(says(text, "&lt;script&gt;alert(1)&lt;/script&gt;") && says(text, "&quot; onload=&#39;x&#39; &amp;amp;"));
    cr_assert(says(text, "<td>\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd \xef\xbf\xbd</td>"));
    cr_assert(says(text, "<td>\xd7\x90\xe2\x80\xae"
                         "b</td>"));
    cr_assert(says(text, "href=\"a%20b/javascript%3A%22x.csv\""));
    cr_assert(says(text, "<strong>5 warnings</strong>") && says(text, "<summary>2 more</summary>"));
    free(text);
    pf_findings_free(f);
}

Test(page, long_tables_and_names_are_cut)
{
    char name[10001];
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    pf_findings *f = pf_findings_new(NULL);
    for (size_t k = 0; k < 100; k++) {
        pf_table_builder *t = pf_table_new(f, PF_STR("rows"), columns, 4);
        for (int64_t i = 0; i < 300; i++) {
            add_row(f, t, (pf_str){name, sizeof name - 1}, i, 0, i);
        }
        pf_findings_show_table(f, t);
        pf_findings_report_csv(f, k ? PF_STR("others.csv") : PF_STR("rows.csv"), t, false);
    }
    for (size_t i = 0; i < 20000; i++) {
        pf_findings_show_line(f, PF_INFO, "line %zu", i);
        pf_findings_show_line(f, PF_NOTICE, "%s", name);
    }
    const pf_page page = {.size = sizeof page, .title = PF_STR("t"), .reports = "r/"};
    char *text = page_of(f, &page);
    cr_assert(says(text, "<p class=\"more\">100 more in <a href=\"r/rows.csv\">rows.csv</a></p>"));
    cr_assert(says(text, "<p class=\"more\">40 more tables are in the report files.</p>"));
    cr_assert(says(text, "<p class=\"more\">19940 more lines are shown on the terminal.</p>"));
    cr_assert(says(text, "<li>and 19950 others</li>"));
    cr_assert_lt(strlen(text), 2u * 1024 * 1024);
    free(text);
    pf_findings_free(f);
}

Test(page, cells_have_the_unit_of_their_column)
{
    pf_findings *f = pf_findings_new(NULL);
    pf_table_builder *t = pf_table_new(f, PF_STR("kernels"), columns, 4);
    add_row(f, t, PF_STR("a"), 12345678, 75, 1234567);
    add_row(f, t, PF_STR("b"), 1000, 25, 3);
    pf_findings_show_columns(f, t, "name,calls,share_percent,nothing,total_ns");
    const pf_page page = {.size = sizeof page, .title = PF_STR("t")};
    char *text = page_of(f, &page);
    cr_assert(says(text,
                   "<th scope=\"col\">name</th><th scope=\"col\" class=\"n\">calls</th><th scope=\"col\" class=\"n\">"
                   "share (%)</th><th scope=\"col\" class=\"n\">total (ms)</th></tr>"));
    cr_assert(says(text, "<td class=\"s\">a</td><td class=\"n\">1,234,567</td>"));
    cr_assert(says(text, "<rect width=\"75.0\" height=\"10\"/></svg>75.0</td>"));
    cr_assert(says(text, "<rect width=\"100.0\" height=\"10\"/></svg>12.346</td>"));
    cr_assert(says(text, "</svg>0.001</td>"));
    free(text);
    pf_findings_free(f);
}

Test(page, figures_stand_before_tables_with_their_numbers)
{
    pf_findings *f = pf_findings_new(NULL);
    pf_table_builder *shown = pf_table_new(f, PF_STR("kernels"), columns, 4),
                     *other = pf_table_new(f, PF_STR("others"), columns, 4);
    add_row(f, shown, PF_STR("</title><script>alert(1)</script>\xff\x01"), 12345678, 75, 1234567);
    add_row(f, other, PF_STR("b"), 1000, 25, 3);
    pf_findings_show_table(f, shown);
    pf_figure figure = {.name = "first",
                        .kind = PF_FIGURE_BARS,
                        .title = PF_STR("Kernels"),
                        .table = shown,
                        .label = "name",
                        .values = "total_ns"};
    pf_findings_add_figure(f, &figure);
    figure.name = "second";
    figure.table = other;
    pf_findings_add_figure(f, &figure);
    const pf_page page = {.size = sizeof page, .title = PF_STR("t")};
    char *text = page_of(f, &page), *first = strstr(text, "id=\"first-t\""), *second = strstr(text, "id=\"second-t\"");
    char *heading = strstr(text, ">Figures</h2>"), *tables = strstr(text, ">Tables</h2>");
    cr_assert(first && heading > first && second > heading && tables > second);
    cr_assert(!says(text, "<script>alert") && !says(text, "\xff") && !says(text, "\x01"));
    char *numbers = strstr(text, "<summary>The numbers of this figure</summary>");
    cr_assert(numbers > second && numbers < tables && !says(numbers + 1, "<summary>The numbers"));
    free(text);
    figure.values = "nothing";
    pf_findings_add_figure(f, &figure);
    size_t len;
    cr_assert_eq(pf_format_page(f, &page, &text, &len, NULL), PF_ERR_INTERNAL);
    cr_assert_null(text);
    pf_findings_free(f);
}

Test(page, headings_say_units_once)
{
    static const pf_column units[] = {{"rate_gb_per_s", PF_CELL_INT, 0, "GB/s"},
                                      {"energy_mj", PF_CELL_INT, 0, "mJ"},
                                      {"gb_per_s", PF_CELL_INT, 0, "GB/s"},
                                      {"bytes", PF_CELL_INT, 0, "bytes"},
                                      {"few_bytes", PF_CELL_INT, 0, "bytes"},
                                      {"turns", PF_CELL_INT, 0, "ns"},
                                      {"s", PF_CELL_INT, 0, "s"},
                                      {"length_of_it", PF_CELL_INT, 0, ""}};
    const pf_cell cells[] = {pf_cell_int(1), pf_cell_int(1), pf_cell_int(1), pf_cell_int(5000000),
                             pf_cell_int(1), pf_cell_int(1), pf_cell_int(1), pf_cell_int(1)};
    pf_findings *f = pf_findings_new(NULL);
    pf_table_builder *t = pf_table_new(f, PF_STR("units"), units, 8);
    pf_table_row(f, t, cells);
    pf_findings_show_table(f, t);
    const pf_page page = {.size = sizeof page, .title = PF_STR("t")};
    char *text = page_of(f, &page);
    static const char *const headings[] = {"rate (GB/s)", "energy (mJ)", "GB/s", "bytes (MB)",
                                           "few (bytes)", "turns (ns)",  "s",    "length of it"};
    const char *at = text;
    for (size_t i = 0; i < 8; i++) {
        char heading[60];
        snprintf(heading, sizeof heading, "class=\"n\">%s</th>", headings[i]);
        at = at ? strstr(at, heading) : NULL;
        cr_assert_not_null(at, "%s", headings[i]);
    }
    free(text);
    pf_findings_free(f);
}

Test(page, numbers)
{
    static const struct {
        double v;
        int decimals;
        const char *text;
    } reals[] = {{0, -1, "0"},
                 {0.30000000000000004, -1, "0.3000"},
                 {1234.5, -1, "1,234"},
                 {-1234567.25, 2, "-1,234,567.25"},
                 {12.34567, -1, "12.35"},
                 {0.00001234, -1, "1.234e-05"},
                 {999.96, -1, "1,000.0"}};
    for (size_t i = 0; i < sizeof reals / sizeof *reals; i++) {
        pf_buffer b = {0};
        pf_html_real(&b, reals[i].v, reals[i].decimals);
        cr_assert(pf_str_is((pf_str){b.data, b.len}, reals[i].text), "%zu: %.*s", i, (int)b.len, b.data);
        pf_buffer_free(&b);
    }
    static const int64_t ints[] = {0, -1, 999, -1000, INT64_MIN};
    static const char *const texts[] = {"0", "-1", "999", "-1,000", "-9,223,372,036,854,775,808"};
    for (size_t i = 0; i < 5; i++) {
        pf_buffer b = {0};
        pf_html_int(&b, ints[i]);
        cr_assert(pf_str_is((pf_str){b.data, b.len}, texts[i]));
        pf_buffer_free(&b);
    }
}
