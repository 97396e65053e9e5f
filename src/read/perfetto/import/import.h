/* read/perfetto/import/import.h - phase 2 of reading: the state of one input while its rows are applied in file order,
 * and the words in which packets speak of it.
 *
 * Errors stick: im->err holds the first one, or PF_OK. The words below that return no status do nothing from then on;
 * a string id is 0 and a row PF_NONE then, and so is whatever they are used for. So the handlers of rare packets need
 * no checks, and pf_import_packet asks once for each packet. Events come by the million: what handles those returns a
 * status. */
#ifndef PF_READ_PERFETTO_IMPORT_IMPORT_H
#define PF_READ_PERFETTO_IMPORT_IMPORT_H

#include "perfetto/clock.h"
#include "perfetto/cold.h"
#include "perfetto/decode/batch.h"
#include "perfetto/seqstate.h"
#include "postfetto/author/reader.h"
#include "read/perfetto/track/uuids.h"
#include "read/support/reader.h"
#include "wire/cursor.h"

/* Where the bytes of the records being applied come from. */
typedef struct pf_span {
    const uint8_t *data;
    uint64_t offset; /* plain offset of data[0]; of the outer packet where `fixed` is set */
    bool fixed;      /* bytes out of a compressed packet: they have no offset of their own */
    bool stable;     /* they live as long as the trace */
} pf_span;

/* The time of a packet. */
typedef enum pf_when {
    PF_WHEN_KNOWN = 0, /* ts is trace time */
    PF_WHEN_LATER,     /* nothing relates its clock to the trace clock yet: ts counts in `clock` */
    PF_WHEN_MISSING    /* it has none that could be used */
} pf_when;

typedef struct pf_moment {
    int64_t ts;
    pf_clock_key clock;
    pf_when when;
} pf_moment;

/* An event or sample whose time is settled at the end of the file. */
typedef struct pf_deferred {
    uint32_t event, sample; /* rows, or PF_NONE */
    pf_clock_key clock;
    int64_t value;
    uint64_t offset; /* of the packet */
    bool counts;     /* stands for its packet: if the time remains unknown, the packet is counted as lost */
} pf_deferred;

/* An interning id that nothing had defined when its event was read; an entry of the same generation may still come. */
typedef struct pf_unresolved {
    uint32_t event; /* row */
    pf_intern_kind kind;
    const pf_generation *generation;
    uint64_t iid;
    const uint8_t *bytes; /* of the event, if one of several categories is meant, else NULL */
    uint32_t len;
    uint64_t offset; /* of the packet */
} pf_unresolved;

/* A legacy event that only a thread's track can hold, or that moves from the track it names to another one, while no
 * descriptor had described that track yet. */
typedef struct pf_waiting_event {
    uint32_t event; /* row */
    uint32_t state; /* of the track's uuid */
    uint64_t offset;
    bool moved; /* the track it names only has to be there */
} pf_waiting_event;

/* An asynchronous operation of legacy events. */
typedef struct pf_operation {
    uint64_t id;
    uint32_t track;
    uint32_t scope;   /* string id */
    int64_t named_at; /* time of the earliest event, which the track is named after */
} pf_operation;

typedef struct pf_operations {
    pf_operation *list;
    uint32_t count, room;
    pf_map by_key; /* id in `keys` -> index */
} pf_operations;

/* Packets and bytes by the field that the data is in. */
#define PF_INVENTORY_FIELDS 256u
#define PF_INVENTORY_OTHER (PF_INVENTORY_FIELDS - 1)

typedef struct pf_inventory {
    uint64_t packets[PF_INVENTORY_FIELDS], bytes[PF_INVENTORY_FIELDS];
} pf_inventory;

/* Numbers of the decoders of arguments. */
typedef struct pf_decoders {
    unsigned event;   /* of TrackEvents */
    unsigned passed;  /* of TrackEvents with a thread that they came from */
    unsigned name;    /* of process_name and thread_name */
    unsigned trigger; /* of triggers */
    unsigned system;  /* of slices of the kernel */
} pf_decoders;

