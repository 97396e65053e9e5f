/* analyze/aiu/outputs/aiu_files.c - which files a run writes, and the lines of its log. */
#include <string.h>

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

static pf_str last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    path = slash ? slash + 1 : path;
    return (pf_str){path, strlen(path)};
}

/* The whole trace as JSON: at -o, or with --tb under that name with .pt.trace. */
static pf_status write_json(aiu_run *run, pf_error *err)
{
    pf_str stem = pf_aiu_stem(run), own = last_part(run->ctx->output);
    pf_str name = run->set.tb ? pf_findings_format(run->findings, "%.*s.pt.trace.json", (int)stem.len, stem.ptr) : own;
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

pf_status pf_aiu_write_files(aiu_run *run, pf_error *err)
{
    static const char *const json[] = {".json", ".json.gz"};
    const char *out = run->ctx->output;
    if (!out || run->set.disable_file) {
        return PF_OK;
    }
    return ends_in_one_of(out, json, 2) ? write_json(run, err) : PF_OK;
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
