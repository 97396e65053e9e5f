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

void pf_aiu_members_read(aiu_run *run, const aiu_flows *f, aiu_members *out);
aiu_stay pf_aiu_stay_of(const aiu_run *run, const aiu_member *m);

/* aiu_collective_slices.c: a slice for each rank of a complete collective. */
void pf_aiu_collective_slices(aiu_run *run, const aiu_flows *f, const aiu_members *m);

/* What all slices of a collective say. */
typedef struct aiu_collective_args {
    pf_str group, peers, number;
    uint32_t name; /* text */
    uint64_t bytes, size;
    bool tree;
} aiu_collective_args;
aiu_collective_args pf_aiu_collective_args(aiu_run *run, const aiu_flows *f, uint32_t collective, const int64_t *pid,
                                           uint32_t n);

/* A slice of the rank that a transfer is of. */
void pf_aiu_add_collective_slice(aiu_run *run, uint32_t transfer, aiu_stay at, const aiu_collective_args *s,
                                 uint32_t kernel);

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

/* aiu_flows.c: finds complete collectives and draws their arrows; NULL: the run failed. */
aiu_exchange *pf_aiu_find_collectives(aiu_run *run);

/* The sizes of transfers leave their names, but where `corrected` those that an argument does not say. */
void pf_aiu_cut_sizes(aiu_run *run, bool corrected);

/* That of the run, made when it is asked for; NULL: no memory. */
aiu_exchange *pf_aiu_exchange(aiu_run *run);

#endif
