/* cli/terminal/signals.c - SIGINT, SIGTERM and SIGHUP end the command with 128 + their number; nothing half-written
 * stays.
 *
 * A handler may do next to nothing, and a blocked read (an idle fifo) would never poll a flag. So there are two ways
 * out. As long as no output file is open there is nothing to undo and the handler leaves with _exit. While one is
 * open (`held`) the first signal sets the flag that the library polls; it gives up, removes its temporary file, and
 * main leaves with the same code. A second signal leaves at once in any case: the nameless temporaries of
 * base/outfile vanish with the process.
 *
 * SIGBUS means that a mapped input became shorter while it was read: one line and exit code 3. SIGPIPE gets its
 * default action back, whatever the parent left: no output file is ever open while the command writes to a pipe. A
 * signal that the parent ignores (nohup, background jobs) stays ignored. SIGXFSZ is ignored so that a write beyond the
 * file size limit fails like any other.
 *
 * The variables here are the only ones of the whole program that outlive a function: a handler has no other way to
 * know them.
 */
#include "cli/terminal/terminal.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

static volatile int caught;
static volatile sig_atomic_t held;
static volatile sig_atomic_t line_open;
static const char *volatile input_path;

static void say(const char *text)
{
    ssize_t ignored = write(STDERR_FILENO, text, strlen(text));
    (void)ignored;
}

static void on_stop(int number)
{
    if (!held || caught) {
        if (line_open) {
            say("\n");
        }
        _exit(128 + number);
    }
    caught = number;
}

static void on_bus(int number)
{
    say(line_open ? "\npostfetto: " : "postfetto: ");
    say(input_path ? input_path : "input");
    say(": became shorter while it was read; wait until its writer has finished, or read a copy\n");
    _exit(3);
}

static void install(int number, void (*handler)(int), bool unless_ignored)
{
    struct sigaction old, action = {.sa_handler = handler};
    sigemptyset(&action.sa_mask);
    if (!unless_ignored || (sigaction(number, NULL, &old) == 0 && old.sa_handler != SIG_IGN)) {
        sigaction(number, &action, NULL);
    }
}

void pf_cli_signals_install(void)
{
    install(SIGINT, on_stop, true);
    install(SIGTERM, on_stop, true);
    install(SIGHUP, on_stop, true);
    install(SIGBUS, on_bus, false);
    install(SIGPIPE, SIG_DFL, false);
    install(SIGXFSZ, SIG_IGN, false);
}

const volatile int *pf_cli_cancel_flag(void)
{
    return &caught;
}

void pf_cli_signals_hold(bool on)
{
    held = on;
}

void pf_cli_signals_forget(void)
{
    caught = 0;
}

int pf_cli_signal_code(void)
{
    return caught ? 128 + caught : 0;
}

void pf_cli_signals_input(const char *path)
{
    input_path = path;
}

void pf_cli_signals_line_open(bool open)
{
    line_open = open;
}
