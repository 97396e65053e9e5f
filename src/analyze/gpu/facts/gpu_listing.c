/* analyze/gpu/facts/gpu_listing.c - which slices are operations and runtime calls.
 *
 * One walk over the slices, which are in order of time, fills the columns of both. So they need no more than to be put
 * in order of devices, or of inputs, where there are several.
 */
#include <string.h>

#include "analyze/gpu/facts/gpu_facts.h"
#include "analyze/support/pass_memory.h"
#include "model/trace/trace.h"

/* The next array of n cells. NULL also where an earlier one was refused: `ok` says so. */
static void *column(pf_arena *arena, size_t size, size_t n, bool *ok, pf_error *err)
{
    void *p = *ok ? pf_pass_array(arena, n, size, err) : NULL;
    *ok = p != NULL;
    return p;
}

static bool make_columns(gpu_facts *g, uint32_t ops, uint32_t calls, pf_error *err)
{
    bool ok = true;
    g->ops = (gpu_ops){
        .slice = column(g->arena, 4, ops, &ok, err),
        .device = column(g->arena, 4, ops, &ok, err),
        .stream = column(g->arena, 4, ops, &ok, err),
        .name = column(g->arena, 4, ops, &ok, err),
        .class = column(g->arena, 1, ops, &ok, err),
        .kind = column(g->arena, 1, ops, &ok, err),
        .start = column(g->arena, 8, ops, &ok, err),
        .end = column(g->arena, 8, ops, &ok, err),
    };
    g->calls = (gpu_calls){
        .slice = column(g->arena, 4, calls, &ok, err),
        .name = column(g->arena, 4, calls, &ok, err),
        .start = column(g->arena, 8, calls, &ok, err),
        .end = column(g->arena, 8, calls, &ok, err),
    };
    return ok;
}

static void add_op(gpu_facts *g, uint32_t slice, uint32_t name, int64_t start, int64_t end)
{
    gpu_ops *o = &g->ops;
    uint32_t row = o->count++;
    o->slice[row] = slice;
    o->name[row] = name;
    o->kind[row] = g->kind[slice];
    o->start[row] = start;
    o->end[row] = end;
}

static void add_call(gpu_calls *c, uint32_t slice, uint32_t name, int64_t start, int64_t end)
{
    uint32_t row = c->count++;
    c->slice[row] = slice;
    c->name[row] = name;
    c->start[row] = start;
    c->end[row] = end;
}

pf_status pf_gpu_list(gpu_facts *g, pf_error *err)
{
    const pf_slices *s = pf_trace_slices(g->trace);
    uint32_t ops = g->of_kind[GPU_SLICE_KERNEL] + g->of_kind[GPU_SLICE_COPY] + g->of_kind[GPU_SLICE_FILL];
    if (!make_columns(g, ops, g->of_kind[GPU_SLICE_CALL], err)) {
        return err->code;
    }
    for (uint32_t i = 0; i < s->count; i++) {
        bool is_op = gpu_is_device_kind(g->kind[i]);
        int64_t start, end;
        if (!is_op && g->kind[i] != GPU_SLICE_CALL) {
            continue;
        }
        start = pf_slice_ts(s, i);
        if (s->dur[i] < 0 || __builtin_add_overflow(start, s->dur[i], &end)) {
            g->unusable += is_op;
        } else if (is_op) {
            add_op(g, i, pf_slice_name(s, i), start, end);
        } else {
            add_call(&g->calls, i, pf_slice_name(s, i), start, end);
        }
    }
    return PF_OK;
}

/* ---- another order ----------------------------------------------------------------------------------------------- */

void pf_gpu_count_keys(const uint32_t *key, uint32_t n, uint32_t keys, uint32_t *first)
{
    memset(first, 0, ((size_t)keys + 1) * sizeof *first);
    for (uint32_t i = 0; i < n; i++) {
        first[key[i] + 1]++;
    }
    for (uint32_t k = 0; k < keys; k++) {
        first[k + 1] += first[k];
    }
}

void pf_gpu_sort_by_key(const uint32_t *key, uint32_t n, uint32_t keys, uint32_t *first, uint32_t *order)
{
    pf_gpu_count_keys(key, n, keys, first);
    for (uint32_t i = 0; i < n; i++) {
        order[first[key[i]]++] = i;
    }
    memmove(first + 1, first, keys * sizeof *first);
    first[0] = 0;
}

bool pf_gpu_ascends(const uint32_t *key, uint32_t n)
{
    uint32_t i = 1;
    while (i < n && key[i - 1] <= key[i]) {
        i++;
    }
    return i >= n;
}

void pf_gpu_permute(void *cells, size_t size, const uint32_t *order, uint32_t n, void *spare)
{
    char *to = cells;
    const char *from = memcpy(spare, cells, n * size);
    for (uint32_t i = 0; i < n; i++) {
        memcpy(to + i * size, from + order[i] * size, size);
    }
}
