/* analyze/gpu/draw/gpu_overlay.c - point 6: what is drawn into the trace:
 *
 *     all ranks (all GPUs)            of several devices
 *         collectives                 slices "0 all_reduce, rank 3 last"
 *         ranks                       a group with a row for each: what it did in all
 *         time, queue depth, ...      groups with a counter of each device, on one scale
 *     GPU 0                           a group for each device
 *         notes                       if device events were left out
 *         steps (cycles)              slices "6 steady", from the first to the last operation that the step launched
 *         critical path               slices "compute", "launch", ... of one step
 *         modules                     slices "Linear_3", from the first to the last operation of a call, one in another
 *         operators                   likewise "aten::linear"
 *         exposed                     slices "communication" and "memcpy", where nothing hides them
 *         gaps                        slices "host-bound", "kernel wait", "other"
 *         host                        where the scheduler was recorded, slices "sleeping" for what the thread of a
 *                                     late call did in a gap, its states inside
 *         streams                     a group of rows "stream 7" likewise, of several streams
 *         waits                       slices "waits for rank 3" where this rank was not the last of a collective
 *         stragglers                  instants where it was
 *         compute, queue depth, ...   counters, of a single device
 *         memory peak                 an instant
 *         memory holders              a group of counters: who held memory
 *     host memory                     a group with the last two
 *     CUPTI counters                  a group with a counter for each
 *     on threads of the host          instants "late for GPU 0" inside calls, to which arrows of gaps lead; where the
 * call is not on the thread's own row, on a row "late calls" below it
 */
#include <inttypes.h>
#include <string.h>

#include "analyze/gpu/draw/gpu_drawing.h"
#include "analyze/support/pass_memory.h"
#include "base/map.h"

/* Rows of the table of steps begin with input, rank, device. */
enum { STEP_COLUMN = 3 };

/* The row of the table of steps with the first step of a device. */
static size_t first_step_row(const gpu_results *r, uint32_t device)
{
    const gpu_device *d = &r->facts.devices[device];
    size_t row = 0;
    for (uint32_t i = 0; i < d->input; i++) {
        uint32_t devices = r->facts.ranks[i].device_count;
        row += (size_t)r->steps.of_input[i].count * (devices ? devices : 1);
    }
    return row + (size_t)r->steps.of_input[d->input].count * (device - r->facts.ranks[d->input].first_device);
}

/* Steps with operations on the device, by the first of these. */
static pf_status draw_steps(gpu_canvas *c, uint32_t device)
{
    const gpu_device_steps *own = &c->r->steps.devices[device];
    const gpu_steps *steps = &c->r->steps.of_input[c->r->facts.devices[device].input];
    bool pattern = pf_gpu_has_cycles(&c->r->steps, c->r->facts.devices[device].input);
    pf_interval *list;
    const uint32_t *lane;
    PF_TRY(PF_PASS_ARRAY(c->drawing.arena, own->begun_count, list, c->err));
    for (uint32_t i = 0; i < own->begun_count; i++) {
        const gpu_times *t = &own->list[own->begun[i]].times;
        list[i] = (pf_interval){t->start, t->end};
    }
    uint32_t track = pf_drawing_lanes(
        &c->drawing, pattern ? "cycles" : "steps",
        pattern
            ? "The pattern that kernels repeat, which may be a step or a layer, from the first to the last device "
              "event of each cycle: its number, and whether it is steady, warm-up or an outlier in duration."
            : "Steps from the first to the last device event that they launched: the number, and whether the step "
              "is steady, warm-up or an outlier in duration. Arguments are the row of table gpu_steps; host_span_ns "
              "is the duration of its annotation on the host.",
        list, own->begun_count, &lane);
    size_t row = first_step_row(c->r, device);
    for (uint32_t i = 0; i < own->begun_count && track != PF_NONE; i++) {
        const gpu_step *step = &steps->list[own->begun[i]];
        const gpu_device_step *s = &own->list[own->begun[i]];
        pf_overlay_slice(c->f, track + lane[i], s->times.start, pf_drawing_length(s->times.span),
                         pf_findings_format(c->f, "%" PRId64 " %s", step->number, pf_gpu_step_mark_name(s->mark).ptr));
        pf_gpu_draw_cells(c, GPU_TABLE_STEPS, row + own->begun[i], STEP_COLUMN);
        if (steps->source == GPU_STEP_ANNOTATION) {
            pf_overlay_arg_int(c->f, PF_STR("host_span_ns"), pf_drawing_length(pf_interval_length(step->time)));
        }
    }
    return PF_OK;
}

