/* write/report/table_text.c - report tables as text.
 *
 * The details block is a file format that other programs read: header, rule, rows, each cell as it is. The two shapes
 * for people (the aligned one is in table_aligned.c) protect their surroundings: a pipe or a line break in a traced
 * name would end a Markdown cell, an escape sequence would reach the terminal.
 */
#include "write/report/report_text.h"

#include "base/str.h"
#include "base/text/utf8.h"
#include "write/file/cell_text.h"

static bool is_control(uint32_t code)
{
    return code < 0x20 || (code >= 0x7f && code < 0xa0);
}

/* Where the bytes from `i` on end that no guard changes. */
static size_t plain_end(pf_str s, size_t i)
{
    while (i < s.len && s.ptr[i] >= ' ' && s.ptr[i] < 0x7f && s.ptr[i] != '|') {
        i++;
    }
    return i;
}

void pf_table_guarded(pf_buffer *out, pf_str s, pf_cell_guard guard)
{
    for (size_t i = 0; i < s.len;) {
        char bytes[4];
        size_t plain = plain_end(s, i);
        if (plain > i) {
            pf_buffer_put(out, s.ptr + i, plain - i);
            i = plain;
            continue;
        }
        uint32_t code = pf_utf8_next(s, &i);
        if (code >= 0xd800 && code <= 0xdfff) {
            code = PF_REPLACEMENT;
        }
        if (guard != PF_GUARD_NONE && is_control(code)) {
            code = guard == PF_GUARD_PIPES && (code == '\n' || code == '\r' || code == '\t') ? ' ' : PF_REPLACEMENT;
        }
        if (guard == PF_GUARD_PIPES && code == '|') {
            pf_buffer_put(out, "\\", 1);
        }
        pf_buffer_put(out, bytes, pf_utf8_put(code, bytes));
    }
}

void pf_table_cell(pf_buffer *out, const pf_column *column, const pf_cell *cell, pf_cell_guard guard)
{
    if (cell->null) {
        pf_buffer_put(out, "-", 1);
    } else if (column->type == PF_CELL_TEXT) {
        pf_table_guarded(out, cell->as.s, guard);
    } else {
        pf_table_number(out, column, cell);
    }
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool pf_table_says_unit(pf_str name, const char *unit)
{
    size_t len = strlen(unit);
    for (size_t i = 0; i + len <= name.len; i++) {
        bool begins = i == 0 || !is_letter(name.ptr[i - 1]);
        bool ends = i + len == name.len || !is_letter(name.ptr[i + len]);
        if (begins && ends && memcmp(name.ptr + i, unit, len) == 0) {
            return true;
        }
    }
    return false;
}

void pf_table_heading(pf_buffer *out, const pf_column *column)
{
    pf_buffer_text(out, column->name);
    if (column->unit && column->unit[0] && !pf_table_says_unit(pf_str_of(column->name), column->unit)) {
        pf_buffer_format(out, " (%s)", column->unit);
    }
}

size_t pf_table_width(const char *text, size_t len)
{
    size_t n = 0;
    for (size_t i = 0; i < len; i++) {
        n += ((uint8_t)text[i] & 0xc0) != 0x80;
    }
    return n;
}

void pf_table_repeat(pf_buffer *out, char c, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        pf_buffer_put(out, &c, 1);
    }
}

static void put_pipe_cell(pf_buffer *out, pf_lately *lately, const pf_column *column, const pf_cell *cell,
                          pf_cell_guard guard)
{
    bool text = !cell->null && column->type == PF_CELL_TEXT;
    pf_written_text *w = text ? pf_lately_again(lately, out, cell->as.s) : NULL;
    if (w || !text) {
        pf_table_cell(out, column, cell, guard);
    }
    if (w) {
        pf_lately_note(w, out);
    }
}

static void put_pipe_rows(pf_buffer *out, const pf_table *t, pf_cell_guard guard)
{
    pf_lately lately = {0};
    for (size_t row = 0; row < t->row_count; row++) {
        for (size_t c = 0; c < t->column_count; c++) {
            pf_buffer_text(out, c ? " | " : "| ");
            put_pipe_cell(out, &lately, &t->columns[c], &t->cells[row * t->column_count + c], guard);
        }
        pf_buffer_text(out, " |\n");
    }
}

void pf_table_details(pf_buffer *out, const pf_table *t)
{
    pf_buffer_text(out, "<details><summary><strong>");
    pf_table_guarded(out, t->title, PF_GUARD_NONE);
    pf_buffer_text(out, "</strong></summary>\n\n");
    for (size_t c = 0; c < t->column_count; c++) {
        pf_buffer_format(out, c ? " | %s" : "| %s", t->columns[c].name);
    }
    pf_buffer_text(out, " |\n");
    for (size_t c = 0; c < t->column_count; c++) {
        const char *name = t->columns[c].name;
        pf_buffer_put(out, "|", 1);
        pf_table_repeat(out, '-', pf_table_width(name, strlen(name)) + 2);
    }
    pf_buffer_text(out, "|\n");
    put_pipe_rows(out, t, PF_GUARD_NONE);
    pf_buffer_text(out, "\n</details>\n");
}

void pf_table_markdown(pf_buffer *out, const pf_table *t)
{
    if (t->title.len) {
        pf_buffer_text(out, "**");
        pf_table_guarded(out, t->title, PF_GUARD_PIPES);
        pf_buffer_text(out, "**\n\n");
    }
    for (size_t c = 0; c < t->column_count; c++) {
        pf_buffer_text(out, c ? " | " : "| ");
        pf_table_heading(out, &t->columns[c]);
    }
    pf_buffer_text(out, " |\n");
    for (size_t c = 0; c < t->column_count; c++) {
        pf_buffer_text(out, t->columns[c].type == PF_CELL_TEXT ? "|---" : "|---:");
    }
    pf_buffer_text(out, "|\n");
    pf_table_markdown_rows(out, t);
}

void pf_table_markdown_rows(pf_buffer *out, const pf_table *t)
{
    put_pipe_rows(out, t, PF_GUARD_PIPES);
}
