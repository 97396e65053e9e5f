/* json/fast/timestamp_cache.h - times, of which each is much like the one before.
 *
 * A time has many digits of which few change: in 1419117003301.738 the first nine stay the same for a hundredth of a
 * second. And most times of a file are equally long, the point at the same place. So the digits at the end, the point
 * among them, are taken as one word of eight bytes:
 *
 *     1 4 1 9 1 1 7 0 0  3 3 0 1 . 7 3 8      what stands there
 *     ----- prefix ----  0 0 0 0 . 0 0 0      exclusive or: digits become their values, the point becomes nothing
 *
 * Adding 118 to a digit and 127 to the point sets a highest bit where something else stood. If none is set and the
 * prefix is the known one, closing the gap and three multiplications are all there is left to do; no length has to be
 * found out. What looks otherwise is read digit by digit, and the next one is expected to look like that.
 */
#pragma once

#include "json/scan/words.h"

/* How the last time looked. Zeroed: there was none, nothing looks like that. */
typedef struct pf_json_form {
    uint64_t first, last;    /* eight bytes each: the prefix begins and ends with them */
    uint64_t blank, limit;   /* by byte of the word after the prefix: '0' or '.'; 118 or 127 */
    uint64_t high_bits;      /* the highest bit of each byte that counts */
    uint64_t whole;          /* ones where the digits before the point are */
    uint64_t time;           /* what the prefix says */
    uint64_t unit;           /* of the last digit */
    uint8_t prefix, counted; /* bytes of the prefix, of the word */
    uint8_t shift;           /* moves its digits to the upper end */
    uint8_t decimals;
} pf_json_form;

/* What is likely to come again: the form of times, the first eight digits of the last long number, and how long the
 * last indentation was: in args, by depth modulo 8, of a member of the event, of its closing brace, of the next event.
 * And the last args that were walked over, unless they are empty. */
enum { PF_JSON_INDENT_MEMBER = 8, PF_JSON_INDENT_CLOSE, PF_JSON_INDENT_EVENT, PF_JSON_INDENTS };
typedef struct pf_json_head {
    pf_json_form form;
    uint64_t digits, number;
    uint8_t indent[PF_JSON_INDENTS];
    const uint8_t *args; /* hot_args; NULL: none yet */
    size_t args_len;
} pf_json_head;

/* The same as pf_json_read_decimal for numbers of up to 15 digits before the point. The first eight are converted only
 * if they differ from those of the last number, up to six after them together, the point taken out. NULL also if the
 * number is not like that. */
static inline const uint8_t *pf_json_read_long(const uint8_t *p, pf_json_head *head, uint64_t *number,
                                               unsigned *decimals)
{
    uint64_t w = pf_json_load8(p), high = 0;
    unsigned n = pf_json_digit_run(w), m = 0;
    if (n == 8) {
        if (w != head->digits) {
            head->digits = w;
            head->number = pf_json_digit_number(w, 8);
        }
        high = head->number;
        p += 8;
        w = pf_json_load8(p);
        n = pf_json_digit_run(w);
    } else if (n == 0) {
        return NULL;
    }
    if (n == 8) {
        return NULL;
    }
    if ((w >> 8 * n & 0xff) == '.') {
        uint64_t after = n < 4 ? w >> 8 * n >> 8 : pf_json_load8(p + n + 1);
        m = pf_json_digit_run(after);
        if (m == 0 || m > 3) {
            return NULL;
        }
        if (n >= 4) {
            high = high * pf_json_power_of_ten[n] + pf_json_digit_number(w, n);
            *number = high * pf_json_power_of_ten[m] + pf_json_digit_number(after, m);
            *decimals = m;
            return p + n + 1 + m;
        }
        w = (w & ~(~0ull << 8 * n)) | after << 8 * n;
        p++;
    }
    n += m;
    *number = n ? high * pf_json_power_of_ten[n] + pf_json_digit_number(w, n) : high;
    *decimals = m;
    return p + n;
}

/* Reads a time of the form; NULL if it looks otherwise. Whether the number ends there is not checked. */
static inline const uint8_t *pf_json_read_form(const uint8_t *p, const pf_json_form *f, int64_t *time)
{
    const uint8_t *word = p + f->prefix;
    uint64_t t = pf_json_load8(word) ^ f->blank;
    uint64_t other =
        (pf_json_load8(p) ^ f->first) | (pf_json_load8(word - 8) ^ f->last) | (((t + f->limit) | t) & f->high_bits);
    uint64_t w = ((t & f->whole) | (t >> 8 & ~f->whole)) << f->shift;
    w = (w * 10 + (w >> 8)) & 0x00ff00ff00ff00ffull;
    w = (w * 100 + (w >> 16)) & 0x0000ffff0000ffffull;
    w = (w * 10000 + (w >> 32)) & 0xffffffffull;
    *time = (int64_t)(f->time + w * f->unit);
    return other == 0 ? word + f->counted : NULL;
}

/* Whether the next time may rather look like the one in [p, end) than like the form: it begins otherwise, or has more
 * decimals. Zeros at the end are often not written. */
static inline bool pf_json_is_new_form(const pf_json_form *f, const uint8_t *p, unsigned decimals)
{
    return decimals > f->decimals || pf_json_load8(p) != f->first || pf_json_load8(p + f->prefix - 8) != f->last;
}

/* The form of the number in [p, end), not negative, which says `time`. `unit`: of its last digit. Short ones have none.
 */
static inline void pf_json_learn_form(pf_json_form *f, const uint8_t *p, const uint8_t *end, int64_t time,
                                      uint64_t unit)
{
    unsigned len = (unsigned)(end - p), before = 0;
    unsigned prefix = len > 16 ? len - 8 : 8;
    while (before < len && p[before] != '.') {
        before++;
    }
    if (len <= 8 || before < prefix) {
        return;
    }
    unsigned counted = len - prefix, whole = before - prefix, digits = counted - (before < len);
    if (digits == 0) {
        return;
    }
    uint64_t counts = counted < 8 ? ~(~0ull << 8 * counted) : ~0ull, point = before < len ? 0xffull << 8 * whole : 0;
    *f = (pf_json_form){
        .first = pf_json_load8(p),
        .last = pf_json_load8(p + prefix - 8),
        .blank = (0x3030303030303030ull & counts & ~point) | (0x2e2e2e2e2e2e2e2eull & point),
        .limit = (0x7676767676767676ull & counts & ~point) | (0x7f7f7f7f7f7f7f7full & point),
        .high_bits = 0x8080808080808080ull & counts,
        .whole = point ? ~(~0ull << 8 * whole) : ~0ull,
        .time = (uint64_t)time - (uint64_t)time % (pf_json_power_of_ten[digits] * unit),
        .unit = unit,
        .prefix = (uint8_t)prefix,
        .counted = (uint8_t)counted,
        .shift = (uint8_t)(64 - 8 * digits),
        .decimals = (uint8_t)(len - before - (before < len)),
    };
}
