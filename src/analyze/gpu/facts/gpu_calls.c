/* analyze/gpu/facts/gpu_calls.c - runtime calls, and the operations that each of them launched.
 *
 * Call and operation carry the same correlation number, within an input. A graph launch is one call with many
 * operations. Of several calls with one number, nested ones of the driver for instance, the first in time counts.
 */
#include <string.h>

#include "analyze/gpu/facts/gpu_facts.h"
#include "analyze/support/pass_memory.h"
#include "base/map.h"
#include "base/str.h"
#include "model/trace/trace.h"

static bool has(pf_str text, pf_str word)
{
    return pf_str_find(text, word) != SIZE_MAX;
}

/* Whether a runtime call of that name waits for the device. */
static bool is_blocking(pf_str call)
{
    return has(call, PF_STR("ynchronize")) || (has(call, PF_STR("Memcpy")) && !has(call, PF_STR("Async")));
}

static pf_status make_columns(gpu_facts *g, pf_error *err)
{
    gpu_calls *c = &g->calls;
    uint32_t n = c->count;
    PF_TRY(PF_ARENA_NEW(g->arena, c->ops, n, err));
    PF_TRY(PF_PASS_ARRAY(g->arena, n, c->first_op, err));
    PF_TRY(PF_PASS_ARRAY(g->arena, n, c->blocks, err));
    PF_TRY(PF_PASS_ARRAY(g->arena, g->ops.count, g->ops.call, err));
    memset(c->first_op, 0xff, n * sizeof *c->first_op); /* PF_NONE */
    memset(g->ops.call, 0xff, g->ops.count * sizeof *g->ops.call);
    return PF_OK;
}

/* Puts the calls into the order of their inputs. first: by input, with one more at the end. */
static pf_status order_calls(gpu_facts *g, gpu_listed *l, uint32_t inputs, uint32_t **first, pf_error *err)
{
    gpu_calls *c = &g->calls;
    PF_TRY(PF_ARENA_NEW(&g->scratch, *first, (size_t)inputs + 1, err));
    if (inputs == 1) {
        (*first)[1] = c->count;
        return PF_OK;
    }
    PF_TRY(PF_PASS_ARRAY(g->arena, c->count, c->input, err));
    const gpu_cells columns[] = {{c->slice, 4}, {c->name, 4},        {c->start, 8},
                                 {c->end, 8},   {l->call_number, 8}, {c->input, 4}};
    for (uint32_t i = 0; i < c->count; i++) {
        c->input[i] = pf_trace_event_input(g->trace, pf_trace_slices(g->trace)->event[c->slice[i]]);
    }
    return pf_gpu_reorder(g, c->input, c->count, inputs, *first, columns, sizeof columns / sizeof *columns, err);
}

/* The calls of one input by their numbers. Mostly these ascend with the calls; otherwise a map has them. */
typedef struct numbered {
    const int64_t *numbers; /* 0: none */
    uint32_t from, to, hint;
    bool ascending;
    pf_map calls;
} numbered;

static uint64_t number_at(const numbered *n, uint32_t call)
{
    return (uint64_t)n->numbers[call];
}

static bool note_numbers(numbered *n, uint32_t from, uint32_t to)
{
    n->from = n->hint = from;
    n->to = to;
    n->ascending = true;
    for (uint32_t i = from + 1; i < to && n->ascending; i++) {
        n->ascending = number_at(n, i - 1) < number_at(n, i);
    }
    if (n->ascending) {
        return true;
    }
    pf_map_clear(&n->calls);
    bool ok = pf_map_reserve(&n->calls, to - from);
    for (uint32_t i = from; i < to && ok; i++) {
        uint64_t number = number_at(n, i);
        if (number != 0 && pf_map_get(&n->calls, number) == PF_NONE) {
            ok = pf_map_set(&n->calls, number, i);
        }
    }
    return ok;
}

/* The call with a number among ascending ones: near the one found last, or by binary search. */
static uint32_t search(numbered *n, uint64_t number)
{
    uint32_t low = n->from, high = n->to;
    for (uint32_t i = n->hint; i < n->to && i < n->hint + 4; i++) {
        if (number_at(n, i) == number) {
            n->hint = i;
            return i;
        }
    }
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (number_at(n, middle) < number) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    bool found = low < n->to && number_at(n, low) == number;
    n->hint = found ? low : n->hint;
    return found ? low : PF_NONE;
}

static void link_op(gpu_facts *g, numbered *n, uint32_t op, uint64_t number)
{
    if (number == 0) {
        return;
    }
    uint32_t call = n->ascending ? search(n, number) : pf_map_get(&n->calls, number);
    if (call == PF_NONE) {
        return;
    }
    uint32_t *first = &g->calls.first_op[call];
    g->ops.call[op] = call;
    g->calls.ops[call]++;
    *first = *first == PF_NONE || g->ops.start[op] < g->ops.start[*first] ? op : *first;
}

static pf_status link_calls(gpu_facts *g, const gpu_listed *l, const uint32_t *first, uint32_t inputs, pf_error *err)
{
    numbered n = {.numbers = l->call_number};
    bool ok = true;
    uint32_t op = 0;
    pf_map_init(&n.calls, g->arena->budget);
    for (uint32_t input = 0; input < inputs && ok; input++) {
        ok = note_numbers(&n, first[input], first[input + 1]);
        for (; ok && op < g->ops.count && g->devices[gpu_device_of(g, op)].input == input; op++) {
            link_op(g, &n, op, (uint64_t)l->number[op]);
        }
    }
    pf_map_free(&n.calls);
    return ok ? PF_OK : pf_budget_refused(g->arena->budget, (uint64_t)g->calls.count * 16, err);
}

pf_status pf_gpu_read_calls(gpu_facts *g, gpu_listed *l, pf_error *err)
{
    uint32_t inputs = (uint32_t)pf_trace_input_count(g->trace), *first = NULL;
    uint8_t *verdicts;
    if (g->calls.count == 0) {
        return PF_OK;
    }
    PF_TRY(make_columns(g, err));
    PF_TRY(order_calls(g, l, inputs, &first, err));
    PF_TRY(PF_ARENA_NEW(&g->scratch, verdicts, g->trace->strings.count, err));
    for (uint32_t i = 0; i < g->calls.count; i++) {
        g->calls.blocks[i] = gpu_name_is(g, verdicts, g->calls.name[i], is_blocking);
    }
    return link_calls(g, l, first, inputs, err);
}
