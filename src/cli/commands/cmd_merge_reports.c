/* cli/commands/cmd_merge_reports.c - `postfetto merge-reports A.pfr B.pfr... -o DIR`: partials as one report
 * (analyze/aiu/partial, analyze/gpu/partial, analyze/neutrino/partial). */
#include <string.h>

#include "analyze/pass/passes.h"
#include "cli/pass/pass.h"

static const pf_option options[] = {
    {"json", 0, PF_OPTION_FLAG, offsetof(pf_cli_settings, json), NULL, NULL, NULL,
     "the summary as JSON on standard output instead of the [write] lines"},
};

static pf_status merge_reports(pf_cli_run *run)
{
    if (run->operand_count == 0) {
        return pf_cli_usage(run, "no partial is named; write postfetto merge-reports FILE.pfr... -o DIR");
    }
    if (run->set->report && pf_cli_ends(run->set->report, strlen(run->set->report), ".pfr")) {
        PF_TRY(pf_cli_partial(run) ? pf_cli_usage(run, "-o and --partial both name a partial; give one") : PF_OK);
        pf_cli_set_partial(run->pass, run->values, run->set->report);
        run->set->report = NULL;
    }
    run->pass = pf_merge_pass(run->operands, run->operand_count); /* all have the same options */
    return pf_cli_run_pass(run, run->operands, run->operand_count);
}

const pf_cli_command pf_cli_merge_reports = {
    .name = "merge-reports",
    .usage = "FILE.pfr... [-o DIR] [options]",
    .summary = "finish what 'analyze PASS --partial' began for each of many inputs",
    .examples = {"merge-reports rank*.pfr -o report --html page.html",
                 "merge-reports rank0.pfr rank1.pfr --partial node.pfr"},
    .description =
        "'postfetto analyze PASS --partial OUT.pfr FILE...' writes what its inputs contribute to a run over more of "
        "them (aiu, gpu, neutrino). Merged they give what 'analyze PASS' says of all inputs at once, in the order of "
        "their paths, byte for byte: the same text, documents and tables, in whatever order and groups the partials "
        "come. Partials of another version of postfetto, or with other options, are refused. There is no enriched "
        "trace, and on the page "
        "no memory over time: those need the traces.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .has_tables = true,
    .has_format = true,
    .has_page = true,
    .has_thresholds = false,
    .pass = &pf_pass_gpu_merge,
    .run = merge_reports,
};
