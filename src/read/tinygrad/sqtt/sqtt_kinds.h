/* read/tinygrad/sqtt/sqtt_kinds.h - the packets of AMD's thread trace (SQTT) as data: what kinds there are, how long
 * they are, which low bits tell them, and where their fields lie (docs/reference/tinygrad.md, thread trace).
 *
 * A stream belongs to one of three families. Kinds that differ between RDNA3 and RDNA4 are listed twice, with the name
 * that tinygrad gives them.
 */
#pragma once

#include "postfetto/base.h"

typedef enum pf_sqtt_family { PF_SQTT_RDNA3 = 0, PF_SQTT_RDNA4, PF_SQTT_CDNA, PF_SQTT_FAMILIES } pf_sqtt_family;

/* The kinds: name, length in nibbles, so many low bits of this value, families, how the time moves (pf_sqtt_kind), and
 * fields; bits are counted from the lowest of the packet's first nibble. Only sqtt_kinds.c has the words for these. */
#define PF_SQTT_KIND_LIST(KIND)                                                                                        \
    KIND(LAYOUT_HEADER, 16, 7, 0x11, RD | CD, PF_SQTT_CLOCK_LAYOUT,                                                    \
         .field = {F("layout", 12, 7), F("simd", 14, 13), F("group", 17, 15), F("sel_a", 31, 28), F("sel_b", 36, 33),  \
                   F("flag4", 59, 59)})                                                                                \
    KIND(REG, 16, 4, 0x9, RD,                                                                                          \
         .field = {F("delta", 6, 4), F("slot", 9, 7), F("hi_byte", 15, 8), F("subop", 31, 16), F("val32", 63, 32)})    \
    KIND(SNAPSHOT, 16, 7, 0x71, RD, .field = {F("delta", 9, 7), F("snap", 63, 10)})                                    \
    KIND(TS_DELTA_OR_MARK, 12, 7, 0x01, R3, PF_SQTT_CLOCK_MARK,                                                        \
         .field = {F("delta", 47, 12), F("pl", 8, 8), F("rt", 9, 9)})                                                  \
    KIND(INST, 5, 3, 0x2, R3,                                                                                          \
         .field = {F("delta", 6, 4), F("flag1", 3, 3), F("flag2", 7, 7), F("wave", 12, 8),                             \
                   WORD("op", 19, 13, PF_SQTT_OPERATION)})                                                             \
    KIND(VALUINST, 3, 3, 0x3, RD, .field = {F("delta", 5, 3), F("flag", 6, 6), F("wave", 11, 7)})                      \
    KIND(ALUEXEC, 2, 4, 0xe, RD, .field = {F("delta", 5, 4), WORD("src", 7, 6, PF_SQTT_ALU)})                          \
    KIND(VMEMEXEC, 2, 4, 0xf, RD, .field = {F("delta", 5, 4), WORD("src", 7, 6, PF_SQTT_MEMORY)})                      \
    KIND(IMMEDIATE, 3, 4, 0xd, RD, .field = {F("delta", 6, 4), F("wave", 11, 7)})                                      \
    KIND(IMMEDIATE_MASK, 6, 5, 0x04, RD, .field = {F("delta", 7, 5), F("mask", 23, 8)})                                \
    KIND(WAVESTART, 8, 5, 0x0c, R3,                                                                                    \
         .field = {F("delta", 6, 5), F("sa", 7, 7), F("simd", 9, 8), F("wgp", 12, 10), F("wave", 17, 13),              \
                   F("id7", 31, 18), F("cu", 12, 10), ALSO("cu", 7, 7, 3)})                                            \
    KIND(WAVEEND, 5, 5, 0x15, R3,                                                                                      \
         .field = {F("delta", 7, 5), F("sa", 8, 8), F("simd", 10, 9), F("wgp", 13, 11), F("wave", 19, 15),             \
                   F("cu", 13, 11), ALSO("cu", 8, 8, 3)})                                                              \
    KIND(WAVERDY, 6, 5, 0x14, RD, .field = {F("delta", 7, 5), F("mask", 23, 8)})                                       \
    KIND(WAVEALLOC, 5, 5, 0x05, R3, .field = {F("delta", 7, 5)})                                                       \
    KIND(PERF, 7, 5, 0x16, R3, .field = {F("delta", 7, 5), F("arg", 27, 8)})                                           \
    KIND(EVENT, 6, 8, 0x61, RD, .field = {F("delta", 10, 8), F("event", 23, 11)})                                      \
    KIND(EVENT_BIG, 8, 8, 0xe1, RD, .field = {F("delta", 10, 8), F("event", 31, 11)})                                  \
    KIND(TS_WAVE_STATE, 6, 7, 0x51, RD, .field = {F("delta", 15, 7), F("coarse", 23, 16)})                             \
    KIND(UTILCTR, 12, 7, 0x31, RD, .field = {F("delta", 8, 7), F("ctr", 47, 9)})                                       \
    KIND(TS_DELTA_SHORT, 2, 4, 0x8, RD, .extra = 4, .field = {F("delta", 7, 4)})                                       \
    KIND(NOP, 1, 4, 0x0, RD)                                                                                           \
    KIND(TS_DELTA_S8_W3, 18, 7, 0x21, RD, .field = {F("delta", 10, 8)})                                                \
    KIND(TS_DELTA_S5_W3, 13, 5, 0x06, R3, .field = {F("delta", 7, 5)})                                                 \
    KIND(TS_DELTA_S5_W2, 12, 5, 0x1c, R3, .field = {F("delta", 6, 5)})                                                 \
    KIND(INST_RDNA4, 5, 3, 0x2, R4,                                                                                    \
         .field = {F("delta", 5, 3), F("w64h", 6, 6), F("wave", 11, 7), WORD("op", 19, 12, PF_SQTT_OPERATION)})        \
    KIND(WAVESTART_RDNA4, 8, 5, 0x0c, R4,                                                                              \
         .field = {F("delta", 6, 5), F("sa", 7, 7), F("simd", 9, 8), F("wgp", 13, 10), F("wave", 19, 15),              \
                   F("id7", 31, 20), F("cu", 13, 10), ALSO("cu", 7, 7, 4)})                                            \
    KIND(WAVEEND_RDNA4, 5, 5, 0x15, R4,                                                                                \
         .field = {F("delta", 7, 5), F("sa", 8, 8), F("simd", 10, 9), F("wgp", 14, 11), F("wave", 19, 15),             \
                   F("cu", 14, 11), ALSO("cu", 8, 8, 4)})                                                              \
    KIND(WAVEALLOC_RDNA4, 6, 5, 0x05, R4, .field = {F("delta", 7, 5)})                                                 \
    KIND(PERF_RDNA4, 8, 5, 0x16, R4, .field = {F("delta", 9, 7), F("arg", 31, 10)})                                    \
    KIND(TS_DELTA_OR_MARK_RDNA4, 16, 7, 0x01, R4, PF_SQTT_CLOCK_MARK,                                                  \
         .field = {F("delta", 63, 12), F("rt", 7, 7), F("pl", 8, 8), F("tl", 9, 9)})                                   \
    KIND(TS_DELTA_S5_W3_RDNA4, 14, 5, 0x06, R4, .field = {F("delta", 9, 7)})                                           \
    KIND(TS_DELTA_S5_W2_RDNA4, 10, 5, 0x1c, R4, .field = {F("delta", 6, 5)})                                           \
    KIND(CDNA_MISC, 4, 4, 0, CD, .unit = 4, .field = {F("delta", 11, 4), F("sh", 12, 12), F("misc_type", 15, 13)})     \
    KIND(CDNA_TIMESTAMP, 16, 4, 1, CD, PF_SQTT_CLOCK_ABSOLUTE, .field = {F("timestamp", 63, 16)})                      \
    KIND(CDNA_REG, 16, 4, 2, CD, .field = {F("pipe", 6, 5), F("regaddr", 31, 16), F("regdata", 63, 32)})               \
    KIND(CDNA_WAVESTART, 8, 4, 3, CD, .field = {CU_CDNA, F("pipe", 17, 16), F("me", 19, 18), F("count", 28, 22)})      \
    KIND(CDNA_WAVEALLOC, 4, 4, 4, CD, .field = {CU_CDNA})                                                              \
    KIND(CDNA_REG_CS, 12, 4, 5, CD, .field = {F("pipe", 6, 5), F("regaddr", 15, 9), F("regdata", 47, 16)})             \
    KIND(CDNA_WAVEEND, 4, 4, 6, CD, .field = {CU_CDNA})                                                                \
    KIND(CDNA_EVENT, 4, 4, 7, CD)                                                                                      \
    KIND(CDNA_EVENT_CS, 4, 4, 8, CD)                                                                                   \
    KIND(CDNA_EVENT_GFX1, 4, 4, 9, CD)                                                                                 \
    KIND(CDNA_INST, 4, 4, 10, CD, .field = {F("wave", 8, 5), F("simd", 10, 9), WORD("op", 15, 11, PF_SQTT_OPERATION)}) \
    KIND(CDNA_INST_PC, 16, 4, 11, CD, .field = {F("wave", 8, 5), F("simd", 10, 9), F("err", 15, 15), F("pc", 63, 16)}) \
    KIND(CDNA_USERDATA, 12, 4, 12, CD, .field = {CU_CDNA, F("data", 47, 16)})                                          \
    KIND(CDNA_ISSUE, 8, 4, 13, CD,                                                                                     \
         .field = {F("simd", 6, 5), F("inst0", 9, 8), F("inst1", 11, 10), F("inst2", 13, 12), F("inst3", 15, 14),      \
                   F("inst4", 17, 16), F("inst5", 19, 18), F("inst6", 21, 20), F("inst7", 23, 22), F("inst8", 25, 24), \
                   F("inst9", 27, 26)})                                                                                \
    KIND(CDNA_PERF, 16, 4, 14, CD,                                                                                     \
         .field = {F("sh", 5, 5), F("cu", 9, 6), F("cntr_bank", 11, 10), F("cntr0", 24, 12), F("cntr1", 37, 25),       \
                   F("cntr2", 50, 38), F("cntr3", 63, 51)})                                                            \
    KIND(CDNA_REG_CS_PRIV, 12, 4, 15, CD, .field = {F("pipe", 6, 5), F("regaddr", 15, 9), F("regdata", 47, 16)})

