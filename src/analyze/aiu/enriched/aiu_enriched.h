/* analyze/aiu/enriched/aiu_enriched.h - the trace that shows what a run found.
 *
 * The recorded slices stand in it where the stages put them: each rank has a process for its device and one for its
 * host. What the stages made is drawn as findings: counters, collectives, waits.
 */
#pragma once

#include <math.h>

#include "analyze/aiu/ranks/aiu_ranks.h"
#include "analyze/scheduler/thread_windows.h"
#include "analyze/support/drawing.h"
#include "analyze/support/intervals.h"
#include "postfetto/build.h"

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

/* A time that is drawn is at least 1 ns long; from when to when a slice of the run is drawn. */
static inline pf_interval pf_aiu_not_empty(int64_t start, int64_t end)
{
    return (pf_interval){start, end > start ? end : start + 1};
}

static inline pf_interval pf_aiu_interval(const aiu_run *run, double from, double to)
{
    return pf_aiu_not_empty(pf_aiu_nanoseconds(run, from), pf_aiu_nanoseconds(run, to));
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

typedef struct aiu_rank_job {
    uint32_t rank, job, kernels;
    double start, end, busy, energy;
} aiu_rank_job;

typedef struct aiu_rank_jobs {
    aiu_rank_job *list; /* in order of appearance */
    uint32_t count, room;
} aiu_rank_jobs;

void pf_aiu_rank_jobs_read(aiu_run *run, aiu_rank_jobs *out);

/* ---- a complete collective; times in ns of the trace (aiu_collective_costs.c) ------------------------------------ */

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

/* ---- kernels and communication of a rank; unions, ns (aiu_rank_work.c) ------------------------------------------- */

typedef struct aiu_comm_overlap {
    int64_t pid;
    uint64_t kernels, communication, both;
} aiu_comm_overlap;

typedef struct aiu_comm_overlaps {
    aiu_comm_overlap *list; /* ascending by pid; ranks that have either */
    uint32_t count;
} aiu_comm_overlaps;

void pf_aiu_comm_overlaps_read(aiu_run *run, aiu_comm_overlaps *out);

/* ---- gaps of devices, and what launching threads did in them (aiu_gaps.c) ---------------------------------------- */

/* The shortest that are kept, ns: of which the host took a part; others, as between any two kernels. */
enum { AIU_LEAST_GAP = 1000, AIU_LEAST_DEVICE_GAP = 10000 };

typedef struct aiu_gap {
    pf_interval time; /* ns of the trace, as it is shown */
    uint32_t rank, before, after;
    uint32_t launch; /* what launched `after`; PF_NONE: not known */
    uint32_t thread; /* that did, of the scheduler; PF_NONE: not known, or the host was not late */
    uint64_t host;   /* ns from the start on that the host took */
    int64_t later;   /* ns by which hosts are shown later than they were recorded */
} aiu_gap;

/* Of a gap: the time of the launching thread in which the scheduler is asked for it, as it was recorded. */
static inline pf_interval pf_aiu_window(const aiu_gap *gap)
{
    int64_t start = gap->time.start - gap->later;
    return (pf_interval){start, start + (int64_t)gap->host};
}

/* Where most of it went: "host-bound", "device", or "other" where no launch is known. */
const char *pf_aiu_gap_cause(const aiu_gap *gap);

typedef struct aiu_host_gap {
    const aiu_gap *gap;
    pf_thread_window what;
    int64_t middle; /* of its longest run */
    uint32_t slice; /* the innermost one of the thread there; PF_NONE */
} aiu_host_gap;

typedef struct aiu_gaps {
    pf_schedule schedule; /* states.count is 0 where the trace has none */
    aiu_gap *list;        /* by rank and time: those of rank r are list[first[r]] to list[first[r + 1] - 1] */
    uint32_t *first;
    const aiu_gap **longest;
    aiu_host_gap *window;                        /* of the longest ones, those that have one */
    uint32_t count, room, listed, windows, lost; /* lost: windows of which something is not known */
} aiu_gaps;

/* What is read once; never NULL. */
const aiu_gaps *pf_aiu_gaps_read(aiu_run *run);

/* ---- how far a rank's clock is from the median of all ranks, by the ends of collectives -------------------------- */

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

/* Makes tables, files and lines of a run in its findings. */
typedef pf_status aiu_report(aiu_run *run);

typedef struct aiu_enriched {
    aiu_run *run;
    aiu_report *report;
    pf_builder *b;
    pf_trace *made;    /* once it is */
    pf_map anchors;    /* pid as shown -> upid, if the input has it */
    pf_map processes;  /* pid as shown -> upid, as they are made */
    pf_map tids;       /* tid -> number */
    pf_map threads;    /* upid and number of the tid -> track */
    pf_map arrow_from; /* event -> number of the arrow, from 1 on */
    bool refused;      /* memory for one of the last four, or what they are of */
    aiu_key *ends;     /* where arrows end that wait for their time; their rows are arrows */
    uint32_t end_count, next_end;
} aiu_enriched;

/* The trace; meanwhile `report` is called once, and then the drawings are put into the findings. NULL: the run failed.
 */
pf_trace *pf_aiu_enriched(aiu_run *run, aiu_report *report);

/* Of anchors: the process is one that the builder makes. */
#define AIU_MADE (PF_NONE - 1)

/* The process that an event or a counter of that pid is shown in, PF_NONE without one. */
static inline uint32_t pf_aiu_process_of(const aiu_enriched *x, int64_t pid)
{
    uint32_t upid = pf_map_get(&x->anchors, (uint64_t)pid);
    return upid == AIU_MADE ? pf_map_get(&x->processes, (uint64_t)pid) : upid;
}

/* Groups for all ranks and for each: collectives, waits, counters (aiu_draw_ranks.c). */
void pf_aiu_draw_ranks(aiu_enriched *x);

/* ---- aiu_draw_counters.c ----------------------------------------------------------------------------------------- */

/* The pid of counters of no single rank. */
#define AIU_ALL_RANKS (-1)

/* The samples of one counter: order[from, to), ascending by time. */
typedef struct aiu_counter {
    int64_t pid;
    uint32_t label, from, to;
    uint8_t series;
} aiu_counter;

typedef struct aiu_counters {
    aiu_run *run;
    pf_drawing *d;
    aiu_counter *list;
    uint32_t count, room;
    uint32_t *order;  /* samples */
    double *last_end; /* by rank, us: of its device slices */
    aiu_rows moves;   /* by rank: transfers that say how many bytes they carry */
} aiu_counters;

void pf_aiu_counters_read(aiu_run *run, pf_drawing *d, aiu_counters *out);

/* The counters of a rank that are of one series. Where none of them says how many bytes move at each moment, transfers
 * do. */
void pf_aiu_draw_counters(aiu_counters *c, aiu_series series, int64_t pid);
bool pf_aiu_has_counters(const aiu_counters *c, int64_t pid);

/* The bandwidth of collectives: each from its begin to its end. */
void pf_aiu_draw_collective_rates(aiu_counters *w, const aiu_collective_costs *c);
