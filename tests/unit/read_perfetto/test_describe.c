/* What descriptors, process lists and snapshots say besides the events. Expected values are those of Perfetto's engine
 * v55.3 for the same packets, unless a comment says otherwise. */
#include "support.h"

/* One line per argument of the owner's rows: "row key=value". */
static void show_row_args(const pf_trace *t, pf_owner owner, pf_buffer *out)
{
    const pf_row_args *a = pf_trace_row_args(t);
    for (uint32_t i = 0; i < a->count; i++) {
        if (a->owner[i] != owner) {
            continue;
        }
        pf_str key = pf_trace_string(t, a->key[i]), s = pf_trace_string(t, a->text[i]);
        pf_buffer_format(out, "%u %.*s=", a->row[i], (int)key.len, key.ptr);
        if (a->type[i] == PF_VALUE_STRING) {
            pf_buffer_format(out, s.ptr ? "'%.*s'\n" : "NULL\n", (int)s.len, s.ptr ? s.ptr : "");
        } else {
            pf_buffer_format(out, "%lld\n", (long long)a->number[i]);
        }
    }
}

static void expect_row_args(const bytes *b, pf_owner owner, const char *want)
{
    pf_buffer got = {0};
    pf_trace *t = load(b);
    show_row_args(t, owner, &got);
    expect_text(&got, want);
    pf_trace_free(t);
}

/* ---- tracks ------------------------------------------------------------------------------------------------------ */

typedef struct track_options {
    const char *key, *description;
    uint64_t key_number;
    int ordering, rank;
} track_options;

static void describe_more(bytes *b, uint64_t uuid, uint64_t parent, const char *name, int merge, track_options o)
{
    packet(b, NONE, NONE, NONE);
    pf_writer_begin(&b->w, PF_F_PACKET_TRACK_DESCRIPTOR);
    pf_writer_varint(&b->w, 1, uuid);
    text(b, 2, name);
    if (parent) {
        pf_writer_varint(&b->w, 5, parent);
    }
    if (o.ordering) {
        pf_writer_varint(&b->w, 11, (uint64_t)o.ordering);
    }
    if (o.rank) {
        pf_writer_varint(&b->w, 12, (uint64_t)(int64_t)o.rank);
    }
    if (o.description) {
        text(b, 14, o.description);
    }
    pf_writer_varint(&b->w, 15, (uint64_t)merge);
    if (o.key) {
        text(b, 16, o.key);
    }
    if (o.key_number) {
        pf_writer_varint(&b->w, 17, o.key_number);
    }
    end(b);
    end(b);
}

Test(track_args, groups_are_keyed_once)
{
    bytes b;
    start(&b);
    describe_more(&b, 10, 0, "up", PF_MERGE_NONE, (track_options){0});
    for (uint64_t i = 11; i <= 13; i++) {
        describe_more(&b, i, 10, "same", PF_MERGE_BY_NAME, (track_options){0});
        event(&b, i, 1, PF_EVENT_SLICE_BEGIN, i, "e");
    }
    describe_more(&b, 21, 0, "k", PF_MERGE_BY_KEY, (track_options){.key = "word"});
    describe_more(&b, 22, 0, "k", PF_MERGE_BY_KEY, (track_options){.key_number = 77});
    describe_more(&b, 23, 0, "k", PF_MERGE_BY_KEY, (track_options){0});
    for (uint64_t i = 21; i <= 23; i++) {
        event(&b, i, 1, PF_EVENT_INSTANT, i, "e");
    }
    expect_row_args(&b, PF_OWNER_TRACK_DIMENSION,
                    "0 parent_track_uuid=10\n0 merge_key_type=0\n0 merge_key_value='same'\n"
                    "3 parent_track_uuid=0\n3 merge_key_type=2\n3 merge_key_value='word'\n"
                    "4 parent_track_uuid=0\n4 merge_key_type=2\n4 merge_key_value='sibling_merge_key_int:77'\n"
                    "5 parent_track_uuid=0\n5 merge_key_type=2\n5 merge_key_value=NULL\n");
    finish(&b);
}

