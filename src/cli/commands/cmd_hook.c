/* cli/commands/cmd_hook.c - `postfetto hook`: what runs after a capture, without ever being the reason that a job
 * fails.
 *
 * Options are the keys of the configuration (cli/hook/config/hook_config.c) and two that only the command line has.
 * What they say is set after the configuration file was read, so that they win.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/hook/hook.h"
#include "cli/pass/pass.h"

enum { HOOK_FILES, HOOK_RUN, HOOK_WATCH }; /* forms */

typedef struct hook_settings {
    pf_cli_settings common;
    const char *config;
    bool print;
    bool broken; /* the configuration file, which was found and not named */
    pf_hook_config made;
} hook_settings;

static const pf_option options[] = {
    {.name = "config",
     .type = PF_OPTION_PATH,
     .offset = offsetof(hook_settings, config),
     .value = "FILE",
     .otherwise = "postfetto.yaml next to the trace or above it",
     .help = "read the configuration from this file"},
    {.name = "print-config",
     .type = PF_OPTION_FLAG,
     .offset = offsetof(hook_settings, print),
     .help = "print what comes of defaults, file and options, and end"},
};

static hook_settings *own(pf_cli_run *run)
{
    return (hook_settings *)run->set;
}

/* Sets what the options say over what the file said, and checks what comes of both. */
static pf_status set_options(pf_cli_run *run)
{
    for (size_t k = 0; k < PF_HOOK_KEYS; k++) {
        const pf_option *key = &pf_hook_keys[k];
        const pf_option_value *v = &run->values[k];
        bool list = pf_option_is_list(key);
        for (size_t i = 0; v->set && i < (list ? v->count : 1); i++) {
            PF_TRY(pf_hook_config_set(&own(run)->made, key, list ? &v->all[i] : v, i == 0, &run->err));
        }
    }
    return pf_hook_thresholds_check(&own(run)->made, &run->err);
}

/* Defaults, file and flags for work in `folder`. */
static pf_status configure(pf_cli_run *run, const char *folder)
{
    hook_settings *set = own(run);
    pf_buffer ignored = {0};
    pf_hook_config_free(&set->made);
    pf_hook_config_init(&set->made);
    set->made.file = set->config ? strdup(set->config) : pf_hook_config_find(folder, &ignored);
    if (ignored.len) {
        fprintf(stderr, "postfetto: %.*s\n", (int)ignored.len, ignored.data);
    }
    pf_buffer_free(&ignored);
    if (set->made.file) {
        /* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): pf_hook_config_free frees it */
        if (pf_hook_config_load(&set->made, set->made.file, &run->err) != PF_OK) {
            run->err.code = PF_ERR_USAGE;
            set->broken = !set->config;
            return pf_cli_report(run, set->made.file, &run->err);
        }
    }
    return set_options(run) == PF_OK ? PF_OK : pf_cli_usage(run, "%s", run->err.text);
}

static pf_status hook_files(pf_cli_run *run)
{
    const hook_settings *set = own(run);
    pf_status st = PF_OK;
    pf_hook_words paths = {0}, met[2] = {0};
    for (size_t i = 0; i < run->operand_count; i++) {
        char *given = (char *)(uintptr_t)run->operands[i]; /* a word of the command line, which is ours to change */
        for (size_t len = strlen(given); len > 1 && given[len - 1] == '/'; len--) {
            given[len - 1] = '\0';
        }
        pf_hook_words_add(&paths, given);
    }
    for (size_t i = 0; i < paths.count && !pf_cli_signal_code(); i++) {
        int code = PF_CLI_DONE;
        char *folder = pf_cli_folder_of(paths.word[i]); /* where its configuration is looked for */
        st = folder && !paths.failed ? configure(run, folder) : pf_no_memory(&run->err);
        free(folder);
        if (st != PF_OK) {
            break;
        }
        if (!pf_hook_process_ranks(&set->made, met, paths.word[i], &paths, false, &code) &&
            pf_hook_matches(&set->made.match, paths.word[i])) {
            code = pf_hook_process(&set->made, paths.word[i], NULL, false);
        }
        code = code == PF_CLI_FINDING || set->made.strict ? code : PF_CLI_DONE;
        run->code = run->code > PF_CLI_FINDING || code == PF_CLI_DONE ? run->code : code;
    }
    pf_hook_words_free(&paths);
    pf_hook_words_free(&met[false]);
    pf_hook_words_free(&met[true]);
    return st;
}

