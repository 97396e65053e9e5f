/* analyze/opcmp/opcmp_pass.c - `compare ops`: scenario by scenario, the trace of a performance model against the table
 * of kernels that a device ran.
 *
 * The four built-in scenarios behave as op-comparison did, which this pass replaces: a file that is not there skips the
 * scenario, any other fault ends the run with status 1 before the document is written. Scenarios of the command line
 * have the exit codes of all commands. --keep-going goes on with the next scenario in both cases. The files of a
 * scenario are opened one after the other: what is wrong with the first is said before the next is looked for.
 */
#include "analyze/pass/passes.h"

#include <errno.h>
#include <unistd.h>

#include "analyze/opcmp/opcmp.h"
#include "analyze/support/pass_memory.h"
#include "base/budget.h"
#include "base/str.h"
#include "base/text/number.h"
#include "model/findings/findings.h"

enum {
    OPT_OUTPUT,
    OPT_TRACE_DIR,
    OPT_DATA_DIR,
    OPT_MAPPING,
    OPT_UNNESTED,
    OPT_SCENARIO,
    OPT_ANCHOR,
    OPT_BY_SHAPE,
    OPT_TOP,
    OPT_REPORT,
    OPT_ENRICHED,
    OPT_KEEP_GOING,
    OPTIONS
};

/* Model and table of one place belong together; so does the summary, which only built-in scenarios have. */
enum { ROLE_MODEL, ROLE_MEASURED, ROLE_MAPPING, ROLE_SUMMARY, ROLES };

/* Where the checkout of the model keeps tables and mapping; folders next to results/ will do as well. */
#define MODEL_TRACES "docs/perf_database/forward_pass_traces"
#define MODEL_DATA                                                                                                     \
    "tensor_cast/performance_model/profiling_database/data/ATLAS_800_A3_752T_128G_DIE/vllm_ascend/"                    \
    "vllm0.18.0_torch2.9.0_cann8.5"

/* In the order of the enumeration. */
static const pf_option options[OPTIONS] = {
    {"output", 'o', PF_OPTION_PATH, 0, "FILE", NULL, NULL,
     "the document of all scenarios (JSON); its folder is created if missing", "results/op_comparison.json"},
    {"trace-dir", 0, PF_OPTION_PATH, 0, "DIR", NULL, MODEL_TRACES " if that is there, else traces",
     "folder of the measured tables (CSV) of the built in scenarios"},
    {"data-dir", 0, PF_OPTION_PATH, 0, "DIR", NULL, MODEL_DATA " if that is there, else data",
     "folder of op_mapping.yaml"},
    {"mapping", 0, PF_OPTION_PATH, 0, "FILE", NULL, "op_mapping.yaml in --data-dir",
     "what kernel type an operator becomes, and which ones cost nothing (YAML)"},
    {"unnested", 0, PF_OPTION_FLAG, 0, NULL, NULL, NULL,
     "the entries of the mapping are below its key operator_mappings"},
    {"scenario", 0, PF_OPTION_TEXT, 0, "NAME,TRACE,CSV[,PASSES]", NULL, "the four built in ones",
     "compare these files instead; PASSES forward passes are in the CSV, auto: found in it [default: 1]",
     .traits = PF_OPTION_REPEATABLE},
    {"anchor", 0, PF_OPTION_TEXT, 0, "KERNEL", NULL, "found where PASSES is auto",
     "type of a kernel that each forward pass runs once: its calls count the passes of scenarios that do not say "
     "PASSES"},
    {"by-shape", 0, PF_OPTION_FLAG, 0, NULL, NULL, NULL,
     "tell kernels of a type apart by the shape of their first input (columns Input Shapes, argument "
     "simulation_shapes)"},
    {"top", 0, PF_OPTION_INT, 0, "N", NULL, NULL, "list the N kernel types that add most to the error of the total",
     "0", .within = "0.."},
    {"report", 0, PF_OPTION_PATH, 0, "DIR", NULL, "none",
     "write op_comparison.csv and op_comparison.md into this folder, with differences and shares"},
    {"enriched", 0, PF_OPTION_PATH, 0, "DIR", NULL, "none",
     "write each model trace with what was measured drawn in, as SCENARIO.pftrace in this folder"},
    {"keep-going", 0, PF_OPTION_FLAG, 0, NULL, NULL, NULL, "go on with the next scenario where one fails"},
};

