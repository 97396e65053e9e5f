/* write/report/json_rows.c - see json_rows.h.
 *
 * What stands before the value of a column is the same in every row: separator, line, key. It is made once. A text that
 * is the one of the row before (an input, a kind) is copied from there instead of being escaped again.
 */
#include "write/report/json_rows.h"

#include <stdlib.h>
#include <string.h>

#include "write/report/json_text.h"

void pf_json_put_line(pf_buffer *b, const pf_json_style *style, size_t level)
{
    static const char blanks[] = "                                "; /* 32 */
    if (style->one_line) {
        return;
    }
    pf_buffer_put(b, "\n", 1);
    for (size_t left = level * (size_t)style->indent; left > 0;) {
        size_t n = left < sizeof blanks - 1 ? left : sizeof blanks - 1;
        pf_buffer_put(b, blanks, n);
        left -= n;
    }
}

void pf_json_put_styled(pf_buffer *b, const pf_json_style *style, pf_str s)
{
    if (style->utf8) {
        pf_json_put_utf8(b, s);
    } else {
        pf_json_put_text(b, s);
    }
}

typedef struct column_text {
    size_t end;      /* of what stands before the value, in rows_text.fixed; it begins where the column before ends */
    pf_str text;     /* of the row before; {NULL, 0}: none */
    size_t at, size; /* where that is written, with its quotes */
} column_text;

typedef struct rows_text {
    const pf_table *table;
    size_t from;
    pf_buffer fixed; /* before each value, and after the last one */
    column_text *column;
} rows_text;

static bool make_fixed(rows_text *r, const pf_json_style *style, size_t level)
{
    const pf_table *t = r->table;
    r->column = calloc(t->column_count - r->from + 1, sizeof *r->column);
    if (!r->column) {
        return false;
    }
    pf_json_put_line(&r->fixed, style, level + 1);
    pf_buffer_put(&r->fixed, "{", 1);
    for (size_t c = r->from; c < t->column_count; c++) {
        const char *name = t->columns[c].name;
        pf_buffer_text(&r->fixed, c > r->from ? style->item_separator : "");
        pf_json_put_line(&r->fixed, style, level + 2);
        pf_json_put_styled(&r->fixed, style, (pf_str){name, strlen(name)});
        pf_buffer_text(&r->fixed, style->key_separator);
        r->column[c - r->from].end = r->fixed.len;
    }
    if (t->column_count > r->from) {
        pf_json_put_line(&r->fixed, style, level + 1);
    }
    pf_buffer_put(&r->fixed, "}", 1);
    return !r->fixed.failed;
}

static void put_text(pf_buffer *b, const pf_json_style *style, column_text *c, pf_str s)
{
    if (c->text.ptr == s.ptr && c->text.len == s.len) {
        char *room = pf_buffer_room(b, c->size);
        if (room) {
            memcpy(room, b->data + c->at, c->size);
            b->len += c->size;
        }
        return;
    }
    c->at = b->len;
    pf_json_put_styled(b, style, s);
    c->size = b->len - c->at;
    c->text = s;
}

static void put_cell(pf_buffer *b, const pf_json_style *style, column_text *c, pf_cell_type type, const pf_cell *cell)
{
    if (cell->null || (type == PF_CELL_TEXT && !cell->as.s.ptr)) {
        pf_buffer_put(b, "null", 4);
    } else if (type == PF_CELL_INT) {
        pf_buffer_int(b, cell->as.i);
    } else if (type == PF_CELL_REAL) {
        pf_json_put_real(b, cell->as.d);
    } else {
        put_text(b, style, c, cell->as.s);
    }
}

static void put_row(pf_buffer *b, const pf_json_style *style, rows_text *r, const pf_cell *cells)
{
    size_t at = 0;
    for (size_t c = r->from; c < r->table->column_count; c++) {
        column_text *column = &r->column[c - r->from];
        pf_buffer_put(b, r->fixed.data + at, column->end - at);
        put_cell(b, style, column, r->table->columns[c].type, &cells[c]);
        at = column->end;
    }
    pf_buffer_put(b, r->fixed.data + at, r->fixed.len - at);
}

void pf_json_put_rows(pf_buffer *b, const pf_json_style *style, const pf_table *t, size_t from, size_t level)
{
    rows_text r = {.table = t, .from = from};
    if (t->row_count && !make_fixed(&r, style, level)) {
        b->failed = true;
    }
    pf_buffer_put(b, "[", 1);
    for (size_t row = 0; row < t->row_count && !b->failed; row++) {
        if (row) {
            pf_buffer_text(b, style->item_separator);
        }
        put_row(b, style, &r, t->cells + row * t->column_count);
    }
    if (t->row_count) {
        pf_json_put_line(b, style, level);
    }
    pf_buffer_put(b, "]", 1);
    free(r.column);
    pf_buffer_free(&r.fixed);
}
