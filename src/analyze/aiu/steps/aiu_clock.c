/* analyze/aiu/steps/aiu_clock.c - the clock of the counters by what kernels show: cycles of their step over their
 * length on the host's clock.
 *
 * The host may note the end of a kernel late, and short kernels are rounded. So the clock is the median of all kernels,
 * each as heavy as it is long, and certain if it is one that a counter can have, and kernels with three quarters of the
 * time are within one percent of it.
 *
 * The log shows two more: the cycles of kernels over their length, and the cycles between two kernels over the time
 * between them, both by rank. The first events of jobs, against the epoch of their rank, give the clock that would keep
 * counters and host together over the whole capture; ours is what kernels show, where they do.
 */

#include "analyze/aiu/steps/aiu_steps.h"

#define NEAR 0.01 /* of the clock */
#define AGREE 0.75
#define SLOWEST 50.0 /* MHz */
#define FASTEST 10000.0

/* Cycles per us; the step may have wrapped. */
static double clock_of(const aiu_run *run, uint32_t e)
{
    int64_t cycles = run->events.tsx[3][e] - run->events.tsx[2][e];
    return (double)(cycles < 0 ? cycles + 4294967296 : cycles) / run->events.dur[e];
}

static aiu_key key_of(const aiu_run *run, uint32_t e)
{
    return (aiu_key){clock_of(run, e), 0, e};
}

static bool is_kernel(aiu_run *run, uint32_t e)
{
    return pf_aiu_is_device_slice(run, e) && pf_aiu_step(run, e) == AIU_OP_EXEC;
}

static bool shows_clock(aiu_run *run, uint32_t e)
{
    return is_kernel(run, e) && run->events.dur[e] > 0 && clock_of(run, e) > 0;
}

/* The clock of keys that are sorted by theirs; 0: nothing certain. */
static double weigh(const aiu_run *run, const aiu_key *keys, uint32_t count)
{
    double all = 0, below = 0, near = 0;
    for (uint32_t i = 0; i < count; i++) {
        all += run->events.dur[keys[i].row];
    }
    uint32_t middle = 0;
    while (middle < count && (below += run->events.dur[keys[middle].row]) < all / 2) {
        middle++;
    }
    double clock = middle < count ? keys[middle].first : 0;
    for (uint32_t i = 0; i < count; i++) {
        near += fabs(keys[i].first - clock) <= NEAR * clock ? run->events.dur[keys[i].row] : 0;
    }
    return near >= AGREE * all && clock >= SLOWEST && clock <= FASTEST ? pf_aiu_round(clock, 3) : 0;
}

/* A clock that was given and is another one stands before everything else, as all that follows is wrong with it. */
static void say(aiu_run *run, uint32_t kernels)
{
    const char *soc = pf_aiu_num(run, run->set.soc), *clock = pf_aiu_num(run, run->clock);
    bool known = run->clock > 0, automatic = run->set.auto_clock;
    run->clock_said = !automatic && known && fabs(run->set.soc / run->clock - 1) > NEAR;
    if (run->clock_said && run->ctx->values[AIU_OPT_LOG_LEVEL].i >= 1) {
        pf_findings_show_line(run->findings, PF_NOTICE,
                              "FREQ: THE COUNTERS RUN AT %s MHZ, NOT AT %s: USE --freq %s:%s (OR auto). "
                              "LENGTHS, POWER AND USE BY CYCLES ARE OFF BY %s %%.",
                              clock, soc, clock, pf_aiu_num(run, run->set.core),
                              pf_aiu_rounded(run, 100 * fabs(run->set.soc / run->clock - 1), 1));
    } else if (automatic && known) {
        pf_aiu_log(run, "INFO", "FREQ: the counters run at %s MHz, by %u kernels (--freq auto)", soc, kernels);
    } else if (automatic && kernels) {
        pf_aiu_log(run, "WARNING",
                   "FREQ: %u kernels do not agree about the clock of the counters; %s MHz is assumed, --freq says it",
                   kernels, soc);
    }
}

void pf_aiu_find_clock(aiu_run *run)
{
    if (pf_aiu_rule(run, AIU_CLOCK_AS_GIVEN)) {
        return;
    }
    aiu_rows kernels = pf_aiu_rows(run, shows_clock);
    const aiu_key *keys = pf_aiu_keys(run, kernels, key_of);
    if (keys) {
        run->clock = weigh(run, keys, kernels.count);
        run->set.soc = run->set.auto_clock && run->clock > 0 ? run->clock : run->set.soc;
        say(run, kernels.count);
    }
}

static void add(aiu_values *r, double v)
{
    r->least = r->count && r->least <= v ? r->least : v;
    r->most = r->count && r->most >= v ? r->most : v;
    r->sum += v;
    r->count++;
}

enum { BY_DURATION, BY_INTERVAL, WAYS };

typedef struct rank_clock {
    aiu_values values[WAYS];
    bool any;
    double ts;     /* of the kernel before */
    int64_t cycle; /* its TS3 */
} rank_clock;

