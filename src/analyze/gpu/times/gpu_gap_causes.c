/* analyze/gpu/times/gpu_gap_causes.c - point 3: gaps, the largest ones or all, and what the host did meanwhile.
 *
 * Under the middle of a gap lie, on the thread that launched what ended it, an operator and a python function: the
 * innermost ones. They are found for all gaps in one walk over the slices, with the gaps in order of their middles.
 * Each thread has stacks of the slices that began, one for operators and one for functions, one for all where somebody
 * asks. What has ended before a middle has ended before all later ones, too: it is popped for good where it is met.
 */
#include <stdlib.h>
#include <string.h>

#include "analyze/gpu/times/gpu_times.h"
#include "analyze/support/pass_memory.h"
#include "base/ordering.h"
#include "model/trace/trace.h"

/* Gaps that are listed: of a device, and in all. */
enum { MOST_OF_DEVICE = 20, MOST_GAPS = GPU_MOST_GAPS };

/* Longest first; the earlier of two. */
static int compare_times(pf_interval x, pf_interval y)
{
    int order = PF_COMPARE(pf_interval_length(y), pf_interval_length(x));
    return order ? order : PF_COMPARE(x.start, y.start);
}

static uint32_t thread_of(const gpu_facts *g, const gpu_gap *gap)
{
    uint32_t call = gpu_call_of(g, gap->after);
    return call == PF_NONE ? PF_NONE : gpu_thread_of_slice(g, g->calls.slice[call]);
}

static gpu_listed_gap listed(const gpu_facts *g, const gpu_device *d, const gpu_gap *gap)
{
    return (gpu_listed_gap){.gap = *gap,
                            .device = (uint32_t)(d - g->devices),
                            .thread = thread_of(g, gap),
                            .middle = gap->time.start + (int64_t)(pf_interval_length(gap->time) / 2),
                            .operator= PF_NONE,
                            .python = PF_NONE};
}

/* Adds up why a device was idle. The longest gaps, in order, go to `best`, which has room for them; most gaps are
 * shorter than the last of them. */
static size_t measure_gaps(const gpu_facts *g, gpu_device *d, gpu_gap *best, size_t room)
{
    gpu_gap_walk walk = pf_gpu_gap_walk(g, d);
    size_t n = 0;
    for (gpu_gap gap; pf_gpu_next_gap(&walk, &gap);) {
        d->host += gap.host;
        d->waiting += gap.waiting;
        if (n == room && compare_times(best[n - 1].time, gap.time) < 0) {
            continue;
        }
        size_t at = n < room ? n++ : n - 1;
        for (; at > 0 && compare_times(gap.time, best[at - 1].time) < 0; at--) {
            best[at] = best[at - 1];
        }
        best[at] = gap;
        /* Where no calls are known, nothing is asked of the others. */
        walk.least = n == room && g->calls.count == 0 ? pf_interval_length(best[n - 1].time) + 1 : 0;
    }
    /* Also before the first and after the last interval, where the span holds operations without length only. */
    d->other = d->times.idle - (d->host + d->waiting);
    return n;
}

typedef struct host_stacks {
    uint32_t *top[GPU_UNDERS];   /* by thread: the slice that began last, or PF_NONE; NULL: nobody asks */
    uint32_t *below[GPU_UNDERS]; /* by slice */
} host_stacks;

static pf_status make_stacks(const gpu_facts *g, const gpu_under *list, uint32_t n, pf_arena *arena, host_stacks *h,
                             pf_error *err)
{
    size_t threads = pf_trace_threads(g->trace)->count;
    *h = (host_stacks){.top = {NULL}};
    for (uint32_t i = 0; i < n; i++) {
        unsigned k = list[i].kind;
        if (!h->top[k]) {
            PF_TRY(PF_PASS_ARRAY(arena, threads, h->top[k], err));
            memset(h->top[k], 0xff, threads * sizeof *h->top[k]); /* PF_NONE */
            PF_TRY(PF_PASS_ARRAY(arena, pf_trace_slices(g->trace)->count, h->below[k], err));
        }
    }
    return PF_OK;
}

/* The innermost slice of a stack that covers a time; one without an end, whose length is -1, covers none. */
static uint32_t innermost(const pf_slices *s, const uint32_t *below, uint32_t *top, int64_t at)
{
    int64_t end;
    while (*top != PF_NONE && (__builtin_add_overflow(pf_slice_ts(s, *top), s->dur[*top], &end) || end <= at)) {
        *top = below[*top];
    }
    return *top;
}

static void push(const host_stacks *h, gpu_under_kind kind, uint32_t thread, uint32_t slice)
{
    if (h->top[kind]) {
        h->below[kind][slice] = h->top[kind][thread];
        h->top[kind][thread] = slice;
    }
}

static void ask_stacks(const pf_slices *s, const host_stacks *h, gpu_under *u)
{
    if (u->thread != PF_NONE) {
        u->slice = innermost(s, h->below[u->kind], &h->top[u->kind][u->thread], u->at);
    }
}

static bool is_later(const void *list, uint32_t a, uint32_t b)
{
    const gpu_under *under = list;
    return under[a].at > under[b].at;
}

