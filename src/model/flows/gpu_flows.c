/* model/flows/gpu_flows.c - slices meet under the id of GPU work, whichever comes first.
 *
 * Arrows run from the slice that submits work to the work, and from the work to what waits for it; unlike other flows
 * they keep that direction even where times contradict it. If an id is used again, its latest slices count, and those
 * that waited for it have got their arrow already: so the number of arrows stays below the number of ids on slices.
 */
#include "model/flows/flows.h"

pf_status pf_waiting_init(pf_waiting *w, pf_budget *budget, pf_error *err)
{
    pf_map_init(&w->newest, budget);
    pf_columns_init(&w->columns, budget, "waiting flows");
    PF_TRY(PF_COLUMNS_ADD(&w->columns, w->item, err));
    return PF_COLUMNS_ADD(&w->columns, w->next, err);
}

void pf_waiting_free(pf_waiting *w)
{
    pf_map_free(&w->newest);
    pf_columns_free(&w->columns);
}

/* A list without entries. */
static const uint32_t nobody = PF_NONE - 1;

pf_status pf_waiting_add(pf_waiting *w, uint64_t key, uint32_t item, pf_error *err)
{
    uint32_t i = w->count, newest = pf_map_get(&w->newest, key);
    PF_TRY(pf_columns_room(&w->columns, (uint64_t)i + 1, &w->room, err));
    w->item[i] = item;
    w->next[i] = newest == nobody ? PF_NONE : newest;
    w->count++;
    return pf_map_put(&w->newest, key, i, err);
}

uint32_t pf_waiting_take(pf_waiting *w, uint64_t key)
{
    uint32_t first = pf_map_get(&w->newest, key);
    if (first == PF_NONE || first == nobody) {
        return PF_NONE;
    }
    pf_map_set(&w->newest, key, nobody); /* a key that is there needs no memory */
    return first;
}

pf_status pf_gpu_flows_init(pf_gpu_flows *f, pf_trace *t, pf_error *err)
{
    *f = (pf_gpu_flows){.t = t};
    pf_map_init(&f->work, &t->budget);
    pf_map_init(&f->submit, &t->budget);
    pf_map_init(&f->await, &t->budget);
    return pf_waiting_init(&f->after, &t->budget, err);
}

void pf_gpu_flows_free(pf_gpu_flows *f)
{
    pf_map_free(&f->work);
    pf_map_free(&f->submit);
    pf_map_free(&f->await);
    pf_waiting_free(&f->after);
}

static pf_status add_arrow(pf_gpu_flows *f, uint32_t from, uint32_t to, pf_error *err)
{
    return from == PF_NONE || to == PF_NONE ? PF_OK : pf_trace_add_arrow(f->t, from, to, PF_FLOW_NO_ID, PF_NONE, err);
}

static pf_status add_work(pf_gpu_flows *f, uint64_t id, uint32_t slice, pf_error *err)
{
    PF_TRY(pf_map_put(&f->work, id, slice, err));
    PF_TRY(add_arrow(f, pf_map_get(&f->submit, id), slice, err));
    PF_TRY(add_arrow(f, slice, pf_map_get(&f->await, id), err));
    for (uint32_t i = pf_waiting_take(&f->after, id); i != PF_NONE; i = f->after.next[i]) {
        PF_TRY(add_arrow(f, slice, f->after.item[i], err));
    }
    return PF_OK;
}

pf_status pf_gpu_flows_add(pf_gpu_flows *f, uint64_t id, pf_flow_kind kind, uint32_t slice, pf_error *err)
{
    uint32_t work = pf_map_get(&f->work, id);
    switch (kind) {
    case PF_FLOW_GPU_STAGE:
    case PF_FLOW_ARROW_TO:
        return add_work(f, id, slice, err);
    case PF_FLOW_GPU_AFTER:
        return work == PF_NONE ? pf_waiting_add(&f->after, id, slice, err) : add_arrow(f, work, slice, err);
    case PF_FLOW_GPU_SUBMIT:
    case PF_FLOW_ARROW_FROM:
        PF_TRY(pf_map_put(&f->submit, id, slice, err));
        return add_arrow(f, slice, work, err);
    default:
        PF_TRY(pf_map_put(&f->await, id, slice, err));
        return add_arrow(f, work, slice, err);
    }
}
