/* write/perfetto/overlay_packets.h - the overlay of a pass as packets. */
#ifndef PF_WRITE_PERFETTO_OVERLAY_PACKETS_H
#define PF_WRITE_PERFETTO_OVERLAY_PACKETS_H

#include "write/perfetto/write_identity.h"

typedef struct pf_overlay_writer pf_overlay_writer;

/* Chooses the ids of tracks and flows. *out is to be closed whatever is returned. */
pf_status pf_overlay_open(pf_overlay_writer **out, const pf_findings *f, pf_identity *who, pf_error *err);
void pf_overlay_close(pf_overlay_writer *o); /* NULL is legal */

/* Lets a thread make the packets of the events while the caller writes others to the sink. */
void pf_overlay_begin(pf_overlay_writer *o, pf_sink *sink, uint32_t sequence);

/* Writes the findings' attributes and the overlay's tracks and events, on the sequence of `packets`, which must not
 * have been used if events were begun. */
pf_status pf_overlay_write(pf_overlay_writer *o, pf_packets *packets, pf_error *err);

/* Marks the processes below which overlay tracks want to be ordered; call before their descriptors are written. */
void pf_overlay_mark_parents(const pf_findings *f, pf_identity *who);

#endif
