/* analyze/aiu/outputs/aiu_file_names.c - what names of files begin with, and a file in the findings. */
#include <string.h>

#include "analyze/aiu/outputs/aiu_outputs.h"
#include "base/str.h"

static pf_str without_ending(pf_str name, pf_str ending)
{
    return pf_str_ends(name, ending) ? (pf_str){name.ptr, name.len - ending.len} : name;
}

pf_str pf_aiu_last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return pf_str_of(slash ? slash + 1 : path);
}

pf_str pf_aiu_stem(aiu_run *run)
{
    pf_str name = pf_aiu_last_part(run->ctx->output_stem ? run->ctx->output_stem : "processed_trace");
    return without_ending(without_ending(name, PF_STR(".json")), PF_STR(".pt.trace"));
}

void pf_aiu_add_file(aiu_run *run, pf_str file, const pf_text *text, pf_place place)
{
    if (text) {
        pf_findings_add_report(
            run->findings,
            &(pf_report){.file = file, .form = PF_REPORT_BYTES, .text = text, .place = place, .announced = true});
    }
}
