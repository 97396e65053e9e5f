/* edit/cut/cut_clips.c - what is open at the edges of a window: slices begin and end there, counters and states begin
 * with what was before.
 *
 * A begin is the original packet, on its own sequence and in the state of its time, with another time, without what
 * would count a second time (values of counters, clocks of its thread), and with the marks as further arguments. An end
 * is a packet that names the track, and no more.
 */
#include <stdlib.h>
#include <string.h>

#include "base/list.h"
#include "base/ordering.h"
#include "edit/cut/cut_source.h"
#include "edit/cut/cutter.h"

static void put_mark(pf_writer *w, const char *name, const int64_t *number)
{
    pf_writer_begin(w, PF_F_EVENT_DEBUG_ANNOTATIONS);
    pf_writer_bytes(w, PF_F_ANNOTATION_NAME, name, strlen(name));
    if (number) {
        pf_writer_varint(w, PF_F_ANNOTATION_INT, (uint64_t)*number);
    } else {
        pf_writer_varint(w, PF_F_ANNOTATION_BOOL, 1);
    }
    pf_writer_end(w);
}

void pf_cutter_begin_packet(pf_cutter *c, pf_out *o, uint32_t sequence, int64_t ts)
{
    const pf_epoch none = {.entries = NULL};
    bool alone = sequence == PF_NONE;
    uint32_t clock = pf_times_clock(&c->times, alone ? &none : o->list[sequence].epoch);
    pf_out_begin(o, alone ? NULL : &c->in.list[sequence]);
    pf_writer_varint(&o->writer, PF_F_PACKET_TIMESTAMP, (uint64_t)ts);
    if (clock) {
        pf_writer_varint(&o->writer, PF_F_PACKET_TIMESTAMP_CLOCK_ID, clock);
    }
    o->added++;
    o->placed++;
}

/* The fields of an event that count once only: times, clocks of the thread, extra values. */
static bool counts_once(uint32_t field)
{
    switch (field) {
    case PF_F_EVENT_TIMESTAMP_DELTA_US:
    case PF_F_EVENT_TIMESTAMP_ABSOLUTE_US:
    case PF_F_EVENT_THREAD_TIME_DELTA_US:
    case PF_F_EVENT_THREAD_TIME_ABSOLUTE_US:
    case PF_F_EVENT_THREAD_INSTRUCTION_COUNT_DELTA:
    case PF_F_EVENT_THREAD_INSTRUCTION_COUNT_ABSOLUTE:
    case PF_F_EVENT_EXTRA_COUNTER_VALUES:
    case PF_F_EVENT_EXTRA_COUNTER_TRACK_UUIDS:
    case PF_F_EVENT_EXTRA_DOUBLE_COUNTER_VALUES:
    case PF_F_EVENT_EXTRA_DOUBLE_COUNTER_TRACK_UUIDS:
        return true;
    default:
        return false;
    }
}

/* What becomes of a legacy event: with another phase, without a duration. The ends of flows keep their
 * own phase in front of the other one, which counts: so `merge` knows it. */
static void put_legacy(pf_writer *w, const pf_field *legacy, uint8_t phase)
{
    pf_cursor c = pf_field_cursor(legacy);
    const uint8_t *from = c.at;
    pf_field f;
    bool flow = phase == 's' || phase == PF_CUT_HELD_PHASE;
    pf_writer_begin(w, PF_F_EVENT_LEGACY_EVENT);
    for (; pf_cursor_next(&c, &f) == PF_NEXT_FIELD; from = c.at) {
        switch (pf_field_number(&f)) {
        case PF_F_LEGACY_PHASE:
            pf_writer_raw(w, from, flow ? (size_t)(c.at - from) : 0);
            break;
        case PF_F_LEGACY_DURATION_US:
        case PF_F_LEGACY_THREAD_DURATION_US:
        case PF_F_LEGACY_THREAD_INSTRUCTION_DELTA:
            break;
        default:
            pf_writer_raw(w, from, (size_t)(c.at - from));
            break;
        }
    }
    pf_writer_varint(w, PF_F_LEGACY_PHASE, phase);
    pf_writer_end(w);
}

