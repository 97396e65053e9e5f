/* cli/commands/cmd_hook.c - `postfetto hook`: what runs after a capture, without ever being the reason that a job
 * fails.
 *
 * Options are the keys of the configuration (cli/hook/config/hook_config.c) and two that only the command line has.
 * What they say is set after the configuration file was read, so that they win.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/common/command.h"
#include "cli/common/help.h"
#include "cli/hook/config/hook_thresholds.h"
#include "cli/hook/hook_run.h"
#include "cli/terminal/signals.h"
#include "cli/terminal/text.h"

typedef enum form { HOOK_FILES, HOOK_RUN, HOOK_WATCH } form;

/* What only the command line has. */
typedef struct own {
    const char *config;
    bool print;
} own;

static const pf_option own_options[] = {
    {.name = "config",
     .type = PF_OPTION_PATH,
     .offset = offsetof(own, config),
     .value = "FILE",
     .otherwise = "postfetto.yaml next to the trace or above it",
     .help = "read the configuration from this file"},
    {.name = "print-config",
     .type = PF_OPTION_FLAG,
     .offset = offsetof(own, print),
     .help = "print what comes of defaults, file and options, and end"},
};

typedef struct line {
    form form;
    own own;
    bool broken; /* the configuration file, which was found and not named */
    const char **operands;
    size_t operand_count;
    char **command;          /* what follows -- */
    pf_option_value *values; /* parallel to the keys */
    pf_hook_config set;
} line;

static int wrong(const char *format, ...) __attribute__((format(printf, 1, 2)));
static int wrong(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    fprintf(stderr, "postfetto: hook: ");
    vfprintf(stderr, format, args);
    fprintf(stderr, "\n");
    va_end(args);
    return PF_CLI_USAGE;
}

/* The options go through the parser of all commands; what they say is set when the configuration file has been read. */
static int parse(line *l, int argc, char **argv, bool *helped)
{
    pf_cli_parser parser = {.command = "hook", .operands = l->operands};
    pf_error err;
    pf_cli_parser_add(&parser, "Configuration", own_options, sizeof own_options / sizeof *own_options, &l->own);
    pf_cli_parser_add_values(&parser, "Options", pf_hook_keys(), pf_hook_key_count(), l->values);
    *helped = pf_cli_wants_help(argc, argv);
    if (*helped) {
        pf_buffer b = {0};
        pf_cli_run run = {0};
        pf_cli_help_command(&b, &pf_cli_hook, NULL, &parser);
        return pf_cli_put_buffer(&run, NULL, &b);
    }
    int code = pf_cli_parse(&parser, argc, argv, &err) == PF_OK ? PF_CLI_DONE : wrong("%s", err.text);
    l->operand_count = parser.operand_count;
    return code;
}

/* Sets what the options say over what the file said. */
static pf_status set_options(line *l, pf_error *err)
{
    for (size_t k = 0; k < pf_hook_key_count(); k++) {
        const pf_option *key = &pf_hook_keys()[k];
        const pf_option_value *v = &l->values[k];
        bool list = pf_option_is_list(key);
        for (size_t i = 0; v->set && i < (list ? v->count : 1); i++) {
            PF_TRY(pf_hook_config_set(&l->set, key, list ? &v->all[i] : v, true, err));
        }
    }
    return PF_OK;
}

/* ---- configuration ----------------------------------------------------------------------------------------------- */

/* Defaults, file and flags for work in `folder`. */
static int configure(line *l, const char *folder)
{
    pf_error err = {.offset = PF_NOWHERE, .packet = PF_NOWHERE};
    pf_buffer ignored = {0};
    pf_hook_config_free(&l->set);
    pf_hook_config_init(&l->set);
    l->set.file = l->own.config ? strdup(l->own.config) : pf_hook_config_find(folder, &ignored);
    if (ignored.len) {
        fprintf(stderr, "postfetto: %.*s\n", (int)ignored.len, ignored.data);
    }
    pf_buffer_free(&ignored);
    if (l->set.file) {
        /* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): pf_hook_config_free frees it */
        pf_status st = pf_hook_config_load(&l->set, l->set.file, &err);
        if (st != PF_OK) {
            fprintf(stderr, "postfetto: %s: %s\n", l->set.file, err.text);
            l->broken = !l->own.config;
            return PF_CLI_USAGE;
        }
    }
    bool good = set_options(l, &err) == PF_OK && pf_hook_thresholds_check(&l->set, &err) == PF_OK;
    return good ? PF_CLI_DONE : wrong("%s", err.text);
}

/* The folder of a trace, where its configuration is looked for. */
static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == path ? strdup("/") : slash ? strndup(path, (size_t)(slash - path)) : strdup(".");
}

/* ---- the forms --------------------------------------------------------------------------------------------------- */

