/* model/trace/thread_states.c - see thread_states.h. */
#include "model/trace/thread_states.h"

#include <pthread.h>

#include "base/columns.h"
#include "base/list.h"
#include "base/prefault.h"
#include "model/trace/trace.h"

#define WORTH_HELP 100000u /* rows of sched */

/* What a thread did last: its last row, what that says, and the last row that says what it waits for; or PF_NONE. */
typedef struct thread {
    uint32_t row, state, blocked;
} thread;

/* A note as it is kept: against the one in front of it. */
typedef struct kept_note {
    uint32_t later; /* ns */
    uint32_t utid, other;
    uint32_t how; /* what, irq and the rows of sched that came in between: bits */
} kept_note;

enum {
    WHAT_BITS = 4,
    IRQ_BITS = 2,
    ROWS_AT = WHAT_BITS + IRQ_BITS,
    NO_IRQ = 3,
    FAR = 15
}; /* FAR: utid and other are the time */
#define MOST_ROWS (UINT32_MAX >> ROWS_AT)

/* Where a walk over notes is. */
typedef struct note_at {
    int64_t ts;
    uint32_t sched; /* rows of sched in front of the next note */
} note_at;

typedef struct pf_state_log {
    pthread_mutex_t lock; /* of those who want it played */
    kept_note *note;
    uint32_t notes, note_room;
    note_at end, at;        /* of the last note, and of the last one played */
    uint32_t played, sched; /* notes, and rows of sched */
    thread *thread;         /* by utid */
    uint32_t threads, thread_room;
    uint32_t *last; /* by cpu: its last row of sched, or PF_NONE */
    uint32_t cpus, cpu_room;
    uint32_t running, runnable; /* string ids */
    uint32_t idle;              /* thread */
} pf_state_log;

/* A log that is being played. */
typedef struct player {
    pf_trace *t;
    pf_state_log *log;
    pf_side_table *states;
    const pf_side_table *sched;
    pf_error *err;
    pf_status st;
} player;

/* ---- notes ------------------------------------------------------------------------------------------------------- */

static pf_status begin(pf_trace *t, pf_error *err)
{
    pf_state_log *l = pf_alloc_zero(&t->budget, 1, sizeof *l);
    if (!l) {
        return pf_budget_refused(&t->budget, sizeof *l, err);
    }
    pthread_mutex_init(&l->lock, NULL);
    t->state_log = l;
    return PF_OK;
}

/* More time, or more rows, than a note has room for are a note of their own. */
static pf_status keep(pf_trace *t, pf_state_log *l, kept_note note, uint32_t what, uint32_t rows, pf_error *err)
{
    PF_TRY(PF_LIST_ROOM(&t->budget, l->note, l->notes + 1, l->note_room, err));
    note.how |= what | rows << ROWS_AT;
    l->note[l->notes++] = note;
    return PF_OK;
}

static pf_status keep_far(pf_trace *t, pf_state_log *l, int64_t ts, uint32_t sched, pf_error *err)
{
    const kept_note far = {.utid = (uint32_t)ts, .other = (uint32_t)((uint64_t)ts >> 32)};
    for (; sched - l->end.sched > MOST_ROWS; l->end.sched += MOST_ROWS) {
        PF_TRY(keep(t, l, far, FAR, MOST_ROWS, err));
    }
    PF_TRY(keep(t, l, far, FAR, 0, err));
    l->end.ts = ts;
    return PF_OK;
}

pf_status pf_trace_note_state(pf_trace *t, pf_state_note note, pf_error *err)
{
    PF_TRY(t->state_log ? PF_OK : begin(t, err));
    pf_state_log *l = t->state_log;
    bool has_time = note.what == PF_STATE_STARTS || note.what == PF_STATE_SWITCHES || note.what == PF_STATE_GOES ||
                    note.what == PF_STATE_WAKES || note.what == PF_STATE_BEGINS;
    uint32_t sched = t->sides.known[PF_SIDE_SCHED].count;
    note.ts = has_time ? note.ts : l->end.ts;
    if ((uint64_t)note.ts - (uint64_t)l->end.ts > UINT32_MAX || sched - l->end.sched > MOST_ROWS) {
        PF_TRY(keep_far(t, l, note.ts, sched, err));
    }
    uint32_t irq = note.irq == PF_STATE_NO_IRQ ? NO_IRQ : note.irq;
    const kept_note kept = {(uint32_t)(note.ts - l->end.ts), note.utid, note.other, irq << WHAT_BITS};
    PF_TRY(keep(t, l, kept, note.what, sched - l->end.sched, err));
    l->end = (note_at){note.ts, sched};
    return PF_OK;
}

