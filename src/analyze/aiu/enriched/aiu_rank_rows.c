/* analyze/aiu/enriched/aiu_rank_rows.c - what is drawn besides the recorded slices.
 *
 *     all ranks                      a group of its own, before all processes
 *         all ranks collectives      slices "0 AllReduce_1, rank 3 last", from the first arrival to the last end
 *         all ranks Coll_Bandwidth   and other counters of no single rank
 *         all ranks notes            where clocks contradict each other; the warnings of the log
 *     rank 0 analysis                a group below the process of each device
 *         rank 0 jobs, ...           what it did (aiu_rank_slices.c)
 *         rank 0 collectives         slices "0 AllReduce_1" from arrival to end; in them "waits for rank 3"
 *         rank 0 Power, ...          the counters of the rank
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/aiu/enriched/aiu_enriched.h"
#include "analyze/aiu/enriched/aiu_rate_rows.h"
#include "analyze/support/drawing.h"
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

/* A stay of a rank in a meeting. */
typedef struct stay {
    int64_t pid, start, end;
    uint32_t meeting;
    bool last; /* it came last */
} stay;

typedef struct rank_drawing {
    aiu_enriched *x;
    aiu_run *run;
    pf_findings *f;
    pf_drawing d;
    aiu_meetings meetings;
    aiu_moves moves;
    counter *counters;
    uint32_t counter_count;
    uint32_t *order;  /* samples */
    double *last_end; /* by rank, us */
    stay *stays;      /* by pid, then start */
    uint32_t stay_count;
    aiu_job_row *jobs;
    uint32_t job_count;
    aiu_key *ranks; /* that have jobs, ascending by pid */
    uint32_t rank_count;
} rank_drawing;

/* ---- counters ---------------------------------------------------------------------------------------------------- */

#define COMPARE(a, b)                                                                                                  \
    if ((a) != (b)) {                                                                                                  \
        return (a) < (b) ? -1 : 1;                                                                                     \
    }

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
    for (uint32_t i = 0; i < s->count; i++) {
        uint32_t sample = w->order[i];
        if (i == 0 || !same_counter(s, w->order[i - 1], sample)) {
            w->counters[w->counter_count++] = (counter){s->pid[sample], s->label[sample], i, i, s->series[sample]};
        }
        w->counters[w->counter_count - 1].to = i + 1;
    }
}

