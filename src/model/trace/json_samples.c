/* model/trace/json_samples.c - see json_notes.h. */
#include "model/trace/json_notes.h"

#include "base/str.h"

static void find_shares(pf_json_samples *s)
{
    const pf_row_args *a = pf_trace_row_args(s->t);
    uint32_t key = pf_trace_find_string(s->t, PF_STR("y_axis_share_key"));
    for (uint32_t i = 0; i < a->count && key != PF_NONE; i++) {
        if (a->owner[i] == PF_OWNER_TRACK_SOURCE && a->key[i] == key && a->row[i] < s->tracks) {
            s->share[a->row[i]] = a->text[i];
        }
    }
}

pf_status pf_json_samples_init(pf_json_samples *s, const pf_trace *t, pf_budget *budget, pf_error *err)
{
    *s = (pf_json_samples){.t = t, .budget = budget, .tracks = pf_trace_tracks(t)->count};
    size_t room = (size_t)s->tracks + 1;
    s->share = pf_alloc_zero(budget, room, sizeof *s->share);
    s->habit = pf_alloc(budget, room * sizeof *s->habit);
    if (!s->share || !s->habit) {
        return pf_budget_refused(budget, room * (sizeof *s->share + sizeof *s->habit), err);
    }
    memset(s->habit, 0xff, room * sizeof *s->habit);
    find_shares(s);
    return PF_OK;
}

void pf_json_samples_free(pf_json_samples *s)
{
    size_t room = (size_t)s->tracks + 1;
    if (!s->t) {
        return;
    }
    pf_release(s->budget, s->share, room * sizeof *s->share);
    pf_release(s->budget, s->habit, room * sizeof *s->habit);
    s->share = s->habit = NULL;
}

pf_origin pf_json_samples_note(pf_json_samples *s, uint32_t i)
{
    const pf_counters *k = pf_trace_counters(s->t);
    uint32_t row = k->event[i], *habit = &s->habit[k->track[i]];
    pf_str note = pf_trace_origin(s->t, row);
    if (!note.len) {
        return pf_origin_of(s->t, *habit);
    }
    const pf_origin o = pf_origin_read((const uint8_t *)note.ptr, note.len);
    if (!o.hidden && !o.whole.ptr) {
        *habit = row;
    }
    return o;
}

bool pf_json_samples_joins(pf_json_samples *s, uint32_t i, pf_origin *note)
{
    uint32_t *habit = &s->habit[pf_trace_counters(s->t)->track[i]], before = *habit;
    *note = pf_json_samples_note(s, i);
    *habit = note->joins ? *habit : before;
    return note->joins;
}

void pf_json_samples_name(const pf_json_samples *s, uint32_t track, pf_str *name, pf_str *series)
{
    const pf_tracks *tr = pf_trace_tracks(s->t);
    pf_str unit = pf_trace_string(s->t, tr->unit[track]), event = pf_trace_string(s->t, s->share[track]);
    *name = pf_trace_string(s->t, tr->name[track]);
    *series = unit.len ? unit : PF_STR("value");
    if (event.ptr && pf_str_starts(*name, event) && name->len > event.len && name->ptr[event.len] == ' ') {
        *series = (pf_str){name->ptr + event.len + 1, name->len - event.len - 1};
        *name = event;
    } else if (!name->ptr) {
        *name = PF_STR("counter");
    }
}
