/* Handlers and the progress line. Every test runs in a process of its own, so that it may end by a signal. */
#include <criterion/criterion.h>
#include <criterion/redirect.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "cli/terminal/terminal.h"

/* As a shell starts a command in the foreground: in the background of a script SIGINT is ignored, and inherited so. */
static void default_signals(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        signal(numbers[i], SIG_DFL);
    }
}

/* What has been written so far. */
static void expect_on_stderr(const char *text)
{
    char got[256] = "";
    fflush(stderr);
    lseek(STDERR_FILENO, 0, SEEK_SET);
    ssize_t n = read(STDERR_FILENO, got, sizeof got - 1);
    cr_assert_geq(n, 0);
    cr_assert_str_eq(got, text);
}

static void stderr_to_file(void)
{
    char name[] = "/tmp/postfetto-progress-XXXXXX";
    int fd = mkstemp(name);
    cr_assert_geq(fd, 0);
    unlink(name);
    fflush(stderr);
    dup2(fd, STDERR_FILENO);
}

TestSuite(signals, .init = default_signals);

Test(signals, a_stop_with_nothing_open_ends_at_once, .exit_code = 143)
{
    pf_cli_signals_install();
    raise(SIGTERM);
    cr_assert_fail("still here");
}

Test(signals, while_held_the_first_sets_the_flag)
{
    pf_cli_signals_install();
    pf_cli_signals_hold(true);
    cr_assert_eq(*pf_cli_cancel_flag(), 0);
    cr_assert_eq(pf_cli_signal_code(), 0);
    raise(SIGINT);
    cr_assert_eq(*pf_cli_cancel_flag(), SIGINT);
    cr_assert_eq(pf_cli_signal_code(), 130);
}

Test(signals, the_second_ends_at_once, .exit_code = 143)
{
    pf_cli_signals_install();
    pf_cli_signals_hold(true);
    raise(SIGINT);
    raise(SIGTERM);
    cr_assert_fail("still here");
}

Test(signals, a_shrinking_input_is_exit_code_3, .exit_code = 3, .init = cr_redirect_stderr)
{
    pf_cli_signals_install();
    pf_cli_signals_input("some.json");
    raise(SIGBUS);
    cr_assert_fail("still here");
}

/* The handler leaves, so a child raises the signal. */
static void expect_of_sigbus(const char *input, bool line, const char *text)
{
    stderr_to_file();
    pid_t child = fork();
    if (child == 0) {
        pf_cli_signals_install();
        pf_cli_signals_input(input);
        pf_cli_signals_line_open(line);
        raise(SIGBUS);
        _exit(0);
    }
    int status = 0;
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == 3);
    expect_on_stderr(text);
}

Test(signals, a_shrinking_input_is_named)
{
    expect_of_sigbus("some.json", false,
                     "postfetto: some.json: became shorter while it was read; wait until its writer has finished, "
                     "or read a copy\n");
    expect_of_sigbus("some.json", true,
                     "\npostfetto: some.json: became shorter while it was read; wait until its writer has finished, "
                     "or read a copy\n");
    expect_of_sigbus(NULL, false,
                     "postfetto: input: became shorter while it was read; wait until its writer has finished, or read "
                     "a copy\n");
}

Test(signals, an_ignored_signal_stays_ignored)
{
    signal(SIGHUP, SIG_IGN);
    pf_cli_signals_install();
    raise(SIGHUP);
    cr_assert_eq(pf_cli_signal_code(), 0);
}

Test(progress, is_silent_in_the_first_half_second)
{
    stderr_to_file();
    pf_cli_progress p = {.enabled = true, .fd = STDERR_FILENO, .started = pf_cli_now() + 1000};
    pf_cli_progress_update(&p, 1, 2);
    pf_cli_progress_clear(&p);
    expect_on_stderr("");
}

Test(progress, one_line_that_is_taken_away)
{
    stderr_to_file();
    pf_cli_progress p = {.enabled = true, .fd = STDERR_FILENO, .started = pf_cli_now() - 10};
    pf_cli_progress_update(&p, 50000000, 100000000);
#define HALF "\rreading: 50.0 of 100.0 MB, 50 %, 5.0 MB/s, 10 s left"
    expect_on_stderr(HALF);
    p.shown = 0;
    pf_cli_progress_update(&p, 60000000, 0);
    expect_on_stderr(HALF "\rreading: 60.0 MB, 6.0 MB/s                          ");
    pf_cli_progress_clear(&p);
    expect_on_stderr(HALF "\rreading: 60.0 MB, 6.0 MB/s                          "
                          "\r                                                    \r");
    pf_cli_progress_clear(&p);
}

Test(progress, of_several_files)
{
    stderr_to_file();
    pf_cli_progress p = {.enabled = true, .fd = STDERR_FILENO, .started = pf_cli_now() - 10, .all = 400000000};
    pf_cli_progress_update(&p, 90000000, 100000000);
    pf_cli_progress_update(&p, 100000000, 100000000);
    p.shown = 0;
    p.columns = 0;
    pf_cli_progress_update(&p, 20000000, 300000000); /* of the second one */
    expect_on_stderr("\rreading: 90.0 of 400.0 MB, 22 %, 9.0 MB/s, 34 s left"
                     "\rreading: 120.0 of 400.0 MB, 30 %, 12.0 MB/s, 23 s left");
}

Test(progress, nothing_where_standard_error_is_a_file)
{
    stderr_to_file();
    pf_cli_progress p;
    pf_cli_progress_start(&p, false, STDERR_FILENO);
    cr_assert(!p.enabled);
}

Test(progress, of_passes_and_writers)
{
    stderr_to_file();
    pf_cli_progress p = {.enabled = true, .fd = STDERR_FILENO, .started = pf_cli_now() - 10};
    pf_cli_progress_pass(&p, 1, 4);
    expect_on_stderr("\ranalyzing: 25 %, 30 s left");
    p.shown = pf_cli_now() + 1000; /* just now, as it were */
    pf_cli_progress_pass(&p, 2, 4);
    pf_cli_progress_write(&p, 3000000, 0.5);
    pf_cli_progress_update(&p, 1, 2);
    expect_on_stderr("\ranalyzing: 25 %, 30 s left");
    p.shown = 0;
    pf_cli_progress_pass(&p, 3, 0);
    expect_on_stderr("\ranalyzing: 25 %, 30 s left\ranalyzing                 ");
    p.shown = 0;
    pf_cli_progress_write(&p, 3000000, 0.5);
    expect_on_stderr(
        "\ranalyzing: 25 %, 30 s left\ranalyzing                 \rwriting: 3.0 MB, 50 %, 0.3 MB/s, 10 s left");
    p = (pf_cli_progress){.enabled = false, .fd = STDERR_FILENO, .started = pf_cli_now() - 10};
    pf_cli_progress_write(&p, 3000000, 0.5);
    pf_cli_progress_pass(&p, 1, 4);
    expect_on_stderr(
        "\ranalyzing: 25 %, 30 s left\ranalyzing                 \rwriting: 3.0 MB, 50 %, 0.3 MB/s, 10 s left");
}
