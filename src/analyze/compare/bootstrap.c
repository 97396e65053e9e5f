/* analyze/compare/bootstrap.c - how sure a ratio is: the percentile bootstrap.
 *
 * A draw takes as many cells of a side, with repetition, as the side has; where the cells of both sides belong together
 * (call i of one run and call i of the other) the same ones are taken on both sides. The ratio of the sums of 1000
 * draws gives the interval: what lies between their 0.5th and 99.5th percentile, 99 of 100.
 *
 * Few cells show too little of the spread. So the distance of both ends from the ratio, in logarithms, is stretched by
 * t / z * sqrt(n / (n - 1)), where t is Student's quantile for n cells and z the one of the normal distribution; below
 * three cells there is no interval.
 *
 * For the median of steps each draw takes medians in place of sums. All is a function of the cells and the seed.
 */
#include <math.h>

#include "analyze/compare/compare.h"
#include "analyze/support/order_stats.h"

enum { LOW = COMPARE_DRAWS / 200 - 1, HIGH = COMPARE_DRAWS - COMPARE_DRAWS / 200 };

/* splitmix64 */
static uint64_t next_random(uint64_t *state)
{
    uint64_t z = *state += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

static uint32_t pick(uint64_t *state, uint32_t n)
{
    return (uint32_t)((next_random(state) >> 32) * n >> 32);
}

/* Student's quantile for 99 of 100 on both sides, over the normal one, and the small-sample factor of the spread. */
static double stretch(uint32_t n)
{
    static const double z = 2.5758293035489004;
    static const double t[] = {0,     63.657, 9.925, 5.841, 4.604, 4.032, 3.707, 3.499, 3.355, 3.250, 3.169,
                               3.106, 3.055,  3.012, 2.977, 2.947, 2.921, 2.898, 2.878, 2.861, 2.845};
    uint32_t df = n - 1;
    double quantile = df < sizeof t / sizeof *t ? t[df] : z + (z * z * z + z) / (4.0 * df);
    return quantile / z * sqrt((double)n / df);
}

/* Both ends around a ratio, from the logarithms of the draws' ratios. samples: cells of the smaller side, 0 for the
 * whole, which is not stretched. */
static compare_interval ends(double *logs, double ratio, uint32_t samples, bool paired)
{
    double middle = log(ratio), factor = samples ? stretch(samples) : 1;
    double low = pf_select_real(logs, COMPARE_DRAWS, LOW), high = pf_select_real(logs, COMPARE_DRAWS, HIGH);
    low = low < middle ? middle - (middle - low) * factor : middle;
    high = high > middle ? middle + (high - middle) * factor : middle;
    return (compare_interval){exp(low), exp(high), samples, paired, true};
}

/* The logarithm of the ratio of two sums, within what an exponential can hold. */
static double log_ratio(double was, double is)
{
    return was > 0 && is > 0 ? log(is / was) : was > 0 ? -700 : is > 0 ? 700 : 0;
}

/* Too few cells for an interval: the whole takes the change for one that may as well have been none, or thrice. */
static void add_unknown(const compare_cells *base, const compare_cells *now, uint64_t seed, compare_whole *whole)
{
    double was = pf_compare_sum(base->own, base->count), is = pf_compare_sum(now->own, now->count);
    for (unsigned d = 0; d < COMPARE_DRAWS; d++) {
        double u = (double)(next_random(&seed) >> 11) * 0x1p-53 * 4 - 1, drawn = was + (is - was) * u;
        whole->base[d] += was;
        whole->now[d] += was > 0 && is > 0 ? (drawn > 0 ? drawn : 0) : is;
    }
}

compare_interval pf_compare_bootstrap(const compare_cells *base, const compare_cells *now, bool paired, uint64_t seed,
                                      compare_whole *whole)
{
    double logs[COMPARE_DRAWS];
    uint32_t n = base->count < now->count ? base->count : now->count;
    double was = pf_compare_sum(base->total, base->count), is = pf_compare_sum(now->total, now->count);
    if (n < 3 || !(was > 0) || !(is > 0)) {
        add_unknown(base, now, seed, whole);
        return (compare_interval){.samples = n, .paired = paired};
    }
    for (unsigned d = 0; d < COMPARE_DRAWS; d++) {
        double b = 0, w = 0, own_b = 0, own_w = 0;
        for (uint32_t i = 0; i < base->count; i++) {
            uint32_t k = pick(&seed, base->count);
            b += base->total[k];
            own_b += base->own[k];
            if (paired) {
                w += now->total[k];
                own_w += now->own[k];
            }
        }
        for (uint32_t i = 0; !paired && i < now->count; i++) {
            uint32_t k = pick(&seed, now->count);
            w += now->total[k];
            own_w += now->own[k];
        }
        whole->base[d] += own_b;
        whole->now[d] += own_w;
        logs[d] = log_ratio(b, w);
    }
    return ends(logs, is / was, n, paired);
}

double pf_compare_median(double *v, size_t n)
{
    double high = pf_select_real(v, n, n / 2);
    return n % 2 ? high : (pf_select_real(v, n / 2, n / 2 - 1) + high) / 2;
}

compare_interval pf_compare_bootstrap_median(const compare_cells *base, const compare_cells *now, double ratio,
                                             uint64_t seed)
{
    double logs[COMPARE_DRAWS], was[COMPARE_CELLS], is[COMPARE_CELLS];
    uint32_t n = base->count;
    for (unsigned d = 0; d < COMPARE_DRAWS; d++) {
        for (uint32_t i = 0; i < n; i++) {
            uint32_t k = pick(&seed, n);
            was[i] = base->total[k];
            is[i] = now->total[k];
        }
        logs[d] = log_ratio(pf_compare_median(was, n), pf_compare_median(is, n));
    }
    return ends(logs, ratio, n, true);
}

compare_interval pf_compare_bootstrap_whole(const compare_whole *whole, double ratio, uint32_t samples, bool paired)
{
    double logs[COMPARE_DRAWS];
    if (!(ratio > 0)) {
        return (compare_interval){.known = false};
    }
    for (unsigned d = 0; d < COMPARE_DRAWS; d++) {
        logs[d] = log_ratio(whole->base[d], whole->now[d]);
    }
    return ends(logs, ratio, samples, paired);
}

compare_verdict pf_compare_judge(double ratio, const compare_interval *i, double tolerance)
{
    double most = 1 + tolerance, least = 1 / most;
    if (!i->known) {
        return ratio >= least && ratio <= most ? COMPARE_SAME : COMPARE_UNSURE;
    }
    if (i->low > most) {
        return COMPARE_SLOWER;
    }
    if (i->high < least) {
        return COMPARE_FASTER;
    }
    return i->low >= least && i->high <= most ? COMPARE_SAME : COMPARE_UNSURE;
}

const char *pf_compare_verdict_text(compare_verdict v)
{
    static const char *const texts[] = {"same", "slower", "faster", "unsure", "new", "vanished"};
    return texts[v];
}
