/* edit/cut/cut_clips.c - what is open at the edges of a window: slices begin and end there, counters and states begin
 * with what was before.
 *
 * A begin is the original packet, on its own sequence and in the state of its time, with another time, without what
 * would count a second time (values of counters, clocks of its thread), and with the marks as further arguments. An end
 * is a packet that names the track, and no more.
 */
#include <string.h>

#include "base/list.h"
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

/* Begins a packet of our own at a time of the trace. */
static void begin_packet(pf_cutter *c, pf_out *o, uint32_t sequence, int64_t ts)
{
    const pf_epoch *epoch = o->list[sequence].epoch;
    uint32_t clock = pf_times_clock(&c->times, epoch);
    pf_out_begin(o, &c->in.list[sequence]);
    pf_writer_varint(&o->writer, PF_F_PACKET_TIMESTAMP, (uint64_t)ts);
    if (clock) {
        pf_writer_varint(&o->writer, PF_F_PACKET_TIMESTAMP_CLOCK_ID, clock);
    }
    o->added++;
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

/* The event of a packet into the open packet. */
static void put_event(pf_writer *w, const pf_field *event, int64_t original)
{
    pf_cursor c = pf_field_cursor(event);
    const uint8_t *from = c.at;
    pf_field f;
    pf_writer_begin(w, PF_F_PACKET_TRACK_EVENT);
    for (; pf_cursor_next(&c, &f) == PF_NEXT_FIELD; from = c.at) {
        if (!counts_once(pf_field_number(&f))) {
            pf_writer_raw(w, from, (size_t)(c.at - from));
        }
    }
    put_mark(w, "cut.begins_before", NULL);
    put_mark(w, "cut.original_ts", &original);
    pf_writer_end(w);
}

/* The fields of the envelope that belong to the packet alone. */
static bool stays(const pf_field *f)
{
    return f->tag == PF_TAG_VARINT(PF_F_PACKET_TRUSTED_UID) || f->tag == PF_TAG_VARINT(PF_F_PACKET_TRUSTED_PID);
}

pf_status pf_cutter_write_begin(pf_cutter *c, uint32_t window, uint32_t track, const pf_kept_packet *k, pf_error *err)
{
    pf_cut_window *w = &c->windows[window];
    pf_out *o = &w->out;
    const pf_cursor packet = pf_cursor_over(k->bytes, k->len);
    const pf_field event = pf_cursor_last(packet, PF_TAG_BYTES(PF_F_PACKET_TRACK_EVENT));
    pf_field f;
    PF_TRY(pf_cutter_say_clocks(c, w, err));
    if (!c->tracks.list[track].unnamed) {
        PF_TRY(pf_tracks_say(&c->tracks, &w->said, o, track, err));
    }
    PF_TRY(pf_out_align(o, &c->in, k->sequence, k->epoch, err));
    PF_TRY(pf_out_say(o, &c->in, k->sequence, PF_MSG_EVENT, event.bytes, event.len, err));
    begin_packet(c, o, k->sequence, w->from);
    for (pf_cursor at = packet; pf_cursor_next(&at, &f) == PF_NEXT_FIELD;) {
        if (stays(&f)) {
            pf_writer_varint(&o->writer, pf_field_number(&f), f.value);
        }
    }
    put_event(&o->writer, &event, k->ts);
    w->begun++;
    return pf_out_end(o, err);
}

pf_status pf_cutter_write_end(pf_cutter *c, uint32_t window, uint32_t track, const pf_kept_packet *k, int64_t end,
                              pf_error *err)
{
    pf_cut_window *w = &c->windows[window];
    pf_out *o = &w->out;
    const pf_edit_track *t = &c->tracks.list[track];
    if (t->unnamed) { /* the thread of the sequence is its track */
        PF_TRY(pf_out_align(o, &c->in, k->sequence, k->epoch, err));
    }
    begin_packet(c, o, k->sequence, w->to);
    pf_writer_begin(&o->writer, PF_F_PACKET_TRACK_EVENT);
    pf_writer_varint(&o->writer, PF_F_EVENT_TYPE, PF_EVENT_SLICE_END);
    if (!t->unnamed) {
        pf_writer_varint(&o->writer, PF_F_EVENT_TRACK_UUID, t->uuid);
    }
    put_mark(&o->writer, "cut.ends_after", NULL);
    put_mark(&o->writer, "cut.original_end", &end);
    pf_writer_end(&o->writer);
    w->ended++;
    return pf_out_end(o, err);
}

/* The value that a counter had when a window begins. */
static pf_status write_value(pf_cutter *c, uint32_t window, uint32_t track, pf_error *err)
{
    pf_cut_window *w = &c->windows[window];
    pf_out *o = &w->out;
    const pf_edit_track *t = &c->tracks.list[track];
    const struct pf_last_value *last = &t->value;
    double value = last->value;
    PF_TRY(pf_cutter_say_clocks(c, w, err));
    PF_TRY(pf_tracks_say(&c->tracks, &w->said, o, track, err));
    t = &c->tracks.list[track];
    PF_TRY(pf_out_align(o, &c->in, last->sequence, c->in.list[last->sequence].epoch, err));
    if (t->incremental) {
        PF_TRY(pf_values_step(o, last->sequence, t, value, &value, err));
    }
    begin_packet(c, o, last->sequence, w->from);
    pf_writer_begin(&o->writer, PF_F_PACKET_TRACK_EVENT);
    pf_writer_varint(&o->writer, PF_F_EVENT_TYPE, PF_EVENT_COUNTER);
    pf_writer_varint(&o->writer, PF_F_EVENT_TRACK_UUID, t->uuid);
    if (last->real) {
        pf_writer_double(&o->writer, PF_F_EVENT_DOUBLE_COUNTER_VALUE, value);
    } else {
        pf_writer_varint(&o->writer, PF_F_EVENT_COUNTER_VALUE, (uint64_t)(int64_t)value);
    }
    put_mark(&o->writer, "cut.begins_before", NULL);
    put_mark(&o->writer, "cut.original_ts", &last->ts);
    pf_writer_end(&o->writer);
    return pf_out_end(o, err);
}

/* Whether a slice that is open as far as the file says was over when a window begins. */
static bool is_over(const pf_cutter *c, const pf_kept_packet *s, int64_t from)
{
    uint32_t late = c->late_count ? pf_map_get(&c->late_by_number, s->number) : PF_NONE;
    return late != PF_NONE && c->late[late].end <= from;
}

/* The open slices of a track, outermost first. */
static pf_status list_open(pf_cutter *c, const pf_edit_track *t, uint32_t *count, pf_error *err)
{
    uint32_t n = 0;
    for (pf_kept_packet *s = t->top; s; s = s->below) {
        n++;
    }
    *count = n;
    PF_TRY(PF_LIST_ROOM(c->budget, c->chain, n, c->chain_room, err));
    for (pf_kept_packet *s = t->top; s; s = s->below) {
        c->chain[--n] = s;
    }
    return PF_OK;
}

static pf_status begin_window(pf_cutter *c, uint32_t window, uint32_t track, pf_error *err)
{
    int64_t from = c->windows[window].from;
    uint32_t open;
    PF_TRY(list_open(c, &c->tracks.list[track], &open, err));
    for (uint32_t i = 0; i < open; i++) {
        const pf_kept_packet *s = c->chain[i];
        if (s->ts < from && !s->left_out && !is_over(c, s, from)) {
            PF_TRY(pf_cutter_write_begin(c, window, track, s, err));
        }
    }
    const pf_kept_packet *state = c->tracks.list[track].last;
    if (state && state->ts < from) {
        PF_TRY(pf_cutter_write_begin(c, window, track, state, err));
    }
    const struct pf_last_value *last = &c->tracks.list[track].value;
    return last->any && last->ts < from ? write_value(c, window, track, err) : PF_OK;
}

pf_status pf_cutter_begin_windows(pf_cutter *c, uint32_t track, uint32_t upto, pf_error *err)
{
    pf_status st = PF_OK;
    while (st == PF_OK && c->tracks.list[track].window < upto) {
        st = begin_window(c, c->tracks.list[track].window, track, err);
        c->tracks.list[track].window++;
    }
    return st;
}
