/* edit/cut/cut_gpu.c - GPU packets: render stages have a length and are clipped; what packets say of later ones, names
 * of counters and of stages, is said before any of these.
 *
 * A stage that a window cuts is the original packet with another time and length, and the original ones as further
 * data. Objects are called what they are called when a stage begins: a name that comes after one that a window begins
 * with, and is from before that window, is at its start, too, after the stage. Specifications that an older recording
 * has in band are packets of their own, without samples.
 */
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

#include "edit/cut/cutter.h"

static void put_time(pf_writer *w, const char *name, int64_t ns)
{
    char text[24];
    int len = snprintf(text, sizeof text, "%lld", (long long)ns);
    pf_writer_begin(w, PF_F_STAGE_EXTRA_DATA);
    pf_writer_bytes(w, PF_F_STAGE_EXTRA_NAME, name, strlen(name));
    pf_writer_bytes(w, PF_F_STAGE_EXTRA_VALUE, text, (size_t)len);
    pf_writer_end(w);
}

/* The content of a clipped stage. */
static void put_stage(pf_writer *w, const pf_field *stage, const pf_cut_window *window, int64_t ts, int64_t end)
{
    int64_t from = ts < window->from ? window->from : ts, to = end > window->to ? window->to : end;
    pf_cursor c = pf_field_cursor(stage);
    const uint8_t *at = c.at;
    pf_field f;
    for (; pf_cursor_next(&c, &f) == PF_NEXT_FIELD; at = c.at) {
        if (f.tag == PF_TAG_VARINT(PF_F_STAGE_DURATION)) {
            pf_writer_varint(w, PF_F_STAGE_DURATION, (uint64_t)(to - from));
        } else {
            pf_writer_raw(w, at, (size_t)(c.at - at));
        }
    }
    if (from > ts) {
        put_time(w, "cut.original_ts", ts);
    }
    if (to < end) {
        put_time(w, "cut.original_end", end);
    }
}

/* Begins the packet again at another time, with all that it has but its content: others build on what it interns. */
static void begin_again(pf_cutter *c, pf_out *o, const pf_raw_packet *p, uint32_t sequence, int64_t ts)
{
    pf_cursor at = pf_cursor_over(p->bytes, p->len);
    const uint8_t *from = at.at;
    pf_field f;
    pf_cutter_begin_packet(c, o, sequence, ts);
    for (; pf_cursor_next(&at, &f) == PF_NEXT_FIELD; from = at.at) {
        switch (f.tag) {
        case PF_TAG_VARINT(PF_F_PACKET_TIMESTAMP):
        case PF_TAG_VARINT(PF_F_PACKET_TIMESTAMP_CLOCK_ID):
        case PF_TAG_VARINT(PF_F_PACKET_SEQUENCE_ID):
        case PF_TAG_VARINT(PF_F_PACKET_MACHINE_ID):
            break;
        default:
            pf_writer_raw(&o->writer, from, f.tag == PF_TAG_BYTES(p->data) ? 0 : (size_t)(at.at - from));
            break;
        }
    }
}

/* A stage that a window cuts. */
static pf_status write_clipped(pf_cutter *c, uint32_t window, const pf_raw_packet *p, uint32_t sequence, int64_t ts,
                               int64_t end, pf_error *err)
{
    pf_cut_window *w = &c->windows[window];
    pf_out *o = &w->out;
    PF_TRY(pf_cutter_prepare(c, window, p, sequence, err));
    begin_again(c, o, p, sequence, ts < w->from ? w->from : ts);
    pf_writer_begin(&o->writer, PF_F_PACKET_GPU_RENDER_STAGE_EVENT);
    put_stage(&o->writer, &p->content, w, ts, end);
    pf_writer_end(&o->writer);
    w->begun += ts < w->from;
    w->ended += end > w->to;
    w->stage = ts < w->stage ? ts : w->stage;
    return pf_out_end(o, err);
}

pf_status pf_cutter_name_object(pf_cutter *c, const pf_raw_packet *p, uint32_t sequence, pf_when when, int64_t ts,
                                pf_error *err)
{
    for (uint32_t i = 0; i < c->window_count; i++) {
        pf_cut_window *w = &c->windows[i];
        PF_TRY(pf_cutter_prepare(c, i, p, sequence, err));
        if (when == PF_TIME_KNOWN && ts < w->from && w->stage <= ts) {
            begin_again(c, &w->out, p, sequence, w->from);
            pf_writer_bytes(&w->out.writer, p->data, p->content.bytes, p->content.len);
            PF_TRY(pf_out_end(&w->out, err));
        } else {
            PF_TRY(pf_cutter_put(c, i, p, sequence, NULL, err));
            w->out.general++;
        }
    }
    return PF_OK;
}

