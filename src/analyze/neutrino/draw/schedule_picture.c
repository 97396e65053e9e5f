/* analyze/neutrino/draw/schedule_picture.c - which block ran when, in the slots of the busiest SMs; and how long the
 * gaps between blocks are. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyze/neutrino/draw/picture.h"

enum { BARS_TOP = 24, BARS_HEIGHT = 150 };
enum { LEFT = 60, TOP = 40, PLOT_WIDTH = 430, SMS = 6, SLOTS = 32, BLOCKS = 1500 };
#define ROW 6.0
#define SM_GAP 8.0

typedef struct shown_sm {
    const sched_sm *sm;
    sm_placed *block;
    uint32_t count;
    uint64_t first;
} shown_sm;

typedef struct schedule {
    shown_sm sm[SMS];
    unsigned count;
    uint64_t span;
    bool all; /* every block of these SMs is drawn */
} schedule;

static pf_status keep(void *ctx, const sched_sm *sm, const sm_placed *b, pf_error *err)
{
    schedule *s = ctx;
    (void)err;
    for (unsigned i = 0; i < s->count; i++) {
        shown_sm *m = &s->sm[i];
        if (m->sm != sm) {
            continue;
        }
        m->first = m->count ? m->first : b->block.start;
        if (m->count < BLOCKS) {
            m->block[m->count++] = *b;
            s->span = b->block.end - m->first > s->span ? b->block.end - m->first : s->span;
        } else {
            s->all = false;
        }
    }
    return PF_OK;
}

static unsigned rows_of(const shown_sm *m)
{
    return m->sm->sweep.slots < SLOTS ? m->sm->sweep.slots : SLOTS;
}

static double height_of(const schedule *s)
{
    double h = 0;
    for (unsigned i = 0; i < s->count; i++) {
        h += rows_of(&s->sm[i]) * ROW + SM_GAP;
    }
    return h;
}

/* The SMs with the most work, most first. */
static void choose(schedule *s, const sched_result *r)
{
    for (uint32_t i = 0; i < r->count; i++) {
        unsigned at = s->count < SMS ? s->count++ : SMS;
        while (at > 0 && s->sm[at - 1].sm->work < r->sm[i]->work) {
            if (at < SMS) {
                s->sm[at] = s->sm[at - 1];
            }
            at--;
        }
        if (at < SMS) {
            s->sm[at] = (shown_sm){.sm = r->sm[i]};
        }
    }
    while (s->count > 1 && height_of(s) > 560) {
        s->count--;
    }
}

static void paint_sm(picture *p, const schedule *s, const shown_sm *m, double y)
{
    const axis x = {LEFT, PLOT_WIDTH, (double)s->span, ""};
    for (uint32_t i = 0; i < m->count; i++) {
        const sm_placed *b = &m->block[i];
        double top = y + b->slot * ROW, from = pf_axis_place(&x, (double)(b->block.start - m->first));
        double to = pf_axis_place(&x, (double)(b->block.end - m->first));
        if (b->slot >= SLOTS) {
            continue;
        }
        if (b->has_gap) {
            double gap = pf_axis_place(&x, (double)b->gap) - LEFT;
            pf_picture_box(p, from - gap, top + ROW * 0.3, gap, ROW * 0.4, pf_picture_hue(3, 1));
        }
        pf_picture_box(p, from, top, to - from > 0.2 ? to - from : 0.2, ROW - 1,
                       pf_picture_hue(0, b->block.index % 2 ? 0.75 : 0.4));
    }
    pf_picture_text(p, LEFT - 6, y + rows_of(m) * ROW / 2, 1, "SM %" PRIu32, m->sm->id);
}

static void paint_legend(picture *p)
{
    pf_picture_box(p, LEFT, 20, 9, 7, pf_picture_hue(0, 0.4));
    pf_picture_box(p, LEFT + 11, 20, 9, 7, pf_picture_hue(0, 0.75));
    pf_picture_text(p, LEFT + 24, 23.5, -1, "blocks of even and odd number");
    pf_picture_box(p, LEFT + 175, 22, 14, 3, pf_picture_hue(3, 1));
    pf_picture_text(p, LEFT + 193, 23.5, -1, "slot empty between blocks");
}

static void paint_schedule(picture *p, const void *what)
{
    const schedule *s = what;
    const axis x = {LEFT, PLOT_WIDTH, (double)s->span, "cycles since the SM's first block"};
    double y = TOP;
    pf_picture_text(p, LEFT, 10, -1, "Blocks on the busiest SMs, a row for each slot%s",
                    s->all ? "" : " (the first 1500 of each SM)");
    paint_legend(p);
    pf_axis_draw(p, &x, TOP + height_of(s), height_of(s));
    for (unsigned i = 0; i < s->count; i++) {
        paint_sm(p, s, &s->sm[i], y);
        y += rows_of(&s->sm[i]) * ROW + SM_GAP;
    }
}

