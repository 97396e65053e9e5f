/* postfetto/findings.h - what a pass found: documents, report tables, an overlay to draw into the trace.
 *
 * Findings know no file format: write.h turns them into JSON, Markdown, CSV and Perfetto packets. All text is copied.
 * Functions that add something return PF_OK, PF_ERR_MEMORY or PF_ERR_LIMIT, or, where they return a handle, NULL or
 * PF_NONE on failure; after a failure the object stays failed (pf_findings_status), so that a pass may check once at
 * its end.
 */
#ifndef POSTFETTO_FINDINGS_H
#define POSTFETTO_FINDINGS_H

#include "postfetto/trace.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct pf_findings pf_findings;

/* limits may be NULL (defaults). NULL if out of memory. */
PF_API pf_findings *pf_findings_new(const pf_limits *limits);
PF_API void pf_findings_free(pf_findings *f);
PF_API pf_status pf_findings_status(const pf_findings *f, pf_error *err);

/* ---- documents: ordered key/value trees -------------------------------------------------------------------------- */

typedef enum pf_node_type {
    PF_NODE_NULL,
    PF_NODE_BOOL,
    PF_NODE_INT,
    PF_NODE_REAL,
    PF_NODE_TEXT,
    PF_NODE_RAW, /* a number token copied as it is (an integer beyond 64 bits) */
    PF_NODE_LIST,
    PF_NODE_OBJECT
} pf_node_type;

typedef struct pf_node {
    pf_node_type type;
    pf_str key; /* {NULL, 0} in lists and at the root */
    union {
        bool b;
        int64_t i;
        double d;
        pf_str s;
    } as;
    struct pf_node *first, *last; /* children of LIST and OBJECT */
    struct pf_node *next;
    size_t children;
} pf_node;

/* New nodes; the parent is an OBJECT (key set) or a LIST (key {NULL, 0}). They return the node, NULL on failure
 * (and do nothing if the parent is NULL). */
PF_API pf_node *pf_node_root(pf_findings *f, pf_node_type type);
PF_API pf_node *pf_node_add(pf_findings *f, pf_node *parent, pf_str key, pf_node_type type);
PF_API pf_node *pf_node_add_int(pf_findings *f, pf_node *parent, pf_str key, int64_t v);
PF_API pf_node *pf_node_add_real(pf_findings *f, pf_node *parent, pf_str key, double v);
PF_API pf_node *pf_node_add_text(pf_findings *f, pf_node *parent, pf_str key, pf_str v);
/* The first child of an object with that key, or NULL. */
PF_API const pf_node *pf_node_get(const pf_node *object, const char *key);

/* ---- tables ------------------------------------------------------------------------------------------------------ */

typedef enum pf_cell_type { PF_CELL_INT, PF_CELL_REAL, PF_CELL_TEXT } pf_cell_type;

typedef struct pf_column {
    const char *name; /* static text */
    pf_cell_type type;
    int decimals;     /* REAL: digits after the point in text forms; -1 = shortest */
    const char *unit; /* "" if none */
} pf_column;

typedef struct pf_cell {
    bool null;
    union {
        int64_t i;
        double d;
        pf_str s;
    } as;
} pf_cell;

typedef struct pf_table {
    pf_str title;
    const pf_column *columns; /* static */
    size_t column_count;
    size_t row_count;
    const pf_cell *cells; /* row_count x column_count, row by row */
} pf_table;

typedef struct pf_table_builder pf_table_builder;
/* `columns` must outlive the findings. */
PF_API pf_table_builder *pf_table_new(pf_findings *f, pf_str title, const pf_column *columns, size_t column_count);
/* Appends a row of column_count cells; texts are copied. */
PF_API void pf_table_row(pf_findings *f, pf_table_builder *t, const pf_cell *cells);

/* ---- reports: files to be written -------------------------------------------------------------------------------- */

typedef enum pf_report_form {
    PF_REPORT_JSON,            /* `root`: two-space indent, no final newline (specs/aie.md, Number formats) */
    PF_REPORT_MARKDOWN_DETAILS /* `table`: a <details> block with the title as summary and the table inside */
} pf_report_form;

typedef struct pf_report {
    pf_str file; /* name relative to the report folder */
    pf_report_form form;
    const pf_node *root;
    const pf_table_builder *table;
    bool announced; /* a `[write] PATH` line is printed for it */
} pf_report;

PF_API void pf_findings_report_json(pf_findings *f, pf_str file, const pf_node *root, bool announced);
PF_API void pf_findings_report_markdown(pf_findings *f, pf_str file, const pf_table_builder *table, bool announced);
PF_API size_t pf_findings_report_count(const pf_findings *f);
PF_API const pf_report *pf_findings_report(const pf_findings *f, size_t i);
PF_API const pf_table *pf_table_view(const pf_table_builder *t);

/* ---- what the command shows -------------------------------------------------------------------------------------- */

