/* cli/progress.h - one line on the terminal that says how far a long reading is. */
#ifndef PF_CLI_PROGRESS_H
#define PF_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct pf_cli_progress {
    bool enabled;
    double started, shown; /* seconds of pf_cli_now */
    int columns;           /* width of the line on the screen, 0 if there is none */
} pf_cli_progress;

/* Seconds of a clock that never jumps. */
double pf_cli_now(void);

/* Enabled unless `silent`, or standard error is no terminal, or TERM is "dumb". */
void pf_cli_progress_start(pf_cli_progress *p, bool silent);

/* The callback of pf_read_options.progress; ctx is the pf_cli_progress. total 0: unknown. */
void pf_cli_progress_update(void *ctx, uint64_t done, uint64_t total);

/* Takes the line away. */
void pf_cli_progress_clear(pf_cli_progress *p);

#endif
