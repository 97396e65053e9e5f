/* analyze/aiu/enriched/aiu_draw_work.c - what a rank did, as slices: its jobs, its iterations, and its kernels by the
 * category of their operation, which compiler logs (-c) say.
 */
#include <stdlib.h>

#include "analyze/aiu/enriched/aiu_enriched.h"
#include "analyze/aiu/steps/aiu_steps.h"

void pf_aiu_draw_slice(pf_findings *f, uint32_t track, pf_interval at, pf_str name)
{
    pf_overlay_slice(f, track, at.start, at.end - at.start, name);
}

void pf_aiu_draw_bars(aiu_run *run, pf_drawing *d, const char *what, const char *description, const aiu_bar *list,
                      uint32_t n, aiu_draw_bar *draw, void *ctx)
{
    const uint32_t *lane;
    pf_interval *intervals = pf_aiu_alloc(run, (size_t)n + 1, sizeof *intervals);
    for (uint32_t i = 0; intervals && i < n; i++) {
        intervals[i] = list[i].at;
    }
    uint32_t first = intervals ? pf_drawing_lanes(d, what, description, intervals, n, &lane) : PF_NONE;
    for (uint32_t i = 0; i < n && first != PF_NONE; i++) {
        draw(ctx, first + lane[i], &list[i]);
    }
}

/* One row. */
typedef struct work {
    aiu_run *run;
    pf_findings *f;
    const aiu_rank_job *jobs;
    aiu_iterations iterations;
    aiu_bar *bars;
    uint32_t count;
} work;

static void add(work *w, uint32_t of, double from, double to)
{
    w->bars[w->count++] = (aiu_bar){.at = pf_aiu_interval(w->run, from, to), .of = of};
}

static int compare_bars(const void *a, const void *b)
{
    const pf_interval *x = &((const aiu_bar *)a)->at, *y = &((const aiu_bar *)b)->at;
    return x->start != y->start ? (x->start > y->start) - (x->start < y->start) : (x->end < y->end) - (x->end > y->end);
}

static void draw_row(work *w, pf_drawing *d, const char *what, const char *description, aiu_draw_bar *draw)
{
    if (w->count > 1) {
        qsort(w->bars, w->count, sizeof *w->bars, compare_bars);
    }
    pf_aiu_draw_bars(w->run, d, what, description, w->bars, w->count, draw, w);
    w->count = 0;
}

/* `busy` in us. */
static void put_args(work *w, uint32_t kernels, double busy)
{
    pf_overlay_arg_int(w->f, PF_STR("kernels"), kernels);
    pf_overlay_arg_derived(w->f, PF_STR("busy_us"), busy);
}

static void draw_job(void *ctx, uint32_t track, const aiu_bar *b)
{
    work *w = ctx;
    const aiu_rank_job *j = &w->jobs[b->of];
    pf_aiu_draw_slice(w->f, track, b->at, w->run->jobs[j->job].name);
    put_args(w, j->kernels, j->busy);
}

static void draw_iteration(void *ctx, uint32_t track, const aiu_bar *b)
{
    work *w = ctx;
    const aiu_iteration *own = &w->iterations.row[b->of];
    pf_aiu_draw_slice(w->f, track, b->at,
                      pf_findings_format(w->f, own->counted ? "%u" : "%u, until its last kernel ends", b->of));
    pf_overlay_arg_text(w->f, PF_STR("job"), w->run->jobs[own->job].name);
    put_args(w, w->iterations.kernels, own->busy);
}

static void draw_category(void *ctx, uint32_t track, const aiu_bar *b)
{
    work *w = ctx;
    pf_aiu_draw_slice(w->f, track, b->at, pf_aiu_text_of(w->run, w->run->category[b->of]));
}

void pf_aiu_draw_work(aiu_run *run, pf_drawing *d, const aiu_rank_jobs *jobs, uint32_t rank)
{
    work w = {.run = run, .f = d->f, .jobs = jobs->list, .iterations = pf_aiu_iterations_of(run, rank)};
    uint32_t kernels = 0;
    for (uint32_t e = 0; e < run->category_count; e++) {
        kernels += run->category[e] && run->events.rank[e] == rank;
    }
    w.bars = pf_aiu_alloc(run, (size_t)jobs->count + w.iterations.rows + kernels + 1, sizeof *w.bars);
    if (!w.bars) {
        return;
    }
    for (uint32_t i = 0; i < jobs->count; i++) {
        if (jobs->list[i].rank == rank) {
            add(&w, i, jobs->list[i].start, jobs->list[i].end);
        }
    }
    draw_row(&w, d, "jobs", "Jobs, from the begin of the first kernel to the end of the last one.", draw_job);
    for (uint32_t i = 0; i < w.iterations.rows; i++) {
        const aiu_iteration *own = &w.iterations.row[i];
        add(&w, i, own->start, own->start + own->length);
    }
    draw_row(
        &w, d, "iterations",
        "Kernels that come in the same order again and again, from one begin of the loop to the next; the last one "
        "of a job until its last kernel ends.",
        draw_iteration);
    for (uint32_t e = 0; e < run->category_count; e++) {
        if (run->category[e] && run->events.rank[e] == rank && pf_aiu_is_slice(run, e)) {
            add(&w, e, run->events.ts[e], pf_aiu_end(run, e));
        }
    }
    draw_row(&w, d, "categories", "Kernels, named by the category of their operation in the compiler's log (-c).",
             draw_category);
}
