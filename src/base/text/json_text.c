/* base/text/json_text.c - texts and numbers as JSON spells them. A text is copied in runs that need no escape; what
 * is not ASCII is escaped by its UTF-16 units, so that the output is the same whatever a reader takes its encoding to
 * be. */
#include "base/text/json_text.h"

#include <math.h>

#include "base/text/number.h"
#include "base/text/utf8.h"

static void put_escape(pf_buffer *b, uint32_t unit)
{
    static const char hex[] = "0123456789abcdef";
    char text[6] = {'\\', 'u', hex[unit >> 12 & 15], hex[unit >> 8 & 15], hex[unit >> 4 & 15], hex[unit & 15]};
    pf_buffer_put(b, text, sizeof text);
}

static void put_code(pf_buffer *b, uint32_t code)
{
    static const char short_names[] = "btn\0fr"; /* \b \t \n - \f \r are 8 to 13 */
    if (code == '"' || code == '\\') {
        char text[2] = {'\\', (char)code};
        pf_buffer_put(b, text, 2);
    } else if (code >= 8 && code <= 13 && code != 11) {
        char text[2] = {'\\', short_names[code - 8]};
        pf_buffer_put(b, text, 2);
    } else if (code > 0xffff) {
        put_escape(b, 0xd800 + ((code - 0x10000) >> 10));
        put_escape(b, 0xdc00 + ((code - 0x10000) & 0x3ff));
    } else {
        put_escape(b, code);
    }
}

#define EVERY(byte) (UINT64_MAX / 255 * (byte))
#define IN_FRONT(x, byte) (((x)-EVERY(byte)) & ~(x)) /* top bits of bytes below; right up to the first of them */

/* Whether one of eight bytes needs an escape: what is below a blank or not ASCII, '"', '\\' and DEL. */
static bool any_special(const char *text)
{
    uint64_t x;
    memcpy(&x, text, sizeof x);
    uint64_t found = x | IN_FRONT(x, 0x20) | IN_FRONT(x ^ EVERY('"'), 1) | IN_FRONT(x ^ EVERY('\\'), 1) |
                     IN_FRONT(x ^ EVERY(0x7f), 1);
    return (found & EVERY(0x80)) != 0;
}

/* The end of the run from i on that needs no escape. */
static size_t plain_until(pf_str s, size_t i)
{
    while (s.len - i >= 8 && !any_special(s.ptr + i)) {
        i += 8;
    }
    if (s.len - i < 8 && s.len >= 8 && !any_special(s.ptr + s.len - 8)) {
        return s.len;
    }
    for (; i < s.len; i++) {
        uint8_t c = (uint8_t)s.ptr[i];
        if (c < 0x20 || c >= 0x7f || c == '"' || c == '\\') {
            break;
        }
    }
    return i;
}

void pf_json_put_text(pf_buffer *b, pf_str s)
{
    size_t plain = plain_until(s, 0);
    char *out = pf_buffer_room(b, plain + 2);
    if (!out) {
        return;
    }
    out[0] = '"';
    if (plain) {
        memcpy(out + 1, s.ptr, plain);
    }
    b->len += plain + 1;
    for (size_t i = plain; i < s.len; i = plain) {
        put_code(b, pf_utf8_next(s, &i));
        plain = plain_until(s, i);
        pf_buffer_put(b, s.ptr + i, plain - i);
    }
    pf_buffer_put(b, "\"", 1);
}

void pf_json_put_utf8(pf_buffer *b, pf_str s)
{
    pf_buffer_put(b, "\"", 1);
    for (size_t i = 0, plain; i < s.len; i = plain) {
        char bytes[4];
        if ((plain = plain_until(s, i)) > i) {
            pf_buffer_put(b, s.ptr + i, plain - i);
            continue;
        }
        uint32_t code = pf_utf8_next(s, &plain);
        bool lone = code >= 0xd800 && code <= 0xdfff;
        if (code < 0x20 || code == '"' || code == '\\' || lone) {
            put_code(b, code);
        } else {
            pf_buffer_put(b, bytes, pf_utf8_put(code, bytes));
        }
    }
    pf_buffer_put(b, "\"", 1);
}

void pf_json_put_real(pf_buffer *b, double v)
{
    char text[PF_NUMBER_MAX];
    if (isfinite(v)) {
        pf_buffer_put(b, text, pf_format_real(v, text));
    } else {
        pf_buffer_text(b, isnan(v) ? "NaN" : v > 0 ? "Infinity" : "-Infinity");
    }
}
