/* read/perfetto/apply/inflate_packets.h - packets inside of packets. */
#ifndef PF_READ_PERFETTO_APPLY_INFLATE_PACKETS_H
#define PF_READ_PERFETTO_APPLY_INFLATE_PACKETS_H

#include "read/perfetto/import/import.h"

/* The packets inside a compressed_packets field. */
pf_status pf_import_compressed(pf_import *im, const pf_record *r, const pf_field *data);

#endif
