/* analyze/scheduler/scheduler.c - binds the columns of both tables; letters of states. */
#include "analyze/scheduler/scheduler.h"

#include "postfetto/side_table.h"

static const pf_side_binding run_columns[] = {
    PF_SIDE_MEMBER(pf_cpu_runs, ts, "ts"), PF_SIDE_MEMBER(pf_cpu_runs, dur, "dur"),
    PF_SIDE_MEMBER(pf_cpu_runs, utid, "utid"), PF_SIDE_MEMBER(pf_cpu_runs, ucpu, "ucpu")};
static const pf_side_binding state_columns[] = {PF_SIDE_MEMBER(pf_task_states, ts, "ts"),
                                                PF_SIDE_MEMBER(pf_task_states, dur, "dur"),
                                                PF_SIDE_MEMBER(pf_task_states, utid, "utid"),
                                                PF_SIDE_MEMBER(pf_task_states, state, "state"),
                                                PF_SIDE_MEMBER(pf_task_states, io_wait, "io_wait"),
                                                PF_SIDE_MEMBER(pf_task_states, function, "blocked_function"),
                                                PF_SIDE_MEMBER(pf_task_states, waker, "waker_utid"),
                                                PF_SIDE_MEMBER(pf_task_states, waker_id, "waker_id"),
                                                PF_SIDE_MEMBER(pf_task_states, irq, "irq_context"),
                                                PF_SIDE_MEMBER(pf_task_states, ucpu, "ucpu")};

#define COUNT(a) (sizeof(a) / sizeof *(a))

pf_status pf_scheduler_read(const pf_trace *t, pf_cpu_runs *runs, pf_task_states *states, pf_error *err)
{
    PF_TRY(pf_side_bind(pf_trace_table(t, "__intrinsic_sched_slice"), run_columns, COUNT(run_columns), runs, err));
    return pf_side_bind(pf_trace_table(t, "__intrinsic_thread_state"), state_columns, COUNT(state_columns), states,
                        err);
}

pf_task_kind pf_task_kind_of(const pf_trace *t, const pf_task_states *s, uint32_t row)
{
    pf_str state = pf_trace_string(t, s->state[row]);
    switch (state.len ? state.ptr[0] : 0) {
    case 'R':
        return state.len > 2                                ? PF_TASK_RUNNING
               : state.len == 1 && s->waker[row] != PF_NONE ? PF_TASK_READY
                                                            : PF_TASK_PREEMPTED;
    case 'D':
        return PF_TASK_BLOCKED;
    case 'S':
    case 'I':
        return PF_TASK_SLEEPING;
    case 0:
        return PF_TASK_UNKNOWN;
    default:
        return PF_TASK_STOPPED;
    }
}
