/* read/perfetto/apply/inventory.h - packets and bytes by kind. */
#ifndef PF_READ_PERFETTO_APPLY_INVENTORY_H
#define PF_READ_PERFETTO_APPLY_INVENTORY_H

#include "read/perfetto/import/import.h"

/* Lists the packets that were counted in the input. */
pf_status pf_import_list_packets(pf_import *im);

#endif
