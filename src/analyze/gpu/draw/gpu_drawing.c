/* analyze/gpu/draw/gpu_drawing.c - see gpu_drawing.h. */
#include "analyze/gpu/draw/gpu_drawing.h"

#include "analyze/support/pass_memory.h"
#include "base/str.h"

void pf_gpu_draw_cells(gpu_canvas *c, unsigned table, size_t row, size_t from)
{
    const pf_table *t = pf_table_view(c->r->facts.table[table]);
    for (size_t i = from; t && row < t->row_count && i < t->column_count; i++) {
        const pf_cell *cell = &t->cells[row * t->column_count + i];
        pf_str key = pf_str_of(t->columns[i].name);
        if (cell->null) {
            continue;
        }
        if (t->columns[i].type == PF_CELL_INT) {
            pf_overlay_arg_int(c->f, key, cell->as.i);
        } else if (t->columns[i].type == PF_CELL_REAL) {
            pf_overlay_arg_derived(c->f, key, cell->as.d);
        } else {
            pf_overlay_arg_text(c->f, key, cell->as.s);
        }
    }
}

void pf_gpu_draw_name(gpu_canvas *c, const char *key, uint32_t slice)
{
    if (slice != PF_NONE) {
        pf_overlay_arg_text(c->f, pf_str_of(key), pf_gpu_slice_cell(&c->r->facts, slice).as.s);
    }
}

void pf_gpu_draw_gap(gpu_canvas *c, uint32_t track, const gpu_gap *gap)
{
    const gpu_ops *ops = &c->r->facts.ops;
    pf_overlay_slice(c->f, track, gap->time.start, pf_drawing_length(pf_interval_length(gap->time)),
                     pf_gpu_idle_cause(gap->host, gap->waiting, gap->other));
    pf_overlay_arg_int(c->f, PF_STR("host_bound_ns"), pf_drawing_length(gap->host));
    pf_overlay_arg_int(c->f, PF_STR("kernel_wait_ns"), pf_drawing_length(gap->waiting));
    pf_overlay_arg_int(c->f, PF_STR("other_ns"), pf_drawing_length(gap->other));
    pf_gpu_draw_name(c, "before", gpu_slice(ops, gap->before));
    pf_gpu_draw_name(c, "after", gpu_slice(ops, gap->after));
}

static pf_status subtract(gpu_canvas *c, const gpu_set *a, const gpu_set *b, gpu_set *out)
{
    PF_TRY(PF_PASS_ARRAY(c->drawing.arena, a->count + b->count, out->list, c->err));
    out->count = pf_interval_without(a->list, a->count, b->list, b->count, out->list);
    return PF_OK;
}

pf_status pf_gpu_exposed_sets(gpu_canvas *c, const gpu_device *d, gpu_exposed *out)
{
    gpu_set class[GPU_CLASSES], rest;
    for (unsigned k = 0; k < GPU_CLASSES; k++) {
        PF_TRY(pf_gpu_unite(&c->r->facts, d, k, c->drawing.arena, &class[k], c -> err));
    }
    PF_TRY(subtract(c, &class[GPU_COMMUNICATION], &class[GPU_COMPUTE], &out -> communication));
    PF_TRY(subtract(c, &class[GPU_MEMORY], &class[GPU_COMPUTE], &rest));
    return subtract(c, &rest, &class[GPU_COMMUNICATION], &out -> memory);
}
