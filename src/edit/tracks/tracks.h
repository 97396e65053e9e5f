/* edit/tracks/tracks.h - the tracks of an input: what descriptors say of them, what is open on them.
 *
 * Descriptors are kept as bytes, each text once, and written when the first packet that refers to their track is, its
 * parents and its process first; one that comes later in the input is written at once where its track was referred to.
 * They go to a sequence of their own, so that they change nothing on the sequences of the input.
 *
 * What is open on a track is a chain of slices, the innermost first, each with the bytes of the packet that began it
 * and the epoch in which those mean something.
 */
#pragma once

#include "edit/state/flow_links.h"
#include "edit/state/out_state.h"

/* The sequence of descriptors. An input that has it already, but not from here, is refused. */
#define PF_EDIT_SEQUENCE 0x7e637574u

enum { PF_TRACK_KEPT = 1, PF_TRACK_DROPPED = 2 };

/* Begins and ends are paired as they come; this pass lists them; an earlier one paired them (edit/tracks/slice_ends.h).
 */
enum { PF_PAIRING_AS_THEY_COME, PF_PAIRING_LISTS, PF_PAIRING_KNOWN };

#define PF_STILL_OPEN INT64_MAX

/* A packet that is written again where a window begins. */
typedef struct pf_kept_packet {
    struct pf_kept_packet *below; /* on the stack of its track */
    pf_epoch *epoch;
    int64_t ts, end; /* end: PF_STILL_OPEN, or known before it came */
    int64_t soonest; /* no known end of it or of what is below is before; INT64_MAX: none is known */
    uint64_t number;
    pf_flow_use flow;
    const uint8_t *bytes; /* of the whole content; in `own` where the input may be gone by then */
    uint32_t len, sequence;
    uint32_t own_len;
    uint32_t home;  /* as that of its track, for this event; PF_NONE: none */
    uint8_t action; /* 'B'; 'X': it is complete; 'A': asynchronous, of the legacy kind */
    bool left_out;  /* a filter dropped it */
    bool paired;    /* its end is known, and written for itself */
    uint8_t own[];
} pf_kept_packet;

typedef struct pf_edit_track {
    uint64_t uuid, parent;
    uint32_t home; /* of an operation: the track that its events name; else PF_NONE */
    uint32_t machine;
    bool described, counter, incremental;
    bool unnamed; /* it has no uuid: the thread of a sequence, or nothing that is known */
    bool has_process, has_thread;
    bool named, used;     /* by a descriptor; by an event of its own or of a track below it */
    bool has_events;      /* of its own */
    pf_blob *first;       /* name of the first event that used it, where it has one */
    pf_blob *thread;      /* the last name that a sequence gave its thread; NULL: none */
    bool called, renamed; /* a sequence said who the thread is; not always by the same name */
    int64_t pid, tid;
    pf_blob **descriptor;
    uint32_t descriptors, descriptor_room;
    pf_kept_packet *top;  /* open slices */
    pf_kept_packet *last; /* state that it shows */
    struct pf_last_value {
        bool any, real;
        uint32_t sequence;
        int64_t ts;
        double value; /* with all that was added up */
    } value;          /* of a counter */
    int64_t begun;    /* time of the one that was the last before the window that began last; INT64_MIN: none */
    struct pf_start_value {
        struct pf_last_value value;
        uint32_t window;
        struct pf_start_value *before;
    } * starts; /* of a counter whose values are not in the order of time: the last one up to each window's start, where
                 * that is not the one of the window before; the last window's first */
    uint32_t window; /* windows before this one have begun on it */
    struct pf_zone {
        int64_t from, to;
        int64_t reach;   /* slices that began from there on overlap no window before */
        uint32_t window; /* PF_NONE: between windows */
    } zone;              /* cut_rows.c: from <= ts < to are all in one window, or in none */
    int64_t floor;       /* of the zone and of rows of the stretch: none of them, and no slice on the stack, is later;
                          * INT64_MAX: not known */
    uint32_t row;        /* its innermost open slice: 1 + row of the stretch; 0: none */
    struct pf_edit_track *next; /* with rows of the stretch */
    uint8_t choice;             /* of a selection: 0 not made yet, PF_TRACK_KEPT, PF_TRACK_DROPPED */
    int64_t covered;            /* complete slices after the windows end up to then */
    int64_t earliest, latest;   /* of its begins and ends so far */
    uint8_t pairing;            /* PF_PAIRING_* */
    bool late;                  /* one of them was earlier than one before it, */
    bool clipped;               /* an edge of a window is concerned */
} pf_edit_track;

