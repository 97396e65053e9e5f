/* analyze/aiu/outputs/aiu_files.c - which files a run writes, and the lines of its log. */

#include "analyze/aiu/acelyzer/acelyzer.h"
#include "analyze/aiu/outputs/aiu_outputs.h"
#include "analyze/support/order_stats.h"
#include "base/files/folders.h"
#include "base/str.h"

static pf_str stem_of(aiu_run *run)
{
    static const char *const endings[] = {".json", ".pt.trace"};
    pf_str name = pf_str_of(pf_path_name(run->ctx->output_stem ? run->ctx->output_stem : "processed_trace"));
    for (size_t i = 0; i < 2; i++) {
        name.len -= pf_str_ends(name, pf_str_of(endings[i])) ? strlen(endings[i]) : 0;
    }
    return name;
}

static void add_file(aiu_run *run, pf_str file, const pf_text *text, pf_place place)
{
    if (text) {
        pf_findings_add_report(
            run->findings,
            &(pf_report){.file = file, .form = PF_REPORT_BYTES, .text = text, .place = place, .announced = true});
    }
}

/* Whether the path of -o ends so. */
static bool output_ends(const aiu_run *run, const char *ending)
{
    return run->ctx->output && pf_str_ends(pf_str_of(run->ctx->output), pf_str_of(ending));
}

/* Whether the path of -o is that of JSON; whether files are as TensorBoard wants them. */
static bool is_json(const aiu_run *run)
{
    return output_ends(run, ".json") || output_ends(run, ".json.gz");
}

static bool tb_files(const aiu_run *run)
{
    return run->set.tb && !run->set.disable_tb;
}

/* A file STEM_NAME, and as many lines of the log that say so. */
static void add_stats(aiu_run *run, const char *name, const pf_text *text, uint32_t lines, const char *said)
{
    pf_str stem = stem_of(run);
    pf_str file = pf_findings_format(run->findings, "%.*s_%s", (int)stem.len, stem.ptr, name);
    pf_findings_report_text(run->findings, file, text, true);
    for (uint32_t i = 0; i < lines; i++) {
        pf_aiu_log(run, "INFO", "%s%.*s", said, (int)file.len, file.ptr);
    }
}

pf_status pf_aiu_write_stats(aiu_run *run)
{
    if (run->kernels) {
        add_stats(run, "summary.csv", pf_acelyzer_kernel_summary(run), 1, "SEC statistics summary file created:  ");
        add_stats(run, "active.csv", pf_acelyzer_rank_activity(run), 1, "SEC statistics active file created:  ");
        add_stats(run, "ts_analysis.csv", pf_acelyzer_step_times(run), 1,
                  "SEC statistics timestamp analysis file created:  ");
    }
    const acelyzer_category_texts c = pf_acelyzer_categories(run);
    if (c.csv) {
        uint32_t lines = !pf_aiu_rule(run, AIU_OWN_FORMS) ? 1 : c.logs;
        add_stats(run, "categories.csv", c.csv, lines, "UTL: category table(s) created as CSV: ");
        add_stats(run, "categories.txt", c.txt, lines, "UTL: category table(s) created as TXT: ");
    }
    const pf_text *collectives = pf_acelyzer_collective_stats(run);
    if (collectives) {
        add_stats(run, "stats_summary.csv", collectives, 0, "");
    }
    return pf_findings_status(run->findings, &run->error);
}

/* ---- files of ranks (--tb), where there are several --------------------------------------------------------------
 *
 * A torch input says its rank, and what it holds is that rank's, whatever its pids are; in flex inputs ranks are the
 * pids of device events, and their hosts are 1000 higher. The original writes as many files as there are pids, hosts
 * being their ranks, and one less if there are several.
 */

/* The ranks of inputs that have events, and of device events: keys of `ranks`. */
static void find_ranks(aiu_run *run, pf_map *ranks)
{
    const aiu_events *v = &run->events;
    run->workers = pf_aiu_alloc(run, (size_t)run->ranks.count + 1, sizeof *run->workers);
    for (uint32_t i = 0; run->workers && i < run->ranks.count; i++) {
        run->workers[i] = AIU_ID_NONE;
    }
    for (uint32_t i = 0; i < run->alive && !pf_aiu_failed(run); i++) {
        uint32_t e = run->order[i];
        bool torch = v->flags[e] & AIU_TORCH;
        int64_t id = torch ? run->jobs[v->job[e]].rank : run->ranks.pid[v->rank[e]];
        if (torch && v->row[e] != PF_NONE) {
            run->workers[v->rank[e]] = id;
        }
        if ((torch || v->flags[e] & AIU_HAS_TS) && pf_aiu_is_number(id)) {
            pf_aiu_map(run, ranks, (uint64_t)id, 0);
        }
    }
}

