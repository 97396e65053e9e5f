/* cli/hook/children/child.c - see child.h.
 *
 * The parent polls two pipes and a deadline. At the deadline, or when the hook itself is asked to stop, the child gets
 * SIGTERM, which removes what it was writing; two seconds later it gets SIGKILL. A child whose hook is killed gets
 * SIGKILL from the kernel, so that no work goes on without a lock.
 */
#include "cli/hook/children/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/list.h"
#include "cli/terminal/terminal.h"

#define KEPT_BYTES ((size_t)64 << 20)
#define GRACE_SECONDS 2.0

void pf_hook_words_add(pf_hook_words *w, const char *text)
{
    char *copy = w->failed ? NULL : strdup(text);
    if (!copy || PF_LIST_ROOM(NULL, w->word, w->count + 2, w->room, NULL) != PF_OK) {
        w->failed = true;
        free(copy);
        return;
    }
    w->word[w->count++] = copy;
    w->word[w->count] = NULL;
}

void pf_hook_words_put_all(pf_hook_words *w, ...)
{
    va_list list;
    va_start(list, w);
    for (const char *text; (text = va_arg(list, const char *));) {
        pf_hook_words_add(w, text);
    }
    va_end(list);
}

void pf_hook_words_add_all(pf_hook_words *w, const pf_hook_words *more)
{
    for (size_t i = 0; i < more->count; i++) {
        pf_hook_words_add(w, more->word[i]);
    }
    w->failed |= more->failed;
}

size_t pf_hook_words_find(const pf_hook_words *w, const char *text)
{
    size_t i = 0;
    while (i < w->count && strcmp(w->word[i], text) != 0) {
        i++;
    }
    return i;
}

void pf_hook_words_free(pf_hook_words *w)
{
    for (size_t i = 0; i < w->count; i++) {
        free(w->word[i]);
    }
    free(w->word);
    *w = (pf_hook_words){0};
}

/* One word from *at on into b, which stays NUL-terminated; *at moves to its end. False if a quote is open. */
static bool take_word(const char **at, pf_buffer *b)
{
    char quote = 0;
    for (const char *p = *at; *p || !quote; p++) {
        if (!quote && (*p == '\0' || strchr(" \t\n", *p))) {
            *at = p;
            pf_buffer_put(b, "", 1);
            return true;
        }
        if (*p == '\\' && p[1] && (!quote || (quote == '"' && strchr("\"\\", p[1])))) {
            pf_buffer_put(b, ++p, 1);
        } else if (quote ? *p == quote : *p == '"' || *p == '\'') {
            quote = quote ? 0 : *p;
        } else {
            pf_buffer_put(b, p, 1);
        }
    }
    return false;
}

bool pf_hook_words_split(pf_hook_words *w, const char *line)
{
    size_t before = w->count;
    bool closed = true;
    for (const char *at = line + strspn(line, " \t\n"); *at && closed; at += strspn(at, " \t\n")) {
        pf_buffer b = {0};
        closed = take_word(&at, &b);
        if (closed && !b.failed) {
            pf_hook_words_add(w, b.data);
        }
        w->failed |= b.failed;
        pf_buffer_free(&b);
    }
    while (!closed && w->count > before) {
        free(w->word[--w->count]);
        w->word[w->count] = NULL;
    }
    return closed;
}

/* Where the words are executed; the number of an error that keeps them from it goes through `report`. */
static _Noreturn void become(char **argv, const int ends[2], int report, int nice_by, pid_t parent)
{
    int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() == parent && null >= 0 && dup2(null, STDIN_FILENO) >= 0 && dup2(ends[0], STDOUT_FILENO) >= 0 &&
        dup2(ends[1], STDERR_FILENO) >= 0) {
        sigset_t none;
        sigemptyset(&none);
        sigprocmask(SIG_SETMASK, &none, NULL);
        signal(SIGTERM, SIG_DFL);
        if (nice_by) {
            (void)!nice(nice_by); /* a refusal leaves the niceness as it is, which harms nobody */
        }
        execv("/proc/self/exe", argv);
    }
    int number = errno;
    ssize_t sent = write(report, &number, sizeof number);
    _exit(sent == sizeof number ? 127 : 126);
}

