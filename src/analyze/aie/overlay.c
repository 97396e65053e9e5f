/* overlay.c - the findings as tracks in the trace.
 *
 * Every core gets a group under its process:
 *     tile2,1 analysis
 *         tile2,1 iterations          slices "perf 3"; an empty iteration is an instant at the boundary that closed it
 *         tile2,1 kernels             slices "kernel" with index, cycles, iteration, phase and marks
 *         tile2,1 LOCK stalls         slices per kind of stall; stalls that overlap go onto further lanes
 *         tile2,1 kernel duration, throughput, utilisation, stall share      counters
 * and all cores together one global group "AIE system". A counter holds the value of an iteration from its first start
 * to its last end and is 0 in between. The numbers are those of the reports; shares are shown in percent.
 */
#include <inttypes.h>
#include <string.h>

#include "analyze/aie/aie.h"
#include "analyze/lanes.h"
#include "analyze/passes.h"
#include "model/findings.h"

typedef struct drawing {
    const aie_result *r;
    pf_findings *f;
    uint32_t group; /* the group track in hand, PF_NONE while it has no child */
    pf_overlay_track group_track;
    int32_t rank;
} drawing;

static pf_str text_of(const char *s)
{
    return (pf_str){s, strlen(s)};
}

static int64_t shown_length(uint64_t v)
{
    return v > INT64_MAX ? INT64_MAX : (int64_t)v;
}

/* ---- tracks ------------------------------------------------------------------------------------------------------ */

/* A child of the group in hand. The group itself is made with its first child: an empty group would be noise. */
static uint32_t add_track(drawing *d, pf_overlay_kind kind, pf_str name, const char *unit, const char *description)
{
    if (d->group == PF_NONE) {
        d->group = pf_overlay_add_track(d->f, &d->group_track);
    }
    pf_overlay_track t = d->group_track;
    t.kind = kind;
    t.parent = d->group;
    t.name = name;
    t.description = description ? text_of(description) : (pf_str){NULL, 0};
    t.unit = text_of(unit);
    t.rank = d->rank++;
    return pf_overlay_add_track(d->f, &t);
}

static void begin_group(drawing *d, pf_anchor anchor, uint32_t upid, pf_str name, pf_str description, int32_t rank)
{
    d->group = PF_NONE;
    d->rank = 0;
    d->group_track = (pf_overlay_track){.kind = PF_OVERLAY_GROUP,
                                        .parent = PF_NONE,
                                        .anchor = anchor,
                                        .anchor_id = upid,
                                        .name = name,
                                        .description = description,
                                        .rank = rank};
}

/* "name", "name 2", "name 3", ...: one slice track per lane. Returns the first; the others follow it directly. */
static uint32_t add_lanes(drawing *d, pf_str name, uint32_t lanes, const char *description)
{
    uint32_t first = add_track(d, PF_OVERLAY_SLICES, name, "", description);
    for (uint32_t i = 1; i < lanes; i++) {
        add_track(d, PF_OVERLAY_SLICES, aie_text(d->r, d->f, "%.*s %" PRIu32, AIE_TEXT_ARG(name), i + 1), "",
                  description);
    }
    return first;
}

/* The lane of each interval; NULL if memory was refused. */
static const uint32_t *assign_lanes(drawing *d, const pf_interval *list, size_t n, uint32_t *lanes)
{
    pf_error err;
    uint32_t *lane = aie_alloc(d->r->arena, n, sizeof *lane, &err);
    pf_lane_slot *scratch = lane ? aie_alloc(d->r->arena, n, sizeof *scratch, &err) : NULL;
    if (!scratch) {
        pf_findings_fail(d->f, &err);
        return NULL;
    }
    *lanes = pf_lanes_assign(list, n, lane, scratch);
    return lane;
}

/* ---- one core: slices -------------------------------------------------------------------------------------------- */

