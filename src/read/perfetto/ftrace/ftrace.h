/* read/perfetto/ftrace/ftrace.h - what the kernel recorded: the scheduler, tasks, and all other ftrace events.
 *
 * Bundles are taken in file order and put into queues, one for each cpu and kind of entry (queues.c). Nearly all stay
 * what they are, bytes in the file, of which only the times are known: parts (parts.c), which are read again when their
 * turn comes. Once all packets were read, the queues are merged by time, piece by piece and by any thread
 * (queue_order.c), and each entry is applied by one thread (time_order.c): switches and
 * wakings to the tables of the scheduler (sched.c, state_notes.c), events by their kind (events.c), packets that name
 * processes in between them. So a tid means whoever was alive at that moment (import/lifetimes.h).
 *
 * Where a trace has no such packet nothing of this exists (pf_import.ftrace is NULL).
 */
#ifndef PF_READ_PERFETTO_FTRACE_FTRACE_H
#define PF_READ_PERFETTO_FTRACE_FTRACE_H

#include "model/trace/thread_states.h"
#include "read/perfetto/import/import.h"
#include "read/perfetto/system/kernel_events.h"

#define PF_FTRACE_DESCRIBED 65536u /* events from this number on, up to twice that */
#define PF_FTRACE_NAMED 1024u      /* events whose names are remembered */
#define PF_FTRACE_COMMS 1024u      /* names of threads that are remembered; a power of two */
#define PF_FTRACE_STATES 65536u    /* values of prev_state that differ */

/* What a queue holds, in the order of PF_BUNDLE_EVENTS and so on; PACKETS: there is one for all cpus. */
typedef enum pf_queue_kind { PF_QUEUE_EVENTS = 0, PF_QUEUE_SWITCHES, PF_QUEUE_WAKINGS, PF_QUEUE_PACKETS } pf_queue_kind;

/* A packet whose turn comes in the order of time; `take` as in apply/packet_kinds.c. */
typedef struct pf_put_off {
    void (*take)(pf_import *im, const pf_packet *p);
    pf_record record;
    pf_field data;
    uint64_t offset;
} pf_put_off;

/* The time of a packet, which ends a run of other entries even where nothing is left to be done for it. */
typedef struct pf_turn {
    int64_t ts;
    uint32_t packet; /* among those that were put off, or PF_NONE */
} pf_turn;

/* The entries of a kind that a bundle has, or some of its events, in order of time. They are read when their turn
 * comes. */
typedef struct pf_part {
    const uint8_t *bytes; /* of the bundle, which stay */
    uint32_t len, count;
    int64_t first, last; /* their times */
    int64_t shift;       /* of all of them, from the bundle's own */
    uint32_t texts;      /* switches and wakings: the first of the bundle's in pf_ftrace.text */
    uint32_t bundle;     /* events */
    uint32_t beyond;     /* bytes after these that are the bundle's, too */
} pf_part;

#define PF_PART_MOST 8192u /* entries */

typedef struct pf_ftrace_queue {
    pf_queue_kind kind;
    uint32_t cpu;
    pf_part *part; /* all that it has; or there are none, and entries */
    uint32_t parts, part_room;
    uint64_t in_parts; /* entries */
    union {            /* by kind; each begins with its time */
        pf_ftrace_event *event;
        pf_sched_entry *entry;
        pf_turn *turn;
        void *any;
    } of;
    uint32_t count, room, at; /* at: the first that was not applied yet */
    size_t given, returned;   /* bytes up to here were looked at for pages to give back; so many were */
    int64_t last;             /* time of the last one that was added */
    bool unordered;
} pf_ftrace_queue;

static inline size_t pf_queue_entry_size(pf_queue_kind kind)
{
    return kind == PF_QUEUE_EVENTS    ? sizeof(pf_ftrace_event)
           : kind == PF_QUEUE_PACKETS ? sizeof(pf_turn)
                                      : sizeof(pf_sched_entry);
}

static inline int64_t pf_queue_time(const pf_ftrace_queue *q, uint32_t i)
{
    int64_t ts;
    memcpy(&ts, (const char *)q->of.any + i * pf_queue_entry_size(q->kind), sizeof ts); /* each entry begins with it */
    return ts;
}

/* A cpu and what it runs, as the switches so far say. */
typedef struct pf_ftrace_cpu {
    bool begun;        /* its first bundle was seen */
    bool seen;         /* something happened on it: it is shown */
    bool ran;          /* the members below hold */
    uint32_t open_row; /* of sched + 1, or 0 */
    uint32_t utid;
    int32_t pid, prio;
} pf_ftrace_cpu;

