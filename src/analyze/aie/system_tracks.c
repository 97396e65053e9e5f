/* analyze/aie/system_tracks.c - what all cores did together as a group of its own:
 *
 *     AIE system
 *         system iterations             slices "3 perf", from the earliest start to the latest end of any core
 *         system marks                  the best and the worst iteration, as long as their runtimes
 *         system tile2,1 iterations     a row for each tile, so that they can be compared: "3 perf, slowest"
 *         system notes                  why there is nothing to see, if so
 *         system runtime, throughput    counters
 *
 * The span of an iteration on the clock and its runtime (the longest span of one core) differ where cores start at
 * different times. A slice of an iteration is as long as the span and says both; a mark stands for the runtime, so it
 * lies where the slowest core ran.
 */
#include "analyze/aie/aie.h"
#include "analyze/support/pass_memory.h"
#include "base/text/number.h"
#include "model/trace/trace.h"

/* The common iterations that have an extent, ascending by start, and their intervals. */
typedef struct common_list {
    const aie_common **common;
    pf_interval *time;
    size_t count;
} common_list;

static bool starts_after(const void *iterations, uint32_t a, uint32_t b)
{
    const aie_common *c = iterations;
    return c[a].start > c[b].start;
}

static pf_status order_common(const aie_result *r, common_list *out, pf_error *err)
{
    const aie_aggregate *a = r->aggregate;
    uint32_t *order, *scratch, n = 0;
    PF_TRY(PF_PASS_ARRAY(r->arena, a->count, order, err));
    PF_TRY(PF_PASS_ARRAY(r->arena, a->count, scratch, err));
    PF_TRY(PF_PASS_ARRAY(r->arena, a->count, out->common, err));
    PF_TRY(PF_PASS_ARRAY(r->arena, a->count, out->time, err));
    for (size_t i = 0; i < a->count; i++) {
        if (a->iteration[i].drawn) {
            order[n++] = (uint32_t)i;
        }
    }
    pf_sort_rows(order, scratch, n, starts_after, a->iteration);
    for (out->count = 0; out->count < n; out->count++) {
        const aie_common *c = &a->iteration[order[out->count]];
        out->common[out->count] = c;
        out->time[out->count] = (pf_interval){c->start, c->end};
    }
    return PF_OK;
}

static void add_numbers(pf_findings *f, const aie_common *c)
{
    uint64_t span = pf_interval_length((pf_interval){c->start, c->end});
    pf_overlay_arg_int(f, PF_STR("iteration"), (int64_t)c->index);
    pf_overlay_arg_int(f, PF_STR("runtime_cycles"), pf_drawing_length(c->runtime));
    pf_overlay_arg_int(f, PF_STR("span_cycles"), pf_drawing_length(span));
    pf_overlay_arg_int(f, PF_STR("skew_cycles"), pf_drawing_length(span - c->runtime));
    pf_overlay_arg_text(f, PF_STR("slowest"), c->slowest->tile);
    pf_overlay_arg_derived(f, PF_STR("gmacs_per_second"), c->gmacs_per_second);
}

static void draw_iterations(pf_drawing *d, const common_list *list)
{
    const uint32_t *lane;
    uint32_t first = pf_drawing_lanes(
        d, "iterations",
        "Iterations that all cores have, from the earliest start to the latest end of any core (span). runtime: the "
        "longest span of one core (slowest). skew: span - runtime.",
        list->time, list->count, &lane);
    for (size_t i = 0; i < list->count && first != PF_NONE; i++) {
        pf_overlay_slice(d->f, first + lane[i], list->time[i].start,
                         pf_drawing_length(pf_interval_length(list->time[i])),
                         pf_findings_format(d->f, "%zu perf", list->common[i]->index));
        add_numbers(d->f, list->common[i]);
    }
}

/* Where the slowest core ran. */
static pf_interval runtime_of(const aie_common *c)
{
    return (pf_interval){c->slowly->first_start, c->slowly->last_end};
}

static void draw_marks(const aie_aggregate *a, pf_drawing *d)
{
    const aie_common *best = &a->iteration[a->best], *worst = &a->iteration[a->worst];
    const aie_common *marked[2] = {best, worst};
    size_t n = best != worst && worst->drawn ? 2 : 1;
    if (n == 2 && runtime_of(worst).start < runtime_of(best).start) {
        marked[0] = worst;
        marked[1] = best;
    }
    pf_interval time[2];
    for (size_t i = 0; i < n; i++) {
        time[i] = runtime_of(marked[i]);
    }
    const uint32_t *lane;
    uint32_t track =
        pf_drawing_lanes(d, "marks",
                         "The iterations with the shortest and the longest runtime (the best and the worst "
                         "throughput), drawn where the slowest core ran: each as long as its runtime.",
                         time, n, &lane);
    for (size_t i = 0; i < n && track != PF_NONE; i++) {
        const char *what = best == worst ? "best and worst" : marked[i] == best ? "best" : "worst";
        pf_overlay_slice(d->f, track + lane[i], time[i].start, pf_drawing_length(pf_interval_length(time[i])),
                         pf_findings_format(d->f, "%s iteration %zu", what, marked[i]->index));
        add_numbers(d->f, marked[i]);
    }
}

