/* analyze/aiu/enriched/aiu_draw_ranks.c - what is drawn next to the recorded slices.
 *
 *     all ranks                      a group of its own, before all processes
 *         all ranks collectives      slices "0 AllReduce_1, rank 3 last", from the first arrival to the last end
 *         all ranks Coll_Bandwidth   and other counters of no single rank
 *         all ranks notes            where clocks contradict each other; the warnings of the log
 *     rank 0 analysis                a group below the process of each device
 *         rank 0 jobs, ...           what it did (aiu_draw_work.c)
 *         rank 0 collectives         slices "0 AllReduce_1" from arrival to end; in them "waits for rank 3"
 *         rank 0 Power, ...          the counters of the rank
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/aiu/enriched/aiu_enriched.h"
#include "analyze/support/order_stats.h"
#include "analyze/support/pass_memory.h"
#include "model/trace/trace.h"

/* The pid of counters of no single rank. */
#define ALL_RANKS (-1)

/* The samples of one counter: order[from, to), ascending by time. */
typedef struct counter {
    int64_t pid;
    uint32_t label, from, to;
    uint8_t series;
} counter;

typedef struct rank_drawing {
    aiu_enriched *x;
    aiu_run *run;
    pf_findings *f;
    pf_drawing d;
    aiu_collective_costs costs;
    aiu_rank_events moves;
    counter *counters;
    uint32_t counter_count, counter_room;
    uint32_t *order;  /* samples */
    double *last_end; /* by rank, us */
    aiu_bar *bars;    /* room for one of each collective */
    aiu_rank_jobs jobs;
} rank_drawing;

/* ---- counters ---------------------------------------------------------------------------------------------------- */

static bool same_counter(const aiu_samples *s, uint32_t a, uint32_t b)
{
    return s->pid[a] == s->pid[b] && s->series[a] == s->series[b] && s->label[a] == s->label[b];
}

/* The order of samples: by counter, then by time; as they were made at equal times. */
static bool sample_after(const void *ctx, uint32_t a, uint32_t b)
{
    const aiu_samples *s = ctx;
    if (!same_counter(s, a, b)) {
        return s->pid[a] != s->pid[b]         ? s->pid[a] > s->pid[b]
               : s->series[a] != s->series[b] ? s->series[a] > s->series[b]
                                              : s->label[a] > s->label[b];
    }
    return s->ts[a] > s->ts[b] || (!(s->ts[a] < s->ts[b]) && a > b);
}

static void list_counters(rank_drawing *w)
{
    const aiu_samples *s = &w->run->samples;
    uint32_t *scratch = pf_aiu_alloc(w->run, 2 * (size_t)s->count + 1, sizeof *scratch);
    if (!scratch) {
        return;
    }
    w->order = scratch + s->count;
    pf_order_rows(w->order, scratch, s->count, sample_after, s);
    for (uint32_t i = 0; i < s->count; i++) {
        uint32_t sample = w->order[i];
        if (i == 0 || !same_counter(s, w->order[i - 1], sample)) {
            if (AIU_ROOM(w->run, w->counters, w->counter_count + 1, w->counter_room)) {
                return;
            }
            w->counters[w->counter_count++] = (counter){s->pid[sample], s->label[sample], i, i, s->series[sample]};
        }
        w->counters[w->counter_count - 1].to = i + 1;
    }
}

static const char *describe_series(uint8_t series)
{
    static const char *const text[AIU_SERIES] = {
        [AIU_SERIES_PREPS] = "Kernels that are queued: slices Cmpt Prep that have begun and not ended.",
        [AIU_SERIES_POWER4] = "Mean power between the ends of two device operations (TS4): 12 * charge / 512 / time.",
        [AIU_SERIES_POWER3] = "Charge per cycle between the starts of two device operations (TS3), by type.",
        [AIU_SERIES_PT_ACTIVE] = "Use of the cores by a kernel: its ideal time from the compiler's log / its time.",
        [AIU_SERIES_TRANSFER_BW] = "Speed of a transfer between host and device, as the trace says it.",
        [AIU_SERIES_COLL_BW] = "Bytes between ranks of a collective (2 * (ranks - 1) * payload) / its time.",
        [AIU_SERIES_BW_ALLREDUCE] = "Payload of a collective / time from the slice before it to its last slice.",
        [AIU_SERIES_BW_PCIE] = "The same for all bytes between ranks: 2 * (ranks - 1) times as much.",
    };
    return text[series];
}

/* By rank: when its last device slice ends. */
static void find_last_ends(rank_drawing *w)
{
    aiu_run *run = w->run;
    w->last_end = pf_aiu_alloc(run, (size_t)run->ranks.count + 1, sizeof *w->last_end);
    for (uint32_t i = 0; w->last_end && i < run->alive; i++) {
        uint32_t e = run->order[i], rank = run->events.rank[e];
        if (pf_aiu_is_slice(run, e) && pf_aiu_is_device(run, e)) {
            w->last_end[rank] = fmax(w->last_end[rank], pf_aiu_end(run, e));
        }
    }
}

