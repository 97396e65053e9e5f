/* What is known of GPUs besides their events. Expected values are those of Perfetto's engine v55.3 for the same
 * packets.
 */
#include "support.h"

static void varint(bytes *b, uint32_t field, uint64_t value)
{
    pf_writer_varint(&b->w, field, value);
}

static void begin(bytes *b, uint32_t field)
{
    pf_writer_begin(&b->w, field);
}

static void intern_stage_names(bytes *b)
{
    packet(b, 1, 1, PF_SEQ_STATE_CLEARED);
    intern(b, PF_F_INTERNED_GPU_SPECIFICATIONS, 1, "q0");
    end(b);
}

static void stage(bytes *b, uint64_t ts, uint64_t id, uint64_t gpu, uint64_t context)
{
    packet(b, ts, 1, PF_SEQ_NEEDS_STATE);
    begin(b, PF_F_PACKET_GPU_RENDER_STAGE_EVENT);
    if (id) {
        varint(b, PF_F_STAGE_EVENT_ID, id);
    }
    varint(b, PF_F_STAGE_DURATION, 5);
    varint(b, PF_F_STAGE_HW_QUEUE_IID, 1);
    varint(b, PF_F_STAGE_GPU_ID, gpu);
    if (context) {
        varint(b, PF_F_STAGE_CONTEXT, context);
    }
    end(b);
    end(b);
}

static void memory_total(bytes *b, uint64_t ts, uint64_t gpu, uint64_t pid)
{
    packet(b, ts, 1, NONE);
    begin(b, PF_F_PACKET_GPU_MEM_TOTAL_EVENT);
    varint(b, 1, gpu);
    varint(b, 2, pid);
    varint(b, 3, 1000);
    end(b);
    end(b);
}

static void show_text(const pf_trace *t, uint32_t id, pf_buffer *out)
{
    pf_str s = pf_trace_string(t, id);
    pf_buffer_format(out, " %.*s", s.ptr ? (int)s.len : 1, s.ptr ? s.ptr : "-");
}

/* GpuInfo numbers its GPUs first, the others follow in the order of time. The dimensions of tracks say the same. */
Test(gpu_lists, numbers)
{
    bytes b;
    start(&b);
    intern_stage_names(&b);
    stage(&b, 20, 1, 6, 0);
    stage(&b, 10, 2, 5, 0);
    memory_total(&b, 25, 3, 42);
    memory_total(&b, 15, 8, 0);
    for (int second = 0; second < 2; second++) {
        packet(&b, 17 + 20 * (uint64_t)second, NONE, NONE);
        begin(&b, PF_F_PACKET_GPU_INFO);
        for (int gpu = 0; gpu < 2 + second; gpu++) {
            begin(&b, 1);
            if (gpu != 1) {
                text(&b, 1, second ? "new" : "old");
            }
            if (gpu == 1) {
                pf_writer_bytes(&b.w, 5, second ? "\xff\x01" : "", second ? 2 : 0);
            }
            if (gpu == 1 && !second) {
                begin(&b, 6);
                text(&b, 1, "k.x[1]");
                text(&b, 2, "v");
                end(&b);
                begin(&b, 6);
                text(&b, 1, "no value");
                end(&b);
            }
            end(&b);
        }
        end(&b);
        end(&b);
    }
    pf_trace *t = load(&b);
    pf_side_table *s = &t->sides.known[PF_SIDE_GPU];
    const pf_row_args *a = pf_trace_row_args(t);
    const pf_tracks *tracks = pf_trace_tracks(t);
    pf_buffer got = {0};
    for (uint32_t i = 0; i < s->count; i++) {
        pf_buffer_format(&got, "%u %lld", i, (long long)*pf_side_number(s, PF_GPU_NUMBER, i));
        show_text(t, *pf_side_ref(s, PF_GPU_NAME, i), &got);
        show_text(t, *pf_side_ref(s, PF_GPU_UUID, i), &got);
        pf_buffer_text(&got, "\n");
    }
    expect_text(&got, "0 0 new -\n1 1 - ff01\n2 2 new -\n3 5 - -\n4 8 - -\n5 6 - -\n6 3 - -\n");
    for (uint32_t i = 0; i < a->count; i++) {
        if (a->owner[i] == PF_OWNER_GPU) {
            pf_buffer_format(&got, "gpu %u", a->row[i]);
            show_text(t, a->key[i], &got);
            show_text(t, a->text[i], &got);
        } else if (a->key[i] == pf_trace_find_string(t, PF_STR("ugpu"))) {
            pf_buffer_format(&got, ", %s %lld", pf_track_type_name((pf_track_type)tracks->type[a->row[i]]),
                             (long long)a->number[i]);
        }
    }
    expect_text(&got, "gpu 1 k.x[1] v, gpu_render_stage 3, gpu_memory 4, gpu_render_stage 5, process_gpu_memory 6");
    pf_trace_free(t);
    finish(&b);
}

