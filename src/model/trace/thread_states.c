/* model/trace/thread_states.c - see thread_states.h. */
#include "model/trace/thread_states.h"

#include <pthread.h>

#include "base/columns.h"
#include "base/list.h"
#include "base/prefault.h"
#include "model/trace/trace.h"

#define WORTH_HELP 100000u /* rows of sched */

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

#define ALL_COLUMNS ((1u << (PF_THREAD_STATE_UCPU + 1)) - 1)

/* What plays rows of sched and notes. */
typedef struct player {
    pf_trace *t;
    pf_side_table *states;
    const pf_side_table *sched_rows;
    note_at at;             /* of the last note played */
    uint32_t played, sched; /* notes, and rows of sched */
    pf_last_state *thread;  /* by utid */
    uint32_t threads, thread_room;
    uint32_t *last; /* by cpu: its last row of sched, or PF_NONE */
    uint32_t cpus, cpu_room;
    uint32_t running, runnable; /* string ids */
    uint32_t idle;              /* thread */
    uint32_t columns;           /* that it fills, a bit each */
    bool again;                 /* the rows are there, also those of spurious_sched_wakeup */
    uint32_t rows;
    pf_error *err;
    pf_status st;
} player;

typedef struct pf_state_log {
    pthread_mutex_t lock; /* of those who want it played */
    kept_note *note;
    uint32_t notes, note_room;
    note_at end;     /* of the last note */
    player player;   /* who makes rows */
    bool played;     /* all of it: how many rows there are is known */
    uint32_t filled; /* columns, a bit each */
} pf_state_log;

/* ---- notes ------------------------------------------------------------------------------------------------------- */

static player player_of(pf_trace *t)
{
    return (player){
        .t = t, .states = &t->sides.known[PF_SIDE_THREAD_STATE], .sched_rows = &t->sides.known[PF_SIDE_SCHED]};
}

static pf_status begin(pf_trace *t, pf_error *err)
{
    pf_state_log *l = pf_alloc_zero(&t->budget, 1, sizeof *l);
    if (!l) {
        return pf_budget_refused(&t->budget, sizeof *l, err);
    }
    pthread_mutex_init(&l->lock, NULL);
    l->player = player_of(t);
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
    *note = (pf_state_note){at->ts, k->utid, k->other, what, irq == NO_IRQ ? PF_STATE_NO_IRQ : irq};
    return what != FAR;
}

static void free_player(player *p)
{
    PF_LIST_FREE(&p->t->budget, p->thread, p->thread_room);
    PF_LIST_FREE(&p->t->budget, p->last, p->cpu_room);
    p->thread = NULL;
    p->last = NULL;
    p->threads = p->thread_room = p->cpus = p->cpu_room = 0;
}

static void free_notes(pf_trace *t)
{
    pf_state_log *l = t->state_log;
    PF_LIST_FREE(&t->budget, l->note, l->note_room);
    l->note = NULL;
    l->notes = l->note_room = 0;
}