/* The pieces of the path that the table has, end to end. */
static void draw_path(gpu_canvas *c, uint32_t device)
{
    enum { STEP = 2, KIND = 3, START = 5, LENGTH = 7 };
    const pf_table *t = pf_table_view(c->r->facts.table[GPU_TABLE_CRITICAL_PATH]);
    uint32_t track = PF_NONE, input = c->r->facts.devices[device].input;
    const gpu_shown_path *path = &c->r->path[input];
    for (size_t i = path->first; path->device == device && t && i < path->first + path->count; i++) {
        const pf_cell *cells = &t->cells[i * t->column_count];
        if (track == PF_NONE) {
            pf_str text = pf_findings_format(c->f,
                                             "The chain of work that set the end of %s %" PRId64
                                             ", by what it was at each moment. launch: from the call to the start of "
                                             "the operation; sync: the host waits for the device; wait: nothing "
                                             "explains it. Arguments are the row of table gpu_critical_path.",
                                             pf_gpu_has_cycles(&c->r->steps, input) ? "cycle" : "step", path->step);
            track = pf_drawing_slices(&c->drawing, "critical path", text.ptr);
        }
        pf_overlay_slice(c->f, track, cells[START].as.i, cells[LENGTH].as.i, cells[KIND].as.s);
        pf_gpu_draw_cells(c, GPU_TABLE_CRITICAL_PATH, i, STEP);
    }
}

static pf_status draw_exposed(gpu_canvas *c, const gpu_device *d)
{
    gpu_exposed exposed;
    PF_TRY(pf_gpu_exposed_sets(c, d, &exposed));
    const gpu_set *sets[] = {&exposed.communication, &exposed.memory};
    const pf_str names[] = {PF_STR("communication"), PF_STR("memcpy")};
    uint32_t track = PF_NONE;
    for (unsigned k = 0; k < 2; k++) {
        for (size_t i = 0; i < sets[k]->count; i++) {
            if (track == PF_NONE) {
                track = pf_drawing_slices(&c->drawing, "exposed",
                                          "communication: communication kernels without a compute kernel next to them, "
                                          "exposed_communication_ns of table gpu_devices in all; memcpy: memcpy and "
                                          "memset with neither, exposed_memcpy_ns.");
            }
            pf_interval at = sets[k]->list[i];
            pf_overlay_slice(c->f, track, at.start, pf_drawing_length(pf_interval_length(at)), names[k]);
        }
    }
    return PF_OK;
}

/* The gaps of all devices, and the rows of late calls. */
typedef struct gap_drawing {
    gpu_gap_list gaps; /* by device and time */
    size_t next;
    uint64_t flow;        /* of the arrow made last */
    uint32_t *late_calls; /* by thread: a row, or PF_NONE */
    uint32_t *own_row;    /* likewise the row of the thread itself */
    pf_map last;          /* by call: how long after its start its last instant is, in ns */
} gap_drawing;

/* Where the next instant inside of the call is: 1 ns after the start of the call or after the instant before, and not
 * where another slice of the row begins, because what begins with an instant or after it is inside of it. 0: nowhere,
 * or the call is not on its thread's own row. */