pf_status pf_cutter_change_phase(pf_cutter *c, uint8_t phase, pf_field *event, pf_error *err)
{
    pf_cursor at = pf_field_cursor(event);
    const uint8_t *from = at.at;
    pf_field f;
    c->begun.len = 0;
    for (; pf_cursor_next(&at, &f) == PF_NEXT_FIELD; from = at.at) {
        if (f.tag == PF_TAG_BYTES(PF_F_EVENT_LEGACY_EVENT)) {
            put_legacy(&c->beginner, &f, phase);
        } else {
            pf_writer_raw(&c->beginner, from, (size_t)(at.at - from));
        }
    }
    *event = (pf_field){.tag = event->tag, .len = (uint32_t)c->begun.len, .bytes = (const uint8_t *)c->begun.data};
    return c->beginner.failed ? pf_no_memory(err) : PF_OK;
}

/* The fields of the event of a kept packet, but for its marks. A complete one becomes a begin. */
static void begin_event(pf_writer *w, const pf_kept_packet *k, const pf_field *event)
{
    pf_cursor c = pf_field_cursor(event);
    const uint8_t *from = c.at;
    pf_field f;
    for (; pf_cursor_next(&c, &f) == PF_NEXT_FIELD; from = c.at) {
        if (k->action == 'X' && f.tag == PF_TAG_BYTES(PF_F_EVENT_LEGACY_EVENT)) {
            put_legacy(w, &f, 'B');
        } else if (!counts_once(pf_field_number(&f))) {
            pf_writer_raw(w, from, (size_t)(c.at - from));
        }
    }
}

static pf_field event_of(const pf_kept_packet *k)
{
    return pf_cursor_last(pf_cursor_over(k->bytes, k->len), PF_TAG_BYTES(PF_F_PACKET_TRACK_EVENT));
}

/* The fields of the envelope that belong to the packet alone. */
static bool stays(const pf_field *f)
{
    return f->tag == PF_TAG_VARINT(PF_F_PACKET_TRUSTED_UID) || f->tag == PF_TAG_VARINT(PF_F_PACKET_TRUSTED_PID);
}

/* The same of the event that is being written, whose fields begin at that byte of the packet. */
static pf_status stop_flows(pf_cutter *c, pf_cut_window *w, pf_flow_use flow, size_t fields, pf_error *err)
{
    pf_buffer *out = &w->out.packet;
    return w->out.writer.failed ? pf_no_memory(err)
                                : pf_cutter_stop_flows(c, w, flow, false, out->data + fields, out->len - fields, err);
}

/* Brings the sequence of a kept packet in line with its time. */
static pf_status prepare(pf_cutter *c, pf_cut_window *w, uint32_t track, const pf_kept_packet *k, const pf_field *event,
                         pf_error *err)
{
    c->tracks.list[track].clipped = true;
    PF_TRY(pf_cutter_say_clocks(c, w, err));
    PF_TRY(pf_tracks_say(&c->tracks, &w->said, &w->out, k->home == PF_NONE ? track : k->home, err));
    PF_TRY(pf_out_align(&w->out, &c->in, k->sequence, k->epoch, err));
    return pf_out_say(&w->out, &c->in, k->sequence, PF_MSG_EVENT, event->bytes, event->len, err);
}

