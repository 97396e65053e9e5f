/* analyze/gpu/kernels/gpu_kernels.h - point 2: what ran on devices and on the host, in numbers. */
#pragma once

#include "analyze/gpu/facts/gpu_facts.h"
#include "base/map.h"
#include "base/strings.h"

/* ---- lengths in numbers (gpu_stats.c) ---------------------------------------------------------------------------- */

/* All in ns. The mean and the median of an even count are rounded to the nearest integer, halves up. p95 is the
 * smallest length that at least 95 % of all are not above. */
typedef struct gpu_stats {
    uint64_t count, total, mean, median, p95, least, most;
} gpu_stats;

/* Of n lengths; zeros for none. `scratch` has room for n. A total beyond int64 is INT64_MAX. */
gpu_stats pf_gpu_stats(const uint64_t *lengths, size_t n, uint64_t *scratch);

/* The same of differences that may be negative. */
typedef struct gpu_signed_stats {
    uint64_t count;
    int64_t mean, median, p95, least, most;
} gpu_signed_stats;
gpu_signed_stats pf_gpu_signed_stats(const int64_t *values, size_t n, int64_t *scratch);

/* The cells of gpu_stats from "mean_ns" on, and all of them. */
#define GPU_SPREAD(s)                                                                                                  \
    pf_cell_count((s)->mean), pf_cell_count((s)->median), pf_cell_count((s)->p95), pf_cell_count((s)->least),          \
        pf_cell_count((s)->most)
#define GPU_STATS(s) pf_cell_count((s)->count), pf_cell_count((s)->total), GPU_SPREAD(s)

/* The name with what stands between < and > left out, and every run of digits as one '#'. `out` has room for name.len.
 * Returns the length. A '<' or '>' of an operator ("operator<<", "->") is no bracket. */
size_t pf_gpu_fold_name(pf_str name, char *out);

/* ---- kernels (gpu_kernels.c) ------------------------------------------------------------------------------------- */

typedef struct gpu_kernel_row {
    pf_str name;
    uint32_t group, longest; /* longest: the operation */
    gpu_stats stats;
} gpu_kernel_row;

/* The kernels of the inputs by name, those with the longest time in all first. */
typedef struct gpu_kernel_lists {
    gpu_kernel_row **rows; /* by input */
    uint32_t *count;       /* likewise */
    uint32_t inputs;
    pf_arg_columns **launches; /* by input: arguments of the longest calls; row k of the columns is about rows[k] */
    pf_strings names;          /* folded ones, to which the rows point */
    pf_arena arena;
} gpu_kernel_lists;

/* Needs the facts only, and changes none. */
pf_status pf_gpu_kernels_find(const gpu_facts *g, bool fold_names, gpu_kernel_lists *out, pf_error *err);
void pf_gpu_kernels_tabulate(const gpu_facts *g, const gpu_kernel_lists *kernels);
void pf_gpu_kernels_free(gpu_kernel_lists *kernels); /* legal on zeros */

/* ---- operations and calls in groups that share a key (gpu_groups.c, gpu_collectives.c) --------------------------- */

typedef struct gpu_group {
    uint32_t number;
    const uint32_t *members; /* in order of device and start, or of input and start */
    gpu_stats stats;
    uint64_t whole; /* the totals of all groups of the input */
} gpu_group;

/* A table with a row for each group of an input: the longest in all first. */
enum { GPU_KEY_MOST = 32 };
typedef struct gpu_grouping {
    bool of_calls;                                               /* members are runtime calls, not operations */
    gpu_class class;                                             /* of the operations */
    size_t key_size;                                             /* at most GPU_KEY_MOST */
    bool (*key)(const gpu_facts *g, uint32_t member, void *key); /* false: it is in no group */
    void (*add_row)(const gpu_facts *g, uint32_t input, const gpu_group *group);
} gpu_grouping;

typedef struct gpu_groups {
    gpu_group **list; /* by input */
    uint32_t *count;  /* likewise */
} gpu_groups;

/* In `arena`. Needs the facts only, and their details, and changes none. */
pf_status pf_gpu_groups_find(const gpu_facts *g, const gpu_grouping *what, pf_arena *arena, gpu_groups *out,
                             pf_error *err);
void pf_gpu_groups_tabulate(const gpu_facts *g, const gpu_grouping *what, const gpu_groups *groups);

/* Both. Resets g->scratch. */
pf_status pf_gpu_tabulate_groups(gpu_facts *g, const gpu_grouping *what, pf_error *err);

/* Memcpy and memset by name; runtime calls; those that wait for the device; collectives by kind, size, type and group.
 */
extern const gpu_grouping pf_gpu_memcpy, pf_gpu_runtime, pf_gpu_syncs, pf_gpu_collectives;

