/* analyze/neutrino/dmat/dmat_walk.h - all accesses of a source, in order. The walk is inlined into each caller, with
 * what the caller does at each access. */
#ifndef PF_ANALYZE_NEUTRINO_DMAT_DMAT_WALK_H
#define PF_ANALYZE_NEUTRINO_DMAT_DMAT_WALK_H

#include "analyze/neutrino/dmat/dmat.h"

/* Is called for every slot, also of unused ones (0, 0). False: memory was refused. */
typedef bool (*dmat_seer)(void *ctx, uint64_t clock, uint64_t address, uint64_t times);

static inline __attribute__((always_inline)) pf_status walk_accesses(const neutrino_run *n, const dmat_source *s,
                                                                     dmat_seer see, void *ctx, pf_error *err)
{
    const neutrino_records *r = s->r;
    const neutrino_pages *v = &n->pages;
    for (uint32_t i = s->first; i < s->first + s->count; i++) {
        if (!see(ctx, (uint64_t)v->clock[i], (uint64_t)v->page[i], (uint64_t)v->times[i])) {
            return pf_budget_refused(n->arena->budget, 1 << 20, err);
        }
    }
    if (!r) {
        return PF_OK;
    }
    unsigned clock_bytes, address_bytes;
    size_t clock = pf_neutrino_field(n, r, "clock", &clock_bytes);
    size_t address = pf_neutrino_field(n, r, "addr", &address_bytes);
    uint64_t gone = 0;
    for (uint64_t u = 0; u < r->complete; u++) {
        const uint8_t *p = r->data + u * r->unit_bytes;
        for (uint64_t i = 0; i < r->capacity; i++, p += r->record_bytes) {
            if (!see(ctx, pf_neutrino_value(p, clock, clock_bytes), pf_neutrino_value(p, address, address_bytes), 1)) {
                return pf_budget_refused(n->arena->budget, 1 << 20, err);
            }
        }
        PF_TRY(pf_neutrino_passed(n, r, u, &gone, err));
    }
    return PF_OK;
}

#endif
