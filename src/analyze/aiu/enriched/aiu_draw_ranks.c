/* analyze/aiu/enriched/aiu_draw_ranks.c - what is drawn next to the recorded slices.
 *
 *     all ranks                           a group of its own, before all processes
 *         all ranks collectives           slices "0 AllReduce_1, rank 3 last", from the first arrival to the last end
 *         all ranks notes                 where clocks contradict each other; the warnings of the log
 *         all ranks collective bandwidth
 *         rank 0 power, rank 1 power, ... where several ranks have counters: each kind on one scale
 *     rank 0 analysis                     a group below the process of each device
 *         rank 0 jobs, iterations, ...    what it did
 *         rank 0 collectives              slices "0 AllReduce_1" from arrival to end; in them "waits for rank 3"
 *         rank 0 power, ...               counters, where no other rank has some
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/aiu/enriched/aiu_enriched.h"
#include "analyze/aiu/steps/aiu_steps.h"
#include "analyze/support/order_stats.h"
#include "analyze/support/pass_memory.h"
#include "base/ordering.h"

/* A slice that is to be drawn; `of` and `part` say what it shows. */
typedef struct bar {
    pf_interval at;
    uint32_t of, part;
} bar;

typedef struct rank_drawing {
    aiu_enriched *x;
    aiu_run *run;
    pf_findings *f;
    pf_drawing d;
    aiu_collective_costs costs;
    aiu_counters counters;
    aiu_rank_jobs jobs;
    int64_t *pids;                /* of ranks that have something to draw, ascending */
    uint32_t rank_count, counted; /* of them: those with counters */
    aiu_iterations iterations;    /* of the rank in hand */
    bar *bars;                    /* of the row in hand */
    uint32_t count, room;
} rank_drawing;

static void draw_slice(rank_drawing *w, uint32_t track, pf_interval at, pf_str name)
{
    pf_overlay_slice(w->f, track, at.start, at.end - at.start, name);
}

static void add_bar(rank_drawing *w, uint32_t of, uint32_t part, pf_interval at)
{
    if (AIU_ROOM(w->run, w->bars, w->count + 1, w->room) == PF_OK) {
        w->bars[w->count++] = (bar){at, of, part};
    }
}

/* By start, longer ones first. */
PF_ORDER(compare_bars, bar, PF_UP(at.start), PF_DOWN(at.end));

/* By start, then by collective. */
PF_ORDER(compare_stays, bar, PF_UP(at.start), PF_UP(of));

/* Rows "OWNER WHAT" with the bars that were added, apart where they overlap; `draw` puts each on its track. */
static void draw_row(rank_drawing *w, const char *what, const char *description,
                     int (*compare)(const void *, const void *), void (*draw)(rank_drawing *, uint32_t, const bar *))
{
    const uint32_t *lane;
    uint32_t first = PF_NONE;
    pf_interval *intervals = pf_aiu_alloc(w->run, (size_t)w->count + 1, sizeof *intervals);
    if (w->count > 1) {
        qsort(w->bars, w->count, sizeof *w->bars, compare);
    }
    for (uint32_t i = 0; intervals && i < w->count; i++) {
        intervals[i] = w->bars[i].at;
    }
    first = intervals ? pf_drawing_lanes(&w->d, what, description, intervals, w->count, &lane) : first;
    for (uint32_t i = 0; i < w->count && first != PF_NONE; i++) {
        draw(w, first + lane[i], &w->bars[i]);
    }
    w->count = 0;
}

/* `busy` in us. */
static void put_args(rank_drawing *w, uint32_t kernels, double busy)
{
    pf_overlay_arg_int(w->f, PF_STR("kernels"), kernels);
    pf_overlay_arg_derived(w->f, PF_STR("busy_us"), busy);
}

static void draw_job(rank_drawing *w, uint32_t track, const bar *b)
{
    const aiu_rank_job *j = &w->jobs.list[b->of];
    draw_slice(w, track, b->at, w->run->jobs[j->job].name);
    put_args(w, j->kernels, j->busy);
}

static void draw_iteration(rank_drawing *w, uint32_t track, const bar *b)
{
    const aiu_iteration *own = &w->iterations.row[b->of];
    draw_slice(w, track, b->at,
               pf_findings_format(w->f, own->counted ? "%u" : "%u, until its last kernel ends", b->of));
    pf_overlay_arg_text(w->f, PF_STR("job"), w->run->jobs[own->job].name);
    put_args(w, w->iterations.kernels, own->busy);
}

