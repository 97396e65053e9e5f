/* analyze/neutrino/facts/neutrino.h - what the analyses of Neutrino recordings share: the side tables as they read
 * them, the sections with their records, and small helpers for documents and tables (docs/reference/neutrino.md,
 * "Analyses"). */
#pragma once

#include "base/arena.h"
#include "base/little_endian.h"
#include "base/map.h"
#include "base/str.h"
#include "postfetto/author/pass.h"
#include "postfetto/side_table.h"

/* Which analysis, in the order of the choices of --only. */
typedef enum neutrino_analysis {
    NEUTRINO_BLOCK_SCHED = 0,
    NEUTRINO_DMAT,
    NEUTRINO_GMEM_BYTES,
    NEUTRINO_TENSOROP,
    NEUTRINO_PROGRESS,
    NEUTRINO_MULTI,
    NEUTRINO_EVENT_LOG,
    NEUTRINO_OVERHEAD,
    NEUTRINO_MAX_MEM,
    NEUTRINO_EXPOSED_LATENCY,
    NEUTRINO_ROBUSTNESS,
    NEUTRINO_ANALYSES
} neutrino_analysis;

/* The tables that the pass reports. */
enum {
    NEUTRINO_TABLE_SCHED = 0,
    NEUTRINO_TABLE_SM,
    NEUTRINO_TABLE_DMAT,
    NEUTRINO_TABLE_TENSOR,
    NEUTRINO_TABLE_GMEM,
    NEUTRINO_TABLE_TENSOROP,
    NEUTRINO_TABLE_PROGRESS,
    NEUTRINO_TABLE_OVERHEAD,
    NEUTRINO_TABLE_REGISTERS,
    NEUTRINO_TABLE_MAX_MEM,
    NEUTRINO_TABLE_LATENCY,
    NEUTRINO_TABLE_LAUNCHES,
    NEUTRINO_TABLE_KERNELS,
    NEUTRINO_TABLE_MULTI,
    NEUTRINO_TABLE_RESIDENTS,
    NEUTRINO_TABLE_GAPS,
    NEUTRINO_REPORT_TABLES
};

/* ---- side tables ------------------------------------------------------------------------------------------------- */

/* The reader's tables (docs/reference/neutrino.md, "Tables"), their columns bound by name once. */
typedef struct neutrino_faults {
    uint32_t count;
    const uint32_t *file, *field, *text;
} neutrino_faults;

typedef struct neutrino_runs {
    uint32_t count;
    const uint32_t *path, *command, *process;
} neutrino_runs;

typedef struct neutrino_launches {
    uint32_t count;
    const uint32_t *run, *kernel, *name, *params, *status;
    const int64_t *ts, *slice_ts, *event, *grid[3], *block[3], *shared, *probe_mem;
    const double *ms[3], *original, *impact; /* ms: of prologue, kernel and epilogue */
} neutrino_launches;

typedef struct neutrino_kernels {
    uint32_t count;
    const uint32_t *run, *name, *written;
    const int64_t *probed, *pruned; /* registers */
} neutrino_kernels;

typedef struct neutrino_tensors {
    uint32_t count;
    const uint32_t *run, *name;
    const int64_t *address, *bytes;
} neutrino_tensors;

typedef struct neutrino_traces {
    uint32_t count;
    const uint32_t *run, *launch, *file;
    const double *seconds;
} neutrino_traces;

typedef struct neutrino_sections {
    uint32_t count;
    const uint32_t *trace, *map, *kind;
    const int64_t *units, *units_per_block, *unit_bytes, *record_bytes, *capacity, *complete_units;
    const int64_t *offset, *stored_offset;
    const pf_bytes *data;
} neutrino_sections;

typedef struct neutrino_fields {
    uint32_t count;
    const uint32_t *section, *name;
    const int64_t *offset, *bytes;
} neutrino_fields;

typedef struct neutrino_outputs {
    uint32_t count;
    const uint32_t *folder;
    const int64_t *max_memory;
} neutrino_outputs;

typedef struct neutrino_latencies {
    uint32_t count;
    const uint32_t *file, *probe;
    const double *original, *ncu, *neutrino, *part[3]; /* part: epilogue, kernel, prologue */
} neutrino_latencies;

