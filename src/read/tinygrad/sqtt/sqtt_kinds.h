/* read/tinygrad/sqtt/sqtt_kinds.h - the packets of AMD's thread trace (SQTT) as data: what kinds there are, how long
 * they are, which low bits tell them, and where their fields lie (docs/reference/tinygrad.md, thread trace).
 *
 * A stream belongs to one of three families. Kinds that differ between RDNA3 and RDNA4 are listed twice, with the name
 * that tinygrad gives them.
 */
#ifndef PF_READ_TINYGRAD_SQTT_KINDS_H
#define PF_READ_TINYGRAD_SQTT_KINDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum pf_sqtt_family { PF_SQTT_RDNA3 = 0, PF_SQTT_RDNA4, PF_SQTT_CDNA, PF_SQTT_FAMILIES } pf_sqtt_family;

typedef enum pf_sqtt_kind_id {
    PF_SQTT_LAYOUT_HEADER = 0,
    PF_SQTT_REG,
    PF_SQTT_SNAPSHOT,
    PF_SQTT_TS_DELTA_OR_MARK,
    PF_SQTT_INST,
    PF_SQTT_VALUINST,
    PF_SQTT_ALUEXEC,
    PF_SQTT_VMEMEXEC,
    PF_SQTT_IMMEDIATE,
    PF_SQTT_IMMEDIATE_MASK,
    PF_SQTT_WAVESTART,
    PF_SQTT_WAVEEND,
    PF_SQTT_WAVERDY,
    PF_SQTT_WAVEALLOC,
    PF_SQTT_PERF,
    PF_SQTT_EVENT,
    PF_SQTT_EVENT_BIG,
    PF_SQTT_TS_WAVE_STATE,
    PF_SQTT_UTILCTR,
    PF_SQTT_TS_DELTA_SHORT,
    PF_SQTT_NOP,
    PF_SQTT_TS_DELTA_S8_W3,
    PF_SQTT_TS_DELTA_S5_W3,
    PF_SQTT_TS_DELTA_S5_W2,
    PF_SQTT_INST_RDNA4,
    PF_SQTT_WAVESTART_RDNA4,
    PF_SQTT_WAVEEND_RDNA4,
    PF_SQTT_WAVEALLOC_RDNA4,
    PF_SQTT_PERF_RDNA4,
    PF_SQTT_TS_DELTA_OR_MARK_RDNA4,
    PF_SQTT_TS_DELTA_S5_W3_RDNA4,
    PF_SQTT_TS_DELTA_S5_W2_RDNA4,
    PF_SQTT_CDNA_MISC,
    PF_SQTT_CDNA_TIMESTAMP,
    PF_SQTT_CDNA_REG,
    PF_SQTT_CDNA_WAVESTART,
    PF_SQTT_CDNA_WAVEALLOC,
    PF_SQTT_CDNA_REG_CS,
    PF_SQTT_CDNA_WAVEEND,
    PF_SQTT_CDNA_EVENT,
    PF_SQTT_CDNA_EVENT_CS,
    PF_SQTT_CDNA_EVENT_GFX1,
    PF_SQTT_CDNA_INST,
    PF_SQTT_CDNA_INST_PC,
    PF_SQTT_CDNA_USERDATA,
    PF_SQTT_CDNA_ISSUE,
    PF_SQTT_CDNA_PERF,
    PF_SQTT_CDNA_REG_CS_PRIV,
    PF_SQTT_KINDS
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

#endif
