/* read/perfetto/trackargs.h - what the argument sets of a track say beyond its columns (specs/perfetto.md 5.2). */
#ifndef PF_READ_PERFETTO_TRACKARGS_H
#define PF_READ_PERFETTO_TRACKARGS_H

#include "perfetto/seqstate.h"
#include "read/perfetto/tracks.h"

/* Adds row arguments for all rows: what a group of siblings is keyed by, on the row that names the group; what the
 * descriptor of a row said. Rows must be filled and grouped. */
pf_status pf_track_args_add(const pf_uuid_tracks *u, const pf_sequences *sequences, pf_error *err);

#endif
