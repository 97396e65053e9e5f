/* perfetto/decode/sched_events.h - plain events of the scheduler as records of one size, without any state:
 * sched_switch and sched_waking come by the million, and any thread may read them ahead. */
#ifndef PF_PERFETTO_DECODE_SCHED_EVENTS_H
#define PF_PERFETTO_DECODE_SCHED_EVENTS_H

#include "perfetto/decode/bundle.h"

enum { PF_EVENT_SWITCH = 4, PF_EVENT_WAKING = 20 }; /* pf_ftrace_event.kind */

/* Fields of a switch; a waking has the first two, of the thread that is woken. */
enum { PF_PREV_COMM = 1, PF_PREV_PID, PF_PREV_PRIO, PF_PREV_STATE, PF_NEXT_COMM, PF_NEXT_PID, PF_NEXT_PRIO };

/* A text of up to 15 bytes, then zeros; the last byte is its length or one of these. */
typedef struct pf_comm {
    char text[16];
} pf_comm;
enum { PF_COMM_ABSENT = 0xff, PF_COMM_LONG = 0xfe };

typedef struct pf_sched_said {
    pf_comm prev, next;
    uint32_t number[8]; /* by field, 0 where it is absent */
} pf_sched_said;

static inline bool pf_event_is_sched(uint32_t kind)
{
    return kind == PF_EVENT_SWITCH || kind == PF_EVENT_WAKING;
}

/* What the event says; bytes up to `readable` may be looked at, which are at least its own. */
void pf_sched_read(const pf_ftrace_event *e, const uint8_t *readable, pf_sched_said *s);

#endif
