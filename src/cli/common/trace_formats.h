/* cli/common/trace_formats.h - the files that a trace can be written as, by the ending of their names. */
#ifndef PF_CLI_COMMON_TRACE_FORMATS_H
#define PF_CLI_COMMON_TRACE_FORMATS_H

#include "postfetto/postfetto.h"

typedef struct pf_cli_trace_format {
    const char *name; /* as --to wants it */
    const char *ending;
    pf_status (*write)(const pf_trace *t, const char *path, const pf_write_options *o, pf_error *err);
    bool gzip;
} pf_cli_trace_format;

/* What --to takes, separated by '|'. */
#define PF_CLI_TRACE_FORMATS "pftrace|pftrace.gz|json|json.gz|sqlite"

/* The format with that name, or by the ending of a path; NULL if there is none. */
const pf_cli_trace_format *pf_cli_format_named(const char *name);
const pf_cli_trace_format *pf_cli_format_of_path(const char *path, size_t len);

/* Whether a path has the ending of a format that is no Perfetto trace, whether this program writes it or not. */
bool pf_cli_names_other_format(const char *path);

#endif
