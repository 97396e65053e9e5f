/* cli/pass/pass.h - the one way by which commands run a pass: its inputs role by role, what it shows, its outputs. */
#pragma once

#include "analyze/pass/pass_host.h"
#include "cli/common/command.h"
#include "postfetto/edit.h"

/* run_pass.c: runs run->pass with run->values on the files that these operands and its options name, writes what it
 * found and judges the thresholds. */
pf_status pf_cli_run_pass(pf_cli_run *run, const char *const *operands, size_t count);

/* ---- pass_roles.c: what a pass takes as input -------------------------------------------------------------------- */

/* Finds out which files the roles of run->pass have, from its options and these operands. more_want and kept are set.
 */
pf_status pf_cli_roles_find(pf_cli_run *run, pf_pass_host *roles, const char *const *operands, size_t count);

/* Reads them, but for those that the pass asks for itself. The first trace of the first role is run->trace, which is
 * taken as it is if it is there already; what --stats says of others is kept in the run. */
pf_status pf_cli_roles_read(pf_cli_run *run, pf_pass_host *roles);

/* pass_compute.c: runs run->pass on them into run->findings. dir, stem: of its outputs, or NULL. */
pf_status pf_cli_compute(pf_cli_run *run, pf_pass_host *roles, const char *dir, const char *stem, pf_error *err);

/* pass_tables.c: reads the paths into run->trace and runs the passes of --pass on them, whose findings stay with the
 * run: for commands that ask for tables alone. What the passes warn of is shown. */
pf_status pf_cli_run_named(pf_cli_run *run, const char *const *paths, size_t count);

/* For pf_pass_context. */
pf_status pf_cli_roles_open(void *roles, size_t role, size_t file, uint32_t more, pf_pass_file *out, pf_error *err);
void pf_cli_roles_close(void *roles, size_t role, size_t file);

/* pass_shown.c: shows the sentence that says what came out, where there is one. */
void pf_cli_show_headline(pf_cli_run *run);

/* Shows what run->findings have and was not shown yet, in the order of the pass, on standard error. */
void pf_cli_show_findings(pf_cli_run *run, const char *main_path);

/* Likewise, but only what is wrong. */
void pf_cli_show_warnings(pf_cli_run *run, const char *main_path);

/* ---- pass_answer.c: what is said on standard output -------------------------------------------------------------- */

/* Refuses a --format or --table that cannot be, before anything is read. */
pf_status pf_cli_check_answer(pf_cli_run *run);

/* Whether an option asks for something on standard output, which then has nothing else. */
bool pf_cli_answers(const pf_cli_run *run);

/* Whether that is the summary of the pass, or tables of it (for `compare` where nothing else is asked for). */
bool pf_cli_answers_summary(const pf_cli_run *run);
bool pf_cli_answers_tables(const pf_cli_run *run);

/* Sends the tables. */
pf_status pf_cli_put_tables(pf_cli_run *run);

/* ---- clock_lines.c, aligned.c: ranks on one clock ---------------------------------------------------------------- */

/* How a refusal puts it: what asked for it, what to do instead, and what is not there now. */
typedef struct pf_cli_clock_words {
    const char *option, *instead, *lost;
} pf_cli_clock_words;

/* Fills where the inputs go on the clock of the first one, by the table of `analyze gpu`, and says it. Where that would
 * make the times no better, says so and leaves run->code at a finding. */
void pf_cli_take_clock_lines(pf_cli_run *run, const pf_findings *f, const pf_cli_clock_words *words,
                             pf_merge_input *inputs, size_t count);

/* Whether the pass has been asked for inputs on one clock in -o. */
bool pf_cli_aligns(const pf_cli_run *run);

/* Inputs that were moved, and what the pass found in them; without a trace where that was refused. */
typedef struct pf_cli_aligned {
    pf_trace *trace;
    pf_findings *findings;
    size_t count;
    struct pf_cli_moved *input;
} pf_cli_aligned;

