/* write/figure/png_canvas.c - figures as PNG, with cairo (https://www.cairographics.org). It is loaded when one is
 * wanted: it brings some twenty libraries with it, which nobody else should wait for. */
#include <cairo.h>
#include <math.h>

#include "base/library.h"
#include "write/figure/canvas.h"

#define PNG_SCALE 2.0 /* 192 dots per inch */

#define CAIRO_FUNCTIONS(X)                                                                                             \
    X(create)                                                                                                          \
    X(destroy)                                                                                                         \
    X(status)                                                                                                          \
    X(status_to_string)                                                                                                \
    X(scale)                                                                                                           \
    X(move_to)                                                                                                         \
    X(line_to)                                                                                                         \
    X(rectangle)                                                                                                       \
    X(arc)                                                                                                             \
    X(fill)                                                                                                            \
    X(stroke)                                                                                                          \
    X(paint)                                                                                                           \
    X(set_source_rgba)                                                                                                 \
    X(set_line_width)                                                                                                  \
    X(select_font_face)                                                                                                \
    X(set_font_size)                                                                                                   \
    X(text_extents)                                                                                                    \
    X(show_text)                                                                                                       \
    X(image_surface_create)                                                                                            \
    X(surface_write_to_png_stream)                                                                                     \
    X(surface_destroy)

typedef struct cairo {
#define X(name) __typeof__(&cairo_##name) name;
    CAIRO_FUNCTIONS(X)
#undef X
    cairo_t *c;
} cairo;

/* The library stays loaded: fonts that it has read are the process's, and cannot be given up one by one. */
static pf_status open_cairo(cairo *k, pf_error *err)
{
    void *library = dlopen("libcairo.so.2", RTLD_NOW | RTLD_LOCAL);
    bool good = library != NULL;
#define X(name) good = good && pf_library_find(library, "cairo_" #name, &k->name);
    CAIRO_FUNCTIONS(X)
#undef X
    if (!good) {
        pf_fail(err, PF_ERR_INPUT, "%s",
                library ? "libcairo.so.2 lacks a function; install cairo 1.16 or later"
                        : "PNG pictures need the library libcairo.so.2; install it (Debian: libcairo2)");
    }
    return good ? PF_OK : PF_ERR_INPUT;
}

static void use(const cairo *k, unsigned colour, double opacity)
{
    uint32_t rgb = pf_colour(colour, false);
    k->set_source_rgba(k->c, (rgb >> 16 & 255) / 255.0, (rgb >> 8 & 255) / 255.0, (rgb & 255) / 255.0, opacity);
}

static void box(canvas *c, double x, double y, double w, double h, shade s)
{
    const cairo *k = c->cairo;
    use(k, s.colour, (double)s.strength / SHADES);
    k->rectangle(k->c, x, y, w, h);
    k->fill(k->c);
    c->tip.len = 0;
}

static void dot(canvas *c, double x, double y, double radius, shade s)
{
    const cairo *k = c->cairo;
    use(k, s.colour, (double)s.strength / SHADES);
    k->arc(k->c, x, y, radius, 0, 6.283185307179586);
    k->fill(k->c);
    c->tip.len = 0;
}

static void path(canvas *c, const point *points, size_t count, unsigned colour, double width)
{
    const cairo *k = c->cairo;
    use(k, colour, 1);
    k->set_line_width(k->c, width);
    for (size_t i = 0; i < count; i++) {
        (i ? k->line_to : k->move_to)(k->c, points[i].x, points[i].y);
    }
    k->stroke(k->c);
}

static void text(canvas *c, double x, double y, align a, font f, pf_str s)
{
    const cairo *k = c->cairo;
    pf_buffer b = {0};
    cairo_text_extents_t e;
    pf_buffer_put(&b, s.ptr, s.len);
    pf_buffer_put(&b, "", 1);
    if (!b.failed) {
        use(k, f == FONT_MUTED ? MUTED : INK, 1);
        k->select_font_face(k->c, "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL,
                            f == FONT_TITLE ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
        k->set_font_size(k->c, f == FONT_TITLE ? 13 : 11);
        k->text_extents(k->c, b.data, &e);
        k->move_to(k->c, x - e.x_advance * a / 2, y);
        k->show_text(k->c, b.data);
    }
    pf_buffer_free(&b);
}

static cairo_status_t put(void *ctx, const unsigned char *bytes, unsigned len)
{
    pf_buffer_put(ctx, bytes, len);
    return CAIRO_STATUS_SUCCESS;
}

pf_status pf_png_draw(double height, void (*paint)(void *what, canvas *c), void *what, pf_buffer *png, pf_error *err)
{
    static const canvas_way way = {box, dot, path, text};
    cairo k;
    PF_TRY(open_cairo(&k, err));
    int width = (int)(FIGURE_WIDTH * PNG_SCALE), lines = (int)ceil(height * PNG_SCALE);
    cairo_surface_t *s = k.image_surface_create(CAIRO_FORMAT_RGB24, width, lines);
    canvas c = {.way = &way, .cairo = &k};
    k.c = k.create(s);
    k.scale(k.c, PNG_SCALE, PNG_SCALE);
    use(&k, PAPER, 1);
    k.paint(k.c);
    paint(what, &c);
    cairo_status_t st = k.status(k.c);
    k.destroy(k.c);
    st = st ? st : k.surface_write_to_png_stream(s, put, png);
    k.surface_destroy(s);
    pf_buffer_free(&c.tip);
    return st ? pf_fail(err, PF_ERR_MEMORY, "cairo: %s", k.status_to_string(st)) : PF_OK;
}
