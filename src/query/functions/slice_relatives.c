/* query/functions/slice_relatives.c - table-valued functions of a slice.
 *
 * ancestor_slice and descendant_slice: slices of one track are numbered in the order in which they began. What follows
 * a slice on its track and lies deeper is below it, up to the first slice that does not lie deeper: that one took its
 * place.
 *
 * directly_connected_flow, following_flow and preceding_flow: a walk over slices, breadth first: from a slice along its
 * arrows (or against them) to the slices at their other ends. following_flow also goes from a slice down to its
 * children, preceding_flow up to its parent, so that an arrow that ends at a call is followed by what happened inside.
 * A slice is visited once, whatever leads to it.
 */
#include <string.h>

#include "base/list.h"
#include "query/session/session.h"

/* ---- flows --------------------------------------------------------------------------------------------------------
 */

typedef enum direction { ALONG, AGAINST } direction;

typedef struct walk {
    pf_query *q;
    pf_error *err;
    const pf_sql_index *arrows;   /* of slice_out or slice_in */
    const pf_sql_index *children; /* of parent_id; NULL = stay on the level */
    const uint32_t *other_end;
    bool to_parents;
    pf_map visited; /* slices */
    pf_sql_found queue;
    pf_sql_found *flows;
} walk;

static pf_status append(walk *w, pf_sql_found *list, uint32_t value)
{
    PF_TRY(PF_LIST_ROOM(w->q->data.budget, list->row, list->count + 1, list->room, w->err));
    list->row[list->count++] = value;
    return PF_OK;
}

static pf_status visit(walk *w, uint32_t slice)
{
    if (slice == PF_NONE || pf_map_get(&w->visited, slice) != PF_NONE) {
        return PF_OK;
    }
    PF_TRY(pf_map_put(&w->visited, slice, 1, w->err));
    return append(w, &w->queue, slice);
}

static pf_status leave(walk *w, uint32_t slice)
{
    pf_sql_rows arrows = pf_sql_index_int(w->arrows, slice);
    for (uint32_t i = 0; i < arrows.count; i++) {
        PF_TRY(append(w, w->flows, arrows.row[i]));
        PF_TRY(visit(w, w->other_end[arrows.row[i]]));
    }
    if (w->children) {
        pf_sql_rows below = pf_sql_index_int(w->children, slice);
        for (uint32_t i = 0; i < below.count; i++) {
            PF_TRY(visit(w, below.row[i]));
        }
    }
    return w->to_parents ? visit(w, pf_trace_slices(w->q->data.trace)->parent[slice]) : PF_OK;
}

/* Adds the flows of one direction. */
static pf_status go(pf_query *q, direction d, bool relatives, int64_t slice, pf_sql_found *found, pf_error *err)
{
    const pf_flows *flows = pf_trace_flows(q->data.trace);
    walk w = {.q = q, .err = err, .flows = found};
    if (slice < 0 || slice >= (int64_t)pf_trace_slices(q->data.trace)->count) {
        return PF_OK;
    }
    w.arrows = pf_sql_index_named(q, "flow", d == ALONG ? "slice_out" : "slice_in", err);
    w.children = w.arrows && relatives && d == ALONG ? pf_sql_index_named(q, "slice", "parent_id", err) : NULL;
    if (!w.arrows || (relatives && d == ALONG && !w.children)) {
        return err->code;
    }
    w.other_end = d == ALONG ? flows->slice_in : flows->slice_out;
    w.to_parents = relatives && d == AGAINST;
    pf_map_init(&w.visited, q->data.budget);
    pf_status st = visit(&w, (uint32_t)slice);
    for (size_t i = 0; i < w.queue.count && st == PF_OK; i++) {
        st = leave(&w, w.queue.row[i]);
    }
    pf_map_free(&w.visited);
    PF_LIST_FREE(q->data.budget, w.queue.row, w.queue.room);
    return st;
}

pf_status pf_sql_following(pf_query *q, int64_t slice, sqlite3_value **all, pf_sql_found *found, pf_error *err)
{
    return go(q, ALONG, true, slice, found, err);
}

pf_status pf_sql_preceding(pf_query *q, int64_t slice, sqlite3_value **all, pf_sql_found *found, pf_error *err)
{
    return go(q, AGAINST, true, slice, found, err);
}

/* Along, then against; an arrow that both ways meet (they run in a circle) is given once. */
pf_status pf_sql_connected(pf_query *q, int64_t slice, sqlite3_value **all, pf_sql_found *found, pf_error *err)
{
    pf_status st = go(q, ALONG, false, slice, found, err);
    uint32_t along = found->count;
    pf_map seen;
    pf_map_init(&seen, q->data.budget);
    for (uint32_t i = 0; i < along && st == PF_OK; i++) {
        st = pf_map_put(&seen, found->row[i], 1, err);
    }
    if (st == PF_OK) {
        st = go(q, AGAINST, false, slice, found, err);
    }
    uint32_t kept = along;
    for (uint32_t i = along; i < found->count && st == PF_OK; i++) {
        if (pf_map_get(&seen, found->row[i]) == PF_NONE) {
            found->row[kept++] = found->row[i];
        }
    }
    found->count = kept;
    pf_map_free(&seen);
    return st;
}

/* ---- slices -------------------------------------------------------------------------------------------------------
 */

pf_status pf_sql_ancestors(pf_query *q, int64_t slice, sqlite3_value **all, pf_sql_found *found, pf_error *err)
{
    const pf_slices *s = pf_trace_slices(q->data.trace);
    if (slice < 0 || slice >= (int64_t)s->count) {
        return PF_OK;
    }
    uint32_t depth = 0;
    for (uint32_t i = s->parent[slice]; i != PF_NONE; i = s->parent[i]) {
        depth++;
    }
    PF_TRY(PF_LIST_ROOM(q->data.budget, found->row, depth + 1, found->room, err));
    found->count = depth;
    for (uint32_t i = s->parent[slice]; i != PF_NONE; i = s->parent[i]) {
        found->row[--depth] = i;
    }
    return PF_OK;
}

pf_status pf_sql_descendants(pf_query *q, int64_t slice, sqlite3_value **all, pf_sql_found *found, pf_error *err)
{
    const pf_slices *s = pf_trace_slices(q->data.trace);
    if (slice < 0 || slice >= (int64_t)s->count) {
        return PF_OK;
    }
    const pf_sql_index *x = pf_sql_index_named(q, "slice", "track_id", err);
    if (!x) {
        return err->code;
    }
    pf_sql_rows track = pf_sql_index_int(x, s->track[slice]);
    uint32_t low = pf_rows_lower_bound(track.row, track.count, (uint32_t)slice + 1), end = low;
    while (end < track.count && s->depth[track.row[end]] > s->depth[slice]) {
        end++;
    }
    PF_TRY(PF_LIST_ROOM(q->data.budget, found->row, end - low + 1, found->room, err));
    found->count = end - low;
    memcpy(found->row, track.row + low, found->count * sizeof *found->row);
    return PF_OK;
}
