/* Times of packets that no table has a row for: they bound the trace (docs/reference/perfetto.md). Bounds by hand. */
#include "support.h"

/* Of the trace; an event at 5000 is in it as well, so that there are bounds. */
static void expect_bounds(bytes *b, int64_t start_ts, int64_t end_ts)
{
    event(b, 5000, 1, PF_EVENT_INSTANT, 0, "x");
    pf_trace *t = load(b);
    cr_expect_eq(t->start_ts, start_ts, "from %ld", (long)t->start_ts);
    cr_expect_eq(t->end_ts, end_ts, "to %ld", (long)t->end_ts);
    pf_trace_free(t);
    finish(b);
}

static void message_with(bytes *b, uint32_t list, uint32_t field, uint64_t value)
{
    pf_writer_begin(&b->w, list);
    pf_writer_varint(&b->w, field, value);
    end(b);
}

Test(undecoded_times, events_of_ftrace)
{
    bytes b;
    start(&b);
    packet(&b, 1, 1, NONE); /* the packet's own time does not count */
    pf_writer_begin(&b.w, PF_F_PACKET_FTRACE_EVENTS);
    message_with(&b, PF_F_FTRACE_EVENT, PF_F_FTRACE_EVENT_TIMESTAMP, 4000);
    message_with(&b, PF_F_FTRACE_EVENT, PF_F_FTRACE_EVENT_TIMESTAMP, 7000);
    message_with(&b, PF_F_FTRACE_EVENT, PF_F_FTRACE_EVENT_TIMESTAMP + 1, 9000); /* a pid */
    end(&b);
    end(&b);
    expect_bounds(&b, 4000, 7000);
}

/* Switches at 4000, 4005 and 4405, wakings at 3000 and 3001. A number of one byte that is not a time follows each. */
Test(undecoded_times, packed_times_of_the_scheduler)
{
    bytes b;
    start(&b);
    packet(&b, 1, 1, NONE);
    pf_writer_begin(&b.w, PF_F_PACKET_FTRACE_EVENTS);
    pf_writer_begin(&b.w, PF_F_FTRACE_COMPACT_SCHED);
    pf_writer_bytes(&b.w, PF_F_COMPACT_SWITCH_TIMESTAMP, "\xa0\x1f\x05\x90\x03", 5);
    pf_writer_bytes(&b.w, PF_F_COMPACT_SWITCH_TIMESTAMP + 1, "\x7f\x7f", 2);
    pf_writer_bytes(&b.w, PF_F_COMPACT_WAKING_TIMESTAMP, "\xb8\x17\x01", 3);
    pf_writer_varint(&b.w, PF_F_COMPACT_WAKING_TIMESTAMP + 1, 8000);
    end(&b);
    end(&b);
    end(&b);
    event(&b, 4390, 1, PF_EVENT_INSTANT, 0, "before the last switch");
    pf_trace *t = load(&b);
    cr_expect_eq(t->start_ts, 3000, "from %ld", (long)t->start_ts);
    cr_expect_eq(t->end_ts, 4405, "to %ld", (long)t->end_ts);
    pf_trace_free(t);
    finish(&b);
}

Test(undecoded_times, log_messages_by_the_clock_of_the_day)
{
    bytes b;
    start(&b);
    const uint64_t clocks[][4] = {{PF_CLOCK_BOOTTIME, 2000}, {PF_CLOCK_REALTIME, 1000002000}};
    snapshot(&b, 1, NONE, clocks, 2, 0);
    packet(&b, 1, 1, NONE);
    pf_writer_begin(&b.w, PF_F_PACKET_ANDROID_LOG);
    message_with(&b, PF_F_ANDROID_LOG_EVENT, PF_F_ANDROID_LOG_EVENT_TIMESTAMP, 1000003000);
    message_with(&b, PF_F_ANDROID_LOG_EVENT, PF_F_ANDROID_LOG_EVENT_TIMESTAMP, 1000009000);
    end(&b);
    end(&b);
    expect_bounds(&b, 3000, 9000);
}

Test(undecoded_times, a_sample_at_the_time_of_its_packet)
{
    bytes b;
    start(&b);
    for (uint64_t ts = 4500; ts <= 8500; ts += 4000) {
        packet(&b, ts, 1, NONE);
        pf_writer_begin(&b.w, PF_F_PACKET_PERF_SAMPLE);
        end(&b);
        end(&b);
    }
    expect_bounds(&b, 4500, 8500);
}

