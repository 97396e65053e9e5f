/* analyze/aiu/steps/aiu_wallclock.c - from what the host noted about device events to when they were.
 *
 * The host learns of the end of a step without delay, of its begin at any time. So the end stands, and cycles say how
 * long it took: first from TS1 to the counter that goes with the end, then the step of the event alone. Kernels of a
 * rank that overlap on the device, which it cannot do, have the wrong lap or the wrong clock.
 */
#include "analyze/aiu/steps/aiu_steps.h"

enum { FIRST_THREAD = 1000, THREADS_APART = 100, THREADS_MAX = 30 };

/* The k-th thread that slices name becomes 1000 + 100 k. */
void pf_aiu_map_threads(aiu_run *run)
{
    aiu_events *e = &run->events;
    pf_map *seen = pf_aiu_scratch_map(run);
    for (uint32_t i = 0; i < run->alive; i++) {
        uint32_t row = run->order[i];
        if (pf_aiu_is_slice(run, row) && !(e->flags[row] & AIU_TORCH)) {
            uint32_t k = pf_aiu_number(run, seen, (uint64_t)e->tid[row]);
            e->tid[row] =
                FIRST_THREAD + THREADS_APART * (int64_t)(pf_aiu_rule(run, AIU_OTHER_NAMES) ? k % THREADS_MAX : k);
        }
    }
}

/* Host slices share the first thread, but for the round trips of the device. */
void pf_aiu_recombine_hosts(aiu_run *run)
{
    aiu_events *e = &run->events;
    for (uint32_t i = 0; i < run->alive; i++) {
        uint32_t row = run->order[i];
        if (pf_aiu_is_slice(run, row) && !(e->flags[row] & (AIU_TORCH | AIU_HAS_TS)) &&
            !(pf_aiu_name(run, e->name[row])->flags & AIU_NAME_ROUNDTRIP)) {
            e->tid[row] = FIRST_THREAD;
        }
    }
}

/* The counter that goes with the end of a device event, by the step that its name ends in. */
static unsigned last_counter(aiu_run *run, uint32_t row)
{
    bool torch = run->events.flags[row] & AIU_TORCH && !pf_aiu_rule(run, AIU_FLEX_ALONE);
    unsigned op = torch ? pf_aiu_step(run, row) : pf_aiu_name(run, run->events.name[row])->ends;
    return op == AIU_OP_NONE ? 5 : op + 2;
}

/* Torch has placed its slices on the host's clock; cycles move them only with a clock that was asked for. */
static bool keeps_times(const aiu_run *run, uint32_t row)
{
    return run->set.auto_clock && run->events.flags[row] & AIU_TORCH;
}

static void take_cycles(aiu_run *run, uint32_t row)
{
    aiu_events *e = &run->events;
    unsigned last = last_counter(run, row);
    double end = pf_aiu_end(run, row);
    e->flags[row] |= AIU_ON_CLOCK;
    if (keeps_times(run, row)) {
        e->anchor[row] = end;
        e->anchor_device[row] = pf_aiu_device_time(run, row, last);
        return;
    }
    double first = pf_aiu_device_time(run, row, 1);
    double ts = end - (pf_aiu_device_time(run, row, last) - first), dur = end - ts;
    if (ts != e->ts[row]) {
        e->adjust_ts[row] = ts - e->ts[row];
        e->adjust_dur[row] = dur - e->dur[row];
        e->flags[row] |= AIU_ADJUSTED;
    }
    e->ts[row] = ts;
    e->dur[row] = dur;
    e->anchor[row] = ts;
    e->anchor_device[row] = first;
}

void pf_aiu_to_wallclock(aiu_run *run)
{
    pf_aiu_each(run, pf_aiu_is_device_slice, take_cycles);
    run->show_ts_dev = run->show_ts_all = true;
}

static bool is_on_clock(aiu_run *run, uint32_t row)
{
    return pf_aiu_is_slice(run, row) && run->events.flags[row] & AIU_ON_CLOCK;
}

static void tighten(aiu_run *run, uint32_t row)
{
    aiu_events *e = &run->events;
    unsigned op = pf_aiu_step(run, row);
    if (keeps_times(run, row)) {
        return;
    }
    if (op == AIU_OP_NONE) {
        e->anchor[row] = e->ts[row];
        e->anchor_device[row] = pf_aiu_device_time(run, row, 1);
        e->dur[row] = pf_aiu_device_time(run, row, 5) - pf_aiu_device_time(run, row, 1);
        return;
    }
    double end = pf_aiu_end(run, row), last = pf_aiu_device_time(run, row, op + 2);
    e->dur[row] = last - pf_aiu_device_time(run, row, op + 1);
    e->ts[row] = end - e->dur[row];
    e->anchor[row] = end;
    e->anchor_device[row] = last;
}

void pf_aiu_tighten(aiu_run *run)
{
    pf_aiu_each(run, is_on_clock, tighten);
}

/* The kernel before, of a rank: its TS4 (INT64_MIN: none) and TS3, and when it began. */
typedef struct before {
    int64_t last, begin;
    double ts;
} before;

typedef struct overlaps {
    uint64_t kernels, count;
    int64_t most; /* cycles */
} overlaps;

/* What was recorded twice does not count: it begins with the counter, for acelyzer not after the time, of the kernel
 * before. */
static void take(const aiu_run *run, overlaps *o, before *b, uint32_t row)
{
    const aiu_events *e = &run->events;
    int64_t over = b->last == INT64_MIN ? 0 : b->last - e->tsx[2][row];
    bool twice = pf_aiu_rule(run, AIU_EQUALS_LATE) ? b->ts >= e->ts[row] : b->begin == e->tsx[2][row];
    bool counts = over > 0 && !twice;
    o->kernels++;
    o->count += counts;
    o->most = counts && over > o->most ? over : o->most;
    *b = (before){e->tsx[3][row], e->tsx[2][row], e->ts[row]};
}

void pf_aiu_check_sequence(aiu_run *run)
{
    overlaps o = {0};
    before *ranks = pf_aiu_scratch(run, run->ranks.count, sizeof *ranks);
    for (uint32_t r = 0; ranks && r < run->ranks.count; r++) {
        ranks[r].last = pf_aiu_rule(run, AIU_EQUALS_LATE) ? 0 : INT64_MIN; /* 0: a first kernel below overlaps, too */
        ranks[r].begin = INT64_MIN;
    }
    for (uint32_t i = 0; ranks && i < run->alive; i++) {
        uint32_t row = run->order[i];
        if (pf_aiu_is_device_slice(run, row) && pf_aiu_name(run, run->events.name[row])->has == AIU_OP_EXEC) {
            take(run, &o, &ranks[run->events.rank[row]], row);
        }
    }
    if (o.count && (pf_aiu_rule(run, AIU_OTHER_WORDS) || !run->sequence_checked)) {
        pf_aiu_log(run, "WARNING",
                   "TS_SEQUENCE: detected cycles overlapping (TS3[n] < TS4[n-1]) between cmpt_exec events within the "
                   "same PID  %llu / %llu max overlap cycles:  %lld",
                   (unsigned long long)o.count, (unsigned long long)o.kernels, (long long)o.most);
    }
    run->sequence_checked = true;
}
