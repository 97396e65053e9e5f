/* cli/pass/pass_tables.c - passes whose tables are asked for, not their reports: all of --pass run on one trace, which
 * is read as the first of them wants it, with what the others need. What passes have drawn into the file before is left
 * out, as ever where a pass reads. */
#include "cli/pass/pass.h"

static pf_status run_one(pf_cli_run *run, pf_cli_named_pass *n, pf_pass_host *roles, const char *const *paths,
                         size_t count)
{
    pf_error err = {.offset = PF_NOWHERE, .packet = PF_NOWHERE};
    PF_TRY(pf_cli_roles_find(run, roles, paths, count));
    PF_TRY(pf_cli_roles_read(run, roles));
    n->findings = run->findings = pf_findings_new(&run->set->limits);
    PF_TRY(n->findings ? PF_OK : pf_no_memory(&run->err));
    run->shown = 0;
    pf_status st = pf_cli_compute(run, roles, NULL, NULL, &err);
    pf_cli_show_warnings(run, paths[0]);
    return st == PF_OK ? st : pf_cli_report(run, paths[0], &err);
}

static pf_status run_all(pf_cli_run *run, const char *const *paths, size_t count)
{
    uint32_t want = PF_WANT_TABLES;
    for (size_t i = 0; i < run->named_count; i++) {
        PF_TRY(pf_cli_usage_of(run, pf_pass_complete(run->named[i].pass, run->named[i].values, &run->err)));
        want |= run->named[i].pass->roles[0].want;
    }
    for (size_t i = 0; i < run->named_count; i++) {
        pf_pass_host roles = {.kept = true, .more_want = want};
        run->pass = run->named[i].pass;
        run->values = run->named[i].values;
        pf_status st = run_one(run, &run->named[i], &roles, paths, count);
        if (st != PF_OK) {
            pf_cli_end(run, st); /* now, as long as the names of its files are there */
        }
        pf_pass_host_free(&roles);
        PF_TRY(st);
    }
    return PF_OK;
}

pf_status pf_cli_run_named(pf_cli_run *run, const char *const *paths, size_t count)
{
    const char *out = run->set->out;
    run->set->out = NULL; /* of the command, not of a pass */
    pf_status st = run_all(run, paths, count);
    run->set->out = out;
    run->pass = NULL;
    run->values = NULL;
    run->findings = NULL;
    return st == PF_OK ? pf_cli_check_inputs(run) : st;
}
