/* Flow ids: by id, as docs/reference/perfetto.md says, and legacy flows as Perfetto's engine (v55.3) connects them. */
#include "support.h"

enum { B = PF_EVENT_SLICE_BEGIN, E = PF_EVENT_SLICE_END, I = PF_EVENT_INSTANT };
enum { FLOW, OLD_FLOW, TERMINATE, OLD_TERMINATE };

static void put_id(bytes *b, int form, uint64_t id)
{
    switch (form) {
    case FLOW:
        pf_writer_fixed64(&b->w, PF_F_EVENT_FLOW_IDS, id);
        break;
    case OLD_FLOW:
        pf_writer_varint(&b->w, PF_F_EVENT_FLOW_IDS_OLD, id);
        break;
    case TERMINATE:
        pf_writer_fixed64(&b->w, PF_F_EVENT_TERMINATING_FLOW_IDS, id);
        break;
    default:
        pf_writer_varint(&b->w, PF_F_EVENT_TERMINATING_FLOW_IDS_OLD, id);
    }
}

static void begin_event(bytes *b, uint64_t ts, int type, const char *name)
{
    packet(b, ts, 1, NONE);
    pf_writer_begin(&b->w, PF_F_PACKET_TRACK_EVENT);
    if (type) {
        pf_writer_varint(&b->w, PF_F_EVENT_TYPE, (uint64_t)type);
    }
    text(b, PF_F_EVENT_NAME, name);
}

static void end_event(bytes *b)
{
    end(b);
    end(b);
}

static void flow_event(bytes *b, uint64_t ts, int type, const char *name, int form, uint64_t id)
{
    begin_event(b, ts, type, name);
    put_id(b, form, id);
    end_event(b);
}

static void expect_flows(const pf_trace *t, const char *want)
{
    const pf_flows *f = pf_trace_flows(t);
    const pf_slices *s = pf_trace_slices(t);
    pf_buffer got = {0};
    for (uint32_t i = 0; i < f->count; i++) {
        pf_str out = pf_trace_string(t, pf_slice_name(s, f->slice_out[i])),
               in = pf_trace_string(t, pf_slice_name(s, f->slice_in[i]));
        pf_buffer_format(&got, "%.*s %.*s %llu\n", (int)out.len, out.ptr, (int)in.len, in.ptr,
                         (unsigned long long)f->trace_id[i]);
    }
    expect_text(&got, want);
}

Test(flows, a8_ids_on_global_tracks)
{
    bytes b;
    start(&b);
    flow_event(&b, 10, I, "a", FLOW, 5);
    flow_event(&b, 15, I, "b", FLOW, 5);
    flow_event(&b, 25, I, "c", TERMINATE, 5);
    flow_event(&b, 30, I, "d", FLOW, 5);
    flow_event(&b, 32, I, "e", OLD_FLOW, 5);
    event(&b, 40, 1, B, 0, "x");
    flow_event(&b, 45, E, NULL, FLOW, 9);
    flow_event(&b, 50, I, "y", TERMINATE, 9);
    flow_event(&b, 55, I, "z", TERMINATE, 9);
    pf_trace *t = load(&b);
    expect_flows(t, "a b 5\nb c 5\nd e 5\nx y 9\n");
    pf_trace_free(t);
    finish(&b);
}

Test(flows, the_new_form_counts_alone)
{
    bytes b;
    start(&b);
    begin_event(&b, 10, I, "a");
    put_id(&b, OLD_FLOW, 1);
    put_id(&b, FLOW, 2);
    put_id(&b, FLOW, 3);
    end_event(&b);
    begin_event(&b, 20, I, "b");
    put_id(&b, OLD_TERMINATE, 2);
    put_id(&b, OLD_FLOW, 1);
    end_event(&b);
    flow_event(&b, 30, I, "c", FLOW, 1);
    flow_event(&b, 40, I, "d", FLOW, 3);
    pf_trace *t = load(&b);
    expect_flows(t, "a b 2\nb c 1\na d 3\n");
    pf_trace_free(t);
    finish(&b);
}

