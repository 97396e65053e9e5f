/* analyze/aiu/enriched/aiu_derived.c - the recorded events on their new places.
 *
 * One walk over the events in order of time. A process is made with its first event, and so is a thread, whose name
 * says what its first slice is. An arrow between two slices is drawn from the one that begins first, and a receive
 * often begins long before its send. So arrows end at instants of ours, where the receives end: "from rank 3". They
 * wait in a list sorted by time.
 *
 * The trace is built by one thread while another makes the reports and draws what the stages found. Both read the run;
 * what names say is complete before. The builder has its own memory, the findings and the arena of the pass are the
 * other thread's. Drawings hang on processes, and those that the builder makes have no number before: then the trace is
 * built first.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "analyze/aiu/enriched/aiu_enriched.h"
#include "analyze/aiu/facts/aiu_noted.h"
#include "analyze/aiu/ranks/aiu_members.h"
#include "base/threads/tasks.h"

/* What text tids become: beyond all that are numbers. */
#define TEXT_TID ((int64_t)1 << 32)
#define HOST_PIDS 1000

/* Of anchors: the process is one that the builder makes. */
#define MADE (PF_NONE - 1)

/* The longest name that is made of a number. */
#define NAME_ROOM 64

int64_t pf_aiu_nanoseconds(const aiu_run *run, double us)
{
    double ns = us * 1000;
    if (!(fabs(ns) < 9e18)) {
        return ns > 0 ? INT64_MAX / 2 : INT64_MIN / 2;
    }
    return run->origin_ns + llround(ns);
}

pf_interval pf_aiu_interval(const aiu_run *run, double from, double to)
{
    int64_t start = pf_aiu_nanoseconds(run, from), end = pf_aiu_nanoseconds(run, to);
    return (pf_interval){start, end > start ? end : start + 1};
}

/* ---- processes and threads --------------------------------------------------------------------------------------- */

uint32_t pf_aiu_process_of(const aiu_enriched *x, int64_t pid)
{
    uint32_t upid = pf_map_get(&x->anchors, (uint64_t)pid);
    return upid == MADE ? pf_map_get(&x->processes, (uint64_t)pid) : upid;
}

static int64_t plain_id(int64_t id)
{
    if (id == AIU_ID_NONE) {
        return 0;
    }
    return pf_aiu_is_number(id) ? id : TEXT_TID + (id & UINT32_MAX);
}

static pf_str process_name(aiu_run *run, uint32_t e, int64_t pid, char room[NAME_ROOM])
{
    if (!pf_aiu_is_number(pid)) {
        return pf_aiu_text_of(run, (uint32_t)pid);
    }
    bool host = run->events.flags[e] & AIU_HOST_PID;
    int len = snprintf(room, NAME_ROOM, "%s%" PRId64, host ? "Host" : "AIU Device", run->events.pid[e]);
    return (pf_str){room, (size_t)len};
}

static int64_t shown_pid(const aiu_run *run, uint32_t e)
{
    int64_t pid = run->events.pid[e];
    return run->events.flags[e] & AIU_HOST_PID && pf_aiu_is_number(pid) ? pid + HOST_PIDS : pid;
}

/* The process that the input has for an event and that it stays in: a device has the one that was recorded for its
 * rank, a host a new one. PF_NONE: the builder makes it. */
static uint32_t recorded_process(const aiu_run *run, uint32_t e)
{
    uint32_t row = run->events.row[e];
    if (row == PF_NONE || run->events.flags[e] & AIU_HOST_PID) {
        return PF_NONE;
    }
    const pf_tracks *tracks = pf_trace_tracks(run->trace);
    uint32_t track = pf_trace_events(run->trace)->track[row], utid = tracks->utid[track];
    return utid == PF_NONE ? tracks->upid[track] : pf_trace_threads(run->trace)->upid[utid];
}

static uint32_t add_process(aiu_enriched *x, uint32_t e, int64_t pid)
{
    char room[NAME_ROOM];
    pf_str name = process_name(x->run, e, pid, room);
    uint32_t upid = recorded_process(x->run, e);
    if (upid == PF_NONE) {
        return pf_build_process(x->b, plain_id(pid), name);
    }
    if (!(x->run->events.flags[e] & AIU_TORCH)) {
        pf_build_name_process(x->b, upid, name);
    }
    return upid;
}

