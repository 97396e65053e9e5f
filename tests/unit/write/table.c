/* table.c - the three shapes of report tables. */
#include "write/report/report_text.h"

#include <criterion/criterion.h>
#include <glob.h>
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

Test(table, no_rows_no_title)
{
    pf_findings *f = pf_findings_new(NULL);
    pf_table_builder *t = pf_table_new(f, (pf_str){NULL, 0}, people_columns, 2);
    expect_format(t, false, "name  count\n");
    expect_format(t, true, "| name | count |\n|---|---:|\n");
    pf_findings_free(f);
}