Test(flows, packed_lists)
{
    static const uint8_t fixed[] = {7, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 9, 9}; /* and a part of an id */
    static const uint8_t varints[] = {7, 8};
    bytes b;
    start(&b);
    begin_event(&b, 10, I, "a");
    pf_writer_bytes(&b.w, PF_F_EVENT_FLOW_IDS, fixed, sizeof fixed);
    end_event(&b);
    begin_event(&b, 20, I, "b");
    pf_writer_bytes(&b.w, PF_F_EVENT_FLOW_IDS_OLD, varints, sizeof varints);
    end_event(&b);
    pf_trace *t = load(&b);
    expect_flows(t, "a b 7\na b 8\n");
    pf_trace_free(t);
    finish(&b);
}

Test(flows, counters_have_none)
{
    bytes b;
    start(&b);
    packet(&b, NONE, 1, NONE);
    pf_writer_begin(&b.w, PF_F_PACKET_TRACK_DESCRIPTOR);
    pf_writer_varint(&b.w, 1, 20);
    pf_writer_begin(&b.w, 8);
    end(&b);
    end(&b);
    end(&b);
    flow_event(&b, 10, I, "a", FLOW, 5);
    begin_event(&b, 20, PF_EVENT_COUNTER, NULL);
    pf_writer_varint(&b.w, PF_F_EVENT_TRACK_UUID, 20);
    pf_writer_varint(&b.w, PF_F_EVENT_COUNTER_VALUE, 1);
    put_id(&b, FLOW, 5);
    end_event(&b);
    pf_trace *t = load(&b);
    cr_expect_eq(pf_trace_counters(t)->count, 1);
    expect_flows(t, "");
    pf_trace_free(t);
    finish(&b);
}

/* An instant with a bind id and a direction. */
static void bound(bytes *b, uint64_t ts, const char *name, uint64_t direction)
{
    begin_event(b, ts, I, name);
    pf_writer_begin(&b->w, PF_F_EVENT_LEGACY_EVENT);
    pf_writer_varint(&b->w, PF_F_LEGACY_BIND_ID, 9);
    if (direction) {
        pf_writer_varint(&b->w, PF_F_LEGACY_FLOW_DIRECTION, direction);
    }
    end(b);
    end_event(b);
}

Test(flows, bind_ids)
{
    bytes b;
    start(&b);
    bound(&b, 10, "early", PF_FLOW_DIRECTION_IN);
    bound(&b, 20, "f1", PF_FLOW_DIRECTION_OUT);
    bound(&b, 30, "f2", PF_FLOW_DIRECTION_INOUT);
    bound(&b, 40, "f3", PF_FLOW_DIRECTION_IN);
    bound(&b, 50, "f4", PF_FLOW_DIRECTION_IN);
    bound(&b, 60, "f5", PF_FLOW_DIRECTION_OUT);
    bound(&b, 70, "f6", 0);
    pf_trace *t = load(&b);
    expect_flows(t, "f1 f2 9\nf2 f3 9\nf2 f4 9\n");
    cr_expect_eq(stat_of(t, PF_STAT_FLOW_END_NO_START), 1);
    cr_expect_eq(stat_of(t, PF_STAT_FLOW_DUPLICATE), 1);
    cr_expect_eq(stat_of(t, PF_STAT_FLOW_WITHOUT_DIRECTION), 1);
    pf_trace_free(t);
    finish(&b);
}

/* An event of a legacy phase with an id (0: none) on the thread of the sequence. */
static void phase(bytes *b, uint64_t ts, const char *name, char letter, uint64_t id, bool enclosing)
{
    begin_event(b, ts, 0, name);
    pf_writer_begin(&b->w, PF_F_EVENT_LEGACY_EVENT);
    pf_writer_varint(&b->w, PF_F_LEGACY_PHASE, (uint64_t)letter);
    if (id) {
        pf_writer_varint(&b->w, PF_F_LEGACY_UNSCOPED_ID, id);
    }
    if (enclosing) {
        pf_writer_varint(&b->w, PF_F_LEGACY_BIND_TO_ENCLOSING, 1);
    }
    end(b);
    end_event(b);
}

