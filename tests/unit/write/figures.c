/* figures.c - figures as pictures: places by hand, cells in the tooltips, hostile text, colours with the contrast that
 * WCAG asks of graphics. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "postfetto/postfetto.h"
#include "write/figure/scale.h"

#define S(text) ((pf_str){text, strlen(text)})

static const pf_column columns[] = {{"name", PF_CELL_TEXT, 0, ""},   {"kind", PF_CELL_TEXT, 0, ""},
                                    {"time", PF_CELL_REAL, 1, "ms"}, {"low", PF_CELL_INT, 0, "ns"},
                                    {"high", PF_CELL_INT, 0, "ns"},  {"share", PF_CELL_REAL, 2, "%"},
                                    {"group", PF_CELL_TEXT, 0, NULL}};
enum { WIDTH = sizeof columns / sizeof *columns };

typedef struct row {
    const char *name, *kind;
    double time;
    int64_t low, high;
    double share;
    const char *group;
} row;

static pf_table_builder *table_of(pf_findings *f, const row *rows, size_t count)
{
    pf_table_builder *t = pf_table_new(f, S("t"), columns, WIDTH);
    for (size_t i = 0; i < count; i++) {
        const row *r = &rows[i];
        pf_cell cells[WIDTH] = {pf_cell_text(S(r->name)), pf_cell_text(S(r->kind)), pf_cell_real(r->time),
                                pf_cell_int(r->low),      pf_cell_int(r->high),     pf_cell_real(r->share),
                                pf_cell_text(S(r->group))};
        pf_table_row(f, t, cells);
    }
    return t;
}

static const row three[] = {{"a", "compute", 50, 0, 100, 10, "g"},
                            {"b", "idle", 25, 200, 400, 20, "g"},
                            {"c", "compute", 100, 400, 1000, 30, "h"}};

/* The SVG; to be freed. */
static char *svg_of(const pf_figure *figure)
{
    char *text = NULL;
    size_t len = 0;
    pf_error err = {0};
    cr_assert_eq(pf_figure_svg(figure, &text, &len, &err), PF_OK, "%s: %s", figure->name, err.text);
    cr_assert_eq(len, strlen(text));
    return text;
}

/* An attribute of the i-th shape with a tooltip. */
static double attribute(const char *svg, unsigned i, const char *name)
{
    const char *at = strstr(svg, "</style>"), *mark = NULL;
    for (unsigned n = 0; n <= i; n++) {
        mark = strstr(at, "><title>");
        cr_assert(mark, "shape %u", n);
        at = mark + 1;
    }
    while (*mark != '<') {
        mark--;
    }
    char key[32];
    snprintf(key, sizeof key, " %s=\"", name);
    const char *found = strstr(mark, key);
    cr_assert(found && found < at, "%s of shape %u", name, i);
    return strtod(found + strlen(key), NULL);
}

static unsigned count_of(const char *text, const char *part)
{
    unsigned n = 0;
    for (; (text = strstr(text, part)); text++) {
        n++;
    }
    return n;
}

Test(figures, bars_are_as_long_as_their_values)
{
    pf_findings *f = pf_findings_new(NULL);
    pf_figure g = {.name = "bars",
                   .kind = PF_FIGURE_BARS,
                   .title = S("Bars"),
                   .table = table_of(f, three, 3),
                   .label = "name",
                   .values = "time",
                   .meaning = "kind",
                   .tip = "group"};
    char *svg = svg_of(&g);
    double whole = attribute(svg, 2, "width");
    cr_assert_float_eq(attribute(svg, 0, "width"), whole / 2, 0.011);
    cr_assert_float_eq(attribute(svg, 1, "width"), whole / 4, 0.011);
    cr_assert_eq(attribute(svg, 1, "x"), attribute(svg, 0, "x"));
    cr_assert(strstr(svg, "<title>b\ntime: 25.0 ms\nkind: idle\ngroup: g</title>"));
    free(svg);
    g.most = 200; /* the scale ends there */
    svg = svg_of(&g);
    cr_assert_float_eq(attribute(svg, 2, "width"), whole / 2, 0.011);
    free(svg);
    g.rows = 2;
    svg = svg_of(&g);
    cr_assert(strstr(svg, ">1 more rows in the table<"));
    cr_assert_eq(count_of(svg, "><title>"), 2);
    free(svg);
    pf_findings_free(f);
}

