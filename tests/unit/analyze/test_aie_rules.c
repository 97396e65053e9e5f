/* The aie pass on small traces made here; every expected value follows by hand from docs/reference/aie.md and the help
 * texts. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "aie_support.h"

static const aie_setup plain = {0};

/* Two warmed-up kernels of 100 cycles, a stall of 2000 = 20 * 100 that ends at 3000, two kernels of 100 and 140. */
static void two_iterations(pf_buffer *b, const char *pid, const char *tile)
{
    char name[100];
    snprintf(name, sizeof name, "core_trace for %s", tile);
    json_name(b, pid, name);
    json_kernel(b, pid, 0, 100);
    json_kernel(b, pid, 150, 250);
    json_interval(b, pid, "LOCK_STALL", 1000, 3000);
    json_kernel(b, pid, 3010, 3110);
    json_kernel(b, pid, 3120, 3260);
}

Test(aie_rules, one_core)
{
    pf_buffer b = {0};
    two_iterations(&b, "7", "tile0,2");
    aie_run r = run_json(&b, &plain);
    cr_assert_eq(r.status, PF_OK, "%s", r.error.text);
    const pf_node *core = report_named(&r, "tile0,2.json");
    cr_assert_not_null(core);
    cr_assert_eq(int_at(core, "pid"), 7);
    cr_assert(is_text(core, "tile_name", "tile0,2"));
    cr_assert_eq(real_at(core, "median_kernel_duration_cycles"), 100.0);
    cr_assert_eq(int_at(core, "lock_stall_boundary_count"), 1);
    cr_assert_eq(int_at(core, "detected_total_iterations"), 2);
    cr_assert_eq(int_at(core, "expected_total_iterations"), 3);
    cr_assert(
        is_text(core, "mismatch_note", "Detected 2 iterations but expected 3. Proceeding with available iterations."));
    cr_assert_eq(int_at(core, "iterations/1/num_kernels"), 2);
    cr_assert_eq(real_at(core, "iterations/1/avg_duration_cycles"), 120.0);
    cr_assert_eq(int_at(core, "iterations/1/min_duration_cycles"), 100);
    cr_assert_eq(int_at(core, "iterations/1/max_duration_cycles"), 140);
    cr_assert_eq(int_at(core, "iterations/1/total_span_cycles"), 250);
    cr_assert_eq(int_at(core, "iterations/1/first_start"), 3010);
    cr_assert_eq(int_at(core, "iterations/1/last_end"), 3260);
    cr_assert_eq(real_at(core, "iterations/1/gmacs_per_second"), 262144.0 * 1.25 / 250);
    cr_assert_eq(int_at(core, "iterations/1/iteration_index"), 1);
    cr_assert(is_text(core, "iterations/0/phase", "warmup"));
    cr_assert(is_text(core, "iterations/1/phase", "perf"));
    cr_assert_eq(node_at(core, "performance_window")->children, 1);
    const pf_node *index = report_named(&r, "index.json");
    cr_assert(is_text(index, "hwid", "t"));
    cr_assert(is_text(index, "input_path", "out/t.json"));
    cr_assert(is_text(index, "output_dir", "out"));
    cr_assert(is_text(index, "details_md", "out/details.md"));
    cr_assert_eq(real_at(index, "clock_GHz"), 1.25);
    const pf_node *all = report_named(&r, "aggregate_perf.json");
    cr_assert_eq(int_at(all, "count"), 1);
    cr_assert_eq(real_at(all, "average/runtime_cycles"), 250.0);
    end_run(&r);
}

/* A stall one cycle shorter than 20 medians separates nothing. */
Test(aie_rules, a_stall_below_the_threshold)
{
    pf_buffer b = {0};
    json_name(&b, "0", "core_trace for a");
    json_kernel(&b, "0", 0, 100);
    json_interval(&b, "0", "LOCK_STALL", 1000, 2999);
    json_kernel(&b, "0", 3000, 3100);
    aie_run r = run_json(&b, &plain);
    const pf_node *core = report_named(&r, "a.json");
    cr_assert_eq(int_at(core, "lock_stall_boundary_count"), 0);
    cr_assert_eq(int_at(core, "detected_total_iterations"), 1);
    cr_assert_eq(real_at(core, "median_kernel_duration_cycles"), 100.0);
    end_run(&r);
}

