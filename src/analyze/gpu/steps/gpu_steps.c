/* analyze/gpu/steps/gpu_steps.c - point 4: warm-up, outliers, the steady state, and the tables of steps. */
#include "analyze/gpu/steps/gpu_steps.h"
#include "analyze/support/pass_memory.h"

pf_str pf_gpu_step_source_name(gpu_step_source source)
{
    static const pf_str names[] = {{"annotation", 10}, {"device annotation", 17}, {"repeated kernel pattern", 23}};
    return names[source];
}

pf_str pf_gpu_step_mark_name(gpu_step_mark mark)
{
    static const pf_str names[] = {{"steady", 6}, {"warm-up", 7}, {"outlier", 7}};
    return names[mark];
}

pf_str pf_gpu_step_length_name(const gpu_device_steps *steps)
{
    return steps->with_period == 0                     ? PF_STR("host window")
           : steps->with_period == steps->steady.count ? PF_STR("device period")
                                                       : PF_STR("both");
}

/* The median distance of fewer steps says little. */
enum { LEAST_FOR_OUTLIERS = 5 };

static uint64_t distance(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}

/* Warm-up: the first steps, up to one that is at most a fifth longer than the median, and no more than half of all.
 * Outliers, of five steps or more: further from the median than 4.4478 (3 x 1.4826) median distances and than a
 * twentieth of it. */
static void set_marks(gpu_device_steps *steps, uint32_t count, uint64_t median, uint64_t median_distance)
{
    double far = 3 * 1.4826 * (double)median_distance, least = (double)median / 20;
    uint32_t first = 0;
    while (first < count / 2 && steps->list[first].length > median + median / 5) {
        steps->list[first++].mark = GPU_STEP_WARM_UP;
    }
    steps->warm_up = first;
    for (uint32_t i = first; i < count && count >= LEAST_FOR_OUTLIERS; i++) {
        double off = (double)distance(steps->list[i].length, median);
        if (off > far && off > least) {
            steps->list[i].mark = GPU_STEP_OUTLIER;
            steps->outliers++;
        }
    }
}

pf_status pf_gpu_mark_steps(gpu_device_steps *steps, uint32_t count, pf_arena *arena, pf_error *err)
{
    uint64_t *lengths, *scratch;
    PF_TRY(PF_PASS_ARRAY(arena, count, lengths, err));
    PF_TRY(PF_PASS_ARRAY(arena, count, scratch, err));
    for (uint32_t i = 0; i < count; i++) {
        lengths[i] = steps->list[i].length;
    }
    uint64_t median = pf_gpu_stats(lengths, count, scratch).median;
    for (uint32_t i = 0; i < count; i++) {
        lengths[i] = distance(steps->list[i].length, median);
    }
    set_marks(steps, count, median, pf_gpu_stats(lengths, count, scratch).median);
    uint32_t steady = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (steps->list[i].mark == GPU_STEP_STEADY) {
            lengths[steady++] = steps->list[i].length;
            steps->with_period += steps->list[i].events > 0;
        }
    }
    steps->steady = pf_gpu_stats(lengths, steady, scratch);
    return PF_OK;
}

/* device: PF_NONE, where the input has none. */
static void add_step(const gpu_facts *g, uint32_t input, uint32_t device, const gpu_steps *steps, uint32_t row,
                     const gpu_device_step *s)
{
    const gpu_step *step = &steps->list[row];
    const gpu_times *w = &s->times;
    bool host = steps->source == GPU_STEP_ANNOTATION, events = s->events > 0;
    GPU_ROW(g, GPU_TABLE_STEPS, GPU_WHOSE(g, input), pf_gpu_device_cell(g, device), pf_cell_int(step->number),
            pf_gpu_slice_cell(g, step->slice), pf_cell_text(pf_gpu_step_mark_name(s->mark)),
            pf_cell_int_if(host, step->time.start), pf_cell_int_if(host, step->time.end), pf_cell_count(s->events),
            pf_cell_int_if(events, w->start), pf_cell_int_if(events, w->end), pf_cell_count(w->span),
            events ? pf_cell_count(s->period) : pf_cell_int_if(false, 0), GPU_WORK(w),
            pf_cell_int_if(host && events, (int64_t)((uint64_t)w->end - (uint64_t)step->time.end)),
            pf_gpu_label_cell(g, device));
}

static pf_cell share_cell(double part, double whole)
{
    return pf_cell_real_if(whole > 0, 100 * part / whole);
}

double pf_gpu_throughput(const gpu_step_facts *s, uint32_t input, const gpu_stats *steady, double amount)
{
    bool rated = s->of_input[input].source != GPU_STEP_PATTERN || s->pattern_is_step;
    return rated && steady->total ? amount * (double)steady->count * 1e9 / (double)steady->total : 0;
}

static void add_summary(const gpu_facts *g, uint32_t input, uint32_t device, const gpu_step_facts *all)
{
    static const gpu_step_counts none;
    const gpu_steps *steps = &all->of_input[input];
    const gpu_device_steps *own = pf_gpu_steps_of(g, all, input, device);
    const gpu_step_counts *n = device == PF_NONE ? &none : &all->counts[device];
    const gpu_stats *s = &own->steady;
    double items = pf_gpu_throughput(all, input, s, all->items), flops = pf_gpu_throughput(all, input, s, all->flops);
    double busy = 0, exposed = 0;
    for (uint32_t i = 0; i < steps->count; i++) {
        bool steady = own->list[i].mark == GPU_STEP_STEADY;
        busy += steady ? (double)own->list[i].times.busy : 0;
        exposed += steady ? (double)own->list[i].times.exposed : 0;
    }
    GPU_ROW(g, GPU_TABLE_STEP_SUMMARY, GPU_WHOSE(g, input), pf_gpu_device_cell(g, device),
            pf_cell_text(pf_gpu_step_source_name(steps->source)), pf_cell_text(pf_gpu_step_length_name(own)),
            pf_cell_count(steps->count), pf_cell_count(own->warm_up), pf_cell_count(own->outliers),
            pf_cell_count(s->count), GPU_SPREAD(s), share_cell(busy, (double)s->total),
            share_cell(exposed, (double)s->total), pf_cell_real_if(items > 0, items), pf_cell_real_if(flops > 0, flops),
            pf_cell_count(n->outside), pf_cell_count(n->launches_outside), pf_cell_count(n->by_stream),
            pf_cell_count(n->by_clock), pf_gpu_label_cell(g, device));
}

void pf_gpu_tabulate_steps(const gpu_facts *g, const gpu_step_facts *s)
{
    for (uint32_t input = 0; input < g->rank_count; input++) {
        const gpu_rank *rank = &g->ranks[input];
        const gpu_steps *steps = &s->of_input[input];
        uint32_t rows = steps->count == 0 ? 0 : rank->device_count ? rank->device_count : 1;
        for (uint32_t i = 0; i < rows; i++) {
            uint32_t device = rank->device_count ? rank->first_device + i : PF_NONE;
            const gpu_device_steps *own = pf_gpu_steps_of(g, s, input, device);
            for (uint32_t k = 0; k < steps->count; k++) {
                add_step(g, input, device, steps, k, &own->list[k]);
            }
            add_summary(g, input, device, s);
        }
    }
}