Test(figures, bars_of_several_values_lie_below_each_other)
{
    pf_findings *f = pf_findings_new(NULL);
    pf_figure g = {.name = "bars",
                   .kind = PF_FIGURE_BARS,
                   .table = table_of(f, three, 3),
                   .label = "name",
                   .values = "time,share",
                   .value_names = "first,second",
                   .meanings = "model,measured"};
    char *svg = svg_of(&g);
    double unit = attribute(svg, 0, "width") / 50;
    cr_assert_eq(attribute(svg, 1, "x"), attribute(svg, 0, "x"));
    cr_assert_float_eq(attribute(svg, 1, "width"), 10 * unit, 0.02);
    cr_assert_geq(attribute(svg, 1, "y"), attribute(svg, 0, "y") + attribute(svg, 0, "height"));
    cr_assert_gt(attribute(svg, 2, "y"), attribute(svg, 1, "y") + attribute(svg, 1, "height"));
    cr_assert(strstr(svg, ">first</text>") && strstr(svg, "<title>a\nfirst: 50.0 ms\nsecond: 10.00 %</title>"));
    free(svg);
    pf_findings_free(f);
}

Test(figures, parts_of_a_stack_follow_each_other)
{
    pf_findings *f = pf_findings_new(NULL);
    pf_figure g = {.name = "stack",
                   .kind = PF_FIGURE_STACKED,
                   .table = table_of(f, three, 3),
                   .label = "name",
                   .values = "time,share",
                   .value_names = "first,second",
                   .meanings = "compute,idle"};
    char *svg = svg_of(&g);
    double unit = attribute(svg, 0, "width") / 50;
    cr_assert_float_eq(attribute(svg, 1, "x"), attribute(svg, 0, "x") + 50 * unit, 0.011);
    cr_assert_float_eq(attribute(svg, 1, "width"), 10 * unit, 0.02);
    cr_assert(strstr(svg, ">first</text>") && strstr(svg, "<title>a\nsecond: 10.00 %</title>"));
    free(svg);
    pf_findings_free(f);
}

Test(figures, a_waterfall_stands_on_what_was_before)
{
    const row rows[] = {{"before", "total", 100, 0, 0, 0, ""},
                        {"k1", "slower", 50, 0, 0, 0, ""},
                        {"k2", "faster", -30, 0, 0, 0, ""},
                        {"after", "total", 120, 0, 0, 0, ""}};
    pf_findings *f = pf_findings_new(NULL);
    pf_figure g = {.name = "w",
                   .kind = PF_FIGURE_WATERFALL,
                   .table = table_of(f, rows, 4),
                   .label = "name",
                   .values = "time",
                   .meaning = "kind"};
    char *svg = svg_of(&g);
    double left = attribute(svg, 0, "x"), unit = attribute(svg, 0, "width") / 100;
    cr_assert_float_eq(attribute(svg, 1, "x"), left + 100 * unit, 0.03);
    cr_assert_float_eq(attribute(svg, 2, "x"), left + 120 * unit, 0.03);
    cr_assert_float_eq(attribute(svg, 2, "width"), 30 * unit, 0.03);
    cr_assert_float_eq(attribute(svg, 3, "x"), left, 0.011);
    free(svg);
    pf_findings_free(f);
}

Test(figures, lanes_share_the_time_of_all_panels)
{
    pf_findings *f = pf_findings_new(NULL);
    pf_figure g = {.name = "gantt",
                   .kind = PF_FIGURE_GANTT,
                   .table = table_of(f, three, 3),
                   .label = "name",
                   .from = "low",
                   .to = "high",
                   .panel = "group"};
    char *svg = svg_of(&g);
    double left = attribute(svg, 0, "x"), unit = attribute(svg, 0, "width") / 100;
    cr_assert_float_eq(attribute(svg, 1, "x"), left + 200 * unit, 0.05);
    cr_assert_float_eq(attribute(svg, 2, "x"), left + 400 * unit, 0.05);
    cr_assert_float_eq(attribute(svg, 2, "width"), 600 * unit, 0.07);
    free(svg);
    g.panel_only = S("h");
    svg = svg_of(&g);
    cr_assert_eq(count_of(svg, "><title>"), 1);
    free(svg);
    g.panel_only = (pf_str){NULL, 0};
    g.kind = PF_FIGURE_STRIP;
    g.values = "share";
    g.most = 40;
    svg = svg_of(&g);
    cr_assert_float_eq(attribute(svg, 2, "height"), 3 * attribute(svg, 0, "height"), 0.03);
    free(svg);
    pf_findings_free(f);
}

