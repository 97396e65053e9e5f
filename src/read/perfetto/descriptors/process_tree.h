/* read/perfetto/descriptors/process_tree.h - processes and threads as the system lists them. */
#ifndef PF_READ_PERFETTO_DESCRIPTORS_PROCESS_TREE_H
#define PF_READ_PERFETTO_DESCRIPTORS_PROCESS_TREE_H

#include "read/perfetto/import/import.h"

pf_status pf_import_process_tree(pf_import *im, const pf_field *data);

#endif
