/* read/perfetto/track/merged_siblings.h - siblings that merge (docs/reference/perfetto.md, "Track resolution"). */
#ifndef PF_READ_PERFETTO_TRACK_MERGED_SIBLINGS_H
#define PF_READ_PERFETTO_TRACK_MERGED_SIBLINGS_H

#include "read/perfetto/track/uuids.h"

/* Marks the rows of merging siblings as one group, named by the row that was made first. */
pf_status pf_lanes_group(pf_uuid_tracks *u, pf_error *err);

#endif
