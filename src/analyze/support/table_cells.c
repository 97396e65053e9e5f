/* analyze/support/table_cells.c - what rows of a report table say, for the sentences and figures made of them. */
#include <math.h>
#include <string.h>

#include "analyze/support/pass_tables.h"
#include "base/text/number.h"
#include "base/text/utf8.h"

size_t pf_pass_column(const pf_table *t, const char *name)
{
    size_t i = 0;
    while (i + 1 < t->column_count && strcmp(t->columns[i].name, name) != 0) {
        i++;
    }
    return i;
}

const pf_cell *pf_pass_cell(const pf_table *t, size_t row, const char *column)
{
    return &t->cells[row * t->column_count + pf_pass_column(t, column)];
}

pf_str pf_pass_text(const pf_table *t, size_t row, const char *column)
{
    const pf_cell *c = pf_pass_cell(t, row, column);
    return c->null ? (pf_str){NULL, 0} : c->as.s;
}

double pf_pass_number(const pf_table *t, size_t row, const char *column)
{
    size_t i = pf_pass_column(t, column);
    const pf_cell *c = &t->cells[row * t->column_count + i];
    return c->null ? (double)NAN : t->columns[i].type == PF_CELL_INT ? (double)c->as.i : c->as.d;
}

double pf_pass_sum(const pf_table *t, const char *column)
{
    double sum = 0;
    for (size_t i = 0; i < t->row_count; i++) {
        double v = pf_pass_number(t, i, column);
        sum += isfinite(v) ? v : 0;
    }
    return sum;
}

void pf_pass_figure(pf_findings *f, const pf_figure *figure)
{
    if (pf_table_rows(figure->table)) {
        pf_findings_add_figure(f, figure);
    }
}

void pf_pass_show(pf_findings *f, const pf_table_builder *t, const char *columns)
{
    if (pf_table_rows(t)) {
        pf_findings_show_columns(f, t, columns);
    }
}

static const char *kept(pf_str text)
{
    return text.ptr ? text.ptr : "";
}

const char *pf_pass_fixed(pf_findings *f, double v, int decimals, const char *unit)
{
    char number[PF_FIXED_MAX];
    pf_format_real_fixed(v, decimals, number);
    return kept(pf_findings_format(f, "%s%s", number, unit));
}

const char *pf_pass_short_name(pf_findings *f, pf_str name, size_t most, const char *otherwise)
{
    size_t len = pf_utf8_fit(name, most);
    return !name.ptr ? otherwise
                     : kept(pf_findings_format(f, "%.*s%s", (int)len, name.ptr, len < name.len ? "..." : ""));
}
