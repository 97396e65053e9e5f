/* analyze/aiu/aiu_pass.c - `analyze aiu` as data, and the run from trace to findings. */

#include <inttypes.h>

#include "analyze/aiu/acelyzer/acelyzer.h"
#include "analyze/aiu/cores/aiu_tables.h"
#include "analyze/aiu/ingest/aiu_ingest.h"
#include "analyze/aiu/outputs/aiu_outputs.h"
#include "analyze/aiu/partial/aiu_partial.h"
#include "analyze/pass/partials.h"
#include "analyze/pass/passes.h"
#include "analyze/support/pass_memory.h"
#include "base/files/folders.h"
#include "base/str.h"
#include "base/text/errno_text.h"

enum { ROLE_TRACE, ROLE_LOGS, ROLE_PROFILE, ROLES };

static const pf_role roles[ROLES] = {
    [ROLE_TRACE] = {.name = "trace",
                    .kind = PF_ROLE_TRACE,
                    .option = "input",
                    .is_list = true,
                    .may_be_missing = true,
                    .want = PF_WANT_EVENTS | PF_WANT_ARGS | PF_WANT_COUNTERS | PF_WANT_NOTES | PF_WANT_PLACES,
                    .help = "traces of AIU devices, one file for each job, for each rank or for all"},
    [ROLE_LOGS] = {.name = "log",
                   .kind = PF_ROLE_DOCUMENT,
                   .option = "compiler_log",
                   .option_only = true,
                   .is_list = true,
                   .may_be_missing = true,
                   .on_request = true,
                   .help = "logs of the compiler"},
    [ROLE_PROFILE] = {.name = "profile",
                      .kind = PF_ROLE_DOCUMENT,
                      .most = 1,
                      .option = "profile",
                      .option_only = true,
                      .may_be_missing = true,
                      .help = "which stages run"},
};

/* A profile that needs no file: all stages, or those that leave times and threads of torch traces alone. */
static void choose_stages(aiu_run *run, bool *on)
{
    const pf_pass_files *given = &run->ctx->roles[ROLE_PROFILE];
    const pf_pass_file *file = given->count ? &given->files[0] : NULL;
    pf_document *d = NULL;
    if (file && file->missing) {
        pf_str name = pf_str_of(pf_path_name(file->path));
        run->minimal = pf_str_is(name, "torch_minimal.json");
        run->everything = pf_str_is(name, "everything.json") || pf_str_is(name, "default.json");
        if (!run->minimal && !run->everything) {
            pf_fail(&run->error, PF_ERR_INPUT,
                    "cannot be opened: %s; without a file there are everything.json and torch_minimal.json",
                    pf_errno_text(file->missing));
        }
    } else if (file && pf_json_parse(file->bytes, NULL, &d, &run->error) == PF_OK) {
        pf_findings_adopt(run->findings, d);
    }
    if (!pf_aiu_failed(run)) {
        pf_acelyzer_choose_stages(run, d ? pf_document_root(d) : NULL, on);
    }
    if (pf_aiu_failed(run) && file) {
        pf_error_in(&run->error, file->path);
    }
}

/* Shows the log and writes nothing; the exit code is that of a finding where `why` says one. */
static void give_up(aiu_run *run, const char *why)
{
    run->error.code = PF_OK;
    pf_aiu_show_log(run);
    pf_findings_add_report(run->findings, &(pf_report){.form = PF_REPORT_BYTES, .place = PF_PLACE_INSTEAD});
    if (why) {
        pf_findings_set_verdict(run->findings, "%s", why);
    }
}

/* A run that ends before it began, in the words and with the exit code of acelyzer. */
static void refuse(aiu_run *run, const aiu_refusal *r)
{
    if (run->set.hint.len && r->lines && strncmp(r->lines, "HINT", 4) != 0) {
        pf_findings_show_line(run->findings, PF_INFO, "RAW %.*s", (int)run->set.hint.len - 1, run->set.hint.ptr);
    }
    for (const char *at = r->lines; at && *at;) {
        size_t len = strcspn(at, "\n");
        bool tagged = strncmp(at, "ERROR ", 6) == 0;
        pf_findings_show_line(run->findings, PF_INFO, "%s%.*s", tagged ? "" : "RAW ", (int)len, at);
        at += len + (at[len] == '\n');
    }
    give_up(run, run->error.text);
}

