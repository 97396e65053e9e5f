/* cli/commands/compare/compare_ops.c - `postfetto compare ops`: scenario by scenario, the trace of a performance model
 * against the table of kernels that a device ran.
 *
 * The four built in scenarios behave as the program did that this command replaces: a file that is not there skips the
 * scenario, any other fault ends the run with status 1 before the document is written. Scenarios of the command line
 * have the exit codes of all commands. --keep-going goes on with the next scenario in both cases.
 */
#include "cli/commands/compare/compare_ops.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/files/folders.h"
#include "base/str.h"
#include "base/text/errno_text.h"
#include "cli/terminal/signals.h"
#include "postfetto/document.h"

#define MODEL_TRACES "docs/perf_database/forward_pass_traces"
#define MODEL_DATA                                                                                                     \
    "tensor_cast/performance_model/profiling_database/data/ATLAS_800_A3_752T_128G_DIE/vllm_ascend/"                    \
    "vllm0.18.0_torch2.9.0_cann8.5"

#define AT(field) offsetof(pf_cli_settings, field)
static const pf_option options[] = {
    {"output", 'o', PF_OPTION_PATH, AT(out), "FILE", NULL, "results/op_comparison.json",
     "the document of all scenarios (JSON); its folder is made if missing", NULL, NULL, NULL, 0},
    {"trace-dir", 0, PF_OPTION_PATH, AT(trace_dir), "DIR", NULL, MODEL_TRACES " if that is there, else traces",
     "folder of the measured tables (CSV) of the built in scenarios", NULL, NULL, NULL, 0},
    {"data-dir", 0, PF_OPTION_PATH, AT(data_dir), "DIR", NULL, MODEL_DATA " if that is there, else data",
     "folder of op_mapping.yaml", NULL, NULL, NULL, 0},
    {"mapping", 0, PF_OPTION_PATH, AT(mapping), "FILE", NULL, "op_mapping.yaml in --data-dir",
     "what kernel type an operator becomes, and which ones cost nothing (YAML)", NULL, NULL, NULL, 0},
    {"unnested", 0, PF_OPTION_FLAG, AT(unnested), NULL, NULL, NULL,
     "the entries of the mapping are below its key operator_mappings", NULL, NULL, NULL, 0},
    {"scenario", 0, PF_OPTION_TEXT, AT(scenarios), "NAME,TRACE,CSV[,PASSES]", NULL, "the four built in ones",
     "compare these files instead; PASSES forward passes are in the CSV, auto: found in it [default: 1]", NULL, NULL,
     NULL, PF_OPTION_REPEATABLE},
    {"anchor", 0, PF_OPTION_TEXT, AT(anchor), "KERNEL", NULL, "found where PASSES is auto",
     "type of a kernel that each forward pass runs once: its calls count the passes of scenarios that do not say "
     "PASSES",
     NULL, NULL, NULL, 0},
    {"by-shape", 0, PF_OPTION_FLAG, AT(by_shape), NULL, NULL, NULL,
     "tell kernels of a type apart by the shape of their first input (columns Input Shapes, argument "
     "simulation_shapes)",
     NULL, NULL, NULL, 0},
    {"top", 0, PF_OPTION_INT, AT(contributors), "N", NULL, "0",
     "list the N kernel types that add most to the error of the total", NULL, NULL, "0..", 0},
    {"report", 0, PF_OPTION_PATH, AT(report), "DIR", NULL, "none",
     "write op_comparison.csv and op_comparison.md into this folder, with differences and shares", NULL, NULL, NULL, 0},
    {"enriched", 0, PF_OPTION_PATH, AT(enriched_dir), "DIR", NULL, "none",
     "write each model trace with what was measured drawn in, as SCENARIO.pftrace in this folder", NULL, NULL, NULL, 0},
    {"keep-going", 0, PF_OPTION_FLAG, AT(keep_going), NULL, NULL, NULL, "go on with the next scenario where one fails",
     NULL, NULL, NULL, 0},
};

/* One run of the command. */
typedef struct job {
    pf_cli_run *run;
    pf_buffer out; /* for standard output */
    pf_budget budget;
    pf_document *document;
    opcmp_mapping mapping;
    pf_node *root;
    pf_table_builder *table; /* rows of all scenarios, where they are asked for */
} job;

/* ---- files ------------------------------------------------------------------------------------------------------- */

