/* analyze/support/pass_tables.h - report tables as data: a table says its columns once, a row is the list of its cells.
 *
 *     static const pf_pass_table tables[] = {
 *         PF_PASS_TABLE("aie_cores", "a core", PF_TEXT_COLUMN("tile"), PF_INT_COLUMN("kernels", "")),
 *     };
 *     ...
 *     PF_TABLE_ROW(f, t, pf_cell_text(core->tile), pf_cell_count(core->kernel_count));
 */
#ifndef PF_ANALYZE_SUPPORT_PASS_TABLES_H
#define PF_ANALYZE_SUPPORT_PASS_TABLES_H

#include "postfetto/author/pass.h"

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

/* sorted_table.c: a table without a name that has the rows of another one, by a column of numbers: the largest first,
 * or the least; those without a value last. NULL: there is no row, or it was refused. */
pf_table_builder *pf_pass_sorted(pf_findings *f, const pf_table_builder *of, const char *column, bool least_first,
                                 pf_str title);

#endif
