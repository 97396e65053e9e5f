/* base/arena.c - bump allocation out of blocks that double in size. A request larger than a quarter of the next block
 * gets a block of its own, so that little is wasted. */
#include "base/arena.h"

#include <string.h>

#define FIRST_BLOCK 4096u
#define LARGEST_BLOCK (1u << 20)

struct pf_arena_block {
    pf_arena_block *next;
    size_t size; /* header included */
    max_align_t data[];
};

void pf_arena_init(pf_arena *a, pf_budget *budget)
{
    *a = (pf_arena){.budget = budget, .next_size = FIRST_BLOCK};
}

static void free_blocks(pf_arena *a, pf_arena_block *b)
{
    while (b) {
        pf_arena_block *next = b->next;
        pf_release(a->budget, b, b->size);
        b = next;
    }
}

void pf_arena_free(pf_arena *a)
{
    free_blocks(a, a->blocks);
    free_blocks(a, a->spare);
    pf_arena_init(a, a->budget);
}

void pf_arena_reset(pf_arena *a)
{
    pf_arena_block **last = &a->blocks;
    while (*last) {
        last = &(*last)->next;
    }
    *last = a->spare;
    a->spare = a->blocks;
    a->blocks = NULL;
    a->at = a->end = NULL;
}

/* The smallest spare block that is large enough, unless more than half of it would be wasted. */
static pf_arena_block *take_spare(pf_arena *a, size_t size)
{
    pf_arena_block **best = NULL;
    for (pf_arena_block **b = &a->spare; *b; b = &(*b)->next) {
        bool fits = (*b)->size >= size && (*b)->size / 2 <= size;
        best = fits && (!best || (*b)->size < (*best)->size) ? b : best;
    }
    pf_arena_block *found = best ? *best : NULL;
    if (found) {
        *best = found->next;
    }
    return found;
}

static void *add_block(pf_arena *a, size_t size)
{
    bool own = size > a->next_size / 4;
    size_t total = own ? sizeof(pf_arena_block) + size : a->next_size;
    pf_arena_block *b = take_spare(a, total);
    size_t got = b ? b->size : total;
    b = b ? b : pf_alloc(a->budget, total);
    if (!b) {
        return NULL;
    }
    b->size = got;
    char *data = (char *)b->data;
    if (own && a->blocks) {
        b->next = a->blocks->next;
        a->blocks->next = b;
        return data;
    }
    b->next = a->blocks;
    a->blocks = b;
    a->at = data + size;
    a->end = (char *)b + got;
    if (!own && a->next_size < LARGEST_BLOCK) {
        a->next_size *= 2;
    }
    return data;
}

void *pf_arena_alloc(pf_arena *a, size_t size)
{
    if (size > SIZE_MAX / 2) {
        return NULL;
    }
    size = (size + 7) & ~(size_t)7;
    if ((size_t)(a->end - a->at) < size) {
        return add_block(a, size);
    }
    void *p = a->at;
    a->at += size;
    return p;
}

pf_status pf_arena_new(pf_arena *a, void **base, size_t size, size_t count, pf_error *err)
{
    size_t bytes = SIZE_MAX;
    bool fits = !__builtin_mul_overflow(size, count, &bytes);
    *base = fits ? pf_arena_alloc(a, bytes + !bytes) : NULL;
    PF_TRY(!*base ? pf_budget_refused(a->budget, bytes, err) : PF_OK);
    memset(*base, 0, bytes);
    return PF_OK;
}

pf_status pf_arena_grow(pf_arena *a, void **base, size_t size, size_t need, uint32_t *room, pf_error *err)
{
    size_t larger = *room ? *room : 16, bytes = SIZE_MAX;
    while (larger < need && larger <= UINT32_MAX / 2) {
        larger *= 2;
    }
    bool fits = larger >= need && !__builtin_mul_overflow(size, larger, &bytes);
    void *grown = fits ? pf_arena_alloc(a, bytes) : NULL;
    PF_TRY(grown ? PF_OK : pf_budget_refused(a->budget, bytes, err));
    if (*room) {
        memcpy(grown, *base, *room * size);
    }
    *base = grown;
    *room = (uint32_t)larger;
    return PF_OK;
}

char *pf_arena_copy(pf_arena *a, const char *bytes, size_t len)
{
    char *p = len < SIZE_MAX ? pf_arena_alloc(a, len + 1) : NULL;
    if (p) {
        if (len) {
            memcpy(p, bytes, len);
        }
        p[len] = '\0';
    }
    return p;
}
