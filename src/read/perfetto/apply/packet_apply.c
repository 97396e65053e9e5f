/* read/perfetto/apply/packet_apply.c - phase 2: rows to the trace, in file order (docs/reference/perfetto.md,
 * "Processing order of packets" and "Sequence state").
 *
 * Each packet passes the same gates: the machine it comes from, the changes to its sequence's state, data that needs no
 * state, whether it needs state that was lost, its time; then it is an event or something rare.
 */
#include "read/perfetto/apply/packet_apply.h"
#include "perfetto/fields.h"
#include "read/perfetto/apply/own_findings.h"
#include "read/perfetto/apply/packet_kinds.h"
#include "read/perfetto/event/packet_event.h"
#include "read/perfetto/import/conversion_notes.h"
#include "read/perfetto/import/packet_times.h"

/* What the envelope of a packet says about its sequence. */
typedef struct envelope {
    bool cleared, first; /* first: the first packet of its sequence */
    uint64_t dropped;
    uint32_t machine;
    const uint8_t *defaults, *interned;
    size_t defaults_len, interned_len;
    pf_str findings; /* the mark of model/trace/findings_mark.h */
} envelope;

static void read_envelope_field(envelope *e, const pf_field *f)
{
    switch (f->tag) {
    case PF_TAG_VARINT(PF_F_PACKET_STATE_CLEARED):
        e->cleared = e->cleared || f->value;
        break;
    case PF_TAG_VARINT(PF_F_PACKET_PREVIOUS_DROPPED):
        e->dropped = f->value;
        break;
    case PF_TAG_VARINT(PF_F_PACKET_FIRST_ON_SEQUENCE):
        e->first = f->value;
        break;
    case PF_TAG_VARINT(PF_F_PACKET_MACHINE_ID):
        e->machine = (uint32_t)f->value;
        break;
    case PF_TAG_BYTES(PF_F_PACKET_DEFAULTS):
        e->defaults = f->bytes;
        e->defaults_len = f->len;
        break;
    case PF_TAG_BYTES(PF_F_PACKET_FINDINGS):
        e->findings = pf_field_text(f);
        break;
    case PF_TAG_BYTES(PF_F_PACKET_INTERNED_DATA):
        e->interned = f->bytes;
        e->interned_len = f->len;
        break;
    default:
        break;
    }
}

static envelope read_envelope(const pf_record *r)
{
    envelope e = {.cleared = r->sequence_flags & PF_SEQ_STATE_CLEARED};
    pf_cursor c = pf_cursor_over(r->packet, r->packet_len);
    pf_field f;
    while (pf_cursor_next(&c, &f) == PF_NEXT_FIELD) {
        read_envelope_field(&e, &f);
    }
    return e;
}

static void count(pf_import *im, pf_stat_id id, const pf_record *r)
{
    pf_trace_count(im->t, id, pf_import_offset(im, r));
}

static pf_status intern(pf_import *im, const pf_record *r, pf_sequence *q, const envelope *e)
{
    uint64_t without_iid = 0;
    if (!q) {
        count(im, PF_STAT_INTERNED_NO_SEQUENCE, r);
        return PF_OK;
    }
    if (!q->valid) {
        count(im, PF_STAT_INTERNED_SKIPPED, r);
        return PF_OK;
    }
    pf_status st = pf_sequence_intern(&im->sequences, q, e->interned, e->interned_len, &without_iid, im->err);
    for (; without_iid > 0; without_iid--) {
        count(im, PF_STAT_INTERNED_ERRORS, r);
    }
    return st;
}

/* Clears or losses, then defaults, then interned data. */
static pf_status change_state(pf_import *im, const pf_record *r, pf_sequence *q, const envelope *e)
{
    if (e->dropped && q && q->begun) { /* writers mark the first packet of a sequence too */
        count(im, PF_STAT_SEQUENCE_LOSS, r);
    }
    if (e->cleared) {
        if (q) {
            pf_sequence_clear(q);
        } else {
            count(im, PF_STAT_CLEARED_NO_SEQUENCE, r);
        }
    } else if (e->dropped) {
        if (q) {
            pf_sequence_lose(q);
        } else {
            count(im, PF_STAT_DROPPED_NO_SEQUENCE, r);
        }
    }
    if (e->defaults) {
        if (!q) {
            count(im, PF_STAT_DEFAULTS_NO_SEQUENCE, r);
        } else if (!pf_sequence_set_defaults(&im->sequences, q, e->defaults, e->defaults_len)) {
            return pf_budget_refused(&im->t->budget, e->defaults_len, im->err);
        }
    }
    return e->interned ? intern(im, r, q, e) : PF_OK;
}

