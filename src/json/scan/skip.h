/* json/scan/skip.h - finding one's way through JSON text without building anything.
 *
 * All functions work on a range [p, end) that is followed by PF_SLOP readable bytes of any value, so that sixteen bytes
 * may be loaded at once from any position below end. A range may stop in the middle of anything: the answer then is
 * "more", never a guess.
 */
#pragma once

#include <string.h>

#include "postfetto/base.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

static inline bool pf_json_is_space(uint8_t b)
{
    return b == ' ' || b == '\n' || b == '\r' || b == '\t';
}

static inline const uint8_t *pf_json_skip_space(const uint8_t *p, const uint8_t *end)
{
    while (p < end && *p <= ' ' && pf_json_is_space(*p)) {
        p++;
    }
    return p;
}

/* The closing quote of the string whose first byte is p, or NULL if it lies beyond end. *escaped is set (never cleared)
 * if a backslash was passed. The plain form is the reference of the one that looks at sixteen bytes at once. */
static inline const uint8_t *pf_json_string_end_plain(const uint8_t *p, const uint8_t *end, bool *escaped)
{
    while (p < end && *p != '"') {
        if (*p == '\\') {
            *escaped = true;
            p++;
        }
        p++;
    }
    return p < end ? p : NULL;
}

static inline const uint8_t *pf_json_string_end(const uint8_t *p, const uint8_t *end, bool *escaped)
{
#if defined(__SSE2__)
    const __m128i quote = _mm_set1_epi8('"');
    const __m128i backslash = _mm_set1_epi8('\\');
    while (p < end) {
        __m128i v = _mm_loadu_si128((const __m128i *)p);
        unsigned hits =
            (unsigned)_mm_movemask_epi8(_mm_or_si128(_mm_cmpeq_epi8(v, quote), _mm_cmpeq_epi8(v, backslash)));
        if (hits == 0) {
            p += 16;
            continue;
        }
        p += __builtin_ctz(hits);
        if (p >= end) {
            break;
        }
        if (*p == '"') {
            return p;
        }
        *escaped = true;
        p += 2;
    }
    return NULL;
#else
    return pf_json_string_end_plain(p, end, escaped);
#endif
}

/* Bytes that may stand in a number or a bare word. */
extern const uint8_t pf_json_word_byte[256];

/* The first byte after a number or bare word, or end. */
static inline const uint8_t *pf_json_word_end(const uint8_t *p, const uint8_t *end)
{
    while (p < end && pf_json_word_byte[*p]) {
        p++;
    }
    return p;
}

/* The byte after a number or bare word of up to 15 bytes, which must be a comma, a closing bracket or a blank; NULL
 * where it is another, or the word is longer or has a '+'. */
static inline const uint8_t *pf_json_short_word_end(const uint8_t *p, const uint8_t *end)
{
#if defined(__SSE2__)
    /* Of what cannot stand in a word, all below '-' but '+' and the brackets, which differ in one bit. */
    __m128i v = _mm_loadu_si128((const __m128i *)p), folded = _mm_or_si128(v, _mm_set1_epi8(32));
    __m128i brackets =
        _mm_or_si128(_mm_cmpeq_epi8(folded, _mm_set1_epi8('{')), _mm_cmpeq_epi8(folded, _mm_set1_epi8('}')));
    __m128i other = _mm_or_si128(_mm_cmplt_epi8(v, _mm_set1_epi8('-')), _mm_cmpeq_epi8(v, _mm_set1_epi8(':')));
    unsigned hits = (unsigned)_mm_movemask_epi8(_mm_or_si128(brackets, other));
    const uint8_t *q = hits ? p + __builtin_ctz(hits) : end;
#else
    const uint8_t *q = pf_json_word_end(p, end);
#endif
    return q > p && q < end && (*q == ',' || *q == '}' || *q == ']' || *q <= ' ') ? q : NULL;
}

/* Whether a bare word is one that JSON does not know (NaN, Infinity, undefined, ...). */
bool pf_json_word_is_foreign(const uint8_t *p, size_t len);

typedef enum pf_json_scan_result { PF_JSON_DONE, PF_JSON_MORE, PF_JSON_BAD } pf_json_scan_result;

/* The state of a value that is being passed over; all zero at its start. */
#define PF_JSON_TYPED_DEPTH 1024
typedef struct pf_json_scan {
    uint64_t in_object[PF_JSON_TYPED_DEPTH / 64]; /* kind of each open level; deeper ones are only counted */
    size_t depth, deepest;
    uint64_t values;  /* values inside, nested containers included */
    uint64_t foreign; /* bare words that are not JSON */
    unsigned expect;
} pf_json_scan;

void pf_json_scan_start(pf_json_scan *s);

/* Passes over one value. *at is advanced: to the byte after the value (DONE), to the offending byte (BAD), or to the
 * start of the first token that is not complete (MORE; calling again with the same state and more bytes goes on). */
pf_json_scan_result pf_json_scan_value(pf_json_scan *s, const uint8_t **at, const uint8_t *end);
