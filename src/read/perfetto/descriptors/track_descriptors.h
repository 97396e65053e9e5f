/* read/perfetto/descriptors/track_descriptors.h - descriptors, and who names processes and threads. */
#ifndef PF_READ_PERFETTO_DESCRIPTORS_TRACK_DESCRIPTORS_H
#define PF_READ_PERFETTO_DESCRIPTORS_TRACK_DESCRIPTORS_H

#include "read/perfetto/import/import.h"

/* A TrackDescriptor, or the older thread and process descriptors. */
pf_status pf_import_descriptor(pf_import *im, const pf_record *r, const pf_field *data, pf_sequence *q,
                               const pf_moment *at);

/* Sources of names; a higher or equal rank replaces (docs/reference/perfetto.md, "Processes and threads"). */
enum {
    PF_RANK_THREAD_TREE = 2,
    PF_RANK_THREAD_TYPE = 3, /* of Chrome's thread types */
    PF_RANK_THREAD_LEGACY = 3,
    PF_RANK_THREAD_DESCRIPTOR = 4,
    PF_RANK_PROCESS_TYPE = 1, /* of Chrome's process types; renderers have a rank of their own */
    PF_RANK_PROCESS_DESCRIPTOR = 2,
    PF_RANK_PROCESS_RENDERER = 3,
    PF_RANK_PROCESS_TREE = 4
};

/* Sets the name of a process or thread unless a better source named it. */
pf_status pf_import_set_process_name(pf_import *im, uint32_t upid, pf_str name, uint32_t rank);
pf_status pf_import_set_thread_name(pf_import *im, uint32_t utid, pf_str name, uint32_t rank);

/* An argument of a process or thread (pf_owner); a value replaces the one of the same key. */
pf_status pf_import_note(pf_import *im, pf_owner owner, uint32_t row, pf_str key, const pf_value *value);

#endif
