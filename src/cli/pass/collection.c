/* cli/pass/collection.c - `analyze PASS --collection DIR`: what each trace of a folder contributes, then all of it
 * merged (docs/reference/partial.md).
 *
 * Each trace is read by a fork of this process, which writes a partial and ends: memory is that of as many traces as
 * there are workers, and a trace that crashes its reader or has it killed costs one row of the table `failures`. A
 * partial that was made of the same bytes by the same version with the same options stays as it is, so that a run that
 * was interrupted goes on where it was. Whoever kills this process kills the children.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analyze/pass/passes.h"
#include "analyze/support/pass_tables.h"
#include "base/budget.h"
#include "base/files/folders.h"
#include "base/files/operands.h"
#include "base/str.h"
#include "cli/page/page_facts.h"
#include "cli/pass/pass.h"

typedef struct part {
    const char *path;
    char *partial; /* the file with what it contributes */
    uint64_t bytes;
    pid_t child; /* that makes it; 0: none */
    int said;    /* a file without a name: what the child said */
    int code;    /* how it ended: its exit code, 128 + n if signal n ended it */
    pf_str why;  /* of a code that is not 0 */
} part;

typedef struct collection {
    pf_cli_run *run;
    pf_budget budget;
    pf_arena arena;
    part *parts;
    size_t count, begun, done, failed, workers;
    size_t first; /* all before it have ended */
    uint64_t bytes, bytes_done;
} collection;

