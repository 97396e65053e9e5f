/* write/figure/lane_kinds.c - figures with a lane for each text of the label and time to the right: strips, whose bars
 * are as high as their values, and Gantt charts. */
#include <math.h>

#include "base/str.h"
#include "write/figure/plot.h"

enum { LABEL_MOST = 180, LANES_MAX = 200 };

typedef struct lanes {
    names name;
    axis_scale time, value;
    double room, height;
    bool more;             /* lanes that are not drawn */
    bool odd[LANES_MAX];   /* the last mark, */
    int colour[LANES_MAX]; /* and its colour, from 1 on */
} lanes;

static bool mark_of(const plot *p, size_t row, double *from, double *to)
{
    bool known = pf_plot_number(p, row, p->from, from);
    *to = known ? *from : 0;
    if (known && p->to != NO_COLUMN) {
        known = pf_plot_number(p, row, p->to, to);
    }
    return known && *to >= *from;
}

/* The lanes of this panel, and the scales of all: those are the same in each. */
static void measure(plot *p, lanes *l, const axis_range *beyond)
{
    axis_range time = RANGE_NONE, value = *beyond;
    unsigned panel = p->in_panel;
    for (p->in_panel = 0; p->in_panel < p->panels.count; p->in_panel++) {
        for (size_t row = 0; pf_plot_row(p, &row); row++) {
            double from, to, v;
            if (mark_of(p, row, &from, &to)) {
                pf_range_add(&time, from);
                pf_range_add(&time, to);
            }
            if (p->f->kind == PF_FIGURE_STRIP && pf_plot_number(p, row, p->values[0], &v)) {
                pf_range_add(&value, v);
            }
            if (p->in_panel == panel) {
                unsigned most = (unsigned)pf_plot_most(p);
                l->more = pf_names_add(&l->name, pf_plot_text(p, row, p->label), most) == most || l->more;
            }
        }
    }
    p->in_panel = panel;
    for (unsigned i = 0; i < l->name.count; i++) {
        double w = pf_text_width(pf_names_get(&l->name, i));
        l->room = w > l->room ? w : l->room;
    }
    l->room = l->room < LABEL_MOST ? l->room : LABEL_MOST;
    double left = l->room + 10;
    l->time = pf_scale_of(&time, p->f->from_scale, false, 0, left, FIGURE_WIDTH - left - 24);
    l->value = pf_scale_of(&value, p->f->value_scale, true, p->f->most, 0, l->height - 4);
}

static void draw_mark(plot *p, lanes *l, size_t row)
{
    double from, to, v = 0;
    unsigned lane = pf_names_add(&l->name, pf_plot_text(p, row, p->label), l->name.count);
    if (lane >= l->name.count || !mark_of(p, row, &from, &to)) {
        return;
    }
    double left = pf_scale_place(&l->time, from), width = pf_scale_place(&l->time, to) - left;
    double high = l->height - 4, bottom = p->y + l->height * (lane + 1) - 2;
    if (p->f->kind == PF_FIGURE_STRIP) {
        if (!pf_plot_number(p, row, p->values[0], &v)) {
            return;
        }
        high = pf_scale_place(&l->value, v);
    }
    /* neighbours of one colour differ */
    uint8_t colour = (uint8_t)pf_plot_row_colour(p, row, 0);
    l->odd[lane] = l->colour[lane] == colour + 1 && !l->odd[lane];
    l->colour[lane] = colour + 1;
    bool odd = p->f->kind == PF_FIGURE_GANTT && l->odd[lane];
    shade s = {colour, odd ? SHADES * 2 / 3 : SHADES};
    pf_plot_tip(p, row, p->value_count);
    p->c->way->box(p->c, left, bottom - high, width > 0.6 ? width : 0.6, high > 0.6 ? high : 0.6, s);
}

static void draw_names(plot *p, const lanes *l)
{
    axis_unit u = pf_unit_of(pf_plot_unit(p, false), l->value.most);
    for (unsigned i = 0; i < l->name.count; i++) {
        double bottom = p->y + l->height * (i + 1);
        pf_plot_write(p, l->room, bottom - l->height / 2 + 4, ALIGN_END, FONT_PLAIN, pf_names_get(&l->name, i),
                      l->room);
        pf_plot_line(p, l->time.origin, bottom, l->time.origin + l->time.length, bottom, GRID);
    }
    if (p->f->kind == PF_FIGURE_STRIP && l->name.count) {
        pf_plot_write_number(p, FIGURE_WIDTH, p->y + 11, ALIGN_END, &u, l->value.most);
        pf_plot_write(p, FIGURE_WIDTH, p->y - 3, ALIGN_END, FONT_MUTED, pf_str_of(u.name), 120);
    }
}

void pf_plot_lanes(plot *p, const axis_range *r)
{
    lanes l = {.height = p->f->kind == PF_FIGURE_STRIP ? 32 : 18};
    size_t drawn = 0, more = 0;
    measure(p, &l, r);
    double top = p->y, bottom = top + l.height * l.name.count;
    p->y = bottom;
    pf_plot_axis_below(p, &l.time, top, pf_plot_unit(p, true));
    double end = p->y;
    p->y = top;
    draw_names(p, &l);
    for (size_t row = 0; pf_plot_row(p, &row); row++) {
        if (drawn < MARKS_MAX) {
            draw_mark(p, &l, row);
            drawn++;
        } else {
            more++;
        }
    }
    if (p->f->mark != 0 && p->f->kind == PF_FIGURE_STRIP) {
        for (unsigned i = 0; i < l.name.count; i++) {
            double y = top + l.height * (i + 1) - 2 - pf_scale_place(&l.value, p->f->mark);
            pf_plot_line(p, l.time.origin, y, l.time.origin + l.time.length, y, INK);
        }
    }
    p->y = end;
    if (l.more) {
        pf_plot_rest(p, "the first %u rows; more in the table", l.name.count);
    }
    if (more) {
        pf_plot_rest(p, "%zu more marks in the table", more);
    }
    p->failed = p->failed || l.name.text.failed || l.name.ends.failed;
    pf_names_free(&l.name);
}
