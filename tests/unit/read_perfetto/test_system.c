/* Processes as the system lists them, clock snapshots as rows, packets by kind. Expected values are those of Perfetto's
 * engine v55.3 for the same packets, unless a comment says otherwise. */
#include "support.h"

static void show_text(const pf_trace *t, uint32_t id, pf_buffer *out)
{
    pf_str s = pf_trace_string(t, id);
    pf_buffer_format(out, s.ptr ? " '%.*s'" : " -", (int)s.len, s.ptr ? s.ptr : "");
}

static void show_number(int64_t v, pf_buffer *out)
{
    if (v == INT64_MIN) {
        pf_buffer_text(out, " -");
    } else {
        pf_buffer_format(out, " %lld", (long long)v);
    }
}

/* ---- process tree ------------------------------------------------------------------------------------------------ */

typedef struct listed {
    uint64_t pid, parent, uid, start;
    const char *command, *argument;
    int kernel; /* 0 absent, 1 false, 2 true */
    bool is_comm;
} listed;

static void list_process(bytes *b, listed p)
{
    packet(b, 1, 1, NONE);
    pf_writer_begin(&b->w, PF_F_PACKET_PROCESS_TREE);
    pf_writer_begin(&b->w, 1);
    pf_writer_varint(&b->w, 1, p.pid);
    pf_writer_varint(&b->w, 2, p.parent);
    text(b, 3, p.command);
    text(b, 3, p.argument);
    if (p.uid) {
        pf_writer_varint(&b->w, 5, p.uid);
    }
    if (p.start) {
        pf_writer_varint(&b->w, 7, p.start);
    }
    if (p.kernel) {
        pf_writer_varint(&b->w, 8, p.kernel == 2);
    }
    pf_writer_varint(&b->w, 9, p.is_comm);
    end(b);
    end(b);
    end(b);
}

static void list_thread(bytes *b, uint64_t tid, uint64_t tgid, const char *name)
{
    packet(b, 1, 1, NONE);
    pf_writer_begin(&b->w, PF_F_PACKET_PROCESS_TREE);
    pf_writer_begin(&b->w, 2);
    pf_writer_varint(&b->w, 1, tid);
    text(b, 2, name);
    pf_writer_varint(&b->w, 3, tgid);
    end(b);
    end(b);
    end(b);
}

Test(process_tree, threads)
{
    bytes b;
    start(&b);
    list_thread(&b, 11, 10, "worker");
    list_thread(&b, 10, 10, "main");
    list_thread(&b, 12, 10, "one");
    list_thread(&b, 12, 10, "another"); /* of the same rank: the later name counts */
    pf_trace *t = load(&b);
    const pf_threads *h = pf_trace_threads(t);
    pf_buffer got = {0};
    for (uint32_t i = 0; i < h->count; i++) {
        pf_buffer_format(&got, "%lld %lld", (long long)h->tid[i],
                         h->upid[i] == PF_NONE ? -1LL : (long long)pf_trace_processes(t)->pid[h->upid[i]]);
        show_text(t, h->name[i], &got);
        pf_buffer_text(&got, "\n");
    }
    expect_text(&got, "0 0 -\n10 10 'main'\n11 10 'worker'\n12 10 'another'\n");
    pf_trace_free(t);
    finish(&b);
}

/* The second line for pid 10 follows v58: a process keeps its first parent. */
Test(process_tree, details)
{
    bytes b;
    start(&b);
    list_process(&b, (listed){.pid = 10, .parent = 1, .command = "/a b", .uid = 7, .start = 99});
    list_process(&b, (listed){.pid = 11, .parent = 10, .command = "/a", .argument = "x y"});
    list_process(&b, (listed){.pid = 12, .parent = 0, .command = "kworker/R-cryptd", .kernel = 2, .is_comm = true});
    list_process(&b, (listed){.pid = 13, .parent = 1});
    list_process(&b, (listed){.pid = 10, .parent = 2, .command = "/a c", .uid = 8, .kernel = 1, .start = 100});
    pf_trace *t = load(&b);
    const pf_processes *p = pf_trace_processes(t);
    pf_buffer got = {0};
    for (uint32_t i = 1; i < p->count; i++) {
        pf_buffer_format(&got, "%lld", (long long)p->pid[i]);
        show_text(t, p->name[i], &got);
        show_text(t, p->cmdline[i], &got);
        show_number(p->parent_upid[i] == PF_NONE ? INT64_MIN : p->pid[p->parent_upid[i]], &got);
        show_number(p->uid[i], &got);
        show_number(p->start_ts[i], &got);
        pf_buffer_text(&got, "\n");
    }
    expect_text(&got, "1 - - - - -\n10 '/a' '/a c' 1 8 99\n11 '/a' '/a x y' 10 - -\n"
                      "12 'kworker/R' 'kworker/R' 0 - -\n2 - - - - -\n");
    const pf_row_args *a = pf_trace_row_args(t);
    cr_assert_eq(a->count, 2);
    cr_expect_eq(a->row[0], 4);
    cr_expect_eq(a->number[0], 1);
    cr_expect_eq(a->row[1], 2);
    cr_expect_eq(a->number[1], 0);
    pf_trace_free(t);
    finish(&b);
}

