/* model/trace/thread_states.h - the rows of thread_state and spurious_sched_wakeup, made of sched and of notes.
 *
 * Nearly all that threads do is said by what the cpus ran: where a row of sched begins, the one before it on that cpu
 * ended, so one thread stopped, for the reason that row ends with, and another one runs. What sched does not say,
 * wakings above all, whoever reads a scheduler notes in the order of time, with the number of rows of sched in front of
 * it. Both together are played where rows are asked for: at the end of reading, or, in a trace that was read with
 * PF_WANT_LATE_STATES, by the first statement of SQL that reads the tables. A row has 48 bytes, and to write these for
 * the first time takes longer than all else, so only the columns that the statement reads are made; whoever wants
 * others later has all played once more for them. Until all are made a waking takes 16 bytes, and a switch none.
 *
 * Each thread has a last row, which is open: a switch or a waking closes it and opens the next one. Nothing is made up:
 * the first row of a thread begins with its first event, and last rows stay open. The idle thread has no rows.
 * "Blocked" is a row that says anything but that the thread runs or could run; what comes later about why it is blocked
 * is written into the last such row, until the thread runs again.
 */
#ifndef PF_MODEL_TRACE_THREAD_STATES_H
#define PF_MODEL_TRACE_THREAD_STATES_H

#include "postfetto/trace.h"

typedef enum pf_state_what {
    PF_STATE_STARTS = 0, /* of a machine: its threads and cpus did nothing so far; ts: its idle thread; string ids:
                            `utid` running, `other` R */
    PF_STATE_SWITCHES,   /* the next row of sched begins, utid stopped in state `other`: no row in front says so */
    PF_STATE_RUNS,       /* the next row of sched begins, nobody stopped */
    PF_STATE_GOES,       /* utid goes into state `other` */
    PF_STATE_FILLS,      /* the last row of utid has state `other` */
    PF_STATE_WAKES,      /* utid, by `other`; irq */
    PF_STATE_BEGINS,     /* a new thread utid, made by `other` */
    PF_STATE_BLOCKED     /* utid waits (irq: for input or output) in function `other`, 0 if it is not known */
} pf_state_what;

#define PF_STATE_NO_IRQ UINT32_MAX /* it is not known whether in an interrupt */

typedef struct pf_state_note {
    int64_t ts;
    uint32_t utid, other;
    uint32_t what, irq; /* not smaller: a part of a word that was just written is slow to read */
} pf_state_note;

pf_status pf_trace_note_state(pf_trace *t, pf_state_note note, pf_error *err);

/* What a thread did last: its last row and what that says, and the last row that says what it waits for. */
typedef struct pf_last_state {
    int64_t since;
    uint32_t row, state, blocked, cpu; /* PF_NONE: there is none */
} pf_last_state;

/* Plays what is there so far. */
pf_status pf_trace_last_state(pf_trace *t, uint32_t utid, pf_last_state *last, pf_error *err);

#define PF_STATE_COLUMNS UINT32_MAX /* all of them */

/* Makes the rows of thread_state, with these columns, a bit each, and all of spurious_sched_wakeup. They do not change
 * any more, nor do notes come; any thread may ask for it. */
pf_status pf_trace_make_thread_states(pf_trace *t, uint32_t columns, pf_error *err);
void pf_trace_free_thread_states(pf_trace *t);

#endif
