/* base/files/residence.h - bounds how much of mapped files stays resident while their bytes are read here and there.
 *
 * Whoever reads stored bytes a second time says where. The pages of all files are given back each time enough of them
 * must have come; those that are still needed come back from the page cache.
 */
#ifndef PF_BASE_FILES_RESIDENCE_H
#define PF_BASE_FILES_RESIDENCE_H

#include <stdatomic.h>

#include "base/files/file.h"

typedef struct pf_residence {
    const pf_file *files; /* those that are not mapped do not matter */
    size_t count;
    _Atomic uintptr_t block; /* the one that was read last */
    _Atomic uint32_t blocks; /* read since pages were given back; a block that is come back to counts again */
} pf_residence;

#define PF_RESIDENCE_SHIFT 16 /* of an address to its block: what the kernel maps around a fault */

void pf_residence_next(pf_residence *r, uintptr_t block);

/* Some bytes here are about to be read. Any thread may say so. */
static inline void pf_residence_note(pf_residence *r, const void *bytes)
{
    uintptr_t block = (uintptr_t)bytes >> PF_RESIDENCE_SHIFT;
    if (r && block != atomic_load_explicit(&r->block, memory_order_relaxed)) {
        pf_residence_next(r, block);
    }
}

#endif
