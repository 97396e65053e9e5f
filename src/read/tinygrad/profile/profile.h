/* read/tinygrad/profile/profile.h - a tinygrad profile on its way from pickled events to tables.
 *
 * The pickle (pickle/) is read twice: for the devices, whose clock offsets all other events need and which may come
 * later, and for everything. Each event object becomes rows of the side tables below as it comes, and then goes; what
 * the device recorded stays until all programs are known.
 * Classes are recognised by the last part of their name, fields by theirs, so that one walk reads all generations of
 * the format (docs/reference/tinygrad.md).
 */
#pragma once

#include "base/map.h"
#include "base/str.h"
#include "model/trace/side_tables.h"
#include "model/trace/trace.h"
#include "read/support/reader.h"
#include "read/tinygrad/pickle/pickle.h"

/* ---- side tables ------------------------------------------------------------------------------------------------- */

/* tiny_tables.c has the names and columns of each. */
typedef enum pf_tiny_table {
    PF_TINY_COMPILED = 0, /* of rewrites.pkl; the others are of profiles */
    PF_TINY_PROFILE,
    PF_TINY_DEVICE,
    PF_TINY_EVENT,
    PF_TINY_NOTE,
    PF_TINY_DEPENDENCY,
    PF_TINY_MEMORY,
    PF_TINY_RUN,
    PF_TINY_RUN_BUFFER,
    PF_TINY_MARKER,
    PF_TINY_EXECUTION,
    PF_TINY_CALL,
    PF_TINY_SAMPLE,
    PF_TINY_JSON,
    PF_TINY_VARIABLE,
    PF_TINY_PROGRAM, /* from here on: what devices recorded */
    PF_TINY_CODE,
    PF_TINY_STREAM,
    PF_TINY_COUNT,
    PF_TINY_PACKET,
    PF_TINY_FIELD,
    PF_TINY_WORD,
    PF_TINY_SLOT,
    PF_TINY_WAVE,
    PF_TINY_TRACED_WAVE,
    PF_TINY_OCCUPANCY,
    PF_TINY_CLOCK,
    PF_TINY_INSTRUCTION,
    PF_TINY_SLICE,
    PF_TINY_PMC,
    PF_TINY_PMC_VALUE,
    PF_TINY_PMA,
    PF_TINY_PMA_STALL,
    PF_TINY_PMA_SAMPLE,
    PF_TINY_RECORD,
    PF_TINY_TABLES
} pf_tiny_table;

/* Columns that are read again, by their place in the table. */
enum { DEVICE_EVENT = 0, DEVICE_NAME };
enum { EVENT_KIND = 0, EVENT_DEVICE, EVENT_NAME, EVENT_TS, EVENT_END, EVENT_DUR, EVENT_COPY };
enum { NOTE_EVENT = 0, NOTE_BYTES, NOTE_TEXT, NOTE_STACK, NOTE_KEY };
enum { CALL_FILE = 0, CALL_LINE, CALL_FUNCTION, CALL_CODE, CALL_CALLER };
enum { SAMPLE_EVENT_ROW = 0, SAMPLE_NUMBER };
enum { DEPENDENCY_FROM = 0, DEPENDENCY_TO };
enum { MEMORY_EVENT = 0, MEMORY_BUFFER = 2, MEMORY_DTYPE, MEMORY_ITEM_BYTES, MEMORY_ITEMS };
enum { RUN_EVENT = 0, RUN_KEY, RUN_KERNEL, RUN_METADATA };
enum { EXECUTION_RUN = 1 };
enum { MARKER_EVENT = 0, MARKER_NAME, MARKER_COLOUR };
enum { PROGRAM_EVENT = 0, PROGRAM_NAME, PROGRAM_TAG, PROGRAM_CODE = 6, PROGRAM_KEY };
enum {
    STREAM_EVENT = 0,
    STREAM_KERNEL,
    STREAM_SE = 4,
    STREAM_EXECUTION = 6,
    STREAM_FIRST_TIME = 9,
    STREAM_FIRST_PACKET = 19,
    STREAM_SLICES
};
enum { PACKET_STREAM = 0, PACKET_TIME, PACKET_KIND, PACKET_RAW };
enum { SLOT_CU = 0, SLOT_SIMD, SLOT_WAVE };
enum { WAVE_SLOT = 1, WAVE_START, WAVE_END };
enum { TRACED_INSTRUCTIONS = 1, TRACED_WAIT };
enum { LEVEL_TIME = 1, LEVEL_VALUE }; /* of occupancy and clock */
enum { SLICE_ROW = 1, SLICE_NAME, SLICE_START, SLICE_LENGTH, SLICE_PC, SLICE_LINK };
enum { PMC_EVENT = 0, PMC_KERNEL, PMC_EXECUTION = 3, PMC_NAME, PMC_SUM = 14, PMC_SUM_DIGITS };
enum { PMA_EVENT = 0, PMA_KERNEL, PMA_EXECUTION = 3, PMA_SAMPLES = 6, PMA_DROPPED, PMA_FIRST_SAMPLE, PMA_KEY };
enum { STALL_STREAM = 0, STALL_REASON = 2, STALL_SAMPLES };
enum { SAMPLE_GPC = 1, SAMPLE_TPC, SAMPLE_SM, SAMPLE_REASON = 5 };
enum { RECORD_KERNEL = 0, RECORD_EVENT, RECORD_RUN };

