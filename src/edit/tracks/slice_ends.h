/* edit/tracks/slice_ends.h - which end ends which slice, on tracks whose events are not in the order of time.
 *
 * Perfetto's engine sorts all events before it pairs them. So the events of such tracks are listed in one pass, and
 * sorted and paired at its end (the stack rule: model/slices/stack_rule.h); the next pass asks for each what it closes,
 * or where it ends.
 */
#pragma once

#include "base/budget.h"

#define PF_PAIRED_WITH_NONE UINT64_MAX
#define PF_PAIRS_MAX (1u << 23) /* tracks with more events are not paired so */

/* An event of such a track, and what it is paired with. */
typedef struct pf_paired {
    uint64_t track, number; /* number: of its packet */
    int64_t ts;
    int64_t end;    /* of a slice, PF_STILL_OPEN: it has none; of what ends one: the time at which that began */
    int64_t seen;   /* of a slice that ends with the one around it: when an event shows that */
    uint64_t other; /* number of the packet that ends it, or that began what it ends */
    uint32_t name, category; /* hashes; 0: none */
    uint8_t action;          /* 'B', 'X' (an instant, too) or 'E' */
    bool left_out;           /* the slice, by a selection */
} pf_paired;

typedef struct pf_pairs {
    pf_budget *budget;
    pf_paired *list;
    uint32_t count, room, at; /* at: the one asked for last */
} pf_pairs;

pf_status pf_pairs_add(pf_pairs *p, const pf_paired *event, pf_error *err);

/* Pairs all of them, which were added in the order of their numbers; slices shorter than `least` are left out. */
pf_status pf_pairs_find(pf_pairs *p, int64_t least, pf_error *err);

/* That of a packet; NULL: it is none of these. Mostly it is asked for in their order. */
const pf_paired *pf_pairs_of(pf_pairs *p, uint64_t number);