/* Times around 2^53 and 2^60, where doubles have lost single cycles. */
Test(aie_rules, cycles_are_exact)
{
    const long long base = (1ll << 60) + 1;
    pf_buffer b = {0};
    json_name(&b, "0", "core_trace for a");
    json_kernel(&b, "0", base, base + 101);
    aie_run r = run_json(&b, &plain);
    const pf_node *core = report_named(&r, "a.json");
    cr_assert_eq(int_at(core, "median_kernel_duration_cycles"), 101);
    cr_assert_eq(int_at(core, "iterations/0/first_start"), base);
    cr_assert_eq(int_at(core, "iterations/0/last_end"), base + 101);
    end_run(&r);
}

/* The longest kernel that int64 times allow, with -1 as the first usable end: 0 .. 2^63 - 1. */
Test(aie_rules, extreme_times)
{
    pf_buffer b = {0};
    json_name(&b, "0", "core_trace for a");
    json_event(&b, "0", "INSTR_EVENT_0", 'B', INT64_MIN);
    json_event(&b, "0", "INSTR_EVENT_0", 'B', 0);
    json_event(&b, "0", "INSTR_EVENT_1", 'E', INT64_MAX);
    json_interval(&b, "0", "LOCK_STALL", INT64_MIN, INT64_MAX);
    aie_run r = run_json(&b, &plain);
    cr_assert_eq(r.status, PF_OK, "%s", r.error.text);
    const pf_node *core = report_named(&r, "a.json");
    cr_assert_eq(int_at(core, "detected_total_iterations"), 1);
    cr_assert_eq(int_at(core, "iterations/0/total_span_cycles"), INT64_MAX);
    end_run(&r);
    b = (pf_buffer){0};
    json_name(&b, "0", "core_trace for a");
    json_kernel(&b, "0", INT64_MIN, INT64_MAX);
    r = run_json(&b, &(aie_setup){.options = "pairing=nearest"});
    cr_assert_eq(r.status, PF_OK, "%s", r.error.text);
    core = report_named(&r, "a.json");
    cr_assert(is_text(core, "iterations/0/total_span_cycles", "18446744073709551615"));
    cr_assert(is_text(core, "median_kernel_duration_cycles", "18446744073709551615"));
    end_run(&r);
}

/* The table follows the first relevant event, the name the last process_name event, wherever it stands. */
Test(aie_rules, order_and_names)
{
    pf_buffer b = {0};
    json_interval(&b, "3", "MEMORY_STALL", 1, 2); /* read, but not by the rules that make the table */
    json_event(&b, "2", "INSTR_EVENT_0", 'E', 5); /* the other phase of the pulse counts for nothing */
    json_kernel(&b, "1", 10, 20);
    json_name(&b, "3", "core_trace for c");
    json_name(&b, "2", "core_trace for first");
    json_name(&b, "1", "mem_trace for x");
    json_kernel(&b, "2", 10, 20);
    json_name(&b, "1", "core_trace for a for b");
    json_name(&b, "4", "core_trace for gone");
    json_raw(&b, "{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":4}");
    json_name(&b, "2", "my core_trace");
    aie_run r = run_json(&b, &plain);
    const char *const files[] = {"b.json", "c.json", "my core_trace.json", "details.md", "index.json"};
    for (size_t i = 0; i < 5; i++) {
        pf_str file = pf_findings_report(r.findings, i)->file;
        cr_assert(file.len == strlen(files[i]) && memcmp(file.ptr, files[i], file.len) == 0, "file %zu is %.*s", i,
                  (int)file.len, file.ptr);
    }
    end_run(&r);
}

Test(aie_rules, pids_are_echoed_as_spelled)
{
    pf_buffer b = {0};
    json_name(&b, "\"0\"", "core_trace for text");
    json_name(&b, "0", "core_trace for int");
    json_name(&b, "2.0", "core_trace for real");
    json_name(&b, "2", "core_trace for real");
    json_name(&b, "1.5e3", "core_trace for thousands");
    json_raw(&b, "{\"name\":\"process_name\",\"ph\":\"M\",\"args\":{\"name\":\"core_trace for none\"}}");
    aie_run r = run_json(&b, &plain);
    cr_assert(is_text(report_named(&r, "text.json"), "pid", "0"));
    cr_assert_eq(node_at(report_named(&r, "text.json"), "pid")->type, PF_NODE_TEXT);
    cr_assert_eq(int_at(report_named(&r, "int.json"), "pid"), 0);
    cr_assert_eq(real_at(report_named(&r, "real.json"), "pid"), 2.0);
    cr_assert_eq(real_at(report_named(&r, "thousands.json"), "pid"), 1500.0);
    cr_assert(null_at(report_named(&r, "none.json"), "pid"));
    cr_assert_eq(pf_findings_report_count(r.findings), 5 + 3);
    end_run(&r);
}

