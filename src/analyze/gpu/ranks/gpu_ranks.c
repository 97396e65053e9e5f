/* analyze/gpu/ranks/gpu_ranks.c - point 5: who starts last, what the others lose meanwhile, and whether the work before
 * explains it. */
#include "analyze/gpu/ranks/gpu_ranks.h"

#include <math.h>
#include <stdlib.h>

#include "analyze/gpu/kernels/gpu_kernels.h"
#include "analyze/gpu/ranks/gpu_across.h"
#include "analyze/gpu/times/gpu_times.h"
#include "analyze/support/pass_memory.h"
#include "base/ordering.h"

static int64_t capped(__int128 v)
{
    return v > INT64_MAX ? INT64_MAX : v < -INT64_MAX ? -INT64_MAX : (int64_t)v;
}

static uint64_t apart(int64_t later, int64_t earlier)
{
    return (uint64_t)later - (uint64_t)earlier;
}

static void arrive(gpu_collective *c, const gpu_rank_part *p)
{
    bool first = c->seen++ == 0;
    c->starts += p->start;
    c->work += p->work;
    c->earliest = first || p->start < c->earliest ? p->start : c->earliest;
    c->recorded_earliest = first || p->began < c->recorded_earliest ? p->began : c->recorded_earliest;
    if (first || p->began > c->recorded_last_start) {
        c->recorded_last_start = p->began;
        c->recorded_last = p->input;
        c->recorded_tie = false;
    } else {
        c->recorded_tie |= p->began == c->recorded_last_start;
    }
    c->own_count += p->before != PF_NONE;
    c->own_sum += p->own;
    if (first || p->start > c->last_start || (p->start == c->last_start && p->input < c->last.input)) {
        c->second_start = first ? p->start : c->last_start;
        c->last_start = p->start;
        c->last = *p;
    } else if (c->seen == 2 || p->start > c->second_start) {
        c->second_start = p->start;
    }
}

/* As the first of its inputs has them, which is the reference where that took part. */
static int by_first(const void *a, const void *b, void *ranks)
{
    const gpu_ranks *r = ranks;
    const gpu_rank_part *x = &r->collectives[((const gpu_rank_part *)a)->collective].part,
                        *y = &r->collectives[((const gpu_rank_part *)b)->collective].part;
    int order = PF_COMPARE(x->input, y->input);
    return order ? order : PF_COMPARE(x->at, y->at);
}

/* What each call follows in its input, of calls that are one collective with others. */
static void find_before(const gpu_ranks *r, gpu_rank_part *p, uint32_t n)
{
    const gpu_rank_part *before = NULL;
    for (const gpu_rank_part *end = p + n; p < end; p++) {
        p->before = before ? before->collective : PF_NONE;
        p->own = before ? pf_gpu_difference(p->began, before->end) : 0;
        before = r->collectives[p->collective].count > 1 ? p : before;
    }
}

static pf_status place_input(gpu_facts *g, gpu_ranks *r, gpu_rank_part *p, uint32_t n, pf_error *err)
{
    find_before(r, p, n);
    qsort_r(p, n, sizeof *p, by_first, r);
    PF_TRY(pf_gpu_estimate_clock(g, r, p, n, err));
    PF_TRY(pf_gpu_estimate_line(g, r, p, n, err));
    for (uint32_t k = 0; k < n; k++) {
        arrive(&r->collectives[p[k].collective], &p[k]);
    }
    return PF_OK;
}

static void measure(gpu_ranks *r, gpu_collective *c)
{
    c->spread = apart(c->last_start, c->earliest);
    c->recorded_spread = apart(c->recorded_last_start, c->recorded_earliest);
    c->behind = apart(c->last_start, c->second_start);
    c->lost = (uint64_t)((__int128)c->count * c->last_start - c->starts);
    c->mean_start = (int64_t)(c->starts / c->count - (c->starts % c->count < 0));
    c->mean_work = (double)c->work / c->count;
    if (c->behind) { /* of several that were last at once none is to blame */
        r->rank[c->last.input].last++;
        r->rank[c->last.input].caused += c->lost;
    }
}

static int by_start(const void *a, const void *b, void *ranks)
{
    const gpu_ranks *r = ranks;
    const gpu_collective *x = &r->collectives[*(const uint32_t *)a], *y = &r->collectives[*(const uint32_t *)b];
    int order = PF_COMPARE(x->last_start, y->last_start);
    order = order ? order : PF_COMPARE(x->part.input, y->part.input);
    return order ? order : PF_COMPARE(x->part.at, y->part.at);
}

