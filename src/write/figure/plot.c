/* write/figure/plot.c - columns, rows, colours and tooltips of a figure. */
#include "write/figure/plot.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/str.h"
#include "write/file/cell_text.h"

pf_str pf_names_get(const names *n, unsigned i)
{
    const uint32_t *ends = (const uint32_t *)(const void *)n->ends.data;
    uint32_t start = i ? ends[i - 1] : 0;
    return (pf_str){n->text.data + start, ends[i] - start};
}

unsigned pf_names_add(names *n, pf_str text, unsigned most)
{
    if (n->last < n->count && pf_str_equal(pf_names_get(n, n->last), text)) {
        return n->last;
    }
    for (unsigned i = 0; i < n->count; i++) {
        if (pf_str_equal(pf_names_get(n, i), text)) {
            return n->last = i;
        }
    }
    if (n->count >= most) {
        return most;
    }
    pf_buffer_put(&n->text, text.ptr, text.len);
    uint32_t end = (uint32_t)n->text.len;
    pf_buffer_put(&n->ends, &end, sizeof end);
    return n->text.failed || n->ends.failed || n->text.len > UINT32_MAX ? most : (n->last = n->count++);
}

void pf_names_free(names *n)
{
    pf_buffer_free(&n->text);
    pf_buffer_free(&n->ends);
}

static pf_status find_column(const plot *p, pf_str name, int *column, pf_error *err)
{
    for (size_t i = 0; i < p->t->column_count; i++) {
        if (pf_str_is(name, p->t->columns[i].name)) {
            *column = (int)i;
            return PF_OK;
        }
    }
    return pf_fail(err, PF_ERR_INTERNAL, "figure %s: its table has no column %.*s", p->f->name, (int)name.len,
                   name.ptr);
}

/* The i-th part of a list with commas; {NULL, 0}: there is none. */
static pf_str part_of(const char *list, unsigned i)
{
    const char *end;
    for (; list && (end = strchr(list, ',')) && i; i--) {
        list = end + 1;
    }
    return list && !i ? (pf_str){list, strcspn(list, ",")} : (pf_str){NULL, 0};
}

static pf_status find_columns(const plot *p, const char *list, int *columns, unsigned *count, pf_error *err)
{
    for (pf_str part; *count < PLOT_COLUMNS && (part = part_of(list, *count)).ptr; (*count)++) {
        PF_TRY(find_column(p, part, &columns[*count], err));
    }
    return PF_OK;
}

pf_status pf_plot_open(plot *p, const pf_figure *f, pf_error *err)
{
    const char *single[] = {f->label, f->panel, f->from, f->to, f->meaning};
    *p = (plot){.f = f, .t = pf_table_view(f->table)};
    int *columns[] = {&p->label, &p->panel, &p->from, &p->to, &p->meaning};
    for (unsigned i = 0; i < 5; i++) {
        *columns[i] = NO_COLUMN;
        PF_TRY(single[i] ? find_column(p, pf_str_of(single[i]), columns[i], err) : PF_OK);
    }
    PF_TRY(find_columns(p, f->values, p->values, &p->value_count, err));
    return find_columns(p, f->tip, p->tips, &p->tip_count, err);
}

void pf_plot_close(plot *p)
{
    pf_names_free(&p->legend);
    pf_names_free(&p->panels);
    pf_buffer_free(&p->scratch);
}

static const pf_cell *cell_of(const plot *p, size_t row, int column)
{
    return &p->t->cells[row * p->t->column_count + (size_t)column];
}

bool pf_plot_number(const plot *p, size_t row, int column, double *v)
{
    if (column == NO_COLUMN) {
        return false;
    }
    const pf_cell *cell = cell_of(p, row, column);
    pf_cell_type type = p->t->columns[column].type;
    *v = type == PF_CELL_INT ? (double)cell->as.i : cell->as.d;
    return !cell->null && type != PF_CELL_TEXT && isfinite(*v);
}

pf_str pf_plot_text(plot *p, size_t row, int column)
{
    if (column == NO_COLUMN || cell_of(p, row, column)->null) {
        return (pf_str){"", 0};
    }
    const pf_cell *cell = cell_of(p, row, column);
    if (p->t->columns[column].type == PF_CELL_TEXT) {
        return cell->as.s;
    }
    p->scratch.len = 0;
    pf_table_number(&p->scratch, &p->t->columns[column], cell);
    p->failed = p->failed || p->scratch.failed;
    return p->scratch.failed ? (pf_str){"", 0} : (pf_str){p->scratch.data, p->scratch.len};
}