/* The name of a thread, and its string id + 1, or 0. */
typedef struct pf_ftrace_comm {
    pf_comm comm;
    uint32_t id;
} pf_ftrace_comm;

typedef struct pf_ftrace {
    pf_ftrace_bundle bundle;
    pf_ftrace_queue *queue; /* by number, which decides ties */
    uint32_t queues, queue_room;
    uint32_t *text; /* string ids of the bundles that are parts */
    uint32_t texts, text_room;
    pf_put_off *packet;
    uint32_t packets, packet_room;
    uint32_t queue_of[PF_QUEUE_PACKETS][PF_FTRACE_CPUS]; /* their numbers, as far as `cpus_of` */
    uint32_t cpus_of[PF_QUEUE_PACKETS];
    const pf_generation **symbols; /* by bundle: what its symbols mean, or NULL */
    uint32_t bundles, bundle_room;
    pf_ftrace_comm comm[PF_FTRACE_COMMS]; /* by the low bits of the tid */
    uint32_t name_of[PF_FTRACE_NAMED];    /* string ids by kind of event + 1; 0 = not asked for yet */
    pf_field *descriptor;                 /* of events that the kernel numbers on its own, */
    uint32_t descriptors, descriptor_room;
    pf_map described; /* and their numbers -> which one */
    pf_str *copy;     /* bytes of bundles that do not stay in memory */
    uint32_t copies, copy_room;
    pf_ftrace_cpu cpu[PF_FTRACE_CPUS];
    int64_t pair_last; /* the last pair of times that related the clock of bundles to the boot clock */
    bool has_pair;
    int64_t latest_start; /* the latest start of a cpu's first bundle */

    bool began;                 /* an event was applied: the next two hold */
    int64_t hard, soft;         /* times in front of them do not count, or only as rows of events */
    uint32_t *state_text;       /* by 16 bits of prev_state: string id + 1; 0 = not made yet, 1 = NULL */
    uint32_t running, runnable; /* string ids */
    uint32_t kernel;            /* version: 256 * major + minor */
    bool covers;
    int64_t first_ts, last_ts; /* of rows of events */
} pf_ftrace;

/* The state, made if there is none; NULL after an error. From then on packets are put off. */
pf_ftrace *pf_ftrace_begin(pf_import *im);
void pf_ftrace_free(pf_import *im);

/* queues.c: takes a bundle; puts a packet off; notes that there is a packet which was taken already. */
void pf_ftrace_take(pf_import *im, const pf_packet *p);
void pf_ftrace_note_packet(pf_import *im, const pf_moment *at);
/* All packets were read: notes the times of track events in the same way. */
void pf_ftrace_note_events(pf_import *im);
void pf_ftrace_put_off(pf_import *im, const pf_packet *p, void (*take)(pf_import *im, const pf_packet *p));

/* time_order.c: all packets were read: applies everything. */
void pf_ftrace_apply(pf_import *im);

/* parts.c: reads the entries of a part into memory for `count` of them; `scratch` is used for it. False: memory was
 * refused. Makes entries of all parts of a queue; false after an error. */
bool pf_part_read(const pf_ftrace *f, pf_queue_kind kind, const pf_part *part, pf_ftrace_bundle *scratch, void *into);
bool pf_parts_expand(pf_import *im, pf_ftrace_queue *q);

/* queue_order.c: whose turn it is. Queues do not change meanwhile, but entries whose turn came may go. NULL after an
 * error. */
typedef struct pf_order pf_order;
pf_order *pf_order_start(pf_import *im);
void pf_order_stop(pf_order *m);

/* The next turns: a queue for each of them, and for each queue its entries, of which `next` is the first. They are the
 * caller's to use up until the next call; count 0: there are no more. NULL: memory was refused. */
typedef struct pf_queue_span {
    const void *next;
    const pf_sched_said *said; /* what the plain switches and wakings among them say, of which this is the first */
    uint32_t count;
} pf_queue_span;
typedef struct pf_turns {
    uint16_t *queue;
    uint32_t count;
    pf_queue_span *of; /* by queue */
} pf_turns;
const pf_turns *pf_order_next(pf_order *m);

/* events.c: applies an event, after its kind; said: of a switch or waking. */
void pf_ftrace_apply_event(pf_import *im, uint32_t cpu, const pf_ftrace_event *e, const pf_sched_said *said);

/* early_data.c: whether an entry of that time counts; *quiet: only as a row of an event. Counts those that do not. */
bool pf_ftrace_counts_early(pf_import *im, int64_t ts, bool *quiet);
static inline bool pf_ftrace_counts(pf_import *im, int64_t ts, bool *quiet)
{
    *quiet = false;
    return (im->ftrace->began && ts >= im->ftrace->soft) || pf_ftrace_counts_early(im, ts, quiet);
}

