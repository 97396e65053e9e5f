/* read/tinygrad/pickle/pickle_scalars.c - opcodes that make one value without members: numbers, texts, bytes. */
#include <string.h>

#include "read/tinygrad/pickle/pickle_machine.h"

/* Longer integers are no numbers of a profile. */
enum { LONGEST_INT = 255 };

static pf_status push_made(pf_pickle *p, pf_status st, uint32_t value)
{
    if (st == PF_OK && value > PF_PICKLE_VALUES_MAX) {
        return pf_fail(p->err, PF_ERR_LIMIT, "the pickle holds more than %u values; split the profile",
                       PF_PICKLE_VALUES_MAX);
    }
    return st == PF_OK ? pf_pickle_push(p, value) : st;
}

pf_status pf_pickle_op_constant(pf_pickle *p, unsigned arg)
{
    uint32_t value = PF_NONE;
    pf_status st = arg == 2 ? pf_pickle_add_none(p->v, &value, p->err) : pf_pickle_add_bool(p->v, arg, &value, p->err);
    return push_made(p, st, value);
}

pf_status pf_pickle_op_int(pf_pickle *p, unsigned arg)
{
    const uint8_t *digits;
    uint32_t bits = 0, value = PF_NONE;
    pf_status st = pf_pickle_take(p, arg, &digits);
    for (unsigned i = 0; st == PF_OK && i < arg; i++) {
        bits |= (uint32_t)digits[i] << (8 * i);
    }
    int64_t number = arg == 4 ? (int32_t)bits : (int64_t)bits;
    st = st == PF_OK ? pf_pickle_add_int(p->v, number, &value, p->err) : st;
    return push_made(p, st, value);
}

/* ---- long integers ----------------------------------------------------------------------------------------------- */

/* The digits of a magnitude (little endian), which is used up: divided by ten again and again. */
static size_t decimal_digits(uint8_t *magnitude, size_t len, char *out)
{
    size_t n = 0;
    while (len) {
        unsigned rest = 0;
        for (size_t i = len; i-- > 0;) {
            rest = rest << 8 | magnitude[i];
            magnitude[i] = (uint8_t)(rest / 10);
            rest %= 10;
        }
        out[n++] = (char)('0' + rest);
        while (len && magnitude[len - 1] == 0) {
            len--;
        }
    }
    return n;
}

static pf_status add_wide(pf_pickle *p, pf_bytes b, uint32_t *out)
{
    uint8_t magnitude[LONGEST_INT];
    char digits[LONGEST_INT * 3], text[LONGEST_INT * 3];
    bool negative = b.ptr[b.len - 1] & 0x80;
    unsigned carry = negative;
    for (size_t i = 0; i < b.len; i++) {
        unsigned byte = (negative ? (uint8_t)~b.ptr[i] : b.ptr[i]) + carry;
        magnitude[i] = (uint8_t)byte;
        carry = byte >> 8;
    }
    size_t n = decimal_digits(magnitude, b.len, digits), at = 0;
    text[at] = '-';
    at += negative;
    while (n) {
        text[at++] = digits[--n];
    }
    pf_pickle_row row = {.type = PF_PICKLE_INT, .number = INT64_MIN, .first = PF_NONE, .last = PF_NONE};
    pf_status st = pf_pickle_add_text(p, (pf_str){text, at}, &row.text);
    return st == PF_OK ? pf_pickle_add(p->v, &row, out, p->err) : st;
}

/* The bytes that say more than the sign does. */
static size_t needed(pf_bytes b)
{
    size_t n = b.len;
    while (n > 1 && b.ptr[n - 1] == (b.ptr[n - 2] & 0x80 ? 0xFF : 0)) {
        n--;
    }
    return n;
}

