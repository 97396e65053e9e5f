/* read/chrome_json/document/tokenize.h - phase 1: the document, window by window, to pieces of records. */
#ifndef PF_READ_CHROME_JSON_DOCUMENT_TOKENIZE_H
#define PF_READ_CHROME_JSON_DOCUMENT_TOKENIZE_H

#include "read/chrome_json/scan/json_event.h"

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

typedef enum pf_json_progress {
    PF_JSON_PIECE_FULL,
    PF_JSON_ENTRY, /* `entry_key` and `entry` are set; their bytes lie in the window */
    PF_JSON_WINDOW_USED,
    PF_JSON_FINISHED
} pf_json_progress;

/* How long an event that begins at a plain offset may be. More further on, less once something was read in vain. */
uint64_t pf_json_longest_event(const pf_json_tokenizer *t, uint64_t offset);

/* Goes on at w->data + *pos and fills the piece from its start, without beginning an event at or after w->data + limit
 * (*pos < limit). WINDOW_USED: give up the first *pos bytes and ask for more. A window that is the last one ends with
 * FINISHED, an incomplete rest counted as truncated. */
pf_json_progress pf_json_tokenize(pf_json_tokenizer *t, const pf_window *w, size_t *pos, size_t limit,
                                  pf_json_piece *piece);

#endif