/* Lanes and lines beyond the most that are drawn stay away; they were drawn over the first one. */
Test(figures, rows_beyond_the_most_are_not_drawn)
{
    pf_findings *f = pf_findings_new(NULL);
    pf_figure g = {.name = "lanes",
                   .kind = PF_FIGURE_GANTT,
                   .table = table_of(f, three, 3),
                   .label = "name",
                   .from = "low",
                   .to = "high",
                   .values = "share",
                   .rows = 2};
    for (unsigned i = 0; i < 2; i++) {
        char *svg = svg_of(&g);
        cr_assert_eq(count_of(svg, "><title>"), 2);
        free(svg);
        g.kind = PF_FIGURE_HEAT_MAP;
    }
    pf_findings_free(f);
}

Test(figures, points_histograms_and_cells_lie_at_their_numbers)
{
    pf_findings *f = pf_findings_new(NULL);
    pf_figure g = {.name = "p",
                   .kind = PF_FIGURE_SCATTER,
                   .table = table_of(f, three, 3),
                   .from = "high",
                   .values = "time",
                   .from_scale = PF_SCALE_LOG,
                   .value_scale = PF_SCALE_LOG,
                   .roof = 90,
                   .slope = 1};
    char *svg = svg_of(&g);
    /* across 100 to 1000, up 10 to 100 */
    double left = attribute(svg, 0, "cx"), right = attribute(svg, 2, "cx");
    cr_assert_float_eq(attribute(svg, 1, "cx"), left + (right - left) * log10(4), 0.03);
    double top = attribute(svg, 2, "cy"), down = 230 * (1 - log10(5));
    cr_assert_float_eq(attribute(svg, 0, "cy"), top + down, 0.03);
    free(svg);
    g = (pf_figure){
        .name = "h", .kind = PF_FIGURE_HISTOGRAM, .table = g.table, .from = "low", .to = "high", .values = "time"};
    svg = svg_of(&g);
    cr_assert_float_eq(attribute(svg, 0, "height"), attribute(svg, 2, "height") / 2, 0.011);
    free(svg);
    g = (pf_figure){
        .name = "m", .kind = PF_FIGURE_HEAT_MAP, .table = g.table, .label = "name", .from = "group", .values = "share"};
    svg = svg_of(&g);
    cr_assert_eq(count_of(svg, "><title>"), 3);
    cr_assert(attribute(svg, 2, "x") > attribute(svg, 1, "x") && attribute(svg, 1, "x") == attribute(svg, 0, "x"));
    free(svg);
    g = (pf_figure){
        .name = "l", .kind = PF_FIGURE_LINE, .table = g.table, .label = "kind", .from = "low", .values = "time"};
    svg = svg_of(&g);
    cr_assert(strstr(svg, ">compute</text>") && strstr(svg, ">idle</text>"));
    free(svg);
    pf_findings_free(f);
}

Test(figures, refuse_columns_that_are_not_there)
{
    pf_findings *f = pf_findings_new(NULL);
    char *text;
    size_t len;
    pf_error err = {0};
    pf_figure g = {
        .name = "x", .kind = PF_FIGURE_BARS, .table = table_of(f, three, 3), .label = "nope", .values = "time"};
    cr_assert_eq(pf_figure_svg(&g, &text, &len, &err), PF_ERR_INTERNAL);
    cr_assert(strstr(err.text, "nope"));
    g.label = "name";
    g.kind = PF_FIGURE_GANTT; /* without a place */
    cr_assert_eq(pf_figure_svg(&g, &text, &len, &err), PF_ERR_INTERNAL);
    pf_findings_free(f);
}

