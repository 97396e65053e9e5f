/* analyze/gpu/times/gpu_launches.c - point 3: how long launches took, what waited, and the calls that block the host.
 */
#include <string.h>

#include "analyze/gpu/kernels/gpu_groups.h"
#include "analyze/gpu/times/gpu_times.h"
#include "analyze/support/pass_memory.h"

/* ---- launches ---------------------------------------------------------------------------------------------------- */

typedef struct launch_room {
    int64_t *delays, *waits, *scratch;
    uint64_t *device_time; /* by call; NULL: none launched more than one operation */
} launch_room;

static int64_t difference(int64_t a, int64_t b)
{
    int64_t d;
    return !__builtin_sub_overflow(a, b, &d) ? d : a > b ? INT64_MAX : INT64_MIN;
}

/* Every operation: how long it waited. The first of each call: the delay of the launch, and whether the launch took
 * longer than all the work that it launched. */
static void measure(const gpu_facts *g, const gpu_device *d, const launch_room *r, gpu_launches *n)
{
    size_t delays = 0, waits = 0;
    *n = (gpu_launches){0};
    for (uint32_t i = d->first_op; i < d->first_op + d->op_count; i++) {
        uint32_t call = gpu_call_of(g, i);
        if (call == PF_NONE) {
            n->without_call++;
            continue;
        }
        r->waits[waits++] = difference(g->ops.start[i], g->calls.end[call]);
        if (g->calls.first_op[call] != i) {
            continue;
        }
        uint64_t length = (uint64_t)g->calls.end[call] - (uint64_t)g->calls.start[call];
        uint64_t launched = r->device_time ? r->device_time[call] : gpu_length(&g->ops, i);
        r->delays[delays++] = difference(g->ops.start[i], g->calls.start[call]);
        n->graphs += g->calls.ops[call] > 1;
        n->shorter += launched < length;
        n->shorter_time += launched < length ? launched : 0;
    }
    n->delays = pf_gpu_signed_stats(r->delays, delays, r->scratch);
    n->waits = pf_gpu_signed_stats(r->waits, waits, r->scratch);
}

static pf_cell *put_signed(pf_cell *at, const gpu_signed_stats *s)
{
    const int64_t values[] = {s->mean, s->median, s->p95, s->least, s->most};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        *at++ = pf_cell_int_if(s->count > 0, values[i]);
    }
    return at;
}

/* The mean depth of the queue over the span: the time that operations wait, added up, over the span. */
static pf_cell mean_depth(const gpu_device *d)
{
    double area = 0;
    for (size_t i = 0; i + 1 < d->queue_count; i++) {
        uint64_t length = (uint64_t)d->queue[i + 1].ts - (uint64_t)d->queue[i].ts;
        area += (double)d->queue[i].open * (double)length;
    }
    return pf_cell_real_if(d->times.span > 0, area / (double)d->times.span);
}

static void add_device(const gpu_facts *g, const gpu_device *d, const gpu_launches *n, gpu_tables *t, pf_findings *f)
{
    pf_cell row[40] = {pf_gpu_input_cell(g, d->input), pf_gpu_rank_cell(g, d->input), pf_cell_int(d->number)};
    pf_cell *at = row + 3;
    *at++ = pf_cell_count(n->delays.count);
    *at++ = pf_cell_count(n->graphs);
    *at++ = pf_cell_count(n->without_call);
    at = put_signed(at, &n->delays);
    at = put_signed(at, &n->waits);
    *at++ = pf_cell_count(n->shorter);
    *at++ = pf_cell_count(n->shorter_time);
    *at++ = mean_depth(d);
    *at++ = pf_cell_count(pf_depth_most(d->queue, d->queue_count));
    *at++ = pf_cell_count(d->host);
    *at++ = pf_cell_count(d->waiting);
    *at++ = pf_cell_count(d->other);
    pf_table_row(f, t->table[GPU_TABLE_LAUNCHES], row);
}

