/* analyze/gpu/kernels/gpu_operators.c - point 2: host operators and the device work that they launched.
 *
 * A runtime call lies inside the operators that made it: they are its ancestors in table slice. The innermost one
 * launched the work itself, all of them launched it with their children. An operator inside one of the same name counts
 * once for that name. Ancestors that are no operators (python functions, annotations) are stepped over.
 */
#include <stdlib.h>
#include <string.h>

#include "analyze/gpu/kernels/gpu_kernels.h"
#include "analyze/support/pass_memory.h"
#include "analyze/support/shape_text.h"
#include "base/map.h"
#include "base/ordering.h"
#include "model/trace/trace.h"

/* Operators around one call that are tried. */
enum { MOST_AROUND = 512 };

typedef struct operators {
    const gpu_facts *g;
    pf_arena *scratch;
    gpu_operators *out;
    uint32_t *row;     /* by row of table slice, where that is an operator; NULL: of_name says it */
    uint32_t *of_name; /* by string id, where one input and no shapes count; PF_NONE: none yet */
    pf_map by_name;    /* input and name, where there are several inputs */
    pf_strings keys;
    bool by_shape;
} operators;

/* ---- rows -------------------------------------------------------------------------------------------------------- */

static uint32_t new_row(operators *p, uint32_t input, uint32_t name, uint32_t shapes, pf_error *err)
{
    gpu_operators *o = p->out;
    if (PF_ARENA_ROOM(&o->arena, o->rows, (size_t)o->count + 1, o->room, err) != PF_OK) {
        return PF_NONE;
    }
    o->rows[o->count] = (gpu_operator_row){.input = input, .name = name, .shapes = shapes};
    return o->count++;
}

static uint32_t row_of_name(operators *p, uint32_t input, uint32_t name, pf_error *err)
{
    uint64_t key = (uint64_t)input << 32 | name;
    uint32_t row = p->of_name ? p->of_name[name] : pf_map_get(&p->by_name, key);
    if (row != PF_NONE) {
        return row;
    }
    row = new_row(p, input, name, 0, err);
    if (p->of_name) {
        p->of_name[name] = row;
    } else if (row != PF_NONE && pf_map_put(&p->by_name, key, row, err) != PF_OK) {
        return PF_NONE;
    }
    return row;
}

static uint32_t row_of_shapes(operators *p, uint32_t input, uint32_t name, uint32_t event, pf_error *err)
{
    static const char *const keys[] = {"Input Dims", NULL};
    static const pf_shape_form form = {keys, ", ", true};
    pf_buffer text = {0};
    uint32_t shapes = pf_shape_text(p->g->trace, event, &form, &text, &p->out->shapes, err);
    pf_buffer_free(&text);
    uint32_t key[3] = {input, name, shapes};
    uint32_t id = shapes == PF_NONE ? PF_NONE : pf_strings_add(&p->keys, (const char *)key, sizeof key, err);
    if (id == PF_NONE || id - 1 < p->out->count) {
        return id == PF_NONE ? PF_NONE : id - 1;
    }
    return new_row(p, input, name, shapes, err);
}

static gpu_operator_row *row_of(const operators *p, const pf_slices *s, uint32_t slice)
{
    return &p->out->rows[p->row ? p->row[slice] : p->of_name[pf_slice_name(s, slice)]];
}

/* The nearest operator that the slice is or lies in, PF_NONE without any. */
static uint32_t operator_around(const gpu_facts *g, const pf_slices *s, uint32_t slice)
{
    while (slice != PF_NONE && g->kind[slice] != GPU_SLICE_OPERATOR) {
        slice = s->parent[slice] < slice ? s->parent[slice] : PF_NONE;
    }
    return slice;
}

/* The time of an operator is not that of the one around it. */
static void take_from_around(const operators *p, const pf_slices *s, uint32_t slice)
{
    uint32_t up = s->parent[slice] < slice ? operator_around(p->g, s, s->parent[slice]) : PF_NONE;
    if (up != PF_NONE && s->dur[up] > 0) {
        row_of(p, s, up)->host_self -= s->dur[slice];
    }
}

/* Every operator of the host gets its row. */
static pf_status gather(operators *p, pf_error *err)
{
    const pf_trace *t = p->g->trace;
    const pf_slices *s = pf_trace_slices(t);
    bool many = pf_trace_input_count(t) > 1;
    for (uint32_t i = 0; i < s->count; i++) {
        if (p->g->kind[i] != GPU_SLICE_OPERATOR) {
            continue;
        }
        uint32_t input = many ? pf_trace_event_input(t, s->event[i]) : 0;
        uint32_t row = p->by_shape ? row_of_shapes(p, input, pf_slice_name(s, i), s->event[i], err)
                                   : row_of_name(p, input, pf_slice_name(s, i), err);
        if (row == PF_NONE) {
            return err->code;
        }
        if (p->row) {
            p->row[i] = row;
        }
        p->out->rows[row].calls++;
        if (s->dur[i] > 0) {
            p->out->rows[row].host += (uint64_t)s->dur[i];
            p->out->rows[row].host_self += s->dur[i];
            take_from_around(p, s, i);
        }
    }
    return PF_OK;
}

