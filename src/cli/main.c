/* cli/main.c - the command table.
 *
 * A command is a row: its help texts, its options, and a function that gets the parsed settings. main finds the row,
 * parses, shows help, runs, prints the line of --stats, and turns a signal that came meanwhile into the exit code.
 */
#include <fcntl.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/budget.h"
#include "cli/common/command.h"
#include "cli/query/line_editor.h"

static const pf_cli_command *const commands[] = {
    &pf_cli_info,   &pf_cli_check,         &pf_cli_query,   &pf_cli_convert,     &pf_cli_cut,
    &pf_cli_merge,  &pf_cli_split,         &pf_cli_analyze, &pf_cli_hook,        &pf_cli_open,
    &pf_cli_server, &pf_cli_merge_reports, &pf_cli_compare, &pf_cli_compare_ops,
};

#define COMMAND_COUNT (sizeof commands / sizeof *commands - 1) /* without the one of two words */

/* The command that the first words name: two where its name has two ("compare ops"), else one. *words: how many. */
static const pf_cli_command *find_command(int argc, char **argv, int *words)
{
    char both[64];
    for (*words = argc > 1 ? 2 : 1; *words > 0; --*words) {
        snprintf(both, sizeof both, "%s%s%s", argv[0], *words == 2 ? " " : "", *words == 2 ? argv[1] : "");
        for (size_t i = 0; i <= COMMAND_COUNT; i++) {
            if (strcmp(commands[i]->name, both) == 0) {
                return commands[i];
            }
        }
    }
    return NULL;
}

/* Whether the words are those by which Perfetto's older clients start a server: -D or --httpd is among them. */
static bool is_classic_server(int argc, char **argv)
{
    for (int i = 0; i < argc; i++) {
        if (strcmp(argv[i], "-D") == 0 || strcmp(argv[i], "--httpd") == 0) {
            return true;
        }
    }
    return false;
}

static int unknown_command(const char *name)
{
    pf_cli_suggest s = pf_cli_suggest_start(name);
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        pf_cli_suggest_offer(&s, commands[i]->name);
    }
    if (name[0] == '-') {
        fprintf(stderr, "postfetto: '%s' stands where a command is expected; write postfetto COMMAND [options]\n",
                name);
    } else if (s.best) {
        fprintf(stderr, "postfetto: unknown command '%s'; did you mean '%s'?\n", name, s.best);
    } else {
        fprintf(stderr, "postfetto: unknown command '%s'; 'postfetto --help' lists the commands\n", name);
    }
    return PF_CLI_USAGE;
}

static pf_status unknown_pass(pf_cli_run *run, const char *name)
{
    pf_cli_suggest s = pf_cli_suggest_start(name);
    for (size_t i = 0; i < pf_pass_count(); i++) {
        pf_cli_suggest_offer(&s, pf_pass_at(i)->name);
    }
    return s.best ? pf_cli_usage(run, "unknown pass '%s'; did you mean '%s'?", name, s.best)
                  : pf_cli_usage(run, "unknown pass '%s'; 'postfetto analyze --list' shows the passes", name);
}

/* Options whose values stay with the run. */
static pf_status add_values(pf_cli_run *run, pf_cli_parser *parser, const char *title, const pf_option *options,
                            size_t count)
{
    run->values = calloc(count + 1, sizeof *run->values);
    PF_TRY(run->values ? PF_OK : pf_no_memory(&run->err));
    pf_option_defaults(options, count, run->values);
    pf_cli_parser_add_values(parser, title, options, count, run->values);
    return PF_OK;
}

/* The pass must be known before its options can be parsed. */
static pf_status find_pass(pf_cli_run *run, pf_cli_parser *parser, int argc, char **argv)
{
    int at = pf_cli_first_operand(parser, argc, argv);
    if (at == argc) {
        return PF_OK;
    }
    run->pass = pf_pass_find(argv[at]);
    if (!run->pass) {
        return unknown_pass(run, argv[at]);
    }
    snprintf(run->pass_title, sizeof run->pass_title, "Options of %s", run->pass->name);
    return add_values(run, parser, run->pass_title, run->pass->options, run->pass->option_count);
}

static pf_status add_named_pass(pf_cli_run *run, pf_cli_parser *parser, const char *name)
{
    pf_cli_named_pass *n = &run->named[run->named_count];
    n->pass = pf_pass_find(name);
    for (size_t i = 0; i < run->named_count; i++) {
        if (run->named[i].pass == n->pass) {
            return PF_OK;
        }
    }
    if (!n->pass) {
        return unknown_pass(run, name);
    }
    n->values = calloc(n->pass->option_count + 1, sizeof *n->values);
    PF_TRY(n->values ? PF_OK : pf_no_memory(&run->err));
    run->named_count++;
    pf_pass_defaults(n->pass, n->values);
    snprintf(n->title, sizeof n->title, "Options of %s", n->pass->name);
    pf_cli_parser_add_yielding(parser, n->title, n->pass->options, n->pass->option_count, n->values);
    return PF_OK;
}