pf_status pf_cutter_write_begin(pf_cutter *c, uint32_t window, uint32_t track, const pf_kept_packet *k, pf_error *err)
{
    pf_cut_window *w = &c->windows[window];
    pf_out *o = &w->out;
    const pf_field event = event_of(k);
    pf_field f;
    uint64_t id;
    PF_TRY(prepare(c, w, track, k, &event, err));
    pf_cutter_begin_packet(c, o, k->sequence, w->from);
    for (pf_cursor at = pf_cursor_over(k->bytes, k->len); pf_cursor_next(&at, &f) == PF_NEXT_FIELD;) {
        if (stays(&f)) {
            pf_writer_varint(&o->writer, pf_field_number(&f), f.value);
        }
    }
    pf_writer_begin(&o->writer, PF_F_PACKET_TRACK_EVENT);
    const size_t fields = o->packet.len;
    begin_event(&o->writer, k, &event);
    put_mark(&o->writer, "cut.begins_before", NULL);
    put_mark(&o->writer, "cut.original_ts", &k->ts);
    w->begun++;
    if (!c->marks_later && pf_flows_run_out(&c->flows, k->flow, w->from, w->to, &id)) {
        PF_TRY(stop_flows(c, w, k->flow, fields, err));
        pf_cutter_mark_flow(&o->writer, &id);
    }
    uint64_t at = o->bytes;
    pf_writer_end(&o->writer);
    PF_TRY(pf_out_end(o, err));
    PF_TRY(k->flow ? pf_cutter_note_mark(c, w, k->flow, at, pf_out_made(o), false, err) : PF_OK);
    return k->action == 'X' && k->end <= w->to ? pf_cutter_write_end(c, window, track, k, k->end, err) : PF_OK;
}

/* Fields of a begin that say which track it is on, and in an operation which of them. */
static bool places(const pf_field *f, bool operation)
{
    switch (pf_field_number(f)) {
    case PF_F_EVENT_TRACK_UUID:
        return true;
    case PF_F_EVENT_NAME:
    case PF_F_EVENT_NAME_IID:
    case PF_F_EVENT_CATEGORIES:
    case PF_F_EVENT_CATEGORY_IIDS:
        return operation;
    default:
        return false;
    }
}

/* An end in the form of its begin, without a name unless it is needed. */
static void put_end(pf_writer *w, const pf_kept_packet *k, const pf_field *event)
{
    PF_CURSOR_FIELDS(f, pf_field_cursor(event), PF_AT_BYTES(PF_F_EVENT_LEGACY_EVENT));
    const pf_field *legacy = &f[PF_F_EVENT_LEGACY_EVENT];
    uint64_t phase = pf_cursor_last(pf_field_cursor(legacy), PF_TAG_VARINT(PF_F_LEGACY_PHASE)).value;
    pf_cursor c = pf_field_cursor(event);
    const uint8_t *from = c.at;
    pf_field at;
    for (; pf_cursor_next(&c, &at) == PF_NEXT_FIELD; from = c.at) {
        if (places(&at, k->action == 'A')) {
            pf_writer_raw(w, from, (size_t)(c.at - from));
        }
    }
    if (k->action == 'A') {
        put_legacy(w, legacy, phase == 'S' ? 'F' : 'e');
    } else if (phase) {
        pf_writer_begin(w, PF_F_EVENT_LEGACY_EVENT);
        pf_writer_varint(w, PF_F_LEGACY_PHASE, 'E');
        pf_writer_end(w);
    } else {
        pf_writer_varint(w, PF_F_EVENT_TYPE, PF_EVENT_SLICE_END);
    }
}

pf_status pf_cutter_write_end(pf_cutter *c, uint32_t window, uint32_t track, const pf_kept_packet *k, int64_t end,
                              pf_error *err)
{
    pf_cut_window *w = &c->windows[window];
    pf_out *o = &w->out;
    pf_edit_track *t = &c->tracks.list[track];
    const pf_field event = event_of(k);
    bool after = end > w->to;
    t->clipped = true;
    c->begun.len = 0;
    if (t->unnamed) { /* the state of the sequence says what its track is */
        put_end(&c->beginner, k, &event);
        const pf_field made = {.len = (uint32_t)c->begun.len, .bytes = (const uint8_t *)c->begun.data};
        PF_TRY(c->beginner.failed ? pf_no_memory(err) : prepare(c, w, track, k, &made, err));
    } else {
        pf_writer_varint(&c->beginner, PF_F_EVENT_TYPE, PF_EVENT_SLICE_END);
        pf_writer_varint(&c->beginner, PF_F_EVENT_TRACK_UUID, t->uuid);
    }
    pf_cutter_begin_packet(c, o, k->sequence, after ? w->to : end);
    pf_writer_begin(&o->writer, PF_F_PACKET_TRACK_EVENT);
    pf_writer_raw(&o->writer, c->begun.data, c->begun.len);
    if (after) {
        put_mark(&o->writer, "cut.ends_after", NULL);
        put_mark(&o->writer, "cut.original_end", &end);
        w->ended++;
    }
    pf_writer_end(&o->writer);
    return pf_out_end(o, err);
}

