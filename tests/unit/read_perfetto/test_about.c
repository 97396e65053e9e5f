/* Packets in which a trace tells of itself. Expected values are those of Perfetto's engine v55.3 for the same packets,
 * unless a comment says otherwise. */
#include "support.h"

static void varint(bytes *b, uint32_t field, uint64_t value)
{
    pf_writer_varint(&b->w, field, value);
}

static void begin(bytes *b, uint32_t field)
{
    pf_writer_begin(&b->w, field);
}

/* A packet with one message in field `data`; ends with two calls of end. */
static void open_packet(bytes *b, uint64_t ts, uint32_t data)
{
    packet(b, ts, NONE, NONE);
    begin(b, data);
}

static void close_packet(bytes *b)
{
    end(b);
    end(b);
}

/* Rows as "name=text" or "name=number" in the order of the table. */
static void expect_metadata(bytes *b, const char *want)
{
    pf_trace *t = load(b);
    const pf_metadata *m = pf_trace_metadata(t);
    pf_buffer got = {0};
    for (uint32_t i = 0; i < m->count; i++) {
        pf_str name = pf_trace_string(t, m->name[i]), value = pf_trace_string(t, m->text[i]);
        pf_buffer_format(&got, "%.*s=", (int)name.len, name.ptr);
        if (value.ptr) {
            pf_buffer_format(&got, "%.*s\n", (int)value.len, value.ptr);
        } else {
            pf_buffer_format(&got, "%lld\n", (long long)m->number[i]);
        }
    }
    expect_text(&got, want);
    pf_trace_free(t);
    finish(b);
}

Test(about, system_and_machine)
{
    bytes b;
    start(&b);
    open_packet(&b, 3, PF_F_PACKET_SYSTEM_INFO);
    begin(&b, PF_F_SYSTEM_UTSNAME);
    text(&b, 1, "Linux");
    text(&b, 2, "#1 SMP");
    text(&b, 4, "x86_64");
    end(&b);
    varint(&b, 5, 33);
    varint(&b, 7, (uint64_t)-60);
    varint(&b, 16, 1500000000);
    close_packet(&b);
    open_packet(&b, 4, PF_F_PACKET_SYSTEM_INFO);
    varint(&b, 5, 34);
    varint(&b, 8, 12);
    close_packet(&b);

    pf_trace *t = load(&b);
    pf_side_table *s = &t->sides.known[PF_SIDE_MACHINE];
    cr_assert_eq(s->count, 1);
    cr_expect_eq(*pf_side_number(s, PF_MACHINE_CPUS, 0), 12);
    cr_expect_eq(*pf_side_number(s, PF_MACHINE_SDK, 0), 34);
    cr_expect_eq(*pf_side_number(s, PF_MACHINE_RAM_GB, 0), 2);
    cr_expect_eq(*pf_side_ref(s, PF_MACHINE_RELEASE, 0), 0, "not said");
    cr_expect_eq(*pf_side_ref(s, PF_MACHINE_ARCH, 0), pf_trace_find_string(t, PF_STR("x86_64")));
    pf_trace_free(t);
    expect_metadata(&b, "system_name=Linux\nsystem_version=#1 SMP\nsystem_machine=x86_64\ntimezone_off_mins=-60\n"
                        "android_sdk_version=34\nsystem_ram_bytes=1500000000\nsystem_ram_gb=2\n");
}

static void configure(bytes *b, uint64_t msb, uint64_t lsb)
{
    open_packet(b, 3, PF_F_PACKET_TRACE_CONFIG);
    varint(b, PF_F_CONFIG_TRACE_UUID_MSB, msb);
    varint(b, PF_F_CONFIG_TRACE_UUID_LSB, lsb);
    close_packet(b);
}

/* The uuid of the first configuration, unless a packet of its own says another. */
Test(about, uuid)
{
    bytes b;
    start(&b);
    configure(&b, 5, 0);
    configure(&b, 0, 7);
    expect_metadata(&b, "trace_uuid=00000000-0000-0005-0000-000000000000\n");
    start(&b);
    configure(&b, 5, 9);
    open_packet(&b, NONE, PF_F_PACKET_TRACE_UUID);
    varint(&b, 1, 0x0102030405060708);
    varint(&b, 2, 0x1112131415161718);
    close_packet(&b);
    configure(&b, 6, 9);
    expect_metadata(&b, "trace_uuid=01020304-0506-0708-1112-131415161718\n");
}

static void configure_buffers(bytes *b, bool to_file, bool flushes)
{
    open_packet(b, 3, PF_F_PACKET_TRACE_CONFIG);
    for (uint64_t policy = 1; policy <= 3; policy++) {
        begin(b, PF_F_CONFIG_BUFFERS);
        varint(b, PF_F_BUFFER_FILL_POLICY, policy == 3 ? PF_BUFFER_DISCARD : policy);
        end(b);
    }
    varint(b, PF_F_CONFIG_WRITE_INTO_FILE, to_file);
    if (flushes) {
        varint(b, PF_F_CONFIG_FLUSH_PERIOD_MS, 5);
    }
    text(b, PF_F_CONFIG_UNIQUE_SESSION_NAME, "uniq");
    close_packet(b);
}

