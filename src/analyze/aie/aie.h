/* aie/aie.h - the parts of the AIE core analysis and what they hand to each other.
 *
 *     collect    trace           -> per core process: lists of times        (aie_cores, lists)
 *     core       lists           -> kernels, iterations, stalls, quality    (aie_core)
 *     aggregate  cores           -> iterations that all cores have          (aie_aggregate)
 *     reports    both            -> the files of specs/aie.md and aie_quality.json
 *     summary    both            -> tables for the terminal, the --json document
 *     overlay    both            -> tracks to draw into the trace
 *
 * Memory comes from two arenas: `arena` dies with the pass, `scratch` (lists of times, working arrays) already when the
 * cores are analysed, before documents and overlay are made.
 */
#ifndef PF_AIE_AIE_H
#define PF_AIE_AIE_H

#include "analyze/intervals.h"
#include "analyze/iterations.h"
#include "analyze/pairs.h"
#include "base/arena.h"
#include "postfetto/pass.h"

/* Intervals that a core reports with begin and end events, by event name. */
typedef enum aie_kind {
    AIE_LOCK = 0,
    AIE_MEMORY,
    AIE_STREAM,
    AIE_CASCADE,
    AIE_STALL_KINDS,
    AIE_VECTOR = AIE_STALL_KINDS,
    AIE_KINDS
} aie_kind;

extern const char *const aie_kind_name[AIE_KINDS];  /* "LOCK", ..., "VECTOR" */
extern const char *const aie_kind_event[AIE_KINDS]; /* "LOCK_STALL", ..., "INSTR_VECTOR" */

/* The lists of times of one process. */
enum { AIE_ENTRIES = 0, AIE_EXITS = 1, AIE_BEGINS = 2, AIE_LISTS = AIE_BEGINS + 2 * AIE_KINDS };
#define AIE_KIND_BEGINS(kind) (AIE_BEGINS + 2 * (unsigned)(kind))
#define AIE_KIND_ENDS(kind) (AIE_BEGINS + 2 * (unsigned)(kind) + 1)

typedef struct aie_list {
    int64_t *time; /* in file order */
    size_t count;
} aie_list;

/* Which option is which: the order of the option table in pass.c. */
enum {
    AIE_OPT_M,
    AIE_OPT_K,
    AIE_OPT_N,
    AIE_OPT_TILE_M,
    AIE_OPT_TILE_K,
    AIE_OPT_TILE_N,
    AIE_OPT_ROW,
    AIE_OPT_COL,
    AIE_OPT_WARMUP,
    AIE_OPT_ITERATIONS,
    AIE_OPT_HWID,
    AIE_OPT_CLOCK_GHZ,
    AIE_OPT_PAIRING,
    AIE_OPT_DROP_EMPTY,
    AIE_OPT_PEAK,
    AIE_OPTIONS
};

typedef struct aie_parameters {
    int64_t M, K, N, m, k, n, rows, cols;
    int64_t warmup, iterations; /* not negative */
    pf_str hwid;
    double clock_ghz, peak_macs_per_cycle;
    bool nearest, drop_empty;
    double macs;          /* M*K*N as doubles, left to right */
    double macs_per_core; /* macs / max(1, rows*cols) */
} aie_parameters;

/* One iteration of one core. An empty one has count 0 and zeros everywhere. */
typedef struct aie_iteration {
    pf_iteration calls;
    double average;
    uint64_t shortest, longest, span;
    int64_t first_start, last_end;
    double gmacs_per_second;
    double utilisation_percent;
    double stall_share[AIE_STALL_KINDS], any_stall_share, vector_share;
} aie_iteration;

typedef struct aie_core {
    uint32_t upid;
    pf_str tile, file;        /* file: name of its report */
    aie_list list[AIE_LISTS]; /* until the core is analysed */

    pf_interval *kernels;
    size_t kernel_count;
    pf_median median; /* with kernels only, as is the rest of this block */
    double threshold;
    size_t boundary_count;
    aie_iteration *iterations;
    size_t iteration_count, perf_start, perf_end;
    uint64_t expected_iterations;
    pf_str note; /* NULL when the number of iterations is the expected one */

    pf_interval *stalls[AIE_STALL_KINDS];
    size_t stall_count[AIE_STALL_KINDS];

    pf_pair_counts pairing; /* --pairing nearest */
    uint64_t open_intervals, discarded_pairs;
} aie_core;

