/* Lengths of AMD instructions, from the encodings of the instruction set documents; and objects that are none. */
#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#include "read/tinygrad/sqtt/amd_code.h"

static const struct {
    pf_amd_isa isa;
    uint32_t first, second;
    unsigned length;
    const char *what;
} instructions[] = {
    {PF_AMD_RDNA3, 0xbe800081, 0, 4, "s_mov_b32 s0, 1"},
    {PF_AMD_RDNA3, 0xbe8000ff, 0, 8, "s_mov_b32 s0, literal"},
    {PF_AMD_RDNA3, 0xbf000201, 0, 4, "s_cmp s1, s2"},
    {PF_AMD_RDNA3, 0xbf00ff01, 0, 8, "s_cmp s1, literal"},
    {PF_AMD_RDNA3, 0xbfb00000, 0, 4, "s_endpgm"},
    {PF_AMD_RDNA3, 0xbf9200ff, 0, 4, "SOPP whose immediate looks like a literal"},
    {PF_AMD_RDNA3, 0xb0000000, 0, 4, "s_movk_i32"},
    {PF_AMD_RDNA3, 0xb9800000, 0, 8, "s_setreg_imm32_b32"},
    {PF_AMD_CDNA, 0xba000000, 0, 8, "s_setreg_imm32_b32, CDNA"},
    {PF_AMD_RDNA3, 0x80000201, 0, 4, "s_add_u32"},
    {PF_AMD_RDNA3, 0x8000ff01, 0, 8, "s_add_u32 with a literal"},
    {PF_AMD_RDNA3, 0x7e000301, 0, 4, "v_mov_b32 v0, v1"},
    {PF_AMD_RDNA3, 0x7e0002ff, 0, 8, "v_mov_b32 v0, literal"},
    {PF_AMD_RDNA3, 0x7e0002fa, 0, 8, "v_mov_b32 DPP16"},
    {PF_AMD_RDNA3, 0x7e0002e9, 0, 8, "v_mov_b32 DPP8"},
    {PF_AMD_CDNA, 0x7e0002e9, 0, 4, "no DPP8 in CDNA"},
    {PF_AMD_CDNA, 0x7e0002f9, 0, 8, "v_mov_b32 SDWA"},
    {PF_AMD_RDNA3, 0x7e0002f9, 0, 4, "no SDWA in RDNA3"},
    {PF_AMD_RDNA3, 44u << 25 | 0x101, 0, 8, "v_fmamk_f32"},
    {PF_AMD_CDNA, 44u << 25 | 0x101, 0, 4, "another operation in CDNA"},
    {PF_AMD_CDNA, 23u << 25 | 0x101, 0, 8, "v_madmk_f32"},
    {PF_AMD_RDNA3, 0xd5000000, 0x00000000, 8, "VOP3"},
    {PF_AMD_RDNA3, 0xd5000000, 0x0001fe00, 12, "VOP3, second source a literal"},
    {PF_AMD_RDNA3, 0xd5000000, 0x03fc0000, 12, "VOP3, third source a literal"},
    {PF_AMD_RDNA3, 0xd5000000, 0x000000fa, 12, "VOP3 DPP16"},
    {PF_AMD_CDNA, 0xd1000000, 0x000000ff, 8, "CDNA has no literals in VOP3"},
    {PF_AMD_RDNA3, 0xcc400000, 0x00000000, 8, "v_wmma"},
    {PF_AMD_RDNA3, 0xc8000000, 0x00000000, 8, "VOPD"},
    {PF_AMD_RDNA3, 0xc80000ff, 0x00000000, 12, "VOPD with a literal"},
    {PF_AMD_RDNA3, 0xc8400000, 0x00000000, 12, "VOPD, v_dual_fmaak"},
    {PF_AMD_RDNA3, 0xdc000000, 0, 8, "global load"},
    {PF_AMD_RDNA4, 0xee000000, 0, 12, "global load, RDNA4"},
    {PF_AMD_RDNA4, 0xc4000000, 0, 12, "buffer load, RDNA4"},
    {PF_AMD_RDNA3, 0xf4000000, 0, 8, "s_load"},
};