void pf_trace_free_thread_states(pf_trace *t)
{
    if (t->state_log) {
        free_player(&t->state_log->player);
        free_notes(t);
        pthread_mutex_destroy(&t->state_log->lock);
        pf_release(&t->budget, t->state_log, sizeof *t->state_log);
        t->state_log = NULL;
    }
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

static bool is_blocked(const player *p, uint32_t state)
{
    return state != p->runnable && state != p->running;
}

static inline bool fills(const player *p, unsigned column)
{
    return p->columns >> column & 1;
}

static inline void set(const player *p, unsigned column, uint32_t row, uint32_t cell)
{
    if (fills(p, column)) {
        *pf_side_ref(p->states, column, row) = cell;
    }
}

static inline void set_time(const player *p, unsigned column, uint32_t row, int64_t cell)
{
    if (fills(p, column)) {
        *pf_side_number(p->states, column, row) = cell;
    }
}

/* What a row says but for its time and its thread. */
typedef struct row_cells {
    uint32_t state, cpu, waker, waker_row, irq;
} row_cells;

static inline void set_cells(const player *p, uint32_t row, int64_t ts, uint32_t utid, row_cells cells)
{
    set_time(p, PF_THREAD_STATE_TS, row, ts);
    set_time(p, PF_THREAD_STATE_DUR, row, -1);
    set(p, PF_THREAD_STATE_UTID, row, utid);
    set(p, PF_THREAD_STATE_STATE, row, cells.state);
    set(p, PF_THREAD_STATE_IO_WAIT, row, PF_NONE);
    set(p, PF_THREAD_STATE_WAKER_UTID, row, cells.waker);
    set(p, PF_THREAD_STATE_WAKER_ID, row, cells.waker_row);
    set(p, PF_THREAD_STATE_IRQ, row, cells.irq);
    set(p, PF_THREAD_STATE_UCPU, row, cells.cpu);
}

/* The idle thread gets none. */
static inline void open_row(player *p, int64_t ts, uint32_t utid, row_cells cells)
{
    pf_last_state *th = &p->thread[utid];
    uint32_t row = p->rows;
    if (utid == p->idle || p->st != PF_OK || (p->again && row == p->states->count) ||
        (!p->again && (p->st = pf_side_next_row(p->states, &row, p->err)) != PF_OK)) {
        return;
    }
    p->rows = row + 1;
    if (p->columns) {
        set_cells(p, row, ts, utid, cells);
    }
    th->blocked = cells.state == p->running ? PF_NONE : is_blocked(p, cells.state) ? row : th->blocked;
    th->row = row;
    th->state = cells.state;
    th->cpu = cells.cpu;
    th->since = ts;
}

static inline void close_row(const player *p, const pf_last_state *th, int64_t ts)
{
    if (th->row != PF_NONE) {
        set_time(p, PF_THREAD_STATE_DUR, th->row, ts - th->since);
    }
}

static inline void go(player *p, int64_t ts, uint32_t utid, uint32_t state, uint32_t cpu)
{
    close_row(p, &p->thread[utid], ts);
    open_row(p, ts, utid, (row_cells){state, cpu, PF_NONE, PF_NONE, PF_NONE});
}

/* The row of a thread that did not run, when it should stop, stays open: what came after it was lost. */
static inline void stop(player *p, int64_t ts, uint32_t utid, uint32_t state)
{
    const pf_last_state *th = &p->thread[utid];
    if (th->state == p->running) {
        close_row(p, th, ts);
    }
    open_row(p, ts, utid, (row_cells){state, PF_NONE, PF_NONE, PF_NONE, PF_NONE});
}

/* An open row of the idle thread would be none at all. */
static void open_woken(player *p, const pf_state_note *n, uint32_t irq)
{
    const pf_last_state *waker = &p->thread[n->other];
    uint32_t from = waker->state == p->running ? waker->row : PF_NONE;
    open_row(p, n->ts, n->utid, (row_cells){p->runnable, PF_NONE, n->other, from, irq});
}

static void wake(player *p, const pf_state_note *n)
{
    const pf_last_state *th = &p->thread[n->utid];
    uint32_t irq = n->irq == PF_STATE_NO_IRQ ? PF_NONE : n->irq, row;
    if (th->row == PF_NONE || is_blocked(p, th->state)) {
        close_row(p, th, n->ts);
        open_woken(p, n, irq);
    } else if (!p->again && p->st == PF_OK) {
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
    uint32_t row = p->thread[n->utid].blocked;
    if (row != PF_NONE) {
        set(p, PF_THREAD_STATE_IO_WAIT, row, n->irq);
    }
    if (row != PF_NONE && n->other) {
        set(p, PF_THREAD_STATE_BLOCKED, row, n->other);
    }
}

static void fill(const player *p, const pf_state_note *n)
{
    pf_last_state *th = &p->thread[n->utid];
    th->state = n->other;
    set(p, PF_THREAD_STATE_STATE, th->row, n->other);
}

/* ---- playing ----------------------------------------------------------------------------------------------------- */

/* The next row of sched begins; the one in front of it on its cpu, which is replaced by it. */
static inline uint32_t next_run(player *p, uint32_t *row)
{
    *row = p->sched++;
    uint32_t *last = &p->last[*pf_side_ref(p->sched_rows, PF_SCHED_UCPU, *row)], before = *last;
    *last = *row;
    return before;
}

static inline void run(player *p, uint32_t row)
{
    const pf_side_table *s = p->sched_rows;
    go(p, *pf_side_number(s, PF_SCHED_TS, row), *pf_side_ref(s, PF_SCHED_UTID, row), p->running,
       *pf_side_ref(s, PF_SCHED_UCPU, row));
}

/* Rows of sched of which nothing is noted. */
static void play_switches(player *p, uint32_t until)
{
    const pf_side_table *s = p->sched_rows;
    while (p->sched < until && p->st == PF_OK) {
        uint32_t row, before = next_run(p, &row);
        stop(p, *pf_side_number(s, PF_SCHED_TS, row), *pf_side_ref(s, PF_SCHED_UTID, before),
             *pf_side_ref(s, PF_SCHED_END_STATE, before));
        run(p, row);
    }
}

/* Threads and cpus from these numbers on did nothing so far. */
static void forget(const player *p, uint32_t threads, uint32_t cpus)
{
    for (uint32_t i = threads; i < p->threads; i++) {
        p->thread[i] = (pf_last_state){0, PF_NONE, PF_NONE, PF_NONE, PF_NONE};
    }
    for (uint32_t i = cpus; i < p->cpus; i++) {
        p->last[i] = PF_NONE;
    }
}

static void play_note(player *p, const pf_state_note *n)
{
    uint32_t row;
    switch ((pf_state_what)n->what) {
    case PF_STATE_STARTS:
        p->running = n->utid;
        p->runnable = n->other;
        p->idle = (uint32_t)n->ts;
        forget(p, 0, 0);
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
static pf_status make_room(player *p, pf_error *err)
{
    const pf_side_table *sched = p->sched_rows;
    uint32_t threads = p->threads, cpus = p->cpus;
    for (uint32_t i = p->sched; i < sched->count; i++) {
        uint32_t cpu = *pf_side_ref(sched, PF_SCHED_UCPU, i);
        p->cpus = cpu < p->cpus ? p->cpus : cpu + 1;
    }
    p->threads = p->t->threads.count;
    PF_TRY(PF_LIST_ROOM(&p->t->budget, p->last, p->cpus, p->cpu_room, err));
    PF_TRY(PF_LIST_ROOM(&p->t->budget, p->thread, p->threads, p->thread_room, err));
    forget(p, threads, cpus);
    return PF_OK;
}

static pf_status play(player *p, pf_error *err)
{
    const pf_state_log *l = p->t->state_log;
    p->err = err;
    p->st = make_room(p, err);
    for (; p->played < l->notes && p->st == PF_OK; p->played++) {
        pf_state_note note;
        bool says = unfold(&l->note[p->played], &p->at, &note);
        play_switches(p, p->at.sched);
        if (says) {
            play_note(p, &note);
        }
    }
    play_switches(p, p->sched_rows->count);
    return p->st;
}

pf_status pf_trace_last_state(pf_trace *t, uint32_t utid, pf_last_state *last, pf_error *err)
{
    PF_TRY(play(&t->state_log->player, err));
    *last = t->state_log->player.thread[utid];
    return PF_OK;
}

/* With a thread that touches pages of the rows ahead, which take longer than all else. */
static pf_status play_with_help(player *p, pf_error *err)
{
    pf_columns *grow = p->states->grow;
    bool helps = grow && p->t->budget.may_help && p->sched_rows->count >= WORTH_HELP;
    if (helps) {
        grow->toucher = pf_prefaulter_start();
    }
    pf_status st = play(p, err);
    if (helps) {
        pf_prefaulter_stop(grow->toucher);
        grow->toucher = NULL;
    }
    return st;
}

/* Makes the rows, with these columns if none were made so far. Whoever asks again after a failure begins anew. */
static pf_status make_rows(pf_trace *t, uint32_t columns, pf_error *err)
{
    pf_state_log *l = t->state_log;
    player *p = &l->player;
    pf_status st = PF_OK;
    if (p->played == 0 && p->sched == 0) {
        st = pf_side_add_columns(p->states, columns, err);
        p->columns = l->filled = columns;
    }
    st = st != PF_OK ? st : play_with_help(p, err);
    free_player(p);
    if (st != PF_OK) {
        pf_side_clear(p->states);
        t->sides.known[PF_SIDE_SPURIOUS].count = l->filled = 0;
        *p = player_of(t);
    }
    l->played = st == PF_OK;
    return st;
}

/* Fills more columns of the rows that are there. */
static pf_status fill_columns(pf_trace *t, uint32_t columns, pf_error *err)
{
    player p = player_of(t);
    p.again = true;
    p.columns = columns;
    PF_TRY(pf_side_add_columns(p.states, columns, err));
    pf_status st = play(&p, err);
    free_player(&p);
    if (st != PF_OK) {
        pf_side_drop_columns(p.states, columns);
    }
    t->state_log->filled |= st == PF_OK ? columns : 0;
    return st;
}

pf_status pf_trace_make_thread_states(pf_trace *t, uint32_t columns, pf_error *err)
{
    pf_state_log *l = t->state_log;
    if (!l) {
        return PF_OK;
    }
    columns &= ALL_COLUMNS;
    pthread_mutex_lock(&l->lock);
    pf_status st = l->played ? PF_OK : make_rows(t, columns, err);
    columns &= ~l->filled;
    st = st == PF_OK && columns ? fill_columns(t, columns, err) : st;
    if (l->filled == ALL_COLUMNS) {
        free_notes(t);
    }
    pthread_mutex_unlock(&l->lock);
    return st;
}
