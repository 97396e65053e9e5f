/* base/ordering.h - what is asked of things in an order: comparisons for qsort, and the place where a value belongs. */
#pragma once

#include <stddef.h>

/* -1, 0 or 1, as a is less than, equal to or greater than b. */
#define PF_COMPARE(a, b) (((a) > (b)) - ((a) < (b)))

/* Defines `name`, a static comparison for qsort of elements of `type` by keys, the first one that differs:
 * PF_UP(member), PF_DOWN(member) where the largest comes first, or any comparison of the elements x and y. All keys are
 * looked at. */
#define PF_ORDER(name, type, ...)                                                                                      \
    static int name(const void *pf_a, const void *pf_b)                                                                \
    {                                                                                                                  \
        const type *x = pf_a;                                                                                          \
        const type *y = pf_b;                                                                                          \
        const int pf_keys[] = {__VA_ARGS__};                                                                           \
        return pf_first_key(pf_keys, sizeof pf_keys / sizeof *pf_keys);                                                \
    }                                                                                                                  \
    static int name(const void *pf_a, const void *pf_b)
#define PF_UP(member) PF_COMPARE(x->member, y->member)
#define PF_DOWN(member) PF_COMPARE(y->member, x->member)

static inline int pf_first_key(const int *keys, size_t count)
{
    size_t i = 0;
    while (i + 1 < count && keys[i] == 0) {
        i++;
    }
    return keys[i];
}

/* Moves `low` to the first of the places [low, end) that is not `before` what is looked for: an expression of `middle`,
 * the place in question, which is true of the first places alone. It is `end` where all are. */
#define PF_BISECT(low, end, before)                                                                                    \
    for (__typeof__(low) pf_high = (end), middle; (low) < pf_high;) {                                                  \
        middle = (low) + (pf_high - (low)) / 2;                                                                        \
        if (before) {                                                                                                  \
            (low) = middle + 1;                                                                                        \
        } else {                                                                                                       \
            pf_high = middle;                                                                                          \
        }                                                                                                              \
    }
