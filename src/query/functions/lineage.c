/* query/functions/lineage.c - ancestor_slice and descendant_slice.
 *
 * Slices of one track are numbered in the order in which they began. What follows a slice on its track and lies deeper
 * is below it, up to the first slice that does not lie deeper: that one took its place.
 */
#include <string.h>

#include "base/list.h"
#include "query/session/session.h"

pf_status pf_sql_ancestors(pf_query *q, int64_t slice, sqlite3_value **all, pf_sql_found *found, pf_error *err)
{
    const pf_slices *s = pf_trace_slices(q->trace);
    if (slice < 0 || slice >= (int64_t)s->count) {
        return PF_OK;
    }
    uint32_t depth = 0;
    for (uint32_t i = s->parent[slice]; i != PF_NONE; i = s->parent[i]) {
        depth++;
    }
    PF_TRY(PF_LIST_ROOM(q->budget, found->row, depth + 1, found->room, err));
    found->count = depth;
    for (uint32_t i = s->parent[slice]; i != PF_NONE; i = s->parent[i]) {
        found->row[--depth] = i;
    }
    return PF_OK;
}

pf_status pf_sql_descendants(pf_query *q, int64_t slice, sqlite3_value **all, pf_sql_found *found, pf_error *err)
{
    const pf_slices *s = pf_trace_slices(q->trace);
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
    PF_TRY(PF_LIST_ROOM(q->budget, found->row, end - low + 1, found->room, err));
    found->count = end - low;
    memcpy(found->row, track.row + low, found->count * sizeof *found->row);
    return PF_OK;
}
