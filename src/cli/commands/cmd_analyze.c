/* cli/commands/cmd_analyze.c - `postfetto analyze PASS FILE...`: runs a pass and writes what it found.
 *
 * The order matters: everything that can be refused is refused before the input is read (missing parameters, targets
 * that cannot be written) or before anything is written (a report that would replace the input). Then the reports are
 * written, one atomic file each, and the enriched trace last. The `[write] PATH` lines are collected and sent at the
 * end of each step, so that a closed pipe after the command cannot interrupt the writing.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "cli/commands/pass_outputs.h"
#include "cli/run/help.h"
#include "cli/run/run.h"
#include "cli/terminal/signals.h"
#include "cli/terminal/text.h"
#include "cli/thresholds/thresholds.h"

static const pf_option options[] = {
    {"output", 'o', PF_OPTION_PATH, offsetof(pf_cli_settings, out), "ENRICHED", NULL, NULL,
     "write the input with the findings drawn in (.pftrace); '-' is standard output"},
    {"report", 0, PF_OPTION_PATH, offsetof(pf_cli_settings, report), "DIR", NULL, "the folder of FILE",
     "folder for the reports, made if missing"},
    {"json", 0, PF_OPTION_FLAG, offsetof(pf_cli_settings, json), NULL, NULL, NULL,
     "the summary as JSON on standard output instead of the [write] lines"},
    {"list", 0, PF_OPTION_FLAG, offsetof(pf_cli_settings, list), NULL, NULL, NULL, "list the passes"},
    {"stages", 0, PF_OPTION_FLAG, offsetof(pf_cli_settings, stages), NULL, NULL, NULL,
     "list the stages of the pass, in their order"},
    {"skip-stage", 0, PF_OPTION_TEXT, offsetof(pf_cli_settings, skip_stage), "NAME", NULL, NULL,
     "leave out a stage; the second one of a name is NAME#2", .traits = PF_OPTION_REPEATABLE},
    PF_CLI_THRESHOLD_OPTIONS};

/* ---- before reading ---------------------------------------------------------------------------------------------- */

/* The main input: the first file of the first role. "" if there is none. */
static const char *main_path(const pf_cli_roles *roles)
{
    return roles->files[0].count ? roles->files[0].files[0].path : "";
}

static int check_arguments(pf_cli_run *run)
{
    if (!run->pass) {
        return pf_cli_usage(run, "no pass is named; 'postfetto analyze --list' shows the passes");
    }
    const pf_role *role = &run->pass->roles[0];
    if (run->operand_count < 2 && role->least && !role->option && !run->pass->inputs) {
        return pf_cli_usage(run, "no input is named; write postfetto analyze %s FILE [options]", run->pass->name);
    }
    pf_error err;
    return pf_pass_complete(run->pass, run->values, &err) == PF_OK ? PF_CLI_DONE : pf_cli_report(run, NULL, &err);
}

static int refuse_memory(pf_cli_run *run, const char *text)
{
    pf_error err = {.offset = PF_NOWHERE, .packet = PF_NOWHERE};
    pf_fail(&err, PF_ERR_MEMORY, "%s", text);
    return pf_cli_report(run, NULL, &err);
}

/* ---- stages ------------------------------------------------------------------------------------------------------ */

/* Which stages are on, in memory of the run. */
static int choose_stages(pf_cli_run *run)
{
    const pf_pass *p = run->pass;
    run->stages = calloc(p->stage_count + 1, sizeof *run->stages);
    if (!run->stages) {
        return refuse_memory(run, "the system refused memory for the stages");
    }
    pf_error err;
    pf_status st = pf_pass_switch(p, NULL, true, run->stages, &err);
    for (size_t k = 0; k < run->set.skip_stage.count && st == PF_OK; k++) {
        st = pf_pass_switch(p, run->set.skip_stage.all[k].s.ptr, false, run->stages, &err);
    }
    return st == PF_OK ? PF_CLI_DONE : pf_cli_usage(run, "%s", err.text);
}

