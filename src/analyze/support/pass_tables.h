/* analyze/support/pass_tables.h - report tables as data: a table says its columns once, a row is the list of its cells.
 *
 *     static const pf_pass_table tables[] = {
 *         PF_PASS_TABLE("aie_cores", "a core", PF_TEXT_COLUMN("tile"), PF_INT_COLUMN("kernels", "")),
 *     };
 *     ...
 *     PF_TABLE_ROW(f, t, pf_cell_text(core->tile), pf_cell_count(core->kernel_count));
 */
#pragma once

#include "postfetto/author/pass.h"
#include "postfetto/figure.h"

#define PF_INT_COLUMN(name, unit)                                                                                      \
    {                                                                                                                  \
        name, PF_CELL_INT, 0, unit                                                                                     \
    }
#define PF_TEXT_COLUMN(name)                                                                                           \
    {                                                                                                                  \
        name, PF_CELL_TEXT, 0, ""                                                                                      \
    }
/* decimals: digits after the point in text forms; -1: as many as read back to it. */
#define PF_REAL_COLUMN(name, decimals, unit)                                                                           \
    {                                                                                                                  \
        name, PF_CELL_REAL, decimals, unit                                                                             \
    }

/* The name and help of a pf_pass_table, then its columns; outside of functions, because columns outlive the findings.
 */
#define PF_PASS_TABLE(name, help, ...)                                                                                 \
    {                                                                                                                  \
        name, help, (const pf_column[]){__VA_ARGS__}, sizeof((const pf_column[]){__VA_ARGS__}) / sizeof(pf_column)     \
    }

/* Appends a row, given as its cells. */
#define PF_TABLE_ROW(f, t, ...) pf_table_row((f), (t), (const pf_cell[]){__VA_ARGS__})

/* table_cells.c: a column of a table by its name, the last one where none has it; its cell in a row; what that says as
 * a text, ptr NULL, or as a number, NaN where it says none; the sum of the numbers of all rows. */
size_t pf_pass_column(const pf_table *t, const char *name);
const pf_cell *pf_pass_cell(const pf_table *t, size_t row, const char *column);
pf_str pf_pass_text(const pf_table *t, size_t row, const char *column);
double pf_pass_number(const pf_table *t, size_t row, const char *column);
double pf_pass_sum(const pf_table *t, const char *column);

/* table_cells.c: adds a figure, or shows columns (NULL: all) of a table, where the table has a row. */
void pf_pass_figure(pf_findings *f, const pf_figure *figure);
void pf_pass_show(pf_findings *f, const pf_table_builder *t, const char *columns);

/* table_cells.c, for sentences: a number with its unit, whatever the locale is; at most `most` bytes of a name, cut
 * with
 * "..." between characters, `otherwise` where there is none. They live as long as the findings. */
const char *pf_pass_fixed(pf_findings *f, double v, int decimals, const char *unit);
const char *pf_pass_short_name(pf_findings *f, pf_str name, size_t most, const char *otherwise);

/* sorted_table.c: a table without a name that has the rows of another one, by a column of numbers: the largest first,
 * or the least; those without a value last. NULL: there is no row, or it was refused. */
pf_table_builder *pf_pass_sorted(pf_findings *f, const pf_table_builder *of, const char *column, bool least_first,
                                 pf_str title);

/* The same rows, at most so many of them, into a table with the same columns. */
void pf_pass_sort_into(pf_findings *f, pf_table_builder *to, const pf_table_builder *of, const char *column,
                       bool least_first, size_t most);
