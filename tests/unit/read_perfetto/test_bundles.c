/* Bundles of ftrace events: damage, and numbers of tasks that are used again. Expected values by hand, after the rules
 * of docs/reference/perfetto.md, "System traces". */
#include <stdio.h>

#include "spelled.h"
#include "support.h"

#include "model/trace/side_tables.h"

/* What a trace of these packets has of the scheduler, its threads, and what was wrong. */
static void expect_trace(bytes *b, const char *wanted)
{
    pf_read_options o = pf_read_options_default();
    o.want |= PF_WANT_RAW_EVENTS;
    pf_trace *t = load_bytes(b->out.data, b->out.len, &o, 0, NULL);
    const pf_threads *h = pf_trace_threads(t);
    const pf_side_table *s = &t->sides.known[PF_SIDE_SCHED], *raw = &t->sides.known[PF_SIDE_FTRACE_EVENT];
    pf_buffer got = {0};
    for (uint32_t i = 1; i < h->count; i++) {
        pf_str name = pf_trace_string(t, h->name[i]);
        pf_buffer_format(&got, "%lld '%.*s' of %lld from %lld to %lld\n", (long long)h->tid[i], (int)name.len,
                         name.ptr ? name.ptr : "",
                         h->upid[i] == PF_NONE ? -1LL : (long long)pf_trace_processes(t)->pid[h->upid[i]],
                         h->start_ts[i] == INT64_MIN ? -1LL : (long long)h->start_ts[i],
                         h->end_ts[i] == INT64_MIN ? -1LL : (long long)h->end_ts[i]);
    }
    for (uint32_t i = 0; i < s->count; i++) {
        pf_str state = pf_trace_string(t, *pf_side_ref(s, PF_SCHED_END_STATE, i));
        pf_buffer_format(&got, "%lld + %lld: utid %u %.*s\n", (long long)*pf_side_number(s, PF_SCHED_TS, i),
                         (long long)*pf_side_number(s, PF_SCHED_DUR, i), *pf_side_ref(s, PF_SCHED_UTID, i),
                         (int)state.len, state.ptr ? state.ptr : "");
    }
    for (uint32_t i = 0; i < raw->count; i++) {
        pf_str name = pf_trace_string(t, *pf_side_ref(raw, PF_FTRACE_EVENT_NAME, i));
        pf_buffer_format(&got, "%lld %.*s\n", (long long)*pf_side_number(raw, PF_FTRACE_EVENT_TS, i), (int)name.len,
                         name.ptr ? name.ptr : "-");
    }
    for (size_t i = 0; i < pf_trace_stat_count(t); i++) {
        const pf_stat fault = pf_trace_stat(t, i);
        if (fault.count) {
            pf_buffer_format(&got, "%s %llu\n", fault.name, (unsigned long long)fault.count);
        }
    }
    expect_text(&got, wanted);
    pf_trace_free(t);
    finish(b);
}

/* A packet with a bundle of cpu 0 that has one list of compact switches. */
static void compact(bytes *b, pf_str times, pf_str states, pf_str tids, pf_str priorities, pf_str comms)
{
    const pf_str lists[] = {times, states, tids, priorities, {NULL, 0}, comms};
    packet(b, 1, 1, NONE);
    pf_writer_begin(&b->w, PF_F_PACKET_FTRACE_EVENTS);
    pf_writer_varint(&b->w, PF_F_FTRACE_CPU, 0);
    pf_writer_begin(&b->w, PF_F_FTRACE_COMPACT_SCHED);
    text(b, PF_F_COMPACT_TEXTS, "one");
    text(b, PF_F_COMPACT_TEXTS, "two");
    for (uint32_t i = 0; i < 6; i++) {
        if (lists[i].ptr) {
            pf_writer_bytes(&b->w, 1 + i, lists[i].ptr, lists[i].len);
        }
    }
    end(b);
    end(b);
    end(b);
}

#define PACKED(text) PF_STR(text)

Test(bundles, whole_lists)
{
    bytes b;
    start(&b);
    compact(&b, PACKED("\x64\x05\x07"), PACKED("\x01\x02\x00"), PACKED("\x07\x08\x07"), PACKED("\x78\x79\x78"),
            PACKED("\x00\x01\x00"));
    expect_trace(&b, "7 'one' of -1 from -1 to -1\n8 'two' of -1 from -1 to -1\n"
                     "105 + 7: utid 2 R\n112 + -1: utid 1 \n105 sched_switch\n112 sched_switch\n"
                     "compact_sched_switch_skipped 1\n");
}

