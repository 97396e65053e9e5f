/* analyze/aiu/enriched/aiu_meetings.h - what collectives cost: who came last, how long the others waited; how much of
 * the communication was hidden by kernels; what is left of the offsets between clocks.
 */
#ifndef PF_ANALYZE_AIU_ENRICHED_AIU_MEETINGS_H
#define PF_ANALYZE_AIU_ENRICHED_AIU_MEETINGS_H

#include "analyze/aiu/ranks/aiu_members.h"
#include "analyze/aiu/tables/aiu_report_tables.h"
#include "analyze/support/intervals.h"

/* A complete collective; times in ns of the trace. */
typedef struct aiu_meeting {
    uint32_t collective;   /* of exchange->flows */
    uint32_t first, ranks; /* its members in exchange->members */
    uint32_t straggler;    /* the member that came last */
    int64_t start, end;    /* first arrival, last end */
    int64_t last, before;  /* the last arrival, and the one before it */
    int64_t lost;          /* what all ranks waited together */
    uint64_t bytes, moved; /* payload of a rank; of all transfers of a chain: 2 * (ranks - 1) * bytes */
    int64_t apart;         /* how far clocks of two of its ranks may be from each other */
    bool late_told,
        rate_told; /* clocks of ranks are near enough to each other for who was late, for how long it took */
} aiu_meeting;

typedef struct aiu_meetings {
    aiu_meeting *list; /* ascending by start */
    uint32_t count;
} aiu_meetings;

pf_status pf_aiu_meetings_read(aiu_run *run, aiu_meetings *out, pf_error *err);
int64_t pf_aiu_arrival(const aiu_run *run, const aiu_member *m); /* ns */
int64_t pf_aiu_leave(const aiu_run *run, const aiu_member *m);
double pf_aiu_meeting_rate(const aiu_meeting *m); /* GB/s */
pf_str pf_aiu_meeting_name(const aiu_run *run, const aiu_meeting *m);

/* Kernels and communication of a rank: unions, ns. */
typedef struct aiu_hidden {
    int64_t pid;
    uint64_t kernels, communication, both;
} aiu_hidden;

typedef struct aiu_hiddens {
    aiu_hidden *list; /* ascending by pid */
    uint32_t count;
} aiu_hiddens;

pf_status pf_aiu_shares_read(aiu_run *run, aiu_hiddens *out, pf_error *err);

/* How far a rank's clock is from the median of all ranks, by when it is done with collectives. */
typedef struct aiu_clock {
    int64_t pid;
    bool matched; /* its clock was moved */
    double shift_us, rate;
    uint32_t collectives;
    int64_t left, worst; /* ns: the median, and the largest distance */
    double drift;        /* ppm */
} aiu_clock;

typedef struct aiu_clocks {
    aiu_clock *list;
    uint32_t count;
} aiu_clocks;

pf_status pf_aiu_clocks_read(aiu_run *run, const aiu_meetings *m, aiu_clocks *out, pf_error *err);

/* The report tables about several ranks (aiu_rank_tables.c). */
enum { AIU_RANK_TABLES = 4 };
extern const pf_pass_table pf_aiu_rank_tables[AIU_RANK_TABLES + AIU_OWN_TABLE_COUNT];
pf_status pf_aiu_report_ranks(aiu_run *run, pf_error *err);

#endif
