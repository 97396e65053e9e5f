/* analyze/compare/row_numbers.c - one row of one side: the numbers that people read, and the cells that the bootstrap
 * draws from.
 *
 * The calls of a row follow each other in each file, so all of this is sums over arrays. Order statistics are selected
 * where the lengths are, which puts them out of order: cells come first.
 */
#include <string.h>

#include "analyze/compare/compare.h"
#include "analyze/support/order_stats.h"

/* The calls of a row in one file. */
typedef struct run {
    const compare_calls *file;
    uint32_t from, to;
} run;

static run run_of(const compare_side *side, size_t file, uint32_t row)
{
    const compare_calls *f = &side->files[file];
    return row < f->rows ? (run){f, f->first[row], f->first[row + 1]} : (run){.file = f};
}

uint64_t pf_compare_row_calls(const compare_side *side, uint32_t row)
{
    uint64_t n = 0;
    for (size_t f = 0; f < side->count; f++) {
        run r = run_of(side, f, row);
        n += r.to - r.from;
    }
    return n;
}

static void add(compare_cells *out, uint64_t cell, const run *r, uint32_t from, uint32_t to)
{
    uint64_t total = 0, own = 0;
    for (uint32_t i = from; i < to; i++) {
        total += r->file->length[i];
        own += r->file->own[i];
    }
    out->total[cell] += (double)total;
    out->own[cell] += (double)own;
}

/* Call k of n is in cell k * count / n; `before` calls came in earlier files. */
static void add_calls(compare_cells *out, const run *r, uint64_t before, uint64_t n)
{
    for (uint32_t from = r->from; from < r->to;) {
        uint64_t k = before + (from - r->from), cell = k * out->count / n;
        uint64_t next = ((cell + 1) * n + out->count - 1) / out->count, left = r->to - from;
        uint32_t to = from + (uint32_t)(next - k < left ? next - k : left);
        add(out, cell, r, from, to);
        from = to;
    }
}

static bool add_iterations(compare_cells *out, const run *r, uint32_t iterations)
{
    bool any = false;
    for (uint32_t i = r->from; i < r->to; i++) {
        uint32_t iteration = r->file->iteration[i];
        if (iteration < iterations) {
            add(out, (uint64_t)iteration * out->count / iterations, r, i, i + 1);
            any = true;
        }
    }
    return any;
}

bool pf_compare_row_cells(const compare_side *side, uint32_t row, compare_samples samples, uint32_t iterations,
                          compare_cells *out)
{
    uint64_t n = pf_compare_row_calls(side, row), before = 0;
    uint64_t units = samples == COMPARE_FILES ? side->count : samples == COMPARE_ITERATIONS ? iterations : n;
    bool any = false;
    out->count = units < COMPARE_CELLS ? (uint32_t)units : COMPARE_CELLS;
    memset(out->total, 0, sizeof out->total);
    memset(out->own, 0, sizeof out->own);
    for (size_t f = 0; f < side->count; f++) {
        run r = run_of(side, f, row);
        if (samples == COMPARE_ITERATIONS) {
            any |= add_iterations(out, &r, iterations);
        } else if (samples == COMPARE_FILES) {
            add(out, f * out->count / units, &r, r.from, r.to);
        } else {
            add_calls(out, &r, before, n);
        }
        before += r.to - r.from;
    }
    for (uint32_t i = 0; i < out->count; i++) {
        out->total[i] /= (double)side->count;
        out->own[i] /= (double)side->count;
    }
    return any;
}

static uint64_t largest(const uint64_t *a, size_t n)
{
    uint64_t most = 0;
    for (size_t i = 0; i < n; i++) {
        most = a[i] > most ? a[i] : most;
    }
    return most;
}

/* After a selection what is smaller lies before the selected place, and what is larger after it; the 95th percentile is
 * never below the middle. */
static void select_numbers(uint64_t *lengths, size_t n, compare_numbers *out)
{
    size_t middle = n / 2, rank = (n * 95 + 99) / 100 - 1;
    uint64_t high = pf_select_length(lengths, n, middle);
    out->median = n % 2 ? (double)high : ((double)largest(lengths, middle) + (double)high) / 2;
    out->p95 = pf_select_length(lengths + middle, n - middle, rank - middle);
}

pf_status pf_compare_row_numbers(const compare_side *side, uint32_t row, double busy, pf_budget *budget,
                                 compare_numbers *out, pf_error *err)
{
    size_t n = pf_compare_row_calls(side, row), at = 0;
    *out = (compare_numbers){.calls = n};
    if (n == 0) {
        return PF_OK;
    }
    uint64_t *gathered = side->count > 1 ? pf_alloc(budget, n * sizeof *gathered) : NULL;
    PF_TRY(side->count > 1 && !gathered ? pf_budget_refused(budget, n * sizeof *gathered, err) : PF_OK);
    for (size_t f = 0; f < side->count; f++) {
        run r = run_of(side, f, row);
        for (uint32_t i = r.from; i < r.to; i++) {
            out->total += r.file->length[i];
            out->own += r.file->own[i];
        }
        if (gathered && r.to > r.from) {
            memcpy(gathered + at, r.file->length + r.from, (r.to - r.from) * sizeof *gathered);
        }
        at += r.to - r.from;
    }
    select_numbers(gathered ? gathered : side->files[0].length + side->files[0].first[row], n, out);
    pf_release(budget, gathered, gathered ? n * sizeof *gathered : 0);
    out->mean = (double)out->total / (double)n;
    out->share = busy > 0 ? (double)out->total / busy * 100 : 0;
    return PF_OK;
}