/* The errno of opening a file, 0 if that works. */
static int fault_of(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    int fault = fd < 0 ? errno : 0;
    if (fd >= 0) {
        close(fd);
    }
    return fault;
}

/* A text as Python's repr shows it. */
static void put_repr(pf_buffer *b, const char *text)
{
    char quote = strchr(text, '\'') && !strchr(text, '"') ? '"' : '\'';
    pf_buffer_put(b, &quote, 1);
    for (const char *p = text; *p; p++) {
        const char *escape = *p == '\n' ? "\\n" : *p == '\t' ? "\\t" : *p == '\r' ? "\\r" : *p == '\\' ? "\\\\" : NULL;
        if (escape) {
            pf_buffer_text(b, escape);
        } else if (*p == quote) {
            pf_buffer_format(b, "\\%c", quote);
        } else if ((unsigned char)*p < 32 || *p == 127) {
            pf_buffer_format(b, "\\x%02x", (unsigned)*p);
        } else {
            pf_buffer_put(b, p, 1);
        }
    }
    pf_buffer_put(b, &quote, 1);
}

/* Says that a scenario has no file. */
static int skip(job *j, const pf_cli_scenario *s, const char *path)
{
    pf_buffer_format(&j->out, "SKIP %s: [Errno 2] No such file or directory: ", s->name);
    put_repr(&j->out, path);
    pf_buffer_text(&j->out, "\n");
    return PF_CLI_DONE;
}

/* The exit code of a scenario that fails. */
static int code_of(const pf_cli_scenario *s, int code)
{
    return s->built_in && (code == PF_CLI_INPUT || code == PF_CLI_DAMAGED) ? PF_CLI_FINDING : code;
}

static int fail(job *j, const pf_cli_scenario *s, const char *path, const pf_error *err)
{
    return code_of(s, pf_cli_report(j->run, path, err));
}

/* ---- steps of a scenario ----------------------------------------------------------------------------------------- */

static pf_status take_passes(const pf_node *root, double *passes, pf_error *err)
{
    const pf_node *n = root && root->type == PF_NODE_OBJECT ? pf_node_get(root, "n_forward_passes") : NULL;
    *passes = 1;
    if (!root || root->type != PF_NODE_OBJECT) {
        return pf_fail(err, PF_ERR_INPUT, "is no JSON object; it needs the member n_forward_passes, or none at all");
    }
    if (!n) {
        return PF_OK;
    }
    switch (n->type) {
    case PF_NODE_INT:
        *passes = (double)n->as.i;
        return PF_OK;
    case PF_NODE_REAL:
        *passes = n->as.d;
        return PF_OK;
    case PF_NODE_BOOL:
        *passes = n->as.b;
        return PF_OK;
    default:
        return pf_fail(err, PF_ERR_INPUT, "line %u, column %u: n_forward_passes is no number; write how many there are",
                       n->line, n->column);
    }
}

static pf_status read_passes(job *j, const char *path, double *passes, pf_error *err)
{
    char *bytes = NULL;
    size_t len = 0;
    pf_document *d = NULL;
    pf_status st = pf_read_bytes(path, &j->run->set.limits, &bytes, &len, err);
    st = st == PF_OK ? pf_json_parse((pf_str){bytes, len}, NULL, &d, err) : st;
    st = st == PF_OK ? take_passes(pf_document_root(d), passes, err) : st;
    pf_document_free(d);
    free(bytes);
    return st;
}

/* Faults after which the document is not what was written; the program before this one refused it. */
static pf_status check_whole(const pf_trace *t, pf_error *err)
{
    static const char *const names[] = {
        "postfetto_json_syntax",    "postfetto_json_truncated", "postfetto_json_documents",
        "postfetto_gzip_truncated", "postfetto_gzip_damaged",   "postfetto_zstd_truncated",
        "postfetto_zstd_damaged",   "postfetto_zip_truncated",  "postfetto_zip_damaged"};
    for (size_t i = 0; i < pf_trace_stat_count(t); i++) {
        pf_stat s = pf_trace_stat(t, i);
        for (size_t k = 0; s.count > 0 && k < sizeof names / sizeof *names; k++) {
            if (strcmp(s.name, names[k]) == 0) {
                return pf_fail_at(err, PF_ERR_INPUT, s.first_offset, "%s; write the trace anew", s.description);
            }
        }
    }
    return PF_OK;
}

