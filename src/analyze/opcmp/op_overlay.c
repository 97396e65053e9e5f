/* analyze/opcmp/op_overlay.c - what was measured, drawn into the trace of the model.
 *
 * A group below the model's process: a slice for each operator, as long as the model says it is, with the measured time
 * as arguments. That time is an estimate: the device's table names no operators, so each of the operator's kernels
 * counts with the mean of its type. The two times and the error are counters as well, so that operators that are wrong
 * stand out at any zoom; of operators that run at one time the first counts there.
 */
#include <stdlib.h>
#include <string.h>

#include "analyze/opcmp/opcmp.h"
#include "analyze/support/drawing.h"
#include "analyze/support/pass_memory.h"
#include "base/ordering.h"

/* An operator with its parts. */
typedef struct operation {
    int64_t ts, end;
    uint32_t row, parts;
    const opcmp_part *part;
    double model_us, measured_us, error_percent; /* 0: not known */
    bool measured;                               /* all of its kernels were */
    opcmp_status status;
} operation;

typedef struct drawing {
    opcmp *c;
    const pf_trace *t;
    pf_findings *f;
    pf_drawing d;
    operation *op;
    size_t count;
} drawing;

static void measure(const opcmp *c, operation *o)
{
    bool hit = false, miss = false;
    o->measured = true;
    for (uint32_t i = 0; i < o->parts; i++) {
        const opcmp_kernel *k = &c->kernels[o->part[i].kernel];
        hit |= o->part[i].hit;
        miss |= !o->part[i].hit;
        o->model_us += o->part[i].us;
        o->measured &= k->measured_count > 0;
        o->measured_us += k->measured_count ? k->measured_total / (double)k->measured_count : 0;
    }
    o->measured &= o->measured_us > 0;
    o->error_percent = o->measured ? (o->model_us - o->measured_us) / o->measured_us * 100 : 0;
    o->measured_us = o->measured ? o->measured_us : 0;
    o->status = hit && miss ? OPCMP_PARTIAL : hit ? OPCMP_HIT : OPCMP_MISS;
}

PF_ORDER(by_time, operation, PF_UP(ts), PF_UP(row));

/* The operators in the order of their times. */
static pf_status gather(drawing *w, pf_error *err)
{
    const pf_events *e = pf_trace_events(w->t);
    const opcmp *c = w->c;
    PF_TRY(PF_PASS_ARRAY(&w->c->arena, c->part_count, w->op, err));
    for (uint32_t i = 0; i < c->part_count;) {
        uint32_t row = c->parts[i].row;
        operation o = {.ts = e->ts[row], .row = row, .part = &c->parts[i]};
        o.end = o.ts + (e->dur && e->dur[row] > 0 ? e->dur[row] : 0);
        for (; i < c->part_count && c->parts[i].row == row; i++) {
            o.parts++;
        }
        measure(c, &o);
        w->op[w->count++] = o;
    }
    qsort(w->op, w->count, sizeof *w->op, by_time);
    return PF_OK;
}

static pf_status draw_slices(drawing *w, pf_error *err)
{
    pf_interval *list;
    const uint32_t *lane;
    PF_TRY(PF_PASS_ARRAY(&w->c->arena, w->count, list, err));
    for (size_t i = 0; i < w->count; i++) {
        list[i] = (pf_interval){w->op[i].ts, w->op[i].end};
    }
    uint32_t first = pf_drawing_lanes(
        &w->d, "compared",
        "Operators that the comparison counts, as long as the model says. measured_us is the sum of the "
        "mean measured times of the kernel types that the operator runs as, error_percent (model_us - "
        "measured_us) / measured_us.",
        list, w->count, &lane);
    for (size_t i = 0; first != PF_NONE && i < w->count; i++) {
        const operation *o = &w->op[i];
        pf_overlay_slice(w->f, first + lane[i], o->ts, o->end - o->ts,
                         pf_trace_string(w->t, pf_trace_events(w->t)->name[o->row]));
        pf_overlay_arg_text(w->f, PF_STR("status"), pf_opcmp_status_text(o->status));
        pf_overlay_arg_text(w->f, PF_STR("kernel_type"), pf_strings_get(&w->c->texts, o->part[0].kernel));
        pf_overlay_arg_real(w->f, PF_STR("model_us"), o->model_us);
        if (o->measured) {
            pf_overlay_arg_derived(w->f, PF_STR("measured_us"), o->measured_us);
            pf_overlay_arg_derived(w->f, PF_STR("error_percent"), o->error_percent);
        }
    }
    return PF_OK;
}

static void draw_counter(drawing *w, uint32_t track, size_t member)
{
    int64_t free_from = INT64_MIN;
    for (size_t i = 0; i < w->count; i++) {
        const operation *o = &w->op[i];
        if (o->ts >= free_from && o->end > o->ts) {
            double value;
            memcpy(&value, (const char *)o + member, sizeof value);
            pf_overlay_hold(w->f, track, o->ts, o->end, pf_overlay_derived(value));
            free_from = o->end;
        }
    }
}

static void draw_counters(drawing *w)
{
    static const struct {
        const char *name, *unit, *share_key, *description;
        size_t member;
    } counters[] = {
        {"time in the model", "us", "operator time",
         "Time of the operator that runs, as the model says; 0 between operators.", offsetof(operation, model_us)},
        {"time on the device", "us", "operator time",
         "Mean measured times of the operator's kernel types, added up; 0 where one was not measured.",
         offsetof(operation, measured_us)},
        {"error", "%", NULL, "(model - measured) / measured of the operator that runs; 0 where it was not measured.",
         offsetof(operation, error_percent)}};
    for (size_t i = 0; i < sizeof counters / sizeof *counters; i++) {
        uint32_t track = pf_drawing_counter(&w->d, counters[i].name, counters[i].unit, counters[i].share_key,
                                            counters[i].description);
        draw_counter(w, track, counters[i].member);
    }
}

pf_status pf_opcmp_draw(opcmp *c, const pf_trace *t, uint32_t upid, pf_findings *f, pf_error *err)
{
    drawing w = {.c = c, .t = t, .f = f, .d = {.f = f, .arena = &c->arena}};
    PF_TRY(gather(&w, err));
    if (w.count == 0) {
        return PF_OK;
    }
    const pf_overlay_track group = {
        .anchor = PF_ANCHOR_PROCESS,
        .anchor_id = upid,
        .name = PF_STR("operators: model against device"),
        .description = PF_STR("What the device's table of kernels says of the operators of the model.")};
    pf_findings_set_pass(f, PF_STR("compare-ops"));
    pf_drawing_group(&w.d, &group, PF_STR("operators"));
    PF_TRY(draw_slices(&w, err));
    draw_counters(&w);
    return pf_findings_status(f, err);
}
