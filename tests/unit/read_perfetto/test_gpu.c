/* GPU counters, logs, memory totals and Vulkan submissions (docs/reference/perfetto.md). */
#include "support.h"

#include <string.h>

static void number(bytes *b, uint32_t field, uint64_t value)
{
    pf_writer_varint(&b->w, field, value);
}

static void begin(bytes *b, uint64_t ts, uint64_t sequence, uint32_t data)
{
    packet(b, ts, sequence, NONE);
    pf_writer_begin(&b->w, data);
}

static void spec(bytes *b, uint64_t id, const char *name, const char *description, uint64_t direction)
{
    pf_writer_begin(&b->w, 1);
    number(b, 1, id);
    text(b, 2, name);
    text(b, 3, description);
    if (direction) {
        number(b, 11, direction);
    }
    end(b);
}

static void sample(bytes *b, uint64_t id, int64_t value)
{
    pf_writer_begin(&b->w, PF_F_GPU_COUNTER_SAMPLES);
    number(b, PF_F_GPU_SAMPLE_COUNTER_ID, id);
    number(b, PF_F_GPU_SAMPLE_INT, (uint64_t)value);
    end(b);
}

static void samples(bytes *b, uint64_t ts, uint64_t id, int64_t value)
{
    begin(b, ts, 1, PF_F_PACKET_GPU_COUNTER_EVENT);
    sample(b, id, value);
    end(b);
    end(b);
}

static void expect_counters(const bytes *b, const char *want, uint64_t bad_specs)
{
    pf_buffer got = {0};
    pf_trace *t = load(b);
    show_counters(t, &got);
    expect_text(&got, want);
    cr_expect_eq(stat_of(t, PF_STAT_GPU_COUNTER_SPEC), bad_specs);
    pf_trace_free(t);
}

Test(gpu, values_look_backwards_unless_told_otherwise_A16)
{
    bytes b;
    start(&b);
    begin(&b, 1, 1, PF_F_PACKET_GPU_COUNTER_EVENT);
    pf_writer_begin(&b.w, PF_F_GPU_COUNTER_DESCRIPTOR);
    spec(&b, 4, "back", NULL, 0);
    spec(&b, 5, "ahead", NULL, PF_GPU_FORWARDS_LOOKING);
    end(&b);
    end(&b);
    end(&b);
    samples(&b, 320, 4, 0); /* out of order */
    samples(&b, 300, 4, 5);
    samples(&b, 310, 4, 7);
    samples(&b, 300, 5, 50);
    samples(&b, 310, 5, 70);
    samples(&b, 300, 6, 1); /* nobody knows it */
    expect_counters(&b,
                    "300 7 | gpu_counter back -\n"
                    "300 50 | gpu_counter ahead -\n"
                    "310 0 | gpu_counter back -\n"
                    "310 70 | gpu_counter ahead -\n"
                    "320 0 | gpu_counter back -\n",
                    0);
    finish(&b);
}

Test(gpu, counters_without_samples_are_shown_and_keyed)
{
    bytes b;
    start(&b);
    begin(&b, NONE, 1, PF_F_PACKET_GPU_COUNTER_EVENT); /* needs no time */
    number(&b, PF_F_GPU_COUNTER_GPU_ID, 3);
    pf_writer_begin(&b.w, PF_F_GPU_COUNTER_DESCRIPTOR);
    spec(&b, 1, "one", "what it counts", 0);
    spec(&b, 1, "again", NULL, 0); /* an id can be given once */
    spec(&b, 2, NULL, NULL, 0);
    end(&b);
    end(&b);
    end(&b);
    pf_trace *t = load(&b);
    const pf_tracks *k = pf_trace_tracks(t);
    const pf_row_args *a = pf_trace_row_args(t);
    cr_assert_eq(k->count, 1);
    cr_expect_eq(k->used[0], 1);
    cr_assert_eq(a->count, 4);
    static const char *const keys[] = {"ugpu", "gpu", "name", "description"};
    for (uint32_t i = 0; i < 4; i++) {
        cr_expect_str_eq(pf_trace_string(t, a->key[i]).ptr, keys[i]);
    }
    cr_expect_eq(a->number[0], 0);
    cr_expect_eq(a->number[1], 3);
    cr_expect_str_eq(pf_trace_string(t, a->text[3]).ptr, "what it counts");
    cr_expect_eq(a->owner[3], PF_OWNER_TRACK_SOURCE);
    cr_expect_eq(stat_of(t, PF_STAT_GPU_COUNTER_SPEC), 2);
    pf_trace_free(t);
    finish(&b);
}