/* Makes them, after the pass ran. A refusal leaves run->code at a finding. */
pf_status pf_cli_align(pf_cli_run *run, pf_pass_host *roles, pf_cli_aligned *out);
void pf_cli_aligned_free(pf_cli_run *run, pf_cli_aligned *a);

/* Puts trace and findings in the place of those of the run, and back. */
static inline void pf_cli_swap_aligned(pf_cli_run *run, pf_cli_aligned *a)
{
    const pf_cli_aligned moved = *a;
    a->trace = run->trace;
    a->findings = run->findings;
    run->trace = moved.trace;
    run->findings = moved.findings;
}

/* ---- input_hashes.c: fingerprints of the inputs of a trace, made by a thread while the main one works -------------
 */

typedef struct pf_cli_hashes pf_cli_hashes;

/* Starts; NULL if there is no memory. Without `threaded` the work is done where the hashes are asked for. */
pf_cli_hashes *pf_cli_hashes_start(const pf_trace *t, bool threaded);

/* The hash of an input, as pf_input_hash spells it. */
const char *pf_cli_hashes_at(pf_cli_hashes *h, size_t input);

void pf_cli_hashes_free(pf_cli_hashes *h); /* waits; NULL is legal */

/* ---- pass_outputs.c: reports, traces of its own, text, the enriched trace ---------------------------------------- */

/* Refuses an -o that cannot be, before anything is read. */
pf_status pf_cli_check_pass_output(pf_cli_run *run, const pf_pass_host *roles);

/* Findings are drawn into Perfetto traces: refuses an -o that names another format. */
pf_status pf_cli_check_ending(pf_cli_run *run);

/* PF_WANT_* of the main trace that -o needs. */
uint32_t pf_cli_output_want(const pf_cli_run *run);

/* Where reports go: --report, or the folder of -o or of the main input. NULL: nowhere. malloc'd. False if there is no
 * memory. */
bool pf_cli_report_folder(const pf_cli_run *run, const char *main_path, char **dir);

/* The path of -o without its endings: that of a compression and one more. NULL if there is no -o or it is "-".
 * Likewise. */
bool pf_cli_output_stem(const char *out, char **stem);

/* Writes everything that run->findings has and that no option asks otherwise for. hashes: of the trace's inputs, where
 * -o will say them. aligned: what is drawn in place of that, NULL: nothing; without a trace there is no enriched one.
 * hashes and dir may be NULL. */
pf_status pf_cli_write_pass_outputs(pf_cli_run *run, const pf_pass_host *roles, pf_cli_hashes *hashes, const char *dir,
                                    pf_cli_aligned *aligned);

/* Writes the page of --html, which says of thresholds, too, if they are judged. */
pf_status pf_cli_write_pass_page(pf_cli_run *run, const pf_pass_host *roles, const char *dir);

/* pass_partial.c: the path of --partial, NULL where none is asked for; asking for one; and writing what was found
 * there. */
const char *pf_cli_partial(const pf_cli_run *run);
void pf_cli_set_partial(const pf_pass *p, pf_option_value *values, const char *path);
pf_status pf_cli_write_partial(pf_cli_run *run, pf_buffer *lines);

/* Whether that file is the partial which a run of the pass with these options on that trace alone would write. */
bool pf_cli_partial_is_current(pf_cli_run *run, const char *partial, const char *trace);

/* collection.c: runs run->pass on each trace of a folder, and what all of them contribute together. cache: the folder
 * of their partials, NULL: that of the traces. */
pf_status pf_cli_run_collection(pf_cli_run *run, const char *folder, const char *cache);

/* enriched_archive.c: a trace with findings, or NULL for none, as an archive for Perfetto's UI. */
pf_status pf_cli_write_archive(pf_cli_run *run, const pf_trace *t, pf_findings *drawn, const char *path,
                               const pf_write_options *o, pf_error *err);

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
