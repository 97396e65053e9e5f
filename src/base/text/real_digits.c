/* base/text/real_digits.c - exact decimals of doubles, with integers of any size.
 *
 * A double is m * 2^e with integers m and e. With e >= 0 that is an integer; with e < 0 it is m * 5^-e / 10^-e, an
 * integer with its point shifted. The integer is made in an array of 32-bit words and divided by 10^9 until nothing is
 * left, nine digits at a time. Having all digits, rounding is a look at the first digit that is cut off.
 *
 * On the way back most decimals of traces need no large integers: up to 19 digits times a power of ten up to 10^27 is a
 * product or a quotient of two 64-bit numbers, which 128 bits hold exactly. Anything else starts from a guess; the
 * decimal belongs to it if it lies between the middles to the neighbours, which is asked by comparing large integers.
 */
#include "base/text/real_digits.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define WORDS 128            /* of the largest integers: 10^800 * 2^1100 */
#define GROUP 1000000000u    /* 9 digits */
#define FIVES 1220703125u    /* 5^13, the largest power of five in a word */
#define LEAST_EXPONENT -1074 /* of the smallest double */
#define MANTISSA_BITS 52
#define WORD_DIGITS 19      /* that always fit into 64 bits */
#define WORD_FIVES 27       /* the largest power of five in 64 bits */
#define NORMAL_DIGITS 15    /* that every normal double keeps apart */
#define FEW_END 1e15        /* the first number with more */
#define EXPONENT_MAX 100000 /* beyond it an exponent only says "zero" or "infinity" */

typedef struct big {
    unsigned count; /* words in use, the highest of them not zero */
    uint32_t word[WORDS];
} big;

static void trim(big *b)
{
    while (b->count && b->word[b->count - 1] == 0) {
        b->count--;
    }
}

