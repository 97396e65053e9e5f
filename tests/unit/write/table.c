/* table.c - the three shapes of report tables. */
#include "write/report/report_text.h"

#include <criterion/criterion.h>
#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "shared.h"
#include "support.h"

static const pf_column tile_columns[] = {
    {"Tile", PF_CELL_TEXT, 0, ""},
    {"Iter", PF_CELL_INT, 0, ""},
    {"Phase", PF_CELL_TEXT, 0, ""},
    {"Kernels", PF_CELL_INT, 0, ""},
    {"Avg cycles", PF_CELL_REAL, 3, "cycles"},
    {"Min", PF_CELL_INT, 0, "cycles"},
    {"Max", PF_CELL_INT, 0, "cycles"},
    {"Total span", PF_CELL_INT, 0, "cycles"},
    {"GMAC/s", PF_CELL_REAL, 3, "GMAC/s"},
};
enum { TILE_COLUMNS = sizeof tile_columns / sizeof *tile_columns };

static void add_tile_row(pf_findings *f, pf_table_builder *t, const char *tile, int64_t iter, const char *phase,
                         int64_t kernels, double avg, int64_t min, int64_t max, int64_t span, double gmacs)
{
    const pf_cell cells[TILE_COLUMNS] = {
        {.as.s = {tile, strlen(tile)}},
        {.as.i = iter},
        {.as.s = {phase, strlen(phase)}},
        {.as.i = kernels},
        {.as.d = avg},
        {.as.i = min},
        {.as.i = max},
        {.as.i = span},
        {.as.d = gmacs},
    };
    pf_table_row(f, t, cells);
}

Test(table, details_block_is_exact)
{
    pf_findings *f = pf_findings_new(NULL);
    pf_table_builder *t = pf_table_new(f, PF_STR("[phoenix] M=64 K=64 N=16"), tile_columns, TILE_COLUMNS);
    add_tile_row(f, t, "tile2,1", 0, "warmup", 0, 0.0, 0, 0, 0, 0.0);
    add_tile_row(f, t, "Kachel\xc3\xa4|x", 12, "perf", 2, 2.0 / 3, 73, 74, 584, 140.27397260273972);
    pf_buffer out = {0};
    pf_table_details(&out, pf_table_view(t));
    pf_buffer_put(&out, "", 1);
    cr_assert_str_eq(out.data, "<details><summary><strong>[phoenix] M=64 K=64 N=16</strong></summary>\n"
                               "\n"
                               "| Tile | Iter | Phase | Kernels | Avg cycles | Min | Max | Total span | GMAC/s |\n"
                               "|------|------|-------|---------|------------|-----|-----|------------|--------|\n"
                               "| tile2,1 | 0 | warmup | 0 | 0.000 | 0 | 0 | 0 | 0.000 |\n"
                               "| Kachel\xc3\xa4|x | 12 | perf | 2 | 0.667 | 73 | 74 | 584 | 140.274 |\n"
                               "\n"
                               "</details>\n");
    pf_buffer_free(&out);
    pf_findings_free(f);
}

/* Reads the rows of a details.md back into a table. */
static void parse_details(pf_findings *f, char *text, pf_table_builder **t)
{
    char *title = text + strlen("<details><summary><strong>"), *end = strstr(title, "</strong>");
    *t = pf_table_new(f, (pf_str){title, (size_t)(end - title)}, tile_columns, TILE_COLUMNS);
    char *rest = strstr(end, "|--------|\n") + strlen("|--------|\n");
    for (char *line; (line = strsep(&rest, "\n")) != NULL && line[0] == '|';) {
        char *cell[TILE_COLUMNS];
        char *p = line + strlen(line) - strlen(" |");
        for (int c = TILE_COLUMNS - 1; c >= 0; c--) { /* from the right: tile names may hold pipes */
            *p = '\0';
            if (c == 0) {
                cell[0] = line + strlen("| ");
                break;
            }
            do {
                p--;
            } while (strncmp(p, " | ", 3) != 0);
            cell[c] = p + 3;
        }
        add_tile_row(f, *t, cell[0], atol(cell[1]), cell[2], atol(cell[3]), atof(cell[4]), atol(cell[5]), atol(cell[6]),
                     atol(cell[7]), atof(cell[8]));
    }
}

