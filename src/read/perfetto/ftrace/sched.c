/* read/perfetto/ftrace/sched.c - what each cpu ran: switches and wakings, plain and compact.
 *
 * A switch ends the row of the thread that ran, and begins one of the next. A plain switch names both; a compact one
 * names the next only, so the first of a cpu makes no row. Events from before the recording change what is known of a
 * cpu, but make no rows.
 */
#include "read/perfetto/ftrace/ftrace.h"

/* ---- rows -------------------------------------------------------------------------------------------------------- */

static pf_side_table *table(const pf_import *im)
{
    return &im->t->sides.known[PF_SIDE_SCHED];
}

uint32_t pf_sched_close(pf_import *im, pf_ftrace_cpu *c, int64_t ts, uint32_t state)
{
    uint32_t row = c->open_row ? c->open_row - 1 : PF_NONE;
    if (row != PF_NONE) {
        *pf_side_number(table(im), PF_SCHED_DUR, row) = ts - *pf_side_number(table(im), PF_SCHED_TS, row);
        *pf_side_ref(table(im), PF_SCHED_END_STATE, row) = state;
        c->open_row = 0;
    }
    return row;
}

void pf_sched_open(pf_import *im, pf_ftrace_cpu *c, uint32_t cpu, int64_t ts)
{
    pf_side_table *s = table(im);
    uint32_t row;
    if (pf_import_failed(im) || pf_side_next_row(s, &row, im->err) != PF_OK) {
        return;
    }
    *pf_side_number(s, PF_SCHED_TS, row) = ts;
    *pf_side_number(s, PF_SCHED_DUR, row) = -1;
    *pf_side_ref(s, PF_SCHED_UTID, row) = c->utid;
    *pf_side_number(s, PF_SCHED_PRIORITY, row) = c->prio;
    *pf_side_ref(s, PF_SCHED_UCPU, row) = pf_import_ucpu(im, cpu);
    c->open_row = row + 1;
    c->seen = true;
}

/* The living thread of the tid, named so; PF_NONE after an error. What should be negative is a number below 2^32, as in
 * Perfetto. */
static inline uint32_t named_thread(pf_import *im, int32_t tid, uint32_t comm)
{
    uint32_t utid = pf_lives_thread(im, (uint32_t)tid);
    if (utid != PF_NONE && im->lives->thread[utid].comm != comm) {
        pf_ftrace_name_thread(im, utid, comm);
    }
    return utid;
}

/* The same as pf_ftrace_state_text; only what is not known yet is looked at. */
static inline uint32_t state_text(pf_import *im, uint64_t prev_state)
{
    const uint32_t *known = im->ftrace->state_text;
    uint32_t text = known ? known[(uint16_t)prev_state] : 0;
    return text > 1 ? text - 1 : pf_ftrace_state_text(im, (int64_t)prev_state);
}

static inline bool wants_raw(const pf_import *im)
{
    return im->t->want & PF_WANT_RAW_EVENTS;
}

/* ---- compact ----------------------------------------------------------------------------------------------------- */

void pf_ftrace_compact_switch(pf_import *im, uint32_t cpu, const pf_sched_entry *e)
{
    pf_ftrace *f = im->ftrace;
    pf_ftrace_cpu *c = &f->cpu[cpu];
    bool quiet;
    uint32_t next = pf_ftrace_counts(im, e->ts, &quiet) ? named_thread(im, e->pid, e->comm) : PF_NONE;
    if (next == PF_NONE) {
        return;
    }
    uint32_t prev = c->utid, state = 0, closed = PF_NONE;
    if (!c->ran) {
        pf_trace_count(im->t, PF_STAT_COMPACT_SWITCH_SKIPPED, PF_NOWHERE);
    } else {
        state = state_text(im, e->state);
        closed = pf_sched_close(im, c, e->ts, state);
        pf_ftrace_cover(f, e->ts);
        if (wants_raw(im)) {
            pf_ftrace_add_raw_switch(im, cpu, e);
        }
        c->seen = true;
    }
    bool whole = c->ran && !quiet;
    *c = (pf_ftrace_cpu){c->begun, c->seen, true, c->open_row, next, e->pid, e->prio};
    if (whole) {
        pf_states_switch(im, e->ts, closed, prev, state);
        pf_sched_open(im, c, cpu, e->ts);
    }
}

