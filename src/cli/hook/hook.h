/* cli/hook/hook.h - `hook run`: a capture, then its traces; `hook watch`: traces as they come; and what both do with
 * one: the configured passes, which give a report, an enriched trace and reports of their own. */
#pragma once

#include <sys/stat.h>

#include "cli/hook/config/hook_config.h"
#include "postfetto/document.h"

/* Runs a command with its own standard streams and signals, then processes what it made under config->in. Returns the
 * command's own exit status, 128 + n after signal n, 127 or 126 if it could not be started, and another one only as
 * --strict says. */
int pf_hook_run_command(const pf_hook_config *c, char *const *argv);

/* Processes the traces in the folders, then those that come, until a signal; with config->once only those that are
 * there. Returns the exit code. */
int pf_hook_watch(const pf_hook_config *c, const char *const *folders, size_t count);

/* Processes one trace, says in a line what was done (unless nothing was to be said), and returns the exit code under
 * `strict` rules: what the analysis deserves. With `ranks` the files of one capture, as pf_hook_trace takes them.
 * new_only: of what is up to date, or is no capture, nothing is said; where another hook works at it, the code is
 * PF_HOOK_AGAIN, and without config->once nothing is said either. */
#define PF_HOOK_AGAIN 75 /* EX_TEMPFAIL of BSD: try later */
int pf_hook_process(const pf_hook_config *c, const char *path, const pf_hook_words *ranks, bool new_only);

/* Whether a file is a rank of a capture that is processed together: the first one of it has all of those done that are
 * among the paths and match, and *code is then what that analysis deserves. met: captures of several ranks that were
 * met, [true] those that were processed together (and recordings), [false] those whose ranks are taken one by one.
 * new_only: as above. */
bool pf_hook_process_ranks(const pf_hook_config *c, pf_hook_words met[2], const char *path, const pf_hook_words *paths,
                           bool new_only, int *code);

/* ---- one trace --------------------------------------------------------------------------------------------------- */

typedef enum pf_hook_outcome {
    PF_HOOK_DONE,
    PF_HOOK_SKIPPED,  /* the outputs of this version, these options and this input are there already */
    PF_HOOK_BUSY,     /* another hook works at it */
    PF_HOOK_NO_INPUT, /* one of our own outputs, or its name does not match */
    PF_HOOK_FINDING,  /* a threshold is true */
    PF_HOOK_FAILED
} pf_hook_outcome;

typedef struct pf_hook_result {
    pf_hook_outcome outcome;
    int code;       /* the exit code that the analysis deserves (0, 1, 3, 4, 5, 6; 124 after a timeout) */
    char text[768]; /* one line: what was done, or why not */
} pf_hook_result;

/* Processes one trace, or with `ranks` the files of one capture, whose path gives the outputs their names. Never
 * touches the trace itself; everything is written whole or not at all, the report last. */
void pf_hook_trace(const pf_hook_config *c, const char *path, const pf_hook_words *ranks, pf_hook_result *result);

/* Whether a file may be a trace that somebody captured: a regular file or a recording that is a folder, not hidden, not
 * one of our outputs by its name, whose content a reader recognises. */
bool pf_hook_is_candidate(const char *path);

/* ---- the files under a folder, and which of them changed --------------------------------------------------------- */

#define PF_HOOK_PATH 4096

typedef struct pf_hook_file {
    char *path;
    dev_t dev;
    ino_t ino;
    off_t size;
    struct timespec changed;
} pf_hook_file;

typedef struct pf_hook_files {
    pf_hook_file *at; /* by path */
    size_t count, room;
    bool failed; /* memory was refused; the list is not complete */
} pf_hook_files;

typedef enum pf_hook_listing {
    PF_HOOK_FILES,    /* regular files under a folder */
    PF_HOOK_FILES_IN, /* without those in folders in it */
    PF_HOOK_FOLDERS   /* folders under it, itself included */
} pf_hook_listing;

/* All of these but hidden ones and those in hidden folders; symbolic links are not followed. A folder that is not there
 * has none. */
void pf_hook_files_list(pf_hook_files *f, const char *folder, pf_hook_listing what);
void pf_hook_files_free(pf_hook_files *f);

/* Whether a file of `now` is in `before` as it is now. */
bool pf_hook_files_has(const pf_hook_files *before, const pf_hook_file *now);

/* The recording that a path is, or belongs to as one of its files: the nearest folder that is one, below `root` or that
 * itself; in `out` without slashes at its end. False: none, or the path is too long; then the path is its own. */
bool pf_hook_recording_of(const char *path, const char *root, char out[PF_HOOK_PATH]);

/* Whether the name is one that a hook gives to what it writes. */
bool pf_hook_is_output_name(const char *path);

/* ---- files of one capture: one for each rank, whose names differ in numbers alone -------------------------------- */

/* The capture that a file is a rank of, as a path: that of the file, with N for the number after each word "rank" of
 * its name (rank-3, rank_3, rank3), and with `jobs` after each word "job". False, if no rank is in the name, or the
 * path is too long. */
bool pf_hook_capture_of(const char *path, bool jobs, char out[PF_HOOK_PATH]);

/* Adds the files of a capture of several jobs that are in its folder and match, by name. */
void pf_hook_ranks_list(const pf_hook_words *globs, const char *capture, pf_hook_words *files);

/* Whether there are several files, and they are for a pass that takes them together, by the first one that can be read.
 */
bool pf_hook_ranks_are_joined(const pf_hook_words *files);

/* Whether a pass takes these files together: ranks, and several jobs where the names are of several. */
bool pf_hook_takes_ranks(const pf_pass *pass, const pf_hook_words *files);

/* "no file of rank 2" for numbers below the highest one that no file has; nothing where none is missing. */
void pf_hook_ranks_missing(const pf_hook_words *files, pf_buffer *text);

/* Whether a trace, with its document of `info`, is a Perfetto trace that carries metadata of ours: what a hook,
 * `analyze -o` or `convert` wrote is no capture. */
bool pf_hook_is_ours(const char *path, const pf_node *info, const pf_hook_child_limits *limits);

/* Whether the document of `info` lists a pass among those that fit. */
bool pf_hook_fits(const pf_node *info, const char *name);
