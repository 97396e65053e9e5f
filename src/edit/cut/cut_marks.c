/* edit/cut/cut_marks.c - marks of flows in an output that is written already.
 *
 * Whether a flow goes on outside of a window is known only when the input is over. So a pass lists where it has written
 * slices with flows, and at its end those that need a mark get it, which makes them longer: the sum of that is known
 * first, then everything from the last of them on moves towards the end of the file, the largest distance at the start
 * of it last, a block at a time. What is moved is read before it is overwritten. Outputs that cannot be read
 * (compressed ones, pipes) or are not what was put (redacted ones) are made by another pass, which knows the flows of
 * the first.
 */
#include "base/list.h"
#include "edit/cut/cutter.h"

#define BLOCK ((size_t)1 << 20) /* moved at once */

void pf_cutter_mark_flow(pf_writer *w, uint64_t id)
{
    static const char name[] = "cut.flow_outside";
    pf_writer_begin(w, PF_F_EVENT_DEBUG_ANNOTATIONS);
    pf_writer_bytes(w, PF_F_ANNOTATION_NAME, name, sizeof name - 1);
    pf_writer_varint(w, PF_F_ANNOTATION_UINT, id);
    pf_writer_end(w);
}

pf_status pf_cutter_note_mark(pf_cutter *c, pf_cut_window *w, pf_flow_use flow, uint64_t at, bool kept, pf_error *err)
{
    if (!c->marks_later) {
        return PF_OK;
    }
    PF_TRY(PF_LIST_ROOM(c->budget, w->marks, w->mark_count + 1, w->mark_room, err));
    w->marks[w->mark_count++] =
        (pf_cut_mark){.at = at, .len = (uint32_t)(w->out.bytes - at), .flow = flow, .kept = kept};
    return PF_OK;
}

static bool needs_mark(const pf_cutter *c, const pf_cut_window *w, const pf_cut_mark *m, uint64_t *id)
{
    return pf_flows_ran_out(&c->flows, m->flow, w->from, w->to, id);
}

/* Makes the packet, which is at `whole`, with its mark: w->out.packet. */
static pf_status mark_packet(pf_cutter *c, pf_cut_window *w, const pf_cut_mark *m, const uint8_t *whole, pf_error *err)
{
    uint64_t len = 0, id = 0;
    const uint8_t *content = pf_varint(whole + 1, whole + m->len, &len);
    const pf_cursor fields = pf_cursor_over(content, len);
    const pf_field event = pf_cursor_last(fields, PF_TAG_BYTES(PF_F_PACKET_TRACK_EVENT));
    needs_mark(c, w, m, &id);
    c->marked.len = 0;
    pf_writer_raw(&c->marker, event.bytes, event.len);
    pf_cutter_mark_flow(&c->marker, id);
    const pf_field marked = {.len = (uint32_t)c->marked.len, .bytes = (const uint8_t *)c->marked.data};
    pf_out_begin(&w->out, NULL);
    pf_cutter_put_fields(&w->out, fields, NULL, &marked);
    pf_writer_end(&w->out.writer);
    return c->marker.failed || w->out.writer.failed ? pf_no_memory(err) : PF_OK;
}

/* The bytes [from, to) of the file. */
static pf_status get(const pf_outfile *file, uint64_t from, uint64_t to, pf_buffer *block, const uint8_t **bytes,
                     pf_error *err)
{
    char *room = pf_buffer_room(block, (size_t)(to - from));
    *bytes = (uint8_t *)room;
    return room ? pf_outfile_get_at(file, from, room, (size_t)(to - from), err) : pf_no_memory(err);
}

/* Moves the bytes [from, to) of the file. */
static pf_status move(const pf_outfile *file, uint64_t from, uint64_t to, uint64_t distance, pf_buffer *block,
                      pf_error *err)
{
    const uint8_t *bytes;
    while (to > from) {
        uint64_t step = to - from < BLOCK ? to - from : BLOCK;
        PF_TRY(get(file, to - step, to, block, &bytes, err));
        to -= step;
        PF_TRY(pf_outfile_put_at(file, to + distance, bytes, (size_t)step, err));
    }
    return PF_OK;
}