/* *out: the trace, where it is drawn into later. */
static int add_model(job *j, opcmp *c, const pf_cli_scenario *s, pf_trace **out, uint32_t *upid)
{
    pf_cli_run *run = j->run;
    const char *path = s->trace;
    pf_trace *t = NULL;
    opcmp_process process;
    pf_error err = {.offset = PF_NOWHERE, .packet = PF_NOWHERE};
    uint32_t want = PF_WANT_EVENTS | PF_WANT_ARGS | PF_WANT_WRITTEN_DUR | (c->keep_parts ? PF_CLI_WANT_TO_WRITE : 0);
    pf_status st = pf_cli_read_trace(run, &path, 1, want, NULL, &t, &err);
    st = st == PF_OK ? check_whole(t, &err) : st;
    if (st == PF_OK && pf_opcmp_find_process(c, t, path, &process, &err) == PF_ERR_INPUT) {
        if (s->built_in) {
            fprintf(stderr, "ValueError: %s\n", err.text);
        }
        int code = PF_CLI_FINDING;
        if (!s->built_in) {
            pf_error hinted = err;
            pf_fail(&hinted, PF_ERR_INPUT, "%s; put 'profiling' or 'empirical' into the name of the model's process",
                    err.text);
            code = pf_cli_report(run, path, &hinted);
        }
        pf_trace_free(t);
        return code;
    }
    if (st == PF_OK && !s->built_in && pf_trace_time_unit(t) != PF_UNIT_NS) {
        st = pf_fail(&err, PF_ERR_INPUT,
                     "counts in cycles, the table of kernels in microseconds; give a trace in time, "
                     "or read it with --dialect chrome-json");
    }
    if (st == PF_OK && process.sole) {
        fprintf(stderr, "Warning: profiling PID not found by name in %s, using sole PID %.*s\n", path,
                (int)process.spelling.len, process.spelling.ptr ? process.spelling.ptr : "");
    }
    st = st == PF_OK ? pf_opcmp_add_model(c, t, process.upid, &j->mapping, (unsigned)run->set.jobs, &err) : st;
    pf_cli_add_totals(&run->dropped, t);
    if (st == PF_OK && c->keep_parts) {
        *out = t;
        *upid = process.upid;
    } else {
        pf_trace_free(t);
    }
    return st == PF_OK ? PF_CLI_DONE : fail(j, s, path, &err);
}

static int add_measured(job *j, opcmp *c, const pf_cli_scenario *s)
{
    char *bytes = NULL;
    size_t len = 0;
    pf_error err = {.offset = PF_NOWHERE, .packet = PF_NOWHERE};
    pf_status st = pf_read_bytes(s->csv, &j->run->set.limits, &bytes, &len, &err);
    st = st == PF_OK ? pf_opcmp_add_measured(c, (pf_str){bytes, len}, &err) : st;
    if (st == PF_OK && c->cut_line) {
        pf_cli_note(j->run, s->csv, "line %llu: warning: the table ends in this row, which is in no sum; copy it again",
                    (unsigned long long)c->cut_line);
        st = j->run->set.strict ? pf_fail(&err, PF_ERR_DAMAGED, "its last row is cut") : PF_OK;
    }
    int code = st == PF_OK ? PF_CLI_DONE : fail(j, s, s->csv, &err);
    if (st == PF_ERR_INPUT && s->built_in && c->fault.len) {
        fprintf(stderr, "%.*s\n", (int)c->fault.len, c->fault.ptr);
    }
    free(bytes);
    return code;
}

/* Whether a folder is lacking after all, writing to it says. */
static pf_status make_folder_of(const char *path, pf_error *err)
{
    bool refused = pf_make_folder_of(path) == ENOMEM;
    return refused ? pf_fail(err, PF_ERR_MEMORY, "the system refused memory for the name of a folder") : PF_OK;
}