/* Only one machine is read: the one that the first packet comes from. */
static bool is_foreign(pf_import *im, uint32_t machine)
{
    if (!im->about.machine_known) {
        im->about.machine_known = true;
        im->about.machine = machine;
        im->input->machine_id = machine;
    }
    return machine != im->about.machine;
}

static pf_status apply_one(pf_import *im, const pf_record *r)
{
    pf_sequence *q = NULL;
    pf_status st = PF_OK;
    if (r->kind == PF_RECORD_DAMAGED) {
        count(im, PF_STAT_PROTO_PACKET_DAMAGED, r);
        return PF_OK;
    }
    bool is_event = r->kind == PF_RECORD_EVENT;
    uint32_t field = is_event ? PF_F_PACKET_TRACK_EVENT : r->data < PF_INVENTORY_OTHER ? r->data : PF_INVENTORY_OTHER;
    im->inventory.packets[field]++;
    im->inventory.bytes[field] += r->header + r->packet_len;
    bool special = r->has & (PF_HAS_STATE | PF_HAS_MACHINE);
    const envelope e = special ? read_envelope(r) : (envelope){0};
    if (is_foreign(im, e.machine)) {
        count(im, PF_STAT_OTHER_MACHINE, r);
        return PF_OK;
    }
    if (r->has & PF_HAS_SEQUENCE) {
        q = pf_sequence_find(&im->sequences, r->sequence);
        if (!q) {
            return pf_budget_refused(&im->t->budget, sizeof *q, im->err);
        }
    }
    if (im->o->without_findings) {
        bool left = false;
        bool begins = e.cleared || e.first;
        st = pf_import_leave_out(im, r, q, begins, e.findings, &left);
        if (st != PF_OK || left) {
            return st;
        }
    }
    if (q) {
        im->input->max_sequence_id =
            r->sequence > im->input->max_sequence_id ? r->sequence : im->input->max_sequence_id;
    }
    im->tracks.sequence = r->sequence;
    if (special) {
        st = change_state(im, r, q, &e);
    }
    if (q) {
        q->begun = true;
        q->has_first_packet = q->has_first_packet || e.first;
    }
    bool done = false;
    if (st == PF_OK && !is_event) {
        st = pf_import_early(im, r, &done);
    }
    if (st != PF_OK || done) {
        return st;
    }
    if (r->sequence_flags & PF_SEQ_NEEDS_STATE && !(q && q->valid)) {
        count(im, PF_STAT_PACKET_SKIPPED_STATE, r);
        return PF_OK;
    }
    pf_moment at;
    st = pf_import_time(im, r, q, &at);
    if (st != PF_OK) {
        return st;
    }
    if (at.when == PF_WHEN_KNOWN && at.ts > im->latest_ts) {
        im->latest_ts = at.ts;
    }
    uint32_t rows = im->t->events.count;
    st = is_event ? pf_import_event(im, r, q, &at) : pf_import_packet(im, r, q, &at);
    bool noted = r->has & PF_HAS_ORIGIN && im->t->events.count > rows;
    return st == PF_OK && noted ? pf_import_origin(im, r) : st;
}

pf_status pf_import_apply(pf_import *im, pf_rows *rows)
{
    pf_rows_at at = {0, 0, 0};
    if (!pf_known_make(rows)) {
        return pf_budget_refused(&im->t->budget, 1u << 17, im->err);
    }
    if (rows->renewed) {
        pf_known_forget(im);
    }
    pf_status st = pf_import_rows_fast(im, rows, &at);
    while (st == PF_OK && at.row < rows->count) {
        uint32_t what = rows->where[at.row].what;
        bool has_value = what & PF_ROW_HAS_VALUE;
        const pf_record r = pf_rows_record(rows, at.row, has_value ? rows->value[at.value] : 0);
        at.row++;
        at.value += has_value;
        at.record += !(what & PF_ROW_TYPE);
        st = apply_one(im, &r);
        if (r.kind != PF_RECORD_EVENT || r.has & (PF_HAS_STATE | PF_HAS_MACHINE)) {
            pf_known_forget(im);
        }
        st = st == PF_OK ? pf_import_rows_fast(im, rows, &at) : st;
    }
    return st;
}