Test(aie_rules, a_core_without_kernels)
{
    pf_buffer b = {0};
    json_name(&b, "0", "core_trace for a");
    json_event(&b, "0", "INSTR_EVENT_0", 'B', 5);
    aie_run r = run_json(&b, &(aie_setup){.options = "warmup=0 iterations=0"});
    const pf_node *core = report_named(&r, "a.json");
    cr_assert(is_text(core, "mismatch_note", "No valid kernel pairs detected after robust filtering."));
    cr_assert_not(has_key(core, "median_kernel_duration_cycles"));
    cr_assert_not(has_key(core, "lock_stall_boundary_count"));
    cr_assert_eq(node_at(core, "iterations")->children, 0);
    cr_assert(null_at(report_named(&r, "index.json"), "details_md"));
    cr_assert(is_text(report_named(&r, "aggregate_perf.json"), "note", "No common perf iterations across all cores."));
    cr_assert_eq(int_at(report_named(&r, "aie_quality.json"), "0/open_intervals"), 1);
    end_run(&r);
}

Test(aie_rules, no_core_at_all)
{
    pf_buffer b = {0};
    json_name(&b, "0", "mem_trace for a");
    json_kernel(&b, "0", 1, 2);
    aie_run r = run_json(&b, &plain);
    cr_assert(is_text(report_named(&r, "aggregate_perf.json"), "note", "No cores to aggregate."));
    cr_assert_eq(pf_findings_report_count(r.findings), 4); /* aie_nothing.txt */
    cr_assert_eq(report_named(&r, "aie_quality.json")->children, 0);
    cr_assert_not_null(strstr(line_shown(&r, 0), "no core of an AI Engine in "));
    cr_assert_not_null(strstr(line_shown(&r, 0), ": no process is called core_trace"), "the warning is said once");
    cr_assert_str_eq(line_shown(&r, 1), "");
    end_run(&r);
}

Test(aie_rules, negative_counts_are_none)
{
    pf_buffer b = {0};
    two_iterations(&b, "0", "a");
    aie_run r = run_json(&b, &(aie_setup){.options = "warmup=-3 iterations=-1"});
    const pf_node *core = report_named(&r, "a.json"), *index = report_named(&r, "index.json");
    cr_assert_eq(int_at(index, "warmup"), 0);
    cr_assert_eq(int_at(index, "iterations"), 0);
    cr_assert_eq(int_at(core, "expected_total_iterations"), 0);
    cr_assert(is_text(core, "iterations/0/phase", "extra"));
    cr_assert(is_text(core, "mismatch_note",
                      "Detected 2 iterations but expected 0. Truncating to first 0 iterations for phase labeling."));
    end_run(&r);
}

/* Counts at the end of int64 add up without overflow. */
Test(aie_rules, huge_counts)
{
    pf_buffer b = {0};
    two_iterations(&b, "0", "a");
    aie_run r = run_json(&b, &(aie_setup){.options = "warmup=1 iterations=9223372036854775807 row=9223372036854775807 "
                                                     "col=9223372036854775807"});
    const pf_node *core = report_named(&r, "a.json");
    cr_assert(is_text(core, "expected_total_iterations", "9223372036854775808"));
    cr_assert(is_text(core, "iterations/1/phase", "perf"));
    end_run(&r);
}

/* Both cores write a.json; the later one counts for both in the aggregate, and a line says so. */
Test(aie_rules, two_cores_with_one_tile_name)
{
    pf_buffer b = {0};
    json_name(&b, "0", "core_trace for a");
    json_kernel(&b, "0", 0, 100);
    json_name(&b, "1", "core_trace for a");
    json_kernel(&b, "1", 0, 50);
    aie_run r = run_json(&b, &(aie_setup){.options = "warmup=0 iterations=1"});
    cr_assert_eq(int_at(pf_findings_report(r.findings, 0)->root, "pid"), 0);
    cr_assert_eq(int_at(pf_findings_report(r.findings, 1)->root, "pid"), 1);
    cr_assert_eq(int_at(report_named(&r, "aggregate_perf.json"), "best/runtime_cycles"), 50);
    cr_assert_not_null(strstr(line_shown(&r, 0), "a.json"), "%s", line_shown(&r, 0));
    end_run(&r);
}

