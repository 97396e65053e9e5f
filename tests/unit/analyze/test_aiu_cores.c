/* The ideal cycles that a compiler prints, which of its tables a job belongs to, and how much of the cores kernels use:
 * cores run at 2 MHz, so that two cycles are a microsecond. */
#include <stdio.h>
#include <string.h>

#include "aiu_support.h"

static void open_with(aiu_facts_run *f, const char *compat, pf_pass_file *files, size_t count)
{
    const char *const options[] = {"compiler_log", "c.log", "compat", compat, NULL};
    facts_open(f, options);
    f->roles[1] = (pf_pass_files){files, count};
    f->run.cores_on = true;
}

static void read_text(aiu_facts_run *f, const char *compat, const char *log)
{
    open_with(f, compat, &f->log, 1);
    f->log = (pf_pass_file){.path = "c.log", .bytes = {log, strlen(log)}};
    run_stage(f, pf_aiu_read_tables);
}

static uint32_t add_kernel(aiu_facts_run *f, const char *kernel, int64_t pid, uint32_t job, double ts, double dur)
{
    char name[80];
    snprintf(name, sizeof name, "%s Cmpt Exec", kernel);
    uint32_t e = add_device(f, name, pid, ts, dur, (const int64_t[5]){1, 2, 3, 4, 5});
    f->run.events.job[e] = job;
    return e;
}

