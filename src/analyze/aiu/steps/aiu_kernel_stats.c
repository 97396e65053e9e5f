/* analyze/aiu/steps/aiu_kernel_stats.c - what kernels took, by rank and name.
 *
 * Names differ in numbers of nodes only; these become [N], so that all layers of a model are one row.
 */

#include "analyze/aiu/steps/aiu_steps.h"
#include "analyze/support/order_stats.h"

double pf_aiu_median(double *v, uint32_t count)
{
    if (count == 0) {
        return 0;
    }
    double high = pf_select_real(v, count, count / 2);
    return count % 2 ? high : (pf_select_real(v, count / 2, count / 2 - 1) + high) / 2;
}

/* Adds to a sum whose rounding errors so far are in *lost (Neumaier), so that ties in the last printed digit fall as
 * those of exact sums. */
static double add(double sum, double v, double *lost)
{
    double next = sum + v;
    *lost += fabs(sum) >= fabs(v) ? (sum - next) + v : (v - next) + sum;
    return next;
}

/* Of values around a mean of two parts, each as good as exact. */
static double deviation(const double *v, uint32_t count, double mean, double rest)
{
    double squares = 0, lost = 0, of = count - 1.0;
    for (uint32_t i = 0; i < count; i++) {
        double apart = v[i] - mean, back = v[i] - apart, square = apart * apart;
        double error = (v[i] - (apart + back)) + (back - mean) - rest;
        squares = add(squares, square, &lost);
        lost += fma(apart, apart, -square) + 2 * apart * error;
    }
    double all = squares + lost, variance = all / of, root = sqrt(variance);
    double more = (fma(-variance, of, all) + ((squares - all) + lost)) / of;
    return root > 0 ? root + (fma(-root, root, variance) + more) / (2 * root) : 0;
}

aiu_numbers pf_aiu_numbers(double *v, uint32_t count)
{
    aiu_numbers n = {0};
    double lost = 0;
    if (count == 0) {
        return n;
    }
    n.least = n.most = v[0];
    for (uint32_t i = 0; i < count; i++) {
        n.sum = add(n.sum, v[i], &lost);
        n.least = v[i] < n.least ? v[i] : n.least;
        n.most = v[i] > n.most ? v[i] : n.most;
    }
    double mean = n.sum / count, rest = (fma(-mean, count, n.sum) + lost) / count;
    n.sum += lost;
    n.mean = mean + rest;
    n.median = pf_aiu_median(v, count);
    n.deviation = count > 1 ? deviation(v, count, mean, rest) : 0;
    return n;
}

typedef struct gathering {
    aiu_run *run;
    aiu_kernel_stats *out;
    uint32_t *folded; /* by text: the folded name, 0: not asked for yet */
    pf_map *rows;     /* rank and folded name -> row */
    uint32_t room;
    uint32_t *row_of; /* by event: the row */
    aiu_rows kernels;
} gathering;

static void number_rows(gathering *g)
{
    aiu_run *run = g->run;
    aiu_kernel_stats *s = g->out;
    g->folded = pf_aiu_scratch(run, run->texts.count, sizeof *g->folded);
    g->row_of = pf_aiu_scratch(run, run->events.count, sizeof *g->row_of);
    for (uint32_t i = 0; i < g->kernels.count && g->row_of; i++) {
        uint32_t e = g->kernels.list[i], name = run->events.name[e], rank = run->events.rank[e];
        g->folded[name] = g->folded[name] ? g->folded[name] : pf_aiu_replace(run, name, "~#", "_[N]", true);
        uint32_t row = g->row_of[e] = pf_aiu_number(run, g->rows, (uint64_t)rank << 32 | g->folded[name]);
        if (AIU_ROOM(run, s->row, row + 1, g->room) != PF_OK) {
            return;
        }
        if (row == s->row_count) {
            s->row[s->row_count++] = (aiu_kernel_row){.rank = rank, .name = g->folded[name]};
        }
        s->row[row].calls++;
        s->row[row].energy += run->energy ? run->energy[e] : 0;
    }
}