static void unit_spec(bytes *b, uint64_t id, const char *name, const int *numerators, const int *denominators)
{
    pf_writer_begin(&b->w, 1);
    number(b, 1, id);
    text(b, 2, name);
    for (; numerators && *numerators >= 0; numerators++) {
        number(b, 7, (uint64_t)*numerators);
    }
    for (; denominators && *denominators >= 0; denominators++) {
        number(b, 8, (uint64_t)*denominators);
    }
    end(b);
}

Test(gpu, units_are_numerators_over_denominators)
{
    static const int vertex[] = {25, -1}, second[] = {22, -1}, none[] = {0, -1}, two[] = {27, 37, -1};
    static const int accel[] = {21, 21, -1}, strange[] = {41, -1}, instruction[] = {40, -1};
    bytes b;
    start(&b);
    begin(&b, 1, 1, PF_F_PACKET_GPU_COUNTER_EVENT);
    pf_writer_begin(&b.w, PF_F_GPU_COUNTER_DESCRIPTOR);
    unit_spec(&b, 0, "a", vertex, second);
    unit_spec(&b, 1, "b", two, accel);
    unit_spec(&b, 2, "c", instruction, none);
    unit_spec(&b, 3, "d", NULL, second);
    unit_spec(&b, 4, "e", strange, NULL);
    unit_spec(&b, 5, "f", NULL, NULL);
    end(&b);
    for (uint64_t i = 0; i < 6; i++) {
        sample(&b, i, 1);
    }
    end(&b);
    end(&b);
    expect_counters(&b,
                    "1 0 | gpu_counter a Vertex/s\n"
                    "1 0 | gpu_counter b Triangle:%/ms:ms\n"
                    "1 0 | gpu_counter c Instruction\n"
                    "1 0 | gpu_counter d /s\n"
                    "1 0 | gpu_counter e Unknown\n"
                    "1 0 | gpu_counter f -\n",
                    0);
    finish(&b);
}

static void interned_samples(bytes *b, uint64_t ts, uint64_t sequence, uint64_t iid, uint64_t id, int64_t value)
{
    begin(b, ts, sequence, PF_F_PACKET_GPU_COUNTER_EVENT);
    number(b, PF_F_GPU_COUNTER_DESCRIPTOR_IID, iid);
    sample(b, id, value);
    end(b);
    end(b);
}

/* Ids of interned descriptors are their own, also where two sequences use one iid. */
Test(gpu, interned_descriptors_belong_to_their_sequence)
{
    static const char *const names[] = {"first", "second"};
    bytes b;
    start(&b);
    for (uint64_t q = 1; q <= 2; q++) {
        packet(&b, 0, q, 1);
        pf_writer_begin(&b.w, PF_F_PACKET_INTERNED_DATA);
        pf_writer_begin(&b.w, PF_F_INTERNED_GPU_COUNTER_DESCRIPTORS);
        number(&b, PF_F_ENTRY_IID, 1);
        pf_writer_begin(&b.w, 2);
        spec(&b, 9, names[q - 1], NULL, PF_GPU_FORWARDS_LOOKING);
        end(&b);
        number(&b, 3, q);
        end(&b);
        end(&b);
        end(&b);
    }
    interned_samples(&b, 10, 1, 1, 9, 11);
    interned_samples(&b, 10, 2, 1, 9, 22);
    interned_samples(&b, 20, 2, 1, 9, 23);
    interned_samples(&b, 30, 1, 1, 8, 1); /* no such counter */
    interned_samples(&b, 30, 1, 2, 9, 1); /* no such descriptor */
    samples(&b, 30, 9, 1);                /* not an inline one */
    expect_counters(&b,
                    "10 11 | gpu_counter first -\n"
                    "10 22 | gpu_counter second -\n"
                    "20 23 | gpu_counter second -\n",
                    2);
    finish(&b);
}

