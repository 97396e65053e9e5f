/* cli/commands/cmd_server.c - `postfetto server http`: SQL for programs that know Perfetto's trace processor.
 *
 * Perfetto's own program has the same command and an older spelling, which its Python package uses: `-D --http-port N`.
 * Both are taken, with all that the older one knows; what means nothing here is taken without a word.
 */
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "cli/common/command.h"
#include "cli/common/package_options.h"
#include "cli/http/http.h"
#include "cli/server/server.h"

typedef struct server_settings {
    pf_cli_settings common;
    int64_t port, query_timeout;
    const char *address, *origins, *idle, *idle_start, *ignored;
    bool classic, file_access, none;
    pf_cli_packages packages;
} server_settings;

#define AT(member) offsetof(server_settings, member)
#define WITHOUT_EFFECT(name)                                                                                           \
    {                                                                                                                  \
        name, 0, PF_OPTION_FLAG, AT(none), NULL, NULL, NULL, "without effect", .traits = PF_OPTION_HIDDEN              \
    }
#define WITHOUT_EFFECT_VALUE(name, letter)                                                                             \
    {                                                                                                                  \
        name, letter, PF_OPTION_TEXT, AT(ignored), NULL, NULL, NULL, "without effect", .traits = PF_OPTION_HIDDEN      \
    }
static const pf_option options[] = {
    {"port", 0, PF_OPTION_INT, AT(port), "N", NULL, NULL, "serve on this port; 0: one that is free", "9001",
     .also = "http-port"},
    {"ip-address", 0, PF_OPTION_TEXT, AT(address), "IP", NULL, NULL,
     "serve on this address; any other than this machine's own lets other machines ask", "localhost",
     .also = "http-ip-address"},
    {"additional-cors-origins", 0, PF_OPTION_TEXT, AT(origins), "A,B", NULL, "Perfetto's own",
     "let pages of these origins ask, too", .also = "http-additional-cors-origins"},
    PF_CLI_PACKAGE_OPTIONS(server_settings, packages),
    {"query-timeout", 0, PF_OPTION_DURATION, AT(query_timeout), "TIME", NULL, NULL,
     "end a query that takes longer: 30s, 5m; 0: none", "1h", .within = "0.."},
    {"idle-timeout", 0, PF_OPTION_TEXT, AT(idle), "TIME", NULL, NULL,
     "end after so long without a request; never; auto: when the program that started it with -D is gone", "auto"},
    {"idle-start", 0, PF_OPTION_CHOICE, AT(idle_start), NULL, "auto|orphaned|last-query", NULL, "when that time begins",
     "auto"},
    {"httpd", 'D', PF_OPTION_FLAG, AT(classic), NULL, NULL, NULL, "the older spelling", .traits = PF_OPTION_HIDDEN},
    {"allow-sql-file-access", 0, PF_OPTION_FLAG, AT(file_access), NULL, NULL, NULL, "refused",
     .traits = PF_OPTION_HIDDEN},
    WITHOUT_EFFECT("full-sort"),
    WITHOUT_EFFECT("no-ftrace-raw"),
    WITHOUT_EFFECT("dev"),
    WITHOUT_EFFECT("extra-checks"),
    WITHOUT_EFFECT("analyze-trace-proto-content"),
    WITHOUT_EFFECT("crop-track-events"),
    WITHOUT_EFFECT_VALUE("dev-flag", 0),
    WITHOUT_EFFECT_VALUE("register-files-dir", 0),
    WITHOUT_EFFECT_VALUE("metric-extension", 0),
    WITHOUT_EFFECT_VALUE("metatrace", 'm'),
    WITHOUT_EFFECT_VALUE("metatrace-buffer-capacity", 0),
    WITHOUT_EFFECT_VALUE("metatrace-categories", 0),
};

static const server_settings *own(const pf_cli_run *run)
{
    return (const server_settings *)run->set;
}

static void warn_of_sql(void *ctx, const char *text)
{
    pf_cli_note(ctx, "server", "warning: %s", text);
}

static pf_status add_packages(void *ctx, pf_query *q, pf_error *err)
{
    return pf_cli_add_packages(&own(ctx)->packages, q, err);
}

static bool is_loopback(const char *address)
{
    return strcmp(address, "localhost") == 0 || strncmp(address, "127.", 4) == 0 || strcmp(address, "::1") == 0;
}

