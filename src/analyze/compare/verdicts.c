/* analyze/compare/verdicts.c - from the calls of both sides to rows with verdicts.
 *
 * A row needs nothing of another one, so several threads judge rows; what rows add to the draws of the whole is added
 * in the order of their ids, whoever judged them. Cells are files where each side has three or more of them, iterations
 * where both sides are one file with three or more, and else calls; with more than 64 of them neighbours share a cell,
 * so that what drifts slowly is kept together.
 *
 * Iterations are aligned by their index: those that one side alone has do not count for the ratio. Calls are paired by
 * their order where both sides have as many.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/compare/compare.h"
#include "analyze/support/pass_memory.h"
#include "base/threads/crew.h"

enum { SLOTS_MAX = 32 };

/* A row that is being judged. */
typedef struct judged {
    compare_row row;
    double own_base, own_now;
    compare_whole whole; /* what the row adds to the draws of the whole */
    pf_status status;
    pf_error error;
} judged;

typedef struct judging {
    compare *c;
    const compare_side *base, *now;
    double busy_base, busy_now;
    uint32_t rows, iterations; /* iterations that both sides have */
    compare_samples samples;
    judged *slot; /* of the crew */
    compare_whole *whole;
    double own_base, own_now;
} judging;

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

static void add_constant(compare_whole *whole, const compare_cells *base, const compare_cells *now)
{
    double b = base ? sum(base->own, base->count) : 0, w = now ? sum(now->own, now->count) : 0;
    for (unsigned d = 0; d < COMPARE_DRAWS; d++) {
        whole->base[d] += b;
        whole->now[d] += w;
    }
}

/* Cells of both sides; says what they are sums of. */
static compare_samples gather_cells(const judging *j, uint32_t row, compare_cells *base, compare_cells *now)
{
    compare_samples samples = j->samples;
    bool in_base = pf_compare_row_cells(j->base, row, samples, j->iterations, base),
         in_now = pf_compare_row_cells(j->now, row, samples, j->iterations, now);
    if (samples == COMPARE_ITERATIONS && !(in_base && in_now)) {
        samples = COMPARE_CALLS;
        pf_compare_row_cells(j->base, row, samples, 0, base);
        pf_compare_row_cells(j->now, row, samples, 0, now);
    }
    return samples;
}

static pf_status judge_row(const judging *j, judged *out)
{
    compare_cells base, now;
    compare_row *r = &out->row;
    compare_samples samples = gather_cells(j, r->name, &base, &now);
    double was = sum(base.total, base.count), is = sum(now.total, now.count);
    out->own_base = sum(base.own, base.count);
    out->own_now = sum(now.own, now.count);
    r->delta = is - was;
    r->ratio = was > 0 ? is / was : 0;
    pf_budget *budget = &j->c->budget;
    pf_status st = pf_compare_row_numbers(j->base, r->name, j->busy_base, budget, &r->base, &out->error);
    st = st == PF_OK ? pf_compare_row_numbers(j->now, r->name, j->busy_now, budget, &r->now, &out->error) : st;
    if (st != PF_OK) {
        return st;
    }
    if (!r->base.calls || !r->now.calls) {
        r->verdict = r->base.calls ? COMPARE_VANISHED : COMPARE_NEW;
        add_constant(&out->whole, r->base.calls ? &base : NULL, r->now.calls ? &now : NULL);
        return PF_OK;
    }
    bool one = j->base->count == 1 && j->now->count == 1;
    bool paired = samples == COMPARE_ITERATIONS || (samples == COMPARE_CALLS && one && r->base.calls == r->now.calls);
    r->interval = pf_compare_bootstrap(&base, &now, paired, seed_of(j, r->name, samples), &out->whole);
    r->verdict = was == 0 && is == 0 ? COMPARE_SAME : pf_compare_judge(r->ratio, &r->interval, j->c->options.tolerance);
    return PF_OK;
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

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
    w->delta = j->own_now - j->own_base;
    w->ratio = j->own_base > 0 ? j->own_now / j->own_base : 0;
    w->interval = pf_compare_bootstrap_whole(j->whole, w->ratio, scratch);
    w->verdict = pf_compare_judge(w->ratio, &w->interval, j->c->options.tolerance);
    for (uint32_t i = 0; i < out->count; i++) {
        w->base.own += out->rows[i].base.own;
        w->now.own += out->rows[i].now.own;
    }
}