Test(amd_code, lengths)
{
    for (size_t i = 0; i < sizeof instructions / sizeof instructions[0]; i++) {
        unsigned length = pf_amd_instruction_length(instructions[i].isa, instructions[i].first, instructions[i].second);
        cr_assert_eq(length, instructions[i].length, "%s: %u", instructions[i].what, length);
    }
}

Test(amd_code, kinds)
{
    cr_assert_eq(pf_amd_instruction_flags(PF_AMD_RDNA3, 0xbf870000), PF_AMD_SILENT);               /* s_delay_alu */
    cr_assert_eq(pf_amd_instruction_flags(PF_AMD_RDNA3, 0xbf890000), PF_AMD_WAIT);                 /* s_waitcnt */
    cr_assert_eq(pf_amd_instruction_flags(PF_AMD_RDNA3, 0xbfbd0000), PF_AMD_WAIT);                 /* s_barrier */
    cr_assert_eq(pf_amd_instruction_flags(PF_AMD_RDNA4, 0xbf880000), PF_AMD_SILENT | PF_AMD_WAIT); /* s_wait_alu */
    cr_assert_eq(pf_amd_instruction_flags(PF_AMD_RDNA4, 0xbfc00000), PF_AMD_WAIT);                 /* s_wait_loadcnt */
    cr_assert_eq(pf_amd_instruction_flags(PF_AMD_RDNA3, 0xbfa00000), PF_AMD_BRANCH);               /* s_branch */
    cr_assert_eq(pf_amd_instruction_flags(PF_AMD_RDNA3, 0xbfb00000), 0);                           /* s_endpgm */
    cr_assert_eq(pf_amd_instruction_flags(PF_AMD_RDNA3, 0xcc450000), PF_AMD_WMMA | PF_AMD_INT4);
    cr_assert_eq(pf_amd_instruction_flags(PF_AMD_CDNA, 0xbf870000), 0);
}

Test(amd_code, instruction_sets)
{
    cr_assert_eq(pf_amd_isa_of(110501), PF_AMD_RDNA3);
    cr_assert_eq(pf_amd_isa_of(120001), PF_AMD_RDNA4);
    cr_assert_eq(pf_amd_isa_of(90500), PF_AMD_CDNA);
    cr_assert_eq(pf_amd_isa_of(0), PF_AMD_CDNA);
}

/* Every prefix of an object, and one that is told to be elsewhere: no instructions, and no reads beyond. */
Test(amd_code, damaged_objects)
{
    uint8_t object[256] = "\177ELF\2\1";
    pf_budget budget;
    pf_amd_code code;
    pf_budget_init(&budget, NULL);
    object[40] = 64;  /* sections */
    object[58] = 64;  /* of so many bytes */
    object[60] = 2;   /* as many */
    object[62] = 1;   /* names */
    object[136] = 4;  /* executable */
    object[152] = 60; /* where */
    object[160] = 16; /* bytes */
    for (size_t len = 0; len <= sizeof object; len++) {
        uint8_t *exact = malloc(len + 1);
        memcpy(exact, object, len);
        cr_assert_eq(pf_amd_code_open(&code, (pf_bytes){exact, len}, PF_AMD_RDNA3, &budget, NULL), PF_OK);
        cr_assert_eq(code.dwords, len >= 192 ? 4 : 0, "%zu", len);
        pf_amd_code_free(&code);
        free(exact);
    }
    memset(object + 152, 0xff, 16);
    cr_assert_eq(pf_amd_code_open(&code, (pf_bytes){object, sizeof object}, PF_AMD_RDNA3, &budget, NULL), PF_OK);
    cr_assert_eq(code.dwords, 0);
    cr_assert_eq(budget.used, 0);
}

/* ---- both sides of every rule ------------------------------------------------------------------------------------ */

static bool is_one_of(unsigned number, const unsigned *list)
{
    while (*list != UINT32_MAX && *list != number) {
        list++;
    }
    return *list == number;
}

#define ONE_OF(number, ...) is_one_of(number, (const unsigned[]){__VA_ARGS__, UINT32_MAX})

static const pf_amd_isa isas[] = {PF_AMD_CDNA, PF_AMD_RDNA3, PF_AMD_RDNA4};

