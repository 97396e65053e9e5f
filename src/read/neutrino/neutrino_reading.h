/* read/neutrino/neutrino_reading.h - one Neutrino input on its way into a trace, and the steps of reading it. */
#pragma once

#include "base/arena.h"
#include "base/buffer.h"
#include "base/str.h"
#include "base/text/demangle.h"
#include "base/text/number.h"
#include "model/trace/trace.h"
#include "postfetto/author/reader.h"
#include "read/neutrino/section_layout.h"

/* ---- side tables (docs/reference/neutrino.md, "Tables") ---------------------------------------------------------- */

typedef enum neutrino_table_id {
    NEUTRINO_RUN = 0, /* a run directory, or the file that stands for one */
    NEUTRINO_LAUNCH,  /* a kernel launch of the log */
    NEUTRINO_MEMORY,  /* an allocation or release of device memory */
    NEUTRINO_KERNEL,  /* a folder of kernel/ */
    NEUTRINO_TENSOR,  /* a line of tensor.trace */
    NEUTRINO_MAP,     /* a map that a probe definition, kernel.info or --map declares */
    NEUTRINO_TRACE,   /* a binary trace */
    NEUTRINO_SECTION, /* a section of one: its records as bytes */
    NEUTRINO_FIELD,   /* a field of a section's records */
    NEUTRINO_FAULT,   /* what is wrong with a file */
    NEUTRINO_STDOUT,  /* a stdout.log of a max-memory run */
    NEUTRINO_LATENCY, /* a row of a latency CSV */
    NEUTRINO_PAGE,    /* an entry of a .dmat file */
    NEUTRINO_BLOCK,   /* records, where they are wanted (PF_WANT_RECORDS) */
    NEUTRINO_ACCESS,
    NEUTRINO_BYTES,
    NEUTRINO_TENSOROP,
    NEUTRINO_SAMPLE,
    NEUTRINO_VALUE,
    NEUTRINO_TABLES
} neutrino_table_id;

/* Columns of tables that are read again, or filled cell by cell. */
enum { RUN_PATH = 0, RUN_PID, RUN_COMMAND, RUN_BACKEND, RUN_MAPS, RUN_PROCESS };
enum {
    LAUNCH_RUN = 0,
    LAUNCH_KERNEL,
    LAUNCH_TS,
    LAUNCH_GRID_X,
    LAUNCH_BLOCK_X = LAUNCH_GRID_X + 3,
    LAUNCH_SHARED = LAUNCH_BLOCK_X + 3,
    LAUNCH_PARAMS,
    LAUNCH_PROBE_MEM,
    LAUNCH_COUNT,
    LAUNCH_STATUS,
    LAUNCH_CODE,
    LAUNCH_PROLOGUE, /* then kernel, epilogue, original, impact */
    LAUNCH_FILE = LAUNCH_PROLOGUE + 5,
    LAUNCH_NAME,
    LAUNCH_SLICE_TS,
    LAUNCH_EVENT
};
enum { MEMORY_RUN = 0, MEMORY_CALL, MEMORY_RESULT, MEMORY_ADDRESS, MEMORY_BYTES, MEMORY_ALLOCATED, MEMORY_LAUNCH };
enum { KERNEL_FOLDER = 1, KERNEL_NAME, KERNEL_SECTIONS = KERNEL_NAME + 2 };

/* Registers all of them; `tables` has NEUTRINO_TABLES places. */
pf_status pf_neutrino_add_tables(pf_trace *t, pf_side_table **tables, pf_error *err);

/* ---- the reading ------------------------------------------------------------------------------------------------- */

typedef struct neutrino_reading {
    pf_reading *r;
    pf_trace *t;
    pf_status status; /* the first failure of the reading: what is called after it does nothing */
    pf_error *err;    /* filled then */
    pf_side_table *table[NEUTRINO_TABLES];
    bool wants_records;
    int forced_layout;          /* neutrino_layout, or -1 */
    const neutrino_maps *given; /* --map; NULL: none */

    /* The run that is being read. */
    uint32_t run; /* row of neutrino_run, or PF_NONE */
    const neutrino_maps *maps;
    bool has_log, hip;
    uint32_t first_launch, first_kernel;

    pf_demangler demangler;
    uint32_t good, bad; /* files with results */
    unsigned layouts;   /* a bit for each that was found */
    pf_error first_error;
} neutrino_reading;

/* Whether the reading goes on. */
static inline bool pf_neutrino_works(const neutrino_reading *n)
{
    return n->status == PF_OK;
}

/* The same after a call, which is made if it goes on and returns a status. */
#define PF_NEUTRINO_DO(n, call) (pf_neutrino_works(n) && ((n)->status = (call)) == PF_OK)

/* Whether the row is made; where it is none, the error says why. */
static inline pf_status pf_neutrino_made(const neutrino_reading *n, uint32_t *out, uint32_t row)
{
    *out = row;
    return row == PF_NONE ? n->err->code : PF_OK;
}

/* Notes that memory was refused. */
void pf_neutrino_no_memory(neutrino_reading *n, size_t bytes);

/* Whether the reading goes on and nobody has cancelled it. */
bool pf_neutrino_goes_on(neutrino_reading *n);

/* Memory that lives as long as the trace; NULL where it is refused. */
void *pf_neutrino_alloc(neutrino_reading *n, size_t bytes);

/* ---- cells ------------------------------------------------------------------------------------------------------- */

/* A new row with a cell for each column, in their order (pf_side_put); PF_NONE after a failure. The second is for a row
 * of NULLs. */
