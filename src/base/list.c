/* base/list.c - how arrays grow: to at least 16 elements, then by doubling. */
#include "base/list.h"

#define FIRST_ROOM 16

pf_status pf_list_grow(pf_budget *b, void **base, size_t size, size_t need, size_t *room, pf_error *err)
{
    size_t larger = *room < FIRST_ROOM ? FIRST_ROOM : *room, bytes;
    while (larger < need && larger <= SIZE_MAX / 2) {
        larger *= 2;
    }
    if (larger < need || __builtin_mul_overflow(larger, size, &bytes)) {
        return pf_budget_refused(b, UINT64_MAX, err);
    }
    void *grown = pf_resize(b, *base, *room * size, bytes);
    if (!grown) {
        return pf_budget_refused(b, bytes, err);
    }
    *base = grown;
    *room = larger;
    return PF_OK;
}

pf_status pf_list_grow_u32(pf_budget *b, void **base, size_t size, size_t need, uint32_t *room, pf_error *err)
{
    size_t wide = *room;
    if (need > UINT32_MAX / 2) {
        return pf_budget_refused(b, UINT64_MAX, err);
    }
    PF_TRY(pf_list_grow(b, base, size, need, &wide, err));
    *room = (uint32_t)wide;
    return PF_OK;
}

pf_status pf_list_new(pf_budget *b, void **base, size_t size, size_t count, pf_error *err)
{
    *base = pf_alloc_zero(b, count, size);
    return *base ? PF_OK : pf_budget_refused(b, (uint64_t)count * size, err);
}
