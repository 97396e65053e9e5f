/* convert.c - what a converted trace holds, packet by packet: identity, arguments, counters, arrows, and the file. */
#include <unistd.h>

#include "converted.h"

Test(convert, file_order_names_and_one_sequence)
{
    pf_trace *t = test_trace("chrome-json", WANT);
    uint32_t a = test_thread(t, 7, 1), b = test_thread(t, 7, 2);
    t->unit = PF_UNIT_CYCLE;
    test_add(t, 'M', 0, 0, a, "process_name", NULL);
    test_args(t, "tcore_trace for tile2,1 args.name");
    test_add(t, 'M', 0, 0, a, "thread_name", NULL);
    test_args(t, "tSLOT args.name");
    test_add(t, 'B', 200, 0, a, "K", "c");
    test_add(t, 'B', 100, 0, b, "L", NULL);
    test_add(t, 'E', 150, 0, b, "L", NULL);
    test_add(t, 'E', 300, 0, a, "K", "c");
    test_add(t, 'E', 400, 0, a, "K", NULL);
    test_add(t, 'i', 500, 0, a, "I", NULL);
    test_finish(t);
    test_packets p = convert(t);
    char buf[64];
    cr_assert_str_eq(test_attribute(&p, "postfetto.time_unit", buf), "cycle");
    cr_assert_str_eq(test_attribute(&p, "postfetto.version", buf), pf_version());

    cr_assert_eq(p.list[0].envelope->sequence_flags, 1);
    cr_assert(p.list[0].envelope->first_packet_on_sequence);
    for (size_t i = 0; i < p.count; i++) {
        const Pf__Proto__TrackDescriptor *d = p.list[i].envelope->track_descriptor;
        cr_assert_eq(p.list[i].envelope->has_trusted_packet_sequence_id, !(d && d->thread));
        cr_assert(!p.list[i].envelope->has_timestamp_clock_id);
        if (p.list[i].is_event) {
            cr_assert_eq(p.list[i].envelope->sequence_flags, 2);
        }
    }
    const Pf__Proto__TrackDescriptor *process = test_descriptor(&p, 0), *slot = test_descriptor(&p, 1);
    cr_assert_eq(process->process->pid, 7);
    cr_assert(test_bytes_are(process->process->process_name, "core_trace for tile2,1"));
    cr_assert_eq(slot->thread->pid, 7);
    cr_assert_eq(slot->thread->tid, 1);
    cr_assert(test_bytes_are(slot->thread->thread_name, "SLOT"));
    const Pf__Proto__TrackDescriptor *second = test_descriptor(&p, 2);
    cr_assert_eq(second->thread->tid, 2);
    cr_assert(!second->thread->has_thread_name);
    expect_events(&p, 0, "B 200 K/c\nB 100 L\nE 150 L\nE 300 K/c\nE 400 K\nI 500 I\n");
    expect_events(&p, slot->uuid, "B 200 K/c\nE 300 K/c\nE 400 K\nI 500 I\n");
    /* In place once, then interned. */
    cr_assert_eq(test_event(&p, 0)->name_iid, 0);
    cr_assert_eq(test_event(&p, 3)->name_iid, test_event(&p, 4)->name_iid);
    cr_assert_neq(test_event(&p, 4)->name_iid, 0);
    cr_assert_eq(test_event(&p, 5)->name_iid, 0);
    test_packets_free(&p);
    pf_trace_free(t);
}

Test(convert, a_renamed_process_keeps_its_uuid)
{
    pf_trace *t = test_trace("chrome-json", WANT);
    uint32_t a = test_thread(t, 7, 1);
    test_add(t, 'M', 0, 0, a, "process_name", NULL);
    test_args(t, "told args.name");
    test_add(t, 'M', 0, 0, a, "process_name", NULL);
    test_args(t, "tnew args.name");
    test_add(t, 'M', 0, 0, a, "process_name", NULL);
    test_add(t, 'M', 0, 0, a, "process_labels", NULL);
    test_finish(t);
    test_packets p = convert(t);
    const char *names[] = {"old", "new", ""};
    for (size_t i = 0; i < 3; i++) {
        const Pf__Proto__TrackDescriptor *d = test_descriptor(&p, i);
        cr_assert_eq(d->uuid, test_descriptor(&p, 0)->uuid);
        cr_assert(d->process->has_process_name && test_bytes_are(d->process->process_name, names[i]));
    }
    test_packets_free(&p);
    pf_trace_free(t);
}

