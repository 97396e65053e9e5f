/* read/tinygrad/sqtt/sqtt_kinds.c - the table of packet kinds. Lengths are in nibbles, bits are counted from the lowest
 * of the packet's first nibble. */
#include "read/tinygrad/sqtt/sqtt_kinds.h"

#include <string.h>

#define R3 (1u << PF_SQTT_RDNA3)
#define R4 (1u << PF_SQTT_RDNA4)
#define RD (R3 | R4)
#define CD (1u << PF_SQTT_CDNA)
#define F(name, high, low)                                                                                             \
    {                                                                                                                  \
        name, high, low, 0, PF_SQTT_NUMBER                                                                             \
    }
#define ALSO(name, high, low, shift)                                                                                   \
    {                                                                                                                  \
        name, high, low, shift, PF_SQTT_NUMBER                                                                         \
    }
#define WORD(name, high, low, words)                                                                                   \
    {                                                                                                                  \
        name, high, low, 0, words                                                                                      \
    }
#define CU_CDNA F("sh", 5, 5), F("cu", 9, 6), F("wave", 13, 10), F("simd", 15, 14)

const pf_sqtt_kind pf_sqtt_kinds[PF_SQTT_KINDS] = {
    [PF_SQTT_LAYOUT_HEADER] = {"LAYOUT_HEADER", 16, 7, 0x11, RD | CD, PF_SQTT_CLOCK_LAYOUT,
                               .field = {F("layout", 12, 7), F("simd", 14, 13), F("group", 17, 15), F("sel_a", 31, 28),
                                         F("sel_b", 36, 33), F("flag4", 59, 59)}},
    [PF_SQTT_REG] = {"REG", 16, 4, 0x9, RD,
                     .field = {F("delta", 6, 4), F("slot", 9, 7), F("hi_byte", 15, 8), F("subop", 31, 16),
                               F("val32", 63, 32)}},
    [PF_SQTT_SNAPSHOT] = {"SNAPSHOT", 16, 7, 0x71, RD, .field = {F("delta", 9, 7), F("snap", 63, 10)}},
    [PF_SQTT_TS_DELTA_OR_MARK] = {"TS_DELTA_OR_MARK", 12, 7, 0x01, R3, PF_SQTT_CLOCK_MARK,
                                  .field = {F("delta", 47, 12), F("pl", 8, 8), F("rt", 9, 9)}},
    [PF_SQTT_INST] = {"INST", 5, 3, 0x2, R3,
                      .field = {F("delta", 6, 4), F("flag1", 3, 3), F("flag2", 7, 7), F("wave", 12, 8),
                                WORD("op", 19, 13, PF_SQTT_OPERATION)}},
    [PF_SQTT_VALUINST] = {"VALUINST", 3, 3, 0x3, RD, .field = {F("delta", 5, 3), F("flag", 6, 6), F("wave", 11, 7)}},
    [PF_SQTT_ALUEXEC] = {"ALUEXEC", 2, 4, 0xe, RD, .field = {F("delta", 5, 4), WORD("src", 7, 6, PF_SQTT_ALU)}},
    [PF_SQTT_VMEMEXEC] = {"VMEMEXEC", 2, 4, 0xf, RD, .field = {F("delta", 5, 4), WORD("src", 7, 6, PF_SQTT_MEMORY)}},
    [PF_SQTT_IMMEDIATE] = {"IMMEDIATE", 3, 4, 0xd, RD, .field = {F("delta", 6, 4), F("wave", 11, 7)}},
    [PF_SQTT_IMMEDIATE_MASK] = {"IMMEDIATE_MASK", 6, 5, 0x04, RD, .field = {F("delta", 7, 5), F("mask", 23, 8)}},
    [PF_SQTT_WAVESTART] = {"WAVESTART", 8, 5, 0x0c, R3,
                           .field = {F("delta", 6, 5), F("sa", 7, 7), F("simd", 9, 8), F("wgp", 12, 10),
                                     F("wave", 17, 13), F("id7", 31, 18), F("cu", 12, 10), ALSO("cu", 7, 7, 3)}},
    [PF_SQTT_WAVEEND] = {"WAVEEND", 5, 5, 0x15, R3,
                         .field = {F("delta", 7, 5), F("sa", 8, 8), F("simd", 10, 9), F("wgp", 13, 11),
                                   F("wave", 19, 15), F("cu", 13, 11), ALSO("cu", 8, 8, 3)}},
    [PF_SQTT_WAVERDY] = {"WAVERDY", 6, 5, 0x14, RD, .field = {F("delta", 7, 5), F("mask", 23, 8)}},
    [PF_SQTT_WAVEALLOC] = {"WAVEALLOC", 5, 5, 0x05, R3, .field = {F("delta", 7, 5)}},
    [PF_SQTT_PERF] = {"PERF", 7, 5, 0x16, R3, .field = {F("delta", 7, 5), F("arg", 27, 8)}},
    [PF_SQTT_EVENT] = {"EVENT", 6, 8, 0x61, RD, .field = {F("delta", 10, 8), F("event", 23, 11)}},
    [PF_SQTT_EVENT_BIG] = {"EVENT_BIG", 8, 8, 0xe1, RD, .field = {F("delta", 10, 8), F("event", 31, 11)}},
    [PF_SQTT_TS_WAVE_STATE] = {"TS_WAVE_STATE", 6, 7, 0x51, RD, .field = {F("delta", 15, 7), F("coarse", 23, 16)}},
    [PF_SQTT_UTILCTR] = {"UTILCTR", 12, 7, 0x31, RD, .field = {F("delta", 8, 7), F("ctr", 47, 9)}},
    [PF_SQTT_TS_DELTA_SHORT] = {"TS_DELTA_SHORT", 2, 4, 0x8, RD, .extra = 4, .field = {F("delta", 7, 4)}},
    [PF_SQTT_NOP] = {"NOP", 1, 4, 0x0, RD},
    [PF_SQTT_TS_DELTA_S8_W3] = {"TS_DELTA_S8_W3", 18, 7, 0x21, RD, .field = {F("delta", 10, 8)}},
    [PF_SQTT_TS_DELTA_S5_W3] = {"TS_DELTA_S5_W3", 13, 5, 0x06, R3, .field = {F("delta", 7, 5)}},
    [PF_SQTT_TS_DELTA_S5_W2] = {"TS_DELTA_S5_W2", 12, 5, 0x1c, R3, .field = {F("delta", 6, 5)}},
    [PF_SQTT_INST_RDNA4] = {"INST_RDNA4", 5, 3, 0x2, R4,
                            .field = {F("delta", 5, 3), F("w64h", 6, 6), F("wave", 11, 7),
                                      WORD("op", 19, 12, PF_SQTT_OPERATION)}},
    [PF_SQTT_WAVESTART_RDNA4] = {"WAVESTART_RDNA4", 8, 5, 0x0c, R4,
                                 .field = {F("delta", 6, 5), F("sa", 7, 7), F("simd", 9, 8), F("wgp", 13, 10),
                                           F("wave", 19, 15), F("id7", 31, 20), F("cu", 13, 10), ALSO("cu", 7, 7, 4)}},
    [PF_SQTT_WAVEEND_RDNA4] = {"WAVEEND_RDNA4", 5, 5, 0x15, R4,
                               .field = {F("delta", 7, 5), F("sa", 8, 8), F("simd", 10, 9), F("wgp", 14, 11),
                                         F("wave", 19, 15), F("cu", 14, 11), ALSO("cu", 8, 8, 4)}},
    [PF_SQTT_WAVEALLOC_RDNA4] = {"WAVEALLOC_RDNA4", 6, 5, 0x05, R4, .field = {F("delta", 7, 5)}},
    [PF_SQTT_PERF_RDNA4] = {"PERF_RDNA4", 8, 5, 0x16, R4, .field = {F("delta", 9, 7), F("arg", 31, 10)}},
    [PF_SQTT_TS_DELTA_OR_MARK_RDNA4] = {"TS_DELTA_OR_MARK_RDNA4", 16, 7, 0x01, R4, PF_SQTT_CLOCK_MARK,
                                        .field = {F("delta", 63, 12), F("rt", 7, 7), F("pl", 8, 8), F("tl", 9, 9)}},
    [PF_SQTT_TS_DELTA_S5_W3_RDNA4] = {"TS_DELTA_S5_W3_RDNA4", 14, 5, 0x06, R4, .field = {F("delta", 9, 7)}},
    [PF_SQTT_TS_DELTA_S5_W2_RDNA4] = {"TS_DELTA_S5_W2_RDNA4", 10, 5, 0x1c, R4, .field = {F("delta", 6, 5)}},
    [PF_SQTT_CDNA_MISC] = {"CDNA_MISC", 4, 4, 0, CD, .unit = 4,
                           .field = {F("delta", 11, 4), F("sh", 12, 12), F("misc_type", 15, 13)}},
    [PF_SQTT_CDNA_TIMESTAMP] = {"CDNA_TIMESTAMP", 16, 4, 1, CD, PF_SQTT_CLOCK_ABSOLUTE,
                                .field = {F("timestamp", 63, 16)}},
    [PF_SQTT_CDNA_REG] = {"CDNA_REG", 16, 4, 2, CD,
                          .field = {F("pipe", 6, 5), F("regaddr", 31, 16), F("regdata", 63, 32)}},
    [PF_SQTT_CDNA_WAVESTART] = {"CDNA_WAVESTART", 8, 4, 3, CD,
                                .field = {CU_CDNA, F("pipe", 17, 16), F("me", 19, 18), F("count", 28, 22)}},
    [PF_SQTT_CDNA_WAVEALLOC] = {"CDNA_WAVEALLOC", 4, 4, 4, CD, .field = {CU_CDNA}},
    [PF_SQTT_CDNA_REG_CS] = {"CDNA_REG_CS", 12, 4, 5, CD,
                             .field = {F("pipe", 6, 5), F("regaddr", 15, 9), F("regdata", 47, 16)}},
    [PF_SQTT_CDNA_WAVEEND] = {"CDNA_WAVEEND", 4, 4, 6, CD, .field = {CU_CDNA}},
    [PF_SQTT_CDNA_EVENT] = {"CDNA_EVENT", 4, 4, 7, CD},
    [PF_SQTT_CDNA_EVENT_CS] = {"CDNA_EVENT_CS", 4, 4, 8, CD},
    [PF_SQTT_CDNA_EVENT_GFX1] = {"CDNA_EVENT_GFX1", 4, 4, 9, CD},
    [PF_SQTT_CDNA_INST] = {"CDNA_INST", 4, 4, 10, CD,
                           .field = {F("wave", 8, 5), F("simd", 10, 9), WORD("op", 15, 11, PF_SQTT_OPERATION)}},
    [PF_SQTT_CDNA_INST_PC] = {"CDNA_INST_PC", 16, 4, 11, CD,
                              .field = {F("wave", 8, 5), F("simd", 10, 9), F("err", 15, 15), F("pc", 63, 16)}},
    [PF_SQTT_CDNA_USERDATA] = {"CDNA_USERDATA", 12, 4, 12, CD, .field = {CU_CDNA, F("data", 47, 16)}},
    [PF_SQTT_CDNA_ISSUE] = {"CDNA_ISSUE", 8, 4, 13, CD,
                            .field = {F("simd", 6, 5), F("inst0", 9, 8), F("inst1", 11, 10), F("inst2", 13, 12),
                                      F("inst3", 15, 14), F("inst4", 17, 16), F("inst5", 19, 18), F("inst6", 21, 20),
                                      F("inst7", 23, 22), F("inst8", 25, 24), F("inst9", 27, 26)}},
    [PF_SQTT_CDNA_PERF] = {"CDNA_PERF", 16, 4, 14, CD,
                           .field = {F("sh", 5, 5), F("cu", 9, 6), F("cntr_bank", 11, 10), F("cntr0", 24, 12),
                                     F("cntr1", 37, 25), F("cntr2", 50, 38), F("cntr3", 63, 51)}},
    [PF_SQTT_CDNA_REG_CS_PRIV] = {"CDNA_REG_CS_PRIV", 12, 4, 15, CD,
                                  .field = {F("pipe", 6, 5), F("regaddr", 15, 9), F("regdata", 47, 16)}},
};

static uint64_t piece(const pf_sqtt_field *f, uint64_t raw)
{
    unsigned width = f->high - f->low + 1u;
    return ((raw >> f->low) & (UINT64_MAX >> (64 - width))) << f->shift;
}

uint64_t pf_sqtt_field_value(const pf_sqtt_kind *kind, unsigned f, uint64_t raw, unsigned *next)
{
    const pf_sqtt_field *field = kind->field;
    uint64_t value = piece(&field[f], raw);
    unsigned at = f + 1;
    for (; at < PF_SQTT_FIELDS_MAX && field[at].name && field[at].shift; at++) {
        value |= piece(&field[at], raw);
    }
    *next = at;
    return value;
}