/* Reads what is there and keeps what there is room for; false at the end of the stream. */
static bool drain(int fd, pf_buffer *b)
{
    char piece[1 << 16];
    ssize_t n = read(fd, piece, sizeof piece);
    size_t left = KEPT_BYTES - b->len;
    pf_buffer_put(b, piece, n < 0 ? 0 : (size_t)n < left ? (size_t)n : left);
    return n > 0 || (n < 0 && (errno == EINTR || errno == EAGAIN));
}

/* Milliseconds until `when`, at most a tenth of a second, so that a signal that came between two looks is seen. */
static int wait_for(double when)
{
    double left = when > 0 ? (when - pf_cli_now()) * 1000 : 100;
    return left < 0 ? 0 : left > 100 ? 100 : (int)left + 1;
}

/* Asks the child to stop, or makes it, as time passes. */
static void press(pf_hook_child *c, pid_t pid, const pf_hook_child_limits *limits, double *asked)
{
    bool late = limits->deadline > 0 && pf_cli_now() >= limits->deadline;
    if (*asked == 0 && (late || pf_cli_signal_code())) {
        c->timed_out = late;
        c->cancelled = !late;
        *asked = pf_cli_now();
        kill(pid, SIGTERM);
    } else if (*asked > 0 && pf_cli_now() - *asked > GRACE_SECONDS) {
        kill(pid, SIGKILL);
    }
}

static void follow(pf_hook_child *c, pid_t pid, int out, int err, const pf_hook_child_limits *limits)
{
    struct pollfd fds[2] = {{.fd = out, .events = POLLIN}, {.fd = err, .events = POLLIN}};
    pf_buffer *kept[2] = {&c->out, &c->err};
    double asked = 0;
    while (fds[0].fd >= 0 || fds[1].fd >= 0) {
        int ready = poll(fds, 2, wait_for(asked > 0 ? asked + GRACE_SECONDS : limits->deadline));
        for (size_t i = 0; ready > 0 && i < 2; i++) {
            if (fds[i].fd >= 0 && fds[i].revents && !drain(fds[i].fd, kept[i])) {
                fds[i].fd = -1;
            }
        }
        press(c, pid, limits, &asked);
    }
    int status = 0;
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
        press(c, pid, limits, &asked);
    }
    c->code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

enum { OUT, ERR, STARTED, PIPES };

static void close_ends(int pipes[PIPES][2], int end)
{
    for (int i = 0; i < PIPES; i++) {
        if (pipes[i][end] >= 0) {
            close(pipes[i][end]);
        }
        pipes[i][end] = -1;
    }
}

void pf_hook_child_run(pf_hook_child *c, pf_hook_words *words, const pf_hook_child_limits *limits)
{
    *c = (pf_hook_child){.code = -1};
    int pipes[PIPES][2] = {{-1, -1}, {-1, -1}, {-1, -1}}, made = 0;
    pf_hook_words all = {0};
    char terminal[32];
    int shown = isatty(STDERR_FILENO) == 1 ? fcntl(STDERR_FILENO, F_DUPFD, 10) : -1; /* progress goes there by itself */
    pf_hook_words_add(&all, "postfetto");
    pf_hook_words_put(&all, words->count ? words->word[0] : "");
    if (shown >= 0) {
        snprintf(terminal, sizeof terminal, "--hook-progress=%d", shown);
        pf_hook_words_add(&all, terminal);
    }
    for (size_t i = 1; i < words->count; i++) {
        pf_hook_words_add(&all, words->word[i]);
    }
    all.failed |= words->failed;
    pf_hook_words_free(words);
    errno = ENOMEM;
    while (!all.failed && made < PIPES && pipe2(pipes[made], O_CLOEXEC) == 0) {
        made++;
    }
    pid_t self = getpid(), pid = made == PIPES ? fork() : -1;
    if (pid == 0) {
        become(all.word, (const int[2]){pipes[OUT][1], pipes[ERR][1]}, pipes[STARTED][1], limits->nice, self);
    }
    int number = pid < 0 ? errno : 0;
    close_ends(pipes, 1);
    if (pid > 0) {
        follow(c, pid, pipes[OUT][0], pipes[ERR][0], limits);
        number = read(pipes[STARTED][0], &number, sizeof number) == sizeof number ? number : 0;
    }
    if (number) {
        c->code = -1;
        c->start_errno = number;
    }
    if (shown >= 0) {
        close(shown);
    }
    close_ends(pipes, 0);
    pf_hook_words_free(&all);
}

void pf_hook_child_free(pf_hook_child *c)
{
    pf_buffer_free(&c->out);
    pf_buffer_free(&c->err);
}
