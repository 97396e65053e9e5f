/* chrome.c - Chrome JSON as it is written: every expectation is the text itself. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "model/trace/json_notes.h"
#include "support.h"

static char *written(const pf_trace *t, size_t *len)
{
    char *folder = test_folder(), *path = test_path(folder, "out.json");
    pf_error err;
    cr_assert_eq(pf_convert_json(t, path, NULL, &err), PF_OK, "%s", err.text);
    cr_assert_eq(test_entries(folder), 1);
    char *text = test_read(path, len);
    free(path);
    test_folder_remove(folder);
    return text;
}

/* The lines between the brackets; unit: the member after them. */
static void expect_document(const pf_trace *t, const char *lines, const char *unit)
{
    size_t len;
    char *text = written(t, &len), *expected = NULL;
    cr_assert_geq(asprintf(&expected, "{\"traceEvents\":[%s\n]%s}\n", lines, unit), 0);
    cr_assert_str_eq(text, expected);
    free(expected);
    free(text);
}

static void expect_lines(const pf_trace *t, const char *lines)
{
    expect_document(t, lines, ",\n\"displayTimeUnit\":\"ns\"");
}

/* Of JSON, which has its own unit or none. */
static void expect_json_lines(const pf_trace *t, const char *lines)
{
    expect_document(t, lines, "");
}

Test(chrome, times_are_exact_and_ids_keep_their_spelling)
{
    pf_trace *t = test_trace("chrome-json", PF_WANT_TABLES);
    uint32_t a = test_thread(t, 7, 1), b = test_text_thread(t, "GPU \"0\"", 3);
    test_add(t, 'X', 1419247332692737, 1500, a, "k\n", "c");
    test_add(t, 'B', -2001, 0, b, NULL, NULL);
    test_add(t, 'E', 1000, 0, b, "n", NULL);
    test_add(t, 'i', 10, 0, a, "mark", NULL);
    test_finish(t);
    expect_json_lines(
        t, "\n{\"ph\":\"X\",\"name\":\"k\\n\",\"cat\":\"c\",\"pid\":7,\"tid\":1,\"ts\":1419247332692.737,\"dur\":1.5},"
           "\n{\"ph\":\"B\",\"pid\":\"GPU \\\"0\\\"\",\"tid\":3,\"ts\":-2.001},"
           "\n{\"ph\":\"E\",\"name\":\"n\",\"pid\":\"GPU \\\"0\\\"\",\"tid\":3,\"ts\":1},"
           "\n{\"ph\":\"i\",\"name\":\"mark\",\"pid\":7,\"tid\":1,\"ts\":0.01,\"s\":\"t\"}");
    pf_trace_free(t);
}

Test(chrome, cycles_are_whole_numbers)
{
    pf_trace *t = test_trace("chrome-json", PF_WANT_TABLES);
    uint32_t a = test_thread(t, 7, 1);
    t->unit = PF_UNIT_CYCLE;
    test_add(t, 'B', 1234567, 0, a, "K", NULL);
    test_finish(t);
    expect_json_lines(t, "\n{\"ph\":\"B\",\"name\":\"K\",\"pid\":7,\"tid\":1,\"ts\":1234567}");
    pf_trace_free(t);
}

Test(chrome, arguments_keep_types_and_nesting)
{
    pf_trace *t = test_trace("chrome-json", PF_WANT_TABLES);
    uint32_t a = test_thread(t, 7, 1);
    test_add(t, 'i', 0, 0, a, "K", NULL);
    test_args(t, "i-5 args.x|d0.5 args.y|b1 args.z|thi debug.s|[ args.l|i1|n|{|tq args.q|}|[|}|}|{ args.e|}");
    test_finish(t);
    expect_json_lines(
        t, "\n{\"ph\":\"i\",\"name\":\"K\",\"pid\":7,\"tid\":1,\"ts\":0,\"s\":\"t\",\"args\":{\"x\":-5,\"y\":0.5,"
           "\"z\":true,\"s\":\"hi\",\"l\":[1,null,{\"args.q\":\"q\"},[]],\"e\":{}}}");
    pf_trace_free(t);
}

Test(chrome, a_begin_whose_end_is_silent_is_a_complete_event)
{
    pf_trace *t = test_trace("perfetto", PF_WANT_TABLES);
    uint32_t a = test_thread(t, 7, 1);
    test_add(t, 'B', 1000, 0, a, "silent", NULL);
    test_add(t, 'B', 2000, 0, a, "told", NULL);
    test_add(t, 'E', 3000, 0, a, "told", NULL);
    test_add(t, 'E', 4500, 0, a, NULL, NULL);
    test_add(t, 'B', 5000, 0, a, "open", NULL);
    test_finish(t);
    expect_lines(t, "\n{\"ph\":\"X\",\"name\":\"silent\",\"pid\":7,\"tid\":1,\"ts\":1,\"dur\":3.5},"
                    "\n{\"ph\":\"B\",\"name\":\"told\",\"pid\":7,\"tid\":1,\"ts\":2},"
                    "\n{\"ph\":\"E\",\"name\":\"told\",\"pid\":7,\"tid\":1,\"ts\":3},"
                    "\n{\"ph\":\"B\",\"name\":\"open\",\"pid\":7,\"tid\":1,\"ts\":5}");
    pf_trace_free(t);
}

