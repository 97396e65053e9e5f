/* edit/state/flow_sources.c - see flow_sources.h. */
#include "edit/state/flow_sources.h"

#include "base/list.h"
#include "perfetto/fields.h"

#define PF_FLOWS_MAX (1u << 20)

void pf_flows_init(pf_edit_flows *f, pf_budget *budget)
{
    *f = (pf_edit_flows){.budget = budget};
    pf_map_init(&f->by_id, budget);
}

void pf_flows_free(pf_edit_flows *f)
{
    pf_map_free(&f->by_id);
    PF_LIST_FREE(f->budget, f->list, f->room);
}

static struct pf_flow_slice *slice_of(const pf_edit_flows *f, uint32_t serial)
{
    return serial && f->serial - serial < PF_FLOWS_MAX ? &f->list[serial % PF_FLOWS_MAX] : NULL;
}

static pf_status add(pf_edit_flows *f, const struct pf_flow_slice *slice, uint32_t *serial, pf_error *err)
{
    uint32_t next = f->serial + 1 ? f->serial + 1 : 1;
    PF_TRY(PF_LIST_ROOM(f->budget, f->list, next < PF_FLOWS_MAX ? next + 1 : PF_FLOWS_MAX, f->room, err));
    f->list[next % PF_FLOWS_MAX] = *slice;
    *serial = f->serial = next;
    return PF_OK;
}

/* A flow goes on at the slice, or ends there. */
static pf_status take_one(pf_edit_flows *f, uint64_t id, bool ends, const struct pf_flow_slice *slice, pf_flow_use *use,
                          pf_error *err)
{
    uint32_t source = pf_map_get(&f->by_id, id);
    const struct pf_flow_slice *from = source == PF_NONE ? NULL : slice_of(f, source);
    if (from && slice && from->ts > slice->ts) { /* not in the order of time: it comes from another one */
        return pf_map_put(&f->by_id, id, 0, err);
    }
    if (from && slice && !use->source) {
        use->id = id;
        use->source = source;
    }
    if (source == PF_NONE && f->by_id.count >= PF_FLOWS_MAX) {
        pf_map_clear(&f->by_id);
    }
    return source == PF_NONE && ends ? PF_OK : pf_map_put(&f->by_id, id, ends ? 0 : use->own, err);
}

pf_status pf_flows_take(pf_edit_flows *f, const pf_field *event, const struct pf_flow_slice *slice, pf_flow_use *use,
                        pf_error *err)
{
    static const uint8_t fields[] = {PF_F_EVENT_FLOW_IDS, PF_F_EVENT_FLOW_IDS_OLD, PF_F_EVENT_TERMINATING_FLOW_IDS,
                                     PF_F_EVENT_TERMINATING_FLOW_IDS_OLD};
    uint64_t id;
    *use = (pf_flow_use){0};
    PF_TRY(slice ? add(f, slice, &use->own, err) : PF_OK);
    for (uint32_t i = 0; i < sizeof fields; i++) {
        pf_numbers ids = pf_numbers_of(pf_field_cursor(event), fields[i], i % 2 == 0);
        while (pf_numbers_next(&ids, &id)) {
            PF_TRY(take_one(f, id, i >= 2, slice, use, err));
        }
    }
    return PF_OK;
}

pf_status pf_flows_take_id(pf_edit_flows *f, uint64_t id, bool ends, const struct pf_flow_slice *slice,
                           pf_flow_use *use, pf_error *err)
{
    *use = (pf_flow_use){0};
    PF_TRY(slice ? add(f, slice, &use->own, err) : PF_OK);
    return take_one(f, id, ends, slice, use, err);
}

void pf_flows_end(pf_edit_flows *f, uint32_t serial, int64_t end)
{
    struct pf_flow_slice *s = slice_of(f, serial);
    if (s) {
        s->end = end;
    }
}

bool pf_flows_from_outside(const pf_edit_flows *f, const pf_flow_use *use, int64_t from, int64_t to)
{
    const struct pf_flow_slice *s = slice_of(f, use->source);
    return s && (s->left_out || s->ts >= to || (s->ts < from && s->end <= from));
}
