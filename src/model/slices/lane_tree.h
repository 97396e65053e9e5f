/* model/slices/lane_tree.h - the overlap lanes of one track, ordered: which is the first one that takes a slice.
 *
 * A lane's limit is the end of the slice on top of its stack: until then it takes only what ends no later. An empty
 * lane has the limit INT64_MAX. A binary tree over the lanes keeps the highest and the lowest limit below each node, so
 * the first lane that takes a slice, and a lane whose top slice is over, are found in as many steps as the tree has
 * levels.
 */
#ifndef PF_MODEL_SLICES_LANE_TREE_H
#define PF_MODEL_SLICES_LANE_TREE_H

#include "base/budget.h"

typedef struct pf_lane_tree {
    pf_budget *budget;
    uint32_t count, leaves; /* leaves: a power of two; those from `count` on are no lanes yet */
    int64_t *high, *low;    /* by node: the root is 1, the children of n are 2n and 2n + 1 */
    uint64_t steps;         /* nodes visited so far */
} pf_lane_tree;

void pf_lane_tree_init(pf_lane_tree *l, pf_budget *budget);
void pf_lane_tree_free(pf_lane_tree *l);

/* Appends an empty lane. False if memory was refused. */
bool pf_lane_tree_add(pf_lane_tree *l);

void pf_lane_tree_set(pf_lane_tree *l, uint32_t lane, int64_t limit);

/* The first lane that takes a slice with that end, or PF_NONE. */
uint32_t pf_lane_tree_fit(pf_lane_tree *l, int64_t end);

/* The first lane whose limit is not after `ts`, or PF_NONE. */
uint32_t pf_lane_tree_over(pf_lane_tree *l, int64_t ts);

#endif
