/* analyze/neutrino/sched/block_sched.c - one walk over the blocks of a launch (docs/reference/neutrino.md, "Block
 * scheduling").
 */
#include "analyze/neutrino/sched/block_sched.h"

#include <inttypes.h>
#include <stdlib.h>

#include "analyze/support/pass_memory.h"
#include "base/list.h"
#include "base/ordering.h"

static pf_status refused(const neutrino_run *n, size_t bytes, pf_error *err)
{
    return pf_budget_refused(n->arena->budget, bytes, err);
}

static sched_sm *add_sm(const neutrino_run *n, sched_result *s, uint32_t id, pf_error *err)
{
    pf_budget *budget = n->arena->budget;
    if (s->count == SCHED_SMS_MAX) {
        pf_fail(err, PF_ERR_INPUT, "%.*s: field cuid: has more than 65536 values; check the map", (int)s->r->file.len,
                s->r->file.ptr);
        return NULL;
    }
    sched_sm *sm;
    if (PF_LIST_ROOM(budget, s->sm, s->count + 1, s->room, err) != PF_OK ||
        pf_map_put(&s->by_id, id, s->count, err) != PF_OK || PF_LIST_NEW(budget, sm, 1, err) != PF_OK) {
        return NULL;
    }
    sm->id = id;
    sm->sweep.budget = budget;
    s->sm[s->count++] = sm;
    if (id < SCHED_DIRECT) {
        s->direct[id] = sm;
    }
    return sm;
}

static inline sched_sm *find_sm(const neutrino_run *n, sched_result *s, uint32_t id, pf_error *err)
{
    if (id < SCHED_DIRECT && s->direct[id]) {
        return s->direct[id];
    }
    uint32_t i = pf_map_get(&s->by_id, id);
    return i == PF_NONE ? add_sm(n, s, id, err) : s->sm[i];
}

/* All three are there: they make the section one of blocks. */
static void find_fields(const neutrino_run *n, sched_result *s)
{
    const neutrino_records *r = s->r;
    s->start = pf_neutrino_field(n, r, "start", &s->start_bytes);
    s->elapsed = pf_neutrino_field(n, r, "elapsed", &s->elapsed_bytes);
    s->id = pf_neutrino_field(n, r, "cuid", &s->id_bytes);
    s->id = s->id == SIZE_MAX ? pf_neutrino_field(n, r, "smid", &s->id_bytes) : s->id;
    s->packed = s->start == 0 && s->start_bytes == 8 && s->elapsed == 8 && s->elapsed_bytes == 4 && s->id == 12 &&
                s->id_bytes == 4;
}

/* The block of a record, and the SM that it ran on. */
static inline sm_block read_block(const sched_result *s, bool packed, const uint8_t *p, uint64_t index, uint32_t *id)
{
    sm_block b = {.index = index};
    uint64_t elapsed;
    if (packed) {
        b.start = pf_little_u64(p);
        elapsed = pf_little_u32(p + 8);
        *id = pf_little_u32(p + 12);
    } else {
        b.start = pf_neutrino_value(p, s->start, s->start_bytes);
        elapsed = pf_neutrino_value(p, s->elapsed, s->elapsed_bytes);
        *id = (uint32_t)pf_neutrino_value(p, s->id, s->id_bytes);
    }
    b.end = elapsed > UINT64_MAX - b.start ? UINT64_MAX : b.start + elapsed;
    return b;
}

/* The blocks of the units [from, to). */
static inline pf_status walk_piece(const neutrino_run *n, sched_result *s, bool packed, uint64_t from, uint64_t to,
                                   pf_error *err)
{
    const neutrino_records *r = s->r;
    const uint64_t step = r->per_block * r->unit_bytes;
    const uint8_t *p = r->data + from * r->unit_bytes;
    for (uint64_t u = from; u < to; u += r->per_block, p += step) {
        uint32_t id;
        sm_block b = read_block(s, packed, p, 0, &id);
        sched_sm *sm = find_sm(n, s, id, err);
        PF_TRY(sm ? PF_OK : err->code);
        const sched_block block = {b.start, b.end};
        bool used = b.start | b.end | id;
        if (!(used ? pf_sched_add(sm, &block) : pf_sched_add_unused(sm))) {
            return refused(n, 1 << 16, err);
        }
    }
    return PF_OK;
}

static pf_status walk(const neutrino_run *n, sched_result *s, pf_error *err)
{
    const neutrino_records *r = s->r;
    const uint64_t piece = 65536 * r->per_block;
    uint64_t gone = 0;
    for (uint64_t u = 0; u < r->complete; u += piece) {
        uint64_t to = r->complete - u < piece ? r->complete : u + piece;
        PF_TRY(s->packed ? walk_piece(n, s, true, u, to, err) : walk_piece(n, s, false, u, to, err));
        PF_TRY(pf_neutrino_passed(n, r, to, &gone, err));
    }
    return PF_OK;
}

PF_ORDER(by_start, sm_block, PF_UP(start), PF_UP(index));

pf_status pf_sched_each(const neutrino_run *n, sched_result *s, sched_visitor visit, void *ctx, pf_error *err)
{
    const neutrino_records *r = s->r;
    uint64_t gone = 0, index = 0;
    for (uint64_t u = 0; u < r->complete; u += r->per_block, index++) {
        uint32_t id;
        sm_block b = read_block(s, s->packed, r->data + u * r->unit_bytes, index, &id);
        sched_sm *sm = find_sm(n, s, id, err);
        if (sm && (b.start | b.end | id)) {
            visit(ctx, sm, &b);
        }
        PF_TRY(index % 65536 == 0 ? pf_neutrino_passed(n, r, u, &gone, err) : PF_OK);
    }
    return PF_OK;
}

