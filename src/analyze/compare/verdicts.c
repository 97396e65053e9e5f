/* analyze/compare/verdicts.c - from the calls of both sides to rows with verdicts.
 *
 * A row needs nothing of another one, so several threads judge rows; what rows add to the draws of the whole is added
 * in the order of their ids, whoever judged them. Cells are files where each side has three or more of them, iterations
 * where both sides are one file with three or more, and else calls; with more than 64 of them neighbours share a cell,
 * so that what drifts slowly is kept together.
 *
 * Iterations are aligned by their index: those that one side alone has do not count for the ratio. Calls are paired by
 * their order where both sides have as many.
 *
 * A row with one or two calls has no interval. For the whole such rows are drawn together, each a pair of its times in
 * both runs: what changed all of them alike is certain.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/compare/compare.h"
#include "analyze/support/pass_memory.h"
#include "base/threads/threads.h"

enum { SLOTS_MAX = 32 };

/* A row that is being judged. */
typedef struct judged {
    compare_row row;
    bool few;            /* it is drawn with others of its kind */
    compare_whole whole; /* what the row adds to the draws of the whole; nothing if few */
    pf_status status;
    pf_error error;
} judged;

/* Rows that are judged together: all, and those of the host. */
enum { OF_ALL, OF_HOST, GROUPS };
typedef struct row_group {
    compare_whole draws;
    double base, now; /* own times */
    uint32_t few;     /* rows without an interval of their own */
} row_group;

typedef struct few_row {
    double base, now;
    bool host;
} few_row;

