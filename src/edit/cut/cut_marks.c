/* edit/cut/cut_marks.c - marks of flows in an output that is written already.
 *
 * Whether a flow goes on outside of a window is known only when the input is over. So a pass lists where it has written
 * slices with flows, and at its end those that need a mark get it, which makes them longer: the sum of that is known
 * first, then everything from the last of them on moves towards the end of the file, the largest distance at the start
 * of it last, a block at a time, which one thread reads and makes and another one writes: what is written lies after
 * what is still to be read. Outputs that cannot be read
 * (compressed ones, pipes) or are not what was put (redacted ones) are made by another pass, which knows the flows of
 * the first.
 */
#include <string.h>

#include "base/list.h"
#include "edit/cut/cutter.h"

#define BLOCK ((size_t)512 << 10) /* moved at once */

/* Blocks on their way into the file. Each begins with its place there. */
typedef struct moving {
    const pf_outfile *file;
    pf_output_queue *queue; /* NULL: the caller writes */
    pf_buffer block, made;
    pf_error err; /* the queue's */
} moving;

static const char mark_name[] = "cut.flow_outside";

void pf_cutter_mark_flow(pf_writer *w, const uint64_t *id)
{
    pf_writer_begin(w, PF_F_EVENT_DEBUG_ANNOTATIONS);
    pf_writer_bytes(w, PF_F_ANNOTATION_NAME, mark_name, sizeof mark_name - 1);
    pf_writer_varint(w, id ? PF_F_ANNOTATION_UINT : PF_F_ANNOTATION_BOOL, id ? *id : 1);
    pf_writer_end(w);
}

pf_status pf_cutter_stop_flows(const pf_cutter *c, const pf_cut_window *w, pf_flow_use flow, bool ended, char *bytes,
                               size_t len, pf_error *err)
{
    pf_cursor at = pf_cursor_over((const uint8_t *)bytes, len);
    const uint8_t *from = at.at;
    pf_field f;
    pf_map ids;
    pf_map_init(&ids, c->budget);
    pf_status st = pf_flows_find_stopping(&c->flows, flow, ended, w->from, w->to, &ids, err);
    for (; st == PF_OK && ids.count && pf_cursor_next(&at, &f) == PF_NEXT_FIELD; from = at.at) {
        bool old = f.tag == PF_TAG_VARINT(PF_F_EVENT_FLOW_IDS_OLD);
        if ((old || f.tag == PF_TAG_FIXED64(PF_F_EVENT_FLOW_IDS)) && from[1] < 0x80 &&
            pf_map_get(&ids, f.value) != PF_NONE) {
            uint8_t *tag = (uint8_t *)bytes + (from - (const uint8_t *)bytes);
            pf_store_varint(tag, old ? PF_TAG_VARINT(PF_F_EVENT_TERMINATING_FLOW_IDS_OLD)
                                     : PF_TAG_FIXED64(PF_F_EVENT_TERMINATING_FLOW_IDS));
        }
    }
    pf_map_free(&ids);
    return st;
}

bool pf_cutter_has_flow_mark(pf_bytes event)
{
    return memmem(event.ptr, event.len, mark_name, sizeof mark_name - 1);
}

/* What the packet of a mark has next to its event. */
static void measure(pf_cut_mark *m, pf_bytes packet)
{
    uint64_t len = 0;
    const uint8_t *from = pf_varint(packet.ptr + 1, packet.ptr + packet.len, &len);
    pf_cursor c = pf_cursor_over(from, len);
    pf_field f;
    for (; pf_cursor_next(&c, &f) == PF_NEXT_FIELD; from = c.at) {
        bool event = f.tag == PF_TAG_BYTES(PF_F_PACKET_TRACK_EVENT);
        m->events += event;
        m->event = event ? f.len : m->event;
        m->rest += event ? 0 : (uint32_t)(c.at - from);
    }
}