static uint32_t find_process(aiu_enriched *x, uint32_t e, pf_error *err)
{
    int64_t pid = shown_pid(x->run, e);
    uint32_t upid = pf_map_get(&x->processes, (uint64_t)pid);
    if (upid == PF_NONE) {
        upid = add_process(x, e, pid);
        if (upid != PF_NONE && !pf_map_set(&x->processes, (uint64_t)pid, upid)) {
            pf_budget_refused(x->run->budget, 64, err);
        }
    }
    return upid;
}

static pf_str thread_name(aiu_run *run, uint32_t e, char room[NAME_ROOM])
{
    static const char *const names[AIU_OP_NONE] = {"transfers in", "kernels queued", "kernels", "transfers out"};
    int64_t tid = run->events.tid[e];
    if (tid != AIU_ID_NONE && !pf_aiu_is_number(tid)) {
        return pf_aiu_text_of(run, (uint32_t)tid);
    }
    unsigned op = pf_aiu_name(run, run->events.name[e])->has;
    if (!pf_aiu_is_device(run, e) || op == AIU_OP_NONE) {
        return (pf_str){NULL, 0};
    }
    int lane = (int)(tid % 100) + 1;
    int len = snprintf(room, NAME_ROOM, lane == 1 ? "%s" : "%s %d", names[op], lane);
    return (pf_str){room, (size_t)len};
}

static uint32_t remember(const aiu_enriched *x, pf_map *map, uint64_t key, uint32_t value, pf_error *err)
{
    if (value != PF_NONE && !pf_map_set(map, key, value)) {
        pf_budget_refused(x->run->budget, 64, err);
        return PF_NONE;
    }
    return value;
}

