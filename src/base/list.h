/* base/list.h - arrays that grow. Whoever owns one keeps the pointer, a count and a room (uint32_t or size_t), under
 * names of its own:
 *
 *     sample *samples; uint32_t sample_count, sample_room;
 *
 *     PF_TRY(PF_LIST_ROOM(budget, l->samples, l->sample_count + 1, l->sample_room, err));
 *     l->samples[l->sample_count++] = s;
 *     ...
 *     PF_LIST_FREE(budget, l->samples, l->sample_room);
 *
 * Where the budget is NULL nothing is counted, and free() may release the array. Elements that are new are not set. */
#pragma once

#include "base/budget.h"

/* Room for `need` elements at *base, doubled as long as they do not fit; *room, of 4 or 8 bytes, is what there was,
 * then what there is. The array is as it was where memory is refused. */
pf_status pf_list_grow(pf_budget *b, void **base, size_t size, size_t need, void *room, size_t room_size,
                       pf_error *err);

/* PF_OK where `need` elements fit, or fit now; else PF_ERR_LIMIT or PF_ERR_MEMORY, with *err filled (may be NULL). */
#define PF_LIST_ROOM(budget, base, need, room, err)                                                                    \
    ((need) <= (room)                                                                                                  \
         ? PF_OK                                                                                                       \
         : pf_list_grow((budget), (void **)&(base), sizeof *(base), (need), &(room), sizeof(room), (err)))

/* An array of `count` zeros at `base`, which is NULL where memory is refused. It is freed with its count for a room. */
pf_status pf_list_new(pf_budget *b, void **base, size_t size, size_t count, pf_error *err);
#define PF_LIST_NEW(budget, base, count, err) pf_list_new((budget), (void **)&(base), sizeof *(base), (count), (err))

#define PF_LIST_FREE(budget, base, room) pf_release((budget), (base), (size_t)(room) * sizeof *(base))
