/* cli/commands/convert/convert_columns.h - `convert` to files of columns: a folder of all tables, or one table as a
 * file. */
#pragma once

#include "cli/common/command.h"

/* What --to takes besides the formats of traces. */
#define PF_CLI_COLUMN_FORMATS "arrow|arrow-stream|parquet"

typedef struct convert_settings {
    pf_cli_settings common;
    const char *to;      /* NULL: by OUT's ending */
    const char *release; /* of an archive's schemas, or NULL */
    bool compress;
    const char *table, *partition; /* or NULL */
    pf_option_value args;
} convert_settings;

/* The name of the format, NULL if a trace or a database is wanted. */
const char *pf_cli_columns_wanted(const convert_settings *set);

/* Refuses options that contradict each other, or the format. */
pf_status pf_cli_check_columns(pf_cli_run *run, const convert_settings *set);

pf_status pf_cli_write_columns(pf_cli_run *run, const convert_settings *set, const pf_write_options *o);
