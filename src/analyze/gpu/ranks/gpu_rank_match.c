/* analyze/gpu/ranks/gpu_rank_match.c - point 5: which calls of different inputs are one collective.
 *
 * Ranks of a group call its collectives in the same order. So the n-th call of a group (name and ranks), kind and size
 * in one input and the n-th in another are one collective.
 */
#include <stdlib.h>
#include <string.h>

#include "analyze/gpu/ranks/gpu_ranks.h"
#include "analyze/support/pass_memory.h"
#include "base/ordering.h"

typedef struct collective_key {
    uint32_t series, number;
} collective_key;

static pf_status number_parts(gpu_ranks *r, pf_strings *collectives, uint32_t *seen, pf_error *err)
{
    for (uint32_t i = 0, end; i < r->part_count; i = end) {
        for (end = i; end < r->part_count && r->parts[end].input == r->parts[i].input; end++) {
            gpu_rank_part *p = &r->parts[end];
            const collective_key key = {p->series, p->number = seen[p->series]++};
            PF_TRY(pf_strings_put(collectives, (pf_str){(const char *)&key, sizeof key}, &p->collective, err));
        }
        for (uint32_t k = i; k < end; k++) {
            r->parts[k].series_size = seen[r->parts[k].series];
        }
        for (uint32_t k = i; k < end; k++) {
            seen[r->parts[k].series] = 0;
        }
    }
    return PF_OK;
}

PF_ORDER(by_collective, gpu_rank_part, PF_UP(collective), PF_UP(input));

/* Parts of collectives that one input alone took part in go; the others are numbered anew. */
static pf_status gather(gpu_facts *g, gpu_ranks *r, size_t most, pf_error *err)
{
    uint32_t kept = 0;
    PF_TRY(PF_PASS_ARRAY(g->arena, most, r->collectives, err));
    if (r->part_count) {
        qsort(r->parts, r->part_count, sizeof *r->parts, by_collective);
    }
    for (uint32_t i = 0, end; i < r->part_count; i = end) {
        const gpu_rank_part *p = &r->parts[i];
        for (end = i; end < r->part_count && r->parts[end].collective == p->collective; end++) {
        }
        if (end - i < 2) {
            continue;
        }
        gpu_collective *c = &r->collectives[r->collective_count];
        *c = (gpu_collective){.first = kept, .count = end - i, .series = p->series, .number = p->number};
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
    pf_strings collectives;
    uint32_t *seen;
    PF_TRY(PF_ARENA_NEW(g->arena, seen, r->series_keys.count, err));
    pf_status st = pf_strings_init(&collectives, g->arena->budget, err);
    st = st == PF_OK ? number_parts(r, &collectives, seen, err) : st;
    st = st == PF_OK ? gather(g, r, collectives.count, err) : st;
    pf_strings_free(&collectives);
    return st;
}
