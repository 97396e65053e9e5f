/* Descriptors before and after their events, names as events, threads by sequence, categories, lanes, metadata. */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { B = PF_EVENT_SLICE_BEGIN, E = PF_EVENT_SLICE_END, I = PF_EVENT_INSTANT };

Test(tracks, descriptors_behind_their_events)
{
    bytes b;
    start(&b);
    event(&b, 10, 1, B, 10, "k");
    event(&b, 11, 1, I, 3, "a");
    event(&b, 20, 1, E, 10, NULL);
    describe_track(&b, 3, 1, "async", PF_MERGE_NONE);
    describe_thread(&b, 1, 10, 100, 101, "worker");
    describe_process(&b, 1, 100, "P");
    event(&b, 30, 1, I, 10, "later");
    expect_slices(&b, "10 10 d0 k - | thread_execution - pid 100 tid 101\n"
                      "11 0 d0 a - | process_track_event async pid 100\n"
                      "30 0 d0 later - | thread_execution - pid 100 tid 101\n");
    finish(&b);
}

/* Expected: trace_processor v55.3. What happens on a track below makes its parents known, and then they have no name.
 */
Test(tracks, names_borrowed_from_events)
{
    bytes b;
    start(&b);
    describe_track(&b, 6, 0, NULL, PF_MERGE_BY_NAME); /* its first event is earlier than that of 7 */
    describe_track(&b, 7, 6, "child", PF_MERGE_BY_NAME);
    describe_track(&b, 16, 0, NULL, PF_MERGE_NONE); /* 18 below 17 below it is earlier */
    describe_track(&b, 17, 16, "between", PF_MERGE_BY_NAME);
    describe_track(&b, 18, 17, "low", PF_MERGE_BY_NAME);
    describe_track(&b, 26, 0, NULL, PF_MERGE_BY_NAME); /* at the same time: who comes first in the file */
    describe_track(&b, 27, 26, "same", PF_MERGE_BY_NAME);
    describe_track(&b, 36, 0, NULL, PF_MERGE_BY_NAME);
    describe_track(&b, 37, 36, "after", PF_MERGE_BY_NAME);
    describe_track(&b, 46, 0, NULL, PF_MERGE_BY_NAME); /* an end on a track below counts */
    describe_track(&b, 47, 46, "ended", PF_MERGE_BY_NAME);
    event(&b, 10, 1, I, 6, "named");
    event(&b, 20, 1, I, 7, "x");
    event(&b, 10, 1, I, 16, "unused");
    event(&b, 5, 1, I, 18, "y");
    event(&b, 30, 1, I, 27, "z");
    event(&b, 30, 1, I, 26, "late");
    event(&b, 40, 1, I, 36, "soon");
    event(&b, 40, 1, I, 37, "w");
    event(&b, 50, 1, I, 46, "after");
    event(&b, 49, 1, E, 47, NULL);
    event(&b, (uint64_t)-7, 1, I, 56, "negative"); /* is dropped, so it names nothing */
    event(&b, 60, 1, I, 56, "positive");
    expect_slices(&b, "5 0 d0 y - | global_merged_track_event low\n"
                      "10 0 d0 named - | global_merged_track_event named\n"
                      "10 0 d0 unused - | global_track_event -\n"
                      "20 0 d0 x - | global_merged_track_event child\n"
                      "30 0 d0 z - | global_merged_track_event same\n"
                      "30 0 d0 late - | global_merged_track_event -\n"
                      "40 0 d0 soon - | global_merged_track_event soon\n"
                      "40 0 d0 w - | global_merged_track_event after\n"
                      "50 0 d0 after - | global_merged_track_event -\n"
                      "60 0 d0 positive - | global_merged_track_event positive\n");
    finish(&b);
}

