/* Extra counter values: how they find their tracks, and what is wrong with them. States, triggers. */
#include "support.h"

enum { I = PF_EVENT_INSTANT };

static void describe_content(bytes *b, uint64_t uuid, uint32_t content, const char *name)
{
    packet(b, NONE, 1, NONE);
    pf_writer_begin(&b->w, PF_F_PACKET_TRACK_DESCRIPTOR);
    pf_writer_varint(&b->w, 1, uuid);
    text(b, 2, name);
    pf_writer_begin(&b->w, content);
    end(b);
    end(b);
    end(b);
}

enum { COUNTER = 8, STATE = 18 };

/* An instant with extra values and their uuids, ends with 0 each. */
static void extra(bytes *b, uint64_t ts, const uint64_t *uuids, const uint64_t *values, const uint64_t *double_uuids,
                  const double *doubles)
{
    packet(b, ts, 1, NONE);
    pf_writer_begin(&b->w, PF_F_PACKET_TRACK_EVENT);
    pf_writer_varint(&b->w, PF_F_EVENT_TYPE, I);
    text(b, PF_F_EVENT_NAME, "e");
    for (; *uuids; uuids++) {
        pf_writer_varint(&b->w, PF_F_EVENT_EXTRA_COUNTER_TRACK_UUIDS, *uuids);
    }
    for (; *values; values++) {
        pf_writer_varint(&b->w, PF_F_EVENT_EXTRA_COUNTER_VALUES, *values);
    }
    for (; *double_uuids; double_uuids++) {
        pf_writer_varint(&b->w, PF_F_EVENT_EXTRA_DOUBLE_COUNTER_TRACK_UUIDS, *double_uuids);
    }
    for (; *doubles; doubles++) {
        pf_writer_double(&b->w, PF_F_EVENT_EXTRA_DOUBLE_COUNTER_VALUES, *doubles);
    }
    end(b);
    end(b);
}

static const uint64_t NO_IDS[] = {0};
static const double NO_DOUBLES[] = {0};

Test(extra_values, pair_with_tracks_in_order)
{
    static const uint64_t uuids[] = {20, 21, 22, 0}, values[] = {4, 5, 0}, others[] = {22, 0};
    static const double doubles[] = {0.5, 0};
    bytes b;
    start(&b);
    describe_content(&b, 20, COUNTER, "a");
    describe_content(&b, 21, COUNTER, "b");
    describe_content(&b, 22, COUNTER, "c");
    extra(&b, 10, uuids, values, others, doubles);
    pf_trace *t = load(&b);
    pf_buffer got = {0};
    show_counters(t, &got);
    expect_text(&got, "10 4 | global_counter_track_event a -\n10 5 | global_counter_track_event b -\n"
                      "10 0.5 | global_counter_track_event c -\n");
    cr_expect_eq(pf_trace_slices(t)->count, 1);
    cr_expect_null(pf_trace_slices(t)->thread_ts);
    pf_trace_free(t);
    finish(&b);
}

Test(extra_values, faults_drop_the_event)
{
    static const uint64_t none[] = {0}, one[] = {20, 0}, unknown[] = {99, 0}, slices[] = {30, 0}, two[] = {1, 2, 0};
    static const uint64_t many[] = {20, 20, 20, 20, 20, 20, 20, 20, 20, 0};
    static const double doubles[] = {1.5, 0};
    bytes b;
    start(&b);
    describe_content(&b, 20, COUNTER, "a");
    describe_track(&b, 30, 0, "s", 0);
    extra(&b, 10, none, two, NO_IDS, NO_DOUBLES);
    extra(&b, 20, one, two, NO_IDS, NO_DOUBLES);
    extra(&b, 30, unknown, one, NO_IDS, NO_DOUBLES);
    extra(&b, 40, slices, one, NO_IDS, NO_DOUBLES);
    extra(&b, 50, many, many, NO_IDS, NO_DOUBLES);
    extra(&b, 60, many, many + 1, one, doubles);
    extra(&b, 70, many, many + 1, NO_IDS, NO_DOUBLES);
    pf_trace *t = load(&b);
    cr_expect_eq(stat_of(t, PF_STAT_EXTRA_NO_TRACKS), 1);
    cr_expect_eq(stat_of(t, PF_STAT_EXTRA_MISMATCH), 1);
    cr_expect_eq(stat_of(t, PF_STAT_EXTRA_BAD_TRACK), 2);
    cr_expect_eq(stat_of(t, PF_STAT_EXTRA_TOO_MANY), 2);
    cr_expect_eq(stat_of(t, PF_STAT_EVENT_ERRORS), 0);
    cr_expect_eq(pf_trace_slices(t)->count, 1);
    cr_expect_eq(pf_trace_counters(t)->count, 8);
    pf_trace_free(t);
    finish(&b);
}

