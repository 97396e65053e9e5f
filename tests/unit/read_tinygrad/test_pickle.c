/* test_pickle.c - the opcodes, one by one: the value that each leaves. */
#include "pickle_runs.h"

#include "base/buffer.h"

static const char *const type_names[] = {"none",   "bool", "int",   "float", "text", "bytes",  "class",
                                         "object", "list", "tuple", "set",   "dict", "decimal"};

/* A machine's result as text: type, number and text of a value, members in brackets. */
static void show(const pf_pickle_values *v, uint32_t value, char *out, size_t room)
{
    pf_pickle_row r = pf_pickle_get(v, value);
    pf_str text = pf_pickle_text(v, value), spelling = pf_pickle_spelling(v, value);
    text = text.ptr ? text : spelling;
    size_t n = (size_t)snprintf(out, room, "%s", type_names[r.type]);
    if (r.type == PF_PICKLE_BOOL || r.type == PF_PICKLE_FLOAT || (r.type == PF_PICKLE_INT && !text.ptr)) {
        n += (size_t)snprintf(out + n, room - n, " %lld", (long long)r.number);
    }
    if (text.ptr) {
        n += (size_t)snprintf(out + n, room - n, " '%.*s'", (int)text.len, text.ptr);
    }
    pf_bytes b = pf_pickle_bytes(v, value);
    for (size_t i = 0; i < b.len; i++) {
        n += (size_t)snprintf(out + n, room - n, " %02x", b.ptr[i]);
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
    machine m;
    char out[1024] = "";
    run(&m, code, len, NULL, NULL);
    cr_expect_eq(m.status, PF_OK, "%s: %s", expected, m.err.text);
    if (m.status == PF_OK) {
        show(&m.v, m.top, out, sizeof out);
        cr_expect_str_eq(out, expected);
    }
    finish(&m);
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
    EXPECT("\x8a\x09\x00\x00\x00\x00\x00\x00\x00\x00\x80.", "int '-2361183241434822606848'");
    EXPECT("\x8a\x09\xff\xff\xff\xff\xff\xff\xff\xff\x00.", "int '18446744073709551615'");
    EXPECT("\x8a\x09\xff\xff\xff\xff\xff\xff\xff\x7f\x00.", "int 9223372036854775807");
    EXPECT("\x8a\x09\x00\x00\x00\x00\x00\x00\x00\x80\xff.", "int -9223372036854775808");
    EXPECT("\x8b\x0a\x00\x00\x00\x05\x00\x00\x00\x00\x00\x00\x00\x00\x00.", "int 5");
}

Test(pickle, other_scalars)
{
    EXPECT("N.", "none");
    EXPECT("\x88.", "bool 1");
    EXPECT("\x89.", "bool 0");
    EXPECT("G\x3f\xf8\x00\x00\x00\x00\x00\x00.", "float 4609434218613702656");
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

Test(pickle, decimals)
{
    EXPECT(DECIMAL "\x8c\x05"
                   "12.50\x85R.",
           "decimal '12.50'");
    EXPECT(DECIMAL "\x8c\x05"
                   "-0.25\x85R.",
           "decimal '-0.25'");
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
    EXPECT("cm\nC\n\x94\x8c\x04"
           "-1.5\x94\x85\x94R\x94.",
           "object 'm.C' [text '-1.5']");
    EXPECT(STEPS "h\x03\x86.", "tuple [decimal '-1.5'] [decimal '-1.5']");
    EXPECT(STEPS "h\x01\x86.", "tuple [decimal '-1.5'] [text '-1.5']");
    EXPECT(STEPS "h\x02h\x02\x87.", "tuple [decimal '-1.5'] [tuple [text '-1.5']] [tuple [text '-1.5']]");
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

/* ---- what is refused --------------------------------------------------------------------------------------------- */

/* The message names the opcode, the error the byte. */
static void refuse(const char *code, size_t len, uint64_t offset, const char *text)
{
    machine m;
    run(&m, code, len, NULL, NULL);
    cr_expect_eq(m.status, PF_ERR_INPUT, "%s: status %d", text, m.status);
    cr_expect(strstr(m.err.text, text), "%s\nis not: %s", m.err.text, text);
    cr_expect_eq(m.err.offset, offset, "%s: byte %llu", text, (unsigned long long)m.err.offset);
    finish(&m);
}

#define REFUSE(code, offset, text) refuse(code, sizeof(code) - 1, offset, text)
#define EMPTY " takes more than the stack holds"

Test(refused_pickles, more_than_the_stack_holds)
{
    REFUSE(".", 1, "0x2e" EMPTY);
    REFUSE("0.", 1, "0x30" EMPTY);
    REFUSE("1.", 1, "0x31" EMPTY);
    REFUSE("2.", 1, "0x32" EMPTY);
    REFUSE("(2.", 2, "0x32" EMPTY);
    REFUSE("\x94.", 1, "0x94" EMPTY);
    REFUSE("q\x01.", 2, "0x71" EMPTY);
    REFUSE("t.", 1, "0x74" EMPTY);
    REFUSE("e.", 1, "0x65" EMPTY);
    REFUSE("(e.", 2, "0x65" EMPTY);
    REFUSE("u.", 1, "0x75" EMPTY);
    REFUSE("(u.", 2, "0x75" EMPTY);
    REFUSE("]a.", 2, "0x61" EMPTY);
    REFUSE("}Ns.", 3, "0x73" EMPTY);
    REFUSE("NNs.", 3, "0x73" EMPTY);
    REFUSE("\x85.", 1, "0x85" EMPTY);
    REFUSE("N\x86.", 2, "0x86" EMPTY);
    REFUSE("NN\x87.", 3, "0x87" EMPTY);
    REFUSE("N(N\x86.", 4, "0x86" EMPTY);
    REFUSE("N\x93.", 2, "0x93" EMPTY);
    REFUSE("NR.", 2, "0x52" EMPTY);
    REFUSE("NN\x92.", 3, "0x92" EMPTY);
    REFUSE("b.", 1, "0x62" EMPTY);
    REFUSE("Nb.", 2, "0x62" EMPTY);
    /* The class of a decimal lies below a mark. */
    REFUSE("cdecimal\nDecimal\n(\x8c\x03"
           "1.5\x94\x85\x94R\x94.",
           27, "0x52" EMPTY);
}

Test(refused_pickles, bytes_that_are_not_there)
{
    REFUSE("", 0, "ends without opcode STOP");
    REFUSE("N", 1, "ends without opcode STOP");
    REFUSE("\x80", 1, "opcode 0x80 at byte 0 needs 1 bytes more, 0 are left");
    REFUSE("\x95"
           "1234567",
           1, "opcode 0x95 at byte 0 needs 8 bytes more, 7 are left");
    REFUSE("M\x01", 1, "opcode 0x4d at byte 0 needs 2 bytes more, 1 are left");
    REFUSE("G1234567", 1, "opcode 0x47 at byte 0 needs 8 bytes more, 7 are left");
    REFUSE("\x8c\x03"
           "ab",
           2, "opcode 0x8c at byte 0 needs 3 bytes more, 2 are left");
    REFUSE("Nq", 2, "opcode 0x71 at byte 1 needs 1 bytes more, 0 are left");
    REFUSE("Nj\x01\x00", 2, "opcode 0x6a at byte 1 needs 4 bytes more, 2 are left");
    REFUSE("cm", 1, "opcode 0x63 at byte 0 needs 2 bytes more, 1 are left");
    REFUSE("cm\nC", 3, "opcode 0x63 at byte 0 needs 2 bytes more, 1 are left");
}

Test(refused_pickles, opcodes_protocols_and_places_in_the_memo)
{
    REFUSE("\x80\x01N.", 0, "0x80: protocol 1 is not known, only 2 to 5 are");
    EXPECT("\x80\x02N.", "none");
    EXPECT("\x80\x05N.", "none");
    REFUSE("\x80\x06N.", 0, "0x80: protocol 6 is not known, only 2 to 5 are");
    EXPECT("\x95"
           "12345678N.",
           "none");
    REFUSE("Ni.", 1, "0x69: not allowed in a profile");
    REFUSE("h\x01.", 0, "0x68: nothing was put into the memo at 1;");
    REFUSE("Nq\x01h\x02.", 3, "0x68: nothing was put into the memo at 2;");
    EXPECT("Nq\x06h\x06.", "none"); /* an index is at most the length */
    REFUSE("Nq\x07h\x07.", 1, "0x71: memo index 7 is beyond");
}

Test(refused_pickles, members_of_the_wrong_kind)
{
    REFUSE("}Na.", 2, "0x61: the value on the stack holds no members of that kind");
    REFUSE("](NNu.", 4, "0x75: the value on the stack holds no members of that kind");
    REFUSE("\x8fNNs.", 3, "0x73: the value on the stack holds no members of that kind");
    REFUSE(")Na.", 2, "0x61: the value on the stack holds no members of that kind");
    EXPECT("\x8fNa.", "set [none]");
    EXPECT("](e.", "list");
    EXPECT("}(u.", "dict");
    REFUSE("(Nd.", 2, "0x64: a key without a value");
    REFUSE("}(NNNu.", 5, "0x75: a key without a value");
}

Test(refused_pickles, classes)
{
    REFUSE("K\x01\x8c\x01x\x93.", 5, "0x93: the name of a class is not a text");
    REFUSE("\x8c\x01xK\x01\x93.", 5, "0x93: the name of a class is not a text");
    for (int which = 0; which < 4; which++) { /* module and name, of 4096 bytes and of one more */
        pf_buffer b = {0};
        machine m;
        int lens[2] = {1, 1};
        lens[which % 2] = 4096 + which / 2;
        pf_buffer_format(&b, "c%0*d\n%0*d\n.", lens[0], 0, lens[1], 0);
        run(&m, b.data, b.len, NULL, NULL);
        cr_expect_eq(m.status, which < 2 ? PF_OK : PF_ERR_INPUT, "%d: %s", which, m.err.text);
        cr_expect(which < 2 || strstr(m.err.text, "0x63: a class name of more than 4096 bytes"));
        finish(&m);
        pf_buffer_free(&b);
    }
}

#define ENCODED(text, codec) "c_codecs\nencode\n\x8c" text "\x8c" codec "\x86R."
#define LATIN1                                                                                                         \
    "\x06"                                                                                                             \
    "latin1"
#define BEYOND "0x52: bytes with characters beyond U+00FF"

/* What Python pickles as text to be encoded again. */
Test(refused_pickles, bytes_of_latin1)
{
    EXPECT(ENCODED("\x00", LATIN1), "bytes");
    EXPECT(ENCODED("\x06"
                   "\x7f\xc2\x80\xc3\x80~",
                   LATIN1),
           "bytes 7f 80 c0 7e");
    REFUSE(ENCODED("\x02"
                   "\xc4\x80",
                   LATIN1),
           29, BEYOND); /* U+0100 */
    REFUSE(ENCODED("\x02"
                   "\xc1\x80",
                   LATIN1),
           29, BEYOND);
    REFUSE(ENCODED("\x01"
                   "\x80",
                   LATIN1),
           28, BEYOND);
    REFUSE(ENCODED("\x01"
                   "\xc3",
                   LATIN1),
           28, BEYOND);
    REFUSE(ENCODED("\x02"
                   "\xc3"
                   "A",
                   LATIN1),
           29, BEYOND);
    REFUSE(ENCODED("\x02"
                   "\xc3\xc0",
                   LATIN1),
           29, BEYOND);
    EXPECT(ENCODED("\x01"
                   "a",
                   "\x04"
                   "utf8"),
           "object '_codecs.encode' [text 'a'] [text 'utf8']");
}

/* Calls and states that mean nothing here add what can be added. */
Test(pickle, odd_calls_and_states)
{
    EXPECT("cm\nC\n]K\x01"
           "aR.",
           "object 'm.C'");
    EXPECT("K\x01)R.", "object");
    EXPECT("cm\nC\n)RK\x01\x85R.", "object 'm.C' [int 1]");
    EXPECT("cm\nC\nK\x01\x85]K\x02"
           "a\x92.",
           "object 'm.C' [int 1]");
    EXPECT("]}K\x01K\x02sb.", "list");
    EXPECT("cm\nC\n)\x81Nb.", "object 'm.C'");
    EXPECT("cm\nC\n)\x81}K\x01K\x02s\x85"
           "b.",
           "object 'm.C'");
    EXPECT("cm\nC\n)\x81}K\x01K\x02s]\x86"
           "b.",
           "object 'm.C' [int 1: int 2]");
    EXPECT("cdecimal\nDecimal\nK\x05\x85R.", "object 'decimal.Decimal' [int 5]");
    EXPECT("cdecimal\nDecimal\n\x8c\x01"
           "1\x8c\x01"
           "2\x86R.",
           "object 'decimal.Decimal' [text '1'] [text '2']");
    EXPECT("K\x01(0.", "int 1"); /* POP takes a mark where nothing lies above it */
}

/* ---- items of the list at the top -------------------------------------------------------------------------------- */

typedef struct seen {
    machine *m;
    uint64_t items;
    uint32_t most; /* values that were there at a time */
    int64_t sum;
} seen;

/* Each item is a tuple of a number and a text that all of them share. */
static pf_status look(void *ctx, uint32_t value, pf_error *err)
{
    seen *s = ctx;
    const pf_pickle_values *v = &s->m->v;
    (void)err;
    uint32_t i = pf_pickle_first(v, value);
    int64_t number;
    cr_assert(i != PF_NONE && pf_pickle_int(v, pf_pickle_member(v, i), &number));
    pf_str text = pf_pickle_text(v, pf_pickle_member(v, pf_pickle_next(v, i)));
    cr_assert(text.len == 6 && memcmp(text.ptr, "shared", 6) == 0);
    s->items++;
    s->sum += number;
    s->most = v->value.count > s->most ? v->value.count : s->most;
    return PF_OK;
}

/* 300,000 items, so many at a time: what was handed over goes, and what later items fetch stays. */
static void expect_items_go(int batch)
{
    enum { ITEMS = 300000 };
    pf_buffer b = {0};
    pf_buffer_put(&b,
                  "\x80\x04]\x94\x8c\x06shared\x94"
                  "0",
                  14);
    for (int i = 0; i < ITEMS; i++) {
        const char number[] = {'J', (char)i, (char)(i >> 8), (char)(i >> 16), 0, 'h', 1, (char)0x86, (char)0x94};
        if (i % batch == 0) {
            pf_buffer_text(&b, "(");
        }
        pf_buffer_put(&b, number, sizeof number);
        if (i % batch == batch - 1) {
            pf_buffer_text(&b, "e");
        }
    }
    pf_buffer_text(&b, ".");
    machine m;
    seen s = {.m = &m};
    run(&m, b.data, b.len, look, &s);
    cr_assert_eq(m.status, PF_OK, "%s", m.err.text);
    cr_expect_eq(s.items, ITEMS);
    cr_expect_eq(s.sum, (int64_t)ITEMS * (ITEMS - 1) / 2);
    cr_expect_lt(s.most, 100000);
    finish(&m);
    pf_buffer_free(&b);
}

Test(pickle, items_are_handed_over_and_go)
{
    expect_items_go(1000);
    expect_items_go(300000);
}

/* What the callback below keeps, and what it saw of the values there. */
typedef struct keeper {
    machine *m;
    uint32_t items, most;
} keeper;

/* Every second item is kept, and is alone with what else was kept after the large one went. */
static pf_status keep_some(void *ctx, uint32_t value, pf_error *err)
{
    keeper *k = ctx;
    uint32_t handle = PF_NONE;
    uint32_t count = k->m->v.value.count;
    k->most = k->items && count > k->most ? count : k->most;
    if (k->items++ % 2 == 0) {
        return PF_OK;
    }
    pf_status st = pf_pickle_keep(&k->m->v, value, &handle, err);
    cr_expect_eq(handle, k->items / 2 - 1);
    return st;
}

/* Large items alternate with small ones, which are kept with all that they hold: the large ones go at once, although
 * they still lie on the stack beyond its top. */
Test(pickle, what_is_kept_stays)
{
    enum { PAIRS = 70, LARGE = 70000 };
    pf_buffer b = {0};
    pf_buffer_text(&b, "\x80\x04]");
    for (int i = 0; i < PAIRS; i++) {
        const char small[] = {'(', '}', 'K', 7, ']', 'M', (char)i, 2, 'a', 's', 'e'};
        pf_buffer_text(&b, "((");
        for (int k = 0; k < (i % 10 ? 10 : LARGE); k++) {
            const char number[] = {'J', (char)k, (char)(k >> 8), 16, 0};
            pf_buffer_put(&b, number, sizeof number);
        }
        pf_buffer_text(&b, "te");
        pf_buffer_put(&b, small, sizeof small);
    }
    pf_buffer_text(&b, ".");
    machine m;
    keeper k = {.m = &m};
    run(&m, b.data, b.len, keep_some, &k);
    cr_assert_eq(m.status, PF_OK, "%s", m.err.text);
    cr_assert_eq(m.v.kept_count, PAIRS);
    for (int i = 0; i < PAIRS; i++) {
        char out[256] = "", expected[256];
        snprintf(expected, sizeof expected, "dict [int 7: list [int %d]]", 512 + i);
        show(&m.v, m.v.kept[i].value, out, sizeof out);
        cr_expect_str_eq(out, expected);
    }
    cr_expect_lt(k.most, 2 * LARGE, "%u", k.most);
    finish(&m);
    pf_buffer_free(&b);
}

/* ---- items that are handed over before APPENDS ------------------------------------------------------------------- */

/* Items as text, as they come, and whether some came before the opcode that ends the list. */
typedef struct shown {
    machine *m;
    pf_buffer text;
    size_t last; /* offset of that opcode */
    bool early;
} shown;

static void put_shown(pf_buffer *out, const pf_pickle_values *v, uint32_t value)
{
    char one[512] = "";
    show(v, value, one, sizeof one);
    pf_buffer_text(out, one);
    pf_buffer_text(out, "\n");
}

static pf_status note_item(void *ctx, uint32_t value, pf_error *err)
{
    shown *s = ctx;
    (void)err;
    put_shown(&s->text, &s->m->v, value);
    s->early = s->early || s->m->v.op < s->last;
    return PF_OK;
}

/* The items as they are handed over are those of the list when nobody takes them. Returns whether some came early. */
static bool expect_same_items(const pf_buffer *b, const char *which)
{
    machine m, whole;
    shown s = {.m = &m, .last = b->len - 2};
    pf_buffer expected = {0};
    run(&whole, b->data, b->len, NULL, NULL);
    for (uint32_t i = pf_pickle_first(&whole.v, whole.top); i != PF_NONE; i = pf_pickle_next(&whole.v, i)) {
        put_shown(&expected, &whole.v, pf_pickle_member(&whole.v, i));
    }
    run(&m, b->data, b->len, note_item, &s);
    cr_expect_eq(m.status, whole.status, "%s: %s", which, m.err.text);
    cr_expect(whole.status != PF_OK ||
                  (s.text.len == expected.len && memcmp(s.text.data, expected.data, expected.len) == 0),
              "%s:\n%.*s", which, (int)(s.text.len > 400 ? 400 : s.text.len),
              s.text.data + (s.text.len > 400 ? s.text.len - 400 : 0));
    finish(&m);
    finish(&whole);
    pf_buffer_free(&s.text);
    pf_buffer_free(&expected);
    return s.early;
}

/* A list of so many integers in one batch, then the opcodes of `more`, then APPENDS. */
static bool expect_same(int items, const char *more, size_t len)
{
    pf_buffer b = {0};
    pf_buffer_text(&b, "\x80\x04](");
    for (int i = 0; i < items; i++) {
        const char number[] = {'K', (char)i};
        pf_buffer_put(&b, number, sizeof number);
    }
    pf_buffer_put(&b, more, len);
    pf_buffer_text(&b, "e.");
    bool early = expect_same_items(&b, more);
    pf_buffer_free(&b);
    return early;
}

#define SAME(items, more) expect_same(items, more, sizeof(more) - 1)

/* What reaches down to an item changes it, however far down it is. */
Test(pickle, items_that_are_reached_again_are_not_handed_over)
{
    cr_expect(SAME(1200, "N"), "these wait for nothing");
    cr_expect_not(SAME(900, "N"), "a batch of Python's");
    cr_expect(SAME(1200, "\x87\x86\x85"));
    cr_expect(SAME(1200, "](K\1K\2e](K\3ea"), "a list in a list");
    cr_expect(SAME(1200, "]((K\1tK\2eN"), "marks in an item");
    cr_expect(SAME(1200, "]N(1a"), "a mark that is forgotten");
    cr_expect(SAME(1200, "cm\nC\n)\x81}(K\1K\2ubN"), "an object");
    cr_expect_not(SAME(1200, "]2K\1aN"), "one list twice, filled through the second");
    cr_expect_not(SAME(1030, "]KKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKKK00000000000000000000K\1a"), "a list far down");
    cr_expect_not(SAME(1200, "t("), "a tuple of all");
}

static pf_status count_item(void *ctx, uint32_t value, pf_error *err)
{
    uint32_t *items = ctx;
    (void)value;
    (void)err;
    (*items)++;
    return PF_OK;
}

/* Items above a mark that no APPENDS follows: only above the list at the top, and nothing else, they are its items. */
Test(pickle, what_waits_above_something_else_is_no_item)
{
    static const struct {
        const char *before;
        bool items;
    } cases[] = {{"](", true},   {"}(", false},  {"(", false}, {"]](", false},
                 {"N](", false}, {"]N(", false}, {")(", false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pf_buffer b = {0};
        pf_buffer_text(&b, cases[i].before);
        for (int k = 0; k < 1200; k++) {
            pf_buffer_text(&b, "]");
        }
        machine m;
        uint32_t items = 0;
        run(&m, b.data, b.len, count_item, &items);
        cr_expect_eq(m.status, PF_ERR_INPUT, "%s", cases[i].before);
        cr_expect_eq(items > 0, cases[i].items, "%s: %u", cases[i].before, items);
        finish(&m);
        pf_buffer_free(&b);
    }
}

/* What lies in the memo stays with all that it holds, while 200,000 other values go: nested values, objects that share
 * a state, and the class of decimals, which are made in one step before and after. */
Test(pickle, what_is_fetched_stays)
{
    static const int counts[] = {1, 12, 100, 700, 1500};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        static const char head[] = "\x80\x04]\x94"
                                   "cdecimal\nDecimal\n\x94"
                                   "0"
                                   "]K\1\x61](K\2\x8c\1x}\x8c\1kG\x3f\xf8\0\0\0\0\0\0sea\x94"
                                   "0"
                                   "cm\nC\n)\x81}\x8c\1yK\3s\x94"
                                   "b\x94"
                                   "0"
                                   "cm\nD\nK\4\x85Rh\3b\x94"
                                   "0";
        pf_buffer b = {0};
        pf_buffer_put(&b, head, sizeof head - 1);
        for (int k = 0; k < counts[i]; k++) { /* from 6 on: pairs */
            const char pair[] = {
                'J', (char)k,       (char)(k >> 8),       9, 0, ']', 'M', (char)k, (char)(k >> 8), 'a', (char)0x86,
                'r', (char)(k + 6), (char)((k + 6) >> 8), 0, 0, '0'};
            pf_buffer_put(&b, pair, sizeof pair);
        }
        for (int k = 0; k < 100000; k++) {
            const char number[] = {'J', (char)k, (char)(k >> 8), (char)(k >> 16), 8, (char)0x85, 'a'};
            pf_buffer_put(&b, number, sizeof number);
        }
        pf_buffer_text(&b, "(h\1\x8c\4");
        pf_buffer_text(&b, "-1.5\x94\x85\x94R\x94h\1\x8c\1");
        pf_buffer_text(&b, "2\x85Rh\2K\x09\x61"); /* and one more for the list */
        for (int k = 2; k < counts[i] + 6; k++) {
            const char fetch[] = {'j', (char)k, (char)(k >> 8), 0, 0};
            pf_buffer_put(&b, fetch, sizeof fetch);
        }
        pf_buffer_text(&b, "e.");
        cr_assert_not(b.failed);
        machine m;
        uint32_t items = 0;
        expect_same_items(&b, "fetched");
        run(&m, b.data, b.len, count_item, &items);
        cr_expect_eq(m.status, PF_OK, "%s", m.err.text);
        cr_expect_eq(items, (uint32_t)(100000 + 2 + 1 + 4 + counts[i]));
        cr_expect_lt(m.v.value.count, 40000, "%u", m.v.value.count);
        finish(&m);
        pf_buffer_free(&b);
    }
}

/* Programs by chance, of opcodes that take from one to three values, or all above a mark. */
Test(pickle, items_of_any_program_are_the_same)
{
    static const char *const codes[] = {"N",    "K\1", "]", ")",     "\x85",    "\x86",
                                        "\x87", "a",   "0", "(K\2t", "](NK\3e", "N0"};
    uint32_t random = 1;
    int early = 0;
    for (int i = 0; i < 300; i++) {
        char program[256];
        size_t n = 0;
        for (int k = 0; k < 40; k++) {
            random = random * 1664525 + 1013904223;
            const char *code = codes[(random >> 16) % (sizeof codes / sizeof *codes)];
            memcpy(program + n, code, strlen(code));
            n += strlen(code);
        }
        program[n] = '\0';
        early += expect_same(1100, program, n);
    }
    cr_expect_gt(early, 0);
}

/* A dict that lies in the memo outlives everything that was let go of before it is fetched again. */
Test(pickle, what_the_memo_holds_stays_with_its_members)
{
    pf_buffer b = {0};
    static const char head[] = "\x80\x04]\x94}\x94(\x8c\x01"
                               "aK\x05\x85\x8c\x01"
                               "bM\x01\x02u0";
    pf_buffer_put(&b, head, sizeof head - 1);
    for (int i = 0; i < 100000; i++) {
        const char item[] = {'J', (char)i, (char)(i >> 8), (char)(i >> 16), 0, (char)0x85};
        pf_buffer_text(&b, i % 1000 == 0 ? "(" : "");
        pf_buffer_put(&b, item, sizeof item);
        pf_buffer_text(&b, i % 1000 == 999 ? "e" : "");
    }
    pf_buffer_text(&b, "(h\x01"
                       "e.");
    machine m;
    shown s = {.m = &m};
    run(&m, b.data, b.len, note_item, &s);
    cr_assert_eq(m.status, PF_OK, "%s", m.err.text);
    static const char last[] = "tuple [int 99999]\ndict [text 'a': tuple [int 5]] [text 'b': int 513]\n";
    cr_assert_geq(s.text.len, sizeof last - 1);
    cr_expect_eq(memcmp(s.text.data + s.text.len - (sizeof last - 1), last, sizeof last - 1), 0);
    cr_expect_lt(m.v.value.count, 200000);
    pf_buffer_free(&s.text);
    pf_buffer_free(&b);
    finish(&m);
}
