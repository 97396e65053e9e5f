/* cli/pass/pass_shown.h - the tables, lines and errors that a pass wants seen, on standard error. */
#ifndef PF_CLI_PASS_PASS_SHOWN_H
#define PF_CLI_PASS_PASS_SHOWN_H

#include "cli/common/command.h"

/* Shows what run->findings have and was not shown yet, in the order of the pass. */
void pf_cli_show_findings(pf_cli_run *run, const char *main_path);

#endif