pf_status pf_cutter_note_mark(pf_cutter *c, pf_cut_window *w, pf_flow_use flow, uint64_t at, pf_bytes packet, bool kept,
                              pf_error *err)
{
    if (!c->marks_later) {
        return PF_OK;
    }
    PF_TRY(PF_LIST_ROOM(c->budget, w->marks, w->mark_count + 1, w->mark_room, err));
    pf_cut_mark *m = &w->marks[w->mark_count++];
    *m = (pf_cut_mark){.at = at, .len = (uint32_t)packet.len, .flow = flow, .kept = kept};
    measure(m, packet);
    return PF_OK;
}

pf_status pf_cutter_note_legacy_mark(pf_cutter *c, pf_cut_window *w, uint64_t at, pf_bytes packet, bool kept,
                                     pf_error *err)
{
    uint32_t flow = c->legacy_flow - 1;
    if (!c->marks_later || pf_cutter_has_flow_mark(packet)) {
        return PF_OK;
    }
    PF_TRY(pf_cutter_note_mark(c, w, flow, at, packet, kept, err));
    w->marks[w->mark_count - 1].legacy = true;
    c->flow_starts[flow].mark = w->mark_count;
    return PF_OK;
}

/* Makes the packet, which is at `whole`, with its mark: w->out.packet. */
static pf_status mark_packet(pf_cutter *c, pf_cut_window *w, const pf_cut_mark *m, const uint8_t *whole, pf_error *err)
{
    uint64_t len = 0;
    const uint8_t *content = pf_varint(whole + 1, whole + m->len, &len);
    const pf_cursor fields = pf_cursor_over(content, len);
    const pf_field event = pf_cursor_last(fields, PF_TAG_BYTES(PF_F_PACKET_TRACK_EVENT));
    c->marked.len = 0;
    pf_writer_raw(&c->marker, event.bytes, event.len);
    if (!m->legacy && c->marked.len) {
        PF_TRY(pf_cutter_stop_flows(c, w, m->flow, true, c->marked.data, c->marked.len, err));
    }
    pf_cutter_mark_flow(&c->marker, m->legacy ? NULL : &m->id);
    const pf_field marked = {.len = (uint32_t)c->marked.len, .bytes = (const uint8_t *)c->marked.data};
    pf_out_begin(&w->out, NULL);
    pf_cutter_put_fields(&w->out, fields, NULL, &marked);
    pf_writer_end(&w->out.writer);
    return c->marker.failed || w->out.writer.failed ? pf_no_memory(err) : PF_OK;
}

static uint64_t with_length(uint64_t len)
{
    uint8_t bytes[PF_VARINT_MAX];
    return 1 + (uint64_t)(pf_store_varint(bytes, len) - bytes) + len;
}

/* Drops the marks of packets that need none; *distance: by how much the others make the output longer. */
static void choose_marks(pf_cutter *c, pf_cut_window *w, uint64_t *distance)
{
    uint32_t count = 0;
    *distance = 0;
    for (uint32_t i = 0; i < w->mark_count; i++) {
        pf_cut_mark m = w->marks[i];
        if (m.legacy ? !c->flow_starts[m.flow].leaves || c->flow_starts[m.flow].mark != i + 1
                     : !pf_flows_ran_out(&c->flows, m.flow, w->from, w->to, &m.id)) {
            continue;
        }
        c->marked.len = 0;
        pf_cutter_mark_flow(&c->marker, m.legacy ? NULL : &m.id);
        *distance += with_length(m.rest + m.events * with_length(m.event + c->marked.len)) - m.len;
        w->out.changed += m.kept;
        w->marks[count++] = m;
    }
    w->mark_count = count;
}

static pf_status write_block(void *ctx, const pf_buffer *made)
{
    moving *m = ctx;
    uint64_t at;
    memcpy(&at, made->data, sizeof at);
    return pf_outfile_put_at(m->file, at, made->data + sizeof at, made->len - sizeof at, &m->err);
}

/* What was made, for byte `at` of the file on. */
static pf_status send(moving *m, uint64_t at, pf_error *err)
{
    if (m->made.failed) {
        return pf_no_memory(err);
    }
    memcpy(m->made.data, &at, sizeof at);
    pf_status st = m->queue ? pf_output_queue_put(m->queue, &m->made) : write_block(m, &m->made);
    if (st != PF_OK && m->queue) {
        (void)pf_output_queue_settle(m->queue);
    }
    *err = st == PF_OK ? *err : m->err;
    return st;
}