Test(track_args, descriptors_say_more)
{
    bytes b;
    start(&b);
    describe_more(&b, 10, 0, "a", PF_MERGE_NONE, (track_options){.ordering = 3, .description = "about a"});
    describe_more(&b, 11, 10, "b", PF_MERGE_NONE, (track_options){.ordering = 1, .rank = -4});
    describe_more(&b, 12, 10, "c", PF_MERGE_NONE, (track_options){.ordering = 2});
    event(&b, 1, 1, PF_EVENT_INSTANT, 10, "e");
    event(&b, 2, 1, PF_EVENT_INSTANT, 11, "e");
    event(&b, 3, 1, PF_EVENT_INSTANT, 12, "e");
    expect_row_args(&b, PF_OWNER_TRACK_SOURCE,
                    "0 child_ordering='explicit'\n0 description='about a'\n"
                    "1 child_ordering='lexicographic'\n1 sibling_order_rank=-4\n2 child_ordering='chronological'\n");
    finish(&b);
}

/* The sequence that first uses a track decides; its parent (row 2) is made on its behalf. */
Test(track_args, first_packet_of_the_sequence)
{
    bytes b;
    start(&b);
    packet(&b, NONE, 7, NONE);
    pf_writer_varint(&b.w, PF_F_PACKET_FIRST_ON_SEQUENCE, 1);
    end(&b);
    describe_more(&b, 10, 0, "up", PF_MERGE_NONE, (track_options){0});
    describe_more(&b, 11, 10, "a", PF_MERGE_NONE, (track_options){0});
    describe_more(&b, 12, 0, "b", PF_MERGE_NONE, (track_options){0});
    event(&b, 1, 7, PF_EVENT_INSTANT, 11, "e");
    event(&b, 2, 8, PF_EVENT_INSTANT, 12, "e");
    event(&b, 3, 7, PF_EVENT_INSTANT, 12, "e");
    expect_row_args(&b, PF_OWNER_TRACK_SOURCE, "2 has_first_packet_on_sequence=1\n0 has_first_packet_on_sequence=1\n");
    finish(&b);
}

Test(track_args, counters)
{
    bytes b;
    start(&b);
    describe_thread(&b, 1, 1, 100, 101, "t");
    packet(&b, NONE, NONE, NONE);
    pf_writer_begin(&b.w, PF_F_PACKET_TRACK_DESCRIPTOR);
    pf_writer_varint(&b.w, 1, 2);
    pf_writer_varint(&b.w, 5, 1);
    pf_writer_begin(&b.w, 8);
    pf_writer_varint(&b.w, 1, PF_COUNTER_THREAD_TIME_NS);
    text(&b, 2, "x");
    text(&b, 2, "y");
    text(&b, 7, "axis");
    end(&b);
    end(&b);
    end(&b);
    counter_event(&b, 5, 1, 2, 3, true);
    expect_row_args(&b, PF_OWNER_TRACK_SOURCE,
                    "1 category='x,y'\n1 builtin_counter_type='thread_time'\n1 y_axis_share_key='axis'\n");
    finish(&b);
}

/* Events stay on the row of their uuid; lanes are given by the model. Nothing is left on rows that no lane needs. */
Test(track_args, siblings_share_lanes)
{
    bytes b;
    start(&b);
    for (uint64_t i = 1; i <= 4; i++) {
        describe_track(&b, i, 0, "n", PF_MERGE_BY_NAME);
    }
    event(&b, 10, 1, PF_EVENT_SLICE_BEGIN, 1, "a");
    event(&b, 11, 1, PF_EVENT_SLICE_BEGIN, 2, "b");
    event(&b, 12, 1, PF_EVENT_SLICE_END, 1, NULL);
    event(&b, 13, 1, PF_EVENT_SLICE_BEGIN, 3, "c");
    event(&b, 14, 1, PF_EVENT_SLICE_BEGIN, 4, "d");
    event(&b, 15, 1, PF_EVENT_SLICE_END, 2, NULL);
    pf_trace *t = load(&b);
    const pf_slices *s = pf_trace_slices(t);
    const pf_tracks *tracks = pf_trace_tracks(t);
    cr_assert_eq(s->count, 4);
    cr_expect_eq(s->track[2], s->track[0], "c reuses the lane of a");
    cr_expect_neq(s->track[1], s->track[0]);
    cr_expect_neq(s->track[3], s->track[1]);
    cr_expect_neq(pf_trace_events(t)->track[3], s->track[2], "the event keeps its own row");
    cr_expect_eq(tracks->used[pf_trace_events(t)->track[3]], 0);
    for (uint32_t i = 0; i < tracks->count; i++) {
        cr_expect_eq(tracks->group[i], tracks->group[0]);
    }
    pf_trace_free(t);
    finish(&b);
}

