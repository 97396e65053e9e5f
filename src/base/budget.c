/* base/budget.c - counted allocation. The count is raised before the system is asked, so that two threads cannot pass
 * the limit together; it is lowered again if the system refuses. */
#include "base/budget.h"

#include <assert.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/prefault.h"

void pf_budget_init(pf_budget *b, const pf_limits *limits)
{
    b->limits = limits ? *limits : pf_limits_default();
    b->seed = b->limits.hash_seed ? b->limits.hash_seed : pf_hash_random_seed();
    atomic_init(&b->used, 0);
    atomic_init(&b->peak, 0);
    atomic_init(&b->limited, false);
    b->may_help = b->helped = false;
    b->prefaulter = NULL;
}

void pf_budget_end(const pf_budget *b)
{
    assert(atomic_load_explicit(&b->used, memory_order_relaxed) == 0);
}

void pf_budget_help(pf_budget *b)
{
    b->may_help = b->helped = true;
}

void pf_budget_end_help(pf_budget *b)
{
    pf_prefaulter_stop(b->prefaulter);
    b->prefaulter = NULL;
    b->helped = false;
}

pf_prefaulter *pf_budget_prefaulter(pf_budget *b)
{
    if (b->helped && !b->prefaulter) {
        b->prefaulter = pf_prefaulter_start();
        b->helped = b->prefaulter != NULL;
    }
    return b->prefaulter;
}

bool pf_budget_charge(pf_budget *b, uint64_t bytes)
{
    if (!b) {
        return true;
    }
    uint64_t before = atomic_fetch_add_explicit(&b->used, bytes, memory_order_relaxed);
    if (bytes > b->limits.memory || before > b->limits.memory - bytes) {
        atomic_fetch_sub_explicit(&b->used, bytes, memory_order_relaxed);
        atomic_store_explicit(&b->limited, true, memory_order_relaxed);
        return false;
    }
    uint64_t now = before + bytes;
    uint64_t peak = atomic_load_explicit(&b->peak, memory_order_relaxed);
    while (now > peak &&
           !atomic_compare_exchange_weak_explicit(&b->peak, &peak, now, memory_order_relaxed, memory_order_relaxed)) {
    }
    return true;
}

void pf_budget_release(pf_budget *b, uint64_t bytes)
{
    if (!b) {
        return;
    }
    atomic_fetch_sub_explicit(&b->used, bytes, memory_order_relaxed);
}

void *pf_alloc(pf_budget *b, size_t size)
{
    if (!pf_budget_charge(b, size)) {
        return NULL;
    }
    void *p = malloc(size ? size : 1);
    if (!p) {
        pf_budget_release(b, size);
    }
    return p;
}

void *pf_alloc_zero(pf_budget *b, size_t count, size_t size)
{
    size_t total;
    if (__builtin_mul_overflow(count, size, &total) || !pf_budget_charge(b, total)) {
        return NULL;
    }
    void *p = calloc(total ? total : 1, 1);
    if (!p) {
        pf_budget_release(b, total);
    }
    return p;
}

void *pf_resize(pf_budget *b, void *p, size_t old_size, size_t new_size)
{
    if (new_size > old_size && !pf_budget_charge(b, new_size - old_size)) {
        return NULL;
    }
    void *q = realloc(p, new_size ? new_size : 1);
    if (!q) {
        if (new_size > old_size) {
            pf_budget_release(b, new_size - old_size);
        }
        return NULL;
    }
    if (new_size < old_size) {
        pf_budget_release(b, old_size - new_size);
    }
    return q;
}

void pf_release(pf_budget *b, void *p, size_t size)
{
    if (p) {
        free(p);
        pf_budget_release(b, size);
    }
}

pf_status pf_budget_refused(const pf_budget *b, uint64_t bytes, pf_error *err)
{
    if (b && atomic_load_explicit(&b->limited, memory_order_relaxed)) {
        bool mega = b->limits.memory >> 20 > 0;
        return pf_fail(err, PF_ERR_LIMIT,
                       "more than %llu %s of memory would be needed; raise --max-memory, or ask for less",
                       (unsigned long long)(mega ? b->limits.memory >> 20 : b->limits.memory),
                       mega                    ? "MiB"
                       : b->limits.memory == 1 ? "byte"
                                               : "bytes");
    }
    return pf_fail(err, PF_ERR_MEMORY, "the system refused %llu bytes of memory; close other programs",
                   (unsigned long long)bytes);
}
