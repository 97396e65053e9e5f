/* perfetto/role_walk.c - the walk along the table of roles, and the writing of what changes. */
#include "perfetto/role_walk.h"

void pf_role_walk_begin(pf_role_walk *w, pf_message message, const uint8_t *bytes, size_t len, pf_writer *out)
{
    pf_cursor c = pf_cursor_over(bytes, len);
    w->out = out;
    w->changed = w->enters = false;
    w->at = w->field = c.at;
    w->depth = 1;
    w->frame[0] = (pf_role_frame){
        .begin = c.at, .end = c.end, .copied = c.at, .fact = {PF_ROLE_MESSAGE, 0, (uint16_t)message}, .open = true};
}

static pf_role_frame *top(pf_role_walk *w)
{
    return &w->frame[w->depth - 1];
}

static void enter(pf_role_walk *w, pf_fact fact, bool list)
{
    const pf_field *f = &w->last.field;
    w->frame[w->depth++] = (pf_role_frame){
        .begin = w->field, .end = f->bytes + f->len, .copied = f->bytes, .tag = f->tag, .fact = fact, .list = list};
    w->at = f->bytes;
}

static void copy_until(pf_role_walk *w, pf_role_frame *fr, const uint8_t *until)
{
    if (until > fr->copied) {
        pf_writer_raw(w->out, fr->copied, (size_t)(until - fr->copied));
    }
    fr->copied = until;
}

static void leave(pf_role_walk *w)
{
    pf_role_frame *fr = top(w);
    w->at = fr->end;
    w->depth--;
    if (fr->open) {
        copy_until(w, fr, fr->end);
        pf_writer_end(w->out);
        top(w)->copied = fr->end;
    }
}

static bool deliver(pf_role_walk *w, pf_field_role role, const uint8_t *end)
{
    w->last.role = role;
    w->last.message = (pf_message)w->frame[w->depth - (top(w)->list ? 2 : 1)].fact.what;
    w->at = end;
    return true;
}

/* Bytes that are no field which can be read. */
static bool deliver_bytes(pf_role_walk *w, pf_field_role role, const uint8_t *end)
{
    w->last.field = (pf_field){.bytes = w->field, .len = (uint32_t)(end - w->field)};
    w->last.element = false;
    return deliver(w, role, end);
}

static bool next_element(pf_role_walk *w)
{
    pf_role_frame *list = top(w);
    const uint8_t *p = w->at;
    uint64_t value = 0;
    bool fixed = list->fact.flags & PF_FACT_FIXED;
    w->field = p;
    if (fixed) {
        p = list->end - p >= 8 ? p + 8 : NULL;
        value = p ? pf_load64(w->field) : 0;
    } else {
        p = pf_varint(p, list->end, &value);
    }
    if (!p) {
        return deliver_bytes(w, PF_ROLE_MALFORMED, list->end);
    }
    w->last.field = (pf_field){.tag = list->tag, .value = value};
    w->last.element = true;
    w->last.kind = list->fact.what;
    return deliver(w, (pf_field_role)list->fact.role, p);
}

/* Where fields end whose numbers no reader looks at; `at` where none begins there. */
static const uint8_t *hidden_end(const uint8_t *at, const uint8_t *end)
{
    uint64_t tag;
    const uint8_t *value = *at & 0x80 ? pf_varint(at, end, &tag) : NULL;
    const uint8_t *p = value && tag >> 3 > PF_FIELD_NUMBER_MAX ? pf_skip_value(value, end, tag) : NULL;
    return p ? p : at;
}

/* Reads the field at w->at; *fact is its role, which the walk may have no use for. */
static bool read_field(pf_role_walk *w, pf_fact *fact)
{
    pf_role_frame *fr = top(w);
    pf_cursor c = {w->at, fr->end};
    const uint8_t *hidden = hidden_end(c.at, c.end);
    w->field = w->at;
    fact->role = PF_ROLE_UNKNOWN;
    if (hidden > w->at) {
        return deliver_bytes(w, PF_ROLE_UNKNOWN, hidden);
    }
    if (pf_cursor_next(&c, &w->last.field) != PF_NEXT_FIELD) {
        return deliver_bytes(w, PF_ROLE_MALFORMED, fr->end);
    }
    *fact = pf_role_of((pf_message)fr->fact.what, w->last.field.tag);
    w->last.element = false;
    w->last.child = (pf_message)fact->what;
    w->last.kind = fact->role == PF_ROLE_OWN_IID ? fr->tag >> 3 : fact->what;
    return deliver(w, (pf_field_role)fact->role, c.at);
}

