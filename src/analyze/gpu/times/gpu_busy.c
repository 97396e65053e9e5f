/* analyze/gpu/times/gpu_busy.c - point 1: what devices and streams did, as sets of intervals (docs/reference/gpu.md,
 * "Times").
 *
 * Operations are ordered by start, so the set of a class is one walk: pick its operations, merge what overlaps. The
 * rest are operations on these sets: idle = span - busy, overlap = communication and compute, exposed = communication
 * without compute.
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

/* The sets of a crowd while it is walked over; each has room for all of it. */
typedef struct crowd_sets {
    gpu_set busy, in_class[GPU_CLASSES];
    unsigned only;   /* the class of all operations, whose set is the busy one; GPU_CLASSES: they have several */
    pf_wide lengths; /* of all operations */
} crowd_sets;

static void stretch(gpu_set *set, int64_t start, int64_t end)
{
    pf_interval *last = set->count ? &set->list[set->count - 1] : NULL;
    if (last && start <= last->end) {
        last->end = end > last->end ? end : last->end;
    } else {
        set->list[set->count++] = (pf_interval){start, end};
    }
}

static void measure_crowd(const crowd *c, crowd_sets *sets, gpu_times *t)
{
    const gpu_ops *o = c->ops;
    sets->busy.count = 0;
    sets->lengths = 0;
    for (unsigned k = 0; k < GPU_CLASSES; k++) {
        sets->in_class[k].count = 0;
    }
    for (uint32_t i = 0; i < c->count; i++) {
        uint32_t row = c->rows ? c->rows[c->first + i] : c->first + i;
        int64_t start = o->start[row], end = o->end[row];
        t->start = i == 0 ? start : t->start;
        t->end = i == 0 || end > t->end ? end : t->end;
        if (end > start) {
            stretch(&sets->busy, start, end);
            if (sets->only == GPU_CLASSES) {
                stretch(&sets->in_class[o->class[row]], start, end);
            }
            sets->lengths += gpu_length(o, row);
        }
    }
    t->span = (uint64_t)t->end - (uint64_t)t->start;
    if (sets->only < GPU_CLASSES) {
        sets->in_class[sets->only] = sets->busy;
    }
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
static pf_status keep(gpu_facts *g, const gpu_set *set, gpu_set *out, pf_error *err)
{
    out->list = pf_pass_array(g->arena, set->count, sizeof *set->list, err);
    out->count = set->count;
    if (!out->list) {
        return err->code;
    }
    memcpy(out->list, set->list, set->count * sizeof *set->list);
    return PF_OK;
}

static pf_status measure_device(gpu_facts *g, gpu_device *d, crowd_sets *sets, pf_error *err)
{
    const crowd c = {&g->ops, NULL, d->first_op, d->op_count};
    measure_crowd(&c, sets, &d->times);
    pf_status st = keep(g, &sets->busy, &d->busy, err);
    for (unsigned k = 0; k < GPU_CLASSES && st == PF_OK; k++) {
        if (k == sets->only) {
            d->in_class[k] = d->busy;
        } else {
            st = keep(g, &sets->in_class[k], &d->in_class[k], err);
        }
    }
    if (st == PF_OK) {
        measure_sets(&d->busy, d->in_class, &d->times);
    }
    return st;
}

static void measure_streams(gpu_facts *g, const gpu_device *d, crowd_sets *sets)
{
    for (uint32_t i = d->first_stream; i < d->first_stream + d->stream_count; i++) {
        gpu_stream *s = &g->streams[i];
        const crowd c = {&g->ops, g->by_stream, s->first, s->count};
        if (d->stream_count == 1) {
            s->times = d->times;
            continue;
        }
        measure_crowd(&c, sets, &s->times);
        measure_sets(&sets->busy, sets->in_class, &s->times);
    }
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
    d->running = pf_pass_array(g->arena, (size_t)d->most + 1, sizeof *d->running, err);
    if (!d->running) {
        return err->code;
    }
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
        pf_status st = make_depth_room(g, d->op_count, &room, err);
        return st == PF_OK ? measure_overlaps(g, d, &room, err) : st;
    }
    d->most = d->busy.count ? 1 : 0;
    d->running = pf_pass_array(g->arena, (size_t)d->most + 1, sizeof *d->running, err);
    if (!d->running) {
        return err->code;
    }
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

static pf_status make_room(gpu_facts *g, const gpu_device *d, crowd_sets *sets, pf_error *err)
{
    sets->only = only_class(g, d);
    sets->busy.list = pf_pass_array(&g->scratch, d->op_count, sizeof *sets->busy.list, err);
    bool ok = sets->busy.list != NULL;
    for (unsigned k = 0; k < GPU_CLASSES && ok; k++) {
        uint32_t room = sets->only == GPU_CLASSES ? d->op_count : 0;
        sets->in_class[k].list = pf_pass_array(&g->scratch, room, sizeof *sets->in_class[k].list, err);
        ok = sets->in_class[k].list != NULL;
    }
    return ok ? PF_OK : err->code;
}

pf_status pf_gpu_measure(gpu_facts *g, pf_error *err)
{
    pf_status st = PF_OK;
    for (uint32_t i = 0; i < g->device_count && st == PF_OK; i++) {
        gpu_device *d = &g->devices[i];
        crowd_sets sets = {.lengths = 0};
        st = make_room(g, d, &sets, err);
        st = st == PF_OK ? measure_device(g, d, &sets, err) : st;
        pf_wide lengths = sets.lengths;
        if (st == PF_OK) {
            measure_streams(g, d, &sets);
            st = measure_depth(g, d, lengths, err);
        }
        pf_arena_reset(&g->scratch);
    }
    return st;
}
