/* write/report/table_text.c - report tables as text.
 *
 * The details block is a file format that other programs read: header, rule, rows, each cell as it is. The two shapes
 * for people protect their surroundings: a pipe or a line break in a traced name would end a Markdown cell, an escape
 * sequence would reach the terminal. Widths count code points; for the aligned shape every cell is therefore rendered
 * twice, once to measure and once to print, which needs no memory besides one line.
 */
#include "write/report/report_text.h"

#include <stdio.h>
#include <string.h>

#include "base/text/utf8.h"
#include "postfetto/write.h"
#include "write/file/cell_text.h"

typedef enum cell_guard { GUARD_NONE, GUARD_PIPES, GUARD_TERMINAL } cell_guard;

static bool is_control(uint32_t code)
{
    return code < 0x20 || (code >= 0x7f && code < 0xa0);
}

/* Appends the text as valid UTF-8, guarded. */
static void put_guarded(pf_buffer *out, pf_str s, cell_guard guard)
{
    for (size_t i = 0; i < s.len;) {
        char bytes[4];
        uint32_t code = pf_utf8_next(s, &i);
        if (code >= 0xd800 && code <= 0xdfff) {
            code = PF_REPLACEMENT;
        }
        if (guard != GUARD_NONE && is_control(code)) {
            code = guard == GUARD_PIPES && (code == '\n' || code == '\r' || code == '\t') ? ' ' : PF_REPLACEMENT;
        }
        if (guard == GUARD_PIPES && code == '|') {
            pf_buffer_put(out, "\\", 1);
        }
        pf_buffer_put(out, bytes, pf_utf8_put(code, bytes));
    }
}

static void put_cell(pf_buffer *out, const pf_column *column, const pf_cell *cell, cell_guard guard)
{
    if (cell->null) {
        pf_buffer_put(out, "-", 1);
    } else if (column->type == PF_CELL_TEXT) {
        put_guarded(out, cell->as.s, guard);
    } else {
        pf_table_number(out, column, cell);
    }
}

/* The heading names the unit where the column's name does not. */
static void put_heading(pf_buffer *out, const pf_column *column)
{
    pf_buffer_text(out, column->name);
    if (column->unit && column->unit[0] && !strstr(column->name, column->unit)) {
        pf_buffer_format(out, " (%s)", column->unit);
    }
}

static size_t count_code_points(const char *text, size_t len)
{
    size_t n = 0;
    for (size_t i = 0; i < len; i++) {
        n += ((uint8_t)text[i] & 0xc0) != 0x80;
    }
    return n;
}

static void put_repeated(pf_buffer *out, char c, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        pf_buffer_put(out, &c, 1);
    }
}

static void put_pipe_rows(pf_buffer *out, const pf_table *t, cell_guard guard)
{
    for (size_t row = 0; row < t->row_count; row++) {
        for (size_t c = 0; c < t->column_count; c++) {
            pf_buffer_text(out, c ? " | " : "| ");
            put_cell(out, &t->columns[c], &t->cells[row * t->column_count + c], guard);
        }
        pf_buffer_text(out, " |\n");
    }
}

void pf_table_details(pf_buffer *out, const pf_table *t)
{
    pf_buffer_text(out, "<details><summary><strong>");
    put_guarded(out, t->title, GUARD_NONE);
    pf_buffer_text(out, "</strong></summary>\n\n");
    for (size_t c = 0; c < t->column_count; c++) {
        pf_buffer_format(out, c ? " | %s" : "| %s", t->columns[c].name);
    }
    pf_buffer_text(out, " |\n");
    for (size_t c = 0; c < t->column_count; c++) {
        const char *name = t->columns[c].name;
        pf_buffer_put(out, "|", 1);
        put_repeated(out, '-', count_code_points(name, strlen(name)) + 2);
    }
    pf_buffer_text(out, "|\n");
    put_pipe_rows(out, t, GUARD_NONE);
    pf_buffer_text(out, "\n</details>\n");
}

