/* analyze/compare/verdicts.c - from the calls of both sides to rows with verdicts.
 *
 * The calls of a side are sorted by row once, in place of their order in time: a counting sort of their numbers. Then
 * row after row its calls are gathered: the numbers that people read, and the cells that the bootstrap draws from.
 * Cells are files where each side has three or more of them, iterations where both sides are one file with three or
 * more, and else calls; with more than 64 of them neighbours share a cell, so that what drifts slowly is kept together.
 *
 * Iterations are aligned by their index: those that one side alone has do not count for the ratio. Calls are paired by
 * their order where both sides have as many.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/compare/compare.h"
#include "analyze/support/order_stats.h"
#include "analyze/support/pass_memory.h"

/* The calls of a side by row. */
typedef struct sorted {
    const compare_side *side;
    uint64_t *first; /* of each row, and where the last ends */
    uint32_t *file, *call;
    double busy;
} sorted;

/* One row of one side. */
typedef struct gathered {
    compare_numbers numbers;
    compare_cells cells;
} gathered;

typedef struct judging {
    compare *c;
    sorted base, now;
    uint32_t rows, iterations; /* iterations that both sides have */
    compare_samples samples;
    uint64_t *lengths; /* room for the calls of any row */
    compare_whole *whole;
    double own_base, own_now;
} judging;

static pf_status refused(compare *c, pf_error *err)
{
    return pf_budget_refused(&c->budget, 1 << 20, err);
}

static pf_status sort_side(compare *c, const compare_side *side, uint32_t rows, sorted *out, pf_error *err)
{
    uint64_t calls = 0;
    for (size_t f = 0; f < side->count; f++) {
        calls += side->files[f].count;
        out->busy += (double)side->files[f].busy;
    }
    out->side = side;
    out->first = pf_pass_array(&c->arena, (size_t)rows + 2, sizeof *out->first, err);
    out->call = out->first ? pf_pass_array(&c->arena, calls, sizeof *out->call, err) : NULL;
    out->file = out->call && side->count > 1 ? pf_pass_array(&c->arena, calls, sizeof *out->file, err) : NULL;
    if (!out->call || (side->count > 1 && !out->file)) {
        return err->code;
    }
    memset(out->first, 0, ((size_t)rows + 2) * sizeof *out->first);
    for (size_t f = 0; f < side->count; f++) {
        for (uint32_t i = 0; i < side->files[f].count; i++) {
            out->first[side->files[f].row[i] + 2]++;
        }
    }
    for (uint32_t r = 1; r < rows + 2; r++) {
        out->first[r] += out->first[r - 1];
    }
    for (size_t f = 0; f < side->count; f++) {
        for (uint32_t i = 0; i < side->files[f].count; i++) {
            uint64_t at = out->first[side->files[f].row[i] + 1]++;
            out->call[at] = i;
            if (out->file) {
                out->file[at] = (uint32_t)f;
            }
        }
    }
    return PF_OK;
}

static double median_of(uint64_t *a, size_t n)
{
    uint64_t high = pf_select_length(a, n, n / 2);
    return n % 2 ? (double)high : ((double)pf_select_length(a, n, n / 2 - 1) + (double)high) / 2;
}

static uint32_t cell_count(uint64_t n)
{
    return n < COMPARE_CELLS ? (uint32_t)n : COMPARE_CELLS;
}

/* Numbers of a row. */
static void gather_numbers(judging *j, const sorted *s, uint32_t row, compare_numbers *out)
{
    uint64_t first = s->first[row], n = s->first[row + 1] - first;
    *out = (compare_numbers){.calls = n};
    for (uint64_t i = 0; i < n; i++) {
        const compare_calls *f = &s->side->files[s->file ? s->file[first + i] : 0];
        uint32_t call = s->call[first + i];
        j->lengths[i] = f->length[call];
        out->total += f->length[call];
        out->own += f->own[call];
    }
    if (n > 0) {
        out->mean = (double)out->total / (double)n;
        out->median = median_of(j->lengths, n);
        out->p95 = pf_select_length(j->lengths, n, (size_t)((n * 95 + 99) / 100) - 1);
        out->share = s->busy > 0 ? (double)out->total / s->busy * 100 : 0;
    }
}

