/* analyze/neutrino/dmat/dmat.c - two walks over the accesses of a launch (docs/reference/neutrino.md, "DMAT").
 *
 * The first one finds the pages and the last clock; then every page has a rank and every clock a column. The second one
 * counts, page by column. Memory depends on the number of pages, not on that of accesses.
 */
#include "analyze/neutrino/dmat/dmat.h"

#include <stdlib.h>

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

/* The index of a page, PF_NONE if memory was refused. */
static uint32_t add_page(counter *c, uint64_t page)
{
    dmat_result *d = c->d;
    uint32_t i = pf_map_get(&d->by_page, page / DMAT_PAGE_BYTES);
    if (i == PF_NONE) {
        i = d->pages;
        if (PF_LIST_ROOM(c->budget, d->page, i + 1, d->page_room, NULL) != PF_OK ||
            !pf_map_set(&d->by_page, page / DMAT_PAGE_BYTES, i)) {
            return PF_NONE;
        }
        d->page[d->pages++] = (dmat_page){page, 0};
    }
    return i;
}

static inline uint32_t index_of(counter *c, uint64_t page)
{
    /* Tensors begin at round addresses: the low bits of their pages are alike. */
    size_t at = (size_t)(page * 0x9e3779b97f4a7c15ull >> (64 - CACHE_BITS));
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
    if (clock == UINT64_MAX) {
        d->invalid += times;
        return true;
    }
    uint32_t i = index_of(c, pf_dmat_page_of(address));
    if (i == PF_NONE || !see_clock(c, clock)) {
        return false;
    }
    if ((clock | address) == 0) {
        d->zero_slots += times;
    } else if (clock >= DMAT_CLOCK_MAX) {
        d->max_clock = clock > d->max_clock ? clock : d->max_clock;
    } else {
        d->page[i].clean += times;
        d->clean_max_clock = clock > d->clean_max_clock ? clock : d->clean_max_clock;
    }
    return true;
}

static pf_status rank_pages(counter *c, pf_error *err)
{
    dmat_result *d = c->d;
    for (uint32_t i = 0; i < d->pages; i++) {
        d->clean_pages += d->page[i].clean > 0;
    }
    PF_TRY(PF_ARENA_NEW(&d->arena, d->sorted, d->clean_pages, err));
    PF_TRY(PF_ARENA_NEW(&d->arena, d->rank, d->pages, err));
    PF_TRY(PF_ARENA_NEW(&d->arena, d->counts, (size_t)d->clean_pages * DMAT_COLUMNS, err));
    uint32_t at = 0;
    for (uint32_t i = 0; i < d->pages; i++) {
        d->rank[i] = PF_NONE;
        if (d->page[i].clean) {
            d->sorted[at++] = d->page[i].address;
        }
    }
    qsort(d->sorted, at, sizeof *d->sorted, pf_dmat_ascending);
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

static inline bool see_second(void *ctx, uint64_t clock, uint64_t address, uint64_t times)
{
    counter *c = ctx;
    dmat_result *d = c->d;
    if (clock < DMAT_CLOCK_MAX && (clock | address)) {
        uint32_t rank = d->rank[index_of(c, pf_dmat_page_of(address))];
        d->counts[(size_t)rank * DMAT_COLUMNS + (clock * DMAT_COLUMNS * c->scale >> SCALE_BITS)] += times;
    }
    return true;
}

static pf_status walk_twice(const neutrino_run *n, const dmat_source *s, counter *c, pf_error *err)
{
    dmat_result *d = c->d;
    PF_TRY(pf_dmat_walk(n, s, see_first, c, err));
    for (uint32_t i = s->first; i < s->first + s->count; i++) {
        d->records += (uint64_t)n->pages.times[i];
    }
    d->records += s->r ? s->r->complete * s->r->capacity : 0;
    d->used = d->records - d->zero_slots - d->invalid;
    d->max_clock = d->clean_max_clock > d->max_clock ? d->clean_max_clock : d->max_clock;
    PF_TRY(rank_pages(c, err));
    return pf_dmat_walk(n, s, see_second, c, err);
}

pf_status pf_dmat_analyse(const neutrino_run *n, const dmat_source *s, dmat_result *d, pf_error *err)
{
    pf_budget *budget = n->arena->budget;
    *d = (dmat_result){.source = s};
    pf_map_init(&d->by_page, budget);
    pf_arena_init(&d->arena, budget);
    counter *c;
    PF_TRY(PF_LIST_NEW(budget, c, 1, err));
    c->d = d;
    c->budget = budget;
    pf_map_init(&c->far, budget);
    pf_status st = PF_LIST_NEW(budget, c->seen, CLOCK_BITS / 64, err);
    st = st == PF_OK ? walk_twice(n, s, c, err) : st;
    pf_map_free(&c->far);
    PF_LIST_FREE(budget, c->seen, c->seen ? CLOCK_BITS / 64 : 0);
    PF_LIST_FREE(budget, c, 1);
    return st == PF_OK ? pf_dmat_find_tensors(n, d, err) : st;
}

void pf_dmat_free(const neutrino_run *n, dmat_result *d)
{
    PF_LIST_FREE(n->arena->budget, d->page, d->page_room);
    pf_arena_free(&d->arena);
    pf_map_free(&d->by_page);
}
