/* cli/commands/cmd_compare.c - `postfetto compare A B` and `compare ops`: passes (analyze/compare, analyze/opcmp) as
 * commands of their own. */
#include "analyze/pass/passes.h"
#include "cli/pass/pass.h"

static const pf_option options[] = {
    {"json", 0, PF_OPTION_FLAG, offsetof(pf_cli_settings, json), NULL, NULL, NULL, "the same as --format json"},
};

static pf_status compare(pf_cli_run *run)
{
    PF_TRY(run->command == &pf_cli_compare && run->set->out ? pf_cli_check_ending(run) : PF_OK);
    return pf_cli_run_pass(run, run->operands, run->operand_count);
}

const pf_cli_command pf_cli_compare = {
    .name = "compare",
    .usage = "A B [options]",
    .summary = "say what got slower or faster from one run to another; 'compare ops' compares operators of a model",
    .examples = {"compare before.json after.json -o marked.pftrace",
                 "compare --base 'main_*.json' --new 'branch_*.json' --by stream --format markdown"},
    .description =
        "Slices of one name are a row, on the host and on devices two. Its ratio is the new total time over the "
        "base's; "
        "where a side has several files, of their means. Whether a row is slower is said by a bootstrap: 1000 seeded "
        "resamples of calls (of iterations where both runs have three or more, of files where both sides have) give an "
        "interval that holds the ratio in 99 of 100 cases, widened where there are few of them.\n"
        "slower: the whole interval is above the tolerance; faster: below it; same: within it; unsure: anything else, "
        "also where there are fewer than three samples and a difference. Of GPU traces there are three verdicts more: "
        "device (busy time per step), step (median period), host (self times of host slices). The verdict of the "
        "whole is the worst of --gate (slower, unsure, same, faster); it is exit code 1 if slower. Files that say to "
        "be different ranks are one run. Without --format standard output gets the table.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .has_thresholds = true,
    .has_tables = true,
    .has_format = true,
    .answers = true,
    .has_page = true,
    .pass = &pf_pass_compare,
    .run = compare,
};

const pf_cli_command pf_cli_compare_ops = {
    .name = "compare ops",
    .usage = "[options]",
    .summary = "compare what a performance model predicts with what a device measured, by kernel type",
    .examples = {"compare ops --trace-dir traces --data-dir data",
                 "compare ops --scenario decode,model.json,kernel_details.csv,3 --mapping op_mapping.yaml --unnested"},
    .description =
        "TRACE is what the model wrote: complete events of the process whose name says profiling or "
        "empirical. CSV is the list of kernels of the Ascend profiler (kernel_details.csv). Without "
        "--scenario four scenarios with fixed names are compared; those whose files are not there are "
        "skipped. A file or pipe gets the table of op-comparison, which this command replaces; on a terminal a "
        "sentence and tables as wide as it is are shown in its place, as with --format.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .has_tables = true,
    .has_format = true,
    .has_page = true,
    .text_of_its_own = true,
    .pass = &pf_pass_opcmp,
    .run = compare,
};