/* ---- groups ------------------------------------------------------------------------------------------------------ */

typedef struct group {
    uint64_t id;
    const char *name;
    uint64_t counters[4];
} group;

static void put_descriptor(bytes *b, const char *const *names, const uint64_t (*known)[3], size_t count,
                           const group *groups, size_t group_count)
{
    for (size_t i = 0; i < count; i++) {
        begin(b, 1);
        varint(b, 1, i + 1);
        text(b, 2, names[i]);
        for (size_t k = 0; k < 3 && known[i][k]; k++) {
            varint(b, 10, known[i][k]);
        }
        end(b);
    }
    for (size_t i = 0; i < group_count; i++) {
        begin(b, 6);
        if (groups[i].id) {
            varint(b, 1, groups[i].id);
        }
        text(b, 2, groups[i].name);
        for (size_t k = 0; k < 4 && groups[i].counters[k]; k++) {
            varint(b, 4, groups[i].counters[k]);
        }
        end(b);
    }
}

static void expect_groups(bytes *b, const char *want, uint64_t invalid)
{
    pf_trace *t = load(b);
    pf_side_table *s = &t->sides.known[PF_SIDE_GPU_GROUP];
    const pf_tracks *tracks = pf_trace_tracks(t);
    pf_buffer got = {0};
    for (uint32_t i = 0; i < s->count; i++) {
        pf_buffer_format(&got, "%lld", (long long)*pf_side_number(s, PF_GPU_GROUP_ID, i));
        show_text(t, *pf_side_ref(s, PF_GPU_GROUP_NAME, i), &got);
        show_text(t, tracks->name[*pf_side_ref(s, PF_GPU_GROUP_TRACK, i)], &got);
        pf_buffer_text(&got, "\n");
    }
    expect_text(&got, want);
    cr_expect_eq(stat_of(t, PF_STAT_GPU_COUNTER_SPEC), invalid);
    pf_trace_free(t);
    finish(b);
}

/* A group of the descriptor that has the number of a well-known one lends it its name; what is listed twice counts
 * twice; counters that a descriptor does not define newly do not join its groups. */
Test(gpu_lists, groups_of_inline_descriptors)
{
    static const char *const first[] = {"a", "b"}, *const second[] = {"a", "c"};
    static const uint64_t known_first[][3] = {{1, 1, 9}, {0}}, known_second[][3] = {{4}, {2}};
    static const group own[] = {{11, "G", {1, 1, 2, 3}}, {0, "H", {2}}, {1, "N", {1}}},
                       own_second[] = {{11, "G3", {1, 2}}};
    bytes b;
    start(&b);
    packet(&b, 5, 1, PF_SEQ_STATE_CLEARED);
    begin(&b, PF_F_PACKET_GPU_COUNTER_EVENT);
    begin(&b, PF_F_GPU_COUNTER_DESCRIPTOR);
    put_descriptor(&b, first, known_first, 2, own, 3);
    end(&b);
    end(&b);
    end(&b);
    packet(&b, 6, 1, NONE);
    begin(&b, PF_F_PACKET_GPU_COUNTER_EVENT);
    begin(&b, PF_F_GPU_COUNTER_DESCRIPTOR);
    put_descriptor(&b, second, known_second, 1, own_second, 1);
    end(&b);
    end(&b);
    end(&b);
    expect_groups(&b, "1 N a\n1 N a\n9 - a\n0 - b\n11 G a\n11 G a\n11 G b\n1 N a\n", 1);
}

