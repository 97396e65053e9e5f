/* edit/merge/joins.c - parts of one trace together again.
 *
 * A slice that was open where a part ends has an end there, with its original end as argument "cut.original_end", and a
 * begin where the next part starts, with "cut.original_ts"; counters and states begin likewise with their last value.
 * Whether another part has the other half follows from the times that it covers: a begin is not needed if what it
 * stands for happened before the end of an earlier part (which has it, or its own copy of it), an end is not needed if
 * the slice goes on after a later part has begun. So parts with a gap between them are joined, too, and a part that is
 * missing leaves its neighbours closed.
 *
 * The mark of a flow that came from another part is left out. Steps and ends of a legacy flow that has begun in a part
 * before are what they were.
 *
 * A render stage has a length: its first part gets the whole one again, the others are left out.
 *
 * What follows the first value of an incremental counter is a difference to it, so it is added to the next one.
 */
#include <math.h>

#include "base/list.h"
#include "base/str.h"
#include "base/text/number.h"
#include "edit/cut/cut_source.h"
#include "edit/merge/merge.h"

#include "perfetto/fields.h"

#define FLOW_MARK "cut.flow_outside"
#define FLOW_MARK_LEN (sizeof FLOW_MARK - 1)

typedef struct cut_marks {
    bool begins, ends;
    int64_t begin, end; /* the original times */
} cut_marks;

static cut_marks marks_of(pf_field event)
{
    cut_marks marks = {.begins = false};
    pf_cursor c = pf_field_cursor(&event);
    pf_field f;
    while (pf_cursor_next_of(&c, PF_TAG_BYTES(PF_F_EVENT_DEBUG_ANNOTATIONS), &f)) {
        PF_CURSOR_FIELDS(a, pf_field_cursor(&f), PF_AT_BYTES(PF_F_ANNOTATION_NAME), PF_AT_VARINT(PF_F_ANNOTATION_INT));
        pf_str name = pf_field_text(&a[PF_F_ANNOTATION_NAME]);
        int64_t value = (int64_t)a[PF_F_ANNOTATION_INT].value;
        if (pf_str_is(name, "cut.original_ts")) {
            marks.begins = true;
            marks.begin = value;
        } else if (pf_str_is(name, "cut.original_end")) {
            marks.ends = true;
            marks.end = value;
        }
    }
    return marks;
}

/* The marks of a render stage, which are texts. */
static cut_marks marks_of_stage(pf_field stage)
{
    cut_marks marks = {.begins = false};
    pf_cursor c = pf_field_cursor(&stage);
    pf_field f;
    while (pf_cursor_next_of(&c, PF_TAG_BYTES(PF_F_STAGE_EXTRA_DATA), &f)) {
        PF_CURSOR_FIELDS(e, pf_field_cursor(&f), PF_AT_BYTES(PF_F_STAGE_EXTRA_NAME),
                         PF_AT_BYTES(PF_F_STAGE_EXTRA_VALUE));
        pf_str name = pf_field_text(&e[PF_F_STAGE_EXTRA_NAME]), text = pf_field_text(&e[PF_F_STAGE_EXTRA_VALUE]);
        int64_t value;
        bool number = pf_parse_int(text.ptr, text.len, &value);
        if (number && pf_str_is(name, "cut.original_ts")) {
            marks.begins = true;
            marks.begin = value;
        } else if (number && pf_str_is(name, "cut.original_end")) {
            marks.ends = true;
            marks.end = value;
        }
    }
    return marks;
}

static cut_marks marks_of_packet(const merge *m, const merge_input *in, const pf_raw_packet *p, const merge_moment *at)
{
    bool event = p->data == PF_F_PACKET_TRACK_EVENT, stage = p->data == PF_F_PACKET_GPU_RENDER_STAGE_EVENT;
    bool may = m->space[in->space].parts > 1 && (event || stage) && at->when == PF_TIME_KNOWN &&
               memmem(p->content.bytes, p->content.len, "cut.original_", 13);
    return may && stage ? marks_of_stage(p->content) : may ? marks_of(p->content) : (cut_marks){.begins = false};
}

