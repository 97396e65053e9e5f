/* Stages of analyze aiu, each on a few events whose results are worked out by hand: counters run at 1 MHz, so cycles
 * are microseconds. The corpus is compared by scripts/conformance. */
#include <math.h>
#include <string.h>

#include "aiu_support.h"
#include "analyze/aiu/cores/aiu_tables.h"
#include "analyze/aiu/ranks/aiu_ranks.h"
#include "analyze/aiu/steps/aiu_steps.h"

#define LAP ((int64_t)1 << 32)
#define TS(...)                                                                                                        \
    (const int64_t[5])                                                                                                 \
    {                                                                                                                  \
        __VA_ARGS__                                                                                                    \
    }

Test(aiu_stages, counters_grow_beyond_32_bits)
{
    aiu_facts_run f;
    facts_open(&f, NULL);
    aiu_events *v = &f.run.events;
    uint32_t first = add_device(&f, "k Cmpt Exec", 0, 1000, 10, TS(990, 990, 1000, 1010, 1011));
    uint32_t next = add_device(&f, "k Cmpt Exec", 0, (double)LAP + 500, 10, TS(490, 490, 500, 510, 511));
    uint32_t wraps = add_device(&f, "k Cmpt Exec", 0, (double)(2 * LAP) - 5, 10, TS(LAP - 15, LAP - 15, LAP - 5, 5, 6));
    run_stage(&f, pf_aiu_normalise);
    run_stage(&f, pf_aiu_grow_counters);
    cr_expect_eq(v->ovc[first], 0);
    cr_expect_eq(v->tsx[2][first], 1000);
    cr_expect_eq(v->ovc[next], 1);
    cr_expect_eq(v->tsx[2][next], LAP + 500);
    cr_expect_eq(v->ovc[wraps], 1, "the lap at its begin counts");
    cr_expect_eq(v->tsx[2][wraps], 2 * LAP - 5);
    cr_expect_eq(v->tsx[3][wraps], 2 * LAP + 5);
    const aiu_extra *said = &f.run.extras.list[v->extra[wraps]];
    cr_expect(pf_str_is(pf_aiu_text_of(&f.run, said->key), "TSxOF"));
    cr_expect(pf_str_is(pf_aiu_text_of(&f.run, said->as.text), "TS4"));
    facts_close(&f);
}

/* A counter that is below the one before it has wrapped, also where it is above the first. */
Test(aiu_stages, counters_that_fall_have_wrapped)
{
    aiu_facts_run f;
    facts_open(&f, NULL);
    uint32_t e = add_device(&f, "k Cmpt Exec", 0, 1000, 10, TS(10, 20, 30, 25, 26));
    run_stage(&f, pf_aiu_normalise);
    static const int64_t grown[] = {10, 20, 30, LAP + 25, LAP + 26};
    for (int n = 0; n < 5; n++) {
        cr_expect_eq(f.run.events.tsx[n][e], grown[n], "TS%d", n + 1);
    }
    cr_expect(pf_str_is(pf_aiu_text_of(&f.run, f.run.extras.list[f.run.events.extra[e]].as.text), "TS4"));
    facts_close(&f);
}

/* 20 cycles in 10 us and 30 in 10; 250 cycles between kernels that are 100 us apart. */
Test(aiu_stages, frequency_is_what_kernels_show)
{
    aiu_facts_run f;
    facts_open(&f, NULL);
    add_device(&f, "k Cmpt Exec", 0, 0, 10, TS(100, 100, 100, 120, 121));
    add_device(&f, "k Cmpt Exec", 0, 100, 10, TS(350, 350, 350, 380, 381));
    run_stage(&f, pf_aiu_normalise);
    cr_expect(logged(&f, "Event-duration-based frequency (min/mean/max): 2.0 2.5 3.0 ; rel_range=0.4, "
                         "input_soc_freq/detected=0.4"));
    cr_expect(logged(&f, "Event-interval-based frequency (min/mean/max): 2.5 2.5 2.5 ; rel_range=0.0, "
                         "input_soc_freq/detected=0.4"));
    facts_close(&f);
    static const char *const reference[] = {"compat", "acelyzer", NULL};
    facts_open(&f, reference);
    add_device(&f, "k Cmpt Exec", 0, 0, 10, TS(100, 100, 100, 120, 121));
    add_device(&f, "k Cmpt Exec", 0, 100, 10, TS(350, 350, 350, 380, 381));
    run_stage(&f, pf_aiu_normalise);
    cr_expect(logged(&f, "Event-interval-based frequency (min/mean/max): 2.0 2.25 2.5"), "the first by its own length");
    facts_close(&f);
}

/* The counter laps between kernels that are a lap and 100 us apart on the host's clock: 100 cycles and a lap. One of no
 * length says nothing; one that begins with the one before it, of twice as many cycles, counts for lengths alone. */
