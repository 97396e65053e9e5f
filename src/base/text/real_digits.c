/* base/text/real_digits.c - exact decimals of doubles, whatever the host's locale is.
 *
 * The conversions of the C library are exact, but their point is that of the locale. So what it prints is read digit by
 * digit, and what it is given to read is an integer with an exponent.
 *
 * Most decimals of traces need neither: up to 19 digits times a power of ten up to 10^27 is a product or a quotient of
 * two 64-bit numbers, which 128 bits hold exactly; and most doubles that are printed are the quotient of a small
 * integer and a power of ten.
 */
#include "base/text/number.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/str.h"

#define WORD_DIGITS 19      /* that always fit into 64 bits */
#define WORD_FIVES 27       /* the largest power of five in 64 bits */
#define NORMAL_DIGITS 15    /* that every normal double keeps apart */
#define FEW_END 1e15        /* the first number with more */
#define EXPONENT_MAX 100000 /* beyond it an exponent only says "zero" or "infinity" */

static void set_zero(pf_digits *d)
{
    d->exponent = 0;
    d->count = 1;
    d->digit[0] = '0';
}

static void strip_zeros(pf_digits *d)
{
    while (d->count > 1 && d->digit[d->count - 1] == '0') {
        d->count--;
    }
}

/* 5^power, which has at most 64 bits. */
static uint64_t fives_of(int power)
{
    uint64_t fives = 1, square = 5;
    for (; power > 0; power /= 2, square *= square) {
        fives *= power % 2 ? square : 1;
    }
    return fives;
}

/* v * 10^power as product / 2^shift, where product = bits * ulp and bits are those of v. */
typedef struct scaled {
    unsigned __int128 product;
    uint64_t bits, ulp;
    int shift;
} scaled;

/* v >= 0; false where 128 bits do not hold it. */
static bool scale_exactly(double v, int power, scaled *s)
{
    int binary;
    double fraction = frexp(v, &binary);
    s->shift = DBL_MANT_DIG - binary - power;
    if (power < 0 || power > WORD_FIVES || s->shift < 1 || s->shift > 127) {
        return false;
    }
    s->bits = (uint64_t)(fraction * 0x1p53);
    s->ulp = fives_of(power);
    s->product = (unsigned __int128)s->bits * s->ulp;
    return true;
}

/* Likewise, rounded to an integer. */
static bool scale(double v, int power, uint64_t *out)
{
    scaled s;
    if (!scale_exactly(v, power, &s)) {
        return false;
    }
    unsigned __int128 whole = s.product >> s.shift, rest = s.product - (whole << s.shift),
                      half = (unsigned __int128)1 << (s.shift - 1);
    *out = (uint64_t)whole + (rest > half || (rest == half && (whole & 1)));
    return whole >> 63 == 0;
}

/* n * 10^last */
static void set_digits(uint64_t n, int last, pf_digits *out)
{
    char text[20], *end = text + sizeof text, *p = end;
    for (uint64_t left = n; left || p == end; left /= 10) {
        *--p = (char)('0' + left % 10);
    }
    out->count = (int)(end - p);
    out->exponent = n ? out->count - 1 + last : 0;
    memcpy(out->digit, p, (size_t)out->count);
    strip_zeros(out);
}

/* False also next to powers of ten, where the logarithm may be that of the power. */
static bool digits_are_simple(double v, int count, pf_digits *out)
{
    if (v <= 0 || count > WORD_DIGITS) {
        return false;
    }
    uint64_t n, most = fives_of(count) << count;
    int last = (int)floor(log10(v)) - (count - 1);
    if (!scale(v, -last, &n) || n >= most || n <= most / 10) {
        return false;
    }
    set_digits(n, last, out);
    return true;
}

void pf_digits_of(double v, int count, pf_digits *out)
{
    char text[64];
    const char *p = text;
    v = fabs(v);
    if (digits_are_simple(v, count, out)) {
        return;
    }
    snprintf(text, sizeof text, "%.*e", count - 1, v);
    for (out->count = 0; *p != 'e'; p++) {
        if (pf_is_digit(*p)) {
            out->digit[out->count++] = *p;
        }
    }
    out->exponent = (int)strtol(p + 1, NULL, 10);
    strip_zeros(out);
}

