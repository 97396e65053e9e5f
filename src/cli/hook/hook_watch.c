/* cli/hook/hook_watch.c - folders whose traces are processed as they come.
 *
 * inotify says which file may be worth a look; nothing else is taken from it. A file that was closed or moved into
 * place is due at once, one that was only created or written to is due when nothing happened to it for the settling
 * time, and every event sets the time anew. What is due is handed to a worker process, of which there are at most
 * config->workers. A worker that finds the outputs up to date does nothing, so looking once too often costs a read:
 * after an overflow, when watches run out, or at the start, everything is simply listed again.
 */
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/list.h"
#include "cli/common/command.h"
#include "cli/hook/hook.h"

#define FILE_EVENTS (IN_CLOSE_WRITE | IN_MOVED_TO | IN_CREATE | IN_MODIFY)
#define FOLDER_EVENTS (IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR | IN_DONT_FOLLOW | IN_EXCL_UNLINK)
#define LOOK_AGAIN 1.0 /* seconds between two looks for folders that are gone, or where watching is refused */

/* A file that is due at some time, or that a worker has. */
typedef struct due {
    char *path;
    double when;
    bool recording; /* a folder */
    bool ranks;     /* a capture of several, whose path is no file */
    pid_t worker;   /* 0: none yet */
} due;

typedef struct folder {
    int wd; /* -1: gone */
    char *path;
    bool root; /* named on the command line: looked for again when it is gone */
} folder;

typedef struct watch {
    const pf_hook_config *config;
    int fd; /* -1: watching is refused, folders are listed again and again */
    folder *folders;
    size_t folder_count, folder_room;
    due *queue;
    size_t queue_count, queue_room;
    size_t busy; /* of them with a worker */
    bool list_again;
    double next_look;
    int worst;
} watch;

static bool is_below(const char *path, const char *top)
{
    size_t len = strlen(top);
    len -= len > 1 && top[len - 1] == '/';
    return strcmp(top, ".") == 0 || (strncmp(path, top, len) == 0 && (path[len] == '/' || !path[len]));
}

/* The file as one that waits for its time or, busy, as one that a worker has; NULL: it is none. */
static due *find_due(const watch *w, const char *path, bool busy)
{
    due *end = w->queue + w->queue_count;
    for (due *d = w->queue; d < end; d++) {
        if ((d->worker != 0) == busy && strcmp(d->path, path) == 0) {
            return d;
        }
    }
    return NULL;
}

/* Files that may be ranks of one capture are due together, with the last of them. */
static void enqueue(watch *w, const char *path, double when, bool recording)
{
    char capture[PF_HOOK_PATH];
    if (pf_hook_is_output_name(path) || !pf_hook_matches(&w->config->match, path)) {
        return;
    }
    bool ranks = !recording && pf_hook_capture_of(path, true, capture);
    path = ranks ? capture : path;
    due *known = find_due(w, path, false);
    if (known) {
        known->when = ranks && known->when > when ? known->when : when;
        return;
    }
    char *copy = PF_LIST_ROOM(NULL, w->queue, w->queue_count + 1, w->queue_room, NULL) == PF_OK ? strdup(path) : NULL;
    if (!copy) {
        return;
    }
    w->queue[w->queue_count++] = (due){.path = copy, .when = when, .recording = recording, .ranks = ranks};
}

static void drop(watch *w, size_t at)
{
    free(w->queue[at].path);
    w->busy -= w->queue[at].worker != 0;
    memmove(&w->queue[at], &w->queue[at + 1], (--w->queue_count - at) * sizeof *w->queue);
}

/* When a file that nobody was seen to close counts as written. */
static double settled_at(const watch *w, const pf_hook_file *f)
{
    struct timespec real;
    clock_gettime(CLOCK_REALTIME, &real);
    double age = (double)(real.tv_sec - f->changed.tv_sec) + (double)(real.tv_nsec - f->changed.tv_nsec) * 1e-9;
    double left = age < 0 || age >= w->config->settle ? 0 : w->config->settle - age;
    return pf_cli_now() + left;
}

static void list_files(watch *w, const char *path)
{
    pf_hook_files files;
    pf_hook_files_list(&files, path, PF_HOOK_FILES);
    for (size_t i = 0; i < files.count; i++) {
        enqueue(w, files.at[i].path, settled_at(w, &files.at[i]), false);
    }
    pf_hook_files_free(&files);
}

static folder *folder_of(watch *w, int wd)
{
    for (size_t i = 0; i < w->folder_count; i++) {
        if (w->folders[i].wd == wd) {
            return &w->folders[i];
        }
    }
    return NULL;
}

static void refuse_watching(watch *w, const char *path)
{
    fprintf(
        stderr,
        "postfetto: %s: cannot be watched: %s; its files are listed every %g s instead (see fs.inotify in sysctl)\n",
        path, strerror(errno), LOOK_AGAIN);
    close(w->fd);
    w->fd = -1;
}