/* Cells of a row; false if calls must do because none is in an iteration. */
static bool gather_cells(const judging *j, const sorted *s, uint32_t row, compare_samples samples, compare_cells *out)
{
    uint64_t first = s->first[row], n = s->first[row + 1] - first;
    bool any = false;
    uint64_t units = samples == COMPARE_FILES ? s->side->count : samples == COMPARE_ITERATIONS ? j->iterations : n;
    out->count = cell_count(units);
    memset(out->total, 0, sizeof out->total);
    memset(out->own, 0, sizeof out->own);
    for (uint64_t i = 0; i < n; i++) {
        uint32_t file = s->file ? s->file[first + i] : 0, call = s->call[first + i];
        const compare_calls *f = &s->side->files[file];
        uint64_t unit = samples == COMPARE_FILES ? file : samples == COMPARE_ITERATIONS ? f->iteration[call] : i;
        if (unit >= units) {
            continue;
        }
        uint32_t cell = (uint32_t)(unit * out->count / units);
        out->total[cell] += (double)f->length[call] / (double)s->side->count;
        out->own[cell] += (double)f->own[call] / (double)s->side->count;
        any = true;
    }
    return any;
}

static uint64_t seed_of(const judging *j, uint32_t row, compare_samples samples)
{
    uint64_t h = 0xCBF29CE484222325u;
    pf_str name = pf_strings_get(&j->c->names, row);
    for (size_t i = 0; i < name.len; i++) {
        h = (h ^ (unsigned char)name.ptr[i]) * 0x100000001B3u;
    }
    /* What varies from iteration to iteration varies for all rows at once: they draw the same ones. */
    return samples == COMPARE_CALLS ? j->c->options.seed ^ h : j->c->options.seed;
}

static double sum(const double *v, uint32_t n)
{
    double s = 0;
    for (uint32_t i = 0; i < n; i++) {
        s += v[i];
    }
    return s;
}

static void add_constant(judging *j, const compare_cells *base, const compare_cells *now)
{
    double b = base ? sum(base->own, base->count) : 0, w = now ? sum(now->own, now->count) : 0;
    for (unsigned d = 0; d < COMPARE_DRAWS; d++) {
        j->whole->base[d] += b;
        j->whole->now[d] += w;
    }
}

static void judge_row(judging *j, uint32_t row, compare_row *out)
{
    compare_cells base, now;
    compare_samples samples = j->samples;
    *out = (compare_row){.name = row};
    gather_numbers(j, &j->base, row, &out->base);
    gather_numbers(j, &j->now, row, &out->now);
    bool in_base = gather_cells(j, &j->base, row, samples, &base),
         in_now = gather_cells(j, &j->now, row, samples, &now);
    if (samples == COMPARE_ITERATIONS && !(in_base && in_now)) {
        samples = COMPARE_CALLS;
        gather_cells(j, &j->base, row, samples, &base);
        gather_cells(j, &j->now, row, samples, &now);
    }
    double was = sum(base.total, base.count), is = sum(now.total, now.count);
    j->own_base += sum(base.own, base.count);
    j->own_now += sum(now.own, now.count);
    out->delta = is - was;
    out->ratio = was > 0 ? is / was : 0;
    if (!out->base.calls || !out->now.calls) {
        out->verdict = out->base.calls ? COMPARE_VANISHED : COMPARE_NEW;
        add_constant(j, out->base.calls ? &base : NULL, out->now.calls ? &now : NULL);
        return;
    }
    bool one = j->base.side->count == 1 && j->now.side->count == 1;
    bool paired =
        samples == COMPARE_ITERATIONS || (samples == COMPARE_CALLS && one && out->base.calls == out->now.calls);
    out->interval = pf_compare_bootstrap(&base, &now, paired, seed_of(j, row, samples), j->whole);
    out->verdict =
        was == 0 && is == 0 ? COMPARE_SAME : pf_compare_judge(out->ratio, &out->interval, j->c->options.tolerance);
}

