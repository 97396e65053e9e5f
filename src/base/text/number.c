/* base/text/number.c - numbers and their spellings. The digits of doubles come from real_digits.c and are laid out
 * here: in Python's spelling, in that of C's %g and %f, as Perfetto's importer reads them. Nothing depends on the
 * host's locale.
 */
#include "base/text/number.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"

/* Lays out significant digits: with an exponent below 1e-4 and from 10^large on, else with a point, where an integer
 * gets `tail`. */
static size_t lay_out(bool negative, const pf_digits *d, int large, const char *tail, char out[PF_NUMBER_MAX])
{
    int n = d->count, exponent = d->exponent, whole = exponent < 0 ? 1 : exponent + 1;
    if (exponent < -4 || exponent >= large) {
        return (size_t)snprintf(out, PF_NUMBER_MAX, "%s%c%s%.*se%c%02d", negative ? "-" : "", d->digit[0],
                                n > 1 ? "." : "", n - 1, d->digit + 1, exponent < 0 ? '-' : '+', abs(exponent));
    }
    char *p = out;
    *p = '-';
    p += negative;
    for (int i = exponent < 0 ? exponent : 0, put = 0; put < whole || i < n; i++, put++) {
        if (put == whole) {
            *p++ = '.';
        }
        *p++ = i < 0 || i >= n ? '0' : d->digit[i];
    }
    size_t more = n <= exponent + 1 ? strlen(tail) : 0;
    memcpy(p, tail, more);
    p[more] = '\0';
    return (size_t)(p - out) + more;
}

static size_t format_no_number(double v, char out[PF_NUMBER_MAX])
{
    return (size_t)snprintf(out, PF_NUMBER_MAX, "%s", isnan(v) ? "nan" : v > 0 ? "inf" : "-inf");
}

size_t pf_format_real(double v, char out[PF_NUMBER_MAX])
{
    if (!isfinite(v)) {
        return format_no_number(v, out);
    }
    pf_digits d;
    pf_digits_shortest(v, &d);
    return lay_out(signbit(v), &d, 16, ".0", out);
}

size_t pf_format_real_short(double v, char out[PF_NUMBER_MAX])
{
    if (!isfinite(v)) {
        return format_no_number(v, out);
    }
    pf_digits d;
    pf_digits_of(v, 6, &d);
    return lay_out(signbit(v), &d, 6, "", out);
}

size_t pf_format_real_exponent(double v, char out[PF_NUMBER_MAX])
{
    enum { DIGITS = 7 };
    if (!isfinite(v)) {
        return format_no_number(v, out);
    }
    pf_digits d;
    pf_digits_of(v, DIGITS, &d);
    return (size_t)snprintf(out, PF_NUMBER_MAX, "%s%c.%.*s%.*se%c%02d", signbit(v) ? "-" : "", d.digit[0], d.count - 1,
                            d.digit + 1, DIGITS - d.count, "000000", d.exponent < 0 ? '-' : '+', abs(d.exponent));
}

size_t pf_format_real_fixed(double v, int decimals, char out[PF_FIXED_MAX])
{
    decimals = decimals < 0 ? 0 : decimals > PF_DECIMALS_MAX ? PF_DECIMALS_MAX : decimals;
    return isfinite(v) ? pf_digits_fixed(v, decimals, out, PF_FIXED_MAX) : format_no_number(v, out);
}

bool pf_parse_int(const char *text, size_t len, int64_t *out)
{
    size_t i = len > 0 && (text[0] == '-' || text[0] == '+');
    bool negative = i && text[0] == '-';
    if (i == len) {
        return false;
    }
    int64_t v = 0;
    for (; i < len; i++) {
        int digit = text[i] - '0';
        if (digit < 0 || digit > 9 || __builtin_mul_overflow(v, 10, &v) ||
            __builtin_add_overflow(v, negative ? -digit : digit, &v)) {
            return false;
        }
    }
    *out = v;
    return true;
}

bool pf_parse_hex(const char *text, size_t len, uint64_t *out)
{
    const char *p = text, *end = text + len;
    while (p < end && pf_is_blank(*p)) {
        p++;
    }
    bool negative = p < end && *p == '-', large = false;
    p += p < end && (*p == '-' || *p == '+');
    p += end - p > 2 && p[0] == '0' && (p[1] | 32) == 'x' ? 2 : 0;
    uint64_t v = 0;
    bool good = p < end;
    for (; p < end && good; p++) {
        unsigned digit = pf_hex_value(*p);
        good = digit < 16;
        large |= v >> 60 != 0;
        v = v << 4 | (digit & 15);
    }
    if (good) {
        *out = large ? UINT64_MAX : negative ? 0 - v : v;
    }
    return good;
}