/* What can be settled at the end of the input only. */
typedef struct pf_late {
    pf_deferred *times; /* packet_times.c */
    uint32_t time_count, time_room;
    pf_unresolved *names; /* packet_event.c */
    uint32_t name_count, name_room;
    pf_waiting_event *events; /* legacy.c */
    uint32_t event_count, event_room;
} pf_late;

/* track_descriptors.c: who named processes and threads, and what is noted of them. */
typedef struct pf_people {
    uint32_t process_key, thread_key; /* the strings process_name and thread_name */
    pf_map ranks;                     /* 2 * upid, or 2 * utid + 1 -> rank of who named it */
    pf_map notes;                     /* owner, row and key of a noted argument -> its row of the row arguments */
} pf_people;

/* trace_info.c: what the trace said about itself so far. */
typedef struct pf_about {
    uint32_t first_row; /* of the metadata: rows from here on are this input's */
    pf_map rows;        /* string id of the name -> row of the metadata */
    bool has_uuid, has_milestones, machine_known;
    uint32_t machine; /* number in the recording of the one that is read */
    uint64_t flushes; /* all_data_sources_flushed events */
} pf_about;

/* The machine that is read, and the first of its rows. */
typedef struct pf_this_machine {
    uint32_t number; /* of its row */
    uint32_t idle_upid, idle_utid, first_process;
} pf_this_machine;

/* apply/other_machines.c: packets of further machines, which are read one after the other when the input was. */
#define PF_OTHER_MACHINES 256u

typedef struct pf_other_packet {
    const uint8_t *bytes;
    uint64_t offset;
    uint32_t len, next;
    bool fixed;
} pf_other_packet;

typedef struct pf_other_machine {
    uint32_t raw_id, first, last; /* packets */
} pf_other_machine;

typedef struct pf_other_machines {
    pf_other_machine list[PF_OTHER_MACHINES];
    uint32_t count, packets, room;
    pf_other_packet *packet;
} pf_other_machines;

/* perfetto/inflate.c: packets out of compressed ones. */
typedef struct pf_unpacked {
    pf_rows *rows; /* NULL before the first */
    uint64_t bytes;
    uint32_t field;     /* the field that the last compressed packets came in, 0 before the first */
    pf_buffer left_out; /* apply/own_findings.c: stretches of the present ones */
} pf_unpacked;

/* system/: tracks, CPUs, and what packets of statistics said before. */
enum { PF_DISK_NUMBERS = 8 };

typedef struct pf_disk {
    uint64_t last[PF_DISK_NUMBERS];
} pf_disk;

typedef struct pf_late_sample {
    int64_t ts;
    double value;
    uint32_t utid, key; /* whose it is; string id of what it counts, or 0 */
} pf_late_sample;

/* ftrace/driver_events.c: what runs one after the other on a track, and what waits for its turn there. */
typedef struct pf_driver_line {
    uint32_t track, first, last; /* entries, or PF_NONE */
    bool emits;                  /* a context of fences that says when they are emitted */
} pf_driver_line;

typedef struct pf_driver_entry {
    uint64_t a,
        b; /* a fence: its number, 0; a job: the address of its fence and its id, or context and number of that */
    uint32_t next;
    bool fenced; /* the latter */
} pf_driver_entry;

typedef struct pf_driver_pages {
    uint64_t migrated, reclaimed, mapped;
} pf_driver_pages;

typedef struct pf_driver_lines {
    pf_map known;  /* number of what a line is known by -> line */
    pf_map busy;   /* number of a job that runs -> its line + 1, or 0 */
    pf_map arrows; /* number of a job that is queued -> id of the arrow to it, or 0 */
    pf_driver_line *line;
    uint32_t count, room;
    pf_driver_entry *entry;
    uint32_t entries, entry_room, last_arrow;
    pf_map pages_of; /* utid -> pages of the allocation that it is in */
    pf_driver_pages *pages;
    uint32_t page_count, page_room;
} pf_driver_lines;