pf_status pf_cutter_move_end(pf_cutter *c, uint32_t window, uint32_t track, const pf_kept_packet *k,
                             const pf_field *event, int64_t end, pf_error *err)
{
    pf_cut_window *w = &c->windows[window];
    pf_out *o = &w->out;
    uint64_t id;
    pf_cursor at = pf_field_cursor(event);
    const uint8_t *from = at.at;
    pf_field f;
    PF_TRY(prepare(c, w, track, k, event, err));
    uint64_t start = o->bytes;
    pf_cutter_begin_packet(c, o, k->sequence, w->to);
    pf_writer_begin(&o->writer, PF_F_PACKET_TRACK_EVENT);
    const size_t fields = o->packet.len;
    for (; pf_cursor_next(&at, &f) == PF_NEXT_FIELD; from = at.at) {
        if (!counts_once(pf_field_number(&f))) {
            pf_writer_raw(&o->writer, from, (size_t)(at.at - from));
        }
    }
    if (end > w->to || !memmem(event->bytes, event->len, "cut.original_end", 16)) {
        put_mark(&o->writer, "cut.ends_after", NULL);
        put_mark(&o->writer, "cut.original_end", &end);
        w->ended++;
    }
    if (!c->marks_later && pf_flows_run_out(&c->flows, c->flow, w->from, w->to, &id)) {
        PF_TRY(stop_flows(c, w, c->flow, fields, err));
        pf_cutter_mark_flow(&o->writer, &id);
    } else if (c->legacy_mark) {
        pf_cutter_mark_flow(&o->writer, NULL);
    }
    pf_writer_end(&o->writer);
    PF_TRY(pf_out_end(o, err));
    PF_TRY(c->legacy_flow ? pf_cutter_note_legacy_mark(c, w, start, pf_out_made(o), false, err) : PF_OK);
    return c->flow ? pf_cutter_note_mark(c, w, c->flow, start, pf_out_made(o), false, err) : PF_OK;
}

pf_status pf_cutter_write_value(pf_cutter *c, uint32_t window, uint32_t track, const struct pf_last_value *v,
                                int64_t ts, pf_error *err)
{
    pf_cut_window *w = &c->windows[window];
    pf_out *o = &w->out;
    double value = v->value;
    PF_TRY(pf_cutter_say_clocks(c, w, err));
    PF_TRY(pf_tracks_say(&c->tracks, &w->said, o, track, err));
    PF_TRY(pf_out_align(o, &c->in, v->sequence, c->in.list[v->sequence].epoch, err));
    const pf_edit_track *t = &c->tracks.list[track];
    if (t->incremental) {
        PF_TRY(pf_values_step(o, v->sequence, t, value, &value, err));
    }
    pf_cutter_begin_packet(c, o, v->sequence, ts);
    pf_writer_begin(&o->writer, PF_F_PACKET_TRACK_EVENT);
    pf_writer_varint(&o->writer, PF_F_EVENT_TYPE, PF_EVENT_COUNTER);
    pf_writer_varint(&o->writer, PF_F_EVENT_TRACK_UUID, t->uuid);
    if (v->real) {
        pf_writer_double(&o->writer, PF_F_EVENT_DOUBLE_COUNTER_VALUE, value);
    } else {
        pf_writer_varint(&o->writer, PF_F_EVENT_COUNTER_VALUE, (uint64_t)(int64_t)value);
    }
    if (v->ts < ts) {
        put_mark(&o->writer, "cut.begins_before", NULL);
        put_mark(&o->writer, "cut.original_ts", &v->ts);
    }
    pf_writer_end(&o->writer);
    return pf_out_end(o, err);
}

