/* Doubles to decimals and back. The C library is the second method: its conversions are exact in the locale "C", in
 * which this program runs. */
#include <criterion/criterion.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/number.h"

static uint64_t next(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* Random doubles of the kinds that differ: any bits, few digits, integers, powers of two and their neighbours,
 * subnormals; the last ones are the edges of the range. */
static double sample(uint64_t *state, int i)
{
    static const double edges[] = {0.0, -0.0, DBL_MAX, -DBL_MAX, DBL_MIN, 5e-324, 1e22, 1e23, 0.5, 1.5, 2.5};
    uint64_t bits = next(state);
    double v;
    switch (i % 6) {
    case 0:
        memcpy(&v, &bits, sizeof v);
        return v;
    case 1:
        return (double)(int64_t)(bits >> 40) / pow(10, (double)(bits % 9));
    case 2:
        return (double)(int64_t)(bits >> (bits % 64));
    case 3:
        v = ldexp(1.0, (int)(bits % 2000) - 1000);
        return bits >> 62 == 0 ? v : nextafter(v, bits >> 63 ? 0 : (double)INFINITY);
    case 4:
        bits >>= 12 + bits % 52;
        memcpy(&v, &bits, sizeof v);
        return v;
    default:
        return edges[bits % (sizeof edges / sizeof *edges)];
    }
}

Test(real_digits, shortest_as_the_fewest_digits_that_strtod_reads_back)
{
    uint64_t state = 88172645463325252ull;
    for (int i = 0; i < 60000; i++) {
        double v = sample(&state, i);
        if (!isfinite(v)) {
            continue;
        }
        char out[PF_NUMBER_MAX], fewest[40];
        pf_format_real(v, out);
        cr_assert_eq(strtod(out, NULL), v, "%s is not %a", out, v);
        cr_assert_eq(signbit(strtod(out, NULL)), signbit(v), "%s", out);
        size_t digits = 0;
        bool leading = true;
        for (const char *p = out; *p && *p != 'e'; p++) {
            leading = leading && !(*p >= '1' && *p <= '9');
            digits += !leading && *p >= '0' && *p <= '9';
        }
        digits -= digits > 1 && strcmp(out + strlen(out) - 2, ".0") == 0; /* the tail of integers */
        int precision = 0;
        do {
            snprintf(fewest, sizeof fewest, "%.*e", precision, v);
        } while (strtod(fewest, NULL) != v && precision++ < 17);
        int binary;
        bool narrow = frexp(v, &binary) == 0.5 || frexp(v, &binary) == -0.5; /* there one digit less may do */
        if (fabs(v) < 1e16) {
            continue; /* zeros of large integers are no significant digits */
        }
        cr_assert(digits == (size_t)precision + 1 || (narrow && digits == (size_t)precision), "%s, %s", out, fewest);
        cr_assert(narrow || strncmp(out, fewest, (size_t)precision) == 0, "%s, %s", out, fewest);
    }
}

/* Whatever the size, those of the least precision that reads back; next to a power of two there may be fewer. */
Test(real_digits, shortest_of_numbers_as_people_have_them)
{
    uint64_t state = 31415926535ull;
    for (int i = 0; i < 200000; i++) {
        double v =
            i % 2 ? 100 * (double)(next(&state) >> 40) / (double)((next(&state) >> 40) + 1) : fabs(sample(&state, i));
        int binary, precision = 0;
        if (!isfinite(v) || v == 0 || frexp(v, &binary) == 0.5) {
            continue;
        }
        char text[40], digits[40];
        pf_digits d;
        do {
            snprintf(text, sizeof text, "%.*e", precision, v);
        } while (strtod(text, NULL) != v && precision++ < 17);
        snprintf(digits, sizeof digits, "%c%.*s", text[0], precision, text + 2);
        pf_digits_shortest(v, &d);
        cr_assert(d.count == precision + 1 && memcmp(d.digit, digits, (size_t)d.count) == 0 &&
                      d.exponent == (int)strtol(strchr(text, 'e') + 1, NULL, 10),
                  "%.17g: %.*s, not %s", v, d.count, d.digit, text);
    }
}

/* Few digits are those of the exact expansion, rounded to 15; what has them is recognised. */
Test(real_digits, few_digits_as_the_exact_ones)
{
    uint64_t state = 5551234567ull, found = 0;
    for (int i = 0; i < 60000; i++) {
        double v = sample(&state, i);
        pf_digits few, exact;
        if (isfinite(v) && pf_digits_few(v, &few)) {
            pf_digits_of(v, 15, &exact);
            cr_assert(few.count == exact.count && few.exponent == exact.exponent &&
                          memcmp(few.digit, exact.digit, (size_t)few.count) == 0,
                      "%.17g", v);
            found++;
        }
    }
    cr_expect_gt(found, 10000); /* a sixth of the sample has at most 8 decimals, more are integers and halves */
    pf_digits d;
    cr_expect(pf_digits_few(999999999999999.0, &d) && d.count == 15);
    cr_expect_not(pf_digits_few(1e15, &d));
    cr_expect_not(pf_digits_few(1.0 / 3, &d));
    cr_expect(pf_digits_few(-0.000000000000001, &d) && d.count == 1 && d.exponent == -15);
}

Test(real_digits, fixed_and_short_forms_as_printf)
{
    uint64_t state = 123456789;
    for (int i = 0; i < 60000; i++) {
        double v = sample(&state, i);
        if (!isfinite(v)) {
            continue;
        }
        char out[PF_FIXED_MAX], expected[400];
        int decimals = (int)(next(&state) % 9);
        size_t len = pf_format_real_fixed(v, decimals, out);
        snprintf(expected, sizeof expected, "%.*f", decimals, v);
        cr_assert_str_eq(out, expected);
        cr_assert_eq(len, strlen(out));
        pf_format_real_short(v, out);
        snprintf(expected, sizeof expected, "%g", v);
        cr_assert_str_eq(out, expected);
        pf_format_real_exponent(v, out);
        snprintf(expected, sizeof expected, "%e", v);
        cr_assert_str_eq(out, expected);
    }
    char out[PF_NUMBER_MAX];
    cr_expect_eq(pf_format_real_exponent(1234567.5, out), 12);
    cr_expect_str_eq(out, "1.234568e+06", "a tie goes to the even digit");
}

/* As its text, cut after some digits, with more digits, in the middle between two doubles and next to that. */
Test(real_digits, reading_as_strtod)
{
    uint64_t state = 987654321;
    for (int i = 0; i < 60000; i++) {
        double v = sample(&state, i), got;
        if (!isfinite(v)) {
            continue;
        }
        char text[1500];
        int precision = (int)(next(&state) % 25);
        if (i % 4 == 0) {
            precision = 800;
        }
        snprintf(text, sizeof text, "%.*e", precision, v);
        cr_assert(pf_parse_real_or_infinity(text, strlen(text), &got), "%s", text);
        cr_assert_eq(got, strtod(text, NULL), "%s: %a", text, got);
        long double middle = ((long double)v + (long double)nextafter(v, (double)INFINITY)) / 2;
        if (isinf(middle)) {
            continue;
        }
        snprintf(text, sizeof text, "%.*Le", i % 2 ? 799 : 40, middle);
        cr_assert(pf_parse_real_or_infinity(text, strlen(text), &got), "%s", text);
        cr_assert_eq(got, strtod(text, NULL), "%s: %a", text, got);
    }
}

Test(real_digits, texts_of_any_length)
{
    static const struct {
        const char *first;
        char fill;
        size_t count;
        const char *last;
        double expected;
    } rows[] = {
        {"9007199254740993", '0', 0, ".", 9007199254740992.0}, /* 2^53 + 1: a tie, to even */
        {"9007199254740993.", '0', 900, "1", 9007199254740994.0},
        {"0.", '0', 1000, "1e1001", 1.0},
        {"1", '0', 1000, "e-1000", 1.0},
        {"1", '0', 400, "", INFINITY},
        {"-1", '0', 400, "", -INFINITY},
        {"0.", '0', 400, "1", 0.0},
        {"1e-", '9', 30, "", 0.0},
        {"1e", '9', 30, "", INFINITY},
        {"0e", '9', 30, "", 0.0},
        {"1797693134862315807937289714053034150799341327100378269361737789804449682927647509466490179775872070"
         "9633028641669288791094655554785194040263065748867150582068190890200070838367627385484581771153176447"
         "5730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880177904"
         "174497792",
         '0', 0, "e+0", INFINITY}, /* the middle between the largest double and the one that does not exist */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[2000];
        size_t at = strlen(rows[i].first);
        memcpy(text, rows[i].first, at);
        memset(text + at, rows[i].fill, rows[i].count);
        strcpy(text + at + rows[i].count, rows[i].last);
        double v;
        cr_expect(pf_parse_real_or_infinity(text, strlen(text), &v), "%.60s", text);
        cr_expect_eq(v, rows[i].expected, "%.60s: %a", text, v);
        cr_expect_eq(v, strtod(text, NULL), "%.60s: %a", text, v);
        cr_expect_eq(pf_parse_real(text, strlen(text), &v), isfinite(rows[i].expected) != 0, "%.60s", text);
    }
    static const char *const wrong[] = {"",      "+",    "-.", ".",  "e5",  "1e",  "1e+",
                                        "1.2.3", "1e5.", " 1", "1 ", "0x1", "1,5", "--1"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        double v;
        cr_expect_not(pf_parse_real_or_infinity(wrong[i], strlen(wrong[i]), &v), "%s", wrong[i]);
    }
}
