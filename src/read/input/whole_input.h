/* read/input/whole_input.h - all plain bytes of an input at once, for readers that need them so. */
#ifndef PF_READ_INPUT_WHOLE_INPUT_H
#define PF_READ_INPUT_WHOLE_INPUT_H

#include "read/input/source.h"

/* Gathers all windows from `first` on into k->bytes. A plain file is where it is mapped. What is unpacked is in memory
 * or, if it is large, in a file without a name in `spool` (NULL: nowhere), which is mapped: its pages can leave memory,
 * and come back. If there is no room in the folder it is in memory. Also on failure k owns what there is. */
pf_status pf_whole_input(pf_trace *t, pf_source *s, pf_window first, const char *spool, pf_kept *k, pf_error *err);

#endif
