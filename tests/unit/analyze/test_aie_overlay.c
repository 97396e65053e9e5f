/* What the aie pass draws, shows and says about itself: overlay, attributes, summary, defaults, limits. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "aie_support.h"
#include "postfetto/figure.h"

/* Core "a" (pid 4): kernels 0..100, 150..250 | stall 1000..3000 | 3010..3110, 3120..3260.
 * Core "b" (pid 5): kernels 20..120, 170..270 | stall 1000..3000 | 3005..3105, 3120..3290. */
static void two_cores(pf_buffer *b)
{
    json_name(b, "4", "core_trace for a");
    json_kernel(b, "4", 0, 100);
    json_kernel(b, "4", 150, 250);
    json_interval(b, "4", "LOCK_STALL", 1000, 3000);
    json_kernel(b, "4", 3010, 3110);
    json_kernel(b, "4", 3120, 3260);
    json_name(b, "5", "core_trace for b");
    json_kernel(b, "5", 20, 120);
    json_kernel(b, "5", 170, 270);
    json_interval(b, "5", "LOCK_STALL", 1000, 3000);
    json_kernel(b, "5", 3005, 3105);
    json_kernel(b, "5", 3120, 3290);
}

static aie_run run_two(const char *options)
{
    pf_buffer b = {0};
    two_cores(&b);
    aie_run r = run_json(&b, &(aie_setup){.options = options});
    cr_assert_eq(r.status, PF_OK, "%s", r.error.text);
    return r;
}

static bool is(pf_str s, const char *expected)
{
    return s.ptr && s.len == strlen(expected) && memcmp(s.ptr, expected, s.len) == 0;
}

static const pf_overlay_track *track(const aie_run *r, const char *name)
{
    uint32_t id = track_named(r, name);
    cr_assert_neq(id, PF_NONE, "no track %s", name);
    return pf_overlay_track_at(r->findings, id);
}

/* Rounded by the C library. */
static double four_digits(double v)
{
    char text[40];
    snprintf(text, sizeof text, "%.3e", v);
    return strtod(text, NULL);
}

Test(aie_overlay, a_core_has_its_group)
{
    aie_run r = run_two("warmup=1 iterations=1 M=1");
    cr_assert_eq(track_named(&r, "a stalls in iterations"), PF_NONE, "the recorded row says as much");
    const pf_overlay_track *group = track(&r, "a analysis");
    cr_assert_eq(group->kind, PF_OVERLAY_GROUP);
    cr_assert_eq(group->anchor, PF_ANCHOR_PROCESS);
    cr_assert_eq(pf_trace_processes(r.trace)->pid[group->anchor_id], 4);
    cr_assert(is(group->description, "What postfetto found on core a: 4 kernels in 2 iterations. 1 ns on the axis = 1 "
                                     "cycle at 1.25 GHz."));
    static const struct {
        const char *name;
        pf_overlay_kind kind;
        const char *unit, *share_key;
    } children[] = {
        {"a iterations", PF_OVERLAY_SLICES, "", ""},
        {"a kernels", PF_OVERLAY_SLICES, "", ""},
        {"a between iterations", PF_OVERLAY_SLICES, "", ""},
        {"a kernel duration", PF_OVERLAY_COUNTER, "cycles", ""},
        {"a throughput", PF_OVERLAY_COUNTER, "GMAC/s", ""},
        {"a utilisation", PF_OVERLAY_COUNTER, "%", "aie.percent"},
        {"a stall share in iterations", PF_OVERLAY_COUNTER, "%", "aie.percent"},
        {"a LOCK share in iterations", PF_OVERLAY_COUNTER, "%", "aie.percent"},
    };
    size_t count = sizeof children / sizeof children[0], found = 0;
    for (size_t i = 0; i < count; i++) {
        const pf_overlay_track *t = track(&r, children[i].name);
        cr_assert_eq(t->parent, track_named(&r, "a analysis"), "%s", children[i].name);
        cr_assert_eq(t->kind, children[i].kind, "%s", children[i].name);
        cr_assert(t->unit.ptr ? is(t->unit, children[i].unit) : children[i].unit[0] == '\0', "%s", children[i].name);
        cr_assert(t->share_key.ptr ? is(t->share_key, children[i].share_key) : children[i].share_key[0] == '\0');
        cr_assert_gt(t->description.len, 30, "%s says what it measures", children[i].name);
        cr_assert_eq(t->rank, (int32_t)i, "%s", children[i].name);
    }
    for (size_t i = 0; i < pf_overlay_track_count(r.findings); i++) {
        found += pf_overlay_track_at(r.findings, i)->parent == track_named(&r, "a analysis");
    }
    cr_assert_eq(found, count, "no other rows: the recorded stalls are not repeated, there is nothing to warn of");
    cr_assert(is(pf_overlay_category(r.findings), "postfetto.aie"));
    end_run(&r);
}

