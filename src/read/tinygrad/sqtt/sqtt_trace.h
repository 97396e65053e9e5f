/* read/tinygrad/sqtt/sqtt_trace.h - the instructions that the traced unit's waves issue, with program counters.
 *
 * Packets say that a wave issues, not what: its program counter is followed through the code object from the wave's
 * start to its end (RDNA). Sums per instruction come from it, and the timeline: what each wave issues, and what the
 * execution units do with it.
 *
 * A slice of a wave is what was issued, one cycle long; a barrier lasts until the wave's next packet. A slice of an
 * execution unit is linked to the issue it belongs to: units execute in the order in which they are given work.
 */
#pragma once

#include "base/columns.h"
#include "read/tinygrad/sqtt/amd_code.h"
#include "read/tinygrad/sqtt/sqtt_kinds.h"

/* ---- sqtt_slices.c: the timeline of one stream ------------------------------------------------------------------- */

/* Rows of the timeline: waves first. */
enum { PF_SQTT_WAVES = 32, PF_SQTT_ROWS_MAX = 40 };
typedef enum pf_sqtt_row {
    PF_SQTT_ROW_SALU = PF_SQTT_WAVES,
    PF_SQTT_ROW_VALU,
    PF_SQTT_ROW_TFU,  /* transcendental functions */
    PF_SQTT_ROW_WMMA, /* matrix products, where they are traced as such */
    PF_SQTT_ROW_VMEM,
    PF_SQTT_ROW_LDS,
    PF_SQTT_ROWS
} pf_sqtt_row;

/* "ALUEXEC:0 SALU"; NULL for a wave. */
const char *pf_sqtt_row_name(unsigned row);

/* An issue, as sqtt_trace.c understands it. */
typedef struct pf_sqtt_issue {
    int64_t time;
    const char *name;     /* NULL: an operation code without a name */
    uint32_t instruction; /* dword in the code, PF_NONE: not known */
    uint8_t wave, code;
    uint8_t unit;    /* pf_sqtt_unit: where it executes */
    uint8_t cycles;  /* how long */
    uint8_t product; /* a matrix product: 1 on a row of its own, 2 on that of the vector unit */
    bool transcendental, barrier;
} pf_sqtt_issue;

/* In the order of the packets. */
typedef struct pf_sqtt_slices {
    uint32_t count, room;
    int64_t *start, *length;
    const char **name;
    uint32_t *instruction; /* PF_NONE: none, or not known */
    uint32_t *link;        /* executions: the slice that issued it; else PF_NONE */
    uint32_t *index;       /* among those of its row, from 0 */
    uint32_t *next;        /* issues: the next one that waits for the same unit */
    uint8_t *row, *code, *cycles, *kind;
    pf_columns columns;
    uint32_t limit;                                     /* slices kept; what comes later is not */
    uint32_t in_row[PF_SQTT_ROWS];                      /* slices of each row so far */
    uint32_t first[PF_SQTT_UNITS], last[PF_SQTT_UNITS]; /* issues that wait; the last where there is a first */
    uint32_t barrier[PF_SQTT_WAVES];                    /* a barrier that the wave waits at, PF_NONE: none */
} pf_sqtt_slices;

pf_status pf_sqtt_slices_init(pf_sqtt_slices *s, pf_budget *budget, uint32_t limit, pf_error *err);
void pf_sqtt_slices_restart(pf_sqtt_slices *s);

pf_status pf_sqtt_slices_issue(pf_sqtt_slices *s, const pf_sqtt_issue *issue, pf_error *err);
/* ALUEXEC and VMEMEXEC. */
pf_status pf_sqtt_slices_execute(pf_sqtt_slices *s, const pf_sqtt_packet *p, pf_error *err);
/* WAVERDY: waves that leave a barrier. */
pf_status pf_sqtt_slices_ready(pf_sqtt_slices *s, const pf_sqtt_packet *p, pf_error *err);

/* ---- sqtt_trace.c ------------------------------------------------------------------------------------------------ */

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
