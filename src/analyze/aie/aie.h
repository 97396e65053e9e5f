/* analyze/aie/aie.h - the AIE core analysis: the facts that its steps share, and the steps, in the order in which
 * aie_pass.c calls them. None calls another. All from `aggregate` on are done for each capture.
 *
 *     collect    trace    -> per core process: lists of times        (aie_cores, lists)
 *     core       lists    -> kernels, iterations, stalls, quality    (aie_core)
 *     aggregate  cores    -> iterations that all cores have          (aie_aggregate)
 *     warnings   result   -> what cannot be trusted, once for all that follow
 *     reports    result   -> the files: one per core, details.md, index.json, aggregate_perf.json, aie_quality.json
 *     tables     result   -> report tables for SQL, tables and lines for the terminal
 *     document   result   -> the --json document, whose pieces the reports are, too
 *     draw       result   -> tracks to draw into the trace, of the system and of every core
 *
 * Memory comes from two arenas: one dies with the pass; the scratch arena (lists of times, working arrays) goes as soon
 * as the cores are analysed, before documents and overlay are made.
 */
#pragma once

#include "analyze/support/drawing.h"
#include "analyze/support/intervals.h"
#include "analyze/support/pass_tables.h"

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

/* "LOCK", ..., "CASCADE". */
static inline pf_str aie_stall_name(unsigned kind)
{
    static const pf_str names[AIE_STALL_KINDS] = {{"LOCK", 4}, {"MEMORY", 6}, {"STREAM", 6}, {"CASCADE", 7}};
    return names[kind];
}

/* The lists of times of one process. */
enum { AIE_ENTRIES = 0, AIE_EXITS = 1, AIE_BEGINS = 2, AIE_LISTS = AIE_BEGINS + 2 * AIE_KINDS };
#define AIE_KIND_BEGINS(kind) (AIE_BEGINS + 2 * (unsigned)(kind))
#define AIE_KIND_ENDS(kind) (AIE_BEGINS + 2 * (unsigned)(kind) + 1)

typedef struct aie_list {
    int64_t *time; /* in file order */
    size_t count;
} aie_list;

typedef struct aie_parameters {
    pf_str hwid;
    int64_t M, K, N, m, k, n, rows, cols;
    int64_t warmup, iterations; /* not negative */
    double clock_ghz, peak_macs_per_cycle;
    double stall_factor, duplicate_fraction, outlier_low, outlier_high; /* of the median kernel */
    bool nearest, drop_empty;
    double macs;          /* M*K*N as doubles, left to right */
    double macs_per_core; /* macs / max(1, rows*cols) */
} aie_parameters;

/* How much of a stretch of time stalls cover, by kind and, at the end, all kinds together. */
enum { AIE_ANY_STALL = AIE_STALL_KINDS };
typedef struct aie_stalled {
    double percent[AIE_STALL_KINDS + 1];
} aie_stalled;

/* One iteration of one core. An empty one has count 0 and zeros everywhere. */
typedef struct aie_iteration {
    pf_iteration calls;
    double average;
    uint64_t shortest, longest, span;
    int64_t first_start, last_end;
    double gmacs_per_second;
    double utilisation_percent, vector_percent;
    aie_stalled stalled;
} aie_iteration;

/* The time between two iterations that have kernels: [end of the one, start of the other). */
typedef struct aie_gap {
    size_t before, after; /* the iterations */
    pf_interval time;
    aie_stalled stalled;
} aie_gap;

typedef struct aie_core {
    uint32_t upid, input;
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
    aie_gap *gaps;
    size_t gap_count;
    pf_str note; /* NULL when the number of iterations is the expected one */

    pf_interval *stalls[AIE_STALL_KINDS]; /* what each kind covers, ascending and apart */
    size_t stall_count[AIE_STALL_KINDS];
    bool stalls_repaired; /* what they cover is not what begin and end events say one by one */

    pf_pair_counts pairing; /* what the nearest walk found, whichever pairing counts */
    size_t nearest_count;   /* kernels of the nearest walk, */
    size_t other_kernels;   /* and how many of `kernels` are not among them */
    uint64_t open_intervals, discarded_pairs, usual_low, usual_high; /* the window that discarded them, in cycles */
    int64_t first_time, first_open, first_discarded;                 /* INT64_MAX: there is none */
} aie_core;

typedef struct aie_cores {
    aie_core *core; /* in the order in which their processes first appear */
    size_t count;
} aie_cores;

/* An iteration that all cores have. */
typedef struct aie_common {
    size_t index;
    uint64_t runtime; /* the longest span of one core */
    double gmacs_per_second;
    bool drawn;                  /* at least one core has a kernel in it: the rest is known */
    int64_t start, end;          /* from the earliest start to the latest end of any core */
    const aie_core *slowest;     /* whose span the runtime is */
    const aie_iteration *slowly; /* that core's iteration */
} aie_common;

