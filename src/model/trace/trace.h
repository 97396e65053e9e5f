/* model/trace/trace.h - the trace as its builders see it (the public view is postfetto/trace.h).
 *
 * A reader creates processes, threads and tracks, appends events and counter samples in file order, and notes damage;
 * pf_trace_finish then sorts the counters, derives the slices and fixes the views. A reader never looks at slices.
 */
#pragma once

#include "base/arena.h"
#include "base/budget.h"
#include "base/buffer.h"
#include "base/columns.h"
#include "base/files/file.h"
#include "base/files/residence.h"
#include "base/map.h"
#include "base/strings.h"
#include "model/trace/fault_counts.h"
#include "model/trace/machines.h"
#include "model/trace/side_tables.h"
#include "postfetto/read.h"
#include "postfetto/trace.h"

/* Decodes the raw bytes of one event's arguments; set by the reader that stored them. It must neither recurse on the
 * input nor allocate without a bound. */
typedef pf_status (*pf_args_decoder)(const pf_trace *t, const uint8_t *bytes, size_t len, uint32_t context,
                                     const pf_arg_visitor *v, pf_error *err);

/* What is wrong inside the raw bytes of one event's arguments: a set of these. Made by the reader that stored them. */
enum {
    PF_ARGS_DAMAGED = 1u << 0,   /* bytes that do not decode; what is after them is lost */
    PF_ARGS_UNKNOWN_ID = 1u << 1 /* an interning id that nothing defines; the argument that needs it is lost */
};
typedef unsigned (*pf_args_checker)(const pf_trace *t, const uint8_t *bytes, size_t len, uint32_t context);

/* Finds the wanted arguments (model/args/arg_columns.h) of one event faster than a visit of all of them does. The
 * visitor takes what is inside objects and lists. PF_ERR_DAMAGED: visit all of them instead. */
struct pf_arg_piece;
typedef pf_status (*pf_args_finder)(struct pf_arg_piece *p, const uint8_t *bytes, size_t len, uint32_t context,
                                    const pf_arg_visitor *v);

/* Writes what a note (PF_PHASE_NOTE) says into the gaps that were left for it in the arguments of a begin. */
typedef void (*pf_args_joiner)(uint8_t *bytes, size_t len, const uint8_t *note, size_t note_len);

/* The phase of an event whose arguments are those of the innermost open slice of its name and category, in the order of
 * time; it becomes PF_PHASE_LEFT_OUT when slices are built. Its decoder has a joiner: other events may have any phase.
 */
#define PF_PHASE_NOTE 1u

/* One row per event that has arguments, ascending by event row: sparse, so that traces without any pay nothing. */
typedef struct pf_arg_ranges {
    uint32_t count, room;
    uint32_t *event;
    uint32_t *len;
    uint32_t *context; /* reader's own times PF_DECODERS_MAX, plus the decoder's number */
    const uint8_t **bytes;
    pf_columns columns;
} pf_arg_ranges;

#define PF_DECODERS_MAX 64

/* How ids compare: as integers, texts, or the bits of reals. */
#define PF_ID_MAPS 3

/* The processes of a group of inputs. */
typedef struct pf_group {
    const char *name;          /* NULL: the group of one input */
    pf_map by_key[PF_ID_MAPS]; /* INT, TEXT, REAL (bits) -> upid */
    uint32_t absent;           /* upid of the absent pid, or PF_NONE */
} pf_group;

/* The faults of an input that is not the current one. */
typedef struct pf_fault_counts {
    uint64_t count[PF_STAT_COUNT], offset[PF_STAT_COUNT];
} pf_fault_counts;

/* Unpacks an input once more and hands its plain bytes out in pieces; set by the reader. A piece that is not PF_OK to
 * its taker ends it with that status. */
typedef pf_status (*pf_bytes_taker)(void *ctx, const void *bytes, size_t len);
typedef pf_status (*pf_plain_sender)(const pf_trace *t, const pf_input *in, pf_bytes_taker take, void *ctx,
                                     pf_error *err);

/* One gzip member or zstd frame of an input, the one that begins at `stored`. */
typedef struct pf_packed {
    uint64_t stored, stored_bytes, plain_bytes;
    bool whole; /* false: it does not decode to its end; it counts up to the end of the input */
} pf_packed;

/* Unpacks the member at m->stored, hands its plain bytes out (take NULL: to nobody) and says what it is. */
typedef pf_status (*pf_member_sender)(const pf_trace *t, const pf_input *in, pf_packed *m, pf_bytes_taker take,
                                      void *ctx, pf_error *err);