/* A process that cannot keep its pid is described before its first event: by its name, however late that comes, or
 * else by its original pid. */
Test(convert, a_renumbered_process_is_called_by_its_name_or_its_original_pid)
{
    pf_trace *t = test_trace("chrome-json", WANT);
    uint32_t named = test_text_thread(t, "Spans", 3), unnamed = test_text_thread(t, "GPU 0", 4);
    test_add(t, 'i', 100, 0, named, "a", NULL);
    test_add(t, 'i', 200, 0, unnamed, "b", NULL);
    test_add(t, 'M', 0, 0, named, "process_name", NULL);
    test_args(t, "tworker args.name");
    t->processes.name[t->tracks.upid[named]] = test_string(t, "worker");
    test_finish(t);
    test_packets p = convert(t);
    const char *names[] = {"worker", "GPU 0"};
    size_t found = 0;
    for (size_t i = 0; i < p.count && found < 2; i++) {
        const Pf__Proto__TrackDescriptor *d = p.list[i].envelope->track_descriptor;
        if (d && d->process) {
            cr_assert(test_bytes_are(d->process->process_name, names[found]), "process %zu", found);
            found++;
        }
    }
    cr_assert_eq(found, 2);
    test_packets_free(&p);
    pf_trace_free(t);
}

/* The same for a thread whose id is a text. */
Test(convert, a_thread_with_a_text_for_id_is_called_by_its_name_or_that_text)
{
    pf_trace *t = test_trace("chrome-json", WANT);
    uint32_t tracks[] = {test_word_thread(t, 7, "S1"), test_word_thread(t, 7, "S2")};
    for (int i = 0; i < 2; i++) {
        test_add(t, 'i', 100 + i, 0, tracks[i], "a", NULL);
    }
    t->threads.name[t->tracks.utid[tracks[1]]] = test_string(t, "stream");
    test_finish(t);
    test_packets p = convert(t);
    const char *names[] = {"S1", "stream"};
    size_t found = 0;
    for (size_t i = 0; i < p.count; i++) {
        const Pf__Proto__TrackDescriptor *d = p.list[i].envelope->track_descriptor;
        if (d && d->thread && d->thread->has_thread_name) {
            cr_assert_lt(found, 2);
            cr_assert(test_bytes_are(d->thread->thread_name, names[found]), "thread %zu", found);
            found++;
        }
    }
    cr_assert_eq(found, 2);
    test_packets_free(&p);
    pf_trace_free(t);
}

Test(convert, what_has_no_time_or_a_negative_one_is_left_out)
{
    pf_trace *t = test_trace("chrome-json", WANT);
    uint32_t a = test_thread(t, 7, 1);
    test_add(t, 'B', -5, 0, a, "early", NULL);
    test_add(t, 'B' | PF_PHASE_BAD_TS, 0, 0, a, "bad", NULL);
    test_add(t, 'B', 0, 0, a, "zero", NULL);
    test_add(t, 'O', 3, 0, a, "object", NULL);
    test_finish(t);
    test_packets p = convert(t);
    expect_events(&p, 0, "B 0 zero\nO 3 object\n");
    test_packets_free(&p);
    pf_trace_free(t);
}

Test(convert, process_zero_is_reserved_first)
{
    pf_trace *t = test_trace("chrome-json", WANT);
    uint32_t a = test_thread(t, 0, 0);
    test_add(t, 'B', 1, 0, a, "K", NULL);
    test_finish(t);
    test_packets p = convert(t);
    const Pf__Proto__TrackDescriptor *anonymous = test_descriptor(&p, 0), *process = test_descriptor(&p, 1),
                                     *thread = test_descriptor(&p, 2);
    cr_assert(anonymous->process->has_pid && anonymous->process->pid == 0);
    cr_assert(process->process->has_pid && process->process->pid == 0);
    cr_assert_neq(anonymous->uuid, process->uuid);
    cr_assert(thread->thread->has_pid && thread->thread->has_tid);
    cr_assert_eq(test_event(&p, 0)->track, thread->uuid);
    test_packets_free(&p);
    pf_trace_free(t);
}