Test(table, details_of_the_corpus_survive_a_round_trip)
{
    glob_t found;
    char pattern[1024];
    snprintf(pattern, sizeof pattern, "%s/corpus/aie/*/expected/details.md", shared_folder());
    if (glob(pattern, 0, NULL, &found) != 0) {
        SKIP_WITHOUT_CORPUS();
    }
    for (size_t i = 0; i < found.gl_pathc; i++) {
        size_t len;
        char *expected = test_read(found.gl_pathv[i], &len), *copy = strdup(expected);
        pf_findings *f = pf_findings_new(NULL);
        pf_table_builder *t;
        parse_details(f, copy, &t);
        pf_buffer out = {0};
        pf_table_details(&out, pf_table_view(t));
        pf_buffer_put(&out, "", 1);
        cr_assert_str_eq(out.data, expected, "%s", found.gl_pathv[i]);
        pf_buffer_free(&out);
        pf_findings_free(f);
        free(copy);
        free(expected);
    }
    globfree(&found);
}

static void expect_format(const pf_table_builder *t, bool markdown, const char *expected)
{
    char *text;
    size_t len;
    pf_error err;
    cr_assert_eq(pf_format_table(pf_table_view(t), markdown, &text, &len, &err), PF_OK);
    cr_assert_str_eq(text, expected);
    cr_assert_eq(len, strlen(expected));
    free(text);
}

static const pf_column people_columns[] = {{"name", PF_CELL_TEXT, 0, ""},      {"count", PF_CELL_INT, 0, ""},
                                           {"span", PF_CELL_INT, 0, "cycles"}, {"share %", PF_CELL_REAL, 1, "%"},
                                           {"exact", PF_CELL_REAL, -1, ""},    {"note", PF_CELL_TEXT, 0, ""}};

static pf_table_builder *people_table(pf_findings *f)
{
    pf_table_builder *t = pf_table_new(f, PF_STR("Cores"), people_columns, 6);
    const pf_cell a[] = {{.as.s = PF_STR("\xce\xbc,1")}, {.as.i = 5}, {.as.i = 1234567}, {.as.d = 12.25}, {.as.d = 0.1},
                         {.as.s = PF_STR("a|b")}};
    const pf_cell b[] = {{.as.s = PF_STR("tile\x1b[31m")}, {.as.i = -10}, {.null = true}, {.as.d = 100}, {.as.d = 1e16},
                         {.as.s = PF_STR("two\nlines")}};
    pf_table_row(f, t, a);
    pf_table_row(f, t, b);
    return t;
}

Test(table, aligned_for_a_terminal)
{
    pf_findings *f = pf_findings_new(NULL);
    expect_format(people_table(f), false,
                  "Cores\n"
                  "name       count  span (cycles)  share %  exact  note\n"
                  "\xce\xbc,1            5        1234567     12.2    0.1  a|b\n"
                  "tile\xef\xbf\xbd[31m    -10              -    100.0  1e+16  two\xef\xbf\xbdlines\n");
    pf_findings_free(f);
}

Test(table, markdown_cells_hold_their_text)
{
    pf_findings *f = pf_findings_new(NULL);
    expect_format(people_table(f), true,
                  "**Cores**\n\n"
                  "| name | count | span (cycles) | share % | exact | note |\n"
                  "|---|---:|---:|---:|---:|---|\n"
                  "| \xce\xbc,1 | 5 | 1234567 | 12.2 | 0.1 | a\\|b |\n"
                  "| tile\xef\xbf\xbd[31m | -10 | - | 100.0 | 1e+16 | two lines |\n");
    pf_findings_free(f);
}

#define MOST 4

/* Widths of columns, as letters say their type (t a text, n a number); the widths on a line of so many columns. Two
 * blanks lie between columns. */