/* A stretch of plain bytes of the only input that is not to be written again, and what stands in its place. */
typedef struct pf_replaced {
    uint64_t from, to;
    pf_bytes instead; /* arena */
} pf_replaced;

/* A file, or its plain bytes, that readers opened besides the inputs. */
typedef struct pf_kept {
    struct pf_kept *next;
    const char *path;
    pf_file file;    /* as it is stored */
    pf_file plain;   /* what was unpacked of it, if that is in a file of its own */
    uint8_t *memory; /* `room` bytes of the budget, or NULL */
    size_t room;
    pf_bytes bytes; /* what is in the file: in memory, or in one of the mappings */
} pf_kept;

struct pf_trace {
    pf_budget budget;
    pf_arena arena;
    pf_strings strings;
    uint32_t want;
    pf_time_unit unit;
    const char *dialect;      /* static text */
    uint32_t unnamed_slice;   /* string id for pf_trace_slice_name (JSON: "[No name]"); 0 = NULL */
    int64_t start_ts, end_ts; /* bounds, set by pf_trace_finish */
    struct {
        bool any;
        int64_t from, to;
    } covered; /* times that count for the bounds though no table has a row for them */

    const struct pf_trace *source; /* the trace that this one was derived from and shares memory with, or NULL */
    _Atomic uint32_t holders;      /* whoever made it, traces that were derived from it, Arrow arrays of it */

    pf_input *inputs; /* arena */
    size_t input_count;
    pf_file *files;          /* parallel to inputs */
    pf_residence *residence; /* of the files, once they were read; NULL: nothing is mapped */
    pf_kept *kept;
    pf_plain_sender send_plain;
    pf_member_sender send_member;
    struct {
        uint32_t count, room;
        pf_replaced *list; /* ascending */
    } replaced;            /* findings that will be drawn anew (pf_read_options.without_findings) */
    bool leaves_findings;  /* events of findings are left out */
    void *reader_memory;   /* what a reader keeps from input to input while the trace is read, or NULL */
    void (*release_reader)(struct pf_trace *t);
    struct pf_early_store *early; /* arguments that were read already (model/args/early_args.h), or NULL */
    void (*release_early)(struct pf_trace *t);

    /* Public views first in each table struct; the columns after them are written through the same memory. */
    struct {
        uint32_t count, room;
        int64_t *ts;
        uint8_t *phase;
        uint32_t *name, *track;
        pf_columns columns;
        int64_t *dur; /* added by the first complete event */
        pf_columns dur_columns;
        uint32_t dur_room;
        uint32_t *category; /* added by the first category */
        pf_columns category_columns;
        uint32_t category_room;
        int64_t last_ts;
        bool in_order;     /* ts never decreased so far */
        bool has_complete; /* an X with a length was seen: Chrome's tie rules apply, unless */
        bool plain_ties;   /* equal times keep file order in any case: all inputs are so (pf_input.plain_ties) */
        pf_events view;
    } events;

    struct {
        uint32_t count, room;
        uint32_t *event;
        uint64_t *offset;
        pf_columns columns;
    } offsets; /* byte offsets of events with unusable times, ascending by event row */

    pf_arg_ranges args;
    pf_args_decoder decoder[PF_DECODERS_MAX];
    void *decoder_state[PF_DECODERS_MAX];     /* reader's own, lives in the trace's arena */
    pf_args_checker checker[PF_DECODERS_MAX]; /* or NULL */
    pf_args_finder finder[PF_DECODERS_MAX];   /* or NULL */
    pf_args_joiner joiner[PF_DECODERS_MAX];   /* or NULL */
    uint64_t own_args;                        /* bit d: what decoder d reads is in own memory, not in an input */
    void (*fetch_own_args)(const struct pf_trace *t, const uint8_t *bytes, size_t len); /* what that leads to */

    struct {
        uint32_t count, room;
        int64_t *dur;
        uint32_t *track, *depth, *parent, *event, *end_event;
        pf_columns columns;
        uint32_t *name;     /* added by the first slice that is not called as its event */
        int64_t start, end; /* of all slices together, if there are any */
        int64_t *thread_ts, *thread_dur, *instruction_count, *instruction_delta; /* added if any event has them */
        pf_slices view;
    } slices;

    struct {
        uint32_t count, room;
        int64_t *ts;
        double *value;
        uint32_t *track, *event;
        pf_columns columns;
        int64_t last_ts;
        bool in_order;
        pf_counters view;
    } counters;

    struct {
        uint32_t count, room;
        uint32_t *event; /* ascending */
        uint64_t *id;
        uint8_t *kind;   /* pf_flow_kind */
        uint32_t *bound; /* the slice that it was bound to, as pf_flow_bound says; NULL where nobody will ask */
        pf_columns columns;
    } flow_refs; /* flow ids that events carry, sparse */

