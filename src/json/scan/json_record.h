/* json/scan/json_record.h - what the first phase hands to the second: a piece of the document as records.
 *
 * Phase 1 (tokenize.c) turns text into the records of a piece and touches nothing else, so any thread can do it; phase
 * 2 (json_apply.c) turns records into rows of the trace, in file order. A record is small: what most events lack lies
 * next to it (pf_json_rare), but for the id of an arrow, which takes the place of the duration that it has not. Texts
 * and pairs of pid and tid are numbers that mean something within their piece only.
 *
 * These numbers save work: a piece's memory is used again and again, and it remembers the short texts and the threads
 * that it has met with what phase 2 found for them. Both memories are direct-mapped with two places for each; an entry
 * that the current piece has used stays until the piece is done, and what then finds no place goes into a list next to.
 *
 * The phases may run on two processors, which pay for every line of memory that one writes and the other looks at. So
 * what phase 1 writes for each piece anew lies apart from what phase 2 reads, and a record is small.
 */
#pragma once

#include "model/args/early_args.h"
#include "model/trace/fault_counts.h"
#include "postfetto/author/reader.h"
#include "json/scan/words.h"

#define PF_JSON_RECORDS 2048    /* per piece */
#define PF_JSON_TEXTS 4096      /* short texts remembered */
#define PF_JSON_THREADS 512     /* threads remembered */
#define PF_JSON_LONGS 512       /* long texts found again within a piece */
#define PF_JSON_SPANS 256       /* rows of bytes remembered, of each kind */
#define PF_JSON_SPAN 96         /* bytes of such a row */
#define PF_JSON_LEARNED_MAX 256 /* tries to find new ones in a piece */
#define PF_JSON_SPAN_PHASES 32
#define PF_JSON_SHAPES 32             /* args remembered */
#define PF_JSON_SHAPE 512             /* bytes of such args */
#define PF_JSON_SHAPES_LEARNED_MAX 64 /* args that a piece remembers */

/* A view into the window, still with its escapes. */
typedef struct pf_json_text {
    const uint8_t *ptr; /* NULL: absent */
    uint32_t len;
    bool escaped;
} pf_json_text;

/* DIGITS: a pid or tid of one to seven digits as written, the first in the lowest byte. */
enum { PF_JSON_ID_INT = PF_ID_INT, PF_JSON_ID_TEXT, PF_JSON_ID_REAL, PF_JSON_ID_ABSENT, PF_JSON_ID_DIGITS };

typedef struct pf_json_id {
    int64_t number;     /* INT, DIGITS */
    const uint8_t *ptr; /* TEXT: between the quotes; REAL: the number as written */
    uint32_t len;
    uint8_t kind;
    bool escaped;
} pf_json_id;

enum {
    PF_JSON_HAS_TS = 1,           /* ts is usable */
    PF_JSON_HAS_DUR = 2,          /* dur is usable */
    PF_JSON_ARGS_EMPTY = 4,       /* args was an object without entries */
    PF_JSON_ARGS_LOST = 8,        /* args exceeded a limit */
    PF_JSON_HAS_TTS = 16,         /* tts is usable */
    PF_JSON_HAS_TDUR = 32,        /* tdur is usable */
    PF_JSON_FLOW_IN = 64,         /* flow_in is true */
    PF_JSON_FLOW_OUT = 128,       /* flow_out is true */
    PF_JSON_BIND_ENCLOSING = 256, /* bp is "e" */
    PF_JSON_OTHER_ARGS = 512,     /* args are those of an object under another key (pf_json_rules.args_key) */
    PF_JSON_BAD_DUR = 1024,       /* dur is there and unusable; likewise */
    PF_JSON_BAD_TTS = 2048,
    PF_JSON_BAD_TDUR = 4096,
    PF_JSON_BAD_TIME = PF_JSON_BAD_DUR | PF_JSON_BAD_TTS | PF_JSON_BAD_TDUR,
    PF_JSON_HAS_STACK = 16384,   /* members that tell a stack of calls (json_call_stacks.c) */
    PF_JSON_ROUNDED_DUR = 32768, /* dur is written otherwise than with at most three decimals */
    PF_JSON_ODD = 8192           /* a member, or a kind of value, that most events do not have (json_extras.c) */
};

typedef struct pf_json_record {
    int64_t ts;
    int64_t dur;             /* or the id, where `rare` says so */
    uint32_t offset;         /* of the event's opening brace, from the piece's start */
    uint32_t args, args_len; /* the object with its braces, from the piece's start; length 0: absent, empty or lost */
    uint32_t name, category; /* 0: absent or empty; up to PF_JSON_TEXTS: a remembered text; else one of the list */
    uint32_t thread;         /* below PF_JSON_THREADS: a remembered one; else one of the list */
    uint32_t rare; /* in pf_json_piece.rare; 0: has nothing of that; PF_JSON_ONLY_ID: only an id, an integer */
    uint16_t flags;
    uint8_t phase;
    uint8_t scope; /* first letter of "s", or 0 */
} pf_json_record;

#define PF_JSON_ONLY_ID UINT32_MAX

/* Members that few events have. */
typedef struct pf_json_rare {
    int64_t tts, tdur; /* thread clock; only with their flags */
    pf_json_id id, bind_id;
    pf_json_text id2; /* the object with its braces; NULL if absent, empty or lost */
} pf_json_rare;

/* A short text remembered. */
typedef struct pf_json_known_text {
    pf_json_words words;
    uint32_t len;
} pf_json_known_text;

/* A text of the list. */
typedef struct pf_json_other_text {
    pf_json_text text;
    uint32_t id; /* likewise */
} pf_json_other_text;

typedef struct pf_json_thread {
    uint32_t upid, utid, track;
    uint8_t odd; /* ids that are not spelled as the rows of the process and the thread say: PF_JSON_ODD_... */
} pf_json_thread;

