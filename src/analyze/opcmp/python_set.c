/* analyze/opcmp/python_set.c - where CPython's hash table of a set puts integers. The hash of an integer is its
 * remainder by 2^61 - 1 with its sign (-2 for -1); a place is looked for at the hash, then up to nine places on, then
 * at a place that the higher bits of the hash give. At three fifths the table grows. */
#include "analyze/opcmp/opcmp.h"

#include <stdlib.h>

enum { PROBES = 9, SHIFT = 5, LEAST = 8, LARGE = 50000 };

static uint64_t hash_of(int64_t key)
{
    const int64_t prime = ((int64_t)1 << 61) - 1;
    int64_t h = key % prime;
    return (uint64_t)(h == -1 ? -2 : h);
}

static void put(pf_python_set *s, int64_t key, uint32_t value)
{
    uint64_t hash = hash_of(key), perturb = hash;
    size_t i = (size_t)hash & s->mask;
    for (;;) {
        size_t last = i + PROBES <= s->mask ? i + PROBES : i;
        for (size_t at = i; at <= last; at++) {
            if (!s->slots[at].used) {
                s->slots[at] = (struct pf_python_slot){true, key, value};
                return;
            }
        }
        perturb >>= SHIFT;
        i = (i * 5 + 1 + (size_t)perturb) & s->mask;
    }
}

static bool grow(pf_python_set *s, size_t more_than)
{
    size_t size = LEAST;
    while (size <= more_than) {
        size *= 2;
    }
    pf_python_set larger = {.slots = calloc(size, sizeof *s->slots), .mask = size - 1, .count = s->count};
    if (!larger.slots) {
        return false;
    }
    for (size_t i = 0; s->slots && i <= s->mask; i++) {
        if (s->slots[i].used) {
            put(&larger, s->slots[i].key, s->slots[i].value);
        }
    }
    free(s->slots);
    *s = larger;
    return true;
}

void pf_python_set_add(pf_python_set *s, int64_t key, uint32_t value)
{
    if ((!s->slots && !grow(s, 0)) || s->count == s->mask) {
        return;
    }
    put(s, key, value);
    s->count++;
    if (s->count * 5 >= s->mask * 3) {
        grow(s, s->count > LARGE ? s->count * 2 : s->count * 4);
    }
}

void pf_python_set_free(pf_python_set *s)
{
    free(s->slots);
    *s = (pf_python_set){.slots = NULL};
}