static const pf_role roles[ROLES] = {
    [ROLE_MODEL] = {.name = "model",
                    .kind = PF_ROLE_TRACES,
                    .least = 1,
                    .on_request = true,
                    .literal = true,
                    .unwarned = true,
                    .want = PF_WANT_EVENTS | PF_WANT_ARGS | PF_WANT_WRITTEN_DUR,
                    .help = "what the performance model wrote"},
    [ROLE_MEASURED] = {.name = "measured",
                       .kind = PF_ROLE_DOCUMENT,
                       .least = 1,
                       .on_request = true,
                       .literal = true,
                       .help = "kernels that the device ran (CSV)"},
    [ROLE_MAPPING] = {.name = "mapping",
                      .kind = PF_ROLE_DOCUMENT,
                      .most = 1,
                      .on_request = true,
                      .literal = true,
                      .help = "kernel types of operators (YAML)"},
    [ROLE_SUMMARY] = {.name = "summary",
                      .kind = PF_ROLE_DOCUMENT,
                      .on_request = true,
                      .literal = true,
                      .help = "how many forward passes there are (JSON)"},
};

/* A pair of files that is compared. */
typedef struct opcmp_scenario {
    pf_str name, model, measured; /* the two files; ptr NULL where it is built in */
    double passes;                /* without a summary */
    bool find_passes;             /* PASSES is auto, or --anchor is given */
    bool built_in;                /* one of the four of op-comparison, whose messages and exit codes are kept */
} opcmp_scenario;

static const struct {
    const char *name, *summary, *csv, *trace;
} four[] = {
    {"Qwen3 PF", "results/qwen3_prefill_m6.json", "qwen3-32b_pf_4112tok.csv", "results/qwen3_pf_trace.json"},
    {"Qwen3 DC", "results/qwen3_decode_m6.json", "qwen3-32b_dc_16tok.csv", "results/qwen3_dc_trace.json"},
    {"DSv3 PF", "results/dsv3_prefill_m6.json", "dsv3_pf_4099tok.csv", "results/dsv3_pf_trace.json"},
    {"DSv3 DC", "results/dsv3_decode_m6.json", "dsv3_dc_1tok.csv", "results/dsv3_dc_trace.json"},
};
#define FOUR (sizeof four / sizeof *four)

static bool is_missing(const char *path)
{
    return access(path, F_OK) < 0 && errno == ENOENT;
}

/* A file in the folder that an option names, else in that of the model's checkout if it is there, else in `next`. The
 * path is joined as Python does it: no second slash. */
static pf_status add_in_folder(pf_pass_inputs *in, size_t role, pf_str folder, const char *checkout, const char *next,
                               const char *name, pf_error *err)
{
    pf_buffer b = {0};
    if (!folder.ptr) {
        folder = pf_str_of(access(checkout, R_OK) == 0 ? checkout : next);
    }
    pf_buffer_put(&b, folder.ptr, folder.len);
    pf_buffer_text(&b, folder.len && folder.ptr[folder.len - 1] != '/' ? "/" : "");
    pf_buffer_text(&b, name);
    pf_status st = b.failed ? pf_no_memory(err) : pf_pass_inputs_add(in, role, (pf_str){b.data, b.len}, err);
    pf_buffer_free(&b);
    return st;
}

/* NAME,TRACE,CSV[,PASSES] between its commas; how many parts there are. The last one has all that is left. */
static size_t split(pf_str text, pf_str part[4])
{
    size_t n = 0, comma;
    for (; n < 3 && (comma = pf_str_find(text, PF_STR(","))) != SIZE_MAX; n++) {
        part[n] = (pf_str){text.ptr, comma};
        text = pf_str_from(text, comma + 1);
    }
    part[n] = text;
    return n + 1;
}

