/* analyze/gpu/kernels/gpu_groups.c - see gpu_groups.h. Within an input the lengths of a group lie next to each other
 * after a counting sort, so that each row of a table sorts its own lengths only. */
#include "analyze/gpu/kernels/gpu_groups.h"

#include "analyze/support/pass_memory.h"

pf_status pf_gpu_groups_begin(gpu_groups *r, pf_arena *arena, uint32_t most, pf_error *err)
{
    *r = (gpu_groups){.arena = arena};
    r->op = pf_pass_array(arena, most, sizeof *r->op, err);
    r->key = r->op ? pf_pass_array(arena, most, sizeof *r->key, err) : NULL;
    r->order = r->key ? pf_pass_array(arena, most, sizeof *r->order, err) : NULL;
    r->first = r->order ? pf_pass_array(arena, (size_t)most + 1, sizeof *r->first, err) : NULL;
    r->lengths = r->first ? pf_pass_array(arena, most, sizeof *r->lengths, err) : NULL;
    r->scratch = r->lengths ? pf_pass_array(arena, most, sizeof *r->scratch, err) : NULL;
    return r->scratch ? PF_OK : err->code;
}

pf_status pf_gpu_groups_reset(gpu_groups *r, pf_error *err)
{
    pf_strings_free(&r->keys);
    r->count = 0;
    r->groups = 0;
    return pf_strings_init(&r->keys, r->arena->budget, err);
}

void pf_gpu_groups_end(gpu_groups *r)
{
    pf_strings_free(&r->keys);
}

void pf_gpu_groups_put(gpu_groups *r, uint32_t op, uint32_t group)
{
    r->op[r->count] = op;
    r->key[r->count++] = group;
    r->groups = group >= r->groups ? group + 1 : r->groups;
}

pf_status pf_gpu_groups_add(gpu_groups *r, uint32_t op, const void *key, size_t size, pf_error *err)
{
    uint32_t id = pf_strings_add(&r->keys, key, size, err);
    if (id == PF_NONE) {
        return err->code;
    }
    pf_gpu_groups_put(r, op, id - 1);
    return PF_OK;
}

void pf_gpu_groups_sort(gpu_groups *r)
{
    pf_gpu_sort_by_key(r->key, r->count, r->groups, r->first, r->order);
}

gpu_stats pf_gpu_group_stats(gpu_groups *r, const gpu_ops *o, uint32_t group)
{
    uint32_t n = r->first[group + 1] - r->first[group];
    for (uint32_t i = 0; i < n; i++) {
        r->lengths[i] = gpu_length(o, pf_gpu_group_op(r, group, i));
    }
    return pf_gpu_stats(r->lengths, n, r->scratch);
}

pf_cell *pf_gpu_put_stats(pf_cell *at, const gpu_stats *s)
{
    const uint64_t values[] = {s->count, s->total, s->mean, s->median, s->p95, s->least, s->most};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        *at++ = pf_cell_count(values[i]);
    }
    return at;
}

pf_status pf_gpu_groups_each_input(gpu_facts *g, uint32_t most, gpu_tabulate *tabulate, gpu_tables *t, pf_findings *f,
                                   pf_error *err)
{
    gpu_groups r;
    pf_status st = pf_gpu_groups_begin(&r, &g->scratch, most, err);
    for (uint32_t i = 0; i < g->rank_count && st == PF_OK; i++) {
        st = pf_gpu_groups_reset(&r, err);
        st = st == PF_OK ? tabulate(g, i, &r, t, f, err) : st;
    }
    pf_gpu_groups_end(&r);
    pf_arena_reset(&g->scratch);
    return st;
}
