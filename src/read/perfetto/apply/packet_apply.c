/* read/perfetto/apply/packet_apply.c - phase 2: rows to the trace, in file order (docs/reference/perfetto.md,
 * "Processing order of packets" and "Sequence state").
 *
 * Each packet passes the same gates: the machine it comes from, the changes to its sequence's state, data that needs no
 * state, whether it needs state that was lost, its time; then it is an event or something rare.
 *
 * What a compressed packet inflates to is decoded and applied like a window of its own. Such packets must not nest; one
 * that does is counted as damaged, so the recursion below is one level deep. A trace that has both kinds of them is
 * read, and counted, because Perfetto refuses it.
 */
#include "read/perfetto/apply/packet_apply.h"
#include "perfetto/fields.h"
#include "perfetto/inflate.h"
#include "read/perfetto/event/draft.h"
#include "read/perfetto/system/system.h"

#define TRAILING_MAX 2 /* bytes that may be left over at the end of a compressed packet */

/* What the envelope of a packet says about its sequence. */
typedef struct envelope {
    bool cleared, first; /* first: the first packet of its sequence */
    uint64_t dropped;
    uint32_t machine;
    pf_field defaults, interned;
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
        e->defaults = *f;
        break;
    case PF_TAG_BYTES(PF_F_PACKET_FINDINGS):
        e->findings = pf_field_text(f);
        break;
    case PF_TAG_BYTES(PF_F_PACKET_INTERNED_DATA):
        e->interned = *f;
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

static pf_status intern(pf_import *im, const pf_record *r, pf_sequence *q, const pf_field *data)
{
    uint64_t without_iid = 0;
    if (!q->valid) {
        pf_import_count(im, r, PF_STAT_INTERNED_SKIPPED);
        return PF_OK;
    }
    pf_status st = pf_sequence_intern(&im->sequences, q, data->bytes, data->len, &without_iid, im->err);
    for (; without_iid > 0; without_iid--) {
        pf_import_count(im, r, PF_STAT_INTERNED_ERRORS);
    }
    return st;
}

/* Clears or losses, then defaults, then interned data. */
static pf_status change_state(pf_import *im, const pf_record *r, pf_sequence *q, const envelope *e)
{
    if (!q) {
        if (e->cleared || e->dropped) {
            pf_import_count(im, r, e->cleared ? PF_STAT_CLEARED_NO_SEQUENCE : PF_STAT_DROPPED_NO_SEQUENCE);
        }
        if (e->defaults.tag) {
            pf_import_count(im, r, PF_STAT_DEFAULTS_NO_SEQUENCE);
        }
        if (e->interned.tag) {
            pf_import_count(im, r, PF_STAT_INTERNED_NO_SEQUENCE);
        }
        return PF_OK;
    }
    if (e->dropped && q->begun) { /* writers mark the first packet of a sequence too */
        pf_import_count(im, r, PF_STAT_SEQUENCE_LOSS);
    }
    if (e->cleared) {
        pf_sequence_clear(q);
    } else if (e->dropped) {
        pf_sequence_lose(q);
    }
    if (e->defaults.tag && !pf_sequence_set_defaults(&im->sequences, q, e->defaults.bytes, e->defaults.len)) {
        return pf_import_refuse(im, e->defaults.len);
    }
    if (e->defaults.tag) {
        pf_perf_defaults(im, r->sequence, &e->defaults);
    }
    return e->interned.tag ? intern(im, r, q, &e->interned) : PF_OK;
}

/* The machine that the first packet comes from is read first. */
static bool is_foreign(pf_import *im, uint32_t machine)
{
    if (!im->about.machine_known) {
        im->about.machine_known = true;
        im->about.machine = machine;
        im->input->machine_id = machine;
    }
    return machine != im->about.machine;
}

/* Decodes and applies the inflated bytes; *used: how many. */
static pf_status apply_inner(pf_import *im, pf_inflated *in, size_t *used)
{
    pf_rows_decoder decode = pf_rows_choose();
    pf_unpacked *u = &im->unpacked;
    pf_decoded d = {.stop = PF_STOP_FULL};
    u->rows = u->rows ? u->rows : pf_rows_new(&im->t->budget);
    PF_TRY(u->rows ? PF_OK : pf_import_refuse(im, sizeof *u->rows));
    pf_rows_renew(u->rows);
    while (d.stop == PF_STOP_FULL) {
        d = decode(in->data + *used, in->len - *used, in->len - *used, u->rows);
        *used += d.consumed;
        PF_TRY(pf_import_apply(im, u->rows));
    }
    in->whole = in->whole && d.stop == PF_STOP_PARTIAL && in->len - *used <= TRAILING_MAX;
    return PF_OK;
}

static pf_status apply_inflated(pf_import *im, const pf_record *r, pf_inflated *in)
{
    size_t used = 0;
    im->unpacked.bytes += in->len;
    im->unpacked.left_out.len = 0;
    PF_TRY(apply_inner(im, in, &used));
    return in->whole ? pf_import_left_out_inside(im, r, used) : PF_OK;
}

/* The packets inside a compressed_packets field. */
static pf_status apply_compressed(pf_import *im, const pf_record *r)
{
    const pf_span outer = im->span;
    uint64_t offset = pf_import_offset(im, r);
    pf_inflated in;
    if (im->span.fixed) {
        pf_import_count(im, r, PF_STAT_PROTO_PACKET_DAMAGED);
        return PF_OK;
    }
    if (im->unpacked.field && im->unpacked.field != r->data) {
        pf_import_count(im, r, PF_STAT_PROTO_MIXED);
    }
    im->unpacked.field = r->data;
    const pf_field content = pf_cursor_last(pf_cursor_over(r->packet, r->packet_len), PF_TAG_BYTES(r->data));
    pf_status st = pf_inflate_packets(&content, im->unpacked.bytes, &im->t->budget, &in, im->err);
    if (st == PF_OK) {
        im->span = (pf_span){.data = in.data, .offset = offset, .fixed = true};
        st = apply_inflated(im, r, &in);
        im->span = outer;
    }
    if (st == PF_OK && !in.whole) {
        pf_trace_count(im->t, PF_STAT_PROTO_PACKET_DAMAGED, offset);
    }
    pf_release(&im->t->budget, in.data, in.room);
    return st;
}

/* The data of a packet whose sequence is up to date. */
static pf_status apply_data(pf_import *im, const pf_record *r, pf_sequence *q)
{
    bool is_event = r->kind == PF_RECORD_EVENT;
    pf_moment at;
    bool compressed = r->data == PF_F_PACKET_COMPRESSED_PACKETS || r->data == PF_F_PACKET_ZSTD_COMPRESSED_PACKETS;
    if (!is_event && compressed) {
        return apply_compressed(im, r);
    }
    if (!is_event && pf_import_early(im, r)) {
        return im->err->code;
    }
    if (r->sequence_flags & PF_SEQ_NEEDS_STATE && !(q && q->valid)) {
        pf_import_count(im, r, PF_STAT_PACKET_SKIPPED_STATE);
        return PF_OK;
    }
    PF_TRY(pf_import_time(im, r, q, &at));
    if (at.when == PF_WHEN_KNOWN && at.ts > im->latest_ts) {
        im->latest_ts = at.ts;
    }
    uint32_t rows = im->t->events.count;
    PF_TRY(is_event ? pf_import_event(im, r, q, &at) : pf_import_packet(im, r, q, &at));
    bool noted = r->has & PF_HAS_ORIGIN && im->t->events.count > rows;
    return noted ? pf_import_origin(im, r) : PF_OK;
}

static pf_status apply_one(pf_import *im, const pf_record *r)
{
    pf_sequence *q = NULL;
    if (r->kind == PF_RECORD_DAMAGED) {
        pf_import_count(im, r, PF_STAT_PROTO_PACKET_DAMAGED);
        return PF_OK;
    }
    bool is_event = r->kind == PF_RECORD_EVENT, special = r->has & (PF_HAS_STATE | PF_HAS_MACHINE), left = false;
    uint32_t field = is_event ? PF_F_PACKET_TRACK_EVENT : r->data < PF_INVENTORY_OTHER ? r->data : PF_INVENTORY_OTHER;
    im->inventory.packets[field]++;
    im->inventory.bytes[field] += r->header + r->packet_len;
    const envelope e = special ? read_envelope(r) : (envelope){0};
    if (is_foreign(im, e.machine)) {
        return pf_import_put_aside(im, r, e.machine);
    }
    if (r->has & PF_HAS_SEQUENCE) {
        q = pf_sequence_find(&im->sequences, r->sequence);
        PF_TRY(q ? PF_OK : pf_import_refuse(im, sizeof *q));
    }
    if (im->o->without_findings && !im->machine.number) {
        PF_TRY(pf_import_leave_out(im, r, q, e.cleared || e.first, e.findings, &left));
        if (left) {
            return PF_OK;
        }
    }
    im->tracks.sequence = r->sequence;
    if (special) {
        PF_TRY(change_state(im, r, q, &e));
    }
    if (q) {
        im->input->max_sequence_id =
            r->sequence > im->input->max_sequence_id ? r->sequence : im->input->max_sequence_id;
        q->begun = true;
        q->has_first_packet = q->has_first_packet || e.first;
    }
    return apply_data(im, r, q);
}

pf_status pf_import_apply(pf_import *im, pf_rows *rows)
{
    pf_rows_at at = {0, 0};
    PF_TRY(pf_known_make(rows) ? PF_OK : pf_import_refuse(im, 1u << 17));
    if (rows->renewed) {
        pf_known_forget(im);
    }
    PF_TRY(pf_import_rows_fast(im, rows, &at));
    while (at.row < rows->count) {
        uint32_t what = rows->where[at.row].what;
        bool has_value = what & PF_ROW_HAS_VALUE;
        const pf_record r = pf_rows_record(rows, at.row, has_value ? rows->value[at.value] : 0);
        at.row++;
        at.value += has_value;
        PF_TRY(apply_one(im, &r));
        if (r.kind != PF_RECORD_EVENT || r.has & (PF_HAS_STATE | PF_HAS_MACHINE)) {
            pf_known_forget(im);
        }
        PF_TRY(pf_import_rows_fast(im, rows, &at));
    }
    return PF_OK;
}
