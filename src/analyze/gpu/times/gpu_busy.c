/* analyze/gpu/times/gpu_busy.c - point 1: what devices and streams did, as sets of intervals (docs/reference/gpu.md,
 * "Times").
 *
 * Operations are ordered by start, so the set of a class is one walk: pick its operations, merge what overlaps. A first
 * walk counts the intervals of a device, so that there is memory for these and no more. The rest are operations on
 * these sets: idle = span - busy, overlap = communication and compute, exposed = communication without compute.
 */
#include <string.h>

#include "analyze/gpu/times/gpu_times.h"
#include "analyze/support/order_stats.h"
#include "analyze/support/pass_memory.h"

/* Operations of a device (rows in order) or of a stream (rows through by_stream). */
typedef struct crowd {
    const gpu_ops *ops;
    const uint32_t *rows; /* NULL: first, first + 1, ... */
    uint32_t first, count;
} crowd;

/* A set that grows in order of starts. */
typedef struct growing_set {
    pf_interval *list; /* NULL: intervals are only counted */
    size_t count;
    int64_t end; /* of the last one */
} growing_set;

/* The sets of a crowd while it is walked over: one for each class and, at GPU_CLASSES, that of all. */
typedef struct crowd_sets {
    growing_set set[GPU_TIMES_ROOM];
    unsigned only;   /* the class of all operations, whose set is the busy one; GPU_CLASSES: they have several */
    pf_wide lengths; /* of all operations */
} crowd_sets;

static inline void stretch(growing_set *set, int64_t start, int64_t end)
{
    bool next = set->count == 0 || start > set->end;
    set->end = next || end > set->end ? end : set->end;
    set->count += next;
    if (set->list) {
        pf_interval *last = &set->list[set->count - 1];
        last->start = next ? start : last->start;
        last->end = set->end;
    }
}

static void walk_crowd(const crowd *c, crowd_sets *sets)
{
    const gpu_ops *o = c->ops;
    sets->lengths = 0;
    for (uint32_t i = 0; i < c->count; i++) {
        uint32_t row = c->rows ? c->rows[c->first + i] : c->first + i;
        int64_t start = o->start[row], end = o->end[row];
        if (end > start) {
            stretch(&sets->set[GPU_CLASSES], start, end);
            if (sets->only == GPU_CLASSES) {
                stretch(&sets->set[o->class[row]], start, end);
            }
            sets->lengths += (uint64_t)end - (uint64_t)start;
        }
    }
}

static void measure_span(const crowd *c, gpu_times *t)
{
    for (uint32_t i = 0; i < c->count; i++) {
        uint32_t row = c->rows ? c->rows[c->first + i] : c->first + i;
        t->start = i == 0 ? c->ops->start[row] : t->start;
        t->end = i == 0 || c->ops->end[row] > t->end ? c->ops->end[row] : t->end;
    }
    t->span = (uint64_t)t->end - (uint64_t)t->start;
}

/* Keeps the sets, and measures them. */
static void measure_sets(const crowd_sets *sets, gpu_set *busy, gpu_set class[GPU_CLASSES], gpu_times *t)
{
    const gpu_set *compute = &class[GPU_COMPUTE], *communication = &class[GPU_COMMUNICATION];
    *busy = (gpu_set){sets->set[GPU_CLASSES].list, sets->set[GPU_CLASSES].count};
    t->busy = pf_interval_total(busy->list, busy->count);
    t->idle = t->span - t->busy;
    for (unsigned k = 0; k < GPU_CLASSES; k++) {
        bool all = k == sets->only;
        class[k] = all ? *busy : (gpu_set){sets->set[k].list, sets->set[k].count};
        t->in_class[k] = all ? t->busy : pf_interval_total(class[k].list, class[k].count);
    }
    t->overlap = pf_interval_common(communication->list, communication->count, compute->list, compute->count);
    t->exposed = t->in_class[GPU_COMMUNICATION] - t->overlap;
}

/* A first walk counts the intervals, a second one writes them. */
static pf_status measure_device(gpu_facts *g, gpu_device *d, crowd_sets *sets, pf_error *err)
{
    const crowd c = {&g->ops, NULL, d->first_op, d->op_count};
    measure_span(&c, &d->times);
    walk_crowd(&c, sets);
    for (unsigned k = 0; k <= GPU_CLASSES; k++) {
        if (k == GPU_CLASSES || sets->only == GPU_CLASSES) {
            size_t count = sets->set[k].count;
            sets->set[k] = (growing_set){.count = 0};
            PF_TRY(PF_PASS_ARRAY(g->arena, count, sets->set[k].list, err));
        }
    }
    walk_crowd(&c, sets);
    measure_sets(sets, &d->busy, d->in_class, &d->times);
    return PF_OK;
}

