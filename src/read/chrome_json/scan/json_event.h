/* read/chrome_json/scan/json_event.h - one event object, read member by member.
 *
 * Two readers share this: event_fast.h goes straight through events as they usually look, json_event.c reads any.
 */
#ifndef PF_READ_CHROME_JSON_SCAN_JSON_EVENT_H
#define PF_READ_CHROME_JSON_SCAN_JSON_EVENT_H

#include "read/chrome_json/scan/json_record.h"
#include "read/chrome_json/scan/skip.h"

typedef struct pf_json_rules {
    bool cycles;          /* ts and dur are cycles, else microseconds */
    uint32_t depth, keys; /* limits of args */
    uint64_t longest;     /* bytes of an event or a text; what is longer is taken for damage */
    uint64_t patience;    /* bytes of an event that a hot loop takes */
    pf_str args_key;      /* of args where an event has none under "args"; empty: nowhere else */
    uint64_t args_word;   /* it as `"key":`, where it has five letters at most, */
    uint64_t args_mask;   /* and the bits of that; else 0 */
} pf_json_rules;

void pf_json_rules_set_args_key(pf_json_rules *rules, pf_str key);

/* How far after its event's start args may end. A piece is far smaller, so that 32 bits are enough for its parts. */
#define PF_JSON_EVENT_MAX INT32_MAX

/* What was read of an event so far. */
typedef struct pf_json_event {
    const pf_json_rules *rules;
    const uint8_t *start; /* the opening brace */
    const uint8_t *end;   /* of the bytes at hand */
    int64_t ts, dur;
    pf_json_text name, category;
    pf_json_id pid, tid;
    pf_json_text args; /* with its braces; NULL if absent, empty or lost */
    uint64_t foreign;  /* bare words that are not JSON */
    uint16_t flags;
    uint8_t phase; /* 0: none */
    uint8_t scope;
    bool has_rare;     /* `rare` is meaningful */
    pf_json_rare rare; /* not cleared with the rest */
} pf_json_event;

static inline void pf_json_event_start(pf_json_event *e, const pf_json_rules *rules, const uint8_t *brace,
                                       const uint8_t *end)
{
    memset(e, 0, offsetof(pf_json_event, rare));
    e->rules = rules;
    e->start = brace;
    e->end = end;
    e->pid.kind = e->tid.kind = PF_JSON_ID_ABSENT;
}

/* The rare members, absent at first. */
static inline pf_json_rare *pf_json_event_rare(pf_json_event *e)
{
    if (!e->has_rare) {
        e->has_rare = true;
        e->rare.id.kind = e->rare.bind_id.kind = PF_JSON_ID_ABSENT;
        e->rare.id2.ptr = NULL;
    }
    return &e->rare;
}

/* `"key" : value` of any kind; *at stands on the opening quote. DONE: *at stands after the value. MORE: it is not
 * complete before e->end. BAD: *at is the offending byte. */
pf_json_scan_result pf_json_read_member(pf_json_event *e, const uint8_t **at);

/* Reads the object whose opening brace is at *at. DONE: *at stands after its closing brace, *empty says whether it had
 * no keys. MORE: the object is not complete before end, *at is unchanged. BAD: *at is the offending byte. */
pf_json_scan_result pf_json_read_event(const pf_json_rules *rules, const uint8_t **at, const uint8_t *end,
                                       pf_json_event *e, bool *empty);

/* Notes the faults inside an event, then appends it to the records of a piece that is not full. An object without a
 * phase is no event: it is counted unless it is empty. */
void pf_json_keep_event(pf_json_piece *piece, const pf_json_event *e, bool empty);

/* Goes through events from the one whose opening brace is at p, as long as they are complete, undamaged and separated
 * as they should be, and keeps them. Returns the opening brace of an event that begins at or after `limit`, or for
 * which the piece has no room, or that is not read as it is incomplete or damaged; or the byte after an event that no
 * other follows directly. */
typedef const uint8_t *pf_json_hot_loop(pf_json_piece *piece, const pf_json_rules *rules, const uint8_t *p,
                                        const uint8_t *limit, const uint8_t *end);

/* The same loop for several instruction sets. */
typedef struct pf_json_kernel {
    const char *name;
    bool (*works)(void); /* on this machine */
    pf_json_hot_loop *read_events;
} pf_json_kernel;

/* All that were compiled in, the best one first; the last works everywhere. *count is set. */
const pf_json_kernel *pf_json_kernels(size_t *count);

/* The first one that works. */
const pf_json_kernel *pf_json_best_kernel(void);

#endif