/* Whether the pass's own reader takes a file or a folder for an input. */
static bool is_input(const pf_reader *reader, const pf_entry *e)
{
    uint8_t head[PF_PROBE_BYTES];
    int fd = e->is_directory ? -1 : open(e->name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    ssize_t size = fd >= 0 ? read(fd, head, sizeof head) : 0;
    if (fd >= 0) {
        close(fd);
    }
    return (e->is_directory || size > 0) && reader->probe(head, (size_t)size, e->name, e->is_directory) != PF_PROBE_NO;
}

/* What is in the folders of the list and is an input, where an input may be a folder. */
static pf_status open_recordings(collection *c, pf_operands *all, pf_error *err)
{
    const pf_reader *reader = pf_reader_find(c->run->pass->name);
    const pf_operands given = *all;
    *all = (pf_operands){.arena = &c->arena};
    for (size_t i = 0; i < given.count; i++) {
        pf_operands inside = {.arena = &c->arena};
        size_t first = all->count;
        PF_TRY(pf_folder_paths(&inside, given.list[i].name, err));
        for (size_t k = 0; k < inside.count; k++) {
            if (is_input(reader, &inside.list[k])) {
                PF_TRY(PF_ARENA_ROOM(&c->arena, all->list, all->count + 1, all->room, err));
                all->list[all->count++] = inside.list[k];
            }
        }
        if (all->count == first) {
            return pf_fail(err, PF_ERR_INPUT, "is a folder without recordings that %s reads", c->run->pass->name);
        }
    }
    return PF_OK;
}

static pf_status list_traces(collection *c, const char *folder, const char *cache, pf_error *err)
{
    pf_operands all = {.arena = &c->arena};
    PF_TRY(pf_operands_expand(&all, &folder, 1, &c->arena, err));
    PF_TRY(pf_reader_find(c->run->pass->name) ? open_recordings(c, &all, err) : pf_operands_open_folders(&all, err));
    PF_TRY(PF_ARENA_NEW(&c->arena, c->parts, all.count, err));
    for (; c->count < all.count; c->count++) {
        part *p = &c->parts[c->count];
        struct stat sb;
        p->path = all.list[c->count].name;
        p->bytes = stat(p->path, &sb) == 0 ? (uint64_t)sb.st_size : 0;
        c->bytes += p->bytes;
        const char *name = cache ? pf_path_name(p->path) : p->path, *above = cache ? cache : "";
        size_t room = strlen(above) + strlen(name) + sizeof "/.pfr";
        p->partial = pf_arena_alloc(&c->arena, room);
        PF_TRY(p->partial ? PF_OK : pf_budget_refused(&c->budget, room, err));
        snprintf(p->partial, room, "%s%s%s.pfr", above, cache ? "/" : "", name);
    }
    return PF_OK;
}

static int by_partial(const void *a, const void *b)
{
    return strcmp((*(part *const *)a)->partial, (*(part *const *)b)->partial);
}

/* Traces of several folders may have one name, and --cache has one folder for all. */
static pf_status check_names(collection *c, pf_error *err)
{
    part **sorted;
    PF_TRY(PF_ARENA_NEW(&c->arena, sorted, c->count, err));
    for (size_t i = 0; i < c->count; i++) {
        sorted[i] = &c->parts[i];
    }
    qsort(sorted, c->count, sizeof *sorted, by_partial);
    for (size_t i = 1; i < c->count; i++) {
        if (by_partial(&sorted[i - 1], &sorted[i]) == 0) {
            return pf_cli_usage(c->run, "%s and %s would both be %s; leave out --cache, or give each folder its own",
                                sorted[i - 1]->path, sorted[i]->path, sorted[i]->partial);
        }
    }
    return PF_OK;
}

/* What the child does in the place of this run. Its messages are kept, what else it says is not looked at. */
static _Noreturn void contribute(const collection *c, const part *p, pid_t parent)
{
    pf_cli_run *run = c->run;
    pf_cli_settings *set = run->set;
    int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    sigset_t none;
    sigemptyset(&none);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    pf_cli_signals_hold(false);
    sigprocmask(SIG_SETMASK, &none, NULL);
    if (pf_cli_signal_code()) { /* that came before this child ended at once from one */
        _exit(pf_cli_signal_code());
    }
    if (getppid() != parent || dup2(null, STDOUT_FILENO) < 0 || dup2(p->said, STDERR_FILENO) < 0) {
        _exit(PF_CLI_BUG);
    }
    set->jobs = set->jobs / c->workers ? set->jobs / c->workers : 1;
    set->progress_fd = 0;
    set->report = set->tables = set->format = set->table = set->html = NULL;
    set->json = set->pictures = false;
    run->in_collection = true;
    pf_cli_set_partial(run->pass, run->values, p->partial);
    int code = PF_CLI_DONE;
    if (!pf_cli_partial_is_current(run, p->partial, p->path)) {
        code = pf_cli_end(run, pf_cli_run_pass(run, &p->path, 1));
    }
    _exit(pf_cli_signal_code() ? pf_cli_signal_code() : code);
}

static pf_status start(collection *c, pf_error *err)
{
    part *p = &c->parts[c->begun++];
    pid_t self = getpid();
    p->said = memfd_create("postfetto", MFD_CLOEXEC);
    p->child = p->said < 0 ? -1 : fork();
    if (p->child == 0) {
        contribute(c, p, self);
    }
    return p->child > 0 ? PF_OK : pf_fail(err, PF_ERR_LIMIT, "no process could be started for %s", p->path);
}

static const char message[] = "postfetto: ";

/* Passes the messages of a child on; the last one, without its name and that of the file, is why it failed. */
static void take_messages(collection *c, part *p)
{
    FILE *f = fdopen(p->said, "r");
    char *line = NULL;
    size_t room = 0, skip = sizeof message - 1, name = strlen(p->path);
    bool there = f && fseek(f, 0, SEEK_SET) == 0;
    while (there && getline(&line, &room, f) > 0) {
        if (strncmp(line, message, skip) == 0) {
            const char *text = line + skip;
            text += strncmp(text, p->path, name) == 0 && text[name] == ':' && text[name + 1] ? name + 2 : 0;
            pf_cli_progress_clear(&c->run->progress);
            fputs(line, stderr);
            size_t len = strcspn(text, "\n");
            p->why = p->code ? (pf_str){pf_arena_copy(&c->arena, text, len), len} : p->why;
        }
    }
    free(line);
    f ? fclose(f) : close(p->said);
}

static void finish(collection *c, part *p, int status)
{
    p->child = 0;
    p->code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    take_messages(c, p);
    if (WIFSIGNALED(status)) {
        pf_buffer b = {0};
        pf_buffer_format(&b, "ended by signal %d (%s)%s", WTERMSIG(status), strsignal(WTERMSIG(status)),
                         WTERMSIG(status) == SIGKILL ? ": by hand, or memory ran out; --jobs 1 takes the least" : "");
        p->why = (pf_str){pf_arena_copy(&c->arena, b.data, b.len), b.len};
        pf_cli_progress_clear(&c->run->progress);
        fprintf(stderr, "%s%s: %s\n", message, p->path, p->why.ptr);
        pf_buffer_free(&b);
    }
    c->done++;
    c->failed += p->code != 0;
    c->bytes_done += p->bytes;
}

/* Takes the children that ended; whether there were any. */
static bool reap(collection *c)
{
    size_t before = c->done;
    int status;
    for (size_t i = c->first; i < c->begun; i++) {
        part *p = &c->parts[i];
        if (p->child > 0 && waitpid(p->child, &status, WNOHANG) > 0) {
            finish(c, p, status);
        }
        c->first += c->first == i && p->child == 0;
    }
    return c->done > before;
}

static void stop(collection *c)
{
    for (size_t i = c->first; i < c->begun; i++) {
        if (c->parts[i].child > 0) {
            kill(c->parts[i].child, SIGTERM);
            waitpid(c->parts[i].child, NULL, 0);
        }
    }
}

static pf_status contribute_all(collection *c, pf_error *err)
{
    static const struct timespec tick = {.tv_nsec = 100 * 1000 * 1000};
    sigset_t ended, before;
    pf_status st = PF_OK;
    sigemptyset(&ended);
    sigaddset(&ended, SIGCHLD);
    signal(SIGCHLD, SIG_DFL);
    sigprocmask(SIG_BLOCK, &ended, &before);
    pf_cli_signals_hold(true);
    pf_cli_start_progress(c->run);
    while (c->done < c->count && st == PF_OK && !pf_cli_signal_code()) {
        if (c->begun < c->count && c->begun - c->done < c->workers) {
            st = start(c, err);
        } else if (!reap(c)) {
            sigtimedwait(&ended, NULL, &tick);
        }
        pf_cli_progress_traces(&c->run->progress, c->done, c->count, c->bytes_done, c->bytes);
    }
    stop(c);
    pf_cli_signals_hold(false);
    pf_cli_progress_clear(&c->run->progress);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return pf_cli_signal_code() ? PF_ERR_CANCELLED : st;
}

static pf_status merge(collection *c, const char *partial)
{
    pf_cli_run *run = c->run;
    const pf_pass *pass = run->pass;
    pf_option_value *values = run->values;
    const char **paths;
    size_t count = 0;
    PF_TRY(PF_ARENA_NEW(&c->arena, paths, c->count, &run->err));
    for (size_t i = 0; i < c->count; i++) {
        paths[count] = c->parts[i].partial;
        count += c->parts[i].code == 0;
    }
    if (count == 0) {
        return pf_fail(&run->err, PF_ERR_INPUT, "no trace of the collection could be read");
    }
    run->pass = pf_merge_pass(paths, count);
    PF_TRY(PF_ARENA_NEW(&c->arena, run->values, run->pass->option_count, &run->err));
    if (partial) {
        pf_cli_set_partial(run->pass, run->values, partial);
    }
    pf_status st = pf_cli_run_pass(run, paths, count);
    run->pass = pass;
    run->values = values;
    return st;
}

/* The table is a file of the report, whether anything failed or not. */
static pf_status report_failures(collection *c)
{
    static const pf_column columns[] = {PF_TEXT_COLUMN("file"), PF_INT_COLUMN("exit_code", ""),
                                        PF_TEXT_COLUMN("reason")};
    pf_cli_run *run = c->run;
    pf_findings *f = pf_findings_new(&run->set->limits);
    pf_table_builder *t = pf_table_new_named(f, "failures", PF_STR("failures"), columns, 3);
    pf_buffer path = {0};
    char *text = NULL;
    size_t len = 0;
    for (size_t i = 0; i < c->count; i++) {
        const part *p = &c->parts[i];
        if (p->code) {
            PF_TABLE_ROW(f, t, pf_cell_text(pf_str_of(p->path)), pf_cell_int(p->code), pf_cell_text(p->why));
        }
    }
    pf_status st = f ? pf_findings_status(f, &run->err) : pf_no_memory(&run->err);
    if (st == PF_OK && c->failed && !run->set->quiet) {
        pf_buffer b = {0};
        pf_cli_put_table(run, &b, pf_findings_table(f, 0), NULL, STDERR_FILENO);
        pf_cli_tell(&b);
    }
    if (st == PF_OK && run->set->report) {
        pf_buffer_format(&path, "%s/failures.csv", run->set->report);
        st = pf_format_csv(pf_findings_table(f, 0), NULL, &text, &len, &run->err);
        st = st == PF_OK && path.failed ? pf_no_memory(&run->err) : st;
        st = st == PF_OK ? pf_cli_put(run, path.data, text, len) : st;
    }
    free(text);
    pf_buffer_free(&path);
    pf_findings_free(f);
    return st;
}

static pf_status check(pf_cli_run *run)
{
    const pf_cli_settings *set = run->set;
    size_t partial = pf_options_find(run->pass->options, run->pass->option_count, "partial", 7);
    if (partial == run->pass->option_count) {
        return pf_cli_usage(run, "--collection is there for aiu, gpu and neutrino, not for %s", run->pass->name);
    }
    if (run->operand_count > 1) {
        return pf_cli_usage(run, "--collection names the traces; leave out '%s'", run->operands[1]);
    }
    if (set->fail_if.count || pf_cli_aligns(run)) {
        return pf_cli_usage(run, "thresholds and enriched traces need all traces at once, which --collection reads one "
                                 "by one; leave them out");
    }
    return pf_cli_check_page(run, NULL, 0);
}

static pf_status make_folder(pf_cli_run *run, const char *path)
{
    int reason = path ? pf_make_folder(path) : 0;
    run->at = reason ? path : run->at;
    return reason ? pf_fail(&run->err, PF_ERR_OUTPUT, "the folder cannot be created: %s", strerror(reason)) : PF_OK;
}

static pf_status run_all(collection *c, const char *folder, const char *cache)
{
    pf_cli_run *run = c->run;
    const char *partial = pf_cli_partial(run);
    pf_error *err = &run->err;
    run->at = folder;
    PF_TRY(list_traces(c, folder, cache, err));
    PF_TRY(check_names(c, err));
    PF_TRY(make_folder(run, cache));
    PF_TRY(make_folder(run, run->set->report));
    PF_TRY(pf_cli_check_output(run, NULL, 0, c->parts[0].partial));
    c->workers = run->set->jobs < c->count ? (size_t)run->set->jobs : c->count;
    PF_TRY(contribute_all(c, err));
    pf_status st = merge(c, partial), failures = report_failures(c);
    run->code = c->failed ? PF_CLI_FINDING : run->code;
    return st == PF_OK ? failures : st;
}

pf_status pf_cli_run_collection(pf_cli_run *run, const char *folder, const char *cache)
{
    collection c = {.run = run};
    PF_TRY(check(run));
    pf_budget_init(&c.budget, &run->set->limits);
    pf_arena_init(&c.arena, &c.budget);
    pf_status st = run_all(&c, folder, cache);
    pf_cli_end(run, st);
    pf_arena_free(&c.arena);
    pf_budget_end(&c.budget);
    return st;
}