Test(tracks, names_are_events_in_file_order)
{
    bytes b;
    start(&b);
    describe_thread(&b, 1, 10, 100, 101, "worker");
    event(&b, 10, 1, I, 10, "e");
    describe_process(&b, 1, 100, "first");
    describe_process(&b, 1, 100, "second");
    describe_process(&b, 2, 0, "zero");
    pf_trace *t = load(&b);
    const pf_events *e = pf_trace_events(t);
    static const char *const args[] = {" args.name='worker'", "", " args.name='first'", " args.name='second'",
                                       " args.name='zero'"};
    static const char *const names[] = {"thread_name", "e", "process_name", "process_name", "process_name"};
    static const int64_t tids[] = {101, 101, 100, 100, 0};
    cr_assert_eq(e->count, 5);
    for (uint32_t i = 0; i < 5; i++) {
        pf_buffer got = {0};
        pf_str name = pf_trace_string(t, e->name[i]);
        cr_expect(name.len == strlen(names[i]) && memcmp(name.ptr, names[i], name.len) == 0, "event %u", i);
        cr_expect_eq(e->phase[i], i == 1 ? 'i' : 'M');
        cr_expect_eq(pf_trace_threads(t)->tid[pf_trace_tracks(t)->utid[e->track[i]]], tids[i], "event %u", i);
        show_args(t, i, &got);
        expect_text(&got, args[i]);
    }
    pf_str name = pf_trace_string(t, pf_trace_processes(t)->name[1]);
    cr_expect(name.len == 6 && memcmp(name.ptr, "second", 6) == 0, "the later name counts");
    cr_expect_eq(pf_trace_processes(t)->pid[0], 0);
    cr_expect_neq(pf_trace_processes(t)->name[0], 0);
    pf_trace_free(t);
    finish(&b);
}

Test(tracks, thread_of_the_sequence)
{
    bytes b;
    start(&b);
    packet(&b, NONE, 1, 1);
    end(&b);
    describe_thread(&b, 1, 10, 100, 101, NULL);
    event(&b, 10, 1, I, 0, "of the thread");
    event(&b, 11, 2, I, 0, "of no thread");
    packet(&b, 12, 1, NONE); /* an explicit uuid 0 with a type is the default track */
    pf_writer_begin(&b.w, PF_F_PACKET_TRACK_EVENT);
    pf_writer_varint(&b.w, PF_F_EVENT_TYPE, I);
    pf_writer_varint(&b.w, PF_F_EVENT_TRACK_UUID, 0);
    text(&b, PF_F_EVENT_NAME, "default");
    end(&b);
    end(&b);
    expect_slices(&b, "10 0 d0 of the thread - | thread_execution - pid 100 tid 101\n"
                      "11 0 d0 of no thread - | global_merged_track_event Default Track\n"
                      "12 0 d0 default - | global_merged_track_event Default Track\n");
    finish(&b);
}

Test(tracks, default_track_of_the_sequence)
{
    bytes b;
    start(&b);
    packet(&b, NONE, 1, 1);
    pf_writer_begin(&b.w, PF_F_PACKET_DEFAULTS);
    pf_writer_begin(&b.w, PF_F_DEFAULTS_TRACK_EVENT);
    pf_writer_varint(&b.w, PF_F_EVENT_DEFAULTS_TRACK_UUID, 10);
    end(&b);
    end(&b);
    end(&b);
    describe_track(&b, 10, 0, "deflt", PF_MERGE_NONE);
    event(&b, 10, 1, I, 0, "a");
    event(&b, 11, 1, I, 11, "b");
    packet(&b, NONE, 1, 1); /* clears the defaults too */
    end(&b);
    event(&b, 12, 1, I, 0, "c");
    expect_slices(&b, "10 0 d0 a - | global_track_event deflt\n11 0 d0 b - | global_merged_track_event b\n"
                      "12 0 d0 c - | global_merged_track_event Default Track\n");
    finish(&b);
}

static void categorised(bytes *b, uint64_t ts, uint64_t iid1, uint64_t iid2, const char *inline_category)
{
    packet(b, ts, 1, 2);
    pf_writer_begin(&b->w, PF_F_PACKET_TRACK_EVENT);
    text(b, PF_F_EVENT_CATEGORIES, inline_category);
    if (iid1) {
        pf_writer_varint(&b->w, PF_F_EVENT_CATEGORY_IIDS, iid1);
    }
    if (iid2) {
        pf_writer_varint(&b->w, PF_F_EVENT_CATEGORY_IIDS, iid2);
    }
    pf_writer_varint(&b->w, PF_F_EVENT_TYPE, I);
    pf_writer_varint(&b->w, PF_F_EVENT_TRACK_UUID, 10);
    text(b, PF_F_EVENT_NAME, "e");
    end(b);
    end(b);
}

Test(tracks, categories)
{
    bytes b;
    start(&b);
    describe_track(&b, 10, 0, "t", PF_MERGE_NONE);
    packet(&b, NONE, 1, 1);
    intern(&b, PF_F_INTERNED_EVENT_CATEGORIES, 1, "c1");
    end(&b);
    packet(&b, NONE, 1, 2);
    intern(&b, PF_F_INTERNED_EVENT_CATEGORIES, 2, "c2");
    end(&b);
    categorised(&b, 1, 1, 0, NULL);
    categorised(&b, 2, 2, 1, "in");
    categorised(&b, 3, 0, 0, "in");
    categorised(&b, 4, 9, 0, NULL);
    categorised(&b, 5, 0, 0, NULL);
    expect_slices(&b, "1 0 d0 e c1 | global_track_event t\n2 0 d0 e c2,c1,in | global_track_event t\n"
                      "3 0 d0 e in | global_track_event t\n4 0 d0 e unknown(9) | global_track_event t\n"
                      "5 0 d0 e - | global_track_event t\n");
    finish(&b);
}

