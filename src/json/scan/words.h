/* json/scan/words.h - short texts and plain numbers by whole words.
 *
 * A text of up to 32 bytes is loaded as four words whatever its length, the bytes after its end masked away: no loop,
 * no branch, no call. The text must be followed by PF_SLOP readable bytes.
 */
#pragma once

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

/* Spreads texts over the places of a memory; nothing depends on it being hard to collide. */
static inline uint32_t pf_json_hash_words(const pf_json_words *t, size_t len)
{
    uint64_t h = t->w[0] * 0xff51afd7ed558ccdull + t->w[1] * 0xc4ceb9fe1a85ec53ull + t->w[2] * 0x9fb21c651e98df25ull +
                 t->w[3] * 0xd6e8feb86659fd93ull + len;
    return (uint32_t)(((h ^ h >> 32) * 0x9e3779b97f4a7c15ull) >> 32);
}

/* ---- plain numbers: a run of digits, perhaps up to three more after a point ---------------------------------------
 *
 * Eight bytes are handled together: which are digits is one subtraction and a mask, what they say is three
 * multiplications that add up pairs, fours and eights of digits at once. All functions read at most 40 bytes from p. */

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "keys and digits are compared as little-endian words");

/* How many of the eight bytes are digits before the first that is not. */
static inline unsigned pf_json_digit_run(uint64_t w)
{
    uint64_t t = w ^ 0x3030303030303030ull;
    uint64_t other = ((t + 0x7676767676767676ull) | t) & 0x8080808080808080ull;
    return other ? (unsigned)__builtin_ctzll(other) / 8 : 8;
}

/* The number that the first n bytes, all digits, say. 0 < n <= 8. */
static inline uint64_t pf_json_digit_number(uint64_t w, unsigned n)
{
    w = (w ^ 0x3030303030303030ull) << (64 - 8 * n);
    w = (w * 10 + (w >> 8)) & 0x00ff00ff00ff00ffull;
    w = (w * 100 + (w >> 16)) & 0x0000ffff0000ffffull;
    return (w * 10000 + (w >> 32)) & 0xffffffffull;
}

static const uint64_t pf_json_power_of_ten[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000, 100000000};

/* Reads the digits at p, up to 18 of them and zeros before them, 24 in all. Returns the byte after; NULL if there are
 * none or more. */
static inline const uint8_t *pf_json_read_whole(const uint8_t *p, uint64_t *number)
{
    uint64_t w = pf_json_load8(p);
    unsigned n = pf_json_digit_run(w);
    if (n == 0) {
        return NULL;
    }
    uint64_t whole = pf_json_digit_number(w, n);
    for (unsigned words = 1; n == 8; words++) {
        p += 8;
        w = pf_json_load8(p);
        n = pf_json_digit_run(w);
        if (n == 0) {
            break;
        }
        if (whole >= 10000000000u || words == 3) {
            return NULL;
        }
        whole = whole * pf_json_power_of_ten[n] + pf_json_digit_number(w, n);
    }
    *number = whole;
    return p + n;
}

/* Reads the digits at p and up to three more after a point, as one number of which `decimals` digits stand after the
 * point. Returns the byte after, where the number may go on; NULL if there are no digits, or so many that the number
 * with three decimals might not fit into 63 bits. */
static inline const uint8_t *pf_json_read_decimal(const uint8_t *p, uint64_t *number, unsigned *decimals)
{
    uint64_t whole;
    p = pf_json_read_whole(p, &whole);
    *decimals = 0;
    if (!p || whole >= 9000000000000000u) {
        return NULL;
    }
    if (*p == '.') {
        uint64_t w = pf_json_load8(p + 1);
        unsigned n = pf_json_digit_run(w);
        if (n == 0 || n > 3) {
            return NULL;
        }
        p += n + 1;
        whole = whole * pf_json_power_of_ten[n] + pf_json_digit_number(w, n);
        *decimals = n;
    }
    *number = whole;
    return p;
}

/* ---- decimal.c --------------------------------------------------------------------------------------------------- */

/* number x 10^shift as an integer. `number` is a JSON number (sign, digits, fraction, exponent; leading zeros are
 * accepted). What remains after the point is rounded half away from zero, or cut off if `cut`. False if the text is
 * anything else or the result does not fit. */
bool pf_json_scale_decimal(const uint8_t *text, size_t len, int shift, bool cut, int64_t *out);

/* A decimal integer with an optional sign and blanks around it, as in "ts": " +12 ". */
bool pf_json_integer_text(const uint8_t *text, size_t len, int64_t *out);

/* A text of "0x" and up to sixteen hexadecimal digits. */
bool pf_json_hex_text(const uint8_t *text, size_t len, uint64_t *out);
