/* tables/data.h - the tables of a trace as SQL and files of columns show them: a name, columns that are rows of data,
 * and where their values lie.
 *
 * A column names a member of the table's base struct (one pointer to an array per column) or a getter. Tables of the
 * trace are made of what the model says of them (model_tables.c); those that only a reader of tables needs (arguments,
 * faults, bounds, files) are rows in table_list.c.
 */
#pragma once

#include "base/arena.h"
#include "model/trace/trace.h"
#include "postfetto/query.h"
#include "tables/arg_sets.h"

typedef struct pf_data pf_data;
typedef struct pf_data_table pf_data_table;

/* Where the value of a column comes from. A pointer to the array is at `offset` of the base struct; a NULL pointer is a
 * column of NULLs. */
typedef enum pf_data_source {
    PF_DATA_ROW,           /* the row number */
    PF_DATA_INT64,         /* array of int64 */
    PF_DATA_INT64_OR_NULL, /* the same, INT64_MIN is NULL */
    PF_DATA_UINT32,        /* array of uint32, PF_NONE is NULL */
    PF_DATA_REAL,          /* array of double */
    PF_DATA_STRING,        /* array of string ids of the trace, 0 is NULL */
    PF_DATA_KEY,           /* array of string ids of the argument keys */
    PF_DATA_BLOB,          /* array of pf_bytes, ptr NULL is NULL */
    PF_DATA_ZERO,          /* the integer 0 in every row */
    PF_DATA_NULL_INT,      /* NULL in every row, declared INTEGER */
    PF_DATA_NULL_TEXT,
    PF_DATA_CALL_INT, /* `make` */
    PF_DATA_CALL_TEXT,
    PF_DATA_CALL_REAL
} pf_data_source;

static inline bool pf_data_is_array(pf_data_source source)
{
    return source >= PF_DATA_INT64 && source <= PF_DATA_BLOB;
}

static inline bool pf_data_is_text(pf_data_source source)
{
    return source == PF_DATA_STRING || source == PF_DATA_KEY;
}

enum {
    PF_DATA_SORTED = 1u << 0, /* INT64 or UINT32 without NULL, never descending: ranges by binary search */
    PF_DATA_INDEX = 1u << 1,  /* UINT32, STRING or KEY: equality and grouping through an index made on first use */
    PF_DATA_FEW = 1u << 2,    /* an indexed column whose values have few rows each */
    PF_DATA_LAZY = 1u << 3,   /* the array exists after the table's `load` */
    PF_DATA_COPY = 1u << 4,   /* CALL_TEXT: the text lives until the next call only */
    PF_DATA_HOLES = 1u << 6,  /* REAL: NaN is NULL (in SQL it always is) */
    PF_DATA_LOOKUP = 1u << 7, /* CALL_INT: equality with what another table says, through an index made on first use */
    PF_DATA_AGAIN = 1u << 5   /* another column once more: by a second name, or as text to be shown */
};

typedef struct pf_data_column {
    const char *name;
    pf_data_source source;
    unsigned flags;
    size_t offset; /* of the array; CALL: which of the cells that `make` can make */
    pf_query_cell (*make)(pf_data *d, uint32_t row, size_t which);
    size_t
        through; /* where not 0: offset of an array that says which row of another table the value lies in, or NULL */
} pf_data_column;

typedef struct pf_data_spec {
    const char *name;
    const char *of; /* the main table of the trace whose columns and rows it has; NULL: its own */
    const pf_data_column *columns;
    size_t column_count;
    /* Sets base and rows where they are its own, and visible where some rows are hidden. May be NULL. */
    pf_status (*open)(pf_data *d, pf_data_table *table, pf_error *err);
    /* Makes the rows, and these columns, a bit each, before anybody looks at them. May be NULL. */
    pf_status (*make)(pf_data *d, pf_data_table *table, uint64_t columns, pf_error *err);
    /* Makes the arrays of LAZY columns. May be NULL. */
    pf_status (*load)(pf_data *d, pf_error *err);
    bool lazy_rows;                     /* `load` also appends rows; what was there before keeps its place */
    const struct pf_sql_finder *finder; /* of a query: what finds the rows of a table-valued function, or NULL */
} pf_data_spec;

struct pf_data_table {
    const pf_data_spec *spec;
    const void *base;
    uint32_t rows;
    uint32_t expected;       /* how many about there will be after the load; 0: as many as there are */
    const uint32_t *visible; /* ascending row numbers, or NULL = all */
    uint32_t visible_count;
    bool loaded;
    uint64_t made;               /* columns, a bit each; 0: not even the rows */
    struct pf_sql_index **index; /* of a query: by column; NULL until made */
    uint64_t looked_at;          /* of a query: columns that a text was looked for in, a bit each */
};

