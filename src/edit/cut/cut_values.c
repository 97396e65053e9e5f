/* edit/cut/cut_values.c - see cut_values.h. */
#include "edit/cut/cut_values.h"

static pf_status add(pf_cutter *c, pf_values *v, uint32_t track, uint32_t sequence, bool extra, bool real,
                     uint64_t bits, pf_error *err)
{
    const pf_edit_track *k = &c->tracks.list[track];
    double number = real ? pf_bits_to_double(bits) : (double)(int64_t)bits, sum = number;
    v->refused = extra && (v->extra == PF_EXTRA_MAX || !k->described || !k->counter);
    v->extra += extra;
    if (!k->described || !k->counter || v->refused || pf_tracks_refuse(&c->tracks, &c->lacking, track)) {
        return PF_OK; /* nobody takes such a value */
    }
    if (k->incremental &&
        !pf_sequence_add(&c->in.state, pf_sequence_find(&c->in.state, sequence), k->uuid, number, &sum)) {
        return pf_budget_refused(c->budget, 1u << 12, err);
    }
    v->list[v->count++] = (struct pf_value_of){track, real, extra, pf_cutter_takes(c, track), number, sum};
    return PF_OK;
}

/* Extra values of one kind, with the event's uuids or those of its sequence. */
static pf_status read_extra(pf_cutter *c, const pf_raw_packet *p, uint32_t sequence, bool real, pf_values *v,
                            pf_error *err)
{
    const pf_sequence *q = pf_sequence_find(&c->in.state, sequence);
    const pf_uuid_list *defaults = real ? &q->extra_double_uuids : &q->extra_uuids;
    const pf_cursor event = pf_field_cursor(&p->content);
    pf_numbers values =
        pf_numbers_of(event, real ? PF_F_EVENT_EXTRA_DOUBLE_COUNTER_VALUES : PF_F_EVENT_EXTRA_COUNTER_VALUES, real);
    pf_numbers uuids = pf_numbers_of(
        event, real ? PF_F_EVENT_EXTRA_DOUBLE_COUNTER_TRACK_UUIDS : PF_F_EVENT_EXTRA_COUNTER_TRACK_UUIDS, false);
    uint64_t bits, uuid;
    bool own = false;
    for (uint32_t i = 0; !v->refused && pf_numbers_next(&values, &bits); i++) {
        bool named = pf_numbers_next(&uuids, &uuid);
        own |= named;
        v->refused = !named && (own || i >= defaults->count);
        if (v->refused) {
            return PF_OK;
        }
        uuid = named ? uuid : defaults->uuid[i];
        uint32_t track;
        PF_TRY(pf_tracks_find(&c->tracks, p->machine, uuid, &track, err));
        PF_TRY(add(c, v, track, sequence, true, real, bits, err));
    }
    return PF_OK;
}

pf_status pf_values_read(pf_cutter *c, const pf_raw_packet *p, uint32_t own, uint32_t sequence, pf_values *v,
                         pf_error *err)
{
    pf_cursor event = pf_field_cursor(&p->content);
    pf_field f, value = {.tag = 0};
    while (own != PF_NONE && pf_cursor_next(&event, &f) == PF_NEXT_FIELD) {
        if (f.tag == PF_TAG_VARINT(PF_F_EVENT_COUNTER_VALUE) ||
            f.tag == PF_TAG_FIXED64(PF_F_EVENT_DOUBLE_COUNTER_VALUE)) {
            value = f;
        }
    }
    v->count = v->extra = 0;
    v->refused = false;
    if (value.tag) {
        bool real = value.tag == PF_TAG_FIXED64(PF_F_EVENT_DOUBLE_COUNTER_VALUE);
        PF_TRY(add(c, v, own, sequence, false, real, value.value, err));
    }
    PF_TRY(read_extra(c, p, sequence, false, v, err));
    return read_extra(c, p, sequence, true, v, err);
}

pf_status pf_values_settle(pf_cutter *c, pf_values *v, int64_t ts, pf_error *err)
{
    uint32_t w = pf_cutter_window(c, ts);
    bool begins = w < c->window_count && ts > c->windows[w].from;
    v->window = begins || (w < c->window_count && ts == c->windows[w].from) ? w : c->window_count;
    v->said = false;
    for (uint32_t i = 0; i < v->count; i++) {
        PF_TRY(pf_cutter_begin_windows(c, v->list[i].track, begins ? w + 1 : w, err));
    }
    return PF_OK;
}

/* Notes a value of an unordered counter as the one that windows after it begin with. */
static pf_status note_start(const pf_cutter *c, pf_edit_track *k, const struct pf_last_value *now, pf_error *err)
{
    uint32_t w = pf_cutter_window(c, now->ts);
    w += w < c->window_count && c->windows[w].from < now->ts;
    struct pf_start_value **at = &k->starts;
    while (*at && (*at)->window > w) {
        at = &(*at)->before;
    }
    if (w < c->window_count && (!*at || (*at)->window < w)) {
        struct pf_start_value *v = pf_alloc(c->budget, sizeof *v);
        PF_TRY(v ? PF_OK : pf_budget_refused(c->budget, sizeof *v, err));
        *v = (struct pf_start_value){*now, w, *at};
        *at = v;
    } else if (w < c->window_count && (*at)->value.ts <= now->ts) {
        (*at)->value = *now;
    }
    return PF_OK;
}

