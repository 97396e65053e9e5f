/* What analyze aiu does otherwise than the program whose results --compat acelyzer repeats: the same facts both ways.
 * The rows are those of docs/reference/aiu.md, "Differences". */
#include <string.h>

#include "aiu_support.h"
#include "analyze/aiu/cores/aiu_tables.h"
#include "analyze/aiu/steps/aiu_steps.h"

#define LAP ((int64_t)1 << 32)
#define TS(...) ((const int64_t[5]){__VA_ARGS__})

/* Options of a run of ours or of the other program. */
static void open_as(aiu_facts_run *f, bool reference, const char *option, const char *value)
{
    const char *const options[] = {"compat", reference ? "acelyzer" : "none", option, value, NULL};
    facts_open(f, options);
}

static uint32_t count_logged(const aiu_facts_run *f, const char *text)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < f->run.log.count; i++) {
        n += pf_aiu_contains(f->run.log.line[i].text, text);
    }
    return n;
}

static uint32_t add_metadata(aiu_facts_run *f, double ts)
{
    uint32_t e = pf_aiu_add_event(&f->run, 'M');
    f->run.events.name[e] = text_of(f, "process_name");
    f->run.events.ts[e] = ts;
    return e;
}

Test(aiu_differences, metadata_without_a_time_stays)
{
    for (int reference = 0; reference < 2; reference++) {
        aiu_facts_run f;
        open_as(&f, reference, NULL, NULL);
        add_host(&f, "h", 0, 1, 5, 1);
        f.run.events.flags[add_metadata(&f, 0)] |= AIU_NO_TIME;
        run_stage(&f, pf_aiu_check_events);
        cr_expect_eq(f.run.alive, reference ? 1 : 2);
        facts_close(&f);
    }
}

Test(aiu_differences, types_that_are_not_counted_leave_the_limit_alone)
{
    for (int reference = 0; reference < 2; reference++) {
        aiu_facts_run f;
        open_as(&f, reference, "event_limit", "{\"count\":1,\"no_count_types\":\"M\"}");
        add_metadata(&f, 1);
        add_host(&f, "h", 0, 1, 5, 1);
        run_stage(&f, pf_aiu_normalise);
        cr_expect_eq(f.run.alive, reference ? 1 : 2, "metadata counts there");
        facts_close(&f);
    }
}

/* The host noted the event 5 us after its counter says, by which the next lap has begun. */
Test(aiu_differences, laps_are_those_that_fit_best)
{
    for (int reference = 0; reference < 2; reference++) {
        aiu_facts_run f;
        open_as(&f, reference, NULL, NULL);
        add_device(&f, "k Cmpt Exec", 0, 1000, 10, TS(990, 990, 1000, 1010, 1011));
        uint32_t late =
            add_device(&f, "k Cmpt Exec", 0, (double)LAP + 2, 1, TS(LAP - 9, LAP - 8, LAP - 3, LAP - 2, LAP - 1));
        run_stage(&f, pf_aiu_normalise);
        run_stage(&f, pf_aiu_grow_counters);
        cr_expect_eq(f.run.events.ovc[late], reference);
        facts_close(&f);
    }
}

Test(aiu_differences, overlapping_kernels_are_said_once)
{
    for (int reference = 0; reference < 2; reference++) {
        aiu_facts_run f;
        open_as(&f, reference, NULL, NULL);
        add_device(&f, "k Cmpt Exec", 0, 0, 10, TS(0, 0, 0, 10, 10));
        add_device(&f, "k Cmpt Exec", 0, 5, 10, TS(5, 5, 7, 15, 15));
        run_stage(&f, pf_aiu_check_sequence);
        run_stage(&f, pf_aiu_check_sequence);
        cr_expect_eq(count_logged(&f, "TS_SEQUENCE"), reference ? 2 : 1);
        cr_expect(logged(&f, "max overlap cycles:  3"));
        facts_close(&f);
    }
}

static uint32_t add_charge(aiu_facts_run *f, int64_t pid, int64_t t, double late, uint32_t charge)
{
    uint32_t e = add_device(f, "k Cmpt Exec", pid, (double)t - 10 + late, 10, TS(t - 10, t - 10, t - 10, t, t + 1));
    f->run.events.power[e] = charge;
    f->run.events.flags[e] |= AIU_HAS_POWER;
    return e;
}

