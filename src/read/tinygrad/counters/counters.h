/* read/tinygrad/counters/counters.h - what devices count, as bytes (docs/reference/tinygrad.md, PMC and PMA): hardware
 * counters as tinygrad reads them out, 64-bit values in the order XCC, instance, SE, SA, WGP, the last the fastest; and
 * NVIDIA's sampling of program counters, packets of 32 bytes, each of which carries a piece of one multiprocessor's
 * stream of samples. */
#pragma once

#include "postfetto/base.h"

/* ---- pmc_values.c ------------------------------------------------------------------------------------------------ */

__extension__ typedef unsigned __int128 pf_pmc_sum;

/* Where a counter's values lie. */
typedef struct pf_pmc_counter {
    int64_t offset, size;                /* bytes */
    int64_t xcc, instances, se, sa, wgp; /* how many of each there are */
} pf_pmc_counter;

/* The counter's values; none if they are not where it says, or not as many as it has places. */
pf_bytes pf_pmc_values(pf_bytes blob, const pf_pmc_counter *c);

uint64_t pf_pmc_value(pf_bytes values, size_t i);
pf_pmc_sum pf_pmc_total(pf_bytes values);

/* Decimal digits, terminated; returns their number. */
enum { PF_PMC_DIGITS = 40 };
size_t pf_pmc_print(pf_pmc_sum sum, char text[PF_PMC_DIGITS]);

/* ---- pma_samples.c ----------------------------------------------------------------------------------------------- */

/* In the order of their names. */
typedef enum pf_pma_reason {
    PF_PMA_CONSTANT_MEMORY = 0,
    PF_PMA_EXEC_DEPENDENCY,
    PF_PMA_INST_FETCH,
    PF_PMA_MEMORY_DEPENDENCY,
    PF_PMA_MEMORY_THROTTLE,
    PF_PMA_NONE, /* the instruction was issued */
    PF_PMA_OTHER,
    PF_PMA_PIPE_BUSY,
    PF_PMA_SYNC,
    PF_PMA_REASONS
} pf_pma_reason;

const char *pf_pma_reason_name(pf_pma_reason reason);

typedef struct pf_pma_sample {
    uint64_t pc;   /* from the start of the program, in bytes */
    uint16_t unit; /* which multiprocessor: GPC, TPC and SM together */
    uint8_t key;   /* why it stands, as the hardware numbers it */
    uint8_t reason;
    uint8_t wave;
    bool active;
} pf_pma_sample;

static inline unsigned pf_pma_gpc(const pf_pma_sample *s)
{
    return s->unit >> 5;
}
static inline unsigned pf_pma_tpc(const pf_pma_sample *s)
{
    return s->unit >> 1 & 15;
}
static inline unsigned pf_pma_sm(const pf_pma_sample *s)
{
    return s->unit & 1;
}

enum { PF_PMA_UNITS = 2048, PF_PMA_SAMPLE_MAX = 9, PF_PMA_BATCH = 4 };

/* Bytes of a sample that did not end with its packet. */
typedef struct pf_pma_rest {
    uint8_t len, bytes[PF_PMA_SAMPLE_MAX];
} pf_pma_rest;

typedef struct pf_pma_decoder {
    const uint8_t *at, *end;
    unsigned sample_bytes;
    uint64_t dropped; /* packets that say that something before them was lost */
    pf_pma_rest rest[PF_PMA_UNITS];
} pf_pma_decoder;

/* sm_version: of the device, 0x800 where it is not known. */
void pf_pma_start(pf_pma_decoder *d, pf_bytes stream, int64_t sm_version);

/* The samples that the next packet completes, PF_PMA_BATCH at most; false after the last packet. Bytes beyond the last
 * whole packet are none. */
bool pf_pma_next(pf_pma_decoder *d, pf_pma_sample out[PF_PMA_BATCH], unsigned *count);
