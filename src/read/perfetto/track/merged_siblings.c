/* read/perfetto/track/merged_siblings.c - groups of merging siblings.
 *
 * Asynchronous operations get a uuid each, and those with the same parent and name (or key) are meant to be one track.
 * Sorting the uuids by what they have to share puts the members of a group next to each other. Their events stay on the
 * row of their uuid; the model spreads them over lanes (model/slices/slices.c).
 */
#include "read/perfetto/track/uuids.h"

#include <stdlib.h>

#include "base/list.h"
#include "base/ordering.h"
#include "perfetto/fields.h"

static bool merges(const pf_uuid_track *s)
{
    return s->row != PF_NONE && s->scope == PF_SCOPE_PLAIN && s->content == PF_CONTENT_SLICES &&
           s->merge != PF_MERGE_NONE && !s->broken;
}

/* Group identity: scope, parent, kind of merging, name or key. The scope follows from the parent. */
static int compare_groups(const pf_uuid_track *a, const pf_uuid_track *b)
{
    int c = PF_COMPARE(a->parent, b->parent);
    c = c ? c : PF_COMPARE(a->merge, b->merge);
    if (c == 0 && a->merge == PF_MERGE_BY_KEY) {
        c = PF_COMPARE(a->key_kind, b->key_kind);
        return c ? c : PF_COMPARE(a->key, b->key);
    }
    return c ? c : PF_COMPARE(a->name, b->name);
}

static int compare_members(const void *a, const void *b, void *list)
{
    const pf_uuid_track *x = (const pf_uuid_track *)list + *(const uint32_t *)a;
    const pf_uuid_track *y = (const pf_uuid_track *)list + *(const uint32_t *)b;
    int c = compare_groups(x, y);
    return c ? c : PF_COMPARE(x->row, y->row);
}

pf_status pf_lanes_group(pf_uuid_tracks *u)
{
    pf_trace *t = u->t;
    const pf_uuid_track *list = u->list;
    uint32_t *members, count = 0, leader = 0; /* leader: first member of the group */
    PF_TRY(PF_LIST_NEW(&t->budget, members, u->count, u->err));
    for (uint32_t i = 0; i < u->count; i++) {
        if (merges(&list[i])) {
            members[count++] = i;
        }
    }
    qsort_r(members, count, sizeof *members, compare_members, u->list);
    for (uint32_t i = 0; i < count; i++) {
        if (compare_groups(&list[members[leader]], &list[members[i]]) != 0) {
            leader = i;
        }
        t->tracks.group[list[members[i]].row] = list[members[leader]].row;
    }
    PF_LIST_FREE(&t->budget, members, u->count);
    return PF_OK;
}