Test(convert, ids_that_perfetto_cannot_hold)
{
    pf_trace *t = test_trace("chrome-json", WANT);
    char buf[64];
    uint32_t taken = test_thread(t, 1 << 30, 5), text = test_text_thread(t, "Spans", 5),
             large = test_thread(t, 99999999999, INT64_C(1) << 47), negative = test_thread(t, -3, -4);
    test_add(t, 'B', 1, 0, taken, "a", NULL);
    test_add(t, 'B', 2, 0, text, "b", NULL);
    test_add(t, 'B', 3, 0, large, "c", NULL);
    test_add(t, 'B', 4, 0, negative, "d", NULL);
    test_finish(t);
    test_packets p = convert(t);
    cr_assert_str_eq(test_attribute(&p, "postfetto.pid.1073741825", buf), "Spans");
    cr_assert_str_eq(test_attribute(&p, "postfetto.pid.1073741826", buf), "99999999999");
    cr_assert_str_eq(test_attribute(&p, "postfetto.pid.1073741824", buf), "");
    cr_assert_eq(test_descriptor(&p, 0)->thread->pid, 1 << 30);
    cr_assert_eq(test_descriptor(&p, 1)->process->pid, (1 << 30) + 1);
    cr_assert(test_bytes_are(test_descriptor(&p, 1)->process->process_name, "Spans"));
    cr_assert_eq(test_descriptor(&p, 2)->thread->pid, (1 << 30) + 1);
    cr_assert_eq(test_descriptor(&p, 2)->thread->tid, 5);
    cr_assert(test_bytes_are(test_descriptor(&p, 3)->process->process_name, "99999999999"));
    cr_assert_eq(test_descriptor(&p, 4)->thread->tid, INT64_C(1) << 47);
    cr_assert_eq(test_descriptor(&p, 5)->thread->pid, -3);
    cr_assert_eq(test_descriptor(&p, 5)->thread->tid, -4);
    test_packets_free(&p);
    pf_trace_free(t);
}

Test(convert, arguments_nest)
{
    pf_trace *t = test_trace("chrome-json", WANT);
    uint32_t a = test_thread(t, 7, 1);
    test_add(t, 'B', 1, 0, a, "K", NULL);
    test_args(t, "i-5 args.x|d0.5 args.y|b1 args.z|thi args.s|[ args.l|i1|n|{|tq q|i2 r|}|[|}|}|{ args.args.e|}");
    test_add(t, 'E', 2, 0, a, "K", NULL);
    test_args(t, "i6 args.x|thi args.s|thi debug.t");
    test_finish(t);
    test_packets p = convert(t);
    cr_assert_str_eq(test_event(&p, 0)->args, "x=<-5 >;y=<0.5 >;z=true;s='hi';l=[1;null;{q='q';r=2;};[];];args.e={};");
    cr_assert_str_eq(test_event(&p, 1)->args, "x=6;s=\"hi\";t=\"hi\";");
    test_packets_free(&p);
    pf_trace_free(t);
}

/* One event with the arguments; what is written of them. */
static void expect_args(const char *args, const char *expected)
{
    pf_trace *t = test_trace("chrome-json", WANT);
    uint32_t a = test_thread(t, 7, 1);
    test_add(t, 'B', 1, 0, a, "K", NULL);
    test_args(t, args);
    test_finish(t);
    test_packets p = convert(t);
    cr_expect_str_eq(test_event(&p, 0)->args, expected);
    test_packets_free(&p);
    pf_trace_free(t);
}

/* By hand: an integer is an entry of 4 bytes or more (62 02 20 varint), of 5 in an array of arrays with its own 2. */
Test(convert, lists_of_numbers_are_texts_where_that_is_shorter)
{
    expect_args("[ args.l|[|i100|i20|i-3|}|[|}|}", "l=<[[100,20,-3],[]]>;");
    expect_args("[ args.l|d0.5|i7|d-1.25|}", "l=<[0.5,7,-1.25]>;");
    expect_args("[ args.l|}", "l=<[]>;");
    /* 4A 12 and 18 digits with their brackets: longer than 62 0A 20 and a varint of 9 bytes. */
    expect_args("[ args.l|i999999999999999999|}", "l=[999999999999999999;];");
    expect_args("[ args.l|i1|i2|n|}", "l=[1;2;null;];");
    expect_args("[ args.l|i1|tx|}", "l=[1;'x';];");
    expect_args("[ args.l|i1|b1|}", "l=[1;true;];");
    expect_args("[ args.l|i1|{|i2 q|}|}", "l=[1;{q=2;};];");
    expect_args("[ args.l|i1|d0.123456789|}", "l=[1;0.123456789d;];");
    expect_args("{ args.o|[ l|i1|i2|}|}", "o={l=<[1,2]>;};");
}

