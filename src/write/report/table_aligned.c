/* write/report/table_aligned.c - report tables in aligned columns, for people.
 *
 * Widths count code points, so every cell is rendered twice, once to measure and once to print, which needs no memory
 * besides one line. Where a line has a width, texts lose their middle ("..."), the widest column first: both ends of a
 * kernel's name tell it from others. Numbers are never cut.
 *
 * An eased table is meant to be read, not to be parsed: columns have the units that suit them (column_unit.c). Columns
 * that do not fit even with the shortest texts are left out from the right, as a table has what matters most on its
 * left, and named below it.
 */
#include <math.h>

#include "base/str.h"
#include "base/text/number.h"
#include "postfetto/write.h"
#include "write/report/report_text.h"

#define LEAST_TEXT 12 /* columns of a text that is shortened to fit */
#define LEAST_NAME 20 /* the same where a column less would leave it so many */
#define LEAST_COLUMNS 2

typedef struct picked {
    size_t at; /* in the table */
    const pf_column *column;
    pf_shown_unit unit; /* of an eased table */
    size_t width;
} picked;

typedef struct layout {
    const pf_table *table;
    const pf_table_shape *shape;
    picked *columns;
    size_t count, rows;
    pf_buffer scratch;
} layout;

static const pf_cell *cell_at(const layout *l, size_t row, const picked *p)
{
    return &l->table->cells[row * l->table->column_count + p->at];
}

/* The largest magnitude of a column of numbers. */
static double largest_of(const layout *l, const picked *p)
{
    double most = 0;
    for (size_t row = 0; row < l->rows && p->column->type != PF_CELL_TEXT; row++) {
        const pf_cell *c = cell_at(l, row, p);
        double v = c->null ? 0 : fabs(pf_table_value(p->column, c));
        most = v > most ? v : most;
    }
    return most;
}

/* Shortens the scratch to so many code points: its middle becomes "...". */
static void shorten(pf_buffer *b, size_t width)
{
    size_t all = b->failed ? 0 : pf_table_width(b->data, b->len);
    if (all <= width || width < LEAST_TEXT) {
        return;
    }
    size_t tail = (width - 3) / 2, head = width - 3 - tail, seen = 0, cut = 0, from = 0;
    for (size_t i = 0; i < b->len; i++) {
        if (((uint8_t)b->data[i] & 0xc0) != 0x80) {
            cut = seen == head ? i : cut;
            from = seen == all - tail ? i : from;
            seen++;
        }
    }
    memcpy(b->data + cut, "...", 3); /* what it replaces is longer: there is more than one code point too many */
    memmove(b->data + cut + 3, b->data + from, b->len - from);
    b->len = cut + 3 + (b->len - from);
}

static void put_heading(layout *l, const picked *p)
{
    l->scratch.len = 0;
    if (l->shape->eased) {
        pf_table_eased_heading(&l->scratch, p->column, p->unit.name);
    } else {
        pf_table_heading(&l->scratch, p->column);
    }
}

static void put_cell(layout *l, size_t row, const picked *p)
{
    const pf_cell *c = cell_at(l, row, p);
    l->scratch.len = 0;
    if (l->shape->eased && p->unit.divisor > 1 && !c->null) {
        char text[PF_FIXED_MAX];
        pf_buffer_put(&l->scratch, text, pf_format_real_fixed(pf_table_value(p->column, c) / p->unit.divisor, 3, text));
    } else {
        pf_table_cell(&l->scratch, p->column, c, PF_GUARD_TERMINAL);
    }
}

static size_t scratch_width(const layout *l)
{
    return l->scratch.failed ? 0 : pf_table_width(l->scratch.data, l->scratch.len);
}

static void measure(layout *l, picked *p)
{
    put_heading(l, p);
    p->width = scratch_width(l);
    for (size_t row = 0; row < l->rows && !l->scratch.failed; row++) {
        put_cell(l, row, p);
        size_t w = scratch_width(l);
        p->width = w > p->width ? w : p->width;
    }
}

static bool is_text(const picked *p)
{
    return p->column->type == PF_CELL_TEXT;
}

static size_t line_width(const picked *columns, size_t count)
{
    size_t all = 0;
    for (size_t i = 0; i < count; i++) {
        all += columns[i].width + (i ? 2 : 0);
    }
    return all;
}

/* Makes the widest column of texts narrower until the line fits, or all of them are as narrow as they may get. */
static void share_line(picked *columns, size_t count, size_t room)
{
    for (;;) {
        size_t all = line_width(columns, count), widest = count, second = LEAST_TEXT;
        for (size_t i = 0; i < count; i++) {
            if (is_text(&columns[i]) && columns[i].width > LEAST_TEXT &&
                (widest == count || columns[i].width > columns[widest].width)) {
                widest = i;
            }
        }
        if (all <= room || widest == count) {
            return;
        }
        picked *w = &columns[widest];
        for (size_t i = 0; i < count; i++) {
            bool other = i != widest && is_text(&columns[i]) && columns[i].width < w->width;
            second = other && columns[i].width > second ? columns[i].width : second;
        }
        size_t least = w->width > all - room ? w->width - (all - room) : 0;
        w->width = least > second ? least : second < w->width ? second : w->width - 1;
    }
}

/* How many of the columns have room, and their widths. */
static size_t fit(layout *l)
{
    size_t count = l->count, room = l->shape->width;
    if (room == 0) {
        return count;
    }
    for (size_t least = 0; l->shape->eased && count > LEAST_COLUMNS; count--, least = 0) {
        for (size_t i = 0; i < count; i++) {
            bool cut = is_text(&l->columns[i]) && l->columns[i].width > LEAST_NAME;
            least += (cut ? LEAST_NAME : l->columns[i].width) + (i ? 2 : 0);
        }
        if (least <= room) {
            break;
        }
    }
    share_line(l->columns, count, room);
    return count;
}

