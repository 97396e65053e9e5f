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

/* SOPP has no literal, SOP1 one of its first operand, SOPC and SOP2 of either; one SOPK writes a register of the
 * machine with one. */
static unsigned scalar_length(pf_amd_isa isa, uint32_t w)
{
    enum { SOP1 = 0x17d, SOPC, SOPP };
    unsigned format = w >> 23;
    bool first = bits(w, 7, 0) == LITERAL, more = first || bits(w, 15, 8) == LITERAL;
    if (format == SOP1 || format == SOPP) {
        more = format == SOP1 && first;
    } else if (w >> 28 == 0xb && format != SOPC) {
        more = bits(w, 27, 23) == (isa == PF_AMD_CDNA ? 20u : 19u);
    }
    return more ? 8 : 4;
}

/* VOP1, VOP2, VOPC. Some of two operands have a constant in their second dword. */
static unsigned vector_length(pf_amd_isa isa, uint32_t w)
{
    unsigned source = bits(w, 8, 0), op = bits(w, 30, 25);
    bool more = source == LITERAL || source == DPP16;
    if (isa == PF_AMD_CDNA) {
        more |= source == SDWA || op == 23 || op == 24 || op == 36 || op == 37;
    } else {
        more |= source == DPP8 || source == DPP8_FI || op == 44 || op == 45 || op == 55 || op == 56;
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
    unsigned byte = w >> 24, six = w >> 26;
    bool three = byte == 0xec || byte == 0xed || byte == 0xee || six == 0x31 || six == 0x34 || six == 0x39;
    if (isa == PF_AMD_RDNA4 && three) {
        return 12;
    }
    if (six == 0x35 || byte == 0xcc || byte == 0xcd) {
        return vector3_length(second);
    }
    return six == 0x32 ? dual_length(w, second) : 8;
}

static unsigned sopp_flags(pf_amd_isa isa, unsigned op)
{
    bool rdna4 = isa == PF_AMD_RDNA4;
    bool wait = op == 0 || op == 3 || (op >= 8 && op <= 11);
    unsigned flags = op >= 32 && op <= 38 ? PF_AMD_BRANCH : 0;
    flags |= op == 7 || (rdna4 && (op == 8 || op == 20)) ? PF_AMD_SILENT : 0;
    wait |= rdna4 ? op == 20 || (op >= 64 && op <= 73) : op == 61;
    return flags | (wait ? PF_AMD_WAIT : 0);
}

unsigned pf_amd_instruction_flags(pf_amd_isa isa, uint32_t w)
{
    if (isa == PF_AMD_CDNA) {
        return 0;
    }
    if (w >> 23 == 0x17f) {
        return sopp_flags(isa, bits(w, 22, 16));
    }
    if (w >> 24 == 0xcc) { /* VOP3P: matrix products are 64 and on; two of them take integers of 4 bits */
        unsigned op = bits(w, 22, 16), of = op == 0x45 || op == 0x4a ? PF_AMD_INT4 : 0;
        return op >= 0x40 && op <= 0x4a ? PF_AMD_WMMA | of : 0;
    }
    if (isa == PF_AMD_RDNA3) { /* SOPK: s_waitcnt of one counter */
        return w >> 28 == 0xb && bits(w, 27, 23) >= 24 && bits(w, 27, 23) <= 27 ? PF_AMD_WAIT : 0;
    }
    bool signal = w >> 23 == 0x17d && (bits(w, 15, 8) == 78 || bits(w, 15, 8) == 79); /* SOP1: s_barrier_signal */
    return signal ? PF_AMD_WAIT : 0;
}