/* Perfetto gives such a list an index of the one around it only if something in it counts. */
Test(convert, lists_of_nothing_count_in_lists)
{
    expect_args("[ args.l|n|}", "l=[null;];");
    expect_args("[ args.l|i1|[|n|}|tx|}", "l=[1;[null;{};];'x';];");
    expect_args("[ args.l|[|[|n|n|}|}|tx|}", "l=[[[null;null;{};];];'x';];");
    expect_args("[ args.l|[|n|i1|}|tx|}", "l=[[null;1;];'x';];");
    expect_args("[ args.l|{|n q|}|tx|}", "l=[{q=null;};'x';];");
}

Test(convert, numbers_are_texts_where_that_is_shorter)
{
    expect_args("i-1 args.x", "x=<-1 >;");
    expect_args("i-999999 args.x", "x=<-999999 >;");
    expect_args("i-1000000 args.x", "x=-1000000;"); /* 4A 09 and 9 bytes are as many as 20 and a varint of ten */
    expect_args("i1 args.x", "x=1;");
    expect_args("d14 args.x", "x=<14.0 >;");
    expect_args("d-0.25 args.x", "x=<-0.25 >;");
    expect_args("d-14.25 args.x", "x=-14.25d;"); /* 4A 07 and 7 bytes are as many as 29 and 8 */
    expect_args("d-0.0 args.x", "x=-0d;");
    expect_args("d1e300 args.x", "x=1.0000000000000001e+300d;");
}

Test(convert, texts_with_one_character_or_none_have_no_id)
{
    pf_trace *t = test_trace("chrome-json", WANT);
    uint32_t a = test_thread(t, 7, 1);
    for (int i = 0; i < 3; i++) {
        test_add(t, 'B', i, 0, a, "K", NULL);
        test_args(t, "tx args.a|txy args.b");
    }
    test_finish(t);
    test_packets p = convert(t);
    cr_assert_str_eq(test_event(&p, 0)->args, "a='x';b='xy';");
    cr_assert_str_eq(test_event(&p, 2)->args, "a='x';b=\"xy\";");
    test_packets_free(&p);
    pf_trace_free(t);
}

/* How often names are used is counted before: the most used have the lowest ids, at once, and those used once none. */
Test(convert, names_have_ids_by_use)
{
    static const char *const names[] = {"twice", "once", "often", "twice", "often", "often", "often"};
    pf_trace *t = test_trace("chrome-json", WANT);
    uint32_t a = test_thread(t, 7, 1);
    for (int i = 0; i < 7; i++) {
        test_add(t, 'X', 10 * i, 5, a, names[i], "c");
    }
    test_finish(t);
    test_packets p = convert(t);
    for (size_t i = 0; i < 7; i++) {
        const test_packet *begin = test_event(&p, 2 * i);
        cr_expect_eq(begin->name_iid, names[i][0] == 't' ? 2 : names[i][1] == 'f' ? 1 : 0);
        cr_expect_str_eq(begin->name, names[i]);
        cr_expect_neq(begin->category_iid, 0);
        cr_expect_not(begin->envelope->has_sequence_flags);
    }
    test_packets_free(&p);
    pf_trace_free(t);
}

static uint32_t add_track(pf_trace *t, const pf_track_row *row)
{
    pf_error err;
    uint32_t track = pf_trace_add_track(t, row, &err);
    cr_assert_neq(track, PF_NONE);
    return track;
}

