/* read/chrome_json/apply/json_args_span.h - arguments that are those of an earlier event but for the digits of numbers.
 *
 * Profilers write the events of a kind with the same members in the same order, and their numbers seldom change their
 * lengths. So the bytes that were read of an event are kept with all digits made the same. Those of another event are
 * compared at once, which does not wait for the end of each number, and say where the wanted numbers are.
 */
#ifndef PF_READ_CHROME_JSON_APPLY_JSON_ARGS_SPAN_H
#define PF_READ_CHROME_JSON_APPLY_JSON_ARGS_SPAN_H

#include "model/args/arg_columns.h"
#include "read/chrome_json/scan/digits.h"
#include "read/chrome_json/scan/skip.h"

/* Up to 18 digits without needless zeros in front; the byte after them, NULL if there are others. */
static inline const uint8_t *pf_json_read_plain(const uint8_t *p, uint64_t *number)
{
    const uint8_t *end = pf_json_read_whole(p, number);
    return end && *p == '0' && end - p > 1 ? NULL : end;
}

/* How many of the 16 bytes at p are digits before the first that is not. */
static inline unsigned pf_json_count_digits(const uint8_t *p)
{
#if defined(__SSE2__)
    __m128i v = _mm_sub_epi8(_mm_loadu_si128((const __m128i *)p), _mm_set1_epi8('0'));
    __m128i digits = _mm_cmpeq_epi8(_mm_min_epu8(v, _mm_set1_epi8(9)), v);
    return (unsigned)__builtin_ctz(~(unsigned)_mm_movemask_epi8(digits));
#else
    unsigned n = pf_json_digit_run(pf_json_load8(p));
    return n < 8 ? n : n + pf_json_digit_run(pf_json_load8(p + 8));
#endif
}

/* The number that n digits say, as read_digits; false where they are too many, or have needless zeros in front. */
static inline bool pf_json_plain_number(const uint8_t *p, unsigned n, uint64_t *number)
{
    if (n <= 8) {
        *number = pf_json_digit_number(pf_json_load8(p), n);
        return *p != '0' || n == 1;
    }
    return pf_json_read_plain(p, number) != NULL;
}

/* Spans that were of use for fewer events are not replaced at once: numbers that change their lengths all the time cost
 * more than they save. */
enum { PF_JSON_FEW_HITS = 2, PF_JSON_REST = 16 };

#if defined(__SSE2__)
static inline __m128i pf_json_kinds_at(const uint8_t *p)
{
    __m128i v = _mm_sub_epi8(_mm_loadu_si128((const __m128i *)p), _mm_set1_epi8('0'));
    return _mm_max_epu8(v, _mm_set1_epi8(9));
}

/* Whether the bytes at p are those of the span but for digits; 16 more than its length can be loaded. */
static inline bool pf_json_matches_span(const uint8_t *p, const pf_arg_span *s)
{
    unsigned other = 0, last = s->len % 16, i = 0;
    for (; i < s->len - last; i += 16) {
        __m128i same = _mm_cmpeq_epi8(pf_json_kinds_at(p + i), _mm_loadu_si128((const __m128i *)(s->kinds + i)));
        other |= ~(unsigned)_mm_movemask_epi8(same) & 0xffff;
    }
    __m128i same = _mm_cmpeq_epi8(pf_json_kinds_at(p + i), _mm_loadu_si128((const __m128i *)(s->kinds + i)));
    return (other | (~(unsigned)_mm_movemask_epi8(same) & ((1u << last) - 1))) == 0;
}

static inline void pf_json_keep_kinds(const uint8_t *p, pf_arg_span *s)
{
    for (unsigned i = 0; i < PF_ARG_SPAN; i += 16) {
        _mm_storeu_si128((__m128i *)(s->kinds + i), i < s->len ? pf_json_kinds_at(p + i) : _mm_setzero_si128());
    }
}
#else
static inline uint8_t pf_json_kind_of_byte(uint8_t c)
{
    return c >= '0' && c <= '9' ? '0' : c;
}

static inline bool pf_json_matches_span(const uint8_t *p, const pf_arg_span *s)
{
    unsigned i = 0;
    while (i < s->len && pf_json_kind_of_byte(p[i]) == s->kinds[i]) {
        i++;
    }
    return i == s->len;
}

static inline void pf_json_keep_kinds(const uint8_t *p, pf_arg_span *s)
{
    for (unsigned i = 0; i < s->len; i++) {
        s->kinds[i] = pf_json_kind_of_byte(p[i]);
    }
}
#endif

/* Takes the wanted numbers of an event whose arguments, from p on, are those of the span but for digits. */
static inline bool pf_json_take_span(pf_arg_piece *piece, pf_arg_span *s, const uint8_t *p, const uint8_t *end)
{
    uint64_t number[PF_ARG_SPAN_VALUES];
    if (s->len == 0 || end - p < s->len || !pf_json_matches_span(p, s)) {
        return false;
    }
    for (unsigned i = 0; i < s->count; i++) {
        if (!pf_json_plain_number(p + s->value[i].at, s->value[i].digits, &number[i])) {
            return false;
        }
    }
    for (unsigned i = 0; i < s->count; i++) {
        const pf_arg_column *c = &piece->columns->column[s->value[i].column];
        ((int64_t *)(uintptr_t)c->values.i)[piece->row] = (int64_t)number[i];
        *(uint64_t *)(uintptr_t)&c->present[piece->row / 64] |= 1ull << piece->row % 64;
    }
    s->hits += s->hits < UINT8_MAX;
    return true;
}

static inline bool pf_json_has_digit(const pf_arg_alike *m)
{
    bool any = false;
    for (unsigned i = 0; i < m->len; i++) {
        any |= m->text[i] >= '0' && m->text[i] <= '9';
    }
    return any;
}

/* Notes an event, of which [from, to] was read: members that are alike, with their values at value[0..count). Digits in
 * keys must stay as they are, so that there is no span with them. */
static inline void pf_json_learn_span(pf_arg_span *s, const uint8_t *from, const uint8_t *to, const pf_arg_alike *m,
                                      const uint8_t *const *value, unsigned count)
{
    if (s->hits < PF_JSON_FEW_HITS && s->rest > 0) {
        s->rest--;
        return;
    }
    *s = (pf_arg_span){.rest = PF_JSON_REST};
    bool good = to - from < PF_ARG_SPAN - 16;
    for (unsigned i = 0; i < count && good; i++) {
        good = !pf_json_has_digit(&m[i]) && (!m[i].keys || s->count < PF_ARG_SPAN_VALUES);
        if (good && m[i].keys) {
            const uint8_t *at = value[i] + (*value[i] == '"');
            s->value[s->count].at = (uint8_t)(at - from);
            s->value[s->count].digits = (uint8_t)pf_json_count_digits(at);
            s->value[s->count++].column = m[i].column;
        }
    }
    s->len = good ? (uint8_t)(to - from + 1) : 0;
    pf_json_keep_kinds(from, s);
}

#endif
