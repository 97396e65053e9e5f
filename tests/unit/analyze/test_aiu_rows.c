/* Stages that read arguments of the trace's rows: counters, launches and their arrows, names of torch kernels in the
 * compiler's tables. The trace has one slice or more for each event, made with the builder. */
#include <stdio.h>
#include <string.h>

#include "aiu_support.h"
#include "analyze/aiu/ingest/aiu_ingest.h"
#include "postfetto/build.h"

typedef struct rows_run {
    aiu_facts_run f;
    pf_builder *b;
    pf_trace *trace;
    uint32_t track;
    int64_t next; /* ns, of the next row: the table is in order of time */
} rows_run;

static void open_rows(rows_run *r, const char *const *options)
{
    facts_open(&r->f, options);
    r->b = pf_builder_new(NULL);
    r->trace = NULL;
    r->next = 0;
    r->track = pf_build_thread_track(
        r->b, pf_build_thread(r->b, pf_build_process(r->b, 1, (pf_str){NULL, 0}), 2, (pf_str){NULL, 0}));
}

/* The next row, to which arguments are added after this. */
static void add_row(rows_run *r)
{
    pf_build_slice(r->b, r->track, r->next, 1, PF_STR("row"));
    r->next += 10;
}

static void finish_rows(rows_run *r)
{
    cr_assert_eq(pf_builder_finish(r->b, &r->trace, &r->f.err), PF_OK, "%s", r->f.err.text);
    r->f.run.trace = r->trace;
}

static void close_rows(rows_run *r)
{
    facts_close(&r->f);
    pf_trace_free(r->trace);
    pf_builder_free(r->b);
}

static pf_str str(const char *s)
{
    return (pf_str){s, strlen(s)};
}

/* ---- arguments --------------------------------------------------------------------------------------------------- */

static void add_counters(rows_run *r, const char *five)
{
    char key[] = "TS0";
    for (unsigned n = 0; n < 5; n++) {
        key[2] = (char)('1' + n);
        if (five[n] == 'z') {
            pf_build_arg_int(r->b, str(key), 0);
        } else if (five[n] == 't') {
            pf_build_arg_text(r->b, str(key), PF_STR("12"));
        } else if (five[n] == 'm') {
            pf_build_arg_uint(r->b, str(key), UINT64_MAX);
        } else if (five[n] == 'n') {
            pf_build_arg_int(r->b, str(key), 7);
        }
    }
}

static void add_cycles(rows_run *r, uint64_t v, unsigned count)
{
    pf_build_arg_list(r->b, PF_STR("cycles_ts"));
    for (unsigned n = 0; n < count; n++) {
        pf_build_arg_uint(r->b, PF_STR(""), v + (v ? n : 0));
    }
    pf_build_arg_end(r->b);
}

#define FAILED(n)                                                                                                      \
    "WARNING Ingestion: the counters of " n " events are all 0, as if they had failed; the times of the host count\n"
#define PARTIAL(n) "WARNING Ingestion: " n " events lack some of TS1 to TS5 and count as host events\n"

/* n: a number, t: a text, z: 0, m: 2^64 - 1, -: none; then cycles_ts. Torch traces have it, and counters that are all 0
 * have failed; the other program knows neither. */
