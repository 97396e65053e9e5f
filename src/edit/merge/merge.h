/* edit/merge/merge.h - what the steps of a merge share.
 *
 * A merge goes through its inputs twice, each time one after the other. The first time it lists what could be mistaken
 * for something of another input (inventory.c) and reads all snapshots of clocks (state.c). Then it decides which ids
 * become others (merge_plan.c). The second time every packet is written with its new ids and its new times (rewrite.c).
 * Nothing of the inputs is kept but ids and the state of sequences.
 *
 * Inputs that `cut` or `split` made of one trace (they say so, edit/cut/cut_source.h) share a space: their ids mean the
 * same. What was cut is joined again: a begin, end or value that stands where the cut was is left out where the input
 * has its other half.
 */
#pragma once

#include "base/buffer.h"
#include "base/map.h"
#include "edit/packets/packet_stream.h"
#include "edit/state/moments.h"
#include "output/sink.h"
#include "perfetto/decode/bundle.h"
#include "perfetto/role_walk.h"
#include "perfetto/seqstate.h"
#include "postfetto/edit.h"

/* Ids of which each is known; PEOPLE: pids and tids, which are one space of numbers as Linux has it. */
typedef enum merge_set { MERGE_SEQUENCES = 0, MERGE_TRACKS, MERGE_PEOPLE, MERGE_SETS } merge_set;

/* Ids of which there may be millions, or that are counted from 0 on: only their range is known. OPERATIONS: legacy
 * async ones. */
typedef enum merge_range_kind {
    MERGE_FLOWS = 0,
    MERGE_OPERATIONS,
    MERGE_STAGES,
    MERGE_GPUS,
    MERGE_GPU_COUNTERS,
    MERGE_RANGES
} merge_range_kind;

typedef struct merge_moved {
    pf_map by_id; /* id -> place in the list */
    uint64_t *to;
    uint64_t *from;
    uint32_t count, room, from_room;
} merge_moved;

/* An id becomes id + add. */
typedef struct merge_range {
    bool seen;
    uint64_t least, most;
    uint64_t add;
} merge_range;

/* Of one input, or of several that are parts of one trace: the first of them has the same number. */
typedef struct merge_space {
    merge_moved moved[MERGE_SETS];
    merge_range range[MERGE_RANGES];
    uint32_t parts;
    bool has_cpus;                    /* packets say what its CPUs did */
    struct merge_switch *last_switch; /* by cpu; NULL: of no cpu */
    bool uses_default;                /* events stand on no track */
    uint64_t default_track;           /* which becomes this one; 0: stays */
    bool default_described;
    bool real_said; /* a snapshot makes readings of REALTIME times of the result */
    const char *label;
} merge_space;

/* What the first value of an incremental counter said, which was left out; its next value is larger by it. */
typedef struct merge_carry {
    uint32_t sequence;
    uint64_t uuid;
    double value;
} merge_carry;

/* A track that stands alone and that no descriptor names: Perfetto calls it after the first event on it. */
typedef struct merge_nameless {
    uint64_t uuid;
    uint32_t name;        /* of that event, in the texts of the merge; 0: it has none */
    bool described, used; /* by a descriptor; by an event */
} merge_nameless;

typedef struct merge_input {
    pf_merge_input *given;
    const char *path; /* that is read: of `given`, or of what stands in for it */
    char stand_in[40];
    int fd; /* of the file that stands in, or -1 */
    char *label;
    uint64_t source; /* hash of the trace that it is a part of; 0: none is said */
    uint32_t number, space;
    merge_moved shared[MERGE_SETS]; /* ids that an input before has, too; `to` is not used */
    bool rewritten;                 /* its times are those of the result, and its clocks are gone */
    bool timed;
    int64_t first; /* time of its packets, as it has them */
    bool has_events;
    int64_t first_event, last_event;
    pf_times times;
    merge_carry *carry;
    uint32_t carry_count, carry_room;
    uint64_t cpus[PF_FTRACE_CPUS / 64]; /* a bit for each that switched so far */
    pf_map tracks;                      /* uuid -> place in the list of nameless tracks, MERGE_NAMED: it is none */
    merge_nameless *nameless;
    uint32_t nameless_count, nameless_room;
    uint64_t last_uuid; /* that an event had */
    pf_sequences sequences;
    uint32_t turn; /* merge_rows.c: what was found out in an earlier one may be wrong */
} merge_input;

/* When a packet happened, in the trace time of its input. */
typedef struct merge_moment {
    pf_when when; /* unknown: it is in no table */
    bool legacy;  /* the event says it, and not the packet */
    int64_t ts;
} merge_moment;

typedef struct merge_pair {
    uint64_t id, key;
    uint32_t input;
} merge_pair;

