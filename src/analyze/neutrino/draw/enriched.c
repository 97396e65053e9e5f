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

#include "analyze/support/pass_memory.h"
#include "base/list.h"

/* ---- launches ---------------------------------------------------------------------------------------------------- */

/* The launch whose slice is event `row`, PF_NONE if it is none; launches are in order of their events. */
static uint32_t launch_at(const neutrino_launches *v, uint32_t *next, uint32_t row)
{
    while (*next < v->count && v->event[*next] < (int64_t)row) {
        ++*next;
    }
    return *next < v->count && v->event[*next] == (int64_t)row ? *next : PF_NONE;
}

/* Strings the facts of each launch together. */
static pf_status link_facts(enriched *e, pf_error *err)
{
    const neutrino_run *n = e->n;
    PF_TRY(PF_PASS_ARRAY(n->arena, n->launches.count, e->facts, err));
    memset(e->facts, 0xff, n->launches.count * sizeof *e->facts);
    for (uint32_t i = n->fact_count; i-- > 0;) {
        neutrino_fact *f = &n->facts[i];
        if (f->launch != PF_NONE) {
            f->next = e->facts[f->launch];
            e->facts[f->launch] = i;
        }
    }
    return PF_OK;
}

static void put_facts(enriched *e, uint32_t launch)
{
    const neutrino_run *n = e->n;
    bool clock = false;
    for (uint32_t i = e->facts[launch]; i != PF_NONE; i = n->facts[i].next) {
        pf_build_arg_uint(e->b, pf_str_of(n->facts[i].key), n->facts[i].value);
        clock |= n->facts[i].clock;
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
    uint32_t next = 0;
    for (uint32_t i = 0; i < events->count; i++) {
        pf_build_copy_event(e->b, i);
        uint32_t launch = launch_at(&e->n->launches, &next, i);
        if (launch != PF_NONE) {
            put_facts(e, launch);
        }
        PF_TRY(i % 65536 == 0 ? pf_pass_poll(e->n->ctx, err) : PF_OK);
    }
    pf_build_copy_samples(e->b);
    return pf_builder_status(e->b, err);
}

/* ---- sections ---------------------------------------------------------------------------------------------------- */

/* The process of a run; a trace without a log gets one of its own. */
static uint32_t process_of(enriched *e, const neutrino_records *r)
{
    uint32_t upid = e->n->runs.process[r->run];
    return upid != PF_NONE ? upid : pf_build_process(e->b, (int64_t)r->run + 1, r->file);
}

/* ns, 0 where there are none; of a unit of `ns`. */
static int64_t ns_of(double v, double ns)
{
    return v > 0 && v < 9e9 ? llrint(v * ns) : 0;
}

/* Where the kernel of the launch begins; without a launch, the time in the name of the file. */
static int64_t anchor_of(const neutrino_run *n, const neutrino_records *r)
{
    const neutrino_launches *v = &n->launches;
    return r->launch == PF_NONE ? ns_of(n->traces.seconds[r->trace], 1e9)
                                : v->slice_ts[r->launch] + ns_of(v->ms[0][r->launch], 1e6);
}

/* A sum of the launch as a counter: from its start to its end. */
static void draw_value(enriched *e, const enriched_place *p, const neutrino_fact *f)
{
    bool bytes = strcmp(f->key, "gmem_bytes") == 0, ops = strcmp(f->key, "tensor_ops") == 0;
    if (f->launch == PF_NONE || (!bytes && !ops)) {
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
    double kernel = e->n->launches.ms[1][f->launch];
    pf_build_sample(e->b, track, p->anchor, (double)f->value);
    pf_build_sample(e->b, track, p->anchor + (kernel > 0 && kernel < 9e9 ? ns_of(kernel, 1e6) : 1), 0);
}

static bool has_kind(const neutrino_run *n, const neutrino_records *r, const char *kind, neutrino_analysis a)
{
    return pf_neutrino_wants(n, a) && pf_str_is(r->kind, kind) && r->complete;
}

static pf_status draw_sections(enriched *e, pf_error *err)
{
    const neutrino_run *n = e->n;
    neutrino_records r;
    uint32_t fact = 0;
    for (uint32_t i = 0; pf_neutrino_records_at(n, i, &r); i++) {
        const enriched_place p = {&r, process_of(e, &r), anchor_of(n, &r), 1 / n->ghz};
        if (has_kind(n, &r, "block_sched", NEUTRINO_BLOCK_SCHED)) {
            PF_TRY(pf_enriched_blocks(e, &p, err));
        } else if (has_kind(n, &r, "dmat", NEUTRINO_DMAT)) {
            PF_TRY(pf_enriched_accesses(e, &p, err));
        }
        for (; fact < n->fact_count && n->facts[fact].section == i; fact++) {
            draw_value(e, &p, &n->facts[fact]);
        }
        PF_TRY(pf_builder_status(e->b, err));
    }
    return PF_OK;
}

static pf_status draw(enriched *e, pf_trace **made, pf_error *err)
{
    PF_TRY(pf_strings_init(&e->tracks, e->n->arena->budget, err));
    pf_build_attribute_text(e->b, PF_STR("postfetto.pass"), PF_STR("neutrino"));
    PF_TRY(link_facts(e, err));
    PF_TRY(copy_events(e, err));
    PF_TRY(draw_sections(e, err));
    if (e->error.code != PF_OK) {
        *err = e->error;
        return err->code;
    }
    return pf_builder_finish(e->b, made, err);
}

pf_status pf_neutrino_enrich(const neutrino_run *n, pf_error *err)
{
    pf_budget *budget = n->arena->budget;
    enriched e = {.n = n, .b = pf_builder_derive(n->t, &budget->limits), .category = pf_overlay_category(n->f)};
    pf_trace *made = NULL;
    if (!e.b) {
        return pf_budget_refused(budget, 1 << 20, err);
    }
    pf_status st = draw(&e, &made, err);
    pf_builder_free(e.b);
    pf_strings_free(&e.tracks);
    PF_LIST_FREE(budget, e.track, e.room);
    if (st == PF_OK) {
        pf_findings_report_trace(n->f, PF_STR("neutrino.pftrace"), made, PF_PLACE_OUTPUT);
    }
    return st;
}
