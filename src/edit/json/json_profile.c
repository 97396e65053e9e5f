/* edit/json/json_profile.c - profiles of V8: a `Profile` event, then `ProfileChunk` events of the same id, each with
 * what is new since the one before it: nodes, samples that name nodes, and the times between samples. So a chunk is of
 * use only where all of its profile is, from its start on: it belongs to the windows in which both lie. */
#include "edit/json/json_survey.h"

#include "base/list.h"
#include "base/str.h"

static pf_status key_of(const pf_json_survey *s, const pf_json_seen *e, uint32_t process, uint64_t *key, pf_error *err)
{
    *key = pf_hash_add(s->budget->seed, process);
    return pf_json_hash_id(key, pf_json_id_of(e->piece, e->r), err);
}

static bool is_part(const pf_json_seen *e, const char *name)
{
    return e->r->phase == 'P' && pf_str_is(pf_json_name_of(e->piece, e->r), name);
}

pf_status pf_json_note_profile(pf_json_survey *s, const pf_json_seen *e, uint32_t process, bool taken, pf_error *err)
{
    uint64_t key;
    if (!is_part(e, "Profile")) {
        return PF_OK;
    }
    PF_TRY(key_of(s, e, process, &key, err));
    PF_TRY(PF_LIST_ROOM(s->budget, s->profile, s->profile_count + 1, s->profile_room, err));
    s->profile[s->profile_count] = taken ? e->r->ts : INT64_MAX;
    return pf_map_put(&s->profiles, key, s->profile_count++, err);
}

pf_status pf_json_start_of(const pf_json_survey *s, const pf_json_seen *e, uint32_t process, bool *taken,
                           int64_t *start, pf_error *err)
{
    uint64_t key;
    *start = e->r->ts;
    if (!is_part(e, "ProfileChunk")) {
        return PF_OK;
    }
    PF_TRY(key_of(s, e, process, &key, err));
    uint32_t found = pf_map_get(&s->profiles, key);
    if (found != PF_NONE) {
        *start = s->profile[found];
        *taken = *start < INT64_MAX;
    }
    return PF_OK;
}
