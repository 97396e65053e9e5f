/* analyze/aiu/stages/aiu_stage_stats.c - calculate_stats: what kernels took, by rank and name.
 *
 * Names differ in numbers of nodes only; these become [N], so that all layers of a model are one row. Two passes: the
 * first counts the kernels of each row, the second fills the numbers of each into its place in one array.
 */
#include <math.h>
#include <string.h>

#include "analyze/aiu/stages/aiu_iterations.h"
#include "analyze/aiu/stages/aiu_kernel_stats.h"
#include "analyze/aiu/stages/aiu_stages.h"
#include "analyze/support/order_stats.h"

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

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Digits after '_' or '-' become "_[N]". */
static uint32_t fold_name(aiu_run *run, uint32_t name)
{
    pf_str text = pf_aiu_text_of(run, name);
    size_t room = text.len * 4 + 1, len = 0;
    char *folded = pf_alloc(run->budget, room);
    if (!folded) {
        pf_budget_refused(run->budget, room, &run->error);
        return PF_NONE;
    }
    for (size_t i = 0; i < text.len;) {
        if ((text.ptr[i] == '_' || text.ptr[i] == '-') && i + 1 < text.len && is_digit(text.ptr[i + 1])) {
            for (const char *mark = "_[N]"; *mark; mark++) {
                folded[len++] = *mark;
            }
            for (i++; i < text.len && is_digit(text.ptr[i]); i++) {
            }
        } else {
            folded[len++] = text.ptr[i++];
        }
    }
    uint32_t id = pf_aiu_text(run, (pf_str){folded, len});
    pf_release(run->budget, folded, room);
    return id;
}

/* ---- gathering --------------------------------------------------------------------------------------------------- */

typedef struct gathering {
    aiu_run *run;
    aiu_kernel_stats *out;
    uint32_t *folded; /* by text: the folded name, 0: not asked for yet */
    uint32_t texts;
    pf_map rows; /* rank and folded name -> row */
    uint32_t room;
    uint32_t *row_of; /* by place in order: the row, PF_NONE: no kernel */
    uint32_t kernels;
    double *values;  /* per kernel: its time, then four steps */
    uint32_t *first; /* by row: where its values begin */
} gathering;

static uint32_t add_row(gathering *g, uint32_t rank, uint32_t name)
{
    aiu_kernel_stats *s = g->out;
    if (s->row_count == g->room) {
        uint32_t room = g->room ? g->room * 2 : 64;
        aiu_kernel_row *grown = pf_pass_alloc(g->run->ctx, room, sizeof *grown, &g->run->error);
        if (!grown) {
            return PF_NONE;
        }
        if (s->row_count) {
            memcpy(grown, s->row, s->row_count * sizeof *grown);
        }
        s->row = grown;
        g->room = room;
    }
    s->row[s->row_count] = (aiu_kernel_row){.rank = rank, .name = name};
    return s->row_count++;
}

static uint32_t row_of(gathering *g, uint32_t e)
{
    uint32_t name = g->run->events.name[e], rank = g->run->events.rank[e];
    if (!g->folded[name]) {
        g->folded[name] = fold_name(g->run, name);
        if (g->folded[name] == PF_NONE) {
            return PF_NONE;
        }
    }
    uint64_t key = (uint64_t)rank << 32 | g->folded[name];
    uint32_t row = pf_map_get(&g->rows, key);
    if (row == PF_NONE) {
        row = add_row(g, rank, g->folded[name]);
        if (row != PF_NONE && !pf_map_set(&g->rows, key, row)) {
            pf_budget_refused(g->run->budget, g->rows.count * sizeof key, &g->run->error);
            return PF_NONE;
        }
    }
    return row;
}

