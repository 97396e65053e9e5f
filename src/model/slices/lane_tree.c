/* model/slices/lane_tree.c - a tournament of lanes: each node knows the highest and the lowest limit below it. */
#include "model/slices/slices.h"

#define FIRST_LEAVES 4u

void pf_lane_tree_init(pf_lane_tree *l, pf_budget *budget)
{
    *l = (pf_lane_tree){.budget = budget};
}

void pf_lane_tree_free(pf_lane_tree *l)
{
    size_t bytes = 2 * (size_t)l->leaves * sizeof *l->high;
    pf_release(l->budget, l->high, bytes);
    pf_release(l->budget, l->low, bytes);
    pf_lane_tree_init(l, l->budget);
}

static void judge(pf_lane_tree *l, size_t node)
{
    size_t a = 2 * node, b = a + 1;
    l->high[node] = l->high[a] > l->high[b] ? l->high[a] : l->high[b];
    l->low[node] = l->low[a] < l->low[b] ? l->low[a] : l->low[b];
    l->steps++;
}

/* Twice the leaves; the new ones are no lanes yet. */
static bool enlarge(pf_lane_tree *l)
{
    pf_lane_tree larger = {.budget = l->budget, .count = l->count, .steps = l->steps};
    size_t leaves = l->leaves ? 2 * (size_t)l->leaves : FIRST_LEAVES, bytes = 2 * leaves * sizeof *l->high;
    if (leaves > UINT32_MAX / 2) {
        return false;
    }
    larger.high = pf_alloc(l->budget, bytes);
    larger.low = larger.high ? pf_alloc(l->budget, bytes) : NULL;
    if (!larger.low) {
        pf_release(l->budget, larger.high, bytes);
        return false;
    }
    larger.leaves = (uint32_t)leaves;
    for (size_t i = 0; i < leaves; i++) {
        larger.high[leaves + i] = i < l->count ? l->high[l->leaves + i] : INT64_MIN;
        larger.low[leaves + i] = i < l->count ? l->low[l->leaves + i] : INT64_MAX;
    }
    for (size_t node = leaves - 1; node > 0; node--) {
        judge(&larger, node);
    }
    pf_lane_tree_free(l);
    *l = larger;
    return true;
}

bool pf_lane_tree_add(pf_lane_tree *l)
{
    if (l->count == l->leaves && !enlarge(l)) {
        return false;
    }
    pf_lane_tree_set(l, l->count++, INT64_MAX);
    return true;
}

void pf_lane_tree_set(pf_lane_tree *l, uint32_t lane, int64_t limit)
{
    size_t node = (size_t)l->leaves + lane;
    l->high[node] = l->low[node] = limit;
    for (node /= 2; node > 0; node /= 2) {
        judge(l, node);
    }
}

uint32_t pf_lane_tree_fit(pf_lane_tree *l, int64_t end)
{
    size_t node = 1;
    if (l->count == 0 || l->high[1] < end) {
        return PF_NONE;
    }
    while (node < l->leaves) {
        node = 2 * node + (l->high[2 * node] < end);
        l->steps++;
    }
    return (uint32_t)(node - l->leaves);
}

uint32_t pf_lane_tree_over(pf_lane_tree *l, int64_t ts)
{
    size_t node = 1;
    if (l->count == 0 || l->low[1] > ts) {
        return PF_NONE;
    }
    while (node < l->leaves) {
        node = 2 * node + (l->low[2 * node] > ts);
        l->steps++;
    }
    return (uint32_t)(node - l->leaves);
}
