/* Call stacks and log messages of events. What is expected was read off Perfetto's engine (v55.3) for the same packets.
 */
#include "support.h"

/* An entry {iid, second = value, third = value} of interned data; 0 leaves a value out. */
static void intern_numbers(bytes *b, uint32_t field, uint64_t iid, uint32_t second, uint64_t a, uint32_t third,
                           uint64_t c)
{
    packet(b, NONE, 7, NONE);
    pf_writer_begin(&b->w, PF_F_PACKET_INTERNED_DATA);
    pf_writer_begin(&b->w, field);
    pf_writer_varint(&b->w, PF_F_ENTRY_IID, iid);
    if (a) {
        pf_writer_varint(&b->w, second, a);
    }
    if (c) {
        pf_writer_varint(&b->w, third, c);
    }
    end(b);
    end(b);
    end(b);
}

static void intern_text(bytes *b, uint32_t field, uint64_t iid, const char *s)
{
    packet(b, NONE, 7, NONE);
    pf_writer_begin(&b->w, PF_F_PACKET_INTERNED_DATA);
    pf_writer_begin(&b->w, field);
    pf_writer_varint(&b->w, PF_F_ENTRY_IID, iid);
    text(b, PF_F_ENTRY_TEXT, s);
    end(b);
    end(b);
    end(b);
}

/* Frames 1 and 2 are f and g in a mapping of two path parts; 3 lies in no mapping, 4 has an unknown name. Stack 1 is
 * f > g, 2 is f alone, 3 has an unknown frame, 4 none, 5 is frame 3, 6 is frame 4. */
static void start_stacks(bytes *b)
{
    start(b);
    packet(b, NONE, 7, PF_SEQ_STATE_CLEARED);
    end(b);
    describe_thread(b, 7, 51, 100, 101, "worker");
    intern_text(b, PF_F_INTERNED_FUNCTION_NAMES, 1, "f");
    intern_text(b, PF_F_INTERNED_FUNCTION_NAMES, 2, "g");
    intern_text(b, PF_F_INTERNED_BUILD_IDS, 1, "\x01\xab");
    intern_text(b, PF_F_INTERNED_MAPPING_PATHS, 1, "usr");
    intern_text(b, PF_F_INTERNED_MAPPING_PATHS, 2, "lib.so");
    packet(b, NONE, 7, NONE);
    pf_writer_begin(&b->w, PF_F_PACKET_INTERNED_DATA);
    pf_writer_begin(&b->w, PF_F_INTERNED_MAPPINGS);
    pf_writer_varint(&b->w, PF_F_ENTRY_IID, 1);
    pf_writer_varint(&b->w, PF_F_MAPPING_BUILD_IID, 1);
    pf_writer_varint(&b->w, PF_F_MAPPING_END, 4096);
    pf_writer_varint(&b->w, PF_F_MAPPING_PATH_IIDS, 1);
    pf_writer_varint(&b->w, PF_F_MAPPING_PATH_IIDS, 2);
    end(b);
    end(b);
    end(b);
    intern_numbers(b, PF_F_INTERNED_FRAMES, 1, PF_F_FRAME_FUNCTION_IID, 1, PF_F_FRAME_MAPPING_IID, 1);
    intern_numbers(b, PF_F_INTERNED_FRAMES, 2, PF_F_FRAME_FUNCTION_IID, 2, PF_F_FRAME_MAPPING_IID, 1);
    intern_numbers(b, PF_F_INTERNED_FRAMES, 3, PF_F_FRAME_FUNCTION_IID, 0, PF_F_FRAME_PC, 16);
    intern_numbers(b, PF_F_INTERNED_FRAMES, 4, PF_F_FRAME_FUNCTION_IID, 9, PF_F_FRAME_MAPPING_IID, 1);
    intern_numbers(b, PF_F_INTERNED_CALLSTACKS, 1, PF_F_CALLSTACK_FRAME_IDS, 1, PF_F_CALLSTACK_FRAME_IDS, 2);
    intern_numbers(b, PF_F_INTERNED_CALLSTACKS, 2, PF_F_CALLSTACK_FRAME_IDS, 1, 0, 0);
    intern_numbers(b, PF_F_INTERNED_CALLSTACKS, 3, PF_F_CALLSTACK_FRAME_IDS, 1, PF_F_CALLSTACK_FRAME_IDS, 8);
    intern_numbers(b, PF_F_INTERNED_CALLSTACKS, 4, 0, 0, 0, 0);
    intern_numbers(b, PF_F_INTERNED_CALLSTACKS, 5, PF_F_CALLSTACK_FRAME_IDS, 3, 0, 0);
    intern_numbers(b, PF_F_INTERNED_CALLSTACKS, 6, PF_F_CALLSTACK_FRAME_IDS, 4, 0, 0);
}

