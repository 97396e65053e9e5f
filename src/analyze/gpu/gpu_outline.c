/* analyze/gpu/gpu_outline.c - from facts and steps to what a comparison asks.
 *
 * One walk over the operations of each device, which come in order of their starts, says what each adds to the union of
 * those before it in its step, and how long it is until the next one. A stream does one thing at a time: where an
 * operation of it begins before the one before it ends, the union is of the operations one after the other. So a trace
 * whose operations were made longer where they stand is slower by as much.
 */
#include "analyze/gpu/gpu_outline.h"

#include <string.h>

#include "analyze/gpu/steps/gpu_steps.h"
#include "analyze/support/order_stats.h"
#include "analyze/support/pass_memory.h"

/* A step on the device at hand; one more stands for what is in no step. */
typedef struct step_walk {
    int64_t until; /* the last end so far */
    uint32_t last; /* the operation met last, PF_NONE: none yet */
} step_walk;

typedef struct outlining {
    gpu_facts facts;
    gpu_step_facts steps;
    step_walk *walk;         /* by step */
    int64_t *start, *end;    /* of operations, those of a stream one after the other */
    int64_t *free_at;        /* by stream */
    uint32_t *order, *spare; /* operations of the device at hand from 0, by these starts */
    uint32_t *seen;          /* by step: devices that did something in it */
    gpu_outline *out;
} outlining;

/* Puts the operations of each stream of a device one after the other. */
static void queue_ops(outlining *o, const gpu_device *d)
{
    const gpu_ops *ops = &o->facts.ops;
    bool moved = false;
    for (uint32_t i = 0; i < d->op_count; i++) {
        uint32_t op = d->first_op + i;
        int64_t *free_at = &o->free_at[gpu_stream_of(&o->facts, op)], start = ops->start[op];
        uint64_t length = (uint64_t)ops->dur[op];
        if (start < *free_at) {
            start = *free_at;
            moved = true;
        }
        o->order[i] = i;
        o->start[op] = start;
        o->end[op] = length > (uint64_t)INT64_MAX - (uint64_t)start ? INT64_MAX : (int64_t)((uint64_t)start + length);
        *free_at = o->end[op];
    }
    if (moved) {
        pf_sort_order(o->start + d->first_op, d->op_count, o->order, o->spare);
    }
}

static uint32_t step_of(const outlining *o, uint32_t op)
{
    return o->steps.of_op ? o->steps.of_op[op] : PF_NONE;
}

/* Parts and the walk of the steps of a device. */
static void walk_ops(outlining *o, const gpu_device *d)
{
    const gpu_ops *ops = &o->facts.ops;
    gpu_outline *out = o->out;
    int64_t until = INT64_MIN;
    for (uint32_t k = 0; k <= out->steps; k++) {
        o->walk[k] = (step_walk){.until = INT64_MIN, .last = PF_NONE};
    }
    for (uint32_t op = d->first_op; op < d->first_op + d->op_count; op++) {
        uint32_t step = step_of(o, op);
        step_walk *w = &o->walk[step == PF_NONE ? out->steps : step];
        out->parts[op].step = step;
        if (w->last != PF_NONE) {
            out->parts[w->last].period = (uint64_t)ops->start[op] - (uint64_t)ops->start[w->last];
        }
        w->last = op;
        if (out->step_of) {
            out->step_of[gpu_slice(ops, op)] = step;
        }
    }
    queue_ops(o, d);
    for (uint32_t i = 0; i < d->op_count; i++) {
        uint32_t op = d->first_op + o->order[i], step = step_of(o, op);
        int64_t *in_step = &o->walk[step == PF_NONE ? out->steps : step].until;
        uint64_t busy = out->parts[op].busy = pf_interval_stretch(in_step, o->start[op], o->end[op]);
        if (step != PF_NONE) {
            out->busy[step] += (double)busy;
        }
        out->whole_busy += (double)pf_interval_stretch(&until, o->start[op], o->end[op]);
    }
}

/* Adds the steps of a device. The last part of a step lasts until its period ends. */
static void add_steps(outlining *o, uint32_t device)
{
    gpu_outline *out = o->out;
    const gpu_device_step *list = o->steps.devices[device].list;
    uint32_t count = list ? o->steps.of_input[o->facts.devices[device].input].count : 0;
    for (uint32_t k = 0; k < count; k++) {
        uint32_t last = o->walk[k].last;
        if (last != PF_NONE) {
            uint64_t before = (uint64_t)o->facts.ops.start[last] - (uint64_t)list[k].times.start;
            out->parts[last].period = list[k].period > before ? list[k].period - before : 0;
            out->period[k] += (double)list[k].period;
            o->seen[k]++;
        }
    }
}

