/* cli/query/query_output.c - CSV and JSON rows are sent as they come; a table must know its widths first and is
 * gathered; columns are the library's (postfetto/export.h).
 *
 * CSV: header and texts in double quotes (quotes doubled), NULL is an empty cell, integers bare, reals in the shortest
 * form that reads back, always with a point or an exponent; several results are separated by an empty line. The NULL of
 * a result with one column would be an empty line, which readers of CSV skip: there it is the bare word NULL.
 * JSON: {"schema_version": 1, "results": [{"columns": [...], "rows": [[...], ...]}, ...]}; a section's result has its
 * "name" in front; a real that JSON cannot say is null.
 */
#include "cli/query/query_output.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/terminal/terminal.h"
#include "write/report/report_text.h"

static pf_status send_line(pf_cli_rows *r)
{
    PF_TRY(r->line.failed ? pf_no_memory(r->err) : PF_OK);
    pf_status st = pf_outfile_write(r->file, r->line.data, r->line.len, r->err);
    *r->written += r->line.len;
    r->line.len = 0;
    return st;
}

static void put_text(pf_cli_rows *r, pf_str text)
{
    if (r->format == PF_CLI_JSON) {
        pf_cli_put_json_text(&r->line, text);
    } else {
        pf_buffer_quoted(&r->line, text, '"');
    }
}

static void put_between(pf_cli_rows *r, size_t i)
{
    pf_buffer_text(&r->line, i == 0 ? "" : r->format == PF_CLI_JSON ? ", " : ",");
}

static pf_status put_columns(pf_cli_rows *r, size_t count, const pf_str *names)
{
    bool json = r->format == PF_CLI_JSON;
    pf_buffer_text(&r->line, json ? (r->results > 1 ? ",\n    {" : "\n    {") : r->results > 1 ? "\n" : "");
    if (json && r->name.ptr) {
        pf_buffer_text(&r->line, "\"name\": ");
        put_text(r, r->name);
        pf_buffer_text(&r->line, ", ");
    }
    pf_buffer_text(&r->line, json ? "\"columns\": [" : "");
    for (size_t i = 0; i < count; i++) {
        put_between(r, i);
        put_text(r, names[i]);
    }
    pf_buffer_text(&r->line, json ? "], \"rows\": [" : "\n");
    return send_line(r);
}

static pf_status put_row(pf_cli_rows *r, size_t count, const pf_query_cell *cells)
{
    bool json = r->format == PF_CLI_JSON;
    pf_buffer_text(&r->line, json ? (r->rows > 1 ? ",\n      [" : "\n      [") : "");
    for (size_t i = 0; i < count; i++) {
        const pf_query_cell *c = &cells[i];
        put_between(r, i);
        if (c->type == PF_VALUE_STRING) {
            put_text(r, c->as.s);
        } else if (c->type == PF_VALUE_NULL || (json && c->type == PF_VALUE_REAL && !isfinite(c->as.d))) {
            pf_buffer_text(&r->line, json ? "null" : count == 1 ? "NULL" : "");
        } else {
            pf_cli_put_number(&r->line, c);
        }
    }
    pf_buffer_text(&r->line, json ? "]" : "\n");
    return send_line(r);
}

typedef struct gathered {
    pf_query_cell cell;
    size_t text; /* where a STRING lies in `texts` */
} gathered;

static pf_status charge(pf_cli_rows *r, uint64_t bytes)
{
    if (!pf_budget_charge(&r->budget, bytes)) {
        pf_budget_refused(&r->budget, bytes, NULL);
        return pf_fail(r->err, PF_ERR_LIMIT, "the table is too large; use --format csv, or raise --max-memory");
    }
    r->charged += bytes;
    return PF_OK;
}

static pf_status table_columns(pf_cli_rows *r, size_t count, const pf_str *names)
{
    r->column_count = count;
    for (size_t i = 0; i < count; i++) {
        pf_cli_put_clean(&r->names, names[i].ptr, names[i].len, false);
        pf_buffer_put(&r->names, "", 1);
    }
    return r->names.failed ? pf_no_memory(r->err) : PF_OK;
}

