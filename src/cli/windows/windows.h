/* cli/windows/windows.h - windows of time that a trace itself names: slices, steps. */
#pragma once

#include "cli/common/command.h"
#include "postfetto/edit.h"

/* In order of their begins. */
typedef struct pf_cli_windows {
    pf_split_window *list; /* malloc'd, like the names */
    size_t count, room;
    size_t slowest; /* which of the steps took longest, warm-up apart, as the pass measures them; PF_CLI_NO_WINDOW */
    double longest; /* how long, in the pass's own unit */
} pf_cli_windows;

#define PF_CLI_NO_WINDOW SIZE_MAX

/* Reads the first operand, runs the passes of --pass on it, and asks: the slices of that name, in order of time; or
 * (name NULL) the steps or iterations that the first pass found. PF_ERR_USAGE: there are none. */
pf_status pf_cli_windows_find(pf_cli_run *run, const char *name, pf_cli_windows *w);
void pf_cli_windows_free(pf_cli_windows *w);