static int list_stages(pf_cli_run *run)
{
    const pf_pass *p = run->pass;
    pf_buffer b = {0};
    for (size_t i = 0; i < p->stage_count; i++) {
        const pf_stage *s = &p->stages[i];
        unsigned n = pf_pass_stage_number(p, i);
        pf_buffer_format(&b, n > 1 ? "%s#%u" : "%s", s->name, n);
        pf_buffer_format(&b, "%s%s%s%s%s\n", s->when ? " (with --" : "", s->when ? s->when : "", s->when ? ")" : "",
                         s->help ? ": " : "", s->help ? s->help : "");
    }
    if (p->stage_count == 0) {
        pf_cli_note(run, p->name, "is one piece and has no stages");
    }
    return pf_cli_put_buffer(run, NULL, &b);
}

/* ---- messages ---------------------------------------------------------------------------------------------------- */

static void show_table(const pf_table *table)
{
    char *text = NULL;
    size_t len = 0;
    pf_buffer b = {.failed = pf_format_table(table, false, &text, &len, NULL) != PF_OK};
    pf_buffer_put(&b, text, len);
    free(text);
    pf_cli_tell(&b);
}

/* The tables and lines that the pass wants seen, in its order. */
static void show_summary(pf_cli_run *run, const char *path)
{
    for (size_t i = 0; !run->set.quiet && i < pf_findings_shown_count(run->findings); i++) {
        pf_shown s = pf_findings_shown(run->findings, i);
        if (s.table) {
            show_table(s.table);
        } else if (s.severity == PF_INFO) {
            pf_buffer b = {0};
            pf_cli_put_clean(&b, s.line.ptr, s.line.len, false);
            pf_cli_tell(&b);
        } else {
            pf_cli_note(run, path, "warning: %.*s", (int)s.line.len, s.line.ptr);
        }
    }
}

/* ---- messages of the end ----------------------------------------------------------------------------------------- */

static int put_summary(pf_cli_run *run)
{
    const pf_node *summary = pf_findings_summary(run->findings);
    if (!summary) {
        pf_node *root = pf_node_root(run->findings, PF_NODE_OBJECT);
        pf_node_add_int(run->findings, root, PF_STR("schema_version"), 1);
        pf_node_add_text(run->findings, root, PF_STR("pass"), pf_str_of(run->pass->name));
        summary = root;
    }
    return pf_cli_put_document(run, NULL, summary);
}

/* Exit code 1 and its sentence where the pass came to a verdict. */
static int tell_verdict(pf_cli_run *run)
{
    const char *verdict = pf_findings_verdict(run->findings);
    if (!verdict) {
        return PF_CLI_DONE;
    }
    pf_buffer b = {0};
    pf_buffer_format(&b, "postfetto: %s: ", run->pass->name);
    pf_cli_put_clean(&b, verdict, strlen(verdict), false);
    pf_cli_tell(&b);
    return PF_CLI_FINDING;
}

static int run_pass(pf_cli_run *run, pf_cli_roles *roles, pf_cli_hashes *hashes, const char *path, const char *dir,
                    const char *stem)
{
    pf_error err = {.offset = PF_NOWHERE, .packet = PF_NOWHERE};
    run->findings = pf_findings_new(&run->set.limits);
    pf_status st = run->findings ? PF_OK : pf_fail(&err, PF_ERR_MEMORY, "the system refused memory for the findings");
    if (st == PF_OK) {
        pf_pass_context context = {.trace = run->trace,
                                   .values = run->values,
                                   .input_path = path,
                                   .report_dir = dir,
                                   .report_dir_derived = !run->set.report,
                                   .output = run->set.out,
                                   .output_stem = stem,
                                   .strict = run->set.strict,
                                   .skip_overlay = !run->set.out,
                                   .skip_summary = !run->set.json,
                                   .roles = roles->files,
                                   .stages = run->stages,
                                   .jobs = run->set.jobs > 1024 ? 1024 : (unsigned)run->set.jobs,
                                   .cancel = pf_cli_cancel_flag(),
                                   .progress = pf_cli_progress_pass,
                                   .progress_ctx = &run->progress,
                                   .host = roles,
                                   .open = pf_cli_roles_open,
                                   .close = pf_cli_roles_close};
        pf_cli_progress_start(&run->progress, run->set.quiet || run->set.no_progress);
        st = pf_pass_run(run->pass, &context, run->findings, &err);
        pf_cli_progress_clear(&run->progress);
    }
    if (st != PF_OK) {
        return pf_cli_report(run, path, &err);
    }
    show_summary(run, path);
    int code = pf_cli_write_pass_outputs(run, roles, hashes, dir);
    code = code == PF_CLI_DONE && run->set.json ? put_summary(run) : code;
    return code == PF_CLI_DONE ? tell_verdict(run) : code;
}

