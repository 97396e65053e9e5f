/* cli/commands/convert/convert_columns.c - `convert` to files of columns: a folder of all tables, or one table as a
 * file. */
#include "cli/commands/convert/convert_columns.h"

#include <stdlib.h>
#include <sys/stat.h>

#include "base/files/outfile.h"

static const struct {
    const char *name, *ending;
    pf_table_format format;
} FORMATS[] = {
    {"arrow", ".arrow", PF_TABLES_ARROW},
    {"arrow-stream", ".arrows", PF_TABLES_ARROW_STREAM},
    {"parquet", ".parquet", PF_TABLES_PARQUET},
};
#define COUNT (sizeof FORMATS / sizeof *FORMATS)

/* By --to, else by the ending of a file; COUNT if neither names one. */
static size_t wanted(const convert_settings *set)
{
    const char *out = set->common.out;
    size_t i = 0;
    while (i < COUNT && (set->to ? strcmp(FORMATS[i].name, set->to) != 0
                                 : pf_outfile_is_stream(out) || !pf_cli_ends(out, strlen(out), FORMATS[i].ending))) {
        i++;
    }
    return i;
}

const char *pf_cli_columns_wanted(const convert_settings *set)
{
    size_t i = wanted(set);
    return i < COUNT ? FORMATS[i].name : NULL;
}

pf_status pf_cli_check_columns(pf_cli_run *run, const convert_settings *set)
{
    const char *out = set->common.out;
    size_t format = wanted(set);
    struct stat sb;
    const char *only = set->table ? "--table" : set->partition ? "--partition" : set->args.count ? "--arg" : NULL;
    if (format == COUNT) {
        return only ? pf_cli_usage(run, "%s is for files of columns; add --to parquet or --to arrow", only) : PF_OK;
    }
    if (set->compress) {
        return pf_cli_usage(run, "--compress is for a plain .pftrace, not for %s; leave it out", FORMATS[format].name);
    }
    if (set->table && set->partition) {
        return pf_cli_usage(run, "--partition splits a folder of tables and --table writes one; leave one of them out");
    }
    if (!set->table && !set->to) {
        return pf_cli_usage(run,
                            "'%s' is the file of one table: name it with --table slice, or write all of them into a "
                            "folder with --to %s -o DIR",
                            out, FORMATS[format].name);
    }
    if (!set->table && pf_outfile_is_stream(out)) {
        return pf_cli_usage(run, "all tables are a folder, which '-o %s' is not; name a folder, or one with --table",
                            out);
    }
    if (!pf_outfile_is_stream(out) && stat(out, &sb) == 0 && S_ISDIR(sb.st_mode) != !set->table) {
        return set->table
                   ? pf_cli_usage(run, "'%s' is a folder and --table writes one file; name a file", out)
                   : pf_cli_usage(run, "'%s' is a file and all tables are a folder; name a folder, or one with --table",
                                  out);
    }
    return PF_OK;
}

/* The keys of --arg, which may be several in one value: *keys is freed with its texts in one block. */
static pf_status split_keys(const pf_option_value *values, const char ***keys, size_t *count, pf_error *err)
{
    size_t room = 0, bytes = 0;
    *count = 0;
    for (size_t i = 0; i < values->count; i++) {
        bytes += values->all[i].s.len + 1;
        room += values->all[i].s.len + 1; /* no value has more keys than that */
    }
    *keys = malloc(room * sizeof **keys + bytes + 1);
    PF_TRY(!*keys ? pf_no_memory(err) : PF_OK);
    char *text = (char *)(*keys + room);
    for (size_t i = 0; i < values->count; i++) {
        memcpy(text, values->all[i].s.ptr, values->all[i].s.len);
        text[values->all[i].s.len] = '\0';
        for (char *next = text; next;) {
            char *comma = strchr(next, ',');
            (*keys)[(*count)++] = next;
            if (comma) {
                *comma++ = '\0';
            }
            next = comma;
        }
        text += values->all[i].s.len + 1;
    }
    return PF_OK;
}

pf_status pf_cli_write_columns(pf_cli_run *run, const convert_settings *set, const pf_write_options *o)
{
    pf_export_options e = pf_export_options_default();
    const char **keys = NULL;
    PF_TRY(split_keys(&set->args, &keys, &e.arg_count, &run->err));
    e.table = set->table;
    e.args = keys;
    e.by_input = set->partition != NULL;
    pf_status st = pf_export_tables(run->trace, FORMATS[wanted(set)].format, set->common.out, &e, o, &run->err);
    free(keys);
    return st;
}
