/* postfetto/trace.h - the trace: columnar tables of everything a reader learned.
 *
 * A table is a struct of plain arrays of equal length; a row number is the row's id, and ids do not move once reading
 * has finished. Names, categories and units are string ids (pf_trace_string); id 0 is NULL. Table and column names are
 * those of Perfetto's trace processor.
 *
 * Events come first: rows in file order, as close to the input as a row can be (unmatched ends, negative times and
 * 64-bit ids included). The tables slice and counter are derived from them. Only what pf_read_options.want names is
 * kept; a table that was not asked for has no rows.
 */
#ifndef POSTFETTO_TRACE_H
#define POSTFETTO_TRACE_H

#include "postfetto/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Several threads may use one trace at a time where all of them only read it (const pf_trace *). */
typedef struct pf_trace pf_trace;

/* ---- what to keep ------------------------------------------------------------------------------------------------ */
enum {
    PF_WANT_EVENTS = 1u << 0,   /* table event */
    PF_WANT_SLICES = 1u << 1,   /* table slice, with depth and parent */
    PF_WANT_COUNTERS = 1u << 2, /* table counter */
    PF_WANT_FLOWS = 1u << 3,    /* table flow */
    PF_WANT_ARGS = 1u << 4,     /* the arguments of all events (those of metadata events are always kept) */
    PF_WANT_RECORDS = 1u << 7,  /* side tables with a row for each of very many records, where a reader has such */
    PF_WANT_TABLES = ((1u << 5) - 1) | PF_WANT_RECORDS, /* all of the above: what SQL sees */
    PF_WANT_ORIGINS = 1u << 5,          /* for conversions: what the events of a JSON trace say beyond their rows */
    PF_WANT_TO_WRITE = ((1u << 6) - 1), /* what a Perfetto trace is written from */
    PF_WANT_NEW_SLICES = 1u << 8,       /* with ORIGINS: but those of slices, which are going to be made anew */
    PF_WANT_NOTES = 1u << 9,            /* as ORIGINS, of what a conversion noted, and of members next to events */
    PF_WANT_PLACES = 1u << 11,      /* events of converted JSON as its document had them, also those without packets */
    PF_WANT_WRITTEN_DUR = 1u << 10, /* durations of JSON as they are written, where rows round them or lack them */
    PF_WANT_RAW_EVENTS = 1u << 12,  /* a row with arguments for each ftrace event: table ftrace_event */
    PF_WANT_LATE_STATES = 1u << 13, /* for SQL alone: thread_state and spurious_sched_wakeup are made for a statement */
    PF_WANT_MEMBERS = 1u << 14, /* of partials: their tables as bytes, to be read where they lie, in place of rows */
    PF_WANT_OFFSETS = 1u << 6,  /* where each event lies in the plain input, so that every fault has an offset */
    PF_WANT_ALL = (1u << 12) - 1 - PF_WANT_NEW_SLICES /* but RAW_EVENTS; the other three that it lacks ask for less */
};

/* ---- time -------------------------------------------------------------------------------------------------------- */

/* The unit of every ts and dur of the trace: cycles if all inputs are in cycles. Times are exact integers in it; in
 * outputs one cycle is shown as 1 ns and the trace says so (metadata postfetto.time_unit = "cycle"). */
typedef enum pf_time_unit { PF_UNIT_NS = 0, PF_UNIT_CYCLE } pf_time_unit;

PF_API pf_time_unit pf_trace_time_unit(const pf_trace *t);

/* "perfetto", "chrome-json", "aie", "torch", ...: who wrote the trace, as far as the reader can tell; "mixed" if inputs
 * differ (pf_input.dialect). */
PF_API const char *pf_trace_dialect(const pf_trace *t);

/* ---- inputs ------------------------------------------------------------------------------------------------------ */

/* Packets of a binary trace, by the field that their data is in; 255 stands for all fields from there on. */
typedef struct pf_packet_kind {
    uint32_t field;
    const char *name;
    uint64_t packets, bytes;
} pf_packet_kind;

