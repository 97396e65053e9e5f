/* write/annotate.h - the arguments of an event as debug annotations of the track event being written. */
#ifndef PF_WRITE_ANNOTATE_H
#define PF_WRITE_ANNOTATE_H

#include "write/packets.h"

/* Writes the arguments of event `row`; `nesting` is scratch memory that calls share. */
pf_status pf_annotate_event(pf_packets *p, const pf_trace *t, uint32_t row, pf_buffer *nesting, pf_error *err);

/* One scalar argument. */
void pf_annotate(pf_packets *p, pf_str name, const pf_value *value);

#endif