/* Whether another part has what happened at `begin`, or goes on with what is over at `end`. */
static bool has_begin(const merge *m, const merge_input *in, int64_t ts, int64_t begin)
{
    bool has = false;
    for (uint32_t i = 0; i < m->input_count && !has; i++) {
        const merge_input *other = &m->input[i];
        has = other != in && other->space == in->space && other->has_events && other->first_event < ts &&
              begin <= other->last_event;
    }
    return has;
}

static bool has_rest(const merge *m, const merge_input *in, int64_t ts, int64_t end)
{
    bool has = false;
    for (uint32_t i = 0; i < m->input_count && !has; i++) {
        const merge_input *other = &m->input[i];
        has = other != in && other->space == in->space && other->has_events && other->first_event >= ts &&
              end > other->first_event;
    }
    return has;
}

static bool is_step(const pf_raw_packet *p)
{
    const pf_field legacy = pf_cursor_last(pf_field_cursor(&p->content), PF_TAG_BYTES(PF_F_EVENT_LEGACY_EVENT));
    uint64_t phase = pf_cursor_last(pf_field_cursor(&legacy), PF_TAG_VARINT(PF_F_LEGACY_PHASE)).value;
    return phase == 't' || phase == 'f';
}

bool pf_merge_is_joined(const merge *m, const merge_input *in, const pf_raw_packet *p, const merge_moment *at)
{
    const cut_marks marks = marks_of_packet(m, in, p, at);
    bool event = p->data == PF_F_PACKET_TRACK_EVENT;
    if (!marks.ends || !event || marks.begins) {
        return marks.begins && has_begin(m, in, at->ts, marks.begin);
    }
    /* a step of a flow belongs to a part that begins then, an end does not */
    return has_rest(m, in, at->ts, marks.end + is_step(p));
}

/* Begins the packet again, with all but the data; its content is to be written next. */
static void begin_changed(merge *m, const pf_raw_packet *p)
{
    pf_cursor c = pf_cursor_over(p->bytes, p->len);
    const uint8_t *from = c.at;
    pf_field f;
    m->carried.len = 0;
    for (; pf_cursor_next(&c, &f) == PF_NEXT_FIELD; from = c.at) {
        if (f.tag != PF_TAG_BYTES(p->data)) {
            pf_writer_raw(&m->carried_writer, from, (size_t)(c.at - from));
        }
    }
    pf_writer_begin(&m->carried_writer, p->data);
}

static pf_status end_changed(merge *m, pf_raw_packet *p, pf_error *err)
{
    pf_writer_end(&m->carried_writer);
    if (m->carried_writer.failed || !pf_buffer_room(&m->carried, PF_SLOP)) {
        return pf_no_memory(err);
    }
    memset(m->carried.data + m->carried.len, 0, PF_SLOP);
    p->bytes = (const uint8_t *)m->carried.data;
    p->len = (uint32_t)m->carried.len;
    p->whole = NULL;
    return pf_raw_packet_read(p) ? PF_OK : pf_fail(err, PF_ERR_INTERNAL, "a packet that was joined cannot be read");
}

/* A render stage of its whole length, without marks. */
static pf_status lengthen_stage(merge *m, pf_raw_packet *p, int64_t ts, int64_t end, pf_error *err)
{
    pf_cursor c = pf_field_cursor(&p->content);
    const uint8_t *from = c.at;
    pf_field f;
    begin_changed(m, p);
    for (; pf_cursor_next(&c, &f) == PF_NEXT_FIELD; from = c.at) {
        bool mark = f.tag == PF_TAG_BYTES(PF_F_STAGE_EXTRA_DATA) && memmem(f.bytes, f.len, "cut.original_end", 16);
        if (f.tag == PF_TAG_VARINT(PF_F_STAGE_DURATION)) {
            pf_writer_varint(&m->carried_writer, PF_F_STAGE_DURATION, (uint64_t)end - (uint64_t)ts);
        } else if (!mark) {
            pf_writer_raw(&m->carried_writer, from, (size_t)(c.at - from));
        }
    }
    return end_changed(m, p, err);
}

