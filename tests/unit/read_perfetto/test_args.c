/* Debug annotations of every kind, interned and not, and the other fields that become arguments. */
#include "perfetto/decode/packet.h"
#include "support.h"

#include <stdio.h>
#include <string.h>

#include "postfetto/arg_columns.h"

static void begin_annotation(bytes *b, uint32_t field, const char *name)
{
    pf_writer_begin(&b->w, field);
    text(b, PF_F_ANNOTATION_NAME, name);
}

static void begin_event(bytes *b, uint64_t ts, uint64_t flags)
{
    packet(b, ts, 1, flags);
    pf_writer_begin(&b->w, PF_F_PACKET_TRACK_EVENT);
    pf_writer_varint(&b->w, PF_F_EVENT_TYPE, PF_EVENT_INSTANT);
    text(b, PF_F_EVENT_NAME, "e");
}

static void end_event(bytes *b)
{
    end(b);
    end(b);
}

static void number(bytes *b, const char *name, uint32_t field, uint64_t value)
{
    begin_annotation(b, PF_F_EVENT_DEBUG_ANNOTATIONS, name);
    pf_writer_varint(&b->w, field, value);
    end(b);
}

static void expect_args(bytes *b, uint32_t row, const char *want)
{
    pf_buffer got = {0};
    pf_trace *t = load(b);
    show_args(t, row, &got);
    expect_text(&got, want);
    pf_trace_free(t);
    finish(b);
}

Test(args, plain_values)
{
    bytes b;
    start(&b);
    begin_event(&b, 1, NONE);
    number(&b, "b.1", PF_F_ANNOTATION_BOOL, 1);
    number(&b, "u[2]", PF_F_ANNOTATION_UINT, UINT64_MAX);
    number(&b, "i", PF_F_ANNOTATION_INT, (uint64_t)-5);
    number(&b, "p", PF_F_ANNOTATION_POINTER, 0xbeef);
    begin_annotation(&b, PF_F_EVENT_DEBUG_ANNOTATIONS, "d");
    pf_writer_double(&b.w, PF_F_ANNOTATION_DOUBLE, 2.5);
    end(&b);
    begin_annotation(&b, PF_F_EVENT_DEBUG_ANNOTATIONS, "s");
    text(&b, PF_F_ANNOTATION_STRING, "text");
    end(&b);
    begin_annotation(&b, PF_F_EVENT_DEBUG_ANNOTATIONS, "j");
    text(&b, PF_F_ANNOTATION_LEGACY_JSON, "{\"x\":1}");
    end(&b);
    begin_annotation(&b, PF_F_EVENT_DEBUG_ANNOTATIONS, "nothing");
    end(&b);
    end_event(&b);
    expect_args(&b, 0,
                " debug.b_1=true debug.u_2_=18446744073709551615u debug.i=-5 debug.p=0xbeef debug.d=2.5 real"
                " debug.s='text' debug.j{ x=1 .");
}

Test(args, dictionaries_and_lists)
{
    bytes b;
    start(&b);
    begin_event(&b, 1, NONE);
    begin_annotation(&b, PF_F_EVENT_DEBUG_ANNOTATIONS, "o");
    begin_annotation(&b, PF_F_ANNOTATION_DICT_ENTRIES, "x");
    pf_writer_varint(&b.w, PF_F_ANNOTATION_INT, 1);
    end(&b);
    begin_annotation(&b, PF_F_ANNOTATION_DICT_ENTRIES, "l");
    for (uint64_t i = 7; i < 9; i++) {
        begin_annotation(&b, PF_F_ANNOTATION_ARRAY_VALUES, NULL);
        pf_writer_varint(&b.w, PF_F_ANNOTATION_UINT, i);
        end(&b);
    }
    begin_annotation(&b, PF_F_ANNOTATION_ARRAY_VALUES, NULL);
    begin_annotation(&b, PF_F_ANNOTATION_ARRAY_VALUES, NULL);
    text(&b, PF_F_ANNOTATION_STRING, "in");
    end(&b);
    end(&b);
    end(&b);
    end(&b);
    number(&b, "after", PF_F_ANNOTATION_INT, 3);
    end_event(&b);
    expect_args(&b, 0, " debug.o{ x=1 l[ -=7u -=8u -[ -='in' . . . debug.after=3");
}

