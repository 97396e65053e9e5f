/* analyze/support/sorted_table.c - the rows of a report table in the order in which people want to see them. */
#include <math.h>
#include <stdlib.h>

#include "analyze/support/pass_tables.h"
#include "base/ordering.h"

typedef struct place {
    double key; /* ascending; rows without a value have the largest */
    size_t row;
} place;

PF_ORDER(compare_places, place, PF_UP(key), PF_UP(row));

static double key_of(const pf_column *column, const pf_cell *cell, bool least_first)
{
    if (cell->null || column->type == PF_CELL_TEXT) {
        return HUGE_VAL;
    }
    double v = column->type == PF_CELL_INT ? (double)cell->as.i : cell->as.d;
    return least_first ? v : -v;
}

void pf_pass_sort_into(pf_findings *f, pf_table_builder *to, const pf_table_builder *of, const char *column,
                       bool least_first, size_t most)
{
    const pf_table *t = pf_table_view(of);
    size_t by = t ? pf_pass_column(t, column) : 0;
    place *order = t ? pf_findings_alloc(f, t->row_count * sizeof *order) : NULL;
    for (size_t i = 0; order && i < t->row_count; i++) {
        order[i] = (place){key_of(&t->columns[by], &t->cells[i * t->column_count + by], least_first), i};
    }
    if (order) {
        qsort(order, t->row_count, sizeof *order, compare_places);
    }
    for (size_t i = 0; order && i < t->row_count && i < most; i++) {
        pf_table_row(f, to, t->cells + order[i].row * t->column_count);
    }
}

pf_table_builder *pf_pass_sorted(pf_findings *f, const pf_table_builder *of, const char *column, bool least_first,
                                 pf_str title)
{
    const pf_table *t = of ? pf_table_view(of) : NULL;
    pf_table_builder *made = t && t->row_count ? pf_table_new(f, title, t->columns, t->column_count) : NULL;
    if (made) {
        pf_pass_sort_into(f, made, of, column, least_first, SIZE_MAX);
    }
    return made;
}
