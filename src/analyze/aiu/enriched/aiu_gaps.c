/* analyze/aiu/enriched/aiu_gaps.c - when devices did nothing, what was launched too late, and what its thread did then.
 *
 * What a rank's device does are its kernels and transfers; between two of them lie gaps. The event that ends a gap has
 * a launch: in torch traces the call with its correlation, which lasts until the device has the work; in flex traces
 * the round trip around it, which begins with it. Until then the gap is bound by the host, and that part of it is the
 * window in which the scheduler is asked for the launching thread: on the clock that the host was recorded with, also
 * where ranks have been moved. Flex knows threads by their tid alone, which the scheduler knows as well.
 */
#include <stdlib.h>
#include <string.h>

#include "analyze/aiu/enriched/aiu_enriched.h"
#include "analyze/support/pass_memory.h"
#include "base/ordering.h"

enum { MOST_LISTED = 1024, MOST_OF_RANK = 20 };

typedef struct gap_reading {
    aiu_run *run;
    aiu_gaps *out;
    int64_t *correlation; /* by event, of torch traces; NULL without one */
    pf_map *by_correlation;
    aiu_key *trips; /* round trips by job and rank, then by time */
    uint32_t trip_count;
    uint32_t *same; /* by thread: the one of the scheduler; NULL without a scheduler */
} gap_reading;

static bool is_trip(aiu_run *run, uint32_t e)
{
    return pf_aiu_is_slice(run, e) && !pf_aiu_is_device(run, e) && run->events.row[e] != PF_NONE &&
           pf_aiu_name(run, run->events.name[e])->flags & AIU_NAME_ROUNDTRIP;
}

static uint64_t correlation_key(const aiu_run *run, uint32_t e, int64_t id)
{
    return (uint64_t)run->events.job[e] << 48 ^ (uint64_t)id;
}

static void read_correlations(gap_reading *g)
{
    aiu_run *run = g->run;
    g->by_correlation = pf_aiu_scratch_map(run);
    g->correlation = pf_aiu_correlations(run);
    for (uint32_t i = 0, e; g->correlation && pf_aiu_next(run, pf_aiu_is_torch_slice, &i, &e);) {
        int64_t id = g->correlation[e];
        if (id > 0 && pf_aiu_name(run, run->events.name[e])->flags & AIU_NAME_LAUNCH) {
            pf_aiu_map(run, g->by_correlation, correlation_key(run, e, id), e);
        }
    }
}

static double group_of(const aiu_run *run, uint32_t e)
{
    return (double)run->events.job[e] * run->ranks.count + run->events.rank[e];
}

static double shown_start(const aiu_run *run, uint32_t e)
{
    return run->events.ts[e] + pf_aiu_host_shift(run, e);
}

static aiu_key trip_key(const aiu_run *run, uint32_t e)
{
    return (aiu_key){group_of(run, e), shown_start(run, e), e};
}

static bool is_work(aiu_run *run, uint32_t e)
{
    unsigned step = pf_aiu_is_slice(run, e) ? pf_aiu_step(run, e) : AIU_OP_NONE;
    return step != AIU_OP_NONE && step != AIU_OP_PREP && !pf_aiu_is_second_view(run, e);
}

/* The thread of the scheduler that an event of a host is on; PF_NONE: it is not known, or there is no scheduler. */
static uint32_t scheduled_thread(const gap_reading *g, uint32_t e)
{
    if (!g->same) {
        return PF_NONE;
    }
    const pf_trace *t = g->run->trace;
    uint32_t utid = pf_trace_tracks(t)->utid[pf_trace_events(t)->track[g->run->events.row[e]]];
    return utid == PF_NONE ? PF_NONE : g->same[utid];
}