static void sort_collectives(gpu_ranks *r)
{
    if (r->collective_count) {
        qsort_r(r->sorted, r->collective_count, sizeof *r->sorted, by_start, r);
    }
    for (uint32_t i = 0; i < r->collective_count; i++) {
        pf_gpu_collective_at(r, i)->order = i;
        measure(r, pf_gpu_collective_at(r, i));
    }
}

static int by_order(const void *a, const void *b, void *ranks)
{
    const gpu_ranks *r = ranks;
    const gpu_rank_part *x = a, *y = b;
    return PF_COMPARE(r->collectives[x->collective].order, r->collectives[y->collective].order);
}

/* What an input waited for, and whether the work before explains how late it came. */
static pf_status judge_input(gpu_facts *g, gpu_ranks *r, gpu_rank_part *p, uint32_t n, pf_error *err)
{
    gpu_rank_facts *rank = &r->rank[p->input];
    double count, sx = 0, sy = 0, xx = 0, yy = 0, xy = 0;
    (void)g;
    (void)err;
    qsort_r(p, n, sizeof *p, by_order, r);
    for (const gpu_rank_part *end = p + n; p < end; p++) {
        const gpu_collective *c = &r->collectives[p->collective];
        if (c->count < 2) {
            continue;
        }
        p->start = pf_gpu_difference(p->began, rank->clock_offset);
        rank->collectives++;
        rank->waited += apart(c->last_start, p->start);
        double x = (double)p->work - c->mean_work, y = (double)capped((__int128)p->start - c->mean_start);
        sx += x;
        sy += y;
        xx += x * x;
        yy += y * y;
        xy += x * y;
    }
    count = (double)rank->collectives;
    double across = (count * xx - sx * sx) * (count * yy - sy * sy);
    rank->correlated = rank->collectives >= 3 && across > 0;
    rank->correlation = rank->correlated ? (count * xy - sx * sy) / sqrt(across) : 0;
    return PF_OK;
}

pf_status pf_gpu_compare_ranks(gpu_facts *g, gpu_ranks *r, pf_error *err)
{
    PF_TRY(pf_gpu_match_collectives(g, r, err));
    PF_TRY(pf_gpu_each_input(g, r, place_input, err));
    sort_collectives(r);
    pf_gpu_blame(r);
    return pf_gpu_each_input(g, r, judge_input, err);
}

/* ---- tables ------------------------------------------------------------------------------------------------------ */

enum { STEP_NUMBER = 3, STEP_START = 9 }; /* columns of gpu_steps */

/* The cells of GPU_WHOSE, null where several were last. */
#define WHO(g, known, i)                                                                                               \
    (known) ? pf_gpu_input_cell(g, i) : pf_cell_text((pf_str){NULL, 0}),                                               \
        (known) ? pf_gpu_rank_cell(g, i) : pf_cell_int_if(false, 0)

/* The step of an input in which a collective began there. */
static pf_cell step_of(const gpu_rank_part *p, const gpu_input_rows *steps)
{
    const gpu_rows own = pf_gpu_input_rows(steps, p->input);
    const pf_cell *found = NULL;
    for (size_t row = own.from; row < own.to; row++) {
        const pf_cell *c = &own.t->cells[row * own.t->column_count];
        const pf_cell *start = &c[STEP_START], *end = &c[STEP_START + 1];
        found = !start->null && start->as.i <= p->began && p->began < end->as.i ? &c[STEP_NUMBER] : found;
    }
    return found ? *found : pf_cell_int_if(false, 0);
}

static void add_collective(const gpu_facts *g, const gpu_ranks *r, const gpu_collective *c, const gpu_input_rows *steps)
{
    const gpu_series key = pf_gpu_series_of(r, c->series);
    GPU_ROW(g, GPU_TABLE_STRAGGLERS, pf_cell_text(pf_gpu_collective_name(key.kind)),
            pf_cell_text(pf_strings_get(&r->texts, key.group)), pf_cell_count(c->number),
            pf_cell_int_if(key.bytes >= 0, key.bytes), pf_cell_count(c->count), pf_cell_int(c->last_start),
            pf_cell_count(c->recorded_spread), WHO(g, !c->recorded_tie, c->recorded_last), pf_cell_count(c->spread),
            WHO(g, c->behind > 0, c->last.input), pf_cell_count(c->behind), pf_cell_count(c->lost),
            step_of(&c->last, steps), WHO(g, c->behind > 0, c->behind ? c->cause : 0));
}

