/* read/perfetto/android/binder.c - calls from one process to another through Android's binder driver.
 *
 * A call that waits for its answer is a slice of the thread that sends it, from `binder_transaction` until the answer
 * has come back, and a slice "binder reply" of the thread that receives it, until that one sends the answer. A call
 * without an answer is an instant on both. An arrow leads from the one to the other; the number of the transaction says
 * what belongs together. Who received a call is known when it does: the slice that sent it gets that as arguments then.
 *
 * When a call fails, the events that would end its slices do not come. What the thread and the driver say to each
 * other, commands and returns, tells so: each thread has a stack of the calls that it is in, of which the driver speaks
 * of the innermost one. Recordings without these events leave such slices open.
 */
#include "base/list.h"
#include "read/perfetto/android/android.h"

enum { ONE_WAY = 0x01, ROOT_OBJECT = 0x04, STATUS_CODE = 0x08, ACCEPT_FDS = 0x10 };

/* Said by a thread: */
enum { BC_TRANSACTION = 0x40406300, BC_REPLY = 0x40406301, BC_TRANSACTION_SG = 0x40486311, BC_REPLY_SG = 0x40486312 };

/* and by the driver. */
#define BR_TRANSACTION_SEC_CTX 0x80487202u
#define BR_TRANSACTION 0x80407202u
#define BR_REPLY 0x80407203u
enum {
    BR_DEAD_REPLY = 0x7205,
    BR_TRANSACTION_COMPLETE = 0x7206,
    BR_FAILED_REPLY = 0x7211,
    BR_FROZEN_REPLY = 0x7212,
    BR_ONEWAY_SPAM_SUSPECT = 0x7213,
    BR_TRANSACTION_PENDING_FROZEN = 0x7214
};

/* A transaction that was sent and not received yet. */
typedef struct sent {
    int64_t node;
    uint32_t track; /* of the thread that sent it */
    uint32_t id, process, flags, code, tid;
    uint32_t arrow;
    bool reply;
} sent;

/* How far a thread is in a call that it sends, or in one that it receives. */
typedef enum stage {
    SEND_BEGUN,
    SEND_SENT,
    SEND_COMPLETE,
    SEND_ANSWERED,
    RECEIVE_BEGUN,
    RECEIVE_RETURNED,
    RECEIVE_REPLYING,
    RECEIVE_REPLIED
} stage;

typedef struct frame {
    uint32_t outer; /* frame of the same thread, or PF_NONE; the next one that is not used */
    uint8_t stage;
    bool waits; /* the transaction is known, and it is one that an answer comes to */
    bool one_way;
} frame;

typedef struct pf_binder {
    pf_map by_id; /* number of a transaction -> index in `sent` */
    sent *sent;
    uint32_t count, room, unused; /* unused: the first one, linked by `id` */
    pf_map top;                   /* utid -> its innermost frame */
    frame *frame;
    uint32_t frames, frame_room, free_frame;
    pf_map locks; /* 2 * tid where it waits for the lock, and 2 * tid + 1 where it has it -> 1 */
} pf_binder;

static pf_binder *binder_of(pf_import *im)
{
    pf_budget *budget = &im->t->budget;
    if (!im->system.binder && !pf_import_failed(im)) {
        pf_binder *b = im->system.binder = pf_alloc_zero(budget, 1, sizeof *b);
        if (!b) {
            pf_import_refuse(im, sizeof *b);
            return NULL;
        }
        pf_map_init(&b->by_id, budget);
        pf_map_init(&b->top, budget);
        pf_map_init(&b->locks, budget);
        b->unused = b->free_frame = PF_NONE;
    }
    return pf_import_failed(im) ? NULL : im->system.binder;
}

void pf_binder_free(pf_import *im)
{
    pf_binder *b = im->system.binder;
    if (b) {
        pf_map_free(&b->by_id);
        pf_map_free(&b->top);
        pf_map_free(&b->locks);
        PF_LIST_FREE(&im->t->budget, b->sent, b->room);
        PF_LIST_FREE(&im->t->budget, b->frame, b->frame_room);
        pf_release(&im->t->budget, b, sizeof *b);
        im->system.binder = NULL;
    }
}

/* ---- slices ------------------------------------------------------------------------------------------------------ */

static uint32_t thread_track(pf_import *im, int64_t tid)
{
    uint32_t utid = pf_lives_thread(im, tid);
    return utid == PF_NONE || pf_import_failed(im) ? PF_NONE : pf_trace_thread_track(im->t, utid, im->err);
}

