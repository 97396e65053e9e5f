/* postfetto/findings.h - what a pass found: documents, report tables, an overlay to draw into the trace.
 *
 * Findings know no file format: write.h turns them into JSON, Markdown, CSV and Perfetto packets. All text is copied.
 * Functions that add something return PF_OK, PF_ERR_MEMORY or PF_ERR_LIMIT, or, where they return a handle, NULL or
 * PF_NONE on failure; after a failure the object stays failed (pf_findings_status), so that a pass may check once at
 * its end.
 */
#ifndef POSTFETTO_FINDINGS_H
#define POSTFETTO_FINDINGS_H

#include "postfetto/build.h"
#include "postfetto/document.h"
#include "postfetto/trace.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Filled by one thread at a time; several may read it then. */
typedef struct pf_findings pf_findings;

/* limits may be NULL (defaults). NULL if out of memory. */
PF_API pf_findings *pf_findings_new(const pf_limits *limits);
PF_API void pf_findings_free(pf_findings *f);
PF_API pf_status pf_findings_status(const pf_findings *f, pf_error *err);

/* Notes a failure of the pass itself: the first one, later ones change nothing. */
PF_API void pf_findings_fail(pf_findings *f, const pf_error *err);

/* Memory of zeros that lives as long as the findings, 8-byte aligned; a copy of a text, terminated. NULL or {NULL, 0},
 * and the failure noted, if refused. */
