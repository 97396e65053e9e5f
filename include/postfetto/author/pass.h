/* postfetto/author/pass.h - passes: analyses that read traces and documents and fill findings.
 *
 * A pass is data: a name, a summary, a table of typed options, what it takes as input, the tables that it will report,
 * and one function. The command's flags, its help and the documentation are made from these rows; what the pass found
 * it puts into findings (findings.h): documents, tables, an overlay, files, a verdict, traces of its own.
 *
 *     static const pf_role roles[] = {{.name = "trace", .least = 1, .want = PF_WANT_SLICES, .help = "the trace"}};
 *     const pf_pass my_pass = {.name = "mine", .summary = "...", .roles = roles, .role_count = 1, .run = run};
 *     pf_pass_register(&my_pass, &err);
 *
 * Who runs a pass (the command, a test, your program) fills a context and calls pf_pass_run.
 */
#ifndef POSTFETTO_PASS_H
#define POSTFETTO_PASS_H

#include "postfetto/author/option.h"
#include "postfetto/findings.h"
#include "postfetto/trace.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- inputs ------------------------------------------------------------------------------------------------------ */

/* What the files of a role become before the pass runs. */
typedef enum pf_role_kind {
    PF_ROLE_TRACE = 0, /* one trace that all files are read into */
    PF_ROLE_TRACES,    /* a trace for each file */
    PF_ROLE_DOCUMENT   /* JSON, YAML, CSV, a log: the pass gets the bytes, unpacked where they were compressed */
} pf_role_kind;

typedef struct pf_role {
    const char *name; /* "trace", "base", "mapping" */
    pf_role_kind kind;
    uint32_t least, most; /* how many files; most 0: any number. Operands go to the roles in order: each gets its least,
                           * and the first that can hold them gets the rest */
    const char *option;   /* an option of the pass (PATH or TEXT) that names files; may be NULL */
    bool option_only;     /* no operands, where an option is named; else both count, the option's files first */
    bool is_list;         /* a value of that option, or an operand that is no file, holds several paths between commas
                           * or blanks */
    bool literal;         /* patterns stay as they are: files of roles belong together by their place */
    bool unwarned;        /* damage of its traces is no warning: the pass says what of it matters */
    bool may_be_missing;  /* a file that cannot be opened is no error: the pass gets the errno */
    bool on_request;      /* read when the pass asks (pf_pass_open), not before: for passes that need one at a time */
    bool folders;         /* a folder stands for the traces in it, which the endings of names say; not with literal */
    uint32_t want;        /* PF_WANT_* of traces */
    const struct pf_early_args *early_args; /* arguments that the pass asks of each trace (arg_columns.h); NULL: none */
    const char *reader; /* the reader that traces are forced through (pf_read_options.input_format); NULL: any */
    const char *const *dialects; /* NULL-terminated: the only dialects that traces may have; NULL: any */
    const char *help;
} pf_role;

/* A file of a role. */
typedef struct pf_pass_file {
    const char *path;      /* as given; "-" for standard input */
    int missing;           /* errno, where the role allows that */
    const pf_trace *trace; /* TRACE: the same for all files; NULL for documents, and until pf_pass_open */
    pf_str bytes;          /* documents */
} pf_pass_file;

typedef struct pf_pass_files {
    const pf_pass_file *files;
    size_t count;
} pf_pass_files;

/* The paths of all roles, before anything is read. Of one thread at a time. */
typedef struct pf_pass_inputs pf_pass_inputs;

/* Adds a path to a role (its index in pf_pass.roles); the text is copied. */
PF_API pf_status pf_pass_inputs_add(pf_pass_inputs *in, size_t role, pf_str path, pf_error *err);
PF_API size_t pf_pass_inputs_count(const pf_pass_inputs *in, size_t role);
PF_API const char *pf_pass_inputs_path(const pf_pass_inputs *in, size_t role, size_t i);
PF_API void pf_pass_inputs_free(pf_pass_inputs *in);

/* ---- the pass ---------------------------------------------------------------------------------------------------- */

/* A table that the pass reports, known before it runs, so that thresholds can be checked before anything is read. */
typedef struct pf_pass_table {
    const char *name; /* as SQL sees it: "aie_cores" */
    const char *help; /* one line: what a row is */
    const pf_column *columns;
    size_t column_count;
} pf_pass_table;

/* A step of the pass that can be listed and switched off. Names may repeat; then "name#2" is the second one. */
typedef struct pf_stage {
    const char *name;
    const char *when; /* the option that it needs, for the list; NULL: none */
    const char *help; /* one line; may be NULL */
} pf_stage;

