/* analyze/gpu/facts/gpu_calls.c - runtime calls, and the operations that each of them launched.
 *
 * Call and operation carry the same correlation number, within an input. A graph launch is one call with many
 * operations. Of several calls with one number, nested ones of the driver for instance, the first in time counts.
 */
#include "analyze/gpu/facts/gpu_facts.h"
#include "analyze/support/pass_memory.h"
#include "base/map.h"

static const pf_arg_key correlation_key = {.key = "correlation", .type = PF_ARG_INT};

typedef struct listed_calls {
    uint32_t *slice, *event, *input, *order, *first;
    uint32_t count, inputs;
} listed_calls;

static pf_status list_calls(gpu_facts *g, listed_calls *l, pf_error *err)
{
    const pf_slices *s = pf_trace_slices(g->trace);
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        n += g->kind[i] == GPU_SLICE_CALL;
    }
    l->inputs = (uint32_t)pf_trace_input_count(g->trace);
    l->slice = pf_pass_array(g->arena, n, sizeof *l->slice, err);
    l->event = l->slice ? pf_pass_array(g->arena, n, sizeof *l->event, err) : NULL;
    l->input = l->event ? pf_pass_array(g->arena, n, sizeof *l->input, err) : NULL;
    l->order = l->input ? pf_pass_array(g->arena, n, sizeof *l->order, err) : NULL;
    l->first = l->order ? pf_pass_array(g->arena, (size_t)l->inputs + 1, sizeof *l->first, err) : NULL;
    if (!l->first) {
        return err->code;
    }
    for (uint32_t i = 0; i < s->count; i++) {
        int64_t end;
        if (g->kind[i] == GPU_SLICE_CALL && s->dur[i] >= 0 &&
            !__builtin_add_overflow(pf_slice_ts(s, i), s->dur[i], &end)) {
            l->slice[l->count] = i;
            l->input[l->count] = l->inputs > 1 ? pf_trace_event_input(g->trace, s->event[i]) : 0;
            l->count++;
        }
    }
    pf_gpu_sort_by_key(l->input, l->count, l->inputs, l->first, l->order);
    for (uint32_t i = 0; i < l->count; i++) {
        l->event[i] = s->event[l->slice[l->order[i]]];
    }
    return PF_OK;
}

static pf_status fill_calls(gpu_facts *g, const listed_calls *l, pf_error *err)
{
    const pf_slices *s = pf_trace_slices(g->trace);
    gpu_calls *c = &g->calls;
    c->count = l->count;
    c->slice = pf_pass_array(g->arena, l->count, sizeof *c->slice, err);
    c->input = c->slice ? pf_pass_array(g->arena, l->count, sizeof *c->input, err) : NULL;
    c->name = c->input ? pf_pass_array(g->arena, l->count, sizeof *c->name, err) : NULL;
    c->ops = c->name ? pf_pass_array(g->arena, l->count, sizeof *c->ops, err) : NULL;
    c->first_op = c->ops ? pf_pass_array(g->arena, l->count, sizeof *c->first_op, err) : NULL;
    c->blocks = c->first_op ? pf_pass_array(g->arena, l->count, sizeof *c->blocks, err) : NULL;
    c->start = c->blocks ? pf_pass_array(g->arena, l->count, sizeof *c->start, err) : NULL;
    c->end = c->start ? pf_pass_array(g->arena, l->count, sizeof *c->end, err) : NULL;
    for (uint32_t i = 0; c->end && i < l->count; i++) {
        uint32_t slice = l->slice[l->order[i]];
        c->slice[i] = slice;
        c->input[i] = l->input[l->order[i]];
        c->name[i] = pf_slice_name(s, slice);
        c->ops[i] = 0;
        c->first_op[i] = PF_NONE;
        c->blocks[i] =
            i && c->name[i] == c->name[i - 1] ? c->blocks[i - 1] : pf_gpu_blocks(pf_trace_string(g->trace, c->name[i]));
        c->start[i] = pf_slice_ts(s, slice);
        c->end[i] = c->start[i] + s->dur[slice];
    }
    return c->end ? PF_OK : err->code;
}

/* ---- which call launched what ------------------------------------------------------------------------------------ */

/* The calls of one input by their numbers. Mostly these ascend with the calls; otherwise a map has them. */
typedef struct numbered {
    const pf_arg_column *numbers;
    uint32_t from, to, hint;
    bool ascending;
    pf_map calls;
} numbered;

static uint64_t number_at(const numbered *n, uint32_t call)
{
    return (uint64_t)n->numbers->values.i[call]; /* 0 without one */
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

static void link_op(gpu_facts *g, numbered *n, uint32_t op)
{
    uint64_t number = (uint64_t)g->ops.correlation[op];
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

static pf_status link_calls(gpu_facts *g, const listed_calls *l, const pf_arg_column *numbers, pf_error *err)
{
    numbered n = {.numbers = numbers};
    bool ok = true;
    uint32_t op = 0;
    pf_map_init(&n.calls, g->arena->budget);
    for (uint32_t input = 0; input < l->inputs && ok; input++) {
        ok = note_numbers(&n, l->first[input], l->first[input + 1]);
        for (; ok && op < g->ops.count && g->devices[g->ops.device[op]].input == input; op++) {
            link_op(g, &n, op);
        }
    }
    pf_map_free(&n.calls);
    return ok ? PF_OK : pf_budget_refused(g->arena->budget, (uint64_t)l->count * 16, err);
}

pf_status pf_gpu_read_calls(gpu_facts *g, pf_error *err)
{
    listed_calls l = {0};
    pf_arg_columns *numbers = NULL;
    const pf_arg_options options = {.jobs = g->ctx->jobs, .cancel = g->ctx->cancel, .first_values = true};
    pf_status st = list_calls(g, &l, err);
    st = st == PF_OK ? pf_arg_columns_read(g->trace, l.event, l.count, &correlation_key, 1, &options, &numbers, err)
                     : st;
    st = st == PF_OK ? fill_calls(g, &l, err) : st;
    st = st == PF_OK ? link_calls(g, &l, pf_arg_column_at(numbers, 0), err) : st;
    pf_arg_columns_free(numbers);
    return st;
}
