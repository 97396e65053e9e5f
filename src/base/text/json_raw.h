/* base/text/json_raw.h - JSON text of somebody else, written so that it is JSON. */
#ifndef PF_BASE_TEXT_JSON_RAW_H
#define PF_BASE_TEXT_JSON_RAW_H

#include "base/buffer.h"

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

#endif
