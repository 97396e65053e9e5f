/* cli/commands/info/info_formats.h - `postfetto info --formats`. */
#ifndef PF_CLI_COMMANDS_INFO_INFO_FORMATS_H
#define PF_CLI_COMMANDS_INFO_INFO_FORMATS_H

#include "cli/common/command.h"

/* Prints the readers and dialects, as text or JSON. */
pf_status pf_cli_list_formats(pf_cli_run *run);

#endif