static pf_status count_kernels(gathering *g)
{
    aiu_run *run = g->run;
    g->texts = run->texts.count;
    g->folded = pf_pass_alloc(run->ctx, g->texts, sizeof *g->folded, &run->error);
    g->row_of = g->folded ? pf_alloc(run->budget, ((size_t)run->alive + 1) * sizeof *g->row_of) : NULL;
    if (!g->row_of) {
        return g->folded ? pf_budget_refused(run->budget, run->alive * sizeof *g->row_of, &run->error)
                         : run->error.code;
    }
    for (uint32_t i = 0; i < run->alive; i++) {
        uint32_t e = run->order[i];
        g->row_of[i] = PF_NONE;
        if (pf_aiu_is_kernel(run, e)) {
            g->row_of[i] = row_of(g, e);
            if (g->row_of[i] == PF_NONE) {
                return run->error.code;
            }
            g->out->row[g->row_of[i]].calls++;
            g->kernels++;
        }
    }
    return PF_OK;
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

static pf_status fill_rows(gathering *g)
{
    aiu_kernel_stats *s = g->out;
    size_t bytes = ((size_t)g->kernels + 1) * (1 + AIU_STEP_TIMES) * sizeof *g->values;
    g->first = pf_pass_alloc(g->run->ctx, (size_t)s->row_count + 1, sizeof *g->first, &g->run->error);
    g->values = g->first ? pf_alloc(g->run->budget, bytes) : NULL;
    if (!g->values) {
        return g->first ? pf_budget_refused(g->run->budget, bytes, &g->run->error) : g->run->error.code;
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
    pf_release(g->run->budget, g->values, bytes);
    return PF_OK;
}

/* ---- ranks ------------------------------------------------------------------------------------------------------- */

static pf_status fill_ranks(gathering *g)
{
    aiu_run *run = g->run;
    aiu_kernel_stats *s = g->out;
    s->rank = pf_pass_alloc(run->ctx, (size_t)run->ranks.count + 1, sizeof *s->rank, &run->error);
    if (!s->rank) {
        return run->error.code;
    }
    for (uint32_t i = 0; i < run->alive; i++) {
        if (g->row_of[i] == PF_NONE) {
            continue;
        }
        uint32_t e = run->order[i];
        aiu_rank_row *r = &s->rank[run->events.rank[e]];
        double start = run->events.ts[e], end = pf_aiu_end(run, e);
        r->first = r->calls && r->first <= start ? r->first : start;
        r->last = r->calls && r->last >= end ? r->last : end;
        r->time += run->events.dur[e];
        r->energy = run->rank_energy ? run->rank_energy[run->events.rank[e]] : (aiu_energy){0, 0, 0};
        r->calls++;
    }
    for (uint32_t i = 0; i < run->ranks.count; i++) {
        s->rank[i].rank = i;
        if (s->rank[i].calls) {
            s->rank[s->rank_count++] = s->rank[i];
        }
    }
    return PF_OK;
}

/* Ranks by pid, rows by the place of their rank and by time. */
static void sort_rows(aiu_run *run, aiu_kernel_stats *s)
{
    for (uint32_t i = 1; i < s->rank_count; i++) {
        aiu_rank_row r = s->rank[i];
        uint32_t k = i;
        for (; k > 0 && run->ranks.pid[s->rank[k - 1].rank] > run->ranks.pid[r.rank]; k--) {
            s->rank[k] = s->rank[k - 1];
        }
        s->rank[k] = r;
    }
}

static pf_status order_rows(aiu_run *run, aiu_kernel_stats *s)
{
    aiu_key *keys = pf_pass_alloc(run->ctx, (size_t)s->row_count + 1, sizeof *keys, &run->error);
    aiu_kernel_row *sorted =
        keys ? pf_pass_alloc(run->ctx, (size_t)s->row_count + 1, sizeof *sorted, &run->error) : NULL;
    if (!sorted) {
        return run->error.code;
    }
    for (uint32_t i = 0; i < s->row_count; i++) {
        keys[i] = (aiu_key){(double)run->ranks.pid[s->row[i].rank], -s->row[i].time.sum, i};
    }
    pf_status st = pf_aiu_sort_keys(run, keys, s->row_count);
    for (uint32_t i = 0; i < s->row_count && st == PF_OK; i++) {
        sorted[i] = s->row[keys[i].row];
    }
    s->row = sorted;
    return st;
}

pf_status pf_aiu_calculate_stats(aiu_run *run)
{
    gathering g = {.run = run};
    g.out = run->kernels = pf_pass_alloc(run->ctx, 1, sizeof *run->kernels, &run->error);
    if (!g.out) {
        return run->error.code;
    }
    pf_map_init(&g.rows, run->budget);
    pf_status st = count_kernels(&g);
    st = st == PF_OK ? fill_rows(&g) : st;
    st = st == PF_OK ? fill_ranks(&g) : st;
    pf_map_free(&g.rows);
    pf_release(run->budget, g.row_of, g.row_of ? ((size_t)run->alive + 1) * sizeof *g.row_of : 0);
    sort_rows(run, run->kernels);
    return st == PF_OK ? order_rows(run, run->kernels) : st;
}
