/* Collectives as meetings of ranks: who came last, what it cost, what hides it, how level clocks are, and how all of
 * that is drawn. The members are made by hand, and so are the expected numbers. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "aiu_support.h"
#include "analyze/aiu/enriched/aiu_enriched.h"
#include "base/buffer.h"

#define TS(...) ((const int64_t[5]){__VA_ARGS__})

/* A rank in a collective from arrival to leave, us. Rows of one collective follow each other. */
typedef struct stay_row {
    uint32_t collective;
    int64_t pid;
    double arrival, leave;
} stay_row;

/* An exchange whose collectives have these members; they are done in descending order. Collective c is called "Gc". */
static void make_exchange(aiu_facts_run *f, const stay_row *rows, uint32_t count, const uint64_t *bytes)
{
    aiu_exchange *x = pf_aiu_exchange(&f->run);
    uint32_t n = rows[count - 1].collective + 1;
    cr_assert_not_null(x);
    x->flows.collective = pf_pass_alloc(&f->ctx, n, sizeof *x->flows.collective, &f->err);
    x->flows.slice = pf_pass_alloc(&f->ctx, n, sizeof *x->flows.slice, &f->err);
    x->flows.done = pf_pass_alloc(&f->ctx, n, sizeof *x->flows.done, &f->err);
    x->members.from = pf_pass_alloc(&f->ctx, n + 1, sizeof *x->members.from, &f->err);
    x->members.list = pf_pass_alloc(&f->ctx, count, sizeof *x->members.list, &f->err);
    for (uint32_t c = 0; c < n; c++) {
        char name[20];
        snprintf(name, sizeof name, "G%" PRIu32, c);
        uint32_t e = add_host(f, "transfer", 0, 1, 0, 0);
        f->run.events.group[e] = text_of(f, name);
        f->run.events.bytes[e] = bytes[c];
        f->run.events.flags[e] |= AIU_HAS_BYTES;
        x->flows.slice[c] = (aiu_sync_slice){.event = e, .next = PF_NONE};
        x->flows.collective[c] = (aiu_collective){.first = c};
        x->flows.done[n - 1 - c] = c;
    }
    x->flows.collectives = x->flows.done_count = n;
    x->members.count = x->members.from[n] = count;
    for (uint32_t i = count; i-- > 0;) {
        x->members.from[rows[i].collective] = i;
        x->members.list[i] = (aiu_member){.pid = rows[i].pid,
                                          .first_start = rows[i].arrival,
                                          .last_receive = -INFINITY,
                                          .last_multicast = -INFINITY,
                                          .last_end = rows[i].leave,
                                          .kernel = PF_NONE};
    }
}
#define COUNT(list) ((uint32_t)(sizeof(list) / sizeof *(list)))

/* ---- meetings ---------------------------------------------------------------------------------------------------- */

