/* write/columns/arrow/arrow_c.h - tables of columns as arrays of the Arrow C data interface (postfetto/export.h). */
#pragma once

#include <stdatomic.h>

#include "postfetto/export.h"
#include "write/columns/table/file_columns.h"

/* What the arrays of one or several tables share. */
typedef struct pf_arrow_owner {
    atomic_uint holders; /* arrays that are not released, and who made it */
    pf_trace *trace;     /* with its columns; or NULL */
    pf_col_trace columns;
    pf_budget own;
    pf_budget *budget; /* the trace's, or its own */
    pf_arena arena;    /* of the arrays */
} pf_arrow_owner;

/* NULL: no memory. */
pf_arrow_owner *pf_arrow_owner_new(const pf_limits *limits);
void pf_arrow_owner_drop(pf_arrow_owner *of);

/* The schema of a table as a struct. plain: texts as they are; else dictionary-encoded. After a failure what there is
 * has a release callback; likewise below. */
pf_status pf_arrow_describe(struct ArrowSchema *s, const pf_col_table *t, bool plain, pf_error *err);

/* Its rows. plain: everything is copied, the columns may go; else what lies in memory as Arrow has it stays there. */
pf_status pf_arrow_give(pf_arrow_owner *of, struct ArrowArray *a, const pf_col_table *t, bool plain, pf_error *err);

/* Copies of the structs of a table of ours: of a schema all, of an array all but the buffers, which both then have. No
 * deeper than a table is: its columns and their dictionaries. After a failure there is nothing. */
pf_status pf_arrow_copy_schema(struct ArrowSchema *to, const struct ArrowSchema *from, pf_error *err);
pf_status pf_arrow_share_array(struct ArrowArray *to, const struct ArrowArray *from, pf_error *err);
