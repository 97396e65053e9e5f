/* unit/edit/test_merge_rules.c - what becomes of ids that two inputs have (docs/reference/merge.md). The inputs are the
 * same trace twice, or one that has what the other would become. */
#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#include "cut_packets.h"
#include "scratch.h"

TestSuite(merge_rules, .init = scratch_enter, .fini = scratch_leave);

static void merge(const char *first, const char *second)
{
    pf_merge_input inputs[] = {{.path = first}, {.path = second}};
    pf_merge_options o = pf_merge_options_default();
    pf_merge_result r = {.size = sizeof r};
    pf_error err;
    o.inputs = inputs;
    o.input_count = 2;
    o.input_size = sizeof *inputs;
    cr_assert_eq(pf_merge("out.pftrace", &o, &r, &err), PF_OK, "%s", err.text);
    pf_trace_free(inputs[0].trace);
    pf_trace_free(inputs[1].trace);
}

/* How often the result has these bytes. */
static unsigned times(const char *what, size_t what_len)
{
    size_t len;
    unsigned count = 0;
    char *all = read_file("out.pftrace", &len);
    for (char *at = all; (at = memmem(at, (size_t)(all + len - at), what, what_len)); at++) {
        count++;
    }
    free(all);
    return count;
}

static void describe_process(uint64_t uuid, uint64_t pid)
{
    enum { PROCESS = 3 };
    pf_writer_begin(&w, PF_F_TRACE_PACKET);
    pf_writer_begin(&w, PF_F_PACKET_TRACK_DESCRIPTOR);
    pf_writer_varint(&w, 1, uuid);
    pf_writer_begin(&w, PROCESS);
    pf_writer_varint(&w, 1, pid);
    pf_writer_end(&w);
    done();
}

Test(merge_rules, a_pid_that_has_no_free_number_gets_the_largest)
{
    static const uint64_t pids[] = {20000000, 7}; /* more than ten million; whose next number is taken */
    for (size_t i = 0; i < 2; i++) {
        start();
        describe_process(7, pids[i]);
        describe_process(8, 10000007);
        write_file("a.pftrace");
        start();
        describe_process(9, pids[i]);
        write_file("b.pftrace");
        merge("a.pftrace", "b.pftrace");
        cr_expect_eq(times("\x08\xff\xff\xff\xff\x07", 6), 1, "%zu", i); /* 2^31 - 1 */
    }
}

Test(merge_rules, pids_that_programs_write_into_ftrace_move_too)
{
    enum { PRINT = 3, TEXT = 2 };
    start();
    describe_process(7, 1234);
    pf_writer_begin(&w, PF_F_TRACE_PACKET);
    pf_writer_begin(&w, PF_F_PACKET_FTRACE_EVENTS);
    pf_writer_varint(&w, PF_F_FTRACE_CPU, 0);
    pf_writer_begin(&w, PF_F_FTRACE_EVENT);
    pf_writer_varint(&w, PF_F_FTRACE_EVENT_TIMESTAMP, 10);
    pf_writer_varint(&w, PF_F_FTRACE_EVENT_PID, 1234);
    pf_writer_begin(&w, PRINT);
    text(TEXT, "B|1234|x\n");
    pf_writer_end(&w);
    pf_writer_end(&w);
    done();
    write_file("a.pftrace");
    merge("a.pftrace", "a.pftrace");
    cr_expect_eq(times("B|1234|x\n", 9), 1);
    cr_expect_eq(times("B|10001234|x\n", 13), 1);
}

/* Calls of binder, which share their number with what receives them, and frames, of which start and end share a cookie.
 */