/* The i-th of the scenarios that are named, else of the built-in ones; false where its text does not say one. */
static bool read_scenario(const pf_option_value *values, size_t i, opcmp_scenario *s)
{
    const pf_option_value *given = &values[OPT_SCENARIO];
    *s = (opcmp_scenario){.passes = 1, .built_in = given->count == 0};
    if (s->built_in) {
        s->name = pf_str_of(four[i].name);
        return true;
    }
    pf_str part[4] = {{NULL, 0}};
    size_t n = split(given->all[i].s, part);
    bool is_auto = n == 4 && pf_str_is(part[3], "auto");
    bool counted = n < 4 || is_auto || (pf_parse_real(part[3].ptr, part[3].len, &s->passes) && s->passes > 0);
    s->name = part[0];
    s->model = part[1];
    s->measured = part[2];
    s->find_passes = is_auto || (values[OPT_ANCHOR].s.ptr && n == 3);
    return part[0].len && part[1].len && part[2].len && counted;
}

static pf_status add_scenario(const pf_option_value *values, size_t i, pf_pass_inputs *in, pf_error *err)
{
    opcmp_scenario s, other;
    if (!read_scenario(values, i, &s)) {
        return pf_fail(
            err, PF_ERR_USAGE,
            "--scenario '%.300s' does not say what to compare; write NAME,TRACE,CSV or NAME,TRACE,CSV,PASSES "
            "with a number of forward passes above 0, or auto",
            values[OPT_SCENARIO].all[i].s.ptr);
    }
    for (size_t k = 0; k < i; k++) {
        read_scenario(values, k, &other);
        if (pf_str_equal(other.name, s.name)) {
            return pf_fail(err, PF_ERR_USAGE, "two scenarios are called '%.*s'; give each a name of its own",
                           s.name.len > 300 ? 300 : (int)s.name.len, s.name.ptr);
        }
    }
    PF_TRY(pf_pass_inputs_add(in, ROLE_MODEL, s.model, err));
    return pf_pass_inputs_add(in, ROLE_MEASURED, s.measured, err);
}

static pf_status gather(const pf_option_value *values, const char *const *operands, size_t count, pf_pass_inputs *in,
                        pf_error *err)
{
    const pf_option_value *given = &values[OPT_SCENARIO];
    pf_str folder = values[OPT_TRACE_DIR].s;
    if (count) {
        return pf_fail(err, PF_ERR_USAGE, "takes no operand '%.300s'; name files with --scenario NAME,TRACE,CSV",
                       operands[0]);
    }
    for (size_t i = 0; i < given->count; i++) {
        PF_TRY(add_scenario(values, i, in, err));
    }
    for (size_t i = 0; !given->count && i < FOUR; i++) {
        PF_TRY(pf_pass_inputs_add(in, ROLE_MODEL, pf_str_of(four[i].trace), err));
        PF_TRY(add_in_folder(in, ROLE_MEASURED, folder, MODEL_TRACES, "traces", four[i].csv, err));
        PF_TRY(pf_pass_inputs_add(in, ROLE_SUMMARY, pf_str_of(four[i].summary), err));
    }
    if (values[OPT_MAPPING].s.ptr) {
        return pf_pass_inputs_add(in, ROLE_MAPPING, values[OPT_MAPPING].s, err);
    }
    return add_in_folder(in, ROLE_MAPPING, values[OPT_DATA_DIR].s, MODEL_DATA, "data", "op_mapping.yaml", err);
}

/* One run of the pass. */
typedef struct job {
    const pf_pass_context *ctx;
    pf_findings *f;
    pf_text *out; /* for standard output */
    pf_budget budget;
    opcmp_mapping mapping;
    pf_node *root;
    opcmp_shown shown;
    bool failed;  /* a scenario */
    bool said;    /* the failure at hand, in words of op-comparison */
    pf_str fault; /* the same, to be said after ours */
} job;

/* A scenario that is compared. */
typedef struct scenario {
    job *j;
    size_t i;
    opcmp_scenario s;
    const char *model, *measured, *summary; /* paths; summary: NULL if there is none */
    opcmp c;
} scenario;

static void show_failure(job *j, const pf_error *err)
{
    if (!j->said) {
        pf_findings_show_error(j->f, err);
    }
    if (j->fault.len) {
        pf_findings_show_about(j->f, NULL, PF_ERROR, "%.*s", PF_TEXT_ARG(j->fault));
    }
    j->said = false;
    j->fault = PF_STR("");
}

