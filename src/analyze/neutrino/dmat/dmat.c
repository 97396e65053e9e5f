/* analyze/neutrino/dmat/dmat.c - two walks over the accesses of a launch (docs/reference/neutrino.md, "DMAT").
 *
 * The first one finds the pages and the last clock; then every page has a rank and every clock a column. The second one
 * counts, page by column. Memory depends on the number of pages, not on that of accesses.
 */
#include "analyze/neutrino/dmat/dmat_walk.h"

#include <stdlib.h>
#include <string.h>

#include "base/list.h"

#define CLOCK_BITS ((uint64_t)1 << 26) /* clocks below have a bit each, others by a hash */
#define CACHE_BITS 12
#define CACHE (1u << CACHE_BITS)

/* clock * 160 / (last + 1) as a product: exact, because clock * 160 has 30 bits and the divisor 23. */
#define SCALE_BITS 54

typedef struct counter {
    dmat_result *d;
    pf_budget *budget;
    uint64_t *seen; /* a bit for each low clock */
    pf_map far;     /* other clocks */
    uint64_t scale; /* column = clock * scale >> SCALE_BITS */
    struct {
        uint64_t page;
        uint32_t index; /* counted from 1; 0: free */
    } cache[CACHE];
} counter;

static uint64_t page_of(uint64_t address)
{
    return address & ~(uint64_t)(DMAT_PAGE_BYTES - 1);
}

/* ---- pages ------------------------------------------------------------------------------------------------------- */

/* The index of a page, PF_NONE if memory was refused. */
static uint32_t add_page(counter *c, uint64_t page)
{
    dmat_result *d = c->d;
    uint32_t i = pf_map_get(&d->by_page, page / DMAT_PAGE_BYTES);
    if (i == PF_NONE) {
        i = d->pages;
        if (PF_LIST_ROOM(c->budget, d->page, i + 1, d->page_room, NULL) != PF_OK ||
            PF_LIST_ROOM(c->budget, d->clean, i + 1, d->clean_room, NULL) != PF_OK ||
            !pf_map_set(&d->by_page, page / DMAT_PAGE_BYTES, i)) {
            return PF_NONE;
        }
        d->page[i] = page;
        d->clean[i] = 0;
        d->pages++;
    }
    return i;
}

/* Tensors begin at round addresses: the low bits of their pages are alike. */
static inline size_t place_in_cache(uint64_t page)
{
    return (size_t)(page * 0x9e3779b97f4a7c15ull >> (64 - CACHE_BITS));
}

static inline uint32_t index_of(counter *c, uint64_t page)
{
    size_t at = place_in_cache(page);
    if (c->cache[at].page != page || !c->cache[at].index) {
        uint32_t i = add_page(c, page);
        if (i == PF_NONE) {
            return PF_NONE;
        }
        c->cache[at].page = page;
        c->cache[at].index = i + 1;
    }
    return c->cache[at].index - 1;
}

/* ---- the first walk ---------------------------------------------------------------------------------------------- */

static inline bool see_clock(counter *c, uint64_t clock)
{
    if (clock < CLOCK_BITS) {
        c->seen[clock / 64] |= (uint64_t)1 << clock % 64; /* counted afterwards */
        return true;
    }
    if (pf_map_get(&c->far, clock) == PF_NONE) {
        c->d->clocks++;
        return pf_map_set(&c->far, clock, 0);
    }
    return true;
}

static inline bool see_first(void *ctx, uint64_t clock, uint64_t address, uint64_t times)
{
    counter *c = ctx;
    dmat_result *d = c->d;
    bool unused = (clock | address) == 0;
    d->records += times;
    if (clock == UINT64_MAX) {
        d->invalid += times;
        return true;
    }
    uint32_t i = index_of(c, page_of(address));
    if (i == PF_NONE || !see_clock(c, clock)) {
        return false;
    }
    if (unused) {
        d->zero_slots += times;
        return true;
    }
    d->used += times;
    d->max_clock = clock > d->max_clock ? clock : d->max_clock;
    if (clock < DMAT_CLOCK_MAX) {
        d->clean[i] += times;
        d->clean_max_clock = clock > d->clean_max_clock ? clock : d->clean_max_clock;
    }
    return true;
}

