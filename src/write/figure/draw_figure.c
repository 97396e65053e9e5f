/* write/figure/draw_figure.c - a figure as SVG or PNG: its title, how to read it, the legend, its panels one below the
 * other on the same scales. */
#include <math.h>

#include "base/str.h"
#include "base/text/number.h"
#include "postfetto/write.h"
#include "write/figure/figure_file.h"
#include "write/figure/plot.h"

enum { PANELS_MAX = 12, LINE = 16 };

/* Text on as many lines as it takes. */
static void write_wrapped(plot *p, pf_str text)
{
    size_t start = 0, end = 0;
    while (start < text.len) {
        size_t next = end;
        while (next < text.len && text.ptr[next] != ' ') {
            next++;
        }
        bool fits = pf_text_width((pf_str){text.ptr + start, next - start}) <= FIGURE_WIDTH;
        if (fits && next < text.len) {
            end = next + 1;
            continue;
        }
        size_t stop = fits || end == start ? next : end - 1;
        p->y += LINE;
        pf_plot_write(p, 0, p->y, ALIGN_START, FONT_MUTED, (pf_str){text.ptr + start, stop - start}, FIGURE_WIDTH);
        start = end = stop < text.len ? stop + 1 : stop;
    }
}

static void draw_legend(plot *p)
{
    double x = 0;
    if (p->legend.count == 0) {
        return;
    }
    p->y += LINE;
    for (unsigned i = 0; i < p->legend.count; i++) {
        pf_str name = pf_names_get(&p->legend, i);
        double width = fmin(pf_text_width(name), 200);
        if (x > 0 && x + width + 18 > FIGURE_WIDTH) {
            x = 0;
            p->y += LINE;
        }
        p->c->way->box(p->c, x, p->y - 10, 12, 12, (shade){p->colours[i], SHADES});
        pf_plot_write(p, x + 16, p->y, ALIGN_START, FONT_PLAIN, name, width);
        x += width + 34;
    }
}

/* The legend stands above what it is of, so its entries are collected first, in the order of values or rows. */
static void collect_legend(plot *p)
{
    bool many = p->f->kind == PF_FIGURE_STACKED || p->f->kind == PF_FIGURE_LINE || p->f->kind == PF_FIGURE_BARS;
    if (p->meaning == NO_COLUMN) {
        for (unsigned i = 0; many && p->value_count > 1 && i < p->value_count; i++) {
            pf_plot_value_colour(p, i);
        }
        if (p->f->kind == PF_FIGURE_LINE && p->label != NO_COLUMN) {
            p->meaning = p->label;
        }
    }
    for (size_t row = 0; p->meaning != NO_COLUMN && row < p->t->row_count && row < CELLS_MAX; row++) {
        pf_plot_row_colour(p, row, 0);
    }
}

static void collect_panels(plot *p)
{
    bool one = p->panel == NO_COLUMN || p->f->panel_only.ptr;
    if (one) {
        pf_names_add(&p->panels, p->f->panel_only, 1);
    }
    for (size_t row = 0; !one && row < p->t->row_count; row++) {
        pf_names_add(&p->panels, pf_plot_text(p, row, p->panel), PANELS_MAX);
    }
    p->failed = p->failed || p->panels.text.failed || p->panels.ends.failed;
}

/* A number says what it is of: "rank 3". */
static void write_panel_name(plot *p)
{
    pf_buffer name = {0};
    pf_str own = pf_names_get(&p->panels, p->in_panel);
    int64_t number;
    if (pf_parse_int(own.ptr, own.len, &number)) {
        pf_buffer_text(&name, p->t->columns[p->panel].name);
        pf_buffer_text(&name, " ");
    }
    pf_buffer_put(&name, own.ptr, own.len);
    p->y += LINE + 4;
    pf_plot_write(p, 0, p->y, ALIGN_START, FONT_PLAIN, (pf_str){name.data, name.failed ? 0 : name.len}, FIGURE_WIDTH);
    p->y += 4;
    p->failed = p->failed || name.failed;
    pf_buffer_free(&name);
}