typedef struct pf_input {
    const char *path;      /* as given by the caller; "-" for standard input */
    const uint8_t *stored; /* the input's bytes as stored, mapped or copied */
    uint64_t stored_bytes;
    uint64_t plain_bytes; /* after decompression */
    bool is_directory;    /* a folder: `stored` is NULL, the sizes are those of what was read in it */
    const char *format;   /* name of the reader: "chrome-json", "perfetto" */
    const char *dialect;  /* see pf_trace_dialect */
    pf_time_unit unit;
    const char *compression; /* "none", "gzip", "zstd", "zip" */
    uint32_t first_event;    /* events [first_event, first_event + events) came from this input */
    uint32_t events;
    uint32_t first_metadata, metadata; /* the same of table metadata */
    bool has_service_events;           /* binary: flush/read markers of a long recording; see write.h, annotate */
    uint32_t max_sequence_id;          /* binary: largest trusted_packet_sequence_id used */
    uint32_t machine_id;               /* binary: of the machine of the first packet; 0 if it does not say */
    uint32_t sequences;                /* binary: how many there are */
    size_t packet_kinds;               /* binary: by field number; packets that were in compressed ones count too */
    const pf_packet_kind *packets;
    bool plain_ties;      /* events of equal times stay in file order (binary traces), without Chrome's rules */
    bool ends_unnamed;    /* an end without a name closes the innermost open slice of its track, and means its name */
    const char *variant;  /* what of several forms of its format the input has, in a few words; NULL: there is one */
    bool converted;       /* binary: out of Chrome JSON, by us */
    bool converted_pairs; /* which had complete events: they are begins and ends that say nothing */
} pf_input;

PF_API size_t pf_trace_input_count(const pf_trace *t);
PF_API const pf_input *pf_trace_input(const pf_trace *t, size_t i);

/* The input that an event came from. */
PF_API uint32_t pf_trace_event_input(const pf_trace *t, uint32_t row);

/* ---- strings ----------------------------------------------------------------------------------------------------- */

/* The text of a string id; {NULL, 0} for id 0. JSON's lone surrogates are kept in three-byte form (WTF-8). */
PF_API pf_str pf_trace_string(const pf_trace *t, uint32_t id);

/* The id of a text that some row uses, or PF_NONE. */
PF_API uint32_t pf_trace_find_string(const pf_trace *t, pf_str text);

/* ---- events ------------------------------------------------------------------------------------------------------ */

/* Phases are Chrome's letters, whatever the format: B begin, E end, X complete, i instant, C counter, M metadata,
 * b e n S T F p async, s t f flow. An event whose time could not be read is kept with this bit set and ts 0. */
#define PF_PHASE_BAD_TS 0x80u

/* No letter at all: an event of earlier findings in a trace that was read without them
 * (pf_read_options.without_findings). */
#define PF_PHASE_LEFT_OUT PF_PHASE_BAD_TS

/* A letter that Chrome does not use: the event names the state that its track is in from then on (binary traces). */
#define PF_PHASE_STATE 'Z'

typedef struct pf_events {
    uint32_t count;
    const int64_t *ts;
    const int64_t *dur; /* NULL if the trace has no complete events; meaningful for phase X only, -1 unusable */
    const uint8_t *phase;
    const uint32_t *name;     /* string id */
    const uint32_t *category; /* string id; NULL if no event has a category */
    const uint32_t *track;    /* row of table track */
} pf_events;

PF_API const pf_events *pf_trace_events(const pf_trace *t);

/* Byte offset in the plain input of event `row`, where the reader noted it (events with PF_PHASE_BAD_TS always);
 * else PF_NOWHERE. */
PF_API uint64_t pf_trace_event_offset(const pf_trace *t, uint32_t row);

/* ---- slices and counters ----------------------------------------------------------------------------------------- */

typedef struct pf_slices {
    uint32_t count;     /* ordered by ts; ties in order of the stack algorithm (docs/reference/perfetto.md, "Slices") */
    const int64_t *dur; /* -1: never closed; 0: instant or empty */
    const uint32_t *track;
    const uint32_t *depth;
    const uint32_t *parent;    /* row of table slice, or PF_NONE */
    const uint32_t *event;     /* row of the begin, complete or instant event */
    const uint32_t *end_event; /* row of the end event, or PF_NONE */
    /* Thread clocks in ns and instruction counts; NULL if no slice has any, INT64_MIN where unknown. */
    const int64_t *thread_ts, *thread_dur;
    const int64_t *thread_instruction_count, *thread_instruction_delta;
    /* What a slice has from the event that begins it: columns of the event table, for the functions below. */
    const int64_t *event_ts;
    const uint32_t *event_name, *event_category; /* category: NULL if no event has one */
    const uint32_t *own_name;                    /* by slice; NULL if all slices are called as their events */
} pf_slices;

