/* analyze/gpu/report/gpu_overlay.c - point 6: what is drawn into the trace, a group of its own for each device:
 *
 *     GPU 0
 *         GPU 0 notes                 (if device events were left out)
 *         GPU 0 steps                 slices "6 steady", from the first to the last operation of the step
 *         GPU 0 gaps                  slices "host-bound", "kernel wait", "other"
 *         GPU 0 stragglers            instants where this rank was the last of a collective
 *         GPU 0 busy, queue depth, copy bandwidth, memory     counters
 */
#include <inttypes.h>

#include "analyze/gpu/report/gpu_report.h"
#include "analyze/support/drawing.h"
#include "analyze/support/pass_memory.h"

/* Points of the busy counter, and the shortest gap that is drawn. */
enum { MOST_WINDOWS = 2000, LEAST_GAP = 1000 };

typedef struct canvas {
    const gpu_results *r;
    pf_drawing drawing; /* with an arena for the device in hand */
    pf_findings *f;
    pf_error *err;
} canvas;

/* ---- slices ------------------------------------------------------------------------------------------------------ */

static void draw_step(canvas *c, uint32_t track, const gpu_steps *steps, uint32_t row, const gpu_device_step *own)
{
    const gpu_step *step = &steps->list[row];
    const gpu_times *t = &own->times;
    pf_str mark = pf_gpu_step_mark_name(own->mark);
    pf_overlay_slice(c->f, track, t->start, pf_drawing_length(t->span),
                     pf_findings_format(c->f, "%" PRId64 " %s", step->number, mark.ptr));
    pf_overlay_arg_derived(c->f, PF_STR("busy %"), t->span ? 100 * (double)t->busy / (double)t->span : 0);
    pf_overlay_arg_int(c->f, PF_STR("busy ns"), pf_drawing_length(t->busy));
    pf_overlay_arg_int(c->f, PF_STR("period ns"), pf_drawing_length(own->period));
    if (steps->source == GPU_STEP_ANNOTATION) {
        pf_overlay_arg_int(c->f, PF_STR("host start ns"), step->time.start);
        pf_overlay_arg_int(c->f, PF_STR("host span ns"), pf_drawing_length(pf_interval_length(step->time)));
    }
}

/* Steps with operations on the device, by the first of these. */
static pf_status draw_steps(canvas *c, const gpu_device *d, const gpu_device_steps *own)
{
    pf_interval *list;
    const uint32_t *lane;
    PF_TRY(PF_PASS_ARRAY(c->drawing.arena, own->begun_count, list, c->err));
    for (uint32_t i = 0; i < own->begun_count; i++) {
        const gpu_times *t = &own->list[own->begun[i]].times;
        list[i] = (pf_interval){t->start, t->end};
    }
    uint32_t track = pf_drawing_lanes(&c->drawing, "steps",
                                      "Steps from the first to the last device event that they launched: the number, "
                                      "and whether the step is steady, warm-up or an outlier in duration. busy % = time "
                                      "with these events / duration.",
                                      list, own->begun_count, &lane);
    for (uint32_t i = 0; i < own->begun_count && track != PF_NONE; i++) {
        uint32_t row = own->begun[i];
        draw_step(c, track + lane[i], &c->r->steps.of_input[d->input], row, &own->list[row]);
    }
    return PF_OK;
}

static void draw_gaps(canvas *c, const gpu_device *d)
{
    uint32_t track = PF_NONE;
    for (size_t i = 0; i < d->gap_count; i++) {
        const gpu_gap gap = pf_gpu_gap_at(&c->r->facts, d, i);
        if (pf_interval_length(gap.time) < LEAST_GAP) {
            continue;
        }
        if (track == PF_NONE) {
            track = pf_drawing_slices(&c->drawing, "gaps",
                                      "Times of 1 us or more without device events, by their main cause. kernel wait: "
                                      "an operation was queued (its call had returned); host-bound: nothing was queued "
                                      "and the call of the next operation came then; other: no call is known.");
        }
        pf_overlay_slice(c->f, track, gap.time.start, pf_drawing_length(pf_interval_length(gap.time)),
                         pf_gpu_gap_cause(&gap));
        pf_overlay_arg_int(c->f, PF_STR("host-bound ns"), pf_drawing_length(gap.host));
        pf_overlay_arg_int(c->f, PF_STR("kernel wait ns"), pf_drawing_length(gap.waiting));
        pf_overlay_arg_int(c->f, PF_STR("other ns"), pf_drawing_length(gap.other));
    }
}

static void draw_stragglers(canvas *c, uint32_t device)
{
    const gpu_facts *g = &c->r->facts;
    const gpu_ranks *r = &c->r->ranks;
    uint32_t track = PF_NONE;
    for (uint32_t i = 0; i < r->collective_count; i++) {
        const gpu_collective *k = &r->collectives[i];
        uint32_t op = r->parts[k->last].op;
        if (g->ops.device[op] != device || k->behind == 0) {
            continue;
        }
        if (track == PF_NONE) {
            track =
                pf_drawing_slices(&c->drawing, "stragglers",
                                  "Where this rank was the last to start a collective, in estimated common time: how "
                                  "much later than the one before. lost ns: waiting of all others together.");
        }
        pf_overlay_instant(c->f, track, g->ops.start[op],
                           pf_findings_format(c->f, "last by %s", pf_gpu_length_text(c->f, k->behind)));
        pf_overlay_arg_int(c->f, PF_STR("lost ns"), pf_drawing_length(k->lost));
        pf_overlay_arg_int(c->f, PF_STR("spread ns"), pf_drawing_length(k->spread));
        pf_overlay_arg_int(c->f, PF_STR("work before ns"), r->parts[k->last].work);
    }
}

