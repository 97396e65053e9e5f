/* cli/common/command.h - a row of the command table, one run of a command (its settings, what it holds), and the steps
 * that all commands share: reading, messages, outputs, the line of --stats. A step that fails has said why on standard
 * error, or leaves that to pf_cli_end in run->err. */
#pragma once

#include "base/buffer.h"
#include "base/files/outfile.h"
#include "cli/options/options.h"
#include "cli/terminal/terminal.h"
#include "postfetto/edit.h"
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

/* What options set that the steps below read. A command with options of its own has a structure for them that begins
 * with this one (pf_cli_command.settings_size); defaults are those of the options' rows. */
typedef struct pf_cli_settings {
    bool help, json, quiet, verbose, no_progress, strict, stats, merge_pids, raw_events, pictures, tell_passed;
    const char *out, *report, *dialect, *input_format;
    pf_option_value fail_if; /* its list */
    const char *annotations, *junit;
    const char *tables, *tables_format; /* of a pass, as files of columns: the folder */
    const char *html;                   /* the report page */
    pf_option_value pages;              /* its list: a name and an address of each page that it links */
    uint64_t rows;                      /* of each table that is shown; 0: all */
    const char *format, *table;         /* of standard output; NULL: not asked for */
    uint64_t progress_fd;               /* where progress is shown; 0: standard error */
    uint64_t jobs;                      /* at least 1 */
    uint64_t depth, keys;               /* of the limits, before they are checked */
    pf_limits limits;
} pf_cli_settings;

typedef struct pf_cli_command pf_cli_command;

/* What --stats says of traces. */
typedef struct pf_cli_totals {
    uint64_t stored, plain, events, peak;
} pf_cli_totals;

/* A pass whose tables a query sees (--pass). */
typedef struct pf_cli_named_pass {
    const pf_pass *pass;
    pf_option_value *values;
    pf_findings *findings; /* NULL before it ran */
    char title[40];        /* of its options in the help */
} pf_cli_named_pass;

typedef struct pf_cli_run {
    const pf_cli_command *command;
    char *const *words; /* of the command line after the command's name */
    size_t word_count;
    pf_cli_settings *set;
    const char **operands;
    size_t operand_count;
    const pf_pass *pass;     /* that it runs; NULL: none */
    pf_option_value *values; /* of the pass */
    char pass_title[40];
    pf_cli_named_pass *named; /* of --pass, each once */
    size_t named_count;
    bool *stages;                /* of the pass: which are on; NULL: all */
    size_t shown;                /* how much of what the findings show was shown */
    pf_reader_setting *settings; /* options of readers */
    size_t setting_count;
    double started;
    size_t form;          /* of a command that has several: from 1 on; 0: none is named */
    size_t before_dashes; /* operands in front of a "--" */
    bool out_is_folder;   /* the output is one, or will be */
    bool in_collection;   /* one trace of several: the merge shows what the pass says, the file can be made again */
    pf_error err;         /* why it failed, if nobody has said that yet */
    const char *at;       /* the file that this is about where it names none, or NULL */
    int code;             /* the exit code where nothing failed */
    pf_cli_progress progress;
    pf_trace *trace;
    pf_findings *findings;
    pf_cli_totals dropped; /* of traces that are freed already */
    uint64_t written;      /* bytes of all outputs */
} pf_cli_run;

/* A row of the command table. */
struct pf_cli_command {
    const char *name;
    const char *usage;       /* "FILE [options]" */
    const char *summary;     /* one line, no final full stop */
    const char *examples[2]; /* without the program's name */
    const char *description; /* paragraphs separated by line feeds */
    const pf_option *options;
    size_t option_count;
    size_t settings_size; /* of the structure that the options set; 0: pf_cli_settings alone */
    const pf_pass *pass;  /* that it runs; its options come before those of the command */
    bool has_thresholds;
    bool has_tables; /* of a pass: --tables */
    bool has_page;   /* a report page, --html, and its figures as files, --pictures */
    bool has_rows;   /* what it shows is cut: --rows */
    bool has_format; /* of a pass: --rows, --format and --table, which yield to options of a pass that is named; and */
    bool answers;    /* where they are not given, tables go to standard output all the same */
    bool text_of_its_own; /* of a pass, in files and pipes: no sentence and tables of ours next to it */
    bool has_pass;        /* the first operand names a pass, whose options are accepted */
    bool names_passes; /* --pass does, any number; options that it has itself, or a pass before, are not the pass's */
    const pf_option
        *keys;            /* not NULL: these instead of the options of all commands, their values in run->values; and */
    size_t key_count;     /* signals are no reason for an exit code */
    const char *forms[2]; /* words that may follow its name */
    pf_status (*run)(pf_cli_run *run);
};

