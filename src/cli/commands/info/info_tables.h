/* cli/commands/info/info_tables.h - the two lists of `info` that are about the trace's own names. */
#ifndef PF_CLI_COMMANDS_INFO_INFO_TABLES_H
#define PF_CLI_COMMANDS_INFO_INFO_TABLES_H

#include "cli/commands/info/info_summary.h"
#include "cli/common/command.h"

/* The names that take most time, at most `top`, per category where the trace has several: the device's first. */
void pf_cli_put_names(pf_buffer *b, pf_cli_run *run, const pf_cli_summary *s, size_t top);

/* The processes with most rows, at most `top`. */
void pf_cli_put_processes(pf_buffer *b, pf_cli_run *run, const pf_cli_summary *s, size_t top);

/* Row 0 is the idle process, which every trace has; it counts only if the trace uses it. */
bool pf_cli_process_is_real(const pf_trace *t, const pf_cli_summary *s, uint32_t upid);

#endif
