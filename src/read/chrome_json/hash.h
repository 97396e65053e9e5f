/* read/chrome_json/hash.h - hashing and comparing short texts by whole words.
 *
 * A text of up to 32 bytes is loaded as four words, the bytes behind its end masked away. Both the window and the
 * cache's copies may be read beyond the text, so there is no loop and no call.
 */
#ifndef PF_READ_JSON_HASH_H
#define PF_READ_JSON_HASH_H

#include <string.h>

#include "read/chrome_json/record.h"

typedef struct pf_json_words {
    uint64_t w[PF_JSON_SHORT_TEXT / 8];
} pf_json_words;

static inline uint64_t pf_json_word(const uint8_t *p, size_t len, size_t at)
{
    uint64_t w;
    if (len >= at + 8) {
        memcpy(&w, p + at, 8);
        return w;
    }
    if (len <= at) {
        return 0;
    }
    memcpy(&w, p + at, 8);
    return w & (~0ull >> (64 - 8 * (len - at)));
}

/* len <= PF_JSON_SHORT_TEXT; p has PF_SLOP readable bytes behind its end. */
static inline pf_json_words pf_json_load_words(const uint8_t *p, size_t len)
{
    pf_json_words t = {{pf_json_word(p, len, 0), pf_json_word(p, len, 8), 0, 0}};
    if (len > 16) {
        t.w[2] = pf_json_word(p, len, 16);
        t.w[3] = pf_json_word(p, len, 24);
    }
    return t;
}

static inline uint32_t pf_json_hash_words(const pf_json_words *t, size_t len)
{
    uint64_t h = (t->w[0] ^ 0x9e3779b97f4a7c15ull) * 0xff51afd7ed558ccdull;
    h = (h ^ h >> 32 ^ t->w[1]) * 0xc4ceb9fe1a85ec53ull;
    if (len > 16) {
        h = (h ^ h >> 32 ^ t->w[2]) * 0x9fb21c651e98df25ull;
        h = (h ^ h >> 32 ^ t->w[3]) * 0xff51afd7ed558ccdull;
    }
    return (uint32_t)(h >> 32) ^ (uint32_t)len;
}

#endif
