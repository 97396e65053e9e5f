/* read/tinygrad/pickle/pickle_scalars.c - opcodes that make one value without members: numbers, texts, decimals, bytes.
 */
#include <string.h>

#include "read/tinygrad/pickle/pickle_machine.h"

/* Longer integers are no numbers of a profile. */
enum { LONGEST_INT = 255 };

static pf_status push_int(pf_pickle *p, int64_t number)
{
    uint32_t value;
    bool small = number >= 0 && number < PF_PICKLE_SMALL;
    PF_TRY(small ? pf_pickle_add_shared(p->v, (unsigned)number, &value, p->err)
                 : pf_pickle_add(p->v, PF_PICKLE_INT, number, 0, &value, p->err));
    return pf_pickle_push(p, value);
}

pf_status pf_pickle_op_constant(pf_pickle *p, unsigned arg)
{
    uint32_t value;
    PF_TRY(pf_pickle_add_shared(p->v, PF_PICKLE_SMALL + arg, &value, p->err));
    return pf_pickle_push(p, value);
}

pf_status pf_pickle_op_int(pf_pickle *p, unsigned arg)
{
    uint64_t bits;
    PF_TRY(pf_pickle_take_number(p, arg, &bits));
    return push_int(p, arg == 4 ? (int32_t)bits : (int64_t)bits);
}

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

static pf_status push_wide(pf_pickle *p, pf_bytes b)
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
    uint32_t id;
    PF_TRY(pf_pickle_add_text(p, (pf_str){text, at}, &id));
    return pf_pickle_make(p, PF_PICKLE_INT, INT64_MIN, id);
}

pf_status pf_pickle_op_long(pf_pickle *p, unsigned arg)
{
    pf_bytes b;
    PF_TRY(pf_pickle_take_counted(p, arg, &b));
    while (b.len > 1 && b.ptr[b.len - 1] == (b.ptr[b.len - 2] & 0x80 ? 0xFF : 0)) {
        b.len--; /* a byte that only repeats the sign */
    }
    if (b.len > LONGEST_INT) {
        return pf_pickle_refuse(p, "an integer of more than %d bytes", LONGEST_INT);
    }
    if (b.len > 8) {
        return push_wide(p, b);
    }
    uint64_t bits = b.len && b.ptr[b.len - 1] & 0x80 ? UINT64_MAX : 0;
    for (size_t i = b.len; i-- > 0;) {
        bits = bits << 8 | b.ptr[i];
    }
    return push_int(p, (int64_t)bits);
}

pf_status pf_pickle_op_float(pf_pickle *p, unsigned arg)
{
    const uint8_t *digits;
    uint64_t bits = 0;
    PF_TRY(pf_pickle_take(p, 8, &digits));
    for (unsigned i = 0; i < 8; i++) {
        bits = bits << 8 | digits[i];
    }
    return pf_pickle_make(p, PF_PICKLE_FLOAT, (int64_t)bits, 0);
}

/* Whether the text becomes a decimal at once: the class lies on the stack, and what follows puts the text into a tuple,
 * calls the class with it, and puts all three into a memo that nobody asks for the first two. So are times written,
 * which most of a profile consists of. Done step by step, each would leave a text and a tuple that nobody looks at. */
static const uint8_t decimal_call[] = {0x94, 0x85, 0x94, 'R', 0x94};

static bool is_decimal(const pf_pickle *p)
{
    bool on_class = p->stack.count && p->decimal != PF_NONE && p->stack.row[p->stack.count - 1] == p->decimal;
    bool above_mark = p->marks.count == 0 || p->marks.row[p->marks.count - 1] < p->stack.count;
    return on_class && above_mark && p->len - p->at >= sizeof decimal_call &&
           memcmp(p->bytes + p->at, decimal_call, sizeof decimal_call) == 0 &&
           !pf_pickle_is_fetched(p, p->memo_count) && !pf_pickle_is_fetched(p, p->memo_count + 1);
}

pf_status pf_pickle_op_text(pf_pickle *p, unsigned arg)
{
    pf_bytes b;
    uint32_t value;
    PF_TRY(pf_pickle_take_counted(p, arg, &b));
    if (b.len > UINT32_MAX) {
        return pf_pickle_refuse(p, "a text of more than 4 GiB");
    }
    if (!is_decimal(p)) {
        return pf_pickle_make(p, PF_PICKLE_TEXT, b.ptr - p->bytes, (uint32_t)b.len);
    }
    p->at += sizeof decimal_call;
    PF_TRY(pf_pickle_add(p->v, PF_PICKLE_DECIMAL, b.ptr - p->bytes, (uint32_t)b.len, &value, p->err));
    p->memo_count += 2;
    PF_TRY(pf_pickle_remember(p, p->memo_count, value));
    p->stack.row[p->stack.count - 1] = value;
    return PF_OK;
}

pf_status pf_pickle_op_bytes(pf_pickle *p, unsigned arg)
{
    pf_bytes b;
    uint32_t value;
    PF_TRY(pf_pickle_take_counted(p, arg, &b));
    PF_TRY(pf_pickle_add_bytes(p->v, b, &value, p->err));
    return pf_pickle_push(p, value);
}
