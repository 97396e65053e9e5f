/* cli/hook/hook_trace.c - one trace from the lock to the report.
 *
 * The order is what makes it safe. A lock file next to the outputs, held with flock, so that a killed hook leaves
 * nothing that blocks; then the hash of the input and of what is asked for, which is compared with that of the report
 * that may be there; then the steps, each a child; then a look whether the trace is still the one that was read; and
 * the report last, so that a report always speaks of outputs that are there.
 */
#include "cli/hook/hook_trace.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/outfile.h"
#include "cli/hook/hook_files.h"
#include "cli/hook/hook_report.h"
#include "cli/run.h"
#include "cli/terminal/progress.h"
#include "cli/terminal/signals.h"

#define CODE_TIMEOUT 124     /* as timeout(1) says it */
#define HEAD_BYTES (1 << 16) /* of a report: enough for the members that are compared */

typedef struct work {
    const pf_hook_config *config;
    const char *path, *base;
    char *folder;                                      /* where everything is written */
    char *json, *markdown, *enriched, *reports, *lock; /* paths */
    int lock_fd;
    struct stat before;
    pf_hook_child_limits limits;
    pf_hook_report report;
    const pf_hook_pass *judge; /* the pass whose tables the thresholds are about; NULL: none runs */
    pf_hook_result *result;
} work;

/* ---- results ----------------------------------------------------------------------------------------------------- */

/* Notes the first failure; later ones follow from it. Returns false, so that a step can return it. */
static bool fail(work *w, int code, const char *format, ...) __attribute__((format(printf, 3, 4)));
static bool fail(work *w, int code, const char *format, ...)
{
    if (w->result->outcome == PF_HOOK_FAILED) {
        return false;
    }
    va_list args;
    va_start(args, format);
    w->result->outcome = PF_HOOK_FAILED;
    w->result->code = code;
    vsnprintf(w->result->text, sizeof w->result->text, format, args);
    va_end(args);
    return false;
}

static bool no_memory(work *w)
{
    return fail(w, PF_CLI_LIMIT, "the system refused memory");
}

/* ---- names and lock ---------------------------------------------------------------------------------------------- */

static bool make_names(work *w)
{
    const char *slash = strrchr(w->path, '/');
    w->base = slash ? slash + 1 : w->path;
    const char *out = w->config->out;
    size_t len = slash ? (size_t)(slash - w->path) : 0;
    w->folder = out ? strdup(out) : slash ? strndup(w->path, len ? len : 1) : strdup(".");
    if (!w->folder || asprintf(&w->json, "%s/%s.report.json", w->folder, w->base) < 0 ||
        asprintf(&w->markdown, "%s/%s.report.md", w->folder, w->base) < 0 ||
        asprintf(&w->enriched, "%s/%s.enriched.pftrace", w->folder, w->base) < 0 ||
        asprintf(&w->reports, "%s/%s.reports", w->folder, w->base) < 0 ||
        asprintf(&w->lock, "%s/.%s.postfetto-lock", w->folder, w->base) < 0) {
        return no_memory(w);
    }
    return true;
}

/* Makes a folder and those above it. */
static bool make_folders(const char *path)
{
    char *copy = strdup(path);
    bool good = copy != NULL;
    for (char *p = copy; good && p && *p; p++) {
        char *slash = strchr(p + 1, '/');
        if (slash) {
            *slash = '\0';
        }
        good = mkdir(copy, 0777) == 0 || errno == EEXIST;
        if (!slash) {
            break;
        }
        *slash = '/';
        p = slash;
    }
    free(copy);
    return good;
}