pf_status pf_cutter_add_tail(pf_cutter *c, const pf_cut_tail *tail, pf_error *err)
{
    pf_status st = PF_LIST_ROOM(c->budget, c->tails, c->tail_count + 1, c->tail_room, err);
    if (st != PF_OK) {
        pf_kept_drop(&c->tracks, tail->packet);
        return st;
    }
    c->tails[c->tail_count++] = *tail;
    return PF_OK;
}

/* Of those that end with the window the innermost first. */
PF_ORDER(by_depth, pf_cut_tail, PF_UP(window), PF_UP(track), PF_DOWN(began), PF_DOWN(number));

pf_status pf_cutter_write_tails(pf_cutter *c, pf_error *err)
{
    pf_status st = PF_OK;
    if (c->tail_count) {
        qsort(c->tails, c->tail_count, sizeof *c->tails, by_depth);
    }
    c->legacy_mark = false;
    c->legacy_flow = 0;
    for (uint32_t i = 0; i < c->tail_count && st == PF_OK; i++) {
        const pf_cut_tail *t = &c->tails[i];
        const pf_field event = event_of(t->packet);
        c->flow = t->packet->flow;
        st = t->packet->action == 'E' ? pf_cutter_move_end(c, t->window, t->track, t->packet, &event, t->end, err)
                                      : pf_cutter_write_end(c, t->window, t->track, t->packet, t->end, err);
    }
    return st;
}

void pf_cutter_drop_tails(pf_cutter *c)
{
    while (c->tail_count) {
        pf_kept_drop(&c->tracks, c->tails[--c->tail_count].packet);
    }
}

static int by_time(const void *a, const void *b)
{
    const pf_kept_packet *x = ((const struct pf_open_slice *)a)->slice, *y = ((const struct pf_open_slice *)b)->slice;
    int order = PF_COMPARE(x->ts, y->ts);
    return order ? order : PF_COMPARE(x->number, y->number);
}

/* Adds the open slices of a track, outermost first, to those listed. */
static pf_status list_open(pf_cutter *c, uint32_t track, uint32_t *count, pf_error *err)
{
    uint32_t n = *count;
    for (pf_kept_packet *s = c->tracks.list[track].top; s; s = s->below) {
        n++;
    }
    PF_TRY(PF_LIST_ROOM(c->budget, c->chain, n, c->chain_room, err));
    *count = n;
    for (pf_kept_packet *s = c->tracks.list[track].top; s; s = s->below) {
        c->chain[--n] = (struct pf_open_slice){.slice = s, .track = track};
    }
    if (c->tracks.list[track].pairing == PF_PAIRING_KNOWN && *count > n) {
        qsort(c->chain + n, *count - n, sizeof *c->chain, by_time);
    }
    return PF_OK;
}

static pf_status begin_slices(pf_cutter *c, uint32_t window, uint32_t open, pf_error *err)
{
    int64_t from = c->windows[window].from;
    for (uint32_t i = 0; i < open; i++) {
        const pf_kept_packet *s = c->chain[i].slice;
        if (s->ts < from && !s->left_out && s->end > from) {
            PF_TRY(pf_cutter_write_begin(c, window, c->chain[i].track, s, err));
        }
    }
    return PF_OK;
}

/* What has begun on the track, but for its slices. */
static pf_status begin_values(pf_cutter *c, uint32_t window, uint32_t track, pf_error *err)
{
    int64_t from = c->windows[window].from;
    const pf_kept_packet *state = c->tracks.list[track].last;
    if (state && state->ts < from) {
        PF_TRY(pf_cutter_write_begin(c, window, track, state, err));
    }
    const struct pf_last_value last = c->tracks.list[track].value;
    bool known = c->tracks.list[track].pairing == PF_PAIRING_AS_THEY_COME; /* else at the end of the input */
    if (last.any && last.ts < from && known && pf_cutter_takes(c, track)) {
        PF_TRY(pf_cutter_write_value(c, window, track, &last, from, err));
    }
    c->tracks.list[track].begun = last.any ? last.ts : INT64_MIN;
    c->tracks.list[track].window = window + 1;
    c->tracks.list[track].zone = (struct pf_zone){0, 0, 0, PF_NONE};
    return PF_OK;
}