Test(aie_rules, tile_names_stay_in_the_folder)
{
    pf_buffer b = {0};
    json_name(&b, "0", "core_trace for ../../etc/x");
    aie_run r = run_json(&b, &plain);
    const pf_node *core = report_named(&r, ".._.._etc_x.json");
    cr_assert_not_null(core);
    cr_assert(is_text(core, "tile_name", "../../etc/x"));
    end_run(&r);
}

Test(aie_rules, an_unusable_time_is_an_error_with_its_place)
{
    const char *const events[] = {
        "{\"name\":\"LOCK_STALL\",\"ph\":\"B\",\"ts\":\"soon\",\"pid\":5,\"tid\":0}",
        "{\"name\":\"INSTR_EVENT_1\",\"ph\":\"E\",\"ts\":null,\"pid\":5,\"tid\":0}",
    };
    const char *const names[] = {"LOCK_STALL (B)", "INSTR_EVENT_1 (E)"};
    for (size_t i = 0; i < 2; i++) {
        pf_buffer b = {0};
        json_name(&b, "0", "core_trace for a");
        size_t before = b.len;
        json_raw(&b, events[i]);
        aie_run r = run_json(&b, &plain);
        cr_assert_eq(r.status, PF_ERR_INPUT);
        cr_assert_not_null(strstr(r.error.text, names[i]), "%s", r.error.text);
        cr_assert_eq(r.error.offset, before + 2, "the event begins after the comma, not at %llu",
                     (unsigned long long)r.error.offset);
        end_run(&r);
    }
}

/* Events that the rules do not read may have any time: other phases, other names, the extra kinds. */
Test(aie_rules, unusable_times_elsewhere_do_no_harm)
{
    pf_buffer b = {0};
    two_iterations(&b, "0", "a");
    json_raw(&b, "{\"name\":\"INSTR_EVENT_0\",\"ph\":\"E\",\"ts\":{},\"pid\":0,\"tid\":0}");
    json_raw(&b, "{\"name\":\"OTHER\",\"ph\":\"B\",\"ts\":\"x\",\"pid\":0,\"tid\":0}");
    json_raw(&b, "{\"name\":\"MEMORY_STALL\",\"ph\":\"B\",\"ts\":\"x\",\"pid\":0,\"tid\":0}");
    json_interval(&b, "0", "MEMORY_STALL", 150, 200);
    aie_run r = run_json(&b, &plain);
    cr_assert_eq(r.status, PF_OK, "%s", r.error.text);
    const pf_node *summary = pf_findings_summary(r.findings);
    cr_assert_eq(real_at(summary, "cores/0/iterations/0/stall_percent/MEMORY"), 100 * (50.0 / 250.0));
    end_run(&r);
}

/* LOCK 20..40 and 30..60 (each begin takes the first end after it, so they cross): union 20..60. STREAM 50..300 is
 * clipped to the iteration 0..250. All kinds together: 20..250. VECTOR 10..20 and 90..160 within the kernels 0..100
 * and 150..250: 10 + 10 + 10 of 200. */
