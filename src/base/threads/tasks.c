/* base/threads/tasks.c - steps that do not depend on each other, on several threads. */
#include "base/threads/threads.h"

#include "base/list.h"

typedef struct run {
    const pf_task *task;
    pf_status *status;
    pf_error *error;
} run;

static void run_one(void *ctx, unsigned slot)
{
    const run *r = ctx;
    r->status[slot] = r->task[slot].run(r->task[slot].ctx, &r->error[slot]);
}

static pf_status run_in_order(const pf_task *tasks, unsigned count, pf_error *err)
{
    for (unsigned i = 0; i < count; i++) {
        PF_TRY(tasks[i].run(tasks[i].ctx, err));
    }
    return PF_OK;
}

static pf_status run_together(run *r, unsigned count, unsigned helpers, pf_budget *budget, pf_error *err)
{
    pf_crew *crew = pf_crew_start(helpers, count, run_one, r, budget);
    pf_status st = crew ? PF_OK : pf_budget_refused(budget, count, err);
    for (unsigned i = 0; crew && i < count; i++) {
        pf_crew_put(crew);
    }
    for (unsigned i = 0; crew && i < count; i++) {
        unsigned slot = pf_crew_take(crew);
        if (st == PF_OK && r->status[slot] != PF_OK) {
            st = r->status[slot];
            *err = r->error[slot];
        }
    }
    pf_crew_stop(crew);
    return st;
}

pf_status pf_tasks_run(const pf_task *tasks, unsigned count, unsigned jobs, pf_budget *budget, pf_error *err)
{
    unsigned helpers = jobs < count ? jobs : count;
    if (helpers < 2) {
        return run_in_order(tasks, count, err);
    }
    run r = {.task = tasks,
             .status = pf_alloc_zero(budget, count, sizeof *r.status),
             .error = pf_alloc_zero(budget, count, sizeof *r.error)};
    pf_status st = r.status && r.error ? run_together(&r, count, helpers - 1, budget, err)
                                       : pf_budget_refused(budget, count * sizeof *r.error, err);
    pf_release(budget, r.status, count * sizeof *r.status);
    pf_release(budget, r.error, count * sizeof *r.error);
    return st;
}
