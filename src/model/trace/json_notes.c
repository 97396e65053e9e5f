/* model/trace/json_notes.c - see json_notes.h. Notes are a sparse table, ascending by event row like the arguments. */
#include "model/trace/json_notes.h"

#include "wire/cursor.h"

void pf_origin_put_text(pf_writer *w, pf_member member, pf_str json)
{
    pf_writer_bytes(w, PF_ORIGIN_MEMBER + (uint32_t)member, json.ptr, json.len);
}

void pf_origin_put_number(pf_writer *w, pf_member member, int64_t number)
{
    pf_writer_varint(w, PF_ORIGIN_MEMBER + (uint32_t)member, (uint64_t)number);
}

static void read_text(pf_origin *o, uint32_t number, pf_str text)
{
    switch (number) {
    case PF_ORIGIN_WHOLE:
        o->whole = text;
        break;
    case PF_ORIGIN_MORE:
        o->more = text;
        break;
    case PF_ORIGIN_DOCUMENT:
        o->document = text;
        break;
    default:
        if (number >= PF_ORIGIN_MEMBER && number < PF_ORIGIN_MEMBER + PF_MEMBER_COUNT) {
            o->member[number - PF_ORIGIN_MEMBER].form = PF_FORM_TEXT;
            o->member[number - PF_ORIGIN_MEMBER].text = text;
        }
    }
}

static void read_number(pf_origin *o, uint32_t number, uint64_t value)
{
    if (number == PF_ORIGIN_HIDDEN) {
        o->hidden = value != 0;
    } else if (number == PF_ORIGIN_COMPLETES) {
        o->completes = value != 0;
    } else if (number == PF_ORIGIN_JOINS) {
        o->joins = value != 0;
    } else if (number == PF_ORIGIN_PLACE) {
        o->placed = value < PF_NONE;
        o->place = o->placed ? (uint32_t)value : PF_NONE;
    } else if (number >= PF_ORIGIN_MEMBER && number < PF_ORIGIN_MEMBER + PF_MEMBER_COUNT) {
        o->member[number - PF_ORIGIN_MEMBER].form = PF_FORM_INTEGER;
        o->member[number - PF_ORIGIN_MEMBER].number = (int64_t)value;
    }
}

pf_origin pf_origin_read(const uint8_t *bytes, size_t len)
{
    pf_origin o = {0};
    pf_cursor c = pf_cursor_over(bytes, len);
    pf_field f;
    while (len && pf_cursor_next(&c, &f) == PF_NEXT_FIELD) {
        uint32_t number = pf_field_number(&f);
        if (pf_field_wire(&f) == PF_WIRE_BYTES) {
            read_text(&o, number, (pf_str){(const char *)f.bytes, f.len});
        } else if (pf_field_wire(&f) == PF_WIRE_VARINT) {
            read_number(&o, number, f.value);
        }
    }
    return o;
}

pf_status pf_trace_add_origin(pf_trace *t, const uint8_t *bytes, size_t len, bool copy, pf_error *err)
{
    uint32_t i = t->origins.count;
    if (len > UINT32_MAX) {
        return pf_fail(err, PF_ERR_LIMIT, "what one event says is larger than 4 GiB; cut the trace");
    }
    PF_TRY(pf_columns_room(&t->origins.columns, (uint64_t)i + 1, &t->origins.room, err));
    if (copy) {
        bytes = (const uint8_t *)pf_arena_copy(&t->arena, (const char *)bytes, len);
        PF_TRY(bytes ? PF_OK : pf_budget_refused(&t->budget, len, err));
    }
    t->origins.event[i] = t->events.count - 1;
    t->origins.bytes[i] = bytes;
    t->origins.len[i] = (uint32_t)len;
    t->origins.count++;
    return PF_OK;
}

pf_str pf_trace_origin(const pf_trace *t, uint32_t row)
{
    uint32_t count = t->origins.count;
    uint32_t i = count ? pf_rows_lower_bound(t->origins.event, count, row) : 0;
    if (i == count || t->origins.event[i] != row) {
        return (pf_str){NULL, 0};
    }
    pf_residence_note(t->residence, t->origins.bytes[i]);
    return (pf_str){(const char *)t->origins.bytes[i], t->origins.len[i]};
}

pf_origin pf_origin_of(const pf_trace *t, uint32_t row)
{
    const pf_str note = row == PF_NONE ? (pf_str){NULL, 0} : pf_trace_origin(t, row);
    return pf_origin_read((const uint8_t *)note.ptr, note.len);
}

pf_str pf_trace_written_dur(const pf_trace *t, uint32_t row, uint32_t *hint)
{
    uint32_t count = t->origins.count, i = count ? pf_rows_seek(t->origins.event, count, row, hint) : 0;
    if (i >= count || t->origins.event[i] != row) {
        return (pf_str){NULL, 0};
    }
    const pf_origin o = pf_origin_read(t->origins.bytes[i], t->origins.len[i]);
    return o.member[PF_MEMBER_DUR].form == PF_FORM_TEXT ? o.member[PF_MEMBER_DUR].text : (pf_str){NULL, 0};
}

