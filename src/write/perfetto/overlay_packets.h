/* write/perfetto/overlay_packets.h - the overlay of a pass as packets. */
#ifndef PF_WRITE_PERFETTO_OVERLAY_PACKETS_H
#define PF_WRITE_PERFETTO_OVERLAY_PACKETS_H

#include "write/perfetto/write_identity.h"

/* Writes the findings' attributes and the overlay's tracks and events, on a sequence of its own. */
pf_status pf_overlay_write(const pf_findings *f, pf_identity *who, pf_packets *packets, pf_error *err);

/* Marks the processes below which overlay tracks want to be ordered; call before their descriptors are written. */
void pf_overlay_mark_parents(const pf_findings *f, pf_identity *who);

#endif
