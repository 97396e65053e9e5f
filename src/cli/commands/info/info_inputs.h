/* cli/commands/info/info_inputs.h - what `info` says of the inputs of a trace. */
#ifndef PF_CLI_COMMANDS_INFO_INFO_INPUTS_H
#define PF_CLI_COMMANDS_INFO_INFO_INPUTS_H

#include "cli/commands/info/info_summary.h"
#include "cli/common/command.h"

/* File, format and size of a single input, in lines with labels of `label` columns; nothing for several. */
void pf_cli_put_input(pf_buffer *b, const pf_trace *t, int label);

/* A table with a row per input; nothing for a single one. False if memory was refused. */
bool pf_cli_put_inputs(pf_buffer *b, pf_findings *f, const pf_trace *t, const pf_cli_summary *s);

/* "inputs": a list with one object each. */
void pf_cli_add_inputs(pf_findings *f, pf_node *root, const pf_trace *t, const pf_cli_summary *s);

#endif