    struct {
        uint32_t count, room;
        uint32_t *slice_out, *slice_in;
        uint64_t *trace_id;
        uint32_t *event; /* added where there are Chrome's flows */
        pf_columns columns;
        pf_flows view;
    } flows;

    struct {
        uint32_t count, room;
        int64_t *pid, *start_ts, *end_ts, *uid;
        uint8_t *kind;
        uint32_t *text, *name, *parent_upid, *cmdline;
        uint64_t *uuid;
        uint32_t *input;
        pf_columns columns;
        int64_t next_synthetic; /* numbers for ids that have none, of processes and threads: from 2^32 on */
        pf_processes view;
    } processes;

    struct {
        uint32_t count, room;
        int64_t *tid, *start_ts, *end_ts;
        uint8_t *kind, *is_main;
        uint32_t *text, *upid, *name;
        uint64_t *uuid;
        pf_columns columns;
        pf_map by_key; /* hash of (upid, kind, number) -> utid, chained through `next` */
        uint32_t *next;
        pf_threads view;
    } threads;

    struct {
        uint32_t count, room;
        uint8_t *type, *used;
        uint32_t *name, *upid, *utid, *parent, *unit, *group;
        uint64_t *uuid;
        pf_columns columns;
        pf_map by_thread; /* utid -> its thread_execution track */
        pf_tracks view;
    } tracks;

    struct {
        uint32_t count, room;
        uint32_t *name, *text;
        int64_t *number;
        uint32_t *input;
        pf_columns columns;
        pf_metadata view;
    } metadata;

    struct {
        uint32_t count, room;
        uint8_t *owner, *type;
        uint32_t *row, *key, *text;
        int64_t *number;
        pf_columns columns;
        pf_row_args view;
    } row_args;

    struct {
        uint32_t count, room;
        int64_t *ts, *clock_id, *clock_value;
        uint32_t *clock_name, *snapshot_id;
        pf_columns columns;
        pf_clock_snapshots view;
    } clocks;

    struct {
        uint32_t count, room;
        uint32_t *event;                                           /* ascending */
        int64_t *ts, *dur, *instruction_count, *instruction_delta; /* INT64_MIN = not given */
        pf_columns columns;
    } thread_times; /* thread clocks that events carry, sparse */

    struct {
        uint32_t count, room;
        uint32_t *event; /* ascending */
        uint32_t *len;
        const uint8_t **bytes;
        pf_columns columns;
    } origins; /* what events of Chrome JSON say beyond their rows (model/trace/json_notes.h), sparse */

    struct {
        uint32_t count, room;
        uint8_t *of_document;
        uint32_t *input, *place; /* PF_NONE: not known */
        pf_str *text;
        pf_columns columns;
    } leftovers; /* JSON that is in no row (model/trace/json_notes.h) */

    uint32_t **places; /* pf_trace_places; arena, NULL: no input has any */

    struct {
        uint32_t count, room;
        uint32_t *kind, *idx, *input; /* pf_stat_id from PF_STAT_COUNTED on; PF_NONE: there is one */
        int64_t *value;
        pf_columns columns;
    } stat_values;

    pf_map said_tids; /* utid -> string id of the JSON that its events have for its id */

    pf_side_tables sides;
    struct pf_state_log *state_log; /* model/trace/thread_states.h; NULL: there is none */
    bool has_states;                /* an event of phase PF_PHASE_STATE was added */

    pf_group **groups; /* of processes; the first is there without any input */
    uint32_t group_count, group_room;
    pf_group *group;           /* that of the current input, */
    uint32_t input;            /* which rows added now belong to */
    pf_machine_span *machines; /* rows in front of the first are of machine 0, as all are where there is none */
    uint32_t machine_spans, machine_room;
    uint32_t machine;   /* that rows added now belong to: 0, or one of the further machines of the input */
    uint64_t flow_salt; /* keeps its flow ids apart from those of other inputs; 0 for the first */
    uint64_t stat_count[PF_STAT_COUNT];
    uint64_t stat_offset[PF_STAT_COUNT];
    pf_fault_counts *faults; /* by input, but for the current one; NULL where there is one input at most */
};

/* ---- life -------------------------------------------------------------------------------------------------------- */

pf_trace *pf_trace_new(const pf_limits *limits, uint32_t want, pf_error *err);

/* Forgets everything but inputs and files, so that reading may start again (another dialect was recognised). */
pf_status pf_trace_restart(pf_trace *t, pf_error *err);

