/* read/chrome_json/apply/json_apply.h - phase 2: records to rows of the trace. */
#ifndef PF_READ_CHROME_JSON_APPLY_JSON_APPLY_H
#define PF_READ_CHROME_JSON_APPLY_JSON_APPLY_H

#include "base/buffer.h"
#include "model/trace/trace.h"
#include "read/chrome_json/fast/json_record.h"
#include "read/dialect.h"

typedef struct pf_json_applier {
    pf_trace *t;
    pf_json_piece *piece; /* whose records are applied */
    unsigned decoder;
    const pf_dialect *dialect;    /* whose rules hold */
    bool recognise;               /* process names may give another one away: none was forced or recognised yet */
    const pf_dialect *recognised; /* set by the event that did */
    bool committed; /* something was applied that another dialect would change: a time, or the rule of tid 0 */
    bool stable;    /* the window's bytes live as long as the trace */
    uint32_t global_instants; /* track, or PF_NONE */
    pf_map process_instants;  /* upid -> track */
    pf_map counters;          /* upid, name -> track */
    pf_strings keys;          /* async_and_flows.c: composed keys -> their numbers */
    pf_map operations;        /* key -> row of `async` */
    pf_map notes;             /* key -> track */
    struct {
        uint32_t count, room;
        uint32_t *track;
        int64_t *named_at; /* time of the event that gave the name; INT64_MAX: none did */
        pf_columns columns;
    } async;
    struct {
        uint64_t kind;  /* category and name of the first arrow; 0: none was met */
        uint64_t least; /* and its id */
    } arrows;
    pf_map sort_index[2]; /* upid, utid -> row of the hint's row argument */
    pf_map told;          /* json_names.c: kind and row -> row of `telling` */
    struct {
        uint32_t count, room;
        int64_t *ts; /* of the metadata event that counts so far */
        pf_columns columns;
    } telling;
    uint64_t flow_base;   /* tells the flow keys of this input from those of others */
    uint32_t first_stack; /* rows of this input: of the stacks, */
    uint32_t first_entry; /* and of the metadata */
    bool has_attr;        /* an event has "attr" instead of args */
    const uint8_t *end;   /* of the bytes that the piece lies in */
    pf_buffer note;       /* json_extras.c: the note of an event */
    char *scratch;
    size_t scratch_cap;
} pf_json_applier;

/* `a` is zeroed memory. */
pf_status pf_json_applier_init(pf_json_applier *a, pf_trace *t, bool recognise, pf_error *err);
void pf_json_applier_free(pf_json_applier *a);

/* Applies the records of a->piece from *next on. Where the name of a process gives a dialect away and a->recognise is
 * set, that record is not applied any more, and a->recognised is set instead. *next is the first one not applied. */
pf_status pf_json_apply(pf_json_applier *a, uint32_t *next, pf_error *err);

/* Adds phase 1's counts to the trace's. */
void pf_json_merge_faults(pf_trace *t, const pf_json_faults *f);

/* Scratch of at least `len` bytes (its content is lost), NULL if refused. */
char *pf_json_scratch(pf_json_applier *a, size_t len, pf_error *err);

/* The string id of a text (0 for an absent or empty one), PF_NONE if refused. */
uint32_t pf_json_intern(pf_json_applier *a, const pf_json_text *text, uint64_t offset, pf_error *err);

/* What the parts of a record refer to; rare members are absent where the record has none. */
pf_str pf_json_name_of(const pf_json_piece *piece, const pf_json_record *r);
const pf_json_rare *pf_json_rare_of(const pf_json_piece *piece, const pf_json_record *r); /* all but the id */
pf_json_id pf_json_id_of(const pf_json_piece *piece, const pf_json_record *r);

static inline pf_json_text pf_json_args_of(const pf_json_piece *piece, const pf_json_record *r)
{
    return (pf_json_text){r->args_len ? piece->base + r->args : NULL, r->args_len, false};
}

#define PF_JSON_ARROWS_NUMBERED (1u << 30)

/* async_and_flows.c: the number of an arrow of the first one's kind, by the distance of their ids. */
static inline uint64_t pf_json_arrow_number(uint64_t distance)
{
    return 2 * distance + 1;
}

static inline pf_flow_kind pf_json_arrow_kind(const pf_json_record *r)
{
    return r->phase == 's'                     ? PF_FLOW_START
           : r->phase == 't'                   ? PF_FLOW_STEP
           : r->flags & PF_JSON_BIND_ENCLOSING ? PF_FLOW_END
                                               : PF_FLOW_END_NEXT;
}

/* json_counter.c: the samples of a C event, the event row added last. */
pf_status pf_json_apply_counter(pf_json_applier *a, const pf_json_record *r, uint32_t upid, uint32_t name,
                                pf_error *err);

/* json_names.c: what the metadata event `r` says about a process or thread: names, places in the order. */
pf_status pf_json_apply_names(pf_json_applier *a, const pf_json_record *r, const pf_json_thread *who, pf_error *err);

/* async_and_flows.c: sets the track of an async event (b, e, n); it stays as it is where the event lacks what it needs.
 */
pf_status pf_json_async_track(pf_json_applier *a, const pf_json_record *r, uint32_t upid, pf_event *e, pf_error *err);

/* async_and_flows.c: groups the async tracks; once, after the last event. */
pf_status pf_json_group_async(pf_json_applier *a, pf_error *err);

/* async_and_flows.c: the flow of an event s, t or f, and the one that bind_id gives a slice; the event row added last.
 */
pf_status pf_json_apply_flow(pf_json_applier *a, const pf_json_record *r, const pf_event *e, pf_error *err);
pf_status pf_json_apply_bind(pf_json_applier *a, const pf_json_record *r, pf_error *err);

/* async_and_flows.c: *track becomes a note of the ids as written, whose events count for the track that it was. */
pf_status pf_json_note_ids(pf_json_applier *a, const pf_json_ids *ids, uint32_t *track, pf_error *err);

/* json_identity.c: process, thread and thread track of the ids in an event at `offset`; fills ids->thread. */
pf_status pf_json_find_thread(pf_json_applier *a, pf_json_ids *ids, uint64_t offset, pf_error *err);
void pf_json_settle_digits(pf_json_id *id); /* an id as written becomes an integer */

/* The next member of an event at *at, which is moved after it; false at the end of the object. */
typedef struct pf_json_member {
    pf_str key, value; /* the key between its quotes, the value as written */
} pf_json_member;
bool pf_json_next_member(const uint8_t **at, const uint8_t *end, pf_json_member *m);

/* json_call_stacks.c: the stack of the event row added last. */
pf_status pf_json_note_stack(pf_json_applier *a, const pf_json_record *r, pf_error *err);

/* json_call_stacks.c: finds the frames of all stacks; once, after the last event and all other members of the
 * document. */
pf_status pf_json_resolve_stacks(pf_json_applier *a, pf_error *err);

/* json_extras.c: what the event says beyond the row added last. */
pf_status pf_json_note_origin(pf_json_applier *a, const pf_json_record *r, const pf_json_thread *who, const pf_event *e,
                              pf_error *err);

/* json_extras.c: an outer key and its value as they are written. */
pf_status pf_json_keep_entry(pf_json_applier *a, const pf_json_text *key, const pf_json_text *value, pf_error *err);

/* json_extras.c: how the record spells the ids of its process and thread, against their rows: ids->thread.odd. The
 * first event on a thread settles how its events spell the thread's. */
pf_status pf_json_judge_spelling(pf_json_applier *a, const pf_json_record *r, pf_json_ids *ids, pf_error *err);

#endif
