/* analyze/gpu/steps/gpu_path_items.h - what a critical path can lead over: what ended when, what came before what. */
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

/* Those of one input. */
typedef struct gpu_path_items {
    const gpu_facts *g;
    const gpu_rank *rank;
    gpu_path_list ops;       /* with a length */
    gpu_path_list calls;     /* with a length, in which the host waited for the device */
    gpu_path_list operators; /* of one window of time; empty until they are asked for */
    uint32_t *before;        /* by operation of the input: the one before it on its stream, or PF_NONE */
    uint32_t *event_wait;    /* by call of the input: the last one of its thread, before it, that made a stream wait for
                              * an event, or PF_NONE; NULL if there is no such call */
} gpu_path_items;

/* Which slices are operators that lie in no other one: a cell by row of table slice. NULL and err filled if refused.
 * Needs the facts only. */
enum { GPU_OUTERMOST = 2 };
uint8_t *pf_gpu_find_outermost(const gpu_facts *g, pf_arena *arena, pf_error *err);

/* Fills everything but the operators. */
pf_status pf_gpu_path_items(gpu_path_items *items, pf_arena *arena, pf_error *err);

/* Fills the outermost operators that start in a window; outermost: of pf_gpu_find_outermost. */
pf_status pf_gpu_path_operators(gpu_path_items *items, const uint8_t *outermost, pf_interval window, pf_arena *arena,
                                pf_error *err);

/* What an operation waited for on its device: of the operation before it on its stream and one of another stream that
 * it may have waited for, the one that ended last. PF_NONE: nothing. */
uint32_t pf_gpu_path_before(const gpu_path_items *items, uint32_t op);

/* What the host waited for in a blocking call: the copy that the call made, else the operation of the input that ended
 * last within the call. PF_NONE: nothing. */
uint32_t pf_gpu_path_awaited(const gpu_path_items *items, const gpu_path_item *call);

/* How many items come before the first one that ends after `at` or has a later owner. */
uint32_t pf_gpu_path_ended_before(const gpu_path_list *l, uint32_t owner, int64_t at);

/* The last item of the owner that ends at `at` or earlier, as a place in the list; PF_NONE if there is none. */
uint32_t pf_gpu_path_last_ended(const gpu_path_list *l, uint32_t owner, int64_t at);

static inline uint32_t gpu_thread_of_slice(const gpu_facts *g, uint32_t slice)
{
    return pf_trace_tracks(g->trace)->utid[pf_trace_slices(g->trace)->track[slice]];
}

#endif
