/* analyze/gpu/ranks/gpu_ranks.h - collectives that several inputs took part in, and what they say about clocks and
 * stragglers.
 */
#ifndef PF_ANALYZE_GPU_RANKS_GPU_RANKS_H
#define PF_ANALYZE_GPU_RANKS_GPU_RANKS_H

#include "analyze/gpu/steps/gpu_steps.h"

/* One input's part in a collective. */
typedef struct gpu_rank_part {
    uint32_t collective, input, op;
    uint32_t series_size; /* how many the input has of its kind, size and group */
    int64_t start;        /* in the clock of the reference */
    int64_t work;         /* compute time since the input's collective before, ns */
    int64_t late;         /* start less the mean start of all parts, rounded down */
} gpu_rank_part;

typedef struct gpu_collective {
    uint32_t first, count;        /* a range of gpu_ranks.parts */
    uint32_t kind, number;        /* the number-th of its kind and group, from 0 */
    uint32_t recorded_last, last; /* parts; behind 0: several were last */
    bool recorded_tie;            /* several started last, as recorded */
    uint64_t recorded_spread, spread, behind, lost;
} gpu_collective;

typedef struct gpu_rank_facts {
    bool clock_known;
    int64_t clock_offset, clock_error;
    bool line_known; /* the line that its lead over the reference's clock follows */
    int64_t line_at, line_offset, uncertainty;
    double drift_ppb;
    uint64_t collectives, last, waited, caused;
    bool correlated;
    double correlation; /* of being late with the work before */
} gpu_rank_facts;

typedef struct gpu_ranks {
    gpu_rank_part *parts; /* by collective, then input */
    uint32_t part_count;
    gpu_collective *collectives; /* in order of their starts; of two inputs or more */
    uint32_t collective_count;
    gpu_rank_facts *rank; /* by input */
    uint32_t reference;   /* the input whose clock counts; PF_NONE without collectives */
} gpu_ranks;

/* Point 5. */
pf_status pf_gpu_compare_ranks(gpu_facts *g, gpu_ranks *r, pf_error *err);
void pf_gpu_tabulate_ranks(const gpu_facts *g, const gpu_step_facts *s, const gpu_ranks *r);

/* The steps of pf_gpu_compare_ranks. */
pf_status pf_gpu_match_collectives(gpu_facts *g, gpu_ranks *r, pf_error *err);
pf_status pf_gpu_estimate_clocks(gpu_facts *g, gpu_ranks *r, pf_error *err);
pf_status pf_gpu_estimate_lines(gpu_facts *g, gpu_ranks *r, pf_error *err);

/* a - b, or the nearest number that there is; never INT64_MIN. */
static inline int64_t pf_gpu_difference(int64_t a, int64_t b)
{
    int64_t d;
    return !__builtin_sub_overflow(a, b, &d) && d != INT64_MIN ? d : a > b ? INT64_MAX : INT64_MIN + 1;
}

#endif
