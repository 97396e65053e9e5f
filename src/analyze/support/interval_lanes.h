/* analyze/support/interval_lanes.h - overlapping intervals onto as few tracks as possible. */
#ifndef PF_ANALYZE_SUPPORT_INTERVAL_LANES_H
#define PF_ANALYZE_SUPPORT_INTERVAL_LANES_H

#include "analyze/support/intervals.h"

/* Working memory: one per interval. */
typedef struct pf_lane_slot {
    int64_t busy_until;
    uint32_t busy_lane;
    uint32_t free_lane;
} pf_lane_slot;

/* Gives each interval, ascending by start, the lowest lane that is free at its start; an interval that ends at t and
 * one that starts at t share a lane. Returns the number of lanes, which is the largest number of intervals open at one
 * time. `lane` and `scratch` have room for n < 2^32. O(n log lanes). */
uint32_t pf_lanes_assign(const pf_interval *list, size_t n, uint32_t *lane, pf_lane_slot *scratch);

#endif
