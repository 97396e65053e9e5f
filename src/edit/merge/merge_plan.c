/* edit/merge/merge_plan.c - which ids become others.
 *
 * The first space that has an id keeps it. The same id of another one becomes the next that nobody has, so that what
 * does not collide stays as it was. Pids and tids get a number that still shows the old one: 1234 of the second space
 * becomes 10001234. Ids of which there may be millions (flows) are not listed; where their range overlaps that of a
 * space before, all of them are moved past the others, or, where ranges fill the 64 bits, by a number of the space.
 */
#include "edit/merge/merge.h"

#include "base/list.h"

#define PERSON_STEP 10000000u /* above the largest pid that Linux gives (4194304) */
#define PERSON_MOST INT32_MAX
#define SCRAMBLE 0x9e3779b97f4a7c15u

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

pf_status pf_merge_note_id(merge *m, merge_input *in, merge_set set, uint64_t id, pf_error *err)
{
    uint32_t owner = pf_map_get(&m->owner[set], id);
    if (owner == PF_NONE) {
        return pf_map_put(&m->owner[set], id, in->number, err);
    }
    return owner == in->number ? PF_OK : add_moved(m, &in->shared[set], id, 0, err);
}

uint64_t pf_merge_hash(const merge *m, pf_str text)
{
    uint64_t hash = pf_hash_add(m->budget.seed, text.len);
    for (size_t i = 0; i < text.len; i += 8) {
        uint64_t piece = 0;
        memcpy(&piece, text.ptr + i, text.len - i < 8 ? text.len - i : 8);
        hash = pf_hash_add(hash, piece);
    }
    return hash;
}

pf_status pf_merge_note_name(merge *m, merge_input *in, pf_str name, pf_error *err)
{
    uint64_t key = pf_merge_hash(m, name);
    uint32_t first = name.len ? pf_map_get(&m->names, key) : in->number;
    if (first == PF_NONE) {
        return pf_map_put(&m->names, key, in->number, err);
    }
    uint64_t pair = pf_hash_add(key, in->number);
    if (first == in->number || pf_map_get(&m->names, pair) != PF_NONE) {
        return PF_OK;
    }
    PF_TRY(pf_map_put(&m->names, pair, in->number, err));
    PF_TRY(PF_LIST_ROOM(&m->budget, m->again, m->again_count + 1, m->again_room, err));
    m->again[m->again_count++] = (merge_pair){.id = key, .input = in->number};
    return PF_OK;
}

bool pf_merge_name_is_shared(const merge *m, pf_str name)
{
    return m->space_count > 1 && name.len && pf_map_get(&m->names, pf_merge_hash(m, name)) == MERGE_SHARED;
}

pf_status pf_merge_note_root(merge *m, merge_input *in, const merge_track *t, pf_error *err)
{
    uint64_t key = pf_hash_add(pf_hash_add(m->budget.seed, t->pid), t->tid);
    uint64_t pair = pf_hash_add(key, in->number);
    if (pf_map_get(&m->roots, pair) != PF_NONE) {
        return PF_OK;
    }
    PF_TRY(pf_map_put(&m->roots, pair, m->root_count, err));
    PF_TRY(PF_LIST_ROOM(&m->budget, m->root, m->root_count + 1, m->root_room, err));
    if (pf_map_get(&m->roots, key) == PF_NONE) {
        PF_TRY(pf_map_put(&m->roots, key, m->root_count, err));
    }
    m->root[m->root_count++] = (merge_pair){.id = t->uuid, .key = key, .input = in->number};
    return PF_OK;
}

static uint32_t space_of(const merge *m, uint32_t input)
{
    return m->input[input].space;
}

static void widen(merge_range *r, const merge_range *other)
{
    if (other->seen) {
        r->least = !r->seen || other->least < r->least ? other->least : r->least;
        r->most = !r->seen || other->most > r->most ? other->most : r->most;
        r->seen = true;
    }
}

static void group_inputs(merge *m)
{
    for (uint32_t i = 0; i < m->input_count; i++) {
        merge_input *in = &m->input[i];
        in->space = i;
        for (uint32_t k = 0; k < i && in->source && in->space == i; k++) {
            in->space = m->input[k].source == in->source ? m->input[k].space : i;
        }
        merge_space *s = &m->space[in->space];
        m->space_count += s->parts++ == 0;
        if (in->space != i) {
            s->uses_default |= m->space[i].uses_default;
            s->has_cpus |= m->space[i].has_cpus;
            m->space[i].uses_default = m->space[i].has_cpus = false;
            for (int kind = 0; kind < MERGE_RANGES; kind++) {
                widen(&s->range[kind], &m->space[i].range[kind]);
                m->space[i].range[kind].seen = false;
            }
        }
    }
}

/* Names and roots of processes that are in several spaces. */
static pf_status share_names(merge *m, pf_error *err)
{
    for (uint32_t i = 0; i < m->again_count; i++) {
        uint32_t first = pf_map_get(&m->names, m->again[i].id);
        if (first != MERGE_SHARED && space_of(m, first) != space_of(m, m->again[i].input)) {
            PF_TRY(pf_map_put(&m->names, m->again[i].id, MERGE_SHARED, err));
        }
    }
    for (uint32_t i = 0; i < m->root_count; i++) {
        const merge_pair *own = &m->root[i], *first = &m->root[pf_map_get(&m->roots, own->key)];
        uint32_t space = space_of(m, own->input);
        if (space != space_of(m, first->input)) {
            PF_TRY(add_moved(m, &m->space[space].moved[MERGE_TRACKS], own->id, first->id, err));
        }
    }
    return PF_OK;
}

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

static uint64_t new_sequence(merge *m)
{
    while (is_taken(m, MERGE_SEQUENCES, (uint32_t)m->next_sequence)) {
        m->next_sequence++;
    }
    return (uint32_t)m->next_sequence;
}

static pf_status number_set(merge *m, const merge_input *in, merge_set set, pf_error *err)
{
    const merge_moved *shared = &in->shared[set];
    merge_moved *moved = &m->space[in->space].moved[set];
    for (uint32_t i = 0; i < shared->count; i++) {
        uint64_t id = shared->from[i];
        if (space_of(m, pf_map_get(&m->owner[set], id)) == in->space || pf_map_get(&moved->by_id, id) != PF_NONE) {
            continue;
        }
        uint64_t to = set == MERGE_SEQUENCES ? new_sequence(m)
                      : set == MERGE_TRACKS  ? new_track(m, in->space, id)
                                             : new_person(m, in->space, id);
        PF_TRY(add_moved(m, moved, id, to, err));
        PF_TRY(pf_map_put(&m->owner[set], to, in->number, err));
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
    group_inputs(m);
    PF_TRY(share_names(m, err));
    for (uint32_t i = 0; i < m->input_count; i++) {
        for (merge_set set = 0; set < MERGE_SETS; set++) {
            PF_TRY(number_set(m, &m->input[i], set, err));
        }
        for (merge_range_kind kind = 0; kind < MERGE_RANGES; kind++) {
            move_range(m, i, kind);
        }
        PF_TRY(place_default_track(m, i, err));
    }
    for (uint32_t s = 0; s < m->input_count; s++) {
        m->result->sequences_moved += m->space[s].moved[MERGE_SEQUENCES].count;
        m->result->tracks_moved += m->space[s].moved[MERGE_TRACKS].count;
        m->result->with_cpus += m->space[s].has_cpus;
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
