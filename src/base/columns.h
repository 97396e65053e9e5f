/* base/columns.h - the columns of one table: plain arrays that grow together.
 *
 * A table struct has one pointer per column, a row count and a `room` (rows that may be written without asking). The
 * hot path is `if (t->count == t->room && grow) ...; t->ts[t->count] = ...`. Memory is reserved as address space and
 * grown by remapping pages, never by copying; what counts against the budget are the rows made available, in steps of
 * a thirty-second (at least 64 KiB), because untouched pages cost nothing.
 *
 *     struct table { uint32_t count, room; int64_t *ts; uint8_t *phase; pf_columns columns; };
 *     pf_columns_init(&t->columns, budget, "event");
 *     PF_COLUMNS_ADD(&t->columns, t->ts, err);
 *     ...
 *     pf_columns_room(&t->columns, (uint64_t)t->count + 1, &t->room, err)
 *
 * New rows are zero-filled.
 */
#pragma once

#include "base/budget.h"

/* One column of a table. */
typedef struct pf_column_place {
    void **base;
    size_t size;
} pf_column_place;

typedef struct pf_columns {
    pf_budget *budget;
    const char *table; /* for error texts */
    unsigned count;
    uint32_t room;    /* rows charged to the budget */
    size_t touched;   /* rows whose pages are there, or are about to be */
    size_t reserved;  /* rows mapped */
    size_t row_bytes; /* sum of the element sizes */
    uint32_t column_room;
    pf_column_place *column;
    struct pf_prefaulter *toucher; /* touches pages ahead instead of the budget's; whoever set it ends it */
} pf_columns;

void pf_columns_init(pf_columns *c, pf_budget *budget, const char *table);

/* Adds a column; *base is set (to NULL until rows exist). A column added to a table that has rows is zero-filled.
 * Returns PF_OK, PF_ERR_MEMORY or PF_ERR_LIMIT. */
pf_status pf_columns_add(pf_columns *c, void **base, size_t size, pf_error *err);
#define PF_COLUMNS_ADD(columns, base, err) pf_columns_add((columns), (void **)&(base), sizeof *(base), (err))

/* Makes room for at least `rows` rows (limit: pf_limits.rows and 2^32 - 2) and stores the new room. */
pf_status pf_columns_grow(pf_columns *c, uint64_t rows, uint32_t *room, pf_error *err);

/* The same where there may be room for them already. */
static inline pf_status pf_columns_room(pf_columns *c, uint64_t rows, uint32_t *room, pf_error *err)
{
    return rows <= *room ? PF_OK : pf_columns_grow(c, rows, room, err);
}

/* The same for exactly `rows` rows, whose pages nobody touches yet: for a table that is filled from several places at
 * once. Each of them has the pages of the rows that it will write next touched in one call. */
pf_status pf_columns_reserve(pf_columns *c, uint64_t rows, uint32_t *room, pf_error *err);
void pf_columns_touch(const pf_columns *c, uint32_t from, uint32_t to);

/* Gives address space beyond the room back; not while a prefaulter is at work (budget.h). It may grow again. */
void pf_columns_trim(pf_columns *c);

/* Makes the first `rows` rows those of a table with the same columns. */
pf_status pf_columns_copy(pf_columns *c, const pf_columns *from, uint32_t rows, uint32_t *room, pf_error *err);

/* The cells of row `to` become those of row `from`. */
void pf_columns_move(const pf_columns *c, uint32_t to, uint32_t from);

/* Gives one column back before the others; *base becomes NULL. */
void pf_columns_drop(pf_columns *c, void **base);

void pf_columns_free(pf_columns *c); /* sets every base to NULL */
