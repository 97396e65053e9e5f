/* write/figure/row_kinds.c - figures with a line for each row of the table: stacked bars, bars, intervals, waterfalls.
 * The label stands at the left, the scale of the values below. Bars of several values lie one below the other. */
#include <math.h>

#include "base/str.h"
#include "write/figure/plot.h"

enum { ROW = 20, BAR = 14, THIN = 13, LABEL_MOST = 240, NUMBER_ROOM = 64 };

static bool has_thin_bars(const plot *p)
{
    return p->f->kind == PF_FIGURE_BARS && p->value_count > 1;
}

static double row_height(const plot *p)
{
    return has_thin_bars(p) ? p->value_count * THIN + 8 : ROW;
}

/* The ends of what a row draws: a bar or a step of a waterfall from 0, the ends of an interval. */
static bool ends_of(const plot *p, size_t row, double *from, double *to)
{
    double v = 0, middle = 0;
    bool any = false;
    *from = *to = 0;
    if (p->f->kind == PF_FIGURE_INTERVALS) {
        any = pf_plot_number(p, row, p->values[0], &middle);
        *from = pf_plot_number(p, row, p->from, &v) ? v : middle;
        *to = pf_plot_number(p, row, p->to, &v) ? v : middle;
        return any;
    }
    for (unsigned i = 0; i < p->value_count; i++) {
        if (pf_plot_number(p, row, p->values[i], &v)) {
            *from = has_thin_bars(p) ? fmin(*from, v) : *from;
            *to = has_thin_bars(p) ? fmax(*to, v) : *to + v;
            any = true;
        }
    }
    return any;
}

/* A row of the meaning "total" of a waterfall stands on 0, others on what was before. */
static void stand(plot *p, size_t row, double *sum, double *from, double *to)
{
    bool total = p->meaning != NO_COLUMN && pf_str_is(pf_plot_text(p, row, p->meaning), "total");
    if (p->f->kind == PF_FIGURE_WATERFALL && !total) {
        *from += *sum;
        *to += *sum;
    }
    *sum = *to;
}

/* The scale of all panels and the room that labels need. */
static axis_scale measure(plot *p, const axis_range *beyond, double *label_room)
{
    axis_range r = *beyond;
    double from, to, width = 0;
    for (p->in_panel = 0; p->in_panel < p->panels.count; p->in_panel++) {
        double sum = 0;
        size_t drawn = 0;
        for (size_t row = 0; pf_plot_row(p, &row) && drawn < pf_plot_most(p); row++, drawn++) {
            double w = pf_text_width(pf_plot_text(p, row, p->label));
            width = w > width ? w : width;
            if (ends_of(p, row, &from, &to)) {
                stand(p, row, &sum, &from, &to);
                pf_range_add(&r, from);
                pf_range_add(&r, to);
            }
        }
    }
    width = width < LABEL_MOST ? width : LABEL_MOST;
    *label_room = width;
    bool zero = p->f->kind != PF_FIGURE_INTERVALS;
    double left = width + 10;
    return pf_scale_of(&r, p->f->value_scale, zero, p->f->most, left, FIGURE_WIDTH - left - NUMBER_ROOM);
}

static void draw_bar(plot *p, const axis_scale *s, double from, double to, double height, unsigned colour)
{
    double a = pf_scale_place(s, from), b = pf_scale_place(s, to), w = fabs(b - a);
    p->c->way->box(p->c, a < b ? a : b, p->y + 3, w > 0.6 ? w : 0.6, height, (shade){(uint8_t)colour, SHADES});
}

/* Its number stands where a bar ends. */
static void write_end(plot *p, const axis_scale *s, const axis_unit *u, double from, double to, double below, double v)
{
    double a = pf_scale_place(s, from), b = pf_scale_place(s, to);
    pf_plot_write_number(p, (a > b ? a : b) + 5, p->y + below, ALIGN_START, u, v);
}

