/* cli/hook/hook_run.h - `hook run`: a capture, then its traces; `hook watch`: traces as they come. */
#ifndef PF_CLI_HOOK_HOOK_RUN_H
#define PF_CLI_HOOK_HOOK_RUN_H

#include "cli/hook/hook_config.h"

/* Runs a command with its own standard streams and signals, then processes what it made under config->in. Returns the
 * command's own exit status, 128 + n after signal n, 127 or 126 if it could not be started, and another one only as
 * --strict says. */
int pf_hook_run_command(const pf_hook_config *c, char *const *argv);

/* Processes the traces in the folders, then those that come, until a signal; with config->once only those that are
 * there. Returns the exit code. */
int pf_hook_watch(const pf_hook_config *c, const char *const *folders, size_t count);

/* Processes one trace, says in a line what was done (unless nothing was to be said), and returns the exit code under
 * `strict` rules: what the analysis deserves. With `ranks` the files of one capture, as pf_hook_trace takes them. */
int pf_hook_process(const pf_hook_config *c, const char *path, const pf_hook_words *ranks);

#endif
