/* read/tinygrad/profile/profile_rows.c - what the values of a profile say, classes by the last part of their name,
 * fields by theirs; rows of tinygrad_event, and of tinygrad_note where an event says more than a name and a time. */
#include <math.h>
#include <string.h>

#include "read/tinygrad/profile/profile.h"

enum { HEX = 128 }; /* longer keys are cut */

pf_str pf_tiny_class(const pf_pickle_values *v, uint32_t value)
{
    if (pf_pickle_type_of(v, value) != PF_PICKLE_OBJECT) {
        return (pf_str){NULL, 0};
    }
    pf_str name = pf_pickle_text(v, value);
    const char *dot = name.ptr ? memrchr(name.ptr, '.', name.len) : NULL;
    return dot ? pf_str_from(name, (size_t)(dot + 1 - name.ptr)) : name;
}

int64_t pf_tiny_number(const pf_tiny_profile *p, uint32_t object, const char *field, int64_t otherwise)
{
    int64_t v;
    return pf_pickle_int(&p->values, pf_pickle_field(&p->values, object, field), &v) ? v : otherwise;
}

pf_str pf_tiny_text(const pf_tiny_profile *p, uint32_t object, const char *field)
{
    return pf_pickle_text(&p->values, pf_pickle_field(&p->values, object, field));
}

pf_bytes pf_tiny_bytes(const pf_tiny_profile *p, uint32_t object, const char *field)
{
    return pf_pickle_bytes(&p->values, pf_pickle_field(&p->values, object, field));
}

uint32_t pf_tiny_hex_id(pf_tiny_profile *p, pf_bytes key)
{
    static const char digits[] = "0123456789abcdef";
    char hex[HEX];
    size_t n = 0;
    for (size_t i = 0; i < key.len && n + 2 <= HEX; i++) {
        hex[n++] = digits[key.ptr[i] >> 4];
        hex[n++] = digits[key.ptr[i] & 15];
    }
    return key.ptr ? pf_tiny_id(p, (pf_str){hex, n}) : 0;
}

uint32_t pf_tiny_key_id(pf_tiny_profile *p, uint32_t object)
{
    return pf_tiny_hex_id(p, pf_tiny_bytes(p, object, "profile_key"));
}

/* Thousands of calls come from the same lines, so a stack is a row of tinygrad_call, its innermost frame, and each
 * frame names the one that called it: stacks share what they have in common. */
enum { DEEPEST = 512 }; /* frames of a stack that are kept, the innermost */

/* What a frame says: (file, line, function, code). */
typedef struct frame {
    uint32_t file, function, code; /* string ids */
    int64_t line;
    uint32_t caller;
} frame;

/* The row of a frame. Where two frames have one key, the second is added again whenever it comes. */
static pf_status add_frame(pf_tiny_profile *p, const frame *f, uint32_t *row)
{
    const pf_side_table *s = p->table[PF_TINY_CALL];
    uint64_t key = pf_hash64(0x9e3779b97f4a7c15ull, (uint64_t)f->file << 32 | f->function);
    key = pf_hash64(key | 1, (uint64_t)f->code << 32 | f->caller);
    key = pf_hash64(key | 1, (uint64_t)f->line);
    *row = pf_map_get(&p->call_of, key);
    if (*row != PF_NONE && *pf_side_ref(s, CALL_FILE, *row) == f->file &&
        *pf_side_ref(s, CALL_FUNCTION, *row) == f->function && *pf_side_ref(s, CALL_CODE, *row) == f->code &&
        *pf_side_number(s, CALL_LINE, *row) == f->line && *pf_side_ref(s, CALL_CALLER, *row) == f->caller) {
        return PF_OK;
    }
    PF_TRY(pf_tiny_put(p, PF_TINY_CALL, PF_CELLS(f->file, f->line, f->function, f->code, f->caller)));
    *row = pf_tiny_last(p, PF_TINY_CALL);
    return pf_map_put(&p->call_of, key, *row, p->err);
}

static frame read_frame(pf_tiny_profile *p, uint32_t tuple, uint32_t caller)
{
    const pf_pickle_values *v = &p->values;
    frame f = {.caller = caller};
    f.file = pf_tiny_id(p, pf_pickle_text(v, pf_pickle_nth(v, tuple, 0)));
    f.line = pf_pickle_int(v, pf_pickle_nth(v, tuple, 1), &f.line) ? f.line : INT64_MIN;
    f.function = pf_tiny_id(p, pf_pickle_text(v, pf_pickle_nth(v, tuple, 2)));
    f.code = pf_tiny_id(p, pf_pickle_text(v, pf_pickle_nth(v, tuple, 3)));
    return f;
}

