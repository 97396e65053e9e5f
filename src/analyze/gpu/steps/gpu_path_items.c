/* analyze/gpu/steps/gpu_path_items.c - what a critical path can lead over. Most lists are in order as they are
 * collected: one stream, one thread. */
#include <stdlib.h>
#include <string.h>

#include "analyze/gpu/steps/gpu_steps.h"
#include "analyze/support/pass_memory.h"
#include "base/ordering.h"
#include "base/str.h"
#include "model/trace/trace.h"

PF_ORDER(by_end, gpu_path_item, PF_UP(owner), PF_UP(end), PF_UP(row));

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
    PF_TRY(PF_PASS_ARRAY(arena, w->rank->op_count, w->ops.list, err));
    for (uint32_t i = w->rank->first_op; i < w->rank->first_op + w->rank->op_count; i++) {
        if (o->dur[i] > 0) {
            w->ops.list[w->ops.count++] = (gpu_path_item){gpu_device_of(w->g, i), i, o->start[i], gpu_end(o, i)};
        }
    }
    sort_list(&w->ops);
    return PF_OK;
}

static pf_status link_streams(gpu_path_items *w, pf_arena *arena, pf_error *err)
{
    const gpu_facts *g = w->g;
    PF_TRY(PF_PASS_ARRAY(arena, w->rank->op_count, w->before, err));
    for (uint32_t d = w->rank->first_device; d < w->rank->first_device + w->rank->device_count; d++) {
        const gpu_stream *s = &g->streams[g->devices[d].first_stream], *last = s + g->devices[d].stream_count;
        for (; s < last; s++) {
            for (uint32_t i = s->first; i < s->first + s->count; i++) {
                w->before[gpu_op_by_stream(g, i) - w->rank->first_op] =
                    i > s->first ? gpu_op_by_stream(g, i - 1) : PF_NONE;
            }
        }
    }
    return PF_OK;
}

/* The copy that a call made, if the call lasted until the copy was done; PF_NONE otherwise. Copies from and to pageable
 * memory block whatever their name says. */
static uint32_t copy_within(const gpu_facts *g, uint32_t call)
{
    const gpu_calls *c = &g->calls;
    uint32_t op = c->ops[call] == 1 ? c->first_op[call] : PF_NONE;
    bool within = op != PF_NONE && gpu_is_copy(g, op) && g->ops.dur[op] > 0 && g->ops.start[op] >= c->start[call] &&
                  gpu_end(&g->ops, op) <= c->end[call];
    return within ? op : PF_NONE;
}

static bool waits_for_device(const gpu_facts *g, uint32_t call)
{
    const gpu_calls *c = &g->calls;
    return c->end[call] > c->start[call] && (c->blocks[call] || copy_within(g, call) != PF_NONE);
}

static pf_status list_calls(gpu_path_items *w, pf_arena *arena, pf_error *err)
{
    const gpu_calls *c = &w->g->calls;
    uint32_t from = w->rank->first_call, to = from + w->rank->call_count, n = 0;
    for (uint32_t i = from; i < to; i++) {
        n += waits_for_device(w->g, i);
    }
    PF_TRY(PF_PASS_ARRAY(arena, n, w->calls.list, err));
    for (uint32_t i = from; i < to; i++) {
        if (waits_for_device(w->g, i)) {
            w->calls.list[w->calls.count++] =
                (gpu_path_item){gpu_thread_of_slice(w->g, c->slice[i]), i, c->start[i], c->end[i]};
        }
    }
    sort_list(&w->calls);
    return PF_OK;
}

/* cudaStreamWaitEvent, hipStreamWaitEvent, cuStreamWaitEvent. */
static bool is_event_wait(pf_str call)
{
    return pf_str_find(call, PF_STR("StreamWaitEvent")) != SIZE_MAX;
}

static pf_status find_event_waits(gpu_path_items *w, pf_arena *arena, pf_error *err)
{
    const gpu_calls *c = &w->g->calls;
    const uint32_t strings = w->g->trace->strings.count, threads = pf_trace_threads(w->g->trace)->count;
    uint8_t *verdict;
    uint32_t *last, *waits;
    bool any = false;
    PF_TRY(PF_ARENA_NEW(arena, verdict, strings, err));
    PF_TRY(PF_PASS_ARRAY(arena, threads, last, err));
    PF_TRY(PF_PASS_ARRAY(arena, w->rank->call_count, waits, err));
    memset(last, 0xff, threads * sizeof *last); /* PF_NONE */
    for (uint32_t i = 0; i < w->rank->call_count; i++) {
        uint32_t call = w->rank->first_call + i, thread = gpu_thread_of_slice(w->g, c->slice[call]);
        waits[i] = thread == PF_NONE ? PF_NONE : last[thread];
        if (thread != PF_NONE && gpu_name_is(w->g, verdict, c->name[call], is_event_wait)) {
            last[thread] = call;
            any = true;
        }
    }
    w->event_wait = any ? waits : NULL;
    return PF_OK;
}

