/* packet_details.c - what packets of a conversion say besides times and names: descriptions and order of tracks,
 * numbers that come back, defaults, attributes, the places of arrows. */
#include <math.h>

#include "converted.h"
#include "write/perfetto/debug_annotations.h"

/* ---- tracks ------------------------------------------------------------------------------------------------------ */

static void note(pf_trace *t, uint32_t track, const char *key, pf_value v)
{
    pf_error err;
    cr_assert_eq(pf_trace_add_row_arg(t, PF_OWNER_TRACK_SOURCE, track, (pf_str){key, strlen(key)}, &v, &err), PF_OK);
}

static void note_text(pf_trace *t, uint32_t track, const char *key, const char *text)
{
    note(t, track, key, (pf_value){.type = PF_VALUE_STRING, .as.s = {text, strlen(text)}});
}

static const Pf__Proto__TrackDescriptor *named(const test_packets *p, const char *name)
{
    for (size_t i = 0; i < p->count; i++) {
        const Pf__Proto__TrackDescriptor *d = p->list[i].envelope->track_descriptor;
        if (d && test_bytes_are(d->name, name)) {
            return d;
        }
    }
    cr_assert(false, "no track is called %s", name);
    return NULL;
}

Test(packet_details, tracks_keep_description_rank_and_order)
{
    static const char *const names[] = {"of process", "below", "global", "of thread"};
    pf_trace *t = test_trace("perfetto", WANT);
    uint32_t a = test_thread(t, 7, 1), b = test_thread(t, 8, 1), track[4];
    pf_error err;
    for (uint32_t i = 0; i < 4; i++) {
        const pf_track_row row = {.type = i == 2   ? PF_TRACK_GLOBAL_EVENT
                                          : i == 3 ? PF_TRACK_THREAD_EVENT
                                                   : PF_TRACK_PROCESS_EVENT,
                                  .name = test_string(t, names[i]),
                                  .upid = i == 2   ? PF_NONE
                                          : i == 3 ? t->tracks.upid[b]
                                                   : t->tracks.upid[a],
                                  .utid = i == 3 ? t->tracks.utid[b] : PF_NONE,
                                  .parent = i == 1 ? track[0] : PF_NONE,
                                  .group = PF_NONE};
        track[i] = pf_trace_add_track(t, &row, &err);
        test_add(t, 'i', 1000 + (int64_t)i, 0, track[i], "I", NULL);
    }
    test_add(t, 'i', 2000, 0, b, "I", NULL);
    note_text(t, track[0], "description", "what it shows");
    note(t, track[0], "sibling_order_rank", (pf_value){.type = PF_VALUE_INT, .as.i = -4});
    note_text(t, track[0], "child_ordering", "explicit");
    note(t, track[1], "sibling_order_rank", (pf_value){.type = PF_VALUE_INT, .as.i = 0});
    note_text(t, track[1], "child_ordering", "chronological");
    note(t, track[2], "sibling_order_rank", (pf_value){.type = PF_VALUE_INT, .as.i = 9});
    note(t, track[3], "sibling_order_rank", (pf_value){.type = PF_VALUE_INT, .as.i = 5});
    note_text(t, track[3], "other", "what it is not");
    test_finish(t);
    test_packets p = convert(t);
    const Pf__Proto__TrackDescriptor *d[4];
    for (size_t i = 0; i < 4; i++) {
        d[i] = named(&p, names[i]);
    }
    cr_expect(d[0]->has_description && test_bytes_are(d[0]->description, "what it shows"));
    cr_expect(!d[1]->has_description && !d[3]->has_description);
    cr_expect(d[0]->has_sibling_order_rank && d[0]->sibling_order_rank == -4);
    cr_expect(d[1]->has_sibling_order_rank && d[1]->sibling_order_rank == 0);
    cr_expect(d[3]->has_sibling_order_rank && d[3]->sibling_order_rank == 5);
    cr_expect(d[0]->has_child_ordering && d[0]->child_ordering == 3);
    cr_expect(!d[1]->has_child_ordering && !d[2]->has_child_ordering && !d[3]->has_child_ordering);
    cr_expect_eq(d[1]->parent_uuid, d[0]->uuid);
    cr_expect_eq(d[2]->parent_uuid, 0);
    /* the process of the first track lists its children by rank, that of the thread's track does not */
    bool ordered[2] = {false, false};
    for (size_t i = 0; i < p.count; i++) {
        const Pf__Proto__TrackDescriptor *one = p.list[i].envelope->track_descriptor;
        if (one && one->process && (one->process->pid == 7 || one->process->pid == 8)) {
            ordered[one->process->pid - 7] |= one->has_child_ordering && one->child_ordering == 3;
        }
    }
    cr_expect(ordered[0] && !ordered[1]);
    test_packets_free(&p);
    pf_trace_free(t);
}