typedef enum pf_sqtt_kind_id {
#define PF_SQTT_KIND_ID(name, ...) PF_SQTT_##name,
    PF_SQTT_KIND_LIST(PF_SQTT_KIND_ID) PF_SQTT_KINDS
} pf_sqtt_kind_id;

/* What the number of a field stands for. */
typedef enum pf_sqtt_words { PF_SQTT_NUMBER = 0, PF_SQTT_OPERATION, PF_SQTT_ALU, PF_SQTT_MEMORY } pf_sqtt_words;

/* Bits high..low of the packet. A value that is made of two pieces has a row for each, one after the other, whose bits
 * go `shift` to the left. */
typedef struct pf_sqtt_field {
    const char *name;
    uint8_t high, low, shift, words;
} pf_sqtt_field;

/* How a packet moves the time. */
typedef enum pf_sqtt_clock {
    PF_SQTT_CLOCK_DELTA = 0, /* by its field `delta` (not at all where it has none) */
    PF_SQTT_CLOCK_LAYOUT,    /* not at all; says the family of what follows */
    PF_SQTT_CLOCK_MARK,      /* by delta, or not at all where it is a marker */
    PF_SQTT_CLOCK_ABSOLUTE   /* to a time of its own */
} pf_sqtt_clock;

enum { PF_SQTT_FIELDS_MAX = 11 };

