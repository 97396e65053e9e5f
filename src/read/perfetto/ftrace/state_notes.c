/* read/perfetto/ftrace/state_notes.c - notes of what threads did, as far as rows of sched do not say it
 * (model/trace/thread_states.h). */
#include "read/perfetto/ftrace/ftrace.h"

static void note(pf_import *im, pf_state_note n)
{
    if (!pf_import_failed(im)) {
        (void)pf_trace_note_state(im->t, n, im->err);
    }
}

void pf_states_start(pf_import *im)
{
    note(im, (pf_state_note){.ts = im->machine.idle_utid,
                             .what = PF_STATE_STARTS,
                             .utid = im->ftrace->running,
                             .other = im->ftrace->runnable});
}

void pf_states_switch(pf_import *im, int64_t ts, uint32_t closed, uint32_t prev, uint32_t state)
{
    if (closed == PF_NONE || *pf_side_ref(&im->t->sides.known[PF_SIDE_SCHED], PF_SCHED_UTID, closed) != prev) {
        note(im, (pf_state_note){.ts = ts, .what = PF_STATE_SWITCHES, .utid = prev, .other = state});
    }
}

void pf_states_run(pf_import *im)
{
    note(im, (pf_state_note){.what = PF_STATE_RUNS});
}

void pf_states_go(pf_import *im, int64_t ts, uint32_t utid, uint32_t state)
{
    note(im, (pf_state_note){.ts = ts, .what = PF_STATE_GOES, .utid = utid, .other = state});
}

pf_last_state pf_states_last(pf_import *im, uint32_t utid)
{
    pf_last_state last = {0, PF_NONE, PF_NONE, PF_NONE, PF_NONE};
    if (!pf_import_failed(im)) {
        (void)pf_trace_last_state(im->t, utid, &last, im->err);
    }
    return last;
}

bool pf_states_fill(pf_import *im, int64_t ts, uint32_t utid, uint32_t state)
{
    pf_last_state last = pf_states_last(im, utid);
    bool fits = last.row != PF_NONE && last.state == 0 && last.since == ts;
    if (fits) {
        note(im, (pf_state_note){.what = PF_STATE_FILLS, .utid = utid, .other = state});
    }
    return fits;
}

#define IN_INTERRUPT 0x18u /* bits of common_flags: in a hard or soft interrupt */

void pf_states_wake(pf_import *im, int64_t ts, uint32_t utid, uint32_t waker, uint32_t flags)
{
    uint32_t irq = flags == PF_NONE ? PF_STATE_NO_IRQ : (flags & IN_INTERRUPT) != 0;
    note(im, (pf_state_note){.ts = ts, .what = PF_STATE_WAKES, .utid = utid, .other = waker, .irq = irq});
}

void pf_states_begin(pf_import *im, int64_t ts, uint32_t utid, uint32_t waker)
{
    note(im, (pf_state_note){.ts = ts, .what = PF_STATE_BEGINS, .utid = utid, .other = waker});
}

void pf_states_blocked(pf_import *im, uint32_t utid, bool io_wait, uint32_t function)
{
    note(im, (pf_state_note){.what = PF_STATE_BLOCKED, .utid = utid, .other = function, .irq = io_wait});
}
