/* read/tinygrad/sqtt/sqtt_slices.h - the timeline of one stream's traced unit: what each wave issues, and what the
 * execution units do with it.
 *
 * A slice of a wave is what was issued, one cycle long; a barrier lasts until the wave's next packet. A slice of an
 * execution unit is linked to the issue it belongs to: units execute in the order in which they are given work.
 */
#ifndef PF_READ_TINYGRAD_SQTT_SLICES_H
#define PF_READ_TINYGRAD_SQTT_SLICES_H

#include "base/columns.h"
#include "read/tinygrad/sqtt/sqtt_decode.h"
#include "read/tinygrad/sqtt/sqtt_words.h"

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
void pf_sqtt_slices_free(pf_sqtt_slices *s);

pf_status pf_sqtt_slices_issue(pf_sqtt_slices *s, const pf_sqtt_issue *issue, pf_error *err);
/* ALUEXEC and VMEMEXEC. */
pf_status pf_sqtt_slices_execute(pf_sqtt_slices *s, const pf_sqtt_packet *p, pf_error *err);
/* WAVERDY: waves that leave a barrier. */
pf_status pf_sqtt_slices_ready(pf_sqtt_slices *s, const pf_sqtt_packet *p, pf_error *err);

#endif