typedef struct merge {
    const pf_merge_options *o;
    pf_read_options read;
    pf_write_options write;
    pf_merge_result *result;
    pf_budget budget;
    merge_input *input;
    uint32_t input_count;
    merge_space *space;       /* as many as inputs, some without a part */
    uint32_t space_count;     /* of those with parts */
    pf_map owner[MERGE_SETS]; /* id -> the first input that has it */
    pf_map names;             /* hash of a name -> the first input that has it, or MERGE_SHARED */
    merge_pair *again;        /* names that another input has, too: its hash, and which */
    uint32_t again_count, again_room;
    pf_map roots; /* with merge_pids: hash of pid and tid -> the first of root that has it */
    merge_pair *root;
    uint32_t root_count, root_room;
    uint64_t next_sequence, next_person; /* where to look for one that nobody has */
    pf_strings texts;                    /* names of events */
    pf_arena arena;                      /* of the generations */
    pf_generations *generations;
    pf_map incremental;      /* uuids of counters whose values are differences */
    pf_ftrace_bundle bundle; /* in work */
    pf_buffer carried;       /* a packet with what it carries */
    pf_writer carried_writer;
    bool idle_seen;       /* an input has the idle process, and none before it a process of number 0 */
    bool stages_matter;   /* something refers to render stages */
    uint32_t named_clock; /* that rewritten packets name; 0: none */
    pf_sink sink;
    pf_buffer bytes; /* of the packet in work */
    pf_buffer rows;  /* packets of rows that are to be written */
    pf_writer writer;
    pf_role_walk walk, inner;
} merge;

enum { MERGE_SYS_STATS = 7 };    /* of TracePacket */
enum { MERGE_FTRACE_CLOCK = 5 }; /* of a bundle */

#define MERGE_SHARED (UINT32_MAX - 1)
#define MERGE_NAMED (UINT32_MAX - 1)

/* Of TrackDescriptor and what it holds. */
enum {
    MERGE_TRACK_UUID = 1,
    MERGE_TRACK_NAME = 2,
    MERGE_TRACK_PROCESS = 3,
    MERGE_TRACK_THREAD = 4,
    MERGE_TRACK_PARENT = 5,
    MERGE_TRACK_COUNTER = 8,
    MERGE_TRACK_STATIC_NAME = 10,
    MERGE_TRACK_ATRACE_NAME = 13,
    MERGE_TRACK_MERGE_KEY = 16
};
enum { MERGE_PROCESS_PID = 1, MERGE_PROCESS_NAME = 6 };
enum { MERGE_THREAD_PID = 1, MERGE_THREAD_TID = 2 };
enum { MERGE_ATTRIBUTE = 1, MERGE_ATTRIBUTE_KEY = 1, MERGE_ATTRIBUTE_LONG = 2, MERGE_ATTRIBUTE_TEXT = 3 };
enum {
    MERGE_STAGE_GPU = 11,
    MERGE_COUNTERS_GPU = 3,
    MERGE_COUNTERS_ENTRY = 4,
    MERGE_ENTRY_GPU = 3,
    MERGE_MEMORY_GPU = 1
};
enum { MERGE_TREE_COMMAND = 3, MERGE_TREE_IS_KTHREAD = 8, MERGE_TREE_IS_COMM = 9 };

/* ---- state.c: sequences and clocks of an input ------------------------------------------------------------------- */

void pf_merge_state_init(merge *m, merge_input *in);
void pf_merge_state_again(merge *m, merge_input *in); /* before the second time */
void pf_merge_state_free(merge_input *in);

/* Takes what the packet changes, and says when it happened. */
pf_status pf_merge_take(merge *m, merge_input *in, const pf_raw_packet *p, merge_moment *at, pf_error *err);

/* Whether the packet is about tracks, processes or threads, and happens at no time of importance. */
bool pf_merge_describes(const pf_raw_packet *p);

/* The sequence of the packet, or NULL. */
pf_sequence *pf_merge_sequence(merge_input *in, const pf_raw_packet *p);

/* A time of the input as a time of the result; and a reading of a clock that every system has, which is left alone
 * where nothing relates it. */
int64_t pf_merge_place(const merge_input *in, int64_t ts);
int64_t pf_merge_place_clock(merge *m, merge_input *in, uint32_t clock, int64_t value);

/* Whether nothing in the result relates REALTIME, and the input does: its readings become times of the result. */
bool pf_merge_lacks_real(const merge *m, const merge_input *in);

/* A reading of `clock` as one of BOOTTIME; false, where nothing relates the clock. */
bool pf_merge_place_boot(merge *m, merge_input *in, uint32_t clock, int64_t value, int64_t *boot);

/* ---- inventory.c ------------------------------------------------------------------------------------------------- */

typedef struct merge_track {
    uint64_t uuid, parent;
    bool process, thread; /* it is the track of one */
    uint64_t pid, tid;
    bool global; /* it stands alone: of no process, below no other track */
    bool counter;
} merge_track;

merge_track pf_merge_track_of(pf_field descriptor);

/* Whether a pid or tid is that of a CPU without work, which is the same in all inputs. Descriptors mean a process of
 * that number, as traces of GPUs have it. */
static inline bool pf_merge_is_idle(const pf_role_field *f)
{
    return f->field.value == 0 && f->message != PF_MSG_PROCESS && f->message != PF_MSG_THREAD;
}