/* 8,192 charges in 128 cycles are 1.5 W; the host noted the second event 64 us late, which makes 1 W of it. */
Test(aiu_differences, power_takes_its_time_from_cycles)
{
    for (int reference = 0; reference < 2; reference++) {
        aiu_facts_run f;
        open_as(&f, reference, NULL, NULL);
        add_charge(&f, 0, 100, 0, 1000);
        add_charge(&f, 0, 228, 64, 9192);
        run_stage(&f, pf_aiu_to_wallclock);
        run_stage(&f, pf_aiu_tighten);
        run_stage(&f, pf_aiu_compute_power);
        expect_samples(&f, AIU_SERIES_POWER4, reference ? "100=1" : "100=1.5");
        facts_close(&f);
    }
}

/* Rank 0 needs 1.5 W, rank 1 half of it: between its samples at 110 and 366 kernels run for 20 us. */
Test(aiu_differences, power_statistics_are_by_rank)
{
    for (int reference = 0; reference < 2; reference++) {
        aiu_facts_run f;
        open_as(&f, reference, "power-stats", NULL);
        for (int i = 0; i < 4; i++) {
            add_charge(&f, 0, 100 + 128 * i, 0, 1000 + 8192 * (uint32_t)i);
            add_charge(&f, 1, 110 + 128 * i, 0, 1000 + 4096 * (uint32_t)i);
        }
        run_stage(&f, pf_aiu_to_wallclock);
        run_stage(&f, pf_aiu_tighten);
        run_stage(&f, pf_aiu_compute_power);
        run_stage(&f, pf_aiu_power_stats);
        cr_expect_eq(count_logged(&f, "Power with kernels"), reference ? 1 : 2);
        cr_expect_eq(reference,
                     !logged(&f, "[1] Power with kernels: min_non_zero=0.75W, max=0.75W, mean_non_zero=0.75W, "
                                 "median_non_zero=0.75W, avg_total=0.75W (time-weighted, dur_total=20.00us, "
                                 "dur_non_zero=20.00us)"));
        cr_expect_eq(reference, logged(&f, "ms, dur_non_zero="), "they are microseconds");
        facts_close(&f);
    }
}

/* With autopilot the log knows the job as a whole. */
Test(aiu_differences, the_total_counts_once)
{
    static const char text[] = "DSM-AutoPilot BEGIN\n~~~~ Ideal/Total Cycles ~~~~\nk-opCatConv 400\nTotal 400\n"
                               "====== Perf Summary End ======\n";
    for (int reference = 0; reference < 2; reference++) {
        aiu_facts_run f;
        open_as(&f, reference, "compiler_log", "c.log");
        f.log = (pf_pass_file){.path = "c.log", .bytes = {text, sizeof text - 1}};
        f.roles[1] = (pf_pass_files){&f.log, 1};
        add_device(&f, "k Cmpt Exec", 0, 100, 400, TS(1, 2, 3, 4, 5));
        run_stage(&f, pf_aiu_read_tables);
        run_stage(&f, pf_aiu_use_cores);
        cr_assert_eq(f.run.tables->use_count, 1);
        cr_expect_eq(f.run.tables->use[0].share[0].calls, reference ? 2 : 1);
        cr_expect_eq(f.run.tables->use[0].share[0].time, reference ? 800 : 400);
        facts_close(&f);
    }
}

Test(aiu_differences, kernels_of_torch_are_kernels)
{
    for (int reference = 0; reference < 2; reference++) {
        aiu_facts_run f;
        open_as(&f, reference, NULL, NULL);
        uint32_t e = add_host(&f, "sdpa", 0, 1, 0, 7);
        f.run.events.cat[e] = text_of(&f, "kernel");
        f.run.events.flags[e] |= AIU_TORCH;
        uint32_t flex = add_host(&f, "sdpa", 0, 1, 9, 7);
        f.run.events.cat[flex] = text_of(&f, "kernel");
        run_stage(&f, pf_aiu_calculate_stats);
        cr_expect_eq(f.run.kernels->row_count, reference ? 0 : 1);
        cr_expect(reference || f.run.kernels->row[0].time.sum == 7);
        facts_close(&f);
    }
}

Test(aiu_differences, ranks_without_hosts_get_none)
{
    for (int reference = 0; reference < 2; reference++) {
        aiu_facts_run f;
        open_as(&f, reference, NULL, NULL);
        add_device(&f, "k Cmpt Exec", 0, 0, 10, TS(1, 2, 3, 4, 5));
        run_stage(&f, pf_aiu_refine_lightly);
        uint32_t made = text_of(&f, "cpu_default"), found = 0;
        for (uint32_t e = 0; e < f.run.events.count; e++) {
            for (uint32_t x = f.run.events.extra[e]; x != PF_NONE; x = f.run.extras.list[x].next) {
                found += f.run.extras.list[x].type == AIU_EXTRA_TEXT && f.run.extras.list[x].as.text == made;
            }
        }
        cr_expect_eq(found, reference ? 2 : 0, "its name and its label");
        facts_close(&f);
    }
}
