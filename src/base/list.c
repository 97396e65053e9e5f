/* base/list.c - how arrays grow: to at least 16 elements, then by doubling. */
#include "base/list.h"

#define FIRST_ROOM 16

pf_status pf_list_grow(pf_budget *b, void **base, size_t size, size_t need, void *room, size_t room_size, pf_error *err)
{
    bool wide = room_size == sizeof(uint64_t);
    size_t before = wide ? *(uint64_t *)room : *(uint32_t *)room, bytes;
    size_t larger = before < FIRST_ROOM ? FIRST_ROOM : before;
    while (larger < need && larger <= SIZE_MAX / 2) {
        larger *= 2;
    }
    if (larger < need || (!wide && larger > UINT32_MAX) || __builtin_mul_overflow(larger, size, &bytes)) {
        return pf_budget_refused(b, UINT64_MAX, err);
    }
    void *grown = pf_resize(b, *base, before * size, bytes);
    PF_TRY(grown ? PF_OK : pf_budget_refused(b, bytes, err));
    *base = grown;
    if (wide) {
        *(uint64_t *)room = larger;
    } else {
        *(uint32_t *)room = (uint32_t)larger;
    }
    return PF_OK;
}

pf_status pf_list_new(pf_budget *b, void **base, size_t size, size_t count, pf_error *err)
{
    *base = pf_alloc_zero(b, count, size);
    return *base ? PF_OK : pf_budget_refused(b, (uint64_t)count * size, err);
}
