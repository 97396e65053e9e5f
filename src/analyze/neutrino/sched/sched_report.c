/* analyze/neutrino/sched/sched_report.c - block scheduling as a document and as tables. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analyze/neutrino/sched/block_sched.h"

static pf_node *sm_object(const neutrino_run *n, pf_node *parent, const sched_sm *sm)
{
    char key[16];
    snprintf(key, sizeof key, "%" PRIu32, sm->id);
    return pf_neutrino_put(n, parent, key, PF_NODE_OBJECT);
}

static void put_compatible(const neutrino_run *n, const sched_result *s, pf_node *o)
{
    PF_NEUTRINO_PUT_NUMBERS(n, o, {"blocks", s->r->blocks}, {"sms", s->count}, {"running", s->running},
                            {"scheduling", s->scheduling}, {"pairs", s->pairs});
    pf_neutrino_put_text(n, o, "line", s->line);
    pf_node *each = pf_neutrino_put(n, o, "per_sm", PF_NODE_OBJECT);
    for (uint32_t i = 0; i < s->count; i++) {
        const sched_sm *sm = s->sm[i];
        PF_NEUTRINO_PUT_NUMBERS(n, sm_object(n, each, sm), {"work", sm->work}, {"gap", sm->compat_gap},
                                {"blocks", sm->compat_blocks});
    }
}

/* The exact result of an SM: members of its object, and columns of its row. */
enum { EXACT = 11 };
static void list_exact(const sched_sm *sm, neutrino_number *out)
{
    const sm_sweep *w = &sm->sweep;
    const neutrino_number all[EXACT] = {{"blocks", sm->exact_blocks},
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
    memcpy(out, all, sizeof all);
}

void pf_sched_document(const neutrino_run *n, const sched_result *s, pf_node *o)
{
    put_compatible(n, s, pf_neutrino_put(n, o, "compat", PF_NODE_OBJECT));
    pf_node *exact = pf_neutrino_put(n, o, "exact", PF_NODE_OBJECT),
            *tail = pf_neutrino_put(n, o, "tail", PF_NODE_OBJECT);
    for (uint32_t i = 0; i < s->count; i++) {
        if (s->sm[i]->exact_blocks) {
            neutrino_number numbers[EXACT];
            list_exact(s->sm[i], numbers);
            pf_neutrino_put_numbers(n, sm_object(n, exact, s->sm[i]), numbers, EXACT);
        }
    }
    PF_NEUTRINO_PUT_NUMBERS(n, tail, {"span_max", s->span_max}, {"span_min", s->span_min});
    pf_neutrino_put_real(n, tail, "span_mean", s->span_mean);
    pf_neutrino_put_real(n, tail, "imbalance", s->span_mean > 0 ? (double)s->span_max / s->span_mean : 1);
    PF_NEUTRINO_PUT_NUMBERS(n, tail, {"blocks_per_sm_max", s->blocks_max}, {"blocks_per_sm_min", s->blocks_min});
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
        neutrino_number exact[EXACT];
        pf_cell row[2 + EXACT + 1] = {{.as.s = s->r->file}, pf_cell_int(sm->id)};
        list_exact(sm, exact);
        for (size_t k = 0; k < EXACT; k++) {
            row[2 + k] = pf_cell_count(exact[k].v);
        }
        row[2 + EXACT] = pf_cell_count(sm->compat_gap);
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
    double imbalance = s->span_mean > 0 ? (double)s->span_max / s->span_mean : NAN;
    PF_NEUTRINO_ROW(n, NEUTRINO_TABLE_SCHED, {.as.s = s->r->file}, pf_cell_text(s->r->kernel),
                    pf_cell_count(s->r->blocks), pf_cell_int(s->count), pf_cell_count(s->running),
                    pf_cell_count(s->scheduling), share(s->scheduling, s->running), share(gap, work),
                    pf_cell_real(imbalance), pf_cell_count(s->span_max), pf_cell_real(s->span_mean),
                    pf_cell_count(s->blocks_min), pf_cell_count(s->blocks_max), pf_cell_count(s->tail_max),
                    n->global_timer ? pf_cell_count(s->idle_tail) : (pf_cell){.null = true});
    sm_rows(n, s);
}
