/* analyze/gpu/facts/gpu_listing.c - which slices are operations and runtime calls.
 *
 * One walk over the slices, which are in order of time, fills the columns of both. So they need no more than to be put
 * in order of devices, or of inputs, where there are several. Both halves of the slices can be walked over at once: how
 * many rows the first one has at most is known by then.
 *
 * Where every slice is an operation and every event has one, as where kernels alone were recorded, the columns of
 * operations are those of the trace: a new page costs as much as all else that is done with its rows.
 */
#include <string.h>

#include "analyze/gpu/facts/gpu_facts.h"
#include "analyze/support/pass_memory.h"
#include "base/threads/threads.h"
#include "model/trace/trace.h"

static pf_status make_op_columns(gpu_facts *g, pf_error *err)
{
    gpu_ops *o = &g->ops;
    PF_TRY(PF_PASS_ARRAY(g->arena, o->count, o->slice, err));
    PF_TRY(PF_PASS_ARRAY(g->arena, o->count, o->name, err));
    PF_TRY(PF_PASS_ARRAY(g->arena, o->count, o->start, err));
    return PF_PASS_ARRAY(g->arena, o->count, o->dur, err);
}

static pf_status make_columns(gpu_facts *g, uint32_t calls, pf_error *err)
{
    gpu_calls *c = &g->calls;
    PF_TRY(make_op_columns(g, err));
    PF_TRY(PF_PASS_ARRAY(g->arena, calls, c->slice, err));
    PF_TRY(PF_PASS_ARRAY(g->arena, calls, c->name, err));
    PF_TRY(PF_PASS_ARRAY(g->arena, calls, c->start, err));
    return PF_PASS_ARRAY(g->arena, calls, c->end, err);
}

/* Slices [from, to), whose rows begin at first_op and first_call. */
typedef struct list_part {
    gpu_facts *g;
    uint32_t from, to;
    uint32_t first_op, first_call;
    uint32_t ops, calls, unusable;
} list_part;

static void add_op(list_part *p, uint32_t slice, uint32_t name, int64_t start, int64_t dur)
{
    const gpu_ops *o = &p->g->ops;
    uint32_t row = p->first_op + p->ops++;
    o->slice[row] = slice;
    o->name[row] = name;
    o->start[row] = start;
    o->dur[row] = dur;
}

static void add_call(list_part *p, uint32_t slice, uint32_t name, int64_t start, int64_t end)
{
    const gpu_calls *c = &p->g->calls;
    uint32_t row = p->first_call + p->calls++;
    c->slice[row] = slice;
    c->name[row] = name;
    c->start[row] = start;
    c->end[row] = end;
}

/* Counts in a part of its own, because the parts lie next to each other and each is another thread's. */
static pf_status list_slices(void *ctx, pf_error *err)
{
    list_part p = *(const list_part *)ctx;
    const pf_slices *s = pf_trace_slices(p.g->trace);
    const uint8_t *kind = p.g->kind;
    for (uint32_t i = p.from; i < p.to; i++) {
        bool is_op = gpu_is_device_kind(kind[i]);
        int64_t start, end;
        if (!is_op && kind[i] != GPU_SLICE_CALL) {
            continue;
        }
        start = pf_slice_ts(s, i);
        if (s->dur[i] < 0 || __builtin_add_overflow(start, s->dur[i], &end)) {
            p.unusable += is_op;
        } else if (is_op) {
            add_op(&p, i, pf_slice_name(s, i), start, s->dur[i]);
        } else {
            add_call(&p, i, pf_slice_name(s, i), start, end);
        }
    }
    *(list_part *)ctx = p;
    return PF_OK;
}

/* Moves the rows of a part from where it put them, `first`, to row `to`. */
static void move_rows(const gpu_cells *columns, size_t count, uint32_t to, uint32_t first, uint32_t rows)
{
    for (size_t i = 0; i < count && to != first; i++) {
        char *cells = columns[i].cells;
        memmove(cells + to * columns[i].size, cells + first * columns[i].size, rows * columns[i].size);
    }
}

/* Puts the rows of the second part directly after those of the first, where slices without an end left room. */
static void join_parts(gpu_facts *g, const list_part *first, const list_part *second)
{
    gpu_ops *o = &g->ops;
    gpu_calls *c = &g->calls;
    const gpu_cells ops[] = {{o->slice, 4}, {o->name, 4}, {o->start, 8}, {o->dur, 8}};
    const gpu_cells calls[] = {{c->slice, 4}, {c->name, 4}, {c->start, 8}, {c->end, 8}};
    move_rows(ops, sizeof ops / sizeof *ops, first->ops, second->first_op, second->ops);
    move_rows(calls, sizeof calls / sizeof *calls, first->calls, second->first_call, second->calls);
    o->count = first->ops + second->ops;
    c->count = first->calls + second->calls;
    g->unusable = first->unusable + second->unusable;
}

/* Slices [from, to), which may be operations as they are. */
typedef struct borrowing {
    const gpu_facts *g;
    uint32_t from, to;
    bool copies; /* what their events say, because these do not follow each other */
    bool fits;
} borrowing;

