/* analyze/gpu/ranks/gpu_ranks.h - collectives that several inputs took part in, and what they say about clocks and
 * stragglers.
 *
 * Here ends what one input says and begins what several say together: of an input the work across them sees its calls
 * of collectives alone (gpu_rank_part up to `work`), and the rows of its tables. gpu_rank_calls.c makes the calls of
 * the operations of a trace, a partial has them as rows (analyze/gpu/partial).
 */
#ifndef PF_ANALYZE_GPU_RANKS_GPU_RANKS_H
#define PF_ANALYZE_GPU_RANKS_GPU_RANKS_H

#include "analyze/gpu/steps/gpu_steps.h"

/* One input's part in a collective. */
typedef struct gpu_rank_part {
    uint32_t input, op;   /* op: PF_NONE without the trace */
    uint32_t series;      /* its kind, size and group: gpu_series */
    int64_t began, end;   /* as recorded */
    int64_t work;         /* compute time since the input's collective before, ns */
    uint32_t collective;  /* from here on by all inputs together */
    uint32_t number;      /* it is the number-th of its series in the input, from 0, */
    uint32_t series_size; /* which has so many */
    int64_t start;        /* in the clock of the reference */
    int64_t late;         /* start less the mean start of all parts, rounded down */
} gpu_rank_part;

/* What the n-th call of one input has to share with the n-th of another one to be the same collective. */
typedef struct gpu_series {
    uint32_t group, members, kind, zero; /* group, members: ids of gpu_ranks.texts */
    int64_t bytes;                       /* -1: unknown */
} gpu_series;

typedef struct gpu_collective {
    uint32_t first, count;        /* a range of gpu_ranks.parts */
    uint32_t series, number;      /* the number-th of its series, from 0 */
    uint32_t recorded_last, last; /* parts; behind 0: several were last */
    bool recorded_tie;            /* several started last, as recorded */
    uint64_t recorded_spread, spread, behind, lost;
    uint32_t cause; /* the input whose delay the others waited for, PF_NONE: several were last */
} gpu_collective;

typedef struct gpu_rank_facts {
    bool clock_known;
    int64_t clock_offset, clock_error;
    bool line_known; /* the line that its lead over the reference's clock follows */
    int64_t line_at, line_offset, uncertainty;
    double drift_ppb;
    uint64_t collectives, last, waited, caused;
    uint64_t delayed, cost; /* collectives in which the others waited for its delays, and how long */
    bool correlated;
    double correlation; /* of being late with the work before */
} gpu_rank_facts;

/* What a device did in a part of its time, ns. */
typedef struct gpu_window {
    uint64_t busy, communication, exposed;
} gpu_window;

enum { GPU_WINDOWS = 256 };

typedef struct gpu_ranks {
    pf_strings texts, series_keys; /* series_keys: gpu_series by id */
    gpu_rank_part *parts;          /* calls by input and start; once they are matched by collective, then input */
    uint32_t part_count, room;
    gpu_collective *collectives; /* in order of their starts; of two inputs or more */
    uint32_t collective_count;
    gpu_rank_facts *rank; /* by input */
    uint32_t reference;   /* the input whose clock counts; PF_NONE without collectives */
    gpu_window *windows;  /* GPU_WINDOWS of each device, of equal length from its first start; NULL: not measured */
} gpu_ranks;

pf_status pf_gpu_ranks_init(gpu_ranks *r, const gpu_facts *g, pf_error *err);
void pf_gpu_ranks_free(gpu_ranks *r); /* legal on zeros */

/* Adds a call, whose series the key says but for its texts; those of an input in order of their starts. */
pf_status pf_gpu_add_call(gpu_facts *g, gpu_ranks *r, gpu_series key, pf_str group, pf_str members,
                          const gpu_rank_part *call, pf_error *err);
gpu_series pf_gpu_series_of(const gpu_ranks *r, uint32_t series);

/* Adds the calls of all inputs of the trace. */
pf_status pf_gpu_list_calls(gpu_facts *g, gpu_ranks *r, pf_error *err);

/* What each device did over time, which the tables across ranks need: of a trace. */
pf_status pf_gpu_measure_windows(gpu_facts *g, gpu_ranks *r, pf_error *err);

/* Point 5, of these calls. */
pf_status pf_gpu_compare_ranks(gpu_facts *g, gpu_ranks *r, pf_error *err);

/* After all tables that are by input. */
pf_status pf_gpu_tabulate_ranks(gpu_facts *g, const gpu_step_facts *s, const gpu_ranks *r, pf_error *err);

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
