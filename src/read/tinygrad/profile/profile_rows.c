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

/* ---- rows -------------------------------------------------------------------------------------------------------- */

static bool says_more(const pf_tiny_profile *p, uint32_t name)
{
    return pf_str_is(pf_tiny_class(&p->values, name), "TracingKey");
}

/* The name of a range is a text, or an object that says more. */
static pf_str shown_name(const pf_tiny_profile *p, uint32_t object)
{
    uint32_t name = pf_pickle_field(&p->values, object, "name");
    return says_more(p, name) ? pf_tiny_text(p, name, "display_name") : pf_pickle_text(&p->values, name);
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
    PF_TRY(pf_tiny_add_stack(p, pf_pickle_field(v, name, "tb"), &stack));
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
    uint32_t device = pf_tiny_id(p, pf_tiny_text(p, object, "device")), name = pf_tiny_id(p, shown_name(p, object));
    uint32_t i = pf_map_get(&p->device_of, device);
    pf_tiny_time offset = i == PF_NONE ? 0 : s->copy ? p->devices[i].copy : p->devices[i].compute;
    s->from += offset;
    s->to += offset;
    PF_TRY(pf_tiny_add_span(p, kind, device, name, s, graph));
    return add_note(p, pf_tiny_last(p, PF_TINY_EVENT), object);
}