/* Where several ranks come at the last moment the first of them is the straggler, and it was not late. */
Test(aiu_collective_costs, have_a_straggler)
{
    static const stay_row rows[] = {{0, 0, 10, 50}, {0, 1, 30, 45}, {0, 2, 20, 60}, /* last but one comes first */
                                    {1, 0, 30, 31}, {1, 1, 20, 32}, {1, 2, 10, 33}, /* descending */
                                    {2, 0, 50, 51}, {2, 1, 50, 51}, {2, 2, 50, 51}, /* together */
                                    {3, 0, 30, 40}, {3, 1, 10, 40}, {3, 2, 30, 40}, /* two last ones */
                                    {4, 0, 30, 40}, {4, 1, 30, 40}, {4, 2, 10, 40}, /* that are met first */
                                    {5, 0, 20, 40}, {5, 1, 10, 40}, {5, 2, 5, 40},  {6, 3, 5, 6}};
    static const uint64_t bytes[] = {1000, 0, 7, 1, 1, UINT64_MAX, 99};
    /* a third of 2^63 - 1, four times */
    static const aiu_collective_cost expected[] = {
        {5, 15, 3, 15, 5000, 40000, 20000, 10000, 25000, UINT64_MAX, 12297829382473034408u},
        {6, 18, 1, 18, 5000, 6000, 5000, 5000, 0, 99, 0},
        {0, 0, 3, 1, 10000, 60000, 30000, 20000, 30000, 1000, 4000},
        {1, 3, 3, 3, 10000, 33000, 30000, 20000, 30000, 0, 0},
        {3, 9, 3, 9, 10000, 40000, 30000, 30000, 20000, 1, 4},
        {4, 12, 3, 12, 10000, 40000, 30000, 30000, 20000, 1, 4},
        {2, 6, 3, 6, 50000, 51000, 50000, 50000, 0, 7, 28}};
    aiu_facts_run f;
    aiu_collective_costs m;
    facts_open(&f, NULL);
    pf_aiu_collective_costs_read(&f.run, &m);
    cr_expect_eq(m.count, 0, "nothing was exchanged");
    make_exchange(&f, rows, COUNT(rows), bytes);
    pf_aiu_collective_costs_read(&f.run, &m);
    cr_assert_eq(m.count, COUNT(expected));
    for (uint32_t i = 0; i < m.count; i++) {
        const aiu_collective_cost *is = &m.list[i], *e = &expected[i];
        char name[20];
        snprintf(name, sizeof name, "G%" PRIu32, e->collective);
        cr_expect_eq(is->collective, e->collective, "meeting %" PRIu32 " is %" PRIu32, i, is->collective);
        cr_expect(is->first == e->first && is->ranks == e->ranks, "members of %s", name);
        cr_expect_eq(is->straggler, e->straggler, "straggler of %s: %" PRIu32, name, is->straggler);
        cr_expect(is->start == e->start && is->end == e->end, "time of %s", name);
        cr_expect(is->last == e->last && is->before == e->before, "%s: %" PRId64 " after %" PRId64, name, is->last,
                  is->before);
        cr_expect_eq(is->lost, e->lost, "lost in %s: %" PRId64, name, is->lost);
        cr_expect(is->bytes == e->bytes && is->moved == e->moved, "%s moved %" PRIu64, name, is->moved);
        cr_expect(pf_str_is(pf_aiu_collective_name(&f.run, is), name));
    }
    cr_expect_eq(pf_aiu_collective_rate(&m.list[2]), 4000 / 50000.);
    facts_close(&f);
}

/* ---- what kernels hide ------------------------------------------------------------------------------------------- */

Test(aiu_collective_costs, are_hidden_by_kernels)
{
    static const struct {
        int64_t pid;
        double ts, dur;
        aiu_class class;
    } slices[] = {{5, 0, 10, AIU_CLASS_COMPUTE_EXEC},      {5, 5, 10, AIU_CLASS_COMPUTE_EXEC}, /* until 15 */
                  {5, 20, 10, AIU_CLASS_COMPUTE_EXEC},     {5, 12, 10, AIU_CLASS_PROTOCOL_SERIAL},
                  {5, 28, 12, AIU_CLASS_HDMA_RECV_DATA},   {5, 0, 100, AIU_CLASS_ROUNDTRIP_AIU},
                  {5, 0, 100, AIU_CLASS_COMPUTE_PREP},     {5, 50, 0, AIU_CLASS_COMPUTE_EXEC},
                  {2, 3, 0.0001, AIU_CLASS_COMPUTE_EXEC},  {9, 0, 4, AIU_CLASS_P2P_SEND_DATA},
                  {7, 0, -3, AIU_CLASS_PROTOCOL_SEND_DATA}};
    static const aiu_comm_overlap expected[] = {{2, 1, 0, 0}, {5, 25000, 22000, 7000}, {9, 0, 4000, 0}};
    aiu_facts_run f;
    aiu_comm_overlaps found;
    facts_open(&f, NULL);
    for (uint32_t i = 0; i < COUNT(slices); i++) {
        uint32_t e = add_host(&f, "n", slices[i].pid, 1, slices[i].ts, slices[i].dur);
        f.run.events.class[e] = (uint8_t)slices[i].class;
        f.run.events.flags[e] |= AIU_HAS_CLASS;
    }
    uint32_t none = add_host(&f, "n", 6, 1, 0, 10), instant = add_host(&f, "n", 6, 1, 0, 10);
    f.run.events.class[none] = f.run.events.class[instant] = AIU_CLASS_COMPUTE_EXEC;
    f.run.events.flags[instant] |= AIU_HAS_CLASS;
    f.run.events.phase[instant] = 'i';
    pf_aiu_comm_overlaps_read(&f.run, &found);
    cr_assert_eq(found.count, COUNT(expected));
    for (uint32_t i = 0; i < found.count; i++) {
        const aiu_comm_overlap *is = &found.list[i], *e = &expected[i];
        cr_expect_eq(is->pid, e->pid);
        cr_expect(is->kernels == e->kernels && is->communication == e->communication && is->both == e->both,
                  "rank %" PRId64 ": %" PRIu64 " %" PRIu64 " %" PRIu64, e->pid, is->kernels, is->communication,
                  is->both);
    }
    facts_close(&f);
}

