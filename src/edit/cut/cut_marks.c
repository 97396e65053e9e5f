/* edit/cut/cut_marks.c - marks of flows in an output that is written already.
 *
 * Whether a flow goes on outside of a window is known only when the input is over. So a pass lists where it has written
 * slices with flows, and at its end those that need a mark get it, which makes them longer: the sum of that is known
 * first, then everything from the last of them on moves towards the end of the file, the largest distance at the start
 * of it last. What is moved is read before it is overwritten. Outputs that cannot be read (compressed ones, pipes) or
 * are not what was put (redacted ones) are made by another pass, which knows the flows of the first.
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

/* Makes the packet with its mark, w->out.packet; *needs false: it needs none. */
static pf_status mark_packet(pf_cutter *c, pf_cut_window *w, const pf_cut_mark *m, pf_buffer *block, bool *needs,
                             pf_error *err)
{
    uint64_t id, len = 0;
    *needs = pf_flows_ran_out(&c->flows, m->flow, w->from, w->to, &id);
    if (!*needs) {
        return PF_OK;
    }
    uint8_t *whole = (uint8_t *)pf_buffer_room(block, m->len);
    PF_TRY(whole ? pf_outfile_get_at(&w->out.sink->file, m->at, whole, m->len, err) : pf_no_memory(err));
    const uint8_t *content = pf_varint(whole + 1, whole + m->len, &len);
    const pf_cursor fields = pf_cursor_over(content, len);
    const pf_field event = pf_cursor_last(fields, PF_TAG_BYTES(PF_F_PACKET_TRACK_EVENT));
    c->marked.len = 0;
    pf_writer_raw(&c->marker, event.bytes, event.len);
    pf_cutter_mark_flow(&c->marker, id);
    const pf_field marked = {.len = (uint32_t)c->marked.len, .bytes = (const uint8_t *)c->marked.data};
    pf_out_begin(&w->out, NULL);
    pf_cutter_put_fields(&w->out, fields, NULL, &marked);
    pf_writer_end(&w->out.writer);
    return c->marker.failed || w->out.writer.failed ? pf_no_memory(err) : PF_OK;
}

/* Moves the bytes [from, to) of the file. */
static pf_status move(const pf_outfile *file, uint64_t from, uint64_t to, uint64_t distance, pf_buffer *block,
                      pf_error *err)
{
    char *bytes = pf_buffer_room(block, BLOCK);
    PF_TRY(bytes ? PF_OK : pf_no_memory(err));
    while (to > from) {
        size_t step = to - from < BLOCK ? (size_t)(to - from) : BLOCK;
        to -= step;
        PF_TRY(pf_outfile_get_at(file, to, bytes, step, err));
        PF_TRY(pf_outfile_put_at(file, to + distance, bytes, step, err));
    }
    return PF_OK;
}

static pf_status write_marks(pf_cutter *c, pf_cut_window *w, pf_buffer *block, pf_error *err)
{
    const pf_outfile *file = &w->out.sink->file;
    uint64_t end = w->out.bytes, distance = 0;
    bool needs;
    for (uint32_t i = 0; i < w->mark_count; i++) {
        PF_TRY(mark_packet(c, w, &w->marks[i], block, &needs, err));
        distance += needs ? w->out.packet.len - w->marks[i].len : 0;
        w->out.changed += needs && w->marks[i].kept;
    }
    w->out.bytes += distance;
    if (w->out.sink->options->written) {
        *w->out.sink->options->written += distance;
    }
    for (uint32_t i = w->mark_count; i > 0 && distance > 0; i--) {
        const pf_cut_mark *m = &w->marks[i - 1];
        PF_TRY(mark_packet(c, w, m, block, &needs, err));
        if (needs) {
            PF_TRY(move(file, m->at + m->len, end, distance, block, err));
            end = m->at;
            distance -= w->out.packet.len - m->len;
            PF_TRY(pf_outfile_put_at(file, end + distance, w->out.packet.data, w->out.packet.len, err));
        }
    }
    return PF_OK;
}

pf_status pf_cutter_write_marks(pf_cutter *c, pf_cut_window *w, pf_error *err)
{
    pf_buffer block = {NULL, 0, 0, false};
    pf_status st = w->mark_count ? pf_sink_complete(w->out.sink, err) : PF_OK;
    st = st == PF_OK ? write_marks(c, w, &block, err) : st;
    pf_buffer_free(&block);
    return st;
}
