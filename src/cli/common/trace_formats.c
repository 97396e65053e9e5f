/* cli/common/trace_formats.c - the files that a trace can be written as. */
#include "cli/common/command.h"

#include <string.h>

/* Two endings of one format follow each other. */
static const pf_cli_trace_format formats[] = {
    {"pftrace", ".pftrace", pf_convert_pftrace, false},
    {"pftrace", ".perfetto-trace", pf_convert_pftrace, false},
    {"pftrace.gz", ".pftrace.gz", pf_convert_pftrace, true},
    {"pftrace.gz", ".perfetto-trace.gz", pf_convert_pftrace, true},
    {"json", ".json", pf_convert_json, false},
    {"json.gz", ".json.gz", pf_convert_json, true},
    {"sqlite", ".sqlite", pf_export_sqlite, false},
};
#define FORMATS (sizeof formats / sizeof *formats)

const pf_cli_trace_format *pf_cli_format_named(const char *name)
{
    size_t i = 0;
    while (i < FORMATS && strcmp(formats[i].name, name) != 0) {
        i++;
    }
    return i < FORMATS ? &formats[i] : NULL;
}

bool pf_cli_ends(const char *path, size_t len, const char *ending)
{
    size_t width = strlen(ending);
    return len > width && memcmp(path + len - width, ending, width) == 0;
}

const pf_cli_trace_format *pf_cli_format_of_path(const char *path, size_t len)
{
    size_t i = 0;
    while (i < FORMATS && !pf_cli_ends(path, len, formats[i].ending)) {
        i++;
    }
    return i < FORMATS ? &formats[i] : NULL;
}

bool pf_cli_names_other_format(const char *path)
{
    static const char *const others[] = {".db",  ".html", ".htm",     ".txt",   ".csv", ".tsv", ".md",  ".tar",
                                         ".zip", ".yaml", ".parquet", ".arrow", ".pkl", ".png", ".svg", ".pdf"};
    const pf_cli_trace_format *format = pf_cli_format_of_path(path, strlen(path));
    bool other = format && format->write != pf_convert_pftrace;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        other |= pf_cli_ends(path, strlen(path), others[i]);
    }
    return other;
}
