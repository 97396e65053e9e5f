/* cli/run.h - one run of a command: its settings, what it holds, and the steps that all commands share (reading,
 * messages, outputs, the line of --stats). A step that fails has said so on standard error and returns the exit code;
 * 0 means: go on. */
#ifndef PF_CLI_RUN_H
#define PF_CLI_RUN_H

#include "base/buffer.h"
#include "base/outfile.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "postfetto/postfetto.h"

enum {
    PF_CLI_DONE = 0,
    PF_CLI_FINDING = 1,
    PF_CLI_USAGE = 2,
    PF_CLI_INPUT = 3,
    PF_CLI_DAMAGED = 4,
    PF_CLI_LIMIT = 5,
    PF_CLI_OUTPUT = 6,
    PF_CLI_BUG = 70
};

/* What a trace must have been read with to be written as a Perfetto trace. */
#define PF_CLI_WANT_TO_WRITE (PF_WANT_ALL | PF_WANT_ORIGINS)

/* Every value that an option of some command sets. */
typedef struct pf_cli_settings {
    bool help, json, quiet, verbose, no_progress, strict, stats, list, compress;
    const char *out, *dialect, *report, *to, *format, *sql_file, *folder;
    uint64_t jobs, top;
    pf_limits limits;
} pf_cli_settings;

typedef struct pf_cli_command pf_cli_command;

typedef struct pf_cli_run {
    const pf_cli_command *command;
    pf_cli_settings set;
    const char **operands;
    size_t operand_count;
    const pf_pass *pass; /* analyze */
    pf_option_value *values;
    double started;
    pf_cli_progress progress;
    pf_trace *trace;
    pf_findings *findings;
    uint64_t written; /* bytes of all outputs */
} pf_cli_run;

/* A row of the command table. */
struct pf_cli_command {
    const char *name;
    const char *usage;       /* "FILE [options]" */
    const char *summary;     /* one line, no final full stop */
    const char *examples[2]; /* without the program's name */
    const char *description; /* paragraphs separated by line feeds */
    const pf_cli_option *options;
    size_t option_count;
    bool has_pass; /* the first operand names a pass, whose options are accepted */
    int (*run)(pf_cli_run *run);
};

extern const pf_cli_command pf_cli_analyze, pf_cli_check, pf_cli_convert, pf_cli_info, pf_cli_query;

pf_cli_settings pf_cli_settings_default(void);

/* Adds the options that every command has. */
void pf_cli_add_common(pf_cli_parser *p, pf_cli_settings *set);

/* The exit code of a status. */
int pf_cli_exit_code(pf_status st);

/* Prints `postfetto: FILE: at byte N (packet M): TEXT` and returns the exit code. `path` is used if the error names no
 * file; may be NULL. A cancelled run prints nothing. */
int pf_cli_report(pf_cli_run *run, const char *path, const pf_error *err);

/* Prints `postfetto: COMMAND: ...` and returns PF_CLI_USAGE. */
int pf_cli_usage(const pf_cli_run *run, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A line on standard error unless -q: `postfetto: FILE: ...`. */
void pf_cli_note(pf_cli_run *run, const char *path, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Reads `paths` into run->trace. `dialect` is overridden by --dialect. `warn`: damage is reported on standard error. */
int pf_cli_read(pf_cli_run *run, const char *const *paths, size_t count, uint32_t want, const char *dialect, bool warn);

/* Refuses an output that is (one of) the inputs, no regular file, or cannot be created. */
int pf_cli_check_output(pf_cli_run *run, const char *const *inputs, size_t count, const char *out);

/* The same for standard output and binary data: refuses a terminal. */
int pf_cli_check_binary_stdout(pf_cli_run *run, const char *what);

pf_write_options pf_cli_write_options(pf_cli_run *run);

/* Sends a whole text to OUT, or to standard output if out is NULL. */
int pf_cli_put(pf_cli_run *run, const char *out, const char *text, size_t len);

/* The same for a buffer, which is freed. */
int pf_cli_put_buffer(pf_cli_run *run, const char *out, pf_buffer *b);

/* The same for a document of run->findings, with a line feed behind it. */
int pf_cli_put_document(pf_cli_run *run, const char *out, const pf_node *root);

/* "standard input" for "-", else the path. */
const char *pf_cli_name(const char *path);

void pf_cli_print_stats(pf_cli_run *run);

#endif