/* ---- the list ---------------------------------------------------------------------------------------------------- */

static void add_word(pf_findings *f, pf_node *o, const char *key, const char *text)
{
    pf_node_add_text(f, o, pf_str_of(key), text && *text ? pf_str_of(text) : (pf_str){NULL, 0});
}

static void add_options(pf_findings *f, pf_node *pass, const pf_pass *p)
{
    pf_node *list = pf_node_add(f, pass, PF_STR("options"), PF_NODE_LIST);
    for (size_t i = 0; i < p->option_count; i++) {
        const pf_option *o = &p->options[i];
        pf_node *n = pf_node_add(f, list, (pf_str){NULL, 0}, PF_NODE_OBJECT);
        char letter[2] = {o->letter, '\0'};
        add_word(f, n, "name", o->name);
        add_word(f, n, "letter", letter);
        add_word(f, n, "type", pf_option_type_name(o->type));
        add_word(f, n, "choices", o->choices);
        add_word(f, n, "within", o->within);
        add_word(f, n, "unit", o->unit);
        add_word(f, n, "default", o->fallback);
        pf_node_add_bool(f, n, PF_STR("required"), o->traits & PF_OPTION_REQUIRED);
        pf_node_add_bool(f, n, PF_STR("repeatable"), o->traits & PF_OPTION_REPEATABLE);
        add_word(f, n, "help", o->help);
    }
}

static void add_tables(pf_findings *f, pf_node *pass, const pf_pass *p)
{
    pf_node *list = pf_node_add(f, pass, PF_STR("tables"), PF_NODE_LIST);
    for (size_t i = 0; i < p->table_count; i++) {
        pf_node *n = pf_node_add(f, list, (pf_str){NULL, 0}, PF_NODE_OBJECT);
        add_word(f, n, "name", p->tables[i].name);
        add_word(f, n, "help", p->tables[i].help);
        pf_node *columns = pf_node_add(f, n, PF_STR("columns"), PF_NODE_LIST);
        for (size_t c = 0; c < p->tables[i].column_count; c++) {
            pf_node_add_text(f, columns, (pf_str){NULL, 0}, pf_str_of(p->tables[i].columns[c].name));
        }
    }
}

static void add_pass(pf_findings *f, pf_node *list, const pf_pass *p)
{
    pf_node *pass = pf_node_add(f, list, (pf_str){NULL, 0}, PF_NODE_OBJECT);
    add_word(f, pass, "name", p->name);
    add_word(f, pass, "summary", p->summary);
    pf_node *inputs = pf_node_add(f, pass, PF_STR("inputs"), PF_NODE_LIST);
    for (size_t i = 0; i < p->role_count; i++) {
        pf_node *n = pf_node_add(f, inputs, (pf_str){NULL, 0}, PF_NODE_OBJECT);
        add_word(f, n, "name", p->roles[i].name);
        pf_node_add_int(f, n, PF_STR("least"), p->roles[i].least);
        if (p->roles[i].most) {
            pf_node_add_int(f, n, PF_STR("most"), p->roles[i].most);
        } else {
            pf_node_add(f, n, PF_STR("most"), PF_NODE_NULL);
        }
        add_word(f, n, "option", p->roles[i].option);
        add_word(f, n, "help", p->roles[i].help);
    }
    add_options(f, pass, p);
    add_tables(f, pass, p);
    pf_node *stages = pf_node_add(f, pass, PF_STR("stages"), PF_NODE_LIST);
    for (size_t i = 0; i < p->stage_count; i++) {
        pf_node_add_text(f, stages, (pf_str){NULL, 0}, pf_str_of(p->stages[i].name));
    }
}