static uint64_t uuid_of(merge_input *in, const pf_raw_packet *p)
{
    pf_field uuid = pf_cursor_last(pf_field_cursor(&p->content), PF_TAG_VARINT(PF_F_EVENT_TRACK_UUID));
    const pf_sequence *q = pf_merge_sequence(in, p);
    return uuid.tag ? uuid.value : q ? q->track_uuid : 0;
}

pf_status pf_merge_keep_value(merge *m, merge_input *in, const pf_raw_packet *p, pf_error *err)
{
    pf_cursor c = pf_field_cursor(&p->content);
    uint64_t uuid = uuid_of(in, p);
    pf_field whole = pf_cursor_last(c, PF_TAG_VARINT(PF_F_EVENT_COUNTER_VALUE)),
             real = pf_cursor_last(c, PF_TAG_FIXED64(PF_F_EVENT_DOUBLE_COUNTER_VALUE));
    if ((!whole.tag && !real.tag) || pf_map_get(&m->incremental, uuid) == PF_NONE) {
        return PF_OK;
    }
    PF_TRY(PF_LIST_ROOM(&m->budget, in->carry, in->carry_count + 1, in->carry_room, err));
    in->carry[in->carry_count++] =
        (merge_carry){.sequence = p->sequence,
                      .uuid = uuid,
                      .value = whole.tag ? (double)(int64_t)whole.value : pf_bits_to_double(real.value)};
    return PF_OK;
}

/* What the counter carries, which is then done; 0: nothing. */
static double take_carry(merge_input *in, uint32_t sequence, uint64_t uuid)
{
    for (uint32_t i = 0; i < in->carry_count; i++) {
        if (in->carry[i].uuid == uuid && in->carry[i].sequence == sequence) {
            double value = in->carry[i].value;
            in->carry[i] = in->carry[--in->carry_count];
            return value;
        }
    }
    return 0;
}

/* The uuids of the extra values of an event: its own, or those of its sequence. */
typedef struct extra_uuids {
    pf_numbers own;
    bool any;
    const pf_uuid_list *defaults;
    uint32_t at;
} extra_uuids;

static extra_uuids extra_uuids_of(const pf_raw_packet *p, const pf_sequence *q, bool real)
{
    uint32_t field = real ? PF_F_EVENT_EXTRA_DOUBLE_COUNTER_TRACK_UUIDS : PF_F_EVENT_EXTRA_COUNTER_TRACK_UUIDS;
    return (extra_uuids){.own = pf_numbers_of(pf_field_cursor(&p->content), field, false),
                         .defaults = real ? &q->extra_double_uuids : &q->extra_uuids};
}

static uint64_t next_uuid(extra_uuids *e)
{
    uint64_t uuid = 0;
    uint32_t at = e->at++;
    if (pf_numbers_next(&e->own, &uuid)) {
        e->any = true;
        return uuid;
    }
    return !e->any && at < e->defaults->count ? e->defaults->uuid[at] : 0;
}

static bool is_flow_mark(const pf_field *f)
{
    return f->tag == PF_TAG_BYTES(PF_F_EVENT_DEBUG_ANNOTATIONS) && memmem(f->bytes, f->len, FLOW_MARK, FLOW_MARK_LEN);
}

/* Whether a legacy event ends in the phase that it was given by a cut, two bytes, and has its own one before. */
static bool is_held(const pf_field *legacy)
{
    pf_cursor c = pf_field_cursor(legacy);
    pf_field own, last = pf_cursor_last(c, PF_TAG_VARINT(PF_F_LEGACY_PHASE));
    return last.tag && (last.value == 's' || last.value == PF_CUT_HELD_PHASE) &&
           legacy->bytes[legacy->len - 2] == PF_TAG_VARINT(PF_F_LEGACY_PHASE) &&
           pf_cursor_next_of(&c, PF_TAG_VARINT(PF_F_LEGACY_PHASE), &own) && own.value != last.value;
}

