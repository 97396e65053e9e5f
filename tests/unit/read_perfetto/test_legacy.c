/* Legacy phases, the thread an event came from, thread clocks. What is expected was read off Perfetto's engine (v55.3)
 * for the same packets. */
#include "support.h"

/* A sequence with a valid state, a process (uuid 50), its thread 101 (uuid 51, the thread of the sequence: 1, 2 us and
 * 3 instructions are its references), tracks of the process (52), of nobody (53) and of the thread (54). */
static void start_legacy(bytes *b)
{
    start(b);
    packet(b, NONE, 7, PF_SEQ_STATE_CLEARED);
    end(b);
    describe_process(b, 50, 100, "proc");
    packet(b, NONE, 7, NONE);
    pf_writer_begin(&b->w, PF_F_PACKET_TRACK_DESCRIPTOR);
    pf_writer_varint(&b->w, 1, 51);
    pf_writer_begin(&b->w, 4);
    pf_writer_varint(&b->w, 1, 100);
    pf_writer_varint(&b->w, 2, 101);
    pf_writer_varint(&b->w, 6, 1);
    pf_writer_varint(&b->w, 7, 2);
    pf_writer_varint(&b->w, 8, 3);
    end(b);
    end(b);
    end(b);
    describe_track(b, 52, 50, "pasync", 0);
    describe_track(b, 53, 0, "gasync", 0);
    describe_track(b, 54, 51, "tchild", 0);
}

static void begin_event(bytes *b, uint64_t ts, const char *name)
{
    packet(b, ts, 7, NONE);
    pf_writer_begin(&b->w, PF_F_PACKET_TRACK_EVENT);
    text(b, PF_F_EVENT_CATEGORIES, "c");
    text(b, PF_F_EVENT_NAME, name);
}

static void begin_legacy(bytes *b, char phase)
{
    pf_writer_begin(&b->w, PF_F_EVENT_LEGACY_EVENT);
    pf_writer_varint(&b->w, PF_F_LEGACY_PHASE, (uint64_t)phase);
}

static void end_event(bytes *b)
{
    end(b);
    end(b);
}

/* An event that has a phase and one more field of legacy_event (0: none). */
static void legacy(bytes *b, uint64_t ts, const char *name, char phase, uint32_t field, uint64_t value)
{
    begin_event(b, ts, name);
    begin_legacy(b, phase);
    if (field) {
        pf_writer_varint(&b->w, field, value);
    }
    end(b);
    end_event(b);
}

/* The same on the track of a uuid. */
static void legacy_on(bytes *b, uint64_t ts, uint64_t uuid, const char *name, char phase, uint32_t field,
                      uint64_t value)
{
    begin_event(b, ts, name);
    pf_writer_varint(&b->w, PF_F_EVENT_TRACK_UUID, uuid);
    begin_legacy(b, phase);
    if (field) {
        pf_writer_varint(&b->w, field, value);
    }
    end(b);
    end_event(b);
}

/* An event that has a phase and thread clocks (NONE: not given). */
static void timed(bytes *b, uint64_t ts, char phase, uint64_t time_us, uint64_t instructions, uint64_t duration_us)
{
    begin_event(b, ts, "t");
    if (time_us != NONE) {
        pf_writer_varint(&b->w, PF_F_EVENT_THREAD_TIME_ABSOLUTE_US, time_us);
    }
    if (instructions != NONE) {
        pf_writer_varint(&b->w, PF_F_EVENT_THREAD_INSTRUCTION_COUNT_ABSOLUTE, instructions);
    }
    begin_legacy(b, phase);
    if (duration_us) {
        pf_writer_varint(&b->w, PF_F_LEGACY_DURATION_US, duration_us);
        pf_writer_varint(&b->w, PF_F_LEGACY_THREAD_DURATION_US, duration_us / 2);
        pf_writer_varint(&b->w, PF_F_LEGACY_THREAD_INSTRUCTION_DELTA, 7);
    }
    end(b);
    end_event(b);
}

static void put_clock(pf_buffer *out, int64_t value)
{
    if (value == INT64_MIN) {
        pf_buffer_text(out, " -");
    } else {
        pf_buffer_format(out, " %lld", (long long)value);
    }
}

