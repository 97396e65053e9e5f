/* analyze/tinygrad/facts/tg_input.h - the side tables of a profile as plain columns.
 *
 * The tables are those that docs/reference/tinygrad.md describes; their rows are in the order of the file, so that rows
 * that belong to an event are found by its number. */
#ifndef PF_ANALYZE_TINYGRAD_FACTS_TG_INPUT_H
#define PF_ANALYZE_TINYGRAD_FACTS_TG_INPUT_H

#include <stddef.h>

#include "postfetto/pass.h"
#include "postfetto/side_table.h"

/* tinygrad_event */
typedef struct tg_events {
    uint32_t count;
    const uint32_t *kind, *device, *name; /* string ids */
    const int64_t *ts, *end;              /* ns; INT64_MIN: has no time */
    const double *dur;                    /* us; NaN: a point */
    const int64_t *copy;
    const uint32_t *graph;
} tg_events;

typedef struct tg_notes { /* tinygrad_note */
    uint32_t count;
    const uint32_t *event, *returned, *stack, *key;
    const int64_t *bytes; /* INT64_MIN: none */
} tg_notes;

typedef struct tg_calls { /* tinygrad_call */
    uint32_t count;
    const uint32_t *file, *function, *code, *caller;
    const int64_t *line;
} tg_calls;

typedef struct tg_samples { /* tinygrad_sample */
    uint32_t count;
    const uint32_t *event, *digits;
    const int64_t *value;
} tg_samples;

typedef struct tg_jsons { /* tinygrad_json */
    uint32_t count;
    const uint32_t *key, *json;
} tg_jsons;

typedef struct tg_memory { /* tinygrad_memory */
    uint32_t count;
    const uint32_t *event, *action, *dtype;
    const int64_t *buffer, *item_bytes, *items;
} tg_memory;

typedef struct tg_runs { /* tinygrad_run, tinygrad_run_buffer */
    uint32_t count;
    const uint32_t *event, *kernel, *metadata;
    const int64_t *run;
    uint32_t use_count;
    const uint32_t *use_run;
    const int64_t *use_buffer, *use_position, *use_mode;
} tg_runs;

typedef struct tg_variables { /* tinygrad_variable: of runs, in their order */
    uint32_t count;
    const uint32_t *run, *name;
    const int64_t *value;
} tg_variables;

typedef struct tg_executions { /* tinygrad_execution: which run a range or entry is */
    uint32_t count;
    const uint32_t *event, *run;
} tg_executions;

typedef struct tg_markers { /* tinygrad_marker */
    uint32_t count;
    const uint32_t *event, *name, *colour;
} tg_markers;

typedef struct tg_dependencies { /* tinygrad_dependency */
    uint32_t count;
    const uint32_t *before, *after;
} tg_dependencies;

/* What tinygrad_event.kind can be, as string ids; PF_NONE where the trace has none of that kind. */
typedef struct tg_kinds {
    uint32_t range, point, graph, entry, batch, device, program, sqtt, pmc, pma;
} tg_kinds;

/* Which program wrote the profile: what its viewer shows differs. */
typedef enum tg_generation { TG_DEC25 = 0, TG_MID26, TG_AUG26 } tg_generation;

typedef struct tg_input {
    const pf_trace *t;
    tg_events events;
    tg_notes notes;
    tg_memory memory;
    tg_runs runs;
    tg_variables variables;
    tg_executions executions;
    tg_markers markers;
    tg_dependencies dependencies;
    tg_calls calls;
    tg_samples samples;
    tg_jsons jsons;
    tg_kinds kinds;
    tg_generation generation;
    uint32_t event_count; /* items of the list that are events */
} tg_input;

void pf_tg_open(tg_input *in, const pf_trace *t);

/* The column of a table, NULL without rows. */
const void *pf_tg_column(const pf_side_table *s, const char *name);

/* A column of a side table and the member of a struct that points at it. */
typedef struct tg_binding {
    const char *column;
    size_t member;
} tg_binding;

#define TG_AS(type, member, column)                                                                                    \
    {                                                                                                                  \
        column, offsetof(type, member)                                                                                 \
    }
#define TG_COLUMN(type, name) TG_AS(type, name, #name)

/* Points the members of `columns` at the columns of the table; returns how many rows there are. */
uint32_t pf_tg_bind(const pf_trace *t, const char *table, const tg_binding *bindings, size_t count, void *columns);
#define TG_BIND(t, table, bindings, columns)                                                                           \
    pf_tg_bind(t, table, bindings, sizeof(bindings) / sizeof *(bindings), columns)

/* The first row of an ascending column that is not below `event`; the row of the event itself, or PF_NONE. */
uint32_t pf_tg_find(const uint32_t *events, uint32_t count, uint32_t event);

pf_str pf_tg_string(const tg_input *in, uint32_t id);
bool pf_tg_is(const tg_input *in, uint32_t id, const char *text);

/* tg_events_report.c: events.json. */
pf_status pf_tg_visit_events(const void *of, const pf_arg_visitor *v, pf_error *err);

#endif