Test(extra_values, packed_lists)
{
    static const uint8_t uuids[] = {20, 21}, values[] = {7, 8};
    bytes b;
    start(&b);
    describe_content(&b, 20, COUNTER, "a");
    describe_content(&b, 21, COUNTER, "b");
    packet(&b, 5, 1, NONE);
    pf_writer_begin(&b.w, PF_F_PACKET_TRACK_EVENT);
    pf_writer_varint(&b.w, PF_F_EVENT_TYPE, I);
    pf_writer_bytes(&b.w, PF_F_EVENT_EXTRA_COUNTER_TRACK_UUIDS, uuids, sizeof uuids);
    pf_writer_bytes(&b.w, PF_F_EVENT_EXTRA_COUNTER_VALUES, values, sizeof values);
    end(&b);
    end(&b);
    pf_trace *t = load(&b);
    pf_buffer got = {0};
    show_counters(t, &got);
    expect_text(&got, "5 7 | global_counter_track_event a -\n5 8 | global_counter_track_event b -\n");
    pf_trace_free(t);
    finish(&b);
}

/* Numbers of which the last one is cut off, in the values and in the uuids. */
Test(extra_values, packed_lists_that_are_cut)
{
    static const uint8_t uuids[] = {20, 21, 0x96}, values[] = {7, 0x88, 0x01, 0x89};
    bytes b;
    start(&b);
    describe_content(&b, 20, COUNTER, "a");
    describe_content(&b, 21, COUNTER, "b");
    for (uint64_t i = 0; i < 2; i++) {
        packet(&b, 5 + i, 1, NONE);
        pf_writer_begin(&b.w, PF_F_PACKET_TRACK_EVENT);
        pf_writer_varint(&b.w, PF_F_EVENT_TYPE, I);
        pf_writer_bytes(&b.w, PF_F_EVENT_EXTRA_COUNTER_TRACK_UUIDS, uuids, sizeof uuids);
        pf_writer_bytes(&b.w, PF_F_EVENT_EXTRA_COUNTER_VALUES, values, i ? 0 : sizeof values);
        end(&b);
        end(&b);
    }
    pf_trace *t = load(&b);
    pf_buffer got = {0};
    show_counters(t, &got);
    expect_text(&got, "5 7 | global_counter_track_event a -\n5 136 | global_counter_track_event b -\n");
    cr_expect_eq(stat_of(t, PF_STAT_EXTRA_MISMATCH), 0);
    cr_expect_eq(pf_trace_slices(t)->count, 2);
    pf_trace_free(t);
    finish(&b);
}

/* A value that is cut off at the end of a packed list does not count. */
Test(extra_values, packed_doubles)
{
    static const uint8_t uuids[] = {20, 21};
    static const double doubles[] = {0.25, -3};
    bytes b;
    start(&b);
    describe_content(&b, 20, COUNTER, "a");
    describe_content(&b, 21, COUNTER, "b");
    packet(&b, 5, 1, NONE);
    pf_writer_begin(&b.w, PF_F_PACKET_TRACK_EVENT);
    pf_writer_varint(&b.w, PF_F_EVENT_TYPE, I);
    pf_writer_bytes(&b.w, PF_F_EVENT_EXTRA_DOUBLE_COUNTER_TRACK_UUIDS, uuids, sizeof uuids);
    pf_writer_begin(&b.w, PF_F_EVENT_EXTRA_DOUBLE_COUNTER_VALUES);
    pf_buffer_put(&b.out, (const char *)doubles, sizeof doubles);
    pf_buffer_put(&b.out, "1234567", 7);
    end(&b);
    end(&b);
    end(&b);
    pf_trace *t = load(&b);
    pf_buffer got = {0};
    show_counters(t, &got);
    expect_text(&got, "5 0.25 | global_counter_track_event a -\n5 -3 | global_counter_track_event b -\n");
    cr_expect_eq(stat_of(t, PF_STAT_EXTRA_MISMATCH), 0);
    pf_trace_free(t);
    finish(&b);
}

/* Counter of a thread's clock: by its type where it has no name (1: time, 2: instructions), else by its name. */
static void describe_clock(bytes *b, uint64_t uuid, uint64_t type, const char *name)
{
    packet(b, NONE, 1, NONE);
    pf_writer_begin(&b->w, PF_F_PACKET_TRACK_DESCRIPTOR);
    pf_writer_varint(&b->w, 1, uuid);
    pf_writer_varint(&b->w, 5, 10);
    text(b, 2, name);
    pf_writer_begin(&b->w, COUNTER);
    pf_writer_varint(&b->w, 1, type);
    end(b);
    end(b);
    end(b);
}

