/* write/figure/canvas.h - what figures are drawn on: boxes, lines, dots and text, as SVG or, with cairo, as PNG.
 *
 * Measures are CSS pixels, y grows downwards. Colours are indices of a palette that has a light and a dark form; a PNG
 * is always light.
 */
#pragma once

#include "base/buffer.h"

/* ---- colours.c --------------------------------------------------------------------------------------------------- */

/* Eight hues in three tones each: as they are, paler, deeper. A colour is hue * TONES + tone, or one of the others. */
enum { HUES = 8, TONES = 3, COLOURS = HUES * TONES };
enum { INK = COLOURS, MUTED, GRID, HEAT, PAPER, ALL_COLOURS };

/* 0xRRGGBB. */
uint32_t pf_colour(unsigned colour, bool dark);

/* The colour that the word means; ALL_COLOURS: none. */
unsigned pf_colour_of_word(pf_str word);

/* ---- text_fit.c -------------------------------------------------------------------------------------------------- */

/* About how wide the text is in the figures' font. */
double pf_text_width(pf_str text);

/* Appends the text, shortened in the middle where it is wider than `room`. Bytes that are no UTF-8, control characters
 * and those that turn the direction of text around become U+FFFD. */
void pf_text_fit(pf_buffer *out, pf_str text, double room);

/* ---- canvases ---------------------------------------------------------------------------------------------------- */

enum { SHADES = 12 };

typedef struct shade {
    uint8_t colour;
    uint8_t strength; /* 1 to SHADES: how much of the colour is mixed with the paper */
} shade;

typedef struct point {
    double x, y;
} point;

typedef enum align { ALIGN_START, ALIGN_MIDDLE, ALIGN_END } align;
typedef enum font { FONT_PLAIN, FONT_MUTED, FONT_TITLE } font;

typedef struct canvas canvas;
typedef struct canvas_way {
    void (*box)(canvas *c, double x, double y, double w, double h, shade s);
    void (*dot)(canvas *c, double x, double y, double radius, shade s);
    void (*path)(canvas *c, const point *points, size_t count, unsigned colour, double width);
    void (*text)(canvas *c, double x, double y, align a, font f, pf_str text); /* y: its base line */
} canvas_way;

struct canvas {
    const canvas_way *way;
    pf_buffer tip;           /* what the tooltip of the next box or dot says; taken by it */
    pf_buffer out;           /* SVG: what is drawn so far */
    uint64_t fills, strokes; /* SVG: a bit for each colour that is used */
    void *cairo;             /* PNG */
};

enum { FIGURE_WIDTH = 760 };

/* svg_canvas.c: what is drawn on it is in `out`, which pf_svg_wrap makes a whole document of. */
void pf_svg_canvas(canvas *c);
void pf_svg_wrap(const canvas *c, const char *name, pf_str title, pf_str note, double height, pf_buffer *svg);

/* png_canvas.c: calls `paint` with a canvas that high and appends the PNG. PF_ERR_INPUT, with what to install, where
 * cairo is not there. */
pf_status pf_png_draw(double height, void (*paint)(void *what, canvas *c), void *what, pf_buffer *png, pf_error *err);
