/* analyze/gpu/ranks/gpu_rank_match.c - point 5: which calls of different inputs are one collective.
 *
 * Ranks of a group call its collectives in the same order. So the n-th call of a group (name and ranks), kind and size
 * in one input and the n-th in another are one collective.
 */
#include <string.h>

#include "analyze/gpu/ranks/gpu_ranks.h"
#include "analyze/support/pass_memory.h"

enum { MOST_KEPT = 1 << 18 }; /* calls */

typedef struct collective_key {
    uint32_t series, number;
} collective_key;

static pf_status number_parts(gpu_facts *g, gpu_ranks *r, uint32_t from, pf_error *err)
{
    uint32_t had = r->seen_room;
    PF_TRY(PF_ARENA_ROOM(g->arena, r->seen, r->series_keys.count, r->seen_room, err));
    if (r->seen_room > had) {
        memset(r->seen + had, 0, (r->seen_room - had) * sizeof *r->seen);
    }
    for (uint32_t i = from, end; i < r->part_count; i = end) {
        for (end = i; end < r->part_count && r->parts[end].input == r->parts[i].input; end++) {
            gpu_rank_part *p = &r->parts[end];
            const collective_key key = {p->series, p->number = r->seen[p->series]++};
            p->at = end - i;
            PF_TRY(pf_strings_put(&r->keys, (pf_str){(const char *)&key, sizeof key}, &p->collective, err));
        }
        for (uint32_t k = i; k < end; k++) {
            r->parts[k].series_size = r->seen[r->parts[k].series];
        }
        for (uint32_t k = i; k < end; k++) {
            r->seen[r->parts[k].series] = 0;
        }
    }
    return PF_OK;
}

static pf_status count_parts(gpu_facts *g, gpu_ranks *r, uint32_t from, pf_error *err)
{
    uint32_t had = r->collective_room;
    PF_TRY(PF_ARENA_ROOM(g->arena, r->collectives, r->keys.count, r->collective_room, err));
    if (r->collective_room > had) {
        memset(r->collectives + had, 0, (r->collective_room - had) * sizeof *r->collectives);
    }
    for (const gpu_rank_part *p = r->parts + from; p < r->parts + r->part_count; p++) {
        gpu_collective *c = &r->collectives[p->collective];
        c->part = c->count == 0 || p->input < c->part.input ? *p : c->part;
        c->series = p->series;
        c->number = p->number;
        c->count++;
    }
    return PF_OK;
}

static pf_status read_block(gpu_facts *g, gpu_ranks *r, uint32_t block, pf_error *err)
{
    uint32_t from = r->part_count = r->dropped ? 0 : r->part_count;
    PF_TRY(r->read_block ? r->read_block(r->source, block, err) : PF_OK);
    return number_parts(g, r, r->read_block ? from : 0, err);
}

pf_status pf_gpu_match_collectives(gpu_facts *g, gpu_ranks *r, pf_error *err)
{
    for (uint32_t b = 0; b < r->blocks; b++) {
        uint32_t from = r->read_block && !r->dropped ? r->part_count : 0;
        PF_TRY(read_block(g, r, b, err));
        PF_TRY(count_parts(g, r, from, err));
        r->dropped |= r->read_block && r->part_count > MOST_KEPT;
    }
    PF_TRY(PF_PASS_ARRAY(g->arena, r->keys.count, r->sorted, err));
    for (uint32_t i = 0; i < r->keys.count && i < r->collective_room; i++) {
        if (r->collectives[i].count > 1) {
            uint32_t input = r->collectives[i].part.input;
            r->reference = input < r->reference ? input : r->reference;
            r->sorted[r->collective_count++] = i;
        }
    }
    return PF_OK;
}

pf_status pf_gpu_each_input(gpu_facts *g, gpu_ranks *r, pf_gpu_input_step step, pf_error *err)
{
    for (uint32_t b = 0; b < (r->dropped ? r->blocks : 1); b++) {
        PF_TRY(r->dropped ? read_block(g, r, b, err) : PF_OK);
        for (uint32_t i = 0, end; i < r->part_count; i = end) {
            for (end = i; end < r->part_count && r->parts[end].input == r->parts[i].input;) {
                end++;
            }
            PF_TRY(step(g, r, r->parts + i, end - i, err));
            pf_arena_reset(&g->scratch);
        }
    }
    return PF_OK;
}

/* They are by input. */
pf_status pf_gpu_gather_parts(gpu_facts *g, gpu_ranks *r, pf_error *err)
{
    gpu_rank_part *gathered;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < r->collective_count; i++) {
        pf_gpu_collective_at(r, i)->first = kept;
        kept += pf_gpu_collective_at(r, i)->count;
    }
    PF_TRY(PF_PASS_ARRAY(g->arena, kept, gathered, err));
    for (uint32_t i = 0; i < r->part_count; i++) {
        gpu_collective *c = &r->collectives[r->parts[i].collective];
        if (c->count > 1) {
            gathered[c->first++] = r->parts[i];
        }
    }
    for (uint32_t i = 0; i < r->collective_count; i++) {
        pf_gpu_collective_at(r, i)->first -= pf_gpu_collective_at(r, i)->count;
    }
    r->parts = gathered;
    r->part_count = kept;
    return PF_OK;
}