static int by_delta(const void *x, const void *y)
{
    const compare_row *a = x, *b = y;
    double da = fabs(a->delta), db = fabs(b->delta);
    da = da == db ? (double)a->base.total : da;
    db = fabs(a->delta) == fabs(b->delta) ? (double)b->base.total : db;
    return da != db ? (da < db ? 1 : -1) : (a->name > b->name) - (a->name < b->name);
}

static void judge_whole(judging *j, compare_result *out, double *scratch)
{
    compare_row *w = &out->whole;
    w->name = PF_NONE;
    w->delta = j->own_now - j->own_base;
    w->ratio = j->own_base > 0 ? j->own_now / j->own_base : 0;
    w->interval = pf_compare_bootstrap_whole(j->whole, w->ratio, scratch);
    w->verdict = pf_compare_judge(w->ratio, &w->interval, j->c->options.tolerance);
    for (uint32_t i = 0; i < out->count; i++) {
        w->base.calls += out->rows[i].base.calls;
        w->now.calls += out->rows[i].now.calls;
        w->base.own += out->rows[i].base.own;
        w->now.own += out->rows[i].now.own;
    }
    w->base.total = w->base.own;
    w->now.total = w->now.own;
}

static void choose_samples(judging *j, const compare_side *base, const compare_side *now)
{
    bool files = base->count >= 3 && now->count >= 3, one = base->count == 1 && now->count == 1;
    uint32_t a = one ? base->files[0].iterations : 0, b = one ? now->files[0].iterations : 0;
    j->iterations = a < b ? a : b;
    j->samples = files ? COMPARE_FILES : j->iterations >= 3 ? COMPARE_ITERATIONS : COMPARE_CALLS;
}

static pf_status judge_rows(judging *j, compare_result *out, pf_error *err)
{
    uint64_t most = 1;
    for (uint32_t r = 0; r < j->rows; r++) {
        uint64_t a = j->base.first[r + 1] - j->base.first[r], b = j->now.first[r + 1] - j->now.first[r];
        most = a > most ? a : most;
        most = b > most ? b : most;
        out->count += a + b > 0;
    }
    double *scratch = pf_pass_array(&j->c->arena, COMPARE_DRAWS, sizeof *scratch, err);
    j->whole = pf_pass_array(&j->c->arena, 1, sizeof *j->whole, err);
    j->lengths = pf_pass_array(&j->c->arena, most, sizeof *j->lengths, err);
    out->rows = pf_pass_array(&j->c->arena, out->count, sizeof *out->rows, err);
    if (!scratch || !j->whole || !j->lengths || !out->rows) {
        return refused(j->c, err);
    }
    memset(j->whole, 0, sizeof *j->whole);
    uint32_t at = 0;
    for (uint32_t r = 0; r < j->rows; r++) {
        if (j->base.first[r + 1] - j->base.first[r] + j->now.first[r + 1] - j->now.first[r] > 0) {
            judge_row(j, r, &out->rows[at++]);
        }
    }
    qsort(out->rows, out->count, sizeof *out->rows, by_delta);
    judge_whole(j, out, scratch);
    return PF_OK;
}

pf_status pf_compare_sides(compare *c, const compare_side *base, const compare_side *now, compare_result *out,
                           pf_error *err)
{
    judging j = {.c = c, .rows = c->names.count};
    *out = (compare_result){.base_files = base->count, .now_files = now->count};
    choose_samples(&j, base, now);
    out->samples = j.samples;
    for (size_t f = 0; f < base->count; f++) {
        out->base_open += base->files[f].open;
    }
    for (size_t f = 0; f < now->count; f++) {
        out->now_open += now->files[f].open;
    }
    pf_status st = sort_side(c, base, j.rows, &j.base, err);
    st = st == PF_OK ? sort_side(c, now, j.rows, &j.now, err) : st;
    return st == PF_OK ? judge_rows(&j, out, err) : st;
}