PF_API const pf_slices *pf_trace_slices(const pf_trace *t);

/* What slices have from the events that begin them: the time, in the unit of the trace; names and categories as string
 * ids. */
static inline int64_t pf_slice_ts(const pf_slices *s, uint32_t row)
{
    return s->event_ts[s->event[row]];
}

static inline uint32_t pf_slice_name(const pf_slices *s, uint32_t row)
{
    return s->own_name ? s->own_name[row] : s->event_name[s->event[row]];
}

static inline uint32_t pf_slice_category(const pf_slices *s, uint32_t row)
{
    return s->event_category ? s->event_category[s->event[row]] : 0;
}

typedef struct pf_counters {
    uint32_t count; /* ordered by ts, ties in file order */
    const int64_t *ts;
    const double *value; /* in the unit of the track */
    const uint32_t *track;
    const uint32_t *event; /* row of table event, or PF_NONE */
} pf_counters;

PF_API const pf_counters *pf_trace_counters(const pf_trace *t);

/* Arrows between slices: from the one that a flow id was seen on last to the next one with it, in time order. */
typedef struct pf_flows {
    uint32_t count;
    const uint32_t *slice_out;
    const uint32_t *slice_in;
    const uint64_t *trace_id; /* the flow id; for Chrome's s/t/f flows a number in order of appearance */
    const uint32_t
        *event; /* row of an event with the name and category of an s/t/f flow, else PF_NONE; NULL if all are */
} pf_flows;

/* trace_id of arrows that have none: between GPU work and what submits it or waits for it. */
#define PF_FLOW_NO_ID ((uint64_t)1 << 63)

PF_API const pf_flows *pf_trace_flows(const pf_trace *t);

/* ---- processes, threads, tracks ---------------------------------------------------------------------------------- */

/* How a pid or tid was written. Ids compare by value: 2 and 2.0 are one process, 0 and "0" are two, and an absent id
 * is a process of its own. */
typedef enum pf_id_kind { PF_ID_INT = 0, PF_ID_TEXT, PF_ID_REAL, PF_ID_ABSENT } pf_id_kind;

typedef struct pf_processes {
    uint32_t count;              /* row = upid; row 0 is the idle process that Perfetto always has */
    const int64_t *pid;          /* TEXT and fractional REAL ids get numbers from 2^32 on; ABSENT is 0 */
    const uint8_t *kind;         /* pf_id_kind of the first spelling */
    const uint32_t *text;        /* string id: TEXT: the text; REAL: the number as written; else 0 */
    const uint32_t *name;        /* string id */
    const int64_t *start_ts;     /* INT64_MIN = unknown */
    const uint64_t *uuid;        /* binary: the TrackDescriptor uuid of the process, 0 if it has none */
    const int64_t *end_ts;       /* INT64_MIN = unknown */
    const int64_t *uid;          /* INT64_MIN = unknown */
    const uint32_t *parent_upid; /* PF_NONE = unknown */
    const uint32_t *cmdline;     /* string id */
    const uint32_t *input;       /* the input that named it first */
} pf_processes;

typedef struct pf_threads {
    uint32_t count; /* row = utid; row 0 is the idle thread */
    const int64_t *tid;
    const uint8_t *kind;
    const uint32_t *text;
    const uint32_t *upid; /* its process; PF_NONE = unknown (threads of ftrace events) */
    const uint32_t *name;
    const uint8_t *is_main;
    const uint64_t *uuid;             /* binary: the TrackDescriptor uuid of the thread, 0 if it has none */
    const int64_t *start_ts, *end_ts; /* INT64_MIN = unknown */
} pf_threads;

PF_API const pf_processes *pf_trace_processes(const pf_trace *t);
PF_API const pf_threads *pf_trace_threads(const pf_trace *t);

