/* tables/partial_file.h - how partials call what is in them: docs/reference/partial.md. */
#pragma once

/* The first member, its version, and the other one. */
#define PF_PARTIAL_MANIFEST "postfetto_partial.json"
#define PF_PARTIAL_VERSION 2
#define PF_PARTIAL_TABLES "postfetto_partial.arrows"

/* How the names of tables end that have a row for each of very many events. They are read where PF_WANT_RECORDS asks
 * for them, and where nothing else is asked for, alone. */
#define PF_PARTIAL_RECORDS "_calls"

/* How that of the table of inputs ends; where nothing is wanted, it alone is read. */
#define PF_PARTIAL_INPUTS "_part_inputs"

/* What the names of its tables begin with once it is read, and those of the manifests: a row for each partial (file,
 * version: of postfetto, pass), and one for each option that was given to its pass (file, name, value). */
#define PF_PARTIAL_PREFIX "partial_"
#define PF_PARTIALS "partial"
#define PF_PARTIAL_OPTIONS "partial_option"

/* With PF_WANT_MEMBERS tables of partials have their columns and no rows. A row of this one says of each table of each
 * partial what it is called, how many rows it has, the text that its first column has in all of them (0: there are
 * several), how many texts the dictionary of the partial has, and the bytes of both, which have been checked
 * (tables/partial_view.h). */
#define PF_PARTIAL_MEMBERS "partial_member"
enum {
    PF_MEMBER_NAME,
    PF_MEMBER_ROWS,
    PF_MEMBER_INPUT,
    PF_MEMBER_STRINGS,
    PF_MEMBER_TEXTS,
    PF_MEMBER_BYTES,
    PF_MEMBER_COLUMNS
};

#define PF_PARTIAL_DAMAGED "the partial is damaged: %s; write it again with --partial"
