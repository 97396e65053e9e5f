/* json/document/tokenize.h - phase 1: the document, window by window, to pieces of records. */
#pragma once

#include "json/scan/json_event.h"

typedef enum pf_json_state {
    PF_JSON_AT_START = 0,
    PF_JSON_AT_KEY,        /* in the outer object, before a key or its end */
    PF_JSON_IN_VALUE,      /* passing over the value of an outer key */
    PF_JSON_IN_EVENTS,     /* in the array of events */
    PF_JSON_IN_ELEMENT,    /* passing over an element that is no object */
    PF_JSON_AFTER_ELEMENT, /* after such an element */
    PF_JSON_LOST,          /* after damage, looking for the next event */
    PF_JSON_AFTER,         /* after the document */
    PF_JSON_AT_END
} pf_json_state;

typedef struct pf_json_tokenizer {
    pf_json_rules rules;
    const pf_json_kernel *kernel;
    pf_json_state state;
    bool object_form;
    bool has_keys;          /* the outer object is not empty */
    bool has_events;        /* an array of events was found */
    bool comma_due;         /* an element was just read: one comma may follow */
    bool truncated;         /* the input ends in the middle, and that was counted */
    uint8_t before;         /* LOST: the last byte passed that is no blank */
    bool line_start;        /* LOST: only blanks since the last line feed */
    uint32_t nested;        /* lists begun inside the list of events */
    uint32_t entries;       /* outer keys taken so far */
    uint64_t damage;        /* LOST: offset of the byte that could not follow */
    uint64_t vain;          /* bytes read for events that had no end */
    pf_json_text entry_key; /* the outer key just taken, between its quotes, */
    pf_json_text entry;     /* and its value as written */
    pf_json_scan scan;
} pf_json_tokenizer;

typedef enum pf_json_step {
    PF_JSON_STEP_ON, /* of a step alone */
    PF_JSON_STEP_FULL,
    PF_JSON_STEP_ENTRY, /* `entry_key` and `entry` are set; their bytes lie in the window */
    PF_JSON_STEP_MORE,  /* the window is used up */
    PF_JSON_STEP_FINISHED
} pf_json_step;

/* How long an event that begins at a plain offset may be. More further on, less once something was read in vain. */
uint64_t pf_json_longest_event(const pf_json_tokenizer *t, uint64_t offset);

/* Goes on at w->data + *pos and fills the piece from its start, without beginning an event at or after w->data + limit
 * (*pos < limit). MORE: give up the first *pos bytes and ask for more. A window that is the last one ends with
 * FINISHED, an incomplete rest counted as truncated. */
pf_json_step pf_json_tokenize(pf_json_tokenizer *t, const pf_window *w, size_t *pos, size_t limit,
                              pf_json_piece *piece);

/* ---- where the tokenizer stands in a window; what its parts share (tokenize.c, document_scan.c, resync.c) -----------
 */

typedef struct pf_json_cursor {
    pf_json_tokenizer *t;
    const pf_window *w;
    const uint8_t *p, *end, *limit;
    pf_json_piece *piece;
} pf_json_cursor;

static inline uint64_t pf_json_offset_of(const pf_json_cursor *c, const uint8_t *p)
{
    return c->w->offset + (uint64_t)(p - c->w->data);
}

static inline void pf_json_note_fault(pf_json_cursor *c, pf_stat_id id, const uint8_t *p)
{
    pf_json_fault(&c->piece->faults, id, pf_json_offset_of(c, p));
}

/* No event is begun at or after the limit, or without room for it. */
static inline bool pf_json_is_full(const pf_json_cursor *c)
{
    return c->p >= c->limit || c->piece->count == PF_JSON_RECORDS;
}

/* Whether what begins at `from` is longer than anything that is waited for. */
static inline bool pf_json_is_too_long(const pf_json_cursor *c, const uint8_t *from)
{
    return (uint64_t)(c->end - from) > c->t->rules.longest;
}

/* resync.c: the same for something begun at `from` in which `at` cannot follow: the search goes over it once more. */
void pf_json_get_lost(pf_json_cursor *c, const uint8_t *from, const uint8_t *at);

/* resync.c: how far an event begun at c->p may reach. */
const uint8_t *pf_json_patience_end(const pf_json_cursor *c);

/* resync.c: the key of the events with its quotes, NULL if it is not there. */
#define PF_JSON_EVENTS_KEY "\"traceEvents\""
const uint8_t *pf_json_find_events_key(const uint8_t *p, const uint8_t *end);

/* resync.c: whether the object at c->p, of which [c->p, end) was read, is no event but another document. If so it is
 * entered. */
bool pf_json_is_document(pf_json_cursor *c, const uint8_t *end);

/* resync.c: the step that looks for the next event. */
pf_json_step pf_json_search(pf_json_cursor *c);

/* document_scan.c: the steps at the start of a document, before a key of the outer object, in a value that nobody
 * needs, and after a document. */
pf_json_step pf_json_at_start(pf_json_cursor *c);
pf_json_step pf_json_at_key(pf_json_cursor *c);
pf_json_step pf_json_in_value(pf_json_cursor *c);
pf_json_step pf_json_after(pf_json_cursor *c);
