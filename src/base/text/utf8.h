/* base/text/utf8.h - text of unknown origin, one code point at a time. */
#pragma once

#include "base/buffer.h"

#define PF_REPLACEMENT 0xfffdu

/* The code point at text[*at], which is advanced after it. Lone surrogates in three-byte form (WTF-8) are returned as
 * such; a byte that begins no valid sequence is one PF_REPLACEMENT. */
uint32_t pf_utf8_next(pf_str text, size_t *at);

/* Writes the UTF-8 of a code point; returns its length, 1 to 4. */
size_t pf_utf8_put(uint32_t code, char out[4]);

/* How many bytes of a text are at most so many and end with a character. */
static inline size_t pf_utf8_fit(pf_str text, size_t most)
{
    size_t len = text.len < most ? text.len : most;
    while (len < text.len && len && ((uint8_t)text.ptr[len] & 0xc0) == 0x80) {
        len--;
    }
    return len;
}

/* The text as others take it: itself, or what the buffer, which is emptied, then holds, with U+FFFD for every byte that
 * is out of place and for lone surrogates. */
pf_str pf_utf8_clean(pf_str text, pf_buffer *clean);