static void begin_on_thread(bytes *b, uint64_t ts, int type)
{
    packet(b, ts, 7, NONE);
    pf_writer_begin(&b->w, PF_F_PACKET_TRACK_EVENT);
    pf_writer_varint(&b->w, PF_F_EVENT_TYPE, (uint64_t)type);
    pf_writer_varint(&b->w, PF_F_EVENT_TRACK_UUID, 51);
}

static void event_with_stack(bytes *b, uint64_t ts, int type, uint64_t iid)
{
    begin_on_thread(b, ts, type);
    pf_writer_varint(&b->w, PF_F_EVENT_CALLSTACK_IID, iid);
    end(b);
    end(b);
}

static const char *string_at(const pf_trace *t, pf_side_id side, unsigned column, uint32_t row)
{
    uint32_t id = ((const uint32_t *)t->sides.known[side].column[column])[row];
    return id ? pf_strings_get(&t->strings, id).ptr : "-";
}

/* One line per call stack: slice, b or e, and its frames from the innermost: name, mapping, build id. */
static void show_stacks(const pf_trace *t, pf_buffer *out)
{
    const pf_side_table *s = &t->sides.known[PF_SIDE_EVENT_STACK], *sites = &t->sides.known[PF_SIDE_CALLSITE];
    const uint32_t *begins = s->column[PF_EVENT_STACK_SITE], *ends = s->column[PF_EVENT_STACK_END_SITE];
    const uint32_t *slices = s->column[PF_EVENT_STACK_SLICE];
    const uint32_t *parents = sites->column[PF_CALLSITE_PARENT], *frames = sites->column[PF_CALLSITE_FRAME];
    const uint32_t *mappings = t->sides.known[PF_SIDE_STACK_FRAME].column[PF_STACK_FRAME_MAPPING];
    for (uint32_t i = 0; i < s->count; i++) {
        if (slices[i] == PF_NONE) {
            continue;
        }
        uint32_t at = begins[i] != PF_NONE ? begins[i] : ends[i];
        pf_buffer_format(out, "%u %c:", slices[i], begins[i] != PF_NONE ? 'b' : 'e');
        for (; at != PF_NONE; at = parents[at]) {
            uint32_t mapping = mappings[frames[at]];
            pf_buffer_format(out, " %s(%s %s)", string_at(t, PF_SIDE_STACK_FRAME, PF_STACK_FRAME_NAME, frames[at]),
                             string_at(t, PF_SIDE_MAPPING, PF_MAPPING_NAME, mapping),
                             string_at(t, PF_SIDE_MAPPING, PF_MAPPING_BUILD_ID, mapping));
        }
        pf_buffer_put(out, "\n", 1);
    }
}

Test(stacks, interned)
{
    bytes b;
    start_stacks(&b);
    event_with_stack(&b, 10, PF_EVENT_SLICE_BEGIN, 1);
    event_with_stack(&b, 20, PF_EVENT_SLICE_END, 2);
    event_with_stack(&b, 30, PF_EVENT_SLICE_END, 1); /* ends nothing */
    event_with_stack(&b, 40, PF_EVENT_INSTANT, 5);
    pf_trace *t = load(&b);
    pf_buffer got = {0};
    show_stacks(t, &got);
    expect_text(&got, "0 b: g(/usr/lib.so 01ab) f(/usr/lib.so 01ab)\n0 e: f(/usr/lib.so 01ab)\n1 b: -( )\n");
    cr_expect_eq(t->sides.known[PF_SIDE_CALLSITE].count, 3, "equal beginnings are shared");
    pf_buffer_free(&got);
    pf_trace_free(t);
    finish(&b);
}