/* Faults of input of the built-in scenarios, and of their mapping, are findings. */
static void end_with(job *j, bool built_in, pf_status st)
{
    if (j->failed) {
        return; /* the first failure says how it ends */
    }
    j->failed = true;
    if (built_in && (st == PF_ERR_INPUT || st == PF_ERR_DAMAGED)) {
        pf_findings_set_verdict(j->f, "%s", "");
    } else {
        pf_findings_set_outcome(j->f, st);
    }
}

static pf_status in_file(const char *path, pf_status st, pf_error *err)
{
    pf_error_in(st == PF_OK ? NULL : err, path);
    return st;
}

/* Whether a built-in scenario lacks a file, which is said; the path as Python's repr shows it. */
static bool skips(const scenario *x, const char *path)
{
    pf_buffer b = {0};
    if (!x->s.built_in || !is_missing(path)) {
        return false;
    }
    char quote = strchr(path, '\'') && !strchr(path, '"') ? '"' : '\'';
    for (const char *p = path; *p; p++) {
        bool control = ((unsigned char)*p < 32 || *p == 127) && *p != '\n' && *p != '\t' && *p != '\r';
        if (*p == quote || control) {
            pf_buffer_format(&b, control ? "\\x%02x" : "\\%c", (unsigned)*p);
        } else {
            pf_opcmp_put_escaped(&b, *p);
        }
    }
    pf_str shown = pf_pass_keep_buffer(x->j->f, &b);
    pf_text_format(x->j->f, x->j->out, "SKIP %.*s: [Errno 2] No such file or directory: %c%.*s%c\n",
                   PF_TEXT_ARG(x->s.name), quote, PF_TEXT_ARG(shown), quote);
    return true;
}

static pf_status take_passes(const pf_node *root, double *passes, pf_error *err)
{
    *passes = 1;
    if (!root || root->type != PF_NODE_OBJECT) {
        return pf_fail(err, PF_ERR_INPUT, "is not a JSON object; it needs the member n_forward_passes, or none at all");
    }
    const pf_node *n = pf_node_get(root, "n_forward_passes");
    switch (n ? n->type : PF_NODE_NULL) {
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
        return n ? pf_fail(err, PF_ERR_INPUT,
                           "line %u, column %u: n_forward_passes is not a number; write how many there are", n->line,
                           n->column)
                 : PF_OK;
    }
}

static pf_status read_passes(scenario *x, pf_error *err)
{
    pf_document *d = NULL;
    pf_pass_file file;
    PF_TRY(pf_pass_open(x->j->ctx, ROLE_SUMMARY, x->i, 0, &file, err));
    pf_status st = pf_json_parse(file.bytes, NULL, &d, err);
    st = st == PF_OK ? take_passes(pf_document_root(d), &x->s.passes, err) : st;
    pf_document_free(d);
    pf_pass_close(x->j->ctx, ROLE_SUMMARY, x->i);
    return st;
}

/* Faults after which the document is not what was written; op-comparison refused it. */
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

static pf_status find_process(scenario *x, const pf_trace *t, uint32_t *upid, pf_error *err)
{
    opcmp_process process;
    pf_status st = pf_opcmp_find_process(&x->c, t, x->model, &process, err);
    if (st == PF_ERR_INPUT && x->s.built_in) {
        pf_findings_show_about(x->j->f, NULL, PF_ERROR, "ValueError: %s", err->text);
        x->j->said = true;
    } else if (st == PF_ERR_INPUT) {
        pf_str said = pf_findings_keep(x->j->f, pf_str_of(err->text));
        pf_fail(err, st, "%.*s; put 'profiling' or 'empirical' into the name of the model's process",
                PF_TEXT_ARG(said));
    }
    PF_TRY(st);
    *upid = process.upid;
    if (!x->s.built_in && pf_trace_time_unit(t) != PF_UNIT_NS) {
        return pf_fail(err, PF_ERR_INPUT,
                       "counts in cycles, the table of kernels in microseconds; give a trace in time, "
                       "or read it with --dialect chrome-json");
    }
    if (process.sole) {
        pf_findings_show_about(x->j->f, NULL, PF_ERROR,
                               "Warning: profiling PID not found by name in %s, using sole PID %.*s", x->model,
                               PF_TEXT_ARG(process.spelling));
    }
    return PF_OK;
}

