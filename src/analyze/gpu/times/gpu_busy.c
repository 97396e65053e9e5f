/* analyze/gpu/times/gpu_busy.c - point 1: what devices and streams did, as sets of intervals (docs/reference/gpu.md,
 * "Times").
 *
 * Operations are ordered by start, so the set of a class is one walk: pick its operations, merge what overlaps. The
 * rest are operations on these sets: idle = span - busy, overlap = communication and compute, exposed = communication
 * without compute.
 */
#include <string.h>

#include "analyze/gpu/gpu.h"
#include "analyze/support/interval_depth.h"
#include "analyze/support/order_stats.h"
#include "analyze/support/pass_memory.h"

enum { ANY_CLASS = GPU_CLASSES };

/* Operations of a device (rows in order) or of a stream (rows through by_stream). */
typedef struct crowd {
    const gpu_ops *ops;
    const uint32_t *rows; /* NULL: first, first + 1, ... */
    uint32_t first, count;
} crowd;

static uint32_t row_of(const crowd *c, uint32_t i)
{
    return c->rows ? c->rows[c->first + i] : c->first + i;
}

/* The set of a class, in room for all of the crowd. */
static size_t collect(const crowd *c, unsigned class, pf_interval *list)
{
    size_t n = 0;
    for (uint32_t i = 0; i < c->count; i++) {
        uint32_t row = row_of(c, i);
        if ((class == ANY_CLASS || c->ops->class[row] == class) && c->ops->end[row] > c->ops->start[row]) {
            list[n++] = (pf_interval){c->ops->start[row], c->ops->end[row]};
        }
    }
    return pf_interval_union(list, n);
}

static void measure_span(const crowd *c, gpu_times *t)
{
    for (uint32_t i = 0; i < c->count; i++) {
        uint32_t row = row_of(c, i);
        t->start = i == 0 || c->ops->start[row] < t->start ? c->ops->start[row] : t->start;
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
        t->in_class[k] = pf_interval_total(class[k].list, class[k].count);
    }
    t->overlap = pf_interval_common(communication->list, communication->count, compute->list, compute->count);
    t->exposed = t->in_class[GPU_COMMUNICATION] - t->overlap;
}

/* The set in memory of its own length. */
static pf_status keep(gpu_facts *g, const pf_interval *list, size_t n, gpu_set *out, pf_error *err)
{
    out->list = pf_pass_array(g->arena, n, sizeof *list, err);
    out->count = n;
    if (!out->list) {
        return err->code;
    }
    memcpy(out->list, list, n * sizeof *list);
    return PF_OK;
}

static pf_status measure_device(gpu_facts *g, gpu_device *d, pf_interval *room, pf_error *err)
{
    const crowd c = {&g->ops, NULL, d->first_op, d->op_count};
    pf_status st = PF_OK;
    for (unsigned k = 0; k < GPU_CLASSES && st == PF_OK; k++) {
        st = keep(g, room, collect(&c, k, room), &d->in_class[k], err);
    }
    st = st == PF_OK ? keep(g, room, collect(&c, ANY_CLASS, room), &d->busy, err) : st;
    if (st == PF_OK) {
        measure_span(&c, &d->times);
        measure_sets(&d->busy, d->in_class, &d->times);
    }
    return st;
}

static void measure_stream(gpu_facts *g, gpu_stream *s, pf_interval *room)
{
    const crowd c = {&g->ops, g->by_stream, s->first, s->count};
    gpu_set class[GPU_CLASSES];
    pf_interval *at = room;
    for (unsigned k = 0; k < GPU_CLASSES; k++) {
        class[k] = (gpu_set){at, collect(&c, k, at)};
        at += class[k].count; /* the classes together have as many intervals as there are operations */
    }
    const gpu_set busy = {at, collect(&c, ANY_CLASS, at)};
    measure_span(&c, &s->times);
    measure_sets(&busy, class, &s->times);
}

/* ---- concurrency ------------------------------------------------------------------------------------------------- */

typedef struct depth_room {
    int64_t *starts, *ends, *scratch;
    pf_depth_step *steps;
} depth_room;

static pf_status measure_depth(gpu_facts *g, gpu_device *d, const depth_room *room, pf_error *err)
{
    const gpu_ops *o = &g->ops;
    memcpy(room->starts, o->start + d->first_op, d->op_count * sizeof *room->starts);
    memcpy(room->ends, o->end + d->first_op, d->op_count * sizeof *room->ends);
    pf_sort_times(room->ends, d->op_count, room->scratch);
    size_t steps = pf_interval_depth(room->starts, room->ends, d->op_count, room->steps);
    d->most = pf_depth_most(room->steps, steps);
    d->running = pf_pass_array(g->arena, (size_t)d->most + 1, sizeof *d->running, err);
    if (!d->running) {
        return err->code;
    }
    pf_depth_times(room->steps, steps, d->running);
    d->running[0] = d->times.idle; /* also before the first and after the last step, where operations have no length */
    return PF_OK;
}

static pf_status measure_depths(gpu_facts *g, uint32_t most, pf_arena *scratch, pf_error *err)
{
    depth_room room;
    room.starts = pf_pass_array(scratch, most, sizeof *room.starts, err);
    room.ends = room.starts ? pf_pass_array(scratch, most, sizeof *room.ends, err) : NULL;
    room.scratch = room.ends ? pf_pass_array(scratch, most, sizeof *room.scratch, err) : NULL;
    room.steps = room.scratch ? pf_pass_array(scratch, 2 * (size_t)most, sizeof *room.steps, err) : NULL;
    pf_status st = room.steps ? PF_OK : err->code;
    for (uint32_t i = 0; i < g->device_count && st == PF_OK; i++) {
        st = measure_depth(g, &g->devices[i], &room, err);
    }
    return st;
}

pf_status pf_gpu_measure(gpu_facts *g, pf_error *err)
{
    pf_arena scratch;
    uint32_t most = 0;
    for (uint32_t i = 0; i < g->device_count; i++) {
        most = g->devices[i].op_count > most ? g->devices[i].op_count : most;
    }
    pf_arena_init(&scratch, g->arena->budget);
    pf_interval *room = pf_pass_array(&scratch, 2 * (size_t)most, sizeof *room, err);
    pf_status st = room ? PF_OK : err->code;
    for (uint32_t i = 0; i < g->device_count && st == PF_OK; i++) {
        st = measure_device(g, &g->devices[i], room, err);
    }
    for (uint32_t i = 0; i < g->stream_count && st == PF_OK; i++) {
        measure_stream(g, &g->streams[i], room);
    }
    st = st == PF_OK ? measure_depths(g, most, &scratch, err) : st;
    pf_arena_free(&scratch);
    return st;
}