/* The same for records of two u64, clock and address, with nothing between them; what is counted stays in registers. */
static bool see_first_piece(counter *c, const uint8_t *p, uint64_t count)
{
    dmat_result *d = c->d;
    uint64_t zero = 0, invalid = 0, max = d->max_clock, clean_max = d->clean_max_clock;
    for (uint64_t i = 0; i < count; i++, p += 16) {
        uint64_t clock = pf_little_u64(p), address = pf_little_u64(p + 8);
        bool unused = (clock | address) == 0;
        zero += unused;
        if (clock >= DMAT_CLOCK_MAX || unused) {
            invalid += clock == UINT64_MAX;
            if (!unused && clock != UINT64_MAX) {
                max = clock > max ? clock : max;
                if (index_of(c, page_of(address)) == PF_NONE || !see_clock(c, clock)) {
                    return false;
                }
            }
            continue;
        }
        uint32_t index = index_of(c, page_of(address));
        if (index == PF_NONE) {
            return false;
        }
        c->seen[clock / 64] |= (uint64_t)1 << clock % 64;
        d->clean[index]++;
        clean_max = clock > clean_max ? clock : clean_max;
    }
    d->records += count;
    d->zero_slots += zero;
    d->invalid += invalid;
    d->used += count - zero - invalid;
    d->max_clock = clean_max > max ? clean_max : max;
    d->clean_max_clock = clean_max;
    return !zero || (index_of(c, 0) != PF_NONE && see_clock(c, 0));
}

/* ---- between them ------------------------------------------------------------------------------------------------ */

static int by_address(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

static pf_status rank_pages(counter *c, pf_error *err)
{
    dmat_result *d = c->d;
    for (uint32_t i = 0; i < d->pages; i++) {
        d->clean_pages += d->clean[i] > 0;
    }
    size_t cells = (size_t)d->clean_pages * DMAT_COLUMNS;
    d->sorted = pf_alloc(c->budget, (d->clean_pages + 1) * sizeof *d->sorted);
    d->rank = pf_alloc(c->budget, (d->pages + 1) * sizeof *d->rank);
    d->counts = pf_alloc_zero(c->budget, cells + 1, sizeof *d->counts);
    if (!d->sorted || !d->rank || !d->counts) {
        return pf_budget_refused(c->budget, cells * sizeof *d->counts, err);
    }
    uint32_t at = 0;
    for (uint32_t i = 0; i < d->pages; i++) {
        d->rank[i] = PF_NONE;
        if (d->clean[i]) {
            d->sorted[at++] = d->page[i];
        }
    }
    qsort(d->sorted, at, sizeof *d->sorted, by_address);
    for (uint32_t i = 0; i < at; i++) {
        d->rank[pf_map_get(&d->by_page, d->sorted[i] / DMAT_PAGE_BYTES)] = i;
    }
    for (size_t i = 0; i < CLOCK_BITS / 64; i++) {
        d->clocks += (uint64_t)__builtin_popcountll(c->seen[i]);
    }
    uint64_t divisor = d->clean_max_clock + 1;
    c->scale = (((uint64_t)1 << SCALE_BITS) + divisor - 1) / divisor;
    return PF_OK;
}

/* ---- the second walk --------------------------------------------------------------------------------------------- */

static inline bool see_second(void *ctx, uint64_t clock, uint64_t address, uint64_t times)
{
    counter *c = ctx;
    dmat_result *d = c->d;
    if (clock < DMAT_CLOCK_MAX && (clock | address)) {
        uint32_t rank = d->rank[index_of(c, page_of(address))];
        d->counts[(size_t)rank * DMAT_COLUMNS + (clock * DMAT_COLUMNS * c->scale >> SCALE_BITS)] += times;
    }
    return true;
}

static bool see_second_piece(counter *c, const uint8_t *p, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++, p += 16) {
        see_second(c, pf_little_u64(p), pf_little_u64(p + 8), 1);
    }
    return true;
}

