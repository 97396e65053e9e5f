/* base/budget.h - every byte that a trace, its findings or a writer owns is counted here against pf_limits.memory.
 *
 * A budget is shared by the threads of one reading, so its two counters are atomic. Allocation functions return NULL
 * and leave the counters alone when the limit or the system refuses; pf_budget_refused then writes the right error.
 */
#pragma once

#include <stdatomic.h>

#include "postfetto/base.h"

typedef struct pf_budget {
    pf_limits limits;
    uint64_t seed; /* of the hash tables that are charged here (base/hash.h) */
    _Atomic uint64_t used;
    _Atomic uint64_t peak;
    _Atomic bool limited;             /* the limit refused something, not the system */
    bool may_help;                    /* pf_budget_help was called: there may be threads also later */
    bool helped;                      /* a thread may touch memory ahead; the owner's, like the next */
    struct pf_prefaulter *prefaulter; /* started when first needed */
} pf_budget;

void pf_budget_init(pf_budget *b, const pf_limits *limits); /* limits NULL = defaults */

/* Where everything is released, nothing is charged: a build with assertions ends here where something was released with
 * another size than it had, or never. */
void pf_budget_end(const pf_budget *b);

/* Allows a thread that touches the pages of large tables before they are written, and ends it. Only the thread that
 * grows tables may call these three. */
void pf_budget_help(pf_budget *b);
void pf_budget_end_help(pf_budget *b);
struct pf_prefaulter *pf_budget_prefaulter(pf_budget *b); /* NULL if there is none */

/* Counts bytes that are not allocated through this file (mappings); false if the limit forbids them. */
bool pf_budget_charge(pf_budget *b, uint64_t bytes);
void pf_budget_release(pf_budget *b, uint64_t bytes);

/* malloc, calloc, realloc and free with the size given back by the caller. Where b is NULL nothing is counted. */
void *pf_alloc(pf_budget *b, size_t size);
void *pf_alloc_zero(pf_budget *b, size_t count, size_t size);
void *pf_resize(pf_budget *b, void *p, size_t old_size, size_t new_size);
void pf_release(pf_budget *b, void *p, size_t size);

/* The error for a refused allocation of `bytes`: PF_ERR_LIMIT naming --max-memory, or PF_ERR_MEMORY (always where b is
 * NULL). */
pf_status pf_budget_refused(const pf_budget *b, uint64_t bytes, pf_error *err);

/* The same for memory that no budget counts, of a size that does not matter. */
static inline pf_status pf_no_memory(pf_error *err)
{
    pf_fail(err, PF_ERR_MEMORY, "the system refused memory; close other programs");
    return PF_ERR_MEMORY; /* which compilers see, too */
}
