/* analyze/compare/step_verdicts.c - the verdicts of device and step: busy time per step, and the median period.
 *
 * A side that is one run is a row of steps, each the mean over the devices of its files; steps of both sides belong
 * together by their index, and those that one side alone has do not count. What is drawn at random are these steps;
 * with fewer than three of them the device operations, each with what it adds to the busy time, or its time up to the
 * next one: their sums are those of the steps. Where a side has several runs, files are drawn if both sides have three
 * or more, else operations. A trace without steps is compared as a whole, and has no period.
 */
#include <string.h>

#include "analyze/compare/compare.h"
#include "analyze/support/pass_memory.h"

bool pf_compare_is_one_run(const compare_side *side)
{
    bool one = true;
    for (size_t i = 0; i < side->count && side->count > 1 && one; i++) {
        const gpu_outline *a = &side->files[i].outline;
        one = a->rank_known;
        for (size_t k = 0; k < i && one; k++) {
            one = side->files[k].outline.rank != a->rank;
        }
    }
    return one;
}

/* What is measured, and of how many steps. */
typedef struct measuring {
    compare *c;
    compare_measured what;
    bool one_run;   /* each side */
    uint32_t steps; /* of one run: those that both sides have; else PF_NONE: each file has its own. 0: whole traces */
    double *series; /* room for the steps of a file */
} measuring;

static uint32_t steps_of(const measuring *m, const gpu_outline *o)
{
    return m->steps < o->steps ? m->steps : o->steps;
}

/* The steps of some files that are one run: the mean over those that have devices, of all if none has. */
static void fill_series(const measuring *m, const compare_calls *files, size_t count, uint32_t steps)
{
    size_t with = 0;
    memset(m->series, 0, steps * sizeof *m->series);
    for (size_t f = 0; f < count; f++) {
        with += files[f].outline.devices > 0;
    }
    for (size_t f = 0; f < count; f++) {
        const gpu_outline *o = &files[f].outline;
        const double *v = m->what == COMPARE_OF_DEVICE ? o->busy : o->period;
        for (uint32_t k = 0; k < steps && (o->devices || !with); k++) {
            m->series[k] += v[k] / (double)(with ? with : count);
        }
    }
}

/* What some files that are one run come to. */
static double value_of(const measuring *m, const compare_calls *files, size_t count, uint32_t steps)
{
    double sum = 0;
    size_t with = 0;
    if (steps == 0) {
        for (size_t f = 0; f < count; f++) {
            sum += files[f].outline.whole_busy;
            with += files[f].outline.devices > 0;
        }
        return with ? sum / (double)with : 0;
    }
    fill_series(m, files, count, steps);
    return m->what == COMPARE_OF_DEVICE ? pf_compare_sum(m->series, steps) / steps
                                        : pf_compare_median(m->series, steps);
}

static double value_of_side(const measuring *m, const compare_side *side)
{
    double sum = 0;
    if (m->one_run) {
        return value_of(m, side->files, side->count, m->steps);
    }
    for (size_t f = 0; f < side->count; f++) {
        sum += value_of(m, &side->files[f], 1, steps_of(m, &side->files[f].outline));
    }
    return sum / (double)side->count;
}

/* The period of the last step only lasts until its last operation ends: where there are enough others it is not drawn.
 */
static void step_cells(const measuring *m, const compare_side *side, compare_cells *out)
{
    bool cut = m->what == COMPARE_OF_STEP && m->steps > 3;
    uint32_t n = m->steps - cut, in[COMPARE_CELLS] = {0};
    *out = (compare_cells){.count = n < COMPARE_CELLS ? n : COMPARE_CELLS};
    fill_series(m, side->files, side->count, n);
    for (uint32_t k = 0; k < n; k++) {
        in[(uint64_t)k * out->count / n]++;
        out->total[(uint64_t)k * out->count / n] += m->series[k];
    }
    for (uint32_t i = 0; i < out->count && m->what == COMPARE_OF_STEP; i++) {
        out->total[i] /= in[i]; /* medians want lengths of steps */
    }
}

