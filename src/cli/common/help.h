/* cli/common/help.h - help texts, generated from the command table, the option tables and the passes. */
#ifndef PF_CLI_COMMON_HELP_H
#define PF_CLI_COMMON_HELP_H

#include "cli/common/command.h"

/* `postfetto --help` and, without the examples, `postfetto` alone. */
void pf_cli_help_all(pf_buffer *b, const pf_cli_command *const *commands, size_t count, bool brief);

/* `postfetto COMMAND --help`, or `postfetto analyze PASS --help` if there is a pass. */
void pf_cli_help_command(pf_buffer *b, const pf_cli_command *command, const pf_pass *pass, const pf_cli_parser *parser);

/* `postfetto analyze --list`: a line for each pass. */
void pf_cli_help_passes(pf_buffer *b);

#endif
