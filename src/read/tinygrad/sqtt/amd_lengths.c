/* read/tinygrad/sqtt/amd_lengths.c - how long an instruction is, and whether it is one that a thread trace treats in a
 * way of its own. The highest bits of its first dword say the format; a literal or a modifier of 4 bytes follows where
 * an operand's number says so (docs/reference/tinygrad.md, instruction lengths). */
#include "read/tinygrad/sqtt/amd_code.h"

/* Numbers of operands that are none: what they stand for follows the instruction. */
enum { LITERAL = 255, DPP16 = 250, SDWA = 249, DPP8 = 233, DPP8_FI = 234 };

static unsigned bits(uint32_t w, unsigned high, unsigned low)
{
    return w >> low & ((1u << (high - low + 1)) - 1);
}

static unsigned scalar_length(pf_amd_isa isa, uint32_t w)
{
    bool first = bits(w, 7, 0) == LITERAL, second = bits(w, 15, 8) == LITERAL;
    switch (w >> 23) {
    case 0x17d: /* SOP1 */
        return first ? 8 : 4;
    case 0x17e: /* SOPC */
        return first || second ? 8 : 4;
    case 0x17f: /* SOPP */
        return 4;
    default:
        break;
    }
    if (w >> 28 == 0xb) { /* SOPK: one writes a register of the machine with a literal */
        return bits(w, 27, 23) == (isa == PF_AMD_CDNA ? 20u : 19u) ? 8 : 4;
    }
    return first || second ? 8 : 4; /* SOP2 */
}

/* Vector instructions of two operands that have a constant in their second dword. */
static bool takes_constant(pf_amd_isa isa, unsigned op)
{
    return isa == PF_AMD_CDNA ? op == 23 || op == 24 || op == 36 || op == 37
                              : op == 44 || op == 45 || op == 55 || op == 56;
}

/* VOP1, VOP2, VOPC. */
static unsigned vector_length(pf_amd_isa isa, uint32_t w)
{
    unsigned source = bits(w, 8, 0);
    bool more = source == LITERAL || source == DPP16 || takes_constant(isa, bits(w, 30, 25));
    if (isa == PF_AMD_CDNA) {
        more |= source == SDWA;
    } else {
        more |= source == DPP8 || source == DPP8_FI;
    }
    return more ? 8 : 4;
}

/* VOP3 and its kin: three sources in the second dword. */
static unsigned vector3_length(uint32_t second)
{
    unsigned a = bits(second, 8, 0), b = bits(second, 17, 9), c = bits(second, 26, 18);
    bool more = a == LITERAL || b == LITERAL || c == LITERAL || a == DPP8 || a == DPP8_FI || a == DPP16;
    return more ? 12 : 8;
}

/* VOPD: two instructions in one, some of which have a constant. */
static unsigned dual_length(uint32_t w, uint32_t second)
{
    unsigned x = bits(w, 25, 22), y = bits(w, 21, 17);
    bool more = bits(w, 8, 0) == LITERAL || bits(second, 8, 0) == LITERAL || x == 1 || x == 2 || y == 1 || y == 2;
    return more ? 12 : 8;
}

static bool has_three_dwords(uint32_t w)
{
    unsigned byte = w >> 24, six = w >> 26;
    return byte == 0xec || byte == 0xed || byte == 0xee || six == 0x31 || six == 0x34 || six == 0x39;
}

unsigned pf_amd_instruction_length(pf_amd_isa isa, uint32_t w, uint32_t second)
{
    if (w >> 30 == 2) {
        return scalar_length(isa, w);
    }
    if (w >> 31 == 0) {
        return vector_length(isa, w);
    }
    if (isa == PF_AMD_CDNA) {
        return 8;
    }
    if (isa == PF_AMD_RDNA4 && has_three_dwords(w)) {
        return 12;
    }
    if (w >> 26 == 0x35 || w >> 24 == 0xcc || w >> 24 == 0xcd) {
        return vector3_length(second);
    }
    return w >> 26 == 0x32 ? dual_length(w, second) : 8;
}

/* ---- kinds ------------------------------------------------------------------------------------------------------- */

static unsigned sopp_flags(pf_amd_isa isa, unsigned op)
{
    bool rdna4 = isa == PF_AMD_RDNA4;
    bool wait = op == 0 || op == 3 || (op >= 8 && op <= 11);
    unsigned flags = op >= 32 && op <= 38 ? PF_AMD_BRANCH : 0;
    flags |= op == 7 || (rdna4 && (op == 8 || op == 20)) ? PF_AMD_SILENT : 0;
    wait |= rdna4 ? op == 20 || (op >= 64 && op <= 73) : op == 61;
    return flags | (wait ? PF_AMD_WAIT : 0);
}

/* VOP3P: matrix products are 64 and on; two of them take integers of 4 bits. */
static unsigned product_flags(unsigned op)
{
    if (op < 0x40 || op > 0x4a) {
        return 0;
    }
    return PF_AMD_WMMA | (op == 0x45 || op == 0x4a ? PF_AMD_INT4 : 0);
}

unsigned pf_amd_instruction_flags(pf_amd_isa isa, uint32_t w)
{
    if (isa == PF_AMD_CDNA) {
        return 0;
    }
    if (w >> 23 == 0x17f) {
        return sopp_flags(isa, bits(w, 22, 16));
    }
    if (w >> 24 == 0xcc) {
        return product_flags(bits(w, 22, 16));
    }
    if (isa == PF_AMD_RDNA3) { /* SOPK: s_waitcnt of one counter */
        return w >> 28 == 0xb && bits(w, 27, 23) >= 24 && bits(w, 27, 23) <= 27 ? PF_AMD_WAIT : 0;
    }
    bool signal = w >> 23 == 0x17d && (bits(w, 15, 8) == 78 || bits(w, 15, 8) == 79); /* SOP1: s_barrier_signal */
    return signal ? PF_AMD_WAIT : 0;
}