static void categories_of(bytes *b, uint64_t ts, const char *packed, size_t len, const char *inline_one)
{
    packet(b, ts, 1, NONE);
    pf_writer_begin(&b->w, PF_F_PACKET_TRACK_EVENT);
    pf_writer_varint(&b->w, PF_F_EVENT_TYPE, I);
    pf_writer_bytes(&b->w, PF_F_EVENT_CATEGORY_IIDS, packed, len);
    text(b, PF_F_EVENT_CATEGORIES, inline_one);
    end(b);
    end(b);
}

/* Packed numbers; what nothing defines is counted once for each, what is defined after the event is not. */
Test(tracks, packed_categories)
{
    bytes b;
    start(&b);
    packet(&b, NONE, 1, 1);
    intern(&b, PF_F_INTERNED_EVENT_CATEGORIES, 1, "c1");
    end(&b);
    packet(&b, NONE, 1, 2);
    intern(&b, PF_F_INTERNED_EVENT_CATEGORIES, 200, "c200");
    end(&b);
    categories_of(&b, 1, "\xc8\x01\x01", 3, "in");
    categories_of(&b, 2, "\x01\x07\x08", 3, NULL);
    categories_of(&b, 3, "\x07\x08", 2, NULL);
    categories_of(&b, 4, "\x02\x01", 2, NULL);
    packet(&b, NONE, 1, 2);
    intern(&b, PF_F_INTERNED_EVENT_CATEGORIES, 2, "late");
    end(&b);
    pf_trace *t = load(&b);
    pf_buffer got = {0};
    show_slices(t, &got);
    expect_text(&got, "1 0 d0 - c200,c1,in | global_merged_track_event Default Track\n"
                      "2 0 d0 - c1 | global_merged_track_event Default Track\n"
                      "3 0 d0 - - | global_merged_track_event Default Track\n"
                      "4 0 d0 - late,c1 | global_merged_track_event Default Track\n");
    cr_expect_eq(stat_of(t, PF_STAT_INTERNED_ERRORS), 4);
    pf_trace_free(t);
    finish(&b);
}

/* Three operations of one name; the third fits on the lane that the first one left. */
Test(tracks, lanes_are_used_again)
{
    bytes b;
    start(&b);
    for (uint64_t uuid = 31; uuid <= 33; uuid++) {
        describe_track(&b, uuid, 0, "op", 0);
    }
    event(&b, 10, 1, B, 31, "a");
    event(&b, 12, 1, B, 32, "b");
    event(&b, 14, 1, I, 31, "in a");
    event(&b, 20, 1, E, 31, NULL);
    event(&b, 21, 1, B, 33, "c");
    event(&b, 30, 1, E, 32, NULL);
    event(&b, 31, 1, E, 33, NULL);
    pf_trace *t = load(&b);
    const pf_slices *s = pf_trace_slices(t);
    pf_buffer got = {0};
    show_slices(t, &got);
    expect_text(&got, "10 10 d0 a - | global_merged_track_event op\n12 18 d0 b - | global_merged_track_event op\n"
                      "14 0 d1 in a - | global_merged_track_event op\n21 10 d0 c - | global_merged_track_event op\n");
    cr_expect_eq(s->track[0], s->track[3]);
    cr_expect_neq(s->track[0], s->track[1]);
    cr_expect_eq(s->track[0], s->track[2]);
    pf_trace_free(t);
    finish(&b);
}

Test(tracks, events_keep_file_order_and_unmatched_ends)
{
    bytes b;
    start(&b);
    describe_thread(&b, 1, 10, 100, 101, NULL);
    event(&b, 30, 1, E, 10, "INSTR_EVENT_1");
    event(&b, 20, 1, B, 10, "INSTR_EVENT_0");
    event(&b, (uint64_t)-7, 1, B, 10, "negative");
    pf_trace *t = load(&b);
    const pf_events *e = pf_trace_events(t);
    cr_assert_eq(e->count, 3);
    cr_expect(e->phase[0] == 'E' && e->ts[0] == 30 && e->name[0] != 0);
    cr_expect(e->phase[1] == 'B' && e->ts[1] == 20);
    cr_expect(e->phase[2] == 'B' && e->ts[2] == -7);
    cr_expect_neq(pf_trace_event_offset(t, 2), PF_NOWHERE);
    cr_expect_eq(stat_of(t, PF_STAT_EVENT_BAD_TIMESTAMP), 1);
    pf_trace_free(t);
    finish(&b);
}

