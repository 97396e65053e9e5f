/* json/scan/decimal.c - exact decimals.
 *
 * A number is a run of digits and the place of its point. Shifting the point by the exponent and by the wanted power of
 * ten gives the count of digits that stand before it: those are multiplied up into an integer, the first digit after
 * it decides the rounding, and everything further cannot change the result. So a number of any length costs one pass
 * and no precision is lost.
 */
#include "json/scan/words.h"

#include "base/str.h"
#include "base/text/number.h"

typedef struct decimal {
    const uint8_t *text; /* digits and at most one point */
    size_t len;
    int64_t whole; /* digits before the point, the exponent applied; may be negative */
    bool negative;
} decimal;

static bool parse_decimal(decimal *d, const uint8_t *p, const uint8_t *end)
{
    d->negative = p < end && *p == '-';
    p += d->negative;
    d->text = p;
    while (p < end && pf_is_digit((char)*p)) {
        p++;
    }
    d->whole = p - d->text;
    if (d->whole == 0) {
        return false;
    }
    if (p < end && *p == '.') {
        const uint8_t *fraction = ++p;
        while (p < end && pf_is_digit((char)*p)) {
            p++;
        }
        if (p == fraction) {
            return false;
        }
    }
    d->len = (size_t)(p - d->text);
    if (p < end) {
        int64_t exponent = 0;
        if ((*p != 'e' && *p != 'E') || !pf_parse_exponent((const char *)p + 1, (const char *)end, &exponent)) {
            return false;
        }
        d->whole += exponent;
    }
    return true;
}

bool pf_json_scale_decimal(const uint8_t *text, size_t len, int shift, bool cut, int64_t *out)
{
    decimal d;
    if (!parse_decimal(&d, text, text + len)) {
        return false;
    }
    int64_t left = d.whole + shift; /* digits still to come before the point */
    uint64_t v = 0;
    const uint64_t limit = (uint64_t)INT64_MAX + d.negative;
    size_t i = 0;
    for (; i < d.len && left > 0; i++) {
        if (d.text[i] == '.') {
            continue;
        }
        uint64_t digit = (uint64_t)(d.text[i] - '0');
        if (v > (limit - digit) / 10) {
            return false;
        }
        v = v * 10 + digit;
        left--;
    }
    for (; left > 0 && v != 0; left--) {
        if (v > limit / 10) {
            return false;
        }
        v *= 10;
    }
    if (i < d.len && d.text[i] == '.') {
        i++;
    }
    if (!cut && left == 0 && i < d.len && d.text[i] >= '5') {
        if (v == limit) {
            return false;
        }
        v++;
    }
    *out = d.negative ? (int64_t)(0 - v) : (int64_t)v;
    return true;
}

bool pf_json_hex_text(const uint8_t *text, size_t len, uint64_t *out)
{
    uint64_t v = 0;
    if (len < 3 || len > 18 || text[0] != '0' || (text[1] | 32) != 'x') {
        return false;
    }
    for (size_t i = 2; i < len; i++) {
        unsigned digit = pf_hex_value((char)text[i]);
        if (digit >= 16) {
            return false;
        }
        v = v << 4 | digit;
    }
    *out = v;
    return true;
}

bool pf_json_integer_text(const uint8_t *text, size_t len, int64_t *out)
{
    const uint8_t *p = text;
    const uint8_t *end = text + len;
    while (p < end && pf_is_blank((char)*p)) {
        p++;
    }
    while (end > p && pf_is_blank((char)end[-1])) {
        end--;
    }
    if (p < end && *p == '+') {
        p++;
        if (p < end && *p == '-') {
            return false;
        }
    }
    for (const uint8_t *q = p + (p < end && *p == '-'); q < end; q++) {
        if (!pf_is_digit((char)*q)) {
            return false;
        }
    }
    return pf_json_scale_decimal(p, (size_t)(end - p), 0, true, out);
}
