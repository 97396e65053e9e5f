/* What becomes of packets: texts by their roles, and what is not understood. */
#include <criterion/criterion.h>

#include "base/str.h"
#include "edit/redact/redact.h"

#define ALL (PF_REDACT_NAMES | PF_REDACT_ARGS | PF_REDACT_PATHS)

static const uint8_t key[16] = "0123456789abcdef";
static pf_budget budget;
static pf_redactor redactor;
static pf_error err;
static pf_buffer packet;
static pf_writer w;
static pf_bytes got;

static void setup(void)
{
    pf_budget_init(&budget, NULL);
    pf_writer_init(&w, &packet);
}

static void teardown(void)
{
    pf_writer_free(&w);
    pf_buffer_free(&packet);
    cr_expect_eq(budget.used, 0);
}

TestSuite(redact_packets, .init = setup, .fini = teardown);

static void put(uint32_t field, const char *text)
{
    pf_writer_bytes(&w, field, text, strlen(text));
}

/* Redacts what was written; whether `text` is still in it. */
static void redact(uint32_t what)
{
    static const char *const keep[] = {"kept*"};
    pf_redact_options o = {what, {key, sizeof key}, keep, 1};
    cr_assert_eq(pf_redactor_init(&redactor, &o, &budget, &err), PF_OK);
    cr_assert_eq(pf_redact_packet(&redactor, (pf_bytes){(const uint8_t *)packet.data, packet.len}, &got, &err), PF_OK);
}

static void done(void)
{
    packet.len = 0;
    pf_redactor_free(&redactor);
}

static bool has(const char *text)
{
    return got.ptr && pf_str_find((pf_str){(const char *)got.ptr, got.len}, pf_str_of(text)) != SIZE_MAX;
}

static void put_event(void)
{
    pf_writer_begin(&w, PF_F_PACKET_TRACK_EVENT);
    put(PF_F_EVENT_NAME, "a name");
    put(PF_F_EVENT_CATEGORIES, "kept category");
    pf_writer_begin(&w, PF_F_EVENT_DEBUG_ANNOTATIONS);
    put(PF_F_ANNOTATION_NAME, "a key");
    pf_writer_begin(&w, PF_F_ANNOTATION_DICT_ENTRIES);
    put(PF_F_ANNOTATION_NAME, "inner key");
    put(PF_F_ANNOTATION_STRING, "a value");
    pf_writer_end(&w);
    pf_writer_begin(&w, PF_F_ANNOTATION_DICT_ENTRIES);
    put(PF_F_ANNOTATION_LEGACY_JSON, "{\"json key\": \"json value\", \"n\": 17}");
    pf_writer_end(&w);
    pf_writer_end(&w);
    pf_writer_end(&w);
}

Test(redact_packets, events)
{
    put_event();
    redact(PF_REDACT_NAMES);
    cr_expect(!has("a name") && has("a key") && has("inner key") && has("a value") && has("kept category"));
    cr_expect_eq(redactor.result.texts, 1);
    done();
    put_event();
    redact(PF_REDACT_ARGS);
    cr_expect(has("a name") && has("a key") && has("inner key") && !has("a value") && has("json key") && has(": 17}"));
    cr_expect(!has("json value"));
    cr_expect_eq(redactor.result.texts, 2);
    done();
    put_event();
    redact(PF_REDACT_PATHS);
    cr_expect_eq((const void *)got.ptr, (const void *)packet.data, "the same bytes where nothing changes");
    done();
}

/* An event of the older kind that names a thread: its value is a name. */
Test(redact_packets, older_metadata_events)
{
    for (unsigned i = 0; i < 2; i++) {
        pf_writer_begin(&w, PF_F_PACKET_TRACK_EVENT);
        put(PF_F_EVENT_NAME, "thread_name");
        pf_writer_begin(&w, PF_F_EVENT_DEBUG_ANNOTATIONS);
        put(PF_F_ANNOTATION_STRING, "worker of bob");
        pf_writer_end(&w);
        pf_writer_begin(&w, PF_F_EVENT_LEGACY_EVENT);
        pf_writer_varint(&w, PF_F_LEGACY_PHASE, i ? 'M' : 'i');
        pf_writer_end(&w);
        pf_writer_end(&w);
        redact(PF_REDACT_NAMES);
        cr_expect(has("thread_name"));
        cr_expect_eq(has("worker of bob"), i == 0);
        done();
    }
}

