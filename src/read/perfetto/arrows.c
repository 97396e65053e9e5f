/* read/perfetto/arrows.c - the flow ids that a TrackEvent carries (specs/perfetto.md 6.6 and 8).
 *
 * Ids are only noted here, in the order in which they count: bind_id of a legacy event, flow ids, terminating ones, GPU
 * work. What they connect is found when the slices are built, in time order. Flow ids exist in an old form (varint) and
 * a new one (fixed64); where an event has both, the new one counts alone.
 */
#include "read/perfetto/draft.h"
#include "read/perfetto/gpu.h"

static pf_status add(pf_draft *d, uint64_t id, pf_flow_kind kind)
{
    return pf_trace_add_event_flow(d->im->t, id, kind, d->im->err);
}

/* The ids of a packed list. */
static pf_status add_packed(pf_draft *d, const pf_field *f, bool fixed, pf_flow_kind kind)
{
    const uint8_t *p = f->bytes, *end = p + f->len;
    pf_status st = PF_OK;
    uint64_t id;
    while (st == PF_OK && p < end) {
        if (fixed) {
            if (end - p < 8) {
                break;
            }
            id = pf_load64(p);
            p += 8;
        } else if (!(p = pf_varint(p, end, &id))) {
            break;
        }
        st = add(d, id, kind);
    }
    return st;
}

/* Adds the ids of one field, in either encoding; *any: there was one. */
static pf_status add_field(pf_draft *d, uint32_t number, bool fixed, pf_flow_kind kind, bool *any)
{
    pf_cursor c = pf_cursor_over(d->r->event, d->r->event_len);
    uint32_t single = fixed ? PF_TAG_FIXED64(number) : PF_TAG_VARINT(number);
    pf_field f;
    pf_status st = PF_OK;
    while (st == PF_OK && pf_cursor_next(&c, &f) == PF_NEXT_FIELD) {
        if (f.tag == single) {
            st = add(d, f.value, kind);
            *any = true;
        } else if (f.tag == PF_TAG_BYTES(number)) {
            st = add_packed(d, &f, fixed, kind);
            *any = true;
        }
    }
    return st;
}

static pf_status add_ids(pf_draft *d, uint32_t number, uint32_t old_number, pf_flow_kind kind)
{
    bool any = false;
    pf_status st = add_field(d, number, true, kind, &any);
    return st == PF_OK && !any ? add_field(d, old_number, false, kind, &any) : st;
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
    uint32_t key;
    if (!l->has_unscoped_id) {
        pf_draft_count(d, PF_STAT_FLOW_INVALID_ID);
        return PF_OK;
    }
    key = pf_strings_add(&d->im->keys, (const char *)&parts, sizeof parts, d->im->err);
    if (key == PF_NONE) {
        return d->im->err->code;
    }
    pf_flow_kind kind = d->row.phase == 's'    ? PF_FLOW_START
                        : d->row.phase == 't'  ? PF_FLOW_STEP
                        : l->bind_to_enclosing ? PF_FLOW_END
                                               : PF_FLOW_END_NEXT;
    return add(d, (uint64_t)d->im->moves.first_event << 32 | key, kind);
}

static pf_status add_gpu(pf_draft *d)
{
    pf_cursor c = pf_cursor_over(d->r->event, d->r->event_len);
    pf_field f;
    pf_status st = PF_OK;
    while (st == PF_OK && pf_cursor_next(&c, &f) == PF_NEXT_FIELD) {
        if (f.tag == PF_TAG_BYTES(PF_F_EVENT_GPU_CORRELATION)) {
            st = pf_gpu_correlate(d->im, &f);
        }
    }
    return st;
}

pf_status pf_arrows_add(pf_draft *d)
{
    pf_status st = PF_OK;
    switch (d->row.phase) {
    case 's':
    case 't':
    case 'f':
        return add_legacy_flow(d);
    case 'B':
    case 'E':
    case 'X':
    case 'i':
    case 'b':
    case 'e':
    case 'n':
    case 'S':
    case 'F':
        break;
    default:
        return PF_OK;
    }
    if (d->legacy->has_bind_id) {
        st = add_bind(d);
    }
    if (st != PF_OK || !(d->r->has & PF_HAS_FLOWS)) {
        return st;
    }
    st = add_ids(d, PF_F_EVENT_FLOW_IDS, PF_F_EVENT_FLOW_IDS_OLD, PF_FLOW_FLOW);
    if (st == PF_OK) {
        st = add_ids(d, PF_F_EVENT_TERMINATING_FLOW_IDS, PF_F_EVENT_TERMINATING_FLOW_IDS_OLD, PF_FLOW_TERMINATE);
    }
    return st == PF_OK ? add_gpu(d) : st;
}
