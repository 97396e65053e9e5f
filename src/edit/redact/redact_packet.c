/* edit/redact/redact_packet.c - texts in packets, replaced by what their roles say.
 *
 * Whatever has no role is left out: it may say anything. Of a packet of an unknown kind the envelope remains where it
 * is part of its sequence's state, so that the packets after it mean the same; an event of ftrace that is not known
 * whole goes whole.
 */
#include "base/str.h"
#include "edit/redact/redact.h"

/* Whether all fields of a message have a role, as far as one looks without entering others. */
static bool is_known(pf_message message, pf_cursor c)
{
    pf_field f;
    pf_next next;
    while ((next = pf_cursor_next(&c, &f)) == PF_NEXT_FIELD) {
        if (!pf_role_of(message, f.tag).role) {
            return false;
        }
    }
    return next == PF_NEXT_END;
}

/* Whether a packet says something about its sequence besides its data. */
static bool has_state(pf_bytes packet)
{
    pf_cursor c = pf_cursor_over(packet.ptr, packet.len);
    pf_field f;
    while (pf_cursor_next(&c, &f) == PF_NEXT_FIELD) {
        switch (pf_field_number(&f)) {
        case PF_F_PACKET_INTERNED_DATA:
        case PF_F_PACKET_DEFAULTS:
        case PF_F_PACKET_SEQUENCE_FLAGS:
        case PF_F_PACKET_STATE_CLEARED:
        case PF_F_PACKET_PREVIOUS_DROPPED:
        case PF_F_PACKET_FIRST_ON_SEQUENCE:
            return true;
        default:
            break;
        }
    }
    return false;
}

/* Whether an event is one of the older kind that names a thread or process. */
static bool names_somebody(const pf_field *event)
{
    pf_field legacy = pf_cursor_last(pf_field_cursor(event), PF_TAG_BYTES(PF_F_EVENT_LEGACY_EVENT));
    return legacy.tag && pf_cursor_last(pf_field_cursor(&legacy), PF_TAG_VARINT(PF_F_LEGACY_PHASE)).value == 'M';
}

/* A piece of what a program wrote into ftrace. */
static pf_status put_piece(pf_redactor *r, pf_str piece, bool number_stays, pf_error *err)
{
    pf_str to = piece;
    if (!number_stays || !pf_redact_is_number(piece)) {
        PF_TRY(pf_redact_text(r, PF_ROLE_NAME, piece, &to, err));
    }
    pf_buffer_put(&r->pieces, to.ptr, to.len);
    return PF_OK;
}

/* "B|pid|name", "C|pid|name|value" and the like: the letter, the pid and numbers behind a name stay. Any other text is
 * a message. */
static pf_status redact_print(pf_redactor *r, pf_str text, pf_str *to, pf_error *err)
{
    static const char phases[] = "BEISFGHNC";
    pf_str rest = text;
    while (rest.len && (rest.ptr[rest.len - 1] == '\n' || !rest.ptr[rest.len - 1])) {
        rest.len--;
    }
    size_t ends = text.len - rest.len;
    r->pieces.len = 0;
    if (rest.len < 1 || !memchr(phases, rest.ptr[0], sizeof phases - 1) || (rest.len > 1 && rest.ptr[1] != '|')) {
        return pf_str_starts(rest, PF_STR("trace_event_clock_sync:")) ? PF_OK
                                                                      : pf_redact_text(r, PF_ROLE_VALUE, text, to, err);
    }
    bool whole = rest.ptr[0] == 'B'; /* its name may have bars in it */
    for (unsigned n = 0; rest.len; n++) {
        const char *bar = whole && n == 2 ? NULL : memchr(rest.ptr, '|', rest.len);
        pf_str piece = {rest.ptr, bar ? (size_t)(bar - rest.ptr) : rest.len};
        if (n == 0) {
            pf_buffer_put(&r->pieces, piece.ptr, piece.len);
        } else {
            PF_TRY(put_piece(r, piece, n != 2, err));
        }
        pf_buffer_put(&r->pieces, "|", bar != NULL);
        rest = pf_str_from(rest, piece.len + (bar != NULL));
    }
    pf_buffer_put(&r->pieces, text.ptr + text.len - ends, ends);
    *to = (pf_str){r->pieces.data, r->pieces.len};
    return r->pieces.failed ? pf_no_memory(err) : PF_OK;
}