/* The passes of --pass, which like find_pass must be known before. */
static pf_status find_named_passes(pf_cli_run *run, pf_cli_parser *parser, int argc, char **argv)
{
    static const char OPTION[] = "--pass";
    const size_t len = sizeof OPTION - 1;
    run->named = calloc((size_t)argc + 1, sizeof *run->named);
    PF_TRY(run->named ? PF_OK : pf_no_memory(&run->err));
    for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strcmp(argv[i], OPTION) == 0 && i + 1 < argc) {
            PF_TRY(add_named_pass(run, parser, argv[++i]));
        } else if (strncmp(argv[i], OPTION, len) == 0 && argv[i][len] == '=') {
            PF_TRY(add_named_pass(run, parser, argv[i] + len + 1));
        }
    }
    return PF_OK;
}

static pf_status add_options(pf_cli_run *run, pf_cli_parser *parser, int argc, char **argv)
{
    const pf_cli_command *c = run->command;
    if (c->keys) {
        pf_cli_parser_add(parser, "Configuration", c->options, c->option_count, run->set);
        return add_values(run, parser, "Options", c->keys, c->key_count);
    }
    if (c->pass) {
        run->pass = c->pass;
        PF_TRY(add_values(run, parser, "Options", c->pass->options, c->pass->option_count));
    }
    pf_cli_parser_add(parser, c->pass ? NULL : "Options", c->options, c->option_count, run->set);
    pf_cli_add_common(parser, c, run->set);
    pf_cli_parser_add_readers(parser, pf_reader_at);
    PF_TRY(c->has_pass       ? find_pass(run, parser, argc, argv)
           : c->names_passes ? find_named_passes(run, parser, argc, argv)
                             : PF_OK);
    pf_cli_add_pictures(parser, c, run->pass, run->set);
    return PF_OK;
}

/* A command that is a pass has --output and --report among the options of the pass. */
static const char *path_option(const pf_cli_run *run, const char *name)
{
    return run->values[pf_options_find(run->pass->options, run->pass->option_count, name, strlen(name))].s.ptr;
}

/* A pass with an option --format of its own has the forms of standard output among its choices. */
static const char *format_of_pass(const pf_cli_run *run)
{
    const pf_pass *p = run->command->has_format ? run->pass : NULL;
    size_t i = p ? pf_options_find(p->options, p->option_count, "format", strlen("format")) : 0;
    const char *said = p && i < p->option_count ? run->values[i].s.ptr : NULL;
    bool form = said && (strcmp(said, "table") == 0 || strcmp(said, "csv") == 0 || strcmp(said, "markdown") == 0);
    return form ? said : NULL;
}

/* Takes the options, or shows the help. */
static pf_status parse(pf_cli_run *run, pf_cli_parser *parser, int argc, char **argv, bool *helped)
{
    const pf_cli_command *c = run->command;
    PF_TRY(add_options(run, parser, argc, argv));
    PF_TRY(pf_cli_parser_check(parser, &run->err));
    *helped = pf_cli_wants_help(argc, argv);
    if (*helped) {
        pf_buffer b = {0};
        pf_cli_help_command(&b, c, c->pass ? NULL : run->pass, parser);
        return pf_cli_put_buffer(run, NULL, &b);
    }
    PF_TRY(pf_cli_usage_of(run, pf_cli_parse(parser, argc, argv, &run->err)));
    run->set->limits.depth = (uint32_t)run->set->depth;
    run->set->limits.keys = (uint32_t)run->set->keys;
    if (c->pass) {
        run->set->out = path_option(run, "output");
        run->set->report = path_option(run, "report");
    }
    run->set->format = run->set->format ? run->set->format : format_of_pass(run);
    run->operand_count = parser->operand_count;
    run->before_dashes = parser->before_dashes;
    run->setting_count = parser->setting_count;
    return PF_OK;
}

/* Parses and runs; run and parser are released by the caller. */
static int run_command(pf_cli_run *run, pf_cli_parser *parser, int argc, char **argv)
{
    bool helped = false;
    pf_status st = parse(run, parser, argc, argv, &helped);
    if (st != PF_OK || helped) {
        return pf_cli_end(run, st);
    }
    int code = pf_cli_end(run, run->command->run(run));
    if (run->set->stats) {
        pf_cli_print_stats(run);
    }
    return code;
}

