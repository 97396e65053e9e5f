/* base/text/real_digits.h - the decimal digits of doubles, exactly and whatever the host's locale is. */
#ifndef PF_BASE_TEXT_REAL_DIGITS_H
#define PF_BASE_TEXT_REAL_DIGITS_H

#include "postfetto/base.h"

/* No double, and no middle between two of them, has more significant digits than 768. */
#define PF_DIGITS_MAX 800

/* A number >= 0: 0.00125 is the digits 125 with exponent -3, the power of ten of the first digit. The first digit is
 * not zero, nor is the last; zero itself is one digit 0 with exponent 0. */
typedef struct pf_digits {
    int exponent;
    int count;
    char digit[PF_DIGITS_MAX]; /* '0' to '9', no NUL */
} pf_digits;

/* |v|, which is finite, rounded to `count` digits, 1 to 40; a tie goes to the even digit. */
void pf_digits_of(double v, int count, pf_digits *out);

/* v, which is finite, as C's %.*f prints it; its length. `room`: a few bytes more than that, for a point in UTF-8. */
size_t pf_digits_fixed(double v, int decimals, char *out, size_t room);

/* The digits where 15 are enough to read back to |v| and |v| is below 10^15 with at most 15 decimals, as it is for most
 * numbers that people or counters make; false for others. */
bool pf_digits_few(double v, pf_digits *out);

/* The fewest digits that read back to |v|, and of those the nearest to it. Subnormal doubles hold fewer than 15. */
void pf_digits_shortest(double v, pf_digits *out);

/* The nearest double; a tie goes to the even one, what is too large is infinity. */
double pf_digits_value(const pf_digits *d);

/* Decimal text, the whole of it: sign, digits with at most one point, exponent. False if it is not that. */
bool pf_digits_parse(const char *text, size_t len, bool *negative, pf_digits *out);

/* The digits of an exponent, with a sign or without, up to `end`; beyond 100,000 it only says "zero" or "does not fit".
 */
bool pf_parse_exponent(const char *p, const char *end, int64_t *out);

#endif
