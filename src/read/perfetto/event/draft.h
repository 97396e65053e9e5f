/* read/perfetto/event/draft.h - a TrackEvent on its way to its row, between the files that read parts of it.
 *
 * packet_event.c leads: it makes the draft, has its parts read in order, and appends the row. What is only known from
 * the row on (flows, thread clocks) is attached after it.
 */
#pragma once

#include "perfetto/decode/packet.h"
#include "perfetto/fields.h"
#include "read/perfetto/import/import.h"

#define PF_EXTRA_VALUES_MAX 8

/* Values of other counters that an event carries. */
typedef struct pf_extras {
    double value[PF_EXTRA_VALUES_MAX];
    uint32_t state[PF_EXTRA_VALUES_MAX]; /* of the counter's uuid */
    uint32_t count;
} pf_extras;

typedef struct pf_draft {
    pf_import *im;
    const pf_record *r;
    pf_sequence *q;
    pf_moment at;
    const pf_legacy *legacy; /* all zero if the event has none */
    pf_extras *extra;        /* NULL if the event has none */
    pf_event row;
    uint32_t state;       /* of the track uuid, or PF_NONE */
    uint32_t upid, utid;  /* what the track belongs to, as far as descriptors say so far; or PF_NONE */
    bool scope_known;     /* they will not say more */
    bool uncategorized;   /* none of several categories is known yet */
    uint32_t passed_utid; /* the thread that the event came from where its track is not that thread's, or PF_NONE */
    bool has_value;       /* a counter's */
    double value;
    pf_thread_time thread; /* ts and instruction_count; INT64_MIN where absent */
} pf_draft;

static inline void pf_draft_count(const pf_draft *d, pf_stat_id id)
{
    pf_import_count(d->im, d->r, id);
}

/* packet_event.c: keeps the bytes of the row added last for its arguments, after the thread it came from, if that is
 * one of them (PF_NONE: it is not). */
pf_status pf_event_keep_args(pf_import *im, uint32_t event, const pf_record *r, pf_sequence *q, uint32_t passed_utid);

/* ---- legacy.c ---------------------------------------------------------------------------------------------------- */

/* Settles phase, duration and track of an event with a legacy phase; its name and categories were read. *ok is false
 * if it lacks what the phase needs. */
pf_status pf_legacy_place(pf_draft *d, bool *ok);

/* thread_name and process_name of phase M. */
pf_status pf_legacy_metadata(pf_draft *d);

/* ---- counter_values.c -------------------------------------------------------------------------------------------- */

/* Thread time and instruction count of the legacy fields. *dropped: they count from a reference that is not valid. */
void pf_values_read_clocks(pf_draft *d, bool *dropped);
/* A value that was written in multiples of the counter's unit. */
static inline double pf_values_in_units(const pf_uuid_track *counter, double raw)
{
    return counter->unit_multiplier > 0 ? raw * (double)counter->unit_multiplier : raw;
}

/* A raw value as the counter's descriptor wants it, summed up if that is incremental. `state` is that of its uuid. */
pf_status pf_values_scale(pf_import *im, pf_sequence *q, uint32_t state, double raw, double *value);
/* The value of a counter event. *dropped: it has none, or no counter track. */
pf_status pf_values_read_counter(pf_draft *d, bool *dropped);
/* Extra values, and the tracks they belong to, into d->extra. *dropped: there is something wrong with them. */
pf_status pf_values_read_extras(pf_draft *d, bool *dropped);
/* Samples of the extra values and of the thread's legacy clocks; the row's time is settled. */
pf_status pf_values_add_samples(pf_draft *d);
/* The sample of a counter event. */
pf_status pf_values_add_sample(pf_draft *d, uint32_t track, double value, uint32_t event);
/* Thread clocks of the slice, at least one of which is known; the row was added. */
pf_status pf_values_add_thread_time(pf_draft *d);

/* ---- flow_ids.c -------------------------------------------------------------------------------------------------- */

/* The flows of the event; the row was added. */
pf_status pf_arrows_add(pf_draft *d);
/* Only those of its flow id fields and its GPU work. */
pf_status pf_arrows_add_ids(pf_import *im, uint32_t event, const pf_record *r);

/* ---- packet_event.c ---------------------------------------------------------------------------------------------- */

/* TrackEvents. */

/* packet_event.c: a TrackEvent at that time. */
pf_status pf_import_event(pf_import *im, const pf_record *r, pf_sequence *q, const pf_moment *at);

/* packet_event.c: after the last packet, looks the unresolved ids up once more; counts those that stay unknown. */
pf_status pf_import_settle_names(pf_import *im);

/* legacy.c: groups the tracks of asynchronous operations; once, after the last event. */
pf_status pf_import_group_operations(pf_import *im);

/* legacy.c: all descriptors are known: events that stand on no thread's track, but would have to, vanish. */
void pf_import_settle_waiting(pf_import *im);

/* logs_and_stacks.c: log messages and call stacks of events; once, when all events are in place. */
pf_status pf_import_logs_and_stacks(pf_import *im);

/* packet_call_stacks.c: call stacks of events, as rows of the side tables. */
typedef struct pf_stacks {
    pf_import *im;
    pf_map rows;      /* frames and mappings by their number in im->legacy.keys */
    pf_map callsites; /* by parent and frame */
} pf_stacks;

void pf_stacks_init(pf_stacks *s, pf_import *im);
void pf_stacks_free(pf_stacks *s);

/* Adds the call stack of a TrackEvent, if it has one that is known; g is what its ids mean. */
pf_status pf_stacks_take(pf_stacks *s, uint32_t event, const uint8_t *bytes, size_t len, const pf_generation *g);
