/* analyze/gpu/steps/gpu_steps.c - point 4: warm-up, outliers, the steady state, and what each device did in each step.
 *
 * A step is a window: its numbers are those of the device's sets within it.
 */
#include "analyze/gpu/steps/gpu_steps.h"

#include <string.h>

#include "analyze/support/interval_cover.h"
#include "analyze/support/order_stats.h"
#include "analyze/support/pass_memory.h"

pf_str pf_gpu_step_source_name(gpu_step_source source)
{
    static const pf_str names[] = {{"annotation", 10}, {"device annotation", 17}, {"kernel cycle", 12}};
    return names[source];
}

pf_str pf_gpu_step_mark_name(gpu_step_mark mark)
{
    static const pf_str names[] = {{"steady", 6}, {"warm-up", 7}, {"outlier", 7}};
    return names[mark];
}

/* The median distance of fewer steps says little. */
enum { LEAST_FOR_OUTLIERS = 5 };

/* ---- marks ------------------------------------------------------------------------------------------------------- */

static uint64_t middle_of(uint64_t *values, size_t n, uint64_t *scratch)
{
    return pf_gpu_stats(values, n, scratch).median;
}

static uint64_t distance(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}

/* Warm-up: the first steps, up to one that is at most a fifth longer than the median, and no more than half of all.
 * Outliers, of five steps or more: further from the median than 4.4478 (3 x 1.4826) median distances and than a
 * twentieth of it. */
static void set_marks(gpu_steps *steps, uint64_t median, uint64_t median_distance)
{
    double far = 3 * 1.4826 * (double)median_distance, least = (double)median / 20;
    uint32_t first = 0;
    while (first < steps->count / 2 && pf_interval_length(steps->list[first].time) > median + median / 5) {
        steps->list[first++].mark = GPU_STEP_WARM_UP;
    }
    steps->warm_up = first;
    for (uint32_t i = first; i < steps->count && steps->count >= LEAST_FOR_OUTLIERS; i++) {
        double off = (double)distance(pf_interval_length(steps->list[i].time), median);
        if (off > far && off > least) {
            steps->list[i].mark = GPU_STEP_OUTLIER;
            steps->outliers++;
        }
    }
}

pf_status pf_gpu_mark_steps(gpu_facts *g, gpu_steps *steps, pf_error *err)
{
    uint32_t n = steps->count;
    uint64_t *lengths = pf_pass_array(g->arena, n, sizeof *lengths, err);
    uint64_t *scratch = lengths ? pf_pass_array(g->arena, n, sizeof *scratch, err) : NULL;
    if (!scratch || n == 0) {
        return scratch ? PF_OK : err->code;
    }
    for (uint32_t i = 0; i < n; i++) {
        lengths[i] = pf_interval_length(steps->list[i].time);
    }
    uint64_t median = middle_of(lengths, n, scratch);
    for (uint32_t i = 0; i < n; i++) {
        lengths[i] = distance(pf_interval_length(steps->list[i].time), median);
    }
    set_marks(steps, median, middle_of(lengths, n, scratch));
    uint32_t steady = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (steps->list[i].mark == GPU_STEP_STEADY) {
            lengths[steady++] = pf_interval_length(steps->list[i].time);
        }
    }
    steps->steady = pf_gpu_stats(lengths, steady, scratch);
    return PF_OK;
}

/* ---- what a device did ------------------------------------------------------------------------------------------- */

/* The sets of a device with the sums that windows need. */
enum { IN_BUSY = GPU_CLASSES, IN_OVERLAP, SETS };
typedef struct covers {
    gpu_set set[SETS];
    uint64_t *before[SETS];
} covers;

static pf_status make_covers(const gpu_device *d, pf_arena *arena, covers *c, pf_error *err)
{
    const gpu_set *compute = &d->in_class[GPU_COMPUTE], *communication = &d->in_class[GPU_COMMUNICATION];
    memcpy(c->set, d->in_class, sizeof d->in_class);
    c->set[IN_BUSY] = d->busy;
    gpu_set *overlap = &c->set[IN_OVERLAP];
    overlap->list = pf_pass_array(arena, compute->count + communication->count, sizeof *overlap->list, err);
    if (!overlap->list) {
        return err->code;
    }
    overlap->count =
        pf_interval_intersect(communication->list, communication->count, compute->list, compute->count, overlap->list);
    for (unsigned k = 0; k < SETS; k++) {
        c->before[k] = pf_pass_array(arena, c->set[k].count + 1, sizeof *c->before[k], err);
        if (!c->before[k]) {
            return err->code;
        }
        pf_interval_sums(c->set[k].list, c->set[k].count, c->before[k]);
    }
    return PF_OK;
}

