/* analyze/aiu/steps/aiu_kernel_stats.h - kernels in numbers: by rank and name, and by rank. */
#ifndef PF_ANALYZE_AIU_STEPS_AIU_KERNEL_STATS_H
#define PF_ANALYZE_AIU_STEPS_AIU_KERNEL_STATS_H

#include "analyze/aiu/facts/aiu_facts.h"

/* Order statistics of some numbers. */
typedef struct aiu_numbers {
    double sum, mean, median, least, most, deviation; /* deviation: of a sample; 0 for a single one */
} aiu_numbers;

enum { AIU_STEP_TIMES = 4 }; /* TS2-TS1, TS3-TS2, TS4-TS3, TS5-TS4 */

/* All kernels of a rank that have one name, numbers in it aside. */
typedef struct aiu_kernel_row {
    uint32_t rank, name;              /* of run->ranks; a text */
    uint32_t calls, timed;            /* timed: with counters */
    double energy;                    /* W us; not finite: withheld */
    aiu_numbers time;                 /* us */
    aiu_numbers step[AIU_STEP_TIMES]; /* cycles */
} aiu_kernel_row;

/* All kernels of a rank. */
typedef struct aiu_rank_row {
    uint32_t rank, calls;
    double time, first, last; /* us */
    aiu_energy energy;
} aiu_rank_row;

typedef struct aiu_kernel_stats {
    aiu_kernel_row *row; /* by rank as ranks below, longest first */
    uint32_t row_count;
    aiu_rank_row *rank; /* by pid; only those with kernels */
    uint32_t rank_count;
} aiu_kernel_stats;

/* Sorts the numbers. */
aiu_numbers pf_aiu_numbers(double *v, uint32_t count);

#endif