/* Only elements of lists go without a name; what has none and should have one is dropped. An empty name is a name. */
Test(args, without_a_name)
{
    bytes b;
    start(&b);
    begin_event(&b, 1, NONE);
    pf_writer_begin(&b.w, PF_F_EVENT_DEBUG_ANNOTATIONS);
    pf_writer_varint(&b.w, PF_F_ANNOTATION_INT, 1);
    end(&b);
    begin_annotation(&b, PF_F_EVENT_DEBUG_ANNOTATIONS, "d");
    begin_annotation(&b, PF_F_ANNOTATION_DICT_ENTRIES, "");
    pf_writer_varint(&b.w, PF_F_ANNOTATION_INT, 2);
    end(&b);
    pf_writer_begin(&b.w, PF_F_ANNOTATION_DICT_ENTRIES);
    pf_writer_varint(&b.w, PF_F_ANNOTATION_INT, 3);
    end(&b);
    begin_annotation(&b, PF_F_ANNOTATION_DICT_ENTRIES, "late");
    pf_writer_varint(&b.w, PF_F_ANNOTATION_INT, 4);
    end(&b);
    end(&b);
    number(&b, "next", PF_F_ANNOTATION_INT, 5);
    end_event(&b);
    expect_args(&b, 0, " debug.d{ +=2 late=4 . debug.next=5");
}

Test(args, deprecated_nested_values)
{
    bytes b;
    start(&b);
    begin_event(&b, 1, NONE);
    begin_annotation(&b, PF_F_EVENT_DEBUG_ANNOTATIONS, "n");
    pf_writer_begin(&b.w, PF_F_ANNOTATION_NESTED);
    pf_writer_varint(&b.w, PF_F_NESTED_TYPE, PF_NESTED_DICT);
    text(&b, PF_F_NESTED_DICT_KEYS, "k1");
    text(&b, PF_F_NESTED_DICT_KEYS, "k2");
    pf_writer_begin(&b.w, PF_F_NESTED_DICT_VALUES);
    pf_writer_varint(&b.w, PF_F_NESTED_INT, 4);
    end(&b);
    pf_writer_begin(&b.w, PF_F_NESTED_DICT_VALUES);
    pf_writer_varint(&b.w, PF_F_NESTED_TYPE, PF_NESTED_ARRAY);
    pf_writer_begin(&b.w, PF_F_NESTED_ARRAY_VALUES);
    text(&b, PF_F_NESTED_STRING, "s");
    end(&b);
    end(&b);
    end(&b);
    end(&b);
    end_event(&b);
    expect_args(&b, 0, " debug.n{ k1=4 k2[ -='s' . .");
}

/* A value of each type in a list, one without any, and two in one element: the first of bool, integer, double, text
 * counts (as in Perfetto's engine v55.3). */
Test(args, deprecated_values_of_each_type)
{
    bytes b;
    start(&b);
    begin_event(&b, 1, NONE);
    begin_annotation(&b, PF_F_EVENT_DEBUG_ANNOTATIONS, "n");
    pf_writer_begin(&b.w, PF_F_ANNOTATION_NESTED);
    pf_writer_varint(&b.w, PF_F_NESTED_TYPE, PF_NESTED_ARRAY);
    for (int i = 0; i < 7; i++) {
        pf_writer_begin(&b.w, PF_F_NESTED_ARRAY_VALUES);
        if (i == 3 || i == 6) {
            pf_writer_varint(&b.w, PF_F_NESTED_BOOL, 1);
        }
        if (i == 2 || i == 5 || i == 6) {
            pf_writer_double(&b.w, PF_F_NESTED_DOUBLE, 2.5);
        }
        if (i == 1 || i == 5) {
            pf_writer_varint(&b.w, PF_F_NESTED_INT, (uint64_t)-4);
        }
        if (i == 0) {
            text(&b, PF_F_NESTED_STRING, "s");
            pf_writer_varint(&b.w, PF_F_NESTED_INT, 9);
        }
        end(&b);
    }
    end(&b);
    end(&b);
    begin_annotation(&b, PF_F_EVENT_DEBUG_ANNOTATIONS, "one");
    pf_writer_begin(&b.w, PF_F_ANNOTATION_NESTED);
    pf_writer_double(&b.w, PF_F_NESTED_DOUBLE, -0.5);
    end(&b);
    end(&b);
    end_event(&b);
    expect_args(&b, 0, " debug.n[ -=9 -=-4 -=2.5 real -=true -=-4 -=true . debug.one=-0.5 real");
}

