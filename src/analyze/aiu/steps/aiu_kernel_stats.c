/* analyze/aiu/steps/aiu_kernel_stats.c - what kernels took, by rank and name.
 *
 * Names differ in numbers of nodes only; these become [N], so that all layers of a model are one row. Two passes: the
 * first counts the kernels of each row, the second fills the numbers of each into its place in one array.
 */
#include <math.h>

#include "analyze/aiu/steps/aiu_iterations.h"
#include "analyze/aiu/steps/aiu_kernel_stats.h"
#include "analyze/aiu/steps/aiu_steps.h"
#include "analyze/support/order_stats.h"
#include "base/str.h"

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

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

/* ---- names ------------------------------------------------------------------------------------------------------- */

/* Digits after '_' or '-' become "_[N]". */
static uint32_t fold_name(aiu_run *run, uint32_t name)
{
    pf_str text = pf_aiu_text_of(run, name);
    pf_buffer folded = {0};
    for (size_t i = 0; i < text.len;) {
        size_t from = i++;
        if ((text.ptr[from] == '_' || text.ptr[from] == '-') && i < text.len && pf_is_digit(text.ptr[i])) {
            pf_buffer_text(&folded, "_[N]");
            while (i < text.len && pf_is_digit(text.ptr[i])) {
                i++;
            }
        } else {
            pf_buffer_put(&folded, text.ptr + from, 1);
        }
    }
    return pf_aiu_buffer_text(run, &folded);
}

/* ---- gathering --------------------------------------------------------------------------------------------------- */

typedef struct gathering {
    aiu_run *run;
    aiu_kernel_stats *out;
    uint32_t *folded; /* by text: the folded name, 0: not asked for yet */
    pf_map rows;      /* rank and folded name -> row */
    uint32_t room;
    uint32_t *row_of; /* by place in order: the row, PF_NONE: no kernel */
    uint32_t kernels;
    double *values;  /* per kernel: its time, then four steps */
    uint32_t *first; /* by row: where its values begin */
} gathering;

/* The row of a kernel, PF_NONE: the run failed. */
static uint32_t row_of(gathering *g, uint32_t e)
{
    aiu_run *run = g->run;
    aiu_kernel_stats *s = g->out;
    uint32_t name = run->events.name[e], rank = run->events.rank[e];
    g->folded[name] = g->folded[name] ? g->folded[name] : fold_name(run, name);
    uint64_t key = (uint64_t)rank << 32 | g->folded[name];
    uint32_t row = pf_map_get(&g->rows, key);
    if (row == PF_NONE && AIU_ROOM(run, s->row, s->row_count + 1, g->room) == PF_OK) {
        row = s->row_count++;
        s->row[row] = (aiu_kernel_row){.rank = rank, .name = g->folded[name]};
        pf_aiu_map(run, &g->rows, key, row);
    }
    return row;
}

static void count_kernels(gathering *g)
{
    aiu_run *run = g->run;
    g->folded = pf_aiu_scratch(run, run->texts.count, sizeof *g->folded);
    g->row_of = pf_aiu_scratch(run, run->alive, sizeof *g->row_of);
    for (uint32_t i = 0; i < run->alive && !pf_aiu_failed(run); i++) {
        uint32_t e = run->order[i];
        g->row_of[i] = pf_aiu_is_kernel(run, e) ? row_of(g, e) : PF_NONE;
        if (g->row_of[i] != PF_NONE) {
            g->out->row[g->row_of[i]].calls++;
            g->kernels++;
        }
    }
}

static void take_kernel(gathering *g, uint32_t e, aiu_kernel_row *row, uint32_t first)
{
    const aiu_events *v = &g->run->events;
    size_t n = g->kernels;
    g->values[first + row->calls] = v->dur[e];
    if (v->flags[e] & AIU_HAS_TS) {
        for (size_t k = 0; k < AIU_STEP_TIMES; k++) {
            g->values[(k + 1) * n + first + row->timed] = (double)(v->tsx[k + 1][e] - v->tsx[k][e]);
        }
        row->timed++;
    }
    row->calls++;
    row->energy += g->run->energy ? g->run->energy[e] : 0;
}

static void fill_rows(gathering *g)
{
    aiu_kernel_stats *s = g->out;
    g->first = pf_aiu_scratch(g->run, s->row_count, sizeof *g->first);
    g->values = pf_aiu_scratch(g->run, (size_t)g->kernels * (1 + AIU_STEP_TIMES), sizeof *g->values);
    if (!g->values) {
        return;
    }
    for (uint32_t r = 0, at = 0; r < s->row_count; r++) {
        g->first[r] = at;
        at += s->row[r].calls;
        s->row[r].calls = 0;
    }
    for (uint32_t i = 0; i < g->run->alive; i++) {
        if (g->row_of[i] != PF_NONE) {
            take_kernel(g, g->run->order[i], &s->row[g->row_of[i]], g->first[g->row_of[i]]);
        }
    }
    for (uint32_t r = 0; r < s->row_count; r++) {
        aiu_kernel_row *row = &s->row[r];
        row->time = pf_aiu_numbers(g->values + g->first[r], row->calls);
        for (size_t k = 0; k < AIU_STEP_TIMES; k++) {
            row->step[k] = pf_aiu_numbers(g->values + (k + 1) * g->kernels + g->first[r], row->timed);
        }
    }
}

/* ---- ranks ------------------------------------------------------------------------------------------------------- */

/* Those with kernels, by pid. */
static void fill_ranks(gathering *g)
{
    aiu_run *run = g->run;
    aiu_kernel_stats *s = g->out;
    s->rank = pf_aiu_alloc(run, run->ranks.count, sizeof *s->rank);
    for (uint32_t i = 0; i < run->alive && s->rank; i++) {
        uint32_t e = run->order[i], rank = run->events.rank[e];
        aiu_rank_row *r = &s->rank[rank];
        double start = run->events.ts[e], end = pf_aiu_end(run, e);
        if (g->row_of[i] == PF_NONE) {
            continue;
        }
        r->first = r->calls && r->first <= start ? r->first : start;
        r->last = r->calls && r->last >= end ? r->last : end;
        r->time += run->events.dur[e];
        r->energy = run->rank_energy ? run->rank_energy[rank] : (aiu_energy){0, 0, 0};
        r->calls++;
    }
    for (uint32_t i = 0; i < run->ranks.count && s->rank; i++) {
        aiu_rank_row r = s->rank[i];
        uint32_t k = s->rank_count;
        r.rank = i;
        for (; r.calls && k > 0 && run->ranks.pid[s->rank[k - 1].rank] > run->ranks.pid[i]; k--) {
            s->rank[k] = s->rank[k - 1];
        }
        s->rank[k] = r.calls ? r : s->rank[k];
        s->rank_count += r.calls > 0;
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
    gathering g = {.run = run};
    g.out = run->kernels = pf_aiu_alloc(run, 1, sizeof *run->kernels);
    if (!g.out) {
        return;
    }
    pf_map_init(&g.rows, run->budget);
    count_kernels(&g);
    pf_map_free(&g.rows);
    if (!pf_aiu_failed(run)) {
        fill_rows(&g);
        fill_ranks(&g);
        order_rows(run, g.out);
    }
}