/* Whether nobody can ask it to stop but who started it, as a client starts it: standard input is the null device. */
static bool has_no_input(void)
{
    struct stat sb;
    return fstat(STDIN_FILENO, &sb) == 0 && S_ISCHR(sb.st_mode) && sb.st_rdev == makedev(1, 3);
}

static pf_status set_idle(pf_cli_run *run, pf_server *s)
{
    const server_settings *set = own(run);
    const pf_option seconds = {.name = "idle-timeout", .type = PF_OPTION_DURATION};
    pf_option_value v = {.i = 0};
    s->idle_as_orphan = strcmp(set->idle_start, "orphaned") == 0;
    s->ends_as_orphan = strcmp(set->idle, "auto") == 0 && set->classic && has_no_input();
    if (strcmp(set->idle, "auto") != 0 && strcmp(set->idle, "never") != 0) {
        PF_TRY(pf_cli_usage_of(run, pf_option_parse(&seconds, set->idle, &v, &run->err)));
    }
    s->idle_seconds = (double)v.i / 1e9;
    return PF_OK;
}

static pf_status serve(pf_cli_run *run, pf_server *s, int *listener)
{
    const char *file = run->operand_count ? run->operands[0] : NULL;
    int64_t port = own(run)->port;
    run->at = NULL;
    PF_TRY(
        pf_cli_usage_of(run, pf_http_listen(s->address, &port, "choose another one with --port", listener, &run->err)));
    run->at = file;
    PF_TRY(pf_rpc_open(&s->rpc, file, &run->err));
    if (file) {
        pf_cli_progress_clear(&run->progress);
        pf_cli_warn_of_damage(run, s->rpc.trace);
    }
    s->rpc.read.progress = NULL; /* of what clients send */
    run->at = NULL;
    pf_cli_note(run, "server", "serves on %s, port %lld", s->address, (long long)port);
    pf_cli_signals_hold(true);
    pf_status st = pf_server_run(s, *listener, &run->err);
    pf_cli_signals_hold(false);
    *listener = -1;
    return st;
}

static pf_status run_server(pf_cli_run *run)
{
    const server_settings *set = own(run);
    if (run->form == 0 && !set->classic) {
        return pf_cli_usage(run, "takes the word http; write postfetto server http [FILE]");
    }
    if (run->operand_count > 1) {
        return pf_cli_usage(run, "takes one trace at most, not %zu", run->operand_count);
    }
    PF_TRY(pf_cli_check_reading(run));
    pf_server s = {
        .rpc = {.read = pf_cli_read_options(run, run->operand_count ? run->operands[0] : "-"),
                .write = pf_write_options_default(),
                .scratch = pf_cli_spool_folder(),
                .warn = warn_of_sql,
                .prepare = add_packages,
                .ctx = run},
        .address = set->address,
        .origins = set->origins,
        .query_seconds = (double)set->query_timeout / 1e9,
        .cancel = pf_cli_cancel_flag(),
    };
    s.rpc.write.cancel = pf_cli_cancel_flag();
    PF_TRY(set_idle(run, &s));
    if (set->file_access) {
        pf_cli_note(run, "server", "warning: SQL has no access to files; --allow-sql-file-access has no effect");
    }
    if (!is_loopback(set->address)) {
        pf_cli_note(run, "server", "warning: whoever can reach %s can read the trace; nothing is encrypted",
                    set->address);
    }
    signal(SIGPIPE, SIG_IGN); /* whoever read its messages may be gone */
    int listener = -1;
    pf_status st = serve(run, &s, &listener);
    if (listener >= 0) {
        close(listener);
    }
    pf_rpc_close(&s.rpc);
    return st;
}

const pf_cli_command pf_cli_server = {
    .name = "server",
    .usage = "http [FILE] [options]",
    .summary = "answer SQL over HTTP, for Perfetto's Python package",
    .examples = {"server http trace.json.gz --port 9001", "server http --idle-timeout 30m"},
    .description =
        "Speaks what Perfetto's Python package speaks: TraceProcessor(addr='localhost:9001') connects to it, and "
        "TraceProcessorConfig(bin_path=shutil.which('postfetto')) has the package start it itself. Without FILE the "
        "client sends a trace. Metrics and trace summaries are not supported. All clients share one trace and one "
        "session; their queries run one after the other. SQL cannot touch files. It serves this machine only, unless "
        "--ip-address says otherwise, and of web pages only Perfetto's.\n"
        "The older spelling, postfetto -D [FILE] --http-port N, does the same.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .settings_size = sizeof(server_settings),
    .forms = {"http"},
    .run = run_server,
};