static void draw_category(rank_drawing *w, uint32_t track, const bar *b)
{
    draw_slice(w, track, b->at, pf_aiu_text_of(w->run, w->run->category[b->of]));
}

/* Jobs, iterations, and kernels by the category of their operation. */
static void draw_work(rank_drawing *w, uint32_t rank)
{
    const aiu_run *run = w->run;
    w->iterations = pf_aiu_iterations_of(run, rank);
    for (uint32_t i = 0; i < w->jobs.count; i++) {
        if (w->jobs.list[i].rank == rank) {
            add_bar(w, i, 0, pf_aiu_interval(run, w->jobs.list[i].start, w->jobs.list[i].end));
        }
    }
    draw_row(w, "jobs", "Jobs, from the start of the first kernel to the end of the last one.", compare_bars, draw_job);
    for (uint32_t i = 0; i < w->iterations.rows; i++) {
        const aiu_iteration *own = &w->iterations.row[i];
        add_bar(w, i, 0, pf_aiu_interval(run, own->start, own->start + own->length));
    }
    draw_row(w, "iterations",
             "Kernels that come in the same order again and again, from one beginning of the loop to the next; the "
             "last one of a job until its last kernel ends.",
             compare_bars, draw_iteration);
    for (uint32_t e = 0; e < run->category_count; e++) {
        if (run->category[e] && run->events.rank[e] == rank && pf_aiu_is_slice(run, e)) {
            add_bar(w, e, 0, pf_aiu_interval(run, run->events.ts[e], pf_aiu_end(run, e)));
        }
    }
    draw_row(w, "categories", "Kernels, named by the category of their operation in the compiler's log (-c).",
             compare_bars, draw_category);
}

/* Gaps of a rank by their cause, and a row below of what the launching threads did in them. */
static void draw_gaps(rank_drawing *w, uint32_t rank)
{
    static const char *const keys[] = {"before", "after", "launch"};
    const aiu_gaps *gaps = pf_aiu_gaps_read(w->run);
    uint32_t track = PF_NONE, host = PF_NONE;
    uint32_t from = gaps->count ? gaps->first[rank] : 0, to = gaps->count ? gaps->first[rank + 1] : 0;
    if (from < to) {
        track = pf_drawing_slices(&w->d, "gaps",
                                  "Times without a kernel or a transfer, by cause: host-bound until what follows was "
                                  "launched, then the device's; 1 us or more, without a part of the host 10 us.");
    }
    for (uint32_t i = from; i < to; i++) {
        const aiu_gap *gap = &gaps->list[i];
        const uint32_t events[] = {gap->before, gap->after, gap->launch};
        draw_slice(w, track, gap->time, pf_str_of(pf_aiu_gap_cause(gap)));
        pf_overlay_arg_int(w->f, PF_STR("host_bound_ns"), (int64_t)gap->host);
        for (unsigned k = 0; k < 3; k++) {
            if (events[k] != PF_NONE) {
                pf_overlay_arg_text(w->f, pf_str_of(keys[k]), pf_aiu_text_of(w->run, w->run->events.name[events[k]]));
            }
        }
    }
    for (uint32_t i = from; i < to; i++) {
        if (gaps->list[i].thread != PF_NONE) {
            host = host == PF_NONE ? pf_drawing_slices(&w->d, "host", pf_schedule_row) : host;
            pf_schedule_draw(&gaps->schedule, host, gaps->list[i].thread, pf_aiu_window(&gaps->list[i]),
                             gaps->list[i].later);
        }
    }
}

static pf_str bar_name(rank_drawing *w, const bar *b, const char *more)
{
    pf_str name = pf_aiu_collective_name(w->run, &w->costs.list[b->of]);
    return pf_findings_format(w->f, "%" PRIu32 " %.*s%s", b->of, PF_TEXT_ARG(name), more);
}

/* A rank in a collective, of which it is member b->part. */
static void draw_stay(rank_drawing *w, uint32_t track, const bar *b)
{
    const aiu_collective_cost *c = &w->costs.list[b->of];
    bool last = b->part == c->straggler && c->late_known;
    draw_slice(w, track, b->at, bar_name(w, b, last ? ", arrived last" : ""));
    pf_overlay_arg_int(w->f, PF_STR("collective"), b->of);
    pf_overlay_arg_int(w->f, PF_STR("bytes"), (int64_t)c->bytes);
    if (c->late_known) {
        pf_overlay_arg_int(w->f, PF_STR("waited_ns"), c->last - b->at.start);
    }
    if (c->late_known && c->last > b->at.start && c->last <= b->at.end) {
        draw_slice(w, track, (pf_interval){b->at.start, c->last},
                   pf_findings_format(w->f, "waits for rank %" PRId64, pf_aiu_straggler(w->run, c)));
    }
}