static uint32_t find_place(const gpu_facts *g, const gap_drawing *w, uint32_t call, uint32_t thread)
{
    const pf_tracks *k = pf_trace_tracks(g->trace);
    const pf_slices *s = pf_trace_slices(g->trace);
    uint32_t slice = g->calls.slice[call], track = s->track[slice], before = pf_map_get(&w->last, call);
    int64_t length = g->calls.end[call] - g->calls.start[call], at = before == PF_NONE ? 1 : (int64_t)before + 1;
    if (k->type[track] != PF_TRACK_THREAD_EXECUTION || k->utid[track] != thread) {
        return 0;
    }
    for (uint32_t i = slice + 1; i < s->count && pf_slice_ts(s, i) <= g->calls.start[call] + at && at < length; i++) {
        at += s->track[i] == track && pf_slice_ts(s, i) == g->calls.start[call] + at;
    }
    return at < length && at < PF_NONE ? (uint32_t)at : 0;
}

/* The row for what is said of a call. */
static uint32_t row_of_calls(gpu_canvas *c, gap_drawing *w, uint32_t thread, bool own)
{
    const pf_overlay_track rows[] = {
        {.kind = PF_OVERLAY_SLICES,
         .parent = PF_NONE,
         .anchor = PF_ANCHOR_THREAD,
         .anchor_id = thread,
         .name = PF_STR("late calls"),
         .description =
             PF_STR("Calls of this thread for which a device waited with nothing queued. An arrow joins each "
                    "with the gap; host_bound_ns is how much of it is due to the call.")},
        {.kind = PF_OVERLAY_OWN_ROW, .parent = PF_NONE, .anchor = PF_ANCHOR_THREAD, .anchor_id = thread}};
    uint32_t *known = own ? &w->own_row[thread] : &w->late_calls[thread];
    *known = *known == PF_NONE ? pf_overlay_add_track(c->f, &rows[own]) : *known;
    return *known;
}

/* An instant inside of the call that came too late, to which an arrow leads from the gap. */
static pf_status draw_late_call(gpu_canvas *c, gap_drawing *w, const gpu_listed_gap *l)
{
    const gpu_facts *g = &c->r->facts;
    uint32_t call = gpu_call_of(g, l->gap.after);
    if (l->thread == PF_NONE || l->gap.host == 0) {
        return PF_OK;
    }
    pf_str device = g->devices[l->device].label;
    uint32_t after = find_place(g, w, call, l->thread);
    PF_TRY(after ? pf_map_put(&w->last, call, after, c->err) : PF_OK);
    pf_overlay_flow(c->f, ++w->flow);
    pf_overlay_instant(c->f, row_of_calls(c, w, l->thread, after != 0), g->calls.start[call] + after,
                       after ? pf_findings_format(c->f, "late for %.*s", PF_TEXT_ARG(device))
                             : pf_trace_string(g->trace, g->calls.name[call]));
    pf_overlay_flow(c->f, w->flow);
    pf_overlay_arg_text(c->f, PF_STR("device"), device);
    pf_overlay_arg_int(c->f, PF_STR("host_bound_ns"), pf_drawing_length(l->gap.host));
    pf_gpu_draw_name(c, "launched", gpu_slice(&g->ops, l->gap.after));
    return PF_OK;
}

static pf_status draw_gaps(gpu_canvas *c, uint32_t device, gap_drawing *w)
{
    uint32_t track = PF_NONE;
    size_t first = w->next;
    for (; w->next < w->gaps.count && w->gaps.list[w->next].device == device; w->next++) {
        const gpu_listed_gap *l = &w->gaps.list[w->next];
        if (track == PF_NONE) {
            track = pf_drawing_slices(&c->drawing, "gaps",
                                      "Times of 1 us or more without device events, by their main cause. kernel wait: "
                                      "an operation was queued (its call had returned); host-bound: nothing was queued "
                                      "and the call of the next operation came then, to which an arrow leads; other: "
                                      "no call is known. host_operator and python_function are what the calling thread "
                                      "was in at the middle of the gap.");
        }
        pf_gpu_draw_gap(c, track, &l->gap);
        pf_gpu_draw_name(c, "host_operator", l->operator);
        pf_gpu_draw_name(c, "python_function", l->python);
        PF_TRY(draw_late_call(c, w, l));
    }
    pf_gpu_draw_host(c, w->gaps.list + first, w->next - first);
    return PF_OK;
}