/* An instant on the thread with one value of a clock. */
static void clocked(bytes *b, uint64_t ts, uint64_t uuid, double value)
{
    packet(b, ts, 1, NONE);
    pf_writer_begin(&b->w, PF_F_PACKET_TRACK_EVENT);
    pf_writer_varint(&b->w, PF_F_EVENT_TYPE, I);
    pf_writer_varint(&b->w, PF_F_EVENT_TRACK_UUID, 10);
    pf_writer_varint(&b->w, PF_F_EVENT_EXTRA_DOUBLE_COUNTER_TRACK_UUIDS, uuid);
    pf_writer_double(&b->w, PF_F_EVENT_EXTRA_DOUBLE_COUNTER_VALUES, value);
    end(b);
    end(b);
}

Test(extra_values, set_the_clocks_of_threads)
{
    static const uint64_t clocks[] = {20, 21, 22, 23, 24};
    bytes b;
    start(&b);
    describe_thread(&b, 1, 10, 100, 101, "t");
    describe_clock(&b, 20, 1, NULL);
    describe_clock(&b, 21, 2, NULL);
    describe_clock(&b, 22, 0, "thread_time");
    describe_clock(&b, 23, 0, "thread_instruction_count");
    describe_clock(&b, 24, 2, "other"); /* a name of its own: no clock */
    for (uint64_t i = 0; i < 5; i++) {
        clocked(&b, 10 + i, clocks[i], 1000 + (double)i);
    }
    clocked(&b, 15, 20, 0x1p63); /* not a number of nanoseconds */
    clocked(&b, 16, 20, -0x1p63);
    clocked(&b, 17, 20, -0x1.0000000000001p63);
    static const int64_t times[] = {1000, INT64_MIN, 1002, INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN};
    static const int64_t counts[] = {INT64_MIN, 1001, INT64_MIN, 1003, INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN};
    pf_trace *t = load(&b);
    const pf_slices *s = pf_trace_slices(t);
    cr_assert_eq(s->count, 8);
    cr_assert(s->thread_ts && s->thread_instruction_count);
    for (uint32_t i = 0; i < s->count; i++) {
        cr_expect_eq(s->thread_ts[i], times[i], "slice %u: %lld", i, (long long)s->thread_ts[i]);
        cr_expect_eq(s->thread_instruction_count[i], counts[i], "slice %u", i);
    }
    pf_trace_free(t);
    finish(&b);
}

/* States have no slices; their times count for the bounds. */
Test(states, have_no_slices)
{
    int64_t from, to;
    bytes b;
    start(&b);
    describe_content(&b, 40, STATE, "s");
    event(&b, 100, 1, PF_EVENT_STATE, 40, "on");
    event(&b, 200, 1, I, 0, "i");
    event(&b, 900, 1, PF_EVENT_STATE, 40, "off");
    pf_trace *t = load(&b);
    cr_expect_eq(pf_trace_slices(t)->count, 1);
    pf_trace_bounds(t, &from, &to);
    cr_expect_eq(from, 100);
    cr_expect_eq(to, 900);
    cr_expect_eq(stat_of(t, PF_STAT_EVENT_ERRORS), 0);
    pf_trace_free(t);
    finish(&b);
}

static void trigger(bytes *b, uint64_t ts, uint32_t field, const char *name)
{
    packet(b, ts, NONE, NONE);
    pf_writer_begin(&b->w, field);
    text(b, PF_F_TRIGGER_NAME, name);
    if (field == PF_F_PACKET_CHROME_TRIGGER) {
        pf_writer_bytes(&b->w, 5, "", 0);
        b->out.len -= 2;
        pf_buffer_put(&b->out, "\x15\x0a\x00\x00\x00", 5); /* name_hash, fixed32 */
    } else {
        text(b, PF_F_TRIGGER_PRODUCER, "producer");
        pf_writer_varint(&b->w, PF_F_TRIGGER_PRODUCER_UID, 3);
    }
    end(b);
    end(b);
}

Test(triggers, are_instants_on_a_track_of_their_own)
{
    bytes b;
    start(&b);
    trigger(&b, 10, PF_F_PACKET_TRIGGER, "first");
    trigger(&b, 20, PF_F_PACKET_CLONE_SNAPSHOT_TRIGGER, "second");
    trigger(&b, 30, PF_F_PACKET_CHROME_TRIGGER, "study");
    pf_trace *t = load(&b);
    pf_buffer got = {0};
    show_slices(t, &got);
    expect_text(&got, "10 0 d0 first - | triggers Trace Triggers\n20 0 d0 second - | triggers Trace Triggers\n"
                      "30 0 d0 chrome_trigger - | triggers Trace Triggers\n");
    show_args(t, 0, &got);
    expect_text(&got, " producer_name='producer' trusted_producer_uid=3");
    show_args(t, 2, &got);
    expect_text(&got, " chrome_trigger.name='study' chrome_trigger.name_hash=10u");
    cr_assert_eq(pf_trace_metadata(t)->count, 1);
    cr_expect_eq(pf_trace_metadata(t)->name[0], pf_trace_find_string(t, PF_STR("trace_trigger")));
    cr_expect_eq(pf_trace_metadata(t)->text[0], pf_trace_find_string(t, PF_STR("second")));
    pf_trace_free(t);
    finish(&b);
}

