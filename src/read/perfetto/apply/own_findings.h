/* read/perfetto/apply/own_findings.h - packets of findings that were drawn into the input earlier. */
#ifndef PF_READ_PERFETTO_APPLY_OWN_FINDINGS_H
#define PF_READ_PERFETTO_APPLY_OWN_FINDINGS_H

#include "read/perfetto/import/import.h"

/* Whether a packet is one of them, and is left out (pf_read_options.without_findings). begins: its sequence begins with
 * it, or begins anew; mark: model/trace/findings_mark.h, or empty; q: its sequence, or NULL. */
pf_status pf_import_leave_out(pf_import *im, const pf_record *r, pf_sequence *q, bool begins, pf_str mark, bool *left);

/* After the packets of a compressed one were applied, `len` bytes of them: if some were left out, what is to stand in
 * the place of the outer packet `r` is remembered. */
pf_status pf_import_left_out_inside(pf_import *im, const pf_record *r, size_t len);

#endif
