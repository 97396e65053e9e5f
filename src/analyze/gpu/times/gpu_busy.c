/* analyze/gpu/times/gpu_busy.c - point 1: what devices and streams did, as sets of intervals (docs/reference/gpu.md,
 * "Times").
 *
 * Operations are ordered by start, so the set of a class is one walk: pick its operations, merge what overlaps. A first
 * walk counts the intervals of a device, so that there is memory for these and no more. The rest are operations on
 * these sets: idle = span - busy, overlap = communication and compute, exposed = communication without compute.
 */
#include <string.h>

#include "analyze/gpu/times/gpu_times.h"
#include "analyze/support/interval_depth.h"
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

/* The sets of a crowd while it is walked over. */
typedef struct crowd_sets {
    growing_set busy, in_class[GPU_CLASSES];
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
            stretch(&sets->busy, start, end);
            if (sets->only == GPU_CLASSES) {
                stretch(&sets->in_class[o->class[row]], start, end);
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

static void measure_sets(const gpu_set *busy, const gpu_set *class, gpu_times *t)
{
    const gpu_set *compute = &class[GPU_COMPUTE], *communication = &class[GPU_COMMUNICATION];
    t->busy = pf_interval_total(busy->list, busy->count);
    t->idle = t->span - t->busy;
    for (unsigned k = 0; k < GPU_CLASSES; k++) {
        bool all = class[k].list == busy->list && class[k].count == busy->count;
        t->in_class[k] = all ? t->busy : pf_interval_total(class[k].list, class[k].count);
    }
    t->overlap = pf_interval_common(communication->list, communication->count, compute->list, compute->count);
    t->exposed = t->in_class[GPU_COMMUNICATION] - t->overlap;
}

/* Memory for the intervals that were counted, which are counted anew. */
static bool make_room(pf_arena *arena, growing_set *set, size_t count, pf_error *err)
{
    *set = (growing_set){.list = pf_pass_array(arena, count, sizeof *set->list, err)};
    return set->list != NULL;
}

static pf_status measure_device(gpu_facts *g, gpu_device *d, crowd_sets *sets, pf_error *err)
{
    const crowd c = {&g->ops, NULL, d->first_op, d->op_count};
    measure_span(&c, &d->times);
    walk_crowd(&c, sets);
    bool ok = make_room(g->arena, &sets->busy, sets->busy.count, err);
    for (unsigned k = 0; k < GPU_CLASSES && ok && sets->only == GPU_CLASSES; k++) {
        ok = make_room(g->arena, &sets->in_class[k], sets->in_class[k].count, err);
    }
    if (!ok) {
        return err->code;
    }
    walk_crowd(&c, sets);
    d->busy = (gpu_set){sets->busy.list, sets->busy.count};
    for (unsigned k = 0; k < GPU_CLASSES; k++) {
        d->in_class[k] = k == sets->only ? d->busy : (gpu_set){sets->in_class[k].list, sets->in_class[k].count};
    }
    measure_sets(&d->busy, d->in_class, &d->times);
    return PF_OK;
}

/* What a crowd did, whose sets are not kept: room has a place for each class and, at GPU_CLASSES, for all. */
static void measure_crowd(const crowd *c, unsigned only, pf_interval *const *room, gpu_times *t)
{
    crowd_sets sets = {.only = only, .busy.list = room[GPU_CLASSES]};
    for (unsigned k = 0; k < GPU_CLASSES; k++) {
        sets.in_class[k].list = room[k];
    }
    measure_span(c, t);
    walk_crowd(c, &sets);
    gpu_set in_class[GPU_CLASSES];
    const gpu_set busy = {sets.busy.list, sets.busy.count};
    for (unsigned k = 0; k < GPU_CLASSES; k++) {
        in_class[k] = k == only ? busy : (gpu_set){room[k], sets.in_class[k].count};
    }
    measure_sets(&busy, in_class, t);
}

bool pf_gpu_times_room(pf_arena *arena, uint32_t count, pf_interval **room, pf_error *err)
{
    bool ok = true;
    for (unsigned k = 0; k <= GPU_CLASSES && ok; k++) {
        room[k] = pf_pass_array(arena, count, sizeof *room[k], err);
        ok = room[k];
    }
    return ok;
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
    if (!pf_gpu_times_room(&g->scratch, d->op_count, room, err)) {
        return err->code;
    }
    for (uint32_t i = d->first_stream; i < d->first_stream + d->stream_count; i++) {
        const crowd c = {&g->ops, g->by_stream, g->streams[i].first, g->streams[i].count};
        measure_crowd(&c, only, room, &g->streams[i].times);
    }
    return PF_OK;
}

/* ---- concurrency ------------------------------------------------------------------------------------------------- */

typedef struct depth_room {
    int64_t *ends, *scratch;
    pf_depth_step *steps;
} depth_room;

static pf_status measure_overlaps(gpu_facts *g, gpu_device *d, const depth_room *room, pf_error *err)
{
    const gpu_ops *o = &g->ops;
    memcpy(room->ends, o->end + d->first_op, d->op_count * sizeof *room->ends);
    pf_sort_times(room->ends, d->op_count, room->scratch);
    size_t steps = pf_interval_depth(o->start + d->first_op, room->ends, d->op_count, room->steps);
    d->most = pf_depth_most(room->steps, steps);
    PF_TRY(PF_PASS_ARRAY(g->arena, (size_t)d->most + 1, d->running, err));
    pf_depth_times(room->steps, steps, d->running);
    d->running[0] = d->times.idle; /* also before the first and after the last step, where operations have no length */
    return PF_OK;
}

static pf_status make_depth_room(gpu_facts *g, uint32_t n, depth_room *room, pf_error *err)
{
    pf_arena *scratch = &g->scratch;
    room->ends = pf_pass_array(scratch, n, sizeof *room->ends, err);
    room->scratch = room->ends ? pf_pass_array(scratch, n, sizeof *room->scratch, err) : NULL;
    room->steps = room->scratch ? pf_pass_array(scratch, 2 * (size_t)n, sizeof *room->steps, err) : NULL;
    return room->steps ? PF_OK : err->code;
}

/* Where all lengths together are the busy time, nothing overlaps. */
static pf_status measure_depth(gpu_facts *g, gpu_device *d, pf_wide lengths, pf_error *err)
{
    depth_room room;
    if (lengths != d->times.busy) {
        pf_arena_reset(&g->scratch);
        PF_TRY(make_depth_room(g, d->op_count, &room, err));
        return measure_overlaps(g, d, &room, err);
    }
    d->most = d->busy.count ? 1 : 0;
    PF_TRY(PF_PASS_ARRAY(g->arena, (size_t)d->most + 1, d->running, err));
    d->running[d->most] = d->times.busy;
    d->running[0] = d->times.idle;
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
