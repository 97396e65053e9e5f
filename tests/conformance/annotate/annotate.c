/* annotate.c - draws a small overlay into any trace; see run.
 *
 *   annotate IN OUT [PASS]
 *
 * The overlay has one of each thing that a pass may draw: a group, slices with arguments and a flow, an instant, a
 * counter, a trace attribute, and a track below every process and thread (the first ANCHORS of each). All times lie
 * inside the trace's bounds and all names begin with "annotate", so that the rest of what the engine sees must be the
 * original's. With PASS the overlay is marked as findings of that pass, and those that are in the trace are left out
 * and replaced. Prints the numbers of slices and samples drawn, and the first and last time.
 */
#include <stdio.h>
#include <string.h>

#include "postfetto/postfetto.h"

enum { ANCHORS = 64 };

typedef struct drawing {
    pf_findings *f;
    int64_t start, middle, end;
    unsigned slices, samples;
} drawing;

static uint32_t add_track(drawing *d, pf_overlay_kind kind, uint32_t parent, pf_anchor anchor, uint32_t id, pf_str name)
{
    const pf_overlay_track track = {.kind = kind,
                                    .parent = parent,
                                    .anchor = anchor,
                                    .anchor_id = id,
                                    .name = name,
                                    .unit = kind == PF_OVERLAY_COUNTER ? PF_STR("%") : (pf_str){NULL, 0}};
    return pf_overlay_add_track(d->f, &track);
}

static void add_slice(drawing *d, uint32_t track, int64_t from, int64_t to, pf_str name)
{
    if (to > from) {
        pf_overlay_slice(d->f, track, from, to - from, name);
    } else {
        pf_overlay_instant(d->f, track, from, name);
    }
    d->slices++;
}

static void draw_group(drawing *d)
{
    uint32_t group = add_track(d, PF_OVERLAY_GROUP, PF_NONE, PF_ANCHOR_GLOBAL, 0, PF_STR("annotate group"));
    uint32_t slices = add_track(d, PF_OVERLAY_SLICES, group, PF_ANCHOR_GLOBAL, 0, PF_STR("annotate slices"));
    uint32_t counter = add_track(d, PF_OVERLAY_COUNTER, group, PF_ANCHOR_GLOBAL, 0, PF_STR("annotate counter"));
    add_slice(d, slices, d->middle, d->end, PF_STR("annotate slice"));
    pf_overlay_arg_int(d->f, PF_STR("annotate.number"), -7);
    pf_overlay_arg_real(d->f, PF_STR("annotate.share"), 0.25);
    pf_overlay_arg_text(d->f, PF_STR("annotate.text"), PF_STR("text"));
    pf_overlay_flow(d->f, 1);
    pf_overlay_instant(d->f, slices, d->end, PF_STR("annotate instant"));
    pf_overlay_flow(d->f, 1);
    d->slices++;
    pf_overlay_sample(d->f, counter, d->start, 1.5);
    pf_overlay_sample(d->f, counter, d->end, 0);
    d->samples += 2;
}

/* Row 0 is the idle process or thread, which every trace has. */
static void draw_below(drawing *d, pf_anchor anchor, uint32_t count, pf_str track_name)
{
    for (uint32_t row = 1; row < count && row <= ANCHORS; row++) {
        uint32_t track = add_track(d, PF_OVERLAY_SLICES, PF_NONE, anchor, row, track_name);
        add_slice(d, track, d->start, d->middle, PF_STR("annotate part"));
    }
}

static pf_status annotate(const pf_trace *t, const char *path, drawing *d, pf_error *err)
{
    pf_trace_bounds(t, &d->start, &d->end);
    d->end -= (d->end - d->start) / 4;
    d->middle = d->start + (d->end - d->start) / 2;
    draw_group(d);
    draw_below(d, PF_ANCHOR_PROCESS, pf_trace_processes(t)->count, PF_STR("annotate process"));
    draw_below(d, PF_ANCHOR_THREAD, pf_trace_threads(t)->count, PF_STR("annotate thread"));
    pf_findings_attribute_text(d->f, PF_STR("annotate.attribute"), PF_STR("drawn"));
    pf_status st = pf_findings_status(d->f, err);
    return st == PF_OK ? pf_write_enriched(t, d->f, path, NULL, err) : st;
}

int main(int argc, char **argv)
{
    if (argc != 3 && argc != 4) {
        fprintf(stderr, "usage: annotate IN OUT [PASS]\n");
        return 2;
    }
    pf_error err = {0};
    pf_trace *t = NULL;
    pf_read_options o = pf_read_options_default();
    const char *paths[] = {argv[1]};
    drawing d = {.f = pf_findings_new(NULL)};
    o.map = true;
    if (argc == 4) {
        o.without_findings = argv[3];
        pf_findings_set_pass(d.f, (pf_str){argv[3], strlen(argv[3])});
    }
    pf_status st = d.f ? pf_read(paths, 1, &o, &t, &err) : pf_fail(&err, PF_ERR_MEMORY, "out of memory");
    st = st == PF_OK ? annotate(t, argv[2], &d, &err) : st;
    if (st == PF_OK) {
        printf("{\"slices\": %u, \"samples\": %u, \"first\": \"%lld\", \"last\": \"%lld\"}\n", d.slices, d.samples,
               (long long)d.start, (long long)d.end);
    } else {
        fprintf(stderr, "annotate: %s: %s\n", argv[1], err.text);
    }
    pf_trace_free(t);
    pf_findings_free(d.f);
    return st == PF_OK ? 0 : 1;
}