/* Watches one folder. The ones in it come by listing. */
static void watch_folder(watch *w, const char *path, bool root)
{
    int wd = w->fd >= 0 ? inotify_add_watch(w->fd, path, FILE_EVENTS | FOLDER_EVENTS) : -1;
    if (wd < 0 && w->fd >= 0 && errno != ENOENT && errno != ENOTDIR && errno != EACCES) {
        refuse_watching(w, path);
    }
    if (wd < 0 ? !root : folder_of(w, wd) != NULL) {
        return;
    }
    char *copy =
        PF_LIST_ROOM(NULL, w->folders, w->folder_count + 1, w->folder_room, NULL) == PF_OK ? strdup(path) : NULL;
    if (copy) {
        w->folders[w->folder_count++] = (folder){.wd = wd, .path = copy, .root = root};
    }
}

/* Watches a folder and those in it, and lists their files: in this order, so that nothing comes in between unseen. */
static void enter(watch *w, const char *path, bool root)
{
    pf_hook_files folders;
    watch_folder(w, path, root);
    pf_hook_files_list(&folders, path, PF_HOOK_FOLDERS);
    for (size_t i = 0; i < folders.count; i++) {
        watch_folder(w, folders.at[i].path, false);
    }
    pf_hook_files_free(&folders);
    list_files(w, path);
}

/* Roots that are gone may have come back; where watching is refused or events were lost, everything is listed. */
static void look_again(watch *w)
{
    size_t count = w->folder_count;
    for (size_t i = 0; i < count; i++) {
        folder *f = &w->folders[i];
        if (f->root && f->wd < 0 && w->fd >= 0) {
            f->wd = inotify_add_watch(w->fd, f->path, FILE_EVENTS | FOLDER_EVENTS);
            if (f->wd >= 0) {
                enter(w, f->path, true); /* which may move the array, but not the path */
            }
        } else if (f->root && (w->list_again || w->fd < 0)) {
            list_files(w, f->path);
        }
    }
    w->list_again = false;
    w->next_look = pf_cli_now() + LOOK_AGAIN;
}

static void forget_folder(watch *w, folder *f)
{
    if (f->root) {
        f->wd = -1;
        return;
    }
    free(f->path);
    *f = w->folders[--w->folder_count];
}

static void take_event(watch *w, const struct inotify_event *e)
{
    folder *f = folder_of(w, e->wd);
    if (e->mask & IN_Q_OVERFLOW) {
        w->list_again = true;
        w->next_look = 0;
    }
    if (!f) {
        return;
    }
    if (e->mask & IN_MOVE_SELF) {
        inotify_rm_watch(w->fd, e->wd); /* it has another name now; IN_IGNORED follows */
    }
    if (e->mask & IN_IGNORED) {
        forget_folder(w, f);
        return;
    }
    if (e->len == 0 || e->name[0] == '.') {
        return;
    }
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s/%s", f->path, e->name) >= (int)sizeof path) {
        return;
    }
    if (e->mask & IN_ISDIR) {
        if (e->mask & (IN_CREATE | IN_MOVED_TO)) {
            enter(w, path, false);
        }
        return;
    }
    char capture[PF_HOOK_PATH];
    bool written = (e->mask & (IN_CLOSE_WRITE | IN_MOVED_TO)) && !pf_hook_capture_of(path, true, capture);
    enqueue(w, path, pf_cli_now() + (written ? 0 : w->config->settle), false);
}

static void take_events(watch *w)
{
    char bytes[1 << 16] __attribute__((aligned(__alignof__(struct inotify_event))));
    ssize_t n = w->fd >= 0 ? read(w->fd, bytes, sizeof bytes) : 0;
    for (ssize_t at = 0; at < n && w->fd >= 0;) {
        const struct inotify_event *e = (const struct inotify_event *)(bytes + at);
        take_event(w, e);
        at += (ssize_t)(sizeof *e + e->len);
    }
}

/* A file of a recording that is a folder makes that due, when nothing came to it for the settling time. */
static bool pass_on(watch *w, size_t at)
{
    char recording[PF_HOOK_PATH];
    const char *path = w->queue[at].path;
    size_t i = 0;
    while (i < w->folder_count && !(w->folders[i].root && is_below(path, w->folders[i].path))) {
        i++;
    }
    if (w->queue[at].recording || i == w->folder_count || !pf_hook_recording_of(path, w->folders[i].path, recording) ||
        strcmp(recording, path) == 0) {
        return false;
    }
    drop(w, at);
    enqueue(w, recording, pf_cli_now() + (w->config->once ? 0 : w->config->settle), true);
    return true;
}

static int process(const watch *w, const char *path)
{
    return pf_hook_is_candidate(path) ? pf_hook_process(w->config, path, NULL, true) : PF_CLI_DONE;
}

