/* GPU render stages: lanes, names that come late, arguments, flows (docs/reference/perfetto.md). Expectations about
 * corner cases were asked from Perfetto's engine (v55.3) with the same packets. */
#include "support.h"

#include <stdio.h>
#include <string.h>

static void begin_stage(bytes *b, uint64_t ts, uint64_t sequence)
{
    packet(b, ts, sequence, NONE);
    pf_writer_begin(&b->w, PF_F_PACKET_GPU_RENDER_STAGE_EVENT);
}

static void end_stage(bytes *b)
{
    end(b);
    end(b);
}

static void number(bytes *b, uint32_t field, uint64_t value)
{
    pf_writer_varint(&b->w, field, value);
}

static void stage(bytes *b, uint64_t ts, uint64_t id, uint64_t duration, uint64_t queue, uint64_t kind)
{
    begin_stage(b, ts, 1);
    number(b, PF_F_STAGE_EVENT_ID, id);
    number(b, PF_F_STAGE_DURATION, duration);
    number(b, PF_F_STAGE_HW_QUEUE_ID, queue);
    number(b, PF_F_STAGE_STAGE_ID, kind);
    end_stage(b);
}

/* One entry of the deprecated specifications; list 2 = queues, 3 = stages. */
static void specify(bytes *b, uint32_t list, const char *name, const char *description)
{
    pf_writer_begin(&b->w, list);
    text(b, 1, name);
    text(b, 2, description);
    end(b);
}

static void specification(bytes *b, uint64_t iid, const char *name, const char *description, uint64_t category)
{
    pf_writer_begin(&b->w, PF_F_INTERNED_GPU_SPECIFICATIONS);
    number(b, PF_F_ENTRY_IID, iid);
    text(b, PF_F_GPU_SPEC_NAME, name);
    text(b, PF_F_GPU_SPEC_DESCRIPTION, description);
    number(b, PF_F_GPU_SPEC_CATEGORY, category);
    end(b);
}

static void name_object(bytes *b, uint64_t ts, uint64_t type, uint64_t object, const char *name)
{
    packet(b, ts, NONE, NONE);
    pf_writer_begin(&b->w, PF_F_PACKET_VULKAN_API_EVENT);
    pf_writer_begin(&b->w, PF_F_VULKAN_OBJECT_NAME);
    number(b, 3, type);
    number(b, 4, object);
    text(b, 5, name);
    end(b);
    end(b);
    end(b);
}

static void correlated(bytes *b, uint64_t ts, const char *name, uint32_t list, uint64_t id)
{
    packet(b, ts, 2, NONE);
    pf_writer_begin(&b->w, PF_F_PACKET_TRACK_EVENT);
    number(b, PF_F_EVENT_TYPE, PF_EVENT_INSTANT);
    text(b, PF_F_EVENT_NAME, name);
    pf_writer_begin(&b->w, PF_F_EVENT_GPU_CORRELATION);
    number(b, list, id);
    end(b);
    end(b);
    end(b);
}

/* "out-in" or "out-in id" per flow. */
static void expect_flows(const pf_trace *t, const char *want)
{
    pf_buffer got = {0};
    const pf_flows *f = pf_trace_flows(t);
    const pf_slices *s = pf_trace_slices(t);
    for (uint32_t i = 0; i < f->count; i++) {
        pf_str from = pf_trace_string(t, pf_slice_name(s, f->slice_out[i])),
               to = pf_trace_string(t, pf_slice_name(s, f->slice_in[i]));
        pf_buffer_format(&got, "%.*s-%.*s", (int)from.len, from.ptr, (int)to.len, to.ptr);
        if (f->trace_id[i] != PF_FLOW_NO_ID) {
            pf_buffer_format(&got, " %llu", (unsigned long long)f->trace_id[i]);
        }
        pf_buffer_text(&got, "\n");
    }
    expect_text(&got, want);
}

