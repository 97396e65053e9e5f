/* analyze/aiu/stages/aiu_stage_normalise.c - normalize_phase1 and normalize_phase2: which events count, one spelling of
 * names, and counters of 32 bits that grow.
 *
 * A counter wraps every few seconds. Inside an event, a value below the one before it has wrapped. Between events the
 * host's clock gives the lap: the time at which the counter would have been 0 is worked out for every event; the
 * earliest of a rank is its epoch, and an event that begins n laps after it has wrapped n times.
 */
#include <math.h>
#include <string.h>

#include "analyze/aiu/facts/aiu_event_text.h"
#include "analyze/aiu/facts/aiu_pattern.h"
#include "analyze/aiu/stages/aiu_overflow.h"
#include "analyze/aiu/stages/aiu_stages.h"

/* ---- limits and names -------------------------------------------------------------------------------------------- */

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
        n += inside && !(e->flags[row] & AIU_DROPPED) && !(uncounted && run->set.compat == AIU_WANT);
        if (!uncounted && !(inside && n > l->skip && n <= l->skip + l->count)) {
            e->flags[row] |= AIU_DROPPED;
        }
    }
}

/* `from` becomes `to`, which is not longer, wherever it stands. */
static size_t replace(char *text, size_t len, const char *from, const char *to)
{
    size_t width = strlen(from), put = 0;
    for (size_t i = 0; i < len;) {
        if (len - i >= width && memcmp(text + i, from, width) == 0) {
            memcpy(text + put, to, strlen(to));
            put += strlen(to);
            i += width;
        } else {
            text[put++] = text[i++];
        }
    }
    return put;
}

static uint32_t unify(aiu_run *run, uint32_t name)
{
    pf_str text = pf_aiu_text_of(run, name);
    if (!pf_aiu_contains(text, "RDMA") && !pf_aiu_contains(text, "Receive")) {
        return name;
    }
    char *copy = pf_alloc(run->budget, text.len);
    if (!copy) {
        pf_budget_refused(run->budget, text.len, &run->error);
        return PF_NONE;
    }
    memcpy(copy, text.ptr, text.len);
    size_t len = replace(copy, text.len, "RDMA", "Rdma");
    len = replace(copy, len, "Receive", "Recv");
    uint32_t unified = pf_aiu_text(run, (pf_str){copy, len});
    pf_release(run->budget, copy, text.len);
    return unified;
}

/* Each text is unified once: `seen` holds the result by text, from 1. */
static pf_status unify_names(aiu_run *run)
{
    aiu_events *e = &run->events;
    uint32_t known = run->texts.count;
    uint32_t *seen = pf_pass_alloc(run->ctx, known, sizeof *seen, &run->error);
    for (uint32_t i = 0; i < run->alive && seen; i++) {
        uint32_t row = run->order[i], name = e->name[row];
        if (e->phase[row] != 'X' || name >= known || name == 0) {
            continue;
        }
        seen[name] = seen[name] ? seen[name] : unify(run, name);
        if (seen[name] == PF_NONE) {
            return run->error.code;
        }
        e->name[row] = seen[name];
    }
    return seen ? PF_OK : run->error.code;
}

/* ---- inside an event --------------------------------------------------------------------------------------------- */

static pf_status grow_inside(aiu_run *run, uint32_t row)
{
    static const char *const names[] = {"TS1", "TS2", "TS3", "TS4", "TS5"};
    aiu_events *e = &run->events;
    pf_status st = PF_OK;
    int64_t before = e->tsx[0][row], first = -1;
    for (unsigned n = 1; n < 5; n++) {
        if (e->tsx[n][row] < before) {
            e->tsx[n][row] += (int64_t)1 << 32;
            first = first < 0 ? (int64_t)n : first;
        }
        before = e->tsx[n][row];
    }
    if (first > 0) {
        st = pf_aiu_add_text(run, row, PF_STR("TSxOF"), (pf_str){names[first], 3});
    }
    return st;
}

static void note_epoch(aiu_run *run, uint32_t row)
{
    aiu_events *e = &run->events;
    aiu_epoch *epoch = &run->epochs->list[e->rank[row]];
    int64_t cycle = pf_aiu_first_counter(run, row);
    double start = e->ts[row] - (double)cycle / run->set.soc;
    if (!epoch->known || start < epoch->start) {
        double first_start = epoch->known ? epoch->first_start : start;
        double first_ts = epoch->known ? epoch->first_ts : e->ts[row];
        uint64_t updates = epoch->updates + epoch->known;
        *epoch = (aiu_epoch){true, e->job[row], start, e->ts[row], cycle, first_start, first_ts, updates};
    }
}

static pf_status read_counters(aiu_run *run)
{
    aiu_events *e = &run->events;
    double span = pf_aiu_span(run);
    uint64_t undetected = 0;
    pf_status st = PF_OK;
    for (uint32_t i = 0; i < run->alive && st == PF_OK; i++) {
        uint32_t row = run->order[i];
        if (pf_aiu_is_slice(run, row) && pf_aiu_is_device(run, row)) {
            st = grow_inside(run, row);
            note_epoch(run, row);
            undetected += e->dur[row] > span;
        }
    }
    if (undetected) {
        pf_aiu_log(run, "WARNING", "OVC: potential undetected overflow in %llu events longer than a lap of the counter",
                   (unsigned long long)undetected);
    }
    return st;
}