static void draw_collective(rank_drawing *w, uint32_t track, const bar *b)
{
    const aiu_collective_cost *c = &w->costs.list[b->of];
    int64_t straggler = pf_aiu_straggler(w->run, c);
    pf_str last = c->late_known ? pf_findings_format(w->f, ", rank %" PRId64 " last", straggler) : PF_STR("");
    draw_slice(w, track, b->at, bar_name(w, b, last.ptr ? last.ptr : ""));
    pf_overlay_arg_int(w->f, PF_STR("ranks"), c->ranks);
    pf_overlay_arg_int(w->f, PF_STR("bytes"), (int64_t)c->bytes);
    if (c->rate_known) {
        pf_overlay_arg_derived(w->f, PF_STR("gb_per_s"), pf_aiu_collective_rate(c));
    }
    if (c->late_known) {
        pf_overlay_arg_int(w->f, PF_STR("straggler"), straggler);
        pf_overlay_arg_int(w->f, PF_STR("late_ns"), c->last - c->before);
        pf_overlay_arg_int(w->f, PF_STR("lost_ns"), c->lost);
    }
}

/* Where clocks contradict each other, and what the log warns of, at the begin of what is drawn. */
static void note_warnings(rank_drawing *w)
{
    aiu_run *run = w->run;
    const aiu_log *log = &run->log;
    uint64_t late = run->exchange && w->costs.count ? run->exchange->late : 0;
    double begin = INFINITY;
    if (late) {
        pf_drawing_note(&w->d, w->costs.list[0].start,
                        pf_findings_format(w->f,
                                           "%" PRIu64 " transfers are received before they are sent: clocks are not "
                                           "synchronised",
                                           late));
    }
    for (uint32_t i = 0, e; pf_aiu_next(run, pf_aiu_is_any_slice, &i, &e);) {
        begin = fmin(begin, run->events.ts[e] + pf_aiu_host_shift(run, e));
    }
    for (uint32_t i = 0; i < log->count && !pf_aiu_rule(run, AIU_LOG_ALONE); i++) {
        if (strcmp(log->line[i].level, "WARNING") == 0) {
            pf_drawing_note(&w->d, pf_aiu_nanoseconds(run, isinf(begin) ? 0 : begin), log->line[i].text);
        }
    }
}

/* Counters of ranks, in the order of their rows. Viewers draw counters of one group on one scale: those of several
 * ranks are in the group of all. */
static const aiu_series of_ranks[] = {AIU_SERIES_POWER4, AIU_SERIES_POWER3, AIU_SERIES_PT_ACTIVE,
                                      AIU_SERIES_TRANSFER_BW, AIU_SERIES_PREPS};

static pf_str rank_name(rank_drawing *w, int64_t pid)
{
    return pf_aiu_is_number(pid) ? pf_findings_format(w->f, "rank %" PRId64, pid)
                                 : pf_aiu_text_of(w->run, (uint32_t)pid);
}

static void draw_all_ranks(rank_drawing *w)
{
    const pf_overlay_track group = {.anchor = PF_ANCHOR_GLOBAL,
                                    .name = PF_STR("all ranks"),
                                    .description = PF_STR("What the ranks do together, and counters of several ranks "
                                                          "next to each other, each kind on one scale."),
                                    .rank = 0};
    pf_drawing_group(&w->d, &group, PF_STR("all ranks"));
    for (uint32_t i = 0; i < w->costs.count; i++) {
        add_bar(w, i, 0, pf_aiu_not_empty(w->costs.list[i].start, w->costs.list[i].end));
    }
    draw_row(w, "collectives",
             "Collectives, from the first rank that arrived to the last end. late_ns: how long after all others the "
             "last one arrived; lost_ns: what all ranks waited together.",
             compare_stays, draw_collective);
    note_warnings(w);
    if (w->costs.count) {
        pf_aiu_draw_collective_rates(&w->counters, &w->costs);
    } else {
        pf_aiu_draw_counters(&w->counters, AIU_SERIES_COLL_BW, AIU_ALL_RANKS);
    }
    for (size_t k = 0; w->counted > 1 && k < sizeof of_ranks / sizeof *of_ranks; k++) {
        for (uint32_t i = 0; i < w->rank_count; i++) {
            w->d.owner = rank_name(w, w->pids[i]);
            pf_aiu_draw_counters(&w->counters, of_ranks[k], w->pids[i]);
        }
    }
}