/* "owner key=value" of the arguments of one track. */
static void expect_track_args(const pf_trace *t, uint32_t track, const char *want)
{
    pf_buffer got = {0};
    const pf_row_args *a = pf_trace_row_args(t);
    for (uint32_t i = 0; i < a->count; i++) {
        if (a->row[i] != track || a->owner[i] > PF_OWNER_TRACK_SOURCE) {
            continue;
        }
        pf_str key = pf_trace_string(t, a->key[i]), value = pf_trace_string(t, a->text[i]);
        pf_buffer_format(&got, "%s%.*s=", a->owner[i] ? "source " : "", (int)key.len, key.ptr);
        if (a->type[i] == PF_VALUE_INT) {
            pf_buffer_format(&got, "%lld\n", (long long)a->number[i]);
        } else {
            cr_expect_eq(a->type[i], PF_VALUE_STRING);
            pf_buffer_format(&got, "%.*s\n", value.ptr ? (int)value.len : 4, value.ptr ? value.ptr : "NULL");
        }
    }
    expect_text(&got, want);
}

static void expect_args(const pf_trace *t, uint32_t event, const char *want)
{
    pf_buffer got = {0};
    show_args(t, event, &got);
    expect_text(&got, want);
}

Test(gpu_stages, overlapping_stages_take_lanes_of_one_group_A16)
{
    bytes b;
    start(&b);
    correlated(&b, 50, "submit", PF_F_CORRELATION_SUBMISSION_IDS, 7);
    stage(&b, 120, 8, 50, 1, 2);
    stage(&b, 100, 7, 50, 1, 2);
    stage(&b, 150, 9, 10, 1, 3); /* lane 0 is free again at 150 */
    pf_trace *t = load(&b);
    pf_buffer got = {0};
    show_slices(t, &got);
    expect_text(&got, "50 0 d0 submit - | global_merged_track_event Default Track\n"
                      "100 50 d0 render stage(2) - | gpu_render_stage Unknown GPU Queue 1\n"
                      "120 50 d0 render stage(2) - | gpu_render_stage Unknown GPU Queue 1\n"
                      "150 10 d0 render stage(3) - | gpu_render_stage Unknown GPU Queue 1\n");
    const uint32_t *track = pf_trace_slices(t)->track;
    cr_expect_neq(track[1], track[2]);
    cr_expect_eq(track[1], track[3]);
    cr_expect_eq(pf_trace_tracks(t)->group[track[1]], track[1]);
    cr_expect_eq(pf_trace_tracks(t)->group[track[2]], track[1]);
    expect_flows(t, "submit-render stage(2)\n");
    expect_track_args(
        t, track[2],
        "ugpu=0\ngpu=0\nrender_stage_source=id\nhwqueue_id=1\nhwqueue_name=NULL\ntrack_compressor_idx=1\n");
    pf_trace_free(t);
    finish(&b);
}

/* A stage does not move the ends and begins of other tracks at its time. */
Test(gpu_stages, equal_times_of_track_events_keep_file_order)
{
    bytes b;
    start(&b);
    event(&b, 100, 2, PF_EVENT_SLICE_BEGIN, 5, "outer");
    event(&b, 200, 2, PF_EVENT_SLICE_BEGIN, 5, "inner");
    event(&b, 200, 2, PF_EVENT_SLICE_END, 5, NULL);
    event(&b, 300, 2, PF_EVENT_SLICE_END, 5, NULL);
    stage(&b, 200, 1, 5, 0, 0);
    expect_slices(&b, "100 200 d0 outer - | global_merged_track_event outer\n"
                      "200 0 d1 inner - | global_merged_track_event outer\n"
                      "200 5 d0 render stage(0) - | gpu_render_stage Unknown GPU Queue 0\n");
    finish(&b);
}

Test(gpu_stages, many_lanes_are_taken_lowest_first)
{
    bytes b;
    start(&b);
    for (uint64_t i = 0; i < 20; i++) {
        stage(&b, i, i, 100 - 2 * i, 0, 0); /* lane i, free from 100 - i on */
    }
    stage(&b, 90, 20, 100, 0, 0);  /* lanes 10 to 19 are free */
    stage(&b, 97, 21, 100, 0, 0);  /* and 11 to 19, 3 to 9 */
    stage(&b, 300, 22, 100, 0, 0); /* all */
    pf_trace *t = load(&b);
    const pf_slices *s = pf_trace_slices(t);
    cr_assert_eq(s->count, 23);
    cr_expect_eq(s->track[20], s->track[10]);
    cr_expect_eq(s->track[21], s->track[3]);
    cr_expect_eq(s->track[22], s->track[0]);
    for (uint32_t i = 1; i < 20; i++) {
        cr_expect_neq(s->track[i], s->track[i - 1]);
    }
    pf_trace_free(t);
    finish(&b);
}

