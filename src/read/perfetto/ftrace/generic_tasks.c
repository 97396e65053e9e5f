/* read/perfetto/ftrace/generic_tasks.c - tasks of kernels other than Linux: packets that each say the state of one
 * thread.
 *
 * A thread that begins to run on a CPU stops the one that ran there, without a word on why. Where the stopped thread
 * says its state at the same time, that is why; later it is a state of its own. What cannot come in this order is
 * counted and does not count.
 */
#include "read/perfetto/descriptors/descriptors.h"
#include "read/perfetto/ftrace/ftrace.h"

enum { GENERIC_STATE = 117, GENERIC_FREQUENCY, GENERIC_RENAME = 120, GENERIC_TREE = 122 };
enum { CREATED = 1, RUNNABLE, RUNNING, SLEEPING, BLOCKED, STOPPED, DEAD, DESTROYED };
static const char *const STATES[] = {"", "Created", "R", "Running", "S", "D", "T", "Z", "X"};

typedef struct task {
    uint32_t utid, cpu, state, text; /* text: string id of the state */
    int32_t priority;
} task;

/* The thread of an event; PF_NONE: it cannot be in this state now. */
static uint32_t thread_for(pf_import *im, int64_t ts, int64_t tid, uint32_t state)
{
    uint32_t utid = pf_lives_find(im, tid);
    uint32_t last = utid == PF_NONE ? PF_NONE : pf_states_last(im, utid).state;
    bool bad = (state == CREATED && utid != PF_NONE) ||
               (last == pf_import_word(im, STATES[DEAD]) && state != DESTROYED) ||
               (state == RUNNING && last == im->ftrace->running);
    if (bad) {
        pf_trace_count(im->t, PF_STAT_GENERIC_ORDER, PF_NOWHERE);
        return PF_NONE;
    }
    if (state == DESTROYED && last == PF_NONE) { /* of a thread that did nothing */
        pf_trace_count(im->t, PF_STAT_GENERIC_ORDER, PF_NOWHERE);
    }
    utid = pf_lives_thread(im, tid);
    if (state == CREATED && utid != PF_NONE) {
        im->t->threads.start_ts[utid] = ts;
    }
    return utid;
}

/* Who stops on a CPU should have run there. */
static uint32_t close_row(pf_import *im, pf_ftrace_cpu *c, int64_t ts, uint32_t cpu, uint32_t state)
{
    pf_last_state last = pf_states_last(im, c->utid);
    if (last.row != PF_NONE && last.cpu != cpu) {
        pf_trace_count(im->t, PF_STAT_GENERIC_ORDER, PF_NOWHERE);
    }
    return pf_sched_close(im, c, ts, state);
}

static void run(pf_import *im, int64_t ts, const task *t)
{
    pf_ftrace_cpu *c = &im->ftrace->cpu[t->cpu];
    if (c->open_row) {
        pf_import_put(im, &im->system.stopped, c->utid, c->open_row - 1);
        pf_states_switch(im, ts, close_row(im, c, ts, t->cpu, 0), c->utid, 0);
    } else {
        pf_states_run(im);
    }
    c->utid = t->utid;
    c->prio = t->priority;
    pf_sched_open(im, c, t->cpu, ts);
}

static void stop(pf_import *im, int64_t ts, const task *t)
{
    pf_ftrace_cpu *c = &im->ftrace->cpu[t->cpu];
    uint32_t stopped = pf_map_get(&im->system.stopped, t->utid);
    if (c->open_row && c->utid == t->utid) {
        close_row(im, c, ts, t->cpu, t->text);
    } else if (stopped != PF_NONE && pf_states_fill(im, ts, t->utid, t->text)) {
        *pf_side_ref(&im->t->sides.known[PF_SIDE_SCHED], PF_SCHED_END_STATE, stopped) = t->text;
        return;
    }
    pf_states_go(im, ts, t->utid, t->text);
}

/* Rows without events behind them widen the bounds; an open one ends a nanosecond before it begins, as in Perfetto. A
 * row of thread_state begins, and ends the one that the thread had. */
static void cover_row(pf_import *im, int64_t ts, uint32_t utid)
{
    if (utid != im->machine.idle_utid) {
        pf_trace_cover(im->t, ts, pf_states_last(im, utid).row == PF_NONE ? ts - 1 : ts);
    }
}