static void expect_length(pf_amd_isa isa, uint32_t first, uint32_t second, unsigned length)
{
    unsigned seen = pf_amd_instruction_length(isa, first, second);
    cr_expect_eq(seen, length, "%08x %08x of %d: %u, not %u", first, second, isa, seen, length);
}

/* Operand 255 is a literal that follows, in SOP1 the first one alone, in SOPP and SOPK none. */
Test(amd_code, scalar_operands)
{
    for (unsigned i = 0; i < 3; i++) {
        for (unsigned operand = 0; operand < 256; operand++) {
            unsigned length = operand == 255 ? 8 : 4;
            expect_length(isas[i], 0xbe800000 | operand, 0, length);
            expect_length(isas[i], 0xbe800000 | operand << 8, 0, 4);
            expect_length(isas[i], 0xbf000000 | operand, 0, length);
            expect_length(isas[i], 0xbf000000 | operand << 8, 0, length);
            expect_length(isas[i], 0xbf800000 | operand, 0, 4);
            expect_length(isas[i], 0xbf800000 | operand << 8, 0, 4);
            expect_length(isas[i], 0xb0000000 | operand, 0, 4);
            expect_length(isas[i], 0x80000000 | operand, 0, length);
            expect_length(isas[i], 0x80000000 | operand << 8, 0, length);
        }
        for (unsigned op = 0; op < 27; op++) { /* SOPK, as far as it is none of the formats above */
            expect_length(isas[i], 0xb0000000 | op << 23, 0, op == (isas[i] == PF_AMD_CDNA ? 20 : 19) ? 8 : 4);
        }
    }
}

Test(amd_code, vector_operands)
{
    for (unsigned i = 0; i < 3; i++) {
        bool cdna = isas[i] == PF_AMD_CDNA;
        for (uint32_t source = 0; source < 512; source++) {
            bool more = cdna ? ONE_OF(source, 249, 250, 255) : ONE_OF(source, 233, 234, 250, 255);
            expect_length(isas[i], source, 0, more ? 8 : 4);
            bool three = ONE_OF(source, 233, 234, 250, 255);
            for (uint32_t kind = 0xcc; kind <= 0xd8; kind++) {
                bool vop3 = !cdna && ONE_OF(kind, 0xcc, 0xcd, 0xd4, 0xd5, 0xd6, 0xd7);
                if (!(isas[i] == PF_AMD_RDNA4 && ONE_OF(kind, 0xd0, 0xd1, 0xd2, 0xd3))) { /* of three dwords */
                    expect_length(isas[i], kind << 24, source, vop3 && three ? 12 : 8);
                    expect_length(isas[i], kind << 24, source << 9, vop3 && source == 255 ? 12 : 8);
                    expect_length(isas[i], kind << 24, source << 18, vop3 && source == 255 ? 12 : 8);
                }
            }
        }
        for (uint32_t op = 0; op < 64; op++) { /* VOP2 with a constant */
            bool more = cdna ? ONE_OF(op, 23, 24, 36, 37) : ONE_OF(op, 44, 45, 55, 56);
            expect_length(isas[i], op << 25, 0, more ? 8 : 4);
        }
    }
}

Test(amd_code, vectors_in_pairs_and_memory)
{
    for (unsigned i = 0; i < 3; i++) {
        bool cdna = isas[i] == PF_AMD_CDNA;
        for (uint32_t op = 0; op < 16; op++) {
            expect_length(isas[i], 0xc8000000 | op << 22, 0, !cdna && ONE_OF(op, 1, 2) ? 12 : 8);
        }
        for (uint32_t op = 0; op < 32; op++) {
            expect_length(isas[i], 0xc8000000 | op << 17, 0, !cdna && ONE_OF(op, 1, 2) ? 12 : 8);
        }
        for (uint32_t source = 0; source < 512; source++) {
            expect_length(isas[i], 0xc8000000 | source, 0, !cdna && source == 255 ? 12 : 8);
            expect_length(isas[i], 0xc8000000, source, !cdna && source == 255 ? 12 : 8);
        }
        for (uint32_t byte = 0xc0; byte < 0x100; byte++) {
            bool more =
                isas[i] == PF_AMD_RDNA4 && (ONE_OF(byte, 0xec, 0xed, 0xee) || ONE_OF(byte >> 2, 0x31, 0x34, 0x39));
            expect_length(isas[i], byte << 24, 0, more ? 12 : 8);
        }
    }
}