pf_status pf_neutrino_draw_schedule(const neutrino_run *n, sched_result *r, pf_error *err)
{
    schedule s = {.all = true};
    choose(&s, r);
    for (uint32_t i = 0; i < r->count; i++) {
        r->sm[i]->again = false;
    }
    for (unsigned i = 0; i < s.count; i++) {
        ((sched_sm *)(uintptr_t)s.sm[i].sm)->again = true;
        PF_TRY(PF_ARENA_NEW(n->arena, s.sm[i].block, BLOCKS, err));
    }
    PF_TRY(pf_sched_visit(n, r, keep, &s, err));
    return pf_picture_add(n, "block_schedule", r->r, TOP + height_of(&s) + 34, paint_schedule, &s, err);
}

/* ---- residents --------------------------------------------------------------------------------------------------- */

/* One curve; places are counted from where it begins. */
static void paint_curve(picture *p, const sched_curve *s, double top, const char *title)
{
    const axis y = {top + BARS_HEIGHT, -BARS_HEIGHT, s->most * 1.08, "blocks"};
    const axis x = {LEFT, PLOT_WIDTH, (double)(s->end - s->begin), "cycles"};
    pf_picture_text(p, LEFT, top - 14, -1, "%s", title);
    pf_axis_draw(p, &y, LEFT, PLOT_WIDTH);
    for (uint32_t i = 0; i < s->count; i++) {
        double from = pf_axis_place(&x, (double)(i * s->length)), place = pf_axis_place(&y, s->mean[i]);
        double to = i + 1 < s->count ? pf_axis_place(&x, (double)((i + 1) * s->length)) : LEFT + PLOT_WIDTH;
        pf_picture_box(p, from, place, to - from, y.origin - place, pf_picture_hue(0, 0.75));
    }
    pf_axis_draw(p, &x, y.origin, 0);
}

static void paint_residents(picture *p, const void *what)
{
    const sched_residents *s = what;
    char title[64];
    paint_curve(p, &s->run, BARS_TOP, "Resident blocks of all SMs since the first block");
    if (s->tail.most > 0) {
        snprintf(title, sizeof title, "The last %" PRIu64 " cycles", s->tail.end - s->tail.begin);
        paint_curve(p, &s->tail, 2 * BARS_TOP + BARS_HEIGHT + 34, title);
    }
}

pf_status pf_neutrino_draw_residents(const neutrino_run *n, const neutrino_records *r, const sched_residents *s,
                                     pf_error *err)
{
    double height = (BARS_TOP + BARS_HEIGHT + 34) * (s->tail.most > 0 ? 2 : 1);
    return s->run.most > 0 ? pf_picture_add(n, "resident_blocks", r, height, paint_residents, s, err) : PF_OK;
}

/* ---- gaps -------------------------------------------------------------------------------------------------------- */

typedef struct histogram {
    uint64_t bin[SM_GAP_BINS], most;
    unsigned from, to; /* bins that are not empty, both included */
} histogram;

static void paint_gaps(picture *p, const void *what)
{
    const histogram *h = what;
    double bars = h->to - h->from + 1, width = PLOT_WIDTH / bars;
    axis y = {BARS_TOP + BARS_HEIGHT, -BARS_HEIGHT, (double)h->most * 1.08, "gaps"};
    pf_picture_text(p, LEFT, 10, -1, "How long slots are empty between two blocks");
    pf_axis_draw(p, &y, LEFT, PLOT_WIDTH);
    for (unsigned i = h->from; i <= h->to; i++) {
        double x = LEFT + (i - h->from) * width, top = pf_axis_place(&y, (double)h->bin[i]);
        char text[32];
        pf_picture_box(p, x + width * 0.08, top, width * 0.84, BARS_TOP + BARS_HEIGHT - top, pf_picture_hue(0, 0.75));
        pf_picture_number((double)h->bin[i], text);
        pf_picture_text(p, x + width / 2, top - 5, 0, "%s", text);
        pf_picture_number(i ? (double)((uint64_t)1 << (i - 1)) : 0, text);
        pf_picture_text(p, i ? x : x + width / 2, BARS_TOP + BARS_HEIGHT + 9, 0, "%s", text);
    }
    pf_picture_line(p, LEFT, BARS_TOP + BARS_HEIGHT, LEFT + PLOT_WIDTH, BARS_TOP + BARS_HEIGHT, PICTURE_BLACK, 0.6);
    pf_picture_text(p, LEFT + PLOT_WIDTH / 2.0, BARS_TOP + BARS_HEIGHT + 21, 0,
                    "length of the gap (cycles); each bar from the number at its left to twice that");
}

pf_status pf_neutrino_draw_gaps(const neutrino_run *n, const sched_result *s, pf_error *err)
{
    histogram h = {.from = SM_GAP_BINS};
    for (unsigned i = 0; i < SM_GAP_BINS; i++) {
        for (uint32_t m = 0; m < s->count; m++) {
            h.bin[i] += s->sm[m]->sweep.bins[i];
        }
        h.from = h.bin[i] && h.from == SM_GAP_BINS ? i : h.from;
        h.to = h.bin[i] ? i : h.to;
        h.most = h.bin[i] > h.most ? h.bin[i] : h.most;
    }
    return h.most ? pf_picture_add(n, "gaps", s->r, BARS_TOP + BARS_HEIGHT + 32, paint_gaps, &h, err) : PF_OK;
}