void pf_table_markdown(pf_buffer *out, const pf_table *t)
{
    if (t->title.len) {
        pf_buffer_text(out, "**");
        put_guarded(out, t->title, GUARD_PIPES);
        pf_buffer_text(out, "**\n\n");
    }
    for (size_t c = 0; c < t->column_count; c++) {
        pf_buffer_text(out, c ? " | " : "| ");
        put_heading(out, &t->columns[c]);
    }
    pf_buffer_text(out, " |\n");
    for (size_t c = 0; c < t->column_count; c++) {
        pf_buffer_text(out, t->columns[c].type == PF_CELL_TEXT ? "|---" : "|---:");
    }
    pf_buffer_text(out, "|\n");
    put_pipe_rows(out, t, GUARD_PIPES);
}

/* Width in code points of what `line` got since `start`. */
static size_t width_since(const pf_buffer *line, size_t start)
{
    return count_code_points(line->data + start, line->len - start);
}

static size_t column_width(pf_buffer *scratch, const pf_table *t, size_t c)
{
    scratch->len = 0;
    put_heading(scratch, &t->columns[c]);
    size_t width = scratch->failed ? 0 : width_since(scratch, 0);
    for (size_t row = 0; row < t->row_count && !scratch->failed; row++) {
        scratch->len = 0;
        put_cell(scratch, &t->columns[c], &t->cells[row * t->column_count + c], GUARD_TERMINAL);
        size_t w = width_since(scratch, 0);
        width = w > width ? w : width;
    }
    return width;
}

/* Appends the cell that lies in scratch: text to the left, numbers to the right, nothing after the last column. */
static void put_padded(pf_buffer *out, const pf_buffer *scratch, const pf_table *t, size_t c, size_t width)
{
    bool text = t->columns[c].type == PF_CELL_TEXT;
    size_t own = scratch->failed ? width : width_since(scratch, 0);
    if (c) {
        pf_buffer_put(out, "  ", 2);
    }
    put_repeated(out, ' ', text ? 0 : width - own);
    pf_buffer_put(out, scratch->data, scratch->len);
    if (c + 1 < t->column_count) {
        put_repeated(out, ' ', text ? width - own : 0);
    }
}

static void put_aligned_lines(pf_buffer *out, pf_buffer *scratch, const pf_table *t, const size_t *widths)
{
    for (size_t c = 0; c < t->column_count; c++) {
        scratch->len = 0;
        put_heading(scratch, &t->columns[c]);
        put_padded(out, scratch, t, c, widths[c]);
    }
    pf_buffer_put(out, "\n", 1);
    for (size_t row = 0; row < t->row_count && !out->failed; row++) {
        for (size_t c = 0; c < t->column_count; c++) {
            scratch->len = 0;
            put_cell(scratch, &t->columns[c], &t->cells[row * t->column_count + c], GUARD_TERMINAL);
            put_padded(out, scratch, t, c, widths[c]);
        }
        pf_buffer_put(out, "\n", 1);
    }
}

void pf_table_aligned(pf_buffer *out, const pf_table *t)
{
    pf_buffer scratch = {0}, widths = {0};
    for (size_t c = 0; c < t->column_count; c++) {
        size_t width = column_width(&scratch, t, c);
        pf_buffer_put(&widths, &width, sizeof width);
    }
    if (t->title.len) {
        put_guarded(out, t->title, GUARD_TERMINAL);
        pf_buffer_put(out, "\n", 1);
    }
    if (!widths.failed && !scratch.failed) {
        put_aligned_lines(out, &scratch, t, (const size_t *)(const void *)widths.data);
    }
    out->failed = out->failed || scratch.failed || widths.failed;
    pf_buffer_free(&scratch);
    pf_buffer_free(&widths);
}

pf_status pf_format_table(const pf_table *table, bool markdown, char **text, size_t *len, pf_error *err)
{
    pf_buffer out = {0};
    if (markdown) {
        pf_table_markdown(&out, table);
    } else {
        pf_table_aligned(&out, table);
    }
    return pf_buffer_give(&out, text, len, err);
}
