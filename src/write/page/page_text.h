/* write/page/page_text.h - text and numbers as HTML. All text of a page goes through these: names out of a trace cannot
 * become markup, and control characters, which HTML forbids, become U+FFFD. */
#pragma once

#include "base/buffer.h"
#include "postfetto/findings.h"

/* The text, for elements and for attributes in double quotes. */
void pf_html_text(pf_buffer *b, pf_str text);

/* A relative address of a file: whatever its name is, it names no other protocol. */
void pf_html_address(pf_buffer *b, pf_str path);

/* At most `most` characters of it, with "..." in its middle where that is less than all. */
void pf_html_shortened(pf_buffer *b, pf_str text, size_t most);

/* A name that may be long: its beginning and end, which unfold, if that is wanted, to as much as people read. */
void pf_html_name(pf_buffer *b, pf_str text, bool unfolds);

/* A whole number with commas between thousands; a real with that many decimals (-1: four significant digits) likewise.
 */
void pf_html_int(pf_buffer *b, int64_t v);
void pf_html_real(pf_buffer *b, double v, int decimals);
