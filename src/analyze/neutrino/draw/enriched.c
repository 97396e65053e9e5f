/* analyze/neutrino/draw/enriched.c - the enriched trace: a copy of the launches with what was found about each as
 * arguments, and below each process the tracks of its SMs and tensors.
 *
 * A launch's records count cycles of their own. They are shown from the start of its kernel on, a cycle as long as
 * --clock-ghz says; the launch has the name of that clock and its anchor as arguments.
 */
#include "analyze/neutrino/draw/enriched.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* ---- tracks ------------------------------------------------------------------------------------------------------ */

static uint64_t hash_of(const enriched *e, uint32_t upid, uint32_t kind, uint64_t key)
{
    uint64_t seed = e->tracks.seed | 1;
    return pf_hash_add(pf_hash_add(pf_hash_add(seed, upid), kind), key);
}

static enriched_track *new_track(enriched *e)
{
    if (e->count == e->room) {
        uint32_t room = e->room ? e->room * 2 : 64;
        pf_budget *budget = e->n->arena->budget;
        enriched_track *list = pf_resize(budget, e->track, e->room * sizeof *list, room * sizeof *list);
        if (!list) {
            return NULL;
        }
        e->track = list;
        e->room = room;
    }
    return &e->track[e->count++];
}

uint32_t pf_enriched_track(enriched *e, uint32_t upid, uint32_t kind, uint64_t key, const pf_build_track_row *row)
{
    uint64_t hash = hash_of(e, upid, kind, key);
    uint32_t i = pf_map_get(&e->tracks, hash);
    for (; i != PF_NONE; hash++, i = pf_map_get(&e->tracks, hash)) {
        const enriched_track *t = &e->track[i];
        if (t->upid == upid && t->kind == kind && t->key == key) {
            return t->track;
        }
    }
    enriched_track *t = new_track(e);
    if (!t || !pf_map_set(&e->tracks, hash, e->count - 1)) {
        e->refused = true;
        return PF_NONE;
    }
    *t = (enriched_track){upid, kind, key, pf_build_track(e->b, row), row->owner};
    return t->track;
}

/* ---- launches ---------------------------------------------------------------------------------------------------- */

/* The launch whose slice is event `row`, PF_NONE if it is none; launches are in order of their events. */
static uint32_t launch_at(neutrino_view v, uint32_t *next, uint32_t row)
{
    while (*next < v.count && pf_neutrino_int(v, "event", *next) < (int64_t)row) {
        ++*next;
    }
    return *next < v.count && pf_neutrino_int(v, "event", *next) == (int64_t)row ? *next : PF_NONE;
}

static void put_facts(enriched *e, uint32_t launch)
{
    const neutrino_run *n = e->n;
    bool clock = false;
    for (uint32_t i = 0; i < n->fact_count; i++) {
        const neutrino_fact *f = &n->facts[i];
        if (f->launch == launch) {
            pf_build_arg_uint(e->b, (pf_str){f->key, strlen(f->key)}, f->value);
            clock |= f->clock;
        }
    }
    if (clock) {
        pf_build_arg_text(e->b, PF_STR("clock_domain"), pf_findings_format(n->f, "cycles of launch %" PRIu32, launch));
        pf_build_arg_real(e->b, PF_STR("clock_ns_per_cycle"), 1 / n->ghz);
        pf_build_arg_text(e->b, PF_STR("clock_anchor"), PF_STR("start of the kernel"));
        pf_build_arg_text(e->b, PF_STR("clock_alignment"), PF_STR("each SM at the start of its own first block"));
    }
}

static pf_status copy_events(enriched *e, pf_error *err)
{
    const pf_events *events = pf_trace_events(e->n->t);
    neutrino_view v = pf_neutrino_view(e->n->t, "neutrino_launch");
    uint32_t next = 0;
    for (uint32_t i = 0; i < events->count; i++) {
        pf_build_copy_event(e->b, i);
        uint32_t launch = launch_at(v, &next, i);
        if (launch != PF_NONE) {
            put_facts(e, launch);
        }
        if (i % 65536 == 0 && pf_pass_poll(e->n->ctx, err) != PF_OK) {
            return err->code;
        }
    }
    pf_build_copy_samples(e->b);
    return pf_builder_status(e->b, err);
}

/* ---- sections ---------------------------------------------------------------------------------------------------- */

/* The process of a run; a trace without a log gets one of its own. */
static uint32_t process_of(enriched *e, const neutrino_records *r)
{
    uint32_t upid = pf_neutrino_row_of(pf_neutrino_view(e->n->t, "neutrino_run"), "process", r->run);
    return upid != PF_NONE ? upid : pf_build_process(e->b, (int64_t)r->run + 1, r->file);
}

