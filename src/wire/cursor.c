/* wire/cursor.c - the careful half of reading: long varints, skipping, one field at a time. */
#include "wire/cursor.h"

const uint8_t *pf_varint_long(const uint8_t *p, uint64_t *v)
{
    uint64_t x = 0;
    for (unsigned i = 0; i < PF_VARINT_MAX; i++) {
        x |= (uint64_t)(p[i] & 0x7f) << (7 * i); /* the tenth byte gives one bit, the rest is shifted out */
        if (p[i] < 0x80) {
            *v = x;
            return p + i + 1;
        }
    }
    return NULL;
}

const uint8_t *pf_varint(const uint8_t *p, const uint8_t *end, uint64_t *v)
{
    if (end - p >= PF_VARINT_MAX) {
        return pf_varint_slop(p, v);
    }
    uint64_t x = 0;
    for (unsigned shift = 0; p < end; shift += 7, p++) {
        x |= (uint64_t)(*p & 0x7f) << shift;
        if (*p < 0x80) {
            *v = x;
            return p + 1;
        }
    }
    return NULL;
}

const uint8_t *pf_skip_value(const uint8_t *p, const uint8_t *end, uint64_t tag)
{
    uint64_t len;
    if (tag >> 3 == 0) {
        return NULL;
    }
    switch (tag & 7) {
    case PF_WIRE_VARINT:
        return pf_varint(p, end, &len);
    case PF_WIRE_FIXED64:
        return end - p >= 8 ? p + 8 : NULL;
    case PF_WIRE_BYTES:
        p = pf_varint(p, end, &len);
        return p && (uint64_t)(end - p) >= len ? p + len : NULL;
    case PF_WIRE_FIXED32:
        return end - p >= 4 ? p + 4 : NULL;
    default:
        return NULL;
    }
}

pf_next pf_cursor_next(pf_cursor *c, pf_field *f)
{
    const uint8_t *p = c->at;
    while (p < c->end) {
        uint64_t tag;
        c->at = p;
        const uint8_t *value = pf_varint(p, c->end, &tag);
        if (!value) {
            return PF_NEXT_MALFORMED;
        }
        p = pf_skip_value(value, c->end, tag);
        if (!p) {
            return PF_NEXT_MALFORMED;
        }
        if (tag >> 3 > PF_FIELD_NUMBER_MAX) {
            continue;
        }
        f->tag = (uint32_t)tag;
        f->len = 0;
        f->bytes = NULL;
        f->value = 0;
        switch (tag & 7) {
        case PF_WIRE_VARINT:
            (void)pf_varint(value, c->end, &f->value);
            break;
        case PF_WIRE_FIXED64:
            f->value = pf_load64(value);
            break;
        case PF_WIRE_BYTES: {
            uint64_t len = 0;
            f->bytes = pf_varint(value, c->end, &len);
            if (len > PF_FIELD_LENGTH_MAX) {
                continue;
            }
            f->len = (uint32_t)len;
            break;
        }
        default: /* PF_WIRE_FIXED32: pf_skip_value let nothing else pass */
            for (unsigned i = 0; i < 4; i++) {
                f->value |= (uint64_t)value[i] << (8 * i);
            }
        }
        c->at = p;
        return PF_NEXT_FIELD;
    }
    c->at = p;
    return PF_NEXT_END;
}

bool pf_cursor_next_of(pf_cursor *c, uint32_t tag, pf_field *f)
{
    while (pf_cursor_next(c, f) == PF_NEXT_FIELD) {
        if (f->tag == tag) {
            return true;
        }
    }
    return false;
}

pf_field pf_cursor_last(pf_cursor c, uint32_t tag)
{
    pf_field f, last = {0};
    while (pf_cursor_next(&c, &f) == PF_NEXT_FIELD) {
        last = f.tag == tag ? f : last;
    }
    return last;
}

void pf_cursor_fields(pf_cursor c, const uint32_t *tags, pf_field *last, size_t n)
{
    pf_field f;
    memset(last, 0, n * sizeof *last);
    while (pf_cursor_next(&c, &f) == PF_NEXT_FIELD) {
        uint32_t number = pf_field_number(&f);
        if (number < n && tags[number] == f.tag) {
            last[number] = f;
        }
    }
}

/* Takes a number off the list in hand; what is left of a list with a malformed one does not count. */
static bool take_packed(pf_numbers *l, uint64_t *number)
{
    const uint8_t *p = l->packed.at, *end = l->packed.end;
    bool whole = p < end && (!l->fixed || end - p >= 8);
    if (whole && l->fixed) {
        *number = pf_load64(p);
        p += 8;
    } else if (whole) {
        p = pf_varint(p, end, number);
    }
    l->packed.at = whole && p ? p : end;
    return whole && p;
}

bool pf_numbers_next(pf_numbers *l, uint64_t *number)
{
    const uint32_t single = l->fixed ? PF_TAG_FIXED64(l->field) : PF_TAG_VARINT(l->field);
    pf_field f;
    while (!take_packed(l, number)) {
        if (pf_cursor_next(&l->fields, &f) != PF_NEXT_FIELD) {
            return false;
        }
        if (f.tag == single) {
            *number = f.value;
            return true;
        }
        if (f.tag == PF_TAG_BYTES(l->field)) {
            l->packed = pf_field_cursor(&f);
        }
    }
    return true;
}
