/* read/perfetto/apply/packet_apply.h - applies batches: the plain way and the fast one. */
#ifndef PF_READ_PERFETTO_APPLY_PACKET_APPLY_H
#define PF_READ_PERFETTO_APPLY_PACKET_APPLY_H

#include "read/perfetto/import/import.h"

/* Applies a batch. */
pf_status pf_import_apply(pf_import *im, pf_rows *rows);

/* packet_apply_fast.c: makes room for what the places and labels of a batch stand for, once; false if memory was
 * refused. pf_rows_free frees it. */
bool pf_known_make(pf_rows *b);

/* Where a batch is being applied: the next row, the value of the next row that has one, the next record. */
typedef struct pf_rows_at {
    uint32_t row, value, record;
} pf_rows_at;

/* packet_apply_fast.c: applies rows as long as they are plain events and all that they refer to is known. Nothing has
 * changed by the first that is not taken. */
pf_status pf_import_rows_fast(pf_import *im, pf_rows *rows, pf_rows_at *at);

#endif
