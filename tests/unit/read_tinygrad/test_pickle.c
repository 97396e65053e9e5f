/* test_pickle.c - the opcodes, one by one: the value that each leaves, as a row of tinygrad_value. */
#include "pickles.h"

#include "model/trace/trace.h"
#include "read/tinygrad/pickle/pickle.h"

/* A machine's result as text: type, number and text of a value, members in brackets. */
static void show(const pf_pickle_values *v, uint32_t value, char *out, size_t room)
{
    pf_pickle_row r = pf_pickle_get(v, value);
    pf_str type = pf_trace_string(v->t, v->type[r.type]), text = pf_trace_string(v->t, r.text);
    size_t n = (size_t)snprintf(out, room, "%.*s", (int)type.len, type.ptr);
    if (r.number != INT64_MIN && r.type != PF_PICKLE_BYTES) {
        n += (size_t)snprintf(out + n, room - n, " %lld", (long long)r.number);
    }
    if (text.ptr) {
        n += (size_t)snprintf(out + n, room - n, " '%.*s'", (int)text.len, text.ptr);
    }
    if (r.type == PF_PICKLE_BYTES) {
        pf_bytes b = pf_pickle_bytes(v, value);
        for (size_t i = 0; i < b.len; i++) {
            n += (size_t)snprintf(out + n, room - n, " %02x", b.ptr[i]);
        }
    }
    for (uint32_t i = pf_pickle_first(v, value); i != PF_NONE && n + 64 < room; i = pf_pickle_next(v, i)) {
        n += (size_t)snprintf(out + n, room - n, " [");
        if (pf_pickle_key(v, i) != PF_NONE) {
            show(v, pf_pickle_key(v, i), out + n, room - n);
            n += strlen(out + n);
            n += (size_t)snprintf(out + n, room - n, ": ");
        }
        show(v, pf_pickle_member(v, i), out + n, room - n);
        n += strlen(out + n);
        n += (size_t)snprintf(out + n, room - n, "]");
    }
}

static void expect(const char *code, size_t len, const char *expected)
{
    pf_error err = {0};
    pf_trace *t = pf_trace_new(NULL, PF_WANT_ALL, NULL);
    pf_pickle_values v;
    uint32_t top;
    char out[1024] = "";
    cr_assert_eq(pf_pickle_values_open(&v, t, &err), PF_OK);
    pf_status st = pf_pickle_read(&v, (pf_bytes){(const uint8_t *)code, len}, NULL, &top, &err);
    cr_expect_eq(st, PF_OK, "%s: %s", expected, err.text);
    if (st == PF_OK) {
        show(&v, top, out, sizeof out);
        cr_expect_str_eq(out, expected);
    }
    pf_trace_free(t);
}

/* A literal with NULs in it. */
#define EXPECT(code, expected) expect(code, sizeof(code) - 1, expected)

Test(pickle, integers)
{
    EXPECT("K\xff.", "int 255");
    EXPECT("M\x01\x02.", "int 513");
    EXPECT("J\xff\xff\xff\xff.", "int -1");
    EXPECT("\x8a\x00.", "int 0");
    EXPECT("\x8a\x01\x80.", "int -128");
    EXPECT("\x8a\x08\xff\xff\xff\xff\xff\xff\xff\x7f.", "int 9223372036854775807");
    EXPECT("\x8a\x09\x00\x00\x00\x00\x00\x00\x00\x80\x00.", "int '9223372036854775808'");
    EXPECT("\x8a\x09\x00\x00\x00\x00\x00\x00\x00\x00\xff.", "int '-18446744073709551616'");
    EXPECT("\x8b\x0a\x00\x00\x00\x05\x00\x00\x00\x00\x00\x00\x00\x00\x00.", "int 5");
}

Test(pickle, other_scalars)
{
    EXPECT("N.", "none");
    EXPECT("\x88.", "bool 1");
    EXPECT("\x89.", "bool 0");
    EXPECT("G\x3f\xf8\x00\x00\x00\x00\x00\x00.", "float 4609434218613702656 '1.5'");
    EXPECT("\x8c\x03"
           "abc.",
           "text 'abc'");
    EXPECT("X\x02\x00\x00\x00hi.", "text 'hi'");
    EXPECT("\x8d\x01\x00\x00\x00\x00\x00\x00\x00z.", "text 'z'");
    EXPECT("C\x02\x00\xff.", "bytes 00 ff");
    EXPECT("B\x01\x00\x00\x00\x07.", "bytes 07");
    EXPECT("\x8e\x01\x00\x00\x00\x00\x00\x00\x00\x08.", "bytes 08");
    EXPECT("\x96\x01\x00\x00\x00\x00\x00\x00\x00\x09.", "bytes 09");
}

