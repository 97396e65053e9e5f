/* postfetto/arg_columns.h - arguments as columns: typed arrays of the values that events have under some keys.
 *
 * A pass that reads the same few arguments of every event asks for all of them at once, instead of visiting event by
 * event (pf_trace_visit_args). They are decoded in one pass over the argument bytes, by several threads.
 *
 *     const pf_arg_key keys[] = {{.key = "correlation", .type = PF_ARG_INT},
 *                                {.key = "TS1", .type = PF_ARG_UINT, .from_text = true}};
 *     pf_arg_columns *c;
 *     st = pf_arg_columns_read(trace, NULL, 0, keys, 2, NULL, &c, &err);
 *     const pf_arg_column *correlation = pf_arg_column_at(c, 0);
 *     for (uint32_t row = 0; row < pf_trace_events(trace)->count; row++) {
 *         if (pf_arg_has(correlation, row)) sum += correlation->values.i[row];
 *     }
 *     pf_arg_columns_free(c);
 */
#ifndef POSTFETTO_ARG_COLUMNS_H
#define POSTFETTO_ARG_COLUMNS_H

#include "postfetto/trace.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a column holds, and which values count as one; all others are as if there was none.
 * INT, UINT: integers of the range, bools as 0 and 1, reals without a fraction. REAL: all numbers and bools. TEXT:
 * texts. */
typedef enum pf_arg_type { PF_ARG_INT = 0, PF_ARG_UINT, PF_ARG_REAL, PF_ARG_TEXT } pf_arg_type;

typedef struct pf_arg_key {
    /* "correlation", or a way into objects and lists: "shape[0]", "kernel.name". The prefix of tables ("args.",
     * "debug.") may be there or not. A dot also matches a dot inside a key: "a.b" is {"a":{"b":1}} and {"a.b":1}. */
    const char *key;
    pf_arg_type type;
    bool from_text; /* INT, UINT, REAL: texts that are a number count, too: "560", "-1.5", "0xc06c" */
} pf_arg_key;

typedef struct pf_arg_column {
    pf_arg_type type;
    uint32_t found; /* rows that have a value */
    union {
        const int64_t *i;
        const uint64_t *u;
        const double *d;
        const uint32_t *text; /* ids for pf_arg_columns_text */
    } values;                 /* by row; 0 where there is no value */
    const uint64_t *present;  /* a bit per row, the lowest of present[0] for row 0 */
} pf_arg_column;

static inline bool pf_arg_has(const pf_arg_column *c, uint32_t row)
{
    return c->present[row / 64] >> row % 64 & 1;
}

typedef struct pf_arg_options {
    unsigned jobs;              /* threads: 1 = none besides the caller's; 0 = the default, 2 */
    const volatile int *cancel; /* polled; non-zero ends the reading with PF_ERR_CANCELLED; may be NULL */
    bool first_values;          /* of several values under one key the first one counts: an event whose keys all have
                                 * one may be left early, which takes less time */
} pf_arg_options;

/* Several threads may read them. */
typedef struct pf_arg_columns pf_arg_columns;

/* The most keys that one call takes. */
#define PF_ARG_KEYS_MAX 64

/* Reads the arguments of events: of all of them (events NULL; row r of a column is row r of table event), or of the
 * `count` rows in `events` (row r of a column is about events[r]; any order, any number of times). Of several values
 * under one key the last one counts, unless options say otherwise. options may be NULL. The trace must have been read
 * with PF_WANT_ARGS and must outlive the columns, whose memory counts against its limits. Errors: PF_ERR_USAGE (no such
 * event, a key that is empty), PF_ERR_LIMIT, PF_ERR_MEMORY, PF_ERR_CANCELLED; then *out is NULL. */
PF_API pf_status pf_arg_columns_read(const pf_trace *t, const uint32_t *events, uint32_t count, const pf_arg_key *keys,
                                     size_t key_count, const pf_arg_options *options, pf_arg_columns **out,
                                     pf_error *err);

/* Arguments that a program knows it will ask for before it reads a trace (pf_read_options.early_args). A reader that
 * can reads them while it has their bytes at hand, which saves half the time of a later pf_arg_columns_read with
 * first_values whose keys are all among these; what it finds does not depend on that. The values take some 5 to 30
 * bytes for each event until the trace is released, and count against its limits. */
typedef struct pf_early_args {
    const pf_arg_key *keys;
    size_t count;
    bool (*of_category)(pf_str category); /* whether arguments of events of a category are wanted; asked once for each,
                                           * {NULL, 0} for events without one. NULL: those of all events */
    bool (*of_name)(pf_str name);         /* likewise for the names of events of these categories */
    const struct pf_early_args *next;     /* other keys, of these or of other events; NULL: no more */
    size_t first_count;                   /* keys that are read at first, 0: all; the others are read of the events */
    bool (*of_more)(pf_str category);     /* from the first one on whose category, which is wanted, this accepts */
    const struct pf_early_keeper *keeper; /* of the first: what is kept of all other arguments, which passes of the
                                           * library alone can say; NULL: everything */
} pf_early_args;

/* The column of keys[key]. */
PF_API const pf_arg_column *pf_arg_column_at(const pf_arg_columns *c, size_t key);

/* Texts by id: equal texts have equal ids, in order of appearance from 1 on, of all columns together. {NULL, 0} for 0.
 */
PF_API uint32_t pf_arg_columns_text_count(const pf_arg_columns *c);
PF_API pf_str pf_arg_columns_text(const pf_arg_columns *c, uint32_t id);

PF_API void pf_arg_columns_free(pf_arg_columns *c);

#ifdef __cplusplus
}
#endif
#endif