static void draw_iterations(drawing *d, const aie_core *c)
{
    pf_findings *f = d->f;
    uint32_t track = add_track(d, PF_OVERLAY_SLICES, aie_text(d->r, f, "%.*s iterations", AIE_TEXT_ARG(c->tile)), "",
                               "from the first kernel's start to the last kernel's end");
    for (size_t i = 0; i < c->iteration_count; i++) {
        const aie_iteration *it = &c->iterations[i];
        const char *phase = aie_phase(c, i);
        if (it->calls.count == 0) {
            pf_overlay_instant(f, track, it->calls.closed_at, aie_text(d->r, f, "%s %zu (empty)", phase, i));
            pf_overlay_arg_int(f, PF_STR("iteration"), (int64_t)i);
            pf_overlay_arg_text(f, PF_STR("phase"), text_of(phase));
            continue;
        }
        pf_overlay_slice(f, track, it->first_start, shown_length(it->span), aie_text(d->r, f, "%s %zu", phase, i));
        pf_overlay_arg_int(f, PF_STR("iteration"), (int64_t)i);
        pf_overlay_arg_text(f, PF_STR("phase"), text_of(phase));
        pf_overlay_arg_int(f, PF_STR("kernels"), (int64_t)it->calls.count);
        pf_overlay_arg_int(f, PF_STR("span_cycles"), shown_length(it->span));
        pf_overlay_arg_real(f, PF_STR("gmacs_per_second"), it->gmacs_per_second);
        pf_overlay_arg_real(f, PF_STR("utilisation_percent"), it->utilisation_percent);
        for (unsigned k = 0; k < AIE_STALL_KINDS; k++) {
            if (c->stall_count[k]) {
                pf_overlay_arg_real(f, aie_text(d->r, f, "stall_share_%s", aie_kind_name[k]), it->stall_share[k]);
            }
        }
        pf_overlay_arg_real(f, PF_STR("any_stall_share"), it->any_stall_share);
        pf_overlay_arg_real(f, PF_STR("vector_share"), it->vector_share);
    }
}

/* Marks of a kernel, separated by commas: its place in the iteration, and the extremes of the core. */
enum { MARK_FIRST = 1, MARK_LAST = 2, MARK_SHORTEST = 4, MARK_LONGEST = 8 };

static void mark_kernel(pf_findings *f, unsigned marks)
{
    static const char *const names[] = {"first", "last", "shortest", "longest"};
    char text[40], *at = text;
    for (unsigned i = 0; i < 4; i++) {
        if (marks & (1u << i)) {
            at = stpcpy(stpcpy(at, at == text ? "" : ","), names[i]);
        }
    }
    if (marks) {
        pf_overlay_arg_text(f, PF_STR("marks"), (pf_str){text, (size_t)(at - text)});
    }
}

static void draw_kernels(drawing *d, const aie_core *c)
{
    pf_findings *f = d->f;
    uint32_t track = add_track(d, PF_OVERLAY_SLICES, aie_text(d->r, f, "%.*s kernels", AIE_TEXT_ARG(c->tile)), "",
                               "kernel calls, from the entry pulse to the exit pulse");
    size_t shortest = 0, longest = 0;
    for (size_t k = 1; k < c->kernel_count; k++) {
        uint64_t length = pf_interval_length(c->kernels[k]);
        shortest = length < pf_interval_length(c->kernels[shortest]) ? k : shortest;
        longest = length > pf_interval_length(c->kernels[longest]) ? k : longest;
    }
    for (size_t i = 0; i < c->iteration_count; i++) {
        const pf_iteration *calls = &c->iterations[i].calls;
        pf_str phase = text_of(aie_phase(c, i));
        for (size_t k = calls->first; k < calls->first + calls->count; k++) {
            int64_t length = shown_length(pf_interval_length(c->kernels[k]));
            pf_overlay_slice(f, track, c->kernels[k].start, length, PF_STR("kernel"));
            pf_overlay_arg_int(f, PF_STR("index"), (int64_t)k);
            pf_overlay_arg_int(f, PF_STR("cycles"), length);
            pf_overlay_arg_int(f, PF_STR("iteration"), (int64_t)i);
            pf_overlay_arg_text(f, PF_STR("phase"), phase);
            mark_kernel(f, (k == calls->first ? MARK_FIRST : 0) |
                               (k == calls->first + calls->count - 1 ? MARK_LAST : 0) |
                               (k == shortest ? MARK_SHORTEST : 0) | (k == longest ? MARK_LONGEST : 0));
        }
    }
}

static void draw_stalls(drawing *d, const aie_core *c, unsigned kind)
{
    pf_findings *f = d->f;
    uint32_t lanes;
    size_t n = c->stall_count[kind];
    const uint32_t *lane = n ? assign_lanes(d, c->stalls[kind], n, &lanes) : NULL;
    if (!lane) {
        return;
    }
    pf_str name = aie_text(d->r, f, "%.*s %s stalls", AIE_TEXT_ARG(c->tile), aie_kind_name[kind]);
    uint32_t first = add_lanes(d, name, lanes, NULL);
    for (size_t i = 0; i < n; i++) {
        pf_interval stall = c->stalls[kind][i];
        pf_overlay_slice(f, first + lane[i], stall.start, shown_length(pf_interval_length(stall)),
                         text_of(aie_kind_event[kind]));
        if (kind == AIE_LOCK && c->kernel_count && pf_stall_separates(stall, c->threshold)) {
            pf_overlay_arg_text(f, PF_STR("marks"), PF_STR("iteration boundary"));
        }
    }
}