/* ---- clocks ------------------------------------------------------------------------------------------------------ */

/* Ends against the middle one of each collective, the lower one of two: rank 0 is at 0, 0, 0 and +4 us, rank 1 at -5,
 * +10, -12, rank 2 at +10, -5, rank 3 at +10, 0, rank 4 alone. */
Test(aiu_collective_costs, tell_how_level_clocks_are)
{
    static const stay_row rows[] = {{0, 0, 10, 50},   {0, 1, 10, 45},   {0, 2, 10, 60},   {1, 0, 110, 130},
                                    {1, 1, 110, 140}, {1, 2, 110, 125}, {2, 0, 210, 230}, {2, 1, 210, 218},
                                    {2, 3, 210, 240}, {3, 0, 310, 335}, {3, 3, 310, 331}, {4, 4, 400, 410}};
    static const uint64_t bytes[5] = {0};
    static const struct {
        int64_t pid;
        bool matched;
        double shift, rate;
        uint32_t collectives;
        int64_t left, worst;
        double drift;
    } expected[] = {{0, true, -2, 0.5, 4, 0, 4000, 12000},
                    {1, true, 7.5, 1.25, 3, -5000, 12000, -35000},
                    {2, false, 0, 0, 2, 2500, 10000, -150000},
                    {3, false, 0, 0, 2, 5000, 10000, -100000},
                    {4, false, 0, 0, 1, 0, 0, 0}};
    int64_t pids[] = {1, 0};
    double shift[] = {7.5, -2}, rate[] = {1.25, 0.5};
    aiu_facts_run f;
    aiu_collective_costs m;
    aiu_clock_offsets found;
    facts_open(&f, NULL);
    pf_aiu_collective_costs_read(&f.run, &m);
    pf_aiu_clock_offsets_read(&f.run, &m, &found);
    cr_expect_eq(found.count, 0, "nothing was exchanged");
    make_exchange(&f, rows, COUNT(rows), bytes);
    pf_aiu_collective_costs_read(&f.run, &m);
    aiu_exchange *x = f.run.exchange;
    x->ranks = 2;
    x->pid = pids;
    x->shift = shift;
    for (int rates = 0; rates < 2; rates++) {
        x->rate = rates ? rate : NULL;
        pf_aiu_clock_offsets_read(&f.run, &m, &found);
        cr_assert_eq(found.count, COUNT(expected));
        for (uint32_t i = 0; i < found.count; i++) {
            const aiu_clock_offset *c = &found.list[i];
            cr_expect_eq(c->pid, expected[i].pid);
            cr_expect_eq(c->matched, expected[i].matched);
            cr_expect_eq(c->shift_us, expected[i].shift);
            cr_expect_eq(c->rate, c->matched && !rates ? 1 : expected[i].rate);
            cr_expect_eq(c->collectives, expected[i].collectives);
            cr_expect(c->left == expected[i].left && c->worst == expected[i].worst,
                      "rank %" PRIu32 ": %" PRId64 " %" PRId64, i, c->left, c->worst);
            cr_expect_float_eq(c->drift, expected[i].drift, 1e-6, "rank %" PRIu32 ": %.9g", i, c->drift);
        }
    }
    facts_close(&f);
}

/* ---- drawings ---------------------------------------------------------------------------------------------------- */

static void put_track(pf_buffer *b, const pf_findings *f, size_t i)
{
    const pf_overlay_track *t = pf_overlay_track_at(f, i);
    if (t->kind == PF_OVERLAY_GROUP) {
        pf_buffer_format(b, "%.*s (%s %" PRIu32 ")\n", (int)t->name.len, t->name.ptr,
                         t->anchor == PF_ANCHOR_GLOBAL ? "global" : "process", t->anchor_id);
        return;
    }
    pf_buffer_format(b, "  %.*s", (int)t->name.len, t->name.ptr);
    pf_buffer_format(b, t->kind == PF_OVERLAY_COUNTER ? " [%.*s]\n" : "\n", (int)t->unit.len, t->unit.ptr);
}

