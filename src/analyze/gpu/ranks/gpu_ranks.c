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

/* ---- who is last ------------------------------------------------------------------------------------------------- */

static void measure(gpu_ranks *r, gpu_collective *c)
{
    gpu_rank_part *p = &r->parts[c->first];
    uint32_t last = 0, second = PF_NONE, first = 0, recorded_first = 0, recorded_last = 0;
    __int128 sum = 0;
    for (uint32_t k = 0; k < c->count; k++) {
        sum += p[k].start;
        first = p[k].start < p[first].start ? k : first;
        recorded_first = p[k].began < p[recorded_first].began ? k : recorded_first;
        recorded_last = p[k].began > p[recorded_last].began ? k : recorded_last;
        if (k && p[k].start > p[last].start) {
            second = last;
            last = k;
        } else if (k && (second == PF_NONE || p[k].start > p[second].start)) {
            second = k;
        }
    }
    c->last = c->first + last;
    c->recorded_last = c->first + recorded_last;
    for (uint32_t k = 0; k < c->count; k++) {
        c->recorded_tie |= k != recorded_last && p[k].began == p[recorded_last].began;
    }
    c->spread = apart(p[last].start, p[first].start);
    c->recorded_spread = apart(p[recorded_last].began, p[recorded_first].began);
    c->behind = apart(p[last].start, p[second].start);
    __int128 count = c->count ? c->count : 1, mean = sum / count - (sum % count < 0);
    for (uint32_t k = 0; k < c->count; k++) {
        uint64_t waited = apart(p[last].start, p[k].start);
        gpu_rank_facts *rank = &r->rank[p[k].input];
        p[k].late = capped(p[k].start - mean);
        c->lost += waited;
        rank->collectives++;
        rank->waited += waited;
    }
    if (c->behind) { /* of several that were last at once none is to blame */
        r->rank[p[last].input].last++;
        r->rank[p[last].input].caused += c->lost;
    }
}

/* ---- whether the work before explains it ------------------------------------------------------------------------ */

typedef struct pearson {
    double n, x, y, xx, yy, xy;
} pearson;

static void correlate(const gpu_ranks *r, pearson *sums)
{
    for (uint32_t i = 0; i < r->collective_count; i++) {
        const gpu_collective *c = &r->collectives[i];
        double mean = 0;
        for (uint32_t k = c->first; k < c->first + c->count; k++) {
            mean += (double)r->parts[k].work / (double)c->count;
        }
        for (uint32_t k = c->first; k < c->first + c->count; k++) {
            double x = (double)r->parts[k].work - mean, y = (double)r->parts[k].late;
            pearson *p = &sums[r->parts[k].input];
            p->n++;
            p->x += x;
            p->y += y;
            p->xx += x * x;
            p->yy += y * y;
            p->xy += x * y;
        }
    }
}

static pf_status correlate_ranks(gpu_facts *g, gpu_ranks *r, pf_error *err)
{
    pearson *sums;
    PF_TRY(PF_ARENA_NEW(g->arena, sums, g->rank_count, err));
    correlate(r, sums);
    for (uint32_t i = 0; i < g->rank_count; i++) {
        const pearson *p = &sums[i];
        double across = (p->n * p->xx - p->x * p->x) * (p->n * p->yy - p->y * p->y);
        r->rank[i].correlated = p->n >= 3 && across > 0;
        r->rank[i].correlation = r->rank[i].correlated ? (p->n * p->xy - p->x * p->y) / sqrt(across) : 0;
    }
    return PF_OK;
}

static int by_start(const void *a, const void *b, void *ranks)
{
    const gpu_ranks *r = ranks;
    const gpu_collective *x = a, *y = b;
    int order = PF_COMPARE(r->parts[x->last].start, r->parts[y->last].start);
    return order ? order : PF_COMPARE(x->first, y->first);
}

pf_status pf_gpu_compare_ranks(gpu_facts *g, gpu_ranks *r, pf_error *err)
{
    PF_TRY(pf_gpu_match_collectives(g, r, err));
    PF_TRY(pf_gpu_estimate_clocks(g, r, err));
    PF_TRY(pf_gpu_estimate_lines(g, r, err));
    for (uint32_t i = 0; i < r->collective_count; i++) {
        measure(r, &r->collectives[i]);
    }
    PF_TRY(pf_gpu_blame(g, r, err));
    if (r->collective_count) {
        qsort_r(r->collectives, r->collective_count, sizeof *r->collectives, by_start, r);
    }
    return correlate_ranks(g, r, err);
}

