/* analyze/aiu/steps/aiu_lanes.h - the open slices of every thread, and the streams next to it. */
#ifndef PF_ANALYZE_AIU_STEPS_AIU_LANES_H
#define PF_ANALYZE_AIU_STEPS_AIU_LANES_H

#include "analyze/aiu/facts/aiu_facts.h"

/* A thread: the ends of its open slices, in no order. */
typedef struct aiu_lane {
    int64_t pid, tid, next; /* next: the stream after it; AIU_ID_NONE: none */
    double *ends;
    uint32_t count, room, chain;
} aiu_lane;

typedef struct aiu_lanes {
    aiu_run *run;
    aiu_lane **list;
    uint32_t count, room;
    pf_map by_hash; /* of pid and tid -> the last lane of that hash, `chain` the one before */
} aiu_lanes;

/* Makes the threads of all slices and, where overlaps are moved, their streams. */
pf_status pf_aiu_lanes_init(aiu_lanes *l, aiu_run *run);
void pf_aiu_lanes_free(aiu_lanes *l);

/* The lane of a thread, made if it is new; NULL: refused. */
aiu_lane *pf_aiu_lane(aiu_lanes *l, int64_t pid, int64_t tid);

/* Forgets ends before `ts`; whether an open end lies inside (ts, end); adds an end. */
void pf_aiu_lane_close(aiu_lane *lane, double ts);
bool pf_aiu_lane_conflicts(const aiu_lane *lane, double ts, double end);
pf_status pf_aiu_lane_open(aiu_lanes *l, aiu_lane *lane, double end);

/* The stream after a thread; false and the number after it where there is none. */
bool pf_aiu_next_stream(aiu_lanes *l, int64_t pid, int64_t tid, int64_t *next);

#endif
