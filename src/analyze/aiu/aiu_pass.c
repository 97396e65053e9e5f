/* analyze/aiu/aiu_pass.c - `analyze aiu` as data, and the run from trace to findings. */
#include <string.h>

#include "analyze/aiu/aiu.h"
#include "analyze/aiu/cores/aiu_tables.h"
#include "analyze/aiu/enriched/aiu_meetings.h"
#include "analyze/aiu/ingest/aiu_ingest.h"
#include "analyze/aiu/outputs/aiu_outputs.h"
#include "analyze/aiu/stages/aiu_kernel_stats.h"
#include "analyze/aiu/stages/aiu_stages.h"
#include "analyze/aiu/tables/aiu_report_tables.h"
#include "base/text/errno_text.h"

enum { ROLE_TRACE, ROLE_LOGS, ROLE_PROFILE, ROLES };

static const pf_role roles[ROLES] = {
    [ROLE_TRACE] = {.name = "trace",
                    .kind = PF_ROLE_TRACE,
                    .option = "input",
                    .is_list = true,
                    .may_be_missing = true,
                    .want = PF_WANT_EVENTS | PF_WANT_ARGS | PF_WANT_COUNTERS | PF_WANT_NOTES,
                    .help = "traces of AIU devices, one file for each job, for each rank or for all"},
    [ROLE_LOGS] = {.name = "log",
                   .kind = PF_ROLE_TEXT,
                   .option = "compiler_log",
                   .option_only = true,
                   .is_list = true,
                   .may_be_missing = true,
                   .on_request = true,
                   .help = "logs of the compiler"},
    [ROLE_PROFILE] = {.name = "profile",
                      .kind = PF_ROLE_JSON,
                      .most = 1,
                      .option = "profile",
                      .option_only = true,
                      .may_be_missing = true,
                      .help = "which stages run"},
};

/* Names of profiles that need no file: all stages, and those that leave times and threads of torch traces alone. */
static pf_status name_profile(aiu_run *run, const pf_pass_file *file, pf_error *err)
{
    pf_str name = pf_aiu_last_part(file->path);
    run->minimal = pf_aiu_equals(name, "torch_minimal.json");
    run->everything = pf_aiu_equals(name, "everything.json") || pf_aiu_equals(name, "default.json");
    if (run->minimal || run->everything) {
        return PF_OK;
    }
    pf_fail(err, PF_ERR_INPUT, "cannot be opened: %s; without a file there are everything.json and torch_minimal.json",
            pf_errno_text(file->missing));
    pf_error_in(err, file->path);
    return err->code;
}

static pf_status read_profile(aiu_run *run, const pf_node **root, pf_error *err)
{
    const pf_pass_files *given = &run->ctx->roles[ROLE_PROFILE];
    pf_document *d;
    *root = NULL;
    if (given->count == 0) {
        return PF_OK;
    }
    if (given->files[0].missing) {
        return name_profile(run, &given->files[0], err);
    }
    pf_status st = pf_json_parse(given->files[0].bytes, NULL, &d, err);
    if (st != PF_OK) {
        pf_error_in(err, given->files[0].path);
        return st;
    }
    pf_findings_adopt(run->findings, d);
    *root = pf_document_root(d);
    return PF_OK;
}

/* Nothing is written, and the exit code is that of a finding. */
static pf_status give_up(aiu_run *run, const char *why)
{
    pf_findings_add_report(run->findings,
                           &(pf_report){.file = {"", 0}, .form = PF_REPORT_BYTES, .place = PF_PLACE_INSTEAD});
    pf_findings_set_verdict(run->findings, "%s", why);
    return PF_OK;
}

/* A run that ends before it began, in the words and with the exit code of the program before postfetto. */
static pf_status refuse(aiu_run *run, const aiu_refusal *r, pf_error *err)
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
    return give_up(run, err->text);
}

static pf_status no_input(aiu_run *run, pf_error *err)
{
    pf_aiu_log(run, "INFO", "Ingesting 0 files.");
    pf_aiu_log(run, "ERROR", "No input files found.");
    pf_aiu_show_log(run);
    if (run->set.compat == AIU_WANT) {
        return pf_fail(err, PF_ERR_INPUT, "no input files found; name traces, or a pattern that fits some");
    }
    return give_up(run, "no input files found");
}