PF_API void *pf_findings_alloc(pf_findings *f, size_t size);
PF_API pf_str pf_findings_keep(pf_findings *f, pf_str text);
PF_API pf_str pf_findings_format(pf_findings *f, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- documents: ordered key/value trees (pf_node of document.h) -------------------------------------------------- */

/* New nodes; the parent is an OBJECT (key set) or a LIST (key {NULL, 0}). They return the node, NULL on failure
 * (and do nothing if the parent is NULL). */
PF_API pf_node *pf_node_root(pf_findings *f, pf_node_type type);
PF_API pf_node *pf_node_add(pf_findings *f, pf_node *parent, pf_str key, pf_node_type type);
PF_API pf_node *pf_node_add_bool(pf_findings *f, pf_node *parent, pf_str key, bool v);
PF_API pf_node *pf_node_add_int(pf_findings *f, pf_node *parent, pf_str key, int64_t v);
PF_API pf_node *pf_node_add_real(pf_findings *f, pf_node *parent, pf_str key, double v);
PF_API pf_node *pf_node_add_text(pf_findings *f, pf_node *parent, pf_str key, pf_str v);
/* A number token as it is to be written: an integer beyond 64 bits. */
PF_API pf_node *pf_node_add_raw(pf_findings *f, pf_node *parent, pf_str key, pf_str token);
/* A list with an object for each row that the table has when the document is written, its columns from `from` on as
 * members: where nodes would be many. */
PF_API pf_node *pf_node_add_rows(pf_findings *f, pf_node *parent, pf_str key, const struct pf_table_builder *table,
                                 size_t from);
/* A copy of a node and all below it, of a parsed document for instance (document.h), as a member or item of the parent;
 * parent NULL: as a root. NULL for a node that could not be made. */
PF_API pf_node *pf_node_copy(pf_findings *f, pf_node *parent, pf_str key, const pf_node *node);
/* The findings own the document from now on and free it; its nodes may be reported as they are. */
PF_API void pf_findings_adopt(pf_findings *f, pf_document *d);

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

static inline pf_cell pf_cell_int(int64_t v)
{
    pf_cell cell = {false, {0}};
    cell.as.i = v;
    return cell;
}

/* What an int64 does not hold is the largest one. */
static inline pf_cell pf_cell_count(uint64_t v)
{
    return pf_cell_int(v > INT64_MAX ? INT64_MAX : (int64_t)v);
}

/* Null where v is not finite. */
static inline pf_cell pf_cell_real(double v)
{
    pf_cell cell = {!(v - v == 0), {0}};
    cell.as.d = v;
    return cell;
}

/* Null where the value is not known. */
static inline pf_cell pf_cell_int_if(bool known, int64_t v)
{
    pf_cell cell = pf_cell_int(known ? v : 0);
    cell.null = !known;
    return cell;
}

static inline pf_cell pf_cell_real_if(bool known, double v)
{
    pf_cell cell = {!known, {0}};
    cell.as.d = known ? v : 0;
    return cell;
}

/* Null where s.ptr is NULL. The text must outlive the findings, like that of any cell. */
static inline pf_cell pf_cell_text(pf_str s)
{
    pf_cell cell = {!s.ptr, {0}};
    cell.as.s = s;
    return cell;
}

typedef struct pf_table {
    pf_str title;
    const pf_column *columns; /* static */
    size_t column_count;
    size_t row_count;
    const pf_cell *cells; /* row_count x column_count, row by row */
    const char *name;     /* as SQL sees it, one of pf_pass.tables; NULL: for the reader's eye only */
} pf_table;

typedef struct pf_table_builder pf_table_builder;
/* `columns` must outlive the findings. */
PF_API pf_table_builder *pf_table_new(pf_findings *f, pf_str title, const pf_column *columns, size_t column_count);
/* The same with the name that SQL will see; it must outlive the findings too. */
PF_API pf_table_builder *pf_table_new_named(pf_findings *f, const char *name, pf_str title, const pf_column *columns,
                                            size_t column_count);
/* Appends a row of column_count cells; texts are copied. */
PF_API void pf_table_row(pf_findings *f, pf_table_builder *t, const pf_cell *cells);

/* All tables in the order they were made; the table with that name, or NULL. */
PF_API size_t pf_findings_table_count(const pf_findings *f);
PF_API const pf_table *pf_findings_table(const pf_findings *f, size_t i);
PF_API const pf_table *pf_findings_table_named(const pf_findings *f, const char *name);

/* ---- texts ------------------------------------------------------------------------------------------------------- */

/* A text, or bytes of a picture, that grows piece by piece; it lives as long as the findings. */
typedef struct pf_text pf_text;
PF_API pf_text *pf_text_new(pf_findings *f);
PF_API void pf_text_put(pf_findings *f, pf_text *t, pf_str bytes);
PF_API void pf_text_format(pf_findings *f, pf_text *t, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* A real with this many decimals (-1: as many as read back to it), blanks in front up to `width` bytes; whatever the
 * host's locale is, which "%f" is not. */
PF_API void pf_text_put_real(pf_findings *f, pf_text *t, double v, int decimals, size_t width);
PF_API pf_str pf_text_view(const pf_text *t); /* terminated; until the text grows */

/* ---- reports: files to be written -------------------------------------------------------------------------------- */

typedef enum pf_report_form {
    PF_REPORT_JSON = 0,         /* `root`, in `json` style */
    PF_REPORT_MARKDOWN_DETAILS, /* `table`: a <details> block with the title as summary and the table inside */
    PF_REPORT_MARKDOWN,         /* `table`: its title and a pipe table; cells cannot break out of it */
    PF_REPORT_CSV,              /* `table`, in `csv` style */
    PF_REPORT_TABLE,            /* `table`: its title and aligned columns */
    PF_REPORT_BYTES,            /* `text` as it is: a vendor's own format, SVG, PNG */
    PF_REPORT_JSON_STREAM,      /* what `visit` visits, as JSON on one line, while the file is written */
    PF_REPORT_TRACE,            /* `trace`, as the ending of the file says: .pftrace, .json, .sqlite, with .gz or not */
    PF_REPORT_FIGURE            /* `figure`, as the ending says: .svg, or .png of a heat map */
} pf_report_form;

/* Where a report goes. */
typedef enum pf_place {
    PF_PLACE_REPORTS = 0, /* `file` in the report folder */
    PF_PLACE_OUTPUT,      /* the path of -o, in place of the enriched trace; `file` says the form's ending only */
    PF_PLACE_BESIDE,      /* `file` in the folder of -o */
    PF_PLACE_INSTEAD,     /* the same, and nothing is written at the path of -o itself; no name: nothing at all */
    PF_PLACE_STDOUT       /* standard output, in the order of the reports; not with --json */
} pf_place;

/* Python's json.dumps knows the same knobs. */
typedef struct pf_json_style {
    bool one_line;              /* no line feeds; else members and items on lines of their own, indented by */
    int indent;                 /* this many blanks a level; 0: 2 */
    bool utf8;                  /* text as it is; else everything beyond ASCII as \\u escapes */
    bool final_newline;         /* a line feed after the document */
    const char *item_separator; /* NULL: "," or, on one line, ", " */
    const char *key_separator;  /* NULL: ": " */
} pf_json_style;

/* The fields as RFC 4180 has them: quoted where that is needed; NULL is an empty field. */
typedef struct pf_csv_style {
    char separator; /* 0: ',' */
    bool crlf;      /* lines end in CR LF; else in LF */
    bool no_header;
} pf_csv_style;

typedef struct pf_report {
    pf_str file; /* a name, see pf_place */
    pf_report_form form;
    const pf_node *root;
    const pf_table_builder *table;
    bool announced; /* a `[write] PATH` line is printed for it; of STDOUT: only once all else is written */
    bool undrawn;   /* TRACE: the findings are not drawn into it */
    pf_place place;
    const pf_text *text;
    pf_trace *trace; /* the findings own it from then on */
    /* Visits a document with one value at its root, which begins with the key {NULL, 0}; `of` and the trace that it
     * looks at live as long as the findings. For documents that should not be in memory at once. A value of type JSON
     * is written as it is, and so is the spelling of a number. */
    pf_status (*visit)(const void *of, const pf_arg_visitor *v, pf_error *err);
    const void *of;
    const pf_json_style *json;      /* static; NULL: two blanks, ASCII, no final newline */
    const pf_csv_style *csv;        /* static; NULL: commas, LF, with a header */
    const struct pf_figure *figure; /* of these findings (figure.h) */
} pf_report;

/* Adds a report; its file name is copied, the rest lives in the findings or is static. */
PF_API void pf_findings_add_report(pf_findings *f, const pf_report *report);
/* The same for the common ones, in the report folder. */
PF_API void pf_findings_report_json(pf_findings *f, pf_str file, const pf_node *root, bool announced);
PF_API void pf_findings_report_markdown(pf_findings *f, pf_str file, const pf_table_builder *table, bool announced);
PF_API void pf_findings_report_csv(pf_findings *f, pf_str file, const pf_table_builder *table, bool announced);
PF_API void pf_findings_report_text(pf_findings *f, pf_str file, const pf_text *text, bool announced);
/* A trace of the pass's own making (build.h); after a failure it is freed all the same. */
PF_API void pf_findings_report_trace(pf_findings *f, pf_str file, pf_trace *trace, pf_place place);
/* A text for standard output. */
PF_API void pf_findings_print(pf_findings *f, const pf_text *text);

PF_API size_t pf_findings_report_count(const pf_findings *f);
PF_API const pf_report *pf_findings_report(const pf_findings *f, size_t i);
PF_API const pf_table *pf_table_view(const pf_table_builder *t); /* NULL of NULL: a table that was refused */
static inline size_t pf_table_rows(const pf_table_builder *t)
{
    const pf_table *view = pf_table_view(t);
    return view ? view->row_count : 0;
}

/* ---- what the command shows -------------------------------------------------------------------------------------- */

/* A table of the summary on the terminal, whole: the command shows the first rows, as many as --rows says. And one line
 * of text: PF_INFO as it is, PF_NOTICE as a warning about the main input, neither with -q; PF_ERROR as it is, in any
 * case. */
PF_API void pf_findings_show_table(pf_findings *f, const pf_table_builder *table);
/* The same with some columns alone, in this order, commas between their names: what fits the width of a terminal. The
 * reports have all. */
PF_API void pf_findings_show_columns(pf_findings *f, const pf_table_builder *table, const char *columns);
PF_API void pf_findings_show_line(pf_findings *f, pf_severity severity, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The same about the file of that path: what is PF_INFO then begins with it, too. */
PF_API void pf_findings_show_about(pf_findings *f, const char *path, pf_severity severity, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* A failure that does not end the pass, as one that does would be reported. */
PF_API void pf_findings_show_error(pf_findings *f, const pf_error *error);
typedef struct pf_shown {
    const pf_table *table; /* NULL: a line, or an error */
    pf_severity severity;
    pf_str line;
    const char *path; /* that the line is about; NULL: of the main input */
    const pf_error *error;
    const char *columns; /* of the table that are shown, commas between them; NULL: all */
} pf_shown;
PF_API size_t pf_findings_shown_count(const pf_findings *f);
PF_API void pf_findings_shown_get(const pf_findings *f, size_t i, pf_shown *out, size_t size);
static inline pf_shown pf_findings_shown(const pf_findings *f, size_t i)
{
    pf_shown s;
    pf_findings_shown_get(f, i, &s, sizeof s);
    return s;
}

/* What came out, in one sentence for people: "2 GPUs were busy 63 % of 1.2 s; ...". It is the first that the terminal
 * and the report page say. The last one counts; NULL if there is none. */
PF_API void pf_findings_set_headline(pf_findings *f, const char *format, ...) __attribute__((format(printf, 2, 3)));
PF_API const char *pf_findings_headline(const pf_findings *f);

/* A number that the page shows in large below the headline, three at most: "busy", "63.2 %". The label is static. */
PF_API void pf_findings_add_highlight(pf_findings *f, const char *label, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
typedef struct pf_highlight {
    const char *label;
    pf_str text;
} pf_highlight;
PF_API size_t pf_findings_highlight_count(const pf_findings *f);
PF_API const pf_highlight *pf_findings_highlight(const pf_findings *f, size_t i);

/* The verdict of a pass that compares or checks: a finding, which the command reports as this sentence (none where it
 * is empty: the pass has shown it) and exit code 1. The last one counts; NULL if there is none. */
PF_API void pf_findings_set_verdict(pf_findings *f, const char *format, ...) __attribute__((format(printf, 2, 3)));
PF_API const char *pf_findings_verdict(const pf_findings *f);

/* What the command ends with when all is written, in place of the verdict: the exit code of a failure that was shown.
 */
PF_API void pf_findings_set_outcome(pf_findings *f, pf_status st);
PF_API pf_status pf_findings_outcome(const pf_findings *f);

/* The document that `analyze PASS --json` prints (an object with "schema_version"); NULL if the pass made none. */
PF_API void pf_findings_set_summary(pf_findings *f, const pf_node *root);
PF_API const pf_node *pf_findings_summary(const pf_findings *f);

/* ---- the overlay ------------------------------------------------------------------------------------------------- */

/* Names the pass that draws. Every slice and instant of the overlay then has the category "postfetto.NAME", so that SQL
 * distinguishes ours from the recorded ones ("postfetto" while no pass is named), and the attributes postfetto.version
 * and postfetto.pass are added. */
PF_API void pf_findings_set_pass(pf_findings *f, pf_str name);
PF_API pf_str pf_overlay_category(const pf_findings *f);

/* OWN_ROW is the row of the anchored thread itself, which the trace has: it is not described, and all that is drawn
 * there are instants. One is inside of the slices of the row that are open then; it must not be where one begins, or
 * where another instant is, because what comes next at its time would be inside of it. */
typedef enum pf_overlay_kind {
    PF_OVERLAY_GROUP,
    PF_OVERLAY_SLICES,
    PF_OVERLAY_COUNTER,
    PF_OVERLAY_OWN_ROW
} pf_overlay_kind;
typedef enum pf_anchor { PF_ANCHOR_GLOBAL, PF_ANCHOR_PROCESS, PF_ANCHOR_THREAD } pf_anchor;

typedef struct pf_overlay_track {
    pf_overlay_kind kind;
    uint32_t parent; /* another overlay track, or PF_NONE: then the anchor counts */
    pf_anchor anchor;
    uint32_t anchor_id; /* upid or utid in the trace */
    pf_str name;
    pf_str description; /* what is measured, from what, by which formula; {NULL, 0} = none */
    pf_str unit;        /* COUNTER: always set, for instance "cycles", "GMAC/s", "%" */
    int32_t rank;       /* order among siblings */
    pf_str share_key;   /* COUNTER: siblings with the same key are drawn on one scale; {NULL, 0} = a scale of its own */
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
/* A counter that has the value in [start, end) and 0 from then on: a viewer holds a value until the next sample, so one
 * that is not closed would fill the idle time after it. Call it in order of time; an interval that begins where the one
 * before it ended follows it without a 0 in between. */
PF_API void pf_overlay_hold(pf_findings *f, uint32_t track, int64_t start, int64_t end, double value);
/* Adds an argument to the event added last. */
PF_API void pf_overlay_arg_int(pf_findings *f, pf_str key, int64_t v);
PF_API void pf_overlay_arg_real(pf_findings *f, pf_str key, double v);
PF_API void pf_overlay_arg_derived(pf_findings *f, pf_str key, double v); /* rounded by pf_overlay_derived */
/* What was computed from measurements (a rate, a share in percent), as it is drawn: rounded to four significant digits.
 * Counts and times stay exact. */
PF_API double pf_overlay_derived(double v);
PF_API void pf_overlay_arg_text(pf_findings *f, pf_str key, pf_str v);
/* Many slices or instants with their arguments (a BOOL as 0 or 1), and samples, as they would be added one by one. The
 * category of `rows` is not used. A number beyond its texts, or a type that a column cannot have, is
 * PF_ERR_USAGE. */
PF_API void pf_overlay_slices(pf_findings *f, uint32_t track, const pf_build_rows *rows);
PF_API void pf_overlay_samples(pf_findings *f, uint32_t track, size_t count, const int64_t *ts, const double *values);
PF_API void pf_overlay_flow(pf_findings *f, uint64_t flow); /* of the event added last */

PF_API size_t pf_overlay_track_count(const pf_findings *f);
PF_API const pf_overlay_track *pf_overlay_track_at(const pf_findings *f, size_t i);
PF_API size_t pf_overlay_event_count(const pf_findings *f); /* in order of addition */
/* False: there is none. */
PF_API bool pf_overlay_event_get(const pf_findings *f, size_t i, pf_overlay_event *out, size_t size);
static inline bool pf_overlay_event_at(const pf_findings *f, size_t i, pf_overlay_event *out)
{
    return pf_overlay_event_get(f, i, out, sizeof *out);
}
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
