/* analyze/tinygrad/facts/tg_input.h - the side tables of a profile as plain columns.
 *
 * The tables are those that docs/reference/tinygrad.md describes; their rows are in the order of the file, so that rows
 * that belong to an event are found by its number. */
#ifndef PF_ANALYZE_TINYGRAD_FACTS_TG_INPUT_H
#define PF_ANALYZE_TINYGRAD_FACTS_TG_INPUT_H

#include <stddef.h>

#include "postfetto/author/pass.h"
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

typedef struct tg_runs { /* tinygrad_run */
    uint32_t count;
    const uint32_t *event, *kernel, *metadata;
    const int64_t *run;
} tg_runs;

typedef struct tg_uses { /* tinygrad_run_buffer: of runs, in their order */
    uint32_t count;
    const uint32_t *run;
    const int64_t *buffer, *position, *mode;
} tg_uses;

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

typedef struct tg_profiles { /* tinygrad_profile */
    uint32_t count;
    const uint32_t *generation;
} tg_profiles;

/* Values of tinygrad_event.kind, as string ids; PF_NONE where the trace has none of that kind. */
typedef struct tg_kinds {
    uint32_t range, point, entry, batch;
} tg_kinds;

/* Which program wrote the profile: what its viewer shows differs. */
typedef enum tg_generation { TG_DEC25 = 0, TG_MID26, TG_AUG26 } tg_generation;

typedef struct tg_input {
    const pf_trace *t;
    tg_profiles profiles;
    tg_events events;
    tg_notes notes;
    tg_memory memory;
    tg_runs runs;
    tg_uses uses;
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

/* PF_ERR_INPUT: the tables are not those of this release's reader. */
pf_status pf_tg_open(tg_input *in, const pf_trace *t, pf_error *err);

/* Which table's columns a struct has, and where it is in the one that holds them all. */
typedef struct tg_table {
    const char *name;
    const pf_side_binding *columns;
    size_t count, member;
} tg_table;

#define TG_AS(type, member, column) PF_SIDE_MEMBER(type, member, column)
#define TG_COLUMN(type, name) PF_SIDE_MEMBER(type, name, #name)
#define TG_TABLE(name, type, member, ...)                                                                              \
    {                                                                                                                  \
        name, (const pf_side_binding[]){__VA_ARGS__},                                                                  \
            sizeof((const pf_side_binding[]){__VA_ARGS__}) / sizeof(pf_side_binding), offsetof(type, member)           \
    }

/* Binds the columns of all tables to the structs in `all`. */
pf_status pf_tg_bind(const pf_trace *t, const tg_table *tables, size_t count, void *all, pf_error *err);

/* Rows first .. end - 1. */
typedef struct tg_rows {
    uint32_t first, end;
} tg_rows;

/* The rows of an ascending column that have this value; the first one, or PF_NONE. */
tg_rows pf_tg_rows_of(const uint32_t *column, uint32_t count, uint32_t value);
uint32_t pf_tg_find(const uint32_t *column, uint32_t count, uint32_t value);

static inline int64_t pf_tg_us(int64_t ns) /* whole microseconds, towards zero */
{
    return ns / 1000;
}

pf_str pf_tg_string(const tg_input *in, uint32_t id);
bool pf_tg_is(const tg_input *in, uint32_t id, const char *text);

/* tg_input.c: events.json, every event of the profile plainly, in the order of the file. Tables have what can be
 * measured; the rest is in the input, which is read once more. */
pf_status pf_tg_visit_events(const void *of, const pf_arg_visitor *v, pf_error *err);

#endif
