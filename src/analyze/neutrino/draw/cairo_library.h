/* analyze/neutrino/draw/cairo_library.h - cairo (https://www.cairographics.org), loaded when a picture is wanted: it
 * brings some twenty libraries with it, which nobody else should wait for. */
#ifndef PF_ANALYZE_NEUTRINO_DRAW_CAIRO_LIBRARY_H
#define PF_ANALYZE_NEUTRINO_DRAW_CAIRO_LIBRARY_H

#include <cairo-svg.h>
#include <cairo.h>

#include "postfetto/base.h"

#define PF_CAIRO_FUNCTIONS(X)                                                                                          \
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
    X(svg_surface_create_for_stream)                                                                                   \
    X(surface_finish)                                                                                                  \
    X(surface_status)                                                                                                  \
    X(surface_destroy)

typedef struct pf_cairo {
#define X(name) __typeof__(&cairo_##name) name;
    PF_CAIRO_FUNCTIONS(X)
#undef X
} pf_cairo;

/* PF_ERR_INPUT, with what to install, where it is not there. The library stays loaded: fonts that it has read are the
 * process's, and cannot be given up one by one. */
pf_status pf_cairo_open(pf_cairo *k, pf_error *err);

#endif