/* Drops the marks of packets that need none; *distance: by how much the others make the output longer. */
static pf_status choose_marks(pf_cutter *c, pf_cut_window *w, pf_buffer *block, uint64_t *distance, pf_error *err)
{
    uint64_t from = 0, to = 0, id;
    const uint8_t *bytes = NULL;
    uint32_t count = 0;
    *distance = 0;
    for (uint32_t i = 0; i < w->mark_count; i++) {
        const pf_cut_mark m = w->marks[i];
        if (!needs_mark(c, w, &m, &id)) {
            continue;
        }
        if (m.at + m.len > to) {
            from = m.at;
            to = w->out.bytes - from < BLOCK ? w->out.bytes : from + (m.len > BLOCK ? m.len : BLOCK);
            PF_TRY(get(&w->out.sink->file, from, to, block, &bytes, err));
        }
        PF_TRY(mark_packet(c, w, &m, bytes + (m.at - from), err));
        *distance += w->out.packet.len - m.len;
        w->out.changed += m.kept;
        w->marks[count++] = m;
    }
    w->mark_count = count;
    return PF_OK;
}

/* The bytes of the file from mark `first` up to `end`, with the marks up to `last`, into made. */
static pf_status make_block(pf_cutter *c, pf_cut_window *w, uint32_t first, uint32_t last, uint64_t end,
                            pf_buffer *block, pf_buffer *made, pf_error *err)
{
    uint64_t from = w->marks[first].at, at = from;
    const uint8_t *bytes;
    PF_TRY(get(&w->out.sink->file, from, end, block, &bytes, err));
    made->len = 0;
    for (uint32_t i = first; i < last; i++) {
        const pf_cut_mark *m = &w->marks[i];
        pf_buffer_put(made, bytes + (at - from), (size_t)(m->at - at));
        PF_TRY(mark_packet(c, w, m, bytes + (m->at - from), err));
        pf_buffer_put(made, w->out.packet.data, w->out.packet.len);
        at = m->at + m->len;
    }
    pf_buffer_put(made, bytes + (at - from), (size_t)(end - at));
    return made->failed ? pf_no_memory(err) : PF_OK;
}

static pf_status write_marks(pf_cutter *c, pf_cut_window *w, pf_buffer *block, pf_buffer *made, pf_error *err)
{
    const pf_outfile *file = &w->out.sink->file;
    uint64_t end = w->out.bytes, distance;
    PF_TRY(choose_marks(c, w, block, &distance, err));
    w->out.bytes += distance;
    if (w->out.sink->options->written) {
        *w->out.sink->options->written += distance;
    }
    for (uint32_t last = w->mark_count; last > 0;) {
        uint32_t first = last - 1;
        const pf_cut_mark *m = &w->marks[first];
        if (end - m->at > BLOCK) {
            PF_TRY(move(file, m->at + m->len, end, distance, block, err));
            end = m->at + m->len;
        }
        while (first > 0 && end - w->marks[first - 1].at <= BLOCK) {
            first--;
        }
        PF_TRY(make_block(c, w, first, last, end, block, made, err));
        PF_TRY(pf_outfile_put_at(file, end + distance - made->len, made->data, made->len, err));
        distance -= made->len - (end - w->marks[first].at);
        end = w->marks[first].at;
        last = first;
    }
    return PF_OK;
}

pf_status pf_cutter_write_marks(pf_cutter *c, pf_cut_window *w, pf_error *err)
{
    pf_buffer block = {NULL, 0, 0, false}, made = {NULL, 0, 0, false};
    pf_status st = w->mark_count ? pf_sink_complete(w->out.sink, err) : PF_OK;
    st = st == PF_OK ? write_marks(c, w, &block, &made, err) : st;
    pf_buffer_free(&block);
    pf_buffer_free(&made);
    return st;
}
