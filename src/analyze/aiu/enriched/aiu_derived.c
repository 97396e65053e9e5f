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
#include <stdio.h>

#include "analyze/aiu/enriched/aiu_enriched.h"
#include "base/str.h"
#include "base/threads/threads.h"
#include "model/trace/json_notes.h"

/* What text tids become: beyond all that are numbers. */
#define TEXT_TID ((int64_t)1 << 32)

/* The longest name that is made of a number. */
#define NAME_ROOM 64

static int64_t plain_id(int64_t id)
{
    return id == AIU_ID_NONE ? 0 : pf_aiu_is_number(id) ? id : TEXT_TID + (id & UINT32_MAX);
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
    aiu_run *run = x->run;
    char room[NAME_ROOM];
    uint32_t upid = recorded_process(run, e);
    bool made = upid == PF_NONE, host = run->events.flags[e] & AIU_HOST_PID;
    int len = snprintf(room, sizeof room, "%s%" PRId64, host ? "Host" : "AIU Device", run->events.pid[e]);
    pf_str name = pf_aiu_is_number(pid) ? (pf_str){room, (size_t)len} : pf_aiu_text_of(run, (uint32_t)pid);
    upid = made ? pf_build_process(x->b, plain_id(pid), name) : upid;
    if (run->events.flags[e] & AIU_TORCH) {
        return upid;
    }
    if (!made) {
        pf_build_name_process(x->b, upid, name);
    }
    if (pid > INT32_MIN / 4 && pid < INT32_MAX / 4) { /* the host, then the device, rank after rank */
        pf_build_place_process(x->b, upid, host ? (int32_t)(pid - AIU_HOST_PIDS) * 3 : (int32_t)pid * 3 + 1);
    }
    return upid;
}

