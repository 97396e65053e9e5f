/* analyze/gpu/kernels/gpu_flops.c - operators with known work by name and inputs: their floating-point operations and
 * bytes next to the time that they took.
 *
 * Operators lie in each other: aten::linear calls aten::addmm. Only the innermost one that is counted counts, so that
 * no work counts twice. One walk in order of time leaves of the counted operators those that no other one lies in; a
 * second one asks their inputs, event by event; then each device event looks for the one around its call.
 */
#include "analyze/gpu/kernels/gpu_flops.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/support/pass_memory.h"
#include "analyze/support/shape_text.h"
#include "base/ordering.h"
#include "model/trace/trace.h"

/* Operators around one call that are tried. */
enum { MOST_AROUND = 512 };

typedef struct counting {
    const gpu_facts *g;
    const uint32_t *around;
    gpu_flops *out;
    uint8_t *verdict; /* by string id: 0 not judged, 1 not counted, 2 counted */
    uint32_t *call;   /* by slice; PF_NONE: it does not count */
    pf_strings keys;  /* of rows */
    pf_buffer text;
} counting;

static bool is_counted_name(pf_str name)
{
    return pf_gpu_formula_of(name) != NULL;
}

static uint32_t above(const counting *c, const pf_slices *s, uint32_t slice)
{
    return s->parent[slice] < slice ? c->around[s->parent[slice]] : PF_NONE;
}

/* The innermost of the operator and those around it that counts; PF_NONE without any. */
static uint32_t counted_around(const counting *c, const pf_slices *s, uint32_t slice)
{
    for (uint32_t n = 0; slice != PF_NONE && c->call[slice] == PF_NONE; n++) {
        slice = n < MOST_AROUND ? above(c, s, slice) : PF_NONE;
    }
    return slice;
}

static void choose(counting *c, const pf_slices *s)
{
    memset(c->call, 0xff, s->count * sizeof *c->call); /* PF_NONE */
    for (uint32_t i = 0; i < s->count; i++) {
        if (c->g->kind[i] == GPU_SLICE_OPERATOR &&
            gpu_name_is(c->g, c->verdict, pf_slice_name(s, i), is_counted_name)) {
            uint32_t outer = counted_around(c, s, above(c, s, i));
            if (outer != PF_NONE) {
                c->call[outer] = PF_NONE;
            }
            c->call[i] = 0;
        }
    }
}

/* What so many calls of a row do together. */
static gpu_flop_count flops_of(const gpu_flops *flops, const gpu_flop_row *row, uint64_t calls)
{
    const gpu_operands operands = {.shapes = pf_strings_get(&flops->texts, row->shapes),
                                   .types = pf_strings_get(&flops->texts, row->types),
                                   .values = pf_strings_get(&flops->texts, row->values)};
    return pf_gpu_count_flops(row->formula, &operands, calls);
}

/* What the event says under a key, as a text. */
static pf_status ask(counting *c, uint32_t event, const char *key, uint32_t *id, pf_error *err)
{
    const char *const keys[] = {key, NULL};
    const pf_shape_form form = {keys, ", ", true};
    *id = pf_shape_text(c->g->trace, event, &form, &c->text, &c->out->texts, err);
    return *id == PF_NONE ? err->code : PF_OK;
}

static pf_status add_call(counting *c, const pf_slices *s, uint32_t slice, uint32_t input, pf_error *err)
{
    gpu_flops *o = c->out;
    uint32_t event = s->event[slice], id;
    gpu_flop_row row = {.input = input, .name = pf_slice_name(s, slice), .number = o->count};
    row.formula = pf_gpu_formula_of(pf_trace_string(c->g->trace, row.name));
    PF_TRY(ask(c, event, "Input Dims", &row.shapes, err));
    if (pf_strings_get(&o->texts, row.shapes).len == 0) {
        c->call[slice] = PF_NONE;
        return PF_OK;
    }
    PF_TRY(ask(c, event, "Input type", &row.types, err));
    if (pf_gpu_formula_asks_values(row.formula)) {
        PF_TRY(ask(c, event, "Concrete Inputs", &row.values, err));
    }
    const uint32_t key[] = {input, row.name, row.shapes, row.types, row.values};
    PF_TRY(pf_strings_put(&c->keys, (pf_str){(const char *)key, sizeof key}, &id, err));
    if (id > o->count) {
        PF_TRY(PF_ARENA_ROOM(&o->arena, o->rows, (size_t)o->count + 1, o->room, err));
        const gpu_flop_count one = flops_of(o, &row, 1);
        row.flop = one.flop_known ? one.flop : 0;
        row.bytes = one.bytes_known ? one.bytes : 0;
        o->rows[o->count++] = row;
    }
    PF_TRY(PF_ARENA_ROOM(&o->arena, o->calls, (size_t)o->call_count + 1, o->call_room, err));
    o->calls[o->call_count] =
        (gpu_flop_call){.row = id - 1, .flop = o->rows[id - 1].flop, .bytes = o->rows[id - 1].bytes};
    c->call[slice] = o->call_count++;
    o->rows[id - 1].calls++;
    o->rows[id - 1].host += s->dur[slice] > 0 ? (uint64_t)s->dur[slice] : 0;
    return PF_OK;
}