static void draw_panel(plot *p, const axis_range *r)
{
    if (p->panel != NO_COLUMN && !p->f->panel_only.ptr) {
        write_panel_name(p);
    }
    switch (p->f->kind) {
    case PF_FIGURE_STACKED:
    case PF_FIGURE_BARS:
    case PF_FIGURE_INTERVALS:
    case PF_FIGURE_WATERFALL:
        pf_plot_rows(p, r);
        break;
    case PF_FIGURE_STRIP:
    case PF_FIGURE_GANTT:
        pf_plot_lanes(p, r);
        break;
    case PF_FIGURE_HEAT_MAP:
        pf_plot_cells(p, r);
        break;
    case PF_FIGURE_HISTOGRAM:
    case PF_FIGURE_LINE:
    case PF_FIGURE_SCATTER:
        pf_plot_points(p, r);
        break;
    }
}

/* The mark is on the scale, whatever the values are. */
static void draw_panels(plot *p)
{
    axis_range r = RANGE_NONE;
    if (p->f->mark != 0) {
        pf_range_add(&r, p->f->mark);
    }
    for (unsigned i = 0; i < p->panels.count && !p->failed; i++) {
        p->in_panel = i;
        draw_panel(p, &r);
    }
}

static void paint(void *what, canvas *c)
{
    plot *p = what;
    p->c = c;
    p->y = 15;
    pf_plot_write(p, 0, p->y, ALIGN_START, FONT_TITLE, p->f->title, FIGURE_WIDTH);
    write_wrapped(p, p->f->note);
    draw_legend(p);
    p->y += 10;
    if (p->t->row_count == 0) {
        pf_plot_rest(p, "nothing to draw: the table has no rows");
    } else {
        draw_panels(p);
    }
    if (p->f->mark != 0 && p->f->mark_name.len && p->f->kind <= PF_FIGURE_STRIP) {
        pf_plot_rest(p, "| %.*s", (int)(p->f->mark_name.len < 120 ? p->f->mark_name.len : 120), p->f->mark_name.ptr);
    }
    p->y += 8;
}

/* What the kind cannot do without. */
static bool is_complete(const plot *p)
{
    bool lanes = p->f->kind == PF_FIGURE_STRIP || p->f->kind == PF_FIGURE_GANTT;
    bool placed = lanes || p->f->kind == PF_FIGURE_HISTOGRAM || p->f->kind == PF_FIGURE_LINE ||
                  p->f->kind == PF_FIGURE_SCATTER || p->f->kind == PF_FIGURE_HEAT_MAP;
    return p->f->name && (p->value_count || p->f->kind == PF_FIGURE_GANTT) && (!placed || p->from != NO_COLUMN);
}

static pf_status draw(const pf_figure *figure, bool png, pf_buffer *out, pf_error *err)
{
    plot p;
    canvas c;
    pf_svg_canvas(&c);
    pf_status st = pf_plot_open(&p, figure, err);
    if (st == PF_OK && !is_complete(&p)) {
        st = pf_fail(err, PF_ERR_INTERNAL, "figure %s lacks a column", figure->name ? figure->name : "");
    }
    if (st == PF_OK) {
        collect_panels(&p);
        collect_legend(&p);
        paint(&p, &c); /* for a PNG this says how high it is */
        if (png) {
            st = pf_png_draw(p.y, paint, &p, out, err);
        } else {
            pf_svg_wrap(&c, figure->name, figure->title, figure->note, p.y, out);
        }
    }
    out->failed = out->failed || p.failed;
    pf_plot_close(&p);
    pf_buffer_free(&c.out);
    pf_buffer_free(&c.tip);
    return st;
}

pf_status pf_figure_svg(const pf_figure *figure, char **text, size_t *len, pf_error *err)
{
    pf_buffer out = {0};
    pf_status st = draw(figure, false, &out, err);
    if (st != PF_OK) {
        pf_buffer_free(&out);
        return st;
    }
    return pf_buffer_give(&out, text, len, err);
}

pf_status pf_figure_file(const pf_report *report, pf_buffer *out, pf_error *err)
{
    return draw(report->figure, pf_str_ends(report->file, pf_str_of(".png")), out, err);
}
