/* read/chrome_json/scan/decimal.h - decimal text to exact 64-bit times, never through a double. */
#ifndef PF_READ_CHROME_JSON_SCAN_DECIMAL_H
#define PF_READ_CHROME_JSON_SCAN_DECIMAL_H

#include "postfetto/base.h"

/* number x 10^shift as an integer. `number` is a JSON number (sign, digits, fraction, exponent; leading zeros are
 * accepted). What remains after the point is rounded half away from zero, or cut off if `cut`. False if the text is
 * anything else or the result does not fit. */
bool pf_json_scale_decimal(const uint8_t *text, size_t len, int shift, bool cut, int64_t *out);

/* A decimal integer with an optional sign and blanks around it, as in "ts": " +12 ". */
bool pf_json_integer_text(const uint8_t *text, size_t len, int64_t *out);

/* A text of "0x" and up to sixteen hexadecimal digits. */
bool pf_json_hex_text(const uint8_t *text, size_t len, uint64_t *out);

#endif