static void put_styled(pf_buffer *out, const layout *l, const char *style, const char *text, size_t len)
{
    bool styled = l->shape->styled && style;
    pf_buffer_text(out, styled ? style : "");
    pf_buffer_put(out, text, len);
    pf_buffer_text(out, styled ? "\033[0m" : "");
}

/* Words that are good or bad news. */
static const char *style_of(pf_str word)
{
    return pf_str_is(word, "slower") ? "\033[31m" : pf_str_is(word, "faster") ? "\033[32m" : NULL;
}

/* Appends the scratch: text to the left, numbers to the right, nothing after the last column. */
static void put_padded(pf_buffer *out, layout *l, const picked *p, bool last, const char *style)
{
    bool text = is_text(p);
    if (text) {
        shorten(&l->scratch, p->width);
    }
    size_t own = scratch_width(l), pad = p->width > own ? p->width - own : 0;
    pf_buffer_text(out, p == l->columns ? "" : "  ");
    pf_table_repeat(out, ' ', text ? 0 : pad);
    put_styled(out, l, style, l->scratch.data, l->scratch.len);
    pf_table_repeat(out, ' ', text && !last ? pad : 0);
}

static void put_lines(pf_buffer *out, layout *l, size_t count)
{
    for (size_t c = 0; c < count; c++) {
        put_heading(l, &l->columns[c]);
        put_padded(out, l, &l->columns[c], c + 1 == count, "\033[36m");
    }
    pf_buffer_put(out, "\n", 1);
    for (size_t row = 0; row < l->rows && !out->failed; row++) {
        for (size_t c = 0; c < count; c++) {
            put_cell(l, row, &l->columns[c]);
            pf_str word = {l->scratch.data, l->scratch.len};
            put_padded(out, l, &l->columns[c], c + 1 == count, is_text(&l->columns[c]) ? style_of(word) : NULL);
        }
        pf_buffer_put(out, "\n", 1);
    }
}

/* What is not shown. */
static void put_rest(pf_buffer *out, layout *l, size_t count)
{
    size_t more = l->table->row_count - l->rows + l->shape->more;
    pf_buffer text = {0};
    if (more) {
        pf_buffer_format(&text, "... %zu more (--rows 0 shows all)", more);
        put_styled(out, l, "\033[2m", text.data, text.len);
        pf_buffer_put(out, "\n", 1);
    }
    text.len = 0;
    for (size_t c = count; c < l->count; c++) {
        put_heading(l, &l->columns[c]);
        pf_buffer_text(&text, c == count ? "... no room for: " : ", ");
        pf_buffer_put(&text, l->scratch.data, l->scratch.len);
    }
    if (count < l->count) {
        put_styled(out, l, "\033[2m", text.data, text.len);
        pf_buffer_put(out, "\n", 1);
    }
    out->failed |= text.failed;
    pf_buffer_free(&text);
}

/* Appends the columns that are asked for; names that the table has not are left out. */
static void pick(layout *l, pf_buffer *columns)
{
    const pf_table *t = l->table;
    const char *at = l->shape->columns;
    for (size_t c = 0; !at && c < t->column_count; c++) {
        pf_buffer_put(columns, &(picked){.at = c, .column = &t->columns[c]}, sizeof(picked));
    }
    for (size_t len; at && *at; at += len, at += *at == ',') {
        len = strcspn(at, ",");
        for (size_t c = 0; c < t->column_count; c++) {
            if (pf_str_is((pf_str){at, len}, t->columns[c].name)) {
                pf_buffer_put(columns, &(picked){.at = c, .column = &t->columns[c]}, sizeof(picked));
                break;
            }
        }
    }
    l->columns = (picked *)(void *)columns->data;
    l->count = columns->failed ? 0 : columns->len / sizeof(picked);
}

void pf_table_aligned(pf_buffer *out, const pf_table *t, const pf_table_shape *shape)
{
    static const pf_table_shape whole = {0};
    pf_buffer columns = {0};
    layout l = {.table = t, .shape = shape ? shape : &whole, .rows = t->row_count};
    l.rows = l.shape->rows && l.shape->rows < l.rows ? l.shape->rows : l.rows;
    pick(&l, &columns);
    for (size_t c = 0; c < l.count; c++) {
        l.columns[c].unit = pf_table_unit(l.columns[c].column, largest_of(&l, &l.columns[c]));
        measure(&l, &l.columns[c]);
    }
    size_t count = fit(&l);
    if (t->title.len) {
        l.scratch.len = 0;
        pf_table_guarded(&l.scratch, t->title, PF_GUARD_TERMINAL);
        put_styled(out, &l, "\033[1m", l.scratch.data, l.scratch.len);
        pf_buffer_put(out, "\n", 1);
    }
    if (l.count && !l.scratch.failed) {
        put_lines(out, &l, count);
        put_rest(out, &l, count);
    }
    out->failed |= l.scratch.failed || columns.failed;
    pf_buffer_free(&l.scratch);
    pf_buffer_free(&columns);
}

pf_status pf_format_table(const pf_table *table, bool markdown, char **text, size_t *len, pf_error *err)
{
    pf_buffer out = {0};
    if (markdown) {
        pf_table_markdown(&out, table);
    } else {
        pf_table_aligned(&out, table, NULL);
    }
    return pf_buffer_give(&out, text, len, err);
}