/* Gives up what a reader kept for the next input; legal when there is nothing. */
void pf_trace_release_reader(pf_trace *t);

/* slices/finish_trace.c: derives the wanted tables and fixes the views. Call once, after the last reader. */
pf_status pf_trace_finish(pf_trace *t, pf_error *err);

/* ---- the main tables (model/trace/trace_tables.c) --- */

pf_status pf_trace_init_tables(pf_trace *t, pf_error *err); /* empty, whatever they were */
void pf_trace_free_tables(pf_trace *t);
void pf_trace_set_views(pf_trace *t);

/* ---- inputs (model/trace/trace_inputs.c) --- */

/* From now on rows belong to this input. Its processes are found among those of the group of that name; NULL: among its
 * own. */
pf_status pf_trace_begin_input(pf_trace *t, uint32_t input, const char *group, pf_error *err);

/* Whether an input is a conversion of Chrome JSON; pairs: of some with complete events. */
bool pf_trace_is_converted(const pf_trace *t, bool pairs);

/* One more whose pf_trace_free counts. */
static inline pf_trace *pf_trace_hold(const pf_trace *t)
{
    pf_trace *held = (pf_trace *)(uintptr_t)t;
    atomic_fetch_add_explicit(&held->holders, 1, memory_order_relaxed);
    return held;
}

/* input_rank.c: the rank that each input says it has (PyTorch's distributedInfo), INT64_MIN where it says none. */
pf_status pf_trace_input_ranks(const pf_trace *t, int64_t *ranks, pf_error *err);

/* The count of a fault in an input and its first offset, which mean nothing where the count is 0. */
void pf_trace_input_fault(const pf_trace *t, uint32_t input, pf_stat_id id, uint64_t **count, uint64_t **offset);

pf_group *pf_trace_add_group(pf_trace *t, const char *name, pf_error *err); /* NULL: refused */
pf_status pf_trace_init_groups(pf_trace *t, pf_error *err);
void pf_trace_free_groups(pf_trace *t);
pf_status pf_trace_copy_groups(pf_trace *t, const pf_trace *from, pf_error *err); /* into a new trace */

/* As pf_input_hash; pages of a mapped input leave the resident memory once they were read. */
void pf_trace_hash_input(const pf_trace *t, size_t input, char hex[33]);

/* No arguments will be read for a while: the pages of inputs that were read are given back. No other thread reads. */
void pf_trace_leave_inputs(const pf_trace *t);

/* ---- building ---------------------------------------------------------------------------------------------------- */

/* An id as a reader found it. number: the integer (INT), the bits of the double (REAL, never an integral value that
 * fits int64: pass those as INT with `text` = their spelling and kind REAL in `spelling`), unused otherwise. */
typedef struct pf_ident {
    pf_id_kind kind;     /* compare by this kind: INT, TEXT, REAL, ABSENT */
    pf_id_kind spelling; /* how it was written: equals kind, or REAL for 2.0 */
    int64_t number;
    uint32_t text; /* string id of the text, or of the number as written if spelling is REAL; else 0 */
} pf_ident;

/* Find or add. PF_NONE if refused (err filled). A new process gets its main thread (tid = pid) with it. */
uint32_t pf_trace_process(pf_trace *t, const pf_ident *pid, pf_error *err);
uint32_t pf_trace_thread(pf_trace *t, uint32_t upid, const pf_ident *tid, pf_error *err);

/* Rows of the current input have ids of JSON now (PF_ID_TEXT, ...), which a conversion had replaced by numbers: from
 * now on they are found by these, and their threads are spelled as they say. */
pf_status pf_trace_know_ids(pf_trace *t, pf_error *err);

/* A new row even if the id is known: the pid or tid was used again by another process or thread. From then on the
 * functions above find the new one. */
uint32_t pf_trace_new_process(pf_trace *t, const pf_ident *pid, pf_error *err);
uint32_t pf_trace_new_thread(pf_trace *t, uint32_t upid, const pf_ident *tid, pf_error *err);

/* The parts of it: a process that has no main thread yet; a thread may also be made for upid PF_NONE. */
uint32_t pf_trace_bare_process(pf_trace *t, const pf_ident *pid, pf_error *err);

/* The thread, made without a process, has got one: it is found by both ids, unless another one is. */
pf_status pf_trace_know_thread(pf_trace *t, uint32_t utid, pf_error *err);

/* The thread_execution track of a thread, made on first use. */
uint32_t pf_trace_thread_track(pf_trace *t, uint32_t utid, pf_error *err);

