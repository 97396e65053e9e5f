/* analyze/gpu/draw/gpu_draw_counters.c - counters of devices. What a device was busy with are three shares of one
 * time on one scale: compute, communication without compute, memcpy and memset with neither. Viewers share a scale
 * among counters with one parent: so of several devices, a counter has a group in which each device is a row.
 */
#include "analyze/gpu/draw/gpu_drawing.h"
#include "analyze/support/pass_memory.h"

/* Points of a counter of shares; the shortest memcpy that has a bandwidth, ns: of shorter ones most is overhead. */
enum { MOST_WINDOWS = 2000, LEAST_COPY = 100000 };

/* A counter of a device: "WHAT" in the group of the device; else, where WHAT is the group, "GPU 0" or "GPU 0 PART". */
static uint32_t add_counter(gpu_canvas *c, uint32_t device, const char *what, const char *part, const char *unit,
                            const char *key, const char *description)
{
    pf_str label = c->r->facts.devices[device].label;
    if (c->together != PF_NONE) {
        pf_str name = pf_findings_format(c->f, "%.*s%s%s", PF_TEXT_ARG(label), *part ? " " : "", part);
        what = name.ptr ? name.ptr : "";
    }
    return pf_drawing_counter(&c->drawing, what, unit, key, description);
}

/* A share of time in windows of equal length, where there is any. */
static void draw_share(gpu_canvas *c, uint32_t device, const char *what, const gpu_set *set, const char *description)
{
    const gpu_device *d = &c->r->facts.devices[device];
    uint64_t window = d->times.span / MOST_WINDOWS + 1;
    window = window < 1000 ? 1000 : window;
    if (set->count == 0) {
        return;
    }
    pf_str text =
        pf_findings_format(c->f, "%s / duration of the window, in windows of %s from the device's first start on.",
                           description, pf_gpu_length_text(c->f, window));
    uint32_t track = add_counter(c, device, what, what, "%", "time", text.ptr);
    size_t cursor = 0;
    for (uint64_t at = 0; at < d->times.span; at += window) {
        uint64_t length = d->times.span - at < window ? d->times.span - at : window;
        int64_t start = (int64_t)((uint64_t)d->times.start + at), end = (int64_t)((uint64_t)start + length);
        uint64_t covered = pf_interval_covered(set->list, set->count, &cursor, start, end);
        pf_overlay_hold(c->f, track, start, end, pf_overlay_derived(100 * (double)covered / (double)length));
    }
}

static pf_status draw_shares(gpu_canvas *c, uint32_t device)
{
    const gpu_facts *g = &c->r->facts;
    gpu_set compute;
    gpu_exposed exposed;
    PF_TRY(pf_gpu_unite(g, &g->devices[device], GPU_COMPUTE, c->drawing.arena, &compute, c->err));
    PF_TRY(pf_gpu_exposed_sets(c, &g->devices[device], &exposed));
    draw_share(c, device, "compute", &compute, "Time with compute kernels");
    draw_share(c, device, "exposed communication", &exposed.communication,
               "Time with communication kernels and no compute kernel");
    draw_share(c, device, "memcpy", &exposed.memory, "Time with memcpy or memset and no kernel");
    return PF_OK;
}

static pf_status draw_queue(gpu_canvas *c, uint32_t device)
{
    gpu_queue_walk walk = pf_gpu_queue_walk(&c->r->facts.devices[device].queue);
    if (!walk.more) {
        return PF_OK;
    }
    uint32_t track = add_counter(c, device, "queue depth", "", "operations", "queue depth",
                                 "Operations whose call has returned and that have not started.");
    while (walk.more) {
        pf_overlay_sample(c->f, track, walk.next.ts, walk.next.open);
        pf_gpu_queue_go(&walk, walk.next.ts, walk.next.ts);
    }
    return PF_OK;
}

/* In the group of the device, or in that of the counter, where the device is the row. */
static void draw_rates(gpu_canvas *c, const gpu_device *d, pf_drawn_rate drawn, const pf_transfer *list, size_t n)
{
    drawn.what = c->together == PF_NONE ? drawn.what : d->label.ptr ? d->label.ptr : "";
    pf_drawing_rates(&c->drawing, &drawn, list, n);
}

static pf_status draw_bandwidth(gpu_canvas *c, uint32_t device)
{
    const gpu_facts *g = &c->r->facts;
    const gpu_device *d = &g->devices[device];
    pf_transfer *list;
    size_t n = 0;
    PF_TRY(PF_PASS_ARRAY(c->drawing.arena, d->op_count, list, c->err));
    for (uint32_t i = d->first_op; i < d->first_op + d->op_count; i++) {
        int64_t bytes = gpu_int(g, GPU_ARG_BYTES, i);
        if (g->ops.class[i] == GPU_MEMORY && bytes > 0 && gpu_length(&g->ops, i) >= LEAST_COPY) {
            list[n++] = (pf_transfer){g->ops.start[i], gpu_end(&g->ops, i), (uint64_t)bytes};
        }
    }
    draw_rates(c, d,
               (pf_drawn_rate){"memcpy bandwidth", "memcpy bandwidth",
                               "Bytes / duration of the memcpy and memset of 100 us or more that are under way, added "
                               "up (1 GB = 10^9 bytes). Of shorter ones most is overhead.",
                               NULL, 1},
               list, n);
    return PF_OK;
}

