/* analyze/aiu/stages/aiu_frequency.c - which clock the cycle counters really have, by what kernels show.
 *
 * The cycles of a kernel over its length on the host's clock, and the cycles between two kernels over the time between
 * them, both by rank. The first events of jobs, against the epoch of their rank, give the clock that would keep
 * counters and host together over the whole capture; ours is what kernels show (aiu_clock.c), where they do.
 */
#include <math.h>

#include "analyze/aiu/stages/aiu_overflow.h"

static void add(aiu_range *r, double v)
{
    r->least = r->count && r->least <= v ? r->least : v;
    r->most = r->count && r->most >= v ? r->most : v;
    r->sum += v;
    r->count++;
}

typedef struct rank_clock {
    aiu_range duration, interval;
    bool any;
    double ts;     /* of the kernel before */
    int64_t cycle; /* its TS3 */
} rank_clock;

/* One of both ranges over all ranks: extremes of all, mean of the means. */
static aiu_range over_ranks(const rank_clock *clocks, uint32_t count, bool interval)
{
    aiu_range all = {0, 0, 0, 0};
    for (uint32_t i = 0; i < count; i++) {
        const aiu_range *r = interval ? &clocks[i].interval : &clocks[i].duration;
        if (r->count) {
            all.least = all.count && all.least <= r->least ? all.least : r->least;
            all.most = all.count && all.most >= r->most ? all.most : r->most;
            all.sum += r->sum / (double)r->count;
            all.count++;
        }
    }
    return all;
}

static void report(aiu_run *run, const char *kind, const aiu_range *r)
{
    if (!r->count) {
        return;
    }
    double mean = r->sum / (double)r->count, spread = (r->most - r->least) / mean, ratio = run->set.soc / mean;
    pf_str least = pf_aiu_real(run, pf_aiu_round(r->least, 2)), most = pf_aiu_real(run, pf_aiu_round(r->most, 2));
    pf_str middle = pf_aiu_real(run, pf_aiu_round(mean, 2)), range_text = pf_aiu_real(run, pf_aiu_round(spread, 3));
    pf_str ratio_text = pf_aiu_real(run, pf_aiu_round(ratio, 3));
    pf_aiu_log(run, spread > 0.1 || fabs(1 - ratio) > 0.1 ? "WARNING" : "INFO",
               "FREQ: Detected Event-%s-based frequency (min/mean/max): %.*s %.*s %.*s ; rel_range=%.*s, "
               "input_soc_freq/detected=%.*s",
               kind, (int)least.len, least.ptr, (int)middle.len, middle.ptr, (int)most.len, most.ptr,
               (int)range_text.len, range_text.ptr, (int)ratio_text.len, ratio_text.ptr);
}

/* The time of TS3 that follows the laps that the host's clock saw, where results are ours. */
static int64_t counter_of(aiu_run *run, uint32_t row)
{
    int64_t cycle = run->events.tsx[2][row];
    if (run->set.compat != AIU_WANT) {
        return cycle;
    }
    double laps = pf_aiu_laps(run, row);
    return laps > 0 && laps < 1e9 ? cycle + ((int64_t)laps << 32) : cycle;
}

static void take_kernel(aiu_run *run, uint32_t row, rank_clock *c, uint64_t *same_time)
{
    const aiu_events *e = &run->events;
    int64_t cycle = counter_of(run, row);
    double own = (double)(e->tsx[3][row] - e->tsx[2][row]) / e->dur[row], step = e->ts[row] - c->ts;
    if (!(e->dur[row] > 0)) {
        return;
    }
    add(&c->duration, own);
    bool apart = c->any && step > 0;
    if (apart || run->set.compat != AIU_WANT) {
        add(&c->interval, apart ? (double)(cycle - c->cycle) / step : own);
    }
    *same_time += c->any && !(step > 0);
    c->any = true;
    c->ts = e->ts[row];
    c->cycle = cycle;
}

