/* analyze/aiu/outputs/aiu_files.c - which files a run writes, and the lines of its log. */
#include <string.h>

#include "analyze/aiu/enriched/aiu_enriched.h"
#include "analyze/aiu/outputs/aiu_outputs.h"

static pf_str without_ending(pf_str name, const char *ending)
{
    return pf_aiu_ends_in(name, ending) ? (pf_str){name.ptr, name.len - strlen(ending)} : name;
}

pf_str pf_aiu_stem(aiu_run *run)
{
    const char *stem = run->ctx->output_stem ? run->ctx->output_stem : "processed_trace";
    const char *slash = strrchr(stem, '/');
    pf_str name = {slash ? slash + 1 : stem, strlen(slash ? slash + 1 : stem)};
    return without_ending(without_ending(name, ".json"), ".pt.trace");
}

static bool ends_in_one_of(const char *path, const char *const *endings, size_t count)
{
    for (size_t i = 0; path && i < count; i++) {
        if (pf_aiu_ends_in((pf_str){path, strlen(path)}, endings[i])) {
            return true;
        }
    }
    return false;
}

pf_str pf_aiu_last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    path = slash ? slash + 1 : path;
    return (pf_str){path, strlen(path)};
}

/* Files as TensorBoard wants them. */
static bool tb_files(const aiu_run *run)
{
    return run->set.tb && !run->set.disable_tb;
}

/* The whole trace as JSON: at -o, or with --tb under that name with .pt.trace. */
static pf_status write_json(aiu_run *run, pf_error *err)
{
    pf_str stem = pf_aiu_stem(run), own = pf_aiu_last_part(run->ctx->output);
    bool renamed = tb_files(run) && (run->set.compat == AIU_WANT || pf_aiu_ends_in(own, ".json"));
    pf_str name = renamed ? pf_findings_format(run->findings, "%.*s.pt.trace.json", (int)stem.len, stem.ptr) : own;
    pf_text *text = pf_aiu_json(run, &(aiu_json_form){.trace_name = own, .with_head = true}, err);
    if (!text) {
        return err->code;
    }
    bool elsewhere = name.len != own.len || memcmp(name.ptr, own.ptr, own.len) != 0;
    pf_findings_add_report(run->findings, &(pf_report){.file = name,
                                                       .form = PF_REPORT_BYTES,
                                                       .text = text,
                                                       .place = elsewhere ? PF_PLACE_INSTEAD : PF_PLACE_OUTPUT,
                                                       .announced = true});
    return PF_OK;
}

/* The name of a stage of the list, among those that have its name. */
pf_status pf_aiu_write_stage(aiu_run *run, const char *stage, unsigned number, pf_error *err)
{
    if (!run->ctx->output) {
        return PF_OK;
    }
    pf_str own = pf_aiu_last_part(run->ctx->output);
    pf_str name = pf_findings_format(run->findings, "%.*s_%02u_%s", (int)own.len, own.ptr, number, stage);
    pf_text *text = pf_aiu_json(run, &(aiu_json_form){.trace_name = name, .stage = true}, err);
    if (!text) {
        return err->code;
    }
    pf_findings_add_report(
        run->findings,
        &(pf_report){.file = name, .form = PF_REPORT_BYTES, .text = text, .place = PF_PLACE_BESIDE, .announced = true});
    return PF_OK;
}

/* Everything that is found, drawn into the trace. */
static pf_status write_enriched(aiu_run *run, aiu_report *report, pf_error *err)
{
    pf_aiu_drop_cycles(run);
    pf_trace *made = pf_aiu_enriched(run, report, err);
    if (!made) {
        return err->code;
    }
    pf_findings_report_trace(run->findings, pf_aiu_last_part(run->ctx->output), made, PF_PLACE_OUTPUT);
    return PF_OK;
}

static pf_status write_pddf(aiu_run *run, pf_error *err)
{
    pf_text *text = pf_aiu_pddf(run, err);
    if (!text) {
        return err->code;
    }
    pf_findings_add_report(run->findings, &(pf_report){.file = pf_aiu_last_part(run->ctx->output),
                                                       .form = PF_REPORT_BYTES,
                                                       .text = text,
                                                       .place = PF_PLACE_OUTPUT,
                                                       .announced = true});
    return PF_OK;
}

/* No file at all, where one was asked for. */
static void write_nothing(aiu_run *run)
{
    pf_findings_add_report(run->findings, &(pf_report){.form = PF_REPORT_BYTES, .place = PF_PLACE_INSTEAD});
}

/* Whether the trace is written as an enriched one. */
static bool is_enriched(const aiu_run *run)
{
    static const char *const others[] = {".txt", ".json", ".json.gz"}, *const protobuf[] = {".pb"};
    const char *out = run->ctx->output;
    bool refused = run->set.compat != AIU_WANT && ends_in_one_of(out, protobuf, 1);
    return out && !run->set.disable_file && !refused && !ends_in_one_of(out, others, 3);
}

/* Files of other forms. */
static pf_status write_others(aiu_run *run, pf_error *err)
{
    static const char *const json[] = {".json", ".json.gz"}, *const text[] = {".txt"};
    const char *out = run->ctx->output;
    if (out && run->set.disable_file) {
        bool workers = run->set.compat != AIU_WANT && tb_files(run); /* which the option does not mean */
        write_nothing(run);
        return workers ? pf_aiu_write_workers(run, err) : PF_OK;
    }
    bool trace = tb_files(run) && run->set.compat != AIU_WANT; /* whatever the name and the format say */
    if (!trace &&
        (ends_in_one_of(out, text, 1) || (run->set.format == AIU_FORMAT_PDDF && ends_in_one_of(out, json, 2)))) {
        return write_pddf(run, err);
    }
    if (!out || (!trace && !ends_in_one_of(out, json, 2))) {
        return PF_OK;
    }
    pf_status st = write_json(run, err);
    return st == PF_OK && tb_files(run) ? pf_aiu_write_workers(run, err) : st;
}

pf_status pf_aiu_write_files(aiu_run *run, aiu_report *report, pf_error *err)
{
    if (is_enriched(run)) {
        return write_enriched(run, report, err);
    }
    pf_status st = report(run, err);
    return st == PF_OK ? write_others(run, err) : st;
}

/* ---- the log ----------------------------------------------------------------------------------------------------- */

static int64_t level_of(const char *level)
{
    return strcmp(level, "INFO") == 0 ? 2 : strcmp(level, "WARNING") == 0 ? 1 : 0;
}

void pf_aiu_show_log(aiu_run *run)
{
    for (uint32_t i = 0; i < run->log.count; i++) {
        const aiu_log_line *l = &run->log.line[i];
        if (level_of(l->level) <= run->ctx->values[AIU_OPT_LOG_LEVEL].i) {
            bool raw = strcmp(l->level, "RAW") == 0;
            pf_findings_show_line(run->findings, PF_INFO, "%s%s%.*s", raw ? "" : l->level, raw ? "" : " ",
                                  (int)l->text.len, l->text.ptr);
        }
    }
}