/* Two of three buffers stop when they are full. */
Test(about, risky_configurations)
{
    static const struct {
        bool to_file, flushes;
        uint64_t no_flush, discard;
    } cases[] = {{true, false, 1, 2}, {true, true, 0, 2}, {false, false, 0, 0}};
    for (size_t i = 0; i < 3; i++) {
        bytes b;
        start(&b);
        configure_buffers(&b, cases[i].to_file, cases[i].flushes);
        pf_trace *t = load(&b);
        cr_expect_eq(stat_of(t, PF_STAT_CONFIG_NO_FLUSH), cases[i].no_flush);
        cr_expect_eq(stat_of(t, PF_STAT_CONFIG_DISCARD), cases[i].discard);
        pf_trace_free(t);
        expect_metadata(&b, "unique_session_name=uniq\n");
    }
}

static void milestone(bytes *b, uint64_t ts, uint32_t field, uint64_t value)
{
    open_packet(b, ts, PF_F_PACKET_SERVICE_EVENT);
    varint(b, field, value);
    close_packet(b);
}

/* Times of the boot clock; flushes have a row each, of the others the last one counts, and false ones never. */
Test(about, milestones)
{
    bytes b;
    start(&b);
    milestone(&b, 2000, PF_F_SERVICE_ALL_DATA_SOURCES_STARTED, 1);
    milestone(&b, 2001, PF_F_SERVICE_ALL_DATA_SOURCES_FLUSHED, 1);
    milestone(&b, 2002, PF_F_SERVICE_ALL_DATA_SOURCES_FLUSHED, 1);
    milestone(&b, 2003, PF_F_SERVICE_TRACING_DISABLED, 1);
    milestone(&b, 2004, PF_F_SERVICE_TRACING_DISABLED, 1);
    milestone(&b, 2005, PF_F_SERVICE_ALL_DATA_SOURCES_STARTED, 0);
    milestone(&b, NONE, PF_F_SERVICE_TRACING_STARTED, 1);
    open_packet(&b, 2006, PF_F_PACKET_SERVICE_EVENT);
    begin(&b, PF_F_SERVICE_SLOW_STARTING);
    begin(&b, PF_F_SLOW_DATA_SOURCE);
    text(&b, PF_F_SLOW_PRODUCER_NAME, "prod");
    text(&b, PF_F_SLOW_SOURCE_NAME, "ds");
    end(&b);
    end(&b);
    close_packet(&b);
    expect_metadata(&b, "all_data_source_started_ns=2000\nall_data_source_flushed_ns=2001\n"
                        "all_data_source_flushed_ns=2002\ntracing_disabled_ns=2004\ntracing_started_ns=0\n"
                        "slow_start_data_source=prod ds\n");
}

/* By docs/reference/perfetto.md: they are moved to the trace clock, also by a snapshot that comes later. */
Test(about, milestones_in_trace_time)
{
    static const uint64_t clocks[][4] = {{6, 5000}, {3, 1000}};
    bytes b;
    start(&b);
    milestone(&b, 5100, PF_F_SERVICE_TRACING_STARTED, 1);
    snapshot(&b, 1, NONE, clocks, 2, 3);
    expect_metadata(&b, "tracing_started_ns=1100\ntrace_time_clock_id=3\n");
}

Test(about, chrome_and_ui)
{
    static const struct {
        const char *name;
        uint32_t field;
        uint64_t number;
        const char *string;
    } entries[] = {{"os", 2, 0, "Linux"},
                   {"flag", 3, 1, NULL},
                   {"num", 4, 42, NULL},
                   {"js", 5, 0, "{\"a\":1}"},
                   {"none", 0, 0, NULL}};
    bytes b;
    start(&b);
    open_packet(&b, NONE, PF_F_PACKET_CHROME_EVENTS);
    for (size_t i = 0; i < 5; i++) {
        begin(&b, PF_F_CHROME_EVENTS_METADATA);
        text(&b, PF_F_CHROME_METADATA_NAME, entries[i].name);
        if (entries[i].string) {
            text(&b, entries[i].field, entries[i].string);
        } else if (entries[i].field) {
            varint(&b, entries[i].field, entries[i].number);
        }
        end(&b);
    }
    close_packet(&b);
    open_packet(&b, 10, PF_F_PACKET_UI_STATE);
    varint(&b, 1, 5);
    varint(&b, 2, 6);
    begin(&b, 3);
    varint(&b, 1, 42);
    end(&b);
    close_packet(&b);
    for (uint64_t us = 0; us < 2; us++) {
        open_packet(&b, 10, PF_F_PACKET_RANGE_OF_INTEREST);
        if (us) {
            varint(&b, 1, 7);
        }
        close_packet(&b);
    }
    pf_trace *t = load(&b);
    cr_expect_eq(stat_of(t, PF_STAT_CHROME_METADATA_EMPTY), 1);
    cr_expect_eq(stat_of(t, PF_STAT_RANGE_NO_START), 1);
    cr_expect_eq(stat_of(t, PF_STAT_PACKETS_NOT_DECODED), 0);
    pf_trace_free(t);
    expect_metadata(&b, "cr-os=Linux\ncr-flag=1\ncr-num=42\ncr-js={\"a\":1}\nui_state=CAUQBhoCCCo=\n"
                        "range_of_interest_start_us=7\n");
}

