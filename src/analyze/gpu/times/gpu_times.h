/* analyze/gpu/times/gpu_times.h - busy and idle time of devices: sets of intervals, gaps and their causes, launches. */
#ifndef PF_ANALYZE_GPU_TIMES_GPU_TIMES_H
#define PF_ANALYZE_GPU_TIMES_GPU_TIMES_H

#include "analyze/gpu/kernels/gpu_kernels.h"

/* Point 1: sets and times of every device and stream. */
pf_status pf_gpu_measure(gpu_facts *g, pf_error *err);

/* Adds span, busy, idle, communication and exposed time of a device to those of others. */
void pf_gpu_add_times(gpu_times *all, const gpu_times *t);

/* Times of any operations of a device, in order of their starts. room: of pf_gpu_times_room, for as many operations. */
enum { GPU_TIMES_ROOM = GPU_CLASSES + 1 };
pf_status pf_gpu_times_room(pf_arena *arena, uint32_t count, pf_interval **room, pf_error *err);
void pf_gpu_measure_ops(const gpu_ops *ops, const uint32_t *rows, uint32_t count, pf_interval *const *room,
                        gpu_times *t);

/* Point 3: why devices were idle, and how many operations waited. */
pf_status pf_gpu_find_gaps(gpu_facts *g, pf_error *err);
pf_status pf_gpu_find_stream_gaps(gpu_facts *g, pf_error *err); /* afterwards; resets g->scratch */
gpu_gap pf_gpu_gap_at(const gpu_facts *g, const gpu_device *d, size_t gap);

/* The gaps of a stream in order of time: false after the last one. *before: the operation that ended where it begins.
 */
typedef struct gpu_stream_walk {
    const gpu_stream *s;
    const pf_interval *waits; /* where operations of the stream wait */
    size_t wait_count, cursor;
    uint32_t at, before; /* before: the operation that ended last so far, PF_NONE at first */
} gpu_stream_walk;
pf_status pf_gpu_stream_walk_begin(const gpu_facts *g, const gpu_stream *s, pf_arena *arena, gpu_stream_walk *w,
                                   pf_error *err);
bool pf_gpu_stream_walk_next(const gpu_facts *g, gpu_stream_walk *w, gpu_gap *gap, uint32_t *before);

/* The operation that ended where a gap begins. */
uint32_t pf_gpu_gap_before(const gpu_facts *g, const gpu_gap *gap);

/* The launches of a device. delays: of the first operation of each call; waits: of every operation with a call. */
typedef struct gpu_launches {
    gpu_signed_stats delays, waits;
    uint64_t without_call, graphs, shorter, shorter_time;
} gpu_launches;

/* *out: by device. Needs the facts only, and changes none. `scratch` is reset afterwards. */
pf_status pf_gpu_launches_find(const gpu_facts *g, pf_arena *scratch, pf_arena *arena, gpu_launches **out,
                               pf_error *err);

/* Gaps, and what the host did meanwhile. */
typedef struct gpu_listed_gap {
    gpu_gap gap;
    uint32_t device, thread; /* thread: utid, PF_NONE if unknown */
    int64_t middle;
    uint32_t operator, python; /* slices, or PF_NONE */
} gpu_listed_gap;

typedef struct gpu_gap_list {
    gpu_listed_gap *list;
    size_t count;
} gpu_gap_list;

/* The longest ones of each device, the longest of all first. */
pf_status pf_gpu_gaps_list(gpu_facts *g, gpu_gap_list *out, pf_error *err);

/* All of this length or longer, by device and time; `arena` keeps them and what it takes to find them. */
pf_status pf_gpu_gaps_from(const gpu_facts *g, uint64_t least, pf_arena *arena, gpu_gap_list *out, pf_error *err);

/* The steps that fill tables. */
void pf_gpu_launches_tabulate(const gpu_facts *g, const gpu_launches *launches);
void pf_gpu_queue(const gpu_facts *g);
void pf_gpu_gaps_tabulate(const gpu_facts *g, const gpu_gap_list *gaps);

#endif