static void intern_descriptor(bytes *b, uint64_t sequence)
{
    static const char *const names[] = {"a", "b"};
    static const uint64_t known[][3] = {{1}, {0}};
    static const group own[] = {{11, "G", {1, 2}}};
    packet(b, 5, sequence, PF_SEQ_STATE_CLEARED);
    begin(b, PF_F_PACKET_INTERNED_DATA);
    begin(b, PF_F_INTERNED_GPU_COUNTER_DESCRIPTORS);
    varint(b, 1, 1);
    begin(b, 2);
    put_descriptor(b, names, known, 2, own, 1);
    end(b);
    end(b);
    end(b);
    end(b);
}

static void sample(bytes *b, uint64_t ts, uint64_t sequence, uint64_t counter)
{
    packet(b, ts, sequence, PF_SEQ_NEEDS_STATE);
    begin(b, PF_F_PACKET_GPU_COUNTER_EVENT);
    varint(b, PF_F_GPU_COUNTER_DESCRIPTOR_IID, 1);
    begin(b, PF_F_GPU_COUNTER_SAMPLES);
    varint(b, PF_F_GPU_SAMPLE_COUNTER_ID, counter);
    varint(b, PF_F_GPU_SAMPLE_INT, 7);
    end(b);
    end(b);
    end(b);
}

/* The descriptor's own groups count anew in each generation and sequence, well-known ones with a track's first value.
 */
Test(gpu_lists, groups_of_interned_descriptors)
{
    bytes b;
    start(&b);
    intern_descriptor(&b, 1);
    sample(&b, 6, 1, 1);
    sample(&b, 7, 1, 2);
    intern_descriptor(&b, 1);
    sample(&b, 8, 1, 1);
    intern_descriptor(&b, 2);
    sample(&b, 9, 2, 1);
    expect_groups(&b, "11 G a\n11 G b\n1 - a\n0 - b\n11 G a\n11 G b\n11 G a\n11 G b\n", 0);
}

/* ---- contexts ---------------------------------------------------------------------------------------------------- */

static void intern_context(bytes *b, uint64_t iid, uint64_t pid, int api)
{
    packet(b, 2, 1, PF_SEQ_NEEDS_STATE);
    begin(b, PF_F_PACKET_INTERNED_DATA);
    begin(b, PF_F_INTERNED_GRAPHICS_CONTEXTS);
    varint(b, 1, iid);
    if (pid) {
        varint(b, 2, pid);
    }
    if (api >= 0) {
        varint(b, 3, (uint64_t)api);
    }
    end(b);
    end(b);
    end(b);
}

/* Each context once, in the order of time; packets count that are no stage (id 0), and stages that are dropped. */
Test(gpu_lists, contexts)
{
    bytes b;
    start(&b);
    intern_stage_names(&b);
    for (int api = 0; api < 8; api++) {
        intern_context(&b, 10 + (uint64_t)api, 40 + (uint64_t)api, api);
    }
    intern_context(&b, 30, 0, -1);
    for (uint64_t i = 0; i < 8; i++) {
        stage(&b, 100 - i, i, 0, 10 + i);
    }
    stage(&b, 110, 20, 0, 30);
    stage(&b, 111, 21, 0, 30);
    stage(&b, 112, 22, 0, 99); /* nothing defines it */
    pf_trace *t = load(&b);
    pf_side_table *s = &t->sides.known[PF_SIDE_GPU_CONTEXT];
    pf_buffer got = {0};
    for (uint32_t i = 0; i < s->count; i++) {
        int64_t pid = *pf_side_number(s, PF_GPU_CONTEXT_PID, i);
        pf_buffer_format(&got, "%lld %lld", (long long)*pf_side_number(s, PF_GPU_CONTEXT_ID, i),
                         pid == INT64_MIN ? -1ll : (long long)pid);
        show_text(t, *pf_side_ref(s, PF_GPU_CONTEXT_API, i), &got);
        pf_buffer_text(&got, "\n");
    }
    expect_text(&got, "17 47 UNDEFINED\n16 46 UNDEFINED\n15 45 HIP\n14 44 CUDA\n13 43 OPEN_CL\n12 42 VULKAN\n"
                      "11 41 OPEN_GL\n10 40 UNDEFINED\n30 -1 -\n");
    pf_trace_free(t);
    finish(&b);
}