/* One line per slice: its time, thread time and instruction count, each with what passed. */
static void show_clocks(const pf_trace *t, pf_buffer *out)
{
    const pf_slices *s = pf_trace_slices(t);
    for (uint32_t i = 0; s->thread_ts && i < s->count; i++) {
        pf_buffer_format(out, "%lld:", (long long)pf_slice_ts(s, i));
        put_clock(out, s->thread_ts[i]);
        put_clock(out, s->thread_dur[i]);
        put_clock(out, s->thread_instruction_count[i]);
        put_clock(out, s->thread_instruction_delta[i]);
        pf_buffer_text(out, "\n");
    }
}

static void expect_events_args(const pf_trace *t, const char *want)
{
    pf_buffer got = {0};
    for (uint32_t i = 0; i < pf_trace_events(t)->count; i++) {
        if (pf_trace_events(t)->phase[i] != 'M') {
            show_args(t, i, &got);
            pf_buffer_text(&got, "\n");
        }
    }
    expect_text(&got, want);
}

#define THREAD " | thread_execution - pid 100 tid 101\n"

Test(legacy_phases, of_threads)
{
    bytes b;
    start_legacy(&b);
    legacy(&b, 10000, "lB", 'B', 0, 0);
    legacy(&b, 11000, "lX", 'X', PF_F_LEGACY_DURATION_US, 2);
    legacy(&b, 11500, "bad", 'X', PF_F_LEGACY_DURATION_US, (uint64_t)-1);
    legacy(&b, 14000, "lB", 'E', 0, 0);
    legacy(&b, 14500, "li", 'i', 0, 0);
    legacy(&b, 14800, "lR", 'R', 0, 0);
    legacy(&b, 14900, "lC", 'C', 0, 0);
    pf_trace *t = load(&b);
    pf_buffer got = {0};
    show_slices(t, &got);
    expect_text(&got, "10000 4000 d0 lB c" THREAD "11000 2000 d1 lX c" THREAD "14500 0 d0 li c" THREAD
                      "14800 0 d0 lR c" THREAD);
    expect_events_args(t, "\n\n\n\n legacy_event.phase='R'\n\n");
    cr_expect_eq(stat_of(t, PF_STAT_EVENT_ERRORS), 1);
    cr_expect_eq(pf_trace_counters(t)->count, 0);
    pf_trace_free(t);
    finish(&b);
}

Test(legacy_phases, scopes_of_instants)
{
    bytes b;
    start_legacy(&b);
    legacy(&b, 14600, "lig", 'I', PF_F_LEGACY_INSTANT_EVENT_SCOPE, 1);
    legacy(&b, 14700, "lip", 'i', PF_F_LEGACY_INSTANT_EVENT_SCOPE, 2);
    legacy_on(&b, 14800, 53, "none", 'i', PF_F_LEGACY_INSTANT_EVENT_SCOPE, 3);
    legacy_on(&b, 14900, 53, "none", 'i', PF_F_LEGACY_INSTANT_EVENT_SCOPE, 2);
    pf_trace *t = load(&b);
    pf_buffer got = {0};
    show_slices(t, &got);
    expect_text(&got, "14600 0 d0 lig c | legacy_chrome_global_instants -\n"
                      "14700 0 d0 lip c | chrome_process_instant - pid 100\n");
    expect_events_args(t, " legacy_event.passthrough_utid=2u\n legacy_event.passthrough_utid=2u\n");
    cr_expect_eq(stat_of(t, PF_STAT_EVENT_ERRORS), 2);
    pf_trace_free(t);
    finish(&b);
}

/* A process has one track for its instants, and so has the trace. */
Test(legacy_phases, instants_of_one_scope_share_a_track)
{
    bytes b;
    start_legacy(&b);
    legacy(&b, 14600, "lig", 'I', PF_F_LEGACY_INSTANT_EVENT_SCOPE, 1);
    legacy(&b, 14700, "lip", 'i', PF_F_LEGACY_INSTANT_EVENT_SCOPE, 2);
    legacy(&b, 14800, "lip", 'i', PF_F_LEGACY_INSTANT_EVENT_SCOPE, 2);
    legacy(&b, 14900, "lig", 'I', PF_F_LEGACY_INSTANT_EVENT_SCOPE, 1);
    pf_trace *t = load(&b);
    const pf_slices *s = pf_trace_slices(t);
    cr_assert_eq(s->count, 4);
    cr_expect_eq(s->track[0], s->track[3]);
    cr_expect_eq(s->track[1], s->track[2]);
    cr_expect_neq(s->track[0], s->track[1]);
    pf_trace_free(t);
    finish(&b);
}