static void put_drawn(pf_buffer *b, const pf_findings *f, const pf_overlay_event *e)
{
    if (e->kind == PF_OVERLAY_SAMPLE) {
        pf_buffer_format(b, "    %" PRId64 " = %.9g\n", e->ts, e->value);
        return;
    }
    pf_buffer_format(b, "    %" PRId64 " +%" PRId64 " %.*s", e->ts, e->dur, (int)e->name.len, e->name.ptr);
    for (uint32_t i = 0; i < e->arg_count; i++) {
        const pf_overlay_arg *a = pf_overlay_arg_at(f, e->first_arg + i);
        double v = a->value.type == PF_VALUE_REAL ? a->value.as.d : (double)a->value.as.i;
        pf_buffer_format(b, " %.*s=%.9g", (int)a->key.len, a->key.ptr, v);
    }
    pf_buffer_text(b, "\n");
}

/* All that is drawn: groups with what they hang on, their rows, what is on each. */
static void expect_drawn(const pf_findings *f, const char *expected)
{
    pf_buffer b = {0};
    for (size_t t = 0; t < pf_overlay_track_count(f); t++) {
        put_track(&b, f, t);
        for (size_t i = 0; i < pf_overlay_event_count(f); i++) {
            pf_overlay_event e;
            cr_assert(pf_overlay_event_at(f, i, &e));
            if (e.track == t) {
                put_drawn(&b, f, &e);
            }
        }
    }
    pf_buffer_put(&b, "", 1);
    cr_expect_str_eq(b.data, expected);
    pf_buffer_free(&b);
}

static void draw(aiu_facts_run *f)
{
    aiu_enriched x = {.run = &f->run};
    pf_map_init(&x.anchors, f->run.budget);
    pf_map_init(&x.processes, f->run.budget);
    cr_assert(pf_map_set(&x.anchors, 0, 4) && pf_map_set(&x.anchors, 1, PF_NONE - 1) && pf_map_set(&x.processes, 1, 9));
    pf_aiu_draw_ranks(&x);
    cr_assert_eq(f->run.error.code, PF_OK);
    pf_map_free(&x.anchors);
    pf_map_free(&x.processes);
}

static void sample(aiu_facts_run *f, aiu_series series, int64_t pid, double ts, double value, uint32_t label)
{
    cr_assert_eq(pf_aiu_add_sample(&f->run, series, pid, ts, value, label), PF_OK);
}

/* Ranks 0 and 1 meet four times: in the third one rank 0 leaves before rank 1 comes, in the fourth as it comes, and
 * rank 1 leaves at once. Clocks are 2.5 us apart: rank 0 leaves 5 us later twice, and not later twice. So nobody is
 * last in the second one, to which both come together, nor in the third one, whose ends are 10.1 us apart. */
