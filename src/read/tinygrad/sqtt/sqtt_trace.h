/* read/tinygrad/sqtt/sqtt_trace.h - the instructions that the traced unit's waves issue, with program counters.
 *
 * Packets say that a wave issues, not what: its program counter is followed through the code object from the wave's
 * start to its end (RDNA). Sums per instruction come from it, and the slices of the timeline.
 */
#ifndef PF_READ_TINYGRAD_SQTT_TRACE_H
#define PF_READ_TINYGRAD_SQTT_TRACE_H

#include "read/tinygrad/sqtt/amd_code.h"
#include "read/tinygrad/sqtt/sqtt_slices.h"

typedef struct pf_sqtt_sum {
    uint64_t hits;
    int64_t gap;  /* cycles since the waves' instructions before it */
    int64_t wait; /* of instructions that wait: gap - 1 each, else 0 */
} pf_sqtt_sum;

/* A wave of the traced unit that ended, in the order of the ends. */
typedef struct pf_sqtt_traced_wave {
    uint64_t instructions;
    int64_t wait;
    bool lost; /* packets and code did not agree: its program counter was given up */
} pf_sqtt_traced_wave;

typedef struct pf_sqtt_wave_state {
    bool alive, started;  /* whether it has begun; whether it issued something */
    uint32_t instruction; /* that it issues next, PF_NONE: not known */
    int64_t time;         /* of the one before */
    pf_sqtt_traced_wave sum;
} pf_sqtt_wave_state;

typedef struct pf_sqtt_trace {
    const pf_amd_code *code; /* may have no instructions */
    pf_sqtt_sum *sums;       /* a row for each dword of the code */
    size_t sum_count;
    pf_sqtt_traced_wave *ended;
    uint32_t ended_count, ended_room;
    pf_sqtt_wave_state wave[PF_SQTT_WAVES];
    pf_sqtt_slices slices;
    uint64_t instructions, lost_waves, strays; /* strays: issues of waves that had not begun */
    pf_budget *budget;
} pf_sqtt_trace;

pf_status pf_sqtt_trace_init(pf_sqtt_trace *t, pf_budget *budget, uint32_t slice_limit, pf_error *err);
void pf_sqtt_trace_free(pf_sqtt_trace *t);

/* Begins with another stream, whose code must live until the next one. */
pf_status pf_sqtt_trace_restart(pf_sqtt_trace *t, const pf_amd_code *code, pf_error *err);
pf_status pf_sqtt_trace_take(pf_sqtt_trace *t, const pf_sqtt_packet *packets, size_t count, pf_error *err);

#endif
