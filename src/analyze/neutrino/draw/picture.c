/* analyze/neutrino/draw/picture.c - what charts are made of, with cairo (https://www.cairographics.org). It is loaded
 * when a picture is wanted: it brings some twenty libraries with it, which nobody else should wait for. */
#include "analyze/neutrino/draw/picture.h"

#include <cairo-svg.h>
#include <cairo.h>
#include <dlfcn.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text/number.h"

#define WIDTH 504.0 /* 7 inches */
#define TEXT 8.0
#define PNG_SCALE 3.0 /* 216 dots per inch */

/* ---- the library ------------------------------------------------------------------------------------------------- */

#define CAIRO_FUNCTIONS(X)                                                                                             \
    X(create)                                                                                                          \
    X(destroy)                                                                                                         \
    X(status)                                                                                                          \
    X(status_to_string)                                                                                                \
    X(scale)                                                                                                           \
    X(save)                                                                                                            \
    X(restore)                                                                                                         \
    X(translate)                                                                                                       \
    X(rotate)                                                                                                          \
    X(move_to)                                                                                                         \
    X(line_to)                                                                                                         \
    X(rectangle)                                                                                                       \
    X(fill)                                                                                                            \
    X(stroke)                                                                                                          \
    X(paint)                                                                                                           \
    X(set_source_rgb)                                                                                                  \
    X(set_line_width)                                                                                                  \
    X(select_font_face)                                                                                                \
    X(set_font_size)                                                                                                   \
    X(text_extents)                                                                                                    \
    X(show_text)                                                                                                       \
    X(image_surface_create)                                                                                            \
    X(surface_write_to_png_stream)                                                                                     \
    X(svg_surface_create_for_stream) X(surface_finish) X(surface_status) X(surface_destroy)

typedef struct cairo {
#define X(name) __typeof__(&cairo_##name) name;
    CAIRO_FUNCTIONS(X)
#undef X
} cairo;

struct picture {
    const cairo *k;
    cairo_t *c;
};

/* A function by its name; the way around a conversion that C does not have. */
static bool find(void *library, const char *symbol, void *function)
{
    *(void **)function = dlsym(library, symbol);
    return *(void **)function != NULL;
}

/* The library stays loaded: fonts that it has read are the process's, and cannot be given up one by one. */
static pf_status open_cairo(cairo *k, pf_error *err)
{
    void *library = dlopen("libcairo.so.2", RTLD_NOW | RTLD_LOCAL);
    bool good = library != NULL;
#define X(name) good = good && find(library, "cairo_" #name, &k->name);
    CAIRO_FUNCTIONS(X)
#undef X
    if (!good) {
        pf_fail(err, PF_ERR_INPUT, "%s",
                library ? "libcairo.so.2 lacks a function; install cairo 1.16 or later"
                        : "pictures need the library libcairo.so.2; install it (Debian: libcairo2)");
    }
    return good ? PF_OK : PF_ERR_INPUT;
}

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

static cairo_status_t draw(const cairo *k, bool png, writer *w, double height, picture_painter paint, const void *what)
{
    double scale = png ? PNG_SCALE : 1;
    cairo_surface_t *s = png ? k->image_surface_create(CAIRO_FORMAT_RGB24, (int)(WIDTH * scale), (int)(height * scale))
                             : k->svg_surface_create_for_stream(put, w, WIDTH, height);
    picture p = {k, k->create(s)};
    k->scale(p.c, scale, scale);
    k->set_source_rgb(p.c, 1, 1, 1);
    k->paint(p.c);
    k->select_font_face(p.c, "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
    k->set_font_size(p.c, TEXT);
    paint(&p, what);
    cairo_status_t st = k->status(p.c);
    k->destroy(p.c);
    if (png) {
        st = st ? st : k->surface_write_to_png_stream(s, put, w);
    } else {
        k->surface_finish(s);
        st = st ? st : k->surface_status(s);
    }
    k->surface_destroy(s);
    return st;
}

pf_status pf_picture_add(const neutrino_run *n, const char *stem, const neutrino_records *r, double height,
                         picture_painter paint, const void *what, pf_error *err)
{
    cairo k;
    PF_TRY(open_cairo(&k, err));
    for (unsigned png = 0; png < 2; png++) {
        writer w = {n->f, pf_text_new(n->f)};
        cairo_status_t st = draw(&k, png, &w, height, paint, what);
        if (st) {
            return pf_fail(err, PF_ERR_MEMORY, "cairo: %s", k.status_to_string(st));
        }
        pf_findings_report_text(n->f, pf_neutrino_file(n, stem, r, png ? "png" : "svg"), w.text, true);
    }
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

void pf_picture_text(picture *p, double x, double y, int align, const char *format, ...)
{
    char text[128];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    cairo_text_extents_t e;
    p->k->text_extents(p->c, text, &e);
    use(p, PICTURE_BLACK);
    p->k->move_to(p->c, x - e.x_advance * (align + 1) / 2, y + TEXT * 0.36);
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
    pf_picture_text(p, x, y, align, "%s", text);
}

void pf_picture_upright(picture *p, double x, double y, const char *text)
{
    p->k->save(p->c);
    p->k->translate(p->c, x, y);
    p->k->rotate(p->c, -1.5707963267948966);
    pf_picture_text(p, 0, 0, 0, "%s", text);
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

void pf_axis_draw(picture *p, const axis *a, double at, double lines)
{
    bool up = a->length < 0;
    double step = step_of(a->most), end = a->origin + a->length, middle = a->origin + a->length / 2;
    for (unsigned i = 0; i < 20 && step * i <= a->most * 1.0001; i++) {
        double place = pf_axis_place(a, step * i), x = up ? at : place, y = up ? place : at;
        char text[32];
        pf_picture_number(step * i, text);
        pf_picture_line(p, x, y, up ? x - 3 : x, up ? y : y + 3, PICTURE_BLACK, 0.5);
        if (lines > 0) {
            pf_picture_line(p, x, y, up ? x + lines : x, up ? y : y - lines, (rgb){0.88, 0.88, 0.88}, 0.4);
        }
        pf_picture_text(p, up ? x - 5 : x, up ? y : y + 9, up, "%s", text);
    }
    if (up) {
        pf_picture_line(p, at, a->origin, at, end, PICTURE_BLACK, 0.6);
        pf_picture_upright(p, at - 34, middle, a->title);
    } else {
        pf_picture_line(p, a->origin, at, end, at, PICTURE_BLACK, 0.6);
        pf_picture_text(p, middle, at + 21, 0, "%s", a->title);
    }
}