/* As Perfetto v55.3 counts them: a dictionary and a JSON text without content take an index of their list, a list does
 * not. */
Test(args, empty_elements_of_a_list)
{
    static const uint64_t types[] = {PF_NESTED_DICT, PF_NESTED_ARRAY};
    bytes b;
    start(&b);
    begin_event(&b, 1, NONE);
    begin_annotation(&b, PF_F_EVENT_DEBUG_ANNOTATIONS, "a");
    for (size_t i = 0; i < 2; i++) {
        pf_writer_begin(&b.w, PF_F_ANNOTATION_ARRAY_VALUES);
        pf_writer_begin(&b.w, PF_F_ANNOTATION_NESTED);
        pf_writer_varint(&b.w, PF_F_NESTED_TYPE, types[i]);
        end(&b);
        end(&b);
    }
    pf_writer_begin(&b.w, PF_F_ANNOTATION_ARRAY_VALUES);
    text(&b, PF_F_ANNOTATION_LEGACY_JSON, "[]");
    end(&b);
    pf_writer_begin(&b.w, PF_F_ANNOTATION_ARRAY_VALUES);
    begin_annotation(&b, PF_F_ANNOTATION_DICT_ENTRIES, "q");
    end(&b);
    end(&b);
    end(&b);
    end_event(&b);
    expect_args(&b, 0, " debug.a[ +{ . -[ . +[ . +{ . .");
}

/* Names and strings of the generation at the event's place in the file, also if it is cleared later. */
Test(args, interned_names_and_strings)
{
    bytes b;
    start(&b);
    for (int generation = 0; generation < 2; generation++) {
        packet(&b, NONE, 1, 1);
        pf_writer_begin(&b.w, PF_F_PACKET_INTERNED_DATA);
        pf_writer_begin(&b.w, PF_F_INTERNED_DEBUG_ANNOTATION_NAMES);
        pf_writer_varint(&b.w, PF_F_ENTRY_IID, 1);
        text(&b, PF_F_ENTRY_TEXT, generation ? "new" : "old");
        end(&b);
        pf_writer_begin(&b.w, PF_F_INTERNED_DEBUG_ANNOTATION_STRING_VALUES);
        pf_writer_varint(&b.w, PF_F_ENTRY_IID, 1);
        text(&b, PF_F_ENTRY_TEXT, generation ? "second" : "first");
        end(&b);
        end(&b);
        end(&b);
        begin_event(&b, 5, 2);
        pf_writer_begin(&b.w, PF_F_EVENT_DEBUG_ANNOTATIONS);
        pf_writer_varint(&b.w, PF_F_ANNOTATION_NAME_IID, 1);
        pf_writer_varint(&b.w, PF_F_ANNOTATION_STRING_IID, 1);
        end(&b);
        pf_writer_begin(&b.w, PF_F_EVENT_DEBUG_ANNOTATIONS);
        pf_writer_varint(&b.w, PF_F_ANNOTATION_NAME_IID, 2); /* nothing defines it: left out */
        pf_writer_varint(&b.w, PF_F_ANNOTATION_INT, 1);
        end(&b);
        end_event(&b);
    }
    pf_trace *t = load(&b);
    pf_buffer got = {0};
    show_args(t, 0, &got);
    expect_text(&got, " debug.old='first'");
    show_args(t, 1, &got);
    expect_text(&got, " debug.new='second'");
    pf_trace_free(t);
    finish(&b);
}

