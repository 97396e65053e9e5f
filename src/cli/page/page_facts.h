/* cli/page/page_facts.h - the report page of --html: the findings of a run, and what there is to say of its inputs. */
#pragma once

#include "cli/common/command.h"

/* A file that was read: what the page calls it, and the trace that it became, or NULL. */
typedef struct pf_cli_page_file {
    const char *label, *path;
    const pf_trace *trace;
} pf_cli_page_file;

/* Refuses, before anything is read, a page that is one of the inputs or the file of -o or cannot be written, and
 * pictures without a folder. */
pf_status pf_cli_check_page(pf_cli_run *run, const char *const *inputs, size_t count);

/* Adds the reports of --pictures. */
void pf_cli_report_pictures(pf_cli_run *run);

/* Writes run->findings as the page of --html. reports: the folder of the report files, or NULL. */
pf_status pf_cli_write_page(pf_cli_run *run, const pf_cli_page_file *files, size_t count, const char *reports);
