/* cli/terminal/progress.h - one line on the terminal that says how far a long reading or writing is. */
#ifndef PF_CLI_TERMINAL_PROGRESS_H
#define PF_CLI_TERMINAL_PROGRESS_H

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

/* The callback of pf_pass_context.progress, in any unit. */
void pf_cli_progress_pass(void *ctx, uint64_t done, uint64_t total);

/* The callback of pf_write_options.progress. */
void pf_cli_progress_write(void *ctx, uint64_t bytes, double share);

/* Takes the line away. */
void pf_cli_progress_clear(pf_cli_progress *p);

#endif