/* A trigger before time zero, one whose clock only the last packet explains, and one whose clock nothing explains. */
Test(triggers, need_a_time)
{
    static const uint64_t clocks[][4] = {{PF_CLOCK_MONOTONIC, 1000}, {PF_CLOCK_BOOTTIME, 5000}};
    bytes b;
    start(&b);
    trigger(&b, (uint64_t)-2, PF_F_PACKET_TRIGGER, "before");
    trigger(&b, NONE, PF_F_PACKET_TRIGGER, "without");
    trigger(&b, 0, PF_F_PACKET_TRIGGER, "at zero");
    for (uint64_t i = 0; i < 2; i++) {
        packet(&b, 1100, NONE, NONE);
        pf_writer_varint(&b.w, PF_F_PACKET_TIMESTAMP_CLOCK_ID, i ? 200 : PF_CLOCK_MONOTONIC);
        pf_writer_begin(&b.w, PF_F_PACKET_TRIGGER);
        text(&b, PF_F_TRIGGER_NAME, i ? "never" : "late");
        end(&b);
        end(&b);
    }
    snapshot(&b, NONE, NONE, clocks, 2, 0);
    pf_trace *t = load(&b);
    pf_buffer got = {0};
    show_slices(t, &got);
    expect_text(&got, "0 0 d0 at zero - | triggers Trace Triggers\n5100 0 d0 late - | triggers Trace Triggers\n");
    cr_expect_eq(stat_of(t, PF_STAT_NEGATIVE_TS), 2);
    cr_expect_eq(stat_of(t, PF_STAT_CLOCK_PACKET_LOSS), 1);
    pf_trace_free(t);
    finish(&b);
}

/* The same for samples: of counters and of processes. A packet whose clock remains unknown counts once, as in
 * Perfetto's engine v55.3, whether it has an event or not. */
Test(samples, need_a_time)
{
    static const uint64_t clocks[][4] = {{PF_CLOCK_MONOTONIC, 1000}, {PF_CLOCK_BOOTTIME, 5000}};
    static const uint64_t times[] = {(uint64_t)-2, 0, 1100, 1100};
    bytes b;
    start(&b);
    describe_content(&b, 20, COUNTER, "c");
    for (uint64_t i = 0; i < 8; i++) {
        packet(&b, times[i % 4], 1, NONE);
        if (i % 4 > 1) {
            pf_writer_varint(&b.w, PF_F_PACKET_TIMESTAMP_CLOCK_ID, i % 4 == 3 ? 200 : PF_CLOCK_MONOTONIC);
        }
        pf_writer_begin(&b.w, i < 4 ? PF_F_PACKET_TRACK_EVENT : PF_F_PACKET_PROCESS_STATS);
        if (i < 4) {
            pf_writer_varint(&b.w, PF_F_EVENT_TYPE, PF_EVENT_COUNTER);
            pf_writer_varint(&b.w, PF_F_EVENT_TRACK_UUID, 20);
            pf_writer_varint(&b.w, PF_F_EVENT_COUNTER_VALUE, i);
        } else {
            pf_writer_begin(&b.w, 1);
            pf_writer_varint(&b.w, 1, 10);
            pf_writer_varint(&b.w, 2, i);
            pf_writer_varint(&b.w, 3, i);
            end(&b);
        }
        end(&b);
        end(&b);
    }
    snapshot(&b, NONE, NONE, clocks, 2, 0);
    pf_trace *t = load(&b);
    pf_buffer got = {0};
    show_counters(t, &got);
    expect_text(&got, "0 1 | global_counter_track_event c -\n"
                      "0 5120 | process_memory mem.virt pid 10 -\n0 5120 | process_memory mem.rss pid 10 -\n"
                      "5100 2 | global_counter_track_event c -\n"
                      "5100 6144 | process_memory mem.virt pid 10 -\n5100 6144 | process_memory mem.rss pid 10 -\n");
    cr_expect_eq(stat_of(t, PF_STAT_EVENT_BAD_TIMESTAMP), 1);
    cr_expect_eq(stat_of(t, PF_STAT_NEGATIVE_TS), 1);
    cr_expect_eq(stat_of(t, PF_STAT_CLOCK_UNKNOWN), 2);
    cr_expect_eq(stat_of(t, PF_STAT_CLOCK_PACKET_LOSS), 2);
    pf_trace_free(t);
    finish(&b);
}
