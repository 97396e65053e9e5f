/* write/page/page_table.c - a report table as HTML.
 *
 * Units are those of tables on the terminal (write/report/column_unit.c). The first columns of durations, sizes and
 * shares get a bar in each cell: against 100 for shares, else against the largest of the column. A bar is a picture, so
 * that it is printed too.
 */
#include "write/page/page.h"

#include <math.h>
#include <stdlib.h>

#include "base/str.h"
#include "write/page/page_text.h"
#include "write/report/report_text.h"

#define ROWS 200
#define FEW_ROWS 10
#define WIDE 10   /* columns from which on paper is turned for a table */
#define DENSE 16  /* and print is smaller */
#define BARS 3    /* columns with bars */
#define NARROW 24 /* bytes of a text that is not broken */

/* A column of the page. */
typedef struct shown_column {
    size_t at; /* in the table */
    pf_shown_unit unit;
    double full; /* a bar of full length; 0: no bars */
    bool narrow; /* texts that stand on one line */
} shown_column;

/* The columns of one table, in order. */
typedef struct shown_columns {
    shown_column *column;
    size_t count;
} shown_columns;

static double value_of(const pf_column *c, const pf_cell *cell)
{
    return cell->null ? NAN : pf_table_value(c, cell);
}

/* Whether the values of a column say how much: not when or which. */
static bool is_amount(const pf_column *c)
{
    static const char *const units[] = {"%", "ns", "us", "ms", "s", "cycles", "bytes", "J"};
    static const char *const moments[] = {"start", "end", "ts", "at", "begin", "from", "to", "first", "last"};
    bool amount = false;
    pf_str name = pf_str_of(c->name);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        amount |= c->type != PF_CELL_TEXT && c->unit && strcmp(c->unit, units[i]) == 0;
    }
    for (size_t at = 0; amount && at < name.len;) {
        size_t len = strcspn(name.ptr + at, "_");
        for (size_t i = 0; i < sizeof moments / sizeof *moments; i++) {
            amount &= !pf_str_is((pf_str){name.ptr + at, len}, moments[i]);
        }
        at += len + 1;
    }
    return amount;
}

/* The largest magnitude of a column; *least: the least value. */
static double largest_of(const pf_table *t, size_t column, double *least)
{
    double most = 0;
    *least = 0;
    for (size_t row = 0; row < t->row_count; row++) {
        double v = value_of(&t->columns[column], &t->cells[row * t->column_count + column]);
        most = fabs(v) > most ? fabs(v) : most;
        *least = v < *least ? v : *least;
    }
    return most;
}

static shown_column measure(const pf_table *t, size_t at, size_t *bars)
{
    const pf_column *c = &t->columns[at];
    shown_column s = {.at = at, .unit = pf_table_unit(c, 0)};
    if (c->type == PF_CELL_TEXT) {
        s.narrow = true;
        for (size_t row = 0; row < t->row_count && row < ROWS && s.narrow; row++) {
            const pf_cell *cell = &t->cells[row * t->column_count + at];
            s.narrow = cell->null || cell->as.s.len <= NARROW;
        }
        return s;
    }
    double least, most = largest_of(t, at, &least);
    s.unit = pf_table_unit(c, most);
    if (is_amount(c) && most > 0 && least >= 0 && *bars < BARS) {
        s.full = strcmp(s.unit.name, "%") == 0 && most < 100 ? 100 : most;
        ++*bars;
    }
    return s;
}

/* False: memory was refused. */
static bool choose(const pf_page_table *p, shown_columns *out)
{
    const pf_table *t = p->table;
    size_t bars = 0;
    *out = (shown_columns){.column = calloc(t->column_count + 1, sizeof *out->column)};
    if (!p->columns) {
        for (; out->column && out->count < t->column_count; out->count++) {
            out->column[out->count] = measure(t, out->count, &bars);
        }
    }
    for (const char *name = p->columns; out->column && name && *name;) {
        size_t len = strcspn(name, ","), at = 0;
        while (at < t->column_count && !pf_str_equal(pf_str_of(t->columns[at].name), (pf_str){name, len})) {
            at++;
        }
        if (at < t->column_count && out->count < t->column_count) {
            out->column[out->count++] = measure(t, at, &bars);
        }
        name += len + (name[len] == ',');
    }
    return out->column;
}

static void put_heading(pf_buffer *b, const pf_column *c, const char *unit)
{
    pf_buffer heading = {0};
    pf_table_eased_heading(&heading, c, unit);
    b->failed |= heading.failed;
    pf_html_text(b, (pf_str){heading.data, heading.failed ? 0 : heading.len});
    pf_buffer_free(&heading);
}

