/* test_pickle_scan.c - the look over the opcodes: which places of the memo are fetched, and where items are complete.
 */
#include "pickle_runs.h"

#include "base/buffer.h"

static void look(machine *m, const pf_buffer *code)
{
    cr_assert_not(code->failed);
    *m = (machine){.top = PF_NONE};
    pf_budget_init(&m->budget, NULL);
    pf_arena_init(&m->arena, &m->budget);
    const pf_bytes input = {(const uint8_t *)code->data, code->len};
    cr_assert_eq(pf_pickle_values_open(&m->v, input, &m->budget, &m->arena, &m->err), PF_OK);
}

/* The bits that are set, less `from`, as text: "0 3 ". */
static void show_bits(const pf_pickle_bits *bits, size_t from, char *out, size_t room)
{
    *out = '\0';
    for (size_t at = 0; at < bits->bytes * 8; at++) {
        size_t n = strlen(out);
        if (bits->bit[at / 8] >> at % 8 & 1 && n + 24 < room) {
            snprintf(out + n, room - n, "%lld ", (long long)at - (long long)from);
        }
    }
}

/* ---- items of a list --------------------------------------------------------------------------------------------- */

static void put_nones(pf_buffer *b, int count)
{
    for (int i = 0; i < count; i++) {
        pf_buffer_text(b, "N");
    }
}

/* What comes before the mark, so many items of one byte, more opcodes: at which of these an item of the batch begins
 * that nothing reaches any more until the batch is a list. */
static void expect_complete(const char *before, int items, const char *more, const char *expected)
{
    machine m;
    char found[512];
    pf_buffer b = {0};
    pf_buffer_text(&b, before);
    pf_buffer_text(&b, "(");
    put_nones(&b, items);
    size_t from = b.len;
    pf_buffer_text(&b, more);
    pf_buffer_text(&b, ".");
    look(&m, &b);
    show_bits(&m.v.complete, from, found, sizeof found);
    cr_expect_str_eq(found, expected, "%s(%d %s: %s, not %s", before, items, more, found, expected);
    finish(&m);
    pf_buffer_free(&b);
}

/* Batches of up to 1024 items are Python's, and stay as they are. */
Test(pickle_scan, items_after_the_first_thousand)
{
    expect_complete("]", 1023, "NNNe", "1 2 ");
    expect_complete("]", 1024, "NNNe", "0 1 2 ");
    expect_complete("]", 1000, "NNNe", "");
    expect_complete("]", 1024, "NK\x01X\x03", "0 1 "); /* cut off */
    expect_complete("", 1024, "NNe", "");
    expect_complete("]]", 1024, "NNe", "");
    expect_complete("]N0", 1024, "NNe", "0 1 ");
    expect_complete("}", 1024, "NNu", "0 1 "); /* the machine asks whether it is a list */
    expect_complete("]", 1024, "NNt", "");
    expect_complete("]", 1024, "NN1", "");
    expect_complete("(l", 1024, "NNe", "0 1 "); /* a list that is made of nothing */
    expect_complete("](t", 1024, "NNe", "");
    expect_complete("]", 1024, "NNe(NNe", "0 1 ");
}

Test(pickle_scan, opcodes_that_reach_back)
{
    static const struct {
        const char *more, *expected;
    } cases[] = {
        {"NN\x86Ne", "0 3 "},   /* a tuple of two items begins where the first did */
        {"NN\x85Ne", "0 1 3 "}, /* of one: nothing else is reached */
        {"NNN\x87Ne", "0 4 "},  {"]Nae", "0 "},       {"}NNsNe", "0 4 "},
        {"N\x94Ne", "0 2 "},                                              /* into the memo */
        {"N0Ne", "2 "},         {"NN0Ne", "0 3 "},    {"(NNtNe", "0 4 "}, /* begins with its mark */
        {"(NNlNe", "0 4 "},     {"((NtNtNe", "0 6 "}, {"N((Nt\x85tNe", "0 1 7 "},
        {"](NNeNe", "0 5 "},    {"N(1Ne", "0 3 "},    {"N(NN1Ne", "0 5 "},
        {"N2Ne", ""},                               /* one value twice: nothing is known from there on */
        {"NN\x86N2Ne", ""},     {"(N2tNe", "0 4 "}, /* but within an item it is nobody else's */
        {"(N0tNe", ""},         {"NNtN", ""},         {"NNe(N\x86NN", "0 1 "}, /* takes more than the next batch has */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        expect_complete("]", 1024, cases[i].more, cases[i].expected);
    }
}

/* Beginnings of sixteen items are known: who goes further down clears the batch. */
Test(pickle_scan, opcodes_that_reach_far)
{
    expect_complete("]", 1024, "NNNNNNNNNNNNNNNNNNNN0000000000000000e", "0 1 2 3 ");
    expect_complete("]", 1024, "NNNNNNNNNNNNNNNNNNNN0000000000000000Ne", "0 1 2 3 36 ");
    expect_complete("]", 1024, "NNNNNNNNNNNNNNNNNNNN00000000000000000e", "");
    expect_complete("]", 1024, "NNNNNNNNNNNNNNNNNNNN00000000000000000NNe", "37 38 ");
    expect_complete("]", 1024, "0Ne", "");
    expect_complete("]", 1024, "00NNNe", "4 ");
}

/* ---- the memo ---------------------------------------------------------------------------------------------------- */

