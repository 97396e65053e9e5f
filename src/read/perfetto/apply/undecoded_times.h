/* read/perfetto/apply/undecoded_times.h - times of packets that nothing decodes. */
#ifndef PF_READ_PERFETTO_APPLY_UNDECODED_TIMES_H
#define PF_READ_PERFETTO_APPLY_UNDECODED_TIMES_H

#include "read/perfetto/import/import.h"

/* Has the times of a packet that nothing decodes count for the bounds, where Perfetto's do. */
void pf_import_cover_undecoded(pf_import *im, const pf_record *r, const pf_field *data, const pf_moment *at);

#endif
