/* analyze/neutrino/draw/heat_map.c - the DMAT heat map: pages over clocks, a hue for each tensor, darker where there
 * are more accesses. Page 0 is at the bottom. */
#include <inttypes.h>
#include <stdlib.h>

#include "analyze/neutrino/draw/picture.h"

enum { LEFT = 92, TOP = 22, PLOT_WIDTH = 290, PLOT_HEIGHT = 220, HEIGHT = 280 };

typedef struct heat_map {
    const dmat_result *d;
    const dmat_tensor *shown[PICTURE_HUES]; /* most accesses first */
    unsigned count;
} heat_map;

/* The five tensors with the most accesses. */
static void choose(heat_map *m)
{
    for (uint32_t i = 0; i < m->d->tensors; i++) {
        const dmat_tensor *t = &m->d->tensor[i];
        unsigned at = m->count < PICTURE_HUES ? m->count++ : PICTURE_HUES;
        while (at > 0 && m->shown[at - 1]->accesses < t->accesses) {
            if (at < PICTURE_HUES) {
                m->shown[at] = m->shown[at - 1];
            }
            at--;
        }
        if (at < PICTURE_HUES) {
            m->shown[at] = t;
        }
    }
}

/* Where a row of the grid ends, counted from the bottom: where few pages fill many rows, a page is as high as they. */
static unsigned row_end(const dmat_result *d, unsigned row)
{
    uint64_t pages = d->clean_pages, rank = ((uint64_t)row * pages + DMAT_ROWS - 1) / DMAT_ROWS;
    uint64_t next = (rank + 1) * DMAT_ROWS / pages;
    return next > row + 1 ? (unsigned)next : row + 1;
}

static double y_of(double row)
{
    return TOP + PLOT_HEIGHT - row * PLOT_HEIGHT / DMAT_ROWS;
}

static void paint_cells(picture *p, const heat_map *m, unsigned which)
{
    const dmat_tensor *t = m->shown[which];
    double width = (double)PLOT_WIDTH / DMAT_COLUMNS;
    for (uint32_t i = 0; i < t->cells; i++) {
        const dmat_cell *c = &t->cell[i];
        double top = y_of(row_end(m->d, c->row)), bottom = y_of(c->row);
        rgb colour = pf_picture_hue(which, 0.2 * pf_dmat_level(t, c->count));
        pf_picture_box(p, LEFT + c->column * width, top, width, bottom - top, colour);
    }
}

static void paint_pages(picture *p, const heat_map *m)
{
    uint64_t pages = m->d->clean_pages, step = pages > 12 ? (pages + 9) / 10 : 1;
    for (uint64_t rank = 0; rank < pages; rank += step) {
        uint64_t row = rank * DMAT_ROWS / pages;
        double y = y_of((double)row);
        pf_picture_line(p, LEFT - 3, y, LEFT, y, PICTURE_BLACK, 0.5);
        pf_picture_text(p, LEFT - 5, y - 5, 1, "%" PRIx64, m->d->sorted[rank]);
    }
    pf_picture_line(p, LEFT, TOP, LEFT, TOP + PLOT_HEIGHT, PICTURE_BLACK, 0.6);
    pf_picture_upright(p, 10, TOP + PLOT_HEIGHT / 2.0, "page of 64 KiB (address, hexadecimal)");
}

static void paint_legend(picture *p, const heat_map *m)
{
    double x = LEFT + PLOT_WIDTH + 14, y = TOP + 6;
    pf_picture_text(p, x, y, -1, "tensor");
    pf_picture_text(p, x + 108, y, 1, "few .. many");
    for (unsigned i = 0; i < m->count; i++) {
        y += 15;
        pf_picture_str(p, x, y, -1, m->shown[i]->name, 9);
        for (unsigned level = 1; level <= DMAT_LEVELS; level++) {
            pf_picture_box(p, x + 46 + level * 10, y - 4, 9, 8, pf_picture_hue(i, 0.2 * level));
        }
    }
    pf_picture_text(p, x, y + 20, -1, "Shades: fifths of the");
    pf_picture_text(p, x, y + 30, -1, "tensor's own cells");
    if (m->d->tensors > m->count) {
        pf_picture_text(p, x, y + 45, -1, "%" PRIu32 " more not drawn", m->d->tensors - m->count);
    }
}

static void paint(picture *p, const void *what)
{
    const heat_map *m = what;
    const axis x = {LEFT, PLOT_WIDTH, (double)(m->d->clean_max_clock + 1), "clock since the thread began (cycles)"};
    pf_picture_text(p, LEFT, 10, -1, "Memory accesses by page and time");
    for (unsigned i = m->count; i-- > 0;) {
        paint_cells(p, m, i);
    }
    pf_axis_draw(p, &x, TOP + PLOT_HEIGHT, 0);
    paint_pages(p, m);
    paint_legend(p, m);
}

pf_status pf_neutrino_draw_heat_map(const neutrino_run *n, const dmat_result *d, const neutrino_records *r,
                                    pf_error *err)
{
    heat_map m = {.d = d};
    if (d->clean_pages == 0) {
        return PF_OK;
    }
    choose(&m);
    return pf_picture_add(n, "dmat", r, HEIGHT, paint, &m, err);
}
