/* read/chrome_json/record.h - what the first phase hands to the second: events as fixed-size records.
 *
 * Phase 1 (tokenize.c) turns text into records and touches nothing else; phase 2 (apply.c) turns records into rows of
 * the trace, in file order. Texts are views into the window, still with their escapes.
 */
#ifndef PF_READ_JSON_RECORD_H
#define PF_READ_JSON_RECORD_H

#include "model/stats.h"
#include "read/source.h"

/* Records per batch: small enough to stay in the cache between the phases. */
#define PF_JSON_BATCH 512

/* The longest text whose hash phase 1 computes; longer ones are found by the string pool alone. */
#define PF_JSON_SHORT_TEXT 32

typedef struct pf_json_text {
    const uint8_t *ptr; /* NULL: absent */
    uint32_t len;
    uint32_t hash; /* of texts up to PF_JSON_SHORT_TEXT bytes without escapes; else 0 */
} pf_json_text;

enum { PF_JSON_ID_INT = PF_ID_INT, PF_JSON_ID_TEXT, PF_JSON_ID_REAL, PF_JSON_ID_ABSENT };

typedef struct pf_json_id {
    int64_t number;     /* INT */
    const uint8_t *ptr; /* TEXT: between the quotes; REAL: the number as written */
    uint32_t len;
    uint8_t kind;
    bool escaped;
} pf_json_id;

enum {
    PF_JSON_HAS_TS = 1,  /* ts is usable */
    PF_JSON_HAS_DUR = 2, /* dur is usable */
    PF_JSON_NAME_ESCAPED = 4,
    PF_JSON_CATEGORY_ESCAPED = 8,
    PF_JSON_ARGS_EMPTY = 16,       /* args was an object without entries */
    PF_JSON_ARGS_LOST = 32,        /* args exceeded a limit */
    PF_JSON_HAS_TTS = 64,          /* tts is usable */
    PF_JSON_HAS_TDUR = 128,        /* tdur is usable */
    PF_JSON_FLOW_IN = 256,         /* flow_in is true */
    PF_JSON_FLOW_OUT = 512,        /* flow_out is true */
    PF_JSON_BIND_ENCLOSING = 1024, /* bp is "e" */
    PF_JSON_HAS_ATTR = 2048,       /* an object "attr", as AIU traces have instead of args */
    PF_JSON_BAD_DUR = 4096,        /* dur is there and unusable; likewise */
    PF_JSON_BAD_TTS = 8192,
    PF_JSON_BAD_TDUR = 16384,
    PF_JSON_BAD_TIME = PF_JSON_BAD_DUR | PF_JSON_BAD_TTS | PF_JSON_BAD_TDUR
};

typedef struct pf_json_record {
    uint64_t offset; /* of the event's opening brace, in the plain input */
    int64_t ts, dur;
    int64_t tts, tdur; /* thread clock; only with their flags */
    pf_json_id pid, tid;
    pf_json_id id, bind_id;
    pf_json_text name, category;
    pf_json_text args; /* the object with its braces; NULL if absent, empty or lost */
    pf_json_text id2;  /* likewise */
    uint16_t flags;
    uint8_t phase; /* 0: none */
    uint8_t scope; /* first letter of "s", or 0 */
} pf_json_record;

/* Faults seen by phase 1; merged into the trace's stats in file order. The kinds of JSON are the first of the list. */
#define PF_JSON_FAULTS (PF_STAT_JSON_UNKNOWN_PHASE + 1)
_Static_assert(PF_STAT_JSON_TOKENIZER_FAILURE == 0, "the kinds of JSON come first");
typedef struct pf_json_faults {
    uint64_t count[PF_JSON_FAULTS];
    uint64_t first[PF_JSON_FAULTS];
} pf_json_faults;

static inline void pf_json_fault(pf_json_faults *f, pf_stat_id id, uint64_t offset)
{
    if (f->count[id]++ == 0) {
        f->first[id] = offset;
    }
}

typedef struct pf_json_batch {
    uint32_t count;
    pf_json_faults faults;
    pf_json_record record[PF_JSON_BATCH];
} pf_json_batch;

#endif
