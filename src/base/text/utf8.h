/* base/text/utf8.h - text of unknown origin, one code point at a time. */
#ifndef PF_BASE_TEXT_UTF8_H
#define PF_BASE_TEXT_UTF8_H

#include "base/buffer.h"

#define PF_REPLACEMENT 0xfffdu

/* The code point at text[*at], which is advanced after it. Lone surrogates in three-byte form (WTF-8) are returned as
 * such; a byte that begins no valid sequence is one PF_REPLACEMENT. */
uint32_t pf_utf8_next(pf_str text, size_t *at);

/* Writes the UTF-8 of a code point; returns its length, 1 to 4. */
size_t pf_utf8_put(uint32_t code, char out[4]);

/* The text as others take it: itself, or what the buffer, which is emptied, then holds, with U+FFFD for every byte that
 * is out of place and for lone surrogates. */
pf_str pf_utf8_clean(pf_str text, pf_buffer *clean);

#endif