Test(pickle, containers)
{
    EXPECT("]K\x01"
           "a(K\x02K\x03"
           "e.",
           "list [int 1] [int 2] [int 3]");
    EXPECT("(K\x01K\x02t.", "tuple [int 1] [int 2]");
    EXPECT("K\x01K\x02K\x03\x87.", "tuple [int 1] [int 2] [int 3]");
    EXPECT("(K\x01l.", "list [int 1]");
    EXPECT("(K\x01K\x02"
           "d.",
           "dict [int 1: int 2]");
    EXPECT("}K\x01K\x02s(K\x03Nu.", "dict [int 1: int 2] [int 3: none]");
    EXPECT("\x8f(K\x01\x90.", "set [int 1]");
    EXPECT("(K\x01\x91.", "set [int 1]");
    EXPECT("K\x01K\x02"
           "0.",
           "int 1");
    EXPECT("K\x01(K\x02K\x03"
           "1.",
           "int 1");
    EXPECT("K\x05\x32\x86.", "tuple [int 5] [int 5]");
}

Test(pickle, objects)
{
    EXPECT("cm\nC\n.", "class 'm.C'");
    EXPECT("\x8c\x01m\x8c\x01"
           "C\x93)\x81}\x8c\x01xK\x01sb.",
           "object 'm.C' [text 'x': int 1]");
    EXPECT("cm\nC\nK\x01\x85R.", "object 'm.C' [int 1]");
    EXPECT("cm\nC\nK\x01\x85}\x8c\x01yK\x02s\x92.", "object 'm.C' [int 1] [text 'y': int 2]");
    EXPECT("cm\nC\n)\x81N}\x8c\x01xK\x01s\x86"
           "b.",
           "object 'm.C' [text 'x': int 1]");
    EXPECT("cm\nC\n)\x81}\x8c\x01xK\x01s}\x8c\x01yK\x02s\x86"
           "b.",
           "object 'm.C' [text 'x': int 1] [text 'y': int 2]");
    EXPECT("c_codecs\nencode\n\x8c\x03"
           "a\xc3\xbf\x8c\x06latin1\x86R.",
           "bytes 61 ff");
}

/* A state may be used for two objects: what is added to one does not show in the other. */
Test(pickle, arguments_are_not_shared)
{
    EXPECT("K\x01\x85\x94"
           "0]cm\nA\nh\x00R}\x8c\x01xK\x02sbacm\nB\nh\x00Ra.",
           "list [object 'm.A' [int 1] [text 'x': int 2]] [object 'm.B' [int 1]]");
}

#define DECIMAL "cdecimal\nDecimal\n"

Test(pickle, decimals)
{
    EXPECT(DECIMAL "\x8c\x05"
                   "12.50\x85R.",
           "decimal.2 1250");
    EXPECT(DECIMAL "\x8c\x05"
                   "-0.25\x85R.",
           "decimal.2 -25");
    EXPECT(DECIMAL "\x8c\x04"
                   "-0.0\x85R.",
           "decimal '-0.0'");
    EXPECT(DECIMAL "\x8c\x03"
                   "NaN\x85R.",
           "decimal 'NaN'");
    EXPECT(DECIMAL "\x8c\x03"
                   "007\x85R.",
           "decimal '007'");
    EXPECT(DECIMAL "\x8c\x04"
                   "1E+2\x85R.",
           "decimal '1E+2'");
}

/* As Python writes decimals, with all three steps in the memo: text, tuple and decimal can be fetched later. */
Test(pickle, steps_of_a_decimal_are_in_the_memo)
{
#define STEPS                                                                                                          \
    "cdecimal\nDecimal\n\x94\x8c\x04"                                                                                  \
    "-1.5\x94\x85\x94R\x94"
    EXPECT(STEPS "h\x03\x86.", "tuple [decimal.1 -15] [decimal.1 -15]");
    EXPECT(STEPS "h\x01\x86.", "tuple [decimal.1 -15] [text '-1.5']");
    EXPECT(STEPS "h\x02h\x02\x87.", "tuple [decimal.1 -15] [tuple [text '-1.5']] [tuple [text '-1.5']]");
}

Test(pickle, memo)
{
    EXPECT("K\x07q\x05"
           "0h\x05.",
           "int 7");
    EXPECT("K\x07r\x03\x00\x00\x00"
           "0j\x03\x00\x00\x00.",
           "int 7");
}
