/* analyze/neutrino/dmat/dmat_report.c - the timeline as a document, as tables, and as text by clock and page. */
#include <inttypes.h>
#include <stdlib.h>

#include "analyze/neutrino/dmat/dmat.h"
#include "base/list.h"
#include "base/ordering.h"

/* Runs of pages whose neighbours are at most one page apart. */
static uint32_t page_groups(const neutrino_run *n, const dmat_result *d, pf_node *list)
{
    uint32_t groups = 0;
    for (uint32_t from = 0, i = 0; i < d->clean_pages; i++) {
        bool last = i + 1 == d->clean_pages || d->sorted[i + 1] - d->sorted[i] > DMAT_PAGE_BYTES;
        if (!last) {
            continue;
        }
        if (list) {
            PF_NEUTRINO_PUT_NUMBERS(n, pf_neutrino_put(n, list, NULL, PF_NODE_OBJECT), {"first", d->sorted[from]},
                                    {"last", d->sorted[i]}, {"pages", i - from + 1});
        }
        from = i + 1;
        groups++;
    }
    return groups;
}

static void put_tensor(const neutrino_run *n, pf_node *parent, const dmat_tensor *t)
{
    pf_node *o = pf_node_add(n->f, parent, t->name, PF_NODE_OBJECT);
    PF_NEUTRINO_PUT_NUMBERS(n, o, {"accesses", t->accesses}, {"cells", t->cells});
    pf_node *list = pf_neutrino_put(n, o, "thresholds", PF_NODE_LIST);
    for (unsigned i = 0; i < 4; i++) {
        pf_neutrino_put_real(n, list, NULL, t->quantile[i]);
    }
    list = pf_neutrino_put(n, o, "cells_rcnl", PF_NODE_LIST);
    for (uint32_t i = 0; i < t->cells; i++) {
        pf_node *cell = pf_neutrino_put(n, list, NULL, PF_NODE_LIST);
        const dmat_cell *c = &t->cell[i];
        PF_NEUTRINO_PUT_NUMBERS(n, cell, {NULL, c->row}, {NULL, c->column}, {NULL, c->count},
                                {NULL, pf_dmat_level(t, c->count)});
    }
}

void pf_dmat_document(const neutrino_run *n, const dmat_result *d, pf_node *o)
{
    PF_NEUTRINO_PUT_NUMBERS(n, o, {"records", d->records}, {"used", d->used}, {"zero_slots", d->zero_slots},
                            {"invalid", d->invalid}, {"max_clock", d->max_clock}, {"num_pages", d->pages},
                            {"num_clocks", d->clocks});
    pf_node *clean = pf_neutrino_put(n, o, "clean", PF_NODE_OBJECT);
    PF_NEUTRINO_PUT_NUMBERS(n, clean, {"pages", d->clean_pages}, {"max_clock", d->clean_max_clock});
    page_groups(n, d, pf_neutrino_put(n, clean, "page_groups", PF_NODE_LIST));
    pf_node *grid = pf_neutrino_put(n, clean, "grid", PF_NODE_LIST);
    PF_NEUTRINO_PUT_NUMBERS(n, grid, {NULL, DMAT_ROWS}, {NULL, DMAT_COLUMNS});
    pf_node *tensors = pf_neutrino_put(n, clean, "tensors", PF_NODE_OBJECT);
    for (uint32_t i = 0; i < d->tensors; i++) {
        put_tensor(n, tensors, &d->tensor[i]);
    }
}

void pf_dmat_tables(neutrino_run *n, const dmat_result *d)
{
    PF_NEUTRINO_ROW(n, NEUTRINO_TABLE_DMAT, {.as.s = d->source->name}, pf_cell_count(d->records),
                    pf_cell_count(d->used), pf_cell_count(d->zero_slots), pf_cell_count(d->invalid),
                    pf_cell_int(d->clean_pages), pf_cell_int(page_groups(n, d, NULL)),
                    pf_cell_count(d->clean_max_clock));
    for (uint32_t i = 0; i < d->tensors; i++) {
        PF_NEUTRINO_ROW(n, NEUTRINO_TABLE_TENSOR, {.as.s = d->source->name}, {.as.s = d->tensor[i].name},
                        pf_cell_count(d->tensor[i].accesses), pf_cell_int(d->tensor[i].cells));
    }
}

typedef struct entry {
    uint64_t clock, page, times;
} entry;

typedef struct gatherer {
    entry *list;
    uint64_t count;
} gatherer;

static inline bool gather(void *ctx, uint64_t clock, uint64_t address, uint64_t times)
{
    gatherer *g = ctx;
    if (clock != UINT64_MAX) {
        g->list[g->count++] = (entry){clock, pf_dmat_page_of(address), times};
    }
    return true;
}

PF_ORDER(by_clock_and_page, entry, PF_UP(clock), PF_UP(page));

pf_status pf_dmat_page_table(const neutrino_run *n, const dmat_result *d, pf_text *out, pf_error *err)
{
    gatherer g = {.count = 0};
    pf_budget *budget = n->arena->budget;
    const neutrino_records *r = d->source->r;
    size_t slots = (r ? r->complete * r->capacity : d->source->count) + 1; /* unused ones included */
    PF_TRY(PF_LIST_NEW(budget, g.list, slots, err));
    pf_status st = pf_dmat_walk(n, d->source, gather, &g, err);
    if (st == PF_OK) {
        qsort(g.list, g.count, sizeof *g.list, by_clock_and_page);
    }
    for (uint64_t i = 0; i < g.count && st == PF_OK; i++) {
        if (i + 1 < g.count && by_clock_and_page(&g.list[i], &g.list[i + 1]) == 0) {
            g.list[i + 1].times += g.list[i].times;
            continue;
        }
        pf_text_format(n->f, out, "%" PRIu64 "\t0x%" PRIx64 "\t%" PRIu64 "\n", g.list[i].clock, g.list[i].page,
                       g.list[i].times);
    }
    PF_LIST_FREE(budget, g.list, slots);
    return st;
}