/* ---- both -------------------------------------------------------------------------------------------------------- */

static bool is_packed(const neutrino_run *n, const neutrino_records *r)
{
    unsigned clock_bytes, address_bytes;
    return r && r->record_bytes == 16 && pf_neutrino_field(n, r, "clock", &clock_bytes) == 0 && clock_bytes == 8 &&
           pf_neutrino_field(n, r, "addr", &address_bytes) == 8 && address_bytes == 8;
}

static pf_status walk_pieces(const neutrino_run *n, const neutrino_records *r,
                             bool (*see)(counter *c, const uint8_t *p, uint64_t count), counter *c, pf_error *err)
{
    uint64_t gone = 0, units = r->capacity && r->capacity < 65536 ? 65536 / r->capacity : 1;
    for (uint64_t u = 0; u < r->complete; u += units) {
        uint64_t here = r->complete - u < units ? r->complete - u : units;
        if (!see(c, r->data + u * r->unit_bytes, here * r->capacity)) {
            return pf_budget_refused(c->budget, 1 << 20, err);
        }
        PF_TRY(pf_neutrino_passed(n, r, u + here, &gone, err));
    }
    return PF_OK;
}

static pf_status walk_twice(const neutrino_run *n, const dmat_source *s, counter *c, pf_error *err)
{
    if (is_packed(n, s->r)) {
        PF_TRY(walk_pieces(n, s->r, see_first_piece, c, err));
        PF_TRY(rank_pages(c, err));
        return walk_pieces(n, s->r, see_second_piece, c, err);
    }
    PF_TRY(walk_accesses(n, s, see_first, c, err));
    PF_TRY(rank_pages(c, err));
    return walk_accesses(n, s, see_second, c, err);
}

pf_status pf_dmat_analyse(const neutrino_run *n, const dmat_source *s, dmat_result *d, pf_error *err)
{
    *d = (dmat_result){.source = s};
    pf_budget *budget = n->arena->budget;
    counter *c = pf_alloc_zero(budget, 1, sizeof *c);
    uint64_t *seen = c ? pf_alloc_zero(budget, CLOCK_BITS / 64, sizeof *seen) : NULL;
    pf_map_init(&d->by_page, budget);
    if (!seen) {
        pf_release(budget, c, c ? sizeof *c : 0);
        return pf_budget_refused(budget, CLOCK_BITS / 8, err);
    }
    c->d = d;
    c->budget = budget;
    c->seen = seen;
    pf_map_init(&c->far, budget);
    pf_status st = walk_twice(n, s, c, err);
    pf_map_free(&c->far);
    pf_release(budget, seen, CLOCK_BITS / 8);
    pf_release(budget, c, sizeof *c);
    return st == PF_OK ? pf_dmat_find_tensors(n, d, err) : st;
}

void pf_dmat_free(const neutrino_run *n, dmat_result *d)
{
    pf_budget *budget = n->arena->budget;
    for (uint32_t i = 0; i < d->tensors; i++) {
        pf_release(budget, d->tensor[i].cell, d->tensor[i].cells * sizeof(dmat_cell));
    }
    PF_LIST_FREE(budget, d->tensor, d->tensor_room);
    PF_LIST_FREE(budget, d->page, d->page_room);
    PF_LIST_FREE(budget, d->clean, d->clean_room);
    pf_release(budget, d->sorted, d->sorted ? (d->clean_pages + 1) * sizeof *d->sorted : 0);
    pf_release(budget, d->rank, d->rank ? (d->pages + 1) * sizeof *d->rank : 0);
    pf_release(budget, d->counts, d->counts ? ((size_t)d->clean_pages * DMAT_COLUMNS + 1) * sizeof *d->counts : 0);
    pf_map_free(&d->by_page);
}