/* Numbers at the ends of what doubles are, NULL, no rows at all: every kind, never a place that is none. */
Test(figures, draw_any_numbers)
{
    static const double odd[] = {0, -0.0, 1e308, -1e308, 5e-324, 1, -7, NAN, INFINITY, 1e15};
    unsigned seed = 20261128;
    pf_findings *f = pf_findings_new(NULL);
    for (int i = 0; i < 200; i++) {
        row rows[6];
        size_t count = (size_t)i % 7;
        for (size_t r = 0; r < count; r++) {
            double v[2];
            for (int n = 0; n < 2; n++) {
                seed = seed * 1103515245u + 12345u;
                v[n] = odd[seed >> 16 & 7] * (seed >> 24 & 1 ? 1 : 0.5);
            }
            rows[r] = (row){r % 2 ? "x" : "y",
                            "compute",
                            v[0],
                            INT64_MAX / 4 * (int64_t)(seed % 5) * (seed & 64 ? 1 : -1),
                            INT64_MAX - (int64_t)(seed % 3),
                            v[1],
                            "g"};
        }
        pf_figure g = {.name = "odd",
                       .kind = (pf_figure_kind)(i % 10),
                       .table = table_of(f, rows, count),
                       .label = "name",
                       .from = "low",
                       .to = "high",
                       .values = i / 10 % 2 ? "time" : "time,share",
                       .mark = i % 3,
                       .value_scale = (pf_scale)(i / 20 % 2),
                       .from_scale = (pf_scale)(i / 40 % 2),
                       .roof = 1};
        char *svg = svg_of(&g), *body = strstr(svg, "</style>");
        for (const char *p = body; (p = strchr(p, '=')); p++) { /* titles may say nan, places may not */
            cr_assert(strncmp(p, "=\"nan", 5) && strncmp(p, "=\"-nan", 6) && strncmp(p, "=\"inf", 5), "seed %d: %.60s",
                      i, p);
        }
        free(svg);
    }
    pf_findings_free(f);
}

Test(figures, hostile_text_stays_text)
{
    const row rows[] = {{"<script>alert(1)</script>&\"\x01\xff\xe2\x80\xae!]]>", "</style>", 1, 0, 1, 0, ""}};
    pf_findings *f = pf_findings_new(NULL);
    char *long_name = malloc(10001);
    memset(long_name, 'w', 10000);
    long_name[10000] = '\0';
    row longer[2] = {rows[0], rows[0]};
    longer[1].name = long_name;
    pf_figure g = {.name = "a\"><b",
                   .kind = PF_FIGURE_BARS,
                   .title = S("<b>"),
                   .note = S("a & b"),
                   .table = table_of(f, longer, 2),
                   .label = "name",
                   .values = "time",
                   .meaning = "kind"};
    char *svg = svg_of(&g);
    cr_assert_not(strstr(svg, "<script") || strstr(svg, "<b>") || strstr(svg, "\x01") || strstr(svg, "\xe2\x80\xae"));
    cr_assert_eq(count_of(svg, "</style>"), 1);
    cr_assert(strstr(svg, "&lt;script&gt;alert(1)&lt;/script&gt;&amp;&quot;"));
    cr_assert(strstr(svg, "id=\"a---b-t\""));
    cr_assert_lt(strlen(svg), 6000);
    free(svg);
    free(long_name);
    pf_findings_free(f);
}

Test(figures, png_by_the_ending)
{
    pf_findings *f = pf_findings_new(NULL);
    const pf_figure *g = pf_findings_add_figure(
        f,
        &(pf_figure){
            .name = "bars", .kind = PF_FIGURE_BARS, .table = table_of(f, three, 3), .label = "name", .values = "time"});
    pf_report r = {.form = PF_REPORT_FIGURE, .file = S("bars.png"), .figure = g};
    char *text;
    size_t len;
    pf_error err = {0};
    cr_assert_eq(pf_format_report(&r, &text, &len, &err), PF_OK, "%s", err.text);
    cr_assert(len > 1000 && memcmp(text, "\x89PNG\r\n\x1a\n", 8) == 0);
    cr_assert_eq(((uint8_t)text[18] << 8) + (uint8_t)text[19], 2 * FIGURE_WIDTH);
    free(text);
    r.file = S("bars.svg");
    cr_assert_eq(pf_format_report(&r, &text, &len, &err), PF_OK);
    cr_assert_eq(strncmp(text, "<svg ", 5), 0);
    free(text);
    pf_findings_free(f);
}

