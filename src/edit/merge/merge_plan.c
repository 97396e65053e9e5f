/* edit/merge/merge_plan.c - which ids become others.
 *
 * The first space that has an id keeps it. The same id of another one becomes the next that nobody has, so that what
 * does not collide stays as it was. Pids and tids get a number that still shows the old one: 1234 of the second space
 * becomes 10001234. Ids of which there may be millions (flows) are not listed; where their range overlaps that of a
 * space before, all of them are moved past the others, or, where ranges fill the 64 bits, multiplied by an odd number.
 */
#include "edit/merge/merge.h"

#include "base/list.h"

#define PERSON_STEP 10000000u /* above the largest pid that Linux gives (4194304) */
#define PERSON_MOST INT32_MAX
#define SCRAMBLE 0x9e3779b97f4a7c15u

/* ---- what is listed ---------------------------------------------------------------------------------------------- */

static pf_status add_moved(merge *m, merge_moved *list, uint64_t id, uint64_t to, pf_error *err)
{
    if (pf_map_get(&list->by_id, id) != PF_NONE) {
        return PF_OK;
    }
    PF_TRY(PF_LIST_ROOM(&m->budget, list->to, list->count + 1, list->room, err));
    PF_TRY(PF_LIST_ROOM(&m->budget, list->from, list->count + 1, list->from_room, err));
    PF_TRY(pf_map_put(&list->by_id, id, list->count, err));
    list->from[list->count] = id;
    list->to[list->count++] = to;
    return PF_OK;
}

pf_status pf_merge_note_id(merge *m, uint32_t space, merge_set set, uint64_t id, pf_error *err)
{
    uint32_t owner = pf_map_get(&m->owner[set], id);
    if (owner == PF_NONE) {
        return pf_map_put(&m->owner[set], id, space, err);
    }
    return owner == space ? PF_OK : add_moved(m, &m->space[space].moved[set], id, 0, err);
}

pf_status pf_merge_join_root(merge *m, uint32_t space, uint64_t uuid, uint64_t root, pf_error *err)
{
    bool own = pf_map_get(&m->owner[MERGE_TRACKS], root) == space;
    return own ? PF_OK : add_moved(m, &m->space[space].moved[MERGE_TRACKS], uuid, root, err);
}

static uint64_t hash_of(const merge *m, pf_str name)
{
    uint64_t hash = pf_hash_add(m->budget.seed, name.len);
    for (size_t i = 0; i < name.len; i += 8) {
        uint64_t piece = 0;
        memcpy(&piece, name.ptr + i, name.len - i < 8 ? name.len - i : 8);
        hash = pf_hash_add(hash, piece);
    }
    return hash;
}

pf_status pf_merge_note_name(merge *m, uint32_t space, pf_str name, pf_error *err)
{
    uint64_t key = hash_of(m, name);
    uint32_t first = name.len ? pf_map_get(&m->names, key) : space;
    return first == space || first == MERGE_SHARED
               ? PF_OK
               : pf_map_put(&m->names, key, first == PF_NONE ? space : MERGE_SHARED, err);
}

bool pf_merge_name_is_shared(const merge *m, pf_str name)
{
    return m->space_count > 1 && name.len && pf_map_get(&m->names, hash_of(m, name)) == MERGE_SHARED;
}

/* ---- new ids ----------------------------------------------------------------------------------------------------- */

static bool is_taken(const merge *m, merge_set set, uint64_t id)
{
    return id == 0 || pf_map_get(&m->owner[set], id) != PF_NONE;
}

static uint64_t new_person(merge *m, uint32_t space, uint64_t id)
{
    uint64_t shown = (uint64_t)space * PERSON_STEP + id;
    bool fits = id < PERSON_STEP && shown <= PERSON_MOST;
    if (!fits || is_taken(m, MERGE_PEOPLE, shown)) {
        while (is_taken(m, MERGE_PEOPLE, m->next_person)) {
            m->next_person--;
        }
        shown = m->next_person;
    }
    return shown;
}

static uint64_t new_track(const merge *m, uint32_t space, uint64_t id)
{
    uint64_t uuid = id;
    do {
        uuid = (uuid + space) * SCRAMBLE;
        uuid ^= uuid >> 29;
    } while (is_taken(m, MERGE_TRACKS, uuid));
    return uuid;
}

static pf_status number_set(merge *m, uint32_t space, merge_set set, pf_error *err)
{
    merge_moved *list = &m->space[space].moved[set];
    for (uint32_t i = 0; i < list->count; i++) {
        if (list->to[i]) {
            continue;
        }
        if (set == MERGE_SEQUENCES) {
            while (is_taken(m, set, (uint32_t)m->next_sequence)) {
                m->next_sequence++;
            }
            list->to[i] = (uint32_t)m->next_sequence;
        } else {
            list->to[i] =
                set == MERGE_TRACKS ? new_track(m, space, list->from[i]) : new_person(m, space, list->from[i]);
        }
        PF_TRY(pf_map_put(&m->owner[set], list->to[i], space, err));
    }
    return PF_OK;
}

static void move_range(merge *m, uint32_t space, merge_range_kind kind)
{
    merge_range *r = &m->space[space].range[kind];
    uint64_t above = 0;
    bool overlaps = false;
    for (uint32_t i = 0; i < space; i++) {
        const merge_range *other = &m->space[i].range[kind];
        if (other->seen) {
            overlaps |= r->least <= other->most && other->least <= r->most;
            above = other->most > above ? other->most : above;
        }
    }
    if (!r->seen || !overlaps || (kind == MERGE_STAGES && !m->stages_matter)) {
        return;
    }
    uint64_t span = r->most - r->least;
    if (above < UINT64_MAX - 1 - span) {
        r->add = above + 1 - r->least;
        r->least = above + 1;
        r->most = r->least + span;
    } else {
        r->factor = (space * 2 + 1) * SCRAMBLE | 1;
        r->add = space * SCRAMBLE;
        r->least = 0;
        r->most = UINT64_MAX;
    }
}

static pf_status place_default_track(merge *m, uint32_t space, pf_error *err)
{
    merge_space *s = &m->space[space];
    bool taken = false;
    for (uint32_t i = 0; i < space; i++) {
        taken |= m->space[i].uses_default;
    }
    if (!s->uses_default || !taken) {
        return PF_OK;
    }
    s->default_track = new_track(m, space, space);
    return pf_map_put(&m->owner[MERGE_TRACKS], s->default_track, space, err);
}

pf_status pf_merge_plan(merge *m, pf_error *err)
{
    m->next_sequence = 1;
    m->next_person = PERSON_MOST;
    for (uint32_t s = 0; s < m->space_count; s++) {
        for (merge_set set = 0; set < MERGE_SETS; set++) {
            PF_TRY(number_set(m, s, set, err));
        }
        for (merge_range_kind kind = 0; kind < MERGE_RANGES; kind++) {
            move_range(m, s, kind);
        }
        PF_TRY(place_default_track(m, s, err));
        m->result->sequences_moved += m->space[s].moved[MERGE_SEQUENCES].count;
        m->result->tracks_moved += m->space[s].moved[MERGE_TRACKS].count;
        m->result->pids_moved += m->space[s].moved[MERGE_PEOPLE].count;
    }
    return PF_OK;
}

uint64_t pf_merge_id(const merge_space *s, merge_set set, uint64_t id)
{
    const merge_moved *list = &s->moved[set];
    uint32_t at = list->count ? pf_map_get(&list->by_id, id) : PF_NONE;
    return at == PF_NONE ? id : list->to[at];
}
