/* base/text/utf8.c - the decoder accepts what Unicode accepts (no overlong forms, nothing above U+10FFFF) plus
 * surrogates, which JSON can spell and which the string pool therefore keeps. */
#include "base/text/utf8.h"

/* Length and lower bound of a sequence by its first byte; length 0 if no sequence starts with it. */
static unsigned sequence_length(uint8_t first, uint32_t *payload, uint32_t *least)
{
    if (first >= 0xc2 && first <= 0xdf) {
        *payload = first & 0x1fu;
        *least = 0x80;
        return 2;
    }
    if (first >= 0xe0 && first <= 0xef) {
        *payload = first & 0x0fu;
        *least = 0x800;
        return 3;
    }
    if (first >= 0xf0 && first <= 0xf4) {
        *payload = first & 0x07u;
        *least = 0x10000;
        return 4;
    }
    return 0;
}

uint32_t pf_utf8_next(pf_str text, size_t *at)
{
    const uint8_t *p = (const uint8_t *)text.ptr + *at;
    size_t left = text.len - *at;
    *at += 1;
    if (p[0] < 0x80) {
        return p[0];
    }
    uint32_t code, least;
    unsigned len = sequence_length(p[0], &code, &least);
    if (len == 0 || len > left) {
        return PF_REPLACEMENT;
    }
    for (unsigned i = 1; i < len; i++) {
        if ((p[i] & 0xc0) != 0x80) {
            return PF_REPLACEMENT;
        }
        code = code << 6 | (p[i] & 0x3fu);
    }
    if (code < least || code > 0x10ffff) {
        return PF_REPLACEMENT;
    }
    *at += len - 1;
    return code;
}

size_t pf_utf8_put(uint32_t code, char out[4])
{
    if (code < 0x80) {
        out[0] = (char)code;
        return 1;
    }
    if (code < 0x800) {
        out[0] = (char)(0xc0 | code >> 6);
        out[1] = (char)(0x80 | (code & 0x3f));
        return 2;
    }
    if (code < 0x10000) {
        out[0] = (char)(0xe0 | code >> 12);
        out[1] = (char)(0x80 | (code >> 6 & 0x3f));
        out[2] = (char)(0x80 | (code & 0x3f));
        return 3;
    }
    out[0] = (char)(0xf0 | code >> 18);
    out[1] = (char)(0x80 | (code >> 12 & 0x3f));
    out[2] = (char)(0x80 | (code >> 6 & 0x3f));
    out[3] = (char)(0x80 | (code & 0x3f));
    return 4;
}
