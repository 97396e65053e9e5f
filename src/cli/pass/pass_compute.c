/* cli/pass/pass_compute.c - runs the pass of a command on its files. */
#include "cli/pass/pass.h"
#include "cli/terminal/terminal.h"

/* Whether an option asks for more than what the pass shows. */
static bool wants_tables(const pf_cli_run *run)
{
    const pf_cli_settings *set = run->set;
    return set->report || set->out || set->html || set->tables || set->fail_if.count || run->named_count ||
           pf_cli_answers(run);
}

pf_status pf_cli_compute(pf_cli_run *run, pf_pass_host *roles, const char *dir, const char *stem, pf_error *err)
{
    pf_pass_context context = {.trace = run->trace,
                               .values = run->values,
                               .input_path = pf_pass_host_main(roles),
                               .report_dir = dir,
                               .report_dir_derived = !run->set->report,
                               .output = run->set->out,
                               .output_stem = stem,
                               .strict = run->set->strict,
                               .watched = pf_cli_watched(),
                               .skip_overlay = !run->set->out,
                               .skip_summary = !pf_cli_answers_summary(run),
                               .skip_tables = !wants_tables(run),
                               .skip_figures = !run->set->html && !run->set->pictures,
                               .roles = roles->files,
                               .stages = run->stages,
                               .jobs = run->set->jobs > 1024 ? 1024 : (unsigned)run->set->jobs,
                               .cancel = pf_cli_cancel_flag(),
                               .progress = pf_cli_progress_pass,
                               .progress_ctx = &run->progress,
                               .host = roles,
                               .open = pf_cli_roles_open,
                               .close = pf_cli_roles_close,
                               .write = pf_cli_write_drawn};
    pf_cli_start_progress(run);
    pf_status st = pf_pass_run(run->pass, &context, run->findings, err);
    pf_cli_progress_clear(&run->progress);
    return st;
}