static void draw_counter(rank_drawing *w, const counter *c)
{
    const aiu_samples *s = &w->run->samples;
    const aiu_series_facts *facts = pf_aiu_series(c->series);
    pf_str label = pf_aiu_text_of(w->run, c->label);
    const char *name = label.ptr ? label.ptr : facts->name;
    uint32_t track = pf_drawing_counter(&w->d, name, facts->unit, NULL, describe_series(c->series));
    uint32_t rank = pf_map_get(&w->run->ranks.by_pid, (uint64_t)c->pid);
    for (uint32_t i = c->from; i < c->to; i++) {
        double value = s->value[w->order[i]];
        pf_overlay_sample(w->f, track, pf_aiu_nanoseconds(w->run, s->ts[w->order[i]]),
                          facts->whole ? value : pf_overlay_derived(value));
    }
    /* What a power sample says holds for an interval; the last one of a rank ends with the rank's last slice. */
    if (c->series == AIU_SERIES_POWER4 && rank != PF_NONE && w->last_end[rank] > s->ts[w->order[c->to - 1]]) {
        pf_overlay_sample(w->f, track, pf_aiu_nanoseconds(w->run, w->last_end[rank]), 0);
    }
}

/* Draws the counters of a pid; whether one of a series is among them. */
static bool draw_counters(rank_drawing *w, int64_t pid, aiu_series wanted)
{
    bool found = false;
    for (uint32_t i = 0; i < w->counter_count; i++) {
        if (w->counters[i].pid == pid) {
            draw_counter(w, &w->counters[i]);
            found |= w->counters[i].series == wanted;
        }
    }
    return found;
}

/* ---- collectives ------------------------------------------------------------------------------------------------- */

static pf_str bar_name(rank_drawing *w, const aiu_bar *b, const char *more)
{
    pf_str name = pf_aiu_collective_name(w->run, &w->costs.list[b->of]);
    return pf_findings_format(w->f, "%" PRIu32 " %.*s%s", b->of, PF_TEXT_ARG(name), more);
}

/* A rank in a collective, of which it is member b->part. */
static void draw_stay(void *ctx, uint32_t track, const aiu_bar *b)
{
    rank_drawing *w = ctx;
    const aiu_collective_cost *c = &w->costs.list[b->of];
    bool last = b->part == c->straggler && c->late_known;
    pf_aiu_draw_slice(w->f, track, b->at, bar_name(w, b, last ? ", came last" : ""));
    pf_overlay_arg_int(w->f, PF_STR("collective"), b->of);
    pf_overlay_arg_int(w->f, PF_STR("bytes"), (int64_t)c->bytes);
    if (!c->late_known) {
        return;
    }
    pf_overlay_arg_int(w->f, PF_STR("waited_ns"), c->last - b->at.start);
    if (c->last > b->at.start && c->last <= b->at.end) {
        pf_aiu_draw_slice(w->f, track, (pf_interval){b->at.start, c->last},
                          pf_findings_format(w->f, "waits for rank %" PRId64, pf_aiu_straggler(w->run, c)));
    }
}

/* By start, then by collective. */
static int compare_stays(const void *a, const void *b)
{
    const aiu_bar *x = a, *y = b;
    return x->at.start != y->at.start ? (x->at.start > y->at.start) - (x->at.start < y->at.start)
                                      : (x->of > y->of) - (x->of < y->of);
}

static pf_interval not_empty(int64_t start, int64_t end)
{
    return (pf_interval){start, end > start ? end : start + 1};
}

static void draw_stays(rank_drawing *w, int64_t pid)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < w->costs.count; i++) {
        const aiu_member *m = pf_aiu_member_of(w->run, &w->costs.list[i], pid);
        if (m) {
            pf_interval at = not_empty(pf_aiu_arrival(w->run, m), pf_aiu_leave(w->run, m));
            w->bars[n++] = (aiu_bar){at, i, (uint32_t)(m - w->run->exchange->members.list)};
        }
    }
    qsort(w->bars, n, sizeof *w->bars, compare_stays);
    pf_aiu_draw_bars(
        w->run, &w->d, "collectives",
        "Collectives of this rank, from the end of the kernel whose result it brings until it has the last "
        "piece. \"waits\" is the time until the last rank came.",
        w->bars, n, draw_stay, w);
}

