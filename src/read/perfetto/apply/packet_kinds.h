/* read/perfetto/apply/packet_kinds.h - everything that is no TrackEvent, by its kind. */
#ifndef PF_READ_PERFETTO_APPLY_PACKET_KINDS_H
#define PF_READ_PERFETTO_APPLY_PACKET_KINDS_H

#include "read/perfetto/import/import.h"

/* Data that takes effect before times and state matter; *done: there is nothing more to do. */
pf_status pf_import_early(pf_import *im, const pf_record *r, bool *done);

/* Everything else that is no TrackEvent. */
pf_status pf_import_packet(pf_import *im, const pf_record *r, pf_sequence *q, const pf_moment *at);

/* What findings that are left out say of where they came from. */
pf_status pf_import_left_out_attributes(pf_import *im, const pf_record *r);

/* The trace clock becomes a metadata row, if a snapshot named it. */
pf_status pf_import_note_clock(pf_import *im);

#endif
