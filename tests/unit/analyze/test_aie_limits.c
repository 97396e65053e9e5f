/* The aie pass at its limits: what a gap is called, one kind of damage at a time, many cores, long names, numbers as
 * pids. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aie_support.h"
#include "postfetto/write.h"

static bool is(pf_str s, const char *expected)
{
    return s.ptr && s.len == strlen(expected) && memcmp(s.ptr, expected, s.len) == 0;
}

/* Kernels 0..10 and 1010..1020; LOCK 20..220 lasts 20 kernels, so the gap of 1000 cycles is one between iterations.
 * What no lock stall covers of it is drawn, named by the other kinds. */
Test(aie_limits, stretches_of_a_gap)
{
    static const struct {
        int memory, stream, cascade; /* cycles from 300, 600 and 800 on */
        const char *stretches;
    } cases[] = {{0, 0, 0, "10+10 no stall, 220+790 no stall"},
                 {300, 0, 0, "10+10 no stall, 220+80 no stall, 300+300 MEMORY, 600+410 no stall"},
                 {300, 200, 210, "10+10 no stall, 220+80 no stall, 300+300 MEMORY, 600+200 STREAM, 800+210 CASCADE"},
                 {400, 200, 0,
                  "10+10 no stall, 220+80 no stall, 300+300 MEMORY, 600+100 MEMORY+STREAM, 700+100 STREAM, 800+210 no "
                  "stall"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pf_buffer b = {0};
        char found[400] = "", *at = found;
        json_name(&b, "4", "core_trace for a");
        json_kernel(&b, "4", 0, 10);
        json_interval(&b, "4", "LOCK_STALL", 20, 220);
        json_interval(&b, "4", "MEMORY_STALL", 300, 300 + cases[i].memory);
        json_interval(&b, "4", "STREAM_STALL", 600, 600 + cases[i].stream);
        json_interval(&b, "4", "CASCADE_STALL", 800, 800 + cases[i].cascade);
        json_kernel(&b, "4", 1010, 1020);
        aie_run r = run_json(&b, &(aie_setup){.options = "warmup=0 iterations=2"});
        uint32_t track = track_named(&r, "a between iterations");
        for (size_t k = 0; k < events_on(&r, track); k++) {
            const pf_overlay_event *e = event_on(&r, track, k);
            at += snprintf(at, (size_t)(found + sizeof found - at), "%s%lld+%lld %.*s", k ? ", " : "", (long long)e->ts,
                           (long long)e->dur, (int)e->name.len, e->name.ptr);
            cr_expect_eq(arg_of(&r, e, "gap_cycles")->as.i, 1000);
        }
        cr_expect_str_eq(found, cases[i].stretches, "case %zu: %s", i, found);
        end_run(&r);
    }
}

/* A lock stall that lasts all of a gap leaves nothing to draw. */
Test(aie_limits, a_gap_that_a_lock_stall_explains)
{
    pf_buffer b = {0};
    json_name(&b, "4", "core_trace for a");
    json_kernel(&b, "4", 0, 10);
    json_interval(&b, "4", "LOCK_STALL", 10, 1010);
    json_kernel(&b, "4", 1011, 1020);
    json_interval(&b, "4", "LOCK_STALL", 1010, 1012);
    aie_run r = run_json(&b, &(aie_setup){.options = "warmup=0 iterations=2"});
    cr_expect_eq(pf_findings_table_named(r.findings, "aie_iterations")->row_count, 2);
    cr_expect_eq(track_named(&r, "a between iterations"), PF_NONE);
    end_run(&r);
}

/* Each kind of damage to the pulses of a core whose kernels take 100 cycles, a gap of 25 apart. */
Test(aie_limits, one_damaged_pulse)
{
    static const struct {
        const char *name;
        char phase;
        int ts;
        const char *note; /* entries lost, exits lost, entries twice, exits twice; NULL: none */
    } cases[] = {{"INSTR_EVENT_1", 'E', 150, "1 entries and 0 exits lost, 0 entries and 0 exits duplicate"},
                 {"INSTR_EVENT_0", 'B', 150, "0 entries and 1 exits lost, 0 entries and 0 exits duplicate"},
                 {"INSTR_EVENT_0", 'B', 201, "0 entries and 0 exits lost, 1 entries and 0 exits duplicate"},
                 {"INSTR_EVENT_1", 'E', 301, "0 entries and 0 exits lost, 0 entries and 1 exits duplicate"},
                 {"INSTR_EVENT_0", 'E', 150, NULL}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pf_buffer b = {0};
        json_name(&b, "4", "core_trace for a");
        json_kernel(&b, "4", 0, 100);
        json_kernel(&b, "4", 200, 300);
        json_kernel(&b, "4", 400, 500);
        json_event(&b, "4", cases[i].name, cases[i].phase, cases[i].ts);
        aie_run r = run_json(&b, &(aie_setup){.options = "warmup=0 iterations=1 pairing=nearest M=1"});
        uint32_t notes = track_named(&r, "a notes");
        cr_assert_eq(notes == PF_NONE, !cases[i].note, "case %zu", i);
        if (cases[i].note) {
            char expected[200];
            const pf_overlay_event *e = event_on(&r, notes, 0);
            snprintf(expected, sizeof expected, "kernel pulses repaired: %s", cases[i].note);
            cr_expect(is(e->name, expected), "case %zu: %.*s", i, (int)e->name.len, e->name.ptr);
            cr_expect_eq(e->ts, 0);
            cr_expect_eq(events_on(&r, notes), 1);
        }
        end_run(&r);
    }
}

/* Two iterations are expected, and a third one without kernels is there: the note is where its stall ends. */
Test(aie_limits, an_empty_iteration_too_many)
{
    for (int expected = 0; expected <= 2; expected++) {
        static const int64_t places[] = {0, 700, 1010};
        pf_buffer b = {0};
        char options[60];
        json_name(&b, "4", "core_trace for a");
        json_kernel(&b, "4", 0, 10);
        json_interval(&b, "4", "LOCK_STALL", 20, 220);
        json_interval(&b, "4", "LOCK_STALL", 300, 700);
        json_kernel(&b, "4", 1010, 1020);
        snprintf(options, sizeof options, "warmup=0 iterations=%d", expected);
        aie_run r = run_json(&b, &(aie_setup){.options = options});
        cr_expect_eq(event_on(&r, track_named(&r, "a notes"), 0)->ts, places[expected], "%d", expected);
        end_run(&r);
    }
}

/* Stalls of two kinds in an iteration are merged, cut at its end, and named by what lasts. */
Test(aie_limits, stalls_in_an_iteration)
{
    static const struct {
        const char *name;
        int64_t start, end;
    } expected[] = {{"LOCK", 105, 110},    {"LOCK+STREAM", 110, 115},
                    {"STREAM", 115, 120},  {"MEMORY+STREAM+CASCADE", 120, 125},
                    {"CASCADE", 130, 140}, {"LOCK", 295, 300}};
    pf_buffer b = {0};
    json_name(&b, "4", "core_trace for a");
    json_kernel(&b, "4", 100, 200);
    json_kernel(&b, "4", 220, 300);
    json_interval(&b, "4", "LOCK_STALL", 20, 40);
    json_interval(&b, "4", "LOCK_STALL", 105, 115);
    json_interval(&b, "4", "LOCK_STALL", 295, 400);
    json_interval(&b, "4", "STREAM_STALL", 110, 125);
    json_interval(&b, "4", "MEMORY_STALL", 120, 125);
    json_interval(&b, "4", "CASCADE_STALL", 120, 125);
    json_interval(&b, "4", "CASCADE_STALL", 130, 140);
    json_interval(&b, "4", "CASCADE_STALL", 300, 310);
    aie_run r = run_json(&b, &(aie_setup){.options = "warmup=0 iterations=1"});
    uint32_t row = track_named(&r, "a stalls in iterations");
    cr_assert_neq(row, PF_NONE);
    cr_expect_eq(events_on(&r, row), sizeof expected / sizeof *expected);
    for (size_t i = 0; i < sizeof expected / sizeof *expected && i < events_on(&r, row); i++) {
        const pf_overlay_event *e = event_on(&r, row, i);
        cr_expect(is(e->name, expected[i].name), "%zu: %.*s", i, (int)e->name.len, e->name.ptr);
        cr_expect_eq(e->ts, expected[i].start, "%zu", i);
        cr_expect_eq(e->ts + e->dur, expected[i].end, "%zu", i);
    }
    end_run(&r);
}

static aie_run run_cores(size_t n, const char *name, bool kernels)
{
    pf_buffer b = {0};
    for (size_t i = 0; i < n; i++) {
        char pid[24], text[80];
        snprintf(pid, sizeof pid, "%zu", i);
        snprintf(text, sizeof text, "core_trace for %s", name);
        if (strcmp(name, "#") == 0) {
            snprintf(text, sizeof text, "core_trace for c%zu", i);
        }
        json_name(&b, pid, text);
        if (kernels) {
            json_kernel(&b, pid, 0, 10);
        } else {
            json_interval(&b, pid, "LOCK_STALL", 0, 10);
        }
    }
    return run_json(&b, &(aie_setup){.options = "warmup=0 iterations=1"});
}

static size_t lines_with(const aie_run *r, const char *part)
{
    size_t n = 0;
    for (size_t i = 0; *line_shown(r, i); i++) {
        n += strstr(line_shown(r, i), part) != NULL;
    }
    return n;
}

/* Eight cores with a note are shown, of more the number; the same for cores of one name, of which the last is none too
 * many. */
Test(aie_limits, many_cores)
{
    static const char note[] = "No valid kernel pairs detected after robust filtering.",
                      more[] = "more cores with such a note";
    aie_run r = run_cores(8, "#", false);
    cr_expect_eq(lines_with(&r, note), 8);
    cr_expect_eq(lines_with(&r, more), 0);
    end_run(&r);
    r = run_cores(11, "#", false);
    cr_expect_eq(lines_with(&r, note), 8);
    cr_expect_eq(lines_with(&r, "3 more cores with such a note (iterations); aie_quality.json has them all"), 1);
    cr_expect_eq(report_named(&r, "index.json") && lines_with(&r, "several cores"), 0);
    end_run(&r);
    for (size_t n = 1; n <= 12; n++) {
        r = run_cores(n, "same", true);
        cr_expect_eq(lines_with(&r, "several cores are called same: same.json holds the last of them"),
                     n - 1 < 8 ? n - 1 : 8, "%zu", n);
        cr_expect_eq(lines_with(&r, "such a note (name)"), n > 9);
        end_run(&r);
    }
}

/* A tile is called by all of its name, however long. */
Test(aie_limits, long_names)
{
    static const char head[] = "core_trace for ";
    for (size_t len = 240; len < 300; len++) {
        char name[400], file[400];
        pf_buffer b = {0};
        snprintf(name, sizeof name, "%s", head);
        for (size_t i = sizeof head - 1; i < len; i++) {
            name[i] = (char)('a' + i % 26);
        }
        name[len] = '\0';
        json_name(&b, "1", name);
        json_kernel(&b, "1", 0, 10);
        aie_run r = run_json(&b, &(aie_setup){.options = "warmup=0 iterations=1"});
        snprintf(file, sizeof file, "%s.json", name + sizeof head - 1);
        cr_assert(is_text(report_named(&r, file), "tile_name", name + sizeof head - 1), "%zu", len);
        end_run(&r);
    }
}

/* The pid as it stands in a report of the core. */
static void expect_pid(const char *pid, const char *expected)
{
    pf_buffer b = {0};
    json_name(&b, pid, "core_trace for a");
    json_kernel(&b, pid, 0, 10);
    aie_run r = run_json(&b, &(aie_setup){.options = "warmup=0 iterations=1"});
    char *text, line[100];
    size_t len;
    pf_error err;
    cr_assert_eq(pf_format_json(report_named(&r, "a.json"), &text, &len, &err), PF_OK);
    snprintf(line, sizeof line, "\"pid\": %s,\n", expected);
    cr_expect(strstr(text, line), "%s: %.*s", pid, 40, text);
    free(text);
    end_run(&r);
}

/* Integers of any size stay what they are; a real is a double. */
Test(aie_limits, pids_that_are_numbers)
{
    expect_pid("12345678901234567890", "12345678901234567890");
    expect_pid("-12345678901234567890", "-12345678901234567890");
    expect_pid("9223372036854775807", "9223372036854775807");
    expect_pid("1.50", "1.5");
    expect_pid("-2.0", "-2.0");
    expect_pid("12345678901234567890.0", "1.2345678901234567e+19");
    expect_pid("\"12\"", "\"12\"");
}