Test(legacy_phases, operations_of_one_name_share_lanes)
{
    bytes b;
    start_legacy(&b);
    legacy(&b, 15000, "as1", 'b', PF_F_LEGACY_UNSCOPED_ID, 77);
    legacy(&b, 15100, "as2", 'b', PF_F_LEGACY_UNSCOPED_ID, 77);
    legacy(&b, 15200, "asn", 'n', PF_F_LEGACY_UNSCOPED_ID, 77);
    legacy(&b, 15300, "as1", 'b', PF_F_LEGACY_UNSCOPED_ID, 78);
    legacy(&b, 15400, "as2", 'e', PF_F_LEGACY_UNSCOPED_ID, 77);
    legacy(&b, 15500, "as1", 'e', PF_F_LEGACY_UNSCOPED_ID, 77);
    legacy(&b, 15600, "as1", 'e', PF_F_LEGACY_UNSCOPED_ID, 78);
    legacy(&b, 16800, "noid", 'b', 0, 0);
    pf_trace *t = load(&b);
    pf_buffer got = {0};
    show_slices(t, &got);
    expect_text(&got, "15000 500 d0 as1 c | legacy_async_global_slice as1\n"
                      "15100 300 d1 as2 c | legacy_async_global_slice as1\n"
                      "15200 0 d2 asn c | legacy_async_global_slice as1\n"
                      "15300 300 d0 as1 c | legacy_async_global_slice as1\n");
    const pf_slices *s = pf_trace_slices(t);
    cr_assert_eq(s->count, 4);
    cr_expect_eq(s->track[1], s->track[0]);
    cr_expect_neq(s->track[3], s->track[0]);
    cr_expect_eq(pf_trace_tracks(t)->group[s->track[3]], pf_trace_tracks(t)->group[s->track[0]]);
    cr_expect_eq(stat_of(t, PF_STAT_EVENT_ERRORS), 1);
    pf_trace_free(t);
    finish(&b);
}

Test(legacy_phases, ids_and_old_steps)
{
    bytes b;
    start_legacy(&b);
    legacy(&b, 16000, "loc", 'b', PF_F_LEGACY_LOCAL_ID, 5);
    legacy(&b, 16100, "loc", 'e', PF_F_LEGACY_LOCAL_ID, 5);
    legacy(&b, 16200, "glo", 'b', PF_F_LEGACY_GLOBAL_ID, 5);
    legacy(&b, 16300, "glo", 'e', PF_F_LEGACY_GLOBAL_ID, 5);
    legacy(&b, 16400, "st", 'S', PF_F_LEGACY_UNSCOPED_ID, 5);
    legacy(&b, 16500, "st", 'T', PF_F_LEGACY_UNSCOPED_ID, 5);
    legacy(&b, 16600, "st", 'p', PF_F_LEGACY_UNSCOPED_ID, 5);
    legacy(&b, 16700, "st", 'F', PF_F_LEGACY_UNSCOPED_ID, 5);
    legacy_on(&b, 17700, 52, "lax", 'b', PF_F_LEGACY_LOCAL_ID, 8);
    legacy_on(&b, 17710, 53, "lax", 'b', PF_F_LEGACY_LOCAL_ID, 8);
    pf_trace *t = load(&b);
    pf_buffer got = {0};
    show_slices(t, &got);
    expect_text(&got, "16000 100 d0 loc c | legacy_async_process_slice loc pid 100\n"
                      "16200 100 d0 glo c | legacy_async_global_slice glo\n"
                      "16400 300 d0 st c | legacy_async_global_slice st\n"
                      "16500 0 d1 st c | legacy_async_global_slice st\n"
                      "16600 0 d1 st c | legacy_async_global_slice st\n"
                      "17700 -1 d0 lax c | legacy_async_process_slice lax pid 100\n");
    expect_events_args(t, " legacy_trace_source_id=5 legacy_event.passthrough_utid=2u\n"
                          " legacy_trace_source_id=5 legacy_event.passthrough_utid=2u\n"
                          " legacy_trace_source_id=5 legacy_event.passthrough_utid=2u\n"
                          " legacy_trace_source_id=5 legacy_event.passthrough_utid=2u\n"
                          " legacy_trace_source_id=5 legacy_event.passthrough_utid=2u legacy_event.phase='S'\n"
                          " legacy_trace_source_id=5 legacy_event.passthrough_utid=2u legacy_event.phase='T'\n"
                          " legacy_trace_source_id=5 legacy_event.passthrough_utid=2u legacy_event.phase='p'\n"
                          " legacy_trace_source_id=5 legacy_event.passthrough_utid=2u\n"
                          " legacy_trace_source_id=8\n");
    pf_trace_free(t);
    finish(&b);
}