static void expect_flags(pf_amd_isa isa, uint32_t first, unsigned flags)
{
    unsigned seen = pf_amd_instruction_flags(isa, first);
    cr_expect_eq(seen, isa == PF_AMD_CDNA ? 0 : flags, "%08x of %d: %x", first, isa, seen);
}

/* Numbers of s_nop, s_sleep, s_wait..., barriers, s_delay_alu and branches, of matrix products and of the waits of one
 * counter. Nothing of CDNA is told apart. */
Test(amd_code, every_operation)
{
    for (unsigned i = 0; i < 3; i++) {
        bool rdna4 = isas[i] == PF_AMD_RDNA4;
        for (uint32_t op = 0; op < 128; op++) {
            bool wait = ONE_OF(op, 0, 3, 8, 9, 10, 11) ||
                        (rdna4 ? ONE_OF(op, 20, 64, 65, 66, 67, 68, 69, 70, 71, 72, 73) : op == 61);
            bool silent = op == 7 || (rdna4 && ONE_OF(op, 8, 20)), branch = ONE_OF(op, 32, 33, 34, 35, 36, 37, 38);
            expect_flags(isas[i], 0xbf800000 | op << 16,
                         (wait ? PF_AMD_WAIT : 0u) | (silent ? PF_AMD_SILENT : 0u) | (branch ? PF_AMD_BRANCH : 0u));
            bool product = op >= 64 && op <= 74, small = ONE_OF(op, 69, 74);
            expect_flags(isas[i], 0xcc000000 | op << 16, (product ? PF_AMD_WMMA : 0u) | (small ? PF_AMD_INT4 : 0u));
            expect_flags(isas[i], 0xcd000000 | op << 16, 0);
        }
        for (uint32_t op = 0; op < 27; op++) {
            expect_flags(isas[i], 0xb0000000 | op << 23,
                         isas[i] == PF_AMD_RDNA3 && ONE_OF(op, 24, 25, 26) ? PF_AMD_WAIT : 0);
        }
        for (uint32_t op = 0; op < 256; op++) { /* s_barrier_signal, s_barrier_signal_isfirst */
            expect_flags(isas[i], 0xbe800000 | op << 8, rdna4 && ONE_OF(op, 78, 79) ? PF_AMD_WAIT : 0);
        }
        expect_flags(isas[i], 0xc0000000 | 27u << 23, 0);
    }
    expect_flags(PF_AMD_RDNA3, 0xbd800000, PF_AMD_WAIT); /* s_waitcnt_lgkmcnt: SOPK 27 */
    expect_flags(PF_AMD_RDNA4, 0xbd800000, 0);
    static const struct {
        int64_t version;
        pf_amd_isa isa;
    } versions[] = {{109999, PF_AMD_CDNA},  {110000, PF_AMD_RDNA3}, {119999, PF_AMD_RDNA3},
                    {120000, PF_AMD_RDNA4}, {130000, PF_AMD_RDNA4}, {-1, PF_AMD_CDNA}};
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
        cr_expect_eq(pf_amd_isa_of(versions[i].version), versions[i].isa, "%zu", i);
    }
}

/* ---- sections ---------------------------------------------------------------------------------------------------- */

enum { OBJECT = 512, NAMES = 256, FIRST_CODE = 288, SECOND_CODE = 320 };

static void put(uint8_t *at, uint64_t number, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++) {
        at[i] = (uint8_t)(number >> 8 * i);
    }
}

static void section(uint8_t *object, unsigned i, uint32_t name, uint64_t flags, uint64_t address, uint64_t offset,
                    uint64_t size)
{
    uint8_t *at = object + 64 + (size_t)64 * i;
    put(at, name, 4);
    put(at + 8, flags, 8);
    put(at + 16, address, 8);
    put(at + 24, offset, 8);
    put(at + 32, size, 8);
}