typedef struct judging {
    compare *c;
    const compare_side *base, *now;
    double busy_base, busy_now;
    uint32_t rows, iterations; /* iterations that both sides have */
    compare_samples samples;
    bool one_run; /* each side */
    judged *slot; /* of the crew */
    row_group group[GROUPS];
    few_row *few; /* in the order of their ids */
    uint32_t few_count;
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

/* Cells of both sides; says what they are sums of. */
static compare_samples gather_cells(const judging *j, uint32_t row, compare_cells *base, compare_cells *now)
{
    compare_samples samples = j->samples;
    bool in_base = pf_compare_row_cells(j->base, row, samples, j->iterations, base);
    bool in_now = pf_compare_row_cells(j->now, row, samples, j->iterations, now);
    if (samples == COMPARE_ITERATIONS && !(in_base && in_now)) {
        samples = COMPARE_CALLS;
        pf_compare_row_cells(j->base, row, samples, 0, base);
        pf_compare_row_cells(j->now, row, samples, 0, now);
    }
    return samples;
}

/* What a row did itself; `leaf`: that is all it did. */
static void judge_self(const judging *j, judged *out, bool leaf)
{
    compare_row *r = &out->row;
    compare_measure *m = &r->self;
    m->known = m->base > 0 && m->now > 0;
    m->interval = (compare_interval){.samples = r->interval.samples, .paired = r->interval.paired};
    if (leaf) {
        m->interval = r->interval;
    } else if (r->interval.known) {
        m->interval = pf_compare_bootstrap_whole(&out->whole, m->ratio, r->interval.samples, r->interval.paired);
    }
    bool none = m->base == 0 && m->now == 0;
    m->verdict = none ? COMPARE_SAME : pf_compare_judge(m->ratio, &m->interval, j->c->options.tolerance);
}

static pf_status judge_row(const judging *j, judged *out)
{
    compare_cells base, now;
    compare_row *r = &out->row;
    compare_samples samples = gather_cells(j, r->name, &base, &now);
    double was = pf_compare_sum(base.total, base.count), is = pf_compare_sum(now.total, now.count);
    r->self.base = pf_compare_sum(base.own, base.count);
    r->self.now = pf_compare_sum(now.own, now.count);
    r->self.ratio = r->self.base > 0 ? r->self.now / r->self.base : 0;
    r->delta = is - was;
    r->ratio = was > 0 ? is / was : 0;
    pf_budget *budget = &j->c->budget;
    PF_TRY(pf_compare_row_numbers(j->base, r->name, j->busy_base, budget, &r->base, &out->error));
    PF_TRY(pf_compare_row_numbers(j->now, r->name, j->busy_now, budget, &r->now, &out->error));
    if (!r->base.calls || !r->now.calls) {
        r->self.verdict = r->verdict = r->base.calls ? COMPARE_VANISHED : COMPARE_NEW;
        for (unsigned d = 0; d < COMPARE_DRAWS; d++) {
            out->whole.base[d] += r->base.calls ? r->self.base : 0;
            out->whole.now[d] += r->now.calls ? r->self.now : 0;
        }
        return PF_OK;
    }
    bool paired =
        samples == COMPARE_ITERATIONS || (samples == COMPARE_CALLS && j->one_run && r->base.calls == r->now.calls);
    uint32_t n = base.count < now.count ? base.count : now.count;
    out->few = n < 3 && was > 0 && is > 0;
    r->interval = out->few ? (compare_interval){.samples = n, .paired = paired}
                           : pf_compare_bootstrap(&base, &now, paired, seed_of(j, r->name, samples), &out->whole);
    r->verdict = was == 0 && is == 0 ? COMPARE_SAME : pf_compare_judge(r->ratio, &r->interval, j->c->options.tolerance);
    judge_self(j, out, was == r->self.base && is == r->self.now);
    return PF_OK;
}

static int by_delta(const void *x, const void *y)
{
    const compare_row *a = x, *b = y;
    double da = fabs(a->delta), db = fabs(b->delta);
    da = da == db ? (double)a->base.total : da;
    db = fabs(a->delta) == fabs(b->delta) ? (double)b->base.total : db;
    return da != db ? (da < db ? 1 : -1) : (a->name > b->name) - (a->name < b->name);
}

/* The few_rows of a group, as cells. */
static void add_few(judging *j, unsigned which)
{
    row_group *g = &j->group[which];
    uint32_t count = g->few < COMPARE_CELLS ? g->few : COMPARE_CELLS, n = 0;
    compare_cells base = {.count = count}, now = {.count = count};
    for (uint32_t i = 0; i < j->few_count; i++) {
        const few_row *row = &j->few[i];
        if (which == OF_ALL || row->host) {
            uint32_t cell = (uint32_t)((uint64_t)n++ * count / g->few);
            base.own[cell] += row->base;
            now.own[cell] += row->now;
        }
    }
    if (count) {
        memcpy(base.total, base.own, sizeof base.total);
        memcpy(now.total, now.own, sizeof now.total);
        pf_compare_bootstrap(&base, &now, true, j->c->options.seed, &g->draws);
    }
}

/* The interval and the verdict of a group. */
static compare_measure judge_group(judging *j, unsigned which)
{
    const row_group *g = &j->group[which];
    compare_measure m = {.base = g->base, .now = g->now, .known = g->base > 0 && g->now > 0};
    add_few(j, which);
    m.ratio = g->base > 0 ? g->now / g->base : 0;
    m.interval = pf_compare_bootstrap_whole(&g->draws, m.ratio, 0, false);
    m.verdict = pf_compare_judge(m.ratio, &m.interval, j->c->options.tolerance);
    return m;
}

static void judge_whole(judging *j, compare_result *out)
{
    out->whole = judge_group(j, OF_ALL);
    for (uint32_t i = 0; i < out->count; i++) {
        out->base_own += out->rows[i].base.own;
        out->now_own += out->rows[i].now.own;
    }
    out->measure[COMPARE_OF_HOST] = judge_group(j, OF_HOST);
    out->measure[COMPARE_OF_HOST].known &= !j->base->files[0].in_cycles;
}

/* The worse of two: slower, unsure, same, faster. */
static compare_verdict worse(compare_verdict a, compare_verdict b)
{
    static const int badness[] = {[COMPARE_FASTER] = 1, [COMPARE_SAME] = 2, [COMPARE_UNSURE] = 3, [COMPARE_SLOWER] = 4};
    return badness[a] >= badness[b] ? a : b;
}

/* The verdict of the gate: of those parts of it that both sides have. */
static void judge_gate(const judging *j, compare_result *out)
{
    bool devices = out->measure[COMPARE_OF_DEVICE].known, any = false;
    uint64_t usual = devices ? COMPARE_GATE_DEVICE | COMPARE_GATE_STEP : COMPARE_GATE_ALL;
    uint64_t gate = j->c->options.gate ? j->c->options.gate : usual;
    compare_verdict verdict = COMPARE_FASTER;
    for (unsigned k = 0; k < COMPARE_MEASURES; k++) {
        const compare_measure *m = &out->measure[k];
        if (gate & (COMPARE_GATE_DEVICE << k) && m->known) {
            verdict = worse(verdict, m->verdict);
            any = true;
        }
    }
    if (gate & COMPARE_GATE_ALL) {
        verdict = worse(verdict, out->whole.verdict);
        any = true;
    }
    for (uint32_t i = 0; i < out->count && gate & COMPARE_GATE_NAMES; i++) {
        compare_verdict v = out->rows[i].verdict;
        if (v != COMPARE_NEW && v != COMPARE_VANISHED) {
            verdict = worse(verdict, v);
            any = true;
        }
    }
    out->gate = gate;
    out->verdict = any ? verdict : COMPARE_UNSURE;
}

static void choose_samples(judging *j, const compare_side *base, const compare_side *now)
{
    bool files = base->count >= 3 && now->count >= 3;
    uint32_t least = PF_NONE;
    j->one_run = pf_compare_is_one_run(base) && pf_compare_is_one_run(now);
    for (size_t f = 0; f < base->count + now->count; f++) {
        uint32_t n = (f < base->count ? base->files + f : now->files + f - base->count)->iterations;
        least = n < least ? n : least;
    }
    j->iterations = j->one_run ? least : 0;
    j->samples = j->iterations >= 3 ? COMPARE_ITERATIONS : files && !j->one_run ? COMPARE_FILES : COMPARE_CALLS;
}

/* The job of the crew: the row of a slot. */
static void judge_slot(void *ctx, unsigned slot)
{
    const judging *j = ctx;
    judged *out = &j->slot[slot];
    memset(&out->whole, 0, sizeof out->whole);
    out->few = false;
    out->status = judge_row(j, out);
}

/* Adds a row to the groups that it is in. */
static void add_row(judging *j, const judged *d)
{
    bool host = !pf_compare_is_device_row(j->c, d->row.name);
    for (unsigned which = 0; which < (host ? GROUPS : OF_HOST); which++) {
        row_group *g = &j->group[which];
        g->base += d->row.self.base;
        g->now += d->row.self.now;
        g->few += d->few;
        for (unsigned i = 0; i < COMPARE_DRAWS && !d->few; i++) {
            g->draws.base[i] += d->whole.base[i];
            g->draws.now[i] += d->whole.now[i];
        }
    }
    if (d->few) {
        j->few[j->few_count++] = (few_row){d->row.self.base, d->row.self.now, host};
    }
}

/* Rows of all names, in the order of their ids. */
static pf_status judge_rows(judging *j, pf_crew *crew, compare_result *out, pf_error *err)
{
    uint32_t next = 0;
    while (next < j->rows || pf_crew_pending(crew)) {
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
        if (d->status != PF_OK) {
            *err = d->error;
            return d->status;
        }
        out->rows[out->count++] = d->row;
        add_row(j, d);
        pf_crew_release(crew);
    }
    return PF_OK;
}

static pf_status judge_all(judging *j, compare_result *out, pf_error *err)
{
    unsigned jobs = j->c->options.jobs ? j->c->options.jobs : 2;
    unsigned slots = 2 * jobs < SLOTS_MAX ? 2 * jobs : SLOTS_MAX;
    pf_arena *arena = &j->c->arena;
    PF_TRY(PF_PASS_ARRAY(arena, j->rows, j->few, err));
    PF_TRY(PF_PASS_ARRAY(arena, slots, j->slot, err));
    PF_TRY(PF_PASS_ARRAY(arena, j->rows, out->rows, err));
    pf_crew *crew = pf_crew_start(slots / 2 - 1, slots, judge_slot, j, &j->c->budget);
    pf_status st =
        crew ? judge_rows(j, crew, out, err) : pf_budget_refused(&j->c->budget, slots * sizeof *j->slot, err);
    pf_crew_stop(crew);
    PF_TRY(st);
    qsort(out->rows, out->count, sizeof *out->rows, by_delta);
    judge_whole(j, out);
    PF_TRY(pf_compare_steps(j->c, j->base, j->now, out, err));
    judge_gate(j, out);
    return PF_OK;
}

static double busy_of(const compare_side *side)
{
    double busy = 0;
    for (size_t f = 0; f < side->count; f++) {
        busy += (double)side->files[f].busy;
    }
    return busy;
}

pf_status pf_compare_sides(compare *c, const compare_side *base, const compare_side *now, compare_result *out,
                           pf_error *err)
{
    judging j = {
        .c = c, .base = base, .now = now, .busy_base = busy_of(base), .busy_now = busy_of(now), .rows = c->names.count};
    *out = (compare_result){.base_files = base->count, .now_files = now->count};
    choose_samples(&j, base, now);
    out->samples = j.samples;
    out->iterations = j.iterations;
    return judge_all(&j, out, err);
}