static void take_state(pf_import *im, const pf_packet *p)
{
    PF_CURSOR_FIELDS(f, pf_field_cursor(&p->data), PF_AT_VARINT(1), PF_AT_BYTES(2), PF_AT_VARINT(3), PF_AT_VARINT(4),
                     PF_AT_VARINT(5));
    int64_t ts = p->at->ts, tid = (int64_t)f[3].value;
    bool known = f[4].value >= CREATED && f[4].value <= DESTROYED;
    if (!known || f[1].value >= PF_FTRACE_CPUS) {
        pf_trace_count(im->t, PF_STAT_TASK_STATE_INVALID, PF_NOWHERE);
        return;
    }
    task t = {.cpu = (uint32_t)f[1].value, .state = (uint32_t)f[4].value, .priority = (int32_t)f[5].value};
    t.utid = thread_for(im, ts, tid, t.state);
    t.text = pf_import_word(im, STATES[t.state]);
    if (t.utid == PF_NONE || pf_import_failed(im)) {
        return;
    }
    if (t.state != DESTROYED || !im->t->threads.name[t.utid]) {
        pf_import_set_thread_name(im, t.utid, pf_field_text_or_null(&f[2]), PF_RANK_THREAD_FTRACE);
    }
    cover_row(im, ts, t.utid);
    (t.state == RUNNING ? run : stop)(im, ts, &t);
    if (t.state == DESTROYED) {
        pf_lives_end(im, tid, ts);
    }
}

static void take_rename(pf_import *im, const pf_packet *p)
{
    PF_CURSOR_FIELDS(f, pf_field_cursor(&p->data), PF_AT_VARINT(1), PF_AT_BYTES(2));
    uint32_t utid = pf_lives_thread(im, (int64_t)f[1].value);
    if (utid != PF_NONE) {
        pf_import_set_thread_name(im, utid, pf_field_text_or_null(&f[2]), PF_RANK_THREAD_FTRACE);
    }
}

static void take_frequency(pf_import *im, const pf_packet *p)
{
    PF_CURSOR_FIELDS(f, pf_field_cursor(&p->data), PF_AT_VARINT(1), PF_AT_VARINT(2));
    uint32_t track = pf_system_track(im, PF_TRACK_CPU_FREQUENCY, PF_NONE, (pf_dims){(uint32_t)f[1].value});
    pf_system_sample(im, p->at->ts, track, (double)f[2].value / 1000);
}

static void take_process(pf_import *im, pf_cursor c)
{
    PF_CURSOR_FIELDS(f, c, PF_AT_VARINT(1), PF_AT_VARINT(2), PF_AT_BYTES(3));
    pf_str line = pf_field_text(&f[3]), name = line;
    const char *blank = memchr(line.ptr, ' ', line.len);
    name.len = blank ? (size_t)(blank - line.ptr) : line.len;
    uint32_t parent = pf_lives_bare_process(im, (int64_t)f[2].value);
    uint32_t upid = pf_lives_bare_process(im, (int64_t)f[1].value), text = pf_import_text(im, line);
    if (upid != PF_NONE && parent != PF_NONE) {
        im->t->processes.parent_upid[upid] = parent;
        im->t->processes.cmdline[upid] = text;
        pf_import_set_process_name(im, upid, name, PF_RANK_PROCESS_TREE);
    }
}

static void take_thread(pf_import *im, pf_cursor c)
{
    PF_CURSOR_FIELDS(f, c, PF_AT_VARINT(1), PF_AT_VARINT(2), PF_AT_BYTES(3), PF_AT_VARINT(4));
    uint32_t upid = pf_lives_bare_process(im, (int64_t)f[2].value);
    uint32_t utid = upid == PF_NONE ? PF_NONE : pf_lives_join(im, (int64_t)f[1].value, upid);
    if (utid != PF_NONE) {
        im->t->threads.is_main[utid] = f[4].value != 0;
        pf_import_set_thread_name(im, utid, pf_field_text_or_null(&f[3]), PF_RANK_THREAD_TREE);
    }
}

static void take_tree(pf_import *im, const pf_packet *p)
{
    pf_cursor c = pf_field_cursor(&p->data);
    pf_field f;
    while (pf_cursor_next(&c, &f) == PF_NEXT_FIELD) {
        if (f.tag == PF_TAG_BYTES(1)) {
            take_process(im, pf_field_cursor(&f));
        } else if (f.tag == PF_TAG_BYTES(2)) {
            take_thread(im, pf_field_cursor(&f));
        }
    }
}

void pf_ftrace_take_generic(pf_import *im, const pf_packet *p)
{
    void (*take)(pf_import * im, const pf_packet *p) = p->r->data == GENERIC_STATE       ? take_state
                                                       : p->r->data == GENERIC_FREQUENCY ? take_frequency
                                                       : p->r->data == GENERIC_RENAME    ? take_rename
                                                                                         : take_tree;
    im->system.generic = true;
    if (pf_ftrace_begin(im)) {
        pf_ftrace_put_off(im, p, take);
    }
}

/* The same for rows of sched. */
void pf_ftrace_cover_generic(pf_import *im)
{
    const pf_side_table *s = &im->t->sides.known[PF_SIDE_SCHED];
    for (uint32_t row = 0; im->system.generic && row < s->count; row++) {
        int64_t ts = *pf_side_number(s, PF_SCHED_TS, row);
        pf_trace_cover(im->t, ts, ts + *pf_side_number(s, PF_SCHED_DUR, row));
    }
}
