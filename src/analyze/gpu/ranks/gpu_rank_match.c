/* analyze/gpu/ranks/gpu_rank_match.c - point 5: which operations of different inputs are one collective.
 *
 * Ranks of a group call its collectives in the same order. So the n-th operation of a group (name and ranks), kind and
 * size in one input and the n-th in another are one collective. Sends and receives have two partners only, which their
 * arguments do not name: they are left out.
 */
#include <stdlib.h>
#include <string.h>

#include "analyze/gpu/kernels/gpu_kernels.h"
#include "analyze/gpu/ranks/gpu_ranks.h"
#include "analyze/support/pass_memory.h"
#include "base/ordering.h"
#include "base/str.h"
#include "model/trace/trace.h"

typedef struct series_key {
    uint32_t group, members, kind, input; /* input: PF_NONE where inputs are compared */
    int64_t bytes;
    uint64_t number;
} series_key;

typedef struct matcher {
    gpu_facts *g;
    pf_strings series;      /* keys with an input: how many there were is in `seen` */
    pf_strings collectives; /* keys with a number: id - 1 is the collective */
    uint32_t *seen;         /* by id of series */
} matcher;

static bool is_between_two(uint32_t kind)
{
    pf_str name = pf_gpu_collective_name(kind);
    return pf_str_find(name, PF_STR("send")) != SIZE_MAX || pf_str_find(name, PF_STR("recv")) != SIZE_MAX;
}

/* series_size is which series it is, until all are counted. */
static pf_status add_part(matcher *m, uint32_t input, uint32_t op, gpu_rank_part *part, pf_error *err)
{
    uint32_t kind = pf_gpu_collective_kind(m->g, op);
    series_key key = {.group = gpu_text_id(m->g, GPU_ARG_GROUP, op),
                      .members = gpu_text_id(m->g, GPU_ARG_MEMBERS, op),
                      .kind = kind,
                      .input = input,
                      .bytes = pf_gpu_collective_bytes(m->g, op, kind)};
    uint32_t id, series;
    PF_TRY(pf_strings_put(&m->series, (pf_str){(const char *)&key, sizeof key}, &series, err));
    key.number = m->seen[series]++;
    key.input = PF_NONE;
    PF_TRY(pf_strings_put(&m->collectives, (pf_str){(const char *)&key, sizeof key}, &id, err));
    *part = (gpu_rank_part){.collective = id - 1, .input = input, .op = op, .series_size = series};
    return PF_OK;
}

static bool starts_after(const void *start, uint32_t a, uint32_t b)
{
    return ((const int64_t *)start)[a] > ((const int64_t *)start)[b];
}

/* The communication of an input in order of time, over all its devices. */
static uint32_t list_communication(const gpu_facts *g, const gpu_rank *rank, uint32_t *ops, uint32_t *scratch)
{
    uint32_t n = 0;
    for (uint32_t i = rank->first_op; i < rank->first_op + rank->op_count; i++) {
        if (g->ops.class[i] == GPU_COMMUNICATION && !is_between_two(pf_gpu_collective_kind(g, i))) {
            ops[n++] = i;
        }
    }
    pf_sort_rows(ops, scratch, n, starts_after, g->ops.start);
    return n;
}

static pf_status add_parts(matcher *m, gpu_ranks *r, uint32_t *ops, uint32_t *scratch, pf_error *err)
{
    for (uint32_t input = 0; input < m->g->rank_count; input++) {
        uint32_t n = list_communication(m->g, &m->g->ranks[input], ops, scratch);
        for (uint32_t i = 0; i < n; i++) {
            PF_TRY(add_part(m, input, ops[i], &r->parts[r->part_count++], err));
        }
    }
    for (uint32_t i = 0; i < r->part_count; i++) {
        r->parts[i].series_size = m->seen[r->parts[i].series_size];
    }
    return PF_OK;
}

/* ---- collectives ------------------------------------------------------------------------------------------------- */

static int by_collective(const void *a, const void *b)
{
    const gpu_rank_part *x = a, *y = b;
    int order = PF_COMPARE(x->collective, y->collective);
    return order ? order : PF_COMPARE(x->input, y->input);
}

/* Parts of collectives that one input alone took part in go; the others are numbered anew. */
static pf_status gather(matcher *m, gpu_ranks *r, pf_error *err)
{
    const gpu_facts *g = m->g;
    uint32_t kept = 0;
    PF_TRY(PF_PASS_ARRAY(g->arena, m->collectives.count, r->collectives, err));
    if (r->part_count) {
        qsort(r->parts, r->part_count, sizeof *r->parts, by_collective);
    }
    for (uint32_t i = 0, end; i < r->part_count; i = end) {
        series_key key;
        memcpy(&key, pf_strings_get(&m->collectives, r->parts[i].collective + 1).ptr, sizeof key);
        for (end = i; end < r->part_count && r->parts[end].collective == r->parts[i].collective; end++) {
        }
        if (end - i < 2) {
            continue;
        }
        gpu_collective *c = &r->collectives[r->collective_count];
        *c = (gpu_collective){.first = kept, .count = end - i, .kind = key.kind, .number = (uint32_t)key.number};
        for (uint32_t k = i; k < end; k++) {
            r->parts[kept] = r->parts[k];
            r->parts[kept++].collective = r->collective_count;
        }
        r->collective_count++;
    }
    r->part_count = kept;
    return PF_OK;
}

pf_status pf_gpu_match_collectives(gpu_facts *g, gpu_ranks *r, pf_error *err)
{
    matcher m = {.g = g};
    uint32_t most = 0;
    for (uint32_t i = 0; i < g->ops.count; i++) {
        most += g->ops.class[i] == GPU_COMMUNICATION;
    }
    uint32_t *ops, *scratch;
    PF_TRY(PF_PASS_ARRAY(g->arena, most, ops, err));
    PF_TRY(PF_PASS_ARRAY(g->arena, most, scratch, err));
    PF_TRY(PF_ARENA_NEW(g->arena, m.seen, (size_t)most + 2, err));
    PF_TRY(PF_PASS_ARRAY(g->arena, most, r->parts, err));
    pf_status st = pf_strings_init(&m.series, g->arena->budget, err);
    st = st == PF_OK ? pf_strings_init(&m.collectives, g->arena->budget, err) : st;
    st = st == PF_OK ? add_parts(&m, r, ops, scratch, err) : st;
    st = st == PF_OK ? gather(&m, r, err) : st;
    pf_strings_free(&m.collectives);
    pf_strings_free(&m.series);
    return st;
}
