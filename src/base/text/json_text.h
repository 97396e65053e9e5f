/* base/text/json_text.h - scalars as JSON. */
#pragma once

#include "base/buffer.h"
#include "postfetto/base.h"

/* The text in quotes. Lone surrogates are escaped as such, bytes that are no UTF-8 become U+FFFD. */
void pf_json_put_text(pf_buffer *b, pf_str s);

/* The same with everything beyond ASCII as it is, but for lone surrogates. */
void pf_json_put_utf8(pf_buffer *b, pf_str s);

/* The shortest decimal that reads back to the same double, in Python's spelling; NaN, Infinity and -Infinity are bare
 * words, which JSON does not know. */
void pf_json_put_real(pf_buffer *b, double v);

/* ---- escapes.c --------------------------------------------------------------------------------------------------- */

/* Decodes the bytes between the quotes of a string into `out`, which has room for `len` bytes (a decoded string is
 * never longer). Returns the decoded length. *lone counts surrogates without a partner; they are kept in three-byte
 * form. Escapes that JSON does not know stand for themselves without the backslash. */
size_t pf_json_unescape(const uint8_t *text, size_t len, char *out, unsigned *lone);

/* ---- json_raw.c -------------------------------------------------------------------------------------------------- */

/* JSON text of somebody else, written so that it is JSON. */

/* Whether the text is a number as JSON spells it. */
bool pf_json_is_number(pf_str text);

/* Whether the text is one value, whatever escapes and control characters are in its texts, and zeros in front of its
 * numbers. *no_memory: it was not looked at to its end. */
bool pf_json_is_value(pf_str text, bool *no_memory);

/* Appends one value. Blanks are left out, texts escaped anew, words that are no JSON (but for NaN and the infinities)
 * put in quotes. Where the text is no single value, or nests deeper than `depth`, nothing is appended: false. */
bool pf_json_put_value(pf_buffer *b, pf_str text, size_t depth);

/* Appends the members of an object, a comma in front of each. False, and nothing, if the text is no object. */
bool pf_json_put_members(pf_buffer *b, pf_str object, size_t depth);