pf_status pf_aiu_measure_frequency(aiu_run *run)
{
    rank_clock *clocks = pf_pass_alloc(run->ctx, run->ranks.count + 1, sizeof *clocks, &run->error);
    uint64_t same_time = 0;
    if (!clocks) {
        return run->error.code;
    }
    for (uint32_t i = 0; i < run->alive; i++) {
        uint32_t row = run->order[i];
        if (pf_aiu_is_slice(run, row) && pf_aiu_is_device(run, row) && pf_aiu_step(run, row) == AIU_OP_EXEC) {
            take_kernel(run, row, &clocks[run->events.rank[row]], &same_time);
        }
    }
    aiu_range duration = over_ranks(clocks, run->ranks.count, false);
    aiu_range interval = over_ranks(clocks, run->ranks.count, true);
    report(run, "duration", &duration);
    report(run, "interval", &interval);
    if (same_time) {
        pf_aiu_log(run, "WARNING",
                   "Detected %llu identical timestamps between consecutive events. This suggests a timestamp issue in "
                   "the trace and causes unreliable interval-based frequency calculation.",
                   (unsigned long long)same_time);
    }
    return PF_OK;
}

/* ---- the recommendation ------------------------------------------------------------------------------------------ */

/* Two events that are nearer than this say nothing of a clock. */
#define LEAST_DISTANCE_US 2000.0
#define SAME_TIME 1e-9 /* of the time since 1970, about 1.7 ms: for the program before postfetto */

/* Against the rank's epoch. */
static void take_first(aiu_run *run, uint32_t row, aiu_advice *a)
{
    const aiu_events *e = &run->events;
    const aiu_epoch *epoch = &run->epochs->list[e->rank[row]];
    double laps = pf_aiu_laps(run, row);
    double start = e->ts[row] - (double)e->tsx[0][row] / run->set.soc;
    double drift = trunc(start - (epoch->start + laps * pf_aiu_span(run)));
    bool want = run->set.compat == AIU_WANT;
    double cycles = (double)e->tsx[0][row] + laps * 4294967296.0 - (double)epoch->cycle;
    double later = run->origin + (e->ts[row] > epoch->ts ? e->ts[row] : epoch->ts);
    double least = want ? LEAST_DISTANCE_US : SAME_TIME * fabs(later);
    bool apart = fabs(e->ts[row] - epoch->ts) > least && (want || cycles != 0);
    a->drift = (want || apart) && fabs(drift) > fabs(a->drift) ? drift : a->drift;
    if (apart) {
        add(&a->clock, cycles / (e->ts[row] - epoch->ts));
    }
}

/* A rank's jobs begin anew with its epoch. */
pf_status pf_aiu_take_for_advice(aiu_run *run, uint32_t row, aiu_advice *a)
{
    const aiu_events *e = &run->events;
    uint64_t pair = (uint64_t)e->rank[row] << 32 | e->job[row];
    uint32_t epoch = (uint32_t)run->epochs->list[e->rank[row]].updates;
    if (pf_map_get(&a->seen, pair) == epoch) {
        return PF_OK;
    }
    take_first(run, row, a);
    return pf_map_set(&a->seen, pair, epoch) ? PF_OK : pf_budget_refused(run->budget, run->job_count, &run->error);
}

void pf_aiu_advise(aiu_run *run, const aiu_advice *a)
{
    double mean = run->clock > 0 && run->set.compat == AIU_WANT ? run->clock : a->clock.sum / (double)a->clock.count;
    if (!a->clock.count || run->clock_said) {
        return;
    }
    /* The program before postfetto counts from 0. */
    double top = a->clock.most > 0 || run->set.compat == AIU_WANT ? a->clock.most : 0;
    if (top - a->clock.least > 0.2 * mean) {
        pf_str least = pf_aiu_real(run, pf_aiu_round(a->clock.least, 3));
        pf_str most = pf_aiu_real(run, pf_aiu_round(top, 3));
        pf_aiu_log(run, "WARNING",
                   "FREQ: Min/Max of detected correct frequency is >20%% of mean (%.*s,%.*s). This indicates some "
                   "events might have been assigned to the wrong TSx epoch.",
                   (int)least.len, least.ptr, (int)most.len, most.ptr);
    } else if (fabs(mean - run->set.soc) > 0.1) {
        pf_str best = pf_aiu_real(run, pf_aiu_round(mean, 3));
        pf_aiu_log(run, "WARNING",
                   "FREQ: Recommendation: to minimize event time drift (max: %lldus) between CPU and Accelerator, use: "
                   "--freq=%.*s",
                   (long long)a->drift, (int)best.len, best.ptr);
    }
}
