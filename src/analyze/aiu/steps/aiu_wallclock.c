/* analyze/aiu/steps/aiu_wallclock.c - from what the host noted about device events to when they were.
 *
 * The host learns of the end of a step without delay, of its begin at any time. So the end stands, and cycles say how
 * long it took: first from TS1 to the counter that goes with the end, then the step of the event alone. Kernels of a
 * rank that overlap on the device, which it cannot do, have the wrong lap or the wrong clock.
 */
#include <inttypes.h>

#include "analyze/aiu/steps/aiu_steps.h"

enum { FIRST_THREAD = 1000, THREADS_APART = 100, THREADS_MAX = 30 };

void pf_aiu_map_threads(aiu_run *run)
{
    pf_map *seen = pf_aiu_scratch_map(run);
    for (uint32_t i = 0, e; pf_aiu_next(run, pf_aiu_is_any_slice, &i, &e);) {
        if (!(run->events.flags[e] & AIU_TORCH)) {
            uint32_t k = pf_aiu_number(run, seen, (uint64_t)run->events.tid[e]);
            k = pf_aiu_rule(run, AIU_OTHER_NAMES) ? k % THREADS_MAX : k;
            run->events.tid[e] = FIRST_THREAD + THREADS_APART * (int64_t)k;
        }
    }
}

/* Host slices share the first thread, but for the round trips of the device. */
void pf_aiu_recombine_hosts(aiu_run *run)
{
    aiu_events *v = &run->events;
    for (uint32_t i = 0, e; pf_aiu_next(run, pf_aiu_is_any_slice, &i, &e);) {
        bool shares =
            !(v->flags[e] & (AIU_TORCH | AIU_HAS_TS)) && !(pf_aiu_name(run, v->name[e])->flags & AIU_NAME_ROUNDTRIP);
        v->tid[e] = shares ? FIRST_THREAD : v->tid[e];
    }
}

/* Torch has placed its slices on the host's clock; cycles move them only with a clock that was asked for. */
static bool keeps_times(const aiu_run *run, uint32_t row)
{
    return run->set.auto_clock && run->events.flags[row] & AIU_TORCH;
}

/* Device time d of TSn is host time `at`. */
static void anchor(aiu_run *run, uint32_t e, double at, unsigned n)
{
    run->events.anchor[e] = at;
    run->events.anchor_device[e] = pf_aiu_device_time(run, e, n);
}

/* The step that its name ends in says which counter goes with the end of a device event. */
static void take_cycles(aiu_run *run, uint32_t e)
{
    aiu_events *v = &run->events;
    bool torch = v->flags[e] & AIU_TORCH && !pf_aiu_rule(run, AIU_FLEX_ALONE);
    unsigned op = torch ? pf_aiu_step(run, e) : pf_aiu_name(run, v->name[e])->ends,
             last = op == AIU_OP_NONE ? 5 : op + 2;
    double end = pf_aiu_end(run, e);
    v->flags[e] |= AIU_ON_CLOCK;
    if (keeps_times(run, e)) {
        anchor(run, e, end, last);
        return;
    }
    double ts = end - (pf_aiu_device_time(run, e, last) - pf_aiu_device_time(run, e, 1)), dur = end - ts;
    if (ts != v->ts[e]) {
        v->adjust_ts[e] = ts - v->ts[e];
        v->adjust_dur[e] = dur - v->dur[e];
        v->flags[e] |= AIU_ADJUSTED;
    }
    v->ts[e] = ts;
    v->dur[e] = dur;
    anchor(run, e, ts, 1);
}

void pf_aiu_to_wallclock(aiu_run *run)
{
    for (uint32_t i = 0, e; pf_aiu_next(run, pf_aiu_is_device_slice, &i, &e);) {
        take_cycles(run, e);
    }
    run->show_ts_dev = run->show_ts_all = true;
}

static bool is_moved(aiu_run *run, uint32_t e)
{
    return pf_aiu_is_slice(run, e) && run->events.flags[e] & AIU_ON_CLOCK && !keeps_times(run, e);
}

void pf_aiu_tighten(aiu_run *run)
{
    aiu_events *v = &run->events;
    for (uint32_t i = 0, e; pf_aiu_next(run, is_moved, &i, &e);) {
        unsigned op = pf_aiu_step(run, e), from = op == AIU_OP_NONE ? 1 : op + 1, to = op == AIU_OP_NONE ? 5 : op + 2;
        double end = pf_aiu_end(run, e);
        v->dur[e] = pf_aiu_device_time(run, e, to) - pf_aiu_device_time(run, e, from);
        if (op == AIU_OP_NONE) {
            anchor(run, e, v->ts[e], from);
        } else {
            v->ts[e] = end - v->dur[e];
            anchor(run, e, end, to);
        }
    }
}

/* The kernel before, of a rank: its TS4 (INT64_MIN: none) and TS3, and when it began. */
typedef struct before {
    int64_t last, begin;
    double ts;
} before;

static bool executes(aiu_run *run, uint32_t e)
{
    return pf_aiu_is_device_slice(run, e) && pf_aiu_name(run, run->events.name[e])->has == AIU_OP_EXEC;
}

/* What was recorded twice does not count: it begins with the counter, for acelyzer not after the time, of the kernel
 * before. */
void pf_aiu_check_sequence(aiu_run *run)
{
    const aiu_events *v = &run->events;
    uint64_t kernels = 0, count = 0;
    int64_t most = 0; /* cycles */
    bool late = pf_aiu_rule(run, AIU_EQUALS_LATE);
    before *ranks = pf_aiu_scratch(run, run->ranks.count, sizeof *ranks);
    for (uint32_t r = 0; ranks && r < run->ranks.count; r++) {
        ranks[r].last = late ? 0 : INT64_MIN; /* 0: a first kernel below overlaps, too */
        ranks[r].begin = INT64_MIN;
    }
    for (uint32_t i = 0, e; ranks && pf_aiu_next(run, executes, &i, &e);) {
        before *b = &ranks[v->rank[e]];
        int64_t over = b->last == INT64_MIN ? 0 : b->last - v->tsx[2][e];
        bool twice = late ? b->ts >= v->ts[e] : b->begin == v->tsx[2][e], counts = over > 0 && !twice;
        kernels++;
        count += counts;
        most = counts && over > most ? over : most;
        *b = (before){v->tsx[3][e], v->tsx[2][e], v->ts[e]};
    }
    if (count && (pf_aiu_rule(run, AIU_OTHER_WORDS) || !run->sequence_checked)) {
        pf_aiu_log(run, "WARNING",
                   "TS_SEQUENCE: detected cycles overlapping (TS3[n] < TS4[n-1]) between cmpt_exec events within the "
                   "same PID  %" PRIu64 " / %" PRIu64 " max overlap cycles:  %" PRId64,
                   count, kernels, most);
    }
    run->sequence_checked = true;
}
