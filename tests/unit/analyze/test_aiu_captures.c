/* What is wrong with a capture of several inputs: ranks that are said twice, ranks and collectives that are missing. */
#include <stdio.h>

#include "aiu_support.h"
#include "analyze/aiu/ingest/aiu_ingest.h"

#define TS(...) ((const int64_t[5]){__VA_ARGS__})

/* A run of jobs "a", "b", ... */
static void open_jobs(aiu_facts_run *f, uint32_t count)
{
    static const char *const names[] = {"a", "b", "c", "d", "e", "f"};
    facts_open(f, NULL);
    f->run.jobs = pf_pass_alloc(&f->ctx, count, sizeof *f->run.jobs, &f->err);
    f->run.job_count = count;
    for (uint32_t i = 0; i < count; i++) {
        f->run.jobs[i].name = (pf_str){names[i], 1};
    }
}

/* ---- doubles ----------------------------------------------------------------------------------------------------- */

typedef struct kernel_row {
    uint32_t job;
    int64_t pid;
    double ts, dur;
} kernel_row;

static void expect_doubles(const kernel_row *rows, size_t count, uint32_t jobs, const char *expected)
{
    aiu_facts_run f;
    open_jobs(&f, jobs);
    for (size_t i = 0; i < count; i++) {
        uint32_t e = add_device(&f, "k Cmpt Exec", rows[i].pid, rows[i].ts, rows[i].dur, TS(1, 2, 3, 4, 5));
        f.run.events.job[e] = rows[i].job;
    }
    for (uint32_t i = 0; i < 4; i++) { /* no kernels of a device of a flex capture */
        uint32_t e = add_device(&f, i == 1 ? "k Cmpt Prep" : "k Cmpt Exec", 0, 0, 1000, TS(1, 2, 3, 4, 5));
        f.run.events.job[e] = jobs - 1;
        f.run.events.flags[e] = i == 0 ? 0 : i == 2 ? AIU_HAS_TS | AIU_TORCH : AIU_HAS_TS;
        f.run.events.phase[e] = i == 3 ? 'i' : 'X';
    }
    pf_aiu_check_duplicate_ranks(&f.run);
    cr_assert_eq(f.run.error.code, PF_OK);
    expect_log(&f, expected);
    facts_close(&f);
}
#define DOUBLES(jobs, expected, ...)                                                                                   \
    expect_doubles((const kernel_row[]){__VA_ARGS__}, sizeof((const kernel_row[]){__VA_ARGS__}) / sizeof(kernel_row),  \
                   jobs, expected)
#define BOTH(one, other, what, rank)                                                                                   \
    "WARNING Ingestion: " one " and " other " " what " rank " rank "; both are taken for it, and their kernels count " \
    "together. Is a rank number given twice, or are two captures mixed?\n"
#define AT_ONCE "have kernels at the same time on"

Test(aiu_captures, kernels_of_two_jobs_at_one_time)
{
    DOUBLES(2, "", {0, 0, 0, 10}, {1, 0, 10, 10});
    DOUBLES(2, BOTH("a", "b", AT_ONCE, "0"), {0, 0, 0, 10}, {1, 0, 9, 10});
    DOUBLES(2, BOTH("b", "a", AT_ONCE, "0"), {0, 0, 9, 10}, {1, 0, 0, 10});
    DOUBLES(2, "", {0, 0, 0, 10}, {1, 1, 9, 10});
    DOUBLES(1, "", {0, 0, 0, 10}, {0, 0, 9, 10});
    DOUBLES(2, BOTH("a", "b", AT_ONCE, "0"), {0, 0, 50, 10}, {0, 0, 0, 10},
            {1, 0, 20, 1}); /* from the first to the last */
    DOUBLES(2, BOTH("a", "b", AT_ONCE, "0"), {0, 0, 0, 10}, {0, 0, 50, 10}, {1, 0, 20, 1});
    DOUBLES(2, BOTH("a", "b", AT_ONCE, "0"), {0, 0, 0, 60}, {0, 0, 5, 10}, {1, 0, 20, 1});
    DOUBLES(3, BOTH("a", "b", AT_ONCE, "0"), {0, 0, 0, 10}, {1, 0, 5, 10}, {2, 0, 6, 10}); /* once for a rank */
    DOUBLES(3, BOTH("b", "c", AT_ONCE, "0"), {0, 0, 0, 5}, {1, 0, 5, 10}, {2, 0, 6, 10});
    DOUBLES(2, BOTH("a", "b", AT_ONCE, "7") BOTH("b", "a", AT_ONCE, "-2"), {0, 7, 0, 10}, {1, 7, 5, 10}, {1, -2, 0, 10},
            {0, -2, 5, 10});
}