Test(flows, legacy_phases)
{
    bytes b;
    start(&b);
    packet(&b, NONE, 1, PF_SEQ_STATE_CLEARED);
    end(&b);
    describe_thread(&b, 1, 11, 5, 6, NULL);
    phase(&b, 5, "f", 's', 3, false);
    phase(&b, 10, "one", 'B', 0, false);
    phase(&b, 11, "f", 's', 3, false);
    phase(&b, 12, "f", 't', 3, false);
    phase(&b, 13, "f", 'f', 3, true);
    phase(&b, 14, "f", 'f', 3, false);
    phase(&b, 15, "other", 's', 3, false);
    phase(&b, 16, "f", 's', 0, false);
    phase(&b, 20, "two", 'B', 0, false);
    phase(&b, 21, "other", 'f', 3, true);
    pf_trace *t = load(&b);
    expect_flows(t, "one one 0\none one 0\none two 0\none two 1\n");
    cr_expect_eq(stat_of(t, PF_STAT_FLOW_NO_SLICE), 1);
    cr_expect_eq(stat_of(t, PF_STAT_FLOW_INVALID_ID), 1);
    pf_trace_free(t);
    finish(&b);
}

/* A packed list counts up to the number that is cut off. */
Test(flows, packed_lists_that_are_cut)
{
    static const uint8_t cut[] = {7, 0x88, 0x01, 0x89};
    bytes b;
    start(&b);
    begin_event(&b, 10, I, "a");
    put_id(&b, FLOW, 7);
    put_id(&b, FLOW, 9);
    put_id(&b, FLOW, 136);
    end_event(&b);
    begin_event(&b, 20, I, "b");
    pf_writer_bytes(&b.w, PF_F_EVENT_FLOW_IDS_OLD, cut, sizeof cut);
    end_event(&b);
    pf_trace *t = load(&b);
    expect_flows(t, "a b 7\na b 136\n");
    cr_expect_eq(pf_trace_slices(t)->count, 2);
    pf_trace_free(t);
    finish(&b);
}

/* Events of a track whose parent does not exist go, with their flows and clocks; what others have stays theirs. */
Test(flows, removed_events_take_theirs_along)
{
    bytes b;
    start(&b);
    describe_track(&b, 20, 99, "orphan", 0);
    describe_thread(&b, 1, 10, 100, 101, "t");
    for (uint64_t i = 0; i < 6; i++) {
        begin_event(&b, 10 + i, i % 3 == 2 ? E : B, (const char *[]){"gone", "a", NULL, "gone", "b", NULL}[i]);
        pf_writer_varint(&b.w, PF_F_EVENT_TRACK_UUID, i % 3 ? 10 : 20);
        pf_writer_varint(&b.w, PF_F_EVENT_THREAD_TIME_ABSOLUTE_US, 50 + 3 * i);
        pf_writer_varint(&b.w, PF_F_EVENT_THREAD_INSTRUCTION_COUNT_ABSOLUTE, 1000 + i * i);
        if (i % 3 != 2) {
            put_id(&b, FLOW, 7);
        }
        end_event(&b);
    }
    pf_trace *t = load(&b);
    const pf_slices *s = pf_trace_slices(t);
    cr_assert_eq(s->count, 2);
    cr_assert(s->thread_ts && s->thread_instruction_count);
    static const int64_t times[] = {53000, 62000}, counts[] = {1001, 1016}, deltas[] = {3, 9};
    for (uint32_t i = 0; i < 2; i++) {
        cr_expect_eq(s->thread_ts[i], times[i], "%lld", (long long)s->thread_ts[i]);
        cr_expect_eq(s->thread_dur[i], 3000, "%lld", (long long)s->thread_dur[i]);
        cr_expect_eq(s->thread_instruction_count[i], counts[i], "%lld", (long long)s->thread_instruction_count[i]);
        cr_expect_eq(s->thread_instruction_delta[i], deltas[i], "%lld", (long long)s->thread_instruction_delta[i]);
    }
    expect_flows(t, "a b 7\n");
    pf_trace_free(t);
    finish(&b);
}
