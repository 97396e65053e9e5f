/* analyze/neutrino/dmat/dmat.h - the densified memory access timeline: accesses by page and clock
 * (docs/reference/neutrino.md, "DMAT"). */
#ifndef PF_ANALYZE_NEUTRINO_DMAT_DMAT_H
#define PF_ANALYZE_NEUTRINO_DMAT_DMAT_H

#include "analyze/neutrino/facts/neutrino.h"

#define DMAT_ROWS 100u
#define DMAT_COLUMNS 160u
#define DMAT_CLOCK_MAX 5000000u /* accesses at later clocks are not in the clean view */
#define DMAT_LEVELS 5u
#define DMAT_PAGE_BYTES 65536u

typedef struct dmat_cell {
    uint16_t row, column;
    uint64_t count;
} dmat_cell;

typedef struct dmat_tensor {
    pf_str name;
    uint64_t accesses;
    dmat_cell *cell; /* those with accesses, by row and column */
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

typedef struct dmat_result {
    const dmat_source *source;
    uint64_t records, used, zero_slots, invalid, max_clock, clocks;
    pf_map by_page;  /* page number -> index */
    uint64_t *page;  /* by index, in order of appearance: the address */
    uint64_t *clean; /* accesses of the page in the clean view */
    uint32_t pages, page_room, clean_room;
    uint64_t *sorted; /* clean pages, ascending */
    uint32_t *rank;   /* by index: the place in `sorted`, PF_NONE for others */
    uint64_t *counts; /* clean_pages x DMAT_COLUMNS, by rank */
    uint32_t clean_pages;
    uint64_t clean_max_clock;
    dmat_tensor *tensor; /* those with accesses, by name; pages of none are those of "Unknown" */
    uint32_t tensors, tensor_room;
} dmat_result;

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

#endif