/* Only torch inputs that count say a rank; each is held against the first one of it. */
Test(aiu_captures, torch_inputs_of_one_rank)
{
#define UNSAID "do not say whose they are: each is"
#define SAID "both say that they are"
    static const struct {
        bool torch, ignored, has_rank;
        int64_t rank;
    } jobs[] = {{true, false, true, 3}, {true, true, true, 3},   {false, false, true, 3},
                {true, false, true, 3}, {true, false, false, 0}, {true, false, false, 3}};
    for (int torch = 0; torch < 2; torch++) {
        aiu_facts_run f;
        open_jobs(&f, 6);
        f.run.any_torch = torch;
        for (uint32_t i = 0; i < 6; i++) {
            f.run.jobs[i].torch = jobs[i].torch;
            f.run.jobs[i].ignored = jobs[i].ignored;
            f.run.jobs[i].has_rank = jobs[i].has_rank;
            f.run.jobs[i].rank = jobs[i].rank;
        }
        pf_aiu_check_duplicate_ranks(&f.run);
        cr_assert_eq(f.run.error.code, PF_OK);
        expect_log(&f, torch ? BOTH("a", "d", SAID, "3") BOTH("a", "f", UNSAID, "3") : "");
        facts_close(&f);
    }
}

/* ---- absences ---------------------------------------------------------------------------------------------------- */

#define EMPTY(job) "WARNING Ingestion: " job " has no events\n"
#define ABSENT(rank)                                                                                                   \
    "WARNING Ingestion: transfers name rank " rank                                                                     \
    " as their peer, and no input is of it; what needs its side, flows "                                               \
    "and whole collectives, is left out\n"
#define ALONE(rank)                                                                                                    \
    "WARNING Ingestion: rank " rank " has no collectives, other ranks have; comparisons of ranks are without it\n"

static uint32_t add_transfer(aiu_facts_run *f, int64_t pid, const char *peer, const char *group)
{
    uint32_t e = add_device(f, "t DmaO", pid, 0, 1, TS(1, 2, 3, 4, 5));
    f->run.events.peer[e] = peer ? text_of(f, peer) : 0;
    f->run.events.group[e] = group ? text_of(f, group) : 0;
    return e;
}

Test(aiu_captures, inputs_and_ranks_that_are_missing)
{
    static const char *const peers[] = {"1", "5", "5", "05", "x", "-4", "0", ""};
    aiu_facts_run f;
    open_jobs(&f, 4);
    f.run.jobs[2].ignored = true;
    for (size_t i = 0; i < sizeof peers / sizeof *peers; i++) {
        add_transfer(&f, 0, peers[i], NULL);
    }
    uint32_t other = add_transfer(&f, 1, NULL, NULL);
    f.run.events.job[other] = 3;
    uint32_t host = add_host(&f, "h", 0, 1, 0, 1);
    f.run.events.peer[host] = text_of(&f, "77");
    pf_aiu_check_missing_ranks(&f.run);
    cr_assert_eq(f.run.error.code, PF_OK);
    expect_log(&f, EMPTY("b") ABSENT("5") ABSENT("-4"));
    facts_close(&f);
}

/* Rank 2 has none at all; what is of hosts alone lacks nothing. */
Test(aiu_captures, collectives_that_are_missing)
{
    aiu_facts_run f;
    open_jobs(&f, 1);
    add_transfer(&f, 2, NULL, NULL);
    add_transfer(&f, 0, NULL, "AllReduce_1");
    add_transfer(&f, 0, NULL, NULL);
    add_transfer(&f, 1, NULL, NULL);
    add_transfer(&f, 1, NULL, "AllReduce_1");
    uint32_t host = add_host(&f, "h", 3, 1, 0, 1);
    f.run.events.group[host] = text_of(&f, "AllReduce_1");
    pf_aiu_check_missing_ranks(&f.run);
    cr_assert_eq(f.run.error.code, PF_OK);
    expect_log(&f, ALONE("2"));
    facts_close(&f);
}