/* What was written last, by the redactor that is there. */
static void redact_next(void)
{
    cr_assert_eq(pf_redact_packet(&redactor, (pf_bytes){(const uint8_t *)packet.data, packet.len}, &got, &err), PF_OK);
    packet.len = 0;
}

static void put_print(const char *text);

/* A value after an event that names a thread is no name; prints and command lines are those of their own packet. */
Test(redact_packets, nothing_is_left_of_the_packet_before)
{
    enum { STRING_VALUES = 29, COMMAND = 3 };
    pf_writer_begin(&w, PF_F_PACKET_TRACK_EVENT);
    put(PF_F_EVENT_NAME, "thread_name");
    pf_writer_begin(&w, PF_F_EVENT_LEGACY_EVENT);
    pf_writer_varint(&w, PF_F_LEGACY_PHASE, 'M');
    pf_writer_end(&w);
    pf_writer_end(&w);
    redact(PF_REDACT_ARGS);
    packet.len = 0;
    pf_writer_begin(&w, PF_F_PACKET_INTERNED_DATA);
    pf_writer_begin(&w, STRING_VALUES);
    put(PF_F_ENTRY_TEXT, "secret");
    pf_writer_end(&w);
    pf_writer_end(&w);
    redact_next();
    cr_expect_not(has("secret"));
    put_print("B|1|first");
    redact_next();
    put_print("B|1|second");
    redact_next();
    cr_expect(has("B|1|second") && !has("first"));
    for (int i = 0; i < 2; i++) {
        pf_writer_begin(&w, PF_F_PACKET_PROCESS_TREE);
        pf_writer_begin(&w, 1);
        put(COMMAND, i ? "kept two" : "kept_one bob");
        pf_writer_end(&w);
        pf_writer_end(&w);
        redact_next();
    }
    cr_expect(has("kept x") && !has("kept_one"));
    done();
}

Test(redact_packets, the_machine_and_its_user)
{
    pf_writer_begin(&w, PF_F_PACKET_SYSTEM_INFO);
    pf_writer_begin(&w, PF_F_SYSTEM_UTSNAME);
    put(1, "Linux");
    put(2, "#1 SMP built by bob");
    put(3, "5.10.0-bob");
    put(4, "x86_64");
    pf_writer_end(&w);
    pf_writer_end(&w);
    pf_writer_begin(&w, PF_F_PACKET_TRACE_CONFIG);
    put(PF_F_CONFIG_UNIQUE_SESSION_NAME, "bob");
    pf_writer_begin(&w, 2);
    put(1, "source of bob");
    pf_writer_end(&w);
    pf_writer_end(&w);
    pf_writer_begin(&w, PF_F_PACKET_PROCESS_TREE);
    pf_writer_begin(&w, 1);
    put(3, "/usr/bin/python");
    put(3, "--user=bob");
    pf_writer_end(&w);
    pf_writer_end(&w);
    pf_writer_begin(&w, PF_F_PACKET_TRACE_ATTRIBUTES);
    pf_writer_begin(&w, 1);
    put(1, "input");
    put(3, "trace of bob");
    pf_writer_end(&w);
    pf_writer_end(&w);
    redact(PF_REDACT_PATHS);
    cr_expect(has("Linux") && has("x86_64") && has("5.10.0") && has("input"));
    cr_expect(!has("bob") && !has("python") && !has("SMP"));
    done();
}

