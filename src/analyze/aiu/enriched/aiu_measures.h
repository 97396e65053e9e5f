/* analyze/aiu/enriched/aiu_measures.h - what drawings and report tables say of ranks: what their jobs did; what
 * collectives cost; how much of the communication was hidden by kernels; what is left of the offsets between clocks.
 */
#ifndef PF_ANALYZE_AIU_ENRICHED_AIU_MEASURES_H
#define PF_ANALYZE_AIU_ENRICHED_AIU_MEASURES_H

#include <math.h>

#include "analyze/aiu/ranks/aiu_ranks.h"
#include "analyze/support/intervals.h"

/* Where memory is refused the run failed, and what is read is empty. */

/* A time of the run in ns of the trace. */
static inline int64_t pf_aiu_nanoseconds(const aiu_run *run, double us)
{
    double ns = us * 1000;
    if (!(fabs(ns) < 9e18)) {
        return ns > 0 ? INT64_MAX / 2 : INT64_MIN / 2;
    }
    return run->origin_ns + llround(ns);
}

/* From when to when a slice of the run is drawn, at least 1 ns long. */
static inline pf_interval pf_aiu_interval(const aiu_run *run, double from, double to)
{
    int64_t start = pf_aiu_nanoseconds(run, from), end = pf_aiu_nanoseconds(run, to);
    return (pf_interval){start, end > start ? end : start + 1};
}

/* When a rank comes to a collective, and when it has the last piece. */
static inline int64_t pf_aiu_arrival(const aiu_run *run, const aiu_member *m)
{
    return pf_aiu_nanoseconds(run, pf_aiu_stay_of(run, m).start);
}

static inline int64_t pf_aiu_leave(const aiu_run *run, const aiu_member *m)
{
    return pf_aiu_nanoseconds(run, pf_aiu_stay_of(run, m).end);
}

/* ---- aiu_rank_jobs.c: a job of a rank; times in us --------------------------------------------------------------- */

typedef struct aiu_rank_job {
    uint32_t rank, job, kernels;
    double start, end, busy, energy;
} aiu_rank_job;

typedef struct aiu_rank_jobs {
    aiu_rank_job *list; /* in order of appearance */
    uint32_t count, room;
} aiu_rank_jobs;

void pf_aiu_rank_jobs_read(aiu_run *run, aiu_rank_jobs *out);

/* ---- aiu_collective_costs.c: a complete collective; times in ns of the trace ------------------------------------- */

typedef struct aiu_collective_cost {
    uint32_t collective;   /* of exchange->flows */
    uint32_t first, ranks; /* its members in exchange->members */
    uint32_t straggler;    /* the member that came last */
    int64_t start, end;    /* first arrival, last end */
    int64_t last, before;  /* the last arrival, and the one before it */
    int64_t lost;          /* what all ranks waited together */
    uint64_t bytes, moved; /* payload of a rank; of all transfers of a chain: 2 * (ranks - 1) * bytes */
    int64_t apart;         /* how far clocks of two of its ranks may be from each other */
    bool late_known,
        rate_known; /* clocks of ranks are near enough to each other for who was late, for how long it took */
} aiu_collective_cost;

typedef struct aiu_collective_costs {
    aiu_collective_cost *list; /* ascending by start */
    uint32_t count;
} aiu_collective_costs;

void pf_aiu_collective_costs_read(aiu_run *run, aiu_collective_costs *out);
/* The member of a rank; NULL if it took no part. */
const aiu_member *pf_aiu_member_of(const aiu_run *run, const aiu_collective_cost *c, int64_t pid);
int64_t pf_aiu_straggler(const aiu_run *run, const aiu_collective_cost *c); /* its pid */
double pf_aiu_collective_rate(const aiu_collective_cost *c);                /* GB/s */
pf_str pf_aiu_collective_name(const aiu_run *run, const aiu_collective_cost *c);

/* ---- aiu_comm_overlap.c: kernels and communication of a rank; unions, ns ----------------------------------------- */

typedef struct aiu_comm_overlap {
    int64_t pid;
    uint64_t kernels, communication, both;
} aiu_comm_overlap;

typedef struct aiu_comm_overlaps {
    aiu_comm_overlap *list; /* ascending by pid; ranks that have either */
    uint32_t count;
} aiu_comm_overlaps;

void pf_aiu_comm_overlaps_read(aiu_run *run, aiu_comm_overlaps *out);

/* ---- aiu_clock_offsets.c: how far a rank's clock is from the median of all ranks, by the ends of collectives ------
 */

typedef struct aiu_clock_offset {
    int64_t pid;
    bool matched; /* its clock was moved */
    double shift_us, rate;
    uint32_t collectives;
    int64_t left, worst; /* ns: the median, and the largest distance */
    double drift;        /* ppm */
} aiu_clock_offset;

typedef struct aiu_clock_offsets {
    aiu_clock_offset *list;
    uint32_t count;
} aiu_clock_offsets;

void pf_aiu_clock_offsets_read(aiu_run *run, const aiu_collective_costs *m, aiu_clock_offsets *out);

#endif
