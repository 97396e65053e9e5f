/* read/perfetto/import/conversion_notes.h - what a conversion of Chrome JSON noted. */
#ifndef PF_READ_PERFETTO_IMPORT_CONVERSION_NOTES_H
#define PF_READ_PERFETTO_IMPORT_CONVERSION_NOTES_H

#include "read/perfetto/import/import.h"

/* The packet's note of what its event, the row added last, says in JSON; and one that has no event. */
pf_status pf_import_origin(pf_import *im, const pf_record *r);
pf_status pf_import_leftover(pf_import *im, const pf_field *data);

/* The id of a flow of phase s, t or f, as a note: the flow has another number. */
pf_status pf_import_flow_id(pf_import *im, uint64_t id);

#endif
