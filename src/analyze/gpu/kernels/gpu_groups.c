/* analyze/gpu/kernels/gpu_groups.c - operations of one input in groups that share a key, and the tables of three kinds
 * of them: memcpy and memset by name, runtime calls by name, and those of them that block.
 *
 * Within an input the lengths of a group lie next to each other after a counting sort, so that each row of a table
 * sorts its own lengths only.
 */
#include <stdlib.h>
#include <string.h>

#include "analyze/gpu/kernels/gpu_kernels.h"
#include "analyze/support/pass_memory.h"
#include "base/ordering.h"

typedef struct grouping {
    const gpu_grouping *what;
    uint32_t count; /* members */
    uint32_t *member, *key, *order, *first;
    uint64_t *lengths, *scratch;
} grouping;

static pf_status make_room(grouping *r, pf_arena *arena, uint32_t most, pf_error *err)
{
    PF_TRY(PF_PASS_ARRAY(arena, most, r->member, err));
    PF_TRY(PF_PASS_ARRAY(arena, most, r->key, err));
    PF_TRY(PF_PASS_ARRAY(arena, (size_t)most + 1, r->first, err));
    PF_TRY(PF_PASS_ARRAY(arena, most, r->lengths, err));
    return PF_PASS_ARRAY(arena, most, r->scratch, err);
}

/* Members [from, to). keys: the bytes of keys; id - 1 is the group. Many have the key of the one before them. */
static pf_status gather(const gpu_facts *g, grouping *r, uint32_t from, uint32_t to, pf_strings *keys, pf_error *err)
{
    char key[GPU_KEY_MOST], last[GPU_KEY_MOST];
    uint32_t id = 0;
    r->count = 0;
    for (uint32_t i = from; i < to; i++) {
        if ((r->what->of_calls || g->ops.class[i] == r->what->class) && r->what->key(g, i, key)) {
            if (id == 0 || memcmp(key, last, r->what->key_size) != 0) {
                PF_TRY(pf_strings_put(keys, (pf_str){key, r->what->key_size}, &id, err));
                memcpy(last, key, r->what->key_size);
            }
            r->member[r->count] = i;
            r->key[r->count++] = id - 1;
        }
    }
    return PF_OK;
}

static gpu_stats measure(const gpu_facts *g, const grouping *r, const uint32_t *members, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t at = members[i];
        r->lengths[i] =
            r->what->of_calls ? (uint64_t)g->calls.end[at] - (uint64_t)g->calls.start[at] : gpu_length(&g->ops, at);
    }
    return pf_gpu_stats(r->lengths, n, r->scratch);
}

PF_ORDER(by_total, gpu_group, PF_DOWN(stats.total), PF_UP(number));

/* The n groups of what was gathered. */
static pf_status make_groups(const gpu_facts *g, grouping *r, uint32_t n, pf_arena *arena, gpu_group **out,
                             pf_error *err)
{
    gpu_group *groups;
    PF_TRY(PF_PASS_ARRAY(arena, n, groups, err));
    PF_TRY(PF_PASS_ARRAY(arena, r->count, r->order, err));
    pf_gpu_sort_by_key(r->key, r->count, n, r->first, r->order);
    for (uint32_t i = 0; i < r->count; i++) {
        r->order[i] = r->member[r->order[i]];
    }
    uint64_t whole = 0;
    for (uint32_t k = 0; k < n; k++) {
        const uint32_t *members = r->order + r->first[k];
        groups[k] = (gpu_group){k, members, measure(g, r, members, r->first[k + 1] - r->first[k]), 0};
        whole = gpu_plus(whole, groups[k].stats.total);
    }
    qsort(groups, n, sizeof *groups, by_total);
    for (uint32_t k = 0; k < n; k++) {
        groups[k].whole = whole;
    }
    *out = groups;
    return PF_OK;
}

pf_status pf_gpu_groups_find(const gpu_facts *g, const gpu_grouping *what, pf_arena *arena, gpu_groups *out,
                             pf_error *err)
{
    grouping r = {.what = what};
    uint32_t most = what->of_calls ? g->calls.count : g->of_class[what->class];
    PF_TRY(PF_ARENA_NEW(arena, out->list, g->rank_count, err));
    PF_TRY(PF_ARENA_NEW(arena, out->count, g->rank_count, err));
    pf_status st = make_room(&r, arena, most, err);
    for (uint32_t i = 0; most && i < g->rank_count && st == PF_OK; i++) {
        const gpu_rank *rank = &g->ranks[i];
        uint32_t from = what->of_calls ? rank->first_call : rank->first_op;
        uint32_t to = from + (what->of_calls ? rank->call_count : rank->op_count);
        pf_strings keys;
        PF_TRY(pf_strings_init(&keys, g->arena->budget, err));
        st = gather(g, &r, from, to, &keys, err);
        out->count[i] = keys.count - 1;
        st = st == PF_OK ? make_groups(g, &r, keys.count - 1, arena, &out->list[i], err) : st;
        pf_strings_free(&keys);
    }
    return st;
}

