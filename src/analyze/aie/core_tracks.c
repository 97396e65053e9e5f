/* analyze/aie/core_tracks.c - the findings of one core as tracks in the trace.
 *
 * Every core has a group under its process:
 *     tile2,1 analysis
 *         tile2,1 iterations            slices "3 perf"; an empty iteration is an instant at the stall that closed it
 *         tile2,1 kernels               slices "kernel", "longest kernel", "shortest kernel"
 *         tile2,1 stalls in iterations  all kinds merged, named by the kinds: "LOCK", "LOCK+STREAM"
 *         tile2,1 between iterations    what no lock stall explains of the gaps: "no stall", "STREAM"
 *         tile2,1 notes                 warnings about the recording, as instants
 *         tile2,1 kernel duration, throughput, utilisation, stall shares      counters
 * Recorded rows are not repeated: where one kind of stall was recorded without a flaw, there is no row of stalls. The
 * numbers are those of the reports; what is derived is rounded, and every share is a percentage.
 */
#include <stddef.h>
#include <string.h>

#include "analyze/aie/aie.h"
#include "analyze/support/pass_memory.h"
#include "base/text/number.h"

typedef struct core_drawing {
    const aie_result *r;
    const aie_core *c;
    pf_drawing *d;
    pf_findings *f;
} core_drawing;

static void add_stalled(const core_drawing *w, const aie_stalled *stalled)
{
    for (unsigned k = 0; k < AIE_STALL_KINDS; k++) {
        if (w->c->stall_count[k]) {
            pf_str kind = aie_stall_name(k);
            pf_overlay_arg_derived(w->f, pf_findings_format(w->f, "stall_percent_%.*s", PF_TEXT_ARG(kind)),
                                   stalled->percent[k]);
        }
    }
    pf_overlay_arg_derived(w->f, PF_STR("any_stall_percent"), stalled->percent[AIE_ANY_STALL]);
}

