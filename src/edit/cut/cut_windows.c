/* edit/cut/cut_windows.c - which window a time belongs to, and the packets of the input that are written to one. */
#include "base/list.h"
#include "edit/cut/cutter.h"

uint32_t pf_cutter_find_window(const pf_cutter *c, int64_t ts)
{
    uint32_t low = 0, high = c->window_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (c->windows[middle].to > ts) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

void pf_cutter_cover(pf_cutter *c, int64_t ts)
{
    c->first = !c->any || ts < c->first ? ts : c->first;
    c->last = !c->any || ts > c->last ? ts : c->last;
    c->any = true;
}

pf_status pf_cutter_add_global(pf_cutter *c, const pf_field *packet, pf_error *err)
{
    PF_TRY(PF_LIST_ROOM(c->budget, c->snapshots, c->snapshot_count + 1, c->snapshot_room, err));
    pf_blob *blob = pf_blob_new(c->budget, packet);
    if (!blob) {
        return pf_budget_refused(c->budget, packet->len, err);
    }
    c->snapshots[c->snapshot_count++] = blob;
    return PF_OK;
}

pf_status pf_cutter_say_clocks(pf_cutter *c, pf_cut_window *w, pf_error *err)
{
    for (; w->snapshots < c->snapshot_count; w->snapshots++) {
        const pf_blob *b = c->snapshots[w->snapshots];
        w->out.kept++;
        w->out.general++;
        PF_TRY(pf_out_put(&w->out, b->bytes, b->len, err));
    }
    w->said.from = w->from > 0 ? (uint64_t)w->from : 0;
    w->said.clock = c->times.now.default_id ? c->times.now.trace_id : 0;
    return PF_OK;
}

bool pf_packet_passes_time(uint32_t data)
{
    enum { SYNC = 36 };
    return data && data != SYNC && data != PF_F_PACKET_SERVICE_EVENT && data != PF_F_PACKET_TRACE_UUID &&
           data != PF_F_PACKET_TRACE_ATTRIBUTES && data != PF_F_PACKET_CLOCK_SNAPSHOT;
}

/* What the packet's time becomes, where its clock counts from the packet before. False: what it was. */
static bool move_time(pf_cutter *c, pf_out *o, const pf_raw_packet *p, uint32_t sequence, uint64_t *time)
{
    const pf_sequence *q = pf_sequence_find(&c->in.state, sequence);
    uint32_t id = p->clock ? p->clock : q->clock_id;
    const pf_own_clock *k = p->has & PF_PACKET_TIMESTAMP ? pf_in_clock(&c->in, sequence, id) : NULL;
    if (!pf_packet_passes_time(p->data) || !k || !k->incremental) {
        return false;
    }
    int64_t *running = &o->list[sequence].running[k - c->in.list[sequence].clock];
    *time = (uint64_t)k->running - (uint64_t)*running;
    *running = k->running;
    return *time != p->timestamp;
}

void pf_cutter_put_fields(pf_out *o, pf_cursor c, const uint64_t *time, const pf_field *event)
{
    const uint8_t *from = c.at;
    pf_field f;
    for (; pf_cursor_next(&c, &f) == PF_NEXT_FIELD; from = c.at) {
        if (time && f.tag == PF_TAG_VARINT(PF_F_PACKET_TIMESTAMP)) {
            pf_writer_varint(&o->writer, PF_F_PACKET_TIMESTAMP, *time);
        } else if (event && (f.tag == PF_TAG_BYTES(PF_F_PACKET_TRACK_EVENT) ||
                             f.tag == PF_TAG_BYTES(PF_F_PACKET_FTRACE_EVENTS))) {
            pf_writer_bytes(&o->writer, f.tag >> 3, event->bytes, event->len);
        } else {
            pf_writer_raw(&o->writer, from, (size_t)(c.at - from));
        }
    }
}

/* The packet with another time and event. */
static pf_status write_changed(pf_out *o, const pf_raw_packet *p, const uint64_t *time, const pf_field *event,
                               pf_error *err)
{
    pf_out_begin(o, NULL);
    pf_cutter_put_fields(o, pf_cursor_over(p->bytes, p->len), time, event);
    o->changed++;
    return pf_out_end(o, err);
}

pf_status pf_cutter_prepare(pf_cutter *c, uint32_t window, const pf_raw_packet *p, uint32_t sequence, pf_error *err)
{
    pf_cut_window *w = &c->windows[window];
    PF_TRY(pf_cutter_say_clocks(c, w, err));
    if (sequence == PF_NONE) {
        return PF_OK;
    }
    if (p->sequence == PF_EDIT_SEQUENCE) {
        return pf_fail_at(err, PF_ERR_INPUT, p->offset,
                          "has packets of sequence %u, where descriptors of the output go; write it anew with "
                          "'postfetto convert' first",
                          PF_EDIT_SEQUENCE);
    }
    return pf_out_prepare(&w->out, &c->in, sequence, p, err);
}

pf_status pf_cutter_put(pf_cutter *c, uint32_t window, const pf_raw_packet *p, uint32_t sequence, const pf_field *event,
                        pf_error *err)
{
    pf_out *o = &c->windows[window].out;
    uint64_t time = 0;
    bool moved = sequence != PF_NONE && move_time(c, o, p, sequence, &time);
    o->kept++;
    return moved || event ? write_changed(o, p, moved ? &time : NULL, event, err)
                          : pf_out_put(o, p->whole, p->whole_len, err);
}

pf_status pf_values_step(pf_out *o, uint32_t sequence, const pf_edit_track *k, double value, double *step,
                         pf_error *err)
{
    double said;
    pf_sequence *q = pf_sequence_find(&o->state, sequence);
    bool ok = pf_sequence_add(&o->state, q, k->uuid, 0, &said);
    *step = value - said;
    return ok && pf_sequence_add(&o->state, q, k->uuid, *step, &said) ? PF_OK
                                                                      : pf_budget_refused(o->budget, 1u << 12, err);
}

/* What the selection says of a track by what is known now. */
static uint8_t choose(pf_cutter *c, const pf_edit_track *k)
{
    bool keeps = k->unnamed && k->has_thread ? pf_selection_takes_thread(&c->selection, k->pid, k->tid)
                                             : pf_selection_takes_track(&c->selection, k->uuid);
    return keeps ? PF_TRACK_KEPT : PF_TRACK_DROPPED;
}

bool pf_cutter_misjudged(pf_cutter *c)
{
    bool wrong = false;
    for (uint32_t i = 0; i < c->tracks.count && !c->surveyed && !wrong; i++) {
        const pf_edit_track *k = &c->tracks.list[i];
        wrong = k->choice && k->choice != choose(c, k);
    }
    return wrong;
}

bool pf_cutter_takes(pf_cutter *c, uint32_t track)
{
    pf_edit_track *k = &c->tracks.list[track];
    if (!c->selection.places || (!c->window_count && c->pairing != PF_PAIRING_LISTS)) {
        return true;
    }
    if (k->home != PF_NONE) {
        k = &c->tracks.list[k->home];
    }
    k->choice = k->choice ? k->choice : choose(c, k);
    return k->choice == PF_TRACK_KEPT;
}

bool pf_cutter_takes_categories(pf_cutter *c, const pf_field *event, const pf_epoch *epoch)
{
    pf_selection *s = &c->selection;
    c->names.len = 0;
    if (s->categories) {
        pf_event_categories(event, epoch, &c->names);
    }
    const pf_str categories = {c->names.data, c->names.len};
    return !s->categories || pf_filters_take_categories(s->o, categories, &s->scratch);
}
