/* perfetto/decode/bundle.h - an ftrace packet as columns, without any state.
 *
 * A bundle holds what one cpu recorded: events, each a message, and in compact_sched the switches and wakings of the
 * scheduler as arrays, one for each member. Such arrays are read one after the other into entries of one size. Times
 * count in the bundle's clock and are not converted here; texts are numbers of the bundle's own table. So any thread
 * may decode a bundle.
 */
#ifndef PF_PERFETTO_DECODE_BUNDLE_H
#define PF_PERFETTO_DECODE_BUNDLE_H

#include "base/budget.h"
#include "wire/cursor.h"

#define PF_FTRACE_CPUS 1024u /* a cpu of a larger number is damage */

/* A switch or a waking of compact_sched. */
typedef struct pf_sched_entry {
    int64_t ts;
    int32_t pid, prio; /* of who runs from then on, or is woken */
    uint32_t comm;     /* index in the bundle's texts */
    uint16_t state;    /* switch: prev_state; waking: common_flags */
    int16_t cpu;       /* waking: target_cpu */
} pf_sched_entry;

typedef struct pf_sched_list {
    pf_sched_entry *entry;
    uint32_t count, room;
    int64_t first, last; /* times, if there are entries */
    bool damaged;        /* entries after these cannot be read */
    bool ordered;        /* no time is less than the one in front of it */
    bool measured;       /* entries were not read, but all else is known */
} pf_sched_list;

/* Any other event: `body` is its message. */
typedef struct pf_ftrace_event {
    int64_t ts;
    const uint8_t *body;
    uint32_t len;
    uint32_t kind;  /* field number of the message in FtraceEvent */
    uint32_t tid;   /* who ran */
    uint32_t flags; /* common_flags */
    uint32_t bundle;
} pf_ftrace_event;

/* Events that can be read by themselves. */
typedef struct pf_event_group {
    const uint8_t *at;
    uint32_t first;            /* among those of the bundle */
    int64_t first_ts, last_ts; /* if there are events */
} pf_event_group;

#define PF_EVENT_GROUP 64u /* events, or a few more */

/* One bundle. The lists are used again for the next one. */
typedef struct pf_ftrace_bundle {
    pf_budget *budget;
    uint32_t cpu, clock; /* clock: ftrace_clock */
    bool has_cpu, lost_events, has_pair, has_start;
    int64_t pair_ftrace, pair_boot; /* one instant by the bundle's clock and by the boot clock, if has_pair */
    int64_t start;                  /* no event in front of it is missing, if has_start */
    pf_sched_list switches, wakings;
    pf_str *comm;
    uint32_t comm_count, comm_room;
    pf_ftrace_event *event;
    uint32_t event_count, event_room;
    pf_event_group *group;
    uint32_t groups, group_room;
    int64_t events_first, events_last; /* times, if there are events */
    bool events_ordered;
    uint32_t kept;             /* so many events at most are there, the others were only measured */
    uint32_t untimed, unnamed; /* events without a time, and without a message */
    bool has_descriptors;      /* of events that the kernel numbers on its own */
    int64_t shift;             /* what times of entries and events, */
    const uint32_t *ids;       /* and texts become, if it is not NULL */
    uint32_t id_count;
    uint32_t number; /* pf_ftrace_event.bundle */
    bool lent;       /* `event` is the caller's, with so much room */
    uint32_t beyond; /* bytes after its own that may be looked at */
} pf_ftrace_bundle;

/* A sched_switch among the events, as compact_sched says it; *comm: the text, instead of its index. */
enum { PF_FTRACE_SCHED_SWITCH = 4 };
pf_sched_entry pf_ftrace_switch_of(const pf_ftrace_event *e, pf_str *comm);

/* Its lists. MEASURED: it will do how many there are, their times and all else that has to be known to read them. */
enum {
    PF_BUNDLE_EVENTS = 1u << 0,
    PF_BUNDLE_SWITCHES = 1u << 1,
    PF_BUNDLE_WAKINGS = 1u << 2,
    PF_BUNDLE_ALL = 7,
    PF_BUNDLE_MEASURED = 1u << 3
};

/* Reads the bytes of a bundle into `b`, which begins as zeros and a budget: all of it but for lists that are not among
 * `lists`. Fails only where memory is refused. */
pf_status pf_ftrace_decode_lists(const uint8_t *bytes, size_t len, unsigned lists, pf_ftrace_bundle *b, pf_error *err);
static inline pf_status pf_ftrace_decode(const uint8_t *bytes, size_t len, pf_ftrace_bundle *b, pf_error *err)
{
    return pf_ftrace_decode_lists(bytes, len, PF_BUNDLE_ALL, b, err);
}

/* Reads the entries of a list of which it is known how many there are, that they are in order and not damaged; else
 * PF_ERR_INPUT. */
typedef struct pf_sched_into {
    pf_sched_entry *entry;
    uint32_t count;
    int64_t shift;       /* of their times */
    const uint32_t *ids; /* what texts become: those below id_count, also if the file has changed since */
    uint32_t id_count;
} pf_sched_into;
pf_status pf_ftrace_read_entries(const uint8_t *bytes, size_t len, unsigned list, const pf_sched_into *into,
                                 pf_ftrace_bundle *scratch);

/* The same with events, into those of the caller. */
typedef struct pf_events_into {
    pf_ftrace_event *event;
    uint32_t count, bundle;
    int64_t shift;
    uint32_t beyond; /* as in pf_ftrace_bundle */
} pf_events_into;
pf_status pf_ftrace_read_events(const uint8_t *bytes, size_t len, const pf_events_into *into,
                                pf_ftrace_bundle *scratch);
void pf_ftrace_bundle_free(pf_ftrace_bundle *b);

#endif