/* ---- what they launched ------------------------------------------------------------------------------------------ */

static void count_op(const operators *p, uint32_t op)
{
    const gpu_facts *g = p->g;
    const pf_slices *s = pf_trace_slices(g->trace);
    uint64_t length = gpu_length(&g->ops, op);
    uint32_t at = operator_around(g, s, g->calls.slice[gpu_call_of(g, op)]);
    if (at != PF_NONE) {
        gpu_operator_row *row = row_of(p, s, at);
        row->launched_self++;
        row->device_self += length;
    }
    for (uint32_t n = 0; at != PF_NONE && n < MOST_AROUND; n++) {
        gpu_operator_row *row = row_of(p, s, at);
        if (row->counted_for != op + 1) {
            row->counted_for = op + 1;
            row->launched++;
            row->device += length;
        }
        at = s->parent[at] < at ? operator_around(g, s, s->parent[at]) : PF_NONE;
    }
}

static int by_device_time(const void *a, const void *b)
{
    const gpu_operator_row *x = a, *y = b;
    int order = PF_COMPARE(x->input, y->input);
    order = order ? order : PF_COMPARE(y->device, x->device);
    order = order || x->device ? order : PF_COMPARE(y->host_self, x->host_self);
    order = order ? order : PF_COMPARE(x->name, y->name);
    return order ? order : PF_COMPARE(x->shapes, y->shapes);
}

/* Only operators that launched something are listed, and all of an input without device work. */
static bool any_listed(const gpu_facts *g)
{
    bool listed = g->ops.call != NULL;
    for (uint32_t i = 0; i < g->rank_count; i++) {
        listed = listed || g->ranks[i].op_count == 0;
    }
    return listed;
}

/* ---- the call ---------------------------------------------------------------------------------------------------- */

static pf_status begin(operators *p, pf_error *err)
{
    uint32_t slices = pf_trace_slices(p->g->trace)->count;
    pf_budget *budget = p->scratch->budget;
    bool by_name = !p->by_shape && pf_trace_input_count(p->g->trace) == 1;
    uint32_t **rows = by_name ? &p->of_name : &p->row;
    uint32_t count = by_name ? p->g->trace->strings.count : slices;
    PF_TRY(PF_PASS_ARRAY(p->scratch, count, *rows, err));
    if (by_name) {
        memset(p->of_name, 0xff, count * sizeof *p->of_name); /* PF_NONE */
    }
    PF_TRY(pf_strings_init(&p->out->shapes, budget, err));
    return pf_strings_init(&p->keys, budget, err);
}

pf_status pf_gpu_operators_find(const gpu_facts *g, bool by_shape, pf_arena *scratch, gpu_operators *out, pf_error *err)
{
    operators p = {.g = g, .scratch = scratch, .out = out, .by_shape = by_shape};
    *out = (gpu_operators){.rows = NULL};
    pf_arena_init(&out->arena, scratch->budget);
    if (g->of_kind[GPU_SLICE_OPERATOR] == 0 || !any_listed(g)) {
        return PF_OK;
    }
    pf_map_init(&p.by_name, scratch->budget);
    pf_status st = begin(&p, err);
    st = st == PF_OK ? gather(&p, err) : st;
    for (uint32_t i = 0; i < g->ops.count && st == PF_OK && g->ops.call; i++) {
        if (gpu_call_of(g, i) != PF_NONE) {
            count_op(&p, i);
        }
    }
    if (st == PF_OK && out->count) {
        qsort(out->rows, out->count, sizeof *out->rows, by_device_time);
    }
    pf_strings_free(&p.keys);
    pf_map_free(&p.by_name);
    pf_arena_reset(scratch);
    return st;
}

void pf_gpu_operators_tabulate(const gpu_facts *g, const gpu_operators *o)
{
    for (const gpu_operator_row *r = o->rows; r < o->rows + o->count; r++) {
        pf_str shapes = r->shapes ? pf_strings_get(&o->shapes, r->shapes) : (pf_str){NULL, 0};
        if (r->launched || g->ranks[r->input].op_count == 0) {
            GPU_ROW(g, GPU_TABLE_OPERATORS, GPU_WHOSE(g, r->input), pf_cell_text(pf_trace_string(g->trace, r->name)),
                    pf_cell_text(shapes), pf_cell_count(r->calls), pf_cell_count(r->host), pf_cell_int(r->host_self),
                    pf_cell_count(r->launched), pf_cell_count(r->launched_self), pf_cell_count(r->device),
                    pf_cell_count(r->device_self));
        }
    }
}

void pf_gpu_operators_free(gpu_operators *o)
{
    pf_strings_free(&o->shapes);
    pf_arena_free(&o->arena);
}