/* What a communication kernel is, by its arguments, else by its name; kinds have names ("all_reduce", ..., "other"). */
uint32_t pf_gpu_collective_kind(const gpu_facts *g, uint32_t op);
pf_str pf_gpu_collective_name(uint32_t kind);
uint32_t pf_gpu_collective_named(pf_str name);

/* Whether no rank can be done with it before all have begun. */
bool pf_gpu_collective_needs_all(uint32_t kind);

/* The size that its bandwidth is about; -1 if the arguments do not say it. */
int64_t pf_gpu_collective_bytes(const gpu_facts *g, uint32_t op, uint32_t kind);

/* ---- the host (gpu_operators.c, gpu_operator_kernels.c, gpu_modules.c, gpu_threads.c, gpu_cupti.c) -------------- */

typedef struct gpu_operator_row {
    uint32_t input, name, shapes; /* shapes: id of gpu_operators.shapes; 0: none */
    uint32_t counted_for;         /* the operation counted last, + 1 */
    uint32_t number;              /* in order of appearance */
    int64_t host_self;            /* host without the operators directly inside */
    uint64_t calls, host, launched, launched_self, device, device_self; /* host: of the outermost calls */
} gpu_operator_row;

/* A kernel, memcpy or memset that an operator launched itself; name 0: no operator launched it. */
typedef struct gpu_operator_kernel {
    uint32_t input, name, shapes, kernel, number; /* number: in order of appearance */
    uint8_t class;                                /* of its first event */
    uint64_t calls, total, least, most;
} gpu_operator_kernel;

typedef struct gpu_operator_kernels {
    gpu_operator_kernel *rows;
    uint32_t count, room;
    pf_map known; /* by operator, or input, and name of the event */
    pf_arena *arena;
} gpu_operator_kernels;

/* The `number`th operator launched the event, that of `row`; NULL: none did, and the number does not count. */
void pf_gpu_operator_kernels_init(gpu_operator_kernels *k, pf_arena *arena);
pf_status pf_gpu_operator_kernels_add(const gpu_facts *g, gpu_operator_kernels *k, uint32_t op,
                                      const gpu_operator_row *row, uint32_t number, pf_error *err);
void pf_gpu_operator_kernels_tabulate(const gpu_facts *g, const gpu_operator_kernels *k, const pf_strings *shapes);
void pf_gpu_operator_kernels_free(gpu_operator_kernels *k); /* legal on zeros */

/* By input, then device time, the longest first. */
typedef struct gpu_operators {
    gpu_operator_row *rows;
    uint32_t count, room;
    gpu_operator_kernels kernels;
    pf_strings shapes;
    pf_arena arena; /* of the rows */
} gpu_operators;

/* By row of table slice the nearest operator that it is or lies in, PF_NONE without any. */
pf_status pf_gpu_operators_around(const gpu_facts *g, pf_arena *arena, uint32_t **out, pf_error *err);

/* Needs the facts only, and changes none. `around`: as above. `scratch` is reset afterwards. */
pf_status pf_gpu_operators_find(const gpu_facts *g, const uint32_t *around, bool by_shape, pf_arena *scratch,
                                gpu_operators *out, pf_error *err);
void pf_gpu_operators_tabulate(const gpu_facts *g, const gpu_operators *o);
void pf_gpu_operators_free(gpu_operators *o); /* legal on zeros */

/* Values of counters of CUPTI's profiler, for drawings: of an input and counter next to each other in order of time. */
typedef struct gpu_counter_sample {
    uint32_t input, counter, number; /* counter: in order of appearance; number: of the value, likewise */
    pf_interval time;                /* of its range */
    double value;
} gpu_counter_sample;

typedef struct gpu_counter_samples {
    gpu_counter_sample *list;
    pf_str *names; /* of counters */
    uint32_t count, room, name_count, name_room;
} gpu_counter_samples;

/* Calls of modules, for drawings; all NULL where nothing is drawn, or no module was recorded. */
typedef struct gpu_module_calls {
    uint32_t *around; /* by row of table slice the innermost call of a module that it is or lies in, PF_NONE without */
    uint32_t *node;   /* by row of table slice, of a call of a module: its node in table gpu_module_tree */
} gpu_module_calls;

/* Fill the tables of modules, of threads, and of counters of CUPTI's profiler. They reset g->scratch. */
pf_status pf_gpu_counters(gpu_facts *g, gpu_counter_samples *samples, pf_error *err);
pf_status pf_gpu_modules(gpu_facts *g, gpu_module_calls *calls, pf_error *err);
pf_status pf_gpu_threads(gpu_facts *g, pf_error *err);