/* The launch of what ends a gap: PF_NONE: not known. */
static void add_gap(gap_reading *g, pf_interval time, uint32_t before, uint32_t after)
{
    aiu_run *run = g->run;
    const aiu_events *v = &run->events;
    aiu_gaps *out = g->out;
    aiu_gap gap = {time, v->rank[after], before, after, PF_NONE, PF_NONE, 0, 0};
    if (v->flags[after] & AIU_TORCH) {
        int64_t id = g->correlation ? g->correlation[after] : 0;
        gap.launch = id > 0 ? pf_map_get(g->by_correlation, correlation_key(run, after, id)) : PF_NONE;
    } else {
        uint32_t n = pf_aiu_keys_before(g->trips, g->trip_count, group_of(run, after), pf_aiu_end(run, after));
        gap.launch = n && !(g->trips[n - 1].first < group_of(run, after)) ? g->trips[n - 1].row : PF_NONE;
    }
    if (gap.launch != PF_NONE) {
        double until = v->flags[gap.launch] & AIU_TORCH ? v->dur[gap.launch] : 0;
        int64_t done = pf_aiu_nanoseconds(run, shown_start(run, gap.launch) + until);
        done = done < time.end ? done : time.end;
        gap.host = done > time.start ? (uint64_t)done - (uint64_t)time.start : 0;
        gap.later = llround(pf_aiu_host_shift(run, gap.launch) * 1000);
        gap.thread = gap.host ? scheduled_thread(g, gap.launch) : PF_NONE;
    }
    bool counts = gap.host || pf_interval_length(time) >= AIU_LEAST_DEVICE_GAP;
    if (counts && AIU_ROOM(run, out->list, out->count + 1, out->room) == PF_OK) {
        out->list[out->count++] = gap;
    }
}

const char *pf_aiu_gap_cause(const aiu_gap *gap)
{
    uint64_t device = pf_interval_length(gap->time) - gap->host;
    return gap->launch == PF_NONE ? "other" : gap->host >= device ? "host-bound" : "device";
}

static aiu_key work_key(const aiu_run *run, uint32_t e)
{
    return (aiu_key){run->events.rank[e], run->events.ts[e], e};
}

PF_ORDER(by_length, aiu_gap *const, PF_COMPARE(pf_interval_length((*y)->time), pf_interval_length((*x)->time)),
         PF_COMPARE((*x)->time.start, (*y)->time.start), PF_COMPARE((*x)->rank, (*y)->rank));

/* The longest of each rank, whose gaps come in order of time; then all of these by length. */
static void list_longest(gap_reading *g)
{
    aiu_gaps *out = g->out;
    uint32_t ranks = g->run->ranks.count;
    size_t room = (size_t)ranks * MOST_OF_RANK;
    out->longest = pf_aiu_alloc(g->run, (room < out->count ? room : out->count) + 1, sizeof(aiu_gap *));
    for (uint32_t r = 0; r < ranks && out->longest && !pf_aiu_failed(g->run); r++) {
        const aiu_gap **best = out->longest + out->listed;
        uint32_t n = 0;
        for (const aiu_gap *gap = out->list + out->first[r]; gap < out->list + out->first[r + 1]; gap++) {
            uint64_t length = pf_interval_length(gap->time);
            if (n < MOST_OF_RANK || pf_interval_length(best[n - 1]->time) < length) {
                n += n < MOST_OF_RANK;
                uint32_t at = n - 1;
                for (; at > 0 && pf_interval_length(best[at - 1]->time) < length; at--) {
                    best[at] = best[at - 1];
                }
                best[at] = gap;
            }
        }
        out->listed += n;
    }
    if (out->listed) {
        qsort(out->longest, out->listed, sizeof(aiu_gap *), by_length);
    }
    out->listed = out->listed < MOST_LISTED ? out->listed : MOST_LISTED;
}

PF_ORDER(by_thread_and_middle, aiu_host_gap *const, PF_COMPARE((*x)->gap->thread, (*y)->gap->thread),
         PF_COMPARE((*x)->middle, (*y)->middle));

/* Gives windows whose middles lie in a slice of their thread that slice, if it is further in than what they have. */
static void offer_slice(gap_reading *g, aiu_host_gap **asked, uint32_t n, uint32_t e)
{
    const aiu_run *run = g->run;
    const double *ts = run->events.ts, *dur = run->events.dur;
    uint32_t thread = run->events.row[e] == PF_NONE ? PF_NONE : scheduled_thread(g, e), low = 0;
    int64_t start = pf_aiu_nanoseconds(run, ts[e]), end = pf_aiu_nanoseconds(run, pf_aiu_end(run, e));
    PF_BISECT(low, n,
              asked[middle]->gap->thread < thread ||
                  (asked[middle]->gap->thread == thread && asked[middle]->middle < start));
    for (; low < n && asked[low]->gap->thread == thread && asked[low]->middle < end; low++) {
        uint32_t *under = &asked[low]->slice;
        bool inner = *under == PF_NONE || ts[e] > ts[*under] || (ts[e] >= ts[*under] && dur[e] <= dur[*under]);
        *under = inner ? e : *under;
    }
}

