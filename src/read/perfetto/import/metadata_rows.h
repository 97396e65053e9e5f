/* read/perfetto/import/metadata_rows.h - what the trace says of itself, one row for each name. */
#ifndef PF_READ_PERFETTO_IMPORT_METADATA_ROWS_H
#define PF_READ_PERFETTO_IMPORT_METADATA_ROWS_H

#include "read/perfetto/import/import.h"

/* Adds a metadata row, or replaces the value of the row with that name. */
pf_status pf_import_set_metadata(pf_import *im, pf_str name, pf_str text, int64_t number);

#endif
