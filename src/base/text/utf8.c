/* base/text/utf8.c - the decoder accepts what Unicode accepts (no overlong forms, nothing above U+10FFFF) plus
 * surrogates, which JSON can spell and which the string pool therefore keeps. */
#include "base/text/utf8.h"

#include "base/little_endian.h"

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

pf_str pf_utf8_clean(pf_str text, pf_buffer *clean)
{
    bool whole = true;
    size_t kept = 0;
    clean->len = 0;
    for (size_t at = 0; at < text.len;) {
        size_t from = at;
        if (text.len - at >= 8 && !(pf_little_u64((const uint8_t *)text.ptr + at) & 0x8080808080808080u)) {
            at += 8;
            continue;
        }
        uint32_t code = pf_utf8_next(text, &at);
        bool right = code != PF_REPLACEMENT ? code < 0xd800 || code > 0xdfff : at - from == 3;
        if (!right) {
            pf_buffer_put(clean, text.ptr + kept, from - kept);
            pf_buffer_text(clean, "\xef\xbf\xbd");
            kept = at;
            whole = false;
        }
    }
    if (whole) {
        return text;
    }
    pf_buffer_put(clean, text.ptr + kept, text.len - kept);
    return (pf_str){clean->data, clean->len};
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