Test(aie_rules, shares)
{
    pf_buffer b = {0};
    json_name(&b, "0", "core_trace for a");
    json_kernel(&b, "0", 0, 100);
    json_kernel(&b, "0", 150, 250);
    json_interval(&b, "0", "LOCK_STALL", 20, 40);
    json_interval(&b, "0", "LOCK_STALL", 30, 60);
    json_interval(&b, "0", "STREAM_STALL", 50, 300);
    json_interval(&b, "0", "INSTR_VECTOR", 10, 20);
    json_interval(&b, "0", "INSTR_VECTOR", 90, 160);
    json_event(&b, "0", "CASCADE_STALL", 'B', 240);
    json_event(&b, "0", "INSTR_VECTOR", 'B', 245);
    json_event(&b, "0", "INSTR_EVENT_0", 'B', 260);
    aie_run r = run_json(&b, &(aie_setup){.options = "warmup=0 iterations=1 peak-macs-per-cycle=128 row=2 col=2"});
    const pf_node *it = node_at(pf_findings_summary(r.findings), "cores/0/iterations/0");
    cr_assert_eq(real_at(it, "stall_percent/LOCK"), 100 * (40.0 / 250.0));
    cr_assert_eq(real_at(it, "stall_percent/MEMORY"), 0.0);
    cr_assert_eq(real_at(it, "stall_percent/STREAM"), 100 * (200.0 / 250.0));
    cr_assert_eq(real_at(it, "stall_percent/CASCADE"), 0.0);
    cr_assert_eq(real_at(it, "any_stall_percent"), 100 * (230.0 / 250.0));
    cr_assert_eq(real_at(it, "vector_percent"), 100 * (30.0 / 200.0));
    cr_assert_eq(real_at(it, "utilisation_percent"), 100 * (262144.0 / 4 / 250) / 128);
    /* the open cascade stall, the open vector instruction, the kernel entry after the last exit */
    cr_assert_eq(int_at(report_named(&r, "aie_quality.json"), "0/open_intervals"), 3);
    /* All kinds merged and clipped like the shares: each stretch is named by what lasts in it. */
    static const struct {
        int64_t ts, end;
        const char *name;
    } merged[] = {{20, 50, "LOCK"}, {50, 60, "LOCK+STREAM"}, {60, 250, "STREAM"}};
    uint32_t stalls = track_named(&r, "a stalls in iterations");
    cr_assert_eq(events_on(&r, stalls), 3);
    for (size_t i = 0; i < 3; i++) {
        const pf_overlay_event *e = event_on(&r, stalls, i);
        cr_assert_eq(e->ts, merged[i].ts);
        cr_assert_eq(e->dur, merged[i].end - merged[i].ts);
        cr_assert(e->name.len == strlen(merged[i].name) && !memcmp(e->name.ptr, merged[i].name, e->name.len), "%zu", i);
    }
    /* a note where the first of the three begins */
    const pf_overlay_event *note = event_on(&r, track_named(&r, "a notes"), 0);
    cr_assert_eq(note->ts, 240);
    cr_assert_eq(memcmp(note->name.ptr, "3 intervals without an end, the first begins here", note->name.len), 0);
    end_run(&r);
}

Test(aie_rules, another_clock)
{
    pf_buffer b = {0};
    two_iterations(&b, "0", "a");
    aie_run r = run_json(&b, &(aie_setup){.options = "clock-ghz=2 hwid=x"});
    cr_assert_eq(real_at(report_named(&r, "index.json"), "clock_GHz"), 2.0);
    cr_assert(is_text(report_named(&r, "index.json"), "hwid", "x"));
    cr_assert_eq(real_at(report_named(&r, "a.json"), "iterations/0/gmacs_per_second"), 262144.0 * 2 / 250);
    cr_assert_eq(real_at(report_named(&r, "aggregate_perf.json"), "best/gmacs_per_second"), 262144.0 * 2 / 250);
    end_run(&r);
}

/* A long stall before the first kernel makes iteration 0 empty; two more stand side by side in front of a kernel that
 * starts at the end of the second. */
static void with_empty_ones(pf_buffer *b)
{
    json_name(b, "0", "core_trace for a");
    json_interval(b, "0", "LOCK_STALL", 0, 5000);
    json_kernel(b, "0", 5001, 5101);
    json_interval(b, "0", "LOCK_STALL", 6000, 9000);
    json_interval(b, "0", "LOCK_STALL", 9001, 12000);
    json_kernel(b, "0", 12000, 12100);
    json_kernel(b, "0", 12200, 12300);
}

