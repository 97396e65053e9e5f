/* base/buffer.c - doubling growth; a failure is remembered, later calls do nothing. */
#include "base/buffer.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/budget.h"

static bool make_room(pf_buffer *b, size_t more)
{
    if (b->failed || more > SIZE_MAX / 4 - b->len) {
        b->failed = true;
        return false;
    }
    if (b->len + more <= b->cap) {
        return true;
    }
    size_t cap = b->cap ? b->cap : 256;
    while (cap < b->len + more) {
        cap *= 2;
    }
    char *p = realloc(b->data, cap);
    if (!p) {
        b->failed = true;
        return false;
    }
    b->data = p;
    b->cap = cap;
    return true;
}

char *pf_buffer_room_grown(pf_buffer *b, size_t len)
{
    return make_room(b, len) ? b->data + b->len : NULL;
}

void pf_buffer_put_grown(pf_buffer *b, const void *bytes, size_t len)
{
    if (len && make_room(b, len)) {
        memcpy(b->data + b->len, bytes, len);
        b->len += len;
    }
}

/* How many digits a number has: as many as its bits say, or one more. */
static unsigned count_digits(uint64_t v)
{
    static const uint64_t powers[] = {0,
                                      10,
                                      100,
                                      1000,
                                      10000,
                                      100000,
                                      1000000,
                                      10000000,
                                      100000000,
                                      1000000000,
                                      10000000000,
                                      100000000000,
                                      1000000000000,
                                      10000000000000,
                                      100000000000000,
                                      1000000000000000,
                                      10000000000000000,
                                      100000000000000000,
                                      1000000000000000000,
                                      10000000000000000000u};
    unsigned n = (64 - (unsigned)__builtin_clzll(v | 1)) * 1233 >> 12; /* log10(2) = 1233 / 4096 */
    return n + (v >= powers[n]);
}

/* Four digits for each division that waits for the one before, from the last ones on. */
void pf_buffer_decimal(pf_buffer *b, uint64_t v)
{
    static const char pairs[] =
        "00010203040506070809101112131415161718192021222324252627282930313233343536373839404142434"
        "44546474849505152535455565758596061626364656667686970717273747576777879808182838485868788"
        "8990919293949596979899";
    unsigned n = count_digits(v);
    char *p = pf_buffer_room(b, n);
    if (!p) {
        return;
    }
    b->len += n;
    for (; n > 3; v /= 10000) {
        unsigned low = (unsigned)(v % 10000);
        n -= 4;
        memcpy(p + n, pairs + (size_t)(low / 100) * 2, 2);
        memcpy(p + n + 2, pairs + (size_t)(low % 100) * 2, 2);
    }
    if (n > 1) {
        n -= 2;
        memcpy(p + n, pairs + v % 100 * 2, 2);
        v /= 100;
    }
    if (n) {
        *p = (char)('0' + v);
    }
}

void pf_buffer_hex(pf_buffer *b, uint64_t v)
{
    char text[16], *end = text + sizeof text, *p = end;
    do {
        *--p = "0123456789abcdef"[v & 15];
        v >>= 4;
    } while (v);
    pf_buffer_put(b, p, (size_t)(end - p));
}

void pf_buffer_int(pf_buffer *b, int64_t v)
{
    if (v < 0) {
        pf_buffer_put(b, "-", 1);
    }
    pf_buffer_decimal(b, v < 0 ? 0 - (uint64_t)v : (uint64_t)v);
}

void pf_buffer_format(pf_buffer *b, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int len = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (len < 0 || !make_room(b, (size_t)len + 1)) {
        b->failed = true;
        return;
    }
    va_start(args, format);
    vsnprintf(b->data + b->len, (size_t)len + 1, format, args);
    va_end(args);
    b->len += (size_t)len;
}

void pf_buffer_base64(pf_buffer *b, const void *bytes, size_t len)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const uint8_t *in = bytes;
    for (size_t i = 0; i < len && !b->failed; i += 3) {
        size_t n = len - i < 3 ? len - i : 3;
        uint32_t bits = (uint32_t)in[i] << 16 | (n > 1 ? (uint32_t)in[i + 1] << 8 : 0) | (n > 2 ? in[i + 2] : 0);
        const char out[4] = {digits[bits >> 18], digits[bits >> 12 & 63], n > 1 ? digits[bits >> 6 & 63] : '=',
                             n > 2 ? digits[bits & 63] : '='};
        pf_buffer_put(b, out, sizeof out);
    }
}

void pf_buffer_quoted(pf_buffer *b, pf_str s, char quote)
{
    pf_buffer_put(b, &quote, 1);
    for (size_t at = 0; at < s.len;) {
        const char *found = memchr(s.ptr + at, quote, s.len - at);
        size_t len = found ? (size_t)(found - s.ptr) + 1 - at : s.len - at;
        pf_buffer_put(b, s.ptr + at, len);
        pf_buffer_put(b, &quote, found ? 1 : 0);
        at += len;
    }
    pf_buffer_put(b, &quote, 1);
}

void pf_buffer_free(pf_buffer *b)
{
    free(b->data);
    *b = (pf_buffer){0};
}

pf_status pf_buffer_give(pf_buffer *b, char **text, size_t *len, pf_error *err)
{
    pf_buffer_put(b, "", 1);
    pf_buffer given = *b;
    *b = (pf_buffer){0};
    *text = given.failed ? NULL : given.data;
    *len = given.failed ? 0 : given.len - 1;
    if (given.failed) {
        free(given.data);
        return pf_no_memory(err);
    }
    return PF_OK;
}
