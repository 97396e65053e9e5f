/* base/text/number.h - exact numbers <-> text. */
#ifndef PF_BASE_TEXT_NUMBER_H
#define PF_BASE_TEXT_NUMBER_H

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

#endif