Test(aie_overlay, kernels_carry_their_place_and_marks)
{
    aie_run r = run_two("warmup=1 iterations=1");
    uint32_t id = track_named(&r, "b kernels");
    const int64_t starts[] = {20, 170, 3005, 3120}, lengths[] = {100, 100, 100, 170};
    const char *const marks[] = {"first,shortest", "last", "first", "last,longest"};
    cr_assert_eq(events_on(&r, id), 4);
    for (size_t i = 0; i < 4; i++) {
        const pf_overlay_event *e = event_on(&r, id, i);
        cr_assert_eq(e->kind, PF_OVERLAY_SLICE);
        cr_assert(is(e->name, i == 0 ? "shortest kernel" : i == 3 ? "longest kernel" : "kernel"));
        cr_assert_eq(e->ts, starts[i]);
        cr_assert_eq(e->dur, lengths[i]);
        cr_assert_eq(arg_of(&r, e, "index")->as.i, (int64_t)i);
        cr_assert_eq(arg_of(&r, e, "cycles")->as.i, lengths[i]);
        cr_assert_eq(arg_of(&r, e, "iteration")->as.i, (int64_t)i / 2);
        cr_assert(is(arg_of(&r, e, "phase")->as.s, i < 2 ? "warmup" : "perf"));
        cr_assert(is(arg_of(&r, e, "marks")->as.s, marks[i]), "kernel %zu", i);
    }
    end_run(&r);
}

/* Where all kernels are equally long, none is the longest. */
Test(aie_overlay, equal_kernels_have_no_extremes)
{
    pf_buffer b = {0};
    json_name(&b, "4", "core_trace for a");
    json_kernel(&b, "4", 0, 100);
    json_kernel(&b, "4", 150, 250);
    aie_run r = run_json(&b, &(aie_setup){.options = "warmup=0 iterations=1"});
    for (size_t i = 0; i < 2; i++) {
        const pf_overlay_event *e = event_on(&r, track_named(&r, "a kernels"), i);
        cr_assert(is(e->name, "kernel"));
        cr_assert(is(arg_of(&r, e, "marks")->as.s, i ? "last" : "first"));
    }
    end_run(&r);
}

/* Slices and counters hold the numbers of the reports, rounded to four digits where they are derived. */
Test(aie_overlay, iterations_equal_the_reports)
{
    aie_run r = run_two("warmup=1 iterations=0");
    const pf_node *list = node_at(pf_findings_summary(r.findings), "cores/0/iterations");
    uint32_t slices = track_named(&r, "a iterations"), rate = track_named(&r, "a throughput");
    uint32_t use = track_named(&r, "a utilisation"), stall = track_named(&r, "a stall share in iterations");
    const char *const names[] = {"0 warmup", "1 extra"};
    size_t i = 0;
    for (const pf_node *it = list->first; it; it = it->next, i++) {
        const pf_overlay_event *e = event_on(&r, slices, i);
        cr_assert(is(e->name, names[i]));
        cr_assert_eq(e->ts, int_at(it, "first_start"));
        cr_assert_eq(e->dur, int_at(it, "total_span_cycles"));
        cr_assert_eq(arg_of(&r, e, "kernels")->as.i, int_at(it, "num_kernels"));
        cr_assert_eq(arg_of(&r, e, "gmacs_per_second")->as.d, four_digits(real_at(it, "gmacs_per_second")));
        cr_assert_eq(arg_of(&r, e, "stall_percent_LOCK")->as.d, four_digits(real_at(it, "stall_percent/LOCK")));
        cr_assert_null(arg_of(&r, e, "stall_percent_STREAM"));
        cr_assert_eq(event_on(&r, rate, 2 * i)->value, four_digits(real_at(it, "gmacs_per_second")));
        cr_assert_eq(event_on(&r, rate, 2 * i)->ts, e->ts);
        cr_assert_eq(event_on(&r, rate, 2 * i + 1)->value, 0.0);
        cr_assert_eq(event_on(&r, rate, 2 * i + 1)->ts, e->ts + e->dur);
        cr_assert_eq(event_on(&r, use, 2 * i)->value, four_digits(real_at(it, "utilisation_percent")));
        cr_assert_eq(event_on(&r, stall, 2 * i)->value, four_digits(real_at(it, "any_stall_percent")));
    }
    cr_assert_eq(i, 2);
    cr_assert_eq(events_on(&r, rate), 4);
    end_run(&r);
}

/* All that a drawn slice says, in its order: the values are checked elsewhere. */
static void expect_keys(const aie_run *r, const pf_overlay_event *e, const char *const *keys, size_t count)
{
    cr_assert_eq(e->arg_count, count);
    for (uint32_t i = 0; i < count; i++) {
        cr_assert(is(pf_overlay_arg_at(r->findings, e->first_arg + i)->key, keys[i]), "%s", keys[i]);
    }
}

