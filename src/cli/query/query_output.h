/* cli/query/query_output.h - result rows as CSV, JSON, a table for the terminal, or columns. */
#pragma once

#include "base/budget.h"
#include "base/buffer.h"
#include "base/files/outfile.h"
#include "postfetto/export.h"

typedef enum pf_cli_rows_format {
    PF_CLI_CSV,
    PF_CLI_JSON,
    PF_CLI_TABLE,
    PF_CLI_ARROW,
    PF_CLI_PARQUET
} pf_cli_rows_format;

/* As --format has them. */
#define PF_CLI_ROWS_FORMATS "csv|json|table|arrow|parquet"

/* How the names of files end; "": they are for the eye. */
const char *pf_cli_rows_ending(pf_cli_rows_format format);

static inline bool pf_cli_rows_are_columns(pf_cli_rows_format format)
{
    return format >= PF_CLI_ARROW;
}

typedef struct pf_cli_rows {
    pf_cli_rows_format format;
    pf_outfile *file;
    uint64_t *written;
    pf_error *err;
    pf_budget budget; /* TABLE: bounds what is gathered */
    pf_str name;      /* of the section that the next result belongs to, or {NULL, 0} */
    size_t results;   /* begun so far */
    size_t rows;      /* of the present result */
    bool open;        /* a result has begun and not ended */
    size_t screen;    /* TABLE: columns of the terminal that it is for, 0 = of none: nothing is shortened */
    pf_buffer line;   /* what is composed */

    /* TABLE: the present result; terminated column names, cells, and the bytes of the texts. */
    size_t column_count;
    pf_buffer names, cells, texts;
    uint64_t charged;

    /* Files of columns: in place of `file`. */
    pf_rows_writer *writer;
    const pf_query *query; /* whose rows they are */
} pf_cli_rows;

void pf_cli_rows_start(pf_cli_rows *r, pf_cli_rows_format format, pf_outfile *file, const pf_limits *limits,
                       uint64_t *written, pf_error *err);

/* After the start, where the rows are columns: opens the file. */
pf_status pf_cli_rows_open(pf_cli_rows *r, const char *path, const pf_query *query, const pf_write_options *o);

/* The sink for pf_query_run; its ctx is r. */
pf_query_sink pf_cli_rows_sink(pf_cli_rows *r);

/* Ends the last result and the document; a file of columns is put in place. */
pf_status pf_cli_rows_end(pf_cli_rows *r);

/* By its name; NULL: a table on a terminal, else CSV. */
pf_cli_rows_format pf_cli_rows_format_of(const char *format, bool to_file);

/* Legal at any time, also after pf_cli_rows_end. */
void pf_cli_rows_free(pf_cli_rows *r);

/* ---- the sections of an SQL text: from a line `-- @name X` to the next one --------------------------------------- */

/* The name in a line `-- @name X`, {NULL, 0} if it is another line. */
pf_str pf_cli_section_name(pf_str line);

/* The next part of the text from *at on: its SQL and the name of its section ({NULL, 0} for the prelude). */
bool pf_cli_next_section(pf_str text, size_t *at, pf_str *name, pf_str *sql);

bool pf_cli_has_sections(pf_str text);