/* ---- Chrome's processes and threads ------------------------------------------------------------------------------ */

typedef struct process_options {
    const char *name, *label, *second_label, *host;
    int type, chrome_type; /* chrome_type: -1 = a descriptor of a Chrome process without a type */
    uint64_t crash_id;
} process_options;

static void chrome_process(bytes *b, uint64_t pid, process_options o)
{
    packet(b, pid, NONE, NONE);
    pf_writer_begin(&b->w, PF_F_PACKET_TRACK_DESCRIPTOR);
    pf_writer_varint(&b->w, 1, pid);
    pf_writer_begin(&b->w, 3);
    pf_writer_varint(&b->w, 1, pid);
    if (o.type) {
        pf_writer_varint(&b->w, 4, (uint64_t)o.type);
    }
    if (o.name) {
        text(b, 6, o.name);
    }
    if (o.label) {
        text(b, 8, o.label);
    }
    if (o.second_label) {
        text(b, 8, o.second_label);
    }
    end(b);
    if (o.chrome_type) {
        pf_writer_begin(&b->w, 6);
        if (o.chrome_type > 0) {
            pf_writer_varint(&b->w, 1, (uint64_t)o.chrome_type);
        }
        if (o.host) {
            text(b, 4, o.host);
        }
        if (o.crash_id) {
            pf_writer_varint(&b->w, 5, o.crash_id);
        }
        end(b);
    }
    end(b);
    end(b);
}

Test(chrome, names_of_processes)
{
    static const struct {
        process_options first, second;
        const char *name;
    } cases[] = {
        {{.name = "n", .type = 1}, {0}, "n"},
        {{.name = "n", .type = 2}, {0}, "Renderer"},
        {{.name = "n", .type = 40}, {0}, "n"},
        {{.name = "n", .chrome_type = 1}, {0}, "n"},
        {{.name = "n", .chrome_type = 2}, {0}, "Renderer"},
        {{.name = "n", .chrome_type = 40}, {0}, "Extension Renderer"},
        {{.type = 1}, {.name = "n"}, "n"},
        {{.type = 2}, {.name = "n"}, "Renderer"},
        {{.type = 1, .chrome_type = 6}, {0}, "Gpu"},
        {{.type = 2, .chrome_type = 1}, {0}, "Renderer"},
        {{.type = 1}, {.type = 6}, "Gpu"},
        {{.type = 77}, {0}, NULL},
        {{.type = 41}, {0}, "Service: media.mojom.MediaFoundationServiceBroker"},
        {{.label = "only a label"}, {0}, NULL},
    };
    bytes b;
    start(&b);
    for (uint64_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        chrome_process(&b, 100 + i, cases[i].first);
        chrome_process(&b, 100 + i, cases[i].second);
    }
    pf_trace *t = load(&b);
    const pf_processes *p = pf_trace_processes(t);
    cr_assert_eq(p->count, 1 + sizeof cases / sizeof *cases);
    for (uint32_t i = 1; i < p->count; i++) {
        pf_str name = pf_trace_string(t, p->name[i]);
        const char *want = cases[i - 1].name;
        cr_expect(want ? name.len == strlen(want) && memcmp(name.ptr, want, name.len) == 0 : name.ptr == NULL,
                  "case %u is %.*s", i - 1, (int)name.len, name.ptr ? name.ptr : "");
    }
    pf_trace_free(t);
    finish(&b);
}

/* Said again, a value replaces the one before; labels are replaced by number. */
Test(chrome, arguments_of_processes)
{
    bytes b;
    start(&b);
    chrome_process(&b, 5, (process_options){.label = "one", .second_label = "two", .chrome_type = 1, .host = "app"});
    chrome_process(&b, 5, (process_options){.label = "three", .chrome_type = 6, .crash_id = 77});
    chrome_process(&b, 6, (process_options){.chrome_type = -1});
    expect_row_args(&b, PF_OWNER_PROCESS,
                    "1 chrome.process_label[0]='three'\n1 chrome.process_label[1]='two'\n1 chrome.process_type='Gpu'\n"
                    "1 chrome.host_app_package_name='app'\n1 chrome.crash_trace_id=77\n2 chrome.process_type=NULL\n");
    finish(&b);
}

