/* edit/state/flow_links.h - which slices a flow runs between.
 *
 * A flow is an id that slices share; it runs, in the order of time, from each slice to the next one that has the id,
 * until one ends it. A pass over the input lists the slices that have flows; when it is over they are linked, and a
 * pass that is run again knows for each slice whether what comes before or after it is in its window. The list has all
 * slices of the windows; of those before the first or after the last window only the nearest of each id, or a few. It
 * ends after a million; slices that come then have no links. Most flows are over before the windows, or begin after
 * them: 65,536 of the first and as many of the others as there is room for stay in the list, for files that are not in
 * the order of time, but nobody looks for them by id.
 */
#pragma once

#include "base/map.h"
#include "wire/cursor.h"

/* What a flow does at a slice. Those of legacy events that name a direction have to begin, and one that arrives stays
 * where it began. */
typedef enum pf_flow_step {
    PF_FLOW_GOES_ON,
    PF_FLOW_ENDS,
    PF_FLOW_BEGINS,
    PF_FLOW_STEPS,
    PF_FLOW_ARRIVES
} pf_flow_step;

/* A slice that has a flow. */
typedef struct pf_flow_slice {
    uint64_t id, number;    /* of the packet that has the flow */
    int64_t at, ts, end;    /* when that is; of the slice. end: INT64_MAX while it is open */
    uint32_t before, after; /* indices, when it is linked; PF_NONE: none. after one that arrives: another that does */
    uint32_t next;          /* the next one that has the id, whether the flow runs there or not; PF_NONE: none */
    uint32_t sibling;       /* another flow of the same slice, or PF_NONE */
    pf_flow_step step;
    bool left_out; /* by a selection */
    bool over;     /* the flow ended here, before the windows; of those by which it ran the last one is listed only */
} pf_flow_slice;

/* The flows of a slice: 1 + index of the first one, or 0. */
typedef uint32_t pf_flow_use;

#define PF_FLOWS_RECENT 4096u

typedef struct pf_edit_flows {
    pf_budget *budget;
    int64_t from, to;                 /* of the windows, together */
    pf_map by_id;                     /* the last slice of each flow that may go on */
    uint32_t recent[PF_FLOWS_RECENT]; /* the same of flows after the windows, as far as there is a place; 1 + index */
    pf_flow_slice *list, *known;      /* of this pass; of the one before, linked */
    uint32_t count, room, known_count, known_room;
    uint32_t over;  /* slices of the list that are the last of a flow that is over before the windows; a few stay */
    uint32_t spare; /* the last of these that gave its place away */
} pf_edit_flows;

void pf_flows_init(pf_edit_flows *f, pf_budget *budget);
void pf_flows_free(pf_edit_flows *f);

/* Takes the flows of an event that makes a slice, or ends it (its members from number to end, and left_out); NULL:
 * neither.
 */
pf_status pf_flows_take(pf_edit_flows *f, const pf_field *event, const pf_flow_slice *slice, pf_flow_use *use,
                        pf_error *err);
/* The same where it has one flow, whose id is known. */
pf_status pf_flows_take_id(pf_edit_flows *f, uint64_t id, pf_flow_step step, const pf_flow_slice *slice,
                           pf_flow_use *use, pf_error *err);

/* A slice is over. */
void pf_flows_end(pf_edit_flows *f, pf_flow_use use, int64_t end);

/* Links the slices of the pass. *same: the pass before found the same. Another pass can begin then. jobs: threads. */
pf_status pf_flows_link(pf_edit_flows *f, unsigned jobs, bool *same, pf_error *err);

static inline bool pf_flow_lies_in(const pf_flow_slice *s, int64_t from, int64_t to)
{
    return !s->left_out && s->ts < to && (s->ts >= from || s->end > from);
}

/* Whether a flow of the pass before comes from a slice, or goes on to one, that is not in [from, to). */
static inline bool pf_flow_runs_out(const pf_edit_flows *f, const pf_flow_slice *s, int64_t from, int64_t to)
{
    bool out = s->before != PF_NONE && !pf_flow_lies_in(&f->known[s->before], from, to);
    for (uint32_t i = s->step == PF_FLOW_ARRIVES ? PF_NONE : s->after; i != PF_NONE && !out;
         i = f->known[i].step == PF_FLOW_ARRIVES ? f->known[i].after : PF_NONE) {
        out = !pf_flow_lies_in(&f->known[i], from, to);
    }
    return out;
}

/* Of two slices of a window [from, to) that share a flow and are open at its start: the packets that came by when both
 * were known; else 0. */
static inline uint64_t pf_flow_order(const pf_flow_slice *s, const pf_flow_slice *next, int64_t from, int64_t to)
{
    bool ordered = s->number != next->number && pf_flow_lies_in(s, from, to) && next->ts <= from &&
                   pf_flow_lies_in(next, from, to);
    return !ordered ? 0 : s->number > next->number ? s->number + 1 : next->number + 1;
}

/* The largest of these among the flows of a slice, as far as this pass knows them. */
uint64_t pf_flows_order(const pf_edit_flows *f, pf_flow_use use, int64_t from, int64_t to);

/* Puts into `ids` the flows of a slice that are over outside of the window, and begin again in it: without what ends
 * them, they would run on to that slice. ended: the pass is over; else as far as the pass before knows. */
pf_status pf_flows_find_stopping(const pf_edit_flows *f, pf_flow_use use, bool ended, int64_t from, int64_t to,
                                 pf_map *ids, pf_error *err);

/* Whether one of a slice's flows runs out of the window, when the pass is over; *id: which. */
bool pf_flows_ran_out(const pf_edit_flows *f, pf_flow_use use, int64_t from, int64_t to, uint64_t *id);

/* The same while the next pass finds the same slices. */
bool pf_flows_run_out(const pf_edit_flows *f, pf_flow_use use, int64_t from, int64_t to, uint64_t *id);