/* One of the ways over all ranks: extremes of all, mean of the means. */
static void report(aiu_run *run, const char *kind, const rank_clock *clocks, int way)
{
    aiu_values all = {0};
    double sum = 0;
    for (uint32_t i = 0; i < run->ranks.count; i++) {
        const aiu_values *r = &clocks[i].values[way];
        if (r->count) {
            add(&all, r->least);
            all.most = fmax(all.most, r->most);
            sum += r->sum / (double)r->count;
        }
    }
    if (all.count == 0) {
        return;
    }
    double mean = sum / (double)all.count, spread = (all.most - all.least) / mean, ratio = run->set.soc / mean;
    pf_aiu_log(run, spread > 0.1 || fabs(1 - ratio) > 0.1 ? "WARNING" : "INFO",
               "FREQ: Detected Event-%s-based frequency (min/mean/max): %s %s %s ; rel_range=%s, "
               "input_soc_freq/detected=%s",
               kind, pf_aiu_rounded(run, all.least, 2), pf_aiu_rounded(run, mean, 2), pf_aiu_rounded(run, all.most, 2),
               pf_aiu_rounded(run, spread, 3), pf_aiu_rounded(run, ratio, 3));
}

/* Where results are ours TS3 follows the laps that the host's clock saw. */
static void take_kernel(aiu_run *run, uint32_t e, rank_clock *c, uint64_t *same_time)
{
    const aiu_events *v = &run->events;
    double laps = pf_aiu_rule(run, AIU_HOST_LAPS) ? 0 : pf_aiu_laps(run, e);
    int64_t cycle = v->tsx[2][e] + (laps > 0 && laps < 1e9 ? (int64_t)laps << 32 : 0);
    double own = (double)(v->tsx[3][e] - v->tsx[2][e]) / v->dur[e], step = v->ts[e] - c->ts;
    if (v->dur[e] > 0) {
        bool apart = c->any && step > 0;
        add(&c->values[BY_DURATION], own);
        if (apart || pf_aiu_rule(run, AIU_CLOCK_AS_GIVEN)) {
            add(&c->values[BY_INTERVAL], apart ? (double)(cycle - c->cycle) / step : own);
        }
        *same_time += c->any && !(step > 0);
        c->any = true;
        c->ts = v->ts[e];
        c->cycle = cycle;
    }
}

void pf_aiu_measure_frequency(aiu_run *run)
{
    rank_clock *clocks = pf_aiu_scratch(run, run->ranks.count, sizeof *clocks);
    uint64_t same_time = 0;
    for (uint32_t i = 0, e; clocks && pf_aiu_next(run, is_kernel, &i, &e);) {
        take_kernel(run, e, &clocks[run->events.rank[e]], &same_time);
    }
    if (clocks) {
        report(run, "duration", clocks, BY_DURATION);
        report(run, "interval", clocks, BY_INTERVAL);
    }
    pf_aiu_warn(run, "Detected ", same_time,
                " identical timestamps between consecutive events. This suggests a timestamp issue in the trace and "
                "causes unreliable interval-based frequency calculation.");
}

/* Two events that are nearer than this say nothing of a clock. */
#define LEAST_DISTANCE_US 2000.0
#define SAME_TIME 1e-9 /* of the time since 1970, about 1.7 ms: for acelyzer */

/* Against the rank's epoch; a rank's jobs begin anew with it. */
void pf_aiu_take_for_advice(aiu_run *run, uint32_t e, aiu_advice *a)
{
    const aiu_events *v = &run->events;
    const aiu_epoch *epoch = &run->epochs[v->rank[e]];
    uint64_t pair = (uint64_t)v->rank[e] << 32 | v->job[e];
    if (pf_map_get(a->seen, pair) == (uint32_t)epoch->updates) {
        return;
    }
    bool want = !pf_aiu_rule(run, AIU_CLOCK_AS_GIVEN);
    double laps = pf_aiu_laps(run, e), start = v->ts[e] - (double)v->tsx[0][e] / run->set.soc;
    double drift = trunc(start - (epoch->start + laps * pf_aiu_span(run)));
    double cycles = (double)v->tsx[0][e] + laps * 4294967296.0 - (double)epoch->cycle;
    double later = run->origin + (v->ts[e] > epoch->ts ? v->ts[e] : epoch->ts);
    double least = want ? LEAST_DISTANCE_US : SAME_TIME * fabs(later);
    bool apart = fabs(v->ts[e] - epoch->ts) > least && (want || cycles != 0);
    a->drift = (want || apart) && fabs(drift) > fabs(a->drift) ? drift : a->drift;
    if (apart) {
        add(&a->clock, cycles / (v->ts[e] - epoch->ts));
    }
    pf_aiu_map(run, a->seen, pair, (uint32_t)epoch->updates);
}

void pf_aiu_advise(aiu_run *run, const aiu_advice *a)
{
    bool given = pf_aiu_rule(run, AIU_CLOCK_AS_GIVEN);
    double mean = run->clock > 0 && !given ? run->clock : a->clock.sum / (double)a->clock.count;
    double top = a->clock.most > 0 || !given ? a->clock.most : 0; /* acelyzer counts from 0 */
    if (!a->clock.count || run->clock_said) {
        return;
    }
    if (top - a->clock.least > 0.2 * mean) {
        pf_aiu_log(run, "WARNING",
                   "FREQ: Min/Max of detected correct frequency is >20%% of mean (%s,%s). This indicates some "
                   "events might have been assigned to the wrong TSx epoch.",
                   pf_aiu_rounded(run, a->clock.least, 3), pf_aiu_rounded(run, top, 3));
    } else if (fabs(mean - run->set.soc) > 0.1) {
        pf_aiu_log(run, "WARNING",
                   "FREQ: Recommendation: to minimize event time drift (max: %lldus) between CPU and Accelerator, use: "
                   "--freq=%s",
                   (long long)a->drift, pf_aiu_rounded(run, mean, 3));
    }
}
