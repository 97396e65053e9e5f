/* perfetto/decode/batch.h - phase 1 of reading: packets to rows, without any state.
 *
 * Nearly all packets of a large trace are begins, ends, instants and counter values, and what they say is nearly always
 * something that was said before: the same sequence, clock and track uuid, the same name and category. So a plain event
 * becomes a row of 24 bytes, with its time and two small numbers: that of its place and that of its label. Places and
 * labels are listed once; phase 2 looks up what each of them stands for once, not for every event. Rows lie column by
 * column: most of them need 20 bytes only, which another processor may have written. A batch that is used again goes on
 * with its lists as long as they are short. Any other packet has a row that leads to its record.
 *
 * Rows of one stretch of bytes depend on these bytes alone, so that any thread may make them; phase 2 applies them in
 * file order. What is listed twice is only looked up twice.
 */
#pragma once

#include "base/budget.h"
#include "perfetto/decode/packet.h"
#include "postfetto/author/reader.h"

/* What a batch has room for: memory of 850 KB, of which each kind of trace uses a part. */
#define PF_ROWS_MAX 8192u
#define PF_ROW_RECORDS 4096u
#define PF_ROW_PLACES 2048u
#define PF_ROW_LABELS 4096u
#define PF_ROW_VALUES 4096u
#define PF_ROW_SHAPE_BITS 8u

/* pf_row_where.what */
enum {
    PF_ROW_TYPE = 7,           /* mask of the type; 0 = any other packet */
    PF_ROW_HAS_ARGS = 1u << 3, /* debug annotations */
    PF_ROW_HAS_FLOWS = 1u << 4,
    PF_ROW_ONE_FLOW = 1u << 5, /* the only flow id is a flow_ids of 64 bits: the next value */
    PF_ROW_ONE_END = 1u << 6,  /* the same, of terminating_flow_ids */
    PF_ROW_HAS_INT = 1u << 7,  /* counter_value: the next value; counters have this or */
    PF_ROW_HAS_DOUBLE = 1u << 8,
    PF_ROW_LONG = 1u << 9,       /* the length of the packet takes two bytes */
    PF_ROW_FLOW_STEP = 1u << 10, /* of another packet: a step of a legacy flow; its place, time and size are known */
    PF_ROW_HAS_VALUE = PF_ROW_ONE_FLOW | PF_ROW_ONE_END | PF_ROW_HAS_INT | PF_ROW_HAS_DOUBLE
};

/* pf_row_place.clock, next to the number; clocks with this one and larger ones are not plain. */
enum { PF_PLACE_CLOCK = 0x3fffffff, PF_PLACE_HAS_UUID = 1u << 30, PF_PLACE_NEEDS_STATE = 1u << 31 };

typedef struct pf_row_place {
    uint64_t uuid;
    uint32_t sequence;
    uint32_t clock; /* 0 = none, and the two flags */
} pf_row_place;

typedef struct pf_row_label {
    uint32_t name_iid, category; /* 0 = none */
    uint32_t sequence;
    uint32_t text;       /* of a name that stands in the event: its length + 1; then there is no name_iid. 0 = none */
    const uint8_t *name; /* and where it stands */
} pf_row_label;

typedef struct pf_row_where {
    uint16_t size;             /* of the packet with its tag and length */
    uint16_t event, event_len; /* body of its TrackEvent, from the tag on; of a PF_ROW_FLOW_STEP: which flow */
    uint16_t what;
} pf_row_where;

/* What pf_record_is_flow_step says of the flow of a PF_ROW_FLOW_STEP. */
static inline uint32_t pf_row_flow(const pf_row_where *w)
{
    return (uint32_t)w->event_len << 16 | w->event;
}

/* Bytes of the packet's tag and length. */
static inline uint32_t pf_row_header(const pf_row_where *w)
{
    return w->what & PF_ROW_LONG ? 3 : 2;
}

/* How a plain packet looks (packet_templates.h): which bits of its first bytes it has in common with others, and which
 * of them make numbers. */
typedef struct pf_shape {
    uint8_t mask[32], value[32];
    uint64_t time_mask, uuid_mask, value_mask;
    uint32_t name_mask, category_mask, sequence_mask;
    uint32_t clock;     /* pf_row_place.clock */
    pf_row_where where; /* what: without the type */
    uint8_t time_at, type_at, uuid_at, name_at, category_at, sequence_at, value_at;
    uint8_t least_category; /* 1: a category of 0 is not plain */
    uint8_t tail;           /* where the rest is to be read from; 0 = there is none */
    uint16_t long_uuid;     /* mask of its bytes after the eighth */
} pf_shape;

