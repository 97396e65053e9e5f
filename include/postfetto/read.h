/* postfetto/read.h - from files to a trace. */
#ifndef POSTFETTO_READ_H
#define POSTFETTO_READ_H

#include "postfetto/trace.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One option of a reader, as text (postfetto/author/reader.h). */
typedef struct pf_reader_setting {
    const char *reader; /* its name; NULL: every reader that has such an option */
    const char *name, *value;
} pf_reader_setting;

/* Made by pf_read_options_default; members are added at the end in later releases. */
typedef struct pf_read_options {
    size_t size;              /* of the struct as the program knows it */
    uint32_t want;            /* PF_WANT_* */
    const char *dialect;      /* NULL = recognise; "aie" forces cycles */
    const char *input_format; /* name of the reader of all inputs; NULL = recognise */
    const pf_reader_setting *settings;
    size_t setting_count;
    bool merge_pids; /* a pid means the same process in all inputs; else in each on its own, unless its dialect says
                      * otherwise */
    const struct pf_reader *const *readers; /* the caller's own, asked before those that are built in */
    size_t reader_count;
    pf_limits limits;
    bool strict;   /* damage is PF_ERR_DAMAGED instead of a counter */
    bool map;      /* map files instead of copying them; the caller then owns SIGBUS for files that shrink */
    unsigned jobs; /* threads: 1 = none besides the caller's; 0 = the default, 2 */
    const volatile int *cancel; /* polled; non-zero ends the reading with PF_ERR_CANCELLED; may be NULL */
    void (*progress)(void *ctx, uint64_t done, uint64_t total); /* stored bytes; may be NULL; called every few MB */
    void *progress_ctx;
    const struct pf_early_args *early_args; /* arguments that will be asked for (arg_columns.h); used only during the
                                             * call. NULL: not known */
    const char *spool; /* with `map`: a folder for what cannot be mapped, such as a large pipe, or what is unpacked for
                        * a reader that wants it whole; it becomes a file without a name there instead of memory.
                        * NULL: memory */
    const char *without_findings; /* the name of a pass, or "": what passes drew into the inputs earlier is left out, as
                                   * if it was not there (PF_PHASE_LEFT_OUT); packets of this pass are also remembered,
                                   * so that pf_write_enriched replaces them. NULL: findings are read like all else */
} pf_read_options;

/* PF_WANT_TABLES, default limits. */
PF_API void pf_read_options_init(pf_read_options *o, size_t size);
static inline pf_read_options pf_read_options_default(void)
{
    pf_read_options o;
    pf_read_options_init(&o, sizeof o);
    return o;
}

/* Reads the inputs in the given order into one new trace. A path "-" is standard input; one that names no file and has
 * a pattern (* ? [a-z]) in its last component stands for all files that fit, sorted by name. Formats and compression
 * are recognised by content. Errors: PF_ERR_INPUT (unreadable, not a trace), PF_ERR_LIMIT, PF_ERR_MEMORY,
 * PF_ERR_DAMAGED (strict), PF_ERR_CANCELLED. On failure *out is NULL. */
PF_API pf_status pf_read(const char *const *paths, size_t count, const pf_read_options *options, pf_trace **out,
                         pf_error *err);

/* Visits what an input is beyond its tables, as a document with one value at its root, which begins with the key
 * {NULL, 0}: of a pickled profile all events with all their fields. PF_ERR_USAGE: its format has no document. Only
 * inputs of readers that are built in. */
PF_API pf_status pf_visit_input(const pf_trace *t, size_t input, const pf_arg_visitor *v, pf_error *err);

/* The dialects that `dialect` accepts: their names, and who writes them in a few words. */
PF_API size_t pf_dialect_count(void);
PF_API const char *pf_dialect_name(size_t i);
PF_API const char *pf_dialect_summary(size_t i);

#ifdef __cplusplus
}
#endif
#endif
