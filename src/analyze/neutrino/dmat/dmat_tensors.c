/* analyze/neutrino/dmat/dmat_tensors.c - which tensor a page belongs to, and the grid of each tensor
 * (docs/reference/neutrino.md, "DMAT").
 *
 * Of several tensors at one address the last one that was noted counts. Pages are sorted, so that those of a tensor are
 * a run of them. Grids are made one after the other in the same memory; only their cells with accesses are kept.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/neutrino/dmat/dmat.h"
#include "base/ordering.h"

typedef struct place {
    pf_str name;
    uint64_t from, to; /* both included */
} place;

typedef struct finder {
    const neutrino_run *n;
    dmat_result *d;
    pf_arena scratch; /* of what follows */
    place *list;
    uint32_t count;
    uint64_t *grid;
    uint8_t *owned; /* pages that some tensor has */
} finder;

PF_ORDER(by_name, place, pf_str_compare(x->name, y->name));

/* The tensors of the run; from the last line on, the first at an address counts. */
static pf_status list_places(finder *f, pf_error *err)
{
    const neutrino_tensors *v = &f->n->tensors;
    pf_map taken;
    pf_status st = PF_OK;
    pf_map_init(&taken, f->scratch.budget);
    for (uint32_t i = v->count; i-- > 0 && st == PF_OK;) {
        uint64_t from = (uint64_t)v->address[i];
        bool known = v->address[i] == INT64_MIN || pf_map_get(&taken, from) != PF_NONE;
        if (v->run[i] != f->d->source->run || known) {
            continue;
        }
        st = pf_map_put(&taken, from, i, err);
        if (v->bytes[i] > 0) {
            uint64_t bytes = (uint64_t)v->bytes[i], to = bytes > UINT64_MAX - from ? UINT64_MAX : from + bytes;
            pf_str name = pf_neutrino_string(f->n, v->name, i);
            f->list[f->count++] = (place){name.ptr ? name : PF_STR(""), from, to};
        }
    }
    pf_map_free(&taken);
    qsort(f->list, f->count, sizeof *f->list, by_name);
    return st;
}

static uint32_t first_page(const dmat_result *d, uint64_t from)
{
    uint32_t low = 0;
    PF_BISECT(low, d->clean_pages, d->sorted[middle] < from);
    return low;
}

static void add_page(finder *f, uint32_t rank)
{
    const dmat_result *d = f->d;
    uint64_t *row = f->grid + (size_t)((uint64_t)rank * DMAT_ROWS / d->clean_pages) * DMAT_COLUMNS;
    for (unsigned c = 0; c < DMAT_COLUMNS; c++) {
        row[c] += d->counts[(size_t)rank * DMAT_COLUMNS + c];
    }
}

static void add_place(finder *f, const place *p)
{
    for (uint32_t i = first_page(f->d, p->from); i < f->d->clean_pages && f->d->sorted[i] <= p->to; i++) {
        f->owned[i] = 1;
        add_page(f, i);
    }
}

/* Quantiles 0.2 to 0.8 of the sorted counts, linear between neighbours. */
static void find_quantiles(const uint64_t *sorted, uint32_t count, double *out)
{
    for (unsigned i = 0; i < 4; i++) {
        double at = (double)(count - 1) * (0.2 * (i + 1)), below = floor(at);
        uint32_t k = (uint32_t)below;
        double low = (double)sorted[k], high = (double)sorted[k + 1 < count ? k + 1 : k];
        out[i] = low + (high - low) * (at - below);
    }
}

/* The cells of the grid with accesses; the grid is empty afterwards. */
static pf_status keep_cells(finder *f, dmat_tensor *t, pf_error *err)
{
    enum { CELLS = DMAT_ROWS * DMAT_COLUMNS };
    for (uint32_t i = 0; i < CELLS; i++) {
        t->cells += f->grid[i] > 0;
        t->accesses += f->grid[i];
    }
    dmat_cell *cell;
    PF_TRY(PF_ARENA_NEW(&f->d->arena, cell, t->cells, err));
    t->cell = cell;
    uint32_t at = 0;
    for (uint32_t i = 0; i < CELLS; i++) {
        if (f->grid[i]) {
            cell[at] = (dmat_cell){(uint16_t)(i / DMAT_COLUMNS), (uint16_t)(i % DMAT_COLUMNS), f->grid[i]};
            f->grid[at++] = f->grid[i]; /* at <= i: the counts move together to be sorted */
        }
    }
    if (at) {
        qsort(f->grid, at, sizeof *f->grid, pf_dmat_ascending);
        find_quantiles(f->grid, at, t->quantile);
    }
    memset(f->grid, 0, CELLS * sizeof *f->grid);
    return PF_OK;
}

static pf_status add_tensor(finder *f, pf_str name, pf_error *err)
{
    dmat_result *d = f->d;
    PF_TRY(PF_ARENA_ROOM(&d->arena, d->tensor, d->tensors + 1, d->tensor_room, err));
    dmat_tensor *t = &d->tensor[d->tensors];
    *t = (dmat_tensor){.name = name};
    PF_TRY(keep_cells(f, t, err));
    d->tensors += t->cells > 0;
    return PF_OK;
}

static pf_status find(finder *f, pf_error *err)
{
    PF_TRY(PF_ARENA_NEW(&f->scratch, f->grid, DMAT_ROWS * DMAT_COLUMNS, err));
    PF_TRY(PF_ARENA_NEW(&f->scratch, f->list, f->n->tensors.count, err));
    PF_TRY(PF_ARENA_NEW(&f->scratch, f->owned, f->d->clean_pages, err));
    PF_TRY(list_places(f, err));
    for (uint32_t i = 0; i < f->count; i++) {
        add_place(f, &f->list[i]);
        if (i + 1 == f->count || !pf_str_equal(f->list[i].name, f->list[i + 1].name)) {
            PF_TRY(add_tensor(f, f->list[i].name, err));
        }
        PF_TRY(pf_pass_poll(f->n->ctx, err));
    }
    for (uint32_t i = 0; i < f->d->clean_pages; i++) {
        if (!f->owned[i]) {
            add_page(f, i);
        }
    }
    return add_tensor(f, PF_STR("Unknown"), err);
}

pf_status pf_dmat_find_tensors(const neutrino_run *n, dmat_result *d, pf_error *err)
{
    finder f = {.n = n, .d = d};
    pf_arena_init(&f.scratch, n->arena->budget);
    pf_status st = find(&f, err);
    pf_arena_free(&f.scratch);
    return st;
}