/* A lock is the open file, not its name: who gets the lock of a name that was taken away meanwhile tries again. */
static bool take_lock(work *w)
{
    if (w->config->out && !make_folders(w->folder)) {
        return fail(w, PF_CLI_OUTPUT, "%s cannot be made: %s; name another folder with --out", w->folder,
                    strerror(errno));
    }
    for (int tries = 0; tries < 100; tries++) {
        struct stat held, named;
        w->lock_fd = open(w->lock, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
        if (w->lock_fd < 0) {
            return fail(w, PF_CLI_OUTPUT, "nothing can be written to %s: %s; name a folder with --out", w->folder,
                        strerror(errno));
        }
        if (flock(w->lock_fd, LOCK_EX | LOCK_NB) != 0) {
            int number = errno;
            close(w->lock_fd);
            w->lock_fd = -1;
            if (number != EWOULDBLOCK && number != EINTR) {
                unlink(w->lock);
                return fail(w, PF_CLI_OUTPUT, "%s cannot be locked: %s; name a folder with --out", w->lock,
                            strerror(number));
            }
            if (number == EWOULDBLOCK) {
                w->result->outcome = PF_HOOK_BUSY;
                snprintf(w->result->text, sizeof w->result->text, "another hook is working at it");
                return false;
            }
            continue;
        }
        if (fstat(w->lock_fd, &held) == 0 && stat(w->lock, &named) == 0 && held.st_ino == named.st_ino &&
            held.st_dev == named.st_dev) {
            return true;
        }
        close(w->lock_fd);
        w->lock_fd = -1;
    }
    return fail(w, PF_CLI_OUTPUT, "%s comes and goes; another hook is working at it", w->lock);
}

static void leave_lock(work *w)
{
    if (w->lock_fd >= 0) {
        unlink(w->lock);
        close(w->lock_fd);
    }
}

/* ---- what is there already --------------------------------------------------------------------------------------- */

static void put_hex(char hex[33], XXH128_hash_t hash)
{
    snprintf(hex, 33, "%016" PRIx64 "%016" PRIx64, (uint64_t)hash.high64, (uint64_t)hash.low64);
}

static bool hash_input(work *w)
{
    enum { STEP = 1 << 20 };
    int fd = open(w->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) {
        return fail(w, PF_CLI_INPUT, "cannot be opened: %s", strerror(errno));
    }
    if (fstat(fd, &w->before) != 0 || !S_ISREG(w->before.st_mode)) {
        close(fd);
        return fail(w, PF_CLI_INPUT, "is no regular file");
    }
    XXH3_state_t *state = XXH3_createState();
    char *bytes = malloc(STEP);
    bool good = state && bytes && XXH3_128bits_reset(state) == XXH_OK;
    ssize_t n = 0;
    while (good && (n = read(fd, bytes, STEP)) != 0 && !pf_cli_signal_code()) {
        if (n > 0) {
            XXH3_128bits_update(state, bytes, (size_t)n);
            w->report.bytes += (uint64_t)n;
        } else if (errno != EINTR) {
            good = fail(w, PF_CLI_INPUT, "cannot be read: %s", strerror(errno));
        }
    }
    if (good) {
        put_hex(w->report.hash, XXH3_128bits_digest(state));
    } else if (n >= 0) {
        no_memory(w);
    }
    free(bytes);
    XXH3_freeState(state);
    close(fd);
    return good;
}

/* Equal keys mean: the same version was asked for the same of the same bytes. */
static bool make_key(work *w)
{
    pf_buffer b = {0};
    pf_hook_config asked;
    pf_hook_config_init(&asked); /* what does not change the outputs is left as it is by default */
    asked.passes = w->config->passes;
    asked.fail_if = w->config->fail_if;
    asked.max_memory = w->config->max_memory;
    asked.timeout = w->config->timeout;
    asked.strict = w->config->strict;
    asked.enriched = w->config->enriched;
    pf_buffer_format(&b, "%s\n%s\n%s\n", pf_version(), w->base, w->report.hash);
    pf_hook_config_print(&asked, &b);
    if (!b.failed) {
        put_hex(w->report.key, XXH3_128bits(b.data, b.len));
    }
    bool good = !b.failed;
    pf_buffer_free(&b);
    return good ? true : no_memory(w);
}

/* The beginning of a file as text; NULL if there is none. malloc'd. */
static char *read_head(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    char *text = fd >= 0 ? malloc(HEAD_BYTES + 1) : NULL;
    ssize_t n = text ? read(fd, text, HEAD_BYTES) : -1;
    if (fd >= 0) {
        close(fd);
    }
    if (n < 0) {
        free(text);
        return NULL;
    }
    text[n] = '\0';
    return text;
}

static bool says(const char *json, const char *key, const char *text)
{
    pf_str v = pf_hook_member(json, 2, key);
    size_t len = strlen(text);
    return v.len == len + 2 && memcmp(v.ptr + 1, text, len) == 0;
}

/* A report of this key that did not fail, whose other outputs are there, is as good as a new one. */
static bool is_done(work *w)
{
    char *json = read_head(w->json);
    bool done = json && says(json, "postfetto.key", w->report.key) && !says(json, "status", "failed") &&
                access(w->markdown, F_OK) == 0 &&
                (pf_hook_member(json, 2, "enriched").len == 4 || access(w->enriched, F_OK) == 0);
    if (done) {
        bool finding = says(json, "status", "finding");
        w->result->outcome = PF_HOOK_SKIPPED;
        w->result->code = finding ? PF_CLI_FINDING : PF_CLI_DONE;
        snprintf(w->result->text, sizeof w->result->text, "skipped: %s.report.json is up to date%s", w->base,
                 finding ? " and has findings" : "");
    }
    free(json);
    return done;
}

/* ---- steps ------------------------------------------------------------------------------------------------------- */

/* What a child said last, without our name and without its file in front. */
static const char *last_words(work *w, pf_hook_child *c)
{
    pf_buffer_put(&c->err, "", 1);
    if (c->err.failed) {
        return "the system refused memory";
    }
    char *text = c->err.data;
    size_t len = strlen(text);
    while (len > 0 && text[len - 1] == '\n') {
        text[--len] = '\0';
    }
    char *line = strrchr(text, '\n');
    line = line ? line + 1 : text;
    line += strncmp(line, "postfetto: ", 11) == 0 ? 11 : 0;
    size_t name = strlen(w->path);
    return strncmp(line, w->path, name) == 0 && strncmp(line + name, ": ", 2) == 0 ? line + name + 2 : line;
}

/* Judges how a child ended: false, with the reason noted, unless its exit status is at most `good`. */
static bool judge(work *w, const char *what, pf_hook_child *c, int good)
{
    if (c->code == -1) {
        return fail(w, PF_CLI_LIMIT, "%s cannot be started: %s", what, strerror(c->start_errno));
    }
    if (c->cancelled || pf_cli_signal_code()) {
        return fail(w, pf_cli_signal_code(), "stopped by a signal");
    }
    if (c->timed_out) {
        return fail(w, CODE_TIMEOUT, "%s was stopped after %g s (--timeout)", what, w->config->timeout);
    }
    if (c->code > 128) {
        return fail(w, PF_CLI_BUG, "%s was ended by signal %d", what, c->code - 128);
    }
    return c->code <= good || fail(w, c->code, "%s", last_words(w, c));
}

/* The text that a child printed, terminated. malloc'd; the caller frees it. */
static char *take_text(pf_buffer *b)
{
    pf_buffer_put(b, "", 1);
    char *text = b->failed ? NULL : b->data;
    if (text) {
        *b = (pf_buffer){0};
    }
    return text;
}

/* Words that every child gets. */
static void add_common(work *w, pf_hook_words *words)
{
    pf_hook_words_add(words, "--no-progress");
    if (w->config->max_memory) {
        char bytes[24];
        snprintf(bytes, sizeof bytes, "%" PRIu64, w->config->max_memory);
        pf_hook_words_add(words, "--max-memory");
        pf_hook_words_add(words, bytes);
    }
}

/* `postfetto COMMAND TRACE --json`; its document. NULL with the reason noted. */
static char *run_json(work *w, const char *command, int good)
{
    pf_hook_words words = {0};
    pf_hook_child child;
    char *text = NULL;
    pf_hook_words_add(&words, command);
    add_common(w, &words);
    pf_hook_words_add(&words, "--json");
    pf_hook_words_add(&words, "--");
    pf_hook_words_add(&words, w->path);
    if (words.failed) {
        no_memory(w);
    } else {
        pf_hook_child_run(&child, &words, &w->limits);
        if (judge(w, command, &child, good)) {
            text = take_text(&child.out);
            if (!text) {
                no_memory(w);
            }
        }
        pf_hook_child_free(&child);
    }
    pf_hook_words_free(&words);
    return text;
}

static void leave_alone(work *w)
{
    w->result->outcome = PF_HOOK_NO_INPUT;
    snprintf(w->result->text, sizeof w->result->text, "skipped: postfetto wrote it");
}

/* Whether a Perfetto trace carries metadata of ours: what a hook, `analyze -o` or `convert` wrote is no capture. */
static bool is_ours(work *w)
{
    static const char *const sql[] = {"query", "--format", "csv", "--no-progress", "--"};
    pf_str format = pf_hook_member(w->report.info, 2, "format");
    if (format.len != 10 || memcmp(format.ptr, "\"perfetto\"", 10) != 0) {
        return false;
    }
    pf_hook_words words = {0};
    pf_hook_child child;
    for (size_t i = 0; i < sizeof sql / sizeof *sql; i++) {
        pf_hook_words_add(&words, sql[i]);
    }
    pf_hook_words_add(&words, w->path);
    pf_hook_words_add(&words, "select name from metadata where name glob '*postfetto.*' limit 1");
    pf_hook_child_run(&child, &words, &w->limits);
    bool ours = child.code == 0 && child.out.len > 0 && memmem(child.out.data, child.out.len, "postfetto.", 10);
    pf_hook_child_free(&child);
    pf_hook_words_free(&words);
    if (ours) {
        leave_alone(w);
    }
    return ours;
}

/* ---- passes ------------------------------------------------------------------------------------------------------ */

static void leave_out(work *w, const char *name, const char *reason)
{
    pf_hook_words_add(&w->report.not_run, name);
    pf_hook_words_add(&w->report.not_run, reason);
}

/* Whether `info` lists the pass among those that fit. */
static bool fits(const char *info, const char *name)
{
    pf_str list = pf_hook_member(info, 2, "passes");
    const char *end = list.ptr ? strchr(list.ptr, ']') : NULL;
    size_t len = strlen(name);
    for (const char *p = list.ptr; end && p < end; p++) {
        if (*p == '"' && strncmp(p + 1, name, len) == 0 && p[len + 1] == '"') {
            return true;
        }
    }
    return false;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The files of a folder that a pass wrote its reports to, by name. */
static bool list_reports(work *w, pf_hook_pass_run *run, const char *folder)
{
    DIR *dir = opendir(folder);
    const struct dirent *entry;
    bool good = true;
    while (dir && good && (entry = readdir(dir))) {
        if (entry->d_name[0] == '.' || entry->d_type == DT_DIR) {
            continue;
        }
        char **names = realloc(run->report, (run->report_count + 1) * sizeof *names);
        run->report = names ? names : run->report;
        char *name = names ? strdup(entry->d_name) : NULL;
        good = name != NULL;
        if (good) {
            run->report[run->report_count++] = name;
        }
    }
    if (dir) {
        closedir(dir);
    }
    if (run->report_count) {
        qsort(run->report, run->report_count, sizeof *run->report, compare_names);
    }
    return good ? true : no_memory(w);
}

static void add_thresholds(work *w, pf_hook_words *words)
{
    for (size_t i = 0; i < w->config->fail_if.count; i++) {
        pf_hook_words_add(words, "--fail-if");
        pf_hook_words_add(words, w->config->fail_if.word[i]);
    }
    if (w->config->fail_if.count && w->config->junit) {
        pf_hook_words_add(words, "--junit");
        pf_hook_words_add(words, w->config->junit);
    }
    if (w->config->fail_if.count && w->config->annotations) {
        pf_hook_words_add(words, "--annotations");
        pf_hook_words_add(words, w->config->annotations);
    }
}

/* The command line of a pass: its options first, then ours. `input` is the trace, or what the pass before drew. */
static void pass_words(work *w, pf_hook_words *words, const pf_hook_pass *p, const char *folder, bool draw)
{
    pf_hook_words_add(words, "analyze");
    pf_hook_words_add(words, p->name);
    pf_hook_words_add_all(words, &p->options);
    add_common(w, words);
    pf_hook_words_add(words, "--json");
    pf_hook_words_add(words, "--report");
    pf_hook_words_add(words, folder);
    if (draw) {
        pf_hook_words_add(words, "-o");
        pf_hook_words_add(words, w->enriched);
    }
    if (p == w->judge) {
        add_thresholds(w, words);
    }
    pf_hook_words_add(words, "--");
    pf_hook_words_add(words, w->path);
}

/* The lines that tell of thresholds; workflow commands are passed on as they are, for those who collect them. */
static void note_findings(work *w, const char *messages)
{
    for (const char *at = messages; at && *at;) {
        size_t len = strcspn(at, "\n");
        char *line = strndup(at, len);
        if (line && strstr(line, "--fail-if")) {
            pf_hook_words_add(&w->report.findings, strncmp(line, "postfetto: ", 11) == 0 ? line + 11 : line);
        } else if (line && strncmp(line, "::", 2) == 0) {
            puts(line);
        }
        free(line);
        at += len + (at[len] == '\n');
    }
    if (w->result->outcome == PF_HOOK_DONE) {
        w->result->outcome = PF_HOOK_FINDING;
        w->result->code = PF_CLI_FINDING;
    }
}

/* Where no pass runs, the thresholds are about the trace alone. */
static void judge_trace(work *w)
{
    pf_hook_words words = {0};
    pf_hook_child child;
    pf_hook_words_add(&words, "query");
    add_common(w, &words);
    add_thresholds(w, &words);
    pf_hook_words_add(&words, "--");
    pf_hook_words_add(&words, w->path);
    pf_hook_child_run(&child, &words, &w->limits);
    if (judge(w, "query", &child, PF_CLI_FINDING) && child.code == PF_CLI_FINDING) {
        char *messages = take_text(&child.err), *commands = take_text(&child.out);
        note_findings(w, messages);
        note_findings(w, commands);
        free(messages);
        free(commands);
    }
    pf_hook_child_free(&child);
    pf_hook_words_free(&words);
}

static bool run_pass(work *w, const pf_hook_pass *p, const char *folder, bool draw)
{
    pf_hook_pass_run *runs = realloc(w->report.pass, (w->report.pass_count + 1) * sizeof *runs);
    if (!runs) {
        return no_memory(w);
    }
    w->report.pass = runs;
    pf_hook_pass_run *run = &runs[w->report.pass_count++];
    *run = (pf_hook_pass_run){.name = pf_pass_find(p->name)->name};
    pf_hook_words_add_all(&run->options, &p->options);
    pf_hook_words words = {0};
    pf_hook_child child;
    pass_words(w, &words, p, folder, draw);
    run->folder = strdup(folder + strlen(w->folder) + 1);
    if (words.failed || !run->folder) {
        pf_hook_words_free(&words);
        return no_memory(w);
    }
    pf_hook_child_run(&child, &words, &w->limits);
    pf_hook_words_free(&words);
    run->code = child.code;
    bool good = judge(w, p->name, &child, PF_CLI_FINDING);
    run->messages = take_text(&child.err);
    run->summary = good ? take_text(&child.out) : NULL;
    if (good && run->code == PF_CLI_FINDING) {
        note_findings(w, run->messages);
    }
    if (good && draw) {
        w->report.enriched = strrchr(w->enriched, '/') + 1;
    }
    pf_hook_child_free(&child);
    return good && list_reports(w, run, folder);
}

/* Says which required options a pass lacks; true if there are none. */
static bool is_complete(work *w, const pf_pass *pass, const pf_hook_pass *p)
{
    pf_buffer missing = {0};
    for (size_t i = 0; i < pass->option_count; i++) {
        const pf_option *o = &pass->options[i];
        bool given = !(o->traits & PF_OPTION_REQUIRED);
        size_t len = strlen(o->name);
        for (size_t k = 0; p && k < p->options.count && !given; k++) {
            const char *word = p->options.word[k];
            given = strncmp(word, "--", 2) == 0 && strncmp(word + 2, o->name, len) == 0 &&
                    (word[2 + len] == '\0' || word[2 + len] == '=');
        }
        if (!given) {
            pf_buffer_format(&missing, "%s--%s", missing.len ? ", " : "missing options: ", o->name);
        }
    }
    bool complete = missing.len == 0;
    if (!complete) {
        pf_buffer_put(&missing, "", 1);
        leave_out(w, pass->name, missing.failed ? "missing options" : missing.data);
    }
    pf_buffer_free(&missing);
    return complete;
}

/* Whether a configured pass is for this trace; if not, why not is noted. */
static bool is_wanted(work *w, const pf_hook_pass *p)
{
    if (!pf_hook_matches(&p->match, w->path)) {
        leave_out(w, p->name, "the name of the trace does not match");
        return false;
    }
    if (!fits(w->report.info, p->name)) {
        leave_out(w, p->name, "does not fit this trace");
        return false;
    }
    return is_complete(w, pf_pass_find(p->name), p);
}

/* Without configured passes: those that fit and need nothing. The list is in `made`, whose names are malloc'd. */
static bool default_passes(work *w, pf_hook_passes *made)
{
    for (size_t i = 0; i < pf_pass_count(); i++) {
        const pf_pass *pass = pf_pass_at(i);
        if (!fits(w->report.info, pass->name)) {
            continue;
        }
        pf_hook_pass *more = realloc(made->at, (made->count + 1) * sizeof *more);
        if (!more) {
            return no_memory(w);
        }
        made->at = more;
        more[made->count] = (pf_hook_pass){.name = strdup(pass->name)};
        if (!more[made->count++].name) {
            return no_memory(w);
        }
    }
    return true;
}

/* Runs what is wanted. Where several passes run, each has a folder of its own in the folder of reports, and the first
 * one that draws makes the enriched trace. */
static void run_passes(work *w)
{
    pf_hook_passes fitting = {0};
    const pf_hook_passes *all = &w->config->passes;
    if (all->count == 0) {
        if (!default_passes(w, &fitting)) {
            goto done;
        }
        all = &fitting;
    }
    bool *wanted = calloc(all->count + 1, sizeof *wanted);
    size_t count = 0;
    for (size_t i = 0; wanted && i < all->count; i++) {
        wanted[i] = is_wanted(w, &all->at[i]);
        count += wanted[i];
        w->judge = wanted[i] && !w->judge ? &all->at[i] : w->judge;
    }
    if (!w->judge && w->config->fail_if.count) {
        judge_trace(w);
    }
    for (size_t i = 0; wanted && i < all->count; i++) {
        char *folder = NULL;
        int made =
            count > 1 ? asprintf(&folder, "%s/%s", w->reports, all->at[i].name) : asprintf(&folder, "%s", w->reports);
        if (made < 0 || (wanted[i] && !run_pass(w, &all->at[i], folder, w->config->enriched && !w->report.enriched))) {
            free(made < 0 ? NULL : folder);
            break;
        }
        free(folder);
    }
    free(wanted);
done:
    for (size_t i = 0; i < fitting.count; i++) {
        free(fitting.at[i].name);
    }
    free(fitting.at);
}

/* ---- the report -------------------------------------------------------------------------------------------------- */

static bool same_file(const struct stat *a, const struct stat *b)
{
    return a->st_ino == b->st_ino && a->st_dev == b->st_dev && a->st_size == b->st_size &&
           a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

static bool put_file(work *w, const char *path, pf_buffer *b)
{
    pf_outfile out = {0};
    pf_error err = {.offset = PF_NOWHERE, .packet = PF_NOWHERE};
    pf_status st =
        b->failed ? pf_fail(&err, PF_ERR_MEMORY, "the system refused memory") : pf_outfile_open(&out, path, &err);
    if (st == PF_OK) {
        st = pf_outfile_write(&out, b->data, b->len, &err);
        st = st == PF_OK ? pf_outfile_commit(&out, true, &err) : st;
        pf_outfile_abort(&out);
    }
    pf_buffer_free(b);
    return st == PF_OK || fail(w, pf_cli_exit_code(st), "%s: %s", path, err.text);
}

static void put_reports(work *w)
{
    pf_buffer json = {0}, markdown = {0};
    pf_hook_report_markdown(&w->report, w->result, &markdown);
    pf_hook_report_json(&w->report, w->result, &json);
    if (put_file(w, w->markdown, &markdown)) {
        put_file(w, w->json, &json);
    } else {
        pf_buffer_free(&json);
    }
}

static void say_what_was_done(work *w)
{
    size_t room = sizeof w->result->text;
    if (w->result->outcome == PF_HOOK_FINDING) {
        snprintf(w->result->text, room, "%zu finding%s: %s", w->report.findings.count,
                 w->report.findings.count == 1 ? "" : "s", w->report.findings.count ? w->report.findings.word[0] : "");
    } else if (w->result->outcome == PF_HOOK_DONE) {
        snprintf(w->result->text, room, "%s%s%s", w->json, w->report.enriched ? ", " : "",
                 w->report.enriched ? w->enriched : "");
    }
}

/* The steps between lock and report. */
static void examine(work *w)
{
    w->report.info = run_json(w, "info", PF_CLI_DONE);
    if (w->report.info && is_ours(w)) {
        return;
    }
    w->report.check = w->report.info ? run_json(w, "check", PF_CLI_FINDING) : NULL;
    if (w->report.check) {
        run_passes(w);
    }
    struct stat after;
    if (stat(w->path, &after) != 0 || !same_file(&w->before, &after)) {
        w->result->outcome = PF_HOOK_DONE; /* this is the reason of whatever failed before */
        fail(w, PF_CLI_INPUT, "changed while it was read; run the hook again when its writer has finished");
    }
    pf_str ok = w->report.check ? pf_hook_member(w->report.check, 2, "ok") : (pf_str){NULL, 0};
    if (w->config->strict && w->result->outcome == PF_HOOK_DONE && ok.len == 5) {
        fail(w, PF_CLI_DAMAGED, "is damaged; postfetto check says how");
    }
    say_what_was_done(w);
    if (!pf_cli_signal_code()) {
        put_reports(w);
    }
}

void pf_hook_trace(const pf_hook_config *c, const char *path, pf_hook_result *result)
{
    *result = (pf_hook_result){.outcome = PF_HOOK_DONE};
    work w = {.config = c, .path = path, .lock_fd = -1, .result = result};
    w.limits = (pf_hook_child_limits){.deadline = c->timeout > 0 ? pf_cli_now() + c->timeout : 0, .nice = (int)c->nice};
    if (pf_hook_is_output_name(path)) {
        leave_alone(&w);
        return;
    }
    pf_cli_signals_hold(true);
    if (make_names(&w) && take_lock(&w)) {
        w.report.name = w.base;
        if (hash_input(&w) && make_key(&w) && !is_done(&w)) {
            examine(&w);
        }
    }
    leave_lock(&w);
    pf_cli_signals_hold(false);
    pf_hook_report_free(&w.report);
    free(w.folder);
    free(w.json);
    free(w.markdown);
    free(w.enriched);
    free(w.reports);
    free(w.lock);
}

bool pf_hook_is_candidate(const char *path)
{
    struct stat s;
    const char *slash = strrchr(path, '/');
    if ((slash ? slash[1] : path[0]) == '.' || pf_hook_is_output_name(path) || lstat(path, &s) != 0 ||
        !S_ISREG(s.st_mode) || s.st_size == 0) {
        return false;
    }
    pf_hook_words words = {0};
    pf_hook_child child;
    static const char *const probe[] = {"info", "--json", "--no-progress", "--max-rows", "1", "--"};
    for (size_t i = 0; i < sizeof probe / sizeof *probe; i++) {
        pf_hook_words_add(&words, probe[i]);
    }
    pf_hook_words_add(&words, path);
    pf_hook_child_run(&child, &words, &(pf_hook_child_limits){0});
    bool recognised = child.code == PF_CLI_DONE || child.code == PF_CLI_LIMIT;
    pf_hook_child_free(&child);
    pf_hook_words_free(&words);
    return recognised;
}
