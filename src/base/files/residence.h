/* base/files/residence.h - bounds how much of mapped files stays resident while their bytes are read here and there.
 *
 * Whoever reads stored bytes a second time says where. Each time enough pages must have come, those of the files that
 * were read since are given back; what is still needed comes back from the page cache. Files that nobody read cost
 * nothing: a capture may be thousands of them. Without it `analyze gpu` of 384 MB of JSON has 566 MB resident, with it
 * 230 MB.
 */
#pragma once

#include <stdatomic.h>

#include "base/files/file.h"

#define PF_RESIDENCE_SHIFT 16 /* of an address to its block: what the kernel maps around a fault */
#define PF_RESIDENCE_RECENT 16

/* A mapped file. */
typedef struct pf_resident {
    const pf_file *file;
    atomic_bool read; /* since its pages were given back */
} pf_resident;

typedef struct pf_residence {
    size_t count;
    pf_resident *list;                             /* ascending by where they are mapped */
    _Atomic uintptr_t recent[PF_RESIDENCE_RECENT]; /* blocks read lately, by their last bits: threads read apart */
    _Atomic uint32_t blocks; /* read since pages were given back; a block that is come back to may count again */
} pf_residence;

/* For those of the files that are mapped, if there are any; `list` has room for all of them and lasts as long. */
void pf_residence_init(pf_residence *r, const pf_file *files, size_t count, pf_resident *list);

/* Gives back the pages of all files that were read since that happened last; one thread at a time. */
void pf_residence_leave(pf_residence *r);

/* The same for a walk over parts of many files, by one thread: what the kernel may map for a part counts. */
void pf_residence_note_part(pf_residence *r, const void *bytes, size_t len);

void pf_residence_next(pf_residence *r, uintptr_t block); /* for pf_residence_note */

/* Some bytes here are about to be read. Any thread may say so. */
static inline void pf_residence_note(pf_residence *r, const void *bytes)
{
    uintptr_t block = (uintptr_t)bytes >> PF_RESIDENCE_SHIFT;
    if (r && block != atomic_load_explicit(&r->recent[block % PF_RESIDENCE_RECENT], memory_order_relaxed)) {
        pf_residence_next(r, block);
    }
}
