/* perfetto/cold.c - cleaning and unpacking rare messages.
 *
 * The walk keeps one frame per open message on a small stack. A frame first finds, in a pass over its bytes, where the
 * last occurrence of each singular submessage begins; only that one is entered. Every byte is thus read no more
 * than twice per level of the schema.
 */
#include "perfetto/cold.h"

#include "wire/cursor.h"
#include "wire/writer.h"

#define MAX_DEPTH 8   /* of our schemas */
#define MAX_FIELDS 32 /* of one message in our schemas */

typedef struct frame {
    const ProtobufCMessageDescriptor *descriptor;
    pf_cursor cursor;
    const uint8_t *last[MAX_FIELDS]; /* by index in the descriptor: bytes of the last submessage */
} frame;

void pf_cold_init(pf_cold *c, pf_budget *budget)
{
    *c = (pf_cold){.budget = budget};
    pf_arena_init(&c->arena, budget);
}

void pf_cold_free(pf_cold *c)
{
    pf_arena_free(&c->arena);
    pf_buffer_free(&c->clean);
}

static const ProtobufCFieldDescriptor *known_field(const ProtobufCMessageDescriptor *d, const pf_field *f)
{
    return protobuf_c_message_descriptor_get_field(d, pf_field_number(f));
}

static bool is_submessage(const ProtobufCFieldDescriptor *d)
{
    return d->type == PROTOBUF_C_TYPE_MESSAGE;
}

static void open_frame(frame *fr, const ProtobufCMessageDescriptor *descriptor, const uint8_t *bytes, size_t len)
{
    pf_cursor scan = pf_cursor_over(bytes, len);
    pf_field f;
    *fr = (frame){.descriptor = descriptor, .cursor = scan};
    while (pf_cursor_next(&scan, &f) == PF_NEXT_FIELD) {
        const ProtobufCFieldDescriptor *d = known_field(descriptor, &f);
        if (d && is_submessage(d) && d->label != PROTOBUF_C_LABEL_REPEATED && pf_field_wire(&f) == PF_WIRE_BYTES) {
            size_t index = (size_t)(d - descriptor->fields);
            if (index < MAX_FIELDS) {
                fr->last[index] = f.bytes;
            }
        }
    }
}

/* A packed list as single elements. */
static void unroll(pf_writer *w, uint32_t number, const pf_field *f)
{
    if (!f->len) {
        return;
    }
    const uint8_t *p = f->bytes, *end = p + f->len;
    uint64_t v;
    while (p < end && (p = pf_varint(p, end, &v))) {
        pf_writer_varint(w, number, v);
    }
}

/* Our schemas have varints and bytes only. */
static void copy_field(pf_writer *w, const ProtobufCFieldDescriptor *d, const pf_field *f)
{
    uint32_t number = pf_field_number(f), wire = pf_field_wire(f);
    if (d->type == PROTOBUF_C_TYPE_BYTES) {
        if (wire == PF_WIRE_BYTES) {
            pf_writer_bytes(w, number, f->bytes, f->len);
        }
    } else if (wire == PF_WIRE_VARINT) {
        pf_writer_varint(w, number, f->value);
    } else if (wire == PF_WIRE_BYTES && d->label == PROTOBUF_C_LABEL_REPEATED) {
        unroll(w, number, f);
    }
}

static void clean(pf_writer *w, const ProtobufCMessageDescriptor *descriptor, const uint8_t *bytes, size_t len)
{
    frame stack[MAX_DEPTH];
    unsigned depth = 1;
    pf_field f;
    open_frame(&stack[0], descriptor, bytes, len);
    while (depth) {
        frame *fr = &stack[depth - 1];
        if (pf_cursor_next(&fr->cursor, &f) != PF_NEXT_FIELD) {
            if (--depth) {
                pf_writer_end(w);
            }
            continue;
        }
        const ProtobufCFieldDescriptor *d = known_field(fr->descriptor, &f);
        if (!d) {
            continue;
        }
        if (!is_submessage(d)) {
            copy_field(w, d, &f);
            continue;
        }
        size_t index = (size_t)(d - fr->descriptor->fields);
        bool wanted = d->label == PROTOBUF_C_LABEL_REPEATED || (index < MAX_FIELDS && fr->last[index] == f.bytes);
        if (pf_field_wire(&f) == PF_WIRE_BYTES && wanted && depth < MAX_DEPTH) {
            pf_writer_begin(w, pf_field_number(&f));
            open_frame(&stack[depth++], d->descriptor, f.bytes, f.len);
        }
    }
}

static void *arena_alloc(void *arena, size_t size)
{
    return pf_arena_alloc(arena, size);
}

static void arena_release(void *arena, void *p)
{
}

ProtobufCMessage *pf_cold_unpack(pf_cold *c, const ProtobufCMessageDescriptor *descriptor, const uint8_t *bytes,
                                 size_t len, pf_error *err)
{
    pf_writer w;
    ProtobufCAllocator allocator = {arena_alloc, arena_release, &c->arena};
    pf_arena_free(&c->arena);
    c->clean.len = 0;
    pf_writer_init(&w, &c->clean);
    clean(&w, descriptor, bytes, len);
    pf_writer_free(&w);
    ProtobufCMessage *m =
        w.failed ? NULL : protobuf_c_message_unpack(descriptor, &allocator, c->clean.len, (uint8_t *)c->clean.data);
    if (!m) {
        pf_budget_refused(c->budget, len, err);
    }
    return m;
}