enum { PF_JSON_ODD_PID = 1, PF_JSON_ODD_TID = 2 };

typedef struct pf_json_ids {
    pf_json_id pid, tid;
    pf_json_thread thread; /* phase 2's answer, if `found` */
    bool found, settled;   /* settled: thread.odd is the answer for all events to come */
} pf_json_ids;

typedef struct pf_json_long_text {
    uint32_t used, other;
} pf_json_long_text;

/* A row of bytes that events have in common, and what it says (event_templates.h). */
typedef struct pf_json_span {
    uint8_t bytes[PF_JSON_SPAN];
    uint32_t len, unused;               /* of the bytes; both 0: an empty place */
    uint32_t learned;                   /* number of the piece that it was met in first */
    uint32_t used;                      /* number of the last piece that used it: the references are of that piece */
    uint32_t category, name, thread;    /* references as in a record */
    uint32_t category_at, category_len; /* in the bytes */
    uint32_t name_at, name_len;
    uint16_t flags;
    uint8_t phase, scope;
    uint8_t shape; /* lead: which args its events had last */
    bool to_id;    /* lead: it ends where an id begins, not a name */
    pf_json_id pid, tid;
} pf_json_span;

/* By the phase of the event, as rows of different phases have members of their own. */
typedef struct pf_json_spans {
    uint32_t phase_at; /* leads: where the last one had its phase */
    struct {
        uint8_t least; /* length of the shortest; 0: none was met */
        uint8_t at[3]; /* where the words stand that the place depends on */
    } by_phase[PF_JSON_SPAN_PHASES];
    pf_json_span span[PF_JSON_SPANS];
} pf_json_spans;

/* Args of an event, whose structure later ones may have, too (args_templates.h). */
typedef struct pf_json_shape {
    uint32_t len; /* 0: none */
    uint32_t values;
    uint8_t bytes[PF_JSON_SHAPE + 32];
    uint8_t kinds[PF_JSON_SHAPE + 32];    /* the bytes, all digits being one */
    uint32_t in_text[PF_JSON_SHAPE / 32]; /* a bit per byte: after an opening quote up to the closing one */
    uint32_t known;                       /* bytes from the start that say all of the names; 0: they do not */
    struct {
        uint16_t at, digits; /* 0 digits: there is no such member */
    } number[PF_EARLY_NAMES];
    uint32_t has;                   /* a bit for each that is there */
    uint64_t digits[PF_EARLY_LAST]; /* the last ones as they are written, but for the last name, */
    uint32_t said, said_in;         /* their place in the list of the piece of this number; 0: none */
} pf_json_shape;

/* Faults seen by phase 1; merged into the trace's stats in file order. The kinds of JSON are the first of the list. */
#define PF_JSON_FAULTS (PF_STAT_JSON_UNKNOWN_PHASE + 1)
_Static_assert(PF_STAT_JSON_TOKENIZER_FAILURE == 0, "the kinds of JSON come first");
typedef struct pf_json_faults {
    uint64_t count[PF_JSON_FAULTS];
    uint64_t first[PF_JSON_FAULTS];
} pf_json_faults;

static inline void pf_json_fault(pf_json_faults *f, pf_stat_id id, uint64_t offset)
{
    if (f->count[id]++ == 0 || offset < f->first[id]) {
        f->first[id] = offset;
    }
}

/* Zeroed memory is a piece ready for its first start. */
typedef struct pf_json_piece {
    const uint8_t *base; /* where it starts */
    uint64_t offset;     /* of that, in the plain input */
    uint32_t number;     /* counts the starts of this piece */
    uint32_t count, rare_count, other_count, thread_count, learned_count, shapes_learned, found_count, said_count;
    pf_json_faults faults;
    pf_json_record record[PF_JSON_RECORDS];
    pf_json_rare rare[PF_JSON_RECORDS + 1]; /* the first is used by none */
    pf_json_other_text other[2 * PF_JSON_RECORDS];
    pf_json_ids threads[PF_JSON_THREADS + PF_JSON_RECORDS];
    pf_early_event found[PF_JSON_RECORDS]; /* args that are built like earlier ones, */
    pf_early_said said[PF_JSON_RECORDS];   /* and what they say, but for the last name */
    pf_json_known_text text[PF_JSON_TEXTS];
    uint32_t text_used[PF_JSON_TEXTS]; /* number of the last piece that used it */
    uint32_t thread_used[PF_JSON_THREADS];
    uint32_t text_id[PF_JSON_TEXTS]; /* phase 2: its string id, 0 as long as nobody asked */
    pf_json_long_text longs[PF_JSON_LONGS];
    pf_json_spans leads, middles, tails;
    uint32_t shape_count;
    pf_json_shape shape[PF_JSON_SHAPES];
} pf_json_piece;

/* Empties a piece that is to begin at `base`. */
static inline void pf_json_piece_start(pf_json_piece *piece, const uint8_t *base, uint64_t offset)
{
    piece->base = base;
    piece->offset = offset;
    piece->number++;
    piece->count = piece->rare_count = piece->other_count = piece->thread_count = piece->learned_count = 0;
    piece->shapes_learned = piece->found_count = piece->said_count = 0;
    memset(&piece->faults, 0, sizeof piece->faults);
}

/* The next piece is of another input: which rows threads and texts have there is not known. */
static inline void pf_json_piece_forget(pf_json_piece *piece)
{
    memset(piece->thread_used, 0, sizeof piece->thread_used);
    memset(piece->text_id, 0, sizeof piece->text_id);
}

static inline uint64_t pf_json_offset(const pf_json_piece *piece, const pf_json_record *r)
{
    return piece->offset + r->offset;
}
