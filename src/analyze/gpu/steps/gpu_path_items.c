/* analyze/gpu/steps/gpu_path_items.c - see gpu_path_items.h. Most lists are in order as they are collected: one stream,
 * one thread. */
#include "analyze/gpu/steps/gpu_path_items.h"

#include <stdlib.h>

#include "analyze/support/pass_memory.h"

static int by_end(const void *a, const void *b)
{
    const gpu_path_item *x = a, *y = b;
    if (x->owner != y->owner) {
        return x->owner < y->owner ? -1 : 1;
    }
    if (x->end != y->end) {
        return x->end < y->end ? -1 : 1;
    }
    return x->row < y->row ? -1 : x->row > y->row;
}

static void sort_list(gpu_path_list *l)
{
    bool sorted = true;
    for (uint32_t i = 1; i < l->count && sorted; i++) {
        sorted = by_end(&l->list[i - 1], &l->list[i]) <= 0;
    }
    if (!sorted) {
        qsort(l->list, l->count, sizeof *l->list, by_end);
    }
}

static pf_status list_ops(gpu_path_items *w, pf_arena *arena, pf_error *err)
{
    const gpu_ops *o = &w->g->ops;
    uint32_t first = w->rank->first_op, last = first + w->rank->op_count, n = 0;
    const pf_interval *t = &w->time;
    for (uint32_t i = first; i < last; i++) {
        n += o->end[i] > t->start && o->end[i] <= t->end;
    }
    w->ops.list = pf_pass_array(arena, n, sizeof *w->ops.list, err);
    if (!w->ops.list) {
        return err->code;
    }
    for (uint32_t i = first; i < last; i++) {
        if (o->end[i] > t->start && o->end[i] <= t->end) {
            w->ops.list[w->ops.count++] = (gpu_path_item){o->device[i], i, o->start[i], o->end[i]};
        }
    }
    sort_list(&w->ops);
    return PF_OK;
}

/* Calls without length wait for nothing. */
static pf_status list_calls(gpu_path_items *w, pf_arena *arena, pf_error *err)
{
    const gpu_calls *c = &w->g->calls;
    const pf_interval *t = &w->time;
    w->calls.list = pf_pass_array(arena, w->rank->call_count, sizeof *w->calls.list, err);
    if (!w->calls.list) {
        return err->code;
    }
    for (uint32_t i = w->rank->first_call; i < w->rank->first_call + w->rank->call_count; i++) {
        if (c->blocks[i] && c->end[i] > c->start[i] && c->end[i] > t->start && c->end[i] <= t->end) {
            w->calls.list[w->calls.count++] =
                (gpu_path_item){gpu_thread_of_slice(w->g, c->slice[i]), i, c->start[i], c->end[i]};
        }
    }
    sort_list(&w->calls);
    return PF_OK;
}

uint8_t *pf_gpu_find_outermost(const gpu_facts *g, pf_arena *arena, pf_error *err)
{
    const pf_slices *s = pf_trace_slices(g->trace);
    enum { OUTSIDE, INSIDE };
    uint8_t *place = pf_pass_array(arena, s->count, 1, err);
    for (uint32_t i = 0; place && i < s->count; i++) {
        bool inside = s->parent[i] < i && place[s->parent[i]] != OUTSIDE;
        place[i] = inside ? INSIDE : g->kind[i] == GPU_SLICE_OPERATOR ? GPU_OUTERMOST : OUTSIDE;
    }
    return place;
}

static uint32_t first_slice_from(const pf_slices *s, int64_t ts)
{
    uint32_t low = 0, high = s->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (pf_slice_ts(s, middle) < ts) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Outermost operators that start in the step. */
static pf_status list_operators(gpu_path_items *w, pf_arena *arena, pf_error *err)
{
    const pf_slices *s = pf_trace_slices(w->g->trace);
    const pf_interval *t = &w->time;
    bool many = w->g->rank_count > 1;
    uint32_t input = (uint32_t)(w->rank - w->g->ranks), n = 0;
    uint32_t from = first_slice_from(s, t->start), to = first_slice_from(s, t->end);
    for (uint32_t i = from; i < to; i++) {
        n += w->outermost[i] == GPU_OUTERMOST;
    }
    w->operators.list = pf_pass_array(arena, n, sizeof *w->operators.list, err);
    if (!w->operators.list) {
        return err->code;
    }
    for (uint32_t i = from; i < to; i++) {
        int64_t start = pf_slice_ts(s, i), end;
        if (w->outermost[i] == GPU_OUTERMOST && (!many || pf_trace_event_input(w->g->trace, s->event[i]) == input) &&
            s->dur[i] > 0 && !__builtin_add_overflow(start, s->dur[i], &end)) {
            w->operators.list[w->operators.count++] = (gpu_path_item){gpu_thread_of_slice(w->g, i), i, start, end};
        }
    }
    sort_list(&w->operators);
    return PF_OK;
}

uint32_t pf_gpu_path_ended_before(const gpu_path_list *l, uint32_t owner, int64_t at)
{
    uint32_t low = 0, high = l->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const gpu_path_item *i = &l->list[middle];
        if (i->owner < owner || (i->owner == owner && i->end <= at)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

uint32_t pf_gpu_path_last_ended(const gpu_path_list *l, uint32_t owner, int64_t at)
{
    uint32_t n = pf_gpu_path_ended_before(l, owner, at);
    return n && l->list[n - 1].owner == owner ? n - 1 : PF_NONE;
}

pf_status pf_gpu_path_items(gpu_path_items *w, pf_arena *arena, pf_error *err)
{
    pf_status st = list_ops(w, arena, err);
    st = st == PF_OK ? list_calls(w, arena, err) : st;
    return st == PF_OK ? list_operators(w, arena, err) : st;
}