/* A row of an event: its time counts for the bounds. */
static inline void pf_ftrace_cover(pf_ftrace *f, int64_t ts)
{
    f->first_ts = f->covers ? f->first_ts : ts;
    f->last_ts = ts;
    f->covers = true;
}

/* raw_events.c: rows of events, if somebody wants them. utid: whose the row is. */
void pf_ftrace_add_raw(pf_import *im, const pf_ftrace_now *now, uint32_t utid);
/* The same for those of compact_sched, only where somebody wants rows. */
void pf_ftrace_add_raw_switch(pf_import *im, uint32_t cpu, const pf_sched_entry *e);
void pf_ftrace_add_raw_waking(pf_import *im, uint32_t cpu, const pf_sched_entry *e);

/* The text of a kernel symbol, 0 if it is not known. */
uint32_t pf_ftrace_symbol(const pf_import *im, const pf_ftrace_event *e, uint64_t iid);

/* generic_tasks.c: packets of kernels other than Linux; all were applied: the times of their rows count. */
void pf_ftrace_take_generic(pf_import *im, const pf_packet *p);
void pf_ftrace_cover_generic(pf_import *im);

/* sched.c: ends the row of what the cpu runs, if it is open; state: string id or 0. Returns the row, or PF_NONE. Opens
 * one of c->utid. */
uint32_t pf_sched_close(pf_import *im, pf_ftrace_cpu *c, int64_t ts, uint32_t state);
void pf_sched_open(pf_import *im, pf_ftrace_cpu *c, uint32_t cpu, int64_t ts);
void pf_ftrace_compact_switch(pf_import *im, uint32_t cpu, const pf_sched_entry *e);
void pf_ftrace_compact_waking(pf_import *im, uint32_t cpu, const pf_sched_entry *e);
void pf_ftrace_switch(pf_import *im, const pf_ftrace_now *now);
void pf_ftrace_waking(pf_import *im, const pf_ftrace_now *now);
void pf_ftrace_blocked_reason(pf_import *im, const pf_ftrace_now *now);

/* state_notes.c: nobody did anything so far. Before a row of sched begins: a thread stops; closed: the row of sched
 * that ended with this, or PF_NONE; state: string id of why it stopped, 0 if it is not known. Or nobody stops. */
void pf_states_start(pf_import *im);
void pf_states_switch(pf_import *im, int64_t ts, uint32_t closed, uint32_t prev, uint32_t state);
void pf_states_run(pf_import *im);
/* A thread is woken; flags: common_flags, or PF_NONE. A thread begins. */
void pf_states_wake(pf_import *im, int64_t ts, uint32_t utid, uint32_t waker, uint32_t flags);
void pf_states_begin(pf_import *im, int64_t ts, uint32_t utid, uint32_t waker);
/* A thread goes into a state (string id); its last row of thread_state; that row, which began at ts without
 * a state, gets this one: false if it is none of that kind. */
void pf_states_go(pf_import *im, int64_t ts, uint32_t utid, uint32_t state);
pf_last_state pf_states_last(pf_import *im, uint32_t utid);
bool pf_states_fill(pf_import *im, int64_t ts, uint32_t utid, uint32_t state);
void pf_states_blocked(pf_import *im, uint32_t utid, bool io_wait, uint32_t function);

/* task_states.c: the text of prev_state, 0 (and counted) if it is none. */
uint32_t pf_ftrace_state_text(pf_import *im, int64_t prev_state);
void pf_ftrace_find_kernel(pf_import *im);

/* driver_events.c */
void pf_event_drm_job(pf_import *im, const pf_ftrace_now *now);
void pf_event_fence(pf_import *im, const pf_ftrace_now *now);
void pf_event_fence_wait(pf_import *im, const pf_ftrace_now *now);
void pf_event_vblank(pf_import *im, const pf_ftrace_now *now);
void pf_event_virtio_gpu(pf_import *im, const pf_ftrace_now *now);
void pf_event_dma_heap(pf_import *im, const pf_ftrace_now *now);
void pf_event_cma(pf_import *im, const pf_ftrace_now *now);

/* task_events.c */
void pf_ftrace_name_thread(pf_import *im, uint32_t utid, uint32_t comm);
void pf_ftrace_new_task(pf_import *im, const pf_ftrace_now *now);
void pf_ftrace_rename(pf_import *im, const pf_ftrace_now *now);
void pf_ftrace_free_task(pf_import *im, const pf_ftrace_now *now);

#endif
