/* cli/terminal/signals.h - what the command does when it is asked to stop. */
#ifndef PF_CLI_TERMINAL_SIGNALS_H
#define PF_CLI_TERMINAL_SIGNALS_H

#include <stdbool.h>

/* Installs the handlers; call once, first thing. */
void pf_cli_signals_install(void);

/* The flag for pf_read_options.cancel and pf_write_options.cancel: the number of the signal, or 0. */
const volatile int *pf_cli_cancel_flag(void);

/* While held (an output file is being written) the first signal only sets the flag, so that the temporary file can be
 * taken away; otherwise, and from the second signal on, the process ends at once. */
void pf_cli_signals_hold(bool on);

/* 130, 143, ... once a signal came, else 0. */
int pf_cli_signal_code(void);

/* The file that the message about a shrinking input names; must stay valid. */
void pf_cli_signals_input(const char *path);

/* Whether a progress line stands on the terminal, which a message must not be glued to. */
void pf_cli_signals_line_open(bool open);

#endif