Test(process_stats, become_counters)
{
    bytes b;
    start(&b);
    packet(&b, 9, 1, NONE);
    pf_writer_begin(&b.w, PF_F_PACKET_PROCESS_STATS);
    pf_writer_begin(&b.w, 1);
    pf_writer_varint(&b.w, 1, 10);
    pf_writer_varint(&b.w, 2, 0);
    pf_writer_varint(&b.w, 3, 4);
    pf_writer_varint(&b.w, 3, 5);
    pf_writer_varint(&b.w, 10, (uint64_t)-100);
    pf_writer_varint(&b.w, 21, 9);
    pf_writer_varint(&b.w, 24, 3);
    end(&b);
    pf_writer_begin(&b.w, 1);
    pf_writer_varint(&b.w, 1, 77);
    pf_writer_varint(&b.w, 3, 1);
    end(&b);
    end(&b);
    end(&b);
    packet(&b, NONE, 1, NONE); /* without a time: that of the latest packet */
    pf_writer_begin(&b.w, PF_F_PACKET_PROCESS_STATS);
    pf_writer_begin(&b.w, 1);
    pf_writer_varint(&b.w, 1, 10);
    pf_writer_varint(&b.w, 3, 1);
    end(&b);
    end(&b);
    end(&b);
    pf_trace *t = load(&b);
    pf_buffer got = {0};
    show_counters(t, &got);
    expect_text(&got,
                "9 0 | process_memory mem.virt pid 10 -\n9 5120 | process_memory mem.rss pid 10 -\n"
                "9 -100 | oom_score_adj oom_score_adj pid 10 -\n9 9 | proc_stat_runtime runtime.user_ns pid 10 -\n"
                "9 3072 | process_memory mem.dmabuf_rss pid 10 -\n9 1024 | process_memory mem.rss pid 77 -\n"
                "9 1024 | process_memory mem.rss pid 10 -\n");
    const pf_counters *c = pf_trace_counters(t);
    cr_expect_eq(c->track[6], c->track[1], "one track per process and kind");
    cr_expect_neq(c->track[5], c->track[1]);
    const pf_row_args *a = pf_trace_row_args(t);
    cr_assert_geq(a->count, 1);
    cr_expect_eq(a->owner[0], PF_OWNER_TRACK_DIMENSION);
    show_text(t, a->key[0], &got);
    show_text(t, a->text[0], &got);
    expect_text(&got, " 'process_memory_key' 'virt'");
    pf_trace_free(t);
    finish(&b);
}

/* ---- clocks ------------------------------------------------------------------------------------------------------ */

static void expect_clocks(const bytes *b, const char *want)
{
    pf_trace *t = load(b);
    const pf_clock_snapshots *c = pf_trace_clock_snapshots(t);
    pf_buffer got = {0};
    for (uint32_t i = 0; i < c->count; i++) {
        pf_buffer_format(&got, "%lld %lld", (long long)c->ts[i], (long long)c->clock_id[i]);
        show_text(t, c->clock_name[i], &got);
        pf_buffer_format(&got, " %lld %u\n", (long long)c->clock_value[i], c->snapshot_id[i]);
    }
    expect_text(&got, want);
    pf_trace_free(t);
}

Test(clock_rows, of_all_kinds)
{
    static const uint64_t first[][4] = {{64, 100, 1, 1000}, {6, 5000000}}, second[][4] = {{3, 1000}, {6, 5001000}},
                          third[][4] = {{3, 2000}, {6, 5003000}}, fourth[][4] = {{1, 99}, {3, 2500}, {128, 7}};
    bytes b;
    start(&b);
    snapshot(&b, 1, NONE, first, 2, 0);
    snapshot(&b, 1, NONE, second, 2, 0);
    snapshot(&b, 1, NONE, third, 2, 0);
    snapshot(&b, 1, NONE, fourth, 3, 0);
    expect_clocks(&b, "5000000 64 - 100000 0\n5000000 6 'BOOTTIME' 5000000 0\n"
                      "5001000 3 'MONOTONIC' 1000 1\n5001000 6 'BOOTTIME' 5001000 1\n"
                      "5003000 3 'MONOTONIC' 2000 2\n5003000 6 'BOOTTIME' 5003000 2\n"
                      "5003500 1 'REALTIME' 99 3\n5003500 3 'MONOTONIC' 2500 3\n5003500 128 - 7 3\n");
    finish(&b);
}