extern const pf_cli_command pf_cli_analyze, pf_cli_check, pf_cli_compare, pf_cli_compare_ops, pf_cli_convert,
    pf_cli_cut, pf_cli_hook, pf_cli_info, pf_cli_merge, pf_cli_merge_reports, pf_cli_open, pf_cli_query, pf_cli_server,
    pf_cli_split;

/* Adds the options of thresholds where the command has them, and those that every command has. */
void pf_cli_add_common(pf_cli_parser *p, const pf_cli_command *c, pf_cli_settings *set);

/* Adds --pictures where the command has it, and not the pass. */
void pf_cli_add_pictures(pf_cli_parser *p, const pf_cli_command *c, const pf_pass *pass, pf_cli_settings *set);

/* The exit code of a status. */
int pf_cli_exit_code(pf_status st);

/* Prints `postfetto: FILE: at byte N (packet M): TEXT` and returns the error's code. `path` is used if the error names
 * no file; may be NULL. A cancelled run prints nothing. */
pf_status pf_cli_report(pf_cli_run *run, const char *path, const pf_error *err);

/* Says what is left to say of a failure in run->err; the exit code. */
int pf_cli_end(pf_cli_run *run, pf_status st);

/* Prints `postfetto: COMMAND: ...` and returns PF_ERR_USAGE. */
pf_status pf_cli_usage(pf_cli_run *run, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The same with the text of run->err where that is about usage; else the status alone. */
pf_status pf_cli_usage_of(pf_cli_run *run, pf_status st);

/* The time of an option of that name; NULL leaves it as it is. */
pf_status pf_cli_edit_time(pf_cli_run *run, const char *option, const char *text, pf_edit_time *t);

/* Sends a line of text to standard error, with a line feed behind it, or that there was no memory for it; frees it. */
void pf_cli_tell(pf_buffer *line);

/* A line on standard error unless -q: `postfetto: FILE: ...`. */
void pf_cli_note(pf_cli_run *run, const char *path, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Refuses a --dialect or --input-format that nobody knows. */
pf_status pf_cli_check_reading(pf_cli_run *run);

/* Where large pipes and other bytes for a while go: TMPDIR, else not /tmp, which is memory on many machines. */
const char *pf_cli_spool_folder(void);

/* How the command's flags want inputs to be read; the progress of reading `path` begins. */
pf_read_options pf_cli_read_options(pf_cli_run *run, const char *path);

/* Reads `paths` into a trace of its own, with progress; says nothing of damage. role: of a pass, which may name the
 * reader that is taken where --input-format names none, and arguments to read early; NULL: neither. */
pf_status pf_cli_read_trace(pf_cli_run *run, const char *const *paths, size_t count, uint32_t want, const pf_role *role,
                            pf_trace **out, pf_error *err);

/* Reads `paths` into run->trace; `warn`: damage is reported on standard error. */
pf_status pf_cli_read(pf_cli_run *run, const char *const *paths, size_t count, uint32_t want, bool warn);

/* Refuses an -o that is an input, now that it is known for which files the operands of run->trace stand. */
pf_status pf_cli_check_inputs(pf_cli_run *run);

/* Refuses an output that is (one of) the inputs, no regular file, or cannot be created: PF_ERR_OUTPUT; likewise as a
 * step, where `out` may be NULL. */
pf_status pf_cli_output_fault(const char *const *inputs, size_t count, const char *out, pf_error *err);
pf_status pf_cli_check_output(pf_cli_run *run, const char *const *inputs, size_t count, const char *out);

/* The same for standard output and binary data: refuses a terminal. */
pf_status pf_cli_check_binary(pf_cli_run *run, const char *out, const char *what);

/* Starts the line of progress, where it may be shown. */
void pf_cli_start_progress(pf_cli_run *run);

pf_write_options pf_cli_write_options(pf_cli_run *run);

/* Writes a whole file: a text, or where there is one a document. */
pf_status pf_cli_write(const char *path, pf_str text, const pf_node *root, uint64_t *written, pf_error *err);

/* Sends a whole text to OUT, or to standard output if out is NULL. */
pf_status pf_cli_put(pf_cli_run *run, const char *out, const char *text, size_t len);

/* The same for a buffer, which is freed. */
pf_status pf_cli_put_buffer(pf_cli_run *run, const char *out, pf_buffer *b);

/* Appends a table (NULL: there was no memory for it) as the terminal at fd shows it, -1: a file. columns: of it, as
 * pf_shown has them. */
void pf_cli_put_table(const pf_cli_run *run, pf_buffer *b, const pf_table *table, const char *columns, int fd);

/* The same of all columns of a table that has the rows that are shown alone, and `more` are not in it. */
void pf_cli_put_table_part(pf_buffer *b, const pf_table *table, size_t more, int fd);

/* run->findings, and in them a document that begins with "schema_version"; NULL: memory was refused. */
pf_node *pf_cli_new_document(pf_cli_run *run);

/* Adds the paths of the inputs: one under `one`, several as a list under `many`. */
void pf_cli_add_paths(pf_cli_run *run, pf_node *root, pf_str one, pf_str many);

/* Members of an object that are numbers, in this order. */
typedef struct pf_cli_number {
    const char *name;
    uint64_t value;
} pf_cli_number;
void pf_cli_add_numbers(pf_cli_run *run, pf_node *root, const pf_cli_number *numbers, size_t count);

/* The same as above for a document of run->findings, with a line feed after it. */
pf_status pf_cli_put_document(pf_cli_run *run, const char *out, const pf_node *root);

/* "standard input" for "-", else the path; for an output "standard output". */
const char *pf_cli_name(const char *path);
const char *pf_cli_out_name(const char *path);

void pf_cli_add_totals(pf_cli_totals *all, const pf_trace *t); /* t may be NULL */
void pf_cli_print_stats(pf_cli_run *run);

/* ---- the fault counters of a trace, as messages and as JSON ------------------------------------------------------ */

/* Adds "damage": a list with one object for each counter that is not zero, the worst severity first. */
void pf_cli_add_damage(pf_findings *f, pf_node *parent, const pf_trace *t);

/* The i-th counter of an input, or of all, that is not zero, the worst severity first; false after the last. */
#define PF_CLI_ALL_INPUTS SIZE_MAX
bool pf_cli_damage(const pf_trace *t, size_t input, size_t i, pf_stat *out);

/* A warning for each counter of severity error or data_loss, with -v a note for every other one. */
void pf_cli_warn_of_damage(pf_cli_run *run, const pf_trace *t);

/* ---- help texts, generated from the command table, the option tables and the passes ------------------------------ */

/* `postfetto --help` and, without the examples, `postfetto` alone. */
void pf_cli_help_all(pf_buffer *b, const pf_cli_command *const *commands, size_t count, bool brief);

/* `postfetto COMMAND --help`, or `postfetto analyze PASS --help` if there is a pass. */
void pf_cli_help_command(pf_buffer *b, const pf_cli_command *command, const pf_pass *pass, const pf_cli_parser *parser);

/* ---- the files that a trace can be written as, by the ending of their names -------------------------------------- */

typedef struct pf_cli_trace_format {
    const char *name; /* as --to wants it */
    const char *ending;
    pf_status (*write)(const pf_trace *t, const char *path, const pf_write_options *o, pf_error *err);
    bool gzip;
} pf_cli_trace_format;

/* What --to takes, separated by '|'. */
#define PF_CLI_TRACE_FORMATS "pftrace|pftrace.gz|json|json.gz|sqlite|archive"

#define PF_CLI_ARCHIVE_ENDING ".perfetto.tar"

/* The format with that name, or by the ending of a path; NULL if there is none. */
const pf_cli_trace_format *pf_cli_format_named(const char *name);
const pf_cli_trace_format *pf_cli_format_of_path(const char *path, size_t len);

/* Whether something stands in front of that ending. */
bool pf_cli_ends(const char *path, size_t len, const char *ending);
