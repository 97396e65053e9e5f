/* edit/tracks/slice_ends.h - which end ends which slice, on tracks whose events are not in the order of time.
 *
 * Perfetto's engine sorts all events before it pairs them. So the events of such tracks are listed in one pass, and
 * sorted and paired at its end (the stack rule: model/slices/stack_rule.h); the next pass asks for those that an edge
 * of a window concerns what they close, or where they end. Of the others nobody has to know it.
 */
#pragma once

#include "base/budget.h"

#define PF_PAIRS_MAX (1u << 23) /* tracks with more events are not paired so */

/* An event of such a track, and what it is paired with. */
typedef struct pf_paired {
    uint64_t number; /* of its packet */
    int64_t ts;
    int64_t end; /* of a slice, PF_STILL_OPEN: it has none; of what ends one: the time at which that began */
    union {
        uint64_t other; /* paired: number of the packet that ends it, or that began what it ends */
        int64_t seen;   /* else, of a slice that ends with the one around it: when an event shows that */
    };
    uint32_t track;
    uint32_t name, category; /* hashes; 0: none */
    uint8_t action;          /* 'B', 'X' (an instant, too) or 'E' */
    bool left_out;           /* the slice, by a selection */
    bool paired;             /* a packet ends it, or it ends the slice of one */
    bool late;               /* an event of its track that came before it is later */
} pf_paired;

typedef struct pf_pairs {
    pf_budget *budget;
    pf_paired *list;
    uint32_t count, room, at; /* at: the first one that is not before the one asked for last */
    uint32_t late;            /* so many are */
} pf_pairs;

pf_status pf_pairs_add(pf_pairs *p, const pf_paired *event, pf_error *err);

/* Pairs all of them, which were added in the order of their numbers, and keeps those that `keeps` says; slices shorter
 * than `least` are left out. tracks: more than their largest. */
pf_status pf_pairs_find(pf_pairs *p, uint32_t tracks, int64_t least, bool (*keeps)(const void *ctx, const pf_paired *e),
                        const void *ctx, pf_error *err);

/* That of a packet; NULL: it is none of these. Mostly they are asked for in their order. */
const pf_paired *pf_pairs_of(pf_pairs *p, uint64_t number);
