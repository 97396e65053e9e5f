/* Tasks on one and on several threads: all of them run once, and the error is that of the first one that has any. */
#include <criterion/criterion.h>

#include "base/threads/threads.h"

enum { TASKS = 5 };

typedef struct work {
    int number, runs;
    bool fails;
} work;

static pf_status run(void *ctx, pf_error *err)
{
    work *w = ctx;
    w->runs++;
    return w->fails ? pf_fail(err, PF_ERR_LIMIT, "task %d", w->number) : PF_OK;
}

static pf_status run_all(work *w, unsigned jobs, pf_error *err)
{
    pf_task tasks[TASKS];
    pf_budget budget;
    pf_budget_init(&budget, NULL);
    for (int i = 0; i < TASKS; i++) {
        w[i].number = i;
        tasks[i] = (pf_task){run, &w[i]};
    }
    pf_status st = pf_tasks_run(tasks, TASKS, jobs, &budget, err);
    cr_expect_eq(budget.used, 0);
    return st;
}

Test(tasks, run_once_each)
{
    for (unsigned jobs = 0; jobs <= TASKS + 1; jobs++) {
        work w[TASKS] = {{.runs = 0}};
        pf_error err;
        cr_expect_eq(run_all(w, jobs, &err), PF_OK);
        for (int i = 0; i < TASKS; i++) {
            cr_expect_eq(w[i].runs, 1, "task %d, %u jobs", i, jobs);
        }
    }
}

Test(tasks, report_the_error_of_the_first_task_that_has_one)
{
    for (unsigned jobs = 1; jobs <= TASKS; jobs++) {
        work w[TASKS] = {{.runs = 0}, {.runs = 0}, {.fails = true}, {.runs = 0}, {.fails = true}};
        pf_error err;
        cr_expect_eq(run_all(w, jobs, &err), PF_ERR_LIMIT);
        cr_expect_str_eq(err.text, "task 2");
    }
}

Test(tasks, end_at_the_first_error_on_one_thread)
{
    work w[TASKS] = {{.runs = 0}, {.fails = true}};
    pf_error err;
    cr_expect_eq(run_all(w, 1, &err), PF_ERR_LIMIT);
    cr_expect_eq(w[1].runs, 1);
    cr_expect_eq(w[2].runs, 0);
}

/* A budget that forbids everything, with threads asked for. */
Test(tasks, need_memory_for_threads)
{
    pf_limits limits = pf_limits_default();
    limits.memory = 1;
    pf_budget budget;
    pf_budget_init(&budget, &limits);
    work w = {.runs = 0};
    const pf_task tasks[] = {{run, &w}, {run, &w}};
    pf_error err;
    cr_expect_eq(pf_tasks_run(tasks, 2, 2, &budget, &err), PF_ERR_LIMIT);
    cr_expect_eq(w.runs, 0);
}