Test(aiu_stages, frequency_follows_laps)
{
    aiu_facts_run f;
    facts_open(&f, NULL);
    add_device(&f, "k Cmpt Exec", 0, 0, 10, TS(100, 100, 100, 110, 111));
    add_device(&f, "k Cmpt Exec", 0, (double)LAP + 100, 10, TS(200, 200, 200, 210, 211));
    add_device(&f, "k Cmpt Exec", 0, (double)LAP + 100, 10, TS(200, 200, 200, 220, 221));
    add_device(&f, "k Cmpt Exec", 0, (double)LAP + 100, 0, TS(200, 200, 200, 290, 291));
    run_stage(&f, pf_aiu_normalise);
    cr_expect(logged(&f, "Event-duration-based frequency (min/mean/max): 1.0 1.33 2.0 ; rel_range=0.75, "
                         "input_soc_freq/detected=0.75"));
    cr_expect(logged(&f, "Event-interval-based frequency (min/mean/max): 1.0 1.0 1.0 ; rel_range=0.0, "
                         "input_soc_freq/detected=1.0"));
    cr_expect(logged(&f, "Detected 1 identical timestamps between consecutive events."));
    facts_close(&f);
}

Test(aiu_stages, wallclock_keeps_the_end_and_takes_the_length_from_cycles)
{
    aiu_facts_run f;
    facts_open(&f, NULL);
    uint32_t kernel = add_device(&f, "k Cmpt Exec", 0, 100, 50, TS(10, 12, 20, 50, 60));
    uint32_t in = add_device(&f, "Input_0 DmaI", 0, 100, 50, TS(10, 35, 36, 36, 37));
    uint32_t other = add_device(&f, "k", 0, 100, 50, TS(10, 12, 20, 50, 60));
    uint32_t host = add_host(&f, "Flex RoundTrip", 0, 1, 100, 50);
    run_stage(&f, pf_aiu_to_wallclock);
    expect_time(&f, kernel, 110, 40);
    expect_time(&f, in, 125, 25);
    expect_time(&f, other, 100, 50);
    cr_expect_eq(f.run.events.adjust_ts[kernel], 10);
    cr_expect_eq(f.run.events.adjust_dur[kernel], -10);
    cr_expect_not(f.run.events.flags[other] & AIU_ADJUSTED);
    run_stage(&f, pf_aiu_tighten);
    expect_time(&f, kernel, 120, 30);
    expect_time(&f, in, 125, 25);
    expect_time(&f, host, 100, 50);
    cr_expect_eq(pf_aiu_ts_all(&f.run, kernel, 1), 110);
    cr_expect_eq(pf_aiu_ts_all(&f.run, kernel, 5), 160);
    facts_close(&f);
}

Test(aiu_stages, threads_become_short_numbers_without_end)
{
    aiu_facts_run f;
    facts_open(&f, NULL);
    for (int i = 0; i < 40; i++) {
        add_host(&f, "h", 0, 77000 + i, i, 1);
    }
    run_stage(&f, pf_aiu_map_threads);
    cr_expect_eq(f.run.events.tid[0], 1000);
    cr_expect_eq(f.run.events.tid[39], 4900);
    facts_close(&f);
    static const char *const reference[] = {"compat", "acelyzer", NULL};
    facts_open(&f, reference);
    for (int i = 0; i < 40; i++) {
        add_host(&f, "h", 0, 77000 + i, i, 1);
    }
    run_stage(&f, pf_aiu_map_threads);
    cr_expect_eq(f.run.events.tid[39], 1900, "30, then from the first again");
    facts_close(&f);
}

static uint32_t add_part(aiu_facts_run *f, const char *name, const char *group, int64_t pid, double ts, double dur,
                         const int64_t *tsx)
{
    uint32_t e = add_device(f, name, pid, ts, dur, tsx);
    f->run.events.group[e] = text_of(f, group);
    return e;
}

/* Rank 1's counter is 1000 cycles ahead, or it received 5 us before rank 0 had sent: it is moved by 1005. Rank 0 had
 * sent at counter 20, which its host noted at 505. */
Test(aiu_stages, clocks_are_moved_by_the_closest_collective)
{
    aiu_facts_run f;
    facts_open(&f, NULL);
    uint32_t sends =
        add_part(&f, "AllReduce_all_reduce_1 DmaO", "AllReduce_all_reduce_1", 0, 500, 5, TS(0, 10, 10, 15, 20));
    uint32_t gets = add_part(&f, "Recv_1 DmaI", "AllReduce_all_reduce_1", 1, 7000, 9, TS(1015, 1025, 1026, 1027, 1030));
    uint32_t later =
        add_part(&f, "Recv_2 DmaI", "AllReduce_all_reduce_2", 1, 7100, 9, TS(1115, 1199, 1199, 1199, 1200));
    add_part(&f, "AllReduce_all_reduce_2 DmaO", "AllReduce_all_reduce_2", 0, 600, 5, TS(100, 110, 110, 115, 120));
    run_stage(&f, pf_aiu_sync_first);
    expect_time(&f, sends, 500, 5);
    expect_time(&f, gets, 1015 - 1005 + 485, 9);
    expect_time(&f, later, 1115 - 1005 + 485, 9);
    cr_expect_eq(pf_aiu_ts_all(&f.run, gets, 2), 505, "received when it was sent");
    facts_close(&f);
}

