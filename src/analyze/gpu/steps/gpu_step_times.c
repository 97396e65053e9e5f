/* analyze/gpu/steps/gpu_step_times.c - what each device did in each step, and how long the step was there.
 *
 * The operations of a device are put in order of their steps; then each step is a crowd of its own, whose numbers are
 * those of "Times" in docs/reference/gpu.md. A step lasts on the device until the first operation of the next one.
 */
#include "analyze/gpu/steps/gpu_steps.h"
#include "analyze/gpu/times/gpu_times.h"
#include "analyze/support/pass_memory.h"
#include "model/trace/trace.h"

/* first[step] is where its operations begin in rows; the last group are those of no step. */
static pf_status group_ops(gpu_facts *g, const gpu_device *d, uint32_t steps, const uint32_t *of_op, uint32_t **first,
                           uint32_t **rows, pf_error *err)
{
    uint32_t *key;
    PF_TRY(PF_PASS_ARRAY(&g->scratch, d->op_count, key, err));
    PF_TRY(PF_PASS_ARRAY(&g->scratch, d->op_count, *rows, err));
    PF_TRY(PF_PASS_ARRAY(&g->scratch, (size_t)steps + 2, *first, err));
    for (uint32_t i = 0; i < d->op_count; i++) {
        uint32_t step = of_op[d->first_op + i];
        key[i] = step == PF_NONE ? steps : step;
    }
    pf_gpu_sort_by_key(key, d->op_count, steps + 1, *first, *rows);
    for (uint32_t i = 0; i < d->op_count; i++) {
        (*rows)[i] += d->first_op;
    }
    return PF_OK;
}

static bool begins_after(const void *steps, uint32_t a, uint32_t b)
{
    const gpu_device_step *list = steps;
    return list[a].times.start > list[b].times.start;
}

static pf_status set_lengths(gpu_facts *g, const gpu_steps *steps, gpu_device_steps *out, pf_error *err)
{
    gpu_device_step *list = out->list;
    uint32_t *scratch, n = 0;
    PF_TRY(PF_PASS_ARRAY(g->arena, steps->count, out->begun, err));
    PF_TRY(PF_PASS_ARRAY(&g->scratch, steps->count, scratch, err));
    for (uint32_t i = 0; i < steps->count; i++) {
        list[i].length = pf_interval_length(steps->list[i].time);
        out->begun[n] = i;
        n += list[i].events > 0;
    }
    pf_sort_rows(out->begun, scratch, n, begins_after, list);
    for (uint32_t i = 0; i < n; i++) {
        gpu_device_step *s = &list[out->begun[i]];
        const gpu_device_step *next = i + 1 < n ? &list[out->begun[i + 1]] : NULL;
        s->period = next ? (uint64_t)next->times.start - (uint64_t)s->times.start : s->times.span;
        s->length = s->period;
    }
    out->begun_count = n;
    return PF_OK;
}

/* d: NULL for an input without devices, whose steps are windows of the host. */
static pf_status measure(gpu_facts *g, const gpu_device *d, const gpu_steps *steps, const uint32_t *of_op,
                         gpu_device_steps *out, pf_error *err)
{
    uint32_t *first = NULL, *rows = NULL;
    if (steps->count == 0) {
        return PF_OK;
    }
    PF_TRY(PF_ARENA_NEW(g->arena, out->list, steps->count, err));
    if (d) {
        PF_TRY(group_ops(g, d, steps->count, of_op, &first, &rows, err));
    }
    for (uint32_t i = 0; d && i < steps->count; i++) {
        const gpu_crowd own = {&g->ops, rows, first[i], first[i + 1] - first[i]};
        out->list[i].events = own.count;
        pf_gpu_measure_crowd(&own, &out->list[i].times);
    }
    PF_TRY(set_lengths(g, steps, out, err));
    PF_TRY(pf_gpu_mark_steps(out, steps->count, &g->scratch, err));
    pf_arena_reset(&g->scratch);
    return PF_OK;
}

pf_status pf_gpu_read_steps(gpu_facts *g, pf_str pattern, gpu_step_facts *out, pf_error *err)
{
    PF_TRY(pf_gpu_find_steps(g, pattern, &out->of_input, err));
    PF_TRY(pf_gpu_assign_ops(g, out, err));
    PF_TRY(PF_ARENA_NEW(g->arena, out->devices, (size_t)g->device_count + g->rank_count, err));
    for (uint32_t i = 0; i < g->rank_count; i++) {
        if (g->ranks[i].device_count == 0) {
            PF_TRY(measure(g, NULL, &out->of_input[i], NULL, &out->devices[g->device_count + i], err));
        }
    }
    for (uint32_t i = 0; i < g->device_count; i++) {
        const gpu_device *d = &g->devices[i];
        PF_TRY(measure(g, d, &out->of_input[d->input], out->of_op, &out->devices[i], err));
    }
    return PF_OK;
}