typedef struct pf_system {
    pf_map tracks;                   /* number of what a track is known by -> its row */
    pf_map cpus;                     /* CPU -> its row */
    pf_map names;                    /* key of a statistic -> string id of its name, 0: it has none */
    pf_map disk_of;                  /* string id of a device -> index in disks */
    pf_map stat_rows;                /* kind of fault << 32 | CPU -> its row of stat_values */
    pf_map ftrace_began;             /* sequences whose FtraceStats said how the recording began */
    pf_map cookie_of;                /* number of a cookie's parts -> index in cookies */
    pf_map groups;                   /* number of a type, process and name -> the track that names the group */
    pf_map wakelocks;                /* track -> how often it is held */
    pf_map memory_users;             /* number of an address space -> utid */
    pf_map syscalls;                 /* number -> string id of its name */
    pf_map writers;                  /* utid -> 1 while it is in a call that writes */
    struct pf_cookie_state *cookies; /* system/kernel_events.h */
    uint32_t cookie_count, cookie_room;
    pf_late_sample *late;
    uint32_t late_count, late_room;
    pf_map stopped;   /* utid -> row of sched that ended without a state */
    bool generic;     /* there are packets of a kernel other than Linux */
    uint32_t suspend; /* name of the suspend_enter that is open, or 0; froze: processes were frozen in it */
    bool froze;
    pf_disk *disks;
    uint32_t disk_count, disk_room;
    pf_driver_lines lines;
    struct pf_binder *binder; /* android/binder.c; NULL before the first of its events */
    struct pf_rails *rails;   /* android/power.c; the same */
    struct pf_perf *perf;     /* system/perf_samples.c; the same */
    struct pf_frames *frames; /* android/frame_timelines.c; the same */
    uint32_t page_size;       /* bytes; 0 before a SystemInfo, as in Perfetto */
    bool keeps_early;         /* the recording wants what was in the kernel's buffers before */
    uint32_t trigger_track;   /* triggers.c; or PF_NONE */
} pf_system;

/* legacy.c: operations, clocks and instants of legacy events. */
typedef struct pf_legacy_state {
    pf_strings keys; /* what operations and flows are known by, numbered */
    pf_operations operations;
    pf_map clock_tracks; /* 2 * utid, + 1 for instructions -> counter track of the thread's clock */
    pf_map instants;     /* upid -> track of its process-wide instants; PF_NONE - 1 -> that of the global ones */
} pf_legacy_state;

/* event/logs_and_stacks.c: messages of logs. */
typedef struct pf_log {
    int64_t ts;
    int32_t priority;
    uint32_t order, utid, tag, message;
} pf_log;

typedef struct pf_logs {
    pf_log *list;
    uint32_t count, room;
} pf_logs;

/* Everything that a packet may be applied to; each part belongs to the files that its type names. */
typedef struct pf_import {
    pf_trace *t;
    pf_input *input;
    pf_reading *r;
    const pf_read_options *o;
    const pf_dialect *shown; /* the dialect that a process name gave away, or NULL */
    pf_error *err;
    pf_span span;
    pf_decoders decoders;

    pf_sequences sequences;   /* perfetto/seqstate.h */
    pf_uuid_tracks tracks;    /* track/uuids.h */
    pf_moves moves;           /* track/relocate.c */
    pf_clocks clocks;         /* perfetto/clock.h */
    pf_cold cold;             /* perfetto/cold.h */
    struct pf_gpu *gpu;       /* gpu/packet_gpu.h; NULL before the first GPU packet */
    struct pf_ftrace *ftrace; /* ftrace/ftrace.h; NULL: nothing of the kernel is expected */
    struct pf_lives *lives;   /* import/lifetimes.h; NULL: numbers of processes are not used again */
    pf_people people;
    pf_legacy_state legacy;
    pf_system system;
    pf_about about;
    pf_this_machine machine;
    pf_other_machines *others; /* NULL: there are none */
    pf_unpacked unpacked;
    pf_inventory inventory;
    pf_late late;
    pf_logs logs;

    uint64_t turn;     /* packet_apply_fast.c: what was found out in an earlier one may be wrong */
    int64_t latest_ts; /* latest time of a packet so far */
    bool has_sides;    /* some event has a log message or a call stack */
    pf_buffer scratch; /* joined categories */
} pf_import;

