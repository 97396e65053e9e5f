/* analyze/neutrino/sched/sched_report.c - block scheduling as a document and as tables. */
#include <inttypes.h>
#include <math.h>
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
    const neutrino_number all[] = {{"blocks", s->r->blocks},
                                   {"sms", s->count},
                                   {"running", s->running},
                                   {"scheduling", s->scheduling},
                                   {"pairs", s->pairs}};
    PF_NEUTRINO_PUT_NUMBERS(n, o, all);
    pf_neutrino_put_text(n, o, "line", s->line);
    pf_node *each = pf_neutrino_put_object(n, o, "per_sm");
    for (uint32_t i = 0; i < s->count; i++) {
        const sched_sm *sm = s->sm[i];
        const neutrino_number own[] = {{"work", sm->work}, {"gap", sm->compat_gap}, {"blocks", sm->compat_blocks}};
        PF_NEUTRINO_PUT_NUMBERS(n, sm_object(n, each, sm), own);
    }
}

static void put_exact(const neutrino_run *n, const sched_sm *sm, pf_node *o)
{
    const sm_sweep *w = &sm->sweep;
    const neutrino_number all[] = {{"blocks", sm->exact_blocks},
                                   {"slots", w->slots},
                                   {"max_resident", w->slots},
                                   {"gap_sum", w->gap_sum},
                                   {"gap_count", pf_sm_gap_count(w)},
                                   {"gap_max", w->gap_max},
                                   {"work_sum", sm->work},
                                   {"busy", pf_sm_span(w) - w->idle},
                                   {"span", pf_sm_span(w)},
                                   {"idle", w->idle},
                                   {"tail", sm->tail}};
    PF_NEUTRINO_PUT_NUMBERS(n, o, all);
}

void pf_sched_document(const neutrino_run *n, const sched_result *s, pf_node *o)
{
    const neutrino_number spans[] = {{"span_max", s->span_max}, {"span_min", s->span_min}};
    const neutrino_number blocks[] = {{"blocks_per_sm_max", s->blocks_max}, {"blocks_per_sm_min", s->blocks_min}};
    put_compatible(n, s, pf_neutrino_put_object(n, o, "compat"));
    pf_node *exact = pf_neutrino_put_object(n, o, "exact"), *tail = pf_neutrino_put_object(n, o, "tail");
    for (uint32_t i = 0; i < s->count; i++) {
        if (s->sm[i]->exact_blocks) {
            put_exact(n, s->sm[i], sm_object(n, exact, s->sm[i]));
        }
    }
    PF_NEUTRINO_PUT_NUMBERS(n, tail, spans);
    pf_neutrino_put_real(n, tail, "span_mean", s->span_mean);
    pf_neutrino_put_real(n, tail, "imbalance", s->span_mean > 0 ? (double)s->span_max / s->span_mean : 1);
    PF_NEUTRINO_PUT_NUMBERS(n, tail, blocks);
}

/* The part of the gaps in gaps and work. */
static pf_cell share(uint64_t gap, uint64_t work)
{
    double all = (double)gap + (double)work;
    return pf_cell_real(all > 0 ? (double)gap / all : NAN);
}

static void sm_rows(neutrino_run *n, const sched_result *s)
{
    for (uint32_t i = 0; i < s->count; i++) {
        const sched_sm *sm = s->sm[i];
        const sm_sweep *w = &sm->sweep;
        const uint64_t numbers[] = {sm->exact_blocks,   w->slots,   w->slots, w->gap_sum,
                                    pf_sm_gap_count(w), w->gap_max, sm->work, pf_sm_span(w) - w->idle,
                                    pf_sm_span(w),      w->idle,    sm->tail, sm->compat_gap};
        pf_cell row[14] = {{.as.s = s->r->file}, pf_cell_int(sm->id)};
        for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
            row[2 + k] = pf_neutrino_cell(numbers[k]);
        }
        pf_neutrino_tabulate(n, NEUTRINO_TABLE_SM, row);
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
    double imbalance = s->span_mean > 0 ? (double)s->span_max / s->span_mean : NAN;
    const pf_cell row[] = {{.as.s = s->r->file},
                           pf_cell_text(s->r->kernel),
                           pf_neutrino_cell(s->r->blocks),
                           pf_cell_int(s->count),
                           pf_neutrino_cell(s->running),
                           pf_neutrino_cell(s->scheduling),
                           share(s->scheduling, s->running),
                           share(gap, work),
                           pf_cell_real(imbalance),
                           pf_neutrino_cell(s->span_max),
                           pf_cell_real(s->span_mean),
                           pf_neutrino_cell(s->blocks_min),
                           pf_neutrino_cell(s->blocks_max),
                           pf_neutrino_cell(s->tail_max),
                           idle};
    pf_neutrino_tabulate(n, NEUTRINO_TABLE_SCHED, row);
    sm_rows(n, s);
}
