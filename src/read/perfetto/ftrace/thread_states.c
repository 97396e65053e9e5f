/* read/perfetto/ftrace/thread_states.c - what threads did or waited for, out of switches and wakings.
 *
 * Each thread has a last row, which is open: a switch or a waking closes it and opens the next one. Nothing is made up:
 * the first row of a thread begins with its first event, and last rows stay open. The idle thread has no rows.
 *
 * "Blocked" is a row that says anything but that the thread runs or could run; what comes later about why it is blocked
 * is written into the last such row, until the thread runs again.
 */
#include "read/perfetto/ftrace/ftrace.h"

static pf_side_table *table(const pf_import *im)
{
    return &im->t->sides.known[PF_SIDE_THREAD_STATE];
}

static bool is_blocked(const pf_ftrace *f, uint32_t state)
{
    return state != f->runnable && state != f->running;
}

/* Opens a row; PF_NONE for the idle thread and after an error. */
static uint32_t open_row(pf_import *im, int64_t ts, uint32_t utid, uint32_t state)
{
    pf_ftrace *f = im->ftrace;
    pf_side_table *s = table(im);
    pf_life *life = &im->lives->thread[utid];
    uint32_t row;
    if (utid == 0 || pf_import_failed(im) || pf_side_next_row(s, &row, im->err) != PF_OK) {
        return PF_NONE;
    }
    *pf_side_number(s, PF_THREAD_STATE_TS, row) = ts;
    *pf_side_number(s, PF_THREAD_STATE_DUR, row) = -1;
    *pf_side_ref(s, PF_THREAD_STATE_UTID, row) = utid;
    *pf_side_ref(s, PF_THREAD_STATE_STATE, row) = state;
    *pf_side_ref(s, PF_THREAD_STATE_IO_WAIT, row) = PF_NONE;
    *pf_side_ref(s, PF_THREAD_STATE_WAKER_UTID, row) = PF_NONE;
    *pf_side_ref(s, PF_THREAD_STATE_WAKER_ID, row) = PF_NONE;
    *pf_side_ref(s, PF_THREAD_STATE_IRQ, row) = PF_NONE;
    *pf_side_ref(s, PF_THREAD_STATE_UCPU, row) = PF_NONE;
    life->state = row;
    life->blocked = state == f->running ? PF_NONE : is_blocked(f, state) ? row : life->blocked;
    return row;
}

/* Its state, or PF_NONE. */
static uint32_t state_of(const pf_import *im, uint32_t row)
{
    return row == PF_NONE ? PF_NONE : *pf_side_ref(table(im), PF_THREAD_STATE_STATE, row);
}

static void close_row(pf_import *im, uint32_t row, int64_t ts)
{
    if (row != PF_NONE) {
        *pf_side_number(table(im), PF_THREAD_STATE_DUR, row) = ts - *pf_side_number(table(im), PF_THREAD_STATE_TS, row);
    }
}

/* An open row of the idle thread would be none at all. */
static void open_woken(pf_import *im, int64_t ts, uint32_t utid, uint32_t waker, uint32_t irq)
{
    uint32_t row = open_row(im, ts, utid, im->ftrace->runnable), last = im->lives->thread[waker].state;
    if (row != PF_NONE) {
        *pf_side_ref(table(im), PF_THREAD_STATE_WAKER_UTID, row) = waker;
        *pf_side_ref(table(im), PF_THREAD_STATE_WAKER_ID, row) =
            state_of(im, last) == im->ftrace->running ? last : PF_NONE;
        *pf_side_ref(table(im), PF_THREAD_STATE_IRQ, row) = irq;
    }
}

void pf_states_set(pf_import *im, int64_t ts, uint32_t utid, uint32_t state, uint32_t cpu)
{
    close_row(im, im->lives->thread[utid].state, ts);
    uint32_t row = open_row(im, ts, utid, state);
    if (row != PF_NONE) {
        *pf_side_ref(table(im), PF_THREAD_STATE_UCPU, row) = cpu;
    }
}

/* The row of a thread that did not run, when it should stop, stays open: what came after it was lost. */
void pf_states_switch(pf_import *im, int64_t ts, uint32_t cpu, uint32_t prev, uint32_t state, uint32_t next)
{
    uint32_t last = im->lives->thread[prev].state;
    if (state_of(im, last) == im->ftrace->running) {
        close_row(im, last, ts);
    }
    (void)open_row(im, ts, prev, state);
    pf_states_set(im, ts, next, im->ftrace->running, cpu);
}

uint32_t pf_states_last(const pf_import *im, uint32_t utid)
{
    return state_of(im, im->lives->thread[utid].state);
}

bool pf_states_fill(pf_import *im, int64_t ts, uint32_t utid, uint32_t state)
{
    uint32_t row = im->lives->thread[utid].state;
    bool fits = state_of(im, row) == 0 && *pf_side_number(table(im), PF_THREAD_STATE_TS, row) == ts;
    if (fits) {
        *pf_side_ref(table(im), PF_THREAD_STATE_STATE, row) = state;
    }
    return fits;
}

static void add_spurious(pf_import *im, int64_t ts, uint32_t utid, uint32_t waker, uint32_t irq)
{
    const int64_t cells[] = {[PF_SPURIOUS_TS] = ts,
                             [PF_SPURIOUS_STATE] = im->lives->thread[utid].state,
                             [PF_SPURIOUS_IRQ] = irq,
                             [PF_SPURIOUS_UTID] = utid,
                             [PF_SPURIOUS_WAKER] = waker};
    uint32_t row;
    if (!pf_import_failed(im)) {
        (void)pf_side_put(&im->t->sides.known[PF_SIDE_SPURIOUS], cells, &row, im->err);
    }
}

#define IN_INTERRUPT 0x18u /* bits of common_flags: in a hard or soft interrupt */

void pf_states_wake(pf_import *im, int64_t ts, uint32_t utid, uint32_t waker, uint32_t flags)
{
    uint32_t last = im->lives->thread[utid].state, state = state_of(im, last);
    uint32_t irq = flags == PF_NONE ? PF_NONE : (flags & IN_INTERRUPT) != 0;
    if (last != PF_NONE && !is_blocked(im->ftrace, state)) {
        add_spurious(im, ts, utid, waker, irq);
        return;
    }
    close_row(im, last, ts);
    open_woken(im, ts, utid, waker, irq);
}

void pf_states_begin(pf_import *im, int64_t ts, uint32_t utid, uint32_t waker)
{
    open_woken(im, ts, utid, waker, 0);
}

void pf_states_blocked(pf_import *im, uint32_t utid, bool io_wait, uint32_t function)
{
    uint32_t row = im->lives->thread[utid].blocked;
    if (row != PF_NONE) {
        uint32_t *blocked = pf_side_ref(table(im), PF_THREAD_STATE_BLOCKED, row);
        *pf_side_ref(table(im), PF_THREAD_STATE_IO_WAIT, row) = io_wait;
        *blocked = function ? function : *blocked;
    }
}