static int hook_files(line *l)
{
    int worst = PF_CLI_DONE;
    pf_hook_captures met = {0};
    pf_hook_words paths = {0};
    for (size_t i = 0; i < l->operand_count; i++) {
        char *given = (char *)(uintptr_t)l->operands[i]; /* a word of the command line, which is ours to change */
        for (size_t len = strlen(given); len > 1 && given[len - 1] == '/'; len--) {
            given[len - 1] = '\0';
        }
        pf_hook_words_add(&paths, given);
    }
    for (size_t i = 0; i < paths.count && !pf_cli_signal_code(); i++) {
        char *folder = folder_of(paths.word[i]);
        int code = folder && !paths.failed ? configure(l, folder) : PF_CLI_LIMIT;
        free(folder);
        if (code != PF_CLI_DONE) {
            worst = code;
            break;
        }
        if (!pf_hook_process_ranks(&l->set, &met, paths.word[i], &paths, &code) &&
            pf_hook_matches(&l->set.match, paths.word[i])) {
            code = pf_hook_process(&l->set, paths.word[i], NULL, false);
        }
        code = code == PF_CLI_FINDING || l->set.strict ? code : PF_CLI_DONE;
        worst = worst > PF_CLI_FINDING || code == PF_CLI_DONE ? worst : code;
    }
    pf_hook_words_free(&paths);
    pf_hook_captures_free(&met);
    return worst;
}

static int hook_run(line *l)
{
    if (!l->command || !l->command[0]) {
        return wrong("no command is named; write postfetto hook run -- COMMAND ARGS...");
    }
    if (l->operand_count) {
        return wrong("'%s' stands before the command; write postfetto hook run [options] -- COMMAND ARGS...",
                     l->operands[0]);
    }
    if (l->broken) {
        fprintf(stderr, "postfetto: hook: the command runs, its traces are not processed\n");
    }
    return pf_hook_run_command(l->broken ? NULL : &l->set, l->command);
}

static int hook_watch(line *l)
{
    if (l->operand_count == 0) {
        return wrong("no folder is named; write postfetto hook watch DIR... [options]");
    }
    return pf_hook_watch(&l->set, l->operands, l->operand_count);
}

static int print_config(const line *l)
{
    pf_buffer b = {0};
    pf_cli_run run = {0};
    pf_hook_config_print(&l->set, &b);
    return pf_cli_put_buffer(&run, NULL, &b);
}

static int run_form(line *l)
{
    int code = PF_CLI_DONE;
    if (l->form != HOOK_FILES || l->own.print || l->operand_count == 0) {
        code = configure(l, l->form == HOOK_WATCH && l->operand_count ? l->operands[0] : ".");
    }
    if (code != PF_CLI_DONE && !(l->broken && l->form == HOOK_RUN && !l->own.print)) {
        return code;
    }
    if (l->own.print) {
        return print_config(l);
    }
    switch (l->form) {
    case HOOK_RUN:
        return hook_run(l);
    case HOOK_WATCH:
        return hook_watch(l);
    case HOOK_FILES:
        break;
    }
    return l->operand_count ? hook_files(l) : wrong("no trace is named; write postfetto hook TRACE...");
}

static int hook(int argc, char **argv)
{
    line l = {.form = HOOK_FILES};
    bool helped = false;
    if (argc > 0 && (strcmp(argv[0], "run") == 0 || strcmp(argv[0], "watch") == 0)) {
        l.form = argv[0][0] == 'r' ? HOOK_RUN : HOOK_WATCH;
        argv++;
        argc--;
    }
    for (int i = 0; l.form == HOOK_RUN && i < argc; i++) {
        if (strcmp(argv[i], "--") == 0) {
            l.command = argv + i + 1;
            argc = i;
        }
    }
    l.operands = calloc((size_t)argc + 1, sizeof *l.operands);
    l.values = calloc(pf_hook_key_count(), sizeof *l.values);
    int code = PF_CLI_LIMIT;
    pf_hook_config_init(&l.set);
    if (l.operands && l.values) {
        code = parse(&l, argc, argv, &helped);
        code = code == PF_CLI_DONE && !helped ? run_form(&l) : code;
        pf_options_release(l.values, pf_hook_key_count());
    }
    pf_hook_config_free(&l.set);
    free(l.values);
    free(l.operands);
    return code;
}

const pf_cli_command pf_cli_hook = {
    .name = "hook",
    .usage = "TRACE... [options] | run [options] -- COMMAND... | watch DIR... [options]",
    .summary = "analyse traces right after their capture, without ever failing the job",
    .examples = {"hook trace.json --pass 'aie --M 64 --K 64 --N 64 --row 2 --col 2 \\\n"
                 "      --warmup 1 --iterations 4'",
                 "hook run -- ./capture.sh"},
    .description =
        "Writes TRACE.report.json, TRACE.report.md, TRACE.enriched.pftrace and the reports of the passes "
        "(TRACE.reports/) "
        "next to each trace, each whole or not at all. A recording that is a folder (a run of Neutrino) is one trace, "
        "and so "
        "are AIU files whose names differ in the numbers after 'rank' and 'job' alone (outputs have N for them). "
        "What is up to date is skipped; one hook at a time works at a "
        "trace.\n"
        "'run' runs a capture with its own standard streams and signals, processes the traces that it left and returns "
        "its "
        "exit status. 'watch' processes traces as their writers close them.\n"
        "A trace that cannot be analysed is exit status 0, with the reason on standard error and in the report; "
        "--strict "
        "changes that. A true --fail-if is 1 ('run': with --strict only). Every option is also a key of the "
        "configuration file.",
    .run_words = hook,
};
