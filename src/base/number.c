/* number.c - shortest doubles by trial: the smallest number of digits whose nearest decimal reads back to the same value.
 *
 * A decimal of up to 15 digits survives the way through a normal double, so 15 digits without their trailing zeros are
 * the answer if they read back; else 16 or 17. Subnormal doubles hold fewer digits, there the trial starts at one. Below
 * a power of two the doubles lie twice as dense as above it: there the next decimal up may read back where the nearest
 * one does not. The digits are then laid out in Python's spelling.
 */
#include "base/number.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* v in exponent form with that many digits behind the point, or the next decimal up, if it reads back to v. */
static bool try_digits(double v, int precision, char text[40])
{
    snprintf(text, 40, "%.*e", precision, v);
    if (strtod(text, NULL) == v) {
        return true;
    }
    int binary;
    if (frexp(v, &binary) != 0.5) {
        return false;
    }
    char *p = strchr(text, 'e') - 1;
    while (p >= text && (*p == '9' || *p == '.')) {
        *p = *p == '9' ? '0' : '.';
        p--;
    }
    if (p < text) {
        return false;
    }
    (*p)++;
    return strtod(text, NULL) == v;
}

/* Significant digits of a text in exponent form, without trailing zeros, and its exponent; returns the digit count. */
static int take_digits(const char *text, char digits[20], int *exponent)
{
    int n = 0;
    const char *p = text;
    for (; *p && *p != 'e'; p++) {
        if (*p >= '0' && *p <= '9') {
            digits[n++] = *p;
        }
    }
    *exponent = (int)strtol(p + 1, NULL, 10);
    while (n > 1 && digits[n - 1] == '0') {
        n--;
    }
    digits[n] = '\0';
    return n;
}

/* The shortest digits that read back to v > 0 or 0; the exponent is that of the first one. */
static int shortest_digits(double v, char digits[20], int *exponent)
{
    char text[40];
    int precision = v < DBL_MIN ? 0 : 14;
    while (!try_digits(v, precision, text) && precision < 16) {
        precision++;
    }
    return take_digits(text, digits, exponent);
}
/* Lays out significant digits in Python's spelling. */
static size_t lay_out(bool negative, const char *digits, int n, int exponent, char out[PF_NUMBER_MAX])
{
    const char *sign = negative ? "-" : "";
    if (exponent < -4 || exponent >= 16) {
        return (size_t)snprintf(out, PF_NUMBER_MAX, "%s%c%s%se%c%02d", sign, digits[0], n > 1 ? "." : "", digits + 1,
                                exponent < 0 ? '-' : '+', abs(exponent));
    }
    if (exponent < 0) {
        return (size_t)snprintf(out, PF_NUMBER_MAX, "%s0.%.*s%s", sign, -exponent - 1, "0000", digits);
    }
    if (n <= exponent + 1) {
        return (size_t)snprintf(out, PF_NUMBER_MAX, "%s%s%.*s.0", sign, digits, exponent + 1 - n, "0000000000000000");
    }
    return (size_t)snprintf(out, PF_NUMBER_MAX, "%s%.*s.%s", sign, exponent + 1, digits, digits + exponent + 1);
}

size_t pf_format_real(double v, char out[PF_NUMBER_MAX])
{
    if (isnan(v) || isinf(v)) {
        return (size_t)snprintf(out, PF_NUMBER_MAX, "%s", isnan(v) ? "nan" : v > 0 ? "inf" : "-inf");
    }
    char digits[20];
    int exponent;
    int n = shortest_digits(fabs(v), digits, &exponent);
    return lay_out(signbit(v), digits, n, exponent, out);
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
    while (p < end && (*p == ' ' || (*p >= '\t' && *p <= '\r'))) {
        p++;
    }
    bool negative = p < end && *p == '-', large = false;
    p += p < end && (*p == '-' || *p == '+');
    p += end - p > 2 && p[0] == '0' && (p[1] | 32) == 'x' ? 2 : 0;
    if (p == end) {
        return false;
    }
    uint64_t v = 0;
    for (; p < end; p++) {
        bool digit = *p >= '0' && *p <= '9';
        int letter = (*p | 32) - 'a';
        if (!digit && (letter < 0 || letter > 5)) {
            return false;
        }
        large |= v >> 60 != 0;
        v = v << 4 | (uint64_t)(digit ? *p - '0' : letter + 10);
    }
    *out = large ? UINT64_MAX : negative ? 0 - v : v;
    return true;
}

bool pf_parse_real(const char *text, size_t len, double *out)
{
    char copy[512];
    if (len == 0 || len >= sizeof copy) {
        return false;
    }
    memcpy(copy, text, len);
    copy[len] = '\0';
    if (strspn(copy, "+-.0123456789eE") < len) {
        return false; /* strtod would take "nan", "inf" and hexadecimal too */
    }
    char *end;
    double v = strtod(copy, &end);
    if (end != copy + len || !isfinite(v)) {
        return false;
    }
    *out = v;
    return true;
}

/* Up to 18 digits behind leading zeros as a number; false if there are more. */
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
    for (int precision = 14; precision <= 16 && isfinite(v); precision++) {
        char text[40], digits[20];
        int exponent;
        double back;
        snprintf(text, sizeof text, "%.*e", precision, fabs(v));
        int n = take_digits(text, digits, &exponent);
        size_t len = lay_out(signbit(v), digits, n, exponent, out);
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