Test(aie_overlay, slices_say_all_that_was_measured)
{
    static const char *const iteration[] = {"iteration",
                                            "phase",
                                            "kernels",
                                            "span_cycles",
                                            "gmacs_per_second",
                                            "utilisation_percent",
                                            "stall_percent_LOCK",
                                            "any_stall_percent",
                                            "vector_percent"};
    static const char *const kernel[] = {"index", "cycles", "iteration", "phase", "marks"};
    static const char *const gap[] = {"gap_cycles", "after_iteration", "before_iteration", "stall_percent_LOCK",
                                      "any_stall_percent"};
    aie_run r = run_two("warmup=1 iterations=1");
    const pf_overlay_event *e = event_on(&r, track_named(&r, "a iterations"), 0);
    expect_keys(&r, e, iteration, sizeof iteration / sizeof *iteration);
    cr_assert_eq(arg_of(&r, e, "iteration")->as.i, 0);
    cr_assert(is(arg_of(&r, e, "phase")->as.s, "warmup"));
    cr_assert_eq(arg_of(&r, e, "span_cycles")->as.i, 250);
    cr_assert_eq(arg_of(&r, e, "vector_percent")->as.d, 0);
    expect_keys(&r, event_on(&r, track_named(&r, "a kernels"), 0), kernel, sizeof kernel / sizeof *kernel);
    expect_keys(&r, event_on(&r, track_named(&r, "a between iterations"), 0), gap, sizeof gap / sizeof *gap);
    end_run(&r);
}

Test(aie_overlay, kernel_durations_are_zero_between_kernels)
{
    aie_run r = run_two("");
    uint32_t id = track_named(&r, "a kernel duration");
    const int64_t ts[] = {0, 100, 150, 250, 3010, 3110, 3120, 3260};
    cr_assert_eq(events_on(&r, id), 8);
    for (size_t i = 0; i < 8; i++) {
        cr_assert_eq(event_on(&r, id, i)->ts, ts[i]);
        cr_assert_eq(event_on(&r, id, i)->value, i % 2 ? 0 : (double)(ts[i + 1] - ts[i]));
    }
    end_run(&r);
}

/* The gap 250..3010 of core a, in which it is stalled from 1000 to 3000: that is recorded, the rest is drawn. */
Test(aie_overlay, gaps_are_drawn_but_for_their_lock_stalls)
{
    static const int64_t starts[] = {250, 3000}, lengths[] = {750, 10};
    aie_run r = run_two("");
    uint32_t id = track_named(&r, "a between iterations");
    cr_assert_eq(events_on(&r, id), 2);
    for (size_t i = 0; i < 2; i++) {
        const pf_overlay_event *e = event_on(&r, id, i);
        cr_assert(is(e->name, "no stall"));
        cr_assert_eq(e->ts, starts[i]);
        cr_assert_eq(e->dur, lengths[i]);
        cr_assert_eq(arg_of(&r, e, "gap_cycles")->as.i, 2760);
        cr_assert_eq(arg_of(&r, e, "after_iteration")->as.i, 0);
        cr_assert_eq(arg_of(&r, e, "before_iteration")->as.i, 1);
        cr_assert_eq(arg_of(&r, e, "stall_percent_LOCK")->as.d, 72.46);
        cr_assert_eq(arg_of(&r, e, "any_stall_percent")->as.d, 72.46);
    }
    end_run(&r);
}

/* Kernels 0..100 and 150..250, in which MEMORY lasts from 10 to 30 and STREAM from 20 to 40: 10 cycles of each alone,
 * 10 of both, of 250. The stack of the page is that table. */
Test(aie_overlay, parts_of_the_time_are_the_whole)
{
    static const double parts[] = {88, 0, 4, 4, 0, 4};
    pf_buffer b = {0};
    json_name(&b, "4", "core_trace for a");
    json_kernel(&b, "4", 0, 100);
    json_interval(&b, "4", "MEMORY_STALL", 10, 30);
    json_interval(&b, "4", "STREAM_STALL", 20, 40);
    json_kernel(&b, "4", 150, 250);
    aie_run r = run_json(&b, &(aie_setup){.options = "warmup=0 iterations=1"});
    const pf_table *t = pf_findings_table_named(r.findings, "aie_stalls");
    for (size_t i = 0; i < 6; i++) {
        cr_assert_float_eq(t->cells[1 + i].as.d, parts[i], 1e-12, "%s", t->columns[1 + i].name);
    }
    static const char *const drawn[] = {"aie_iterations", "aie_stalls", "aie_iterations"};
    cr_assert_eq(pf_findings_figure_count(r.findings), 3);
    for (size_t i = 0; i < 3; i++) {
        cr_assert_str_eq(pf_table_view(pf_findings_figure(r.findings, i)->table)->name, drawn[i]);
    }
    end_run(&r);
}

