/* analyze/gpu/partial/gpu_partial.h - what some inputs contribute to a run over more, and that run from such parts.
 *
 * Nearly every table has rows of one input after the other. So a partial is the tables, and four more (gpu_parts) with
 * what the work across inputs needs beyond them. A merge puts the inputs into the order of their paths and does what a
 * run over all traces does once the facts of each input are there: collectives, stragglers, clocks, the longest gaps of
 * all, sums, sentences. Rows that are of one input each are made of the bytes of the partials when a file of them is
 * written, and not kept. docs/reference/partial.md.
 */
#ifndef PF_ANALYZE_GPU_PARTIAL_GPU_PARTIAL_H
#define PF_ANALYZE_GPU_PARTIAL_GPU_PARTIAL_H

#include "analyze/gpu/partial/gpu_merge_rows.h"
#include "analyze/gpu/report/gpu_report.h"
#include "postfetto/side_table.h"

enum { GPU_PART_INPUTS, GPU_PART_DEVICES, GPU_PART_CALLS, GPU_PART_WINDOWS, GPU_PARTS };
extern const pf_pass_table pf_gpu_parts[GPU_PARTS];

/* Columns of these. */
enum { GPU_PART_HASH = 1, GPU_PART_LEFT_OUT, GPU_PART_LOST };
enum { GPU_PART_BUSY = 1, GPU_PART_COMMUNICATION, GPU_PART_EXPOSED };
enum { GPU_PART_STREAMS = 1, GPU_PART_DEPTHS, GPU_PART_STEADY };
enum {
    GPU_PART_KIND = 1,
    GPU_PART_GROUP,
    GPU_PART_MEMBERS,
    GPU_PART_BYTES,
    GPU_PART_START,
    GPU_PART_END,
    GPU_PART_WORK
};

/* Adds them to findings that have all tables. */
pf_status pf_gpu_add_parts(gpu_results *r, pf_error *err);
void pf_gpu_make_parts(pf_findings *f, pf_table_builder *parts[GPU_PARTS]);

/* ---- merging ----------------------------------------------------------------------------------------------------- */

/* A device by the label that it had in its partial, and its own label now. */
typedef struct gpu_old_label {
    pf_str label, now;
    uint32_t device;
} gpu_old_label;

/* In memory of the findings: tables have their rows made when they are read. */
typedef struct gpu_merge {
    gpu_results *r;
    pf_error *err;
    uint32_t inputs;
    pf_strings paths;      /* text i + 1: of input i */
    gpu_old_label *labels; /* by input and label; those of input i are first_label[i] to first_label[i + 1] - 1 */
    uint32_t *first_label;
    bool lost; /* the scheduler of some input lost events */
    gpu_merged tables[GPU_TABLES], parts[GPU_PARTS];
} gpu_merge;

/* Reads the facts that the tables of ctx->trace say, and compares ranks. r->facts has a context and memory. */
pf_status pf_gpu_merge_read(gpu_merge *m);

/* Fills the tables, which are there, in the place of those that are made of a trace. */
pf_status pf_gpu_merge_tabulate(gpu_merge *m, const int64_t *critical_step);

/* Adds what the merge itself contributes to a larger one. */
pf_status pf_gpu_merge_add_parts(gpu_merge *m);

/* The device of an input that had that label, NULL if there is none. */
const gpu_old_label *pf_gpu_merged_device(const gpu_merge *m, uint32_t input, pf_str label);

#endif
