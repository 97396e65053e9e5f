/* cli/terminal/terminal.h - small pieces of text for people, the line that shows progress, and what the command does
 * when it is asked to stop. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buffer.h"
#include "postfetto/query.h"

/* Appends text that came out of a trace: everything a terminal could take for a command (control characters, bytes
 * that are not UTF-8) becomes '?'; line feeds stay if `lines`. */
void pf_cli_put_clean(pf_buffer *b, const char *text, size_t len, bool lines);

/* Appends at most `width` characters of the text, at least 4, and returns how many were appended. A longer text loses
 * its middle, which becomes "...": the ends tell long names apart. */
size_t pf_cli_put_fitted(pf_buffer *b, pf_str text, size_t width);

/* "1.5 MB (1500000 bytes)", powers of 1000. */
void pf_cli_put_bytes(pf_buffer *b, uint64_t bytes);

/* "16G", "512", "64K": the number in the spelling that options take. */
void pf_cli_put_size(pf_buffer *b, uint64_t size);

/* A time span: "1.250 ms" for ns, "1250 cycles" for cycles. */
void pf_cli_put_span(pf_buffer *b, int64_t span, pf_time_unit unit);

/* An integer or a real of a query's result, so that it reads back to the same. */
void pf_cli_put_number(pf_buffer *b, const pf_query_cell *cell);

/* Words wrapped at `width` columns, every line after the first indented. `column` is where the text starts. A word that
 * is longer has a line of its own. */
void pf_cli_put_words(pf_buffer *b, const char *text, size_t width, size_t column, size_t indent);

/* The same at 80 columns. */
void pf_cli_put_wrapped(pf_buffer *b, const char *text, size_t column, size_t indent);

/* The same of a text that was put together, which is freed. */
void pf_cli_put_wrapped_buffer(pf_buffer *b, pf_buffer *text, size_t column, size_t indent);

/* A JSON string with its quotes. Bytes that are not UTF-8 become U+FFFD, except lone surrogates in three-byte form,
 * which become \uXXXX again. */
void pf_cli_put_json_text(pf_buffer *b, pf_str text);

/* ---- how wide the output may be ---------------------------------------------------------------------------------- */

#define PF_CLI_PAGE_COLUMNS 80  /* of help pages */
#define PF_CLI_FILE_COLUMNS 100 /* of tables in files and pipes */

/* Columns of the terminal that `fd` writes to; of anything else what COLUMNS says, or 100. Never below 40. */
size_t pf_cli_columns(int fd);

/* Whether what `fd` writes to is a terminal that shows bold and colours, and the environment allows them: NO_COLOR is
 * not set, TERM is not "dumb". */
bool pf_cli_styled(int fd);

/* Whether a person reads standard output and standard error as they come. */
bool pf_cli_watched(void);

/* ---- progress.c -------------------------------------------------------------------------------------------------- */

typedef struct pf_cli_progress {
    bool enabled;
    int fd;
    double started, shown; /* seconds of pf_cli_now */
    int columns;           /* width of the line on the screen, 0 if there is none */
    uint64_t all;          /* bytes of all files that are read, 0 if that is not known; set after the start */
    uint64_t before, last; /* of those that are done, and what was done last of the present one */
} pf_cli_progress;

/* Seconds of a clock that never jumps. */
double pf_cli_now(void);

/* Enabled unless `silent`, or fd is no terminal, or TERM is "dumb". */
void pf_cli_progress_start(pf_cli_progress *p, bool silent, int fd);

/* The callback of pf_read_options.progress; ctx is the pf_cli_progress. total 0: unknown. */
void pf_cli_progress_update(void *ctx, uint64_t done, uint64_t total);

/* So many of `count` traces are done, which have that many of `all` bytes. */
void pf_cli_progress_traces(pf_cli_progress *p, size_t done, size_t count, uint64_t bytes, uint64_t all);

/* The callback of pf_pass_context.progress, in any unit. */
void pf_cli_progress_pass(void *ctx, uint64_t done, uint64_t total);

/* The callback of pf_write_options.progress. */
void pf_cli_progress_write(void *ctx, uint64_t bytes, double share);

/* Takes the line away. */
void pf_cli_progress_clear(pf_cli_progress *p);

/* ---- signals.c --------------------------------------------------------------------------------------------------- */

/* Installs the handlers; call once, first thing. */
void pf_cli_signals_install(void);

/* The flag for pf_read_options.cancel and pf_write_options.cancel: the number of the signal, or 0. */
const volatile int *pf_cli_cancel_flag(void);

/* While held (an output file is being written) the first signal only sets the flag, so that the temporary file can be
 * taken away; otherwise, and from the second signal on, the process ends at once. */
void pf_cli_signals_hold(bool on);

/* Takes the flag back: what was to be stopped has stopped, and the process goes on. */
void pf_cli_signals_forget(void);

/* 130, 143, ... once a signal came, else 0. */
int pf_cli_signal_code(void);

/* The file that the message about a shrinking input names; must stay valid. */
void pf_cli_signals_input(const char *path);

/* Whether a progress line stands on the terminal, which a message must not be glued to. */
void pf_cli_signals_line_open(bool open);