uint32_t pf_neutrino_add(neutrino_reading *n, neutrino_table_id id, const int64_t *cells);
#define PF_NEUTRINO_ADD(n, id, ...) pf_neutrino_add((n), (id), (const int64_t[]){__VA_ARGS__})
uint32_t pf_neutrino_row(neutrino_reading *n, neutrino_table_id id);

/* The id of a text; 0 after a failure. */
uint32_t pf_neutrino_id(neutrino_reading *n, pf_str text);
uint32_t pf_neutrino_word(neutrino_reading *n, const char *text);

/* That of a kernel's name as it is written in C++: of the name itself where it is none of C++. */
uint32_t pf_neutrino_written(neutrino_reading *n, pf_str name);

/* Replaces the text of a row; nothing after a failure. */
void pf_neutrino_text(neutrino_reading *n, neutrino_table_id id, unsigned column, uint32_t row, pf_str text);

/* A new track; PF_NONE after a failure. */
uint32_t pf_neutrino_track(neutrino_reading *n, const pf_track_row *row);

/* JSON as the arguments of the event that was added last. */
void pf_neutrino_args(neutrino_reading *n, const pf_buffer *json, unsigned decoder);

/* Notes what is wrong with a file. fatal: nothing of it could be used. */
void pf_neutrino_fault(neutrino_reading *n, const char *file, const neutrino_fault *fault, bool fatal);
void pf_neutrino_note(neutrino_reading *n, const char *file, const char *field, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Of a tree a file that cannot be used does not keep the others from being read. */
void pf_neutrino_failed(neutrino_reading *n, const char *file, const pf_error *why);

/* The bytes of a file of a folder; ptr NULL: it is not there, or a fault that was noted. */
pf_bytes pf_neutrino_file_bytes(neutrino_reading *n, const char *path);

/* ---- the steps --------------------------------------------------------------------------------------------------- */

/* Each takes the content of one file, whose name faults and rows give. */
void pf_neutrino_read_log(neutrino_reading *n, pf_str log, const char *name);
void pf_neutrino_read_tensors(neutrino_reading *n, pf_str text, const char *name);
void pf_neutrino_read_latency(neutrino_reading *n, pf_str text, const char *name);
void pf_neutrino_read_dmat(neutrino_reading *n, pf_str file, const char *name);
void pf_neutrino_read_kernel(neutrino_reading *n, const char *folder, pf_str info, pf_str process_log);
void pf_neutrino_read_stdout(neutrino_reading *n, pf_str text, const char *folder);
void pf_neutrino_read_trace(neutrino_reading *n, pf_bytes file, const char *name, const neutrino_maps *kernel,
                            uint32_t launch);

/* The input as records of any in-kernel profiler, which the file `schema` describes. */
void pf_neutrino_read_kernel_records(neutrino_reading *n, const char *schema);

/* Maps as rows of neutrino_map. */
void pf_neutrino_note_maps(neutrino_reading *n, const neutrino_maps *maps);

/* The records of a section as rows, where they are wanted. */
void pf_neutrino_add_records(neutrino_reading *n, uint32_t section, const neutrino_header *h, const neutrino_section *s,
                             const neutrino_map *map, const uint8_t *data);

/* Launches and allocations of the run as slices and counters. */
void pf_neutrino_draw_launches(neutrino_reading *n, int64_t pid, pf_str command);

/* The next run, whose path has that of the input in front. */
void pf_neutrino_begin_run(neutrino_reading *n, const char *path);

/* A folder: one run directory or a tree of them. */
void pf_neutrino_read_folder(neutrino_reading *n);

/* The run directory `folder` ("": the input itself); only_trace: the one binary trace to read, or NULL for all. */
void pf_neutrino_read_run(neutrino_reading *n, const char *folder, const char *only_trace);

/* "folder/name", or the name alone; lives as long as the trace. "" after a failure. */
const char *pf_neutrino_join(neutrino_reading *n, const char *folder, const char *name);

/* The path of a file that is named from the input on, with that of the input in front. */
const char *pf_neutrino_full_path(neutrino_reading *n, const char *file);

/* Whether a file is of that kind, packed or not: "0.5.bin", "0.5.bin.gz". */
bool pf_neutrino_is_file(const char *name, const char *ending);

/* ---- toml_items.c ------------------------------------------------------------------------------------------------ */

typedef enum pf_toml_kind {
    PF_TOML_END = 0,
    PF_TOML_TABLE,   /* [a.b.c]: path */
    PF_TOML_TEXT,    /* key = "text": text[0] */
    PF_TOML_INTEGER, /* key = 12: number */
    PF_TOML_LIST,    /* key = ["a", "b"]: the first texts of it */
    PF_TOML_OTHER    /* key = a value of another kind */
} pf_toml_kind;

#define PF_TOML_PATH_MAX 8
#define PF_TOML_LIST_MAX 4

typedef struct pf_toml_item {
    pf_toml_kind kind;
    unsigned line;
    pf_str path[PF_TOML_PATH_MAX]; /* TABLE: the words between the dots; else path[0] is the key */
    unsigned path_count;
    pf_str text[PF_TOML_LIST_MAX];
    unsigned text_count; /* of the list; may be more than are kept */
    int64_t number;
} pf_toml_item;

typedef struct pf_toml {
    const char *at, *end;
    unsigned line;
    pf_arena *arena; /* of strings with escapes */
} pf_toml;

/* The next item. Returns NULL, or what is wrong at t->line. */
const char *pf_toml_next(pf_toml *t, pf_toml_item *item);