static pf_status table_row(pf_cli_rows *r, size_t count, const pf_query_cell *cells)
{
    uint64_t bytes = count * sizeof *cells;
    for (size_t i = 0; i < count; i++) {
        gathered c = {.cell = cells[i]};
        if (c.cell.type == PF_VALUE_STRING) {
            c.text = r->texts.len;
            pf_buffer_put(&r->texts, cells[i].as.s.ptr, cells[i].as.s.len);
            bytes += cells[i].as.s.len;
        }
        pf_buffer_put(&r->cells, &c, sizeof c);
    }
    return r->cells.failed || r->texts.failed ? pf_no_memory(r->err) : charge(r, bytes);
}

/* A column of integers or of reals is aligned as numbers; one that mixes kinds with text is text. */
static pf_cell_type type_of_column(const pf_cli_rows *r, const gathered *cells, size_t column)
{
    bool real = false, any = false;
    for (size_t row = 0; row < r->rows; row++) {
        pf_value_type type = cells[row * r->column_count + column].cell.type;
        if (type == PF_VALUE_STRING) {
            return PF_CELL_TEXT;
        }
        real = real || type == PF_VALUE_REAL;
        any = any || type != PF_VALUE_NULL;
    }
    return real ? PF_CELL_REAL : any ? PF_CELL_INT : PF_CELL_TEXT;
}

/* Numbers in a column of texts become texts. */
static void spell_numbers(pf_cli_rows *r, gathered *cells, size_t column)
{
    for (size_t row = 0; row < r->rows; row++) {
        gathered *c = &cells[row * r->column_count + column];
        size_t at = r->texts.len;
        if (c->cell.type == PF_VALUE_INT || c->cell.type == PF_VALUE_REAL) {
            pf_cli_put_number(&r->texts, &c->cell);
            *c = (gathered){.cell = {.type = PF_VALUE_STRING, .as.s.len = r->texts.len - at}, .text = at};
        }
    }
}

static pf_cell cell_of(const pf_cli_rows *r, const gathered *c, pf_cell_type type)
{
    if (c->cell.type == PF_VALUE_NULL) {
        return (pf_cell){.null = true};
    }
    if (c->cell.type == PF_VALUE_STRING) {
        return (pf_cell){.as.s = {r->texts.data + c->text, c->cell.as.s.len}};
    }
    if (type == PF_CELL_REAL) {
        return (pf_cell){.as.d = c->cell.type == PF_VALUE_REAL ? c->cell.as.d : (double)c->cell.as.i};
    }
    return (pf_cell){.as.i = c->cell.as.i};
}

static pf_status format_table(pf_cli_rows *r, pf_column *columns, pf_cell *view)
{
    gathered *cells = (gathered *)(void *)r->cells.data;
    const char *name = r->names.data;
    for (size_t c = 0; c < r->column_count; c++, name += strlen(name) + 1) {
        columns[c] = (pf_column){name, type_of_column(r, cells, c), -1, ""};
        if (columns[c].type == PF_CELL_TEXT) {
            spell_numbers(r, cells, c);
        }
    }
    PF_TRY(r->texts.failed ? pf_no_memory(r->err) : PF_OK);
    for (size_t i = 0; i < r->rows * r->column_count; i++) {
        view[i] = cell_of(r, &cells[i], columns[i % r->column_count].type);
    }
    pf_table table = {r->name, columns, r->column_count, r->rows, view};
    pf_buffer_text(&r->line, r->results > 1 ? "\n" : "");
    pf_table_aligned(&r->line, &table, &(pf_table_shape){.width = r->screen});
    return send_line(r);
}

static pf_status table_end(pf_cli_rows *r)
{
    pf_column *columns = calloc(r->column_count + 1, sizeof *columns);
    pf_cell *view = calloc(r->rows * r->column_count + 1, sizeof *view);
    pf_status st = columns && view ? format_table(r, columns, view) : pf_no_memory(r->err);
    free(columns);
    free(view);
    pf_budget_release(&r->budget, r->charged);
    r->charged = 0;
    r->names.len = r->cells.len = r->texts.len = 0;
    return st;
}

const char *pf_cli_rows_ending(pf_cli_rows_format format)
{
    static const char *const ENDINGS[] = {[PF_CLI_CSV] = "csv",
                                          [PF_CLI_JSON] = "json",
                                          [PF_CLI_TABLE] = "",
                                          [PF_CLI_ARROW] = "arrows",
                                          [PF_CLI_PARQUET] = "parquet"};
    return ENDINGS[format];
}

