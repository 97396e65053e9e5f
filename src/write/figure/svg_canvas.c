/* write/figure/svg_canvas.c - figures as SVG: a document of its own that may also stand in an HTML page. Colours are
 * classes with the same meaning in every figure, so that the styles of several do not fight. */
#include <inttypes.h>
#include <math.h>

#include "write/figure/canvas.h"

/* Text between tags or in quotes. */
static void put_markup(pf_buffer *out, pf_str text)
{
    size_t start = 0;
    for (size_t i = 0; i < text.len; i++) {
        char ch = text.ptr[i];
        const char *entity = ch == '&'   ? "&amp;"
                             : ch == '<' ? "&lt;"
                             : ch == '>' ? "&gt;"
                             : ch == '"' ? "&quot;"
                                         : NULL;
        if (entity) {
            pf_buffer_put(out, text.ptr + start, i - start);
            pf_buffer_text(out, entity);
            start = i + 1;
        }
    }
    pf_buffer_put(out, text.ptr + start, text.len - start);
}

/* A length with up to two decimals, after a text. */
static void put_length(pf_buffer *out, const char *before, double v)
{
    int64_t hundredths = isfinite(v) && fabs(v) < 1e9 ? llround(v * 100) : 0;
    uint64_t size = (uint64_t)(hundredths < 0 ? -hundredths : hundredths);
    pf_buffer_text(out, before);
    pf_buffer_text(out, hundredths < 0 ? "-" : "");
    pf_buffer_decimal(out, size / 100);
    if (size % 100) {
        pf_buffer_format(out, size % 10 ? ".%02u" : ".%u", (unsigned)(size % 10 ? size % 100 : size % 100 / 10));
    }
}

/* The end of a shape that began with its place: its colour, and the tooltip where there is one. */
static void end_shape(canvas *c, const char *tag, shade s)
{
    c->fills |= (uint64_t)1 << s.colour;
    pf_buffer_format(&c->out, "\" class=\"pf-c%u\"", s.colour);
    if (s.strength < SHADES) {
        pf_buffer_format(&c->out, " fill-opacity=\".%02u\"", 100u * s.strength / SHADES);
    }
    if (c->tip.len && !c->tip.failed) {
        pf_buffer_text(&c->out, "><title>");
        put_markup(&c->out, (pf_str){c->tip.data, c->tip.len});
        pf_buffer_format(&c->out, "</title></%s>\n", tag);
    } else {
        pf_buffer_text(&c->out, "/>\n");
    }
    c->tip.len = 0;
}

static void box(canvas *c, double x, double y, double w, double h, shade s)
{
    put_length(&c->out, "<rect x=\"", x);
    put_length(&c->out, "\" y=\"", y);
    put_length(&c->out, "\" width=\"", w);
    put_length(&c->out, "\" height=\"", h);
    end_shape(c, "rect", s);
}

static void dot(canvas *c, double x, double y, double radius, shade s)
{
    put_length(&c->out, "<circle cx=\"", x);
    put_length(&c->out, "\" cy=\"", y);
    put_length(&c->out, "\" r=\"", radius);
    end_shape(c, "circle", s);
}

static void path(canvas *c, const point *points, size_t count, unsigned colour, double width)
{
    c->strokes |= (uint64_t)1 << colour;
    pf_buffer_text(&c->out, "<path d=\"");
    for (size_t i = 0; i < count; i++) {
        put_length(&c->out, i == 0 ? "M" : "L", points[i].x);
        put_length(&c->out, " ", points[i].y);
    }
    put_length(&c->out, "\" stroke-width=\"", width);
    pf_buffer_format(&c->out, "\" class=\"pf-s%u\"/>\n", colour);
}

static void text(canvas *c, double x, double y, align a, font f, pf_str s)
{
    static const char *const fonts[] = {"pf-t", "pf-t pf-u", "pf-t pf-h"};
    static const char *const aligns[] = {"", " pf-m", " pf-e"};
    put_length(&c->out, "<text x=\"", x);
    put_length(&c->out, "\" y=\"", y);
    pf_buffer_format(&c->out, "\" class=\"%s%s\">", fonts[f], aligns[a]);
    put_markup(&c->out, s);
    pf_buffer_text(&c->out, "</text>\n");
}

void pf_svg_canvas(canvas *c)
{
    static const canvas_way way = {box, dot, path, text};
    *c = (canvas){.way = &way};
}

static void put_colours(const canvas *c, bool dark, pf_buffer *svg)
{
    for (unsigned i = 0; i < ALL_COLOURS; i++) {
        if (c->fills >> i & 1) {
            pf_buffer_format(svg, ".pf-c%u{fill:#%06" PRIx32 "}", i, pf_colour(i, dark));
        }
        if (c->strokes >> i & 1) {
            pf_buffer_format(svg, ".pf-s%u{stroke:#%06" PRIx32 "}", i, pf_colour(i, dark));
        }
    }
    pf_buffer_format(svg, ".pf-t{fill:#%06" PRIx32 "}.pf-t.pf-u{fill:#%06" PRIx32 "}.pf-paper{fill:#%06" PRIx32 "}",
                     pf_colour(INK, dark), pf_colour(MUTED, dark), pf_colour(PAPER, dark));
}

static void put_style(const canvas *c, pf_buffer *svg)
{
    pf_buffer_text(svg, "<style>.pf-figure text{font:12px system-ui,\"Segoe UI\",\"DejaVu Sans\",sans-serif;"
                        "direction:ltr;unicode-bidi:isolate}.pf-figure .pf-h{font-size:14px;font-weight:600}"
                        ".pf-m{text-anchor:middle}.pf-e{text-anchor:end}.pf-figure path{fill:none}");
    put_colours(c, false, svg);
    pf_buffer_text(svg, "@media screen and (prefers-color-scheme:dark){");
    put_colours(c, true, svg);
    pf_buffer_text(svg, "}</style>\n");
}

/* The name as part of an id. */
static void put_id(pf_buffer *svg, const char *name, const char *ending)
{
    for (const char *p = name; *p; p++) {
        bool fits = (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || (*p >= '0' && *p <= '9');
        pf_buffer_put(svg, fits ? p : "-", 1);
    }
    pf_buffer_text(svg, ending);
}

void pf_svg_wrap(const canvas *c, const char *name, pf_str title, pf_str note, double height, pf_buffer *svg)
{
    pf_buffer_format(svg, "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"pf-figure\" width=\"%d\"", FIGURE_WIDTH);
    put_length(svg, " height=\"", height);
    pf_buffer_format(svg, "\" viewBox=\"0 0 %d", FIGURE_WIDTH);
    put_length(svg, " ", height);
    pf_buffer_text(svg, "\" role=\"img\" aria-labelledby=\"");
    put_id(svg, name, "-t ");
    put_id(svg, name, "-d\">\n<title id=\"");
    put_id(svg, name, "-t\">");
    put_markup(svg, title);
    pf_buffer_text(svg, "</title><desc id=\"");
    put_id(svg, name, "-d\">");
    put_markup(svg, note);
    pf_buffer_text(svg, "</desc>\n");
    put_style(c, svg);
    put_length(svg, "<rect width=\"100%\" class=\"pf-paper\" height=\"", height);
    pf_buffer_text(svg, "\"/>\n");
    pf_buffer_put(svg, c->out.data, c->out.len);
    pf_buffer_text(svg, "</svg>\n");
    svg->failed = svg->failed || c->out.failed || c->tip.failed;
}