/* Time zero counts; times before it do not, nor those of a clock that cannot be converted. */
Test(undecoded_times, from_zero_on)
{
    static const struct {
        uint32_t data, list, field;
        uint64_t value;
        int64_t start, end;
    } cases[] = {
        {PF_F_PACKET_FTRACE_EVENTS, PF_F_FTRACE_EVENT, PF_F_FTRACE_EVENT_TIMESTAMP, 0, 0, 5000},
        {PF_F_PACKET_FTRACE_EVENTS, PF_F_FTRACE_EVENT, PF_F_FTRACE_EVENT_TIMESTAMP, (uint64_t)-1, 5000, 5001},
        {PF_F_PACKET_FTRACE_EVENTS, PF_F_FTRACE_EVENT + 1, PF_F_FTRACE_EVENT_TIMESTAMP, 4000, 5000, 5001},
        {PF_F_PACKET_ANDROID_LOG, PF_F_ANDROID_LOG_EVENT, PF_F_ANDROID_LOG_EVENT_TIMESTAMP, 4000, 5000, 5001},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bytes b;
        start(&b);
        packet(&b, 1, 1, NONE);
        pf_writer_begin(&b.w, cases[i].data);
        message_with(&b, cases[i].list, cases[i].field, cases[i].value);
        end(&b);
        end(&b);
        expect_bounds(&b, cases[i].start, cases[i].end);
    }
}

/* Numbers of up to ten bytes; their sum wraps. What is cut off at the end does not count. */
Test(undecoded_times, packed_numbers_of_every_length)
{
    static const struct {
        const char *packed;
        size_t len;
        int64_t start, end;
    } cases[] = {
        {"", 0, 5000, 5001},
        {"\xa0", 1, 5000, 5001},
        {"\xa0\x1f\x85", 3, 4000, 5000},
        {"\x00", 1, 0, 5000},
        {"\xf0\x2e\x01", 3, 5000, 6001},
        {"\x80\x80\x80\x80\x80\x80\x80\x80\x40", 9, 5000, (int64_t)1 << 62},
        {"\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", 10, 5000, 5001},
        /* 2^63, and 2^63 + 8001 more */
        {"\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01\xc1\xbe\x80\x80\x80\x80\x80\x80\x80\x01", 20, 5000, 8001},
        {"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\xc2\x3e", 12, 5000, 8001},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bytes b;
        start(&b);
        packet(&b, 1, 1, NONE);
        pf_writer_begin(&b.w, PF_F_PACKET_FTRACE_EVENTS);
        pf_writer_begin(&b.w, PF_F_FTRACE_COMPACT_SCHED);
        pf_writer_bytes(&b.w, PF_F_COMPACT_SWITCH_TIMESTAMP, cases[i].packed, cases[i].len);
        end(&b);
        end(&b);
        end(&b);
        expect_bounds(&b, cases[i].start, cases[i].end);
    }
}

Test(undecoded_times, of_packets_of_each_kind)
{
    static const uint32_t kinds[] = {PF_F_PACKET_PERF_SAMPLE, PF_F_PACKET_PROFILE_PACKET,
                                     PF_F_PACKET_STREAMING_PROFILE_PACKET, PF_F_PACKET_FRAME_TIMELINE_EVENT};
    static const struct {
        uint64_t ts, clock;
        int64_t start;
    } times[] = {
        {4000, PF_CLOCK_BOOTTIME, 4000},
        {0, PF_CLOCK_BOOTTIME, 0},
        {(uint64_t)-1, PF_CLOCK_BOOTTIME, 5000},
        {4000, PF_CLOCK_MONOTONIC, 5000}, /* no snapshot tells of it */
    };
    for (size_t i = 0; i < 4 * 4; i++) {
        bytes b;
        start(&b);
        packet(&b, times[i % 4].ts, 1, NONE);
        pf_writer_varint(&b.w, PF_F_PACKET_TIMESTAMP_CLOCK_ID, times[i % 4].clock);
        pf_writer_begin(&b.w, kinds[i / 4]);
        end(&b);
        end(&b);
        expect_bounds(&b, times[i % 4].start, times[i % 4].start == 5000 ? 5001 : 5000);
    }
}