/* ---- one core: counters ------------------------------------------------------------------------------------------ */

static void draw_durations(drawing *d, const aie_core *c)
{
    pf_findings *f = d->f;
    uint32_t track = add_track(d, PF_OVERLAY_COUNTER, aie_text(d->r, f, "%.*s kernel duration", AIE_TEXT_ARG(c->tile)),
                               "cycles", "duration of the kernel that started last");
    for (size_t k = 0; k < c->kernel_count; k++) {
        pf_overlay_sample(f, track, c->kernels[k].start, (double)pf_interval_length(c->kernels[k]));
    }
    pf_overlay_sample(f, track, c->kernels[c->kernel_count - 1].end, 0);
}

/* Which value of an iteration a counter shows. */
typedef enum measure { THROUGHPUT, UTILISATION, ANY_STALL, KIND_STALL } measure;

static double value_of(const aie_iteration *it, measure what, unsigned kind)
{
    switch (what) {
    case THROUGHPUT:
        return it->gmacs_per_second;
    case UTILISATION:
        return it->utilisation_percent;
    case ANY_STALL:
        return 100 * it->any_stall_share;
    default:
        return 100 * it->stall_share[kind];
    }
}

/* Kernels of one core are apart, so an iteration never starts before the one before it has been closed with 0. */
static void draw_measure(drawing *d, const aie_core *c, pf_str name, const char *unit, measure what, unsigned kind)
{
    uint32_t track = add_track(d, PF_OVERLAY_COUNTER, name, unit, NULL);
    for (size_t i = 0; i < c->iteration_count; i++) {
        const aie_iteration *it = &c->iterations[i];
        if (it->calls.count) {
            pf_overlay_sample(d->f, track, it->first_start, value_of(it, what, kind));
            pf_overlay_sample(d->f, track, it->last_end, 0);
        }
    }
}

static void draw_measures(drawing *d, const aie_core *c)
{
    const aie_result *r = d->r;
    pf_findings *f = d->f;
    draw_durations(d, c);
    draw_measure(d, c, aie_text(r, f, "%.*s throughput", AIE_TEXT_ARG(c->tile)), "GMAC/s", THROUGHPUT, 0);
    draw_measure(d, c, aie_text(r, f, "%.*s utilisation", AIE_TEXT_ARG(c->tile)), "%", UTILISATION, 0);
    draw_measure(d, c, aie_text(r, f, "%.*s stall share", AIE_TEXT_ARG(c->tile)), "%", ANY_STALL, 0);
    for (unsigned k = 0; k < AIE_STALL_KINDS; k++) {
        if (c->stall_count[k]) {
            pf_str name = aie_text(r, f, "%.*s %s stall share", AIE_TEXT_ARG(c->tile), aie_kind_name[k]);
            draw_measure(d, c, name, "%", KIND_STALL, k);
        }
    }
}

static void draw_core(drawing *d, const aie_core *c)
{
    pf_str name = aie_text(d->r, d->f, "%.*s" AIE_GROUP_ENDING, AIE_TEXT_ARG(c->tile));
    pf_str about = c->note.ptr
                       ? c->note
                       : aie_text(d->r, d->f, "%zu kernels in %zu iterations", c->kernel_count, c->iteration_count);
    begin_group(d, PF_ANCHOR_PROCESS, c->upid, name, about, 0);
    if (c->kernel_count) {
        draw_iterations(d, c);
        draw_kernels(d, c);
    }
    for (unsigned k = 0; k < AIE_STALL_KINDS; k++) {
        draw_stalls(d, c, k);
    }
    if (c->kernel_count) {
        draw_measures(d, c);
    }
}

/* ---- all cores --------------------------------------------------------------------------------------------------- */

