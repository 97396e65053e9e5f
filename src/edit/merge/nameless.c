/* edit/merge/nameless.c - tracks that stand alone and have no name.
 *
 * Perfetto calls such a track after the first event on it, and takes tracks of one name for lanes of one, where slices
 * of two inputs would lie on each other. So they are told apart as named ones are: where another input has that name,
 * too, their descriptor says it with the input's in parentheses. One that nothing describes gets a descriptor; where
 * one comes after the first event, that event is on a track of its own, and both stay as they are.
 */
#include "edit/merge/merge.h"

#include "base/list.h"
#include "edit/state/event_facts.h"
#include "perfetto/fields.h"

static pf_status add_track(merge *m, merge_input *in, uint64_t uuid, pf_error *err)
{
    PF_TRY(PF_LIST_ROOM(&m->budget, in->nameless, in->nameless_count + 1, in->nameless_room, err));
    in->nameless[in->nameless_count] = (merge_nameless){.uuid = uuid, .described = true};
    return pf_map_put(&in->tracks, uuid, in->nameless_count++, err);
}

pf_status pf_merge_list_descriptor(merge *m, merge_input *in, const merge_track *t, bool named, pf_error *err)
{
    uint32_t at = pf_map_get(&in->tracks, t->uuid);
    bool alone = t->global && !t->counter;
    if (at == PF_NONE && alone && !named) {
        return add_track(m, in, t->uuid, err);
    }
    const merge_nameless *k = at < in->nameless_count ? &in->nameless[at] : NULL;
    bool stays = k && alone && k->described && (k->used || !named);
    return stays ? PF_OK : pf_map_put(&in->tracks, t->uuid, MERGE_NAMED, err);
}

/* The name of an event, as a text of the merge; 0: it has none. */
static pf_status read_name(merge *m, const pf_sequence *q, pf_field event, uint32_t *name, pf_error *err)
{
    PF_CURSOR_FIELDS(f, pf_field_cursor(&event), PF_AT_VARINT(PF_F_EVENT_NAME_IID), PF_AT_BYTES(PF_F_EVENT_NAME),
                     PF_AT_BYTES(PF_F_EVENT_LEGACY_EVENT));
    uint64_t iid = f[PF_F_EVENT_NAME_IID].value;
    if (!iid) {
        iid = pf_cursor_last(pf_field_cursor(&f[PF_F_EVENT_LEGACY_EVENT]), PF_TAG_VARINT(PF_F_LEGACY_NAME_IID)).value;
    }
    if (iid) {
        *name = q && q->generation ? pf_intern_get(q->generation, PF_INTERN_EVENT_NAME, iid) : PF_NONE;
        *name = *name == PF_NONE ? 0 : *name;
        return PF_OK;
    }
    return f[PF_F_EVENT_NAME].tag ? pf_strings_put(&m->texts, pf_field_text(&f[PF_F_EVENT_NAME]), name, err) : PF_OK;
}

pf_status pf_merge_list_event(merge *m, merge_input *in, const pf_raw_packet *p, uint64_t uuid, pf_error *err)
{
    uint32_t at = uuid == in->last_uuid ? MERGE_NAMED : pf_map_get(&in->tracks, uuid);
    if (at == MERGE_NAMED || (at != PF_NONE && in->nameless[at].used)) {
        in->last_uuid = uuid;
        return PF_OK;
    }
    const pf_event_facts e = pf_event_facts_of(&p->content);
    if (!e.action || e.action == 'C' || e.async) {
        return PF_OK;
    }
    if (at == PF_NONE) {
        at = in->nameless_count;
        PF_TRY(add_track(m, in, uuid, err));
        in->nameless[at].described = false;
    }
    in->nameless[at].used = true;
    return read_name(m, pf_merge_sequence(in, p), p->content, &in->nameless[at].name, err);
}

pf_status pf_merge_note_nameless(merge *m, merge_input *in, pf_error *err)
{
    for (uint32_t i = 0; i < in->nameless_count; i++) {
        bool alone = pf_map_get(&in->tracks, in->nameless[i].uuid) == i;
        in->nameless[i].name = alone ? in->nameless[i].name : 0;
        PF_TRY(pf_merge_note_name(m, in, pf_strings_get(&m->texts, in->nameless[i].name), err));
    }
    return PF_OK;
}

pf_str pf_merge_shared_name(const merge *m, const merge_nameless *k)
{
    const pf_str none = {"", 0};
    pf_str name = k ? pf_strings_get(&m->texts, k->name) : none;
    return pf_merge_name_is_shared(m, name) ? name : none;
}

const merge_nameless *pf_merge_find_nameless(const merge_input *in, uint64_t uuid)
{
    uint32_t at = pf_map_get(&in->tracks, uuid);
    return at < in->nameless_count ? &in->nameless[at] : NULL;
}
