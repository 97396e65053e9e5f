/* tests/differential/walk.c - the cursor against protobuf-c's reflection.
 *
 * A walk keeps a stack of messages, each with a slot per field that protobuf-c knows of. A singular field only fills
 * its slot, so that the last one stays; an element of a repeated field is compared at once with the element of the same
 * index; a submessage is pushed. Where a message ends its slots are compared with the has_ flags, values and counts of
 * the struct. Fields without a descriptor are compared with the list of unknown fields. The survey is the same walk
 * without a struct: it only says what the bytes contain.
 */
#include "diff.h"

#include <stdlib.h>
#include <string.h>

#include "wire/cursor.h"

enum { SLOTS = 48 };

typedef struct slot {
    size_t count;
    uint64_t value;
    const uint8_t *bytes;
    size_t len;
} slot;

struct diff_frame {
    pf_cursor c;
    const ProtobufCMessageDescriptor *type;
    const ProtobufCMessage *message; /* NULL in a survey */
    size_t unknown;                  /* entries of the struct's unknown fields that are done with */
    slot slots[SLOTS];
};

typedef struct walk {
    diff_run *run;
    diff_verdict verdict;
    unsigned depth;
} walk;

struct diff_frame *diff_frames_new(void)
{
    return calloc(DIFF_DEPTH, sizeof(struct diff_frame));
}

/* Spellings that the two treat differently on purpose. They are invisible in what the cursor delivers. */
static void look_at_spelling(diff_verdict *v, const uint8_t *p, const uint8_t *end)
{
    while (p && p < end) {
        uint64_t tag, n;
        const uint8_t *value = pf_varint(p, end, &tag), *after;
        if (!value) {
            return;
        }
        v->wide |= value - p > 5;
        v->zero |= tag >> 3 == 0;
        if ((tag & 7) == PF_WIRE_BYTES && (after = pf_varint(value, end, &n)) != NULL) {
            v->wide |= after - value > 5;
        }
        p = pf_skip_value(value, end, tag);
    }
}

static void push(walk *w, const ProtobufCMessageDescriptor *type, const ProtobufCMessage *message, const uint8_t *bytes,
                 size_t len)
{
    if (w->depth == DIFF_DEPTH) {
        w->verdict.deep = true;
        return;
    }
    if (type->n_fields > SLOTS) {
        abort(); /* hot.proto grew; so must SLOTS */
    }
    look_at_spelling(&w->verdict, bytes, bytes + len);
    struct diff_frame *frame = &w->run->frames[w->depth++];
    frame->c = pf_cursor_over(bytes, len);
    frame->type = type;
    frame->message = message;
    frame->unknown = 0;
    memset(frame->slots, 0, type->n_fields * sizeof frame->slots[0]);
}

static uint32_t wire_of(ProtobufCType type)
{
    switch (type) {
    case PROTOBUF_C_TYPE_DOUBLE:
    case PROTOBUF_C_TYPE_FIXED64:
        return PF_WIRE_FIXED64;
    case PROTOBUF_C_TYPE_BYTES:
    case PROTOBUF_C_TYPE_MESSAGE:
        return PF_WIRE_BYTES;
    default:
        return PF_WIRE_VARINT;
    }
}

/* A number as the field's type holds it: 32-bit types keep the lower half, a bool is 0 or 1. */
static uint64_t as_type(ProtobufCType type, uint64_t v)
{
    switch (type) {
    case PROTOBUF_C_TYPE_INT32:
        return (uint64_t)(int32_t)(uint32_t)v;
    case PROTOBUF_C_TYPE_UINT32:
        return (uint32_t)v;
    case PROTOBUF_C_TYPE_BOOL:
        return v != 0;
    default:
        return v;
    }
}

/* The number that the struct holds at this place, in the same form. */
static uint64_t load(ProtobufCType type, const void *place)
{
    uint64_t wide;
    uint32_t narrow;
    protobuf_c_boolean truth;
    switch (type) {
    case PROTOBUF_C_TYPE_INT32:
    case PROTOBUF_C_TYPE_UINT32:
        memcpy(&narrow, place, sizeof narrow);
        return as_type(type, narrow);
    case PROTOBUF_C_TYPE_BOOL:
        memcpy(&truth, place, sizeof truth);
        return truth != 0;
    default:
        memcpy(&wide, place, sizeof wide);
        return wide;
    }
}

static size_t size_of(ProtobufCType type)
{
    return type == PROTOBUF_C_TYPE_INT32 || type == PROTOBUF_C_TYPE_UINT32 ? sizeof(uint32_t)
           : type == PROTOBUF_C_TYPE_BOOL                                  ? sizeof(protobuf_c_boolean)
                                                                           : sizeof(uint64_t);
}

