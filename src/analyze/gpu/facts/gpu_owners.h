/* analyze/gpu/facts/gpu_owners.h - which device and which stream an operation belongs to.
 *
 * A device is a number or a text within an input, a stream a number or a text within a device. Each gets a row when it
 * is first met; pf_gpu_owners_order puts the rows into the order of their numbers.
 */
#ifndef PF_ANALYZE_GPU_FACTS_GPU_OWNERS_H
#define PF_ANALYZE_GPU_FACTS_GPU_OWNERS_H

#include "base/arena.h"
#include "base/strings.h"

typedef struct gpu_owner {
    uint32_t within; /* the input of a device, the device of a stream */
    uint32_t text;   /* string id of the trace, where the number only stands for a text; else 0 */
    int64_t number;
} gpu_owner;

typedef struct gpu_owners {
    pf_strings keys; /* the bytes of owners; id - 1 is the row */
} gpu_owners;

pf_status pf_gpu_owners_init(gpu_owners *o, pf_budget *budget, pf_error *err);
void pf_gpu_owners_free(gpu_owners *o);
uint32_t pf_gpu_owners_count(const gpu_owners *o);

/* The row of an owner, made if new; PF_NONE and err filled if refused. */
uint32_t pf_gpu_owners_row(gpu_owners *o, const gpu_owner *owner, pf_error *err);

/* The owners in order of `within` and number; place[row] says where a row went. Both arrays come from the arena. With
 * `within` (may be NULL) what they lie within is another row: within[row]. */
pf_status pf_gpu_owners_order(const gpu_owners *o, const uint32_t *within, pf_arena *arena, gpu_owner **list,
                              uint32_t **place, pf_error *err);

#endif
