/* analyze/gpu/times/gpu_times.h - busy and idle time of devices: sets of intervals, gaps and their causes, launches. */
#pragma once

#include "analyze/gpu/kernels/gpu_kernels.h"

/* Point 1: sets and times of every device and stream. */
pf_status pf_gpu_measure(gpu_facts *g, pf_error *err);

/* Adds span, busy, idle, compute, communication and exposed time of a device to those of others. */
void pf_gpu_add_times(gpu_times *all, const gpu_times *t);

/* Operations in order of their starts: rows first, first + 1, ... of an order, or of gpu_ops where that is NULL. */
typedef struct gpu_crowd {
    const gpu_ops *ops;
    const uint32_t *rows;
    uint32_t first, count;
} gpu_crowd;

static inline gpu_crowd gpu_crowd_of_device(const gpu_facts *g, const gpu_device *d)
{
    return (gpu_crowd){&g->ops, NULL, d->first_op, d->op_count};
}

static inline gpu_crowd gpu_crowd_of_stream(const gpu_facts *g, const gpu_stream *s)
{
    return (gpu_crowd){&g->ops, g->by_stream, s->first, s->count};
}

/* The i-th operation, from 0 on. */
static inline uint32_t gpu_crowd_at(const gpu_crowd *c, uint32_t i)
{
    return c->rows ? c->rows[c->first + i] : c->first + i;
}

/* Adds what the operations did to times that are zeros. Returns the sum of their lengths. */
pf_wide pf_gpu_measure_crowd(const gpu_crowd *c, gpu_times *t);

/* The times in which operations of a class of a device run; GPU_CLASSES: of any. */
pf_status pf_gpu_unite(const gpu_facts *g, const gpu_device *d, unsigned class, pf_arena *arena, gpu_set *out,
                       pf_error *err);

/* Point 3: how operations waited on each device. */
pf_status pf_gpu_find_queues(gpu_facts *g, pf_error *err);

/* How many operations wait, over time: `open` since the last step before `next`, if there is one. */
typedef struct gpu_queue_walk {
    pf_depth_walk steps;
    pf_depth_step next;
    bool more;
    uint32_t open;
} gpu_queue_walk;
gpu_queue_walk pf_gpu_queue_walk(const gpu_queue *q);

/* Goes on to `at`. Returns until when, `end` at the latest, `open` operations wait. */
int64_t pf_gpu_queue_go(gpu_queue_walk *w, int64_t at, int64_t end);

/* The gaps between operations, in order of time. */
typedef struct gpu_gap_walk {
    const gpu_facts *g;
    gpu_crowd crowd;
    gpu_queue_walk queue;
    uint32_t next, before; /* before: the operation that ended last so far, PF_NONE at first */
    uint64_t least;        /* shorter ones are passed over; 0 at first */
} gpu_gap_walk;
gpu_gap_walk pf_gpu_gap_walk(const gpu_facts *g, const gpu_device *d);
pf_status pf_gpu_stream_gap_walk(const gpu_facts *g, const gpu_stream *s, pf_arena *arena, gpu_gap_walk *out,
                                 pf_error *err);
bool pf_gpu_next_gap(gpu_gap_walk *w, gpu_gap *out); /* false after the last one */

/* Why streams were idle; afterwards, as it is taken from devices with one stream. Resets g->scratch. */
pf_status pf_gpu_find_stream_gaps(gpu_facts *g, pf_error *err);

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

/* What a thread was in at a time: the innermost slice of a kind, filled in; PF_NONE: none. */
typedef enum gpu_under_kind { GPU_UNDER_OPERATOR, GPU_UNDER_PYTHON, GPU_UNDER_ANY, GPU_UNDERS } gpu_under_kind;
typedef struct gpu_under {
    uint32_t thread; /* PF_NONE: nothing is asked */
    gpu_under_kind kind;
    int64_t at;
    uint32_t slice;
} gpu_under;
pf_status pf_gpu_slices_under(const gpu_facts *g, gpu_under *list, uint32_t n, pf_error *err);

/* Why devices were idle, and the longest gaps of each, the longest of all first. */
pf_status pf_gpu_gaps_list(gpu_facts *g, gpu_gap_list *out, pf_error *err);

/* How many of each device that are, GPU_MOST_GAPS in all; which of two gpu_listed_gap comes first, as qsort wants it.
 */
enum { GPU_MOST_GAPS = 1024 };
size_t pf_gpu_gap_share(const gpu_facts *g);
int pf_gpu_longer_gap(const void *a, const void *b);

/* All of this length or longer, by device and time; `arena` keeps them and what it takes to find them. */
pf_status pf_gpu_gaps_from(const gpu_facts *g, uint64_t least, pf_arena *arena, gpu_gap_list *out, pf_error *err);

/* The steps that fill tables. */
void pf_gpu_launches_tabulate(const gpu_facts *g, const gpu_launches *launches);
void pf_gpu_queue(const gpu_facts *g);
void pf_gpu_gaps_tabulate(const gpu_facts *g, const gpu_gap_list *gaps);