static void add(pf_import *im, const pf_ftrace_now *now, uint8_t phase, uint32_t track, const char *name,
                const pf_system_arg *args, size_t count)
{
    uint32_t called = name ? pf_import_word(im, name) : 0, category = name ? pf_import_word(im, "binder") : 0;
    pf_system_event(im, now->ts, phase, track, called, category, args, count);
}

static void note(pf_import *im, const pf_ftrace_now *now, uint32_t track, const char *name, const pf_system_arg *args,
                 size_t count)
{
    if (track != PF_NONE && im->t->want & PF_WANT_ARGS) {
        add(im, now, PF_PHASE_NOTE, track, name, args, count);
    }
    if (track != PF_NONE && !pf_import_failed(im)) {
        im->t->tracks.used[track] = 1;
    }
}

enum { CALL_ARGS = 7, LATER_ARGS = 4 };

static void flags_text(pf_buffer *b, uint32_t flags)
{
    pf_buffer_format(b, "0x%02x ", (unsigned)flags);
    pf_buffer_text(b, flags & ONE_WAY ? "this is a one-way call: async, no return; " : "");
    pf_buffer_text(b, flags & ROOT_OBJECT ? "contents are the components root object; " : "");
    pf_buffer_text(b, flags & STATUS_CODE ? "contents are a 32-bit status code; " : "");
    pf_buffer_text(b, flags & ACCEPT_FDS ? "allow replies with file descriptors; " : "");
    pf_buffer_text(b, flags == 0 ? "No Flags Set" : "");
}

static void call_args(pf_import *im, const sent *s, pf_system_arg *args)
{
    im->scratch.len = 0;
    flags_text(&im->scratch, s->flags);
    uint32_t flags = pf_import_scratch(im);
    im->scratch.len = 0;
    pf_buffer_format(&im->scratch, "0x%02x Java Layer Dependent", (unsigned)s->code);
    const pf_system_arg all[CALL_ARGS] = {{"transaction id", PF_VALUE_INT, (int32_t)s->id},
                                          {"destination node", PF_VALUE_INT, s->node},
                                          {"destination process", PF_VALUE_INT, s->process},
                                          {"reply transaction?", PF_VALUE_BOOL, s->reply},
                                          {"flags", PF_VALUE_STRING, flags},
                                          {"code", PF_VALUE_STRING, pf_import_scratch(im)},
                                          {"calling tid", PF_VALUE_UINT, s->tid}};
    memcpy(args, all, sizeof all);
}

/* Of the thread that a transaction goes to. */
static size_t thread_args(pf_import *im, pf_value_type type, uint32_t tid, pf_system_arg *args)
{
    uint32_t utid = pf_lives_thread(im, tid), name = utid == PF_NONE ? 0 : im->t->threads.name[utid];
    args[0] = (pf_system_arg){"destination thread", type, tid};
    args[1] = (pf_system_arg){"destination name", PF_VALUE_STRING, name};
    return name ? 2 : 1;
}

static const pf_system_arg LATER[LATER_ARGS] = {{"data size", PF_VALUE_NULL, 0},
                                                {"offsets size", PF_VALUE_NULL, 0},
                                                {"destination thread", PF_VALUE_NULL, 0},
                                                {"destination name", PF_VALUE_NULL, 0}};

/* ---- calls that a thread is in ----------------------------------------------------------------------------------- */

static frame *top_frame(pf_import *im, int64_t tid)
{
    pf_binder *b = binder_of(im);
    uint32_t utid = b ? pf_lives_thread(im, tid) : PF_NONE, i = utid == PF_NONE ? PF_NONE : pf_map_get(&b->top, utid);
    return i == PF_NONE ? NULL : &b->frame[i];
}

static void push_frame(pf_import *im, int64_t tid, stage at)
{
    pf_binder *b = binder_of(im);
    uint32_t utid = b ? pf_lives_thread(im, tid) : PF_NONE, i = b ? b->free_frame : PF_NONE;
    if (utid == PF_NONE) {
        return;
    }
    if (i != PF_NONE) {
        b->free_frame = b->frame[i].outer;
    } else if (PF_LIST_ROOM(&im->t->budget, b->frame, b->frames + 1, b->frame_room, im->err) == PF_OK) {
        i = b->frames++;
    } else {
        return;
    }
    b->frame[i] = (frame){.outer = pf_map_get(&b->top, utid), .stage = (uint8_t)at, .waits = at == RECEIVE_BEGUN};
    pf_import_put(im, &b->top, utid, i);
}

static void pop_frame(pf_import *im, int64_t tid)
{
    pf_binder *b = binder_of(im);
    uint32_t utid = b ? pf_lives_thread(im, tid) : PF_NONE, i = utid == PF_NONE ? PF_NONE : pf_map_get(&b->top, utid);
    if (i == PF_NONE) {
        return;
    }
    if (b->frame[i].outer == PF_NONE) {
        pf_map_drop(&b->top, utid);
    } else {
        pf_import_put(im, &b->top, utid, b->frame[i].outer);
    }
    b->frame[i].outer = b->free_frame;
    b->free_frame = i;
}