static int run_named(const pf_cli_command *command, size_t form, int argc, char **argv)
{
    pf_cli_run run = {.command = command,
                      .words = argv,
                      .word_count = (size_t)argc,
                      .form = form,
                      .started = pf_cli_now(),
                      .err = {.offset = PF_NOWHERE, .packet = PF_NOWHERE}};
    run.set = calloc(1, command->settings_size ? command->settings_size : sizeof *run.set);
    run.operands = calloc((size_t)argc + 1, sizeof *run.operands);
    run.settings = calloc((size_t)argc + 1, sizeof *run.settings);
    pf_cli_parser parser = {.command = command->name, .operands = run.operands, .settings = run.settings};
    int code;
    if (run.set && run.operands && run.settings) {
        const pf_limits limits = pf_limits_default();
        run.set->limits = limits;
        run.set->rows = 10;
        run.set->depth = limits.depth;
        run.set->keys = limits.keys;
        run.set->jobs = sysconf(_SC_NPROCESSORS_ONLN) == 1 ? 1 : 2;
        code = run_command(&run, &parser, argc, argv);
    } else {
        code = pf_cli_end(&run, pf_no_memory(&run.err));
    }
    pf_findings_free(run.findings);
    pf_trace_free(run.trace);
    pf_cli_parser_release(&parser);
    for (size_t i = 0; i < run.named_count; i++) {
        pf_findings_free(run.named[i].findings);
        free(run.named[i].values);
    }
    free(run.named);
    free(run.values);
    free(run.stages);
    free(run.settings);
    free(run.operands);
    free(run.set);
    return pf_cli_signal_code() && !command->keys ? pf_cli_signal_code() : code;
}

static int put_text(pf_buffer *b)
{
    pf_cli_run run = {0};
    return pf_cli_end(&run, pf_cli_put_buffer(&run, NULL, b));
}

static void put_version(pf_buffer *b, bool json)
{
    if (!json) {
        pf_buffer_format(b, "postfetto %s\nfeatures: %s" PF_CLI_FEATURES "\n", pf_version(), pf_features());
        return;
    }
    pf_buffer_format(b, "{\n  \"schema_version\": 1,\n  \"version\": \"%s\",\n  \"features\": [", pf_version());
    char all[128];
    snprintf(all, sizeof all, "%s" PF_CLI_FEATURES, pf_features());
    for (const char *at = all, *comma = ""; *at; comma = ", ") {
        size_t len = strcspn(at, " ");
        pf_buffer_format(b, "%s\"%.*s\"", comma, (int)len, at);
        at += len + strspn(at + len, " ");
    }
    pf_buffer_text(b, "]\n}\n");
}

/* A standard stream that the caller closed would give its number to the next file that is opened, and messages would
 * end up in an output. It is replaced by one that refuses reads or writes. */
static void fill_closed_streams(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd) {
            _exit(PF_CLI_OUTPUT);
        }
    }
}

/* glibc reserves 64 MiB of address space for every further thread that allocates, even where `ulimit -v` leaves little
 * more than that. Our threads allocate rarely: one arena is enough for all of them. */
static void keep_one_arena(void)
{
#ifdef M_ARENA_MAX
    (void)mallopt(M_ARENA_MAX, 1);
#endif
}

int main(int argc, char **argv)
{
    keep_one_arena();
    fill_closed_streams();
    pf_cli_signals_install();
    pf_buffer b = {0};
    if (argc < 2) {
        pf_cli_help_all(&b, commands, COMMAND_COUNT, true);
        fwrite(b.data ? b.data : "", 1, b.len, stderr);
        pf_buffer_free(&b);
        return PF_CLI_USAGE;
    }
    const char *word = argv[1];
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || (strcmp(word, "help") == 0 && argc == 2)) {
        pf_cli_help_all(&b, commands, COMMAND_COUNT, false);
        return put_text(&b);
    }
    if (strcmp(word, "--version") == 0) {
        put_version(&b, argc > 2 && strcmp(argv[2], "--json") == 0);
        return put_text(&b);
    }
    bool help = strcmp(word, "help") == 0;
    char help_option[] = "--help";
    int words;
    const pf_cli_command *command = find_command(argc - 1 - help, argv + 1 + help, &words);
    if (!command && is_classic_server(argc - 1, argv + 1)) {
        return run_named(&pf_cli_server, 0, argc - 1, argv + 1);
    }
    if (!command) {
        return unknown_command(help ? argv[2] : word);
    }
    if (help) {
        argv[words + 1] = help_option;
        return run_named(command, 0, 1, argv + words + 1);
    }
    size_t form = 0;
    for (size_t i = 0; i < 2 && words + 1 < argc; i++) {
        form = command->forms[i] && strcmp(argv[words + 1], command->forms[i]) == 0 ? i + 1 : form;
    }
    words += form > 0;
    return run_named(command, form, argc - words - 1, argv + words + 1);
}
