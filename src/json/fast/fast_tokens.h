/* json/fast/fast_tokens.h - blanks, texts, numbers and words as they usually are; part of event_fast.h.
 *
 * They may look beyond `end`, and what they find there does not count: the caller compares what they return with `end`.
 */
#pragma once

#include "json/fast/byte_kernel.h"
#include "json/scan/json_event.h"
#include "json/scan/words.h"

#define HOT_INLINE inline __attribute__((always_inline))

/* Blanks as indentation has them: line feeds, then a row of spaces. May go a few bytes beyond end. */
static __attribute__((noinline)) const uint8_t *hot_blanks(const uint8_t *p, const uint8_t *end)
{
    while (p < end) {
        uint64_t other = pf_json_load8(p) ^ 0x2020202020202020ull;
        p += other ? (unsigned)__builtin_ctzll(other) / 8 : 8;
        if (*p != '\n' && *p != '\r' && *p != '\t') {
            if (*p != ' ') {
                break;
            }
            continue;
        }
        p++;
    }
    return p;
}

/* The same address, of which the compiler does not know where it came from. */
static HOT_INLINE const uint8_t *hot_hide(const uint8_t *p)
{
    __asm__("" : "+r"(p));
    return p;
}

/* Blanks between tokens: none or one in most files, a line feed and indentation in others. */
static HOT_INLINE const uint8_t *hot_skip(const uint8_t *p, const uint8_t *end)
{
    if (__builtin_expect(*p > ' ', 1)) {
        return p;
    }
    p += *p == ' ';
    if (*p <= ' ') {
        uint32_t others = ~kernel_blanks(p);
        p += others ? __builtin_ctz(others) : 32;
    }
    return __builtin_expect(*p > ' ', 1) ? p : hot_blanks(p, end);
}

/* The same where the last indentation of that depth is known: if this one is as long, where it ends need not be waited
 * for. */
static HOT_INLINE const uint8_t *hot_skip_indent(const uint8_t *p, const uint8_t *end, uint8_t *indent)
{
    if (__builtin_expect(*p > ' ', 1)) {
        return p;
    }
    uint32_t others = ~kernel_blanks(p);
    const uint8_t *q = p + *indent;
    if (others && q == p + __builtin_ctz(others)) {
        p = hot_hide(q);
        return __builtin_expect(*p > ' ', 1) ? p : hot_blanks(p, end);
    }
    q = hot_skip(p, end);
    *indent = q - p < 32 ? (uint8_t)(q - p) : 0;
    return q;
}

/* The closing quote of the text whose first byte is p; `end` or more if there is none before it. */
static HOT_INLINE const uint8_t *hot_text_end(const uint8_t *p, const uint8_t *end, bool *escaped)
{
    uint32_t stops = kernel_stops(p);
    if (__builtin_expect(stops != 0, 1)) {
        p += __builtin_ctz(stops);
        if (__builtin_expect(*p == '"', 1)) {
            return p;
        }
    } else {
        p += 32;
    }
    p = pf_json_string_end(p, end, escaped);
    return p ? p : end;
}

/* The byte after a number or one of the three words of JSON, NULL for anything else; whether that is where it ends is
 * not read. */
static HOT_INLINE const uint8_t *hot_word_end(const uint8_t *p)
{
    if (__builtin_expect(*p > '9', 0)) {
        uint32_t w = pf_json_load4(p);
        bool is_false = w == PF_KEY4('f', 'a', 'l', 's') && p[4] == 'e';
        if (!is_false && w != PF_KEY4('t', 'r', 'u', 'e') && w != PF_KEY4('n', 'u', 'l', 'l')) {
            return NULL;
        }
        p += 4 + is_false;
    } else {
        p += *p == '-';
        unsigned n = pf_json_digit_run(pf_json_load8(p));
        if (n == 0) {
            return NULL;
        }
        for (p += n; pf_json_word_byte[*p] && n < 32; n++) {
            p++;
        }
    }
    return p;
}
