/* analyze/gpu/steps/gpu_path_items.h - what the critical path of a step can lead over: things of the step with an end.
 */
#ifndef PF_ANALYZE_GPU_STEPS_GPU_PATH_ITEMS_H
#define PF_ANALYZE_GPU_STEPS_GPU_PATH_ITEMS_H

#include "analyze/gpu/facts/gpu.h"

/* An operation of a device, a blocking call or an outermost operator of a thread. */
typedef struct gpu_path_item {
    uint32_t owner, row; /* owner: device or thread */
    int64_t start, end;
} gpu_path_item;

typedef struct gpu_path_list {
    gpu_path_item *list; /* by owner, then end, then row */
    uint32_t count;
} gpu_path_list;

/* Those of one input in a window of time. */
typedef struct gpu_path_items {
    const gpu_facts *g;
    const gpu_rank *rank;
    pf_interval time;
    const uint8_t *outermost;            /* of pf_gpu_find_outermost */
    gpu_path_list ops, calls, operators; /* filled by pf_gpu_path_items */
} gpu_path_items;

/* Which slices are operators that lie in no other one: a cell by row of table slice. NULL and err filled if refused.
 * Needs the facts only. */
enum { GPU_OUTERMOST = 2 };
uint8_t *pf_gpu_find_outermost(const gpu_facts *g, pf_arena *arena, pf_error *err);

/* Operations and blocking calls that end in the window, outermost operators that start in it. */
pf_status pf_gpu_path_items(gpu_path_items *items, pf_arena *arena, pf_error *err);

/* How many items come before the first one that ends after `at` or has a later owner. */
uint32_t pf_gpu_path_ended_before(const gpu_path_list *l, uint32_t owner, int64_t at);

/* The last item of the owner that ends at `at` or earlier, as a place in the list; PF_NONE if there is none. */
uint32_t pf_gpu_path_last_ended(const gpu_path_list *l, uint32_t owner, int64_t at);

static inline uint32_t gpu_thread_of_slice(const gpu_facts *g, uint32_t slice)
{
    return pf_trace_tracks(g->trace)->utid[pf_trace_slices(g->trace)->track[slice]];
}

#endif
