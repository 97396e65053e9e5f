/* model/slices/gpu_flows.c - slices meet under the id of GPU work, whichever comes first.
 *
 * Arrows run from the slice that submits work to the work, and from the work to what waits for it; unlike other flows
 * they keep that direction even where times contradict it. If an id is used again, its latest slices count, and those
 * that waited for it have got their arrow already: so the number of arrows stays below the number of ids on slices.
 */
#include "model/slices/gpu_flows.h"

pf_status pf_gpu_flows_init(pf_gpu_flows *f, pf_trace *t, pf_error *err)
{
    *f = (pf_gpu_flows){.t = t};
    pf_map_init(&f->work, &t->budget);
    pf_map_init(&f->submit, &t->budget);
    pf_map_init(&f->await, &t->budget);
    pf_map_init(&f->waiting, &t->budget);
    pf_columns_init(&f->after.columns, &t->budget, "waiting GPU work");
    PF_TRY(PF_COLUMNS_ADD(&f->after.columns, f->after.slice, err));
    return PF_COLUMNS_ADD(&f->after.columns, f->after.next, err);
}

void pf_gpu_flows_free(pf_gpu_flows *f)
{
    pf_map_free(&f->work);
    pf_map_free(&f->submit);
    pf_map_free(&f->await);
    pf_map_free(&f->waiting);
    pf_columns_free(&f->after.columns);
}

static pf_status add_arrow(pf_gpu_flows *f, uint32_t from, uint32_t to, pf_error *err)
{
    return from == PF_NONE || to == PF_NONE ? PF_OK : pf_trace_add_arrow(f->t, from, to, PF_FLOW_NO_ID, PF_NONE, err);
}

/* A list without entries, since the map deletes nothing. */
static const uint32_t nobody = PF_NONE - 1;

static pf_status wait_for(pf_gpu_flows *f, uint64_t id, uint32_t slice, pf_error *err)
{
    uint32_t i = f->after.count, newest = pf_map_get(&f->waiting, id);
    PF_TRY(pf_columns_room(&f->after.columns, (uint64_t)i + 1, &f->after.room, err));
    f->after.slice[i] = slice;
    f->after.next[i] = newest == nobody ? PF_NONE : newest;
    f->after.count++;
    return pf_map_put(&f->waiting, id, i, err);
}

static pf_status add_work(pf_gpu_flows *f, uint64_t id, uint32_t slice, pf_error *err)
{
    uint32_t i = pf_map_get(&f->waiting, id);
    PF_TRY(pf_map_put(&f->work, id, slice, err));
    PF_TRY(add_arrow(f, pf_map_get(&f->submit, id), slice, err));
    PF_TRY(add_arrow(f, slice, pf_map_get(&f->await, id), err));
    if (i == PF_NONE || i == nobody) {
        return PF_OK;
    }
    for (; i != PF_NONE; i = f->after.next[i]) {
        PF_TRY(add_arrow(f, slice, f->after.slice[i], err));
    }
    return pf_map_put(&f->waiting, id, nobody, err);
}

pf_status pf_gpu_flows_add(pf_gpu_flows *f, uint64_t id, pf_flow_kind kind, uint32_t slice, pf_error *err)
{
    uint32_t work = pf_map_get(&f->work, id);
    switch (kind) {
    case PF_FLOW_GPU_STAGE:
        return add_work(f, id, slice, err);
    case PF_FLOW_GPU_AFTER:
        return work == PF_NONE ? wait_for(f, id, slice, err) : add_arrow(f, work, slice, err);
    case PF_FLOW_GPU_SUBMIT:
        PF_TRY(pf_map_put(&f->submit, id, slice, err));
        return add_arrow(f, slice, work, err);
    default:
        PF_TRY(pf_map_put(&f->await, id, slice, err));
        return add_arrow(f, work, slice, err);
    }
}
