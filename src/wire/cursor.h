/* wire/cursor.h - reads protobuf fields where they lie: no copies, no allocation, every step checked.
 *
 * Two ways to read, one truth:
 * - pf_varint_slop is for hot loops over a buffer with PF_SLOP readable bytes after its end. It never asks where the
 *   end is; the caller compares the returned position with the end once per field. Varints of up to 8 bytes are taken
 *   with one load: the first byte without its top bit ends the varint, and three shift-and-mask steps close the gaps
 *   between the 7-bit groups.
 * - pf_cursor needs no slop and returns one field at a time; it is for everything that is not hot, and for bytes that
 *   were copied somewhere.
 *
 * Malformed: a varint of more than 10 bytes, field number 0, a wire type other than 0, 1, 2, 5, a value that crosses
 * the end. Field numbers above 2^24 - 1 and values of 2^28 bytes or more are legal but never delivered: they are
 * skipped like Perfetto skips them. Non-minimal varints are legal and common.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#ifdef __BMI2__
#include <immintrin.h>
#endif

#include "postfetto/base.h"
#include "wire/wire.h"

#define PF_FIELD_NUMBER_MAX ((1u << 24) - 1)
#define PF_FIELD_LENGTH_MAX ((1u << 28) - 1)

static inline uint64_t pf_load64(const uint8_t *p)
{
    uint64_t v;
    memcpy(&v, p, sizeof v);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    v = __builtin_bswap64(v);
#endif
    return v;
}

static inline double pf_bits_to_float(uint32_t bits)
{
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

static inline double pf_bits_to_double(uint64_t bits)
{
    double d;
    memcpy(&d, &bits, sizeof d);
    return d;
}

/* Varints of 9 and 10 bytes; NULL if there is no end within 10. */
const uint8_t *pf_varint_long(const uint8_t *p, uint64_t *v);

/* Closes the gaps between the 7-bit groups of up to 8 bytes; what does not belong to the varint is zero. */
static inline uint64_t pf_varint_gather(uint64_t x)
{
#ifdef __BMI2__
    return _pext_u64(x, 0x7f7f7f7f7f7f7f7fu);
#else
    x &= 0x7f7f7f7f7f7f7f7fu;
    x = (x & 0x007f007f007f007fu) | (x & 0x7f007f007f007f00u) >> 1;
    x = (x & 0x00003fff00003fffu) | (x & 0x3fff00003fff0000u) >> 2;
    return (x & 0x000000000fffffffu) | (x & 0x0fffffff00000000u) >> 4;
#endif
}

/* Reads a varint at p, of which up to 10 bytes must be readable. Returns the position after it, NULL if malformed. */
static inline const uint8_t *pf_varint_slop(const uint8_t *p, uint64_t *v)
{
    if (*p < 0x80) {
        *v = *p;
        return p + 1;
    }
    uint64_t x = pf_load64(p);
    uint64_t stop = ~x & 0x8080808080808080u;
    if (__builtin_expect(stop == 0, 0)) {
        return pf_varint_long(p, v);
    }
    *v = pf_varint_gather(x & (stop ^ (stop - 1)));
    return p + (__builtin_ctzll(stop) >> 3) + 1;
}

/* The same where numbers below 2^28 of different lengths follow each other: these take no jump that depends on them. */
static inline const uint8_t *pf_varint_mixed(const uint8_t *p, uint64_t *v)
{
    const uint32_t bytes = (uint32_t)pf_load64(p);
    uint32_t stop = ~bytes & 0x80808080u, x = bytes & 0x7f7f7f7fu & (stop ^ (stop - 1));
    if (__builtin_expect(stop == 0, 0)) {
        return pf_varint_slop(p, v);
    }
    x = (x & 0x007f007fu) | (x & 0x7f007f00u) >> 1;
    *v = (x & 0x00003fffu) | (x & 0x3fff0000u) >> 2;
    return p + (__builtin_ctz(stop) >> 3) + 1;
}

/* Reads a varint in [p, end). Returns the position after it, NULL if it is malformed or crosses the end. */
const uint8_t *pf_varint(const uint8_t *p, const uint8_t *end, uint64_t *v);

/* Skips the value of a field whose tag was read. Returns the position after it, NULL if malformed. */
const uint8_t *pf_skip_value(const uint8_t *p, const uint8_t *end, uint64_t tag);

typedef struct pf_cursor {
    const uint8_t *at, *end;
} pf_cursor;

typedef struct pf_field {
    uint32_t tag;         /* compare with PF_TAG_... */
    uint32_t len;         /* PF_WIRE_BYTES: length of bytes */
    uint64_t value;       /* PF_WIRE_VARINT and the fixed types */
    const uint8_t *bytes; /* PF_WIRE_BYTES */
} pf_field;