/* ---- tables ------------------------------------------------------------------------------------------------------ */

enum { STEP_NUMBER = 3, STEP_START = 9 }; /* columns of gpu_steps */

/* The cells of GPU_WHOSE, null where several were last. */
#define WHO(g, known, i)                                                                                               \
    (known) ? pf_gpu_input_cell(g, i) : pf_cell_text((pf_str){NULL, 0}),                                               \
        (known) ? pf_gpu_rank_cell(g, i) : pf_cell_int_if(false, 0)

/* The step of an input in which a collective began there, by the rows of table gpu_steps from `first` on. */
static pf_cell step_of(const gpu_facts *g, const gpu_rank_part *p, const uint32_t *first)
{
    const pf_table *t = pf_table_view(g->table[GPU_TABLE_STEPS]);
    const pf_cell *found = NULL;
    for (uint32_t row = first[p->input]; row < first[p->input + 1]; row++) {
        const pf_cell *c = &t->cells[row * t->column_count];
        const pf_cell *start = &c[STEP_START], *end = &c[STEP_START + 1];
        found = !start->null && start->as.i <= p->began && p->began < end->as.i ? &c[STEP_NUMBER] : found;
    }
    return found ? *found : pf_cell_int_if(false, 0);
}

static void add_collective(const gpu_facts *g, const gpu_ranks *r, const gpu_collective *c, const uint32_t *steps)
{
    uint32_t last = r->parts[c->last].input, recorded = r->parts[c->recorded_last].input;
    const gpu_series key = pf_gpu_series_of(r, c->series);
    GPU_ROW(g, GPU_TABLE_STRAGGLERS, pf_cell_text(pf_gpu_collective_name(key.kind)),
            pf_cell_text(pf_strings_get(&r->texts, key.group)), pf_cell_count(c->number),
            pf_cell_int_if(key.bytes >= 0, key.bytes), pf_cell_count(c->count), pf_cell_int(r->parts[c->last].start),
            pf_cell_count(c->recorded_spread), WHO(g, !c->recorded_tie, recorded), pf_cell_count(c->spread),
            WHO(g, c->behind > 0, last), pf_cell_count(c->behind), pf_cell_count(c->lost),
            step_of(g, &r->parts[c->last], steps), WHO(g, c->behind > 0, c->behind ? c->cause : 0));
}

static void add_costly(const gpu_facts *g, const gpu_ranks *r, const gpu_costly *c, uint64_t whole,
                       const uint32_t *steps)
{
    const gpu_series key = pf_gpu_series_of(r, c->worst->series);
    GPU_ROW(g, GPU_TABLE_RANK_COSTS, GPU_WHOSE(g, c->input), pf_cell_count(r->rank[c->input].delayed),
            pf_cell_count(c->cost), pf_cell_real(100 * (double)c->cost / (double)whole),
            step_of(g, &r->parts[c->worst->last], steps), pf_cell_text(pf_gpu_collective_name(key.kind)),
            pf_cell_text(pf_strings_get(&r->texts, key.group)), pf_cell_count(c->worst->number),
            pf_cell_int(r->parts[c->worst->last].start), pf_cell_count(c->worst->lost), pf_cell_text(c->what),
            pf_cell_text(c->name), pf_cell_int_if(c->what.ptr != NULL, c->more),
            pf_cell_text(pf_gpu_rank_text(g, c->input, g->f)));
}

static pf_status tabulate_costs(gpu_facts *g, const gpu_ranks *r, const uint32_t *steps, pf_error *err)
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
    uint32_t *rows; /* of gpu_steps */
    PF_TRY(pf_findings_status(g->f, err));
    PF_TRY(pf_gpu_rows_by_input(g, pf_table_view(g->table[GPU_TABLE_STEPS]), g->arena, &rows, err));
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
        add_collective(g, r, &r->collectives[i], rows);
    }
    PF_TRY(tabulate_costs(g, r, rows, err));
    PF_TRY(pf_gpu_tabulate_spread(g, err));
    PF_TRY(pf_gpu_tabulate_map(g, r, err));
    return pf_findings_status(g->f, err);
}
