/* Vulkan memory events. Expected values are those of Perfetto's engine v55.3 for the same packets, unless a comment
 * says otherwise. */
#include "support.h"

typedef struct memory {
    uint64_t source, operation, time, pid, size, scope, type;
} memory;

static void begin_memory(bytes *b, uint64_t ts, memory m)
{
    packet(b, ts, 1, PF_SEQ_NEEDS_STATE);
    pf_writer_begin(&b->w, PF_F_PACKET_VULKAN_MEMORY_EVENT);
    pf_writer_varint(&b->w, PF_F_VK_MEMORY_SOURCE, m.source);
    pf_writer_varint(&b->w, PF_F_VK_MEMORY_OPERATION, m.operation);
    pf_writer_varint(&b->w, PF_F_VK_MEMORY_TIMESTAMP, m.time);
    pf_writer_varint(&b->w, PF_F_VK_MEMORY_PID, m.pid);
    pf_writer_varint(&b->w, PF_F_VK_MEMORY_SIZE, m.size);
    if (m.scope) {
        pf_writer_varint(&b->w, PF_F_VK_MEMORY_SCOPE, m.scope);
    }
    if (m.type) {
        pf_writer_varint(&b->w, PF_F_VK_MEMORY_TYPE, m.type);
    }
}

static void add_memory(bytes *b, uint64_t ts, memory m)
{
    begin_memory(b, ts, m);
    end(b);
    end(b);
}

static void intern_names(bytes *b)
{
    packet(b, 1, 1, PF_SEQ_STATE_CLEARED);
    intern(b, PF_F_INTERNED_FUNCTION_NAMES, 1, "vkFn");
    end(b);
    packet(b, 2, 1, PF_SEQ_NEEDS_STATE);
    intern(b, PF_F_INTERNED_VULKAN_MEMORY_KEYS, 1, "key one");
    end(b);
    packet(b, 3, 1, PF_SEQ_NEEDS_STATE);
    intern(b, PF_F_INTERNED_VULKAN_MEMORY_KEYS, 2, "key.two[3]");
    end(b);
}

static void show(const pf_trace *t, uint32_t id, pf_buffer *out)
{
    pf_str s = pf_trace_string(t, id);
    pf_buffer_format(out, " %.*s", s.ptr ? (int)s.len : 1, s.ptr ? s.ptr : "-");
}

/* Sums of driver memory go over all processes, each of which shows them on a track of its own. */
Test(vulkan_memory, driver)
{
    bytes b;
    start(&b);
    intern_names(&b);
    add_memory(&b, 10, (memory){1, 1, 1000, 42, 100, 1, 0});
    add_memory(&b, 11, (memory){1, 1, 990, 43, 50, 2, 0});
    add_memory(&b, 13, (memory){1, 2, 1020, 42, 20, 2, 0}); /* later in time than the next one */
    add_memory(&b, 12, (memory){1, 2, 1010, 43, 20, 1, 0});
    add_memory(&b, 14, (memory){1, 1, 1020, 42, 5, 0, 0}); /* no scope */
    add_memory(&b, 15, (memory){1, 3, 1020, 42, 5, 1, 0}); /* no such operation of a driver */
    pf_trace *t = load(&b);
    pf_buffer got = {0};
    show_counters(t, &got);
    expect_text(&got, "990 50 | vulkan_driver_mem vulkan.mem.driver.scope.OBJECT pid 43 -\n"
                      "1000 100 | vulkan_driver_mem vulkan.mem.driver.scope.COMMAND pid 42 -\n"
                      "1010 80 | vulkan_driver_mem vulkan.mem.driver.scope.COMMAND pid 43 -\n"
                      "1020 30 | vulkan_driver_mem vulkan.mem.driver.scope.OBJECT pid 42 -\n");
    cr_expect_eq(t->sides.known[PF_SIDE_VULKAN_MEMORY].count, 6);
    cr_expect_eq(t->tracks.count, 4);
    pf_trace_free(t);
    finish(&b);
}

/* Device memory is allocated, buffers and images are bound; each by memory type. */
Test(vulkan_memory, devices)
{
    bytes b;
    start(&b);
    intern_names(&b);
    add_memory(&b, 10, (memory){3, 1, 1031, 42, 10, 0, 3});
    add_memory(&b, 11, (memory){3, 2, 1032, 42, 4, 0, 3});
    add_memory(&b, 12, (memory){4, 3, 1043, 42, 10, 0, 3});
    add_memory(&b, 13, (memory){5, 3, 1053, 42, 7, 0, 3});
    add_memory(&b, 14, (memory){5, 4, 1054, 42, 10, 0, 3});
    add_memory(&b, 15, (memory){5, 1, 1055, 42, 10, 0, 3});
    add_memory(&b, 16, (memory){2, 1, 1056, 42, 10, 0, 3});
    pf_trace *t = load(&b);
    pf_buffer got = {0};
    show_counters(t, &got);
    expect_text(&got, "1031 10 | vulkan_device_mem_allocation vulkan.mem.device.memory.type.3.allocation pid 42 -\n"
                      "1032 6 | vulkan_device_mem_allocation vulkan.mem.device.memory.type.3.allocation pid 42 -\n"
                      "1043 10 | vulkan_device_mem_bind vulkan.mem.device.memory.type.3.bind pid 42 -\n"
                      "1053 17 | vulkan_device_mem_bind vulkan.mem.device.memory.type.3.bind pid 42 -\n"
                      "1054 7 | vulkan_device_mem_bind vulkan.mem.device.memory.type.3.bind pid 42 -\n");
    pf_trace_free(t);
    finish(&b);
}

