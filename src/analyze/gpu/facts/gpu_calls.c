/* analyze/gpu/facts/gpu_calls.c - runtime calls, and the operations that each of them launched.
 *
 * Call and operation carry the same correlation number, within an input. A graph launch is one call with many
 * operations. Of several calls with one number, nested ones of the driver for instance, the first in time counts.
 */
#include <string.h>

#include "analyze/gpu/facts/gpu_facts.h"
#include "analyze/support/pass_memory.h"
#include "base/map.h"

/* The listed calls by input, then start; within an input they are in order of time already. */
typedef struct ordered_calls {
    uint32_t *input, *order, *first; /* first: by input, with one more at the end */
    uint32_t inputs;
} ordered_calls;

static pf_status order_calls(gpu_facts *g, const gpu_listed *l, ordered_calls *c, pf_error *err)
{
    c->inputs = (uint32_t)pf_trace_input_count(g->trace);
    c->input = pf_pass_array(&g->scratch, l->calls, sizeof *c->input, err);
    c->order = c->input ? pf_pass_array(&g->scratch, l->calls, sizeof *c->order, err) : NULL;
    c->first = c->order ? pf_pass_array(&g->scratch, (size_t)c->inputs + 1, sizeof *c->first, err) : NULL;
    if (!c->first) {
        return err->code;
    }
    for (uint32_t i = 0; i < l->calls; i++) {
        c->input[i] = c->inputs > 1 ? pf_trace_event_input(g->trace, l->event[l->call_asked[i]]) : 0;
    }
    pf_gpu_sort_by_key(c->input, l->calls, c->inputs, c->first, c->order);
    return PF_OK;
}

static bool has(pf_str text, const char *word)
{
    return text.ptr && memmem(text.ptr, text.len, word, strlen(word)) != NULL;
}

/* Whether a runtime call of that name waits for the device. */
static bool is_blocking(pf_str call)
{
    return has(call, "ynchronize") || (has(call, "Memcpy") && !has(call, "Async"));
}

/* Also numbers: the correlation of each call; 0 without one. */
static pf_status fill_calls(gpu_facts *g, const gpu_listed *l, const ordered_calls *from, int64_t **numbers,
                            pf_error *err)
{
    const pf_slices *s = pf_trace_slices(g->trace);
    gpu_calls *c = &g->calls;
    uint32_t n = c->count = l->calls;
    c->slice = pf_pass_array(g->arena, n, sizeof *c->slice, err);
    c->input = c->slice ? pf_pass_array(g->arena, n, sizeof *c->input, err) : NULL;
    c->name = c->input ? pf_pass_array(g->arena, n, sizeof *c->name, err) : NULL;
    c->ops = c->name ? pf_pass_array(g->arena, n, sizeof *c->ops, err) : NULL;
    c->first_op = c->ops ? pf_pass_array(g->arena, n, sizeof *c->first_op, err) : NULL;
    c->blocks = c->first_op ? pf_pass_array(g->arena, n, sizeof *c->blocks, err) : NULL;
    c->start = c->blocks ? pf_pass_array(g->arena, n, sizeof *c->start, err) : NULL;
    c->end = c->start ? pf_pass_array(g->arena, n, sizeof *c->end, err) : NULL;
    *numbers = c->end ? pf_pass_array(&g->scratch, n, sizeof **numbers, err) : NULL;
    for (uint32_t i = 0; *numbers && i < n; i++) {
        uint32_t listed = from->order[i], slice = l->call_slice[listed];
        c->slice[i] = slice;
        c->input[i] = from->input[listed];
        c->name[i] = pf_slice_name(s, slice);
        c->ops[i] = 0;
        c->first_op[i] = PF_NONE;
        c->blocks[i] =
            i && c->name[i] == c->name[i - 1] ? c->blocks[i - 1] : is_blocking(pf_trace_string(g->trace, c->name[i]));
        c->start[i] = pf_slice_ts(s, slice);
        c->end[i] = c->start[i] + s->dur[slice];
        (*numbers)[i] = l->number[l->call_asked[listed]];
    }
    return *numbers ? PF_OK : err->code;
}

/* ---- which call launched what ------------------------------------------------------------------------------------ */

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

static pf_status link_calls(gpu_facts *g, const gpu_listed *l, const ordered_calls *c, const int64_t *numbers,
                            pf_error *err)
{
    numbered n = {.numbers = numbers};
    bool ok = true;
    uint32_t op = 0;
    pf_map_init(&n.calls, g->arena->budget);
    for (uint32_t input = 0; input < c->inputs && ok; input++) {
        ok = note_numbers(&n, c->first[input], c->first[input + 1]);
        for (; ok && op < g->ops.count && g->devices[g->ops.device[op]].input == input; op++) {
            link_op(g, &n, op, (uint64_t)l->number[l->asked[op]]);
        }
    }
    pf_map_free(&n.calls);
    return ok ? PF_OK : pf_budget_refused(g->arena->budget, (uint64_t)l->calls * 16, err);
}

pf_status pf_gpu_read_calls(gpu_facts *g, const gpu_listed *l, pf_error *err)
{
    ordered_calls c;
    int64_t *numbers;
    if (l->calls == 0) {
        return PF_OK;
    }
    pf_status st = order_calls(g, l, &c, err);
    st = st == PF_OK ? fill_calls(g, l, &c, &numbers, err) : st;
    return st == PF_OK ? link_calls(g, l, &c, numbers, err) : st;
}
