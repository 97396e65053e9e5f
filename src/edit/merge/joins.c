/* edit/merge/joins.c - parts of one trace together again.
 *
 * A slice that was open where a part ends has an end there, with its original end as argument "cut.original_end", and a
 * begin where the next part starts, with "cut.original_ts"; counters and states begin likewise with their last value.
 * Whether another part has the other half follows from the times that it covers: a begin is not needed if what it
 * stands for happened before the end of an earlier part (which has it, or its own copy of it), an end is not needed if
 * the slice goes on after a later part has begun. So parts with a gap between them are joined, too, and a part that is
 * missing leaves its neighbours closed.
 *
 * Values of incremental counters stay: what follows them is a difference to them.
 */
#include "base/str.h"
#include "edit/merge/merge.h"

#include "perfetto/fields.h"

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

static bool is_incremental(const merge *m, pf_field event)
{
    uint64_t uuid = pf_cursor_last(pf_field_cursor(&event), PF_TAG_VARINT(PF_F_EVENT_TRACK_UUID)).value;
    return uuid && pf_map_get(&m->incremental, uuid) != PF_NONE;
}

bool pf_merge_is_joined(const merge *m, const merge_input *in, const pf_raw_packet *p, const merge_moment *at)
{
    bool may = m->space[in->space].parts > 1 && p->data == PF_F_PACKET_TRACK_EVENT && at->when == PF_TIME_KNOWN &&
               memmem(p->content.bytes, p->content.len, "cut.original_", 13) && !is_incremental(m, p->content);
    const cut_marks marks = may ? marks_of(p->content) : (cut_marks){.begins = false};
    bool joined = false;
    for (uint32_t i = 0; i < m->input_count && (marks.begins || marks.ends) && !joined; i++) {
        const merge_input *other = &m->input[i];
        if (other != in && other->space == in->space && other->has_events) {
            joined = marks.begins ? other->first_event < at->ts && marks.begin <= other->last_event
                                  : other->first_event >= at->ts && marks.end > other->first_event;
        }
    }
    return joined;
}
