/* cli/hook/children/child.h - one step of a hook as a process of its own: this program again, with other arguments.
 *
 * A trace may crash, hang or exhaust whoever reads it; the hook that looks after a job must do none of these. So it
 * reads no trace itself: each step is a child with its own limits, which dies with the hook, and the hook only looks
 * at what the child printed and how it ended.
 */
#pragma once

#include "base/buffer.h"

/* Words of a command line, NULL-terminated for exec; the texts belong to the list. */
typedef struct pf_hook_words {
    char **word;
    size_t count, room;
    bool failed; /* sticky: memory was refused */
} pf_hook_words;

void pf_hook_words_add(pf_hook_words *w, const char *text);
void pf_hook_words_put_all(pf_hook_words *w, ...) __attribute__((sentinel)); /* several; NULL after the last */
#define pf_hook_words_put(w, ...) pf_hook_words_put_all((w), __VA_ARGS__, (const char *)NULL)
void pf_hook_words_add_all(pf_hook_words *w, const pf_hook_words *more);
size_t pf_hook_words_find(const pf_hook_words *w, const char *text); /* count: it is not there */
static inline bool pf_hook_words_have(const pf_hook_words *w, const char *text)
{
    return pf_hook_words_find(w, text) < w->count;
}
void pf_hook_words_free(pf_hook_words *w);

/* Splits a line as a shell does: blanks, 'single', "double" quotes with \" and \\, and \ before any character; nothing
 * is expanded. False, with nothing added, if a quote is not closed. */
bool pf_hook_words_split(pf_hook_words *w, const char *line);

typedef struct pf_hook_child_limits {
    double deadline; /* pf_cli_now() after which the child is stopped; 0: none */
    int nice;        /* added to the niceness; 0: as it is */
} pf_hook_child_limits;

typedef struct pf_hook_child {
    int code;        /* exit status; 128 + n if signal n ended it; -1: it could not be started */
    int start_errno; /* where code is -1 */
    bool timed_out;
    bool cancelled; /* a signal asked the hook to stop */
    pf_buffer out, err;
} pf_hook_child;

/* Runs `postfetto WORDS...` to its end with nothing on standard input; what it prints is kept up to 64 MiB for each
 * stream, the rest is read and dropped. The words are freed; where memory for them was refused it cannot be started. */
void pf_hook_child_run(pf_hook_child *c, pf_hook_words *words, const pf_hook_child_limits *limits);
void pf_hook_child_free(pf_hook_child *c);
