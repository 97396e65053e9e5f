/* read/perfetto/lanes.h - siblings that merge (specs/perfetto.md 5.2). */
#ifndef PF_READ_PERFETTO_LANES_H
#define PF_READ_PERFETTO_LANES_H

#include "read/perfetto/tracks.h"

/* Marks the rows of merging siblings as one group, named by the row that was made first. */
pf_status pf_lanes_group(pf_uuid_tracks *u, pf_error *err);

#endif