/* Notes the row that was made for a key; PF_NONE: there is no memory for that, or for the row. */
static uint32_t remember(aiu_enriched *x, pf_map *map, uint64_t key, uint32_t row)
{
    bool known = row != PF_NONE && pf_map_set(map, key, row);
    x->refused |= !known;
    return known ? row : PF_NONE;
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

static uint32_t find_track(aiu_enriched *x, uint32_t e)
{
    int64_t tid = x->run->events.tid[e], pid = pf_aiu_shown_pid(x->run, e);
    uint32_t upid = pf_map_get(&x->processes, (uint64_t)pid), number = pf_map_get(&x->tids, (uint64_t)tid);
    if (upid == PF_NONE) {
        upid = remember(x, &x->processes, (uint64_t)pid, add_process(x, e, pid));
    }
    if (number == PF_NONE) {
        number = remember(x, &x->tids, (uint64_t)tid, x->tids.count);
    }
    if (x->refused) {
        return PF_NONE;
    }
    uint64_t key = (uint64_t)upid << 32 | number;
    uint32_t track = pf_map_get(&x->threads, key);
    if (track == PF_NONE) {
        char room[NAME_ROOM];
        uint32_t utid = pf_build_thread(x->b, upid, plain_id(tid), thread_name(x->run, e, room));
        track = remember(x, &x->threads, key, pf_build_thread_track(x->b, utid));
    }
    return track;
}

/* What stages added to an event, to the event that the builder added last. */
static void add_extras(const aiu_run *run, uint32_t event, pf_builder *b)
{
    for (uint32_t i = run->events.extra[event]; i != PF_NONE; i = run->extras.list[i].next) {
        const aiu_extra *x = &run->extras.list[i];
        pf_str key = pf_aiu_text_of(run, x->key);
        if (x->type == AIU_EXTRA_INT) {
            pf_build_arg_int(b, key, x->as.i);
        } else if (x->type == AIU_EXTRA_REAL) {
            pf_build_arg_real(b, key, x->as.d);
        } else {
            pf_build_arg_text(b, key, pf_aiu_text_of(run, x->as.text));
        }
    }
}

/* The arguments of the input, then what stages know, which takes the place of one that has its name. */
static void copy_args(const aiu_run *run, uint32_t event, pf_builder *b)
{
    uint32_t row = run->events.row[event], flags = run->events.flags[event];
    if (row != PF_NONE) {
        pf_build_copy_args(b, row);
    }
    if (flags & AIU_PEER_LISTED) {
        pf_build_drop_arg(b, PF_STR("Peer"));
    }
    add_extras(run, event, b);
    if (flags & AIU_HAS_CLASS) {
        pf_build_arg_text(b, PF_STR("class"), pf_str_of(pf_aiu_class_name((aiu_class)run->events.class[event])));
    }
    pf_build_arg_text(b, PF_STR("jobname"), run->jobs[run->events.job[event]].name);
}

/* An arrow that is received before it is sent begins at its end, so that it is drawn at all. */
static bool goes_back(const aiu_run *run, uint32_t arrow)
{
    aiu_arrow_pair a = run->exchange->arrow[arrow - 1];
    return run->events.ts[a.from] >= pf_aiu_end(run, a.to);
}

static void add_slice(aiu_enriched *x, uint32_t e, uint32_t track)
{
    aiu_run *run = x->run;
    double shift = pf_aiu_host_shift(run, e);
    int64_t ts = pf_aiu_nanoseconds(run, run->events.ts[e] + shift);
    int64_t end = pf_aiu_nanoseconds(run, pf_aiu_end(run, e) + shift);
    uint32_t from = pf_map_get(&x->arrow_from, e);
    pf_build_slice(x->b, track, ts, end > ts ? end - ts : 0, pf_aiu_text_of(run, run->events.name[e]));
    if (run->events.cat[e]) {
        pf_build_category(x->b, pf_aiu_text_of(run, run->events.cat[e]));
    }
    if (from != PF_NONE) {
        pf_build_flow(x->b, from, goes_back(run, from));
    }
    copy_args(run, e, x->b);
}

/* An event as it was recorded; one of a counter may be several samples. */
static void copy_recorded(aiu_enriched *x, uint32_t e)
{
    const aiu_counter_events *all = &x->run->counters;
    uint32_t row = x->run->events.row[e], n = row == PF_NONE ? PF_NONE : pf_map_get(all->by_row, row);
    if (row != PF_NONE) {
        pf_build_copy_event(x->b, row);
    }
    for (uint32_t i = 1; n != PF_NONE && i < all->list[n].samples; i++) {
        pf_build_copy_event(x->b, pf_trace_counters(x->run->trace)->event[all->list[n].sample + i]);
    }
}

/* Whether an event is drawn at all; as a slice or an instant on a thread of ours. */
static bool is_drawn(const aiu_run *run, uint32_t e)
{
    return !(run->events.flags[e] & AIU_REAL_COLL) && run->events.pid[e] != AIU_ID_NONE;
}

static bool is_placed(const aiu_run *run, uint32_t e)
{
    uint8_t phase = run->events.phase[e];
    return (phase == 'X' || phase == 'i' || phase == 'I') && is_drawn(run, e);
}

/* What a torch input says of its processes and threads, which keep their names, is copied; those of flex inputs get new
 * ones. What a conversion noted is in the derived trace already. */
static void add_event(aiu_enriched *x, uint32_t e)
{
    aiu_run *run = x->run;
    uint32_t row = run->events.row[e];
    uint8_t phase = run->events.phase[e];
    bool placed = is_placed(run, e), torch = run->events.flags[e] & AIU_TORCH;
    uint32_t track = placed ? find_track(x, e) : PF_NONE;
    if (!placed && phase == 'M') {
        if (row != PF_NONE && torch && !pf_origin_of(run->trace, row).hidden) {
            pf_build_copy_event(x->b, row);
            add_extras(run, e, x->b);
        }
    } else if (!placed && is_drawn(run, e)) {
        copy_recorded(x, e);
    } else if (track != PF_NONE && phase == 'X') {
        add_slice(x, e, track);
    } else if (track != PF_NONE) {
        pf_build_instant(x->b, track, pf_aiu_nanoseconds(run, run->events.ts[e] + pf_aiu_host_shift(run, e)),
                         pf_aiu_text_of(run, run->events.name[e]));
        copy_args(run, e, x->b);
    }
}

/* Where receives ended until `ts`. */
static void add_ends(aiu_enriched *x, double ts)
{
    const aiu_run *run = x->run;
    for (; x->next_end < x->end_count && x->ends[x->next_end].first <= ts; x->next_end++) {
        uint32_t arrow = x->ends[x->next_end].row;
        aiu_arrow_pair a = run->exchange->arrow[arrow - 1];
        int64_t start = pf_aiu_nanoseconds(run, run->events.ts[a.to]);
        int64_t end = pf_aiu_nanoseconds(run, x->ends[x->next_end].first) - 1;
        char room[NAME_ROOM];
        int len = snprintf(room, sizeof room, "from rank %" PRId64, run->events.pid[a.from]);
        uint32_t track = find_track(x, a.to);
        if (track == PF_NONE) {
            return; /* refused */
        }
        pf_build_instant(x->b, track, end > start ? end : start, (pf_str){room, (size_t)len});
        pf_build_category(x->b, pf_overlay_category(run->findings));
        pf_build_flow(x->b, arrow, !goes_back(run, arrow));
    }
}

/* Finds out what both threads look up and neither changes: what names say, the processes that drawings hang on, and
 * arrows. */
static pf_status prepare(aiu_enriched *x)
{
    aiu_run *run = x->run;
    const aiu_exchange *known = run->exchange;
    uint32_t n = known ? known->arrows : 0;
    x->ends = pf_aiu_alloc(run, (size_t)n + 1, sizeof *x->ends);
    for (uint32_t i = 0; i < n && !pf_aiu_failed(run); i++) {
        aiu_arrow_pair a = known->arrow[i];
        pf_aiu_map(run, &x->arrow_from, a.from, i + 1);
        if (pf_aiu_is_slice(run, a.to)) {
            x->ends[x->end_count++] = (aiu_key){pf_aiu_end(run, a.to), 0, i + 1};
        }
    }
    pf_aiu_sort_keys(run, x->ends, x->end_count);
    for (uint32_t i = 0; i < run->alive && !pf_aiu_failed(run); i++) {
        uint32_t e = run->order[i];
        uint64_t pid = (uint64_t)pf_aiu_shown_pid(run, e);
        pf_aiu_name(run, run->events.name[e]);
        if (is_placed(run, e) && pf_map_get(&x->anchors, pid) == PF_NONE) {
            uint32_t upid = recorded_process(run, e);
            pf_aiu_map(run, &x->anchors, pid, upid == PF_NONE ? AIU_MADE : upid);
        }
    }
    return run->error.code;
}

/* The one that may let the run fail. */
static pf_status report_and_draw(void *ctx, pf_error *err)
{
    aiu_enriched *x = ctx;
    if (x->report(x->run) == PF_OK) {
        pf_aiu_draw_ranks(x);
    }
    *err = x->run->error;
    return err->code;
}

static pf_status build(void *ctx, pf_error *err)
{
    aiu_enriched *x = ctx;
    aiu_run *run = x->run;
    for (uint32_t i = 0; i < run->alive; i++) {
        add_ends(x, run->events.ts[run->order[i]]);
        add_event(x, run->order[i]);
        if (i % 65536 == 65535) {
            PF_TRY(pf_pass_poll(run->ctx, err));
            PF_TRY(pf_builder_status(x->b, err));
        }
    }
    add_ends(x, INFINITY);
    pf_build_copy_samples(x->b);
    PF_TRY(pf_builder_status(x->b, err));
    return x->refused ? pf_budget_refused(run->budget, x->threads.count * sizeof *x->threads.slots, err)
                      : pf_builder_finish(x->b, &x->made, err);
}

/* Drawings can be made before the trace where none hangs on a process that the builder makes. */
pf_trace *pf_aiu_enriched(aiu_run *run, aiu_report *report)
{
    aiu_enriched x = {.run = run, .report = report, .b = pf_builder_derive(run->trace, &run->budget->limits)};
    pf_map *const maps[] = {&x.anchors, &x.processes, &x.tids, &x.threads, &x.arrow_from};
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++) {
        pf_map_init(maps[i], run->budget);
    }
    if (!x.b) {
        pf_no_memory(&run->error);
    } else if (prepare(&x) == PF_OK) {
        const pf_task tasks[] = {{build, &x}, {report_and_draw, &x}};
        pf_error err = {0};
        unsigned jobs = run->ctx->jobs;
        for (uint32_t r = 0; r < run->ranks.count; r++) {
            jobs = pf_map_get(&x.anchors, (uint64_t)run->ranks.pid[r]) == AIU_MADE ? 1 : jobs;
        }
        if (pf_tasks_run(tasks, sizeof tasks / sizeof *tasks, jobs, run->budget, &err) != PF_OK) {
            run->error = err;
            pf_trace_free(x.made);
            x.made = NULL;
        }
    }
    pf_builder_free(x.b);
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++) {
        pf_map_free(maps[i]);
    }
    return x.made;
}