Test(args, source_location_and_correlation)
{
    bytes b;
    start(&b);
    begin_event(&b, 1, NONE);
    pf_writer_begin(&b.w, PF_F_EVENT_SOURCE_LOCATION);
    text(&b, PF_F_LOCATION_FILE_NAME, "a.c");
    pf_writer_varint(&b.w, PF_F_LOCATION_LINE_NUMBER, 12);
    end(&b);
    pf_writer_varint(&b.w, PF_F_EVENT_CORRELATION_ID, 77);
    end_event(&b);
    expect_args(&b, 0, " correlation_id='tp:#77' source_location.file_name='a.c' source_location.line_number=12u");
}

Test(args, every_field_of_a_source_location)
{
    bytes b;
    start(&b);
    begin_event(&b, 1, NONE);
    pf_writer_begin(&b.w, PF_F_EVENT_SOURCE_LOCATION);
    pf_writer_varint(&b.w, PF_F_LOCATION_IID, 9);
    text(&b, PF_F_LOCATION_FILE_NAME, "a\\b.c");
    text(&b, PF_F_LOCATION_FUNCTION_NAME, "f");
    pf_writer_varint(&b.w, PF_F_LOCATION_LINE_NUMBER, 12);
    end(&b);
    pf_writer_varint(&b.w, PF_F_EVENT_SOURCE_LOCATION_IID, 3);
    text(&b, PF_F_EVENT_CORRELATION_ID_STR, "id");
    end_event(&b);
    expect_args(&b, 0,
                " correlation_id='id' source_location.iid=9u source_location.file_name='a\\b.c'"
                " source_location.function_name='f' source_location.line_number=12u source_location_iid=3u");
}

Test(args, interned_correlation_ids_and_places_of_posted_tasks)
{
    bytes b;
    start(&b);
    packet(&b, NONE, 1, 1);
    pf_writer_begin(&b.w, PF_F_PACKET_INTERNED_DATA);
    pf_writer_begin(&b.w, PF_F_INTERNED_SOURCE_LOCATIONS);
    pf_writer_varint(&b.w, PF_F_LOCATION_IID, 4);
    text(&b, PF_F_LOCATION_FILE_NAME, "dir\\sub\\foo.cc"); /* of Windows: slashes are shown */
    pf_writer_varint(&b.w, PF_F_LOCATION_LINE_NUMBER, 7);
    end(&b);
    pf_writer_begin(&b.w, PF_F_INTERNED_CORRELATION_ID_STR);
    pf_writer_varint(&b.w, PF_F_ENTRY_IID, 5);
    text(&b, PF_F_ENTRY_TEXT, "interned");
    end(&b);
    end(&b);
    end(&b);
    begin_event(&b, 1, NONE);
    pf_writer_varint(&b.w, PF_F_EVENT_CORRELATION_ID_STR_IID, 5);
    pf_writer_begin(&b.w, PF_F_EVENT_TASK_EXECUTION);
    pf_writer_varint(&b.w, PF_F_TASK_POSTED_FROM_IID, 4);
    end(&b);
    end_event(&b);
    expect_args(&b, 0,
                " task.posted_from.file_name='dir/sub/foo.cc' task.posted_from.function_name=''"
                " task.posted_from.line_number=7u correlation_id='interned'");
}

/* The numbers of GpuApi; what has no name is shown as a number. */
Test(args, interfaces_of_gpus)
{
    static const uint64_t apis[] = {0, 1, 2, 3, 4, 5, 6, UINT64_MAX};
    static const char *const names[] = {"GPU_API_UNDEFINED",
                                        "GPU_API_OPEN_GL",
                                        "GPU_API_VULKAN",
                                        "GPU_API_OPEN_CL",
                                        "GPU_API_CUDA",
                                        "GPU_API_HIP",
                                        "6",
                                        "-1"};
    bytes b;
    start(&b);
    for (uint64_t i = 0; i < 8; i++) {
        begin_event(&b, 1 + i, NONE);
        pf_writer_varint(&b.w, PF_F_EVENT_GPU_API, apis[i]);
        end_event(&b);
    }
    pf_trace *t = load(&b);
    for (uint32_t i = 0; i < 8; i++) {
        char want[40];
        pf_buffer got = {0};
        snprintf(want, sizeof want, " gpu_api='%s'", names[i]);
        show_args(t, i, &got);
        expect_text(&got, want);
    }
    pf_trace_free(t);
    finish(&b);
}