static void attribute(bytes *b, const char *key, const char *value, int64_t number)
{
    packet(b, NONE, NONE, NONE);
    pf_writer_begin(&b->w, PF_F_PACKET_TRACE_ATTRIBUTES);
    pf_writer_begin(&b->w, 1);
    text(b, 1, key);
    if (value) {
        text(b, 3, value);
    } else {
        pf_writer_varint(&b->w, 2, (uint64_t)number);
    }
    end(b);
    end(b);
    end(b);
}

Test(metadata, attributes_uuid_and_time_unit)
{
    bytes b;
    start(&b);
    attribute(&b, "k", "v1", 0);
    attribute(&b, "n", NULL, -4);
    attribute(&b, "k", "v2", 0);
    packet(&b, NONE, NONE, NONE);
    pf_writer_begin(&b.w, PF_F_PACKET_TRACE_UUID);
    pf_writer_varint(&b.w, 1, 0x0011223344556677u);
    pf_writer_varint(&b.w, 2, 0x8899aabbccddeeffu);
    end(&b);
    end(&b);
    pf_trace *t = load(&b);
    pf_buffer got = {0};
    show_trace(t, &got);
    cr_expect(strstr(got.data, "trace_attribute.k=0 v2\n"));
    cr_expect(strstr(got.data, "trace_attribute.n=-4 -\n"));
    cr_expect(strstr(got.data, "trace_uuid=0 00112233-4455-6677-8899-aabbccddeeff\n"));
    cr_expect_eq(pf_trace_metadata(t)->count, 3);
    cr_expect_eq(pf_trace_time_unit(t), PF_UNIT_NS);
    pf_buffer_free(&got);
    pf_trace_free(t);
    attribute(&b, "postfetto.time_unit", "cycle", 0);
    t = load(&b);
    cr_expect_eq(pf_trace_time_unit(t), PF_UNIT_CYCLE);
    cr_expect_str_eq(pf_trace_dialect(t), "perfetto");
    pf_trace_free(t);
    finish(&b);
}

Test(metadata, dialect)
{
    bytes b;
    pf_read_options o = pf_read_options_default();
    start(&b);
    describe_process(&b, 1, 3, "core_trace for tile2,1");
    pf_trace *t = load(&b);
    cr_expect_str_eq(pf_trace_dialect(t), "aie");
    cr_expect_eq(pf_trace_time_unit(t), PF_UNIT_CYCLE);
    pf_trace_free(t);
    o.dialect = "perfetto";
    t = load_bytes(b.out.data, b.out.len, &o, 0, NULL);
    cr_expect_str_eq(pf_trace_dialect(t), "perfetto");
    cr_expect_eq(pf_trace_time_unit(t), PF_UNIT_NS);
    pf_trace_free(t);
    o.dialect = "aie";
    t = load_bytes("\x0a\x00", 2, &o, 0, NULL);
    cr_expect_str_eq(pf_trace_dialect(t), "aie");
    cr_expect_eq(pf_trace_time_unit(t), PF_UNIT_CYCLE);
    pf_trace_free(t);
    finish(&b);
}

static void service(bytes *b, uint32_t field)
{
    packet(b, 5, 7, NONE);
    pf_writer_begin(&b->w, PF_F_PACKET_SERVICE_EVENT);
    pf_writer_varint(&b->w, field, 1);
    end(b);
    end(b);
}

static bool marked(const bytes *b)
{
    pf_trace *t = load(b);
    bool has = t->inputs[0].has_service_events;
    cr_expect_eq(t->inputs[0].max_sequence_id, 7);
    pf_trace_free(t);
    return has;
}

Test(metadata, service_events)
{
    bytes b;
    start(&b);
    service(&b, PF_F_SERVICE_TRACING_STARTED);
    service(&b, PF_F_SERVICE_ALL_DATA_SOURCES_FLUSHED);
    cr_expect_not(marked(&b));
    service(&b, PF_F_SERVICE_ALL_DATA_SOURCES_FLUSHED);
    cr_expect(marked(&b));
    finish(&b);
    start(&b);
    service(&b, PF_F_SERVICE_READ_BUFFERS_COMPLETED);
    cr_expect(marked(&b));
    finish(&b);
}