/* Slices come in order of their starts. */
static pf_status find_under(const gpu_facts *g, gpu_under *list, uint32_t n, pf_arena *arena, pf_error *err)
{
    const pf_slices *s = pf_trace_slices(g->trace);
    const uint32_t *utid = pf_trace_tracks(g->trace)->utid;
    uint32_t *order, *spare, next = 0;
    host_stacks h;
    PF_TRY(make_stacks(g, list, n, arena, &h, err));
    PF_TRY(PF_PASS_ARRAY(arena, n, order, err));
    PF_TRY(PF_PASS_ARRAY(arena, n, spare, err));
    pf_order_rows(order, spare, n, is_later, list);
    for (uint32_t i = 0; i < s->count && next < n; i++) {
        uint32_t thread = utid[s->track[i]];
        gpu_under_kind kind = g->kind[i] == GPU_SLICE_OPERATOR ? GPU_UNDER_OPERATOR
                              : g->kind[i] == GPU_SLICE_PYTHON ? GPU_UNDER_PYTHON
                                                               : GPU_UNDER_ANY;
        if (thread == PF_NONE || (!h.top[kind] && !h.top[GPU_UNDER_ANY])) {
            continue;
        }
        for (; next < n && list[order[next]].at < pf_slice_ts(s, i); next++) {
            ask_stacks(s, &h, &list[order[next]]);
        }
        push(&h, GPU_UNDER_ANY, thread, i);
        if (kind != GPU_UNDER_ANY) {
            push(&h, kind, thread, i);
        }
    }
    for (; next < n; next++) {
        ask_stacks(s, &h, &list[order[next]]);
    }
    return PF_OK;
}

pf_status pf_gpu_slices_under(const gpu_facts *g, gpu_under *list, uint32_t n, pf_error *err)
{
    pf_arena stacks;
    pf_arena_init(&stacks, g->arena->budget);
    pf_status st = find_under(g, list, n, &stacks, err);
    pf_arena_free(&stacks);
    return st;
}

static pf_status look_under(const gpu_facts *g, gpu_listed_gap *list, uint32_t n, pf_arena *arena, pf_error *err)
{
    gpu_under *under;
    if (n == 0 || g->of_kind[GPU_SLICE_OPERATOR] + g->of_kind[GPU_SLICE_PYTHON] == 0) {
        return PF_OK;
    }
    PF_TRY(PF_PASS_ARRAY(arena, 2 * (size_t)n, under, err));
    for (uint32_t i = 0; i < n; i++) {
        under[2 * i] = (gpu_under){list[i].thread, GPU_UNDER_OPERATOR, list[i].middle, PF_NONE};
        under[2 * i + 1] = (gpu_under){list[i].thread, GPU_UNDER_PYTHON, list[i].middle, PF_NONE};
    }
    PF_TRY(pf_gpu_slices_under(g, under, 2 * n, err));
    for (uint32_t i = 0; i < n; i++) {
        list[i].operator= under[2 * i].slice;
        list[i].python = under[2 * i + 1].slice;
    }
    return PF_OK;
}

int pf_gpu_longer_gap(const void *a, const void *b)
{
    const gpu_listed_gap *x = a, *y = b;
    int order = compare_times(x->gap.time, y->gap.time);
    return order ? order : PF_COMPARE(x->device, y->device);
}

size_t pf_gpu_gap_share(const gpu_facts *g)
{
    size_t share = g->device_count > MOST_GAPS / MOST_OF_DEVICE ? MOST_GAPS / g->device_count : MOST_OF_DEVICE;
    return share ? share : 1;
}

pf_status pf_gpu_gaps_list(gpu_facts *g, gpu_gap_list *out, pf_error *err)
{
    size_t share = pf_gpu_gap_share(g), n = 0;
    gpu_gap best[MOST_OF_DEVICE];
    gpu_listed_gap *list;
    PF_TRY(PF_PASS_ARRAY(g->arena, MOST_GAPS, list, err));
    for (gpu_device *d = g->devices; d < g->devices + g->device_count; d++) {
        size_t count = measure_gaps(g, d, best, share);
        for (size_t k = 0; k < count && n < MOST_GAPS; k++) {
            list[n++] = listed(g, d, &best[k]);
        }
    }
    PF_TRY(look_under(g, list, (uint32_t)n, &g->scratch, err));
    pf_arena_reset(&g->scratch);
    if (n) {
        qsort(list, n, sizeof *list, pf_gpu_longer_gap);
    }
    *out = (gpu_gap_list){list, n};
    return PF_OK;
}

pf_status pf_gpu_gaps_from(const gpu_facts *g, uint64_t least, pf_arena *arena, gpu_gap_list *out, pf_error *err)
{
    *out = (gpu_gap_list){.list = NULL};
    uint32_t room = 0;
    for (const gpu_device *d = g->devices; d < g->devices + g->device_count; d++) {
        gpu_gap_walk walk = pf_gpu_gap_walk(g, d);
        walk.least = least;
        for (gpu_gap gap; pf_gpu_next_gap(&walk, &gap);) {
            PF_TRY(PF_ARENA_ROOM(arena, out->list, out->count + 1, room, err));
            out->list[out->count++] = listed(g, d, &gap);
        }
    }
    return look_under(g, out->list, (uint32_t)out->count, arena, err);
}

void pf_gpu_gaps_tabulate(const gpu_facts *g, const gpu_gap_list *gaps)
{
    for (const gpu_listed_gap *l = gaps->list; l < gaps->list + gaps->count; l++) {
        const gpu_device *d = &g->devices[l->device];
        const gpu_gap *gap = &l->gap;
        GPU_ROW(g, GPU_TABLE_GAPS, GPU_DEVICE(g, d), pf_cell_int(gap->time.start), pf_cell_int(gap->time.end),
                pf_cell_count(pf_interval_length(gap->time)),
                pf_cell_text(pf_gpu_idle_cause(gap->host, gap->waiting, gap->other)), pf_cell_count(gap->host),
                pf_cell_count(gap->waiting), pf_cell_count(gap->other),
                pf_gpu_slice_cell(g, gpu_slice(&g->ops, gap->before)),
                pf_gpu_slice_cell(g, gpu_slice(&g->ops, gap->after)), pf_gpu_slice_cell(g, l->operator),
                pf_gpu_slice_cell(g, l->python), pf_cell_text(d->label));
    }
}
