/* cmd_analyze.c - `postfetto analyze PASS FILE...`: runs a pass and writes what it found.
 *
 * The order matters: everything that can be refused is refused before the input is read (missing parameters, targets
 * that cannot be written) or before anything is written (a report that would replace the input). Then the reports are
 * written, one atomic file each, and the enriched trace last. The `[write] PATH` lines are collected and sent at the
 * end of each step, so that a closed pipe behind the command cannot interrupt the writing.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/help.h"
#include "cli/run.h"
#include "cli/signals.h"
#include "cli/text.h"

static const pf_cli_option options[] = {
    {"output", 'o', PF_CLI_TEXT, offsetof(pf_cli_settings, out), "ENRICHED", NULL, NULL,
     "write the input with the findings drawn in (.pftrace); '-' is standard output"},
    {"report", 0, PF_CLI_TEXT, offsetof(pf_cli_settings, report), "DIR", NULL, "the folder of FILE",
     "folder for the reports, made if missing"},
    {"json", 0, PF_CLI_FLAG, offsetof(pf_cli_settings, json), NULL, NULL, NULL,
     "the summary as JSON on standard output instead of the [write] lines"},
    {"list", 0, PF_CLI_FLAG, offsetof(pf_cli_settings, list), NULL, NULL, NULL, "list the passes"},
};

static pf_str text_of(const char *s)
{
    return (pf_str){s, strlen(s)};
}

/* The folder of a path as Python's pathlib says it: "." without one, no slashes at its end. malloc'd. */
static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    if (!slash) {
        return strdup(".");
    }
    size_t len = (size_t)(slash - path);
    while (len > 0 && path[len - 1] == '/') {
        len--;
    }
    return len ? strndup(path, len) : strdup("/");
}

/* ---- before reading ---------------------------------------------------------------------------------------------- */

static int check_outputs(pf_cli_run *run, const char *const *inputs, size_t count)
{
    const pf_cli_settings *set = &run->set;
    if (!set->out) {
        return PF_CLI_DONE;
    }
    if (count > 1) {
        return pf_cli_usage(run, "-o draws into one trace, but %zu inputs are given; leave out -o or name one input",
                            count);
    }
    bool standard = strcmp(set->out, "-") == 0;
    if (standard && set->json) {
        return pf_cli_usage(run, "'-o -' and --json both want standard output; name a file with -o");
    }
    int code = pf_cli_check_output(run, inputs, count, set->out);
    return code == PF_CLI_DONE && standard ? pf_cli_check_binary_stdout(run, "the enriched trace") : code;
}

static int check_arguments(pf_cli_run *run)
{
    if (!run->pass) {
        return pf_cli_usage(run, "no pass is named; 'postfetto analyze --list' shows the passes");
    }
    if (run->operand_count < 2) {
        return pf_cli_usage(run, "no input is named; write postfetto analyze %s FILE [options]", run->pass->name);
    }
    pf_error err;
    if (pf_pass_complete(run->pass, run->values, &err) != PF_OK) {
        return pf_cli_report(run, NULL, &err);
    }
    return check_outputs(run, run->operands + 1, run->operand_count - 1);
}

/* ---- messages ---------------------------------------------------------------------------------------------------- */

static void show_table(const pf_table *table)
{
    char *text = NULL;
    size_t len = 0;
    if (pf_format_table(table, false, &text, &len, NULL) == PF_OK) {
        fprintf(stderr, "%.*s\n", (int)len, text);
    }
    free(text);
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
            fprintf(stderr, "%.*s\n", (int)b.len, b.data ? b.data : "");
            pf_buffer_free(&b);
        } else {
            pf_cli_note(run, path, "warning: %.*s", (int)s.line.len, s.line.ptr);
        }
    }
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

static void announce(void *ctx, const char *path, bool announced)
{
    if (announced) {
        pf_buffer_format(ctx, "[write] %s\n", path);
    }
}

/* Sends the collected [write] lines where they belong and empties the buffer. */
static int put_announcements(pf_cli_run *run, pf_buffer *b)
{
    if (run->set.out && strcmp(run->set.out, "-") == 0) {
        fwrite(b->data ? b->data : "", 1, b->len, stderr);
    } else if (!run->set.json && b->len) {
        return pf_cli_put_buffer(run, NULL, b);
    }
    pf_buffer_free(b);
    return PF_CLI_DONE;
}

static bool same_place(const char *a, const char *b)
{
    struct stat sa, sb;
    return stat(a, &sa) == 0 && stat(b, &sb) == 0 && sa.st_dev == sb.st_dev && sa.st_ino == sb.st_ino;
}

/* Refuses reports that would replace an input or be replaced by the enriched trace. */
static int check_report(pf_cli_run *run, const char *dir, pf_str file)
{
    char *path = NULL;
    if (asprintf(&path, "%s/%.*s", dir, (int)file.len, file.ptr) < 0) {
        return PF_CLI_LIMIT;
    }
    for (char *p = path + strlen(dir) + 1; *p; p++) {
        *p = *p == '/' ? '_' : *p; /* as the writer does */
    }
    const char *out = run->set.out;
    int code = PF_CLI_DONE;
    for (size_t i = 1; code == PF_CLI_DONE && i < run->operand_count; i++) {
        if (strcmp(run->operands[i], "-") != 0 && same_place(run->operands[i], path)) {
            pf_error err;
            pf_fail(&err, PF_ERR_OUTPUT,
                    "is the input and would be replaced by a report of that name; choose another folder with --report");
            code = pf_cli_report(run, path, &err);
        }
    }
    const char *base = out && strrchr(out, '/') ? strrchr(out, '/') + 1 : out;
    if (code == PF_CLI_DONE && out && strlen(base) == file.len && memcmp(base, file.ptr, file.len) == 0) {
        char *folder = folder_of(out);
        if (folder && same_place(folder, dir)) {
            code = pf_cli_usage(run, "-o %s names a file that a report takes; choose another name", out);
        }
        free(folder);
    }
    free(path);
    return code;
}