/* ---- scales, units, colours -------------------------------------------------------------------------------------- */

Test(figures, numbers_of_axes)
{
    const struct {
        const char *unit;
        double most, v;
        const char *name, *text;
    } cases[] = {{"ns", 999, 5, "ns", "5"},     {"ns", 2.5e6, 1.25e6, "ms", "1.25"},
                 {"us", 5e6, 1e6, "s", "1"},    {"bytes", 3e6, 1572864, "MiB", "1.5"},
                 {"", 9999, 1234, "", "1234"},  {"", 25000, 12500, "", "12.5k"},
                 {"", 2e6, 330, "", "330"},     {"", 2e6, 12500, "", "12.5k"},
                 {"%", 100, 12.5, "%", "12.5"}, {"cycles", 3e9, 1.5e9, "cycles", "1.5G"},
                 {"", 1, 0.0625, "", "0.0625"}};
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        axis_unit u = pf_unit_of(S(cases[i].unit), cases[i].most);
        pf_buffer b = {0};
        pf_unit_number(&b, &u, cases[i].v);
        pf_buffer_put(&b, "", 1);
        cr_assert_str_eq(u.name, cases[i].name);
        cr_assert_str_eq(b.data, cases[i].text);
        pf_buffer_free(&b);
    }
}

Test(figures, axes_of_bytes_have_round_numbers)
{
    axis_range r = RANGE_NONE;
    pf_range_add(&r, 0);
    pf_range_add(&r, 3.5 * 1024);
    axis_scale s = pf_scale_of(&r, PF_SCALE_LINEAR, true, 0, 0, 600);
    double ticks[TICKS];
    cr_assert_eq(pf_scale_ticks(&s, pf_unit_of(S("bytes"), s.most).divisor, ticks), 8);
    cr_assert_eq(ticks[1], 512);
    cr_assert_eq(ticks[7], 3584);
}

Test(figures, texts_are_shortened_in_the_middle)
{
    pf_buffer b = {0};
    pf_text_fit(&b, S("abcdefghijklmnopqrstuvwxyz"), 90);
    pf_buffer_put(&b, "", 1);
    cr_assert(strncmp(b.data, "abcdef", 6) == 0 && strstr(b.data, "\xe2\x80\xa6") && strstr(b.data, "xyz"), "%s",
              b.data);
    cr_assert_leq(pf_text_width(S(b.data)), 90);
    pf_buffer_free(&b);
}

static double luminance(uint32_t rgb)
{
    double sum = 0;
    const double weights[] = {0.0722, 0.7152, 0.2126};
    for (unsigned i = 0; i < 3; i++) {
        double c = (rgb >> 8 * i & 255) / 255.0;
        sum += weights[i] * (c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4));
    }
    return sum;
}

static double contrast(unsigned a, unsigned b, bool dark)
{
    double x = luminance(pf_colour(a, dark)), y = luminance(pf_colour(b, dark));
    return x > y ? (x + 0.05) / (y + 0.05) : (y + 0.05) / (x + 0.05);
}

/* https://www.w3.org/TR/WCAG22: 4.5 to 1 for text, 3 to 1 for graphics. */
Test(figures, colours_have_contrast)
{
    for (int dark = 0; dark < 2; dark++) {
        cr_assert_geq(contrast(INK, PAPER, dark), 4.5);
        cr_assert_geq(contrast(MUTED, PAPER, dark), 4.5);
        for (unsigned hue = 0; hue < HUES; hue++) {
            cr_assert_geq(contrast(hue * TONES, PAPER, dark), 3, "hue %u, dark %d", hue, dark);
            cr_assert_geq(contrast(hue * TONES, hue * TONES + 1, dark), 1.4, "hue %u, dark %d", hue, dark);
        }
    }
    cr_assert_eq(pf_colour_of_word(S("compute")), 0);
    cr_assert_eq(pf_colour_of_word(S("no such word")), ALL_COLOURS);
}