typedef struct pf_sqtt_kind {
    const char *name;
    uint8_t nibbles;
    uint8_t fixed_bits; /* so many low bits ... */
    uint8_t fixed;      /* ... have this value */
    uint8_t families;   /* 1 << pf_sqtt_family */
    uint8_t clock;
    uint8_t unit;  /* what a step of delta is worth; 0: 1 */
    uint8_t extra; /* is added to delta */
    pf_sqtt_field field[PF_SQTT_FIELDS_MAX];
} pf_sqtt_kind;

extern const pf_sqtt_kind pf_sqtt_kinds[PF_SQTT_KINDS];

/* The value of field number f of a packet, with the pieces that follow it; *next is the field after it. */
uint64_t pf_sqtt_field_value(const pf_sqtt_kind *kind, unsigned f, uint64_t raw, unsigned *next);

/* Fields that most questions need. */
static inline unsigned pf_sqtt_bits(uint64_t raw, unsigned high, unsigned low)
{
    return (unsigned)(raw >> low) & ((1u << (high - low + 1)) - 1);
}

/* ---- sqtt_decode.c: a stream of nibbles to packets with times ---------------------------------------------------- */

/* The low byte of what follows decides kind, length and where the packet's share of time lies, so one look-up in a
 * table of 256 entries per family is all that a packet costs. Any bytes decode; nothing is read beyond them. */