/* The program before postfetto knows -f protobuf, says that it does not, and writes nothing. */
static pf_status refuse_format(aiu_run *run)
{
    pf_aiu_log(run, "ERROR", "Unrecognized export format. Available options: json or pddf (and unsupported: proto)");
    pf_aiu_log(run, "INFO", "Exported events:  0");
    pf_findings_add_report(run->findings, &(pf_report){.form = PF_REPORT_BYTES, .place = PF_PLACE_INSTEAD});
    pf_aiu_show_log(run);
    return PF_OK;
}

/* --verify: which phases there are; events stay as they are. */
static pf_status verify(aiu_run *run)
{
    bool seen[256] = {false};
    pf_str list = {"", 0};
    for (uint32_t i = 0; i < run->alive; i++) {
        run->events.flags[run->order[i]] &= ~(uint32_t)AIU_SHOW_RANK;
        seen[run->events.phase[run->order[i]]] = true;
    }
    for (int c = 0; c < 256; c++) {
        if (seen[c]) {
            list = pf_findings_format(run->findings, "%.*s%s'%c'", (int)list.len, list.ptr, list.len ? ", " : "", c);
        }
    }
    pf_aiu_compact(run);
    return pf_aiu_log(run, "INFO", "VRF: found types: {%.*s}", (int)list.len, list.ptr);
}

/* What the log says of stages whether they ran or not. */
static void log_stages(aiu_run *run)
{
    if (run->set.counters & (AIU_COUNT_POWER3 | AIU_COUNT_POWER4)) {
        pf_aiu_log(run, "INFO", "PEC event stats o/i: 0 / 0");
        pf_aiu_log(run, "INFO", "PEC event stats o/i: %llu / %llu", (unsigned long long)run->power_written,
                   (unsigned long long)run->power_taken);
    }
    for (int i = 0; i < 2 && run->set.counters & AIU_COUNT_BANDWIDTH; i++) {
        pf_aiu_log(run, "INFO", "DTC event stats o/i: 0 / 0");
    }
    pf_aiu_log(run, run->overlaps ? "WARNING" : "INFO", "Partial-overlap slices resolved: %llu",
               (unsigned long long)run->overlaps);
}

/* Runs the stages that are on. */
static pf_status run_stages(aiu_run *run, pf_error *err)
{
    pf_status st = PF_OK;
    unsigned count = 0;
    for (size_t i = 0; i < AIU_STAGES && st == PF_OK; i++) {
        const aiu_stage *s = &pf_aiu_stage_runs[i];
        st = pf_pass_poll(run->ctx, err);
        /* The program before postfetto reads compiler logs before it knows the profile. */
        bool always = run->set.compat != AIU_WANT && s->run == pf_aiu_read_tables && s->wanted(&run->set);
        st = st == PF_OK && (run->on[i] || always) && s->run ? s->run(run, err) : st;
        run->as_written = s->run != pf_aiu_normalise_first && (i == 0 || run->as_written);
        st = st == PF_OK && run->on[i] && run->set.intermediate
                 ? pf_aiu_write_stage(run, pf_aiu_stages[i].name, count++, err)
                 : st;
    }
    run->as_written = false;
    log_stages(run);
    return st;
}

/* What the stages left, as tables, files and lines. */
static pf_status report(aiu_run *run, pf_error *err)
{
    pf_aiu_write_stats(run);
    pf_aiu_write_categories(run);
    pf_status st = pf_aiu_write_collective_stats(run, err);
    st = st == PF_OK && run->set.compat == AIU_WANT ? pf_aiu_report_tables(run, err) : st;
    if (st == PF_OK && run->set.compat == AIU_WANT && run->kernels && run->kernels->row_count == 0) {
        pf_pass_nothing(run->ctx, run->findings, "kernel of an AIU", "");
    }
    return st == PF_OK && run->set.compat == AIU_WANT ? pf_aiu_report_ranks(run, err) : st;
}

/* The program before postfetto reads compiler logs first, and ends where clocks of ranks cannot be matched. */
static pf_status end_unmatched(aiu_run *run, pf_error *err)
{
    pf_str why = pf_findings_format(run->findings, "%s", err->text);
    pf_status st = run->set.has_log && !run->tables ? pf_aiu_read_tables(run, err) : PF_OK;
    pf_aiu_log(run, "ERROR", "MP SYNC: %.*s", (int)why.len, why.ptr);
    pf_aiu_log(run, "INFO", "Exported events:  0");
    pf_aiu_show_log(run);
    return st == PF_OK && why.ptr ? give_up(run, why.ptr) : st == PF_OK ? err->code : st;
}