/* The common iterations that have an extent, ascending by start: positions in the aggregate, and their intervals. */
static size_t order_common(drawing *d, uint32_t **order, pf_interval **list)
{
    const aie_aggregate *a = d->r->aggregate;
    pf_arena *arena = d->r->arena;
    pf_error err;
    uint32_t *at = aie_alloc(arena, a->count, sizeof *at, &err);
    uint32_t *sorted = at ? aie_alloc(arena, a->count, sizeof *sorted, &err) : NULL;
    uint32_t *scratch = sorted ? aie_alloc(arena, a->count, sizeof *scratch, &err) : NULL;
    int64_t *starts = scratch ? aie_alloc(arena, a->count, sizeof *starts, &err) : NULL;
    *list = starts ? aie_alloc(arena, a->count, sizeof **list, &err) : NULL;
    if (!*list) {
        pf_findings_fail(d->f, &err);
        return 0;
    }
    size_t n = 0;
    for (size_t i = 0; i < a->count; i++) {
        if (a->iteration[i].drawn) {
            starts[n] = a->iteration[i].start;
            at[n++] = (uint32_t)i;
        }
    }
    pf_sort_order(starts, n, sorted, scratch);
    for (size_t i = 0; i < n; i++) {
        sorted[i] = at[sorted[i]];
        (*list)[i] = (pf_interval){a->iteration[sorted[i]].start, a->iteration[sorted[i]].end};
    }
    *order = sorted;
    return n;
}

/* The value of a common iteration from its start until the next one starts or, if that leaves a gap, until its end. */
static void draw_system_counter(drawing *d, const char *name, const char *unit, const uint32_t *order, size_t n,
                                bool runtime)
{
    const aie_common *list = d->r->aggregate->iteration;
    uint32_t track = add_track(d, PF_OVERLAY_COUNTER, text_of(name), unit, NULL);
    for (size_t i = 0; i < n; i++) {
        const aie_common *c = &list[order[i]];
        pf_overlay_sample(d->f, track, c->start, runtime ? (double)c->runtime : c->gmacs_per_second);
        if (i + 1 == n || list[order[i + 1]].start > c->end) {
            pf_overlay_sample(d->f, track, c->end, 0);
        }
    }
}

static void draw_system(drawing *d)
{
    const aie_aggregate *a = d->r->aggregate;
    pf_findings *f = d->f;
    uint32_t *order;
    pf_interval *list;
    uint32_t lanes = 0;
    size_t n = a->count ? order_common(d, &order, &list) : 0;
    const uint32_t *lane = n ? assign_lanes(d, list, n, &lanes) : NULL;
    if (!lane) {
        return;
    }
    begin_group(d, PF_ANCHOR_GLOBAL, PF_NONE, PF_STR("AIE system"),
                PF_STR("iterations that all cores have: the slowest core counts"), 0);
    uint32_t first =
        add_lanes(d, PF_STR("system iterations"), lanes, "from the earliest start to the latest end of all cores");
    for (size_t i = 0; i < n; i++) {
        const aie_common *c = &a->iteration[order[i]];
        pf_overlay_slice(f, first + lane[i], c->start, shown_length(pf_interval_length(list[i])),
                         aie_text(d->r, f, "perf %zu", c->index));
        pf_overlay_arg_int(f, PF_STR("iteration"), (int64_t)c->index);
        pf_overlay_arg_int(f, PF_STR("runtime_cycles"), shown_length(c->runtime));
        pf_overlay_arg_real(f, PF_STR("gmacs_per_second"), c->gmacs_per_second);
    }
    uint32_t marks = add_track(d, PF_OVERLAY_SLICES, PF_STR("system marks"), "", "the best and the worst iteration");
    const aie_common *best = &a->iteration[a->best], *worst = &a->iteration[a->worst];
    if (best->drawn) {
        pf_overlay_instant(f, marks, best->start, aie_text(d->r, f, "best iteration %zu", best->index));
        pf_overlay_arg_real(f, PF_STR("gmacs_per_second"), best->gmacs_per_second);
    }
    if (worst->drawn) {
        pf_overlay_instant(f, marks, worst->start, aie_text(d->r, f, "worst iteration %zu", worst->index));
        pf_overlay_arg_real(f, PF_STR("gmacs_per_second"), worst->gmacs_per_second);
    }
    draw_system_counter(d, "system runtime", "cycles", order, n, true);
    draw_system_counter(d, "system throughput", "GMAC/s", order, n, false);
}

void aie_draw(const aie_result *r, pf_findings *f)
{
    drawing d = {.r = r, .f = f};
    draw_system(&d);
    for (size_t i = 0; i < r->cores->count; i++) {
        draw_core(&d, &r->cores->core[i]);
    }
    pf_str parameters = pf_pass_parameters(&pf_pass_aie, r->ctx->values, r->arena);
    if (!parameters.ptr) {
        pf_error err;
        pf_budget_refused(r->arena->budget, 1024, &err);
        pf_findings_fail(f, &err);
    }
    pf_findings_attribute_text(f, PF_STR("postfetto.version"), text_of(pf_version()));
    pf_findings_attribute_text(f, PF_STR("postfetto.pass"), PF_STR("aie"));
    pf_findings_attribute_text(f, PF_STR("postfetto.parameters"), parameters);
}