static pf_status find_gaps(gpu_canvas *c, pf_arena *arena, gap_drawing *w)
{
    size_t threads = pf_trace_threads(c->r->facts.trace)->count;
    PF_TRY(PF_PASS_ARRAY(arena, threads, w->late_calls, c->err));
    PF_TRY(PF_PASS_ARRAY(arena, threads, w->own_row, c->err));
    memset(w->late_calls, 0xff, threads * sizeof *w->late_calls); /* PF_NONE */
    memset(w->own_row, 0xff, threads * sizeof *w->own_row);
    pf_map_init(&w->last, arena->budget);
    return pf_gpu_gaps_from(&c->r->facts, GPU_LEAST_GAP, arena, &w->gaps, c->err);
}

static pf_status draw_device(gpu_canvas *c, uint32_t device, gap_drawing *gaps)
{
    const gpu_facts *g = &c->r->facts;
    const gpu_device *d = &g->devices[device];
    const pf_overlay_track group = {.anchor = PF_ANCHOR_GLOBAL,
                                    .name = d->label,
                                    .description = PF_STR("Computed by postfetto analyze gpu from the device events."),
                                    .rank = (int32_t)device + (c->together != PF_NONE)};
    pf_drawing_group(&c->drawing, &group, PF_STR(""));
    if (device == 0 && g->unusable) {
        pf_drawing_note(
            &c->drawing, d->times.start,
            pf_findings_format(c->f, "%" PRIu32 " device events have no end and are left out", g->unusable));
    }
    PF_TRY(draw_steps(c, device));
    draw_path(c, device);
    PF_TRY(pf_gpu_draw_calls(c, device));
    PF_TRY(draw_exposed(c, d));
    PF_TRY(draw_gaps(c, device, gaps));
    PF_TRY(pf_gpu_draw_streams(c, d));
    PF_TRY(pf_gpu_draw_waits(c, device));
    pf_gpu_draw_stragglers(c, device);
    PF_TRY(c->together == PF_NONE ? pf_gpu_draw_counters(c, device) : PF_OK);
    return pf_gpu_draw_holders(c, device);
}

/* The group of all devices, before theirs. */
static pf_status draw_together(gpu_canvas *c)
{
    bool ranks = c->r->facts.rank_count > 1;
    const pf_overlay_track group = {.kind = PF_OVERLAY_GROUP,
                                    .parent = PF_NONE,
                                    .anchor = PF_ANCHOR_GLOBAL,
                                    .name = ranks ? PF_STR("all ranks") : PF_STR("all GPUs"),
                                    .description = PF_STR("What the devices do together, and their counters side by "
                                                          "side, computed by postfetto analyze gpu.")};
    if (c->r->facts.device_count < 2) {
        return PF_OK;
    }
    c->together = pf_overlay_add_track(c->f, &group);
    PF_TRY(pf_gpu_draw_collectives(c));
    return pf_gpu_compare_counters(c);
}

pf_status pf_gpu_draw(const gpu_results *r, pf_error *err)
{
    pf_findings *f = r->facts.f;
    gap_drawing gaps = {.flow = 0};
    pf_arena arena, scratch;
    pf_arena_init(&arena, r->facts.arena->budget);
    pf_arena_init(&scratch, r->facts.arena->budget);
    gpu_canvas c = {
        .r = r, .memory = &r->memory, .f = f, .drawing = {.f = f, .arena = &scratch}, .together = PF_NONE, .err = err};
    pf_status st = draw_together(&c);
    st = st == PF_OK ? find_gaps(&c, &arena, &gaps) : st;
    for (uint32_t i = 0; i < r->facts.device_count && st == PF_OK; i++) {
        pf_arena_reset(&scratch);
        st = draw_device(&c, i, &gaps);
    }
    st = st == PF_OK ? pf_gpu_draw_other_memory(&c) : st;
    if (st == PF_OK) {
        pf_gpu_draw_cupti(&c);
    }
    pf_map_free(&gaps.last);
    pf_arena_free(&scratch);
    pf_arena_free(&arena);
    return st;
}
