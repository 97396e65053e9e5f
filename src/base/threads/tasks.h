/* base/threads/tasks.h - steps that do not depend on each other, on several threads. */
#ifndef PF_BASE_THREADS_TASKS_H
#define PF_BASE_THREADS_TASKS_H

#include "base/budget.h"

/* A task writes nothing that another one reads or writes: arenas are its own. */
typedef struct pf_task {
    pf_status (*run)(void *ctx, pf_error *err);
    void *ctx;
} pf_task;

/* Runs them with up to `jobs` threads, the caller's included; begins with the first. The error is that of the first
 * task in the list that has one. With one thread they run in their order, up to the first error. */
pf_status pf_tasks_run(const pf_task *tasks, unsigned count, unsigned jobs, pf_budget *budget, pf_error *err);

#endif