/* A new track row. Strings are ids. */
typedef struct pf_track_row {
    pf_track_type type;
    uint32_t name, upid, utid, parent, unit, group;
    uint64_t uuid;
} pf_track_row;
uint32_t pf_trace_add_track(pf_trace *t, const pf_track_row *row, pf_error *err);

typedef struct pf_event {
    int64_t ts;
    int64_t dur; /* phase X; ignored otherwise */
    uint32_t name, category, track;
    uint8_t phase;
} pf_event;

/* The slow half of the next function: makes room for one event more. Takes no pf_event, so that the caller's need not
 * be in memory. */
pf_status pf_trace_grow_events(pf_trace *t, uint8_t phase, bool category, pf_error *err);

/* Appends an event in file order; its row is events.count - 1 afterwards. */
static inline pf_status pf_trace_add_event(pf_trace *t, const pf_event *e, pf_error *err)
{
    uint32_t row = t->events.count;
    if (__builtin_expect(row >= t->events.room || (e->phase == 'X' && row >= t->events.dur_room) ||
                             (e->category && row >= t->events.category_room),
                         0)) {
        PF_TRY(pf_trace_grow_events(t, e->phase, e->category != 0, err));
    }
    t->events.ts[row] = e->ts;
    t->events.phase[row] = e->phase;
    t->events.name[row] = e->name;
    t->events.track[row] = e->track;
    if (e->phase == 'X') {
        t->events.dur[row] = e->dur;
        t->events.has_complete |= e->dur > 0;
    }
    if (e->category) {
        t->events.category[row] = e->category;
    }
    if (e->ts < t->events.last_ts) {
        t->events.in_order = false;
    }
    t->events.last_ts = e->ts;
    t->events.count = row + 1;
    return PF_OK;
}

/* Makes memory for up to `rows` further events of any phase but X, with categories if some have any so far or
 * `category` is set. Returns for how many there is some, 0 if not for one. The caller writes them after events.count
 * himself. */
uint32_t pf_trace_room_for_points(pf_trace *t, uint32_t rows, bool category, pf_error *err);

/* Notes the plain byte offset of the event added last. */
pf_status pf_trace_note_offset(pf_trace *t, uint64_t offset, pf_error *err);

/* Attaches raw argument bytes to the event added last. decoder: number returned by pf_trace_add_decoder. The bytes
 * must live as long as the trace (part of a pf_file) unless copy is set. */
pf_status pf_trace_add_args(pf_trace *t, const uint8_t *bytes, size_t len, unsigned decoder, uint32_t context,
                            bool copy, pf_error *err);

/* The same for any event after those that have arguments. */
pf_status pf_trace_add_args_of(pf_trace *t, uint32_t event, const uint8_t *bytes, size_t len, unsigned decoder,
                               uint32_t context, bool copy, pf_error *err);

/* The same for bytes that live as long as the trace and are shorter than 4 GiB. */
static inline pf_status pf_trace_add_lasting_args_of(pf_trace *t, uint32_t event, const uint8_t *bytes, uint32_t len,
                                                     unsigned decoder, uint32_t context, pf_error *err)
{
    uint32_t i = t->args.count;
    if (__builtin_expect(i == t->args.room, 0)) {
        return pf_trace_add_args_of(t, event, bytes, len, decoder, context, false, err);
    }
    t->args.event[i] = event;
    t->args.bytes[i] = bytes;
    t->args.len[i] = len;
    t->args.context[i] = context * PF_DECODERS_MAX + decoder;
    t->args.count = i + 1;
    return PF_OK;
}

/* The same for the event added last. */
static inline pf_status pf_trace_add_lasting_args(pf_trace *t, const uint8_t *bytes, uint32_t len, unsigned decoder,
                                                  uint32_t context, pf_error *err)
{
    return pf_trace_add_lasting_args_of(t, t->events.count - 1, bytes, len, decoder, context, err);
}

/* For visitors that only count the levels that they are in: `ctx` begins with this. */
typedef struct pf_arg_depth {
    size_t depth;
} pf_arg_depth;
pf_status pf_arg_enter(void *ctx, pf_str key, bool list);
pf_status pf_arg_leave(void *ctx);

/* The arguments of a note become those of a begin, which may be PF_NONE. False: it is no note. */
bool pf_trace_join_args(pf_trace *t, uint32_t begin, uint32_t note);

/* The key of an argument at the top without the prefix that tables show, "args." or "debug.". */
pf_str pf_arg_plain_key(pf_str key);

/* Has the memory fetched that a visit of the event's arguments will read, where that costs no search. */
void pf_trace_prefetch_args(const pf_trace *t, uint32_t row);