static void draw_iterations(const core_drawing *w)
{
    pf_findings *f = w->f;
    uint32_t track = pf_drawing_slices(
        w->d, "iterations",
        "Iterations by number and phase, each from its first kernel's start to its last kernel's end (span). They are "
        "cut at the ends of long lock stalls, which last at least --stall-factor median kernels. An instant is an "
        "iteration without kernels, at the stall that closed it.");
    for (size_t i = 0; i < w->c->iteration_count; i++) {
        const aie_iteration *it = &w->c->iterations[i];
        pf_str phase = aie_phase(w->c, i);
        if (it->calls.count == 0) {
            pf_overlay_instant(f, track, it->calls.closed_at,
                               pf_findings_format(f, "%zu %.*s, empty", i, PF_TEXT_ARG(phase)));
        } else {
            pf_overlay_slice(f, track, it->first_start, pf_drawing_length(it->span),
                             pf_findings_format(f, "%zu %.*s", i, PF_TEXT_ARG(phase)));
        }
        pf_overlay_arg_int(f, PF_STR("iteration"), (int64_t)i);
        pf_overlay_arg_text(f, PF_STR("phase"), phase);
        if (it->calls.count) {
            pf_overlay_arg_int(f, PF_STR("kernels"), (int64_t)it->calls.count);
            pf_overlay_arg_int(f, PF_STR("span_cycles"), pf_drawing_length(it->span));
            pf_overlay_arg_derived(f, PF_STR("gmacs_per_second"), it->gmacs_per_second);
            pf_overlay_arg_derived(f, PF_STR("utilisation_percent"), it->utilisation_percent);
            add_stalled(w, &it->stalled);
            pf_overlay_arg_derived(f, PF_STR("vector_percent"), it->vector_percent);
        }
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

/* The first kernel of the least and of the greatest length; both PF_NONE where all are equally long. */
static void find_extremes(const aie_core *c, size_t *shortest, size_t *longest)
{
    *shortest = *longest = 0;
    for (size_t k = 1; k < c->kernel_count; k++) {
        uint64_t length = pf_interval_length(c->kernels[k]);
        *shortest = length < pf_interval_length(c->kernels[*shortest]) ? k : *shortest;
        *longest = length > pf_interval_length(c->kernels[*longest]) ? k : *longest;
    }
    if (*shortest == *longest) {
        *shortest = *longest = SIZE_MAX;
    }
}

static void draw_kernels(const core_drawing *w)
{
    pf_findings *f = w->f;
    const aie_core *c = w->c;
    uint32_t track = pf_drawing_slices(w->d, "kernels",
                                       "Kernel calls, from the entry pulse (INSTR_EVENT_0) to the exit pulse "
                                       "(INSTR_EVENT_1). The longest and the shortest of the core say so.");
    size_t shortest, longest;
    find_extremes(c, &shortest, &longest);
    for (size_t i = 0; i < c->iteration_count; i++) {
        const pf_iteration *calls = &c->iterations[i].calls;
        for (size_t k = calls->first; k < calls->first + calls->count; k++) {
            int64_t length = pf_drawing_length(pf_interval_length(c->kernels[k]));
            pf_overlay_slice(f, track, c->kernels[k].start, length,
                             k == longest    ? PF_STR("longest kernel")
                             : k == shortest ? PF_STR("shortest kernel")
                                             : PF_STR("kernel"));
            pf_overlay_arg_int(f, PF_STR("index"), (int64_t)k);
            pf_overlay_arg_int(f, PF_STR("cycles"), length);
            pf_overlay_arg_int(f, PF_STR("iteration"), (int64_t)i);
            pf_overlay_arg_text(f, PF_STR("phase"), aie_phase(c, i));
            mark_kernel(f, (k == calls->first ? MARK_FIRST : 0) |
                               (k == calls->first + calls->count - 1 ? MARK_LAST : 0) |
                               (k == shortest ? MARK_SHORTEST : 0) | (k == longest ? MARK_LONGEST : 0));
        }
    }
}

/* Whether a row of merged stalls says more than the recorded rows. */
static bool merges(const aie_core *c)
{
    unsigned kinds = 0;
    for (unsigned k = 0; k < AIE_STALL_KINDS; k++) {
        kinds += c->stall_count[k] > 0;
    }
    return kinds > 1 || (kinds == 1 && c->stalls_repaired);
}

/* The kinds in a set of bits, joined: "LOCK+STREAM". */
static pf_str name_kinds(unsigned set, char room[40])
{
    char *at = room;
    for (unsigned k = 0; k < AIE_STALL_KINDS; k++) {
        if (set & (1u << k)) {
            at = stpcpy(stpcpy(at, at == room ? "" : "+"), aie_stall_name(k).ptr);
        }
    }
    return (pf_str){room, (size_t)(at - room)};
}

/* Rows of stretches: made with the first one. */
typedef struct stretch_row {
    uint32_t track;
    const char *what, *description;
    size_t next[AIE_STALL_KINDS]; /* of the walk */
} stretch_row;

static void draw_stretch(const core_drawing *w, stretch_row *row, int64_t start, int64_t end, pf_str name)
{
    if (row->track == PF_NONE) {
        row->track = pf_drawing_slices(w->d, row->what, row->description);
    }
    pf_overlay_slice(w->f, row->track, start, pf_drawing_length(pf_interval_length((pf_interval){start, end})), name);
}

static void draw_stalls(const core_drawing *w)
{
    stretch_row row = {
        PF_NONE,
        "stalls in iterations",
        "The stalls that the shares in iterations count, merged: each interval is named by the kinds that "
        "last in it.",
        {0}};
    char room[40];
    for (size_t i = 0; merges(w->c) && i < w->c->iteration_count; i++) {
        const aie_iteration *it = &w->c->iterations[i];
        unsigned set;
        int64_t until;
        for (int64_t now = it->first_start; now < it->last_end && pf_aie_stalled_at(w->c, now, row.next, &set, &until);
             now = until) {
            if (set) {
                draw_stretch(w, &row, now, until < it->last_end ? until : it->last_end, name_kinds(set, room));
            }
        }
    }
}

/* The gap that a stretch is of. */
static void add_gap(const core_drawing *w, const aie_gap *gap)
{
    pf_overlay_arg_int(w->f, PF_STR("gap_cycles"), pf_drawing_length(pf_interval_length(gap->time)));
    pf_overlay_arg_int(w->f, PF_STR("after_iteration"), (int64_t)gap->before);
    pf_overlay_arg_int(w->f, PF_STR("before_iteration"), (int64_t)gap->after);
    add_stalled(w, &gap->stalled);
}

/* Lock stalls between iterations are recorded; what is left of a gap is drawn. */
static void draw_gaps(const core_drawing *w)
{
    stretch_row row = {PF_NONE,
                       "between iterations",
                       "Between an iteration's last kernel and the next one's first: the time in which no LOCK_STALL "
                       "lasts, named by the other kinds of stall in it, or \"no stall\". Percentages: cycles that the "
                       "union of the stalls covers / cycles of the whole gap.",
                       {0}};
    char room[40];
    for (size_t i = 0; i < w->c->gap_count; i++) {
        const aie_gap *gap = &w->c->gaps[i];
        unsigned set;
        int64_t until;
        for (int64_t now = gap->time.start; now < gap->time.end; now = until) {
            if (!pf_aie_stalled_at(w->c, now, row.next, &set, &until)) {
                until = gap->time.end;
            }
            int64_t end = until < gap->time.end ? until : gap->time.end;
            if (!(set & 1u << AIE_LOCK)) {
                draw_stretch(w, &row, now, end, set ? name_kinds(set, room) : PF_STR("no stall"));
                add_gap(w, gap);
            }
        }
    }
}

#define PERCENT_SCALE "aie.percent" /* percentages of a core are drawn on one scale */

static void draw_durations(const core_drawing *w)
{
    const aie_core *c = w->c;
    uint32_t track = pf_drawing_counter(w->d, "kernel duration", "cycles", NULL,
                                        "Cycles from entry to exit of the kernel call that is running; 0 between "
                                        "calls.");
    for (size_t k = 0; k < c->kernel_count; k++) {
        pf_overlay_hold(w->f, track, c->kernels[k].start, c->kernels[k].end, (double)pf_interval_length(c->kernels[k]));
    }
}

/* A counter of a value of each iteration: the double at that place of aie_iteration. */
static void draw_measure(const core_drawing *w, const char *what, const char *unit, const char *scale,
                         const char *about, size_t place)
{
    uint32_t track = pf_drawing_counter(w->d, what, unit, scale, about);
    for (size_t i = 0; i < w->c->iteration_count; i++) {
        const aie_iteration *it = &w->c->iterations[i];
        if (it->calls.count) {
            double v;
            memcpy(&v, (const char *)it + place, sizeof v);
            pf_overlay_hold(w->f, track, it->first_start, it->last_end, pf_overlay_derived(v));
        }
    }
}

/* A share above 100 % would make all others on its scale small. */
static bool is_above_all(const aie_core *c)
{
    for (size_t i = 0; i < c->iteration_count; i++) {
        if (c->iterations[i].utilisation_percent > 100) {
            return true;
        }
    }
    return false;
}

static void draw_measures(const core_drawing *w)
{
    draw_durations(w);
    draw_measure(w, "throughput", "GMAC/s", NULL,
                 "M * K * N / cores * clock / span of the iteration that is running; 0 between iterations.",
                 offsetof(aie_iteration, gmacs_per_second));
    draw_measure(w, "utilisation", "%", is_above_all(w->c) ? NULL : PERCENT_SCALE,
                 "100 * MACs per cycle of the iteration that is running / what the core can do at best "
                 "(--peak-macs-per-cycle); 0 between iterations.",
                 offsetof(aie_iteration, utilisation_percent));
    draw_measure(w, "stall share in iterations", "%", PERCENT_SCALE,
                 "100 * cycles in which the core stalls for any reason / span of the iteration. Iterations only: 0 "
                 "between them, whatever stalls there.",
                 offsetof(aie_iteration, stalled.percent[AIE_ANY_STALL]));
    for (unsigned k = 0; k < AIE_STALL_KINDS; k++) {
        if (w->c->stall_count[k]) {
            pf_str kind = aie_stall_name(k);
            pf_str what = pf_findings_format(w->f, "%.*s share in iterations", PF_TEXT_ARG(kind));
            pf_str about = pf_findings_format(w->f,
                                              "100 * cycles that %.*s_STALL covers / span of the iteration. Iterations "
                                              "only: 0 between them, whatever stalls there.",
                                              PF_TEXT_ARG(kind));
            if (what.ptr && about.ptr) {
                draw_measure(w, what.ptr, "%", PERCENT_SCALE, about.ptr,
                             offsetof(aie_iteration, stalled) + k * sizeof(double));
            }
        }
    }
}

void pf_aie_draw_core(const aie_result *r, const aie_core *c, pf_drawing *d)
{
    const core_drawing w = {.r = r, .c = c, .d = d, .f = d->f};
    char clock[PF_NUMBER_MAX];
    pf_format_real(r->parameters->clock_ghz, clock);
    const pf_overlay_track group = {
        .anchor = PF_ANCHOR_PROCESS,
        .anchor_id = c->upid,
        .name = pf_findings_format(w.f, "%.*s analysis", PF_TEXT_ARG(c->tile)),
        .description =
            pf_findings_format(w.f,
                               "What postfetto found on core %.*s: %zu kernels in %zu iterations. 1 ns on the axis "
                               "= 1 cycle at %s GHz.",
                               PF_TEXT_ARG(c->tile), c->kernel_count, c->iteration_count, clock)};
    pf_drawing_group(d, &group, c->tile);
    if (c->kernel_count) {
        draw_iterations(&w);
        draw_kernels(&w);
    }
    draw_stalls(&w);
    draw_gaps(&w);
    pf_aie_draw_notes(r, (size_t)(c - r->cores->core), d);
    if (c->kernel_count) {
        draw_measures(&w);
    }
}