/* Where the kernel of the launch begins; without a launch, the time in the name of the file. */
static int64_t anchor_of(const neutrino_run *n, const neutrino_records *r)
{
    neutrino_view v = pf_neutrino_view(n->t, "neutrino_launch");
    if (r->launch == PF_NONE) {
        double seconds = pf_neutrino_double(pf_neutrino_view(n->t, "neutrino_trace"), "seconds", r->trace);
        return seconds > 0 && seconds < 9e9 ? llrint(seconds * 1e9) : 0;
    }
    double ms = pf_neutrino_double(v, "prologue_ms", r->launch);
    return pf_neutrino_int(v, "slice_ts", r->launch) + (ms > 0 && ms < 9e9 ? llrint(ms * 1e6) : 0);
}

/* A sum of the launch as a counter: from its start to its end. */
static void draw_value(enriched *e, const enriched_place *p, const neutrino_fact *f)
{
    neutrino_view v = pf_neutrino_view(e->n->t, "neutrino_launch");
    bool bytes = strcmp(f->key, "gmem_bytes") == 0, ops = strcmp(f->key, "tensor_ops") == 0;
    if (p->r->launch == PF_NONE || f->launch != p->r->launch || (!bytes && !ops)) {
        return;
    }
    const pf_build_track_row row = {.of = PF_BUILD_PROCESS,
                                    .owner = p->upid,
                                    .counter = true,
                                    .name = bytes ? PF_STR("global memory bytes") : PF_STR("tensor operations"),
                                    .unit = bytes ? PF_STR("bytes") : PF_STR("operations"),
                                    .description = PF_STR("sum over all threads of the launch, as its probe counted"),
                                    .rank = 3};
    uint32_t track = pf_enriched_track(e, p->upid, TRACK_VALUE, bytes, &row);
    double kernel = pf_neutrino_double(v, "kernel_ms", p->r->launch);
    pf_build_sample(e->b, track, p->anchor, (double)f->value);
    pf_build_sample(e->b, track, p->anchor + (kernel > 0 && kernel < 9e9 ? llrint(kernel * 1e6) : 1), 0);
}

static bool has_kind(const neutrino_run *n, const neutrino_records *r, const char *kind, neutrino_analysis a)
{
    return pf_neutrino_wants(n, a) && pf_neutrino_same(r->kind, kind) && r->complete;
}

static pf_status draw_sections(enriched *e, pf_error *err)
{
    const neutrino_run *n = e->n;
    neutrino_records r;
    pf_status st = PF_OK;
    for (uint32_t i = 0; st == PF_OK && pf_neutrino_records_at(n, i, &r); i++) {
        const enriched_place p = {&r, process_of(e, &r), anchor_of(n, &r), 1 / n->ghz};
        if (has_kind(n, &r, "block_sched", NEUTRINO_BLOCK_SCHED)) {
            st = pf_enriched_blocks(e, &p, err);
        } else if (has_kind(n, &r, "dmat", NEUTRINO_DMAT)) {
            st = pf_enriched_accesses(e, &p, err);
        }
        for (uint32_t k = 0; k < n->fact_count; k++) {
            if (n->facts[k].section == r.section) {
                draw_value(e, &p, &n->facts[k]);
            }
        }
        st = st == PF_OK ? pf_builder_status(e->b, err) : st;
    }
    return st;
}

pf_status pf_neutrino_enrich(const neutrino_run *n, pf_error *err)
{
    pf_budget *budget = n->arena->budget;
    enriched e = {.n = n, .b = pf_builder_derive(n->t, &budget->limits), .category = pf_overlay_category(n->f)};
    pf_trace *made = NULL;
    if (!e.b) {
        return pf_budget_refused(budget, 1 << 20, err);
    }
    pf_map_init(&e.tracks, budget);
    pf_build_attribute_text(e.b, PF_STR("postfetto.pass"), PF_STR("neutrino"));
    pf_status st = copy_events(&e, err);
    st = st == PF_OK ? draw_sections(&e, err) : st;
    st = e.refused ? pf_budget_refused(budget, e.room * sizeof *e.track, err) : st;
    st = st == PF_OK ? pf_builder_finish(e.b, &made, err) : st;
    pf_builder_free(e.b);
    pf_map_free(&e.tracks);
    pf_release(budget, e.track, e.room * sizeof *e.track);
    if (st == PF_OK) {
        pf_findings_report_trace(n->f, PF_STR("neutrino.pftrace"), made, PF_PLACE_OUTPUT);
    }
    return st;
}