static void file_cells(const measuring *m, const compare_side *side, compare_cells *out)
{
    *out = (compare_cells){.count = side->count < COMPARE_CELLS ? (uint32_t)side->count : COMPARE_CELLS};
    for (size_t f = 0; f < side->count; f++) {
        out->total[f * out->count / side->count] +=
            value_of(m, &side->files[f], 1, steps_of(m, &side->files[f].outline));
    }
}

/* The operations of the steps that count; of all files, one after the other. A second walk fills the cells. */
static uint64_t part_cells(const measuring *m, const compare_side *side, compare_cells *out)
{
    uint64_t n = 0, k = 0;
    for (int pass = 0; pass < 2; pass++) {
        *out = (compare_cells){.count = n < COMPARE_CELLS ? (uint32_t)n : COMPARE_CELLS};
        for (size_t f = 0; f < side->count; f++) {
            const gpu_outline *o = &side->files[f].outline;
            uint32_t steps = steps_of(m, o);
            double weight = 1 / ((double)(steps ? steps : 1) * (o->devices ? o->devices : 1));
            for (uint32_t i = 0; i < o->part_count; i++) {
                const gpu_part *p = &o->parts[i];
                if (steps && p->step >= steps) {
                    continue;
                }
                if (pass) {
                    double v = (double)(m->what == COMPARE_OF_DEVICE ? p->busy : p->period);
                    out->total[k++ * out->count / n] += v * weight;
                } else {
                    n++;
                }
            }
        }
    }
    return n;
}

static void judge(const measuring *m, const compare_side *base, const compare_side *now, compare_measure *out)
{
    compare_cells was, is;
    compare_whole unused = {{0}};
    uint64_t seed = m->c->options.seed;
    out->base = value_of_side(m, base);
    out->now = value_of_side(m, now);
    out->known = out->base > 0 && out->now > 0;
    if (!out->known) {
        return;
    }
    out->ratio = out->now / out->base;
    bool paired = m->one_run, median = false;
    if (m->one_run && m->steps >= 3) {
        step_cells(m, base, &was);
        step_cells(m, now, &is);
        median = m->what == COMPARE_OF_STEP;
    } else if (!m->one_run && base->count >= 3 && now->count >= 3) {
        file_cells(m, base, &was);
        file_cells(m, now, &is);
    } else {
        uint64_t parts = part_cells(m, base, &was);
        paired &= part_cells(m, now, &is) == parts;
    }
    out->interval = median ? pf_compare_bootstrap_median(&was, &is, out->ratio, seed)
                           : pf_compare_bootstrap(&was, &is, paired, seed, &unused);
    /* Steps without device events have windows, but no operations to draw. */
    out->interval.low = out->ratio < out->interval.low ? out->ratio : out->interval.low;
    out->interval.high = out->ratio > out->interval.high ? out->ratio : out->interval.high;
    out->verdict = pf_compare_judge(out->ratio, &out->interval, m->c->options.tolerance);
}

/* The fewest and the most steps that a file of the side has, and whether any has devices. */
static bool survey(const compare_side *side, uint32_t *least, uint32_t *most)
{
    bool devices = false;
    for (size_t f = 0; f < side->count; f++) {
        uint32_t steps = side->files[f].outline.steps;
        *least = steps < *least ? steps : *least;
        *most = steps > *most ? steps : *most;
        devices |= side->files[f].outline.devices > 0;
    }
    return devices;
}

pf_status pf_compare_steps(compare *c, const compare_side *base, const compare_side *now, compare_result *out,
                           pf_error *err)
{
    uint32_t least = PF_NONE, most = 0;
    bool in_base = survey(base, &least, &most), in_now = survey(now, &least, &most);
    measuring m = {.c = c, .one_run = pf_compare_is_one_run(base) && pf_compare_is_one_run(now)};
    m.steps = m.one_run || least == 0 ? least : PF_NONE;
    PF_TRY(PF_PASS_ARRAY(&c->arena, most, m.series, err));
    out->has_devices = in_base || in_now;
    if (in_base && in_now) {
        m.what = COMPARE_OF_DEVICE;
        judge(&m, base, now, &out->measure[COMPARE_OF_DEVICE]);
    }
    if (least > 0) {
        m.what = COMPARE_OF_STEP;
        judge(&m, base, now, &out->measure[COMPARE_OF_STEP]);
    }
    return PF_OK;
}