/* From sums over devices to means; a step that no device knows has the length of its window. */
static void take_means(outlining *o)
{
    gpu_outline *out = o->out;
    double devices = out->devices ? out->devices : 1;
    out->whole_busy /= devices;
    for (uint32_t k = 0; k < out->steps; k++) {
        uint32_t input = 0;
        while (k >= o->steps.of_input[input].count) {
            input++;
        }
        out->busy[k] /= devices;
        pf_interval window = o->steps.of_input[input].list[k].time;
        out->period[k] = o->seen[k] ? out->period[k] / o->seen[k] : (double)pf_interval_length(window);
    }
}

static pf_status make_columns(outlining *o, pf_arena *scratch, pf_arena *arena, pf_error *err)
{
    gpu_outline *out = o->out;
    size_t slices = pf_trace_slices(o->facts.trace)->count, steps = out->steps;
    PF_TRY(PF_PASS_ARRAY(scratch, slices, out->on_device, err));
    PF_TRY(PF_ARENA_NEW(arena, out->busy, steps, err));
    PF_TRY(PF_ARENA_NEW(arena, out->period, steps, err));
    PF_TRY(PF_ARENA_NEW(arena, out->parts, out->part_count, err));
    PF_TRY(PF_PASS_ARRAY(scratch, steps + 1, o->walk, err));
    PF_TRY(PF_ARENA_NEW(scratch, o->seen, steps, err));
    PF_TRY(PF_PASS_ARRAY(scratch, out->part_count, o->start, err));
    PF_TRY(PF_PASS_ARRAY(scratch, out->part_count, o->end, err));
    PF_TRY(PF_PASS_ARRAY(scratch, out->part_count, o->order, err));
    PF_TRY(PF_PASS_ARRAY(scratch, out->part_count, o->spare, err));
    PF_TRY(PF_PASS_ARRAY(scratch, o->facts.stream_count, o->free_at, err));
    for (uint32_t i = 0; i < o->facts.stream_count; i++) {
        o->free_at[i] = INT64_MIN;
    }
    uint32_t sync = pf_trace_find_string(o->facts.trace, PF_STR("cuda_sync"));
    for (uint32_t i = 0; i < slices; i++) {
        uint8_t kind = o->facts.kind[i];
        bool waits = pf_slice_category(pf_trace_slices(o->facts.trace), i) == sync;
        out->on_device[i] = kind == GPU_SLICE_DEVICE_ANNOTATION ? GPU_ANNOTATION : gpu_is_device_kind(kind) || waits;
    }
    if (steps) {
        PF_TRY(PF_PASS_ARRAY(scratch, slices, out->step_of, err));
        memset(out->step_of, 0xff, slices * sizeof *out->step_of); /* PF_NONE */
    }
    return PF_OK;
}

static pf_status outline(outlining *o, pf_str pattern, pf_arena *scratch, pf_arena *arena, pf_error *err)
{
    gpu_facts *g = &o->facts;
    gpu_outline *out = o->out;
    PF_TRY(pf_gpu_facts_read(g, err));
    PF_TRY(pf_gpu_read_steps(g, pattern, &o->steps, err));
    for (uint32_t i = 0; i < g->rank_count; i++) {
        uint32_t count = o->steps.of_input[i].count;
        out->steps = count > out->steps ? count : out->steps;
    }
    out->part_count = g->ops.count;
    out->devices = g->device_count;
    PF_TRY(make_columns(o, scratch, arena, err));
    for (uint32_t d = 0; d < g->device_count; d++) {
        walk_ops(o, &g->devices[d]);
        add_steps(o, d);
    }
    take_means(o);
    out->rank_known = g->rank_count == 1 && g->ranks[0].known;
    out->rank = out->rank_known ? g->ranks[0].rank : 0;
    return PF_OK;
}

pf_status pf_gpu_outline(const pf_trace *t, pf_str pattern, unsigned jobs, pf_arena *scratch, pf_arena *arena,
                         gpu_outline *out, pf_error *err)
{
    const pf_pass_context ctx = {.trace = t, .jobs = jobs, .arena = scratch};
    outlining o = {.facts = {.ctx = &ctx}, .out = out};
    *out = (gpu_outline){.devices = 0};
    pf_status st = outline(&o, pattern, scratch, arena, err);
    pf_gpu_facts_free(&o.facts);
    return st;
}