/* A table of the summary on the terminal, and one line of text (a headline, a warning). */
PF_API void pf_findings_show_table(pf_findings *f, const pf_table_builder *table);
PF_API void pf_findings_show_line(pf_findings *f, pf_severity severity, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
typedef struct pf_shown {
    const pf_table *table; /* NULL: a line */
    pf_severity severity;
    pf_str line;
} pf_shown;
PF_API size_t pf_findings_shown_count(const pf_findings *f);
PF_API pf_shown pf_findings_shown(const pf_findings *f, size_t i);

/* The document that `analyze PASS --json` prints (an object with "schema_version"); NULL if the pass made none. */
PF_API void pf_findings_set_summary(pf_findings *f, const pf_node *root);
PF_API const pf_node *pf_findings_summary(const pf_findings *f);

/* ---- the overlay ------------------------------------------------------------------------------------------------- */

typedef enum pf_overlay_kind { PF_OVERLAY_GROUP, PF_OVERLAY_SLICES, PF_OVERLAY_COUNTER } pf_overlay_kind;
typedef enum pf_anchor { PF_ANCHOR_GLOBAL, PF_ANCHOR_PROCESS, PF_ANCHOR_THREAD } pf_anchor;

typedef struct pf_overlay_track {
    pf_overlay_kind kind;
    uint32_t parent; /* another overlay track, or PF_NONE: then the anchor counts */
    pf_anchor anchor;
    uint32_t anchor_id; /* upid or utid in the trace */
    pf_str name;
    pf_str description; /* may be {NULL, 0} */
    pf_str unit;        /* COUNTER: always set, for instance "cycles", "GMAC/s", "%" */
    int32_t rank;       /* order among siblings */
} pf_overlay_track;

/* Returns the overlay track's id, PF_NONE on failure. Slices of one track must nest or be apart: overlapping
 * intervals go onto several tracks (analyze/lanes). */
PF_API uint32_t pf_overlay_add_track(pf_findings *f, const pf_overlay_track *track);

typedef enum pf_overlay_event_kind { PF_OVERLAY_SLICE, PF_OVERLAY_INSTANT, PF_OVERLAY_SAMPLE } pf_overlay_event_kind;

typedef struct pf_overlay_arg {
    pf_str key;
    pf_value value; /* BOOL, INT, UINT, REAL, STRING */
} pf_overlay_arg;

typedef struct pf_overlay_event {
    pf_overlay_event_kind kind;
    uint32_t track;                /* overlay track */
    int64_t ts;                    /* in the trace's time unit */
    int64_t dur;                   /* SLICE */
    double value;                  /* SAMPLE */
    pf_str name;                   /* SLICE, INSTANT */
    uint32_t first_arg, arg_count; /* set by the overlay */
    uint64_t flow;                 /* 0 = none; events with equal non-zero flow are joined by arrows in time order */
} pf_overlay_event;

PF_API void pf_overlay_slice(pf_findings *f, uint32_t track, int64_t ts, int64_t dur, pf_str name);
PF_API void pf_overlay_instant(pf_findings *f, uint32_t track, int64_t ts, pf_str name);
PF_API void pf_overlay_sample(pf_findings *f, uint32_t track, int64_t ts, double value);
/* Adds an argument to the event added last. */
PF_API void pf_overlay_arg_int(pf_findings *f, pf_str key, int64_t v);
PF_API void pf_overlay_arg_real(pf_findings *f, pf_str key, double v);
PF_API void pf_overlay_arg_text(pf_findings *f, pf_str key, pf_str v);
PF_API void pf_overlay_flow(pf_findings *f, uint64_t flow); /* of the event added last */

PF_API size_t pf_overlay_track_count(const pf_findings *f);
PF_API const pf_overlay_track *pf_overlay_track_at(const pf_findings *f, size_t i);
PF_API size_t pf_overlay_event_count(const pf_findings *f); /* in order of addition */
PF_API const pf_overlay_event *pf_overlay_event_at(const pf_findings *f, size_t i);
PF_API const pf_overlay_arg *pf_overlay_arg_at(const pf_findings *f, size_t i);

/* A trace attribute (metadata trace_attribute.KEY): text, or a number if text.ptr is NULL. */
typedef struct pf_attribute {
    pf_str key;
    pf_str text;
    int64_t number;
} pf_attribute;
PF_API void pf_findings_attribute_text(pf_findings *f, pf_str key, pf_str text);
PF_API void pf_findings_attribute_int(pf_findings *f, pf_str key, int64_t number);
PF_API size_t pf_findings_attribute_count(const pf_findings *f);
PF_API const pf_attribute *pf_findings_attribute(const pf_findings *f, size_t i);

/* Memory owned by the findings now and at its peak, in bytes. */
PF_API void pf_findings_memory(const pf_findings *f, uint64_t *now, uint64_t *peak);

#ifdef __cplusplus
}
#endif
#endif
