/* States of tracks (TYPE_STATE). The reference engine at hand does not know them: values follow
 * docs/reference/perfetto.md and the results that upstream's own tests expect (corpus: track_event_state and its
 * neighbours). */
#include "support.h"

static void describe_state(bytes *b, uint64_t uuid, uint64_t parent, const char *name)
{
    packet(b, NONE, 1, NONE);
    pf_writer_begin(&b->w, PF_F_PACKET_TRACK_DESCRIPTOR);
    pf_writer_varint(&b->w, 1, uuid);
    if (parent) {
        pf_writer_varint(&b->w, 5, parent);
    }
    if (name) {
        text(b, 2, name);
    }
    pf_writer_begin(&b->w, 18); /* state */
    end(b);
    end(b);
    end(b);
}

static void state(bytes *b, uint64_t ts, uint64_t track, const char *name)
{
    event(b, ts, 1, PF_EVENT_STATE, track, name);
}

/* "ts dur value | track type" per row. */
static void expect_states(bytes *b, const char *want, uint64_t errors)
{
    pf_trace *t = load(b);
    pf_side_table *s = &t->sides.known[PF_SIDE_STATE];
    const pf_tracks *tracks = pf_trace_tracks(t);
    pf_buffer got = {0};
    for (uint32_t i = 0; i < s->count; i++) {
        uint32_t track = *pf_side_ref(s, PF_STATE_TRACK, i);
        pf_str value = pf_trace_string(t, *pf_side_ref(s, PF_STATE_VALUE, i)),
               name = pf_trace_string(t, tracks->name[track]);
        pf_buffer_format(&got, "%lld %lld %.*s | %.*s %s\n", (long long)*pf_side_number(s, PF_STATE_TS, i),
                         (long long)*pf_side_number(s, PF_STATE_DUR, i), (int)value.len, value.ptr, (int)name.len,
                         name.ptr ? name.ptr : "", pf_track_type_name((pf_track_type)tracks->type[track]));
    }
    expect_text(&got, want);
    cr_expect_eq(stat_of(t, PF_STAT_EVENT_ERRORS), errors);
    cr_expect_eq(pf_trace_slices(t)->count, 0);
    pf_trace_free(t);
    finish(b);
}

Test(states, follow_each_other)
{
    bytes b;
    start(&b);
    describe_state(&b, 10, 0, "s");
    state(&b, 100, 10, "A");
    state(&b, 110, 10, "A"); /* goes on */
    state(&b, 120, 10, "B");
    state(&b, 90, 10, "first"); /* later in the file, earlier in time */
    state(&b, 130, 10, NULL);
    state(&b, 140, 10, NULL); /* nothing to end */
    state(&b, 150, 10, "A");
    state(&b, 150, 10, "C");
    expect_states(&b,
                  "90 10 first | s global_state_track_event\n100 20 A | s global_state_track_event\n"
                  "120 10 B | s global_state_track_event\n150 0 A | s global_state_track_event\n"
                  "150 -1 C | s global_state_track_event\n",
                  0);
}

/* Tracks of processes and threads; without a name, a track is called like its first state. */
Test(states, scopes)
{
    bytes b;
    start(&b);
    describe_process(&b, 1, 5, "P");
    describe_thread(&b, 1, 2, 5, 6, "T");
    state(&b, 1000, 20, "Foreground");
    describe_state(&b, 20, 1, "ProcState"); /* after its event */
    describe_state(&b, 21, 2, NULL);
    state(&b, 2000, 21, "Running");
    expect_states(&b,
                  "1000 -1 Foreground | ProcState process_state_track_event\n"
                  "2000 -1 Running | Running thread_state_track_event\n",
                  0);
}

/* Any other track refuses a state; a state before time zero is dropped. */
Test(states, refused)
{
    bytes b;
    start(&b);
    describe_process(&b, 1, 5, "P");
    describe_track(&b, 3, 1, "slices", 0);
    state(&b, 1, 1, "x");
    state(&b, 2, 3, "x");
    state(&b, 3, 99, "x");
    state(&b, 4, 0, "x");
    expect_states(&b, "", 4);
    start(&b);
    describe_state(&b, 10, 0, "s");
    state(&b, (uint64_t)-5, 10, "x");
    expect_states(&b, "", 0);
}

/* They count for the bounds. */
Test(states, bounds)
{
    bytes b;
    int64_t from, to;
    start(&b);
    describe_state(&b, 10, 0, "s");
    state(&b, 70, 10, "A");
    state(&b, 90, 10, NULL);
    pf_trace *t = load(&b);
    pf_trace_bounds(t, &from, &to);
    cr_expect_eq(from, 70);
    cr_expect_eq(to, 90);
    pf_trace_free(t);
    finish(&b);
}

/* A legacy event with the same letter is none. */
Test(states, legacy_letter)
{
    bytes b;
    start(&b);
    describe_state(&b, 10, 0, "s");
    packet(&b, 5, 1, NONE);
    pf_writer_begin(&b.w, PF_F_PACKET_TRACK_EVENT);
    pf_writer_varint(&b.w, PF_F_EVENT_TRACK_UUID, 10);
    text(&b, PF_F_EVENT_NAME, "n");
    pf_writer_begin(&b.w, PF_F_EVENT_LEGACY_EVENT);
    pf_writer_varint(&b.w, PF_F_LEGACY_PHASE, 'Z');
    end(&b);
    end(&b);
    end(&b);
    pf_trace *t = load(&b);
    cr_expect_eq(t->sides.known[PF_SIDE_STATE].count, 0);
    pf_trace_free(t);
    finish(&b);
}