static uint32_t find_track(aiu_enriched *x, uint32_t e, pf_error *err)
{
    int64_t tid = x->run->events.tid[e];
    uint32_t upid = find_process(x, e, err), number = pf_map_get(&x->tids, (uint64_t)tid);
    if (number == PF_NONE) {
        number = remember(x, &x->tids, (uint64_t)tid, x->tids.count, err);
    }
    if (upid == PF_NONE || number == PF_NONE) {
        return PF_NONE;
    }
    uint64_t key = (uint64_t)upid << 32 | number;
    uint32_t track = pf_map_get(&x->threads, key);
    if (track == PF_NONE) {
        char room[NAME_ROOM];
        tid = plain_id(tid);
        track = pf_build_thread_track(x->b, pf_build_thread(x->b, upid, tid, thread_name(x->run, e, room)));
        track = remember(x, &x->threads, key, track, err);
    }
    return track;
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

/* An arrow that is received before it is sent begins at its end, so that it is drawn at all. */
static bool goes_back(const aiu_run *run, uint32_t arrow)
{
    aiu_arrow_pair a = run->exchange->arrow[arrow - 1];
    return run->events.ts[a.from] >= pf_aiu_end(run, a.to);
}

static void add_slice(aiu_enriched *x, uint32_t e, uint32_t track)
{
    aiu_run *run = x->run;
    int64_t ts = pf_aiu_nanoseconds(run, run->events.ts[e]), end = pf_aiu_nanoseconds(run, pf_aiu_end(run, e));
    pf_str name = pf_aiu_text_of(run, run->events.name[e]);
    uint32_t from = pf_map_get(&x->arrow_from, e);
    pf_build_slice(x->b, track, ts, end > ts ? end - ts : 0, name);
    if (run->events.cat[e]) {
        pf_build_category(x->b, pf_aiu_text_of(run, run->events.cat[e]));
    }
    if (from != PF_NONE) {
        pf_build_flow(x->b, from, goes_back(run, from));
    }
    pf_aiu_copy_args(run, e, x->b);
}

/* An event as it was recorded; one of a counter may be several samples. */
static void copy_recorded(aiu_enriched *x, uint32_t e)
{
    const aiu_noted noted = pf_aiu_noted(x->run, e);
    if (x->run->events.row[e] != PF_NONE) {
        pf_build_copy_event(x->b, x->run->events.row[e]);
    }
    for (uint32_t i = 1; i < noted.samples; i++) {
        pf_build_copy_event(x->b, pf_trace_counters(x->run->trace)->event[noted.sample + i]);
    }
}

/* What a torch input says of its processes and threads, which keep their names; those of flex inputs get new ones. */
static void copy_metadata(aiu_enriched *x, uint32_t e)
{
    if (x->run->events.row[e] != PF_NONE && x->run->events.flags[e] & AIU_TORCH) {
        pf_build_copy_event(x->b, x->run->events.row[e]);
        pf_aiu_add_extras(x->run, e, x->b);
    }
}

/* Whether an event is drawn as a slice or an instant on a thread of ours. */
static bool is_placed(const aiu_run *run, uint32_t e)
{
    uint8_t phase = run->events.phase[e];
    return (phase == 'X' || phase == 'i' || phase == 'I') && !(run->events.flags[e] & AIU_REAL_COLL) &&
           run->events.pid[e] != AIU_ID_NONE;
}

static pf_status add_event(aiu_enriched *x, uint32_t e, pf_error *err)
{
    aiu_run *run = x->run;
    uint8_t phase = run->events.phase[e];
    if (!is_placed(run, e)) {
        if (phase == 'M') {
            copy_metadata(x, e);
        } else if (!(run->events.flags[e] & AIU_REAL_COLL) && run->events.pid[e] != AIU_ID_NONE) {
            copy_recorded(x, e);
        }
        return PF_OK;
    }
    uint32_t track = find_track(x, e, err);
    if (track == PF_NONE) {
        return pf_builder_status(x->b, err) == PF_OK ? err->code : pf_builder_status(x->b, err);
    }
    if (phase == 'X') {
        add_slice(x, e, track);
        return PF_OK;
    }
    pf_build_instant(x->b, track, pf_aiu_nanoseconds(run, run->events.ts[e]), pf_aiu_text_of(run, run->events.name[e]));
    pf_aiu_copy_args(run, e, x->b);
    return PF_OK;
}

/* ---- where arrows end ------------------------------------------------------------------------------------------- */

static pf_status list_arrows(aiu_enriched *x, pf_error *err)
{
    aiu_ends *out = &x->ends;
    const aiu_exchange *known = x->run->exchange;
    uint32_t n = known ? known->arrows : 0;
    *out = (aiu_ends){pf_pass_alloc(x->run->ctx, (size_t)n + 1, sizeof *out->list, err), 0, 0};
    for (uint32_t i = 0; out->list && i < n; i++) {
        aiu_arrow_pair a = known->arrow[i];
        if (!pf_map_set(&x->arrow_from, a.from, i + 1) || !pf_map_set(&x->arrow_to, a.to, i + 1)) {
            return pf_budget_refused(x->run->budget, 64, err);
        }
        if (pf_aiu_is_slice(x->run, a.to)) {
            out->list[out->count++] = (aiu_key){pf_aiu_end(x->run, a.to), 0, a.to};
        }
    }
    return out->list ? pf_aiu_sort_keys(x->run, out->list, out->count) : err->code;
}

/* Where receives ended until `ts`. */
static void add_ends(aiu_enriched *x, double ts, pf_error *err)
{
    const aiu_run *run = x->run;
    aiu_ends *e = &x->ends;
    for (; e->next < e->count && e->list[e->next].first <= ts; e->next++) {
        uint32_t row = e->list[e->next].row, arrow = pf_map_get(&x->arrow_to, row);
        int64_t start = pf_aiu_nanoseconds(run, run->events.ts[row]);
        int64_t end = pf_aiu_nanoseconds(run, e->list[e->next].first) - 1;
        char room[NAME_ROOM];
        int64_t sender = run->events.pid[run->exchange->arrow[arrow - 1].from];
        int len = snprintf(room, sizeof room, "from rank %" PRId64, sender);
        pf_build_instant(x->b, find_track(x, row, err), end > start ? end : start, (pf_str){room, (size_t)len});
        pf_build_category(x->b, pf_overlay_category(run->findings));
        pf_build_flow(x->b, arrow, !goes_back(run, arrow));
    }
}

/* ---- the trace --------------------------------------------------------------------------------------------------- */

static pf_status add_events(aiu_enriched *x, pf_error *err)
{
    aiu_run *run = x->run;
    pf_status st = PF_OK;
    for (uint32_t i = 0; i < run->alive && st == PF_OK; i++) {
        add_ends(x, run->events.ts[run->order[i]], err);
        st = add_event(x, run->order[i], err);
        if (st == PF_OK && i % 65536 == 65535) {
            st = pf_pass_poll(run->ctx, err);
        }
    }
    if (st == PF_OK) {
        add_ends(x, INFINITY, err);
        pf_build_copy_samples(x->b);
    }
    return st;
}

/* ---- at the same time -------------------------------------------------------------------------------------------- */

static pf_status find_anchor(aiu_enriched *x, uint32_t e, pf_error *err)
{
    uint64_t pid = (uint64_t)shown_pid(x->run, e);
    if (pf_map_get(&x->anchors, pid) != PF_NONE) {
        return PF_OK;
    }
    uint32_t upid = recorded_process(x->run, e);
    return pf_map_set(&x->anchors, pid, upid == PF_NONE ? MADE : upid) ? PF_OK
                                                                       : pf_budget_refused(x->run->budget, 64, err);
}

/* Finds out what both threads look up and neither changes: what names say, and the processes that drawings hang on. */
static pf_status prepare(aiu_enriched *x, pf_error *err)
{
    aiu_run *run = x->run;
    pf_status st = list_arrows(x, err);
    for (uint32_t i = 0; i < run->alive && st == PF_OK; i++) {
        uint32_t e = run->order[i];
        pf_aiu_name(run, run->events.name[e]);
        st = is_placed(run, e) ? find_anchor(x, e, err) : PF_OK;
    }
    return st;
}

/* Drawings can be made before the trace where none hangs on a process that the builder makes. */
static bool are_recorded(const aiu_enriched *x)
{
    bool recorded = true;
    for (uint32_t r = 0; r < x->run->ranks.count; r++) {
        recorded &= pf_map_get(&x->anchors, (uint64_t)x->run->ranks.pid[r]) != MADE;
    }
    return recorded;
}

static pf_status build(void *ctx, pf_error *err)
{
    aiu_enriched *x = ctx;
    pf_status st = add_events(x, err);
    return st == PF_OK ? pf_builder_finish(x->b, &x->made, err) : st;
}

static pf_status report_and_draw(void *ctx, pf_error *err)
{
    aiu_enriched *x = ctx;
    PF_TRY(x->report(x->run, err));
    return pf_aiu_draw_ranks(x, err);
}

static void free_enriched(aiu_enriched *x)
{
    pf_builder_free(x->b);
    pf_map_free(&x->anchors);
    pf_map_free(&x->processes);
    pf_map_free(&x->tids);
    pf_map_free(&x->threads);
    pf_map_free(&x->arrow_from);
    pf_map_free(&x->arrow_to);
}

pf_trace *pf_aiu_enriched(aiu_run *run, aiu_report *report, pf_error *err)
{
    aiu_enriched x = {.run = run, .report = report, .b = pf_builder_derive(run->trace, &run->budget->limits)};
    pf_map_init(&x.anchors, run->budget);
    pf_map_init(&x.processes, run->budget);
    pf_map_init(&x.tids, run->budget);
    pf_map_init(&x.threads, run->budget);
    pf_map_init(&x.arrow_from, run->budget);
    pf_map_init(&x.arrow_to, run->budget);
    if (!x.b) {
        pf_fail(err, PF_ERR_MEMORY, "no memory for the enriched trace");
    } else if (prepare(&x, err) == PF_OK) {
        const pf_task tasks[] = {{build, &x}, {report_and_draw, &x}};
        unsigned jobs = are_recorded(&x) ? run->ctx->jobs : 1;
        if (pf_tasks_run(tasks, sizeof tasks / sizeof *tasks, jobs, run->budget, err) != PF_OK) {
            pf_trace_free(x.made);
            x.made = NULL;
        }
    }
    free_enriched(&x);
    return x.made;
}