typedef struct neutrino_pages {
    uint32_t count;
    const uint32_t *file;
    const int64_t *clock, *page, *times;
} neutrino_pages;

/* A side table as this pass reads it: the member of neutrino_run that has its columns. */
enum {
    NEUTRINO_SIDE_FAULT,
    NEUTRINO_SIDE_RUN,
    NEUTRINO_SIDE_LAUNCH,
    NEUTRINO_SIDE_KERNEL,
    NEUTRINO_SIDE_TENSOR,
    NEUTRINO_SIDE_TRACE,
    NEUTRINO_SIDE_SECTION,
    NEUTRINO_SIDE_FIELD,
    NEUTRINO_SIDE_STDOUT,
    NEUTRINO_SIDE_LATENCY,
    NEUTRINO_SIDE_PAGE,
    NEUTRINO_SIDES
};
typedef struct neutrino_side {
    const char *name;
    size_t member;
    const pf_side_binding *columns;
    size_t count;
} neutrino_side;
extern const neutrino_side pf_neutrino_sides[NEUTRINO_SIDES];

/* ---- partials ---------------------------------------------------------------------------------------------------- */

/* What came out of the records of a section or the pages of a file (a unit), piece by piece in its order. Whatever
 * depends on other units comes later: which number a document has, which lines are printed. */
typedef enum neutrino_piece_kind {
    NEUTRINO_DOCUMENT, /* text: JSON of the document `name` */
    NEUTRINO_TSV,      /* text: of the report `name` */
    NEUTRINO_LINE,     /* text: a result line */
    NEUTRINO_NOTE,     /* text: of a line that is shown */
    NEUTRINO_SUMS,     /* text: JSON of what `multi` has of the section */
    NEUTRINO_ROWS,     /* the next rows of the report table `name` */
    NEUTRINO_PIECES
} neutrino_piece_kind;

typedef struct neutrino_piece {
    uint32_t unit; /* a section, or the number of sections + a file of pages */
    neutrino_piece_kind kind;
    uint32_t table, first, rows; /* ROWS */
    pf_str name, text;
} neutrino_piece;

/* Of a run that writes a partial, or is made of partials; inputs are in the order of the bytes of their paths. */
typedef struct neutrino_parts {
    uint32_t inputs;
    const char **path;
    pf_str *hash;
    uint32_t *first[NEUTRINO_SIDES]; /* rows of input i in a side table: first[i] to first[i + 1] - 1 */
    bool keeps;                      /* pieces are kept for a partial */
    uint32_t unit;                   /* whose pieces come now; PF_NONE: no unit's */
    neutrino_piece *kept;
    uint32_t count, room;
    neutrino_piece *read; /* those of partials; NULL: the inputs are recordings */
    uint32_t *first_read; /* by unit */
} neutrino_parts;

/* ---- the run ----------------------------------------------------------------------------------------------------- */

/* What an analysis found about a launch, for the enriched trace; in the order of the sections. */
typedef struct neutrino_fact {
    uint32_t launch, section;
    uint32_t next;   /* of the launch, while the trace is drawn; PF_NONE: none */
    const char *key; /* static */
    uint64_t value;
    bool clock; /* the records of the section have clocks */
} neutrino_fact;

typedef struct neutrino_run {
    const pf_pass_context *ctx;
    const pf_trace *t;
    pf_findings *f;
    pf_arena *arena;
    neutrino_faults faults;
    neutrino_runs runs;
    neutrino_launches launches;
    neutrino_kernels kernels;
    neutrino_tensors tensors;
    neutrino_traces traces;
    neutrino_sections sections;
    neutrino_fields fields;
    neutrino_outputs outputs;
    neutrino_latencies latencies;
    neutrino_pages pages;
    uint64_t only; /* a bit for each analysis that was asked for; 0: all that there is data for */
    bool global_timer;
    bool page_table; /* whatever its size is */
    double ghz;
    bool scaled; /* somebody said what ghz is */
    pf_table_builder *tables[NEUTRINO_REPORT_TABLES];
    pf_table_builder *ranked[NEUTRINO_REPORT_TABLES]; /* as people see them; NULL: not asked for yet */
    uint32_t printed;                                 /* result lines */
    neutrino_fact *facts;
    uint32_t fact_count, fact_room;
    uint32_t *nth, *of_kind; /* by section, see neutrino_records */
    uint32_t dmat_sections;
    neutrino_parts *parts; /* NULL: there are none */
} neutrino_run;