Test(aiu_collective_costs, are_drawn_for_all_ranks_and_for_each)
{
    static const stay_row rows[] = {{0, 0, 10, 50},     {0, 1, 30, 45},   {1, 0, 20, 40},   {1, 1, 20, 35},
                                    {2, 0, 100, 119.9}, {2, 1, 120, 130}, {3, 0, 200, 220}, {3, 1, 220, 220}};
    static const uint64_t bytes[] = {1000, 0, 0, 150};
    aiu_facts_run f;
    facts_open(&f, NULL);
    make_exchange(&f, rows, COUNT(rows), bytes);
    f.run.exchange->late = 3;
    draw(&f);
    expect_drawn(f.f, "all ranks (global 0)\n"
                      "  all ranks collectives\n"
                      "    10000 +40000 0 G0, rank 1 last ranks=2 bytes=1000 gb_per_s=0.05 straggler=1 late_ns=20000 "
                      "lost_ns=20000\n"
                      "    100000 +30000 2 G2 ranks=2 bytes=0 gb_per_s=0\n"
                      "    200000 +20000 3 G3, rank 1 last ranks=2 bytes=150 gb_per_s=0.015 straggler=1 late_ns=20000 "
                      "lost_ns=20000\n"
                      "  all ranks collectives 2\n"
                      "    20000 +20000 1 G1 ranks=2 bytes=0 gb_per_s=0\n"
                      "  all ranks notes\n"
                      "    10000 +0 3 transfers are received before they are sent: clocks are not synchronised\n"
                      "  all ranks collective bandwidth [GB/s]\n"
                      "    10000 = 0.05\n"
                      "    50000 = 0\n"
                      "    200000 = 0.015\n"
                      "    220000 = 0\n"
                      "rank 0 analysis (process 4)\n"
                      "  rank 0 collectives\n"
                      "    10000 +40000 0 G0 collective=0 bytes=1000 waited_ns=20000\n"
                      "    10000 +20000 waits for rank 1\n"
                      "    100000 +19900 2 G2 collective=2 bytes=0\n"
                      "    200000 +20000 3 G3 collective=3 bytes=150 waited_ns=20000\n"
                      "    200000 +20000 waits for rank 1\n"
                      "  rank 0 collectives 2\n"
                      "    20000 +20000 1 G1 collective=1 bytes=0\n"
                      "rank 1 analysis (process 9)\n"
                      "  rank 1 collectives\n"
                      "    20000 +15000 1 G1 collective=1 bytes=0\n"
                      "    120000 +10000 2 G2 collective=2 bytes=0\n"
                      "    220000 +1 3 G3, arrived last collective=3 bytes=150 waited_ns=0\n"
                      "  rank 1 collectives 2\n"
                      "    30000 +15000 0 G0, arrived last collective=0 bytes=1000 waited_ns=0\n");
    facts_close(&f);
}

/* Counters of several ranks by series and pid, each in order of time: as they were made at equal times. Power is over
 * with the last slice of the device, if that is later; where the trace says no speed of transfers, their bytes do. */
Test(aiu_collective_costs, counters_are_drawn_by_rank)
{
    aiu_facts_run f;
    facts_open(&f, NULL);
    for (int64_t pid = 0; pid < 2; pid++) {
        uint32_t e = add_device(&f, "a DmaI", pid, 10, 10, TS(1, 2, 3, 4, 5));
        f.run.events.bytes[e] = 20000;
        f.run.events.flags[e] |= AIU_HAS_BYTES;
        add_device(&f, "k Cmpt Exec", pid, 20, 40, TS(1, 2, 3, 4, 5));
    }
    add_device(&f, "early", 0, 0, 1, TS(1, 2, 3, 4, 5));
    add_host(&f, "of the host", 0, 1, 0, 500);
    int64_t proc = AIU_ID_TEXT | (int64_t)text_of(&f, "proc");
    sample(&f, AIU_SERIES_PREPS, proc, 1, 123456, 0);
    sample(&f, AIU_SERIES_POWER3, 1, 2, 3, text_of(&f, "Power b"));
    sample(&f, AIU_SERIES_POWER3, 1, 1, 2, text_of(&f, "Power a"));
    sample(&f, AIU_SERIES_POWER3, 1, 1, 4, text_of(&f, "Power b"));
    sample(&f, AIU_SERIES_POWER4, 1, 60, 5, 0);
    sample(&f, AIU_SERIES_TRANSFER_BW, 1, 1, 0.123456, 0);
    sample(&f, AIU_SERIES_POWER4, 0, 5, 1.5, 0);
    sample(&f, AIU_SERIES_POWER4, 0, 3, 2.5, 0);
    sample(&f, AIU_SERIES_POWER4, 0, 5, 0.5, 0);
    sample(&f, AIU_SERIES_COLL_BW, -1, 7, 8, 0);
    sample(&f, AIU_SERIES_BW_PCIE, -5, 7, 9, 0);
    draw(&f);
    expect_drawn(f.f, "all ranks (global 0)\n"
                      "  all ranks collective bandwidth [GB/s]\n"
                      "    7000 = 8\n"
                      "  rank 0 power [W]\n"
                      "    3000 = 2.5\n"
                      "    5000 = 1.5\n"
                      "    5000 = 0.5\n"
                      "    60000 = 0\n"
                      "  rank 1 power [W]\n"
                      "    60000 = 5\n"
                      "  rank 1 charge b [charge/cycle]\n"
                      "    1000 = 4\n"
                      "    2000 = 3\n"
                      "  rank 1 charge a [charge/cycle]\n"
                      "    1000 = 2\n"
                      "  rank 0 transfer bandwidth [GB/s]\n"
                      "    10000 = 2\n"
                      "    20000 = 0\n"
                      "  rank 1 transfer bandwidth [GB/s]\n"
                      "    1000 = 0.1235\n"
                      "  proc queued kernels [kernels]\n"
                      "    1000 = 123456\n"
                      "rank 0 analysis (process 4)\n"
                      "  rank 0 jobs\n"
                      "    20000 +40000 job-1.json kernels=1 busy_us=40\n"
                      "rank 1 analysis (process 9)\n"
                      "  rank 1 jobs\n"
                      "    20000 +40000 job-1.json kernels=1 busy_us=40\n");
    facts_close(&f);
}