/* Percentages are on one scale, but for a utilisation above 100 %, whose note says why. */
Test(aie_overlay, a_utilisation_above_all_has_its_own_scale)
{
    for (int high = 0; high < 2; high++) {
        aie_run r =
            run_two(high ? "warmup=0 iterations=2 col=2" : "warmup=0 iterations=2 col=2 peak-macs-per-cycle=2000");
        const pf_overlay_track *use = track(&r, "a utilisation"), *stall = track(&r, "a stall share in iterations");
        cr_assert(is(stall->share_key, "aie.percent"));
        cr_assert(high ? use->share_key.ptr == NULL : is(use->share_key, "aie.percent"));
        uint32_t notes = track_named(&r, "a notes");
        cr_assert_eq(notes != PF_NONE, high != 0);
        cr_assert(!high || memcmp(event_on(&r, notes, 0)->name.ptr, "peak is set too low: ", 21) == 0);
        end_run(&r);
    }
}

/* In the group of all, a row for each tile: core b is slower in both. */
Test(aie_overlay, the_system_group_has_a_row_for_each_tile)
{
    static const char *const names[2][2] = {{"0 perf, slowest", "1 perf"}, {"0 perf", "1 perf, slowest"}};
    static const int64_t starts[2][2] = {{0, 3010}, {20, 3005}}, spans[2][2] = {{250, 250}, {250, 285}};
    aie_run r = run_two("warmup=0 iterations=2 row=1 col=2");
    for (size_t tile = 0; tile < 2; tile++) {
        uint32_t id = track_named(&r, tile ? "system b iterations" : "system a iterations");
        cr_assert_eq(pf_overlay_track_at(r.findings, id)->parent, track_named(&r, "AIE system"));
        for (size_t i = 0; i < 2; i++) {
            const pf_overlay_event *e = event_on(&r, id, i);
            cr_assert(is(e->name, names[tile][i]), "%.*s", (int)e->name.len, e->name.ptr);
            cr_assert_eq(e->ts, starts[tile][i]);
            cr_assert_eq(e->dur, spans[tile][i]);
            cr_assert_eq(arg_of(&r, e, "span_cycles")->as.i, spans[tile][i]);
        }
    }
    end_run(&r);
}

/* Iterations at 0 and at 9000; between them LOCK 3000..5000, which cuts, and MEMORY 5500..6000: 2500 of 8900 cycles. */
Test(aie_overlay, a_gap_that_no_stall_explains)
{
    pf_buffer b = {0};
    json_name(&b, "4", "core_trace for a");
    json_kernel(&b, "4", 0, 100);
    json_interval(&b, "4", "LOCK_STALL", 3000, 5000);
    json_interval(&b, "4", "MEMORY_STALL", 5500, 6000);
    json_kernel(&b, "4", 9000, 9100);
    aie_run r = run_json(&b, &(aie_setup){.options = ""});
    const pf_overlay_event *e = event_on(&r, track_named(&r, "a between iterations"), 0);
    cr_assert(is(e->name, "no stall"));
    cr_assert_eq(arg_of(&r, e, "any_stall_percent")->as.d, 28.09);
    cr_assert_eq(track_named(&r, "a stalls in iterations"), PF_NONE, "there is no stall in them");
    end_run(&r);
}

/* Stalls of all kinds, apart, touching and overlapping, cover 200..300, 500..600, 3000..6100 and 7000..7200 of the gap
 * from 100 to 9000: 3500 of 8900 cycles. */
Test(aie_overlay, any_stall_of_four_kinds)
{
    pf_buffer b = {0};
    json_name(&b, "4", "core_trace for a");
    json_kernel(&b, "4", 0, 100);
    json_interval(&b, "4", "CASCADE_STALL", 200, 300);
    json_interval(&b, "4", "STREAM_STALL", 500, 600);
    json_interval(&b, "4", "LOCK_STALL", 3000, 5000);
    json_interval(&b, "4", "MEMORY_STALL", 4500, 6000);
    json_interval(&b, "4", "STREAM_STALL", 5900, 6100);
    json_interval(&b, "4", "MEMORY_STALL", 7000, 7100);
    json_interval(&b, "4", "CASCADE_STALL", 7100, 7200);
    json_kernel(&b, "4", 9000, 9100);
    aie_run r = run_json(&b, &(aie_setup){.options = ""});
    const pf_overlay_event *e = event_on(&r, track_named(&r, "a between iterations"), 0);
    cr_assert_eq(arg_of(&r, e, "stall_percent_STREAM")->as.d, 3.371); /* 300 of 8900 */
    cr_assert_eq(arg_of(&r, e, "any_stall_percent")->as.d, 39.33);
    end_run(&r);
}

/* A warning is an instant with the text as name, where it is about: the second of two iterations is one too many. */
Test(aie_overlay, warnings_are_notes)
{
    aie_run r = run_two("warmup=0 iterations=1");
    const pf_overlay_event *e = event_on(&r, track_named(&r, "a notes"), 0);
    cr_assert_eq(e->kind, PF_OVERLAY_INSTANT);
    cr_assert_eq(e->ts, 3010);
    cr_assert(is(e->name, "Detected 2 iterations but expected 1. Truncating to first 1 iterations for phase "
                          "labeling."));
    end_run(&r);
    r = run_two("warmup=1 iterations=2");
    cr_assert_eq(event_on(&r, track_named(&r, "a notes"), 0)->ts, 3260, "where the last one ends");
    end_run(&r);
    r = run_two("warmup=5 iterations=2 col=2");
    cr_assert(is(event_on(&r, track_named(&r, "system notes"), 0)->name,
                 "no perf iteration is present on all cores: nothing to aggregate; check --warmup and --iterations"));
    end_run(&r);
}