Test(legacy_phases, on_described_tracks)
{
    bytes b;
    start_legacy(&b);
    legacy_on(&b, 17000, 52, "pa", 'B', 0, 0);
    legacy_on(&b, 17100, 54, "tc", 'B', 0, 0);
    legacy_on(&b, 17200, 54, "tc", 'E', 0, 0);
    event(&b, 17300, 7, PF_EVENT_INSTANT, 52, "pa2");
    event(&b, 17500, 7, PF_EVENT_INSTANT, 53, "ga");
    event(&b, 17600, 7, PF_EVENT_INSTANT, 51, "th");
    pf_trace *t = load(&b);
    pf_buffer got = {0};
    show_slices(t, &got);
    expect_text(&got, "17100 100 d0 tc c | thread_merged_track_event tchild pid 100 tid 101\n"
                      "17300 0 d0 pa2 - | process_merged_track_event pasync pid 100\n"
                      "17500 0 d0 ga - | global_merged_track_event gasync\n"
                      "17600 0 d0 th -" THREAD);
    expect_events_args(t, "\n\n legacy_event.passthrough_utid=2u\n legacy_event.passthrough_utid=2u\n\n");
    cr_expect_eq(stat_of(t, PF_STAT_EVENT_ERRORS), 1);
    pf_trace_free(t);
    finish(&b);
}

Test(legacy_phases, another_process_or_thread)
{
    bytes b;
    start_legacy(&b);
    begin_event(&b, 17800, "both");
    begin_legacy(&b, 'B');
    pf_writer_varint(&b.w, PF_F_LEGACY_PID_OVERRIDE, 200);
    pf_writer_varint(&b.w, PF_F_LEGACY_TID_OVERRIDE, 201);
    end(&b);
    end_event(&b);
    legacy(&b, 17900, "pid", 'B', PF_F_LEGACY_PID_OVERRIDE, 300);
    legacy(&b, 18000, "tid", 'B', PF_F_LEGACY_TID_OVERRIDE, 301);
    expect_slices(&b, "17800 -1 d0 both c | thread_execution - pid 200 tid 201\n"
                      "17900 -1 d0 pid c | thread_execution - pid 300 tid -1\n"
                      "18000 -1 d0 tid c | thread_execution - pid 100 tid 301\n");
    finish(&b);
}

Test(legacy_phases, names_of_processes_and_threads)
{
    bytes b;
    start_legacy(&b);
    const char *const names[] = {"thread_name", "process_name", "other_name"};
    for (int i = 0; i < 3; i++) {
        begin_event(&b, 100, names[i]);
        pf_writer_begin(&b.w, PF_F_EVENT_DEBUG_ANNOTATIONS);
        text(&b, PF_F_ANNOTATION_NAME, "name");
        text(&b, PF_F_ANNOTATION_STRING, i == 0 ? "renamed" : "procnew");
        end(&b);
        begin_legacy(&b, 'M');
        pf_writer_varint(&b.w, i == 0 ? PF_F_LEGACY_TID_OVERRIDE : PF_F_LEGACY_PID_OVERRIDE, 300);
        end(&b);
        end_event(&b);
    }
    pf_trace *t = load(&b);
    const pf_threads *h = pf_trace_threads(t);
    const pf_processes *p = pf_trace_processes(t);
    uint32_t thread = 0, process = 0;
    for (uint32_t i = 1; i < h->count; i++) {
        thread = h->tid[i] == 300 && p->pid[h->upid[i]] == 100 ? i : thread;
    }
    for (uint32_t i = 1; i < p->count; i++) {
        process = p->pid[i] == 300 ? i : process;
    }
    cr_expect_eq(h->name[thread], pf_trace_find_string(t, PF_STR("renamed")));
    cr_expect_eq(p->name[process], pf_trace_find_string(t, PF_STR("procnew")));
    cr_expect_eq(pf_trace_slices(t)->count, 0);
    pf_trace_free(t);
    finish(&b);
}

