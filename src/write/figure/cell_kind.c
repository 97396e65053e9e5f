/* write/figure/cell_kind.c - heat maps: a line for each text of the label, columns by time, number or name. Shades say
 * the value; where rows have meanings, hues say those. */
#include <math.h>
#include <stdlib.h>

#include "base/ordering.h"
#include "base/str.h"
#include "write/figure/plot.h"

enum { LABEL_MOST = 180, LINE_MOST = 18, MAP_HEIGHT = 360, TOOLTIPS_MAX = 2500, RAMP = 6 };

typedef struct heat_map {
    names lines, columns;
    axis_scale across, value;
    double room, line; /* px */
    double step;       /* width of a cell in the unit of `from`, where no `to` says it */
    bool named;        /* the columns are texts */
    bool more;
} heat_map;

PF_ORDER(by_value, double, PF_COMPARE(*x, *y));

/* The least distance of two numbers of `from`: how wide a cell is. */
static double least_step(plot *p)
{
    double *all = malloc(CELLS_MAX * sizeof *all), step = INFINITY;
    size_t count = 0;
    if (!all) {
        p->failed = true;
        return 1;
    }
    for (size_t row = 0; row < p->t->row_count && count < CELLS_MAX; row++) {
        count += pf_plot_number(p, row, p->from, &all[count]);
    }
    qsort(all, count, sizeof *all, by_value);
    for (size_t i = 1; i < count; i++) {
        double distance = all[i] - all[i - 1];
        step = distance > 0 && distance < step ? distance : step;
    }
    free(all);
    return isfinite(step) ? step : 1;
}

/* Where the cell begins and ends; false: nowhere. */
static bool place_of(plot *p, heat_map *m, size_t row, double *from, double *to)
{
    if (m->named) {
        unsigned most = (unsigned)pf_plot_most(p), i = pf_names_add(&m->columns, pf_plot_text(p, row, p->from), most);
        *from = i;
        *to = i + 1.0;
        m->more = m->more || i == most;
        return i < most;
    }
    bool known = pf_plot_number(p, row, p->from, from);
    *to = *from + m->step;
    return known && (p->to == NO_COLUMN || pf_plot_number(p, row, p->to, to));
}

static void measure(plot *p, heat_map *m, const axis_range *beyond)
{
    axis_range across = RANGE_NONE, value = *beyond;
    unsigned panel = p->in_panel, most = (unsigned)pf_plot_most(p);
    m->named = p->t->columns[p->from].type == PF_CELL_TEXT;
    m->step = m->named || p->to != NO_COLUMN ? 1 : least_step(p);
    for (p->in_panel = 0; p->in_panel < p->panels.count; p->in_panel++) {
        for (size_t row = 0; pf_plot_row(p, &row); row++) {
            double from, to, v;
            if (place_of(p, m, row, &from, &to)) {
                pf_range_add(&across, from);
                pf_range_add(&across, to);
            }
            if (pf_plot_number(p, row, p->values[0], &v)) {
                pf_range_add(&value, v);
            }
            if (p->in_panel == panel) {
                m->more = pf_names_add(&m->lines, pf_plot_text(p, row, p->label), most) == most || m->more;
            }
        }
    }
    p->in_panel = panel;
    for (unsigned i = 0; i < m->lines.count; i++) {
        double w = pf_text_width(pf_names_get(&m->lines, i));
        m->room = w > m->room ? w : m->room;
    }
    m->room = m->room < LABEL_MOST ? m->room : LABEL_MOST;
    double left = m->room + 10, line = m->lines.count ? (double)MAP_HEIGHT / m->lines.count : LINE_MOST;
    m->line = line < LINE_MOST ? line : LINE_MOST;
    m->across = pf_scale_of(&across, p->f->from_scale, false, 0, left, FIGURE_WIDTH - left - 24);
    m->value = pf_scale_of(&value, p->f->value_scale, true, p->f->most, 1, SHADES - 1);
}