static void no_input(aiu_run *run)
{
    pf_aiu_log(run, "INFO", "Ingesting 0 files.");
    pf_aiu_log(run, "ERROR", "No input files found.");
    if (pf_aiu_rule(run, AIU_LOG_ALONE)) {
        give_up(run, "no input files found");
    } else {
        pf_aiu_show_log(run);
        pf_fail(&run->error, PF_ERR_INPUT, "no input files found; name traces, or a pattern that fits some");
    }
}

/* --verify: which phases there are; events stay as they are. */
static void verify(aiu_run *run)
{
    bool seen[256] = {false};
    pf_str list = {"", 0};
    for (uint32_t i = 0; i < run->alive; i++) {
        run->events.flags[run->order[i]] &= ~(uint32_t)AIU_SHOW_RANK;
        seen[run->events.phase[run->order[i]]] = true;
    }
    for (int c = 0; c < 256; c++) {
        if (seen[c]) {
            list = pf_findings_format(run->findings, "%.*s%s'%c'", PF_TEXT_ARG(list), list.len ? ", " : "", c);
        }
    }
    pf_aiu_compact(run);
    pf_aiu_log(run, "INFO", "VRF: found types: {%.*s}", PF_TEXT_ARG(list));
}

/* What the log says of stages whether they ran or not. */
static void log_stages(aiu_run *run)
{
    if (run->set.counters & (AIU_COUNT_POWER3 | AIU_COUNT_POWER4)) {
        pf_aiu_log(run, "INFO", "PEC event stats o/i: 0 / 0");
        pf_aiu_log(run, "INFO", "PEC event stats o/i: %" PRIu64 " / %" PRIu64, run->power_written, run->power_taken);
    }
    for (int i = 0; i < 2 && run->set.counters & AIU_COUNT_BANDWIDTH; i++) {
        pf_aiu_log(run, "INFO", "DTC event stats o/i: 0 / 0");
    }
    pf_aiu_log(run, run->overlaps ? "WARNING" : "INFO", "Partial-overlap slices resolved: %" PRIu64, run->overlaps);
}

/* Runs the steps of the stages that are on. */
static void run_stages(aiu_run *run)
{
    unsigned count = 0;
    for (size_t i = 0; i < ACELYZER_STAGES && pf_pass_poll(run->ctx, &run->error) == PF_OK; i++) {
        aiu_step *step = pf_acelyzer_step(run, i);
        /* Acelyzer reads compiler logs before it knows the profile. */
        bool always = pf_aiu_rule(run, AIU_LOGS_ARE_FILES) && step == pf_aiu_read_tables && run->set.has_log &&
                      (run->set.counters & AIU_COUNT_UTILISATION);
        if (step && (run->on[i] || always)) {
            step(run);
            pf_aiu_end_stage(run);
        }
        run->as_written = step != pf_aiu_normalise && (i == 0 || run->as_written);
        if (run->on[i] && run->set.intermediate && !pf_aiu_failed(run)) {
            pf_aiu_write_stage(run, pf_acelyzer_stages[i].name, count++);
        }
        if (pf_aiu_failed(run)) {
            return;
        }
    }
    run->as_written = false;
    pf_aiu_end_stage(run); /* of what was made before the first one, where none ran */
    pf_arena_free(&run->scratch);
    log_stages(run);
}

/* What the stages left, as tables, files and lines. */
static pf_status report(aiu_run *run)
{
    PF_TRY(pf_aiu_write_stats(run));
    if (!pf_aiu_rule(run, AIU_LOG_ALONE)) {
        PF_TRY(pf_aiu_report(run));
        if (run->kernels && run->kernels->row_count == 0 && run->parts) {
            return pf_fail(&run->error, PF_ERR_INPUT,
                           "no partial has a kernel of an AIU; 'postfetto analyze aiu' says what the traces hold");
        }
        if (run->kernels && run->kernels->row_count == 0) {
            pf_pass_nothing(run->ctx, run->findings, "kernel of an AIU",
                            run->of_gpu ? ": its kernels are those of a GPU; see postfetto analyze gpu" : "");
        }
    }
    return PF_OK;
}