Test(convert, counters_come_from_their_table_with_units)
{
    pf_trace *t = test_trace("chrome-json", WANT);
    pf_error err;
    uint32_t a = test_thread(t, 7, 1), upid = t->tracks.upid[a];
    const pf_track_row local = {.type = PF_TRACK_JSON_COUNTER,
                                .name = test_string(t, "ctr v"),
                                .upid = upid,
                                .utid = PF_NONE,
                                .parent = PF_NONE,
                                .group = PF_NONE};
    const pf_track_row global = {.type = PF_TRACK_GLOBAL_COUNTER,
                                 .name = test_string(t, "mem"),
                                 .upid = PF_NONE,
                                 .utid = PF_NONE,
                                 .parent = PF_NONE,
                                 .group = PF_NONE,
                                 .unit = test_string(t, "bytes")};
    const pf_track_row odd = {.type = PF_TRACK_GLOBAL_COUNTER,
                              .name = test_string(t, "rate"),
                              .upid = PF_NONE,
                              .utid = PF_NONE,
                              .parent = PF_NONE,
                              .group = PF_NONE,
                              .unit = test_string(t, "GMAC/s")};
    uint32_t l = add_track(t, &local), g = add_track(t, &global), o = add_track(t, &odd);
    test_add(t, 'C', 10, 0, a, "ctr", NULL);
    test_add(t, 'i', 15, 0, a, "mark", NULL);
    pf_trace_add_sample(t, 10, 3, l, PF_NONE, &err);
    pf_trace_add_sample(t, 10, -2.5, g, PF_NONE, &err);
    pf_trace_add_sample(t, 20, 0x1p62, o, PF_NONE, &err);
    test_finish(t);
    test_packets p = convert(t);
    expect_events(&p, 0, "C 10 \nC 10 \nI 15 mark\nC 20 \n");
    cr_assert(test_event(&p, 0)->has_counter && test_event(&p, 0)->counter == 3);
    cr_assert(test_event(&p, 1)->has_double_counter && test_event(&p, 1)->double_counter == -2.5);
    cr_assert(test_event(&p, 3)->has_double_counter && test_event(&p, 3)->double_counter == 0x1p62);
    const Pf__Proto__TrackDescriptor *first = test_descriptor_of(&p, test_event(&p, 0)->track),
                                     *second = test_descriptor_of(&p, test_event(&p, 1)->track),
                                     *third = test_descriptor_of(&p, test_event(&p, 3)->track);
    cr_assert_eq(test_descriptor_of(&p, first->parent_uuid)->process->pid, 7);
    cr_assert(test_bytes_are(first->name, "ctr v") && !first->counter->has_unit && !first->counter->has_unit_name);
    cr_assert(!second->has_parent_uuid && second->counter->unit == 3 && !second->counter->has_unit_name);
    cr_assert(test_bytes_are(third->counter->unit_name, "GMAC/s") && !third->counter->has_unit);
    test_packets_free(&p);
    pf_trace_free(t);
}

Test(convert, instants_beside_threads_get_named_tracks)
{
    pf_trace *t = test_trace("chrome-json", WANT);
    uint32_t a = test_thread(t, 7, 1), upid = t->tracks.upid[a];
    const pf_track_row global = {
        .type = PF_TRACK_JSON_GLOBAL_INSTANTS, .upid = PF_NONE, .utid = PF_NONE, .parent = PF_NONE, .group = PF_NONE};
    const pf_track_row process = {
        .type = PF_TRACK_JSON_PROCESS_INSTANTS, .upid = upid, .utid = PF_NONE, .parent = PF_NONE, .group = PF_NONE};
    test_add(t, 'i', 1, 0, add_track(t, &global), "g", NULL);
    test_add(t, 'i', 2, 0, add_track(t, &process), "p", NULL);
    test_finish(t);
    test_packets p = convert(t);
    cr_assert(test_bytes_are(test_descriptor(&p, 0)->name, "Global instants"));
    cr_assert_not_null(test_descriptor(&p, 1)->process);
    cr_assert(test_bytes_are(test_descriptor(&p, 2)->name, "Process instants"));
    cr_assert_eq(test_descriptor(&p, 2)->parent_uuid, test_descriptor(&p, 1)->uuid);
    test_packets_free(&p);
    pf_trace_free(t);
}

/* ---- complete events --------------------------------------------------------------------------------------------- */

/* The first lane that is free at the beginning, or whose innermost event does not end before the new one does. */
/* A lane for events that end after the slice around them takes the next one as soon as it is free. */
/* Names of processes and threads of any length. */
Test(convert, long_names_of_processes_and_threads)
{
    static const size_t lengths[] = {63, 64, 65, 1000, 5000};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        pf_trace *t = test_trace("chrome-json", WANT);
        uint32_t a = test_thread(t, 7, 1);
        char name[5001], args[5050];
        memset(name, 'n', lengths[i]);
        name[lengths[i] - 1] = 'e';
        name[lengths[i]] = '\0';
        snprintf(args, sizeof args, "t%s args.name", name);
        test_add(t, 'M', 0, 0, a, "process_name", NULL);
        test_args(t, args);
        test_add(t, 'M', 0, 0, a, "thread_name", NULL);
        test_args(t, args);
        test_finish(t);
        test_packets p = convert(t);
        cr_expect(test_bytes_are(test_descriptor(&p, 0)->process->process_name, name), "%zu", lengths[i]);
        cr_expect(test_bytes_are(test_descriptor(&p, 1)->thread->thread_name, name), "%zu", lengths[i]);
        test_packets_free(&p);
        pf_trace_free(t);
    }
}

