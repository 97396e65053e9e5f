/* cli/query/prompt.h - statements of a person who sits at a terminal, until the end of the input or `.quit`. */
#pragma once

#include "cli/common/command.h"
#include "cli/query/line_editor.h"
#include "postfetto/query.h"

/* Runs a statement and shows its rows, or says on standard error what is wrong with it. */
typedef struct pf_cli_asker {
    const void *ctx;
    void (*ask)(const void *ctx, pf_str sql);
} pf_cli_asker;

/* Ctrl-C ends the line or the query, not the session; another signal ends it (PF_ERR_CANCELLED). */
pf_status pf_cli_prompt(pf_cli_run *run, pf_query *query, const pf_cli_asker *asker);