/* Whether an iteration of a core is the one that the runtime of all is. */
static bool is_slowest(const aie_aggregate *a, const aie_iteration *it, size_t index)
{
    bool common = a->count && index >= a->iteration[0].index && index - a->iteration[0].index < a->count;
    return common && a->iteration[index - a->iteration[0].index].slowly == it;
}

static void draw_tile(const aie_result *r, const aie_core *c, pf_drawing *d)
{
    uint32_t track = PF_NONE;
    pf_str what = pf_findings_format(d->f, "%.*s iterations", PF_TEXT_ARG(c->tile));
    for (size_t i = 0; what.ptr && i < c->iteration_count; i++) {
        const aie_iteration *it = &c->iterations[i];
        if (it->calls.count == 0) {
            continue;
        }
        if (track == PF_NONE) {
            track = pf_drawing_slices(d, what.ptr,
                                      "Iterations of this tile, from its first kernel's start to its last one's end, "
                                      "next to those of the others; \"slowest\": its span is the runtime of all.");
        }
        pf_str phase = aie_phase(c, i);
        pf_overlay_slice(d->f, track, it->first_start, pf_drawing_length(it->span),
                         pf_findings_format(d->f, "%zu %.*s%s", i, PF_TEXT_ARG(phase),
                                            is_slowest(r->aggregate, it, i) ? ", slowest" : ""));
        pf_overlay_arg_int(d->f, PF_STR("iteration"), (int64_t)i);
        pf_overlay_arg_int(d->f, PF_STR("span_cycles"), pf_drawing_length(it->span));
        pf_overlay_arg_derived(d->f, PF_STR("gmacs_per_second"), it->gmacs_per_second);
        pf_overlay_arg_derived(d->f, PF_STR("any_stall_percent"), it->stalled.percent[AIE_ANY_STALL]);
    }
}

/* A value of every common iteration from its start to its end, or until the next one starts. */
static void draw_counter(pf_drawing *d, uint32_t track, const common_list *list, bool runtime)
{
    for (size_t i = 0; i < list->count; i++) {
        const aie_common *c = list->common[i];
        int64_t next = i + 1 < list->count ? list->time[i + 1].start : c->end;
        pf_overlay_hold(d->f, track, c->start, next < c->end ? next : c->end,
                        runtime ? (double)c->runtime : pf_overlay_derived(c->gmacs_per_second));
    }
}

static void draw_counters(pf_drawing *d, const common_list *list)
{
    draw_counter(d,
                 pf_drawing_counter(d, "runtime", "cycles", NULL,
                                    "The longest span of one core in the iteration that is running; 0 between "
                                    "iterations."),
                 list, true);
    draw_counter(d,
                 pf_drawing_counter(d, "throughput", "GMAC/s", NULL,
                                    "M * K * N * clock / runtime of the iteration that is running; 0 between "
                                    "iterations."),
                 list, false);
}

void pf_aie_draw_system(const aie_result *r, pf_drawing *d)
{
    const aie_aggregate *a = r->aggregate;
    char clock[PF_NUMBER_MAX];
    pf_format_real(r->parameters->clock_ghz, clock);
    const pf_overlay_track group = {
        .anchor = PF_ANCHOR_GLOBAL,
        .anchor_id = PF_NONE,
        .name = r->name.len ? pf_findings_format(d->f, "AIE system %.*s", PF_TEXT_ARG(r->name)) : PF_STR("AIE system"),
        .description =
            pf_findings_format(d->f,
                               "All %zu cores together, in the iterations that all of them have; the slowest core "
                               "counts. 1 ns on the axis = 1 cycle at %s GHz.",
                               r->cores->count, clock)};
    pf_drawing_group(d, &group,
                     r->name.len ? pf_findings_format(d->f, "%.*s system", PF_TEXT_ARG(r->name)) : PF_STR("system"));
    common_list list = {.count = 0};
    pf_error err;
    if (a->count && order_common(r, &list, &err) != PF_OK) {
        pf_findings_fail(d->f, &err);
    }
    bool drawn = list.count > 0;
    if (drawn) {
        draw_iterations(d, &list);
        draw_marks(a, d);
    }
    for (size_t i = 0; r->cores->count > 1 && i < r->cores->count; i++) {
        draw_tile(r, &r->cores->core[i], d);
    }
    pf_aie_draw_notes(r, r->cores->count, d);
    if (drawn) {
        draw_counters(d, &list);
    }
}
