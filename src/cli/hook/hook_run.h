/* cli/hook/hook_run.h - `hook run`: a capture, then its traces; `hook watch`: traces as they come. */
#ifndef PF_CLI_HOOK_HOOK_RUN_H
#define PF_CLI_HOOK_HOOK_RUN_H

#include "cli/hook/config/hook_config.h"

/* Runs a command with its own standard streams and signals, then processes what it made under config->in. Returns the
 * command's own exit status, 128 + n after signal n, 127 or 126 if it could not be started, and another one only as
 * --strict says. */
int pf_hook_run_command(const pf_hook_config *c, char *const *argv);

/* Processes the traces in the folders, then those that come, until a signal; with config->once only those that are
 * there. Returns the exit code. */
int pf_hook_watch(const pf_hook_config *c, const char *const *folders, size_t count);

/* Processes one trace, says in a line what was done (unless nothing was to be said), and returns the exit code under
 * `strict` rules: what the analysis deserves. With `ranks` the files of one capture, as pf_hook_trace takes them.
 * new_only: of what is up to date, or is no capture, nothing is said. */
int pf_hook_process(const pf_hook_config *c, const char *path, const pf_hook_words *ranks, bool new_only);

/* Captures of several ranks that were met: those that were processed together, and those whose ranks are processed one
 * by one. */
typedef struct pf_hook_captures {
    pf_hook_words joined, apart;
} pf_hook_captures;

/* Whether a file is a rank of a capture that is processed together: the first one of it has all of those done that are
 * among the paths and match, and *code is then what that analysis deserves. */
bool pf_hook_process_ranks(const pf_hook_config *c, pf_hook_captures *met, const char *path, const pf_hook_words *paths,
                           int *code);
void pf_hook_captures_free(pf_hook_captures *met);

#endif
