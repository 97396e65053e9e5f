/* write/perfetto/write_notes.h - what a conversion of Chrome JSON leaves next to its packets, so that the JSON can be
 * had back (model/trace/json_notes.h). Without PF_WANT_ORIGINS nothing is known of it, and nothing is left. */
#pragma once

#include "write/chrome/chrome_event.h"
#include "write/perfetto/packet_writer.h"
#include "write/perfetto/write_identity.h"

/* What stands besides the events is compressed from so many bytes on; less stays readable with protobuf's tools. */
#define PF_BUNDLE_LEAST 1024u

/* The longest note that may hold for several samples. */
#define PF_HABIT_MAX 31

typedef struct pf_habit {
    uint8_t len;
    uint8_t bytes[PF_HABIT_MAX];
} pf_habit;

typedef struct pf_notes {
    const pf_trace *t;
    const pf_identity *who;
    pf_packets *packets;
    bool wanted;               /* otherwise the functions below do nothing */
    bool single;               /* one input: the ids of flows are those of its events */
    bool cycles;               /* JSON of AI Engines */
    bool placed;               /* notes say where events stood in the document: */
    bool by_track;             /* all of them, as packets are written in another order; else those without packets */
    pf_chrome text;            /* writes events as JSON */
    uint8_t *sampled;          /* JSON: event row has samples */
    pf_habit *habit;           /* by track: the last note of its samples */
    const uint32_t *share;     /* by counter track: string id of the event's name in front of the counter's */
    uint32_t sample_of, first; /* the event whose samples were read last, its first one */
    bool plain;                /* they give the event back, */
    uint64_t reals;            /* these of them as reals: bits by sample */
    pf_buffer left;            /* packets of nothing but notes */
} pf_notes;

/* How the packet of an event differs from its row. */
typedef struct pf_packet_form {
    uint32_t name, category; /* string ids */
    bool changed;            /* the packet would come back as another phase */
    bool args_differ, clock_differs, length_differs, time_differs;
} pf_packet_form;

/* share: pf_track_writer.share; must outlive the notes. */
pf_status pf_notes_init(pf_notes *n, const pf_identity *who, pf_packets *packets, const uint32_t *share, pf_error *err);
void pf_notes_free(pf_notes *n);

/* The note of event `row`, for the packet that is being written. */
void pf_notes_event(pf_notes *n, uint32_t row, const pf_packet_form *form);

/* For an end with a name that only says how long a complete event was. */
void pf_notes_completes(pf_notes *n);

/* For a packet that says nothing in JSON. */
void pf_notes_hide(pf_notes *n);

/* The note of the descriptor that a metadata event becomes. The event itself is left as by pf_notes_leave. */
pf_str pf_notes_named(pf_notes *n, uint32_t row);

/* A packet of its own for an event that has none, unless its samples tell it. */
void pf_notes_leave(pf_notes *n, uint32_t row);

/* The note of sample i of table counter, for the packet that comes next. */
void pf_notes_sample(pf_notes *n, uint32_t i);

/* The number of a flow of phase s, t or f as its event spells it. */
uint64_t pf_notes_flow_id(const pf_notes *n, uint32_t row, uint64_t otherwise);

/* Packets for what the model has left over. */
void pf_notes_document(pf_notes *n);

/* Passes on what was left. Before the packets are finished. */
void pf_notes_end(pf_notes *n);