Test(redact_packets, of_unknown_kinds)
{
    put(37, "secret"); /* a heap profile */
    pf_writer_varint(&w, PF_F_PACKET_TIMESTAMP, 5);
    redact(PF_REDACT_NAMES);
    cr_expect_null(got.ptr);
    cr_expect_eq(redactor.result.packets, 1);
    done();
    put(37, "secret");
    put(38, "secret");
    pf_writer_varint(&w, PF_F_PACKET_SEQUENCE_FLAGS, PF_SEQ_STATE_CLEARED);
    redact(PF_REDACT_NAMES);
    cr_assert_eq(got.len, 2, "its state stays");
    cr_expect_eq(got.ptr[0], PF_F_PACKET_SEQUENCE_FLAGS << 3);
    cr_expect_eq(redactor.result.packets, 1);
    done();
    static const uint32_t states[] = {PF_F_PACKET_STATE_CLEARED, PF_F_PACKET_PREVIOUS_DROPPED,
                                      PF_F_PACKET_FIRST_ON_SEQUENCE, PF_F_PACKET_INTERNED_DATA, PF_F_PACKET_DEFAULTS};
    for (size_t i = 0; i < sizeof states / sizeof *states; i++) {
        put(37, "secret");
        if (i < 3) {
            pf_writer_varint(&w, states[i], 1);
        } else {
            put(states[i], "");
        }
        redact(PF_REDACT_NAMES);
        cr_expect(got.ptr && !has("secret"), "the state in field %u stays", states[i]);
        done();
    }
    pf_writer_begin(&w, PF_F_PACKET_TRACK_EVENT);
    pf_writer_varint(&w, PF_F_EVENT_TRACK_UUID, 5);
    put(9000, "secret extension");
    pf_writer_end(&w);
    redact(PF_REDACT_NAMES);
    cr_expect_not(has("secret"));
    cr_expect_eq(got.len, 4);
    cr_expect(redactor.result.packets == 0 && redactor.result.parts == 1);
    done();
}

static void put_print(const char *text)
{
    pf_writer_begin(&w, PF_F_PACKET_FTRACE_EVENTS);
    pf_writer_begin(&w, PF_F_FTRACE_EVENT);
    pf_writer_varint(&w, 1, 1000);
    pf_writer_begin(&w, 3);
    put(2, text);
    pf_writer_end(&w);
    pf_writer_end(&w);
    pf_writer_end(&w);
}

Test(redact_packets, what_programs_write_into_ftrace)
{
    static const char *const cases[][3] = {
        /* text, what stays, what goes */
        {"B|123|secret|name\n", "B|123|x", "name"},
        {"C|123|secret|77\n", "|77\n", "secret"},
        {"S|123|secret|9", "|9", "secret"},
        {"E|123\n", "E|123\n", "secret"},
        {"G|1|secret|name|5", "|5", "name"},
        {"ScreenState", "ScreenState", "secret"},
        {"C|1|ScreenState|2", "C|1|ScreenState|2", "secret"},
        {"B|1|77\n", "B|1|x", "77"},
        {"Bob|secret|77", "x", "Bob"},
        {"trace_event_clock_sync: parent_ts=1.5", "trace_event_clock_sync: parent_ts=1.5", "secret"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        put_print(cases[i][0]);
        redact(ALL);
        cr_expect(has(cases[i][1]) && !has(cases[i][2]) && !has("secret"), "%s", cases[i][0]);
        done();
    }
}

Test(redact_packets, unknown_events_of_ftrace_go_whole)
{
    pf_writer_begin(&w, PF_F_PACKET_FTRACE_EVENTS);
    pf_writer_varint(&w, 1, 0);
    for (uint32_t kind = 4; kind < 7; kind += 2) {
        pf_writer_begin(&w, PF_F_FTRACE_EVENT);
        pf_writer_varint(&w, 1, 1000);
        pf_writer_begin(&w, kind);
        put(1, "kept comm");
        pf_writer_end(&w);
        pf_writer_end(&w);
    }
    pf_writer_end(&w);
    redact(ALL);
    pf_cursor c = pf_cursor_over(got.ptr, got.len);
    pf_field bundle, f;
    unsigned events = 0;
    cr_assert(pf_cursor_next_of(&c, PF_TAG_BYTES(PF_F_PACKET_FTRACE_EVENTS), &bundle));
    for (pf_cursor in = pf_field_cursor(&bundle); pf_cursor_next_of(&in, PF_TAG_BYTES(PF_F_FTRACE_EVENT), &f);) {
        events++;
    }
    cr_expect_eq(events, 1);
    cr_expect_eq(redactor.result.parts, 1);
    done();
}
