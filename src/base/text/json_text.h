/* base/text/json_text.h - scalars as JSON. */
#ifndef PF_BASE_TEXT_JSON_TEXT_H
#define PF_BASE_TEXT_JSON_TEXT_H

#include "base/buffer.h"

/* The text in quotes. Lone surrogates are escaped as such, bytes that are no UTF-8 become U+FFFD. */
void pf_json_put_text(pf_buffer *b, pf_str s);

/* The same with everything beyond ASCII as it is, but for lone surrogates. */
void pf_json_put_utf8(pf_buffer *b, pf_str s);

/* The shortest decimal that reads back to the same double, in Python's spelling; NaN, Infinity and -Infinity are bare
 * words, which JSON does not know. */
void pf_json_put_real(pf_buffer *b, double v);

#endif