/* A packet that is no TrackEvent, as those see it who take packets of its kind. */
typedef struct pf_packet {
    const pf_record *r;
    pf_field data;       /* the last of the field that its data is in */
    pf_sequence *q;      /* or NULL */
    const pf_moment *at; /* NULL where it is taken before times matter */
} pf_packet;

/* Sources of names; a higher or equal rank replaces (docs/reference/perfetto.md, "Processes and threads"). */
enum {
    PF_RANK_THREAD_FTRACE = 1,
    PF_RANK_THREAD_TREE = 2,
    PF_RANK_THREAD_TYPE = 3, /* of Chrome's thread types */
    PF_RANK_THREAD_LEGACY = 3,
    PF_RANK_THREAD_DESCRIPTOR = 4,
    PF_RANK_THREAD_CONSTANT = 5, /* of the idle thread */
    PF_RANK_PROCESS_TYPE = 1,    /* of Chrome's process types; renderers have a rank of their own */
    PF_RANK_PROCESS_DESCRIPTOR = 2,
    PF_RANK_PROCESS_RENDERER = 3,
    PF_RANK_PROCESS_TREE = 4
};

/* The rank of the source that named a process or thread, or PF_NONE. */
static inline uint32_t pf_rank_of_process(const pf_import *im, uint32_t upid)
{
    return pf_map_get(&im->people.ranks, 2 * (uint64_t)upid);
}

static inline uint32_t pf_rank_of_thread(const pf_import *im, uint32_t utid)
{
    return pf_map_get(&im->people.ranks, 2 * (uint64_t)utid + 1);
}

/* A cpu as no other machine has it. */
static inline uint32_t pf_import_ucpu(const pf_import *im, uint32_t cpu)
{
    return im->machine.number * PF_UCPU_STEP + cpu;
}

/* The plain offset of a record. */
static inline uint64_t pf_import_offset(const pf_import *im, const pf_record *r)
{
    return im->span.fixed ? im->span.offset : im->span.offset + (uint64_t)(r->packet - r->header - im->span.data);
}

/* Counts a fault of a packet. */
static inline void pf_import_count(const pf_import *im, const pf_record *r, pf_stat_id id)
{
    pf_trace_count(im->t, id, pf_import_offset(im, r));
}

/* What is known of any batch may be wrong from here on: its lists began anew, or a packet may have changed more than to
 * add events. */
static inline void pf_known_forget(pf_import *im)
{
    im->turn++;
}

/* ---- import.c: words --------------------------------------------------------------------------------------------- */

static inline bool pf_import_failed(const pf_import *im)
{
    return im->err->code != PF_OK;
}

/* Memory was refused: becomes the error if there was none so far. */
pf_status pf_import_refuse(pf_import *im, size_t bytes);

/* The string id of a text, 0 of {NULL, 0}. */
uint32_t pf_import_text(pf_import *im, pf_str text);
uint32_t pf_import_word(pf_import *im, const char *word);

/* The text in im->scratch, and the same as a string id. */
pf_str pf_import_scratch_text(pf_import *im);
uint32_t pf_import_scratch(pf_import *im);

/* Two texts as one, in im->scratch. */
pf_str pf_import_join(pf_import *im, pf_str first, pf_str second);

/* The number of some bytes that something is known by, of structs without padding. PF_NONE after an error. */
uint32_t pf_import_key(pf_import *im, const void *parts, size_t len);

void pf_import_put(pf_import *im, pf_map *map, uint64_t key, uint32_t value);

/* Bytes of the packet in hand that live as long as the trace; NULL after an error. */
const uint8_t *pf_import_keep(pf_import *im, const pf_field *f);

/* A rare message, until the next one; NULL after an error. */
void *pf_import_unpack(pf_import *im, const ProtobufCMessageDescriptor *descriptor, const pf_field *f);