Test(gpu, samples_without_a_usable_time_do_not_count)
{
    static const uint64_t clocks[][4] = {{PF_CLOCK_MONOTONIC, 1000}, {PF_CLOCK_BOOTTIME, 5000}};
    bytes b;
    start(&b);
    begin(&b, 5, 1, PF_F_PACKET_GPU_COUNTER_EVENT);
    pf_writer_begin(&b.w, PF_F_GPU_COUNTER_DESCRIPTOR);
    spec(&b, 1, "c", NULL, 0);
    end(&b);
    sample(&b, 1, 100);
    end(&b);
    end(&b);
    samples(&b, NONE, 1, 200);
    samples(&b, (uint64_t)-4, 1, 300);
    for (uint64_t clock = PF_CLOCK_MONOTONIC; clock < PF_CLOCK_MONOTONIC + 2; clock++) { /* 4: nothing explains it */
        packet(&b, 1100, 1, NONE);
        number(&b, PF_F_PACKET_TIMESTAMP_CLOCK_ID, clock);
        pf_writer_begin(&b.w, PF_F_PACKET_GPU_COUNTER_EVENT);
        sample(&b, 1, (int64_t)clock);
        end(&b);
        end(&b);
    }
    snapshot(&b, NONE, NONE, clocks, 2, 0);
    pf_buffer got = {0};
    pf_trace *t = load(&b);
    show_counters(t, &got);
    expect_text(&got, "5 3 | gpu_counter c -\n5100 0 | gpu_counter c -\n");
    cr_expect_eq(stat_of(t, PF_STAT_GPU_COUNTER_NO_TIMESTAMP), 1);
    cr_expect_eq(stat_of(t, PF_STAT_NEGATIVE_TS), 1);
    pf_trace_free(t);
    finish(&b);
}

Test(gpu, logs_are_instants_named_by_their_severity)
{
    static const uint64_t severities[] = {0, 5, 6};
    bytes b;
    start(&b);
    for (uint64_t i = 0; i < 3; i++) {
        begin(&b, 4, NONE, PF_F_PACKET_GPU_LOG);
        number(&b, PF_F_GPU_LOG_SEVERITY, severities[i]);
        text(&b, PF_F_GPU_LOG_MESSAGE, "m");
        text(&b, PF_F_GPU_LOG_TAG, i ? "t" : NULL);
        end(&b);
        end(&b);
    }
    pf_buffer got = {0};
    pf_trace *t = load(&b);
    show_slices(t, &got);
    expect_text(&got, "4 0 d0 UNSPECIFIED - | gpu_log GPU Log\n"
                      "4 0 d1 ERROR - | gpu_log GPU Log\n"
                      "4 0 d2 UNKNOWN_SEVERITY - | gpu_log GPU Log\n");
    show_args(t, 0, &got);
    show_args(t, 1, &got);
    expect_text(&got, " message='m' tag='t' message='m'");
    pf_trace_free(t);
    finish(&b);
}

Test(gpu, memory_totals_are_of_a_gpu_or_of_a_process_on_it)
{
    static const uint64_t totals[][4] = {{20, 1, 0, 300}, {10, 0, 7, 100}, {11, 1, 0, 200}, {12, 0, 7, 150}};
    bytes b;
    start(&b);
    for (size_t i = 0; i < 4; i++) {
        begin(&b, totals[i][0], NONE, PF_F_PACKET_GPU_MEM_TOTAL_EVENT);
        for (uint32_t field = 1; field <= 3; field++) {
            number(&b, field, totals[i][field]);
        }
        end(&b);
        end(&b);
    }
    expect_counters(&b,
                    "10 100 | process_gpu_memory GPU Memory pid 7 bytes\n"
                    "11 200 | gpu_memory GPU Memory bytes\n"
                    "12 150 | process_gpu_memory GPU Memory pid 7 bytes\n"
                    "20 300 | gpu_memory GPU Memory bytes\n",
                    0);
    pf_trace *t = load(&b);
    const pf_row_args *a = pf_trace_row_args(t);
    cr_assert_eq(a->count, 4); /* ugpu and gpu of two tracks; GPU 0 was seen first in time */
    cr_expect(a->number[0] == 0 && a->number[1] == 0 && a->number[2] == 1 && a->number[3] == 1);
    pf_trace_free(t);
    finish(&b);
}