/* Whether the caller wants to see the field that was read. A packed list is entered instead, as long as its elements
 * have a role. */
static bool has_role(pf_role_walk *w, pf_fact fact)
{
    bool deep = w->depth == PF_ROLE_DEPTH;
    if (fact.role == PF_ROLE_NUMBER || fact.role == PF_ROLE_DATA) {
        return false;
    }
    if (fact.role == PF_ROLE_MESSAGE || (pf_role_is_number(fact.role) && w->last.field.bytes)) {
        w->last.role = deep ? PF_ROLE_UNKNOWN : (pf_field_role)fact.role;
        w->enters = fact.role == PF_ROLE_MESSAGE && !deep;
        if (fact.role != PF_ROLE_MESSAGE && !deep) {
            enter(w, fact, true);
            return false;
        }
    }
    return true;
}

bool pf_role_walk_next(pf_role_walk *w, pf_role_field *f)
{
    if (w->enters) {
        w->enters = false;
        enter(w, (pf_fact){PF_ROLE_MESSAGE, 0, (uint16_t)w->last.child}, false);
    }
    for (;;) {
        while (w->at == top(w)->end) {
            if (w->depth == 1) {
                return false;
            }
            leave(w);
        }
        pf_fact fact;
        if (top(w)->list ? next_element(w) : read_field(w, &fact) && has_role(w, fact)) {
            *f = w->last;
            return true;
        }
    }
}

/* Writes all that lies in front of the field delivered last, and begins the messages around it. */
static void write_up_to_field(pf_role_walk *w)
{
    for (unsigned i = 1; i < w->depth; i++) {
        if (!w->frame[i].open) {
            copy_until(w, &w->frame[i - 1], w->frame[i].begin);
            pf_writer_begin(w->out, w->frame[i].tag >> 3);
            w->frame[i].open = true;
        }
    }
    copy_until(w, top(w), w->field);
    top(w)->copied = w->at;
    w->changed = true;
    w->enters = false;
}

static void put_fixed(pf_writer *out, uint64_t value, size_t size)
{
    uint8_t bytes[8];
    for (size_t i = 0; i < size; i++) {
        bytes[i] = (uint8_t)(value >> (8 * i));
    }
    pf_writer_raw(out, bytes, size);
}

static void put_varint(pf_writer *out, uint64_t value)
{
    uint8_t bytes[PF_VARINT_MAX];
    pf_writer_raw(out, bytes, (size_t)(pf_store_varint(bytes, value) - bytes));
}

void pf_role_walk_number(pf_role_walk *w, uint64_t value)
{
    uint32_t wire = pf_field_wire(&w->last.field);
    write_up_to_field(w);
    if (w->last.element) {
        wire = top(w)->fact.flags & PF_FACT_FIXED ? PF_WIRE_FIXED64 : PF_WIRE_VARINT;
    } else {
        put_varint(w->out, w->last.field.tag);
    }
    if (wire == PF_WIRE_VARINT) {
        put_varint(w->out, value);
    } else {
        put_fixed(w->out, value, wire == PF_WIRE_FIXED64 ? 8 : 4);
    }
}

void pf_role_walk_text(pf_role_walk *w, pf_str text)
{
    write_up_to_field(w);
    pf_writer_bytes(w->out, pf_field_number(&w->last.field), text.ptr, text.len);
}

void pf_role_walk_drop(pf_role_walk *w)
{
    write_up_to_field(w);
}

bool pf_role_walk_end(pf_role_walk *w)
{
    while (w->depth > 1) {
        leave(w);
    }
    if (w->changed) {
        copy_until(w, &w->frame[0], w->frame[0].end);
    }
    return w->changed;
}
