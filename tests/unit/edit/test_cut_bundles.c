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

static void begin_bundle(void)
{
    pf_writer_begin(&w, PF_F_TRACE_PACKET);
    pf_writer_begin(&w, PF_F_PACKET_FTRACE_EVENTS);
    pf_writer_varint(&w, PF_F_FTRACE_CPU, 0);
}

/* A switch to a thread, as an event. */
static void put_switch(uint64_t ts, uint64_t next)
{
    enum { NEXT_PID = 6 };
    pf_writer_begin(&w, PF_F_FTRACE_EVENT);
    pf_writer_varint(&w, PF_F_FTRACE_EVENT_TIMESTAMP, ts);
    pf_writer_varint(&w, PF_F_FTRACE_EVENT_PID, 1);
    pf_writer_begin(&w, PF_FTRACE_SCHED_SWITCH);
    pf_writer_varint(&w, NEXT_PID, next);
    pf_writer_end(&w);
    pf_writer_end(&w);
}

/* Two switches of compact_sched, the second one to the thread of the next number; both have one name. */
static void put_entries(uint8_t first, uint8_t second, uint8_t next)
{
    const uint8_t times[] = {first, (uint8_t)(second - first)}, pids[] = {next, (uint8_t)(next + 1)}, zeros[2] = {0};
    pf_writer_begin(&w, PF_F_FTRACE_COMPACT_SCHED);
    text(PF_F_COMPACT_TEXTS, (char[]){(char)('a' + next), '\0'});
    pf_writer_bytes(&w, PF_F_COMPACT_SWITCH_TIMESTAMP, times, 2);
    pf_writer_bytes(&w, PF_F_COMPACT_SWITCH_PREV_STATE, zeros, 2);
    pf_writer_bytes(&w, PF_F_COMPACT_SWITCH_NEXT_PID, pids, 2);
    pf_writer_bytes(&w, PF_F_COMPACT_SWITCH_NEXT_PRIO, zeros, 2);
    pf_writer_bytes(&w, PF_F_COMPACT_SWITCH_NEXT_COMM, zeros, 2);
    pf_writer_end(&w);
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
        pf_buffer_format(out, " c%lld:%d%.1s", (long long)b.switches.entry[i].ts, b.switches.entry[i].pid,
                         b.comm[b.switches.entry[i].comm].ptr);
    }
    for (uint32_t i = 0; i < b.event_count; i++) {
        pf_str comm;
        pf_buffer_format(out, " e%lld:%d", (long long)b.event[i].ts, pf_ftrace_switch_of(&b.event[i], &comm).pid);
    }
    pf_cursor c = pf_field_cursor(bundle);
    for (pf_field f; pf_cursor_next(&c, &f) == PF_NEXT_FIELD;) {
        uint32_t number = pf_field_number(&f);
        const char *name = number == PF_CUT_LEAD_ENTRY       ? "entry"
                           : number == PF_CUT_LEAD_EVENT     ? "event"
                           : number == PF_F_FTRACE_LAST_READ ? "read"
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
    pf_cut_options o = pf_cut_options_default();
    write_file("in.pftrace");
    cut_file("in.pftrace", "cut.pftrace", &o, FROM, TO);
    expect_bundles("cut.pftrace", want);
    cut_file("cut.pftrace", "again.pftrace", &o, FROM, TO);
    expect_bundles("again.pftrace", want);
}

Test(cut_bundles, the_last_switch_before_the_window_is_at_its_start)
{
    pf_cut_options o = pf_cut_options_default();
    start();
    begin_bundle();
    put_switch(10, 1);
    put_switch(20, 2);
    put_switch(50, 3);
    done();
    expect_cut("[ e50:3 e40:2 event 20 ]");
    start();
    begin_bundle();
    put_entries(20, 50, 2);
    done();
    expect_cut("[ c40:2c c50:3c entry 20 ]");
    cut_file("cut.pftrace", "later.pftrace", &o, 45, TO);
    expect_bundles("later.pftrace", "[ c45:2c c50:3c entry 40 ]");
}

Test(cut_bundles, a_switch_at_the_start_needs_none_before)
{
    start();
    begin_bundle();
    put_switch(20, 2);
    put_switch(40, 3);
    done();
    expect_cut("[ e40:3 ]");
    start();
    begin_bundle();
    put_entries(20, 40, 2);
    done();
    expect_cut("[ c40:3c ]");
}

Test(cut_bundles, the_later_switch_of_both_forms_counts)
{
    for (uint64_t ts = 15; ts < 30; ts += 10) {
        start();
        begin_bundle();
        put_entries(20, 50, 2);
        put_switch(ts, 7);
        put_switch(55, 8);
        done();
        expect_cut(ts < 20 ? "[ c40:2c c50:3c e55:8 entry 20 ]" : "[ c50:3c e55:8 e40:7 event 25 ]");
    }
}

Test(cut_bundles, entries_know_the_switch_of_bundles_before_in_whatever_order_they_come)
{
    start();
    for (int i = 0; i < 3; i++) {
        begin_bundle();
        put_entries((uint8_t[]){25, 10, 50}[i], (uint8_t[]){30, 20, 55}[i], (uint8_t[]){2, 4, 6}[i]);
        put_switch((uint64_t[]){27, 12, 58}[i], 9); /* before the last entry, too */
        done();
    }
    expect_cut("[ c40:3c c50:6g c55:7g e58:9 entry 30 ]");
}

Test(cut_bundles, only_the_first_bundle_in_the_window_has_one)
{
    start();
    for (int i = 0; i < 2; i++) {
        begin_bundle();
        put_entries((uint8_t[]){20, 35}[i], (uint8_t[]){50, 55}[i], (uint8_t[]){2, 4}[i]);
        done();
    }
    expect_cut("[ c40:2c c50:3c entry 20 ][ c55:5e ]");
}

/* Since when nothing is missing: said by the first bundle of the cpu, though it has no event in the window. */
Test(cut_bundles, since_when_events_are_whole_is_said_by_the_first_one)
{
    start();
    for (uint64_t i = 0; i < 2; i++) {
        begin_bundle();
        put_switch(10 + 40 * i, 1);
        pf_writer_varint(&w, PF_F_FTRACE_LAST_READ, 5 + i);
        done();
    }
    expect_cut("[ read 5 ][ e50:1 ]");
}

Test(cut_bundles, one_in_a_clock_that_nothing_relates_stays_whole)
{
    enum { LOCAL = 3 };
    start();
    begin_bundle();
    pf_writer_varint(&w, PF_F_FTRACE_CLOCK, LOCAL);
    put_entries(20, 50, 2);
    done();
    expect_cut("[ c20:2c c50:3c ]");
}
