/* analyze/aiu/ranks/aiu_members.h - who took part in a complete collective, when each rank came and when it was done.
 */
#ifndef PF_ANALYZE_AIU_RANKS_AIU_MEMBERS_H
#define PF_ANALYZE_AIU_RANKS_AIU_MEMBERS_H

#include "analyze/aiu/ranks/aiu_flow_groups.h"

/* A rank in a collective; times in us. */
typedef struct aiu_member {
    int64_t pid;
    double first_start, first_end, last_receive, last_multicast, last_end; /* of its transfers; -INFINITY: none */
    uint32_t kernel;                                                       /* the event before, PF_NONE */
    uint32_t transfer;                                                     /* one of its events */
} aiu_member;

typedef struct aiu_members {
    aiu_member *list;
    uint32_t *from; /* by collective: its members are list[from[c], from[c + 1]), ascending by pid */
    uint32_t count;
} aiu_members;

/* When a rank came to a collective, and when it had all of it. */
typedef struct aiu_stay {
    double start, end;
} aiu_stay;

pf_status pf_aiu_members_read(aiu_run *run, const aiu_flows *f, aiu_members *out);
aiu_stay pf_aiu_stay_of(const aiu_run *run, const aiu_member *m);

/* aiu_collective_slices.c: a slice for each rank of a complete collective. */
pf_status pf_aiu_collective_slices(aiu_run *run, const aiu_flows *f, const aiu_members *m);

/* The same as the program before postfetto makes them, from queues of kernels; *made: how many. */
pf_status pf_aiu_queued_slices(aiu_run *run, const aiu_flows *f, uint32_t *made);

/* The payload of a collective: of its first transfer that says it. */
uint64_t pf_aiu_collective_bytes(const aiu_run *run, const aiu_flows *f, const aiu_collective *c);

/* What is known of the ranks together, for reports: arena memory, of the run. */
typedef struct aiu_arrow_pair {
    uint32_t from, to; /* events: send, receive */
} aiu_arrow_pair;

typedef struct aiu_exchange {
    uint32_t ranks;  /* whose clocks were matched */
    int64_t *pid;    /* by rank */
    double *shift;   /* by rank: us that device time was moved by */
    double *rate;    /* by rank: of its counter against that of the first rank; NULL: not asked for */
    aiu_flows flows; /* its maps are empty by now */
    aiu_members members;
    aiu_arrow_pair *arrow;
    uint32_t arrows;
    uint64_t late; /* arrows that go back in time */
} aiu_exchange;

/* That of the run, made when it is asked for; NULL: no memory. */
aiu_exchange *pf_aiu_exchange(aiu_run *run);

#endif