/* Totals whose clock only the last packet explains ({MONOTONIC 1000, BOOTTIME 5000}), and one whose clock nothing does.
 */
Test(gpu, memory_totals_whose_time_becomes_known_at_the_end)
{
    static const uint64_t clocks[][4] = {{PF_CLOCK_MONOTONIC, 1000}, {PF_CLOCK_BOOTTIME, 5000}};
    static const uint64_t ids[] = {PF_CLOCK_MONOTONIC, 200, PF_CLOCK_MONOTONIC};
    uint64_t lost = 0;
    bytes b;
    start(&b);
    for (uint64_t i = 0; i < 3; i++) {
        lost = i == 1 ? b.out.len : lost;
        packet(&b, 1200 - i * 100, NONE, NONE);
        number(&b, PF_F_PACKET_TIMESTAMP_CLOCK_ID, ids[i]);
        pf_writer_begin(&b.w, PF_F_PACKET_GPU_MEM_TOTAL_EVENT);
        number(&b, 3, 10 + i);
        end(&b);
        end(&b);
    }
    snapshot(&b, NONE, NONE, clocks, 2, 0);
    expect_counters(&b, "5000 12 | gpu_memory GPU Memory bytes\n5200 10 | gpu_memory GPU Memory bytes\n", 0);
    pf_trace *t = load(&b);
    cr_expect_eq(stat_of(t, PF_STAT_CLOCK_UNKNOWN), 1);
    cr_expect_eq(stat_of(t, PF_STAT_CLOCK_PACKET_LOSS), 1);
    cr_expect_eq(t->stat_offset[PF_STAT_CLOCK_PACKET_LOSS], lost);
    pf_trace_free(t);
    finish(&b);
}

/* The machine's own list of GPUs numbers them first. */
Test(gpu, numbers_follow_the_list_of_gpus)
{
    bytes b;
    start(&b);
    begin(&b, 0, NONE, PF_F_PACKET_GPU_INFO);
    pf_writer_begin(&b.w, 1);
    end(&b);
    pf_writer_begin(&b.w, 1);
    text(&b, 1, "second");
    end(&b);
    end(&b);
    end(&b);
    begin(&b, 1, NONE, PF_F_PACKET_GPU_MEM_TOTAL_EVENT);
    number(&b, 1, 1);
    end(&b);
    end(&b);
    pf_trace *t = load(&b);
    const pf_row_args *a = pf_trace_row_args(t);
    cr_assert_eq(a->count, 2);
    cr_expect(a->number[0] == 1 && a->number[1] == 1);
    pf_trace_free(t);
    finish(&b);
}

Test(gpu, queue_submissions_are_slices)
{
    bytes b;
    start(&b);
    for (uint64_t i = 0; i < 2; i++) {
        begin(&b, 10 + i * 5, NONE, PF_F_PACKET_VULKAN_API_EVENT);
        pf_writer_begin(&b.w, PF_F_VULKAN_QUEUE_SUBMIT);
        number(&b, PF_F_SUBMIT_DURATION_NS, 2);
        number(&b, PF_F_SUBMIT_PID, 42);
        number(&b, PF_F_SUBMIT_TID, 43);
        if (i) {
            number(&b, PF_F_SUBMIT_COMMAND_BUFFERS, 100);
            pf_writer_bytes(&b.w, PF_F_SUBMIT_COMMAND_BUFFERS, "\x05\x80\x01", 3); /* packed */
        }
        number(&b, PF_F_SUBMIT_SUBMISSION_ID, 1);
        end(&b);
        end(&b);
        end(&b);
    }
    pf_buffer got = {0};
    pf_trace *t = load(&b);
    show_slices(t, &got);
    expect_text(&got, "10 2 d0 vkQueueSubmit - | vulkan_events Vulkan Events\n"
                      "15 2 d0 vkQueueSubmit - | vulkan_events Vulkan Events\n");
    show_args(t, 0, &got);
    expect_text(&got, " pid=42 tid=43 submission_id=1");
    show_args(t, 1, &got);
    expect_text(&got, " pid=42 tid=43 command_buffer=100u command_buffers[ -=100u -=5u -=128u . submission_id=1");
    pf_trace_free(t);
    finish(&b);
}