static bool has_graphs(const gpu_facts *g)
{
    uint32_t i = 0;
    while (i < g->calls.count && g->calls.ops[i] < 2) {
        i++;
    }
    return i < g->calls.count;
}

/* What each call launched, added up. */
static pf_status add_device_time(const gpu_facts *g, pf_arena *scratch, uint64_t **out, pf_error *err)
{
    uint64_t *time = *out = pf_pass_array(scratch, g->calls.count, sizeof *time, err);
    if (!time) {
        return err->code;
    }
    memset(time, 0, g->calls.count * sizeof *time);
    for (uint32_t i = 0; i < g->ops.count; i++) {
        uint32_t call = gpu_call_of(g, i);
        if (call != PF_NONE) {
            uint64_t *sum = &time[call], length = gpu_length(&g->ops, i);
            *sum = __builtin_add_overflow(*sum, length, sum) ? UINT64_MAX : *sum;
        }
    }
    return PF_OK;
}

pf_status pf_gpu_launches_find(const gpu_facts *g, pf_arena *scratch, pf_arena *arena, gpu_launches **out,
                               pf_error *err)
{
    launch_room r = {.device_time = NULL};
    PF_TRY(PF_PASS_ARRAY(arena, g->device_count, *out, err));
    PF_TRY(PF_PASS_ARRAY(scratch, g->ops.count, r.delays, err));
    PF_TRY(PF_PASS_ARRAY(scratch, g->ops.count, r.waits, err));
    PF_TRY(PF_PASS_ARRAY(scratch, g->ops.count, r.scratch, err));
    if (has_graphs(g)) {
        PF_TRY(add_device_time(g, scratch, &r.device_time, err));
    }
    for (uint32_t i = 0; i < g->device_count; i++) {
        measure(g, &g->devices[i], &r, &(*out)[i]);
    }
    pf_arena_reset(scratch);
    return PF_OK;
}

void pf_gpu_launches_tabulate(const gpu_facts *g, const gpu_launches *launches, gpu_tables *t, pf_findings *f)
{
    for (uint32_t i = 0; i < g->device_count; i++) {
        add_device(g, &g->devices[i], &launches[i], t, f);
    }
}

/* ---- calls that block -------------------------------------------------------------------------------------------- */

static pf_status tabulate_blocking(gpu_facts *g, uint32_t input, gpu_groups *r, gpu_tables *t, pf_findings *f,
                                   pf_error *err)
{
    const gpu_rank *rank = &g->ranks[input];
    for (uint32_t i = rank->first_call; i < rank->first_call + rank->call_count; i++) {
        if (g->calls.blocks[i]) {
            PF_TRY(pf_gpu_groups_add(r, i, &g->calls.name[i], sizeof g->calls.name[i], err));
        }
    }
    pf_gpu_groups_sort(r);
    for (uint32_t k = 0; k < r->groups; k++) {
        uint32_t n = r->first[k + 1] - r->first[k];
        for (uint32_t i = 0; i < n; i++) {
            uint32_t call = pf_gpu_group_op(r, k, i);
            r->lengths[i] = (uint64_t)g->calls.end[call] - (uint64_t)g->calls.start[call];
        }
        gpu_stats stats = pf_gpu_stats(r->lengths, n, r->scratch);
        pf_cell row[16] = {pf_gpu_input_cell(g, input), pf_gpu_rank_cell(g, input),
                           pf_cell_text(pf_trace_string(g->trace, g->calls.name[pf_gpu_group_op(r, k, 0)]))};
        pf_gpu_put_stats(row + 3, &stats);
        pf_table_row(f, t->table[GPU_TABLE_SYNCS], row);
    }
    return PF_OK;
}

pf_status pf_gpu_syncs(gpu_facts *g, gpu_tables *t, pf_findings *f, pf_error *err)
{
    return pf_gpu_groups_each_input(g, g->calls.count, tabulate_blocking, t, f, err);
}
