/* cli/commands/cmd_open.c - `postfetto open FILE`: shows a trace in the UI.
 *
 * The UI runs in a browser and reads files of this machine by a link that makes it fetch them from 127.0.0.1:9001. The
 * command takes that port first, so that nothing is read in vain, then makes ready what is served: a binary trace as it
 * is, also with gzip around it; everything else as the trace that `convert` would write, in a file without a name,
 * which is gone however the command ends. Of a window, what `cut` would write is in such a file and takes the place of
 * the input.
 */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/common/command.h"
#include "cli/http/http.h"
#include "cli/open/open.h"
#include "model/trace/trace.h"

#define UI "https://ui.perfetto.dev"
#define OPEN_FD_MAX 24 /* "/dev/fd/N" */

typedef struct open_settings {
    pf_cli_settings common;
    const char *timeout, *ui, *from, *to;
    bool no_browser, pin;
} open_settings;

#define AT(member) offsetof(open_settings, member)
static const pf_option options[] = {
    {"timeout", 0, PF_OPTION_TEXT, AT(timeout), "TIME", NULL, NULL,
     "give up when nobody has fetched the trace by then: 30s, 5m, 1h", "5m"},
    {"from", 0, PF_OPTION_TEXT, AT(from), "TIME", NULL, "the start",
     "serve the part from here on: a time of the trace (1.5s, 1500000000), +2s from its start, -500ms from its end"},
    {"to", 0, PF_OPTION_TEXT, AT(to), "TIME", NULL, "the end", "serve the part before this time, likewise"},
    {"no-browser", 0, PF_OPTION_FLAG, AT(no_browser), NULL, NULL, NULL, "only print the link, open no browser"},
    {"ui", 0, PF_OPTION_TEXT, AT(ui), "URL", NULL, NULL, "a UI of your own", UI},
    {"pin", 0, PF_OPTION_FLAG, AT(pin), NULL, NULL, NULL, "have the UI pin the tracks that postfetto drew"},
};

static const open_settings *own(const pf_cli_run *run)
{
    return (const open_settings *)run->set;
}

static pf_status put_bytes(void *ctx, const void *bytes, size_t len)
{
    return pf_spool_write(ctx, bytes, len) == len ? PF_OK : PF_ERR_OUTPUT;
}

/* A file without a name in TMPDIR. */
static pf_status make_scratch(pf_spool *spool, pf_error *err)
{
    return pf_spool_open(spool, pf_cli_spool_folder())
               ? PF_OK
               : pf_fail(err, PF_ERR_OUTPUT, "no file can be created in TMPDIR: %s", strerror(errno));
}

/* Whether the input can be opened once more: a pipe that was read has lost its writer. */
static bool is_regular(const char *path)
{
    struct stat sb;
    return strcmp(path, "-") != 0 && stat(path, &sb) == 0 && S_ISREG(sb.st_mode);
}

/* The bytes that the UI will get, as a file from its beginning. The trace was read. */
static pf_status make_ready(pf_cli_run *run, const char *path, int *fd, pf_error *err)
{
    const pf_input *in = pf_trace_input(run->trace, 0);
    bool binary = strcmp(in->format, "perfetto") == 0;
    bool plain = strcmp(in->compression, "none") == 0 || strcmp(in->compression, "gzip") == 0;
    if (binary && plain && is_regular(path)) {
        *fd = open(path, O_RDONLY | O_CLOEXEC);
        return *fd < 0 ? pf_fail(err, PF_ERR_INPUT, "cannot be opened any more: %s", strerror(errno)) : PF_OK;
    }
    pf_spool spool;
    PF_TRY(make_scratch(&spool, err));
    *fd = spool.fd;
    if (!binary) {
        pf_write_options o = pf_cli_write_options(run);
        char file[OPEN_FD_MAX];
        snprintf(file, sizeof file, "/dev/fd/%d", *fd);
        return pf_convert_pftrace(run->trace, file, &o, err);
    }
    pf_status st = run->trace->send_plain(run->trace, in, put_bytes, &spool, err);
    return st == PF_ERR_OUTPUT
               ? pf_fail(err, st, "the unpacked trace could not be written to TMPDIR: %s", strerror(errno))
               : st;
}