static void choose_samples(judging *j, const compare_side *base, const compare_side *now)
{
    bool files = base->count >= 3 && now->count >= 3, one = base->count == 1 && now->count == 1;
    uint32_t a = one ? base->files[0].iterations : 0, b = one ? now->files[0].iterations : 0;
    j->iterations = a < b ? a : b;
    j->samples = files ? COMPARE_FILES : j->iterations >= 3 ? COMPARE_ITERATIONS : COMPARE_CALLS;
}

/* The job of the crew: the row of a slot. */
static void judge_slot(void *ctx, unsigned slot)
{
    const judging *j = ctx;
    judged *out = &j->slot[slot];
    memset(&out->whole, 0, sizeof out->whole);
    out->status = judge_row(j, out);
}

/* Rows of all names, in the order of their ids. */
static pf_status judge_rows(judging *j, pf_crew *crew, compare_result *out, pf_error *err)
{
    uint32_t next = 0;
    pf_status st = PF_OK;
    while (st == PF_OK && (next < j->rows || pf_crew_pending(crew))) {
        for (; next < j->rows && pf_crew_room(crew); next++) {
            if (pf_compare_row_calls(j->base, next) + pf_compare_row_calls(j->now, next) > 0) {
                j->slot[pf_crew_next(crew)].row = (compare_row){.name = next};
                pf_crew_put(crew);
            }
        }
        if (!pf_crew_pending(crew)) {
            break;
        }
        const judged *d = &j->slot[pf_crew_take(crew)];
        st = d->status;
        if (st != PF_OK) {
            *err = d->error;
        }
        out->rows[out->count++] = d->row;
        j->own_base += d->own_base;
        j->own_now += d->own_now;
        for (unsigned i = 0; i < COMPARE_DRAWS; i++) {
            j->whole->base[i] += d->whole.base[i];
            j->whole->now[i] += d->whole.now[i];
        }
        pf_crew_release(crew);
    }
    return st;
}

static pf_status judge_all(judging *j, compare_result *out, pf_error *err)
{
    unsigned jobs = j->c->options.jobs ? j->c->options.jobs : 2;
    unsigned slots = 2 * jobs < SLOTS_MAX ? 2 * jobs : SLOTS_MAX;
    pf_arena *arena = &j->c->arena;
    double *scratch = pf_pass_array(arena, COMPARE_DRAWS, sizeof *scratch, err);
    j->whole = scratch ? pf_pass_array(arena, 1, sizeof *j->whole, err) : NULL;
    j->slot = j->whole ? pf_pass_array(arena, slots, sizeof *j->slot, err) : NULL;
    out->rows = j->slot ? pf_pass_array(arena, j->rows, sizeof *out->rows, err) : NULL;
    if (!out->rows) {
        return err->code;
    }
    memset(j->whole, 0, sizeof *j->whole);
    pf_crew *crew = pf_crew_start(slots / 2 - 1, slots, judge_slot, j, &j->c->budget);
    pf_status st =
        crew ? judge_rows(j, crew, out, err) : pf_budget_refused(&j->c->budget, slots * sizeof *j->slot, err);
    pf_crew_stop(crew);
    if (st == PF_OK) {
        qsort(out->rows, out->count, sizeof *out->rows, by_delta);
        judge_whole(j, out, scratch);
    }
    return st;
}

static void add_up(const compare_side *side, double *busy, uint64_t *open)
{
    for (size_t f = 0; f < side->count; f++) {
        *busy += (double)side->files[f].busy;
        *open += side->files[f].open;
    }
}

pf_status pf_compare_sides(compare *c, const compare_side *base, const compare_side *now, compare_result *out,
                           pf_error *err)
{
    judging j = {.c = c, .base = base, .now = now, .rows = c->names.count};
    *out = (compare_result){.base_files = base->count, .now_files = now->count};
    choose_samples(&j, base, now);
    out->samples = j.samples;
    add_up(base, &j.busy_base, &out->base_open);
    add_up(now, &j.busy_now, &out->now_open);
    return judge_all(&j, out, err);
}