static pf_status analyze(aiu_run *run, pf_error *err)
{
    const pf_node *profile;
    bool on[AIU_STAGES];
    if (run->set.hint.len && run->set.compat != AIU_WANT) {
        pf_aiu_log(run, "RAW", "%.*s", (int)run->set.hint.len - 1, run->set.hint.ptr);
    }
    if (!run->set.has_log && run->set.counters & AIU_COUNT_UTILISATION) {
        bool always = run->set.compat != AIU_WANT; /* it looks before it knows --loglevel */
        pf_aiu_log(run, always ? "RAW" : "WARNING",
                   "%srcu_util counter requested but no compiler log/inductor spyre directory path provided. No "
                   "utilization will be plotted.",
                   always ? "WARNING " : "");
    }
    if (!run->trace) {
        return no_input(run, err);
    }
    pf_status st = read_profile(run, &profile, err);
    st = st == PF_OK ? pf_aiu_choose_stages(run, profile, on, err) : st;
    if (st == PF_ERR_USAGE) {
        pf_error_in(err, run->ctx->roles[ROLE_PROFILE].files[0].path);
    }
    run->set.align_auto = run->set.align_auto && st == PF_OK && pf_aiu_stage_on(run, "mp_ts_calibration_v2");
    run->stats_on = st == PF_OK && pf_aiu_stage_on(run, "calculate_stats");
    run->cores_on = st == PF_OK && pf_aiu_stage_on(run, "compute_utilization");
    run->classes_on = st == PF_OK && pf_aiu_stage_on(run, "event_categorizer_update");
    pf_aiu_log(run, "INFO", "Ingesting %zu files.", pf_trace_input_count(run->trace));
    if (st == PF_OK && run->set.format == AIU_FORMAT_PROTOBUF && run->set.compat != AIU_WANT) {
        return refuse_format(run);
    }
    st = st == PF_OK ? pf_aiu_ingest(run, err) : st;
    if (st == PF_OK) {
        st = run->set.verify ? verify(run) : run_stages(run, err);
    }
    if (run->unmatched) {
        return end_unmatched(run, err);
    }
    st = st == PF_OK ? pf_aiu_write_files(run, report, err) : st;
    if (st == PF_OK) {
        pf_aiu_log(run, "INFO", "Exported events:  %llu", (unsigned long long)pf_aiu_exported(run));
        pf_aiu_show_log(run);
    }
    return st;
}

static pf_status run_pass(const pf_pass_context *ctx, pf_findings *f, pf_error *err)
{
    aiu_run run;
    aiu_refusal refusal;
    pf_status st = pf_aiu_run_init(&run, ctx, f, err);
    if (st == PF_OK) {
        st = pf_aiu_settings_read(ctx, f, &run.set, &refusal, err);
        bool explained = refusal.refused && run.set.compat != AIU_WANT && !refusal.usage;
        st = st == PF_OK ? analyze(&run, err) : explained ? refuse(&run, &refusal, err) : st;
    }
    pf_aiu_tables_free(run.tables);
    pf_aiu_run_free(&run);
    return st;
}

static bool fits(const pf_trace *t)
{
    return strcmp(pf_trace_dialect(t), "aiu-flex") == 0;
}

const pf_pass pf_pass_aiu = {
    .name = "aiu",
    .summary = "IBM AIU devices: clocks, power, use of the cores, collectives",
    .description = "Reads traces of AIU devices (flex or torch, JSON or Perfetto, any number of jobs and ranks), turns "
                   "cycle counters into times, matches the clocks of ranks, and reports kernels, queues, power, use of "
                   "the cores, communication and iterations. Options are those of IBM's AIU Trace Analyzer; with "
                   "--compat acelyzer its results are repeated, faults included.",
    .example = "--freq 557:1100",
    .example_input = "'job-*.json'",
    .options = pf_aiu_options,
    .option_count = AIU_OPTIONS,
    .roles = roles,
    .role_count = ROLES,
    .tables = pf_aiu_rank_tables,
    .table_count = AIU_RANK_TABLES + AIU_OWN_TABLE_COUNT,
    .stages = pf_aiu_stages,
    .stage_count = AIU_STAGES,
    .outputs = "json|json.gz|txt|pb",
    .draw_want =
        PF_WANT_EVENTS | PF_WANT_ARGS | PF_WANT_COUNTERS | PF_WANT_FLOWS | PF_WANT_ORIGINS | PF_WANT_NEW_SLICES,
    .reports_by_output = true,
    .joins_ranks = true,
    .fits = fits,
    .run = run_pass,
};