/* X(id, name, is a counter): the types of tracks, with Perfetto's names. Overlap lanes hold complete events that do not
 * nest. */
#define PF_TRACK_TYPES(X)                                                                                              \
    X(THREAD_EXECUTION, "thread_execution", false)                                                                     \
    X(THREAD_EVENT, "thread_track_event", false)                                                                       \
    X(PROCESS_EVENT, "process_track_event", false)                                                                     \
    X(GLOBAL_EVENT, "global_track_event", false)                                                                       \
    X(THREAD_MERGED, "thread_merged_track_event", false)                                                               \
    X(PROCESS_MERGED, "process_merged_track_event", false)                                                             \
    X(GLOBAL_MERGED, "global_merged_track_event", false)                                                               \
    X(THREAD_OVERLAP, "thread_overlapping_slice", false)                                                               \
    X(THREAD_COUNTER, "thread_counter_track_event", true)                                                              \
    X(PROCESS_COUNTER, "process_counter_track_event", true)                                                            \
    X(GLOBAL_COUNTER, "global_counter_track_event", true)                                                              \
    X(JSON_COUNTER, "json_counter", true)                                                                              \
    X(JSON_GLOBAL_INSTANTS, "legacy_chrome_global_instants", false)                                                    \
    X(JSON_PROCESS_INSTANTS, "chrome_process_instant", false)                                                          \
    X(LEGACY_ASYNC_GLOBAL, "legacy_async_global_slice", false)                                                         \
    X(LEGACY_ASYNC_PROCESS, "legacy_async_process_slice", false)                                                       \
    X(THREAD_STATE, "thread_state_track_event", false)                                                                 \
    X(PROCESS_STATE, "process_state_track_event", false)                                                               \
    X(GLOBAL_STATE, "global_state_track_event", false)                                                                 \
    X(GPU_RENDER_STAGE, "gpu_render_stage", false)                                                                     \
    X(GPU_LOG, "gpu_log", false)                                                                                       \
    X(VULKAN_EVENTS, "vulkan_events", false)                                                                           \
    X(TRIGGERS, "triggers", false)                                                                                     \
    X(GPU_COUNTER, "gpu_counter", true)                                                                                \
    X(GPU_MEMORY, "gpu_memory", true)                                                                                  \
    X(PROCESS_GPU_MEMORY, "process_gpu_memory", true)                                                                  \
    X(PROCESS_MEMORY, "process_memory", true)                                                                          \
    X(PROCESS_OOM, "oom_score_adj", true)                                                                              \
    X(PROCESS_RUNTIME, "proc_stat_runtime", true)                                                                      \
    X(THREAD_TIME, "thread_time", true)                                                                                \
    X(THREAD_INSTRUCTIONS, "thread_instructions", true)                                                                \
    X(VULKAN_DRIVER_MEMORY, "vulkan_driver_mem", true)                                                                 \
    X(VULKAN_ALLOCATED, "vulkan_device_mem_allocation", true)                                                          \
    X(VULKAN_BOUND, "vulkan_device_mem_bind", true)                                                                    \
    X(CPU_FREQUENCY, "cpu_frequency", true)                                                                            \
    X(CPU_IDLE, "cpu_idle", true)                                                                                      \
    X(CPU_MAX_LIMIT, "cpu_max_frequency_limit", true)                                                                  \
    X(CPU_MIN_LIMIT, "cpu_min_frequency_limit", true)                                                                  \
    X(CPU_UTILIZATION, "cpu_utilization", true)                                                                        \
    X(CPU_CAPACITY, "cpu_capacity", true)                                                                              \
    X(CPU_RUNNING, "cpu_nr_running", true)                                                                             \
    X(CPU_TIMES, "cpustat", true)                                                                                      \
    X(CPU_IDLE_STATE, "cpu_idle_state", true)                                                                          \
    X(CLOCK_FREQUENCY, "clock_frequency", true)                                                                        \
    X(CLOCK_STATE, "clock_state", true)                                                                                \
    X(GPU_FREQUENCY, "gpu_frequency", true)                                                                            \
    X(MEMINFO, "meminfo", true)                                                                                        \
    X(VMSTAT, "vmstat", true)                                                                                          \
    X(BUDDYINFO, "buddyinfo", true)                                                                                    \
    X(SLABINFO, "slabinfo", true)                                                                                      \
    X(DISKSTAT, "diskstat", true)                                                                                      \
    X(PRESSURE, "psi", true)                                                                                           \
    X(THERMAL, "thermal_temperature_sys", true)                                                                        \
    X(IRQ_COUNT, "num_irq", true)                                                                                      \
    X(SOFTIRQ_COUNT, "num_softirq", true)                                                                              \
    X(FORKS, "num_forks", true)                                                                                        \
    X(IRQ_TOTAL, "num_irq_total", true)                                                                                \
    X(SOFTIRQ_TOTAL, "num_softirq_total", true)                                                                        \
    X(THREAD_MEMORY, "process_memory_thread_fallback", true)                                                           \
    X(THREAD_OOM, "oom_score_adj_thread_fallback", true)                                                               \
    X(ATRACE_COUNTER, "atrace_counter", true)                                                                          \
    X(SCREEN_STATE, "screen_state", true)                                                                              \
    X(BATTERY_STATS, "battery_stats", true)                                                                            \
    X(ATRACE_ASYNC, "atrace_async_slice", false)                                                                       \
    X(ATRACE_NAMED, "atrace_async_slice_for_track", false)                                                             \
    X(DEVICE_STATE, "android_device_state", false)                                                                     \
    X(LOW_MEMORY_KILLS, "android_lmk", false)                                                                          \
    X(CPU_IRQ, "cpu_irq", false)                                                                                       \
    X(CPU_SOFTIRQ, "cpu_softirq", false)                                                                               \
    X(SUSPEND_RESUME, "suspend_resume", false)                                                                         \
    X(WAKELOCK, "wakesource_wakelock", false)                                                                          \
    X(DRM_RING, "drm_sched_ring", false)                                                                               \
    X(DRM_FENCE, "drm_fence", false)                                                                                   \
    X(DRM_VBLANK, "drm_vblank", false)                                                                                 \
    X(VIRTGPU_QUEUE, "virtgpu_queue_event", false)                                                                     \
    X(VIRTGPU_FREE, "virtgpu_num_free", true)                                                                          \
    X(VIRTGPU_LATENCY, "virtgpu_latency", true)                                                                        \
    X(DMA_HEAP, "android_dma_heap", true)                                                                              \
    X(DMA_HEAP_CHANGE, "android_dma_heap_change", true)                                                                \
    X(DMA_ALLOCATIONS, "android_dma_allocations", false)                                                               \
    X(EXPECTED_FRAMES, "android_expected_frame_timeline", false)                                                       \
    X(ACTUAL_FRAMES, "android_actual_frame_timeline", false)                                                           \
    X(BATTERY, "battery_counter", true)                                                                                \
    X(POWER_RAIL, "power_rails", true)                                                                                 \
    X(PROPERTY, "sysprop_counter", true)                                                                               \
    X(PERF_COUNTER, "perf_cpu_counter", true)