typedef struct gathering {
    sm_block *list;
    uint64_t *at; /* where the next block of each SM goes */
} gathering;

static void gather_block(void *ctx, sched_sm *sm, const sm_block *b)
{
    gathering *g = ctx;
    if (sm->again) {
        g->list[g->at[sm->place]++] = *b;
    }
}

/* Sorts and sweeps the blocks of one SM. */
static pf_status sweep_list(const neutrino_run *n, sched_sm *sm, sm_block *list, sched_taker take, void *ctx,
                            pf_error *err)
{
    pf_sm_sweep_free(&sm->sweep);
    sm->sweep = (sm_sweep){.budget = n->arena->budget};
    qsort(list, sm->exact_blocks, sizeof *list, by_start);
    for (uint64_t i = 0; i < sm->exact_blocks; i++) {
        sm_placed placed;
        if (!pf_sm_sweep_reserve(&sm->sweep, 1)) {
            return refused(n, 1 << 16, err);
        }
        pf_sm_sweep_add(&sm->sweep, &list[i], &placed);
        PF_TRY(take ? take(ctx, sm, &placed, err) : PF_OK);
    }
    sm->tail = pf_sm_tail(&sm->sweep);
    return PF_OK;
}

/* The blocks of all SMs that are marked are gathered SM after SM. */
pf_status pf_sched_visit(const neutrino_run *n, sched_result *s, sched_taker take, void *ctx, pf_error *err)
{
    pf_budget *budget = n->arena->budget;
    uint64_t *at, total = 0, from = 0;
    sm_block *list;
    PF_TRY(PF_PASS_ARRAY(n->arena, s->count, at, err));
    for (uint32_t i = 0; i < s->count; i++) {
        at[i] = total;
        total += s->sm[i]->again ? s->sm[i]->exact_blocks : 0;
    }
    if (!total) {
        return PF_OK;
    }
    PF_TRY(PF_LIST_NEW(budget, list, total, err));
    pf_status st = pf_sched_each(n, s, gather_block, &(gathering){list, at}, err);
    for (uint32_t i = 0; i < s->count && st == PF_OK; i++) {
        if (s->sm[i]->again) {
            st = sweep_list(n, s->sm[i], list + from, take, ctx, err);
            from = at[i];
        }
    }
    PF_LIST_FREE(budget, list, total);
    return st;
}

PF_ORDER(by_id, sched_sm *const, PF_COMPARE((*x)->id, (*y)->id));

static void combine(const neutrino_run *n, sched_result *s)
{
    uint64_t work = 0, gap = 0, spans = 0, seen = 0, first_idle = UINT64_MAX, last_end = 0;
    s->span_min = s->blocks_min = UINT64_MAX;
    for (uint32_t i = 0; i < s->count; i++) {
        const sched_sm *sm = s->sm[i];
        work += sm->work;
        gap += sm->compat_gap;
        s->pairs += sm->compat_pairs;
        if (sm->exact_blocks == 0) {
            continue;
        }
        uint64_t span = pf_sm_span(&sm->sweep);
        seen++;
        spans += span;
        s->span_max = span > s->span_max ? span : s->span_max;
        s->span_min = span < s->span_min ? span : s->span_min;
        s->blocks_max = sm->exact_blocks > s->blocks_max ? sm->exact_blocks : s->blocks_max;
        s->blocks_min = sm->exact_blocks < s->blocks_min ? sm->exact_blocks : s->blocks_min;
        s->tail_max = sm->tail > s->tail_max ? sm->tail : s->tail_max;
        first_idle = sm->sweep.last_end < first_idle ? sm->sweep.last_end : first_idle;
        last_end = sm->sweep.last_end > last_end ? sm->sweep.last_end : last_end;
    }
    s->span_min = seen ? s->span_min : 0;
    s->blocks_min = seen ? s->blocks_min : 0;
    s->running = s->count ? work / s->count : 0;
    s->scheduling = s->count ? gap / s->count : 0;
    s->span_mean = seen ? (double)spans / (double)seen : 0;
    s->idle_tail = seen ? last_end - first_idle : 0;
    s->line = pf_findings_format(n->f, "No.block:%" PRIu64 " Running:%" PRIu64 " Scheduling:%" PRIu64 "(cycle)",
                                 s->r->blocks, s->running, s->scheduling);
}

pf_status pf_sched_analyse(const neutrino_run *n, const neutrino_records *r, sched_result *out, pf_error *err)
{
    *out = (sched_result){.r = r};
    pf_map_init(&out->by_id, n->arena->budget);
    find_fields(n, out);
    PF_TRY(walk(n, out, err));
    for (uint32_t i = 0; i < out->count; i++) {
        PF_TRY(pf_sched_finish(out->sm[i]) ? PF_OK : refused(n, 1 << 16, err));
    }
    if (out->count) {
        qsort(out->sm, out->count, sizeof(sched_sm *), by_id);
    }
    for (uint32_t i = 0; i < out->count; i++) {
        out->sm[i]->place = i;
        pf_map_set(&out->by_id, out->sm[i]->id, i);
    }
    PF_TRY(pf_sched_visit(n, out, NULL, NULL, err));
    combine(n, out);
    return PF_OK;
}

void pf_sched_free(const neutrino_run *n, sched_result *s)
{
    pf_budget *budget = n->arena->budget;
    for (uint32_t i = 0; i < s->count; i++) {
        pf_sched_free_sm(s->sm[i]);
        pf_release(budget, s->sm[i], sizeof(sched_sm));
    }
    PF_LIST_FREE(budget, s->sm, s->room);
    pf_map_free(&s->by_id);
}