/* The call by which the stream of an operation was made to wait, after the launch of the operation before it. */
static uint32_t event_wait_of(const gpu_path_items *w, uint32_t call, uint32_t before)
{
    const gpu_calls *c = &w->g->calls;
    uint32_t wait = w->event_wait[call - w->rank->first_call];
    uint32_t earlier = before == PF_NONE ? PF_NONE : gpu_call_of(w->g, before);
    return wait != PF_NONE && (earlier == PF_NONE || c->start[wait] >= c->start[earlier]) ? wait : PF_NONE;
}

/* Operations of other streams that are looked at for one, so that no trace takes time quadratic in its length. */
enum { MOST_TRIED = 1024 };

/* A trace with calls that make streams wait tells what can have waited: what was launched behind such a call, for what
 * was launched before it. Within one launch of a graph, and in a trace without such calls, the clock decides. */
uint32_t pf_gpu_path_before(const gpu_path_items *w, uint32_t op)
{
    const gpu_facts *g = w->g;
    const gpu_ops *o = &g->ops;
    const gpu_path_list *l = &w->ops;
    uint32_t before = w->before[op - w->rank->first_op], device = gpu_device_of(g, op), call = gpu_call_of(g, op);
    bool by_clock = !w->event_wait || call == PF_NONE, graph = !by_clock && g->calls.ops[call] > 1;
    uint32_t wait = by_clock ? PF_NONE : event_wait_of(w, call, before);
    if (g->devices[device].stream_count == 1 || (!by_clock && !graph && wait == PF_NONE)) {
        return before;
    }
    uint32_t n = pf_gpu_path_ended_before(l, device, o->start[op]);
    for (uint32_t tries = 0; tries < MOST_TRIED && n && l->list[n - 1].owner == device; n--, tries++) {
        uint32_t other = l->list[n - 1].row, launch = gpu_call_of(g, other);
        if (before != PF_NONE && gpu_end(o, other) <= gpu_end(o, before)) {
            break;
        }
        bool known = wait != PF_NONE && (launch == PF_NONE || g->calls.start[launch] <= g->calls.start[wait]);
        if (gpu_stream_of(g, other) != gpu_stream_of(g, op) && (by_clock || known || (graph && launch == call))) {
            return other;
        }
    }
    return before;
}

uint32_t pf_gpu_path_awaited(const gpu_path_items *w, const gpu_path_item *call)
{
    const gpu_path_list *l = &w->ops;
    uint32_t found = copy_within(w->g, call->row);
    int64_t latest = found == PF_NONE ? call->start : INT64_MAX;
    for (uint32_t d = w->rank->first_device; d < w->rank->first_device + w->rank->device_count; d++) {
        uint32_t at = pf_gpu_path_last_ended(l, d, call->end);
        if (at != PF_NONE && l->list[at].end > latest) {
            latest = l->list[at].end;
            found = l->list[at].row;
        }
    }
    return found;
}

pf_status pf_gpu_find_outermost(const gpu_facts *g, pf_arena *arena, uint8_t **out, pf_error *err)
{
    const pf_slices *s = pf_trace_slices(g->trace);
    enum { OUTSIDE, INSIDE };
    uint8_t *place;
    *out = NULL;
    if (g->of_kind[GPU_SLICE_OPERATOR] == 0) {
        return PF_OK;
    }
    PF_TRY(PF_PASS_ARRAY(arena, s->count, place, err));
    for (uint32_t i = 0; i < s->count; i++) {
        bool inside = s->parent[i] < i && place[s->parent[i]] != OUTSIDE;
        place[i] = inside ? INSIDE : g->kind[i] == GPU_SLICE_OPERATOR ? GPU_OUTERMOST : OUTSIDE;
    }
    *out = place;
    return PF_OK;
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

pf_status pf_gpu_path_operators(gpu_path_items *w, const uint8_t *outermost, pf_interval window, pf_arena *arena,
                                pf_error *err)
{
    const pf_slices *s = pf_trace_slices(w->g->trace);
    bool many = w->g->rank_count > 1;
    uint32_t input = (uint32_t)(w->rank - w->g->ranks), n = 0;
    uint32_t from = first_slice_from(s, window.start), to = outermost ? first_slice_from(s, window.end) : from;
    for (uint32_t i = from; i < to; i++) {
        n += outermost[i] == GPU_OUTERMOST;
    }
    PF_TRY(PF_PASS_ARRAY(arena, n, w->operators.list, err));
    for (uint32_t i = from; i < to; i++) {
        int64_t start = pf_slice_ts(s, i), end;
        if (outermost[i] == GPU_OUTERMOST && (!many || pf_trace_event_input(w->g->trace, s->event[i]) == input) &&
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
    PF_TRY(list_ops(w, arena, err));
    PF_TRY(link_streams(w, arena, err));
    if (w->rank->call_count == 0) {
        return PF_OK;
    }
    PF_TRY(list_calls(w, arena, err));
    return find_event_waits(w, arena, err);
}
