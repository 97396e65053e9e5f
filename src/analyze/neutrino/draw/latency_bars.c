/* analyze/neutrino/draw/latency_bars.c - exposed latency as bars: what a profiler and each probe cost, in multiples of
 * the time without them; the probe's bar has epilogue, kernel and prologue stacked. */
#include <math.h>

#include "analyze/neutrino/draw/picture.h"

enum { LEFT = 60, TOP = 40, PLOT_WIDTH = 430, PLOT_HEIGHT = 180, HEIGHT = 254, BARS = 12 };

typedef struct bar {
    pf_str name;
    double ncu, all, part[3]; /* epilogue, kernel, prologue */
} bar;

typedef struct bars {
    bar bar[BARS];
    unsigned count;
    double most;
} bars;

static rgb part_colour(unsigned i)
{
    static const double strength[] = {1, 0.55, 0.25};
    return pf_picture_hue(0, strength[i]);
}

static void label(picture *p, double x, double y, double v)
{
    char digits[32];
    pf_picture_number(v < 1000 ? nearbyint(v * 100) / 100 : v, digits);
    pf_picture_text(p, x, y - 6, 0, "%sx", digits);
}

static void paint_bar(picture *p, const bar *b, const axis *y, double x, double width)
{
    double top = pf_axis_place(y, b->ncu), sum = 0;
    if (isfinite(b->ncu)) {
        pf_picture_box(p, x + width * 0.12, top, width * 0.34, y->origin - top, PICTURE_GREY);
        label(p, x + width * 0.29, top, b->ncu);
    }
    for (unsigned i = 0; i < 3; i++) {
        double from = pf_axis_place(y, sum), to = pf_axis_place(y, sum + b->part[i]);
        pf_picture_box(p, x + width * 0.54, to, width * 0.34, from - to, part_colour(i));
        sum += b->part[i];
    }
    label(p, x + width * 0.71, pf_axis_place(y, sum), b->all);
    pf_picture_str(p, x + width / 2, y->origin + 10, 0, b->name, 16);
}

static void paint_legend(picture *p)
{
    static const char *const names[] = {"epilogue", "kernel", "prologue"};
    pf_picture_box(p, LEFT, 20, 9, 7, PICTURE_GREY);
    pf_picture_text(p, LEFT + 12, 23.5, -1, "Nsight Compute");
    pf_picture_text(p, LEFT + 100, 23.5, -1, "Neutrino:");
    for (unsigned i = 0; i < 3; i++) {
        double x = LEFT + 148 + i * 66;
        pf_picture_box(p, x, 20, 9, 7, part_colour(i));
        pf_picture_text(p, x + 12, 23.5, -1, "%s", names[i]);
    }
}

static void paint(picture *p, const void *what)
{
    const bars *b = what;
    const axis y = {TOP + PLOT_HEIGHT, -PLOT_HEIGHT, b->most * 1.1, "time over time without probes"};
    double width = (double)PLOT_WIDTH / b->count;
    pf_picture_text(p, LEFT, 10, -1, "Exposed latency of probes");
    paint_legend(p);
    pf_axis_draw(p, &y, LEFT, PLOT_WIDTH);
    for (unsigned i = 0; i < b->count; i++) {
        paint_bar(p, &b->bar[i], &y, LEFT + i * width, width);
    }
    pf_picture_line(p, LEFT, y.origin, LEFT + PLOT_WIDTH, y.origin, PICTURE_BLACK, 0.6);
    pf_picture_text(p, LEFT + PLOT_WIDTH / 2.0, y.origin + 24, 0, "probe");
}

static bool read_bar(const neutrino_run *n, uint32_t row, bar *b)
{
    const neutrino_latencies *v = &n->latencies;
    double original = v->original[row];
    *b = (bar){.name = pf_neutrino_string(n, v->probe, row),
               .ncu = v->ncu[row] / original,
               .all = v->neutrino[row] / original};
    bool good = isfinite(b->all);
    for (unsigned i = 0; i < 3; i++) {
        b->part[i] = v->part[i][row] / original;
        good = good && isfinite(b->part[i]) && b->part[i] >= 0;
    }
    return good;
}

pf_status pf_neutrino_draw_latencies(const neutrino_run *n, const neutrino_group *g, pf_error *err)
{
    bars b = {.most = 1};
    for (uint32_t i = g->first; i < g->past && b.count < BARS; i++) {
        bar *next = &b.bar[b.count];
        if (read_bar(n, i, next)) {
            b.count++;
            b.most = fmax(b.most, fmax(isfinite(next->ncu) ? next->ncu : 0, next->all));
        }
    }
    return b.count ? pf_picture_add(n, "exposed_latency", &g->r, HEIGHT, paint, &b, err) : PF_OK;
}
