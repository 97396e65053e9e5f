/* write/figure/point_kinds.c - figures with two axes: histograms, lines, points. */
#include <math.h>
#include <stdlib.h>

#include "base/str.h"
#include "write/figure/plot.h"

enum { LEFT = 64, RIGHT = FIGURE_WIDTH - 24, HEIGHT = 230, LINES_MAX = 12 };

/* The ends of a bin. On a logarithmic scale one that begins at 0 is as wide as one that doubles. */
static bool bin_of(const plot *p, size_t row, double *from, double *to)
{
    bool known = pf_plot_number(p, row, p->from, from) && pf_plot_number(p, row, p->to, to);
    if (known && *from <= 0 && p->f->from_scale == PF_SCALE_LOG) {
        *from = *to / 2;
    }
    return known;
}

static void measure(plot *p, const axis_range *beyond, axis_scale *x, axis_scale *y)
{
    axis_range across = RANGE_NONE, up = *beyond;
    unsigned panel = p->in_panel;
    for (p->in_panel = 0; p->in_panel < p->panels.count; p->in_panel++) {
        size_t drawn = 0;
        for (size_t row = 0; pf_plot_row(p, &row) && drawn < pf_plot_most(p); row++, drawn++) {
            double v, to;
            if (p->to != NO_COLUMN ? bin_of(p, row, &v, &to) : pf_plot_number(p, row, p->from, &v)) {
                pf_range_add(&across, v);
                pf_range_add(&across, p->to != NO_COLUMN ? to : v);
            }
            for (unsigned i = 0; i < p->value_count; i++) {
                if (pf_plot_number(p, row, p->values[i], &v)) {
                    pf_range_add(&up, v);
                }
            }
        }
    }
    p->in_panel = panel;
    *x = pf_scale_of(&across, p->f->from_scale, false, 0, LEFT, RIGHT - LEFT);
    *y = pf_scale_of(&up, p->f->value_scale, true, p->f->most, p->y + HEIGHT, -HEIGHT);
}

static void draw_bins(plot *p, const axis_scale *x, const axis_scale *y)
{
    size_t drawn = 0;
    axis_unit u = pf_unit_of(pf_plot_unit(p, false), y->most);
    for (size_t row = 0; pf_plot_row(p, &row) && drawn < pf_plot_most(p); row++, drawn++) {
        double from, to, v;
        if (bin_of(p, row, &from, &to) && pf_plot_number(p, row, p->values[0], &v)) {
            double left = pf_scale_place(x, from), width = pf_scale_place(x, to) - left, top = pf_scale_place(y, v);
            pf_plot_tip(p, row, p->value_count);
            p->c->way->box(p->c, left, top, width > 2 ? width - 1 : 1, y->origin - top,
                           (shade){(uint8_t)pf_plot_row_colour(p, row, 0), SHADES});
            if (width > 34) {
                pf_plot_write_number(p, left + width / 2, top - 4, ALIGN_MIDDLE, &u, v);
            }
        }
    }
}

static void draw_dots(plot *p, const axis_scale *x, const axis_scale *y)
{
    size_t drawn = 0;
    for (size_t row = 0; pf_plot_row(p, &row) && drawn < pf_plot_most(p); row++, drawn++) {
        double from, v;
        if (pf_plot_number(p, row, p->from, &from) && pf_plot_number(p, row, p->values[0], &v)) {
            pf_plot_tip(p, row, p->value_count);
            p->c->way->dot(p->c, pf_scale_place(x, from), pf_scale_place(y, v), 4,
                           (shade){(uint8_t)pf_plot_row_colour(p, row, 0), SHADES * 3 / 4});
        }
    }
}

