/* write/report/json_text.c - texts and numbers as JSON spells them. A text is copied in runs that need no escape; what
 * is not ASCII is escaped by its UTF-16 units, so that the output is the same whatever a reader takes its encoding to
 * be. */
#include "write/report/json_text.h"

#include <math.h>

#include "base/number.h"
#include "write/report/utf8.h"

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

void pf_json_put_text(pf_buffer *b, pf_str s)
{
    pf_buffer_put(b, "\"", 1);
    size_t plain = 0; /* start of the run that needs no escape */
    for (size_t i = 0; i < s.len;) {
        uint8_t c = (uint8_t)s.ptr[i];
        if (c >= 0x20 && c < 0x7f && c != '"' && c != '\\') {
            i++;
            continue;
        }
        pf_buffer_put(b, s.ptr + plain, i - plain);
        put_code(b, pf_utf8_next(s, &i));
        plain = i;
    }
    if (plain < s.len) {
        pf_buffer_put(b, s.ptr + plain, s.len - plain);
    }
    pf_buffer_put(b, "\"", 1);
}

void pf_json_put_utf8(pf_buffer *b, pf_str s)
{
    pf_buffer_put(b, "\"", 1);
    for (size_t i = 0; i < s.len;) {
        char bytes[4];
        uint32_t code = pf_utf8_next(s, &i);
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
