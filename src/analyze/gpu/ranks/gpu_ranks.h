/* analyze/gpu/ranks/gpu_ranks.h - collectives that several inputs took part in, and what they say about clocks and
 * stragglers.
 *
 * Here ends what one input says and begins what several say together: of an input the work across them sees its calls
 * of collectives alone (gpu_rank_part up to `work`), and the rows of its tables. gpu_rank_calls.c makes the calls of
 * the operations of a trace, a partial has them as rows (analyze/gpu/partial).
 *
 * Calls come in blocks, each of whole inputs, and are looked at three times: which of them are one collective, where
 * that leaves clocks and who came last, and what the others waited for. Of a block nothing is kept but what adds up in
 * its collectives, whole numbers all, so that neither the number of inputs nor the order of blocks matters. A few calls
 * are kept instead of read again, those of a trace always.
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
    uint32_t at;          /* it is the at-th call of the input, from 0, */
    uint32_t number;      /* the number-th of its series there, */
    uint32_t series_size; /* which has so many */
    uint32_t collective;  /* gpu_ranks.collectives */
    uint32_t before;      /* that which the input took part in before, PF_NONE: in none, */
    int64_t own;          /* and the time from its end to the start of this one, ns */
    int64_t start;        /* in the clock of the reference */
} gpu_rank_part;

/* What the n-th call of one input has to share with the n-th of another one to be the same collective. */
typedef struct gpu_series {
    uint32_t group, members, kind, zero; /* group, members: ids of gpu_ranks.texts */
    int64_t bytes;                       /* -1: unknown */
} gpu_series;

typedef __int128 gpu_sum __attribute__((aligned(8))); /* as arenas align */

/* From `earliest` on of those parts that were looked at. */
typedef struct gpu_collective {
    uint32_t series, number; /* the number-th of its series, from 0 */
    uint32_t count;          /* parts */
    uint32_t order;          /* its place among those of several inputs, by last_start */
    uint32_t first;          /* of gpu_ranks.parts, once they are gathered */
    gpu_rank_part part;      /* that of the first of its inputs */
    int64_t earliest, recorded_earliest;
    int64_t last_start, second_start; /* of the last one and the one before */
    int64_t recorded_last_start;
    gpu_rank_part last;     /* that of the first of those that were last; behind 0: several were */
    uint32_t recorded_last; /* an input */
    bool recorded_tie;      /* several started last, as recorded */
    uint32_t seen;
    uint64_t recorded_spread, spread, behind, lost;
    uint32_t cause;                /* the input whose delay the others waited for, PF_NONE: several were last */
    gpu_sum starts, work, own_sum; /* of all parts */
    uint32_t own_count;            /* of those that have a collective before */
    int64_t mean_start;            /* rounded down */
    double mean_work;
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
    pf_strings keys;               /* of collectives: series and number */
    gpu_rank_part *parts;          /* those at hand, by input and start; once they are gathered by collective */
    uint32_t part_count, room;
    gpu_collective *collectives; /* by the id of their key */
    uint32_t collective_room;
    uint32_t *sorted;          /* those of two inputs or more in order of their starts */
    uint32_t collective_count; /* of these */
    uint32_t *seen, seen_room; /* by series: 0 between two inputs */
    gpu_rank_facts *rank;      /* by input */
    uint32_t reference;        /* the input whose clock counts; PF_NONE without collectives */
    gpu_window *windows; /* GPU_WINDOWS of each device, of equal length from its first start; NULL: not measured */

    /* Adds the calls of a block by pf_gpu_add_call. NULL: all are there. */
    pf_status (*read_block)(void *source, uint32_t block, pf_error *err);
    void *source;
    uint32_t blocks;
    bool dropped; /* there are too many to keep */
} gpu_ranks;

static inline gpu_collective *pf_gpu_collective_at(const gpu_ranks *r, uint32_t i)
{
    return &r->collectives[r->sorted[i]];
}

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

/* Sorts calls that were kept by collective, then input, and drops those without partner. */
pf_status pf_gpu_gather_parts(gpu_facts *g, gpu_ranks *r, pf_error *err);

/* After all tables that are by input. */
pf_status pf_gpu_tabulate_ranks(gpu_facts *g, const gpu_step_facts *s, const gpu_ranks *r, pf_error *err);

/* Steps of pf_gpu_compare_ranks: which calls are one collective; and for n calls of one input, in the order of those of
 * the reference, how far its clock is from that. */
typedef pf_status (*pf_gpu_input_step)(gpu_facts *, gpu_ranks *, gpu_rank_part *, uint32_t n, pf_error *);
pf_status pf_gpu_match_collectives(gpu_facts *g, gpu_ranks *r, pf_error *err);
pf_status pf_gpu_estimate_clock(gpu_facts *g, gpu_ranks *r, gpu_rank_part *p, uint32_t n, pf_error *err);
pf_status pf_gpu_estimate_line(gpu_facts *g, gpu_ranks *r, gpu_rank_part *p, uint32_t n, pf_error *err);

/* Calls the step for each input that has calls, block by block. */
pf_status pf_gpu_each_input(gpu_facts *g, gpu_ranks *r, pf_gpu_input_step step, pf_error *err);

/* Whether it is a collective of several inputs, the reference among them. */
static inline bool pf_gpu_has_reference(const gpu_ranks *r, const gpu_collective *c)
{
    return c->count > 1 && c->part.input == r->reference;
}

/* A time of an input in the clock of the reference. */
static inline int64_t pf_gpu_common_time(const gpu_ranks *r, uint32_t input, int64_t at)
{
    int64_t moved;
    return __builtin_sub_overflow(at, r->rank[input].clock_offset, &moved) ? at : moved;
}

/* a - b, or the nearest number that there is; never INT64_MIN. */
static inline int64_t pf_gpu_difference(int64_t a, int64_t b)
{
    int64_t d;
    return !__builtin_sub_overflow(a, b, &d) && d != INT64_MIN ? d : a > b ? INT64_MAX : INT64_MIN + 1;
}

#endif