/* Rank 1's counter runs twice as fast: 200 cycles between two ends, 100 on rank 0. */
Test(aiu_stages, clocks_differ_in_rate)
{
    static const char *const second[] = {"mp_sync_v2", NULL, NULL};
    aiu_facts_run f;
    facts_open(&f, second);
    add_part(&f, "a DmaO", "AllReduce_1", 0, 590, 10, TS(90, 90, 90, 90, 100));
    add_part(&f, "b DmaO", "AllReduce_2", 0, 690, 10, TS(190, 190, 190, 190, 200));
    uint32_t one = add_part(&f, "a DmaI", "AllReduce_1", 1, 5000, 8, TS(980, 980, 980, 980, 1000));
    uint32_t two = add_part(&f, "b DmaI", "AllReduce_2", 1, 6000, 8, TS(1180, 1180, 1180, 1180, 1200));
    run_stage(&f, pf_aiu_sync_rate);
    expect_time(&f, one, 600 - 8, 8);
    expect_time(&f, two, 700 - 8, 8);
    cr_expect(logged(&f, "dilation factor:    {0: 1.0, 1: 2.0}"));
    facts_close(&f);
}

/* Counters of rank 1 are 900 ahead in the first and the last collective, 880 in the second, which is the closest: it
 * gives the offset. Both run equally fast between first and last. */
Test(aiu_stages, the_closest_collective_gives_the_offset)
{
    static const char *const second[] = {"mp_sync_v2", NULL, NULL};
    static const char *const groups[] = {"AllReduce_1", "AllReduce_2", "AllReduce_3"};
    static const int64_t ends[2][3] = {{100, 200, 300}, {1000, 1080, 1200}};
    uint32_t slice[2][3];
    aiu_facts_run f;
    facts_open(&f, second);
    for (int64_t rank = 0; rank < 2; rank++) {
        for (int k = 0; k < 3; k++) {
            int64_t end = ends[rank][k];
            slice[rank][k] =
                add_part(&f, rank ? "a DmaI" : "a DmaO", groups[k], rank, (double)(rank * 5000 + end + 490), 10,
                         TS(end - 10, end - 10, end - 10, end - 10, end));
        }
    }
    run_stage(&f, pf_aiu_sync_rate);
    for (int k = 0; k < 3; k++) {
        expect_time(&f, slice[0][k], 590 + 100 * k, 10);
        expect_time(&f, slice[1][k], (double)(ends[1][k] - 880) + 490, 10);
    }
    cr_expect(logged(&f, "ref_dts_cg:         AllReduce_2"));
    cr_expect(logged(&f, "ref_dts_per_pid:    {0: 200.0, 1: 1080.0}"));
    cr_expect(logged(&f, "dilation factor:    {0: 1.0, 1: 1.0}"));
    cr_expect_eq(f.run.exchange->shift[0], 0);
    cr_expect_eq(f.run.exchange->shift[1], -880);
    facts_close(&f);
}

/* One collective says nothing of rates; the other program divides by 0 there. */
Test(aiu_stages, one_collective_leaves_the_rate)
{
    static const char *const second[] = {"mp_sync_v2", NULL, NULL};
    aiu_facts_run f;
    facts_open(&f, second);
    add_part(&f, "a DmaO", "AllReduce_1", 0, 590, 10, TS(90, 90, 90, 90, 100));
    uint32_t one = add_part(&f, "a DmaI", "AllReduce_1", 1, 5000, 8, TS(980, 980, 980, 980, 1000));
    uint32_t later = add_part(&f, "c DmaI", "", 1, 6000, 8, TS(1080, 1080, 1080, 1080, 1100));
    run_stage(&f, pf_aiu_sync_rate);
    expect_time(&f, one, 600 - 8, 8);
    expect_time(&f, later, 700 - 8, 8);
    facts_close(&f);
}

Test(aiu_stages, queued_kernels_are_counted)
{
    aiu_facts_run f;
    facts_open(&f, NULL);
    add_host(&f, "a Cmpt Prep", 0, 1, 10, 10);
    add_host(&f, "b Cmpt Prep", 0, 1, 12, 18);
    add_host(&f, "c Cmpt Prep", 0, 1, 15, 3);
    add_host(&f, "d Cmpt Prep", 0, 1, 20, 5);
    add_host(&f, "k Cmpt Exec", 0, 1, 20, 5);
    run_stage(&f, pf_aiu_count_preps);
    expect_samples(&f, AIU_SERIES_PREPS, "10=1 12=2 15=3 18=2 20=2 25=1 30=0");
    cr_expect_eq(f.run.alive, 1, "the slices went");
    facts_close(&f);
}

/* b is inside of one other slice: the other program says 0 at its end. */
Test(aiu_stages, queued_kernels_of_the_reference)
{
    static const char *const reference[] = {"compat", "acelyzer", "keep_prep", NULL, NULL};
    aiu_facts_run f;
    facts_open(&f, reference);
    add_host(&f, "a Cmpt Prep", 0, 1, 10, 20);
    add_host(&f, "b Cmpt Prep", 0, 1, 15, 5);
    run_stage(&f, pf_aiu_count_preps);
    expect_samples(&f, AIU_SERIES_PREPS, "10=1 15=2 20=0 30=0");
    cr_expect_eq(f.run.alive, 2);
    facts_close(&f);
}

