/* analyze/neutrino/facts/neutrino.h - what the analyses of Neutrino recordings share: the side tables as they read
 * them, the sections with their records, and small helpers for documents and tables (docs/reference/neutrino.md,
 * "Analyses"). */
#ifndef PF_ANALYZE_NEUTRINO_FACTS_NEUTRINO_H
#define PF_ANALYZE_NEUTRINO_FACTS_NEUTRINO_H

#include "base/arena.h"
#include "base/map.h"
#include "postfetto/pass.h"
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

/* ---- tables that the pass reports -------------------------------------------------------------------------------- */

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
    NEUTRINO_TABLE_MULTI,
    NEUTRINO_TABLE_RESIDENTS,
    NEUTRINO_REPORT_TABLES
};
/* What an analysis found about a launch, for the enriched trace. */
typedef struct neutrino_fact {
    uint32_t launch, section;
    const char *key; /* static */
    uint64_t value;
    bool clock; /* the records of the section have clocks */
} neutrino_fact;

typedef struct neutrino_run {
    const pf_pass_context *ctx;
    const pf_trace *t;
    pf_findings *f;
    pf_arena *arena;
    uint64_t only; /* a bit for each analysis that was asked for; 0: all that there is data for */
    bool global_timer;
    bool pages; /* the page table whatever its size is */
    bool pictures;
    double ghz;
    pf_table_builder *tables[NEUTRINO_REPORT_TABLES];
    neutrino_fact *facts; /* in the arena */
    uint32_t fact_count, fact_room;
    uint32_t *nth, *of_kind; /* by section, see neutrino_records */
} neutrino_run;

static inline bool pf_neutrino_wants(const neutrino_run *n, neutrino_analysis a)
{
    return !n->only || n->only >> a & 1;
}

/* ---- side tables ------------------------------------------------------------------------------------------------- */

/* A side table with its columns found by name; a table or column that is not there has no rows or only NULLs. */
typedef struct neutrino_view {
    const pf_side_table *s;
    uint32_t count;
} neutrino_view;

neutrino_view pf_neutrino_view(const pf_trace *t, const char *table);
int64_t pf_neutrino_int(neutrino_view v, const char *column, uint32_t row); /* INT64_MIN: NULL */
double pf_neutrino_double(neutrino_view v, const char *column, uint32_t row);
uint32_t pf_neutrino_row_of(neutrino_view v, const char *column, uint32_t row); /* ROW; PF_NONE: NULL */
pf_str pf_neutrino_string(const pf_trace *t, neutrino_view v, const char *column, uint32_t row);

static inline bool pf_neutrino_same(pf_str s, const char *word)
{
    return s.ptr && s.len == __builtin_strlen(word) && __builtin_memcmp(s.ptr, word, s.len) == 0;
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

/* How many sections there are of each kind; before the next. */
pf_status pf_neutrino_count_kinds(neutrino_run *n, pf_error *err);

/* Section number `i`; false past the last one. */
bool pf_neutrino_records_at(const neutrino_run *n, uint32_t i, neutrino_records *r);

/* Rows of one file in a side table, which follow each other; r is the file's place among those of its kind. */
typedef struct neutrino_group {
    neutrino_records r;
    uint32_t first, past;
} neutrino_group;

/* The next group of a table with a column "file", the first one where g is all zero but for r.nth and r.of_kind, which
 * count what is of the kind already. False past the last one. */
bool pf_neutrino_next_group(const neutrino_run *n, neutrino_view v, neutrino_group *g);

/* The offset of a field in the record, SIZE_MAX if there is none. *bytes: 4 or 8. */
size_t pf_neutrino_field(const neutrino_run *n, const neutrino_records *r, const char *name, unsigned *bytes);

static inline uint32_t pf_neutrino_u32(const uint8_t *p)
{
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static inline uint64_t pf_neutrino_u64(const uint8_t *p)
{
    return pf_neutrino_u32(p) | (uint64_t)pf_neutrino_u32(p + 4) << 32;
}

static inline uint64_t pf_neutrino_value(const uint8_t *record, size_t offset, unsigned bytes)
{
    return bytes == 8 ? pf_neutrino_u64(record + offset) : pf_neutrino_u32(record + offset);
}

/* Bytes that a walk is done with leave the memory of the process, a good piece at a time; *gone: up to which unit. Also
 * polls cancel. */
pf_status pf_neutrino_passed(const neutrino_run *n, const neutrino_records *r, uint64_t unit, uint64_t *gone,
                             pf_error *err);
#define NEUTRINO_PIECE ((uint64_t)16 << 20)

/* ---- documents and tables ---------------------------------------------------------------------------------------- */

void pf_neutrino_put_u64(const neutrino_run *n, pf_node *parent, const char *key, uint64_t v);
void pf_neutrino_put_real(const neutrino_run *n, pf_node *parent, const char *key, double v);
void pf_neutrino_put_text(const neutrino_run *n, pf_node *parent, const char *key, pf_str v);
pf_node *pf_neutrino_put_object(const neutrino_run *n, pf_node *parent, const char *key);
pf_node *pf_neutrino_put_list(const neutrino_run *n, pf_node *parent, const char *key);
void pf_neutrino_put_null(const neutrino_run *n, pf_node *parent, const char *key);
pf_node *pf_neutrino_root(const neutrino_run *n, pf_node_type type);

/* Numbers beyond the range of a cell are the largest that fits. */
static inline pf_cell pf_neutrino_cell(uint64_t v)
{
    return (pf_cell){.as.i = v > INT64_MAX ? INT64_MAX : (int64_t)v};
}

/* "dmat.json", or "dmat_2.json" where there are several of the kind. */
pf_str pf_neutrino_file(const neutrino_run *n, const char *stem, const neutrino_records *r, const char *ending);

/* A document as a report and, below its name, in the summary; r: the section, where it is of one, else NULL. Of several
 * of a kind each names its file. */
void pf_neutrino_report(const neutrino_run *n, const char *stem, const neutrino_records *r, pf_node *root);

/* Notes a fact; false if memory was refused. */
bool pf_neutrino_add_fact(neutrino_run *n, const neutrino_records *r, const char *key, uint64_t value, bool clock);

/* A result line for standard output. */
void pf_neutrino_print(const neutrino_run *n, pf_str line);

extern const pf_pass_table pf_neutrino_report_tables[NEUTRINO_REPORT_TABLES];

/* The table of that number, made when it gets its first row; later rows join it. */
pf_table_builder *pf_neutrino_report_table(neutrino_run *n, unsigned table);

/* Shows the tables on the terminal: the first rows of each. */
#define NEUTRINO_SHOWN 10u
void pf_neutrino_show_tables(neutrino_run *n);

#endif