/* n / 10^decimals, which has a digit in front of the point. */
static size_t put_fixed(bool negative, uint64_t n, int decimals, char *out)
{
    char text[2 + WORD_DIGITS + WORD_FIVES], *end = text + sizeof text, *p = end;
    for (int i = 0; i <= decimals || n; i++, n /= 10) {
        if (i == decimals && i) {
            *--p = '.';
        }
        *--p = (char)('0' + n % 10);
    }
    *out = '-';
    memcpy(out + negative, p, (size_t)(end - p));
    out[negative + (end - p)] = '\0';
    return (size_t)negative + (size_t)(end - p);
}

size_t pf_digits_fixed(double v, int decimals, char *out, size_t room)
{
    char *to = out;
    uint64_t n;
    if (scale(fabs(v), decimals, &n)) {
        return put_fixed(signbit(v), n, decimals, out);
    }
    snprintf(out, room, "%.*f", decimals, v);
    for (const char *p = out; *p; p++) {
        if (*p == '-' || pf_is_digit(*p)) {
            *to++ = *p;
        } else if (to[-1] != '.') {
            *to++ = '.';
        }
    }
    *to = '\0';
    return (size_t)(to - out);
}

/* Adds one to the last digit. */
static void round_up(pf_digits *d)
{
    int i = d->count - 1;
    while (i >= 0 && d->digit[i] == '9') {
        i--;
    }
    if (i < 0) {
        d->digit[0] = '1';
        d->count = 1;
        d->exponent++;
    } else {
        d->digit[i]++;
        d->count = i + 1;
    }
}

/* v * 2^e, with a set lowest bit where more bits follow: at most 53 of the first 64 bits count, so that rounding is
 * right. */
static double round_once(unsigned __int128 v, bool more, int e)
{
    int high = (int)(v >> 64 ? 64 - __builtin_clzll((uint64_t)(v >> 64)) : 0);
    uint64_t top = (uint64_t)(v >> high);
    more = more || (unsigned __int128)top << high != v;
    return ldexp((double)(top | more), e + high);
}

/* Up to 19 digits with a small power of ten, by 128-bit integers. */
static bool value_is_simple(const pf_digits *d, double *out)
{
    int power = d->exponent - (d->count - 1);
    if (d->count > WORD_DIGITS || power > WORD_FIVES || power < -WORD_FIVES) {
        return false;
    }
    uint64_t m = 0, fives = fives_of(power < 0 ? -power : power);
    for (int i = 0; i < d->count; i++) {
        m = m * 10 + (uint64_t)(d->digit[i] - '0');
    }
    if (power >= 0) {
        *out = round_once((unsigned __int128)m * fives, false, power);
    } else if (m) {
        int zeros = __builtin_clzll(m);
        unsigned __int128 dividend = (unsigned __int128)(m << zeros) << 64, quotient = dividend / fives;
        *out = round_once(quotient, quotient * fives != dividend, power - 64 - zeros);
    } else {
        *out = 0;
    }
    return true;
}

double pf_digits_value(const pf_digits *d)
{
    double v;
    if (value_is_simple(d, &v)) {
        return v;
    }
    char text[PF_DIGITS_MAX + 16];
    memcpy(text, d->digit, (size_t)d->count);
    snprintf(text + d->count, sizeof text - (size_t)d->count, "e%d", d->exponent - (d->count - 1));
    return strtod(text, NULL);
}

/* The quotient of two integers below 2^53 is the double nearest to the decimal that it stands for. Two decimals with 15
 * digits never have the same nearest double, so what is found is the only one. */
bool pf_digits_few(double v, pf_digits *out)
{
    v = fabs(v);
    double scale = 1;
    for (int decimals = 0; decimals <= NORMAL_DIGITS && v * scale < FEW_END - 0.5; decimals++, scale *= 10) {
        uint64_t n = (uint64_t)(v * scale + 0.5);
        if ((double)n / scale != v) {
            continue;
        }
        set_digits(n, -decimals, out);
        return true;
    }
    return false;
}

/* v > 0 as 17 digits, exactly, and the nearest multiple of 100, 10 or 1 of the last one that v is nearer to than any
 * other double: half a last bit off at most, so much where that is even. */
