/* analyze/neutrino/draw/picture.h - the pictures of Neutrino recordings, and what such charts are made of: a painter
 * draws once for SVG and once for PNG.
 *
 * Measures are points (1/72 inch); a picture is as wide as a page of a paper and text in it has 8 points. Colours are
 * those of Okabe and Ito, which people who are colour-blind tell apart too.
 */
#ifndef PF_ANALYZE_NEUTRINO_DRAW_PICTURE_H
#define PF_ANALYZE_NEUTRINO_DRAW_PICTURE_H

#include "analyze/neutrino/dmat/dmat.h"
#include "analyze/neutrino/sched/block_sched.h"

/* r: the section, for the names of the files. */
pf_status pf_neutrino_draw_heat_map(const neutrino_run *n, const dmat_result *d, const neutrino_records *r,
                                    pf_error *err);
pf_status pf_neutrino_draw_schedule(const neutrino_run *n, sched_result *s, pf_error *err);
pf_status pf_neutrino_draw_residents(const neutrino_run *n, const neutrino_records *r, const sched_residents *s,
                                     pf_error *err);
pf_status pf_neutrino_draw_gaps(const neutrino_run *n, const sched_result *s, pf_error *err);
pf_status pf_neutrino_draw_latencies(const neutrino_run *n, const neutrino_group *g, pf_error *err);

/* ---- charts ------------------------------------------------------------------------------------------------------ */

typedef struct rgb {
    double r, g, b;
} rgb;

typedef struct picture picture;
typedef void (*picture_painter)(picture *p, const void *what);

/* Draws STEM.svg and STEM.png, with r's number where there are several, and makes them reports. PF_ERR_INPUT, with what
 * to install, where cairo is not there. */
pf_status pf_picture_add(const neutrino_run *n, const char *stem, const neutrino_records *r, double height,
                         picture_painter paint, const void *what, pf_error *err);

/* A hue: blue, purple, green, red, brown; strength 0 (nearly white) to 1. */
#define PICTURE_HUES 5u
rgb pf_picture_hue(unsigned hue, double strength);
#define PICTURE_BLACK ((rgb){0, 0, 0})
#define PICTURE_GREY ((rgb){0.6, 0.6, 0.6})

void pf_picture_box(picture *p, double x, double y, double w, double h, rgb fill);
void pf_picture_line(picture *p, double x1, double y1, double x2, double y2, rgb colour, double width);

/* align: -1 text begins at x, 0 is centred, 1 ends there. y is its middle. */
void pf_picture_text(picture *p, double x, double y, int align, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
void pf_picture_str(picture *p, double x, double y, int align, pf_str text, unsigned most);
void pf_picture_upright(picture *p, double x, double y, const char *text); /* bottom to top, centred */

/* An axis from 0 to `most`, `length` points long, negative where it goes up: the place of v is
 * origin + v * length / most. */
typedef struct axis {
    double origin, length, most;
    const char *title;
} axis;
double pf_axis_place(const axis *a, double v);

/* At x or y, with lines that are so long. */
void pf_axis_draw(picture *p, const axis *a, double at, double lines);

/* "1024", "12k", "3.5M": few characters. */
void pf_picture_number(double v, char out[32]);

#endif
