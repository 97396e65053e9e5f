/* analyze/gpu/steps/gpu_step_times.c - what each device did in each step, and how long the step was there.
 *
 * The operations of a device are put in order of their steps; then each step is a crowd of its own, whose numbers are
 * those of "Times" in docs/reference/gpu.md. A step lasts on the device until the first operation of the next one.
 */
#include <stdlib.h>

#include "analyze/gpu/steps/gpu_steps.h"
#include "analyze/gpu/times/gpu_times.h"
#include "analyze/support/pass_memory.h"
#include "base/ordering.h"

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

/* ---- lengths ----------------------------------------------------------------------------------------------------- */

typedef struct begun_step {
    int64_t start;
    uint32_t step;
} begun_step;

static int by_start(const void *a, const void *b)
{
    const begun_step *x = a, *y = b;
    int order = PF_COMPARE(x->start, y->start);
    return order ? order : PF_COMPARE(x->step, y->step);
}

static pf_status set_lengths(gpu_facts *g, const gpu_steps *steps, gpu_device_step *list, pf_error *err)
{
    begun_step *begun;
    uint32_t n = 0;
    PF_TRY(PF_PASS_ARRAY(&g->scratch, steps->count, begun, err));
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

/* d: NULL for an input without devices, whose steps are windows of the host. */
static pf_status measure(gpu_facts *g, const gpu_device *d, const gpu_steps *steps, const uint32_t *of_op,
                         gpu_device_steps *out, pf_error *err)
{
    uint32_t *first = NULL, *rows = NULL;
    pf_interval *room[GPU_TIMES_ROOM];
    if (steps->count == 0) {
        return PF_OK;
    }
    PF_TRY(PF_ARENA_NEW(g->arena, out->list, steps->count, err));
    if (d) {
        PF_TRY(group_ops(g, d, steps->count, of_op, &first, &rows, err));
        PF_TRY(pf_gpu_times_room(&g->scratch, d->op_count, room, err));
    }
    for (uint32_t i = 0; d && i < steps->count; i++) {
        uint32_t count = first[i + 1] - first[i];
        out->list[i].events = count;
        if (count) {
            pf_gpu_measure_ops(&g->ops, rows + first[i], count, room, &out->list[i].times);
        }
    }
    PF_TRY(set_lengths(g, steps, out->list, err));
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