/* The thread has sent a transaction. */
static void advance_sent(pf_import *im, const sent *s)
{
    frame *f = top_frame(im, s->tid);
    if (f && (f->stage == SEND_BEGUN || f->stage == RECEIVE_REPLYING)) {
        f->stage = f->stage == SEND_BEGUN ? SEND_SENT : RECEIVE_REPLIED;
        f->one_way = s->flags & ONE_WAY;
        f->waits = !f->one_way && !s->reply;
    } else if (f && f->stage == RECEIVE_BEGUN) { /* nobody says what the driver returns */
        pop_frame(im, s->tid);
    }
}

void pf_event_binder_command(pf_import *im, const pf_ftrace_now *now)
{
    uint32_t command = (uint32_t)pf_cursor_last(now->fields, PF_TAG_VARINT(1)).value;
    if (command == BC_TRANSACTION || command == BC_TRANSACTION_SG) {
        push_frame(im, now->event->tid, SEND_BEGUN);
    } else if (command == BC_REPLY || command == BC_REPLY_SG) {
        frame *f = top_frame(im, now->event->tid);
        if (f && f->stage == RECEIVE_RETURNED) {
            f->stage = RECEIVE_REPLYING;
        }
    }
}

/* The innermost call has failed. */
static void fail(pf_import *im, const pf_ftrace_now *now, const frame *f)
{
    if (f->stage == SEND_ANSWERED || f->stage == RECEIVE_BEGUN || f->stage == RECEIVE_RETURNED) {
        return;
    }
    if (f->stage != SEND_BEGUN && f->waits) {
        add(im, now, 'E', thread_track(im, now->event->tid), NULL, NULL, 0);
    }
    pop_frame(im, now->event->tid);
}

void pf_event_binder_return(pf_import *im, const pf_ftrace_now *now)
{
    uint32_t said = (uint32_t)pf_cursor_last(now->fields, PF_TAG_VARINT(1)).value;
    frame *f = top_frame(im, now->event->tid);
    if (!f) {
        return;
    }
    switch (said) {
    case BR_DEAD_REPLY:
    case BR_FAILED_REPLY:
    case BR_FROZEN_REPLY:
    case BR_TRANSACTION_PENDING_FROZEN:
        fail(im, now, f);
        break;
    case BR_TRANSACTION_COMPLETE:
    case BR_ONEWAY_SPAM_SUSPECT:
        if (f->stage == SEND_SENT && !f->one_way) {
            f->stage = SEND_COMPLETE;
        } else if (f->stage == SEND_SENT || f->stage == SEND_BEGUN || f->stage == RECEIVE_REPLIED) {
            pop_frame(im, now->event->tid);
        }
        break;
    case BR_REPLY:
        if (f->stage == SEND_ANSWERED) {
            pop_frame(im, now->event->tid);
        }
        break;
    case BR_TRANSACTION:
    case BR_TRANSACTION_SEC_CTX:
        f->stage = f->stage == RECEIVE_BEGUN ? RECEIVE_RETURNED : f->stage;
        break;
    default:
        break;
    }
}

/* ---- transactions ------------------------------------------------------------------------------------------------ */

/* The latest transaction of a number counts. */
static void remember(pf_import *im, const sent *s)
{
    pf_binder *b = binder_of(im);
    uint32_t i = b ? pf_map_get(&b->by_id, s->id) : PF_NONE;
    if (!b) {
        return;
    }
    if (i == PF_NONE && b->unused != PF_NONE) {
        i = b->unused;
        b->unused = b->sent[i].id;
    } else if (i == PF_NONE) {
        if (PF_LIST_ROOM(&im->t->budget, b->sent, b->count + 1, b->room, im->err) != PF_OK) {
            return;
        }
        i = b->count++;
    }
    b->sent[i] = *s;
    pf_import_put(im, &b->by_id, s->id, i);
}

/* False: it is not known. */
static bool recall(pf_import *im, uint32_t id, sent *s)
{
    pf_binder *b = binder_of(im);
    uint32_t i = b ? pf_map_get(&b->by_id, id) : PF_NONE;
    if (i == PF_NONE) {
        return false;
    }
    *s = b->sent[i];
    pf_map_drop(&b->by_id, id);
    b->sent[i].id = b->unused;
    b->unused = i;
    return true;
}