/* An event with a location, a posted task and a log message. */
static void log_event(bytes *b, bool of_thread)
{
    start(b);
    packet(b, NONE, 1, 1);
    pf_writer_begin(&b->w, PF_F_PACKET_INTERNED_DATA);
    pf_writer_begin(&b->w, PF_F_INTERNED_SOURCE_LOCATIONS);
    pf_writer_varint(&b->w, PF_F_LOCATION_IID, 4);
    text(b, PF_F_LOCATION_FILE_NAME, "foo.cc");
    text(b, PF_F_LOCATION_FUNCTION_NAME, "func");
    end(b);
    pf_writer_begin(&b->w, PF_F_INTERNED_LOG_MESSAGE_BODY);
    pf_writer_varint(&b->w, PF_F_ENTRY_IID, 5);
    text(b, PF_F_ENTRY_TEXT, "said");
    end(b);
    end(b);
    end(b);
    if (of_thread) {
        describe_thread(b, 1, 9, 20, 21, "");
    }
    begin_event(b, 1, 2);
    pf_writer_begin(&b->w, PF_F_EVENT_TASK_EXECUTION);
    pf_writer_varint(&b->w, PF_F_TASK_POSTED_FROM_IID, 4);
    end(b);
    pf_writer_begin(&b->w, PF_F_EVENT_LOG_MESSAGE);
    pf_writer_varint(&b->w, PF_F_LOG_SOURCE_LOCATION_IID, 4);
    pf_writer_varint(&b->w, PF_F_LOG_BODY_IID, 5);
    pf_writer_varint(&b->w, PF_F_LOG_PRIORITY, 3);
    end(b);
    pf_writer_varint(&b->w, PF_F_EVENT_SOURCE_LOCATION_IID, 4);
    end_event(b);
}

#define LOCATIONS                                                                                                      \
    " source.file_name='foo.cc' source.function_name='func' source.line_number=0u"                                     \
    " task.posted_from.file_name='foo.cc' task.posted_from.function_name='func' task.posted_from.line_number=0u"

Test(args, interned_locations_and_log_messages)
{
    bytes b;
    log_event(&b, true);
    expect_args(&b, 0,
                LOCATIONS " track_event.log_message.message='said' track_event.log_message.function_name='func'"
                          " track_event.log_message.file_name='foo.cc' track_event.log_message.line_number=0"
                          " track_event.priority=3 source_location_iid=4u");
}

Test(args, a_log_message_needs_a_thread)
{
    bytes b;
    log_event(&b, false);
    expect_args(&b, 0, LOCATIONS " source_location_iid=4u");
}

Test(args, a_correlation_id_that_nothing_defines_has_no_text)
{
    bytes b;
    start(&b);
    begin_event(&b, 1, NONE);
    pf_writer_varint(&b.w, PF_F_EVENT_CORRELATION_ID_STR_IID, 7);
    end_event(&b);
    expect_args(&b, 0, " correlation_id=''");
}

static void nest(bytes *b, unsigned levels)
{
    begin_event(b, 1, NONE);
    pf_writer_begin(&b->w, PF_F_EVENT_DEBUG_ANNOTATIONS);
    for (unsigned i = 0; i < levels; i++) {
        text(b, PF_F_ANNOTATION_NAME, "d");
        pf_writer_begin(&b->w, PF_F_ANNOTATION_DICT_ENTRIES);
    }
    text(b, PF_F_ANNOTATION_NAME, "leaf");
    pf_writer_varint(&b->w, PF_F_ANNOTATION_INT, 1);
    for (unsigned i = 0; i < levels; i++) {
        end(b);
    }
    end(b);
    end_event(b);
}

