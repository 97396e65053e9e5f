/* read/perfetto/event/flow_ids.c - the flow ids that a TrackEvent carries (docs/reference/perfetto.md, "Flows" and "GPU
 * work").
 *
 * Ids are only noted here, in the order in which they count: bind_id of a legacy event, flow ids, terminating ones, GPU
 * work. What they connect is found when the slices are built, in time order. Flow ids exist in an old form (varint) and
 * a new one (fixed64); where an event has both, the new one counts alone.
 */
#include "read/perfetto/event/draft.h"
#include "read/perfetto/gpu/packet_gpu.h"
#include "read/perfetto/import/conversion_notes.h"

static pf_status add(pf_draft *d, uint64_t id, pf_flow_kind kind)
{
    return pf_trace_add_event_flow(d->im->t, id, kind, d->im->err);
}

/* The ids of a packed list. */
static pf_status add_packed(pf_import *im, uint32_t event, const pf_field *f, bool fixed, pf_flow_kind kind)
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
        st = pf_trace_add_flow_of(im->t, event, id, kind, im->err);
    }
    return st;
}

/* Which fields with ids an event has. */
enum { HAS_NEW = 1, HAS_OLD = 2, HAS_NEW_END = 4, HAS_OLD_END = 8, HAS_GPU = 16 };

static unsigned field_of(uint32_t tag)
{
    switch (tag) {
    case PF_TAG_FIXED64(PF_F_EVENT_FLOW_IDS):
    case PF_TAG_BYTES(PF_F_EVENT_FLOW_IDS):
        return HAS_NEW;
    case PF_TAG_VARINT(PF_F_EVENT_FLOW_IDS_OLD):
    case PF_TAG_BYTES(PF_F_EVENT_FLOW_IDS_OLD):
        return HAS_OLD;
    case PF_TAG_FIXED64(PF_F_EVENT_TERMINATING_FLOW_IDS):
    case PF_TAG_BYTES(PF_F_EVENT_TERMINATING_FLOW_IDS):
        return HAS_NEW_END;
    case PF_TAG_VARINT(PF_F_EVENT_TERMINATING_FLOW_IDS_OLD):
    case PF_TAG_BYTES(PF_F_EVENT_TERMINATING_FLOW_IDS_OLD):
        return HAS_OLD_END;
    case PF_TAG_BYTES(PF_F_EVENT_GPU_CORRELATION):
        return HAS_GPU;
    default:
        return 0;
    }
}

/* Adds the ids of the fields in the mask `take`; returns which fields there are in *found. */
static pf_status add_fields(pf_import *im, uint32_t event, const pf_record *r, unsigned take, unsigned *found)
{
    pf_cursor c = pf_cursor_over(r->event, r->event_len);
    pf_field f;
    pf_status st = PF_OK;
    while (st == PF_OK && pf_cursor_next(&c, &f) == PF_NEXT_FIELD) {
        unsigned field = field_of(f.tag);
        *found |= field;
        if (field & take) {
            pf_flow_kind kind = field & (HAS_NEW | HAS_OLD) ? PF_FLOW_FLOW : PF_FLOW_TERMINATE;
            st = field == HAS_GPU                     ? pf_gpu_correlate(im, event, &f)
                 : pf_field_wire(&f) == PF_WIRE_BYTES ? add_packed(im, event, &f, field & (HAS_NEW | HAS_NEW_END), kind)
                                                      : pf_trace_add_flow_of(im->t, event, f.value, kind, im->err);
        }
    }
    return st;
}

pf_status pf_arrows_add_ids(pf_import *im, uint32_t event, const pf_record *r)
{
    unsigned found = 0;
    pf_status st = add_fields(im, event, r, HAS_NEW, &found);
    unsigned starts = found & HAS_NEW ? 0 : found & HAS_OLD;
    unsigned ends = found & HAS_NEW_END ? HAS_NEW_END : found & HAS_OLD_END;
    if (st == PF_OK && starts) {
        st = add_fields(im, event, r, starts, &found);
    }
    if (st == PF_OK && ends) {
        st = add_fields(im, event, r, ends, &found);
    }
    return st == PF_OK && found & HAS_GPU ? add_fields(im, event, r, HAS_GPU, &found) : st;
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
    key = pf_strings_add(&d->im->legacy.keys, (const char *)&parts, sizeof parts, d->im->err);
    if (key == PF_NONE) {
        return d->im->err->code;
    }
    pf_flow_kind kind = d->row.phase == 's'    ? PF_FLOW_START
                        : d->row.phase == 't'  ? PF_FLOW_STEP
                        : l->bind_to_enclosing ? PF_FLOW_END
                                               : PF_FLOW_END_NEXT;
    pf_status st = add(d, (uint64_t)d->im->moves.first_event << 32 | key, kind);
    bool noted = d->r->has & PF_HAS_ORIGIN;
    return st == PF_OK && !noted ? pf_import_flow_id(d->im, l->unscoped_id) : st;
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
    return pf_arrows_add_ids(d->im, d->im->t->events.count - 1, d->r);
}
