/* query/functions/made_table.h - tables that functions make and hand on as pointers, which __intrinsic_table_ptr shows.
 *
 * A pointer lives inside of one expression. All memory is SQLite's, whose limit holds. */
#ifndef PF_QUERY_FUNCTIONS_MADE_TABLE_H
#define PF_QUERY_FUNCTIONS_MADE_TABLE_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
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
    unsigned columns;
    char *name[PF_SQL_MADE_COLUMNS];
    uint64_t rows, room;
    pf_sql_made_cell *cell; /* row by row */
    char **text;
    uint64_t texts, text_room;
} pf_sql_made;

/* Names may be fewer than columns: further ones follow by pf_sql_made_column. NULL: no memory. */
pf_sql_made *pf_sql_made_new(const char *const *names, unsigned count);
bool pf_sql_made_column(pf_sql_made *m, const char *name);

/* A new row, all NULL; valid until the next one. NULL: no memory. */
pf_sql_made_cell *pf_sql_made_row(pf_sql_made *m);

/* A copy that lives as long as the table; NULL: no memory. */
const char *pf_sql_made_text(pf_sql_made *m, const char *text);

void pf_sql_made_free(void *made);

/* Hands the table to SQLite, which frees it; NULL is an error of memory. */
void pf_sql_made_return(sqlite3_context *ctx, pf_sql_made *m);

static inline pf_sql_made_cell pf_sql_made_int(int64_t i)
{
    return (pf_sql_made_cell){SQLITE_INTEGER, {.i = i}};
}

static inline pf_sql_made_cell pf_sql_made_real(double d)
{
    return (pf_sql_made_cell){SQLITE_FLOAT, {.d = d}};
}

/* A list in SQLite's memory with room for one more entry; false: no memory. */
bool pf_sql_made_grow(void **list, uint64_t count, uint64_t *room, size_t size);
#define PF_SQL_MADE_ROOM(list, count, room) pf_sql_made_grow((void **)&(list), count, &(room), sizeof *(list))

#endif
