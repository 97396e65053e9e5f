/* postfetto/export.h - the tables of a trace as an SQLite database, or as files of columns. */
#ifndef POSTFETTO_EXPORT_H
#define POSTFETTO_EXPORT_H

#include "postfetto/query.h"
#include "postfetto/write.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Writes what a query sees into a database that plain SQLite opens: tables slice, counter, thread, process, args, flow,
 * metadata, stats, clock_snapshot, trace_bounds and __intrinsic_track with Perfetto's columns, views (track, slices,
 * counters, thread_slice, ...) and indexes. The file is atomic like every output; "-" is standard output. Errors:
 * PF_ERR_OUTPUT, PF_ERR_MEMORY, PF_ERR_LIMIT, PF_ERR_CANCELLED. */
PF_API pf_status pf_export_sqlite(const pf_trace *t, const char *path, const pf_write_options *o, pf_error *err);

/* Writes an archive of the tables, a TAR of Arrow files that Perfetto's UI and trace processor load without parsing (v58
 * and later; docs/reference/archive.md). `release` names the schemas, "v58"; NULL: the newest. What the archive cannot
 * carry is left out: metadata (but for short ones, which become attributes) and statistics; faults of the recording are
 * rows of trace_diagnostics. Needs PF_WANT_TABLES. The bytes depend on nothing but the trace. Errors: PF_ERR_USAGE (no
 * such release), PF_ERR_OUTPUT, PF_ERR_MEMORY, PF_ERR_LIMIT, PF_ERR_CANCELLED. */
PF_API pf_status pf_export_archive(const pf_trace *t, const char *path, const char *release, const pf_write_options *o,
                                   pf_error *err);

#ifdef __cplusplus
}
#endif
#endif