/* One descriptor, that of the thread's first event. */
Test(convert, names_of_threads_without_a_text_describe_nothing)
{
    pf_trace *t = test_trace("chrome-json", WANT);
    uint32_t a = test_thread(t, 1, 2);
    test_add(t, 'M', 0, 0, a, "thread_name", NULL);
    test_add(t, 'i', 100, 0, a, "a", NULL);
    test_add(t, 'M', 0, 0, a, "thread_name", NULL);
    test_finish(t);
    test_packets p = convert(t);
    size_t described = 0;
    for (size_t i = 0; i < p.count; i++) {
        const Pf__Proto__TrackDescriptor *d = p.list[i].envelope->track_descriptor;
        described += d && d->thread;
        cr_expect(!d || !d->thread || !d->thread->has_thread_name);
    }
    cr_expect_eq(described, 1);
    test_packets_free(&p);
    pf_trace_free(t);
}

Test(convert, tracks_come_one_after_the_other_on_a_clock_that_counts_on)
{
    pf_trace *t = test_trace("chrome-json", WANT);
    uint32_t a = test_thread(t, 7, 1), b = test_thread(t, 7, 2);
    test_add(t, 'X', 5000000000, 3, b, "b1", NULL);
    test_add(t, 'X', 5000000001, 3, a, "a1", NULL);
    test_add(t, 'X', 5000000010, 3, b, "b2", NULL);
    test_finish(t);
    test_packets p = convert(t);
    expect_events(&p, 0,
                  "B 5000000001 a1\nE 5000000004 \nB 5000000000 b1\nE 5000000003 \nB 5000000010 b2\nE 5000000013 \n");
    cr_assert_neq(test_event(&p, 0)->track, test_event(&p, 2)->track);
    cr_assert_eq(test_event(&p, 2)->track, test_event(&p, 5)->track);
    test_packets_free(&p);
    pf_trace_free(t);
}

/* ---- flows ------------------------------------------------------------------------------------------------------- */

static void add_flow(pf_trace *t, uint8_t phase, int64_t ts, uint32_t track, uint64_t id, pf_flow_kind kind)
{
    pf_error err;
    test_add(t, phase, ts, 0, track, "arrow", "f");
    cr_assert_eq(pf_trace_add_event_flow(t, id, kind, &err), PF_OK);
}

Test(convert, chrome_flows_are_legacy_events)
{
    pf_trace *t = test_trace("chrome-json", PF_WANT_TABLES);
    uint32_t a = test_thread(t, 7, 1), b = test_thread(t, 7, 2);
    pf_error err;
    add_flow(t, 'f', 5, a, 9, PF_FLOW_END_NEXT); /* nothing leads to it */
    test_add(t, 'X', 10, 20, a, "out", NULL);
    add_flow(t, 's', 11, a, 3, PF_FLOW_START);
    test_add(t, 'X', 50, 20, b, "in", NULL);
    add_flow(t, 'f', 51, b, 3, PF_FLOW_END);
    test_add(t, 'X', 90, 1, b, "bound", NULL);
    cr_assert_eq(pf_trace_add_event_flow(t, 77, PF_FLOW_BIND_START, &err), PF_OK);
    test_finish(t);
    test_packets p = convert(t);
    expect_events(&p, 0, "B 10 out\ns 11 arrow/f\nE 30 \nB 50 in\nf 51 arrow/f\nE 70 \nB 90 bound\nE 91 \n");
    cr_assert_eq(test_event(&p, 1)->flow, 3);
    cr_assert_eq(test_event(&p, 4)->flow, 3);
    cr_assert_eq(test_event(&p, 4)->binds_here, 1);
    cr_assert_eq(test_event(&p, 6)->bind, 77);
    cr_assert_eq(test_event(&p, 6)->direction, 2);
    test_packets_free(&p);
    pf_trace_free(t);
}

/* Without complete events rows are written in the order of the file; what comes to nothing is still decided in the
 * order of time: the end at 60 has its start at 15 in front of it, though the file has it after. */
Test(convert, a_flow_end_that_nothing_leads_to_is_left_out_without_complete_events)
{
    pf_trace *t = test_trace("chrome-json", PF_WANT_TABLES);
    uint32_t a = test_thread(t, 7, 1), b = test_thread(t, 7, 2);
    add_flow(t, 'f', 5, a, 9, PF_FLOW_END_NEXT); /* nothing leads to it */
    add_flow(t, 'f', 60, b, 3, PF_FLOW_END_NEXT);
    test_add(t, 'B', 10, 0, a, "out", NULL);
    add_flow(t, 's', 15, a, 3, PF_FLOW_START);
    test_add(t, 'E', 20, 0, a, "out", NULL);
    test_add(t, 'B', 70, 0, b, "in", NULL);
    test_add(t, 'E', 80, 0, b, "in", NULL);
    test_finish(t);
    cr_assert_eq(pf_trace_flows(t)->count, 1);
    test_packets p = convert(t);
    expect_events(&p, 0, "f 60 arrow/f\nB 10 out\ns 15 arrow/f\nE 20 out\nB 70 in\nE 80 in\n");
    test_packets_free(&p);
    pf_trace_free(t);
}

