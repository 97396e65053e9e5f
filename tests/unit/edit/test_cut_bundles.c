/* unit/edit/test_cut_bundles.c - what a cut makes of bundles of ftrace events: each event by its time, and what the cpu
 * ran when the window begins (docs/reference/cut.md). */
#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#include "edit/cut/cut_source.h"
#include "perfetto/decode/bundle.h"

#include "cut_packets.h"
#include "scratch.h"

TestSuite(cut_bundles, .init = scratch_enter, .fini = scratch_leave);

enum { FROM = 40, TO = 60 };

static void begin_bundle_of(uint64_t cpu)
{
    pf_writer_begin(&w, PF_F_TRACE_PACKET);
    pf_writer_begin(&w, PF_F_PACKET_FTRACE_EVENTS);
    pf_writer_varint(&w, PF_F_FTRACE_CPU, cpu);
}

static void begin_bundle(void)
{
    begin_bundle_of(0);
}

/* An event of a kind, its message open. */
static void begin_kind(uint64_t ts, uint32_t kind)
{
    pf_writer_begin(&w, PF_F_FTRACE_EVENT);
    if (ts) {
        pf_writer_varint(&w, PF_F_FTRACE_EVENT_TIMESTAMP, ts);
    }
    pf_writer_varint(&w, PF_F_FTRACE_EVENT_PID, 1);
    pf_writer_begin(&w, kind);
}

enum { PREV_PID = 2, PREV_STATE = 4, NEXT_COMM, NEXT_PID, NEXT_PRIO };

/* A switch to a thread, as an event; 0: nothing is said of the one before. */
static void put_switch_of(uint64_t ts, uint64_t before, uint64_t next, const char *name)
{
    begin_kind(ts, PF_FTRACE_SCHED_SWITCH);
    if (before) {
        pf_writer_varint(&w, PREV_PID, before);
    }
    pf_writer_varint(&w, PREV_STATE, 1);
    text(NEXT_COMM, name);
    pf_writer_varint(&w, NEXT_PID, next);
    pf_writer_varint(&w, NEXT_PRIO, 101);
    done();
}

static void put_named_switch(uint64_t ts, uint64_t next, const char *name)
{
    put_switch_of(ts, 0, next, name);
}

static void put_switch(uint64_t ts, uint64_t next)
{
    put_named_switch(ts, next, "event");
}

/* What a cpu does for all. */
static void put_frequency(uint64_t ts)
{
    enum { CPU_FREQUENCY = 11 };
    begin_kind(ts, CPU_FREQUENCY);
    done();
}

/* Thread 1 writes a mark of process `pid`. */
static void put_mark(uint64_t ts, char phase, uint64_t pid)
{
    begin_kind(ts, 3);
    text(2, (char[]){phase, '|', (char)('0' + pid), '|', 'x', '\0'});
    done();
}

/* The same by a driver. */
static void put_driver_mark(uint64_t ts, uint64_t driver, uint64_t pid, uint64_t type)
{
    static const uint32_t kinds[] = {80, 331, 333}, pids[] = {1, 3, 1}, types[] = {4, 1, 3};
    begin_kind(ts, kinds[driver]);
    pf_writer_varint(&w, pids[driver], pid);
    pf_writer_varint(&w, types[driver], type);
    done();
}

/* Thread 1 makes a thread, maybe one of its own process. */
static void put_task(uint64_t ts, uint64_t tid, bool thread)
{
    begin_kind(ts, 235);
    pf_writer_varint(&w, 1, tid);
    text(2, "born");
    pf_writer_varint(&w, 3, thread ? 0x10000 : 0);
    done();
}

/* Something else. */
static void put_waking(uint64_t ts)
{
    enum { WAKING = 20, PID = 2 };
    begin_kind(ts, WAKING);
    pf_writer_varint(&w, PID, 3);
    done();
}

/* Switches of compact_sched, each to the thread of the next number; all have one name. What was before each: 1, 2. */
static void put_list(const uint8_t *times, size_t count, uint8_t next)
{
    uint8_t steps[8], pids[8], states[8], prios[8], zeros[8] = {0};
    for (size_t i = 0; i < count; i++) {
        steps[i] = (uint8_t)(times[i] - (i ? times[i - 1] : 0));
        pids[i] = (uint8_t)(next + i);
        states[i] = (uint8_t)(1 + i);
        prios[i] = (uint8_t)(101 + i);
    }
    pf_writer_begin(&w, PF_F_FTRACE_COMPACT_SCHED);
    text(PF_F_COMPACT_TEXTS, (char[]){(char)('a' + next), '\0'});
    pf_writer_bytes(&w, PF_F_COMPACT_SWITCH_TIMESTAMP, steps, count);
    pf_writer_bytes(&w, PF_F_COMPACT_SWITCH_PREV_STATE, states, count);
    pf_writer_bytes(&w, PF_F_COMPACT_SWITCH_NEXT_PID, pids, count);
    pf_writer_bytes(&w, PF_F_COMPACT_SWITCH_NEXT_PRIO, prios, count);
    pf_writer_bytes(&w, PF_F_COMPACT_SWITCH_NEXT_COMM, zeros, count);
    pf_writer_end(&w);
}