/* Nothing can be drawn before time 0, but a warning must not get lost there. */
Test(aie_overlay, a_note_before_time_zero_is_drawn_at_zero)
{
    pf_buffer b = {0};
    json_name(&b, "4", "core_trace for a");
    json_interval(&b, "4", "LOCK_STALL", -700, -600);
    aie_run r = run_json(&b, &(aie_setup){.options = "warmup=0 iterations=1"});
    cr_assert_eq(event_on(&r, track_named(&r, "a notes"), 0)->ts, 0);
    end_run(&r);
}

Test(aie_overlay, a_core_without_kernels_says_so)
{
    pf_buffer b = {0};
    json_name(&b, "4", "core_trace for a");
    json_interval(&b, "4", "LOCK_STALL", 700, 800);
    json_name(&b, "5", "core_trace for a");
    json_kernel(&b, "5", 900, 1000);
    aie_run r = run_json(&b, &(aie_setup){.options = "warmup=0 iterations=1"});
    uint32_t notes = track_named(&r, "a notes");
    cr_assert_eq(pf_overlay_track_at(r.findings, notes)->rank, 0, "the only row");
    cr_assert(is(event_on(&r, notes, 0)->name,
                 "several cores are called a: a.json holds the last of them, and the aggregate uses it "
                 "for all; give the tiles different names"));
    cr_assert_eq(event_on(&r, notes, 0)->ts, 700);
    cr_assert(is(event_on(&r, notes, 1)->name, "No valid kernel pairs detected after robust filtering."));
    cr_assert_eq(event_on(&r, notes, 1)->ts, 700);
    end_run(&r);
}

/* Iterations: a 0..250 (250), b 20..270 (250); a 3010..3260 (250), b 3005..3290 (285). On the clock: 0..270,
 * 3005..3290.
 */
Test(aie_overlay, the_system_group)
{
    aie_run r = run_two("warmup=0 iterations=2 row=1 col=2");
    const pf_node *all = report_named(&r, "aggregate_perf.json");
    const pf_overlay_track *group = track(&r, "AIE system");
    cr_assert_eq(group->anchor, PF_ANCHOR_GLOBAL);
    uint32_t slices = track_named(&r, "system iterations"), marks = track_named(&r, "system marks");
    const int64_t starts[] = {0, 3005}, ends[] = {270, 3290}, runtimes[] = {250, 285};
    for (size_t i = 0; i < 2; i++) {
        const pf_overlay_event *e = event_on(&r, slices, i);
        char name[20], path[50];
        snprintf(name, sizeof name, "%zu perf", i);
        cr_assert(is(e->name, name));
        cr_assert_eq(e->ts, starts[i]);
        cr_assert_eq(e->ts + e->dur, ends[i]);
        cr_assert_eq(arg_of(&r, e, "runtime_cycles")->as.i, runtimes[i]);
        snprintf(path, sizeof path, "per_iteration/%zu/runtime_cycles", i);
        cr_assert_eq(int_at(all, path), runtimes[i]);
        snprintf(path, sizeof path, "per_iteration/%zu/gmacs_per_second", i);
        cr_assert_eq(arg_of(&r, e, "gmacs_per_second")->as.d, four_digits(real_at(all, path)));
        cr_assert_eq(arg_of(&r, e, "span_cycles")->as.i, e->dur);
        cr_assert_eq(arg_of(&r, e, "skew_cycles")->as.i, i ? 0 : 20);
        cr_assert(is(arg_of(&r, e, "slowest")->as.s, i ? "b" : "a"));
        cr_assert_eq(event_on(&r, track_named(&r, "system runtime"), 2 * i)->value, (double)runtimes[i]);
        cr_assert_eq(event_on(&r, track_named(&r, "system throughput"), 2 * i)->value, four_digits(real_at(all, path)));
        cr_assert_eq(event_on(&r, track_named(&r, "system throughput"), 2 * i + 1)->ts, ends[i]);
    }
    /* A mark is as long as the runtime it stands for, and lies where the slowest core ran. */
    cr_assert(is(event_on(&r, marks, 0)->name, "best iteration 0"));
    cr_assert(event_on(&r, marks, 0)->ts == 0 && event_on(&r, marks, 0)->dur == 250);
    cr_assert(is(event_on(&r, marks, 1)->name, "worst iteration 1"));
    cr_assert(event_on(&r, marks, 1)->ts == 3005 && event_on(&r, marks, 1)->dur == 285);
    for (uint32_t i = 0; i < pf_overlay_track_count(r.findings); i++) {
        cr_assert_gt(pf_overlay_track_at(r.findings, i)->description.len, 30, "every track has a description");
    }
    end_run(&r);
}

