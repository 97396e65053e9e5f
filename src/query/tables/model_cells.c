/* query/tables/model_cells.c - the rows of the tables of the trace, and cells that are put into them. */
#include <string.h>

#include "query/tables/model_tables.h"

uint32_t pf_sql_rows_of(const pf_query *q, const char *table)
{
    size_t i = 0;
    while (i < q->table_count && !(q->models[i] && strcmp(q->models[i]->of, table) == 0)) {
        i++;
    }
    return i < q->table_count ? q->tables[i].rows : 0;
}

void pf_sql_set_cells(pf_query *q, const char *table, const char *column, const uint32_t *cells)
{
    for (size_t i = 0; i < q->table_count; i++) {
        pf_sql_model *m = q->models[i];
        for (size_t c = 0; m && strcmp(m->of, table) == 0 && c < m->spec.column_count; c++) {
            if (strcmp(m->columns[c].name, column) == 0) {
                m->cell[c].array = cells;
            }
        }
    }
}
