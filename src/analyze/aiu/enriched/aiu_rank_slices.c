/* analyze/aiu/enriched/aiu_rank_slices.c - what a rank did, as slices: its jobs, its iterations, and its kernels by the
 * category of their operation, which compiler logs (-c) say.
 */
#include <stdlib.h>

#include "analyze/aiu/enriched/aiu_enriched.h"
#include "analyze/aiu/stages/aiu_iterations.h"

/* A slice to be. */
typedef struct piece {
    pf_interval at;
    pf_str name;
    uint32_t job, kernels;
    double busy; /* us; less than 0: nothing to say besides the name */
} piece;

typedef struct pieces {
    aiu_run *run;
    pf_drawing *d;
    piece *list;
    pf_interval *intervals;
    uint32_t count;
} pieces;

static int compare_pieces(const void *a, const void *b)
{
    const pf_interval *x = &((const piece *)a)->at, *y = &((const piece *)b)->at;
    return x->start != y->start ? (x->start > y->start) - (x->start < y->start) : (x->end < y->end) - (x->end > y->end);
}

static bool start(pieces *p, aiu_run *run, pf_drawing *d, uint32_t room)
{
    pf_error err = {0};
    *p = (pieces){.run = run, .d = d, .list = pf_pass_alloc(run->ctx, (size_t)room + 1, sizeof *p->list, &err)};
    p->intervals = p->list ? pf_pass_alloc(run->ctx, (size_t)room + 1, sizeof *p->intervals, &err) : NULL;
    if (!p->intervals) {
        pf_findings_fail(run->findings, &err);
    }
    return p->intervals;
}

static void add(pieces *p, double from, double to, piece like)
{
    like.at = (pf_interval){pf_aiu_nanoseconds(p->run, from), pf_aiu_nanoseconds(p->run, to)};
    like.at.end = like.at.end > like.at.start ? like.at.end : like.at.start + 1;
    p->list[p->count++] = like;
}

static void draw(pieces *p, const char *what, const char *description)
{
    pf_findings *f = p->run->findings;
    const uint32_t *lane;
    if (p->count > 1) {
        qsort(p->list, p->count, sizeof *p->list, compare_pieces);
    }
    for (uint32_t i = 0; i < p->count; i++) {
        p->intervals[i] = p->list[i].at;
    }
    uint32_t first = pf_drawing_lanes(p->d, what, description, p->intervals, p->count, &lane);
    for (uint32_t i = 0; i < p->count && first != PF_NONE; i++) {
        const piece *own = &p->list[i];
        pf_overlay_slice(f, first + lane[i], own->at.start, own->at.end - own->at.start, own->name);
        if (own->busy >= 0) {
            pf_str job = p->run->jobs[own->job].name;
            if (job.ptr != own->name.ptr) {
                pf_overlay_arg_text(f, PF_STR("job"), job);
            }
            pf_overlay_arg_int(f, PF_STR("kernels"), own->kernels);
            pf_overlay_arg_derived(f, PF_STR("busy_us"), own->busy);
        }
    }
}

static void draw_jobs(aiu_run *run, pf_drawing *d, uint32_t rank, const aiu_job_row *jobs, uint32_t count)
{
    pieces p;
    for (uint32_t i = start(&p, run, d, count) ? 0 : count; i < count; i++) {
        const aiu_job_row *j = &jobs[i];
        if (j->rank == rank) {
            add(&p, j->start, j->end, (piece){.name = run->jobs[j->job].name, j->job, j->kernels, .busy = j->busy});
        }
    }
    draw(&p, "jobs", "Jobs, from the begin of the first kernel to the end of the last one.");
}

static void draw_iterations(aiu_run *run, pf_drawing *d, uint32_t rank)
{
    static const aiu_iterations none = {0};
    const aiu_iterations *it = run->iterations ? &run->iterations[rank] : &none;
    pieces p;
    for (uint32_t i = start(&p, run, d, it->rows) ? 0 : it->rows; i < it->rows; i++) {
        const aiu_iteration *own = &it->row[i];
        pf_str name = pf_findings_format(run->findings, own->counted ? "%u" : "%u, until its last kernel ends", i);
        add(&p, own->start, own->start + own->length, (piece){.name = name, own->job, it->kernels, .busy = own->busy});
    }
    draw(&p, "iterations",
         "Kernels that come in the same order again and again, from one begin of the loop to the next; the last one of "
         "a "
         "job until its last kernel ends.");
}

static void draw_categories(aiu_run *run, pf_drawing *d, uint32_t rank)
{
    uint32_t kernels = 0;
    pieces p;
    for (uint32_t e = 0; e < run->category_count; e++) {
        kernels += run->category[e] && run->events.rank[e] == rank;
    }
    for (uint32_t e = start(&p, run, d, kernels) ? 0 : run->category_count; e < run->category_count; e++) {
        if (run->category[e] && run->events.rank[e] == rank && pf_aiu_is_slice(run, e)) {
            pf_str name = pf_aiu_text_of(run, run->category[e]);
            add(&p, run->events.ts[e], pf_aiu_end(run, e), (piece){.name = name, .busy = -1});
        }
    }
    draw(&p, "categories", "Kernels, named by the category of their operation in the compiler's log (-c).");
}

void pf_aiu_draw_slices(aiu_run *run, pf_drawing *d, uint32_t rank, const aiu_job_row *jobs, uint32_t count)
{
    draw_jobs(run, d, rank, jobs, count);
    draw_iterations(run, d, rank);
    draw_categories(run, d, rank);
}
