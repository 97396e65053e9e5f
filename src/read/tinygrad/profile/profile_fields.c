/* read/tinygrad/profile/profile_fields.c - what the values of a profile say: classes by the last part of their name,
 * fields by theirs. */
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
