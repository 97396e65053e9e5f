/* write/columns/archive/archive_schemas.h - the tables that Perfetto's engine takes from an archive, by release. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "postfetto/base.h"
#include "write/columns/table/file_columns.h"

/* The columns of a table but its first, id, which no file stores, separated by commas: a type (u, n, i: uint32, int32,
 * int64; d: double; s: text), '?' if it may be NULL (texts always may), '^' where rows are sorted by it, '#' where it
 * is the number of the first row of a set, a blank, the name, and after '=' our name for it. */
typedef struct pf_archive_table {
    const char *name; /* without "__intrinsic_" */
    const char *columns;
} pf_archive_table;

typedef struct pf_archive_release {
    const char *name; /* as --for wants it */
    const pf_archive_table *tables;
    size_t count;
} pf_archive_release;

/* NULL for the newest. *out is NULL if there is no release of that name; `names` gets all of them. */
const pf_archive_release *pf_archive_release_named(const char *name);
extern const char pf_archive_releases[];

typedef struct pf_archive_column {
    pf_col_type type;
    bool nullable;
    const char *sort; /* in words of the manifest */
    pf_str name, ours;
} pf_archive_column;

/* The column at *columns, which goes on to the next one; false at the end. */
bool pf_archive_column_next(const char **columns, pf_archive_column *out);