/* The number of a decoder with its state; the same one for the same two. Inputs should share a state: there is a place
 * for PF_DECODERS_MAX. PF_NONE if they are used up; the other function says so. */
unsigned pf_trace_add_decoder(pf_trace *t, pf_args_decoder decode, void *state);
pf_status pf_trace_no_decoder(pf_error *err);

/* The state of the first decoder that is this function; NULL: there is none. */
void *pf_trace_decoder_state(const pf_trace *t, pf_args_decoder decode);

pf_status pf_trace_grow_samples(pf_trace *t, pf_error *err); /* the slow half of the next function */

/* Appends a counter sample; event = its row in the event table or PF_NONE. */
static inline pf_status pf_trace_add_sample(pf_trace *t, int64_t ts, double value, uint32_t track, uint32_t event,
                                            pf_error *err)
{
    uint32_t i = t->counters.count;
    if (__builtin_expect(i == t->counters.room, 0)) {
        PF_TRY(pf_trace_grow_samples(t, err));
    }
    t->counters.ts[i] = ts;
    t->counters.value[i] = value;
    t->counters.track[i] = track;
    t->counters.event[i] = event;
    t->tracks.used[track] = 1;
    if (ts < t->counters.last_ts) {
        t->counters.in_order = false;
    }
    t->counters.last_ts = ts;
    t->counters.count = i + 1;
    return PF_OK;
}

/* How an event takes part in a flow (docs/reference/perfetto.md, "Flows"). FLOW and TERMINATE attach to the slice that
 * the event begins, ends or is; the others are Chrome's: START, STEP and END bind to the slice open on the event's
 * track, END_NEXT to the next one that begins there. The BIND kinds do the same for a slice that names its flow itself
 * (bind_id). The GPU kinds relate a slice to the GPU work with that id: it is this work, or work that waits for it; it
 * submits it, or awaits it (docs/reference/perfetto.md, "GPU work"). Their arrows have no id of their own, and neither
 * has the one from an ARROW_FROM to the ARROW_TO of its id. */
typedef enum pf_flow_kind {
    PF_FLOW_FLOW,
    PF_FLOW_TERMINATE,
    PF_FLOW_START,
    PF_FLOW_STEP,
    PF_FLOW_END,
    PF_FLOW_END_NEXT,
    PF_FLOW_BIND_START,
    PF_FLOW_BIND_STEP,
    PF_FLOW_BIND_END,
    PF_FLOW_GPU_STAGE,
    PF_FLOW_GPU_AFTER,
    PF_FLOW_GPU_SUBMIT,
    PF_FLOW_GPU_AWAIT,
    PF_FLOW_ARROW_FROM,
    PF_FLOW_ARROW_TO
} pf_flow_kind;

/* Whether ids of the kind bind to what is open on the track, and not to the slice of their event. */
static inline bool pf_flow_is_chrome(uint8_t kind)
{
    return kind >= PF_FLOW_START && kind <= PF_FLOW_END_NEXT;
}

/* What flow_refs.bound holds for a slice or PF_NONE; 0 stands for an id that was bound to nothing yet. */
static inline uint32_t pf_flow_bound(uint32_t slice)
{
    return slice + 2;
}

pf_status pf_trace_grow_event_flows(pf_trace *t, pf_error *err); /* the slow half of the next function */

/* Gives an event a flow id, after those of earlier events. Chrome's ids are any numbers that are equal for equal (id,
 * category, name); those of the BIND kinds are the ids themselves. */
static inline pf_status pf_trace_add_flow_of(pf_trace *t, uint32_t event, uint64_t id, pf_flow_kind kind, pf_error *err)
{
    uint32_t i = t->flow_refs.count;
    if (__builtin_expect(i == t->flow_refs.room, 0)) {
        PF_TRY(pf_trace_grow_event_flows(t, err));
    }
    t->flow_refs.event[i] = event;
    t->flow_refs.id[i] = id ^ t->flow_salt;
    t->flow_refs.kind[i] = (uint8_t)kind;
    t->flow_refs.count = i + 1;
    return PF_OK;
}

/* The same for the event added last. */
static inline pf_status pf_trace_add_event_flow(pf_trace *t, uint64_t id, pf_flow_kind kind, pf_error *err)
{
    return pf_trace_add_flow_of(t, t->events.count - 1, id, kind, err);
}

/* Thread clock and instruction count of the event added last. dur and instruction_delta are given by complete events;
 * for begins and ends they follow from both, and those of an end are what to show where the clock stood still.
 * INT64_MIN = not given. */
