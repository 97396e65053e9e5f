/* analyze/gpu/kernels/gpu_operators.c - point 2: host operators and the device work that they launched.
 *
 * A runtime call lies inside the operators that made it: they are its ancestors in table slice. The innermost one
 * launched the work itself, all of them launched it with their children. An operator inside one of the same row counts
 * once for that row, its time and its work. Ancestors that are no operators (python functions, annotations) are stepped
 * over: slices come after those that they lie in, so one walk notes the operator around each.
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
    const uint32_t *around; /* by row of table slice: the nearest operator that it is or lies in, PF_NONE without any */
    uint32_t *row;          /* likewise, where that is an operator: its row; NULL: of_name says it */
    uint32_t *of_name;      /* by string id, where one input and no shapes count; PF_NONE: none yet */
    pf_map by_name;         /* input and name, where there are several inputs */
    pf_strings keys;
    bool by_shape;
} operators;

static uint32_t new_row(operators *p, uint32_t input, uint32_t name, uint32_t shapes, pf_error *err)
{
    gpu_operators *o = p->out;
    if (PF_ARENA_ROOM(&o->arena, o->rows, (size_t)o->count + 1, o->room, err) != PF_OK) {
        return PF_NONE;
    }
    o->rows[o->count] = (gpu_operator_row){.input = input, .name = name, .shapes = shapes, .number = o->count};
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

/* The operator that the slice lies in, PF_NONE without any. */
static uint32_t operator_above(const operators *p, const pf_slices *s, uint32_t slice)
{
    return s->parent[slice] < slice ? p->around[s->parent[slice]] : PF_NONE;
}

/* The time of an operator is not that of the one around it, and that of its row already if it lies in one of them. */
static void add_time(const operators *p, const pf_slices *s, uint32_t slice)
{
    gpu_operator_row *own = row_of(p, s, slice);
    uint32_t up = operator_above(p, s, slice);
    own->host_self += s->dur[slice];
    if (up != PF_NONE && s->dur[up] > 0) {
        row_of(p, s, up)->host_self -= s->dur[slice];
    }
    for (uint32_t n = 0; up != PF_NONE && row_of(p, s, up) != own && n < MOST_AROUND; n++) {
        up = operator_above(p, s, up);
    }
    own->host += up == PF_NONE || row_of(p, s, up) != own ? (uint64_t)s->dur[slice] : 0;
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
            add_time(p, s, i);
        }
    }
    return PF_OK;
}

static void count_op(const operators *p, uint32_t op, uint32_t at)
{
    const pf_slices *s = pf_trace_slices(p->g->trace);
    uint64_t length = gpu_length(&p->g->ops, op);
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
        at = operator_above(p, s, at);
    }
}

/* Every device event, by the operator that launched it and by its name; of inputs that have operators. */
static pf_status count_ops(operators *p, pf_error *err)
{
    const gpu_facts *g = p->g;
    const pf_slices *s = pf_trace_slices(g->trace);
    bool *has_any;
    PF_TRY(PF_ARENA_NEW(p->scratch, has_any, g->rank_count, err));
    for (uint32_t i = 0; i < p->out->count; i++) {
        has_any[p->out->rows[i].input] = true;
    }
    for (uint32_t i = 0; i < g->ops.count; i++) {
        uint32_t call = gpu_call_of(g, i), at = call == PF_NONE ? PF_NONE : p->around[g->calls.slice[call]];
        const gpu_operator_row *row = at == PF_NONE ? NULL : row_of(p, s, at);
        count_op(p, i, at);
        uint32_t number = row ? (uint32_t)(row - p->out->rows) : 0;
        if (has_any[g->devices[gpu_device_of(g, i)].input]) {
            PF_TRY(pf_gpu_operator_kernels_add(g, &p->out->kernels, i, row, number, err));
        }
    }
    return PF_OK;
}

PF_ORDER(by_device_time, gpu_operator_row, PF_UP(input), PF_DOWN(device), x->device ? 0 : PF_DOWN(host_self),
         PF_UP(number));

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

pf_status pf_gpu_operators_around(const gpu_facts *g, pf_arena *arena, uint32_t **out, pf_error *err)
{
    const pf_slices *s = pf_trace_slices(g->trace);
    uint32_t *around;
    PF_TRY(PF_PASS_ARRAY(arena, s->count, around, err));
    for (uint32_t i = 0; i < s->count; i++) {
        uint32_t up = s->parent[i] < i ? around[s->parent[i]] : PF_NONE;
        around[i] = g->kind[i] == GPU_SLICE_OPERATOR ? i : up;
    }
    *out = around;
    return PF_OK;
}

pf_status pf_gpu_operators_find(const gpu_facts *g, const uint32_t *around, bool by_shape, pf_arena *scratch,
                                gpu_operators *out, pf_error *err)
{
    operators p = {.g = g, .around = around, .scratch = scratch, .out = out, .by_shape = by_shape};
    *out = (gpu_operators){.rows = NULL};
    pf_arena_init(&out->arena, scratch->budget);
    pf_gpu_operator_kernels_init(&out->kernels, &out->arena);
    if (g->of_kind[GPU_SLICE_OPERATOR] == 0) {
        return PF_OK;
    }
    pf_map_init(&p.by_name, scratch->budget);
    pf_status st = begin(&p, err);
    st = st == PF_OK ? gather(&p, err) : st;
    st = st == PF_OK ? count_ops(&p, err) : st;
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
        GPU_ROW(g, GPU_TABLE_OPERATORS, GPU_WHOSE(g, r->input), pf_cell_text(pf_trace_string(g->trace, r->name)),
                pf_cell_text(shapes), pf_cell_count(r->calls), pf_cell_count(r->host), pf_cell_int(r->host_self),
                pf_cell_count(r->launched), pf_cell_count(r->launched_self), pf_cell_count(r->device),
                pf_cell_count(r->device_self));
    }
    pf_gpu_operator_kernels_tabulate(g, &o->kernels, &o->shapes);
}

void pf_gpu_operators_free(gpu_operators *o)
{
    pf_strings_free(&o->shapes);
    pf_gpu_operator_kernels_free(&o->kernels);
    pf_arena_free(&o->arena);
}
