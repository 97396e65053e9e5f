/* cli/hook/hook_run.c - a command run as if nobody were there, and its traces afterwards.
 *
 * The command keeps our process group and terminal. A signal that the terminal sends reaches both of us; one that was
 * sent to us alone is passed on. We outlive it in any case, since the traces are still to be processed.
 */
#include "cli/hook/hook.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/common/command.h"

/* Those that somebody may send to the capture; all but SIGCHLD wait in sigwaitinfo. */
static const int passed_on[] = {SIGINT,  SIGQUIT, SIGTERM,  SIGHUP,  SIGUSR1,
                                SIGUSR2, SIGCONT, SIGWINCH, SIGALRM, SIGTSTP};

static _Noreturn void become(char *const *argv, const sigset_t *mask, int report)
{
    sigprocmask(SIG_SETMASK, mask, NULL);
    execvp(argv[0], argv);
    int number = errno;
    ssize_t sent = write(report, &number, sizeof number);
    _exit(sent == sizeof number && number == ENOENT ? 127 : 126);
}

/* Gives a signal to the command; one of the terminal has reached it already. */
static void pass_on(const siginfo_t *info, pid_t pid)
{
    if (info->si_signo == SIGTSTP) {
        if (info->si_code != SI_KERNEL) {
            kill(pid, SIGTSTP);
        }
        raise(SIGSTOP);
    } else if (info->si_code != SI_KERNEL) {
        kill(pid, info->si_signo);
    }
}

/* Waits for the command, passing signals on; its exit status as a shell says it. */
static int wait_for(pid_t pid, const sigset_t *waited)
{
    int status = 0;
    for (;;) {
        siginfo_t info;
        pid_t ended = waitpid(pid, &status, WNOHANG);
        if (ended == pid) {
            return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
        }
        if (ended < 0 && errno != EINTR) {
            return PF_CLI_BUG;
        }
        if (sigwaitinfo(waited, &info) > 0 && info.si_signo != SIGCHLD) {
            pass_on(&info, pid);
        }
    }
}

