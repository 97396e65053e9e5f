/* base/files/residence.c - see residence.h. */
#include "base/files/residence.h"
#include "base/ordering.h"

#include <stdlib.h>

#define BLOCKS 128u /* 8 MB, or as much as the kernel maps around each fault */

#define FOLIO ((size_t)2 << 20) /* the most that the kernel may map for one page */

PF_ORDER(by_address, pf_resident, PF_UP(file->data));

void pf_residence_init(pf_residence *r, const pf_file *files, size_t count, pf_resident *list)
{
    *r = (pf_residence){.list = list};
    for (size_t i = 0; i < count; i++) {
        if (files[i].mapped_bytes && !files[i].charged) {
            list[r->count++] = (pf_resident){&files[i], false};
        }
    }
    if (r->count) {
        qsort(list, r->count, sizeof *list, by_address);
    }
}

/* How many files begin before an address. */
static size_t begun_before(const pf_residence *r, uintptr_t address)
{
    size_t low = 0;
    PF_BISECT(low, r->count, (uintptr_t)r->list[middle].file->data < address);
    return low;
}

/* Small files share a block. */
static void mark_files(pf_residence *r, uintptr_t block)
{
    uintptr_t start = block << PF_RESIDENCE_SHIFT, end = (block + 1) << PF_RESIDENCE_SHIFT;
    for (size_t i = begun_before(r, end); i-- > 0;) {
        const pf_file *f = r->list[i].file;
        if ((uintptr_t)f->data + f->size <= start) {
            return;
        }
        atomic_store_explicit(&r->list[i].read, true, memory_order_relaxed);
    }
}

/* Whether the next file was read too and follows this one without a gap. */
static bool goes_on(const pf_residence *r, size_t i)
{
    const pf_file *f = r->list[i].file;
    return i + 1 < r->count && r->list[i + 1].file->data == f->data + f->mapped_bytes &&
           atomic_load_explicit(&r->list[i + 1].read, memory_order_relaxed);
}

void pf_residence_leave(pf_residence *r)
{
    for (size_t i = 0; i < PF_RESIDENCE_RECENT; i++) {
        atomic_store_explicit(&r->recent[i], 0, memory_order_relaxed);
    }
    for (size_t i = 0, first = 0; i < r->count; i++) {
        if (!atomic_load_explicit(&r->list[i].read, memory_order_relaxed)) {
            first = i + 1;
            continue;
        }
        atomic_store_explicit(&r->list[i].read, false, memory_order_relaxed);
        if (!goes_on(r, i)) {
            pf_files_drop(r->list[first].file, r->list[i].file);
            first = i + 1;
        }
    }
    atomic_store_explicit(&r->blocks, 0, memory_order_relaxed);
}

void pf_residence_next(pf_residence *r, uintptr_t block)
{
    atomic_store_explicit(&r->recent[block % PF_RESIDENCE_RECENT], block, memory_order_relaxed);
    mark_files(r, block);
    if (atomic_fetch_add_explicit(&r->blocks, 1, memory_order_relaxed) + 1 == BLOCKS) {
        pf_residence_leave(r);
    }
}

void pf_residence_note_part(pf_residence *r, const void *bytes, size_t len)
{
    size_t i = r ? begun_before(r, (uintptr_t)bytes + 1) : 0;
    if (i == 0 || (const uint8_t *)bytes >= r->list[i - 1].file->data + r->list[i - 1].file->size) {
        return;
    }
    size_t size = r->list[i - 1].file->size, least = size < FOLIO ? size : FOLIO;
    uint32_t blocks = (uint32_t)((len > least ? len : least) >> PF_RESIDENCE_SHIFT) + 1;
    if (atomic_fetch_add_explicit(&r->blocks, blocks, memory_order_relaxed) + blocks >= BLOCKS) {
        pf_residence_leave(r);
    }
    atomic_store_explicit(&r->list[i - 1].read, true, memory_order_relaxed);
}