static pf_status gather(counting *c, const pf_slices *s, pf_error *err)
{
    bool many = pf_trace_input_count(c->g->trace) > 1;
    for (uint32_t i = 0; i < s->count; i++) {
        if (c->call[i] != PF_NONE) {
            PF_TRY(add_call(c, s, i, many ? pf_trace_event_input(c->g->trace, s->event[i]) : 0, err));
        }
    }
    return PF_OK;
}

static void count_ops(counting *c, const pf_slices *s)
{
    const gpu_facts *g = c->g;
    for (uint32_t i = 0; i < g->ops.count; i++) {
        uint32_t call = gpu_call_of(g, i), at = call == PF_NONE ? PF_NONE : c->around[g->calls.slice[call]];
        at = counted_around(c, s, at);
        gpu_flop_call *of = at == PF_NONE ? NULL : &c->out->calls[c->call[at]];
        if (of) {
            c->out->rows[of->row].launched++;
            c->out->rows[of->row].device += gpu_length(&g->ops, i);
            of->device += gpu_length(&g->ops, i);
        }
        if (c->out->of_op) {
            c->out->of_op[i] = of ? c->call[at] : PF_NONE;
        }
    }
}

PF_ORDER(by_time, gpu_flop_row, PF_UP(input), PF_DOWN(device), PF_DOWN(host), PF_UP(number));

static pf_status find(counting *c, pf_arena *scratch, pf_error *err)
{
    const pf_slices *s = pf_trace_slices(c->g->trace);
    PF_TRY(pf_strings_init(&c->keys, scratch->budget, err));
    PF_TRY(pf_strings_init(&c->out->texts, scratch->budget, err));
    PF_TRY(PF_ARENA_NEW(scratch, c->verdict, c->g->trace->strings.count, err));
    PF_TRY(PF_PASS_ARRAY(scratch, s->count, c->call, err));
    if (!c->g->ctx->skip_overlay) {
        PF_TRY(PF_PASS_ARRAY(&c->out->arena, c->g->ops.count, c->out->of_op, err));
    }
    choose(c, s);
    PF_TRY(gather(c, s, err));
    count_ops(c, s);
    if (c->out->count) {
        qsort(c->out->rows, c->out->count, sizeof *c->out->rows, by_time);
    }
    return PF_OK;
}

pf_status pf_gpu_flops_find(const gpu_facts *g, const uint32_t *around, pf_arena *scratch, gpu_flops *out,
                            pf_error *err)
{
    counting c = {.g = g, .around = around, .out = out};
    *out = (gpu_flops){.rows = NULL};
    pf_arena_init(&out->arena, scratch->budget);
    pf_status st = g->of_kind[GPU_SLICE_OPERATOR] ? find(&c, scratch, err) : PF_OK;
    pf_buffer_free(&c.text);
    pf_strings_free(&c.keys);
    pf_arena_reset(scratch);
    return st;
}

/* A number of the table, if it is known and is of something. */
static pf_cell ratio(bool known, double a, double b)
{
    return pf_cell_real_if(known && b > 0, a / (b > 0 ? b : 1));
}

static void put_row(const gpu_facts *g, const gpu_flops *flops, const gpu_flop_row *r, gpu_peaks peaks)
{
    const gpu_flop_count c = flops_of(flops, r, r->calls);
    double ns = (double)(g->ranks[r->input].op_count ? r->device : r->host);
    double flop = (double)c.flop, bytes = (double)c.bytes;
    bool both = c.flop_known && c.bytes_known && peaks.tflops > 0 && peaks.gbs > 0;
    /* What the time would be if nothing but the peak was in the way. */
    double computing = c.flop_known && peaks.tflops > 0 ? flop / peaks.tflops / 1e3 : 0;
    double moving = c.bytes_known && peaks.gbs > 0 ? bytes / peaks.gbs : 0;
    double least = computing > moving ? computing : moving;
    GPU_ROW(g, GPU_TABLE_FLOPS, GPU_WHOSE(g, r->input), pf_cell_text(pf_trace_string(g->trace, r->name)),
            pf_cell_text(pf_gpu_formula_kind(r->formula)), pf_cell_text(pf_strings_get(&flops->texts, r->shapes)),
            pf_cell_text(c.type.len ? c.type : (pf_str){NULL, 0}), pf_cell_count(r->calls), pf_cell_count(r->host),
            pf_cell_count(r->launched), pf_cell_count(r->device),
            pf_cell_int_if(c.flop_known, pf_cell_count(c.flop).as.i),
            pf_cell_int_if(c.bytes_known, pf_cell_count(c.bytes).as.i), ratio(c.flop_known, flop / 1e3, ns),
            ratio(c.bytes_known, bytes, ns), ratio(c.flop_known && c.bytes_known, flop, bytes),
            ratio(least > 0, 100 * least, ns),
            pf_cell_text(both ? computing >= moving ? PF_STR("compute") : PF_STR("memory") : (pf_str){NULL, 0}));
}

void pf_gpu_flops_tabulate(const gpu_facts *g, const gpu_flops *flops, gpu_peaks peaks)
{
    for (const gpu_flop_row *r = flops->rows; r < flops->rows + flops->count; r++) {
        put_row(g, flops, r, peaks);
    }
}

void pf_gpu_flops_free(gpu_flops *flops)
{
    pf_strings_free(&flops->texts);
    pf_arena_free(&flops->arena);
}