static const void *member(const struct diff_frame *frame, unsigned offset)
{
    return (const uint8_t *)frame->message + offset;
}

static size_t repeated_count(const struct diff_frame *frame, const ProtobufCFieldDescriptor *field)
{
    return *(const size_t *)member(frame, field->quantifier_offset);
}

static bool same_bytes(const ProtobufCBinaryData *theirs, const uint8_t *bytes, size_t len)
{
    return theirs->len == len && (len == 0 || memcmp(theirs->data, bytes, len) == 0);
}

/* ---- elements ---------------------------------------------------------------------------------------------------- */

static void take_number(walk *w, struct diff_frame *frame, const ProtobufCFieldDescriptor *field, slot *s, uint64_t v)
{
    size_t i = s->count++;
    s->value = as_type(field->type, v);
    if (!frame->message || field->label != PROTOBUF_C_LABEL_REPEATED || i >= repeated_count(frame, field)) {
        return;
    }
    const uint8_t *list = *(const uint8_t *const *)member(frame, field->offset);
    uint64_t theirs = load(field->type, list + i * size_of(field->type));
    if (theirs != s->value) {
        diff_report(w->run, "%s.%s[%zu]: cursor %llx, protobuf-c %llx", frame->type->name, field->name, i,
                    (unsigned long long)s->value, (unsigned long long)theirs);
    }
}

static void take_packed(walk *w, struct diff_frame *frame, const ProtobufCFieldDescriptor *field, slot *s,
                        const pf_field *f)
{
    const uint8_t *p = f->bytes, *end = p + f->len;
    w->verdict.packed = true;
    while (p && p < end) {
        uint64_t v = 0;
        if (wire_of(field->type) == PF_WIRE_VARINT) {
            p = pf_varint(p, end, &v);
        } else {
            v = end - p >= 8 ? pf_load64(p) : 0;
            p = end - p >= 8 ? p + 8 : NULL;
        }
        if (p) {
            take_number(w, frame, field, s, v);
        }
    }
    w->verdict.malformed |= !p;
}

static void take_bytes(walk *w, struct diff_frame *frame, const ProtobufCFieldDescriptor *field, slot *s,
                       const pf_field *f)
{
    size_t i = s->count++;
    s->bytes = f->bytes;
    s->len = f->len;
    if (!frame->message || field->label != PROTOBUF_C_LABEL_REPEATED || i >= repeated_count(frame, field)) {
        return;
    }
    const ProtobufCBinaryData *list = *(ProtobufCBinaryData *const *)member(frame, field->offset);
    if (!same_bytes(&list[i], f->bytes, f->len)) {
        diff_report(w->run, "%s.%s[%zu]: other bytes", frame->type->name, field->name, i);
    }
}

static void take_message(walk *w, struct diff_frame *frame, const ProtobufCFieldDescriptor *field, slot *s,
                         const pf_field *f)
{
    size_t i = s->count++;
    const ProtobufCMessage *inner = NULL;
    bool repeated = field->label == PROTOBUF_C_LABEL_REPEATED;
    w->verdict.repeated |= i > 0 && !repeated;
    if (frame->message && repeated && i < repeated_count(frame, field)) {
        inner = (*(ProtobufCMessage *const *const *)member(frame, field->offset))[i];
    } else if (frame->message && !repeated) {
        inner = *(ProtobufCMessage *const *)member(frame, field->offset);
    }
    if (frame->message && !inner) {
        diff_report(w->run, "%s.%s[%zu]: only the cursor has it", frame->type->name, field->name, i);
        return;
    }
    push(w, field->descriptor, inner, f->bytes, f->len);
}

/* The next unknown field of the struct that the cursor delivers too must be this one. */
static void take_unknown(walk *w, struct diff_frame *frame, const pf_field *f)
{
    const ProtobufCMessage *m = frame->message;
    if (!m) {
        return;
    }
    while (frame->unknown < m->n_unknown_fields && m->unknown_fields[frame->unknown].tag > PF_FIELD_NUMBER_MAX) {
        frame->unknown++;
    }
    if (frame->unknown == m->n_unknown_fields) {
        diff_report(w->run, "%s: only the cursor has unknown field %u", frame->type->name, pf_field_number(f));
        return;
    }
    const ProtobufCMessageUnknownField *u = &m->unknown_fields[frame->unknown++];
    if (u->tag != pf_field_number(f) || (uint32_t)u->wire_type != pf_field_wire(f) ||
        memcmp(frame->c.at - u->len, u->data, u->len) != 0) {
        diff_report(w->run, "%s: unknown field %u, protobuf-c has field %u", frame->type->name, pf_field_number(f),
                    u->tag);
    }
}

