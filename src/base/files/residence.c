/* base/files/residence.c - see residence.h. */
#include "base/files/residence.h"

#define BLOCKS 128u /* 8 MB, or as much as the kernel maps around each fault */

void pf_residence_next(pf_residence *r, uintptr_t block)
{
    atomic_store_explicit(&r->block, block, memory_order_relaxed);
    if (atomic_fetch_add_explicit(&r->blocks, 1, memory_order_relaxed) + 1 != BLOCKS) {
        return;
    }
    for (size_t i = 0; i < r->count; i++) {
        pf_file_drop(&r->files[i], 0, r->files[i].size);
    }
    atomic_store_explicit(&r->blocks, 0, memory_order_relaxed);
}
