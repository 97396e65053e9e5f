/* read/tinygrad/profile/profile.h - a tinygrad profile on its way from pickled events to tables.
 *
 * The pickle (pickle/) is read twice: for the devices, whose clock offsets all other events need and which may come
 * later, and for everything. Each event object becomes rows of the side tables below as it comes, and then goes; what
 * the device recorded stays until all programs are known.
 * Classes are recognised by the last part of their name, fields by theirs, so that one walk reads all generations of
 * the format (docs/reference/tinygrad.md).
 */
#ifndef PF_READ_TINYGRAD_PROFILE_PROFILE_H
#define PF_READ_TINYGRAD_PROFILE_PROFILE_H

#include "base/map.h"
#include "model/trace/trace.h"
#include "read/reading/reader.h"
#include "read/tinygrad/pickle/pickle_values.h"

/* Exact times: 10^-9 microseconds. */
__extension__ typedef __int128 pf_tiny_time;

/* The side tables that this part fills; profile_tables.c has their columns, in the order below. */
typedef enum pf_tiny_table {
    PF_TINY_PROFILE = 0,
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
    PF_TINY_TABLES
} pf_tiny_table;

enum { PROFILE_GENERATION = 0, PROFILE_ITEMS, PROFILE_SKIPPED };
enum { DEVICE_EVENT = 0, DEVICE_NAME, DEVICE_COMPUTE, DEVICE_COPY };
enum { EVENT_KIND = 0, EVENT_DEVICE, EVENT_NAME, EVENT_TS, EVENT_END, EVENT_DUR, EVENT_COPY, EVENT_GRAPH };
enum { NOTE_EVENT = 0, NOTE_BYTES, NOTE_TEXT, NOTE_STACK, NOTE_KEY };
enum { CALL_FILE = 0, CALL_LINE, CALL_FUNCTION, CALL_CODE, CALL_CALLER };
enum { SAMPLE_EVENT_ROW = 0, SAMPLE_NUMBER, SAMPLE_NUMBER_DIGITS };
enum { JSON_EVENT = 0, JSON_KEY, JSON_TEXT };
enum { DEPENDENCY_FROM = 0, DEPENDENCY_TO };
enum { MEMORY_EVENT = 0, MEMORY_ACTION, MEMORY_BUFFER, MEMORY_DTYPE, MEMORY_ITEM_BYTES, MEMORY_ITEMS };
enum { RUN_EVENT = 0, RUN_KEY, RUN_KERNEL, RUN_METADATA };
enum { RUN_BUFFER_RUN = 0, RUN_BUFFER_ID, RUN_BUFFER_POSITION, RUN_BUFFER_MODE };
enum { VARIABLE_RUN = 0, VARIABLE_NAME, VARIABLE_VALUE };
enum { EXECUTION_EVENT = 0, EXECUTION_RUN };
enum { MARKER_EVENT = 0, MARKER_NAME, MARKER_COLOUR };

/* tinygrad_event.kind. A batch stands for a graph launch on a device: from its first entry to its last. */
typedef enum pf_tiny_kind {
    PF_TINY_RANGE = 0,
    PF_TINY_POINT,
    PF_TINY_GRAPH,
    PF_TINY_ENTRY,
    PF_TINY_BATCH,
    PF_TINY_DESCRIBED, /* "device" */
    PF_TINY_PROGRAM,
    PF_TINY_SQTT,
    PF_TINY_PMC,
    PF_TINY_PMA,
    PF_TINY_KINDS
} pf_tiny_kind;

/* Which program wrote the profile. */
typedef enum pf_tiny_generation { PF_TINY_DEC25 = 0, PF_TINY_MID26, PF_TINY_AUG26 } pf_tiny_generation;

/* A device's clock: what is added to its times. */
typedef struct pf_tiny_device {
    pf_tiny_time compute, copy;
    uint32_t props; /* what the driver says: a kept value, PF_NONE: nothing */
} pf_tiny_device;

/* The object of an event that is read again. */
typedef struct pf_tiny_object {
    uint32_t event, handle; /* of pf_pickle_keep */
    size_t op;              /* offset of the opcode that handed it over */
} pf_tiny_object;

typedef struct pf_tiny_profile {
    pf_reading *r;
    pf_trace *t;
    pf_pickle_values values;
    pf_side_table *table[PF_TINY_TABLES];
    pf_tiny_generation generation;
    pf_tiny_device *devices;
    size_t device_bytes;
    uint32_t device_count;
    pf_map device_of;              /* string id of a name -> the last device that has it */
    uint32_t kinds[PF_TINY_KINDS]; /* string ids of tinygrad_event.kind */
    pf_tiny_object *objects;       /* by event */
    uint32_t object_count, object_room;
    uint32_t first_device; /* row of tinygrad_device */
    uint32_t described;    /* devices that the second reading met */
    pf_map call_of;        /* frames of call stacks by what they say */
    uint64_t items, skipped;
    uint64_t input_bytes;
    pf_side_table *records; /* tinygrad_record */
    int64_t stream_rows;    /* --stream-rows */
    bool host_clock;        /* --stream-clock host */
} pf_tiny_profile;

