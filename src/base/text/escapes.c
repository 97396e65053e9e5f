/* base/text/escapes.c - JSON escapes.
 *
 * Names written as \uXXXX come in UTF-16: two escapes may form one character. A surrogate without its partner has no
 * UTF-8 form; it is kept as the three bytes that its number would have (WTF-8), so that nothing is lost and equal names
 * stay equal. Bytes outside escapes are copied whatever they are.
 */
#include "base/text/json_text.h"

#include "base/str.h"
#include "base/text/utf8.h"

/* Four hexadecimal digits, or -1. */
static int32_t hex4(const uint8_t *p, const uint8_t *end)
{
    int32_t v = 0;
    for (int i = 0; i < 4 && end - p >= 4; i++) {
        unsigned digit = pf_hex_value((char)p[i]);
        if (digit > 15) {
            return -1;
        }
        v = v * 16 + (int32_t)digit;
    }
    return end - p >= 4 ? v : -1;
}

/* p stands after "\u"; returns the byte after the escape, or of both where two belong together. */
static const uint8_t *unescape_unicode(const uint8_t *p, const uint8_t *end, char **out, unsigned *lone)
{
    int32_t c = hex4(p, end);
    if (c < 0) {
        *(*out)++ = 'u';
        return p;
    }
    p += 4;
    if (c >= 0xd800 && c < 0xe000) {
        int32_t low = c < 0xdc00 && end - p >= 6 && p[0] == '\\' && p[1] == 'u' ? hex4(p + 2, end) : -1;
        if (low >= 0xdc00 && low < 0xe000) {
            c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
            p += 6;
        } else {
            ++*lone;
        }
    }
    *out += pf_utf8_put((uint32_t)c, *out);
    return p;
}

size_t pf_json_unescape(const uint8_t *text, size_t len, char *out, unsigned *lone)
{
    const uint8_t *p = text;
    const uint8_t *end = text + len;
    char *at = out;
    while (p < end) {
        const uint8_t *slash = memchr(p, '\\', (size_t)(end - p));
        size_t run = (size_t)((slash ? slash : end) - p);
        memcpy(at, p, run);
        at += run;
        p += run;
        if (end - p < 2) {
            break;
        }
        uint8_t c = p[1];
        p += 2;
        static const char codes[] = "b\bf\fn\nr\rt\t";
        const char *code = c ? strchr(codes, c) : NULL;
        if (c == 'u') {
            p = unescape_unicode(p, end, &at, lone);
        } else {
            *at++ = code && (code - codes) % 2 == 0 ? code[1] : (char)c;
        }
    }
    return (size_t)(at - out);
}