/* Numbers of the kernels of a row; `values` has room for one of each. */
static void measure(const aiu_events *v, aiu_kernel_row *row, const uint32_t *kernels, double *values)
{
    for (uint32_t i = 0; i < row->calls; i++) {
        values[i] = v->dur[kernels[i]];
    }
    row->time = pf_aiu_numbers(values, row->calls);
    for (size_t k = 0; k < AIU_STEP_TIMES; k++) {
        row->timed = 0;
        for (uint32_t i = 0; i < row->calls; i++) {
            uint32_t e = kernels[i];
            values[row->timed] = (double)(v->tsx[k + 1][e] - v->tsx[k][e]);
            row->timed += (v->flags[e] & AIU_HAS_TS) != 0;
        }
        row->step[k] = pf_aiu_numbers(values, row->timed);
    }
}

static void fill_rows(gathering *g)
{
    aiu_rows by_row = pf_aiu_rows_by(g->run, g->kernels, g->row_of, g->out->row_count);
    double *values = pf_aiu_scratch(g->run, g->kernels.count, sizeof *values);
    for (uint32_t r = 0; r < g->out->row_count && values; r++) {
        measure(&g->run->events, &g->out->row[r], by_row.list + by_row.first[r], values);
    }
}

/* Those with kernels, by pid. */
static void fill_ranks(gathering *g)
{
    aiu_run *run = g->run;
    aiu_kernel_stats *s = g->out;
    uint32_t *order = pf_aiu_ranks_by_pid(run);
    aiu_rank_row *all = pf_aiu_scratch(run, run->ranks.count, sizeof *all);
    s->rank = pf_aiu_alloc(run, (size_t)run->ranks.count + 1, sizeof *s->rank);
    for (uint32_t i = 0; i < g->kernels.count && s->rank; i++) {
        uint32_t e = g->kernels.list[i], rank = run->events.rank[e];
        aiu_rank_row *r = &all[rank];
        double start = run->events.ts[e], end = pf_aiu_end(run, e);
        r->first = r->calls && r->first <= start ? r->first : start;
        r->last = r->calls && r->last >= end ? r->last : end;
        r->time += run->events.dur[e];
        r->energy = run->rank_energy ? run->rank_energy[rank] : (aiu_energy){0, 0, 0};
        r->calls++;
    }
    for (uint32_t i = 0; i < run->ranks.count && s->rank; i++) {
        s->rank[s->rank_count] = all[order[i]];
        s->rank[s->rank_count].rank = order[i];
        s->rank_count += all[order[i]].calls > 0;
    }
}

/* Rows by the pid of their rank and by time. */
static void order_rows(aiu_run *run, aiu_kernel_stats *s)
{
    aiu_key *keys = pf_aiu_scratch(run, s->row_count, sizeof *keys);
    aiu_kernel_row *sorted = pf_aiu_alloc(run, s->row_count, sizeof *sorted);
    for (uint32_t i = 0; i < s->row_count && sorted; i++) {
        keys[i] = (aiu_key){(double)run->ranks.pid[s->row[i].rank], -s->row[i].time.sum, i};
    }
    if (!sorted || pf_aiu_sort_keys(run, keys, s->row_count) != PF_OK) {
        return;
    }
    for (uint32_t i = 0; i < s->row_count; i++) {
        sorted[i] = s->row[keys[i].row];
    }
    s->row = sorted;
}

void pf_aiu_calculate_stats(aiu_run *run)
{
    gathering g = {.run = run, .kernels = pf_aiu_rows(run, pf_aiu_is_kernel)};
    g.out = run->kernels = pf_aiu_alloc(run, 1, sizeof *run->kernels);
    if (!g.out) {
        return;
    }
    g.rows = pf_aiu_scratch_map(run);
    number_rows(&g);
    if (!pf_aiu_failed(run)) {
        fill_rows(&g);
        fill_ranks(&g);
        order_rows(run, g.out);
    }
}