typedef enum pf_track_type {
#define PF_TRACK_ENUM(id, name, counter) PF_TRACK_##id,
    PF_TRACK_TYPES(PF_TRACK_ENUM)
#undef PF_TRACK_ENUM
        PF_TRACK_TYPE_COUNT
} pf_track_type;

PF_API const char *pf_track_type_name(pf_track_type type);
PF_API bool pf_track_type_is_counter(pf_track_type type);

typedef struct pf_tracks {
    uint32_t count; /* a row may have no slice and no counter: Perfetto then shows no track (column `used`) */
    const uint8_t *type;
    const uint32_t *name;   /* string id */
    const uint32_t *upid;   /* also of a thread's track; PF_NONE if global */
    const uint32_t *utid;   /* PF_NONE if not of a thread */
    const uint32_t *parent; /* row of table track, or PF_NONE */
    const uint32_t *unit;   /* string id; counters */
    const uint32_t *group;  /* async tracks and overlap lanes of one group share a row of the group; else PF_NONE */
    const uint64_t *uuid;   /* binary: TrackDescriptor uuid; else 0 */
    const uint8_t *used;    /* 1 if a slice or counter row refers to it */
} pf_tracks;

PF_API const pf_tracks *pf_trace_tracks(const pf_trace *t);

/* ---- arguments --------------------------------------------------------------------------------------------------- */