/* ---- a profile --------------------------------------------------------------------------------------------------- */

/* Exact times, in 10^-20 microseconds (profile_times.c). */
__extension__ typedef __int128 pf_tiny_time;

/* tinygrad_event.kind. A batch stands for a graph launch on a device: from its first entry to its last. */
typedef enum pf_tiny_kind {
    PF_TINY_KIND_RANGE = 0,
    PF_TINY_KIND_POINT,
    PF_TINY_KIND_GRAPH,
    PF_TINY_KIND_ENTRY,
    PF_TINY_KIND_BATCH,
    PF_TINY_KIND_DEVICE,
    PF_TINY_KIND_PROGRAM,
    PF_TINY_KIND_SQTT,
    PF_TINY_KIND_PMC,
    PF_TINY_KIND_PMA,
    PF_TINY_KINDS
} pf_tiny_kind;

/* Which program wrote the profile. */
typedef enum pf_tiny_generation { PF_TINY_DEC25 = 0, PF_TINY_MID26, PF_TINY_AUG26 } pf_tiny_generation;

/* A device's clock: what is added to its times. */
typedef struct pf_tiny_device {
    pf_tiny_time compute, copy;
    uint32_t props;      /* what the driver says: a kept value, PF_NONE: nothing */
    int64_t highest_mhz; /* of it, the highest clock of the engines; 0: it does not say */
} pf_tiny_device;

typedef struct pf_tiny_profile {
    pf_reading *r;
    pf_trace *t;
    pf_error *err;         /* of the reading */
    pf_status text_status; /* of the texts that became ids, see pf_tiny_id */
    pf_pickle_values values;
    pf_side_table *table[PF_TINY_TABLES];
    pf_tiny_generation generation;
    pf_tiny_device *devices;
    uint32_t device_count, device_room;
    pf_map device_of;              /* string id of a name -> the last device that has it */
    uint32_t kinds[PF_TINY_KINDS]; /* string ids of tinygrad_event.kind */
    pf_map object_of; /* row of tinygrad_event -> its object, if it is read again: a kept value; of rewrites.pkl: number
of a node -> value */
    uint32_t first_device; /* row of tinygrad_device */
    uint32_t described;    /* devices that the second reading met */
    pf_map call_of;        /* frames of call stacks by what they say */
    pf_arena arena;        /* of an event */
    uint64_t items, skipped;
    uint64_t input_bytes;
    int64_t stream_rows; /* --stream-rows */
    bool host_clock;     /* --stream-clock host */
} pf_tiny_profile;

/* All functions that return a status fill p->err. */

/* ---- tiny_tables.c ----------------------------------------------------------------------------------------------- */

/* The specification of table i, NULL after the last. */
const pf_side_spec *pf_tiny_spec(size_t i);
pf_status pf_tiny_add_table(pf_tiny_profile *p, pf_tiny_table table);

/* The id of a text for a cell; 0 for NULL. A failure sticks: pf_tiny_put returns it. */
uint32_t pf_tiny_id(pf_tiny_profile *p, pf_str text);
uint32_t pf_tiny_word(pf_tiny_profile *p, const char *text);

/* A row with the cells of PF_CELLS(...), one for each column in their order (pf_side_put); the row added last. */
pf_status pf_tiny_put(pf_tiny_profile *p, pf_tiny_table table, const int64_t *cells, size_t count);
static inline uint32_t pf_tiny_last(const pf_tiny_profile *p, pf_tiny_table table)
{
    return p->table[table]->count - 1;
}
#define PF_CELLS(...) (const int64_t[]){__VA_ARGS__}, sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t)

static inline int64_t *pf_tiny_int_at(const pf_tiny_profile *p, pf_tiny_table table, unsigned column, uint32_t row)
{
    return pf_side_number(p->table[table], column, row);
}

static inline uint32_t *pf_tiny_ref_at(const pf_tiny_profile *p, pf_tiny_table table, unsigned column, uint32_t row)
{
    return pf_side_ref(p->table[table], column, row);
}

/* ---- profile_rows.c: what values say ----------------------------------------------------------------------------- */

/* The last part of an object's class name: "ProfileRangeEvent"; {NULL, 0} if the value is no object. */
pf_str pf_tiny_class(const pf_pickle_values *v, uint32_t value);

