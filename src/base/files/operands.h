/* base/files/operands.h - the inputs that a caller named: paths, patterns, folders. */
#pragma once

#include "base/arena.h"
#include "postfetto/author/reader.h"

typedef struct pf_operands {
    pf_entry *list; /* the arena's, as the paths */
    size_t count;
    uint32_t room;
    pf_arena *arena;
} pf_operands;

/* Every path in the given order; patterns in the components of a path that names nothing are replaced by what they fit,
 * sorted by name. PF_ERR_INPUT: a pattern fits nothing (err->file is the pattern). */
pf_status pf_operands_expand(pf_operands *o, const char *const *paths, size_t count, pf_arena *arena, pf_error *err);

/* Folders of the list are replaced by the traces in them, as the endings of their names say, sorted by name.
 * PF_ERR_INPUT: there is none (err->file is the folder). */
pf_status pf_operands_open_folders(pf_operands *o, pf_error *err);

/* The entries of a folder but those that begin with a dot, sorted by the bytes of their names; none if it cannot be
 * opened. */
pf_status pf_folder_list(pf_operands *o, const char *path, pf_arena *arena, pf_error *err);

/* The same with the folder before their names, added to a list. */
pf_status pf_folder_paths(pf_operands *o, const char *path, pf_error *err);
