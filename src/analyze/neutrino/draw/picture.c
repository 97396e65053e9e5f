/* analyze/neutrino/draw/picture.c - what charts are made of. */
#include "analyze/neutrino/draw/picture.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text/number.h"

#define PNG_SCALE 3.0 /* 216 dots per inch */

/* ---- files ------------------------------------------------------------------------------------------------------- */

typedef struct writer {
    pf_findings *f;
    pf_text *text;
} writer;

static cairo_status_t put(void *ctx, const unsigned char *bytes, unsigned len)
{
    writer *w = ctx;
    pf_text_put(w->f, w->text, (pf_str){(const char *)bytes, len});
    return CAIRO_STATUS_SUCCESS;
}

static cairo_status_t paint_on(const pf_cairo *k, cairo_surface_t *s, double height, double scale,
                               picture_painter paint, const void *what)
{
    picture p = {k, k->create(s), PICTURE_WIDTH, height};
    k->scale(p.c, scale, scale);
    k->set_source_rgb(p.c, 1, 1, 1);
    k->paint(p.c);
    k->select_font_face(p.c, "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
    k->set_font_size(p.c, PICTURE_TEXT);
    paint(&p, what);
    cairo_status_t st = k->status(p.c);
    k->destroy(p.c);
    return st;
}

static cairo_status_t make_svg(const pf_cairo *k, writer *w, double height, picture_painter paint, const void *what)
{
    cairo_surface_t *s = k->svg_surface_create_for_stream(put, w, PICTURE_WIDTH, height);
    cairo_status_t st = paint_on(k, s, height, 1, paint, what);
    k->surface_finish(s);
    st = st ? st : k->surface_status(s);
    k->surface_destroy(s);
    return st;
}

static cairo_status_t make_png(const pf_cairo *k, writer *w, double height, picture_painter paint, const void *what)
{
    cairo_surface_t *s =
        k->image_surface_create(CAIRO_FORMAT_RGB24, (int)(PICTURE_WIDTH * PNG_SCALE), (int)(height * PNG_SCALE));
    cairo_status_t st = paint_on(k, s, height, PNG_SCALE, paint, what);
    st = st ? st : k->surface_write_to_png_stream(s, put, w);
    k->surface_destroy(s);
    return st;
}

pf_status pf_picture_add(const neutrino_run *n, const char *stem, const neutrino_records *r, double height,
                         picture_painter paint, const void *what, pf_error *err)
{
    pf_cairo k;
    PF_TRY(pf_cairo_open(&k, err));
    writer vector = {n->f, pf_text_new(n->f)}, pixels = {n->f, pf_text_new(n->f)};
    cairo_status_t st = make_svg(&k, &vector, height, paint, what);
    st = st ? st : make_png(&k, &pixels, height, paint, what);
    if (st) {
        return pf_fail(err, PF_ERR_MEMORY, "cairo: %s", k.status_to_string(st));
    }
    pf_findings_report_text(n->f, pf_neutrino_file(n, stem, r, "svg"), vector.text, true);
    pf_findings_report_text(n->f, pf_neutrino_file(n, stem, r, "png"), pixels.text, true);
    return PF_OK;
}

/* ---- shapes ------------------------------------------------------------------------------------------------------ */

rgb pf_picture_hue(unsigned hue, double strength)
{
    static const rgb full[PICTURE_HUES] = {
        {0, 0.32, 0.58}, {0.62, 0.27, 0.53}, {0, 0.48, 0.36}, {0.78, 0.29, 0}, {0.42, 0.29, 0.13}};
    rgb c = full[hue % PICTURE_HUES];
    double white = 1 - strength;
    return (rgb){c.r + (1 - c.r) * white, c.g + (1 - c.g) * white, c.b + (1 - c.b) * white};
}

static void use(picture *p, rgb c)
{
    p->k->set_source_rgb(p->c, c.r, c.g, c.b);
}

void pf_picture_box(picture *p, double x, double y, double w, double h, rgb fill)
{
    use(p, fill);
    p->k->rectangle(p->c, x, y, w, h);
    p->k->fill(p->c);
}

void pf_picture_line(picture *p, double x1, double y1, double x2, double y2, rgb colour, double width)
{
    use(p, colour);
    p->k->set_line_width(p->c, width);
    p->k->move_to(p->c, x1, y1);
    p->k->line_to(p->c, x2, y2);
    p->k->stroke(p->c);
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

void pf_picture_text(picture *p, double x, double y, int align, const char *text)
{
    cairo_text_extents_t e;
    p->k->text_extents(p->c, text, &e);
    use(p, PICTURE_BLACK);
    p->k->move_to(p->c, x - e.x_advance * (align + 1) / 2, y + PICTURE_TEXT * 0.36);
    p->k->show_text(p->c, text);
}

/* What is no ASCII becomes a question mark, as cairo wants UTF-8 and names may be any bytes. */
void pf_picture_str(picture *p, double x, double y, int align, pf_str s, unsigned most)
{
    char text[128];
    size_t len = s.len < sizeof text - 3 ? s.len : sizeof text - 3;
    bool cut = len > most || len < s.len;
    len = len > most ? most : len;
    for (size_t i = 0; i < len; i++) {
        text[i] = s.ptr[i] >= ' ' && s.ptr[i] < 127 ? s.ptr[i] : '?';
    }
    memcpy(text + len, cut ? ".." : "", 3 * cut);
    text[len + 2 * cut] = '\0';
    pf_picture_text(p, x, y, align, text);
}

void pf_picture_upright(picture *p, double x, double y, const char *text)
{
    p->k->save(p->c);
    p->k->translate(p->c, x, y);
    p->k->rotate(p->c, -1.5707963267948966);
    pf_picture_text(p, 0, 0, 0, text);
    p->k->restore(p->c);
}

void pf_picture_number(double v, char out[32])
{
    static const char *const units[] = {"", "k", "M", "G", "T", "P", "E"};
    unsigned unit = 0;
    while (fabs(v) >= (unit ? 1000 : 10000) && unit < 6) {
        v /= 1000;
        unit++;
    }
    char digits[PF_FIXED_MAX];
    double tenth = fabs(v * 10 - nearbyint(v * 10)), whole = fabs(v - nearbyint(v));
    int decimals = whole < 1e-6 ? 0 : tenth < 1e-6 ? 1 : 2;
    size_t len = pf_format_real_fixed(v, decimals, digits);
    snprintf(out, 32, "%.*s%s", (int)(len < 24 ? len : 24), digits, units[unit]);
}

/* ---- axes -------------------------------------------------------------------------------------------------------- */

double pf_axis_place(const axis *a, double v)
{
    return a->origin + (a->most > 0 ? v * a->length / a->most : 0);
}

/* A step of 1, 2 or 5 times a power of ten that gives four to nine marks. */
static double step_of(double most)
{
    double step = pow(10, floor(log10(most > 0 ? most : 1))) / 10;
    const double factors[] = {1, 2, 5, 10, 20};
    for (unsigned i = 0; i < 5; i++) {
        if (most / (step * factors[i]) <= 8.5) {
            return step * factors[i];
        }
    }
    return step * 50;
}

void pf_axis_draw_x(picture *p, const axis *a, double y, double height)
{
    double step = step_of(a->most);
    for (unsigned i = 0; i < 20 && step * i <= a->most * 1.0001; i++) {
        double x = pf_axis_place(a, step * i);
        char text[32];
        pf_picture_number(step * i, text);
        pf_picture_line(p, x, y, x, y + 3, PICTURE_BLACK, 0.5);
        if (height > 0) {
            pf_picture_line(p, x, y, x, y - height, (rgb){0.88, 0.88, 0.88}, 0.4);
        }
        pf_picture_text(p, x, y + 9, 0, text);
    }
    pf_picture_line(p, a->origin, y, a->origin + a->length, y, PICTURE_BLACK, 0.6);
    pf_picture_text(p, a->origin + a->length / 2, y + 21, 0, a->title);
}

void pf_axis_draw_y(picture *p, const axis *a, double x, double width)
{
    double step = step_of(a->most);
    for (unsigned i = 0; i < 20 && step * i <= a->most * 1.0001; i++) {
        double y = pf_axis_place(a, step * i);
        char text[32];
        pf_picture_number(step * i, text);
        pf_picture_line(p, x, y, x - 3, y, PICTURE_BLACK, 0.5);
        if (width > 0) {
            pf_picture_line(p, x, y, x + width, y, (rgb){0.88, 0.88, 0.88}, 0.4);
        }
        pf_picture_text(p, x - 5, y, 1, text);
    }
    pf_picture_line(p, x, a->origin, x, a->origin + a->length, PICTURE_BLACK, 0.6);
    pf_picture_upright(p, x - 34, a->origin + a->length / 2, a->title);
}