static pf_status borrow_rows(void *ctx, pf_error *err)
{
    borrowing b = *(borrowing *)ctx;
    const gpu_ops o = b.g->ops;
    const pf_slices *s = pf_trace_slices(b.g->trace);
    const uint32_t apart = s->event[o.first_slice] - o.first_slice;
    b.fits = true;
    for (uint32_t i = b.from; i < b.to && b.fits; i++) {
        int64_t start = pf_slice_ts(s, i), end;
        b.fits = gpu_is_device_kind(b.g->kind[i]) && s->dur[i] >= 0 &&
                 !__builtin_add_overflow(start, s->dur[i], &end) && (b.copies || s->event[i] == i + apart);
        if (b.copies) {
            o.start[i - o.first_slice] = start;
            o.name[i - o.first_slice] = pf_slice_name(s, i);
        }
    }
    *(borrowing *)ctx = b;
    return PF_OK;
}

/* *borrowed: whether the operations are g->ops.count slices next to each other. */
static pf_status borrow_columns(gpu_facts *g, bool *borrowed, pf_error *err)
{
    gpu_ops *o = &g->ops;
    const pf_trace *t = g->trace;
    uint32_t first = 0, half = o->count / 2;
    while (!gpu_is_device_kind(g->kind[first])) {
        first++;
    }
    if (o->count > t->slices.count - first) {
        return PF_OK;
    }
    const uint32_t *event = t->slices.event + first;
    bool copies = event[o->count - 1] - event[0] != o->count - 1;
    o->first_slice = first;
    o->dur = t->slices.dur + first;
    o->name = t->slices.name ? t->slices.name + first : t->events.name + event[0];
    o->start = t->events.ts + event[0];
    if (copies) {
        PF_TRY(PF_PASS_ARRAY(g->arena, o->count, o->name, err));
        PF_TRY(PF_PASS_ARRAY(g->arena, o->count, o->start, err));
    }
    borrowing part[] = {{g, first, first + half, copies, false}, {g, first + half, first + o->count, copies, false}};
    const pf_task tasks[] = {{borrow_rows, &part[0]}, {borrow_rows, &part[1]}};
    PF_TRY(pf_tasks_run(tasks, sizeof tasks / sizeof *tasks, pf_gpu_jobs(g), g->arena->budget, err));
    *borrowed = part[0].fits && part[1].fits;
    return PF_OK;
}

pf_status pf_gpu_own_columns(gpu_facts *g, pf_error *err)
{
    const gpu_ops from = g->ops, *o = &g->ops;
    PF_TRY(make_op_columns(g, err));
    for (uint32_t i = 0; i < o->count; i++) {
        o->slice[i] = gpu_slice(&from, i);
        o->name[i] = from.name[i];
        o->start[i] = from.start[i];
        o->dur[i] = from.dur[i];
    }
    return PF_OK;
}

pf_status pf_gpu_list(gpu_facts *g, pf_error *err)
{
    uint32_t slices = pf_trace_slices(g->trace)->count;
    uint32_t ops = g->of_kind[GPU_SLICE_KERNEL] + g->of_kind[GPU_SLICE_COPY] + g->of_kind[GPU_SLICE_FILL];
    list_part part[] = {{.g = g, .to = slices / 2}, {.g = g, .from = slices / 2, .to = slices}};
    const pf_task tasks[] = {{list_slices, &part[0]}, {list_slices, &part[1]}};
    bool borrowed = false;
    g->ops.count = ops;
    PF_TRY(PF_PASS_ARRAY(g->arena, ops, g->ops.stream, err));
    PF_TRY(PF_PASS_ARRAY(g->arena, ops, g->ops.class, err));
    PF_TRY(ops && !g->of_kind[GPU_SLICE_CALL] ? borrow_columns(g, &borrowed, err) : PF_OK);
    if (borrowed) {
        return PF_OK;
    }
    PF_TRY(make_columns(g, g->of_kind[GPU_SLICE_CALL], err));
    for (uint32_t i = 0; i < part[0].to; i++) {
        part[1].first_op += gpu_is_device_kind(g->kind[i]);
        part[1].first_call += g->kind[i] == GPU_SLICE_CALL;
    }
    pf_status st = pf_tasks_run(tasks, sizeof tasks / sizeof *tasks, pf_gpu_jobs(g), g->arena->budget, err);
    join_parts(g, &part[0], &part[1]);
    return st;
}

void pf_gpu_count_keys(const uint32_t *key, uint32_t n, uint32_t keys, uint32_t *first)
{
    memset(first, 0, ((size_t)keys + 1) * sizeof *first);
    if (keys == 1) {
        first[1] = n;
        return;
    }
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

static void permute(const gpu_cells *c, const uint32_t *order, uint32_t n, void *spare)
{
    char *to = c->cells;
    const char *from = memcpy(spare, to, n * c->size);
    for (uint32_t i = 0; i < n; i++) {
        memcpy(to + i * c->size, from + order[i] * c->size, c->size);
    }
}

pf_status pf_gpu_reorder(gpu_facts *g, const uint32_t *key, uint32_t n, uint32_t keys, uint32_t *first,
                         const gpu_cells *columns, size_t count, pf_error *err)
{
    uint32_t *order;
    int64_t *spare;
    PF_TRY(PF_PASS_ARRAY(&g->scratch, n, order, err));
    PF_TRY(PF_PASS_ARRAY(&g->scratch, n, spare, err));
    pf_gpu_sort_by_key(key, n, keys, first, order);
    for (size_t i = 0; i < count; i++) {
        if (columns[i].cells) {
            permute(&columns[i], order, n, spare);
        }
    }
    return PF_OK;
}
