/* json_text.c - texts as JSON: every byte that needs an escape gets it wherever it stands, next to runs of any length
 * that are copied eight bytes at a time. */
#include "base/text/json_text.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

/* What RFC 8259 has for a character, with the house's rule that DEL is escaped, too. */
static void spell(int c, char out[8])
{
    const char *named = "\b\f\n\r\t\"\\", *letters = "bfnrt\"\\", *at = c ? strchr(named, c) : NULL;
    if (at) {
        snprintf(out, 8, "\\%c", letters[at - named]);
    } else if (c < 0x20 || c == 0x7f) {
        snprintf(out, 8, "\\u%04x", (unsigned)c);
    } else {
        snprintf(out, 8, "%c", c);
    }
}

static void expect(pf_str text, const char *want)
{
    pf_buffer b = {0};
    pf_json_put_text(&b, text);
    cr_expect(b.len == strlen(want) && memcmp(b.data, want, b.len) == 0, "%s became %.*s", want, (int)b.len, b.data);
    pf_buffer_free(&b);
}

Test(json_text, every_ascii_character_at_every_place)
{
    for (size_t len = 1; len <= 25; len++) {
        for (size_t at = 0; at < len; at++) {
            for (int c = 0; c < 128; c++) {
                char text[32], want[64], spelled[8];
                memset(text, 'x', len);
                text[at] = (char)c;
                spell(c, spelled);
                snprintf(want, sizeof want, "\"%.*s%s%.*s\"", (int)at, "xxxxxxxxxxxxxxxxxxxxxxxxx", spelled,
                         (int)(len - at - 1), "xxxxxxxxxxxxxxxxxxxxxxxxx");
                expect((pf_str){text, len}, want);
            }
        }
    }
}

Test(json_text, what_is_not_ascii)
{
    expect((pf_str){NULL, 0}, "\"\"");
    expect(PF_STR("caf\xc3\xa9 12345678 \xf0\x9f\x98\x80"), "\"caf\\u00e9 12345678 \\ud83d\\ude00\"");
    expect(PF_STR("12345678\xff\x80"), "\"12345678\\ufffd\\ufffd\"");
}
