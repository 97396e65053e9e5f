/* read/perfetto/descriptors/spelled_ids.h - ids as they were written before a conversion. */
#ifndef PF_READ_PERFETTO_DESCRIPTORS_SPELLED_IDS_H
#define PF_READ_PERFETTO_DESCRIPTORS_SPELLED_IDS_H

#include "read/perfetto/import/import.h"

/* Ids that a conversion of Chrome JSON had to replace by numbers. */
pf_status pf_import_spelled_ids(pf_import *im);

#endif
