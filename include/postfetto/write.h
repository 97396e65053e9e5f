/* postfetto/write.h - from trace and findings to files. All file outputs are atomic: written to a temporary file in the
 * target's folder, synced, renamed; after a failure or SIGKILL the target is the old or the new whole file. */
#ifndef POSTFETTO_WRITE_H
#define POSTFETTO_WRITE_H

#include "postfetto/figure.h"
#include "postfetto/findings.h"
#include "postfetto/trace.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Made by pf_write_options_default; members are added at the end in later releases. */
typedef struct pf_write_options {
    size_t size;                /* of the struct as the program knows it */
    bool sync;                  /* fsync before the rename (default true) */
    const volatile int *cancel; /* as in pf_read_options */
    uint64_t *written;          /* if not NULL: bytes written are added */
    bool gzip;                  /* conversions: compress whatever the path's ending says ("-" has none) */
    bool compress_packets;      /* pf_convert_pftrace without gzip: packets in bundles that are compressed each, as
                                 * Perfetto itself can record them; readers inflate them one by one */
    unsigned jobs;              /* threads: 1 = none besides the caller's; 0 = the default, 2: others decode arguments,
                                 * draw findings, compress and write. The bytes do not depend on it */
    void (*progress)(void *ctx, uint64_t bytes,
                     double share); /* bytes made so far (before compression), and how much
                                     * of the trace they are, 0 to 1; may be NULL; called every half a megabyte */
    void *progress_ctx;
    uint64_t *loose_flows; /* if not NULL: the number of flows is added that readers of a Perfetto trace may bind to
                            * another slice, or none: complete events of JSON hold them beyond their end, slices with
                            * an end packet do not, and their packets cannot stand before it either */
} pf_write_options;

PF_API void pf_write_options_init(pf_write_options *o, size_t size);
static inline pf_write_options pf_write_options_default(void)
{
    pf_write_options o;
    pf_write_options_init(&o, sizeof o);
    return o;
}

/* Writes the whole trace as a Perfetto trace: events in file order where that keeps Perfetto's order, arguments,
 * process and thread names, counters. `path` ending in ".gz" compresses; "-" is standard output (not atomic).
 * Needs PF_WANT_EVENTS | PF_WANT_COUNTERS | PF_WANT_ARGS, and PF_WANT_SLICES where the trace has complete events (else
 * PF_ERR_USAGE). Errors: PF_ERR_OUTPUT, PF_ERR_MEMORY, PF_ERR_CANCELLED. */
PF_API pf_status pf_convert_pftrace(const pf_trace *t, const char *path, const pf_write_options *o, pf_error *err);

/* Writes the whole trace as Chrome JSON: an object with "traceEvents", an event a line in the order of the event table,
 * and the other members of the input. Times are exact (microseconds with up to three decimals, or whole cycles). Events
 * of JSON are written as they were, also those that come through a conversion to a Perfetto trace, if the trace was
 * read with PF_WANT_ORIGINS; without, members that no table has are missing. In other binary traces a begin whose end
 * says nothing itself (no name, category or arguments) becomes one complete event. Needs the same tables and slices
 * always; path, errors and compression as above. */
PF_API pf_status pf_convert_json(const pf_trace *t, const char *path, const pf_write_options *o, pf_error *err);

/* Writes the input with the findings drawn in. Binary input: the original bytes unchanged with our packets as one more
 * sequence after them, or in front where the recording has flush and read markers (docs/reference/perfetto.md,
 * "Writing into a trace"), compressed if path ends in ".gz"; gzip or zstd input: our packets are one more member or
 * frame, whatever the path's ending; zip input: the bytes of the file inside, likewise compressed. JSON input: a
 * conversion as above, then our packets. One input only. */
PF_API pf_status pf_write_enriched(const pf_trace *t, const pf_findings *f, const char *path, const pf_write_options *o,
                                   pf_error *err);

/* Writes the reports of PF_PLACE_REPORTS that are no traces into `dir` (created if missing), in their order.
 * `wrote(ctx, path, announced)` is called after each file with the path as composed from dir and file name; may be
 * NULL. */
PF_API pf_status pf_write_reports(const pf_findings *f, const char *dir, const pf_write_options *o,
                                  void (*wrote)(void *ctx, const char *path, bool announced), void *ctx, pf_error *err);

/* Writes one report to a path, whatever its place; not for PF_REPORT_TRACE, which the conversions above write. */
PF_API pf_status pf_write_report(const pf_report *report, const char *path, const pf_write_options *o, pf_error *err);

/* The bytes of a report (not a trace); *text is released with free(), as below. */
PF_API pf_status pf_format_report(const pf_report *report, char **text, size_t *len, pf_error *err);

/* Formats into growing memory; *text is released with free(). */
PF_API pf_status pf_format_json(const pf_node *root, char **text, size_t *len, pf_error *err);
PF_API pf_status pf_format_json_styled(const pf_node *root, const pf_json_style *style, char **text, size_t *len,
                                       pf_error *err);
PF_API pf_status pf_format_csv(const pf_table *table, const pf_csv_style *style, char **text, size_t *len,
                               pf_error *err);
/* Columns aligned for a terminal; `markdown` gives a pipe table instead. */
PF_API pf_status pf_format_table(const pf_table *table, bool markdown, char **text, size_t *len, pf_error *err);

/* The figure as SVG: a document that may stand in an HTML page as it is, with its classes beginning with "pf-" and its
 * ids with the figure's name. Its marks say their rows as tooltips; light and dark go by the reader's choice.
 * PF_ERR_INTERNAL where a column is missing. */
PF_API pf_status pf_figure_svg(const pf_figure *figure, char **text, size_t *len, pf_error *err);

/* ---- the report page --------------------------------------------------------------------------------------------- */

/* A line of a page. */
typedef struct pf_page_line {
    pf_str label; /* {NULL, 0}: none */
    pf_str text;
    const char *link; /* the file that the text is about, as a path from the page on; NULL: none */
} pf_page_line;

/* What a page says besides the findings. Made by pf_page_default; members are added at the end in later releases. */
typedef struct pf_page {
    size_t size;         /* of the struct as the program knows it */
    pf_str title;        /* of what it is: "analyze gpu: trace.json" */
    const char *reports; /* the folder of the report files as a path from the page on, "" or with a slash at its end;
                          * NULL: they are not written */
    const pf_page_line *warnings; /* damage and doubts, besides the warnings that the findings show */
    size_t warning_count;
    const pf_page_line *facts; /* what was measured: the tool, files, options, how it is computed */
    size_t fact_count;
    const pf_page_line *links; /* files to go on with: the enriched trace */
    size_t link_count;
    const pf_page_line *pages; /* others of the same trace: a text and a link each, which stand below the title */
    size_t page_count;
} pf_page;

PF_API void pf_page_init(pf_page *page, size_t size);
static inline pf_page pf_page_default(void)
{
    pf_page page;
    pf_page_init(&page, sizeof page);
    return page;
}

/* The findings as one HTML file that needs no other and no network: headline, highlights, warnings, what the findings
 * show (figures, tables, lines), and the facts. It is below 2 MB: long tables and names are cut, and say so. *text is
 * released with free(). */
PF_API pf_status pf_format_page(const pf_findings *f, const pf_page *page, char **text, size_t *len, pf_error *err);

/* XXH3-128 of the input as stored, as 32 hexadecimal digits and a NUL; of a folder, that of no bytes. */
PF_API void pf_input_hash(const pf_input *in, char hex[33]);

#ifdef __cplusplus
}
#endif
#endif