Test(gpu_stages, names_of_specifications_apply_from_their_time_on)
{
    bytes b;
    start(&b);
    stage(&b, 100, 1, 5, 1, 1);
    stage(&b, 700, 2, 5, 1, 1); /* named by the next packet, which is earlier */
    begin_stage(&b, 650, 1);
    pf_writer_begin(&b.w, PF_F_STAGE_SPECIFICATIONS);
    specify(&b, 2, NULL, "nameless");
    specify(&b, 2, "Q1", NULL);
    specify(&b, 3, "S0", NULL);
    specify(&b, 3, "S1", "sd");
    pf_writer_begin(&b.w, 1);
    number(&b, 2, 77); /* the process of a stage in the same packet */
    end(&b);
    end(&b);
    end_stage(&b);
    stage(&b, 720, 3, 5, 0, 2);
    pf_trace *t = load(&b);
    pf_buffer got = {0};
    show_slices(t, &got);
    expect_text(&got, "100 5 d0 render stage(1) - | gpu_render_stage Q1\n"
                      "700 5 d0 S1 - | gpu_render_stage Q1\n"
                      "720 5 d0 render stage(2) - | gpu_render_stage Unknown GPU Queue 0\n");
    const uint32_t *track = pf_trace_slices(t)->track;
    cr_expect_neq(track[0], track[1]);
    expect_track_args(t, track[0],
                      "ugpu=0\ngpu=0\nrender_stage_source=id\nhwqueue_id=1\nhwqueue_name=NULL\ntrack_compressor_idx=0\n"
                      "source description=NULL\n");
    expect_track_args(t, track[1],
                      "ugpu=0\ngpu=0\nrender_stage_source=id\nhwqueue_id=1\nhwqueue_name=Q1\ntrack_compressor_idx=0\n");
    expect_args(t, 1,
                " description='sd' context_id=0u render_target=0u render_target_name='' render_pass=0u"
                " render_pass_name='' render_subpasses='' command_buffer=0u command_buffer_name=''"
                " submission_id=0 hw_queue_id=1u upid=0");
    cr_expect_eq(pf_trace_processes(t)->count, 1);
    pf_trace_free(t);
    finish(&b);
}

/* Packets without a time happen when the one before them did. */
Test(gpu_stages, specifications_without_a_time)
{
    bytes b;
    start(&b);
    stage(&b, 100, 1, 5, 0, 0);
    begin_stage(&b, NONE, 1);
    pf_writer_begin(&b.w, PF_F_STAGE_SPECIFICATIONS);
    specify(&b, 2, "Q0", "first");
    end(&b);
    end_stage(&b);
    stage(&b, 100, 2, 5, 0, 0);
    stage(&b, 99, 3, 1, 0, 0);
    expect_slices(&b, "99 1 d0 render stage(0) - | gpu_render_stage Q0\n"
                      "100 5 d0 render stage(0) - | gpu_render_stage Q0\n"
                      "100 5 d0 render stage(0) - | gpu_render_stage Q0\n");
    finish(&b);
}

Test(gpu_stages, handles_show_the_names_of_their_time)
{
    bytes b;
    start(&b);
    name_object(&b, 30, PF_VK_FRAMEBUFFER, 16, "later");
    name_object(&b, 10, PF_VK_FRAMEBUFFER, 16, "target");
    name_object(&b, 10, PF_VK_RENDER_PASS, 16, "pass");
    name_object(&b, 10, PF_VK_COMMAND_BUFFER, 16, "buffer");
    for (uint64_t ts = 5; ts <= 45; ts += 20) {
        begin_stage(&b, ts, 1);
        number(&b, PF_F_STAGE_EVENT_ID, ts);
        number(&b, PF_F_STAGE_RENDER_TARGET, 16);
        number(&b, PF_F_STAGE_COMMAND_BUFFER, 16);
        number(&b, PF_F_STAGE_SUBPASS_MASK, 8);
        number(&b, PF_F_STAGE_SUBPASS_MASK, 1ull << 63);
        end_stage(&b);
    }
    pf_trace *t = load(&b);
    static const char *const names[][2] = {{"", ""}, {"target", "buffer"}, {"later", "buffer"}};
    for (uint32_t i = 0; i < 3; i++) {
        pf_buffer want = {0};
        pf_buffer_format(&want,
                         " context_id=0u render_target=16u render_target_name='%s' render_pass=0u render_pass_name=''"
                         " render_subpasses='3,127' command_buffer=16u command_buffer_name='%s' submission_id=0"
                         " hw_queue_id=0u upid=0",
                         names[i][0], names[i][1]);
        pf_buffer_put(&want, "", 1);
        expect_args(t, i, want.data);
        pf_buffer_free(&want);
    }
    pf_trace_free(t);
    finish(&b);
}

