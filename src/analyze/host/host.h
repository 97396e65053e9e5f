/* analyze/host/host.h - what the scheduler of a machine did, as numbers of its cpus and threads.
 *
 * Everything comes from two tables: what each cpu ran (sched) and what each thread did (thread_state). The span goes
 * from the first row of both to the last end of a row; a row without an end lasts until then where nothing follows it
 * on its cpu or of its thread, else how long it lasted is lost and it counts as nothing. Without a scheduler the span
 * is that of interrupts and of samples of frequencies.
 */
#pragma once

#include "analyze/scheduler/interrupts.h"
#include "analyze/scheduler/scheduler.h"
#include "analyze/support/pass_tables.h"
#include "base/arena.h"

enum { HOST_PERCENTS = 3, HOST_MOST_WAITS = 1000 };

/* Delays: how long threads were ready before they ran. By rank: the least value that so many percent do not exceed. */
typedef struct host_delays {
    uint32_t count;
    uint64_t at[HOST_PERCENTS]; /* 50, 95 and 99 percent */
    uint64_t most;
} host_delays;

typedef struct host_task {
    uint64_t time[PF_TASK_KINDS];
    uint64_t io; /* of the time blocked: for a device */
    uint32_t runs, preemptions, migrations;
    host_delays delays;
    /* While rows are read: its last row, the first one since it ran last, the cpu of its last run; PF_NONE: none. */
    uint32_t row, off, cpu;
    bool lost; /* some row since it ran last has no end */
} host_task;

typedef struct host_cpu {
    uint64_t running, idle;
    uint32_t runs;      /* of threads other than the idle one */
    host_delays delays; /* of what ran here then */
    uint32_t row;       /* its last row */
} host_cpu;

/* From the end of a run of a thread to its next run. */
typedef struct host_wait {
    uint64_t length;
    uint32_t off, ready, run; /* rows of thread_state: the first one in it, the last one, the run that ends it */
} host_wait;

typedef struct host_waits {
    host_wait *wait; /* the longest ones, longest first */
    uint32_t count, most;
} host_waits;

/* A frequency of a cpu: how long it had it, cut to the span; while threads ran, while the idle one did. */
typedef struct host_frequency {
    uint32_t cpu;
    int64_t khz;
    uint64_t all, running, idle;
} host_frequency;

/* When a cpu had which frequency; those of one cpu are together, from[cpu] on, in order of time. of: its place in the
 * list, until that is sorted. */
typedef struct host_stretch {
    pf_interval time;
    int64_t khz;
    uint32_t of;
} host_stretch;

typedef struct host_frequencies {
    host_frequency *list; /* by cpu, then by frequency */
    host_stretch *stretch;
    uint32_t count, stretches, *from;
} host_frequencies;

/* Interrupts of one name on a cpu. */
typedef struct host_interrupt {
    uint32_t cpu, name, count;
    bool soft;
    uint64_t total, longest;
    int64_t longest_at;
} host_interrupt;

typedef struct host_facts {
    const pf_pass_context *ctx;
    const pf_trace *t;
    pf_cpu_runs sched;
    pf_task_states states;
    int64_t start, end;
    host_task *thread; /* by utid */
    uint32_t threads;
    host_cpu *cpu;            /* by ucpu; those that ran nothing have row PF_NONE */
    uint32_t cpus, cpus_seen; /* seen: in sched; without a scheduler those that served interrupts */
    host_delays delays;       /* of all */
    host_waits waits[PF_TASK_KINDS];
    pf_cpu_tracks tracks;
    pf_interrupts interrupts;
    host_frequencies frequencies;
    host_interrupt *interrupt; /* the most time first */
    uint32_t interrupt_count;
} host_facts;

static inline void pf_host_widen(host_facts *h, int64_t ts, int64_t dur)
{
    int64_t end = ts + (dur > 0 ? dur : 0);
    h->start = ts < h->start ? ts : h->start;
    h->end = end > h->end ? end : h->end;
}

/* host_facts.c: reads both tables; `longest`: how many waits of each kind are kept. start > end: there is nothing. */
pf_status pf_host_read(host_facts *h, uint32_t longest, pf_error *err);

/* host_cpu_facts.c: frequencies and interrupts; and the span of these. */
pf_status pf_host_read_cpus(host_facts *h, pf_error *err);
void pf_host_widen_by_cpus(host_facts *h);

static inline bool pf_host_has_scheduler(const host_facts *h)
{
    return h->sched.count || h->states.count;
}

/* Of a row of thread_state. */
static inline pf_task_kind pf_host_kind(const host_facts *h, uint32_t row)
{
    return pf_task_kind_of(h->t, &h->states, row);
}

/* Until when a row lasted; its start where that is lost. `last`: nothing follows it. */
static inline int64_t pf_host_end(const host_facts *h, int64_t ts, int64_t dur, bool last)
{
    return dur >= 0 ? ts + dur : last && h->end > ts ? h->end : ts;
}

/* host_tables.c: the result tables, and what is shown of them. */
enum { HOST_CPUS, HOST_FREQUENCIES, HOST_INTERRUPTS, HOST_PROCESSES, HOST_THREADS, HOST_WAITS, HOST_TABLES };
extern const pf_pass_table pf_host_tables[HOST_TABLES];
pf_status pf_host_tabulate(const host_facts *h, pf_findings *f, pf_table_builder *table[HOST_TABLES], pf_error *err);

/* host_draw.c: use of the cpus and of the queue over time, and the longest waits. */
pf_status pf_host_draw(const host_facts *h, pf_findings *f, pf_error *err);