Test(table, a_line_is_shared)
{
    static const struct {
        const char *types;
        size_t room, width[MOST], wanted[MOST];
    } rows[] = {
        {"t", 20, {20}, {20}},
        {"t", 19, {20}, {19}},
        {"t", 12, {20}, {12}},
        {"t", 5, {20}, {12}}, /* no text is cut below 12 */
        {"t", 5, {9}, {9}},
        {"n", 5, {30}, {30}}, /* a number is never cut */
        {"tt", 42, {20, 20}, {20, 20}},
        {"tt", 41, {20, 20}, {19, 20}}, /* of two equal ones the first */
        {"tt", 60, {50, 30}, {28, 30}}, /* the widest down to the next one, then the line's rest */
        {"tt", 70, {50, 30}, {38, 30}},
        {"tt", 70, {30, 50}, {30, 38}},
        {"tt", 30, {50, 14}, {14, 14}},
        {"tt", 10, {50, 50}, {12, 12}},
        {"nt", 40, {30, 25}, {30, 12}},
        {"tnt", 60, {40, 5, 21}, {30, 5, 21}},
        {"ttt", 60, {40, 30, 3}, {23, 30, 3}},
        {"tn", 40, {30, 50}, {12, 50}}, /* a wide number is no measure for texts */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char texts[MOST][64];
        pf_column columns[MOST];
        pf_cell cells[MOST] = {{0}};
        size_t count = strlen(rows[i].types);
        for (size_t c = 0; c < count; c++) {
            bool text = rows[i].types[c] == 't';
            memset(texts[c], text ? 'x' : '1', sizeof texts[c]);
            columns[c] = (pf_column){"c", PF_CELL_TEXT, -1, ""};
            cells[c].as.s = (pf_str){texts[c], rows[i].width[c]};
            columns[c].type = text ? PF_CELL_TEXT : PF_CELL_REAL;
            cells[c] = text ? cells[c] : pf_cell_real(2 * pow(10, (double)rows[i].width[c] - 1));
            columns[c].decimals = 0;
        }
        const pf_table t = {.columns = columns, .column_count = count, .row_count = 1, .cells = cells};
        pf_buffer out = {0};
        pf_table_aligned(&out, &t, &(pf_table_shape){.width = rows[i].room});
        pf_buffer_put(&out, "", 1);
        const char *at = strchr(out.data, '\n') + 1;
        for (size_t c = 0; c < count; c++) {
            size_t width = strcspn(at, " \n");
            cr_expect_eq(width, rows[i].wanted[c], "row %zu, column %zu: %zu", i, c, width);
            at += width + strspn(at + width, " ");
        }
        pf_buffer_free(&out);
    }
}

/* A table for people: of its five rows three, of its columns three and one that is not there. */
static const pf_column eased_columns[] = {{"name", PF_CELL_TEXT, 0, ""},         {"self_ns", PF_CELL_INT, 0, ""},
                                          {"busy_percent", PF_CELL_REAL, 1, ""}, {"bytes", PF_CELL_INT, 0, "bytes"},
                                          {"start_ns", PF_CELL_INT, 0, "ns"},    {"calls", PF_CELL_INT, 0, ""}};

static const pf_table *eased_table(pf_findings *f)
{
    static const struct {
        const char *name;
        int64_t self, bytes;
    } rows[] = {
        {"ampere_sgemm_128x64_tn", 12345678, 4000000000}, {"b", 5, 12}, {"faster", 0, 0}, {"c", 1, 1}, {"d", 1, 1}};
    pf_table_builder *t = pf_table_new(f, PF_STR("Kernels"), eased_columns, 6);
    for (size_t i = 0; i < 5; i++) {
        const pf_cell cells[] = {{.as.s = {rows[i].name, strlen(rows[i].name)}},
                                 pf_cell_int_if(i != 2, rows[i].self),
                                 pf_cell_real(33.33),
                                 pf_cell_int(rows[i].bytes),
                                 pf_cell_int(1700000000000000000 + (int64_t)i),
                                 pf_cell_int(7)};
        pf_table_row(f, t, cells);
    }
    return pf_table_view(t);
}

static void expect_shape(const pf_table_shape *shape, const char *expected)
{
    pf_findings *f = pf_findings_new(NULL);
    pf_buffer out = {0};
    pf_table_aligned(&out, eased_table(f), shape);
    pf_buffer_put(&out, "", 1);
    cr_expect_str_eq(out.data, expected);
    pf_buffer_free(&out);
    pf_findings_free(f);
}