bool pf_plot_row(plot *p, size_t *row)
{
    while (*row < p->t->row_count && p->panel != NO_COLUMN &&
           !pf_str_equal(pf_plot_text(p, *row, p->panel), pf_names_get(&p->panels, p->in_panel))) {
        ++*row;
    }
    return *row < p->t->row_count;
}

pf_str pf_plot_unit(const plot *p, bool from)
{
    pf_str given = from ? p->f->from_unit : p->f->unit;
    int column = from ? p->from : p->value_count ? p->values[0] : p->from;
    const char *own = column == NO_COLUMN ? NULL : p->t->columns[column].unit;
    return given.ptr ? given : pf_str_of(own ? own : "");
}

size_t pf_plot_most(const plot *p)
{
    bool points = p->f->kind == PF_FIGURE_LINE || p->f->kind == PF_FIGURE_SCATTER || p->f->kind == PF_FIGURE_HISTOGRAM;
    size_t usual = p->f->kind == PF_FIGURE_HEAT_MAP ? 200 : points ? MARKS_MAX : 40;
    size_t most = p->f->kind == PF_FIGURE_HEAT_MAP ? 400 : points ? MARKS_MAX : 200;
    return p->f->rows == 0 ? usual : p->f->rows < most ? p->f->rows : most;
}

/* Whether one of the first entries of the legend has it. */
static bool is_used(const plot *p, unsigned entries, unsigned colour)
{
    for (unsigned i = 0; i < entries; i++) {
        if (p->colours[i] == colour) {
            return true;
        }
    }
    return false;
}

/* The colour of an entry of the legend, which is made where it is new. What no colour is left for is grey. */
static unsigned colour_of(plot *p, pf_str name, pf_str word)
{
    unsigned before = p->legend.count, i = pf_names_add(&p->legend, name, LEGEND_MAX);
    p->failed = p->failed || p->legend.text.failed || p->legend.ends.failed;
    if (i == LEGEND_MAX) {
        return COLOURS - TONES;
    }
    if (p->legend.count > before) {
        unsigned colour = pf_colour_of_word(word);
        for (unsigned n = 0; n < COLOURS && (colour == ALL_COLOURS || is_used(p, before, colour)); n++) {
            colour = n % HUES * TONES + n / HUES;
        }
        p->colours[i] = (uint8_t)colour;
    }
    return p->colours[i];
}

/* What the legend calls the i-th column of values. */
static pf_str value_name(const plot *p, unsigned i)
{
    pf_str name = part_of(p->f->value_names, i);
    return name.ptr ? name : pf_str_of(p->t->columns[p->values[i]].name);
}

unsigned pf_plot_value_colour(plot *p, unsigned i)
{
    pf_str word = part_of(p->f->meanings, i);
    return p->value_count > 1 || word.ptr ? colour_of(p, value_name(p, i), word) : 0;
}

unsigned pf_plot_row_colour(plot *p, size_t row, unsigned i)
{
    if (p->meaning == NO_COLUMN) {
        return pf_plot_value_colour(p, i);
    }
    pf_str word = pf_plot_text(p, row, p->meaning);
    return colour_of(p, word, word);
}

enum { TIP_TEXT = 800 };

static void put_cell(plot *p, size_t row, int column, pf_str name)
{
    pf_buffer *tip = &p->c->tip;
    const pf_column *c = &p->t->columns[column];
    if (cell_of(p, row, column)->null) {
        return;
    }
    pf_buffer_text(tip, tip->len ? "\n" : "");
    pf_text_fit(tip, name, TIP_TEXT);
    pf_buffer_text(tip, ": ");
    pf_text_fit(tip, pf_plot_text(p, row, column), TIP_TEXT);
    if (c->type != PF_CELL_TEXT && c->unit && c->unit[0]) {
        pf_buffer_format(tip, " %s", c->unit);
    }
}

void pf_plot_tip(plot *p, size_t row, unsigned i)
{
    int places[] = {p->from, p->to, p->meaning};
    p->c->tip.len = 0;
    if (p->label != NO_COLUMN) {
        pf_text_fit(&p->c->tip, pf_plot_text(p, row, p->label), TIP_TEXT);
    }
    for (unsigned n = 0; n < p->value_count; n++) {
        if (i == n || i == p->value_count) {
            put_cell(p, row, p->values[n], value_name(p, n));
        }
    }
    for (unsigned n = 0; n < 3; n++) {
        if (places[n] != NO_COLUMN && places[n] != p->label) {
            put_cell(p, row, places[n], pf_str_of(p->t->columns[places[n]].name));
        }
    }
    for (unsigned n = 0; n < p->tip_count; n++) {
        put_cell(p, row, p->tips[n], pf_str_of(p->t->columns[p->tips[n]].name));
    }
}