/* Fields that nobody knows, of numbers and of bytes, in every message. */
static void put_unknown(bytes *b)
{
    varint(b, 400, 1);
    text(b, 401, "unknown");
    pf_writer_fixed64(&b->w, 402, 1);
}

Test(about, unknown_fields_say_nothing)
{
    bytes b;
    start(&b);
    open_packet(&b, NONE, PF_F_PACKET_CHROME_EVENTS);
    put_unknown(&b);
    begin(&b, PF_F_CHROME_EVENTS_METADATA);
    put_unknown(&b);
    text(&b, PF_F_CHROME_METADATA_NAME, "n");
    varint(&b, PF_F_CHROME_METADATA_INT, 7);
    put_unknown(&b);
    end(&b);
    begin(&b, PF_F_CHROME_EVENTS_METADATA);
    text(&b, PF_F_CHROME_METADATA_NAME, "empty");
    put_unknown(&b);
    end(&b);
    put_unknown(&b);
    close_packet(&b);
    open_packet(&b, 5, PF_F_PACKET_RANGE_OF_INTEREST);
    put_unknown(&b);
    varint(&b, PF_F_RANGE_START_US, 9);
    put_unknown(&b);
    close_packet(&b);
    open_packet(&b, 6, PF_F_PACKET_SERVICE_EVENT);
    put_unknown(&b);
    begin(&b, PF_F_SERVICE_SLOW_STARTING);
    put_unknown(&b);
    begin(&b, PF_F_SLOW_DATA_SOURCE);
    put_unknown(&b);
    text(&b, PF_F_SLOW_SOURCE_NAME, "ds");
    end(&b);
    begin(&b, PF_F_SLOW_DATA_SOURCE);
    text(&b, PF_F_SLOW_PRODUCER_NAME, "prod");
    put_unknown(&b);
    end(&b);
    put_unknown(&b);
    end(&b);
    varint(&b, PF_F_SERVICE_READ_BUFFERS_COMPLETED, 1);
    close_packet(&b);
    open_packet(&b, 3, PF_F_PACKET_TRACE_CONFIG);
    put_unknown(&b);
    begin(&b, PF_F_CONFIG_BUFFERS);
    put_unknown(&b);
    end(&b);
    varint(&b, PF_F_CONFIG_TRACE_UUID_MSB, 0);
    varint(&b, PF_F_CONFIG_TRACE_UUID_LSB, 0x7fffffffffffffff);
    close_packet(&b);
    pf_trace *t = load(&b);
    cr_expect_eq(stat_of(t, PF_STAT_CHROME_METADATA_EMPTY), 1);
    cr_expect_eq(stat_of(t, PF_STAT_RANGE_NO_START), 0);
    pf_trace_free(t);
    expect_metadata(&b, "cr-n=7\nrange_of_interest_start_us=9\nslow_start_data_source= ds\n"
                        "slow_start_data_source=prod \ntrace_uuid=00000000-0000-0000-7fff-ffffffffffff\n");
}

/* A long recording is one that was flushed twice or whose buffers were read; what is false does not count. */
Test(about, markers_of_long_recordings)
{
    enum { FLUSHED = PF_F_SERVICE_ALL_DATA_SOURCES_FLUSHED, READ = PF_F_SERVICE_READ_BUFFERS_COMPLETED };
    static const struct {
        uint32_t field[2];
        uint64_t value[2];
        bool is_long;
    } cases[] = {{{FLUSHED, FLUSHED}, {1, 1}, true},  {{FLUSHED, FLUSHED}, {1, 0}, false},
                 {{FLUSHED, FLUSHED}, {0, 0}, false}, {{READ, FLUSHED}, {1, 0}, true},
                 {{READ, READ}, {0, 0}, false},       {{FLUSHED, READ}, {1, 0}, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bytes b;
        start(&b);
        for (size_t k = 0; k < 2; k++) {
            milestone(&b, 5, cases[i].field[k], cases[i].value[k]);
        }
        pf_trace *t = load(&b);
        cr_expect_eq(t->inputs[0].has_service_events, cases[i].is_long, "%zu", i);
        pf_trace_free(t);
        finish(&b);
    }
}