static int list_passes(pf_cli_run *run)
{
    if (!run->set.json) {
        pf_buffer b = {0};
        pf_cli_help_passes(&b);
        return pf_cli_put_buffer(run, NULL, &b);
    }
    pf_findings *f = run->findings = pf_findings_new(&run->set.limits);
    pf_node *root = f ? pf_node_root(f, PF_NODE_OBJECT) : NULL;
    pf_node_add_int(f, root, PF_STR("schema_version"), 1);
    pf_node *list = pf_node_add(f, root, PF_STR("passes"), PF_NODE_LIST);
    for (size_t i = 0; i < pf_pass_count(); i++) {
        add_pass(f, list, pf_pass_at(i));
    }
    return pf_cli_put_document(run, NULL, root);
}

/* ---- the command ------------------------------------------------------------------------------------------------- */

static int analyze(pf_cli_run *run)
{
    if (run->set.list) {
        return list_passes(run);
    }
    if (run->set.stages && run->pass) {
        return list_stages(run);
    }
    int code = check_arguments(run);
    code = code == PF_CLI_DONE ? choose_stages(run) : code;
    if (code != PF_CLI_DONE) {
        return code;
    }
    pf_cli_thresholds thresholds = pf_cli_thresholds_of(run);
    thresholds.stdout_is_data = run->set.json || (run->set.out && strcmp(run->set.out, "-") == 0);
    code = pf_cli_thresholds_try(run, &thresholds);
    if (code != PF_CLI_DONE) {
        return code;
    }
    uint32_t want = pf_cli_output_want(run) | (thresholds.count ? PF_WANT_ALL : 0);
    pf_cli_roles roles;
    code = pf_cli_roles_find(run, &roles);
    code = code == PF_CLI_DONE ? pf_cli_check_pass_output(run, &roles) : code;
    code = code == PF_CLI_DONE ? pf_cli_roles_read(&roles, want) : code;
    if (code == PF_CLI_DONE) {
        const char *path = main_path(&roles);
        char *dir, *stem;
        bool named = pf_cli_report_folder(run, path, &dir), hashed = run->set.out && run->trace;
        named = pf_cli_output_stem(run->set.out, &stem) && named;
        pf_cli_hashes *hashes = hashed ? pf_cli_hashes_start(run->trace, run->set.jobs > 1) : NULL;
        code = !named              ? refuse_memory(run, "the system refused memory for names of outputs")
               : hashed && !hashes ? refuse_memory(run, "the system refused memory for hashes of the inputs")
                                   : run_pass(run, &roles, hashes, path, dir, stem);
        pf_cli_hashes_free(hashes);
        if (code == PF_CLI_DONE || code == PF_CLI_FINDING) {
            int judged = pf_cli_thresholds_judge(run, &thresholds, path);
            code = judged == PF_CLI_DONE ? code : judged;
        }
        free(dir);
        free(stem);
    }
    pf_cli_roles_free(&roles);
    return code;
}

const pf_cli_command pf_cli_analyze = {
    .name = "analyze",
    .usage = "PASS FILE... [options]",
    .summary = "measure an accelerator; write reports and an enriched trace",
    .examples = {"analyze --list", "analyze aie trace.json --M 256 --K 256 --N 256 --row 2 --col 2 \\\n"
                                   "      --warmup 2 --iterations 4 -o enriched.pftrace"},
    .description =
        "A pass reads the trace, shows a summary on standard error, writes its reports into a folder and names "
        "each as '[write] PATH' on standard output. With -o the input is written once more with the findings "
        "drawn in as tracks, to be opened in a Perfetto UI. Where FILE is '-' reports are written only with "
        "--report.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .has_pass = true,
    .run = analyze,
};
