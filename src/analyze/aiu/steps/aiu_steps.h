/* analyze/aiu/steps/aiu_steps.h - the steps of `analyze aiu`, in the order of the work.
 *
 * Each is a function over the facts that changes events in place. acelyzer/ lists them as stages, under the names that
 * acelyzer has for them: what -P, --skip-stage and --stages name. An error is remembered by the run.
 */
#pragma once

#include <math.h>

#include "analyze/aiu/facts/aiu_facts.h"

/* Which events count, and how they are named; apply_filters: of it, drops slices that --event_filter finds. */
aiu_step pf_aiu_normalise, pf_aiu_apply_filters, pf_aiu_remove_ids;

/* Cycle counters of 32 bits grow, and become times. Then the clocks of ranks: ranks/. */
aiu_step pf_aiu_align_jobs, pf_aiu_grow_counters, pf_aiu_check_events, pf_aiu_map_threads, pf_aiu_to_wallclock,
    pf_aiu_tighten, pf_aiu_split_slices;

/* Queues, threads of hosts, slices that overlap. */
aiu_step pf_aiu_count_preps, pf_aiu_drop_globals, pf_aiu_recombine_hosts, pf_aiu_check_sequence,
    pf_aiu_resolve_overlaps;
/* The slices of kernels of a rank that wait: their begins (second 1), in order, and their ends (second 0). */
typedef void aiu_count_queue(aiu_run *run, aiu_key *edges, uint32_t count, int64_t pid);
void pf_aiu_count_queues(aiu_run *run, aiu_count_queue *count);

/* Iterations and power. Then use of the cores, cores/, and transfers between ranks, ranks/. */
aiu_step pf_aiu_collect_iterations, pf_aiu_extract_power, pf_aiu_compute_power, pf_aiu_power_stats;

/* What each slice does, and the arrows from launches to kernels. */
aiu_step pf_aiu_collect_launches, pf_aiu_classify, pf_aiu_classify_between, pf_aiu_draw_launches;

/* Kernels in numbers; how events are shown. */
aiu_step pf_aiu_calculate_stats, pf_aiu_keep_types, pf_aiu_hide_device_times, pf_aiu_refine_names,
    pf_aiu_refine_lightly, pf_aiu_hide_all_times;

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
    if (pf_aiu_rule(run, AIU_HOST_LAPS)) {
        return floor(since / pf_aiu_span(run));
    }
    double laps = rint((since * run->set.soc - (double)pf_aiu_first_counter(run, e)) / 4294967296.0);
    return laps > 0 ? laps : 0;
}

/* aiu_clock.c: the clock of the counters that kernels show, which it is with --freq auto, before counters grow. */
void pf_aiu_find_clock(aiu_run *run);

/* Values with their extremes. */
typedef struct aiu_values {
    double least, most, sum;
    uint64_t count;
} aiu_values;

/* What the first events of jobs say of the clock that would keep counters and host together. */
typedef struct aiu_advice {
    aiu_values clock;
    double drift; /* of largest magnitude, us */
    pf_map *seen; /* rank and job -> epoch */
} aiu_advice;

/* The frequency that events show, in the log: before counters grow; event by event as they do; after. */
void pf_aiu_measure_frequency(aiu_run *run);
void pf_aiu_take_for_advice(aiu_run *run, uint32_t row, aiu_advice *a);
void pf_aiu_advise(aiu_run *run, const aiu_advice *a);

/* A thread: the ends of its open slices, in no order. */
typedef struct aiu_lane {
    int64_t pid, tid, next; /* next: the stream after it; AIU_ID_NONE: none */
    double *ends;
    uint32_t count, room;
} aiu_lane;

typedef struct aiu_lanes {
    aiu_run *run;
    aiu_lane **list;
    uint32_t count, room;
    aiu_pairs threads; /* pid and tid: the place in `list` */
} aiu_lanes;

/* Makes the threads of all slices and, where overlaps are moved, their streams. */
pf_status pf_aiu_lanes_init(aiu_lanes *l, aiu_run *run);

/* The lane of a thread, made if it is new; NULL: refused. */
aiu_lane *pf_aiu_lane(aiu_lanes *l, int64_t pid, int64_t tid);

/* Forgets ends before `ts`; whether an open end lies inside (ts, end); adds an end. */
void pf_aiu_lane_close(aiu_lane *lane, double ts);
bool pf_aiu_lane_conflicts(const aiu_lane *lane, double ts, double end);
pf_status pf_aiu_lane_open(aiu_lanes *l, aiu_lane *lane, double end);

/* One of them. */
typedef struct aiu_iteration {
    double start, length, busy; /* us; the last one before a break ends with its last kernel */
    uint32_t job;               /* of its first kernel */
    bool counted;               /* another follows at once, in the same job */
} aiu_iteration;

typedef struct aiu_iterations {
    uint32_t kernels; /* in the loop; 0: nothing repeats */
    uint32_t count;   /* iterations that another follows at once */
    double mean;      /* us from begin to begin */
    double median;
    aiu_iteration *row;
    uint32_t rows;
} aiu_iterations;

static inline aiu_iterations pf_aiu_iterations_of(const aiu_run *run, uint32_t rank)
{
    return run->iterations ? run->iterations[rank] : (aiu_iterations){0};
}

/* The middle of `count` values, the mean of the two middle ones; 0 without any. Reorders them (aiu_kernel_stats.c). */
double pf_aiu_median(double *v, uint32_t count);

/* Order statistics of some numbers. */
typedef struct aiu_numbers {
    double sum, mean, median, least, most, deviation; /* deviation: of a sample; 0 for a single one */
} aiu_numbers;

enum { AIU_STEP_TIMES = 4 }; /* TS2-TS1, TS3-TS2, TS4-TS3, TS5-TS4 */

/* All kernels of a rank that have one name, numbers in it aside. */
typedef struct aiu_kernel_row {
    uint32_t rank, name;              /* of run->ranks; a text */
    uint32_t calls, timed;            /* timed: with counters */
    double energy;                    /* W us; not finite: withheld */
    aiu_numbers time;                 /* us */
    aiu_numbers step[AIU_STEP_TIMES]; /* cycles */
} aiu_kernel_row;

/* All kernels of a rank. */
typedef struct aiu_rank_row {
    uint32_t rank, calls;
    double time, first, last; /* us */
    aiu_energy energy;
} aiu_rank_row;

typedef struct aiu_kernel_stats {
    aiu_kernel_row *row; /* by rank as ranks below, longest first */
    uint32_t row_count;
    aiu_rank_row *rank; /* by pid; only those with kernels */
    uint32_t rank_count;
} aiu_kernel_stats;

/* Sorts the numbers. */
aiu_numbers pf_aiu_numbers(double *v, uint32_t count);