/* protobuf-c gives empty texts without an address. */
Test(tracks, an_empty_name_is_a_name)
{
    bytes b;
    start(&b);
    describe_track(&b, 10, 0, "", PF_MERGE_NONE);
    event(&b, 1, 1, I, 10, "e");
    event(&b, 2, 1, I, 10, "");
    expect_slices(&b, "1 0 d0 e - | global_track_event \n2 0 d0  - | global_track_event \n");
    finish(&b);
}

static void annotated(bytes *b, uint64_t ts, uint64_t track, uint64_t value)
{
    packet(b, ts, 1, NONE);
    pf_writer_begin(&b->w, PF_F_PACKET_TRACK_EVENT);
    pf_writer_varint(&b->w, PF_F_EVENT_TYPE, I);
    pf_writer_varint(&b->w, PF_F_EVENT_TRACK_UUID, track);
    text(b, PF_F_EVENT_NAME, "e");
    text(b, PF_F_EVENT_CATEGORIES, value % 2 ? "odd" : NULL);
    pf_writer_begin(&b->w, PF_F_EVENT_DEBUG_ANNOTATIONS);
    text(b, PF_F_ANNOTATION_NAME, "v");
    pf_writer_varint(&b->w, PF_F_ANNOTATION_INT, value);
    end(b);
    end(b);
    end(b);
}

/* The events of a track whose parent does not exist vanish; all others keep their arguments, offsets and samples. */
Test(tracks, removed_events_take_their_arguments_along)
{
    bytes b;
    pf_buffer got = {0};
    start(&b);
    describe_track(&b, 20, 99, "orphan", 0);
    describe_track(&b, 21, 0, "fine", PF_MERGE_NONE);
    packet(&b, NONE, 1, NONE);
    pf_writer_begin(&b.w, PF_F_PACKET_TRACK_DESCRIPTOR);
    pf_writer_varint(&b.w, 1, 22);
    pf_writer_begin(&b.w, 8);
    end(&b);
    end(&b);
    end(&b);
    for (uint64_t i = 0; i < 6; i++) {
        annotated(&b, i, i % 3 ? 21 : 20, i);
        counter_event(&b, i, 1, 22, (double)i, true);
    }
    event(&b, (uint64_t)-5, 1, I, 21, "negative");
    pf_trace *t = load(&b);
    const pf_events *e = pf_trace_events(t);
    cr_assert_eq(e->count, 4 + 6 + 1);
    for (uint32_t i = 0; i < e->count; i++) {
        show_args(t, i, &got);
    }
    expect_text(&got, " debug.v=1 debug.v=2 debug.v=4 debug.v=5");
    show_slices(t, &got);
    expect_text(&got, "1 0 d0 e odd | global_track_event fine\n2 0 d0 e - | global_track_event fine\n"
                      "4 0 d0 e - | global_track_event fine\n5 0 d0 e odd | global_track_event fine\n");
    const pf_counters *c = pf_trace_counters(t);
    cr_assert_eq(c->count, 6);
    for (uint32_t i = 0; i < c->count; i++) {
        cr_expect_eq(e->phase[c->event[i]], 'C');
        cr_expect_eq(e->ts[c->event[i]], c->ts[i]);
    }
    cr_expect_neq(pf_trace_event_offset(t, e->count - 1), PF_NOWHERE);
    cr_expect_eq(stat_of(t, PF_STAT_EVENT_ERRORS), 2 + 1, "two events and the descriptor");
    pf_trace_free(t);
    finish(&b);
}

static void write_file(const char *path, const bytes *b)
{
    FILE *f = fopen(path, "wb");
    cr_assert(f && fwrite(b->out.data, 1, b->out.len, f) == b->out.len && fclose(f) == 0);
}

