/* analyze/neutrino/dmat/dmat.h - the densified memory access timeline: accesses by page and clock
 * (docs/reference/neutrino.md, "DMAT"). */
#pragma once

#include "analyze/neutrino/facts/neutrino.h"

#define DMAT_ROWS 100u
#define DMAT_COLUMNS 160u
#define DMAT_CLOCK_MAX 5000000u /* accesses at later clocks are not in the clean view */
#define DMAT_PAGE_BYTES 65536u

typedef struct dmat_cell {
    uint16_t row, column;
    uint64_t count;
} dmat_cell;

typedef struct dmat_tensor {
    pf_str name;
    uint64_t accesses;
    const dmat_cell *cell; /* those with accesses, by row and column */
    uint32_t cells;
    double quantile[4]; /* of their counts */
} dmat_tensor;

/* Where accesses come from: the records of a section, or the rows of a .dmat file. */
typedef struct dmat_source {
    const neutrino_records *r; /* or NULL */
    uint32_t first, count;     /* the rows of neutrino_pages then */
    uint32_t run;
    pf_str name;
} dmat_source;

typedef struct dmat_page {
    uint64_t address;
    uint64_t clean; /* accesses in the clean view */
} dmat_page;

typedef struct dmat_result {
    const dmat_source *source;
    uint64_t records, used, zero_slots, invalid, max_clock, clocks;
    pf_map by_page;  /* page number -> index */
    dmat_page *page; /* by index, in order of appearance */
    uint32_t pages, page_room;
    pf_arena arena;   /* of what follows */
    uint64_t *sorted; /* clean pages, ascending */
    uint32_t *rank;   /* by index: the place in `sorted`, PF_NONE for others */
    uint64_t *counts; /* clean_pages x DMAT_COLUMNS, by rank */
    uint32_t clean_pages;
    uint64_t clean_max_clock;
    dmat_tensor *tensor; /* those with accesses, by name; pages of none are those of "Unknown" */
    uint32_t tensors, tensor_room;
} dmat_result;

/* The order of numbers, for qsort. */
static inline int pf_dmat_ascending(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

static inline uint64_t pf_dmat_page_of(uint64_t address)
{
    return address & ~(uint64_t)(DMAT_PAGE_BYTES - 1);
}

static inline unsigned pf_dmat_level(const dmat_tensor *t, uint64_t count)
{
    unsigned level = 1;
    for (unsigned i = 0; i < 4; i++) {
        level += t->quantile[i] < (double)count;
    }
    return level;
}

pf_status pf_dmat_analyse(const neutrino_run *n, const dmat_source *s, dmat_result *out, pf_error *err);
void pf_dmat_free(const neutrino_run *n, dmat_result *d);

/* Fills the tensors of a result whose counts are there. */
pf_status pf_dmat_find_tensors(const neutrino_run *n, dmat_result *d, pf_error *err);

void pf_dmat_document(const neutrino_run *n, const dmat_result *d, pf_node *object);
void pf_dmat_tables(neutrino_run *n, const dmat_result *d);

/* The table of clocks, pages and counts as sorted text. */
pf_status pf_dmat_page_table(const neutrino_run *n, const dmat_result *d, pf_text *out, pf_error *err);

/* ---- all accesses of a source, in order -------------------------------------------------------------------------- */

/* Is called for every slot, also of unused ones (0, 0). False: memory was refused. */
typedef bool (*dmat_seer)(void *ctx, uint64_t clock, uint64_t address, uint64_t times);

/* Inlined into each caller, with what the caller does at each access; once more for records of two u64, clock and
 * address, with nothing between them. */
static inline __attribute__((always_inline)) pf_status pf_dmat_walk(const neutrino_run *n, const dmat_source *s,
                                                                    dmat_seer see, void *ctx, pf_error *err)
{
    const neutrino_pages *v = &n->pages;
    const neutrino_records *r = s->r;
    uint64_t gone = 0, complete = r ? r->complete : 0;
    unsigned clock_bytes = 0, address_bytes = 0;
    size_t clock = r ? pf_neutrino_field(n, r, "clock", &clock_bytes) : 0;
    size_t address = r ? pf_neutrino_field(n, r, "addr", &address_bytes) : 0;
    bool packed = r && r->record_bytes == 16 && clock == 0 && clock_bytes == 8 && address == 8 && address_bytes == 8;
    bool good = true;
    for (uint32_t i = s->first; i < s->first + s->count && good; i++) {
        good = see(ctx, (uint64_t)v->clock[i], (uint64_t)v->page[i], (uint64_t)v->times[i]);
    }
    for (uint64_t u = 0; u < complete && good; u++) {
        const uint8_t *p = r->data + u * r->unit_bytes;
        const uint64_t capacity = r->capacity;
        for (uint64_t i = 0; i < capacity && packed && good; i++, p += 16) {
            good = see(ctx, pf_little_u64(p), pf_little_u64(p + 8), 1);
        }
        for (uint64_t i = 0; i < capacity && !packed && good; i++, p += r->record_bytes) {
            good = see(ctx, pf_neutrino_value(p, clock, clock_bytes), pf_neutrino_value(p, address, address_bytes), 1);
        }
        PF_TRY(pf_neutrino_passed(n, r, u, &gone, err));
    }
    return good ? PF_OK : pf_budget_refused(n->arena->budget, 1 << 20, err);
}
