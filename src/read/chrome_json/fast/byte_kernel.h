/* read/chrome_json/fast/byte_kernel.h - the looks at many bytes at once that reading events needs, one set per
 * instruction set.
 *
 * Each event_fast_*.c defines a constant `kernel` with its functions and includes event_fast.h, whose functions call
 * them through it: the compiler sees the constant and makes them part of its loop. Bytes up to PF_SLOP after the ones
 * at hand may be read.
 */
#ifndef PF_READ_CHROME_JSON_FAST_BYTE_KERNEL_H
#define PF_READ_CHROME_JSON_FAST_BYTE_KERNEL_H

#include "read/chrome_json/scan/json_event.h"

typedef struct pf_byte_kernel {
    /* Bit i set: byte i of the 32 at p is a quote or a backslash; is a space or a line feed. */
    uint32_t (*stops)(const uint8_t *p);
    uint32_t (*blanks)(const uint8_t *p);
    /* The kinds of the 32 bytes at p: all digits are one kind, every other byte is its own. */
    void (*kinds)(const uint8_t *p, uint8_t *kinds);
    /* Bit i set: byte i of the 32 at p is not of the kind that `kinds` made of another byte i. */
    uint32_t (*unlike)(const uint8_t *p, const uint8_t *kinds);
    /* Whether PF_JSON_SPAN bytes are equal where those at `mask` are 255. */
    bool (*same)(const uint8_t *p, const uint8_t *bytes, const uint8_t *mask);
    /* The first line feed after p if it is not far, else any address; looks at up to PF_JSON_LINE bytes. */
    const uint8_t *(*line_end)(const uint8_t *p);
    /* A number for three words. */
    uint32_t (*mix)(uint64_t a, uint64_t b, uint64_t c);
    /* Whether the text of `len` bytes is the entry's. */
    bool (*text_is)(const pf_json_known_text *k, const uint8_t *text, uint32_t len);
} pf_byte_kernel;

enum { PF_JSON_LINE = 416 };

/* What does without an instruction set. */
static inline bool pf_json_same_span(const uint8_t *p, const uint8_t *bytes, const uint8_t *mask)
{
    uint64_t differing = 0;
    for (size_t i = 0; i < PF_JSON_SPAN; i += 8) {
        differing |= (pf_json_load8(p + i) ^ pf_json_load8(bytes + i)) & pf_json_load8(mask + i);
    }
    return differing == 0;
}

static inline const uint8_t *pf_json_no_line_end(const uint8_t *p)
{
    return p;
}

static inline bool pf_json_text_is(const pf_json_known_text *k, const uint8_t *text, uint32_t len)
{
    pf_json_words words = pf_json_load_words(text, len);
    return k->len == len && pf_json_same_words(&k->words, &words);
}

#endif