typedef enum pf_value_type {
    PF_VALUE_NULL = 0,
    PF_VALUE_BOOL,
    PF_VALUE_INT,
    PF_VALUE_UINT,
    PF_VALUE_REAL,
    PF_VALUE_STRING,
    PF_VALUE_POINTER,
    PF_VALUE_JSON
} pf_value_type;

typedef struct pf_value {
    pf_value_type type;
    union {
        bool b;
        int64_t i;
        uint64_t u;
        double d;
        pf_str s; /* valid during the callback only */
    } as;
    pf_str
        spelling; /* JSON: a REAL as it was written, or an integer beyond 64 bits; else ptr NULL. During the callback */
} pf_value;

/* Receives the arguments of one event in order, nesting as begin/end pairs; a callback that returns other than PF_OK
 * ends the visit with that status. The key is {NULL, 0} inside arrays; an object or array there that takes an index in
 * Perfetto even if nothing in it is a value has the key {"", 0} (in arguments of JSON all do). Top-level keys carry
 * Perfetto's prefix: "args." for JSON (the word alone for the object itself is never sent), "debug." for debug
 * annotations, in whose names '.', '[' and ']' become '_' unless raw_names is set. */
typedef struct pf_arg_visitor {
    void *ctx;
    pf_status (*begin)(void *ctx, pf_str key, bool list); /* of a list, or of an object */
    pf_status (*end)(void *ctx);
    pf_status (*value)(void *ctx, pf_str key, const pf_value *value);
    bool raw_names; /* names of debug annotations as they are */
} pf_arg_visitor;

/* Decodes the arguments of event `row`. An event without arguments, or one whose arguments were not kept, visits
 * nothing and is PF_OK; damage inside ends the visit early and is PF_OK too (what is readable was visited). */
PF_API pf_status pf_trace_visit_args(const pf_trace *t, uint32_t row, const pf_arg_visitor *v, pf_error *err);

/* Decodes the arguments of all events and counts what is wrong inside them, which nothing else does: arguments are only
 * decoded when somebody asks for them. Ends early once *cancel is not 0 (NULL: never). */
PF_API void pf_trace_check_args(pf_trace *t, const volatile int *cancel);

/* Convenience: the top-level argument `key` (without prefix) of event `row`, if it is text. The text is copied into
 * buf (cap bytes, no terminator); returns its full length, or PF_NOWHERE if there is no such text argument. */
PF_API uint64_t pf_trace_arg_text(const pf_trace *t, uint32_t row, pf_str key, char *buf, size_t cap);

/* What event `row` of Chrome JSON says beyond the members that have a place in the tables: an object as JSON text with
 * those members as they are written, for instance {"attr":{"k":1},"cname":"good"}; {NULL, 0} if there are none, or
 * if the trace was read without PF_WANT_ORIGINS. Also of events that came through a conversion to a Perfetto trace. */
PF_API pf_str pf_trace_event_members(const pf_trace *t, uint32_t row);

/* Arguments of rows other than events: what a track is keyed by, what its descriptor said, labels of a process. Keys
 * are complete ("chrome.process_label[0]"); the flat key is the key without its indexes. In no particular order.
 * Dimensions of the row that names a group of tracks hold for all rows of the group. */
typedef enum pf_owner {
    PF_OWNER_TRACK_DIMENSION = 0,
    PF_OWNER_TRACK_SOURCE,
    PF_OWNER_PROCESS,
    PF_OWNER_THREAD,
    PF_OWNER_GPU,           /* of the SQL table gpu; the flat key is the key */
    PF_OWNER_VULKAN_MEMORY, /* of the SQL table vulkan_memory_allocations; likewise */
    PF_OWNER_CPU,           /* of the SQL table cpu; likewise */
    PF_OWNER_FTRACE_EVENT   /* of the SQL table ftrace_event; likewise */
} pf_owner;

typedef struct pf_row_args {
    uint32_t count;
    const uint8_t *owner;  /* pf_owner */
    const uint32_t *row;   /* of the owner's table */
    const uint32_t *key;   /* string id */
    const uint8_t *type;   /* pf_value_type */
    const int64_t *number; /* BOOL, INT, UINT, POINTER; the bits of the double for REAL */
    const uint32_t *text;  /* string id: STRING, JSON */
} pf_row_args;