static size_t digits_from(pf_str text, size_t at)
{
    while (at < text.len && pf_is_digit(text.ptr[at])) {
        at++;
    }
    return at;
}

size_t pf_json_number_end(pf_str text, size_t at, bool *whole)
{
    *whole = true;
    at += at < text.len && text.ptr[at] == '-';
    size_t end = digits_from(text, at);
    if (end == at || (text.ptr[at] == '0' && end > at + 1)) {
        return 0;
    }
    if (end < text.len && text.ptr[end] == '.') {
        *whole = false;
        at = end + 1;
        end = digits_from(text, at);
    }
    if (end > at && end < text.len && (text.ptr[end] | 32) == 'e') {
        *whole = false;
        at = end + 1;
        at += at < text.len && (text.ptr[at] == '+' || text.ptr[at] == '-');
        end = digits_from(text, at);
    }
    return end > at ? end : 0;
}

/* An integer without sign that fits into 64 bits, as ids do: the processor rounds it to the nearest double. */
static bool parse_word(const char *text, size_t len, double *out)
{
    uint64_t v = 0;
    size_t i = 0;
    for (; i < len && text[i] >= '0' && text[i] <= '9'; i++) {
        if (__builtin_mul_overflow(v, 10, &v) || __builtin_add_overflow(v, (uint64_t)(text[i] - '0'), &v)) {
            return false;
        }
    }
    *out = (double)v;
    return len > 0 && i == len;
}

bool pf_parse_real_or_infinity(const char *text, size_t len, double *out)
{
    if (parse_word(text, len, out)) {
        return true;
    }
    pf_digits d;
    bool negative;
    if (!pf_digits_parse(text, len, &negative, &d)) {
        return false;
    }
    double v = pf_digits_value(&d);
    *out = negative ? -v : v;
    return true;
}

bool pf_parse_real(const char *text, size_t len, double *out)
{
    double v;
    if (!pf_parse_real_or_infinity(text, len, &v) || isinf(v)) {
        return false;
    }
    *out = v;
    return true;
}

/* Up to 18 digits after leading zeros as a number; false if there are more. */
static bool digits_value(const char *p, size_t count, double *out)
{
    int64_t v = 0;
    size_t zeros = strspn(p, "0");
    if (count > 18 + zeros) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        v = v * 10 + (p[i] - '0');
    }
    *out = (double)v;
    return true;
}

bool pf_parse_real_like_perfetto(const char *text, size_t len, double *out)
{
    double exact, whole = 0, fraction = 0;
    if (!pf_parse_real(text, len, &exact)) {
        return false;
    }
    *out = exact;
    char copy[512];
    if (len >= sizeof copy) {
        return true;
    }
    memcpy(copy, text, len);
    copy[len] = '\0';
    const char *p = copy + (copy[0] == '-' || copy[0] == '+');
    size_t wholes = strspn(p, "0123456789"), fractions = 0;
    bool plain = digits_value(p, wholes, &whole);
    p += wholes;
    if (*p == '.') {
        fractions = strspn(++p, "0123456789");
        plain = digits_value(p, fractions, &fraction) && fractions < 20 && plain;
        p += fractions;
    }
    long power = *p ? strtol(p + 1, NULL, 10) : 0;
    if (!plain || power < -300 || power > 300) {
        return true;
    }
    double v = whole + fraction / pow(10, (double)fractions);
    v = power > 0 ? v * pow(10, (double)power) : v / pow(10, (double)-power);
    if (isfinite(v)) {
        *out = copy[0] == '-' ? -v : v;
    }
    return true;
}

size_t pf_format_real_like_perfetto(double v, char out[PF_NUMBER_MAX])
{
    pf_digits d;
    bool few = isfinite(v) && pf_digits_few(v, &d);
    for (int count = 15; count <= 17 && isfinite(v); count++) {
        double back;
        if (count > 15 || !few) {
            pf_digits_of(v, count, &d);
        }
        size_t len = lay_out(signbit(v), &d, 16, ".0", out);
        if (pf_parse_real_like_perfetto(out, len, &back) && back == v) {
            return len;
        }
    }
    return pf_format_real(v, out);
}

bool pf_parse_size(const char *text, uint64_t *out)
{
    if (text[0] < '0' || text[0] > '9') {
        return false;
    }
    char *end;
    errno = 0;
    unsigned long long v = strtoull(text, &end, 10);
    int shift = 0;
    switch (*end) {
    case '\0':
        break;
    case 'k':
    case 'K':
        shift = 10;
        break;
    case 'm':
    case 'M':
        shift = 20;
        break;
    case 'g':
    case 'G':
        shift = 30;
        break;
    default:
        return false;
    }
    if (errno || (shift && end[1]) || v > UINT64_MAX >> shift) {
        return false;
    }
    *out = (uint64_t)v << shift;
    return true;
}