/* ---- profile_tables.c -------------------------------------------------------------------------------------------- */

/* The specification of table i, NULL after the last. */
const pf_side_spec *pf_tiny_spec(size_t i);
pf_status pf_tiny_add_tables(pf_tiny_profile *p, pf_error *err);

/* A row of NULLs, and writing its cells. */
pf_status pf_tiny_add_row(pf_tiny_profile *p, pf_tiny_table table, uint32_t *row, pf_error *err);
void pf_tiny_set_number(pf_tiny_profile *p, pf_tiny_table table, unsigned column, uint32_t row, int64_t v);
void pf_tiny_set_ref(pf_tiny_profile *p, pf_tiny_table table, unsigned column, uint32_t row, uint32_t v);
pf_status pf_tiny_set_text(pf_tiny_profile *p, pf_tiny_table table, unsigned column, uint32_t row, pf_str v,
                           pf_error *err);

/* ---- profile_times.c --------------------------------------------------------------------------------------------- */

/* The time that a value gives in microseconds: a decimal, an integer or a float. False if it is none of them, or beyond
 * 10^18 microseconds. */
bool pf_tiny_read_time(const pf_tiny_profile *p, uint32_t value, pf_tiny_time *out);

int64_t pf_tiny_ns(pf_tiny_time t); /* towards zero */
double pf_tiny_us(pf_tiny_time t);  /* the nearest double */

/* ---- profile_devices.c ------------------------------------------------------------------------------------------- */

/* An item of the list, in the first reading: devices and the generation; fills tinygrad_device. */
pf_status pf_tiny_read_device(void *profile, uint32_t object, pf_error *err);

/* What the driver says of a device, a row of tinygrad_device: a dict, PF_NONE if it says nothing. */
uint32_t pf_tiny_props(const pf_tiny_profile *p, uint32_t device);

/* What is added to times of the device. */
pf_tiny_time pf_tiny_offset(const pf_tiny_profile *p, uint32_t device, bool copy); /* device: a string id */

/* ---- profile_events.c -------------------------------------------------------------------------------------------- */

/* The last part of an object's class name: "ProfileRangeEvent"; {NULL, 0} if the value is no object. */
pf_str pf_tiny_class(const pf_tiny_profile *p, uint32_t value);
bool pf_tiny_is(pf_str text, const char *word);

/* The integer in a field, or `otherwise`. */
int64_t pf_tiny_number(const pf_tiny_profile *p, uint32_t object, const char *field, int64_t otherwise);
pf_str pf_tiny_text(const pf_tiny_profile *p, uint32_t object, const char *field);

/* The key of a program as a text. */
enum { PF_TINY_HEX = 128 };
pf_str pf_tiny_hex(pf_bytes key, char hex[PF_TINY_HEX]);

/* An item of the list, in the second reading; and what is said at its end. */
pf_status pf_tiny_read_event(void *profile, uint32_t object, pf_error *err);
pf_status pf_tiny_end_events(pf_tiny_profile *p, pf_error *err);
pf_status pf_tiny_name_kinds(pf_tiny_profile *p, pf_error *err);

/* Whether a value is an event of a class that is known. */
bool pf_tiny_is_event(const pf_pickle_values *v, uint32_t value);

/* The object of an event of kind program, sqtt, pmc or pma. */
uint32_t pf_tiny_event_object(const pf_tiny_profile *p, uint32_t event);

/* Completes an error about such an event with where its object was in the pickle. Returns st. */
pf_status pf_tiny_name_opcode(const pf_tiny_profile *p, uint32_t event, pf_status st, pf_error *err);

/* ---- profile_calls.c --------------------------------------------------------------------------------------------- */

/* The innermost frame of a list of (file, line, function, code) as a row of tinygrad_call; PF_NONE: it is empty. */
pf_status pf_tiny_add_stack(pf_tiny_profile *p, uint32_t stack, uint32_t *row, pf_error *err);

/* ---- rewrites.c -------------------------------------------------------------------------------------------------- */

/* What the compiler did (rewrites.pkl) is no profile: kernels with source and estimates, in a table of its own. */
extern const pf_side_spec pf_tiny_compiled_spec;
bool pf_tiny_is_rewrites(pf_bytes bytes);
pf_status pf_tiny_read_rewrites(pf_tiny_profile *p, pf_bytes bytes, pf_error *err);

/* ---- profile_points.c -------------------------------------------------------------------------------------------- */

/* What the point at row `event` says of memory, runs or markers. */
pf_status pf_tiny_read_point(pf_tiny_profile *p, uint32_t object, uint32_t event, pf_error *err);

#endif