/* Masks in a packed list; what would make the text longer than its room is left out. */
Test(gpu_stages, packed_masks)
{
    bytes b;
    start(&b);
    begin_stage(&b, 5, 1);
    number(&b, PF_F_STAGE_EVENT_ID, 1);
    pf_writer_bytes(&b.w, PF_F_STAGE_SUBPASS_MASK, "\x05\x00\x81\x01", 4);
    end_stage(&b);
    pf_trace *t = load(&b);
    expect_args(t, 0,
                " context_id=0u render_target=0u render_target_name='' render_pass=0u render_pass_name=''"
                " render_subpasses='0,2,128,135' command_buffer=0u command_buffer_name='' submission_id=0"
                " hw_queue_id=0u upid=0");
    pf_trace_free(t);
    finish(&b);
}

/* Names by their position in a list of 40, and by the ids of the sequence, which win. */
Test(gpu_stages, names_of_long_lists_and_of_ids)
{
    bytes b;
    start(&b);
    packet(&b, 0, 1, 1);
    intern(&b, PF_F_INTERNED_EVENT_NAMES, 3, "interned");
    end(&b);
    begin_stage(&b, 10, 1);
    pf_writer_begin(&b.w, PF_F_STAGE_SPECIFICATIONS);
    for (unsigned i = 0; i < 40; i++) {
        char name[8];
        snprintf(name, sizeof name, "S%u", i);
        specify(&b, 3, name, NULL);
        name[0] = 'Q';
        specify(&b, 2, name, NULL);
    }
    end(&b);
    end_stage(&b);
    stage(&b, 20, 1, 5, 39, 39);
    stage(&b, 30, 2, 5, 16, 15);
    stage(&b, 40, 3, 5, 40, 40);
    for (uint64_t iid = 3; iid <= 4; iid++) {
        begin_stage(&b, 50 + iid, 1);
        number(&b, PF_F_STAGE_EVENT_ID, iid);
        number(&b, PF_F_STAGE_NAME_IID, iid); /* nothing defines 4 */
        text(&b, PF_F_STAGE_NAME, "text");
        number(&b, PF_F_STAGE_STAGE_ID, 7);
        end_stage(&b);
    }
    expect_slices(&b, "20 5 d0 S39 - | gpu_render_stage Q39\n"
                      "30 5 d0 S15 - | gpu_render_stage Q16\n"
                      "40 5 d0 render stage(40) - | gpu_render_stage Unknown GPU Queue 40\n"
                      "53 0 d0 interned - | gpu_render_stage Q0\n"
                      "54 0 d0 - - | gpu_render_stage Q0\n");
    finish(&b);
}

/* A sequence that interns two queues, a stage, a context of process 42 (iid 0), a kernel and names. */
static void intern_all(bytes *b, uint64_t sequence)
{
    packet(b, 0, sequence, 1);
    pf_writer_begin(&b->w, PF_F_PACKET_INTERNED_DATA);
    specification(b, 1, "compute", "a queue", 2);
    specification(b, 2, "copy", NULL, 0);
    specification(b, 3, "kernel stage", "runs", 2);
    pf_writer_begin(&b->w, PF_F_INTERNED_GRAPHICS_CONTEXTS);
    number(b, PF_F_ENTRY_IID, 0);
    number(b, PF_F_CONTEXT_PID, 42);
    end(b);
    pf_writer_begin(&b->w, PF_F_INTERNED_COMPUTE_ARG_NAMES);
    number(b, PF_F_ENTRY_IID, 4);
    text(b, PF_F_ENTRY_TEXT, "registers");
    end(b);
    pf_writer_begin(&b->w, PF_F_INTERNED_DEBUG_ANNOTATION_STRING_VALUES);
    number(b, PF_F_ENTRY_IID, 5);
    text(b, PF_F_ENTRY_TEXT, "shared");
    end(b);
    pf_writer_begin(&b->w, PF_F_INTERNED_COMPUTE_KERNELS);
    number(b, PF_F_ENTRY_IID, 6);
    text(b, PF_F_KERNEL_ARCH, "sm_80");
    text(b, PF_F_KERNEL_NAME, "_Z3addv");
    text(b, PF_F_KERNEL_DEMANGLED_NAME, "add()");
    pf_writer_begin(&b->w, PF_F_KERNEL_ARGS);
    number(b, PF_F_COMPUTE_ARG_NAME_IID, 4);
    number(b, PF_F_COMPUTE_ARG_UINT, 32);
    end(b);
    end(b);
    end(b);
    end(b);
}