Test(aie_rules, empty_iterations)
{
    pf_buffer b = {0};
    with_empty_ones(&b);
    aie_run r = run_json(&b, &plain);
    const pf_node *core = report_named(&r, "a.json");
    /* The boundary 12000 is not before the kernel that starts there, so it closes that kernel's iteration. */
    const int64_t kernels[] = {0, 1, 1, 1};
    cr_assert_eq(int_at(core, "detected_total_iterations"), 4);
    for (size_t i = 0; i < 4; i++) {
        char path[40];
        snprintf(path, sizeof path, "iterations/%zu/num_kernels", i);
        cr_assert_eq(int_at(core, path), kernels[i], "iteration %zu", i);
    }
    cr_assert(null_at(core, "iterations/0/first_start"));
    cr_assert(null_at(core, "iterations/0/last_end"));
    cr_assert_eq(real_at(core, "iterations/0/avg_duration_cycles"), 0.0);
    cr_assert_eq(real_at(core, "iterations/0/gmacs_per_second"), 0.0);
    uint32_t track = track_named(&r, "a iterations");
    const pf_overlay_event *empty = event_on(&r, track, 0);
    cr_assert_eq(empty->kind, PF_OVERLAY_INSTANT);
    cr_assert_eq(empty->ts, 5000);
    cr_assert_eq(memcmp(empty->name.ptr, "0 warmup, empty", empty->name.len), 0);
    end_run(&r);
}

Test(aie_rules, empty_iterations_dropped)
{
    pf_buffer b = {0};
    with_empty_ones(&b);
    aie_run r = run_json(&b, &(aie_setup){.options = "drop-empty"});
    const pf_node *core = report_named(&r, "a.json");
    cr_assert_eq(int_at(core, "detected_total_iterations"), 3);
    cr_assert_eq(int_at(core, "lock_stall_boundary_count"), 3);
    cr_assert(null_at(core, "mismatch_note"));
    cr_assert_eq(int_at(core, "iterations/0/first_start"), 5001);
    cr_assert(is_text(core, "iterations/0/phase", "warmup"));
    cr_assert(is_text(core, "iterations/2/phase", "perf"));
    end_run(&r);
}

/* Entries 0, 10 (a repeated pulse), 200 (lost its exit), 400; exits 100, 110 (repeated), 300 is missing, 500, 900
 * (lost its entry). First walk: 10..100 and 400..500, median 95, gap trunc(23.75) = 23. */
Test(aie_rules, nearest_pairing_and_its_counts)
{
    const long long entries[] = {0, 10, 200, 400}, exits[] = {100, 110, 500, 900};
    pf_buffer b = {0};
    json_name(&b, "0", "core_trace for a");
    for (size_t i = 0; i < 4; i++) {
        json_event(&b, "0", "INSTR_EVENT_0", 'B', entries[i]);
        json_event(&b, "0", "INSTR_EVENT_1", 'E', exits[i]);
    }
    aie_run r = run_json(&b, &(aie_setup){.options = "pairing=nearest"});
    const pf_node *core = report_named(&r, "a.json"), *quality = report_named(&r, "aie_quality.json");
    cr_assert_eq(int_at(core, "iterations/0/num_kernels"), 2);
    cr_assert_eq(int_at(core, "iterations/0/first_start"), 0);
    cr_assert_eq(int_at(core, "iterations/0/last_end"), 500);
    cr_assert_eq(int_at(quality, "0/duplicate_entries"), 1);
    cr_assert_eq(int_at(quality, "0/duplicate_exits"), 1);
    cr_assert_eq(int_at(quality, "0/lost_exits"), 1);
    cr_assert_eq(int_at(quality, "0/lost_entries"), 1);
    cr_assert_eq(int_at(quality, "0/discarded_pairs"), 0);
    const pf_overlay_event *note = event_on(&r, track_named(&r, "a notes"), 1); /* after the iterations that miss */
    const char *text = "kernel pulses repaired: 1 entries and 1 exits lost, 1 entries and 1 exits duplicate";
    cr_assert(note->name.len == strlen(text) && memcmp(note->name.ptr, text, note->name.len) == 0);
    end_run(&r);
}

/* Nine kernels of 100 cycles, one of 33 (kept: trunc(100 / 3)), one of 32, one of 300 (kept), one of 301. */
Test(aie_rules, discarded_pairs_are_counted)
{
    pf_buffer b = {0};
    json_name(&b, "0", "core_trace for a");
    for (int i = 0; i < 9; i++) {
        json_kernel(&b, "0", i * 1000, i * 1000 + 100);
    }
    const int lengths[] = {33, 32, 300, 301};
    for (int i = 0; i < 4; i++) {
        json_kernel(&b, "0", (9 + i) * 1000, (9 + i) * 1000 + lengths[i]);
    }
    aie_run r = run_json(&b, &plain);
    cr_assert_eq(int_at(report_named(&r, "a.json"), "iterations/0/num_kernels"), 11);
    cr_assert_eq(int_at(report_named(&r, "aie_quality.json"), "0/discarded_pairs"), 2);
    const pf_overlay_event *note = event_on(&r, track_named(&r, "a notes"), 1); /* after the iterations that miss */
    cr_assert_eq(note->ts, 10000, "where the kernel of 32 cycles begins");
    cr_assert_eq(memcmp(note->name.ptr, "2 kernel pairs discarded", 24), 0);
    end_run(&r);
}