static void expect_text(const aiu_facts_run *f, uint32_t id, const char *expected, const char *what)
{
    pf_str is = pf_aiu_text_of(&f->run, id);
    cr_expect(pf_str_is(is, expected), "%s: \"%.*s\", not \"%s\"", what, (int)is.len, is.ptr, expected);
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

#define MANY_DIGITS "99999999999999999999999999999999999999999999999999"
#define TABLE "~~~~ Ideal/Total Cycles ~~~~\n"
#define END "====== Perf Summary End ======\n"

/* A row is ^[_\-a-zA-Z0-9]+ +[0-9]+ *$, with or without a carriage return. */
Test(aiu_cores, rows_are_a_name_and_a_number)
{
    static const struct {
        const char *line, *name, *category; /* name NULL: no row */
        double cycles;
    } cases[] = {
        {"k-opCatConv_fp16      400", "k Cmpt Exec", "Conv_fp16", 400},
        {"k-opCat 400", "k Cmpt Exec", "", 400},
        {"k_2-NA 9   ", "k_2 Cmpt Exec", "NotAvailable", 9},
        {"-NA 9", " Cmpt Exec", "NotAvailable", 9},
        {"k-NAx 9", "k-NAx Cmpt Exec", "Total", 9},
        {"Total 80\r", "Total", "Total", 80},
        {"Total2 80", "Total2 Cmpt Exec", "Total", 80},
        {"09AZaz_- 1", "09AZaz_- Cmpt Exec", "Total", 1},
        {"k 0", "k Cmpt Exec", "Total", 0},
        {"k 09", "k Cmpt Exec", "Total", 9},
        {"k " MANY_DIGITS MANY_DIGITS MANY_DIGITS MANY_DIGITS, "k Cmpt Exec", "Total", 1e200},
        {"k", NULL, NULL, 0},
        {"k5", NULL, NULL, 0},
        {"k ", NULL, NULL, 0},
        {" k 5", NULL, NULL, 0},
        {" 5", NULL, NULL, 0},
        {"", NULL, NULL, 0},
        {"k 5 x", NULL, NULL, 0},
        {"k 5.0", NULL, NULL, 0},
        {"k -5", NULL, NULL, 0},
        {"k\t5", NULL, NULL, 0},
        {"k 5\t", NULL, NULL, 0},
        {"k/ 5", NULL, NULL, 0},
        {"k: 5", NULL, NULL, 0},
        {"k@ 5", NULL, NULL, 0},
        {"k[ 5", NULL, NULL, 0},
        {"k` 5", NULL, NULL, 0},
        {"k{ 5", NULL, NULL, 0},
        {"k /", NULL, NULL, 0},
        {"k 5:", NULL, NULL, 0},
        {"Precompute 5", NULL, NULL, 0},
        {"w-LxPreload-opCatX 5", NULL, NULL, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char log[512];
        aiu_facts_run f;
        snprintf(log, sizeof log, "before 1\n" TABLE "%s\n" END "after 2\n", cases[i].line);
        read_text(&f, "none", log);
        cr_assert_eq(f.run.tables->count, 1);
        const aiu_table *t = &f.run.tables->table[0];
        cr_assert_eq(t->count, cases[i].name ? 1u : 0u, "\"%s\"", cases[i].line);
        if (cases[i].name) {
            expect_text(&f, t->row[0].name, cases[i].name, cases[i].line);
            expect_text(&f, t->row[0].category, cases[i].category, cases[i].line);
            cr_expect_eq(t->row[0].cycles, cases[i].cycles, "%s: %g", cases[i].line, t->row[0].cycles);
            cr_expect_eq(t->sum, cases[i].cycles / 2, "%s", cases[i].line);
        }
        facts_close(&f);
    }
}

/* A phase holds for the tables after it, the first row of a name counts, and the last line may lack its end. */
Test(aiu_cores, tables_have_the_phase_before_them)
{
    aiu_facts_run f;
    read_text(&f, "none",
              TABLE "a 1\na 2\nb 3\n" END "   PREFILL   \n" TABLE "c 4\n" TABLE "d 5\n   DECODING   \n"
                    "Ideal Clock Scaling: 2\ne 6\n" TABLE "f 7");
    static const struct {
        const char *phase, *first;
        uint32_t count;
        double sum;
    } expected[] = {{"UNKN", "a Cmpt Exec", 2, 2},
                    {"TTFT", "c Cmpt Exec", 1, 2},
                    {"TTFT", "d Cmpt Exec", 2, 5.5},
                    {"ITL", "f Cmpt Exec", 1, 3.5}};
    cr_assert_eq(f.run.tables->count, 4);
    for (int i = 0; i < 4; i++) {
        const aiu_table *t = &f.run.tables->table[i];
        cr_expect_str_eq(t->phase, expected[i].phase, "table %d", i);
        cr_expect_eq(t->count, expected[i].count, "table %d", i);
        cr_expect_eq(t->sum, expected[i].sum, "table %d", i);
        cr_expect_eq(t->log, 0);
        expect_text(&f, t->row[0].name, expected[i].first, "first row");
    }
    cr_expect_eq(f.run.tables->table[0].row[0].cycles, 1);
    cr_expect_not(f.run.tables->table[0].autopilot);
    cr_expect(logged(&f, "the log's 'Ideal Clock Scaling' is obsolete"));
    cr_expect(logged(&f, "UTL: Adding ideal cycles table (TTFT) with fingerprint: 2"));
    cr_expect(logged(&f, "UTL: Adding ideal cycles table (ITL) with fingerprint: 3"));
    cr_expect(logged(&f, "UTL: 4/4 unique tables with ideal cycles have been detected."));
    cr_expect_not(logged(&f, "Multi-AIU"));
    cr_expect_not(logged(&f, "autopilot=on"));
    facts_close(&f);
}

/* 20 tables of 70 rows: row r of table t has 100 t + r cycles. */
Test(aiu_cores, tables_and_rows_without_number)
{
    enum { TABLES = 20, ROWS = 70 };
    static char log[TABLES * (ROWS * 16 + 100)];
    size_t len = 0;
    for (int t = 0; t < TABLES; t++) {
        len += (size_t)snprintf(log + len, sizeof log - len, TABLE);
        for (int r = 0; r < ROWS; r++) {
            len += (size_t)snprintf(log + len, sizeof log - len, "k%d %d\n", r, 100 * t + r);
        }
    }
    aiu_facts_run f;
    read_text(&f, "none", log);
    cr_assert_eq(f.run.tables->count, TABLES);
    for (int t = 0; t < TABLES; t++) {
        cr_assert_eq(f.run.tables->table[t].count, ROWS);
        for (int r = 0; r < ROWS; r++) {
            char name[32];
            snprintf(name, sizeof name, "k%d Cmpt Exec", r);
            const aiu_ideal *ideal = pf_aiu_find_ideal(&f.run.tables->table[t], text_of(&f, name));
            cr_assert(ideal && ideal->cycles == 100 * t + r, "row %d of table %d", r, t);
        }
    }
    cr_expect_null(pf_aiu_find_ideal(&f.run.tables->table[0], text_of(&f, "k70 Cmpt Exec")));
    facts_close(&f);
}

/* A document for each kernel: the sum of its numbers, the last category that is a text. */
Test(aiu_cores, documents_of_kernels_add_up)
{
#define FILE_OF(name, text)                                                                                            \
    {                                                                                                                  \
        .path = (name), .bytes = { text, sizeof text - 1 }                                                             \
    }
    pf_pass_file files[] = {
        FILE_OF("d/one/perf/ideal_cycles.json", "[{\"ideal_cycles\": 100, \"op_category\": \"A\"}, {\"ideal_cycles\": "
                                                "50.5, \"op_category\": \"B\"}, 7, {\"op_category\": 3}, "
                                                "{\"ideal_cycles\": \"9\"}]"),
        FILE_OF("two/perf/ideal_cycles.json", "[{\"ideal_cycles\": 8}]"),
        FILE_OF("/perf/ideal_cycles.json", "{\"ideal_cycles\": 8, \"op_category\": \"A\"}"),
    };
    static const struct {
        const char *name, *category;
        double cycles;
    } expected[] = {
        {"one Cmpt Exec", "B", 150.5}, {"two Cmpt Exec", "NotAvailable", 8}, {" Cmpt Exec", "NotAvailable", 0}};
    for (int reference = 0; reference < 2; reference++) {
        aiu_facts_run f;
        open_with(&f, reference ? "acelyzer" : "none", files, 3);
        run_stage(&f, pf_aiu_read_tables);
        cr_assert_eq(f.run.tables->count, 1);
        const aiu_table *t = &f.run.tables->table[0];
        cr_expect_str_eq(t->phase, "UNKN");
        cr_assert_eq(t->count, 3);
        for (int i = 0; i < 3; i++) {
            expect_text(&f, t->row[i].name, expected[i].name, files[i].path);
            expect_text(&f, t->row[i].category, expected[i].category, files[i].path);
            cr_expect_eq(t->row[i].cycles, expected[i].cycles, "%s: %g", files[i].path, t->row[i].cycles);
        }
        cr_expect(logged(&f, "UTL: Multi-AIU logs provided. Entries: 3"));
        cr_expect_eq(logged(&f, "No utilization will be plotted"), reference != 0);
        cr_expect_not(logged(&f, "unique tables"));
        facts_close(&f);
    }
}

Test(aiu_cores, path_of_a_document_may_lack_the_kernel)
{
    pf_pass_file files[] = {FILE_OF("ideal_cycles.json", "[{\"ideal_cycles\": 8}]")};
    aiu_facts_run f;
    open_with(&f, "none", files, 1);
    run_stage(&f, pf_aiu_read_tables);
    cr_assert_eq(f.run.tables->table[0].count, 1);
    expect_text(&f, f.run.tables->table[0].row[0].name, " Cmpt Exec", "name");
    facts_close(&f);
    files[0] = (pf_pass_file)FILE_OF("k/perf/ideal_cycles.json", "[1,");
    open_with(&f, "none", files, 1);
    pf_aiu_read_tables(&f.run);
    cr_expect_neq(f.run.error.code, PF_OK, "what is no JSON is refused");
    facts_close(&f);
}

/* ---- choosing ---------------------------------------------------------------------------------------------------- */

#define UNCERTAIN "UTL: Detected uncertain Ideal Cycles table match for "

/* Kernels are letters, all of one length in us. A table's score is 0.5 for a run of names, or 0.25; half the share of
 * its rows that the job has, 0 if it has more; half the share of time that its cycles explain, and 0 in all if they are
 * more. */
Test(aiu_cores, jobs_choose_the_table_that_fits_best)
{
    static const struct {
        const char *log, *kernels;
        double dur;
        uint32_t choice;
        bool uncertain;
    } cases[] = {
        {TABLE "a 100\nb 100\n", "ab", 50, 0, false},                         /* 0.5 + 0.5 + 0.5 */
        {TABLE "a 100\nb 101\n", "ab", 50, 0, true},                          /* more cycles than time */
        {TABLE "a 100\nb 100\n", "ba", 500, 0, false},                        /* 0.25 + 0.5 + 0.05: just good */
        {TABLE "a 100\nb 100\n", "ba", 501, 0, true},                         /* less */
        {TABLE "a 100\nb 100\n", "abb", 100. / 3, 0, true},                   /* 0 + 0.5: too many kernels */
        {TABLE "x 0\na 100\nb 100\n", "ab", 50, 0, false},                    /* a run inside the table */
        {TABLE "a 100\nx 0\nb 0\n", "ab", 200, 0, true},                      /* 0.25 + 0.333 + 0.125 */
        {TABLE "x 0\na 0\nb 100\n", "ab", 200, 0, false},                     /* 0.5 + 0.333 + 0.0625 */
        {TABLE, "a", 1, 0, true},                                             /* no rows */
        {TABLE "a 0\n", "a", 0, 0, true},                                     /* no time */
        {TABLE "a 0\n", "a", 1, 0, false},                                    /* 0.5 + 0.5 */
        {TABLE "a 200\n" TABLE "a 200\n", "a", 100, 0, true},                 /* equal: the first, uncertain */
        {TABLE "a 200\n" TABLE "a 100\n", "a", 100, 0, false},                /* 1.5, 1.25 */
        {TABLE "a 200\n" TABLE "a 150\n", "a", 100, 0, true},                 /* 1.5, 1.375 */
        {TABLE "a 150\n" TABLE "a 200\n", "a", 100, 1, true},                 /* 1.375, 1.5 */
        {TABLE "a 100\n" TABLE "a 200\n", "a", 100, 1, false},                /* 1.25, 1.5 */
        {TABLE "a 200\n" TABLE "a 201\n" TABLE "a 150\n", "a", 100, 0, true}, /* 1.5, 0, 1.375 */
        {TABLE "a 200\n" TABLE "a 150\n" TABLE "a 201\n", "a", 100, 0, true}, /* 1.5, 1.375, 0 */
        {TABLE "a 150\n" TABLE "a 200\n" TABLE "a 100\n", "a", 100, 1, true}, /* 1.375, 1.5, 1.25 */
        {TABLE "b 200\n" TABLE "a 200\n", "a", 100, 1, false},                /* 1.25, 1.5 */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        aiu_facts_run f;
        read_text(&f, "none", cases[i].log);
        uint32_t events[8], names[8], jobs[8] = {0}, choice = PF_NONE;
        aiu_kernel_list k = {.event = events, .name = names, .job = jobs, .jobs = 1};
        for (const char *at = cases[i].kernels; *at; at++) {
            events[k.count] = add_kernel(&f, (const char[]){*at, '\0'}, 0, 0, 0, cases[i].dur);
            names[k.count] = f.run.events.name[events[k.count]];
            k.count++;
        }
        pf_aiu_choose_tables(&f.run, &k, &choice);
        cr_assert_eq(f.run.error.code, PF_OK);
        cr_expect_eq(choice, cases[i].choice, "case %zu: %u", i, choice);
        cr_expect_eq(logged(&f, UNCERTAIN "1 jobs: {1}"), cases[i].uncertain, "case %zu", i);
        facts_close(&f);
    }
}

/* The first 30 names of a job, among the first 500 of a table: 0.5 + 0.5 * 1 / 600 + 0.5 * 0.6 with a run, else less.
 */
Test(aiu_cores, jobs_are_known_by_their_first_names)
{
    static const struct {
        int rows, from, kernels, strange;
        double time;
        bool certain;
    } cases[] = {{600, 499, 1, 0, 2000, true},   {600, 500, 1, 0, 2000, false}, {500, 470, 30, 0, 2000, true},
                 {600, 471, 30, 0, 2000, false}, {40, 0, 30, 1, 9600, true},    {40, 0, 29, 1, 9600, false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        static char log[600 * 16];
        size_t len = (size_t)snprintf(log, sizeof log, TABLE);
        for (int r = 0; r < cases[i].rows; r++) { /* 1200 us in all */
            len += (size_t)snprintf(log + len, sizeof log - len, "k%d %d\n", r, r ? 0 : 2400);
        }
        aiu_facts_run f;
        read_text(&f, "none", log);
        uint32_t events[40], names[40], jobs[40] = {0}, choice = PF_NONE;
        aiu_kernel_list k = {.event = events, .name = names, .job = jobs, .jobs = 1};
        int count = cases[i].kernels + cases[i].strange;
        for (int n = 0; n < count; n++) {
            char name[16];
            snprintf(name, sizeof name, "%c%d", n < cases[i].kernels ? 'k' : 's', cases[i].from + n);
            events[n] = add_kernel(&f, name, 0, 0, 0, cases[i].time / count);
            names[n] = f.run.events.name[events[n]];
        }
        k.count = (uint32_t)count;
        pf_aiu_choose_tables(&f.run, &k, &choice);
        cr_assert_eq(f.run.error.code, PF_OK);
        cr_expect_eq(!logged(&f, UNCERTAIN), cases[i].certain, "case %zu", i);
        facts_close(&f);
    }
}

/* Of two jobs the second one is uncertain. The program before postfetto matches the chosen tables, too, and where two
 * logs hold the same one, that makes four. */
Test(aiu_cores, uncertain_jobs_are_counted)
{
    static const struct {
        const char *compat, *second, *expected;
        size_t logs;
    } cases[] = {{"none", "nothing\n", UNCERTAIN "1 jobs: {1}", 2},
                 {"acelyzer", "nothing\n", UNCERTAIN "1 jobs: {1}", 2},
                 {"acelyzer", TABLE "a 200\n" END, UNCERTAIN "4 jobs: {4}", 2},
                 {"acelyzer", "", UNCERTAIN "1 jobs: {1}", 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pf_pass_file files[] = {FILE_OF("a.log", TABLE "a 200\n" END),
                                {.path = "b.log", .bytes = {cases[i].second, strlen(cases[i].second)}}};
        aiu_facts_run f;
        open_with(&f, cases[i].compat, files, cases[i].logs);
        run_stage(&f, pf_aiu_read_tables);
        add_kernel(&f, "a", 0, 0, 0, 100);
        add_kernel(&f, "b", 1, 1, 0, 50);
        run_stage(&f, pf_aiu_use_cores);
        cr_expect(logged(&f, cases[i].expected), "case %zu", i);
        facts_close(&f);
    }
}

/* ---- use --------------------------------------------------------------------------------------------------------- */

static const aiu_share *find_share(aiu_facts_run *f, const aiu_use *u, const char *category)
{
    for (uint32_t i = 0; i < u->count; i++) {
        if (u->share[i].category == text_of(f, category)) {
            return &u->share[i];
        }
    }
    return NULL;
}

static const aiu_extra *extra_of(aiu_facts_run *f, uint32_t event, const char *key)
{
    for (uint32_t x = f->run.events.extra[event]; x != PF_NONE; x = f->run.extras.list[x].next) {
        if (f->run.extras.list[x].key == text_of(f, key)) {
            return &f->run.extras.list[x];
        }
    }
    return NULL;
}

static void expect_share(aiu_facts_run *f, const aiu_use *u, const char *category, uint64_t calls, double time,
                         double ideal)
{
    const aiu_share *s = find_share(f, u, category);
    cr_assert(s, "no share of %s", category);
    cr_expect_eq(s->calls, calls, "%s: %llu calls", category, (unsigned long long)s->calls);
    cr_expect_eq(s->time, time, "%s: %g us", category, s->time);
    cr_expect_eq(s->ideal, ideal, "%s: %g us ideal", category, s->ideal);
}

/* fast: 200 us ideal in 100, which counts as none; slow: 200 in 1000; idle: none in 300; new: not in the table, 600. */
Test(aiu_cores, kernels_are_accounted_for_by_category)
{
    aiu_facts_run f;
    read_text(&f, "none", TABLE "fast-opCatA 400\nslow-opCatB 400\nidle-opCatB 0\nsum 60\nTotal 860\n" END);
    uint32_t e[] = {add_kernel(&f, "fast", 3, 0, 0, 100), add_kernel(&f, "slow", 3, 0, 200, 1000),
                    add_kernel(&f, "idle", 3, 0, 2000, 300), add_kernel(&f, "new", 3, 0, 3000, 600)};
    add_host(&f, "fast Cmpt Execs", 3, 1, 0, 77); /* no kernel */
    f.run.events.cat[e[1]] = text_of(&f, "own");
    run_stage(&f, pf_aiu_use_cores);
    expect_samples(&f, AIU_SERIES_PT_ACTIVE, "0=101 100=0 200=20 1200=0");
    cr_assert_eq(f.run.tables->use_count, 1);
    const aiu_use *u = &f.run.tables->use[0];
    cr_expect_eq(u->count, 5);
    expect_share(&f, u, "Total", 4, 2000, 200);
    expect_share(&f, u, "StcdpHbm", 0, 0, 0);
    expect_share(&f, u, "other", 1, 600, 0);
    expect_share(&f, u, "A", 1, 100, 0);
    expect_share(&f, u, "B", 2, 1300, 200);
    static const char *const categories[] = {"A", "own", "B", "other"};
    for (int i = 0; i < 4; i++) {
        expect_text(&f, f.run.events.cat[e[i]], categories[i], "category");
        cr_expect_eq((f.run.events.flags[e[i]] & AIU_CORE_USED) != 0, i < 2, "kernel %d", i);
    }
    const aiu_extra *category = extra_of(&f, e[1], "user_cat"), *use = extra_of(&f, e[1], "pt_active");
    cr_assert(category && use);
    expect_text(&f, category->as.text, "B", "user_cat");
    cr_expect_eq(use->as.d, 0.2);
    /* 400 us ideal in 1100 of 2000 */
    cr_expect(
        logged(&f, "UTL: pid=3: avg_mm_util=36.364, avg_util=20.0, t_mm=1100.0, t_sf=900.0, ratio_mm/sf=55.0:45.0"));
    cr_expect(logged(&f, "UTL: Found 1 Events without a matching kernel category and accounted for 'other'"));
    cr_expect(logged(&f, "UTL: 1 kernels took less than their ideal cycles; they are drawn as 101 percent"));
    facts_close(&f);
}

/* What takes exactly its ideal time is in full use. A kernel of the category Total gets no category, and counts once;
 * the program before postfetto counts it twice, and its statistics say the line on the use. */
Test(aiu_cores, the_full_use_is_no_excess)
{
    for (int reference = 0; reference < 2; reference++) {
        aiu_facts_run f;
        read_text(&f, reference ? "acelyzer" : "none", TABLE "sum 60\n" END);
        f.run.stats_on = true;
        uint32_t e = add_kernel(&f, "sum", 0, 0, 10, 30);
        run_stage(&f, pf_aiu_use_cores);
        expect_samples(&f, AIU_SERIES_PT_ACTIVE, "10=100 40=0");
        expect_share(&f, &f.run.tables->use[0], "Total", reference ? 2 : 1, reference ? 60 : 30, reference ? 60 : 30);
        cr_expect_eq(f.run.events.cat[e], reference ? text_of(&f, "Total") : 0);
        cr_expect_not(logged(&f, "took less than"));
        cr_expect_not(logged(&f, "without a matching"));
        cr_expect(logged(&f, "avg_mm_util=100.0, avg_util=100.0, t_mm=30.0, t_sf=0.0, ratio_mm/sf=100.0:0.0"));
        facts_close(&f);
    }
}

/* 20 ranks, and 40 categories: rank r runs kernel r, and kernel r + 20, for r + 1 us. */
Test(aiu_cores, ranks_and_categories_without_number)
{
    enum { RANKS = 20, CATEGORIES = 40 };
    static char log[CATEGORIES * 32 + 100];
    size_t len = (size_t)snprintf(log, sizeof log, TABLE);
    for (int c = 0; c < CATEGORIES; c++) {
        len += (size_t)snprintf(log + len, sizeof log - len, "k%d-opCatC%d 2\n", c, c);
    }
    aiu_facts_run f;
    read_text(&f, "none", log);
    for (int i = 0; i < 2 * RANKS; i++) {
        char name[16];
        snprintf(name, sizeof name, "k%d", i);
        add_kernel(&f, name, i % RANKS, 0, 100 * i, i % RANKS + 1);
    }
    run_stage(&f, pf_aiu_use_cores);
    cr_assert_eq(f.run.tables->use_count, RANKS);
    for (int r = 0; r < RANKS; r++) {
        const aiu_use *u = &f.run.tables->use[r];
        char one[16], other[16], none[16];
        snprintf(one, sizeof one, "C%d", r);
        snprintf(other, sizeof other, "C%d", r + RANKS);
        snprintf(none, sizeof none, "C%d", (r + 1) % RANKS);
        cr_expect_eq(f.run.ranks.pid[u->rank], r);
        cr_assert_eq(u->count, 3 + CATEGORIES);
        expect_share(&f, u, "Total", 2, 2 * (r + 1), 2);
        expect_share(&f, u, one, 1, r + 1, 1);
        expect_share(&f, u, other, 1, r + 1, 1);
        expect_share(&f, u, none, 0, 0, 0);
    }
    facts_close(&f);
}

/* ---- autopilot --------------------------------------------------------------------------------------------------- */

/* The log knows a job as a whole: 200 us ideal, however many kernels it has. The first job takes 440 us from 50 to 500,
 * the second 400 until 700, the third is over by then, the fourth takes no time, the fifth 100; the kernels of the last
 * overlap: 800 us, in 400. Scores: 0 where the table, 205 us in all, takes longer than the job (three of them). */
Test(aiu_cores, jobs_of_the_autopilot_are_drawn_one_after_the_other)
{
    aiu_facts_run f;
    read_text(&f, "none", "DSM-AutoPilot BEGIN\n" TABLE "k-opCatConv 10\nTotal 400\n" END);
    f.run.jobs = pf_pass_alloc(&f.ctx, 6, sizeof *f.run.jobs, &f.err);
    uint32_t first = add_kernel(&f, "k", 0, 0, 100, 400);
    uint32_t second = add_kernel(&f, "unknown", 0, 0, 50, 40);
    add_kernel(&f, "k", 0, 1, 300, 400);
    add_kernel(&f, "k", 0, 2, 550, 150);
    add_kernel(&f, "k", 0, 3, 800, 0);
    add_kernel(&f, "k", 0, 4, 900, 100);
    add_kernel(&f, "k", 0, 5, 2000, 400);
    add_kernel(&f, "k", 0, 5, 2000, 400);
    run_stage(&f, pf_aiu_use_cores);
    expect_samples(&f, AIU_SERIES_PT_ACTIVE, "50=45.4545455 500=0 500=50 700=0 900=101 1000=0 2000=50 2400=0");
    cr_expect_eq(f.run.events.cat[first], 0, "Total is no category");
    cr_expect(f.run.events.flags[first] & AIU_CORE_USED);
    const aiu_extra *use = extra_of(&f, second, "pt_active");
    cr_expect(use && use->as.d == 200. / 440, "a kernel has the use of its job");
    cr_assert_eq(f.run.tables->use_count, 1);
    expect_share(&f, &f.run.tables->use[0], "Total", 6, 440 + 400 + 150 + 0 + 100 + 400, 3 * 200);
    expect_share(&f, &f.run.tables->use[0], "Conv", 0, 0, 0);
    cr_expect(logged(&f, "UTL: Detected autopilot=on. "));
    cr_expect(logged(&f, "UTL: 1 kernels took less than"));
    cr_expect_not(logged(&f, "avg_mm_util"));
    cr_expect(logged(&f, UNCERTAIN "3 jobs"), "names that fit badly are said all the same");
    facts_close(&f);
}

/* Two ranks of one file and a second file of rank 1, at the same times: each rank has its own jobs. 100 us ideal. */
Test(aiu_cores, ranks_of_the_autopilot_are_drawn_each)
{
    aiu_facts_run f;
    read_text(&f, "none", "DSM-AutoPilot BEGIN\n" TABLE "Total 200\n" END);
    f.run.jobs = pf_pass_alloc(&f.ctx, 3, sizeof *f.run.jobs, &f.err);
    add_kernel(&f, "k", 0, 0, 0, 1000);
    add_kernel(&f, "k", 1, 0, 0, 500);
    add_kernel(&f, "k", 1, 1, 400, 200);
    run_stage(&f, pf_aiu_use_cores);
    expect_samples(&f, AIU_SERIES_PT_ACTIVE, "0=10 1000=0 0=20 500=0 500=50 600=0");
    cr_assert_eq(f.run.tables->use_count, 2);
    expect_share(&f, &f.run.tables->use[0], "Total", 1, 1000, 100);
    expect_share(&f, &f.run.tables->use[1], "Total", 2, 700, 200);
    facts_close(&f);
}

/* Rank 0's log knows kernels, that of rank 1 jobs, in tables that fit as well: 100 us ideal for each. */
Test(aiu_cores, autopilot_is_a_property_of_a_log)
{
    pf_pass_file files[] = {FILE_OF("a.log", TABLE "k-opCatConv 200\nTotal 200\n" END),
                            FILE_OF("b.log", "DSM-AutoPilot BEGIN\n" TABLE "k-opCatConv 200\nTotal 200\n" END)};
    aiu_facts_run f;
    open_with(&f, "none", files, 2);
    run_stage(&f, pf_aiu_read_tables);
    cr_expect(logged(&f, "UTL: Detected autopilot=on in b.log."));
    cr_expect_not(logged(&f, "a.log"));
    for (int rank = 0; rank < 2; rank++) {
        add_kernel(&f, "k", rank, 0, 1000 * rank, 200);
        add_kernel(&f, "k", rank, 0, 1000 * rank + 200, 200);
    }
    run_stage(&f, pf_aiu_use_cores);
    expect_samples(&f, AIU_SERIES_PT_ACTIVE, "0=50 200=0 200=50 400=0 1000=25 1400=0");
    cr_assert_eq(f.run.tables->use_count, 2);
    expect_share(&f, &f.run.tables->use[0], "Conv", 2, 400, 200);
    expect_share(&f, &f.run.tables->use[1], "Total", 1, 400, 100);
    expect_share(&f, &f.run.tables->use[1], "Conv", 0, 0, 0);
    cr_expect(logged(&f, "UTL: pid=0: "));
    cr_expect_not(logged(&f, "UTL: pid=1: "));
    facts_close(&f);
}