static uint64_t covered(const covers *c, unsigned set, pf_interval window)
{
    return pf_interval_within(c->set[set].list, c->before[set], c->set[set].count, window.start, window.end);
}

/* The first operation of the device that starts at ts or later. */
static uint32_t first_from(const gpu_facts *g, const gpu_device *d, int64_t ts)
{
    uint32_t low = d->first_op, high = d->first_op + d->op_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (g->ops.start[middle] < ts) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static gpu_times times_in(const covers *c, pf_interval window)
{
    gpu_times t = {.start = window.start, .end = window.end, .span = pf_interval_length(window)};
    for (unsigned k = 0; k < GPU_CLASSES; k++) {
        t.in_class[k] = covered(c, k, window);
    }
    t.busy = covered(c, IN_BUSY, window);
    t.idle = t.span - t.busy;
    t.overlap = covered(c, IN_OVERLAP, window);
    t.exposed = t.in_class[GPU_COMMUNICATION] - t.overlap;
    return t;
}

static void add_step(const gpu_facts *g, const gpu_device *d, const gpu_step *step, const gpu_times *times,
                     gpu_tables *t, pf_findings *f)
{
    const pf_slices *s = pf_trace_slices(g->trace);
    pf_cell row[32] = {pf_gpu_input_cell(g, d->input), pf_gpu_rank_cell(g, d->input), gpu_int_cell(d->number),
                       gpu_int_cell(step->number)};
    pf_cell *at = row + 4;
    *at++ = gpu_text_cell(step->slice == PF_NONE ? (pf_str){NULL, 0}
                                                 : pf_trace_string(g->trace, pf_slice_name(s, step->slice)));
    *at++ = gpu_text_cell(pf_gpu_step_mark_name(step->mark));
    pf_gpu_put_times(at, first_from(g, d, step->time.end) - first_from(g, d, step->time.start), times);
    pf_table_row(f, t->table[GPU_TABLE_STEPS], row);
}

typedef struct step_sums {
    double length, busy, exposed;
} step_sums;

static pf_cell share_cell(double part, double whole)
{
    return gpu_real_cell(whole > 0, 100 * part / whole);
}

static void add_summary(const gpu_facts *g, const gpu_device *d, const gpu_steps *steps, const step_sums *sums,
                        double items, double flops, gpu_tables *t, pf_findings *f)
{
    const gpu_stats *s = &steps->steady;
    double mean = s->count ? (double)s->total / (double)s->count / 1e9 : 0;
    pf_cell row[32] = {pf_gpu_input_cell(g, d->input), pf_gpu_rank_cell(g, d->input), gpu_int_cell(d->number),
                       gpu_text_cell(pf_gpu_step_source_name(steps->source))};
    pf_cell *at = row + 4;
    *at++ = gpu_count_cell(steps->count);
    *at++ = gpu_count_cell(steps->warm_up);
    *at++ = gpu_count_cell(steps->outliers);
    *at++ = gpu_count_cell(s->count);
    const uint64_t values[] = {s->mean, s->median, s->p95, s->least, s->most};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        *at++ = gpu_count_cell(values[i]);
    }
    *at++ = share_cell(sums->busy, sums->length);
    *at++ = share_cell(sums->exposed, sums->length);
    *at++ = gpu_real_cell(items > 0 && mean > 0, items / mean);
    *at++ = gpu_real_cell(flops > 0 && mean > 0, flops / mean);
    pf_table_row(f, t->table[GPU_TABLE_STEP_SUMMARY], row);
}

pf_status pf_gpu_tabulate_steps(gpu_facts *g, const gpu_steps *all, double items, double flops, gpu_tables *t,
                                pf_findings *f, pf_error *err)
{
    pf_arena scratch;
    pf_status st = PF_OK;
    for (uint32_t i = 0; i < g->device_count && st == PF_OK; i++) {
        const gpu_device *d = &g->devices[i];
        const gpu_steps *steps = &all[d->input];
        covers c;
        step_sums sums = {0};
        if (steps->count == 0) {
            continue;
        }
        pf_arena_init(&scratch, g->arena->budget);
        st = make_covers(d, &scratch, &c, err);
        for (uint32_t k = 0; k < steps->count && st == PF_OK; k++) {
            const gpu_times times = times_in(&c, steps->list[k].time);
            bool steady = steps->list[k].mark == GPU_STEP_STEADY;
            sums.length += steady ? (double)times.span : 0;
            sums.busy += steady ? (double)times.busy : 0;
            sums.exposed += steady ? (double)times.exposed : 0;
            add_step(g, d, &steps->list[k], &times, t, f);
        }
        if (st == PF_OK) {
            add_summary(g, d, steps, &sums, items, flops, t, f);
        }
        pf_arena_free(&scratch);
    }
    return st;
}
