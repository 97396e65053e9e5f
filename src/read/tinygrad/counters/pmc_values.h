/* read/tinygrad/counters/pmc_values.h - hardware counters as tinygrad reads them out: 64-bit values in the order XCC,
 * instance, SE, SA, WGP, the last the fastest (docs/reference/tinygrad.md, PMC). */
#ifndef PF_READ_TINYGRAD_PMC_VALUES_H
#define PF_READ_TINYGRAD_PMC_VALUES_H

#include "postfetto/base.h"

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

#endif
