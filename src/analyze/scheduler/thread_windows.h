/* analyze/scheduler/thread_windows.h - what a thread did in a window of time, by the tables of the scheduler: for
 * launches that came too late.
 *
 * thread_state has what threads did or waited for, sched what each cpu ran. A host-bound gap of a device has a window
 * on the thread of the call that ended it. docs/reference/gpu.md, "What the host did", has the definitions.
 */
#pragma once

#include "analyze/scheduler/interrupts.h"
#include "analyze/scheduler/scheduler.h"
#include "analyze/support/pass_tables.h"
#include "postfetto/findings.h"

/* Rows in order of what they belong to: those of `of` are order[first[of]] to order[first[of + 1] - 1], in order of
 * time. */
typedef struct pf_row_order {
    uint32_t *order, *first, of;
} pf_row_order;

typedef struct pf_schedule {
    const pf_trace *t;
    pf_findings *f;
    pf_task_states states;
    pf_cpu_runs runs;
    pf_row_order by_thread, by_cpu;
    uint32_t *place; /* of a row of thread_state in by_thread */
    uint32_t *cpu;   /* by place in by_thread: the cpu that its thread ran on last before; PF_NONE: none */
    uint64_t *taken; /* by thread, zeros; while a window is looked at */
    pf_interrupts interrupts;
    bool lost; /* the recording says that events of the scheduler are missing */
} pf_schedule;

/* A part of a window. place: in by_thread; PF_NONE: no row is there. */
typedef struct pf_thread_part {
    pf_interval time;
    uint32_t place;
    pf_task_kind kind;
} pf_thread_part;

typedef struct pf_thread_walk {
    const pf_schedule *h;
    pf_interval left;
    uint32_t next, end;
} pf_thread_walk;

/* A thread that woke, and what it waited for itself before: PF_NONE, 0, 0 where that is not known. */
typedef struct pf_thread_hop {
    uint32_t thread, irq; /* irq: 1: an interrupt of that thread did it; PF_NONE: not known */
    int64_t at;
    bool woken; /* blocked and runnable are known */
    uint64_t blocked, runnable;
} pf_thread_hop;

enum { PF_THREAD_HOPS = 5 };
typedef struct pf_thread_window {
    uint64_t time[PF_TASK_KINDS];
    uint64_t interrupts;    /* of them: its cpu, or the one it ran on before it was ready, served interrupts */
    pf_task_kind verdict;   /* the longest; the first of several */
    pf_thread_part running; /* its longest run; place PF_NONE: none */
    uint32_t taken_by;      /* who had the cpu longest while the thread was ready for one; PF_NONE: nobody is known */
    uint64_t taken;
    uint32_t function;                 /* where in the kernel it waited in its longest wait; 0: not known */
    pf_thread_hop hop[PF_THREAD_HOPS]; /* who ended that wait, who woke that one, ... */
    unsigned hops;
} pf_thread_window;

/* Reads the tables; h->states.count is 0 where the trace has none. */
pf_status pf_schedule_read(const pf_trace *t, pf_findings *f, pf_arena *arena, pf_schedule *h, pf_error *err);

/* By thread: itself, or the first one of its number that has states if it has none. */
pf_status pf_schedule_same_tids(const pf_schedule *h, pf_arena *arena, uint32_t **same, pf_error *err);

/* The parts of a window of a thread, in order of time. */
pf_thread_walk pf_schedule_walk(const pf_schedule *h, uint32_t thread, pf_interval window);
bool pf_schedule_next(pf_thread_walk *w, pf_thread_part *out);

/* Who had the cpu that the thread of a part ran on before, for longest in it; PF_NONE: nobody is known. */
uint32_t pf_schedule_taker(const pf_schedule *h, const pf_thread_part *part, uint64_t *taken);

void pf_schedule_look(const pf_schedule *h, uint32_t thread, pf_interval window, pf_thread_window *out);

/* ---- window_rows.c: how a window is shown --------------------------------------------------------------------------
 */

/* Whether something of a window is not known. */
bool pf_schedule_lost(const pf_schedule *s, const pf_thread_window *w);

/* Says for how many of so many gaps that is so, if for any. */
void pf_schedule_say_lost(const pf_schedule *s, uint32_t lost, uint32_t of);

/* Columns and cells of a window: `slice` is the name of the innermost one at the middle of its longest run. */
#define PF_WINDOW_NS(name) PF_INT_COLUMN(name, "ns")
#define PF_WINDOW_COLUMNS                                                                                              \
    PF_WINDOW_NS("start_ns"), PF_WINDOW_NS("end_ns"), PF_WINDOW_NS("length_ns"), PF_INT_COLUMN("thread", ""),          \
        PF_TEXT_COLUMN("thread_name"), PF_TEXT_COLUMN("verdict"), PF_WINDOW_NS("running_ns"),                          \
        PF_WINDOW_NS("runnable_ns"), PF_WINDOW_NS("preempted_ns"), PF_WINDOW_NS("sleeping_ns"),                        \
        PF_WINDOW_NS("blocked_ns"), PF_WINDOW_NS("unknown_ns"), PF_WINDOW_NS("interrupt_ns"),                          \
        PF_TEXT_COLUMN("running_slice"), PF_TEXT_COLUMN("cpu_taken_by"), PF_WINDOW_NS("cpu_taken_ns"),                 \
        PF_TEXT_COLUMN("blocked_function"), PF_TEXT_COLUMN("wakers"), PF_INT_COLUMN("data_lost", "")
enum { PF_WINDOW_CELLS = 19 };
void pf_schedule_window_cells(const pf_schedule *s, uint32_t thread, pf_interval window, const pf_thread_window *w,
                              pf_str slice, pf_cell *out);

/* Columns and cells of one of its wakers, counted from 0. */
#define PF_WAKER_COLUMNS                                                                                               \
    PF_WINDOW_NS("start_ns"), PF_INT_COLUMN("number", ""), PF_INT_COLUMN("thread", ""), PF_TEXT_COLUMN("thread_name"), \
        PF_WINDOW_NS("woken_ns"), PF_INT_COLUMN("interrupt", ""), PF_WINDOW_NS("blocked_ns"),                          \
        PF_WINDOW_NS("runnable_ns")
enum { PF_WAKER_CELLS = 8 };
void pf_schedule_waker_cells(const pf_schedule *s, pf_interval window, const pf_thread_window *w, unsigned number,
                             pf_cell *out);

/* A slice for the window, with what the table says of it, and its parts inside; `later` than it was, ns. The row's
 * description. */
void pf_schedule_draw(const pf_schedule *s, uint32_t track, uint32_t thread, pf_interval window, int64_t later);
extern const char pf_schedule_row[];
