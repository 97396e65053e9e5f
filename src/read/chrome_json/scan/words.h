/* read/chrome_json/scan/words.h - hashing and comparing short texts by whole words.
 *
 * A text of up to 32 bytes is loaded as four words whatever its length, the bytes after its end masked away: no loop,
 * no branch, no call. The text must be followed by PF_SLOP readable bytes.
 */
#ifndef PF_READ_CHROME_JSON_SCAN_WORDS_H
#define PF_READ_CHROME_JSON_SCAN_WORDS_H

#include <string.h>

#include "postfetto/base.h"

#define PF_JSON_SHORT_TEXT 32

typedef struct pf_json_words {
    uint64_t w[PF_JSON_SHORT_TEXT / 8];
} pf_json_words;

static inline uint16_t pf_json_load2(const uint8_t *p)
{
    uint16_t w;
    memcpy(&w, p, 2);
    return w;
}

static inline uint32_t pf_json_load4(const uint8_t *p)
{
    uint32_t w;
    memcpy(&w, p, 4);
    return w;
}

static inline uint64_t pf_json_load8(const uint8_t *p)
{
    uint64_t w;
    memcpy(&w, p, 8);
    return w;
}

/* The first len bytes, len <= PF_JSON_SHORT_TEXT. */
static inline pf_json_words pf_json_load_words(const uint8_t *p, size_t len)
{
    static const uint8_t masks[2 * PF_JSON_SHORT_TEXT] = {
        255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
        255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255,
    };
    const uint8_t *mask = masks + PF_JSON_SHORT_TEXT - len;
    pf_json_words t;
    for (size_t i = 0; i < PF_JSON_SHORT_TEXT / 8; i++) {
        t.w[i] = pf_json_load8(p + 8 * i) & pf_json_load8(mask + 8 * i);
    }
    return t;
}

static inline bool pf_json_same_words(const pf_json_words *a, const pf_json_words *b)
{
    return ((a->w[0] ^ b->w[0]) | (a->w[1] ^ b->w[1]) | (a->w[2] ^ b->w[2]) | (a->w[3] ^ b->w[3])) == 0;
}

/* A number for three words. */
static inline uint32_t pf_json_mix(uint64_t a, uint64_t b, uint64_t c)
{
    return (uint32_t)((a * 0x9e3779b97f4a7c15ull ^ b * 0xc4ceb9fe1a85ec53ull ^ c * 0xff51afd7ed558ccdull) >> 32);
}

/* Spreads texts over the places of a memory; nothing depends on it being hard to collide. */
static inline uint32_t pf_json_hash_words(const pf_json_words *t, size_t len)
{
    uint64_t h = t->w[0] * 0xff51afd7ed558ccdull + t->w[1] * 0xc4ceb9fe1a85ec53ull + t->w[2] * 0x9fb21c651e98df25ull +
                 t->w[3] * 0xd6e8feb86659fd93ull + len;
    return (uint32_t)(((h ^ h >> 32) * 0x9e3779b97f4a7c15ull) >> 32);
}

#endif
