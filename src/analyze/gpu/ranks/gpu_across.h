/* analyze/gpu/ranks/gpu_across.h - tables about all ranks together that stay small however many there are: who cost the
 * others how much and why, how long steps took over the ranks, and what all did over time.
 *
 * They are made of what a run over traces and a merge of partials both have: collectives, rows of the tables that are
 * by input, and windows of each device.
 */
#ifndef PF_ANALYZE_GPU_RANKS_GPU_ACROSS_H
#define PF_ANALYZE_GPU_RANKS_GPU_ACROSS_H

#include "analyze/gpu/ranks/gpu_ranks.h"

enum { GPU_MOST_COSTLY = 32 };

typedef struct gpu_costly {
    uint64_t cost;
    uint32_t input;
    const gpu_collective *worst; /* of those in which it made others wait */
    pf_str what, name;           /* the largest of what it does more than others; {NULL, 0}: nothing */
    int64_t more;
} gpu_costly;

/* Fills `cause` of collectives that are measured. */
void pf_gpu_blame(gpu_ranks *r);

/* The ranks for which the others waited longest. */
pf_status pf_gpu_costliest(gpu_facts *g, const gpu_ranks *r, gpu_costly **out, uint32_t *count, pf_error *err);

/* Leaves out the critical paths of all inputs but the costliest GPU_MOST_PATHS and the one that was idle longest. */
enum { GPU_MOST_PATHS = 64 };
pf_status pf_gpu_choose_paths(gpu_facts *g, const gpu_ranks *r, pf_error *err);

/* Table gpu_rank_causes of the first ones, and why of each. */
pf_status pf_gpu_tabulate_causes(gpu_facts *g, gpu_costly *list, uint32_t count, pf_error *err);

/* Tables gpu_step_spread and gpu_rank_map. */
pf_status pf_gpu_tabulate_spread(gpu_facts *g, pf_error *err);
pf_status pf_gpu_tabulate_map(gpu_facts *g, const gpu_ranks *r, pf_error *err);

/* A table that has the rows of an input next to each other, in the order of the inputs. */
typedef struct gpu_input_rows {
    const pf_table_builder *t;
    uint32_t *first; /* those of input i are first[i] to first[i + 1] - 1; NULL: they are part i */
} gpu_input_rows;

pf_status pf_gpu_rows_by_input(const gpu_facts *g, unsigned table, pf_arena *arena, gpu_input_rows *out, pf_error *err);

/* The rows of an input, until those of another one are asked for. */
typedef struct gpu_rows {
    const pf_table *t; /* NULL: none */
    size_t from, to;
} gpu_rows;
gpu_rows pf_gpu_input_rows(const gpu_input_rows *rows, uint32_t input);

#endif