/* Nothing explains the clock of the packet: it is lost, and counts once for its three samples. */
Test(gpu, a_packet_of_samples_that_is_lost_counts_once)
{
    bytes b;
    start(&b);
    begin(&b, 1, 1, PF_F_PACKET_GPU_COUNTER_EVENT);
    pf_writer_begin(&b.w, PF_F_GPU_COUNTER_DESCRIPTOR);
    spec(&b, 4, "c", NULL, PF_GPU_FORWARDS_LOOKING);
    end(&b);
    end(&b);
    end(&b);
    for (uint64_t clock = 0; clock <= 200; clock += 200) {
        packet(&b, 300, 1, NONE);
        if (clock) {
            number(&b, PF_F_PACKET_TIMESTAMP_CLOCK_ID, clock);
        }
        pf_writer_begin(&b.w, PF_F_PACKET_GPU_COUNTER_EVENT);
        for (int64_t i = 1; i <= 3; i++) {
            sample(&b, 4, i);
        }
        end(&b);
        end(&b);
    }
    expect_counters(&b, "300 1 | gpu_counter c -\n300 2 | gpu_counter c -\n300 3 | gpu_counter c -\n", 0);
    pf_trace *t = load(&b);
    cr_expect_eq(stat_of(t, PF_STAT_CLOCK_UNKNOWN), 1);
    cr_expect_eq(stat_of(t, PF_STAT_CLOCK_PACKET_LOSS), 1);
    pf_trace_free(t);
    finish(&b);
}

Test(gpu, a_submission_cannot_last_less_than_nothing)
{
    static const uint64_t durations[] = {(uint64_t)INT64_MAX + 1, INT64_MAX, 0};
    bytes b;
    start(&b);
    for (uint64_t i = 0; i < 3; i++) {
        begin(&b, 10 + i, NONE, PF_F_PACKET_VULKAN_API_EVENT);
        pf_writer_begin(&b.w, PF_F_VULKAN_QUEUE_SUBMIT);
        number(&b, PF_F_SUBMIT_DURATION_NS, durations[i]);
        end(&b);
        end(&b);
        end(&b);
    }
    pf_trace *t = load(&b);
    cr_expect_eq(stat_of(t, PF_STAT_SLICE_NEGATIVE_DURATION), 1);
    cr_expect_eq(t->stat_offset[PF_STAT_SLICE_NEGATIVE_DURATION], 0);
    pf_trace_free(t);
    finish(&b);
}

Test(gpu, what_is_not_wanted_is_not_kept)
{
    bytes b;
    start(&b);
    begin(&b, 1, 1, PF_F_PACKET_GPU_COUNTER_EVENT);
    pf_writer_begin(&b.w, PF_F_GPU_COUNTER_DESCRIPTOR);
    spec(&b, 1, "c", NULL, 0);
    end(&b);
    sample(&b, 1, 1);
    end(&b);
    end(&b);
    begin(&b, 2, 1, PF_F_PACKET_GPU_RENDER_STAGE_EVENT);
    number(&b, PF_F_STAGE_EVENT_ID, 1);
    end(&b);
    end(&b);
    pf_read_options o = pf_read_options_default();
    o.want = PF_WANT_SLICES;
    pf_trace *t = load_bytes(b.out.data, b.out.len, &o, 0, NULL);
    cr_expect_eq(pf_trace_slices(t)->count, 1);
    cr_expect_eq(pf_trace_counters(t)->count, 0);
    cr_expect_eq(t->args.count, 0);
    cr_expect_eq(t->flow_refs.count, 0);
    pf_trace_free(t);
    finish(&b);
}