static pf_status add_model(scenario *x, const pf_trace *t, uint32_t *upid, pf_error *err)
{
    PF_TRY(check_whole(t, err));
    PF_TRY(find_process(x, t, upid, err));
    return pf_opcmp_add_model(&x->c, t, *upid, &x->j->mapping, x->j->ctx->jobs, err);
}

static pf_status add_measured(scenario *x, pf_error *err)
{
    const pf_pass_context *ctx = x->j->ctx;
    pf_pass_file file;
    PF_TRY(pf_pass_open(ctx, ROLE_MEASURED, x->i, 0, &file, err));
    pf_status st = pf_opcmp_add_measured(&x->c, file.bytes, err);
    if (st == PF_OK && x->c.cut_line) {
        pf_findings_show_about(x->j->f, x->measured, PF_INFO,
                               "line %llu: warning: the table ends in this row, which is in no sum; copy it again",
                               (unsigned long long)x->c.cut_line);
        st = ctx->strict ? pf_fail(err, PF_ERR_DAMAGED, "its last row is truncated") : PF_OK;
    }
    pf_pass_close(ctx, ROLE_MEASURED, x->i);
    return st;
}

/* The number of forward passes, where the table says it. */
static pf_status find_passes(scenario *x, pf_error *err)
{
    pf_str anchor = x->j->ctx->values[OPT_ANCHOR].s, found;
    double *passes = &x->s.passes;
    PF_TRY(pf_opcmp_count_passes(&x->c, anchor.ptr ? anchor : PF_STR("auto"), passes, &found, err));
    pf_findings_show_about(x->j->f, x->measured, PF_INFO, "%lld forward pass%s (anchor %.*s)", (long long)*passes,
                           *passes == 1 ? "" : "es", PF_TEXT_ARG(found));
    return PF_OK;
}

static pf_status report(scenario *x, pf_error *err)
{
    job *j = x->j;
    opcmp_rows rows;
    pf_buffer b = {0};
    size_t top = (size_t)j->ctx->values[OPT_TOP].i;
    PF_TRY(pf_opcmp_compare(&x->c, x->s.passes, &rows, err));
    if (!j->ctx->watched) {
        pf_opcmp_put_table(&b, &x->c, x->s.name, &rows);
    }
    if (top > 0) {
        pf_opcmp_put_contributors(&b, &x->c, &rows, top);
    }
    pf_text_put(j->f, j->out, (pf_str){b.data, b.len});
    bool failed = b.failed;
    pf_buffer_free(&b);
    pf_opcmp_add_rows(j->f, j->root, &x->c, x->s.name, &rows);
    PF_TRY(failed ? pf_no_memory(err) : PF_OK);
    return pf_opcmp_show_add(&j->shown, &x->c, x->s.name, x->s.passes, &rows, err);
}

/* SCENARIO.pftrace in the folder of --enriched. */
static pf_status write_enriched(scenario *x, const pf_trace *t, uint32_t upid, pf_error *err)
{
    job *j = x->j;
    pf_buffer path = {0};
    pf_findings *drawn = pf_findings_new(&j->budget.limits);
    pf_buffer_format(&path, "%s/", j->ctx->values[OPT_ENRICHED].s.ptr);
    for (size_t i = 0; i < x->s.name.len; i++) {
        pf_buffer_put(&path, x->s.name.ptr[i] == '/' ? "_" : x->s.name.ptr + i, 1);
    }
    pf_buffer_put(&path, ".pftrace", sizeof ".pftrace");
    pf_status st = path.failed || !drawn ? pf_no_memory(err) : pf_opcmp_draw(&x->c, t, upid, drawn, err);
    st = st == PF_OK ? pf_pass_write(j->ctx, t, drawn, path.data, err) : st;
    pf_findings_free(drawn);
    pf_buffer_free(&path);
    return st;
}

