/* query/tables/model_tables.h - the tables of the trace as tables of a session. */
#ifndef PF_QUERY_TABLES_MODEL_TABLES_H
#define PF_QUERY_TABLES_MODEL_TABLES_H

#include "query/session/session.h"

/* The columns of a table of the trace as SQL sees them, and where their values lie. */
typedef struct pf_sql_model {
    const char *of; /* the table's name in the model */
    pf_sql_spec spec;
    pf_sql_column *columns;
    pf_sql_values cell[]; /* by column */
} pf_sql_model;

/* Makes the tables of a session: those that have `of` in pf_sql_specs, and the side tables after all specs. */
pf_status pf_sql_add_models(pf_query *q, pf_error *err);

/* model_cells.c: the rows of a table of the trace. */
uint32_t pf_sql_rows_of(const pf_query *q, const char *table);

/* Says where the values of a column lie that the model leaves to the query, in everything that shows the table. */
void pf_sql_set_cells(pf_query *q, const char *table, const char *column, const uint32_t *cells);

/* tables.c: sets what makes the cells of a column of a main table; false if nothing does. */
bool pf_sql_make_column(const char *table, pf_sql_column *column);

/* tables.c: the specs: plain tables first, then table-valued functions. */
extern const pf_sql_spec pf_sql_specs[];
extern const size_t pf_sql_spec_count;

/* event_args.c: fills the sets of all slices, counters, states and flows. */
pf_status pf_sql_event_args_load(pf_query *q, pf_error *err);

#endif
