/* read/chrome_json/apply/json_applier.h - the state of one input while its records become rows, what all parts of that
 * use, and the parts.
 *
 * The applier remembers the first error. Its functions that return a row, an id or memory give PF_NONE or NULL from
 * then on; those that return nothing do nothing.
 */
#pragma once

#include "base/buffer.h"
#include "model/trace/trace.h"
#include "read/support/dialect.h"
#include "json/scan/record_parts.h"

/* An async operation. */
typedef struct pf_json_operation {
    uint32_t track;
    int64_t named_at; /* time of the event that gave the name; INT64_MAX: none did */
} pf_json_operation;

typedef struct pf_json_applier {
    pf_trace *t;
    pf_error *err;
    pf_json_piece *piece; /* whose records are applied */
    unsigned decoder;
    const pf_dialect *dialect;    /* whose rules hold */
    bool recognise;               /* process names may give another one away: none was forced or recognised yet */
    const pf_dialect *recognised; /* set by the event that did */
    bool committed;   /* something was applied that another dialect would change: a time, or the rule of tid 0 */
    bool lasting;     /* arguments are added as they are: their bytes live as long as the trace, or are copied later */
    bool args_go;     /* not all arguments are kept: pf_early_args_leave */
    bool names_known; /* what metadata events say of processes and threads is in their rows */
    uint32_t global_instants; /* track, or PF_NONE */
    pf_map process_instants;  /* upid -> track */
    pf_map counters;          /* upid, name -> track */
    pf_strings keys;          /* composed keys -> their numbers: pf_json_key_number */
    pf_map operations;        /* key -> row of `async` */
    pf_map notes;             /* key -> track */
    struct {
        uint32_t count, room;
        pf_json_operation *list;
    } async;
    struct {
        uint64_t kind;  /* category and name of the first arrow; 0: none was met */
        uint64_t least; /* and its id */
    } arrows;
    pf_map sort_index[2]; /* upid, utid -> row of the hint's row argument */
    pf_map named;         /* json_names.c: kind and row -> row of `naming` */
    struct {
        uint32_t count, room;
        int64_t *ts; /* of the metadata event that counts so far */
    } naming;
    struct {
        pf_map sessions; /* key of process and id -> place in `times` */
        pf_map nodes;    /* session, id of a node -> 1 */
        uint32_t count, room;
        int64_t *times;   /* of the sample read last, in microseconds */
    } profiles;           /* json_profiles.c */
    uint64_t flow_base;   /* keeps the flow keys of this input apart from those of others */
    uint32_t first_stack; /* rows of this input: of the stacks, */
    uint32_t first_entry; /* and of the metadata */
    bool has_other_args;  /* an event has its args under another key */
    const uint8_t *end;   /* of the bytes that the piece lies in */
    pf_buffer note;       /* json_extras.c: the note of an event */
    char *scratch;
    size_t scratch_room;
} pf_json_applier;

/* `a` is zeroed memory; *err becomes the error that it remembers. */
pf_status pf_json_applier_init(pf_json_applier *a, pf_trace *t, bool recognise, pf_error *err);
void pf_json_applier_free(pf_json_applier *a);

/* The number of a composed key. Most inputs have none, and no table for them. */
uint32_t pf_json_key_number(pf_json_applier *a, const void *key, size_t len);

/* Scratch of at least `len` bytes; its content is lost. */
char *pf_json_scratch(pf_json_applier *a, size_t len);

/* The string id of a text; 0 for an absent or empty one. */
uint32_t pf_json_intern(pf_json_applier *a, const pf_json_text *text, uint64_t offset);
uint32_t pf_json_string(pf_json_applier *a, pf_str text);

void pf_json_put(pf_json_applier *a, pf_map *map, uint64_t key, uint32_t value);
uint32_t pf_json_track(pf_json_applier *a, const pf_track_row *row);
uint32_t pf_json_side_row(pf_json_applier *a, pf_side_id table);

/* ---- the parts, a file each; json_apply.c calls them in turn and is used by none --------------------------------- */

/* json_counter.c: the samples of a C event, the event row added last. */
void pf_json_apply_counter(pf_json_applier *a, const pf_json_record *r, uint32_t upid, uint32_t name);

/* json_names.c: what the metadata event `r` says about a process or thread: names, places in the order. */
void pf_json_apply_names(pf_json_applier *a, const pf_json_record *r, const pf_json_thread *who);

/* async_and_flows.c: sets the track of an async event (b, e, n); it stays as it is where the event lacks what it needs.
 */
void pf_json_async_track(pf_json_applier *a, const pf_json_record *r, uint32_t upid, pf_event *e);

/* async_and_flows.c: groups the async tracks; once, after the last event. */
void pf_json_group_async(pf_json_applier *a);

/* async_and_flows.c: the flow of an event s, t or f, and the one that bind_id gives a slice; the event row added last.
 */
void pf_json_apply_flow(pf_json_applier *a, const pf_json_record *r, const pf_event *e);
void pf_json_apply_bind(pf_json_applier *a, const pf_json_record *r);

/* async_and_flows.c: *track becomes a note of the ids as written, whose events count for the track that it was. */
void pf_json_note_ids(pf_json_applier *a, const pf_json_ids *ids, uint32_t *track);

/* json_identity.c: process, thread and thread track of the ids in an event at `offset`; fills ids->thread. */
void pf_json_find_thread(pf_json_applier *a, pf_json_ids *ids, uint64_t offset);

/* json_profiles.c: what a P event says about samples of V8's profiler: the bounds count them. */
void pf_json_apply_profile(pf_json_applier *a, const pf_json_record *r, uint32_t upid);

/* json_call_stacks.c: the stack of the event row added last. */
void pf_json_note_stack(pf_json_applier *a, const pf_json_record *r);

/* json_call_stacks.c: finds the frames of all stacks; once, after the last event and all other members of the
 * document. */
void pf_json_resolve_stacks(pf_json_applier *a);

/* A longer duration is no whole number of ns as a double. */
#define PF_JSON_DUR_EXACT (1ull << 53)

/* json_extras.c: notes the duration of a complete event as it is written (PF_WANT_WRITTEN_DUR), and where the event
 * lies, unless the row says it exactly. */
void pf_json_note_dur(pf_json_applier *a, const pf_json_record *r, const pf_event *e);

/* json_extras.c: notes what the event says beyond the row added last. */
void pf_json_note_origin(pf_json_applier *a, const pf_json_record *r, const pf_json_thread *who, const pf_event *e);

/* json_extras.c: an outer key and its value as they are written. */
void pf_json_keep_entry(pf_json_applier *a, const pf_json_text *key, const pf_json_text *value);

/* json_extras.c: how the record spells the ids of its process and thread, against their rows: ids->thread.odd. The
 * first event on a thread settles how its events spell the thread's. */
void pf_json_judge_spelling(pf_json_applier *a, const pf_json_record *r, pf_json_ids *ids);

/* Applies the records of a->piece from *next on. Where the name of a process gives a dialect away and a->recognise is
 * set, that record is not applied any more, and a->recognised is set instead. *next is the first one not applied. */
pf_status pf_json_apply(pf_json_applier *a, uint32_t *next);
