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

/* Times of a clock that cannot be converted do not count. */
Test(undecoded_times, of_unknown_clocks)
{
    static const struct {
        uint32_t data, list, field;
        uint64_t value;
        int64_t start, end;
    } cases[] = {
        {PF_F_PACKET_ANDROID_LOG, PF_F_ANDROID_LOG_EVENT, PF_F_ANDROID_LOG_EVENT_TIMESTAMP, 4000, 5000, 5001},
        {PF_F_PACKET_ANDROID_LOG, PF_F_ANDROID_LOG_EVENT + 1, PF_F_ANDROID_LOG_EVENT_TIMESTAMP, 4000, 5000, 5001},
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

Test(undecoded_times, of_packets_of_each_kind)
{
    static const uint32_t kinds[] = {PF_F_PACKET_PERF_SAMPLE, PF_F_PACKET_PROFILE_PACKET,
                                     PF_F_PACKET_STREAMING_PROFILE_PACKET};
    static const struct {
        uint64_t ts, clock;
        int64_t start;
    } times[] = {
        {4000, PF_CLOCK_BOOTTIME, 4000},
        {0, PF_CLOCK_BOOTTIME, 0},
        {(uint64_t)-1, PF_CLOCK_BOOTTIME, 5000},
        {4000, PF_CLOCK_MONOTONIC, 5000}, /* no snapshot tells of it */
    };
    for (size_t i = 0; i < 3 * 4; i++) {
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