/* SCENARIO.pftrace in the folder of --enriched. */
static int write_enriched(job *j, opcmp *c, const pf_cli_scenario *s, const pf_trace *t, uint32_t upid)
{
    pf_buffer path = {0};
    pf_error err = {.offset = PF_NOWHERE, .packet = PF_NOWHERE};
    pf_findings *f = pf_findings_new(&j->run->set.limits);
    pf_buffer_format(&path, "%s/", j->run->set.enriched_dir);
    for (const char *p = s->name; *p; p++) {
        pf_buffer_put(&path, *p == '/' ? "_" : p, 1);
    }
    pf_buffer_put(&path, ".pftrace", sizeof ".pftrace");
    pf_status st = !f || path.failed ? pf_fail(&err, PF_ERR_MEMORY, "the system refused memory") : PF_OK;
    st = st == PF_OK ? pf_opcmp_draw(c, t, upid, f, &err) : st;
    int code = PF_CLI_DONE;
    if (st == PF_OK) {
        st = make_folder_of(path.data, &err);
    }
    if (st == PF_OK) {
        code = pf_cli_check_output(j->run, (const char *const[]){s->trace, s->csv}, 2, path.data);
    }
    if (st == PF_OK && code == PF_CLI_DONE) {
        pf_write_options o = pf_cli_write_options(j->run);
        pf_cli_signals_hold(true);
        st = pf_write_enriched(t, f, path.data, &o, &err);
        pf_cli_signals_hold(false);
    }
    code = code == PF_CLI_DONE && st != PF_OK ? pf_cli_report(j->run, path.failed ? NULL : path.data, &err) : code;
    pf_findings_free(f);
    pf_buffer_free(&path);
    return code;
}

/* The number of forward passes, where the table says it. */
static int find_passes(job *j, opcmp *c, const pf_cli_scenario *s, double *passes)
{
    const char *anchor = j->run->set.anchor ? j->run->set.anchor : "auto";
    pf_error err = {.offset = PF_NOWHERE, .packet = PF_NOWHERE};
    pf_str found;
    if (pf_opcmp_count_passes(c, (pf_str){anchor, strlen(anchor)}, passes, &found, &err) != PF_OK) {
        return fail(j, s, s->csv, &err);
    }
    fprintf(stderr, "postfetto: %s: %lld forward pass%s (anchor %.*s)\n", s->csv, (long long)*passes,
            *passes == 1 ? "" : "es", (int)found.len, found.ptr);
    return PF_CLI_DONE;
}

static int report(job *j, opcmp *c, const pf_cli_scenario *s, double passes)
{
    opcmp_rows rows;
    pf_str name = {s->name, strlen(s->name)};
    pf_error err = {.offset = PF_NOWHERE, .packet = PF_NOWHERE};
    pf_status st = pf_opcmp_compare(c, passes, &rows, &err);
    if (st == PF_OK) {
        pf_opcmp_put_table(&j->out, c, name, &rows);
        if (j->run->set.contributors > 0) {
            pf_opcmp_put_contributors(&j->out, c, &rows, (size_t)j->run->set.contributors);
        }
        pf_opcmp_add_rows(j->run->findings, j->root, c, name, &rows);
        if (j->table) {
            pf_opcmp_table_add(j->run->findings, j->table, c, name, &rows);
        }
        st = pf_findings_status(j->run->findings, &err);
    }
    return st == PF_OK ? PF_CLI_DONE : fail(j, s, NULL, &err);
}

/* The files are opened one after the other: what is wrong with the first is said before the next is looked for. */
static int compare_files(job *j, opcmp *c, const pf_cli_scenario *s)
{
    pf_error err = {.offset = PF_NOWHERE, .packet = PF_NOWHERE};
    double passes = s->passes;
    if (s->summary && fault_of(s->summary) == ENOENT) {
        return skip(j, s, s->summary);
    }
    if (s->summary && read_passes(j, s->summary, &passes, &err) != PF_OK) {
        return fail(j, s, s->summary, &err);
    }
    if (s->built_in && fault_of(s->trace) == ENOENT) {
        return skip(j, s, s->trace);
    }
    pf_trace *t = NULL;
    uint32_t upid = PF_NONE;
    int code = add_model(j, c, s, &t, &upid);
    if (code == PF_CLI_DONE && s->built_in && fault_of(s->csv) == ENOENT) {
        pf_trace_free(t);
        return skip(j, s, s->csv);
    }
    code = code == PF_CLI_DONE ? add_measured(j, c, s) : code;
    code = code == PF_CLI_DONE && s->find_passes ? find_passes(j, c, s, &passes) : code;
    code = code == PF_CLI_DONE ? report(j, c, s, passes) : code;
    code = code == PF_CLI_DONE && t ? write_enriched(j, c, s, t, upid) : code;
    pf_trace_free(t);
    return code;
}