Test(chrome, tracks_of_no_thread_become_threads_and_counters_events)
{
    pf_trace *t = test_trace("perfetto", PF_WANT_TABLES);
    pf_error err;
    pf_track_row own = {.type = PF_TRACK_GLOBAL_EVENT,
                        .name = test_string(t, "mine"),
                        .upid = PF_NONE,
                        .utid = PF_NONE,
                        .parent = PF_NONE,
                        .group = PF_NONE};
    pf_track_row counter = {.type = PF_TRACK_GLOBAL_COUNTER,
                            .name = test_string(t, "power"),
                            .upid = PF_NONE,
                            .utid = PF_NONE,
                            .parent = PF_NONE,
                            .group = PF_NONE,
                            .unit = test_string(t, "W")};
    uint32_t track = pf_trace_add_track(t, &own, &err), power = pf_trace_add_track(t, &counter, &err);
    test_add(t, 'B', 1000, 0, track, "s", NULL);
    test_add(t, 'C', 2000, 0, power, NULL, NULL);
    cr_assert_eq(pf_trace_add_sample(t, 2000, 2.5, power, t->events.count - 1, &err), PF_OK);
    test_finish(t);
    expect_lines(
        t,
        "\n{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":4026531840,\"tid\":4026531840,\"args\":{\"name\":\"mine\"}},"
        "\n{\"ph\":\"B\",\"name\":\"s\",\"pid\":4026531840,\"tid\":4026531840,\"ts\":1},"
        "\n{\"ph\":\"C\",\"name\":\"power\",\"ts\":2,\"args\":{\"W\":2.5}}");
    pf_trace_free(t);
}

/* What a trace says about itself is the document's metadata; what we said about it is not. */
Test(chrome, attributes_become_metadata)
{
    pf_trace *t = test_trace("perfetto", PF_WANT_TABLES);
    const pf_str none = {NULL, 0};
    pf_error err;
    cr_assert_eq(pf_trace_add_metadata(t, PF_STR("trace_attribute.job"), PF_STR("a \"b\""), 0, &err), PF_OK);
    cr_assert_eq(pf_trace_add_metadata(t, PF_STR("trace_attribute.postfetto.version"), PF_STR("1"), 0, &err), PF_OK);
    cr_assert_eq(pf_trace_add_metadata(t, PF_STR("cr-os"), PF_STR("x"), 0, &err), PF_OK);
    cr_assert_eq(pf_trace_add_metadata(t, PF_STR("trace_attribute.rank"), none, -3, &err), PF_OK);
    test_finish(t);
    size_t len;
    char *text = written(t, &len);
    cr_assert_str_eq(text, "{\"traceEvents\":[\n],\n\"displayTimeUnit\":\"ns\",\n"
                           "\"metadata\":{\"job\":\"a \\\"b\\\"\",\"rank\":-3}}\n");
    free(text);
    pf_trace_free(t);
}

/* Samples of packets that are no events, such as memory of processes, have no row in the table of events, and so no
 * note to look up. */
Test(chrome, samples_without_an_event_are_written)
{
    pf_trace *t = test_trace("perfetto", PF_WANT_TABLES | PF_WANT_ORIGINS);
    pf_error err;
    pf_track_row memory = {.type = PF_TRACK_GLOBAL_COUNTER,
                           .name = test_string(t, "memory"),
                           .upid = PF_NONE,
                           .utid = PF_NONE,
                           .parent = PF_NONE,
                           .group = PF_NONE,
                           .unit = test_string(t, "bytes")};
    static const uint8_t phase[] = {PF_TAG_VARINT(PF_ORIGIN_MEMBER + PF_MEMBER_PHASE), 'i'};
    uint32_t track = pf_trace_add_track(t, &memory, &err);
    test_add(t, 'i', 500, 0, test_thread(t, 7, 1), "noted", NULL);
    cr_assert_eq(pf_trace_add_origin(t, phase, sizeof phase, true, &err), PF_OK);
    cr_assert_eq(pf_trace_add_sample(t, 1000, 4096, track, PF_NONE, &err), PF_OK);
    cr_assert_eq(pf_trace_add_sample(t, 1000, 8192, track, PF_NONE, &err), PF_OK);
    cr_assert_eq(pf_trace_add_sample(t, 2000, 0.5, track, PF_NONE, &err), PF_OK);
    test_finish(t);
    expect_lines(t, "\n{\"ph\":\"i\",\"name\":\"noted\",\"pid\":7,\"tid\":1,\"ts\":0.5,\"s\":\"t\"},"
                    "\n{\"ph\":\"C\",\"name\":\"memory\",\"ts\":1,\"args\":{\"bytes\":4096}},"
                    "\n{\"ph\":\"C\",\"name\":\"memory\",\"ts\":1,\"args\":{\"bytes\":8192}},"
                    "\n{\"ph\":\"C\",\"name\":\"memory\",\"ts\":2,\"args\":{\"bytes\":0.5}}");
    pf_trace_free(t);
}