/* Clocks that nothing relates to the trace clock have no rows; to try fixes the trace clock, and the tie between boot
 * clock and file is a snapshot of its own. */
Test(clock_rows, unrelated_clocks)
{
    static const uint64_t first[][4] = {{3, 1000}, {1, 5000}}, second[][4] = {{3, 1200}, {6, 5000}};
    bytes b;
    start(&b);
    snapshot(&b, 1, NONE, first, 2, 0);
    snapshot(&b, 1, NONE, second, 2, 0);
    expect_clocks(&b, "5000 3 'MONOTONIC' 1200 2\n5000 6 'BOOTTIME' 5000 2\n");
    pf_trace *t = load(&b);
    cr_expect_eq(stat_of(t, PF_STAT_CLOCK_NO_PATH), 2);
    cr_expect_eq(pf_trace_metadata(t)->count, 0, "no clock was claimed in time");
    pf_trace_free(t);
    finish(&b);
}

/* Snapshots with a trace clock that runs backwards, or a clock twice, have a number and no rows. A clock that ran
 * backwards stands at the time of the trace clock. */
Test(clock_rows, bad_snapshots)
{
    static const uint64_t first[][4] = {{3, 1000}, {6, 5000}}, second[][4] = {{3, 900}, {6, 6000}},
                          twice[][4] = {{3, 1900}, {6, 7000}, {6, 8}}, last[][4] = {{3, 1950}, {6, 4900}};
    bytes b;
    start(&b);
    snapshot(&b, 1, NONE, first, 2, 3);
    snapshot(&b, 1, NONE, second, 2, 0);
    snapshot(&b, 1, NONE, twice, 3, 0);
    snapshot(&b, 1, NONE, last, 2, 3);
    expect_clocks(&b, "1000 3 'MONOTONIC' 1000 0\n1000 6 'BOOTTIME' 5000 0\n"
                      "1950 3 'MONOTONIC' 1950 3\n1950 6 'BOOTTIME' 4900 3\n");
    pf_trace *t = load(&b);
    const pf_metadata *m = pf_trace_metadata(t);
    pf_buffer got = {0};
    cr_expect_eq(stat_of(t, PF_STAT_CLOCK_INVALID_SNAPSHOT), 2);
    cr_assert_eq(m->count, 1);
    show_text(t, m->name[0], &got);
    expect_text(&got, " 'trace_time_clock_id'");
    cr_expect_eq(m->number[0], 3);
    pf_trace_free(t);
    finish(&b);
}

/* ---- packets by kind (by hand: a packet is a tag, a length, and its body) ---------------------------------------- */

/* Events whose names and tracks are known are applied in runs; they are counted as well. An event here has 16 bytes:
 * tag and length (2), time and sequence (4), tag and length of the event (2), type (2), track (2), name (4). */
Test(packets, by_kind_when_applied_in_runs)
{
    enum { EVENTS = 1000 };
    bytes b;
    start(&b);
    describe_track(&b, 5, 0, "t", 0);
    size_t described = b.out.len;
    for (unsigned i = 0; i < EVENTS; i++) {
        event(&b, 1 + i % 100, 1, PF_EVENT_INSTANT, 5, "a");
    }
    cr_assert_eq(b.out.len, described + EVENTS * 16);
    pf_trace *t = load(&b);
    const pf_input *in = pf_trace_input(t, 0);
    uint64_t packets = 0, sum = 0;
    for (size_t i = 0; i < in->packet_kinds; i++) {
        packets += in->packets[i].field == 11 ? in->packets[i].packets : 0;
        sum += in->packets[i].field == 11 ? in->packets[i].bytes : 0;
    }
    cr_expect_eq(packets, EVENTS);
    cr_expect_eq(sum, EVENTS * 16);
    pf_trace_free(t);
    finish(&b);
}