static pf_status group_samples(rank_drawing *w, pf_error *err)
{
    const aiu_samples *s = &w->run->samples;
    size_t bytes = ((size_t)s->count + 1) * sizeof(uint32_t), counters = 0;
    uint32_t *scratch = pf_alloc(w->run->budget, bytes);
    w->order = scratch ? pf_pass_alloc(w->run->ctx, (size_t)s->count + 1, sizeof *w->order, err) : NULL;
    if (!w->order) {
        pf_release(w->run->budget, scratch, scratch ? bytes : 0);
        return scratch ? err->code : pf_budget_refused(w->run->budget, bytes, err);
    }
    for (uint32_t i = 0; i < s->count; i++) {
        w->order[i] = i;
    }
    pf_sort_rows(w->order, scratch, s->count, sample_after, s);
    pf_release(w->run->budget, scratch, bytes);
    for (uint32_t i = 0; i < s->count; i++) {
        counters += i == 0 || !same_counter(s, w->order[i - 1], w->order[i]);
    }
    w->counters = pf_pass_alloc(w->run->ctx, counters + 1, sizeof *w->counters, err);
    if (!w->counters) {
        return err->code;
    }
    list_counters(w);
    return PF_OK;
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
static pf_status find_last_ends(rank_drawing *w, pf_error *err)
{
    const aiu_run *run = w->run;
    w->last_end = pf_pass_alloc(run->ctx, (size_t)run->ranks.count + 1, sizeof *w->last_end, err);
    for (uint32_t i = 0; w->last_end && i < run->alive; i++) {
        uint32_t e = run->order[i], rank = run->events.rank[e];
        if (pf_aiu_is_slice(run, e) && pf_aiu_is_device(run, e)) {
            w->last_end[rank] = fmax(w->last_end[rank], pf_aiu_end(run, e));
        }
    }
    return w->last_end ? PF_OK : err->code;
}

/* What a power sample says holds for an interval; the last one of a rank ends with the rank's last slice. */
static void close_power(rank_drawing *w, const counter *c, uint32_t track)
{
    uint32_t rank = pf_map_get(&w->run->ranks.by_pid, (uint64_t)c->pid);
    if (rank != PF_NONE && w->last_end[rank] > w->run->samples.ts[w->order[c->to - 1]]) {
        pf_overlay_sample(w->f, track, pf_aiu_nanoseconds(w->run, w->last_end[rank]), 0);
    }
}

static void draw_counter(rank_drawing *w, const counter *c)
{
    const aiu_samples *s = &w->run->samples;
    const aiu_series_facts *facts = pf_aiu_series(c->series);
    pf_str label = pf_aiu_text_of(w->run, c->label);
    const char *name = label.ptr ? label.ptr : facts->name;
    uint32_t track = pf_drawing_counter(&w->d, name, facts->unit, NULL, describe_series(c->series));
    for (uint32_t i = c->from; i < c->to; i++) {
        double value = s->value[w->order[i]];
        pf_overlay_sample(w->f, track, pf_aiu_nanoseconds(w->run, s->ts[w->order[i]]),
                          facts->whole ? value : pf_overlay_derived(value));
    }
    if (c->series == AIU_SERIES_POWER4) {
        close_power(w, c, track);
    }
}

/* Draws counters [from, to), which are of one pid; whether one of a series is among them. */
static bool draw_counters(rank_drawing *w, uint32_t from, uint32_t to, aiu_series wanted)
{
    bool found = false;
    for (uint32_t i = from; i < to; i++) {
        draw_counter(w, &w->counters[i]);
        found |= w->counters[i].series == wanted;
    }
    return found;
}

static void draw_rank_counters(rank_drawing *w, int64_t pid, uint32_t from, uint32_t to)
{
    bool said = draw_counters(w, from, to, AIU_SERIES_TRANSFER_BW);
    uint32_t rank = pf_map_get(&w->run->ranks.by_pid, (uint64_t)pid);
    if (!said && rank != PF_NONE) {
        pf_aiu_draw_moves(w->run, &w->d, &w->moves, rank);
    }
}

/* ---- stays ------------------------------------------------------------------------------------------------------- */

static int compare_stays(const void *p, const void *q)
{
    const stay *a = p, *b = q;
    COMPARE(a->pid, b->pid)
    COMPARE(a->start, b->start)
    return (a->meeting > b->meeting) - (a->meeting < b->meeting);
}

static pf_status list_stays(rank_drawing *w, pf_error *err)
{
    uint32_t room = w->run->exchange ? w->run->exchange->members.count : 0;
    w->stays = pf_pass_alloc(w->run->ctx, (size_t)room + 1, sizeof *w->stays, err);
    for (uint32_t i = 0; w->stays && i < w->meetings.count; i++) {
        const aiu_meeting *m = &w->meetings.list[i];
        for (uint32_t k = m->first; k < m->first + m->ranks; k++) {
            const aiu_member *own = &w->run->exchange->members.list[k];
            int64_t start = pf_aiu_arrival(w->run, own), end = pf_aiu_leave(w->run, own);
            w->stays[w->stay_count++] = (stay){own->pid, start, end > start ? end : start + 1, i, k == m->straggler};
        }
    }
    if (w->stay_count > 1) {
        qsort(w->stays, w->stay_count, sizeof *w->stays, compare_stays);
    }
    return w->stays ? PF_OK : err->code;
}

static pf_str stay_name(rank_drawing *w, uint32_t meeting, const char *more)
{
    pf_str name = pf_aiu_meeting_name(w->run, &w->meetings.list[meeting]);
    return pf_pass_text(w->d.arena, w->f, "%" PRIu32 " %.*s%s", meeting, PF_TEXT_ARG(name), more);
}

static int64_t straggler_of(const rank_drawing *w, const aiu_meeting *m)
{
    return w->run->exchange->members.list[m->straggler].pid;
}

static void draw_stay(rank_drawing *w, uint32_t track, const stay *s)
{
    const aiu_meeting *m = &w->meetings.list[s->meeting];
    bool last = s->last && m->late_told;
    pf_overlay_slice(w->f, track, s->start, s->end - s->start, stay_name(w, s->meeting, last ? ", came last" : ""));
    pf_overlay_arg_int(w->f, PF_STR("collective"), s->meeting);
    pf_overlay_arg_int(w->f, PF_STR("bytes"), (int64_t)m->bytes);
    if (!m->late_told) {
        return;
    }
    pf_overlay_arg_int(w->f, PF_STR("waited_ns"), m->last - s->start);
    if (m->last > s->start && m->last <= s->end) {
        pf_overlay_slice(w->f, track, s->start, m->last - s->start,
                         pf_pass_text(w->d.arena, w->f, "waits for rank %" PRId64, straggler_of(w, m)));
    }
}

/* Lays intervals out so that those that overlap are on rows of their own. */
static uint32_t make_lanes(rank_drawing *w, const char *what, const char *description, const stay *list, uint32_t n,
                           const uint32_t **lane)
{
    pf_error err = {0};
    pf_interval *intervals = pf_pass_alloc(w->run->ctx, (size_t)n + 1, sizeof *intervals, &err);
    if (!intervals) {
        pf_findings_fail(w->f, &err);
        return PF_NONE;
    }
    for (uint32_t i = 0; i < n; i++) {
        intervals[i] = (pf_interval){list[i].start, list[i].end};
    }
    return pf_drawing_lanes(&w->d, what, description, intervals, n, lane);
}

static void draw_stays(rank_drawing *w, const stay *list, uint32_t n)
{
    const uint32_t *lane;
    uint32_t first = make_lanes(w, "collectives",
                                "Collectives of this rank, from the end of the kernel whose result it brings until it "
                                "has the last piece. \"waits\" is the time until the last rank came.",
                                list, n, &lane);
    for (uint32_t i = 0; i < n && first != PF_NONE; i++) {
        draw_stay(w, first + lane[i], &list[i]);
    }
}

/* ---- groups ------------------------------------------------------------------------------------------------------ */

static void draw_meetings(rank_drawing *w)
{
    uint32_t n = w->meetings.count;
    pf_error err = {0};
    const uint32_t *lane;
    stay *whole = pf_pass_alloc(w->run->ctx, (size_t)n + 1, sizeof *whole, &err);
    if (!whole || !n) {
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        const aiu_meeting *m = &w->meetings.list[i];
        whole[i] = (stay){0, m->start, m->end > m->start ? m->end : m->start + 1, i, false};
    }
    uint32_t first = make_lanes(w, "collectives",
                                "Collectives, from the first rank that came to the last end. late_ns: how long after "
                                "all others the last one came; lost_ns: what all ranks waited together.",
                                whole, n, &lane);
    for (uint32_t i = 0; i < n && first != PF_NONE; i++) {
        const aiu_meeting *m = &w->meetings.list[i];
        pf_str last = pf_pass_text(w->d.arena, w->f, ", rank %" PRId64 " last", straggler_of(w, m));
        pf_overlay_slice(w->f, first + lane[i], whole[i].start, whole[i].end - whole[i].start,
                         stay_name(w, i, m->late_told && last.ptr ? last.ptr : ""));
        pf_overlay_arg_int(w->f, PF_STR("ranks"), m->ranks);
        pf_overlay_arg_int(w->f, PF_STR("bytes"), (int64_t)m->bytes);
        if (m->rate_told) {
            pf_overlay_arg_derived(w->f, PF_STR("gb_per_s"), pf_aiu_meeting_rate(m));
        }
        if (!m->late_told) {
            continue;
        }
        pf_overlay_arg_int(w->f, PF_STR("straggler"), straggler_of(w, m));
        pf_overlay_arg_int(w->f, PF_STR("late_ns"), m->last - m->before);
        pf_overlay_arg_int(w->f, PF_STR("lost_ns"), m->lost);
    }
}

static void note_late(rank_drawing *w)
{
    const aiu_exchange *x = w->run->exchange;
    if (x && x->late && w->meetings.count) {
        pf_drawing_note(&w->d, w->meetings.list[0].start,
                        pf_pass_text(w->d.arena, w->f,
                                     "%" PRIu64 " transfers are received before they are sent: clocks are not level",
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
    draw_meetings(w);
    uint32_t from = 0, to = 0;
    while (from < w->counter_count && w->counters[from].pid < ALL_RANKS) {
        from++;
    }
    for (to = from; to < w->counter_count && w->counters[to].pid == ALL_RANKS; to++) {
    }
    if (!draw_counters(w, from, to, AIU_SERIES_COLL_BW)) {
        pf_aiu_draw_collective_rates(w->run, &w->d, &w->meetings);
    }
    note_late(w);
    note_warnings(w);
}

static void draw_rank(rank_drawing *w, int64_t pid, const stay *stays, uint32_t stay_count, uint32_t from, uint32_t to)
{
    uint32_t upid = pf_aiu_process_of(w->x, pid);
    pf_str owner = pf_aiu_is_number(pid) ? pf_pass_text(w->d.arena, w->f, "rank %" PRId64, pid)
                                         : pf_aiu_text_of(w->run, (uint32_t)pid);
    const pf_overlay_track group = {.anchor = upid == PF_NONE ? PF_ANCHOR_GLOBAL : PF_ANCHOR_PROCESS,
                                    .anchor_id = upid == PF_NONE ? 0 : upid,
                                    .name = pf_pass_text(w->d.arena, w->f, "%.*s analysis", PF_TEXT_ARG(owner)),
                                    .description = PF_STR("What was found out about this rank's device.")};
    pf_drawing_group(&w->d, &group, owner);
    uint32_t rank = pf_map_get(&w->run->ranks.by_pid, (uint64_t)pid);
    if (rank != PF_NONE && w->run->set.compat == AIU_WANT) {
        pf_aiu_draw_slices(w->run, &w->d, rank, w->jobs, w->job_count);
    }
    draw_stays(w, stays, stay_count);
    draw_rank_counters(w, pid, from, to);
}

/* The ranks that have jobs. */
static pf_status list_ranks(rank_drawing *w, pf_error *err)
{
    aiu_run *run = w->run;
    pf_status st = run->set.compat == AIU_WANT ? pf_aiu_jobs_read(run, &w->jobs, &w->job_count, err) : PF_OK;
    w->ranks = st == PF_OK ? pf_pass_alloc(run->ctx, (size_t)w->job_count + 1, sizeof *w->ranks, err) : NULL;
    for (uint32_t i = 0; w->ranks && i < w->job_count; i++) {
        int64_t pid = run->ranks.pid[w->jobs[i].rank];
        w->ranks[w->rank_count++] =
            (aiu_key){(double)(pid >> 32), (double)((uint64_t)pid & UINT32_MAX), w->jobs[i].rank};
    }
    return w->ranks ? pf_aiu_sort_keys(run, w->ranks, w->rank_count) : err->code;
}

/* Ranks in ascending order: those of stays, of counters and of jobs, merged. */
static void draw_each_rank(rank_drawing *w)
{
    uint32_t s = 0, c = 0, k = 0;
    while (s < w->stay_count || c < w->counter_count || k < w->rank_count) {
        int64_t pid = INT64_MAX;
        if (s < w->stay_count) {
            pid = w->stays[s].pid;
        }
        if (c < w->counter_count && w->counters[c].pid < pid) {
            pid = w->counters[c].pid;
        }
        if (k < w->rank_count && w->run->ranks.pid[w->ranks[k].row] < pid) {
            pid = w->run->ranks.pid[w->ranks[k].row];
        }
        uint32_t from = s, first = c;
        while (k < w->rank_count && w->run->ranks.pid[w->ranks[k].row] == pid) {
            k++;
        }
        while (s < w->stay_count && w->stays[s].pid == pid) {
            s++;
        }
        while (c < w->counter_count && w->counters[c].pid == pid) {
            c++;
        }
        if (pid != ALL_RANKS) {
            draw_rank(w, pid, w->stays + from, s - from, first, c);
        }
    }
}

void pf_aiu_draw_ranks(aiu_enriched *x)
{
    pf_error err = {0};
    rank_drawing w = {.x = x, .run = x->run, .f = x->run->findings};
    w.d = (pf_drawing){.f = w.f, .arena = (pf_arena *)x->run->ctx->arena};
    pf_status st = pf_aiu_meetings_read(x->run, &w.meetings, &err);
    st = st == PF_OK ? group_samples(&w, &err) : st;
    st = st == PF_OK ? find_last_ends(&w, &err) : st;
    st = st == PF_OK ? pf_aiu_moves_read(x->run, &w.moves, &err) : st;
    st = st == PF_OK ? list_stays(&w, &err) : st;
    st = st == PF_OK ? list_ranks(&w, &err) : st;
    if (st != PF_OK) {
        pf_findings_fail(w.f, &err);
        return;
    }
    draw_all_ranks(&w);
    draw_each_rank(&w);
}
