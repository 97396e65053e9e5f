/* analyze/aiu/steps/aiu_normalise.c - which events count, one spelling of
 * names, and counters of 32 bits that grow.
 *
 * A counter wraps every few seconds. Inside an event, a value below the one before it has wrapped. Between events the
 * host's clock gives the lap: the time at which the counter would have been 0 is worked out for every event; the
 * earliest of a rank is its epoch, and an event that begins n laps after it has wrapped n times.
 */
#include <string.h>

#include "analyze/aiu/steps/aiu_steps.h"

static bool is_uncounted(const aiu_run *run, uint32_t e)
{
    pf_str types = run->set.limit.uncounted;
    return types.len && memchr(types.ptr, run->events.phase[e], types.len) != NULL;
}

static void apply_limit(aiu_run *run)
{
    const aiu_limit *l = &run->set.limit;
    aiu_events *e = &run->events;
    double n = 0;
    for (uint32_t i = 0; i < run->alive; i++) {
        uint32_t row = run->order[i];
        double ts = e->ts[row] + run->origin;
        bool uncounted = is_uncounted(run, row), timed = !(e->flags[row] & AIU_NO_TIME);
        bool inside = timed && ts + e->dur[row] >= l->ts_start && ts <= l->ts_end;
        n += inside && !(e->flags[row] & AIU_DROPPED) && !(uncounted && !pf_aiu_rule(run, AIU_ALL_EVENTS));
        if (!uncounted && !(inside && n > l->skip && n <= l->skip + l->count)) {
            e->flags[row] |= AIU_DROPPED;
        }
    }
}

/* Each text is unified once: `seen` holds the result by text, from 1. */
static void unify_names(aiu_run *run)
{
    aiu_events *e = &run->events;
    uint32_t known = run->texts.count;
    uint32_t *seen = pf_aiu_scratch(run, known, sizeof *seen);
    for (uint32_t i = 0; i < run->alive && seen; i++) {
        uint32_t row = run->order[i], name = e->name[row];
        if (e->phase[row] == 'X' && name < known && name != 0) {
            if (!seen[name]) {
                seen[name] =
                    pf_aiu_replace(run, pf_aiu_replace(run, name, "RDMA", "Rdma", true), "Receive", "Recv", true);
            }
            e->name[row] = seen[name];
        }
    }
}

static void grow_inside(aiu_run *run, uint32_t row)
{
    static const char *const names[] = {"TS1", "TS2", "TS3", "TS4", "TS5"};
    aiu_events *e = &run->events;
    int64_t before = e->tsx[0][row];
    unsigned first = 0;
    for (unsigned n = 1; n < 5; n++) {
        if (e->tsx[n][row] < before) {
            e->tsx[n][row] += (int64_t)1 << 32;
            first = first ? first : n;
        }
        before = e->tsx[n][row];
    }
    if (first) {
        pf_aiu_add_text(run, row, PF_STR("TSxOF"), (pf_str){names[first], 3});
    }
}

static void note_epoch(aiu_run *run, uint32_t row)
{
    aiu_events *e = &run->events;
    aiu_epoch *epoch = &run->epochs[e->rank[row]];
    int64_t cycle = pf_aiu_first_counter(run, row);
    double start = e->ts[row] - (double)cycle / run->set.soc;
    if (!epoch->known || start < epoch->start) {
        double first_start = epoch->known ? epoch->first_start : start;
        double first_ts = epoch->known ? epoch->first_ts : e->ts[row];
        uint64_t updates = epoch->updates + epoch->known;
        *epoch = (aiu_epoch){true, e->job[row], start, e->ts[row], cycle, first_start, first_ts, updates};
    }
}

static void read_counters(aiu_run *run)
{
    aiu_events *e = &run->events;
    double span = pf_aiu_span(run);
    uint64_t undetected = 0;
    for (uint32_t i = 0; i < run->alive; i++) {
        uint32_t row = run->order[i];
        if (pf_aiu_is_device_slice(run, row)) {
            grow_inside(run, row);
            note_epoch(run, row);
            undetected += e->dur[row] > span;
        }
    }
    if (undetected) {
        pf_aiu_log(run, "WARNING",
                   "OVC: potential undetected overflow in %llu events longer than a wrap-around of the counter",
                   (unsigned long long)undetected);
    }
}