/* Core b is late by 400 cycles, so that iteration 0 of the system ends after iteration 1 begins. */
Test(aie_overlay, system_iterations_that_overlap_are_on_lanes)
{
    pf_buffer b = {0};
    const char *const pids[] = {"4", "5"};
    for (int i = 0; i < 2; i++) {
        char name[40];
        snprintf(name, sizeof name, "core_trace for %c", "ab"[i]);
        json_name(&b, pids[i], name);
        json_kernel(&b, pids[i], 400 * i, 400 * i + 10);
        json_interval(&b, pids[i], "LOCK_STALL", 400 * i + 11, 400 * i + 300);
        json_kernel(&b, pids[i], 400 * i + 301, 400 * i + 311);
    }
    aie_run r = run_json(&b, &(aie_setup){.options = "warmup=0 iterations=2"});
    cr_assert_eq(event_on(&r, track_named(&r, "system iterations"), 0)->dur, 410);
    cr_assert_eq(event_on(&r, track_named(&r, "system iterations 2"), 0)->ts, 301);
    end_run(&r);
}

/* Both cores need 250 cycles in the only common iteration, which is the best and the worst at once. */
Test(aie_overlay, one_iteration_is_best_and_worst)
{
    aie_run r = run_two("warmup=0 iterations=1");
    uint32_t marks = track_named(&r, "system marks");
    cr_assert_eq(events_on(&r, marks), 1);
    cr_assert(is(event_on(&r, marks, 0)->name, "best and worst iteration 0"));
    end_run(&r);
}

Test(aie_overlay, attributes_name_version_pass_and_parameters)
{
    aie_run r = run_two("hwid=npu pairing=nearest");
    cr_assert_eq(pf_findings_attribute_count(r.findings), 3);
    cr_assert(is(pf_findings_attribute(r.findings, 0)->key, "postfetto.version"));
    cr_assert(is(pf_findings_attribute(r.findings, 0)->text, pf_version()));
    cr_assert(is(pf_findings_attribute(r.findings, 1)->text, "aie"));
    cr_assert(is(pf_findings_attribute(r.findings, 2)->text,
                 "M=64 K=64 N=64 m=0 k=0 n=0 row=1 col=1 warmup=1 iterations=2 hwid=npu clock-ghz=1.25 "
                 "pairing=nearest drop-empty=false peak-macs-per-cycle=64.0 stall-factor=20.0 duplicate-fraction=0.25 "
                 "outlier-low=0.3333333333333333 outlier-high=3.0"));
    end_run(&r);
}

Test(aie_overlay, may_be_skipped)
{
    pf_buffer b = {0};
    two_cores(&b);
    aie_run r = run_json(&b, &(aie_setup){.skip_overlay = true});
    cr_assert_eq(r.status, PF_OK);
    cr_assert_eq(pf_overlay_event_count(r.findings), 0);
    cr_assert_eq(pf_findings_report_count(r.findings), 2 + 4);
    end_run(&r);
}

Test(aie_summary, the_document)
{
    aie_run r = run_two("warmup=0 iterations=2 pairing=nearest");
    const pf_node *o = pf_findings_summary(r.findings);
    cr_assert_eq(int_at(o, "schema_version"), 1);
    cr_assert(is_text(o, "pass", "aie"));
    cr_assert(is_text(o, "parameters/hwid", "t"));
    cr_assert_eq(int_at(o, "parameters/iterations"), 2);
    cr_assert_eq(int_at(o, "cores/1/num_kernels"), 4);
    cr_assert_eq(real_at(o, "cores/1/iterations/1/utilisation_percent"), 100 * (262144.0 / 285) / 64);
    cr_assert_eq(int_at(o, "aggregate/best/runtime_cycles"), 250);
    cr_assert_eq(int_at(o, "quality/0/lost_exits"), 0);
    end_run(&r);
}

/* Three tables: cores, iterations of all, quality. The kernels take 100 cycles: M * K * N / 250 is
 * 1048.6 MAC/cycle, sixteen times what a core can do, which the line says. */