typedef struct pf_thread_time {
    int64_t ts, dur, instruction_count, instruction_delta;
} pf_thread_time;
pf_status pf_trace_add_thread_time(pf_trace *t, const pf_thread_time *time, pf_error *err);

/* An argument of a row that is no event (postfetto/trace.h, pf_row_args). A value replaces none: callers add a key
 * once. */
pf_status pf_trace_add_row_arg(pf_trace *t, pf_owner owner, uint32_t row, pf_str key, const pf_value *value,
                               pf_error *err);

pf_status pf_trace_add_clock(pf_trace *t, int64_t ts, int64_t clock_id, pf_str name, int64_t value,
                             uint32_t snapshot_id, pf_error *err);

/* Plain bytes of the only input that are not to be written again (t->replaced); in ascending order. */
pf_status pf_trace_add_replaced(pf_trace *t, uint64_t from, uint64_t to, pf_bytes instead, pf_error *err);

/* Events of findings that have no mark become PF_PHASE_LEFT_OUT. After all events were read, before slices are made. */
pf_status pf_trace_leave_out_findings(pf_trace *t, pf_error *err);

pf_status pf_trace_add_metadata(pf_trace *t, pf_str name, pf_str text, int64_t number, pf_error *err);

/* The track that takes the slices of events on row `track`. A thread_execution track with a parent is a note of an id
 * that Perfetto does not know (JSON: a negative pid or tid, which it takes for 0): its events count for the parent. The
 * id as written is in its row arguments, "pid" and "tid" of PF_OWNER_TRACK_SOURCE; no slice or counter ever refers to
 * it. */
static inline uint32_t pf_trace_home_track(const pf_trace *t, uint32_t track)
{
    uint32_t parent = t->tracks.parent[track];
    return parent != PF_NONE && t->tracks.type[track] == PF_TRACK_THREAD_EXECUTION ? parent : track;
}

/* Whether the track is an operation of an async group. */
static inline bool pf_track_is_async(const pf_tracks *tr, uint32_t track)
{
    return tr->group[track] != PF_NONE && tr->type[track] != PF_TRACK_THREAD_OVERLAP;
}

/* The name that a slice begun by `event` shows on `track`: the event's, else unnamed_slice, except for async instants
 * and those of a process or of all. */
static inline uint32_t pf_trace_slice_name(const pf_trace *t, uint32_t event, uint32_t track)
{
    uint32_t name = t->events.name[event];
    uint8_t type = t->tracks.type[track];
    return name || t->events.phase[event] == 'n' || type == PF_TRACK_JSON_GLOBAL_INSTANTS ||
                   type == PF_TRACK_JSON_PROCESS_INSTANTS
               ? name
               : t->unnamed_slice;
}

/* What an event of this phase does to the stack of its track: B, E, X, i, or 0 for nothing. Async phases only count on
 * async tracks. */
static inline uint8_t pf_phase_action(uint8_t phase, bool async)
{
    switch (phase) {
    case 'B':
    case 'E':
    case 'X':
        return phase;
    case 'i':
    case 'I':
    case 'R':
        return 'i';
    case 'b':
    case 'S':
        return async ? 'B' : 0;
    case 'e':
    case 'F':
        return async ? 'E' : 0;
    case 'n':
    case 'T':
    case 'p':
        return async ? 'i' : 0;
    default:
        return 0;
    }
}

/* Stretches the bounds over something that no table has a row for. */
static inline void pf_trace_cover(pf_trace *t, int64_t from, int64_t to)
{
    t->covered.from = !t->covered.any || from < t->covered.from ? from : t->covered.from;
    t->covered.to = !t->covered.any || to > t->covered.to ? to : t->covered.to;
    t->covered.any = true;
}

/* Counts a fault; offset PF_NOWHERE if unknown. Only the first offset is kept. */
static inline void pf_trace_count(pf_trace *t, pf_stat_id id, uint64_t offset)
{
    if (t->stat_count[id]++ == 0) {
        t->stat_offset[id] = offset;
    }
}

/* A row of stats that has a value, 0 at first; idx: the CPU that it is of, or PF_NONE. PF_NONE: memory was refused. The
 * sum of what is worse than PF_INFO counts as faults. */
uint32_t pf_trace_add_stat_value(pf_trace *t, pf_stat_id id, uint32_t idx, pf_error *err);
void pf_trace_set_stat_value(pf_trace *t, uint32_t row, int64_t value, uint64_t offset);

/* Counts a fault of an event (PF_NONE: of none that is known), at its place if the reader noted it. Faults of the
 * stacks come in the order of time: of their places the first in the input is kept. */
void pf_trace_count_event(pf_trace *t, pf_stat_id id, uint32_t event);