typedef struct aie_cores {
    aie_core *core; /* in the order of specs/aie.md 1 */
    size_t count;
} aie_cores;

/* An iteration that all cores have. */
typedef struct aie_common {
    size_t index;
    uint64_t runtime;
    double gmacs_per_second;
    bool drawn; /* at least one core has a kernel in it: [start, end) is known */
    int64_t start, end;
} aie_common;

typedef struct aie_aggregate {
    const uint32_t *source; /* by core: the last core with the same report file, whose numbers count for both */
    aie_common *iteration;  /* ascending by index */
    size_t count;           /* 0: nothing in common, or no cores */
    double average_runtime, average_gmacs_per_second;
    size_t best, worst; /* positions in `iteration` */
} aie_aggregate;

/* What the later parts work on. */
typedef struct aie_result {
    const pf_pass_context *ctx;
    const aie_parameters *parameters;
    const aie_cores *cores;
    const aie_aggregate *aggregate;
    pf_arena *arena;
} aie_result;

/* The group of a core's tracks is named "<tile> analysis"; collect.c knows it again in an enriched trace. */
#define AIE_GROUP_ENDING " analysis"

extern const pf_pass pf_pass_aie;

/* collect.c: finds the core processes (in the arena) and their lists (in the scratch). PF_ERR_INPUT with an offset for a
 * time that cannot be used. */
pf_status aie_collect(const pf_trace *t, pf_arena *arena, pf_arena *scratch, aie_cores *out, pf_error *err);

/* ends.c: the name column with the names of unnamed END packets filled in. */
pf_status aie_event_names(const pf_trace *t, pf_arena *scratch, const uint32_t **names, pf_error *err);

/* core.c: sections 2 to 4 for every core. */
pf_status aie_analyse(const aie_parameters *p, aie_cores *cores, pf_arena *arena, pf_arena *scratch, pf_error *err);

/* aggregate.c: section 7. */
pf_status aie_combine(const aie_parameters *p, const aie_cores *cores, pf_arena *arena, aie_aggregate *out,
                      pf_error *err);

/* reports.c, summary.c, overlay.c: failures stay in the findings. */
void aie_report(const aie_result *r, pf_findings *f);
void aie_summarise(const aie_result *r, pf_findings *f);
void aie_draw(const aie_result *r, pf_findings *f);

/* Pieces of documents that reports.c and summary.c share. */
void aie_add_pid(pf_findings *f, pf_node *parent, const pf_trace *t, uint32_t upid);
void aie_add_length(pf_findings *f, pf_node *parent, pf_str key, uint64_t v);
void aie_add_median(pf_findings *f, pf_node *parent, pf_str key, pf_median m);
void aie_add_iteration(pf_findings *f, pf_node *object, const aie_core *c, size_t i);
void aie_add_window(pf_findings *f, pf_node *parent, const aie_core *c);
void aie_fill_aggregate(pf_findings *f, pf_node *object, const aie_result *r);
void aie_fill_quality(pf_findings *f, pf_node *list, const aie_result *r);
const char *aie_phase(const aie_core *c, size_t iteration); /* "warmup", "perf", "extra" */

/* A text that lives as long as the arena; {NULL, 0} and the findings failed if memory is refused. */
pf_str aie_text(const aie_result *r, pf_findings *f, const char *format, ...) __attribute__((format(printf, 3, 4)));
#define AIE_TEXT_ARG(s) (int)(s).len, (s).ptr /* for "%.*s" */

/* n elements of `size` bytes out of the arena; NULL and err filled if refused. Never NULL for n = 0. */
void *aie_alloc(pf_arena *arena, size_t n, size_t size, pf_error *err);

#endif
