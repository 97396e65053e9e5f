/* read/chrome_json/apply/json_parts.h - what the parts of applying do for an event, a file each. json_apply.c calls
 * them in turn; they use json_applier.h, and never json_apply.c.
 */
#ifndef PF_READ_CHROME_JSON_APPLY_JSON_PARTS_H
#define PF_READ_CHROME_JSON_APPLY_JSON_PARTS_H

#include "read/chrome_json/apply/json_applier.h"

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
void pf_json_settle_digits(pf_json_id *id); /* an id as written becomes an integer */

/* The next member of an event at *at, which is moved after it; false at the end of the object. */
typedef struct pf_json_member {
    pf_str key, value; /* the key between its quotes, the value as written */
} pf_json_member;
bool pf_json_next_member(const uint8_t **at, const uint8_t *end, pf_json_member *m);

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

#endif