pf_status pf_cli_rows_open(pf_cli_rows *r, const char *path, const pf_query *query, const pf_write_options *o)
{
    r->query = query;
    return pf_rows_writer_open(path, r->format == PF_CLI_ARROW ? PF_TABLES_ARROW_STREAM : PF_TABLES_PARQUET,
                               &r->budget.limits, o, &r->writer, r->err);
}

static pf_status send_columns(pf_cli_rows *r, size_t count, const pf_str *names)
{
    pf_value_type *types = calloc(count + 1, sizeof *types);
    for (size_t i = 0; types && i < count; i++) {
        types[i] = pf_query_declared_type(r->query, i);
    }
    pf_status st = types ? pf_rows_writer_columns(r->writer, count, names, types, r->err) : pf_no_memory(r->err);
    free(types);
    return st;
}

static pf_status end_result(pf_cli_rows *r)
{
    if (!r->open) {
        return PF_OK;
    }
    r->open = false;
    if (r->format == PF_CLI_TABLE) {
        return table_end(r);
    }
    if (r->format == PF_CLI_JSON) {
        pf_buffer_text(&r->line, r->rows ? "\n    ]}" : "]}");
    }
    return send_line(r);
}

static pf_status on_columns(void *ctx, size_t count, const pf_str *names)
{
    pf_cli_rows *r = ctx;
    if (r->writer) {
        return send_columns(r, count, names);
    }
    PF_TRY(end_result(r));
    r->open = true;
    r->results++;
    r->rows = 0;
    return r->format == PF_CLI_TABLE ? table_columns(r, count, names) : put_columns(r, count, names);
}

static pf_status on_row(void *ctx, size_t count, const pf_query_cell *cells)
{
    pf_cli_rows *r = ctx;
    if (*pf_cli_cancel_flag()) {
        return pf_fail(r->err, PF_ERR_CANCELLED, "cancelled");
    }
    if (r->writer) {
        return pf_rows_writer_row(r->writer, cells, r->err);
    }
    r->rows++;
    return r->format == PF_CLI_TABLE ? table_row(r, count, cells) : put_row(r, count, cells);
}

pf_query_sink pf_cli_rows_sink(pf_cli_rows *r)
{
    return (pf_query_sink){r, on_columns, on_row};
}

void pf_cli_rows_start(pf_cli_rows *r, pf_cli_rows_format format, pf_outfile *file, const pf_limits *limits,
                       uint64_t *written, pf_error *err)
{
    *r = (pf_cli_rows){.format = format, .file = file, .written = written, .err = err};
    pf_budget_init(&r->budget, limits);
    if (format == PF_CLI_JSON) {
        pf_buffer_text(&r->line, "{\n  \"schema_version\": 1,\n  \"results\": [");
    }
}

pf_status pf_cli_rows_end(pf_cli_rows *r)
{
    if (r->writer) {
        return pf_rows_writer_close(r->writer, r->err);
    }
    PF_TRY(end_result(r));
    if (r->format == PF_CLI_JSON) {
        pf_buffer_text(&r->line, r->results ? "\n  ]\n}\n" : "]\n}\n");
        return send_line(r);
    }
    return PF_OK;
}

void pf_cli_rows_free(pf_cli_rows *r)
{
    if (r->writer) { /* else its pages stay out of memory */
        pf_rows_writer_free(r->writer);
    }
    pf_buffer_free(&r->line);
    pf_buffer_free(&r->names);
    pf_buffer_free(&r->cells);
    pf_buffer_free(&r->texts);
}

pf_cli_rows_format pf_cli_rows_format_of(const char *format, bool to_file)
{
    if (!format) {
        format = !to_file && isatty(STDOUT_FILENO) ? "table" : "csv";
    }
    static const char *const NAMES[] = {"csv", "json", "table", "arrow", "parquet"};
    size_t i = sizeof NAMES / sizeof *NAMES - 1;
    while (i > 0 && strcmp(format, NAMES[i]) != 0) {
        i--;
    }
    return (pf_cli_rows_format)i;
}
