/* json/fast/byte_kernel.h - the looks at many bytes at once that reading events needs, one set per
 * instruction set.
 *
 * Each event_fast_*.c defines these functions and includes event_fast.h, whose loop is named HOT_LOOP there; what a set
 * can do no better is here. Bytes up to PF_SLOP after the ones at hand may be read.
 *
 *     kernel_stops(p), kernel_blanks(p)  bit i set: byte i of the 32 at p is a quote or a backslash; is a space or a
 * line feed kernel_kinds(p, kinds)             the kinds of the 32 bytes at p: all digits are one kind, every other
 * byte is its own kernel_unlike(p, kinds)            bit i set: byte i of the 32 at p is not of the kind that
 * kernel_kinds made of another byte i kernel_same(p, bytes, mask)        whether PF_JSON_SPAN bytes are equal where
 * those at `mask` are 255 kernel_line_end(p)                 the first line feed after p if it is not far, else any
 * address; looks at up to PF_JSON_LINE bytes kernel_mix(a, b, c)                a number for three words
 *     kernel_text_is(k, text, len)       whether the text of `len` bytes is the entry's
 */
#pragma once

#include "json/scan/json_event.h"

enum { PF_JSON_LINE = 416 };

#ifndef PF_JSON_OWN_KERNEL
static inline bool kernel_same(const uint8_t *p, const uint8_t *bytes, const uint8_t *mask)
{
    uint64_t differing = 0;
    for (size_t i = 0; i < PF_JSON_SPAN; i += 8) {
        differing |= (pf_json_load8(p + i) ^ pf_json_load8(bytes + i)) & pf_json_load8(mask + i);
    }
    return differing == 0;
}

static inline const uint8_t *kernel_line_end(const uint8_t *p)
{
    return p;
}

static inline bool kernel_text_is(const pf_json_known_text *k, const uint8_t *text, uint32_t len)
{
    pf_json_words words = pf_json_load_words(text, len);
    return k->len == len && pf_json_same_words(&k->words, &words);
}

static inline uint32_t kernel_mix(uint64_t a, uint64_t b, uint64_t c)
{
    return (uint32_t)((a * 0x9e3779b97f4a7c15ull ^ b * 0xc4ceb9fe1a85ec53ull ^ c * 0xff51afd7ed558ccdull) >> 32);
}
#endif