static void begin_block(moving *m)
{
    const uint64_t place = 0;
    m->made.len = 0;
    pf_buffer_put(&m->made, &place, sizeof place);
}

/* Moves the bytes [from, to) of the file. */
static pf_status move(moving *m, uint64_t from, uint64_t to, uint64_t distance, pf_error *err)
{
    while (to > from) {
        size_t step = to - from < BLOCK ? (size_t)(to - from) : BLOCK;
        begin_block(m);
        char *room = pf_buffer_room(&m->made, step);
        PF_TRY(room ? pf_outfile_get_at(m->file, to - step, room, step, err) : pf_no_memory(err));
        m->made.len += step;
        to -= step;
        PF_TRY(send(m, to + distance, err));
    }
    return PF_OK;
}

/* The bytes of the file from mark `first` up to `end`, with the marks up to `last`. */
static pf_status make_block(pf_cutter *c, pf_cut_window *w, uint32_t first, uint32_t last, uint64_t end, moving *m,
                            pf_error *err)
{
    uint64_t from = w->marks[first].at, at = from;
    char *room = pf_buffer_room(&m->block, (size_t)(end - from));
    const uint8_t *bytes = (const uint8_t *)room;
    PF_TRY(room ? pf_outfile_get_at(m->file, from, room, (size_t)(end - from), err) : pf_no_memory(err));
    begin_block(m);
    for (uint32_t i = first; i < last; i++) {
        const pf_cut_mark *mark = &w->marks[i];
        pf_buffer_put(&m->made, bytes + (at - from), (size_t)(mark->at - at));
        PF_TRY(mark_packet(c, w, mark, bytes + (mark->at - from), err));
        pf_buffer_put(&m->made, w->out.packet.data, w->out.packet.len);
        at = mark->at + mark->len;
    }
    pf_buffer_put(&m->made, bytes + (at - from), (size_t)(end - at));
    return PF_OK;
}

static pf_status write_marks(pf_cutter *c, pf_cut_window *w, uint64_t distance, moving *m, pf_error *err)
{
    uint64_t end = w->out.bytes;
    w->out.bytes += distance;
    if (w->out.sink->options->written) {
        *w->out.sink->options->written += distance;
    }
    for (uint32_t last = w->mark_count; last > 0;) {
        uint32_t first = last - 1;
        const pf_cut_mark *mark = &w->marks[first];
        if (end - mark->at > BLOCK) {
            PF_TRY(move(m, mark->at + mark->len, end, distance, err));
            end = mark->at + mark->len;
        }
        while (first > 0 && end - w->marks[first - 1].at <= BLOCK) {
            first--;
        }
        PF_TRY(make_block(c, w, first, last, end, m, err));
        uint64_t made = m->made.len - sizeof(uint64_t);
        PF_TRY(send(m, end + distance - made, err));
        distance -= made - (end - w->marks[first].at);
        end = w->marks[first].at;
        last = first;
    }
    return PF_OK;
}

pf_status pf_cutter_write_marks(pf_cutter *c, pf_cut_window *w, pf_error *err)
{
    uint64_t distance;
    choose_marks(c, w, &distance);
    if (!w->mark_count) {
        return PF_OK;
    }
    PF_TRY(pf_sink_complete(w->out.sink, err));
    moving m = {.file = &w->out.sink->file};
    m.queue = c->jobs > 1 ? pf_output_queue_start(write_block, &m) : NULL;
    pf_status st = write_marks(c, w, distance, &m, err);
    pf_status written = m.queue ? pf_output_queue_settle(m.queue) : PF_OK;
    if (st == PF_OK && written != PF_OK) {
        *err = m.err;
    }
    pf_output_queue_stop(m.queue);
    pf_buffer_free(&m.block);
    pf_buffer_free(&m.made);
    return st == PF_OK ? written : st;
}