Test(stacks, of_unknown_parts)
{
    bytes b;
    start_stacks(&b);
    event_with_stack(&b, 10, PF_EVENT_INSTANT, 3);
    event_with_stack(&b, 20, PF_EVENT_INSTANT, 4);
    event_with_stack(&b, 30, PF_EVENT_INSTANT, 6);
    event_with_stack(&b, 40, PF_EVENT_INSTANT, 77);
    pf_trace *t = load(&b);
    cr_expect_eq(t->sides.known[PF_SIDE_EVENT_STACK].count, 0);
    cr_expect_eq(pf_trace_slices(t)->count, 4);
    cr_expect_eq(stat_of(t, PF_STAT_EVENT_ERRORS), 4);
    cr_expect_eq(stat_of(t, PF_STAT_INTERNED_ERRORS), 3);
    cr_expect_eq(stat_of(t, PF_STAT_STACK_NO_FRAME), 1);
    cr_expect_eq(stat_of(t, PF_STAT_STACK_NO_STRING), 1);
    cr_expect_eq(stat_of(t, PF_STAT_STACK_EMPTY), 1);
    pf_trace_free(t);
    finish(&b);
}

static void event_with_log(bytes *b, uint64_t ts, uint64_t track, uint64_t place, uint64_t body, uint64_t priority)
{
    packet(b, ts, 7, NONE);
    pf_writer_begin(&b->w, PF_F_PACKET_TRACK_EVENT);
    pf_writer_varint(&b->w, PF_F_EVENT_TYPE, PF_EVENT_INSTANT);
    pf_writer_varint(&b->w, PF_F_EVENT_TRACK_UUID, track);
    pf_writer_begin(&b->w, PF_F_EVENT_LOG_MESSAGE);
    pf_writer_varint(&b->w, PF_F_LOG_BODY_IID, body);
    if (place) {
        pf_writer_varint(&b->w, PF_F_LOG_SOURCE_LOCATION_IID, place);
    }
    if (priority) {
        pf_writer_varint(&b->w, PF_F_LOG_PRIORITY, priority);
    }
    end(b);
    end(b);
    end(b);
}

Test(logs, of_threads_in_time_order)
{
    bytes b;
    start_stacks(&b);
    intern_text(&b, PF_F_INTERNED_LOG_MESSAGE_BODY, 1, "hello");
    intern_text(&b, PF_F_INTERNED_SOURCE_LOCATIONS, 1, "a.c");
    describe_track(&b, 60, 0, "nobody's", 0);
    event_with_log(&b, 30, 51, 1, 1, 6);
    event_with_log(&b, 20, 51, 0, 1, 0);
    event_with_log(&b, 40, 51, 0, 9, 0);
    event_with_log(&b, 50, 51, 9, 1, 0);
    event_with_log(&b, 60, 60, 0, 1, 0);
    event_with_log(&b, (uint64_t)1 << 63, 51, 0, 1, 0); /* before all time: no event either */
    pf_trace *t = load(&b);
    const pf_side_table *s = &t->sides.known[PF_SIDE_LOG];
    const int64_t *ts = s->column[PF_LOG_TS], *priority = s->column[PF_LOG_PRIORITY];
    cr_assert_eq(s->count, 2);
    cr_expect(ts[0] == 20 && ts[1] == 30 && priority[0] == 4 && priority[1] == 6);
    cr_expect_str_eq(string_at(t, PF_SIDE_LOG, PF_LOG_TAG, 0), "-");
    cr_expect_str_eq(string_at(t, PF_SIDE_LOG, PF_LOG_TAG, 1), "a.c:0");
    cr_expect_str_eq(string_at(t, PF_SIDE_LOG, PF_LOG_MESSAGE, 1), "hello");
    pf_trace_free(t);
    finish(&b);
}
