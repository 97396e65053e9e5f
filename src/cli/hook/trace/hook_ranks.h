/* cli/hook/trace/hook_ranks.h - files of one capture: one for each rank, whose names differ in numbers alone. */
#ifndef PF_CLI_HOOK_TRACE_HOOK_RANKS_H
#define PF_CLI_HOOK_TRACE_HOOK_RANKS_H

#include "cli/hook/config/hook_config.h"
#include "cli/hook/trace/hook_files.h"
#include "postfetto/document.h"

/* The capture that a file is a rank of, as a path: that of the file, with N for the number after each word "rank" and
 * "job" of its name (rank-3, rank_3, rank3). False, if no rank is in the name, or the path is too long. */
bool pf_hook_capture_of(const char *path, char out[PF_HOOK_PATH]);

/* Adds the files of a capture that are in its folder and match, by name. */
void pf_hook_ranks_list(const pf_hook_words *globs, const char *capture, pf_hook_words *files);

/* Whether there are several files, and they are for a pass that takes ranks together, by the first one that can be
 * read. */
bool pf_hook_ranks_are_joined(const pf_hook_words *files);

/* "no file of rank 2" for numbers below the highest one that no file has; nothing where none is missing. */
void pf_hook_ranks_missing(const pf_hook_words *files, pf_buffer *text);

/* Whether the document of `info` lists a pass among those that fit. */
bool pf_hook_fits(const pf_node *info, const char *name);

#endif
