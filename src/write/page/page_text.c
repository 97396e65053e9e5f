/* write/page/page_text.c - escaping, shortening, and numbers for people. */
#include "write/page/page_text.h"

#include <math.h>

#include "base/str.h"
#include "base/text/number.h"
#include "base/text/utf8.h"

#define NAME_SHOWN 100   /* characters of a name in a cell */
#define NAME_WHOLE 2000u /* of one that is unfolded */

/* What HTML takes for no character. */
static bool is_forbidden(uint32_t code)
{
    return code < 0x20 || (code >= 0x7f && code < 0xa0) || (code >= 0xd800 && code <= 0xdfff) ||
           (code >= 0xfdd0 && code <= 0xfdef) || (code & 0xfffe) == 0xfffe;
}

static void put_code(pf_buffer *b, uint32_t code)
{
    char bytes[4];
    switch (code) {
    case '&':
        pf_buffer_text(b, "&amp;");
        break;
    case '<':
        pf_buffer_text(b, "&lt;");
        break;
    case '>':
        pf_buffer_text(b, "&gt;");
        break;
    case '"':
        pf_buffer_text(b, "&quot;");
        break;
    case '\'':
        pf_buffer_text(b, "&#39;");
        break;
    case '\t':
    case '\n':
    case '\r':
        pf_buffer_text(b, " ");
        break;
    default:
        pf_buffer_put(b, bytes, pf_utf8_put(is_forbidden(code) ? PF_REPLACEMENT : code, bytes));
    }
}

void pf_html_text(pf_buffer *b, pf_str text)
{
    for (size_t at = 0; at < text.len;) {
        put_code(b, pf_utf8_next(text, &at));
    }
}

void pf_html_address(pf_buffer *b, pf_str path)
{
    for (size_t i = 0; i < path.len; i++) {
        bool plain = pf_is_alnum(path.ptr[i]) || (path.ptr[i] && strchr("-._~/", path.ptr[i]));
        pf_buffer_format(b, plain ? "%c" : "%%%02X", (unsigned char)path.ptr[i]);
    }
}

static size_t count_characters(pf_str text)
{
    size_t count = 0;
    for (size_t at = 0; at < text.len; count++) {
        pf_utf8_next(text, &at);
    }
    return count;
}

void pf_html_shortened(pf_buffer *b, pf_str text, size_t most)
{
    size_t count = count_characters(text), tail = (most - 3) / 2, head = most - 3 - tail, at = 0;
    for (size_t i = 0; at < text.len; i++) {
        uint32_t code = pf_utf8_next(text, &at);
        if (count <= most || i < head || i >= count - tail) {
            put_code(b, code);
        } else if (i == head) {
            pf_buffer_text(b, "...");
        }
    }
}

void pf_html_name(pf_buffer *b, pf_str text, bool unfolds)
{
    bool is_long = unfolds && text.len > NAME_SHOWN && count_characters(text) > NAME_SHOWN;
    if (is_long) {
        pf_buffer_text(b, "<details><summary>");
    }
    pf_html_shortened(b, text, NAME_SHOWN);
    if (is_long) {
        pf_buffer_text(b, "</summary>");
        pf_html_shortened(b, text, NAME_WHOLE);
        pf_buffer_text(b, "</details>");
    }
}

/* Digits that may have a sign before them and a point or an exponent after them. */
static void put_grouped(pf_buffer *b, const char *text, size_t len)
{
    size_t at = len && text[0] == '-', end = at;
    while (end < len && text[end] >= '0' && text[end] <= '9') {
        end++;
    }
    pf_buffer_put(b, text, at);
    for (size_t i = at; i < end; i++) {
        pf_buffer_put(b, ",", i > at && (end - i) % 3 == 0);
        pf_buffer_put(b, text + i, 1);
    }
    pf_buffer_put(b, text + end, len - end);
}

void pf_html_int(pf_buffer *b, int64_t v)
{
    pf_buffer digits = {0};
    pf_buffer_int(&digits, v);
    put_grouped(b, digits.data, digits.failed ? 0 : digits.len);
    b->failed |= digits.failed;
    pf_buffer_free(&digits);
}

void pf_html_real(pf_buffer *b, double v, int decimals)
{
    char text[PF_FIXED_MAX];
    double size = fabs(v);
    if (decimals < 0 && size > 0 && (size < 1e-3 || size >= 1e15)) {
        pf_buffer_put(b, text, pf_format_real_short(v, text));
        return;
    }
    if (decimals < 0) {
        decimals = size > 0 && size < 1000 ? 3 - (int)floor(log10(size)) : 0;
    }
    put_grouped(b, text, pf_format_real_fixed(v, decimals, text));
}