Test(packets, by_kind)
{
    bytes b;
    start(&b);
    event(&b, 1, 1, PF_EVENT_INSTANT, 5, NULL);
    event(&b, 1, 9, PF_EVENT_INSTANT, 5, NULL);
    packet(&b, NONE, 1, NONE);
    end(&b);
    packet(&b, NONE, NONE, NONE);
    text(&b, 38, "12345"); /* battery */
    end(&b);
    packet(&b, NONE, NONE, NONE);
    text(&b, 1500, "1"); /* an extension */
    end(&b);
    pf_trace *t = load(&b);
    const pf_input *in = pf_trace_input(t, 0);
    pf_buffer got = {0};
    for (size_t i = 0; i < in->packet_kinds; i++) {
        const pf_packet_kind *k = &in->packets[i];
        pf_buffer_format(&got, "%u %s %llu %llu\n", k->field, k->name, (unsigned long long)k->packets,
                         (unsigned long long)k->bytes);
    }
    expect_text(&got, "0 (no data) 1 4\n11 track_event 2 24\n38 battery 1 10\n255 (extension) 1 6\n");
    cr_expect_eq(b.out.len, 4 + 24 + 10 + 6, "nothing is left out");
    cr_expect_eq(in->sequences, 2);
    cr_expect_eq(in->max_sequence_id, 9);
    pf_trace_free(t);
    finish(&b);
}

/* ---- start times ------------------------------------------------------------------------------------------------- */

static void put_process(bytes *b, uint64_t pid, const char *name, uint64_t start_ts)
{
    pf_writer_varint(&b->w, 1, pid);
    text(b, 6, name);
    if (start_ts) {
        pf_writer_varint(&b->w, 7, start_ts);
    }
}

/* A descriptor of a track, else one of the older kind, which has no track. */
static void start_process(bytes *b, bool of_track, uint64_t pid, const char *name, uint64_t start_ts)
{
    packet(b, 20, 1, NONE);
    pf_writer_begin(&b->w, of_track ? PF_F_PACKET_TRACK_DESCRIPTOR : PF_F_PACKET_PROCESS_DESCRIPTOR);
    if (of_track) {
        pf_writer_varint(&b->w, 1, pid);
        pf_writer_begin(&b->w, 3);
    }
    put_process(b, pid, name, start_ts);
    if (of_track) {
        end(b);
    }
    end(b);
    end(b);
}

/* One line per process: pid, name, start. */
static void expect_starts(bytes *b, const char *want)
{
    pf_buffer got = {0};
    pf_trace *t = load(b);
    const pf_processes *p = pf_trace_processes(t);
    for (uint32_t i = 1; i < p->count; i++) {
        pf_buffer_format(&got, "%lld", (long long)p->pid[i]);
        show_text(t, p->name[i], &got);
        show_number(p->start_ts[i], &got);
        pf_buffer_text(&got, "\n");
    }
    expect_text(&got, want);
    pf_trace_free(t);
    finish(b);
}

/* The first start counts, the last name. */
Test(processes, starts_of_descriptors)
{
    bytes b;
    start(&b);
    start_process(&b, true, 70, "a", 0);
    start_process(&b, true, 70, "b", 1234);
    start_process(&b, true, 70, "c", 99);
    start_process(&b, false, 71, "old", 55);
    start_process(&b, false, 72, "older", 0);
    start_process(&b, false, 73, "before time zero", (uint64_t)-5);
    expect_starts(&b, "70 'c' 1234\n71 'old' 55\n72 'older' -\n73 'before time zero' -\n");
}

/* A tree gives starts in the boot clock. */
Test(processes, starts_of_a_tree_are_converted)
{
    static const struct {
        uint64_t clocks[2][4];
        int primary;
        const char *want;
    } all[] = {{{{PF_CLOCK_MONOTONIC, 100}, {PF_CLOCK_BOOTTIME, 1000}}, PF_CLOCK_MONOTONIC, "1 - -\n10 '/a' 1101\n"},
               {{{PF_CLOCK_MONOTONIC, 100}, {PF_CLOCK_BOOTTIME, 1000}}, PF_CLOCK_BOOTTIME, "1 - -\n10 '/a' 2001\n"}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        bytes b;
        start(&b);
        snapshot(&b, 1, NONE, all[i].clocks, 2, all[i].primary);
        list_process(&b, (listed){.pid = 10, .parent = 1, .command = "/a", .start = 2001});
        list_process(&b, (listed){.pid = 10, .parent = 1, .command = "/a", .start = 1});
        expect_starts(&b, all[i].want);
    }
}

Test(reading, ends_when_it_is_cancelled)
{
    bytes b;
    volatile int cancel = 1;
    pf_read_options o = pf_read_options_default();
    pf_status st = PF_OK;
    o.cancel = &cancel;
    start(&b);
    event(&b, 1, 1, PF_EVENT_INSTANT, 0, "e");
    for (; cancel >= 0; cancel--) {
        pf_trace *t = load_bytes(b.out.data, b.out.len, &o, 0, &st);
        cr_expect_eq(st, cancel ? PF_ERR_CANCELLED : PF_OK);
        cr_expect_eq(pf_trace_events(t)->count, cancel ? 0 : 1);
        pf_trace_free(t);
    }
    finish(&b);
}
