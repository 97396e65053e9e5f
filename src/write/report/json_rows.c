/* write/report/json_rows.c - the rows of a table as a list in a JSON document, and what documents share with that.
 *
 * What stands before the value of a column is the same in every row: separator, line, key. It is made once. */
#include "write/report/report_text.h"

#include <stdlib.h>
#include <string.h>

#include "base/text/json_text.h"
#include "model/findings/table_parts.h"

bool pf_json_sink_empty(pf_json_sink *s, size_t least)
{
    if (!s->file || s->out.len < least || !pf_json_sink_works(s)) {
        return false;
    }
    s->status = pf_outfile_write(s->file, s->out.data, s->out.len, s->err);
    s->written += s->out.len;
    s->out.len = 0;
    return true;
}

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

typedef struct rows_text {
    const pf_json_style *style;
    size_t from, level;
    size_t rows;     /* written */
    pf_buffer fixed; /* what stands before each value, and after the last one */
    size_t *end;     /* by column: where that ends; it begins where that of the column before ends */
    pf_lately lately;
} rows_text;

static bool make_fixed(rows_text *r, const pf_table *t)
{
    const pf_json_style *style = r->style;
    r->end = calloc(t->column_count - r->from + 1, sizeof *r->end);
    if (!r->end) {
        return false;
    }
    pf_json_put_line(&r->fixed, style, r->level + 1);
    pf_buffer_put(&r->fixed, "{", 1);
    for (size_t c = r->from; c < t->column_count; c++) {
        const char *name = t->columns[c].name;
        pf_buffer_text(&r->fixed, c > r->from ? style->item_separator : "");
        pf_json_put_line(&r->fixed, style, r->level + 2);
        pf_json_put_styled(&r->fixed, style, (pf_str){name, strlen(name)});
        pf_buffer_text(&r->fixed, style->key_separator);
        r->end[c - r->from] = r->fixed.len;
    }
    if (t->column_count > r->from) {
        pf_json_put_line(&r->fixed, style, r->level + 1);
    }
    pf_buffer_put(&r->fixed, "}", 1);
    return !r->fixed.failed;
}

static void put_text(pf_buffer *b, rows_text *r, pf_str s)
{
    pf_written_text *w = pf_lately_again(&r->lately, b, s);
    if (w) {
        pf_json_put_styled(b, r->style, s);
        pf_lately_note(w, b);
    }
}

static void put_cell(pf_buffer *b, rows_text *r, pf_cell_type type, const pf_cell *cell)
{
    if (cell->null || (type == PF_CELL_TEXT && !cell->as.s.ptr)) {
        pf_buffer_put(b, "null", 4);
    } else if (type == PF_CELL_INT) {
        pf_buffer_int(b, cell->as.i);
    } else if (type == PF_CELL_REAL) {
        pf_json_put_real(b, cell->as.d);
    } else {
        put_text(b, r, cell->as.s);
    }
}

static void put_row(pf_buffer *b, rows_text *r, const pf_table *t, const pf_cell *cells)
{
    size_t at = 0;
    for (size_t c = r->from; c < t->column_count; c++) {
        size_t end = r->end[c - r->from];
        pf_buffer_put(b, r->fixed.data + at, end - at);
        put_cell(b, r, t->columns[c].type, &cells[c]);
        at = end;
    }
    pf_buffer_put(b, r->fixed.data + at, r->fixed.len - at);
}

static void put_rows(pf_json_sink *s, rows_text *r, const pf_table *t)
{
    pf_buffer *b = &s->out;
    b->failed |= t->row_count && !r->end && !make_fixed(r, t);
    for (size_t row = 0; row < t->row_count && pf_json_sink_works(s); row++) {
        if (r->rows++) {
            pf_buffer_text(b, r->style->item_separator);
        }
        put_row(b, r, t, t->cells + row * t->column_count);
        if (pf_json_sink_empty(s, PF_JSON_MUCH)) {
            r->lately = (pf_lately){0};
        }
    }
}

static void end_rows(pf_json_sink *s, rows_text *r)
{
    if (r->rows) {
        pf_json_put_line(&s->out, r->style, r->level);
    }
    pf_buffer_put(&s->out, "]", 1);
    free(r->end);
    pf_buffer_free(&r->fixed);
}

void pf_json_put_rows(pf_json_sink *s, const pf_json_style *style, const pf_table *t, size_t from, size_t level)
{
    rows_text r = {.style = style, .from = from, .level = level};
    pf_buffer_put(&s->out, "[", 1);
    put_rows(s, &r, t);
    end_rows(s, &r);
}

void pf_json_put_table(pf_json_sink *s, const pf_json_style *style, const pf_table_builder *t, size_t from,
                       size_t level)
{
    rows_text r = {.style = style, .from = from, .level = level};
    pf_buffer_put(&s->out, "[", 1);
    for (uint32_t i = 0; i < pf_table_parts(t) && pf_json_sink_works(s); i++) {
        const pf_table *part = pf_table_part(t, i);
        s->out.failed |= !part;
        if (part) {
            put_rows(s, &r, part);
        }
        if (part && s->watch && pf_table_parts(t) > 1) {
            s->watch->see(s->watch->ctx, t, i, part);
        }
    }
    end_rows(s, &r);
}