/* The original takes one pid less than there are for that of the bandwidth of collectives, and counts from 0. */
static void write_workers(aiu_run *run)
{
    bool want = !pf_aiu_rule(run, AIU_OWN_FORMS);
    pf_str stem = stem_of(run), own = pf_str_of(pf_path_name(run->ctx->output));
    pf_map *found = pf_aiu_scratch_map(run);
    run->workers = NULL;
    if (want) {
        find_ranks(run, found);
    } else {
        pf_aiu_pids(run, true, found);
    }
    size_t n = 0, room = found->count + 1;
    int64_t *ranks = pf_aiu_alloc(run, 2 * room, sizeof *ranks);
    for (size_t i = 0; ranks && found->count && i <= found->mask; i++) {
        if (found->slots[i].value) {
            ranks[n] = want ? (int64_t)found->slots[i].key : (int64_t)n;
            n++;
        }
    }
    pf_sort_times(ranks, n, ranks + room);
    n -= !want && n > 1;
    if (n == 1) {
        pf_aiu_log(run, "WARNING", "TB_EXPORTER: Only 1 AIU is used, no distributed view");
    }
    for (size_t i = 0; n > 1 && i < n; i++) {
        const acelyzer_json_form form = {.trace_name = own, .one_rank = true, .rank = ranks[i]};
        pf_str name =
            pf_findings_format(run->findings, "%.*s_worker_%lld.pt.trace.json", PF_TEXT_ARG(stem), (long long)ranks[i]);
        add_file(run, name, pf_acelyzer_json(run, &form), PF_PLACE_BESIDE);
    }
}

/* The name of a stage of the list, among those that have its name. */
void pf_aiu_write_stage(aiu_run *run, const char *stage, unsigned number)
{
    if (run->ctx->output) {
        pf_str own = pf_str_of(pf_path_name(run->ctx->output));
        pf_str name = pf_findings_format(run->findings, "%.*s_%02u_%s", (int)own.len, own.ptr, number, stage);
        add_file(run, name, pf_acelyzer_json(run, &(acelyzer_json_form){.trace_name = name, .stage = true}),
                 PF_PLACE_BESIDE);
    }
}

/* The whole trace as JSON: at -o, or with --tb under that name with .pt.trace. */
static void write_json(aiu_run *run)
{
    pf_str stem = stem_of(run), own = pf_str_of(pf_path_name(run->ctx->output));
    bool renamed = tb_files(run) && (!pf_aiu_rule(run, AIU_OWN_FORMS) || pf_str_ends(own, PF_STR(".json")));
    pf_str name = renamed ? pf_findings_format(run->findings, "%.*s.pt.trace.json", PF_TEXT_ARG(stem)) : own;
    add_file(run, name, pf_acelyzer_json(run, &(acelyzer_json_form){.trace_name = own, .with_head = true}),
             pf_str_equal(name, own) ? PF_PLACE_OUTPUT : PF_PLACE_INSTEAD);
    if (tb_files(run)) {
        write_workers(run);
    }
}

/* Files of other forms. */
static void write_others(aiu_run *run)
{
    bool tb_alone = tb_files(run) && pf_aiu_rule(run, AIU_OWN_FORMS); /* whatever the name and the format say */
    if (!run->ctx->output) {
        return;
    }
    if (run->set.disable_file) { /* no file at all, but for those of workers, which the option does not mean */
        pf_findings_add_report(run->findings, &(pf_report){.form = PF_REPORT_BYTES, .place = PF_PLACE_INSTEAD});
        if (tb_alone) {
            write_workers(run);
        }
    } else if (!tb_alone && (output_ends(run, ".txt") || (run->set.format == AIU_FORMAT_PDDF && is_json(run)))) {
        add_file(run, pf_str_of(pf_path_name(run->ctx->output)), pf_acelyzer_pddf(run), PF_PLACE_OUTPUT);
    } else if (tb_alone || is_json(run)) {
        write_json(run);
    }
}

pf_status pf_aiu_write_files(aiu_run *run, aiu_report *report)
{
    bool refused = pf_aiu_rule(run, AIU_OWN_FORMS) && output_ends(run, ".pb");
    bool other = refused || output_ends(run, ".txt") || is_json(run);
    if (!run->ctx->output || run->set.disable_file || other) {
        if (report(run) == PF_OK) {
            write_others(run);
        }
        return run->error.code;
    }
    pf_aiu_drop_cycles(run);
    pf_trace *made = pf_aiu_enriched(run, report);
    if (made) { /* everything that is found, drawn into the trace */
        pf_findings_report_trace(run->findings, pf_str_of(pf_path_name(run->ctx->output)), made, PF_PLACE_OUTPUT);
    }
    return run->error.code;
}

void pf_aiu_show_log(aiu_run *run)
{
    bool want = !pf_aiu_rule(run, AIU_LOG_ALONE);
    const pf_option_value *given = &run->ctx->values[AIU_OPT_LOG_LEVEL];
    for (uint32_t i = 0; i < run->log.count; i++) {
        const aiu_log_line *l = &run->log.line[i];
        int64_t level = strcmp(l->level, "INFO") == 0 ? 2 : strcmp(l->level, "WARNING") == 0 ? 1 : 0;
        if (want && level == 1 && given->i >= 1) {
            pf_findings_show_line(run->findings, PF_NOTICE, "%.*s", PF_TEXT_ARG(l->text));
        } else if (level <= (want && !given->set ? 0 : given->i)) {
            bool raw = strcmp(l->level, "RAW") == 0;
            pf_findings_show_line(run->findings, PF_INFO, "%s%s%.*s", raw ? "" : l->level, raw ? "" : " ",
                                  PF_TEXT_ARG(l->text));
        }
    }
}