static void draw_thin_bars(plot *p, const axis_scale *s, const axis_unit *u, size_t row)
{
    double top = p->y, v;
    for (unsigned i = 0; i < p->value_count; i++, p->y += THIN) {
        unsigned colour = pf_plot_value_colour(p, i);
        if (pf_plot_number(p, row, p->values[i], &v)) {
            pf_plot_tip(p, row, p->value_count);
            draw_bar(p, s, 0, v, THIN - 2, colour);
            write_end(p, s, u, 0, v, THIN, v);
        }
    }
    p->y = top;
}

static void draw_parts(plot *p, const axis_scale *s, size_t row)
{
    double at = 0, v;
    for (unsigned i = 0; i < p->value_count; i++) {
        unsigned colour = pf_plot_value_colour(p, i); /* in the legend also where the first row has none */
        if (pf_plot_number(p, row, p->values[i], &v) && v != 0) {
            pf_plot_tip(p, row, i);
            draw_bar(p, s, at, at + v, BAR, colour);
            at += v;
        }
    }
}

static unsigned colour_of(plot *p, size_t row, double change)
{
    bool by_sign = p->f->kind == PF_FIGURE_WATERFALL && p->meaning == NO_COLUMN;
    return by_sign ? pf_colour_of_word(pf_str_of(change < 0 ? "faster" : "slower")) : pf_plot_row_colour(p, row, 0);
}

static void draw_row(plot *p, const axis_scale *s, const axis_unit *u, size_t row, double *sum)
{
    double from, to, v = 0;
    if (!ends_of(p, row, &from, &to)) {
        return;
    }
    if (has_thin_bars(p)) {
        draw_thin_bars(p, s, u, row);
        return;
    }
    stand(p, row, sum, &from, &to);
    if (p->f->kind == PF_FIGURE_STACKED) {
        draw_parts(p, s, row);
        v = to;
    } else {
        unsigned colour = colour_of(p, row, to - from);
        pf_plot_number(p, row, p->values[0], &v);
        pf_plot_tip(p, row, p->value_count);
        if (p->f->kind == PF_FIGURE_INTERVALS) {
            double a = pf_scale_place(s, from), b = pf_scale_place(s, to);
            pf_plot_line(p, a, p->y + ROW / 2.0, b, p->y + ROW / 2.0, colour);
            pf_plot_line(p, a, p->y + 6, a, p->y + 14, colour);
            pf_plot_line(p, b, p->y + 6, b, p->y + 14, colour);
            p->c->way->dot(p->c, pf_scale_place(s, v), p->y + ROW / 2.0, 4, (shade){(uint8_t)colour, SHADES});
        } else {
            draw_bar(p, s, from, to, BAR, colour);
        }
    }
    write_end(p, s, u, from, to, 14, v);
}

static void draw_panel(plot *p, const axis_scale *s, double label_room)
{
    double top = p->y, sum = 0;
    axis_unit u = pf_unit_of(pf_plot_unit(p, false), fabs(s->least) > fabs(s->most) ? s->least : s->most);
    size_t drawn = 0, row = 0, more = 0, at[200];
    for (; pf_plot_row(p, &row); row++) {
        if (drawn < pf_plot_most(p)) {
            at[drawn++] = row;
        } else {
            more++;
        }
    }
    p->y += (double)drawn * row_height(p);
    double bottom = p->y;
    pf_plot_axis_below(p, s, top, pf_plot_unit(p, false));
    double end = p->y;
    p->y = top;
    for (size_t i = 0; i < drawn; i++) {
        pf_plot_write(p, label_room, p->y + row_height(p) / 2 + 4, ALIGN_END, FONT_PLAIN,
                      pf_plot_text(p, at[i], p->label), label_room);
        draw_row(p, s, &u, at[i], &sum);
        p->y += row_height(p);
    }
    if (p->f->mark != 0) {
        double x = pf_scale_place(s, p->f->mark);
        pf_plot_line(p, x, top, x, bottom + 4, INK);
    }
    p->y = end;
    if (more) {
        pf_plot_rest(p, "%zu more rows in the table", more);
    }
}

void pf_plot_rows(plot *p, const axis_range *r)
{
    double label_room;
    unsigned panel = p->in_panel;
    axis_scale s = measure(p, r, &label_room);
    p->in_panel = panel;
    draw_panel(p, &s, label_room);
}
