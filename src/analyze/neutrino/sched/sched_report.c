/* analyze/neutrino/sched/sched_report.c - block scheduling as a document and as tables. */
#include <inttypes.h>
#include <stdio.h>

#include "analyze/neutrino/sched/block_sched.h"

static pf_node *sm_object(const neutrino_run *n, pf_node *parent, const sched_sm *sm)
{
    char key[16];
    snprintf(key, sizeof key, "%" PRIu32, sm->id);
    return pf_neutrino_put_object(n, parent, key);
}

static void put_compatible(const neutrino_run *n, const sched_result *s, pf_node *o)
{
    pf_neutrino_put_u64(n, o, "blocks", s->r->blocks);
    pf_neutrino_put_u64(n, o, "sms", s->count);
    pf_neutrino_put_u64(n, o, "running", s->running);
    pf_neutrino_put_u64(n, o, "scheduling", s->scheduling);
    pf_neutrino_put_u64(n, o, "pairs", s->pairs);
    pf_neutrino_put_text(n, o, "line", s->line);
    pf_node *each = pf_neutrino_put_object(n, o, "per_sm");
    for (uint32_t i = 0; i < s->count; i++) {
        pf_node *sm = sm_object(n, each, s->sm[i]);
        pf_neutrino_put_u64(n, sm, "work", s->sm[i]->work);
        pf_neutrino_put_u64(n, sm, "gap", s->sm[i]->compat_gap);
        pf_neutrino_put_u64(n, sm, "blocks", s->sm[i]->compat_blocks);
    }
}

static void put_exact(const neutrino_run *n, const sched_sm *sm, pf_node *o)
{
    const sm_sweep *w = &sm->sweep;
    pf_neutrino_put_u64(n, o, "blocks", sm->exact_blocks);
    pf_neutrino_put_u64(n, o, "slots", w->slots);
    pf_neutrino_put_u64(n, o, "max_resident", w->slots);
    pf_neutrino_put_u64(n, o, "gap_sum", w->gap_sum);
    pf_neutrino_put_u64(n, o, "gap_count", pf_sm_gap_count(w));
    pf_neutrino_put_u64(n, o, "gap_max", w->gap_max);
    pf_neutrino_put_u64(n, o, "work_sum", sm->work);
    pf_neutrino_put_u64(n, o, "busy", pf_sm_span(w) - w->idle);
    pf_neutrino_put_u64(n, o, "span", pf_sm_span(w));
    pf_neutrino_put_u64(n, o, "idle", w->idle);
    pf_neutrino_put_u64(n, o, "tail", sm->tail);
}

void pf_sched_document(const neutrino_run *n, const sched_result *s, pf_node *o)
{
    put_compatible(n, s, pf_neutrino_put_object(n, o, "compat"));
    pf_node *exact = pf_neutrino_put_object(n, o, "exact"), *tail = pf_neutrino_put_object(n, o, "tail");
    for (uint32_t i = 0; i < s->count; i++) {
        if (s->sm[i]->exact_blocks) {
            put_exact(n, s->sm[i], sm_object(n, exact, s->sm[i]));
        }
    }
    pf_neutrino_put_u64(n, tail, "span_max", s->span_max);
    pf_neutrino_put_u64(n, tail, "span_min", s->span_min);
    pf_neutrino_put_real(n, tail, "span_mean", s->span_mean);
    pf_neutrino_put_real(n, tail, "imbalance", s->span_mean > 0 ? (double)s->span_max / s->span_mean : 1);
    pf_neutrino_put_u64(n, tail, "blocks_per_sm_max", s->blocks_max);
    pf_neutrino_put_u64(n, tail, "blocks_per_sm_min", s->blocks_min);
}

/* The part of the gaps in gaps and work. */
static pf_cell share(uint64_t gap, uint64_t work)
{
    double all = (double)gap + (double)work;
    return (pf_cell){.null = all <= 0, .as.d = all > 0 ? (double)gap / all : 0};
}

static void sm_rows(neutrino_run *n, const sched_result *s)
{
    pf_table_builder *t = pf_neutrino_report_table(n, NEUTRINO_TABLE_SM);
    for (uint32_t i = 0; i < s->count; i++) {
        const sched_sm *sm = s->sm[i];
        const sm_sweep *w = &sm->sweep;
        const pf_cell row[] = {{.as.s = s->r->file},
                               {.as.i = sm->id},
                               pf_neutrino_cell(sm->exact_blocks),
                               {.as.i = w->slots},
                               {.as.i = w->slots},
                               pf_neutrino_cell(w->gap_sum),
                               pf_neutrino_cell(pf_sm_gap_count(w)),
                               pf_neutrino_cell(w->gap_max),
                               pf_neutrino_cell(sm->work),
                               pf_neutrino_cell(pf_sm_span(w) - w->idle),
                               pf_neutrino_cell(pf_sm_span(w)),
                               pf_neutrino_cell(w->idle),
                               pf_neutrino_cell(sm->tail),
                               pf_neutrino_cell(sm->compat_gap)};
        pf_table_row(n->f, t, row);
    }
}

void pf_sched_tables(neutrino_run *n, const sched_result *s)
{
    uint64_t gap = 0, work = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        gap += s->sm[i]->sweep.gap_sum;
        work += s->sm[i]->work;
    }
    pf_cell idle = pf_neutrino_cell(s->idle_tail);
    idle.null = !n->global_timer;
    const pf_cell row[] = {
        {.as.s = s->r->file},
        {.null = !s->r->kernel.ptr, .as.s = s->r->kernel},
        pf_neutrino_cell(s->r->blocks),
        {.as.i = s->count},
        pf_neutrino_cell(s->running),
        pf_neutrino_cell(s->scheduling),
        share(s->scheduling, s->running),
        share(gap, work),
        {.null = s->span_mean <= 0, .as.d = s->span_mean > 0 ? (double)s->span_max / s->span_mean : 0},
        pf_neutrino_cell(s->span_max),
        {.as.d = s->span_mean},
        pf_neutrino_cell(s->blocks_min),
        pf_neutrino_cell(s->blocks_max),
        pf_neutrino_cell(s->tail_max),
        idle};
    pf_table_row(n->f, pf_neutrino_report_table(n, NEUTRINO_TABLE_SCHED), row);
    sm_rows(n, s);
}