Test(aiu_stages, slices_that_overlap_in_part_move_to_a_stream)
{
    aiu_facts_run f;
    facts_open(&f, NULL);
    add_host(&f, "outer", 0, 1000, 0, 10);
    uint32_t inner = add_host(&f, "inner", 0, 1000, 2, 4);
    uint32_t over = add_host(&f, "over", 0, 1000, 5, 10);
    uint32_t again = add_host(&f, "again", 0, 1000, 8, 9);
    run_stage(&f, pf_aiu_resolve_overlaps);
    cr_expect_eq(f.run.events.tid[inner], 1000);
    cr_expect_eq(f.run.events.tid[over], 1001);
    cr_expect_eq(f.run.events.tid[again], 1002);
    cr_expect_eq(f.run.overlaps, 3, "the last one conflicts twice");
    facts_close(&f);
}

/* What lasts 1.2 ns too long moves the next one by that and 1.5 ns, to a whole nanosecond; a microsecond is too much.
 */
Test(aiu_stages, slices_that_overlap_by_a_rounding_are_shifted)
{
    static const char *const option[] = {"overlap", "shift", NULL};
    aiu_facts_run f;
    facts_open(&f, option);
    add_host(&f, "first", 0, 1000, 0, 10);
    uint32_t next = add_host(&f, "next", 0, 1000, 9.9988, 5);
    add_host(&f, "second", 0, 2000, 0, 10);
    uint32_t far = add_host(&f, "far", 0, 2000, 9, 5);
    run_stage(&f, pf_aiu_resolve_overlaps);
    expect_time(&f, next, 9.9988 + 0.003, 5 - 0.003);
    expect_time(&f, far, 9, 5);
    cr_expect_eq(f.run.overlaps, 2);
    cr_expect(logged(&f, "Detected overlap of far exceeds the threshold/limit 0.005 us. Overlap of 1.0 us"));
    const aiu_extra *length = &f.run.extras.list[f.run.events.extra[next]];
    cr_expect(pf_str_is(pf_aiu_text_of(&f.run, length->key), "orig_dur"));
    cr_expect_eq(length->as.d, 5);
    cr_expect_eq(f.run.extras.list[length->next].as.d, 9.9988);
    facts_close(&f);
}

static void overlap_with_one_stream(bool reference)
{
    static const char *const ours[] = {"max_tid_streams", "1", NULL};
    static const char *const theirs[] = {"max_tid_streams", "1", "compat", "acelyzer", NULL};
    aiu_facts_run f;
    facts_open(&f, reference ? theirs : ours);
    add_host(&f, "a", 0, 1000, 0, 10);
    add_host(&f, "b", 0, 1000, 5, 10);
    uint32_t third = add_host(&f, "c", 0, 1000, 8, 9);
    run_stage(&f, pf_aiu_resolve_overlaps);
    cr_expect_eq(f.run.events.tid[third], 1002, "the number after the last stream");
    cr_expect(logged(&f, "insufficient dynamic range"));
    facts_close(&f);
}

Test(aiu_stages, streams_that_are_used_up_go_on_with_the_next_number)
{
    overlap_with_one_stream(false);
    overlap_with_one_stream(true);
}

/* Five kernels, three times, 100 us apart: two iterations are followed by another. */
Test(aiu_stages, repeating_kernels_are_iterations)
{
    static const char *const names[] = {"a Cmpt Exec", "b Cmpt Exec", "c Cmpt Exec", "d Cmpt Exec", "e Cmpt Exec"};
    aiu_facts_run f;
    facts_open(&f, NULL);
    for (int i = 0; i < 15; i++) {
        add_device(&f, names[i % 5], 3, 100 * (i / 5) + 10 * (i % 5), 5, TS(1, 2, 3, 4, 5));
    }
    run_stage(&f, pf_aiu_collect_iterations);
    const aiu_iterations *it = &f.run.iterations[0];
    cr_expect_eq(it->kernels, 5);
    cr_expect_eq(it->count, 2);
    cr_expect_eq(it->mean, 100);
    cr_assert_eq(it->rows, 3);
    cr_expect_eq(it->row[1].start, 100);
    cr_expect_eq(it->row[1].length, 100);
    cr_expect_eq(it->row[1].busy, 25);
    cr_expect_not(it->row[2].counted);
    cr_expect_eq(it->row[2].length, 45, "until its last kernel ends");
    cr_expect(logged(&f, "ITSTATS: [3] avg_iteration_time=100.0, iterations=2"));
    facts_close(&f);
}

static void compute_power(aiu_facts_run *f, const int64_t *ends, const uint32_t *charges, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        int64_t t = ends[i];
        uint32_t e = add_device(f, "k Cmpt Exec", 0, (double)t - 10, 10, TS(t - 20, t - 20, t - 10, t, t + 1));
        f->run.events.power[e] = charges[i];
        f->run.events.flags[e] |= AIU_HAS_POWER;
    }
    run_stage(f, pf_aiu_to_wallclock);
    run_stage(f, pf_aiu_tighten);
    run_stage(f, pf_aiu_compute_power);
}