Test(gpu_stages, arguments_in_order)
{
    bytes b;
    start(&b);
    intern_all(&b, 1);
    begin_stage(&b, 100, 1);
    number(&b, PF_F_STAGE_EVENT_ID, 1);
    number(&b, PF_F_STAGE_DURATION, 5);
    number(&b, PF_F_STAGE_SUBMISSION_ID, 9);
    number(&b, PF_F_STAGE_HW_QUEUE_IID, 1);
    number(&b, PF_F_STAGE_STAGE_IID, 3);
    number(&b, PF_F_STAGE_CONTEXT, 0);
    number(&b, PF_F_STAGE_RENDER_PASS_INSTANCE, 42);
    number(&b, PF_F_STAGE_KERNEL_IID, 6);
    text(&b, PF_F_STAGE_NAME, "add");
    pf_writer_begin(&b.w, PF_F_STAGE_EXTRA_DATA);
    text(&b, PF_F_STAGE_EXTRA_NAME, "k.e[y]");
    text(&b, PF_F_STAGE_EXTRA_VALUE, "v");
    end(&b);
    pf_writer_begin(&b.w, PF_F_STAGE_LAUNCH);
    pf_writer_begin(&b.w, PF_F_LAUNCH_ARGS);
    text(&b, PF_F_COMPUTE_ARG_NAME, "memory");
    number(&b, PF_F_COMPUTE_ARG_STRING_IID, 5);
    end(&b);
    pf_writer_begin(&b.w, PF_F_LAUNCH_ARGS);
    text(&b, PF_F_COMPUTE_ARG_NAME, "occupancy");
    pf_writer_double(&b.w, PF_F_COMPUTE_ARG_DOUBLE, 0.5);
    end(&b);
    pf_writer_begin(&b.w, PF_F_LAUNCH_ARGS); /* an unknown name: no argument */
    number(&b, PF_F_COMPUTE_ARG_NAME_IID, 99);
    number(&b, PF_F_COMPUTE_ARG_INT, 1);
    end(&b);
    pf_writer_begin(&b.w, PF_F_LAUNCH_WORKGROUP_SIZE);
    number(&b, 2, 8);
    end(&b);
    pf_writer_begin(&b.w, PF_F_LAUNCH_GRID_SIZE);
    number(&b, 3, 4);
    number(&b, 1, 2);
    end(&b);
    end(&b);
    end_stage(&b);
    pf_trace *t = load(&b);
    pf_buffer got = {0};
    show_slices(t, &got);
    expect_text(&got, "100 5 d0 add - | gpu_render_stage compute\n");
    expect_args(t, 0,
                " render_stage_category=2 description='runs' kernel_name='_Z3addv' kernel_demangled_name='add()'"
                " arch='sm_80' registers=32u launch.grid_size.x=2u launch.grid_size.z=4u launch.workgroup_size.y=8u"
                " memory='shared' occupancy=0.5 real correlation_id='rp:#42' k.e[y]='v' context_id=0u render_target=0u"
                " render_target_name='' render_pass=0u render_pass_name='' render_subpasses='' command_buffer=0u"
                " command_buffer_name='' submission_id=9 hw_queue_id=1u upid=1");
    cr_expect_eq(pf_trace_processes(t)->pid[1], 42);
    expect_track_args(t, pf_trace_slices(t)->track[0],
                      "ugpu=0\ngpu=0\nrender_stage_source=iid\nhwqueue_id=1\nhwqueue_name=compute\n"
                      "track_compressor_idx=0\nsource description=a queue\n");
    pf_trace_free(t);
    finish(&b);
}