/* A descriptor of a process or, with a tid, of a thread, that has a rank. */
static void ranked(bytes *b, uint64_t uuid, uint64_t pid, uint64_t tid, uint64_t rank)
{
    packet(b, uuid, NONE, NONE);
    pf_writer_begin(&b->w, PF_F_PACKET_TRACK_DESCRIPTOR);
    pf_writer_varint(&b->w, 1, uuid);
    pf_writer_begin(&b->w, tid ? 4 : 3);
    pf_writer_varint(&b->w, 1, pid);
    if (tid) {
        pf_writer_varint(&b->w, 2, tid);
    }
    end(b);
    pf_writer_varint(&b->w, 12, rank);
    end(b);
    end(b);
}

static void root_orders(bytes *b, uint32_t field)
{
    packet(b, 1, NONE, NONE);
    pf_writer_begin(&b->w, PF_F_PACKET_TRACK_DESCRIPTOR);
    pf_writer_varint(&b->w, 1, 0);
    pf_writer_varint(&b->w, field, 1);
    end(b);
    end(b);
}

/* Ranks order processes and threads only where uuid 0 says so, each for itself. */
Test(describe, ranks_of_processes_and_threads)
{
    bytes b;
    start(&b);
    ranked(&b, 2, 100, 0, 5);
    ranked(&b, 3, 100, 101, 42);
    expect_row_args(&b, PF_OWNER_PROCESS, "");
    expect_row_args(&b, PF_OWNER_THREAD, "");
    root_orders(&b, 19);
    expect_row_args(&b, PF_OWNER_PROCESS, "1 process_sort_index_hint=5\n");
    expect_row_args(&b, PF_OWNER_THREAD, "");
    finish(&b);

    start(&b);
    root_orders(&b, 20);
    ranked(&b, 2, 100, 0, 5);
    ranked(&b, 3, 100, 101, 42);
    expect_row_args(&b, PF_OWNER_PROCESS, "");
    expect_row_args(&b, PF_OWNER_THREAD, "2 thread_sort_index_hint=42\n");
    finish(&b);
}

static void chrome_thread(bytes *b, uint64_t tid, const char *name, int type, int chrome_type)
{
    packet(b, tid, NONE, NONE);
    pf_writer_begin(&b->w, PF_F_PACKET_TRACK_DESCRIPTOR);
    pf_writer_varint(&b->w, 1, tid);
    pf_writer_begin(&b->w, 4);
    pf_writer_varint(&b->w, 1, 100);
    pf_writer_varint(&b->w, 2, tid);
    if (type) {
        pf_writer_varint(&b->w, 4, (uint64_t)type);
    }
    if (name) {
        text(b, 5, name);
    }
    end(b);
    if (chrome_type) {
        pf_writer_begin(&b->w, 7);
        pf_writer_varint(&b->w, 1, (uint64_t)chrome_type);
        end(b);
    }
    end(b);
    end(b);
}

Test(chrome, names_of_threads)
{
    static const char *const want[] = {
        "n", "n", "CrProcessMain", "ChromeIOThread", "later", "CrProcessMain", "CompositorGpuThread", NULL, NULL};
    bytes b;
    start(&b);
    chrome_thread(&b, 201, "n", 1, 0);
    chrome_thread(&b, 202, "n", 0, 2);
    chrome_thread(&b, 203, NULL, 1, 2);
    chrome_thread(&b, 204, NULL, 1, 0);
    chrome_thread(&b, 204, NULL, 2, 0);
    chrome_thread(&b, 205, NULL, 1, 0);
    chrome_thread(&b, 205, "later", 0, 0);
    chrome_thread(&b, 206, "first", 0, 0);
    chrome_thread(&b, 206, NULL, 1, 0);
    chrome_thread(&b, 207, NULL, 0, 52);
    chrome_thread(&b, 208, NULL, 53, 0);
    chrome_thread(&b, 209, NULL, -1, 0);
    pf_trace *t = load(&b);
    const pf_threads *th = pf_trace_threads(t);
    for (uint32_t i = 0; i < th->count; i++) {
        if (th->tid[i] > 200) {
            pf_str name = pf_trace_string(t, th->name[i]);
            const char *expected = want[th->tid[i] - 201];
            cr_expect(expected ? name.len == strlen(expected) && memcmp(name.ptr, expected, name.len) == 0
                               : name.ptr == NULL,
                      "%lld is %.*s", (long long)th->tid[i], (int)name.len, name.ptr ? name.ptr : "");
        }
    }
    pf_trace_free(t);
    finish(&b);
}
