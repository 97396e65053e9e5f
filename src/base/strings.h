/* base/strings.h - the string pool: every text once, found again by its hash, named by a uint32 id. Id 0 is NULL.
 *
 * The hash is seeded (base/hash.h); where a new text is more than PF_STRINGS_PROBES places away from its first one, the
 * whole table is laid out anew with another seed. */
#pragma once

#include "base/arena.h"
#include "base/columns.h"

#define PF_STRINGS_PROBES 192u

typedef struct pf_strings {
    pf_budget *budget;
    pf_arena arena;
    pf_columns columns;
    uint32_t count, room;
    const char **ptr; /* by id */
    uint32_t *len;
    uint32_t *hash;
    uint32_t *slots; /* open addressing; 0 = free */
    uint32_t mask;   /* slots - 1 */
    uint64_t seed;
    unsigned reseeds; /* left before the table doubles */
} pf_strings;

pf_status pf_strings_init(pf_strings *s, pf_budget *budget, pf_error *err);
void pf_strings_free(pf_strings *s);

/* The id of the text, added if new; an empty text has an id of its own (not 0). PF_NONE if refused, err filled. */
uint32_t pf_strings_add(pf_strings *s, const char *text, size_t len, pf_error *err);

/* The same with a status, for PF_TRY. */
static inline pf_status pf_strings_put(pf_strings *s, pf_str text, uint32_t *id, pf_error *err)
{
    *id = pf_strings_add(s, text.ptr, text.len, err);
    return *id == PF_NONE ? err->code : PF_OK;
}

/* The id of the text, or PF_NONE. */
uint32_t pf_strings_find(const pf_strings *s, const char *text, size_t len);

/* Makes an empty pool one with the texts and ids of another, which must outlive it: the texts are shared. */
pf_status pf_strings_share(pf_strings *s, const pf_strings *from, pf_error *err);

static inline pf_str pf_strings_get(const pf_strings *s, uint32_t id)
{
    return id < s->count ? (pf_str){s->ptr[id], s->len[id]} : (pf_str){NULL, 0};
}