/* What follows -- is the command. */
static pf_status hook_run(pf_cli_run *run)
{
    const hook_settings *set = own(run);
    char *const *command = (char *const *)(uintptr_t)(run->operands + run->before_dashes);
    if (run->before_dashes == run->operand_count) {
        return pf_cli_usage(run, "no command is named; write postfetto hook run -- COMMAND ARGS...");
    }
    if (run->before_dashes) {
        return pf_cli_usage(run,
                            "'%s' stands before the command; write postfetto hook run [options] -- COMMAND ARGS...",
                            run->operands[0]);
    }
    if (set->broken) {
        fprintf(stderr, "postfetto: hook: the command runs, its traces are not processed\n");
    }
    run->code = pf_hook_run_command(set->broken ? NULL : &set->made, command);
    return PF_OK;
}

static pf_status hook_watch(pf_cli_run *run)
{
    if (run->operand_count == 0) {
        return pf_cli_usage(run, "no folder is named; write postfetto hook watch DIR... [options]");
    }
    run->code = pf_hook_watch(&own(run)->made, run->operands, run->operand_count);
    return PF_OK;
}

static pf_status run_form(pf_cli_run *run)
{
    const hook_settings *set = own(run);
    size_t named = run->form == HOOK_RUN ? run->before_dashes : run->operand_count;
    if (run->form != HOOK_FILES || set->print || named == 0) {
        pf_status st = configure(run, run->form == HOOK_WATCH && named ? run->operands[0] : ".");
        if (st != PF_OK && !(set->broken && run->form == HOOK_RUN && !set->print)) {
            return st;
        }
    }
    if (set->print) {
        pf_buffer b = {0};
        pf_hook_config_print(&set->made, &b);
        return pf_cli_put_buffer(run, NULL, &b);
    }
    if (run->form != HOOK_FILES) {
        return run->form == HOOK_RUN ? hook_run(run) : hook_watch(run);
    }
    return named ? hook_files(run) : pf_cli_usage(run, "no trace is named; write postfetto hook TRACE...");
}

static pf_status hook(pf_cli_run *run)
{
    pf_status st = run_form(run);
    pf_hook_config_free(&own(run)->made);
    return st;
}

const pf_cli_command pf_cli_hook = {
    .name = "hook",
    .usage = "TRACE... [options] | run [options] -- COMMAND... | watch DIR... [options]",
    .summary = "analyse traces right after their capture, without ever failing the job",
    .examples = {"hook trace.json --pass 'aie --M 64 --K 64 --N 64 --row 2 --col 2 \\\n"
                 "      --warmup 1 --iterations 4'",
                 "hook run -- ./capture.sh"},
    .description =
        "Writes TRACE.report.html, TRACE.report.json, TRACE.report.md, TRACE.enriched.pftrace and the reports of the "
        "passes "
        "(TRACE.reports/) "
        "next to each trace, each whole or not at all. A recording that is a folder (a run of Neutrino) is one trace, "
        "and so "
        "are the files of one run whose names differ in the number after 'rank' alone, as the torch profiler's of "
        "several GPUs (AIU: in that after 'job', too; outputs have N for them). "
        "What is up to date is skipped; one hook at a time works at a "
        "trace.\n"
        "'run' runs a capture with its own standard streams and signals, processes the traces that it left and returns "
        "its "
        "exit status. 'watch' processes traces as their writers close them.\n"
        "A trace that cannot be analysed is exit status 0, with the reason on standard error and in the report; "
        "--strict "
        "changes that. A true --fail-if is 1 ('run': with --strict only). Every option is also a key of the "
        "configuration file.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .settings_size = sizeof(hook_settings),
    .keys = pf_hook_keys,
    .key_count = PF_HOOK_KEYS,
    .forms = {"run", "watch"},
    .run = hook,
};