static int compare_scenario(job *j, const pf_cli_scenario *s)
{
    opcmp c;
    pf_error err = {.offset = PF_NOWHERE, .packet = PF_NOWHERE};
    pf_status st = pf_opcmp_begin(&c, &j->run->set.limits, &err);
    c.strict = !s->built_in;
    c.by_shape = j->run->set.by_shape;
    c.keep_parts = j->run->set.enriched_dir != NULL;
    c.anchor = j->run->set.anchor ? pf_str_of(j->run->set.anchor) : (pf_str){NULL, 0};
    c.keep_order = s->find_passes && !j->run->set.anchor;
    int code = st == PF_OK ? compare_files(j, &c, s) : fail(j, s, NULL, &err);
    pf_opcmp_end(&c);
    return code;
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

static int report_mapping(job *j, const char *path, const pf_error *err)
{
    int code = pf_cli_report(j->run, path, err);
    return code == PF_CLI_INPUT && j->run->set.scenarios.count == 0 ? PF_CLI_FINDING : code;
}

static int open_mapping(job *j, const char *path, bool may_be_missing)
{
    char *bytes = NULL;
    size_t len = 0;
    pf_error err = {.offset = PF_NOWHERE, .packet = PF_NOWHERE};
    pf_status st = PF_OK;
    if (!may_be_missing || fault_of(path) != ENOENT) {
        st = pf_read_bytes(path, &j->run->set.limits, &bytes, &len, &err);
        st = st == PF_OK ? pf_yaml_parse((pf_str){bytes, len}, NULL, &j->document, &err) : st;
    }
    const pf_node *root = j->document ? pf_document_root(j->document) : NULL;
    st = st == PF_OK ? pf_opcmp_mapping_open(&j->mapping, &j->budget, root, j->run->set.unnested, &err) : st;
    free(bytes);
    if (st != PF_OK) {
        return report_mapping(j, path, &err);
    }
    bool nested = !j->run->set.unnested && root && root->type == PF_NODE_OBJECT && root->children == 1 &&
                  pf_str_is(root->first->key, "operator_mappings");
    if (nested && (j->run->set.scenarios.count || isatty(STDERR_FILENO))) {
        pf_cli_note(j->run, path, "warning: its entries are below operator_mappings, so none counts; add --unnested");
    }
    const pf_node *twice = pf_opcmp_mapping_twice(&j->mapping);
    if (twice) {
        pf_cli_note(j->run, path,
                    "line %u, column %u: warning: '%.*s' is there twice and the last one counts; remove one",
                    twice->line, twice->column, twice->key.len > 200 ? 200 : (int)twice->key.len, twice->key.ptr);
    }
    return PF_CLI_DONE;
}

static int write_document(job *j)
{
    static const pf_json_style style = {.utf8 = true};
    const char *path = j->run->set.out;
    char *text = NULL;
    size_t len = 0;
    pf_error err = {.offset = PF_NOWHERE, .packet = PF_NOWHERE};
    pf_status st = pf_findings_status(j->run->findings, &err);
    st = st == PF_OK ? make_folder_of(path, &err) : st;
    st = st == PF_OK ? pf_format_json_styled(j->root, &style, &text, &len, &err) : st;
    if (st != PF_OK) {
        return pf_cli_report(j->run, path, &err);
    }
    int code = pf_cli_check_output(j->run, NULL, 0, path);
    code = code == PF_CLI_DONE ? pf_cli_put(j->run, path, text, len) : code;
    free(text);
    return code;
}

/* The table of all scenarios in the folder of --report. */
static int write_reports(job *j)
{
    pf_cli_run *run = j->run;
    pf_error err = {.offset = PF_NOWHERE, .packet = PF_NOWHERE};
    pf_findings_report_csv(run->findings, PF_STR("op_comparison.csv"), j->table, false);
    pf_findings_add_report(
        run->findings, &(pf_report){.file = PF_STR("op_comparison.md"), .form = PF_REPORT_MARKDOWN, .table = j->table});
    if (pf_table_view(j->table)->row_count == 0) {
        static const char why[] =
            "nothing of kind kernel type in any scenario; the lines SKIP name the files that are missing";
        pf_text *text = pf_text_new(run->findings);
        pf_text_format(run->findings, text, "%s\n", why);
        pf_findings_report_text(run->findings, PF_STR("op_comparison_nothing.txt"), text, false);
        pf_cli_note(run, run->set.report, "warning: %s", why);
    }
    pf_write_options o = pf_cli_write_options(run);
    pf_cli_signals_hold(true);
    pf_status st = pf_write_reports(run->findings, run->set.report, &o, NULL, NULL, &err);
    pf_cli_signals_hold(false);
    return st == PF_OK ? PF_CLI_DONE : pf_cli_report(run, run->set.report, &err);
}

static int compare_all(job *j, const pf_cli_scenarios *scenarios)
{
    pf_cli_run *run = j->run;
    char *path = NULL;
    int code = PF_CLI_DONE;
    if (!run->set.mapping) {
        pf_buffer b = {0};
        size_t n = strlen(run->set.data_dir);
        pf_buffer_format(&b, "%s%sop_mapping.yaml", run->set.data_dir, n && run->set.data_dir[n - 1] == '/' ? "" : "/");
        pf_buffer_put(&b, "", 1);
        path = b.failed ? NULL : b.data;
    }
    code = open_mapping(j, path ? path : run->set.mapping, path != NULL);
    free(path);
    if (code != PF_CLI_DONE) {
        return code;
    }
    int worst = PF_CLI_DONE;
    for (size_t i = 0; code == PF_CLI_DONE && i < scenarios->count; i++) {
        code = compare_scenario(j, &scenarios->list[i]);
        if (code != PF_CLI_DONE && run->set.keep_going && code != PF_CLI_LIMIT && code < 128) {
            worst = worst == PF_CLI_DONE ? code : worst;
            code = PF_CLI_DONE;
        }
    }
    code = code == PF_CLI_DONE ? write_document(j) : code;
    code = code == PF_CLI_DONE && j->table ? write_reports(j) : code;
    if (code == PF_CLI_DONE) {
        pf_buffer_format(&j->out, "\nSaved to %s\n", run->set.out);
    }
    return code == PF_CLI_DONE ? worst : code;
}

/* Where the checkout of the model keeps tables and mapping; a folder next to results/ will do as well. */
static const char *folder_of_model(const char *path, const char *otherwise)
{
    return fault_of(path) ? otherwise : path;
}

static int compare_ops(pf_cli_run *run)
{
    job j = {.run = run};
    pf_cli_scenarios scenarios = {.list = NULL};
    if (run->operand_count) {
        return pf_cli_usage(run, "takes no operand '%s'; name files with --scenario NAME,TRACE,CSV", run->operands[0]);
    }
    run->set.out = run->set.out ? run->set.out : "results/op_comparison.json";
    run->set.trace_dir = run->set.trace_dir ? run->set.trace_dir : folder_of_model(MODEL_TRACES, "traces");
    run->set.data_dir = run->set.data_dir ? run->set.data_dir : folder_of_model(MODEL_DATA, "data");
    int code = pf_cli_scenarios_make(run, &scenarios);
    if (code == PF_CLI_DONE) {
        run->findings = pf_findings_new(&run->set.limits);
        j.root = run->findings ? pf_node_root(run->findings, PF_NODE_OBJECT) : NULL;
        j.table = run->findings && run->set.report ? pf_opcmp_table_new(run->findings) : NULL;
        pf_budget_init(&j.budget, &run->set.limits);
        pf_error err = {.offset = PF_NOWHERE, .packet = PF_NOWHERE};
        pf_status st = run->findings ? pf_findings_status(run->findings, &err)
                                     : pf_fail(&err, PF_ERR_MEMORY, "the system refused memory for the comparison");
        code = st == PF_OK ? compare_all(&j, &scenarios) : pf_cli_report(run, NULL, &err);
        int put = pf_cli_put_buffer(run, NULL, &j.out);
        code = code == PF_CLI_DONE ? put : code;
        pf_opcmp_mapping_close(&j.mapping);
        pf_budget_end(&j.budget);
        pf_document_free(j.document);
    }
    pf_cli_scenarios_free(&scenarios);
    return code;
}

const pf_cli_command pf_cli_compare_ops = {
    .name = "compare ops",
    .usage = "[options]",
    .draws = "compare-ops",
    .summary = "compare what a performance model predicts with what a device measured, by kernel type",
    .examples = {"compare ops --trace-dir traces --data-dir data",
                 "compare ops --scenario decode,model.json,kernel_details.csv,3 --mapping op_mapping.yaml --unnested"},
    .description = "TRACE is what the model wrote: complete events of the process whose name says profiling or "
                   "empirical. CSV is the list of kernels of the Ascend profiler (kernel_details.csv). Without "
                   "--scenario four scenarios with fixed names are compared; those whose files are not there are "
                   "skipped.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .run = compare_ops,
};