/* Entries count as far as all lists go, and up to one whose text is not there. */
Test(bundles, damaged_lists)
{
    static const struct {
        pf_str times, states, tids, comms;
        const char *wanted;
    } cases[] = {
        {{"\x64\x05\x07", 3}, {"\x01\x02", 2}, {"\x07\x08\x07", 3}, {"\x00\x01\x00", 3}, "105 + -1: utid 2 \n"},
        {{"\x64\x05\x07", 3}, {"\x01\x02\x00", 3}, {"\x07\x08\x07", 3}, {"\x00\x01\x02", 3}, "105 + -1: utid 2 \n"},
        {{"\x64\x05\x87", 3}, {"\x01\x02\x00", 3}, {"\x07\x08\x07", 3}, {"\x00\x01\x00", 3}, "105 + -1: utid 2 \n"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bytes b;
        char wanted[256];
        start(&b);
        compact(&b, cases[i].times, cases[i].states, cases[i].tids, PACKED("\x78\x79\x78"), cases[i].comms);
        snprintf(wanted, sizeof wanted,
                 "7 'one' of -1 from -1 to -1\n8 'two' of -1 from -1 to -1\n%s105 sched_switch\n"
                 "compact_sched_has_parse_errors 1\ncompact_sched_switch_skipped 1\n",
                 cases[i].wanted);
        expect_trace(&b, wanted);
    }
}

/* The third entry is at a time of 2^63 + 105. */
Test(bundles, times_before_zero)
{
    bytes b;
    start(&b);
    compact(&b, PACKED("\x64\x05\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01"), PACKED("\x01\x02\x00"),
            PACKED("\x07\x08\x07"), PACKED("\x78\x79\x78"), PACKED("\x00\x01\x00"));
    expect_trace(&b, "7 'one' of -1 from -1 to -1\n8 'two' of -1 from -1 to -1\n105 + -1: utid 2 \n105 sched_switch\n"
                     "trace_sorter_negative_timestamp_dropped 1\ncompact_sched_switch_skipped 1\n");
}

Test(bundles, cpus_that_cannot_be)
{
    bytes b;
    start(&b);
    spell(&b, "1{8:1 1{2{1:5 2:3 20{2:4}}}} 1{8:1 1{1:1024 2{1:5 2:3 20{2:4}}}}", AS_IT_STANDS);
    spell(&b, "1{8:1 1{1:1023 2{1:5 2:3 20{1'x' 2:4}} 2{2:3 20{2:6}} 2{1:6 2:3} 2{1:7 20{2:9}}}}", AS_IT_STANDS);
    expect_trace(&b, "3 '' of -1 from -1 to -1\n4 'x' of -1 from -1 to -1\n5 sched_waking\n"
                     "ftrace_bundle_tokenizer_errors 3\nftrace_missing_event_id 1\n");
}

/* Thread 20 of process 10, forked by 5, is freed and made again by a process that is known later only. */
Test(bundles, tids_that_are_used_again)
{
    bytes b;
    start(&b);
    spell(&b,
          "1{8:1 1{1:0 2{1:10 2:5 235{1:10 2'fork' 3:0}} 2{1:20 2:10 235{1:20 2'first' 3:65536}}"
          " 2{1:30 2:0 240{1'first' 2:20}} 2{1:40 2:0 240{1'first' 2:20}} 2{1:50 2:30 235{1:20 2'second' 3:65536}}}}"
          "1{8:60 2{1{1:31 2:1 3'p'} 2{1:30 2'w' 3:31}}}",
          AS_IT_STANDS);
    expect_trace(&b, "5 '' of -1 from -1 to -1\n10 'fork' of 10 from 10 to -1\n20 'first' of 10 from 20 to 30\n"
                     "30 'w' of 31 from -1 to -1\n20 'second' of 31 from 50 to -1\n1 '' of 1 from -1 to -1\n"
                     "31 '' of 31 from -1 to -1\n"
                     "10 task_newtask\n20 task_newtask\n30 sched_process_free\n40 sched_process_free\n"
                     "50 task_newtask\n");
}
