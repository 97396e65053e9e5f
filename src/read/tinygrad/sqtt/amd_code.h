/* read/tinygrad/sqtt/amd_code.h - AMD code objects: the instructions of `.text`, as far as a thread trace needs them:
 * where each begins, how long it is, whether it branches, waits or is left out of the trace. No disassembly.
 *
 * docs/reference/tinygrad.md, code objects.
 */
#pragma once

#include "base/budget.h"

/* The instruction sets that differ here: gfx11, gfx12 and all before. */
typedef enum pf_amd_isa { PF_AMD_RDNA3 = 0, PF_AMD_RDNA4, PF_AMD_CDNA } pf_amd_isa;

/* "gfx1100" as the driver's number: 110000. */
pf_amd_isa pf_amd_isa_of(int64_t gfx_target_version);

/* Flags of instructions. */
enum {
    PF_AMD_BRANCH = 1u << 0, /* one of SOPP's branches */
    PF_AMD_SILENT = 1u << 1, /* issued without a packet of its own, unless in a mask: s_delay_alu and the like */
    PF_AMD_WAIT = 1u << 2,   /* s_wait*, s_barrier*, s_sleep, s_nop */
    PF_AMD_WMMA = 1u << 3,   /* a matrix product that is traced as a plain vector instruction */
    PF_AMD_INT4 = 1u << 4    /* of 4-bit integers */
};

typedef struct pf_amd_code {
    pf_bytes text;  /* of the code object, which outlives this */
    uint64_t start; /* program counter of the first instruction */
    uint8_t *size;  /* for each dword its instruction's bytes / 4, 0 within one */
    uint8_t *flags;
    size_t dwords;
    pf_budget *budget;
} pf_amd_code;

/* Finds .text in an ELF64 object and cuts it. out->dwords 0: it has none, or it is no ELF object. */
pf_status pf_amd_code_open(pf_amd_code *out, pf_bytes object, pf_amd_isa isa, pf_budget *budget, pf_error *err);
void pf_amd_code_free(pf_amd_code *c);

/* The dword at which an instruction with this program counter begins; PF_NONE if none begins there. */
uint32_t pf_amd_code_at(const pf_amd_code *c, uint64_t pc);

/* How far a taken branch jumps, from the instruction after it. */
int64_t pf_amd_code_jump(const pf_amd_code *c, uint32_t dword);

static inline uint64_t pf_amd_code_pc(const pf_amd_code *c, uint32_t dword)
{
    return c->start + (uint64_t)dword * 4;
}

/* The length in bytes of the instruction that begins with these dwords; the second is 0 where there is none. */
unsigned pf_amd_instruction_length(pf_amd_isa isa, uint32_t w, uint32_t second);
unsigned pf_amd_instruction_flags(pf_amd_isa isa, uint32_t w);