Test(thread_clocks, absolute_times_and_counts)
{
    bytes b;
    start_legacy(&b);
    timed(&b, 10000, 'B', 5, 50, 0);
    timed(&b, 11000, 'X', 6, NONE, 2);
    timed(&b, 12000, 'X', NONE, 70, 2);
    timed(&b, 14500, 'E', 9, 58, 0);
    timed(&b, 14600, 'i', 9, NONE, 0);
    timed(&b, 14700, 'B', 9, 60, 0);
    timed(&b, 14800, 'E', 9, 60, 0);
    pf_trace *t = load(&b);
    pf_buffer got = {0};
    show_clocks(t, &got);
    expect_text(&got, "10000: 5000 4000 50 8\n11000: 6000 1000 - -\n12000: - - 70 7\n14600: 9000 0 - -\n"
                      "14700: 9000 - 60 0\n");
    show_counters(t, &got);
    const char *end_of = " | thread_time thread_time pid 100 tid 101 -";
    cr_expect_not_null(strstr(got.data, end_of));
    cr_expect_not_null(strstr(got.data, "10000 50 | thread_instructions thread_instruction_count pid 100 tid 101 -"));
    cr_expect_eq(pf_trace_counters(t)->count, 11);
    pf_buffer_free(&got);
    pf_trace_free(t);
    finish(&b);
}

static void delta(bytes *b, uint64_t ts, char phase, uint64_t time_us, uint64_t instructions)
{
    begin_event(b, ts, "d");
    pf_writer_varint(&b->w, PF_F_EVENT_THREAD_TIME_DELTA_US, time_us);
    pf_writer_varint(&b->w, PF_F_EVENT_THREAD_INSTRUCTION_COUNT_DELTA, instructions);
    begin_legacy(b, phase);
    end(b);
    end_event(b);
}

Test(thread_clocks, differences_count_from_the_thread_descriptor)
{
    bytes b;
    start_legacy(&b);
    delta(&b, 18400, 'B', 3, 4);
    delta(&b, 18500, 'E', 5, 6);
    delta(&b, 18600, 'B', 0, 0);
    delta(&b, 18700, 'E', 0, 0);
    packet(&b, NONE, 7, PF_SEQ_STATE_CLEARED); /* forgets the references, but not the thread */
    end(&b);
    delta(&b, 18800, 'B', 1, 1);
    pf_trace *t = load(&b);
    pf_buffer got = {0};
    show_clocks(t, &got);
    expect_text(&got, "18400: 5000 5000 7 6\n18600: 10000 - 13 0\n");
    cr_expect_eq(stat_of(t, PF_STAT_THREAD_TIME_SKIPPED), 1);
    cr_expect_eq(pf_trace_slices(t)->count, 2);
    pf_trace_free(t);
    finish(&b);
}

Test(thread_clocks, not_on_tracks_of_processes)
{
    bytes b;
    start_legacy(&b);
    packet(&b, 17650, 7, NONE);
    pf_writer_begin(&b.w, PF_F_PACKET_TRACK_EVENT);
    pf_writer_varint(&b.w, PF_F_EVENT_TYPE, PF_EVENT_INSTANT);
    pf_writer_varint(&b.w, PF_F_EVENT_TRACK_UUID, 52);
    pf_writer_varint(&b.w, PF_F_EVENT_THREAD_TIME_ABSOLUTE_US, 33);
    end(&b);
    end(&b);
    pf_trace *t = load(&b);
    cr_expect_eq(pf_trace_slices(t)->count, 1);
    cr_expect_null(pf_trace_slices(t)->thread_ts);
    cr_expect_eq(pf_trace_counters(t)->count, 0);
    pf_trace_free(t);
    finish(&b);
}