/* One level more than --max-depth drops the arguments of that event and nothing else. */
Test(args, depth_limit)
{
    pf_read_options o = pf_read_options_default();
    for (unsigned levels = 511; levels <= 513; levels++) {
        bytes b;
        pf_buffer got = {0};
        start(&b);
        nest(&b, levels);
        pf_trace *t = load_bytes(b.out.data, b.out.len, &o, 0, NULL);
        show_args(t, 0, &got);
        cr_expect_eq(pf_trace_events(t)->count, 1);
        cr_expect_eq(stat_of(t, PF_STAT_JSON_ARGS_DROPPED), levels > 512);
        cr_expect_eq(got.len == 0, levels > 512);
        pf_buffer_free(&got);
        pf_trace_free(t);
        finish(&b);
    }
}

Test(args, keys_limit)
{
    pf_read_options o = pf_read_options_default();
    o.limits.keys = 10;
    for (unsigned keys = 10; keys <= 11; keys++) {
        bytes b;
        start(&b);
        begin_event(&b, 1, NONE);
        for (unsigned i = 0; i < keys; i++) {
            number(&b, "k", PF_F_ANNOTATION_INT, i);
        }
        end_event(&b);
        pf_trace *t = load_bytes(b.out.data, b.out.len, &o, 0, NULL);
        cr_expect_eq(stat_of(t, PF_STAT_JSON_ARGS_DROPPED), keys - 10);
        pf_trace_free(t);
        finish(&b);
    }
}

Test(args, only_kept_when_wanted)
{
    bytes b;
    pf_buffer got = {0};
    pf_read_options o = pf_read_options_default();
    o.want = PF_WANT_EVENTS;
    start(&b);
    begin_event(&b, 1, NONE);
    number(&b, "i", PF_F_ANNOTATION_INT, 3);
    end_event(&b);
    describe_process(&b, 1, 5, "P");
    pf_trace *t = load_bytes(b.out.data, b.out.len, &o, 0, NULL);
    show_args(t, 0, &got);
    expect_text(&got, "");
    show_args(t, 1, &got);
    expect_text(&got, " args.name='P'");
    char name[8];
    cr_expect_eq(pf_trace_arg_text(t, 1, PF_STR("name"), name, sizeof name), 1);
    cr_expect_eq(name[0], 'P');
    pf_trace_free(t);
    finish(&b);
}

/* A JSON text as the value of annotation "j". */
static void expect_json(const char *json, const char *want)
{
    bytes b;
    start(&b);
    begin_event(&b, 1, NONE);
    begin_annotation(&b, PF_F_EVENT_DEBUG_ANNOTATIONS, "j");
    text(&b, PF_F_ANNOTATION_LEGACY_JSON, json);
    end(&b);
    end_event(&b);
    expect_args(&b, 0, want);
}

Test(args, json_texts)
{
    expect_json("{\"x\":1,\"l\":[1,{\"q\":2.5},[3]],\"n\":null,\"o\":{\"p\":\"s\",\"b\":true},\"e\":{}}",
                " debug.j{ x=1 l[ -=1 +{ q=2.5 real . +[ -=3 . . o{ p='s' b=true . e{ . .");
    expect_json(" \"a\\nb\" ", " debug.j='a\nb'");
    expect_json("-7", " debug.j=-7");
    expect_json("null", "");
    static const char *const broken[] = {"",        "{x",    "{\"a\":}", "[1,]", "[1",    "{\"a\" 1}", "[1}",
                                         "1 2",     "tru",   "-",        "1.",   "1e",    "\"open",    "{,}",
                                         "{\"a\"}", "[1 2]", "}",        "]",    "{1:2}", "[,1]",      "nulll"};
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        expect_json(broken[i], "");
    }
}