void pf_aiu_normalise(aiu_run *run)
{
    pf_aiu_find_clock(run); /* of all kernels, whichever count afterwards */
    apply_limit(run);
    unify_names(run);
    pf_aiu_apply_filters(run);
    for (uint32_t i = 0; i < run->alive; i++) {
        run->events.flags[run->order[i]] |= run->events.phase[run->order[i]] == 'X' ? AIU_SHOW_JOB : 0;
    }
    pf_aiu_compact(run);
    run->epochs = pf_aiu_alloc(run, (size_t)run->ranks.count + 1, sizeof *run->epochs);
    if (run->epochs) {
        read_counters(run);
        pf_aiu_measure_frequency(run);
    }
}

static void report_epoch(aiu_run *run, uint32_t rank)
{
    const aiu_epoch *epoch = &run->epochs[rank];
    pf_str job = run->jobs[epoch->job].name, pid = pf_aiu_pid_text(run, run->ranks.pid[rank]);
    pf_aiu_log(run, "INFO", "OVC: Reference Epoch for %.*s %.*s %s %s", PF_TEXT_ARG(pid), PF_TEXT_ARG(job),
               pf_aiu_num(run, epoch->first_ts - epoch->first_start),
               pf_aiu_num(run, epoch->first_start + run->origin));
}

/* Which ranks' epochs were replaced, as far as a line has room, and how often all together. */
static void report_epochs(aiu_run *run)
{
    enum { SHOWN_MAX = 64 };
    pf_str pids = {"", 0};
    uint64_t updates = 0;
    const uint32_t *order = pf_aiu_ranks_by_pid(run);
    for (uint32_t r = 0; r < run->ranks.count; r++) {
        updates += run->epochs[r].updates;
        if (run->epochs[r].known) {
            report_epoch(run, r);
        }
    }
    for (uint32_t i = 0, n = 0; updates && order && i < run->ranks.count && n < SHOWN_MAX; i++) {
        if (run->epochs[order[i]].updates) {
            pf_str pid = pf_aiu_pid_text(run, run->ranks.pid[order[i]]);
            pids =
                pf_findings_format(run->findings, "%.*s%s%.*s", PF_TEXT_ARG(pids), n++ ? ", " : "", PF_TEXT_ARG(pid));
        }
    }
    if (updates) {
        pf_aiu_log(
            run, "WARNING",
            "OVC: reference epoch had to be updated %llu times with newly detected earlier timestamps. This "
            "indicates events with 0.0-timestamps or out-of-order input events. (pid={%.*s}, job={%u}, start=0.0)",
            (unsigned long long)updates, PF_TEXT_ARG(pids), run->job_count);
    }
}

static void grow(aiu_run *run, uint32_t row)
{
    aiu_events *e = &run->events;
    double laps = pf_aiu_laps(run, row);
    int32_t lap = laps > 1e9 ? 1000000000 : laps < -1e9 ? -1000000000 : (int32_t)laps;
    for (unsigned n = 0; n < 5; n++) {
        e->tsx[n][row] += (int64_t)lap * 4294967296;
    }
    e->ovc[row] = lap;
    e->flags[row] |= AIU_EXTENDED;
}

/* Acelyzer knows the epochs of all events by then only if it waits for them in between. */
void pf_aiu_grow_counters(aiu_run *run)
{
    bool waits = !pf_aiu_rule(run, AIU_HOST_LAPS) || pf_aiu_stage_on(run, "pipeline_barrier");
    aiu_advice advice = {.drift = 0};
    if (!run->epochs) {
        return;
    }
    if (!waits) {
        memset(run->epochs, 0, run->ranks.count * sizeof *run->epochs);
    }
    advice.seen = pf_aiu_scratch_map(run);
    for (uint32_t i = 0; i < run->alive; i++) {
        uint32_t row = run->order[i];
        if (pf_aiu_is_device_slice(run, row)) {
            if (!waits) {
                note_epoch(run, row);
            }
            pf_aiu_take_for_advice(run, row, &advice);
            grow(run, row);
        }
    }
    pf_aiu_advise(run, &advice);
    report_epochs(run);
}

/* Events without time cannot be placed. Metadata does not need one and stays, but for acelyzer. */
void pf_aiu_check_events(aiu_run *run)
{
    aiu_events *e = &run->events;
    for (uint32_t i = 0; i < run->alive; i++) {
        uint32_t row = run->order[i];
        bool kept = !(e->flags[row] & AIU_NO_TIME) || (e->phase[row] == 'M' && !pf_aiu_rule(run, AIU_ALL_EVENTS));
        if (!kept) {
            pf_str text = pf_aiu_event_text(run, row);
            pf_aiu_log(run, "ERROR", "Event failed sanityCheck:  ts is not in %.*s", PF_TEXT_ARG(text));
        }
        e->flags[row] |= kept ? 0 : AIU_DROPPED;
    }
    pf_aiu_compact(run);
}