static void annotate(bytes *b, uint64_t key, uint64_t number, uint64_t text_iid, bool real)
{
    pf_writer_begin(&b->w, PF_F_VK_MEMORY_ANNOTATIONS);
    pf_writer_varint(&b->w, PF_F_VK_ANNOTATION_KEY_IID, key);
    if (real) {
        pf_writer_double(&b->w, PF_F_VK_ANNOTATION_DOUBLE, 2.5);
    } else if (text_iid) {
        pf_writer_varint(&b->w, PF_F_VK_ANNOTATION_STRING_IID, text_iid);
    } else if (number) {
        pf_writer_varint(&b->w, PF_F_VK_ANNOTATION_INT, number);
    }
    end(b);
}

/* All columns; an annotation without a value is none, one without a known key is counted (the engine keeps it under no
 * name). A sample before time zero is dropped (the engine keeps it). */
Test(vulkan_memory, rows)
{
    bytes b;
    start(&b);
    intern_names(&b);
    begin_memory(&b, 10, (memory){1, 1, (uint64_t)-5, 42, 100, 5, 9});
    pf_writer_fixed64(&b.w, PF_F_VK_MEMORY_ADDRESS, 0xfff0000000000001);
    pf_writer_fixed64(&b.w, PF_F_VK_MEMORY_DEVICE, 7);
    pf_writer_fixed64(&b.w, PF_F_VK_MEMORY_OBJECT, 11);
    pf_writer_varint(&b.w, PF_F_VK_MEMORY_CALLER_IID, 1);
    annotate(&b, 1, 5, 0, false);
    annotate(&b, 2, 0, 0, true);
    annotate(&b, 1, 0, 2, false);
    annotate(&b, 9, 6, 0, false);
    annotate(&b, 2, 0, 0, false);
    end(&b);
    end(&b);
    pf_trace *t = load(&b);
    pf_side_table *s = &t->sides.known[PF_SIDE_VULKAN_MEMORY];
    pf_buffer got = {0};
    cr_assert_eq(s->count, 1);
    show(t, *pf_side_ref(s, PF_VULKAN_SOURCE, 0), &got);
    show(t, *pf_side_ref(s, PF_VULKAN_OPERATION, 0), &got);
    show(t, *pf_side_ref(s, PF_VULKAN_FUNCTION, 0), &got);
    show(t, *pf_side_ref(s, PF_VULKAN_SCOPE, 0), &got);
    expect_text(&got, " DRIVER CREATE vkFn INSTANCE");
    cr_expect_eq(*pf_side_number(s, PF_VULKAN_TIMESTAMP, 0), -5);
    cr_expect_eq(*pf_side_number(s, PF_VULKAN_ADDRESS, 0), -4503599627370495);
    cr_expect_eq(*pf_side_number(s, PF_VULKAN_DEVICE, 0), 7);
    cr_expect_eq(*pf_side_number(s, PF_VULKAN_DEVICE_MEMORY, 0), INT64_MIN);
    cr_expect_eq(*pf_side_number(s, PF_VULKAN_MEMORY_TYPE, 0), 9);
    cr_expect_eq(*pf_side_number(s, PF_VULKAN_OBJECT, 0), 11);
    const pf_row_args *a = pf_trace_row_args(t);
    for (uint32_t i = 0; i < a->count; i++) {
        if (a->owner[i] == PF_OWNER_VULKAN_MEMORY) {
            show(t, a->key[i], &got);
            pf_buffer_format(&got, "=%u", a->type[i]);
        }
    }
    expect_text(&got, " key one=2 key.two[3]=4 key one=5");
    cr_expect_eq(stat_of(t, PF_STAT_INTERNED_ERRORS), 1);
    cr_expect_eq(stat_of(t, PF_STAT_NEGATIVE_TS), 1);
    cr_expect_eq(pf_trace_counters(t)->count, 0);
    pf_trace_free(t);
    finish(&b);
}

/* Values that have no name give NULL, and no counter. */
Test(vulkan_memory, unknown_values)
{
    bytes b;
    start(&b);
    intern_names(&b);
    add_memory(&b, 10, (memory){17, UINT64_MAX, 1, 0, 10, 6, 3});
    add_memory(&b, 11, (memory){1, 1, 1, 0, 10, 6, 3});
    pf_trace *t = load(&b);
    pf_side_table *s = &t->sides.known[PF_SIDE_VULKAN_MEMORY];
    cr_assert_eq(s->count, 2);
    cr_expect_eq(*pf_side_ref(s, PF_VULKAN_SOURCE, 0), 0);
    cr_expect_eq(*pf_side_ref(s, PF_VULKAN_OPERATION, 0), 0);
    cr_expect_eq(*pf_side_ref(s, PF_VULKAN_SCOPE, 0), 0);
    cr_expect_eq(*pf_side_ref(s, PF_VULKAN_UPID, 0), 0);
    cr_expect_eq(pf_trace_counters(t)->count, 0);
    pf_trace_free(t);
    finish(&b);
}