static void draw_collective(void *ctx, uint32_t track, const aiu_bar *b)
{
    rank_drawing *w = ctx;
    const aiu_collective_cost *c = &w->costs.list[b->of];
    int64_t straggler = pf_aiu_straggler(w->run, c);
    pf_str last = pf_findings_format(w->f, ", rank %" PRId64 " last", straggler);
    pf_aiu_draw_slice(w->f, track, b->at, bar_name(w, b, c->late_known && last.ptr ? last.ptr : ""));
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

static void draw_collectives(rank_drawing *w)
{
    for (uint32_t i = 0; i < w->costs.count; i++) {
        w->bars[i] = (aiu_bar){not_empty(w->costs.list[i].start, w->costs.list[i].end), i, 0};
    }
    pf_aiu_draw_bars(w->run, &w->d, "collectives",
                     "Collectives, from the first rank that came to the last end. late_ns: how long after all others "
                     "the last one came; lost_ns: what all ranks waited together.",
                     w->bars, w->costs.count, draw_collective, w);
}

/* ---- groups ------------------------------------------------------------------------------------------------------ */

static void note_late(rank_drawing *w)
{
    const aiu_exchange *x = w->run->exchange;
    if (x && x->late && w->costs.count) {
        pf_drawing_note(
            &w->d, w->costs.list[0].start,
            pf_findings_format(w->f, "%" PRIu64 " transfers are received before they are sent: clocks are not level",
                               x->late));
    }
}

/* What the log warns of, at the begin of the capture. */
static void note_warnings(rank_drawing *w)
{
    const aiu_log *log = &w->run->log;
    for (uint32_t i = 0; i < log->count && w->run->set.compat == AIU_WANT; i++) {
        if (strcmp(log->line[i].level, "WARNING") == 0) {
            pf_drawing_note(&w->d, w->run->origin_ns, log->line[i].text);
        }
    }
}

static void draw_all_ranks(rank_drawing *w)
{
    const pf_overlay_track group = {.anchor = PF_ANCHOR_GLOBAL,
                                    .name = PF_STR("all ranks"),
                                    .description = PF_STR("What the ranks do together."),
                                    .rank = 0};
    pf_drawing_group(&w->d, &group, PF_STR("all ranks"));
    draw_collectives(w);
    if (!draw_counters(w, ALL_RANKS, AIU_SERIES_COLL_BW)) {
        pf_aiu_draw_collective_rates(w->run, &w->d, &w->costs);
    }
    note_late(w);
    note_warnings(w);
}

static void draw_rank(rank_drawing *w, int64_t pid)
{
    uint32_t upid = pf_aiu_process_of(w->x, pid);
    pf_str owner =
        pf_aiu_is_number(pid) ? pf_findings_format(w->f, "rank %" PRId64, pid) : pf_aiu_text_of(w->run, (uint32_t)pid);
    const pf_overlay_track group = {.anchor = upid == PF_NONE ? PF_ANCHOR_GLOBAL : PF_ANCHOR_PROCESS,
                                    .anchor_id = upid == PF_NONE ? 0 : upid,
                                    .name = pf_findings_format(w->f, "%.*s analysis", PF_TEXT_ARG(owner)),
                                    .description = PF_STR("What was found out about this rank's device.")};
    pf_drawing_group(&w->d, &group, owner);
    uint32_t rank = pf_map_get(&w->run->ranks.by_pid, (uint64_t)pid);
    if (rank != PF_NONE && w->run->set.compat == AIU_WANT) {
        pf_aiu_draw_work(w->run, &w->d, &w->jobs, rank);
    }
    draw_stays(w, pid);
    if (!draw_counters(w, pid, AIU_SERIES_TRANSFER_BW) && rank != PF_NONE) {
        pf_aiu_draw_moved_bytes(w->run, &w->d, &w->moves, rank);
    }
}

/* The ranks that have members of collectives, counters or jobs, ascending. */
static void draw_each_rank(rank_drawing *w)
{
    const aiu_exchange *x = w->run->exchange;
    size_t room = (size_t)(x ? x->members.count : 0) + w->counter_count + w->jobs.count + 1, n = 0;
    int64_t *pids = pf_aiu_alloc(w->run, 2 * room, sizeof *pids);
    if (!pids) {
        return;
    }
    for (uint32_t i = 0; i < w->costs.count; i++) {
        for (uint32_t k = 0; k < w->costs.list[i].ranks; k++) {
            pids[n++] = x->members.list[w->costs.list[i].first + k].pid;
        }
    }
    for (uint32_t i = 0; i < w->counter_count; i++) {
        pids[n++] = w->counters[i].pid;
    }
    for (uint32_t i = 0; i < w->jobs.count; i++) {
        pids[n++] = w->run->ranks.pid[w->jobs.list[i].rank];
    }
    pf_sort_times(pids, n, pids + room);
    for (size_t i = 0; i < n; i++) {
        if (pids[i] != ALL_RANKS && (i == 0 || pids[i] != pids[i - 1])) {
            draw_rank(w, pids[i]);
        }
    }
}

void pf_aiu_draw_ranks(aiu_enriched *x)
{
    aiu_run *run = x->run;
    rank_drawing w = {.x = x, .run = run, .f = run->findings};
    w.d = (pf_drawing){.f = w.f, .arena = (pf_arena *)run->ctx->arena};
    pf_aiu_collective_costs_read(run, &w.costs);
    list_counters(&w);
    find_last_ends(&w);
    pf_aiu_rank_events_read(run, pf_aiu_moves_bytes, &w.moves);
    if (run->set.compat == AIU_WANT) {
        pf_aiu_rank_jobs_read(run, &w.jobs);
    }
    w.bars = pf_aiu_alloc(run, (size_t)w.costs.count + 1, sizeof *w.bars);
    if (w.bars) {
        draw_all_ranks(&w);
        draw_each_rank(&w);
    }
}