static pf_status compare_with(scenario *x, const pf_trace *t, pf_error *err)
{
    uint32_t upid = PF_NONE;
    PF_TRY(in_file(x->model, add_model(x, t, &upid, err), err));
    if (!x->c.keep_parts) {
        pf_pass_close(x->j->ctx, ROLE_MODEL, x->i);
    }
    if (skips(x, x->measured)) {
        return PF_OK;
    }
    PF_TRY(in_file(x->measured, add_measured(x, err), err));
    if (x->s.find_passes) {
        PF_TRY(in_file(x->measured, find_passes(x, err), err));
    }
    PF_TRY(report(x, err));
    return x->c.keep_parts ? write_enriched(x, t, upid, err) : PF_OK;
}

static pf_status compare_files(scenario *x, pf_error *err)
{
    const pf_pass_context *ctx = x->j->ctx;
    pf_pass_file model;
    if (x->summary) {
        if (skips(x, x->summary)) {
            return PF_OK;
        }
        PF_TRY(in_file(x->summary, read_passes(x, err), err));
    }
    if (skips(x, x->model)) {
        return PF_OK;
    }
    PF_TRY(pf_pass_open(ctx, ROLE_MODEL, x->i, x->c.keep_parts ? PF_WANT_TO_WRITE : 0, &model, err));
    pf_status st = compare_with(x, model.trace, err);
    pf_pass_close(ctx, ROLE_MODEL, x->i);
    return st;
}

static pf_status compare_scenario(job *j, size_t i, pf_error *err)
{
    const pf_pass_context *ctx = j->ctx;
    const pf_option_value *v = ctx->values;
    scenario x = {.j = j,
                  .i = i,
                  .model = ctx->roles[ROLE_MODEL].files[i].path,
                  .measured = ctx->roles[ROLE_MEASURED].files[i].path};
    read_scenario(v, i, &x.s);
    if (x.s.built_in) {
        x.summary = ctx->roles[ROLE_SUMMARY].files[i].path;
    }
    pf_status st = pf_opcmp_begin(&x.c, &j->budget.limits, err);
    x.c.strict = !x.s.built_in;
    x.c.by_shape = v[OPT_BY_SHAPE].b;
    x.c.keep_parts = v[OPT_ENRICHED].s.ptr != NULL;
    x.c.anchor = v[OPT_ANCHOR].s;
    x.c.keep_order = x.s.find_passes && !x.c.anchor.ptr;
    st = st == PF_OK ? compare_files(&x, err) : st;
    if (st == PF_ERR_INPUT && x.c.fault.len && x.s.built_in) {
        j->fault = pf_findings_keep(j->f, x.c.fault);
    }
    pf_opcmp_end(&x.c);
    return st;
}

static pf_status open_mapping(job *j, pf_error *err)
{
    const pf_pass_context *ctx = j->ctx;
    const char *path = ctx->roles[ROLE_MAPPING].files[0].path;
    bool unnested = ctx->values[OPT_UNNESTED].b, named = ctx->values[OPT_MAPPING].s.ptr != NULL;
    const pf_node *root = NULL;
    if (named || !is_missing(path)) {
        pf_pass_file file;
        pf_document *d;
        PF_TRY(pf_pass_open(ctx, ROLE_MAPPING, 0, 0, &file, err));
        PF_TRY(pf_yaml_parse(file.bytes, NULL, &d, err));
        pf_findings_adopt(j->f, d);
        root = pf_document_root(d);
    }
    PF_TRY(pf_opcmp_mapping_open(&j->mapping, &j->budget, root, unnested, err));
    bool nested = !unnested && root && root->type == PF_NODE_OBJECT && root->children == 1 &&
                  pf_str_is(root->first->key, "operator_mappings");
    if (nested && (ctx->values[OPT_SCENARIO].count || ctx->watched)) {
        pf_findings_show_about(j->f, path, PF_NOTICE,
                               "its entries are below operator_mappings, so none counts; add --unnested");
    }
    const pf_node *twice = pf_opcmp_mapping_twice(&j->mapping);
    if (twice) {
        pf_findings_show_about(j->f, path, PF_INFO,
                               "line %u, column %u: warning: '%.*s' is given twice and the last one counts; remove one",
                               twice->line, twice->column, twice->key.len > 200 ? 200 : (int)twice->key.len,
                               twice->key.ptr);
    }
    return PF_OK;
}

