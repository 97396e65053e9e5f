/* analyze/gpu/steps/gpu_step_times.c - what each device did in each step, and how long the step was there.
 *
 * The operations of a device are put in order of their steps; then each step is a crowd of its own, whose numbers are
 * those of "Times" in docs/reference/gpu.md. A step lasts on the device until the first operation of the next one.
 */
#include <stdlib.h>
#include <string.h>

#include "analyze/gpu/facts/gpu_facts.h"
#include "analyze/gpu/steps/gpu_steps.h"
#include "analyze/gpu/times/gpu_times.h"
#include "analyze/support/pass_memory.h"

/* first[step] is where its operations begin in rows; the last group are those of no step. */
typedef struct step_groups {
    uint32_t *first, *rows;
} step_groups;

static pf_status group_ops(gpu_facts *g, const gpu_device *d, uint32_t steps, const uint32_t *of_op, step_groups *out,
                           pf_error *err)
{
    uint32_t *key;
    PF_TRY(PF_PASS_ARRAY(&g->scratch, d->op_count, key, err));
    PF_TRY(PF_PASS_ARRAY(&g->scratch, d->op_count, out->rows, err));
    PF_TRY(PF_PASS_ARRAY(&g->scratch, (size_t)steps + 2, out->first, err));
    for (uint32_t i = 0; i < d->op_count; i++) {
        uint32_t step = of_op[d->first_op + i];
        key[i] = step == PF_NONE ? steps : step;
    }
    pf_gpu_sort_by_key(key, d->op_count, steps + 1, out->first, out->rows);
    for (uint32_t i = 0; i < d->op_count; i++) {
        out->rows[i] += d->first_op;
    }
    return PF_OK;
}

/* ---- lengths ----------------------------------------------------------------------------------------------------- */

typedef struct begun_step {
    int64_t start;
    uint32_t step;
} begun_step;

static int by_start(const void *a, const void *b)
{
    const begun_step *x = a, *y = b;
    if (x->start != y->start) {
        return x->start < y->start ? -1 : 1;
    }
    return x->step < y->step ? -1 : x->step > y->step;
}

static pf_status set_lengths(gpu_facts *g, const gpu_steps *steps, gpu_device_step *list, pf_error *err)
{
    begun_step *begun = pf_pass_array(&g->scratch, steps->count, sizeof *begun, err);
    uint32_t n = 0;
    if (!begun) {
        return err->code;
    }
    for (uint32_t i = 0; i < steps->count; i++) {
        if (list[i].events) {
            begun[n++] = (begun_step){list[i].times.start, i};
        }
        list[i].length = pf_interval_length(steps->list[i].time);
    }
    qsort(begun, n, sizeof *begun, by_start);
    for (uint32_t i = 0; i < n; i++) {
        gpu_device_step *s = &list[begun[i].step];
        s->period = i + 1 < n ? (uint64_t)begun[i + 1].start - (uint64_t)begun[i].start : s->times.span;
        s->length = s->period;
    }
    return PF_OK;
}

/* ---- all of them ------------------------------------------------------------------------------------------------- */

static pf_status measure_device(gpu_facts *g, const gpu_device *d, const gpu_steps *steps, const uint32_t *of_op,
                                gpu_device_steps *out, pf_error *err)
{
    step_groups groups = {NULL, NULL};
    pf_interval *room[GPU_TIMES_ROOM];
    PF_TRY(PF_PASS_ARRAY(g->arena, steps->count, out->list, err));
    PF_TRY(group_ops(g, d, steps->count, of_op, &groups, err));
    if (!pf_gpu_times_room(&g->scratch, d->op_count, room, err)) {
        return err->code;
    }
    memset(out->list, 0, steps->count * sizeof *out->list);
    for (uint32_t i = 0; i < steps->count; i++) {
        uint32_t first = groups.first[i], count = groups.first[i + 1] - first;
        out->list[i].events = count;
        if (count) {
            pf_gpu_measure_ops(&g->ops, groups.rows + first, count, room, &out->list[i].times);
        }
    }
    PF_TRY(set_lengths(g, steps, out->list, err));
    return pf_gpu_mark_steps(out, steps->count, &g->scratch, err);
}

/* Of an input without devices: windows of the host. */
static pf_status measure_host(gpu_facts *g, const gpu_steps *steps, gpu_device_steps *out, pf_error *err)
{
    PF_TRY(PF_PASS_ARRAY(g->arena, steps->count, out->list, err));
    memset(out->list, 0, steps->count * sizeof *out->list);
    for (uint32_t i = 0; i < steps->count; i++) {
        out->list[i].length = pf_interval_length(steps->list[i].time);
    }
    return pf_gpu_mark_steps(out, steps->count, &g->scratch, err);
}

pf_status pf_gpu_measure_steps(gpu_facts *g, const gpu_steps *steps, const gpu_step_ops *ops, gpu_device_steps **out,
                               pf_error *err)
{
    gpu_device_steps *list;
    PF_TRY(PF_PASS_ARRAY(g->arena, (size_t)g->device_count + g->rank_count, list, err));
    *out = list;
    for (uint32_t i = 0; i < g->rank_count; i++) {
        gpu_device_steps *own = &list[g->device_count + i];
        *own = (gpu_device_steps){.list = NULL};
        if (g->ranks[i].device_count == 0 && steps[i].count) {
            PF_TRY(measure_host(g, &steps[i], own, err));
        }
        pf_arena_reset(&g->scratch);
    }
    for (uint32_t i = 0; i < g->device_count; i++) {
        const gpu_device *d = &g->devices[i];
        list[i] = (gpu_device_steps){.list = NULL};
        if (steps[d->input].count) {
            PF_TRY(measure_device(g, d, &steps[d->input], ops->of_op, &list[i], err));
        }
        pf_arena_reset(&g->scratch);
    }
    return PF_OK;
}