static void put_entries(uint8_t first, uint8_t second, uint8_t next)
{
    put_list((uint8_t[]){first, second}, 2, next);
}

/* A bundle as its entries (c), its switches (e), and the fields of ours. */
static void show_bundle(const pf_field *bundle, pf_buffer *out)
{
    pf_budget budget;
    pf_limits limits = pf_limits_default();
    pf_error err;
    pf_budget_init(&budget, &limits);
    pf_ftrace_bundle b = {.budget = &budget};
    cr_assert_eq(pf_ftrace_decode(bundle->bytes, bundle->len, &b, &err), PF_OK);
    pf_buffer_text(out, "[");
    for (uint32_t i = 0; i < b.switches.count; i++) {
        const pf_sched_entry *e = &b.switches.entry[i];
        pf_buffer_format(out, " c%lld:%d%.*s", (long long)e->ts, e->pid, (int)b.comm[e->comm].len, b.comm[e->comm].ptr);
        cr_expect(e->pid == 0 || e->prio == 100 + e->state, "what was before and the priority are those of one entry");
    }
    for (uint32_t i = 0; i < b.wakings.count; i++) {
        const pf_sched_entry *e = &b.wakings.entry[i];
        pf_buffer_format(out, " w%lld:%d%.*s on %d, %d %u", (long long)e->ts, e->pid, (int)b.comm[e->comm].len,
                         b.comm[e->comm].ptr, e->cpu, e->prio, e->state);
    }
    for (uint32_t i = 0; i < b.event_count; i++) {
        pf_str comm;
        bool is_switch = b.event[i].kind == PF_FTRACE_SCHED_SWITCH;
        pf_buffer_format(out, is_switch ? " e%lld:%d" : " o%lld", (long long)b.event[i].ts,
                         pf_ftrace_switch_of(&b.event[i], &comm).pid);
        const pf_cursor fields = pf_cursor_over(b.event[i].body, b.event[i].len);
        const pf_field before = pf_cursor_last(fields, PF_TAG_VARINT(PREV_PID));
        if (is_switch && before.value) {
            pf_buffer_format(out, "<%u", (unsigned)before.value);
        }
        if (b.event[i].tid != 1) {
            pf_buffer_format(out, "@%u", b.event[i].tid);
        }
    }
    pf_cursor c = pf_field_cursor(bundle);
    for (pf_field f; pf_cursor_next(&c, &f) == PF_NEXT_FIELD;) {
        uint32_t number = pf_field_number(&f);
        const char *name = number == PF_CUT_LEAD_ENTRY          ? "entry"
                           : number == PF_CUT_LEAD_EVENT        ? "event"
                           : number == PF_F_FTRACE_LAST_READ    ? "read"
                           : number == PF_F_FTRACE_PREVIOUS_END ? "end"
                           : number == PF_F_FTRACE_DESCRIPTORS  ? "descriptors"
                                                                : NULL;
        if (name) {
            pf_buffer_format(out, " %s %u", name, (unsigned)f.value);
        }
    }
    pf_buffer_text(out, " ]");
    pf_ftrace_bundle_free(&b);
    pf_budget_end(&budget);
}

static void expect_bundles(const char *path, const char *want)
{
    size_t len;
    pf_buffer got = {0};
    char *all = read_file(path, &len);
    pf_cursor c = pf_cursor_over((const uint8_t *)all, len);
    for (pf_field f; pf_cursor_next(&c, &f) == PF_NEXT_FIELD;) {
        const pf_field bundle = pf_cursor_last(pf_field_cursor(&f), PF_TAG_BYTES(PF_F_PACKET_FTRACE_EVENTS));
        if (bundle.tag) {
            show_bundle(&bundle, &got);
        }
    }
    pf_buffer_put(&got, "", 1);
    cr_expect_str_eq(got.data, want);
    pf_buffer_free(&got);
    free(all);
}

