/* tests/differential/synth.c - packets with fields that no trace at hand combines.
 *
 * The descriptors of hot.proto say which fields there are. Starting with a TracePacket, each step adds one of them at
 * random, goes into a submessage, or ends the message. Numbers come in all widths, repeated ones sometimes packed;
 * singular numbers and texts may come again, singular submessages may not, because protobuf-c merges those.
 */
#include "diff.h"

#include "wire/writer.h"

enum { NESTING_MAX = 12, FIELDS_MAX = 60 };

typedef struct level {
    const ProtobufCMessageDescriptor *type;
    uint64_t used; /* bit per field: a singular submessage that is there */
} level;

static uint64_t number(uint64_t *state)
{
    uint64_t bits = 1 + diff_draw(state, 64), v = diff_draw(state, UINT64_C(1) << 52) * UINT64_C(0x9e3779b97f4a7c15);
    return v >> (64 - bits);
}

static void add_packed(pf_writer *w, const ProtobufCFieldDescriptor *field, bool fixed, uint64_t *state)
{
    uint8_t list[4 * PF_VARINT_MAX], *p = list;
    for (uint64_t more = diff_draw(state, 4); more; more--) {
        uint64_t v = number(state);
        if (fixed) {
            memcpy(p, &v, sizeof v);
            p += sizeof v;
        } else {
            p = pf_store_varint(p, v);
        }
    }
    pf_writer_bytes(w, field->id, list, (size_t)(p - list));
}

static void add_value(pf_writer *w, const ProtobufCFieldDescriptor *field, uint64_t *state)
{
    static const char text[] = "a text\0with\xff bytes";
    bool fixed = field->type == PROTOBUF_C_TYPE_FIXED64 || field->type == PROTOBUF_C_TYPE_DOUBLE;
    if (field->type == PROTOBUF_C_TYPE_BYTES) {
        pf_writer_bytes(w, field->id, text, diff_draw(state, sizeof text));
    } else if (field->label == PROTOBUF_C_LABEL_REPEATED && diff_draw(state, 4) == 0) {
        add_packed(w, field, fixed, state);
    } else if (fixed) {
        pf_writer_fixed64(w, field->id, number(state));
    } else {
        pf_writer_varint(w, field->id, number(state));
    }
}

bool diff_synthesize(pf_buffer *out, uint64_t seed)
{
    level levels[NESTING_MAX] = {{.type = &pf__hot__trace_packet__descriptor}}, *top = levels;
    uint64_t state = diff_seed(seed);
    pf_writer w;
    out->len = 0;
    pf_writer_init(&w, out);
    for (uint64_t left = 1 + diff_draw(&state, FIELDS_MAX); left; left--) {
        if (top > levels && diff_draw(&state, 6) == 0) {
            pf_writer_end(&w);
            top--;
            continue;
        }
        unsigned i = (unsigned)diff_draw(&state, top->type->n_fields);
        const ProtobufCFieldDescriptor *field = &top->type->fields[i];
        if (field->type != PROTOBUF_C_TYPE_MESSAGE) {
            add_value(&w, field, &state);
        } else if (top + 1 < levels + NESTING_MAX && !(top->used >> i & 1)) {
            top->used |= field->label == PROTOBUF_C_LABEL_REPEATED ? 0 : UINT64_C(1) << i;
            pf_writer_begin(&w, field->id);
            *++top = (level){.type = field->descriptor};
        }
    }
    for (; top > levels; top--) {
        pf_writer_end(&w);
    }
    bool fine = !w.failed;
    pf_writer_free(&w);
    return fine;
}
