/* read/perfetto/system/kernel_events.h - what single ftrace events say of slices and counters. Whoever calls these does
 * so in the order of time. */
#ifndef PF_READ_PERFETTO_SYSTEM_KERNEL_EVENTS_H
#define PF_READ_PERFETTO_SYSTEM_KERNEL_EVENTS_H

#include "perfetto/decode/sched_events.h"
#include "read/perfetto/import/lifetimes.h"
#include "read/perfetto/system/system.h"

/* An event while it is applied. */
typedef struct pf_ftrace_now {
    int64_t ts;
    uint32_t cpu;
    const pf_ftrace_event *event;
    pf_cursor fields;          /* of its message */
    const pf_sched_said *said; /* by it, if it is a switch or a waking */
} pf_ftrace_now;

/* ---- event_slices.c ---------------------------------------------------------------------------------------------- */

/* An argument of a slice: a number, or a string id. */
typedef struct pf_system_arg {
    const char *key;    /* "LIST[]": the next one of a list, which is the last of the arguments */
    pf_value_type type; /* NULL: none so far, a note may bring it */
    int64_t value;      /* BOOL, INT, UINT; the bits of a REAL; STRING: its id, 0 is NULL */
} pf_system_arg;

#define PF_SYSTEM_ARGS_MAX 20

/* A begin, end, instant or note (B, E, i, PF_PHASE_NOTE) on a track; name and category are string ids. */
void pf_system_event(pf_import *im, int64_t ts, uint8_t phase, uint32_t track, uint32_t name, uint32_t category,
                     const pf_system_arg *args, size_t count);
/* An arrow of that number leaves from the event added last (PF_FLOW_ARROW_FROM) or comes to it (PF_FLOW_ARROW_TO). */
void pf_system_arrow(pf_import *im, uint32_t number, pf_flow_kind kind);

pf_status pf_system_args(const pf_trace *t, const uint8_t *bytes, size_t len, uint32_t context, const pf_arg_visitor *v,
                         pf_error *err);
void pf_system_join_args(uint8_t *bytes, size_t len, const uint8_t *note, size_t note_len); /* of a note */

void pf_event_irq(pf_import *im, const pf_ftrace_now *now);
void pf_event_softirq(pf_import *im, const pf_ftrace_now *now);
void pf_event_local_timer(pf_import *im, const pf_ftrace_now *now);
void pf_event_suspend(pf_import *im, const pf_ftrace_now *now);
void pf_event_wakelock(pf_import *im, const pf_ftrace_now *now);
void pf_event_signal(pf_import *im, const pf_ftrace_now *now);
void pf_event_mark_victim(pf_import *im, const pf_ftrace_now *now);

/* ---- event_counters.c -------------------------------------------------------------------------------------------- */

/* A sample; none where the track is PF_NONE. Its arguments are those of an event of phase C, which it has
 * where `args` is not NULL, also with a count of 0. */
void pf_system_sample(pf_import *im, int64_t ts, uint32_t track, double value);
void pf_system_sample_with(pf_import *im, int64_t ts, uint32_t track, double value, const pf_system_arg *args,
                           size_t count);

void pf_event_counter(pf_import *im, const pf_ftrace_now *now);
void pf_event_gpu_frequency(pf_import *im, const pf_ftrace_now *now);
void pf_event_gpu_memory(pf_import *im, const pf_ftrace_now *now);
void pf_event_rss(pf_import *im, const pf_ftrace_now *now);
void pf_event_oom_score(pf_import *im, const pf_ftrace_now *now);

/* All events were applied: counters of memory find the process of their thread. */
void pf_system_settle_counters(pf_import *im);

/* ---- cookies.c: slices that are told apart by a number ----------------------------------------------------------- */

/* What shares a name: the process or PF_NONE, the name, and the number in it. */
typedef struct pf_cookie {
    pf_track_type type;
    uint32_t upid, name;
    int64_t number;
    bool instants; /* of those without a number */
} pf_cookie;

/* The state of a number. */
typedef struct pf_cookie_state {
    uint32_t track; /* one of the group that shares lanes */
    uint32_t begins;
    int64_t last_begin;
} pf_cookie_state;

/* Made on first use; NULL after an error. Valid until the next call. */
pf_cookie_state *pf_system_cookie(pf_import *im, const pf_cookie *cookie);

/* syscalls.c: a call begins or ends; a thread that writes a mark is not in the call of it any more. */
void pf_event_syscall(pf_import *im, const pf_ftrace_now *now);
void pf_event_end_write(pf_import *im, const pf_ftrace_now *now);

/* v4l2.c */
void pf_event_v4l2(pf_import *im, const pf_ftrace_now *now);

/* ---- atrace.c ---------------------------------------------------------------------------------------------------- */

/* What a program wrote into trace_marker, and variants of it that drivers have as events. */
void pf_event_print(pf_import *im, const pf_ftrace_now *now);
void pf_event_mark(pf_import *im, const pf_ftrace_now *now);

#endif
