/* read/perfetto/track/track_args.h - what the argument sets of a track say beyond its columns
 * (docs/reference/perfetto.md, "Track resolution").
 */
#ifndef PF_READ_PERFETTO_TRACK_TRACK_ARGS_H
#define PF_READ_PERFETTO_TRACK_TRACK_ARGS_H

#include "perfetto/seqstate.h"
#include "read/perfetto/track/uuids.h"

/* Adds row arguments for all rows: what a group of siblings is keyed by, on the row that names the group; what the
 * descriptor of a row said. Rows must be filled and grouped. */
pf_status pf_track_args_add(const pf_uuid_tracks *u, const pf_sequences *sequences, pf_error *err);

#endif