/* By row: timestamp to at. Place 0 and label 0 stand for nothing, and are like no other. */
typedef struct pf_rows {
    pf_budget *budget;
    struct pf_known *known; /* phase 2's, of the budget: what places and labels stand for; NULL at first */
    size_t known_bytes;
    const uint8_t *bytes;
    uint32_t count, records, places, labels, values;
    bool stale;                                                        /* the lists are to begin anew */
    bool renewed;                                                      /* they did, with these rows */
    bool marks_steps;                                                  /* PF_ROW_FLOW_STEP is wanted */
    bool has_steps;                                                    /* there are some */
    uint16_t place_at[2 * PF_ROW_PLACES], label_at[2 * PF_ROW_LABELS]; /* their numbers by hash, 0 = free */
    uint64_t timestamp[PF_ROWS_MAX];
    uint16_t place_of[PF_ROWS_MAX], label_of[PF_ROWS_MAX];
    pf_row_where where[PF_ROWS_MAX];
    uint32_t at[PF_ROWS_MAX]; /* where the packet's tag lies, from `bytes`; of any other packet: its record */
    pf_row_place place[PF_ROW_PLACES];
    pf_row_label label[PF_ROW_LABELS];
    pf_shape shape[1u << PF_ROW_SHAPE_BITS][2];
    uint32_t credit, misses; /* with shapes */
    bool has_shapes;
    struct pf_ftrace_bundle *bundle; /* of records, by pf_rows_decode_bundles; their lists are used again */
    uint32_t bundle_room;
    uint64_t value[PF_ROW_VALUES];
    pf_record record[PF_ROW_RECORDS];
} pf_rows;

/* Where a batch is being applied: the next row, and the value of the next row that has one. */
typedef struct pf_rows_at {
    uint32_t row, value;
} pf_rows_at;

/* An empty batch, NULL if memory was refused. Its `known` is freed with it. */
pf_rows *pf_rows_new(pf_budget *budget);
void pf_rows_free(pf_rows *b);

/* The bytes that were decoded so far may go, and the texts of labels with them: the lists begin anew. */
static inline void pf_rows_renew(pf_rows *b)
{
    b->stale = true;
}

/* The record of row i as pf_records_decode makes it; value: that of the row, if it has one. Its flow ids have no marks.
 */
pf_record pf_rows_record(const pf_rows *b, size_t i, uint64_t value);

/* bundle.c: decodes the bundles of ftrace events among the records; one that memory is refused for is left out. */
void pf_rows_decode_bundles(pf_rows *b);
void pf_rows_free_bundles(pf_rows *b);

/* Decodes top-level fields of a Trace from the start of the bytes, after which PF_SLOP bytes are readable, into rows,
 * which take the place of those that were there: fields that begin in the first `enough` bytes, as far as there is
 * room. d.records counts the rows. */
typedef pf_decoded (*pf_rows_decoder)(const uint8_t *bytes, size_t len, size_t enough, pf_rows *b);
pf_decoded pf_rows_decode(const uint8_t *bytes, size_t len, size_t enough, pf_rows *b);

/* The same with instructions that not every processor has (batch.c, compiled once more). */
pf_decoded pf_rows_decode_bmi2(const uint8_t *bytes, size_t len, size_t enough, pf_rows *b);

/* The fastest of these that this processor can do. */
pf_rows_decoder pf_rows_choose(void);

/* ---- chunks.c ---------------------------------------------------------------------------------------------------- */

typedef struct pf_chunks pf_chunks;

/* NULL if memory was refused. helpers = 0 is legal: everything is then done by the caller. */
pf_chunks *pf_chunks_new(unsigned helpers, pf_budget *budget);
void pf_chunks_free(pf_chunks *c);

/* What is done with rows in the thread that made them. */
void pf_chunks_set_digest(pf_chunks *c, void (*digest)(pf_rows *rows));

/* Bytes per chunk; for tests. The default is PF_CHUNK_BYTES. */
void pf_chunks_set_size(pf_chunks *c, size_t bytes);
#define PF_CHUNK_BYTES (128u << 10)

/* Whether there are helpers. */
bool pf_chunks_have_helpers(const pf_chunks *c);

/* The bytes to be read next, from their start; after them PF_SLOP bytes are readable. What was left of the bytes
 * before is forgotten, and unless they stay where they are nobody looks at them any more (NULL, 0: so that they may
 * go). */
void pf_chunks_begin(pf_chunks *c, const uint8_t *bytes, size_t len, bool stay);

/* The next rows, in file order, as pf_rows_decode would give them for all bytes at once; d->consumed counts from the
 * end of the call before. PF_STOP_FULL: there may be more. After any other stop the caller begins anew. The rows are
 * valid until the next call. */
pf_rows *pf_chunks_next(pf_chunks *c, pf_decoded *d);

/* Passes over bytes after the last row (the answer to PF_STOP_SKIP) and goes on there. */
void pf_chunks_skip(pf_chunks *c, size_t bytes);

/* ---- row_windows.c ----------------------------------------------------------------------------------------------- */

typedef enum pf_row_fault {
    PF_ROWS_DAMAGED = 0, /* no field begins there: the rest is not read */
    PF_ROWS_TRUNCATED,   /* the field that begins there is not complete */
    PF_ROWS_TOO_LONG     /* that packet is skipped */
} pf_row_fault;

/* Who reads an input: functions with ctx. */
typedef struct pf_row_walk {
    pf_budget *budget;
    unsigned jobs; /* threads, the caller's included; 0: two */
    void *ctx;
    pf_status (*more)(void *ctx, size_t consumed, pf_window *w, pf_error *err);     /* as pf_reading_next */
    pf_status (*rows)(void *ctx, const pf_window *w, pf_rows *rows, pf_error *err); /* the next ones, in file order */
    void (*fault)(void *ctx, pf_row_fault fault, uint64_t offset);
    void (*digest)(pf_rows *rows); /* in any thread, before they are handed out; NULL: nothing */
} pf_row_walk;

/* Hands out all rows of an input whose first window is `first`. */
pf_status pf_rows_walk(const pf_row_walk *k, pf_window first, pf_error *err);
