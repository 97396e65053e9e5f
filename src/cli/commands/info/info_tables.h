/* cli/commands/info/info_tables.h - the two lists of `info` that are about the trace's own names. */
#ifndef PF_CLI_COMMANDS_INFO_INFO_TABLES_H
#define PF_CLI_COMMANDS_INFO_INFO_TABLES_H

#include "cli/commands/info/info_summary.h"
#include "cli/run/run.h"

/* The names that take most time, per category where the trace has several: the device's first. */
void pf_cli_put_names(pf_buffer *b, pf_cli_run *run, const pf_cli_summary *s);

/* The processes with most rows. */
void pf_cli_put_processes(pf_buffer *b, pf_cli_run *run, const pf_cli_summary *s);

/* Row 0 is the idle process, which every trace has; it counts only if the trace uses it. */
bool pf_cli_process_is_real(const pf_trace *t, const pf_cli_summary *s, uint32_t upid);

#endif
