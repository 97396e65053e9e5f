/* analyze/tinygrad/tg_overlay.c - what the pass draws into the trace: iterations as slices, rates of kernels as
 * counters of their device, and the moment at which a device held most memory. */

#include <math.h>

#include "analyze/tinygrad/tg_work.h"
#include "base/map.h"
#include "base/str.h"

static void draw_iterations(const tg_work *w, uint32_t group, pf_findings *f)
{
    uint32_t track = PF_NONE;
    for (size_t i = 0; i < w->iteration_count; i++) {
        const tg_iteration *it = &w->iterations[i];
        if (i == 0 || !pf_str_equal(it[-1].stem, it->stem)) {
            const pf_overlay_track t = {
                .kind = PF_OVERLAY_SLICES,
                .parent = group,
                .name = it->stem,
                .description = PF_STR("An iteration: from one marker 'NAME @ N' to the next one. Kernels and copies "
                                      "that begin in it are counted."),
            };
            track = pf_overlay_add_track(f, &t);
        }
        pf_str number = pf_str_from(it->label, it->stem.len + sizeof " @ " - 1); /* "train @ 0" is "0 train" */
        pf_overlay_slice(
            f, track, it->from, it->to - it->from,
            pf_findings_format(f, "%.*s %.*s", (int)number.len, number.ptr, (int)it->stem.len, it->stem.ptr));
        pf_overlay_arg_int(f, PF_STR("kernels"), (int64_t)it->sum.kernels);
        pf_overlay_arg_real(f, PF_STR("kernel_us"), it->sum.kernel_us);
        pf_overlay_arg_int(f, PF_STR("copies"), (int64_t)it->sum.copies);
        pf_overlay_arg_real(f, PF_STR("copy_us"), it->sum.copy_us);
    }
}

/* What is drawn of the kernels of a device: counters, and until when they hold their last value. */
typedef struct rates {
    size_t kernels;
    uint32_t flops, memory;
    int64_t until;
} rates;

/* The amounts of a kernel that has both; false: it has no estimate. */
static bool amounts_of(const tg_work *w, const tg_job *j, double *ops, double *mem)
{
    *ops = j->slice->estimate ? pf_tg_amount(w->l, j->slice, TG_OPS) : (double)NAN;
    *mem = j->slice->estimate ? pf_tg_amount(w->l, j->slice, TG_MEM) : (double)NAN;
    return !isnan(*ops) && !isnan(*mem);
}

static double giga_rate(const tg_work *w, const tg_job *j, double amount)
{
    return pf_overlay_derived(pf_tg_rate(w->l, j->slice, amount) * 1e-9);
}

static uint32_t add_row(const tg_work *w, pf_overlay_kind kind, uint32_t device, uint32_t group, const char *what,
                        pf_str unit, pf_str formula)
{
    pf_findings *f = w->l->in->f;
    pf_str name = pf_tg_string(w->l->in, device);
    const pf_overlay_track t = {.kind = kind,
                                .parent = group,
                                .name = pf_findings_format(f, "%.*s %s", (int)name.len, name.ptr ? name.ptr : "", what),
                                .description = formula,
                                .unit = unit};
    return pf_overlay_add_track(f, &t);
}

/* A curve of one value says nothing: the only kernel of a device is a slice with its rates as arguments. */
static void draw_single(const tg_work *w, uint32_t group, const tg_job *j, double ops, double mem)
{
    pf_findings *f = w->l->in->f;
    const tg_events *e = &w->l->in->events;
    uint32_t row = j->slice->event;
    uint32_t track = add_row(w, PF_OVERLAY_SLICES, e->device[row], group, "rates", PF_STR(""),
                             PF_STR("Estimated operations and bytes of the kernel / its duration."));
    pf_overlay_slice(f, track, e->ts[row], e->end[row] - e->ts[row], pf_tg_plain(f, pf_tg_slice_name(w->l, j->slice)));
    pf_overlay_arg_real(f, PF_STR("gflops"), giga_rate(w, j, ops));
    pf_overlay_arg_real(f, PF_STR("gb_per_s"), giga_rate(w, j, mem));
}