/* The numbers that a release of the system begins with: readers choose the letters of thread states by them. */
static pf_str release_number(pf_str text)
{
    size_t len = 0;
    while (len < text.len && (pf_is_digit(text.ptr[len]) || text.ptr[len] == '.')) {
        len++;
    }
    return (pf_str){text.ptr, len};
}

static pf_status redact_argument_json(pf_redactor *r, pf_str text, pf_str *to, pf_error *err)
{
    PF_TRY(pf_redact_json(r, PF_REDACT_ARGUMENT, PF_STR(""), text, to, err));
    return to->ptr ? PF_OK : pf_redact_text(r, PF_ROLE_PRIVATE, text, to, err);
}

static pf_status redact_field(pf_redactor *r, const pf_role_field *f, pf_error *err)
{
    pf_str text = pf_field_text(&f->field), to = text;
    if (f->role == PF_ROLE_PRINT) {
        PF_TRY(redact_print(r, text, &to, err));
    } else if (f->role == PF_ROLE_JSON) {
        PF_TRY(redact_argument_json(r, text, &to, err));
    } else if (f->message == PF_MSG_UTSNAME && pf_field_number(&f->field) == 3 && release_number(text).len) {
        to = release_number(text);
    } else {
        pf_field_role role = f->role == PF_ROLE_VALUE && r->metadata ? PF_ROLE_NAME : f->role;
        PF_TRY(pf_redact_text(r, role, text, &to, err));
    }
    if (!pf_str_equal(to, text)) {
        r->result.texts += f->role != PF_ROLE_JSON; /* whose texts are counted one by one */
        pf_role_walk_text(&r->walk, to);
    }
    return PF_OK;
}

/* Messages, and what is not known. */
static void look_at(pf_redactor *r, const pf_role_field *f)
{
    bool goes = true;
    if (f->role == PF_ROLE_MESSAGE) {
        goes = f->child == PF_MSG_FTRACE_EVENT && !is_known(f->child, pf_field_cursor(&f->field));
        r->metadata = f->child == PF_MSG_EVENT ? names_somebody(&f->field) : r->metadata;
    }
    if (goes) {
        pf_role_walk_drop(&r->walk);
    }
    if (goes && f->role != PF_ROLE_ORIGIN) {
        r->result.packets += f->message == PF_MSG_PACKET;
        r->result.parts += f->message != PF_MSG_PACKET;
    }
}

pf_status pf_redact_packet(pf_redactor *r, pf_bytes packet, pf_bytes *out, pf_error *err)
{
    pf_role_field f;
    uint64_t unknown = r->result.packets;
    r->packet.len = 0;
    r->metadata = false;
    pf_role_walk_begin(&r->walk, PF_MSG_PACKET, packet.ptr, packet.len, &r->writer);
    while (pf_role_walk_next(&r->walk, &f)) {
        if (pf_role_is_text(f.role)) {
            PF_TRY(redact_field(r, &f, err));
        } else if (!pf_role_is_number(f.role) && f.role != PF_ROLE_MARK) {
            look_at(r, &f);
        }
    }
    *out = pf_role_walk_end(&r->walk) ? (pf_bytes){(const uint8_t *)r->packet.data, r->packet.len} : packet;
    if (r->result.packets > unknown) {
        r->result.packets = unknown + 1;
        *out = has_state(packet) ? *out : (pf_bytes){NULL, 0};
    }
    return r->writer.failed ? pf_no_memory(err) : PF_OK;
}

pf_status pf_redact_packets(pf_redactor *r, pf_bytes packets, pf_buffer *out, pf_error *err)
{
    pf_cursor c = pf_cursor_over(packets.ptr, packets.len);
    pf_field f;
    pf_writer w;
    pf_writer_init(&w, out);
    while (pf_cursor_next_of(&c, PF_TAG_BYTES(PF_F_TRACE_PACKET), &f)) {
        pf_bytes redacted;
        PF_TRY(pf_redact_packet(r, (pf_bytes){f.bytes, f.len}, &redacted, err));
        if (redacted.ptr) {
            pf_writer_bytes(&w, PF_F_TRACE_PACKET, redacted.ptr, redacted.len);
        }
    }
    return w.failed ? pf_no_memory(err) : PF_OK;
}