/* The next note, which moves `at`; false: it only does that. */
static inline bool unfold(const kept_note *k, note_at *at, pf_state_note *note)
{
    uint32_t what = k->how & ((1u << WHAT_BITS) - 1), irq = k->how >> WHAT_BITS & ((1u << IRQ_BITS) - 1);
    at->ts = what == FAR ? (int64_t)((uint64_t)k->other << 32 | k->utid) : at->ts + k->later;
    at->sched += k->how >> ROWS_AT;
    *note = (pf_state_note){at->ts, k->utid, k->other, (uint16_t)what, irq == NO_IRQ ? PF_STATE_NO_IRQ : (uint16_t)irq};
    return what != FAR;
}

static void free_lists(pf_trace *t)
{
    pf_state_log *l = t->state_log;
    PF_LIST_FREE(&t->budget, l->note, l->note_room);
    PF_LIST_FREE(&t->budget, l->thread, l->thread_room);
    PF_LIST_FREE(&t->budget, l->last, l->cpu_room);
    l->note = NULL;
    l->thread = NULL;
    l->last = NULL;
    l->end = l->at = (note_at){0, 0};
    l->notes = l->note_room = l->played = l->threads = l->thread_room = l->cpus = l->cpu_room = 0;
}

void pf_trace_free_thread_states(pf_trace *t)
{
    if (t->state_log) {
        free_lists(t);
        pthread_mutex_destroy(&t->state_log->lock);
        pf_release(&t->budget, t->state_log, sizeof *t->state_log);
        t->state_log = NULL;
    }
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

static bool is_blocked(const pf_state_log *l, uint32_t state)
{
    return state != l->runnable && state != l->running;
}

static thread *thread_of(const player *p, uint32_t utid)
{
    return &p->log->thread[utid];
}

/* What a row says but for its time and its thread. */
typedef struct row_cells {
    uint32_t state, cpu, waker, waker_row, irq;
} row_cells;

/* The idle thread gets none. */
static inline void open_row(player *p, int64_t ts, uint32_t utid, row_cells cells)
{
    pf_side_table *s = p->states;
    thread *th = thread_of(p, utid);
    uint32_t row;
    if (utid == p->log->idle || p->st != PF_OK || (p->st = pf_side_next_row(s, &row, p->err)) != PF_OK) {
        return;
    }
    *pf_side_number(s, PF_THREAD_STATE_TS, row) = ts;
    *pf_side_number(s, PF_THREAD_STATE_DUR, row) = -1;
    *pf_side_ref(s, PF_THREAD_STATE_UTID, row) = utid;
    *pf_side_ref(s, PF_THREAD_STATE_STATE, row) = cells.state;
    *pf_side_ref(s, PF_THREAD_STATE_IO_WAIT, row) = PF_NONE;
    *pf_side_ref(s, PF_THREAD_STATE_WAKER_UTID, row) = cells.waker;
    *pf_side_ref(s, PF_THREAD_STATE_WAKER_ID, row) = cells.waker_row;
    *pf_side_ref(s, PF_THREAD_STATE_IRQ, row) = cells.irq;
    *pf_side_ref(s, PF_THREAD_STATE_UCPU, row) = cells.cpu;
    th->blocked = cells.state == p->log->running ? PF_NONE : is_blocked(p->log, cells.state) ? row : th->blocked;
    th->row = row;
    th->state = cells.state;
}

static inline void close_row(const player *p, uint32_t row, int64_t ts)
{
    if (row != PF_NONE) {
        *pf_side_number(p->states, PF_THREAD_STATE_DUR, row) = ts - *pf_side_number(p->states, PF_THREAD_STATE_TS, row);
    }
}

static inline void go(player *p, int64_t ts, uint32_t utid, uint32_t state, uint32_t cpu)
{
    close_row(p, thread_of(p, utid)->row, ts);
    open_row(p, ts, utid, (row_cells){state, cpu, PF_NONE, PF_NONE, PF_NONE});
}

/* The row of a thread that did not run, when it should stop, stays open: what came after it was lost. */
static inline void stop(player *p, int64_t ts, uint32_t utid, uint32_t state)
{
    const thread *th = thread_of(p, utid);
    if (th->state == p->log->running) {
        close_row(p, th->row, ts);
    }
    open_row(p, ts, utid, (row_cells){state, PF_NONE, PF_NONE, PF_NONE, PF_NONE});
}

/* An open row of the idle thread would be none at all. */
static void open_woken(player *p, const pf_state_note *n, uint32_t irq)
{
    const thread *waker = thread_of(p, n->other);
    uint32_t from = waker->state == p->log->running ? waker->row : PF_NONE;
    open_row(p, n->ts, n->utid, (row_cells){p->log->runnable, PF_NONE, n->other, from, irq});
}

static void wake(player *p, const pf_state_note *n)
{
    const thread *th = thread_of(p, n->utid);
    uint32_t irq = n->irq == PF_STATE_NO_IRQ ? PF_NONE : n->irq, row;
    if (th->row == PF_NONE || is_blocked(p->log, th->state)) {
        close_row(p, th->row, n->ts);
        open_woken(p, n, irq);
    } else if (p->st == PF_OK) {
        const int64_t cells[] = {[PF_SPURIOUS_TS] = n->ts,
                                 [PF_SPURIOUS_STATE] = th->row,
                                 [PF_SPURIOUS_IRQ] = irq,
                                 [PF_SPURIOUS_UTID] = n->utid,
                                 [PF_SPURIOUS_WAKER] = n->other};
        p->st = pf_side_put(&p->t->sides.known[PF_SIDE_SPURIOUS], cells, &row, p->err);
    }
}

static void set_blocked(const player *p, const pf_state_note *n)
{
    uint32_t row = thread_of(p, n->utid)->blocked;
    if (row != PF_NONE) {
        uint32_t *blocked = pf_side_ref(p->states, PF_THREAD_STATE_BLOCKED, row);
        *pf_side_ref(p->states, PF_THREAD_STATE_IO_WAIT, row) = n->irq;
        *blocked = n->other ? n->other : *blocked;
    }
}

static void fill(const player *p, const pf_state_note *n)
{
    thread *th = thread_of(p, n->utid);
    th->state = n->other;
    *pf_side_ref(p->states, PF_THREAD_STATE_STATE, th->row) = n->other;
}

/* ---- playing ----------------------------------------------------------------------------------------------------- */

/* The next row of sched begins; the one in front of it on its cpu, which is replaced by it. */
static inline uint32_t next_run(const player *p, uint32_t *row)
{
    *row = p->log->sched++;
    uint32_t *last = &p->log->last[*pf_side_ref(p->sched, PF_SCHED_UCPU, *row)], before = *last;
    *last = *row;
    return before;
}

static inline void run(player *p, uint32_t row)
{
    go(p, *pf_side_number(p->sched, PF_SCHED_TS, row), *pf_side_ref(p->sched, PF_SCHED_UTID, row), p->log->running,
       *pf_side_ref(p->sched, PF_SCHED_UCPU, row));
}

/* Rows of sched of which nothing is noted. */
static void play_switches(player *p, uint32_t until)
{
    while (p->log->sched < until && p->st == PF_OK) {
        uint32_t row, before = next_run(p, &row);
        stop(p, *pf_side_number(p->sched, PF_SCHED_TS, row), *pf_side_ref(p->sched, PF_SCHED_UTID, before),
             *pf_side_ref(p->sched, PF_SCHED_END_STATE, before));
        run(p, row);
    }
}

/* Threads and cpus from these numbers on did nothing so far. */
static void forget(pf_state_log *l, uint32_t threads, uint32_t cpus)
{
    for (uint32_t i = threads; i < l->threads; i++) {
        l->thread[i] = (thread){PF_NONE, PF_NONE, PF_NONE};
    }
    for (uint32_t i = cpus; i < l->cpus; i++) {
        l->last[i] = PF_NONE;
    }
}

static void play_note(player *p, const pf_state_note *n)
{
    uint32_t row;
    switch ((pf_state_what)n->what) {
    case PF_STATE_STARTS:
        p->log->running = n->utid;
        p->log->runnable = n->other;
        p->log->idle = (uint32_t)n->ts;
        forget(p->log, 0, 0);
        break;
    case PF_STATE_SWITCHES:
        stop(p, n->ts, n->utid, n->other);
        (void)next_run(p, &row);
        run(p, row);
        break;
    case PF_STATE_RUNS:
        (void)next_run(p, &row);
        run(p, row);
        break;
    case PF_STATE_GOES:
        go(p, n->ts, n->utid, n->other, PF_NONE);
        break;
    case PF_STATE_FILLS:
        fill(p, n);
        break;
    case PF_STATE_WAKES:
        wake(p, n);
        break;
    case PF_STATE_BEGINS:
        open_woken(p, n, 0);
        break;
    case PF_STATE_BLOCKED:
        set_blocked(p, n);
        break;
    }
}

/* Room for all threads and cpus, which did nothing so far. */
static pf_status make_room(pf_trace *t, pf_error *err)
{
    pf_state_log *l = t->state_log;
    const pf_side_table *sched = &t->sides.known[PF_SIDE_SCHED];
    uint32_t threads = l->threads, cpus = l->cpus;
    for (uint32_t i = l->sched; i < sched->count; i++) {
        uint32_t cpu = *pf_side_ref(sched, PF_SCHED_UCPU, i);
        l->cpus = cpu < l->cpus ? l->cpus : cpu + 1;
    }
    l->threads = t->threads.count;
    PF_TRY(PF_LIST_ROOM(&t->budget, l->last, l->cpus, l->cpu_room, err));
    PF_TRY(PF_LIST_ROOM(&t->budget, l->thread, l->threads, l->thread_room, err));
    forget(l, threads, cpus);
    return PF_OK;
}

static pf_status play(pf_trace *t, pf_error *err)
{
    pf_state_log *l = t->state_log;
    pf_side_table *known = t->sides.known;
    player p = {t, l, &known[PF_SIDE_THREAD_STATE], &known[PF_SIDE_SCHED], err, PF_OK};
    PF_TRY(make_room(t, err));
    for (; l->played < l->notes && p.st == PF_OK; l->played++) {
        pf_state_note note;
        bool says = unfold(&l->note[l->played], &l->at, &note);
        play_switches(&p, l->at.sched);
        if (says) {
            play_note(&p, &note);
        }
    }
    play_switches(&p, p.sched->count);
    return p.st;
}

pf_status pf_trace_last_state(pf_trace *t, uint32_t utid, uint32_t *row, pf_error *err)
{
    PF_TRY(play(t, err));
    *row = t->state_log->thread[utid].row;
    return PF_OK;
}

/* With a thread that touches pages of the rows ahead, which take longer than all else. */
static pf_status play_all(pf_trace *t, pf_error *err)
{
    pf_side_table *states = &t->sides.known[PF_SIDE_THREAD_STATE];
    uint32_t first;
    if (!t->budget.may_help || t->sides.known[PF_SIDE_SCHED].count < WORTH_HELP) {
        return play(t, err);
    }
    PF_TRY(pf_side_add_rows(states, 0, &first, err));
    states->grow->toucher = pf_prefaulter_start();
    pf_status st = play(t, err);
    pf_prefaulter_stop(states->grow->toucher);
    states->grow->toucher = NULL;
    return st;
}

pf_status pf_trace_make_thread_states(pf_trace *t, pf_error *err)
{
    pf_state_log *l = t->state_log;
    if (!l) {
        return PF_OK;
    }
    pthread_mutex_lock(&l->lock);
    pf_status st = l->notes ? play_all(t, err) : PF_OK;
    if (st == PF_OK) {
        free_lists(t);
    } else { /* whoever asks again begins anew */
        t->sides.known[PF_SIDE_THREAD_STATE].count = t->sides.known[PF_SIDE_SPURIOUS].count = 0;
        l->played = l->sched = 0;
        l->at = (note_at){0, 0};
    }
    pthread_mutex_unlock(&l->lock);
    return st;
}