static void multiply(big *b, uint32_t factor)
{
    uint64_t carry = 0;
    for (unsigned i = 0; i < b->count; i++) {
        carry += (uint64_t)b->word[i] * factor;
        b->word[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry) {
        b->word[b->count++] = (uint32_t)carry;
    }
}

static void add(big *b, uint32_t v)
{
    uint64_t carry = v;
    for (unsigned i = 0; i < b->count && carry; i++) {
        carry += b->word[i];
        b->word[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry) {
        b->word[b->count++] = (uint32_t)carry;
    }
}

/* Divides by 10^9; returns the rest. */
static uint32_t divide(big *b)
{
    uint64_t rest = 0;
    for (unsigned i = b->count; i-- > 0;) {
        rest = rest << 32 | b->word[i];
        b->word[i] = (uint32_t)(rest / GROUP);
        rest %= GROUP;
    }
    trim(b);
    return (uint32_t)rest;
}

static void multiply_by_fives(big *b, int power)
{
    for (; power >= 13; power -= 13) {
        multiply(b, FIVES);
    }
    for (; power > 0; power--) {
        multiply(b, 5);
    }
}

static void set_big(big *b, uint64_t v)
{
    b->count = 2;
    b->word[0] = (uint32_t)v;
    b->word[1] = (uint32_t)(v >> 32);
    trim(b);
}

static void shift_left(big *b, int by)
{
    unsigned words = (unsigned)by / 32, bits = (unsigned)by % 32;
    b->word[b->count] = 0;
    for (unsigned i = b->count + 1; i-- > 0;) {
        uint32_t below = i && bits ? b->word[i - 1] >> (32 - bits) : 0;
        b->word[i + words] = b->word[i] << bits | below;
    }
    memset(b->word, 0, words * sizeof *b->word);
    b->count += words + 1;
    trim(b);
}

static int compare_big(const big *a, const big *b)
{
    if (a->count != b->count) {
        return a->count < b->count ? -1 : 1;
    }
    for (unsigned i = a->count; i-- > 0;) {
        if (a->word[i] != b->word[i]) {
            return a->word[i] < b->word[i] ? -1 : 1;
        }
    }
    return 0;
}

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

/* All digits of m * 2^e. */
static void expand(uint64_t m, int e, pf_digits *out)
{
    if (m == 0) {
        set_zero(out);
        return;
    }
    int even = __builtin_ctzll(m);
    even = e >= 0 ? 0 : even < -e ? even : -e;
    m >>= even;
    e += even;
    big b;
    set_big(&b, m);
    if (e > 0) {
        shift_left(&b, e);
    } else {
        multiply_by_fives(&b, -e);
    }
    char text[PF_DIGITS_MAX];
    char *end = text + sizeof text, *p = end;
    while (b.count) {
        uint32_t group = divide(&b);
        for (int i = 0; i < 9; i++, group /= 10) {
            *--p = (char)('0' + group % 10);
        }
    }
    while (p < end && *p == '0') {
        p++;
    }
    out->count = (int)(end - p);
    out->exponent = out->count - 1 - (e < 0 ? -e : 0);
    memcpy(out->digit, p, (size_t)out->count);
    strip_zeros(out);
}

/* |v| as m * 2^e. */
static void take_apart(double v, uint64_t *m, int *e)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    int biased = (int)(bits >> MANTISSA_BITS & 2047);
    *m = bits & ((1ull << MANTISSA_BITS) - 1);
    *e = LEAST_EXPONENT;
    if (biased) {
        *m |= 1ull << MANTISSA_BITS;
        *e += biased - 1;
    }
}

void pf_digits_of(double v, pf_digits *out)
{
    uint64_t m;
    int e;
    take_apart(v, &m, &e);
    expand(m, e, out);
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

void pf_digits_round(pf_digits *d, int count)
{
    if (count >= d->count) {
        return;
    }
    if (count < 0) {
        set_zero(d);
        return;
    }
    char first = d->digit[count];
    bool tie = first == '5' && count + 1 == d->count;
    bool odd = count > 0 && (d->digit[count - 1] & 1);
    bool up = first > '5' || (first == '5' && (!tie || odd));
    d->count = count;
    if (up) {
        round_up(d); /* of no digits: one of the next higher place */
    } else if (count == 0) {
        set_zero(d);
    }
    strip_zeros(d);
}

/* Whether d is less than (-1), equal to (0) or greater than (1) m * 2^e; e < 0. */
static int compare_with(const pf_digits *d, uint64_t m, int e)
{
    big left = {0}, right;
    for (int i = 0; i < d->count;) {
        uint32_t group = 0, scale = 1;
        for (; i < d->count && scale < GROUP; i++, scale *= 10) {
            group = group * 10 + (uint32_t)(d->digit[i] - '0');
        }
        multiply(&left, scale);
        add(&left, group);
    }
    set_big(&right, m);
    int power = d->exponent - (d->count - 1); /* d is left * 10^power */
    multiply_by_fives(power < 0 ? &right : &left, power < 0 ? -power : power);
    int shift = power - e;
    shift_left(shift > 0 ? &left : &right, shift > 0 ? shift : -shift);
    return compare_big(&left, &right);
}

/* Where a decimal lies: below (-1) or above (1) what rounds to v, or there (0). A decimal in the middle between two
 * doubles belongs to that with the even mantissa. */
static int side_of(double v, const pf_digits *d)
{
    uint64_t m;
    int e;
    take_apart(v, &m, &e);
    bool even = !(m & 1);
    int high = compare_with(d, 2 * m + 1, e - 1);
    if (high >= 0) {
        return high > 0 || !even;
    }
    if (m == 0) {
        return 0;
    }
    /* Below a power of two doubles lie twice as dense. */
    bool edge = m == 1ull << MANTISSA_BITS && e > LEAST_EXPONENT;
    int low = edge ? compare_with(d, 4 * m - 1, e - 2) : compare_with(d, 2 * m - 1, e - 1);
    return low > 0 || (low == 0 && even) ? 0 : -1;
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
    uint64_t m = 0, fives = 1;
    for (int i = 0; i < d->count; i++) {
        m = m * 10 + (uint64_t)(d->digit[i] - '0');
    }
    for (int i = power < 0 ? -power : power; i > 0; i--) {
        fives *= 5;
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

/* Within a few units in the last place. */
static double guess(const pf_digits *d)
{
    long double v = 0, ten = 10;
    int used = d->count < 18 ? d->count : 18, power = d->exponent - (used - 1);
    for (int i = 0; i < used; i++) {
        v = v * 10 + (d->digit[i] - '0');
    }
    for (int left = power < 0 ? -power : power; left; left >>= 1, ten *= ten) {
        if (left & 1) {
            v = power < 0 ? v / ten : v * ten;
        }
    }
    return v > (long double)DBL_MAX ? DBL_MAX : (double)v;
}

double pf_digits_value(const pf_digits *d)
{
    double v;
    if (value_is_simple(d, &v)) {
        return v;
    }
    if (d->exponent > DBL_MAX_10_EXP || d->exponent < -330) {
        return d->exponent > 0 ? (double)INFINITY : 0;
    }
    v = guess(d);
    for (int side = side_of(v, d); side && !isinf(v); side = isinf(v) ? 0 : side_of(v, d)) {
        v = nextafter(v, side < 0 ? 0 : (double)INFINITY);
    }
    return v;
}

static bool reads_back(double v, const pf_digits *d)
{
    double simple;
    return value_is_simple(d, &simple) ? simple == v : side_of(v, d) == 0;
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
        char text[NORMAL_DIGITS], *end = text + sizeof text, *p = end;
        for (uint64_t left = n; left || p == end; left /= 10) {
            *--p = (char)('0' + left % 10);
        }
        out->count = (int)(end - p);
        out->exponent = n ? out->count - 1 - decimals : 0;
        memcpy(out->digit, p, (size_t)out->count);
        strip_zeros(out);
        return true;
    }
    return false;
}

void pf_digits_shortest(double v, pf_digits *out)
{
    if (pf_digits_few(v, out)) {
        return;
    }
    v = fabs(v);
    pf_digits all;
    pf_digits_of(v, &all);
    int binary;
    bool power_of_two = frexp(v, &binary) == 0.5;
    for (int count = v < DBL_MIN ? 1 : NORMAL_DIGITS;; count++) {
        *out = all;
        pf_digits_round(out, count);
        if (out->count == all.count || reads_back(v, out)) {
            return;
        }
        /* Below a power of two the nearest decimal may miss while the next one up, farther away, does not. */
        if (power_of_two && count < all.count && memcmp(out->digit, all.digit, (size_t)out->count) == 0) {
            memset(out->digit + out->count, '0', (size_t)(count - out->count));
            out->count = count;
            round_up(out);
            if (reads_back(v, out)) {
                return;
            }
        }
    }
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* The exponent's digits, with a sign or without. */
static bool parse_exponent(const char *p, const char *end, int64_t *out)
{
    bool negative = p < end && *p == '-';
    p += p < end && (*p == '-' || *p == '+');
    if (p == end) {
        return false;
    }
    int64_t v = 0;
    for (; p < end; p++) {
        if (!is_digit(*p)) {
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
    for (; p < end && (is_digit(*p) || (*p == '.' && !point)); p++) {
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
    if (!any || (p < end && ((*p | 32) != 'e' || !parse_exponent(p + 1, end, &exponent)))) {
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
