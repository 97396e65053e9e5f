/* analyze/gpu/kernels/gpu_groups.h - operations of one input in groups that share a key: kernels by name, copies by
 * name, collectives by kind and size. */
#ifndef PF_ANALYZE_GPU_KERNELS_GPU_GROUPS_H
#define PF_ANALYZE_GPU_KERNELS_GPU_GROUPS_H

#include "analyze/gpu/facts/gpu_facts.h"
#include "analyze/gpu/kernels/gpu_stats.h"
#include "analyze/gpu/tables/gpu_tables.h"
#include "base/strings.h"

typedef struct gpu_groups {
    pf_arena *arena;
    pf_strings keys; /* of pf_gpu_groups_add; id - 1 is the group */
    uint32_t count;  /* operations */
    uint32_t groups;
    uint32_t *op, *key, *order, *first;
    uint64_t *lengths, *scratch;
} gpu_groups;

/* Room for `most` operations; then, for each input: reset, put or add each operation, sort. Put takes the number of the
 * group, add the bytes of its key. */
pf_status pf_gpu_groups_begin(gpu_groups *r, pf_arena *arena, uint32_t most, pf_error *err);
pf_status pf_gpu_groups_reset(gpu_groups *r, pf_error *err);
pf_status pf_gpu_groups_add(gpu_groups *r, uint32_t op, const void *key, size_t size, pf_error *err);
void pf_gpu_groups_put(gpu_groups *r, uint32_t op, uint32_t group);
void pf_gpu_groups_sort(gpu_groups *r);
void pf_gpu_groups_end(gpu_groups *r);

/* The i-th operation of a group, in order of device and start. */
static inline uint32_t pf_gpu_group_op(const gpu_groups *r, uint32_t group, uint32_t i)
{
    return r->op[r->order[r->first[group] + i]];
}

gpu_stats pf_gpu_group_stats(gpu_groups *r, const gpu_ops *o, uint32_t group);

/* Fills a table for each input, with groups for `most` members that are empty at the start of each. */
typedef pf_status gpu_tabulate(gpu_facts *g, uint32_t input, gpu_groups *r, gpu_tables *t, pf_findings *f,
                               pf_error *err);
pf_status pf_gpu_groups_each_input(gpu_facts *g, uint32_t most, gpu_tabulate *tabulate, gpu_tables *t, pf_findings *f,
                                   pf_error *err);

/* The cells of STATS; returns the cell after them. */
pf_cell *pf_gpu_put_stats(pf_cell *at, const gpu_stats *s);

#endif
