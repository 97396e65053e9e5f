/* model/build/builder.h - a builder as its own files see it (the public view is postfetto/build.h).
 *
 * What is said about the event added last is gathered in `next` and only then added to the trace, when the next event
 * begins: the trace's tables of arguments, flows and notes are in the order of the events, and whether events come in
 * order of time is noted as they are added.
 */
#pragma once

#include "base/buffer.h"
#include "model/trace/trace.h"
#include "postfetto/build.h"

/* String ids of texts added lately, found by where they lie: a program repeats a few names and keys a million times. */
#define PF_BUILD_CACHE 256u

typedef struct pf_build_cache {
    const char *ptr[PF_BUILD_CACHE];
    uint32_t id[PF_BUILD_CACHE];
} pf_build_cache;

/* The event added last. */
typedef struct pf_build_next {
    bool any;
    pf_event event;
    uint32_t copied;   /* row of the source, or PF_NONE */
    uint32_t counter;  /* track for its samples, or PF_NONE: as in the source */
    uint32_t changed;  /* 1 << pf_member for each member that differs from the source */
    bool args_changed; /* `args` holds all there is */
    bool drops_flows;
    uint32_t depth, keys; /* of the arguments added */
} pf_build_next;

/* Where rows of the source's sparse tables were found last, one hint per table. */
typedef struct pf_build_hints {
    uint32_t args, flows, times, origins, offsets, stacks, samples;
} pf_build_hints;

struct pf_builder {
    pf_trace *t;            /* NULL: finished */
    const pf_trace *source; /* or NULL */
    pf_error error;         /* error.code != PF_OK: failed for good */
    pf_build_next next;
    pf_buffer args;  /* of the event added last, see build_args.c */
    pf_buffer flows; /* of the same: pf_build_flow_ref */
    pf_buffer text;  /* a key with its prefix */
    pf_build_cache names, keys;
    unsigned decoder;
    pf_build_hints hints;
    uint32_t *samples; /* samples of the source that belong to events, in the order of the events */
    uint32_t *sample_event;
    uint32_t sample_count;
    pf_map ordered; /* tracks that say how their children are ordered */
    pf_map named;   /* processes (2 * upid) and threads (2 * utid + 1) that were given a name */
};

typedef struct pf_build_flow_ref {
    uint64_t id;
    pf_flow_kind kind;
} pf_build_flow_ref;

/* Whether something can still be added. */
static inline bool pf_builder_open(const pf_builder *b)
{
    return b->t && b->error.code == PF_OK;
}

/* Notes a failure whose text is in b->error already, or a wrong call. */
void pf_builder_fail(pf_builder *b, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* build_texts.c: string ids; PF_NONE after a failure, 0 for {NULL, 0}. A key of the first level gets its prefix. */
uint32_t pf_builder_name(pf_builder *b, pf_str text);
uint32_t pf_builder_first_key(pf_builder *b, pf_str key);

/* build_events.c: adds the event added last to the trace, if there is one. */
void pf_builder_commit(pf_builder *b);

/* build_events.c: the row of an event that is begun, or PF_NONE. */
uint32_t pf_builder_begin(pf_builder *b, const pf_event *e);

/* build_rows.c: adds the events that name processes and threads. Names in tables are enough for most purposes, but
 * whoever writes Chrome JSON looks for these, and who has one is there even if nothing happens in it. */
void pf_builder_tell_names(pf_builder *b);

/* build_args.c: decodes what builders write. */
pf_status pf_build_decode_args(const pf_trace *t, const uint8_t *bytes, size_t len, uint32_t context,
                               const pf_arg_visitor *v, pf_error *err);

/* build_args.c: the event added to the trace last has the arguments in row `index` of the source's table. */
pf_status pf_builder_name_args(pf_builder *b, uint32_t index);

/* build_args.c: what the decoder will read in the source comes into the cache. */
void pf_build_fetch_args(const pf_trace *t, const uint8_t *bytes, size_t len);

/* derive.c: what a copied event has besides its row. */
void pf_builder_copy_rest(pf_builder *b, uint32_t row, const pf_event *as);

/* derive.c: fills a fresh trace with what the source says besides its events. */
pf_status pf_builder_share(pf_builder *b, pf_error *err);

/* copied_notes.c: what the event said in Chrome JSON, without the members that were changed. */
pf_status pf_builder_copy_note(pf_builder *b, pf_str note, uint32_t changed);