static void put_event(merge *m, merge_input *in, const pf_raw_packet *p, bool held)
{
    const pf_sequence *q = pf_merge_sequence(in, p);
    pf_writer *out = &m->carried_writer;
    extra_uuids whole = extra_uuids_of(p, q, false), real = extra_uuids_of(p, q, true);
    pf_cursor c = pf_field_cursor(&p->content);
    const uint8_t *from = c.at;
    pf_field f;
    for (; pf_cursor_next(&c, &f) == PF_NEXT_FIELD; from = c.at) {
        if (is_flow_mark(&f)) {
            continue;
        }
        if (held && f.tag == PF_TAG_BYTES(PF_F_EVENT_LEGACY_EVENT)) {
            pf_writer_bytes(out, PF_F_EVENT_LEGACY_EVENT, f.bytes, f.len - 2);
            continue;
        }
        bool own = f.tag == PF_TAG_VARINT(PF_F_EVENT_COUNTER_VALUE) ||
                   f.tag == PF_TAG_FIXED64(PF_F_EVENT_DOUBLE_COUNTER_VALUE);
        bool extra = f.tag == PF_TAG_VARINT(PF_F_EVENT_EXTRA_COUNTER_VALUES),
             extra_real = f.tag == PF_TAG_FIXED64(PF_F_EVENT_EXTRA_DOUBLE_COUNTER_VALUES);
        double more = own          ? take_carry(in, p->sequence, uuid_of(in, p))
                      : extra      ? take_carry(in, p->sequence, next_uuid(&whole))
                      : extra_real ? take_carry(in, p->sequence, next_uuid(&real))
                                   : 0;
        if (more == 0) {
            pf_writer_raw(out, from, (size_t)(c.at - from));
        } else if (pf_field_wire(&f) == PF_WIRE_FIXED64) {
            pf_writer_double(out, pf_field_number(&f), pf_bits_to_double(f.value) + more);
        } else {
            pf_writer_varint(out, pf_field_number(&f), f.value + (uint64_t)llround(fmax(-9e18, fmin(9e18, more))));
        }
    }
}

/* A clear sets the sums of a sequence to 0. */
static void forget_carries(merge_input *in, uint32_t sequence)
{
    for (uint32_t i = in->carry_count; i > 0; i--) {
        if (in->carry[i - 1].sequence == sequence) {
            in->carry[i - 1] = in->carry[--in->carry_count];
        }
    }
}

static pf_status leave_out_standing(merge *m, merge_input *in, pf_raw_packet *p, pf_error *err)
{
    merge_standing standing;
    PF_TRY(pf_merge_find_standing(m, in, p, &standing, err));
    if (!standing.compact && !standing.event) {
        return PF_OK;
    }
    const pf_field bundle = p->content;
    begin_changed(m, p);
    pf_merge_put_bundle(&m->carried_writer, &bundle, &standing);
    return end_changed(m, p, err);
}

pf_status pf_merge_mend(merge *m, merge_input *in, pf_raw_packet *p, const merge_moment *at, pf_error *err)
{
    if (p->has & (PF_PACKET_CLEARED | PF_PACKET_DROPPED)) {
        forget_carries(in, p->sequence);
    }
    if (p->data == PF_F_PACKET_GPU_RENDER_STAGE_EVENT) {
        const cut_marks marks = marks_of_packet(m, in, p, at);
        bool whole = marks.ends && marks.end > at->ts && has_rest(m, in, at->ts, marks.end);
        return whole ? lengthen_stage(m, p, at->ts, marks.end, err) : PF_OK;
    }
    if (p->data == PF_F_PACKET_FTRACE_EVENTS && m->space[in->space].parts > 1) {
        return leave_out_standing(m, in, p, err);
    }
    if (p->data != PF_F_PACKET_TRACK_EVENT || !pf_merge_sequence(in, p) || m->space[in->space].parts == 1) {
        return PF_OK;
    }
    bool marked = memmem(p->content.bytes, p->content.len, FLOW_MARK, FLOW_MARK_LEN);
    const pf_field legacy = pf_cursor_last(pf_field_cursor(&p->content), PF_TAG_BYTES(PF_F_EVENT_LEGACY_EVENT));
    bool held = legacy.tag && is_held(&legacy) && has_begin(m, in, at->ts, INT64_MIN);
    if (in->carry_count == 0 && !marked && !held) {
        return PF_OK;
    }
    begin_changed(m, p);
    put_event(m, in, p, held);
    return end_changed(m, p, err);
}
