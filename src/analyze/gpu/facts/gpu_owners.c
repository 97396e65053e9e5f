/* analyze/gpu/facts/gpu_owners.c - see gpu_owners.h. */
#include "analyze/gpu/facts/gpu_owners.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/support/pass_memory.h"

pf_status pf_gpu_owners_init(gpu_owners *o, pf_budget *budget, pf_error *err)
{
    return pf_strings_init(&o->keys, budget, err);
}

void pf_gpu_owners_free(gpu_owners *o)
{
    pf_strings_free(&o->keys);
}

uint32_t pf_gpu_owners_count(const gpu_owners *o)
{
    return o->keys.count ? o->keys.count - 1 : 0;
}

uint32_t pf_gpu_owners_row(gpu_owners *o, const gpu_owner *owner, pf_error *err)
{
    char key[sizeof *owner];
    memcpy(key, &owner->within, 4);
    memcpy(key + 4, &owner->text, 4);
    memcpy(key + 8, &owner->number, 8);
    uint32_t id = pf_strings_add(&o->keys, key, sizeof key, err);
    return id == PF_NONE ? PF_NONE : id - 1;
}

typedef struct placed {
    gpu_owner owner;
    uint32_t row;
} placed;

static int compare(const void *a, const void *b)
{
    const placed *x = a, *y = b;
    if (x->owner.within != y->owner.within) {
        return x->owner.within < y->owner.within ? -1 : 1;
    }
    if (x->owner.number != y->owner.number) {
        return x->owner.number < y->owner.number ? -1 : 1;
    }
    return x->row < y->row ? -1 : x->row > y->row;
}

static gpu_owner owner_at(const gpu_owners *o, uint32_t row)
{
    gpu_owner owner;
    const char *key = pf_strings_get(&o->keys, row + 1).ptr;
    memcpy(&owner.within, key, 4);
    memcpy(&owner.text, key + 4, 4);
    memcpy(&owner.number, key + 8, 8);
    return owner;
}

pf_status pf_gpu_owners_order(const gpu_owners *o, const uint32_t *within, pf_arena *arena, gpu_owner **list,
                              uint32_t **place, pf_error *err)
{
    uint32_t n = pf_gpu_owners_count(o);
    placed *rows;
    PF_TRY(PF_PASS_ARRAY(arena, n, rows, err));
    PF_TRY(PF_PASS_ARRAY(arena, n, *list, err));
    PF_TRY(PF_PASS_ARRAY(arena, n, *place, err));
    for (uint32_t i = 0; i < n; i++) {
        rows[i] = (placed){owner_at(o, i), i};
        rows[i].owner.within = within ? within[rows[i].owner.within] : rows[i].owner.within;
    }
    qsort(rows, n, sizeof *rows, compare);
    for (uint32_t i = 0; i < n; i++) {
        (*list)[i] = rows[i].owner;
        (*place)[rows[i].row] = i;
    }
    return PF_OK;
}