void pf_plot_write(plot *p, double x, double y, align a, font f, pf_str text, double room)
{
    pf_buffer fit = {0};
    pf_text_fit(&fit, text, room);
    if (!fit.failed && fit.len) {
        p->c->way->text(p->c, x, y, a, f, (pf_str){fit.data, fit.len});
    }
    p->failed = p->failed || fit.failed;
    pf_buffer_free(&fit);
}

void pf_plot_write_number(plot *p, double x, double y, align a, const axis_unit *u, double v)
{
    pf_buffer text = {0};
    pf_unit_number(&text, u, v);
    if (!text.failed) {
        p->c->way->text(p->c, x, y, a, FONT_MUTED, (pf_str){text.data, text.len});
    }
    p->failed = p->failed || text.failed;
    pf_buffer_free(&text);
}

void pf_plot_line(plot *p, double x1, double y1, double x2, double y2, unsigned colour)
{
    p->c->way->path(p->c, (point[]){{x1, y1}, {x2, y2}}, 2, colour, colour == GRID ? 0.5 : 1);
}

void pf_plot_rest(plot *p, const char *format, ...)
{
    char text[160];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    p->y += 16;
    pf_plot_write(p, 0, p->y, ALIGN_START, FONT_MUTED, pf_str_of(text), FIGURE_WIDTH);
    p->y += 4;
}

/* Where the numbers of an axis begin: those of times since a boot are of no use to anybody. */
static double base_of(const axis_scale *s, pf_str unit_name)
{
    bool far = s->kind == PF_SCALE_LINEAR && s->least > 20 * (s->most - s->least);
    return far && (pf_str_is(unit_name, "ns") || pf_str_is(unit_name, "us") || pf_str_is(unit_name, "cycles"))
               ? s->least
               : 0;
}

void pf_plot_axis_below(plot *p, const axis_scale *s, double top, pf_str unit_name)
{
    double base = base_of(s, unit_name), ticks[TICKS];
    axis_scale shown = *s;
    shown.least -= base;
    shown.most -= base;
    axis_unit u = pf_unit_of(unit_name, fabs(shown.least) > fabs(shown.most) ? shown.least : shown.most);
    unsigned count = pf_scale_ticks(&shown, u.divisor, ticks);
    for (unsigned i = 0; i < count; i++) {
        double x = pf_scale_place(&shown, ticks[i]);
        pf_plot_line(p, x, top, x, p->y + 4, GRID);
        pf_plot_write_number(p, x, p->y + 16, i + 1 == count && x > FIGURE_WIDTH - 20 ? ALIGN_END : ALIGN_MIDDLE, &u,
                             ticks[i]);
    }
    pf_plot_line(p, s->origin, p->y, s->origin + s->length, p->y, MUTED);
    p->y += 20;
    if (u.name[0]) {
        char name[64];
        snprintf(name, sizeof name, base != 0 ? "%s since the first" : "%s", u.name);
        pf_plot_write(p, s->origin + s->length / 2, p->y + 11, ALIGN_MIDDLE, FONT_MUTED, pf_str_of(name), s->length);
        p->y += 16;
    }
}

void pf_plot_axis_left(plot *p, const axis_scale *s, double left, double right, pf_str unit_name)
{
    double ticks[TICKS];
    axis_unit u = pf_unit_of(unit_name, fabs(s->least) > fabs(s->most) ? s->least : s->most);
    unsigned count = pf_scale_ticks(s, u.divisor, ticks);
    for (unsigned i = 0; i < count; i++) {
        double y = pf_scale_place(s, ticks[i]);
        pf_plot_line(p, left - 4, y, right, y, GRID);
        pf_plot_write_number(p, left - 7, y + 4, ALIGN_END, &u, ticks[i]);
    }
    pf_plot_line(p, left, s->origin, left, s->origin + s->length, MUTED);
    pf_plot_write(p, 0, s->origin + s->length - 8, ALIGN_START, FONT_MUTED, pf_str_of(u.name), 300);
}
