/* analyze/tinygrad/tg_work.h - what a profile says in numbers: kernels, copies, launches of graphs, iterations, and who
 * held memory at its peak. */
#pragma once

#include "analyze/support/pass_tables.h"
#include "analyze/tinygrad/timeline/tg_timeline.h"

typedef enum tg_work_kind { TG_KERNEL = 0, TG_COPY, TG_LAUNCH } tg_work_kind;

/* A kernel, copy or launch. */
typedef struct tg_job {
    tg_work_kind kind;
    const tg_slice *slice;
} tg_job;

/* Kernels or copies of one name on one device. */
typedef struct tg_group {
    tg_work_kind kind;
    uint32_t device; /* string id */
    pf_str name;     /* without colours */
    pf_str operations;
    uint64_t count;
    double total, shortest, longest; /* us */
    bool estimated;                  /* each of them */
    double amount[TG_AMOUNTS];       /* sums of the estimates */
    double bytes;                    /* of copies; 0: unknown */
} tg_group;

/* Kernels and copies. */
typedef struct tg_sum {
    uint64_t kernels, copies;
    double kernel_us, copy_us;
} tg_sum;

/* From a marker "STEM @ N" to the next one of that stem. */
typedef struct tg_iteration {
    pf_str stem, label;
    int64_t from, to; /* ns */
    tg_sum sum;
} tg_iteration;

typedef struct tg_work {
    const tg_timeline *l;
    struct pf_budget *budget; /* of the run */
    tg_job *jobs;             /* by time */
    size_t job_count;
    tg_group *groups; /* by total, the largest first */
    size_t group_count;
    tg_iteration *iterations; /* by stem as they appear, then by time */
    size_t iteration_count;
} tg_work;

pf_status pf_tg_sum(const pf_pass_context *ctx, const tg_timeline *l, pf_findings *f, tg_work *out, pf_error *err);

/* tg_summary.c: tables for SQL, CSV files, summary.json. */
enum {
    TG_KERNELS,
    TG_COPIES,
    TG_GRAPHS,
    TG_ITERATIONS,
    TG_PEAKS,
    TG_HOLDERS,
    TG_WAVES,
    TG_INSTRUCTIONS,
    TG_STALLS,
    TG_COUNTERS,
    PF_TG_TABLES
};
extern const pf_pass_table pf_tg_tables[PF_TG_TABLES];
pf_status pf_tg_summarise(const tg_work *w, pf_findings *f, pf_table_builder *table[PF_TG_TABLES], pf_error *err);

/* tg_shown.c: what came out, as a sentence, as numbers, and as tables on the terminal; tg_figures.c. `waits`: the
 * instructions at which waves waited, the longest first. */
void pf_tg_show(const tg_work *w, pf_findings *f, pf_table_builder *const table[PF_TG_TABLES],
                const pf_table_builder *waits);
pf_table_builder *pf_tg_list_waits(const tg_work *w, pf_findings *f, const pf_table_builder *instructions,
                                   pf_error *err);
void pf_tg_add_figures(const tg_work *w, pf_findings *f, pf_table_builder *const table[PF_TG_TABLES],
                       const pf_table_builder *waits);

/* A cell of a table that is being made, and what it says as a number. */
static inline const pf_cell *pf_tg_cell(const pf_table_builder *t, size_t row, const char *column)
{
    return pf_pass_cell(pf_table_view(t), row, column);
}

static inline double pf_tg_number(const pf_table_builder *t, size_t row, const char *column)
{
    return pf_pass_number(pf_table_view(t), row, column);
}

/* tg_overlay.c: iterations, rates and peaks as they are drawn into the trace. */
pf_status pf_tg_draw(const pf_pass_context *ctx, const tg_work *w, pf_findings *f, pf_error *err);