PF_API const pf_row_args *pf_trace_row_args(const pf_trace *t);

/* ---- clocks ------------------------------------------------------------------------------------------------------ */

typedef struct pf_clock_snapshots {
    uint32_t count;    /* a row per clock of a snapshot */
    const int64_t *ts; /* of the snapshot, in trace time */
    const int64_t *clock_id;
    const uint32_t *clock_name; /* string id; 0 for clocks that are not built in */
    const int64_t *clock_value; /* ns */
    const uint32_t *snapshot_id;
} pf_clock_snapshots;

PF_API const pf_clock_snapshots *pf_trace_clock_snapshots(const pf_trace *t);

/* ---- metadata and damage ----------------------------------------------------------------------------------------- */

typedef struct pf_metadata {
    uint32_t count;
    const uint32_t *name; /* string id, for instance "trace_attribute.postfetto.version" */
    const uint32_t *text; /* string id; 0 if the value is a number */
    const int64_t *number;
    const uint32_t *input; /* the input that says it */
} pf_metadata;

PF_API const pf_metadata *pf_trace_metadata(const pf_trace *t);

typedef enum pf_severity { PF_INFO = 0, PF_NOTICE, PF_DATA_LOSS, PF_ERROR } pf_severity;

/* One kind of recoverable fault; names are Perfetto's where Perfetto has one, else start with "postfetto_". */
typedef struct pf_stat {
    const char *name;
    pf_severity severity;    /* as Perfetto's engine has it; some of its errors lose nothing */
    bool loss;               /* something that was recorded is missing from the tables */
    const char *source;      /* "trace": the recording is to blame; "analysis": what was made of it */
    const char *description; /* one line for a person */
    uint64_t count;
    uint64_t first_offset; /* plain bytes; PF_NOWHERE if unknown */
} pf_stat;

/* All kinds, also those that never happened (count 0), over all inputs or of one. The offset is that of the first input
 * that has the fault. */
PF_API size_t pf_trace_stat_count(const pf_trace *t);
PF_API void pf_trace_stat_get(const pf_trace *t, size_t i, pf_stat *out, size_t size);
PF_API void pf_trace_input_stat_get(const pf_trace *t, size_t input, size_t i, pf_stat *out, size_t size);
static inline pf_stat pf_trace_stat(const pf_trace *t, size_t i)
{
    pf_stat s;
    pf_trace_stat_get(t, i, &s, sizeof s);
    return s;
}

static inline pf_stat pf_trace_input_stat(const pf_trace *t, size_t input, size_t i)
{
    pf_stat s;
    pf_trace_input_stat_get(t, input, i, &s, sizeof s);
    return s;
}

PF_API const char *pf_severity_name(pf_severity s); /* "info", "notice", "data_loss", "error" */

/* First and last time of the trace, as Perfetto's trace_bounds (docs/reference/perfetto.md, "Bounds"); 0, 0 if empty.
 */
PF_API void pf_trace_bounds(const pf_trace *t, int64_t *start, int64_t *end);

/* Memory owned by the trace now and at its peak, in bytes; mapped files are not in it. */
PF_API void pf_trace_memory(const pf_trace *t, uint64_t *now, uint64_t *peak);

/* What a table takes. */
typedef struct pf_table_size {
    const char *name;
    uint32_t rows;
    uint64_t bytes; /* of the cells of all rows; texts and bytes that they refer to are elsewhere, each once */
} pf_table_size;

/* The i-th table of the trace, main tables first, those that only the library uses among them, then side tables. False
 * after the last. */
PF_API bool pf_trace_table_size_get(const pf_trace *t, size_t i, pf_table_size *out, size_t size);
static inline bool pf_trace_table_size(const pf_trace *t, size_t i, pf_table_size *out)
{
    return pf_trace_table_size_get(t, i, out, sizeof *out);
}

/* NULL is legal. The memory of a trace goes when traces derived from it and Arrow arrays of its tables (export.h) are
 * gone, too. */
PF_API void pf_trace_free(pf_trace *t);

#ifdef __cplusplus
}
#endif
#endif
