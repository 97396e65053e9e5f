/* model/documents/yaml_scalars.c - what a plain scalar means in YAML 1.1.
 *
 * A scalar is tried as null, truth value, integer, real, in this order; what is none of them is a text. Integers may
 * have underscores and be binary, octal (a leading 0), hexadecimal or sexagesimal (1:30 is 90); a real needs a point,
 * and its exponent a sign.
 */
#include <math.h>

#include "base/str.h"
#include "base/text/number.h"
#include "model/documents/documents.h"

#define SCALAR_MAX 128 /* of a number */

static bool is_one_of(const char *text, size_t len, const char *const *words)
{
    while (*words && !pf_str_is((pf_str){text, len}, *words)) {
        words++;
    }
    return *words != NULL;
}

/* Digits of a base after a prefix, underscores left out; false on anything else, or beyond 64 bits. */
static bool read_digits(const char *text, size_t len, unsigned base, bool negative, int64_t *out)
{
    int64_t v = 0;
    bool any = false;
    for (size_t i = 0; i < len; i++) {
        char c = text[i];
        unsigned digit = pf_hex_value(c);
        if (c == '_') {
            continue;
        }
        if (digit >= base || __builtin_mul_overflow(v, (int64_t)base, &v) ||
            __builtin_add_overflow(v, negative ? -(int)digit : (int)digit, &v)) {
            return false;
        }
        any = true;
    }
    *out = v;
    return any;
}

/* 1:30:00 as a number of base 60; the parts after the first have at most two digits and are below 60. */
static bool read_sexagesimal(const char *text, size_t len, bool negative, int64_t *out)
{
    int64_t v = 0;
    for (size_t at = 0; at <= len;) {
        const char *colon = memchr(text + at, ':', len - at);
        size_t width = colon ? (size_t)(colon - text) - at : len - at;
        int64_t part;
        if (!read_digits(text + at, width, 10, negative, &part) || (at && (width > 2 || part > 59 || part < -59)) ||
            __builtin_mul_overflow(v, 60, &v) || __builtin_add_overflow(v, part, &v)) {
            return false;
        }
        at += width + 1;
    }
    *out = v;
    return true;
}

static bool has_only(const char *text, size_t len, const char *set)
{
    for (size_t i = 0; i < len; i++) {
        if (text[i] == '\0' || !strchr(set, text[i])) {
            return false;
        }
    }
    return true;
}

static bool read_int(const char *text, size_t len, pf_node *n)
{
    bool negative = len && text[0] == '-', is_signed = len && (text[0] == '-' || text[0] == '+');
    const char *p = text + is_signed;
    size_t left = len - is_signed;
    if (left == 0 || !pf_is_digit(p[0])) {
        return false;
    }
    if (left > 2 && p[0] == '0' && p[1] == 'x') {
        return read_digits(p + 2, left - 2, 16, negative, &n->as.i);
    }
    if (left > 2 && p[0] == '0' && p[1] == 'b') {
        return read_digits(p + 2, left - 2, 2, negative, &n->as.i);
    }
    if (memchr(p, ':', left)) {
        return p[0] != '0' && read_sexagesimal(p, left, negative, &n->as.i);
    }
    if (p[0] == '0' && left > 1) {
        return read_digits(p + 1, left - 1, 8, negative, &n->as.i);
    }
    return read_digits(p, left, 10, negative, &n->as.i);
}

/* Whether the scalar is a decimal integer that 64 bits do not hold: its digits are kept as they are. */
static bool is_long_int(const char *text, size_t len)
{
    size_t at = len && (text[0] == '-' || text[0] == '+');
    return len - at > 18 && text[at] != '0' && has_only(text + at, len - at, "0123456789");
}

static bool read_special_real(const char *text, size_t len, pf_node *n)
{
    static const char *const infinities[] = {".inf", ".Inf", ".INF", NULL}, *const nans[] = {".nan", ".NaN", ".NAN",
                                                                                             NULL};
    size_t at = len && (text[0] == '-' || text[0] == '+');
    if (is_one_of(text + at, len - at, infinities)) {
        n->as.d = text[0] == '-' ? -INFINITY : INFINITY;
        return true;
    }
    if (is_one_of(text, len, nans)) {
        n->as.d = NAN;
        return true;
    }
    return false;
}

/* digits '.' digits, then an exponent with its sign; underscores are left out. */
static bool read_real(const char *text, size_t len, pf_node *n)
{
    char copy[SCALAR_MAX];
    size_t used = 0, points = 0, digits = 0, at = len && (text[0] == '-' || text[0] == '+');
    if (len >= sizeof copy || len == 0) {
        return false;
    }
    memcpy(copy, text, at);
    used = at;
    for (; at < len && (text[at] == '.' || text[at] == '_' || pf_is_digit(text[at])); at++) {
        points += text[at] == '.';
        digits += pf_is_digit(text[at]);
        if (text[at] != '_') {
            copy[used++] = text[at];
        }
    }
    if (points != 1 || digits == 0) {
        return false;
    }
    if (at < len) {
        bool exponent = (text[at] | 32) == 'e' && len - at > 2 && (text[at + 1] == '+' || text[at + 1] == '-') &&
                        has_only(text + at + 2, len - at - 2, "0123456789");
        if (!exponent) {
            return false;
        }
        memcpy(copy + used, text + at, len - at);
        used += len - at;
    }
    return pf_parse_real(copy, used, &n->as.d);
}

void pf_yaml_scalar(const char *text, size_t len, pf_node *n)
{
    static const char *const nulls[] = {"", "~", "null", "Null", "NULL", NULL};
    static const char *const yes[] = {"yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON", NULL};
    static const char *const no[] = {"no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF", NULL};
    n->type = PF_NODE_TEXT;
    if (is_one_of(text, len, nulls)) {
        n->type = PF_NODE_NULL;
    } else if (is_one_of(text, len, yes) || is_one_of(text, len, no)) {
        n->type = PF_NODE_BOOL;
        n->as.b = is_one_of(text, len, yes);
    } else if (read_int(text, len, n)) {
        n->type = PF_NODE_INT;
    } else if (is_long_int(text, len)) {
        n->type = PF_NODE_RAW;
    } else if (read_special_real(text, len, n) || read_real(text, len, n)) {
        n->type = PF_NODE_REAL;
    }
}