/* Whether a slice that is open on the track has a flow, and begins in its turn for that. */
static bool has_flow(const pf_edit_track *t)
{
    const pf_kept_packet *s = t->top;
    while (s && !s->flow) {
        s = s->below;
    }
    return s && t->pairing != PF_PAIRING_KNOWN;
}

/* A slice that is to begin in its turn is copied, since it may end before. */
static pf_status let_wait(pf_cutter *c, uint32_t window, uint32_t track, const pf_kept_packet *s, pf_error *err)
{
    const pf_bytes content = {s->bytes, s->len};
    PF_TRY(PF_LIST_ROOM(c->budget, c->waiting, c->waiting_count + 1, c->waiting_room, err));
    pf_kept_packet *k = pf_kept_new(&c->tracks, s->number, content, !s->own_len, s->sequence, s->epoch, s->ts);
    if (!k) {
        return pf_budget_refused(c->budget, sizeof *k + content.len, err);
    }
    k->end = s->end;
    k->flow = s->flow;
    k->home = s->home;
    k->action = s->action;
    k->left_out = s->left_out;
    c->waiting[c->waiting_count++] = (struct pf_open_slice){k, track, window};
    return PF_OK;
}

bool pf_cutter_waits(const pf_cutter *c, uint32_t window, uint32_t track)
{
    bool waits = false;
    for (uint32_t i = 0; i < c->waiting_count && !waits; i++) {
        waits = c->waiting[i].window == window && c->waiting[i].track == track;
    }
    return waits;
}

pf_status pf_cutter_begin_slice(pf_cutter *c, uint32_t window, uint32_t track, const pf_kept_packet *s, pf_error *err)
{
    bool known = c->tracks.list[track].pairing == PF_PAIRING_KNOWN;
    bool waits = pf_cutter_waits(c, window, track) || (known && c->packets <= *pf_cutter_complete(c, window));
    return waits ? let_wait(c, window, track, s, err) : pf_cutter_write_begin(c, window, track, s, err);
}

/* The window begins on a track whose slices have to wait. */
static pf_status wait_on_track(pf_cutter *c, uint32_t window, uint32_t track, pf_error *err)
{
    uint32_t open = 0;
    PF_TRY(list_open(c, track, &open, err));
    for (uint32_t i = 0; i < open; i++) {
        PF_TRY(let_wait(c, window, track, c->chain[i].slice, err));
    }
    return begin_values(c, window, track, err);
}

uint64_t *pf_cutter_complete(pf_cutter *c, uint32_t window)
{
    if (!c->completes) {
        c->completes = true;
        memset(c->complete, 0, sizeof c->complete);
        for (uint32_t i = 0; i < c->pairs.count; i++) {
            const pf_paired *e = &c->pairs.list[i];
            bool begins = e->action != 'E' && !e->left_out;
            for (uint32_t w = pf_cutter_window(c, e->ts); begins && w < c->window_count && c->windows[w].from < e->end;
                 w++) {
                c->complete[w] = e->ts < c->windows[w].from ? e->number + 1 : c->complete[w];
            }
        }
    }
    return &c->complete[window];
}

/* Whether a slice that waits for that window is to begin now. */
static bool is_due(pf_cutter *c, uint32_t window, const struct pf_open_slice *s)
{
    bool paired = c->tracks.list[s->track].pairing == PF_PAIRING_KNOWN;
    return s->window == window && (!paired || s->track == c->urgent || c->packets >= *pf_cutter_complete(c, window));
}