static inline bool pf_neutrino_wants(const neutrino_run *n, neutrino_analysis a)
{
    return !n->only || n->only >> a & 1;
}

/* Binds the columns of the side tables; first of all, where they are not those of partials. */
pf_status pf_neutrino_bind(neutrino_run *n, pf_error *err);

/* Counts the sections of each kind, next. */
pf_status pf_neutrino_begin(neutrino_run *n, pf_error *err);

static inline bool pf_neutrino_is_merge(const neutrino_run *n)
{
    return n->parts && n->parts->read;
}

/* neutrino_pieces.c: pieces come of this unit from now on, PF_NONE: of none; keeps a piece of it, where they are kept.
 */
void pf_neutrino_begin_unit(const neutrino_run *n, uint32_t unit);
void pf_neutrino_keep(const neutrino_run *n, neutrino_piece_kind kind, pf_str name, pf_str text);
void pf_neutrino_keep_document(const neutrino_run *n, neutrino_piece_kind kind, pf_str name, const pf_node *root);
void pf_neutrino_keep_row(const neutrino_run *n, unsigned table, const char *name); /* of a report table */

/* A cell of a column of texts; {NULL, 0} for row PF_NONE. */
static inline pf_str pf_neutrino_string(const neutrino_run *n, const uint32_t *column, uint32_t row)
{
    return row == PF_NONE ? (pf_str){NULL, 0} : pf_trace_string(n->t, column[row]);
}

/* ---- records ----------------------------------------------------------------------------------------------------- */

typedef struct neutrino_records {
    uint32_t section, trace, run, launch; /* rows; launch may be PF_NONE */
    uint32_t nth, of_kind;                /* which section of its kind this is, and how many there are */
    pf_str kind, map, file, kernel;
    uint64_t units, per_block, unit_bytes, record_bytes, capacity, complete, blocks;
    uint64_t offset, stored_offset;
    const uint8_t *data;
} neutrino_records;

/* Section number `i`; false past the last one. */
bool pf_neutrino_records_at(const neutrino_run *n, uint32_t i, neutrino_records *r);

/* Rows of one file in a side table, which follow each other; r is the file's place among those of its kind. */
typedef struct neutrino_group {
    neutrino_records r;
    uint32_t first, past;
} neutrino_group;

/* The next group of a table with a column of files, the first one where g is all zero but for r.nth and r.of_kind,
 * which count what is of the kind already. False past the last one. */
bool pf_neutrino_next_group(const neutrino_run *n, const uint32_t *file, uint32_t count, neutrino_group *g);

/* The offset of a field in the record, SIZE_MAX if there is none. *bytes: 4 or 8. */
size_t pf_neutrino_field(const neutrino_run *n, const neutrino_records *r, const char *name, unsigned *bytes);

static inline uint64_t pf_neutrino_value(const uint8_t *record, size_t offset, unsigned bytes)
{
    return bytes == 8 ? pf_little_u64(record + offset) : pf_little_u32(record + offset);
}

/* Bytes that a walk is done with leave the memory of the process, a good piece at a time; *gone: up to which unit. Also
 * polls cancel. */
pf_status pf_neutrino_passed(const neutrino_run *n, const neutrino_records *r, uint64_t unit, uint64_t *gone,
                             pf_error *err);
#define NEUTRINO_PIECE ((uint64_t)16 << 20)

/* ---- documents and tables ---------------------------------------------------------------------------------------- */

/* Members of an object, in this order. */
typedef struct neutrino_number {
    const char *key;
    uint64_t v;
} neutrino_number;
void pf_neutrino_put_numbers(const neutrino_run *n, pf_node *object, const neutrino_number *list, size_t count);
#define PF_NEUTRINO_PUT_NUMBERS(n, object, ...)                                                                        \
    pf_neutrino_put_numbers((n), (object), (const neutrino_number[]){__VA_ARGS__},                                     \
                            sizeof((const neutrino_number[]){__VA_ARGS__}) / sizeof(neutrino_number))

/* A text that may be none. */
static inline pf_str pf_neutrino_str(const char *s)
{
    return s ? pf_str_of(s) : (pf_str){NULL, 0};
}