void pf_ftrace_compact_waking(pf_import *im, uint32_t cpu, const pf_sched_entry *e)
{
    pf_ftrace *f = im->ftrace;
    bool quiet;
    if (!pf_ftrace_counts(im, e->ts, &quiet)) {
        return;
    }
    if (!f->cpu[cpu].ran) {
        pf_trace_count(im->t, PF_STAT_COMPACT_WAKING_SKIPPED, PF_NOWHERE);
        return;
    }
    pf_ftrace_cover(f, e->ts);
    if (wants_raw(im)) {
        pf_ftrace_add_raw_waking(im, cpu, e);
    }
    f->cpu[cpu].seen = true;
    uint32_t utid = quiet ? PF_NONE : pf_lives_thread(im, (uint32_t)e->pid);
    if (utid != PF_NONE) {
        pf_states_wake(im, e->ts, utid, f->cpu[cpu].utid, e->state);
    }
}

/* ---- plain ------------------------------------------------------------------------------------------------------- */

/* The string id of a thread's name; field: where it is said. Threads are called as they were the last time. */
static inline uint32_t comm_text(pf_import *im, const pf_ftrace_now *now, int32_t tid, const pf_comm *comm,
                                 uint32_t field)
{
    enum { LAST = sizeof comm->text - 1 };
    uint8_t len = (uint8_t)comm->text[LAST];
    pf_ftrace_comm *known = &im->ftrace->comm[(uint32_t)tid % PF_FTRACE_COMMS];
    if (len > LAST) {
        const pf_field f = pf_cursor_last(now->fields, PF_TAG_BYTES(field));
        return pf_import_text(im, pf_field_text_or_null(&f));
    }
    if (known->id == 0 || memcmp(&known->comm, comm, sizeof *comm) != 0) {
        *known = (pf_ftrace_comm){*comm, 1 + pf_import_text(im, (pf_str){comm->text, len})};
    }
    return known->id - 1;
}

void pf_ftrace_switch(pf_import *im, const pf_ftrace_now *now)
{
    pf_ftrace_cpu *c = &im->ftrace->cpu[now->cpu];
    const pf_sched_said *said = now->said;
    int32_t prev_pid = (int32_t)said->number[PF_PREV_PID], next_pid = (int32_t)said->number[PF_NEXT_PID];
    uint32_t next = named_thread(im, next_pid, comm_text(im, now, next_pid, &said->next, PF_NEXT_COMM));
    uint32_t state = state_text(im, said->number[PF_PREV_STATE]), closed = PF_NONE;
    if (c->open_row && c->pid != prev_pid) {
        pf_trace_count(im->t, PF_STAT_MISMATCHED_SWITCH, PF_NOWHERE);
    } else {
        closed = pf_sched_close(im, c, now->ts, state);
    }
    uint32_t prev = named_thread(im, prev_pid, comm_text(im, now, prev_pid, &said->prev, PF_PREV_COMM));
    if (pf_import_failed(im)) {
        return;
    }
    pf_ftrace_add_raw(im, now, prev);
    *c = (pf_ftrace_cpu){c->begun, c->seen, true, c->open_row, next, next_pid, (int32_t)said->number[PF_NEXT_PRIO]};
    pf_states_switch(im, now->ts, closed, prev, state);
    pf_sched_open(im, c, now->cpu, now->ts);
}

void pf_ftrace_waking(pf_import *im, const pf_ftrace_now *now)
{
    int32_t tid = (int32_t)now->said->number[PF_PREV_PID];
    uint32_t utid = named_thread(im, tid, comm_text(im, now, tid, &now->said->prev, PF_PREV_COMM));
    uint32_t waker = pf_lives_thread(im, now->event->tid);
    if (!pf_import_failed(im)) {
        pf_states_wake(im, now->ts, utid, waker, PF_NONE);
    }
}

enum { BLOCKED_PID = 1, BLOCKED_CALLER, BLOCKED_IO_WAIT };

void pf_ftrace_blocked_reason(pf_import *im, const pf_ftrace_now *now)
{
    PF_CURSOR_FIELDS(f, now->fields, PF_AT_VARINT(BLOCKED_PID), PF_AT_VARINT(BLOCKED_CALLER),
                     PF_AT_VARINT(BLOCKED_IO_WAIT));
    uint32_t utid = pf_lives_thread(im, (int32_t)f[BLOCKED_PID].value);
    if (utid != PF_NONE) {
        pf_states_blocked(im, utid, f[BLOCKED_IO_WAIT].value != 0,
                          f[BLOCKED_CALLER].tag ? pf_ftrace_symbol(im, now->event, f[BLOCKED_CALLER].value) : 0);
    }
}