static void add_charges(aiu_facts_run *f)
{
    static const int64_t ends[] = {100, 228, 328, 428};
    static const uint32_t charges[] = {1000, 9192, 9192, 3000009192};
    compute_power(f, ends, charges, 4);
}

/* 12 V * 8192 / 512 / 128 us = 1.5 W, which is 192 W us. */
Test(aiu_stages, power_is_charge_over_time)
{
    aiu_facts_run f;
    facts_open(&f, NULL);
    add_charges(&f);
    expect_samples(&f, AIU_SERIES_POWER4, "100=1.5 228=0 328=0");
    cr_expect_eq(f.run.energy[1], 192);
    cr_expect_eq(f.run.rank_energy[0].sum, 192);
    cr_expect_eq(f.run.rank_energy[0].time, 228, "what is more than 100 W is not known");
    cr_expect_eq(f.run.rank_energy[0].withheld, 1);
    cr_expect(isnan(f.run.energy[3]));
    cr_expect(logged(&f, "PEC encountered 1 bad power events"), "more than 100 W");
    cr_expect_not(logged(&f, "a lap of a counter"));
    facts_close(&f);
}

/* 12 V * 409600 / 512 / 96 us = 100 W; one unit of charge more is too much. */
Test(aiu_stages, power_is_at_most_100_watts)
{
    static const int64_t ends[] = {100, 196, 292};
    static const uint32_t charges[] = {1000, 410600, 820201};
    aiu_facts_run f;
    facts_open(&f, NULL);
    compute_power(&f, ends, charges, 3);
    expect_samples(&f, AIU_SERIES_POWER4, "100=100 196=0");
    cr_expect(logged(&f, "PEC encountered 1 bad power events"));
    facts_close(&f);
}

/* 18 W are 768 units of charge in 1 us. Where a lap more (2^32) would be 100 W or less, nothing is told: 768e6 in 1 s
 * would be 118.7 W, 1152e6 in 1.5 s would be 85.1 W. Of the sample of another job the energy is that before the job. */
Test(aiu_stages, power_is_told_where_no_lap_can_hide)
{
    static const int64_t ends[] = {100, 1000100, 2500100, 4500100, 4500200};
    static const uint32_t charges[] = {1000, 768001000, 1920001000, 3456001000, 3456077800};
    for (int reference = 0; reference < 2; reference++) {
        static const char *const options[][3] = {{NULL}, {"compat", "acelyzer", NULL}};
        aiu_facts_run f;
        facts_open(&f, options[reference]);
        for (size_t i = 0; i < 5; i++) {
            int64_t t = ends[i];
            uint32_t e = add_device(&f, "k Cmpt Exec", 0, (double)t - 10, 10, TS(t - 20, t - 20, t - 10, t, t + 1));
            f.run.events.power[e] = charges[i];
            f.run.events.flags[e] |= AIU_HAS_POWER;
            f.run.events.job[e] = i > 2;
        }
        run_stage(&f, pf_aiu_to_wallclock);
        run_stage(&f, pf_aiu_tighten);
        run_stage(&f, pf_aiu_compute_power);
        const aiu_energy *rank = &f.run.rank_energy[0];
        expect_samples(&f, AIU_SERIES_POWER4,
                       reference ? "100=18 1000100=18 2500100=18 4500100=18" : "100=18 1000100=0 2500100=0 4500100=18");
        cr_expect_eq(rank->time, reference ? 4500100 : 1000100);
        cr_expect_eq(rank->sum, 18 * rank->time);
        cr_expect_eq(rank->withheld, reference ? 0 : 2);
        cr_expect_eq(f.run.energy[1], 18e6);
        cr_expect(reference || isnan(f.run.energy[2]));
        cr_expect(reference || isinf(f.run.energy[3]));
        cr_expect_eq(f.run.energy[4], 1800);
        cr_expect_eq(reference, !logged(&f, "PEC: 2 intervals between samples of charge are so long (at most 2.0 s)"));
        facts_close(&f);
    }
}

/* Equal charges are a lap of the counter there, and so a fault. */
Test(aiu_stages, power_of_the_reference)
{
    static const char *const reference[] = {"compat", "acelyzer", NULL};
    aiu_facts_run f;
    facts_open(&f, reference);
    add_charges(&f);
    expect_samples(&f, AIU_SERIES_POWER4, "100=1.5 228=0 328=0");
    cr_expect(logged(&f, "PEC encountered 2 bad power events"));
    facts_close(&f);
}