typedef struct aie_aggregate {
    const uint32_t *source; /* by core: the last core with the same report file, whose numbers count for both */
    aie_common *iteration;  /* ascending by index */
    size_t count;           /* 0: nothing in common, or no cores */
    double average_runtime, average_gmacs_per_second;
    size_t best, worst; /* positions in `iteration` */
} aie_aggregate;

/* Why a number may be wrong, and what to do. */
typedef struct aie_warning {
    const char *kind;     /* one word, for programs */
    const aie_core *core; /* NULL: the whole capture */
    int64_t ts;           /* the place that it is about */
    pf_str text;
} aie_warning;

typedef struct aie_warnings {
    aie_warning *list; /* by core, those of the capture last */
    size_t *first;     /* of core i; of the capture: first[cores]; after the last one the count */
    size_t count;
} aie_warnings;

/* What reports, summary and drawing work on: one capture. */
typedef struct aie_result {
    const pf_pass *pass;
    const pf_pass_context *ctx; /* with the options, and the path, of this capture */
    pf_str name;                /* of the capture where there are several, else {NULL, 0} */
    const aie_parameters *parameters;
    const aie_cores *cores;
    const aie_aggregate *aggregate;
    const aie_warnings *warnings;
    pf_arena *arena;
} aie_result;

static inline pf_str aie_phase(const aie_core *c, size_t iteration)
{
    return iteration < c->perf_start ? PF_STR("warmup") : iteration < c->perf_end ? PF_STR("perf") : PF_STR("extra");
}

/* ---- steps ------------------------------------------------------------------------------------------------------- */

/* collect.c: finds the core processes (in the arena) and their lists (in the scratch). PF_ERR_INPUT with an offset for
 * a time that cannot be used. */
pf_status pf_aie_collect(const pf_trace *t, pf_arena *arena, pf_arena *scratch, aie_cores *out, pf_error *err);

/* core.c */
pf_status pf_aie_analyse(const aie_parameters *p, aie_cores *cores, pf_arena *arena, pf_arena *scratch, pf_error *err);
/* One walk over the unions of all kinds: from `now`, which kinds stall, and until when that stays so. False at the end
 * of all. `next` has the first interval of each kind that has not ended. */
bool pf_aie_stalled_at(const aie_core *c, int64_t now, size_t next[AIE_STALL_KINDS], unsigned *set, int64_t *until);

/* aggregate.c */
pf_status pf_aie_combine(const aie_parameters *p, const aie_cores *cores, pf_arena *arena, aie_aggregate *out,
                         pf_error *err);

/* aie_tables.c: the declared tables, and their rows; what of it is shown. */
enum { AIE_TABLE_CORES, AIE_TABLE_ITERATIONS, AIE_TABLE_SYSTEM, AIE_TABLE_WARNINGS, AIE_TABLE_STALLS, AIE_TABLES };
extern const pf_pass_table pf_aie_tables[AIE_TABLES];
void pf_aie_new_tables(pf_findings *f, pf_table_builder *out[AIE_TABLES]);
void pf_aie_tabulate(const aie_result *r, pf_findings *f, pf_table_builder *const tables[AIE_TABLES]);
void pf_aie_add_figures(pf_findings *f, pf_table_builder *const tables[AIE_TABLES], bool several);

/* aie_warnings.c */
pf_status pf_aie_warn(const aie_result *r, pf_findings *f, aie_warnings *out, pf_error *err);
void pf_aie_draw_notes(const aie_result *r, size_t core, pf_drawing *d); /* the count of cores: of the capture */

/* aie_reports.c, aie_tables.c, aie_document.c, system_tracks.c, core_tracks.c: failures stay in the findings. */
void pf_aie_report(const aie_result *r, pf_findings *f);
void pf_aie_show(const aie_result *r, pf_findings *f);
void pf_aie_fill_document(const aie_result *r, pf_findings *f, pf_node *object);
void pf_aie_draw_system(const aie_result *r, pf_drawing *d);
void pf_aie_draw_core(const aie_result *r, const aie_core *c, pf_drawing *d);

/* aie_document.c: pieces of documents that the reports and the --json summary share. They fill an object or a list that
 * the caller made, so both say the same. */
void pf_aie_add_core(pf_findings *f, pf_node *object, const aie_result *r, const aie_core *c, bool summary);
void pf_aie_fill_aggregate(pf_findings *f, pf_node *object, const aie_result *r);
void pf_aie_fill_quality(pf_findings *f, pf_node *list, const aie_result *r);