pf_status pf_cutter_stage(pf_cutter *c, const pf_raw_packet *p, uint32_t sequence, int64_t ts, pf_error *err)
{
    uint64_t dur = pf_cursor_last(pf_field_cursor(&p->content), PF_TAG_VARINT(PF_F_STAGE_DURATION)).value;
    int64_t end;
    if (__builtin_add_overflow(ts, (int64_t)dur, &end) || end < ts) {
        end = ts;
    }
    pf_cutter_cover(c, end);
    if (c->selection.durations && end - ts < c->selection.o->min_dur) {
        return PF_OK;
    }
    for (uint32_t i = pf_cutter_window(c, ts); i < c->window_count; i++) {
        const pf_cut_window *w = &c->windows[i];
        if (end <= w->from && ts < w->from) {
            break;
        }
        if (ts >= w->from && end <= w->to) {
            PF_TRY(pf_cutter_prepare(c, i, p, sequence, err));
            PF_TRY(pf_cutter_put(c, i, p, sequence, NULL, err));
        } else {
            PF_TRY(write_clipped(c, i, p, sequence, ts, end, err));
        }
    }
    return PF_OK;
}

/* What a packet says of later ones, alone; false: nothing. */
static bool put_specification(pf_writer *w, const pf_raw_packet *p)
{
    bool stage = p->data == PF_F_PACKET_GPU_RENDER_STAGE_EVENT;
    uint32_t field = stage ? PF_F_STAGE_SPECIFICATIONS : PF_F_GPU_COUNTER_DESCRIPTOR;
    pf_cursor c = pf_field_cursor(&p->content);
    const pf_field said = pf_cursor_last(c, PF_TAG_BYTES(field));
    const pf_field gpu = pf_cursor_last(c, PF_TAG_VARINT(PF_F_GPU_COUNTER_GPU_ID));
    if (!said.tag) {
        return false;
    }
    pf_writer_begin(w, PF_F_TRACE_PACKET);
    if (p->has & PF_PACKET_TIMESTAMP && !p->clock) {
        pf_writer_varint(w, PF_F_PACKET_TIMESTAMP, p->timestamp);
    }
    if (p->has & PF_PACKET_SEQUENCE) {
        pf_writer_varint(w, PF_F_PACKET_SEQUENCE_ID, p->sequence);
    }
    if (p->machine) {
        pf_writer_varint(w, PF_F_PACKET_MACHINE_ID, p->machine);
    }
    pf_writer_begin(w, p->data);
    pf_writer_bytes(w, field, said.bytes, said.len);
    if (!stage && gpu.tag) {
        pf_writer_varint(w, PF_F_GPU_COUNTER_GPU_ID, gpu.value);
    }
    pf_writer_end(w);
    pf_writer_end(w);
    return true;
}

/* Whether a packet says nothing else. */
static bool only_specifies(const pf_raw_packet *p)
{
    uint32_t field =
        p->data == PF_F_PACKET_GPU_RENDER_STAGE_EVENT ? PF_F_STAGE_SPECIFICATIONS : PF_F_GPU_COUNTER_DESCRIPTOR;
    pf_cursor c = pf_field_cursor(&p->content);
    pf_field f;
    bool only = true, some = false;
    while (only && pf_cursor_next(&c, &f) == PF_NEXT_FIELD) {
        bool gpu = p->data == PF_F_PACKET_GPU_COUNTER_EVENT && f.tag == PF_TAG_VARINT(PF_F_GPU_COUNTER_GPU_ID);
        some |= f.tag == PF_TAG_BYTES(field);
        only = gpu || f.tag == PF_TAG_BYTES(field);
    }
    return only && some;
}

pf_status pf_cutter_specify(pf_cutter *c, const pf_raw_packet *p, bool *only, pf_error *err)
{
    *only = only_specifies(p);
    c->event.len = 0;
    if (!put_specification(&c->writer, p)) {
        return PF_OK;
    }
    const pf_field whole = {.len = (uint32_t)c->event.len, .bytes = (const uint8_t *)c->event.data};
    uint64_t key = XXH3_64bits_withSeed(whole.bytes, whole.len, c->budget->seed);
    uint32_t same = pf_map_get(&c->specified, key);
    if (same != PF_NONE && pf_blob_is(c->snapshots[same], &whole)) {
        return PF_OK;
    }
    PF_TRY(c->writer.failed ? pf_no_memory(err) : pf_map_put(&c->specified, key, c->snapshot_count, err));
    return pf_cutter_add_global(c, &whole, err);
}