Test(args, json_text_inside_a_list)
{
    bytes b;
    start(&b);
    begin_event(&b, 1, NONE);
    begin_annotation(&b, PF_F_EVENT_DEBUG_ANNOTATIONS, "a");
    pf_writer_begin(&b.w, PF_F_ANNOTATION_ARRAY_VALUES);
    text(&b, PF_F_ANNOTATION_LEGACY_JSON, "[1]");
    end(&b);
    pf_writer_begin(&b.w, PF_F_ANNOTATION_ARRAY_VALUES);
    text(&b, PF_F_ANNOTATION_LEGACY_JSON, "true");
    end(&b);
    end(&b);
    end_event(&b);
    expect_args(&b, 0, " debug.a[ +[ -=1 . -=true .");
}

/* The limit counts levels of the annotations and of the text together. */
Test(args, json_text_deeper_than_the_limit)
{
    for (uint32_t depth = 3; depth <= 4; depth++) {
        bytes b;
        start(&b);
        begin_event(&b, 1, NONE);
        begin_annotation(&b, PF_F_EVENT_DEBUG_ANNOTATIONS, "a");
        pf_writer_begin(&b.w, PF_F_ANNOTATION_ARRAY_VALUES);
        text(&b, PF_F_ANNOTATION_LEGACY_JSON, "[[[1]]]");
        end(&b);
        end(&b);
        end_event(&b);
        pf_read_options o = pf_read_options_default();
        o.limits.depth = depth;
        pf_trace *t = load_bytes(b.out.data, b.out.len, &o, 0, NULL);
        pf_buffer got = {0};
        show_args(t, 0, &got);
        expect_text(&got, depth == 4 ? " debug.a[ +[ +[ +[ -=1 . . . ." : "");
        pf_trace_free(t);
        finish(&b);
    }
}

Test(args, screenshots_and_active_processes)
{
    bytes b;
    start(&b);
    begin_event(&b, 1, NONE);
    pf_writer_begin(&b.w, PF_F_EVENT_SCREENSHOT);
    pf_writer_bytes(&b.w, PF_F_SCREENSHOT_JPG, "\x01\x02\x03\x04", 4);
    end(&b);
    pf_writer_begin(&b.w, PF_F_EVENT_ACTIVE_PROCESSES);
    pf_writer_varint(&b.w, PF_F_ACTIVE_PROCESSES_PID, 10);
    pf_writer_varint(&b.w, PF_F_ACTIVE_PROCESSES_PID, 1000);
    end(&b);
    pf_writer_varint(&b.w, 4711, 1); /* an extension that nobody knows */
    end_event(&b);
    pf_trace *t = load(&b);
    pf_buffer got = {0};
    show_args(t, 0, &got);
    expect_text(&got, " screenshot.jpg_image='AQIDBA==' chrome_active_processes.pid[ -=10 -=1000 .");
    cr_assert_eq(pf_trace_processes(t)->count, 3);
    cr_expect_eq(pf_trace_processes(t)->pid[2], 1000);
    cr_expect_eq(stat_of(t, PF_STAT_UNKNOWN_EXTENSIONS), 1);
    pf_trace_free(t);
    finish(&b);
}

/* ---- as columns -------------------------------------------------------------------------------------------------- */

/* Annotations of every kind of number, named in the event and by interned names; the event may be an instant of a
 * process, which has the number of the thread that it came from in front of its arguments. */