/* Rows that have arguments, in the order of Perfetto's numbers of sets: first those that are no events (row_args.c). */
enum {
    PF_SETS_DIMENSION,
    PF_SETS_SOURCE,
    PF_SETS_PROCESS,
    PF_SETS_THREAD,
    PF_SETS_GPU,
    PF_SETS_VULKAN,
    PF_SETS_CPU,
    PF_SETS_FTRACE_EVENT,
    PF_SETS_SLICE,
    PF_SETS_COUNTER,
    PF_SETS_FLOW,
    PF_SETS_STATE,
    PF_SETS
};

/* Their sets; NULL before the load. */
typedef struct pf_data_row_sets {
    uint32_t *set; /* by row; PF_NONE: no arguments */
    uint32_t rows;
} pf_data_row_sets;

/* All tables of one trace. Of one thread at a time. */
struct pf_data {
    const pf_trace *trace;
    pf_budget *budget;     /* the trace's */
    pf_arena arena;        /* what lives as long as the tables */
    pf_data_table *tables; /* one per spec, then those of the caller, then one per side table */
    size_t table_count;
    struct pf_data_model **models; /* by table: where it is one of the trace */
    pf_arg_store args;
    pf_data_row_sets row_sets[PF_SETS];
    bool has_row_args, has_event_args;
    char scratch[64]; /* text of the last COPY cell */
};

/* An array column as it is read: the value of `row` is array[pf_data_place(...)]. */
typedef struct pf_data_values {
    const void *array;       /* NULL: all values are */
    const uint32_t *through; /* NULL: the row itself */
} pf_data_values;

static inline pf_data_values pf_data_values_of(const pf_data_table *table, const pf_data_column *column)
{
    const void *const *array = (const void *)((const char *)table->base + column->offset);
    const uint32_t *const *through = (const void *)((const char *)table->base + column->through);
    return (pf_data_values){*array, column->through ? *through : NULL};
}

static inline uint32_t pf_data_place(const pf_data_values *v, uint32_t row)
{
    return v->through ? v->through[row] : row;
}

/* The texts of a column of ids. */
static inline const pf_strings *pf_data_pool(const pf_data *d, const pf_data_column *column)
{
    return column->source == PF_DATA_KEY ? &d->args.keys : &d->trace->strings;
}

/* data.c: opens the tables of a trace, which must outlive them, and `count` more that the caller describes. *err is
 * there; after a failure, too, pf_data_close frees what there is. */
pf_status pf_data_open(pf_data *d, const pf_trace *trace, const pf_data_spec *more, size_t count, pf_error *err);
void pf_data_close(pf_data *d);

/* The bit of a column in a set of them; those from the 63rd on share one, as in SQLite's colUsed. */
static inline uint64_t pf_data_column_bit(size_t column)
{
    return 1ull << (column < 63 ? column : 63);
}

/* data.c: runs `make` unless these columns are made; *err is filled on failure. Whoever reads rows calls it first. */
pf_status pf_data_make(pf_data *d, pf_data_table *table, uint64_t columns, pf_error *err);

/* model_cells.c: the table of that name, NULL if there is none. */
pf_data_table *pf_data_find(const pf_data *d, pf_str name);

/* data.c: runs `load` once; *err is filled on failure. */
pf_status pf_data_load(pf_data *d, pf_data_table *table, pf_error *err);

/* table_list.c: what display_value says of a row of args; until the next call. */
pf_str pf_data_arg_text(pf_data *d, uint32_t row);

/* ---- between the files of this room ------------------------------------------------------------------------------ */

/* The columns of a table of the trace, and where their values lie. */
typedef struct pf_data_model {
    const char *of; /* the table's name in the model */
    pf_data_spec spec;
    pf_data_column *columns;
    pf_data_values cell[]; /* by column */
} pf_data_model;

/* model_tables.c: makes tables[number], one of the trace: the main table that a spec is of, or a side table. */
pf_status pf_data_add_main(pf_data *d, size_t number, const pf_data_spec *spec, pf_error *err);
pf_status pf_data_add_side(pf_data *d, size_t number, const pf_side_table *side, pf_error *err);

/* model_cells.c: the rows of a table of the trace. */
uint32_t pf_data_rows_of(const pf_data *d, const char *table);

/* Says where the values of a column lie that the model leaves to this room, in everything that shows the table. */
void pf_data_set_cells(pf_data *d, const char *table, const char *column, const uint32_t *cells);

/* Which rows the track table shows. */
pf_status pf_data_tracks_open(pf_data *d, pf_data_table *table, pf_error *err);

/* table_list.c: sets what makes the cells of a column of a main table; false if nothing does. */
bool pf_data_make_column(const char *table, pf_data_column *column);
extern const pf_data_spec pf_data_specs[];
extern const size_t pf_data_spec_count;

/* row_args.c: makes the argument sets of rows that are no events, or those of all; once. */
pf_status pf_data_row_args_load(pf_data *d, pf_error *err);
pf_status pf_data_args_load(pf_data *d, pf_error *err);

/* event_args.c: fills the sets of all slices, counters, states and flows. */
pf_status pf_data_event_args_load(pf_data *d, pf_error *err);
