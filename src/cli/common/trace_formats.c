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
    for (size_t i = 0; i < FORMATS; i++) {
        if (strcmp(formats[i].name, name) == 0) {
            return &formats[i];
        }
    }
    return NULL;
}

const pf_cli_trace_format *pf_cli_format_of_path(const char *path, size_t len)
{
    for (size_t i = 0; i < FORMATS; i++) {
        size_t ending = strlen(formats[i].ending);
        if (len > ending && memcmp(path + len - ending, formats[i].ending, ending) == 0) {
            return &formats[i];
        }
    }
    return NULL;
}

bool pf_cli_names_other_format(const char *path)
{
    static const char *const others[] = {".db",  ".html", ".htm",     ".txt",   ".csv", ".tsv", ".md",  ".tar",
                                         ".zip", ".yaml", ".parquet", ".arrow", ".pkl", ".png", ".svg", ".pdf"};
    size_t len = strlen(path);
    const pf_cli_trace_format *format = pf_cli_format_of_path(path, len);
    bool other = format && format->write != pf_convert_pftrace;
    for (size_t i = 0; i < sizeof others / sizeof *others && !other; i++) {
        size_t ending = strlen(others[i]);
        other = len > ending && strcmp(path + len - ending, others[i]) == 0;
    }
    return other;
}