/* The places that are fetched; the code is followed by 200 bytes, so that places of up to 200 can be in the file. */
static void expect_fetched(const char *code, size_t len, const char *expected)
{
    machine m;
    char found[512];
    pf_buffer b = {0};
    pf_buffer_put(&b, code, len);
    put_nones(&b, 200);
    look(&m, &b);
    show_bits(&m.v.fetched, 0, found, sizeof found);
    cr_expect_str_eq(found, expected, "0x%02x...: %s, not %s", (unsigned char)code[0], found, expected);
    finish(&m);
    pf_buffer_free(&b);
}

#define FETCHED(code, expected) expect_fetched(code, sizeof(code) - 1, expected)

Test(pickle_scan, places_that_are_fetched)
{
    FETCHED("h\x05h\x07j\x64\0\0\0h\x05", "5 7 100 ");
    FETCHED("j\x00\x01\0\0h\x01", "1 "); /* 256 cannot have been put */
    FETCHED("j\xcf\0\0\0h\x01", "1 207 ");
    FETCHED("j\xd0\0\0\0h\x01", "1 ");
    FETCHED("j\x05\0\0\x01h\x01", "1 ");
    FETCHED("h\x05.h\x07", "5 ");
    FETCHED("h\x05\xffh\x07", "5 "); /* no opcode: the machine says so */
    FETCHED("h\x05p0\nh\x07", "5 ");
    FETCHED("h\x05X\0\0\0\x01h\x07", "5 "); /* a text that is cut off */
    FETCHED("h\x05\x8d\0\0\0\0\0\0\0\xffh\x07", "5 ");
    FETCHED("h\x05"
            "cm\nh\x07",
            "5 "); /* a class whose name does not end */
    FETCHED("cm\nC\nh\x05", "5 ");
}

/* Every opcode's argument is stepped over, whatever is in it: here, what would fetch 104. */
Test(pickle_scan, arguments_are_stepped_over)
{
    static const struct {
        const char *opcodes;
        unsigned fixed, counted;
    } kinds[] = {{"012N\x88\x89\x94])}\x8ftld\x91\x85\x86\x87"
                  "ae\x90su\x93\x81R\x92"
                  "b(",
                  0, 0},
                 {"\x80qK", 1, 0},
                 {"M", 2, 0},
                 {"rJ", 4, 0},
                 {"\x95G", 8, 0},
                 {"\x8a\x8c"
                  "C",
                  0, 1},
                 {"\x8bXB", 0, 4},
                 {"\x8d\x8e\x96", 0, 8}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        for (const char *op = kinds[i].opcodes; *op; op++) {
            pf_buffer b = {0};
            pf_buffer_put(&b, op, 1);
            pf_buffer_put(&b, "hhhhhhhh", kinds[i].fixed);
            if (kinds[i].counted) {
                pf_buffer_put(&b, "\x05\0\0\0\0\0\0\0hhhhh", kinds[i].counted);
                pf_buffer_text(&b, "hhhhh");
            }
            pf_buffer_put(&b, "h\x01", 2);
            expect_fetched(b.data, b.len, "1 ");
            pf_buffer_free(&b);
        }
    }
    pf_buffer b = {0}; /* a text of 300 bytes: two bytes say so */
    pf_buffer_put(&b, "X\x2c\x01\0\0", 5);
    for (int i = 0; i < 300; i++) {
        pf_buffer_text(&b, "h");
    }
    pf_buffer_put(&b, "h\x01", 2);
    expect_fetched(b.data, b.len, "1 ");
    pf_buffer_free(&b);
}

/* ---- what is made ------------------------------------------------------------------------------------------------ */

static pf_status nothing(void *ctx, uint32_t value, pf_error *err)
{
    (void)ctx;
    (void)value;
    (void)err;
    return PF_OK;
}

/* Values and items count once each, small integers and constants once in all. */
Test(pickle_scan, values_and_items_are_counted)
{
    static const struct {
        const char *code;
        uint64_t values, items;
    } cases[] = {
        {"N.", 1, 0},
        {"NN\x86.", 2, 2},
        {"K\x01K\x01K\x02\x87.", 3, 3},
        {"M\x01\x02M\x01\x02\x86.", 3, 2},
        {"](NNNe.", 2, 3},
        {"](](NeNe.", 3, 3},
        {"}(NNNNu.", 2, 2},
        {"C\x01xC\x01x\x86.", 3, 2},
        {"\x88\x89\x88\x87.", 3, 3},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (unsigned taken = 0; taken < 2; taken++) {
            machine m;
            run(&m, cases[i].code, strlen(cases[i].code), taken ? nothing : NULL, NULL);
            cr_assert_eq(m.status, PF_OK, "%s", m.err.text);
            cr_expect_eq(m.v.made, cases[i].values + cases[i].items, "%s: %llu", cases[i].code,
                         (unsigned long long)m.v.made);
            cr_expect_eq(m.v.value.count, cases[i].values, "%s", cases[i].code);
            cr_expect_eq(m.v.item.count, cases[i].items, "%s", cases[i].code);
            finish(&m);
        }
    }
}

/* So do items that are handed over before they are in their list. */
Test(pickle_scan, items_handed_over_early_are_counted)
{
    pf_buffer b = {0};
    machine m;
    pf_buffer_text(&b, "](");
    put_nones(&b, 1500);
    pf_buffer_text(&b, "e.");
    run(&m, b.data, b.len, nothing, NULL);
    cr_expect_eq(m.status, PF_OK, "%s", m.err.text);
    cr_expect_eq(m.v.made, 2 + 1500, "%llu", (unsigned long long)m.v.made);
    cr_expect_lt(m.v.item.count, 1500, "most were");
    finish(&m);
    pf_buffer_free(&b);
}