typedef struct pf_pass_context {
    const pf_trace *trace;         /* of the first file of the first role; NULL if that is a document */
    const pf_option_value *values; /* parallel to pf_pass.options; defaults filled in */
    const char *input_path;        /* the first path of the first role, as given; "-" for standard input */
    const char *report_dir;        /* as given or derived; NULL if no reports are written */
    const char *output;            /* -o as given ("-": standard output); NULL if there is none */
    const char *output_stem;       /* the same without the endings; NULL likewise, and for standard output */
    bool report_dir_derived;       /* it was not given: nothing but the pass's own reports goes there */
    bool strict;
    bool watched;      /* a person reads what is shown and printed: both go to a terminal */
    bool skip_overlay; /* nothing will be drawn: a pass may leave the overlay empty and save the time */
    bool skip_summary; /* likewise: nobody asks for the summary (pf_findings_set_summary) */
    bool skip_tables;  /* likewise: nobody asks for tables but those that the pass shows (pf_findings_show_*) */
    bool skip_figures; /* likewise: there is no page and no picture */
    const pf_pass_files *roles; /* parallel to pf_pass.roles */
    const bool *stages;         /* parallel to pf_pass.stages: which are on; NULL: all */

    unsigned jobs;              /* threads that may work, the caller's included; 0: 1 */
    const volatile int *cancel; /* polled by long loops, which then return PF_ERR_CANCELLED; may be NULL */
    void (*progress)(void *ctx, uint64_t done, uint64_t total); /* of any unit; may be NULL */
    void *progress_ctx;
    struct pf_arena *arena; /* pf_pass_alloc; set by pf_pass_run */

    /* Files that are read on request; NULL if the host cannot. Use pf_pass_open and pf_pass_close. */
    void *host;
    pf_status (*open)(void *host, size_t role, size_t file, uint32_t more, pf_pass_file *out, pf_error *err);
    void (*close)(void *host, size_t role, size_t file);
    /* Traces that are drawn into one by one; NULL if the host writes none. Use pf_pass_write. */
    pf_status (*write)(void *host, const pf_trace *t, pf_findings *drawn, const char *path, pf_error *err);
} pf_pass_context;

typedef struct pf_pass {
    const char *name;
    const char *summary;       /* one line */
    const char *description;   /* paragraphs for --help; may be NULL */
    const char *example;       /* the options of a typical call, for --help; may be NULL */
    const char *example_input; /* what it analyses, for --help: "profile.pkl"; NULL: a trace in JSON */
    const pf_option *options;
    size_t option_count;
    const pf_role *roles; /* the first is the main one */
    size_t role_count;
    const pf_pass_table *tables;
    size_t table_count;
    const pf_stage *stages;
    size_t stage_count;
    const char *outputs; /* endings of -o whose file the pass makes itself, at PF_PLACE_OUTPUT, in place of the enriched
                          * trace: "json|txt"; "*": whatever it is called, in a folder that is made if missing; NULL:
                          * none */
    bool derives;        /* it always reports a trace at PF_PLACE_OUTPUT where there is an -o */
    uint32_t draw_want;  /* PF_WANT_* of the main trace that an enriched .pftrace needs, where the pass makes one anew;
                          * 0: everything that can be written */
    bool reports_by_output;  /* where --report is not given, reports go to the folder of -o, not of the input */
    bool joins_ranks;        /* files of one name but for the number of a rank are one input: a hook gives it all */
    bool joins_jobs;         /* likewise with several jobs: files whose names differ in the number of a job, too */
    bool reports_on_request; /* where --report is not given, there are no reports */
    bool (*fits)(const pf_trace *t); /* whether the pass can say something about this trace; needs names only; may be
                                      * NULL */

    /* Where the roles' files depend on more than one option: adds the paths of all roles itself. `operands` are those
     * of the command line. NULL: as the roles say. */
    pf_status (*inputs)(const pf_option_value *values, const char *const *operands, size_t count, pf_pass_inputs *in,
                        pf_error *err);
    pf_status (*run)(const pf_pass_context *ctx, pf_findings *findings, pf_error *err);

    /* What it looks for: "event of a profile". Where a run has neither rows of tables nor reports, pf_pass_nothing says
     * so; NULL: the pass does that itself. */
    const char *finds;

    /* How its tables are merged, for passes of the library that write partials (postfetto merge-reports); NULL for
     * others. */
    const struct pf_pass_partials *partials;
} pf_pass;

/* ---- the table of passes ----------------------------------------------------------------------------------------- */

PF_API size_t pf_pass_count(void);
PF_API const pf_pass *pf_pass_at(size_t i);
PF_API const pf_pass *pf_pass_find(const char *name); /* NULL if there is none */

