/* edit/state/flow_sources.h - which slice each flow comes from.
 *
 * A flow is an id that slices share; it runs from each slice to the next one that has the id, until one ends
 * it. Of each id the last slice is known, so that the next one can ask whether that slice is in its window. Slices are
 * known by serial numbers and kept in a ring: what is more than a million slices with flows ago is forgotten, and a
 * flow from there counts as one whose beginning nobody knows.
 */
#ifndef PF_EDIT_STATE_FLOW_SOURCES_H
#define PF_EDIT_STATE_FLOW_SOURCES_H

#include "base/map.h"
#include "wire/cursor.h"

typedef struct pf_edit_flows {
    pf_budget *budget;
    pf_map by_id; /* the last slice of each flow */
    struct pf_flow_slice {
        int64_t ts, end; /* end: INT64_MAX while it is open */
        bool left_out;   /* by a selection */
    } * list;            /* serial modulo PF_FLOWS_MAX */
    uint32_t serial, room;
} pf_edit_flows;

/* What a slice has to do with flows: nothing if all is 0. */
typedef struct pf_flow_use {
    uint64_t id;     /* of the flow that comes from `source` */
    uint32_t source; /* serial of the slice that it comes from; 0: none that is known */
    uint32_t own;    /* serial of the slice itself; 0: none */
} pf_flow_use;

void pf_flows_init(pf_edit_flows *f, pf_budget *budget);
void pf_flows_free(pf_edit_flows *f);

/* Takes the flows of an event that makes `slice`; NULL: it makes none that is known. */
pf_status pf_flows_take(pf_edit_flows *f, const pf_field *event, const struct pf_flow_slice *slice, pf_flow_use *use,
                        pf_error *err);

/* The same of one flow that goes on at the event, or ends there. */
pf_status pf_flows_take_id(pf_edit_flows *f, uint64_t id, bool ends, const struct pf_flow_slice *slice,
                           pf_flow_use *use, pf_error *err);

/* A slice is over. */
void pf_flows_end(pf_edit_flows *f, uint32_t serial, int64_t end);

/* Whether the flow of a slice comes from one that is not in [from, to), as far as is known. */
bool pf_flows_from_outside(const pf_edit_flows *f, const pf_flow_use *use, int64_t from, int64_t to);

#endif
