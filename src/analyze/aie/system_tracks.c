/* analyze/aie/system_tracks.c - what all cores did together as a group of its own:
 *
 *     AIE system
 *         system iterations             slices "3 perf", from the earliest start to the latest end of any core
 *         system marks                  the best and the worst iteration, as long as their runtimes
 *         system notes                  why there is nothing to see, if so
 *         system runtime, throughput    counters
 *
 * The span of an iteration on the clock and its runtime (the longest span of one core) differ where cores start at
 * different times. A slice of an iteration is as long as the span and says both; a mark stands for the runtime, so it
 * lies where the slowest core ran.
 */
#include <inttypes.h>

#include "analyze/aie/aie_steps.h"
#include "analyze/support/pass_memory.h"
#include "base/text/number.h"

/* The common iterations that have an extent, ascending by start, and their intervals. */
typedef struct common_list {
    const aie_common **common;
    pf_interval *time;
    size_t count;
} common_list;

static bool order_common(const aie_result *r, pf_findings *f, common_list *out)
{
    const aie_aggregate *a = r->aggregate;
    pf_arena *arena = r->arena;
    pf_error err;
    uint32_t *at = pf_pass_array(arena, a->count, sizeof *at, &err);
    uint32_t *order = at ? pf_pass_array(arena, a->count, sizeof *order, &err) : NULL;
    uint32_t *scratch = order ? pf_pass_array(arena, a->count, sizeof *scratch, &err) : NULL;
    int64_t *starts = scratch ? pf_pass_array(arena, a->count, sizeof *starts, &err) : NULL;
    out->common = starts ? pf_pass_array(arena, a->count, sizeof *out->common, &err) : NULL;
    out->time = out->common ? pf_pass_array(arena, a->count, sizeof *out->time, &err) : NULL;
    if (!out->time) {
        pf_findings_fail(f, &err);
        return false;
    }
    out->count = 0;
    for (size_t i = 0; i < a->count; i++) {
        if (a->iteration[i].drawn) {
            starts[out->count] = a->iteration[i].start;
            at[out->count++] = (uint32_t)i;
        }
    }
    pf_sort_order(starts, out->count, order, scratch);
    for (size_t i = 0; i < out->count; i++) {
        const aie_common *c = &a->iteration[at[order[i]]];
        out->common[i] = c;
        out->time[i] = (pf_interval){c->start, c->end};
    }
    return true;
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
                         pf_pass_text(d->arena, d->f, "%zu perf", list->common[i]->index));
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
                         pf_pass_text(d->arena, d->f, "%s iteration %zu", what, marked[i]->index));
        add_numbers(d->f, marked[i]);
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

static void draw_notes(const aie_result *r, pf_drawing *d)
{
    for (size_t i = r->warnings->first[r->cores->count]; i < r->warnings->count; i++) {
        pf_drawing_note(d, r->warnings->list[i].ts, r->warnings->list[i].text);
    }
}

void pf_aie_draw_system(const aie_result *r, pf_drawing *d)
{
    const aie_aggregate *a = r->aggregate;
    char clock[PF_NUMBER_MAX];
    pf_format_real(r->parameters->clock_ghz, clock);
    const pf_overlay_track group = {
        .anchor = PF_ANCHOR_GLOBAL,
        .anchor_id = PF_NONE,
        .name =
            r->name.len ? pf_pass_text(d->arena, d->f, "AIE system %.*s", PF_TEXT_ARG(r->name)) : PF_STR("AIE system"),
        .description = pf_pass_text(d->arena, d->f,
                                    "All %zu cores together, in the iterations that all of them have; the slowest core "
                                    "counts. 1 ns on the axis = 1 cycle at %s GHz.",
                                    r->cores->count, clock)};
    pf_drawing_group(
        d, &group, r->name.len ? pf_pass_text(d->arena, d->f, "%.*s system", PF_TEXT_ARG(r->name)) : PF_STR("system"));
    common_list list = {.count = 0};
    bool drawn = a->count && order_common(r, d->f, &list) && list.count;
    if (drawn) {
        draw_iterations(d, &list);
        draw_marks(a, d);
    }
    draw_notes(r, d);
    if (drawn) {
        draw_counters(d, &list);
    }
}