/* Of any number of absent ranks 32 are named. */
Test(aiu_captures, absent_ranks_that_are_named)
{
    aiu_facts_run f;
    open_jobs(&f, 1);
    for (int i = 0; i < 40; i++) {
        char peer[8];
        snprintf(peer, sizeof peer, "%d", 100 + i);
        add_transfer(&f, 0, peer, NULL);
    }
    pf_aiu_check_missing_ranks(&f.run);
    cr_assert_eq(f.run.error.code, PF_OK);
    cr_expect_eq(f.run.log.count, 32);
    cr_expect(logged(&f, "rank 131 ") && !logged(&f, "rank 132 "));
    facts_close(&f);
}

/* ---- metadata of torch inputs ------------------------------------------------------------------------------------ */

/* Ranks are 123000 apart, hosts before their devices; the last digit of a label becomes the rank. */
Test(aiu_captures, processes_of_torch_are_sorted_by_rank)
{
    static const struct {
        const char *name, *json, *key, *text; /* text NULL: a number; key NULL: nothing is added */
        int64_t pid, number;
        uint32_t flags;
        char phase;
    } cases[] = {
        {"process_sort_index", "{}", "sort_index", NULL, 4242, 3 * 123000, AIU_TORCH, 'M'},
        {"process_sort_index", "{}", "sort_index", NULL, 4, 3 * 123000, AIU_TORCH, 'M'},
        {"process_sort_index", "{}", "sort_index", NULL, 3, 3 * 123000 + 15, AIU_TORCH, 'M'},
        {"process_sort_index", "{}", "sort_index", NULL, 0, 3 * 123000 + 15, AIU_TORCH, 'M'},
        {"process_sort_index", "{}", NULL, NULL, 0, 0, 0, 'M'},
        {"process_sort_index", "{}", NULL, NULL, 0, 0, AIU_TORCH, 'X'},
        {"process_sort_index", "{}", NULL, NULL, AIU_ID_NONE, 0, AIU_TORCH, 'M'},
        {"process_name", "{\"args\":{\"labels\":\"AIU 0\"}}", NULL, NULL, 0, 0, AIU_TORCH, 'M'},
        {"process_labels", "{\"args\":{\"labels\":\"AIU 0\"}}", "labels", "AIU 3", 0, 0, AIU_TORCH, 'M'},
        {"process_labels", "{\"args\":{\"labels\":\"9\"}}", "labels", "3", 0, 0, AIU_TORCH, 'M'},
        {"process_labels", "{\"args\":{\"labels\":\"AIU/\"}}", NULL, NULL, 0, 0, AIU_TORCH, 'M'},
        {"process_labels", "{\"args\":{\"labels\":\"AIU:\"}}", NULL, NULL, 0, 0, AIU_TORCH, 'M'},
        {"process_labels", "{\"args\":{\"labels\":\"0 CPU\"}}", NULL, NULL, 0, 0, AIU_TORCH, 'M'},
        {"process_labels", "{\"args\":{\"labels\":\"\"}}", NULL, NULL, 0, 0, AIU_TORCH, 'M'},
        {"process_labels", "{\"args\":{\"labels\":0}}", NULL, NULL, 0, 0, AIU_TORCH, 'M'},
        {"process_labels", "{\"args\":[]}", NULL, NULL, 0, 0, AIU_TORCH, 'M'},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (int torch = 0; torch < 2; torch++) {
            aiu_facts_run f;
            open_jobs(&f, 1);
            f.run.any_torch = torch;
            f.run.jobs[0].rank = 3;
            uint32_t e = add_host(&f, cases[i].name, cases[i].pid, 0, 0, 0);
            f.run.events.phase[e] = (uint8_t)cases[i].phase;
            f.run.events.flags[e] = cases[i].flags;
            pf_trace *t = take_json(&f, e, cases[i].json);
            pf_aiu_place_torch_processes(&f.run);
            cr_assert_eq(f.run.error.code, PF_OK);
            uint32_t extra = f.run.events.extra[e];
            cr_assert_eq(extra != PF_NONE, torch && cases[i].key, "case %zu", i);
            if (torch && cases[i].key) {
                const aiu_extra *x = &f.run.extras.list[extra];
                cr_expect(pf_str_is(pf_aiu_text_of(&f.run, x->key), cases[i].key));
                cr_expect(cases[i].text ? pf_str_is(pf_aiu_text_of(&f.run, x->as.text), cases[i].text)
                                        : x->as.i == cases[i].number,
                          "case %zu", i);
            }
            facts_close(&f);
            pf_trace_free(t);
        }
    }
}