/* Two inputs: uuids, sequences and iids of one mean nothing to the other. */
Test(inputs, each_has_its_own_names_and_tracks)
{
    char folder[] = "/tmp/pf_inputs_XXXXXX", path[2][64];
    pf_buffer got = {0};
    pf_error err = {0};
    pf_trace *t = NULL;
    cr_assert_not_null(mkdtemp(folder));
    for (int i = 0; i < 2; i++) {
        bytes b;
        start(&b);
        describe_track(&b, 21, 0, i ? "second" : "first", PF_MERGE_NONE);
        packet(&b, NONE, 1, 1);
        intern(&b, PF_F_INTERNED_DEBUG_ANNOTATION_NAMES, 1, i ? "n2" : "n1");
        end(&b);
        packet(&b, (uint64_t)i, 1, 2);
        pf_writer_begin(&b.w, PF_F_PACKET_TRACK_EVENT);
        pf_writer_varint(&b.w, PF_F_EVENT_TYPE, I);
        pf_writer_varint(&b.w, PF_F_EVENT_TRACK_UUID, 21);
        pf_writer_begin(&b.w, PF_F_EVENT_DEBUG_ANNOTATIONS);
        pf_writer_varint(&b.w, PF_F_ANNOTATION_NAME_IID, 1);
        pf_writer_varint(&b.w, PF_F_ANNOTATION_INT, 7);
        end(&b);
        end(&b);
        end(&b);
        snprintf(path[i], sizeof path[i], "%s/%d", folder, i);
        write_file(path[i], &b);
        finish(&b);
    }
    const char *paths[] = {path[0], path[1]};
    cr_assert_eq(pf_read(paths, 2, NULL, &t, &err), PF_OK, "%s", err.text);
    show_slices(t, &got);
    expect_text(&got, "0 0 d0 - - | global_track_event first\n1 0 d0 - - | global_track_event second\n");
    show_args(t, 0, &got);
    show_args(t, 1, &got);
    expect_text(&got, " debug.n1=7 debug.n2=7");
    cr_expect_eq(t->inputs[1].first_event, 1);
    pf_trace_free(t);
    unlink(path[0]);
    unlink(path[1]);
    rmdir(folder);
}

/* ---- older and rarer descriptions -------------------------------------------------------------------------------- */

static void listed(bytes *b, int64_t pid, int64_t ppid, const char *command, bool is_comm)
{
    pf_writer_begin(&b->w, 1);
    pf_writer_varint(&b->w, 1, (uint64_t)pid);
    pf_writer_varint(&b->w, 2, (uint64_t)ppid);
    text(b, 3, command);
    if (is_comm) {
        pf_writer_varint(&b->w, 9, 1);
    }
    end(b);
}

static void expect_name(const pf_trace *t, uint32_t id, const char *want)
{
    pf_str s = pf_trace_string(t, id);
    cr_expect(s.len == strlen(want) && memcmp(s.ptr, want, s.len) == 0, "%.*s instead of %s", (int)s.len, s.ptr, want);
}

Test(process_tree, names_and_ranks)
{
    bytes b;
    start(&b);
    packet(&b, 5, 3, NONE);
    pf_writer_begin(&b.w, PF_F_PACKET_PROCESS_TREE);
    listed(&b, 100, 7, "/bin/tool --with args", false);
    listed(&b, 28, 2, "kworker/1:0-events", true);
    listed(&b, 50, 2, NULL, false);
    pf_writer_begin(&b.w, 2);
    pf_writer_varint(&b.w, 1, 101);
    text(&b, 2, "from the tree");
    pf_writer_varint(&b.w, 3, 100);
    end(&b);
    end(&b);
    end(&b);
    describe_process(&b, 1, 100, "from the descriptor");
    describe_thread(&b, NONE, 2, 100, 101, "described");
    pf_trace *t = load(&b);
    const pf_processes *p = pf_trace_processes(t);
    const pf_threads *h = pf_trace_threads(t);
    static const int64_t pids[] = {0, 7, 100, 2, 28};
    cr_assert_eq(p->count, 5);
    for (uint32_t i = 0; i < 5; i++) {
        cr_expect_eq(p->pid[i], pids[i]);
    }
    expect_name(t, p->name[2], "/bin/tool"); /* the tree ranks above a descriptor */
    expect_name(t, p->name[4], "kworker/1:0");
    for (uint32_t i = 0; i < h->count; i++) {
        if (h->tid[i] == 101) {
            expect_name(t, h->name[i], "described"); /* the other way round for threads */
        } else if (h->tid[i] == 28) {
            expect_name(t, h->name[i], "kworker/1:0");
        }
    }
    pf_trace_free(t);
    finish(&b);
}

static void legacy_instant(bytes *b, uint64_t ts, uint64_t track, uint64_t scope, const char *name)
{
    packet(b, ts, 1, NONE);
    pf_writer_begin(&b->w, PF_F_PACKET_TRACK_EVENT);
    pf_writer_varint(&b->w, PF_F_EVENT_TRACK_UUID, track);
    text(b, PF_F_EVENT_NAME, name);
    pf_writer_begin(&b->w, PF_F_EVENT_LEGACY_EVENT);
    pf_writer_varint(&b->w, PF_F_LEGACY_PHASE, 'i');
    pf_writer_varint(&b->w, PF_F_LEGACY_INSTANT_EVENT_SCOPE, scope);
    end(b);
    end(b);
    end(b);
}