/* Two sections with code, of 4 and of 3 dwords, and one of names. */
static void make_object(uint8_t object[OBJECT], uint32_t names[2], uint64_t flags[2])
{
    memset(object, 0, OBJECT);
    memcpy(object, "\177ELF\2\1", 6);
    put(object + 40, 64, 8);
    put(object + 58, 64, 2);
    put(object + 60, 3, 2);
    put(object + 62, 2, 2);
    section(object, 0, names[0], flags[0], 0x1000, FIRST_CODE, 16);
    section(object, 1, names[1], flags[1], 0x2000, SECOND_CODE, 12);
    section(object, 2, 0, 0, 0, NAMES, 32);
    memcpy(object + NAMES, "\0.text\0.textx\0text\0", 19);
}

static uint64_t start_of(const uint8_t *object, size_t *dwords)
{
    pf_budget budget;
    pf_amd_code code;
    pf_budget_init(&budget, NULL);
    cr_assert_eq(pf_amd_code_open(&code, (pf_bytes){object, OBJECT}, PF_AMD_RDNA3, &budget, NULL), PF_OK);
    uint64_t start = code.start;
    *dwords = code.dwords;
    pf_amd_code_free(&code);
    cr_expect_eq(budget.used, 0);
    return start;
}

/* The section with the name .text, else the first one that may be executed. */
Test(amd_code, the_section_with_the_code)
{
    enum { NONE = 0, TEXT = 1, TEXTX = 7, NO_POINT = 14 };
    static const struct {
        uint32_t names[2];
        uint64_t flags[2], start;
        size_t dwords;
    } cases[] = {
        {{NONE, NONE}, {4, 4}, 0x1000, 4},     {{NONE, NONE}, {0, 4}, 0x2000, 3}, {{NONE, TEXT}, {4, 4}, 0x2000, 3},
        {{NONE, TEXT}, {4, 0}, 0x2000, 3},     {{TEXT, TEXT}, {0, 4}, 0x1000, 4}, {{NONE, TEXTX}, {4, 4}, 0x1000, 4},
        {{NONE, NO_POINT}, {6, 4}, 0x1000, 4}, {{NONE, NONE}, {3, 0}, 0, 0},      {{NONE, NONE}, {8, 7}, 0x2000, 3},
        {{27, 1000}, {4, 4}, 0x1000, 4},       {{1000, TEXT}, {4, 0}, 0x2000, 3},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint8_t object[OBJECT];
        size_t dwords;
        make_object(object, (uint32_t *)cases[i].names, (uint64_t *)cases[i].flags);
        cr_expect_eq(start_of(object, &dwords), cases[i].start, "case %zu", i);
        cr_expect_eq(dwords, cases[i].dwords, "case %zu: %zu", i, dwords);
    }
}

/* An instruction begins at its first dword; what the end of the section cuts off is none. */
Test(amd_code, places_and_jumps)
{
    uint8_t object[OBJECT];
    pf_budget budget;
    pf_amd_code code;
    make_object(object, (uint32_t[]){0, 0}, (uint64_t[]){4, 0});
    static const uint32_t code_dwords[] = {0xbe8000ff, 0x12345678, 0xbfa0fffe, 0xbe8000ff};
    for (unsigned i = 0; i < 4; i++) {
        put(object + FIRST_CODE + (size_t)4 * i, code_dwords[i], 4);
    }
    pf_budget_init(&budget, NULL);
    cr_assert_eq(pf_amd_code_open(&code, (pf_bytes){object, OBJECT}, PF_AMD_RDNA3, &budget, NULL), PF_OK);
    static const struct {
        uint64_t pc;
        uint32_t dword;
    } places[] = {{0x1000, 0},       {0x1004, PF_NONE}, {0x1008, 2},      {0x1009, PF_NONE},
                  {0x100c, PF_NONE}, {0x1010, PF_NONE}, {0xffc, PF_NONE}, {0, PF_NONE}};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        cr_expect_eq(pf_amd_code_at(&code, places[i].pc), places[i].dword, "%zx", (size_t)places[i].pc);
    }
    cr_expect_eq(code.size[0], 2);
    cr_expect_eq(code.size[2], 1);
    cr_expect_eq(code.flags[2], PF_AMD_BRANCH);
    cr_expect_eq(pf_amd_code_jump(&code, 2), -8);
    cr_expect_eq(pf_amd_code_jump(&code, 1), 0x5678 * 4);
    cr_expect_eq(pf_amd_code_jump(&code, 4), 0, "beyond the end");
    pf_amd_code_free(&code);
    cr_expect_eq(budget.used, 0);
}