/* 400 cycles at 2 MHz are 200 us; the kernel took 400, a second one of the same name 1000. */
Test(aiu_stages, use_of_the_cores_is_ideal_time_over_time)
{
    static const char *const with_log[] = {"compiler_log", "c.log", NULL};
    static const char text[] = "====== Perf Summary ======\n~~~~ Ideal/Total Cycles ~~~~\n"
                               "k-opCatConv_fp16      400\nk_2-NA  0\nweights-LxPreload-opCatX 9\nTotal  400\n"
                               "====== Perf Summary End ======\n";
    aiu_facts_run f;
    facts_open(&f, with_log);
    f.log = (pf_pass_file){.path = "c.log", .bytes = {text, sizeof text - 1}};
    f.roles[1] = (pf_pass_files){&f.log, 1};
    uint32_t first = add_device(&f, "k Cmpt Exec", 0, 100, 400, TS(1, 2, 3, 4, 5));
    add_device(&f, "k Cmpt Exec", 0, 600, 1000, TS(1, 2, 3, 4, 5));
    run_stage(&f, pf_aiu_read_tables);
    cr_assert_eq(f.run.tables->count, 1);
    cr_expect_eq(f.run.tables->table[0].count, 3, "two kernels and Total");
    run_stage(&f, pf_aiu_use_cores);
    expect_samples(&f, AIU_SERIES_PT_ACTIVE, "100=50 500=0 600=20 1600=0");
    cr_expect(f.run.events.flags[first] & AIU_CORE_USED);
    cr_assert_eq(f.run.tables->use_count, 1);
    const aiu_use *use = &f.run.tables->use[0];
    cr_expect_eq(use->share[0].calls, 2, "Total");
    cr_expect_eq(use->share[0].time, 1400);
    cr_expect_eq(use->share[0].ideal, 400);
    facts_close(&f);
}

Test(aiu_stages, classes_of_slices)
{
    static const struct {
        const char *name;
        bool device, collective;
        aiu_class is;
    } cases[] = {{"a Cmpt Prep", true, false, AIU_CLASS_COMPUTE_PREP},
                 {"k1 Cmpt Exec", true, false, AIU_CLASS_COMPUTE_EXEC},
                 {"mid DmaO", true, false, AIU_CLASS_PROTOCOL_SEND_DATA},
                 {"k2 Cmpt Exec", true, false, AIU_CLASS_COMPUTE_EXEC},
                 {"Input_0-HtoD 1 DmaI", true, false, AIU_CLASS_DATA_IN},
                 {"Output_0-DtoH 1 DmaO", true, false, AIU_CLASS_DATA_OUT},
                 {"Compute of layout_convert_1", false, false, AIU_CLASS_DATA_CONVERT},
                 {"Compute of SenFusedDeviceNode_1", false, false, AIU_CLASS_OTHER},
                 {"PrepareAndSyncRdma", false, false, AIU_CLASS_WIREUP},
                 {"Barrier: 3", false, false, AIU_CLASS_BARRIER},
                 {"Flex RoundTrip", false, false, AIU_CLASS_ROUNDTRIP_FLEX},
                 {"AIU Roundtrip", false, false, AIU_CLASS_ROUNDTRIP_AIU},
                 {"SenRdmaSend_1 Data [sync=a] DmaO", true, true, AIU_CLASS_P2P_SEND_DATA},
                 {"SenRdmaRecv_1 [sync=a] DmaI", true, true, AIU_CLASS_P2P_RECV_DATA},
                 {"x DLM Wait DmaI", true, true, AIU_CLASS_HDMA_WAIT_DATA}};
    enum { CASES = sizeof cases / sizeof *cases };
    aiu_facts_run f;
    facts_open(&f, NULL);
    for (int i = 0; i < CASES; i++) {
        uint32_t e = cases[i].device ? add_device(&f, cases[i].name, 0, 10 * i, 5, TS(1, 2, 3, 4, 5))
                                     : add_host(&f, cases[i].name, 0, 1, 10 * i, 5);
        f.run.events.group[e] = cases[i].collective ? text_of(&f, "AllReduce_1") : 0;
    }
    run_stage(&f, pf_aiu_classify);
    run_stage(&f, pf_aiu_classify_between);
    for (uint32_t i = 0; i < CASES; i++) {
        cr_expect_str_eq(pf_aiu_class_name((aiu_class)f.run.events.class[i]), pf_aiu_class_name(cases[i].is), "%s",
                         cases[i].name);
    }
    facts_close(&f);
}

static uint32_t add_transfer(aiu_facts_run *f, const char *name, const char *type, int64_t pid, const char *peer,
                             double ts, double dur)
{
    aiu_events *v = &f->run.events;
    uint32_t e = add_part(f, name, "AllReduce_1", pid, ts, dur, TS(1, 2, 3, 4, 5));
    v->type[e] = text_of(f, type);
    v->peer[e] = text_of(f, peer);
    v->bytes[e] = 15000;
    v->flags[e] |= AIU_HAS_BYTES;
    return e;
}

/* Kernels until 10 and 12; 0 sends from 10 to 20, 1 receives until 25, sends from 26 to 30, 0 receives until 40. */
static void exchange(aiu_facts_run *f)
{
    uint32_t first = add_device(f, "k Cmpt Exec", 0, 0, 10, TS(1, 2, 3, 4, 5));
    uint32_t second = add_device(f, "k Cmpt Exec", 1, 0, 12, TS(1, 2, 3, 4, 5));
    f->run.events.row[first] = f->run.events.row[second] = 0; /* recorded, not made */
    add_transfer(f, "SenRdmaSend_1 [sync=AR_s0_r1_1] DmaO", "SingleCast", 0, "1", 10, 10);
    add_transfer(f, "SenRdmaRecv_1 [sync=AR_s0_r1_1] DmaI", "WDone Barrier", 1, "0", 15, 10);
    add_transfer(f, "SenRdmaSend_2 [sync=AR_s1_r0_2] DmaO", "SingleCast", 1, "0", 26, 4);
    add_transfer(f, "SenRdmaRecv_2 [sync=AR_s1_r0_2] DmaI", "WDone Barrier", 0, "1", 30, 10);
    add_device(f, "next Cmpt Exec", 0, 45, 5, TS(1, 2, 3, 4, 5));
}