pf_status pf_pickle_op_long(pf_pickle *p, unsigned arg)
{
    pf_bytes b;
    uint32_t value = PF_NONE;
    pf_status st = pf_pickle_take_counted(p, arg, &b);
    if (st != PF_OK) {
        return st;
    }
    b.len = needed(b);
    if (b.len > LONGEST_INT) {
        return pf_pickle_refuse(p, "an integer of more than %d bytes", LONGEST_INT);
    }
    if (b.len > 8) {
        st = add_wide(p, b, &value);
        return push_made(p, st, value);
    }
    uint64_t bits = b.len && b.ptr[b.len - 1] & 0x80 ? UINT64_MAX : 0;
    for (size_t i = b.len; i-- > 0;) {
        bits = bits << 8 | b.ptr[i];
    }
    st = pf_pickle_add_int(p->v, (int64_t)bits, &value, p->err);
    return push_made(p, st, value);
}

/* ---- floats, texts, bytes ---------------------------------------------------------------------------------------- */

pf_status pf_pickle_op_float(pf_pickle *p, unsigned arg)
{
    const uint8_t *digits;
    uint64_t bits = 0;
    uint32_t value = PF_NONE;
    (void)arg;
    pf_status st = pf_pickle_take(p, 8, &digits);
    for (unsigned i = 0; st == PF_OK && i < 8; i++) {
        bits = bits << 8 | digits[i];
    }
    const pf_pickle_row row = {.type = PF_PICKLE_FLOAT, .number = (int64_t)bits, .first = PF_NONE, .last = PF_NONE};
    st = st == PF_OK ? pf_pickle_add(p->v, &row, &value, p->err) : st;
    return push_made(p, st, value);
}

/* Whether the text becomes a decimal at once: the class lies on the stack, and what follows puts the text into a tuple,
 * calls the class with it, and puts all three into a memo that nobody asks for the first two. So are times written,
 * which most of a profile consists of. Done step by step, each would leave a text and a tuple that nobody looks at. */
static bool is_decimal(const pf_pickle *p)
{
    static const uint8_t call[] = {0x94, 0x85, 0x94, 'R', 0x94};
    bool on_class = p->stack.count && p->decimal != PF_NONE && p->stack.row[p->stack.count - 1] == p->decimal;
    bool above_mark = p->marks.count == 0 || p->marks.row[p->marks.count - 1] < p->stack.count;
    return on_class && above_mark && p->len - p->at >= sizeof call &&
           memcmp(p->bytes + p->at, call, sizeof call) == 0 && !pf_pickle_is_fetched(p, p->memo_count) &&
           !pf_pickle_is_fetched(p, p->memo_count + 1);
}

static pf_status make_decimal(pf_pickle *p, pf_str text)
{
    uint32_t value = PF_NONE;
    p->at += 5;
    pf_status st = pf_pickle_add_decimal(p, text, &value);
    if (st == PF_OK && value > PF_PICKLE_VALUES_MAX) {
        return push_made(p, st, value);
    }
    p->memo_count += 2;
    st = st == PF_OK ? pf_pickle_remember(p, p->memo_count, value) : st;
    if (st == PF_OK) {
        p->stack.row[p->stack.count - 1] = value;
    }
    return st;
}

pf_status pf_pickle_op_text(pf_pickle *p, unsigned arg)
{
    pf_bytes b;
    uint32_t value = PF_NONE;
    pf_status st = pf_pickle_take_counted(p, arg, &b);
    if (st == PF_OK && b.len > UINT32_MAX) {
        return pf_pickle_refuse(p, "a text of more than 4 GiB");
    }
    if (st == PF_OK && is_decimal(p)) {
        return make_decimal(p, (pf_str){(const char *)b.ptr, b.len});
    }
    pf_pickle_row row = {.type = PF_PICKLE_TEXT, .text = (uint32_t)b.len, .first = PF_NONE, .last = PF_NONE};
    row.number = st == PF_OK ? b.ptr - p->bytes : 0;
    st = st == PF_OK ? pf_pickle_add(p->v, &row, &value, p->err) : st;
    return push_made(p, st, value);
}

pf_status pf_pickle_op_bytes(pf_pickle *p, unsigned arg)
{
    pf_bytes b;
    uint32_t value = PF_NONE;
    pf_status st = pf_pickle_take_counted(p, arg, &b);
    st = st == PF_OK ? pf_pickle_add_bytes(p->v, b, &value, p->err) : st;
    return push_made(p, st, value);
}
