/* read/chrome_json/apply/json_apply.h - phase 2: records to rows of the trace. */
#ifndef PF_READ_CHROME_JSON_APPLY_JSON_APPLY_H
#define PF_READ_CHROME_JSON_APPLY_JSON_APPLY_H

#include "read/chrome_json/apply/json_applier.h"

/* Applies the records of a->piece from *next on. Where the name of a process gives a dialect away and a->recognise is
 * set, that record is not applied any more, and a->recognised is set instead. *next is the first one not applied. */
pf_status pf_json_apply(pf_json_applier *a, uint32_t *next);

#endif
