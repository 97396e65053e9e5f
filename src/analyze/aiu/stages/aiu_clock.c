/* analyze/aiu/stages/aiu_clock.c - the clock of the counters by what kernels show: cycles of their step over their
 * length on the host's clock.
 *
 * The host may note the end of a kernel late, and short kernels are rounded. So the clock is the median of all kernels,
 * each as heavy as it is long, and certain if it is one that a counter can have, and kernels with three quarters of the
 * time are within one percent of it.
 */
#include <math.h>

#include "analyze/aiu/stages/aiu_overflow.h"

#define NEAR 0.01 /* of the clock */
#define AGREE 0.75
#define SLOWEST 50.0 /* MHz */
#define FASTEST 10000.0

static bool shows_clock(aiu_run *run, uint32_t e)
{
    return pf_aiu_is_slice(run, e) && pf_aiu_is_device(run, e) && run->events.dur[e] > 0 &&
           pf_aiu_step(run, e) == AIU_OP_EXEC;
}

/* Cycles per us; the step may have wrapped. */
static double clock_of(const aiu_run *run, uint32_t e)
{
    int64_t cycles = run->events.tsx[3][e] - run->events.tsx[2][e];
    return (double)(cycles < 0 ? cycles + 4294967296 : cycles) / run->events.dur[e];
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

/* Before everything else, as all that follows is wrong with it. */
static void shout(aiu_run *run)
{
    double off = 100 * fabs(run->set.soc / run->clock - 1);
    pf_str clock = pf_aiu_real(run, run->clock), core = pf_aiu_real(run, run->set.core);
    pf_str given = pf_aiu_real(run, run->set.soc), percent = pf_aiu_real(run, pf_aiu_round(off, 1));
    run->clock_said = true;
    if (run->ctx->values[AIU_OPT_LOG_LEVEL].i < 1) {
        return;
    }
    pf_findings_show_line(run->findings, PF_INFO,
                          "WARNING FREQ: THE COUNTERS RUN AT %.*s MHZ, NOT AT %.*s: USE --freq %.*s:%.*s (OR auto). "
                          "LENGTHS, POWER AND USE BY CYCLES ARE OFF BY %.*s %%.",
                          (int)clock.len, clock.ptr, (int)given.len, given.ptr, (int)clock.len, clock.ptr,
                          (int)core.len, core.ptr, (int)percent.len, percent.ptr);
}

static void say(aiu_run *run, uint32_t kernels)
{
    pf_str clock = pf_aiu_real(run, run->set.soc);
    if (!run->set.auto_clock) {
        if (run->clock > 0 && fabs(run->set.soc / run->clock - 1) > NEAR) {
            shout(run);
        }
    } else if (run->clock > 0) {
        pf_aiu_log(run, "INFO", "FREQ: the counters run at %.*s MHz, by %u kernels (--freq auto)", (int)clock.len,
                   clock.ptr, kernels);
    } else if (kernels) {
        pf_aiu_log(run, "WARNING",
                   "FREQ: %u kernels do not agree about the clock of the counters; %.*s MHz is assumed, --freq says it",
                   kernels, (int)clock.len, clock.ptr);
    }
}

pf_status pf_aiu_find_clock(aiu_run *run)
{
    if (run->set.compat != AIU_WANT) {
        return PF_OK;
    }
    size_t bytes = ((size_t)run->alive + 1) * sizeof(aiu_key);
    aiu_key *keys = pf_alloc(run->budget, bytes);
    uint32_t count = 0;
    if (!keys) {
        return pf_budget_refused(run->budget, bytes, &run->error);
    }
    for (uint32_t i = 0; i < run->alive; i++) {
        uint32_t e = run->order[i];
        if (shows_clock(run, e) && clock_of(run, e) > 0) {
            keys[count++] = (aiu_key){clock_of(run, e), 0, e};
        }
    }
    pf_status st = pf_aiu_sort_keys(run, keys, count);
    if (st == PF_OK) {
        run->clock = weigh(run, keys, count);
        run->set.soc = run->set.auto_clock && run->clock > 0 ? run->clock : run->set.soc;
        say(run, count);
    }
    pf_release(run->budget, keys, bytes);
    return st;
}