Test(aiu_stages, flows_go_from_sends_to_receives)
{
    static const char *const flow[] = {"flow", NULL, NULL};
    aiu_facts_run f;
    facts_open(&f, flow);
    exchange(&f);
    run_stage(&f, pf_aiu_flow_names);
    run_stage(&f, pf_aiu_flows);
    const aiu_arrows *a = &f.run.arrows;
    static const double ts[] = {10, 25 - 0.001, 26, 40 - 0.001};
    static const int64_t pids[] = {0, 1, 1, 0};
    cr_assert_eq(a->count, 4);
    for (uint32_t i = 0; i < 4; i++) {
        cr_expect_eq(a->phase[i], i % 2 ? 'f' : 's');
        cr_expect_eq(a->ts[i], ts[i]);
        cr_expect_eq(a->pid[i], pids[i]);
        cr_expect_eq(a->id[i], 1000001 + i / 2);
    }
    cr_expect(pf_str_is(pf_aiu_text_of(&f.run, a->name[0]), "AR_s0_r1_1"));
    cr_expect(pf_str_is(pf_aiu_text_of(&f.run, a->cat[0]), "AllReduce_1"));
    facts_close(&f);
}

/* Both ranks come when their kernel ends and leave with their last receive. 2 * 15,000 bytes in 30 us are 1 GB/s. */
Test(aiu_stages, collectives_and_their_bandwidth)
{
    static const char *const build[] = {"flow", NULL, "build_coll_event", NULL, NULL};
    aiu_facts_run f;
    facts_open(&f, build);
    exchange(&f);
    run_stage(&f, pf_aiu_flow_names);
    run_stage(&f, pf_aiu_flows);
    uint32_t found = 0;
    for (uint32_t e = 0; e < f.run.events.count; e++) {
        if (f.run.events.flags[e] & AIU_REAL_COLL) {
            bool first = f.run.events.pid[e] == 0;
            expect_time(&f, e, first ? 10 : 12, first ? 30 : 13);
            cr_expect_eq(f.run.events.bytes[e], 30000);
            found++;
        }
    }
    cr_expect_eq(found, 2);
    run_stage(&f, pf_aiu_collective_bandwidth);
    expect_samples(&f, AIU_SERIES_COLL_BW, "10=1 40=0");
    facts_close(&f);
}

/* Without slices: from the end of the slice before the first transfer, 12, to that before the next kernel, 40. */
Test(aiu_stages, bandwidth_without_slices_of_collectives)
{
    aiu_facts_run f;
    facts_open(&f, NULL);
    exchange(&f);
    run_stage(&f, pf_aiu_group_bandwidth);
    expect_samples(&f, AIU_SERIES_BW_ALLREDUCE, "12=0.536 40=0");
    expect_samples(&f, AIU_SERIES_BW_PCIE, "12=1.072 40=0");
    facts_close(&f);
}

Test(aiu_stages, kernels_in_numbers)
{
    aiu_facts_run f;
    facts_open(&f, NULL);
    add_device(&f, "conv_1 Cmpt Exec", 0, 0, 10, TS(0, 1, 3, 7, 15));
    add_device(&f, "conv-22 Cmpt Exec", 0, 20, 20, TS(0, 3, 3, 7, 15));
    add_device(&f, "conv_3 Cmpt Exec", 0, 50, 60, TS(0, 8, 8, 8, 8));
    add_device(&f, "add Cmpt Exec", 1, 0, 4, TS(0, 0, 0, 4, 4));
    run_stage(&f, pf_aiu_calculate_stats);
    const aiu_kernel_stats *s = f.run.kernels;
    cr_assert_eq(s->row_count, 2);
    const aiu_kernel_row *conv = &s->row[0];
    cr_expect(pf_str_is(pf_aiu_text_of(&f.run, conv->name), "conv_[N] Cmpt Exec"));
    cr_expect_eq(conv->time.sum, 90);
    cr_expect_eq(conv->time.median, 20);
    cr_expect_eq(conv->time.least, 10);
    cr_expect_eq(conv->time.most, 60);
    cr_expect_float_eq(conv->time.deviation, 26.457513110645905, 1e-12);
    cr_expect_eq(conv->step[0].median, 3, "TS2 - TS1 is 1, 3, 8");
    cr_expect_eq(conv->step[3].mean, 16.0 / 3);
    cr_assert_eq(s->rank_count, 2);
    cr_expect_eq(s->rank[0].last - s->rank[0].first, 110);
    facts_close(&f);
}