void pf_event_binder_call(pf_import *im, const pf_ftrace_now *now)
{
    PF_CURSOR_FIELDS(f, now->fields, PF_AT_VARINT(1), PF_AT_VARINT(2), PF_AT_VARINT(3), PF_AT_VARINT(4),
                     PF_AT_VARINT(5), PF_AT_VARINT(6), PF_AT_VARINT(7));
    sent s = {.id = (uint32_t)f[1].value,
              .node = (int32_t)f[2].value,
              .process = (uint32_t)f[3].value,
              .reply = (int32_t)f[5].value == 1,
              .code = (uint32_t)f[6].value,
              .flags = (uint32_t)f[7].value,
              .tid = now->event->tid,
              .track = thread_track(im, now->event->tid)};
    pf_system_arg args[CALL_ARGS + LATER_ARGS];
    call_args(im, &s, args);
    if (s.reply) {
        pf_system_arg to[2];
        size_t count = thread_args(im, PF_VALUE_INT, (uint32_t)f[4].value, to);
        note(im, now, s.track, "binder reply", to, count);
        add(im, now, 'E', s.track, NULL, args, CALL_ARGS);
    } else {
        bool one_way = s.flags & ONE_WAY;
        memcpy(args + CALL_ARGS, LATER, sizeof LATER);
        add(im, now, one_way ? 'i' : 'B', s.track, one_way ? "binder transaction async" : "binder transaction", args,
            one_way ? CALL_ARGS : CALL_ARGS + LATER_ARGS);
        s.arrow = ++im->system.lines.last_arrow;
        pf_system_arrow(im, s.arrow, PF_FLOW_ARROW_FROM);
    }
    remember(im, &s);
    advance_sent(im, &s);
}

static void receive_call(pf_import *im, const pf_ftrace_now *now, uint32_t track, const sent *s)
{
    pf_system_arg args[CALL_ARGS];
    if (s->flags & ONE_WAY) {
        call_args(im, s, args);
        add(im, now, 'i', track, "binder async rcv", args, CALL_ARGS);
    } else {
        size_t count = thread_args(im, PF_VALUE_UINT, now->event->tid, args);
        note(im, now, s->track, "binder transaction", args, count);
        add(im, now, 'B', track, "binder reply", LATER + 2, 2);
    }
    pf_system_arrow(im, s->arrow, PF_FLOW_ARROW_TO);
}

void pf_event_binder_arrival(pf_import *im, const pf_ftrace_now *now)
{
    sent s;
    if (!recall(im, (uint32_t)pf_cursor_last(now->fields, PF_TAG_VARINT(1)).value, &s)) {
        return;
    }
    uint32_t tid = now->event->tid, track = thread_track(im, tid);
    if (s.reply) {
        frame *f = s.flags & ONE_WAY ? NULL : top_frame(im, tid);
        if (f && f->stage == SEND_COMPLETE) {
            f->stage = SEND_ANSWERED;
        }
        add(im, now, 'E', track, NULL, NULL, 0);
        return;
    }
    if (!(s.flags & ONE_WAY)) {
        push_frame(im, tid, RECEIVE_BEGUN);
    }
    receive_call(im, now, track, &s);
}

void pf_event_binder_buffer(pf_import *im, const pf_ftrace_now *now)
{
    PF_CURSOR_FIELDS(f, now->fields, PF_AT_VARINT(1), PF_AT_VARINT(3));
    const pf_system_arg sizes[] = {{"data size", PF_VALUE_UINT, (int64_t)f[1].value},
                                   {"offsets size", PF_VALUE_UINT, (int64_t)f[3].value}};
    note(im, now, thread_track(im, now->event->tid), "binder transaction", sizes, PF_TAG_COUNT(sizes));
}

/* ---- the lock of the driver, up to Linux 4.13 -------------------------------------------------------------------- */

void pf_event_binder_lock(pf_import *im, const pf_ftrace_now *now)
{
    enum { LOCK = 53, LOCKED = 54 };
    uint32_t kind = now->event->kind, tid = now->event->tid;
    uint64_t waits = 2 * (uint64_t)tid, holds = waits + 1, ended = kind == LOCKED ? waits : holds;
    pf_binder *b = binder_of(im);
    if (!b || (kind != LOCK && pf_map_get(&b->locks, ended) == PF_NONE)) {
        return;
    }
    uint32_t track = thread_track(im, tid);
    if (kind != LOCK) {
        add(im, now, 'E', track, kind == LOCKED ? NULL : "binder lock held", NULL, 0);
        pf_map_drop(&b->locks, ended);
    }
    if (kind == LOCK || kind == LOCKED) {
        add(im, now, 'B', track, kind == LOCK ? "binder lock waiting" : "binder lock held", NULL, 0);
        pf_import_put(im, &b->locks, kind == LOCK ? waits : holds, 1);
    }
}