static void take_field(walk *w, struct diff_frame *frame, const pf_field *f)
{
    const ProtobufCFieldDescriptor *field = protobuf_c_message_descriptor_get_field(frame->type, pf_field_number(f));
    w->run->counts.fields += frame->message != NULL;
    if (!field) {
        take_unknown(w, frame, f);
        return;
    }
    slot *s = &frame->slots[field - frame->type->fields];
    uint32_t wire = wire_of(field->type);
    if (field->label == PROTOBUF_C_LABEL_REPEATED && wire != PF_WIRE_BYTES && pf_field_wire(f) == PF_WIRE_BYTES) {
        take_packed(w, frame, field, s, f);
    } else if (pf_field_wire(f) != wire) {
        bool truth = field->type == PROTOBUF_C_TYPE_BOOL;
        w->verdict.loose |= truth;
        w->verdict.mismatched |= !truth;
    } else if (field->type == PROTOBUF_C_TYPE_MESSAGE) {
        take_message(w, frame, field, s, f);
    } else if (wire == PF_WIRE_BYTES) {
        take_bytes(w, frame, field, s, f);
    } else {
        w->verdict.overflow |= field->type == PROTOBUF_C_TYPE_BOOL && f->value == 0 && frame->c.at[-1] != 0;
        take_number(w, frame, field, s, f->value);
    }
}

/* ---- ends of messages -------------------------------------------------------------------------------------------- */

static void compare_singular(walk *w, const struct diff_frame *frame, const ProtobufCFieldDescriptor *field,
                             const slot *s)
{
    bool has = field->type == PROTOBUF_C_TYPE_MESSAGE
                   ? *(ProtobufCMessage *const *)member(frame, field->offset) != NULL
                   : *(const protobuf_c_boolean *)member(frame, field->quantifier_offset) != 0;
    if (has != (s->count > 0)) {
        diff_report(w->run, "%s.%s: only %s has it", frame->type->name, field->name, has ? "protobuf-c" : "the cursor");
    } else if (has && field->type == PROTOBUF_C_TYPE_BYTES) {
        if (!same_bytes(member(frame, field->offset), s->bytes, s->len)) {
            diff_report(w->run, "%s.%s: other bytes", frame->type->name, field->name);
        }
    } else if (has && field->type != PROTOBUF_C_TYPE_MESSAGE) {
        uint64_t theirs = load(field->type, member(frame, field->offset));
        if (theirs != s->value) {
            diff_report(w->run, "%s.%s: cursor %llx, protobuf-c %llx", frame->type->name, field->name,
                        (unsigned long long)s->value, (unsigned long long)theirs);
        }
    }
}

static void compare_message(walk *w, const struct diff_frame *frame)
{
    size_t unknown = frame->unknown;
    for (unsigned i = 0; i < frame->type->n_fields; i++) {
        const ProtobufCFieldDescriptor *field = &frame->type->fields[i];
        const slot *s = &frame->slots[i];
        if (field->label != PROTOBUF_C_LABEL_REPEATED) {
            compare_singular(w, frame, field, s);
        } else if (repeated_count(frame, field) != s->count) {
            diff_report(w->run, "%s.%s: cursor has %zu, protobuf-c %zu", frame->type->name, field->name, s->count,
                        repeated_count(frame, field));
        }
    }
    for (; unknown < frame->message->n_unknown_fields; unknown++) {
        if (frame->message->unknown_fields[unknown].tag <= PF_FIELD_NUMBER_MAX) {
            diff_report(w->run, "%s: only protobuf-c has unknown field %u", frame->type->name,
                        frame->message->unknown_fields[unknown].tag);
        }
    }
}

static diff_verdict run_walk(diff_run *run, const ProtobufCMessageDescriptor *type, const ProtobufCMessage *message,
                             const uint8_t *bytes, size_t len)
{
    walk w = {.run = run};
    push(&w, type, message, bytes, len);
    while (w.depth) {
        struct diff_frame *frame = &run->frames[w.depth - 1];
        pf_field f;
        pf_next next = pf_cursor_next(&frame->c, &f);
        if (next == PF_NEXT_FIELD) {
            take_field(&w, frame, &f);
            continue;
        }
        w.verdict.malformed |= next == PF_NEXT_MALFORMED;
        if (frame->message) {
            compare_message(&w, frame);
        }
        w.depth--;
    }
    return w.verdict;
}

diff_verdict diff_survey(diff_run *run, const ProtobufCMessageDescriptor *type, const uint8_t *bytes, size_t len)
{
    return run_walk(run, type, NULL, bytes, len);
}

void diff_compare(diff_run *run, const ProtobufCMessage *message, const uint8_t *bytes, size_t len)
{
    run_walk(run, message->descriptor, message, bytes, len);
}