/* Adds the slices of a window that waited to those listed. */
static pf_status list_waiting(pf_cutter *c, uint32_t window, uint32_t *count, pf_error *err)
{
    PF_TRY(PF_LIST_ROOM(c->budget, c->chain, *count + c->waiting_count, c->chain_room, err));
    for (uint32_t i = 0; i < c->waiting_count; i++) {
        if (is_due(c, window, &c->waiting[i])) {
            c->chain[(*count)++] = c->waiting[i];
        }
    }
    return PF_OK;
}

static void drop_waiting(pf_cutter *c, uint32_t window)
{
    uint32_t rest = 0;
    for (uint32_t i = 0; i < c->waiting_count; i++) {
        if (is_due(c, window, &c->waiting[i])) {
            pf_kept_drop(&c->tracks, c->waiting[i].slice);
        } else {
            c->waiting[rest++] = c->waiting[i];
        }
    }
    c->waiting_count = rest;
}

/* Flows run in the order of time, at equal times in that of the file: where one runs between slices that are open at
 * the start of a window, that begins on all tracks with flows at once, in the order in which the slices began, and not
 * before the last of these came: until then others wait. Nothing else is at the window's start but what would be in
 * them, so where that comes they begin. */
static pf_status begin_everywhere(pf_cutter *c, uint32_t window, pf_error *err)
{
    uint32_t open = 0, tracks = c->ordered[window] ? c->tracks.count : 0;
    c->ordered[window] = c->packets < c->ordered[window] ? c->ordered[window] : 0;
    PF_TRY(list_waiting(c, window, &open, err));
    for (uint32_t i = 0; i < tracks; i++) {
        const pf_edit_track *t = &c->tracks.list[i];
        PF_TRY(t->window == window && has_flow(t) ? list_open(c, i, &open, err) : PF_OK);
    }
    if (open) {
        qsort(c->chain, open, sizeof *c->chain, by_time);
    }
    PF_TRY(begin_slices(c, window, open, err));
    drop_waiting(c, window);
    for (uint32_t i = 0; i < tracks; i++) {
        const pf_edit_track *t = &c->tracks.list[i];
        PF_TRY(t->window == window && has_flow(t) ? begin_values(c, window, i, err) : PF_OK);
    }
    return PF_OK;
}

/* A first pass takes the order for what is known of it when the first track begins the window; as files are nearly in
 * the order of time it is right mostly. Later ones know it. */
static void foresee_order(pf_cutter *c, uint32_t window)
{
    if (window < c->acted_count) {
        return;
    }
    c->acted_count = window + 1;
    for (uint32_t i = 0; i < c->tracks.count && c->flows.count; i++) {
        for (const pf_kept_packet *s = c->tracks.list[i].top; s; s = s->below) {
            uint64_t known = pf_flows_order(&c->flows, s->flow, c->windows[window].from, c->windows[window].to);
            c->ordered[window] = known > c->ordered[window] ? known : c->ordered[window];
        }
    }
    c->acted[window] = c->ordered[window];
}

pf_status pf_cutter_begin_more_windows(pf_cutter *c, uint32_t track, uint32_t upto, pf_error *err)
{
    pf_status st = PF_OK;
    while (st == PF_OK && c->tracks.list[track].window < upto) {
        uint32_t window = c->tracks.list[track].window, open = 0;
        foresee_order(c, window);
        if (c->tracks.list[track].pairing == PF_PAIRING_KNOWN && c->packets < *pf_cutter_complete(c, window)) {
            st = wait_on_track(c, window, track, err);
            continue;
        }
        if (c->ordered[window] && (c->packets >= c->ordered[window] || has_flow(&c->tracks.list[track]))) {
            bool known = c->packets >= c->ordered[window];
            st = known ? begin_everywhere(c, window, err) : wait_on_track(c, window, track, err);
            continue;
        }
        st = list_open(c, track, &open, err);
        st = st == PF_OK ? begin_slices(c, window, open, err) : st;
        st = st == PF_OK ? begin_values(c, window, track, err) : st;
    }
    return st;
}

pf_status pf_cutter_begin_waiting(pf_cutter *c, uint32_t window, pf_error *err)
{
    return c->waiting_count ? begin_everywhere(c, window, err) : PF_OK;
}
