/* analyze/aiu/steps/aiu_counters.h - the epochs of the cycle counters, by rank. */
#ifndef PF_ANALYZE_AIU_STEPS_AIU_COUNTERS_H
#define PF_ANALYZE_AIU_STEPS_AIU_COUNTERS_H

#include <math.h>

#include "analyze/aiu/facts/aiu_facts.h"

/* The event from whose time and counter the time of counter 0 was earliest. */
typedef struct aiu_epoch {
    bool known;
    uint32_t job;
    double start, ts; /* us */
    int64_t cycle;
    double first_start, first_ts; /* of the first event of all */
    uint64_t updates;             /* times that an earlier one was found */
} aiu_epoch;

/* One lap of the counter, us. */
static inline double pf_aiu_span(const aiu_run *run)
{
    return 4294967296.0 / run->set.soc;
}

/* The counter that goes with the begin of an event: TS1..TS4 for the four steps, else TS1. */
static inline int64_t pf_aiu_first_counter(aiu_run *run, uint32_t e)
{
    unsigned op = pf_aiu_step(run, e);
    return run->events.tsx[op == AIU_OP_NONE ? 0 : op][e];
}

/* How many laps the counter had done before an event. Acelyzer counts laps from the epoch to the
 * event's time, which is one too many where the counter wraps inside of the event; ours is the number of laps with
 * which counter and time fit best. */
static inline double pf_aiu_laps(aiu_run *run, uint32_t e)
{
    const aiu_epoch *epoch = &run->epochs[run->events.rank[e]];
    double since = run->events.ts[e] - epoch->start;
    if (pf_acelyzer(run)) {
        return floor(since / pf_aiu_span(run));
    }
    double laps = rint((since * run->set.soc - (double)pf_aiu_first_counter(run, e)) / 4294967296.0);
    return laps > 0 ? laps : 0;
}

/* aiu_clock.c: the clock of the counters that kernels show, which it is with --freq auto, before counters grow. */
void pf_aiu_find_clock(aiu_run *run);

/* A mean with its extremes. */
typedef struct aiu_range {
    double least, most, sum;
    uint64_t count;
} aiu_range;

/* What the first events of jobs say of the clock that would keep counters and host together. */
typedef struct aiu_advice {
    aiu_range clock;
    double drift; /* of largest magnitude, us */
    pf_map seen;  /* rank and job -> epoch */
} aiu_advice;

/* The frequency that events show, in the log: before counters grow; event by event as they do; after. */
void pf_aiu_measure_frequency(aiu_run *run);
void pf_aiu_take_for_advice(aiu_run *run, uint32_t row, aiu_advice *a);
void pf_aiu_advise(aiu_run *run, const aiu_advice *a);

#endif