/* A new row of a side table, and of the tracks. upid: whom the track belongs to, or PF_NONE. */
uint32_t pf_import_side_row(pf_import *im, pf_side_id table);
uint32_t pf_import_track(pf_import *im, pf_track_type type, uint32_t name, uint32_t upid);

/* An argument of a row that is no event. */
void pf_import_arg(pf_import *im, pf_owner owner, uint32_t row, pf_str key, pf_value value);
void pf_import_arg_int(pf_import *im, pf_owner owner, uint32_t row, const char *key, int64_t number);
void pf_import_arg_text(pf_import *im, pf_owner owner, uint32_t row, const char *key, pf_str text);

/* A metadata row, one for each name: what is set again gets the new value. text {NULL, 0}: the value is a number. */
void pf_import_set_metadata(pf_import *im, pf_str name, pf_str text, int64_t number);
void pf_import_add_metadata(pf_import *im, pf_str name, pf_str text, int64_t number); /* a row, whatever there is */
void pf_import_set_text(pf_import *im, const char *name, pf_str text);
void pf_import_set_number(pf_import *im, const char *name, int64_t number);

/* A message, whose `order` this sets. */
void pf_import_add_log(pf_import *im, pf_log *log);

/* lifetimes.c: the rows of a process, of a thread, and of the main thread of a process; PF_NONE after an error. */
uint32_t pf_import_process(pf_import *im, int64_t pid);
uint32_t pf_import_thread(pf_import *im, int64_t pid, int64_t tid);
uint32_t pf_import_main_thread(pf_import *im, uint32_t upid);

/* ---- packet_times.c: when a packet happened ---------------------------------------------------------------------- */

pf_status pf_import_time(pf_import *im, const pf_record *r, const pf_sequence *q, pf_moment *at);

/* A time in ns of the monotonic clock; raw where nothing relates that clock to the trace clock. */
pf_status pf_import_monotonic(pf_import *im, int64_t ns, pf_moment *at);

/* The time that a row has for now: where its own is settled later, the latest one so far. */
static inline int64_t pf_import_now(const pf_import *im, const pf_moment *at)
{
    return at->when == PF_WHEN_KNOWN ? at->ts : im->latest_ts;
}

/* Notes a row whose time is settled at the end; an event stands for its packet. */
pf_status pf_import_defer(pf_import *im, const pf_record *r, const pf_moment *at, uint32_t event, uint32_t sample);

/* Words: an event of that time, whose ts this sets; a sample, where counters are wanted. */
void pf_import_add_event(pf_import *im, const pf_record *r, const pf_moment *at, pf_event *e);
void pf_import_add_sample(pf_import *im, const pf_record *r, const pf_moment *at, uint32_t track, double value);

/* What was noted since there were `noted` rows is a packet of samples without an event; it counts once. */
void pf_import_defer_packet(pf_import *im, uint32_t noted);
pf_status pf_import_settle_deferred(pf_import *im);

/* What is inside a packet has a time of its own, at->ts of at->clock: makes it a trace time. False: it does not count,
 * which this counts; nothing waits for later snapshots. */
bool pf_import_settle(pf_import *im, pf_moment *at, uint64_t offset);

/* All packets were read: tries once more to convert a time that could not be; counts it as lost if that fails. */
void pf_import_retry(pf_import *im, pf_moment *at, uint64_t offset);

/* ---- conversion_notes.c: what a conversion of Chrome JSON noted -------------------------------------------------- */

/* The packet's note of what its event, the row added last, says in JSON; and one that has no event. */
pf_status pf_import_origin(pf_import *im, const pf_record *r);
void pf_import_leftover(pf_import *im, const pf_packet *p);

/* document_rows.c: rows as the document of an input had them that was converted from JSON; once, after all others. */
pf_status pf_import_document_rows(pf_import *im);

/* The id of a flow of phase s, t or f, as a note: the flow has another number. */
pf_status pf_import_flow_id(pf_import *im, uint64_t id);

/* ---- packet_probe.c ---------------------------------------------------------------------------------------------- */

/* There is nothing to see in a path. */
pf_probe pf_perfetto_probe(const uint8_t *head, size_t size, const char *path, bool is_directory);

#endif