static void find_slices(gap_reading *g)
{
    aiu_gaps *out = g->out;
    aiu_host_gap **asked = pf_aiu_scratch(g->run, out->windows + 1, sizeof *asked);
    uint32_t n = 0;
    for (uint32_t i = 0; i < out->windows && asked; i++) {
        if (out->window[i].what.running.place != PF_NONE) {
            asked[n++] = &out->window[i];
        }
    }
    if (n) {
        qsort(asked, n, sizeof *asked, by_thread_and_middle);
    }
    for (uint32_t i = 0, e; n && pf_aiu_next(g->run, pf_aiu_is_any_slice, &i, &e);) {
        if (!pf_aiu_is_device(g->run, e)) {
            offer_slice(g, asked, n, e);
        }
    }
}

static void look_at_windows(gap_reading *g)
{
    aiu_gaps *out = g->out;
    out->window = pf_aiu_alloc(g->run, (size_t)out->listed + 1, sizeof *out->window);
    for (uint32_t i = 0; i < out->listed && out->window; i++) {
        const aiu_gap *gap = out->longest[i];
        if (gap->thread != PF_NONE) {
            aiu_host_gap *w = &out->window[out->windows++];
            *w = (aiu_host_gap){.gap = gap, .slice = PF_NONE};
            pf_schedule_look(&out->schedule, gap->thread, pf_aiu_window(gap), &w->what);
            const pf_interval *run = &w->what.running.time;
            w->middle = run->start + (int64_t)(pf_interval_length(*run) / 2);
            out->lost += pf_schedule_lost(&out->schedule, &w->what);
        }
    }
    find_slices(g);
}

/* The work of a rank comes in order of its starts. */
static void read_gaps(gap_reading *g)
{
    aiu_run *run = g->run;
    const aiu_events *v = &run->events;
    aiu_rows work = pf_aiu_rows(run, is_work), trips = pf_aiu_rows(run, is_trip);
    aiu_key *keys = pf_aiu_keys(run, work, work_key);
    g->trips = pf_aiu_keys(run, trips, trip_key);
    g->trip_count = g->trips ? trips.count : 0;
    if (run->any_torch) {
        read_correlations(g);
    }
    g->out->first = pf_aiu_alloc(run, (size_t)run->ranks.count + 1, sizeof *g->out->first);
    for (uint32_t rank = 0, i = 0; rank < run->ranks.count && keys && !pf_aiu_failed(run); rank++) {
        uint32_t last = PF_NONE;
        int64_t until = INT64_MIN;
        for (; i < work.count && v->rank[keys[i].row] == rank; i++) {
            uint32_t e = keys[i].row;
            pf_interval at = pf_aiu_interval(run, v->ts[e], pf_aiu_end(run, e));
            if (last != PF_NONE && at.start > until && (uint64_t)at.start - (uint64_t)until >= AIU_LEAST_GAP) {
                add_gap(g, (pf_interval){until, at.start}, last, e);
            }
            last = last == PF_NONE || at.end > until ? e : last;
            until = at.end > until ? at.end : until;
        }
        g->out->first[rank + 1] = g->out->count;
    }
}

const aiu_gaps *pf_aiu_gaps_read(aiu_run *run)
{
    static const aiu_gaps none;
    gap_reading g = {.run = run};
    pf_arena *arena = run->ctx->arena;
    g.out = run->gaps || !run->trace ? NULL : pf_aiu_alloc(run, 1, sizeof *g.out);
    pf_status st = g.out ? pf_schedule_read(run->trace, run->findings, arena, &g.out->schedule, &run->error) : PF_OK;
    if (g.out && st == PF_OK && g.out->schedule.states.count) {
        st = pf_schedule_same_tids(&g.out->schedule, arena, &g.same, &run->error);
    }
    if (g.out && st == PF_OK) {
        read_gaps(&g);
        list_longest(&g);
        look_at_windows(&g);
        run->gaps = g.out;
    }
    return run->gaps && !pf_aiu_failed(run) ? run->gaps : &none;
}