/* Acelyzer reads compiler logs first, and ends where clocks of ranks cannot be matched. */
static void end_unmatched(aiu_run *run)
{
    const char *why = pf_findings_format(run->findings, "%s", run->error.text).ptr;
    run->error.code = PF_OK;
    log_stages(run);
    if (run->set.has_log && !run->tables) {
        pf_aiu_read_tables(run);
    }
    pf_aiu_log(run, "ERROR", "MP SYNC: %s", why ? why : "");
    pf_aiu_log(run, "INFO", "Exported events:  0");
    give_up(run, why ? why : "");
}

/* What is said of options before anything is read. */
static void log_options(aiu_run *run)
{
    bool always = pf_aiu_rule(run, AIU_LOG_ALONE); /* it looks before it knows --loglevel */
    if (run->set.hint.len && always) {
        pf_aiu_log(run, "RAW", "%.*s", (int)run->set.hint.len - 1, run->set.hint.ptr);
    }
    if (!run->set.has_log && run->set.counters & AIU_COUNT_UTILISATION) {
        pf_aiu_log(run, always ? "RAW" : "WARNING",
                   "%srcu_util counter requested but no compiler log/inductor spyre directory path provided. No "
                   "utilization will be plotted.",
                   always ? "WARNING " : "");
    }
}

/* Whether PyTorch describes a device of the trace by what only GPUs have. */
static bool is_of_gpu(const pf_trace *t)
{
    const pf_metadata *m = pf_trace_metadata(t);
    bool found = false;
    for (uint32_t i = 0; i < m->count && !found; i++) {
        found = pf_str_is(pf_trace_string(t, m->name[i]), "json.deviceProperties") &&
                pf_str_find(pf_trace_string(t, m->text[i]), PF_STR("\"computeMajor\"")) != SIZE_MAX;
    }
    return found;
}

static void analyze(aiu_run *run)
{
    bool on[ACELYZER_STAGES] = {false};
    log_options(run);
    if (!run->trace) {
        no_input(run);
        return;
    }
    if (!run->parts) {
        run->of_gpu = !pf_aiu_rule(run, AIU_LOG_ALONE) && is_of_gpu(run->trace);
    }
    choose_stages(run, on);
    if (pf_aiu_failed(run)) {
        return;
    }
    run->set.align_auto = run->set.align_auto && pf_aiu_stage_on(run, "mp_ts_calibration_v2");
    run->stats_on = pf_aiu_stage_on(run, "calculate_stats");
    run->cores_on = pf_aiu_stage_on(run, "compute_utilization");
    run->classes_on = pf_aiu_stage_on(run, "event_categorizer_update");
    pf_aiu_log(run, "INFO", "Ingesting %zu files.",
               run->parts ? (size_t)run->job_count : pf_trace_input_count(run->trace));
    if (run->set.format == AIU_FORMAT_PROTOBUF && pf_aiu_rule(run, AIU_LOG_ALONE)) {
        /* Acelyzer knows -f protobuf, says that it does not, and writes nothing. */
        pf_aiu_log(run, "ERROR",
                   "Unrecognized export format. Available options: json or pddf (and unsupported: proto)");
        pf_aiu_log(run, "INFO", "Exported events:  0");
        give_up(run, NULL);
        return;
    }
    pf_status st = pf_aiu_ingest(run);
    if (run->keeps) {
        if (st == PF_OK) {
            pf_aiu_add_parts(run);
        }
        return;
    }
    if (st == PF_OK) {
        run->set.verify ? verify(run) : run_stages(run);
    }
    if (run->unmatched) {
        end_unmatched(run);
    } else if (!pf_aiu_failed(run) && pf_aiu_write_files(run, report) == PF_OK) {
        pf_aiu_log(run, "INFO", "Exported events:  %" PRIu64, pf_acelyzer_exported(run));
        pf_aiu_show_log(run);
    }
}