static void add_counters(const tg_work *w, uint32_t device, uint32_t group, rates *r)
{
    r->flops = add_row(w, PF_OVERLAY_COUNTER, device, group, "GFLOPS", PF_STR("GFLOPS"),
                       PF_STR("Estimated operations of the kernel / its duration."));
    r->memory = add_row(w, PF_OVERLAY_COUNTER, device, group, "memory rate", PF_STR("GB/s"),
                        PF_STR("Estimated bytes that the kernel moves / its duration."));
    r->until = INT64_MIN;
}

/* Kernels that overlap one before them on their device are left out: a counter has one value at a time. */
static void draw_rate(const tg_work *w, uint32_t group, rates *r, const tg_job *j, double ops, double mem)
{
    pf_findings *f = w->l->in->f;
    const tg_events *e = &w->l->in->events;
    int64_t ts = e->ts[j->slice->event], end = e->end[j->slice->event];
    if (r->kernels == 1) {
        draw_single(w, group, j, ops, mem);
        return;
    }
    if (r->flops == PF_NONE) {
        add_counters(w, e->device[j->slice->event], group, r);
    }
    if (ts >= r->until) {
        r->until = end;
        pf_overlay_hold(f, r->flops, ts, end, giga_rate(w, j, ops));
        pf_overlay_hold(f, r->memory, ts, end, giga_rate(w, j, mem));
    }
}

/* Kernels with estimates are counted for each device, then drawn. */
static void draw_rates(const tg_work *w, uint32_t group, pf_map *of, rates *all)
{
    const tg_events *e = &w->l->in->events;
    uint32_t n = 0;
    double ops, mem;
    for (unsigned drawing = 0; drawing < 2; drawing++) {
        for (size_t i = 0; i < w->job_count; i++) {
            const tg_job *j = &w->jobs[i];
            bool known = amounts_of(w, j, &ops, &mem);
            uint32_t device = e->device[j->slice->event], k = known ? pf_map_get(of, device) : PF_NONE;
            if (known && k == PF_NONE && pf_map_set(of, device, n)) {
                k = n++;
                all[k] = (rates){.flops = PF_NONE};
            }
            if (k != PF_NONE && drawing) {
                draw_rate(w, group, &all[k], j, ops, mem);
            } else if (k != PF_NONE) {
                all[k].kernels++;
            }
        }
    }
}

static void draw_peaks(const tg_work *w, uint32_t group, pf_findings *f)
{
    uint32_t track = PF_NONE;
    for (uint32_t i = 0; i < w->l->track_count; i++) {
        const tg_track *t = &w->l->tracks[w->l->layout[i]];
        if (t->kind != TG_MEMORY || t->peak_at == PF_NONE) {
            continue;
        }
        if (track == PF_NONE) {
            const pf_overlay_track row = {.kind = PF_OVERLAY_SLICES,
                                          .parent = group,
                                          .name = PF_STR("memory peaks"),
                                          .description = PF_STR("Where a device first held the most memory.")};
            track = pf_overlay_add_track(f, &row);
        }
        uint32_t event = w->l->in->memory.event[t->changes[t->peak_at].row];
        pf_str device = pf_tg_string(w->l->in, t->device);
        pf_overlay_instant(f, track, w->l->in->events.ts[event],
                           pf_findings_format(f, "%.*s peak", (int)device.len, device.ptr ? device.ptr : ""));
        pf_overlay_arg_int(f, PF_STR("bytes"), (int64_t)t->peak);
    }
}

pf_status pf_tg_draw(const pf_pass_context *ctx, const tg_work *w, pf_findings *f, pf_error *err)
{
    rates *all = pf_pass_alloc(ctx, w->l->track_count, sizeof *all, err);
    PF_TRY(all ? PF_OK : err->code);
    const pf_overlay_track row = {.kind = PF_OVERLAY_GROUP,
                                  .parent = PF_NONE,
                                  .name = PF_STR("tinygrad"),
                                  .description = PF_STR("Computed from the profile by postfetto.")};
    uint32_t group = pf_overlay_add_track(f, &row);
    draw_iterations(w, group, f);
    pf_map of;
    pf_map_init(&of, w->budget);
    draw_rates(w, group, &of, all);
    pf_map_free(&of);
    draw_peaks(w, group, f);
    return pf_findings_status(f, err);
}
