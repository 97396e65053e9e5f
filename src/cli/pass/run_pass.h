/* cli/pass/run_pass.h - the one way by which a command runs a pass. */
#ifndef PF_CLI_PASS_RUN_PASS_H
#define PF_CLI_PASS_RUN_PASS_H

#include "cli/common/command.h"

/* Runs run->pass with run->values on the files that these operands and its options name, writes what it found and
 * judges the thresholds: the exit code. */
int pf_cli_run_pass(pf_cli_run *run, const char *const *operands, size_t count);

#endif