static void draw_rank(rank_drawing *w, int64_t pid)
{
    uint32_t upid = pf_aiu_process_of(w->x, pid), rank = pf_map_get(w->run->ranks.by_pid, (uint64_t)pid);
    pf_str owner = rank_name(w, pid);
    const pf_overlay_track group = {.anchor = upid == PF_NONE ? PF_ANCHOR_GLOBAL : PF_ANCHOR_PROCESS,
                                    .anchor_id = upid == PF_NONE ? 0 : upid,
                                    .name = pf_findings_format(w->f, "%.*s analysis", PF_TEXT_ARG(owner)),
                                    .description = PF_STR("What was found out about this rank's device.")};
    pf_drawing_group(&w->d, &group, owner);
    if (rank != PF_NONE && !pf_aiu_rule(w->run, AIU_LOG_ALONE)) {
        draw_work(w, rank);
        draw_gaps(w, rank);
    }
    for (uint32_t i = 0; i < w->costs.count; i++) {
        const aiu_member *m = pf_aiu_member_of(w->run, &w->costs.list[i], pid);
        if (m) {
            pf_interval at = pf_aiu_not_empty(pf_aiu_arrival(w->run, m), pf_aiu_leave(w->run, m));
            add_bar(w, i, (uint32_t)(m - w->run->exchange->members.list), at);
        }
    }
    draw_row(w, "collectives",
             "Collectives of this rank, from the end of the kernel whose result it brings until it has the last "
             "piece. \"waits\" is the time until the last rank arrived.",
             compare_stays, draw_stay);
    for (size_t k = 0; w->counted == 1 && k < sizeof of_ranks / sizeof *of_ranks; k++) {
        pf_aiu_draw_counters(&w->counters, of_ranks[k], pid);
    }
}

/* The ranks that have members of collectives, counters or jobs, ascending, and how many have counters. */
static void list_ranks(rank_drawing *w)
{
    const aiu_exchange *x = w->run->exchange;
    const aiu_ranks *all = &w->run->ranks;
    size_t room = (size_t)(x ? x->members.count : 0) + w->counters.count + w->jobs.count + all->count + 1, n = 0;
    int64_t *pids = w->pids = pf_aiu_alloc(w->run, 2 * room, sizeof *pids);
    for (uint32_t i = 0; pids && i < w->costs.count; i++) {
        for (uint32_t k = 0; k < w->costs.list[i].ranks; k++) {
            pids[n++] = x->members.list[w->costs.list[i].first + k].pid;
        }
    }
    for (uint32_t i = 0; pids && i < w->counters.count; i++) {
        pids[n++] = w->counters.list[i].pid;
    }
    for (uint32_t i = 0; pids && i < w->jobs.count; i++) {
        pids[n++] = all->pid[w->jobs.list[i].rank];
    }
    for (uint32_t r = 0; pids && r < all->count; r++) {
        pids[n] = all->pid[r];
        n += pf_aiu_has_counters(&w->counters, all->pid[r]);
    }
    if (pids) {
        pf_sort_times(pids, n, pids + room);
    }
    for (size_t i = 0; i < n; i++) {
        if (pids[i] != AIU_ALL_RANKS && (w->rank_count == 0 || pids[i] != pids[w->rank_count - 1])) {
            pids[w->rank_count++] = pids[i];
            w->counted += pf_aiu_has_counters(&w->counters, pids[i]);
        }
    }
}

void pf_aiu_draw_ranks(aiu_enriched *x)
{
    aiu_run *run = x->run;
    rank_drawing w = {.x = x, .run = run, .f = run->findings};
    w.d = (pf_drawing){.f = w.f, .arena = (pf_arena *)run->ctx->arena};
    pf_aiu_collective_costs_read(run, &w.costs);
    pf_aiu_counters_read(run, &w.d, &w.counters);
    if (!pf_aiu_rule(run, AIU_LOG_ALONE)) {
        pf_aiu_rank_jobs_read(run, &w.jobs);
    }
    if (!pf_aiu_failed(run)) {
        list_ranks(&w);
        draw_all_ranks(&w);
        for (uint32_t i = 0; i < w.rank_count; i++) {
            draw_rank(&w, w.pids[i]);
        }
    }
}
