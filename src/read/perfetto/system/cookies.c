/* read/perfetto/system/cookies.c - slices of one name that run next to each other, told apart by a number, the cookie.
 *
 * Each number has a track of its own; the tracks of one type, process and name form a group, whose slices are packed
 * into lanes once they are built (model/slices/async_lanes.c).
 */
#include "base/list.h"
#include "read/perfetto/system/kernel_events.h"

/* The track that names the group: the first one that was made. */
static uint32_t group_of(pf_import *im, const pf_cookie *c, uint32_t track)
{
    const uint32_t parts[] = {c->type, c->upid, c->name};
    uint32_t key = pf_import_key(im, parts, sizeof parts), group = pf_map_get(&im->system.groups, key);
    if (group == PF_NONE && key != PF_NONE) {
        pf_import_put(im, &im->system.groups, key, track);
        return track;
    }
    return group;
}

static uint32_t make_track(pf_import *im, const pf_cookie *c)
{
    const int64_t name[] = {c->name};
    uint32_t track = pf_system_new_track(im, c->type, c->upid, name);
    if (track != PF_NONE) {
        im->t->tracks.group[track] = group_of(im, c, track);
    }
    return track;
}

pf_cookie_state *pf_system_cookie(pf_import *im, const pf_cookie *c)
{
    const int64_t parts[] = {c->type, c->upid, c->name, c->number, c->instants};
    pf_system *s = &im->system;
    uint32_t key = pf_import_key(im, parts, sizeof parts), i = pf_map_get(&s->cookie_of, key);
    if (i == PF_NONE) {
        uint32_t track = make_track(im, c);
        if (track == PF_NONE ||
            PF_LIST_ROOM(&im->t->budget, s->cookies, s->cookie_count + 1, s->cookie_room, im->err) != PF_OK) {
            return NULL;
        }
        i = s->cookie_count++;
        s->cookies[i] = (pf_cookie_state){.track = track};
        pf_import_put(im, &s->cookie_of, key, i);
    }
    return pf_import_failed(im) ? NULL : &s->cookies[i];
}