/* Of a process or thread: the track that describes it, and the one that did so first. */
typedef struct pf_edit_process {
    uint32_t track, first;
} pf_edit_process;

/* No known end of a slice on the stack is before. */
static inline int64_t pf_track_soonest(const pf_edit_track *k)
{
    return k->top ? k->top->soonest : INT64_MAX;
}

typedef struct pf_edit_tracks {
    pf_budget *budget;
    pf_edit_track *list;
    uint32_t count, room;
    pf_map by_uuid;
    pf_edit_process *processes;
    uint32_t process_count, process_room;
    pf_map by_pid;           /* and by the key of a thread */
    pf_map texts;            /* hash of a descriptor -> its place in the list of its track, where that is long */
    const pf_map *unordered; /* keys of tracks whose ends are not paired as they come; NULL: of none */
    uint8_t pairing;         /* of these */
    pf_kept_packet *spare;   /* without bytes of their own */
} pf_edit_tracks;

/* What an output has said of tracks. */
typedef struct pf_tracks_said {
    struct pf_track_said {
        uint32_t descriptors;
        bool wanted, called;
    } * list;
    uint32_t count, room;
    bool *wanted_processes;
    uint32_t processes, process_room;
    uint64_t packets; /* on the sequence of descriptors */
    uint64_t from;    /* when the output begins, and in which clock; 0: the one of packets that name none */
    uint32_t clock;
} pf_tracks_said;

void pf_tracks_init(pf_edit_tracks *t, pf_budget *budget);
void pf_tracks_free(pf_edit_tracks *t);
void pf_tracks_said_free(pf_tracks_said *s, pf_budget *budget);

/* The track's index. */
pf_status pf_tracks_find(pf_edit_tracks *t, uint32_t machine, uint64_t uuid, uint32_t *index, pf_error *err);

/* What knows a track from others, in all passes. */
uint64_t pf_track_key(const pf_edit_track *k);

/* The key of a thread's track that has no uuid. */
uint64_t pf_tracks_thread_key(int64_t pid, int64_t tid);

/* Takes a track descriptor. *fresh: it says something new, and that of track *index. */
pf_status pf_tracks_describe(pf_edit_tracks *t, uint32_t machine, const pf_field *descriptor, uint32_t *index,
                             bool *fresh, pf_error *err);

/* A sequence says whose events it has (ThreadDescriptor): a thread of that machine, whose track is *index. */
pf_status pf_tracks_call_thread(pf_edit_tracks *t, uint32_t machine, const pf_field *said, uint32_t *index,
                                pf_error *err);

/* Says how a thread was named last, where sequences did not agree and the output has something on it. */
pf_status pf_tracks_say_thread(const pf_edit_tracks *t, pf_tracks_said *said, pf_out *o, uint32_t index, pf_error *err);

/* The first event that is on the track has that name (ptr NULL: none): nameless tracks are called after the first one
 * that is on them or below them, so descriptors that are said have that name. */
pf_status pf_tracks_use(pf_edit_tracks *t, uint32_t index, pf_str name, pf_error *err);

/* Says what is known of a track and was not said; from now on it is wanted. */
pf_status pf_tracks_say(pf_edit_tracks *t, pf_tracks_said *said, pf_out *o, uint32_t index, pf_error *err);

/* A descriptor is new: says it where its track, or its process, is wanted. */
pf_status pf_tracks_say_late(pf_edit_tracks *t, pf_tracks_said *said, pf_out *o, uint32_t index, pf_error *err);

/* Whether events on a track are refused: one above it is neither described nor has events so far. That a descriptor
 * does not come is known after a pass: `lacking` has their keys then. */
bool pf_tracks_refuse(const pf_edit_tracks *t, const pf_map *lacking, uint32_t index);

/* After the last packet: adds the keys of such tracks to `lacking`. */
pf_status pf_tracks_find_lacking(const pf_edit_tracks *t, pf_map *lacking, pf_error *err);

/* After the last packet: describes the tracks that have events but no descriptor in the input, and names threads. */
pf_status pf_tracks_say_rest(const pf_edit_tracks *t, pf_tracks_said *said, pf_out *o, pf_error *err);

/* A packet of that number and content, to be kept; stable: as PF_PACKET_STABLE. NULL if memory was refused. */
pf_kept_packet *pf_kept_new(pf_edit_tracks *t, uint64_t number, pf_bytes content, bool stable, uint32_t sequence,
                            pf_epoch *epoch, int64_t ts);
void pf_kept_drop(pf_edit_tracks *t, pf_kept_packet *k); /* NULL is nothing */
