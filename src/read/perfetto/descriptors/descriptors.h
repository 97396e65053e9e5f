/* read/perfetto/descriptors/descriptors.h - what is said of tracks, processes and threads. */
#pragma once

#include "read/perfetto/import/import.h"

/* track_descriptors.c: TrackDescriptors, and the older thread and process descriptors. */
void pf_import_track_descriptor(pf_import *im, const pf_packet *p);
void pf_import_thread_descriptor(pf_import *im, const pf_packet *p);
void pf_import_process_descriptor(pf_import *im, const pf_packet *p);

/* Sets the name of a process or thread unless a better source named it. */
void pf_import_set_process_name(pf_import *im, uint32_t upid, pf_str name, uint32_t rank);
void pf_import_set_thread_name(pf_import *im, uint32_t utid, pf_str name, uint32_t rank);

/* An argument of a process or thread (pf_owner); a value replaces the one of the same key. */
void pf_import_note(pf_import *im, pf_owner owner, uint32_t row, pf_str key, const pf_value *value);

/* process_tree.c: processes and threads as the system lists them. */
void pf_import_process_tree(pf_import *im, const pf_packet *p);

/* spelled_ids.c: ids that a conversion of Chrome JSON had to replace by numbers, as they were written. */
pf_status pf_import_spelled_ids(pf_import *im);

/* track_args.c: adds the arguments of all track rows, which are filled and grouped: what a group of siblings is keyed
 * by, on the row that names the group; what the descriptor of a row said beyond the columns. */
pf_status pf_import_track_args(pf_import *im);
