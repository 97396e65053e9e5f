/* read/tinygrad/sqtt/sqtt_words.h - the names of operation codes and of execution units, and what a name says: on which
 * unit an instruction executes, and for how many cycles (docs/reference/tinygrad.md, operation codes). */
#ifndef PF_READ_TINYGRAD_SQTT_WORDS_H
#define PF_READ_TINYGRAD_SQTT_WORDS_H

#include "read/tinygrad/sqtt/sqtt_kinds.h"

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

#endif