static void add_costly(const gpu_facts *g, const gpu_ranks *r, const gpu_costly *c, uint64_t whole,
                       const gpu_input_rows *steps)
{
    const gpu_series key = pf_gpu_series_of(r, c->worst->series);
    GPU_ROW(g, GPU_TABLE_RANK_COSTS, GPU_WHOSE(g, c->input), pf_cell_count(r->rank[c->input].delayed),
            pf_cell_count(c->cost), pf_cell_real(100 * (double)c->cost / (double)whole),
            step_of(&c->worst->last, steps), pf_cell_text(pf_gpu_collective_name(key.kind)),
            pf_cell_text(pf_strings_get(&r->texts, key.group)), pf_cell_count(c->worst->number),
            pf_cell_int(c->worst->last_start), pf_cell_count(c->worst->lost), pf_cell_text(c->what),
            pf_cell_text(c->name), pf_cell_int_if(c->what.ptr != NULL, c->more),
            pf_cell_text(pf_gpu_rank_text(g, c->input, g->f)));
}

static pf_status tabulate_costs(gpu_facts *g, const gpu_ranks *r, const gpu_input_rows *steps, pf_error *err)
{
    gpu_costly *list;
    uint32_t count;
    uint64_t whole = 0;
    PF_TRY(pf_gpu_costliest(g, r, &list, &count, err));
    PF_TRY(pf_gpu_tabulate_causes(g, list, count, err));
    for (uint32_t i = 0; i < g->rank_count; i++) {
        whole += r->rank[i].cost;
    }
    for (uint32_t i = 0; i < count; i++) {
        add_costly(g, r, &list[i], whole, steps);
    }
    return PF_OK;
}

/* Nothing is known of a rank that shares no collective with another one. */
static pf_cell known_count(const gpu_rank_facts *k, uint64_t v)
{
    return pf_cell_int_if(k->collectives > 0, pf_cell_count(v).as.i);
}

/* What the devices of a rank did, one after the other. */
static gpu_times times_of(const gpu_facts *g, const gpu_rank *rank)
{
    gpu_times all = {.start = 0};
    for (const gpu_device *d = g->devices + rank->first_device, *end = d + rank->device_count; d < end; d++) {
        pf_gpu_add_times(&all, &d->times);
    }
    return all;
}

/* The median step of the device whose steps take longest, which the others wait for; 0 without steps. */
static uint64_t median_step(const gpu_facts *g, const gpu_step_facts *s, uint32_t input)
{
    const gpu_rank *rank = &g->ranks[input];
    uint64_t most = rank->device_count ? 0 : pf_gpu_steps_of(g, s, input, PF_NONE)->steady.median;
    for (uint32_t d = rank->first_device; d < rank->first_device + rank->device_count; d++) {
        uint64_t own = pf_gpu_steps_of(g, s, input, d)->steady.median;
        most = own > most ? own : most;
    }
    return most;
}

pf_status pf_gpu_tabulate_ranks(gpu_facts *g, const gpu_step_facts *s, const gpu_ranks *r, pf_error *err)
{
    gpu_input_rows rows;
    PF_TRY(pf_findings_status(g->f, err));
    PF_TRY(pf_gpu_rows_by_input(g, GPU_TABLE_STEPS, g->arena, &rows, err));
    for (uint32_t i = 0; i < g->rank_count; i++) {
        const gpu_rank_facts *k = &r->rank[i];
        const gpu_times all = times_of(g, &g->ranks[i]);
        uint32_t steps = s->of_input[i].count;
        GPU_ROW(g, GPU_TABLE_RANKS, GPU_WHOSE(g, i), pf_cell_count(g->ranks[i].device_count),
                pf_cell_count(g->ranks[i].op_count), pf_cell_count(steps),
                pf_cell_int_if(steps > 0, pf_cell_count(median_step(g, s, i)).as.i), pf_cell_count(all.busy),
                pf_cell_count(all.in_class[GPU_COMPUTE]), pf_cell_count(all.in_class[GPU_COMMUNICATION]),
                pf_cell_count(all.exposed), pf_cell_count(gpu_exposed_memcpy(&all)), pf_cell_count(all.idle),
                pf_cell_count(k->collectives), pf_cell_int_if(k->clock_known, k->clock_offset),
                pf_cell_int_if(k->clock_known, k->clock_error), pf_cell_int_if(k->line_known, k->line_at),
                pf_cell_int_if(k->line_known, k->line_offset), pf_cell_real_if(k->line_known, k->drift_ppb),
                pf_cell_int_if(k->line_known, k->uncertainty), known_count(k, k->last), known_count(k, k->caused),
                known_count(k, k->waited), pf_cell_real_if(k->correlated, k->correlation),
                pf_cell_text(pf_gpu_rank_text(g, i, g->f)));
    }
    for (uint32_t i = 0; i < r->collective_count; i++) {
        add_collective(g, r, pf_gpu_collective_at(r, i), &rows);
    }
    PF_TRY(tabulate_costs(g, r, &rows, err));
    PF_TRY(pf_gpu_tabulate_spread(g, err));
    PF_TRY(pf_gpu_tabulate_map(g, r, err));
    return pf_findings_status(g->f, err);
}