/* The first track of an async group with uuid 0xab, of no process. */
static uint32_t async_track(pf_trace *t, pf_track_type type, const char *name)
{
    pf_error err;
    pf_track_row row = {.type = type,
                        .name = test_string(t, name),
                        .upid = PF_NONE,
                        .utid = PF_NONE,
                        .parent = PF_NONE,
                        .group = t->tracks.count,
                        .uuid = 0xab};
    return pf_trace_add_track(t, &row, &err);
}

Test(chrome, async_operations_and_flows_have_ids)
{
    pf_trace *t = test_trace("chrome-json", PF_WANT_TABLES);
    pf_error err;
    uint32_t a = test_thread(t, 7, 1);
    uint32_t one = async_track(t, PF_TRACK_LEGACY_ASYNC_GLOBAL, "load");
    test_add(t, 'b', 1000, 0, one, "load", "net");
    test_add(t, 'e', 2000, 0, one, NULL, NULL);
    test_add(t, 'f', 3000, 0, a, "arrow", "f");
    cr_assert_eq(pf_trace_add_event_flow(t, 3, PF_FLOW_END, &err), PF_OK);
    test_finish(t);
    expect_json_lines(
        t, "\n{\"ph\":\"b\",\"name\":\"load\",\"cat\":\"net\",\"ts\":1,\"id\":\"0xab\"},"
           "\n{\"ph\":\"e\",\"ts\":2,\"id\":\"0xab\"},"
           "\n{\"ph\":\"f\",\"name\":\"arrow\",\"cat\":\"f\",\"pid\":7,\"tid\":1,\"ts\":3,\"id\":3,\"bp\":\"e\"}");
    pf_trace_free(t);
}

Test(chrome, flows_of_every_kind_have_their_words)
{
    static const struct {
        char phase;
        pf_flow_kind kind;
        const char *members;
    } cases[] = {{'s', PF_FLOW_START, ",\"id\":26"},
                 {'t', PF_FLOW_STEP, ",\"id\":26"},
                 {'f', PF_FLOW_END, ",\"id\":26,\"bp\":\"e\""},
                 {'f', PF_FLOW_END_NEXT, ",\"id\":26"},
                 {'B', PF_FLOW_BIND_START, ",\"bind_id\":\"0x1a\",\"flow_out\":true"},
                 {'B', PF_FLOW_BIND_STEP, ",\"bind_id\":\"0x1a\",\"flow_in\":true,\"flow_out\":true"},
                 {'B', PF_FLOW_FLOW, ",\"bind_id\":\"0x1a\",\"flow_in\":true,\"flow_out\":true"},
                 {'B', PF_FLOW_BIND_END, ",\"bind_id\":\"0x1a\",\"flow_in\":true"},
                 {'B', PF_FLOW_TERMINATE, ",\"bind_id\":\"0x1a\",\"flow_in\":true"},
                 {'B', PF_FLOW_GPU_STAGE, ""},
                 {'B', PF_FLOW_GPU_AWAIT, ""}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        pf_trace *t = test_trace("chrome-json", PF_WANT_TABLES);
        pf_error err;
        char expected[256];
        test_add(t, (uint8_t)cases[i].phase, 1000, 0, test_thread(t, 7, 1), "n", NULL);
        cr_assert_eq(pf_trace_add_event_flow(t, 26, cases[i].kind, &err), PF_OK);
        test_finish(t);
        snprintf(expected, sizeof expected, "\n{\"ph\":\"%c\",\"name\":\"n\",\"pid\":7,\"tid\":1,\"ts\":1%s}",
                 cases[i].phase, cases[i].members);
        expect_json_lines(t, expected);
        pf_trace_free(t);
    }
}