static int write_reports(pf_cli_run *run, const char *dir)
{
    int code = PF_CLI_DONE;
    for (size_t i = 0; code == PF_CLI_DONE && i < pf_findings_report_count(run->findings); i++) {
        code = check_report(run, dir, pf_findings_report(run->findings, i)->file);
    }
    if (code != PF_CLI_DONE) {
        return code;
    }
    pf_write_options o = pf_cli_write_options(run);
    pf_buffer lines = {0};
    pf_error err = {.offset = PF_NOWHERE, .packet = PF_NOWHERE};
    pf_cli_signals_hold(true);
    pf_status st = pf_write_reports(run->findings, dir, &o, announce, &lines, &err);
    pf_cli_signals_hold(false);
    code = put_announcements(run, &lines);
    return st == PF_OK ? code : pf_cli_report(run, dir, &err);
}

/* What the enriched trace says about where it comes from. */
static void add_attributes(pf_cli_run *run, const char *path)
{
    char hash[33];
    const char *slash = strrchr(path, '/');
    pf_input_hash(pf_trace_input(run->trace, 0), hash);
    pf_findings_attribute_text(run->findings, PF_STR("postfetto.input"), text_of(slash ? slash + 1 : path));
    pf_findings_attribute_text(run->findings, PF_STR("postfetto.input_hash"), text_of(hash));
}

static int write_enriched(pf_cli_run *run, const char *path)
{
    const char *out = run->set.out;
    bool standard = strcmp(out, "-") == 0;
    pf_error err = {.offset = PF_NOWHERE, .packet = PF_NOWHERE};
    add_attributes(run, path);
    pf_write_options o = pf_cli_write_options(run);
    pf_cli_signals_hold(!standard);
    pf_status st = pf_findings_status(run->findings, &err);
    st = st == PF_OK ? pf_write_enriched(run->trace, run->findings, out, &o, &err) : st;
    pf_cli_signals_hold(false);
    if (st != PF_OK) {
        return pf_cli_report(run, standard ? "standard output" : out, &err);
    }
    pf_buffer lines = {0};
    if (!standard) {
        announce(&lines, out, true);
    }
    return put_announcements(run, &lines);
}

static int put_summary(pf_cli_run *run)
{
    const pf_node *summary = pf_findings_summary(run->findings);
    if (!summary) {
        pf_node *root = pf_node_root(run->findings, PF_NODE_OBJECT);
        pf_node_add_int(run->findings, root, PF_STR("schema_version"), 1);
        pf_node_add_text(run->findings, root, PF_STR("pass"), text_of(run->pass->name));
        summary = root;
    }
    return pf_cli_put_document(run, NULL, summary);
}

/* ---- the command ------------------------------------------------------------------------------------------------- */

static int run_pass(pf_cli_run *run, const char *path, const char *dir)
{
    pf_error err = {.offset = PF_NOWHERE, .packet = PF_NOWHERE};
    run->findings = pf_findings_new(&run->set.limits);
    pf_status st = run->findings ? PF_OK : pf_fail(&err, PF_ERR_MEMORY, "the system refused memory for the findings");
    if (st == PF_OK) {
        pf_pass_context context = {.trace = run->trace,
                                   .values = run->values,
                                   .input_path = path,
                                   .report_dir = dir,
                                   .strict = run->set.strict,
                                   .skip_overlay = !run->set.out};
        st = run->pass->run(&context, run->findings, &err);
    }
    st = st == PF_OK ? pf_findings_status(run->findings, &err) : st;
    if (st != PF_OK) {
        return pf_cli_report(run, path, &err);
    }
    show_summary(run, path);
    int code = dir ? write_reports(run, dir) : PF_CLI_DONE;
    code = code == PF_CLI_DONE && run->set.out ? write_enriched(run, path) : code;
    return code == PF_CLI_DONE && run->set.json ? put_summary(run) : code;
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
        pf_node *pass = pf_node_add(f, list, (pf_str){NULL, 0}, PF_NODE_OBJECT);
        pf_node_add_text(f, pass, PF_STR("name"), text_of(pf_pass_at(i)->name));
        pf_node_add_text(f, pass, PF_STR("summary"), text_of(pf_pass_at(i)->summary));
    }
    return pf_cli_put_document(run, NULL, root);
}

static int analyze(pf_cli_run *run)
{
    if (run->set.list) {
        return list_passes(run);
    }
    int code = check_arguments(run);
    if (code != PF_CLI_DONE) {
        return code;
    }
    const char *const *inputs = run->operands + 1;
    uint32_t want = run->pass->want;
    if (run->set.out) {
        want |= PF_CLI_WANT_TO_WRITE;
    }
    code = pf_cli_read(run, inputs, run->operand_count - 1, want, run->pass->dialect, true);
    if (code != PF_CLI_DONE) {
        return code;
    }
    char *dir = run->set.report ? strdup(run->set.report) : strcmp(inputs[0], "-") == 0 ? NULL : folder_of(inputs[0]);
    code = run_pass(run, inputs[0], dir);
    free(dir);
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