static uint8_t strength_of(const heat_map *m, double v)
{
    return (uint8_t)lround(pf_scale_place(&m->value, v));
}

static void draw_cell(plot *p, heat_map *m, size_t row, bool tip)
{
    double from, to, v;
    unsigned line = pf_names_add(&m->lines, pf_plot_text(p, row, p->label), m->lines.count);
    if (line >= m->lines.count || !place_of(p, m, row, &from, &to) || !pf_plot_number(p, row, p->values[0], &v)) {
        return;
    }
    unsigned colour = p->meaning == NO_COLUMN ? HEAT : pf_plot_row_colour(p, row, 0);
    double left = pf_scale_place(&m->across, from), width = pf_scale_place(&m->across, to) - left;
    if (tip) {
        pf_plot_tip(p, row, p->value_count);
    }
    p->c->way->box(p->c, left, p->y + m->line * line,
                   width > 4     ? width - 1
                   : width > 0.6 ? width
                                 : 0.6,
                   m->line > 4 ? m->line - 1 : m->line, (shade){(uint8_t)colour, strength_of(m, v)});
}

static void draw_lines(plot *p, const heat_map *m)
{
    unsigned every = (unsigned)ceil(12 / m->line);
    for (unsigned i = 0; i < m->lines.count; i += every) {
        pf_plot_write(p, m->room, p->y + m->line * (i + 0.5) + 4, ALIGN_END, FONT_PLAIN, pf_names_get(&m->lines, i),
                      m->room);
    }
}

/* The names of columns where they have room, at least every so many. */
static void draw_columns(plot *p, const heat_map *m)
{
    double width = m->across.length / (m->columns.count ? m->columns.count : 1);
    unsigned every = (unsigned)ceil(60 / width);
    for (unsigned i = 0; i < m->columns.count; i += every) {
        pf_plot_write(p, m->across.origin + width * i, p->y + 13, ALIGN_START, FONT_MUTED, pf_names_get(&m->columns, i),
                      width * every - 6);
    }
    p->y += 20;
}

/* From few to many. */
static void draw_ramp(plot *p, const heat_map *m)
{
    axis_unit u = pf_unit_of(pf_plot_unit(p, false), fabs(m->value.most));
    double x = m->across.origin + 60;
    p->y += 6;
    pf_plot_write_number(p, x - 6, p->y + 10, ALIGN_END, &u, m->value.least);
    for (unsigned i = 0; i < RAMP; i++) {
        p->c->way->box(p->c, x + 18 * i, p->y, 17, 12, (shade){HEAT, (uint8_t)(1 + i * (SHADES - 1) / (RAMP - 1))});
    }
    pf_plot_write_number(p, x + 18 * RAMP + 5, p->y + 10, ALIGN_START, &u, m->value.most);
    pf_plot_write(p, x + 18 * RAMP + 60, p->y + 10, ALIGN_START, FONT_MUTED, pf_str_of(u.name), 200);
    p->y += 18;
}

void pf_plot_cells(plot *p, const axis_range *r)
{
    heat_map m = {.step = 1};
    measure(p, &m, r);
    bool tips = p->t->row_count <= TOOLTIPS_MAX;
    size_t row = 0;
    for (size_t drawn = 0; pf_plot_row(p, &row) && drawn < CELLS_MAX; row++, drawn++) {
        draw_cell(p, &m, row, tips);
    }
    draw_lines(p, &m);
    p->y += m.line * m.lines.count;
    if (m.named) {
        draw_columns(p, &m);
    } else {
        pf_plot_axis_below(p, &m.across, p->y, pf_plot_unit(p, true));
    }
    if (p->in_panel + 1 == p->panels.count) {
        draw_ramp(p, &m);
    }
    if (m.more || pf_plot_row(p, &row)) {
        pf_plot_rest(p, "more in the table than is drawn");
    }
    p->failed =
        p->failed || m.lines.text.failed || m.lines.ends.failed || m.columns.text.failed || m.columns.ends.failed;
    pf_names_free(&m.lines);
    pf_names_free(&m.columns);
}