static bool shortest_is_simple(double v, pf_digits *out)
{
    enum { DIGITS = 17 };
    const uint64_t least = fives_of(DIGITS - 1) << (DIGITS - 1);
    int binary, last = v > 0 ? (int)floor(log10(v)) - (DIGITS - 1) : 0;
    scaled s;
    if (v < DBL_MIN || frexp(v, &binary) == 0.5 || !scale_exactly(v, -last, &s)) {
        return false; /* above a power of two doubles are farther apart than below it */
    }
    uint64_t whole = (uint64_t)(s.product >> s.shift);
    if (s.product >> s.shift >= 10 * (unsigned __int128)least || whole < least) {
        return false; /* next to a power of ten, whose logarithm that may be */
    }
    for (uint64_t step = 100; step; step /= 10) {
        uint64_t down = whole / step * step;
        unsigned __int128 below = s.product - ((unsigned __int128)down << s.shift),
                          half = (unsigned __int128)step << (s.shift - 1);
        bool up = below > half || (below == half && (down / step & 1));
        unsigned __int128 off = 2 * (up ? 2 * half - below : below);
        if (off < s.ulp || (off == s.ulp && s.bits % 2 == 0)) {
            set_digits(down + (up ? step : 0), last, out);
            return true;
        }
    }
    return false;
}

void pf_digits_shortest(double v, pf_digits *out)
{
    if (shortest_is_simple(fabs(v), out) || pf_digits_few(v, out)) {
        return;
    }
    v = fabs(v);
    int binary;
    bool power_of_two = frexp(v, &binary) == 0.5;
    for (int count = v < DBL_MIN ? 1 : NORMAL_DIGITS;; count++) {
        pf_digits_of(v, count, out);
        double back = pf_digits_value(out);
        /* Below a power of two the nearest decimal may miss while the next one up, farther away, does not. */
        if (power_of_two && back < v) {
            memset(out->digit + out->count, '0', (size_t)(count - out->count));
            out->count = count;
            round_up(out);
            back = pf_digits_value(out);
        }
        if (back == v) {
            return;
        }
    }
}

bool pf_parse_exponent(const char *p, const char *end, int64_t *out)
{
    bool negative = p < end && *p == '-';
    p += p < end && (*p == '-' || *p == '+');
    if (p == end) {
        return false;
    }
    int64_t v = 0;
    for (; p < end; p++) {
        if (!pf_is_digit(*p)) {
            return false;
        }
        v = v < EXPONENT_MAX ? v * 10 + (*p - '0') : v;
    }
    *out = negative ? -v : v;
    return true;
}

/* A digit after the first one that is not zero. What is beyond the room can only break a tie, which any digit does. */
static void put_digit(pf_digits *d, char c)
{
    if (d->count < PF_DIGITS_MAX - 1) {
        d->digit[d->count++] = c;
    } else if (c != '0') {
        d->digit[PF_DIGITS_MAX - 1] = '1';
        d->count = PF_DIGITS_MAX;
    }
}

bool pf_digits_parse(const char *text, size_t len, bool *negative, pf_digits *out)
{
    const char *p = text, *end = text + len;
    *negative = p < end && *p == '-';
    p += p < end && (*p == '-' || *p == '+');
    int64_t exponent = 0, whole = 0; /* digits before the point from the first one on that is not zero; may be < 0 */
    bool point = false, any = false;
    out->count = 0;
    for (; p < end && (pf_is_digit(*p) || (*p == '.' && !point)); p++) {
        if (*p == '.') {
            point = true;
            continue;
        }
        any = true;
        bool counts = out->count > 0 || *p != '0';
        whole += counts && !point ? 1 : !counts && point ? -1 : 0;
        if (counts) {
            put_digit(out, *p);
        }
    }
    if (!any || (p < end && ((*p | 32) != 'e' || !pf_parse_exponent(p + 1, end, &exponent)))) {
        return false;
    }
    if (out->count == 0) {
        set_zero(out);
        return true;
    }
    exponent += whole - 1;
    out->exponent = exponent > EXPONENT_MAX ? EXPONENT_MAX : exponent < -EXPONENT_MAX ? -EXPONENT_MAX : (int)exponent;
    strip_zeros(out);
    return true;
}