Test(merge_rules, processes_and_pairs_of_android_stay_apart)
{
    enum { TRANSACTION = 50, RECEIVED = 51, ACTUAL_DISPLAY = 2, FRAME_END = 5, PAIR = 1, TO = 3, TO_THREAD = 4 };
    start();
    describe_process(7, 1234);
    for (uint32_t kind = TRANSACTION; kind <= RECEIVED; kind++) {
        pf_writer_begin(&w, PF_F_TRACE_PACKET);
        pf_writer_begin(&w, PF_F_PACKET_FTRACE_EVENTS);
        pf_writer_varint(&w, PF_F_FTRACE_CPU, 0);
        pf_writer_begin(&w, PF_F_FTRACE_EVENT);
        pf_writer_varint(&w, PF_F_FTRACE_EVENT_TIMESTAMP, 10);
        pf_writer_varint(&w, PF_F_FTRACE_EVENT_PID, 1234);
        pf_writer_begin(&w, kind);
        pf_writer_varint(&w, PAIR, 77);
        if (kind == TRANSACTION) {
            pf_writer_varint(&w, TO, 1234);
            pf_writer_varint(&w, TO_THREAD, 1234);
        }
        pf_writer_end(&w);
        pf_writer_end(&w);
        done();
    }
    for (uint32_t kind = ACTUAL_DISPLAY; kind <= FRAME_END; kind += FRAME_END - ACTUAL_DISPLAY) {
        pf_writer_begin(&w, PF_F_TRACE_PACKET);
        pf_writer_varint(&w, PF_F_PACKET_TIMESTAMP, 20);
        pf_writer_begin(&w, PF_F_PACKET_FRAME_TIMELINE_EVENT);
        pf_writer_begin(&w, kind);
        pf_writer_varint(&w, PAIR, 77);
        if (kind == ACTUAL_DISPLAY) {
            pf_writer_varint(&w, TO, 1234);
        }
        pf_writer_end(&w);
        done();
    }
    write_file("a.pftrace");
    merge("a.pftrace", "a.pftrace");
    cr_expect_eq(times("\x08\x4d", 2), 4); /* 77 of the first one alone */
    cr_expect_eq(times("\x18\xd2\x09\x20\xd2\x09", 6), 1);
    cr_expect_eq(times("\x18\xd2\xb6\xe2\x04\x20\xd2\xb6\xe2\x04", 10), 1); /* 10,001,234 */
    cr_expect_eq(times("\x4d\x18\xd2\x09", 4), 2);
}

/* A flow of two slices in each input, whose times are the same. */
Test(merge_rules, flows_of_one_id_stay_two)
{
    for (int i = 0; i < 2; i++) {
        start();
        describe(7, 0, i ? "second" : "first");
        for (uint64_t ts = 10; ts < 30; ts += 10) {
            event(ts, 1, PF_EVENT_INSTANT, 7);
            text(PF_F_EVENT_NAME, i ? "b" : "a");
            pf_writer_fixed64(&w, PF_F_EVENT_FLOW_IDS, 99);
            done();
        }
        write_file(i ? "b.pftrace" : "a.pftrace");
    }
    merge("a.pftrace", "b.pftrace");
    const char *path = "out.pftrace";
    pf_trace *t;
    pf_error err;
    pf_read_options o = pf_read_options_default();
    cr_assert_eq(pf_read(&path, 1, &o, &t, &err), PF_OK);
    const pf_flows *f = pf_trace_flows(t);
    cr_expect_eq(f->count, 2);
    for (uint32_t i = 0; i < f->count; i++) {
        cr_expect_eq(pf_trace_slices(t)->track[f->slice_out[i]], pf_trace_slices(t)->track[f->slice_in[i]]);
    }
    pf_trace_free(t);
}

/* What is left out may be what others build on: names that its packet says. */
Test(merge_rules, uuids_of_traces_are_left_out_and_what_their_packets_set_up_is_not)
{
    start();
    describe(7, 0, "lane");
    packet(5, 1);
    pf_writer_varint(&w, PF_F_PACKET_SEQUENCE_FLAGS, PF_SEQ_STATE_CLEARED);
    pf_writer_begin(&w, PF_F_PACKET_INTERNED_DATA);
    intern(1, "named");
    pf_writer_end(&w);
    pf_writer_begin(&w, PF_F_PACKET_TRACE_UUID);
    pf_writer_varint(&w, 1, 7654321);
    done();
    event(10, 1, PF_EVENT_INSTANT, 7);
    pf_writer_varint(&w, PF_F_EVENT_NAME_IID, 1);
    done();
    write_file("a.pftrace");
    merge("a.pftrace", "a.pftrace");
    cr_expect_eq(times("\x08\xb1\x97\xd3\x03", 5), 0);
    pf_buffer shown = {0};
    show("out.pftrace", &shown);
    pf_buffer_put(&shown, "", 1);
    cr_expect_not_null(strstr(shown.data, "named 10 0 lane (a.pftrace)\nnamed 10 0 lane (a.pftrace #2)\n"), "%s",
                       shown.data);
    pf_buffer_free(&shown);
}