static void put_number(pf_buffer *b, const pf_column *c, const shown_column *s, const pf_cell *cell)
{
    double v = value_of(c, cell);
    if (s->full > 0) {
        double width = fmin(100, 100 * v / s->full);
        pf_buffer_text(b, "<svg class=\"bar\" viewBox=\"0 0 100 10\" preserveAspectRatio=\"none\" aria-hidden=\"true\">"
                          "<rect width=\"");
        pf_html_real(b, width, 1);
        pf_buffer_text(b, "\" height=\"10\"/></svg>");
    }
    if (s->unit.divisor > 1) {
        pf_html_real(b, v / s->unit.divisor, 3);
    } else if (c->type == PF_CELL_INT) {
        pf_html_int(b, cell->as.i);
    } else {
        pf_html_real(b, v, c->decimals);
    }
}

static void put_cell(pf_buffer *b, const pf_table *t, const shown_column *s, size_t row)
{
    const pf_column *c = &t->columns[s->at];
    const pf_cell *cell = &t->cells[row * t->column_count + s->at];
    pf_buffer_text(b, s->narrow ? "<td class=\"s\">" : c->type == PF_CELL_TEXT ? "<td>" : "<td class=\"n\">");
    if (cell->null) {
        pf_buffer_text(b, "&ndash;");
    } else if (c->type == PF_CELL_TEXT) {
        pf_html_name(b, cell->as.s, b->len < PF_PAGE_LARGE);
    } else {
        put_number(b, c, s, cell);
    }
    pf_buffer_text(b, "</td>");
}

/* How many rows are left out, and where they are. */
static void put_more(pf_buffer *b, const pf_page_table *p, size_t rows)
{
    pf_buffer_format(b, "<p class=\"more\">%zu more", p->table->row_count - rows);
    if (p->file.ptr && p->folder) {
        pf_buffer_text(b, " in <a href=\"");
        pf_html_address(b, pf_str_of(p->folder));
        pf_html_address(b, p->file);
        pf_buffer_text(b, "\">");
        pf_html_text(b, p->file);
        pf_buffer_text(b, "</a>");
    } else if (p->file.ptr) {
        pf_buffer_text(b, " in ");
        pf_html_text(b, p->file);
        pf_buffer_text(b, " (--report DIR writes it)");
    } else if (p->name) {
        pf_buffer_format(b, "; --table %s --format csv prints all rows and columns", p->name);
    } else {
        pf_buffer_text(b, p->drawn ? ", which are in the picture alone" : "; --rows 0 shows all on the terminal");
    }
    pf_buffer_text(b, "</p>\n");
}

void pf_page_put_table(pf_buffer *b, const pf_page_table *p)
{
    const pf_table *t = p->table;
    shown_columns shown;
    size_t rows = 0;
    if (!choose(p, &shown)) {
        b->failed = true;
        return;
    }
    const char *width = shown.count > DENSE ? " wide dense" : shown.count > WIDE ? " wide" : "";
    pf_buffer_format(b, "<div class=\"table%s\">\n<h%u id=\"t%zu\">", width, p->level, p->id);
    pf_html_shortened(b, t->title.len ? t->title : pf_str_of(t->name ? t->name : "table"), 200);
    pf_buffer_format(b,
                     "</h%u>\n<div class=\"scroll\" role=\"group\" tabindex=\"0\" aria-labelledby=\"t%zu\">\n"
                     "<table aria-labelledby=\"t%zu\">\n<thead><tr>",
                     p->level, p->id, p->id);
    for (size_t i = 0; i < shown.count; i++) {
        const pf_column *c = &t->columns[shown.column[i].at];
        pf_buffer_text(b, c->type == PF_CELL_TEXT ? "<th scope=\"col\">" : "<th scope=\"col\" class=\"n\">");
        put_heading(b, c, shown.column[i].unit.name);
        pf_buffer_text(b, "</th>");
    }
    pf_buffer_text(b, "</tr></thead>\n<tbody>\n");
    for (; rows < t->row_count && b->len < PF_PAGE_FULL && rows < (b->len < PF_PAGE_LARGE ? ROWS : FEW_ROWS); rows++) {
        pf_buffer_text(b, "<tr>");
        for (size_t i = 0; i < shown.count; i++) {
            put_cell(b, t, &shown.column[i], rows);
        }
        pf_buffer_text(b, "</tr>\n");
    }
    pf_buffer_text(b, "</tbody>\n</table>\n</div>\n");
    if (rows < t->row_count) {
        put_more(b, p, rows);
    }
    pf_buffer_text(b, "</div>\n");
    free(shown.column);
}
