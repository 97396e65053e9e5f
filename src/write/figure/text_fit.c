/* write/figure/text_fit.c - text in the room that there is. Whoever draws it chooses the font, so widths are those of
 * a wide one among the usual, DejaVu Sans. */
#include "base/text/utf8.h"
#include "write/figure/canvas.h"

static double width_of(uint32_t code)
{
    if (code >= 0x1100) {
        return code < 0x2e80 ? 8 : 12;
    }
    if (code >= 'A' && code <= 'Z' && code != 'I') {
        return code == 'M' || code == 'W' || code == 'O' || code == 'Q' ? 11.9 : 9.1;
    }
    if (code < 0x80 && strchr(" ijl.,:;|!'()[]ftrI/-", (int)code)) {
        return 5;
    }
    return code < 0x80 && strchr("mw@%<>=+#~&", (int)code) ? 11.5 : 7.8;
}

/* What a code point is in a figure. */
static uint32_t shown(uint32_t code)
{
    bool turns = (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069) || code == 0x200e ||
                 code == 0x200f || code == 0x61c;
    bool control = code < 0x20 || (code >= 0x7f && code < 0xa0) || (code >= 0xd800 && code <= 0xdfff);
    return turns || control || code == 0xfffe || code == 0xffff ? PF_REPLACEMENT : code;
}

double pf_text_width(pf_str text)
{
    double width = 0;
    for (size_t i = 0; i < text.len;) {
        width += width_of(shown(pf_utf8_next(text, &i)));
    }
    return width;
}

void pf_text_fit(pf_buffer *out, pf_str text, double room)
{
    double whole = pf_text_width(text), at = 0;
    bool cut = whole > room, said = false;
    double head = cut ? (room - 12) * 0.6 : whole, tail = cut ? whole - (room - 12) * 0.4 : 0;
    for (size_t i = 0; i < text.len;) {
        char bytes[4];
        uint32_t code = shown(pf_utf8_next(text, &i));
        double end = at + width_of(code);
        if (!cut || end <= head || at >= tail) {
            pf_buffer_put(out, bytes, pf_utf8_put(code, bytes));
        } else if (!said) {
            pf_buffer_text(out, "\xe2\x80\xa6");
            said = true;
        }
        at = end;
    }
}