Test(aie_summary, tables_for_the_terminal)
{
    aie_run r = run_two("warmup=0 iterations=2");
    const pf_table *cores = pf_findings_shown(r.findings, 0).table, *all = pf_findings_shown(r.findings, 1).table;
    const pf_table *quality = pf_findings_shown(r.findings, 2).table;
    cr_assert_eq(cores->row_count, 2);
    cr_assert(is(cores->cells[0].as.s, "b"), "the slower one first");
    cr_assert(is(cores->cells[7].as.s, "a"));
    cr_assert_eq(cores->cells[8].as.i, 2);
    cr_assert_eq(cores->cells[9].as.d, 100.0);
    cr_assert_eq(cores->cells[10].as.d, 262144.0 * 1.25 / 250);
    const int64_t iterations[] = {1, 0}, runtimes[] = {285, 250}, skews[] = {0, 20};
    cr_assert_eq(all->row_count, 2);
    for (size_t i = 0; i < 2; i++) {
        cr_assert_eq(all->cells[5 * i].as.i, iterations[i]);
        cr_assert_eq(all->cells[5 * i + 1].as.i, runtimes[i]);
        cr_assert_eq(all->cells[5 * i + 2].as.d, 262144.0 * 1.25 / (double)runtimes[i]);
        cr_assert_eq(all->cells[5 * i + 3].as.i, skews[i]);
        cr_assert(is(all->cells[5 * i + 4].as.s, i ? "a" : "b"));
    }
    cr_assert_eq(quality->row_count, 2);
    cr_assert_eq(quality->cells[2].as.i, 4, "with nearest");
    cr_assert(!quality->cells[4].null && quality->cells[4].as.i == 0, "nothing was lost");
    cr_assert_str_eq(
        pf_findings_headline(r.findings),
        "2 cores ran 2 iterations at 1230.2 GMAC/s on average (best 1310.7, worst 1149.8); the slowest is b, "
        "stalled 0.0 % of the time");
    cr_assert(is(pf_findings_highlight(r.findings, 0)->text, "1230.2 GMAC/s"));
    cr_assert(is(pf_findings_highlight(r.findings, 1)->text, "1588.1 %"));
    cr_assert_str_eq(line_shown(&r, 0),
                     "a: peak is set too low: utilisation above 100 % in 2 of 2 iterations, up to 1638.40 % (iteration "
                     "0), at 64 MAC/cycle; give --peak-macs-per-cycle, if --M, --K, --N, --row and --col are right");
    cr_assert_str_eq(line_shown(&r, 1), "1 more core with such a note (utilisation); aie_quality.json has them all");
    cr_assert_str_eq(line_shown(&r, 2),
                     "the trace has 2 cores, not --row 1 x --col 1: GMAC/s and utilisation of a core are wrong unless "
                     "that many cores shared the work; give the rows and columns that ran");
    cr_assert_str_eq(line_shown(&r, 3), "");
    end_run(&r);
    r = run_two("warmup=0 iterations=2 col=2 peak-macs-per-cycle=2000");
    cr_assert_str_eq(line_shown(&r, 0), "", "nothing to warn of");
    end_run(&r);
}

Test(aie_pass, the_hardware_name_comes_from_the_file)
{
    static const char *const names[][2] = {
        {"a/b/trace.json.gz", "trace"},
        {"run.1.json", "run.1"},
        {"x", "x"},
        {"dir.d/x.pftrace", "x"},
        {".hidden", ".hidden"},
        {"t.json.zst", "t"},
        {"t.zip", "t"},
        {".gz", ".gz"},
        {"t.gz.gz", "t"},
        {"a.b/.gz", ".gz"},
        {"t.json.gzz", "t.json"},
        {"t.zip.json", "t.zip"},
        {"t.", "t"},
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        pf_buffer b = {0};
        aie_run r = run_json(&b, &(aie_setup){.input_path = names[i][0]});
        cr_assert(is_text(report_named(&r, "index.json"), "hwid", names[i][1]), "%s", names[i][0]);
        end_run(&r);
    }
}

Test(aie_pass, standard_input_needs_a_hardware_name)
{
    pf_buffer b = {0};
    aie_run r = run_json(&b, &(aie_setup){.input_path = "-"});
    cr_assert_eq(r.status, PF_ERR_USAGE);
    cr_assert_not_null(strstr(r.error.text, "--hwid"));
    end_run(&r);
    b = (pf_buffer){0};
    r = run_json(&b, &(aie_setup){.input_path = "-", .options = "hwid=x", .no_reports = true});
    cr_assert_eq(r.status, PF_OK);
    cr_assert(null_at(report_named(&r, "index.json"), "output_dir"));
    end_run(&r);
}

Test(aie_pass, report_paths_are_spelled_as_they_are_printed)
{
    static const char *const dirs[][3] = {{"", ".", "details.md"},        {".", ".", "details.md"},
                                          {"o/", "o/", "o/details.md"},   {"/", "/", "/details.md"},
                                          {"o//", "o//", "o/details.md"}, {"//", "//", "/details.md"}};
    for (size_t i = 0; i < sizeof dirs / sizeof dirs[0]; i++) {
        pf_buffer b = {0};
        two_cores(&b);
        aie_run r = run_json(&b, &(aie_setup){.report_dir = dirs[i][0]});
        cr_assert(is_text(report_named(&r, "index.json"), "output_dir", dirs[i][1]), "%s", dirs[i][0]);
        cr_assert(is_text(report_named(&r, "index.json"), "details_md", dirs[i][2]), "%s", dirs[i][0]);
        end_run(&r);
    }
}

