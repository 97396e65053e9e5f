/* analyze/aiu/ranks/aiu_bandwidth.h - how fast collectives move data: what ours and acelyzer's counters share. */
#ifndef PF_ANALYZE_AIU_RANKS_AIU_BANDWIDTH_H
#define PF_ANALYZE_AIU_RANKS_AIU_BANDWIDTH_H

#include "analyze/aiu/ranks/aiu_ranks.h"

#define AIU_BANDWIDTH_PID (-1)

/* From the first begin of a collective to its last end. */
typedef struct aiu_window {
    double start, end, bytes;
} aiu_window;

/* What is known of the collective that is under way, as slices end. */
typedef struct aiu_guess {
    bool under_way, sized;
    double begin, bytes, before; /* before: the end of the slice before */
    uint64_t receives, ranks;
} aiu_guess;

/* GB/s, rounded; a slice of a collective that was built; their number. */
double pf_aiu_gigabytes_per_second(double bytes, double us);
bool pf_aiu_is_built(const aiu_run *run, uint32_t e);
uint32_t pf_aiu_count_built(const aiu_run *run);

/* Draws a collective that is over. */
void pf_aiu_add_guess(aiu_run *run, aiu_guess *g);

/* All slices by their ends, in memory of the stage; NULL: the run failed. */
aiu_key *pf_aiu_by_end(aiu_run *run, uint32_t *count);

#endif
