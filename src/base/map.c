/* base/map.c - open addressing, linear probing, load at most one half. A free slot is zero, as fresh memory is. */
#include "base/map.h"

#include <string.h>

#include "base/prefault.h"

#define FIRST_SLOTS 16u

#define RESEEDS 4u /* at one size: if keys are still far from home, it is not the seed's fault */

void pf_map_init(pf_map *m, pf_budget *budget)
{
    *m = (pf_map){.budget = budget, .seed = budget->seed, .reseeds = RESEEDS};
}

static size_t slots_of(const pf_map *m)
{
    return m->slots ? m->mask + 1 : 0;
}

void pf_map_free(pf_map *m)
{
    if (m->budget) {
        pf_release(m->budget, m->slots, slots_of(m) * sizeof *m->slots);
        pf_map_init(m, m->budget);
    }
}

void pf_map_clear(pf_map *m)
{
    if (m->slots) {
        memset(m->slots, 0, slots_of(m) * sizeof *m->slots);
    }
    m->count = 0;
}

static struct pf_map_slot *find_slot(const pf_map *m, uint64_t key)
{
    size_t at = pf_map_home(m, key);
    while (m->slots[at].value && m->slots[at].key != key) {
        at = (at + 1) & m->mask;
    }
    return &m->slots[at];
}

uint32_t pf_map_get(const pf_map *m, uint64_t key)
{
    return m->slots ? find_slot(m, key)->value - 1 : PF_NONE;
}

/* Keys after it that would not be found any more move into the gap. */
void pf_map_drop(pf_map *m, uint64_t key)
{
    size_t gap = m->slots ? (size_t)(find_slot(m, key) - m->slots) : 0;
    if (!m->slots || !m->slots[gap].value) {
        return;
    }
    for (size_t at = (gap + 1) & m->mask; m->slots[at].value; at = (at + 1) & m->mask) {
        if (((at - pf_map_home(m, m->slots[at].key)) & m->mask) >= ((at - gap) & m->mask)) {
            m->slots[gap] = m->slots[at];
            gap = at;
        }
    }
    m->slots[gap] = (struct pf_map_slot){0, 0};
    m->count--;
}

void pf_map_prefetch(const pf_map *m, uint64_t key)
{
    if (m->slots) {
        __builtin_prefetch(&m->slots[pf_map_home(m, key)]);
    }
}

/* Moves everything into a table of `slots` places, a power of two that is not smaller than now. */
static bool lay_out(pf_map *m, size_t slots, uint64_t seed, unsigned reseeds)
{
    size_t old = slots_of(m);
    pf_map larger = {.budget = m->budget, .mask = slots - 1, .count = m->count, .seed = seed, .reseeds = reseeds};
    larger.slots = pf_alloc_zero(m->budget, slots, sizeof *larger.slots);
    if (!larger.slots) {
        return false;
    }
    pf_touch(larger.slots, slots * sizeof *larger.slots);
    for (size_t i = 0; i < old; i++) {
        if (m->slots[i].value) {
            *find_slot(&larger, m->slots[i].key) = m->slots[i];
        }
    }
    pf_map_free(m);
    *m = larger;
    return true;
}

static bool enlarge(pf_map *m, size_t slots)
{
    return lay_out(m, slots, m->seed, RESEEDS);
}

bool pf_map_reserve(pf_map *m, size_t count)
{
    size_t slots = FIRST_SLOTS;
    while (slots / 2 < count) {
        slots *= 2;
    }
    return slots <= slots_of(m) || enlarge(m, slots);
}

bool pf_map_copy(pf_map *m, const pf_map *from)
{
    if (!from->slots) {
        return true;
    }
    m->slots = pf_alloc(m->budget, slots_of(from) * sizeof *m->slots);
    if (!m->slots) {
        return false;
    }
    memcpy(m->slots, from->slots, slots_of(from) * sizeof *m->slots);
    m->mask = from->mask;
    m->count = from->count;
    m->seed = from->seed;
    m->reseeds = from->reseeds;
    return true;
}

bool pf_map_set(pf_map *m, uint64_t key, uint32_t value)
{
    if ((!m->slots || m->count > m->mask / 2) && !enlarge(m, m->slots ? 2 * slots_of(m) : FIRST_SLOTS)) {
        return false;
    }
    struct pf_map_slot *slot = find_slot(m, key);
    bool is_new = !slot->value;
    if (is_new) {
        slot->key = key;
        m->count++;
    }
    slot->value = value + 1;
    size_t probes = ((size_t)(slot - m->slots) - pf_map_home(m, key)) & m->mask;
    return !is_new || probes <= PF_MAP_PROBES || !m->reseeds ||
           lay_out(m, m->mask + 1, pf_hash_next_seed(m->seed), m->reseeds - 1);
}

pf_status pf_map_put(pf_map *m, uint64_t key, uint32_t value, pf_error *err)
{
    return pf_map_set(m, key, value) ? PF_OK : pf_budget_refused(m->budget, slots_of(m) * 2 * sizeof *m->slots, err);
}