/* A stage on an unknown interned queue is dropped; what belongs to the others stays theirs. */
Test(gpu_stages, a_dropped_stage_leaves_the_others_alone)
{
    bytes b;
    start(&b);
    intern_all(&b, 1);
    static const uint64_t queue[] = {1, 77, 2};
    for (uint64_t i = 0; i < 3; i++) {
        begin_stage(&b, 100 + i, 1);
        number(&b, PF_F_STAGE_EVENT_ID, i);
        number(&b, PF_F_STAGE_DURATION, 1);
        number(&b, PF_F_STAGE_HW_QUEUE_IID, queue[i]);
        number(&b, PF_F_STAGE_STAGE_IID, 3);
        number(&b, PF_F_STAGE_SUBMISSION_ID, i);
        if (i == 2) {
            number(&b, PF_F_STAGE_EVENT_WAIT_IDS, 0);
            number(&b, PF_F_STAGE_EVENT_WAIT_IDS, 1);
        }
        end_stage(&b);
    }
    pf_trace *t = load(&b);
    pf_buffer got = {0};
    show_slices(t, &got);
    expect_text(&got, "100 1 d0 kernel stage - | gpu_render_stage compute\n"
                      "102 1 d0 kernel stage - | gpu_render_stage copy\n");
    expect_args(t, pf_trace_slices(t)->event[1],
                " render_stage_category=2 description='runs' context_id=0u render_target=0u render_target_name=''"
                " render_pass=0u render_pass_name='' render_subpasses='' command_buffer=0u command_buffer_name=''"
                " submission_id=2 hw_queue_id=2u upid=0");
    expect_flows(t, "kernel stage-kernel stage\n");
    pf_trace_free(t);
    finish(&b);
}

/* Directions are kept even against time, and an end of a slice may carry the ids. */
Test(gpu_stages, flows_in_any_order_of_arrival)
{
    bytes b;
    start(&b);
    correlated(&b, 50, "await", PF_F_CORRELATION_WAIT_IDS, 7);
    stage(&b, 100, 7, 50, 1, 7);
    correlated(&b, 300, "submit", PF_F_CORRELATION_SUBMISSION_IDS, 7);
    begin_stage(&b, 90, 1); /* waits for 7 before it is there, and for itself */
    number(&b, PF_F_STAGE_EVENT_ID, 8);
    number(&b, PF_F_STAGE_STAGE_ID, 8);
    number(&b, PF_F_STAGE_EVENT_WAIT_IDS, 7);
    number(&b, PF_F_STAGE_EVENT_WAIT_IDS, 8);
    end_stage(&b);
    event(&b, 500, 2, PF_EVENT_SLICE_BEGIN, 0, "slice");
    packet(&b, 510, 2, NONE);
    pf_writer_begin(&b.w, PF_F_PACKET_TRACK_EVENT);
    number(&b, PF_F_EVENT_TYPE, PF_EVENT_SLICE_END);
    pf_writer_begin(&b.w, PF_F_EVENT_GPU_CORRELATION);
    number(&b, PF_F_CORRELATION_SUBMISSION_IDS, 8);
    end(&b);
    end(&b);
    end(&b);
    pf_trace *t = load(&b);
    expect_flows(t, "render stage(8)-render stage(8)\n"
                    "render stage(7)-await\n"
                    "render stage(7)-render stage(8)\n"
                    "submit-render stage(7)\n"
                    "slice-render stage(8)\n");
    pf_trace_free(t);
    finish(&b);
}

Test(gpu_stages, unusable_durations_and_times)
{
    bytes b;
    start(&b);
    stage(&b, 100, 1, (uint64_t)-3, 0, 0);
    stage(&b, (uint64_t)-5, 2, 3, 0, 0);
    stage(&b, 200, 3, INT64_MAX, 0, 0);
    stage(&b, 300, 4, 1, 0, 0);
    pf_trace *t = load(&b);
    pf_buffer got = {0};
    show_slices(t, &got);
    expect_text(&got, "300 1 d0 render stage(0) - | gpu_render_stage Unknown GPU Queue 0\n");
    cr_expect_eq(stat_of(t, PF_STAT_SLICE_NEGATIVE_DURATION), 1);
    cr_expect_eq(stat_of(t, PF_STAT_NEGATIVE_TS), 1);
    pf_trace_free(t);
    finish(&b);
}

