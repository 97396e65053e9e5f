/* base/text/number.h - exact numbers <-> text. */
#pragma once

#include "postfetto/base.h"

/* Room for any number that the functions below print, with its NUL. */
#define PF_NUMBER_MAX 40

/* The shortest decimal that reads back to the same double, in Python's spelling: always with ".0" if integral,
 * exponent form (1e-05, 1e+16) when the decimal exponent is < -4 or >= 16; "nan", "inf", "-inf". Returns the length. */
size_t pf_format_real(double v, char out[PF_NUMBER_MAX]);

/* Six significant digits as C's %g prints them. */
size_t pf_format_real_short(double v, char out[PF_NUMBER_MAX]);

/* One digit, a point, six more and an exponent of two digits at least, as C's %e prints them: exact, ties to even. */
size_t pf_format_real_exponent(double v, char out[PF_NUMBER_MAX]);

/* With that many digits after the point (at most PF_DECIMALS_MAX) as C's %f prints them: exact, ties to even. */
#define PF_DECIMALS_MAX 40
#define PF_FIXED_MAX (1 + 309 + 4 + PF_DECIMALS_MAX + 1)
size_t pf_format_real_fixed(double v, int decimals, char out[PF_FIXED_MAX]);

/* Decimal text to int64: optional sign, digits, nothing else. False on anything else or overflow. */
bool pf_parse_int(const char *text, size_t len, int64_t *out);

/* Hexadecimal text as C's strtoull reads it: blanks, a sign and 0x may come first, what is too large is the largest
 * number. False where that is not the whole text, or nothing. */
bool pf_parse_hex(const char *text, size_t len, uint64_t *out);

/* The end of the number that JSON would read at text[at], 0 where there is none; *whole: it has neither fraction nor
 * exponent. */
size_t pf_json_number_end(pf_str text, size_t at, bool *whole);

/* Decimal text to the nearest finite double, the whole text: sign, digits with at most one point, exponent. */
bool pf_parse_real(const char *text, size_t len, double *out);

/* The same, but what no finite double is near is an infinity. */
bool pf_parse_real_or_infinity(const char *text, size_t len, double *out);

/* The same as Perfetto's JSON importer does it: the whole part, plus the digits after the point over a power of ten,
 * times or over the exponent's power of ten. That misses the nearest double by a unit in the last place now and then
 * (10.944 becomes 10.943999999999999). Texts with more digits than an int64 holds, where that importer goes wrong
 * altogether, are read exactly. */
bool pf_parse_real_like_perfetto(const char *text, size_t len, double *out);

/* The shortest decimal that the function above reads back to v; where there is none, pf_format_real's. */
size_t pf_format_real_like_perfetto(double v, char out[PF_NUMBER_MAX]);

/* "64", "16K", "2M", "1G" (powers of 1024) to bytes. */
bool pf_parse_size(const char *text, uint64_t *out);

/* ---- real_digits.c ----------------------------------------------------------------------------------------------- */

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
