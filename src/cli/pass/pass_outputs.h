/* cli/pass/pass_outputs.h - the outputs of a pass: reports, traces of its own, text, the enriched trace. */
#ifndef PF_CLI_PASS_PASS_OUTPUTS_H
#define PF_CLI_PASS_PASS_OUTPUTS_H

#include "cli/pass/input_hashes.h"
#include "cli/pass/pass_roles.h"

/* Refuses an -o that cannot be, before anything is read. */
int pf_cli_check_pass_output(pf_cli_run *run, const pf_cli_roles *roles);

/* Findings are drawn into Perfetto traces: refuses an -o that names another format. */
int pf_cli_check_ending(const pf_cli_run *run);

/* PF_WANT_* of the main trace that -o needs. */
uint32_t pf_cli_output_want(const pf_cli_run *run);

/* Where reports go: --report, or the folder of -o or of the main input. NULL: nowhere. malloc'd. False if there is no
 * memory. */
bool pf_cli_report_folder(const pf_cli_run *run, const char *main_path, char **dir);

/* The path of -o without its endings: that of a compression and one more. NULL if there is no -o or it is "-".
 * Likewise.
 */
bool pf_cli_output_stem(const char *out, char **stem);

/* Writes everything that run->findings has and that no option asks otherwise for. hashes: of the trace's inputs, where
 * -o will say them; it and dir may be NULL. */
int pf_cli_write_pass_outputs(pf_cli_run *run, const pf_cli_roles *roles, pf_cli_hashes *hashes, const char *dir);

/* pf_pass_context.write; host: the roles. */
pf_status pf_cli_write_drawn(void *host, const pf_trace *t, pf_findings *drawn, const char *path, pf_error *err);

/* Steps of it. */
/* Whether the pass makes the file of -o itself. */
bool pf_cli_makes_output(const pf_cli_run *run);
/* Where a report is written, malloc'd; NULL: nowhere. False if there is no memory. */
bool pf_cli_report_path(const pf_cli_run *run, const char *dir, const pf_report *r, char **path);
/* Whether two paths name one file, which need not be there. False if there is no memory. */
bool pf_cli_same_target(const char *a, const char *b, bool *same);
/* The folder of a path as Python's pathlib says it: "." without one, no slashes at its end. malloc'd. */
char *pf_cli_folder_of(const char *path);

#endif