/* Whether a value comes too late for a window that has begun with an older one, or is at its very start. */
static bool is_late(const pf_cutter *c, const pf_edit_track *k, int64_t ts)
{
    const pf_cut_window *begun = &c->windows[k->window];
    return (k->window > 0 && ts >= k->begun && ts <= begun[-1].from) || (k->window > 1 && ts <= begun[-2].from);
}

pf_status pf_values_write_starts(pf_cutter *c, uint32_t track, pf_error *err)
{
    const struct pf_start_value *v = c->tracks.list[track].starts;
    for (uint32_t w = c->window_count; w-- > 0 && v;) {
        while (v && v->window > w) {
            v = v->before;
        }
        if (v && v->value.ts < c->windows[w].from && pf_cutter_takes(c, track)) {
            PF_TRY(pf_cutter_write_value(c, w, track, &v->value, c->windows[w].from, err));
        }
    }
    return PF_OK;
}

pf_status pf_values_note(pf_cutter *c, const pf_values *v, uint32_t sequence, int64_t ts, pf_error *err)
{
    for (uint32_t i = 0; i < v->count; i++) {
        const struct pf_value_of *x = &v->list[i];
        pf_edit_track *k = &c->tracks.list[x->track];
        const struct pf_last_value now = {true, x->real, sequence, ts, x->sum};
        if (k->value.ts <= ts) {
            k->value = now;
        }
        if (x->kept && is_late(c, k, ts)) {
            k->late = k->clipped = true;
        }
        PF_TRY(k->pairing != PF_PAIRING_AS_THEY_COME ? note_start(c, k, &now, err) : PF_OK);
        if (x->kept && !v->said && v->window < c->window_count) {
            PF_TRY(pf_cutter_write_value(c, v->window, x->track, &now, ts, err));
        }
    }
    return PF_OK;
}

static void put_number(pf_writer *w, bool real, uint32_t field, uint32_t real_field, double value)
{
    if (real) {
        pf_writer_double(w, real_field, value);
    } else {
        pf_writer_varint(w, field, (uint64_t)(int64_t)value);
    }
}

/* The event with other values: all else as it is, the values at its end. steps: NULL where it has none. */
static pf_status write_values(pf_cutter *c, const pf_values *v, const double *steps, pf_field *event, pf_error *err)
{
    pf_cursor at = pf_field_cursor(event);
    const uint8_t *from = at.at;
    pf_field f;
    c->event.len = 0;
    for (; pf_cursor_next(&at, &f) == PF_NEXT_FIELD; from = at.at) {
        uint32_t number = pf_field_number(&f);
        if (number != PF_F_EVENT_COUNTER_VALUE && number != PF_F_EVENT_DOUBLE_COUNTER_VALUE &&
            number != PF_F_EVENT_EXTRA_COUNTER_VALUES && number != PF_F_EVENT_EXTRA_DOUBLE_COUNTER_VALUES &&
            number != PF_F_EVENT_EXTRA_COUNTER_TRACK_UUIDS && number != PF_F_EVENT_EXTRA_DOUBLE_COUNTER_TRACK_UUIDS) {
            pf_writer_raw(&c->writer, from, (size_t)(at.at - from));
        }
    }
    for (uint32_t i = 0; steps && i < v->count; i++) {
        const struct pf_value_of *x = &v->list[i];
        if (x->extra && x->kept) {
            pf_writer_varint(&c->writer,
                             x->real ? PF_F_EVENT_EXTRA_DOUBLE_COUNTER_TRACK_UUIDS
                                     : PF_F_EVENT_EXTRA_COUNTER_TRACK_UUIDS,
                             c->tracks.list[x->track].uuid);
        }
        if (x->kept) {
            put_number(&c->writer, x->real, x->extra ? PF_F_EVENT_EXTRA_COUNTER_VALUES : PF_F_EVENT_COUNTER_VALUE,
                       x->extra ? PF_F_EVENT_EXTRA_DOUBLE_COUNTER_VALUES : PF_F_EVENT_DOUBLE_COUNTER_VALUE, steps[i]);
        }
    }
    *event = (pf_field){.tag = PF_TAG_BYTES(PF_F_PACKET_TRACK_EVENT),
                        .len = (uint32_t)c->event.len,
                        .bytes = (const uint8_t *)c->event.data};
    return c->writer.failed ? pf_no_memory(err) : PF_OK;
}

pf_status pf_values_change(pf_cutter *c, uint32_t window, uint32_t sequence, pf_values *v, pf_field *event,
                           bool *changed, pf_error *err)
{
    double steps[PF_VALUES_MAX];
    bool differ = false;
    v->said = v->count && window == v->window;
    for (uint32_t i = 0; i < v->count; i++) {
        const struct pf_value_of *x = &v->list[i];
        const pf_edit_track *k = &c->tracks.list[x->track];
        steps[i] = x->written;
        if (k->incremental && x->kept && v->said) {
            PF_TRY(pf_values_step(&c->windows[window].out, sequence, k, x->sum, &steps[i], err));
        }
        differ |= !x->kept || !v->said || steps[i] != x->written;
    }
    *changed |= differ;
    return differ ? write_values(c, v, v->said ? steps : NULL, event, err) : PF_OK;
}
