/* analyze/gpu/ranks/gpu_rank_calls.c - point 5: the calls of collectives of an input, in order of time over all its
 * devices, and the work before each.
 *
 * Sends and receives have two partners only, which their arguments do not name: they are left out.
 */
#include "analyze/gpu/kernels/gpu_kernels.h"
#include "analyze/gpu/ranks/gpu_ranks.h"
#include "analyze/gpu/times/gpu_times.h"
#include "analyze/support/pass_memory.h"
#include "base/str.h"
#include "model/trace/trace.h"

pf_status pf_gpu_ranks_init(gpu_ranks *r, const gpu_facts *g, pf_error *err)
{
    *r = (gpu_ranks){.reference = PF_NONE, .blocks = 1};
    PF_TRY(PF_ARENA_NEW(g->arena, r->rank, g->rank_count, err));
    PF_TRY(pf_strings_init(&r->texts, g->arena->budget, err));
    PF_TRY(pf_strings_init(&r->keys, g->arena->budget, err));
    return pf_strings_init(&r->series_keys, g->arena->budget, err);
}

void pf_gpu_ranks_free(gpu_ranks *r)
{
    pf_strings_free(&r->texts);
    pf_strings_free(&r->keys);
    pf_strings_free(&r->series_keys);
}

static pf_status keep_text(gpu_ranks *r, pf_str text, uint32_t *id, pf_error *err)
{
    *id = 0;
    return text.ptr ? pf_strings_put(&r->texts, text, id, err) : PF_OK;
}

pf_status pf_gpu_add_call(gpu_facts *g, gpu_ranks *r, gpu_series key, pf_str group, pf_str members,
                          const gpu_rank_part *call, pf_error *err)
{
    PF_TRY(keep_text(r, group, &key.group, err));
    PF_TRY(keep_text(r, members, &key.members, err));
    PF_TRY(PF_ARENA_ROOM(g->arena, r->parts, r->part_count + 1, r->room, err));
    gpu_rank_part *p = &r->parts[r->part_count++];
    *p = *call;
    return pf_strings_put(&r->series_keys, (pf_str){(const char *)&key, sizeof key}, &p->series, err);
}

gpu_series pf_gpu_series_of(const gpu_ranks *r, uint32_t series)
{
    gpu_series key;
    memcpy(&key, pf_strings_get(&r->series_keys, series).ptr, sizeof key);
    return key;
}

/* ---- the calls of a trace ---------------------------------------------------------------------------------------- */

static bool is_between_two(uint32_t kind)
{
    pf_str name = pf_gpu_collective_name(kind);
    return pf_str_find(name, PF_STR("send")) != SIZE_MAX || pf_str_find(name, PF_STR("recv")) != SIZE_MAX;
}

static bool starts_after(const void *start, uint32_t a, uint32_t b)
{
    return ((const int64_t *)start)[a] > ((const int64_t *)start)[b];
}

/* The communication of an input in order of time, over all its devices. */
static pf_status list_communication(gpu_facts *g, const gpu_rank *rank, uint32_t **ops, uint32_t *count, pf_error *err)
{
    uint32_t n = 0, end = rank->first_op + rank->op_count, *scratch;
    for (uint32_t i = rank->first_op; i < end; i++) {
        n += g->ops.class[i] == GPU_COMMUNICATION;
    }
    PF_TRY(PF_PASS_ARRAY(&g->scratch, n, *ops, err));
    PF_TRY(PF_PASS_ARRAY(&g->scratch, n, scratch, err));
    *count = 0;
    for (uint32_t i = rank->first_op; n && i < end; i++) {
        if (g->ops.class[i] == GPU_COMMUNICATION && !is_between_two(pf_gpu_collective_kind(g, i))) {
            (*ops)[(*count)++] = i;
        }
    }
    pf_sort_rows(*ops, scratch, *count, starts_after, g->ops.start);
    return PF_OK;
}

/* The compute time of a device: its intervals, and their sums. */
typedef struct compute_time {
    gpu_set set;
    uint64_t *sums;
} compute_time;

static pf_status read_compute(gpu_facts *g, const gpu_rank *rank, compute_time **out, pf_error *err)
{
    PF_TRY(PF_PASS_ARRAY(&g->scratch, rank->device_count, *out, err));
    for (uint32_t d = 0; d < rank->device_count; d++) {
        compute_time *c = &(*out)[d];
        PF_TRY(pf_gpu_unite(g, &g->devices[rank->first_device + d], GPU_COMPUTE, &g->scratch, &c->set, err));
        PF_TRY(PF_PASS_ARRAY(&g->scratch, c->set.count + 1, c->sums, err));
        pf_interval_sums(c->set.list, c->set.count, c->sums);
    }
    return PF_OK;
}

/* The work of a call is compute time of its device from the end of the call before, or the device's first event. */
static pf_status list_input(gpu_facts *g, gpu_ranks *r, uint32_t input, pf_error *err)
{
    const gpu_rank *rank = &g->ranks[input];
    uint32_t *ops, n;
    compute_time *compute;
    PF_TRY(list_communication(g, rank, &ops, &n, err));
    PF_TRY(n ? read_compute(g, rank, &compute, err) : PF_OK);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t op = ops[i], device = gpu_device_of(g, op);
        const compute_time *c = &compute[device - rank->first_device];
        int64_t from = i ? gpu_end(&g->ops, ops[i - 1]) : g->devices[device].times.start, start = g->ops.start[op];
        uint64_t work = pf_interval_within(c->set.list, c->sums, c->set.count, from, start);
        gpu_series key = {.kind = pf_gpu_collective_kind(g, op)};
        key.bytes = pf_gpu_collective_bytes(g, op, key.kind);
        const gpu_rank_part call = {.input = input,
                                    .op = op,
                                    .began = start,
                                    .end = gpu_end(&g->ops, op),
                                    .work = work > INT64_MAX ? INT64_MAX : (int64_t)work};
        PF_TRY(
            pf_gpu_add_call(g, r, key, gpu_text(g, GPU_ARG_GROUP, op), gpu_text(g, GPU_ARG_MEMBERS, op), &call, err));
    }
    return PF_OK;
}

pf_status pf_gpu_list_calls(gpu_facts *g, gpu_ranks *r, pf_error *err)
{
    pf_status st = PF_OK;
    for (uint32_t i = 0; i < g->rank_count && st == PF_OK; i++) {
        st = list_input(g, r, i, err);
        pf_arena_reset(&g->scratch);
    }
    return st;
}
