/* model/trace/trace_tables.h - the main tables of a trace as data: where each lies in the trace, its columns, where the
 * public view shows them, and what SQL calls them.
 *
 * Making, forgetting and freeing the tables, setting the views and counting their bytes are walks over these rows
 * (trace_tables.c), and so is making those of SQL and of column files (tables/model_tables.c). A new column is one row
 * there and a member of the table's struct. Columns are listed in the order that SQL has.
 */
#pragma once

#include "model/trace/trace.h"

/* The values lie in the column's own array, which the table has from the beginning, or LATER, once somebody has the
 * first value for it; where there is none, in an array `of` another table, at the rows that the array `through` names.
 * All places are offsets in the trace, of a pointer to an array; 0: there is none. */
typedef struct pf_main_column {
    const char *name; /* in SQL; NULL: it is not there */
    int type;         /* pf_column_type, or one of those without cells (model/trace/side_tables.h); nothing without a
                       * name */
    unsigned flags;   /* PF_COLUMN_... */
    size_t at, size;  /* its own array, and the size of a value */
    size_t of, through;
    size_t view; /* of the pointer in the public view */
    bool later;
    size_t columns; /* LATER: of the column's own pf_columns, where it is filled apart from the others */
} pf_main_column;

typedef struct pf_main_table {
    const char *name;
    size_t at, size;       /* the table's struct */
    size_t columns, count; /* its members */
    size_t view_count;     /* 0: it has no view */
    const pf_main_column *column;
    size_t column_count;
} pf_main_table;

/* The i-th main table; NULL after the last. */
const pf_main_table *pf_main_table_at(size_t i);

/* The table of that name, NULL if there is none. */
const pf_main_table *pf_main_table_named(const char *name);

uint32_t pf_main_rows(const pf_trace *t, const pf_main_table *table);

/* The array that a place of a column names, NULL for none. */
const void *pf_main_array(const pf_trace *t, size_t place);