/* The ranks of a capture that are there now: together, or one by one where no pass takes them together. */
static int process_ranks(const watch *w, const char *capture)
{
    pf_hook_words files = {0}, met[2] = {0};
    int worst = PF_CLI_DONE;
    pf_hook_ranks_list(&w->config->match, capture, &files);
    if (files.failed) {
        fprintf(stderr, "postfetto: %s: not all files could be read\n", capture);
        worst = PF_CLI_LIMIT;
    }
    for (size_t i = 0; i < files.count; i++) {
        int code = PF_CLI_DONE;
        if (!pf_hook_process_ranks(w->config, met, files.word[i], &files, true, &code)) {
            code = process(w, files.word[i]);
        }
        worst = code > worst ? code : worst;
    }
    pf_hook_words_free(&files);
    pf_hook_words_free(&met[false]);
    pf_hook_words_free(&met[true]);
    return worst;
}

static _Noreturn void work_on(const watch *w, const due *d, pid_t parent)
{
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    pf_cli_signals_hold(false);
    bool orphan = getppid() != parent;
    _exit(orphan ? PF_CLI_DONE : d->ranks ? process_ranks(w, d->path) : process(w, d->path));
}

/* Hands what is due to workers. Returns when the next file is due, or 0 if none waits for its time. */
static double start_workers(watch *w)
{
    double next = 0, now = pf_cli_now();
    for (size_t i = 0; i < w->queue_count;) {
        due *d = &w->queue[i];
        bool waits = !d->worker && d->when > now;
        next = waits && (next == 0 || d->when < next) ? d->when : next;
        if (!d->worker && !waits && pass_on(w, i)) {
            next = now;
            continue;
        }
        if (!d->worker && !waits && w->busy < (size_t)w->config->workers && !find_due(w, d->path, true)) {
            pid_t self = getpid(), pid = fork();
            if (pid == 0) {
                work_on(w, d, self);
            }
            d->worker = pid > 0 ? pid : 0;
            d->when = pid > 0 ? d->when : now + LOOK_AGAIN; /* no process is to be had now; later perhaps */
            w->busy += pid > 0;
        }
        i++;
    }
    return next;
}

static void end_workers(watch *w)
{
    for (size_t i = w->queue_count; i-- > 0;) {
        int status;
        pid_t pid = w->queue[i].worker;
        if (pid && waitpid(pid, &status, WNOHANG) == pid) {
            int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
            bool again = code == PF_HOOK_AGAIN && !w->config->once; /* that hook may end without a report */
            w->worst = code > w->worst && code != PF_HOOK_AGAIN ? code : w->worst;
            if (again && !find_due(w, w->queue[i].path, false)) {
                w->queue[i].worker = 0;
                w->queue[i].when = pf_cli_now() + LOOK_AGAIN;
                w->busy--;
            } else {
                drop(w, i);
            }
        }
    }
}

static void stop_workers(const watch *w)
{
    for (int end = 0; end < 2; end++) {
        for (size_t i = 0; i < w->queue_count; i++) {
            pid_t pid = w->queue[i].worker;
            if (pid && !end) {
                kill(pid, SIGTERM);
            }
            while (pid && end && waitpid(pid, NULL, 0) < 0 && errno == EINTR) {
            }
        }
    }
}

static void run(watch *w)
{
    while (!pf_cli_signal_code()) {
        end_workers(w);
        double next = start_workers(w);
        if (w->config->once && w->queue_count == 0) {
            return;
        }
        /* A worker's end, a signal and a missing root show within a tenth of a second. */
        double left = next > 0 ? next - pf_cli_now() : 0.1;
        struct pollfd fd = {.fd = w->fd, .events = POLLIN};
        if (poll(&fd, 1, left <= 0 ? 0 : left > 0.1 ? 100 : (int)(left * 1000) + 1) > 0) {
            take_events(w);
        }
        if (!w->config->once && pf_cli_now() >= w->next_look) {
            look_again(w);
        }
    }
}

int pf_hook_watch(const pf_hook_config *c, const char *const *folders, size_t count)
{
    watch w = {.config = c, .fd = -1, .next_look = pf_cli_now() + LOOK_AGAIN};
    pf_cli_signals_hold(true);
    if (!c->once) {
        w.fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
        if (w.fd < 0) {
            fprintf(stderr, "postfetto: watching is refused: %s; files are listed every %g s instead\n",
                    strerror(errno), LOOK_AGAIN);
        }
    }
    for (size_t i = 0; i < count; i++) {
        enter(&w, folders[i], true);
    }
    run(&w);
    stop_workers(&w);
    pf_cli_signals_hold(false);
    for (size_t i = 0; i < w.queue_count; i++) {
        free(w.queue[i].path);
    }
    for (size_t i = 0; i < w.folder_count; i++) {
        free(w.folders[i].path);
    }
    if (w.fd >= 0) {
        close(w.fd);
    }
    free(w.queue);
    free(w.folders);
    if (pf_cli_signal_code()) {
        return pf_cli_signal_code() == 128 + SIGTERM ? PF_CLI_DONE : pf_cli_signal_code();
    }
    return c->strict ? w.worst : PF_CLI_DONE;
}