/* What matmul, convolution and attention compute, or move, while their kernels run: that of a call evenly over these.
 */
static pf_status draw_operators(gpu_canvas *c, uint32_t device, bool moved, pf_drawn_rate drawn)
{
    const gpu_facts *g = &c->r->facts;
    const gpu_device *d = &g->devices[device];
    const gpu_flops *f = &c->r->flops;
    pf_transfer *list;
    size_t n = 0;
    PF_TRY(PF_PASS_ARRAY(c->drawing.arena, f->of_op ? d->op_count : 0, list, c->err));
    for (uint32_t i = d->first_op; f->of_op && i < d->first_op + d->op_count; i++) {
        const gpu_flop_call *call = f->of_op[i] == PF_NONE ? NULL : &f->calls[f->of_op[i]];
        uint64_t length = gpu_length(&g->ops, i), all = !call ? 0 : moved ? call->bytes : call->flop;
        if (all && length) {
            pf_wide part = (pf_wide)all * length / call->device;
            list[n++] = (pf_transfer){g->ops.start[i], gpu_end(&g->ops, i), (uint64_t)part};
        }
    }
    draw_rates(c, d, drawn, list, n);
    return PF_OK;
}

#define OF_OPERATORS                                                                                                   \
    " of the matmul, convolution and attention operators whose kernels run, as table gpu_flops counts them from "      \
    "shapes "                                                                                                          \
    "and types, / duration of the kernels of the call."

static pf_status draw_throughput(gpu_canvas *c, uint32_t device)
{
    return draw_operators(c, device, false,
                          (pf_drawn_rate){"operator throughput", "operator throughput",
                                          "Floating-point operations" OF_OPERATORS, "TFLOP/s", 1000});
}

static pf_status draw_operands(gpu_canvas *c, uint32_t device)
{
    return draw_operators(c, device, true,
                          (pf_drawn_rate){"operator bandwidth", "operator bandwidth",
                                          "Bytes of the operands and results" OF_OPERATORS, NULL, 1});
}

static pf_status draw_memory(gpu_canvas *c, uint32_t device)
{
    const gpu_memory *m = c->memory;
    static const char *const what[] = {"memory allocated", "memory reserved"}, *const part[] = {"allocated",
                                                                                                "reserved"};
    for (unsigned k = 0; k < 2; k++) {
        uint32_t track = PF_NONE;
        for (uint32_t i = 0; i < m->count; i++) {
            const gpu_memory_row *row = &m->rows[i];
            if (row->device != device || row->bytes[k] < 0) {
                continue;
            }
            if (track == PF_NONE) {
                track = add_counter(c, device, what[k], part[k], "bytes", "memory",
                                    "Of the framework's allocator, as the profiler recorded it.");
            }
            pf_overlay_sample(c->f, track, row->ts, (double)row->bytes[k]);
        }
    }
    return PF_OK;
}

static const struct {
    pf_str name; /* of the group */
    pf_status (*draw)(gpu_canvas *c, uint32_t device);
} counters[] = {{{"time", 4}, draw_shares},
                {{"queue depth", 11}, draw_queue},
                {{"memcpy bandwidth", 16}, draw_bandwidth},
                {{"memory", 6}, draw_memory},
                {{"operator throughput", 19}, draw_throughput},
                {{"operator bandwidth", 18}, draw_operands}};
enum { COUNTERS = sizeof counters / sizeof *counters };

pf_status pf_gpu_draw_counters(gpu_canvas *c, uint32_t device)
{
    for (unsigned k = 0; k < COUNTERS; k++) {
        PF_TRY(counters[k].draw(c, device));
    }
    return PF_OK;
}

pf_status pf_gpu_compare_counters(gpu_canvas *c)
{
    for (unsigned k = 0; k < COUNTERS; k++) {
        const pf_overlay_track group = {
            .anchor = PF_ANCHOR_GLOBAL,
            .name = counters[k].name,
            .description = PF_STR("A row for each device, all on one scale, in the clock of its own recording."),
            .rank = c->rank++};
        pf_drawing_subgroup(&c->drawing, c->together, &group, PF_STR(""));
        for (uint32_t i = 0; i < c->r->facts.device_count; i++) {
            pf_arena_reset(c->drawing.arena);
            PF_TRY(counters[k].draw(c, i));
        }
    }
    return PF_OK;
}
