/* query/tables/model_tables.h - the tables of the trace as tables of a session. */
#ifndef PF_QUERY_TABLES_MODEL_TABLES_H
#define PF_QUERY_TABLES_MODEL_TABLES_H

#include "query/session/session.h"

/* The columns of a table of the trace as SQL sees them, and where their values lie. */
typedef struct pf_sql_model {
    const char *of; /* the table's name in the model */
    pf_sql_spec spec;
    pf_sql_column *columns;
    size_t room;          /* columns that memory is there for */
    pf_sql_values cell[]; /* by column */
} pf_sql_model;

/* Makes the tables of a session: those that have `of` in pf_sql_specs, and the side tables after all specs. */
pf_status pf_sql_add_models(pf_query *q, pf_error *err);
void pf_sql_free_models(pf_query *q);

/* model_cells.c: the rows of a table of the trace. */
uint32_t pf_sql_rows_of(const pf_query *q, const char *table);

/* Says where the values of a column lie that the model leaves to the query, in everything that shows the table. */
void pf_sql_set_cells(pf_query *q, const char *table, const char *column, const uint32_t *cells);

/* tables.c: what makes a column of single cells, NULL if nothing does. */
typedef void (*pf_sql_get)(pf_query *q, uint32_t row, pf_query_cell *cell);
pf_sql_get pf_sql_getter(const char *table, const char *column);

/* tables.c: the specs: plain tables first, then table-valued functions. */
extern const pf_sql_spec pf_sql_specs[];
extern const size_t pf_sql_spec_count;

/* Makes the argument sets of slices and counters (those of all other rows first); once. */
pf_status pf_sql_args_load(pf_query *q, pf_error *err);

#endif