/* The bytes as a text, which is no NULL if there are none. */
static inline pf_str pf_field_text(const pf_field *f)
{
    return (pf_str){f->len ? (const char *)f->bytes : "", f->len};
}

/* The same, but {NULL, 0} of a field that is not there. */
static inline pf_str pf_field_text_or_null(const pf_field *f)
{
    return f->tag ? pf_field_text(f) : (pf_str){NULL, 0};
}

typedef enum pf_next { PF_NEXT_END = 0, PF_NEXT_FIELD, PF_NEXT_MALFORMED } pf_next;

/* No bytes may also be NULL, from which C allows no step, not even one of length 0. */
static inline pf_cursor pf_cursor_over(const uint8_t *bytes, size_t len)
{
    return (pf_cursor){bytes, len ? bytes + len : bytes};
}

/* The next field. After PF_NEXT_MALFORMED the cursor stays where the malformed field begins. */
pf_next pf_cursor_next(pf_cursor *c, pf_field *f);

/* The same for hot loops, where bytes up to `readable` may be looked at, which are more than the cursor's own. */
static inline pf_next pf_cursor_next_within(pf_cursor *c, const uint8_t *readable, pf_field *f)
{
    uint64_t tag = 0, v = 0;
    const uint8_t *p = c->at;
    if (c->end - p < 2 || readable - p < 2 * PF_VARINT_MAX) {
        return pf_cursor_next(c, f);
    }
    p = pf_varint_slop(p, &tag);
    bool is_bytes = (tag & 7) == PF_WIRE_BYTES, fits = p && ((tag & 7) == PF_WIRE_VARINT || is_bytes);
    p = fits ? pf_varint_slop(p, &v) : NULL;
    const uint8_t *value = p;
    p = p && is_bytes && p <= c->end && v <= (uint64_t)(c->end - p) ? p + v : p;
    if (!p || p > c->end || tag >> 3 == 0 || tag >> 3 > PF_FIELD_NUMBER_MAX || (is_bytes && p - value != (int64_t)v) ||
        (is_bytes && v > PF_FIELD_LENGTH_MAX)) {
        return pf_cursor_next(c, f);
    }
    *f = (pf_field){(uint32_t)tag, is_bytes ? (uint32_t)v : 0, is_bytes ? 0 : v, is_bytes ? value : NULL};
    c->at = p;
    return PF_NEXT_FIELD;
}

/* The next field with that tag; false where there is none any more. */
bool pf_cursor_next_of(pf_cursor *c, uint32_t tag, pf_field *f);

static inline uint32_t pf_field_number(const pf_field *f)
{
    return f->tag >> 3;
}

static inline uint32_t pf_field_wire(const pf_field *f)
{
    return f->tag & 7;
}

/* A field as a cursor over its bytes. */
static inline pf_cursor pf_field_cursor(const pf_field *f)
{
    return pf_cursor_over(f->bytes, f->len);
}

/* The last field with that tag; its tag is 0 where there is none. */
pf_field pf_cursor_last(pf_cursor c, uint32_t tag);

/* All fields of a message at once: last[number] becomes the last field whose tag is tags[number]; its tag is 0 where
 * there is none. */
void pf_cursor_fields(pf_cursor c, const uint32_t *tags, pf_field *last, size_t n);

#define PF_TAG_COUNT(tags) (sizeof(tags) / sizeof *(tags))

/* The same into an array that it declares, as far as the last of the tags:
 *
 *     PF_CURSOR_FIELDS(f, c, PF_AT_BYTES(PF_F_X_NAME), PF_AT_VARINT(PF_F_X_SIZE));
 *     use(pf_field_text(&f[PF_F_X_NAME]), f[PF_F_X_SIZE].value); */
#define PF_CURSOR_FIELDS(last, cursor, ...)                                                                            \
    static const uint32_t last##_tags[] = {__VA_ARGS__};                                                               \
    pf_field last[PF_TAG_COUNT(last##_tags)];                                                                          \
    pf_cursor_fields((cursor), last##_tags, last, PF_TAG_COUNT(last##_tags))

/* The numbers of a repeated field, whether they are written one by one or as packed lists:
 *
 *     pf_numbers l = pf_numbers_of(c, field, false);
 *     while (pf_numbers_next(&l, &number)) { ... } */
typedef struct pf_numbers {
    pf_cursor fields, packed; /* packed: what is left of the list in hand */
    uint32_t field;
    bool fixed; /* numbers of 8 bytes, else varints */
} pf_numbers;

static inline pf_numbers pf_numbers_of(pf_cursor c, uint32_t field, bool fixed)
{
    return (pf_numbers){.fields = c, .field = field, .fixed = fixed};
}

bool pf_numbers_next(pf_numbers *l, uint64_t *number);