/* Perfetto's engine counts asynchronous events without a pid as json_parser_failure; the ids are those of no system. */
Test(chrome, operations_of_no_process_of_a_binary_trace_have_one)
{
    pf_trace *t = test_trace("perfetto", PF_WANT_TABLES);
    uint32_t one = async_track(t, PF_TRACK_GLOBAL_EVENT, "queue");
    test_add(t, 'B', 1000, 0, one, "load", NULL);
    test_add(t, 'E', 2000, 0, one, NULL, NULL);
    test_add(t, 'i', 3000, 0, one, "idle", NULL);
    test_finish(t);
    expect_lines(t, "\n{\"ph\":\"b\",\"name\":\"load\",\"pid\":4026531840,\"ts\":1,\"id\":\"0xab\"},"
                    "\n{\"ph\":\"e\",\"name\":\"load\",\"pid\":4026531840,\"ts\":2,\"id\":\"0xab\"},"
                    "\n{\"ph\":\"n\",\"name\":\"idle\",\"pid\":4026531840,\"ts\":3,\"id\":\"0xab\"}");
    pf_trace_free(t);
}

Test(chrome, what_a_conversion_kept_comes_back)
{
    pf_trace *t = test_trace("perfetto", PF_WANT_TABLES);
    pf_error err;
    uint32_t a = test_thread(t, 1 << 30, 1 << 30);
    t->inputs[0].converted = true;
    uint32_t utid = t->tracks.utid[a], upid = t->tracks.upid[a];
    t->processes.kind[upid] = PF_ID_TEXT;
    t->processes.text[upid] = pf_strings_add(&t->strings, "Spans", 5, &err);
    t->threads.kind[utid] = PF_ID_REAL;
    t->threads.text[utid] = pf_strings_add(&t->strings, "9000000000", 10, &err);
    test_add(t, 'i', 0, 0, a, "K", NULL);
    test_args(t, "i1 debug.a.b|i2 debug.c_d");
    test_finish(t);
    expect_json_lines(
        t,
        "\n{\"ph\":\"i\",\"name\":\"K\",\"pid\":\"Spans\",\"tid\":9000000000,\"ts\":0,\"s\":\"t\",\"args\":{\"a.b\":1,"
        "\"c_d\":2}}");
    pf_trace_free(t);
}

/* The notes of a foreign file may hold anything: what is no JSON is not written, and a phase is a text like others. */
Test(chrome, notes_of_a_foreign_file_cannot_break_the_document)
{
    static const uint8_t phase[] = {PF_TAG_VARINT(PF_ORIGIN_MEMBER + PF_MEMBER_PHASE), 0x19};
    static const uint8_t broken[] = {PF_TAG_BYTES(PF_ORIGIN_MORE),
                                     3,
                                     '{',
                                     '"',
                                     'x',
                                     PF_TAG_BYTES(PF_ORIGIN_MEMBER + PF_MEMBER_TID),
                                     3,
                                     '1',
                                     '}',
                                     ','};
    static const uint8_t whole[] = {
        PF_TAG_BYTES(PF_ORIGIN_WHOLE), 10, '{', '"', 'p', 'h', '"', ':', ' ', '"', '"', '}'};
    static const uint8_t hidden[] = {PF_TAG_VARINT(PF_ORIGIN_HIDDEN), 1};
    pf_trace *t = test_trace("perfetto", PF_WANT_TABLES | PF_WANT_ORIGINS);
    pf_error err;
    uint32_t a = test_thread(t, 7, 1);
    test_add(t, 'i', 1000, 0, a, "a", NULL);
    cr_assert_eq(pf_trace_add_origin(t, phase, sizeof phase, true, &err), PF_OK);
    test_add(t, 'i', 2000, 0, a, "b", NULL);
    cr_assert_eq(pf_trace_add_origin(t, broken, sizeof broken, true, &err), PF_OK);
    test_add(t, 'i', 3000, 0, a, "c", NULL);
    cr_assert_eq(pf_trace_add_origin(t, whole, sizeof whole, true, &err), PF_OK);
    test_add(t, 'i', 4000, 0, a, "d", NULL);
    cr_assert_eq(pf_trace_add_origin(t, hidden, sizeof hidden, true, &err), PF_OK);
    test_finish(t);
    expect_lines(t, "\n{\"ph\":\"\\u0019\",\"name\":\"a\",\"pid\":7,\"tid\":1,\"ts\":1},"
                    "\n{\"ph\":\"i\",\"name\":\"b\",\"pid\":7,\"ts\":2,\"s\":\"t\"},"
                    "\n{\"ph\":\"\"}");
    pf_trace_free(t);
}

Test(chrome, needs_its_tables)
{
    char *folder = test_folder(), *path = test_path(folder, "out.json");
    pf_trace *t = test_trace("chrome-json", PF_WANT_EVENTS);
    pf_error err;
    test_finish(t);
    cr_assert_eq(pf_convert_json(t, path, NULL, &err), PF_ERR_USAGE);
    cr_assert_eq(test_entries(folder), 0);
    pf_trace_free(t);
    free(path);
    test_folder_remove(folder);
}