/* The table of all scenarios in the folder of --report. */
static void add_reports(job *j)
{
    pf_findings *f = j->f;
    pf_findings_report_csv(f, PF_STR("op_comparison.csv"), j->shown.operators, false);
    pf_findings_add_report(
        f, &(pf_report){.file = PF_STR("op_comparison.md"), .form = PF_REPORT_MARKDOWN, .table = j->shown.operators});
    if (j->shown.count == 0) {
        static const char why[] = "no kernel type in any scenario; the lines SKIP name the files that are missing";
        pf_text *text = pf_text_new(f);
        pf_text_format(f, text, "%s\n", why);
        pf_findings_report_text(f, PF_STR("op_comparison_nothing.txt"), text, false);
        pf_findings_show_about(f, j->ctx->report_dir, PF_NOTICE, "%s", why);
    }
}

static void add_document(job *j)
{
    static const pf_json_style style = {.utf8 = true};
    pf_text *saved = pf_text_new(j->f);
    pf_text_format(j->f, saved, "\nSaved to %s\n", j->ctx->output);
    pf_findings_add_report(j->f, &(pf_report){.root = j->root, .json = &style, .place = PF_PLACE_OUTPUT});
    if (j->ctx->report_dir) {
        add_reports(j);
    }
    pf_findings_add_report(
        j->f, &(pf_report){.form = PF_REPORT_BYTES, .text = saved, .place = PF_PLACE_STDOUT, .announced = true});
}

/* Compares all scenarios, or those before the first that fails; false: nothing is to be written. */
static bool compare_all(job *j)
{
    bool built_in = j->ctx->values[OPT_SCENARIO].count == 0, keep_going = j->ctx->values[OPT_KEEP_GOING].b;
    pf_error err;
    pf_status st = in_file(j->ctx->roles[ROLE_MAPPING].files[0].path, open_mapping(j, &err), &err);
    for (size_t i = 0; st == PF_OK && i < j->ctx->roles[ROLE_MODEL].count; i++) {
        st = compare_scenario(j, i, &err);
        bool goes_on = keep_going && st != PF_ERR_LIMIT && st != PF_ERR_MEMORY && st != PF_ERR_CANCELLED;
        if (st != PF_OK && goes_on) {
            show_failure(j, &err);
            end_with(j, built_in, st);
            st = PF_OK;
        }
    }
    if (st != PF_OK) {
        show_failure(j, &err);
        j->failed = false; /* what ends it says how, too */
        end_with(j, built_in, st);
    }
    return st == PF_OK;
}

static pf_status run(const pf_pass_context *ctx, pf_findings *f, pf_error *err)
{
    job j = {.ctx = ctx, .f = f, .out = pf_text_new(f), .root = pf_node_root(f, PF_NODE_OBJECT)};
    pf_opcmp_show_begin(&j.shown, f);
    pf_budget_init(&j.budget, &f->budget.limits);
    bool whole = compare_all(&j);
    pf_findings_print(f, j.out);
    if (whole) {
        pf_opcmp_show_end(&j.shown);
        pf_findings_set_summary(f, j.root);
        add_document(&j);
    } else {
        pf_findings_add_report(f, &(pf_report){.form = PF_REPORT_BYTES, .place = PF_PLACE_INSTEAD}); /* no document */
    }
    pf_opcmp_mapping_close(&j.mapping);
    pf_budget_end(&j.budget);
    return pf_findings_status(f, err);
}

const pf_pass pf_pass_opcmp = {
    .name = "compare-ops",
    .summary = "what a performance model predicts against what a device measured, by kernel type",
    .options = options,
    .option_count = OPTIONS,
    .roles = roles,
    .role_count = ROLES,
    .tables = pf_opcmp_tables,
    .table_count = OPCMP_TABLES,
    .outputs = "*",
    .reports_on_request = true,
    .inputs = gather,
    .run = run,
};