/* The bandwidth of collectives ends with them, whatever counters of the stages say; what those guess is not drawn. */
Test(aiu_collective_costs, bandwidth_ends_with_its_collective)
{
    static const stay_row rows[] = {{0, 0, 10, 20}, {0, 1, 10, 20}};
    static const uint64_t bytes[] = {1000};
    aiu_facts_run f;
    facts_open(&f, NULL);
    make_exchange(&f, rows, COUNT(rows), bytes);
    sample(&f, AIU_SERIES_COLL_BW, -1, 7, 8, 0);
    sample(&f, AIU_SERIES_BW_PCIE, 0, 7, 9, 0);
    sample(&f, AIU_SERIES_BW_PCIE, 2, 7, 9, 0);
    draw(&f);
    expect_drawn(f.f,
                 "all ranks (global 0)\n"
                 "  all ranks collectives\n"
                 "    10000 +10000 0 G0, rank 0 last ranks=2 bytes=1000 gb_per_s=0.2 straggler=0 late_ns=0 lost_ns=0\n"
                 "  all ranks collective bandwidth [GB/s]\n"
                 "    10000 = 0.2\n"
                 "    20000 = 0\n"
                 "rank 0 analysis (process 4)\n"
                 "  rank 0 collectives\n"
                 "    10000 +10000 0 G0, arrived last collective=0 bytes=1000 waited_ns=0\n"
                 "rank 1 analysis (process 9)\n"
                 "  rank 1 collectives\n"
                 "    10000 +10000 0 G0 collective=0 bytes=1000 waited_ns=0\n");
    facts_close(&f);
}

/* Bytes move where a slice of the device between host and device says how many, for a time. */
Test(aiu_collective_costs, bytes_that_move)
{
    static const struct {
        const char *name;
        double dur;
        uint64_t bytes;
        uint32_t flags;
    } slices[] = {{"a DmaI", 10, 10000, AIU_HAS_TS | AIU_HAS_BYTES},
                  {"b DmaO", 5, 5000, AIU_HAS_TS | AIU_HAS_BYTES},
                  {"c Cmpt Exec", 10, 7, AIU_HAS_TS | AIU_HAS_BYTES},
                  {"d Cmpt Prep", 10, 7, AIU_HAS_TS | AIU_HAS_BYTES},
                  {"e DmaI", 10, 7, AIU_HAS_TS},
                  {"f DmaI", 10, 0, AIU_HAS_TS | AIU_HAS_BYTES},
                  {"g DmaI", 10, 7, AIU_HAS_BYTES},
                  {"h DmaI", 0, 7, AIU_HAS_TS | AIU_HAS_BYTES}};
    aiu_facts_run f;
    facts_open(&f, NULL);
    for (uint32_t i = 0; i < COUNT(slices); i++) {
        uint32_t e = add_host(&f, slices[i].name, 3, 1, 0, slices[i].dur);
        f.run.events.bytes[e] = slices[i].bytes;
        f.run.events.flags[e] = slices[i].flags;
    }
    sample(&f, AIU_SERIES_PREPS, 3, 1, 1, 0);
    draw(&f);
    expect_drawn(f.f, "rank 3 analysis (global 0)\n"
                      "  rank 3 jobs\n"
                      "    0 +10000 job-1.json kernels=1 busy_us=10\n"
                      "  rank 3 transfer bandwidth [GB/s]\n"
                      "    0 = 2\n"
                      "    5000 = 1\n"
                      "    10000 = 0\n"
                      "  rank 3 queued kernels [kernels]\n"
                      "    1000 = 1\n");
    facts_close(&f);
}