/* What a crowd did, whose sets are not kept; room for those of crowd_sets. */
static void measure_crowd(const crowd *c, unsigned only, pf_interval *const *room, gpu_times *t)
{
    crowd_sets sets = {.only = only};
    gpu_set busy, in_class[GPU_CLASSES];
    for (unsigned k = 0; k <= GPU_CLASSES; k++) {
        sets.set[k].list = room[k];
    }
    measure_span(c, t);
    walk_crowd(c, &sets);
    measure_sets(&sets, &busy, in_class, t);
}

pf_status pf_gpu_times_room(pf_arena *arena, uint32_t count, pf_interval **room, pf_error *err)
{
    for (unsigned k = 0; k <= GPU_CLASSES; k++) {
        PF_TRY(PF_PASS_ARRAY(arena, count, room[k], err));
    }
    return PF_OK;
}

void pf_gpu_measure_ops(const gpu_ops *ops, const uint32_t *rows, uint32_t count, pf_interval *const *room,
                        gpu_times *t)
{
    const crowd c = {ops, rows, 0, count};
    measure_crowd(&c, GPU_CLASSES, room, t);
}

/* The sets of the largest stream fit into the scratch memory. */
static pf_status measure_streams(gpu_facts *g, const gpu_device *d, unsigned only, pf_error *err)
{
    pf_interval *room[GPU_TIMES_ROOM];
    PF_TRY(pf_gpu_times_room(&g->scratch, d->op_count, room, err));
    for (uint32_t i = d->first_stream; i < d->first_stream + d->stream_count; i++) {
        const crowd c = {&g->ops, g->by_stream, g->streams[i].first, g->streams[i].count};
        measure_crowd(&c, only, room, &g->streams[i].times);
    }
    return PF_OK;
}

/* How many operations ran at once. Where all lengths together are the busy time, nothing overlaps. */
static pf_status measure_depth(gpu_facts *g, gpu_device *d, pf_wide lengths, pf_error *err)
{
    bool overlaps = lengths != d->times.busy;
    pf_depth_step *steps = NULL;
    size_t n = 0;
    d->most = d->busy.count ? 1 : 0;
    if (overlaps) {
        int64_t *ends, *scratch;
        pf_arena_reset(&g->scratch);
        PF_TRY(PF_PASS_ARRAY(&g->scratch, d->op_count, ends, err));
        PF_TRY(PF_PASS_ARRAY(&g->scratch, d->op_count, scratch, err));
        PF_TRY(PF_PASS_ARRAY(&g->scratch, 2 * (size_t)d->op_count, steps, err));
        memcpy(ends, g->ops.end + d->first_op, d->op_count * sizeof *ends);
        pf_sort_times(ends, d->op_count, scratch);
        n = pf_interval_depth(g->ops.start + d->first_op, ends, d->op_count, steps);
        d->most = pf_depth_most(steps, n);
    }
    PF_TRY(PF_PASS_ARRAY(g->arena, (size_t)d->most + 1, d->running, err));
    if (overlaps) {
        pf_depth_times(steps, n, d->running);
    } else {
        d->running[d->most] = d->times.busy;
    }
    d->running[0] = d->times.idle; /* also before the first and after the last step, where operations have no length */
    return PF_OK;
}

static unsigned only_class(const gpu_facts *g, const gpu_device *d)
{
    const uint8_t *class = g->ops.class + d->first_op;
    uint32_t i = 1;
    while (i < d->op_count && class[i] == class[0]) {
        i++;
    }
    return i >= d->op_count ? class[0] : GPU_CLASSES;
}

void pf_gpu_add_times(gpu_times *all, const gpu_times *t)
{
    uint64_t *const sums[] = {&all->span, &all->busy, &all->idle, &all->in_class[GPU_COMMUNICATION], &all->exposed};
    const uint64_t more[] = {t->span, t->busy, t->idle, t->in_class[GPU_COMMUNICATION], t->exposed};
    for (size_t i = 0; i < sizeof sums / sizeof *sums; i++) {
        *sums[i] = __builtin_add_overflow(*sums[i], more[i], sums[i]) ? UINT64_MAX : *sums[i];
    }
}

pf_status pf_gpu_measure(gpu_facts *g, pf_error *err)
{
    for (uint32_t i = 0; i < g->device_count; i++) {
        gpu_device *d = &g->devices[i];
        crowd_sets sets = {.only = only_class(g, d)};
        PF_TRY(measure_device(g, d, &sets, err));
        if (d->stream_count == 1) {
            g->streams[d->first_stream].times = d->times;
        } else {
            PF_TRY(measure_streams(g, d, sets.only, err));
        }
        PF_TRY(measure_depth(g, d, sets.lengths, err));
        pf_arena_reset(&g->scratch);
    }
    return PF_OK;
}
