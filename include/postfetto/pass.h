/* postfetto/pass.h - passes: analyses that read a trace and fill findings.
 *
 * A pass is data: a name, a summary, a table of typed options and one function. The command's flags, its help and the
 * documentation are generated from the option table.
 */
#ifndef POSTFETTO_PASS_H
#define POSTFETTO_PASS_H

#include "postfetto/findings.h"
#include "postfetto/trace.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum pf_option_type {
    PF_OPTION_INT,  /* decimal integer, int64 */
    PF_OPTION_REAL, /* decimal number, finite */
    PF_OPTION_TEXT,
    PF_OPTION_CHOICE, /* one of `choices`, separated by '|' */
    PF_OPTION_FLAG    /* takes no value */
} pf_option_type;

typedef struct pf_option {
    const char *name; /* without the two dashes; case matters (--M and --m are two options) */
    pf_option_type type;
    const char *unit;     /* "" if none; shown in help */
    const char *fallback; /* the default as text; NULL = required, "" = unset */
    const char *choices;  /* CHOICE only, else NULL */
    const char *help;     /* one line, no final full stop */
} pf_option;

typedef struct pf_option_value {
    bool set; /* given by the user */
    int64_t i;
    double d;
    pf_str s;
    bool b;
} pf_option_value;

typedef struct pf_pass_context {
    const pf_trace *trace;
    const pf_option_value *values; /* parallel to pf_pass.options; defaults filled in */
    const char *input_path;        /* as given; "-" for standard input */
    const char *report_dir;        /* as given or derived; NULL if no reports are written */
    bool strict;
    bool skip_overlay; /* nothing will be drawn: a pass may leave the overlay empty and save the time */
} pf_pass_context;

typedef struct pf_pass {
    const char *name;
    const char *summary;     /* one line */
    const char *description; /* a paragraph for --help; may be NULL */
    const char *dialect;     /* dialect that the pass forces on the reader, or NULL */
    const char *example;     /* the options of a typical call, for --help */
    const pf_option *options;
    size_t option_count;
    uint32_t want;                   /* PF_WANT_* that the pass reads */
    bool (*fits)(const pf_trace *t); /* whether the pass can say something about this trace; needs names only */
    pf_status (*run)(const pf_pass_context *ctx, pf_findings *findings, pf_error *err);
} pf_pass;

PF_API size_t pf_pass_count(void);
PF_API const pf_pass *pf_pass_at(size_t i);
PF_API const pf_pass *pf_pass_find(const char *name); /* NULL if there is none */

/* Fills `values` (option_count of them) with the defaults. */
PF_API void pf_pass_defaults(const pf_pass *p, pf_option_value *values);

/* Parses one value from text; PF_ERR_USAGE names the option and what it takes. `text` must outlive the values. */
PF_API pf_status pf_pass_parse(const pf_pass *p, size_t option, const char *text, pf_option_value *values,
                               pf_error *err);

/* Checks that every required option is set: PF_ERR_USAGE lists all that are missing. */
PF_API pf_status pf_pass_complete(const pf_pass *p, const pf_option_value *values, pf_error *err);

#ifdef __cplusplus
}
#endif
#endif