static void write_numbers(bytes *b, bool of_process, uint64_t name_iid)
{
    static const uint32_t fields[] = {PF_F_ANNOTATION_BOOL, PF_F_ANNOTATION_UINT, PF_F_ANNOTATION_INT,
                                      PF_F_ANNOTATION_POINTER};
    static const uint64_t values[] = {1, UINT64_MAX, (uint64_t)-5, 0xbeef};
    static const char *const names[] = {"yes", "big", "small", "address"};
    packet(b, 1, 1, NONE);
    pf_writer_begin(&b->w, PF_F_PACKET_TRACK_EVENT);
    pf_writer_varint(&b->w, PF_F_EVENT_TRACK_UUID, 10);
    text(b, PF_F_EVENT_NAME, "e");
    if (of_process) {
        pf_writer_begin(&b->w, PF_F_EVENT_LEGACY_EVENT);
        pf_writer_varint(&b->w, PF_F_LEGACY_PHASE, 'i');
        pf_writer_varint(&b->w, PF_F_LEGACY_INSTANT_EVENT_SCOPE, PF_LEGACY_SCOPE_PROCESS);
        end(b);
    } else {
        pf_writer_varint(&b->w, PF_F_EVENT_TYPE, PF_EVENT_INSTANT);
    }
    for (unsigned i = 0; i < 4; i++) {
        pf_writer_begin(&b->w, PF_F_EVENT_DEBUG_ANNOTATIONS);
        if (name_iid) {
            pf_writer_varint(&b->w, PF_F_ANNOTATION_NAME_IID, name_iid + i);
        } else {
            text(b, PF_F_ANNOTATION_NAME, names[i]);
        }
        pf_writer_varint(&b->w, fields[i], values[i]);
        end(b);
    }
    end(b);
    end(b);
}

static void expect_columns(const pf_trace *t, uint32_t event)
{
    static const pf_arg_key keys[] = {{"yes", PF_ARG_INT, false},     {"big", PF_ARG_UINT, false},
                                      {"small", PF_ARG_INT, false},   {"address", PF_ARG_UINT, false},
                                      {"big", PF_ARG_INT, false},     {"small", PF_ARG_UINT, false},
                                      {"missing", PF_ARG_INT, false}, {"small", PF_ARG_REAL, false}};
    pf_arg_columns *c = NULL;
    pf_error err = {0};
    cr_assert_eq(pf_arg_columns_read(t, NULL, 0, keys, 8, NULL, &c, &err), PF_OK, "%s", err.text);
    static const bool there[] = {true, true, true, true, false, false, false, true};
    for (size_t k = 0; k < 8; k++) {
        cr_expect_eq(pf_arg_has(pf_arg_column_at(c, k), event), there[k], "event %u, key %zu", event, k);
    }
    cr_expect_eq(pf_arg_column_at(c, 0)->values.i[event], 1);
    cr_expect_eq(pf_arg_column_at(c, 1)->values.u[event], UINT64_MAX);
    cr_expect_eq(pf_arg_column_at(c, 2)->values.i[event], -5);
    cr_expect_eq(pf_arg_column_at(c, 3)->values.u[event], 0xbeef);
    cr_expect_eq(pf_arg_column_at(c, 7)->values.d[event], -5);
    pf_arg_columns_free(c);
}

Test(args, columns_of_numbers)
{
    static const char *const names[] = {"yes", "big", "small", "address"};
    bytes b;
    start(&b);
    packet(&b, NONE, 1, 1);
    pf_writer_begin(&b.w, PF_F_PACKET_INTERNED_DATA);
    for (uint64_t i = 0; i < 4; i++) {
        pf_writer_begin(&b.w, PF_F_INTERNED_DEBUG_ANNOTATION_NAMES);
        pf_writer_varint(&b.w, PF_F_ENTRY_IID, 1000 + i);
        text(&b, PF_F_ENTRY_TEXT, names[i]);
        end(&b);
    }
    end(&b);
    end(&b);
    describe_thread(&b, 1, 10, 100, 101, NULL);
    write_numbers(&b, false, 0);
    write_numbers(&b, false, 1000);
    write_numbers(&b, false, 5000); /* that nothing defines */
    write_numbers(&b, true, 0);
    write_numbers(&b, true, 1000);
    pf_trace *t = load(&b);
    const pf_slices *s = pf_trace_slices(t);
    const pf_tracks *k = pf_trace_tracks(t);
    cr_assert_eq(s->count, 5);
    for (uint32_t i = 0; i < 5; i++) {
        cr_expect_eq(k->type[s->track[i]] == PF_TRACK_JSON_PROCESS_INSTANTS, i >= 3, "slice %u", i);
        if (i != 2) {
            expect_columns(t, s->event[i]);
        }
    }
    pf_trace_free(t);
    finish(&b);
}