/* A member, or an item where the key is NULL. */
void pf_neutrino_put_u64(const neutrino_run *n, pf_node *parent, const char *key, uint64_t v);
void pf_neutrino_put_real(const neutrino_run *n, pf_node *parent, const char *key, double v);
void pf_neutrino_put_text(const neutrino_run *n, pf_node *parent, const char *key, pf_str v); /* NULL: "" */
pf_node *pf_neutrino_put(const neutrino_run *n, pf_node *parent, const char *key, pf_node_type type);

/* "dmat", or "dmat_2" where there are several of the kind. */
pf_str pf_neutrino_stem(const neutrino_run *n, const char *stem, const neutrino_records *r);

/* A document as a report and, below its name, in the summary; r: the section, where it is of one, else NULL. Of several
 * of a kind each names its file. */
void pf_neutrino_report(const neutrino_run *n, const char *stem, const neutrino_records *r, pf_node *root);

/* A report of a section that is a text, and a line about it. */
void pf_neutrino_report_tsv(const neutrino_run *n, const char *stem, const neutrino_records *r, const pf_text *text);
void pf_neutrino_say(const neutrino_run *n, pf_str line);

/* Notes a fact; the findings fail where memory is refused. */
void pf_neutrino_add_fact(neutrino_run *n, const neutrino_records *r, const char *key, uint64_t value, bool clock);

/* A result line for standard output, as Neutrino's own scripts print it; of many the first ones. */
void pf_neutrino_print(neutrino_run *n, pf_str line);
#define NEUTRINO_LINES 30u

extern const pf_pass_table pf_neutrino_report_tables[NEUTRINO_REPORT_TABLES];

/* Adds a row to the table of that number, which is made when it gets its first one. */
void pf_neutrino_tabulate(neutrino_run *n, unsigned table, const pf_cell *row);
#define PF_NEUTRINO_ROW(n, table, ...) pf_neutrino_tabulate((n), (table), (const pf_cell[]){__VA_ARGS__})

/* The table as people see it: the rows that matter most first. NULL if there is none yet, or memory was refused. It has
 * rows when all analyses are done and pf_neutrino_rank_tables was called. */
pf_table_builder *pf_neutrino_ranked(neutrino_run *n, unsigned table);
void pf_neutrino_rank_tables(neutrino_run *n);

/* Shows the tables on the terminal, and what came out as a sentence with a number or two. */
void pf_neutrino_show_tables(neutrino_run *n);
void pf_neutrino_say_headline(neutrino_run *n);

/* ---- runs -------------------------------------------------------------------------------------------------------- */

/* Takes the last part off a path, steps over "."; {"", 0} where nothing is left. */
pf_str pf_neutrino_take_last(pf_str *path);

/* Those of OP/PROBE/trace, or with a folder of its own in it; empty where there is no "trace". */
void pf_neutrino_probe_and_op(pf_str path, pf_str *probe, pf_str *op);

/* What each run is called, by row. */
pf_status pf_neutrino_name_runs(const neutrino_run *n, pf_str *names, pf_error *err);

/* ---- analyses, each with its reports ----------------------------------------------------------------------------- */

/* Makes the enriched trace and hands it to the findings. */
pf_status pf_neutrino_enrich(const neutrino_run *n, pf_error *err);

/* Of logs and trees of runs: nothing is reported where there is no data. */
void pf_neutrino_launches(neutrino_run *n);
pf_status pf_neutrino_kernel_times(neutrino_run *n, pf_error *err);
void pf_neutrino_overhead(neutrino_run *n);
void pf_neutrino_max_memory(neutrino_run *n);
void pf_neutrino_latencies(neutrino_run *n, const neutrino_group *g); /* of one file */

/* Of one section. */
pf_status pf_neutrino_gmem(neutrino_run *n, const neutrino_records *r, pf_error *err);
pf_status pf_neutrino_tensorop(neutrino_run *n, const neutrino_records *r, pf_error *err);
pf_status pf_neutrino_progress(neutrino_run *n, const neutrino_records *r, pf_error *err);

/* sum: of sync_bytes and of async_bytes; list: gets the bytes of each block, or NULL. */
pf_status pf_neutrino_add_gmem(const neutrino_run *n, const neutrino_records *r, uint64_t *sum, pf_node *list,
                               pf_error *err);