/* ---- switches.c -------------------------------------------------------------------------------------------------- */

/* What stands for the last switch before a part in its first bundle of a cpu: a list's first entry, an event. */
/* When the last switch of a cpu was, in the clock of its bundle. */
typedef struct merge_switch {
    int64_t ts;
    bool any;
} merge_switch;

typedef struct merge_standing {
    bool compact;
    const uint8_t *event; /* its body; NULL: none */
} merge_standing;

/* Of the bundles of a part, in their order: what stands in one for a switch that an earlier part has. */
pf_status pf_merge_find_standing(merge *m, merge_input *in, const pf_raw_packet *p, merge_standing *out, pf_error *err);

/* The fields of a bundle without that. */
void pf_merge_put_bundle(pf_writer *out, const pf_field *bundle, const merge_standing *without);

/* The name that Perfetto gives a process of a tree by its command line: the first part, or of a single one its first
 * word. None for threads of the kernel, which are called the same everywhere. */
pf_str pf_merge_command_name(pf_field process);

/* Whether an event of that sequence (may be NULL) stands on the default track of the trace. */
bool pf_merge_on_default_track(const pf_sequence *q, pf_field event);

/* The field of a message that says which GPU it is about, where that is not said, so that it is GPU 0; 0: it is said,
 * or is about none. */
uint32_t pf_merge_silent_gpu(pf_message message, pf_field content);

/* Lists the ids and names of a packet. */
pf_status pf_merge_list(merge *m, merge_input *in, const pf_raw_packet *p, pf_error *err);

/* ---- nameless.c: tracks that are called after their first event -------------------------------------------------- */

/* Takes a descriptor, one that names its track or not; and an event on a track. */
pf_status pf_merge_list_descriptor(merge *m, merge_input *in, const merge_track *t, bool named, pf_error *err);
pf_status pf_merge_list_event(merge *m, merge_input *in, const pf_raw_packet *p, uint64_t uuid, pf_error *err);

/* The names that such tracks have, after the last packet. */
pf_status pf_merge_note_nameless(merge *m, merge_input *in, pf_error *err);

/* The name of such a track, where another input has it, too; else empty. */
pf_str pf_merge_shared_name(const merge *m, const merge_nameless *k);

/* Such a track, or NULL. */
const merge_nameless *pf_merge_find_nameless(const merge_input *in, uint64_t uuid);

/* ---- merge_plan.c ------------------------------------------------------------------------------------------------ */

uint64_t pf_merge_hash(const merge *m, pf_str text);

/* Notes that an input has an id, a name, the track of a process or thread. */
pf_status pf_merge_note_id(merge *m, merge_input *in, merge_set set, uint64_t id, pf_error *err);
pf_status pf_merge_note_name(merge *m, merge_input *in, pf_str name, pf_error *err);
pf_status pf_merge_note_root(merge *m, merge_input *in, const merge_track *t, pf_error *err);

bool pf_merge_name_is_shared(const merge *m, pf_str name);

pf_status pf_merge_plan(merge *m, pf_error *err);

uint64_t pf_merge_id(const merge_space *s, merge_set set, uint64_t id);
static inline uint64_t pf_merge_ranged(const merge_space *s, merge_range_kind kind, uint64_t id)
{
    return id + s->range[kind].add;
}

/* ---- joins.c: what cut has made at the edges of parts ------------------------------------------------------------ */

/* Whether the event is there only because the trace was cut, and another part has what it stands for. */
bool pf_merge_is_joined(const merge *m, const merge_input *in, const pf_raw_packet *p, const merge_moment *at);

/* Keeps the value of such an event, where that is of an incremental counter, for the next one. */
pf_status pf_merge_keep_value(merge *m, merge_input *in, const pf_raw_packet *p, pf_error *err);

/* Gives a render stage its whole length, adds what was kept to the values of an event: *p becomes the changed packet,
 * which holds until the next one. */
pf_status pf_merge_mend(merge *m, merge_input *in, pf_raw_packet *p, const merge_moment *at, pf_error *err);

/* ---- rewrite.c --------------------------------------------------------------------------------------------------- */

/* Says the tracks that nothing describes, where they must be told apart. */
pf_status pf_merge_describe_nameless(merge *m, const merge_input *in);

pf_status pf_merge_copy(merge *m, merge_input *in, const pf_raw_packet *p, const merge_moment *at, pf_error *err);

/* ---- merge_rows.c ------------------------------------------------------------------------------------------------ */

/* Takes rows from at->row on as far as that can be done without their packets: lists them or copies them. */
pf_status pf_merge_rows(merge *m, merge_input *in, pf_rows *b, pf_rows_at *at, bool copies, pf_error *err);

/* ---- stand_in.c: inputs that are no packets, or come once -------------------------------------------------------- */

/* Whether the path can be read once only; then makes a file without a name of it. */
pf_status pf_merge_keep_stream(merge *m, merge_input *in, pf_error *err);

/* Makes one of an input in another format. */
pf_status pf_merge_convert(merge *m, merge_input *in, pf_error *err);
