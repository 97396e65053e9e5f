/* analyze/gpu/ranks/gpu_step_spread.c - point 7 across ranks: how long each step took over all devices.
 *
 * Steps of one number belong together. Where collectives keep ranks in step all periods are alike; `work`, the period
 * less exposed communication, is what a rank took of its own. So many rows at most: of more steps, some in a row share
 * one.
 */
#include <stdlib.h>

#include "analyze/gpu/ranks/gpu_across.h"
#include "analyze/support/pass_memory.h"
#include "base/ordering.h"
#include "model/findings/table_parts.h"

enum { MOST_ROWS = 200 };

typedef struct step_time {
    int64_t step;
    uint64_t period, work;
    uint32_t input;
} step_time;

static int by_step(const void *a, const void *b)
{
    const step_time *x = a, *y = b;
    int order = PF_COMPARE(x->step, y->step);
    return order ? order : PF_COMPARE(x->input, y->input);
}

static uint64_t length_of(const pf_cell *c)
{
    return !c->null && c->as.i > 0 ? (uint64_t)c->as.i : 0;
}

/* Rows with a period, in order of their steps. */
static pf_status list_times(gpu_facts *g, size_t rows, step_time **out, uint32_t *count, pf_error *err)
{
    gpu_input_rows steps;
    uint32_t n = 0;
    PF_TRY(PF_PASS_ARRAY(&g->scratch, rows, *out, err));
    PF_TRY(pf_gpu_rows_by_input(g, GPU_TABLE_STEPS, &g->scratch, &steps, err));
    for (uint32_t input = 0; input < g->rank_count; input++) {
        const gpu_rows own = pf_gpu_input_rows(&steps, input);
        for (size_t row = own.from; row < own.to; row++) {
            const pf_cell *step = pf_pass_cell(own.t, row, "step"), *period = pf_pass_cell(own.t, row, "period_ns");
            uint64_t length = length_of(period),
                     waited = length_of(pf_pass_cell(own.t, row, "exposed_communication_ns"));
            (*out)[n] = (step_time){step->as.i, length, length > waited ? length - waited : 0, input};
            n += !period->null;
        }
    }
    qsort(*out, n, sizeof **out, by_step);
    *count = n;
    return PF_OK;
}

static uint32_t number_of_steps(const step_time *list, uint32_t n)
{
    uint32_t steps = n > 0;
    for (uint32_t i = 1; i < n; i++) {
        steps += list[i].step != list[i - 1].step;
    }
    return steps;
}

/* The end of so many steps from row i on. */
static uint32_t end_of(const step_time *list, uint32_t n, uint32_t i, uint32_t steps)
{
    uint32_t seen = 1;
    while (i + 1 < n && (seen += list[i + 1].step != list[i].step) <= steps) {
        i++;
    }
    return i + 1;
}

static void add_row(const gpu_facts *g, const step_time *list, uint32_t n, uint64_t *values, uint64_t *scratch)
{
    uint32_t longest = 0, most = 0;
    for (uint32_t i = 0; i < n; i++) {
        longest = list[i].period > list[longest].period ? i : longest;
        most = list[i].work > list[most].work ? i : most;
        values[i] = list[i].period;
    }
    const gpu_stats periods = pf_gpu_stats(values, n, scratch);
    for (uint32_t i = 0; i < n; i++) {
        values[i] = list[i].work;
    }
    const gpu_stats works = pf_gpu_stats(values, n, scratch);
    GPU_ROW(g, GPU_TABLE_STEP_SPREAD, pf_cell_int(list[0].step), pf_cell_int(list[n - 1].step), pf_cell_count(n),
            GPU_SPREAD(&periods), GPU_WHOSE(g, list[longest].input), GPU_SPREAD(&works),
            GPU_WHOSE(g, list[most].input));
}

pf_status pf_gpu_tabulate_spread(gpu_facts *g, pf_error *err)
{
    size_t rows = pf_table_row_count(g->table[GPU_TABLE_STEPS]);
    step_time *list;
    uint64_t *values, *scratch;
    uint32_t n;
    if (g->rank_count < 2 || rows == 0) {
        return PF_OK;
    }
    PF_TRY(list_times(g, rows, &list, &n, err));
    PF_TRY(PF_PASS_ARRAY(&g->scratch, n, values, err));
    PF_TRY(PF_PASS_ARRAY(&g->scratch, n, scratch, err));
    uint32_t steps = number_of_steps(list, n), share = (steps + MOST_ROWS - 1) / MOST_ROWS;
    for (uint32_t i = 0, end; i < n; i = end) {
        end = end_of(list, n, i, share);
        add_row(g, list + i, end - i, values, scratch);
    }
    pf_arena_reset(&g->scratch);
    return PF_OK;
}
