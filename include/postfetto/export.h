/* postfetto/export.h - the tables of a trace as an SQLite database file. */
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

#ifdef __cplusplus
}
#endif
#endif