/* Where events are written track by track, the defaults say on which: once for each thread. */
Test(packet_details, defaults_say_the_track_once)
{
    pf_trace *t = test_trace("chrome-json", WANT);
    uint32_t a = test_thread(t, 7, 1), b = test_thread(t, 7, 2);
    for (int i = 0; i < 3; i++) {
        test_add(t, 'X', 1000 * i, 1000, a, "a", NULL);
        test_add(t, 'X', 1000 * i, 1000, b, "b", NULL);
    }
    test_finish(t);
    test_packets p = convert(t);
    uint64_t tracks[8] = {0};
    size_t n = 0;
    for (size_t i = 0; i < p.count; i++) {
        const Pf__Proto__TracePacketDefaults *d = p.list[i].envelope->trace_packet_defaults;
        if (d && d->track_event_defaults && d->track_event_defaults->track_uuid) {
            cr_assert_lt(n, 8);
            tracks[n++] = d->track_event_defaults->track_uuid;
        }
    }
    cr_expect_eq(n, 2, "%zu", n);
    cr_expect_eq(tracks[0], test_event(&p, 0)->track);
    cr_expect_eq(tracks[1], test_event(&p, 3)->track);
    cr_expect_neq(tracks[0], tracks[1]);
    test_packets_free(&p);
    pf_trace_free(t);
}

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