/* Kernels of 100 cycles behind stalls of 5000, 1999 and 2000: the default factor of 20 cuts at the first and the last,
 * 51 at none, and 1 at all. The first stall makes an empty iteration, which the warning counts. */
Test(aie_rules, the_stall_factor_is_an_option)
{
    static const struct {
        const char *options;
        int64_t iterations, empty;
    } cases[] = {{"", 3, 1}, {"stall-factor=51", 1, 0}, {"stall-factor=19.99", 4, 1}, {"drop-empty", 2, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char options[100], expected[200];
        pf_buffer b = {0};
        json_name(&b, "0", "core_trace for a");
        json_interval(&b, "0", "LOCK_STALL", 0, 5000);
        json_kernel(&b, "0", 5010, 5110);
        json_interval(&b, "0", "LOCK_STALL", 5200, 7199);
        json_kernel(&b, "0", 7210, 7310);
        json_interval(&b, "0", "LOCK_STALL", 7400, 9400);
        json_kernel(&b, "0", 9410, 9510);
        snprintf(options, sizeof options, "warmup=0 iterations=2 peak-macs-per-cycle=3000 %s", cases[i].options);
        aie_run r = run_json(&b, &(aie_setup){.options = options});
        cr_assert_eq(int_at(report_named(&r, "a.json"), "detected_total_iterations"), cases[i].iterations);
        snprintf(expected, sizeof expected,
                 "a: 1 of %d iterations without kernels, from iteration 0 on (a long stall before the first kernel, or "
                 "right after another one): --drop-empty leaves them out%s",
                 (int)cases[i].iterations, cases[i].iterations == 3 ? ", then the rest are as many as expected" : "");
        const char *line = line_shown(&r, cases[i].iterations == 2 ? 0 : 1);
        cr_expect_str_eq(line, cases[i].empty ? expected : "", "case %zu", i);
        end_run(&r);
    }
}

/* Kernels of 100 cycles but for one of 40 and one of 250, each entry repeated after 30 cycles: the default gap of a
 * quarter keeps the repeated pulse apart, half of the median does not. */
Test(aie_rules, outliers_and_duplicates_are_options)
{
    static const struct {
        const char *options;
        int64_t kernels, duplicates, discarded;
    } cases[] = {{"pairing=nearest", 7, 0, 0},
                 {"pairing=nearest outlier-low=0.5", 6, 0, 1},
                 {"pairing=nearest outlier-high=2.4", 6, 0, 1},
                 {"pairing=nearest duplicate-fraction=0.5", 7, 7, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pf_buffer b = {0};
        json_name(&b, "0", "core_trace for a");
        for (int k = 0; k < 7; k++) {
            json_event(&b, "0", "INSTR_EVENT_0", 'B', k * 1000);
            json_event(&b, "0", "INSTR_EVENT_0", 'B', k * 1000 + 30);
            json_event(&b, "0", "INSTR_EVENT_1", 'E', k * 1000 + (k == 2 ? 70 : k == 4 ? 280 : 130));
        }
        aie_run r = run_json(&b, &(aie_setup){.options = cases[i].options});
        const pf_node *quality = report_named(&r, "aie_quality.json");
        cr_expect_eq(int_at(quality, "0/kernels"), cases[i].kernels, "case %zu", i);
        cr_expect_eq(int_at(quality, "0/duplicate_entries"), cases[i].duplicates, "case %zu", i);
        cr_expect_eq(int_at(quality, "0/discarded_pairs"), cases[i].discarded, "case %zu", i);
        end_run(&r);
    }
    pf_buffer b = {0};
    json_name(&b, "0", "core_trace for a");
    aie_run r = run_json(&b, &(aie_setup){.options = "outlier-low=4"});
    cr_assert_eq(r.status, PF_ERR_USAGE);
    end_run(&r);
}