Test(legacy, instant_scopes)
{
    bytes b;
    start(&b);
    describe_thread(&b, 1, 10, 100, 101, NULL);
    legacy_instant(&b, 1, 10, 1, "global");
    legacy_instant(&b, 2, 10, 2, "process");
    legacy_instant(&b, 3, 10, 3, "thread");
    legacy_instant(&b, 4, 10, 2, "process too");
    expect_slices(&b, "1 0 d0 global - | legacy_chrome_global_instants -\n"
                      "2 0 d0 process - | chrome_process_instant - pid 100\n"
                      "3 0 d0 thread - | thread_execution - pid 100 tid 101\n"
                      "4 0 d0 process too - | chrome_process_instant - pid 100\n");
    finish(&b);
}

/* timestamp_delta_us counts from the thread descriptor of the sequence; the state must be valid. */
Test(legacy, delta_times)
{
    bytes b;
    start(&b);
    for (int lost = 0; lost < 2; lost++) {
        packet(&b, NONE, 1, lost ? NONE : 1);
        if (lost) {
            pf_writer_varint(&b.w, PF_F_PACKET_PREVIOUS_DROPPED, 1);
        } else {
            pf_writer_begin(&b.w, PF_F_PACKET_THREAD_DESCRIPTOR);
            pf_writer_varint(&b.w, 1, 100);
            pf_writer_varint(&b.w, 2, 101);
            pf_writer_varint(&b.w, 6, 1000);
            end(&b);
        }
        end(&b);
        for (int i = 0; i < 2; i++) {
            packet(&b, NONE, 1, NONE);
            pf_writer_begin(&b.w, PF_F_PACKET_TRACK_EVENT);
            pf_writer_varint(&b.w, PF_F_EVENT_TIMESTAMP_DELTA_US, 5);
            pf_writer_varint(&b.w, PF_F_EVENT_TYPE, I);
            text(&b, PF_F_EVENT_NAME, "d");
            end(&b);
            end(&b);
        }
    }
    pf_trace *t = load(&b);
    pf_buffer got = {0};
    show_slices(t, &got);
    expect_text(&got, "1005000 0 d0 d - | thread_execution - pid 100 tid 101\n"
                      "1010000 0 d0 d - | thread_execution - pid 100 tid 101\n");
    cr_expect_eq(stat_of(t, PF_STAT_DELTA_SKIPPED), 2);
    cr_expect_eq(stat_of(t, PF_STAT_SEQUENCE_LOSS), 1);
    pf_trace_free(t);
    finish(&b);
}

Test(sequence, a_loss_before_the_first_packet_is_none)
{
    bytes b;
    start(&b);
    for (int i = 0; i < 2; i++) {
        packet(&b, 1, 1, 1);
        pf_writer_varint(&b.w, PF_F_PACKET_PREVIOUS_DROPPED, 1);
        end(&b);
    }
    pf_trace *t = load(&b);
    cr_expect_eq(stat_of(t, PF_STAT_SEQUENCE_LOSS), 1);
    pf_trace_free(t);
    finish(&b);
}

/* ---- parents without a descriptor -------------------------------------------------------------------------------- */

static void describe_counter(bytes *b, uint64_t uuid, uint64_t parent)
{
    packet(b, NONE, 1, NONE);
    pf_writer_begin(&b->w, PF_F_PACKET_TRACK_DESCRIPTOR);
    pf_writer_varint(&b->w, 1, uuid);
    pf_writer_varint(&b->w, 5, parent);
    text(b, 2, "n");
    pf_writer_begin(&b->w, 8); /* counter */
    end(b);
    end(b);
    end(b);
}

