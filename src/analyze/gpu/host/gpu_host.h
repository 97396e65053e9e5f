/* analyze/gpu/host/gpu_host.h - what the thread that launched too late did meanwhile, by the tables of the scheduler.
 *
 * thread_state has what threads did or waited for, sched what each cpu ran. A host-bound gap of a device has a window
 * on the thread of the call that ended it: from the start of the gap to the end of the call, or of the gap if that is
 * earlier. docs/reference/gpu.md, "What the host did", has the definitions.
 */
#ifndef PF_ANALYZE_GPU_HOST_GPU_HOST_H
#define PF_ANALYZE_GPU_HOST_GPU_HOST_H

#include "analyze/gpu/times/gpu_times.h"
#include "analyze/scheduler/scheduler.h"

pf_str pf_gpu_host_kind_name(pf_task_kind kind);

/* Rows in order of what they belong to: those of `of` are order[first[of]] to order[first[of + 1] - 1], in order of
 * time. */
typedef struct gpu_host_order {
    uint32_t *order, *first, of;
} gpu_host_order;

typedef struct gpu_host {
    const gpu_facts *g;
    pf_task_states states;
    pf_cpu_runs runs;
    gpu_host_order by_thread, by_cpu;
    uint32_t *place; /* of a row of thread_state in by_thread */
    uint32_t *cpu;   /* by place in by_thread: the cpu that its thread ran on last before; PF_NONE: none */
    uint64_t *taken; /* by thread, zeros; while a window is looked at */
    bool lost;       /* the recording says that events of the scheduler are missing */
} gpu_host;

/* A part of a window. place: in by_thread; PF_NONE: no row is there. */
typedef struct gpu_host_part {
    pf_interval time;
    uint32_t place;
    pf_task_kind kind;
} gpu_host_part;

typedef struct gpu_host_walk {
    const gpu_host *h;
    pf_interval left;
    uint32_t next, end;
} gpu_host_walk;

/* A thread that woke, and what it waited for itself before: PF_NONE, 0, 0 where that is not known. */
typedef struct gpu_host_hop {
    uint32_t thread, irq; /* irq: 1: an interrupt of that thread did it; PF_NONE: not known */
    int64_t at;
    bool woken; /* blocked and runnable are known */
    uint64_t blocked, runnable;
} gpu_host_hop;

enum { GPU_HOST_HOPS = 5 };
typedef struct gpu_host_window {
    uint64_t time[PF_TASK_KINDS];
    pf_task_kind verdict;  /* the longest; the first of several */
    gpu_host_part running; /* its longest run; place PF_NONE: none */
    uint32_t taken_by;     /* who had the cpu longest while the thread was ready for one; PF_NONE: nobody is known */
    uint64_t taken;
    uint32_t function;               /* where in the kernel it waited in its longest wait; 0: not known */
    gpu_host_hop hop[GPU_HOST_HOPS]; /* who ended that wait, who woke that one, ... */
    unsigned hops;
} gpu_host_window;

/* Reads the tables; h->states.count is 0 where the trace has none. */
pf_status pf_gpu_host_read(const gpu_facts *g, gpu_host *h, pf_error *err);

/* The parts of a window of a thread, in order of time. */
gpu_host_walk pf_gpu_host_walk(const gpu_host *h, uint32_t thread, pf_interval window);
bool pf_gpu_host_next(gpu_host_walk *w, gpu_host_part *out);

/* Who had the cpu that the thread of a part ran on before, for longest in it; PF_NONE: nobody is known. */
uint32_t pf_gpu_host_taker(const gpu_host *h, const gpu_host_part *part, uint64_t *taken);

void pf_gpu_host_look(const gpu_host *h, uint32_t thread, pf_interval window, gpu_host_window *out);

/* The window of a gap; false where it has none. */
bool pf_gpu_host_window_of(const gpu_facts *g, const gpu_listed_gap *gap, pf_interval *window);

/* "python", or "tid 4711". The text lives as long as the findings. */
pf_str pf_gpu_host_thread_text(const gpu_facts *g, uint32_t thread);

/* "worker <- interrupt of loader": who ended the longest wait, who woke that one, ...; {NULL, 0}: nobody is known. */
pf_str pf_gpu_host_wakers_text(const gpu_facts *g, const gpu_host_window *w);

/* Fills the tables of windows and of wakers for the gaps. */
pf_status pf_gpu_host_tabulate(const gpu_host *h, const gpu_gap_list *gaps, pf_error *err);

#endif
