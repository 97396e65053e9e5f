/* analyze/gpu/partial/gpu_partial.h - what some inputs contribute to a run over more, and that run from such parts.
 *
 * Nearly every table has rows of one input after the other. So a partial is the tables, and four more (gpu_parts) with
 * what the work across inputs needs beyond them. A merge puts the inputs into the order of their paths, copies rows,
 * and does what a run over all traces does once the facts of each input are there: collectives, stragglers, clocks, the
 * longest gaps of all, sums, sentences. docs/reference/partial.md.
 */
#ifndef PF_ANALYZE_GPU_PARTIAL_GPU_PARTIAL_H
#define PF_ANALYZE_GPU_PARTIAL_GPU_PARTIAL_H

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

/* Rows of a table of partials, by input. */
typedef struct gpu_merged {
    const pf_trace *trace;
    const pf_side_table *s;  /* NULL: no rows */
    uint32_t *first, *order; /* those of input i are order[first[i]] to order[first[i + 1] - 1] */
} gpu_merged;

typedef struct gpu_old_label {
    uint32_t label, device; /* label: a string id of the trace */
} gpu_old_label;

typedef struct gpu_merge {
    gpu_results *r;
    pf_error *err;
    uint32_t inputs;
    uint32_t *input_of;    /* by string id of the trace: 1 + the input that has it for its path */
    uint32_t *block_of;    /* by input: 1 + the block with its calls, 0: it has none */
    bool parts_apart;      /* each partial is a block */
    uint32_t open;         /* 1 + the block whose calls are at hand */
    gpu_old_label *labels; /* that devices had in their partials, by input, label and device */
    gpu_merged tables[GPU_TABLES], parts[GPU_PARTS];
} gpu_merge;

/* The role with the partials once more, which are read one by one for their calls. */
enum { GPU_MERGE_CALLS = 1 };

/* Reads the facts that the tables of ctx->trace say, and compares ranks. r->facts has a context and memory. */
pf_status pf_gpu_merge_read(gpu_merge *m);

/* Fills the tables, which are there, in the place of those that are made of a trace. */
pf_status pf_gpu_merge_tabulate(gpu_merge *m, const int64_t *critical_step);

/* Adds what the merge itself contributes to a larger one. */
pf_status pf_gpu_merge_add_parts(gpu_merge *m);

/* Puts the calls of a block into m->parts[GPU_PART_CALLS], until the next one or pf_gpu_close_calls. A block is a
 * partial, or all of them where the trace has their calls. */
pf_status pf_gpu_open_calls(gpu_merge *m, uint32_t block);
void pf_gpu_close_calls(gpu_merge *m);

/* Numbers and texts of a row; nothing is 0 and {NULL, 0}. */
int64_t pf_gpu_merged_int(const gpu_merged *t, unsigned column, uint32_t row);
pf_str pf_gpu_merged_text(const gpu_merged *t, unsigned column, uint32_t row);

/* The device of an input that had that label, PF_NONE if there is none. */
uint32_t pf_gpu_merged_device(const gpu_merge *m, uint32_t input, uint32_t label);

#endif