/* The innermost frame of a list of (file, line, function, code) as a row of tinygrad_call; PF_NONE: it is empty. */
static pf_status add_stack(pf_tiny_profile *p, uint32_t stack, uint32_t *row)
{
    uint32_t tuples[DEEPEST], count = 0;
    *row = PF_NONE;
    for (uint32_t i = pf_pickle_first(&p->values, stack); i != PF_NONE && count < DEEPEST;
         i = pf_pickle_next(&p->values, i)) {
        tuples[count++] = pf_pickle_member(&p->values, i);
    }
    while (count) {
        const frame f = read_frame(p, tuples[--count], *row);
        PF_TRY(add_frame(p, &f, row));
    }
    return PF_OK;
}

static bool says_more(const pf_tiny_profile *p, uint32_t name)
{
    return pf_str_is(pf_tiny_class(&p->values, name), "TracingKey");
}

/* What the name says besides the text, and the key of the program: what a traced call returned, a number of bytes or a
 * text, and where it was called. */
static pf_status add_note(pf_tiny_profile *p, uint32_t event, uint32_t object)
{
    const pf_pickle_values *v = &p->values;
    uint32_t name = pf_pickle_field(v, object, "name"), key = pf_tiny_key_id(p, object), stack = PF_NONE;
    int64_t bytes = INT64_MIN;
    if (!says_more(p, name)) {
        return key ? pf_tiny_put(p, PF_TINY_NOTE, PF_CELLS(event, bytes, 0, stack, key)) : PF_OK;
    }
    uint32_t returned = pf_pickle_field(v, name, "ret");
    pf_pickle_type type = pf_pickle_type_of(v, returned);
    uint32_t text = type == PF_PICKLE_TEXT ? pf_tiny_id(p, pf_pickle_text(v, returned)) : 0;
    if (type != PF_PICKLE_INT || !pf_pickle_int(v, returned, &bytes)) {
        bytes = INT64_MIN;
    }
    PF_TRY(add_stack(p, pf_pickle_field(v, name, "tb"), &stack));
    return pf_tiny_put(p, PF_TINY_NOTE, PF_CELLS(event, bytes, text, stack, key));
}

pf_status pf_tiny_add_event(pf_tiny_profile *p, pf_tiny_kind kind, uint32_t object, int64_t ts)
{
    uint32_t device = pf_tiny_id(p, pf_tiny_text(p, object, "device"));
    uint32_t name = pf_tiny_id(p, pf_tiny_text(p, object, "name"));
    return pf_tiny_put(p, PF_TINY_EVENT,
                       PF_CELLS(p->kinds[kind], device, name, ts, ts, pf_side_bits(NAN), INT64_MIN, PF_NONE));
}

pf_status pf_tiny_add_span(pf_tiny_profile *p, pf_tiny_kind kind, uint32_t device, uint32_t name, const pf_tiny_span *s,
                           uint32_t graph)
{
    int64_t copy = p->generation == PF_TINY_DEC25 ? s->copy : INT64_MIN;
    return pf_tiny_put(p, PF_TINY_EVENT,
                       PF_CELLS(p->kinds[kind], device, name, pf_tiny_ns(s->from), pf_tiny_ns(s->to),
                                pf_side_bits(pf_tiny_us(s->to - s->from)), copy, graph));
}

pf_status pf_tiny_add_timed(pf_tiny_profile *p, pf_tiny_kind kind, uint32_t object, pf_tiny_span *s, uint32_t graph)
{
    uint32_t said = pf_pickle_field(&p->values, object, "name"); /* a text, or an object that says more */
    pf_str shown = says_more(p, said) ? pf_tiny_text(p, said, "display_name") : pf_pickle_text(&p->values, said);
    uint32_t device = pf_tiny_id(p, pf_tiny_text(p, object, "device")), name = pf_tiny_id(p, shown);
    uint32_t i = pf_map_get(&p->device_of, device);
    pf_tiny_time offset = i == PF_NONE ? 0 : s->copy ? p->devices[i].copy : p->devices[i].compute;
    s->from += offset;
    s->to += offset;
    PF_TRY(pf_tiny_add_span(p, kind, device, name, s, graph));
    return add_note(p, pf_tiny_last(p, PF_TINY_EVENT), object);
}
