/* read/perfetto/event/flow_ids.c - the flow ids that a TrackEvent carries (docs/reference/perfetto.md, "Flows" and "GPU
 * work").
 *
 * Ids are only noted here, in the order in which they count: bind_id of a legacy event, flow ids, terminating ones, GPU
 * work. What they connect is found when the slices are built, in time order. Flow ids exist in an old form (varint) and
 * a new one (fixed64); where an event has both, the new one counts alone.
 */
#include "read/perfetto/event/draft.h"
#include "read/perfetto/gpu/packet_gpu.h"

static pf_status add(pf_draft *d, uint64_t id, pf_flow_kind kind)
{
    return pf_trace_add_event_flow(d->im->t, id, kind, d->im->err);
}

/* The ids of flows in their new form, the field of their old one, and what they are. */
static const struct {
    uint32_t field, old;
    pf_flow_kind kind;
} IDS[] = {{PF_F_EVENT_FLOW_IDS, PF_F_EVENT_FLOW_IDS_OLD, PF_FLOW_FLOW},
           {PF_F_EVENT_TERMINATING_FLOW_IDS, PF_F_EVENT_TERMINATING_FLOW_IDS_OLD, PF_FLOW_TERMINATE}};

pf_status pf_arrows_add_ids(pf_import *im, uint32_t event, const pf_record *r)
{
    const pf_cursor all = pf_cursor_over(r->event, r->event_len);
    bool has[2] = {false, false}, is_new[2] = {false, false}, has_gpu = false;
    uint64_t id;
    pf_field f;
    for (pf_cursor c = all; pf_cursor_next(&c, &f) == PF_NEXT_FIELD;) {
        has_gpu |= f.tag == PF_TAG_BYTES(PF_F_EVENT_GPU_CORRELATION);
        for (size_t i = 0; i < 2; i++) {
            has[i] |= pf_field_number(&f) == IDS[i].field || pf_field_number(&f) == IDS[i].old;
            is_new[i] |= f.tag == PF_TAG_FIXED64(IDS[i].field) || f.tag == PF_TAG_BYTES(IDS[i].field);
        }
    }
    for (size_t i = 0; i < 2; i++) {
        pf_numbers ids = pf_numbers_of(all, is_new[i] ? IDS[i].field : IDS[i].old, is_new[i]);
        while (has[i] && pf_numbers_next(&ids, &id)) {
            PF_TRY(pf_trace_add_flow_of(im->t, event, id, IDS[i].kind, im->err));
        }
    }
    for (pf_cursor c = all; has_gpu && pf_cursor_next_of(&c, PF_TAG_BYTES(PF_F_EVENT_GPU_CORRELATION), &f);) {
        PF_TRY(pf_gpu_correlate(im, event, &f));
    }
    return PF_OK;
}

static pf_status add_bind(pf_draft *d)
{
    const pf_legacy *l = d->legacy;
    switch (l->direction) {
    case PF_FLOW_DIRECTION_OUT:
        return add(d, l->bind_id, PF_FLOW_BIND_START);
    case PF_FLOW_DIRECTION_INOUT:
        return add(d, l->bind_id, PF_FLOW_BIND_STEP);
    case PF_FLOW_DIRECTION_IN:
        return add(d, l->bind_id, PF_FLOW_BIND_END);
    default:
        pf_draft_count(d, PF_STAT_FLOW_WITHOUT_DIRECTION);
        return PF_OK;
    }
}

/* Flows of phases s, t, f are known by id, category and name. */
static pf_status add_legacy_flow(pf_draft *d)
{
    const pf_legacy *l = d->legacy;
    const struct {
        uint64_t id;
        uint32_t category, name;
    } parts = {l->unscoped_id, d->row.category, d->row.name};
    if (!l->has_unscoped_id) {
        pf_draft_count(d, PF_STAT_FLOW_INVALID_ID);
        return PF_OK;
    }
    uint32_t key = pf_import_key(d->im, &parts, sizeof parts);
    if (key == PF_NONE) {
        return d->im->err->code;
    }
    pf_flow_kind kind = d->row.phase == 's'    ? PF_FLOW_START
                        : d->row.phase == 't'  ? PF_FLOW_STEP
                        : l->bind_to_enclosing ? PF_FLOW_END
                                               : PF_FLOW_END_NEXT;
    PF_TRY(add(d, (uint64_t)d->im->moves.first_event << 32 | key, kind));
    return d->r->has & PF_HAS_ORIGIN ? PF_OK : pf_import_flow_id(d->im, l->unscoped_id);
}

pf_status pf_arrows_add(pf_draft *d)
{
    uint8_t phase = d->row.phase;
    if (phase == 's' || phase == 't' || phase == 'f') {
        return add_legacy_flow(d);
    }
    if (!phase || phase >= 0x80 || !strchr("BEXibenSF", phase)) {
        return PF_OK;
    }
    if (d->legacy->has_bind_id) {
        PF_TRY(add_bind(d));
    }
    return d->r->has & PF_HAS_FLOWS ? pf_arrows_add_ids(d->im, d->im->t->events.count - 1, d->r) : PF_OK;
}