/* ---- counters ---------------------------------------------------------------------------------------------------- */

/* The share of busy time in windows of equal length. */
static void draw_busy(canvas *c, const gpu_device *d)
{
    uint64_t window = d->times.span / MOST_WINDOWS + 1;
    window = window < 1000 ? 1000 : window;
    uint32_t track = pf_drawing_counter(
        &c->drawing, "busy", "%", NULL,
        pf_findings_format(c->f, "Time with device events / duration of the window, in windows of %s from the device's first start on.",
                           pf_gpu_length_text(c->f, window))
            .ptr);
    size_t cursor = 0;
    for (uint64_t at = 0; at < d->times.span; at += window) {
        uint64_t length = d->times.span - at < window ? d->times.span - at : window;
        int64_t start = (int64_t)((uint64_t)d->times.start + at), end = (int64_t)((uint64_t)start + length);
        uint64_t busy = pf_interval_covered(d->busy.list, d->busy.count, &cursor, start, end);
        pf_overlay_hold(c->f, track, start, end, pf_overlay_derived(100 * (double)busy / (double)length));
    }
}

static void draw_queue(canvas *c, const gpu_device *d)
{
    if (d->queue_count == 0) {
        return;
    }
    uint32_t track = pf_drawing_counter(&c->drawing, "queue depth", "operations", NULL,
                                        "Operations whose call has returned and that have not started.");
    for (size_t i = 0; i < d->queue_count; i++) {
        pf_overlay_sample(c->f, track, d->queue[i].ts, d->queue[i].open);
    }
}

static pf_status draw_bandwidth(canvas *c, const gpu_device *d)
{
    const gpu_facts *g = &c->r->facts;
    pf_transfer *list;
    size_t n = 0;
    PF_TRY(PF_PASS_ARRAY(c->drawing.arena, d->op_count, list, c->err));
    for (uint32_t i = d->first_op; i < d->first_op + d->op_count; i++) {
        int64_t bytes = gpu_int(g, GPU_ARG_BYTES, i);
        if (g->ops.class[i] == GPU_MEMORY && bytes > 0 && g->ops.end[i] > g->ops.start[i]) {
            list[n++] = (pf_transfer){g->ops.start[i], g->ops.end[i], (uint64_t)bytes};
        }
    }
    pf_drawing_rates(&c->drawing, "copy bandwidth",
                     "Bytes / duration of the memcpy and memset under way, added up (1 GB = 10^9 bytes).", list, n);
    return PF_OK;
}

static void draw_memory(canvas *c, uint32_t device, const gpu_memory *m)
{
    static const char *const what[] = {"memory allocated", "memory reserved"};
    for (unsigned k = 0; k < 2; k++) {
        uint32_t track = PF_NONE;
        for (uint32_t i = 0; i < m->count; i++) {
            const gpu_memory_row *row = &m->rows[i];
            if (row->device != device || row->bytes[k] < 0) {
                continue;
            }
            if (track == PF_NONE) {
                track = pf_drawing_counter(&c->drawing, what[k], "bytes", "gpu memory",
                                           "Of the framework's allocator, as the profiler recorded it.");
            }
            pf_overlay_sample(c->f, track, row->ts, (double)row->bytes[k]);
        }
    }
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

static pf_status draw_device(canvas *c, uint32_t device, const gpu_memory *memory)
{
    const gpu_facts *g = &c->r->facts;
    const gpu_device *d = &g->devices[device];
    pf_str name = pf_gpu_device_text(g, d, c->f);
    const pf_overlay_track group = {.anchor = PF_ANCHOR_GLOBAL,
                                    .name = name,
                                    .description = PF_STR("Computed by postfetto analyze gpu from the device events."),
                                    .rank = (int32_t)device};
    pf_drawing_group(&c->drawing, &group, name);
    PF_TRY(draw_steps(c, d, &c->r->steps.devices[device]));
    draw_gaps(c, d);
    draw_stragglers(c, device);
    draw_busy(c, d);
    draw_queue(c, d);
    PF_TRY(draw_bandwidth(c, d));
    draw_memory(c, device, memory);
    return PF_OK;
}

pf_status pf_gpu_draw(const gpu_results *r, pf_error *err)
{
    pf_findings *f = r->facts.f;
    gpu_memory memory;
    pf_status st = pf_gpu_read_memory(&r->facts, &memory, err);
    for (uint32_t i = 0; i < r->facts.device_count && st == PF_OK; i++) {
        pf_arena scratch;
        pf_arena_init(&scratch, r->facts.arena->budget);
        canvas c = {.r = r, .drawing = {.f = f, .arena = &scratch}, .f = f, .err = err};
        st = draw_device(&c, i, &memory);
        pf_arena_free(&scratch);
    }
    return st;
}
