/* analyze/aie/aie_warnings.c - why a number may be wrong, and what to do: found once, then shown on the terminal, drawn
 * as notes, and listed in documents and a table. docs/reference/aie.md explains each kind.
 */
#include <inttypes.h>

#include "analyze/aie/aie.h"
#include "analyze/support/pass_memory.h"
#include "base/text/number.h"

enum { KINDS_OF_CORE = 8, KINDS_OF_CAPTURE = 2 };

typedef struct finding {
    const aie_result *r;
    pf_findings *f;
    aie_warnings *out;
    const aie_core *core; /* in hand */
    int64_t start;        /* of the trace, or the first time of the core */
} finding;

static void warn(const finding *w, const char *kind, int64_t ts, pf_str text)
{
    w->out->list[w->out->count++] = (aie_warning){kind, w->core, ts, text};
}

static void warn_of_name(const finding *w)
{
    const aie_core *c = w->core;
    if (&w->r->cores->core[w->r->aggregate->source[c - w->r->cores->core]] != c) {
        warn(w, "name", w->start,
             pf_findings_format(
                 w->f,
                 "several cores are called %.*s: %.*s holds the last of them, and the aggregate uses it for "
                 "all; give the tiles different names",
                 PF_TEXT_ARG(c->tile), PF_TEXT_ARG(c->file)));
    }
}

/* Where the number of iterations goes wrong: at the first one too many, or where the last one ends. */
static void warn_of_iterations(const finding *w)
{
    const aie_core *c = w->core;
    int64_t ts = w->start;
    if (!c->note.ptr) {
        return;
    }
    if (c->iteration_count) {
        bool many = c->iteration_count > c->expected_iterations;
        const aie_iteration *it = &c->iterations[many ? c->expected_iterations : c->iteration_count - 1];
        ts = !many ? it->last_end : it->calls.count ? it->first_start : it->calls.closed_at;
    }
    warn(w, "iterations", ts, c->note);
}

static bool is_paired_otherwise(const aie_core *c, const aie_parameters *p)
{
    return !p->nearest && (c->other_kernels || c->kernel_count != c->nearest_count);
}

static void warn_of_pairing(const finding *w)
{
    static const char advice[] = "do not trust the numbers of this core; use --pairing nearest";
    const aie_core *c = w->core;
    if (!is_paired_otherwise(c, w->r->parameters)) {
        return;
    }
    pf_str text =
        c->kernel_count != c->nearest_count
            ? pf_findings_format(w->f, "%zu kernels here, %zu with --pairing nearest: %s", c->kernel_count,
                                 c->nearest_count, advice)
            : pf_findings_format(w->f, "%zu kernels here and with --pairing nearest, but %zu are not the same: %s",
                                 c->kernel_count, c->other_kernels, advice);
    warn(w, "pairing", c->kernel_count ? c->kernels[0].start : w->start, text);
}

static void warn_of_utilisation(const finding *w)
{
    const aie_core *c = w->core;
    const aie_parameters *p = w->r->parameters;
    size_t above = 0, most = 0;
    for (size_t i = 0; i < c->iteration_count; i++) {
        above += c->iterations[i].utilisation_percent > 100;
        most = c->iterations[i].utilisation_percent > c->iterations[most].utilisation_percent ? i : most;
    }
    if (above == 0) {
        return;
    }
    char percent[PF_FIXED_MAX], peak[PF_NUMBER_MAX];
    pf_format_real_fixed(c->iterations[most].utilisation_percent, 2, percent);
    pf_format_real_short(p->peak_macs_per_cycle, peak);
    warn(w, "utilisation", c->iterations[most].first_start,
         pf_findings_format(w->f,
                            "peak is set too low: utilisation above 100 %% in %zu of %zu iterations, up to %s %% "
                            "(iteration %zu), at %s "
                            "MAC/cycle; give --peak-macs-per-cycle, if %s--M, --K, --N, --row and --col are right",
                            above, c->iteration_count, percent, most, peak,
                            is_paired_otherwise(c, p) ? "the pairing, " : ""));
}

