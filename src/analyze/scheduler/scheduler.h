/* analyze/scheduler/scheduler.h - the tables of the scheduler as columns, and what the state of a thread means. */
#pragma once

#include "postfetto/trace.h"

/* sched: what each cpu ran. dur < 0: without an end. */
typedef struct pf_cpu_runs {
    uint32_t count; /* 0: there is no scheduler in the trace */
    const int64_t *ts, *dur;
    const uint32_t *utid, *ucpu;
} pf_cpu_runs;

/* thread_state: what each thread did or waited for. References and small numbers are PF_NONE where they are NULL. */
typedef struct pf_task_states {
    uint32_t count;
    const int64_t *ts, *dur;
    const uint32_t *utid, *state, *io_wait, *function, *waker, *waker_id, *irq, *ucpu;
} pf_task_states;

typedef enum pf_task_kind {
    PF_TASK_RUNNING,
    PF_TASK_READY,     /* R after a wakeup: it waits for a cpu */
    PF_TASK_PREEMPTED, /* R+, or R that nobody woke: a cpu was taken from it */
    PF_TASK_SLEEPING,  /* S, I: for another thread, for time */
    PF_TASK_BLOCKED,   /* D: in the kernel, for a disk for instance */
    PF_TASK_STOPPED,   /* T, X, Z and the like */
    PF_TASK_UNKNOWN,   /* NULL */
    PF_TASK_KINDS
} pf_task_kind;

pf_status pf_scheduler_read(const pf_trace *t, pf_cpu_runs *runs, pf_task_states *states, pf_error *err);
pf_task_kind pf_task_kind_of(const pf_trace *t, const pf_task_states *s, uint32_t row);