pf_str pf_trace_event_members(const pf_trace *t, uint32_t row)
{
    const pf_origin o = pf_origin_of(t, row);
    return o.more.ptr ? o.more : o.whole;
}

bool pf_trace_end_is_silent(const pf_trace *t, uint32_t row, uint32_t *hint)
{
    pf_str note = pf_trace_origin(t, row);
    if (note.len) {
        return pf_origin_read((const uint8_t *)note.ptr, note.len).completes;
    }
    if (t->events.name[row] || (row < t->events.category_room && t->events.category[row])) {
        return false;
    }
    uint32_t i = t->args.count ? pf_rows_seek(t->args.event, t->args.count, row, hint) : 0;
    return i >= t->args.count || t->args.event[i] != row;
}

pf_status pf_trace_add_leftover(pf_trace *t, bool of_document, pf_str text, uint32_t place, pf_error *err)
{
    uint32_t i = t->leftovers.count;
    PF_TRY(pf_columns_room(&t->leftovers.columns, (uint64_t)i + 1, &t->leftovers.room, err));
    const char *copied = pf_arena_copy(&t->arena, text.ptr, text.len);
    PF_TRY(copied ? PF_OK : pf_budget_refused(&t->budget, text.len, err));
    t->leftovers.of_document[i] = of_document;
    t->leftovers.input[i] = t->input;
    t->leftovers.place[i] = place;
    t->leftovers.text[i] = (pf_str){copied, text.len};
    t->leftovers.count++;
    return PF_OK;
}

pf_status pf_trace_say_tid(pf_trace *t, uint32_t utid, pf_str json, pf_error *err)
{
    uint32_t id = json.ptr ? pf_strings_add(&t->strings, json.ptr, json.len, err) : 0;
    PF_TRY(id == PF_NONE ? err->code : PF_OK);
    return pf_map_set(&t->said_tids, utid, id) ? PF_OK : pf_budget_refused(&t->budget, 1u << 12, err);
}

bool pf_trace_said_tid(const pf_trace *t, uint32_t utid, pf_str *json)
{
    uint32_t id = t->said_tids.count ? pf_map_get(&t->said_tids, utid) : PF_NONE;
    *json = id == PF_NONE ? (pf_str){NULL, 0} : pf_strings_get(&t->strings, id);
    return id != PF_NONE;
}

/* What notes say of places: *taken gets them all, place those of rows. False: memory was refused. */
static bool read_places(const pf_trace *t, uint32_t input, uint32_t *place, uint32_t *said, pf_map *taken)
{
    const pf_input *in = pf_trace_input(t, input);
    uint32_t to = in->first_event + in->events;
    bool ok = true;
    uint32_t i = t->origins.count ? pf_rows_lower_bound(t->origins.event, t->origins.count, in->first_event) : 0;
    for (; ok && i < t->origins.count && t->origins.event[i] < to; i++) {
        const pf_origin o = pf_origin_read(t->origins.bytes[i], t->origins.len[i]);
        uint32_t row = t->origins.event[i] - in->first_event;
        place[row] = o.hidden ? PF_NONE : o.placed ? o.place : place[row];
        if (o.placed && !o.hidden) {
            ok = pf_map_set(taken, o.place, 0);
            ++*said;
        }
    }
    for (i = 0; ok && i < t->leftovers.count; i++) {
        bool its = t->leftovers.input[i] == input && t->leftovers.place[i] != PF_NONE;
        ok = !its || pf_map_set(taken, t->leftovers.place[i], 0);
    }
    return ok;
}

pf_status pf_trace_json_places(const pf_trace *t, uint32_t input, pf_budget *budget, uint32_t *place, uint32_t *said,
                               pf_error *err)
{
    enum { FREE = PF_NONE - 1 };
    const pf_input *in = pf_trace_input(t, input);
    uint32_t next = 0;
    pf_map taken;
    *said = 0;
    for (uint32_t i = 0; i < in->events; i++) { /* an event of samples says its place at the first */
        place[i] = pf_trace_is_sample(t, in->first_event + i) ? PF_NONE : FREE;
    }
    pf_map_init(&taken, budget);
    bool ok = read_places(t, input, place, said, &taken);
    uint64_t left = taken.count;
    for (uint32_t i = 0; ok && i < in->events; i++) {
        if (place[i] == FREE) {
            for (; left && pf_map_get(&taken, next) != PF_NONE; left--) {
                next++;
            }
            place[i] = next++;
        }
    }
    pf_map_free(&taken);
    return ok ? PF_OK : pf_budget_refused(budget, (uint64_t)in->events * sizeof *place, err);
}
