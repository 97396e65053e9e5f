/* cli/pass/run_pass.c - the one way by which a command runs a pass: inputs by role, the pass, its outputs, thresholds.
 *
 * The order matters: everything that can be refused is refused before the input is read (targets that cannot be
 * written) or before anything is written (a report that would replace the input). Then the reports are written, one
 * atomic file each, and the enriched trace last. The `[write] PATH` lines are collected and sent at the end of each
 * step, so that a closed pipe after the command cannot interrupt the writing.
 */
#include <stdlib.h>

#include "base/budget.h"
#include "base/str.h"
#include "cli/pass/pass.h"
#include "cli/terminal/terminal.h"
#include "cli/thresholds/thresholds.h"

/* What the pass looks for in its files, and where what it finds goes. */
typedef struct job {
    pf_cli_run *run;
    pf_pass_host roles;
    const char *path; /* the main input: the first file of the first role; "" if there is none */
    char *dir, *stem;
    pf_cli_hashes *hashes; /* of the inputs, where -o will say them */
    pf_cli_aligned aligned;
} job;

/* The document that --json prints. */
static pf_status put_summary(pf_cli_run *run)
{
    const pf_node *summary = pf_findings_summary(run->findings);
    if (!summary) {
        pf_node *root = pf_cli_new_document(run);
        pf_node_add_text(run->findings, root, PF_STR("pass"), pf_str_of(run->pass->name));
        summary = root;
    }
    return pf_cli_put_document(run, NULL, summary);
}

/* What the pass came to, and its sentence. */
static pf_status tell_verdict(pf_cli_run *run)
{
    const char *verdict = pf_findings_verdict(run->findings);
    run->err.code = PF_OK; /* of a failure the pass has said what there is to say */
    PF_TRY(pf_findings_outcome(run->findings));
    if (verdict && *verdict) {
        pf_buffer b = {0};
        pf_buffer_format(&b, "postfetto: %s: ", run->pass->name);
        pf_cli_put_clean(&b, verdict, strlen(verdict), false);
        pf_cli_tell(&b);
    }
    run->code = verdict ? PF_CLI_FINDING : run->code;
    return PF_OK;
}

static pf_status run_and_write(job *j)
{
    pf_cli_run *run = j->run;
    bool hashed = run->set->out && run->trace;
    j->hashes = hashed ? pf_cli_hashes_start(run->trace, run->set->jobs > 1) : NULL;
    run->findings = pf_findings_new(&run->set->limits);
    run->at = NULL;
    if (!pf_cli_report_folder(run, j->path, &j->dir) || !pf_cli_output_stem(run->set->out, &j->stem) ||
        (hashed && !j->hashes) || !run->findings) {
        return pf_no_memory(&run->err);
    }
    pf_error err = {.offset = PF_NOWHERE, .packet = PF_NOWHERE};
    pf_status st = pf_cli_compute(run, &j->roles, j->dir, j->stem, &err);
    if (st == PF_OK) {
        pf_cli_show_headline(run);
    }
    if (st == PF_OK || run->pass->roles[0].on_request) { /* between its files some was shown already */
        pf_cli_show_findings(run, j->path);
    }
    if (st != PF_OK) {
        return pf_cli_report(run, j->path, &err);
    }
    bool aligns = pf_cli_aligns(run) && j->roles.files[0].count > 1;
    PF_TRY(aligns ? pf_cli_align(run, &j->roles, &j->aligned) : PF_OK);
    PF_TRY(pf_cli_write_pass_outputs(run, &j->roles, j->hashes, j->dir, aligns ? &j->aligned : NULL));
    PF_TRY(pf_cli_answers_summary(run) ? put_summary(run) : PF_OK);
    PF_TRY(pf_cli_answers_tables(run) ? pf_cli_put_tables(run) : PF_OK);
    return tell_verdict(run);
}

/* With thresholds the main trace gets all tables, because they are SQL over it. */
static pf_status run_job(job *j, const char *const *operands, size_t count)
{
    pf_cli_run *run = j->run;
    const char *out = run->set->out;
    bool judged = run->set->fail_if.count > 0;
    if (pf_cli_aligns(run) && !out) {
        return pf_cli_usage(run, "--align-clocks is about the trace that -o writes; add -o OUT");
    }
    j->roles.kept = out || judged;
    j->roles.more_want = pf_cli_output_want(run) | (judged ? PF_WANT_TABLES : 0);
    PF_TRY(pf_cli_roles_find(run, &j->roles, operands, count));
    PF_TRY(pf_cli_check_pass_output(run, &j->roles));
    PF_TRY(pf_cli_roles_read(run, &j->roles));
    j->path = pf_pass_host_main(&j->roles);
    PF_TRY(run_and_write(j));
    pf_status st = pf_cli_thresholds_judge(run, j->path,
                                           run->command->pass || pf_cli_answers(run) || (out && strcmp(out, "-") == 0));
    pf_status paged = run->set->html && st != PF_ERR_CANCELLED ? pf_cli_write_pass_page(run, &j->roles, j->dir) : PF_OK;
    return st == PF_OK ? paged : st;
}

pf_status pf_cli_run_pass(pf_cli_run *run, const char *const *operands, size_t count)
{
    job j = {.run = run};
    PF_TRY(pf_cli_thresholds_try(run));
    pf_status st = run_job(&j, operands, count);
    pf_cli_end(run, st); /* now, as long as the names of its files are there */
    pf_cli_hashes_free(j.hashes);
    pf_cli_aligned_free(run, &j.aligned);
    free(j.dir);
    free(j.stem);
    pf_pass_host_free(&j.roles);
    return st;
}
