/* query/functions/made_table.h - tables that functions make and hand on as pointers, which __intrinsic_table_ptr shows.
 *
 * A pointer lives inside of one expression. All memory is SQLite's, whose limit holds. */
#pragma once

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

enum { PF_SQL_MADE_COLUMNS = 32 };

/* A value by SQLite's type: NULL, INTEGER, FLOAT or TEXT. */
typedef struct pf_sql_made_cell {
    int type;
    union {
        int64_t i;
        double d;
        const char *text; /* the table's own: pf_sql_made_text */
    } as;
} pf_sql_made_cell;

typedef struct pf_sql_made {
    struct pf_query *q;
    unsigned columns;
    char *name[PF_SQL_MADE_COLUMNS];
    uint64_t rows, room;
    pf_sql_made_cell *cell; /* row by row */
    char **text;
    uint64_t texts, text_room;
} pf_sql_made;

/* Names may be fewer than columns: further ones follow by pf_sql_made_column. NULL: no memory. */
pf_sql_made *pf_sql_made_new(struct pf_query *q, const char *const *names, unsigned count);
bool pf_sql_made_column(pf_sql_made *m, const char *name);

/* Further columns that a list names: '(a, b)'. */
bool pf_sql_made_name_columns(pf_sql_made *m, sqlite3_value *list);

/* A new row, all NULL; valid until the next one. NULL: no memory. */
pf_sql_made_cell *pf_sql_made_row(pf_sql_made *m);

/* A copy that lives as long as the table; NULL: no memory. */
const char *pf_sql_made_text(pf_sql_made *m, const char *text);

void pf_sql_made_free(void *made);

/* Hands the table to SQLite, which frees it; NULL is an error of memory, so is one that is not `fine`. */
void pf_sql_made_return(sqlite3_context *ctx, pf_sql_made *m, bool fine);

/* The step of an aggregate whose state is a table: its arguments are 'name', value, ... */
void pf_sql_made_step(sqlite3_context *ctx, int argc, sqlite3_value **argv);

/* The tag of the pointers. */
extern const char pf_sql_made_tag[];

static inline pf_sql_made_cell pf_sql_made_int(int64_t i)
{
    return (pf_sql_made_cell){SQLITE_INTEGER, {.i = i}};
}

static inline pf_sql_made_cell pf_sql_made_real(double d)
{
    return (pf_sql_made_cell){SQLITE_FLOAT, {.d = d}};
}

/* The value of an argument, its text copied: then .text may be NULL for want of memory. A blob counts as a text. */
pf_sql_made_cell pf_sql_made_value(pf_sql_made *m, sqlite3_value *v);