/* The exact sum is 2, of which the plain one keeps nothing. */
Test(aiu_stages, numbers_have_exact_sums)
{
    double v[] = {1, 1e100, 1, -1e100};
    aiu_numbers n = pf_aiu_numbers(v, 4);
    cr_expect_eq(n.sum, 2);
    cr_expect_eq(n.mean, 0.5);
    cr_expect_eq(n.median, 1);
    cr_expect_eq(n.least, -1e100);
    cr_expect_eq(n.most, 1e100);
}

/* What is over by the start of a slice is forgotten: a thread of any length holds what is open at a time. */
Test(aiu_stages, a_thread_holds_open_slices_only)
{
    aiu_facts_run f;
    facts_open(&f, NULL);
    aiu_lanes l;
    cr_assert_eq(pf_aiu_lanes_init(&l, &f.run), PF_OK);
    aiu_lane *lane = pf_aiu_lane(&l, 1, 2);
    for (int i = 0; i < 1000; i++) {
        pf_aiu_lane_close(lane, i);
        cr_assert_leq(lane->count, 2u, "slice %d", i);
        cr_assert_eq(pf_aiu_lane_open(&l, lane, i + 1.5), PF_OK);
    }
    cr_expect(pf_aiu_lane_conflicts(lane, 999, 1000.6));
    cr_expect_not(pf_aiu_lane_conflicts(lane, 1000.5, 2000));
    facts_close(&f);
}

/* ---- --flex_ts_fix ----------------------------------------------------------------------------------------------- */

/* A round trip of the host from 100 to 200, and a device event. */
static uint32_t add_trip(aiu_facts_run *f, uint32_t job, double ts, double dur)
{
    aiu_events *v = &f->run.events;
    uint32_t host = add_host(f, "AIU Roundtrip", 0, 1, 100, 100), other = add_host(f, "Prepare", 0, 1, 0, 1000);
    uint32_t device = add_device(f, "k Cmpt Exec", 0, ts, dur, TS(1, 1, 1, 2, 2));
    v->job[host] = v->job[other] = v->job[device] = job;
    return device;
}

/* What is outside of the round trip begins with it then, if it is not longer; a file of its own for each run. */
Test(aiu_stages, device_events_move_to_their_round_trip)
{
    static const struct {
        double ts, dur, moved_to;
        const char *said;
    } cases[] = {
        {100, 100, 100, ""},
        {120, 30, 120, ""},
        {99, 100, 100,
         "FREQ: job: ('job-1.json', 1.0) has AIU events outside of corresponding CPU range. Attempting to fix "
         "might cause unreliable data."},
        {300, 100, 100,
         "FREQ: job: ('job-1.json', -200.0) has AIU events outside of corresponding CPU range. Attempting to "
         "fix might cause unreliable data."},
        {150, 101, 150, "FREQ: job: job-1.json has AIU events that are wider than cpu range"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        aiu_facts_run f;
        facts_open(&f, NULL);
        uint32_t device = add_trip(&f, 0, cases[i].ts, cases[i].dur);
        run_stage(&f, pf_aiu_align_jobs);
        expect_time(&f, device, cases[i].moved_to, cases[i].dur);
        expect_time(&f, 0, 100, 100);
        cr_expect_eq(f.run.log.count, *cases[i].said != 0, "case %zu", i);
        cr_expect(!*cases[i].said || pf_str_is(f.run.log.line[0].text, cases[i].said), "case %zu", i);
        bool moved = cases[i].moved_to < cases[i].ts || cases[i].moved_to > cases[i].ts;
        uint32_t extra = f.run.events.extra[device];
        cr_expect_eq(extra != PF_NONE, moved, "case %zu", i);
        if (moved) {
            cr_expect(pf_str_is(pf_aiu_text_of(&f.run, f.run.extras.list[extra].key), "ts_adj"));
            cr_expect_float_eq(f.run.extras.list[extra].as.d, cases[i].moved_to - cases[i].ts, 1e-9);
        }
        facts_close(&f);
    }
}

/* Each job by its own time; the first one only is said. A job without a round trip stays. */
Test(aiu_stages, jobs_move_each_by_their_own_time)
{
    aiu_job jobs[3] = {{.name = PF_STR("1.json")}, {.name = PF_STR("2.json")}, {.name = PF_STR("3.json")}};
    aiu_facts_run f;
    facts_open(&f, NULL);
    f.run.jobs = jobs;
    f.run.job_count = 3;
    uint32_t one = add_trip(&f, 0, 300, 20), late = add_trip(&f, 0, 310, 30);
    uint32_t sticks_out = add_trip(&f, 1, 195, 12), first = add_trip(&f, 1, 110, 10), last = add_trip(&f, 1, 130, 10);
    uint32_t alone = add_device(&f, "k Cmpt Exec", 0, 5000, 20, TS(1, 1, 1, 2, 2));
    f.run.events.job[alone] = 2;
    run_stage(&f, pf_aiu_align_jobs);
    expect_time(&f, one, 100, 20);
    expect_time(&f, late, 110, 30);
    expect_time(&f, sticks_out, 185, 12);
    expect_time(&f, first, 100, 10);
    expect_time(&f, last, 120, 10);
    expect_time(&f, alone, 5000, 20);
    cr_expect_eq(f.run.log.count, 1);
    cr_expect(logged(&f, "('1.json', -200.0)"));
    facts_close(&f);
}
