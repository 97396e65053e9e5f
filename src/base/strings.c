/* base/strings.c - the string pool. Open addressing with linear probing at a load of at most one half; the stored hash
 * spares most comparisons. XXH3 is fast on the short texts that names are. */
#include "base/strings.h"

#include <string.h>

#include "base/hash.h"
#include "base/list.h"

#include <xxhash.h>

#define FIRST_SLOTS 256u

#define RESEEDS 4u /* at one size */

static uint32_t hash_of(const pf_strings *s, const char *text, size_t len)
{
    return (uint32_t)XXH3_64bits_withSeed(text, len, s->seed);
}

static pf_status init(pf_strings *s, pf_error *err)
{
    PF_TRY(PF_COLUMNS_ADD(&s->columns, s->ptr, err));
    PF_TRY(PF_COLUMNS_ADD(&s->columns, s->len, err));
    PF_TRY(PF_COLUMNS_ADD(&s->columns, s->hash, err));
    PF_TRY(pf_columns_grow(&s->columns, 1, &s->room, err));
    s->count = 1; /* id 0: NULL */
    return PF_LIST_NEW(s->budget, s->slots, FIRST_SLOTS, err);
}

pf_status pf_strings_init(pf_strings *s, pf_budget *budget, pf_error *err)
{
    *s = (pf_strings){.budget = budget, .mask = FIRST_SLOTS - 1, .seed = budget->seed, .reseeds = RESEEDS};
    pf_arena_init(&s->arena, budget);
    pf_columns_init(&s->columns, budget, "string");
    pf_status st = init(s, err);
    if (st != PF_OK) {
        pf_strings_free(s);
    }
    return st;
}

void pf_strings_free(pf_strings *s)
{
    if (s->budget) {
        pf_release(s->budget, s->slots, ((size_t)s->mask + 1) * sizeof *s->slots);
        pf_columns_free(&s->columns);
        pf_arena_free(&s->arena);
    }
    *s = (pf_strings){0};
}

/* The slot that holds the text, or the free slot where it belongs. */
static uint32_t find_slot(const pf_strings *s, const char *text, size_t len, uint32_t hash)
{
    uint32_t slot = hash & s->mask;
    while (s->slots[slot]) {
        uint32_t id = s->slots[slot];
        if (s->hash[id] == hash && s->len[id] == len && memcmp(s->ptr[id], text, len) == 0) {
            break;
        }
        slot = (slot + 1) & s->mask;
    }
    return slot;
}

static void place_all(const pf_strings *s, uint32_t *slots, uint32_t mask)
{
    for (uint32_t id = 1; id < s->count; id++) {
        uint32_t slot = s->hash[id] & mask;
        while (slots[slot]) {
            slot = (slot + 1) & mask;
        }
        slots[slot] = id;
    }
}

/* Lays the table out anew with another seed. */
static void reseed(pf_strings *s)
{
    s->seed = pf_hash_next_seed(s->seed);
    s->reseeds--;
    for (uint32_t id = 1; id < s->count; id++) {
        s->hash[id] = hash_of(s, s->ptr[id], s->len[id]);
    }
    memset(s->slots, 0, ((size_t)s->mask + 1) * sizeof *s->slots);
    place_all(s, s->slots, s->mask);
}

static pf_status double_slots(pf_strings *s, pf_error *err)
{
    size_t old = (size_t)s->mask + 1, new = old * 2;
    uint32_t *slots = new <= UINT32_MAX ? pf_alloc_zero(s->budget, new, sizeof *slots) : NULL;
    PF_TRY(slots ? PF_OK : pf_budget_refused(s->budget, new * sizeof *slots, err));
    place_all(s, slots, (uint32_t)(new - 1));
    pf_release(s->budget, s->slots, old * sizeof *s->slots);
    s->slots = slots;
    s->mask = (uint32_t)(new - 1);
    s->reseeds = RESEEDS;
    return PF_OK;
}

uint32_t pf_strings_add(pf_strings *s, const char *text, size_t len, pf_error *err)
{
    uint32_t hash = hash_of(s, text, len);
    uint32_t slot = find_slot(s, text, len, hash);
    if (s->slots[slot]) {
        return s->slots[slot];
    }
    if (len > UINT32_MAX - 1) {
        pf_fail(err, PF_ERR_LIMIT, "a text of %zu bytes is longer than 4 GiB; cut the trace", len);
        return PF_NONE;
    }
    if (s->count > s->mask / 2) {
        if (double_slots(s, err) != PF_OK) {
            return PF_NONE;
        }
        slot = find_slot(s, text, len, hash);
    }
    if (s->count >= s->room && pf_columns_grow(&s->columns, (uint64_t)s->count + 1, &s->room, err) != PF_OK) {
        return PF_NONE;
    }
    char *copy = pf_arena_copy(&s->arena, text, len);
    if (!copy) {
        pf_budget_refused(s->budget, len + 1, err);
        return PF_NONE;
    }
    uint32_t id = s->count++;
    s->ptr[id] = copy;
    s->len[id] = (uint32_t)len;
    s->hash[id] = hash;
    s->slots[slot] = id;
    if (((slot - hash) & s->mask) > PF_STRINGS_PROBES && s->reseeds) {
        reseed(s);
    }
    return id;
}

uint32_t pf_strings_find(const pf_strings *s, const char *text, size_t len)
{
    uint32_t id = s->slots[find_slot(s, text, len, hash_of(s, text, len))];
    return id ? id : PF_NONE;
}

pf_status pf_strings_share(pf_strings *s, const pf_strings *from, pf_error *err)
{
    size_t slots = (size_t)from->mask + 1;
    PF_TRY(pf_columns_copy(&s->columns, &from->columns, from->count, &s->room, err));
    uint32_t *copy = pf_alloc(s->budget, slots * sizeof *copy);
    PF_TRY(copy ? PF_OK : pf_budget_refused(s->budget, slots * sizeof *copy, err));
    memcpy(copy, from->slots, slots * sizeof *copy);
    pf_release(s->budget, s->slots, ((size_t)s->mask + 1) * sizeof *s->slots);
    s->slots = copy;
    s->mask = from->mask;
    s->count = from->count;
    s->seed = from->seed;
    s->reseeds = from->reseeds;
    return PF_OK;
}