/* Clocks that a snapshot at the end of the file explains: {MONOTONIC 1000, BOOTTIME 5000}. */
Test(gpu_stages, times_that_become_known_at_the_end)
{
    static const uint64_t clocks[][4] = {{PF_CLOCK_MONOTONIC, 1000}, {PF_CLOCK_BOOTTIME, 5000}};
    bytes b;
    start(&b);
    for (uint64_t i = 0; i < 3; i++) {
        packet(&b, 1100 - i * 10, 1, NONE);
        number(&b, PF_F_PACKET_TIMESTAMP_CLOCK_ID, i == 1 ? 77 : PF_CLOCK_MONOTONIC); /* 77: nothing explains it */
        pf_writer_begin(&b.w, PF_F_PACKET_GPU_RENDER_STAGE_EVENT);
        if (i == 2) {
            pf_writer_begin(&b.w, PF_F_STAGE_SPECIFICATIONS); /* ten ns before the stage */
            specify(&b, 2, "Q0", NULL);
            end(&b);
        } else {
            number(&b, PF_F_STAGE_EVENT_ID, i);
            number(&b, PF_F_STAGE_DURATION, 7);
        }
        end_stage(&b);
    }
    snapshot(&b, NONE, NONE, clocks, 2, 0);
    pf_trace *t = load(&b);
    pf_buffer got = {0};
    show_slices(t, &got);
    expect_text(&got, "5100 7 d0 render stage(0) - | gpu_render_stage Q0\n");
    cr_expect_eq(stat_of(t, PF_STAT_CLOCK_PACKET_LOSS), 1);
    pf_trace_free(t);
    finish(&b);
}

/* Whatever is cut off, what is before it is read. */
Test(gpu_stages, truncated_anywhere)
{
    bytes b;
    start(&b);
    intern_all(&b, 1);
    stage(&b, 100, 7, 50, 1, 7);
    begin_stage(&b, 90, 1);
    number(&b, PF_F_STAGE_EVENT_ID, 8);
    number(&b, PF_F_STAGE_HW_QUEUE_IID, 2);
    number(&b, PF_F_STAGE_EVENT_WAIT_IDS, 7);
    number(&b, PF_F_STAGE_KERNEL_IID, 6);
    end_stage(&b);
    name_object(&b, 95, PF_VK_FRAMEBUFFER, 16, "target");
    uint32_t most = 0;
    for (size_t len = 0; len <= b.out.len; len++) {
        pf_trace *t = load_bytes(b.out.data, len, NULL, 64, NULL);
        uint32_t count = pf_trace_slices(t)->count;
        cr_expect(count >= most && count <= 2);
        most = count;
        for (uint32_t i = 0; i < pf_trace_events(t)->count; i++) {
            pf_buffer got = {0};
            show_args(t, i, &got);
            cr_expect_gt(got.len, 0);
            pf_buffer_free(&got);
        }
        pf_trace_free(t);
    }
    cr_expect_eq(most, 2);
    finish(&b);
}

/* Names are of queues of GPU 0: where the queue of that number that was in use is another GPU's, that of GPU 0 gets a
 * track of its own, before anything ran on it. */
Test(gpu_stages, queues_that_are_named_before_use)
{
    bytes b;
    start(&b);
    begin_stage(&b, 40, 1);
    number(&b, PF_F_STAGE_EVENT_ID, 1);
    number(&b, PF_F_STAGE_DURATION, 5);
    number(&b, PF_F_STAGE_GPU_ID, 1);
    end_stage(&b);
    begin_stage(&b, 50, 1);
    pf_writer_begin(&b.w, PF_F_STAGE_SPECIFICATIONS);
    specify(&b, 2, "Q0", "about it");
    end(&b);
    end_stage(&b);
    pf_trace *t = load(&b);
    const pf_tracks *k = pf_trace_tracks(t);
    pf_buffer got = {0};
    for (uint32_t i = 0; i < k->count; i++) {
        pf_str name = pf_trace_string(t, k->name[i]);
        pf_buffer_format(&got, "%.*s, type %d, group %u, used %u\n", (int)name.len, name.ptr,
                         k->type[i] == PF_TRACK_GPU_RENDER_STAGE, k->group[i], k->used[i]);
    }
    expect_text(&got, "Unknown GPU Queue 0, type 1, group 0, used 1\nQ0, type 1, group 1, used 1\n");
    expect_track_args(
        t, 0, "ugpu=0\ngpu=1\nrender_stage_source=id\nhwqueue_id=0\nhwqueue_name=NULL\ntrack_compressor_idx=0\n");
    expect_track_args(t, 1,
                      "ugpu=1\ngpu=0\nrender_stage_source=id\nhwqueue_id=0\nhwqueue_name=NULL\ntrack_compressor_idx=0\n"
                      "source description=about it\n");
    pf_trace_free(t);
    finish(&b);
}