/* Runs the command; *started says whether it could be. */
static int run(char *const *argv, bool *started)
{
    sigset_t waited, before;
    int report[2];
    sigemptyset(&waited);
    sigaddset(&waited, SIGCHLD);
    for (size_t i = 0; i < sizeof passed_on / sizeof *passed_on; i++) {
        struct sigaction action;
        if (sigaction(passed_on[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN) {
            sigaddset(&waited, passed_on[i]);
        }
    }
    struct sigaction child = {.sa_handler = SIG_DFL};
    sigaction(SIGCHLD, &child, NULL);
    sigprocmask(SIG_BLOCK, &waited, &before);
    *started = false;
    int number = 0, code = 126;
    pid_t pid = pipe2(report, O_CLOEXEC) == 0 ? fork() : -1;
    if (pid == 0) {
        become(argv, &before, report[1]);
    }
    if (pid > 0) {
        close(report[1]);
        ssize_t got;
        do {
            got = read(report[0], &number, sizeof number);
        } while (got < 0 && errno == EINTR);
        *started = got == 0;
        close(report[0]);
        code = wait_for(pid, &waited);
    } else {
        number = errno;
    }
    /* What came for the command while it ended is not for us. */
    static const struct timespec now = {0, 0};
    while (sigtimedwait(&waited, NULL, &now) > 0) {
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    if (!*started) {
        fprintf(stderr, "postfetto: %s: cannot be run: %s\n", argv[0], strerror(number));
    }
    return code;
}

int pf_hook_process(const pf_hook_config *c, const char *path, const pf_hook_words *ranks, bool new_only)
{
    pf_hook_result result;
    pf_hook_trace(c, path, ranks, &result);
    bool old = result.outcome == PF_HOOK_SKIPPED || result.outcome == PF_HOOK_NO_INPUT ||
               (result.outcome == PF_HOOK_BUSY && !c->once);
    if (result.text[0] && !(new_only && old)) {
        fprintf(stderr, "postfetto: %s: %s%s\n", path, result.outcome == PF_HOOK_FAILED ? "not analysed: " : "",
                result.text);
    }
    return new_only && result.outcome == PF_HOOK_BUSY ? PF_HOOK_AGAIN : result.code;
}

/* Has the files done that are of one capture with the path, if a pass takes them together. */
static bool process_capture(const pf_hook_config *c, const char *capture, bool jobs, const pf_hook_words *paths,
                            bool new_only, int *code)
{
    char own[PF_HOOK_PATH];
    pf_hook_words files = {0};
    for (size_t i = 0; i < paths->count; i++) {
        const char *other = paths->word[i];
        if (pf_hook_matches(&c->match, other) && !pf_hook_words_have(&files, other) &&
            pf_hook_capture_of(other, jobs, own) && strcmp(own, capture) == 0) {
            pf_hook_words_add(&files, other);
        }
    }
    bool join = pf_hook_ranks_are_joined(&files);
    if (join) {
        *code = pf_hook_process(c, capture, &files, new_only);
    }
    pf_hook_words_free(&files);
    return join;
}

/* First with all jobs, then those of one job. */
bool pf_hook_process_ranks(const pf_hook_config *c, pf_hook_words met[2], const char *path, const pf_hook_words *paths,
                           bool new_only, int *code)
{
    char capture[PF_HOOK_PATH];
    for (int jobs = 1; jobs >= 0; jobs--) {
        if (!pf_hook_capture_of(path, jobs, capture) || pf_hook_words_have(&met[false], capture)) {
            continue;
        }
        if (pf_hook_words_have(&met[true], capture)) {
            return true;
        }
        bool join = process_capture(c, capture, jobs, paths, new_only, code);
        pf_hook_words_add(&met[join], capture);
        if (join) {
            return true;
        }
    }
    return false;
}

/* A new file, or the recording that it belongs to, which is then met as a whole; what the analysis deserves. */
static int process_one(const pf_hook_config *c, const char *file, const char *folder, const pf_hook_words *files,
                       pf_hook_words met[2])
{
    char recording[PF_HOOK_PATH];
    bool inside = pf_hook_recording_of(file, folder, recording);
    const char *path = inside ? recording : file;
    int code = PF_CLI_DONE;
    if (inside && pf_hook_words_have(&met[true], recording)) {
        return code;
    }
    if (inside) {
        pf_hook_words_add(&met[true], recording);
    }
    if (pf_hook_matches(&c->match, path) && (inside || !pf_hook_process_ranks(c, met, path, files, false, &code)) &&
        pf_hook_is_candidate(path)) {
        code = pf_hook_process(c, path, NULL, false);
    }
    return code;
}

/* Processes what changed in the folder since it was listed. Of the exit codes what failed counts more than a finding,
 * the first failure more than the next. */
static int process_new(const pf_hook_config *c, const char *folder, const pf_hook_files *before)
{
    pf_hook_files after;
    pf_hook_words files = {0}, met[2] = {0};
    int worst = PF_CLI_DONE;
    pf_hook_files_list(&after, folder, PF_HOOK_FILES);
    for (size_t i = 0; i < after.count; i++) {
        if (!pf_hook_files_has(before, &after.at[i]) && !pf_hook_is_output_name(after.at[i].path)) {
            pf_hook_words_add(&files, after.at[i].path);
        }
    }
    for (size_t i = 0; i < files.count && !pf_cli_signal_code(); i++) {
        int code = process_one(c, files.word[i], folder, &files, met);
        worst = worst > PF_CLI_FINDING || code == PF_CLI_DONE ? worst : code;
    }
    if (before->failed || after.failed || files.failed) {
        fprintf(stderr, "postfetto: %s: not all files could be read\n", folder);
    }
    pf_hook_files_free(&after);
    pf_hook_words_free(&files);
    pf_hook_words_free(&met[false]);
    pf_hook_words_free(&met[true]);
    return worst;
}

int pf_hook_run_command(const pf_hook_config *c, char *const *argv)
{
    pf_hook_files before = {0};
    const char *folder = c && c->in ? c->in : ".";
    bool started;
    if (c) {
        pf_hook_files_list(&before, folder, PF_HOOK_FILES);
        before.failed &= access(folder, F_OK) == 0;
    }
    int code = run(argv, &started);
    int analysed = c && started ? process_new(c, folder, &before) : PF_CLI_DONE;
    pf_hook_files_free(&before);
    return code == 0 && c && c->strict ? analysed : code;
}