/* The rows of a line, or all where `name` is NULL: a NULL interrupts it. */
static void draw_line(plot *p, const axis_scale *x, const axis_scale *y, unsigned value, const pf_str *name,
                      point *points)
{
    size_t drawn = 0, count = 0;
    unsigned colour = 0;
    for (size_t row = 0; pf_plot_row(p, &row) && drawn < pf_plot_most(p); row++, drawn++) {
        double from, v;
        if (name && !pf_str_equal(pf_plot_text(p, row, p->label), *name)) {
            continue;
        }
        if (pf_plot_number(p, row, p->from, &from) && pf_plot_number(p, row, p->values[value], &v)) {
            colour = pf_plot_row_colour(p, row, value);
            points[count++] = (point){pf_scale_place(x, from), pf_scale_place(y, v)};
            pf_plot_tip(p, row, value);
            p->c->way->dot(p->c, points[count - 1].x, points[count - 1].y, 2, (shade){(uint8_t)colour, SHADES});
        } else if (count) {
            p->c->way->path(p->c, points, count, colour, 1.5);
            count = 0;
        }
    }
    if (count) {
        p->c->way->path(p->c, points, count, colour, 1.5);
    }
}

/* Lines of a label have its texts in the legend: the label is their meaning. */
static void draw_lines(plot *p, const axis_scale *x, const axis_scale *y)
{
    point *points = malloc((pf_plot_most(p) + 1) * sizeof *points);
    names lines = {.count = 0};
    if (!points) {
        p->failed = true;
        return;
    }
    if (p->label == NO_COLUMN) {
        for (unsigned i = 0; i < p->value_count; i++) {
            draw_line(p, x, y, i, NULL, points);
        }
    } else {
        p->meaning = p->meaning == NO_COLUMN ? p->label : p->meaning;
        for (size_t row = 0; pf_plot_row(p, &row); row++) {
            pf_names_add(&lines, pf_plot_text(p, row, p->label), LINES_MAX);
        }
        for (unsigned i = 0; i < lines.count; i++) {
            pf_str name = pf_names_get(&lines, i);
            draw_line(p, x, y, 0, &name, points);
        }
    }
    pf_names_free(&lines);
    free(points);
}

static void draw_roof(plot *p, const axis_scale *x, const axis_scale *y)
{
    point points[64];
    for (unsigned i = 0; i < 64; i++) {
        double share = i / 63.0;
        double at = x->kind == PF_SCALE_LOG ? x->least * pow(x->most / x->least, share)
                                            : x->least + (x->most - x->least) * share;
        double v = p->f->slope > 0 && p->f->slope * at < p->f->roof ? p->f->slope * at : p->f->roof;
        points[i] = (point){pf_scale_place(x, at), pf_scale_place(y, v)};
    }
    p->c->way->path(p->c, points, 64, MUTED, 1.5);
}

void pf_plot_points(plot *p, const axis_range *r)
{
    axis_scale x, y;
    p->y += 22; /* the unit above the axis */
    measure(p, r, &x, &y);
    double top = p->y;
    pf_plot_axis_left(p, &y, LEFT, RIGHT, pf_plot_unit(p, false));
    p->y += HEIGHT;
    pf_plot_axis_below(p, &x, top, pf_plot_unit(p, true));
    if (p->f->kind == PF_FIGURE_HISTOGRAM) {
        draw_bins(p, &x, &y);
    } else if (p->f->kind == PF_FIGURE_LINE) {
        draw_lines(p, &x, &y);
    } else {
        draw_dots(p, &x, &y);
    }
    if (p->f->roof > 0) {
        draw_roof(p, &x, &y);
    }
    if (p->f->mark != 0) {
        double at = pf_scale_place(&y, p->f->mark);
        pf_plot_line(p, LEFT, at, RIGHT, at, INK);
        pf_plot_write(p, RIGHT, at - 4, ALIGN_END, FONT_MUTED, p->f->mark_name, 300);
    }
    if (p->t->row_count > pf_plot_most(p)) {
        pf_plot_rest(p, "%zu more points in the table", p->t->row_count - pf_plot_most(p));
    }
}
