/* cli/commands/compare/compare_ops.h - `postfetto compare ops`: what a performance model predicts against what was
 * measured. */
#ifndef PF_CLI_COMMANDS_COMPARE_COMPARE_OPS_H
#define PF_CLI_COMMANDS_COMPARE_COMPARE_OPS_H

#include "analyze/opcmp/opcmp.h"
#include "cli/run/run.h"

/* A pair of files that is compared. */
typedef struct pf_cli_scenario {
    char *name, *summary, *trace, *csv; /* summary: the file with the number of forward passes; may be NULL */
    double passes;                      /* without a summary */
    bool find_passes;                   /* PASSES is auto, or --anchor is given */
    bool built_in; /* one of the four of the program before this one, whose messages and exit codes are kept */
} pf_cli_scenario;

typedef struct pf_cli_scenarios {
    pf_cli_scenario *list;
    size_t count;
} pf_cli_scenarios;

/* The scenarios of the command line, else the four built in ones. */
int pf_cli_scenarios_make(pf_cli_run *run, pf_cli_scenarios *out);
void pf_cli_scenarios_free(pf_cli_scenarios *s);

#endif