/* Adds a pass to the table, which all threads share; call it before they start. The row must live as long as the
 * process. PF_ERR_INTERNAL: the row is not well made (pf_pass_check), or its name is taken; PF_ERR_LIMIT: the table is
 * full (64 passes). */
PF_API pf_status pf_pass_register(const pf_pass *p, pf_error *err);

/* Checks a row: its option table, roles, tables and stages. */
PF_API pf_status pf_pass_check(const pf_pass *p, pf_error *err);

/* ---- running one ------------------------------------------------------------------------------------------------- */

/* pf_option_defaults, pf_option_parse, pf_options_complete for the options of a pass. */
PF_API void pf_pass_defaults(const pf_pass *p, pf_option_value *values);
PF_API pf_status pf_pass_parse(const pf_pass *p, size_t option, const char *text, pf_option_value *values,
                               pf_error *err);
PF_API pf_status pf_pass_complete(const pf_pass *p, const pf_option_value *values, pf_error *err);

/* From options and operands to the paths of each role. PF_ERR_USAGE: too few or too many files for the roles.
 * The result is released with pf_pass_inputs_free. */
PF_API pf_status pf_pass_gather(const pf_pass *p, const pf_option_value *values, const char *const *operands,
                                size_t count, pf_pass_inputs **out, pf_error *err);

/* Switches stages, for pf_pass_context.stages: `stages` is parallel to p->stages. A name stands for all stages of that
 * name, "name#2" for the second one, NULL for all stages. PF_ERR_USAGE: there is no such stage. So that only one runs:
 *
 *     pf_pass_switch(p, NULL, false, stages, NULL);
 *     pf_pass_switch(p, "compute_power", true, stages, &err);
 */
PF_API pf_status pf_pass_switch(const pf_pass *p, const char *name, bool on, bool *stages, pf_error *err);

/* Which stage of its name this one is, from 1. */
PF_API unsigned pf_pass_stage_number(const pf_pass *p, size_t stage);

/* Runs the pass, whose name the findings get (pf_findings_set_pass). The context's arena is made (if NULL) and released
 * here; it counts against the findings' limits. */
PF_API pf_status pf_pass_run(const pf_pass *p, const pf_pass_context *ctx, pf_findings *findings, pf_error *err);

/* ---- for the pass itself ----------------------------------------------------------------------------------------- */

/* Memory of zeros, 8-byte aligned, that lives until the run ends; NULL and *err filled if refused. */
PF_API void *pf_pass_alloc(const pf_pass_context *ctx, size_t count, size_t size, pf_error *err);

/* Reads file `i` of a role that is read on request; *out has its trace or bytes until pf_pass_close. more: PF_WANT_*
 * beyond those of the role. A missing file is PF_OK with out->missing, where the role allows it. */
PF_API pf_status pf_pass_open(const pf_pass_context *ctx, size_t role, size_t i, uint32_t more, pf_pass_file *out,
                              pf_error *err);
PF_API void pf_pass_close(const pf_pass_context *ctx, size_t role, size_t i);

/* Writes a trace with the overlay of `drawn` at once, into a folder that is made if missing, so that it may be closed:
 * for passes that draw into several traces. Nothing where the host writes none. */
PF_API pf_status pf_pass_write(const pf_pass_context *ctx, const pf_trace *t, pf_findings *drawn, const char *path,
                               pf_error *err);

/* PF_ERR_CANCELLED once the run was cancelled, else PF_OK. */
PF_API pf_status pf_pass_poll(const pf_pass_context *ctx, pf_error *err);

/* Whether a stage, by its place in pf_pass.stages, is to run. */
PF_API bool pf_pass_stage(const pf_pass_context *ctx, size_t stage);

/* Says why there is no result: "nothing of kind KIND in FILE; it holds 12 events (cat 12)", then MORE, which may be "".
 * It is shown, becomes member `nothing` of the summary, and the report PASS_nothing.txt. Not the latter where
 * report_dir_derived. */
PF_API void pf_pass_nothing(const pf_pass_context *ctx, pf_findings *f, const char *kind, const char *more);

/* All options as "name=value name=value ...", in table order; options without a value as "name=". Lives as long as the
 * findings; {NULL, 0} if refused. */
PF_API pf_str pf_pass_parameters(const pf_pass *p, const pf_option_value *values, pf_findings *f);

/* The same as members of an object; options without a value are null. */
PF_API void pf_pass_add_parameters(const pf_pass *p, const pf_option_value *values, pf_findings *f, pf_node *object);

#ifdef __cplusplus
}
#endif
#endif
