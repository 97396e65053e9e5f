/* cli/hook/trace/hook_trace.h - one trace through the configured passes: report, enriched trace, reports of the passes.
 */
#ifndef PF_CLI_HOOK_TRACE_HOOK_TRACE_H
#define PF_CLI_HOOK_TRACE_HOOK_TRACE_H

#include "cli/hook/config/hook_config.h"

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

#endif
