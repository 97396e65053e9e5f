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