/* The integer in a field, or `otherwise`; a text; bytes. */
int64_t pf_tiny_number(const pf_tiny_profile *p, uint32_t object, const char *field, int64_t otherwise);
pf_str pf_tiny_text(const pf_tiny_profile *p, uint32_t object, const char *field);
pf_bytes pf_tiny_bytes(const pf_tiny_profile *p, uint32_t object, const char *field);

/* The key of a program in hexadecimal, as an id; 0: the object has none. */
uint32_t pf_tiny_key_id(pf_tiny_profile *p, uint32_t object);
uint32_t pf_tiny_hex_id(pf_tiny_profile *p, pf_bytes key);

/* ---- profile_times.c --------------------------------------------------------------------------------------------- */

/* The time that a value gives in microseconds: a decimal, an integer or a float. False if it is none of them, or beyond
 * 10^18 microseconds. */
bool pf_tiny_read_time(const pf_tiny_profile *p, uint32_t value, pf_tiny_time *out);

int64_t pf_tiny_ns(pf_tiny_time t); /* towards zero */
double pf_tiny_us(pf_tiny_time t);  /* the nearest double */

/* ---- profile_events.c -------------------------------------------------------------------------------------------- */

/* An item of the list, in the first reading: devices and the generation; fills tinygrad_device. */
pf_status pf_tiny_read_device(void *profile, uint32_t object, pf_error *err);

/* What the driver says of a device, a row of tinygrad_device: a dict, PF_NONE if it says nothing. */
uint32_t pf_tiny_props(const pf_tiny_profile *p, uint32_t device);

/* An item of the list, in the second reading; and what is said at its end. */
pf_status pf_tiny_read_event(void *profile, uint32_t object, pf_error *err);
pf_status pf_tiny_end_events(pf_tiny_profile *p);
pf_status pf_tiny_name_kinds(pf_tiny_profile *p);

/* Whether a value is an event of a class that is known. */
bool pf_tiny_is_event(const pf_pickle_values *v, uint32_t value);

/* The object of an event of kind program, sqtt, pmc or pma. */
uint32_t pf_tiny_event_object(const pf_tiny_profile *p, uint32_t event);

/* Completes an error about such an event with where its object was in the pickle. Returns st. */
pf_status pf_tiny_name_opcode(const pf_tiny_profile *p, uint32_t event, pf_status st);

/* Rows of tinygrad_event (pf_tiny_last), and what events say besides. */

/* A time that an event takes. */
typedef struct pf_tiny_span {
    pf_tiny_time from, to;
    bool copy;
} pf_tiny_span;

/* An event with the fields `device` and `name` (object PF_NONE: without any), and a point in time or INT64_MIN. */
pf_status pf_tiny_add_event(pf_tiny_profile *p, pf_tiny_kind kind, uint32_t object, int64_t ts);

/* Something that lasts, on a device and with a name (ids); graph: its launch, or PF_NONE. */
pf_status pf_tiny_add_span(pf_tiny_profile *p, pf_tiny_kind kind, uint32_t device, uint32_t name, const pf_tiny_span *s,
                           uint32_t graph);

/* A range or an entry with all that it says; the offset of its device is added to the times. */
pf_status pf_tiny_add_timed(pf_tiny_profile *p, pf_tiny_kind kind, uint32_t object, pf_tiny_span *s, uint32_t graph);

/* ---- profile_graphs.c -------------------------------------------------------------------------------------------- */

/* A launch of a graph, with its entries. */
pf_status pf_tiny_read_graph(pf_tiny_profile *p, uint32_t object);

/* ---- plain_values.c: values as a document --------------------------------------------------------------------------
 */

/* Visits a value as JSON has it: decimals as {"decimal": text}, bytes as their length and hash, objects of known
 * classes with their fields, others as their name. `budget` is what is left of the values that one document may show:
 * values are shared, and a small file may hold one that is astronomically large when it is written out. PF_ERR_LIMIT:
 * beyond it, or nested too deep. */
pf_status pf_tiny_plain_visit(const pf_pickle_values *v, pf_str key, uint32_t value, uint64_t *budget,
                              const pf_arg_visitor *visitor, pf_error *err);

/* How many values a document about all of them may show. */
uint64_t pf_tiny_plain_budget(const pf_pickle_values *v);

/* The value as JSON text, which the caller frees; one that is too large is {NULL, 0}. */
pf_status pf_tiny_plain_text(const pf_pickle_values *v, uint32_t value, char **text, size_t *len, pf_error *err);

/* ---- rewrites.c -------------------------------------------------------------------------------------------------- */

/* What the compiler did (rewrites.pkl) is no profile: kernels with source and estimates, in a table of its own. */
bool pf_tiny_is_rewrites(pf_bytes bytes);
pf_status pf_tiny_read_rewrites(pf_tiny_profile *p, pf_bytes bytes);

/* ---- profile_points.c -------------------------------------------------------------------------------------------- */

/* What the point at row `event` says of memory, runs or markers. */
pf_status pf_tiny_read_point(pf_tiny_profile *p, uint32_t object, uint32_t event);
