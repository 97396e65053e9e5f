/* test_refused_pickles.c - opcodes that are not known, and every one that finds too few bytes or values. */
#include "pickles.h"

/* Whether the bytes are refused with exactly this text (before the advice that ends it), at this offset. */
static void expect_refusal(const char *code, size_t len, uint64_t offset, const char *text)
{
    pf_trace *t;
    pf_error err;
    pf_status st = read_profile_bytes(code, len, &t, &err);
    cr_expect_eq(st, PF_ERR_INPUT, "%s: %d %s", text, st, err.text);
    if (st == PF_ERR_INPUT) {
        cr_expect_eq(err.offset, offset, "%s: at %llu", text, (unsigned long long)err.offset);
        cr_expect(strstr(err.text, text), "%s\nnot %s", err.text, text);
    }
    pf_trace_free(t);
}

static void expect_accepted(const char *code, size_t len)
{
    pf_trace *t;
    pf_error err;
    cr_expect_eq(read_profile_bytes(code, len, &t, &err), PF_OK, "%s", err.text);
    pf_trace_free(t);
}

/* All that protocols 2 to 5 need for data, as Python's pickletools lists them. */
Test(refused_pickles, opcodes_that_are_not_data)
{
    static const char known[] = ".(012NKMJGXCB])}tldaesuqrhjcRb\x80\x81\x85\x86\x87\x88\x89\x8a\x8b\x8c\x8d\x8e\x8f\x90"
                                "\x91\x92\x93\x94\x95\x96";
    for (unsigned op = 0; op < 256; op++) {
        if (!memchr(known, (int)op, sizeof known - 1)) {
            const char code[] = {'\x80', 4, ']', (char)op, '.'};
            char text[64];
            snprintf(text, sizeof text, "pickle opcode 0x%02x: not allowed in a profile", op);
            expect_refusal(code, sizeof code, 3, text);
        }
    }
}

/* Arguments of fixed length one byte short. */
Test(refused_pickles, arguments_that_are_cut)
{
    static const struct {
        unsigned char op, length;
    } ops[] = {{0x80, 1}, {0x95, 8}, {'K', 1},  {'M', 2}, {'J', 4},  {'G', 8}, {'q', 1}, {'r', 4},  {'h', 1}, {'j', 4},
               {0x8a, 1}, {0x8b, 4}, {0x8c, 1}, {'X', 4}, {0x8d, 8}, {'C', 1}, {'B', 4}, {0x8e, 8}, {0x96, 8}};
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        char code[16] = {']', (char)ops[i].op}, text[128];
        unsigned there = ops[i].length - 1u;
        snprintf(text, sizeof text,
                 "the pickle ends in the middle: opcode 0x%02x at byte 1 needs %u bytes more, %u are left; copy",
                 ops[i].op, ops[i].length, there);
        expect_refusal(code, 2 + there, 2, text);
    }
}

/* A text, bytes or an integer with one byte less than its count says, and none less. */
Test(refused_pickles, contents_that_are_cut)
{
    static const struct {
        unsigned char op, width;
    } ops[] = {{0x8a, 1}, {0x8b, 4}, {0x8c, 1}, {'X', 4}, {0x8d, 8}, {'C', 1}, {'B', 4}, {0x8e, 8}, {0x96, 8}};
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        char code[32] = {']', (char)ops[i].op, 3}, text[128];
        size_t at = 2 + (size_t)ops[i].width;
        memcpy(code + at, "abc0.", 5);
        snprintf(text, sizeof text, "opcode 0x%02x at byte 1 needs 3 bytes more, 2 are left", ops[i].op);
        expect_refusal(code, at + 2, at, text);
        expect_accepted(code, at + 5);
    }
}

/* Each with one value less than it takes, with and without a mark under it; the offset is that behind its arguments. */
Test(refused_pickles, too_few_values)
{
    static const struct {
        const char *code;
        size_t len;
        unsigned takes;
    } ops[] = {{"\x94", 1, 1}, {"q\0", 2, 1},  {"r\0\0\0\0", 5, 1}, {"2", 1, 1}, {"\x85", 1, 1},
               {"\x86", 1, 2}, {"\x87", 1, 3}, {"a", 1, 2},         {"s", 1, 3}, {"\x93", 1, 2},
               {"\x81", 1, 2}, {"R", 1, 2},    {"\x92", 1, 3},      {"b", 1, 2}};
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
        for (int marked = 0; marked <= 1; marked++) {
            char code[32] = "](", text[64];
            size_t n = marked ? 2 : 0;
            for (unsigned k = 1; k < ops[i].takes; k++) {
                code[n++] = ']';
            }
            memcpy(code + n, ops[i].code, ops[i].len);
            snprintf(text, sizeof text, "opcode 0x%02x takes more than the stack holds", (unsigned char)*ops[i].code);
            expect_refusal(code, n + ops[i].len, n + ops[i].len, text);
        }
    }
}

/* An integer of 255 bytes is one; leading bytes that say nothing do not count. */
Test(refused_pickles, wide_integers)
{
    for (unsigned width = 254; width <= 257; width++) {
        for (int plain = 0; plain <= 1; plain++) {
            char code[300] = {']', '\x8b', (char)width, (char)(width >> 8)};
            memset(code + 6, 0x55, width - 1);
            code[5 + width] = plain ? 0x55 : 0;
            memcpy(code + 6 + width, "0.", 2);
            if (width - !plain <= 255) {
                expect_accepted(code, width + 8);
            } else {
                expect_refusal(code, width + 8, 1, "opcode 0x8b: an integer of more than 255 bytes");
            }
        }
    }
}
