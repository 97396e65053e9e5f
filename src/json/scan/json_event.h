/* json/scan/json_event.h - one event object, read member by member.
 *
 * Two readers share this: event_fast.h goes straight through events as they usually look, json_event.c reads any.
 */
#pragma once

#include "json/scan/json_record.h"
#include "json/scan/skip.h"

/* ---- the keys of an event that mean something --------------------------------------------------------------------
 *
 * Eight bytes after a key's opening quote are loaded as one number and compared with the known keys including their
 * closing quote, so that a key costs one load and a few branches that the processor learns. */

typedef enum pf_json_key {
    PF_JSON_KEY_OTHER = 0,
    PF_JSON_KEY_PH,
    PF_JSON_KEY_TS,
    PF_JSON_KEY_DUR,
    PF_JSON_KEY_PID,
    PF_JSON_KEY_TID,
    PF_JSON_KEY_NAME,
    PF_JSON_KEY_CAT,
    PF_JSON_KEY_ARGS,
    PF_JSON_KEY_ID,
    PF_JSON_KEY_S,
    PF_JSON_KEY_ID2,
    PF_JSON_KEY_BIND_ID,
    PF_JSON_KEY_BP,
    PF_JSON_KEY_TTS,
    PF_JSON_KEY_TDUR,
    PF_JSON_KEY_FLOW_IN,
    PF_JSON_KEY_FLOW_OUT,
    PF_JSON_KEY_STACK,     /* sf, esf, stack, estack */
    PF_JSON_KEY_OTHER_ARGS /* the key of pf_json_rules.args_key */
} pf_json_key;

#define PF_KEY2(a, b) ((uint64_t)(a) | (uint64_t)(b) << 8)
#define PF_KEY4(a, b, c, d) (PF_KEY2(a, b) | PF_KEY2(c, d) << 16)

/* Keys that few events have. `p` stands after the opening quote; *len is the key's length if it is one of these. */
pf_json_key pf_json_rare_key(const uint8_t *p, size_t *len);

/* The same for all known keys, written without escapes. */
static inline pf_json_key pf_json_known_key(const uint8_t *p, size_t *len)
{
    uint32_t w4 = (uint32_t)pf_json_load8(p);
    *len = 2;
    switch (w4 & 0xffffff) {
    case PF_KEY4('p', 'h', '"', 0):
        return PF_JSON_KEY_PH;
    case PF_KEY4('t', 's', '"', 0):
        return PF_JSON_KEY_TS;
    case PF_KEY4('i', 'd', '"', 0):
        return PF_JSON_KEY_ID;
    default:
        break;
    }
    *len = 3;
    switch (w4) {
    case PF_KEY4('p', 'i', 'd', '"'):
        return PF_JSON_KEY_PID;
    case PF_KEY4('t', 'i', 'd', '"'):
        return PF_JSON_KEY_TID;
    case PF_KEY4('d', 'u', 'r', '"'):
        return PF_JSON_KEY_DUR;
    case PF_KEY4('c', 'a', 't', '"'):
        return PF_JSON_KEY_CAT;
    default:
        break;
    }
    *len = 4;
    if (w4 == PF_KEY4('n', 'a', 'm', 'e') && p[4] == '"') {
        return PF_JSON_KEY_NAME;
    }
    if (w4 == PF_KEY4('a', 'r', 'g', 's') && p[4] == '"') {
        return PF_JSON_KEY_ARGS;
    }
    return pf_json_rare_key(p, len);
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

typedef struct pf_json_rules {
    bool cycles;          /* ts and dur are cycles, else microseconds */
    uint32_t depth, keys; /* limits of args */
    uint64_t longest;     /* bytes of an event or a text; what is longer is taken for damage */
    uint64_t patience;    /* bytes of an event that a hot loop takes */
    pf_str args_key;      /* of args where an event has none under "args"; empty: nowhere else */
    uint64_t args_word;   /* it as `"key":`, where it has five letters at most, */
    uint64_t args_mask;   /* and the bits of that; else 0 */
    pf_early_names names; /* of args whose integers are looked out for */
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
