/* unit/edit/test_cut_gpu.c - render stages of cuts, and what they refer to. */
#include <criterion/criterion.h>

#include "cut_packets.h"
#include "scratch.h"

TestSuite(cut_gpu, .init = scratch_enter, .fini = scratch_leave);

static void stage(uint64_t ts, uint64_t dur)
{
    packet(ts, 1);
    pf_writer_begin(&w, PF_F_PACKET_GPU_RENDER_STAGE_EVENT);
    pf_writer_varint(&w, PF_F_STAGE_DURATION, dur);
    text(900, "s");
    done();
}

static void name_object(uint64_t ts, const char *name)
{
    packet(ts, 1);
    pf_writer_begin(&w, 65);
    text(1, name);
    done();
}

#define OBJECT(name) "65\"\n\1" name "\"\n"

/* A stage has the names of when it begins: one that it must not have comes after it, at the window's start. */
Test(cut_gpu, names_that_came_after_a_clipped_stage_are_at_the_start_behind_it)
{
    start();
    name_object(5, "a");
    stage(10, 40);
    name_object(9, "x");
    name_object(10, "b");
    name_object(39, "c");
    name_object(40, "d");
    name_object(70, "e");
    expect_packets(40, 60,
                   "8=5 10=1 " OBJECT("a") "10=1 8=40 53{2=10 900\"s\" 6{1\"cut.original_ts\" 2\"10\"}}\n"
                                           "8=9 10=1 " OBJECT("x") "10=1 8=40 " OBJECT("b") "10=1 8=40 " OBJECT(
                                               "c") "8=40 10=1 " OBJECT("d") "8=70 10=1 " OBJECT("e"));
    start();
    name_object(5, "a");
    stage(40, 10);
    name_object(30, "b");
    expect_packets(40, 60, "8=5 10=1 " OBJECT("a") "8=40 10=1 53{2=10 900\"s\"}\n8=30 10=1 " OBJECT("b"));
}

/* What a clipped stage's packet says for itself and later ones stays with it, also where it is moved. */
Test(cut_gpu, a_clipped_stage_keeps_what_its_packet_interns)
{
    for (int early = 0; early < 2; early++) {
        start();
        packet(early ? 10 : 50, 1);
        pf_writer_varint(&w, PF_F_PACKET_SEQUENCE_FLAGS, PF_SEQ_STATE_CLEARED);
        pf_writer_begin(&w, PF_F_PACKET_INTERNED_DATA);
        pf_writer_begin(&w, PF_F_INTERNED_EVENT_NAMES);
        pf_writer_varint(&w, 1, 3);
        pf_writer_end(&w);
        pf_writer_end(&w);
        pf_writer_begin(&w, PF_F_PACKET_GPU_RENDER_STAGE_EVENT);
        pf_writer_varint(&w, PF_F_STAGE_DURATION, 40);
        done();
        stage(55, 1);
        expect_packets(
            40, 60,
            early
                ? "10=1 8=40 13=1 12{2{1=3}} 53{2=10 6{1\"cut.original_ts\" 2\"10\"}}\n8=55 10=1 53{2=1 900\"s\"}\n"
                : "10=1 8=50 13=1 12{2{1=3}} 53{2=10 6{1\"cut.original_end\" 2\"90\"}}\n8=55 10=1 53{2=1 900\"s\"}\n");
    }
}
