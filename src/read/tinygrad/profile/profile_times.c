/* read/tinygrad/profile/profile_times.c - times, which are decimals of microseconds with as many digits as the clock
 * had.
 *
 * They are added and subtracted exactly, in 128-bit integers of 10^-20 microseconds: a clock offset may have more
 * digits than a nanosecond, Metal's times are seconds in binary with 28 digits, and no sum may depend on rounding. */
#include <math.h>
#include <string.h>

#include "base/text/number.h"
#include "read/tinygrad/profile/profile.h"

enum { PLACES = 20, MOST = 36 }; /* up to 10^16 microseconds, more than 64 bits have nanoseconds */

static const pf_tiny_time one = (pf_tiny_time)10000000000 * 10000000000; /* a microsecond */

static pf_tiny_time power_of_ten(unsigned n)
{
    pf_tiny_time v = 1;
    while (n--) {
        v *= 10;
    }
    return v;
}

/* Digits times a power of ten; what is below the unit is cut off. */
static bool scale(pf_tiny_time digits, int exponent, pf_tiny_time *out)
{
    int shift = exponent + PLACES;
    *out = shift < -38 ? 0 : shift < 0 ? digits / power_of_ten((unsigned)-shift) : digits;
    pf_tiny_time most = shift > MOST ? 0 : power_of_ten((unsigned)(shift < 0 ? MOST : MOST - shift));
    bool fits = *out <= most && *out >= -most;
    *out = !fits ? 0 : shift > 0 && *out ? *out * power_of_ten((unsigned)shift) : *out;
    return fits;
}

/* The exponent after 'E'. */
static bool read_exponent(pf_str text, size_t at, int *exponent)
{
    bool negative = at < text.len && text.ptr[at] == '-';
    int value = 0;
    at += negative || (at < text.len && text.ptr[at] == '+');
    bool any = at < text.len;
    for (; at < text.len; at++) {
        if (text.ptr[at] < '0' || text.ptr[at] > '9' || value > 1000) {
            return false;
        }
        value = value * 10 + (text.ptr[at] - '0');
    }
    *exponent += negative ? -value : value;
    return any;
}

/* A decimal as Python writes it: sign, digits with at most one point, exponent. Digits beyond the 36th are cut off. */
static bool read_text(pf_str text, pf_tiny_time *out)
{
    const pf_tiny_time most = power_of_ten(35);
    pf_tiny_time digits = 0;
    int exponent = 0;
    bool negative = text.len && text.ptr[0] == '-', point = false, any = false;
    for (size_t i = negative; i < text.len; i++) {
        char c = text.ptr[i];
        if (c >= '0' && c <= '9') {
            bool fits = digits < most;
            digits = fits ? digits * 10 + (c - '0') : digits;
            exponent += fits ? -point : !point;
            any = true;
        } else if (c == '.' && !point) {
            point = true;
        } else if ((c == 'E' || c == 'e') && any) {
            if (!read_exponent(text, i + 1, &exponent)) {
                return false;
            }
            break;
        } else {
            return false;
        }
    }
    return any && scale(negative ? -digits : digits, exponent, out);
}

bool pf_tiny_read_time(const pf_tiny_profile *p, uint32_t value, pf_tiny_time *out)
{
    *out = 0;
    if (value == PF_NONE) {
        return false;
    }
    pf_pickle_row row = pf_pickle_get(&p->values, value);
    if (row.type == PF_PICKLE_DECIMAL) {
        return read_text(pf_pickle_spelling(&p->values, value), out);
    }
    if (row.type == PF_PICKLE_FLOAT) {
        double v;
        memcpy(&v, &row.number, sizeof v);
        bool fits = isfinite(v) && fabs(v) <= 1e16;
        *out = fits ? (pf_tiny_time)v * one + (pf_tiny_time)((v - trunc(v)) * 1e16) * 10000 : 0;
        return fits;
    }
    return row.type == PF_PICKLE_INT && row.text == 0 && scale(row.number, 0, out);
}

int64_t pf_tiny_ns(pf_tiny_time t)
{
    pf_tiny_time ns = t / (one / 1000);
    return ns > INT64_MAX ? INT64_MAX : ns < -INT64_MAX ? -INT64_MAX : (int64_t)ns;
}

/* A quotient of two exact doubles is the nearest one; of more digits the text is read. */
double pf_tiny_us(pf_tiny_time t)
{
    const pf_tiny_time exact = (pf_tiny_time)1 << 53, thousandth = one / 1000;
    pf_tiny_time unit = t % thousandth == 0 ? 1000 : one;
    t = unit == 1000 ? t / thousandth : t;
    for (; unit > 1 && t % 10 == 0; unit /= 10) {
        t /= 10;
    }
    if (t <= exact && t >= -exact) {
        return (double)t / (double)unit;
    }
    char text[48], *at = text + sizeof text;
    for (pf_tiny_time left = t < 0 ? -t : t; left || unit; left /= 10, unit /= 10) {
        if (unit == 1 && at != text + sizeof text) {
            *--at = '.';
        }
        *--at = (char)('0' + (int)(left % 10));
    }
    double us = 0;
    pf_parse_real(at, (size_t)(text + sizeof text - at), &us);
    return t < 0 ? -us : us;
}