/* Reals of JSON by their spelling: what an integer spells is written as one when it comes back, so a real is none. */
Test(packet_details, reals_that_come_back)
{
    static const struct {
        const char *spelled;
        double v;
        bool back;
    } rows[] = {
        {NULL, 0.5, true},
        {"NaN", NAN, true},
        {"0.5", 0.5, true},
        {"-0.50", -0.5, true},
        {"10.944", 10.943999999999999, true}, /* as Perfetto reads it, see test_number.c */
        {"18446744073709551616", 0x1p64, false},
        {"-18446744073709551616", -0x1p64, false},
        {"5", 5, false},
        {"-5", -5, false},
        {"1e5", 100000, true},
        {"-2.5E-3", -0.0025, true},
        {"Infinity", INFINITY, true},
        {"-Infinity", -INFINITY, true},
        {"1e999", INFINITY, false},
        {"-1e999", -INFINITY, false},
        {"I", INFINITY, true},
        {"1e5", 100001, false},
        {"0.10000000000000000001", 0.1, true},
        {"0.30000000000000000001", 0.1, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *s = rows[i].spelled;
        const pf_value v = {.type = PF_VALUE_REAL, .as.d = rows[i].v, .spelling = {s, s ? strlen(s) : 0}};
        cr_expect_eq(pf_real_comes_back(&v), rows[i].back, "%s as %.17g", s ? s : "nothing", rows[i].v);
    }
}

/* An integer that is not negative is never a text: it is as short as a varint. Lists end where their event does. */
Test(packet_details, zero_and_lists_of_several_events)
{
    pf_trace *t = test_trace("chrome-json", WANT);
    uint32_t a = test_thread(t, 7, 1);
    test_add(t, 'B', 1, 0, a, "K", NULL);
    test_args(t, "i0 args.z|[ args.l|i1|i2|}");
    test_add(t, 'B', 2, 0, a, "K", NULL);
    test_args(t, "i3 args.l|[ args.m|i4|i5|}|i6 args.n");
    test_finish(t);
    test_packets p = convert(t);
    cr_expect_str_eq(test_event(&p, 0)->args, "z=0;l=<[1,2]>;");
    cr_expect_str_eq(test_event(&p, 1)->args, "l=3;m=<[4,5]>;n=6;");
    test_packets_free(&p);
    pf_trace_free(t);
}

/* Ten numbers in so many lists are a text, in one list more they are not. */
Test(packet_details, lists_of_sixteen_levels_are_texts)
{
    for (size_t levels = 15; levels <= 18; levels++) {
        bool text = levels <= 16;
        char args[256] = "[ args.l", expected[256] = "l=";
        strcat(expected, text ? "<[" : "[");
        for (size_t i = 1; i < levels; i++) {
            strcat(args, "|[");
            strcat(expected, "[");
        }
        for (size_t i = 0; i < 10; i++) {
            strcat(args, "|i7");
            strcat(expected, !text ? "7;" : i ? ",7" : "7");
        }
        for (size_t i = 0; i < levels; i++) {
            strcat(args, "|}");
            strcat(expected, text ? "]" : "];");
        }
        strcat(expected, text ? ">;" : "");
        pf_trace *t = test_trace("chrome-json", WANT);
        test_add(t, 'B', 1, 0, test_thread(t, 7, 1), "K", NULL);
        test_args(t, args);
        test_finish(t);
        test_packets p = convert(t);
        cr_expect_str_eq(test_event(&p, 0)->args, expected);
        test_packets_free(&p);
        pf_trace_free(t);
    }
}

/* ---- attributes -------------------------------------------------------------------------------------------------- */

/* A trace of cycles that a conversion said to be one is said to be one again when it is converted anew, once. */
Test(packet_details, the_unit_is_said_in_every_new_file)
{
    for (int cycles = 0; cycles < 2; cycles++) {
        pf_trace *t = test_trace("perfetto", WANT);
        pf_error err;
        t->unit = cycles ? PF_UNIT_CYCLE : PF_UNIT_NS;
        cr_assert_eq(pf_trace_add_metadata(t, PF_STR("trace_attribute.postfetto.time_unit"), PF_STR("cycle"), 0, &err),
                     PF_OK);
        test_add(t, 'B', 1, 0, test_thread(t, 7, 1), "K", NULL);
        test_finish(t);
        test_packets p = convert(t);
        char buf[64];
        cr_expect_str_eq(test_attribute(&p, "postfetto.time_unit", buf), cycles ? "cycle" : "");
        test_packets_free(&p);
        pf_trace_free(t);
    }
}

/* ---- arrows ------------------------------------------------------------------------------------------------------ */

static void add_flow(pf_trace *t, uint8_t phase, int64_t ts, uint32_t track, uint64_t id, pf_flow_kind kind)
{
    pf_error err;
    test_add(t, phase, ts, 0, track, "arrow", "f");
    cr_assert_eq(pf_trace_add_event_flow(t, id, kind, &err), PF_OK);
}

static void expect_arrows(pf_trace *t, const char *expected)
{
    test_finish(t);
    test_packets p = convert(t);
    expect_events(&p, 0, expected);
    test_packets_free(&p);
    pf_trace_free(t);
}

/* An end that binds to the slice around it is said at the end of that one, which packets take off the stack; an end
 * that waits for the next slice has nothing to do with it. */
Test(packet_details, an_end_of_an_arrow_moves_unless_it_waits)
{
    for (int waits = 0; waits < 2; waits++) {
        pf_trace *t = test_trace("chrome-json", PF_WANT_TABLES);
        uint32_t a = test_thread(t, 7, 1), b = test_thread(t, 7, 2);
        test_add(t, 'X', 0, 100, b, "in", NULL);
        add_flow(t, 's', 1, b, 3, PF_FLOW_START);
        test_add(t, 'X', 10, 20, a, "out", NULL);
        add_flow(t, 'f', 35, a, 3, waits ? PF_FLOW_END_NEXT : PF_FLOW_END);
        test_add(t, 'X', 40, 10, a, "next", NULL);
        expect_arrows(t, waits ? "B 10 out\nE 30 \nf 35 arrow/f\nB 40 next\nE 50 \nB 0 in\ns 1 arrow/f\nE 100 \n"
                               : "B 10 out\nf 30 arrow/f\nE 30 \nB 40 next\nE 50 \nB 0 in\ns 1 arrow/f\nE 100 \n");
    }
}

/* The end that makes a reader look comes no earlier than an arrow that needed the slice which it takes away. */
Test(packet_details, an_idle_end_comes_after_the_arrows_of_the_slice)
{
    pf_trace *t = test_trace("chrome-json", PF_WANT_TABLES);
    uint32_t a = test_thread(t, 7, 1);
    test_add(t, 'X', 0, 100000, a, "outer", NULL);
    test_add(t, 'X', 10000, 10000, a, "inner", NULL);
    add_flow(t, 's', 25000, a, 7, PF_FLOW_START);
    test_add(t, 'X', 50000, 100000, a, "launch", NULL);
    add_flow(t, 's', 50000, a, 1, PF_FLOW_START);
    expect_arrows(t, "X 0+100 outer\nX 10000+10 inner\ns 25000 arrow/f\nE 25000 /postfetto.none\ns 50000 arrow/f\n"
                     "X 50000+100 launch\n");
}