/* Such a parent is known from the earliest event on it; with equal times the order of the file counts. */
Test(hierarchy, events_before_their_parent_is_known_go)
{
    bytes b;
    start(&b);
    describe_track(&b, 11, 10, "child", PF_MERGE_NONE);
    describe_track(&b, 12, 11, "grandchild", PF_MERGE_NONE);
    describe_counter(&b, 13, 10);
    describe_track(&b, 21, 20, "of one before time zero", PF_MERGE_NONE);
    event(&b, 9, 1, I, 12, "early");
    event(&b, 10, 1, I, 11, "same time, in front");
    counter_event(&b, 9, 1, 13, 1, true);
    event(&b, 30, 1, I, 10, "a later one");
    event(&b, 10, 1, I, 10, "first of the parent");
    event(&b, 10, 1, I, 12, "same time, after");
    event(&b, 20, 1, I, 11, "late");
    counter_event(&b, 10, 1, 13, 2, true);
    counter_event(&b, 11, 1, 13, 3, true);
    event(&b, (uint64_t)-7, 1, I, 20, "never");
    event(&b, 40, 1, I, 21, "without a parent");
    pf_trace *t = load(&b);
    pf_buffer got = {0};
    show_slices(t, &got);
    expect_text(&got, "10 0 d0 first of the parent - | global_merged_track_event first of the parent\n"
                      "10 0 d0 same time, after - | global_track_event grandchild\n"
                      "20 0 d0 late - | global_track_event child\n"
                      "30 0 d0 a later one - | global_merged_track_event first of the parent\n");
    show_counters(t, &got);
    expect_text(&got, "10 2 | global_counter_track_event n -\n11 3 | global_counter_track_event n -\n");
    cr_expect_eq(stat_of(t, PF_STAT_TRACK_HIERARCHY_MISSING), 4);
    cr_expect_eq(stat_of(t, PF_STAT_EVENT_ERRORS), 4);
    pf_trace_free(t);
    finish(&b);
}

/* 101 levels above a track are too many, 100 are not. */
Test(hierarchy, depth)
{
    enum { LEVELS = 101 };
    bytes b;
    start(&b);
    for (uint64_t i = 0; i <= LEVELS; i++) {
        describe_track(&b, 1000 + i, i ? 1000 + i - 1 : 0, "t", PF_MERGE_NONE);
    }
    event(&b, 1, 1, I, 1000 + LEVELS - 1, "deep");
    event(&b, 2, 1, I, 1000 + LEVELS, "too deep");
    pf_trace *t = load(&b);
    pf_buffer got = {0};
    show_slices(t, &got);
    expect_text(&got, "1 0 d0 deep - | global_track_event t\n");
    cr_expect_eq(stat_of(t, PF_STAT_TRACK_HIERARCHY_DEEP), 2, "the event and its track");
    cr_expect_eq(stat_of(t, PF_STAT_TRACK_HIERARCHY_LOOP), 0);
    cr_expect_eq(stat_of(t, PF_STAT_EVENT_ERRORS), 2);
    pf_trace_free(t);
    finish(&b);
}

Test(sequence, what_needs_one_is_counted)
{
    bytes b;
    start(&b);
    packet(&b, NONE, NONE, NONE);
    pf_writer_varint(&b.w, PF_F_PACKET_STATE_CLEARED, 1);
    end(&b);
    uint64_t dropped = b.out.len;
    packet(&b, NONE, NONE, NONE);
    pf_writer_varint(&b.w, PF_F_PACKET_PREVIOUS_DROPPED, 1);
    end(&b);
    uint64_t defaults = b.out.len;
    packet(&b, NONE, NONE, NONE);
    pf_writer_begin(&b.w, PF_F_PACKET_DEFAULTS);
    pf_writer_varint(&b.w, PF_F_DEFAULTS_TIMESTAMP_CLOCK_ID, 3);
    end(&b);
    end(&b);
    uint64_t timed = b.out.len;
    packet(&b, 5, NONE, NONE); /* a clock of a sequence */
    pf_writer_varint(&b.w, PF_F_PACKET_TIMESTAMP_CLOCK_ID, 64);
    text(&b, 38, "battery");
    end(&b);
    pf_trace *t = load(&b);
    static const pf_stat_id ids[] = {PF_STAT_CLEARED_NO_SEQUENCE, PF_STAT_DROPPED_NO_SEQUENCE,
                                     PF_STAT_DEFAULTS_NO_SEQUENCE, PF_STAT_CLOCK_UNKNOWN};
    const uint64_t places[] = {0, dropped, defaults, timed};
    for (size_t i = 0; i < 4; i++) {
        cr_expect_eq(stat_of(t, ids[i]), 1, "count %zu", i);
        cr_expect_eq(t->stat_offset[ids[i]], places[i], "place %zu", i);
    }
    pf_trace_free(t);
    finish(&b);
}

/* The row of a thread has the uuid of its descriptor, whether the name of the thread or an event came first. */
Test(tracks, uuids_of_threads)
{
    for (int named = 0; named < 2; named++) {
        bytes b;
        start(&b);
        describe_thread(&b, 1, 10, 100, 101, named ? "name" : NULL);
        event(&b, 1, 1, I, 10, "x");
        pf_trace *t = load(&b);
        cr_assert_eq(pf_trace_slices(t)->count, 1);
        cr_expect_eq(t->tracks.uuid[pf_trace_slices(t)->track[0]], 10, "%d", named);
        pf_trace_free(t);
        finish(&b);
    }
}