Test(table, units_that_suit_a_column)
{
    expect_shape(&(pf_table_shape){.eased = true, .rows = 3},
                 "Kernels\n"
                 "name                    self (ms)  busy (%)  bytes (GB)           start (ns)  calls\n"
                 "ampere_sgemm_128x64_tn     12.346      33.3       4.000  1700000000000000000      7\n"
                 "b                           0.000      33.3       0.000  1700000000000000001      7\n"
                 "faster                          -      33.3       0.000  1700000000000000002      7\n"
                 "... 2 more (--rows 0 shows all)\n");
}

/* 10,000 is where numbers are hard to read; a unit of the column counts more than the end of its name. */
Test(table, units_by_the_largest_number)
{
    static const struct {
        pf_column column;
        double most;
        const char *heading;
        double divisor;
    } rows[] = {{{"self_ns", PF_CELL_INT, 0, ""}, 9999, "self (ns)", 1},
                {{"self_ns", PF_CELL_INT, 0, ""}, 10000, "self (us)", 1e3},
                {{"self_ns", PF_CELL_INT, 0, "ns"}, 2e9, "self (s)", 1e9},
                {{"model_us", PF_CELL_REAL, 1, "us"}, 12000, "model (ms)", 1e3},
                {{"ms", PF_CELL_REAL, 1, "ms"}, 50000, "ms (s)", 1e3},
                {{"start_ns", PF_CELL_INT, 0, "ns"}, 1.7e18, "start (ns)", 1},
                {{"gb_per_s", PF_CELL_REAL, 1, "GB/s"}, 50000, "GB/s", 1},
                {{"peak_bytes", PF_CELL_INT, 0, "bytes"}, 1e12, "peak (GB)", 1e9},
                {{"span_cycles", PF_CELL_INT, 0, "cycles"}, 1e12, "span (cycles)", 1},
                {{"turns_ns", PF_CELL_INT, 0, "turns"}, 1e12, "turns ns", 1},
                {{"name_us", PF_CELL_TEXT, 0, ""}, 0, "name (us)", 1}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        pf_shown_unit unit = pf_table_unit(&rows[i].column, rows[i].most);
        pf_buffer b = {0};
        pf_table_eased_heading(&b, &rows[i].column, unit.name);
        pf_buffer_put(&b, "", 1);
        cr_expect_str_eq(b.data, rows[i].heading);
        cr_expect_eq(unit.divisor, rows[i].divisor, "%s", rows[i].heading);
        pf_buffer_free(&b);
    }
}

Test(table, columns_in_their_order)
{
    expect_shape(&(pf_table_shape){.columns = "calls,none,name,self_ns", .rows = 2},
                 "Kernels\n"
                 "calls  name                     self_ns\n"
                 "    7  ampere_sgemm_128x64_tn  12345678\n"
                 "    7  b                              5\n"
                 "... 3 more (--rows 0 shows all)\n");
    expect_shape(&(pf_table_shape){.columns = "none"}, "Kernels\n");
}

Test(table, columns_without_room)
{
    expect_shape(&(pf_table_shape){.eased = true, .rows = 3, .width = 41},
                 "Kernels\n"
                 "name                  self (ms)  busy (%)\n"
                 "ampere_sg...28x64_tn     12.346      33.3\n"
                 "b                         0.000      33.3\n"
                 "faster                        -      33.3\n"
                 "... 2 more (--rows 0 shows all)\n"
                 "... no room for: bytes (GB), start (ns), calls\n");
}

Test(table, styles_of_a_terminal)
{
    expect_shape(&(pf_table_shape){.columns = "calls,name", .styled = true, .rows = 3},
                 "\033[1mKernels\033[0m\n"
                 "\033[36mcalls\033[0m  \033[36mname\033[0m\n"
                 "    7  ampere_sgemm_128x64_tn\n"
                 "    7  b\n"
                 "    7  \033[32mfaster\033[0m\n"
                 "\033[2m... 2 more (--rows 0 shows all)\033[0m\n");
}

Test(table, no_rows_no_title)
{
    pf_findings *f = pf_findings_new(NULL);
    pf_table_builder *t = pf_table_new(f, (pf_str){NULL, 0}, people_columns, 2);
    expect_format(t, false, "name  count\n");
    expect_format(t, true, "| name | count |\n|---|---:|\n");
    pf_findings_free(f);
}