pf_status pf_aiu_normalise_first(aiu_run *run)
{
    pf_status st = pf_aiu_find_clock(run); /* of all kernels, whichever count afterwards */
    apply_limit(run);
    st = st == PF_OK ? unify_names(run) : st;
    st = st == PF_OK ? pf_aiu_apply_filters(run) : st;
    for (uint32_t i = 0; i < run->alive; i++) {
        run->events.flags[run->order[i]] |= run->events.phase[run->order[i]] == 'X' ? AIU_SHOW_JOB : 0;
    }
    pf_aiu_compact(run);
    run->epochs = st == PF_OK ? pf_pass_alloc(run->ctx, 1, sizeof *run->epochs, &run->error) : NULL;
    if (!run->epochs) {
        return run->error.code;
    }
    run->epochs->list = pf_pass_alloc(run->ctx, run->ranks.count + 1, sizeof *run->epochs->list, &run->error);
    st = run->epochs->list ? read_counters(run) : run->error.code;
    return st == PF_OK ? pf_aiu_measure_frequency(run) : st;
}

/* ---- between events ---------------------------------------------------------------------------------------------- */

static void report_epoch(aiu_run *run, uint32_t rank)
{
    const aiu_epoch *epoch = &run->epochs->list[rank];
    pf_str offset = pf_aiu_real(run, epoch->first_ts - epoch->first_start);
    pf_str start = pf_aiu_real(run, epoch->first_start + run->origin);
    pf_str job = run->jobs[epoch->job].name, pid = pf_aiu_pid_text(run, run->ranks.pid[rank]);
    pf_aiu_log(run, "INFO", "OVC: Reference Epoch for %.*s %.*s %.*s %.*s", (int)pid.len, pid.ptr, (int)job.len,
               job.ptr, (int)offset.len, offset.ptr, (int)start.len, start.ptr);
}

/* The rank with the least pid above `pid` whose epoch was replaced; PF_NONE at the end. */
static uint32_t next_updated(const aiu_run *run, int64_t pid, bool first)
{
    uint32_t next = PF_NONE;
    for (uint32_t r = 0; r < run->ranks.count; r++) {
        bool later = (first || run->ranks.pid[r] > pid) && run->epochs->list[r].updates;
        next = later && (next == PF_NONE || run->ranks.pid[r] < run->ranks.pid[next]) ? r : next;
    }
    return next;
}

/* Which ranks' epochs were replaced, as far as a line has room, and how often all together. */
static pf_status report_epochs(aiu_run *run)
{
    enum { SHOWN_MAX = 64 };
    pf_str pids = {"", 0};
    uint64_t updates = 0;
    for (uint32_t r = 0; r < run->ranks.count; r++) {
        updates += run->epochs->list[r].updates;
        if (run->epochs->list[r].known) {
            report_epoch(run, r);
        }
    }
    uint32_t r = next_updated(run, 0, true);
    for (unsigned n = 0; r != PF_NONE && n < SHOWN_MAX; n++, r = next_updated(run, run->ranks.pid[r], false)) {
        pf_str pid = pf_aiu_pid_text(run, run->ranks.pid[r]);
        pids = pf_findings_format(run->findings, "%.*s%s%.*s", (int)pids.len, pids.ptr, n ? ", " : "", (int)pid.len,
                                  pid.ptr);
    }
    if (updates) {
        pf_aiu_log(
            run, "WARNING",
            "OVC: reference epoch had to be updated %llu times with newly detected earlier timestamps. This "
            "indicates events with 0.0-timestamps or out-of-order input events. (pid={%.*s}, job={%u}, start=0.0)",
            (unsigned long long)updates, (int)pids.len, pids.ptr, run->job_count);
    }
    return pf_findings_status(run->findings, NULL);
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

/* The program before postfetto knows the epochs of all events by then only if it waits for them in between. */
pf_status pf_aiu_normalise_second(aiu_run *run)
{
    bool waits = run->set.compat == AIU_WANT || pf_aiu_stage_on(run, "pipeline_barrier");
    aiu_advice advice = {.drift = 0};
    pf_status st = PF_OK;
    if (!run->epochs) {
        return PF_OK;
    }
    if (!waits) {
        memset(run->epochs->list, 0, run->ranks.count * sizeof *run->epochs->list);
    }
    pf_map_init(&advice.seen, run->budget);
    for (uint32_t i = 0; i < run->alive && st == PF_OK; i++) {
        uint32_t row = run->order[i];
        if (pf_aiu_is_slice(run, row) && pf_aiu_is_device(run, row)) {
            if (!waits) {
                note_epoch(run, row);
            }
            st = pf_aiu_take_for_advice(run, row, &advice);
            grow(run, row);
        }
    }
    pf_map_free(&advice.seen);
    pf_aiu_advise(run, &advice);
    return st == PF_OK ? report_epochs(run) : st;
}

/* ---- what cannot be used ----------------------------------------------------------------------------------------- */

/* Events without time cannot be placed. Metadata does not need one and stays, unless another program's results are
 * wanted. */
pf_status pf_aiu_check_events(aiu_run *run)
{
    aiu_events *e = &run->events;
    for (uint32_t i = 0; i < run->alive && !pf_aiu_failed(run); i++) {
        uint32_t row = run->order[i];
        bool kept = !(e->flags[row] & AIU_NO_TIME) || (e->phase[row] == 'M' && run->set.compat == AIU_WANT);
        if (!kept) {
            pf_str text = pf_aiu_event_text(run, row);
            pf_aiu_log(run, "ERROR", "Event failed sanityCheck:  ts is not in %.*s", (int)text.len, text.ptr);
            e->flags[row] |= AIU_DROPPED;
        }
    }
    pf_aiu_compact(run);
    return run->error.code;
}
