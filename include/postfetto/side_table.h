/* postfetto/side_table.h - side tables: what a reader knows that Perfetto's main tables have no place for, hardware
 * counter samples for instance, or raw cycle counters.
 *
 * Whoever fills a table registers it while the trace is read: a name, columns with types, one line of help each. From
 * then on it is a table like any other: SQL, the export to a database, `info` and pf_trace_table know it. Columns are
 * plain arrays of equal length, as in the main tables.
 */
#ifndef POSTFETTO_SIDE_TABLE_H
#define POSTFETTO_SIDE_TABLE_H

#include "postfetto/trace.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- what a table is --------------------------------------------------------------------------------------------- */

typedef enum pf_column_type {
    PF_COLUMN_INT = 0, /* int64_t; INT64_MIN is NULL */
    PF_COLUMN_REAL,    /* double; NaN is NULL */
    PF_COLUMN_TEXT,    /* uint32_t, a string id (pf_trace_string); 0 is NULL */
    PF_COLUMN_BLOB,    /* pf_bytes; ptr NULL is NULL */
    PF_COLUMN_ROW      /* uint32_t, a row of the table `of`; PF_NONE is NULL */
} pf_column_type;

/* Flags of columns. */
enum {
    PF_COLUMN_SORTED = 1u << 0, /* INT that never descends and is never NULL: ranges are found by binary search */
    PF_COLUMN_HIDDEN = 1u << 1  /* not in SQL */
};

typedef struct pf_side_column {
    const char *name; /* letters, digits, anything but NUL; no two equal ones in a table, none is "id" */
    pf_column_type type;
    const char *unit; /* "ns", "cycles", ...; NULL or "" if it has none */
    const char *of;   /* ROW: the other table's name, else NULL */
    const char *help; /* one line, no final full stop; may be NULL */
    unsigned flags;
} pf_side_column;

typedef struct pf_side_spec {
    const char *name; /* letters, digits, underscores; not that of another table */
    const char *help; /* one line, no final full stop */
    const pf_side_column *columns;
    size_t column_count; /* at most PF_SIDE_COLUMNS_MAX */
} pf_side_spec;

#define PF_SIDE_COLUMNS_MAX 1000

typedef struct pf_side_table {
    const pf_side_spec *spec; /* the trace's copy */
    uint32_t count;           /* rows */
    uint32_t room;            /* rows that memory is there for */
    void **column;            /* an array per column of the spec, see pf_column_type; NULL until there are rows */
    struct pf_columns *grow;  /* the library's, both */
    struct pf_budget *budget;
} pf_side_table;

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* All side tables of a trace, with rows or without, in the order in which they were registered. */
PF_API size_t pf_trace_table_count(const pf_trace *t);
PF_API const pf_side_table *pf_trace_table_at(const pf_trace *t, size_t i);

/* The side table of that name, NULL if there is none. */
PF_API const pf_side_table *pf_trace_table(const pf_trace *t, const char *name);

/* The number of a column, PF_NONE if there is none of that name. */
PF_API uint32_t pf_side_column_named(const pf_side_table *s, const char *name);

/* Cells of a row; the types are the caller's to know. For filling and for reading. */
static inline int64_t *pf_side_number(const pf_side_table *s, unsigned column, uint32_t row)
{
    return (int64_t *)s->column[column] + row;
}

static inline double *pf_side_real(const pf_side_table *s, unsigned column, uint32_t row)
{
    return (double *)s->column[column] + row;
}

/* TEXT and ROW. */
static inline uint32_t *pf_side_ref(const pf_side_table *s, unsigned column, uint32_t row)
{
    return (uint32_t *)s->column[column] + row;
}

static inline pf_bytes *pf_side_blob(const pf_side_table *s, unsigned column, uint32_t row)
{
    return (pf_bytes *)s->column[column] + row;
}

/* Columns by name, once: a struct that begins with `uint32_t count` and has a pointer to constant cells for each column
 * that is needed is filled from a list of bindings. The type of a member says what the cells have to be.
 *
 *     typedef struct beats { uint32_t count; const int64_t *ts; const uint32_t *name; } beats;
 *     static const pf_side_binding columns[] = {PF_SIDE_MEMBER(beats, ts, "ts"), PF_SIDE_MEMBER(beats, name, "name")};
 *
 *     st = pf_side_bind(pf_trace_table(trace, "beat"), columns, 2, &b, err);
 *     for (uint32_t i = 0; st == PF_OK && i < b.count; i++) ... b.ts[i] ...
 */
typedef struct pf_side_binding {
    const char *column;
    pf_column_type type; /* TEXT: a column of texts or of rows */
    size_t member;       /* offset of the pointer in the struct */
} pf_side_binding;

#ifndef __cplusplus
/* clang-format off */
#define PF_SIDE_MEMBER(type, member, column)                                                                           \
    {                                                                                                                  \
        column,                                                                                                        \
            _Generic(((type *)0)->member, const int64_t *                                                              \
                     : PF_COLUMN_INT, const double *                                                                   \
                     : PF_COLUMN_REAL, const uint32_t *                                                                \
                     : PF_COLUMN_TEXT, const pf_bytes *                                                                \
                     : PF_COLUMN_BLOB),                                                                                \
            offsetof(type, member)                                                                                     \
    }
/* clang-format on */
#endif

/* Sets the count and the pointers. `s` may be NULL: no rows. Pointers are NULL where there are no rows; rows that are
 * added later may move what they point at. PF_ERR_INPUT: a column is not there, or has cells of another type. */
PF_API pf_status pf_side_bind(const pf_side_table *s, const pf_side_binding *bindings, size_t count, void *columns,
                              pf_error *err);

/* The bytes of a BLOB cell are not needed soon: those that lie in a mapped file leave the resident memory of the
 * process. They may still be read, they come back from the file. For walks over more than should be in memory. */
PF_API void pf_trace_drop_bytes(const pf_trace *t, pf_bytes bytes);

/* ---- filling ----------------------------------------------------------------------------------------------------- */

/* Registers a table, whose spec is copied, while the trace is read. A table that has the name already is returned if
 * its columns have the same names and types: several inputs fill one. PF_ERR_USAGE: the name or a column cannot be. */
PF_API pf_status pf_trace_add_table(pf_trace *t, const pf_side_spec *spec, pf_side_table **out, pf_error *err);

/* Appends one row of NULLs, row s->count - 1. Arrays may move. */
PF_API pf_status pf_side_add_row(pf_side_table *s, pf_error *err);

/* Appends `rows` rows at once, from row *first on. Their cells are zero: the caller writes all of them. */
PF_API pf_status pf_side_add_rows(pf_side_table *s, uint32_t rows, uint32_t *first, pf_error *err);

/* The string id of a text for a TEXT cell; 0 for {NULL, 0}. */
PF_API pf_status pf_trace_add_string(pf_trace *t, pf_str text, uint32_t *id, pf_error *err);

/* A copy of bytes for a BLOB cell that lives as long as the trace. */
PF_API pf_status pf_trace_keep_bytes(pf_trace *t, pf_bytes bytes, pf_bytes *out, pf_error *err);

#ifdef __cplusplus
}
#endif
#endif