static void warn_of_empty(const finding *w)
{
    const aie_core *c = w->core;
    size_t empty = 0, first = 0;
    for (size_t i = c->iteration_count; i-- > 0;) {
        empty += c->iterations[i].calls.count == 0;
        first = c->iterations[i].calls.count == 0 ? i : first;
    }
    if (empty == 0) {
        return;
    }
    bool mends = c->note.ptr && c->iteration_count - empty == c->expected_iterations;
    warn(w, "empty", c->iterations[first].calls.closed_at,
         pf_findings_format(
             w->f,
             "%zu of %zu iterations without kernels, from iteration %zu on (a long stall before the first "
             "kernel, or right after another one): --drop-empty leaves them out%s",
             empty, c->iteration_count, first, mends ? ", then the rest are as many as expected" : ""));
}

static void warn_of_pulses(const finding *w)
{
    const aie_core *c = w->core;
    const pf_pair_counts *n = &c->pairing;
    if (c->discarded_pairs) {
        warn(w, "outliers", c->first_discarded,
             pf_findings_format(w->f,
                                "%" PRIu64 " kernel pairs discarded, the first here: shorter than %" PRIu64
                                " or longer than %" PRIu64 " cycles (--outlier-low, --outlier-high)",
                                c->discarded_pairs, c->usual_low, c->usual_high));
    }
    if (c->open_intervals) {
        warn(
            w, "open", c->first_open,
            pf_findings_format(w->f, "%" PRIu64 " intervals without an end, the first begins here", c->open_intervals));
    }
    if (n->lost_entries || n->lost_exits || n->duplicate_entries || n->duplicate_exits) {
        warn(w, "pulses", c->kernel_count ? c->kernels[0].start : w->start,
             pf_findings_format(w->f,
                                "kernel pulses %s: %" PRIu64 " entries and %" PRIu64 " exits lost, %" PRIu64
                                " entries and %" PRIu64 " exits duplicate",
                                w->r->parameters->nearest ? "repaired" : "to repair", n->lost_entries, n->lost_exits,
                                n->duplicate_entries, n->duplicate_exits));
    }
}

static void warn_of_capture(const finding *w)
{
    const aie_parameters *p = w->r->parameters;
    __int128 given = (__int128)p->rows * p->cols;
    size_t cores = w->r->cores->count;
    if (cores == 0) {
        warn(w, "cores", w->start,
             PF_STR("no process is called core_trace: this trace has no AI Engine core to analyse"));
    } else if (given != (__int128)cores) {
        warn(w, "cores", w->start,
             pf_findings_format(
                 w->f,
                 "the trace has %zu core%s, not --row %" PRId64 " x --col %" PRId64
                 ": GMAC/s and utilisation of a core are wrong unless that many cores shared the work; give "
                 "the rows and columns that ran",
                 cores, cores == 1 ? "" : "s", p->rows, p->cols));
    }
    if (cores && w->r->aggregate->count == 0) {
        warn(w, "aggregate", w->start,
             PF_STR("no perf iteration is present on all cores: nothing to aggregate; check --warmup and "
                    "--iterations"));
    }
}

pf_status pf_aie_warn(const aie_result *r, pf_findings *f, aie_warnings *out, pf_error *err)
{
    size_t room = r->cores->count * KINDS_OF_CORE + KINDS_OF_CAPTURE;
    int64_t start, end;
    *out = (aie_warnings){.count = 0};
    PF_TRY(PF_PASS_ARRAY(r->arena, room, out->list, err));
    PF_TRY(PF_PASS_ARRAY(r->arena, r->cores->count + 2, out->first, err));
    pf_trace_bounds(r->ctx->trace, &start, &end);
    for (size_t i = 0; i < r->cores->count; i++) {
        const aie_core *c = &r->cores->core[i];
        out->first[i] = out->count;
        const finding w = {r, f, out, c, c->first_time != INT64_MAX ? c->first_time : start};
        warn_of_name(&w);
        warn_of_iterations(&w);
        warn_of_pulses(&w);
        warn_of_pairing(&w);
        warn_of_utilisation(&w);
        warn_of_empty(&w);
    }
    out->first[r->cores->count] = out->count;
    const finding w = {r, f, out, NULL, start};
    warn_of_capture(&w);
    out->first[r->cores->count + 1] = out->count;
    return PF_OK;
}

void pf_aie_draw_notes(const aie_result *r, size_t of, pf_drawing *d)
{
    for (size_t i = r->warnings->first[of]; i < r->warnings->first[of + 1]; i++) {
        pf_drawing_note(d, r->warnings->list[i].ts, r->warnings->list[i].text);
    }
}
