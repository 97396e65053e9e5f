/* write/report/csv_text.c - a report table as CSV: a header of the columns' names, a line per row, NULL as nothing. A
 * field is quoted where it holds the separator, a quote or a line end, and where it is a text of no bytes, which an
 * empty field would make NULL. */

#include "base/str.h"
#include "postfetto/write.h"
#include "write/file/cell_text.h"
#include "write/report/report_text.h"

static void put_field(pf_buffer *out, pf_str s, char separator)
{
    bool quoted = s.len == 0;
    for (size_t i = 0; i < s.len && !quoted; i++) {
        quoted = s.ptr[i] == separator || s.ptr[i] == '"' || s.ptr[i] == '\n' || s.ptr[i] == '\r';
    }
    if (quoted) {
        pf_buffer_quoted(out, s, '"');
    } else {
        pf_buffer_put(out, s.ptr, s.len);
    }
}

static void put_cell(pf_buffer *out, pf_lately *lately, const pf_column *column, const pf_cell *cell, char separator)
{
    if (!cell->null && column->type == PF_CELL_TEXT) {
        pf_written_text *w = pf_lately_again(lately, out, cell->as.s);
        if (w) {
            put_field(out, cell->as.s, separator);
            pf_lately_note(w, out);
        }
    } else if (!cell->null) {
        pf_table_number(out, column, cell);
    }
}

void pf_table_csv(pf_buffer *out, const pf_table *t, const pf_csv_style *style)
{
    const pf_csv_style plain = {0};
    pf_lately lately = {0};
    style = style ? style : &plain;
    char separator = style->separator ? style->separator : ',';
    const char *end = style->crlf ? "\r\n" : "\n";
    for (size_t c = 0; c < t->column_count && !style->no_header; c++) {
        pf_buffer_put(out, &separator, c ? 1 : 0);
        put_field(out, pf_str_of(t->columns[c].name), separator);
    }
    pf_buffer_text(out, style->no_header ? "" : end);
    for (size_t row = 0; row < t->row_count && !out->failed; row++) {
        for (size_t c = 0; c < t->column_count; c++) {
            pf_buffer_put(out, &separator, c ? 1 : 0);
            put_cell(out, &lately, &t->columns[c], &t->cells[row * t->column_count + c], separator);
        }
        pf_buffer_text(out, end);
    }
}

pf_status pf_format_csv(const pf_table *table, const pf_csv_style *style, char **text, size_t *len, pf_error *err)
{
    pf_buffer out = {0};
    pf_table_csv(&out, table, style);
    return pf_buffer_give(&out, text, len, err);
}
