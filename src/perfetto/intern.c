/* perfetto/intern.c - tables of interned texts.
 *
 * The dense array of a table grows over an iid only if that is small compared with the number of entries so far, so
 * that its size follows that number and hostile iids cannot make it large; those go to the hashed part. An iid that was
 * hashed before the array grew over it is copied into the array then, so one look-up order is enough: array, then hash.
 */
#include "perfetto/intern.h"

#include <string.h>

#include "base/hash.h"

#define DENSE_FIRST 16u
#define DENSE_SLACK 64u
#define DENSE_PER_ENTRY 4u /* places of the array for each entry */
#define SPARSE_FIRST 8u

pf_generations *pf_generations_new(pf_arena *arena)
{
    pf_generations *g = pf_arena_alloc(arena, sizeof *g);
    if (!g) {
        return NULL;
    }
    *g = (pf_generations){.arena = arena};
    return pf_generation_add(g) ? g : NULL;
}

pf_generation *pf_generation_add(pf_generations *g)
{
    if (g->count > PF_GENERATION_MAX) {
        return g->list[0];
    }
    pf_generation *n;
    if (PF_ARENA_ROOM(g->arena, g->list, (size_t)g->count + 1, g->room, NULL) != PF_OK ||
        PF_ARENA_NEW(g->arena, n, 1, NULL) != PF_OK) {
        return NULL;
    }
    n->number = g->count;
    n->seed = g->arena->budget->seed;
    g->list[g->count++] = n;
    return n;
}

static struct pf_intern_slot *find_sparse(const pf_intern_table *t, uint64_t seed, uint64_t iid)
{
    uint32_t mask = t->sparse_room - 1;
    uint32_t at = (uint32_t)pf_hash64(seed, iid) & mask;
    while (t->sparse[at].iid && t->sparse[at].iid != iid) {
        at = (at + 1) & mask;
    }
    return &t->sparse[at];
}

uint32_t pf_intern_get(const pf_generation *g, pf_intern_kind kind, uint64_t iid)
{
    uint32_t id = pf_intern_get_dense(g, kind, iid);
    const pf_intern_table *t = &g->table[kind];
    if (id != PF_NONE || iid == 0 || !t->sparse_room) {
        return id;
    }
    const struct pf_intern_slot *slot = find_sparse(t, g->seed, iid);
    return slot->iid ? slot->value : PF_NONE;
}

static bool grow_dense(pf_arena *arena, pf_intern_table *t, uint64_t iid)
{
    uint32_t room = t->dense_room ? t->dense_room : DENSE_FIRST;
    while (room <= iid) {
        room *= 2;
    }
    uint32_t *dense = pf_arena_alloc(arena, room * sizeof *dense);
    if (!dense) {
        return false;
    }
    memset(dense, 0, room * sizeof *dense);
    if (t->dense_room) {
        memcpy(dense, t->dense, t->dense_room * sizeof *dense);
    }
    t->dense = dense;
    t->dense_room = room;
    for (uint32_t i = 0; i < t->sparse_room; i++) {
        if (t->sparse[i].iid && t->sparse[i].iid < room) {
            dense[t->sparse[i].iid] = t->sparse[i].value + 1;
        }
    }
    return true;
}

static bool set_sparse(pf_arena *arena, pf_intern_table *t, uint64_t seed, uint64_t iid, uint32_t string)
{
    if (t->sparse_count * 2 >= t->sparse_room) {
        pf_intern_table larger = {.sparse_room = t->sparse_room ? t->sparse_room * 2 : SPARSE_FIRST};
        if (t->sparse_room > UINT32_MAX / 4) {
            return false;
        }
        larger.sparse = pf_arena_alloc(arena, larger.sparse_room * sizeof *larger.sparse);
        if (!larger.sparse) {
            return false;
        }
        memset(larger.sparse, 0, larger.sparse_room * sizeof *larger.sparse);
        for (uint32_t i = 0; i < t->sparse_room; i++) {
            if (t->sparse[i].iid) {
                *find_sparse(&larger, seed, t->sparse[i].iid) = t->sparse[i];
            }
        }
        t->sparse = larger.sparse;
        t->sparse_room = larger.sparse_room;
    }
    *find_sparse(t, seed, iid) = (struct pf_intern_slot){iid, string};
    t->sparse_count++;
    return true;
}

bool pf_intern_set(pf_generations *g, pf_generation *generation, pf_intern_kind kind, uint64_t iid, uint32_t string)
{
    pf_intern_table *t = &generation->table[kind];
    if (generation->number == 0 || pf_intern_get(generation, kind, iid) != PF_NONE) {
        return true;
    }
    t->count++;
    uint64_t limit = DENSE_SLACK + DENSE_PER_ENTRY * (uint64_t)t->count;
    limit = limit < UINT32_MAX / 2 ? limit : UINT32_MAX / 2;
    if (iid >= t->dense_room && iid < limit && !grow_dense(g->arena, t, iid)) {
        return false;
    }
    if (iid < t->dense_room) {
        t->dense[iid] = string + 1;
        return true;
    }
    return set_sparse(g->arena, t, generation->seed, iid, string);
}