/* Starts the desktop's opener; false where there is none. */
static bool open_browser(const char *url)
{
    const char *display = getenv("DISPLAY"), *wayland = getenv("WAYLAND_DISPLAY"), *browser = getenv("BROWSER");
    char *words[] = {(char *)(browser && *browser ? browser : "xdg-open"), (char *)url, NULL};
    pid_t child;
    posix_spawn_file_actions_t silent;
    if (!(browser && *browser) && !(display && *display) && !(wayland && *wayland)) {
        return false;
    }
    posix_spawn_file_actions_init(&silent);
    posix_spawn_file_actions_addopen(&silent, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&silent, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&silent, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    bool started = posix_spawnp(&child, words[0], &silent, NULL, words, environ) == 0;
    posix_spawn_file_actions_destroy(&silent);
    return started;
}

static pf_status announce(pf_cli_run *run, const char *path, const char *name, const pf_buffer *commands)
{
    pf_buffer url = {0};
    pf_open_url(&url, own(run)->ui, name, commands);
    pf_buffer_put(&url, "", 1);
    bool opened = !own(run)->no_browser && !url.failed && open_browser(url.data);
    if (!url.failed) {
        url.data[url.len - 1] = '\n';
    }
    PF_TRY(pf_cli_put_buffer(run, NULL, &url));
    if (!opened) {
        pf_cli_note(run, path,
                    "open this link in a browser on this machine; where that is another one, start there first: "
                    "ssh -L %d:127.0.0.1:%d HOST",
                    PF_SERVE_PORT, PF_SERVE_PORT);
    }
    return PF_OK;
}

/* What is served, and how. */
typedef struct offer {
    int listener, fd, part; /* -1: none */
    double seconds;
    pf_edit_time from, to;           /* without both: the whole trace */
    char origin[PF_OPEN_ORIGIN_MAX]; /* of the UI */
    pf_buffer commands;
} offer;

/* Whether the file is a table archive, which only the UI reads: then it is opened, and served as it is. */
static bool open_archive(const char *path, int *fd)
{
    static const char manifest[] = "{\"perfetto_manifest\"";
    enum { TAR_HEADER = 512 };
    char start[sizeof manifest - 1];
    *fd = is_regular(path) ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (*fd >= 0 && pread(*fd, start, sizeof start, TAR_HEADER) == (ssize_t)sizeof start &&
        memcmp(start, manifest, sizeof start) == 0) {
        return true;
    }
    if (*fd >= 0) {
        close(*fd);
        *fd = -1;
    }
    return false;
}

/* Cuts the window out of the input, into a file that `path` names while it is open. */
static pf_status cut_part(pf_cli_run *run, offer *o, char path[OPEN_FD_MAX])
{
    const char *in = run->operands[0];
    pf_read_options read = pf_cli_read_options(run, in);
    pf_write_options write = pf_cli_write_options(run);
    pf_cut_options cut = pf_cut_options_default();
    pf_cut_result r = {.size = sizeof r};
    pf_spool spool;
    PF_TRY(make_scratch(&spool, &run->err));
    o->part = spool.fd;
    snprintf(path, OPEN_FD_MAX, "/dev/fd/%d", o->part);
    cut.from = o->from;
    cut.to = o->to;
    cut.read = &read;
    cut.write = &write;
    pf_status st = pf_cut(in, path, &cut, &r, &run->err);
    pf_cli_progress_clear(&run->progress);
    PF_TRY(pf_cli_usage_of(run, st));
    pf_cli_warn_of_damage(run, r.input);
    pf_cli_note(run, in, "serves a part of it, %llu of %llu bytes", (unsigned long long)r.bytes,
                (unsigned long long)r.bytes_in);
    pf_trace_free(r.input);
    return PF_OK;
}

/* Opens what the UI will get, under a name. */
static pf_status prepare(pf_cli_run *run, offer *o, char name[PF_OPEN_NAME_MAX])
{
    const char *path = run->operands[0], *served = path;
    char part[OPEN_FD_MAX];
    if (o->from.base != PF_EDIT_NO_TIME || o->to.base != PF_EDIT_NO_TIME) {
        PF_TRY(cut_part(run, o, part));
        served = part;
    } else if (open_archive(path, &o->fd)) {
        snprintf(name, PF_OPEN_NAME_MAX, "%s", "trace" PF_CLI_ARCHIVE_ENDING);
        pf_cli_note(run, path, "a table archive: the UI must be v58 or later; give an older one the .pftrace%s",
                    own(run)->pin ? ", and --pin needs that, too" : "");
        return PF_OK;
    }
    PF_TRY(pf_cli_read(run, &served, 1, PF_WANT_TO_WRITE | (own(run)->pin ? PF_WANT_TABLES : 0), true));
    run->at = path;
    const pf_input *in = pf_trace_input(run->trace, 0);
    pf_open_name(path, strcmp(in->compression, "gzip") == 0 && strcmp(in->format, "perfetto") == 0, name);
    PF_TRY(make_ready(run, served, &o->fd, &run->err));
    PF_TRY(own(run)->pin ? pf_open_pin(run->trace, &o->commands, &run->err) : PF_OK);
    if (own(run)->pin && o->commands.len == 0) {
        pf_cli_note(run, path, "warning: postfetto drew no tracks into this trace; nothing is pinned");
    }
    return PF_OK;
}

static pf_status serve(pf_cli_run *run, offer *o)
{
    char name[PF_OPEN_NAME_MAX];
    const char *path = run->operands[0];
    struct stat sb;
    int64_t port = PF_SERVE_PORT;
    PF_TRY(pf_http_listen("localhost", &port, "end that first (the UI fetches from no other port)", &o->listener,
                          &run->err));
    PF_TRY(prepare(run, o, name));
    if (fstat(o->fd, &sb) < 0 || !S_ISREG(sb.st_mode)) {
        return pf_fail(&run->err, PF_ERR_INPUT, "is not a regular file");
    }
    pf_serve s = {name, o->origin, o->fd, (uint64_t)sb.st_size, o->seconds, pf_cli_cancel_flag()};
    PF_TRY(announce(run, path, name, &o->commands));
    int listener = o->listener;
    o->listener = -1;
    pf_cli_signals_hold(true);
    pf_status st = pf_serve_run(&s, listener, &run->err);
    pf_cli_signals_hold(false);
    PF_TRY(st);
    run->written += s.size;
    return PF_OK;
}

static pf_status open_trace(pf_cli_run *run)
{
    if (run->operand_count != 1) {
        return pf_cli_usage(run, "takes one file, not %zu; write postfetto open FILE", run->operand_count);
    }
    const open_settings *set = own(run);
    offer o = {.listener = -1, .fd = -1, .part = -1};
    if (!pf_open_seconds(set->timeout, &o.seconds)) {
        return pf_cli_usage(run, "--timeout takes a time like 30s, 5m or 1h, not '%s'", set->timeout);
    }
    if (!pf_open_origin(set->ui, o.origin)) {
        return pf_cli_usage(run, "--ui takes an address like http://localhost:10000, not '%s'", set->ui);
    }
    PF_TRY(pf_cli_edit_time(run, "from", set->from, &o.from));
    PF_TRY(pf_cli_edit_time(run, "to", set->to, &o.to));
    run->at = run->operands[0];
    pf_status st = serve(run, &o);
    pf_buffer_free(&o.commands);
    const int opened[] = {o.listener, o.fd, o.part};
    for (size_t i = 0; i < sizeof opened / sizeof *opened; i++) {
        if (opened[i] >= 0) {
            close(opened[i]);
        }
    }
    return st;
}

const pf_cli_command pf_cli_open = {
    .name = "open",
    .usage = "FILE [options]",
    .summary = "show a trace in the Perfetto UI",
    .examples = {"open enriched.pftrace --pin", "open large.pftrace.gz --from +2s --to +2500ms"},
    .description =
        "Serves the file once on 127.0.0.1:9001, to the UI only, and prints the link that makes the UI fetch it; a "
        "browser is opened where there is one. The trace does not leave this machine: the UI runs in the browser. JSON "
        "and other formats are converted first; .pftrace, .pftrace.gz and archives (.perfetto.tar, for a UI of v58 or "
        "later) are served as they are. With --from or --to only that window is served, as 'postfetto cut' writes it, "
        "from "
        "a file without a name in TMPDIR that is gone when the command ends. Ends when the file was fetched.\n"
        "On a machine without a browser run, on the one that has it, 'ssh -L 9001:127.0.0.1:9001 HOST', and open the "
        "link there.",
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .settings_size = sizeof(open_settings),
    .run = open_trace,
};
