/* read/perfetto/track/unnamed_tracks.c - names of tracks whose descriptors give none.
 *
 * Such a track is called like its earliest event; that is what makes the track known. A track that was known before,
 * because something happened on a track below it, stays without a name. So the earliest use is looked for, of all
 * tracks without a name and all tracks below one: an event, a counter's sample, or an event that names the track but
 * stands on another one (an asynchronous operation, an arrow). Then those below are compared with all above them.
 */
#include <string.h>

#include "base/list.h"
#include "read/perfetto/track/uuids.h"

#define MAX_LEVELS 100u

/* Events of these phases show on the track that they stand on. */
static const char NAMING_PHASES[] = {'B', 'E', 'X', 'i', 'I', 'R', 's', 't', 'f', PF_PHASE_STATE, '\0'};

/* A point in the order of events. */
typedef struct moment {
    int64_t ts;     /* INT64_MAX: never, INT64_MIN: nobody asks */
    uint32_t event; /* PF_NONE: after all events of that time */
} moment;

static bool is_earlier(moment a, moment b)
{
    return a.ts < b.ts || (a.ts == b.ts && a.event < b.event);
}

static bool lacks_name(const pf_uuid_track *s)
{
    return s->row != PF_NONE && s->name == 0 && s->scope == PF_SCOPE_PLAIN && s->content != PF_CONTENT_COUNTER &&
           (s->uuid != 0 || s->described);
}

/* The state above, or PF_NONE. */
static uint32_t above(const pf_uuid_tracks *u, uint32_t index)
{
    const pf_uuid_track *s = &u->list[index];
    return s->scope == PF_SCOPE_PLAIN && s->parent ? pf_map_get(&u->by_uuid, s->parent) : PF_NONE;
}

static bool hangs_on_nameless(const pf_uuid_tracks *u, uint32_t index)
{
    uint32_t at = above(u, index);
    for (unsigned level = 0; level < MAX_LEVELS && at != PF_NONE; level++, at = above(u, at)) {
        if (lacks_name(&u->list[at])) {
            return true;
        }
    }
    return false;
}

/* Fills in which rows are asked for. */
static void ask(const pf_uuid_tracks *u, moment *first)
{
    for (uint32_t i = 0; i < u->t->tracks.count; i++) {
        first[i] = (moment){INT64_MIN, PF_NONE};
    }
    for (uint32_t i = 0; i < u->count; i++) {
        if (u->list[i].row != PF_NONE && (lacks_name(&u->list[i]) || hangs_on_nameless(u, i))) {
            first[u->list[i].row] = (moment){INT64_MAX, PF_NONE};
        }
    }
}

static void find_first_uses(const pf_uuid_tracks *u, const pf_moves *moves, moment *first)
{
    const pf_trace *t = u->t;
    for (uint32_t i = moves->first_event; i < t->events.count; i++) {
        uint32_t track = t->events.track[i];
        if (track != PF_NONE && t->events.ts[i] < first[track].ts && t->events.ts[i] >= 0 &&
            strchr(NAMING_PHASES, t->events.phase[i])) {
            first[track] = (moment){t->events.ts[i], i};
        }
    }
    for (uint32_t i = moves->first_sample; i < t->counters.count; i++) {
        const moment at = {t->counters.ts[i], t->counters.event[i]};
        uint32_t track = t->counters.track[i];
        if (track != PF_NONE && at.ts >= 0 && is_earlier(at, first[track])) {
            first[track] = at;
        }
    }
    for (uint32_t i = 0; i < u->count; i++) {
        const pf_uuid_track *s = &u->list[i];
        const moment passed = {s->passed_at, PF_NONE};
        if (s->row != PF_NONE && s->passed_at >= 0 && is_earlier(passed, first[s->row])) {
            first[s->row] = passed;
        }
    }
}

/* Everything above a track is known from its first use on. */
static void find_known_before(pf_uuid_tracks *u, const moment *first)
{
    for (uint32_t i = 0; i < u->count; i++) {
        uint32_t at = u->list[i].row != PF_NONE ? above(u, i) : PF_NONE;
        for (unsigned level = 0; level < MAX_LEVELS && at != PF_NONE && at != i; level++, at = above(u, at)) {
            pf_uuid_track *s = &u->list[at];
            s->known_before |= lacks_name(s) && is_earlier(first[u->list[i].row], first[s->row]);
        }
    }
}

pf_status pf_names_borrow(pf_uuid_tracks *u, const pf_moves *moves)
{
    const pf_trace *t = u->t;
    bool any = false;
    for (uint32_t i = 0; i < u->count && !any; i++) {
        any = lacks_name(&u->list[i]);
    }
    if (!any) {
        return PF_OK;
    }
    moment *first; /* by track row */
    PF_TRY(PF_LIST_NEW(&u->t->budget, first, t->tracks.count, u->err));
    ask(u, first);
    find_first_uses(u, moves, first);
    find_known_before(u, first);
    for (uint32_t i = 0; i < u->count; i++) {
        pf_uuid_track *s = &u->list[i];
        if (lacks_name(s) && !s->known_before && first[s->row].ts != INT64_MAX) {
            uint32_t event = first[s->row].event;
            s->name = event == PF_NONE ? s->passed_name : t->events.name[event];
        }
    }
    PF_LIST_FREE(&u->t->budget, first, t->tracks.count);
    return PF_OK;
}
