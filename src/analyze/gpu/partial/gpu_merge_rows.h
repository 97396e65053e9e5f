/* analyze/gpu/partial/gpu_merge_rows.h - rows of tables of partials by input, where they lie in the files.
 *
 * Nothing of them is copied: a table is a list of spans, rows of one input that follow each other in one partial, and
 * whoever asks for the rows of an input walks them.
 */
#ifndef PF_ANALYZE_GPU_PARTIAL_GPU_MERGE_ROWS_H
#define PF_ANALYZE_GPU_PARTIAL_GPU_MERGE_ROWS_H

#include "base/strings.h"
#include "postfetto/author/pass.h"
#include "tables/partial_view.h"

typedef struct gpu_span {
    uint32_t member; /* a row of PF_PARTIAL_MEMBERS */
    uint32_t first, count;
    uint64_t before; /* rows of the table before these, in the order of inputs */
} gpu_span;

typedef struct gpu_merged {
    const pf_trace *trace;
    const pf_side_table *members; /* PF_PARTIAL_MEMBERS */
    const pf_side_spec *spec;     /* NULL: no partial has such a table */
    gpu_span *spans;
    uint32_t *first; /* those of input i are spans[first[i]] to spans[first[i + 1] - 1] */
    uint64_t rows;
    uint32_t open; /* 1 + the member that the view is of */
    pf_partial_view view;
} gpu_merged;

/* Finds the table whose columns p says: what the partials have of it. */
pf_status pf_gpu_find_merged(const pf_trace *t, const pf_pass_table *p, gpu_merged *out, pf_error *err);

/* Opens the view of the next member that is one of that table, from row *member of PF_PARTIAL_MEMBERS on. */
bool pf_gpu_next_member(gpu_merged *t, const char *table, uint32_t *member);

/* Its rows by input: its first column is the path of one, which is text i + 1 of `paths`, in memory of the findings. */
pf_status pf_gpu_order_merged(gpu_merged *t, const pf_pass_table *p, const pf_strings *paths, pf_arena *scratch,
                              pf_findings *f, pf_error *err);

/* How many rows an input has. */
uint64_t pf_gpu_rows_of(const gpu_merged *t, uint32_t input);

/* Leaves out those of an input. */
void pf_gpu_leave_rows(gpu_merged *t, uint32_t input);

/* A walk over rows of a table, one walk at a time: `row` is of t->view. */
typedef struct gpu_walk {
    gpu_merged *t;
    const gpu_span *span, *end;
    uint32_t row, left; /* left: of the span after it */
} gpu_walk;

/* Begins before the first row of an input. */
gpu_walk pf_gpu_walk_input(gpu_merged *t, uint32_t input);
bool pf_gpu_walk_on(gpu_walk *w); /* false: there is no more */

/* Numbers and texts of the row; nothing is 0 and {NULL, 0}. */
int64_t pf_gpu_walk_int(const gpu_walk *w, unsigned column);
pf_str pf_gpu_walk_text(const gpu_walk *w, unsigned column);
bool pf_gpu_walk_has(const gpu_walk *w, unsigned column);

/* Goes to the next row, as pf_gpu_walk_on, and takes those that follow it in the same span for read: how many there
 * are; 0: there is no more. */
uint32_t pf_gpu_walk_run(gpu_walk *w);

/* The cells of so many rows from the one that the walk is at on, row after row. */
void pf_gpu_walk_cells(const gpu_walk *w, uint32_t rows, pf_cell *cells);

#endif
