/* read/chrome_json/document/json_cursor.h - where the tokenizer stands in a window; what its parts share (tokenize.c,
 * document_scan.c, resync.c). */
#ifndef PF_READ_CHROME_JSON_DOCUMENT_JSON_CURSOR_H
#define PF_READ_CHROME_JSON_DOCUMENT_JSON_CURSOR_H

#include "read/chrome_json/document/tokenize.h"

typedef struct pf_json_cursor {
    pf_json_tokenizer *t;
    const pf_window *w;
    const uint8_t *p, *end, *limit;
    pf_json_piece *piece;
} pf_json_cursor;

/* What a step says: go on, leave with a result, or wait for more bytes. */
typedef enum pf_json_step { PF_JSON_STEP_ON, PF_JSON_STEP_MORE, PF_JSON_STEP_FULL, PF_JSON_STEP_ENTRY } pf_json_step;

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

/* resync.c: enters the search at `at`; what lies between `from` and it was read in vain. Where both are equal, an event
 * may stand right there. */
void pf_json_search_at(pf_json_cursor *c, const uint8_t *from, const uint8_t *at);

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

#endif