typedef struct pf_sqtt_packet {
    int64_t time;    /* shader cycles since the stream began */
    uint64_t raw;    /* its bits; of a packet of more than 16 nibbles the first 64 */
    uint32_t nibble; /* offset in the stream, modulo 2^32 */
    uint8_t kind;    /* pf_sqtt_kind_id */
    uint8_t family;  /* pf_sqtt_family; a header's is the one it was met in */
} pf_sqtt_packet;

/* What the low byte says, in one number, so that it is fetched at once: from the lowest byte on the packet's nibbles;
 * the bits of the window that are not the packet's; the shift and what is added, and in two bytes the mask, of time +=
 * ((bits >> shift) & mask) + add; the kind; and whether the packet does more to the time than that. */
typedef uint64_t pf_sqtt_step;
enum {
    PF_SQTT_STEP_NIBBLES = 0,
    PF_SQTT_STEP_UNUSED = 8,
    PF_SQTT_STEP_SHIFT = 16,
    PF_SQTT_STEP_ADD = 24,
    PF_SQTT_STEP_MASK = 32,
    PF_SQTT_STEP_KIND = 48,
    PF_SQTT_STEP_MORE = 56
};

typedef struct pf_sqtt_tables {
    pf_sqtt_step step[PF_SQTT_FAMILIES][256];
} pf_sqtt_tables;

void pf_sqtt_build_tables(pf_sqtt_tables *t);

typedef struct pf_sqtt_decoder {
    const pf_sqtt_tables *tables;
    const uint8_t *data;
    uint64_t at, end; /* nibbles; a packet is decoded if 16 of them are there */
    int64_t time;
    int64_t zero; /* CDNA: the timestamp that belongs to time 0 */
    bool has_zero;
    uint8_t family;
} pf_sqtt_decoder;

/* The tables and the bytes must outlive the decoder. */
void pf_sqtt_start(pf_sqtt_decoder *d, const pf_sqtt_tables *tables, pf_bytes stream);

/* Decodes up to `room` packets. Fewer only at the stream's end. */
size_t pf_sqtt_next(pf_sqtt_decoder *d, pf_sqtt_packet *out, size_t room);

/* Whether a packet is a marker: its delta is the 100 MHz clock, in *clock. */
bool pf_sqtt_is_marker(const pf_sqtt_packet *p, uint64_t *clock);

/* ---- sqtt_words.c: the names of operation codes and of execution units, and what a name says: on which unit an
 * instruction executes, and for how many cycles (docs/reference/tinygrad.md, operation codes) -----------------------
 */

/* NULL: no name is known, the number stays. */
const char *pf_sqtt_operation(pf_sqtt_family family, unsigned code);
const char *pf_sqtt_alu(unsigned source);
const char *pf_sqtt_memory(unsigned source);

/* The units whose executions are traced. */
typedef enum pf_sqtt_unit {
    PF_SQTT_UNIT_NONE = 0,
    PF_SQTT_UNIT_SALU,
    PF_SQTT_UNIT_VALU,
    PF_SQTT_UNIT_VMEM,
    PF_SQTT_UNIT_VMEM_ALT,
    PF_SQTT_UNIT_LDS,
    PF_SQTT_UNIT_LDS_ALT,
    PF_SQTT_UNITS
} pf_sqtt_unit;

/* On which unit an operation of this name executes; ALT where another SIMD issued it. */
pf_sqtt_unit pf_sqtt_unit_of(const char *operation);

/* The number at the end of the name, 1 if there is none. */
unsigned pf_sqtt_cycles_of(const char *operation);

/* Whether another SIMD issued it than the traced one. */
bool pf_sqtt_is_other(const char *operation);