/* Cuts what was written, and the cut again, which is the same. */
static void expect_cut(const char *want)
{
    pf_cut_options o = pf_cut_options_default(), twice = o;
    write_file("in.pftrace");
    cut_file("in.pftrace", "cut.pftrace", &o, FROM, TO);
    expect_bundles("cut.pftrace", want);
    cut_file("cut.pftrace", "again.pftrace", &o, FROM, TO);
    expect_bundles("again.pftrace", want);
    twice.min_dur = 1; /* which takes a pass before */
    cut_file("in.pftrace", "again.pftrace", &twice, FROM, TO);
    expect_bundles("again.pftrace", want);
}

/* Bundles of cpu 0, as what is in them: a letter for each and numbers. c T... N: entries at these times, the first one
 * to thread N; e T N: a switch to N; p T N M: from N to M; o T: a waking of 3; m T P: a slice of P, n: a counter; d T 0
 * to 2 P TYPE: of a driver; t T N 1: a new thread, 0: process; f T: a frequency; x T N: a transaction to N; k: it has a
 * clock of its own. Between bundles there is a comma. */
static void build(const char *bundles)
{
    start();
    begin_bundle();
    for (const char *at = bundles; *at; at++) {
        uint8_t number[8];
        size_t count = 0;
        char kind = *at;
        for (char *next; kind != ',' && at[1] == ' ' && at[2] >= '0' && at[2] <= '9'; at = next - 1) {
            number[count++] = (uint8_t)strtoul(at + 2, &next, 10);
        }
        if (kind == 'c') {
            put_list(number, count - 1, number[count - 1]);
        } else if (kind == 'e') {
            put_switch(number[0], number[1]);
        } else if (kind == 'o') {
            put_waking(number[0]);
        } else if (kind == 'p') {
            put_switch_of(number[0], number[1], number[2], "event");
        } else if (kind == 'm' || kind == 'n') {
            put_mark(number[0], kind == 'm' ? 'B' : 'C', number[1]);
        } else if (kind == 'x') {
            begin_kind(number[0], 50);
            pf_writer_varint(&w, 4, number[1]);
            done();
        } else if (kind == 'd') {
            put_driver_mark(number[0], number[1], number[2], number[3]);
        } else if (kind == 't') {
            put_task(number[0], number[1], number[2]);
        } else if (kind == 'f') {
            put_frequency(number[0]);
        } else if (kind == 'k') {
            pf_writer_varint(&w, PF_F_FTRACE_CLOCK, 3);
        } else if (kind == ',') {
            done();
            begin_bundle();
        }
    }
    done();
}