Test(aie_pass, rates_must_be_positive)
{
    static const char *const names[] = {"clock-ghz", "peak-macs-per-cycle"}, *const wrong[] = {"0", "-1", "-0.0"};
    const pf_pass *p = pf_pass_find("aie");
    for (size_t i = 0; i < 2; i++) {
        size_t at = pf_options_find(p->options, p->option_count, names[i], strlen(names[i]));
        cr_assert_lt(at, p->option_count);
        for (size_t k = 0; k < 3; k++) {
            pf_option_value values[32];
            pf_error err;
            cr_assert_eq(pf_pass_parse(p, at, wrong[k], values, &err), PF_ERR_USAGE);
            cr_assert_not_null(strstr(err.text, names[i]), "%s", err.text);
            cr_assert_not_null(strstr(err.text, "above 0"), "%s", err.text);
        }
        cr_assert(pf_option_accepts(&p->options[at], "1e-9"));
    }
}

Test(aie_pass, fits_what_has_a_core)
{
    pf_buffer b = {0};
    two_cores(&b);
    aie_run r = run_json(&b, &(aie_setup){0});
    cr_assert(pf_pass_find("aie")->fits(r.trace));
    end_run(&r);
    b = (pf_buffer){0};
    json_name(&b, "1", "mem_trace for a");
    r = run_json(&b, &(aie_setup){0});
    cr_assert_not(pf_pass_find("aie")->fits(r.trace));
    end_run(&r);
}

/* The reports of `a` and `b` as JSON text, without index.json, which names the input. */
static void expect_equal_reports(const aie_run *a, const aie_run *b)
{
    pf_error err;
    cr_assert_eq(pf_findings_report_count(a->findings), pf_findings_report_count(b->findings));
    for (size_t i = 0; i < pf_findings_report_count(a->findings); i++) {
        const pf_report *one = pf_findings_report(a->findings, i), *other = pf_findings_report(b->findings, i);
        if (!one->root || is(one->file, "index.json")) {
            continue;
        }
        char *text[2];
        size_t len[2];
        cr_assert_eq(pf_format_json(one->root, &text[0], &len[0], &err), PF_OK);
        cr_assert_eq(pf_format_json(other->root, &text[1], &len[1], &err), PF_OK);
        cr_assert(len[0] == len[1] && memcmp(text[0], text[1], len[0]) == 0, "%.*s differs", (int)one->file.len,
                  one->file.ptr);
        free(text[0]);
        free(text[1]);
    }
}

/* An enriched trace carries our rows under the same process; they are neither measured nor drawn again. */
Test(aie_pass, an_enriched_trace_gives_the_same_reports)
{
    pf_buffer b = {0};
    two_cores(&b);
    json_event(&b, "4", "LOCK_STALL", 'E', 5);
    json_event(&b, "4", "LOCK_STALL", 'B', 10);
    json_event(&b, "4", "LOCK_STALL", 'B', 12);
    json_event(&b, "4", "LOCK_STALL", 'B', 14);
    json_event(&b, "4", "LOCK_STALL", 'E', 30);
    json_event(&b, "4", "LOCK_STALL", 'E', 1200);
    aie_run first = run_json(&b, &(aie_setup){.everything = true});
    char path[] = "/tmp/postfetto-enriched-XXXXXX";
    int fd = mkstemp(path);
    cr_assert_geq(fd, 0);
    close(fd);
    pf_error err = {.code = PF_OK};
    cr_assert_eq(pf_write_enriched(first.trace, first.findings, path, NULL, &err), PF_OK, "%s", err.text);
    aie_run again = run_file(path, &(aie_setup){0});
    cr_assert_eq(again.status, PF_OK, "%s", again.error.text);
    expect_equal_reports(&first, &again);
    static const char *const rows[] = {"a stalls in iterations", "a between iterations", "a kernels", "a notes",
                                       "system marks"};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint32_t drawn = track_named(&first, rows[i]), drawn_again = track_named(&again, rows[i]);
        cr_assert(drawn != PF_NONE && drawn_again != PF_NONE, "%s", rows[i]);
        cr_assert_eq(events_on(&again, drawn_again), events_on(&first, drawn), "%s", rows[i]);
    }
    cr_assert_eq(pf_overlay_track_count(again.findings), pf_overlay_track_count(first.findings));
    unlink(path);
    end_run(&first);
    end_run(&again);
}

/* Whatever the memory limit, the pass either works or says which limit was exceeded, and frees everything. */
Test(aie_pass, every_memory_limit_is_survived)
{
    size_t refused = 0, done = 0;
    for (uint64_t memory = 0; memory < 2000000 && done < 3; memory += memory < 20000 ? 97 : 7919) {
        pf_limits limits = pf_limits_default();
        limits.memory = memory;
        pf_buffer b = {0};
        two_cores(&b);
        aie_run r = run_json(&b, &(aie_setup){.limits = &limits});
        if (r.status == PF_OK) {
            done++;
        } else {
            refused++;
            cr_assert_eq(r.status, PF_ERR_LIMIT, "%llu: %s", (unsigned long long)memory, r.error.text);
            cr_assert_not_null(strstr(r.error.text, "--max-memory"), "%s", r.error.text);
        }
        end_run(&r);
    }
    cr_assert_eq(done, 3);
    cr_assert_gt(refused, 10);
}
