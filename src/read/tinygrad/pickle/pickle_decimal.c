/* read/tinygrad/pickle/pickle_decimal.c - decimals, which times are written as: digits and the place of the point,
 * where the text is nothing but that; else the text. */
#include "read/tinygrad/pickle/pickle_machine.h"

/* An integer of up to 18 digits and the digits after its point, if writing both again gives the very text. */
static bool read_digits(pf_str text, int64_t *digits, unsigned *after)
{
    size_t i = text.len && text.ptr[0] == '-' ? 1 : 0, from = i, point = text.len;
    *digits = 0;
    for (; i < text.len; i++) {
        char c = text.ptr[i];
        if (c == '.' && point == text.len && i > from) {
            point = i;
        } else if (c >= '0' && c <= '9' && i - from < 19) {
            *digits = *digits * 10 + (c - '0');
        } else {
            return false;
        }
    }
    size_t places = point == text.len ? 0 : text.len - point - 1, whole = point - from;
    bool padded = whole > 1 && text.ptr[from] == '0';
    bool ends_in_point = point + 1 == text.len;
    *after = (unsigned)places;
    bool zero = *digits == 0;
    *digits = from ? -*digits : *digits;
    return whole > 0 && whole + places <= 18 && !padded && !ends_in_point && places <= 9 && !(from && zero);
}

pf_status pf_pickle_add_decimal(pf_pickle *p, pf_str text, uint32_t *out)
{
    pf_pickle_row row = {.type = PF_PICKLE_DECIMAL, .number = INT64_MIN, .first = PF_NONE, .last = PF_NONE};
    unsigned after;
    int64_t digits;
    pf_status st = PF_OK;
    if (read_digits(text, &digits, &after)) {
        row.type = PF_PICKLE_DECIMAL_0 + after;
        row.number = digits;
    } else {
        st = pf_pickle_add_text(p, text, &row.text);
    }
    return st == PF_OK ? pf_pickle_add(p->v, &row, out, p->err) : st;
}

size_t pf_pickle_print_decimal(int64_t digits, unsigned after, char text[32])
{
    uint64_t left = digits < 0 ? 0 - (uint64_t)digits : (uint64_t)digits;
    char reversed[32];
    size_t n = 0, at = 0;
    for (unsigned i = 0; left || i <= after; i++, left /= 10) {
        if (i == after && after) {
            reversed[n++] = '.';
        }
        reversed[n++] = (char)('0' + left % 10);
    }
    text[at] = '-';
    at += digits < 0;
    while (n) {
        text[at++] = reversed[--n];
    }
    return at;
}