/* Only a thread's track can hold B, E, X and thread instants; what a track is may be told later. */
Test(legacy_threads, are_needed)
{
    bytes b;
    start(&b);
    for (uint64_t uuid = 70; uuid < 73; uuid++) {
        for (const char *phase = "BX"; *phase; phase++) {
            packet(&b, 100 * uuid, 7, NONE);
            pf_writer_begin(&b.w, PF_F_PACKET_TRACK_EVENT);
            pf_writer_varint(&b.w, PF_F_EVENT_TRACK_UUID, uuid);
            text(&b, PF_F_EVENT_NAME, *phase == 'B' ? "begin" : "complete");
            begin_legacy(&b, *phase);
            end(&b);
            end_event(&b);
        }
    }
    describe_thread(&b, 7, 70, 100, 101, "late");
    describe_process(&b, 71, 100, "process");
    pf_trace *t = load(&b);
    cr_expect_eq(pf_trace_slices(t)->count, 2);
    cr_expect_eq(stat_of(t, PF_STAT_EVENT_ERRORS), 4);
    pf_trace_free(t);
    finish(&b);
}

/* A packet-level thread descriptor in front of valid state, or without a sequence, changes nothing. */
Test(legacy_threads, descriptors_before_valid_state)
{
    bytes b;
    start(&b);
    for (uint64_t sequence = 0; sequence < 2; sequence++) {
        packet(&b, NONE, sequence ? 7 : NONE, NONE);
        pf_writer_begin(&b.w, PF_F_PACKET_THREAD_DESCRIPTOR);
        pf_writer_varint(&b.w, 1, 100);
        pf_writer_varint(&b.w, 2, 101);
        end(&b);
        end(&b);
    }
    pf_trace *t = load(&b);
    cr_expect_eq(pf_trace_threads(t)->count, 1, "only the idle one");
    cr_expect_eq(stat_of(t, PF_STAT_THREAD_NO_SEQUENCE), 1);
    cr_expect_eq(stat_of(t, PF_STAT_THREAD_SKIPPED_STATE), 1);
    pf_trace_free(t);
    finish(&b);
}

/* An id with a scope belongs to its category, too; one without belongs to its category ('b') or its name ('S'). */
Test(legacy_phases, scopes_of_ids)
{
    static const char *const categories[] = {"c", "c", "other", "c"}, *const scopes[] = {"one", "two", "one", NULL};
    bytes b;
    start_legacy(&b);
    for (uint64_t i = 0; i < 8; i++) { /* four begin, then they end in the same order */
        packet(&b, 10 + i, 7, NONE);
        pf_writer_begin(&b.w, PF_F_PACKET_TRACK_EVENT);
        text(&b, PF_F_EVENT_CATEGORIES, categories[i % 4]);
        text(&b, PF_F_EVENT_NAME, "op");
        begin_legacy(&b, i < 4 ? 'b' : 'e');
        pf_writer_varint(&b.w, PF_F_LEGACY_UNSCOPED_ID, 5);
        text(&b, PF_F_LEGACY_ID_SCOPE, scopes[i % 4]);
        end(&b);
        end_event(&b);
    }
    expect_slices(&b, "10 4 d0 op c | legacy_async_global_slice op\n"
                      "11 4 d0 op c | legacy_async_global_slice op\n"
                      "12 4 d0 op other | legacy_async_global_slice op\n"
                      "13 4 d0 op c | legacy_async_global_slice op\n");
    finish(&b);
}

/* The message of a legacy event may name it by a number; the event's own number comes first. */
Test(legacy_phases, names_in_the_legacy_message)
{
    bytes b;
    start_legacy(&b);
    packet(&b, NONE, 7, NONE);
    intern(&b, PF_F_INTERNED_EVENT_NAMES, 1, "own");
    end(&b);
    packet(&b, NONE, 7, NONE);
    intern(&b, PF_F_INTERNED_EVENT_NAMES, 2, "of the message");
    end(&b);
    for (uint64_t own = 0; own < 2; own++) {
        packet(&b, 10 + own, 7, NONE);
        pf_writer_begin(&b.w, PF_F_PACKET_TRACK_EVENT);
        if (own) {
            pf_writer_varint(&b.w, PF_F_EVENT_NAME_IID, 1);
        }
        begin_legacy(&b, 'I');
        pf_writer_varint(&b.w, PF_F_LEGACY_NAME_IID, 2);
        end(&b);
        end_event(&b);
    }
    expect_slices(&b, "10 0 d0 of the message - | thread_execution - pid 100 tid 101\n"
                      "11 0 d0 own - | thread_execution - pid 100 tid 101\n");
    finish(&b);
}

