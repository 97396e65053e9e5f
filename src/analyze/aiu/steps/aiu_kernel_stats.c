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

/* Rows in order of appearance; of: by event, its row. */
static void number_rows(aiu_run *run, aiu_kernel_stats *s, aiu_rows kernels, uint32_t *of)
{
    pf_map *rows = pf_aiu_scratch_map(run);                                             /* rank and folded name */
    uint32_t *folded = pf_aiu_scratch(run, run->texts.count, sizeof *folded), room = 0; /* by text; 0: not known */
    for (uint32_t i = 0; i < kernels.count && folded; i++) {
        uint32_t e = kernels.list[i], name = run->events.name[e], rank = run->events.rank[e];
        folded[name] = folded[name] ? folded[name] : pf_aiu_replace(run, name, "~#", "_[N]", true);
        uint32_t row = of[e] = pf_aiu_number(run, rows, (uint64_t)rank << 32 | folded[name]);
        if (AIU_ROOM(run, s->row, row + 1, room) != PF_OK) {
            return;
        }
        if (row == s->row_count) {
            s->row[s->row_count++] = (aiu_kernel_row){.rank = rank, .name = folded[name]};
        }
        s->row[row].calls++;
        s->row[row].energy += run->energy ? run->energy[e] : 0;
    }
}

static void fill_rows(aiu_run *run, aiu_kernel_stats *s, aiu_rows kernels, const uint32_t *of)
{
    const aiu_events *v = &run->events;
    aiu_rows by_row = pf_aiu_rows_by(run, kernels, of, s->row_count);
    double *values = pf_aiu_scratch(run, kernels.count, sizeof *values);
    for (uint32_t r = 0; r < s->row_count && values; r++) {
        aiu_kernel_row *row = &s->row[r];
        const uint32_t *own = by_row.list + by_row.first[r];
        for (uint32_t i = 0; i < row->calls; i++) {
            values[i] = v->dur[own[i]];
        }
        row->time = pf_aiu_numbers(values, row->calls);
        for (size_t k = 0; k < AIU_STEP_TIMES; k++) {
            row->timed = 0;
            for (uint32_t i = 0; i < row->calls; i++) {
                values[row->timed] = (double)(v->tsx[k + 1][own[i]] - v->tsx[k][own[i]]);
                row->timed += (v->flags[own[i]] & AIU_HAS_TS) != 0;
            }
            row->step[k] = pf_aiu_numbers(values, row->timed);
        }
    }
}

/* Those with kernels, by pid. */
static void fill_ranks(aiu_run *run, aiu_kernel_stats *s, aiu_rows kernels)
{
    uint32_t *order = pf_aiu_ranks_by_pid(run);
    aiu_rank_row *all = pf_aiu_scratch(run, run->ranks.count, sizeof *all);
    s->rank = pf_aiu_alloc(run, (size_t)run->ranks.count + 1, sizeof *s->rank);
    for (uint32_t i = 0; i < kernels.count && s->rank; i++) {
        uint32_t e = kernels.list[i], rank = run->events.rank[e];
        aiu_rank_row *r = &all[rank];
        double start = run->events.ts[e], end = pf_aiu_end(run, e);
        r->first = r->calls && r->first <= start ? r->first : start;
        r->last = r->calls && r->last >= end ? r->last : end;
        r->time += run->events.dur[e];
        r->energy = run->rank_energy ? run->rank_energy[rank] : (aiu_energy){0, 0, 0};
        r->rank = rank;
        r->calls++;
    }
    for (uint32_t i = 0; i < run->ranks.count && s->rank; i++) {
        s->rank[s->rank_count] = all[order[i]];
        s->rank_count += all[order[i]].calls > 0;
    }
}

/* Rows in the end by the pid of their rank and by time. */
void pf_aiu_calculate_stats(aiu_run *run)
{
    aiu_rows kernels = pf_aiu_rows(run, pf_aiu_is_kernel);
    uint32_t *of = pf_aiu_scratch(run, run->events.count, sizeof *of);
    aiu_kernel_stats *s = run->kernels = pf_aiu_alloc(run, 1, sizeof *s);
    if (s) {
        number_rows(run, s, kernels, of);
    }
    if (pf_aiu_failed(run)) {
        return;
    }
    fill_rows(run, s, kernels, of);
    fill_ranks(run, s, kernels);
    aiu_key *keys = pf_aiu_scratch(run, s->row_count, sizeof *keys);
    aiu_kernel_row *sorted = pf_aiu_alloc(run, s->row_count, sizeof *sorted);
    for (uint32_t i = 0; i < s->row_count && sorted; i++) {
        keys[i] = (aiu_key){(double)run->ranks.pid[s->row[i].rank], -s->row[i].time.sum, i};
    }
    if (sorted && pf_aiu_sort_keys(run, keys, s->row_count) == PF_OK) {
        for (uint32_t i = 0; i < s->row_count; i++) {
            sorted[i] = s->row[keys[i].row];
        }
        s->row = sorted;
    }
}
