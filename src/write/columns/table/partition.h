/* write/columns/table/partition.h - which rows of a trace's tables belong to which of its inputs. */
#pragma once

#include "write/columns/table/file_columns.h"

/* The tables whose rows say whose they are. */
enum {
    PF_PART_SLICE,
    PF_PART_COUNTER,
    PF_PART_FLOW,
    PF_PART_STATE,
    PF_PART_PROCESS,
    PF_PART_THREAD,
    PF_PART_TRACK,
    PF_PART_METADATA,
    PF_PART_STATS,
    PF_PART_ARGS, /* those that rows of the tables above name */
    PF_PARTS
};

typedef struct pf_partitions {
    pf_col_trace *of;
    const uint32_t *input[PF_PARTS]; /* by row; PF_NONE: of all. NULL for args */
} pf_partitions;

pf_status pf_partitions_make(pf_partitions *p, pf_col_trace *s, pf_error *err);

/* The number of a table among those above, or PF_PARTS. */
size_t pf_partition_of(const char *table);

/* The rows of an input, for pf_col_select; those of args after all others, whose columns name the sets. */
pf_status pf_partition_select(const pf_partitions *p, uint32_t input, size_t part, pf_col_table *table, pf_error *err);
pf_status pf_partition_select_args(const pf_partitions *p, const pf_col_table *tables, size_t count, pf_col_table *args,
                                   pf_error *err);