/* The first index of `rows` (ascending) whose value is not below `row`. */
uint32_t pf_rows_lower_bound(const uint32_t *rows, uint32_t count, uint32_t row);

/* The same, looked for from a place that may be near. */
uint32_t pf_rows_lower_bound_near(const uint32_t *rows, uint32_t count, uint32_t row, uint32_t near);

/* The same, remembering the answer in *hint (0 at first): at once where rows are asked for in order, and in a few steps
 * where that leaves some out. */
static inline uint32_t pf_rows_seek(const uint32_t *rows, uint32_t count, uint32_t row, uint32_t *hint)
{
    uint32_t i = *hint;
    for (unsigned steps = 0; steps < 8 && i < count && rows[i] < row; steps++) {
        i++;
    }
    if ((i < count && rows[i] < row) || (i > 0 && rows[i - 1] >= row)) {
        i = pf_rows_lower_bound_near(rows, count, row, i);
    }
    *hint = i;
    return i;
}

/* The index of `row`, or PF_NONE. hint: as above, or NULL. */
static inline uint32_t pf_rows_find(const uint32_t *rows, uint32_t count, uint32_t row, uint32_t *hint)
{
    uint32_t i = hint ? pf_rows_seek(rows, count, row, hint) : pf_rows_lower_bound(rows, count, row);
    return i < count && rows[i] == row ? i : PF_NONE;
}

/* The arguments in row `i` of t->args are about to be read. */
static inline void pf_trace_note_args(const pf_trace *t, uint32_t i)
{
    if (!(t->own_args >> t->args.context[i] % PF_DECODERS_MAX & 1)) {
        pf_residence_note(t->residence, t->args.bytes[i]);
    }
}

/* pf_trace_visit_args for the arguments in row `i` of t->args. */
pf_status pf_trace_visit_args_at(const pf_trace *t, uint32_t i, const pf_arg_visitor *v, pf_error *err);

/* pf_trace_visit_args for rows that mostly ascend, with the bytes of the next ones fetched; hint: 0 at first. */
pf_status pf_trace_visit_args_near(const pf_trace *t, uint32_t row, uint32_t *hint, const pf_arg_visitor *v,
                                   pf_error *err);

/* ---- derived tables (model/slices/slices.c)
 * ----------------------------------------------------------------------------- */

/* Stable sort of `order` (count rows) so that never after(ctx, order[i], order[i+1]); model/trace/row_sort.h says
 * how. scratch: count entries. */
void pf_sort_rows(uint32_t *order, uint32_t *scratch, uint32_t count,
                  bool (*after)(const void *ctx, uint32_t a, uint32_t b), const void *ctx);

/* The same of the rows 0 to count - 1, in order of their numbers where neither is after the other. */
void pf_order_rows(uint32_t *order, uint32_t *scratch, uint32_t count,
                   bool (*after)(const void *ctx, uint32_t a, uint32_t b), const void *ctx);

/* A permutation of the event rows in processing order (docs/reference/perfetto.md, "Order of events" and "JSON order"):
 * by ts, ties in file order, or, where the trace has complete events and is not in order, ends first, then complete
 * events by decreasing dur, then the rest in file order. *order is NULL if file order already is that order; else
 * budget memory of events.count entries.
 */
pf_status pf_trace_event_order(const pf_trace *t, pf_budget *budget, uint32_t **order, pf_error *err);

/* end_names.c: the name column of the events, in which ends without a name have that of the slice that they close, for
 * inputs of which that is true (pf_input.ends_unnamed): a copy in the arena, or the column itself. */
pf_status pf_trace_end_names(const pf_trace *t, pf_arena *arena, const uint32_t **names, pf_error *err);

/* Appends an arrow between two slices; event as in pf_flows. */
pf_status pf_trace_add_arrow(pf_trace *t, uint32_t slice_out, uint32_t slice_in, uint64_t trace_id, uint32_t event,
                             pf_error *err);

/* model/finish/states.c: the table of states. */
pf_status pf_trace_build_states(pf_trace *t, pf_error *err);

pf_status pf_trace_build_slices(pf_trace *t, pf_error *err);

/* slice_call_stacks.c: which slices the rows of PF_SIDE_EVENT_STACK belong to. */
void pf_trace_place_stacks(pf_trace *t);

/* ---- holdings.c -------------------------------------------------------------------------------------------------- */

/* "375 events (cpu_op 300, cuda_runtime 70 and 2 more categories), 12 counter samples, 40 rows of neutrino_page";
 * "no events". */
void pf_trace_put_holdings(const pf_trace *t, pf_buffer *out);
