/* edit/json/json_walk.h - one pass over a JSON document: its events, and its other members, in their order.
 *
 * The way from bytes to events is the reader's own (json/document): the same events are found, the same faults are
 * counted, and after damage it goes on at the same place.
 */
#pragma once

#include "postfetto/read.h"
#include "json/scan/record_parts.h"

/* An event, as long as its visit lasts. */
typedef struct pf_json_seen {
    pf_json_piece *piece;
    const pf_json_record *r;
    const uint8_t *bytes, *limit; /* its opening brace; the end of the bytes at hand, further on */
    bool stable;                  /* the bytes live as long as the trace of the walk */
    bool cycles;                  /* times are whole numbers (dialect aie), and ids mean what is written */
} pf_json_seen;

typedef struct pf_json_visitor {
    void *ctx;
    pf_status (*event)(void *ctx, const pf_json_seen *e, pf_error *err);
    /* A member next to the events: the key between its quotes and the value as written. May be NULL. */
    pf_status (*entry)(void *ctx, pf_str key, pf_str value, pf_error *err);
    bool counts; /* faults are added to those of the trace: once for a document */
} pf_json_visitor;

/* Where the bytes come from: a file, which is read anew for each walk, or what a reading has as a whole. */
typedef struct pf_json_source {
    const char *path;
    const pf_read_options *read;
    pf_reading *reading; /* NULL: the file is read */
    pf_bytes whole;
} pf_json_source;

/* What a walk knows of its document, during the visits too. */
typedef struct pf_json_document {
    pf_trace *trace;  /* without events: faults and sizes */
    bool owned;       /* the trace was made by the walk */
    bool object;      /* members around the events, else a list of them */
    bool events;      /* the list of events was reached */
    uint64_t visited; /* events */
} pf_json_document;

/* Visits a document. Errors: those of pf_read and of the visits. */
pf_status pf_json_walk(const pf_json_source *from, const pf_json_visitor *v, pf_json_document *d, pf_error *err);
void pf_json_document_end(pf_json_document *d); /* bytes of stable events are no more */

/* The bytes of the event up to its closing brace. */
pf_bytes pf_json_event_bytes(const pf_json_seen *e);

/* The key under which some tools have an event's arguments instead of "args". */
#define PF_JSON_OTHER_ARGS_KEY "attr"