void pf_gpu_groups_tabulate(const gpu_facts *g, const gpu_grouping *what, const gpu_groups *groups)
{
    for (uint32_t i = 0; i < g->rank_count; i++) {
        for (uint32_t k = 0; k < groups->count[i]; k++) {
            what->add_row(g, i, &groups->list[i][k]);
        }
    }
}

pf_status pf_gpu_tabulate_groups(gpu_facts *g, const gpu_grouping *what, pf_error *err)
{
    gpu_groups groups;
    PF_TRY(pf_gpu_groups_find(g, what, &g->scratch, &groups, err));
    pf_gpu_groups_tabulate(g, what, &groups);
    pf_arena_reset(&g->scratch);
    return PF_OK;
}

/* ---- memcpy and memset, with the bandwidth that they achieved -----------------------------------------------------
 */

static bool key_of_copy(const gpu_facts *g, uint32_t op, void *key)
{
    const uint32_t k[] = {g->ops.name[op], gpu_is_copy(g, op)};
    memcpy(key, k, sizeof k);
    return true;
}

/* Bytes of all calls that say them over the time of the same calls. */
static void add_copy(const gpu_facts *g, uint32_t input, const gpu_group *group)
{
    uint32_t first = group->members[0];
    uint64_t sum = 0, timed = 0;
    bool known = false;
    for (uint32_t i = 0; i < group->stats.count; i++) {
        uint32_t op = group->members[i];
        int64_t bytes = gpu_int(g, GPU_ARG_BYTES, op);
        if (gpu_has(g, GPU_ARG_BYTES, op) && bytes >= 0) {
            known = true;
            timed += gpu_length(&g->ops, op);
            sum = gpu_plus(sum, (uint64_t)bytes);
        }
    }
    GPU_ROW(g, GPU_TABLE_MEMCPY, GPU_WHOSE(g, input), pf_cell_text(pf_trace_string(g->trace, g->ops.name[first])),
            pf_cell_text(gpu_is_copy(g, first) ? PF_STR("memcpy") : PF_STR("memset")), GPU_STATS(&group->stats),
            pf_cell_int_if(known, pf_cell_count(sum).as.i),
            pf_cell_real_if(known && timed, (double)sum / (double)timed));
}

const gpu_grouping pf_gpu_memcpy = {
    .class = GPU_MEMORY, .key_size = 2 * sizeof(uint32_t), .key = key_of_copy, .add_row = add_copy};

static bool key_of_call(const gpu_facts *g, uint32_t call, void *key)
{
    memcpy(key, &g->calls.name[call], sizeof g->calls.name[call]);
    return true;
}

static void add_call(const gpu_facts *g, uint32_t input, const gpu_group *group)
{
    pf_str name = pf_trace_string(g->trace, g->calls.name[group->members[0]]);
    uint64_t launched = 0;
    for (uint32_t i = 0; i < group->stats.count; i++) {
        launched += g->calls.ops[group->members[i]];
    }
    GPU_ROW(
        g, GPU_TABLE_RUNTIME, GPU_WHOSE(g, input), pf_cell_text(name), GPU_STATS(&group->stats),
        pf_cell_real_if(group->whole > 0, 100 * (double)group->stats.total / (double)(group->whole | !group->whole)),
        pf_cell_count(launched));
}

const gpu_grouping pf_gpu_runtime = {
    .of_calls = true, .key_size = sizeof(uint32_t), .key = key_of_call, .add_row = add_call};

static bool key_of_sync(const gpu_facts *g, uint32_t call, void *key)
{
    return key_of_call(g, call, key) && g->calls.blocks[call];
}

static void add_sync(const gpu_facts *g, uint32_t input, const gpu_group *group)
{
    pf_str name = pf_trace_string(g->trace, g->calls.name[group->members[0]]);
    GPU_ROW(g, GPU_TABLE_SYNCS, GPU_WHOSE(g, input), pf_cell_text(name), GPU_STATS(&group->stats));
}

const gpu_grouping pf_gpu_syncs = {
    .of_calls = true, .key_size = sizeof(uint32_t), .key = key_of_sync, .add_row = add_sync};