Test(cut_bundles, what_ran_is_known_when_the_window_begins)
{
    static const struct {
        const char *bundles, *want;
    } cases[] = {
        /* the last switch before the window is at its start; one there needs none before */
        {"e 10 1 e 20 2 e 50 3 e 60 4 e 70 5", "[ e50:3 e40:2 event 20 ]"},
        {"c 20 50 2", "[ c40:2c c50:3c entry 20 ]"},
        {"c 10 20 50 60 70 2", "[ c40:3c c50:4c entry 20 ]"},
        {"e 30 2 e 20 7 e 50 3", "[ e50:3 e40:2 event 30 ]"},
        {"e 20 2 o 30 e 50 3", "[ e50:3 e40:2 event 20 ]"},
        {"e 20 2 e 40 3 e 50 4", "[ e40:3 e50:4 ]"},
        {"c 20 40 2", "[ c40:3c ]"},
        /* nothing is said where nothing is in the window, or nothing was before */
        {"c 20 60 2", ""},
        {"e 20 2 e 60 3", ""},
        {"c 45 50 2", "[ c45:2c c50:3c ]"},
        {"e 45 2", "[ e45:2 ]"},
        {"e 20 2 o 50", "[ o50 e40:2 event 20 ]"},
        {"c 20 30 2 o 50", "[ o50 ]"},
        /* the later one of both forms counts, of two at one time the event */
        {"c 20 50 2 e 15 7 e 55 8", "[ c40:2c c50:3c e55:8 entry 20 ]"},
        {"c 20 50 2 e 25 7 e 55 8", "[ c50:3c e55:8 e40:7 event 25 ]"},
        {"c 20 50 2 e 25 7", "[ c50:3c e40:7 event 25 ]"},
        {"c 20 50 2 e 20 7", "[ c50:3c e40:7 event 20 ]"},
        /* entries know the switch of bundles before, in whatever order they come and form it has */
        {"c 25 30 2 e 27 9,c 10 20 4 e 12 9,c 50 55 6 e 58 9", "[ c40:3c c50:6g c55:7g e58:9 entry 30 ]"},
        {"c 10 20 4,c 25 30 2,c 50 55 6", "[ c40:3c c50:6g c55:7g entry 30 ]"},
        {"c 10 20 2 e 30 9,c 50 55 6", "[ c40:9event c50:6g c55:7g entry 30 ]"},
        {"c 10 30 2 e 30 9,c 50 55 6", "[ c40:9event c50:6g c55:7g entry 30 ]"},
        {"c 10 30 2,o 35,c 50 55 6", "[ c40:3c c50:6g c55:7g entry 30 ]"},
        {"c 70 80 2,c 45 50 4", "[ c45:4e c50:5e ]"},
        {"o 10,c 45 50 4", "[ c45:4e c50:5e ]"},
        /* only the first bundle in the window has one */
        {"c 20 50 2,c 35 55 4", "[ c40:2c c50:3c entry 20 ][ c55:5e ]"},
        {"c 45 50 2,c 35 55 4", "[ c45:2c c50:3c ][ c55:5e ]"},
        {"e 20 2 o 50,e 30 3 o 55", "[ o50 e40:2 event 20 ][ o55 ]"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        build(cases[i].bundles);
        expect_cut(cases[i].want);
    }
}

/* A cut of a part from a later time knows what the first one said. */
Test(cut_bundles, a_switch_that_an_earlier_cut_moved_is_moved_again)
{
    pf_cut_options o = pf_cut_options_default();
    for (int entries = 0; entries < 2; entries++) {
        build(entries ? "c 20 50 2" : "e 20 2 e 50 3");
        write_file("in.pftrace");
        cut_file("in.pftrace", "cut.pftrace", &o, FROM, TO);
        cut_file("cut.pftrace", "later.pftrace", &o, 45, TO);
        expect_bundles("later.pftrace", entries ? "[ c45:2c c50:3c entry 40 ]" : "[ e50:3 e45:2 event 40 ]");
    }
}

/* Each window has its own: 30 to 40, 40 to 60, 70 to 80. */
Test(cut_bundles, parts_begin_with_what_ran_each)
{
    static const pf_split_window windows[] = {{30, 40, NULL}, {40, 60, NULL}, {70, 80, NULL}};
    static const char *const want[] = {"[ e35:3 e30:2 event 20 ]",
                                       "[ e40:4 e50:5 ]",
                                       "",
                                       "[ c30:2c c35:3c entry 20 ]",
                                       "[ c40:3c c50:4c entry 35 ]",
                                       ""};
    pf_split_options o = pf_split_options_default();
    pf_error err;
    o.windows = windows;
    o.window_count = 3;
    for (size_t i = 0; i < 2; i++) {
        build(i ? "c 20 35 50 2" : "e 20 2 e 35 3 e 40 4 e 50 5");
        write_file("in.pftrace");
        cr_assert_eq(pf_split("in.pftrace", ".", &o, NULL, &err), PF_OK, "%s", err.text);
        expect_bundles("part-0001.pftrace", want[3 * i]);
        expect_bundles("part-0002.pftrace", want[3 * i + 1]);
        expect_bundles("part-0003.pftrace", want[3 * i + 2]);
    }
}

/* Since when nothing is missing: said by the first bundle of a cpu, though it has no event in the window. What the
 * kernel calls its own events is said by each that does. */
Test(cut_bundles, since_when_events_are_whole_is_said_by_the_first_one_of_each_cpu)
{
    for (uint32_t field = PF_F_FTRACE_LAST_READ; field <= PF_F_FTRACE_DESCRIPTORS; field++) {
        static const char *const want[] = {
            "[ read 5 ][ e50:1 ][ read 7 ][ e50:1 ]", "[ end 5 ][ e50:1 ][ end 7 ][ e50:1 ]",
            "[ descriptors 5 ][ e50:1 descriptors 6 ][ descriptors 7 ][ e50:1 descriptors 8 ]"};
        start();
        for (uint64_t i = 0; i < 4; i++) {
            begin_bundle_of(i < 2 ? 0 : 64);
            put_switch(i % 2 ? 50 : 10, 1);
            pf_writer_varint(&w, field, 5 + i);
            done();
        }
        expect_cut(want[field - PF_F_FTRACE_LAST_READ]);
    }
}

Test(cut_bundles, wakings_are_those_of_the_window)
{
    static const uint8_t steps[] = {30, 15, 5, 10}, pids[] = {1, 2, 3, 4}, cpus[] = {5, 6, 7, 8},
                         prios[] = {9, 10, 11, 12}, texts[] = {0, 1, 0, 1}, flags[] = {13, 14, 15, 16}, one[] = {55},
                         zero[] = {0}, state[] = {1}, prio[] = {101};
    start();
    begin_bundle();
    pf_writer_begin(&w, PF_F_FTRACE_COMPACT_SCHED);
    text(PF_F_COMPACT_TEXTS, "x");
    text(PF_F_COMPACT_TEXTS, "yz");
    pf_writer_bytes(&w, PF_F_COMPACT_SWITCH_TIMESTAMP, one, 1);
    pf_writer_bytes(&w, PF_F_COMPACT_SWITCH_PREV_STATE, state, 1);
    pf_writer_bytes(&w, PF_F_COMPACT_SWITCH_NEXT_PID, zero, 1);
    pf_writer_bytes(&w, PF_F_COMPACT_SWITCH_NEXT_PRIO, prio, 1);
    pf_writer_bytes(&w, PF_F_COMPACT_SWITCH_NEXT_COMM, zero, 1);
    pf_writer_bytes(&w, PF_F_COMPACT_WAKING_TIMESTAMP, steps, 4);
    pf_writer_bytes(&w, PF_F_COMPACT_WAKING_PID, pids, 4);
    pf_writer_bytes(&w, PF_F_COMPACT_WAKING_TARGET_CPU, cpus, 4);
    pf_writer_bytes(&w, PF_F_COMPACT_WAKING_PRIO, prios, 4);
    pf_writer_bytes(&w, PF_F_COMPACT_WAKING_COMM, texts, 4);
    pf_writer_bytes(&w, PF_F_COMPACT_WAKING_FLAGS, flags, 4);
    pf_writer_end(&w);
    done();
    expect_cut("[ c55:0x w45:2yz on 6, 10 14 w50:3x on 7, 11 15 ]");
    pf_cut_options o = pf_cut_options_default();
    o.thread = (pf_edit_patterns){.keep = (const char *const[]){"2"}, .keep_count = 1};
    cr_expect_gt(cut_file("in.pftrace", "cut.pftrace", &o, FROM, TO).timed, 0);
    expect_bundles("cut.pftrace", "[ c55:0x w45:2yz on 6, 10 14 ]");
}

/* Texts of other bundles are kept as far as 32 bytes. */
Test(cut_bundles, a_long_name_of_what_ran_is_cut_off)
{
    start();
    begin_bundle();
    put_named_switch(30, 9, "a-name-of-forty-bytes-is-longer-than-any");
    done();
    begin_bundle();
    put_entries(50, 55, 6);
    done();
    expect_cut("[ c40:9a-name-of-forty-bytes-is-longer- c50:6g c55:7g entry 30 ]");
}

/* Nobody knows whose events are in it, or when: it is in every part as it is. */
Test(cut_bundles, one_without_a_cpu_or_in_a_clock_that_nothing_relates_stays_whole)
{
    enum { LOCAL = 3 };
    static const struct {
        int64_t cpu, clock;
        bool whole;
    } cases[] = {{0, LOCAL, true}, {-1, 0, true}, {PF_FTRACE_CPUS, 0, true}, {PF_FTRACE_CPUS - 1, 0, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        start();
        pf_writer_begin(&w, PF_F_TRACE_PACKET);
        pf_writer_begin(&w, PF_F_PACKET_FTRACE_EVENTS);
        if (cases[i].cpu >= 0) {
            pf_writer_varint(&w, PF_F_FTRACE_CPU, (uint64_t)cases[i].cpu);
        }
        pf_writer_varint(&w, PF_F_FTRACE_CLOCK, (uint64_t)cases[i].clock);
        put_entries(20, 50, 2);
        done();
        expect_cut(cases[i].whole ? "[ c20:2c c50:3c ]" : "[ c40:2c c50:3c entry 20 ]");
    }
}

/* MONOTONIC_RAW 10 is BOOTTIME 25, and the trace's time; without a snapshot no event has a time. */
Test(cut_bundles, events_in_the_raw_clock_have_the_times_of_snapshots)
{
    enum { RAW = 4 };
    for (int known = 0; known < 2; known++) {
        start();
        pf_writer_begin(&w, PF_F_TRACE_PACKET);
        pf_writer_begin(&w, PF_F_PACKET_CLOCK_SNAPSHOT);
        for (uint64_t clock = PF_CLOCK_BOOTTIME; known && clock >= PF_CLOCK_MONOTONIC_RAW; clock--) {
            pf_writer_begin(&w, PF_F_SNAPSHOT_CLOCKS);
            pf_writer_varint(&w, PF_F_CLOCK_ID, clock);
            pf_writer_varint(&w, PF_F_CLOCK_TIMESTAMP, clock == PF_CLOCK_BOOTTIME ? 25 : 10);
            pf_writer_end(&w);
        }
        done();
        for (int i = 0; i < 2; i++) {
            begin_bundle();
            pf_writer_varint(&w, PF_F_FTRACE_CLOCK, RAW);
            put_entries(i ? 30 : 5, i ? 32 : 10, 2);
            put_switch(i ? 33 : 2, 8);
            put_waking(i ? 34 : 3);
            done();
        }
        expect_cut(known ? "[ c25:3c c30:2c c32:3c e33:8 o34 entry 10 ]" : "");
    }
}

/* An event without a time, which nobody can place, though its time reads as 0. */
Test(cut_bundles, an_event_without_a_time_is_left_out)
{
    pf_cut_options o = pf_cut_options_default();
    start();
    begin_bundle();
    put_waking(0);
    put_switch(50, 2);
    done();
    write_file("in.pftrace");
    cut_file("in.pftrace", "cut.pftrace", &o, -10, TO);
    expect_bundles("cut.pftrace", "[ e50:2 ]");
    size_t len; /* which a reader passes over, too */
    char *cut = read_file("cut.pftrace", &len);
    cr_expect_null(memmem(cut, len, "\xa2\x01\x02\x10\x03", 5));
    free(cut);
}

/* Hostile: marks of an earlier cut without what they are about. */
Test(cut_bundles, marks_of_a_cut_without_their_switch_are_left_out)
{
    start();
    begin_bundle();
    pf_writer_varint(&w, PF_CUT_LEAD_ENTRY, 20);
    pf_writer_varint(&w, PF_CUT_LEAD_EVENT, 20);
    done();
    begin_bundle();
    pf_writer_varint(&w, PF_CUT_LEAD_ENTRY, 20);
    put_waking(50);
    done();
    expect_cut("[ o50 ]");
}

/* Entries of interned data are said where an event of the window refers to them. */
Test(cut_bundles, symbols_of_the_kernel_are_said_for_events_of_the_window)
{
    enum { WORK = 57, FUNCTION = 2 };
    size_t len;
    start();
    packet(1, 1);
    pf_writer_varint(&w, PF_F_PACKET_SEQUENCE_FLAGS, PF_SEQ_STATE_CLEARED);
    pf_writer_begin(&w, PF_F_PACKET_INTERNED_DATA);
    for (uint64_t i = 1; i <= 2; i++) {
        pf_writer_begin(&w, PF_F_INTERNED_KERNEL_SYMBOLS);
        pf_writer_varint(&w, PF_F_ENTRY_IID, i);
        text(PF_F_ENTRY_TEXT, i == 1 ? "inside" : "outside");
        pf_writer_end(&w);
    }
    done();
    packet(1, 1);
    pf_writer_begin(&w, PF_F_PACKET_FTRACE_EVENTS);
    pf_writer_varint(&w, PF_F_FTRACE_CPU, 0);
    for (uint64_t i = 1; i <= 2; i++) {
        begin_kind(i == 1 ? 50 : 70, WORK);
        pf_writer_varint(&w, FUNCTION, i);
        done();
    }
    done();
    expect_cut("[ o50 ]");
    char *cut = read_file("cut.pftrace", &len);
    cr_expect(memmem(cut, len, "inside", 6) && !memmem(cut, len, "outside", 7));
    free(cut);
}

/* A process of threads 2 and 3, which the system's tree says. */
static void put_tree(void)
{
    enum { TREE_THREAD = 2, TID = 1, NAME = 2, TGID = 3 };
    pf_writer_begin(&w, PF_F_TRACE_PACKET);
    pf_writer_begin(&w, PF_F_PACKET_PROCESS_TREE);
    for (uint64_t tid = 2; tid < 4; tid++) {
        pf_writer_begin(&w, TREE_THREAD);
        pf_writer_varint(&w, TID, tid);
        text(NAME, tid == 2 ? "two" : "three");
        pf_writer_varint(&w, TGID, 2);
        pf_writer_end(&w);
    }
    done();
}

/* What others run is run by the idle thread; the first switch of a list says what ran before the next one. */
Test(cut_bundles, selections_keep_what_threads_ran_and_who_woke_them)
{
    static const struct {
        const char *process, *drop_process, *thread, *category, *bundles, *want;
    } cases[] = {
        {"2", NULL, NULL, NULL, "c 10 20 30 40 2", "[ c10:2c c20:3c c30:0swapper ]"},
        {"2", NULL, NULL, NULL, "c 10 20 30 5", "[ c10:0swapper ]"},
        {"2", NULL, NULL, NULL, "c 10 20 1", "[ c10:0swapper c20:2b ]"},
        {"2", NULL, NULL, NULL, "c 10 20 3,c 30 40 5", "[ c10:3d c20:0swapper ][ c30:0swapper ]"},
        {NULL, "2", NULL, NULL, "c 10 20 30 2", "[ c10:0swapper c30:4c ]"},
        {"2", NULL, NULL, NULL, "p 10 2 5 p 20 5 3 p 30 3 2 p 40 5 6 p 50 3 0", "[ e10:0<2 e20:3@0 e30:2<3 e50:0<3 ]"},
        {NULL, "2", NULL, NULL, "p 10 2 5 p 20 5 3 p 30 3 2 p 40 5 6", "[ e10:5@0 e20:0<5 e40:6<5 ]"},
        {NULL, "2", NULL, NULL, "p 10 2 0 p 20 0 5", "[ e20:5 ]"},
        {"2", NULL, NULL, NULL, "p 20 0 3", "[ e20:3 ]"},
        /* entries know the events between them */
        {"2", NULL, NULL, NULL, "c 10 30 5 p 20 5 2", "[ c10:0swapper c30:0swapper e20:2@0 ]"},
        {"2", NULL, NULL, NULL, "c 10 30 2 p 20 2 5", "[ c10:2c c30:3c e20:0<2 ]"},
        {"2", NULL, NULL, NULL, "c 10 30 40 1 p 35 2 5", "[ c10:0swapper c30:2b c40:3b e35:0<2 ]"},
        /* a thread that no process is known of may be the first one of its own */
        {"5", NULL, NULL, NULL, "c 10 20 5", "[ c10:5f c20:0swapper ]"},
        /* which process a thread is of is said by slices that it writes, and by who made it, in any order */
        {"2", NULL, NULL, NULL, "c 10 20 1", "[ c10:0swapper c20:2b ]"},
        {"2", NULL, NULL, NULL, "m 5 2 c 10 20 1", "[ c10:1b c20:2b o5 ]"},
        {"2", NULL, NULL, NULL, "n 5 2 c 10 20 1", "[ c10:0swapper c20:2b ]"},
        {"2", NULL, NULL, NULL, "d 5 0 2 0 c 10 20 1", "[ c10:1b c20:2b o5 ]"},
        {"2", NULL, NULL, NULL, "d 5 1 2 1 c 10 20 1", "[ c10:1b c20:2b o5 ]"},
        {"2", NULL, NULL, NULL, "d 5 1 2 4 c 10 20 1", "[ c10:0swapper c20:2b o5 ]"},
        {"2", NULL, NULL, NULL, "d 5 2 2 66 c 10 20 1", "[ c10:1b c20:2b o5 ]"},
        {"2", NULL, NULL, NULL, "d 5 2 2 67 c 10 20 1", "[ c10:0swapper c20:2b o5 ]"},
        {NULL, NULL, "born", NULL, "t 5 9 1 p 10 9 5", "[ o5 e10:0<9 ]"},
        {"2", NULL, NULL, NULL, "t 5 8 1 m 6 2 c 10 20 8", "[ c10:8i c20:0swapper o5 o6 ]"},
        {"2", NULL, NULL, NULL, "t 5 8 0 m 6 2 c 10 20 8", "[ c10:0swapper o6 ]"},
        {NULL, NULL, "two", NULL, "c 10 20 2", "[ c10:2c c20:0swapper ]"},
        {NULL, NULL, "g*", NULL, "c 10 20 30 6", "[ c10:6g c20:7g c30:8g ]"},
        {NULL, NULL, "event", NULL, "p 10 5 6 p 20 6 2", "[ e10:6@0 e20:0<6 ]"},
        /* who is woken counts, not who wakes; what a cpu does for all is nobody's */
        {"2", NULL, NULL, NULL, "o 10 f 20", "[ o10 ]"},
        {"1", NULL, NULL, NULL, "o 10 f 20", ""},
        /* a transaction is of who sends and of who receives it */
        {"1", NULL, NULL, NULL, "x 10 3", "[ o10 ]"},
        {"2", NULL, NULL, NULL, "x 10 3", "[ o10 ]"},
        {"5", NULL, NULL, NULL, "x 10 3", ""},
        {NULL, "2", NULL, NULL, "o 10 f 20", "[ o20 ]"},
        {NULL, NULL, NULL, "x", "c 10 20 2 p 15 2 5 f 20", ""},
        /* bundles whose clock is not known are not cut, but selected */
        {"2", NULL, NULL, NULL, "k p 10 2 5 p 20 5 6 c 5 20 5", "[ c5:0swapper e10:0<2 ]"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pf_cut_options o = pf_cut_options_default();
        o.process = (pf_edit_patterns){.keep = &cases[i].process,
                                       .keep_count = cases[i].process != NULL,
                                       .drop = &cases[i].drop_process,
                                       .drop_count = cases[i].drop_process != NULL};
        o.thread = (pf_edit_patterns){.keep = &cases[i].thread, .keep_count = cases[i].thread != NULL};
        o.category = (pf_edit_patterns){.keep = &cases[i].category, .keep_count = cases[i].category != NULL};
        build(cases[i].bundles);
        put_tree(); /* after what it is about */
        write_file("in.pftrace");
        cut_file("in.pftrace", "cut.pftrace", &o, INT64_MIN, INT64_MAX);
        expect_bundles("cut.pftrace", cases[i].want);
        cut_file("cut.pftrace", "again.pftrace", &o, INT64_MIN, INT64_MAX);
        expect_bundles("again.pftrace", cases[i].want);
    }
}

/* Of those that are left out not even the name remains. */
Test(cut_bundles, a_thread_that_is_left_out_leaves_no_name)
{
    static const char *const two = "2";
    static const uint8_t list[] = {10, 10}, pids[] = {5, 2}, zeros[] = {0, 0}, names[] = {0, 1};
    pf_cut_options o = pf_cut_options_default();
    size_t len;
    o.process = (pf_edit_patterns){.keep = &two, .keep_count = 1};
    start();
    begin_bundle();
    put_switch_of(30, 5, 2, "wanted");
    put_switch_of(35, 2, 5, "unwanted");
    put_switch_of(40, 2, 0, "resting");
    pf_writer_begin(&w, PF_F_FTRACE_COMPACT_SCHED);
    text(PF_F_COMPACT_TEXTS, "unwanted");
    text(PF_F_COMPACT_TEXTS, "named");
    pf_writer_bytes(&w, PF_F_COMPACT_SWITCH_TIMESTAMP, list, 2);
    pf_writer_bytes(&w, PF_F_COMPACT_SWITCH_PREV_STATE, zeros, 2);
    pf_writer_bytes(&w, PF_F_COMPACT_SWITCH_NEXT_PID, pids, 2);
    pf_writer_bytes(&w, PF_F_COMPACT_SWITCH_NEXT_PRIO, zeros, 2);
    pf_writer_bytes(&w, PF_F_COMPACT_SWITCH_NEXT_COMM, names, 2);
    pf_writer_end(&w);
    done();
    write_file("in.pftrace");
    cut_file("in.pftrace", "cut.pftrace", &o, INT64_MIN, INT64_MAX);
    char *all = read_file("cut.pftrace", &len);
    cr_expect_null(memmem(all, len, "unwanted", 8));
    cr_expect_not_null(memmem(all, len, "wanted", 6));
    cr_expect_not_null(memmem(all, len, "named", 5));
    cr_expect_not_null(memmem(all, len, "resting", 7), "what is idle stays as it is");
    free(all);
}

/* A switch to the idle thread in place of others is nothing that fits. */
Test(cut_bundles, what_fits_is_what_is_kept_of_threads)
{
    static const char *const bundles[] = {"c 10 20 5", "c 10 20 2", "p 10 2 5", "o 10"};
    pf_cut_options o = pf_cut_options_default();
    o.process = (pf_edit_patterns){.keep = (const char *const[]){"2", "3"}, .keep_count = 2};
    for (size_t i = 0; i < sizeof bundles / sizeof *bundles; i++) {
        build(bundles[i]);
        write_file("in.pftrace");
        cr_expect_eq(cut_file("in.pftrace", "cut.pftrace", &o, INT64_MIN, INT64_MAX).timed > 0, i > 0);
    }
}

/* Bundles that no window cuts: selected they are nevertheless, or left out where nobody knows of which cpu they are. */
Test(cut_bundles, bundles_that_are_not_cut_are_selected)
{
    pf_cut_options all = pf_cut_options_default(), o = all;
    o.process = (pf_edit_patterns){.keep = (const char *const[]){"2"}, .keep_count = 1};
    build("k p 10 2 5");
    write_file("in.pftrace");
    cut_file("in.pftrace", "cut.pftrace", &o, FROM, TO);
    expect_bundles("cut.pftrace", "[ e10:0<2 ]");
    start();
    pf_writer_begin(&w, PF_F_TRACE_PACKET);
    pf_writer_begin(&w, PF_F_PACKET_FTRACE_EVENTS);
    put_switch_of(10, 2, 5, "event");
    done();
    write_file("in.pftrace");
    cut_file("in.pftrace", "cut.pftrace", &all, FROM, TO);
    expect_bundles("cut.pftrace", "[ e10:5<2 ]");
    cut_file("in.pftrace", "cut.pftrace", &o, FROM, TO);
    expect_bundles("cut.pftrace", "");
}