/* An operation that names a track of its own accord gives that track its name, although its events stand elsewhere. */
Test(legacy_phases, names_of_tracks_that_operations_pass)
{
    bytes b;
    start_legacy(&b);
    describe_track(&b, 60, 0, NULL, 0);
    event(&b, 30, 7, PF_EVENT_INSTANT, 60, "later");
    legacy_on(&b, 20, 60, "operation", 'b', PF_F_LEGACY_GLOBAL_ID, 5);
    legacy_on(&b, 25, 60, "operation", 'e', PF_F_LEGACY_GLOBAL_ID, 5);
    expect_slices(&b, "20 5 d0 operation c | legacy_async_global_slice operation\n"
                      "30 0 d0 later - | global_merged_track_event operation\n");
    finish(&b);
}

/* A name that the packet-level descriptor gives. */
Test(legacy_threads, names_of_descriptors)
{
    bytes b;
    start(&b);
    packet(&b, NONE, 7, PF_SEQ_STATE_CLEARED);
    pf_writer_begin(&b.w, PF_F_PACKET_THREAD_DESCRIPTOR);
    pf_writer_varint(&b.w, 1, 100);
    pf_writer_varint(&b.w, 2, 101);
    text(&b, 5, "worker");
    end(&b);
    end(&b);
    pf_trace *t = load(&b);
    const pf_threads *h = pf_trace_threads(t);
    uint32_t utid = 0;
    while (utid < h->count && h->tid[utid] != 101) {
        utid++;
    }
    cr_assert_lt(utid, h->count);
    cr_expect_eq(pf_trace_processes(t)->pid[h->upid[utid]], 100);
    cr_expect_eq(h->name[utid], pf_trace_find_string(t, PF_STR("worker")));
    pf_trace_free(t);
    finish(&b);
}

/* An event that its track cannot hold leaves its extra values behind, unless it is an instant. */
Test(legacy_threads, values_of_events_that_are_dropped)
{
    static const struct {
        uint64_t uuid;
        char phase;
        uint32_t samples;
    } cases[] = {{51, 'B', 1}, {51, 'i', 1}, {52, 'B', 1}, {52, 'X', 1}, {52, 'E', 1}, {52, 'i', 0}, {53, 'B', 1},
                 {53, 'X', 1}, {53, 'i', 0}, {50, 'B', 1}, {50, 'X', 1}, {50, 'i', 0}, {90, 'B', 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bytes b;
        start_legacy(&b);
        packet(&b, NONE, 7, NONE);
        pf_writer_begin(&b.w, PF_F_PACKET_TRACK_DESCRIPTOR);
        pf_writer_varint(&b.w, 1, 60);
        text(&b, 2, "n");
        pf_writer_begin(&b.w, 8); /* counter */
        end(&b);
        end(&b);
        end(&b);
        begin_event(&b, 10000, "e");
        pf_writer_varint(&b.w, PF_F_EVENT_TRACK_UUID, cases[i].uuid);
        pf_writer_varint(&b.w, PF_F_EVENT_EXTRA_COUNTER_TRACK_UUIDS, 60);
        pf_writer_varint(&b.w, PF_F_EVENT_EXTRA_COUNTER_VALUES, 5);
        begin_legacy(&b, cases[i].phase);
        end(&b);
        end_event(&b);
        pf_trace *t = load(&b);
        cr_expect_eq(pf_trace_counters(t)->count, cases[i].samples, "%c on %lu", cases[i].phase,
                     (unsigned long)cases[i].uuid);
        cr_expect_eq(pf_trace_slices(t)->count, cases[i].uuid == 51, "%c on %lu", cases[i].phase,
                     (unsigned long)cases[i].uuid);
        pf_trace_free(t);
        finish(&b);
    }
}
