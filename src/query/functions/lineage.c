/* query/functions/lineage.c - ancestor_slice and descendant_slice.
 *
 * Slices of one track are numbered in the order in which they began. What follows a slice on its track and lies deeper
 * is below it, up to the first slice that does not lie deeper: that one took its place.
 */
#include <string.h>

#include "base/list.h"
#include "query/session/session.h"

pf_status pf_sql_ancestors(pf_query *q, int64_t slice, uint32_t **rows, uint32_t *count, size_t *capacity,
                           pf_error *err)
{
    const pf_slices *s = pf_trace_slices(q->trace);
    *count = 0;
    if (slice < 0 || slice >= (int64_t)s->count) {
        return PF_OK;
    }
    uint32_t depth = 0;
    for (uint32_t i = s->parent[slice]; i != PF_NONE; i = s->parent[i]) {
        depth++;
    }
    PF_TRY(PF_LIST_NEW(q->budget, *rows, depth + 1, err));
    *capacity = depth + 1;
    *count = depth;
    for (uint32_t i = s->parent[slice]; i != PF_NONE; i = s->parent[i]) {
        (*rows)[--depth] = i;
    }
    return PF_OK;
}

pf_status pf_sql_descendants(pf_query *q, int64_t slice, uint32_t **rows, uint32_t *count, size_t *capacity,
                             pf_error *err)
{
    const pf_slices *s = pf_trace_slices(q->trace);
    *count = 0;
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
    PF_TRY(PF_LIST_NEW(q->budget, *rows, end - low + 1, err));
    *capacity = end - low + 1;
    *count = end - low;
    memcpy(*rows, track.row + low, *count * sizeof **rows);
    return PF_OK;
}
