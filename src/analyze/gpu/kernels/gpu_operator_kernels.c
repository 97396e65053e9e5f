/* analyze/gpu/kernels/gpu_operator_kernels.c - kernels, memcpy and memset by the operator that launched them itself.
 *
 * Each device event is of one row, that of the innermost operator around its call and its own name; events without such
 * an operator have rows without one. So the times of an input's rows add up to those of its events.
 */
#include <stdlib.h>

#include "analyze/gpu/kernels/gpu_kernels.h"
#include "base/ordering.h"

void pf_gpu_operator_kernels_init(gpu_operator_kernels *k, pf_arena *arena)
{
    *k = (gpu_operator_kernels){.arena = arena};
    pf_map_init(&k->known, arena->budget);
}

static uint32_t new_row(gpu_operator_kernels *k, const gpu_operator_kernel *row, pf_error *err)
{
    if (PF_ARENA_ROOM(k->arena, k->rows, (size_t)k->count + 1, k->room, err) != PF_OK) {
        return PF_NONE;
    }
    k->rows[k->count] = *row;
    k->rows[k->count].number = k->count;
    return k->count++;
}

pf_status pf_gpu_operator_kernels_add(const gpu_facts *g, gpu_operator_kernels *k, uint32_t op,
                                      const gpu_operator_row *row, uint32_t number, pf_error *err)
{
    const gpu_ops *o = &g->ops;
    uint32_t input = g->devices[gpu_device_of(g, op)].input;
    uint64_t key = (uint64_t)(row ? number : UINT32_MAX - input) << 32 | o->name[op], length = gpu_length(o, op);
    uint32_t at = pf_map_get(&k->known, key);
    if (at == PF_NONE) {
        const gpu_operator_kernel made = {.input = input,
                                          .name = row ? row->name : PF_NONE,
                                          .shapes = row ? row->shapes : 0,
                                          .kernel = o->name[op],
                                          .class = o->class[op],
                                          .least = length};
        at = new_row(k, &made, err);
        PF_TRY(at == PF_NONE ? err->code : pf_map_put(&k->known, key, at, err));
    }
    gpu_operator_kernel *r = &k->rows[at];
    r->calls++;
    r->total = gpu_plus(r->total, length);
    r->least = length < r->least ? length : r->least;
    r->most = length > r->most ? length : r->most;
    return PF_OK;
}

PF_ORDER(by_total, gpu_operator_kernel, PF_UP(input), PF_DOWN(total), PF_UP(number));

static void put_row(const gpu_facts *g, const gpu_operator_kernel *r, const pf_strings *shapes, double whole)
{
    static const pf_str classes[GPU_CLASSES] = {[GPU_COMPUTE] = PF_STR("compute"),
                                                [GPU_COMMUNICATION] = PF_STR("communication"),
                                                [GPU_MEMORY] = PF_STR("memory")};
    const pf_str none = {NULL, 0};
    GPU_ROW(g, GPU_TABLE_OPERATOR_KERNELS, GPU_WHOSE(g, r->input),
            pf_cell_text(r->name == PF_NONE ? none : pf_trace_string(g->trace, r->name)),
            pf_cell_text(r->shapes ? pf_strings_get(shapes, r->shapes) : none),
            pf_cell_text(pf_trace_string(g->trace, r->kernel)), pf_cell_text(classes[r->class]),
            pf_cell_count(r->calls), pf_cell_count(r->total),
            pf_cell_count(r->total / r->calls + (r->total % r->calls * 2 >= r->calls)), pf_cell_count(r->least),
            pf_cell_count(r->most), pf_cell_real_if(whole > 0, 100 * (double)r->total / (whole > 0 ? whole : 1)));
}

void pf_gpu_operator_kernels_tabulate(const gpu_facts *g, const gpu_operator_kernels *k, const pf_strings *shapes)
{
    const gpu_operator_kernel *end = k->rows + k->count;
    if (k->count) {
        qsort(k->rows, k->count, sizeof *k->rows, by_total);
    }
    for (const gpu_operator_kernel *r = k->rows; r < end;) {
        const gpu_operator_kernel *next = r;
        double whole = 0;
        for (; next < end && next->input == r->input; next++) {
            whole += (double)next->total;
        }
        for (; r < next; r++) {
            put_row(g, r, shapes, whole);
        }
    }
}

void pf_gpu_operator_kernels_free(gpu_operator_kernels *k)
{
    pf_map_free(&k->known);
}
