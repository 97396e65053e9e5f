/* analyze/gpu/kernels/gpu_memcpy.c - point 2: memcpy and memset by name, with the bandwidth that they achieved: bytes
 * of all calls that say them over the time of the same calls. */
#include <stdlib.h>

#include "analyze/gpu/kernels/gpu_groups.h"
#include "analyze/gpu/kernels/gpu_kernels.h"
#include "analyze/support/pass_memory.h"

typedef struct copy_row {
    uint32_t group;
    gpu_stats stats;
    uint64_t bytes, timed; /* timed: the length of the calls that say their bytes */
    bool known;
} copy_row;

static int by_total(const void *a, const void *b)
{
    const copy_row *x = a, *y = b;
    if (x->stats.total != y->stats.total) {
        return x->stats.total > y->stats.total ? -1 : 1;
    }
    return x->group < y->group ? -1 : x->group > y->group;
}

static void add_bytes(const gpu_facts *g, const gpu_groups *r, copy_row *row)
{
    for (uint32_t i = 0; i < r->first[row->group + 1] - r->first[row->group]; i++) {
        uint32_t op = pf_gpu_group_op(r, row->group, i);
        int64_t bytes = gpu_int(g, GPU_ARG_BYTES, op);
        if (gpu_has(g, GPU_ARG_BYTES, op) && bytes >= 0) {
            row->known = true;
            row->timed += gpu_length(&g->ops, op);
            row->bytes = __builtin_add_overflow(row->bytes, (uint64_t)bytes, &row->bytes) ? UINT64_MAX : row->bytes;
        }
    }
}

static void add_row(const gpu_facts *g, const gpu_groups *r, uint32_t input, const copy_row *c, gpu_tables *t,
                    pf_findings *f)
{
    uint32_t op = pf_gpu_group_op(r, c->group, 0);
    bool copy = g->ops.kind[op] == GPU_SLICE_COPY;
    pf_cell row[16] = {pf_gpu_input_cell(g, input), pf_gpu_rank_cell(g, input),
                       pf_cell_text(pf_trace_string(g->trace, g->ops.name[op])),
                       pf_cell_text(copy ? PF_STR("copy") : PF_STR("fill"))};
    pf_cell *at = pf_gpu_put_stats(row + 4, &c->stats);
    *at = pf_cell_count(c->bytes);
    at++->null = !c->known;
    *at++ = pf_cell_real_if(c->known && c->timed, (double)c->bytes / (double)c->timed);
    pf_table_row(f, t->table[GPU_TABLE_MEMCPY], row);
}

static pf_status tabulate(gpu_facts *g, uint32_t input, gpu_groups *r, gpu_tables *t, pf_findings *f, pf_error *err)
{
    const gpu_rank *rank = &g->ranks[input];
    copy_row *rows;
    for (uint32_t i = rank->first_op; i < rank->first_op + rank->op_count; i++) {
        if (g->ops.kind[i] == GPU_SLICE_COPY || g->ops.kind[i] == GPU_SLICE_FILL) {
            const uint32_t key[2] = {g->ops.name[i], g->ops.kind[i]};
            PF_TRY(pf_gpu_groups_add(r, i, key, sizeof key, err));
        }
    }
    PF_TRY(PF_PASS_ARRAY(r->arena, r->groups, rows, err));
    pf_gpu_groups_sort(r);
    for (uint32_t k = 0; k < r->groups; k++) {
        rows[k] = (copy_row){.group = k, .stats = pf_gpu_group_stats(r, &g->ops, k)};
        add_bytes(g, r, &rows[k]);
    }
    qsort(rows, r->groups, sizeof *rows, by_total);
    for (uint32_t k = 0; k < r->groups; k++) {
        add_row(g, r, input, &rows[k], t, f);
    }
    return PF_OK;
}

pf_status pf_gpu_memcpy(gpu_facts *g, gpu_tables *t, pf_findings *f, pf_error *err)
{
    return pf_gpu_groups_each_input(g, g->ops.count, tabulate, t, f, err);
}