Test(aiu_rows, counters_of_devices)
{
    static const struct {
        const char *counters;
        uint64_t cycles;
        unsigned count;
        bool device, torch_device, reference_device;
        int64_t third; /* of ours, with torch inputs */
        const char *log, *torch_log, *reference_log;
    } cases[] = {
        {"nntnn", 0, 0, true, true, true, 12, "", "", ""},
        {"nnmnn", 0, 0, true, true, true, INT64_MAX, "", "", ""},
        {"zznzz", 0, 0, true, true, true, 7, "", "", ""},
        {"nn-nn", 0, 0, false, false, false, 0, PARTIAL("1"), PARTIAL("1"), PARTIAL("1")},
        {"n----", 0, 0, false, false, false, 0, PARTIAL("1"), PARTIAL("1"), PARTIAL("1")},
        {"zzzzz", 0, 0, false, false, true, 0, FAILED("1"), FAILED("1"), ""},
        {"-----", 0, 0, false, false, false, 0, "", "", ""},
        {"-----", 20, 5, false, true, false, 22, "", "", ""},
        {"-----", 20, 4, false, false, false, 22, "", PARTIAL("1"), ""},
        {"-----", 0, 5, false, false, false, 0, "", FAILED("1"), ""},
        {"nntnn", 20, 5, true, true, true, 12, "", "", ""},
        {"zzzzz", 20, 5, false, true, true, 22, FAILED("1"), FAILED("1"), ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (int as = 0; as < 3; as++) { /* ours, ours with torch inputs, the other program */
            const char *const options[] = {"compat", as == 2 ? "acelyzer" : "none", NULL};
            rows_run r;
            open_rows(&r, options);
            add_row(&r);
            add_counters(&r, cases[i].counters);
            if (cases[i].count) {
                add_cycles(&r, cases[i].cycles, cases[i].count);
            }
            finish_rows(&r);
            r.f.run.any_torch = as > 0;
            uint32_t e = add_host(&r.f, "n", 0, 1, 0, 1);
            r.f.run.events.row[e] = 0;
            r.f.run.events.flags[e] |= as > 0 ? AIU_TORCH : 0;
            pf_aiu_read_arguments(&r.f.run);
            cr_assert_eq(r.f.run.error.code, PF_OK);
            bool device = as == 0 ? cases[i].device : as == 1 ? cases[i].torch_device : cases[i].reference_device;
            cr_expect_eq((r.f.run.events.flags[e] & AIU_HAS_TS) != 0, device, "case %zu, %d", i, as);
            if (as == 1) {
                cr_expect_eq(r.f.run.events.tsx[2][e], cases[i].third, "case %zu", i);
            }
            expect_log(&r.f, as == 0 ? cases[i].log : as == 1 ? cases[i].torch_log : cases[i].reference_log);
            close_rows(&r);
        }
    }
}

/* Of slices alone. "Bytes" comes before "bytes", which counts as a number if it is one. */
Test(aiu_rows, charge_bytes_and_partners)
{
    rows_run r;
    open_rows(&r, NULL);
    add_row(&r);
    pf_build_arg_text(r.b, PF_STR("Power"), PF_STR("99"));
    pf_build_arg_text(r.b, PF_STR("Bytes"), PF_STR("128"));
    pf_build_arg_text(r.b, PF_STR("CollGroup"), PF_STR("AllReduce_1"));
    pf_build_arg_text(r.b, PF_STR("Peer"), PF_STR("3"));
    pf_build_arg_text(r.b, PF_STR("Peers"), PF_STR("4, 5"));
    pf_build_arg_text(r.b, PF_STR("Type"), PF_STR("MultiCast"));
    add_row(&r);
    pf_build_arg_int(r.b, PF_STR("bytes"), 64);
    add_row(&r);
    pf_build_arg_text(r.b, PF_STR("bytes"), PF_STR("32"));
    add_row(&r);
    pf_build_arg_int(r.b, PF_STR("bytes"), 64);
    pf_build_arg_int(r.b, PF_STR("Bytes"), 16);
    add_row(&r);
    finish_rows(&r);
    aiu_events *v = &r.f.run.events;
    static const struct {
        uint64_t bytes;
        uint32_t flags;
    } expected[] = {{128, AIU_HAS_POWER | AIU_HAS_BYTES},
                    {64, AIU_HAS_BYTES | AIU_BYTES_NUMBER},
                    {32, AIU_HAS_BYTES},
                    {16, AIU_HAS_BYTES | AIU_BYTES_NUMBER},
                    {0, 0}};
    for (uint32_t i = 0; i < 5; i++) {
        uint32_t e = add_host(&r.f, "n", 0, 1, 0, 1);
        v->row[e] = i;
    }
    uint32_t made = add_host(&r.f, "n", 0, 1, 0, 1), instant = add_host(&r.f, "n", 0, 1, 0, 1);
    v->row[instant] = 0;
    v->phase[instant] = 'i';
    pf_aiu_read_arguments(&r.f.run);
    cr_assert_eq(r.f.run.error.code, PF_OK);
    for (uint32_t e = 0; e < 5; e++) {
        cr_expect_eq(v->bytes[e], expected[e].bytes, "event %u", e);
        cr_expect_eq(v->flags[e], expected[e].flags, "event %u", e);
    }
    cr_expect(v->flags[made] == 0 && v->flags[instant] == 0 && v->group[instant] == 0);
    cr_expect_eq(v->power[0], 99);
    const uint32_t texts[] = {v->group[0], v->peer[0], v->peers[0], v->type[0]};
    static const char *const said[] = {"AllReduce_1", "3", "4, 5", "MultiCast"};
    for (int i = 0; i < 4; i++) {
        cr_expect(pf_str_is(pf_aiu_text_of(&r.f.run, texts[i]), said[i]), "%s", said[i]);
    }
    cr_expect(v->group[1] == 0 && v->peer[1] == 0 && v->peers[1] == 0 && v->type[1] == 0);
    close_rows(&r);
}

/* ---- launches ---------------------------------------------------------------------------------------------------- */

typedef struct torch_row {
    const char *what; /* source, kernel, wait, op */
    int64_t id;       /* correlation, or that of the arrow; -1: none */
    int64_t pid, tid;
    double ts, dur;
    uint32_t job; /* the input */
} torch_row;

/* Draws the arrows of rows in the order that they have, which is that of the stage. */
static void expect_arrows(const torch_row *rows, uint32_t count, const char *expected, const char *log)
{
    rows_run r;
    open_rows(&r, NULL);
    for (uint32_t i = 0; i < count; i++) {
        bool source = strcmp(rows[i].what, "source") == 0;
        add_row(&r);
        if (source && rows[i].id > 0) {
            pf_build_flow(r.b, (uint64_t)rows[i].id, false);
        } else if (!source && rows[i].id != -1) {
            pf_build_arg_int(r.b, PF_STR("correlation"), rows[i].id);
        }
    }
    finish_rows(&r);
    aiu_run *run = &r.f.run;
    run->any_torch = true;
    for (uint32_t i = 0; i < count; i++) {
        bool wait = strcmp(rows[i].what, "wait") == 0;
        uint32_t e =
            add_host(&r.f, wait ? "a ScheduleWait b" : rows[i].what, rows[i].pid, rows[i].tid, rows[i].ts, rows[i].dur);
        run->events.row[e] = i;
        run->events.job[e] = rows[i].job;
        run->events.flags[e] = AIU_TORCH;
        run->events.cat[e] = text_of(&r.f, strcmp(rows[i].what, "kernel") == 0 ? "kernel" : "ac2g");
        run->events.phase[e] = strcmp(rows[i].what, "source") == 0 ? 's' : 'X';
    }
    uint32_t flex = add_host(&r.f, "kernel", 0, 1, 0, 9), made = add_host(&r.f, "kernel", 0, 1, 0, 9);
    run->events.row[flex] = 0;
    run->events.flags[made] = AIU_TORCH;
    run_stage(&r.f, pf_aiu_collect_launches);
    run_stage(&r.f, pf_aiu_draw_launches);
    pf_buffer b = {0};
    for (uint32_t i = 0; i < run->arrows.count; i++) {
        const aiu_arrows *a = &run->arrows;
        cr_expect(pf_str_is(pf_aiu_text_of(run, a->name[i]), "source"));
        cr_expect(pf_str_is(pf_aiu_text_of(run, a->cat[i]), "ac2g"));
        if (a->phase[i] == 's') {
            pf_buffer_format(&b, "%lld: %.9g of %lld/%lld", (long long)a->id[i], a->ts[i], (long long)a->pid[i],
                             (long long)a->tid[i]);
        } else {
            cr_expect(a->phase[i] == 'f' && i && a->id[i] == a->id[i - 1]);
            pf_buffer_format(&b, " -> %.9g of %lld/%lld\n", a->ts[i], (long long)a->pid[i], (long long)a->tid[i]);
        }
    }
    pf_buffer_put(&b, "", 1);
    cr_expect_str_eq(b.data, expected);
    expect_log(&r.f, log);
    pf_buffer_free(&b);
    close_rows(&r);
}
#define ARROWS(expected, log, ...)                                                                                     \
    expect_arrows((const torch_row[]){__VA_ARGS__}, sizeof((const torch_row[]){__VA_ARGS__}) / sizeof(torch_row),      \
                  expected, log)
#define IGNORED(n) "WARNING FLOWS: Ignored " n " events with timestamp after schedule wait\n"

/* An arrow from the launch to the start of each kernel, then one from 1 ns before the end of the last kernel to that of
 * the wait; their numbers begin after the highest correlation. */
Test(aiu_rows, launches_have_arrows_to_all_of_their_kernels)
{
    ARROWS("4: 1 of 7/8 -> 10 of 0/1\n"
           "5: 1 of 7/8 -> 12 of 0/2\n"
           "6: 1 of 7/8 -> 13 of 0/3\n"
           "7: 19.999 of 0/2 -> 30 of 7/9\n",
           "", {"source", 3, 7, 8, 1, 0}, {"wait", 3, 7, 9, 5, 25}, {"kernel", 3, 0, 1, 10, 5},
           {"kernel", 3, 0, 2, 12, 8}, {"kernel", 3, 0, 3, 13, 7});
    ARROWS("", "", {"wait", 3, 7, 9, 5, 25}, {"kernel", 3, 0, 1, 10, 5}); /* without a source */
    ARROWS("", "", {"source", 3, 7, 8, 1, 0});                            /* without an end */
    ARROWS("", "", {"source", 3, 7, 8, 1, 0}, {"kernel", 4, 0, 1, 10, 5});
    ARROWS("10: 2 of 7/8 -> 4 of 0/1\n", "", {"source", 9, 7, 9, 1, 0}, {"source", 9, 7, 8, 2, 0},
           {"kernel", 9, 0, 1, 4, 5});
    ARROWS("3: 1 of 7/8 -> 4 of 0/1\n", "", {"kernel", 2, 0, 1, 4, 5}, {"source", 2, 7, 8, 1, 0});
}

/* A kernel may end with the wait, but not after it; a wait before it that is over then says so, one that comes after it
 * in the list is odd and has no arrow. */
Test(aiu_rows, waits_end_after_their_kernels)
{
    ARROWS("2: 1 of 7/8 -> 10 of 0/1\n3: 29.999 of 0/1 -> 30 of 7/9\n", "", {"source", 1, 7, 8, 1, 0},
           {"wait", 1, 7, 9, 5, 25}, {"kernel", 1, 0, 1, 10, 20});
    ARROWS("2: 1 of 7/8 -> 10 of 0/1\n3: 1 of 7/8 -> 30 of 7/9\n", IGNORED("1"), {"source", 1, 7, 8, 1, 0},
           {"wait", 1, 7, 9, 5, 25}, {"kernel", 1, 0, 1, 10, 20.5});
    ARROWS("2: 1 of 7/8 -> 10 of 0/1\n", "", {"source", 1, 7, 8, 1, 0}, {"kernel", 1, 0, 1, 10, 20.5},
           {"wait", 1, 7, 9, 15, 15});
    ARROWS("2: 1 of 7/8 -> 10 of 0/1\n3: 29.999 of 0/1 -> 29.999 of 7/9\n", "", {"source", 1, 7, 8, 1, 0},
           {"kernel", 1, 0, 1, 10, 20}, {"wait", 1, 7, 9, 15, 14.999});
    ARROWS("2: 1 of 7/8 -> 30 of 7/9\n", "", {"source", 1, 7, 8, 1, 0}, {"wait", 1, 7, 9, 5, 25});
}

/* Two inputs with the same correlation; numbers go on from the highest of all. */
Test(aiu_rows, correlations_belong_to_an_input)
{
    ARROWS("4: 1 of 7/8 -> 10 of 0/1\n"
           "5: 2 of 17/8 -> 12 of 1/1\n"
           "6: 14.999 of 0/1 -> 30 of 7/9\n"
           "7: 19.999 of 1/1 -> 31 of 17/9\n",
           "", {"source", 3, 7, 8, 1, 0, 0}, {"source", 3, 17, 8, 2, 0, 1}, {"wait", 3, 7, 9, 5, 25, 0},
           {"wait", 3, 17, 9, 5, 26, 1}, {"kernel", 3, 0, 1, 10, 5, 0}, {"kernel", 3, 1, 1, 12, 8, 1});
}

/* Without a kernel that is over by then, the arrow to the wait starts where the first event of the correlation does:
 * the call that launches it, the launch's arrow, or the wait itself; and no kernel that ends before that counts. */
Test(aiu_rows, arrows_to_waits_start_with_the_first_event)
{
    ARROWS("4: 1 of 7/6 -> 30 of 7/9\n", "", {"aiuLaunchControlBlocks", 3, 7, 6, 1, 4}, {"source", 3, 7, 8, 2, 0},
           {"wait", 3, 7, 9, 5, 25});
    ARROWS("4: 2 of 7/8 -> 30 of 7/9\n", "", {"aiuControlBlockLaunch", 3, 7, 6, 1, 4}, {"source", 3, 7, 8, 2, 0},
           {"wait", 3, 7, 9, 5, 25});
    ARROWS("4: 5 of 7/9 -> 30 of 7/9\n", "", {"wait", 3, 7, 9, 5, 25}, {"source", 3, 7, 8, 6, 0});
    ARROWS("4: 2 of 7/8 -> 3 of 0/1\n5: 20 of 7/6 -> 30 of 7/9\n", "", {"aiuLaunchControlBlocks", 3, 7, 6, 20, 4},
           {"source", 3, 7, 8, 2, 0}, {"kernel", 3, 0, 1, 3, 4}, {"wait", 3, 7, 9, 5, 25});
}

/* Correlations begin at 1; what is neither a kernel nor a wait has none. */
Test(aiu_rows, what_is_no_launch)
{
    ARROWS("", "", {"source", 0, 7, 8, 1, 0}, {"kernel", 0, 0, 1, 10, 5}, {"kernel", -5, 0, 1, 10, 5},
           {"kernel", -1, 0, 1, 10, 5});
    ARROWS("3: 1 of 7/8 -> 10 of 0/1\n", "", {"source", 2, 7, 8, 1, 0}, {"op", 2, 0, 1, 3, 50}, {"op", 99, 0, 1, 3, 50},
           {"kernel", 2, 0, 1, 10, 5});
}

/* 300 launches with a kernel each. */
Test(aiu_rows, any_number_of_launches)
{
    enum { LAUNCHES = 300 };
    static torch_row rows[2 * LAUNCHES];
    pf_buffer expected = {0};
    for (int i = 0; i < LAUNCHES; i++) {
        rows[2 * i] = (torch_row){"source", i + 1, 7, 8, 10 * i, 0};
        rows[2 * i + 1] = (torch_row){"kernel", i + 1, 0, 1, 10 * i + 5, 1};
        pf_buffer_format(&expected, "%d: %d of 7/8 -> %d of 0/1\n", LAUNCHES + 1 + i, 10 * i, 10 * i + 5);
    }
    pf_buffer_put(&expected, "", 1);
    expect_arrows(rows, 2 * LAUNCHES, expected.data, "");
    pf_buffer_free(&expected);
}

/* ---- tables of the compiler -------------------------------------------------------------------------------------- */

/* "[N]" in the name of a torch kernel is its fn_idx. */
Test(aiu_rows, torch_kernels_have_the_names_of_the_compiler)
{
    static const char log[] =
        "~~~~ Ideal/Total Cycles ~~~~\nop3_x-opCatA 20\nplain-opCatB 20\n-12-opCatC 20\nk-opCatD 20\n"
        "====== Perf Summary End ======\n";
    static const struct {
        const char *name, *cat;
        int64_t index; /* 0: none */
        bool torch;
        const char *category; /* NULL: it is no kernel */
    } cases[] = {{"op[N]_x", "kernel", 3, true, "A"},
                 {"op[N]_x", "kernel", 0, true, "other"},
                 {"plain", "kernel", 3, true, "B"},
                 {"[N]", "kernel", -12, true, "C"},
                 {"op[N]_x[N]", "kernel", 3, true, "other"},
                 {"op[N]_x", "cpu_op", 3, true, NULL},
                 {"k Cmpt Exec", "own", 3, false, "D"},
                 {"plain", "kernel", 3, false, NULL},
                 {"k", "kernel", 3, true, "D"}};
    enum { CASES = sizeof cases / sizeof *cases };
    static const char *const options[] = {"compiler_log", "c.log", NULL};
    rows_run r;
    open_rows(&r, options);
    for (int i = 0; i < CASES; i++) {
        add_row(&r);
        pf_build_arg_int(r.b, PF_STR("correlation"), 1);
        if (cases[i].index) {
            pf_build_arg_int(r.b, PF_STR("fn_idx"), cases[i].index);
        }
    }
    finish_rows(&r);
    aiu_run *run = &r.f.run;
    run->any_torch = true;
    r.f.log = (pf_pass_file){.path = "c.log", .bytes = PF_STR(log)};
    r.f.roles[1] = (pf_pass_files){&r.f.log, 1};
    for (uint32_t i = 0; i < CASES; i++) {
        uint32_t e = add_host(&r.f, cases[i].name, 0, 1, 100 * i, 50);
        run->events.row[e] = i;
        run->events.flags[e] = cases[i].torch ? AIU_TORCH : AIU_HAS_TS;
        run->events.cat[e] = text_of(&r.f, cases[i].cat);
    }
    run_stage(&r.f, pf_aiu_read_tables);
    run_stage(&r.f, pf_aiu_use_cores);
    for (uint32_t e = 0; e < CASES; e++) {
        const char *is = "";
        for (uint32_t x = run->events.extra[e]; x != PF_NONE; x = run->extras.list[x].next) {
            if (pf_str_is(pf_aiu_text_of(run, run->extras.list[x].key), "user_cat")) {
                is = pf_aiu_text_of(run, run->extras.list[x].as.text).ptr;
            }
        }
        cr_expect_str_eq(is, cases[e].category ? cases[e].category : "", "case %u", e);
    }
    cr_expect(logged(&r.f, "UTL: Found 2 Events without a matching kernel category"));
    close_rows(&r);
}

/* A job of a torch trace is a launch, that of a flex trace a file: each of them asks for its own table. Here no job
 * knows any row. */
Test(aiu_rows, launches_are_jobs)
{
    static const char log[] = "~~~~ Ideal/Total Cycles ~~~~\nk-opCatA 20\n====== Perf Summary End ======\n";
    static const struct {
        int64_t launch; /* 0: none */
        uint32_t job;
        bool torch;
    } events[] = {{1, 0, true}, {1, 0, true},  {2, 0, true},  {0, 0, true},
                  {1, 1, true}, {5, 1, false}, {6, 1, false}, {0, 1, true}};
    enum { EVENTS = sizeof events / sizeof *events };
    static const char *const options[] = {"compiler_log", "c.log", NULL};
    rows_run r;
    open_rows(&r, options);
    for (int i = 0; i < EVENTS; i++) {
        add_row(&r);
        if (events[i].launch) {
            pf_build_arg_int(r.b, PF_STR("correlation"), events[i].launch);
        }
    }
    finish_rows(&r);
    aiu_run *run = &r.f.run;
    run->any_torch = true;
    run->job_count = 2;
    r.f.log = (pf_pass_file){.path = "c.log", .bytes = PF_STR(log)};
    r.f.roles[1] = (pf_pass_files){&r.f.log, 1};
    for (uint32_t i = 0; i < EVENTS; i++) {
        uint32_t e = add_host(&r.f, "x Cmpt Exec", 0, 1, 1000 * i, 1000);
        run->events.row[e] = i;
        run->events.job[e] = events[i].job;
        run->events.flags[e] = events[i].torch ? AIU_TORCH : 0;
        run->events.cat[e] = events[i].torch ? text_of(&r.f, "kernel") : 0;
    }
    run_stage(&r.f, pf_aiu_read_tables);
    run_stage(&r.f, pf_aiu_use_cores);
    cr_expect(logged(&r.f, "uncertain Ideal Cycles table match for 5 jobs: {5}"));
    close_rows(&r);
}
