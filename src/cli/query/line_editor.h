/* cli/query/line_editor.h - a line that a person types on a terminal: edited, completed by Tab, found again by the
 * arrow keys, in this session and in later ones. */
#pragma once

#include "base/buffer.h"

/* Whether the command was built with libedit, which is loaded when a line is wanted. */
#ifdef PF_HAVE_LIBEDIT
#define PF_CLI_FEATURES " libedit"
#else
#define PF_CLI_FEATURES ""
#endif

typedef struct pf_cli_editor pf_cli_editor;

/* What may stand instead of the last word of a text. */
typedef struct pf_cli_completer {
    void *ctx;
    /* Appends words, each with a NUL after it, and returns the length of what they replace at the end of the text. */
    size_t (*words)(void *ctx, pf_str text, pf_buffer *out);
} pf_cli_completer;

/* PF_ERR_OUTPUT, with the name of the package, where libedit is not installed; PF_ERR_USAGE where the command was built
 * without it. */
pf_status pf_cli_editor_open(pf_cli_editor **out, const pf_cli_completer *completer, pf_error *err);
void pf_cli_editor_close(pf_cli_editor *e); /* may be NULL */

/* The next line, without its line feed, valid until the next call; NULL at the end of the input, and once a signal has
 * come. */
const char *pf_cli_editor_line(pf_cli_editor *e, const char *prompt);

/* Remembers a statement: also for later sessions, in $XDG_STATE_HOME/postfetto/history or ~/.local/state, unless that
 * cannot be written. */
void pf_cli_editor_remember(pf_cli_editor *e, const char *statement);