static pf_status run_with(const pf_pass_context *ctx, bool merges, bool keeps, pf_findings *f, pf_error *err)
{
    aiu_run run;
    aiu_refusal refusal = {0};
    if (pf_aiu_run_init(&run, ctx, f) == PF_OK) {
        pf_aiu_settings_read(ctx, f, &run.set, &refusal, &run.error);
        if (refusal.refused && pf_aiu_rule(&run, AIU_LOG_ALONE) && !refusal.usage) {
            refuse(&run, &refusal);
        } else if (!pf_aiu_failed(&run)) {
            run.keeps = keeps;
            pf_status st = keeps || merges ? pf_aiu_parts_refuse(&run) : PF_OK;
            st = st == PF_OK && merges ? pf_aiu_read_parts(&run) : st;
            if (st == PF_OK) {
                analyze(&run);
            }
        }
    }
    pf_status st = run.error.code;
    *err = st == PF_OK ? *err : run.error;
    pf_aiu_run_free(&run);
    return st;
}

static pf_status run_pass(const pf_pass_context *ctx, pf_findings *f, pf_error *err)
{
    PF_TRY(ctx->trace ? pf_partials_refuse(ctx->trace, err) : PF_OK);
    return run_with(ctx, false, ctx->values[AIU_OPT_PARTIAL].set, f, err);
}

/* With the options of the partials, which were judged when they were written. */
static pf_status run_merge(const pf_pass_context *ctx, pf_findings *f, pf_error *err)
{
    pf_option_value values[AIU_OPTIONS];
    const pf_pass_files files[ROLES] = {ctx->roles[0]};
    pf_pass_context own = *ctx;
    own.values = values;
    own.roles = files;
    pf_status st = pf_partials_options(ctx, &pf_pass_aiu, values, err);
    st = st == PF_OK ? run_with(&own, true, ctx->values[PF_MERGE_OPT_PARTIAL].set, f, err) : st;
    pf_options_release(values, AIU_OPTIONS);
    return st;
}

static bool fits(const pf_trace *t)
{
    return strcmp(pf_trace_dialect(t), "aiu-flex") == 0;
}

static const pf_pass_partials of_partials = {.merge = &pf_pass_aiu_merge,
                                             .rule = {PF_MERGE_ANEW, "aiu_part_inputs, aiu_part_events", NULL}};

const pf_pass pf_pass_aiu = {
    .name = "aiu",
    .summary = "IBM AIU devices: clocks, power, core utilisation, collectives",
    .description = "Reads traces of AIU devices (flex or torch, JSON or Perfetto, any number of jobs and ranks), turns "
                   "cycle counters into times, matches the clocks of ranks, and reports kernels, queues, power, core "
                   "utilisation, communication and iterations. Options are those of IBM's AIU Trace Analyzer; with "
                   "--compat acelyzer its results are repeated, bugs included.",
    .example = "--freq 557:1100",
    .example_input = "'job-*.json'",
    .options = pf_aiu_options,
    .option_count = AIU_OPTIONS,
    .roles = roles,
    .role_count = ROLES,
    .tables = pf_aiu_tables,
    .table_count = AIU_TABLES,
    .stages = pf_acelyzer_stages,
    .stage_count = ACELYZER_STAGES,
    .outputs = "json|json.gz|txt|pb",
    .draw_want =
        PF_WANT_EVENTS | PF_WANT_ARGS | PF_WANT_COUNTERS | PF_WANT_FLOWS | PF_WANT_ORIGINS | PF_WANT_NEW_SLICES,
    .reports_by_output = true,
    .joins_ranks = true,
    .joins_jobs = true,
    .fits = fits,
    .run = run_pass,
    .partials = &of_partials,
};

const pf_pass pf_pass_aiu_merge = {
    .name = "aiu",
    .summary = "what partials of 'analyze aiu' say together",
    .options = pf_partials_merge_options,
    .option_count = PF_MERGE_OPTIONS,
    .roles = &pf_partials_role,
    .role_count = 1,
    .tables = pf_aiu_tables,
    .table_count = AIU_TABLES,
    .reports_on_request = true,
    .run = run_merge,
};