Test(convert, a_flow_within_one_instant_keeps_the_order_of_time)
{
    pf_trace *t = test_trace("chrome-json", PF_WANT_TABLES);
    uint32_t a = test_thread(t, 7, 1), b = test_thread(t, 7, 2);
    test_add(t, 'X', 10, 20, b, "out", NULL);
    test_add(t, 'X', 10, 20, a, "in", NULL);
    add_flow(t, 's', 11, b, 3, PF_FLOW_START);
    add_flow(t, 'f', 11, a, 3, PF_FLOW_END);
    test_finish(t);
    test_packets p = convert(t);
    expect_events(&p, 0, "B 10 out\nB 10 in\ns 11 arrow/f\nf 11 arrow/f\nE 30 \nE 30 \n");
    test_packets_free(&p);
    pf_trace_free(t);
}

/* ---- async operations, thread clocks ------------------------------------------------------------------------------
 */

Test(convert, async_operations_are_tracks_that_merge_by_group)
{
    pf_trace *t = test_trace("chrome-json", WANT);
    pf_error err;
    uint32_t name = test_string(t, "load");
    pf_track_row row = {.type = PF_TRACK_LEGACY_ASYNC_GLOBAL,
                        .name = name,
                        .upid = PF_NONE,
                        .utid = PF_NONE,
                        .parent = PF_NONE,
                        .group = t->tracks.count};
    uint32_t one = pf_trace_add_track(t, &row, &err), two = pf_trace_add_track(t, &row, &err);
    test_add(t, 'b', 10, 0, one, "load", "net");
    test_add(t, 'b', 12, 0, two, "load", "net");
    test_add(t, 'n', 13, 0, two, "sent", "net");
    test_add(t, 'e', 15, 0, one, "load", "net");
    test_finish(t);
    test_packets p = convert(t);
    expect_events(&p, 0, "B 10 load/net\nB 12 load/net\nI 13 sent/net\nE 15 load/net\n");
    const Pf__Proto__TrackDescriptor *first = test_descriptor(&p, 0), *second = test_descriptor(&p, 1);
    cr_assert_neq(first->uuid, second->uuid);
    cr_assert_eq(first->sibling_merge_behavior, 3);
    cr_assert(first->has_sibling_merge_key_int);
    cr_assert_eq(first->sibling_merge_key_int, second->sibling_merge_key_int);
    cr_assert(test_bytes_are(first->name, "load"));
    cr_assert_eq(test_event(&p, 2)->track, second->uuid);
    test_packets_free(&p);
    pf_trace_free(t);
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

static pf_trace *many_events(void)
{
    pf_trace *t = test_trace("chrome-json", WANT);
    uint32_t a = test_thread(t, 7, 1);
    for (int64_t i = 0; i < 20000; i++) {
        char name[32];
        snprintf(name, sizeof name, "n%ld", (long)(i % 20));
        test_add(t, i % 2 ? 'E' : 'B', i, 0, a, name, NULL);
    }
    test_finish(t);
    return t;
}

Test(convert, thread_clocks_in_microseconds)
{
    pf_trace *t = test_trace("chrome-json", WANT);
    pf_error err;
    uint32_t a = test_thread(t, 7, 1);
    const pf_thread_time whole = {500000, 3000, INT64_MIN, INT64_MIN},
                         moment = {600000, INT64_MIN, INT64_MIN, INT64_MIN};
    test_add(t, 'X', 1000, 5000, a, "x", NULL);
    cr_assert_eq(pf_trace_add_thread_time(t, &whole, &err), PF_OK);
    test_add(t, 'X', 7000, 5001, a, "y", NULL);
    cr_assert_eq(pf_trace_add_thread_time(t, &whole, &err), PF_OK);
    test_add(t, 'i', 20000, 0, a, "i", NULL);
    cr_assert_eq(pf_trace_add_thread_time(t, &moment, &err), PF_OK);
    test_finish(t);
    test_packets p = convert(t);
    expect_events(&p, 0, "X 1000+5 x\nB 7000 y\nE 12001 \nB 20000 i\nE 20000 \n");
    cr_assert_eq(test_event(&p, 0)->thread_us, 500);
    cr_assert_eq(test_event(&p, 0)->thread_dur_us, 3);
    cr_assert_eq(test_event(&p, 1)->thread_us, 500);
    cr_assert_eq(test_event(&p, 2)->thread_us, 503);
    cr_assert_eq(test_event(&p, 3)->thread_us, 600);
    test_packets_free(&p);
    pf_trace_free(t);
}

Test(convert, gzip_by_name_holds_the_same_packets_every_time)
{
    char *folder = test_folder(), *plain = test_path(folder, "o.pftrace"), *gz = test_path(folder, "o.pftrace.gz"),
         *again = test_path(folder, "again.gz");
    pf_trace *t = many_events();
    pf_error err;
    uint64_t written = 0;
    const pf_write_options o = {.written = &written};
    cr_assert_eq(pf_convert_pftrace(t, plain, &o, &err), PF_OK);
    cr_assert_eq(pf_convert_pftrace(t, gz, NULL, &err), PF_OK);
    cr_assert_eq(pf_convert_pftrace(t, again, NULL, &err), PF_OK);
    size_t plain_len, gz_len, again_len, inflated_len;
    char *p = test_read(plain, &plain_len), *z = test_read(gz, &gz_len), *z2 = test_read(again, &again_len);
    cr_assert_eq(written, plain_len);
    cr_assert(gz_len == again_len && memcmp(z, z2, gz_len) == 0);
    cr_assert(memcmp(z, "\x1f\x8b\x08\0\0\0\0\0", 8) == 0, "no name, no time");
    char *inflated = test_inflate(z, gz_len, &inflated_len);
    cr_assert(inflated_len == plain_len && memcmp(inflated, p, plain_len) == 0);
    free(inflated);
    free(p);
    free(z);
    free(z2);
    pf_trace_free(t);
    free(plain);
    free(gz);
    free(again);
    test_folder_remove(folder);
}

Test(convert, cancelled_leaves_nothing)
{
    char *folder = test_folder(), *path = test_path(folder, "o.pftrace");
    pf_trace *t = many_events();
    const volatile int cancel = 15;
    const pf_write_options o = {.cancel = &cancel};
    pf_error err;
    cr_assert_eq(pf_convert_pftrace(t, path, &o, &err), PF_ERR_CANCELLED);
    cr_assert_eq(test_entries(folder), 0);
    pf_trace_free(t);
    free(path);
    test_folder_remove(folder);
}

Test(convert, the_input_is_never_the_output)
{
    char *folder = test_folder(), *path = test_path(folder, "in.json"), *link_path = test_path(folder, "link");
    FILE *f = fopen(path, "w");
    fputs("[]", f);
    fclose(f);
    cr_assert_eq(symlink(path, link_path), 0);
    pf_trace *t = many_events();
    t->inputs->path = path;
    pf_error err;
    cr_assert_eq(pf_convert_pftrace(t, path, NULL, &err), PF_ERR_OUTPUT);
    cr_assert_str_eq(err.text, "the output is the input file; choose another name");
    cr_assert_eq(pf_convert_pftrace(t, link_path, NULL, &err), PF_ERR_OUTPUT);
    size_t len;
    char *bytes = test_read(path, &len);
    cr_assert_str_eq(bytes, "[]");
    free(bytes);
    pf_trace_free(t);
    free(path);
    free(link_path);
    test_folder_remove(folder);
}

Test(convert, memory_goes_through_the_trace_and_comes_back)
{
    char *folder = test_folder(), *path = test_path(folder, "o.pftrace");
    pf_trace *t = many_events();
    uint64_t before, after, peak;
    pf_error err;
    pf_trace_memory(t, &before, &peak);
    cr_assert_eq(pf_convert_pftrace(t, path, NULL, &err), PF_OK);
    pf_trace_memory(t, &after, &peak);
    cr_assert_eq(before, after);
    t->budget.limits.memory = before; /* not a byte more */
    cr_assert_eq(pf_convert_pftrace(t, path, NULL, &err), PF_ERR_LIMIT);
    cr_assert_not_null(strstr(err.text, "--max-memory"));
    pf_trace_memory(t, &after, &peak);
    cr_assert_eq(before, after);
    cr_assert_eq(test_entries(folder), 1);
    pf_trace_free(t);
    free(path);
    test_folder_remove(folder);
}
